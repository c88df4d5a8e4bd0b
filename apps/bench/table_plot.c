/* The figure of `tenon-bench table`; see table_report.h. A panel per scene: AAv against solver
 * time, a line per solver with the defaults, and dashed SubADMM as in the paper. */
#include "../common/plot_file.h"
#include "table_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = CURVE_COUNT + 1, MOST_SHOWN = 8 };

typedef struct Lines {
    double ms[LINES][CURVE_MAX_POINTS], aav[LINES][CURVE_MAX_POINTS];
    PlotSeries series[LINES];
    int count;
} Lines;

/* What costs more than another point of the same curve and is no better stays out: a line that goes
 * back in time would only confuse. */
static void add_line(Lines *lines, const SolverCurve *curve, const char *name, int style,
                     bool dashed)
{
    int n = 0, l = lines->count;
    for (int i = 0; i < curve->count; i++) {
        const ReplayFigures *p = &curve->points[i];
        if (!isfinite(p->aav)) continue;
        while (n > 0 && lines->ms[l][n - 1] >= p->solver_ms && lines->aav[l][n - 1] <= p->aav) n--;
        if (n > 0 && lines->ms[l][n - 1] >= p->solver_ms) continue;
        lines->ms[l][n] = p->solver_ms;
        lines->aav[l][n++] = p->aav;
    }
    if (!n) return;
    lines->series[lines->count++] = (PlotSeries){.name = name,
                                                 .x = lines->ms[l],
                                                 .y = lines->aav[l],
                                                 .count = n,
                                                 .style = style,
                                                 .dashed = dashed};
}

static Plot scene_panel(Lines *lines, const TableScene *scene)
{
    const TablePart *defaults = &scene->parts[CONFIG_DEFAULTS],
                    *paper = &scene->parts[CONFIG_PAPER];
    lines->count = 0;
    for (int s = CURVE_COUNT - 1; s >= 0; s--)
        if (defaults->measured[s])
            add_line(lines, &defaults->curves[s], curve_label(s), CURVE_COUNT - s, false);
    if (paper->measured[PAPER_SUBADMM])
        add_line(lines, &paper->curves[PAPER_SUBADMM], "SubADMM, paper",
                 CURVE_COUNT - PAPER_SUBADMM, true);
    double least = INFINITY, most = -INFINITY;
    for (int l = 0; l < lines->count; l++)
        for (int i = 0; i < lines->series[l].count; i++) {
            least = fmin(least, lines->aav[l][i]);
            most = fmax(most, lines->aav[l][i]);
        }
    return (Plot){.title = scene->name,
                  .x = {.label = "solver time per step, ms", .scale = PLOT_LOG},
                  .y = {.label = "AAv: digits of the velocity",
                        .lower = floor(least),
                        .upper = fmin(ceil(most), MOST_SHOWN)},
                  .series = lines->series,
                  .series_count = lines->count};
}

int table_plot(const char *path, const Table *table, bool quiet)
{
    Plot panels[PLOT_MAX_PANELS];
    Lines *lines = calloc((size_t)table->scene_count, sizeof *lines);
    int count = 0, code = 0;
    for (int i = 0; lines && i < table->scene_count && count < PLOT_MAX_PANELS; i++) {
        panels[count] = scene_panel(&lines[i], &table->scenes[i]);
        count += lines[i].count > 0;
    }
    PlotFigure figure = {.title = "Accuracy against time, all from the same states",
                         .width = 440 * count,
                         .height = 440,
                         .panels = panels,
                         .panel_count = count};
    if (lines) code = save_plot("table", path, &figure, quiet);
    free(lines);
    return lines ? code : 4;
}
