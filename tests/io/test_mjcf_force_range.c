/* Bounds of the sum of actuator forces on joints and tendons (actuatorfrcrange): forces at a state
 * as MuJoCo 4.0.0 gives them, and the motion that follows from them. */
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/world.h>

static TnError err;

#define ROUNDING 1e-14 /* of a few products of numbers of size 1 */

/* Three slides; two actuators share the bounds of a joint, two those of a tendon, one is alone. */
static const char *const SHARED =
    "<mujoco><option gravity='0 0 0'/><worldbody><body>"
    "<joint name='a' type='slide' axis='1 0 0' actuatorfrcrange='-2 3'/><geom size='.1'/>"
    "<body><joint name='b' type='slide' axis='1 0 0'/><geom size='.1' contype='0'/></body>"
    "<body><joint name='c' type='slide' axis='1 0 0'/><geom size='.1' contype='0'/></body>"
    "</body></worldbody><tendon>"
    "<fixed name='t' actuatorfrcrange='-4 4'><joint joint='b' coef='1'/>"
    "<joint joint='c' coef='-2'/></fixed>"
    "<fixed name='u' actuatorfrcrange='-2 2'><joint joint='b' coef='.5'/>"
    "<joint joint='c' coef='1'/></fixed></tendon><actuator>"
    "<motor joint='a' gear='3'/><position joint='a' kp='2' forcerange='-1 1'/>"
    "<motor tendon='t' gear='.5'/><position tendon='t' gear='.5' kp='4'/>"
    "<motor tendon='u' gear='-2' forcerange='-1 3'/></actuator><sensor>"
    "<jointactuatorfrc joint='a'/><jointactuatorfrc joint='b'/><jointactuatorfrc joint='c'/>"
    "</sensor></mujoco>";

static const double CTRL[3][5] = {{2, 0, 1, 2, 1}, {.5, .5, 7, 5, -9}, {-2, -9, -3, -1, 9}};
static const double ON_JOINTS[3][3] = {{3, 1, -6}, {2.3, 3, -2}, {-2, -4, 0}};

TEST(sums_of_forces_on_joints_and_tendons_are_mujocos)
{
    TnModel *m = load_text(SHARED, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    /* actuator_force and qfrc_actuator of mj_forward */
    static const double force[3][5] = {{2, -.2, 20.0 / 49.0, 176.0 / 49.0, 1},
                                       {.5, .8, 140.0 / 139.0, 416.0 / 139.0, -1},
                                       {-2, -1, -60.0 / 31.0, -64.0 / 31.0, 2}};
    const double qpos[3] = {.1, .2, .3};
    for (int i = 0; i < 3; i++) {
        double found[5], sensors[3];
        TnEval out = {.actuator_force = found, .sensors = sensors};
        REQUIRE(tn_model_eval(m, qpos, NULL, CTRL[i], &out, &err) == TN_OK);
        for (int k = 0; k < 5; k++) CHECK_NEAR(found[k], force[i][k], ROUNDING);
        for (int k = 0; k < 3; k++) CHECK_NEAR(sensors[k], ON_JOINTS[i][k], ROUNDING);
    }
    tn_model_destroy(m);
}

/* While bounds hold the sums, the forces are constant and the step is exact: M Δv = τ t. */
TEST(bounded_sums_move_the_joints_and_their_work_is_the_energy)
{
    TnModel *m = load_text(SHARED, &err);
    REQUIRE(m);
    const double start[3] = {.1, .2, .3};
    for (int i = 0; i < 3; i += 2) { /* the second has a servo within its bounds */
        TnWorldDef def = tn_world_def();
        TnWorld *world = tn_world_create(&def, m, &err);
        REQUIRE(world);
        REQUIRE(tn_world_set_state(world, start, NULL, &err) == TN_OK);
        REQUIRE(tn_world_set_ctrl(world, CTRL[i], &err) == TN_OK);
        double M[9], work = 0.0;
        TnEval out = {.mass_matrix = M};
        REQUIRE(tn_model_eval(m, start, NULL, NULL, &out, &err) == TN_OK);
        for (int k = 1; k <= 10; k++) {
            TnStepReport report = tn_world_step(world);
            const double *v = tn_world_state(world).qvel;
            work += report.energy.actuators;
            for (int r = 0; r < 3; r++) {
                double p = M[3 * r] * v[0] + M[3 * r + 1] * v[1] + M[3 * r + 2] * v[2];
                CHECK_NEAR(p, ON_JOINTS[i][r] * 0.002 * k, 1e-13); /* rounding of ten steps */
            }
            CHECK_NEAR(report.energy.created, 0.0, 1e-14);
        }
        CHECK_NEAR(tn_world_energy(world).kinetic, work, 1e-13);
        tn_world_destroy(world);
    }
    tn_model_destroy(m);
}

/* A stiff servo that only its joint bounds: without the bound it would be there in a step or two.
 * It goes as a constant force does, 3 N on 1 kg. */
TEST(the_bound_of_a_joint_holds_a_stiff_servo_back)
{
    TnModel *m = load_text("<mujoco><option gravity='0 0 0'/><default>"
                           "<joint actuatorfrcrange='-3 3'/></default><worldbody><body>"
                           "<joint name='a' type='slide' axis='1 0 0'/>"
                           "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>"
                           "</worldbody><actuator><position joint='a' kp='1e5' kv='1e2'/>"
                           "</actuator></mujoco>",
                           &err);
    REQUIRE(m);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    const double ctrl[1] = {1.0};
    REQUIRE(tn_world_set_ctrl(world, ctrl, &err) == TN_OK);
    for (int k = 1; k <= 100; k++) {
        tn_world_step(world);
        double t = 0.002 * k;
        CHECK_NEAR(tn_world_state(world).qvel[0], 3.0 * t, 1e-13); /* rounding of 100 steps */
        CHECK_NEAR(tn_world_state(world).qpos[0], 1.5 * t * t, 1e-13);
    }
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(limited_auto_and_false_are_as_for_other_ranges)
{
    TnModel *m = load_text(
        "<mujoco><worldbody><body><joint type='slide' actuatorfrcrange='-1 2' "
        "actuatorfrclimited='false'/><joint type='slide' axis='1 0 0' actuatorfrcrange='-1 2' "
        "actuatorfrclimited='true'/><joint type='slide' axis='0 1 0' actuatorfrcrange='0 0'/>"
        "<geom size='.1'/></body></worldbody></mujoco>",
        &err);
    REQUIRE(m);
    CHECK(!m->joints[0].actuator_limited && m->joints[1].actuator_limited);
    CHECK(m->joints[1].actuator_range[0] == -1.0 && m->joints[1].actuator_range[1] == 2.0);
    CHECK(!m->joints[2].actuator_limited);
    tn_model_destroy(m);
}

#define ONE_SLIDE(RANGE)                                                                           \
    "<mujoco><worldbody><body><joint name='a' type='slide' " RANGE "/><geom size='.1'/></body>"    \
    "</worldbody><tendon><fixed name='t' actuatorfrcrange='-1 1'><joint joint='a' coef='1'/>"      \
    "</fixed></tendon><actuator>\n"

TEST(sums_that_do_not_act_along_one_line_are_refused_at_their_place)
{
    TnModel *m = load_text(ONE_SLIDE("actuatorfrcrange='-1 1'") "<motor tendon='t'/>"
                                                                "</actuator></mujoco>",
                           &err);
    CHECK(!m && has_line(err.message, "2:1", "its tendon moves a joint that bounds"));
    err = (TnError){0};
    m = load_text(ONE_SLIDE("") "<motor tendon='t'/>\n<motor tendon='t' gear='2'/>"
                                "</actuator></mujoco>",
                  &err);
    CHECK(!m && has_line(err.message, "2:1", "need the same gear"));
}
