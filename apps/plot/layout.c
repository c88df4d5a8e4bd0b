/* Ranges, margins and ticks of a panel.
 *
 * Margins depend on the labels, labels on the length of the axes, and that on the margins; a few
 * rounds of both settle it. */
#include "panel.h"

#include <math.h>
#include <string.h>

typedef struct Extent {
    double least, most; /* u */
    bool any;
} Extent;

static void extend(Extent *extent, double u)
{
    extent->least = extent->any ? fmin(extent->least, u) : u;
    extent->most = extent->any ? fmax(extent->most, u) : u;
    extent->any = true;
}

static void extend_value(Extent *extent, PlotScale scale, double value)
{
    double u;
    if (axis_value(scale, value, &u)) extend(extent, u);
}

static void series_extent(const Plot *plot, const PlotSeries *series, Extent *x, Extent *y)
{
    for (int64_t i = 0; i < series->count; i++) {
        double ux, uy;
        if (!axis_value(plot->x.scale, series->x[i], &ux) ||
            !axis_value(plot->y.scale, series->y[i], &uy))
            continue;
        extend(x, ux);
        extend(y, uy);
        if (series->low) extend_value(y, plot->y.scale, series->low[i]);
        if (series->top) extend_value(y, plot->y.scale, series->top[i]);
    }
}

static void bars_extent(const Plot *plot, Extent *y)
{
    for (int c = 0; c < plot->category_count; c++) {
        double above = 0, below = 0;
        for (int s = 0; s < plot->series_count; s++) {
            const PlotSeries *series = &plot->series[s];
            double u;
            if (c >= series->count || !axis_value(plot->y.scale, series->y[c], &u)) continue;
            if (plot->stacked) *(u > 0 ? &above : &below) += u;
            extend(y, plot->stacked ? (u > 0 ? above : below) : u);
            if (series->low) extend_value(y, plot->y.scale, series->low[c]);
            if (series->top) extend_value(y, plot->y.scale, series->top[c]);
        }
    }
}

bool panel_ranges(Panel *panel)
{
    const Plot *plot = panel->plot;
    Extent x = {0}, y = {0};
    if (plot->categories) {
        bars_extent(plot, &y);
    } else {
        for (int s = 0; s < plot->series_count; s++) series_extent(plot, &plot->series[s], &x, &y);
        if (!x.any) return false;
    }
    if (!y.any) return false;
    for (int i = 0; i < plot->reference_count; i++) {
        const PlotReference *line = &plot->references[i];
        extend_value(line->vertical ? &x : &y, line->vertical ? plot->x.scale : plot->y.scale,
                     line->value);
    }
    axis_set_range(&panel->x, &plot->x, x.least, x.most, false);
    axis_set_range(&panel->y, &plot->y, y.least, y.most, plot->categories != NULL);
    return true;
}

double category_middle(const Panel *panel, int category)
{
    double slot = (panel->frame.right - panel->frame.left) / panel->plot->category_count;
    return panel->frame.left + (category + 0.5) * slot;
}

/* Room below the frame for the labels of the categories: straight, or turned where they are too
 * wide, and not all where they are too many. */
static double category_room(Panel *panel)
{
    const Plot *plot = panel->plot;
    double slot = (panel->frame.right - panel->frame.left) / plot->category_count, widest = 0;
    for (int c = 0; c < plot->category_count; c++)
        widest = fmax(widest, text_width(plot->categories[c], TICK_SIZE));
    panel->category_stride = 1;
    panel->category_width = widest;
    panel->categories_turned = widest > slot - 6;
    panel->category_left = 0;
    if (!panel->categories_turned) return TICK_SIZE + 9;
    double sine = sin(CATEGORY_TURN * M_PI / 180), cosine = cos(CATEGORY_TURN * M_PI / 180);
    double height = 0.35 * (panel->outer.bottom - panel->outer.top);
    /* neither too far down nor, from the first category, beyond the left edge */
    double width = fmin((height - TICK_SIZE) / sine,
                        (category_middle(panel, 0) - panel->outer.left - 4) / cosine);
    panel->category_width = fmin(widest, width);
    /* some room to the left for the first, but no more than a sixth */
    panel->category_left = fmin(fmin(widest, (height - TICK_SIZE) / sine) * cosine + 4 - 0.5 * slot,
                                (panel->outer.right - panel->outer.left) / 6);
    while (panel->category_stride * slot * sine < 1.3 * TICK_SIZE) panel->category_stride++;
    return panel->category_width * sine + TICK_SIZE + 8;
}

static double top_margin(const Panel *panel)
{
    double margin = 10;
    if (panel->plot->title) margin += TITLE_SIZE + 6;
    if (panel->legend.strip) margin += panel->legend.strip_height;
    if (panel->y.note[0]) margin += TICK_SIZE + 4;
    return margin;
}

static double bottom_margin(Panel *panel)
{
    double margin = 8 + (panel->plot->categories ? category_room(panel) : TICK_SIZE + 9);
    return margin + (panel->plot->x.label || panel->x.note[0] ? LABEL_SIZE + 6 : 0);
}

/* So that the last label of the x axis stays inside. */
static double right_margin(const Panel *panel)
{
    const Axis *x = &panel->x;
    double margin = 14;
    if (panel->plot->categories || !x->tick_count) return margin;
    int last = x->tick_count - 1;
    double overhang = axis_pixel(x, x->ticks[last]) + 0.5 * text_width(x->labels[last], TICK_SIZE) -
                      panel->frame.right;
    return fmax(margin, overhang + 6);
}

bool panel_layout(Panel *panel)
{
    const Box *outer = &panel->outer;
    Box *frame = &panel->frame;
    panel->x.note[0] = panel->y.note[0] = '\0';
    panel->x.tick_count = panel->y.tick_count = 0;
    *frame = (Box){outer->left + 60, outer->top + 30, outer->right - 20, outer->bottom - 50};
    for (int round = 0; round < 4; round++) {
        if (panel->legend.strip) legend_place_strip(panel);
        frame->top = outer->top + top_margin(panel);
        frame->bottom = outer->bottom - bottom_margin(panel);
        if (frame->bottom - frame->top < 30) return false;
        panel->y.start = frame->bottom;
        panel->y.end = frame->top;
        axis_set_ticks(&panel->y, false, TICK_SIZE);
        frame->left = outer->left + 10 + (panel->plot->y.label ? LABEL_SIZE + 6 : 0) +
                      axis_label_width(&panel->y, TICK_SIZE) + 8;
        if (panel->plot->categories)
            frame->left = fmax(frame->left, outer->left + panel->category_left);
        frame->right = outer->right - right_margin(panel);
        if (frame->right - frame->left < 30) return false;
        panel->x.start = frame->left;
        panel->x.end = frame->right;
        if (!panel->plot->categories) axis_set_ticks(&panel->x, true, TICK_SIZE);
    }
    return true;
}
