/* Fixed tendons, actuators on them, damping ratios and the sensors of both, read from MJCF.
 * Expected numbers are worked out by hand. */
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/world.h>

static TnError err;

#define ROUNDING 1e-14 /* of a few products of numbers of size 1 */

/* Two sliding fingers of 0.5 kg on a hand that turns about z; springref in metres. */
#define HAND                                                                                       \
    "<worldbody><body name='hand'><joint name='wrist' ref='90'/>"                                  \
    "<inertial mass='1' pos='0 0 0' diaginertia='.1 .1 .1'/>"                                      \
    "<site name='palm' pos='0 2 0' euler='0 0 90'/>"                                               \
    "<body><joint name='left' type='slide' axis='1 0 0' springref='.1'/>"                          \
    "<inertial mass='.5' pos='0 0 0' diaginertia='.1 .1 .1'/></body>"                              \
    "<body><joint name='right' type='slide' axis='-1 0 0' springref='.3'/>"                        \
    "<inertial mass='.5' pos='0 0 0' diaginertia='.1 .1 .1'/></body></body></worldbody>"
#define BOTH(COEF) "<joint joint='right' coef='" COEF "'/><joint joint='left' coef='.5'/>"

TEST(a_fixed_tendon_takes_its_attributes_and_those_of_its_class)
{
    TnModel *m =
        load_text("<mujoco><default><tendon damping='3' frictionloss='7' limited='true'/>"
                  "<default class='stiff'><tendon stiffness='4' range='-1 2'/></default>"
                  "</default>" HAND "<tendon>"
                  "<fixed name='one' class='stiff' damping='5' width='0.1' rgba='1 0 0 1' "
                  "group='2'>" BOTH(
                      "-2") "</fixed>"
                            "<fixed name='two' limited='false' stiffness='1' springlength='.25'>"
                            "<joint joint='wrist' coef='1'/></fixed>"
                            "</tendon></mujoco>",
                  &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(tn_model_info(m).tendon_count == 2);
    CHECK(tn_model_find_tendon(m, "two") == 2 && tn_model_find_tendon(m, "three") == 0);
    const TnTendon *one = &m->tendons[0], *two = &m->tendons[1];
    CHECK(one->limited && one->range[0] == -1.0 && one->range[1] == 2.0);
    CHECK(one->stiffness == 4.0 && one->damping == 5.0 && one->friction_loss == 7.0);
    CHECK(one->moment_count == 2 && one->moments[0].coef == 0.5 && one->moments[1].coef == -2.0);
    CHECK_NEAR(one->spring_length, 0.5 * 0.1 - 2.0 * 0.3, ROUNDING); /* at the springrefs */
    CHECK(!two->limited && two->damping == 3.0 && two->spring_length == 0.25);
    tn_model_destroy(m);
}

TEST(flags_switch_off_what_tendons_do)
{
    TnModel *m =
        load_text("<mujoco><option><flag spring='disable' damper='disable' "
                  "limit='disable' frictionloss='disable'/></option>" HAND
                  "<tendon><fixed stiffness='1' damping='2' range='0 1' frictionloss='3'>" BOTH(
                      "1") "</fixed></tendon></mujoco>",
                  &err);
    REQUIRE(m);
    const TnTendon *t = &m->tendons[0];
    CHECK(t->stiffness == 0.0 && t->damping == 0.0 && !t->limited && t->friction_loss == 0.0);
    tn_model_destroy(m);
}

#define TENDON "<tendon><fixed name='t' range='-1 3'>" BOTH("1.5") "</fixed></tendon>"

TEST(actuators_on_tendons_have_length_force_and_range)
{
    TnModel *m = load_text("<mujoco>" HAND TENDON
                           "<actuator><position name='p' tendon='t' kp='20' kv='3' gear='2' "
                           "inheritrange='.5'/></actuator>"
                           "<sensor><tendonpos tendon='t'/><tendonvel tendon='t'/>"
                           "<actuatorpos actuator='p'/><actuatorvel actuator='p'/>"
                           "<gyro site='palm'/><velocimeter site='palm'/></sensor></mujoco>",
                           &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(m->actuators[0].tendon == 0 && m->actuators[0].ctrl_limited);
    CHECK(m->actuators[0].ctrl_range[0] == 0.0 && m->actuators[0].ctrl_range[1] == 2.0);
    double ref = 1.57079632679489661923;
    double qpos[3] = {ref, 0.4, 0.2}, qvel[3] = {0.7, -1.0, 2.0}, ctrl[1] = {9.0};
    double force, data[10];
    TnEval out = {.actuator_force = &force, .sensors = data};
    REQUIRE(tn_model_info(m).sensor_data_count == 10);
    REQUIRE(tn_model_eval(m, qpos, qvel, ctrl, &out, &err) == TN_OK);
    double length = 0.5 * 0.4 + 1.5 * 0.2, rate = 0.5 * -1.0 + 1.5 * 2.0;
    /* the palm looks along y of the world's axes; at the reference angle the hand is not turned */
    const double expected[10] = {length, rate, 2.0 * length, 2.0 * rate, 0, 0, 0.7, 0, 1.4, 0};
    CHECK_NEAR(force, 20.0 * 2.0 - 20.0 * 2.0 * length - 3.0 * 2.0 * rate, 1e-13);
    for (int k = 0; k < 10; k++) CHECK_NEAR(data[k], expected[k], ROUNDING);
    tn_model_destroy(m);
}

TEST(dampratio_stands_in_the_place_of_kv_wherever_it_comes_from)
{
    TnModel *m =
        load_text("<mujoco><default><default class='c'><position kp='50' "
                  "dampratio='1'/></default></default>" HAND TENDON "<actuator>"
                  "<position class='c' joint='left'/>"
                  "<position class='c' joint='left' kp='200'/>"
                  "<position class='c' joint='left' kv='7'/>"
                  "<position class='c' joint='left' dampratio='0'/>"
                  "<general joint='left' gainprm='50' biastype='affine' biasprm='0 -50 1'/>"
                  "<general joint='left' gainprm='50' biastype='affine' biasprm='0 -40 1'/>"
                  "<velocity class='c' joint='left' kv='5'/>"
                  "<position tendon='t' kp='50' dampratio='.5'/></actuator></mujoco>",
                  &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    /* a finger's axis goes through the wrist's: it moves itself alone, 0.5 kg */
    double critical = -2.0 * sqrt(50.0 * 0.5), along = 1.0 / (0.25 / 0.5 + 2.25 / 0.5);
    const double expected[8] = {critical, -2.0 * sqrt(200.0 * 0.5), -7.0, 0.0, critical, 1.0,
                                -5.0,     -sqrt(50.0 * along)};
    for (int i = 0; i < 8; i++) CHECK_NEAR(m->actuators[i].bias[2], expected[i], 1e-13);
    tn_model_destroy(m);
}

TEST(a_tendon_across_two_trees_is_a_row)
{
    TnModel *m = load_text("<mujoco><worldbody><body><joint name='a'/><geom size='1'/></body>"
                           "<body><joint name='b'/><geom size='1'/></body></worldbody>\n"
                           "<tendon><fixed name='t'><joint joint='a' coef='1'/>"
                           "<joint joint='b' coef='1'/></fixed></tendon></mujoco>",
                           &err);
    REQUIRE(m);
    CHECK(!m->tendons[0].direct && m->paths[m->tendons[0].path].link_count == 2);
    tn_model_destroy(m);
}
