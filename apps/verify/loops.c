/* Closed loops: the benchmarks A01 to A05 of IFToMM's library, a slider-crank, a Cardan joint. */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static double energy_drift(Sim *sim, double duration)
{
    double start = sim_energy(sim), worst = 0;
    while (sim->world && sim_time(sim) < duration - 0.5 * sim->t && sim_step(sim))
        worst = fmax(worst, fabs(sim_energy(sim) - start));
    return worst;
}

/* ---- A01: a pendulum that starts level ---- */

static void pendulum_rate(const void *system, double t, const double *y, double *dy)
{
    (void)system, (void)t;
    dy[0] = y[1], dy[1] = -G * sin(y[0]);
}

static double a01_error(Finding *f, double timestep)
{
    double y[2] = {VERIFY_PI / 2, 0}, worst = 0, x[3];
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody><body pos='0 0 0'><joint axis='0 1 0'/><inertial pos='0 0 -1' "
                       "mass='1' diaginertia='1e-12 1e-12 1e-12'/><body name='p' pos='0 0 -1'/>"
                       "</body></worldbody><keyframe><key name='start' "
                       "qpos='1.5707963267948966'/></keyframe>");
    for (int k = 1; k <= 100; k++) {
        sim_run(&sim, 0.1 * k);
        ode_run(pendulum_rate, NULL, y, 2, 0, 0.1, 100);
        sim_body_pos(&sim, "p", x);
        worst = fmax(worst, hypot(x[0] + sin(y[0]), x[2] + cos(y[0])));
    }
    sim_close(&sim);
    return worst;
}

static void a01(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = a01_error(f, 0.001);
}

static void a01_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.004, 0.002, 0.001};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = a01_error(f, steps[i]);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

/* ---- A02: N four-bars ---- */

#define LINK(POS, INERTIA) "<inertial pos='" POS "' mass='1' diaginertia='" INERTIA "'/>"
#define UPRIGHT LINK("0 0 .5", ".08333333333333333 .08333333333333333 1e-9")
#define LEVEL LINK(".5 0 0", "1e-9 .08333333333333333 .08333333333333333")

/* Upright links stand 1 m apart and carry level ones. */
static Sim four_bars(Finding *f, int count, double timestep)
{
    static const char body[] = "<body name='v%d' pos='%d 0 0'><joint axis='0 1 0'/>" UPRIGHT;
    char parts[40000] = "<worldbody>";
    size_t used = strlen(parts), size = sizeof parts;
    for (int i = 0; i <= count; i++) {
        used += (size_t)snprintf(parts + used, size - used, body, i, i);
        if (i < count)
            used += (size_t)snprintf(
                parts + used, size - used,
                "<body name='h%d' pos='0 0 1'><joint axis='0 1 0'/>" LEVEL "</body>", i);
        used += (size_t)snprintf(parts + used, size - used, "</body>");
    }
    used += (size_t)snprintf(parts + used, size - used, "</worldbody><equality>");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(parts + used, size - used,
                                 "<connect body1='h%d' body2='v%d' anchor='1 0 0'/>", i, i + 1);
    used += (size_t)snprintf(parts + used, size - used,
                             "</equality><keyframe><key name='start' qvel='");
    for (int i = 0; i <= count; i++)
        used +=
            (size_t)snprintf(parts + used, size - used, i < count ? "1 -1 " : "1'/></keyframe>");
    return sim_open(f, timestep, "0 0 -9.81", "%s", parts);
}

/* All upright links turn together: one degree of freedom. */
static void four_bar_rate(const void *system, double t, const double *y, double *dy)
{
    const double n = *(const double *)system;
    (void)t;
    dy[0] = y[1];
    dy[1] = G * (0.5 * (n + 1) + n) * sin(y[0]) / ((n + 1) / 3 + n);
}

static void a02(Finding *f, const VerifyRow *row)
{
    double n = row->number, y[2] = {0, 1}, x[3];
    Sim sim = four_bars(f, (int)n, 0.002);
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "one coordinate");
    finding_axes(f, "time, s", "x of B0, m");
    for (int k = 1; k <= 200 && !f->trouble[0]; k++) {
        sim_run(&sim, 0.05 * k);
        ode_run(four_bar_rate, &n, y, 2, 0, 0.05, 100);
        sim_body_pos(&sim, "h0", x);
        f->value = fmax(f->value, hypot(x[0] - sin(y[0]), x[2] - cos(y[0])));
        finding_point(f, curve, 0.05 * k, x[0]);
        finding_point(f, exact, 0.05 * k, sin(y[0]));
    }
    sim_close(&sim);
}

static void four_bar_energy(Finding *f, const VerifyRow *row)
{
    Sim sim = four_bars(f, 1, row->number);
    f->value = energy_drift(&sim, 60);
    sim_close(&sim);
}

/* ---- A03: Andrews' squeezer ---- */

/* Sizes, masses and names as in the test set for initial value problems; bodies are turned to the
 * start, so hinges begin at zero. All in the plane z = 0. */
static Sim squeezer(Finding *f, double timestep)
{
    const double beta = -0.0617138900142764, theta = 0, gamma = 0.455279819163070,
                 phi = 0.222668390165886, delta = 0.487364979543843, omega = -0.222668390165886,
                 epsilon = 1.23054744454982;
    const double rr = 7e-3, ra = 92e-5, d = 28e-3, da = 115e-4, ss = 35e-3, sa = 1874e-5,
                 sb = 1043e-5, sc = 18e-3, sd = 2e-2, e = 2e-2, ea = 1421e-5, zt = 4e-2,
                 ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2,
                 fa = 1421e-5;
#define PART "<inertial pos='%.17g %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
#define HINGE "<joint axis='0 0 1'/>"
#define I3(I) I, I, I
    return sim_open(
        f, timestep, "0 0 0",
        "<worldbody><body euler='0 0 %.17g'><joint name='drive' axis='0 0 1'/>" PART
        "<body name='k2' pos='%.17g 0 0' euler='0 0 %.17g'>" HINGE PART "</body></body>"
        "<body name='k3' pos='-.03635 .03273 0' euler='0 0 %.17g'>" HINGE PART
        "<site name='D' pos='%.17g %.17g 0'/></body>"
        "<body pos='-.06934 -.00227 0' euler='0 0 %.17g'>" HINGE PART
        "<body name='k4' pos='%.17g 0 0' euler='0 0 %.17g'>" HINGE PART "</body></body>"
        "<body pos='-.06934 -.00227 0' euler='0 0 %.17g'>" HINGE PART
        "<body name='k6' pos='0 %.17g 0' euler='0 0 %.17g'>" HINGE PART "</body></body>"
        "<site name='C' pos='.014 .072 0'/></worldbody>"
        "<tendon><spatial springlength='.07785' stiffness='4530'><site site='C'/><site site='D'/>"
        "</spatial></tendon><actuator><motor joint='drive'/></actuator>"
        "<equality><connect body1='k2' body2='k3' anchor='%.17g 0 0'/>"
        "<connect body1='k2' body2='k4' anchor='%.17g 0 0'/>"
        "<connect body1='k2' body2='k6' anchor='%.17g 0 0'/></equality>",
        beta, ra, 0.0, 0.04325, I3(2.194e-6), rr, theta, -da, 0.0, 0.00365, I3(4.41e-7), gamma, sa,
        sb, 0.02373, I3(5.255e-6), sd, -sc, delta, ta, tb, 0.0705, I3(1.169e-5), zt, phi, 0.0,
        -(e - ea), 0.00706, I3(5.667e-7), epsilon, ua, ub, 0.05498, I3(1.912e-5), -u, omega,
        zf - fa, 0.0, 0.00706, I3(5.667e-7), -d, -d, -d + 0 * ss);
}

/* Largest error of the seven angles at 0.03 s. */
static double squeezer_error(Finding *f, double timestep, bool draw)
{
    /* in the order of the bodies: β θ γ δ φ ε ω, less where they start */
    static const double end[7] = {15.81077119629904,  -15.75637105984298,  0.04082224013073101,
                                  0.5244099658805304, -0.5347301163226948, 1.048080741042263,
                                  0.5347301163226948};
    static const double begin[7] = {-0.0617138900142764, 0,
                                    0.455279819163070,   0.487364979543843,
                                    0.222668390165886,   1.23054744454982,
                                    -0.222668390165886};
    Sim sim = squeezer(f, timestep);
    int curve = draw ? finding_curve(f, "β") : -1;
    double error = 0;
    sim_control(&sim, 0.033);
    while (sim.world && sim_time(&sim) < 0.03 - 0.5 * timestep && sim_step(&sim))
        finding_point(f, curve, sim_time(&sim), sim_qpos(&sim)[0] + begin[0]);
    for (int i = 0; i < 7; i++) error = fmax(error, fabs(sim_qpos(&sim)[i] + begin[i] - end[i]));
    sim_close(&sim);
    return error;
}

static void a03(Finding *f, const VerifyRow *row)
{
    (void)row;
    finding_axes(f, "time, s", "angle of the crank, rad");
    f->value = squeezer_error(f, 1e-5, true);
}

static void a03_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {1e-5, 5e-6, 2.5e-6};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = squeezer_error(f, steps[i], false);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

/* ---- A04: Bricard's linkage ---- */

#define ROD(HALF, INERTIA) "<inertial pos='" HALF "' mass='1' diaginertia='" INERTIA "'/>"
#define THIN ".0016666666666666668"
#define WIDE ".08416666666666667"

/* Six hinges of which one is redundant; it moves by symmetry alone. Its last hinge is two points
 * of its axis. */
static Sim bricard(Finding *f, double timestep)
{
    return sim_open(f, timestep, "0 -9.81 0",
                    "<worldbody><body><joint axis='0 1 0'/>" ROD(".5 0 0", THIN " " WIDE " " WIDE) "<body pos='1 0 0'><joint axis='0 0 1'/>" ROD(
                        "0 -.5 0", WIDE
                        " " THIN
                        " " WIDE) "<body pos='0 -1 0'><joint axis='1 0 "
                                  "0'/>" ROD(
                                      "0 0 .5", WIDE
                                      " " WIDE
                                      " " THIN) "<body pos='0 0 "
                                                "1'><joint axis='0 "
                                                "1 "
                                                "0'/>" ROD(
                                                    "-.5 0 0", THIN
                                                    " " WIDE
                                                    " " WIDE) "<bod"
                                                              "y "
                                                              "name"
                                                              "='"
                                                              "last"
                                                              "' "
                                                              "pos="
                                                              "'-1 "
                                                              "0 "
                                                              "0'><"
                                                              "join"
                                                              "t "
                                                              "axis"
                                                              "='0 "
                                                              "0 "
                                                              "1'/"
                                                              ">" ROD(
                                                                  "0 .5 "
                                                                  "0",
                                                                  WIDE
                                                                  " " THIN
                                                                  " " WIDE) "</body></body></"
                                                                            "body></body></body></"
                                                                            "worldbody><equality>"
                                                                            "<connect body1='last' "
                                                                            "anchor='0 1 "
                                                                            "0'/><connect "
                                                                            "body1='last' "
                                                                            "anchor='.5 1 "
                                                                            "0'/></equality>");
}

static void a04(Finding *f, const VerifyRow *row)
{
    Sim sim = bricard(f, row->number);
    f->value = energy_drift(&sim, 10);
    sim_close(&sim);
}

/* ---- A05: a stiff flyball governor ---- */

/* After A05: arms of 1 m and 0.3 kg with 5 kg at their ends hang from a shaft that turns; springs
 * of 8e5 N/m and 4e4 N s/m join their middles to a slider of 3 kg. y: α, s, and their rates. */
static const double arm_inertia = 5.1, arm_moment = 5.15, shaft_inertia = 0.5, slider = 3,
                    turning = 6.283185307179586;

static double governor_turn(double alpha)
{
    double start = 0.5 * 0.5; /* sin² 30° */
    return turning * (shaft_inertia + 2 * arm_inertia * start) /
           (shaft_inertia + 2 * arm_inertia * sin(alpha) * sin(alpha));
}

static void governor_rate(const void *system, double t, const double *y, double *dy)
{
    const double a = 0.5;
    double across = a * sin(y[0]), down = y[1] - a * cos(y[0]), length = hypot(across, down);
    double by_alpha = a * y[1] * sin(y[0]) / length, by_s = down / length;
    double F = 8e5 * (length - 0.5) + 4e4 * (by_alpha * y[2] + by_s * y[3]);
    double turn = governor_turn(y[0]);
    (void)system, (void)t;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = sin(y[0]) * cos(y[0]) * turn * turn -
            (arm_moment * G * sin(y[0]) + F * by_alpha) / arm_inertia;
    dy[3] = G - 2 * F * by_s / slider;
}

static Sim governor(Finding *f, double timestep)
{
    const double mass = 5.3, com = arm_moment / mass, I = arm_inertia - mass * com * com;
    return sim_open(
        f, timestep, "0 0 -9.81",
        "<worldbody><body><joint axis='0 0 1'/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 %.17g'/>"
        "<body euler='0 .5235987755982988 0'><joint axis='0 1 0'/>"
        "<inertial pos='0 0 %.17g' mass='5.3' diaginertia='%.17g %.17g 1e-9'/>"
        "<site name='a' pos='0 0 -.5'/></body>"
        "<body euler='0 -.5235987755982988 0'><joint axis='0 1 0'/>"
        "<inertial pos='0 0 %.17g' mass='5.3' diaginertia='%.17g %.17g 1e-9'/>"
        "<site name='b' pos='0 0 -.5'/></body>"
        "<body pos='0 0 -.8660254037844386'><joint type='slide' axis='0 0 -1'/>"
        "<inertial pos='0 0 0' mass='3' diaginertia='1e-9 1e-9 1e-9'/><site name='c'/></body>"
        "</body></worldbody><tendon>"
        "<spatial springlength='.5' stiffness='8e5' damping='4e4'><site site='a'/><site site='c'/>"
        "</spatial><spatial springlength='.5' stiffness='8e5' damping='4e4'><site site='b'/>"
        "<site site='c'/></spatial></tendon>"
        "<keyframe><key name='start' qvel='%.17g 0 0 0'/></keyframe>",
        shaft_inertia, -com, I, I, -com, I, I, turning);
}

static double governor_error(Finding *f, double timestep, bool draw)
{
    double y[4] = {VERIFY_PI / 6, sqrt(0.75), 0, 0}, worst = 0;
    Sim sim = governor(f, timestep);
    int curve = draw ? finding_curve(f, "tenon") : -1;
    int exact = draw ? finding_reference_curve(f, "Lagrange's equations") : -1;
    for (int k = 1; k <= 200; k++) {
        sim_run(&sim, 0.05 * k);
        ode_run(governor_rate, NULL, y, 4, 0, 0.05, 2000);
        double s = sqrt(0.75) + sim_qpos(&sim)[3];
        worst = fmax(worst, fabs(s - y[1]));
        finding_point(f, curve, 0.05 * k, s);
        finding_point(f, exact, 0.05 * k, y[1]);
    }
    sim_close(&sim);
    return worst;
}

static void a05(Finding *f, const VerifyRow *row)
{
    (void)row;
    finding_axes(f, "time, s", "place of the slider, m");
    f->value = governor_error(f, 0.001, true);
}

static void a05_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.005, 0.0025, 0.00125};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = governor_error(f, steps[i], false);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

/* ---- a slider-crank ---- */

/* Crank 0.2 m, 1 kg; rod 0.5 m, 0.5 kg; slider 2 kg. Kinetic energy per θ'²/2, and height of the
 * masses' weight. */
static double crank_mass(double angle, double *potential)
{
    const double r = 0.2, l = 0.5;
    double s = r * sin(angle), c = r * cos(angle), root = sqrt(l * l - s * s);
    double psi = -c / root;                           /* rate of the rod's angle */
    double slides = -s - s * c / root;                /* of the slider */
    double x = -s - 0.5 * s * c / root, z = -0.5 * c; /* of the rod's centre */
    *potential = -G * (1 * 0.5 * s + 0.5 * 0.5 * s);
    return 1 * r * r / 3 + 0.5 * (x * x + z * z) + 0.5 * l * l / 12 * psi * psi +
           2 * slides * slides;
}

static void crank_rate(const void *system, double t, const double *y, double *dy)
{
    double V, M = crank_mass(y[0], &V);
    (void)t;
    dy[0] = sqrt(2 * (*(const double *)system - V) / M);
}

static double crank_error(Finding *f, double timestep)
{
    double y = 0, V, energy = 0.5 * crank_mass(0, &V) * 100 + V, worst = 0;
    Sim sim = sim_open(
        f, timestep, "0 0 -9.81",
        "<worldbody><body name='crank'><joint axis='0 1 0'/><inertial pos='.1 0 0' mass='1' "
        "diaginertia='1e-9 .0033333333333333335 .0033333333333333335'/>"
        "<body name='rod' pos='.2 0 0'><joint axis='0 1 0'/><inertial pos='.25 0 0' mass='.5' "
        "diaginertia='1e-9 .010416666666666666 .010416666666666666'/></body></body>"
        "<body name='slider' pos='.7 0 0'><joint type='slide' axis='1 0 0'/>"
        "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"
        "<equality><connect body1='rod' body2='slider' anchor='.5 0 0'/></equality>"
        "<keyframe><key name='start' qvel='10 -14 0'/></keyframe>");
    for (int k = 1; k <= 40; k++) {
        sim_run(&sim, 0.05 * k);
        ode_run(crank_rate, &energy, &y, 1, 0, 0.05, 100);
        worst = fmax(worst, fabs(sim_qpos(&sim)[0] - y));
    }
    sim_close(&sim);
    return worst;
}

static void crank_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.005, 0.0025, 0.00125};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = crank_error(f, steps[i]);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

/* ---- a Cardan joint between shafts at 30° ---- */

/* The heavy shaft turns at 5 rad/s; the other's angle is tan θ₂ = cos β tan θ₁. */
static void cardan(Finding *f, const VerifyRow *row)
{
    const double bend = VERIFY_PI / 6;
    (void)row;
    Sim sim = sim_open(
        f, 0.002, "0 0 0",
        "<worldbody><body><joint axis='1 0 0'/><inertial pos='0 0 0' mass='1' diaginertia='1e6 1e6 "
        "1e6'/><body euler='0 %.17g 0'><joint axis='0 1 0'/><inertial pos='0 0 0' mass='.1' "
        "diaginertia='1e-4 1e-4 1e-4'/><body name='out'><joint axis='0 0 1'/><inertial "
        "pos='.5 0 0' mass='1' diaginertia='.01 .1 .1'/></body></body></body></worldbody>"
        "<equality><connect body1='out' anchor='1 0 0'/></equality>"
        "<keyframe><key name='start' qvel='5 0 %.17g'/></keyframe>",
        bend, 5 * sin(bend));
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "closed form");
    finding_axes(f, "angle in, rad", "angle out - angle in, rad");
    for (int k = 0; k < 1000 && sim_step(&sim); k++) {
        double pos[3], q[4], in = sim_qpos(&sim)[0];
        tn_world_body_pose(sim.world, tn_model_find_body(sim.model, "out"), pos, q);
        double pin[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                         1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        double out = atan2(-pin[1], pin[0] * sin(bend) + pin[2] * cos(bend));
        double right = atan2(sin(in) * cos(bend), cos(in));
        f->value = fmax(f->value, fabs(remainder(out - right, 2 * VERIFY_PI)));
        finding_point(f, curve, in, remainder(out - in, 2 * VERIFY_PI));
        finding_point(f, exact, in, remainder(right - in, 2 * VERIFY_PI));
    }
    sim_close(&sim);
}

static const VerifyRow rows[] = {
    {.name = "loops.a01",
     .shows = "A01, simple pendulum: 1 kg, 1 m, starts level; largest error of its place in 10 s "
              "at 1 ms.",
     .source = "IFToMM benchmark A01 (González et al. 2006); θ'' = -g sin θ, integrated in the "
               "row.",
     .unit = "m",
     .tolerance = 1e-4,
     .reason = "second order: a phase of (ωt)²/24 over 10 s at 4 m/s gives 2e-5.",
     .quick = true,
     .run = a01},
    {.name = "loops.a01.order",
     .shows = "The same at three steps: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.1,
     .reason = "the next order in the step.",
     .quick = true,
     .run = a01_order},
    {.name = "loops.a02",
     .shows = "A02, 40 four-bars through their singular pose, where 41 motions are possible: "
              "largest error of the place of B0 in 10 s at 2 ms.",
     .source = "IFToMM benchmark A02; the one degree of freedom that all links share, integrated "
               "in the row.",
     .unit = "m",
     .tolerance = 1e-3,
     .reason = "the benchmark's high precision.",
     .run = a02,
     .number = 40},
    {.name = "loops.fourbar.energy",
     .shows = "One four-bar through its singular pose for 60 s at 10 ms: largest change of its "
              "energy, 40 J in motion.",
     .source = "conservation.",
     .unit = "J",
     .tolerance = 1e-4,
     .reason = "what the closure of the loop leaves, third order in the step.",
     .run = four_bar_energy,
     .number = 0.01},
    {.name = "loops.fourbar.coarse",
     .shows = "The same at 20 ms.",
     .source = "conservation.",
     .unit = "J",
     .tolerance = 1e-4,
     .reason = "the same.",
     .run = four_bar_energy,
     .number = 0.02},
    {.name = "loops.a03",
     .shows = "A03, Andrews' squeezer, 0.03 s at 10 µs: largest error of its seven angles.",
     .source = "reference solution of the Test Set for IVP Solvers (Mazzia and Magherini 2008), "
               "computed to 1e-14 with PSIDE.",
     .unit = "rad",
     .tolerance = 1e-4,
     .reason = "second order; the crank turns by 16 rad, 0.011 rad in a step.",
     .run = a03},
    {.name = "loops.a03.order",
     .shows = "The same at three steps: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.3,
     .reason = "the next order in the step still shows.",
     .run = a03_order},
    {.name = "loops.a04",
     .shows = "A04, Bricard's linkage, closed by redundant constraints, 10 s at 10 ms: largest "
              "change of its energy, 4.6 J in motion.",
     .source = "IFToMM benchmark A04, whose measure is the change of energy.",
     .unit = "J",
     .tolerance = 1e-5,
     .reason = "what the closure of the loop leaves.",
     .run = a04,
     .number = 0.01},
    {.name = "loops.a05",
     .shows = "A05, a stiff flyball governor (springs of 8e5 N/m and 4e4 N s/m, which a step of "
              "1 ms cannot resolve), 10 s at 1 ms: largest error of the slider's place.",
     .source = "after IFToMM benchmark A05; Lagrange's equations in three coordinates, integrated "
               "in the row.",
     .unit = "m",
     .tolerance = 1e-3,
     .reason = "second order; see the next row.",
     .run = a05},
    {.name = "loops.a05.order",
     .shows = "The same at three steps: order of convergence.",
     .source = "the same.",
     .unit = "",
     .tolerance = 0.3,
     .reason = "springs that steps do not resolve.",
     .run = a05_order},
    {.name = "loops.crank.order",
     .shows = "A slider-crank at 10 rad/s through its dead centres, 2 s: order of convergence of "
              "the crank's angle.",
     .source = "conservation of energy in its one coordinate, integrated in the row.",
     .unit = "",
     .tolerance = 0.15,
     .reason = "the next order in the step.",
     .quick = true,
     .run = crank_order},
    {.name = "loops.cardan",
     .shows = "A Cardan joint between shafts at 30°, 5 rad/s, 2 s at 2 ms: largest error of the "
              "second shaft's angle.",
     .source = "tan θ₂ = cos β tan θ₁.",
     .unit = "rad",
     .tolerance = 3e-5,
     .reason = "kinematics: what the closure leaves in steps of 0.01 rad.",
     .quick = true,
     .run = cardan},
};

const VerifyFamily verify_loops = {"loops", "Closed loops", rows, sizeof rows / sizeof *rows};
