/* laws.h: what a large scene and the worlds of a batch compute alike, each from its own arrays: e
 * of a contact, and the velocity that forces give a body.
 *
 * Contacts are of first order here: J is that of the step's start, none lasts (TnUnilateral.slow is
 * 0), and all that they push moves by v⁺. The CPU does the same where TnWorld.at_start is set. */
#ifndef TN_GPU_LAWS_H
#define TN_GPU_LAWS_H

#include "shared.h"

namespace tn
{

/* Of a step. */
struct StepLaw {
    double t, theta, stabilization, gravity;
    const TnModel *model;
    const int *link_body; /* -1: none */
    const double (*twists)[6], (*end_twists)[6];
};

/* e of J v̂ + e, without what the contact yields (constraint/contacts.c). v: how fast the second
 * point moves against the first, v_end: at the end without forces; size: of the smaller body. */
TN_DEVICE inline void shift_at_speed(const StepLaw &s, double gap, const double n[3],
                                     const double v[3], const double v_end[3], double size,
                                     double e[3])
{
    TnUnilateral u{};
    u.gap = gap;
    u.v = v3_dot(n, v);
    u.approach = u.v;
    u.v_free_end = v3_dot(n, v_end);
    u.t = s.t;
    u.theta = s.theta;
    u.stabilization = s.stabilization;
    u.gravity = s.gravity;
    u.size = size;
    TnUnilateralLaw law = tn_unilateral_law(&u);
    for (int k = 0; k < 3; k++) e[k] = -(1.0 - s.theta) * (v[k] - u.v * n[k]) + law.e_normal * n[k];
}

/* The same between two links; v2: of the second one. */
TN_DEVICE inline void contact_shift(const StepLaw &s, const TnContactPoint *c, int la, int lb,
                                    double e[3], double v2[3])
{
    double v1[3], end1[3], end2[3], v[3], v_end[3], size = s.model->links[la].lever;
    point_velocity(v1, s.twists[la], c->arm1);
    point_velocity(v2, s.twists[lb], c->arm2);
    point_velocity(end1, s.end_twists[la], c->arm1);
    point_velocity(end2, s.end_twists[lb], c->arm2);
    v3_sub(v, v2, v1);
    v3_sub(v_end, end2, end1);
    if (s.link_body[lb] >= 0 && s.model->links[lb].lever < size) size = s.model->links[lb].lever;
    shift_at_speed(s, c->gap, c->normal, v, v_end, size, e);
}

/* F = Jᵀλ of a body with these sides (contact · 2, + 1: as the second), in double; 1: one of them
 * pushes. */
template <class Side, class V>
TN_DEVICE inline int sum_forces(const Side *side, const Side *end, const V *lambda,
                                const TnContactPoint *points, double F[6])
{
    int pushed = 0;
    for (int k = 0; k < 6; k++) F[k] = 0.0;
    for (; side < end; side++) {
        int c = *side >> 1, second = *side & 1;
        V l = lambda[c];
        double sign = second ? 1.0 : -1.0, f[3] = {sign * l.x, sign * l.y, sign * l.z}, m[3];
        if (!(f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0)) continue;
        pushed = 1;
        v3_cross(m, second ? points[c].arm2 : points[c].arm1, f);
        for (int j = 0; j < 3; j++) F[j] += f[j], F[j + 3] += m[j];
    }
    return pushed;
}

/* v = v_free + A⁻¹ F; inverse: 1/a, S⁻¹. */
TN_DEVICE inline void pushed_velocity(const double *inverse, const double *free, const double F[6],
                                      double *v)
{
    for (int j = 0; j < 3; j++) v[j] = free[j] + inverse[0] * F[j];
    v[3] = free[3] + inverse[1] * F[3] + inverse[2] * F[4] + inverse[3] * F[5];
    v[4] = free[4] + inverse[2] * F[3] + inverse[4] * F[4] + inverse[5] * F[5];
    v[5] = free[5] + inverse[3] * F[3] + inverse[5] * F[4] + inverse[6] * F[5];
}

} // namespace tn
#endif
