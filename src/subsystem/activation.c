/* activation.c: the activations of actuators over a step, and what actuators act by, as in MuJoCo:
 * explicit steps of their dynamics, or the exact answer for a filter whose control holds. Then they
 * are clamped.
 *
 * A controller (TnPid) acts by kp c + ki s, a force, which its bias of -kp · length - kd · velocity
 * completes. c is the control, which the one of the step before holds back, and s the integral of c
 * - length up to the end of the step. */
#include "../model/thresholds.h"
#include "dynamics.h"

#include <math.h>
#include <string.h>

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double control_of(const TnActuator *a, double u)
{
    return a->ctrl_limited ? clamp(u, a->ctrl_range[0], a->ctrl_range[1]) : u;
}

/* 0 before 0, 1 behind 1, in between with two continuous derivatives. */
static double smooth_step(double x)
{
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    return x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

/* Activation is fast and deactivation slow, each slower the closer it is to its end. */
static double muscle_rate(const double T[3], double u, double act)
{
    double pace = 0.5 + 1.5 * clamp(act, 0.0, 1.0), change = clamp(u, 0.0, 1.0) - act;
    double rise = T[0] * pace, fall = T[1] / pace, share = change > 0.0 ? 1.0 : 0.0;
    if (T[2] >= TN_TINY) share = smooth_step(change / T[2] + 0.5);
    return change / fmax(TN_TINY, fall + share * (rise - fall));
}

/* Of one activation, u its control. */
static double next_of(const TnActuator *a, double u, double act, double t)
{
    double T = fmax(TN_TINY, a->time_constants[0]);
    switch (a->activation) {
    case TN_ACTIVATION_NONE:
    case TN_ACTIVATION_PID:
        return act;
    case TN_ACTIVATION_INTEGRATOR:
        act += t * u;
        break;
    case TN_ACTIVATION_FILTER:
        act += t * (u - act) / T;
        break;
    case TN_ACTIVATION_FILTER_EXACT:
        act -= (u - act) * expm1(-t / T);
        break;
    case TN_ACTIVATION_MUSCLE:
        act += t * muscle_rate(a->time_constants, u, act);
        break;
    }
    return a->act_limited ? clamp(act, a->act_range[0], a->act_range[1]) : act;
}

/* The input; `next` gets the activations. There is no control before the first step. */
static double control_force(const TnPid *pid, const TnDrive *drive, double u, double length,
                            const double *act, double *next)
{
    int k = 0;
    double integral = 0.0, t = drive->t;
    if (pid->slew_max > 0.0) {
        double last = act[pid->ki > 0.0], most = pid->slew_max * t;
        if (drive->time > 0.0) u = clamp(u, last - most, last + most);
    }
    if (pid->ki > 0.0) {
        double bound = pid->integral_max > 0.0 ? pid->integral_max / pid->ki : INFINITY;
        integral = clamp(act[k] + (u - length) * t, -bound, bound);
        next[k++] = integral;
    }
    if (pid->slew_max > 0.0) next[k] = u;
    return pid->kp * u + pid->ki * integral;
}

double tn_actuator_input(const TnModel *model, int actuator, const TnDrive *drive, double next[2])
{
    static const double none[2] = {0.0, 0.0};
    const TnActuator *a = &model->actuators[actuator];
    const double *act = drive->act && a->act >= 0 ? drive->act + a->act : none;
    double u = control_of(a, drive->ctrl ? drive->ctrl[actuator] : 0.0);
    if (a->activation == TN_ACTIVATION_PID) {
        const TnDriven at = {.qpos = drive->qpos, .frames = drive->frames};
        return control_force(&a->pid, drive, u, tn_actuator_length(model, actuator, &at), act,
                             next);
    }
    if (a->act < 0) return u;
    next[0] = next_of(a, u, act[0], drive->t);
    return a->act_early ? next[0] : act[0];
}

void tn_actuator_inputs(const TnModel *model, const TnDrive *drive, double *inputs, double *act)
{
    for (int i = 0; i < model->actuator_count; i++) {
        const TnActuator *a = &model->actuators[i];
        double next[2];
        inputs[i] = tn_actuator_input(model, i, drive, next);
        if (act && a->act >= 0)
            memcpy(act + a->act, next,
                   sizeof(double) * (size_t)tn_activation_count(a->activation, &a->pid));
    }
}
