/* tenon-bench simbench: SimBenchmark's scenes at several steps, with its measures of error. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "../trials/simbench.h"
#include "built_scenes.h"
#include "commands.h"
#include "own_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 64 };

typedef struct Simbench {
    SimOptions sim;
    const char *only;
    NumberList steps;
    bool json;
    bool chosen[MOST_BUILT_SCENES];
} Simbench;

static int option_table(Option *table, Simbench *c)
{
    int n = 0;
    table[n++] = option_text("--only", &c->only, "NAME,...", "scenes; default: all");
    table[n++] =
        option_reals("--timesteps", &c->steps, "LIST", "timesteps in seconds; default 0.001,0.01");
    n = sim_option_table(table, n, &c->sim);
    table[n++] = option_set("--json", &c->json, "print one JSON object");
    return built_scene_options(table, n);
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon-bench simbench [OPTIONS]\n\n"
           "Runs the scenes of SimBenchmark, a public comparison of physics engines, and prints\n"
           "its measures of error (docs/verification.md has them beside those of others).\n"
           "Its robot is a generated quadruped here.\n\nScenes:\n");
    for (int i = 0; i < simbench_scene_count; i++)
        printf("  %-12s %g s, %s\n", simbench_scenes[i].name, simbench_scenes[i].duration,
               simbench_scenes[i].measure);
    printf("\n");
    options_help(table, count);
    printf("\nColumns: error is the scene's measure, worst its largest in a step; kHz are "
           "thousands of\n"
           "steps per second of computing; not conv. are steps that did not reach the tolerance.\n"
           "\nExamples:\n"
           "  tenon-bench simbench\n"
           "  tenon-bench simbench --only elastic666 --timesteps 0.001,0.005,0.01 --json\n");
}

static bool choose(Simbench *c)
{
    BuiltScene scenes[MOST_BUILT_SCENES];
    for (int i = 0; i < simbench_scene_count; i++)
        scenes[i] = (BuiltScene){.name = simbench_scenes[i].name};
    return choose_built_scenes("simbench", c->only, scenes, simbench_scene_count, c->chosen);
}

static bool check_steps(const Simbench *c)
{
    for (int i = 0; i < c->steps.count; i++)
        if (!(c->steps.values[i] > 0 && c->steps.values[i] <= 1)) {
            say("simbench", "--timesteps: %g is not within 0 < t <= 1", c->steps.values[i]);
            return false;
        }
    return true;
}

static void add_error(Grid *grid, double value)
{
    if (isnan(value))
        grid_add(grid, "-");
    else
        grid_add(grid, "%.3g", value);
}

static void print_grid(const SimbenchRun *runs, int count)
{
    static const char *const headings[] = {"scene", "timestep", "error",
                                           "worst", "kHz",      "not conv."};
    Grid grid;
    grid_start(&grid, 6);
    for (int i = 0; i < 6; i++) grid_add(&grid, "%s", headings[i]);
    for (int i = 0; i < count; i++) {
        const SimbenchRun *r = &runs[i];
        grid_add(&grid, "%s", r->scene->name);
        grid_add(&grid, "%g", r->t);
        add_error(&grid, r->error);
        add_error(&grid, r->worst);
        grid_number(&grid, 2, 1e-3 * (double)r->steps / r->seconds);
        grid_add(&grid, "%lld", (long long)r->unconverged);
    }
    grid_print(stdout, &grid);
}

static void print_json(const SimbenchRun *runs, int count)
{
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_begin_array(&json, "runs");
    for (int i = 0; i < count; i++) {
        const SimbenchRun *r = &runs[i];
        json_begin_object(&json, NULL);
        json_string(&json, "scene", r->scene->name);
        json_number(&json, "timestep", r->t);
        json_string(&json, "measure", r->scene->measure);
        json_number(&json, "error", r->error);
        json_number(&json, "worst", r->worst);
        json_integer(&json, "steps", r->steps);
        json_number(&json, "seconds", r->seconds);
        json_integer(&json, "not_converged", r->unconverged);
        json_bool(&json, "diverged", r->diverged);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static int run_all(const Simbench *c)
{
    static const double usual[] = {0.001, 0.01};
    const double *steps = c->steps.given ? c->steps.values : usual;
    int step_count = c->steps.given ? c->steps.count : 2, count = 0;
    SimbenchRun runs[MOST_RUNS];
    TnWorldDef def = sim_world_def(&c->sim);
    TnError err = {0};
    for (int i = 0; i < simbench_scene_count; i++)
        for (int k = 0; k < step_count && c->chosen[i]; k++) {
            if (count == MOST_RUNS) break;
            SimbenchRun *run = &runs[count++];
            *run = (SimbenchRun){.scene = &simbench_scenes[i], .t = steps[k]};
            if (simbench_open(run, &def, &err) != TN_OK) {
                tn_model_destroy(run->model);
                say("simbench", "%s: %s", run->scene->name, err.message);
                return code_of(&err);
            }
            simbench_run(run, isnan(c->sim.duration) ? run->scene->duration : c->sim.duration);
        }
    if (c->json)
        print_json(runs, count);
    else
        print_grid(runs, count);
    for (int i = 0; i < count; i++)
        if (runs[i].diverged) return EXIT_DIVERGED;
    return EXIT_FINE;
}

int cmd_simbench(int argc, char **argv)
{
    Simbench c = {.sim = bench_sim_options()};
    Option table[8 + SIM_OPTION_COUNT];
    int code = EXIT_USAGE;
    c.sim.duration = NAN;
    int count = option_table(table, &c);
    if (options_parse("simbench", table, count, print_help, NULL, NULL, argc, argv, &code)) {
        code = EXIT_USAGE;
        if (choose(&c) && check_steps(&c) && sim_options_finish("simbench", &c.sim))
            code = run_all(&c);
    }
    number_list_free(&c.steps);
    return code;
}
