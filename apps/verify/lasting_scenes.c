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

/* ---- a block on a spring ---- */

/* The floor carries it and takes no part in its motion. */
static Sim block_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>" FLOOR "<body name='block' pos='0 0 .1'>"
                    "<joint type='slide' axis='1 0 0' stiffness='100'/><joint type='slide' "
                    "axis='0 0 1'/><geom type='box' size='.1 .1 .1' mass='1' condim='1'/></body>"
                    "</worldbody><keyframe><key name='start' qpos='.1 0'/></keyframe>");
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
    .open = block_open,
    .coordinate = first,
    .rate = harmonic_rate,
    .system = &block_rate,
    .start = {0.1, 0},
};

/* ---- a pendulum on a cart ---- */

static const double cart_mass = 1, bob_mass = 0.5, bob_reach = 0.5, bob_inertia = 0.01;

static Sim cart_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>" FLOOR "<body name='cart' pos='0 0 .05'><freejoint/><geom "
                    "type='box' size='.3 .2 .05' mass='%g' condim='1'/><body><joint axis='0 1 0'/>"
                    "<inertial pos='0 0 %g' mass='%g' diaginertia='%g %g %g'/></body></body>"
                    "</worldbody><keyframe><key name='start' qpos='0 0 .05 1 0 0 0 .5'/>"
                    "</keyframe>",
                    cart_mass, -bob_reach, bob_mass, bob_inertia, bob_inertia, bob_inertia);
}

static double eighth(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[7];
}

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
    .open = cart_open,
    .coordinate = eighth,
    .rate = cart_rate,
    .start = {0.5, 0},
};

/* ---- a ball that rocks ---- */

/* R 0.2 m, its centre of mass 0.1 m below the middle; it rolls without slipping. */
static Sim rocker_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' friction='50 0 0'/>"
                    "<body name='ball' pos='0 0 .2' euler='0 .4 0'><freejoint/><inertial "
                    "pos='0 0 -.1' mass='1' diaginertia='.01 .01 .01'/><geom size='.2' "
                    "friction='50 0 0'/></body></worldbody>");
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
    .start = {0.4, 0},
};

/* ---- a body on a knee ---- */

/* The spring of 20 rad/s carries the body; the foot feels at least 10.7 N. */
static Sim knee_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody>" FLOOR "<body name='foot' pos='0 0 .05'><freejoint/><geom "
                    "type='box' size='.1 .1 .05' mass='.5' condim='1'/><body pos='0 0 .4'>"
                    "<joint type='slide' axis='0 0 1' stiffness='400' springref='%.17g'/>"
                    "<inertial pos='0 0 0' mass='1' diaginertia='.01 .01 .01'/></body></body>"
                    "</worldbody><keyframe><key name='start' qpos='0 0 .05 1 0 0 0 .01'/>"
                    "</keyframe>",
                    G / 400);
}

static const double knee_rate = 20;
const LastingScene lasting_knee = {
    .name = "knee",
    .shows = "A body on a spring of 20 rad/s above a foot that stays on the floor",
    .coordinate_name = "height of the body, m",
    .duration = 10,
    .window = 2,
    .open = knee_open,
    .coordinate = eighth,
    .rate = harmonic_rate,
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
                    "<geom type='box' size='5 .5 .1' mass='1e9' friction='.4 0 0'/></body>"
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
    .system = &block_rate,
    .start = {0.02, 0},
};
