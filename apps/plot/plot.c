/* A figure from its definition to SVG: checks, then each panel's ranges, layout, marks and legend,
 * then the file. Nothing is written before everything that can fail is done. */
#include "plot.h"

#include "panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MAX_CATEGORIES = 2000, DEFAULT_WIDTH = 720, DEFAULT_HEIGHT = 440 };

static bool fail(char error[PLOT_ERROR_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail(char error[PLOT_ERROR_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, PLOT_ERROR_SIZE, format, args);
    va_end(args);
    return false;
}

static bool check_axis(const PlotAxis *axis, const char *name, char *error)
{
    if (!(axis->lower < axis->upper)) return true;
    if (!isfinite(axis->lower) || !isfinite(axis->upper))
        return fail(error, "the range of the %s axis is not finite", name);
    if (axis->scale == PLOT_LOG && axis->lower <= 0)
        return fail(error,
                    "the range of the %s axis starts at %g; a logarithmic axis must start above 0",
                    name, axis->lower);
    return true;
}

static bool check_plot(const Plot *plot, char *error)
{
    if (plot->series_count < 1 || plot->series_count > PLOT_MAX_SERIES)
        return fail(error, "%d series; a plot needs 1 ... %d", plot->series_count, PLOT_MAX_SERIES);
    if (plot->reference_count > PLOT_MAX_REFERENCES)
        return fail(error, "more than %d reference lines", PLOT_MAX_REFERENCES);
    if (plot->category_count > MAX_CATEGORIES)
        return fail(error, "%d bars side by side are too many; use at most %d",
                    plot->category_count, MAX_CATEGORIES);
    if (plot->stacked && plot->y.scale == PLOT_LOG)
        return fail(error, "stacked bars need a linear y axis");
    for (int s = 0; s < plot->series_count; s++) {
        bool bars = plot->series[s].kind == PLOT_BARS;
        if (bars != (plot->categories != NULL) ||
            (bars && plot->series[s].count > plot->category_count))
            return fail(error, "every bar needs a category, and only bars may have categories");
    }
    return check_axis(&plot->x, "x", error) && check_axis(&plot->y, "y", error);
}

static int64_t point_count(const Plot *plot)
{
    int64_t count = 0;
    for (int s = 0; s < plot->series_count; s++) count += plot->series[s].count;
    return count;
}

static bool nothing_to_draw(const Plot *plot, char *error)
{
    int64_t count = point_count(plot);
    if (count == 0) return fail(error, "there is nothing to draw: no data");
    bool log_axis = plot->x.scale == PLOT_LOG || plot->y.scale == PLOT_LOG;
    return fail(error, "there is nothing to draw: none of the %lld points is finite%s",
                (long long)count, log_axis ? " and positive where the axis is logarithmic" : "");
}

static bool prepare(Panel *panel, char *error)
{
    const Plot *plot = panel->plot;
    static const char too_small[] = "the plot is too small for its labels";
    bool failed = false;
    for (int s = 0; s < plot->series_count; s++)
        if (plot->series[s].fit != PLOT_FIT_NONE && plot->series[s].kind == PLOT_SCATTER)
            panel->fits[s] = plot_fit(plot->series[s].fit, plot->series[s].x, plot->series[s].y,
                                      plot->series[s].count);
    if (!panel_ranges(panel)) return nothing_to_draw(plot, error);
    legend_texts(panel);
    if (!panel_layout(panel)) return fail(error, too_small);
    if (!panel_marks(panel)) return fail(error, "no memory");
    if (panel->legend.count && !legend_place_inside(panel, &failed)) {
        panel->legend.strip = true;
        if (!panel_layout(panel)) return fail(error, too_small);
        if (failed || !panel_marks(panel)) return fail(error, "no memory");
    }
    return true;
}

/* "title. time, ms against spheres: A, B." for each panel. */
static void describe(FILE *out, const PlotFigure *figure)
{
    if (figure->description) {
        svg_escaped(out, figure->description);
        return;
    }
    for (int i = 0; i < figure->panel_count; i++) {
        const Plot *plot = &figure->panels[i];
        if (i) fputc(' ', out);
        if (plot->title) {
            svg_escaped(out, plot->title);
            fputs(". ", out);
        }
        svg_escaped(out, plot->y.label ? plot->y.label : "y");
        fputs(" against ", out);
        svg_escaped(out, plot->x.label ? plot->x.label : plot->categories ? "categories" : "x");
        for (int s = 0; s < plot->series_count; s++) {
            fputs(s ? ", " : ": ", out);
            svg_escaped(out, plot->series[s].name ? plot->series[s].name : "data");
        }
        fputc('.', out);
    }
}

static void write_figure(FILE *out, const PlotFigure *figure, const Panel *panels, int width,
                         int height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" fill=\"#222\" font-family=\"system-ui,-apple-system,"
            "'Segoe UI',Roboto,Helvetica,Arial,sans-serif\">\n",
            width, height, width, height);
    const char *title = figure->title ? figure->title : figure->panels[0].title;
    if (title) {
        fputs("<title>", out);
        svg_escaped(out, title);
        fputs("</title>\n", out);
    }
    fputs("<desc>", out);
    describe(out, figure);
    fputs("</desc>\n", out);
    svg_rect(out, 0, 0, width, height, "fill=\"#fff\"");
    if (figure->title) {
        char text[512], attributes[64];
        text_shorten(figure->title, 1.1 * TITLE_SIZE, width - 20, text, sizeof text);
        snprintf(attributes, sizeof attributes, "font-size=\"%d\" font-weight=\"600\"", TITLE_SIZE);
        svg_text(out, 0.5 * width, TITLE_SIZE + 10, 'm', 0, attributes, text);
    }
    for (int i = 0; i < figure->panel_count; i++) panel_draw(out, &panels[i]);
    fputs("</svg>\n", out);
}

static void gather_report(const PlotFigure *figure, const Panel *panels, PlotReport *report)
{
    *report = (PlotReport){0};
    for (int i = 0; i < figure->panel_count; i++)
        for (int s = 0; s < figure->panels[i].series_count; s++) {
            const Marks *marks = &panels[i].marks[s];
            report->drawn += marks->drawn;
            report->left_out += marks->left_out;
            report->outside += marks->outside;
            report->thinned += marks->thinned;
        }
}

bool plot_write(FILE *out, const PlotFigure *figure, PlotReport *report,
                char error[PLOT_ERROR_SIZE])
{
    int count = figure->panel_count;
    if (count < 1 || count > PLOT_MAX_PANELS)
        return fail(error, "%d panels; a figure needs 1 ... %d", count, PLOT_MAX_PANELS);
    int width = figure->width ? figure->width : count * DEFAULT_WIDTH;
    int height = figure->height ? figure->height : DEFAULT_HEIGHT;
    if (width < PLOT_MIN_SIZE * count || height < PLOT_MIN_SIZE || width > PLOT_MAX_SIZE ||
        height > PLOT_MAX_SIZE)
        return fail(error,
                    "%d x %d pixels for %d panels; a panel has at least %d, a figure at "
                    "most %d each way",
                    width, height, count, PLOT_MIN_SIZE, PLOT_MAX_SIZE);
    Panel *panels = calloc((size_t)count, sizeof *panels);
    if (!panels) return fail(error, "no memory");
    double top = figure->title ? TITLE_SIZE + 12 : 0;
    bool fine = true;
    for (int i = 0; i < count && fine; i++) {
        panels[i].plot = &figure->panels[i];
        panels[i].outer =
            (Box){(double)width * i / count, top, (double)width * (i + 1) / count, height};
        fine = check_plot(panels[i].plot, error) && prepare(&panels[i], error);
    }
    if (fine) {
        write_figure(out, figure, panels, width, height);
        if (report) gather_report(figure, panels, report);
    }
    for (int i = 0; i < count; i++) panel_free_marks(&panels[i]);
    free(panels);
    return fine;
}
