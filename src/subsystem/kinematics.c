/* kinematics.c: from joint coordinates to frames and twists.
 *
 * Frames run from the root to the leaves: reference pose on the parent, then the link's joints in
 * order (joint_motion.h). Velocities add up along the same way; a link's twist is kept as (linear
 * at its com, angular) in world axes. */
#include "dynamics.h"

#include "../model/joint_motion.h"

static void world_frame(TnLinkFrame *frame)
{
    *frame = (TnLinkFrame){.quat = {1.0, 0.0, 0.0, 0.0},
                           .rot = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

/* The link's frame from its parent's. places: of its joints, where they are asked for. */
static void place_link(const TnModel *model, int link, const double *qpos, TnLinkFrame *frames,
                       TnJointPlace *places)
{
    const TnLink *l = &model->links[link];
    const TnJoint *joint = &model->joints[l->joint_start];
    TnLinkWalk walk = {{0}, {0}}; /* a free joint says it all */
    if (l->joint_count == 0 || joint->type != TN_JOINT_FREE)
        walk = tn_link_walk_start(l, &frames[l->parent]);
    for (int k = 0; k < l->joint_count; k++, joint++) {
        tn_link_walk_joint(&walk, joint, qpos + joint->qpos_start);
        if (places) tn_joint_place_from_walk(&places[k], joint, &walk);
    }
    tn_link_frame_from_walk(&frames[link], l, &walk);
}

void tn_kinematics(const TnModel *model, const double *qpos, int link_start, int link_count,
                   TnLinkFrame *frames)
{
    if (link_start == 0) world_frame(&frames[0]);
    for (int i = link_start; i < link_start + link_count; i++)
        if (i > 0) place_link(model, i, qpos, frames, NULL);
}

void tn_kinematics_places(const TnModel *model, const double *qpos, const TnLinkFrame *frames,
                          int link_start, int link_count, TnJointPlace *places)
{
    for (int i = link_start; i < link_start + link_count; i++) {
        const TnLink *link = &model->links[i];
        if (link->joint_count < 2) continue;
        const TnJoint *joint = &model->joints[link->joint_start];
        TnLinkWalk walk = tn_link_walk_start(link, &frames[link->parent]);
        for (int k = 0; k < link->joint_count; k++, joint++) {
            tn_link_walk_joint(&walk, joint, qpos + joint->qpos_start);
            tn_joint_place_from_walk(&places[link->joint_start + k], joint, &walk);
        }
    }
}

/* The twist of a link with one hinge or slide from its parent's: the parent's motion at its centre
 * of mass, and the joint's. Written out, for it is done four times a step. */
static inline void simple_twist(const TnJoint *joint, const TnLinkFrame *frame,
                                const TnLinkFrame *parent, const double *carried, double rate,
                                double *out)
{
    const double *R = frame->rot, *a = joint->axis, *p = joint->pos;
    double wx = carried[3], wy = carried[4], wz = carried[5];
    double dx = frame->com[0] - parent->com[0], dy = frame->com[1] - parent->com[1],
           dz = frame->com[2] - parent->com[2];
    double vx = carried[0] + (wy * dz - wz * dy), vy = carried[1] + (wz * dx - wx * dz),
           vz = carried[2] + (wx * dy - wy * dx);
    double ax = rate * (R[0] * a[0] + R[1] * a[1] + R[2] * a[2]),
           ay = rate * (R[3] * a[0] + R[4] * a[1] + R[5] * a[2]),
           az = rate * (R[6] * a[0] + R[7] * a[1] + R[8] * a[2]);
    if (joint->type == TN_JOINT_SLIDE) {
        vx += ax, vy += ay, vz += az;
    } else {
        double rx = frame->com[0] - frame->pos[0] - (R[0] * p[0] + R[1] * p[1] + R[2] * p[2]),
               ry = frame->com[1] - frame->pos[1] - (R[3] * p[0] + R[4] * p[1] + R[5] * p[2]),
               rz = frame->com[2] - frame->pos[2] - (R[6] * p[0] + R[7] * p[1] + R[8] * p[2]);
        vx += ay * rz - az * ry;
        vy += az * rx - ax * rz;
        vz += ax * ry - ay * rx;
        wx += ax, wy += ay, wz += az;
    }
    out[0] = vx, out[1] = vy, out[2] = vz, out[3] = wx, out[4] = wy, out[5] = wz;
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

/* Of a link with any other joints. */
static void other_twist(const TnModel *model, int i, const double *qpos, const double *qvel,
                        const TnLinkFrame *frames, const TnJointPlace *places, double (*twists)[6])
{
    const TnLink *link = &model->links[i];
    const TnLinkFrame *frame = &frames[i], *parent = &frames[link->parent];
    const double *carried = twists[link->parent];
    const TnJoint *joint = &model->joints[link->joint_start];
    double twist[6], arm[3];
    if (link->joint_count == 0) { /* a mocap body */
        memset(twists[i], 0, sizeof twists[i]);
        return;
    }
    if (joint->type == TN_JOINT_FREE) { /* on the world, and the link's only joint */
        v3_sub(arm, frame->com, frame->pos);
        m3_mul_v(twists[i] + 3, frame->rot, qvel + joint->dof_start + 3);
        v3_cross(twists[i], twists[i] + 3, arm);
        v3_add(twists[i], twists[i], qvel + joint->dof_start);
        return;
    }
    memcpy(twist, carried, sizeof twist);
    v3_sub(arm, frame->com, parent->com);
    v3_cross(arm, carried + 3, arm);
    v3_add(twist, twist, arm);
    TnJointPlace place;
    if (link->joint_count == 1) {
        tn_joint_place(&place, joint, frame->pos, frame->rot);
        add_joint_motion(joint, &place, qvel + joint->dof_start, frame->com, twist);
    } else if (places) {
        for (int k = 0; k < link->joint_count; k++, joint++)
            add_joint_motion(joint, &places[k], qvel + joint->dof_start, frame->com, twist);
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

/* The twist of a link from its parent's. places: of its joints, if it has several; NULL: found from
 * qpos. */
static inline void link_twist(const TnModel *model, int i, const double *qpos, const double *qvel,
                              const TnLinkFrame *frames, const TnJointPlace *places,
                              double (*twists)[6])
{
    const TnLink *link = &model->links[i];
    const TnJoint *joint = &model->joints[link->joint_start];
    bool simple =
        link->joint_count == 1 && (joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE);
    if (simple)
        simple_twist(joint, &frames[i], &frames[link->parent], twists[link->parent],
                     qvel[joint->dof_start], twists[i]);
    else
        other_twist(model, i, qpos, qvel, frames, places, twists);
}

void tn_kinematics_twists_at(const TnModel *model, const double *qpos, const double *qvel,
                             const TnLinkFrame *frames, const TnJointPlace *places, int link_start,
                             int link_count, double (*twists)[6])
{
    if (link_start == 0) memset(twists[0], 0, sizeof twists[0]);
    for (int i = link_start; i < link_start + link_count; i++)
        if (i > 0)
            link_twist(model, i, qpos, qvel, frames,
                       places ? places + model->links[i].joint_start : NULL, twists);
}

void tn_kinematics_twists(const TnModel *model, const double *qpos, const double *qvel,
                          const TnLinkFrame *frames, int link_start, int link_count,
                          double (*twists)[6])
{
    tn_kinematics_twists_at(model, qpos, qvel, frames, NULL, link_start, link_count, twists);
}

void tn_kinematics_all(const TnModel *model, const double *qpos, const double *qvel, int link_start,
                       int link_count, TnLinkFrame *frames, double (*twists)[6])
{
    enum { FEW = 8 }; /* joints of a link */
    if (link_start == 0) {
        world_frame(&frames[0]);
        memset(twists[0], 0, sizeof twists[0]);
    }
    for (int i = link_start; i < link_start + link_count; i++) {
        TnJointPlace few[FEW];
        int joints = model->links[i].joint_count;
        TnJointPlace *places = joints > 1 && joints <= FEW ? few : NULL;
        if (i == 0) continue;
        place_link(model, i, qpos, frames, places);
        link_twist(model, i, qpos, qvel, frames, places, twists);
    }
}

void tn_mocap_frame(const double pose[7], TnLinkFrame *frame)
{
    v3_copy(frame->pos, pose);
    v3_copy(frame->com, pose);
    quat_copy(frame->quat, pose + 3);
    quat_to_m3(frame->rot, frame->quat);
}

void tn_mocap_carry(const TnLinkFrame *from, const double twist[6], double time, TnLinkFrame *to)
{
    double angle = v3_norm(twist + 3), axis[3] = {0.0}, turn[4], pose[7];
    for (int k = 0; k < 3 && angle > 0.0; k++) axis[k] = twist[3 + k] / angle;
    quat_from_axis_angle(turn, axis, time * angle);
    v3_copy(pose, from->pos);
    v3_add_scaled(pose, twist, time);
    quat_mul(pose + 3, turn, from->quat);
    quat_normalize(pose + 3);
    tn_mocap_frame(pose, to);
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
