/* ddp.c: differential dynamic programming with Gauss–Newton costs. Derivatives of the steps along
 * the plan make a quadratic problem (backward.c); its controls are tried at several lengths, by
 * exact roll-outs, and the best of them becomes the plan if it costs less. */
#include <math.h>

#include "../base/rounding.h"
#include "plan.h"

#define LINE 4
static const double line[LINE] = {1.0, 0.5, 0.2, 0.05};

#define LEAST_DAMPING 1e-6
#define MOST_DAMPING 1e6
#define MORE_DAMPING 30.0
#define LESS_DAMPING 0.1
#define MOST_TRIES 3 /* of one quadratic problem, with more and more damping */

static void damp_more(TnPlan *p)
{
    p->damping = p->damping < LEAST_DAMPING ? 1e-3 : p->damping * MORE_DAMPING;
}

static void damp_less(TnPlan *p)
{
    p->damping *= LESS_DAMPING;
    if (p->damping < LEAST_DAMPING) p->damping = 0.0;
}

/* Tries the whole line. The best one, or -1: none costs less. */
static int search(TnPlan *p)
{
    for (int t = 0; t < LINE; t++) p->how[t] = (TnTry){.step = line[t], .feedback = true};
    tn_rollout_tries(p, LINE, true, p->plan.cost);
    int best = tn_best_try(p, LINE);
    return best >= 0 && p->tries[best].cost < p->plan.cost * (1.0 - TN_ROUND_OFF) ? best : -1;
}

/* False: nothing better was found. */
static bool iterate(TnPlan *p, double begun)
{
    if (!tn_plan_linearize(p)) return false;
    tn_plan_note_moved(p);
    for (int t = 0; t < MOST_TRIES && p->damping <= MOST_DAMPING; t++) {
        p->has_gains = tn_plan_backward(p, p->damping);
        if (!p->has_gains) {
            damp_more(p);
            continue;
        }
        if (!(p->promised > TN_ROUND_OFF * p->plan.cost)) return false;
        int best = search(p);
        if (best >= 0) {
            bool far = best <= 1;
            tn_plan_take(p, best);
            if (far) damp_less(p);
            return true;
        }
        damp_more(p);
        if (tn_plan_is_late(p, begun)) return false;
    }
    p->damping = fmin(p->damping, 1.0);
    return false;
}

void tn_plan_ddp(TnPlan *p, double begun)
{
    for (int i = 0; i < p->def.iterations; i++) {
        if (tn_plan_is_late(p, begun)) return;
        p->iterations++;
        if (!iterate(p, begun)) {
            p->converged = !p->late && p->without == 0;
            return;
        }
    }
}
