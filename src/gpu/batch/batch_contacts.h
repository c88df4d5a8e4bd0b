/* batch_contacts.h: bodies and contacts of a world as the iteration reads them: as in contacts.h
 * and factor of iterate.h, for one world by one block. */
#ifndef TN_GPU_BATCH_CONTACTS_H
#define TN_GPU_BATCH_CONTACTS_H

#include "../laws.h"
#include "../robot/robot_solve.h"
#include "batch_data.h"

namespace tn
{

/* Frames, A⁻¹ and v_free of a body. */
TN_DEVICE inline void assemble_system(const Worlds &b, WorldBase &s, int i)
{
    int l = b.body_link[i];
    const TnLink *link = &s.model->links[l];
    const TnJoint *joint = &s.model->joints[link->joint_start];
    TnLinkWalk walk{};
    tn_link_walk_joint(&walk, joint, s.dynamics->qpos + joint->qpos_start);
    tn_link_frame_from_walk(&s.frames[l], link, &walk);
    TnRigidSystem *system = &s.systems[i];
    tn_rigid_assemble(s.dynamics, l, &s.frames[l], system);
    const double *v = system->v;
    double *inverse = s.inverse + 7 * i;
    for (int k = 0; k < 6; k++) {
        s.twists[l][k] = v[k];
        s.end_twists[l][k] = v[k] + (system->v_free[k] - v[k]) * b.per_theta;
    }
    inverse[0] = 1.0 / system->mass_rate;
    invert_sym3(system->inertia_rate, inverse + 1);
}

/* A, upper triangle of its angular part. */
TN_DEVICE inline void pack_inertia(const TnRigidSystem *system, double A[7])
{
    const double *I = system->inertia_rate;
    const double packed[7] = {system->mass_rate, I[0], I[1], I[2], I[4], I[5], I[8]};
    for (int k = 0; k < 7; k++) A[k] = packed[k];
}

/* And A, and the first v less v_free: so is v in the iteration. */
template <class R> TN_DEVICE void assemble_body(const Worlds &b, World<R> &s, int i)
{
    typedef typename Vec4<R>::type V;
    assemble_system(b, s, i);
    const TnRigidSystem *system = &s.systems[i];
    IterBody<R> *body = &s.bodies[i];
    double A[7], v[6];
    pack_inertia(system, A);
    for (int k = 0; k < 7; k++) body->A[k] = (R)A[k];
    for (int k = 0; k < 6; k++) v[k] = system->v[k] - system->v_free[k];
    s.v[i] = V{(R)v[0], (R)v[1], (R)v[2], 0};
    s.spin[i] = V{(R)v[3], (R)v[4], (R)v[5], 0};
}

/* As shift_of. */
TN_DEVICE inline void shift_at(const Worlds &b, const WorldBase &s, const TnContactPoint *c, int la,
                               int lb, double e[3])
{
    double v2[3];
    StepLaw law = {s.t,     b.theta,     b.stabilization, s.gravity_size,
                   s.model, b.link_body, s.twists,        s.end_twists};
    contact_shift(law, c, la, lb, e, v2);
    if (lb >= 1 && lb <= b.mocap_count) v3_add(e, e, v2); /* its velocity is known */
}

/* The force that the last step had at this contact, one of those from first to end. */
TN_DEVICE inline void force_before(const Worlds &b, const WorldHead &s, const TnContactPoint *c,
                                   int first, int end, double out[3])
{
    size_t base = (size_t)s.index * (size_t)b.contact_room;
    uint64_t key = warm_key(c);
    v3_set(out, 0.0, 0.0, 0.0);
    for (int k = first; k < end; k += 4) { /* four are read at a time */
        int found = -1;
        TN_UNROLL
        for (int j = 3; j >= 0; j--)
            if (k + j < end && b.old_key[base + (size_t)(k + j)] == key) found = k + j;
        if (found < 0) continue;
        v3_copy(out, b.old_lambda + 3 * (base + (size_t)found));
        return;
    }
}

TN_DEVICE inline void side_compliance(const Worlds &b, const WorldBase &s, int body,
                                      const double *arm, const double *n, double out[2])
{
    if (body < b.free_count)
        compliance(s.inverse + 7 * body, arm, n, out);
    else
        carried_compliance(b, s, body - b.free_count, arm, n, out);
}

/* Of weights two units in the last place do not matter. */
TN_DEVICE inline float quotient(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fdividef(a, b);
#else
    return a / b;
#endif
}
TN_DEVICE inline double quotient(double a, double b) { return a / b; }

/* Of a contact, along its normal and across: how much it yields, B, and β of its sides. */
template <class R> struct Weights {
    R D[2], B[2], beta[4];
};

/* From how much its sides yield; `both`: there is a second one. */
template <class R>
TN_DEVICE inline Weights<R> weights_of(const Worlds &b, double ratio, bool both, const R Ca[2],
                                       const R Cb[2])
{
    Weights<R> out;
    R scale = (R)b.weight_scale;
    for (int k = 0; k < 2; k++) {
        R d = Ca[k] + Cb[k], least = (R)1e-6 * d, fa = Ca[k] > least ? Ca[k] : least,
          fb = Cb[k] > least ? Cb[k] : least;
        R w = quotient(fa + (both ? fb : 0), scale);
        out.D[k] = d;
        out.beta[k] = quotient(scale, fa);
        out.beta[k + 2] = both ? quotient(scale, fb) : 0;
        out.B[k] = quotient((R)1, w + (ratio > 0.0 ? quotient(d, (R)ratio) : 0));
    }
    return out;
}

/* What goes to e of a contact that yields, for the last force. */
template <class R>
TN_DEVICE inline void give_of(double ratio, const R D[2], const double n[3], const double last[3],
                              double out[3])
{
    double ln = v3_dot(n, last), yields = ratio > 0.0 ? 1.0 / ratio : 0.0;
    for (int k = 0; k < 3; k++)
        out[k] = -yields * ((double)D[1] * last[k] + ((double)D[0] - (double)D[1]) * ln * n[k]);
}

/* `again`: contacts yield more now, and the forces that were found are the first guess. */
template <class R> TN_DEVICE void write_contact(const Worlds &b, World<R> &s, int i, bool again)
{
    typedef typename Vec4<R>::type V;
    const TnContactPoint *c = &s.points[i];
    int la = s.model->geom_link[c->geom1], lb = s.model->geom_link[c->geom2], ra = b.link_body[la],
        rb = b.link_body[lb];
    const double *n = c->normal, *p = c->arm1, *o = c->arm2;
    double Ca[2], Cb[2] = {0.0, 0.0}, va[3], vb[3] = {0.0, 0.0, 0.0}, last[3], total[3],
                  *e = s.shift + 3 * i, *give = s.give + 3 * i;
    shift_at(b, s, c, la, lb, e);
    size_t row = (size_t)s.index * (size_t)b.geom_count + (size_t)c->geom1;
    force_before(b, s, c, b.old_first[row], b.old_end[row], last);
    side_compliance(b, s, ra, p, n, Ca);
    if (rb >= 0) side_compliance(b, s, rb, o, n, Cb);
    point_velocity(va, s.systems[ra].v_free, p);
    if (rb >= 0) point_velocity(vb, s.systems[rb].v_free, o);
    const Weights<double> w = weights_of<double>(b, s.ratio, rb >= 0, Ca, Cb);
    give_of(s.ratio, w.D, n, last, give);
    for (int k = 0; k < 3; k++) total[k] = e[k] + give[k] + vb[k] - va[k];
    for (int k = 0; k < 2; k++) s.yield[2 * i + k] = w.D[k];
    for (int k = 0; k < 4; k++) s.start_beta[4 * i + k] = w.beta[k];
    R share = (R)b.warm_start;
    s.ends[i] = Ends16{(short)ra, (short)rb};
    s.arm_a[i] = V{(R)p[0], (R)p[1], (R)p[2], (R)w.B[0]};
    s.arm_b[i] = V{(R)o[0], (R)o[1], (R)o[2], (R)w.B[1]};
    s.normal[i] = V{(R)n[0], (R)n[1], (R)n[2], c->dim == 1 ? (R)0 : (R)c->friction[0]};
    s.total[i] = V{(R)total[0], (R)total[1], (R)total[2], 0};
    if (!again) s.lambda[i] = V{share * (R)last[0], share * (R)last[1], share * (R)last[2], 0};
    s.trial[i] = s.lambda[i];
}

/* The contacts of each body, in order. */
template <class R> TN_DEVICE void sort_out_sides(const Block &block, const Worlds &b, World<R> &s)
{
    block.each(b.body_count, [&](int i) { s.side_start[i] = s.side_fill[i] = 0; });
    block.each(s.contact_count, [&](int i) {
        atomic_add(&s.side_start[s.ends[i].a], 1);
        if (s.ends[i].b >= 0) atomic_add(&s.side_start[s.ends[i].b], 1);
    });
    block.scan(s.side_start, b.body_count);
    block.each(s.contact_count, [&](int i) {
        int a = s.ends[i].a, o = s.ends[i].b;
        s.sides[s.side_start[a] + atomic_add(&s.side_fill[a], 1)] = (uint16_t)(2 * i);
        if (o >= 0)
            s.sides[s.side_start[o] + atomic_add(&s.side_fill[o], 1)] = (uint16_t)(2 * i + 1);
    });
    block.each(b.body_count, [&](int r) {
        for (int i = s.side_start[r] + 1; i < s.side_start[r + 1]; i++) {
            uint16_t x = s.sides[i];
            int k = i;
            for (; k > s.side_start[r] && s.sides[k - 1] > x; k--) s.sides[k] = s.sides[k - 1];
            s.sides[k] = x;
        }
    });
}

/* H⁻¹ and g. */
template <class R> TN_DEVICE void factor_body(World<R> &s, int r)
{
    typedef typename Vec4<R>::type V;
    IterBody<R> *body = &s.bodies[r];
    V linear = s.v[r], angular = s.spin[r];
    double H[21] = {0}, g[6] = {0};
    double v[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int i = s.side_start[r]; i < s.side_start[r + 1]; i++) {
        int c = s.sides[i] >> 1, as_b = s.sides[i] & 1;
        V arm = as_b ? s.arm_b[c] : s.arm_a[c], nv = s.normal[c], l = s.lambda[c];
        double sign = as_b ? 1.0 : -1.0, force[3] = {sign * l.x, sign * l.y, sign * l.z};
        double at[3] = {arm.x, arm.y, arm.z}, n[3] = {nv.x, nv.y, nv.z};
        add_side(at, n, s.start_beta + 4 * c + 2 * as_b, force, v, H, g);
    }
    for (int k = 0; k < 3; k++) H[sym6(k, k)] += body->A[0];
    for (int i = 3, p = 1; i < 6; i++)
        for (int j = i; j < 6; j++) H[sym6(i, j)] += body->A[p++];
    invert_sym6(H);
    for (int k = 0; k < 21; k++) body->Hinv[k] = (R)H[k];
    for (int k = 0; k < 6; k++) body->g[k] = (R)g[k];
}

} // namespace tn
#endif
