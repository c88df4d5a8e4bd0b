/* Joints: pendulums in closed form, tables of ADAMS as published with Chrono's tests, reactions,
 * and what rolls or skates by a constraint. */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double halving[3] = {0.01, 0.005, 0.0025};

/* ---- a pendulum that starts level ---- */

static void period(Finding *f, const VerifyRow *row)
{
    Sim sim = sim_open(f, row->number, "0 0 -9.81",
                       "<worldbody><body><joint axis='0 1 0'/><inertial pos='0 0 -1' mass='1' "
                       "diaginertia='1e-12 1e-12 1e-12'/></body></worldbody>"
                       "<keyframe><key name='start' qpos='1.5707963267948966'/></keyframe>");
    double last = 1, first = 0, at = 0;
    int crossings = 0;
    while (crossings < 21 && sim_step(&sim)) {
        double x = sim_qpos(&sim)[0];
        if (x * last < 0) {
            at = sim_time(&sim) - sim.t * x / (x - last);
            if (!crossings++) first = at;
        }
        last = x;
    }
    f->value = (at - first) / 10;
    f->reference = 4 * sqrt(1 / 9.81) * elliptic_k(sin(VERIFY_PI / 4));
    sim_close(&sim);
}

/* Force of the pivot along the rod: m g cos θ + m l ω², with ω² = 2 g cos θ / l from level. */
static void tension(Finding *f, const VerifyRow *row)
{
    (void)row;
    Sim sim = sim_open(f, 0.001, "0 0 -9.81",
                       "<worldbody><body name='bob'><joint axis='0 1 0'/><inertial pos='0 0 -1' "
                       "mass='2' diaginertia='1e-12 1e-12 1e-12'/></body></worldbody>"
                       "<keyframe><key name='start' qpos='1.5707963267948966'/></keyframe>");
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "3 m g cos θ");
    double worst = 0;
    finding_axes(f, "time, s", "force along the rod, N");
    for (int k = 0; k < 2000; k++) {
        double before = sim_qpos(&sim)[0];
        if (!sim_step(&sim)) break;
        double angle = 0.5 * (before + sim_qpos(&sim)[0]), right = 3 * 2 * 9.81 * cos(angle);
        TnReaction r = tn_world_body_reaction(sim.world, tn_model_find_body(sim.model, "bob"));
        double along = r.force[0] * sin(angle) + r.force[2] * cos(angle);
        worst = fmax(worst, fabs(along - right) / (6 * 9.81));
        finding_point(f, curve, sim_time(&sim), along);
        finding_point(f, exact, sim_time(&sim), right);
    }
    f->value = worst;
    sim_close(&sim);
}

/* ---- a double pendulum of two bars ---- */

/* y: angles of both bars from the vertical, and their rates; 1 kg, 1 m each */
static void double_rate(const void *system, double t, const double *y, double *dy)
{
    const double g = 9.81;
    (void)system, (void)t;
    double d = y[0] - y[1], c = 0.5 * cos(d), s = 0.5 * sin(d);
    double A[4] = {4.0 / 3, c, c, 1.0 / 3};
    double b[2] = {-s * y[3] * y[3] - 1.5 * g * sin(y[0]), s * y[2] * y[2] - 0.5 * g * sin(y[1])};
    solve_linear(A, b, 2);
    dy[0] = y[2], dy[1] = y[3], dy[2] = b[0], dy[3] = b[1];
}

#define BAR                                                                                        \
    "<inertial pos='0 0 -.5' mass='1' diaginertia='.08333333333333333 "                            \
    ".08333333333333333 1e-9'/>"

static Sim double_pendulum(Finding *f, double timestep)
{
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><body><joint axis='0 1 0'/>" BAR "<body pos='0 0 -1'>"
                    "<joint axis='0 1 0'/>" BAR "</body></body></worldbody>"
                    "<keyframe><key name='start' qpos='1.5 -.5'/></keyframe>");
}

static void double_order(Finding *f, const VerifyRow *row)
{
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) {
        double y[4] = {1.5, 1.0, 0, 0};
        Sim sim = double_pendulum(f, halving[i]);
        errors[i] = 0;
        for (int k = 1; k <= 20; k++) {
            sim_run(&sim, 0.1 * k);
            ode_run(double_rate, NULL, y, 4, 0, 0.1, 200);
            errors[i] = fmax(errors[i], fabs(sim_qpos(&sim)[0] - y[0]));
        }
        sim_close(&sim);
    }
    finding_order(f, "step, s", halving, errors, 3, 2);
}

static void double_energy(Finding *f, const VerifyRow *row)
{
    (void)row;
    Sim sim = double_pendulum(f, 0.01);
    double start = sim_energy(&sim), worst = 0;
    for (int k = 0; k < 10000 && sim_step(&sim); k++)
        worst = fmax(worst, fabs(sim_energy(&sim) - start));
    f->value = worst;
    sim_close(&sim);
}

/* ---- gears ---- */

/* Two wheels, the second turns -3 times as fast; a torque on the first: (I₁ + 9 I₂) α = τ. */
static void gears(Finding *f, const VerifyRow *row)
{
    (void)row;
    Sim sim = sim_open(f, 0.01, "0 0 -9.81",
                       "<worldbody><body><joint name='a' axis='0 0 1'/><inertial pos='0 0 0' "
                       "mass='1' diaginertia='1 1 .2'/></body><body pos='1 0 0'><joint name='b' "
                       "axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 .05'/></body>"
                       "</worldbody><equality><joint joint1='b' joint2='a' polycoef='0 -3 0 0 0'/>"
                       "</equality><actuator><motor joint='a'/></actuator>");
    sim_control(&sim, 1.3);
    sim_run(&sim, 2.0);
    f->value = sim.world ? sim_qvel(&sim)[1] : 0.0;
    f->reference = -3 * 1.3 / (0.2 + 9 * 0.05) * 2.0;
    sim_close(&sim);
}

/* A slide of 2 kg at 1 m/s with 3 N of dry friction: stops after m v² / 2F. */
static double friction_way(Finding *f, double timestep)
{
    Sim sim = sim_open(f, timestep, "0 0 0",
                       "<worldbody><body><joint type='slide' axis='1 0 0' frictionloss='3'/>"
                       "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"
                       "<keyframe><key name='start' qvel='1'/></keyframe>");
    sim_run(&sim, 1.0);
    double way = sim.world ? sim_qpos(&sim)[0] : 0.0, speed = sim.world ? sim_qvel(&sim)[0] : 0.0;
    sim_close(&sim);
    return fabs(speed) < 1e-6 * 9.81 * timestep ? way : NAN; /* the solver's tolerance */
}

static void friction(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = friction_way(f, 0.001);
    f->reference = 2.0 / (2 * 3);
    finding_note(f, "%.6f m at 10 ms, %.6f m at 4 ms.", friction_way(f, 0.01),
                 friction_way(f, 0.004));
}

/* ---- a knife edge on a slope ---- */

/* It turns at Ω and cannot slip sideways: x = g' sin²(Ωt) / 2Ω², y = g' (Ωt - sin(2Ωt)/2) / 2Ω²,
 * x down the slope. Here the ground is level and gravity leans. */
static double knife_error(Finding *f, double timestep)
{
    const double turn = 2, down = 9.81 * sin(0.3);
    char gravity[64];
    double pos[3];
    snprintf(gravity, sizeof gravity, "%.17g 0 %.17g", down, -9.81 * cos(0.3));
    Sim sim = sim_open(f, timestep, gravity,
                       "<worldbody><body name='skate'><freejoint/><inertial pos='0 0 0' mass='2' "
                       "diaginertia='.02 .03 .03'/></body></worldbody>"
                       "<keyframe><key name='start' qvel='0 0 0 0 0 %g'/></keyframe><tenon>"
                       "<wheel body='skate' axle='0 1 0' roll='skate' keep='true'/></tenon>",
                       turn);
    double error = 0;
    for (int k = 1; k <= 15; k++) {
        sim_run(&sim, 0.2 * k);
        sim_body_pos(&sim, "skate", pos);
        double a = turn * 0.2 * k, scale = down / (2 * turn * turn);
        error = fmax(error, hypot(pos[0] - scale * sin(a) * sin(a),
                                  pos[1] - scale * (a - 0.5 * sin(2 * a))));
    }
    sim_close(&sim);
    return error;
}

static void knife_order(Finding *f, const VerifyRow *row)
{
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = knife_error(f, halving[i]);
    finding_order(f, "step, s", halving, errors, 3, 2);
}

static const char chrono[] =
    "ADAMS, tables in data/testing/joints of Project Chrono (BSD licence), at five times.";

static const VerifyRow rows[] = {
    {.name = "joints.pendulum.period",
     .shows = "A pendulum of 1 m that starts level: its period, mean of ten, at 1 ms.",
     .source = "T = 4 √(l/g) K(sin 45°).",
     .unit = "s",
     .tolerance = 5e-6,
     .reason = "second order: (ωt)²/24 of the period is 1e-6.",
     .quick = true,
     .run = period,
     .number = 0.001},
    {.name = "joints.pendulum.coarse",
     .shows = "The same at 20 ms.",
     .source = "T = 4 √(l/g) K(sin 45°).",
     .unit = "s",
     .tolerance = 2e-3,
     .reason = "400 times the error of the row above.",
     .quick = true,
     .run = period,
     .number = 0.02},
    {.name = "joints.tension",
     .shows =
         "The same pendulum with 2 kg: force of the pivot along the rod, largest error in 2 s.",
     .source = "3 m g cos θ.",
     .unit = "of 3 m g",
     .tolerance = 1e-5,
     .reason = "means over steps of 1 ms: second order.",
     .quick = true,
     .run = tension},
    {.name = "joints.double.order",
     .shows = "A double pendulum of two bars, 2 s: order of convergence of the first angle.",
     .source = "Lagrange's equations, integrated in the row.",
     .unit = "",
     .tolerance = 0.1,
     .reason = "the next order in the step.",
     .quick = true,
     .run = double_order},
    {.name = "joints.double.energy",
     .shows = "The same at 10 ms for 100 s: largest change of its energy, of about 20 J.",
     .source = "conservation.",
     .unit = "J",
     .tolerance = 1e-6,
     .reason =
         "steps restore what they lose (docs/time-stepping.md, Balances), except where all is "
         "slow.",
     .quick = true,
     .run = double_energy},
    {.name = "joints.adams.revolute",
     .shows = "A bar on an inclined hinge, case 2 of the revolute joint: largest difference of its "
              "centre's coordinates in 2.5 s.",
     .source = chrono,
     .unit = "m",
     .tolerance = 2e-4,
     .reason = "the tables have six digits and ADAMS's own error of integration; Chrono's own "
               "tests allow 2e-3.",
     .quick = true,
     .run = joint_adams},
    {.name = "joints.adams.force",
     .shows = "The same: force of the hinge on the ground, up to 22 N.",
     .source = chrono,
     .unit = "N",
     .tolerance = 5e-3,
     .reason = "the table itself scatters by 5e-4 N from line to line.",
     .quick = true,
     .run = joint_adams,
     .number = 3},
    {.name = "joints.adams.spherical",
     .shows = "The same bar on a ball joint, case 2 of the spherical joint.",
     .source = chrono,
     .unit = "m",
     .tolerance = 2e-4,
     .reason = "as above.",
     .quick = true,
     .run = joint_adams,
     .number = 1},
    {.name = "joints.adams.universal",
     .shows = "The same bar on a universal joint with inclined axes, case 3.",
     .source = chrono,
     .unit = "m",
     .tolerance = 5e-4,
     .reason = "as above. Steps of 1 ms and of 0.06 ms agree to 3e-6: the difference is the "
               "table's.",
     .quick = true,
     .run = joint_adams,
     .number = 2},
    {.name = "joints.adams.prismatic",
     .shows =
         "The same bar slides down a slanted axis, case 2 of the prismatic joint, 61 m in 5 s.",
     .source = chrono,
     .unit = "m",
     .tolerance = 2e-4,
     .reason = "the table has six digits of 59 m.",
     .quick = true,
     .run = joint_adams,
     .number = 4},
    {.name = "joints.adams.cylindrical",
     .shows = "The same bar slides along a slanted axis and turns about it, case 3 of the "
              "cylindrical joint.",
     .source = chrono,
     .unit = "m",
     .tolerance = 2e-4,
     .reason = "as above.",
     .quick = true,
     .run = joint_adams,
     .number = 5},
    {.name = "joints.adams.distance",
     .shows = "One end of the same bar stays 2 m from a point, case 3 of the distance constraint; "
              "here a tendon whose length an equality keeps.",
     .source = chrono,
     .unit = "m",
     .tolerance = 2e-4,
     .reason = "as above.",
     .quick = true,
     .run = joint_adams,
     .number = 6},
    {.name = "joints.gears",
     .shows =
         "Two wheels, the second turns -3 times as fast; 1.3 N m on the first for 2 s: speed of "
         "the second.",
     .source = "(I₁ + 9 I₂) α = τ.",
     .unit = "rad/s",
     .tolerance = 1e-5,
     .reason = "linear motion: the solver's tolerance, 1e-6 g t in each of 200 steps.",
     .quick = true,
     .run = gears},
    {.name = "joints.friction",
     .shows = "A slide of 2 kg at 1 m/s with 3 N of dry friction: way until it stands, at 1 ms.",
     .source = "m v² / 2F.",
     .unit = "m",
     .tolerance = 1e-5,
     .reason = "a step at its last speed, 1.5 mm/s.",
     .quick = true,
     .run = friction},
    {.name = "joints.knife.order",
     .shows = "A spinning knife edge on a slope of 0.3 rad drifts sideways, 3 s: order of "
              "convergence of its place.",
     .source = "x = g' sin² Ωt / 2Ω², y = g' (Ωt - ½ sin 2Ωt) / 2Ω² (Neimark and Fufaev 1972).",
     .unit = "",
     .tolerance = 0.2,
     .reason = "the next order in the step.",
     .quick = true,
     .run = knife_order},
};

const VerifyFamily verify_joints = {"joints", "Joints", rows, sizeof rows / sizeof *rows};
