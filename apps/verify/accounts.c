/* Balances: momentum of what touches nothing fixed, and the account of energy. */
#include "families.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static double uniform(uint64_t *state) /* in [-1, 1) */
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* ---- momentum ---- */

/* Eight boxes fly at each other in space. */
static void collide(Finding *f, const VerifyRow *row)
{
    char parts[4096] = "<worldbody>";
    size_t used = strlen(parts);
    double qvel[48] = {0}, P0[3], L0[3], P[3], L[3], size = 0;
    uint64_t random = 12345;
    (void)row;
    for (int i = 0; i < 8; i++) {
        double at[3] = {0.13 * (i % 2), 0.13 * (i / 2 % 2), 0.13 * (i / 4)};
        used += (size_t)snprintf(parts + used, sizeof parts - used,
                                 "<body pos='%g %g %g'><freejoint/><geom type='box' "
                                 "size='.05 .05 .05' mass='%d'/></body>",
                                 at[0], at[1], at[2], 1 + i);
        for (int k = 0; k < 3; k++) {
            qvel[6 * i + k] = -3 * (at[k] - 0.065) + 0.1 * uniform(&random);
            size += (1 + i) * fabs(qvel[6 * i + k]);
        }
    }
    Sim sim = sim_open(f, 0.01, "0 0 0", "%s</worldbody>", parts);
    sim_set(&sim, NULL, qvel);
    tn_world_momentum(sim.world, P0, L0);
    int touches = 0;
    for (int k = 0; k < 100 && sim_step(&sim); k++) {
        touches += tn_world_contact_count(sim.world);
        tn_world_momentum(sim.world, P, L);
        for (int i = 0; i < 3; i++)
            f->value = fmax(f->value, fmax(fabs(P[i] - P0[i]), fabs(L[i] - L0[i])) / size);
    }
    if (!touches) finding_trouble(f, "nothing touched");
    sim_close(&sim);
}

/* A cable, a soft block or an arm, thrown and spinning, with nothing around: change of angular
 * momentum about the centre of mass. */
static const char *const thrown[] = {
    /* an arm of three links */
    "<worldbody><body><freejoint/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='1'/>"
    "<body pos='.4 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' "
    "mass='1' contype='0' conaffinity='0'/><body pos='.4 0 0'><joint axis='0 0 1'/><geom "
    "type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='2' contype='0' conaffinity='0'/></body>"
    "</body></body></worldbody><keyframe><key name='start' qvel='1 2 3 4 5 6 7 -8'/></keyframe>",
    /* a soft block */
    "<worldbody/><tenon><soft name='s' box='.1 .05 .05' cells='4 2 2' pos='0 0 0' young='1e5' "
    "poisson='.3' density='1000'/></tenon>",
};

static void throw_it(Finding *f, const VerifyRow *row)
{
    double P[3], L0[3], L[3], size = 0;
    int kind = (int)row->number;
    Sim sim = sim_open(f, 0.005, "0 0 0", "%s", thrown[kind]);
    if (kind == 1 && sim.world) { /* spins, and stretches as it does */
        TnSoftInfo info = tn_model_soft_info(sim.model, 1);
        double qvel[3 * 64] = {0};
        for (int i = 0; i < info.node_count && i < 64; i++) {
            qvel[3 * i] = -20 * info.rest[3 * i + 1];
            qvel[3 * i + 1] = 20 * info.rest[3 * i];
            qvel[3 * i + 2] = 5 * info.rest[3 * i];
        }
        sim_set(&sim, NULL, qvel);
    }
    tn_world_momentum(sim.world, P, L0);
    for (int k = 0; k < 3; k++) size += fabs(L0[k]);
    for (int k = 0; k < 400 && sim_step(&sim); k++) {
        tn_world_momentum(sim.world, P, L);
        for (int i = 0; i < 3; i++) f->value = fmax(f->value, fabs(L[i] - L0[i]) / size);
    }
    sim_close(&sim);
}

/* ---- energy ---- */

static double sum_of(const TnEnergyAccount *a)
{
    return a->actuators + a->applied + a->push_out - a->friction - a->damping - a->impacts -
           a->step - a->unsolved + a->created;
}

/* Boxes fall in a heap: energy against its account; with row->number 1, what steps created. */
static void heap(Finding *f, const VerifyRow *row)
{
    char parts[8192] = "<worldbody><geom type='plane' size='0 0 1' friction='.5 0 0'/>";
    size_t used = strlen(parts);
    uint64_t random = 7;
    for (int i = 0; i < 12; i++)
        used +=
            (size_t)snprintf(parts + used, sizeof parts - used,
                             "<body pos='%g %g %g' euler='%g %g %g'><freejoint/><geom type='box' "
                             "size='.05 .04 .06' mass='1' friction='.5 0 0'/></body>",
                             0.04 * uniform(&random), 0.04 * uniform(&random), 0.12 + 0.16 * i,
                             uniform(&random), uniform(&random), uniform(&random));
    Sim sim = sim_open(f, 0.01, "0 0 -9.81", "%s</worldbody>", parts);
    double start = sim_energy(&sim);
    int energy = finding_curve(f, "kinetic + potential"),
        account = finding_reference_curve(f, "by the account");
    finding_axes(f, "time, s", "energy, J");
    for (int k = 0; k < 250 && sim_step(&sim); k++) {
        TnEnergyAccount a = tn_world_energy_account(sim.world);
        double error = row->number > 0 ? a.created : fabs(sim_energy(&sim) - start - sum_of(&a));
        f->value = fmax(f->value, error / start);
        finding_point(f, energy, sim_time(&sim), sim_energy(&sim));
        finding_point(f, account, sim_time(&sim), start + sum_of(&a));
    }
    if (row->number > 0) finding_free(f); /* the plot is the other row's */
    sim_close(&sim);
}

/* A motor pulls a sled of 2 kg with 10 N over ground with µ = 0.3. */
static void sled(Finding *f, const VerifyRow *row)
{
    Sim sim = sim_open(f, 0.01, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1' friction='.3 0 0'/><body "
                       "name='sled' pos='0 0 .1'><joint name='x' type='slide' axis='1 0 0'/>"
                       "<joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1' "
                       "mass='2' friction='.3 0 0'/></body></worldbody><actuator><motor "
                       "joint='x'/></actuator>");
    sim_control(&sim, 10);
    sim_run(&sim, 2);
    TnEnergyAccount a = tn_world_energy_account(sim.world);
    double way = sim_qpos(&sim)[0];
    f->value = row->number > 0 ? a.friction : a.actuators;
    f->reference = row->number > 0 ? 0.3 * 2 * G * way : 10 * way;
    sim_close(&sim);
}

/* A bar with restitution 1 spins between two planes: energy left after a second, mean of 16.
 * row->number: of a capsule, or the step with a box. */
static void bar(Finding *f, const VerifyRow *row)
{
    bool box = row->number > 0;
    double sum = 0, least = 1;
    uint64_t random = 3;
    for (int i = 0; i < 16; i++) {
        double angle = uniform(&random), up = 1 + uniform(&random), turn = 12 * uniform(&random);
        Sim sim = sim_open(
            f, box ? row->number : 0.01, "0 0 0",
            "<worldbody><geom type='plane' size='0 0 1' condim='1'/><geom type='plane' "
            "pos='0 0 .66' euler='3.141592653589793 0 0' size='0 0 1' condim='1'/>"
            "<body pos='0 0 .33' euler='0 %g 0'><freejoint/><geom name='bar' %s mass='1' "
            "condim='1'/></body></worldbody><tenon><geom name='bar' restitution='1'/></tenon>"
            "<keyframe><key name='start' qvel='0 0 %g 0 %g 0'/></keyframe>",
            angle,
            box ? "type='box' size='.3 .02 .02'"
                : "type='capsule' fromto='-.3 0 0 .3 0 0' size='.02'",
            up, turn);
        double start = sim_energy(&sim);
        sim_run(&sim, 1);
        double left = sim_energy(&sim) / start;
        sum += left / 16;
        least = fmin(least, left);
        sim_close(&sim);
    }
    f->value = sum;
    f->reference = 1;
    finding_note(f, "least of the 16: %.3g", least);
}

static const VerifyRow rows[] = {
    {.name = "accounts.collide",
     .shows = "Eight boxes of 1 to 8 kg collide in space: largest change of linear and angular "
              "momentum in 1 s.",
     .source = "conservation.",
     .unit = "of Σ m |v|",
     .tolerance = 1e-10,
     .reason = "rounding: forces act on both sides at one point.",
     .quick = true,
     .run = collide},
    {.name = "accounts.arm",
     .shows = "An arm of three links tumbles in space at up to 8 rad/s: largest change of angular "
              "momentum in 2 s.",
     .source = "conservation.",
     .unit = "of its size",
     .tolerance = 1e-10,
     .reason = "rounding.",
     .quick = true,
     .run = throw_it},
    {.name = "accounts.soft",
     .shows = "A soft block spins at 20 rad/s and stretches: the same.",
     .source = "conservation.",
     .unit = "of its size",
     .tolerance = 1e-10,
     .reason = "rounding.",
     .quick = true,
     .run = throw_it,
     .number = 1},
    {.name = "accounts.heap",
     .shows = "Twelve boxes fall in a heap: largest difference between their energy and its "
              "account (work, friction, impacts, steps).",
     .source = "conservation.",
     .unit = "of the energy",
     .tolerance = 1e-12,
     .reason = "rounding.",
     .quick = true,
     .run = heap},
    {.name = "accounts.heap.created",
     .shows = "The same: energy that steps created and that could not be taken back, in all.",
     .source = "0.",
     .unit = "of the energy",
     .tolerance = 1e-4,
     .reason = "boxes that overlap by micrometres are pushed apart.",
     .quick = true,
     .run = heap,
     .number = 1},
    {.name = "accounts.work",
     .shows = "A motor pulls a sled with 10 N, 2 s: its work in the account.",
     .source = "F s, by the sled's own way.",
     .unit = "J",
     .relative = true,
     .tolerance = 1e-9,
     .reason = "rounding.",
     .quick = true,
     .run = sled},
    {.name = "accounts.friction",
     .shows = "The same: loss to friction.",
     .source = "µ m g s.",
     .unit = "J",
     .relative = true,
     .tolerance = 1e-6,
     .reason = "the solver's tolerance.",
     .quick = true,
     .run = sled,
     .number = 1},
    {.name = "accounts.bar",
     .shows = "A capsule of 0.6 m with restitution 1 spins at up to 12 rad/s between two planes, "
              "several impacts in a step of 10 ms: energy left after 1 s, mean of 16.",
     .source = "1.",
     .unit = "",
     .tolerance = 1e-9,
     .reason = "impacts are found within the step: rounding.",
     .quick = true,
     .run = bar},
    {.name = "accounts.bar.box.1ms",
     .shows = "The same with a box instead of a capsule, at 1 ms.",
     .source = "1.",
     .unit = "",
     .tolerance = 1e-4,
     .reason = "an edge has two corners, and a path that turns lists them more than once: what "
               "sweeps over them leave is taken off the rebound.",
     .quick = true,
     .run = bar,
     .number = 0.001},
    {.name = "accounts.bar.box.10ms",
     .shows = "The same at 10 ms.",
     .source = "1.",
     .unit = "",
     .tolerance = 0.05,
     .reason = "the same, and corners that come round within a step. Energy is lost, never gained.",
     .weak = true,
     .quick = true,
     .run = bar,
     .number = 0.01},
};

const VerifyFamily verify_accounts = {"accounts", "Energy and momentum", rows,
                                      sizeof rows / sizeof *rows};
