/* Cables at their limits: buckling, twisted rings, friction around a post, knots.
 *
 * Buckling. Near the threshold one shape x is about to grow. Under strong damping (time τ on the
 * strains' rates) it follows τ k x' + (k - load) x = 0, so its rate crosses zero at the threshold,
 * and near it in a straight line. Two rates, a little below and above, give the threshold. */
#include "families.h"
#include "rod_sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAU 10.0 /* s, damping time; the steps are of 1 s */
#define BELOW 0.97
#define ABOVE 1.03

static double crossing(Finding *f, double below, double above)
{
    if (!(below < 0 && above > 0)) finding_trouble(f, "not between 0.97 and 1.03 of the formula");
    return BELOW + (ABOVE - BELOW) * below / (below - above);
}

/* Rate per τ at which heights change: the growth of their change from one stretch of time to the
 * next. */
static double growth_rate(RodSim *r, const double force[3])
{
    double z[3][128], change[2] = {0}, pos[3];
    int n = r->rod.segment_count;
    for (int k = 0; k < 3; k++) {
        rod_sim_march(r, 5 * (int)TAU, n - 1, force, NULL);
        for (int i = 0; i < n; i++) {
            rod_sim_pos(r, i, pos);
            z[k][i] = pos[2];
        }
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++) change[k] += pow(z[k + 1][i] - z[k][i], 2);
    return 0.5 * log(change[1] / change[0]) / 5;
}

/* ---- Euler: one end held, the other pressed and free ---- */

static double column_rate(Finding *f, int joints, double share)
{
    RodSim r = rod_sim_begin(f, 1, 1, 0);
    r.rod.segment_count = joints + 1;
    r.rod.end[0] = 1 + 0.5 / (joints + 0.5); /* 1 m between the clamp and the last centre */
    r.rod.radius = 0.005;
    r.rod.damping_time = TAU;
    rod_sim_add(&r);
    rod_sim_hold(&r, 0);
    rod_sim_finish(&r);
    double load = share * VERIFY_PI * VERIFY_PI * rod_bend(&r.rod) / 4;
    const double force[3] = {-load, 0, 0}, aside[3] = {-load, 0, 1e-7 * load};
    rod_sim_march(&r, 5 * (int)TAU, joints, aside, NULL);
    rod_sim_march(&r, 5 * (int)TAU, joints, force, NULL); /* the shapes that do not buckle go */
    double rate = growth_rate(&r, force);
    rod_sim_end(&r);
    return rate;
}

static double column_load(Finding *f, int joints)
{
    return crossing(f, column_rate(f, joints, BELOW), column_rate(f, joints, ABOVE));
}

static void euler(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = column_load(f, 40);
    f->reference = 1;
}

static void euler_order(Finding *f, const VerifyRow *row)
{
    const double joints[3] = {8, 16, 32};
    double errors[3], sizes[3];
    (void)row;
    for (int i = 0; i < 3; i++) {
        errors[i] = fabs(column_load(f, (int)joints[i]) - 1);
        sizes[i] = 1 / joints[i];
    }
    finding_order(f, "segment, lengths", sizes, errors, 3, 2);
}

/* ---- Michell: a ring that is twisted ---- */

static void quat_times(double r[4], const double a[4], const double b[4])
{
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Turns each segment about itself, from nothing at the first to `turn` at the last. */
static void twist_evenly(RodSim *r, double turn)
{
    double qpos[7 * 128];
    int n = r->rod.segment_count;
    if (!r->sim.world) return;
    TnStateView state = tn_world_state(r->sim.world);
    memcpy(qpos, state.qpos, sizeof(double) * (size_t)state.qpos_count);
    for (int i = -1; i <= n; i++) {
        double a = turn * fmin(fmax(i, 0), n - 1) / (n - 1), built[4];
        double about[4] = {cos(a / 2), 0, 0, sin(a / 2)}, *quat = qpos + 7 * (i + 1) + 3;
        memcpy(built, quat, sizeof built);
        quat_times(quat, built, about);
    }
    sim_set(&r->sim, qpos, NULL);
}

/* A naturally straight rod of 1 m bent to a ring, its ends joined after a relative twist. The last
 * segment lies where the first does and both are held, turned against each other by the twist. A
 * segment more at each side, beyond the held ones, makes these clamp at their centres. */
static RodSim ring(Finding *f, int joints, double share)
{
    RodSim r = rod_sim_begin(f, 1, 1, 0);
    double points[3 * 128], R = 1 / (2 * VERIFY_PI);
    for (int i = 0; i <= joints + 3; i++) {
        double a = 2 * VERIFY_PI * (i - 1.5) / joints; /* the first held segment along y */
        points[3 * i] = R * cos(a);
        points[3 * i + 1] = R * sin(a);
        points[3 * i + 2] = 0;
    }
    r.rod.segment_count = joints + 3;
    r.rod.points = points;
    r.rod.normal[0] = r.rod.normal[1] = 0;
    r.rod.normal[2] = 1;
    r.rod.straight_rest = true;
    r.rod.radius = 0.002;
    r.rod.damping_time = TAU;
    double turn = share * 2 * VERIFY_PI * sqrt(3) * rod_bend(&r.rod) / rod_twist(&r.rod);
    rod_sim_add(&r);
    r.first++;
    r.rod.segment_count = joints + 1;
    rod_sim_hold(&r, 0);
    const double along_y[4] = {0.5, -0.5, -0.5, -0.5};
    const double twist[4] = {cos(turn / 2), 0, 0, sin(turn / 2)};
    double quat[4];
    quat_times(quat, along_y, twist);
    rod_sim_hold_at(&r, joints, (const double[3]){points[3], 0, 0}, quat);
    rod_sim_finish(&r);
    twist_evenly(&r, turn);
    return r;
}

static double ring_rate(Finding *f, int joints, double share)
{
    RodSim r = ring(f, joints, share);
    const double aside[3] = {0, 0, 1e-5 * rod_bend(&r.rod)};
    rod_sim_march(&r, 5 * (int)TAU, 0, NULL, NULL); /* finds its size */
    rod_sim_march(&r, (int)TAU, joints / 3, aside, NULL);
    rod_sim_march(&r, 40 * (int)TAU, 0, NULL, NULL); /* the shapes that do not buckle go */
    double rate = growth_rate(&r, NULL);
    rod_sim_end(&r);
    return rate;
}

static double ring_twist(Finding *f, int joints)
{
    return crossing(f, ring_rate(f, joints, BELOW), ring_rate(f, joints, ABOVE));
}

static void michell(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = ring_twist(f, 64);
    f->reference = 1;
}

static void michell_order(Finding *f, const VerifyRow *row)
{
    const double joints[3] = {16, 32, 64};
    double errors[3], sizes[3];
    (void)row;
    for (int i = 0; i < 3; i++) {
        errors[i] = fabs(ring_twist(f, (int)joints[i]) - 1);
        sizes[i] = 1 / joints[i];
    }
    finding_order(f, "segment, lengths", sizes, errors, 3, 2);
}

/* ---- a cable around a post ---- */

enum { TAIL = 4, QUARTER = 8 }; /* segments: of a tail, of a quarter turn */
static const double post = 0.05, thick = 2.5e-4, mu = 0.3, stiff = 1e5;

/* e^(µφ) with the cable's thickness (friction acts below its centre line, ε = r/ρ: Λ (1 + µ ε Λ) =
 * µ (1 - ε)) and with segments that touch in their middles (δ: 1 + δ²/12). */
static double capstan_ratio(double angle)
{
    double e = thick / (post + thick), L = mu, d = VERIFY_PI / 2 / QUARTER;
    for (int k = 0; k < 50; k++) L = mu * (1 - e) / (1 + mu * e * L);
    return exp(L * angle * (1 + d * d / 12));
}

/* The post screws through under the cable, by itself, and too heavy to mind. */
static void add_post(RodSim *r)
{
    TnBodyDef body = tn_body_def();
    TnGeomDef geom = tn_geom_def();
    TnJointDef joint = tn_joint_def();
    body.has_inertia = true;
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e6;
    geom.body = joint.body = tn_builder_add_body(r->builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(r->builder, &joint);
    geom.type = TN_GEOM_CAPSULE;
    geom.size[0] = post;
    geom.size[1] = 0.5;
    geom.friction[0] = mu;
    geom.mass = 0;
    tn_builder_add_geom(r->builder, &geom);
}

static double tension(const RodSim *r, int segment, double length)
{
    double a[3], b[3], d2 = 0;
    rod_sim_pos(r, segment, a);
    rod_sim_pos(r, segment + 1, b);
    for (int k = 0; k < 3; k++) d2 += (b[k] - a[k]) * (b[k] - a[k]);
    return stiff * (sqrt(d2) / length - 1);
}

/* Laid around the post in a helix, free of stress as built; pulled with 1 N at one end, held at the
 * other, while the post slides below all of it. Ratio of the tensions. */
static double sliding_ratio(Finding *f, int quarters)
{
    int m = quarters * QUARTER, n = m + 1 + 2 * TAIL;
    double d = VERIFY_PI / 2 / QUARTER, rho = post + thick, l = 2 * rho * tan(d / 2);
    double slope = 4 * thick / (2 * VERIFY_PI * rho), length = l * sqrt(1 + slope * slope);
    double points[3 * 128] = {rho, -(TAIL + 0.5) * l, 0}, back[3], qvel[6 * 128] = {0};
    RodSim r = rod_sim_begin(f, 1e-3, 1, 0);
    for (int i = 0; i < n; i++) {
        double a = d * fmin(fmax(i - TAIL, 0), m), *p = points + 3 * i;
        p[3] = p[0] - l * sin(a);
        p[4] = p[1] + l * cos(a);
        p[5] = p[2] + l * slope;
    }
    for (int k = 0; k < 3; k++) back[k] = (points[k] - points[3 + k]) / length;
    r.rod.points = points;
    r.rod.segment_count = n;
    r.rod.radius = thick;
    r.rod.density = 1e5; /* at rest it does not matter, and the steps may be longer */
    r.rod.youngs_modulus = stiff / rod_area(&r.rod);
    r.rod.friction[0] = mu;
    rod_sim_add(&r);
    rod_sim_hold(&r, n - 1);
    add_post(&r);
    rod_sim_finish(&r);
    qvel[6 * n + 2] = -0.02 * slope / sqrt(1 + slope * slope);
    qvel[6 * n + 5] = -0.02 / (post * sqrt(1 + slope * slope));
    sim_set(&r.sim, NULL, qvel);
    rod_sim_march(&r, 120, 0, back, NULL);
    double ratio = tension(&r, n - 3, length) / tension(&r, 0, length);
    rod_sim_end(&r);
    return ratio;
}

static void capstan(Finding *f, const VerifyRow *row)
{
    (void)row;
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "e^(µφ)");
    f->curves[curve].marks = true;
    finding_axes(f, "angle, rad", "ratio of the tensions");
    f->log_y = true;
    for (int quarters = 1; quarters <= 8; quarters *= 2) {
        double angle = quarters * VERIFY_PI / 2, ratio = sliding_ratio(f, quarters);
        f->value = fmax(f->value, fabs(ratio / capstan_ratio(angle) - 1));
        finding_note(f, "%gπ: %.4f, e^(µφ) %.4f", 0.5 * quarters, ratio, exp(mu * angle));
        finding_point(f, curve, angle, ratio);
    }
    for (int i = 0; i <= 20; i++)
        finding_point(f, exact, 0.2 * i * VERIFY_PI, exp(mu * 0.2 * i * VERIFY_PI));
}

static const VerifyRow rows[] = {
    {.name = "limits.euler",
     .shows = "A clamped rod of 40 joints, pressed at its free end: load at which it buckles.",
     .source = "π² EI / 4L² (Euler 1744).",
     .unit = "of the formula's",
     .tolerance = 1e-3,
     .reason = "springs in n joints leave 0.4/n², the rod's thickness 6e-5.",
     .quick = true,
     .run = euler},
    {.name = "limits.euler.order",
     .shows = "The same with 8, 16 and 32 joints: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.2,
     .reason = "the rod's thickness is no part of the formula.",
     .quick = true,
     .run = euler_order},
    {.name = "limits.michell",
     .shows = "A ring of 64 joints, twisted before it was closed: twist at which it leaves its "
              "plane.",
     .source = "2π √3 EI / GJ (Michell 1889).",
     .unit = "of the formula's",
     .tolerance = 2.5e-3,
     .reason = "about 7/n².",
     .run = michell},
    {.name = "limits.michell.order",
     .shows = "The same with 16, 32 and 64 joints: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.3,
     .reason = "the next order in the segments.",
     .run = michell_order},
    {.name = "limits.capstan",
     .shows = "A cable slides around a post by π/2 to 4π, µ = 0.3: largest error of the ratio of "
              "its tensions.",
     .source = "e^(µφ) (Euler, Eytelwein), with the cable's thickness and its segments, which "
               "change it by up to 2 %.",
     .unit = "of the ratio",
     .tolerance = 1e-3,
     .reason = "the shear force that goes with the thickness begins and ends.",
     .run = capstan},
    {.name = "limits.knot",
     .shows = "An overhand knot in a frictionless cable of 0.4 mm whose ends are pulled: radius of "
              "its loop.",
     .source = "√(EI/2T), to leading order in √(thickness/R) (Audoly, Clauvelin and Neukirch "
               "2007).",
     .unit = "m",
     .relative = true,
     .tolerance = 0.12,
     .reason = "√(0.2 mm/25 mm) is 0.09; thinner cables come nearer.",
     .run = cable_knot,
     .number = 0.0002},
};

const VerifyFamily verify_limits = {"limits", "Cables at their limits", rows,
                                    sizeof rows / sizeof *rows};
