/* plan.c: a plan is made, begins, is solved, moves on. */
#include "plan.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../model/model.h"
#include "memory.h"

#define MOST_NUMBERS 4e8 /* of the derivatives along a plan: 3 GB */

const char *tn_plan_method_name(TnPlanMethod method)
{
    static const char *const names[] = {"ddp", "mppi", "cem"};
    return (int)method >= 0 && method < TN_PLAN_METHOD_COUNT ? names[method] : "";
}

TnPlanDef tn_plan_def(void)
{
    return (TnPlanDef){.horizon = 20,
                       .repeat = 1,
                       .thread_count = 1,
                       .world = tn_world_def(),
                       .smoothing = 1.0,
                       .compliance = 1.0 / 60.0,
                       .derivative_every = 1,
                       .samples = 64,
                       .noise = 0.3,
                       .temperature = 0.1};
}

static TnStatus refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "plan: %s", why);
    return TN_ERROR_USAGE;
}

static const char *wrong_numbers(const TnPlanDef *d)
{
    if (d->horizon < 1 || d->horizon > 10000) return "horizon must be 1 to 10000 knots";
    if (d->repeat < 1 || d->repeat > 1000) return "repeat must be 1 to 1000 steps";
    if ((int)d->method < 0 || d->method >= TN_PLAN_METHOD_COUNT) return "there is no such method";
    if (d->iterations < 0 || d->iterations > 100000) return "iterations must be 0 to 100000";
    if (!(d->seconds >= 0.0)) return "seconds must be 0 or more";
    if (d->thread_count < 1 || d->thread_count > 64) return "thread_count must be 1 to 64";
    if (!(d->smoothing >= 0.0 && d->smoothing <= 1e3)) return "smoothing must be 0 to 1000";
    if (!(d->compliance >= 1e-6 && d->compliance <= 1e3)) return "compliance must be 1e-6 to 1000";
    if (d->derivative_every < 1) return "derivative_every must be 1 or more";
    if (!(d->tolerance >= 0.0 && d->tolerance < 1.0)) return "tolerance must be 0 to below 1";
    if (d->samples < 2 || d->samples > 100000) return "samples must be 2 to 100000";
    if (d->seeds < 0 || d->seeds > 100000) return "seeds must be 0 to 100000";
    if (d->nodes < 0 || d->nodes > d->horizon) return "nodes must be 0 to the horizon";
    if (!(d->noise > 0.0 && d->noise <= 1e6)) return "noise must be above 0";
    if (!(d->temperature > 0.0 && d->temperature <= 1e6)) return "temperature must be above 0";
    if (d->world.spread || d->world.ranks) return "not of worlds in parts";
    if (d->cost_count < 1 || d->cost_count > 1000 || !d->costs) return "there are no costs";
    return NULL;
}

static bool check(const TnPlanDef *def, const TnModel *model, TnError *err)
{
    if (!model || !def) {
        if (!err || err->count == 0) refuse(err, "model and def must be given");
        return false;
    }
    const char *wrong = wrong_numbers(def);
    TnModelInfo info = tn_model_info(model);
    if (!wrong && info.actuator_count == 0)
        wrong = "the model has no actuators, so there is nothing to plan";
    double n = 2.0 * info.dof_count + info.act_count + info.actuator_count;
    if (!wrong && def->method == TN_PLAN_DDP && n * n * def->horizon > MOST_NUMBERS)
        wrong = "the model is too large for derivatives along this horizon: take a sampler (mppi, "
                "cem) or a shorter one";
    if (wrong) {
        refuse(err, wrong);
        return false;
    }
    return tn_costs_check(def, model, err);
}

/* DDP differentiates sensors at states: those of forces are not functions of one. */
static bool check_sensors(TnPlan *p, TnError *err)
{
    TnPlanWorker *w = &p->workers[0];
    if (p->def.method != TN_PLAN_DDP || !p->info.sensor_data_count) return true;
    if (tn_world_sensors(w->world, w->sensors, err) != TN_OK) return false;
    for (int c = 0; c < p->def.cost_count; c++) {
        const TnCost *cost = &p->costs[c];
        if (cost->def.kind != TN_COST_SENSOR) continue;
        for (int k = 0; k < cost->rows; k++) {
            if (!isnan(w->sensors[cost->first + k])) continue;
            tn_error_add(err, TN_ERROR_USAGE,
                         "plan: cost '%s': its sensor needs a step (forces, accelerations), which "
                         "ddp cannot follow; take mppi or cem",
                         cost->def.name);
            return false;
        }
    }
    return true;
}

static void find_limits(TnPlan *p)
{
    for (int i = 0; i < p->nu; i++) {
        TnActuatorInfo a = tn_model_actuator_info(p->model, i + 1);
        p->low[i] = a.ctrl_limited ? a.ctrl_range[0] : -INFINITY;
        p->high[i] = a.ctrl_limited ? a.ctrl_range[1] : INFINITY;
        p->sigma[i] = p->def.noise * (a.ctrl_limited ? 0.5 * (p->high[i] - p->low[i]) : 1.0);
    }
    for (int c = 0; c < p->def.cost_count; c++) {
        const TnCost *cost = &p->costs[c];
        for (int k = 0; cost->def.kind == TN_COST_CTRL && k < cost->rows; k++)
            p->hold[cost->first + k] = cost->def.goal[k];
    }
    for (int i = 0; i < p->nu; i++) p->hold[i] = tn_within(p->hold[i], p->low[i], p->high[i]);
    for (int k = 0; k < p->def.horizon; k++)
        memcpy(tn_path_ctrl(p, &p->plan, k), p->hold, sizeof(double) * (size_t)p->nu);
}

static bool make(TnPlan *p, TnError *err)
{
    const TnPlanDef *def = &p->def;
    if (!tn_plan_reserve(p)) {
        tn_error_add(err, TN_ERROR_MEMORY, "plan: no memory");
        return false;
    }
    for (int i = 0; i < def->thread_count; i++)
        if (!tn_worker_create(p, &p->workers[i], err)) return false;
    tn_costs_fill(p, tn_world_state(p->workers[0].world).qpos);
    find_limits(p);
    p->def.costs = NULL; /* the caller's */
    return check_sensors(p, err);
}

TnPlan *tn_plan_create(const TnPlanDef *def, const TnModel *model, TnError *err)
{
    if (!check(def, model, err)) return NULL;
    TnPlan *p = tn_calloc(1, sizeof *p);
    if (!p) {
        tn_error_add(err, TN_ERROR_MEMORY, "plan: no memory");
        return NULL;
    }
    static const int usual[] = {3, 1, 3};
    p->def = *def;
    p->def.world.thread_count = 1;
    p->def.world.log = NULL;
    p->def.world.device = TN_DEVICE_CPU;
    p->def.world.key = 0;
    if (def->iterations == 0) p->def.iterations = usual[def->method];
    p->model = model;
    p->info = tn_model_info(model);
    p->timestep = model->option.timestep;
    p->nq = p->info.qpos_count;
    p->nv = p->info.dof_count;
    p->na = p->info.act_count;
    p->nu = p->info.actuator_count;
    p->ns = 2 * p->nv + p->na;
    p->place_size = p->nq + p->nv + p->na;
    p->node_count = def->nodes ? def->nodes : def->horizon < 6 ? def->horizon : 6;
    p->start_cost = INFINITY;
    p->tail.cost = -1;
    for (int c = 0; c < def->cost_count; c++)
        if (def->costs[c].kind == TN_COST_TAIL) p->tail.cost = c;
    p->tail.stale = p->tail.cost >= 0;
    if (make(p, err)) return p;
    tn_plan_destroy(p);
    return NULL;
}

void tn_plan_destroy(TnPlan *p)
{
    if (!p) return;
    for (int i = 0; p->workers && i < p->def.thread_count; i++) tn_worker_destroy(&p->workers[i]);
    tn_pool_destroy(p->pool);
    tn_free(p->start);
    tn_free(p->block);
    tn_free(p);
}

bool tn_plan_has_model_of(const TnPlan *p, const TnWorld *world)
{
    TnModelInfo info = tn_model_info(tn_world_model(world));
    return info.qpos_count == p->nq && info.dof_count == p->nv && info.act_count == p->na &&
           info.actuator_count == p->nu && info.sensor_data_count == p->info.sensor_data_count &&
           info.site_count == p->info.site_count && info.body_count == p->info.body_count;
}

TnStatus tn_plan_start(TnPlan *p, const TnWorld *world, TnError *err)
{
    if (!p || !world) return refuse(err, "plan and world must be given");
    if (!tn_plan_has_model_of(p, world)) return refuse(err, "the world is of another model");
    size_t need = tn_world_save_size(world);
    if (need > p->start_capacity) {
        void *start = tn_malloc(need + need / 2);
        if (!start) {
            tn_error_add(err, TN_ERROR_MEMORY, "plan: no memory");
            return TN_ERROR_MEMORY;
        }
        tn_free(p->start);
        p->start = start;
        p->start_capacity = need + need / 2;
    }
    p->has_start = false;
    TnStatus status = tn_world_save(world, p->start, p->start_capacity, err);
    if (status != TN_OK) return status;
    p->start_size = need;
    status = tn_world_restore(p->workers[0].world, p->start, need, err);
    p->has_start = status == TN_OK;
    return status;
}

bool tn_plan_is_late(TnPlan *p, double begun)
{
    if (p->def.seconds > 0.0 && tn_clock() - begun >= p->def.seconds) p->late = true;
    return p->late;
}

/* The world is where the plan has it, so gains would change nothing. */
static bool is_as_planned(const TnPlan *p)
{
    TnStateView state = tn_world_state(p->workers[0].world);
    const double *x = tn_path_state(p, &p->plan, 0);
    size_t q = (size_t)p->nq, v = (size_t)p->nv, a = (size_t)p->na;
    return memcmp(x, state.qpos, sizeof(double) * q) == 0 &&
           memcmp(x + q, state.qvel, sizeof(double) * v) == 0 &&
           (a == 0 || memcmp(x + q + v, state.act, sizeof(double) * a) == 0);
}

/* The plan that was, as it is; then the one to begin with, and that under its gains, as far as they
 * cost less. */
static void begin(TnPlan *p)
{
    int count = p->has_gains && !is_as_planned(p) ? 2 : 1;
    p->how[0] = (TnTry){0};
    tn_rollout_tries(p, 1, true, INFINITY);
    p->start_cost = p->tries[0].cost;
    tn_plan_take(p, 0);
    p->how[0] = (TnTry){.hold = true};
    p->how[1] = (TnTry){.feedback = true};
    tn_rollout_tries(p, count, true, p->plan.cost);
    int best = tn_best_try(p, count);
    if (best >= 0 && p->tries[best].cost < p->plan.cost) tn_plan_take(p, best);
}

static void remark(TnPlan *p)
{
    p->remark[0] = 0;
    if (!isfinite(p->plan.cost)) {
        tn_text_set(p->remark, sizeof p->remark, "no roll-out could be finished: a step diverges",
                    NULL);
        return;
    }
    for (int c = 0; c < p->def.cost_count && p->iterations > 0; c++) {
        const TnPlanCost *cost = &p->costs[c].def;
        if (p->moved[c] || (cost->running == 0.0 && cost->terminal == 0.0)) continue;
        tn_text_set(p->remark, sizeof p->remark, "no control changes cost '%s' over this horizon",
                    cost->name);
        return;
    }
    if (p->without > 0)
        tn_text_set(p->remark, sizeof p->remark, "steps of some knots have no derivatives", NULL);
}

TnStatus tn_plan_solve(TnPlan *p, const TnWorld *world, TnError *err)
{
    if (!p) return refuse(err, "no plan");
    double begun = tn_clock();
    if (world) {
        TnStatus status = tn_plan_start(p, world, err);
        if (status != TN_OK) return status;
    }
    if (!p->has_start) return refuse(err, "a world must be given first (tn_plan_start)");
    p->iterations = p->without = p->at_limit = 0;
    p->steps = p->derivative_steps = 0;
    p->converged = p->late = false;
    memset(p->moved, 0, (size_t)p->def.cost_count);
    TnStatus status = tn_tail_update(p, err);
    if (status != TN_OK) return status;
    begin(p);
    if (p->def.method != TN_PLAN_DDP)
        tn_plan_sample(p, begun);
    else if (isfinite(p->plan.cost)) {
        tn_plan_seed(p);
        tn_plan_ddp(p, begun);
    }
    for (int k = 0; k < p->def.horizon; k++)
        for (int i = 0; i < p->nu; i++) {
            double u = tn_path_ctrl(p, &p->plan, k)[i];
            p->at_limit += u <= p->low[i] || u >= p->high[i];
        }
    remark(p);
    p->seconds = tn_clock() - begun;
    return TN_OK;
}

TnStatus tn_plan_shift(TnPlan *p, int knots, TnError *err)
{
    if (!p || knots < 0) return refuse(err, "a plan and a number of knots must be given");
    int T = p->def.horizon, by = knots < T ? knots : T;
    size_t gains = (size_t)p->nu * (size_t)p->ns;
    for (int k = 0; k < T; k++) {
        int from = k + by < T ? k + by : T - 1;
        if (from == k) continue;
        memcpy(tn_path_ctrl(p, &p->plan, k), tn_path_ctrl(p, &p->plan, from),
               sizeof(double) * (size_t)p->nu);
        if (k + by < T)
            memcpy(p->gains + (size_t)k * gains, p->gains + (size_t)from * gains,
                   sizeof(double) * gains);
    }
    for (int k = 0; k <= T && by > 0; k++)
        memcpy(tn_path_state(p, &p->plan, k), tn_path_state(p, &p->plan, k + by < T ? k + by : T),
               sizeof(double) * (size_t)p->place_size);
    /* the end is not planned yet: no state to go back to */
    memset(p->gains + (size_t)(T - by) * gains, 0, sizeof(double) * gains * (size_t)by);
    return TN_OK;
}

TnStatus tn_plan_set_ctrl(TnPlan *p, const double *ctrl, TnError *err)
{
    if (!p || !ctrl) return refuse(err, "plan and controls must be given");
    size_t count = (size_t)p->def.horizon * (size_t)p->nu;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(ctrl[k])) return refuse(err, "a control is not finite");
    for (size_t k = 0; k < count; k++) {
        size_t i = k % (size_t)p->nu;
        p->plan.ctrl[k] = tn_within(ctrl[k], p->low[i], p->high[i]);
    }
    p->has_gains = false;
    memset(p->gains, 0, sizeof(double) * count * (size_t)p->ns);
    return TN_OK;
}

TnStatus tn_plan_policy(const TnPlan *p, int knot, const double *qpos, const double *qvel,
                        const double *act, double *ctrl, TnError *err)
{
    if (!p || !qpos || !qvel || !ctrl || (p->na && !act))
        return refuse(err, "a plan, a state and room for the controls must be given");
    if (knot < 0 || knot >= p->def.horizon) return refuse(err, "there is no such knot");
    const double *x = tn_path_state(p, &p->plan, knot);
    const double *K = p->gains + (size_t)knot * (size_t)p->nu * (size_t)p->ns;
    double *d = p->off;
    tn_model_difference(p->model, x, qpos, d);
    for (int k = 0; k < p->nv; k++) d[p->nv + k] = qvel[k] - x[p->nq + k];
    for (int k = 0; k < p->na; k++) d[2 * p->nv + k] = act[k] - x[p->nq + p->nv + k];
    for (int i = 0; i < p->nu; i++) {
        double u = tn_path_ctrl(p, &p->plan, knot)[i];
        double to = u;
        for (int k = 0; k < p->ns; k++) to += K[i * p->ns + k] * d[k];
        ctrl[i] = isfinite(to) ? tn_within(to, p->low[i], p->high[i]) : u;
    }
    return TN_OK;
}
