/* affine.c: the force of an actuator as it depends on length and velocity (actuation.c). */
#include "dynamics.h"

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
