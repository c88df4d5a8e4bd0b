/* advance.c: moving along a velocity, q ⊕ h v, and the end of a step,
 *     v⁺ = v + (v̂ - v)/θ,   q⁺ = q ⊕ t((1-w) v̂ + w v⁺),
 * or, of a tree whose free motion was found in smaller steps, from where that ended: the rest of
 * the displacement is what constraints made. Hinges and slides add; ball and free joints turn by
 * the Cayley map of their body-axes velocity, which is a rotation for any velocity and second
 * order. */
#include "tree.h"

#include "../../model/thresholds.h"

/* One joint from q to out (its own entries; they may be the same) by a displacement in velocity
 * coordinates. */
static void move_joint(const TnJoint *joint, const double *q, const double *displacement,
                       double *out)
{
    double quat[4];
    switch (joint->type) {
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        out[0] = q[0] + displacement[0];
        return;
    case TN_JOINT_FREE:
        v3_add(out, q, displacement);
        q += 3;
        out += 3;
        displacement += 3;
        break;
    case TN_JOINT_BALL:
        break;
    }
    tn_unit_quat(quat, q);
    quat_cayley_body(quat, displacement);
    quat_copy(out, quat);
}

static const TnJoint *joints_of(const TnModel *model, const TnSubsystem *sub, int *count)
{
    const TnLink *first = &model->links[sub->link_start], *last = first + sub->link_count - 1;
    *count = last->joint_start + last->joint_count - first->joint_start;
    return &model->joints[first->joint_start];
}

void tn_tree_move(const TnModel *model, const TnSubsystem *sub, const double *q, const double *v,
                  double h, double *out)
{
    int count;
    const TnJoint *joint = joints_of(model, sub, &count);
    for (int k = 0; k < count; k++, joint++) {
        double displacement[6];
        const double *rate = v + (joint->dof_start - sub->dof_start);
        for (int d = 0; d < tn_joint_dofs(joint->type); d++) displacement[d] = h * rate[d];
        int at = joint->qpos_start - sub->qpos_start;
        move_joint(joint, q + at, displacement, out + at);
    }
}

void tn_integrate_qpos(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                       const double *qvel, double h, double *out)
{
    tn_tree_move(model, sub, qpos + sub->qpos_start, qvel + sub->dof_start, h,
                 out + sub->qpos_start);
}

static bool is_near_free(const TnDynamicsInput *in, const TnSubsystem *sub,
                         const TnTreeSystem *system, const double *vhat)
{
    const TnModel *model = in->model;
    for (int d = 0; d < sub->dof_count; d++) {
        int dof = sub->dof_start + d;
        const TnJoint *joint = &model->joints[model->dof_joint[dof]];
        double way = in->t * fabs(vhat[d] - system->v_free[d]);
        if (!tn_dof_turns(model, dof)) way /= model->links[joint->link].lever;
        if (!(way < TN_STRAIGHT)) return false;
    }
    return true;
}

void tn_tree_advance(const TnDynamicsInput *in, const TnSubsystem *sub, const TnTreeSystem *system,
                     const double *vhat, double w, double reach, double *qpos, double *qvel)
{
    int count;
    const TnJoint *joint = joints_of(in->model, sub, &count);
    bool fine = system->free_end && reach == 1.0 && is_near_free(in, sub, system, vhat);
    for (int k = 0; k < count; k++, joint++) {
        double displacement[6], end[6];
        const double *v = in->qvel + joint->dof_start,
                     *mid = vhat + (joint->dof_start - sub->dof_start);
        int dofs = tn_joint_dofs(joint->type);
        for (int d = 0; d < dofs; d++) {
            end[d] = v[d] + (mid[d] - v[d]) / in->theta;
            displacement[d] = reach * in->t * ((1.0 - w) * mid[d] + w * end[d]);
            if (fine)
                displacement[d] -= in->t * system->v_free[joint->dof_start - sub->dof_start + d];
        }
        const double *from = fine ? system->free_end + (joint->qpos_start - sub->qpos_start)
                                  : in->qpos + joint->qpos_start;
        move_joint(joint, from, displacement, qpos + joint->qpos_start);
        memcpy(qvel + joint->dof_start, end, sizeof(double) * (size_t)dofs);
    }
}
