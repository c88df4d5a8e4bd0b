/* carried_solve.h: a group of robots and cables in SubADMM, as one full matrix, by a team of
 * threads.
 *
 *     F_l = Σ Jᵀλ of link l's contacts,   Q = Σ T_lᵀ F_l + Jᵀλ of its rows
 *     v ← H⁻¹ (g + 2Q),  g ← g + α (Q - A v),  twists T_l v
 *     H = A + Σ T_lᵀ K_l T_l + Σ β Jᵀ J,  K_l = Σ Jᵀ W J of the link's contacts, β = s / (J A⁻¹ Jᵀ)
 *
 * v is less v_free, as that of bodies. Its own rows act on nothing else, so it updates them
 * itself. All of it is in double. */
#ifndef TN_GPU_CARRIED_SOLVE_H
#define TN_GPU_CARRIED_SOLVE_H

#include "../iterate.h"
#include "carried_matrix.h"
#include "carried_parts.h"
#include "carried_soft.h"

namespace tn
{

#define TN_LINK_SIDES 16384 /* threads for the sides of all links */

/* ---- once per solve ---- */

/* Twists of v_free and of the first guess, what links and rows yield, weights of rows. */
template <class R> TN_DEVICE inline void open_group(const Team &team, const View<R> &s, Group group)
{
    typedef typename Vec4<R>::type V;
    int n = group.dim, rows = *group.row_count;
    team.each(n, [&](int j) { group.v[j] = group.start[j] - group.v_free[j]; });
    team.each(group.link_count, [&](int l) {
        int i = s.body_count + group.first_link + l;
        const CarriedLink &link = s.carried[group.first_link + l];
        double v[6];
        for (int k = 0; k < 6; k++) {
            s.systems[i].v[k] = s.twists[link.link][k];
            s.systems[i].v_free[k] = twist_part(link, k, group.v_free);
            v[k] = twist_part(link, k, group.v);
        }
        s.v[2 * i] = V{(R)v[0], (R)v[1], (R)v[2], 0};
        s.v[2 * i + 1] = V{(R)v[3], (R)v[4], (R)v[5], 0};
    });
    team.each(36 * group.link_count, [&](int i) {
        const CarriedLink &link = s.carried[group.first_link + i / 36];
        const double *a = link.T + (size_t)(i % 36 / 6) * link.count,
                     *b = link.T + (size_t)(i % 6) * link.count;
        double sum = 0.0;
        for (int j = 0; j < link.count; j++) {
            const double *row = group.A_inverse + (size_t)(link.start + j) * n + link.start;
            sum += a[j] * dot(row, b, link.count);
        }
        s.port_compliance[36 * (size_t)group.first_link + i] = sum;
    });
    for (int r = 0; r < rows; r++) {
        const double *J = group.J + (size_t)r * n;
        multiply(team, group.A_inverse, J, n, group.x);
        team.once([&] {
            const TnGpuRow &row = group.rows[r];
            double D = dot(J, group.x, n);
            group.yield[r] = D;
            group.weight[r] = D > 0.0 ? s.weight_scale * row.scale / D : 0.0;
            group.shift[r] = row.e + dot(J, group.v_free, n);
            group.trial[r] = group.lambda[r] = row.lambda;
        });
    }
}

/* The order in which sides were counted depends on the run. A link may have thousands, so each
 * looks for its own place. */
template <class R> void order_sides(Queue &q, const View<R> &s)
{
    typedef typename Vec4<R>::type V;
    each(
        q, 2 * s.contact_room, nullptr,
        [=] TN_DEVICE(int k) {
            const int *start = s.side_start + s.body_count;
            int i = start[0] + k, low = 0, high = s.carried_count;
            if (i >= start[high]) return;
            while (high - low > 1) {
                int middle = (low + high) / 2;
                *(start[middle] <= i ? &low : &high) = middle;
            }
            int side = s.sides[i], c = side >> 1, place = start[low];
            for (int j = start[low]; j < start[low + 1]; j++) place += s.sides[j] < side;
            V arm = side & 1 ? s.arm_b[c] : s.arm_a[c];
            s.side_arm[place] = V{arm.x, arm.y, arm.z, with_bits<R>(side)};
        },
        128, TN_LINK_SIDES);
    each(
        q, 2 * s.contact_room, nullptr,
        [=] TN_DEVICE(int k) {
            int i = s.side_start[s.body_count] + k;
            if (i < s.side_start[s.body_count + s.carried_count])
                s.sides[i] = bits_in(s.side_arm[i].w);
        },
        128, TN_LINK_SIDES);
}

/* H and g, for v and λ as they are. */
template <class R>
TN_DEVICE inline void factor_group(const Team &team, const View<R> &s, Group group)
{
    typedef typename Vec4<R>::type V;
    int n = group.dim, rows = *group.row_count;
    double *H = group.H_inverse;
    sum_sides<27>(team, s, group, group.K, [&](int i, double *sums) {
        int c = s.sides[i] >> 1, as_b = s.sides[i] & 1;
        V arm = s.side_arm[i], nv = s.normal[c], l = s.lambda[c];
        double sign = as_b ? 1.0 : -1.0, force[3] = {sign * l.x, sign * l.y, sign * l.z};
        double r[3] = {arm.x, arm.y, arm.z}, nn[3] = {nv.x, nv.y, nv.z}, none[6] = {0};
        add_side(r, nn, s.start_beta + 4 * (size_t)c + 2 * as_b, force, none, sums, sums + 21);
    });
    team.each(group.link_count, [&](int l) { /* g has -F, since v was none */
                                             for (int k = 0; k < 6; k++)
                                                 group.F[6 * l + k] = -group.K[27 * l + 21 + k];
    });
    team.each_of_square(n, [&](int i, int j) {
        double sum = 0.0;
        for (int r = 0; r < rows; r++)
            sum += group.weight[r] * group.J[(size_t)r * n + i] * group.J[(size_t)r * n + j];
        H[(size_t)i * n + j] = sum;
    });
    for (int l = 0; l < group.link_count; l++) {
        const CarriedLink &link = s.carried[group.first_link + l];
        const double *K = group.K + 27 * l;
        int m = link.count;
        if (s.side_start[s.body_count + group.first_link + l] ==
            s.side_start[s.body_count + group.first_link + l + 1])
            continue;
        team.each(6 * m, [&](int i) {
            double sum = 0.0;
            for (int b = 0; b < 6; b++) {
                int a = i / m, low = a < b ? a : b, high = a < b ? b : a;
                sum += K[sym6(low, high)] * link.T[b * m + i % m];
            }
            group.KT[i] = sum;
        });
        team.each_of_square(m, [&](int i, int j) {
            double sum = 0.0;
            for (int a = 0; a < 6; a++) sum += link.T[a * m + i] * group.KT[a * m + j];
            H[(size_t)(link.start + i) * n + link.start + j] += sum;
        });
    }
    multiply(team, H, group.v, n, group.x); /* (H - A) v */
    gather(team, s, group, group.lambda, [&](int j, double Q) { group.g[j] = group.x[j] - Q; });
    team.each_of_square(n,
                        [&](int i, int j) { H[(size_t)i * n + j] += group.A[(size_t)i * n + j]; });
}

/* ---- an iteration ---- */

/* Rows, forces, and x = g + 2Q. */
template <class R>
TN_DEVICE inline void begin_update(const Team &team, const View<R> &s, const Group &group,
                                   double row_alpha)
{
    typedef typename Vec4<R>::type V;
    int n = group.dim, rows = *group.row_count;
    if (rows)
        team.each(rows, [&](int r) {
            double B = group.weight[r], t = group.trial[r];
            double u = group.shift[r] + dot(group.J + (size_t)r * n, group.v, n);
            t = B > 0.0 ? t + row_alpha * (group.lambda[r] - B * u - t) : 0.0;
            group.trial[r] = t;
            group.lambda[r] = project_row(group.rows[r], B, t);
        });
    sum_sides<6>(team, s, group, group.F, [&](int i, double *F) {
        V arm = s.side_arm[i], l = s.lambda[bits_in(arm.w) >> 1];
        double sign = bits_in(arm.w) & 1 ? 1.0 : -1.0, f[3] = {sign * l.x, sign * l.y, sign * l.z};
        F[0] += f[0], F[1] += f[1], F[2] += f[2];
        F[3] += arm.y * f[2] - arm.z * f[1];
        F[4] += arm.z * f[0] - arm.x * f[2];
        F[5] += arm.x * f[1] - arm.y * f[0];
    });
    gather(team, s, group, group.lambda, [&](int j, double Q) {
        group.y[j] = Q;
        group.x[j] = group.g[j] + 2.0 * Q;
    });
}

/* Twists and g, once v is there. A v = x - (H - A) v, and H - A is that of links and rows. */
template <class R>
TN_DEVICE inline void end_update(const Team &team, const View<R> &s, const Group &group,
                                 double alpha)
{
    int n = group.dim, twists = 6 * group.link_count;
    double *pull = group.trial + group.row_room; /* β J v of each row */
    team.each(twists + *group.row_count, [&](int i) {
        int r = i - twists;
        if (r >= 0) {
            pull[r] = group.weight[r] * dot(group.J + (size_t)r * n, group.v, n);
            return;
        }
        const CarriedLink &link = s.carried[group.first_link + i / 6];
        double part = twist_part(link, i % 6, group.v);
        R *to = &s.v[2 * (s.body_count + group.first_link + i / 6) + i % 6 / 3].x;
        to[i % 3] = (R)part;
        group.twists[i] = part;
    });
    team.each(twists, [&](int i) {
        const double *K = group.K + TN_SIDE_SUMS * (i / 6), *v = group.twists + i / 6 * 6;
        int a = i % 6;
        double sum = 0.0;
        for (int b = 0; b < 6; b++) sum += K[a < b ? sym6(a, b) : sym6(b, a)] * v[b];
        group.F[i] = sum;
    });
    gather(team, s, group, pull,
           [&](int j, double Cv) { group.g[j] += alpha * (Cv - group.y[j] - group.g[j]); });
}

/* What an iteration writes and reads again is in fast memory, where it fits. */
TN_DEVICE inline void use_fast(const Team &team, Group &group)
{
    int n = group.dim, parts = 6 * group.link_count, sums = 6 * TN_TEAM + parts;
    double *fast = team.fast;
    if (is_large(group) || sums + 2 * (parts + n) > team.fast_count) return;
    group.sums = fast;
    group.F = fast + sums;
    group.twists = group.F + parts;
    group.x = group.twists + parts;
    group.y = group.x + n;
}

template <class R>
TN_DEVICE inline void update_group(const Team &team, const View<R> &s, Group group,
                                   double row_alpha, double alpha)
{
    use_fast(team, group);
    begin_update(team, s, group, row_alpha);
    if (is_large(group)) return;
    multiply(team, group.H_inverse, group.x, group.dim, group.v);
    end_update(team, s, group, alpha);
}

/* The matrices of large groups are for the whole device. */
template <class R> void update_large(Queue &q, const View<R> &s)
{
    int most = s.most_unknowns, width = TN_PRODUCTS * most;
    double alpha = s.alpha;
    each(q, s.group_count * width, nullptr, [=] TN_DEVICE(int k) {
        const Group &group = s.groups[k / width];
        int p = k % width / most, i = k % most;
        if (is_large(group) && !group.soft && i < group.dim)
            multiply_part(group, group.H_inverse, group.x, i, p);
    });
    teams(q, s.group_count, [=] TN_DEVICE(const Team &team, int g) {
        const Group group = s.groups[g];
        if (!is_large(group) || group.soft) return;
        team.each(group.dim, [&](int i) { group.v[i] = sum_of_parts(group, i); });
        end_update(team, s, group, alpha);
    });
}

/* ---- the judge ---- */

/* v̂ of the forces there are, and how rows stand to it. */
template <class R>
TN_DEVICE inline void judge_group(const Team &team, const View<R> &s, const Group &group)
{
    typedef typename Vec4<R>::type V;
    int n = group.dim, rows = *group.row_count;
    sum_sides<7>(team, s, group, group.tally, [&](int i, double *sums) {
        int c = s.sides[i] >> 1, second = s.sides[i] & 1;
        V l = s.lambda[c];
        double sign = second ? 1.0 : -1.0, f[3] = {sign * l.x, sign * l.y, sign * l.z}, m[3];
        const TnContactPoint *p = &s.points[c];
        v3_cross(m, second ? p->arm2 : p->arm1, f);
        for (int k = 0; k < 3; k++) sums[k] += f[k], sums[k + 3] += m[k];
        sums[6] += f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
    });
    team.each(group.link_count, [&](int l) {
        for (int k = 0; k < 6; k++) group.F[6 * l + k] = group.tally[7 * l + k];
        s.carried_pushed[group.first_link + l] = group.tally[7 * l + 6] > 0.0;
    });
    gather(team, s, group, group.lambda, [&](int j, double Q) { group.y[j] = Q; });
    multiply(team, group.A_inverse, group.y, n, group.vhat);
    team.each(n, [&](int j) { group.vhat[j] += group.v_free[j]; });
    team.each(6 * group.link_count, [&](int i) {
        const CarriedLink &link = s.carried[group.first_link + i / 6];
        s.v_end[6 * (size_t)(s.body_count + group.first_link) + i] =
            twist_part(link, i % 6, group.vhat);
    });
    team.each(rows, [&](int r) {
        const TnGpuRow &row = group.rows[r];
        double u = row.e + dot(group.J + (size_t)r * n, group.vhat, n);
        double map = row.lever * row_map(row, group.yield[r], u, group.lambda[r]);
        Judged *judged = &s.outcome->judged;
        if (!(map * map < INFINITY)) judged->bad = 1;
        atomic_max(&judged->worst, double_bits(map * map));
        atomic_max(&judged->worst_rigid, double_bits(map * map));
    });
    team.once([&] {
        for (int j = 0; j < n; j++)
            if (!(fabs(group.vhat[j]) < INFINITY)) s.outcome->judged.bad = 1;
    });
}

template <class R> void open_groups(Queue &q, const View<R> &s)
{
    int area = s.most_unknowns * s.most_unknowns;
    each(q, s.group_count * area, nullptr, [=] TN_DEVICE(int k) {
        const Group &group = s.groups[k / area];
        if (k % area < group.dim * group.dim) group.A_inverse[k % area] = group.A[k % area];
    });
    invert_groups(q, s, true);
    teams(q, s.group_count, [=] TN_DEVICE(const Team &team, int g) {
        if (!s.groups[g].soft) open_group(team, s, s.groups[g]);
    });
    open_softs(q, s);
}

template <class R> void factor_groups(Queue &q, const View<R> &s)
{
    order_sides(q, s);
    teams(q, s.group_count, [=] TN_DEVICE(const Team &team, int g) {
        if (!s.groups[g].soft) factor_group(team, s, s.groups[g]);
    });
    factor_softs(q, s);
    invert_groups(q, s, false);
}

template <class R> void judge_groups(Queue &q, const View<R> &s)
{
    teams(q, s.group_count, [=] TN_DEVICE(const Team &team, int g) {
        if (!s.groups[g].soft) judge_group(team, s, s.groups[g]);
    });
}

/* Groups and free bodies, in one kernel. */
template <class R> void update_all(Queue &q, const View<R> &s, R row_alpha)
{
    UpdateBodies<R> bodies{s, (R)s.alpha};
    double alpha = s.alpha, first = row_alpha;
    teams_and_each(
        q, s.group_count,
        [=] TN_DEVICE(const Team &team, int g) {
            if (!s.groups[g].soft) update_group(team, s, s.groups[g], first, alpha);
        },
        s.body_count, bodies);
    if (s.most_unknowns > TN_LARGE_GROUP) update_large(q, s);
    update_softs(q, s);
}

/* As iterate(). */
template <class R>
void iterate_with_groups(Queue &q, const View<R> &s, int iterations, bool first,
                         int likely_contacts)
{
    const int *count = &s.outcome->lists.contact_count;
    for (int k = 0; k < iterations; k++) {
        R alpha = first && k == 0 ? (R)1 : (R)s.alpha;
        each(q, s.contact_room, count, UpdateContacts<R>{s, alpha, share_of(s)}, 128,
             likely_contacts);
        update_all(q, s, alpha);
    }
}

} // namespace tn
#endif
