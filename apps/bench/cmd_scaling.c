/* tenon-bench scaling: time per step of growing piles of spheres, growing cables or ever finer soft
 * beams, and how straight the line through them is; of beams the exponents of time and memory. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/output_file.h"
#include "bench.h"
#include "commands.h"
#include "scaling_report.h"

#include <string.h>

enum { MAX_SIZE = 1000000, BOTH = SUBJECT_COUNT };
static const char *const subject_names[] = {"spheres", "cable", "beam", "both", NULL};

typedef struct ScalingOptions {
    NumberList sizes;
    int of; /* Subject, or BOTH: spheres and cable */
    int iterations, threads, settle, steps;
    TnDivisionDef division;
    BenchCommon common;
    const char *csv, *json;
} ScalingOptions;

static int option_table(Option *table, ScalingOptions *o)
{
    int n = 0;
    table[n++] = option_choice("--of", &o->of, "WHAT", subject_names,
                               "what grows: spheres, cable, beam, or both of the first two "
                               "(default)");
    table[n++] = option_ints("--sizes", &o->sizes, "LIST", 1, MAX_SIZE,
                             "numbers of spheres (default 216,1000,4096,13824,50000), segments "
                             "(default 160,320,...,20480) or elements (default "
                             "1000,3000,10000,30000,100000,200000); needs --of");
    table[n++] = option_int("--iterations", &o->iterations, "N", 1, 1000000,
                            "iterations per step, 1 ... 1000000; default 60");
    table[n++] =
        option_int("--threads", &o->threads, "N", 1, 64, "number of threads, 1 ... 64; default 1");
    table[n++] = option_division(&o->division);
    table[n++] = option_int("--settle", &o->settle, "N", 0, 1000000,
                            "steps before measuring starts; default 100, beam: 2");
    table[n++] = option_int("--steps", &o->steps, "N", 1, 1000000,
                            "number of measured steps; default 20, beam: 3");
    table[n++] = option_text("--csv", &o->csv, "FILE", "write a line per size to a CSV file");
    n = bench_option_table(table, n, &o->common, "timed passes, 1 ... 1000; default 1");
    for (int i = 0; i < n; i++)
        if (!strcmp(table[i].name, "--json"))
            table[i] = option_output("--json", &o->json, "FILE.json",
                                     "print one JSON object instead of the table, or write it to a "
                                     "file");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench scaling [OPTIONS]\n"
        "\n"
        "Measures the time per step of growing models, built by C calls. R\u00b2 is that of the\n"
        "straight line through time over size: 1 if the cost is proportional to the size. Each\n"
        "step counts with its shortest time of --repeats passes. --plot draws time against size\n"
        "on logarithmic axes with the fitted exponent, and the time per unit.\n\n"
        "  spheres  piles of 1 cm, 4 g spheres in an open box, after they have settled\n"
        "  cable    segments of 1 cm length and 8 mm diameter on a row of bars, one under every\n"
        "           tenth segment, as dense in contacts as scenes/cable.xml; both ends held\n"
        "  beam     the soft beam of scenes/beam.xml in finer and finer cells, one end held, the\n"
        "           last tenth on a shelf; time and memory are fitted by powers of the elements\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon-bench scaling\n"
           "  tenon-bench scaling --of spheres --sizes 216,1000,4096 --threads 2 --json\n"
           "  tenon-bench scaling --of cable --repeats 3\n"
           "  tenon-bench scaling --of beam --sizes 1000,10000,100000\n"
           "  tenon-bench scaling --plot out/scaling.svg\n");
}

/* `*size`: asked for, and then what the model has. */
static int measure_size(const ScalingOptions *o, Subject of, double *size, Measure *m)
{
    TnError err = {0};
    char label[64];
    snprintf(label, sizeof label, "%.0f %s", *size, subjects[of].units);
    *m = (Measure){.def = tn_world_def(),
                   .settle = o->settle < 0 ? subjects[of].settle : o->settle,
                   .steps = o->steps < 0 ? subjects[of].steps : o->steps,
                   .repeats = o->common.repeats,
                   .quiet = o->common.quiet,
                   .label = label};
    m->def.thread_count = o->threads;
    m->def.solver.iterations = o->iterations;
    m->def.solver.tolerance = 0; /* what is compared is the cost of a fixed count */
    m->def.division = o->division;
    size_t before = heap_in_use();
    TnModel *model = subjects[of].model((int)*size, &err);
    m->memory_before = before;
    bool fine = model && measure(model, m, &err) == TN_OK;
    if (model) m->dof = tn_model_info(model).dof_count;
    if (model && of == BEAM) *size = tn_model_soft_info(model, 1).tet_count;
    tn_model_destroy(model);
    m->label = NULL;
    if (!fine) say("scaling", "%s", err.message);
    return fine ? EXIT_FINE : code_of(&err);
}

static int measure_subject(const ScalingOptions *o, Subject of, ScalingRun *run, bool *diverged)
{
    const double *sizes = o->sizes.given ? o->sizes.values : subjects[of].sizes;
    *run = (ScalingRun){.of = of,
                        .iterations = o->iterations,
                        .threads = o->threads,
                        .settle = o->settle < 0 ? subjects[of].settle : o->settle,
                        .steps = o->steps < 0 ? subjects[of].steps : o->steps,
                        .repeats = o->common.repeats,
                        .count = o->sizes.given ? o->sizes.count : subjects[of].size_count};
    for (int i = 0; i < run->count; i++) {
        run->sizes[i] = sizes[i];
        int failed = measure_size(o, of, &run->sizes[i], &run->runs[i]);
        if (failed) return failed;
        *diverged = *diverged || run->runs[i].diverged;
        if (!run->runs[i].deterministic)
            say("scaling", "repeats of the same simulation differ: please report this");
    }
    scaling_fit(run);
    return EXIT_FINE;
}

static void write_csv(FILE *out, const void *scaling) { scaling_write_csv(out, scaling); }
static void write_json(FILE *out, const void *scaling) { scaling_write_json(out, scaling); }

static int scaling(const ScalingOptions *o)
{
    ScalingRun runs[2];
    Scaling all = {runs, o->of == BOTH ? 2 : 1};
    bool diverged = false;
    for (int i = 0; i < all.count; i++) {
        Subject of = o->of == BOTH ? (i ? CABLE : SPHERES) : (Subject)o->of;
        int failed = measure_subject(o, of, &runs[i], &diverged);
        if (failed) return failed;
    }
    if (!is_stdout(o->json) && !is_stdout(o->csv)) scaling_print(&all);
    int json = write_output("scaling", o->json, write_json, &all);
    int csv = write_output("scaling", o->csv, write_csv, &all);
    /* after the results, which are worth more than their picture */
    int plotted = o->common.plot ? scaling_plot(o->common.plot, &all) : EXIT_FINE;
    return diverged ? EXIT_DIVERGED : json ? json : csv ? csv : plotted;
}

static int check_and_scale(const ScalingOptions *o)
{
    if (o->sizes.count > BENCH_MAX_RUNS) {
        say("scaling", "--sizes: at most %d", BENCH_MAX_RUNS);
        return EXIT_USAGE;
    }
    if (o->of == BOTH && o->sizes.given) {
        say("scaling", "--sizes needs --of spheres, cable or beam");
        return EXIT_USAGE;
    }
    if (is_stdout(o->json) && is_stdout(o->csv)) {
        say("scaling", "--csv and --json cannot both go to stdout");
        return EXIT_USAGE;
    }
    if (!bench_plot_is_file("scaling", &o->common)) return EXIT_USAGE;
    for (int i = 0; i < o->sizes.count; i++)
        if (o->sizes.values[i] < subjects[o->of].least) {
            say("scaling", "--sizes: a %s has at least %d %s", subject_names[o->of],
                subjects[o->of].least, subjects[o->of].units);
            return EXIT_USAGE;
        }
    return scaling(o);
}

int cmd_scaling(int argc, char **argv)
{
    ScalingOptions o = {
        .of = BOTH, .iterations = 60, .threads = 1, .settle = -1, .steps = -1, .common.repeats = 1};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("scaling", table, count, print_help, NULL, NULL, argc, argv, &code))
        code = check_and_scale(&o);
    number_list_free(&o.sizes);
    return code;
}
