/* linearize.c: how states follow states and controls along the plan, and its costs about it. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../base/rounding.h"
#include "plan.h"

static bool go_to(const TnPlan *p, TnWorld *world, const double *x)
{
    return tn_world_restore(world, p->start, p->start_size, NULL) == TN_OK &&
           tn_world_set_state(world, x, x + p->nq, NULL) == TN_OK &&
           (!p->na || tn_world_set_act(world, x + p->nq + p->nv, NULL) == TN_OK);
}

/* A step that is rejected has none, and a column may lack: it does not count then. */
void tn_knot_slopes(const TnPlan *p, TnPlanWorker *w, const double *x, const double *ctrl,
                    TnKnot *knot)
{
    size_t n = (size_t)p->ns, m = (size_t)p->nu;
    knot->has = go_to(p, w->knots, x) && tn_world_set_ctrl(w->knots, ctrl, NULL) == TN_OK &&
                tn_world_derivatives(w->knots, w->slopes, NULL) == TN_OK;
    w->derivative_steps += p->ns + p->nu + 2; /* columns, the step itself and that of its laws */
    if (!knot->has) {
        memset(knot->A, 0, sizeof(double) * n * n);
        memset(knot->B, 0, sizeof(double) * n * m);
        return;
    }
    TnDerivativesView view = tn_derivatives_view(w->slopes);
    for (size_t i = 0; i < n * n; i++) knot->A[i] = isfinite(view.A[i]) ? view.A[i] : 0.0;
    for (size_t i = 0; i < n * m; i++) knot->B[i] = isfinite(view.B[i]) ? view.B[i] : 0.0;
}

bool tn_knot_costs(const TnPlan *p, TnPlanWorker *w, const double *x, const double *ctrl,
                   bool is_last, TnKnot *knot)
{
    memcpy(w->place, x, sizeof(double) * (size_t)p->place_size);
    return go_to(p, w->world, x) && tn_world_set_ctrl(w->world, ctrl, NULL) == TN_OK &&
           tn_costs_derive(p, w, w->world, ctrl, is_last, knot);
}

static bool has_own(const TnPlan *p, int k)
{
    return k % p->def.derivative_every == 0 || k == p->def.horizon - 1;
}

typedef struct Task {
    TnPlan *plan;
    atomic_int next, failed;
} Task;

static void work(void *context, int begin, int end)
{
    Task *task = context;
    TnPlan *p = task->plan;
    for (int i = begin; i < end; i++)
        for (int k; (k = atomic_fetch_add(&task->next, 1)) < p->def.horizon;) {
            TnKnot *knot = &p->knots[k];
            const double *u = tn_path_ctrl(p, &p->plan, k);
            bool is_last = k == p->def.horizon - 1;
            if (!tn_knot_costs(p, &p->workers[i], tn_path_state(p, &p->plan, k + 1), u, is_last,
                               knot))
                atomic_store(&task->failed, 1);
            if (has_own(p, k))
                tn_knot_slopes(p, &p->workers[i], tn_path_state(p, &p->plan, k), u, knot);
        }
}

/* Between two knots that have their own; of one if the other has none. */
static void blend(TnPlan *p, int k)
{
    int every = p->def.derivative_every, before = k / every * every, after = before + every;
    if (after > p->def.horizon - 1) after = p->def.horizon - 1;
    const TnKnot *a = &p->knots[before], *b = &p->knots[after];
    double share = (double)(k - before) / (double)(after - before);
    if (!a->has) share = 1.0;
    if (!b->has) share = 0.0;
    TnKnot *to = &p->knots[k];
    size_t n = (size_t)p->ns, m = (size_t)p->nu;
    for (size_t i = 0; i < n * n; i++) to->A[i] = (1.0 - share) * a->A[i] + share * b->A[i];
    for (size_t i = 0; i < n * m; i++) to->B[i] = (1.0 - share) * a->B[i] + share * b->B[i];
    to->has = a->has || b->has;
}

bool tn_plan_linearize(TnPlan *p)
{
    Task task = {.plan = p};
    atomic_init(&task.next, 0);
    atomic_init(&task.failed, 0);
    for (int i = 0; i < p->def.thread_count; i++) p->workers[i].derivative_steps = 0;
    tn_pool_run(p->pool, p->def.thread_count, 1, work, &task);
    for (int i = 0; i < p->def.thread_count; i++)
        p->derivative_steps += p->workers[i].derivative_steps;
    p->without = 0;
    for (int k = 0; k < p->def.horizon; k++) {
        if (!has_own(p, k)) blend(p, k);
        p->without += !p->knots[k].has;
    }
    return atomic_load(&task.failed) == 0 && p->without < p->def.horizon;
}

/* A control's column of B changes the value whose gradient is v by more than rounding leaves. */
static bool follows(const TnPlan *p, const TnKnot *knot, size_t control)
{
    double slope = 0.0, column = 0.0, gradient = 0.0;
    for (size_t i = 0; i < (size_t)p->ns; i++) {
        double b = knot->B[i * (size_t)p->nu + control];
        slope += b * p->v[i];
        column = fmax(column, fabs(b));
        gradient = fmax(gradient, fabs(p->v[i]));
    }
    return fabs(slope) > TN_ROUND_OFF * column * gradient;
}

/* Some combination of each cost's residuals over all knots, back through the steps: zero for all
 * controls only where no control changes any of them. */
void tn_plan_note_moved(TnPlan *p)
{
    size_t n = (size_t)p->ns, m = (size_t)p->nu;
    for (int c = 0; c < p->def.cost_count; c++) {
        p->moved[c] = p->costs[c].def.kind == TN_COST_CTRL;
        memset(p->v, 0, sizeof(double) * n);
        for (int k = p->def.horizon - 1; k >= 0 && !p->moved[c]; k--) {
            const TnKnot *knot = &p->knots[k];
            for (size_t i = 0; i < n; i++) p->v[i] += knot->along[(size_t)c * n + i];
            for (size_t u = 0; u < m; u++)
                if (follows(p, knot, u)) p->moved[c] = 1;
            memset(p->qx, 0, sizeof(double) * n);
            for (size_t r = 0; r < n; r++)
                for (size_t i = 0; i < n; i++) p->qx[i] += knot->A[r * n + i] * p->v[r];
            memcpy(p->v, p->qx, sizeof(double) * n);
        }
    }
}
