/* tn_model_eval: poses, actuator forces and sensors of a small arm by hand (mass matrix and bias:
 * test_articulated.c). */
#include "../subsystem/motion.h"

#include "base/base.h"

/* A hinge about z at the origin, a slide along x on it, a fixed tool, a site, sensors of each kind,
 * one motor and one servo. */
static TnModel *arm(void)
{
    TnModelBuilder *builder = start(0, 0, -9.81);
    TnBodyId turret = add_body(builder, TN_BODY_WORLD, 0, 0, 1.0, 2.0, 0, 0, 0, 0.1, 0.1, 0.2);
    TnJointDef joint = joint_on(turret, TN_JOINT_HINGE, 0, 0, 1);
    TnJointId hinge = tn_builder_add_joint(builder, &joint);
    TnBodyId boom = add_body(builder, turret, 0.5, 0, 0, 1.0, 0, 0, 0, 0.01, 0.01, 0.01);
    joint = joint_on(boom, TN_JOINT_SLIDE, 1, 0, 0);
    TnJointId slide = tn_builder_add_joint(builder, &joint);
    TnBodyDef tool = tn_body_def();
    tool.parent = boom;
    v3_set(tool.pos, 0, 0, 0.2);
    tool.quat[0] = tool.quat[1] = sqrt(0.5); /* a quarter turn about x */
    tool.has_inertia = true;
    tool.mass = 0.5;
    v3_set(tool.inertia, 0.001, 0.001, 0.001);
    TnBodyId tool_id = tn_builder_add_body(builder, &tool);
    TnSiteDef site = tn_site_def();
    site.body = tool_id;
    v3_set(site.pos, 0, 0.1, 0);
    TnSiteId site_id = tn_builder_add_site(builder, &site);
    TnActuatorDef actuator = tn_actuator_def();
    actuator.joint = hinge;
    actuator.gear = 2.0;
    tn_builder_add_actuator(builder, &actuator);
    actuator = tn_actuator_def();
    actuator.joint = slide;
    actuator.gain = 100.0;
    actuator.bias[1] = -100.0;
    actuator.bias[2] = -10.0;
    actuator.force_limited = true;
    actuator.force_range[0] = -20.0;
    actuator.force_range[1] = 20.0;
    tn_builder_add_actuator(builder, &actuator);
    const TnSensorType types[] = {TN_SENSOR_JOINT_POS, TN_SENSOR_JOINT_VEL, TN_SENSOR_BODY_POS,
                                  TN_SENSOR_BODY_QUAT, TN_SENSOR_SITE_POS,  TN_SENSOR_SITE_QUAT};
    const int32_t objects[] = {slide, hinge, tool_id, boom, site_id, site_id};
    for (int k = 0; k < 6; k++) {
        TnSensorDef sensor = tn_sensor_def();
        sensor.type = types[k];
        sensor.object = objects[k];
        tn_builder_add_sensor(builder, &sensor);
    }
    return finish(builder);
}

TEST(poses_forces_and_sensors_of_a_small_arm)
{
    TnModel *model = arm();
    REQUIRE(model);
    REQUIRE(model->qpos_count == 2 && model->sensor_data_count == 16 && model->body_count == 4);
    double q[2] = {asin(1.0), 0.25}, v[2] = {0.5, -1.0}, u[2] = {3.0, 0.4};
    double poses[4 * 7], force[2], data[16], M[4], bias[2];
    TnEval out = {.body_poses = poses,
                  .actuator_force = force,
                  .sensors = data,
                  .mass_matrix = M,
                  .bias = bias};
    TnError err = {0};
    REQUIRE(tn_model_eval(model, q, v, u, &out, &err) == TN_OK);
    const double s = sqrt(0.5);
    /* the arm points along y at reach 0.75 */
    const double expected[4][7] = {{0, 0, 0, 1, 0, 0, 0},
                                   {0, 0, 1, s, 0, 0, s},
                                   {0, 0.75, 1, s, 0, 0, s},
                                   {0, 0.75, 1.2, 0.5, 0.5, 0.5, 0.5}};
    for (int b = 0; b < 4; b++)
        for (int k = 0; k < 7; k++)
            CHECK_NEAR(poses[7 * b + k], expected[b][k], 1e-14); /* rounding */
    CHECK_NEAR(force[0], 3.0, 0.0);                              /* before the gear */
    CHECK_NEAR(force[1], 20.0, 0.0);                             /* 40 - 25 + 10 = 25, clamped */
    const double sensed[16] = {0.25, 0.5, 0,    0.75, 1.2, s,   0,   0,
                               s,    0,   0.75, 1.3,  0.5, 0.5, 0.5, 0.5};
    for (int k = 0; k < 16; k++) CHECK_NEAR(data[k], sensed[k], 1e-14);
    /* turret 0.2, boom and tool 0.011 + 1.5 · 0.75²; centrifugal and Coriolis terms of polar
     * coordinates */
    CHECK_NEAR(M[0], 0.2 + 0.011 + 1.5 * 0.5625, 1e-14);
    CHECK_NEAR(M[3], 1.5, 1e-14);
    CHECK_NEAR(bias[1], -1.5 * 0.75 * 0.25, 1e-14);
    CHECK_NEAR(bias[0], 2.0 * 1.5 * 0.75 * 0.5 * -1.0, 1e-14);
    tn_model_destroy(model);
}

TEST(null_velocity_and_controls_mean_zero)
{
    TnModel *model = arm();
    REQUIRE(model);
    double q[2] = {0.3, 0.1}, zero[2] = {0, 0}, force[2][2], bias[2][2];
    TnEval out = {.actuator_force = force[0], .bias = bias[0]};
    CHECK(tn_model_eval(model, q, NULL, NULL, &out, NULL) == TN_OK);
    out = (TnEval){.actuator_force = force[1], .bias = bias[1]};
    CHECK(tn_model_eval(model, q, zero, zero, &out, NULL) == TN_OK);
    for (int k = 0; k < 2; k++) {
        CHECK(force[0][k] == force[1][k]);
        CHECK(bias[0][k] == bias[1][k]);
    }
    tn_model_destroy(model);
}

TEST(missing_arguments_are_usage_errors)
{
    TnModel *model = arm();
    REQUIRE(model);
    TnError err = {0};
    TnEval out = {0};
    double q[2] = {0, 0};
    CHECK(tn_model_eval(model, NULL, NULL, NULL, &out, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "qpos");
    CHECK(tn_model_eval(NULL, q, NULL, NULL, &out, NULL) == TN_ERROR_USAGE);
    CHECK(tn_model_eval(model, q, NULL, NULL, NULL, NULL) == TN_ERROR_USAGE);
    tn_model_destroy(model);
}

TEST(every_failing_allocation_is_reported)
{
    TnModel *model = arm();
    REQUIRE(model);
    double q[2] = {0.3, 0.1}, M[4];
    int failures = 0;
    for (long calls = 0; calls < 20; calls++) {
        TnError err = {0};
        TnEval out = {.mass_matrix = M};
        tn_malloc_fail_after(calls);
        TnStatus status = tn_model_eval(model, q, NULL, NULL, &out, &err);
        tn_malloc_fail_after(-1);
        CHECK(status == TN_OK || (status == TN_ERROR_MEMORY && err.code == TN_ERROR_MEMORY));
        if (status == TN_OK) break;
        failures++;
    }
    CHECK(failures > 0 && failures < 20);
    tn_model_destroy(model);
}
