/* rollout.c: tries of controls, rolled out by worlds of their own. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../base/base.h"
#include "plan.h"

static double *numbers(size_t count) { return tn_calloc(count + 1, sizeof(double)); }

static TnWorld *make_world(const TnPlan *p, double timestep, TnError *err)
{
    TnWorldDef def = p->def.world;
    TnWorld *world = tn_world_create(&def, p->model, err);
    if (world && timestep != p->timestep && tn_world_set_timestep(world, timestep, err) != TN_OK) {
        tn_world_destroy(world);
        return NULL;
    }
    return world;
}

static bool make_slopes(TnPlan *p, TnPlanWorker *w, TnError *err)
{
    TnDerivativeDef def = tn_derivative_def();
    def.smoothing = p->def.smoothing;
    def.compliance = p->def.compliance;
    def.sides = 1;
    w->knots = make_world(p, p->timestep * p->def.repeat, err);
    if (!w->knots) return false;
    w->slopes = tn_derivatives_create(w->knots, &def, err);
    return w->slopes != NULL;
}

bool tn_worker_create(TnPlan *p, TnPlanWorker *w, TnError *err)
{
    size_t rows = 1, n = (size_t)p->ns, nv = (size_t)p->nv;
    for (int i = 0; i < p->def.cost_count; i++) {
        size_t own = (size_t)tn_cost_rows(&p->def.costs[i], p->model);
        rows = own > rows ? own : rows;
    }
    w->world = make_world(p, p->timestep, err);
    if (!w->world) return false;
    bool derives = p->def.method == TN_PLAN_DDP || p->tail.cost >= 0;
    if (derives && !make_slopes(p, w, err)) return false;
    w->sensors = numbers((size_t)p->info.sensor_data_count);
    w->sensors2 = numbers((size_t)p->info.sensor_data_count);
    w->residual = numbers(rows);
    w->slope = derives ? numbers(rows * n) : NULL;
    w->jacobian = numbers(6 * nv);
    w->tangent = numbers(n);
    w->tangent2 = numbers(n);
    w->place = numbers((size_t)p->place_size + (size_t)p->nq + (size_t)p->nu);
    if (w->sensors && w->sensors2 && w->residual && (w->slope || !w->slopes) && w->jacobian &&
        w->tangent && w->tangent2 && w->place)
        return true;
    tn_error_add(err, TN_ERROR_MEMORY, "plan: no memory");
    return false;
}

void tn_worker_destroy(TnPlanWorker *w)
{
    tn_derivatives_destroy(w->slopes);
    tn_world_destroy(w->knots);
    tn_world_destroy(w->world);
    tn_free(w->sensors);
    tn_free(w->sensors2);
    tn_free(w->residual);
    tn_free(w->slope);
    tn_free(w->jacobian);
    tn_free(w->tangent);
    tn_free(w->tangent2);
    tn_free(w->place);
}

void tn_plan_control(const TnPlan *p, int knot, const double *state, TnTry how, double *tangent,
                     double *ctrl)
{
    const TnKnot *at = p->knots ? &p->knots[knot] : NULL;
    const double *u = tn_path_ctrl(p, &p->plan, knot), *x = tn_path_state(p, &p->plan, knot);
    if (how.hold) {
        memcpy(ctrl, p->hold, sizeof(double) * (size_t)p->nu);
        return;
    }
    bool feedback = at && how.feedback && p->has_gains;
    if (feedback) {
        tn_model_difference(p->model, x, state, tangent);
        for (int k = 0; k < p->nv + p->na; k++)
            tangent[p->nv + k] = state[p->nq + k] - x[p->nq + k];
    }
    for (int i = 0; i < p->nu; i++) {
        double to = u[i] + (at && how.step != 0.0 ? how.step * at->k[i] : 0.0);
        for (int k = 0; feedback && k < p->ns; k++) to += at->K[i * p->ns + k] * tangent[k];
        /* gains of a state far off may be of any size */
        ctrl[i] = isfinite(to) ? tn_within(to, p->low[i], p->high[i]) : u[i];
    }
}

static void note_state(const TnPlan *p, const TnWorld *world, double *to)
{
    TnStateView state = tn_world_state(world);
    memcpy(to, state.qpos, sizeof(double) * (size_t)p->nq);
    memcpy(to + p->nq, state.qvel, sizeof(double) * (size_t)p->nv);
    if (p->na) memcpy(to + p->nq + p->nv, state.act, sizeof(double) * (size_t)p->na);
}

static double sum_of(const TnPlan *p, const double *costs)
{
    double sum = 0.0;
    for (int i = 0; i < p->def.cost_count; i++) sum += costs[i];
    return sum;
}

/* Controls and states of the knots that are not reached. */
static void stay(const TnPlan *p, TnPlanPath *path, int k)
{
    for (int i = k; i < p->def.horizon; i++) {
        if (i > k)
            memcpy(tn_path_ctrl(p, path, i), tn_path_ctrl(p, path, k),
                   sizeof(double) * (size_t)p->nu);
        memcpy(tn_path_state(p, path, i + 1), tn_path_state(p, path, k),
               sizeof(double) * (size_t)p->place_size);
    }
}

/* how NULL: the path has its controls. A path whose cost is infinite is not complete. */
static void roll_out(TnPlan *p, TnPlanWorker *w, TnPlanPath *path, const TnTry *how, double most)
{
    int last = p->def.horizon - 1;
    path->cost = INFINITY;
    path->rough = 0;
    path->steps = 0;
    memset(path->costs, 0, sizeof(double) * (size_t)p->def.cost_count);
    if (tn_world_restore(w->world, p->start, p->start_size, NULL) != TN_OK) return;
    note_state(p, w->world, path->states);
    for (int k = 0; k <= last; k++) {
        double *u = tn_path_ctrl(p, path, k);
        if (how) tn_plan_control(p, k, tn_path_state(p, path, k), *how, w->tangent, u);
        if (tn_world_set_ctrl(w->world, u, NULL) != TN_OK) return;
        for (int s = 0; s < p->def.repeat; s++) {
            TnStepReport report = tn_world_step(w->world);
            path->steps++;
            path->rough += report.rough;
            if (report.diverged) {
                stay(p, path, k);
                return;
            }
        }
        note_state(p, w->world, tn_path_state(p, path, k + 1));
        if (!tn_costs_add(p, w, w->world, u, k == last, path->costs)) return;
        double sum = sum_of(p, path->costs);
        if (!(sum <= most)) return;
    }
    path->cost = sum_of(p, path->costs);
    if (!isfinite(path->cost)) path->cost = INFINITY;
}

typedef struct Task {
    TnPlan *plan;
    int count;
    bool how;
    double most;
    atomic_int next;
} Task;

static void work(void *context, int begin, int end)
{
    Task *task = context;
    TnPlan *p = task->plan;
    for (int i = begin; i < end; i++)
        for (int t; (t = atomic_fetch_add(&task->next, 1)) < task->count;)
            roll_out(p, &p->workers[i], &p->tries[t], task->how ? &p->how[t] : NULL, task->most);
}

void tn_rollout_tries(TnPlan *p, int count, bool how, double most)
{
    Task task = {.plan = p, .count = count, .how = how, .most = most};
    atomic_init(&task.next, 0);
    tn_pool_run(p->pool, p->def.thread_count, 1, work, &task);
    for (int t = 0; t < count; t++) p->steps += p->tries[t].steps;
}

int tn_best_try(const TnPlan *p, int count)
{
    int best = -1;
    for (int t = 0; t < count; t++)
        if (isfinite(p->tries[t].cost) && (best < 0 || p->tries[t].cost < p->tries[best].cost))
            best = t;
    return best;
}

/* Copied, so that a view's pointers stay. */
void tn_plan_take(TnPlan *p, int which)
{
    const TnPlanPath *from = &p->tries[which];
    TnPlanPath *to = &p->plan;
    size_t knots = (size_t)p->def.horizon;
    memcpy(to->ctrl, from->ctrl, sizeof(double) * knots * (size_t)p->nu);
    memcpy(to->states, from->states, sizeof(double) * (knots + 1) * (size_t)p->place_size);
    memcpy(to->costs, from->costs, sizeof(double) * (size_t)p->def.cost_count);
    to->cost = from->cost;
    to->rough = from->rough;
}
