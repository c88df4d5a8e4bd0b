/* passive.c: forces of springs and dampers of joints and tendons at a state. */
#include "dynamics.h"
#include "joint_motion.h"

/* Rotation vector from the reference orientation, in body axes. */
static void rotation_from(const double reference[4], const double quat[4], double r[3])
{
    double unit[4], back[4];
    tn_unit_quat(back, reference);
    quat_conjugate(back, back);
    tn_unit_quat(unit, quat);
    quat_mul(unit, back, unit);
    quat_to_rotvec(r, unit);
}

static void stretch_of(const TnModel *model, const TnJoint *joint, const double *qpos,
                       double stretch[6])
{
    const double *q = qpos + joint->qpos_start, *reference = model->qpos0 + joint->qpos_start;
    switch (joint->type) {
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        stretch[0] = q[0] - joint->spring_ref;
        break;
    case TN_JOINT_BALL:
        rotation_from(reference, q, stretch);
        break;
    case TN_JOINT_FREE:
        v3_sub(stretch, q, reference);
        rotation_from(reference + 3, q + 3, stretch + 3);
        break;
    }
}

void tn_springs_and_dampers(const TnModel *model, const double *qpos, const double *qvel,
                            double *force)
{
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        double stretch[6] = {0.0};
        if (joint->stiffness != 0.0) stretch_of(model, joint, qpos, stretch);
        for (int k = 0; k < tn_joint_dofs(joint->type); k++)
            force[joint->dof_start + k] -=
                joint->stiffness * stretch[k] + joint->damping * qvel[joint->dof_start + k];
    }
    for (int t = 0; t < model->tendon_count; t++) {
        const TnTendon *tendon = &model->tendons[t];
        double pull =
            -tendon->stiffness * (tn_moment_length(tendon->moments, tendon->moment_count, qpos) -
                                  tendon->spring_length) -
            tendon->damping * tn_moment_rate(tendon->moments, tendon->moment_count, qvel);
        for (int i = 0; i < tendon->moment_count; i++)
            force[tendon->moments[i].dof] += tendon->moments[i].coef * pull;
    }
}
