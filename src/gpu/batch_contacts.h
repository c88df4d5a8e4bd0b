/* batch_contacts.h: bodies and contacts of a world as the iteration reads them: as in contacts.h
 * and factor of iterate.h, for one world by one block. */
#ifndef TN_GPU_BATCH_CONTACTS_H
#define TN_GPU_BATCH_CONTACTS_H

#include "batch_data.h"
#include "laws.h"
#include "robot_solve.h"

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
        s.end_twists[l][k] = v[k] + (system->v_free[k] - v[k]) / b.theta;
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

/* The force that the last step had at this contact. */
TN_DEVICE inline void force_before(const Worlds &b, const WorldBase &s, const TnContactPoint *c,
                                   double out[3])
{
    size_t row = (size_t)s.index * (size_t)b.geom_count + (size_t)c->geom1,
           base = (size_t)s.index * (size_t)b.contact_room;
    int many = b.old_count[row], first = many ? b.old_first[row] : 0;
    uint64_t key = warm_key(c);
    v3_set(out, 0.0, 0.0, 0.0);
    for (int k = first; k < first + many; k++)
        if (b.old_key[base + (size_t)k] == key) {
            v3_copy(out, b.old_lambda + 3 * (base + (size_t)k));
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

/* A contact point as a constraint: bodies a and b (< 0: none), e, what it gives, D, B, the weights
 * of its sides, and J v_free + e + what it gives. */
struct Row {
    int ra, rb;
    double e[3], give[3], D[2], B[2], beta[4], last[3], total[3], mu;
};

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

/* D, B, weights, what it gives, and `total`, from how much its sides yield and how fast they are at
 * the contact without forces; the second is `fixed` where rb < 0. */
template <class R>
TN_DEVICE inline void weigh_row(const Worlds &b, double ratio, const double n[3], const R Ca[2],
                                const R Cb[2], const double va[3], const double vb[3], Row &row)
{
    double *D = row.D;
    bool both = row.rb >= 0;
    R scale = (R)b.weight_scale;
    for (int k = 0; k < 2; k++) {
        R d = Ca[k] + Cb[k], least = (R)1e-6 * d, fa = Ca[k] > least ? Ca[k] : least,
          fb = Cb[k] > least ? Cb[k] : least;
        R w = quotient(fa + (both ? fb : 0), scale);
        D[k] = d;
        row.beta[k] = quotient(scale, fa);
        row.beta[k + 2] = both ? quotient(scale, fb) : 0;
        row.B[k] = quotient((R)1, w + (ratio > 0.0 ? quotient(d, (R)ratio) : 0));
    }
    double ln = v3_dot(n, row.last), yields = ratio > 0.0 ? 1.0 / ratio : 0.0;
    for (int k = 0; k < 3; k++)
        row.give[k] = -yields * (D[1] * row.last[k] + (D[0] - D[1]) * ln * n[k]);
    for (int k = 0; k < 3; k++) row.total[k] = row.e[k] + row.give[k] + vb[k] - va[k];
}

TN_DEVICE inline Row row_of(const Worlds &b, const WorldBase &s, const TnContactPoint *c)
{
    Row row;
    int la = s.model->geom_link[c->geom1], lb = s.model->geom_link[c->geom2];
    int ra = row.ra = b.link_body[la], rb = row.rb = b.link_body[lb];
    const double *n = c->normal, *p = c->arm1, *o = c->arm2;
    double Ca[2], Cb[2] = {0.0, 0.0}, va[3], vb[3] = {0.0, 0.0, 0.0};
    shift_at(b, s, c, la, lb, row.e);
    force_before(b, s, c, row.last);
    side_compliance(b, s, ra, p, n, Ca);
    if (rb >= 0) side_compliance(b, s, rb, o, n, Cb);
    point_velocity(va, s.systems[ra].v_free, p);
    if (rb >= 0) point_velocity(vb, s.systems[rb].v_free, o);
    weigh_row(b, s.ratio, n, Ca, Cb, va, vb, row);
    row.mu = c->dim == 1 ? 0.0 : c->friction[0];
    return row;
}

/* `again`: contacts yield more now, and the forces that were found are the first guess. */
template <class R> TN_DEVICE void write_contact(const Worlds &b, World<R> &s, int i, bool again)
{
    typedef typename Vec4<R>::type V;
    const TnContactPoint *c = &s.points[i];
    const Row row = row_of(b, s, c);
    const double *n = c->normal, *p = c->arm1, *o = c->arm2, *total = row.total, *last = row.last;
    for (int k = 0; k < 3; k++) {
        s.shift[3 * i + k] = row.e[k];
        s.give[3 * i + k] = row.give[k];
    }
    for (int k = 0; k < 2; k++) s.yield[2 * i + k] = row.D[k];
    for (int k = 0; k < 4; k++) s.start_beta[4 * i + k] = row.beta[k];
    R share = (R)b.warm_start;
    s.ends[i] = Ends16{(short)row.ra, (short)row.rb};
    s.arm_a[i] = V{(R)p[0], (R)p[1], (R)p[2], (R)row.B[0]};
    s.arm_b[i] = V{(R)o[0], (R)o[1], (R)o[2], (R)row.B[1]};
    s.normal[i] = V{(R)n[0], (R)n[1], (R)n[2], (R)row.mu};
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
