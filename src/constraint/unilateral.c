/* unilateral.c: the unilateral law of one inequality, see unilateral.h. */
#include "unilateral.h"

#include <math.h>

/* Depths are undone as by this share of gravity; without gravity what is as deep as it is large
 * comes out in so many seconds. */
#define WAY_OUT_SHARE 0.05
#define WAY_OUT_TIME 0.5

/* Gaps that the solver's tolerance leaves behind are none. Four feet of a box would otherwise
 * contradict each other by such gaps, which no velocity mends and forces would have to pay for. */
static double beyond(double gap, double leave)
{
    return gap > leave ? gap - leave : gap < -leave ? gap + leave : 0.0;
}

double tn_way_out(double depth, double gravity, double size, double t, double share)
{
    double acceleration =
        gravity > 0.0 ? WAY_OUT_SHARE * gravity : 2.0 * size / (WAY_OUT_TIME * WAY_OUT_TIME);
    return fmin(share * depth / t, sqrt(2.0 * acceleration * depth));
}

/* e of J v̂ + e >= 0 that lets the displacement t((1-w) v̂ + w v⁺) close the gap and not more. */
static double up_to(const TnUnilateral *in, double gap)
{
    double w = in->blend, theta = in->theta;
    return (gap / in->t - w * (1.0 - theta) / theta * in->v) / (1.0 - w + w / theta);
}

static bool lasts(const TnUnilateral *in, double gap)
{
    return in->approach > -in->slow && gap < in->slow * in->t;
}

TnUnilateralLaw tn_unilateral_law(const TnUnilateral *in)
{
    TnUnilateralLaw law = {.blend = 1.0};
    double gap = beyond(in->gap, in->leave), t = in->t, theta = in->theta, v = in->v;
    if (in->restitution > 0.0 && in->approach < 0.0) {
        /* Does the free motion reach the surface within this step? Only then the impact law acts.
         */
        double vhat = (1.0 - theta) * in->approach + theta * in->v_free_end;
        if (gap + t * ((1.0 - in->blend) * vhat + in->blend * in->v_free_end) <= 0.0) {
            law.e_normal = -(1.0 - theta) * v + theta * in->restitution * in->approach;
            law.blend = 1.0 - in->restitution;
            return law;
        }
        law.e_normal = up_to(in, gap);
        return law;
    }
    if (in->resolved && gap > 0.0) { /* free flight does not get there */
        law.e_normal = up_to(in, gap);
        law.blend = 0.0;
        return law;
    }
    if (gap < 0.0) law.out = tn_way_out(-gap, in->gravity, in->size, t, in->stabilization);
    law.resting = lasts(in, gap);
    if (law.resting) law.blend = 0.0;
    double closes = gap > 0.0 ? gap / t : -law.out;
    /* what moves by the mean velocity is not to close more than there is */
    if (law.resting && gap > 0.0) closes = fmax(0.0, fmin(closes, 2.0 * gap / t + in->approach));
    law.e_normal = -(1.0 - theta) * v + theta * closes;
    return law;
}
