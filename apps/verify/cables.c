/* Cables at rest and in motion: elastica, circle, catenary, frequency. */
#include "families.h"
#include "rod_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the elastica: a clamped rod with a force across its end ---- */

/* θ'' = -α cos θ, θ(0) = 0, θ'(1) = 0, with s from the clamp and α = P L²/EI. y: θ, θ', x, w. */
static void elastica_rate(const void *system, double s, const double *y, double *dy)
{
    (void)s;
    dy[0] = y[1];
    dy[1] = -*(const double *)system * cos(y[0]);
    dy[2] = cos(y[0]);
    dy[3] = sin(y[0]);
}

static double end_curvature(double k, const void *alpha)
{
    double y[4] = {0, k};
    ode_run(elastica_rate, alpha, y, 4, 0, 1, 200);
    return y[1];
}

/* Deflection of the end, in lengths. */
static double elastica(double alpha)
{
    double y[4] = {0, root_of(end_curvature, &alpha, 0, 10)};
    ode_run(elastica_rate, &alpha, y, 4, 0, 1, 200);
    return y[3];
}

/* The rod is clamped at the origin and its last segment's centre is at 1 m. */
static double deflection(Finding *f, int joints, double alpha)
{
    RodSim r = rod_sim_begin(f, 4, 1, 0);
    double pos[3];
    r.rod.segment_count = joints + 1;
    r.rod.end[0] = 1 + 0.5 / (joints + 0.5);
    r.rod.radius = 0.002;
    rod_sim_add(&r);
    rod_sim_hold(&r, 0);
    rod_sim_finish(&r);
    double P = alpha * rod_bend(&r.rod);
    for (int k = 1; k <= 40; k++)
        rod_sim_march(&r, k < 40 ? 5 : 100, joints, (const double[3]){0, 0, -P * k / 40}, NULL);
    rod_sim_pos(&r, joints, pos);
    rod_sim_end(&r);
    return -pos[2];
}

static void elastica_table(Finding *f, const VerifyRow *row)
{
    const double loads[5] = {0.5, 1, 2, 5, 10};
    int curve = finding_curve(f, "tenon, 48 joints"),
        exact = finding_reference_curve(f, "elastica");
    (void)row;
    f->curves[curve].marks = true;
    finding_axes(f, "P L²/EI", "deflection of the end, lengths");
    for (int i = 0; i < 5; i++) {
        double got = deflection(f, 48, loads[i]), right = elastica(loads[i]);
        f->value = fmax(f->value, fabs(got - right));
        finding_note(f, "%g: %.5f, elastica %.5f", loads[i], got, right);
        finding_point(f, curve, loads[i], got);
    }
    for (int i = 0; i <= 20; i++) finding_point(f, exact, 0.5 * i, elastica(0.5 * i));
}

static void elastica_order(Finding *f, const VerifyRow *row)
{
    const double joints[3] = {8, 16, 32};
    double errors[3], sizes[3], right = elastica(1);
    (void)row;
    for (int i = 0; i < 3; i++) {
        errors[i] = fabs(deflection(f, (int)joints[i], 1) - right);
        sizes[i] = 1 / joints[i];
    }
    finding_order(f, "segment, lengths", sizes, errors, 3, 2);
}

/* ---- an end moment 2π EI/L: a full circle ---- */

/* Held by its second segment, at whose centre that clamps it: all joints are alike. */
static void circle(Finding *f, const VerifyRow *row)
{
    const int n = 40;
    double pos[3];
    (void)row;
    RodSim r = rod_sim_begin(f, 4, 1, 0);
    r.rod.segment_count = n + 2;
    r.rod.start[0] = -1.5 / n;
    r.rod.end[0] = 1 + 0.5 / n;
    rod_sim_add(&r);
    rod_sim_hold(&r, 1);
    rod_sim_finish(&r);
    double moment = 2 * VERIFY_PI * rod_bend(&r.rod);
    for (int k = 1; k <= 40; k++)
        rod_sim_march(&r, k < 40 ? 5 : 100, n + 1, NULL, (const double[3]){0, -moment * k / 40, 0});
    rod_sim_pos(&r, n + 1, pos);
    f->value = sqrt(pos[0] * pos[0] + pos[1] * pos[1] + pos[2] * pos[2]);
    int curve = finding_curve(f, "segments");
    finding_axes(f, "x, m", "z, m");
    for (int i = 1; i <= n + 1; i++) {
        rod_sim_pos(&r, i, pos);
        finding_point(f, curve, pos[0], pos[2]);
    }
    rod_sim_end(&r);
}

/* ---- an elastic catenary ---- */

/* 1 m unstretched between points of one height, each `half` from the middle; w its weight per
 * metre: x = H s/EA + (H/w) asinh(w s/H), z = w s²/2EA + (H/w) (√(1 + (w s/H)²) - 1). */
static double chain_sag(double half, double w, double EA, double *slope)
{
    double low = 1e-6 * w, high = 1e3 * w, s = 0.5;
    for (int k = 0; k < 200; k++) { /* x grows with H */
        double H = 0.5 * (low + high), x = H * s / EA + H / w * asinh(w * s / H);
        *(x < half ? &low : &high) = H;
    }
    *slope = w * s / low;
    return w * s * s / (2 * EA) + low / w * (sqrt(1 + *slope * *slope) - 1);
}

static void hold_end(RodSim *r, int segment, double x, double along, double tilt)
{
    const double pos[3] = {x - along * cos(tilt), 0, along * sin(tilt)};
    const double quat[4] = {cos(VERIFY_PI / 4 + tilt / 2), 0, sin(VERIFY_PI / 4 + tilt / 2), 0};
    rod_sim_hold_at(r, segment, pos, quat);
}

/* Built as an arc of a circle over the chord of 0.8 m, so that it has to find its shape. */
static double chain_error(Finding *f, int segments, double stretch)
{
    const double half = 0.4, turn = 1.13110; /* sin(turn) = 0.8 turn */
    double points[3 * 128], slope, pos[3], R = 0.5 / turn, l = 1.0 / segments;
    RodSim r = rod_sim_begin(f, 0.02, 1, 9.81);
    for (int i = 0; i <= segments; i++) {
        double a = turn * (2.0 * i / segments - 1);
        points[3 * i] = R * sin(a);
        points[3 * i + 1] = 0;
        points[3 * i + 2] = R * (cos(turn) - cos(a));
    }
    r.rod.points = points;
    r.rod.straight_rest = true;
    r.rod.segment_count = segments;
    r.rod.radius = 0.005;
    double w = r.rod.density * rod_area(&r.rod) * 9.81;
    r.rod.youngs_modulus = w / (stretch * rod_area(&r.rod));
    r.rod.bend_modulus = 1e-6 * w * 4 / (VERIFY_PI * pow(r.rod.radius, 4)); /* E I = 1e-6 w L³ */
    double sag = chain_sag(half, w, r.rod.youngs_modulus * rod_area(&r.rod), &slope);
    rod_sim_add(&r);
    hold_end(&r, 0, -half, -0.5 * l, atan(slope));
    hold_end(&r, segments - 1, half, 0.5 * l, -atan(slope));
    rod_sim_finish(&r);
    rod_sim_march(&r, 3000, 0, NULL, NULL); /* only the step itself damps the swing */
    rod_sim_pos(&r, segments / 2, pos);
    rod_sim_end(&r);
    return fabs(-pos[2] / sag - 1);
}

static void catenary(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = chain_error(f, 81, 0.1);
    finding_note(f, "stretched by 0.1 %%: %.2g", chain_error(f, 81, 1e-3));
}

static void catenary_order(Finding *f, const VerifyRow *row)
{
    const double segments[3] = {11, 21, 41};
    double errors[3], sizes[3];
    (void)row;
    for (int i = 0; i < 3; i++) {
        errors[i] = chain_error(f, (int)segments[i], 0.01);
        sizes[i] = 1 / segments[i];
    }
    finding_order(f, "segment, lengths", sizes, errors, 3, 2);
}

/* ---- a clamped rod that swings ---- */

/* ω of the first swing after a small blow, from four crossings; *left is what is left of the height
 * of its swing after the second period, relative to the first. */
static double swing(Finding *f, int joints, double timestep, double *left)
{
    RodSim r = rod_sim_begin(f, timestep, 0.5, 0);
    double pos[3], last = 0, first = 0, at = 0, peak = 0, peaks[5] = {0};
    int crossings = 0;
    r.rod.segment_count = joints;
    r.rod.end[0] = 1;
    r.rod.damping_time = 0;
    rod_sim_add(&r);
    rod_sim_hold(&r, 0);
    rod_sim_finish(&r);
    double bend = rod_bend(&r.rod), mass = r.rod.density * rod_area(&r.rod);
    double exact = 3.5160152685 * sqrt(bend / mass);
    /* the static shape under an end force, let go, is nearly the first mode */
    TnStateView state = tn_world_state(r.sim.world);
    double qpos[7 * 64];
    if (r.sim.world) memcpy(qpos, state.qpos, sizeof(double) * (size_t)state.qpos_count);
    for (int i = 0; i < joints; i++) {
        double x = (i + 0.5) / joints, k = 1.8751040687;
        double z = cosh(k * x) - cos(k * x) - 0.7340955 * (sinh(k * x) - sin(k * x));
        double slope = k * (sinh(k * x) + sin(k * x) - 0.7340955 * (cosh(k * x) - cos(k * x)));
        double a = VERIFY_PI / 2 - 1e-3 * slope; /* z of a segment points along the rod */
        if (i == 0) continue;
        qpos[7 * i + 2] = 1e-3 * z;
        qpos[7 * i + 3] = cos(a / 2), qpos[7 * i + 4] = 0;
        qpos[7 * i + 5] = sin(a / 2), qpos[7 * i + 6] = 0;
    }
    sim_set(&r.sim, qpos, NULL);
    for (int k = 0; crossings < 5 && k < 100000 && sim_step(&r.sim); k++) {
        rod_sim_pos(&r, joints - 1, pos);
        peak = fmax(peak, fabs(pos[2]));
        if (pos[2] * last < 0) {
            at = sim_time(&r.sim) - timestep * pos[2] / (pos[2] - last);
            if (crossings == 0) first = at;
            peaks[crossings++] = peak;
            peak = 0;
        }
        last = pos[2];
    }
    *left = peaks[4] / peaks[2];
    rod_sim_end(&r);
    return VERIFY_PI * 4 / (at - first) / exact;
}

static void frequency(Finding *f, const VerifyRow *row)
{
    double left;
    (void)row;
    f->value = swing(f, 40, 0.001, &left);
    f->reference = 1;
    finding_note(f, "of the swing, %.6f is left after a period", left);
}

static void coarse_swing(Finding *f, const VerifyRow *row)
{
    double rate = swing(f, 40, row->number, &f->value);
    f->reference = 1;
    finding_note(f, "frequency %.4f of the formula's", rate);
}

static const VerifyRow rows[] = {
    {.name = "cable.elastica",
     .shows = "A clamped rod of 49 segments under a force across its end, P L²/EI from 0.5 to 10: "
              "largest error of the end's deflection.",
     .source = "the elastica θ'' = -α cos θ by shooting in the row; Bisshopp and Drucker 1945, "
               "table of Mattiasson 1981 (0.30172, 0.49346, 0.71379, 0.81061 for 1, 2, 5, 10).",
     .unit = "lengths",
     .tolerance = 1e-4,
     .reason = "springs in 48 joints: of the order 1/4n².",
     .quick = true,
     .run = elastica_table},
    {.name = "cable.elastica.order",
     .shows = "The same at P L²/EI = 1 with 8, 16 and 32 joints: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.15,
     .reason = "the next order in the segments.",
     .quick = true,
     .run = elastica_order},
    {.name = "cable.circle",
     .shows = "A rod of 40 joints is rolled up by an end moment of 2π EI/L: gap of the circle.",
     .source = "0: each joint turns by M l/EI.",
     .unit = "m",
     .tolerance = 1e-9,
     .reason = "exact for any number of joints.",
     .quick = true,
     .run = circle},
    {.name = "cable.catenary",
     .shows = "A thin cable of 81 segments whose weight stretches it by 10 %: error of its sag.",
     .source = "elastic catenary.",
     .unit = "of the sag",
     .tolerance = 1e-4,
     .reason = "straight pieces leave 1e-5, bending 4e-6.",
     .run = catenary},
    {.name = "cable.catenary.order",
     .shows = "The same, stretched by 1 %, with 11, 21 and 41 segments: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.3,
     .reason = "bending is no part of the formula.",
     .run = catenary_order},
    {.name = "cable.frequency",
     .shows = "First frequency of a clamped rod of 40 segments at 1 ms.",
     .source = "3.5160 √(EI/ρA)/L².",
     .unit = "of the formula's",
     .tolerance = 2e-3,
     .reason = "segments 1e-4; shear and turning of sections 4e-4; (ωt)²/12.",
     .run = frequency},
    {.name = "cable.coarse",
     .shows = "The same rod without damping at 50 ms, 14 steps in a period: what is left of its "
              "swing after a period.",
     .source = "1.",
     .unit = "",
     .tolerance = 0.25,
     .reason = "springs stiffer than the step resolves act with their force at its end, which "
               "damps.",
     .weak = true,
     .quick = true,
     .run = coarse_swing,
     .number = 0.05},
};

const VerifyFamily verify_cables = {"cable", "Cables", rows, sizeof rows / sizeof *rows};
