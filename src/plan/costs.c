/* costs.c: what a cost refers to, and what is wrong with one. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "plan.h"

const char *tn_plan_cost_kind_name(TnPlanCostKind kind)
{
    static const char *const names[] = {"position", "velocity", "point", "sensor", "ctrl", "tail"};
    return (int)kind >= 0 && kind < TN_COST_KIND_COUNT ? names[kind] : "";
}

TnPlanCost tn_plan_cost(TnPlanCostKind kind) { return (TnPlanCost){.kind = kind}; }

static const char *name_of(const TnPlanCost *cost)
{
    return cost->name && cost->name[0] ? cost->name : tn_plan_cost_kind_name(cost->kind);
}

int tn_cost_rows(const TnPlanCost *cost, const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    switch (cost->kind) {
    case TN_COST_POSITION:
    case TN_COST_VELOCITY:
        return cost->joint ? tn_model_joint_info(model, cost->joint).dof_count : info.dof_count;
    case TN_COST_POINT:
        return 3;
    case TN_COST_SENSOR:
        return tn_model_sensor_info(model, cost->sensor).data_count;
    case TN_COST_CTRL:
        return cost->actuator ? 1 : info.actuator_count;
    case TN_COST_TAIL:
        return 2 * info.dof_count + info.act_count;
    case TN_COST_KIND_COUNT:
        break;
    }
    return 0;
}

/* Its goal is of qpos. */
static bool is_position(const TnPlanCost *cost)
{
    return cost->kind == TN_COST_POSITION || cost->kind == TN_COST_TAIL;
}

int tn_cost_goal_count(const TnPlanCost *cost, const TnModel *model)
{
    if (!is_position(cost)) return tn_cost_rows(cost, model);
    return cost->joint ? tn_model_joint_info(model, cost->joint).qpos_count
                       : tn_model_info(model).qpos_count;
}

static bool is_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Unit quaternions come from any of length above zero. */
static bool has_zero_quat(const TnPlanCost *cost, const TnModel *model, const double *goal)
{
    int joints = tn_model_info(model).joint_count, start = 0;
    if (!is_position(cost)) return false;
    if (cost->joint) start = tn_model_joint_info(model, cost->joint).qpos_start;
    for (TnJointId j = 1; j <= joints; j++) {
        TnJointInfo info = tn_model_joint_info(model, j);
        if (cost->joint && cost->joint != j) continue;
        if (info.type != TN_JOINT_FREE && info.type != TN_JOINT_BALL) continue;
        const double *q = goal + info.qpos_start - start + (info.type == TN_JOINT_FREE ? 3 : 0);
        if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < 1e-20) return true;
    }
    return false;
}

bool tn_cost_goal_fits(const TnPlanCost *cost, const TnModel *model, const double *goal, int count,
                       TnError *err)
{
    int need = tn_cost_goal_count(cost, model);
    const char *what = NULL;
    if (!goal || count != need) {
        tn_error_add(err, TN_ERROR_USAGE, "plan: the goal of cost '%s' has %d numbers, needs %d",
                     name_of(cost), goal ? count : 0, need);
        return false;
    }
    if (!is_finite(goal, count))
        what = "is not finite";
    else if (has_zero_quat(cost, model, goal))
        what = "has a quaternion of length zero";
    if (what)
        tn_error_add(err, TN_ERROR_USAGE, "plan: the goal of cost '%s' %s", name_of(cost), what);
    return !what;
}

static const char *wrong_id(const TnPlanCost *c, const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    bool has_site = c->site >= 1 && c->site <= info.site_count;
    bool has_body = c->body >= 1 && c->body <= info.body_count;
    if ((int)c->kind < 0 || c->kind >= TN_COST_KIND_COUNT) return "there is no such kind";
    if (c->joint < 0 || c->joint > info.joint_count) return "the model has no such joint";
    if (c->actuator < 0 || c->actuator > info.actuator_count)
        return "the model has no such actuator";
    if (c->kind == TN_COST_SENSOR && (c->sensor < 1 || c->sensor > info.sensor_count))
        return "the model has no such sensor";
    if (c->kind == TN_COST_TAIL && (c->joint || c->weights))
        return "a tail is of the whole state and has no weights of its own";
    if (c->kind != TN_COST_POINT) return NULL;
    if ((c->site && !has_site) || c->to_site < 0 || c->to_site > info.site_count)
        return "the model has no such site";
    if ((c->body && !has_body) || c->to_body < 0 || c->to_body > info.body_count)
        return "the model has no such body";
    if (has_site == has_body) return "either a site or a body must be given";
    if (c->to_site && c->to_body) return "either to_site or to_body may be given";
    return NULL;
}

static const char *wrong_weights(const TnPlanCost *c)
{
    if (!(c->running >= 0.0 && c->running <= 1e30) || !(c->terminal >= 0.0 && c->terminal <= 1e30))
        return "running and terminal must be 0 or more";
    if (c->kind == TN_COST_CTRL && c->terminal > 0.0)
        return "there is no control at the end: terminal must be 0";
    if (c->kind == TN_COST_TAIL && c->running > 0.0)
        return "a tail is what comes after the end: running must be 0";
    for (int i = 0; c->weights && i < c->weight_count; i++)
        if (!(c->weights[i] >= 0.0 && c->weights[i] <= 1e30)) return "a weight is not 0 or more";
    return NULL;
}

bool tn_costs_check(const TnPlanDef *def, const TnModel *model, TnError *err)
{
    bool ok = true, counts = false;
    int tails = 0;
    for (int i = 0; i < def->cost_count; i++) {
        const TnPlanCost *c = &def->costs[i];
        const char *wrong = wrong_id(c, model);
        if (!wrong) wrong = wrong_weights(c);
        if (wrong) {
            tn_error_add(err, TN_ERROR_USAGE, "plan: cost %d ('%s'): %s", i + 1, name_of(c), wrong);
            ok = false;
            continue;
        }
        int rows = tn_cost_rows(c, model);
        if (c->weights && c->weight_count != rows) {
            tn_error_add(err, TN_ERROR_USAGE, "plan: cost %d ('%s') has %d weights, needs %d",
                         i + 1, name_of(c), c->weight_count, rows);
            ok = false;
        }
        if (c->goal && !tn_cost_goal_fits(c, model, c->goal, c->goal_count, err)) ok = false;
        tails += c->kind == TN_COST_TAIL;
        counts = counts || c->running > 0.0 || c->terminal > 0.0;
    }
    if (tails > 1) {
        tn_error_add(err, TN_ERROR_USAGE, "plan: there is more than one cost of kind tail");
        ok = false;
    }
    if (ok && !counts) {
        tn_error_add(err, TN_ERROR_USAGE, "plan: no cost has a weight above zero");
        ok = false;
    }
    return ok;
}

size_t tn_costs_numbers(const TnPlanDef *def, const TnModel *model)
{
    size_t sum = 1;
    int whole = tn_model_info(model).qpos_count;
    for (int i = 0; i < def->cost_count; i++)
        sum += (size_t)tn_cost_rows(&def->costs[i], model) +
               (size_t)(is_position(&def->costs[i]) ? whole
                                                    : tn_cost_goal_count(&def->costs[i], model));
    return sum;
}

static int first_of(const TnPlanCost *c, const TnModel *model)
{
    if (c->kind == TN_COST_POSITION || c->kind == TN_COST_VELOCITY)
        return c->joint ? tn_model_joint_info(model, c->joint).dof_start : 0;
    if (c->kind == TN_COST_SENSOR) return tn_model_sensor_info(model, c->sensor).data_start;
    return c->actuator ? c->actuator - 1 : 0;
}

/* A position's goal is all of qpos, so that its difference is that of two states. */
static void fill_goal(const TnModel *model, const TnPlanCost *c, const double *qpos0, double *goal)
{
    int count = tn_cost_goal_count(c, model), start = 0;
    if (is_position(c)) {
        memcpy(goal, qpos0, sizeof(double) * (size_t)tn_model_info(model).qpos_count);
        if (c->joint) start = tn_model_joint_info(model, c->joint).qpos_start;
    }
    if (c->goal && count) memcpy(goal + start, c->goal, sizeof(double) * (size_t)count);
}

void tn_costs_fill(TnPlan *p, const double *qpos0)
{
    double *at = p->numbers;
    char *text = p->names;
    for (int i = 0; i < p->def.cost_count; i++) {
        const TnPlanCost *from = &p->def.costs[i];
        TnCost *c = &p->costs[i];
        *c = (TnCost){
            .def = *from, .first = first_of(from, p->model), .rows = tn_cost_rows(from, p->model)};
        for (int k = 0; k < c->rows; k++) at[k] = from->weights ? from->weights[k] : 1.0;
        c->def.weights = at;
        c->def.weight_count = c->rows;
        at += c->rows;
        fill_goal(p->model, from, qpos0, at);
        c->def.goal = at;
        at += is_position(from) ? p->nq : c->rows;
        size_t length = strlen(name_of(from)) + 1;
        memcpy(text, name_of(from), length);
        c->def.name = text;
        text += length;
    }
}

const char *tn_plan_cost_name(const TnPlan *p, int cost)
{
    return p && cost >= 0 && cost < p->def.cost_count ? p->costs[cost].def.name : NULL;
}

TnStatus tn_plan_set_goal(TnPlan *p, int cost, const double *goal, int count, TnError *err)
{
    if (!p || cost < 0 || cost >= p->def.cost_count) {
        tn_error_add(err, TN_ERROR_USAGE, "plan: there is no cost %d", cost);
        return TN_ERROR_USAGE;
    }
    TnPlanCost *def = &p->costs[cost].def;
    if (!tn_cost_goal_fits(def, p->model, goal, count, err)) return TN_ERROR_USAGE;
    int start = 0;
    if (is_position(def) && def->joint)
        start = tn_model_joint_info(p->model, def->joint).qpos_start;
    if (count) memcpy((double *)def->goal + start, goal, sizeof(double) * (size_t)count);
    p->tail.stale = p->tail.cost >= 0;
    return TN_OK;
}

TnStatus tn_plan_set_weight(TnPlan *p, int cost, double running, double terminal, TnError *err)
{
    if (!p || cost < 0 || cost >= p->def.cost_count) {
        tn_error_add(err, TN_ERROR_USAGE, "plan: there is no cost %d", cost);
        return TN_ERROR_USAGE;
    }
    TnPlanCost changed = p->costs[cost].def;
    changed.running = running;
    changed.terminal = terminal;
    const char *wrong = wrong_weights(&changed);
    if (wrong) {
        tn_error_add(err, TN_ERROR_USAGE, "plan: cost '%s': %s", changed.name, wrong);
        return TN_ERROR_USAGE;
    }
    p->costs[cost].def = changed;
    p->tail.stale = p->tail.cost >= 0;
    return TN_OK;
}
