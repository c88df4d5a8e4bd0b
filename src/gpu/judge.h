/* judge.h: how good the forces are, in double: v_λ = A⁻¹ (b + Jᵀλ) and the natural map there
 * (solver/natural_map.c). */
#ifndef TN_GPU_JUDGE_H
#define TN_GPU_JUDGE_H

#include "data.h"
#include "laws.h"
#include "robot/carried_solve.h"

namespace tn
{

/* Squared: |D (λ - Π(λ - D⁻¹ u))|², u at the contact. */
TN_DEVICE inline double natural_map(const double u[3], const double l[3], const double n[3],
                                    const double D[2], const double inverse[2], double mu)
{
    double un = v3_dot(u, n), ln = v3_dot(l, n), tn = ln - un * inverse[0], t[3], lt[3], size = 0.0;
    double normal = tn > 0.0 ? tn : 0.0, most = mu * normal;
    for (int k = 0; k < 3; k++) {
        lt[k] = l[k] - ln * n[k];
        t[k] = lt[k] - (u[k] - un * n[k]) * inverse[1];
        size += t[k] * t[k];
    }
    size = sqrt(size);
    double share = size > most ? most / size : 1.0, dn = D[0] * (ln - normal), map = dn * dn;
    for (int k = 0; k < 3; k++) {
        double d = D[1] * (lt[k] - share * t[k]);
        map += d * d;
    }
    return map;
}

TN_DEVICE inline double natural_map(const double u[3], const double l[3], const double n[3],
                                    const double D[2], double mu)
{
    /* what yields nothing has no map */
    const double inverse[2] = {D[0] > 0.0 ? 1.0 / D[0] : 0.0, D[1] > 0.0 ? 1.0 / D[1] : 0.0};
    return natural_map(u, l, n, D, inverse, mu);
}

/* `fresh`: the first check of this step. */
template <class R> void judge(Queue &q, const View<R> &s, int likely, bool fresh)
{
    typedef typename Vec4<R>::type V;
    if (!fresh) device_clear(q, &s.outcome->judged, sizeof(Judged));
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int r) {
        int i = s.body_at[r];
        double F[6];
        s.pushed[r] = sum_forces(s.sides + s.side_start[r], s.sides + s.side_start[r + 1], s.lambda,
                                 s.points, F);
        pushed_velocity(s.inverse + 7 * r, s.systems[i].v_free, F, s.v_end + 6 * r);
    });
    judge_groups(q, s);
    judge_softs(q, s);
    each(
        q, s.contact_room, &s.outcome->lists.contact_count,
        [=] TN_DEVICE(int i) {
            const TnContactPoint *c = &s.points[i];
            Judged *judged = &s.outcome->judged;
            Ends e = s.ends[i];
            V lambda = s.lambda[i];
            double ua[3], ub[3] = {0.0, 0.0, 0.0}, u[3], l[3] = {lambda.x, lambda.y, lambda.z};
            const double *n = c->normal, *D = s.yield + 2 * (size_t)i;
            double mu = c->dim == 1 ? 0.0 : c->friction[0], depth = -fmax(c->gap, c->clearance);
            point_velocity(ua, s.v_end + 6 * e.a, c->arm1);
            if (e.b >= 0) point_velocity(ub, s.v_end + 6 * e.b, c->arm2);
            for (int k = 0; k < 3; k++) u[k] = ub[k] - ua[k] + s.shift[3 * (size_t)i + k];
            double rigid = natural_map(u, l, n, D, mu), map = rigid;
            if (s.ratio > 0.0) { /* as it yields */
                double ln = v3_dot(l, n);
                for (int k = 0; k < 3; k++)
                    u[k] += s.give[3 * (size_t)i + k] +
                            (D[1] * l[k] + (D[0] - D[1]) * ln * n[k]) / s.ratio;
                map = natural_map(u, l, n, D, mu);
            }
            if (!(map < INFINITY)) judged->bad = 1;
            bool deep = depth > 0.0;
            int sum = i / 32 % TN_SUMS; /* one of a warp */
            v3_copy(s.new_lambda + 3 * (size_t)i, l);
            atomic_max_all(&judged->worst, double_bits(map));
            atomic_max_all(&judged->worst_rigid, double_bits(rigid));
            atomic_max_all(&judged->deepest, deep ? double_bits(depth) : 0);
            atomic_add_all(&judged->depths[sum],
                           deep ? (unsigned long long)(depth / TN_DEPTH_UNIT) : 0);
            atomic_add_all(&judged->deep[sum], deep);
        },
        128, likely);
}

} // namespace tn
#endif
