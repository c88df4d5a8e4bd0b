/* ddp.c: differential dynamic programming with Gauss–Newton costs. Derivatives of the steps along
 * the plan make a quadratic problem (backward.c); its controls are tried at several lengths, by
 * exact roll-outs, and the best of them becomes the plan if it costs less. */
#include <math.h>

#include "../base/rounding.h"
#include "plan.h"

#define LINE 4
static const double line[LINE] = {1.0, 0.5, 0.2, 0.05};

#define LEAST_DAMPING 1e-6
#define MORE_DAMPING 30.0
#define LESS_DAMPING 0.1
#define MOST_TRIES 3 /* of one quadratic problem */

static void damp_more(TnPlan *p)
{
    p->damping = p->damping < LEAST_DAMPING ? 1e-3 : p->damping * MORE_DAMPING;
}

static void damp_less(TnPlan *p)
{
    p->damping *= LESS_DAMPING;
    if (p->damping < LEAST_DAMPING) p->damping = 0.0;
}

/* Tries the longer half of the line, and the shorter one if nothing there costs less. -1: nothing
 * does. */
static int search(TnPlan *p)
{
    for (int from = 0; from < LINE; from += LINE / 2) {
        for (int t = 0; t < LINE / 2; t++)
            p->how[t] = (TnTry){.step = line[from + t], .feedback = true};
        tn_rollout_tries(p, LINE / 2, true, p->plan.cost);
        int best = tn_best_try(p, LINE / 2);
        if (best < 0 || !(p->tries[best].cost < p->plan.cost * (1.0 - TN_ROUND_OFF))) continue;
        tn_plan_take(p, best);
        return from + best;
    }
    return -1;
}

/* False: the quadratic problem promises nothing. */
static bool iterate(TnPlan *p, bool *better)
{
    *better = false;
    p->has_gains = tn_plan_backward(p, p->damping);
    if (p->has_gains && !(p->promised > TN_ROUND_OFF * p->plan.cost)) return false;
    int at = p->has_gains ? search(p) : -1;
    *better = at >= 0;
    if (!*better) damp_more(p);
    if (*better && at < LINE / 2) damp_less(p);
    return true;
}

/* An iteration that finds nothing better is followed by one with more damping and the same
 * derivatives, perhaps in the next solve. */
void tn_plan_ddp(TnPlan *p, double begun)
{
    bool fresh = false, better = true, more = true;
    int failed = 0;
    for (int i = 0; i < p->def.iterations && more; i++) {
        double was = p->plan.cost;
        if (tn_plan_is_late(p, begun)) break;
        p->iterations++;
        if (better) {
            fresh = tn_plan_linearize(p);
            tn_plan_note_moved(p);
        }
        more = fresh && iterate(p, &better);
        failed = better ? 0 : failed + 1;
        if (failed >= MOST_TRIES) more = false;
        if (p->def.tolerance > 0.0 && was - p->plan.cost <= p->def.tolerance * was) more = false;
        p->converged = !more && p->without == 0;
    }
    p->damping = fmin(p->damping, 1.0);
}
