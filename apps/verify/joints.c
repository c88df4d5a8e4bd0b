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

/* ---- ADAMS's tables, as published in the data of Chrono's tests ---- */

/* A pendulum of 1 kg, its centre 2 m from the joint; positions of the centre, or forces of the
 * joint on the ground, every half second. */
typedef struct Adams {
    const char *joints; /* of the body, whose frame is the world's at the joint */
    double at[3];       /* m: the joint */
    const char *inertial;
    double table[5][3];
} Adams;

static const Adams revolute = {"<joint axis='0 .7071067811865476 .7071067811865476'/>",
                               {1, 2, 3},
                               "pos='2 0 0' diaginertia='.04 .1 .1'",
                               {{2.825910, 2.577080, 2.422920},
                                {1.042100, 3.413900, 1.586100},
                                {-0.802951, 2.612110, 2.387890},
                                {-1.000000, 2.000630, 2.999370},
                                {-0.846888, 2.542680, 2.457320}}};
static const Adams revolute_force = {"<joint axis='0 .7071067811865476 .7071067811865476'/>",
                                     {1, 2, 3},
                                     "pos='2 0 0' diaginertia='.04 .1 .1'",
                                     {{7.560950, -2.394070, -7.412590},
                                      {0.427164, 9.560810, -19.36730},
                                      {-7.919320, -2.095080, -7.711590},
                                      {-0.00899056, -4.783850, -5.023050},
                                      {-7.191930, -2.670740, -7.136380}}};
static const Adams spherical = {"<joint type='ball'/>",
                                {1, 2, 3},
                                "pos='2 0 0' diaginertia='.04 .1 .1'",
                                {{2.660810, 2, 1.885680},
                                 {0.107619, 2, 1.210120},
                                 {-0.991669, 2, 2.817640},
                                 {-0.951117, 2, 2.560520},
                                 {0.734494, 2, 1.017700}}};
static const Adams universal = {"<joint axis='.5 -.5 .7071067811865476'/>"
                                "<joint axis='-.5 .5 .7071067811865476'/>",
                                {0, 0, 0},
                                "pos='1.414213562373095 1.414213562373095 0' fullinertia="
                                "'.07 .07 .1 -.03 0 0'",
                                {{1.174120, 1.174800, -1.114140},
                                 {-0.636240, -0.614073, -1.793910},
                                 {-1.427740, -1.388150, -0.186016},
                                 {-1.399940, -1.360700, -0.434373},
                                 {-0.206772, -0.190945, -1.980100}}};

/* x + R(q) c */
static void place_of(const double x[3], const double q[4], const double c[3], double out[3])
{
    double t[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        t[k] = q[i + 1] * c[j] - q[j + 1] * c[i] + q[0] * c[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = x[k] + c[k] + 2 * (q[i + 1] * t[j] - q[j + 1] * t[i]);
    }
}

static void adams_curves(Finding *f, bool force)
{
    char name[16];
    for (int k = 0; k < 6; k++) {
        snprintf(name, sizeof name, k < 3 ? "tenon %c" : "ADAMS %c", 'x' + k % 3);
        f->curves[finding_curve(f, name)].marks = k >= 3;
    }
    finding_axes(f, "time, s", force ? "force of the joint, N" : "centre of the bar, m");
}

static void adams(Finding *f, const VerifyRow *row)
{
    const Adams *a = row->number == 0   ? &revolute
                     : row->number == 1 ? &spherical
                     : row->number == 2 ? &universal
                                        : &revolute_force;
    bool force = a == &revolute_force;
    Sim sim = sim_open(f, 0.001, "0 0 -9.80665",
                       "<worldbody><body name='bar' pos='%g %g %g'>%s<inertial mass='1' %s/></body>"
                       "</worldbody>",
                       a->at[0], a->at[1], a->at[2], a->joints, a->inertial);
    TnBodyId bar = sim.model ? tn_model_find_body(sim.model, "bar") : 0;
    double pos[3], quat[4], value[3], before[3] = {0};
    adams_curves(f, force);
    for (int k = 1; k <= 2501 && sim_step(&sim); k++) {
        int row_at = force ? k - 1 : k; /* forces of two steps belong to the time between them */
        tn_world_body_pose(sim.world, bar, pos, quat);
        place_of(pos, quat, tn_model_body_info(sim.model, bar).com, value);
        TnReaction r = tn_world_body_reaction(sim.world, bar);
        for (int i = 0; i < 3 && force; i++) {
            value[i] = -0.5 * (r.force[i] + before[i]);
            before[i] = r.force[i];
        }
        if (row_at < 1 || row_at > 2500) continue;
        for (int i = 0; i < 3; i++) finding_point(f, i, 0.001 * row_at, value[i]);
        if (row_at % 500) continue;
        const double *right = a->table[row_at / 500 - 1];
        for (int i = 0; i < 3; i++) {
            f->value = fmax(f->value, fabs(value[i] - right[i]));
            finding_point(f, 3 + i, 0.001 * row_at, right[i]);
        }
    }
    sim_close(&sim);
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
    "ADAMS, tables in data/testing/joints of Project Chrono (BSD licence), every 0.5 s.";

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
     .run = adams},
    {.name = "joints.adams.force",
     .shows = "The same: force of the hinge on the ground, up to 22 N.",
     .source = chrono,
     .unit = "N",
     .tolerance = 5e-3,
     .reason = "the table itself scatters by 5e-4 N from line to line.",
     .quick = true,
     .run = adams,
     .number = 3},
    {.name = "joints.adams.spherical",
     .shows = "The same bar on a ball joint, case 2 of the spherical joint.",
     .source = chrono,
     .unit = "m",
     .tolerance = 2e-4,
     .reason = "as above.",
     .quick = true,
     .run = adams,
     .number = 1},
    {.name = "joints.adams.universal",
     .shows = "The same bar on a universal joint with inclined axes, case 3.",
     .source = chrono,
     .unit = "m",
     .tolerance = 5e-4,
     .reason = "as above. Steps of 1 ms and of 0.06 ms agree to 3e-6: the difference is the "
               "table's.",
     .quick = true,
     .run = adams,
     .number = 2},
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
