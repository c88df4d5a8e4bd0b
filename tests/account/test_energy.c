/* Energy and momentum of whole models against sums written out here. */
#include "../subsystem/motion.h"

TEST(energy_and_momentum_are_the_sums_over_links)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        TnModel *model = random_tree(seed, 9, seed % 2 == 0);
        REQUIRE(model);
        Motion m = motion_start(model, 0.01);
        Random r = {seed + 40};
        random_state(model, &r, 2.0, m.qpos, m.qvel);
        tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
        double twists[64][6], kinetic = 0.0, potential = 0.0, P[3] = {0}, L[3] = {0};
        tn_kinematics_twists(model, m.qpos, m.qvel, m.frames, 0, model->link_count, twists);
        for (int l = 1; l < model->link_count; l++) {
            const TnLink *link = &model->links[l];
            double I[9], Rt[9], spin[3], orbit[3];
            m3_mul(I, m.frames[l].rot, link->inertia);
            m3_transpose(Rt, m.frames[l].rot);
            m3_mul(I, I, Rt);
            m3_mul_v(spin, I, twists[l] + 3);
            v3_cross(orbit, m.frames[l].com, twists[l]);
            kinetic +=
                0.5 * link->mass * v3_dot(twists[l], twists[l]) + 0.5 * v3_dot(spin, twists[l] + 3);
            potential -= link->mass * v3_dot(model->option.gravity, m.frames[l].com);
            for (int k = 0; k < 3; k++) {
                P[k] += link->mass * twists[l][k];
                L[k] += link->mass * orbit[k] + spin[k];
            }
        }
        for (int d = 0; d < model->dof_count; d++)
            kinetic += 0.5 * model->joints[model->dof_joint[d]].armature * m.qvel[d] * m.qvel[d];
        TnEnergy energy = tn_model_energy(model, m.qpos, m.qvel, m.frames);
        double linear[3], angular[3];
        tn_model_momentum(model, m.qpos, m.qvel, m.frames, linear, angular);
        CHECK_NEAR(energy.kinetic, kinetic, 1e-12 * kinetic); /* rounding */
        CHECK_NEAR(energy.potential, potential, 1e-12 * (1.0 + fabs(potential)));
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(linear[k], P[k], 1e-11);
            CHECK_NEAR(angular[k], L[k], 1e-10);
        }
        motion_end(&m);
        tn_model_destroy(model);
    }
}

TEST(kinetic_energy_is_half_v_M_v)
{
    TnModel *model = random_tree(5, 8, true);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    Random r = {6};
    int n = model->dof_count;
    double *M = malloc(sizeof(double) * (size_t)(n * n)), half = 0.0;
    random_state(model, &r, 2.0, m.qpos, m.qvel);
    tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
    TnEval out = {.mass_matrix = M};
    CHECK(tn_model_eval(model, m.qpos, m.qvel, NULL, &out, NULL) == TN_OK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) half += 0.5 * m.qvel[i] * M[i * n + j] * m.qvel[j];
    TnEnergy energy = tn_model_energy(model, m.qpos, m.qvel, m.frames);
    CHECK_NEAR(energy.kinetic, half, 1e-12 * half); /* rounding */
    free(M);
    motion_end(&m);
    tn_model_destroy(model);
}

TEST(springs_store_energy)
{
    TnModelBuilder *builder = start(0, 0, 0);
    TnBodyId slider = add_body(builder, TN_BODY_WORLD, 0, 0, 0, 1.0, 0, 0, 0, 0.1, 0.1, 0.1);
    TnJointDef joint = joint_on(slider, TN_JOINT_SLIDE, 1, 0, 0);
    joint.stiffness = 50.0;
    joint.spring_ref = 0.1;
    tn_builder_add_joint(builder, &joint);
    TnBodyId ball = add_body(builder, slider, 0, 0, 0, 1.0, 0, 0, 0, 0.1, 0.1, 0.1);
    joint = joint_on(ball, TN_JOINT_BALL, 0, 0, 1);
    joint.stiffness = 8.0;
    tn_builder_add_joint(builder, &joint);
    TnModel *model = finish(builder);
    REQUIRE(model);
    Motion m = motion_start(model, 0.01);
    double axis[3] = {0.0, 0.6, 0.8};
    m.qpos[0] = 0.4;
    quat_from_axis_angle(m.qpos + 1, axis, 0.7);
    tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
    TnEnergy energy = tn_model_energy(model, m.qpos, m.qvel, m.frames);
    CHECK_NEAR(energy.potential, 0.5 * 50.0 * 0.09 + 0.5 * 8.0 * 0.49, 1e-12); /* rounding */
    CHECK_NEAR(energy.kinetic, 0.0, 0.0);
    motion_end(&m);
    tn_model_destroy(model);
}
