/* activation.c: the activations of actuators over a step, as in MuJoCo: explicit steps of their
 * dynamics, or the exact answer for a filter whose control holds. Then they are clamped. */
#include "dynamics.h"

#include <math.h>

#define LEAST 1e-15 /* MuJoCo's least time */

static double clamp(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

static double control_of(const TnActuator *a, double u)
{
    return a->ctrl_limited ? clamp(u, a->ctrl_range) : u;
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
    static const double unit[2] = {0.0, 1.0};
    double pace = 0.5 + 1.5 * clamp(act, unit), change = clamp(u, unit) - act;
    double rise = T[0] * pace, fall = T[1] / pace, share = change > 0.0 ? 1.0 : 0.0;
    if (T[2] >= LEAST) share = smooth_step(change / T[2] + 0.5);
    return change / fmax(LEAST, fall + share * (rise - fall));
}

double tn_activation_next(const TnActuator *a, double ctrl, double act, double t)
{
    double u = control_of(a, ctrl), T = fmax(LEAST, a->time_constants[0]);
    switch (a->activation) {
    case TN_ACTIVATION_NONE:
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
    return a->act_limited ? clamp(act, a->act_range) : act;
}

void tn_activations_advance(const TnModel *model, const double *ctrl, double t,
                            const int32_t *asleep, double *act)
{
    for (int i = 0; i < model->actuator_count && model->act_count; i++) {
        const TnActuator *a = &model->actuators[i];
        if (a->act < 0 || (asleep && a->subsystem >= 0 && asleep[a->subsystem])) continue;
        act[a->act] = tn_activation_next(a, ctrl[i], act[a->act], t);
    }
}

void tn_actuator_inputs(const TnModel *model, const double *ctrl, const double *act, double t,
                        double *inputs)
{
    for (int i = 0; i < model->actuator_count; i++) {
        const TnActuator *a = &model->actuators[i];
        double u = ctrl ? ctrl[i] : 0.0, x = act && a->act >= 0 ? act[a->act] : 0.0;
        if (a->act < 0)
            inputs[i] = control_of(a, u);
        else
            inputs[i] = a->act_early ? tn_activation_next(a, u, x, t) : x;
    }
}
