/* actuation.c: the force of an actuator at a state,
 *     F = clamp(gain · u + bias0 + bias1 · length + bias2 · velocity),  u = clamp(ctrl),
 * with length = gear · Σ coef · q over the joints it moves: one, or those of its tendon. Where the
 * sum of forces on a tendon is bounded, all of them are scaled before their own clamp, as in
 * MuJoCo. */
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

/* Before any limit of force. */
static double raw_force(const TnModel *model, int actuator, const double *qpos, const double *qvel,
                        const double *ctrl)
{
    const TnActuator *a = &model->actuators[actuator];
    double u = ctrl ? ctrl[actuator] : 0.0;
    if (a->ctrl_limited) u = clamp(u, a->ctrl_range);
    return a->gain * u + a->bias[0] + a->bias[1] * tn_actuator_length(model, actuator, qpos) +
           a->bias[2] * tn_actuator_velocity(model, actuator, qvel);
}

/* What a bound on the sum of a tendon's forces leaves of each. */
static double tendon_share(const TnModel *model, int tendon, const double *qpos, const double *qvel,
                           const double *ctrl)
{
    double sum = 0.0;
    for (int a = 0; a < model->actuator_count; a++)
        if (model->actuators[a].tendon == tendon) sum += raw_force(model, a, qpos, qvel, ctrl);
    double limited = clamp(sum, model->tendons[tendon].actuator_range);
    return limited != sum ? limited / sum : 1.0;
}

double tn_actuator_force(const TnModel *model, int actuator, const double *qpos, const double *qvel,
                         const double *ctrl)
{
    const TnActuator *a = &model->actuators[actuator];
    double force = raw_force(model, actuator, qpos, qvel, ctrl);
    if (a->tendon >= 0 && model->tendons[a->tendon].actuator_limited)
        force *= tendon_share(model, a->tendon, qpos, qvel, ctrl);
    return a->force_limited ? clamp(force, a->force_range) : force;
}

double tn_actuator_force_on(const TnModel *model, int dof, const double *qpos, const double *qvel,
                            const double *ctrl, double lift)
{
    const TnJoint *joint = &model->joints[model->dof_joint[dof]];
    double sum = joint->actuator_gravity ? lift : 0.0;
    for (int a = 0; a < model->actuator_count; a++) {
        const TnActuator *actuator = &model->actuators[a];
        for (int i = 0; i < actuator->moment_count; i++)
            if (actuator->moments[i].dof == dof)
                sum += actuator->moments[i].coef * actuator->gear *
                       tn_actuator_force(model, a, qpos, qvel, ctrl);
    }
    return joint->actuator_limited ? clamp(sum, joint->actuator_range) : sum;
}
