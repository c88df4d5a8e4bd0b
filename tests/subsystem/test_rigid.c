/* One free body without contacts: what the step must keep, and how it answers wrenches and
 * constraint impulses. */
#include "motion.h"

/* An asymmetric body with its centre of mass off the origin. */
static TnModel *brick(double gz)
{
    TnModelBuilder *builder = start(0.0, 0.0, gz);
    TnBodyDef def = tn_body_def();
    v3_set(def.pos, 0.3, -0.2, 1.0);
    def.has_inertia = true;
    def.mass = 2.0;
    v3_set(def.inertia_pos, 0.1, 0.2, -0.05);
    Random r = {3};
    random_quat(&r, def.inertia_quat);
    v3_set(def.inertia, 0.02, 0.035, 0.05);
    TnJointDef joint = joint_on(tn_builder_add_body(builder, &def), TN_JOINT_FREE, 0, 0, 1);
    tn_builder_add_joint(builder, &joint);
    return finish(builder);
}

static void set_spin(Motion *m, double x, double y, double z)
{
    v3_set(m->qvel, 0.4, -0.3, 2.0);
    v3_set(m->qvel + 3, x, y, z);
    tn_kinematics(m->model, m->qpos, 0, m->model->link_count, m->frames);
}

static void com_velocity(const Motion *m, double v[3])
{
    double twists[2][6];
    tn_kinematics_twists(m->model, m->qpos, m->qvel, m->frames, 0, 2, twists);
    v3_copy(v, twists[1]);
}

TEST(free_fall_of_a_spinning_body_is_a_parabola)
{
    TnModel *model = brick(-9.81);
    REQUIRE(model);
    CHECK(model->subsystems[0].kind == TN_SUBSYSTEM_RIGID);
    Motion m = motion_start(model, 0.01);
    set_spin(&m, 5.0, -3.0, 7.0);
    double c0[3], v0[3], v1[3];
    v3_copy(c0, m.frames[1].com);
    com_velocity(&m, v0);
    motion_run(&m, 1.0);
    com_velocity(&m, v1);
    for (int k = 0; k < 3; k++) {
        double g = k == 2 ? -9.81 : 0.0;
        /* the midpoint rule is exact for constant acceleration: rounding of 100 steps */
        CHECK_NEAR(m.frames[1].com[k], c0[k] + v0[k] + 0.5 * g, 1e-12);
        CHECK_NEAR(v1[k], v0[k] + g, 1e-12);
    }
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(tumbling_body_keeps_energy_and_angular_momentum)
{
    TnModel *model = brick(0.0);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    set_spin(&m, 1.0, 12.0, 0.5); /* near the unstable middle axis: it flips */
    double P0[3], L0[3], P[3], L[3], E0 = motion_energy(&m);
    tn_model_momentum(model, m.qpos, m.qvel, m.frames, P0, L0);
    for (int k = 0; k < 500; k++) {
        motion_step(&m);
        tn_model_momentum(model, m.qpos, m.qvel, m.frames, P, L);
        /* kept exactly by the rule: rounding of 500 steps */
        CHECK_NEAR(motion_energy(&m), E0, 1e-11 * E0);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(L[i], L0[i], 1e-11 * v3_norm(L0));
            CHECK_NEAR(P[i], P0[i], 1e-11);
        }
    }
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(tumbling_converges_with_second_order)
{
    TnModel *model = brick(0.0);
    REQUIRE(model);
    double end[3][4], error[2];
    static const double steps[3] = {0.004, 0.002, 0.00025};
    for (int s = 0; s < 3; s++) {
        Motion m = motion_start(model, steps[s]);
        set_spin(&m, 2.0, 5.0, 1.0);
        motion_run(&m, 1.0);
        quat_copy(end[s], m.qpos + 3);
        motion_end(&m);
    }
    for (int s = 0; s < 2; s++) {
        double dot = 0.0;
        for (int k = 0; k < 4; k++) dot += end[s][k] * end[2][k];
        error[s] = sqrt(fmax(0.0, 1.0 - dot * dot));
    }
    /* a quarter, up to the error of the reference and the next order */
    CHECK(error[0] / error[1] > 3.7);
    CHECK(error[0] / error[1] < 4.4);
    tn_model_destroy(model);
}

TEST(implicit_euler_keeps_angular_momentum_and_loses_energy)
{
    TnModel *model = brick(0.0);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    m.theta = 1.0;
    set_spin(&m, 1.0, 8.0, 3.0);
    double P[3], L0[3], L[3], E0 = motion_energy(&m);
    tn_model_momentum(model, m.qpos, m.qvel, m.frames, P, L0);
    motion_run(&m, 2.0);
    tn_model_momentum(model, m.qpos, m.qvel, m.frames, P, L);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(L[i], L0[i], 1e-11 * v3_norm(L0)); /* the balance is exact for any theta */
    CHECK(motion_energy(&m) < E0 * 1.001);
    motion_end(&m);
    tn_model_destroy(model);
}

/* Angular momentum about the centre of mass straight from qvel, free of the large numbers of a body
 * far away. */
static void spin_momentum(const Motion *m, double L[3])
{
    m3_mul_v(L, m->model->links[1].inertia, m->qvel + 3);
    m3_mul_v(L, m->frames[1].rot, L);
}

TEST(hopelessly_fast_spin_stays_finite_and_keeps_momentum)
{
    TnModel *model = brick(0.0);
    REQUIRE(model);
    for (double speed = 1e2; speed < 2e6; speed *= 10.0) {
        Motion m = motion_start(model, 0.01);
        set_spin(&m, speed, -0.5 * speed, 0.7 * speed); /* up to thousands of turns per step */
        double L0[3], L[3];
        spin_momentum(&m, L0);
        motion_run(&m, 1.0);
        spin_momentum(&m, L);
        /* the balance holds whatever ω̂ was found: rounding of 100 steps */
        for (int i = 0; i < 3; i++) CHECK_NEAR(L[i], L0[i], 1e-11 * v3_norm(L0));
        CHECK(isfinite(motion_energy(&m)));
        motion_end(&m);
    }
    tn_model_destroy(model);
}

TEST(a_wrench_changes_momentum_by_its_impulse)
{
    TnModel *model = brick(0.0);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    set_spin(&m, 1.0, 2.0, -1.0);
    double P0[3], L0[3], P1[3], L1[3], orbit[3], wrench[6] = {3.0, -2.0, 1.0, 0.2, 0.1, -0.3};
    memcpy(m.wrench[1], wrench, sizeof wrench);
    tn_model_momentum(model, m.qpos, m.qvel, m.frames, P0, L0);
    v3_cross(orbit, m.frames[1].com, P0);
    v3_sub(L0, L0, orbit);
    motion_step(&m);
    tn_model_momentum(model, m.qpos, m.qvel, m.frames, P1, L1);
    v3_cross(orbit, m.frames[1].com, P1);
    v3_sub(L1, L1, orbit);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(P1[k] - P0[k], 0.01 * wrench[k], 1e-13); /* rounding */
        CHECK_NEAR(L1[k] - L0[k], 0.01 * wrench[3 + k], 1e-13);
    }
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(a_constraint_force_changes_momentum_by_its_impulse)
{
    TnModel *model = brick(-9.81);
    REQUIRE(model);
    for (int variant = 0; variant < 4; variant++) {
        Motion m = motion_start(model, 0.01);
        m.theta = variant < 2 ? 0.5 : 0.8;
        set_spin(&m, 3.0, -2.0, 4.0);
        TnDynamicsInput in = motion_input(&m);
        TnRigidSystem system;
        double P0[3], L0[3], P1[3], L1[3], orbit[3], change[9], vhat[6],
            force[6] = {7.0, 1.0, 40.0, 0.8, -0.5, 0.3};
        tn_rigid_assemble(&in, 1, &m.frames[1], &system);
        /* v̂ = v_free + A⁻¹ force, the angular part by Cramer's rule */
        const double *I = system.inertia_rate;
        v3_cross(change, I + 3, I + 6);
        v3_cross(change + 3, I + 6, I);
        v3_cross(change + 6, I, I + 3);
        double det = v3_dot(I, change);
        m3_mul_v(vhat + 3, change, force + 3);
        for (int k = 0; k < 3; k++) {
            vhat[k] = system.v_free[k] + force[k] / system.mass_rate;
            vhat[3 + k] = system.v_free[3 + k] + vhat[3 + k] / det;
        }
        tn_model_momentum(model, m.qpos, m.qvel, m.frames, P0, L0);
        v3_cross(orbit, m.frames[1].com, P0);
        v3_sub(L0, L0, orbit);
        double way[6];
        tn_rigid_way(&in, system.v, vhat, variant % 2, 1.0, way);
        tn_rigid_advance(&in, 1, &m.frames[1], &system, vhat, way, m.qpos, m.qvel);
        tn_kinematics(model, m.qpos, 0, 2, m.frames);
        tn_model_momentum(model, m.qpos, m.qvel, m.frames, P1, L1);
        v3_cross(orbit, m.frames[1].com, P1);
        v3_sub(L1, L1, orbit);
        for (int k = 0; k < 3; k++) {
            double weight = k == 2 ? -9.81 * 2.0 : 0.0;
            CHECK_NEAR(P1[k] - P0[k], 0.01 * (force[k] + weight), 1e-12); /* rounding */
            CHECK_NEAR(L1[k] - L0[k], 0.01 * force[3 + k], 1e-12);
        }
        motion_end(&m);
    }
    tn_model_destroy(model);
}

TEST(displacement_with_weight_one_uses_the_end_velocity)
{
    TnModel *model = brick(-9.81);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    set_spin(&m, 0.0, 0.0, 0.0);
    TnDynamicsInput in = motion_input(&m);
    TnRigidSystem system;
    tn_rigid_assemble(&in, 1, &m.frames[1], &system);
    double z = m.frames[1].com[2], end = system.v[2] - 9.81 * 0.01;
    double way[6];
    tn_rigid_way(&in, system.v, system.v_free, 1.0, 1.0, way);
    tn_rigid_advance(&in, 1, &m.frames[1], &system, system.v_free, way, m.qpos, m.qvel);
    tn_kinematics(model, m.qpos, 0, 2, m.frames);
    CHECK_NEAR(m.frames[1].com[2], z + 0.01 * end, 1e-14); /* rounding */
    motion_end(&m);
    tn_model_destroy(model);
}
