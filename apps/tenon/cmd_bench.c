/* tenon bench SCENE: time and accuracy of a scene at several iteration counts, with the default and
 * the paper's weights. */
#include "app.h"
#include "bench.h"
#include "bench_plot.h"
#include "json.h"
#include "options.h"
#include "totals.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { WEIGHTS_BOTH = 2, MAIN_ITERATIONS = 60 };
static const char *const weight_choices[] = {"compliance", "paper", "both",
                                             NULL}; /* TnWeights, then both */

typedef struct BenchOptions {
    SimOptions sim;
    NumberList iterations;
    const char *scene;
    int aav_samples, aav_iterations;
    BenchCommon common;
} BenchOptions;

static int option_table(Option *table, BenchOptions *bench)
{
    int n = 0;
    table[n++] = option_ints("--iterations", &bench->iterations, "LIST", 1, 1000000,
                             "iteration counts, as 30,60,90 (default); each 1 ... 1000000");
    n = sim_option_table(table, n, &bench->sim);
    table[n++] = option_choice("--weights", &bench->sim.weights, "WEIGHTS", weight_choices,
                               "compliance, paper or both (default)");
    table[n++] = option_int("--aav-samples", &bench->aav_samples, "N", 0, 100000,
                            "steps that are also solved to the end, for AAv; default 10, 0: none");
    table[n++] = option_int("--aav-iterations", &bench->aav_iterations, "N", 1, 10000000,
                            "iterations at most to the end of such a step; default 20000");
    return bench_option_table(table, n, &bench->common, "timed passes, 1 ... 1000; default 3");
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon bench SCENE [OPTIONS]\n"
        "       tenon bench scaling [OPTIONS]     growing piles of spheres; see its --help\n\n"
        "Measures a scene: a model file, or the name of one of the scenes that come with tenon\n"
        "(stir for scenes/stir.xml).\n\n"
        "Each row simulates the scene from its start. One pass measures accuracy; then --repeats\n"
        "passes are timed, and each step counts with the shortest time that it took in any of\n"
        "them: the passes do the same work, and other load can only lengthen it.\n"
        "Rows with the paper's weights also use its over-relaxation of 1, unless one is given.\n");
    options_help(table, count);
    printf(
        "\nColumns: AAc and AA\u03bb are the mean of -log10 of the RMS constraint error of the "
        "velocities\n"
        "and of the forces, AAv of the distance to the converged velocities. ns/c/i are "
        "nanoseconds\n"
        "per contact and iteration. solver ms are factorization and iterations.\n"
        "With --json the top level holds the run with %d iterations (or the first), `runs` all.\n"
        "--plot draws the time per step by phase, and accuracy against iterations.\n"
        "\nExamples:\n"
        "  tenon bench stir\n"
        "  tenon bench stir --iterations 60 --threads 2 --json\n"
        "  tenon bench my/scene.xml --duration 2 --weights compliance\n"
        "  tenon bench stir --iterations 10,20,30,60,90 --plot out/stir.svg\n",
        MAIN_ITERATIONS);
}

/* The folder of this program, without a slash at its end. */
static bool program_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0) return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

/* A path as it is, or a name in one of the places where scenes are kept. */
static bool find_scene(const char *scene, char path[PATH_MAX])
{
    static const char *const places[] = {"scenes", "../scenes", "../share/tenon/scenes"};
    char folder[PATH_MAX];
    bool is_name = !strchr(scene, '/') && !strchr(scene, '.');
    snprintf(path, PATH_MAX, "%s", scene);
    if (!is_name) return true; /* load_model says what is wrong with it */
    if (program_folder(folder))
        for (int i = 0; i < 3; i++) {
            int length = snprintf(path, PATH_MAX, "%s/%s/%s.xml", folder, places[i], scene);
            if (length < PATH_MAX && file_is_readable(path)) return true;
        }
    int length = snprintf(path, PATH_MAX, "scenes/%s.xml", scene);
    if (length < PATH_MAX && file_is_readable(path)) return true;
    snprintf(path, PATH_MAX, "%s", scene);
    if (file_is_readable(path)) return true;
    say("bench",
        "there is no scene '%s': looked for scenes/%s.xml beside the program, one folder up, in "
        "the installed "
        "share/tenon and here",
        scene, scene);
    return false;
}

static void print_row(Grid *grid, const Measure *m)
{
    grid_add(grid, "%s", weights_name(m->def.solver.weights));
    grid_add(grid, "%d", m->def.solver.iterations);
    grid_number(grid, 1, m->contacts_mean);
    grid_number(grid, 4, 1e3 * m->times.total);
    grid_number(grid, 4, solver_ms(m));
    grid_number(grid, 3, us_per_iteration(m));
    grid_number(grid, 2, ns_per_contact_iteration(m));
    grid_number(grid, 3, m->aac);
    grid_number(grid, 3, m->aal);
    grid_number(grid, 3, m->aav);
    grid_add(grid, "%s", m->diverged ? "yes" : "no");
}

static void print_table(const TnModel *model, const char *path, const Measure *runs, int run_count)
{
    static const char *const headings[] = {"weights",   "iterations",   "contacts", "step ms",
                                           "solver ms", "\u00b5s/iter", "ns/c/i",   "AAc",
                                           "AA\u03bb",  "AAv",          "diverged"};
    Grid grid;
    TnModelInfo info = tn_model_info(model);
    printf("%s: %d degrees of freedom, %d subsystems, %lld steps of %g s, threads %d\n", path,
           info.dof_count, runs[0].subsystems, (long long)runs[0].steps, info.option.timestep,
           runs[0].def.thread_count);
    grid_start(&grid, 11);
    for (int i = 0; i < 11; i++) grid_add(&grid, "%s", headings[i]);
    for (int i = 0; i < run_count; i++) print_row(&grid, &runs[i]);
    grid_print(stdout, &grid);
    double residual = 0;
    for (int i = 0; i < run_count; i++) residual = fmax(residual, runs[i].aav_residual);
    if (runs[0].aav_samples)
        printf("  AAv: %d steps, taken for converged at a residual of at most %.1e m/s\n",
               runs[0].aav_samples, residual);
}

static void print_run(Json *json, const Measure *m)
{
    const TnSolverDef *solver = &m->def.solver;
    json_string(json, "solver", "subadmm");
    json_string(json, "admm_form", form_name(solver->form));
    json_string(json, "weights", weights_name(solver->weights));
    json_number(json, "over_relaxation", solver->over_relaxation);
    json_integer(json, "iterations", solver->iterations);
    json_number(json, "iterations_mean", m->iterations_mean);
    json_integer(json, "threads", m->def.thread_count);
    json_integer(json, "subsystems", m->subsystems);
    json_integer(json, "steps", m->measured);
    json_number(json, "contacts_mean", m->contacts_mean);
    json_number(json, "step_ms_mean", 1e3 * m->times.total);
    json_number(json, "solver_ms_mean", solver_ms(m));
    json_number(json, "dynamics_ms_mean", 1e3 * m->times.dynamics);
    json_number(json, "collision_ms_mean", 1e3 * m->times.collision);
    json_number(json, "constraint_ms_mean", 1e3 * m->times.constraint);
    json_number(json, "factor_ms_mean", 1e3 * m->times.factor);
    json_number(json, "iterate_ms_mean", 1e3 * m->times.iterate);
    json_number(json, "integrate_ms_mean", 1e3 * m->times.integrate);
    json_number(json, "us_per_iteration", us_per_iteration(m));
    json_number(json, "ns_per_contact_iteration", ns_per_contact_iteration(m));
    json_number(json, "aac", m->aac);
    json_number(json, "aal", m->aal);
    json_number(json, "aav", m->aav);
    json_number(json, "aav_residual", m->aav_residual);
    json_number(json, "penetration_max_m", m->max_penetration);
    json_bool(json, "diverged", m->diverged);
    json_bool(json, "deterministic", m->deterministic);
}

static void print_json(const TnModel *model, const BenchOptions *bench, const char *path,
                       const Measure *runs, int run_count, int main_run)
{
    TnModelInfo info = tn_model_info(model);
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "scene", bench->scene);
    json_string(&json, "model", path);
    json_integer(&json, "dof", info.dof_count);
    json_number(&json, "timestep", info.option.timestep);
    json_integer(&json, "repeats", bench->common.repeats);
    print_run(&json, &runs[main_run]);
    json_begin_array(&json, "runs");
    for (int i = 0; i < run_count; i++) {
        json_begin_object(&json, NULL);
        print_run(&json, &runs[i]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

/* The runs that were asked for, not yet measured: all iteration counts for each choice of weights.
 */
static int plan_runs(const BenchOptions *bench, double timestep, TnKeyId key,
                     Measure runs[BENCH_MAX_RUNS])
{
    int count = 0;
    bool over_relaxation_given =
        bench->sim.solver.over_relaxation != tn_solver_def().over_relaxation;
    for (int weights = TN_WEIGHTS_COMPLIANCE; weights <= TN_WEIGHTS_PAPER; weights++) {
        if (bench->sim.weights != WEIGHTS_BOTH && bench->sim.weights != weights) continue;
        for (int i = 0; i < bench->iterations.count && count < BENCH_MAX_RUNS; i++) {
            Measure *m = &runs[count++];
            *m = (Measure){.def = sim_world_def(&bench->sim),
                           .steps = steps_of(bench->sim.duration, timestep),
                           .repeats = bench->common.repeats,
                           .aav_samples = bench->aav_samples,
                           .aav_iterations = bench->aav_iterations,
                           .quiet = bench->common.quiet,
                           .label = bench->scene};
            m->def.key = key;
            m->def.solver.weights = (TnWeights)weights;
            m->def.solver.iterations = (int)bench->iterations.values[i];
            if (weights == TN_WEIGHTS_PAPER && !over_relaxation_given)
                m->def.solver.over_relaxation = 1;
        }
    }
    return count;
}

static int bench_model(const TnModel *model, const BenchOptions *bench, const char *path)
{
    TnError err = {0};
    TnKeyId key;
    Measure runs[BENCH_MAX_RUNS];
    if (!find_key("bench", model, bench->sim.key, &key)) return EXIT_USAGE;
    int run_count = plan_runs(bench, tn_model_info(model).option.timestep, key, runs);
    int main_run = 0;
    bool diverged = false;
    for (int i = run_count - 1; i >= 0; i--)
        if (runs[i].def.solver.iterations == MAIN_ITERATIONS) main_run = i;
    for (int i = 0; i < run_count; i++) {
        if (measure(model, &runs[i], &err) != TN_OK) {
            say("bench", "%s", err.message);
            return code_of(&err);
        }
        if (!runs[i].deterministic)
            say("bench", "repeats of the same simulation differ: please report this");
        /* the paper's weights are there to compare with; that they fail is a finding, not a failure
         */
        if (runs[i].diverged && runs[i].def.solver.weights == runs[0].def.solver.weights)
            diverged = true;
    }
    if (bench->common.json)
        print_json(model, bench, path, runs, run_count, main_run);
    else
        print_table(model, path, runs, run_count);
    /* after the results, which are worth more than their picture */
    int plotted = EXIT_FINE;
    if (bench->common.plot) plotted = plot_scene(bench->common.plot, bench->scene, runs, run_count);
    return diverged ? EXIT_DIVERGED : plotted;
}

static int check_and_bench(BenchOptions *bench)
{
    static const double default_iterations[] = {30, 60, 90};
    char path[PATH_MAX];
    int code = EXIT_USAGE;
    sim_options_finish(&bench->sim);
    if (bench->iterations.count > BENCH_MAX_RUNS / 2) {
        say("bench", "--iterations: at most %d counts", BENCH_MAX_RUNS / 2);
        return EXIT_USAGE;
    }
    if (!bench_plot_is_file("bench", &bench->common)) return EXIT_USAGE;
    if (!number_list_default(&bench->iterations, default_iterations, 3) ||
        !find_scene(bench->scene, path))
        return EXIT_IO;
    if (bench->common.plot && is_same_file(bench->common.plot, path)) {
        say("bench", "--plot: %s is the model itself", bench->common.plot);
        return EXIT_USAGE;
    }
    TnModel *model = load_model("bench", path, NULL, &code);
    if (model) code = bench_model(model, bench, path);
    tn_model_destroy(model);
    return code;
}

int cmd_bench(int argc, char **argv)
{
    if (argc > 0 && !strcmp(argv[0], "scaling")) return cmd_bench_scaling(argc - 1, argv + 1);
    BenchOptions bench = {
        .sim = sim_options(), .common.repeats = 3, .aav_samples = 10, .aav_iterations = 20000};
    bench.sim.weights = WEIGHTS_BOTH;
    Option table[24];
    int count = option_table(table, &bench), code = EXIT_USAGE;
    if (options_parse("bench", table, count, print_help, "SCENE", &bench.scene, argc, argv, &code))
        code = check_and_bench(&bench);
    number_list_free(&bench.iterations);
    return code;
}
