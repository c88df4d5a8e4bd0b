/* tenon-bench hard: stacks, mass ratios, arches, grasps and impacts, and what became of them. */
#include "../common/app.h"
#include "../common/options.h"
#include "bench.h"
#include "built_scenes.h"
#include "commands.h"
#include "hard_report.h"
#include "own_solvers.h"
#include "platform/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEDS = 100 };

typedef struct HardCommand {
    SimOptions sim;
    HardOptions run;
    const char *only;
    int seeds;
    bool json;
    bool chosen[MOST_BUILT_SCENES];
} HardCommand;

static int option_table(Option *table, HardCommand *c)
{
    int n = 0;
    table[n++] = option_text("--only", &c->only, "NAME,...",
                             "scenes, or families of scenes (tower, arch, pinch); default: all");
    n = sim_option_table(table, n, &c->sim);
    table[n++] =
        option_int("--seeds", &c->seeds, "N", 1, MAX_SEEDS,
                   "runs of each random scene, 1 ... 100; default 1; the table shows the worst");
    table[n++] = option_real(
        "--noise", &c->run.noise, "SHARE", 0, 10, ENDS_CLOSED,
        "force noise on each body and step, as a fraction of its weight, 0 ... 10; default 0");
    table[n++] = option_int("--repeats", &c->run.repeats, "N", 1, 1000,
                            "timed passes of each run, 1 ... 1000; default 1");
    table[n++] = option_set("--json", &c->json, "print one JSON object");
    table[n++] = option_set("--quiet", &c->run.quiet, "print no progress line");
    return built_scene_options(table, n);
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon-bench hard [OPTIONS]\n\n"
           "Runs scenes that are hard for solvers and reports what stands and what falls. Step\n"
           "times exclude measurements. A run ends when something has fallen.\n"
           "\nScenes (docs/scenes.md):\n ");
    int column = 1;
    for (int i = 0; i < hard_scene_count; i++) {
        int length = (int)strlen(hard_scenes[i].name) + 1;
        if (column + length > 78) column = printf("\n ") - 1;
        column += printf(" %s", hard_scenes[i].name);
    }
    printf("\n");
    options_help(table, count);
    printf(
        "\nColumns (`-`: does not apply):\n"
        "  contacts     mean over the steps\n"
        "  step us      mean time per step in microseconds, after the first second. If something\n"
        "               fell before, over all steps. Each step has its minimum over --repeats\n"
        "  error max    largest natural-map error of any constraint and step, relative to g t\n"
        "  median       median over the steps of the largest error of each step\n"
        "  not conv.    number of steps that missed the tolerance\n"
        "  force error  error of the contact forces, as a fraction of the weight. A cut is all\n"
        "               bodies above a layer, or one body of a grasp. The error of a cut is the\n"
        "               upward contact force minus weight and noise; it is zero at rest. For a\n"
        "               plate: the force along the grip minus the grip, as a fraction of the\n"
        "               grip. Largest of all cuts, mean over the last second. `-` if bodies\n"
        "               sleep, or with --noise 0.1 and above, since bodies may then lift\n"
        "  sink m       largest drop of any body below its place after the first second\n"
        "  move m       largest distance of any body from its place after the first second\n"
        "  tilt rad     largest rotation of any body since the start\n"
        "  creep m/s    speed of the fastest body: slope of the line fitted to its positions\n"
        "               after the first second\n"
        "  warm/sub/asm/newton   number of islands over all steps by what solved them: the\n"
        "               forces of the last step, SubADMM, assembled ADMM, Newton\n"
        "  steps        Newton steps, mean over the islands that Newton solved\n"
        "  verdict      stands or fell, holds or dropped. For a cradle: how many balls leave,\n"
        "               their speed as a fraction of the first ball's, and the speed of the\n"
        "               first ball after the impact\n"
        "In runs shorter than two seconds, the first half replaces the first second. Noise is\n"
        "Gaussian and independent for each body, axis and step; its standard deviation is --noise\n"
        "times the weight. On a pinch it acts along the plates only. arch-0.095 must fall.\n"
        "\nExamples:\n"
        "  tenon-bench hard\n"
        "  tenon-bench hard --only tower50 --seeds 5 --noise 0.02\n"
        "  tenon-bench hard --only tower,pinch --iterations 60 --tolerance 0 --json\n");
}

static bool choose(HardCommand *c)
{
    BuiltScene scenes[MOST_BUILT_SCENES];
    for (int i = 0; i < hard_scene_count; i++)
        scenes[i] = (BuiltScene){hard_scenes[i].name, hard_scenes[i].family};
    return choose_built_scenes("hard", c->only, scenes, hard_scene_count, c->chosen);
}

static int run_all(HardCommand *c)
{
    HardRun *runs = calloc((size_t)(hard_scene_count * c->seeds), sizeof *runs);
    HardRun *rows = calloc((size_t)hard_scene_count, sizeof *rows);
    TnError err = {0};
    int run_count = 0, row_count = 0, code = runs && rows ? EXIT_FINE : EXIT_IO;
    bool told = !c->run.quiet && tn_stream_is_terminal(stderr);
    for (int i = 0; i < hard_scene_count && code == EXIT_FINE; i++) {
        const HardScene *scene = &hard_scenes[i];
        int first = run_count;
        bool by_chance = scene->seeded || scene->noise > 0 || c->run.noise > 0;
        if (!c->chosen[i]) continue;
        for (int seed = 1; seed <= (by_chance ? c->seeds : 1) && code == EXIT_FINE; seed++) {
            if (told) fprintf(stderr, "%s, seed %d\n", scene->name, seed);
            if (hard_run(scene, &c->run, (uint64_t)seed, &runs[run_count++], &err) != TN_OK) {
                say("hard", "%s: %s", scene->name, err.message);
                code = code_of(&err);
            }
        }
        rows[row_count++] = hard_worst(&runs[first], run_count - first);
    }
    if (code == EXIT_FINE) {
        if (c->json)
            hard_print_json(rows, row_count, runs, run_count, &c->run);
        else
            hard_print_table(rows, row_count, &c->run);
        for (int i = 0; i < run_count; i++)
            if (runs[i].diverged) code = EXIT_DIVERGED;
    }
    free(runs);
    free(rows);
    return code;
}

int cmd_hard(int argc, char **argv)
{
    HardCommand c = {.sim = bench_sim_options(), .run = {.repeats = 1}, .seeds = 1};
    Option table[16 + SIM_OPTION_COUNT];
    int code = EXIT_USAGE;
    c.sim.duration = NAN;
    int count = option_table(table, &c);
    if (!options_parse("hard", table, count, print_help, NULL, NULL, argc, argv, &code))
        return code;
    if (!choose(&c) || !sim_options_finish("hard", &c.sim)) return EXIT_USAGE;
    c.run.def = sim_world_def(&c.sim);
    c.run.duration = c.sim.duration;
    return run_all(&c);
}
