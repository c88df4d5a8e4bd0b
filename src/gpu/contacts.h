/* contacts.h: from contact points to the constraints of the iteration: arms, e, last forces, and
 * the sides of each body. */
#ifndef TN_GPU_CONTACTS_H
#define TN_GPU_CONTACTS_H

#include "balls.h"
#include "in_order.h"
#include "laws.h"

namespace tn
{

TN_DEVICE inline uint64_t warm_key(const TnContactPoint *c)
{
    return (uint64_t)(uint32_t)c->geom2 << 32 | c->feature;
}

/* The normal and mean tangential part of J A⁻¹ Jᵀ at an arm (solver/weights.c). */
template <class R>
TN_DEVICE inline void compliance(const R *inverse, const R *r, const R *n, R out[2])
{
    R xx = inverse[1], xy = inverse[2], xz = inverse[3], yy = inverse[4], yz = inverse[5],
      zz = inverse[6];
    const R m[3] = {r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2],
                    r[0] * n[1] - r[1] * n[0]};
    R spin = m[0] * (xx * m[0] + 2 * (xy * m[1] + xz * m[2])) + m[1] * (yy * m[1] + 2 * yz * m[2]) +
             zz * m[2] * m[2];
    R quadratic = r[0] * (xx * r[0] + 2 * (xy * r[1] + xz * r[2])) +
                  r[1] * (yy * r[1] + 2 * yz * r[2]) + zz * r[2] * r[2];
    R trace = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) * (xx + yy + zz) - quadratic;
    out[0] = inverse[0] + spin;
    out[1] = inverse[0] + (R)0.5 * (trace - spin);
}

TN_DEVICE inline void invert_sym3(const double S[9], double out[6])
{
    double a = S[0], b = S[1], c = S[2], d = S[4], e = S[5], f = S[8];
    double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
    double i = 1.0 / (a * A + b * B + c * C);
    out[0] = A * i;
    out[1] = B * i;
    out[2] = C * i;
    out[3] = (a * f - c * c) * i;
    out[4] = (b * c - a * e) * i;
    out[5] = (a * d - b * b) * i;
}

/* The same at a link of a robot or cable, C = T A⁻¹ Tᵀ. */
TN_DEVICE inline void port_compliance(const double *C, const double *r, const double *n,
                                      double out[2])
{
    /* columns of [r]× in Jᵀ = [I; [r]×] */
    const double J[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
    double P[3][3], normal = 0.0, trace = 0.0;
    for (int i = 0; i < 3; i++) {
        double x[6];
        for (int k = 0; k < 6; k++)
            x[k] = C[6 * i + k] + J[i][0] * C[18 + k] + J[i][1] * C[24 + k] + J[i][2] * C[30 + k];
        for (int j = 0; j < 3; j++)
            P[i][j] = x[j] + J[j][0] * x[3] + J[j][1] * x[4] + J[j][2] * x[5];
        trace += P[i][i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) normal += n[i] * P[i][j] * n[j];
    out[0] = normal;
    out[1] = 0.5 * (trace - normal);
}

/* Of a side of a contact. `scale`: size of the terms that it is a sum of, added up; of free bodies,
 * which always yield, none. */
TN_DEVICE inline void side_compliance(const Base &s, int r, const double *arm, const double *n,
                                      double out[2], double *scale)
{
    if (r < s.body_count) {
        compliance(s.inverse + 7 * r, arm, n, out);
        return;
    }
    const double *C = s.port_compliance + 36 * (size_t)(r - s.body_count);
    port_compliance(C, arm, n, out);
    *scale += C[0] + C[7] + C[14] + v3_dot(arm, arm) * (C[21] + C[28] + C[35]);
}

/* A and the first v of the bodies, along the curve. */
template <class R> void write_bodies(Queue &q, const View<R> &s)
{
    typedef typename Vec4<R>::type V;
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int r) {
        const TnRigidSystem system = s.systems[s.body_at[r]];
        int n = s.body_count;
        double S[6], v[6], a = system.mass_rate;
        const double *I = system.inertia_rate;
        const double packed[6] = {I[0], I[1], I[2], I[4], I[5], I[8]};
        invert_sym3(I, S);
        s.inverse[7 * r] = 1.0 / a;
        s.A[r] = (R)a;
        for (int k = 0; k < 6; k++) {
            s.inverse[7 * r + 1 + k] = S[k];
            if (!s.balls || k == 0) s.A[(k + 1) * n + r] = (R)packed[k];
        }
        for (int k = 0; k < 6; k++) v[k] = system.v[k] - system.v_free[k];
        s.v[2 * r] = V{(R)v[0], (R)v[1], (R)v[2], 0};
        s.v[2 * r + 1] = V{(R)v[3], (R)v[4], (R)v[5], 0};
    });
}

/* e of J v̂ + e, without what the contact yields. */
TN_DEVICE inline void shift_of(const Base &s, const TnContactPoint *c, int la, int lb, double e[3])
{
    double v2[3];
    StepLaw law = {s.t,     s.theta,     s.stabilization, s.gravity_size,
                   s.model, s.link_body, s.twists,        s.end_twists};
    contact_shift(law, c, la, lb, e, v2);
    if (lb && s.link_body[lb] < 0) v3_add(e, e, v2); /* of a mocap body it is known */
}

/* The force that the last step had at this contact, in whichever part of its list. */
TN_DEVICE inline void last_force(const Base &s, const TnContactPoint *c, double out[3])
{
    uint64_t key = warm_key(c);
    v3_set(out, 0.0, 0.0, 0.0);
    for (int part = 0; part < TN_PARTS; part++) {
        int row = c->geom1 + part * s.geom_count;
        int many = s.old_count[row], first = many ? s.old_first[row] : 0;
        for (int k = first; k < first + many; k++) {
            if (s.old_key[k] != key) continue;
            v3_copy(out, s.old_lambda + 3 * (size_t)k);
            return;
        }
    }
}

#define TN_BALL 0.95

/* In a first step no contact has a force. The one that was found takes its place, and the step
 * is solved again, until contacts no longer yield. That is the proximal point method for the rigid
 * law; like a heavy ball, what the force last gained is gained once more (old_lambda is free in a
 * first step), which divides the number of solves by 3 to 10. */
template <class R>
TN_DEVICE void found_force(const View<R> &s, int i, const double n[3], double out[3])
{
    double *before = s.old_lambda + 3 * (size_t)i;
    const double f[3] = {s.lambda[i].x, s.lambda[i].y, s.lambda[i].z};
    for (int k = 0; k < 3; k++) {
        out[k] = f[k] + TN_BALL * (f[k] - before[k]);
        before[k] = f[k];
    }
    if (v3_dot(out, n) < 0.0) v3_set(out, 0.0, 0.0, 0.0);
}

/* Where the contacts of a geom are, for the next step and for a look at what is listed. Those of
 * one geom follow each other, foreseen and missed ones each. */
TN_DEVICE inline void note_place(const Base &s, int i, const TnContactPoint *c)
{
    const Lists *lists = &s.outcome->lists;
    int base = lists->base_count, second = lists->second_start;
    int row = c->geom1 + (i < base ? 0 : i < second ? 1 : 2) * s.geom_count;
    s.new_key[i] = warm_key(c);
    atomic_add(&s.new_count[row], 1);
    if (i == 0 || i == base || i == second || s.points[i - 1].geom1 != c->geom1)
        s.new_first[row] = i;
}

/* How far a contact is from the centre of a ball, along the normal, and no less than tells n. */
TN_DEVICE inline double ball_arm(const Base &s, int l, double rho)
{
    double least = TN_SAME * s.radius[l]; /* its contact is at its centre */
    return fabs(rho) < least ? least : rho;
}

/* All contacts; `again`: the step is solved once more, from what was found, with those that were
 * missed. */
template <class R> void write_contacts(Queue &q, const View<R> &s, bool again, int likely)
{
    typedef typename Vec4<R>::type V;
    const int *count = &s.outcome->lists.contact_count;
    if (again) {
        size_t places = sizeof(int) * (size_t)(s.all_count + 1);
        device_clear(q, s.side_count, places);
        device_clear(q, s.side_fill, places);
        device_clear(q, s.new_count, sizeof(int) * TN_PARTS * (size_t)s.geom_count);
    }
    each(
        q, s.contact_room, count,
        [=] TN_DEVICE(int i) {
            const TnContactPoint *c = &s.points[i];
            int la = link_of_side(s, c, 0), lb = link_of_side(s, c, 1);
            int bb = s.link_body[lb], ra = s.rank[s.link_body[la]], rb = bb >= 0 ? s.rank[bb] : -1;
            const double *n = c->normal;
            double e[3], last[3], Ca[2], Cb[2] = {0.0, 0.0}, B[2], D[2], give[3] = {0.0, 0.0, 0.0};
            double scale = 0.0;
            shift_of(s, c, la, lb, e);
            if (s.remembers)
                found_force(s, i, n, last);
            else
                last_force(s, c, last);
            note_place(s, i, c);
            side_compliance(s, ra, c->arm1, n, Ca, &scale);
            if (rb >= 0) side_compliance(s, rb, c->arm2, n, Cb, &scale);
            double all = Ca[0] + Ca[1] + Cb[0] + Cb[1];
            for (int k = 0; k < 2; k++) {
                D[k] = Ca[k] + Cb[k];
                double least = 1e-6 * D[k], fa = Ca[k] > least ? Ca[k] : least,
                       fb = Cb[k] > least ? Cb[k] : least;
                double w = (fa + (rb >= 0 ? fb : 0.0)) / s.weight_scale;
                s.start_beta[4 * (size_t)i + k] = s.weight_scale / fa;
                s.start_beta[4 * (size_t)i + 2 + k] = rb >= 0 ? s.weight_scale / fb : 0.0;
                B[k] = 1.0 / (w + (s.ratio > 0.0 ? D[k] / s.ratio : 0.0));
                s.yield[2 * (size_t)i + k] = D[k];
                if (scale > 0.0 && !(D[k] > TN_DEAD * all && D[k] > TN_ROUND_OFF * scale))
                    B[k] = D[k] = s.yield[2 * (size_t)i + k] = s.start_beta[4 * (size_t)i + k] =
                        s.start_beta[4 * (size_t)i + 2 + k] = 0.0;
            }
            if (s.ratio > 0.0) {
                double ln = v3_dot(n, last);
                for (int k = 0; k < 3; k++)
                    give[k] = -(D[1] * last[k] + (D[0] - D[1]) * ln * n[k]) / s.ratio;
                v3_copy(s.give + 3 * (size_t)i, give);
            }
            v3_copy(s.shift + 3 * (size_t)i, e);
            Ends ends = {ra, rb};
            s.ends[i] = ends;
            double mu = c->dim == 1 ? 0.0 : c->friction[0];
            const double *p = c->arm1, *o = c->arm2;
            double free_a[3], free_b[3] = {0.0, 0.0, 0.0}, total[3];
            point_velocity(free_a, s.systems[s.link_body[la]].v_free, p);
            if (bb >= 0) point_velocity(free_b, s.systems[bb].v_free, o);
            for (int k = 0; k < 3; k++) total[k] = e[k] + give[k] + free_b[k] - free_a[k];
            V nv = {(R)n[0], (R)n[1], (R)n[2], (R)mu};
            R share = (R)s.warm_start;
            V start = {share * (R)last[0], share * (R)last[1], share * (R)last[2], 0};
            if (again && i < s.outcome->lists.solved) start = s.lambda[i];
            s.lambda[i] = start;
            s.total[i] = V{(R)total[0], (R)total[1], (R)total[2], with_bits<R>(s.balls ? rb : ra)};
            if (s.balls) {
                double rho_a = ball_arm(s, la, v3_dot(p, n)),
                       rho_b = rb < 0 ? 0.0 : ball_arm(s, lb, -v3_dot(o, n));
                s.arm_a[i] = V{(R)(rho_a * n[0]), (R)(rho_a * n[1]), (R)(rho_a * n[2]),
                               with_bits<R>(2 * ra + (rho_a < 0.0))};
                s.arm_b[i] = V{(R)rho_b, (R)B[0], (R)B[1], (R)mu};
                start.w = friction_share<R>(start, nv);
            } else {
                s.arm_a[i] = V{(R)p[0], (R)p[1], (R)p[2], (R)B[0]};
                s.arm_b[i] = V{(R)o[0], (R)o[1], (R)o[2], (R)B[1]};
                s.normal[i] = nv;
                start.w = with_bits<R>(rb);
            }
            s.trial[i] = start;
            atomic_add(&s.side_count[ra], 1);
            if (rb >= 0) atomic_add(&s.side_count[rb], 1);
        },
        128, likely);
    sum_in_order(q, s.order, s.side_count, s.side_start, s.all_count + 1);
    each(
        q, s.contact_room, count,
        [=] TN_DEVICE(int i) {
            Ends e = s.ends[i];
            s.sides[s.side_start[e.a] + atomic_add(&s.side_fill[e.a], 1)] = 2 * i;
            if (e.b >= 0) s.sides[s.side_start[e.b] + atomic_add(&s.side_fill[e.b], 1)] = 2 * i + 1;
        },
        128, likely);
}

} // namespace tn
#endif
