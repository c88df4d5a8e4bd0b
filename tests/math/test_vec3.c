/* Vectors, rotations and the Cayley map against closed forms and each other. */
#include "../check.h"

#include <float.h>
#include <stdint.h>

#include "math/vec3.h"

static const double PI = 3.14159265358979323846;

typedef struct Random {
    uint64_t state;
} Random;

static double uniform(Random *r) /* in (-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(r->state >> 11) / (double)(1ull << 52) - 1.0;
}

static void random_unit(Random *r, double v[3])
{
    do
        for (int k = 0; k < 3; k++) v[k] = uniform(r);
    while (v3_norm(v) < 0.1);
    v3_normalize(v);
}

static void random_quat(Random *r, double q[4])
{
    double axis[3];
    random_unit(r, axis);
    quat_from_axis_angle(q, axis, PI * uniform(r));
}

/* A handful of roundings of numbers of order one. */
static const double ROUND = 20 * DBL_EPSILON;

static void check_frame(const double n[3])
{
    double t1[3], t2[3], cross[3];
    v3_tangents(n, t1, t2);
    CHECK_NEAR(v3_norm(t1), 1.0, ROUND);
    CHECK_NEAR(v3_norm(t2), 1.0, ROUND);
    CHECK_NEAR(v3_dot(t1, n), 0.0, ROUND);
    CHECK_NEAR(v3_dot(t2, n), 0.0, ROUND);
    CHECK_NEAR(v3_dot(t1, t2), 0.0, ROUND);
    v3_cross(cross, n, t1); /* right-handed: n × t1 = t2 */
    for (int k = 0; k < 3; k++) CHECK_NEAR(cross[k], t2[k], ROUND);
}

TEST(tangents_complete_any_normal_to_a_right_handed_frame)
{
    Random r = {1};
    for (int i = 0; i < 1000; i++) {
        double n[3];
        random_unit(&r, n);
        check_frame(n);
    }
    /* the poles and their surroundings, where such formulas like to divide by zero */
    for (int axis = 0; axis < 3; axis++)
        for (double sign = -1.0; sign <= 1.0; sign += 2.0)
            for (double off = 0.0; off < 1e-3; off = off == 0.0 ? 1e-17 : 10.0 * off) {
                double n[3] = {0.0, 0.0, 0.0};
                n[axis] = sign;
                n[(axis + 1) % 3] = off;
                v3_normalize(n);
                check_frame(n);
            }
    check_frame((double[3]){0.0, 0.0, -0.0 - 1.0});
    check_frame((double[3]){1.0, 0.0, -0.0}); /* -0.0 >= 0 */
}

TEST(cross_may_write_over_its_arguments)
{
    double a[3] = {1, 2, 3}, b[3] = {-2, 0.5, 4}, c[3];
    v3_cross(c, a, b);
    CHECK(c[0] == 2 * 4 - 3 * 0.5 && c[1] == 3 * -2.0 - 1 * 4 && c[2] == 1 * 0.5 - 2 * -2.0);
    double x[3] = {1, 2, 3};
    v3_cross(x, x, b);
    CHECK(memcmp(x, c, sizeof c) == 0);
    double y[3] = {-2, 0.5, 4};
    v3_cross(y, a, y);
    CHECK(memcmp(y, c, sizeof c) == 0);
}

TEST(normalizing_nothing_gives_a_default)
{
    double v[3] = {0, 0, 0}, q[4] = {0, 0, 0, 0};
    CHECK(v3_normalize(v) == 0.0);
    CHECK(v[0] == 0.0 && v[1] == 0.0 && v[2] == 1.0);
    CHECK(quat_normalize(q) == 0.0);
    CHECK(q[0] == 1.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0);
}

TEST(quaternion_matrix_and_rotation_agree)
{
    Random r = {2};
    for (int i = 0; i < 300; i++) {
        double p[4], q[4], pq[4], P[9], Q[9], PQ[9], expected[9], a[3], by_m[3], by_q[3], back[3];
        random_quat(&r, p);
        random_quat(&r, q);
        quat_to_m3(P, p);
        quat_to_m3(Q, q);
        quat_mul(pq, p, q);
        quat_to_m3(PQ, pq);
        m3_mul(expected, P, Q);
        for (int k = 0; k < 9; k++) CHECK_NEAR(PQ[k], expected[k], ROUND);
        for (int k = 0; k < 3; k++) a[k] = uniform(&r);
        m3_mul_v(by_m, P, a);
        quat_rotate(by_q, p, a);
        m3_tmul_v(back, P, by_m);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(by_m[k], by_q[k], ROUND);
            CHECK_NEAR(back[k], a[k], ROUND);
        }
    }
}

TEST(axis_and_angle_follow_rodrigues)
{
    Random r = {3};
    for (int i = 0; i < 300; i++) {
        double axis[3], a[3], q[4], got[3], cross[3], angle = 2.0 * PI * uniform(&r);
        random_unit(&r, axis);
        for (int k = 0; k < 3; k++) a[k] = uniform(&r);
        quat_from_axis_angle(q, axis, angle);
        quat_rotate(got, q, a);
        v3_cross(cross, axis, a);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(got[k],
                       a[k] * cos(angle) + cross[k] * sin(angle) +
                           axis[k] * v3_dot(axis, a) * (1.0 - cos(angle)),
                       ROUND);
    }
}

TEST(rotation_vectors_make_the_round_trip)
{
    Random r = {4};
    for (double angle = 1e-16; angle < PI - 1e-6; angle *= 3.0)
        for (int i = 0; i < 20; i++) {
            double axis[3], q[4], w[3], minus[4];
            random_unit(&r, axis);
            quat_from_axis_angle(q, axis, angle);
            quat_to_rotvec(w, q);
            /* relative: small rotations keep all their digits */
            for (int k = 0; k < 3; k++) CHECK_NEAR(w[k], angle * axis[k], ROUND * angle);
            for (int k = 0; k < 4; k++) minus[k] = -q[k];
            double again[3];
            quat_to_rotvec(again, minus); /* -q is the same rotation */
            for (int k = 0; k < 3; k++) CHECK_NEAR(again[k], w[k], ROUND * angle);
        }
}

TEST(rotation_vectors_are_never_longer_than_pi)
{
    Random r = {5};
    for (int i = 0; i < 1000; i++) {
        double axis[3], q[4], w[3], turned[4], a[3], ra[3], ta[3], angle = 10.0 * uniform(&r);
        random_unit(&r, axis);
        quat_from_axis_angle(q, axis, angle);
        quat_to_rotvec(w, q);
        CHECK(v3_norm(w) <= PI + ROUND);
        angle = v3_normalize(w);
        quat_from_axis_angle(turned, w, angle);
        for (int k = 0; k < 3; k++) a[k] = uniform(&r);
        quat_rotate(ra, q, a);
        quat_rotate(ta, turned, a);
        for (int k = 0; k < 3; k++) CHECK_NEAR(ta[k], ra[k], ROUND);
    }
    double half_turn[4] = {0, 0, 1, 0}, w[3];
    quat_to_rotvec(w, half_turn);
    CHECK_NEAR(w[1], PI, ROUND);
    CHECK(w[0] == 0.0 && w[2] == 0.0);
    double identity[4] = {1, 0, 0, 0};
    quat_to_rotvec(w, identity);
    CHECK(w[0] == 0.0 && w[1] == 0.0 && w[2] == 0.0);
}

/* The Cayley map of w turns by 2 atan(|w|/2) about w: (I - [w]/2)⁻¹ (I + [w]/2). */
TEST(cayley_turns_by_two_arctan_of_half)
{
    Random r = {6};
    for (double size = 1e-9; size < 1e4; size *= 10.0)
        for (int i = 0; i < 20; i++) {
            double axis[3], w[3], q[4] = {1, 0, 0, 0}, expected[4];
            random_unit(&r, axis);
            v3_scale(w, axis, size);
            quat_cayley_body(q, w);
            quat_from_axis_angle(expected, axis, 2.0 * atan(0.5 * size));
            for (int k = 0; k < 4; k++) CHECK_NEAR(q[k], expected[k], ROUND);
        }
}

TEST(cayley_solves_the_midpoint_rule)
{
    /* R⁺ a - R a = w × (R⁺ a + R a)/2 for every vector a: the discrete form of ȧ = ω × a */
    Random r = {7};
    for (int i = 0; i < 300; i++) {
        double q[4], before[3], after[3], mean[3], turn[3], a[3], w[3];
        random_quat(&r, q);
        for (int k = 0; k < 3; k++) {
            a[k] = uniform(&r);
            w[k] = 3.0 * uniform(&r);
        }
        quat_rotate(before, q, a);
        quat_cayley_world(q, w);
        quat_rotate(after, q, a);
        v3_add(mean, before, after);
        v3_scale(mean, mean, 0.5);
        v3_cross(turn, w, mean);
        for (int k = 0; k < 3; k++) CHECK_NEAR(after[k] - before[k], turn[k], ROUND);
    }
}

TEST(cayley_in_body_and_world_axes_are_the_same_motion)
{
    Random r = {8};
    for (int i = 0; i < 300; i++) {
        double q[4], p[4], w[3], in_world[3];
        random_quat(&r, q);
        quat_copy(p, q);
        for (int k = 0; k < 3; k++) w[k] = 2.0 * uniform(&r);
        quat_rotate(in_world, q, w);
        quat_cayley_body(q, w);
        quat_cayley_world(p, in_world);
        for (int k = 0; k < 4; k++) CHECK_NEAR(p[k], q[k], ROUND);
    }
}

TEST(cayley_back_undoes_cayley)
{
    Random r = {9};
    double q[4], start[4], w[3], minus[3];
    random_quat(&r, q);
    quat_copy(start, q);
    for (int k = 0; k < 3; k++) w[k] = uniform(&r), minus[k] = -w[k];
    for (int i = 0; i < 1000; i++) quat_cayley_body(q, w);
    for (int i = 0; i < 1000; i++) quat_cayley_body(q, minus);
    /* 2000 roundings, which random signs add up to some tens */
    for (int k = 0; k < 4; k++) CHECK_NEAR(q[k], start[k], 2000 * DBL_EPSILON);
    CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, ROUND);
}

TEST(rotate_diag_is_r_d_rt_and_symmetric)
{
    Random r = {10};
    for (int i = 0; i < 100; i++) {
        double q[4], R[9], Rt[9], d[3], D[9] = {0}, expected[9], got[9];
        random_quat(&r, q);
        quat_to_m3(R, q);
        m3_transpose(Rt, R);
        for (int k = 0; k < 3; k++) d[k] = D[4 * k] = uniform(&r);
        m3_mul(expected, R, D);
        m3_mul(expected, expected, Rt);
        m3_rotate_diag(got, R, d);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(got[k], expected[k], ROUND);
            CHECK(got[k] == got[3 * (k % 3) + k / 3]);
        }
    }
}
