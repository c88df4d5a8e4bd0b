/* tenon-bench hard: stacks, mass ratios, arches, grasps and impacts, and what became of them. */
#include "../common/app.h"
#include "../common/options.h"
#include "bench.h"
#include "built_scenes.h"
#include "commands.h"
#include "hard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
                   "runs of each random scene, 1 ... 100; default 1; the row has the worst");
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
    printf(
        "Usage: tenon-bench hard [OPTIONS]\n\n"
        "Runs scenes that are hard on solvers and prints what became of them. Times do not\n"
        "include measuring. A run ends when something has fallen.\n\nScenes (docs/scenes.md):\n ");
    int column = 1;
    for (int i = 0; i < hard_scene_count; i++) {
        int length = (int)strlen(hard_scenes[i].name) + 1;
        if (column + length > 78) column = printf("\n ") - 1;
        column += printf(" %s", hard_scenes[i].name);
    }
    printf("\n");
    options_help(table, count);
    printf(
        "\nColumns; `-` where one does not apply:\n"
        "  contacts     mean over steps\n"
        "  step us      microseconds per step: mean over the steps after the first second (all "
        "where it\n"
        "               fell before), each with its least time of --repeats\n"
        "  error max    largest natural-map error of any constraint of any step, in shares of g t\n"
        "  median       over steps of each step's largest natural-map error\n"
        "  not conv.    steps that did not reach the tolerance\n"
        "  force error  a cut takes all bodies from one layer up, or one body of a grasp; upward "
        "force\n"
        "               through its contacts less its weight and the noise on it in the same step\n"
        "               (of a plate: along the grip, less the grip), which is zero at rest, by "
        "weight\n"
        "               or grip; largest of all cuts, mean over the last second; - from a noise "
        "of\n"
        "               0.1 on, as bodies may lift, and where bodies sleep\n"
        "  sink m       deepest any body came below its place after the first second\n"
        "  move m       farthest any body came from its place after the first second\n"
        "  tilt rad     largest turn of any body from its start\n"
        "  creep m/s    fastest body, as the slope of a straight line through its positions after\n"
        "               the first second\n"
        "  warm/sub/asm/newton   islands over all steps by what solved them: the last step's "
        "forces,\n"
        "               SubADMM, assembled ADMM, Newton\n"
        "  steps        of Newton, mean over the islands that it solved\n"
        "  verdict      stands or fell, holds or dropped; of a cradle how many balls leave, at "
        "what\n"
        "               share of the first one's speed, and the first one's own after the impact\n"
        "Runs below two seconds take their first half for the first second. Noise is normally\n"
        "distributed, independent for each body, axis and step, SHARE of the weight being its\n"
        "deviation; on a pinch it acts along the plates alone. arch-0.095 must fall.\n"
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
    bool told = !c->run.quiet && isatty(STDERR_FILENO);
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
    HardCommand c = {.sim = sim_options(), .run = {.repeats = 1}, .seeds = 1};
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
