/* carried_soft.h: soft bodies in SubADMM. A soft body is a group whose unknowns are its nodes in
 * contact; the host has eliminated the others, so A is a full matrix S (solver/block/mesh.c). Each
 * contact has a port of its own, a body with no rotation:
 *
 *     u_p = Σ w v of its nodes,   Q = Σ w F_p over the ports of a node
 *     v ← H⁻¹ (g + 2Q),   g ← g + α (C v - Q - g),   C = Σ w K_p w,   H = S + C
 *
 * v is less v_free. Which nodes are in contact differs from step to step, and so does the dim of
 * the group. All of it is in double, by kernels over unknowns and ports of all soft bodies. */
#ifndef TN_GPU_CARRIED_SOFT_H
#define TN_GPU_CARRIED_SOFT_H

#include "../data.h"
#include "carried_matrix.h"

namespace tn
{

#define TN_PRODUCTS 8 /* parts of a row of a large matrix times a vector */

/* Part p of row i of M x. */
TN_DEVICE inline void multiply_part(const Group &group, const double *M, const double *x, int i,
                                    int p)
{
    int n = group.dim, size = (n + TN_PRODUCTS - 1) / TN_PRODUCTS, begin = p * size,
        end = begin + size < n ? begin + size : n;
    double sum = 0.0;
    for (int j = begin; j < end; j++) sum += M[(size_t)j * n + i] * x[j];
    group.products[(size_t)p * n + i] = sum;
}

TN_DEVICE inline double sum_of_parts(const Group &group, int i)
{
    double sum = 0.0;
    for (int p = 0; p < TN_PRODUCTS; p++) sum += group.products[(size_t)p * group.dim + i];
    return sum;
}

/* f(group, j) of each unknown of all soft bodies. */
template <class F> void each_soft_unknown(Queue &q, const Base &s, F f)
{
    int most = s.most_unknowns;
    each(q, s.group_count * most, nullptr, [=] TN_DEVICE(int k) {
        const Group &group = s.groups[k / most];
        if (group.soft && k % most < group.dim) f(group, k % most);
    });
}

/* products = A⁻¹ y or H⁻¹ x of all of them. */
inline void multiply_softs(Queue &q, const Base &s, bool by_A)
{
    int most = s.most_unknowns, width = TN_PRODUCTS * most;
    each(q, s.group_count * width, nullptr, [=] TN_DEVICE(int k) {
        const Group &group = s.groups[k / width];
        int p = k % width / most, i = k % most;
        if (group.soft && i < group.dim)
            multiply_part(group, by_A ? group.A_inverse : group.H_inverse, by_A ? group.y : group.x,
                          i, p);
    });
}

/* ---- ports ---- */

TN_DEVICE inline int body_of_port(const Base &s, int p)
{
    return s.body_count + s.carried_count + p;
}

TN_DEVICE inline int contact_of(const Base &s, const TnGpuPort &port)
{
    return s.outcome->lists.given_start + port.contact;
}

/* Component a of Σ weight · x of its nodes. */
TN_DEVICE inline double at_port(const TnGpuPort &port, const double *x, int a)
{
    double sum = 0.0;
    for (int k = 0; k < port.count; k++) sum += port.weight[k] * x[3 * port.node[k] + a];
    return sum;
}

/* K of a port: xx xy xz yy yz zz */
TN_DEVICE inline double weight_at(const double *K, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return K[low * 3 - low * (low - 1) / 2 + high - low];
}

TN_DEVICE inline double weighted_at(const double *K, const double u[3], int a)
{
    return weight_at(K, a, 0) * u[0] + weight_at(K, a, 1) * u[1] + weight_at(K, a, 2) * u[2];
}

/* f(port, number of the port, weight) of each port of the node that unknown j belongs to. */
template <class F> TN_DEVICE inline void each_port_of(const Base &s, const Group &group, int j, F f)
{
    int node = group.first_node + j / 3;
    if (!s.soft_head->port_count) return;
    for (int i = s.user_start[node]; i < s.user_start[node + 1]; i++) {
        int p = s.users[i] >> 2;
        f(s.ports[p], p, s.ports[p].weight[s.users[i] & 3]);
    }
}

/* Component of the force on a port. */
template <class R> TN_DEVICE inline double force_at(const View<R> &s, const TnGpuPort &port, int a)
{
    double force = (&s.lambda[contact_of(s, port)].x)[a];
    return port.second ? force : -force;
}

/* Σ w F of an unknown. */
template <class R> TN_DEVICE inline double pushed_by(const View<R> &s, const Group &group, int j)
{
    double Q = 0.0;
    each_port_of(s, group, j,
                 [&](const TnGpuPort &port, int, double w) { Q += w * force_at(s, port, j % 3); });
    return Q;
}

/* (C x)_j */
TN_DEVICE inline double stiffness_times(const Base &s, const Group &group, const double *x, int j)
{
    double sum = 0.0;
    each_port_of(s, group, j, [&](const TnGpuPort &port, int p, double w) {
        const double u[3] = {at_port(port, x, 0), at_port(port, x, 1), at_port(port, x, 2)};
        sum += w * weighted_at(s.port_weights + 6 * (size_t)p, u, j % 3);
    });
    return sum;
}

template <class R> TN_DEVICE inline void write_port_velocity(const View<R> &s, int p)
{
    typedef typename Vec4<R>::type V;
    const TnGpuPort &port = s.ports[p];
    const double *v = s.groups[port.group].v;
    s.v[2 * body_of_port(s, p)] =
        V{(R)at_port(port, v, 0), (R)at_port(port, v, 1), (R)at_port(port, v, 2), 0};
}

/* ---- what is near ---- */

/* Free bodies that may touch a soft one, for the host. */
inline void find_near(Queue &q, const Base &s)
{
    device_clear(q, s.near_count, sizeof(int));
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int i) {
        int l = s.body_link[i];
        const TnLinkFrame &frame = s.frames[l];
        const double *v = s.end_twists[l];
        double reach = s.radius[l] + s.t * (v3_norm(v) + v3_norm(v + 3) * s.radius[l]);
        for (int b = 0; b < s.soft_count; b++) {
            const double *box = s.soft_boxes + 6 * b;
            bool apart = false;
            for (int k = 0; k < 3; k++)
                apart = apart || frame.com[k] + reach < box[k] || frame.com[k] - reach > box[k + 3];
            if (apart) continue;
            int at = atomic_add(s.near_count, 1);
            if (at >= s.near_room) return;
            TnGpuNear *to = &s.near[at];
            to->link = l;
            for (int k = 0; k < 3; k++)
                to->frame[k] = frame.pos[k], to->frame[16 + k] = frame.com[k];
            for (int k = 0; k < 4; k++) to->frame[3 + k] = frame.quat[k];
            for (int k = 0; k < 9; k++) to->frame[7 + k] = frame.rot[k];
            for (int k = 0; k < 6; k++) to->twist[k] = v[k];
            return;
        }
    });
}

/* Their contacts join the list of those that were foreseen. */
inline void add_given(Queue &q, const Base &s)
{
    each(q, 1, nullptr, [=] TN_DEVICE(int) {
        Lists *lists = &s.outcome->lists;
        lists->given_start = lists->contact_count;
        lists->contacts_needed += s.soft_head->given_count;
        if (lists->contacts_needed > s.contact_room) { /* the step is done again with more memory */
            s.soft_head->given_count = s.soft_head->port_count = 0;
            return;
        }
        lists->contact_count += s.soft_head->given_count;
        lists->base_count = lists->second_start = lists->solved = lists->contact_count;
    });
    each(q, s.given_room, &s.soft_head->given_count,
         [=] TN_DEVICE(int i) { s.points[s.outcome->lists.given_start + i] = s.given[i]; });
}

/* ---- once per solve ---- */

/* Ports as bodies: velocities, what they yield. A⁻¹ is there. */
template <class R> void open_softs(Queue &q, const View<R> &s)
{
    if (!s.soft_count) return;
    each_soft_unknown(q, s, [=] TN_DEVICE(const Group &group, int j) { group.y[j] = group.b[j]; });
    multiply_softs(q, s, true);
    each_soft_unknown(q, s, [=] TN_DEVICE(const Group &group, int j) {
        group.free[j] = sum_of_parts(group, j);
        group.v[j] = group.start[j] - group.free[j];
    });
    each(q, s.port_room, &s.soft_head->port_count, [=] TN_DEVICE(int p) {
        const TnGpuPort &port = s.ports[p];
        const Group &group = s.groups[port.group];
        int n = group.dim, i = body_of_port(s, p), l = s.link_count + p;
        double *C = s.port_compliance + 36 * (size_t)(s.carried_count + p);
        for (int a = 0; a < 3; a++) {
            s.systems[i].v_free[a] = at_port(port, group.v_free, a);
            s.twists[l][a] = port.start[a];
            s.end_twists[l][a] = port.end[a];
            for (int b = 0; b < 3; b++) {
                double sum = 0.0;
                for (int k = 0; k < port.count; k++)
                    sum += port.weight[k] *
                           at_port(port, group.A_inverse + (size_t)(3 * port.node[k] + a) * n, b);
                C[6 * a + b] = sum;
            }
        }
        s.model->links[l].lever = port.size;
        write_port_velocity(s, p);
    });
}

/* H and g, for v and λ as they are. */
template <class R> void factor_softs(Queue &q, const View<R> &s)
{
    typedef typename Vec4<R>::type V;
    if (!s.soft_count) return;
    each(q, s.port_room, &s.soft_head->port_count, [=] TN_DEVICE(int p) {
        const TnGpuPort &port = s.ports[p];
        int c = contact_of(s, port);
        const double *beta = s.start_beta + 4 * (size_t)c + 2 * port.second;
        V nv = s.normal[c];
        const double n[3] = {nv.x, nv.y, nv.z};
        double *K = s.port_weights + 6 * (size_t)p;
        for (int a = 0, at = 0; a < 3; a++)
            for (int b = a; b < 3; b++)
                K[at++] = (a == b ? beta[1] : 0.0) + (beta[0] - beta[1]) * n[a] * n[b];
    });
    each_soft_unknown(q, s, [=] TN_DEVICE(const Group &group, int j) {
        int n = group.dim;
        double *H = group.H_inverse; /* symmetric: column j is row j */
        for (int i = 0; i < n; i++) H[(size_t)i * n + j] = group.A[(size_t)i * n + j];
        each_port_of(s, group, j, [&](const TnGpuPort &port, int p, double w) {
            const double *K = s.port_weights + 6 * (size_t)p;
            for (int k = 0; k < port.count; k++)
                for (int b = 0; b < 3; b++)
                    H[(size_t)(3 * port.node[k] + b) * n + j] +=
                        w * port.weight[k] * weight_at(K, b, j % 3);
        });
        group.g[j] = stiffness_times(s, group, group.v, j) - pushed_by(s, group, j);
    });
}

/* ---- an iteration ---- */

template <class R> void update_softs(Queue &q, const View<R> &s)
{
    double alpha = s.alpha;
    int most = s.most_unknowns;
    if (!s.soft_count) return;
    each_soft_unknown(q, s, [=] TN_DEVICE(const Group &group, int j) {
        double Q = pushed_by(s, group, j);
        group.y[j] = Q;
        group.x[j] = group.g[j] + 2.0 * Q;
    });
    multiply_softs(q, s, false);
    each_soft_unknown(
        q, s, [=] TN_DEVICE(const Group &group, int j) { group.v[j] = sum_of_parts(group, j); });
    each(q, s.port_room + s.group_count * most, nullptr, [=] TN_DEVICE(int k) {
        if (k < s.port_room) {
            if (k < s.soft_head->port_count) write_port_velocity(s, k);
            return;
        }
        const Group &group = s.groups[(k - s.port_room) / most];
        int j = (k - s.port_room) % most;
        if (!group.soft || j >= group.dim) return;
        double Cv = stiffness_times(s, group, group.v, j);
        group.g[j] += alpha * (Cv - group.y[j] - group.g[j]);
    });
}

/* ---- the judge ---- */

/* v̂ of the forces there are, and which bodies are pushed. */
template <class R> void judge_softs(Queue &q, const View<R> &s)
{
    if (!s.soft_count) return;
    device_clear(q, s.soft_pushed, sizeof(int) * (size_t)s.group_count);
    each_soft_unknown(
        q, s, [=] TN_DEVICE(const Group &group, int j) { group.y[j] = pushed_by(s, group, j); });
    multiply_softs(q, s, true);
    each_soft_unknown(q, s, [=] TN_DEVICE(const Group &group, int j) {
        group.vhat[j] = group.v_free[j] + sum_of_parts(group, j);
        if (!(fabs(group.vhat[j]) < INFINITY)) s.outcome->judged.bad = 1;
    });
    each(q, s.port_room, &s.soft_head->port_count, [=] TN_DEVICE(int p) {
        const TnGpuPort &port = s.ports[p];
        for (int a = 0; a < 3; a++) {
            s.v_end[6 * (size_t)body_of_port(s, p) + a] =
                at_port(port, s.groups[port.group].vhat, a);
            if (force_at(s, port, a) != 0.0) s.soft_pushed[port.group] = 1;
        }
    });
}

} // namespace tn
#endif
