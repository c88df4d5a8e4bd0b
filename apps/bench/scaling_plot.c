/* The figure of `tenon-bench scaling`; see scaling_report.h. */
#include "../common/plot_file.h"
#include "scaling_report.h"

#include <math.h>

/* Time per step, and time per unit. */
static int plot_one(const char *path, const ScalingRun *run)
{
    const char *unit = subjects[run->of].unit;
    const double *sizes = run->sizes;
    const Measure *runs = run->runs;
    int run_count = run->count;
    double ms[BENCH_MAX_RUNS], us[3][BENCH_MAX_RUNS], most = 0;
    char title[160], units[48], per_unit[64];
    snprintf(units, sizeof units, "%ss", unit);
    snprintf(per_unit, sizeof per_unit, "time per step and %s, \u00b5s", unit);
    for (int i = 0; i < run_count; i++) {
        const TnStepTimes *t = &runs[i].times;
        ms[i] = 1e3 * t->total;
        us[0][i] = 1e6 * t->total / sizes[i];
        us[1][i] = 1e6 * (t->factor + t->iterate) / sizes[i];
        us[2][i] = 1e6 * t->collision / sizes[i];
        most = fmax(most, us[0][i]);
    }
    PlotSeries step = {.name = "step",
                       .kind = PLOT_SCATTER,
                       .x = sizes,
                       .y = ms,
                       .count = run_count,
                       .fit = PLOT_FIT_POWER};
    PlotSeries parts[3] = {
        {.name = "step", .x = sizes, .y = us[0], .count = run_count},
        {.name = "factor and iterate", .x = sizes, .y = us[1], .count = run_count},
        {.name = "collision", .x = sizes, .y = us[2], .count = run_count}};
    PlotAxis size = {.label = units, .scale = PLOT_LOG};
    Plot panels[2] = {{.x = size,
                       .y = {.label = "time per step, ms", .scale = PLOT_LOG},
                       .series = &step,
                       .series_count = 1},
                      {.x = size, /* from zero: the eye compares heights */
                       .y = {.label = per_unit, .upper = 1.1 * most},
                       .series = parts,
                       .series_count = 3}};
    snprintf(title, sizeof title, "Growing number of %s: %d iterations, %d thread%s", units,
             runs[0].def.solver.iterations, runs[0].def.thread_count,
             runs[0].def.thread_count == 1 ? "" : "s");
    PlotFigure figure = {
        .title = title, .width = 960, .height = 400, .panels = panels, .panel_count = 2};
    return save_plot("scaling", path, &figure, false);
}

/* A panel per subject. */
static int plot_several(const char *path, const Scaling *scaling)
{
    enum { MOST = 2 };
    double ms[MOST][2][BENCH_MAX_RUNS];
    char titles[MOST][96];
    PlotSeries series[MOST][2];
    Plot panels[MOST];
    for (int k = 0; k < scaling->count; k++) {
        const ScalingRun *run = &scaling->runs[k];
        for (int i = 0; i < run->count; i++) {
            ms[k][0][i] = 1e3 * run->runs[i].times.total;
            ms[k][1][i] = solver_ms(&run->runs[i]);
        }
        for (int j = 0; j < 2; j++)
            series[k][j] = (PlotSeries){.name = j ? "factor and iterate" : "step",
                                        .kind = PLOT_SCATTER,
                                        .x = run->sizes,
                                        .y = ms[k][j],
                                        .count = run->count,
                                        .fit = PLOT_FIT_POWER};
        snprintf(titles[k], sizeof titles[k], "%s: straight line with R\u00b2 %.4f",
                 subjects[run->of].title, run->line.r_squared);
        panels[k] = (Plot){.title = titles[k],
                           .x = {.label = subjects[run->of].units, .scale = PLOT_LOG},
                           .y = {.label = "time per step, ms", .scale = PLOT_LOG},
                           .series = series[k],
                           .series_count = 2};
    }
    char title[160];
    snprintf(title, sizeof title, "Cost against size: %d iterations, %d thread%s",
             scaling->runs[0].iterations, scaling->runs[0].threads,
             scaling->runs[0].threads == 1 ? "" : "s");
    PlotFigure figure = {.title = title,
                         .width = 480 * scaling->count,
                         .height = 420,
                         .panels = panels,
                         .panel_count = scaling->count};
    return save_plot("scaling", path, &figure, false);
}

int scaling_plot(const char *path, const Scaling *scaling)
{
    return scaling->count > 1 ? plot_several(path, scaling) : plot_one(path, &scaling->runs[0]);
}
