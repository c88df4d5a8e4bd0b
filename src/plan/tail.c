/* tail.c: what the running costs come to after the horizon. About a goal where the model stays, the
 * problem is linear with quadratic costs and has no end: Riccati's recursion is repeated until it
 * changes nothing. Limits, and contacts that the goal has not, are not seen. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "plan.h"

#define MOST_KNOTS 10000 /* some minutes of motion */

static TnStatus refuse(const TnPlan *p, const char *why, TnError *err)
{
    tn_error_add(err, TN_ERROR_USAGE, "plan: cost '%s': %s", p->costs[p->tail.cost].def.name, why);
    return TN_ERROR_USAGE;
}

/* A, B and running costs at the goal. */
static const char *linearize(TnPlan *p)
{
    TnTail *tail = &p->tail;
    TnPlanWorker *w = &p->workers[0];
    memset(tail->place, 0, sizeof(double) * (size_t)p->place_size);
    memcpy(tail->place, p->costs[tail->cost].def.goal, sizeof(double) * (size_t)p->nq);
    if (!tn_knot_costs(p, w, tail->place, p->hold, false, &tail->knot))
        return "running costs have no derivatives at its goal";
    w->derivative_steps = 0;
    tn_knot_slopes(p, w, tail->place, p->hold, &tail->knot);
    p->derivative_steps += w->derivative_steps;
    if (!tail->knot.has) return "the step at its goal has no derivatives";
    /* about the best there is, where costs have no slope */
    memset(tail->knot.lx, 0, sizeof(double) * (size_t)p->ns);
    memset(tail->knot.lu, 0, sizeof(double) * (size_t)p->nu);
    return NULL;
}

/* V of all that follows, the costs of the goal's own state among it. False: it has no end. */
static bool repeat(TnPlan *p)
{
    size_t n = (size_t)p->ns, count = n * n;
    double *V = p->tail.V;
    memcpy(p->V, p->tail.knot.lxx, sizeof(double) * count);
    memset(p->v, 0, sizeof(double) * n);
    for (int k = 0; k < MOST_KNOTS; k++) {
        double most = 0.0, change = 0.0;
        memcpy(V, p->V, sizeof(double) * count);
        if (!tn_plan_riccati(p, &p->tail.knot)) return false;
        for (size_t i = 0; i < count; i++) {
            most = fmax(most, fabs(p->V[i]));
            change = fmax(change, fabs(p->V[i] - V[i]));
        }
        if (!isfinite(most)) return false;
        if (change <= TN_ROUND_OFF * most) return true;
    }
    return false;
}

/* F with FᵀF = ½ (V - lxx): the state at the horizon's end is counted by the costs themselves. V
 * may be singular: a row without a pivot stays zero. */
static void factorize(TnPlan *p)
{
    size_t n = (size_t)p->ns;
    double *V = p->tail.V, *F = p->tail.F, most = 0.0;
    for (size_t i = 0; i < n * n; i++) V[i] = 0.5 * (p->V[i] - p->tail.knot.lxx[i]);
    for (size_t i = 0; i < n; i++) most = fmax(most, V[i * n + i]);
    memset(F, 0, sizeof(double) * n * n);
    for (size_t k = 0; k < n; k++) {
        double pivot = V[k * n + k];
        if (!(pivot > TN_ROUND_OFF * most)) continue;
        for (size_t i = k; i < n; i++) F[k * n + i] = V[k * n + i] / sqrt(pivot);
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = i; j < n; j++) V[i * n + j] -= F[k * n + i] * F[k * n + j];
    }
}

TnStatus tn_tail_update(TnPlan *p, TnError *err)
{
    if (!p->tail.stale) return TN_OK;
    const char *why = linearize(p);
    if (why) return refuse(p, why, err);
    if (!repeat(p))
        return refuse(p,
                      "the running costs about its goal have no end: no control keeps the model "
                      "there",
                      err);
    factorize(p);
    p->tail.stale = false;
    return TN_OK;
}
