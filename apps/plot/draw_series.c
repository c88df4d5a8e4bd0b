/* The series of a panel as SVG: lines, points, curves, bars, and their samples in the legend.
 *
 * The colours are those of M. Okabe and K. Ito, "Color Universal Design" (2002), chosen so that
 * they can be told apart with any kind of colour vision; their yellow, too light for lines on
 * white, is replaced by a grey. Series also differ by their markers, and from the ninth on by
 * dashes. */
#include "panel.h"

#include <math.h>
#include <string.h>

enum { STYLES = 8 };
static const char *const colours[STYLES] = {"#0072b2", "#d55e00", "#009e73", "#e69f00",
                                            "#cc79a7", "#56b4e9", "#000000", "#8a8a8a"};

/* Each begins at its middle, so that the first pair of numbers of a marker is the point itself. */
typedef struct Marker {
    const char *path;
    bool filled;
} Marker;

static const Marker markers[STYLES] = {
    {"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", true}, /* disc */
    {"m-3.2-3.2h6.4v6.4h-6.4z", true},                      /* square */
    {"m0-4.4l4 7.2h-8z", true},                             /* triangle */
    {"m0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z", true},            /* lozenge */
    {"m-3.4-3.4l6.8 6.8m0-6.8l-6.8 6.8", false},            /* cross */
    {"m0 4.4l4-7.2h-8z", true},                             /* triangle, point down */
    {"m-4.4 0h8.8m-4.4-4.4v8.8", false},                    /* plus */
    {"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", false} /* ring */
};

/* Colour and marker of a series. */
static int style_of(const Panel *panel, int series)
{
    int given = panel->plot->series[series].style;
    return (given > 0 ? given - 1 : series) % STYLES;
}

static const char *colour_of(const Panel *panel, int series)
{
    return colours[style_of(panel, series)];
}

static const char *dashes_of(const Panel *panel, int series)
{
    static const char *const dashes[] = {"", " stroke-dasharray=\"7 3\"",
                                         " stroke-dasharray=\"2 3\"",
                                         " stroke-dasharray=\"8 3 2 3\""};
    const PlotSeries *own = &panel->plot->series[series];
    return dashes[own->dashed ? 1 : own->style > 0 ? 0 : series / STYLES % 4];
}

static void begin_markers(FILE *out, const Panel *panel, int series)
{
    if (markers[style_of(panel, series)].filled)
        fprintf(out, "<path class=\"points\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".7\" d=\"",
                colour_of(panel, series));
    else
        fprintf(out, "<path class=\"points\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"",
                colour_of(panel, series));
}

static void add_marker(FILE *out, const Panel *panel, int series, double x, double y)
{
    fputc('M', out);
    svg_point(out, x, y);
    fputs(markers[style_of(panel, series)].path, out);
}

/* Markers on a line: on every point where there is room, otherwise one about every 90 px, shifted
 * from series to series; none on a single long line. */
static bool has_room_for_markers(const Panel *panel, int s)
{
    const Marks *marks = &panel->marks[s];
    int64_t points = 0;
    for (int64_t i = 0; i < marks->count; i++) points += marks->points[i].data;
    return 12.0 * (double)points <= panel->frame.right - panel->frame.left;
}

static bool line_has_markers(const Panel *panel, int s)
{
    return panel->plot->series_count > 1 || has_room_for_markers(panel, s);
}

static void draw_line_markers(FILE *out, const Panel *panel, int s)
{
    const Marks *marks = &panel->marks[s];
    double last = -INFINITY;
    bool all = has_room_for_markers(panel, s);
    if (!line_has_markers(panel, s)) return;
    double first = panel->frame.left + 15 + 90.0 * s / panel->plot->series_count;
    begin_markers(out, panel, s);
    for (int64_t i = 0; i < marks->count; i++) {
        const Mark *mark = &marks->points[i];
        if (!mark->data || (!all && (mark->x < first || fabs(mark->x - last) < 90))) continue;
        add_marker(out, panel, s, mark->x, mark->y);
        last = mark->x;
    }
    fputs("\"/>\n", out);
}

static void draw_line(FILE *out, const Panel *panel, int s)
{
    const Marks *marks = &panel->marks[s];
    fprintf(out,
            "<path class=\"line\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
            "stroke-linejoin=\"round\" stroke-linecap=\"round\"%s d=\"",
            colour_of(panel, s), dashes_of(panel, s));
    for (int64_t i = 0; i < marks->count; i++) {
        const Mark *mark = &marks->points[i];
        fputc(mark->start ? 'M' : i && mark[-1].start ? 'L' : ' ', out);
        svg_point(out, mark->x, mark->y);
        bool alone = mark->start && (i + 1 == marks->count || mark[1].start);
        if (alone) fputs("h0", out); /* a dot */
    }
    fputs("\"/>\n", out);
    draw_line_markers(out, panel, s);
}

static void draw_scatter(FILE *out, const Panel *panel, int s)
{
    const Marks *marks = &panel->marks[s];
    if (marks->small)
        fprintf(out,
                "<path class=\"points\" fill=\"none\" stroke=\"%s\" stroke-width=\"3\" "
                "stroke-linecap=\"round\" d=\"",
                colour_of(panel, s));
    else
        begin_markers(out, panel, s);
    for (int64_t i = 0; i < marks->count; i++) {
        if (!marks->small) {
            add_marker(out, panel, s, marks->points[i].x, marks->points[i].y);
            continue;
        }
        fputc('M', out);
        svg_point(out, marks->points[i].x, marks->points[i].y);
        fputs("h0", out);
    }
    fputs("\"/>\n", out);
}

/* The curve over the x of its points; pieces outside are left out. */
static void draw_fit(FILE *out, const Panel *panel, int s)
{
    PlotScale straight = panel->plot->series[s].fit == PLOT_FIT_POWER ? PLOT_LOG : PLOT_LINEAR;
    double x, y;
    bool down = false,
         both_ends = panel_fit_point(panel, s, 0, &x, &y) && panel_fit_point(panel, s, 1, &x, &y);
    int pieces = both_ends && panel->x.scale == straight && panel->y.scale == straight ? 1 : 200;
    fprintf(out,
            "<path class=\"fit\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" "
            "stroke-dasharray=\"6 3\" d=\"",
            colour_of(panel, s));
    for (int i = 0; i <= pieces; i++) {
        bool shown = panel_fit_point(panel, s, (double)i / pieces, &x, &y);
        if (shown) {
            fputc(down ? ' ' : 'M', out);
            svg_point(out, x, y);
        }
        down = shown;
    }
    fputs("\"/>\n", out);
}

static void draw_bars(FILE *out, const Panel *panel, int s)
{
    fprintf(out, "<path class=\"bars\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".7\" d=\"",
            colour_of(panel, s));
    for (int c = 0; c < panel->plot->category_count; c++) {
        Bar bar = panel_bar(panel, s, c);
        if (!bar.shown) continue;
        fputc('M', out);
        svg_point(out, bar.box.left, bar.box.bottom);
        fputc('V', out);
        svg_number(out, bar.box.top);
        fputc('H', out);
        svg_number(out, bar.box.right);
        fputc('V', out);
        svg_number(out, bar.box.bottom);
        fputc('z', out);
    }
    fputs("\"/>\n", out);
}

/* A number over each bar, or over each stack, where all of them have room. */
static void draw_bar_numbers(FILE *out, const Panel *panel)
{
    const Plot *plot = panel->plot;
    int columns = plot->stacked ? 1 : plot->series_count;
    double slot = (panel->frame.right - panel->frame.left) / plot->category_count;
    double room = plot->stacked ? slot : 0.8 * slot / plot->series_count;
    for (int pass = 0; pass < 2; pass++) { /* measure, then draw */
        for (int c = 0; c < plot->category_count; c++)
            for (int s = 0; s < columns; s++) {
                BarNumber number = panel_bar_number(panel, s, c);
                if (!number.shown) continue;
                if (pass == 0 && text_width(number.text, TICK_SIZE - 1) + 3 > room) return;
                if (pass == 1) svg_text(out, number.x, number.y, 'm', 0, "", number.text);
            }
        if (pass == 0) fprintf(out, "<g class=\"numbers\" font-size=\"%d\">\n", TICK_SIZE - 1);
    }
    fputs("</g>\n", out);
}

/* Of points that share a pixel column only the longest error bar is drawn. */
static void draw_error_bars(FILE *out, const Panel *panel, int s)
{
    const PlotSeries *series = &panel->plot->series[s];
    double column = -INFINITY, low_end = 0, top_end = 0;
    if (!series->low || !series->top) return;
    fprintf(out, "<path class=\"ranges\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" d=\"",
            panel->plot->categories ? "#333" : colour_of(panel, s));
    for (int64_t i = 0; i < series->count; i++) {
        double x, low, top;
        if (!panel_error_bar(panel, s, i, &x, &low, &top)) continue;
        if (fabs(x - column) < 0.5 && low <= low_end && top >= top_end) continue;
        column = x;
        low_end = low;
        top_end = top;
        fputc('M', out);
        svg_point(out, x - 3, low);
        fputs("h6m-3 0V", out);
        svg_number(out, top);
        fputs("m-3 0h6", out);
    }
    fputs("\"/>\n", out);
}

void draw_series(FILE *out, const Panel *panel)
{
    for (int s = 0; s < panel->plot->series_count; s++) {
        fputs("<g class=\"series\">\n", out);
        if (panel->plot->series[s].kind != PLOT_BARS) draw_error_bars(out, panel, s);
        switch (panel->plot->series[s].kind) {
        case PLOT_LINE:
            draw_line(out, panel, s);
            break;
        case PLOT_SCATTER:
            if (panel->plot->series[s].fit != PLOT_FIT_NONE) draw_fit(out, panel, s);
            draw_scatter(out, panel, s);
            break;
        case PLOT_BARS:
            draw_bars(out, panel, s);
            draw_error_bars(out, panel, s);
            break;
        }
        fputs("</g>\n", out);
    }
    if (panel->plot->categories) draw_bar_numbers(out, panel);
}

void draw_swatch(FILE *out, const Panel *panel, const LegendEntry *entry)
{
    int s = entry->series;
    PlotKind kind = panel->plot->series[s].kind;
    double middle = entry->x + 0.5 * LEGEND_SWATCH;
    char attributes[160];
    if (kind == PLOT_BARS) {
        snprintf(attributes, sizeof attributes, "fill=\"%s\"", colour_of(panel, s));
        svg_rect(out, entry->x, entry->y - 6, LEGEND_BAR_SWATCH, LEGEND_BAR_SWATCH, attributes);
        return;
    }
    if (kind == PLOT_LINE || entry->is_fit) {
        snprintf(attributes, sizeof attributes,
                 "fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s", colour_of(panel, s),
                 entry->is_fit ? " stroke-dasharray=\"6 3\"" : dashes_of(panel, s));
        svg_line(out, entry->x, entry->y, entry->x + LEGEND_SWATCH, entry->y, attributes);
    }
    if (entry->is_fit || (kind == PLOT_LINE && !line_has_markers(panel, s))) return;
    begin_markers(out, panel, s);
    add_marker(out, panel, s, middle, entry->y);
    fputs("\"/>\n", out);
}
