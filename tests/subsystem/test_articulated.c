/* Frames, Jacobians, mass matrix and bias of random trees against a plain reference written here:
 * 4×4 transforms multiplied joint by joint, columns of each link's Jacobian by geometry, M = Σ
 * JᵀIJ, and c = Σ Jᵀ(I J̇v + gyroscopic - gravity) with J̇v from an eighth-order difference along the
 * exact motion. */
#include "motion.h"

#include "math/cholesky.h"

#define MAX_DOFS 96

typedef struct Transform {
    double R[9], p[3];
} Transform;

static Transform times(Transform a, Transform b)
{
    Transform c;
    m3_mul(c.R, a.R, b.R);
    m3_mul_v(c.p, a.R, b.p);
    v3_add(c.p, c.p, a.p);
    return c;
}

static Transform from_pose(const double pos[3], const double quat[4])
{
    Transform T;
    double q[4];
    quat_copy(q, quat);
    quat_normalize(q);
    quat_to_m3(T.R, q);
    v3_copy(T.p, pos);
    return T;
}

/* Rotation about a unit axis by Rodrigues' formula. */
static void rodrigues(double R[9], const double u[3], double angle)
{
    double s = sin(angle), c = cos(angle), C = 1.0 - c;
    double m[9] = {
        c + u[0] * u[0] * C,        u[0] * u[1] * C - u[2] * s, u[0] * u[2] * C + u[1] * s,
        u[1] * u[0] * C + u[2] * s, c + u[1] * u[1] * C,        u[1] * u[2] * C - u[0] * s,
        u[2] * u[0] * C - u[1] * s, u[2] * u[1] * C + u[0] * s, c + u[2] * u[2] * C};
    memcpy(R, m, sizeof m);
}

/* The joint as a transform in body axes: T(anchor) · motion · T(-anchor). */
static Transform joint_transform(const TnJoint *joint, const double *q)
{
    static const double eye[4] = {1.0, 0.0, 0.0, 0.0}, zero[3] = {0.0, 0.0, 0.0};
    Transform to = from_pose(joint->pos, eye), back = to, move = from_pose(zero, eye);
    v3_scale(back.p, joint->pos, -1.0);
    if (joint->type == TN_JOINT_BALL) move = from_pose(zero, q);
    if (joint->type == TN_JOINT_HINGE) rodrigues(move.R, joint->axis, q[0] - joint->ref);
    if (joint->type == TN_JOINT_SLIDE) v3_scale(move.p, joint->axis, q[0] - joint->ref);
    return times(times(to, move), back);
}

typedef struct Reference {
    const TnModel *model;
    Transform body[64];         /* bodies in the world */
    double anchor[MAX_DOFS][3]; /* per dof: point and axis in the world, and whether it turns */
    double axis[MAX_DOFS][3];
    bool turns[MAX_DOFS];
} Reference;

static void note_dof(Reference *ref, int dof, const double anchor[3], const double axis[3],
                     bool turns)
{
    v3_copy(ref->anchor[dof], anchor);
    v3_copy(ref->axis[dof], axis);
    ref->turns[dof] = turns;
}

static void note_joint(Reference *ref, const TnJoint *joint, Transform after)
{
    double anchor[3], axis[3];
    m3_mul_v(anchor, after.R, joint->pos);
    v3_add(anchor, anchor, after.p);
    int dof = joint->dof_start;
    if (joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE) {
        m3_mul_v(axis, after.R, joint->axis);
        note_dof(ref, dof, anchor, axis, joint->type == TN_JOINT_HINGE);
        return;
    }
    for (int k = 0; k < 3 && joint->type == TN_JOINT_FREE; k++) {
        double e[3] = {k == 0, k == 1, k == 2};
        note_dof(ref, dof++, anchor, e, false);
    }
    for (int k = 0; k < 3; k++) {
        m3_column(axis, after.R, k);
        note_dof(ref, dof++, anchor, axis, true);
    }
}

static void reference_kinematics(Reference *ref, const TnModel *model, const double *qpos)
{
    static const double eye[4] = {1.0, 0.0, 0.0, 0.0}, zero[3] = {0.0, 0.0, 0.0};
    ref->model = model;
    ref->body[0] = from_pose(zero, eye);
    for (int b = 1; b < model->body_count; b++) {
        const TnBody *body = &model->bodies[b];
        Transform T = times(ref->body[body->parent], from_pose(body->pos, body->quat));
        for (int j = 0; j < model->joint_count; j++) {
            const TnJoint *joint = &model->joints[j];
            if (joint->body != b) continue;
            const double *q = qpos + joint->qpos_start;
            T = joint->type == TN_JOINT_FREE ? from_pose(q, q + 3)
                                             : times(T, joint_transform(joint, q));
            note_joint(ref, joint, T);
        }
        ref->body[b] = T;
    }
}

/* The body depends on the dof: the dof's body is the body or above it. */
static bool depends(const TnModel *model, int body, int dof)
{
    for (int b = body; b > 0; b = model->bodies[b].parent)
        if (model->joints[model->dof_joint[dof]].body == b) return true;
    return false;
}

static void reference_column(const Reference *ref, int body, const double point[3], int dof,
                             double column[6])
{
    memset(column, 0, 6 * sizeof(double));
    if (!depends(ref->model, body, dof)) return;
    if (!ref->turns[dof]) {
        v3_copy(column, ref->axis[dof]);
        return;
    }
    double arm[3];
    v3_sub(arm, point, ref->anchor[dof]);
    v3_cross(column, ref->axis[dof], arm);
    v3_copy(column + 3, ref->axis[dof]);
}

static void link_com(const Reference *ref, const TnLink *link, double com[3])
{
    const Transform *T = &ref->body[link->body];
    m3_mul_v(com, T->R, link->com);
    v3_add(com, com, T->p);
}

/* Twist J v of a link at its com. */
static void reference_twist(const Reference *ref, const TnLink *link, const double *v,
                            double twist[6])
{
    double com[3], column[6];
    link_com(ref, link, com);
    memset(twist, 0, 6 * sizeof(double));
    for (int d = 0; d < ref->model->dof_count; d++) {
        reference_column(ref, link->body, com, d, column);
        for (int r = 0; r < 6; r++) twist[r] += column[r] * v[d];
    }
}

static void world_inertia(const Reference *ref, const TnLink *link, double I[9])
{
    double T[9], Rt[9];
    const double *R = ref->body[link->body].R;
    m3_mul(T, R, link->inertia);
    m3_transpose(Rt, R);
    m3_mul(I, T, Rt);
}

/* Moves along constant joint velocities for the time h, by exact rotations. */
static void exact_motion(const TnModel *model, const double *qpos, const double *v, double h,
                         double *out)
{
    memcpy(out, qpos, sizeof(double) * (size_t)model->qpos_count);
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        double *q = out + joint->qpos_start;
        const double *w = v + joint->dof_start;
        if (joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE) {
            q[0] += h * w[0];
            continue;
        }
        if (joint->type == TN_JOINT_FREE) {
            v3_add_scaled(q, w, h);
            q += 3;
            w += 3;
        }
        double axis[3], turn[4];
        v3_copy(axis, w);
        double rate = v3_normalize(axis);
        quat_from_axis_angle(turn, axis, rate * h);
        quat_mul(q, q, turn);
    }
}

/* J̇ v of a link: d/dh of J(q ⊕ h v) v at h = 0. */
static void reference_drift(const TnModel *model, const TnLink *link, const double *qpos,
                            const double *v, double drift[6])
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    double h = 0.005, moved[2 * MAX_DOFS], plus[6], minus[6];
    Reference ref;
    memset(drift, 0, 6 * sizeof(double));
    for (int k = 0; k < 4; k++) {
        exact_motion(model, qpos, v, (k + 1) * h, moved);
        reference_kinematics(&ref, model, moved);
        reference_twist(&ref, link, v, plus);
        exact_motion(model, qpos, v, -(k + 1) * h, moved);
        reference_kinematics(&ref, model, moved);
        reference_twist(&ref, link, v, minus);
        for (int r = 0; r < 6; r++) drift[r] += weights[k] * (plus[r] - minus[r]) / h;
    }
}

static void reference_dynamics(const TnModel *model, const double *qpos, const double *v, double *M,
                               double *bias)
{
    int n = model->dof_count;
    Reference ref;
    reference_kinematics(&ref, model, qpos);
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    memset(bias, 0, sizeof(double) * (size_t)n);
    for (int l = 1; l < model->link_count; l++) {
        const TnLink *link = &model->links[l];
        double com[3], I[9], twist[6], drift[6], force[6], spin[3], gyro[3], J[MAX_DOFS][6];
        link_com(&ref, link, com);
        world_inertia(&ref, link, I);
        reference_twist(&ref, link, v, twist);
        reference_drift(model, link, qpos, v, drift);
        for (int k = 0; k < 3; k++) force[k] = link->mass * (drift[k] - model->option.gravity[k]);
        m3_mul_v(force + 3, I, drift + 3);
        m3_mul_v(spin, I, twist + 3);
        v3_cross(gyro, twist + 3, spin);
        v3_add(force + 3, force + 3, gyro);
        for (int d = 0; d < n; d++) reference_column(&ref, link->body, com, d, J[d]);
        for (int d = 0; d < n; d++) {
            double turned[3];
            m3_mul_v(turned, I, J[d] + 3);
            for (int e = 0; e < n; e++)
                M[d * n + e] += link->mass * v3_dot(J[d], J[e]) + v3_dot(turned, J[e] + 3);
            bias[d] += v3_dot(J[d], force) + v3_dot(J[d] + 3, force + 3);
        }
    }
    for (int d = 0; d < n; d++) M[d * n + d] += model->joints[model->dof_joint[d]].armature;
}

/* ---- the tests ---- */

static double largest(const double *x, int count)
{
    double m = 1.0;
    for (int i = 0; i < count; i++) m = fmax(m, fabs(x[i]));
    return m;
}

TEST(frames_of_random_trees_match_multiplied_transforms)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        TnModel *model = random_tree(seed, 3 + (int)seed, seed % 2 == 0);
        REQUIRE(model);
        Random r = {seed + 100};
        double qpos[2 * MAX_DOFS], qvel[MAX_DOFS];
        random_state(model, &r, 2.0, qpos, qvel);
        TnLinkFrame frames[64];
        Reference ref;
        tn_kinematics(model, qpos, 0, model->link_count, frames);
        reference_kinematics(&ref, model, qpos);
        for (int b = 0; b < model->body_count; b++) {
            double pos[3], quat[4], R[9];
            tn_body_pose(model, frames, b, pos, quat);
            quat_to_m3(R, quat);
            /* rounding of some ten products of unit size */
            for (int k = 0; k < 3; k++) CHECK_NEAR(pos[k], ref.body[b].p[k], 1e-12);
            for (int k = 0; k < 9; k++) CHECK_NEAR(R[k], ref.body[b].R[k], 1e-12);
        }
        tn_model_destroy(model);
    }
}

TEST(unnormalized_quaternions_give_the_same_frames)
{
    TnModel *model = random_tree(4, 6, true);
    REQUIRE(model);
    Random r = {9};
    double qpos[2 * MAX_DOFS], qvel[MAX_DOFS];
    random_state(model, &r, 1.0, qpos, qvel);
    TnLinkFrame a[64], b[64];
    tn_kinematics(model, qpos, 0, model->link_count, a);
    for (int k = 3; k < 7; k++) qpos[k] *= 3.0;
    tn_kinematics(model, qpos, 0, model->link_count, b);
    for (int l = 1; l < model->link_count; l++)
        for (int k = 0; k < 3; k++) CHECK_NEAR(a[l].com[k], b[l].com[k], 1e-13); /* rounding */
    tn_model_destroy(model);
}

TEST(mass_matrix_of_random_trees_is_the_sum_over_links)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        TnModel *model = random_tree(seed, 3 + (int)seed, seed % 2 == 0);
        REQUIRE(model);
        REQUIRE(model->dof_count <= MAX_DOFS);
        Random r = {seed + 200};
        int n = model->dof_count;
        double qpos[2 * MAX_DOFS], qvel[MAX_DOFS], bias[MAX_DOFS], ref_bias[MAX_DOFS];
        double *M = malloc(sizeof(double) * (size_t)(2 * n * n)), *ref_M = M + n * n;
        random_state(model, &r, 2.0, qpos, qvel);
        reference_dynamics(model, qpos, qvel, ref_M, ref_bias);
        TnError err = {0};
        TnEval out = {.mass_matrix = M, .bias = bias};
        CHECK(tn_model_eval(model, qpos, qvel, NULL, &out, &err) == TN_OK);
        double scale = largest(ref_M, n * n), bias_scale = largest(ref_bias, n);
        /* M: rounding of sums over the links. c: the difference's rounding, 1e-16/0.005 times a few
         */
        for (int k = 0; k < n * n; k++) CHECK_NEAR(M[k], ref_M[k], 1e-12 * scale);
        for (int d = 0; d < n; d++) CHECK_NEAR(bias[d], ref_bias[d], 1e-10 * bias_scale);
        free(M);
        tn_model_destroy(model);
    }
}

TEST(axes_about_any_origin_give_the_same_mass_matrix_and_bias)
{
    TnModel *model = random_tree(3, 9, true);
    REQUIRE(model);
    const TnSubsystem *sub = &model->subsystems[0];
    Random r = {17};
    int n = sub->dof_count;
    double qpos[2 * MAX_DOFS], qvel[MAX_DOFS], S[MAX_DOFS][6], bias[2][MAX_DOFS];
    double *M = malloc(sizeof(double) * (size_t)(2 * n * n));
    random_state(model, &r, 2.0, qpos, qvel);
    TnLinkFrame frames[64];
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 1 << 16));
    tn_kinematics(model, qpos, 0, model->link_count, frames);
    for (int k = 0; k < 2; k++) {
        double origin[3] = {5.0 * k, -3.0 * k, 2.0 * k};
        tn_tree_axes(model, sub, qpos, frames, origin, S);
        tn_tree_mass_matrix(model, sub, frames, origin, (const double(*)[6])S, &arena,
                            M + k * n * n);
        tn_tree_bias(model, sub, frames, origin, (const double(*)[6])S, qvel, &arena, bias[k]);
    }
    /* rounding, larger by the square of the shift */
    for (int k = 0; k < n * n; k++) CHECK_NEAR(M[k], M[n * n + k], 1e-11);
    for (int d = 0; d < n; d++) CHECK_NEAR(bias[0][d], bias[1][d], 1e-10);
    CHECK(arena.used == 0);
    tn_arena_free(&arena);
    free(M);
    tn_model_destroy(model);
}

TEST(jacobian_is_the_derivative_of_a_point_and_orientation)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        TnModel *model = random_tree(seed, 8, seed % 2 == 0);
        REQUIRE(model);
        const TnSubsystem *sub = &model->subsystems[0];
        Random r = {seed + 300};
        int n = sub->dof_count, link = model->link_count - 1;
        double qpos[2 * MAX_DOFS], qvel[MAX_DOFS], moved[2 * MAX_DOFS], S[MAX_DOFS][6],
            J[6 * MAX_DOFS];
        double local[3] = {0.2, -0.1, 0.3}, origin[3] = {0.3, 0.2, 0.1}, point[3], h = 1e-5;
        random_state(model, &r, 1.0, qpos, qvel);
        TnLinkFrame frames[64], side[2][64];
        tn_kinematics(model, qpos, 0, model->link_count, frames);
        m3_mul_v(point, frames[link].rot, local);
        v3_add(point, point, frames[link].pos);
        tn_tree_axes(model, sub, qpos, frames, origin, S);
        tn_tree_jacobian(model, sub, origin, (const double(*)[6])S, link, point, J);
        for (int d = 0; d < n; d++) {
            double unit[MAX_DOFS] = {0}, at[2][3], turn[9], Rt[9], W[9];
            unit[d] = 1.0;
            for (int k = 0; k < 2; k++) {
                tn_integrate_qpos(model, sub, qpos, unit, k ? h : -h, moved);
                tn_kinematics(model, moved, 0, model->link_count, side[k]);
                m3_mul_v(at[k], side[k][link].rot, local);
                v3_add(at[k], at[k], side[k][link].pos);
            }
            for (int k = 0; k < 9; k++)
                turn[k] = (side[1][link].rot[k] - side[0][link].rot[k]) / (2.0 * h);
            m3_transpose(Rt, frames[link].rot);
            m3_mul(W, turn, Rt);
            double column[6] = {(at[1][0] - at[0][0]) / (2 * h),
                                (at[1][1] - at[0][1]) / (2 * h),
                                (at[1][2] - at[0][2]) / (2 * h),
                                W[7],
                                W[2],
                                W[3]};
            /* central difference: h² and rounding/h, both about 1e-10 */
            for (int k = 0; k < 6; k++) CHECK_NEAR(J[k * n + d], column[k], 2e-9);
        }
        tn_model_destroy(model);
    }
}

TEST(twists_are_jacobians_times_velocity)
{
    TnModel *model = random_tree(6, 10, true);
    REQUIRE(model);
    const TnSubsystem *sub = &model->subsystems[0];
    Random r = {5};
    int n = sub->dof_count;
    double qpos[2 * MAX_DOFS], qvel[MAX_DOFS], S[MAX_DOFS][6], J[6 * MAX_DOFS], twists[64][6];
    TnLinkFrame frames[64];
    random_state(model, &r, 2.0, qpos, qvel);
    tn_kinematics(model, qpos, 0, model->link_count, frames);
    tn_kinematics_twists(model, qpos, qvel, frames, 0, model->link_count, twists);
    tn_tree_axes(model, sub, qpos, frames, frames[1].com, S);
    for (int l = 1; l < model->link_count; l++) {
        tn_tree_jacobian(model, sub, frames[1].com, (const double(*)[6])S, l, frames[l].com, J);
        for (int k = 0; k < 6; k++) {
            double sum = 0.0;
            for (int d = 0; d < n; d++) sum += J[k * n + d] * qvel[d];
            CHECK_NEAR(twists[l][k], sum, 1e-12); /* rounding */
        }
    }
    tn_model_destroy(model);
}

TEST(assembled_system_is_solved_by_v_free)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        TnModel *model = random_tree(seed, 7, seed % 2 == 0);
        REQUIRE(model);
        const TnSubsystem *sub = &model->subsystems[0];
        Motion m = motion_start(model, 0.005);
        Random r = {seed};
        random_state(model, &r, 1.0, m.qpos, m.qvel);
        for (int l = 1; l < model->link_count; l++) random_vector(&r, 5.0, m.wrench[l], 6);
        tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
        int n = sub->dof_count;
        TnTreeSystem tree;
        TnDynamicsInput in = motion_input(&m);
        REQUIRE(motion_tree(&m, &in, sub, &tree));
        const double *A = tree.A, *b = tree.b, *v_free = tree.v_free;
        for (int i = 0; i < n; i++) {
            double sum = -b[i];
            for (int j = 0; j < n; j++) {
                sum += A[i * n + j] * v_free[j];
                CHECK_NEAR(A[i * n + j], A[j * n + i], 1e-9); /* rounding at 1e3 */
            }
            CHECK_NEAR(sum, 0.0, 1e-9 * largest(b, n)); /* rounding, times the condition of A */
        }
        motion_end(&m);
        tn_model_destroy(model);
    }
}

/* To the last bit: the same walks, taken once. */
TEST(places_that_are_kept_give_the_same_frames_and_twists)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        TnModel *model = random_tree(seed, 10, seed % 2 == 0);
        REQUIRE(model);
        Random r = {seed};
        int links = model->link_count;
        double qpos[2 * MAX_DOFS], qvel[MAX_DOFS], twists[64][6], other[64][6];
        TnLinkFrame frames[64], at_once[64];
        TnJointPlace places[MAX_DOFS];
        random_state(model, &r, 2.0, qpos, qvel);
        tn_kinematics(model, qpos, 0, links, frames);
        tn_kinematics_twists(model, qpos, qvel, frames, 0, links, twists);
        tn_kinematics_all(model, qpos, qvel, 0, links, at_once, other);
        for (int l = 0; l < links; l++) {
            CHECK(memcmp(frames[l].pos, at_once[l].pos, sizeof frames[l].pos) == 0);
            CHECK(memcmp(frames[l].rot, at_once[l].rot, sizeof frames[l].rot) == 0);
        }
        CHECK(memcmp(twists, other, sizeof(double[6]) * (size_t)links) == 0);
        tn_kinematics_places(model, qpos, frames, 0, links, places);
        /* these do not need qpos */
        tn_kinematics_twists_at(model, NULL, qvel, frames, places, 0, links, other);
        CHECK(memcmp(twists, other, sizeof(double[6]) * (size_t)links) == 0);
        tn_model_destroy(model);
    }
}

TEST(compliance_by_the_factor_of_a_tree_is_that_of_a_dense_one)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        TnModel *model = random_tree(seed, 7, seed % 2 == 0);
        REQUIRE(model);
        const TnSubsystem *sub = &model->subsystems[0];
        Motion m = motion_start(model, 0.005);
        Random r = {seed};
        random_state(model, &r, 1.0, m.qpos, m.qvel);
        tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
        TnTreeSystem tree;
        TnDynamicsInput in = motion_input(&m);
        REQUIRE(motion_tree(&m, &in, sub, &tree));
        int n = sub->dof_count;
        double L[MAX_DOFS * MAX_DOFS], c[MAX_DOFS], sum = 0.0;
        TnTreeFactor factor;
        REQUIRE(tn_tree_factor_of(model, sub, tree.A, &m.arena, &factor));
        CHECK(factor.regular);
        memcpy(L, tree.A, sizeof(double) * (size_t)(n * n));
        REQUIRE(tn_cholesky(L, n));
        random_vector(&r, 1.0, c, n);
        for (int i = 0; i < n; i += 3) c[i] = 0.0; /* as of paths that miss these joints */
        double sparse = tn_tree_factor_compliance(&factor, c);
        tn_cholesky_forward(L, n, c);
        for (int i = 0; i < n; i++) sum += c[i] * c[i];
        CHECK(sum > 0.0);
        CHECK_NEAR(sparse, sum, 1e-9 * sum); /* rounding, times the condition of A */
        motion_end(&m);
        tn_model_destroy(model);
    }
}
