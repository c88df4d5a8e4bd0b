/* Free and forced motion: falling, spinning, swinging, driven. */
#include "families.h"

#include <math.h>
#include <string.h>

static const double halving[3] = {0.01, 0.005, 0.0025};

/* ---- falling ---- */

static void fall(Finding *f, const VerifyRow *row)
{
    (void)row;
    Sim sim = sim_open(f, 0.01, "0 0 -9.81",
                       "<worldbody><body name='ball' pos='0 0 100'><freejoint/>"
                       "<geom size='.1' mass='2'/></body></worldbody>");
    double pos[3];
    sim_run(&sim, 4.0);
    sim_body_pos(&sim, "ball", pos);
    f->value = pos[2];
    f->reference = 100 - 0.5 * 9.81 * 16;
    sim_close(&sim);
}

/* ---- a body without torque, near its middle axis ---- */

static const double inertia[3] = {0.02, 0.03, 0.04};

static void euler_rate(const void *system, double t, const double *w, double *dw)
{
    (void)system, (void)t;
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        dw[k] = (inertia[a] - inertia[b]) * w[a] * w[b] / inertia[k];
    }
}

static Sim tumbling(Finding *f, double timestep)
{
    Sim sim = sim_open(f, timestep, "0 0 0",
                       "<worldbody><body name='book'><freejoint/><inertial pos='0 0 0' mass='1' "
                       "diaginertia='.02 .03 .04'/></body></worldbody><keyframe><key name='start' "
                       "qvel='0 0 0 .1 5 .1'/></keyframe>");
    return sim;
}

static double tumble_error(Finding *f, double timestep, bool draw)
{
    double w[3] = {0.1, 5, 0.1}, error = 0;
    Sim sim = tumbling(f, timestep);
    int curve = draw ? finding_curve(f, "tenon") : -1;
    int exact = draw ? finding_reference_curve(f, "Euler's equations") : -1;
    for (int k = 0; k < 100; k++) {
        sim_run(&sim, 0.1 * (k + 1));
        ode_run(euler_rate, NULL, w, 3, 0, 0.1, 200);
        finding_point(f, curve, sim_time(&sim), sim_qvel(&sim)[4]);
        finding_point(f, exact, sim_time(&sim), w[1]);
        for (int i = 0; i < 3; i++) error = fmax(error, fabs(sim_qvel(&sim)[3 + i] - w[i]));
    }
    sim_close(&sim);
    return error;
}

static void tumble(Finding *f, const VerifyRow *row)
{
    (void)row;
    finding_axes(f, "time, s", "angular velocity about the middle axis, rad/s");
    f->value = tumble_error(f, 0.001, true);
}

static void tumble_order(Finding *f, const VerifyRow *row)
{
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = tumble_error(f, 0.5 * halving[i], false);
    finding_order(f, "step, s", (const double[]){0.005, 0.0025, 0.00125}, errors, 3, 2);
}

static void tumble_kept(Finding *f, const VerifyRow *row)
{
    Sim sim = tumbling(f, 0.01);
    double P[3], L[3], L0[3], most = 0, start = sim_energy(&sim), size = 0;
    tn_world_momentum(sim.world, P, L0);
    for (int k = 0; k < 3; k++) size += L0[k] * L0[k];
    for (int k = 0; k < 1000 && sim_step(&sim); k++) {
        tn_world_momentum(sim.world, P, L);
        for (int i = 0; i < 3 && row->number > 0; i++)
            most = fmax(most, fabs(L[i] - L0[i]) / sqrt(size));
        if (row->number == 0) most = fmax(most, fabs(sim_energy(&sim) / start - 1));
    }
    f->value = most;
    sim_close(&sim);
}

/* ---- springs ---- */

typedef struct Spring {
    double stiffness, damping, force, drive; /* of 1 kg; force cos(drive t) */
} Spring;

/* Position at t; it starts 1 m aside, at rest. */
static double spring_exact(const Spring *s, double t)
{
    double w0 = sqrt(s->stiffness), d = 0.5 * s->damping, w = sqrt(w0 * w0 - d * d);
    double a = w0 * w0 - s->drive * s->drive, b = s->damping * s->drive;
    double in = s->force * a / (a * a + b * b), across = s->force * b / (a * a + b * b);
    double x = 1 - in, v = d * x - s->drive * across; /* of what dies out */
    return exp(-d * t) * (x * cos(w * t) + v / w * sin(w * t)) + in * cos(s->drive * t) +
           across * sin(s->drive * t);
}

static double spring_error(Finding *f, const Spring *s, double timestep, double duration, bool draw)
{
    Sim sim = sim_open(f, timestep, "0 0 0",
                       "<worldbody><body><joint name='x' type='slide' axis='1 0 0' "
                       "stiffness='%.17g' damping='%.17g'/><geom size='.1' mass='1'/></body>"
                       "</worldbody><actuator><motor joint='x'/></actuator>"
                       "<keyframe><key name='start' qpos='1'/></keyframe>",
                       s->stiffness, s->damping);
    int curve = draw ? finding_curve(f, "tenon") : -1;
    int exact = draw ? finding_reference_curve(f, "closed form") : -1;
    double error = 0;
    while (sim.world && sim_time(&sim) < duration - 0.5 * timestep) {
        sim_control(&sim, s->force * cos(s->drive * (sim_time(&sim) + 0.5 * timestep)));
        if (!sim_step(&sim)) break;
        double x = sim_qpos(&sim)[0], right = spring_exact(s, sim_time(&sim));
        error = fmax(error, fabs(x - right));
        finding_point(f, curve, sim_time(&sim), x);
        finding_point(f, exact, sim_time(&sim), right);
    }
    sim_close(&sim);
    return error;
}

static const Spring plain = {100, 0, 0, 0}, damped = {100, 2, 0, 0}, driven = {100, 2, 50, 7};

static void spring_order(Finding *f, const VerifyRow *row)
{
    const Spring *s = row->number == 0 ? &plain : row->number == 1 ? &damped : &driven;
    double errors[3];
    for (int i = 0; i < 3; i++) errors[i] = spring_error(f, s, halving[i], 2, false);
    finding_order(f, "step, s", halving, errors, 3, 2);
}

static void spring_drive(Finding *f, const VerifyRow *row)
{
    (void)row;
    finding_axes(f, "time, s", "position, m");
    f->value = spring_error(f, &driven, 0.001, 4, true);
}

/* Periods of a spring that the step hardly resolves: row->number is ω t. */
static void coarse_period(Finding *f, const VerifyRow *row)
{
    Sim sim = sim_open(f, 0.01, "0 0 0",
                       "<worldbody><body><joint type='slide' axis='1 0 0' stiffness='%.17g'/>"
                       "<geom size='.1' mass='1'/></body></worldbody>"
                       "<keyframe><key name='start' qpos='1'/></keyframe>",
                       pow(row->number / 0.01, 2));
    double last = 1, first = 0, at = 0;
    int crossings = 0;
    for (int k = 0; k < 1000 && sim_step(&sim); k++) {
        double x = sim_qpos(&sim)[0];
        if (x * last < 0) {
            at = sim_time(&sim) - sim.t * x / (x - last);
            if (!crossings++) first = at;
        }
        last = x;
    }
    f->value = 2 * (at - first) / (crossings - 1) / (2 * VERIFY_PI * 0.01 / row->number);
    f->reference = 1;
    finding_note(f, "the midpoint rule itself gives %.6g",
                 row->number / (2 * atan(0.5 * row->number)));
    sim_close(&sim);
}

/* ---- a bead on a rod that turns ---- */

static double bead_error(Finding *f, double timestep)
{
    Sim sim = sim_open(f, timestep, "0 0 0",
                       "<worldbody><body><joint axis='0 0 1'/><inertial pos='0 0 0' mass='1' "
                       "diaginertia='1e9 1e9 1e9'/><body><joint type='slide' axis='1 0 0'/>"
                       "<geom size='.01' mass='1'/></body></body></worldbody>"
                       "<keyframe><key name='start' qpos='0 .1' qvel='3 0'/></keyframe>");
    sim_run(&sim, 1);
    double error = fabs(sim_qpos(&sim)[1] - 0.1 * cosh(3));
    sim_close(&sim);
    return error;
}

static void bead(Finding *f, const VerifyRow *row)
{
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = bead_error(f, halving[i]);
    finding_order(f, "step, s", halving, errors, 3, 2);
}

/* ---- a heavy top in steady precession ---- */

/* 1 kg, 0.05 m from the pivot, leaning by θ = 0.5; about the pivot A across and C along its axis.
 * Steady: A Ω² cos θ - C ω₃ Ω + m g l = 0. */
static double top_error(Finding *f, double timestep)
{
    const double A = 0.0047, C = 0.004, spin = 60, lean = 0.5, mgl = 9.81 * 0.05;
    double cos_ = cos(lean), root = sqrt(C * C * spin * spin - 4 * A * cos_ * mgl);
    double rate = 2 * mgl / (C * spin + root), pos[3];
    /* ω = Ω e_z + s e_3, with ω₃ = s + Ω cos θ; in the body's axes e_z is (0, sin θ, cos θ) */
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody><body name='top' euler='%.17g 0 0'><joint type='ball'/>"
                       "<inertial pos='0 0 .05' mass='1' diaginertia='.0022 .0022 .004'/>"
                       "<body name='tip' pos='0 0 .1'/></body></worldbody>"
                       "<keyframe><key name='start' qvel='0 %.17g %.17g'/></keyframe>",
                       lean, rate * sin(lean), spin);
    sim_run(&sim, 1);
    sim_body_pos(&sim, "tip", pos);
    /* the tip starts at -y */
    double angle = atan2(pos[0], -pos[1]), error = remainder(angle - rate, 2 * VERIFY_PI);
    sim_close(&sim);
    return fabs(error);
}

static void top_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.00025, 0.000125, 0.0000625};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = top_error(f, steps[i]);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

static void top_coarse(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = top_error(f, 0.01);
    finding_note(f, "%.2g at 5 ms, %.2g at 2.5 ms, %.2g at 1 ms", top_error(f, 0.005),
                 top_error(f, 0.0025), top_error(f, 0.001));
}

static const char order_reason[] = "0.1: the next order in the step.";

static const VerifyRow rows[] = {
    {.name = "free.fall",
     .shows = "A ball falls for 4 s: its height.",
     .source = "z = z₀ - g t²/2.",
     .unit = "m",
     .tolerance = 1e-11,
     .reason = "rounding of 400 steps of 100 m: the midpoint rule is exact for constant forces.",
     .quick = true,
     .run = fall},
    {.name = "free.tumble",
     .shows = "A body with three different moments of inertia turns about its middle axis and "
              "flips over again and again: largest error of its angular velocity in 10 s at 1 ms.",
     .source = "Euler's equations, integrated in the row.",
     .unit = "rad/s",
     .tolerance = 2e-5,
     .reason = "second order: 1e-5 of 5 rad/s at 1 ms.",
     .quick = true,
     .run = tumble},
    {.name = "free.tumble.order",
     .shows = "The same at three steps: order of convergence.",
     .source = "Euler's equations, integrated in the row; the step is second order.",
     .unit = "",
     .tolerance = 0.1,
     .reason = order_reason,
     .quick = true,
     .run = tumble_order},
    {.name = "free.tumble.energy",
     .shows = "The same at 10 ms: largest change of its energy in 10 s.",
     .source = "conservation.",
     .unit = "of the energy",
     .tolerance = 1e-11,
     .reason = "rounding of 1000 steps.",
     .quick = true,
     .run = tumble_kept},
    {.name = "free.tumble.momentum",
     .shows = "The same: largest change of its angular momentum in space.",
     .source = "conservation.",
     .unit = "of its size",
     .tolerance = 1e-11,
     .reason = "rounding of 1000 steps.",
     .quick = true,
     .run = tumble_kept,
     .number = 1},
    {.name = "free.spring.order",
     .shows = "A mass on a spring, 10 rad/s, 2 s: order of convergence of the largest error.",
     .source = "x = cos ωt.",
     .unit = "",
     .tolerance = 0.1,
     .reason = order_reason,
     .quick = true,
     .run = spring_order},
    {.name = "free.damped.order",
     .shows = "The same with a tenth of critical damping.",
     .source = "closed form of the damped oscillator.",
     .unit = "",
     .tolerance = 0.1,
     .reason = order_reason,
     .quick = true,
     .run = spring_order,
     .number = 1},
    {.name = "free.driven",
     .shows = "The same with a motor's force 50 N cos(7 rad/s t): largest error in 4 s at 1 ms.",
     .source = "closed form of the driven oscillator.",
     .unit = "m",
     .tolerance = 5e-5,
     .reason = "second order: (ωt)²/12 of the phase.",
     .quick = true,
     .run = spring_drive},
    {.name = "free.driven.order",
     .shows = "The same at three steps. Controls are set to their value in the middle of a step.",
     .source = "closed form of the driven oscillator.",
     .unit = "",
     .tolerance = 0.1,
     .reason = order_reason,
     .quick = true,
     .run = spring_order,
     .number = 2},
    {.name = "free.spring.coarse",
     .shows = "A spring that turns by one radian in a step: its period, as a fraction of 2π/ω.",
     .source = "2π/ω.",
     .unit = "",
     .tolerance = 0.1,
     .reason = "the midpoint rule keeps the energy of such springs, but slows them: 8 % here.",
     .weak = true,
     .quick = true,
     .run = coarse_period,
     .number = 1},
    {.name = "free.bead.order",
     .shows = "A bead slides without friction on a rod that turns at 3 rad/s: order of convergence "
              "of its place after 1 s.",
     .source = "r = r₀ cosh Ωt.",
     .unit = "",
     .tolerance = 0.1,
     .reason = order_reason,
     .quick = true,
     .run = bead},
    {.name = "free.top",
     .shows = "A heavy top at 60 rad/s in steady precession, 2.1 rad/s: error of the angle of "
              "precession after 1 s at 10 ms.",
     .source = "A Ω² cos θ - C ω₃ Ω + m g l = 0 (Lagrange's top).",
     .unit = "rad",
     .tolerance = 3e-3,
     .reason = "trees that turn fast take parts of the step, about 0.06 rad each: the error hardly "
               "depends on the step above 1 ms.",
     .quick = true,
     .run = top_coarse},
    {.name = "free.top.order",
     .shows = "The same at three steps below those: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.1,
     .reason = order_reason,
     .run = top_order},
};

const VerifyFamily verify_free_motion = {"free", "Free and forced motion", rows,
                                         sizeof rows / sizeof *rows};
