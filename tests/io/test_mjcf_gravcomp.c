/* Gravity compensation of bodies (gravcomp), and of joints whose actuators do it
 * (actuatorgravcomp). */
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/world.h>

static TnError err;

#define G 9.81

/* A tree with a body fixed to a link, two joints in one body, and a floating tree. */
static const char *const TREES =
    "<mujoco><default><joint actuatorgravcomp='true'/></default><worldbody>"
    "<body gravcomp='1'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.3 0 0' mass='2' "
    "contype='0'/><body pos='.1 .2 .3' gravcomp='.3'><geom size='.1' mass='.7' contype='0'/></body>"
    "<body pos='.6 0 0' gravcomp='.5'><joint name='k' axis='0 1 0' pos='.1 0 0'/>"
    "<joint name='l' type='slide' axis='0 0 1'/><geom size='.1' pos='.2 0 0' mass='1' "
    "contype='0'/></body></body><body gravcomp='2' pos='0 0 3'><freejoint/>"
    "<geom size='.1' mass='1' pos='.1 0 0'/><body pos='0 .5 0' gravcomp='-1'>"
    "<joint name='n' axis='1 0 0'/><geom size='.1' pos='0 .2 0' mass='.6' contype='0'/></body>"
    "</body></worldbody><sensor><jointactuatorfrc joint='j'/><jointactuatorfrc joint='k'/>"
    "<jointactuatorfrc joint='l'/><jointactuatorfrc joint='n'/></sensor></mujoco>";
static const double POSE[11] = {.3, -.4, .1, 0, 0, 3, .6, .6, -.4, .34641016151377546, .7};

static TnWorld *start(const TnModel *m, const double *qpos)
{
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    if (world && qpos) tn_world_set_state(world, qpos, NULL, &err);
    return world;
}

TEST(forces_on_joints_are_mujocos)
{
    TnModel *m = load_text(TREES, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    /* qfrc_gravcomp of mj_forward, MuJoCo 4.0.0 */
    static const double mujoco[4] = {-9.7217888860573609, -0.43908125220360195, 4.8804954306887165,
                                     0.37187698538021463};
    double data[4];
    TnEval out = {.sensors = data};
    REQUIRE(tn_model_eval(m, POSE, NULL, NULL, &out, &err) == TN_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(data[i], mujoco[i], 1e-14); /* rounding */
    tn_model_destroy(m);
}

/* The force is conservative: what it carries is no potential energy. */
TEST(no_energy_is_made_and_a_floating_tree_falls_by_what_is_not_carried)
{
    TnModel *m = load_text(TREES, &err);
    REQUIRE(m);
    TnWorld *world = start(m, POSE);
    REQUIRE(world);
    TnEnergy first = tn_world_energy(world);
    double start_energy = first.kinetic + first.potential, largest = 0.0;
    double height = 0.0, t = 0.2;
    for (int k = 0; k < 100; k++) {
        TnEnergy now = tn_world_energy(world);
        largest = fmax(largest, fabs(now.kinetic + now.potential - start_energy));
        tn_world_step(world);
    }
    CHECK(largest < 2e-4); /* of the midpoint rule, of about 2 J that are exchanged */
    double poses[7 * 6];
    TnEval out = {.body_poses = poses};
    REQUIRE(tn_model_eval(m, tn_world_state(world).qpos, NULL, NULL, &out, &err) == TN_OK);
    for (int i = 0; i < 2; i++) { /* the floating bodies' centres of mass */
        double before[7 * 6], com[2][3];
        TnEval at_start = {.body_poses = before};
        REQUIRE(tn_model_eval(m, POSE, NULL, NULL, &at_start, &err) == TN_OK);
        for (int side = 0; side < 2; side++) {
            const double *p = (side ? poses : before) + 7 * (4 + i), *q = p + 3;
            const double *c = m->links[m->bodies[4 + i].link].com;
            double u[3] = {q[2] * c[2] - q[3] * c[1], q[3] * c[0] - q[1] * c[2],
                           q[1] * c[1] - q[2] * c[0]};
            com[side][2] = p[2] + c[2] + 2 * q[0] * u[2] + 2 * (q[1] * u[1] - q[2] * u[0]);
        }
        height += (i ? 0.6 : 1.0) * (com[1][2] - com[0][2]);
    }
    /* 2 kg and -0.6 kg are carried of 1.6 kg: 0.2 kg are left */
    CHECK_NEAR(height, -0.5 * G * t * t * (1.6 - 1.4), 1e-12); /* rounding of 100 steps */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(a_free_body_that_is_carried_stays_and_one_carried_twice_rises)
{
    TnModel *m = load_text("<mujoco><worldbody><body gravcomp='1' pos='0 0 1'><freejoint/>"
                           "<geom size='.1'/></body><body gravcomp='2' pos='1 0 1'><freejoint/>"
                           "<geom size='.1'/></body></worldbody></mujoco>",
                           &err);
    REQUIRE(m);
    TnWorld *world = start(m, NULL);
    REQUIRE(world);
    for (int k = 0; k < 100; k++) tn_world_step(world);
    const double *q = tn_world_state(world).qpos;
    CHECK_NEAR(q[2], 1.0, 1e-13); /* rounding of 100 steps */
    CHECK_NEAR(q[9], 1.0 + 0.5 * G * 0.2 * 0.2, 1e-12);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* Gravity turns the arm with 2 · 9.81 · 0.3 = 5.886 N·m; compensation and motor together may give
 * 1 N·m. Without actuatorgravcomp the compensation is not bounded. */
TEST(actuators_that_compensate_share_their_bounds_with_it)
{
    static const struct {
        const char *flag;
        double ctrl, total;
    } cases[3] = {{"true", 0.5, -1.0}, {"true", 6.5, 6.5 - 5.886}, {"false", 0.5, 0.5 - 5.886}};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='1e-4'/><worldbody><body gravcomp='1'>"
                 "<joint name='j' axis='0 1 0' actuatorgravcomp='%s' actuatorfrcrange='-1 1'/>"
                 "<inertial mass='2' pos='.3 0 0' diaginertia='.1 .12 .1'/></body></worldbody>"
                 "<actuator><motor joint='j'/></actuator>"
                 "<sensor><jointactuatorfrc joint='j'/></sensor></mujoco>",
                 cases[i].flag);
        TnModel *m = load_text(text, &err);
        if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
        REQUIRE(m);
        TnWorld *world = start(m, NULL);
        REQUIRE(world);
        REQUIRE(tn_world_set_ctrl(world, &cases[i].ctrl, &err) == TN_OK);
        double sensor;
        REQUIRE(tn_world_sensors(world, &sensor, &err) == TN_OK);
        CHECK_NEAR(sensor, i < 2 ? cases[i].total : 0.5, 1e-14); /* rounding */
        tn_world_step(world);
        /* the arm has turned by 1e-8 half way: a change of cos of 1e-16 */
        CHECK_NEAR(tn_world_state(world).qvel[0] * 1e4,
                   (cases[i].total + 5.886) / (0.12 + 2 * 0.09), 1e-10);
        tn_world_destroy(world);
        tn_model_destroy(m);
    }
}

TEST(bounded_compensation_without_an_actuator_is_refused)
{
    TnModel *m = load_text("<mujoco><worldbody><body gravcomp='1'>\n<joint actuatorgravcomp='true' "
                           "actuatorfrcrange='-1 1'/><geom size='.1'/></body></worldbody></mujoco>",
                           &err);
    CHECK(!m && has_line(err.message, "2:1", "needs an actuator on the joint"));
}
