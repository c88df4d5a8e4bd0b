/* tenon bench scaling: time per step of growing piles of spheres, growing cables or ever finer soft
 * beams, and how straight the line through them is; of beams the exponents of time and memory. */
#include "app.h"
#include "bench.h"
#include "bench_plot.h"
#include "json.h"
#include "long_cable.h"
#include "options.h"
#include "pile.h"
#include "plot_file.h"
#include "soft_beam.h"

#include <math.h>
#include <string.h>

enum { MAX_SIZE = 1000000 };
typedef enum Subject { SPHERES, CABLE, BEAM } Subject;
static const char *const subject_names[] = {"spheres", "cable", "beam", NULL};

/* What is measured: `units` is what there is more and more of (the cable's with its bars). Steps are
 * those of the command line's defaults; a large beam takes seconds for one. */
static const struct {
    const char *unit, *units, *title;
    TnModel *(*model)(int size, TnError *err);
    int least, settle, steps;
    int size_count;
    double sizes[8];
} subjects[] = {
    {"sphere",
     "spheres",
     "piles of spheres",
     pile_model,
     1,
     100,
     20,
     5,
     {216, 1000, 4096, 13824, 50000}},
    {"segment",
     "segments",
     "cables on bars",
     long_cable_model,
     2,
     100,
     20,
     8,
     {160, 320, 640, 1280, 2560, 5120, 10240, 20480}},
    {"element",
     "elements",
     "beams on a shelf",
     soft_beam_model,
     6,
     2,
     3,
     6,
     {1000, 3000, 10000, 30000, 100000, 200000}},
};

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
    table[n++] =
        option_choice("--of", &o->of, "WHAT", subject_names, "spheres (default), cable or beam");
    table[n++] = option_ints("--sizes", &o->sizes, "LIST", 1, MAX_SIZE,
                             "spheres: default 216,1000,4096,13824,50000; segments, at least 2: "
                             "default 160,320,...,20480; or elements, at least 6: default "
                             "1000,3000,10000,30000,100000,200000");
    table[n++] = option_int("--iterations", &o->iterations, "N", 1, 1000000,
                            "per step, 1 ... 1000000; default 60");
    table[n++] = option_int("--threads", &o->threads, "N", 1, 64, "1 ... 64; default 1");
    table[n++] = option_division(&o->division);
    table[n++] = option_int("--settle", &o->settle, "N", 0, 1000000,
                            "steps before the measured ones; default 100, beam: 2");
    table[n++] =
        option_int("--steps", &o->steps, "N", 1, 1000000, "measured steps; default 20, beam: 3");
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
        "ends are held.\n\n"
        "--of beam: the beam of scenes/beam.xml in ever finer cells, one end held, the last tenth "
        "of\n"
        "it on a shelf; the mesh has about as many elements as asked for. Time and memory are\n"
        "fitted by powers of the elements.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon bench scaling\n"
           "  tenon bench scaling --sizes 216,1000,4096 --threads 2 --json\n"
           "  tenon bench scaling --of cable --repeats 3\n"
           "  tenon bench scaling --of beam --sizes 1000,10000,100000\n"
           "  tenon bench scaling --plot out/scaling.svg\n");
}

/* `*size`: asked for, and then what the model has. */
static int measure_size(const ScalingOptions *o, double *size, Measure *m)
{
    TnError err = {0};
    char label[64];
    snprintf(label, sizeof label, "%.0f %s", *size, subjects[o->of].units);
    *m = (Measure){.def = tn_world_def(),
                   .settle = o->settle,
                   .steps = o->steps,
                   .repeats = o->common.repeats,
                   .quiet = o->common.quiet,
                   .label = label};
    m->def.thread_count = o->threads;
    m->def.solver.iterations = o->iterations;
    m->def.solver.tolerance = 0; /* what is compared is the cost of a fixed count */
    m->def.division = o->division;
    size_t before = heap_in_use();
    TnModel *model = subjects[o->of].model((int)*size, &err);
    m->memory_before = before;
    bool fine = model && measure(model, m, &err) == TN_OK;
    if (model) m->dof = tn_model_info(model).dof_count;
    if (model && o->of == BEAM) *size = tn_model_soft_info(model, 1).tet_count;
    tn_model_destroy(model);
    m->label = NULL;
    if (!fine) say("bench scaling", "%s", err.message);
    return fine ? EXIT_FINE : code_of(&err);
}

/* Powers y = a x^b of time and memory, and the straight line through time. */
typedef struct Fits {
    PlotFitResult line, time, memory;
} Fits;

static Fits fit_all(const double *sizes, const Measure *runs, int count)
{
    double seconds[BENCH_MAX_RUNS], bytes[BENCH_MAX_RUNS];
    for (int i = 0; i < count; i++) {
        seconds[i] = runs[i].times.total;
        bytes[i] = (double)runs[i].memory;
    }
    return (Fits){plot_fit(PLOT_FIT_LINEAR, sizes, seconds, count),
                  plot_fit(PLOT_FIT_POWER, sizes, seconds, count),
                  plot_fit(PLOT_FIT_POWER, sizes, bytes, count)};
}

static void print_table(const ScalingOptions *o, const double *sizes, const Measure *runs,
                        const Fits *fits)
{
    Grid grid;
    bool beam = o->of == BEAM;
    const char *unit = subjects[o->of].unit;
    grid_start(&grid, beam ? 11 : 8);
    grid_add(&grid, "%s", subjects[o->of].units);
    if (beam) grid_add(&grid, "unknowns");
    grid_add(&grid, "contacts");
    grid_add(&grid, "step ms");
    if (beam) grid_add(&grid, "dynamics");
    grid_add(&grid, "solver ms");
    grid_add(&grid, "\u00b5s/%s", unit);
    grid_add(&grid, "ns/c/i");
    if (beam) grid_add(&grid, "MB");
    grid_add(&grid, "AAc");
    grid_add(&grid, "diverged");
    for (int i = 0; i < o->sizes.count; i++) {
        const Measure *m = &runs[i];
        grid_number(&grid, 0, sizes[i]);
        if (beam) grid_number(&grid, 0, m->dof);
        grid_number(&grid, 1, m->contacts_mean);
        grid_number(&grid, 4, 1e3 * m->times.total);
        if (beam) grid_number(&grid, 4, 1e3 * m->times.dynamics);
        grid_number(&grid, 4, solver_ms(m));
        grid_number(&grid, 4, 1e6 * m->times.total / sizes[i]);
        grid_number(&grid, 2, ns_per_contact_iteration(m));
        if (beam) grid_number(&grid, 1, 1e-6 * (double)m->memory);
        grid_number(&grid, 3, m->aac);
        grid_add(&grid, "%s", m->diverged ? "yes" : "no");
    }
    printf("%s, %d iterations, %d steps after %d, threads %d\n", subjects[o->of].title,
           o->iterations, o->steps, o->settle, o->threads);
    grid_print(stdout, &grid);
    if (o->sizes.count < 2) return;
    if (beam)
        printf("  time grows with elements to the power of %.3f (R\u00b2 %.4f), memory %.3f "
               "(R\u00b2 %.4f)\n",
               fits->time.b, fits->time.r_squared, fits->memory.b, fits->memory.r_squared);
    else
        printf("  linear fit: %.4f \u00b5s per %s, R\u00b2 %.5f\n", 1e6 * fits->line.b, unit,
               fits->line.r_squared);
}

static void print_json(const ScalingOptions *o, const double *sizes, const Measure *runs,
                       const Fits *fits)
{
    bool diverged = false, deterministic = true;
    char slope[48], per_unit[48];
    snprintf(slope, sizeof slope, "slope_us_per_%s", subjects[o->of].unit);
    snprintf(per_unit, sizeof per_unit, "us_per_%s", subjects[o->of].unit);
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
    json_number(&json, "r_squared", fits->line.r_squared);
    json_number(&json, slope, 1e6 * fits->line.b);
    json_number(&json, "intercept_ms", 1e3 * fits->line.a);
    json_number(&json, "time_exponent", fits->time.b);
    json_number(&json, "time_exponent_r_squared", fits->time.r_squared);
    json_number(&json, "memory_exponent", fits->memory.b);
    json_number(&json, "memory_exponent_r_squared", fits->memory.r_squared);
    json_bool(&json, "diverged", diverged);
    json_bool(&json, "deterministic", deterministic);
    json_begin_array(&json, "runs");
    for (int i = 0; i < o->sizes.count; i++) {
        const Measure *m = &runs[i];
        json_begin_object(&json, NULL);
        json_number(&json, subjects[o->of].units, sizes[i]);
        json_integer(&json, "dof", m->dof);
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
        json_number(&json, per_unit, 1e6 * m->times.total / sizes[i]);
        json_number(&json, "us_per_iteration", us_per_iteration(m));
        json_number(&json, "ns_per_contact_iteration", ns_per_contact_iteration(m));
        json_number(&json, "aac", m->aac);
        json_number(&json, "aal", m->aal);
        json_number(&json, "penetration_max_m", m->max_penetration);
        json_number(&json, "memory_mb", 1e-6 * (double)m->memory);
        json_bool(&json, "diverged", m->diverged);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static int scaling(const ScalingOptions *o)
{
    Measure runs[BENCH_MAX_RUNS];
    double sizes[BENCH_MAX_RUNS];
    int code = EXIT_FINE;
    for (int i = 0; i < o->sizes.count; i++) {
        sizes[i] = o->sizes.values[i];
        int failed = measure_size(o, &sizes[i], &runs[i]);
        if (failed) return failed;
        if (runs[i].diverged) code = EXIT_DIVERGED;
        if (!runs[i].deterministic)
            say("bench scaling", "repeats of the same simulation differ: please report this");
    }
    Fits fits = fit_all(sizes, runs, o->sizes.count);
    if (o->common.json)
        print_json(o, sizes, runs, &fits);
    else
        print_table(o, sizes, runs, &fits);
    /* after the results, which are worth more than their picture */
    int plotted = EXIT_FINE;
    if (o->common.plot)
        plotted = plot_scaling(o->common.plot, subjects[o->of].unit, sizes, runs, o->sizes.count);
    return code != EXIT_FINE ? code : plotted;
}

static int check_and_scale(ScalingOptions *o)
{
    int least = subjects[o->of].least;
    if (o->sizes.count > BENCH_MAX_RUNS) {
        say("bench scaling", "--sizes: at most %d", BENCH_MAX_RUNS);
        return EXIT_USAGE;
    }
    if (!bench_plot_is_file("bench scaling", &o->common)) return EXIT_USAGE;
    for (int i = 0; i < o->sizes.count; i++)
        if (o->sizes.values[i] < least) {
            say("bench scaling", "--sizes: a %s has at least %d %s", subject_names[o->of], least,
                subjects[o->of].units);
            return EXIT_USAGE;
        }
    if (o->settle < 0) o->settle = subjects[o->of].settle;
    if (o->steps < 0) o->steps = subjects[o->of].steps;
    if (!number_list_default(&o->sizes, subjects[o->of].sizes, subjects[o->of].size_count))
        return EXIT_IO;
    return scaling(o);
}

int cmd_bench_scaling(int argc, char **argv)
{
    ScalingOptions o = {
        .iterations = 60, .threads = 1, .settle = -1, .steps = -1, .common.repeats = 1};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("bench scaling", table, count, print_help, NULL, NULL, argc, argv, &code))
        code = check_and_scale(&o);
    number_list_free(&o.sizes);
    return code;
}
