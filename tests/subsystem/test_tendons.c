/* Fixed tendons and actuators on them: closed forms of the motion, gains far beyond the step, and
 * the factor of a tree whose branches tendons tie together. */
#include "motion.h"

/* A base that slides along z and carries wheels about z, each on a branch of its own. The wheels'
 * centres lie on their axes, so turning them moves neither the base nor each other: all coupling is
 * the tendon's. */
static TnModelBuilder *wheels(const double *inertia, int count, TnTendonJoint *parts)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnBodyId base = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0, 0, 0, 0.1, 0.1, 0.1);
    TnJointDef rail = joint_on(base, TN_JOINT_SLIDE, 0, 0, 1);
    tn_builder_add_joint(builder, &rail);
    for (int i = 0; i < count; i++) {
        TnBodyId wheel = add_body(builder, base, 0.3 * i, 0, 0, 1.0, 0, 0, 0, 0.6 * inertia[i],
                                  0.6 * inertia[i], inertia[i]);
        TnJointDef axle = joint_on(wheel, TN_JOINT_HINGE, 0, 0, 1);
        parts[i].joint = tn_builder_add_joint(builder, &axle);
    }
    return builder;
}

/* Two wheels on one tendon of length q1 - 2 q2; `parts` has room for two. */
static const double INERTIA[2] = {0.7, 0.4};
static const double COEF[2] = {1.0, -2.0};
static const double COMPLIANCE = 1.0 / 0.7 + 4.0 / 0.4; /* cᵀ M⁻¹ c */

static TnTendonDef pair(TnModelBuilder **builder, TnTendonJoint *parts)
{
    *builder = wheels(INERTIA, 2, parts);
    TnTendonDef tendon = tn_tendon_def();
    parts[0].coef = COEF[0];
    parts[1].coef = COEF[1];
    tendon.joints = parts;
    tendon.joint_count = 2;
    return tendon;
}

static double length_of(const Motion *m) { return COEF[0] * m->qpos[1] + COEF[1] * m->qpos[2]; }
static double rate_of(const Motion *m) { return COEF[0] * m->qvel[1] + COEF[1] * m->qvel[2]; }
/* What no force along the tendon can change. */
static double across(const Motion *m)
{
    return 2.0 * INERTIA[0] * m->qvel[1] + INERTIA[1] * m->qvel[2];
}

TEST(tendon_spring_swings_two_wheels_with_the_frequency_of_the_midpoint_rule)
{
    TnModelBuilder *builder;
    TnTendonJoint parts[2];
    TnTendonDef tendon = pair(&builder, parts);
    tendon.stiffness = 8.0;
    tendon.has_spring_length = true;
    tendon.spring_length = 0.2;
    tn_builder_add_tendon(builder, &tendon);
    TnModel *model = finish(builder);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.qpos[1] = 0.5;
    m.qpos[2] = -0.3;
    m.qvel[2] = 0.1;
    double stretch = length_of(&m) - 0.2, rate = rate_of(&m), energy = motion_energy(&m);
    CHECK_NEAR(energy, 0.5 * 0.4 * 0.01 + 0.5 * 8.0 * stretch * stretch, 1e-14); /* rounding */
    double omega = sqrt(8.0 * COMPLIANCE);
    double angle = 2.0 * atan(0.5 * omega * m.t); /* that one step turns (L, L'/ω) by */
    double momentum = across(&m);
    for (int k = 1; k <= 300; k++) {
        motion_step(&m);
        /* rounding of 300 solves */
        CHECK_NEAR(length_of(&m) - 0.2, stretch * cos(k * angle) + rate / omega * sin(k * angle),
                   1e-11);
        CHECK_NEAR(across(&m), momentum, 1e-12);
        CHECK_NEAR(motion_energy(&m), energy, 1e-11);
    }
    CHECK(m.qpos[0] == 0.0);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(a_spring_without_length_rests_where_its_joints_springs_do)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnBodyId wheel = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0, 0, 0, 0.6, 0.6, 1.0);
    TnJointDef axle = joint_on(wheel, TN_JOINT_HINGE, 0, 0, 1);
    axle.ref = 0.1;
    axle.spring_ref = 0.25;
    TnTendonJoint part = {tn_builder_add_joint(builder, &axle), 3.0};
    TnTendonDef tendon = tn_tendon_def();
    tendon.joints = &part;
    tendon.joint_count = 1;
    tendon.stiffness = 100.0;
    tn_builder_add_tendon(builder, &tendon);
    TnModel *model = finish(builder);
    REQUIRE(model);
    CHECK(model->tendons[0].spring_length == 0.75);
    Motion m = motion_start(model, 0.01);
    m.qpos[0] = 0.25;
    motion_run(&m, 0.1);
    CHECK(m.qpos[0] == 0.25 && m.qvel[0] == 0.0);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(tendon_damping_slows_the_length_with_second_order_and_strong_damping_stops_it)
{
    for (int s = 0; s < 2; s++) {
        double D = s ? 1e6 : 0.3, t = 0.01;
        TnModelBuilder *builder;
        TnTendonJoint parts[2];
        TnTendonDef tendon = pair(&builder, parts);
        tendon.damping = D;
        tn_builder_add_tendon(builder, &tendon);
        TnModel *model = finish(builder);
        REQUIRE(model);
        Motion m = motion_start(model, t);
        m.qvel[1] = 1.0;
        m.qvel[2] = 0.7;
        double rate = rate_of(&m), momentum = across(&m), x = 0.5 * D * t * COMPLIANCE;
        for (int k = 1; k <= 20; k++) {
            motion_step(&m);
            /* the midpoint rule's own factor, to rounding */
            if (!s) CHECK_NEAR(rate_of(&m), rate * pow((1.0 - x) / (1.0 + x), k), 1e-13);
            if (s) CHECK(fabs(rate_of(&m)) <= 1e-4 * fabs(rate));
            CHECK_NEAR(across(&m), momentum, 1e-8); /* rounding times D t */
        }
        motion_end(&m);
        tn_model_destroy(model);
    }
}

/* ---- actuators ---- */

/* Two fingers that slide apart, 0.1 kg each, on one actuator through a tendon with coefficients ½
 * and ½, as grippers have. The hand slides, too, so that both lie in one tree. */
static TnModelBuilder *gripper(TnActuatorDef *actuator)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnBodyId hand = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0, 0, 0, 0.1, 0.1, 0.1);
    TnJointDef rail = joint_on(hand, TN_JOINT_SLIDE, 1, 0, 0);
    tn_builder_add_joint(builder, &rail);
    TnTendonJoint parts[2];
    for (int i = 0; i < 2; i++) {
        TnBodyId finger = add_body(builder, hand, 0, 0, 0.1, 0.1, 0, 0, 0, 1e-3, 1e-3, 1e-3);
        TnJointDef joint = joint_on(finger, TN_JOINT_SLIDE, i ? -1 : 1, 0, 0);
        parts[i] = (TnTendonJoint){tn_builder_add_joint(builder, &joint), 0.5};
    }
    TnTendonDef tendon = tn_tendon_def();
    tendon.joints = parts;
    tendon.joint_count = 2;
    *actuator = tn_actuator_def();
    actuator->tendon = tn_builder_add_tendon(builder, &tendon);
    return builder;
}

static TnModel *add_and_finish(TnModelBuilder *builder, const TnActuatorDef *actuator)
{
    tn_builder_add_actuator(builder, actuator);
    return finish(builder);
}

TEST(an_actuator_on_a_tendon_moves_two_fingers_alike)
{
    TnActuatorDef actuator;
    TnModelBuilder *builder = gripper(&actuator);
    actuator.gear = 3.0;
    TnModel *model = add_and_finish(builder, &actuator);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.ctrl[0] = 0.2;
    motion_run(&m, 0.5);
    double a = 3.0 * 0.2 * 0.5 / 0.1; /* gear · ctrl · coef / mass; the hand feels none of it */
    for (int i = 1; i <= 2; i++) {
        CHECK_NEAR(m.qvel[i], a * 0.5, 1e-13); /* the midpoint rule is exact for constant forces */
        CHECK_NEAR(m.qpos[i], 0.5 * a * 0.25, 1e-13);
    }
    CHECK_NEAR(m.qpos[0], 0.0, 1e-13);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(a_servo_on_a_tendon_reaches_its_target_with_both_fingers)
{
    TnActuatorDef actuator;
    TnModelBuilder *builder = gripper(&actuator);
    actuator.gain = 100.0;
    actuator.bias[1] = -100.0;
    actuator.bias[2] = -10.0;
    TnModel *model = add_and_finish(builder, &actuator);
    REQUIRE(model);
    Motion m = motion_start(model, 0.002);
    m.ctrl[0] = 0.04;
    motion_run(&m, 3.0);
    for (int i = 1; i <= 2; i++) CHECK_NEAR(m.qpos[i], 0.04, 1e-8); /* e^(-10 · 3) and rounding */
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(the_force_range_of_an_actuator_on_a_tendon_holds)
{
    TnActuatorDef actuator;
    TnModelBuilder *builder = gripper(&actuator);
    actuator.gain = 1e4;
    actuator.bias[1] = -1e4;
    actuator.bias[2] = -10.0;
    actuator.force_limited = true;
    actuator.force_range[0] = -2.0;
    actuator.force_range[1] = 1.5;
    TnModel *model = add_and_finish(builder, &actuator);
    REQUIRE(model);
    for (int s = 0; s < 2; s++) {
        Motion m = motion_start(model, 0.01);
        m.ctrl[0] = s ? -100.0 : 100.0; /* out of reach */
        motion_run(&m, 0.2);
        double force = s ? -2.0 : 1.5;
        for (int i = 1; i <= 2; i++)
            CHECK_NEAR(m.qvel[i], 0.5 * force / 0.1 * 0.2, 1e-12); /* exact but for rounding */
        motion_end(&m);
    }
    tn_model_destroy(model);
}

TEST(gains_of_a_million_on_a_tendon_are_stable)
{
    for (int s = 0; s < 2; s++) {
        TnActuatorDef actuator;
        TnModelBuilder *builder = gripper(&actuator);
        actuator.gain = 1e6;
        actuator.bias[1] = -1e6;
        actuator.bias[2] = s ? -1e6 : 0.0;
        TnModel *model = add_and_finish(builder, &actuator);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        m.ctrl[0] = 0.3;
        m.qvel[2] = 1.0;
        double largest = 0.0, across0 = m.qvel[1] - m.qvel[2];
        for (int k = 0; k < 1000; k++) {
            motion_step(&m);
            largest = fmax(largest, fabs(0.5 * (m.qpos[1] + m.qpos[2])));
            /* without damping the length settles as (-1/3)^k, and its rate with it */
            if (!s && k == 100) CHECK_NEAR(m.qvel[1] + m.qvel[2], 0.0, 1e-6);
            CHECK_NEAR(m.qvel[1] - m.qvel[2], across0, 1e-6); /* rounding: 1e-16 · K t / m, 1000× */
        }
        CHECK(largest < 0.41); /* the double root -1/3 overshoots by a third, once */
        CHECK_NEAR(0.5 * (m.qpos[1] + m.qpos[2]), 0.3, 1e-4); /* kp/kv = 1/s: e^-10 */
        motion_end(&m);
        tn_model_destroy(model);
    }
}

TEST(a_tendon_over_one_joint_with_coefficient_one_is_that_joint)
{
    double end[2][2];
    for (int s = 0; s < 2; s++) {
        TnModelBuilder *builder = start(0, 0, -9.81);
        TnBodyId rod = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0.3, 0, 0, 0.01, 0.02, 0.02);
        TnJointDef joint = joint_on(rod, TN_JOINT_HINGE, 0, 1, 0);
        TnTendonJoint part = {tn_builder_add_joint(builder, &joint), 1.0};
        TnTendonDef tendon = tn_tendon_def();
        tendon.joints = &part;
        tendon.joint_count = 1;
        TnTendonId id = tn_builder_add_tendon(builder, &tendon);
        TnActuatorDef actuator = tn_actuator_def();
        if (s)
            actuator.tendon = id;
        else
            actuator.joint = part.joint;
        actuator.gain = 50.0;
        actuator.gear = 1.5;
        actuator.bias[1] = -50.0;
        actuator.bias[2] = -2.0;
        actuator.force_limited = true;
        actuator.force_range[0] = -4.0;
        actuator.force_range[1] = 4.0;
        TnModel *model = add_and_finish(builder, &actuator);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        m.ctrl[0] = 1.0;
        motion_run(&m, 0.5);
        end[s][0] = m.qpos[0];
        end[s][1] = m.qvel[0];
        motion_end(&m);
        tn_model_destroy(model);
    }
    CHECK(end[0][0] == end[1][0] && end[0][1] == end[1][1]);
}

/* ---- the factor ---- */

/* Bodies in a tree with many branches, a hinge and a slide each, and tendons over random joints. */
static TnModel *tied_tree(uint64_t seed, double gain)
{
    enum { BODIES = 12, TENDONS = 5 };
    Random r = {seed};
    TnModelBuilder *builder = start(1, 2, -9);
    TnBodyId bodies[BODIES];
    TnJointId joints[2 * BODIES];
    for (int i = 0; i < BODIES; i++) {
        TnBodyId parent = i ? bodies[(int)uniform(&r, 0.0, i)] : TN_BODY_WORLD;
        bodies[i] = add_body(builder, parent, 0.2, 0.1, 0, uniform(&r, 0.5, 2.0), 0.1, 0.05, 0.02,
                             0.02, 0.03, 0.04);
        TnJointDef joint = joint_on(bodies[i], TN_JOINT_HINGE, 0, uniform(&r, -1, 1), 1);
        joints[2 * i] = tn_builder_add_joint(builder, &joint);
        joint = joint_on(bodies[i], TN_JOINT_SLIDE, 1, 0, uniform(&r, -1, 1));
        joints[2 * i + 1] = tn_builder_add_joint(builder, &joint);
    }
    for (int k = 0; k < TENDONS; k++) {
        TnTendonJoint parts[4];
        int first = (int)uniform(&r, 0.0, 2 * BODIES);
        for (int i = 0; i < 4; i++) /* 7 is prime to 24: four different ones, in no order */
            parts[i] = (TnTendonJoint){joints[(first + 7 * i) % (2 * BODIES)], uniform(&r, -2, 2)};
        TnTendonDef tendon = tn_tendon_def();
        tendon.joints = parts;
        tendon.joint_count = 4;
        tendon.stiffness = gain;
        tendon.damping = 0.1 * gain;
        TnActuatorDef actuator = tn_actuator_def();
        actuator.tendon = tn_builder_add_tendon(builder, &tendon);
        actuator.gain = gain;
        actuator.bias[1] = -gain;
        actuator.bias[2] = -0.01 * gain;
        actuator.force_limited = k % 2;
        actuator.force_range[0] = -10.0;
        actuator.force_range[1] = 5.0;
        tn_builder_add_actuator(builder, &actuator);
    }
    return finish(builder);
}

TEST(a_tree_with_tendons_across_its_branches_is_solved_exactly)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TnModel *model = tied_tree(seed, seed % 2 ? 10.0 : 1e6);
        REQUIRE(model && model->tree_count == 1);
        Motion m = motion_start(model, 0.01);
        Random r = {seed + 100};
        random_state(model, &r, 1.0, m.qpos, m.qvel);
        random_vector(&r, 1.0, m.ctrl, model->actuator_count);
        tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
        TnDynamicsInput in = motion_input(&m);
        int n = model->dof_count;
        TnTreeSystem tree;
        REQUIRE(n == 24);
        REQUIRE(motion_tree(&m, &in, &model->subsystems[0], &tree));
        const double *A = tree.A, *b = tree.b, *v = tree.v_free;
        bool outside = false; /* entries that the tree alone has not */
        for (int i = 0; i < n; i++) {
            double sum = -b[i], size = fabs(b[i]);
            for (int j = 0; j < n; j++) {
                sum += A[i * n + j] * v[j];
                size += fabs(A[i * n + j] * v[j]);
                CHECK_NEAR(A[i * n + j], A[j * n + i], 1e-12 * (1.0 + fabs(A[i * n + j])));
                int e = i;
                while (e > j) e = model->dof_parent[e];
                if (j < i && e != j && A[i * n + j] != 0.0) outside = true;
            }
            CHECK_NEAR(sum, 0.0, 1e-12 * (1.0 + size)); /* backward error of a stable factor */
        }
        CHECK(outside);
        motion_end(&m);
        tn_model_destroy(model);
    }
}
