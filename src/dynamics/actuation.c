/* actuation.c: the force of an actuator at a state,
 *     F = clamp(gain · u + bias0 + bias1 · length + bias2 · velocity),  u = clamp(ctrl),
 * with length = gear · Σ coef · q over the joints it moves: one, or those of its tendon. */
#include "dynamics.h"

static double clamp(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

double tn_actuator_length(const TnModel *model, int actuator, const double *qpos)
{
    const TnActuator *a = &model->actuators[actuator];
    return a->gear * tn_moment_length(a->moments, a->moment_count, qpos);
}

double tn_actuator_velocity(const TnModel *model, int actuator, const double *qvel)
{
    const TnActuator *a = &model->actuators[actuator];
    return a->gear * tn_moment_rate(a->moments, a->moment_count, qvel);
}

double tn_actuator_force(const TnModel *model, int actuator, const double *qpos, const double *qvel,
                         const double *ctrl)
{
    const TnActuator *a = &model->actuators[actuator];
    double u = ctrl ? ctrl[actuator] : 0.0;
    if (a->ctrl_limited) u = clamp(u, a->ctrl_range);
    double force = a->gain * u + a->bias[0] +
                   a->bias[1] * tn_actuator_length(model, actuator, qpos) +
                   a->bias[2] * tn_actuator_velocity(model, actuator, qvel);
    return a->force_limited ? clamp(force, a->force_range) : force;
}
