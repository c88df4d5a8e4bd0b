/* actuation.c: the force of an actuator at a state,
 *     F = clamp(gain · u + bias0 + bias1 · length + bias2 · velocity),  length = gear · q,  u =
 * clamp(ctrl). */
#include "dynamics.h"

static double clamp(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

double tn_actuator_force(const TnModel *model, int actuator, const double *qpos, const double *qvel,
                         const double *ctrl)
{
    const TnActuator *a = &model->actuators[actuator];
    const TnJoint *joint = &model->joints[a->joint];
    double u = ctrl ? ctrl[actuator] : 0.0;
    if (a->ctrl_limited) u = clamp(u, a->ctrl_range);
    double force =
        a->gain * u + a->bias[0] +
        a->gear * (a->bias[1] * qpos[joint->qpos_start] + a->bias[2] * qvel[joint->dof_start]);
    return a->force_limited ? clamp(force, a->force_range) : force;
}
