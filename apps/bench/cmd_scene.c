/* tenon-bench scene SCENE: time and accuracy of a scene at several iteration counts, with the
 * default and the paper's weights, or the default and the paper's division of cables and soft
 * bodies. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/totals.h"
#include "bench.h"
#include "commands.h"
#include "own_solvers.h"
#include "scene_plot.h"
#include "scene_report.h"

#include <math.h>
#include <string.h>

enum { WEIGHTS_BOTH = WEIGHTS_PAPER + 1, WEIGHTS_DEFAULT };
enum { MAIN_ITERATIONS = 60, MAX_COUNTS = BENCH_MAX_RUNS / 4 };
static const char *const weight_choices[] = {"compliance", "paper", "both", NULL};
static const char *const form_choices[] = {"reduced", "paper", NULL};

/* Not a division: none was asked for. */
static const TnDivisionDef no_division = {TN_DIVISION_GROUPS, 0, 0};
static bool is_given(TnDivisionDef division)
{
    return division.kind != TN_DIVISION_GROUPS || division.group_size > 0;
}

typedef struct BenchOptions {
    SimOptions sim;
    const KnownScene *known;
    int least_contacts; /* -1: as the scene has it */
    double settle;      /* s */
    NumberList iterations;
    const char *scene;
    int aav_samples, aav_iterations;
    int form, weights; /* of SubADMM; WEIGHTS_BOTH, WEIGHTS_DEFAULT */
    BenchCommon common;
} BenchOptions;

static int option_table(Option *table, BenchOptions *bench)
{
    int n = sim_option_table(table, 0, &bench->sim);
    for (int i = 0; i < n; i++) {
        if (!strcmp(table[i].name, "--iterations"))
            table[i] = option_ints("--iterations", &bench->iterations, "LIST", 1, 1000000,
                                   "iterations per step, one row each; default 30,60,90; each 1 "
                                   "... "
                                   "1000000; with a tolerance the maximum, default 60");
        if (!strcmp(table[i].name, "--tolerance"))
            table[i].help =
                "measure one row with this tolerance instead of fixed counts; see tenon run";
        if (!strcmp(table[i].name, "--duration"))
            table[i].help = "simulated time in seconds, 0 < S <= 1e6; default 5, cable: 11, "
                            "beam: 8";
        if (!strcmp(table[i].name, "--division"))
            table[i].help = "as in tenon run; default for models with cables or soft bodies: both "
                            "auto and paper";
    }
    table[n++] = option_real("--settle", &bench->settle, "S", 0, 1e6, ENDS_CLOSED,
                             "simulated seconds before measuring starts; default 0");
    table[n++] = option_int("--least-contacts", &bench->least_contacts, "N", 0, 1000000,
                            "ignore steps with fewer contacts; default 0, cable: 101, beam: 10");
    table[n++] = option_choice("--admm-form", &bench->form, "FORM", form_choices,
                               "form of SubADMM: reduced (default: stores v and lambda) or paper "
                               "(stores z and u as well)");
    table[n++] =
        option_choice("--weights", &bench->weights, "WEIGHTS", weight_choices,
                      "weights of SubADMM: compliance, paper or both; default both, for models "
                      "with "
                      "cables or soft bodies compliance");
    table[n++] = option_int("--aav-samples", &bench->aav_samples, "N", 0, 100000,
                            "number of steps that are also solved to convergence, for AAv; default "
                            "10");
    table[n++] = option_int("--aav-iterations", &bench->aav_iterations, "N", 1, 1000000,
                            "maximum iterations for each of these; default 20000");
    return bench_option_table(table, n, &bench->common, "timed passes, 1 ... 1000; default 3");
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench scene SCENE [OPTIONS]\n\n"
        "Measures a scene: a model file, or the name of one of the scenes that come with tenon\n"
        "(stir for scenes/stir.xml, cable for scenes/cable.xml, beam for scenes/beam.xml).\n\n"
        "Each row simulates the scene from its start: one pass measures accuracy, --repeats "
        "passes\n"
        "are timed. Each step counts with its shortest time, because the passes do the same work\n"
        "and other load can only lengthen it.\n"
        "Rows with the paper's weights use its over-relaxation of 1, unless one is given.\n"
        "--tolerance or --solver auto gives one row; the lines below it say which methods ran.\n");
    options_help(table, count);
    printf("\nColumns: AAc and AA\u03bb are means of -log10 of the RMS constraint error of the "
           "velocities\n"
           "and of the forces, AAv of the distance to the converged velocities. ns/c/i is "
           "nanoseconds\n"
           "per contact and iteration. solver ms is factorization plus iterations.\n"
           "The top level of --json is the run with %d iterations (or the first); `runs` has all.\n"
           "--plot draws the time per step by phase, and accuracy against iterations.\n"
           "\nExamples:\n"
           "  tenon-bench scene stir\n"
           "  tenon-bench scene stir --iterations 60 --threads 2 --json\n"
           "  tenon-bench scene cable\n"
           "  tenon-bench scene beam --threads 2\n"
           "  tenon-bench scene stir --tolerance 1e-4\n"
           "  tenon-bench scene my/scene.xml --duration 2 --weights compliance\n"
           "  tenon-bench scene stir --iterations 10,20,30,60,90 --plot out/stir.svg\n",
           MAIN_ITERATIONS);
}

static Measure plan_run(const BenchOptions *bench, double timestep, TnKeyId key,
                        TnDivisionDef division, int weights, int iterations)
{
    const KnownScene *known = bench->known;
    double duration = isnan(bench->sim.duration) ? known->duration : bench->sim.duration;
    Measure m = {.def = sim_world_def(&bench->sim),
                 .settle = bench->settle > 0 ? steps_of(bench->settle, timestep) : 0,
                 .steps = steps_of(duration, timestep),
                 .repeats = bench->common.repeats,
                 .least_contacts =
                     bench->least_contacts < 0 ? known->least_contacts : bench->least_contacts,
                 .aav_samples = bench->aav_samples,
                 .aav_iterations = bench->aav_iterations,
                 .quiet = bench->common.quiet,
                 .label = bench->scene};
    m.def.key = key;
    m.def.division = division;
    use_form_and_weights(&m.def.solver, bench->form, weights);
    m.def.solver.iterations = iterations;
    if (m.def.solver.tolerance == 0 && !m.def.substeps) m.def.substeps = 1; /* so many in a step */
    bool given = bench->sim.solver.over_relaxation != tn_solver_def().over_relaxation;
    if (weights == WEIGHTS_PAPER && !given) m.def.solver.over_relaxation = 1;
    return m;
}

/* The runs that were asked for, not yet measured: all iteration counts for each choice of division
 * and weights. */
static int plan_runs(const BenchOptions *bench, const TnModel *model, TnKeyId key,
                     Measure runs[BENCH_MAX_RUNS])
{
    static const TnDivisionDef both[] = {{.kind = TN_DIVISION_AUTO}, {.kind = TN_DIVISION_PAPER}};
    TnModelInfo info = tn_model_info(model);
    const TnDivisionDef *divisions = is_given(bench->sim.division) ? &bench->sim.division : both;
    bool divisible = is_divisible(model);
    int count = 0, division_count = divisions == both && divisible ? 2 : 1;
    int asked = bench->weights;
    bool fixed = bench->sim.solver.tolerance == 0;
    bool weighted =
        fixed && bench->sim.solver.method <= TN_METHOD_SUBADMM; /* else they mean nothing */
    if (!fixed) division_count = 1;
    if (asked == WEIGHTS_DEFAULT)
        asked = divisible || !weighted ? WEIGHTS_COMPLIANCE : WEIGHTS_BOTH;
    for (int d = 0; d < division_count; d++)
        for (int weights = WEIGHTS_COMPLIANCE; weights <= WEIGHTS_PAPER; weights++) {
            if (asked != WEIGHTS_BOTH && asked != weights) continue;
            for (int i = 0; i < bench->iterations.count && count < BENCH_MAX_RUNS; i++)
                runs[count++] = plan_run(bench, info.option.timestep, key, divisions[d], weights,
                                         (int)bench->iterations.values[i]);
        }
    return count;
}

static int bench_model(const TnModel *model, const BenchOptions *bench, const char *path)
{
    TnError err = {0};
    TnKeyId key;
    Measure runs[BENCH_MAX_RUNS];
    if (!find_key("scene", model, bench->sim.key, &key)) return EXIT_USAGE;
    int run_count = plan_runs(bench, model, key, runs);
    int main_run = 0;
    bool diverged = false;
    for (int i = run_count - 1; i >= 0; i--)
        if (runs[i].def.solver.iterations == MAIN_ITERATIONS) main_run = i;
    for (int i = 0; i < run_count; i++) {
        if (measure(model, &runs[i], &err) != TN_OK) {
            say("scene", "%s", err.message);
            return code_of(&err);
        }
        if (!runs[i].deterministic)
            say("scene", "repeats of the same simulation differ: please report this");
        /* the paper's weights and division are there to compare with; that they fail is a finding,
         * not a failure
         */
        if (runs[i].diverged &&
            has_paper_weights(&runs[i].def.solver) == has_paper_weights(&runs[0].def.solver) &&
            runs[i].def.division.kind == runs[0].def.division.kind)
            diverged = true;
        if (!runs[i].measured && !runs[i].diverged) {
            say("scene", "no step had %d contacts; lower --least-contacts", runs[i].least_contacts);
            return EXIT_USAGE;
        }
    }
    const BenchReport report = {
        model,     bench->scene, path, bench->known->has_paper ? bench->known : NULL,
        run_count, main_run,     runs};
    if (bench->common.json)
        bench_print_json(&report);
    else
        bench_print_table(&report);
    /* after the results, which are worth more than their picture */
    int plotted = EXIT_FINE;
    if (bench->common.plot) plotted = plot_scene(bench->common.plot, bench->scene, runs, run_count);
    return diverged ? EXIT_DIVERGED : plotted;
}

static int check_and_bench(BenchOptions *bench)
{
    static const double default_iterations[] = {30, 60, 90}, most_iterations[] = {MAIN_ITERATIONS};
    char path[PATH_MAX];
    int code = EXIT_USAGE;
    if (!sim_options_finish("scene", &bench->sim)) return EXIT_USAGE;
    bool fixed = bench->sim.solver.tolerance == 0;
    bool papers = bench->form == FORM_PAPER || bench->weights == WEIGHTS_PAPER ||
                  bench->weights == WEIGHTS_BOTH;
    if (papers && bench->sim.solver.method > TN_METHOD_SUBADMM) {
        say("scene", "the paper's form and weights are SubADMM's, not those of %s",
            solver_name(&bench->sim.solver));
        return EXIT_USAGE;
    }
    bench->known = known_scene(bench->scene);
    if (bench->iterations.count > MAX_COUNTS) {
        say("scene", "--iterations: at most %d counts", MAX_COUNTS);
        return EXIT_USAGE;
    }
    if (!bench_plot_is_file("scene", &bench->common)) return EXIT_USAGE;
    if (!number_list_default(&bench->iterations, fixed ? default_iterations : most_iterations,
                             fixed ? 3 : 1) ||
        !find_scene("scene", bench->scene, path))
        return EXIT_IO;
    if (bench->common.plot && is_same_file(bench->common.plot, path)) {
        say("scene", "--plot: %s is the model itself", bench->common.plot);
        return EXIT_USAGE;
    }
    TnModel *model = load_model("scene", path, NULL, &code);
    if (model) code = bench_model(model, bench, path);
    tn_model_destroy(model);
    return code;
}

int cmd_scene(int argc, char **argv)
{
    BenchOptions bench = {.sim = bench_sim_options(),
                          .least_contacts = -1,
                          .common.repeats = 3,
                          .aav_samples = 10,
                          .aav_iterations = 20000};
    bench.sim.duration = NAN;
    bench.sim.iterations =
        MAIN_ITERATIONS; /* fixed counts unless a tolerance or a method that needs one is given */
    bench.sim.division = no_division;
    bench.weights = WEIGHTS_DEFAULT;
    Option table[9 + SIM_OPTION_COUNT];
    int count = option_table(table, &bench), code = EXIT_USAGE;
    if (options_parse("scene", table, count, print_help, "SCENE", &bench.scene, argc, argv, &code))
        code = check_and_bench(&bench);
    number_list_free(&bench.iterations);
    return code;
}
