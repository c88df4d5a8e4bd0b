/* law.c: the unilateral law of one inequality, see constraint.h. */
#include "constraint.h"

#include <math.h>

/* Approach below this share of g·t is rest: it moves a body by less than 0.5 % of g·t² in a step.
 */
#define REST_SHARE 0.01

/* Gaps that the solver's tolerance leaves behind are none. Four feet of a box would otherwise
 * contradict each other by such gaps, which no velocity mends and forces would have to pay for. */
static double beyond(double gap, double leave)
{
    return gap > leave ? gap - leave : gap < -leave ? gap + leave : 0.0;
}

TnLaw tn_unilateral_law(double gap, double v, double v_free_end, double restitution, double t,
                        double theta, double stabilization, double gravity, double leave)
{
    TnLaw law = {.blend = 1.0};
    gap = beyond(gap, leave);
    if (restitution > 0.0 && v < 0.0) {
        /* Does the free motion reach the surface within this step? Only then the impact law acts.
         */
        if (gap + t * ((1.0 - theta) * v + theta * v_free_end) <= 0.0) {
            law.e_normal = -(1.0 - theta - theta * restitution) * v;
            law.blend = 1.0 - restitution;
            return law;
        }
        law.e_normal = gap / t; /* the displacement t v̂ must not pass it either way */
        return law;
    }
    double rate = gap > 0.0 ? gap / t : stabilization * gap / t;
    /* Push-out is a real velocity: bounded by √(g·depth), it lifts a body by no more than half of
     * what it was deep. */
    if (gap < 0.0 && gravity > 0.0) rate = fmax(rate, -sqrt(gravity * -gap));
    law.e_normal = -(1.0 - theta) * v + theta * rate;
    law.resting = gap <= 0.0 && v > -REST_SHARE * gravity * t;
    return law;
}
