/* Stacks, arches and grasps: what stands still must stand still, and carry its weight. */
#include "../trials/hard.h"
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run of a hard scene, changed or not, for `duration` seconds. */
static HardRun run_scene(Finding *f, const HardScene *scene, double duration)
{
    HardOptions options = {
        .def = tn_world_def(), .duration = duration, .noise = NAN, .repeats = 1, .quiet = true};
    HardRun run = {0};
    TnError err = {0};
    if (hard_run(scene, &options, 1, &run, &err) != TN_OK)
        finding_trouble(f, "%.300s", err.message);
    if (run.diverged) finding_trouble(f, "a step was rejected");
    return run;
}

static const HardScene *scene_named(Finding *f, const char *name)
{
    for (int i = 0; i < hard_scene_count; i++)
        if (!strcmp(hard_scenes[i].name, name)) return &hard_scenes[i];
    finding_trouble(f, "no scene '%s'", name);
    return &hard_scenes[0];
}

/* The scene is the row's name behind "stacks."; row->number is its duration. */
static HardRun run_row(Finding *f, const VerifyRow *row)
{
    HardRun run = run_scene(f, scene_named(f, strchr(row->name, '.') + 1), row->number);
    if (isfinite(run.fell_at)) finding_trouble(f, "it fell at %g s", run.fell_at);
    f->not_converged = (int)run.not_converged;
    return run;
}

static void force_error(Finding *f, const VerifyRow *row)
{
    HardRun run = run_row(f, row);
    f->value = run.force_error;
    finding_note(f, "moved by %.2g m in %g s, creeps at %.2g m/s", run.move, row->number,
                 run.creep);
}

static void creep(Finding *f, const VerifyRow *row)
{
    HardRun run = run_row(f, row);
    f->value = run.creep;
    finding_note(f, "moved by %.2g m in %g s; error of the forces %.2g of the weight", run.move,
                 row->number, run.force_error);
}

/* Steps of a shaken tower that do not reach the tolerance, of all. */
static void missed(Finding *f, const VerifyRow *row)
{
    HardRun run = run_row(f, row);
    f->value = (double)run.not_converged / (double)run.steps;
    finding_note(f, "largest error %.2g of gravity x timestep", run.error_max);
}

/* Thickness over radius at which an arch of 20 stones falls, by bisection. */
static void arch_limit(Finding *f, const VerifyRow *row)
{
    HardScene scene = *scene_named(f, "arch-0.12");
    double low = 0.095, high = 0.12;
    (void)row;
    for (int k = 0; k < 7; k++) {
        scene.number = 0.5 * (low + high);
        HardRun run = run_scene(f, &scene, 3);
        f->not_converged += (int)run.not_converged;
        *(isfinite(run.fell_at) || run.sink > 1e-3 ? &low : &high) = scene.number;
    }
    f->value = 0.5 * (low + high);
    f->reference = 0.1075;
}

/* Force of two plates at which a capsule of 45 g slips, by bisection. */
static void pinch_limit(Finding *f, const VerifyRow *row)
{
    HardScene scene = *scene_named(f, "pinch-0.1kg-12N");
    double low = 0.25, high = 0.4;
    (void)row;
    for (int k = 0; k < 14; k++) {
        scene.force = 0.5 * (low + high);
        HardRun run = run_scene(f, &scene, 2);
        *(isfinite(run.fell_at) || run.move > 1e-5 ? &low : &high) = scene.force;
    }
    f->value = 0.5 * (low + high);
    f->reference = 0.045 * 9.81 / (2 * 0.7);
}

/* 216 balls with friction fall into a box: median over the second second of the largest error of a
 * step by the laws of rigid contact, in gravity x timestep. */
static void pile(Finding *f, const VerifyRow *row)
{
    enum { SIDE = 6, STEPS = 100 };
    static const char walls[] =
        "<geom type='plane' size='0 0 1'/><geom type='plane' pos='-.2 0 0' zaxis='1 0 0' "
        "size='0 0 1'/><geom type='plane' pos='.2 0 0' zaxis='-1 0 0' size='0 0 1'/><geom "
        "type='plane' pos='0 -.2 0' zaxis='0 1 0' size='0 0 1'/><geom type='plane' pos='0 .2 0' "
        "zaxis='0 -1 0' size='0 0 1'/>";
    char *balls = malloc(SIDE * SIDE * SIDE * 128 + 1);
    size_t used = 0, size = SIDE * SIDE * SIDE * 128;
    double errors[STEPS];
    (void)row;
    for (int i = 0; balls && i < SIDE * SIDE * SIDE; i++)
        used += (size_t)snprintf(balls + used, size - used,
                                 "<body pos='%g %g %g'><freejoint/><geom size='.03' mass='.1' "
                                 "friction='.5 0 0'/></body>",
                                 0.065 * (i % SIDE - 2.5) + 0.001 * (i % 7),
                                 0.065 * (i / SIDE % SIDE - 2.5) + 0.001 * (i % 5),
                                 0.04 + 0.065 * (i / SIDE / SIDE));
    Sim sim =
        sim_open(f, 0.01, "0 0 -9.81", "<worldbody>%s%s</worldbody>", walls, balls ? balls : "");
    free(balls);
    for (int k = 0; k < 2 * STEPS && sim.world; k++) {
        TnStepReport report = tn_world_step(sim.world);
        f->not_converged += !report.converged;
        if (k >= STEPS) errors[k - STEPS] = report.rigid_error;
        if (k == 2 * STEPS - 1)
            finding_note(f, "mean depth %.2g m, deepest %.2g m in the last step",
                         report.mean_penetration, report.max_penetration);
    }
    for (int i = 1; i < STEPS && sim.world; i++) /* sorted by insertion */
        for (int k = i; k > 0 && errors[k] < errors[k - 1]; k--) {
            double swap = errors[k];
            errors[k] = errors[k - 1];
            errors[k - 1] = swap;
        }
    f->value = sim.world ? errors[STEPS / 2] : NAN;
    sim_close(&sim);
}

static const char statics[] = "statics: each joint carries what lies above it.";

static const VerifyRow rows[] = {
    {.name = "stacks.tower50",
     .shows = "A tower of 50 boxes, 20 s: largest error of the force between two of them.",
     .source = statics,
     .unit = "of the weight",
     .tolerance = 1e-6,
     .reason = "the solver's tolerance, 1e-6 of gravity x timestep.",
     .run = force_error,
     .number = 20},
    {.name = "stacks.heavy",
     .shows = "1000 kg on 1 kg: largest error of the force below.",
     .source = statics,
     .unit = "of the weight",
     .tolerance = 1e-6,
     .reason = "the solver's tolerance.",
     .quick = true,
     .run = force_error,
     .number = 4},
    {.name = "stacks.doubling",
     .shows = "Ten boxes, each twice as heavy as that below it.",
     .source = statics,
     .unit = "of the weight",
     .tolerance = 1e-6,
     .reason = "the solver's tolerance.",
     .quick = true,
     .run = force_error,
     .number = 4},
    {.name = "stacks.pyramid",
     .shows = "A pyramid of 55 boxes: speed of the fastest after the first second.",
     .source = "statics: it stands.",
     .unit = "m/s",
     .tolerance = 1e-8,
     .reason = "a tenth of what one step may leave, 1e-7 m/s.",
     .run = creep,
     .number = 4},
    {.name = "stacks.wall",
     .shows = "A wall of 100 bricks: the same.",
     .source = "statics: it stands.",
     .unit = "m/s",
     .tolerance = 1e-8,
     .reason = "the same.",
     .run = creep,
     .number = 4},
    {.name = "stacks.cards",
     .shows = "A house of cards, which friction alone holds: the same.",
     .source = "statics: it stands.",
     .unit = "m/s",
     .tolerance = 1e-8,
     .reason = "the same.",
     .quick = true,
     .run = creep,
     .number = 4},
    {.name = "stacks.arch",
     .shows = "Thickness over radius at which a half circle of 20 stones falls, by bisection.",
     .source = "0.1075 (Milankovitch 1907), for joints everywhere.",
     .unit = "",
     .relative = true,
     .tolerance = 0.02,
     .reason = "hinges open at joints only: 20 stones stand a little thinner.",
     .run = arch_limit},
    {.name = "stacks.pinch-0.1kg-12N",
     .shows = "A capsule of 45 g between two plates that push with 12 N: how fast it creeps.",
     .source = "0: friction holds it. MuJoCo's creeps at 1.55e-4 m/s (published by others, not "
               "measured here).",
     .unit = "m/s",
     .tolerance = 1e-8,
     .reason = "as for the pyramid.",
     .quick = true,
     .run = creep,
     .number = 4},
    {.name = "stacks.pinch-5kg-60N",
     .shows = "The same between plates of 5 kg with 60 N: a mass ratio of 100.",
     .source = "0.",
     .unit = "m/s",
     .tolerance = 1e-8,
     .reason = "the same.",
     .quick = true,
     .run = creep,
     .number = 4},
    {.name = "stacks.pinch.limit",
     .shows = "Force of the plates at which the capsule slips, by bisection.",
     .source = "m g / 2µ.",
     .unit = "N",
     .relative = true,
     .tolerance = 1e-3,
     .reason = "just below it, 2 s are too short to slip.",
     .run = pinch_limit},
    {.name = "stacks.arm",
     .shows = "An arm presses a box of 2 kg against a wall with 200 N: how fast it creeps.",
     .source = "0.",
     .unit = "m/s",
     .tolerance = 1e-8,
     .reason = "the same.",
     .quick = true,
     .run = creep,
     .number = 4},
    {.name = "stacks.shake",
     .shows = "A tower of 20 boxes under force noise of 30 % of their weight, 5 s: share of steps "
              "that miss the solver's tolerance.",
     .source = "0.",
     .unit = "",
     .tolerance = 0.05,
     .reason =
         "boxes on their edges, hit from all sides: no method finds forces to 1e-6 in time. "
         "Rounding decides which steps, and whether it falls later: the noise moves its boxes "
         "by half of their width in 10 s.",
     .weak = true,
     .run = missed,
     .number = 5},
    {.name = "stacks.pile",
     .shows = "216 balls with friction fall into a box: largest error of a step by the laws of "
              "rigid contact, median of a second, at 10 ms.",
     .source = "the solver's tolerance, 1e-6, counts as 0.",
     .unit = "of gravity x timestep",
     .tolerance = 0.02,
     .reason = "contacts of large islands yield (docs/solver.md): their own law is solved, that of "
               "rigid contacts is off by this much.",
     .weak = true,
     .run = pile},
};

const VerifyFamily verify_stacks = {"stacks", "Stacks, arches and grasps", rows,
                                    sizeof rows / sizeof *rows};
