/* tenon bench scaling: time per step of growing piles of spheres, or of growing cables, and how straight
 * the line through them is. */
#include "app.h"
#include "bench.h"
#include "bench_plot.h"
#include "json.h"
#include "long_cable.h"
#include "options.h"
#include "pile.h"
#include "plot_file.h"

#include <math.h>
#include <string.h>

enum { MAX_SIZE = 1000000 };
typedef enum Subject { SPHERES, CABLE } Subject;
static const char *const subject_names[] = {"spheres", "cable", NULL};
/* What there are more and more of; the cable's with its bars. */
static const char *const unit_names[] = {"sphere", "segment"};

typedef struct ScalingOptions {
    NumberList sizes;
    int of; /* Subject */
    int iterations, threads, settle, steps;
    TnDivisionDef division;
    BenchCommon common;
} ScalingOptions;

static int option_table(Option *table, ScalingOptions *o)
{
    int n = 0;
    table[n++] = option_choice("--of", &o->of, "WHAT", subject_names, "spheres (default) or cable");
    table[n++] = option_ints("--sizes", &o->sizes, "LIST", 1, MAX_SIZE,
                             "spheres: default 216,1000,4096,13824,50000; or segments, at least "
                             "2: default 160,320,...,20480");
    table[n++] = option_int("--iterations", &o->iterations, "N", 1, 1000000,
                            "per step, 1 ... 1000000; default 60");
    table[n++] = option_int("--threads", &o->threads, "N", 1, 64, "1 ... 64; default 1");
    table[n++] = option_division(&o->division);
    table[n++] = option_int("--settle", &o->settle, "N", 0, 1000000,
                            "steps before the measured ones; default 100");
    table[n++] = option_int("--steps", &o->steps, "N", 1, 1000000, "measured steps; default 20");
    return bench_option_table(table, n, &o->common, "timed passes, 1 ... 1000; default 1");
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon bench scaling [OPTIONS]\n\n"
        "Builds piles of spheres (1 cm, 4 g) in an open box by C calls, lets them settle, and\n"
        "measures the time per step. R\u00b2 is that of the straight line through time over "
        "spheres: 1\n"
        "where the cost is in proportion to the size. Each step counts with its shortest time of\n"
        "--repeats passes; every pass settles the pile again. --plot draws time per step over\n"
        "spheres on logarithmic axes with the fitted exponent, and the time per sphere.\n\n"
        "--of cable: cables of 1 cm long, 8 mm thick segments that lie on a row of bars, one\n"
        "under every tenth segment, so that about as many touch as in scenes/cable.xml; their\n"
        "ends are held.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon bench scaling\n"
           "  tenon bench scaling --sizes 216,1000,4096 --threads 2 --json\n"
           "  tenon bench scaling --of cable --repeats 3\n"
           "  tenon bench scaling --plot out/scaling.svg\n");
}

static int measure_size(const ScalingOptions *o, int size, Measure *m)
{
    TnError err = {0};
    char label[64];
    snprintf(label, sizeof label, "%d %ss", size, unit_names[o->of]);
    *m = (Measure){.def = tn_world_def(),
                   .settle = o->settle,
                   .steps = o->steps,
                   .repeats = o->common.repeats,
                   .quiet = o->common.quiet,
                   .label = label};
    m->def.thread_count = o->threads;
    m->def.solver.iterations = o->iterations;
    m->def.division = o->division;
    TnModel *model = o->of == CABLE ? long_cable_model(size, &err) : pile_model(size, &err);
    bool fine = model && measure(model, m, &err) == TN_OK;
    tn_model_destroy(model);
    m->label = NULL;
    if (!fine) say("bench scaling", "%s", err.message);
    return fine ? EXIT_FINE : code_of(&err);
}

static void print_table(const ScalingOptions *o, const double *sizes, const Measure *runs,
                        const PlotFitResult *line)
{
    static const char *const headings[] = {"contacts", "step ms", "solver ms", NULL,
                                           "ns/c/i",   "AAc",     "diverged"};
    Grid grid;
    grid_start(&grid, 8);
    grid_add(&grid, "%ss", unit_names[o->of]);
    for (int i = 0; i < 7; i++)
        if (headings[i])
            grid_add(&grid, "%s", headings[i]);
        else
            grid_add(&grid, "\u00b5s/%s", unit_names[o->of]);
    for (int i = 0; i < o->sizes.count; i++) {
        const Measure *m = &runs[i];
        grid_number(&grid, 0, sizes[i]);
        grid_number(&grid, 1, m->contacts_mean);
        grid_number(&grid, 4, 1e3 * m->times.total);
        grid_number(&grid, 4, solver_ms(m));
        grid_number(&grid, 4, 1e6 * m->times.total / sizes[i]);
        grid_number(&grid, 2, ns_per_contact_iteration(m));
        grid_number(&grid, 3, m->aac);
        grid_add(&grid, "%s", m->diverged ? "yes" : "no");
    }
    printf("%s, %d iterations, %d steps after %d, threads %d\n",
           o->of == CABLE ? "cables on bars" : "piles of spheres", o->iterations, o->steps,
           o->settle, o->threads);
    grid_print(stdout, &grid);
    if (o->sizes.count > 1)
        printf("  linear fit: %.4f \u00b5s per %s, R\u00b2 %.5f\n", 1e6 * line->b,
               unit_names[o->of], line->r_squared);
}

static void print_json(const ScalingOptions *o, const double *sizes, const Measure *runs,
                       const PlotFitResult *line)
{
    bool diverged = false, deterministic = true;
    bool cable = o->of == CABLE;
    for (int i = 0; i < o->sizes.count; i++) {
        diverged = diverged || runs[i].diverged;
        deterministic = deterministic && runs[i].deterministic;
    }
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "scene", "scaling");
    json_string(&json, "of", subject_names[o->of]);
    json_string(&json, "solver", "subadmm");
    json_integer(&json, "iterations", o->iterations);
    json_integer(&json, "threads", o->threads);
    json_integer(&json, "settle", o->settle);
    json_integer(&json, "steps", o->steps);
    json_integer(&json, "repeats", o->common.repeats);
    json_number(&json, "r_squared", line->r_squared);
    json_number(&json, cable ? "slope_us_per_segment" : "slope_us_per_sphere", 1e6 * line->b);
    json_number(&json, "intercept_ms", 1e3 * line->a);
    json_bool(&json, "diverged", diverged);
    json_bool(&json, "deterministic", deterministic);
    json_begin_array(&json, "runs");
    for (int i = 0; i < o->sizes.count; i++) {
        const Measure *m = &runs[i];
        json_begin_object(&json, NULL);
        json_number(&json, cable ? "segments" : "spheres", sizes[i]);
        json_number(&json, "dof", 6 * sizes[i]);
        json_integer(&json, "subsystems", m->subsystems);
        json_number(&json, "contacts_mean", m->contacts_mean);
        json_number(&json, "step_ms_mean", 1e3 * m->times.total);
        json_number(&json, "solver_ms_mean", solver_ms(m));
        json_number(&json, "dynamics_ms_mean", 1e3 * m->times.dynamics);
        json_number(&json, "collision_ms_mean", 1e3 * m->times.collision);
        json_number(&json, "constraint_ms_mean", 1e3 * m->times.constraint);
        json_number(&json, "factor_ms_mean", 1e3 * m->times.factor);
        json_number(&json, "iterate_ms_mean", 1e3 * m->times.iterate);
        json_number(&json, "integrate_ms_mean", 1e3 * m->times.integrate);
        json_number(&json, cable ? "us_per_segment" : "us_per_sphere",
                    1e6 * m->times.total / sizes[i]);
        json_number(&json, "us_per_iteration", us_per_iteration(m));
        json_number(&json, "ns_per_contact_iteration", ns_per_contact_iteration(m));
        json_number(&json, "aac", m->aac);
        json_number(&json, "aal", m->aal);
        json_number(&json, "penetration_max_m", m->max_penetration);
        json_bool(&json, "diverged", m->diverged);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static int scaling(const ScalingOptions *o)
{
    Measure runs[BENCH_MAX_RUNS];
    double seconds[BENCH_MAX_RUNS];
    int code = EXIT_FINE;
    for (int i = 0; i < o->sizes.count; i++) {
        int failed = measure_size(o, (int)o->sizes.values[i], &runs[i]);
        if (failed) return failed;
        seconds[i] = runs[i].times.total;
        if (runs[i].diverged) code = EXIT_DIVERGED;
        if (!runs[i].deterministic)
            say("bench scaling", "repeats of the same simulation differ: please report this");
    }
    PlotFitResult line = plot_fit(PLOT_FIT_LINEAR, o->sizes.values, seconds, o->sizes.count);
    if (o->common.json)
        print_json(o, o->sizes.values, runs, &line);
    else
        print_table(o, o->sizes.values, runs, &line);
    /* after the results, which are worth more than their picture */
    int plotted = EXIT_FINE;
    if (o->common.plot)
        plotted =
            plot_scaling(o->common.plot, unit_names[o->of], o->sizes.values, runs, o->sizes.count);
    return code != EXIT_FINE ? code : plotted;
}

static int check_and_scale(ScalingOptions *o)
{
    static const double pile_sizes[] = {216, 1000, 4096, 13824, 50000};
    static const double cable_sizes[] = {160, 320, 640, 1280, 2560, 5120, 10240, 20480};
    if (o->sizes.count > BENCH_MAX_RUNS) {
        say("bench scaling", "--sizes: at most %d", BENCH_MAX_RUNS);
        return EXIT_USAGE;
    }
    if (!bench_plot_is_file("bench scaling", &o->common)) return EXIT_USAGE;
    for (int i = 0; i < o->sizes.count && o->of == CABLE; i++)
        if (o->sizes.values[i] < 2) {
            say("bench scaling", "--sizes: a cable has at least 2 segments");
            return EXIT_USAGE;
        }
    bool fine = o->of == CABLE ? number_list_default(&o->sizes, cable_sizes, 8)
                               : number_list_default(&o->sizes, pile_sizes, 5);
    return fine ? scaling(o) : EXIT_IO;
}

int cmd_bench_scaling(int argc, char **argv)
{
    ScalingOptions o = {
        .iterations = 60, .threads = 1, .settle = 100, .steps = 20, .common.repeats = 1};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("bench scaling", table, count, print_help, NULL, NULL, argc, argv, &code))
        code = check_and_scale(&o);
    number_list_free(&o.sizes);
    return code;
}
