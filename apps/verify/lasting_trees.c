/* Conservative scenes with lasting contacts: a chain on a sliding base, a linkage, two arms that
 * carry a bar, a gripper. */
#include "lasting.h"

#include <math.h>

/* (A - 2 B cos φ) φ'' + (B φ'² + C) sin φ + K φ = 0: pendulums, and what rolls on a round hand */
typedef struct Swing {
    double A, B, C, K;
} Swing;

static void swing_rate(const void *system, double t, const double *y, double *dy)
{
    const Swing *p = system;
    (void)t;
    dy[0] = y[1];
    dy[1] =
        -((p->B * y[1] * y[1] + p->C) * sin(y[0]) + p->K * y[0]) / (p->A - 2 * p->B * cos(y[0]));
}

/* ---- a chain on a base that slides ---- */

#define LINK_BEGIN(Z, K)                                                                           \
    "<body pos='0 0 " Z "'><joint axis='0 1 0' stiffness='" K "'/><inertial pos='0 0 .15' "        \
    "mass='.5' diaginertia='.004 .004 .001'/>"

/* The twin's base is on a slide. */
static Sim tree_open(Finding *f, double timestep, bool twin)
{
    return sim_open(
        f, timestep, "0 0 -9.81",
        "<worldbody><geom type='plane' size='0 0 1' condim='1' contype='%d' "
        "conaffinity='%d'/><body name='base' pos='0 0 .05'>%s<geom type='box' "
        "size='.3 .3 .05' mass='5' condim='1'/>" LINK_BEGIN(".05", "24") LINK_BEGIN(".3", "10")
            LINK_BEGIN(
                ".3",
                "3") "</body></body></body></body>"
                     "</worldbody><keyframe><key name='start' qvel='0 %s 1 .4 .4'/></keyframe>",
        !twin, !twin, twin ? "<joint type='slide' axis='1 0 0'/>" : "<freejoint/>",
        twin ? "" : "0 0 0 0 0");
}

static double tree_angle(const Sim *sim, bool twin) { return sim_qpos(sim)[twin ? 1 : 7]; }

const LastingScene lasting_tree = {
    .name = "tree",
    .shows = "A chain of three sprung hinges stands on a base that slides on a frictionless floor",
    .coordinate_name = "angle of the lowest hinge, rad",
    .duration = 10,
    .window = 2,
    .finest = 0.000125,
    .twin = true,
    .fast = true,
    .by_energy = true,
    .open = tree_open,
    .coordinate = tree_angle,
};

/* ---- a linkage on a table ---- */

/* Two cranks of 0.3 m turn in a horizontal plane and slide along their pins. The coupler between
 * them lies on the table, which carries all three. */
#define CRANK "<inertial pos='0 .15 0' mass='.2' diaginertia='.002 .001 .002'/>"
#define SLIDE "<joint type='slide' axis='0 0 1'/>"
#define PIN "<joint axis='0 0 1' stiffness='4'/>"

static Sim linkage_open(Finding *f, double timestep, bool twin)
{
    const char *slide = twin ? "" : SLIDE;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' condim='1' contype='%d' "
                    "conaffinity='%d'/><body pos='0 0 .05'>%s" PIN CRANK
                    "<body name='coupler' pos='0 .3 0'><joint axis='0 0 1'/><geom "
                    "type='box' pos='.5 0 0' size='.6 .1 .05' mass='1' condim='1'/></body></body>"
                    "<body name='crank' pos='1 0 .05'>%s" PIN CRANK "</body></worldbody><equality>"
                    "<connect body1='coupler' body2='crank' anchor='1 0 0'/></equality>"
                    "<keyframe><key name='start' qpos='%s'/></keyframe>",
                    !twin, !twin, slide, slide, twin ? ".5 -.5 .5" : "0 .5 -.5 0 .5");
}

static double linkage_angle(const Sim *sim, bool twin) { return sim_qpos(sim)[twin ? 0 : 1]; }

/* The coupler does not turn. */
static const Swing linkage = {2 * (0.002 + 0.2 * 0.15 * 0.15) + 0.3 * 0.3, 0, 0, 2 * 4.0};
const LastingScene lasting_linkage = {
    .name = "linkage",
    .shows = "A sprung four-bar linkage whose coupler slides on a frictionless table",
    .coordinate_name = "angle of a crank, rad",
    .duration = 10,
    .window = 2,
    .twin = true,
    .open = linkage_open,
    .coordinate = linkage_angle,
    .rate = swing_rate,
    .size = 2,
    .system = &linkage,
    .start = {0.5, 0},
};

/* ---- two arms that carry a bar ---- */

/* Arms of 0.5 m hang from hinges. The bar lies on their round hands, r 0.05 m, and rolls on them as
 * they turn: it moves like the uppermost point of a hand. */
static const double arm = 0.5, hand = 0.05;

#define ARM                                                                                        \
    "<joint axis='0 1 0'/><inertial pos='0 0 -.25' mass='.5' diaginertia='.01 .01 .001'/>"         \
    "<geom pos='0 .1 -.5' size='.05' friction='2 0 0' contype='2' conaffinity='1'/>"               \
    "<geom pos='0 -.1 -.5' size='.05' friction='2 0 0' contype='2' conaffinity='1'/>"

static Sim arms_open(Finding *f, double timestep, bool twin)
{
    const double begin = 0.3;
    double x = -arm * sin(begin), z = -arm * cos(begin) + hand + 0.03;
    (void)twin;
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><body pos='-.5 0 0'>" ARM "</body><body pos='.5 0 0'>" ARM "</body>"
                    "<body name='bar' pos='%.17g 0 %.17g'><freejoint/><geom type='box' "
                    "size='.8 .15 .03' mass='2' friction='2 0 0' contype='1' conaffinity='2'/>"
                    "</body></worldbody><keyframe><key name='start' "
                    "qpos='.3 .3 %.17g 0 %.17g 1 0 0 0'/></keyframe>",
                    x, z, x, z);
}

static double arm_angle(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[1];
}

static const Swing arms = {2 * (0.01 + 0.5 * 0.25 * 0.25) + 2 * (0.5 * 0.5 + 0.05 * 0.05),
                           2 * 0.5 * 0.05, (2 * 0.5 * 0.25 + 2 * 0.5) * 9.81, 0};
const LastingScene lasting_arms = {
    .name = "arms",
    .shows = "Two arms swing a bar that lies on their round hands, which roll under it",
    .coordinate_name = "angle of an arm, rad",
    .duration = 10,
    .window = 2,
    .open = arms_open,
    .coordinate = arm_angle,
    .rate = swing_rate,
    .size = 2,
    .system = &arms,
    .start = {0.3, 0},
};

/* ---- a gripper that holds a pendulum ---- */

#define FINGER(X, REF)                                                                             \
    "<body pos='" X " 0 0'><joint type='slide' axis='1 0 0' stiffness='1000' springref='" REF      \
    "'/><geom type='box' size='.02 .03 .03' mass='.2' friction='1 0 0'/></body>"

/* Two sprung fingers pinch a block with 50 N; a pendulum hangs from a hinge in its middle. */
static Sim gripper_open(Finding *f, double timestep, bool twin)
{
    (void)twin;
    return sim_open(
        f, timestep, "0 0 -9.81",
        "<worldbody>" FINGER("-.05", ".05") FINGER(
            ".05",
            "-.05") "<body name='block'>"
                    "<freejoint/><geom type='box' size='.03 .03 .03' mass='.2' friction='1 0 0'/>"
                    "<body><joint axis='1 0 0'/><inertial pos='0 0 -.3' mass='.3' "
                    "diaginertia='.002 .002 .002'/></body></body></worldbody>"
                    "<keyframe><key name='start' qpos='0 0 0 0 0 1 0 0 0 .8'/></keyframe>");
}

static double held_angle(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[9];
}

static const Swing held = {0.002 + 0.3 * 0.3 * 0.3, 0, 0.3 * 0.3 * 9.81, 0};
const LastingScene lasting_gripper = {
    .name = "gripper",
    .shows = "Two sprung fingers pinch a block from which a pendulum swings",
    .coordinate_name = "angle of the pendulum, rad",
    .duration = 10,
    .window = 2.4,
    .open = gripper_open,
    .coordinate = held_angle,
    .rate = swing_rate,
    .size = 2,
    .system = &held,
    .start = {0.8, 0},
};
