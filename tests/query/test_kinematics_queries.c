/* Poses, Jacobians, inverse dynamics and inverse kinematics at a state. */
#include <tenon/tenon.h>

#include "../check.h"
#include "../random.h"
#include "../step/text_scene.h"

/* An arm with a ball joint and a slide on a free body, and a lone free body: every kind of dof. */
static const char *const robot =
    "<worldbody><body name='base' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.1'/>"
    "<body name='upper' pos='0.1 0 0'><joint type='ball' pos='0.01 0 0.02'/>"
    "<geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03'/>"
    "<body name='lower' pos='0.4 0 0' euler='0.1 0.2 0.3'><joint name='h' axis='0 1 0.2'/>"
    "<joint name='s' type='slide' axis='1 0.1 0'/>"
    "<geom name='tip' type='capsule' fromto='0 0 0 0.4 0 0' size='0.03' pos='0 0 0'/>"
    "<site name='end' pos='0.4 0.02 0.01' euler='0.3 0 0.1'/></body></body></body>"
    "<body name='lone' pos='2 0 0' euler='0.3 0.4 0'><freejoint/><geom size='0.1' pos='0.1 0 0'/>"
    "<body pos='0 0.2 0'><geom size='0.05'/><site name='other' pos='0.1 0 0'/></body></body>"
    "</worldbody>";

/* qpos and qvel of a world that was thrown about. */
static void shake(TextScene *s, Random *r, double *qpos, double *qvel)
{
    TnStateView v = tn_world_state(s->world);
    for (int k = 0; k < v.qpos_count; k++) qpos[k] = v.qpos[k] + 0.5 * uniform(r);
    for (int k = 0; k < v.dof_count; k++) qvel[k] = uniform(r);
    CHECK(tn_world_set_state(s->world, qpos, qvel, NULL) == TN_OK);
    v = tn_world_state(s->world);
    memcpy(qpos, v.qpos, sizeof(double) * (size_t)v.qpos_count);
}

TEST(a_jacobian_times_qvel_is_the_velocity_of_the_point)
{
    TextScene s;
    Random r = {1};
    if (!text_open(&s, 0.01, "0 0 -9.81", robot)) return;
    TnModelInfo info = tn_model_info(s.model);
    double qpos[32], qvel[32], J[6 * 32], J2[6 * 32];
    for (int trial = 0; trial < 20; trial++) {
        shake(&s, &r, qpos, qvel);
        for (TnSiteId site = 1; site <= 2; site++) {
            double pos[3], quat[4], v[3], w[3], local[3] = {0, 0, 0}, at[3];
            TnBodyId body = tn_model_site_info(s.model, site).body;
            tn_world_site_pose(s.world, site, pos, quat);
            tn_world_site_velocity(s.world, site, v, w);
            CHECK(tn_world_jacobian(s.world, body, pos, J, NULL) == TN_OK);
            for (int row = 0; row < 6; row++) {
                double sum = 0;
                for (int k = 0; k < info.dof_count; k++)
                    sum += J[row * info.dof_count + k] * qvel[k];
                CHECK_NEAR(sum, row < 3 ? v[row] : w[row - 3], 1e-13); /* rounding */
            }
            tn_world_body_pose(s.world, body, at, quat);
            CHECK(tn_world_jacobian(s.world, body, at, J, NULL) == TN_OK);
            CHECK(tn_model_jacobian(s.model, qpos, body, local, J2, NULL) == TN_OK);
            for (int k = 0; k < 6 * info.dof_count; k++) CHECK_NEAR(J[k], J2[k], 1e-13);
        }
    }
    CHECK(tn_world_jacobian(s.world, 99, qpos, J, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_jacobian(NULL, 1, qpos, J, NULL) == TN_ERROR_USAGE);
    CHECK(tn_model_jacobian(s.model, NULL, 1, qpos, J, NULL) == TN_ERROR_USAGE);
    text_close(&s);
}

TEST(inverse_dynamics_is_mass_times_acceleration_and_bias)
{
    TextScene s;
    Random r = {2};
    if (!text_open(&s, 0.01, "0 0 -9.81", robot)) return;
    int n = tn_model_info(s.model).dof_count;
    double qpos[32], qvel[32], qacc[32], tau[32], M[32 * 32], bias[32];
    shake(&s, &r, qpos, qvel);
    for (int k = 0; k < n; k++) qacc[k] = uniform(&r);
    TnEval eval = {.qacc = qacc, .inverse = tau, .mass_matrix = M, .bias = bias};
    CHECK(tn_model_eval(s.model, qpos, qvel, NULL, &eval, NULL) == TN_OK);
    for (int i = 0; i < n; i++) {
        double sum = bias[i];
        for (int k = 0; k < n; k++) sum += M[i * n + k] * qacc[k];
        CHECK_NEAR(tau[i], sum, 1e-12);
    }
    text_close(&s);
}

TEST(poses_of_sites_and_geoms_are_those_of_the_world)
{
    TextScene s;
    Random r = {3};
    if (!text_open(&s, 0.01, "0 0 -9.81", robot)) return;
    TnModelInfo info = tn_model_info(s.model);
    double qpos[32], qvel[32], sites[7 * 4], geoms[7 * 8], pose[7];
    shake(&s, &r, qpos, qvel);
    TnEval eval = {.site_poses = sites, .geom_poses = geoms};
    CHECK(tn_model_eval(s.model, qpos, qvel, NULL, &eval, NULL) == TN_OK);
    for (int i = 0; i < info.site_count; i++) {
        tn_world_site_pose(s.world, i + 1, pose, pose + 3);
        for (int k = 0; k < 7; k++) CHECK(pose[k] == sites[7 * i + k]);
    }
    for (int i = 0; i < info.geom_count; i++) {
        tn_world_geom_pose(s.world, i + 1, pose, pose + 3);
        for (int k = 0; k < 7; k++) CHECK(pose[k] == geoms[7 * i + k]);
    }
    text_close(&s);
}

static const char *const arm =
    "<worldbody><body pos='0 0 0.2'><joint name='a' axis='0 0 1' range='-2 2' limited='true'/>"
    "<geom size='0.05'/><body><joint axis='0 1 0' range='-1.5 1.5' limited='true'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 0.4' size='0.03'/>"
    "<body pos='0 0 0.4'><joint axis='0 1 0' range='-2.5 2.5' limited='true'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 0.4' size='0.03'/>"
    "<body pos='0 0 0.4'><joint axis='0 0 1'/><geom size='0.03'/>"
    "<body><joint axis='0 1 0' range='-2 2' limited='true'/><geom size='0.03'/>"
    "<body><joint axis='0 0 1'/><geom size='0.03'/><site name='hand' pos='0 0 0.1'/>"
    "</body></body></body></body></body></body></worldbody>";

TEST(inverse_kinematics_finds_poses_that_can_be_reached_within_limits)
{
    TextScene s;
    Random r = {4};
    if (!text_open(&s, 0.01, "0 0 -9.81", arm)) return;
    static const double limit[6] = {2, 1.5, 2.5, 3.1, 2, 3.1};
    int found = 0, tries = 200;
    for (int trial = 0; trial < tries; trial++) {
        double there[6], q[6], pose[7];
        TnEval eval = {.site_poses = pose};
        for (int k = 0; k < 6; k++) {
            there[k] = 0.95 * limit[k] * uniform(&r);
            q[k] = 0.5 * limit[k] * uniform(&r);
        }
        CHECK(tn_model_eval(s.model, there, NULL, NULL, &eval, NULL) == TN_OK);
        TnIkTarget target = tn_ik_target();
        target.site = 1;
        memcpy(target.pos, pose, sizeof target.pos);
        memcpy(target.quat, pose + 3, sizeof target.quat);
        TnIkDef def = tn_ik_def();
        def.targets = &target;
        def.target_count = 1;
        TnIkResult result;
        CHECK(tn_model_ik(s.model, &def, q, &result, NULL) == TN_OK);
        found += result.converged;
        for (int k = 0; k < 6; k++)
            if (k != 3 && k != 5) CHECK(fabs(q[k]) <= limit[k]);
        double error = 0, got[7];
        eval.site_poses = got;
        CHECK(tn_model_eval(s.model, q, NULL, NULL, &eval, NULL) == TN_OK);
        for (int k = 0; k < 3; k++) error += (got[k] - pose[k]) * (got[k] - pose[k]);
        CHECK_NEAR(sqrt(error), result.pos_error, 1e-9);
        if (result.converged) CHECK(result.pos_error <= 1e-6);
    }
    /* a search from one start ends in a corner of the limits now and then; two thirds is what it
     * finds here at least */
    CHECK(found > 2 * tries / 3);
    text_close(&s);
}

TEST(inverse_kinematics_takes_several_targets_some_joints_and_the_nearest_where_none_is_exact)
{
    TextScene s;
    if (!text_open(&s, 0.01, "0 0 -9.81", arm)) return;
    double q[6] = {0, 0.1, 0.1, 0, 0.1, 0};
    TnIkTarget target = tn_ik_target();
    target.site = 1;
    target.use_quat = false;
    target.pos[0] = 5; /* the arm is 0.9 m long, from a height of 0.2 m */
    target.pos[2] = 0.2;
    TnIkDef def = tn_ik_def();
    def.targets = &target;
    def.target_count = 1;
    TnIkResult result;
    CHECK(tn_model_ik(s.model, &def, q, &result, NULL) == TN_OK);
    CHECK(!result.converged);
    /* the shoulder stops at 1.5 rad: straight out it would be 4.1 m */
    CHECK(result.pos_error > 4.1 && result.pos_error < 4.12);
    /* one joint alone turns the hand about z and nothing else */
    TnJointId only = tn_model_find_joint(s.model, "a");
    double q2[6] = {0, 0.5, 0.3, 0, 0.2, 0};
    def.joints = &only;
    def.joint_count = 1;
    CHECK(tn_model_ik(s.model, &def, q2, &result, NULL) == TN_OK);
    CHECK(q2[1] == 0.5 && q2[2] == 0.3);
    CHECK_NEAR(q2[0], 0.0, 1e-6);
    def.target_count = 0;
    CHECK(tn_model_ik(s.model, &def, q2, &result, NULL) == TN_ERROR_USAGE);
    def.target_count = 1;
    target.site = 9;
    CHECK(tn_model_ik(s.model, &def, q2, &result, NULL) == TN_ERROR_USAGE);
    CHECK(tn_model_ik(NULL, &def, q2, &result, NULL) == TN_ERROR_USAGE);
    text_close(&s);
}
