/* Conservative scenes with lasting contacts, of one degree of freedom each: a block, a cart, a ball
 * that rocks, a knee, a belt. Their references are equations of that one coordinate. */
#include "lasting.h"

#include <math.h>

static const double G = 9.81;

/* x'' = -ω² x */
static void harmonic_rate(const void *system, double t, const double *y, double *dy)
{
    double w = *(const double *)system;
    (void)t;
    dy[0] = y[1];
    dy[1] = -w * w * y[0];
}

#define FLOOR "<geom type='plane' size='0 0 1' condim='1'/>"
#define FREE "<freejoint/>"
#define ON_SLIDE "<joint type='slide' axis='1 0 0'/>"

/* ---- a block on a spring ---- */

/* The floor carries it and takes no part in its motion. */
static Sim block_open(Finding *f, double timestep, bool twin)
{
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>%s<body name='block' pos='0 0 .1'>"
                    "<joint type='slide' axis='1 0 0' stiffness='100'/>%s"
                    "<geom type='box' size='.1 .1 .1' mass='1' condim='1'/></body>"
                    "</worldbody><keyframe><key name='start' qpos='.1 %s'/></keyframe>",
                    twin ? "" : FLOOR, twin ? "" : "<joint type='slide' axis='0 0 1'/>",
                    twin ? "" : "0");
}

static double first(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[0];
}

static const double block_rate = 10;
const LastingScene lasting_block = {
    .name = "block",
    .shows = "A block on a frictionless floor, on a horizontal spring of 10 rad/s",
    .coordinate_name = "place of the block, m",
    .duration = 10,
    .window = 2,
    .twin = true,
    .open = block_open,
    .coordinate = first,
    .rate = harmonic_rate,
    .size = 2,
    .system = &block_rate,
    .start = {0.1, 0},
};

/* ---- a pendulum on a cart ---- */

static const double cart_mass = 1, bob_mass = 0.5, bob_reach = 0.5, bob_inertia = 0.01;

static Sim cart_open(Finding *f, double timestep, bool twin)
{
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>%s<body name='cart' pos='0 0 .05'>%s<geom "
                    "type='box' size='.3 .2 .05' mass='%g' condim='1'/><body><joint axis='0 1 0'/>"
                    "<inertial pos='0 0 %g' mass='%g' diaginertia='%g %g %g'/></body></body>"
                    "</worldbody><keyframe><key name='start' qpos='0 %s .5'/></keyframe>",
                    twin ? "" : FLOOR, twin ? ON_SLIDE : FREE, cart_mass, -bob_reach, bob_mass,
                    bob_inertia, bob_inertia, bob_inertia, twin ? "" : "0 .05 1 0 0 0");
}

static double cart_angle(const Sim *sim, bool twin) { return sim_qpos(sim)[twin ? 1 : 7]; }

/* The cart's place follows from the momentum, which stays. */
static void cart_rate(const void *system, double t, const double *y, double *dy)
{
    double b = bob_mass * bob_reach, c = b * cos(y[0]), s = b * sin(y[0]);
    double mass = cart_mass + bob_mass;
    (void)system, (void)t;
    dy[0] = y[1];
    dy[1] = -(G * s + s * c * y[1] * y[1] / mass) /
            (bob_inertia + bob_mass * bob_reach * bob_reach - c * c / mass);
}

const LastingScene lasting_cart = {
    .name = "cart",
    .shows = "A pendulum hinged to a cart, a free body that lies on a frictionless floor",
    .coordinate_name = "angle of the pendulum, rad",
    .duration = 10,
    .window = 2,
    .twin = true,
    .open = cart_open,
    .coordinate = cart_angle,
    .rate = cart_rate,
    .size = 2,
    .start = {0.5, 0},
};

/* ---- a ball that rocks ---- */

/* R 0.2 m, its centre of mass 0.1 m below the middle; it rolls without slipping. */
static Sim rocker_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' friction='2 0 0'/>"
                    "<body name='ball' pos='0 0 .2' euler='0 .4 0'><freejoint/><inertial "
                    "pos='0 0 -.1' mass='1' diaginertia='.01 .01 .01'/><geom size='.2' "
                    "friction='2 0 0'/></body></worldbody>");
}

static double tilt(const Sim *sim, bool twin)
{
    const double *q = sim_qpos(sim) + 3;
    (void)twin;
    return 2 * atan2(q[2], q[0]);
}

/* The centre of mass is R - d cos θ above the point of contact. */
static void rocker_rate(const void *system, double t, const double *y, double *dy)
{
    const double R = 0.2, d = 0.1, I = 0.01;
    (void)system, (void)t;
    dy[0] = y[1];
    dy[1] = -d * sin(y[0]) * (G + R * y[1] * y[1]) / (I + R * R + d * d - 2 * R * d * cos(y[0]));
}

const LastingScene lasting_rocker = {
    .name = "rocker",
    .shows = "A ball with a low centre of mass rocks without slipping",
    .coordinate_name = "tilt of the ball, rad",
    .duration = 10,
    .window = 2,
    .open = rocker_open,
    .coordinate = tilt,
    .rate = rocker_rate,
    .size = 2,
    .start = {0.4, 0},
};

/* ---- Routh's sphere ---- */

static const double wheel_spin = 8;

/* The same ball, spinning about the vertical; it begins to roll without slip. */
static Sim routh_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' friction='2 0 0'/>"
                    "<body name='ball' pos='0 0 .2' euler='0 .4 0'><freejoint/><inertial "
                    "pos='0 0 -.1' mass='1' diaginertia='.01 .01 .01'/><geom size='.2' "
                    "friction='2 0 0'/></body></worldbody><keyframe><key name='start' "
                    "qvel='0 0 0 %.17g 0 %.17g'/></keyframe>",
                    -wheel_spin * sin(0.4), wheel_spin * cos(0.4));
}

static double cosine(const Sim *sim, bool twin)
{
    const double *q = sim_qpos(sim) + 3;
    (void)twin;
    return 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

/* y: the axis e (z first), ω. With r = d e - R z from the centre of mass to the point of contact,
 * v = -ω × r and I ω' = r × m (v' + g z):  I ω' + m r × (ω' × r) = m r × (g z - ω × (d ω × e)). */
static void routh_rate(const void *system, double t, const double *y, double *dy)
{
    const double R = 0.2, d = 0.1, I = 0.01;
    double e[3] = {y[1], y[2], y[0]}, r[3] = {d * e[0], d * e[1], d * e[2] - R};
    double de[3], a[3], A[9], square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    (void)system, (void)t;
    cross(y + 3, e, de);
    cross(y + 3, de, a);
    for (int k = 0; k < 3; k++) a[k] = (k == 2 ? G : 0) - d * a[k];
    cross(r, a, dy + 3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[3 * i + j] = (i == j) * (I + square) - r[i] * r[j];
    solve_linear(A, dy + 3, 3);
    dy[0] = de[2], dy[1] = de[0], dy[2] = de[1];
}

const LastingScene lasting_routh = {
    .name = "routh",
    .shows = "The same ball spins about the vertical at 8 rad/s and nods (Routh's sphere)",
    .coordinate_name = "cosine of its tilt",
    .duration = 10,
    .window = 2,
    .open = routh_open,
    .coordinate = cosine,
    .rate = routh_rate,
    .size = 6,
    .start = {0.92106099400288508, 0.38941834230865050, 0, 0, 0, 8},
};

/* ---- a body on a knee ---- */

/* The spring of 20 rad/s carries the body; the foot feels at least 10.7 N. */
static Sim knee_open(Finding *f, double timestep, bool twin)
{
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>%s<body name='foot' pos='0 0 .05'>%s<geom "
                    "type='box' size='.1 .1 .05' mass='.5' condim='1'/><body pos='0 0 .4'>"
                    "<joint type='slide' axis='0 0 1' stiffness='400' springref='%.17g'/>"
                    "<inertial pos='0 0 0' mass='1' diaginertia='.01 .01 .01'/></body></body>"
                    "</worldbody><keyframe><key name='start' qpos='%s .01'/></keyframe>",
                    twin ? "" : FLOOR, twin ? "" : FREE, G / 400, twin ? "" : "0 0 .05 1 0 0 0");
}

static double knee_height(const Sim *sim, bool twin) { return sim_qpos(sim)[twin ? 0 : 7]; }

static const double knee_rate = 20;
const LastingScene lasting_knee = {
    .name = "knee",
    .shows = "A body on a spring of 20 rad/s above a foot that stays on the floor",
    .coordinate_name = "height of the body, m",
    .duration = 10,
    .window = 2,
    .twin = true,
    .fast = true,
    .open = knee_open,
    .coordinate = knee_height,
    .rate = harmonic_rate,
    .size = 2,
    .system = &knee_rate,
    .start = {0.01, 0},
};

/* ---- a block on a belt ---- */

/* It never gets as fast as the belt, so friction is a constant force. */
static Sim belt_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><body name='belt' pos='0 0 -.1'><joint type='slide' axis='1 0 0'/>"
                    "<geom type='box' size='5 .5 .1' mass='1e5' friction='.4 0 0'/></body>"
                    "<body name='block' pos='0 0 .1'><joint type='slide' axis='1 0 0' "
                    "stiffness='100'/><joint type='slide' axis='0 0 1'/><geom type='box' "
                    "size='.1 .1 .1' mass='1' friction='.4 0 0'/></body></worldbody>"
                    "<keyframe><key name='start' qpos='0 %.17g 0' qvel='.25 0 0'/></keyframe>",
                    0.4 * G / 100 + 0.02);
}

static double belt_place(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[1] - 0.4 * G / 100;
}

const LastingScene lasting_belt = {
    .name = "belt",
    .shows = "A block on a spring of 10 rad/s slides on a belt that is always faster, µ = 0.4",
    .coordinate_name = "place of the block about its equilibrium, m",
    .duration = 10,
    .window = 2,
    .open = belt_open,
    .coordinate = belt_place,
    .rate = harmonic_rate,
    .size = 2,
    .system = &block_rate,
    .start = {0.02, 0},
};
