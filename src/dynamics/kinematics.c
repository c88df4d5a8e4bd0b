/* kinematics.c: from joint coordinates to frames and twists.
 *
 * Frames run from the root to the leaves: reference pose on the parent, then the link's joints in
 * order (joint_motion.h). Velocities add up along the same way; a link's twist is kept as (linear
 * at its com, angular) in world axes. */
#include "dynamics.h"

#include "joint_motion.h"

static void world_frame(TnLinkFrame *frame)
{
    *frame = (TnLinkFrame){.quat = {1.0, 0.0, 0.0, 0.0},
                           .rot = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

void tn_kinematics(const TnModel *model, const double *qpos, int link_start, int link_count,
                   TnLinkFrame *frames)
{
    if (link_start == 0) world_frame(&frames[0]);
    for (int i = link_start; i < link_start + link_count; i++) {
        if (i == 0) continue;
        const TnLink *link = &model->links[i];
        const TnJoint *joint = &model->joints[link->joint_start];
        TnLinkWalk walk = {{0}, {0}}; /* a free joint says it all */
        if (joint->type != TN_JOINT_FREE) walk = tn_link_walk_start(link, &frames[link->parent]);
        for (int k = 0; k < link->joint_count; k++, joint++)
            tn_link_walk_joint(&walk, joint, qpos + joint->qpos_start);
        tn_link_frame_from_walk(&frames[i], link, &walk);
    }
}

/* Adds the motion of a link's only joint, a hinge or a slide, to its twist. */
static inline void add_simple_motion(const TnJoint *joint, const TnLinkFrame *frame, double rate,
                                     double twist[6])
{
    double axis[3], arm[3], S[3];
    m3_mul_v(axis, frame->rot, joint->axis);
    if (joint->type == TN_JOINT_SLIDE) {
        v3_add_scaled(twist, axis, rate);
        return;
    }
    m3_mul_v(arm, frame->rot, joint->pos);
    v3_add(arm, arm, frame->pos);
    v3_sub(arm, frame->com, arm);
    v3_cross(S, axis, arm);
    v3_add_scaled(twist, S, rate);
    v3_add_scaled(twist + 3, axis, rate);
}

/* Adds the motion of one joint to a twist at `point`. */
static void add_joint_motion(const TnJoint *joint, const TnJointPlace *place, const double *rates,
                             const double point[3], double twist[6])
{
    double S[6][6];
    tn_joint_axes(joint, place, point, S);
    for (int d = 0; d < tn_joint_dofs(joint->type); d++)
        for (int r = 0; r < 6; r++) twist[r] += S[d][r] * rates[d];
}

void tn_kinematics_twists(const TnModel *model, const double *qpos, const double *qvel,
                          const TnLinkFrame *frames, int link_start, int link_count,
                          double (*twists)[6])
{
    if (link_start == 0) memset(twists[0], 0, sizeof twists[0]);
    for (int i = link_start; i < link_start + link_count; i++) {
        if (i == 0) continue;
        const TnLink *link = &model->links[i];
        const TnLinkFrame *frame = &frames[i], *parent = &frames[link->parent];
        const double *carried = twists[link->parent];
        const TnJoint *joint = &model->joints[link->joint_start];
        double twist[6], arm[3];
        if (joint->type == TN_JOINT_FREE) { /* on the world, and the link's only joint */
            v3_sub(arm, frame->com, frame->pos);
            m3_mul_v(twists[i] + 3, frame->rot, qvel + joint->dof_start + 3);
            v3_cross(twists[i], twists[i] + 3, arm);
            v3_add(twists[i], twists[i], qvel + joint->dof_start);
            continue;
        }
        memcpy(twist, carried, sizeof twist);
        v3_sub(arm, frame->com, parent->com);
        v3_cross(arm, carried + 3, arm);
        v3_add(twist, twist, arm);
        TnJointPlace place;
        if (link->joint_count == 1 && joint->type != TN_JOINT_BALL) {
            add_simple_motion(joint, frame, qvel[joint->dof_start], twist);
        } else if (link->joint_count == 1) {
            tn_joint_place(&place, joint, frame->pos, frame->rot);
            add_joint_motion(joint, &place, qvel + joint->dof_start, frame->com, twist);
        } else {
            TnLinkWalk walk = tn_link_walk_start(link, parent);
            for (int k = 0; k < link->joint_count; k++, joint++) {
                tn_link_walk_joint(&walk, joint, qpos + joint->qpos_start);
                tn_joint_place_from_walk(&place, joint, &walk);
                add_joint_motion(joint, &place, qvel + joint->dof_start, frame->com, twist);
            }
        }
        memcpy(twists[i], twist, sizeof twist);
    }
}

void tn_body_pose(const TnModel *model, const TnLinkFrame *frames, int body, double pos[3],
                  double quat[4])
{
    const TnBody *b = &model->bodies[body];
    const TnLinkFrame *frame = &frames[b->link];
    m3_mul_v(pos, frame->rot, b->link_pos);
    v3_add(pos, pos, frame->pos);
    quat_mul(quat, frame->quat, b->link_quat);
}
