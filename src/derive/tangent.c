/* tangent.c: states and their tangents: displacements of qpos in the coordinates of qvel. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "../model/joint_motion.h"
#include "../subsystem/dynamics.h"
#include "derive.h"

/* rad, body axes: the turn from q1 to q2, the shorter way round. */
static void turn(const double q1[4], const double q2[4], double out[3])
{
    double back[4], d[4];
    quat_conjugate(back, q1);
    quat_mul(d, back, q2);
    double s = v3_norm(d + 1), c = d[0];
    if (c < 0.0) {
        c = -c;
        v3_scale(d + 1, d + 1, -1.0);
    }
    /* 2 atan2(s, c)/s; for small turns 2/c (1 - s²/3c²) is it to rounding */
    double share = s > 1e-4 ? 2.0 * atan2(s, c) / s : 2.0 / c * (1.0 - s * s / (3.0 * c * c));
    v3_scale(out, d + 1, share);
}

static void joint_difference(const TnJoint *joint, const double *q1, const double *q2, double *out)
{
    switch (joint->type) {
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        out[0] = q2[0] - q1[0];
        return;
    case TN_JOINT_FREE:
        v3_sub(out, q2, q1);
        turn(q1 + 3, q2 + 3, out + 3);
        return;
    case TN_JOINT_BALL:
        turn(q1, q2, out);
        return;
    }
}

void tn_model_difference(const TnModel *model, const double *qpos1, const double *qpos2,
                         double *tangent)
{
    if (!model || !qpos1 || !qpos2 || !tangent) return;
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        joint_difference(joint, qpos1 + joint->qpos_start, qpos2 + joint->qpos_start,
                         tangent + joint->dof_start);
    }
    for (int s = 0; s < model->soft_count; s++) {
        const TnSubsystem *sub = &model->subsystems[model->softs[s].subsystem];
        for (int k = 0; k < sub->dof_count; k++)
            tangent[sub->dof_start + k] = qpos2[sub->qpos_start + k] - qpos1[sub->qpos_start + k];
    }
}

static void displace(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                     const double *tangent, double *out)
{
    if (sub->kind == TN_SUBSYSTEM_SOFT)
        for (int k = 0; k < sub->dof_count; k++)
            out[sub->qpos_start + k] = qpos[sub->qpos_start + k] + tangent[sub->dof_start + k];
    else
        tn_integrate_qpos(model, sub, qpos, tangent, 1.0, out);
}

void tn_model_displace(const TnModel *model, const double *qpos, const double *tangent, double *out)
{
    if (!model || !qpos || !tangent || !out) return;
    for (int s = 0; s < model->subsystem_count; s++)
        displace(model, &model->subsystems[s], qpos, tangent, out);
}

/* ---- gradients ---- */

/* q ∘ e, e the unit vectors of body axes: where q turns to, orthonormal. */
static void turning(const double q[4], double axes[3][4])
{
    double unit[4];
    tn_unit_quat(unit, q);
    for (int k = 0; k < 3; k++) {
        double e[4] = {0.0};
        e[1 + k] = 1.0;
        quat_mul(axes[k], unit, e);
    }
}

/* One joint: by_tangent from by_qpos, or the other way. */
static void joint_gradient(const TnJoint *joint, const double *q, bool to_tangent, double *by_qpos,
                           double *by_tangent)
{
    double axes[3][4];
    bool turns = joint->type == TN_JOINT_FREE || joint->type == TN_JOINT_BALL;
    int plain = turns ? (joint->type == TN_JOINT_FREE ? 3 : 0) : 1;
    for (int k = 0; k < plain; k++, by_qpos++, by_tangent++) {
        if (to_tangent)
            *by_tangent = *by_qpos;
        else
            *by_qpos = *by_tangent;
    }
    if (!turns) return;
    turning(q + plain, axes);
    for (int i = 0; !to_tangent && i < 4; i++) by_qpos[i] = 0.0;
    for (int k = 0; k < 3; k++) {
        if (to_tangent) by_tangent[k] = 0.0;
        for (int i = 0; i < 4; i++)
            if (to_tangent)
                by_tangent[k] += 0.5 * axes[k][i] * by_qpos[i];
            else
                by_qpos[i] += 2.0 * axes[k][i] * by_tangent[k];
    }
}

static void gradient(const TnModel *model, const double *qpos, bool to_tangent, double *by_qpos,
                     double *by_tangent)
{
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        joint_gradient(joint, qpos + joint->qpos_start, to_tangent, by_qpos + joint->qpos_start,
                       by_tangent + joint->dof_start);
    }
    for (int s = 0; s < model->soft_count; s++) {
        const TnSubsystem *sub = &model->subsystems[model->softs[s].subsystem];
        size_t bytes = sizeof(double) * (size_t)sub->dof_count;
        if (to_tangent)
            memcpy(by_tangent + sub->dof_start, by_qpos + sub->qpos_start, bytes);
        else
            memcpy(by_qpos + sub->qpos_start, by_tangent + sub->dof_start, bytes);
    }
}

void tn_model_gradient_to_tangent(const TnModel *model, const double *qpos, const double *by_qpos,
                                  double *by_tangent)
{
    if (model && qpos && by_qpos && by_tangent)
        gradient(model, qpos, true, (double *)by_qpos, by_tangent);
}

void tn_model_gradient_from_tangent(const TnModel *model, const double *qpos,
                                    const double *by_tangent, double *by_qpos)
{
    if (model && qpos && by_qpos && by_tangent)
        gradient(model, qpos, false, by_qpos, (double *)by_tangent);
}

void tn_tangent_nudge(const TnModel *model, int dof, double by, double *qpos)
{
    int j = model->dof_joint[dof];
    if (j < 0) { /* of a soft body */
        for (int s = 0; s < model->soft_count; s++) {
            const TnSubsystem *sub = &model->subsystems[model->softs[s].subsystem];
            if (dof < sub->dof_start || dof >= sub->dof_start + sub->dof_count) continue;
            qpos[sub->qpos_start + dof - sub->dof_start] += by;
        }
        return;
    }
    const TnJoint *joint = &model->joints[j];
    int k = dof - joint->dof_start;
    double *q = qpos + joint->qpos_start, w[3] = {0.0};
    bool turns = joint->type == TN_JOINT_BALL || (joint->type == TN_JOINT_FREE && k >= 3);
    if (!turns) {
        q[k] += by;
        return;
    }
    if (joint->type == TN_JOINT_FREE) {
        q += 3;
        k -= 3;
    }
    w[k] = by;
    quat_cayley_body(q, w);
}

void tn_place_difference(const TnModel *model, const double *from, const double *to, double *out)
{
    int nv = model->dof_count, nq = model->qpos_count;
    tn_model_difference(model, from, to, out);
    for (int k = 0; k < nv + model->act_count; k++) out[nv + k] = to[nq + k] - from[nq + k];
}
