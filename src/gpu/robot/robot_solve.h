/* robot_solve.h: what the iteration of robots begins with (robot_iterate.h), H = A + Jᵀ W J with
 * the weights W of all contacts and rows, and g; then how good the forces are, and the end of a
 * step. */
#ifndef TN_GPU_ROBOT_SOLVE_H
#define TN_GPU_ROBOT_SOLVE_H

#include "robot_iterate.h"
#include "robot_rows.h"

namespace tn
{

/* M becomes M⁻¹, n × n, symmetric and positive definite: Gauss and Jordan, a thread for each
 * column. */
TN_DEVICE inline void invert_in_place(const Block &block, double *M, int n)
{
    for (int p = 0; p < n; p++) {
        const double d = 1.0 / M[p * n + p];
        block.each(n, [&](int j) {
            const double f = M[p * n + j] * d;
            if (j == p) return;
            for (int i = 0; i < n; i++)
                if (i != p) M[i * n + j] -= M[i * n + p] * f;
            M[p * n + j] = f;
        });
        block.each(n, [&](int i) { M[i * n + p] = i == p ? d : -d * M[i * n + p]; });
    }
}

/* K += x yᵀ, the upper triangle, x and y such that the sum is symmetric. */
TN_DEVICE inline void add_outer(const double x[6], const double y[6], double K[21])
{
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++) K[sym6(i, j)] += x[i] * y[j];
}

TN_DEVICE inline void multiply_sym6(const double K[21], const double x[6], double y[6])
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 6; j++) y[i] += K[i <= j ? sym6(i, j) : sym6(j, i)] * x[j];
    }
}

/* J A⁻¹ Jᵀ of a link about O. */
TN_DEVICE inline void link_compliance(const Worlds &b, WorldBase &s, int c)
{
    const Robots &r = b.robots;
    const Robot &robot = r.robots[r.link_robot[c]];
    const double *inverse = s.robot.A_inverse + robot.matrix;
    double K[21] = {0.0};
    for (int i = r.chain_start[c]; i < r.chain_start[c + 1]; i++) {
        const double *row = inverse + (r.chain[i] - robot.dof) * robot.dofs;
        double T[6] = {0.0};
        for (int j = r.chain_start[c]; j < r.chain_start[c + 1]; j++)
            for (int k = 0; k < 6; k++)
                T[k] += row[r.chain[j] - robot.dof] * s.robot.S[r.chain[j]][k];
        add_outer(s.robot.S[r.chain[i]], T, K);
    }
    for (int k = 0; k < 21; k++) s.robot.K[c][k] = K[k];
}

/* From O to a point at an arm from the link's centre of mass. */
TN_DEVICE inline void arm_from_origin(const Worlds &b, const WorldBase &s, int c, const double *arm,
                                      double out[3])
{
    const Robots &r = b.robots;
    const Robot &robot = r.robots[r.link_robot[c]];
    const double *com = s.frames[robot.model_link + c - robot.link].com,
                 *origin = s.robot.origin[r.link_robot[c]];
    for (int k = 0; k < 3; k++) out[k] = arm[k] + com[k] - origin[k];
}

/* The normal and mean tangential part of J A⁻¹ Jᵀ at a point of a link, as `compliance`. */
TN_DEVICE inline void carried_compliance(const Worlds &b, const WorldBase &s, int c,
                                         const double *arm, const double *n, double out[2])
{
    double at[3], N[6], y[6], trace = 0.0;
    arm_from_origin(b, s, c, arm, at);
    v3_copy(N, n);
    v3_cross(N + 3, at, n);
    multiply_sym6(s.robot.K[c], N, y);
    out[0] = 0.0;
    for (int k = 0; k < 6; k++) out[0] += N[k] * y[k];
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++) N[k] = k == a ? 1.0 : 0.0;
        v3_cross(N + 3, at, N);
        multiply_sym6(s.robot.K[c], N, y);
        for (int k = 0; k < 6; k++) trace += N[k] * y[k];
    }
    out[1] = 0.5 * (trace - out[0]);
    for (int k = 0; k < 2; k++)
        if (!(out[k] > 0.0)) out[k] = 0.0; /* rounding */
}

/* What contacts and rows need before they are written. */
TN_DEVICE inline void prepare_robots(const Block &block, const Worlds &b, WorldBase &s)
{
    const Robots &r = b.robots;
    for (int k = 0; k < r.count && !s.bad; k++) {
        int n = r.robots[k].dofs;
        double *inverse = s.robot.A_inverse + r.robots[k].matrix;
        const double *A = s.robot.trees[k].A;
        block.each(n * n, [&](int i) { inverse[i] = A[i]; });
        invert_in_place(block, inverse, n);
    }
    block.each(s.bad ? 0 : r.link_count, [&](int c) { link_compliance(b, s, c); });
}

/* ---- H and g ---- */

/* Of the contacts of a link, about O: Σ Jᵀ W J, and Σ Jᵀ (W J v - λ). */
template <class R> TN_DEVICE void sum_sides(const Worlds &b, World<R> &s, int c)
{
    typedef typename Vec4<R>::type V;
    const Robots &r = b.robots;
    int body = r.first_body + c;
    double V0[6] = {0.0}, *G = s.robot.G[c], *g = s.robot.f[c];
    for (int k = 0; k < 21; k++) G[k] = 0.0;
    for (int k = 0; k < 6; k++) g[k] = 0.0;
    for (int i = r.chain_start[c]; i < r.chain_start[c + 1]; i++)
        for (int k = 0; k < 6; k++)
            V0[k] += s.robot.S[r.chain[i]][k] * (double)s.fast_robot.rate[r.chain[i]];
    for (int i = s.side_start[body]; i < s.side_start[body + 1]; i++) {
        int at = s.sides[i] >> 1, as_b = s.sides[i] & 1;
        V nv = s.normal[at], l = s.lambda[at];
        double sign = as_b ? 1.0 : -1.0, force[3] = {sign * l.x, sign * l.y, sign * l.z};
        double arm[3], n[3] = {nv.x, nv.y, nv.z};
        arm_from_origin(b, s, c, as_b ? s.points[at].arm2 : s.points[at].arm1, arm);
        add_side(arm, n, s.start_beta + 4 * at + 2 * as_b, force, V0, G, g);
    }
}

/* Row d of H up to the root, and g there. */
template <class R> TN_DEVICE void fill_dof(const Worlds &b, World<R> &s, int d)
{
    const Robots &r = b.robots;
    const Robot &robot = r.robots[r.dof_robot[d]];
    const double *S = s.robot.S[d];
    int n = robot.dofs, own = d - robot.dof;
    double G[21] = {0.0}, y[6], g = 0.0, *H = s.robot.H + robot.matrix;
    bool touched = false;
    for (int i = r.behind_start[d]; i < r.behind_start[d + 1]; i++) {
        int c = r.behind[i];
        if (s.side_start[r.first_body + c] == s.side_start[r.first_body + c + 1]) continue;
        touched = true;
        for (int k = 0; k < 21; k++) G[k] += s.robot.G[c][k];
        for (int k = 0; k < 6; k++) g += S[k] * s.robot.f[c][k];
    }
    multiply_sym6(G, S, y);
    for (int e = own; touched && e >= 0;) {
        const double *Se = s.robot.S[robot.dof + e];
        double sum = 0.0;
        for (int k = 0; k < 6; k++) sum += Se[k] * y[k];
        H[own * n + e] += sum;
        if (e != own) H[e * n + own] += sum;
        e = s.model->dof_parent[robot.model_dof + e] - robot.model_dof;
    }
    for (int i = r.dof_row[d]; i < r.dof_row_end[d]; i++) {
        const RobotRow &row = r.rows[i];
        double D = s.robot.row_D[i], u = 0.0;
        const double *axis = s.robot.row_axis + 3 * i;
        if (!(D > 0.0) || d < row.dof || d >= row.dof + row.count) continue;
        double beta = b.weight_scale / D;
        for (int k = 0; k < row.count; k++) {
            int e = row.dof + k - robot.dof;
            double part = beta * axis[d - row.dof] * axis[k];
            if (e <= own) H[own * n + e] += part;
            if (e < own) H[e * n + own] += part;
            u += axis[k] * (double)s.fast_robot.rate[row.dof + k];
        }
        g += axis[d - row.dof] * (beta * u - (double)s.fast_robot.row_lambda[i]);
    }
    s.fast_robot.g[d] = (R)g;
}

/* Where the iteration begins, as of free bodies: at the step's first v. */
template <class R> TN_DEVICE void start_dof(const Worlds &b, World<R> &s, int d)
{
    const Robots &r = b.robots;
    int k = r.dof_robot[d];
    const Robot &robot = r.robots[k];
    double v = s.dynamics->qvel[robot.model_dof + d - robot.dof],
           *H = s.robot.H + robot.matrix + (d - robot.dof) * robot.dofs;
    const double *A = s.robot.trees[k].A + (d - robot.dof) * robot.dofs;
    s.fast_robot.rate[d] = (R)(v - s.robot.trees[k].v_free[d - robot.dof]);
    for (int j = 0; j < robot.dofs; j++) H[j] = A[j];
}

/* ---- for the iteration ---- */

/* The link of a side of a contact, or -1. */
template <class R> TN_DEVICE int carried_side(const Worlds &b, const World<R> &s, int i, bool as_b)
{
    int body = as_b ? s.ends[i].b : s.ends[i].a;
    return body < b.robots.first_body ? -1 : body - b.robots.first_body;
}

TN_DEVICE inline int chain_length(const Robots &r, int link)
{
    return link < 0 ? 0 : r.chain_start[link + 1] - r.chain_start[link];
}

/* The levers of a contact: of its first link, from there to the root, then of its second. */
template <class R> TN_DEVICE void write_levers(const Worlds &b, const World<R> &s, int i)
{
    typedef typename Vec4<R>::type V;
    const Robots &r = b.robots;
    const Levers<R> &l = s.fast_robot.levers;
    int at = l.start[i];
    for (int side = 0; side < 2; side++) {
        int link = carried_side(b, s, i, side == 1);
        double arm[3], sign = side ? 1.0 : -1.0;
        if (link < 0) continue;
        arm_from_origin(b, s, link, side ? s.points[i].arm2 : s.points[i].arm1, arm);
        for (int k = r.chain_start[link]; k < r.chain_start[link + 1]; k++, at++) {
            const double *S = s.robot.S[r.chain[k]];
            double turn[3];
            v3_cross(turn, S + 3, arm);
            l.lever[at] = V{(R)(sign * (S[0] + turn[0])), (R)(sign * (S[1] + turn[1])),
                            (R)(sign * (S[2] + turn[2])), 0};
            l.dof[at] = (uint16_t)r.chain[k];
            l.contact[at] = (uint16_t)i;
        }
    }
}

/* f(contact, whether the link is its second) of all contacts of links behind a dof, with the place
 * of the dof in the link's chain. */
template <class R, class F>
TN_DEVICE inline void each_side_behind(const Worlds &b, const World<R> &s, int d, F f)
{
    const Robots &r = b.robots;
    for (int i = r.behind_start[d]; i < r.behind_start[d + 1]; i++) {
        int link = r.behind[i], body = r.first_body + link, place = 0;
        int begin = s.side_start[body], end = s.side_start[body + 1];
        if (begin == end) continue;
        while (r.chain[r.chain_start[link] + place] != d) place++;
        for (int k = begin; k < end; k++) f(s.sides[k] >> 1, (s.sides[k] & 1) != 0, place);
    }
}

template <class R> TN_DEVICE void place_robots(const Block &block, const Worlds &b, World<R> &s)
{
    const Robots &r = b.robots;
    const RobotFast<R> &f = s.fast_robot;
    const Levers<R> &l = f.levers;
    block.each(r.dof_count, [&](int d) {
        const Robot &robot = r.robots[r.dof_robot[d]];
        int own = d - robot.dof, count = 0;
        f.dofs[d] =
            DofPlace{robot.fast_matrix + 4 * own, (short)robot.x,      (short)(robot.x + own),
                     (short)robot.dofs,           (short)r.dof_row[d], (short)r.dof_row_end[d]};
        each_side_behind(b, s, d, [&](int, bool, int) { count++; });
        l.dof_start[d] = count;
        if (own == 0)
            for (int k = robot.dofs; k % 4; k++) f.x[robot.x + k] = 0; /* up to whole fours */
    });
    block.each(r.row_count, [&](int i) {
        f.rows[i] = RowPlace{(short)r.rows[i].dof, (short)r.rows[i].count};
    });
    block.each(s.contact_count, [&](int i) {
        l.start[i] = chain_length(r, carried_side(b, s, i, false)) +
                     chain_length(r, carried_side(b, s, i, true));
    });
    block.scan(l.start, s.contact_count);
    block.scan(l.dof_start, r.dof_count);
    block.each(s.contact_count, [&](int i) { write_levers(b, s, i); });
    block.each(r.dof_count, [&](int d) {
        int at = l.dof_start[d];
        each_side_behind(b, s, d, [&](int i, bool as_b, int place) {
            l.list[at++] =
                l.start[i] + place + (as_b ? chain_length(r, carried_side(b, s, i, false)) : 0);
        });
    });
}

template <class R> TN_DEVICE void factor_robots(const Block &block, const Worlds &b, World<R> &s)
{
    const Robots &r = b.robots;
    if (!r.count || s.bad) return;
    place_robots(block, b, s);
    block.each(r.dof_count, [&](int d) { start_dof(b, s, d); });
    block.each(r.link_count, [&](int c) { sum_sides(b, s, c); });
    block.each(r.dof_count, [&](int d) { fill_dof(b, s, d); });
    for (int k = 0; k < r.count; k++) {
        const Robot &robot = r.robots[k];
        int n = robot.dofs, columns = (n + 3) / 4 * 4;
        double *H = s.robot.H + robot.matrix;
        const double *A = s.robot.trees[k].A;
        R *inverse = s.fast_robot.H_inverse + robot.fast_matrix,
          *A_H = s.fast_robot.A_H + robot.fast_matrix;
        invert_in_place(block, H, n);
        block.each(n * columns, [&](int at) {
            int j = at / n, i = at - j * n, to = matrix_place(n, i, j);
            double sum = 0.0;
            for (int m = 0; j < n && m < n; m++) sum += A[i * n + m] * H[m * n + j];
            inverse[to] = j < n ? (R)H[j * n + i] : (R)0;
            A_H[to] = (R)sum;
        });
    }
}

/* ---- the judge ---- */

/* v_λ of robots and of their links, in double. */
template <class R>
TN_DEVICE void robots_end_velocity(const Block &block, const Worlds &b, World<R> &s)
{
    const Robots &r = b.robots;
    if (!r.count || s.bad) return;
    block.each(r.link_count, [&](int c) {
        int body = r.first_body + c;
        double arm[3], m[3], *F = s.robot.f[c];
        const double zero[3] = {0.0, 0.0, 0.0};
        s.pushed[body] = sum_forces(s.sides + s.side_start[body], s.sides + s.side_start[body + 1],
                                    s.lambda, s.points, F);
        arm_from_origin(b, s, c, zero, arm);
        v3_cross(m, arm, F);
        v3_add(F + 3, F + 3, m);
    });
    block.each(r.dof_count, [&](int d) {
        double sum = 0.0;
        for (int i = r.behind_start[d]; i < r.behind_start[d + 1]; i++)
            for (int k = 0; k < 6; k++) sum += s.robot.S[d][k] * s.robot.f[r.behind[i]][k];
        for (int i = r.dof_row[d]; i < r.dof_row_end[d]; i++) {
            int k = d - r.rows[i].dof;
            if (k >= 0 && k < r.rows[i].count)
                sum += s.robot.row_axis[3 * i + k] * (double)s.fast_robot.row_lambda[i];
        }
        s.robot.tau[d] = sum;
    });
    block.each(r.dof_count, [&](int d) {
        const Robot &robot = r.robots[r.dof_robot[d]];
        int own = d - robot.dof, n = robot.dofs;
        const double *row = s.robot.A_inverse + robot.matrix + own * n;
        double sum = s.robot.trees[r.dof_robot[d]].v_free[own];
        for (int j = 0; j < n; j++) sum += row[j] * s.robot.tau[robot.dof + j];
        s.robot.v_hat[d] = sum;
    });
    block.each(r.link_count, [&](int c) {
        double T[6] = {0.0}, arm[3], turn[3], *out = s.v_end + 6 * (r.first_body + c);
        const double zero[3] = {0.0, 0.0, 0.0};
        for (int i = r.chain_start[c]; i < r.chain_start[c + 1]; i++)
            for (int k = 0; k < 6; k++)
                T[k] += s.robot.S[r.chain[i]][k] * s.robot.v_hat[r.chain[i]];
        arm_from_origin(b, s, c, zero, arm);
        v3_cross(turn, T + 3, arm);
        for (int k = 0; k < 3; k++) out[k] = T[k] + turn[k], out[k + 3] = T[k + 3];
    });
}

template <class R> TN_DEVICE void judge_row(const Worlds &b, World<R> &s, int r)
{
    double map = row_map(b, s, r);
    if (!(map < INFINITY)) s.bad = true;
    atomic_max(&s.worst, double_bits(map));
    atomic_max(&s.worst_rigid, double_bits(map));
}

/* ---- the end of a step ---- */

TN_DEVICE inline void advance_robot(const Worlds &b, WorldBase &s, int k)
{
    const Robot &robot = b.robots.robots[k];
    const TnSubsystem *sub = part_of(s, robot);
    tn_tree_advance(s.dynamics, sub, &s.robot.trees[k], s.robot.v_hat + robot.dof,
                    s.robot.blend[robot.subsystem], 1.0, s.next_qpos, s.next_qvel);
    for (int i = sub->qpos_start; i < sub->qpos_start + sub->qpos_count; i++)
        if (!(fabs(s.next_qpos[i]) <= 1e10)) s.bad = true;
    for (int i = sub->dof_start; i < sub->dof_start + sub->dof_count; i++)
        if (!(fabs(s.next_qvel[i]) <= 1e10)) s.bad = true;
}

/* What the next step begins with. */
template <class R> TN_DEVICE void keep_robots(const Block &block, const Worlds &b, World<R> &s)
{
    const Robots &r = b.robots;
    if (!r.count) return;
    size_t w = (size_t)s.index;
    block.each(r.dof_count, [&](int d) {
        const Robot &robot = r.robots[r.dof_robot[d]];
        size_t dof = (size_t)(robot.model_dof + d - robot.dof);
        r.vhat[w * (size_t)b.dof_count + dof] = s.robot.v_hat[d];
    });
    block.each(r.row_count, [&](int i) {
        r.old_row[w * (size_t)r.row_count + (size_t)i] = (double)s.fast_robot.row_lambda[i];
    });
    block.each(r.count, [&](int k) {
        int pushed = 0;
        for (int c = r.robots[k].link; c < r.robots[k].link + r.robots[k].links; c++)
            pushed |= s.pushed[r.first_body + c];
        r.pushed[w * (size_t)r.count + (size_t)k] = (uint8_t)pushed;
    });
}

/* A world's robots with a new state; ctrl: NULL: as it is. */
TN_DEVICE inline void reset_robots(const Worlds &b, size_t w, const double *qvel,
                                   const double *ctrl)
{
    const Robots &r = b.robots;
    for (int k = 0; r.count && k < b.dof_count; k++)
        r.vhat[w * (size_t)b.dof_count + (size_t)k] = qvel[k];
    for (int k = 0; k < r.row_count; k++) r.old_row[w * (size_t)r.row_count + (size_t)k] = 0.0;
    for (int k = 0; k < r.count; k++) r.pushed[w * (size_t)r.count + (size_t)k] = 0;
    for (int k = 0; ctrl && k < r.actuator_count; k++)
        r.ctrl[w * (size_t)r.actuator_count + (size_t)k] = ctrl[k];
}

} // namespace tn
#endif
