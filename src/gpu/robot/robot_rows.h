/* robot_rows.h: limits and dry friction of joints as scalar rows J v̂ + e, as constraint/rows.c
 * writes them: a limit has λ >= 0, friction -f <= λ <= f. */
#ifndef TN_GPU_ROBOT_ROWS_H
#define TN_GPU_ROBOT_ROWS_H

#include "robot_assemble.h"

namespace tn
{

/* Of a limit: the gap, its rate at the start and at the end of the free motion. */
struct LimitState {
    double gap, v, v_end, range;
};

/* The axis of a ball's limit in the middle of the predicted motion, and what that makes of v. */
TN_DEVICE inline void turn_limit_axis(const Worlds &b, const WorldBase &s, const TnJoint *joint,
                                      double axis[3], LimitState *limit)
{
    const TnDynamicsInput *in = s.dynamics;
    const double *v = in->qvel + joint->dof_start;
    double half[3], quat[4];
    tn_predict_velocity(3, v, in->last + joint->dof_start, half);
    v3_scale(half, half, 0.5 * s.t);
    quat_copy(quat, in->qpos + joint->qpos_start);
    quat_cayley_body(quat, half);
    quat_to_rotvec(axis, quat);
    v3_normalize(axis);
    v3_scale(axis, axis, -1.0);
    limit->v = 2.0 * b.theta * limit->v - (2.0 * b.theta - 1.0) * v3_dot(axis, v);
}

TN_DEVICE inline LimitState limit_at(const Worlds &b, const WorldBase &s, const RobotRow &row,
                                     double axis[3])
{
    const TnJoint *joint = &s.model->joints[row.joint];
    const double *q = s.dynamics->qpos + joint->qpos_start,
                 *v = s.dynamics->qvel + joint->dof_start,
                 *end = s.robot.end_qvel + joint->dof_start;
    LimitState out{};
    if (joint->type == TN_JOINT_BALL) {
        quat_to_rotvec(axis, q);
        double angle = v3_normalize(axis);
        v3_scale(axis, axis, -1.0);
        out.gap = joint->range[1] - angle;
        out.v = v3_dot(axis, v);
        out.v_end = v3_dot(axis, end);
        out.range = joint->range[1];
        return out;
    }
    axis[0] = row.kind ? -1.0 : 1.0;
    out.gap = row.kind ? joint->range[1] - q[0] : q[0] - joint->range[0];
    out.v = axis[0] * v[0];
    out.v_end = axis[0] * end[0];
    out.range = joint->range[1] - joint->range[0];
    (void)b;
    return out;
}

/* e of a limit; false: it is far away. None that holds rests (TnUnilateral.slow is 0): a robot
 * moves by v⁺ then, for by v̂ it would gain what the CPU's balance takes off. */
TN_DEVICE inline bool write_limit(const Worlds &b, WorldBase &s, const RobotRow &row, int r,
                                  double axis[3])
{
    const TnJoint *joint = &s.model->joints[row.joint];
    LimitState limit = limit_at(b, s, row, axis);
    double least = limit.v < limit.v_end ? limit.v : limit.v_end, lever = s.robot.row_lever[r];
    if (!(limit.gap < TN_LIMIT_SPARE * limit.range + (least < 0.0 ? -s.t * least : 0.0)))
        return false;
    if (joint->type == TN_JOINT_BALL) turn_limit_axis(b, s, joint, axis, &limit);
    TnUnilateral u{};
    u.gap = limit.gap;
    u.v = u.approach = limit.v;
    u.v_free_end = limit.v_end;
    u.t = s.t;
    u.theta = b.theta;
    u.stabilization = b.stabilization;
    u.gravity = v3_norm(s.model->option.gravity) / lever;
    u.leave = TN_ERRORS * b.tolerance * s.gravity_size * s.t * s.t / lever;
    u.size = s.model->links[b.robots.robots[row.robot].model_link].lever / lever;
    TnUnilateralLaw law = tn_unilateral_law(&u);
    s.robot.row_e[r] = law.e_normal;
    s.robot.row_rests[r] = law.resting;
    return true;
}

/* A row as the iteration reads it; its force is that of the last step, or as it is (`again`). */
template <class R> TN_DEVICE void write_row(const Worlds &b, World<R> &s, int r, bool again)
{
    const RobotRow &row = b.robots.rows[r];
    const Robot &robot = b.robots.robots[row.robot];
    const TnJoint *joint = &s.model->joints[row.joint];
    const RobotFast<R> &f = s.fast_robot;
    double *axis = s.robot.row_axis + 3 * r, D = 0.0, total = 0.0, friction = joint->friction_loss;
    axis[0] = 1.0, axis[1] = axis[2] = 0.0;
    s.robot.row_lever[r] =
        tn_dof_turns(s.model, joint->dof_start) ? s.model->links[joint->link].lever : 1.0;
    bool there = row.kind == 2 || write_limit(b, s, row, r, axis);
    int first = row.dof - robot.dof, n = robot.dofs;
    const double *inverse = s.robot.A_inverse + robot.matrix;
    for (int i = 0; there && i < row.count; i++)
        for (int j = 0; j < row.count; j++)
            D += axis[i] * axis[j] * inverse[(first + i) * n + first + j];
    if (row.kind == 2) s.robot.row_e[r] = -(1.0 - b.theta) * s.dynamics->qvel[joint->dof_start];
    s.robot.row_D[r] = D;
    if (D > 0.0) {
        total = s.robot.row_e[r];
        for (int i = 0; i < row.count; i++)
            total += axis[i] * s.robot.trees[row.robot].v_free[first + i];
    }
    f.row_total[r] = (R)total;
    f.row_weight[r] = D > 0.0 ? (R)(b.weight_scale / D) : (R)0;
    f.row_low[r] = D > 0.0 && row.kind == 2 ? (R)-friction : (R)0;
    f.row_high[r] = !(D > 0.0) ? (R)0 : row.kind == 2 ? (R)friction : (R)INFINITY;
    for (int i = 0; i < 3; i++) f.row_axis[3 * r + i] = (R)axis[i];
    if (!again || !(D > 0.0)) {
        double last = b.robots.old_row[(size_t)s.index * (size_t)b.robots.row_count + (size_t)r];
        f.row_lambda[r] = D > 0.0 ? (R)(b.warm_start * last) : (R)0;
    }
    f.row_trial[r] = f.row_lambda[r];
}

/* Squared natural map of a row at v_λ, in m/s. */
template <class R> TN_DEVICE double row_map(const Worlds &b, const World<R> &s, int r)
{
    const RobotRow &row = b.robots.rows[r];
    const RobotFast<R> &f = s.fast_robot;
    double D = s.robot.row_D[r], u = s.robot.row_e[r], l = f.row_lambda[r];
    if (!(D > 0.0)) return 0.0;
    for (int i = 0; i < row.count; i++)
        u += s.robot.row_axis[3 * r + i] * s.robot.v_hat[row.dof + i];
    double t = l - u / D, low = f.row_low[r], high = f.row_high[r];
    t = t < low ? low : t > high ? high : t;
    double map = s.robot.row_lever[r] * D * (l - t);
    return map * map;
}

} // namespace tn
#endif
