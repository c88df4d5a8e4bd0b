/* Bodies that start inside of each other come apart, at a speed that does not depend on the step,
 * and no faster than falling by as much would make them: √(g d). */
#include "../step/text_scene.h"

static const double G = 9.81;

/* Speed at which two bodies without gravity part. */
static double parting_speed(TextScene *s)
{
    double v1[3], v2[3], w[3], sum = 0.0;
    tn_world_body_velocity(s->world, 2, v1, w);
    tn_world_body_velocity(s->world, 3, v2, w);
    for (int k = 0; k < 3; k++) sum += (v2[k] - v1[k]) * (v2[k] - v1[k]);
    return sqrt(sum);
}

static double run(const char *parts, double t, double *fastest)
{
    TextScene s;
    if (!text_open(&s, t, "0 0 0", parts)) return NAN;
    *fastest = 0.0;
    for (int k = 0; k * t < 2.0; k++) {
        CHECK(!tn_world_step(s.world).diverged);
        *fastest = fmax(*fastest, parting_speed(&s));
    }
    double speed = parting_speed(&s);
    text_close(&s);
    return speed;
}

static const char boxes[] =
    "<worldbody><body><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body pos='.1 .02 .01'><freejoint/><geom type='box' size='.1 .1 .1' "
    "mass='1'/></body></worldbody>";

/* By 0.1 m, half their size. */
TEST(boxes_deep_in_each_other_part_at_the_same_speed_at_any_step)
{
    double fastest, finest = run(boxes, text_steps[0], &fastest);
    CHECK(finest > 0.1 && finest < sqrt(G * 0.1));
    for (int i = 1; i < TEXT_STEPS; i++) {
        double speed = run(boxes, text_steps[i], &fastest);
        CHECK_NEAR(speed, finest, 0.01 * finest);
        CHECK(fastest <= 1.01 * finest); /* nor is it faster meanwhile */
    }
}

/* Without gravity a depth d is undone with √(2 a d), as if what is as deep as its radius of
 * gyration r comes out in half a second: r = a/2 (0.5 s)² (constraint/unilateral.c); but no more
 * than a fifth in a step: small depths come out slower at coarse steps, never faster. */
TEST(balls_part_with_the_root_of_their_depth)
{
    const double radius = 0.1 * sqrt(0.4);
    for (double d = 1e-4; d < 0.05; d *= 10.0)
        for (int i = 0; i < TEXT_STEPS; i++) {
            char parts[512];
            snprintf(
                parts, sizeof parts,
                "<worldbody><body><freejoint/><geom size='.1' mass='1'/></body>"
                "<body pos='0 0 %.17g'><freejoint/><geom size='.1' mass='1'/></body></worldbody>",
                0.2 - d);
            double t = text_steps[i], fastest, speed = run(parts, t, &fastest);
            double expected = fmin(0.2 * d / t, sqrt(16.0 * radius * d));
            CHECK_NEAR(speed, expected, 0.02 * expected);
            CHECK(fastest < sqrt(G * d));
        }
}

/* With gravity: nobody leaves the ground, and all end there. */
TEST(a_ball_in_the_ground_comes_up_and_stays)
{
    for (int i = 0; i < TEXT_STEPS; i++)
        for (double d = 1e-3; d < 0.1; d *= 3.0) {
            char parts[512];
            TextScene s;
            double highest = 0.0;
            snprintf(
                parts, sizeof parts,
                "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 %.17g'><freejoint/>"
                "<geom size='.1' mass='1'/></body></worldbody>",
                0.1 - d);
            REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
            for (int k = 0; k * s.t < 2.0; k++) {
                CHECK(!tn_world_step(s.world).diverged);
                highest = fmax(highest, tn_world_state(s.world).qpos[2]);
            }
            CHECK(highest < 0.1 + 1e-8); /* the last way out goes on for half a step */
            CHECK_NEAR(tn_world_state(s.world).qpos[2], 0.1, 1e-6);
            text_close(&s);
        }
}
