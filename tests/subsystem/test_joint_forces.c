/* Springs, dampers and actuators of trees: against analytic solutions, and at gains far beyond the
 * step. */
#include "motion.h"

/* One hinge about z with unit inertia and no gravity. */
static TnJointDef wheel(TnModelBuilder *builder)
{
    TnBodyId body = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0, 0, 0, 0.6, 0.6, 1.0);
    return joint_on(body, TN_JOINT_HINGE, 0, 0, 1);
}

static TnModel *damped_wheel(double stiffness, double damping)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnJointDef joint = wheel(builder);
    joint.stiffness = stiffness;
    joint.spring_ref = 0.2;
    joint.damping = damping;
    tn_builder_add_joint(builder, &joint);
    return finish(builder);
}

/* A wheel with one actuator. */
static TnModel *driven_wheel(double gear, double gain, double bias1, double bias2,
                             double force_limit, double ctrl_limit)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnJointDef joint = wheel(builder);
    TnActuatorDef actuator = tn_actuator_def();
    actuator.joint = tn_builder_add_joint(builder, &joint);
    actuator.gear = gear;
    actuator.gain = gain;
    actuator.bias[1] = bias1;
    actuator.bias[2] = bias2;
    if (force_limit > 0.0) {
        actuator.force_limited = true;
        actuator.force_range[0] = -force_limit;
        actuator.force_range[1] = force_limit;
    }
    if (ctrl_limit > 0.0) {
        actuator.ctrl_limited = true;
        actuator.ctrl_range[0] = -ctrl_limit;
        actuator.ctrl_range[1] = ctrl_limit;
    }
    tn_builder_add_actuator(builder, &actuator);
    return finish(builder);
}

TEST(damped_hinge_follows_the_exponential_with_second_order)
{
    TnModel *model = damped_wheel(0.0, 3.0);
    REQUIRE(model);
    double error[2];
    for (int s = 0; s < 2; s++) {
        Motion m = motion_start(model, s ? 0.005 : 0.01);
        m.qvel[0] = 2.0;
        motion_run(&m, 0.5);
        error[s] = m.qvel[0] - 2.0 * exp(-1.5);
        CHECK_NEAR(m.qpos[0], 2.0 / 3.0 * (1.0 - exp(-1.5)), 1e-4); /* t² D³/12 */
        motion_end(&m);
    }
    CHECK(fabs(error[0]) < 1e-4);
    CHECK(error[0] / error[1] > 3.9 && error[0] / error[1] < 4.1); /* a quarter, up to t⁴ */
    tn_model_destroy(model);
}

TEST(stiff_damping_stops_without_ringing)
{
    for (double damping = 50.0; damping < 1e9; damping *= 10.0) {
        TnModel *model = damped_wheel(0.0, damping);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        m.qvel[0] = 2.0;
        double last = 2.0;
        for (int k = 0; k < 20; k++) {
            motion_step(&m);
            CHECK(m.qvel[0] >= -1e-12 && m.qvel[0] <= last + 1e-12); /* rounding about rest */
            last = m.qvel[0];
        }
        motion_end(&m);
        tn_model_destroy(model);
    }
}

TEST(stiff_damping_of_a_chain_stops_without_ringing)
{
    /* joints that share their inertia: M_dd alone would call the damping milder than it is */
    TnModelBuilder *builder = start(0, 0, 0);
    TnBodyId parent = TN_BODY_WORLD;
    for (int k = 0; k < 4; k++) {
        parent = add_body(builder, parent, k ? 0.3 : 0.0, 0, 0, 1.0, 0.15, 0, 0, 0.001, 0.01, 0.01);
        TnJointDef joint = joint_on(parent, TN_JOINT_HINGE, 0, 0, 1);
        joint.damping = 1e4;
        tn_builder_add_joint(builder, &joint);
    }
    TnModel *model = finish(builder);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    for (int d = 0; d < 4; d++) m.qvel[d] = 1.0;
    for (int k = 0; k < 5; k++) motion_step(&m);
    /* all rates D/M are above 20 per step; a trapezoidal rule would keep more than 0.8⁵ = 0.3, with
     * alternating signs */
    for (int d = 0; d < 4; d++) CHECK_NEAR(m.qvel[d], 0.0, 1e-3);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(spring_oscillator_keeps_energy_and_period)
{
    TnModel *model = damped_wheel(100.0, 0.0); /* 10 rad/s */
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.qpos[0] = 0.2 + 0.5;
    double E0 = 0.5 * 100.0 * 0.25;
    for (int k = 0; k < 1000; k++) {
        motion_step(&m);
        CHECK_NEAR(motion_energy(&m), E0, 1e-10 * E0); /* kept exactly: rounding of 1000 steps */
    }
    /* the midpoint rule turns by 2 atan(ωt/2) a step */
    CHECK_NEAR(m.qpos[0], 0.2 + 0.5 * cos(1000.0 * 2.0 * atan(0.05)), 1e-9);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(stiff_spring_stays_bounded)
{
    TnModel *model = damped_wheel(1e10, 0.0);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.qpos[0] = 0.2 + 1e-3;
    for (int k = 0; k < 1000; k++) {
        motion_step(&m);
        CHECK(fabs(m.qpos[0] - 0.2) <=
              1.0001e-3); /* energy is kept: 1e-4 for rounding at this stiffness */
    }
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(ball_spring_swings_like_a_hinge_spring)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnBodyId body = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 1.0, 1.0);
    TnJointDef joint = joint_on(body, TN_JOINT_BALL, 0, 0, 1);
    joint.stiffness = 100.0;
    tn_builder_add_joint(builder, &joint);
    TnModel *model = finish(builder);
    REQUIRE(model);
    Motion m = motion_start(model, 0.001);
    double axis[3] = {0.6, 0.0, 0.8}, rotvec[3];
    quat_from_axis_angle(m.qpos, axis, 0.5);
    motion_run(&m, 0.5);
    quat_to_rotvec(rotvec, m.qpos);
    /* isotropic: a harmonic turn about the axis; (ωt)²/12 per radian of phase and (θ/n)² of the
     * Cayley map */
    for (int k = 0; k < 3; k++) CHECK_NEAR(rotvec[k], 0.5 * cos(5.0) * axis[k], 1e-4);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(stiff_ball_spring_stays_bounded)
{
    TnModelBuilder *builder = start(0, 0, -9.81);
    TnBodyId body = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0.2, 0, 0, 0.01, 0.02, 0.03);
    TnJointDef joint = joint_on(body, TN_JOINT_BALL, 0, 0, 1);
    joint.stiffness = 1e6;
    joint.damping = 10.0;
    tn_builder_add_joint(builder, &joint);
    TnModel *model = finish(builder);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    double axis[3] = {0.6, 0.0, 0.8}, rotvec[3];
    quat_from_axis_angle(m.qpos, axis, 1.0);
    motion_run(&m, 5.0);
    quat_to_rotvec(rotvec, m.qpos);
    CHECK(v3_norm(rotvec) < 0.1); /* damped away; weight alone turns it by 2e-6 */
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(high_gain_servo_reaches_its_target_without_oscillation)
{
    static const double gains[][2] = {{1e3, 100.0}, {1e4, 1e3}, {1e6, 1e4}, {1e8, 1e6}, {1e6, 1e6}};
    for (size_t g = 0; g < sizeof gains / sizeof gains[0]; g++) {
        TnModel *model = driven_wheel(1.0, gains[g][0], -gains[g][0], -gains[g][1], 0.0, 0.0);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        m.ctrl[0] = 0.5;
        double last = 0.0;
        for (int k = 0; k < 1500; k++) {
            motion_step(&m);
            CHECK(m.qpos[0] >= last - 1e-9); /* monotone, up to rounding */
            CHECK(m.qpos[0] <= 0.5 + 1e-9);
            last = m.qpos[0];
        }
        CHECK_NEAR(m.qpos[0], 0.5, 1e-6); /* the slowest here has the time constant kd/kp = 1 s */
        motion_end(&m);
        tn_model_destroy(model);
    }
}

TEST(undamped_high_gain_servo_settles)
{
    for (double gain = 1e5; gain < 1e13; gain *= 100.0) {
        TnModel *model = driven_wheel(1.0, gain, -gain, 0.0, 0.0, 0.0);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        m.ctrl[0] = 0.5;
        motion_run(&m, 1.0);
        /* double root -1/3 or smaller roots: 100 steps leave nothing but rounding */
        CHECK_NEAR(m.qpos[0], 0.5, 1e-9);
        CHECK_NEAR(m.qvel[0], 0.0, 1e-6);
        motion_end(&m);
        tn_model_destroy(model);
    }
}

TEST(servo_saturates_at_its_force_range)
{
    TnModel *model = driven_wheel(1.0, 1e5, -1e5, -1e5, 2.0, 0.0);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.ctrl[0] = 1.0;
    motion_run(&m, 0.2);
    CHECK_NEAR(m.qvel[0], 0.2 * 2.0, 1e-12); /* full force all along: rounding */
    CHECK_NEAR(m.qpos[0], 0.5 * 2.0 * 0.04, 1e-12);
    double last = m.qvel[0];
    for (int k = 0; k < 2000; k++) {
        motion_step(&m);
        CHECK(fabs(m.qvel[0] - last) <= 0.01 * 2.0 + 1e-12); /* |Δv| <= t F/I */
        last = m.qvel[0];
    }
    CHECK_NEAR(m.qpos[0], 1.0,
               1e-6); /* it gets there in the end, with the time constant kd/kp = 1 s */
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(gear_multiplies_length_and_force)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        double gear = 3.0 * sign;
        TnModel *model = driven_wheel(gear, 1e3, -1e3, -500.0, 2.0, 1.5);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        double ctrl = 9.0; /* clamped to 1.5 */
        tn_actuator_inputs(model, &(TnDrive){.t = 0.01, .ctrl = &ctrl, .qpos = m.qpos}, m.ctrl,
                           NULL);
        motion_step(&m);
        CHECK_NEAR(m.qvel[0], 0.01 * 2.0 * gear, 1e-12); /* at its limit */
        motion_run(&m, 20.0);
        CHECK_NEAR(m.qpos[0], 1.5 / gear, 1e-6); /* length = gear · q */
        motion_end(&m);
        tn_model_destroy(model);
    }
}

TEST(motor_torque_gives_uniform_acceleration)
{
    TnModel *model = driven_wheel(2.0, 1.0, 0.0, 0.0, 0.0, 0.0);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.ctrl[0] = 0.7;
    motion_run(&m, 1.0);
    CHECK_NEAR(m.qvel[0], 1.4, 1e-12); /* exact for constant force */
    CHECK_NEAR(m.qpos[0], 0.7, 1e-12);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(destabilizing_gain_grows_as_it_should)
{
    TnModel *model = driven_wheel(1.0, 0.0, 4.0, 0.0, 0.0, 0.0); /* q̈ = 4 q: e^{2t} */
    REQUIRE(model);
    Motion m = motion_start(model, 0.001);
    m.qpos[0] = 0.01;
    m.qvel[0] = 0.02;
    motion_run(&m, 1.0);
    CHECK_NEAR(m.qpos[0], 0.01 * exp(2.0), 1e-6); /* t² (2)³/12 · q */
    motion_end(&m);
    tn_model_destroy(model);
}

/* The force a joint would need to be held at velocity vhat. */
static double holding_force(const TnModel *model, double ctrl, double v, double vhat)
{
    Motion m = motion_start(model, 0.01);
    m.ctrl[0] = ctrl;
    m.qvel[0] = v;
    TnDynamicsInput in = motion_input(&m);
    TnTreeSystem tree;
    CHECK(motion_tree(&m, &in, &model->subsystems[0], &tree));
    double A = tree.A[0], b = tree.b[0];
    CHECK_NEAR(A * tree.v_free[0], b, 1e-9 * fabs(b));
    motion_end(&m);
    return b - A * vhat;
}

TEST(blocked_servo_pushes_with_its_force_range)
{
    /* free, this servo reaches the target within the step at little force; held still it must push
     * with 5, not with kp · 0.01 */
    TnModel *model = driven_wheel(1.0, 1e6, -1e6, 0.0, 5.0, 0.0);
    TnModel *light = driven_wheel(1.0, 1e6, -1e6, -1e3, 200.0, 0.0);
    REQUIRE(model && light);
    CHECK_NEAR(holding_force(model, 0.01, 0.0, 0.0), 5.0, 1e-9); /* saturated anyway */
    CHECK_NEAR(holding_force(light, 0.01, 0.0, 0.0), 200.0,
               1e-6); /* unsaturated when free (100 needed), saturated when held */
    CHECK_NEAR(holding_force(light, -0.01, 0.0, 0.0), -200.0, 1e-6);
    CHECK_NEAR(holding_force(light, 1e-5, 0.0, 0.0), 10.0, 1e-6); /* within its range: kp · error */
    tn_model_destroy(model);
    tn_model_destroy(light);
}

TEST(actuator_force_is_clamped_gain_and_bias)
{
    TnModel *model = driven_wheel(2.0, 10.0, -3.0, -1.0, 4.0, 1.0);
    REQUIRE(model);
    double q[1] = {0.5}, v[1] = {0.25}, u[1] = {0.4};
    const TnDriven at = {.qpos = q, .qvel = v, .inputs = u};
    CHECK_NEAR(tn_actuator_force(model, 0, &at), 10.0 * 0.4 - 3.0 * 1.0 - 0.5, 1e-14);
    u[0] = 5.0;
    CHECK_NEAR(tn_actuator_force(model, 0, &at), 4.0, 0.0);
    u[0] = -5.0;
    CHECK_NEAR(tn_actuator_force(model, 0, &at), -4.0, 0.0);
    tn_model_destroy(model);
}
