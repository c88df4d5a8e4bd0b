/* Classics of contact: sliding, rolling, bouncing, tipping, against closed forms. */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static const double halving[3] = {0.01, 0.005, 0.0025};

#define GROUND "<geom type='plane' size='0 0 1' friction='%.17g 0 0'/>"

/* The ground is level and gravity leans by `angle`, which is the same as a slope. */
static const char *lean(double angle, char text[80])
{
    snprintf(text, 80, "%.17g 0 %.17g", G * sin(angle), -G * cos(angle));
    return text;
}

/* ---- a box on a slope ---- */

static double slide_speed(Finding *f, double mu, double angle)
{
    char gravity[80];
    double v[3], w[3];
    Sim sim = sim_open(f, 0.01, lean(angle, gravity),
                       "<worldbody>" GROUND "<body name='box' pos='0 0 .05'><freejoint/>"
                       "<geom type='box' size='.1 .1 .05' mass='1.3' friction='%.17g 0 0'/></body>"
                       "</worldbody>",
                       mu, mu);
    sim_run(&sim, 1);
    sim_body_velocity(&sim, "box", v, w);
    sim_close(&sim);
    return v[0];
}

static void slope_slide(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = slide_speed(f, 0.3, 0.6);
    f->reference = G * (sin(0.6) - 0.3 * cos(0.6));
}

/* The slope's tangent at which it begins to slide, by bisection. */
static void slope_angle(Finding *f, const VerifyRow *row)
{
    double low = 0.49, high = 0.51;
    (void)row;
    for (int k = 0; k < 14; k++) {
        double middle = 0.5 * (low + high);
        *(slide_speed(f, 0.5, atan(middle)) < 1e-6 ? &low : &high) = middle;
    }
    f->value = 0.5 * (low + high);
    f->reference = 0.5;
}

/* ---- a box that slides to a halt ---- */

static double stop_way(double speed) { return speed * speed / (2 * 0.4 * G); }

static double stop_error(Finding *f, double timestep, double speed)
{
    double pos[3];
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody>" GROUND "<body name='box' pos='0 0 .05'><freejoint/>"
                       "<geom type='box' size='.1 .1 .05' mass='1' friction='.4 0 0'/></body>"
                       "</worldbody><keyframe><key name='start' qvel='%.17g 0 0 0 0 0'/>"
                       "</keyframe>",
                       0.4, speed);
    sim_run(&sim, 1);
    sim_body_pos(&sim, "box", pos);
    sim_close(&sim);
    return fabs(pos[0] - stop_way(speed));
}

/* Slip that ends the share a into a step leaves an error of a (1 - a) µ g t² / 2. At a third or two
 * thirds that is the same, and halving the step changes one into the other. */
static const double slip_ends = 0.01 * (76 + 1.0 / 3); /* s */

static void stop_order(Finding *f, const VerifyRow *row)
{
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = stop_error(f, halving[i], 0.4 * G * slip_ends);
    finding_order(f, "step, s", halving, errors, 3, 2);
}

static void stop(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = stop_error(f, 0.01, 3) / stop_way(3);
}

/* ---- a billiard ball ---- */

/* The slip at the ground, s = v + R z × ω, keeps its direction: the ball's path is a parabola until
 * t = 2 |s| / (7 µ g), then it rolls straight with v - 2 s / 7. */
typedef struct Shot {
    double v[2], w[3];
} Shot;
static const Shot shot = {{2, 0}, {-40, -30, 50}};

static double shot_slip(double s[2])
{
    s[0] = shot.v[0] - 0.03 * shot.w[1];
    s[1] = shot.v[1] + 0.03 * shot.w[0];
    return hypot(s[0], s[1]);
}

static Sim billiard(Finding *f, double timestep, double mu)
{
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>" GROUND "<body name='ball' pos='0 0 .03'><freejoint/>"
                    "<geom size='.03' mass='.2' friction='%.17g 0 0'/></body></worldbody>"
                    "<keyframe><key name='start' qvel='%g %g 0 %g %g %g'/></keyframe>",
                    mu, mu, shot.v[0], shot.v[1], shot.w[0], shot.w[1], shot.w[2]);
}

static void shot_path(double t, double mu, double pos[2], double v[2])
{
    double s[2], size = shot_slip(s), roll = 2 * size / (7 * mu * G), slid = fmin(t, roll);
    for (int k = 0; k < 2; k++) {
        double a = -mu * G * s[k] / size;
        v[k] = shot.v[k] + a * slid;
        pos[k] = shot.v[k] * slid + 0.5 * a * slid * slid + v[k] * (t - slid);
    }
}

static void masse(Finding *f, const VerifyRow *row)
{
    double v[3], w[3], pos[3], right[2], at[2];
    (void)row;
    Sim sim = billiard(f, 0.001, 0.2);
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "closed form");
    finding_axes(f, "x, m", "y, m");
    for (int k = 1; k <= 100; k++) {
        sim_run(&sim, 0.01 * k);
        sim_body_pos(&sim, "ball", pos);
        sim_body_velocity(&sim, "ball", v, w);
        shot_path(0.01 * k, 0.2, at, right);
        finding_point(f, curve, pos[0], pos[1]);
        finding_point(f, exact, at[0], at[1]);
    }
    f->value = hypot(v[0] - right[0], v[1] - right[1]);
    finding_note(f, "place off by %.2g m of %.2g", hypot(pos[0] - at[0], pos[1] - at[1]),
                 hypot(at[0], at[1]));
    sim_close(&sim);
}

static void masse_order(Finding *f, const VerifyRow *row)
{
    double errors[3], s[2], mu = 2 * shot_slip(s) / (7 * G * slip_ends);
    (void)row;
    for (int i = 0; i < 3; i++) {
        double pos[3], at[2], right[2];
        Sim sim = billiard(f, halving[i], mu);
        sim_run(&sim, 1);
        sim_body_pos(&sim, "ball", pos);
        shot_path(1, mu, at, right);
        errors[i] = hypot(pos[0] - at[0], pos[1] - at[1]);
        sim_close(&sim);
    }
    finding_order(f, "step, s", halving, errors, 3, 2);
}

/* ---- spin and rolling friction ---- */

static Sim ball_on_ground(Finding *f, int condim, const char *friction, const char *qvel)
{
    return sim_open(f, 0.01, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' condim='%d' friction='%s'/>"
                    "<body name='ball' pos='0 0 .1'><freejoint/><geom size='.1' mass='1' "
                    "condim='%d' friction='%s'/></body></worldbody>"
                    "<keyframe><key name='start' qvel='%s'/></keyframe>",
                    condim, friction, condim, friction, qvel);
}

static void spin(Finding *f, const VerifyRow *row)
{
    double v[3], w[3];
    (void)row;
    Sim sim = ball_on_ground(f, 4, "0 .01 .0001", "0 0 0 0 0 30");
    sim_run(&sim, 1);
    sim_body_velocity(&sim, "ball", v, w);
    f->value = w[2];
    f->reference = 30 - 0.01 * G / 0.004;
    sim_close(&sim);
}

static void roll(Finding *f, const VerifyRow *row)
{
    double v[3], w[3];
    (void)row;
    Sim sim = ball_on_ground(f, 6, ".8 .005 .002", "2 0 0 0 20 0");
    sim_run(&sim, 1);
    sim_body_velocity(&sim, "ball", v, w);
    f->value = v[0];
    f->reference = 2 - 5.0 / 7 * 0.002 * G / 0.1;
    sim_close(&sim);
}

/* ---- bouncing ---- */

/* ε = 0.8 from 1 m: where it is after some bounces. */
static void bounce(Finding *f, const VerifyRow *row)
{
    (void)row;
    Sim sim = sim_open(f, 0.01, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1'/><body name='ball' "
                       "pos='0 0 1.1'><freejoint/><geom name='g' size='.1' mass='1'/></body>"
                       "</worldbody><tenon><geom name='g' restitution='.8'/></tenon>");
    double fall = sqrt(2 / G), at = fall, up = 0.8 * G * fall, pos[3];
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "closed form");
    finding_axes(f, "time, s", "height, m");
    for (int k = 1; k <= 300 && sim_step(&sim); k++) {
        double t = sim_time(&sim);
        while (t > at + 2 * up / G) at += 2 * up / G, up *= 0.8;
        double s = t - at, z = t < fall ? 1 - 0.5 * G * t * t : up * s - 0.5 * G * s * s;
        sim_body_pos(&sim, "ball", pos);
        finding_point(f, curve, t, pos[2] - 0.1);
        finding_point(f, exact, t, z);
        f->value = fmax(f->value, fabs(pos[2] - 0.1 - z));
    }
    sim_close(&sim);
}

/* Infinitely many bounces take √(2h/g) (1 + ε) / (1 - ε). */
static void zeno(Finding *f, const VerifyRow *row)
{
    double v[3], w[3];
    (void)row;
    Sim sim = sim_open(f, 0.001, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1'/><body name='ball' "
                       "pos='0 0 1.1'><freejoint/><geom name='g' size='.1' mass='1'/></body>"
                       "</worldbody><tenon><geom name='g' restitution='.8'/></tenon>");
    for (int k = 0; k < 6000 && sim_step(&sim); k++) {
        sim_body_velocity(&sim, "ball", v, w);
        if (fabs(v[2]) > 1e-6) f->value = sim_time(&sim);
    }
    f->reference = sqrt(2 / G) * 9;
    sim_close(&sim);
}

/* Five balls in a row: the first comes with 1 m/s, the last leaves; row->number is the gap. */
static void cradle(Finding *f, const VerifyRow *row)
{
    char balls[2048] = "";
    size_t used = 0;
    for (int i = 0; i < 5; i++)
        used += (size_t)snprintf(
            balls + used, sizeof balls - used,
            "<body name='b%d' pos='%.17g 0 0'><freejoint/><geom name='g%d' size='.02' "
            "mass='.1'/></body>",
            i, i * (0.04 + row->number) - (i ? 0 : 0.01), i);
    Sim sim = sim_open(f, 0.001, "0 0 0",
                       "<worldbody>%s</worldbody><keyframe><key name='start' qvel='1 0 0 0 0 0 0 0 "
                       "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'/></keyframe><tenon>"
                       "<geom name='g0' restitution='1'/><geom name='g1' restitution='1'/>"
                       "<geom name='g2' restitution='1'/><geom name='g3' restitution='1'/>"
                       "<geom name='g4' restitution='1'/></tenon>",
                       balls);
    sim_run(&sim, 0.1);
    for (int i = 0; i < 5; i++) {
        char name[8];
        double v[3], w[3];
        snprintf(name, sizeof name, "b%d", i);
        sim_body_velocity(&sim, name, v, w);
        f->value = fmax(f->value, fabs(v[0] - (i == 4)));
    }
    sim_close(&sim);
}

/* ---- tipping ---- */

/* A tall box leans over its lower edge and falls: ½ I ω² = m g r (cos φ₀ - cos φ). Share by which
 * its rate is off at φ = 0.5. */
static double tip_error(Finding *f, double timestep)
{
    const double a = 0.05, b = 0.15, begin = 0.05;
    double r = hypot(a, b), balance = atan2(a, b), pos[3], q[4] = {1}, v[3], w[3], phi = begin;
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody>" GROUND "<body name='box' pos='%.17g 0 %.17g' "
                       "euler='0 %.17g 0'><freejoint/><geom type='box' size='.05 .05 .15' mass='2' "
                       "friction='1 0 0'/></body></worldbody>",
                       1.0, r * sin(begin), r * cos(begin), balance + begin);
    TnBodyId box = sim.model ? tn_model_find_body(sim.model, "box") : 0;
    while (phi < 0.5 && sim_step(&sim) && sim_time(&sim) < 3) {
        tn_world_body_pose(sim.world, box, pos, q);
        phi = 2 * atan2(q[2], q[0]) - balance;
    }
    sim_body_velocity(&sim, "box", v, w);
    sim_close(&sim);
    return fabs(w[1] / sqrt(2 * G * (cos(begin) - cos(phi)) / (r * 4 / 3)) - 1);
}

static void tip_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.002, 0.001, 0.0005};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = tip_error(f, steps[i]);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

/* The slope's tangent at which a box of 0.1 × 0.3 m tips over, by bisection. */
static void tip_angle(Finding *f, const VerifyRow *row)
{
    double low = 0.30, high = 0.37, pos[3];
    (void)row;
    for (int k = 0; k < 12; k++) {
        double middle = 0.5 * (low + high);
        char gravity[80];
        Sim sim = sim_open(f, 0.01, lean(atan(middle), gravity),
                           "<worldbody>" GROUND "<body name='box' pos='0 0 .15'><freejoint/>"
                           "<geom type='box' size='.05 .05 .15' mass='2' friction='2 0 0'/></body>"
                           "</worldbody>",
                           2.0);
        sim_run(&sim, 3);
        sim_body_pos(&sim, "box", pos);
        *(pos[2] > 0.149 ? &low : &high) = middle;
        sim_close(&sim);
    }
    f->value = 0.5 * (low + high);
    f->reference = 1.0 / 3;
}

/* ---- a block on a wedge that moves ---- */

static void wedge(Finding *f, const VerifyRow *row)
{
    const double angle = 0.5, M = 3, m = 1;
    (void)row;
    Sim sim = sim_open(f, 0.01, "0 0 -9.81",
                       "<worldbody><body name='wedge'><joint type='slide' axis='1 0 0'/><geom "
                       "type='box' size='2 .2 .1' euler='0 %.17g 0' mass='%g' condim='1'/></body>"
                       "<body name='block' pos='%.17g 0 %.17g' euler='0 %.17g 0'><freejoint/>"
                       "<geom type='box' size='.1 .1 .05' mass='%g' condim='1'/></body>"
                       "</worldbody>",
                       angle, M, 0.15 * sin(angle), 0.15 * cos(angle), angle, m);
    sim_run(&sim, 0.5);
    f->value = sim_qvel(&sim)[0] / 0.5;
    f->reference = -m * G * sin(angle) * cos(angle) / (M + m * sin(angle) * sin(angle));
    sim_close(&sim);
}

/* ---- a block on a belt, held by a spring ---- */

/* It rides along until the spring equals the friction, then swings about that place and just
 * touches the belt's speed once in each turn. */
static void belt(Finding *f, const VerifyRow *row)
{
    const double mu = 0.4, k = 100, speed = 0.2, w = 10;
    (void)row;
    Sim sim =
        sim_open(f, 0.001, "0 0 -9.81",
                 "<worldbody><body name='belt' pos='0 0 -.1'><joint type='slide' axis='1 0 0'/>"
                 "<geom type='box' size='5 .5 .1' mass='1e9' friction='%g 0 0'/></body>"
                 "<body name='block' pos='0 0 .1'><joint type='slide' axis='1 0 0' stiffness='%g'/>"
                 "<joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1' mass='1' "
                 "friction='%g 0 0'/></body></worldbody>"
                 "<keyframe><key name='start' qvel='%g %g 0'/></keyframe>",
                 mu, k, mu, speed, speed);
    double leaves = mu * G / k / speed;
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "closed form");
    finding_axes(f, "time, s", "place of the block, m");
    for (int i = 0; i < 3000 && sim_step(&sim); i++) {
        double t = sim_time(&sim), x = sim_qpos(&sim)[1];
        double right = t < leaves ? speed * t : mu * G / k + speed / w * sin(w * (t - leaves));
        f->value = fmax(f->value, fabs(x - right));
        finding_point(f, curve, t, x);
        finding_point(f, exact, t, right);
    }
    sim_close(&sim);
}

/* ---- a ball runs off a larger one ---- */

/* Without friction it leaves at cos θ = 2/3 cos θ₀, rolling at 10/17 (row->number). */
static void dome(Finding *f, const VerifyRow *row)
{
    const double begin = 0.2, reach = 1.1;
    double pos[3], angle = begin, force[3];
    bool touched = false;
    Sim sim = sim_open(f, 0.0005, "0 0 -9.81",
                       "<worldbody><geom size='1' condim='%d' friction='50 0 0'/>"
                       "<body name='ball' pos='%.17g 0 %.17g'><freejoint/><geom size='.1' mass='1' "
                       "condim='%d' friction='50 0 0'/></body></worldbody>",
                       row->number > 0 ? 3 : 1, reach * sin(begin), reach * cos(begin),
                       row->number > 0 ? 3 : 1);
    while (sim_time(&sim) < 5 && sim_step(&sim)) {
        sim_body_pos(&sim, "ball", pos);
        sim_contact_force(&sim, "ball", force);
        bool touches = force[0] != 0 || force[2] != 0;
        if (touched && !touches) break;
        touched = touches;
        angle = atan2(pos[0], pos[2]);
    }
    f->value = cos(angle) / cos(begin);
    f->reference = row->number > 0 ? 10.0 / 17 : 2.0 / 3;
    sim_close(&sim);
}

static const VerifyRow rows[] = {
    {.name = "contact.slope.slide",
     .shows = "A box slides down a slope of 0.6 rad, µ = 0.3: its speed after 1 s.",
     .source = "g (sin α - µ cos α) t.",
     .unit = "m/s",
     .tolerance = 1e-6,
     .reason = "steps of constant acceleration are exact; the solver's tolerance is 1e-7 m/s.",
     .quick = true,
     .run = slope_slide},
    {.name = "contact.slope.angle",
     .shows = "Slope at which a box with µ = 0.5 begins to slide, by bisection.",
     .source = "tan α = µ.",
     .unit = "",
     .tolerance = 5e-6,
     .reason = "slower than 1e-6 m/s after a second counts as rest.",
     .quick = true,
     .run = slope_angle},
    {.name = "contact.stop",
     .shows = "A box with 3 m/s slides to a halt, µ = 0.4, at 10 ms: error of its way.",
     .source = "v²/2µg.",
     .unit = "of the way",
     .tolerance = 6e-5,
     .reason = "the step in which it stops counts as one of constant force: µ g t²/8 at most, "
               "4.3e-5.",
     .quick = true,
     .run = stop},
    {.name = "contact.stop.order",
     .shows =
         "The same at three steps, with a speed for which it stops a third or two thirds into a "
         "step: order of convergence.",
     .source = "second order.",
     .unit = "",
     .tolerance = 0.05,
     .reason = "all of the error is that of the step in which it stops: a (1 - a) µ g t²/2 at the "
               "share a of it, the same at both.",
     .quick = true,
     .run = stop_order},
    {.name = "contact.masse",
     .shows = "A billiard ball with side spin slides on a parabola, then rolls: error of its "
              "velocity after 1 s at 1 ms.",
     .source = "v - 2 s / 7, s the slip at the start (Coriolis 1835).",
     .unit = "m/s",
     .tolerance = 1e-5,
     .reason = "the solver's tolerance of 1e-8 m/s per step.",
     .quick = true,
     .run = masse},
    {.name = "contact.masse.order",
     .shows =
         "The same, with µ for which it begins to roll a third or two thirds into a step: order "
         "of convergence of its place after 1 s.",
     .source = "closed form of its path; second order.",
     .unit = "",
     .tolerance = 0.05,
     .reason = "as contact.stop.order: the step in which it begins to roll.",
     .quick = true,
     .run = masse_order},
    {.name = "contact.spin",
     .shows = "A spinning ball is braked by torsional friction (condim 4): its spin after 1 s.",
     .source = "ω₀ - µ_t m g t / I.",
     .unit = "rad/s",
     .tolerance = 1e-5,
     .reason = "a constant torque; the solver's tolerance.",
     .quick = true,
     .run = spin},
    {.name = "contact.roll",
     .shows = "A rolling ball is braked by rolling friction (condim 6): its speed after 1 s.",
     .source = "v₀ - 5/7 µ_r g t / R.",
     .unit = "m/s",
     .tolerance = 1e-5,
     .reason = "a constant torque; the solver's tolerance.",
     .quick = true,
     .run = roll},
    {.name = "contact.bounce",
     .shows = "A ball with restitution 0.8 falls from 1 m: largest error of its height in 3 s at "
              "10 ms.",
     .source = "parabolas.",
     .unit = "m",
     .tolerance = 1e-11,
     .reason = "impacts are found within the step: rounding.",
     .quick = true,
     .run = bounce},
    {.name = "contact.zeno",
     .shows = "The same at 1 ms: the time at which it has come to rest after infinitely many "
              "bounces.",
     .source = "√(2h/g) (1 + ε)/(1 - ε).",
     .unit = "s",
     .tolerance = 0.03,
     .reason = "once bounces are shorter than a step there is one in each step: it takes some 20 "
               "steps more.",
     .quick = true,
     .run = zeno},
    {.name = "contact.cradle",
     .shows = "A ball with 1 m/s hits a row of four that touch: largest error of the five speeds.",
     .source = "the last one leaves with 1 m/s, all others rest.",
     .unit = "m/s",
     .tolerance = 1e-6,
     .reason = "impacts follow each other until no pair approaches.",
     .quick = true,
     .run = cradle},
    {.name = "contact.cradle.gaps",
     .shows = "The same with gaps of 1 µm.",
     .source = "the same.",
     .unit = "m/s",
     .tolerance = 1e-6,
     .reason = "the same.",
     .quick = true,
     .run = cradle,
     .number = 1e-6},
    {.name = "contact.tip.angle",
     .shows = "Slope at which a box of 0.1 × 0.3 m tips over, by bisection.",
     .source = "tan α = width / height.",
     .unit = "",
     .tolerance = 1e-3,
     .reason = "just above it, 3 s are too short to tip.",
     .run = tip_angle},
    {.name = "contact.tip.order",
     .shows = "A box tips over its edge: order of convergence of its rate at 0.5 rad.",
     .source = "½ I ω² = m g r (cos φ₀ - cos φ) at the angle reached; second order.",
     .unit = "",
     .tolerance = 0.1,
     .reason = "the next order in the step.",
     .quick = true,
     .run = tip_order},
    {.name = "contact.wedge",
     .shows = "A block slides down a wedge that slides itself, no friction: acceleration of the "
              "wedge.",
     .source = "m g sin α cos α / (M + m sin² α).",
     .unit = "m/s²",
     .tolerance = 1e-5,
     .reason = "the solver's tolerance.",
     .quick = true,
     .run = wedge},
    {.name = "contact.belt",
     .shows = "A block on a belt, held by a spring: sticks, slips, and grazes the belt's speed in "
              "each turn; largest error of its place in 3 s at 1 ms.",
     .source = "v t until µmg = k x, then µmg/k + (v/ω) sin ω(t - t₁).",
     .unit = "m",
     .tolerance = 1e-5,
     .reason = "second order: after 3 s it lags by 30 (ωt)²/12 rad of 0.02 m, 5e-6.",
     .quick = true,
     .run = belt},
    {.name = "contact.dome",
     .shows = "A ball slides off a larger one without friction: cosine of the angle at which it "
              "leaves, relative to that of the start.",
     .source = "2/3.",
     .unit = "",
     .tolerance = 1.5e-3,
     .reason = "it leaves within a step of 0.5 ms, in which the cosine falls by 9e-4.",
     .quick = true,
     .run = dome},
    {.name = "contact.dome.rolling",
     .shows = "The same, rolling.",
     .source = "10/17.",
     .unit = "",
     .tolerance = 1.5e-3,
     .reason = "the same.",
     .quick = true,
     .run = dome,
     .number = 1},
};

const VerifyFamily verify_contact = {"contact", "Contact", rows, sizeof rows / sizeof *rows};
