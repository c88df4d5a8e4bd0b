/* actuation.c: the force of an actuator at a state,
 *     F = clamp(gain · input + bias),  gain and bias affine in length and velocity, or a muscle's,
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

TnAffineForce tn_actuator_affine(const TnActuator *a, double input, double length, double velocity)
{
    TnAffineForce f = {a->gain * input + a->bias[0], a->gain_rate[0] * input + a->bias[1],
                       a->gain_rate[1] * input + a->bias[2]};
    if (a->muscles && a->muscles->has_gain) {
        double active[3];
        tn_muscle_active(a->muscles, length, velocity, active);
        f.constant += input * (active[0] - active[1] * length - active[2] * velocity);
        f.by_length += input * active[1];
        f.by_velocity += input * active[2];
    }
    if (a->muscles && a->muscles->has_bias) {
        double passive[2];
        tn_muscle_passive(a->muscles, length, passive);
        f.constant += passive[0] - passive[1] * length;
        f.by_length += passive[1];
    }
    return f;
}

/* Before any limit of force. */
static double raw_force(const TnModel *model, int actuator, const double *qpos, const double *qvel,
                        const double *inputs)
{
    const TnActuator *a = &model->actuators[actuator];
    double length = tn_actuator_length(model, actuator, qpos),
           velocity = tn_actuator_velocity(model, actuator, qvel);
    TnAffineForce f = tn_actuator_affine(a, inputs ? inputs[actuator] : 0.0, length, velocity);
    return f.constant + f.by_length * length + f.by_velocity * velocity;
}

/* What a bound on the sum of a tendon's forces leaves of each. */
static double tendon_share(const TnModel *model, int tendon, const double *qpos, const double *qvel,
                           const double *inputs)
{
    double sum = 0.0;
    for (int a = 0; a < model->actuator_count; a++)
        if (model->actuators[a].tendon == tendon) sum += raw_force(model, a, qpos, qvel, inputs);
    double limited = clamp(sum, model->tendons[tendon].actuator_range);
    return limited != sum ? limited / sum : 1.0;
}

double tn_actuator_force(const TnModel *model, int actuator, const double *qpos, const double *qvel,
                         const double *inputs)
{
    const TnActuator *a = &model->actuators[actuator];
    double force = raw_force(model, actuator, qpos, qvel, inputs);
    if (a->tendon >= 0 && model->tendons[a->tendon].actuator_limited)
        force *= tendon_share(model, a->tendon, qpos, qvel, inputs);
    return a->force_limited ? clamp(force, a->force_range) : force;
}

double tn_actuator_force_on(const TnModel *model, int dof, const double *qpos, const double *qvel,
                            const double *inputs, double lift)
{
    const TnJoint *joint = &model->joints[model->dof_joint[dof]];
    double sum = joint->actuator_gravity ? lift : 0.0;
    for (int a = 0; a < model->actuator_count; a++) {
        const TnActuator *actuator = &model->actuators[a];
        for (int i = 0; i < actuator->moment_count; i++)
            if (actuator->moments[i].dof == dof)
                sum += actuator->moments[i].coef * actuator->gear *
                       tn_actuator_force(model, a, qpos, qvel, inputs);
    }
    return joint->actuator_limited ? clamp(sum, joint->actuator_range) : sum;
}
