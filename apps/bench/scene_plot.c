/* Figures of the benchmarks; see scene_plot.h. */
#include "scene_plot.h"

#include "../common/app.h"
#include "../common/options.h"
#include "../common/plot_file.h"
#include "own_solvers.h"

#include <math.h>
#include <string.h>

enum { PHASES = 6, VARIANTS = 4, ACCURACIES = 3, VARIANT_NAME = 32 };

static bool same_division(const Measure *a, const Measure *b)
{
    return a->def.division.kind == b->def.division.kind &&
           a->def.division.group_size == b->def.division.group_size;
}

static bool same_weights(const Measure *a, const Measure *b)
{
    return has_paper_weights(&a->def.solver) == has_paper_weights(&b->def.solver);
}

/* Runs that differ in their iterations alone are one variant; its number. */
static int variant_of(const Measure *runs, int run)
{
    int variant = 0;
    for (int i = 0; i < run; i++) {
        bool repeated = false;
        if (same_division(&runs[i], &runs[run]) && same_weights(&runs[i], &runs[run])) break;
        for (int j = 0; j < i; j++)
            repeated =
                repeated || (same_division(&runs[i], &runs[j]) && same_weights(&runs[i], &runs[j]));
        variant += !repeated;
    }
    return variant < VARIANTS ? variant : VARIANTS - 1;
}

/* Told by its weights, or by its division where there are several. */
static void name_variant(const Measure *runs, int run_count, int run, char name[VARIANT_NAME])
{
    char division[DIVISION_NAME_SIZE];
    bool divisions = false, weights = false;
    for (int i = 1; i < run_count; i++) {
        divisions = divisions || !same_division(&runs[i], &runs[0]);
        weights = weights || !same_weights(&runs[i], &runs[0]);
    }
    snprintf(name, VARIANT_NAME, "%s%s%s",
             divisions ? division_name(NULL, runs[run].def.division, division) : "",
             divisions && weights ? " " : "",
             weights || !divisions ? weights_name(&runs[run].def.solver) : "");
}

/* One bar per run, a stack of its phases. */
typedef struct PhaseTimes {
    double ms[PHASES][BENCH_MAX_RUNS];
    char labels[BENCH_MAX_RUNS][48];
    const char *categories[BENCH_MAX_RUNS];
    PlotSeries series[PHASES];
} PhaseTimes;

static Plot phase_panel(PhaseTimes *t, const Measure *runs, int run_count)
{
    static const char *const names[PHASES] = {"dynamics", "collision", "constraint",
                                              "factor",   "iterate",   "integrate"};
    for (int i = 0; i < run_count; i++) {
        const TnStepTimes *s = &runs[i].times;
        const double seconds[PHASES] = {s->dynamics, s->collision, s->constraint,
                                        s->factor,   s->iterate,   s->integrate};
        for (int k = 0; k < PHASES; k++) t->ms[k][i] = 1e3 * seconds[k];
        char name[VARIANT_NAME];
        name_variant(runs, run_count, i, name);
        snprintf(t->labels[i], sizeof t->labels[i], "%s %d", name, runs[i].def.solver.iterations);
        t->categories[i] = t->labels[i];
    }
    for (int k = 0; k < PHASES; k++)
        t->series[k] =
            (PlotSeries){.name = names[k], .kind = PLOT_BARS, .y = t->ms[k], .count = run_count};
    return (Plot){.x.label = "variant and iterations",
                  .y.label = "time per step, ms",
                  .series = t->series,
                  .series_count = PHASES,
                  .categories = t->categories,
                  .category_count = run_count,
                  .stacked = true};
}

/* One line per kind of accuracy and variant: a colour for the one, dashes for all but the first
 * variant. */
typedef struct AccuracyLines {
    double iterations[VARIANTS][BENCH_MAX_RUNS];
    double accuracy[VARIANTS][ACCURACIES][BENCH_MAX_RUNS];
    int count[VARIANTS];
    char variants[VARIANTS][VARIANT_NAME], names[VARIANTS][ACCURACIES][48];
    PlotSeries series[VARIANTS * ACCURACIES];
} AccuracyLines;

static bool any_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (isfinite(values[i])) return true;
    return false;
}

/* False where no run had anything to measure. */
static bool accuracy_panel(AccuracyLines *a, const Measure *runs, int run_count, Plot *plot)
{
    static const char *const kinds[ACCURACIES] = {"AAc", "AA\u03bb", "AAv"};
    int lines = 0;
    for (int i = 0; i < run_count; i++) {
        int w = variant_of(runs, i), n = a->count[w]++;
        name_variant(runs, run_count, i, a->variants[w]);
        a->iterations[w][n] = runs[i].def.solver.iterations;
        a->accuracy[w][0][n] = runs[i].aac;
        a->accuracy[w][1][n] = runs[i].aal;
        a->accuracy[w][2][n] = runs[i].aav;
    }
    for (int w = 0; w < VARIANTS; w++)
        for (int k = 0; k < ACCURACIES; k++) {
            if (!any_finite(a->accuracy[w][k], a->count[w])) continue;
            snprintf(a->names[w][k], sizeof a->names[w][k], "%s, %s", kinds[k], a->variants[w]);
            a->series[lines++] = (PlotSeries){.name = a->names[w][k],
                                              .x = a->iterations[w],
                                              .y = a->accuracy[w][k],
                                              .count = a->count[w],
                                              .style = k + 1,
                                              .dashed = w > 0};
        }
    *plot = (Plot){.x.label = "iterations per step",
                   .y.label = "accuracy: \u2212log\u2081\u2080 of the RMS error, m/s",
                   .series = a->series,
                   .series_count = lines};
    return lines > 0;
}

int plot_scene(const char *path, const char *scene, const Measure *runs, int run_count)
{
    char title[256];
    PhaseTimes times = {0};
    AccuracyLines lines = {0};
    Plot panels[2] = {phase_panel(&times, runs, run_count)};
    int panel_count = 1 + accuracy_panel(&lines, runs, run_count, &panels[1]);
    const char *slash = strrchr(scene, '/');
    snprintf(title, sizeof title, "%.160s: time and accuracy, %d thread%s",
             slash ? slash + 1 : scene, runs[0].def.thread_count,
             runs[0].def.thread_count == 1 ? "" : "s");
    PlotFigure figure = {.title = title,
                         .width = panel_count * 480,
                         .height = 400,
                         .panels = panels,
                         .panel_count = panel_count};
    return save_plot("scene", path, &figure, false);
}
