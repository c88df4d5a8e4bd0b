/* Contacts that are met in a step in which something else happens: a bounce behind them, a hit of a
 * neighbour, an elastic wave. Depths are those of states, at the start of each step. */
#include "text_scene.h"

#define CABLE(vertices, radius, stiffness)                                                         \
    "<composite type='cable' prefix='c' initial='free' vertex='" vertices "'><plugin "             \
    "plugin='mujoco.elasticity.cable'><config key='bend' value='" stiffness                        \
    "'/><config key='twist' value='" stiffness "'/></plugin><geom type='capsule' size='" radius    \
    "' density='1000' friction='0'/></composite>"
#define USES_CABLES "<extension><plugin plugin='mujoco.elasticity.cable'/></extension>"

#define BALL(name, pos)                                                                            \
    "<body pos='" pos "'><freejoint/><geom name='" name                                            \
    "' type='sphere' size='.1' density='1000' friction='0'/></body>"
#define DOWN3 "0 0 -.6 0 0 -.6 0 0 -.6 "
#define DOWN9 DOWN3 DOWN3 DOWN3

/* m: the deepest contact of so many steps; INFINITY where one was refused. */
static double deepest(const char *parts, double t, const char *gravity, int steps)
{
    TextScene s;
    double most = 0.0;
    if (!text_open(&s, t, gravity, parts)) return INFINITY;
    for (int k = 0; k < steps; k++) {
        TnStepReport report = tn_world_step(s.world);
        most = report.diverged ? INFINITY : fmax(most, report.max_penetration);
    }
    text_close(&s);
    return most;
}

/* The floor makes the ball bounce, the cable on it does not: nobody may bounce off the floor
 * through the cable. The ball was 13 mm in the cable's 20. */
TEST(a_ball_does_not_bounce_through_a_cable)
{
    double depth = deepest(
        USES_CABLES
        "<worldbody><geom type='plane' size='0 0 1' friction='0'/><body pos='0 0 1.7'><freejoint/>"
        "<geom name='g1' type='sphere' size='.1' density='1000' friction='0'/></body>" CABLE(
            "0 0 1  0.1 0 1  0.2 0 1", ".01",
            "2e6") "</worldbody>"
                   "<tenon><geom name='g1' restitution='.1'/></tenon>",
        0.02, "0 0 -9.81", 60);
    /* rounding decides how the ball slips off the cable within a step: 2e-9 m to 1.4e-3 m have been
     * seen; through it were 13e-3 m */
    CHECK(depth < 3e-3);
}

/* The outer ball lands first and does not bounce; the inner one would, 50 mm farther down. */
TEST(what_does_not_bounce_is_hit_before_what_does)
{
    double depth = deepest(
        "<worldbody><geom type='box' size='.1 .1 .1' friction='0'/><body pos='0 0 1'><freejoint/>"
        "<geom type='sphere' size='.1' density='1000' friction='0'/><body>"
        "<joint type='hinge' axis='.8 .5 0'/>"
        "<geom name='g2' type='sphere' size='.05' density='1000' "
        "friction='0'/></body></body></worldbody>"
        "<tenon><geom name='g2' restitution='1'/></tenon>",
        0.02, "0 0 -9.81", 60);
    CHECK(depth < 5e-4);
}

/* One link bounces in the step in which the other lands beside it: that was 9 mm deep, and stayed
 * so for some steps. */
TEST(a_neighbour_of_what_bounces_lands)
{
    double depth = deepest(
        "<asset><mesh name='m' inertia='convex' vertex='-.04 -.1 -.1 .04 -.1 -.1 .04 .1 -.1 -.04 "
        ".1 -.1 -.04 -.1 .1 "
        ".008 -.1 .1 -.02 .1 .06'/></asset><worldbody><geom type='box' size='.1 .1 .1' "
        "friction='0'/>"
        "<body pos='0 0 1' euler='0 .698131701 0'><freejoint/>"
        "<geom name='g1' type='sphere' size='.1' density='1000' friction='0'/>"
        "<body pos='.06 0 0' euler='.523598776 .698131701 0'><joint type='hinge' axis='0 1 -.05'/>"
        "<geom type='mesh' mesh='m' density='1000' friction='0'/></body></body></worldbody>"
        "<tenon><geom name='g1' restitution='1'/></tenon>",
        0.005, "0 0 -9.81", 100);
    CHECK_NEAR(depth, 0, 1e-4);
}

/* A ball bounces and another, which does not make it bounce, falls on it in the same step: it goes
 * back to the floor and not through it. It was 7 mm deep. */
TEST(what_bounced_is_pressed_down_as_far_as_the_floor)
{
    double depth = deepest(
        "<worldbody><geom name='g0' type='plane' size='0 0 1' pos='0 0 -.4' friction='0'/>"
        "<geom name='g1' type='box' size='.6 .1 .6' pos='0 -.5 0' friction='0'/>"
        "<geom name='g2' type='box' size='.1 .6 .6' pos='-.5 0 0' friction='0'/>" BALL("a", "0 0 0")
            BALL("b", "0 .3 .2")
                BALL("c", "-.1 -.2 -.3") "</worldbody><tenon><geom name='g0' restitution='.4'/>"
                                         "<geom name='g1' restitution='.4'/><geom name='g2' "
                                         "restitution='.4'/></tenon>"
                                         "<keyframe><key name='start' qvel='0 0 0 0 0 0 -.6 -.8 .6 "
                                         "0 0 0 0 .8 2 0 0 0'/></keyframe>",
        0.02, "0 0 -9.81", 25);
    CHECK_NEAR(depth, 0, 1e-4);
}

/* A cable moves by its end velocity as soon as it is near to something. Whether it gets there in a
 * step, and how far it may go, is asked of that way: a hit was found a step late, 1.8 mm deep. */
TEST(a_cable_bounces_before_it_is_deep)
{
    double depth = deepest(
        USES_CABLES
        "<worldbody><geom name='g0' type='box' size='1.1 .3 .1' pos='0 0 -1' friction='0'/>"
        "<geom name='g1' type='box' size='1.1 .1 1.1' pos='0 -.2 0' friction='0'/>"
        "<geom name='g2' type='box' size='1.1 .1 1.1' pos='0 .2 0' friction='0'/>" CABLE(
            "0 0 0  0.175516512 0 -0.0958851077  0.189663953 0 -0.295384105", ".02",
            "2e8") "</worldbody>"
                   "<tenon><geom name='g0' restitution='.8'/><geom name='g1' restitution='.8'/>"
                   "<geom name='g2' restitution='.8'/></tenon><keyframe><key name='start' "
                   "qvel='0 .1 0 0 0 0 0 .1 0 0 0 0'/></keyframe>",
        0.02, "0 0 -9.81", 110);
    CHECK(depth < 2e-4);
}

/* Dented by its bounce, the body comes back within a step, and where its nodes go only further
 * passes tell: its middle was 19 mm deep in the floor. */
TEST(a_soft_body_meets_the_floor_in_further_passes)
{
    double depth = deepest(
        "<worldbody><geom type='plane' size='0 0 1' friction='0'/></worldbody>"
        "<tenon><soft name='s' pos='0 0 1' box='.1 .1 .03' cells='2 2 2' young='4000' poisson='0' "
        "density='1000' damping='0' friction='0' restitution='.4'/></tenon>"
        "<keyframe><key name='start' qvel='" DOWN9 DOWN9 DOWN9 "'/></keyframe>",
        0.01, "0 0 -9.81", 70);
    CHECK_NEAR(depth, 0, 1e-4);
}

/* A bar that turns while it flies is hit where it is then: with the orientation of the step's start
 * its ends were 1.0, 1.1 and 4.5 mm in the planes at 5 ms. It makes no energy, and keeps it where
 * the step is short for its spin (10 rad/s at 1 ms: 0.6 degrees). */
TEST(a_spinning_bar_bounces_where_it_is)
{
    static const double starts[][6] = {
        {1.6, 0, 1.7, 5, -5, -3}, {2.7, -1.3, 0.9, -2, 2, 6}, {-0.6, 0.7, -1.8, 9, -5, 1}};
    static const double steps[] = {0.001, 0.005};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            TextScene s;
            double most = 0.0;
            REQUIRE(text_open(&s, steps[k], "0 0 0",
                              "<worldbody><geom name='p' type='plane' size='0 0 1' pos='0 0 -.4' "
                              "friction='0'/><geom name='q' type='plane' size='0 0 1' "
                              "pos='0 0 .4' quat='0 1 0 0' friction='0'/><body><freejoint/>"
                              "<geom name='b' type='box' size='.3 .03 .02' friction='0'/></body>"
                              "</worldbody><tenon><geom name='p' restitution='1'/><geom name='q' "
                              "restitution='1'/><geom name='b' restitution='1'/></tenon>"));
            CHECK(tn_world_set_state(s.world, NULL, starts[i], NULL) == TN_OK);
            double start = text_energy(&s);
            for (int n = 0; n < 1.0 / steps[k]; n++) {
                TnStepReport report = tn_world_step(s.world);
                most = fmax(most, report.max_penetration);
                CHECK(text_energy(&s) < (1.0 + 1e-5) * start); /* roundings of 20 hits */
            }
            CHECK(most < 5e-4);
            if (k == 0) CHECK(text_energy(&s) > 0.98 * start);
            text_close(&s);
        }
}
