/* The legend: its texts and its place.
 *
 * What is drawn is entered into a grid of small cells; the legend goes to the first of a lattice of
 * places, corners first, that covers no taken cell. Where there is none it goes into rows above the
 * frame. */
#include "panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 4 }; /* px */

static void add_entry(Legend *legend, int series, bool is_fit, const char *text)
{
    LegendEntry *entry = &legend->entries[legend->count++];
    entry->series = series;
    entry->is_fit = is_fit;
    /* cut at a whole character where it is too long */
    text_shorten(text, 1, LEGEND_TEXT, entry->text, LEGEND_TEXT);
}

static void fit_text(const PlotSeries *series, const PlotFitResult *fit, char text[LEGEND_TEXT])
{
    char slope[NUMBER_SIZE], quality[NUMBER_SIZE];
    const char *word = series->fit == PLOT_FIT_POWER ? "exponent" : "slope";
    if (isnan(fit->b)) {
        snprintf(text, LEGEND_TEXT, "no fit: fewer than two different x");
        return;
    }
    number_general(fit->b, 4, slope);
    number_fixed(fit->r_squared, 4, quality);
    if (isnan(fit->r_squared))
        snprintf(text, LEGEND_TEXT, "fit: %s %s", word, slope);
    else
        snprintf(text, LEGEND_TEXT, "fit: %s %s, R\u00b2 %s", word, slope, quality);
}

void legend_texts(Panel *panel)
{
    Legend *legend = &panel->legend;
    legend->count = 0;
    for (int s = 0; s < panel->plot->series_count; s++) {
        const PlotSeries *series = &panel->plot->series[s];
        if (series->name) add_entry(legend, s, false, series->name);
        if (series->kind == PLOT_SCATTER && series->fit != PLOT_FIT_NONE) {
            char text[LEGEND_TEXT];
            fit_text(series, &panel->fits[s], text);
            add_entry(legend, s, true, text);
        }
    }
}

double legend_text_start(const Panel *panel, const LegendEntry *entry)
{
    bool bars = panel->plot->series[entry->series].kind == PLOT_BARS;
    return (bars ? LEGEND_BAR_SWATCH : LEGEND_SWATCH) + LEGEND_GAP;
}

typedef struct Cover {
    bool *taken;
    int columns, rows;
    Box frame;
} Cover;

static void take(Cover *cover, Box box)
{
    int left = (int)floor((box.left - cover->frame.left) / CELL);
    int right = (int)floor((box.right - cover->frame.left) / CELL);
    int top = (int)floor((box.top - cover->frame.top) / CELL);
    int bottom = (int)floor((box.bottom - cover->frame.top) / CELL);
    for (int row = top < 0 ? 0 : top; row <= bottom && row < cover->rows; row++)
        for (int column = left < 0 ? 0 : left; column <= right && column < cover->columns; column++)
            cover->taken[row * cover->columns + column] = true;
}

static void take_point(Cover *cover, double x, double y, double radius)
{
    take(cover, (Box){x - radius, y - radius, x + radius, y + radius});
}

static void take_segment(Cover *cover, double x1, double y1, double x2, double y2)
{
    int pieces = 1 + (int)(hypot(x2 - x1, y2 - y1) / CELL);
    for (int i = 0; i <= pieces; i++) {
        double t = (double)i / pieces;
        take_point(cover, x1 + t * (x2 - x1), y1 + t * (y2 - y1), 2);
    }
}

/* Error bars and the fitted curve. */
static void take_extras(Cover *cover, const Panel *panel, int s)
{
    const PlotSeries *series = &panel->plot->series[s];
    double x, y, low, top;
    for (int64_t i = 0; i < series->count; i++)
        if (panel_error_bar(panel, s, i, &x, &low, &top))
            take(cover, (Box){x - 4, top, x + 4, low});
    for (int i = 0; i <= 400; i++)
        if (panel_fit_point(panel, s, i / 400.0, &x, &y)) take_point(cover, x, y, 2);
}

static void take_references(Cover *cover, const Panel *panel)
{
    const Box *frame = &panel->frame;
    ReferenceMark marks[PLOT_MAX_REFERENCES];
    int count = panel_references(panel, marks);
    for (int i = 0; i < count; i++) {
        double pixel = marks[i].pixel;
        if (marks[i].vertical)
            take(cover, (Box){pixel - 2, frame->top, pixel + 2, frame->bottom});
        else
            take(cover, (Box){frame->left, pixel - 2, frame->right, pixel + 2});
        if (marks[i].text[0]) take(cover, marks[i].label);
    }
}

static void take_everything(Cover *cover, const Panel *panel)
{
    for (int s = 0; s < panel->plot->series_count; s++) {
        const Marks *marks = &panel->marks[s];
        for (int64_t i = 0; i < marks->count; i++) {
            const Mark *mark = &marks->points[i];
            take_point(cover, mark->x, mark->y, 5);
            if (!mark->start) take_segment(cover, mark[-1].x, mark[-1].y, mark->x, mark->y);
        }
        for (int c = 0; panel->plot->categories && c < panel->plot->category_count; c++) {
            Bar bar = panel_bar(panel, s, c);
            bar.box.top -= TICK_SIZE + 4; /* the number over it */
            if (bar.shown) take(cover, bar.box);
        }
        take_extras(cover, panel, s);
    }
    take_references(cover, panel);
}

static bool is_free(const Cover *cover, Box box)
{
    int left = (int)((box.left - cover->frame.left) / CELL);
    int right = (int)((box.right - cover->frame.left) / CELL);
    int top = (int)((box.top - cover->frame.top) / CELL);
    int bottom = (int)((box.bottom - cover->frame.top) / CELL);
    for (int row = top; row <= bottom && row < cover->rows; row++)
        for (int column = left; column <= right && column < cover->columns; column++)
            if (cover->taken[row * cover->columns + column]) return false;
    return true;
}

/* Tries a lattice of places from the corners inwards: upper right, upper left, lower right ... */
static bool find_place(const Cover *cover, double width, double height, Box *place)
{
    enum { STEPS = 8 };
    const Box *frame = &cover->frame;
    const double gap = 8;
    double free_x = frame->right - frame->left - 2 * gap - width;
    double free_y = frame->bottom - frame->top - 2 * gap - height;
    if (free_x < 0 || free_y < 0) return false;
    for (int inwards = 0; inwards <= STEPS; inwards++)
        for (int i = 0; i <= inwards; i++)
            for (int corner = 0; corner < 4; corner++) {
                double x = free_x * i / STEPS, y = free_y * (inwards - i) / STEPS;
                double left = frame->left + gap + (corner % 2 ? x : free_x - x);
                double top = frame->top + gap + (corner / 2 ? free_y - y : y);
                *place = (Box){left, top, left + width, top + height};
                if (is_free(cover, *place)) return true;
            }
    return false;
}

static void place_entries(Legend *legend)
{
    for (int i = 0; i < legend->count; i++) {
        legend->entries[i].x = legend->box.left + 8;
        legend->entries[i].y = legend->box.top + 4 + (i + 0.5) * LEGEND_ROW;
    }
}

bool legend_place_inside(Panel *panel, bool *failed)
{
    Legend *legend = &panel->legend;
    const Box *frame = &panel->frame;
    Cover cover = {.frame = *frame,
                   .columns = (int)((frame->right - frame->left) / CELL) + 1,
                   .rows = (int)((frame->bottom - frame->top) / CELL) + 1};
    double width = 0;
    for (int i = 0; i < legend->count; i++)
        width = fmax(width, legend_text_start(panel, &legend->entries[i]) +
                                text_width(legend->entries[i].text, TICK_SIZE));
    width += 14;
    /* more than half the frame is no place for it */
    double height = legend->count * LEGEND_ROW + 8;
    if (height > 0.5 * (frame->bottom - frame->top) || width > 0.6 * (frame->right - frame->left))
        return false;
    cover.taken = calloc((size_t)cover.columns * (size_t)cover.rows, sizeof *cover.taken);
    if (!cover.taken) {
        *failed = true;
        return false;
    }
    take_everything(&cover, panel);
    bool found = find_place(&cover, width, height, &legend->box);
    free(cover.taken);
    if (found) place_entries(legend);
    return found;
}

void legend_place_strip(Panel *panel)
{
    Legend *legend = &panel->legend;
    double left = panel->outer.left + 14, right = panel->outer.right - 10, x = left;
    double row_top = panel->outer.top + 10 + (panel->plot->title ? TITLE_SIZE + 6 : 0);
    int rows = 1;
    for (int i = 0; i < legend->count; i++) {
        LegendEntry *entry = &legend->entries[i];
        char cut[LEGEND_TEXT];
        text_shorten(entry->text, TICK_SIZE, right - left - legend_text_start(panel, entry), cut,
                     sizeof cut);
        memcpy(entry->text, cut, sizeof cut);
        double width = legend_text_start(panel, entry) + text_width(entry->text, TICK_SIZE);
        if (x > left && x + width > right) {
            x = left;
            rows++;
        }
        entry->x = x;
        entry->y = row_top + (rows - 0.5) * LEGEND_ROW;
        x += width + 16;
    }
    legend->strip_height = rows * LEGEND_ROW + 6;
}
