/* Scenes in which only balls move have an iteration of their own on a device (src/gpu/balls.h, as
 * loops on the host), and what they may meet is found by their speeds. */
#include "agreement.h"

#include <stdlib.h>

/* A number in [-1, 1) that depends on i alone. */
static double jitter(unsigned i)
{
    i = (i ^ 61u ^ (i >> 16)) * 9u;
    i = (i ^ (i >> 4)) * 0x27d4eb2du;
    i ^= i >> 15;
    return (double)i / 2147483648.0 - 1.0;
}

/* Balls of several sizes and weights in a corner of three planes, in layers that nearly touch.
 * `more`: what else each body has. */
static TnModel *open_balls(int count, const char *more)
{
    static Text text;
    text.length = 0;
    text_add(&text,
             "<mujoco><option timestep='.005'/><default><geom friction='.1'/></default>"
             "<worldbody>" GROUND "<geom type='plane' pos='-.2 0 0' euler='0 70 0' size='5 5 1'/>"
             "<geom type='plane' pos='.2 0 0' euler='0 -70 0' size='5 5 1'/>");
    for (int i = 0; i < count; i++) {
        int x = i % 3, y = i / 3 % 3, z = i / 9;
        text_add(&text,
                 "<body pos='%g %g %g' euler='%d %d 0'><freejoint/>"
                 "<geom size='%g' density='%d'/>%s</body>",
                 0.12 * (x - 1) + 0.01 * jitter(3u * (unsigned)i),
                 0.12 * (y - 1) + 0.01 * jitter(3u * (unsigned)i + 1u), 0.07 + 0.11 * z,
                 31 * i % 90, 17 * i % 90, 0.04 + 0.004 * (i % 6), 200 + 900 * (i % 3), more);
    }
    text_add(&text, "</worldbody></mujoco>");
    return open_model(text.text);
}

TEST(steps_of_balls_agree_with_the_cpu)
{
    check_agreement("double", compare(TN_DEVICE_CUDA64, open_balls(27, ""), 1e-12, 60), 20, 1e-9);
    /* single precision reaches 1e-5 of gravity × timestep; forces of the same order */
    check_agreement("single", compare(TN_DEVICE_CUDA, open_balls(27, ""), 1e-5, 60), 20, 1e-3);
}

/* Spheres whose moments differ, or whose centre of mass is elsewhere, are no balls. */
TEST(what_is_no_ball_agrees_with_the_cpu)
{
    const char *const inertia[] = {
        "<inertial pos='0 0 0' mass='.3' diaginertia='.0003 .0004 .0005'/>",
        "<inertial pos='0 .01 0' mass='.3' diaginertia='.0004 .0004 .0004'/>"};
    for (int k = 0; k < 2; k++)
        check_agreement(inertia[k],
                        compare(TN_DEVICE_CUDA64, open_balls(18, inertia[k]), 1e-12, 60), 20, 1e-9);
}

/* The contact is beyond the centre of a ball that is deep in a larger one, or in a plane: its arm
 * is against the normal. And at the centre of one that is where another is. Gravity is oblique to
 * all normals, so friction acts at these arms. */
TEST(balls_deep_in_each_other_agree_with_the_cpu)
{
    static const char *const places[] = {
        "<body pos='0 .05 .4'><freejoint/><geom size='.2'/></body>"
        "<body pos='.03 0 .5'><freejoint/><geom size='.04'/></body>",
        "<geom type='plane' pos='0 0 1' euler='20 0 0' size='5 5 1'/>"
        "<body pos='0 0 .93'><freejoint/><geom size='.05'/></body>",
        "<body pos='0 0 2'><freejoint/><geom size='.05'/></body>"
        "<body pos='1e-9 0 2'><freejoint/><geom size='.05'/></body>"};
    for (int k = 0; k < 3; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='.005'/><default><geom friction='.4'/></default>"
                 "<worldbody>%s</worldbody></mujoco>",
                 places[k]);
        Agreement a = compare(TN_DEVICE_CUDA64, open_model(text), 1e-12, 10);
        CHECK(a.compared == 10 && a.contacts >= 10 && a.weight > 1.0);
        CHECK(a.force < 1e-10 * a.weight);
        CHECK(a.velocity < 1e-4 * a.speed); /* what the CPU's balance may change */
    }
}

enum { FAST = 300 };

/* Which pairs of fast balls must be listed, by emit_spheres.c: whatever may be stopped on its way.
 * False: rounding tells. */
static bool must_list(const double *a, const double *b, const double *va, const double *vb,
                      double radius, double t, bool *listed)
{
    double n[3], distance = 0.0, ways = 0.0;
    for (int k = 0; k < 3; k++) n[k] = b[k] - a[k], distance += n[k] * n[k];
    distance = sqrt(distance);
    double along_a = 0.0, along_b = 0.0;
    for (int k = 0; k < 3; k++) {
        along_a += n[k] / distance * va[k];
        along_b -= n[k] / distance * vb[k];
    }
    ways = t * (fmax(0.0, along_a) + fmax(0.0, along_b));
    double room = distance - 2.0 * radius - 9.81 * t * t - ways;
    *listed = room <= 0.0;
    return fabs(room) > 1e-9;
}

TEST(fast_balls_are_listed_with_all_that_they_may_meet)
{
    const double t = 0.01, radius = 0.05;
    static Text text;
    static double qpos[7 * FAST], qvel[6 * FAST];
    static bool listed[FAST][FAST];
    int expected = 0;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.01'/><worldbody>");
    for (int i = 0; i < FAST; i++) text_add(&text, "<body><freejoint/><geom size='.05'/></body>");
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = open_model(text.text);
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
    TnWorld *world = open_world(def, model);
    TnError err = {0};
    for (int i = 0; i < FAST; i++) {
        for (int k = 0; k < 3; k++) {
            qpos[7 * i + k] = 0.5 * jitter((unsigned)(6 * i + k));
            qvel[6 * i + k] = 25.0 * jitter((unsigned)(6 * i + 3 + k));
        }
        qpos[7 * i + 3] = 1.0;
    }
    CHECK(tn_world_set_state(world, qpos, qvel, &err) == TN_OK);
    CHECK(!tn_world_step(world).diverged);
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        CHECK(!listed[c.geom1 - 1][c.geom2 - 1]);
        listed[c.geom1 - 1][c.geom2 - 1] = true;
    }
    for (int i = 0; i < FAST; i++)
        for (int j = i + 1; j < FAST; j++) {
            bool must;
            double end[2][3];
            for (int k = 0; k < 3; k++) {
                double fall = k == 2 ? -9.81 * t : 0.0; /* velocities at the end of free motion */
                end[0][k] = qvel[6 * i + k] + fall;
                end[1][k] = qvel[6 * j + k] + fall;
            }
            if (!must_list(qpos + 7 * i, qpos + 7 * j, end[0], end[1], radius, t, &must)) continue;
            expected += must;
            if (must != (listed[i][j] || listed[j][i]))
                test_fail(__FILE__, __LINE__, "%d and %d: %d instead of %d", i, j,
                          listed[i][j] || listed[j][i], must);
        }
    CHECK(expected > 5 * FAST);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
