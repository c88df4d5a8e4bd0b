/* What is drawn of each series, in pixels.
 *
 * Lines are cut at the frame (Liang and Barsky's parameters of a segment against each side). A line
 * with more points than pixels is thinned: of each run of points in one pixel column only the
 * first, the lowest, the highest and the last are kept, which paints the same pixels. Of very many
 * scattered points only one per dot-sized cell is kept. */
#include "panel.h"

#include <math.h>
#include <stdlib.h>

enum { SMALL_DOTS = 5000 }; /* from so many points on, a scatter is drawn with small dots */
static const double dot_size = 3;

static void add_mark(Marks *marks, Mark mark)
{
    if (marks->count == marks->capacity) {
        int64_t capacity = marks->capacity ? 2 * marks->capacity : 256;
        Mark *grown = realloc(marks->points, (size_t)capacity * sizeof *grown);
        if (!grown) {
            marks->failed = true;
            return;
        }
        marks->points = grown;
        marks->capacity = capacity;
    }
    marks->points[marks->count++] = mark;
}

/* The part of a + t (b - a), 0 <= t <= 1, where p t <= q. */
static bool cut(double p, double q, double *t0, double *t1)
{
    if (p == 0) return q >= 0;
    double t = q / p;
    if (p < 0)
        *t0 = fmax(*t0, t);
    else
        *t1 = fmin(*t1, t);
    return *t0 <= *t1;
}

static void add_segment(Marks *marks, const Box *frame, Mark a, Mark b)
{
    double dx = b.x - a.x, dy = b.y - a.y, t0 = 0, t1 = 1;
    if (!cut(-dx, a.x - frame->left, &t0, &t1) || !cut(dx, frame->right - a.x, &t0, &t1) ||
        !cut(-dy, a.y - frame->top, &t0, &t1) || !cut(dy, frame->bottom - a.y, &t0, &t1))
        return;
    /* the end of the segment before is this one's start, unless that was cut off or this is new */
    bool joined = !a.start && t0 == 0 && marks->count > 0;
    if (!joined) add_mark(marks, (Mark){a.x + t0 * dx, a.y + t0 * dy, true, t0 == 0});
    add_mark(marks, (Mark){a.x + t1 * dx, a.y + t1 * dy, false, t1 == 1});
}

static bool is_inside(const Box *box, double x, double y)
{
    /* a hundredth of a pixel for the rounding at the ends of a range */
    return x >= box->left - 0.01 && x <= box->right + 0.01 && y >= box->top - 0.01 &&
           y <= box->bottom + 0.01;
}

/* Takes the points of a line one after the other. */
typedef struct Pen {
    Marks *marks;
    const Box *frame;
    Mark last;
    bool down;   /* there is a last point, joined to the next */
    bool lonely; /* which no segment has touched */
} Pen;

static void pen_up(Pen *pen)
{
    if (pen->down && pen->lonely && is_inside(pen->frame, pen->last.x, pen->last.y))
        add_mark(pen->marks, (Mark){pen->last.x, pen->last.y, true, true});
    pen->down = false;
}

static void pen_to(Pen *pen, double x, double y)
{
    Mark next = {.x = x, .y = y, .start = !pen->down};
    pen->lonely = !pen->down;
    if (pen->down) {
        add_segment(pen->marks, pen->frame, pen->last, next);
        /* a new stroke starts only after a gap, or where the last segment left the frame */
        next.start = !is_inside(pen->frame, x, y);
    }
    pen->last = next;
    pen->down = true;
}

/* The points of one pixel column that a line passes in a row. */
typedef struct Column {
    int64_t first, low, high, last; /* indices, -1: none */
    double pixel;
} Column;

static bool pixel_of(const Panel *panel, const PlotSeries *series, int64_t i, double *x, double *y)
{
    double ux, uy;
    if (!axis_value(panel->x.scale, series->x[i], &ux) ||
        !axis_value(panel->y.scale, series->y[i], &uy))
        return false;
    *x = axis_pixel(&panel->x, ux);
    *y = axis_pixel(&panel->y, uy);
    return true;
}

/* Draws the kept points of a column in their order; returns how many. */
static int64_t flush_column(const Panel *panel, const PlotSeries *series, Column *column, Pen *pen)
{
    if (column->first < 0) return 0;
    int64_t early = column->low < column->high ? column->low : column->high;
    int64_t late = column->low < column->high ? column->high : column->low;
    int64_t kept[] = {column->first, early, late, column->last}, count = 0;
    for (int k = 0; k < 4; k++) {
        double x, y;
        if ((k > 0 && kept[k] <= kept[k - 1]) || !pixel_of(panel, series, kept[k], &x, &y))
            continue;
        pen_to(pen, x, y);
        count++;
    }
    column->first = -1;
    return count;
}

static void line_marks(const Panel *panel, const PlotSeries *series, Marks *marks)
{
    Pen pen = {.marks = marks, .frame = &panel->frame};
    Column column = {.first = -1};
    double width = panel->frame.right - panel->frame.left, low_y = 0, high_y = 0;
    bool thin = (double)series->count > 4 * width;
    int64_t valid = 0, kept = 0;
    for (int64_t i = 0; i < series->count && !marks->failed; i++) {
        double x, y;
        if (!pixel_of(panel, series, i, &x, &y)) {
            kept += flush_column(panel, series, &column, &pen);
            pen_up(&pen);
            marks->left_out++;
            continue;
        }
        valid++;
        is_inside(&panel->frame, x, y) ? marks->drawn++ : marks->outside++;
        if (!thin) {
            pen_to(&pen, x, y);
            kept++;
            continue;
        }
        if (column.first >= 0 && floor(x) != column.pixel)
            kept += flush_column(panel, series, &column, &pen);
        if (column.first < 0) {
            column = (Column){i, i, i, i, floor(x)};
            low_y = high_y = y;
        }
        column.last = i;
        if (y > low_y) column.low = i, low_y = y;
        if (y < high_y) column.high = i, high_y = y;
    }
    kept += flush_column(panel, series, &column, &pen);
    pen_up(&pen);
    marks->thinned = valid - kept;
}

static void scatter_marks(const Panel *panel, const PlotSeries *series, Marks *marks)
{
    const Box *frame = &panel->frame;
    size_t columns = (size_t)((frame->right - frame->left) / dot_size) + 2;
    size_t rows = (size_t)((frame->bottom - frame->top) / dot_size) + 2;
    bool *taken = NULL;
    marks->small = series->count > SMALL_DOTS;
    if (marks->small && !(taken = calloc(columns * rows, sizeof *taken))) {
        marks->failed = true;
        return;
    }
    for (int64_t i = 0; i < series->count && !marks->failed; i++) {
        double x, y;
        if (!pixel_of(panel, series, i, &x, &y)) {
            marks->left_out++;
            continue;
        }
        if (!is_inside(frame, x, y)) {
            marks->outside++;
            continue;
        }
        marks->drawn++;
        if (taken) {
            size_t column = (size_t)fmax(0, (x - frame->left) / dot_size);
            size_t row = (size_t)fmax(0, (y - frame->top) / dot_size);
            if (taken[row * columns + column]) {
                marks->thinned++;
                continue;
            }
            taken[row * columns + column] = true;
        }
        add_mark(marks, (Mark){x, y, true, true});
    }
    free(taken);
}

Bar panel_bar(const Panel *panel, int series, int category)
{
    const Plot *plot = panel->plot;
    const Box *frame = &panel->frame;
    double slot = (frame->right - frame->left) / plot->category_count;
    double middle = category_middle(panel, category), group = 0.8 * slot, from = 0, u;
    const PlotSeries *own = &plot->series[series];
    if (category >= own->count || !axis_value(panel->y.scale, own->y[category], &u))
        return (Bar){.shown = false};
    Box box = {.left = middle - 0.5 * group, .right = middle + 0.5 * group};
    if (plot->stacked) {
        for (int s = 0; s < series; s++) {
            double other;
            if (category < plot->series[s].count &&
                axis_value(panel->y.scale, plot->series[s].y[category], &other) &&
                (other > 0) == (u > 0))
                from += other;
        }
        u += from;
    } else {
        double width = group / plot->series_count;
        box.left += series * width;
        box.right = box.left + width;
    }
    if (panel->y.scale == PLOT_LOG) from = panel->y.lower;
    double a = fmin(fmax(axis_pixel(&panel->y, from), frame->top), frame->bottom);
    double b = fmin(fmax(axis_pixel(&panel->y, u), frame->top), frame->bottom);
    box.top = fmin(a, b);
    box.bottom = fmax(a, b);
    return (Bar){box, true};
}

static void bar_marks(const Panel *panel, int s, Marks *marks)
{
    for (int c = 0; c < panel->plot->series[s].count; c++)
        panel_bar(panel, s, c).shown ? marks->drawn++ : marks->left_out++;
}

BarNumber panel_bar_number(const Panel *panel, int series, int category)
{
    const Plot *plot = panel->plot;
    BarNumber number = {.y = INFINITY};
    int last = plot->stacked ? plot->series_count - 1 : series;
    double sum = 0;
    for (int s = series; s <= last; s++) {
        Bar bar = panel_bar(panel, s, category);
        if (!bar.shown) continue;
        sum += plot->series[s].y[category];
        number.x = 0.5 * (bar.box.left + bar.box.right);
        number.y = fmin(number.y, bar.box.top - 3);
        /* the number would stand on the error bar */
        if (plot->series[s].low || plot->series[s].top) return (BarNumber){.shown = false};
        number.shown = true;
    }
    /* below zero it stands in the way of the labels, above the frame it is no longer true */
    if (sum < 0 || number.y < panel->frame.top) number.shown = false;
    number_general(sum, 3, number.text);
    return number;
}

bool panel_error_bar(const Panel *panel, int s, int64_t i, double *x, double *low, double *top)
{
    const PlotSeries *series = &panel->plot->series[s];
    const Box *frame = &panel->frame;
    if (!series->low || !series->top) return false;
    if (!axis_value(panel->y.scale, series->low[i], low) ||
        !axis_value(panel->y.scale, series->top[i], top))
        return false;
    if (panel->plot->categories) {
        Bar bar = panel_bar(panel, s, (int)i);
        if (!bar.shown) return false;
        *x = 0.5 * (bar.box.left + bar.box.right);
    } else if (axis_value(panel->x.scale, series->x[i], x)) {
        *x = axis_pixel(&panel->x, *x);
    } else {
        return false;
    }
    *low = fmin(axis_pixel(&panel->y, *low), frame->bottom);
    *top = fmax(axis_pixel(&panel->y, *top), frame->top);
    return *x >= frame->left && *x <= frame->right && *low >= *top;
}

bool panel_fit_point(const Panel *panel, int s, double share, double *x, double *y)
{
    const PlotSeries *series = &panel->plot->series[s];
    const PlotFitResult *fit = &panel->fits[s];
    if (series->kind != PLOT_SCATTER || series->fit == PLOT_FIT_NONE || isnan(fit->b)) return false;
    /* even steps on the axis: the ends may be far apart */
    double value = fit->x_min + share * (fit->x_max - fit->x_min);
    if (panel->x.scale == PLOT_LOG && fit->x_min > 0)
        value = fit->x_min * pow(fit->x_max / fit->x_min, share);
    if (!axis_value(panel->x.scale, value, x) ||
        !axis_value(panel->y.scale, plot_fit_value(series->fit, fit, value), y) ||
        !axis_contains(&panel->x, *x) || !axis_contains(&panel->y, *y))
        return false;
    *x = axis_pixel(&panel->x, *x);
    *y = axis_pixel(&panel->y, *y);
    return true;
}

bool panel_marks(Panel *panel)
{
    bool fine = true;
    panel_free_marks(panel);
    for (int s = 0; s < panel->plot->series_count; s++) {
        const PlotSeries *series = &panel->plot->series[s];
        Marks *marks = &panel->marks[s];
        switch (series->kind) {
        case PLOT_LINE:
            line_marks(panel, series, marks);
            break;
        case PLOT_SCATTER:
            scatter_marks(panel, series, marks);
            break;
        case PLOT_BARS:
            bar_marks(panel, s, marks);
            break;
        }
        fine = fine && !marks->failed;
    }
    return fine;
}

void panel_free_marks(Panel *panel)
{
    for (int s = 0; s < PLOT_MAX_SERIES; s++) {
        free(panel->marks[s].points);
        panel->marks[s] = (Marks){0};
    }
}
