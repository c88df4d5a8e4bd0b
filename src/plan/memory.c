/* memory.c: the arrays of a plan, in one block; and what a view of it shows. */
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/base.h"
#include "../base/carve.h"

static void carve_path(const TnPlan *p, TnCarver *c, TnPlanPath *path)
{
    size_t T = (size_t)p->def.horizon;
    path->ctrl = TN_CARVE(c, double, T *(size_t)p->nu);
    path->states = TN_CARVE(c, double, (T + 1) * (size_t)p->place_size);
    path->costs = TN_CARVE(c, double, p->def.cost_count);
    path->cost = INFINITY;
}

static TnKnot carve_knot(const TnPlan *p, TnCarver *c, double *gains)
{
    size_t n = (size_t)p->ns, m = (size_t)p->nu;
    return (TnKnot){.A = TN_CARVE(c, double, n *n),
                    .B = TN_CARVE(c, double, n *m),
                    .lx = TN_CARVE(c, double, n),
                    .lxx = TN_CARVE(c, double, n *n),
                    .lu = TN_CARVE(c, double, m),
                    .luu = TN_CARVE(c, double, m),
                    .along = TN_CARVE(c, double, n *(size_t)p->def.cost_count),
                    .k = TN_CARVE(c, double, m),
                    .K = gains};
}

/* Of derivatives: DDP's, and those of a tail. */
static void carve_knots(TnPlan *p, TnCarver *c, bool there)
{
    size_t T = (size_t)p->def.horizon, n = (size_t)p->ns, m = (size_t)p->nu;
    bool ddp = p->def.method == TN_PLAN_DDP, tail = p->tail.cost >= 0;
    p->gains = TN_CARVE(c, double, T *n *m);
    if (ddp) p->knots = TN_CARVE(c, TnKnot, T);
    for (size_t k = 0; k < T && ddp; k++) {
        TnKnot knot = carve_knot(p, c, there ? p->gains + k * n * m : NULL);
        if (there) p->knots[k] = knot;
    }
    if (tail) {
        p->tail.place = TN_CARVE(c, double, p->place_size);
        p->tail.V = TN_CARVE(c, double, n *n);
        p->tail.F = TN_CARVE(c, double, n *n);
        p->tail.knot = carve_knot(p, c, TN_CARVE(c, double, n *m));
    }
    if (!ddp && !tail) return;
    p->V = TN_CARVE(c, double, n *n);
    p->VA = TN_CARVE(c, double, n *n);
    p->VB = TN_CARVE(c, double, n *m);
    p->Qxx = TN_CARVE(c, double, n *n);
    p->Qux = TN_CARVE(c, double, n *m);
    p->Quu = TN_CARVE(c, double, m *m);
    p->H = TN_CARVE(c, double, m *m);
    p->v = TN_CARVE(c, double, n);
    p->qx = TN_CARVE(c, double, n);
    p->qu = TN_CARVE(c, double, m);
    p->held = TN_CARVE(c, uint8_t, m);
}

static size_t name_bytes(const TnPlanDef *def)
{
    size_t sum = 1;
    for (int i = 0; i < def->cost_count; i++)
        sum += 16 + (def->costs[i].name ? strlen(def->costs[i].name) : 0);
    return sum;
}

static void carve(TnPlan *p, TnCarver *c, bool there)
{
    size_t m = (size_t)p->nu, nodes = (size_t)p->node_count * m;
    p->workers = TN_CARVE(c, TnPlanWorker, p->def.thread_count);
    p->costs = TN_CARVE(c, TnCost, p->def.cost_count);
    p->numbers = TN_CARVE(c, double, tn_costs_numbers(&p->def, p->model));
    p->names = TN_CARVE(c, char, name_bytes(&p->def));
    p->low = TN_CARVE(c, double, m);
    p->high = TN_CARVE(c, double, m);
    p->hold = TN_CARVE(c, double, m);
    p->sigma = TN_CARVE(c, double, m);
    p->moved = TN_CARVE(c, uint8_t, p->def.cost_count);
    p->how = TN_CARVE(c, TnTry, p->path_count);
    p->mean = TN_CARVE(c, double, nodes);
    p->spread = TN_CARVE(c, double, nodes);
    p->order = TN_CARVE(c, int, p->path_count);
    p->off = TN_CARVE(c, double, p->ns);
    p->scratch = TN_CARVE(c, double, nodes + 8 * m + m * m);
    p->tries = TN_CARVE(c, TnPlanPath, p->path_count);
    carve_path(p, c, &p->plan);
    for (int t = 0; t < p->path_count; t++) {
        TnPlanPath path;
        carve_path(p, c, &path);
        if (there) p->tries[t] = path;
    }
    carve_knots(p, c, there);
}

bool tn_plan_reserve(TnPlan *p)
{
    bool ddp = p->def.method == TN_PLAN_DDP;
    p->path_count = !ddp ? p->def.samples + 2 : p->def.seeds > 3 ? p->def.seeds + 1 : 4;
    TnCarver measure = {0};
    carve(p, &measure, false);
    p->workers = NULL;
    p->block = tn_aligned_alloc(measure.used);
    if (!p->block) return false;
    memset(p->block, 0, measure.used);
    TnCarver c = {.base = p->block};
    carve(p, &c, true);
    if (p->def.thread_count == 1) return true;
    p->pool = tn_pool_create(p->def.thread_count);
    return p->pool != NULL;
}

void tn_text_set(char *text, size_t size, const char *format, const char *name)
{
    const char *hole = strstr(format, "%s");
    if (hole)
        snprintf(text, size, "%.*s%s%s", (int)(hole - format), format, name, hole + 2);
    else
        snprintf(text, size, "%s", format);
}

TnPlanView tn_plan_view(const TnPlan *p)
{
    if (!p) return (TnPlanView){.remark = ""};
    return (TnPlanView){.horizon = p->def.horizon,
                        .repeat = p->def.repeat,
                        .qpos_count = p->nq,
                        .dof_count = p->nv,
                        .act_count = p->na,
                        .ctrl_count = p->nu,
                        .state_count = p->ns,
                        .cost_count = p->def.cost_count,
                        .place_count = p->place_size,
                        .knot = p->timestep * p->def.repeat,
                        .ctrl = p->plan.ctrl,
                        .states = p->plan.states,
                        .gains = p->gains,
                        .cost = p->plan.cost,
                        .start_cost = p->start_cost,
                        .costs = p->plan.costs,
                        .moved = p->moved,
                        .iterations = p->iterations,
                        .converged = p->converged,
                        .late = p->late,
                        .steps = p->steps,
                        .derivative_steps = p->derivative_steps,
                        .rough = p->plan.rough,
                        .at_limit = p->at_limit,
                        .without = p->without,
                        .seconds = p->seconds,
                        .remark = p->remark};
}
