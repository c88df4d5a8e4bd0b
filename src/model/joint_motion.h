/* joint_motion.h: the joints of one link in space. For compile and subsystem/.
 *
 * A link starts at its reference pose in its parent and its joints move it in their order. Joint k
 * sees the frame that the joints before it left: it turns about (or slides along) axes fixed in
 * that frame and leaves its anchor where it is. */
#ifndef TN_MODEL_JOINT_MOTION_H
#define TN_MODEL_JOINT_MOTION_H

#include "../base/base.h"
#include "../math/vec3.h"
#include "frame.h"
#include "model.h"

/* A link's body frame while its joints are applied one by one. */
typedef struct TnLinkWalk {
    double pos[3], quat[4];
} TnLinkWalk;

/* Where one joint acts: a point that it does not move, and the axes of the body right behind it. */
typedef struct TnJointPlace {
    double anchor[3];
    double rot[9];
} TnJointPlace;

static inline int tn_joint_dofs(TnJointType type)
{
    return type == TN_JOINT_FREE ? 6 : type == TN_JOINT_BALL ? 3 : 1;
}

/* r = unit quaternion from four numbers of qpos, which need not be normalized. */
static inline void tn_unit_quat(double r[4], const double q[4])
{
    quat_copy(r, q);
    quat_normalize(r);
}

/* Rotation vector from the reference orientation, in body axes. */
static inline void tn_rotation_from(const double reference[4], const double quat[4], double r[3])
{
    double unit[4], back[4];
    tn_unit_quat(back, reference);
    quat_conjugate(back, back);
    tn_unit_quat(unit, quat);
    quat_mul(unit, back, unit);
    quat_to_rotvec(r, unit);
}

/* How far a joint's spring is stretched in each dof; q points to the joint's own entries of qpos.
 */
static inline void tn_joint_stretch(const TnModel *model, const TnJoint *joint, const double *q,
                                    double stretch[6])
{
    const double *reference = model->qpos0 + joint->qpos_start;
    switch (joint->type) {
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        stretch[0] = q[0] - joint->spring_ref;
        break;
    case TN_JOINT_BALL:
        tn_rotation_from(reference, q, stretch);
        break;
    case TN_JOINT_FREE:
        v3_sub(stretch, q, reference);
        tn_rotation_from(reference + 3, q + 3, stretch + 3);
        break;
    }
}

/* The link's body frame in its reference pose on `parent`. */
static inline TnLinkWalk tn_link_walk_start(const TnLink *link, const TnLinkFrame *parent)
{
    TnLinkWalk walk;
    m3_mul_v(walk.pos, parent->rot, link->ref_pos);
    v3_add(walk.pos, walk.pos, parent->pos);
    quat_mul(walk.quat, parent->quat, link->ref_quat);
    return walk;
}

static inline bool tn_is_zero(const double x[3])
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

/* Moves the frame by one joint; q points to the joint's own entries of qpos. */
static inline void tn_link_walk_joint(TnLinkWalk *walk, const TnJoint *joint, const double *q)
{
    if (joint->type == TN_JOINT_FREE) {
        v3_copy(walk->pos, q);
        tn_unit_quat(walk->quat, q + 3);
        return;
    }
    if (joint->type == TN_JOINT_SLIDE) {
        double axis[3];
        quat_rotate(axis, walk->quat, joint->axis);
        v3_add_scaled(walk->pos, axis, q[0] - joint->ref);
        return;
    }
    double turn[4], arm[3];
    if (joint->type == TN_JOINT_BALL)
        tn_unit_quat(turn, q);
    else
        quat_from_axis_angle(turn, joint->axis, q[0] - joint->ref);
    if (tn_is_zero(joint->pos)) { /* it turns about the body's origin */
        quat_mul(walk->quat, walk->quat, turn);
        return;
    }
    quat_rotate(arm, walk->quat, joint->pos);
    v3_add(walk->pos, walk->pos, arm);
    quat_mul(walk->quat, walk->quat, turn);
    quat_rotate(arm, walk->quat, joint->pos);
    v3_sub(walk->pos, walk->pos, arm);
}

/* Of a product of unit quaternions: one step of Newton's method for 1/|q| is exact. */
static inline void tn_quat_tidy(double q[4])
{
    double off = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0;
    if (!(fabs(off) < 1e-8)) {
        quat_normalize(q);
        return;
    }
    for (int i = 0; i < 4; i++) q[i] -= 0.5 * off * q[i];
}

static inline void tn_link_frame_from_walk(TnLinkFrame *frame, const TnLink *link,
                                           const TnLinkWalk *walk)
{
    v3_copy(frame->pos, walk->pos);
    quat_copy(frame->quat, walk->quat);
    tn_quat_tidy(frame->quat);
    quat_to_m3(frame->rot, frame->quat);
    m3_mul_v(frame->com, frame->rot, link->com);
    v3_add(frame->com, frame->com, frame->pos);
}

/* The joint's place from the frame that it left behind. */
static inline void tn_joint_place(TnJointPlace *place, const TnJoint *joint, const double pos[3],
                                  const double rot[9])
{
    memcpy(place->rot, rot, sizeof place->rot);
    if (joint->type == TN_JOINT_FREE) {
        v3_copy(place->anchor, pos);
        return;
    }
    m3_mul_v(place->anchor, rot, joint->pos);
    v3_add(place->anchor, place->anchor, pos);
}

static inline void tn_joint_place_from_walk(TnJointPlace *place, const TnJoint *joint,
                                            const TnLinkWalk *walk)
{
    double quat[4], rot[9];
    quat_copy(quat, walk->quat);
    quat_normalize(quat);
    quat_to_m3(rot, quat);
    tn_joint_place(place, joint, walk->pos, rot);
}

/* One column of motion axes: turning about `axis` through `anchor`, seen at `origin`. */
static inline void tn_turning_axis(double S[6], const double axis[3], const double anchor[3],
                                   const double origin[3])
{
    double arm[3];
    v3_sub(arm, origin, anchor);
    v3_cross(S, axis, arm);
    v3_copy(S + 3, axis);
}

/* Motion axes of a joint's dofs: (linear velocity at origin, angular velocity) per unit of each. */
static inline void tn_joint_axes(const TnJoint *joint, const TnJointPlace *place,
                                 const double origin[3], double (*S)[6])
{
    double axis[3];
    switch (joint->type) {
    case TN_JOINT_SLIDE:
        m3_mul_v(S[0], place->rot, joint->axis);
        v3_zero(S[0] + 3);
        return;
    case TN_JOINT_HINGE:
        m3_mul_v(axis, place->rot, joint->axis);
        tn_turning_axis(S[0], axis, place->anchor, origin);
        return;
    case TN_JOINT_FREE:
        memset(S, 0, 3 * sizeof *S);
        for (int k = 0; k < 3; k++) S[k][k] = 1.0;
        S += 3;
        break;
    case TN_JOINT_BALL:
        break;
    }
    for (int k = 0; k < 3; k++) {
        m3_column(axis, place->rot, k);
        tn_turning_axis(S[k], axis, place->anchor, origin);
    }
}

/* Motion axes of all dofs of a link into S (index from the link's first dof). With one joint the
 * frame tells all; with several the walk from the parent is repeated. qpos[0] is entry qpos_base of
 * the model's qpos. */
static inline void tn_link_axes(const TnModel *model, const TnLink *link, const TnLinkFrame *parent,
                                const TnLinkFrame *frame, const double *qpos, int qpos_base,
                                const double origin[3], double (*S)[6])
{
    TnJointPlace place;
    const TnJoint *joint = &model->joints[link->joint_start];
    if (link->joint_count == 1) {
        tn_joint_place(&place, joint, frame->pos, frame->rot);
        tn_joint_axes(joint, &place, origin, S);
        return;
    }
    TnLinkWalk walk = tn_link_walk_start(link, parent);
    for (int k = 0; k < link->joint_count; k++, joint++) {
        tn_link_walk_joint(&walk, joint, qpos + (joint->qpos_start - qpos_base));
        tn_joint_place_from_walk(&place, joint, &walk);
        tn_joint_axes(joint, &place, origin, S + (joint->dof_start - link->dof_start));
    }
}

#endif
