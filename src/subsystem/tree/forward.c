/* forward.c: frames and motion axes of a tree at some q, from the root to the leaves.
 *
 * Most robots have one hinge or slide per link. Then rotation matrices do: with B the link's
 * reference axes and a the joint's own, R = B rot(a, angle), and a unit vector along x, y or z only
 * mixes two columns of B. */
#include "tree.h"

static const TnLinkFrame world_frame = {.quat = {1.0, 0.0, 0.0, 0.0},
                                        .rot = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};

static const TnLinkFrame *parent_of(const TnTree *tree, const TnLink *link,
                                    const TnLinkFrame *frames)
{
    int p = link->parent - tree->sub->link_start;
    return p >= 0 ? &frames[p] : &world_frame;
}

/* A link with any joints. The frame tells the axes of a single one; those of several are seen on
 * the way. */
static void place_link(const TnTree *tree, int i, const double *q, TnLinkFrame *frames,
                       double (*S)[6])
{
    const TnLink *link = &tree->links[i];
    const TnLinkFrame *parent = parent_of(tree, link, frames);
    TnLinkWalk walk = tn_link_walk_start(link, parent);
    const TnJoint *joint = &tree->model->joints[link->joint_start];
    S += link->dof_start - tree->sub->dof_start;
    for (int k = 0; k < link->joint_count; k++, joint++) {
        TnJointPlace place;
        tn_link_walk_joint(&walk, joint, q + (joint->qpos_start - tree->sub->qpos_start));
        if (link->joint_count == 1) continue;
        tn_joint_place_from_walk(&place, joint, &walk);
        tn_joint_axes(joint, &place, tree->origin, S + (joint->dof_start - link->dof_start));
    }
    tn_link_frame_from_walk(&frames[i], link, &walk);
    if (link->joint_count == 1)
        tn_link_axes(tree->model, link, parent, &frames[i], q, tree->sub->qpos_start, tree->origin,
                     S);
}

/* The axis of the body that a unit vector is along; -1: none. */
static int along_axis(const double a[3])
{
    for (int k = 0; k < 3; k++)
        if (fabs(a[k]) == 1.0) return k;
    return -1;
}

/* R = B rot(a, angle), a along axis k of the body, or k < 0 */
static void turn(double R[9], const double B[9], const double a[3], int k, double angle)
{
    double s, c;
    tn_sine_cosine(angle, &s, &c);
    if (k >= 0) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        s *= a[k];
        for (int r = 0; r < 9; r += 3) {
            double x = B[r + i], y = B[r + j];
            R[r + i] = c * x + s * y;
            R[r + j] = c * y - s * x;
            R[r + k] = B[r + k];
        }
        return;
    }
    double h = sin(0.5 * angle), v = 2.0 * h * h; /* 1 - cos */
    const double T[9] = {
        c + v * a[0] * a[0],        v * a[0] * a[1] - s * a[2], v * a[0] * a[2] + s * a[1],
        v * a[1] * a[0] + s * a[2], c + v * a[1] * a[1],        v * a[1] * a[2] - s * a[0],
        v * a[2] * a[0] - s * a[1], v * a[2] * a[1] + s * a[0], c + v * a[2] * a[2]};
    m3_mul(R, B, T);
}

/* A link with one hinge or slide. */
static void place_simple(const TnTree *tree, const TnLink *link, const TnJoint *joint, double q,
                         const TnLinkFrame *parent, TnLinkFrame *frame, double S[6])
{
    double B[9], anchor[3], arm[3], axis[3];
    if (link->ref_quat[0] == 1.0) /* not turned against its parent */
        memcpy(B, parent->rot, sizeof B);
    else
        m3_mul(B, parent->rot, link->ref_rot);
    m3_mul_v(frame->pos, parent->rot, link->ref_pos);
    v3_add(frame->pos, frame->pos, parent->pos);
    int along = along_axis(joint->axis);
    if (along >= 0)
        for (int k = 0; k < 3; k++) axis[k] = joint->axis[along] * B[3 * k + along];
    else
        m3_mul_v(axis, B, joint->axis);
    if (joint->type == TN_JOINT_SLIDE) {
        v3_add_scaled(frame->pos, axis, q - joint->ref);
        memcpy(frame->rot, B, sizeof B);
        v3_copy(S, axis);
        v3_zero(S + 3);
    } else {
        turn(frame->rot, B, joint->axis, along, q - joint->ref);
        v3_copy(anchor, frame->pos);
        if (!tn_is_zero(joint->pos)) {
            m3_mul_v(arm, B, joint->pos);
            v3_add(anchor, anchor, arm);
            m3_mul_v(arm, frame->rot, joint->pos);
            v3_sub(frame->pos, anchor, arm);
        }
        tn_turning_axis(S, axis, anchor, tree->origin);
    }
    m3_mul_v(frame->com, frame->rot, link->com);
    v3_add(frame->com, frame->com, frame->pos);
}

static bool is_simple(const TnTree *tree, const TnLink *link)
{
    TnJointType type = tree->model->joints[link->joint_start].type;
    return link->joint_count == 1 && (type == TN_JOINT_HINGE || type == TN_JOINT_SLIDE);
}

/* Quaternions of frames are not used: all but the root are simple. */
static bool all_simple(const TnTree *tree)
{
    for (int i = 1; i < tree->link_count; i++)
        if (!is_simple(tree, &tree->links[i])) return false;
    return true;
}

void tn_tree_forward(const TnTree *tree, const double *q, TnLinkFrame *frames, double (*S)[6])
{
    bool simple = all_simple(tree);
    for (int i = 0; i < tree->link_count; i++) {
        const TnLink *link = &tree->links[i];
        const TnJoint *joint = &tree->model->joints[link->joint_start];
        if (!simple || !is_simple(tree, link))
            place_link(tree, i, q, frames, S);
        else
            place_simple(tree, link, joint, q[joint->qpos_start - tree->sub->qpos_start],
                         parent_of(tree, link, frames), &frames[i],
                         S[link->dof_start - tree->sub->dof_start]);
    }
}
