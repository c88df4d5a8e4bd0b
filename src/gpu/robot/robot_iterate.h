/* robot_iterate.h: robots in SubADMM (docs/solver.md), as free bodies, v less v_free:
 *
 *     v ← H⁻¹ (g + 2F),   g ← g + α (F - A v),   F = Jᵀλ.
 *
 * H⁻¹ and A H⁻¹ are dense, so that both products start from the same g + 2F. */
#ifndef TN_GPU_ROBOT_ITERATE_H
#define TN_GPU_ROBOT_ITERATE_H

#include "../batch/batch_data.h"

namespace tn
{

/* t ← (1-α) t + α (λ - B u),  λ ← its nearest between the bounds */
template <class R> TN_DEVICE inline void update_row(const RobotFast<R> &f, int i, R alpha)
{
    RowPlace row = f.rows[i];
    R u = f.row_total[i];
    for (int k = 0; k < row.count; k++) u += f.row_axis[3 * i + k] * f.rate[row.dof + k];
    R t = (1 - alpha) * f.row_trial[i] + alpha * (f.row_lambda[i] - f.row_weight[i] * u),
      low = f.row_low[i], high = f.row_high[i];
    f.row_trial[i] = t;
    f.row_lambda[i] = t < low ? low : t > high ? high : t;
}

/* What the dofs of robots add to the velocity at a contact. */
template <class R>
TN_DEVICE inline void add_levers(const Levers<R> &l, const R *rate, int i,
                                 typename Vec4<R>::type &u)
{
    for (int k = l.start[i], end = l.start[i + 1]; k < end; k++) {
        typename Vec4<R>::type lever = l.lever[k];
        R v = rate[l.dof[k]];
        u.x += lever.x * v, u.y += lever.y * v, u.z += lever.z * v;
    }
}

/* F of a dof, and g + 2F. */
template <class R> TN_DEVICE inline void sum_force(const Fast<R> &s, int d)
{
    typedef typename Vec4<R>::type V;
    const RobotFast<R> &f = s.fast_robot;
    const Levers<R> &l = f.levers;
    DofPlace at = f.dofs[d];
    R sum = 0;
    for (int i = l.dof_start[d], end = l.dof_start[d + 1]; i < end; i++) {
        int k = l.list[i];
        V lever = l.lever[k], force = s.lambda[l.contact[k]];
        sum += lever.x * force.x, sum += lever.y * force.y, sum += lever.z * force.z;
    }
    for (int i = at.row; i < at.row_end; i++) {
        int k = d - f.rows[i].dof;
        if (k >= 0 && k < f.rows[i].count) sum += f.row_axis[3 * i + k] * f.row_lambda[i];
    }
    f.force[d] = sum;
    f.x[at.own_x] = f.g[d] + 2 * sum;
}

template <class R> TN_DEVICE inline void update_dof(const RobotFast<R> &f, int d, R alpha)
{
    typedef typename Vec4<R>::type V;
    DofPlace at = f.dofs[d];
    const V *x = (const V *)(f.x + at.x), *H = (const V *)(f.H_inverse + at.matrix),
            *A_H = (const V *)(f.A_H + at.matrix);
    R v = 0, Av = 0;
    for (int j = 0, row = 0; j < at.n; j += 4, row += at.n) {
        V own = x[j / 4], h = H[row], a = A_H[row];
        v += h.x * own.x, Av += a.x * own.x;
        v += h.y * own.y, Av += a.y * own.y;
        v += h.z * own.z, Av += a.z * own.z;
        v += h.w * own.w, Av += a.w * own.w;
    }
    f.rate[d] = v;
    f.g[d] += alpha * (f.force[d] - Av);
}

/* Each needs what all of the phase before it found. */
template <class R>
TN_DEVICE inline void update_robots(const Block &block, const Worlds &b, const Fast<R> &s, R alpha)
{
    block.each(b.robots.dof_count, [&](int d) { sum_force<R>(s, d); });
    block.each(b.robots.dof_count, [&](int d) { update_dof<R>(s.fast_robot, d, alpha); });
}

} // namespace tn
#endif
