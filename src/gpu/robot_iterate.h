/* robot_iterate.h: robots in SubADMM (docs/solver.md), as free bodies, v less v_free:
 *
 *     v ← H⁻¹ (g + 2F),   g ← g + α (F - A v),   F = Jᵀλ.
 *
 * H⁻¹ and A H⁻¹ are dense, so that both products start from the same g + 2F. */
#ifndef TN_GPU_ROBOT_ITERATE_H
#define TN_GPU_ROBOT_ITERATE_H

#include "batch_data.h"

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

/* The wrench of a link's contacts, about O. */
template <class R> TN_DEVICE inline void sum_wrench(const Fast<R> &s, int first_body, int c)
{
    typedef typename Vec4<R>::type V;
    int body = first_body + c;
    R F[6] = {0}, *out = s.fast_robot.wrench + 6 * c;
    const R *arm = s.fast_robot.arm + 3 * c;
    for (int i = s.side_start[body], end = s.side_start[body + 1]; i < end; i++) {
        int side = s.sides[i], at = side >> 1;
        add_wrench<R>(side & 1 ? s.arm_b[at] : s.arm_a[at], s.lambda[at], side & 1, F);
    }
    R moment[6] = {0, 0, 0, F[3], F[4], F[5]};
    add_wrench<R>(V{arm[0], arm[1], arm[2], 0}, V{F[0], F[1], F[2], 0}, true, moment);
    for (int k = 0; k < 6; k++) out[k] = moment[k];
}

/* F of a dof, and g + 2F. */
template <class R> TN_DEVICE inline void sum_force(const RobotFast<R> &f, int d)
{
    DofPlace at = f.dofs[d];
    R S[6], sum = 0;
    for (int k = 0; k < 6; k++) S[k] = f.S[6 * d + k];
    each_bit(f.behind[d], [&](int c) {
        const R *F = f.wrench + 6 * c;
        for (int k = 0; k < 6; k++) sum += S[k] * F[k];
    });
    for (int i = at.row; i < at.row_end; i++) {
        int k = d - f.rows[i].dof;
        if (k >= 0 && k < f.rows[i].count) sum += f.row_axis[3 * i + k] * f.row_lambda[i];
    }
    f.force[d] = sum;
    f.x[d] = f.g[d] + 2 * sum;
}

template <class R> TN_DEVICE inline void update_dof(const RobotFast<R> &f, int d, R alpha)
{
    DofPlace at = f.dofs[d];
    int own = at.matrix + d - at.first, n = at.n;
    const R *x = f.x + at.first;
    R v = 0, Av = 0;
    for (int j = 0; j < n; j++, own += n) {
        v += f.H_inverse[own] * x[j];
        Av += f.A_H[own] * x[j];
    }
    f.rate[d] = v;
    f.g[d] += alpha * (f.force[d] - Av);
}

/* The twist of a link. */
template <class R> TN_DEVICE inline void spread(const Fast<R> &s, int first_body, int c)
{
    typedef typename Vec4<R>::type V;
    const RobotFast<R> &f = s.fast_robot;
    R T[6] = {0};
    const R *arm = f.arm + 3 * c;
    each_bit(f.chain[c], [&](int d) {
        for (int k = 0; k < 6; k++) T[k] += f.S[6 * d + k] * f.rate[d];
    });
    s.v[first_body + c] = velocity_at<R>(V{T[0], T[1], T[2], 0}, V{T[3], T[4], T[5], 0},
                                         V{arm[0], arm[1], arm[2], 0});
    s.spin[first_body + c] = V{T[3], T[4], T[5], 0};
}

/* Four phases, of which each needs what the one before it found. */
template <class R>
TN_DEVICE inline void update_robots(const Block &block, const Worlds &b, const Fast<R> &s, R alpha)
{
    const RobotFast<R> &f = s.fast_robot;
    int first = b.robots.first_body, touched = f.touched[0], dofs = b.robots.dof_count;
    block.each(touched, [&](int k) { sum_wrench<R>(s, first, f.touched[k + 1]); });
    block.each(dofs, [&](int d) { sum_force<R>(f, d); });
    block.each(dofs, [&](int d) { update_dof<R>(f, d, alpha); });
    block.each(touched, [&](int k) { spread<R>(s, first, f.touched[k + 1]); });
}

} // namespace tn
#endif
