/* plan.c: the plan of a task (docs/control.md): it drives the controls, and its goals move. */
#include "engine.h"

#include "../common/json.h"
#include "platform/files.h"

#include <stdlib.h>
#include <string.h>

static const TnModel *own_model(void *user, const char *path, TnError *err)
{
    const Engine *e = user;
    (void)path, (void)err; /* the page has one model: that which the task names */
    return e->model;
}

/* As at the start: goals stay where they were put. */
static bool make_plan(Engine *e)
{
    TnPlan *plan = tn_plan_create(&e->task->def, e->model, &engine_error);
    if (!plan) return false;
    tn_plan_destroy(e->plan);
    e->plan = plan;
    e->plan_step = 0;
    return true;
}

bool engine_restart_plan(Engine *e) { return !e->plan || make_plan(e); }

/* Goals that can be dragged: places in the world that the task names. */
static bool is_place(const TnPlanCost *cost)
{
    return cost->kind == TN_COST_POINT && cost->goal && !cost->to_site && !cost->to_body;
}

static char *describe_plan(const Engine *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&text, &size);
    if (!out) return NULL;
    Json json = json_to(out);
    TnPlanView view = tn_plan_view(e->plan);
    json_begin_object(&json, NULL);
    json_integer(&json, "horizon", view.horizon);
    json_number(&json, "knot", view.knot);
    json_integer(&json, "every", e->task->every);
    if (e->task->key) json_string(&json, "key", tn_model_key_name(e->model, e->task->key));
    json_begin_array(&json, "goals");
    for (int c = 0; c < e->task->def.cost_count; c++) {
        const TnPlanCost *cost = &e->task->costs[c];
        double axes[3] = {1, 1, 1};
        if (!is_place(cost)) continue;
        for (int k = 0; k < 3 && cost->weights; k++) axes[k] = cost->weights[k] > 0;
        json_begin_object(&json, NULL);
        json_integer(&json, "cost", c);
        json_string(&json, "name", e->task->names[c]);
        json_numbers(&json, "place", cost->goal, 3);
        json_numbers(&json, "axes", axes, 3);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    return tn_stream_close_memory(out, &text, &size) == 0 ? text : NULL;
}

/* The task in this file, for the model that is open: from now on its plan has the controls. JSON,
 * which tenon_give frees; NULL: what is wrong with it. */
char *LIVE_EXPORT(tenon_plan)(Engine *e, const char *path)
{
    TnError err;
    PlanTask *task = malloc(sizeof *task), *old = e->task;
    if (!task || plan_task_read(task, path, own_model, e, &err) != TN_OK) {
        if (task) engine_error = err;
        free(task);
        return NULL;
    }
    e->task = task;
    if (!make_plan(e)) {
        e->task = old;
        free(task);
        return NULL;
    }
    free(old);
    e->planning = true;
    return describe_plan(e);
}

/* Whether the plan has the controls; it begins anew from what the world then is. */
bool LIVE_EXPORT(tenon_set_planning)(Engine *e, bool on)
{
    if (!e->plan) return !on;
    if (on && !e->planning) e->plan_step = 0;
    e->planning = on;
    return true;
}

/* Of the cost `cost` of the task, from 0. */
bool LIVE_EXPORT(tenon_set_goal)(Engine *e, int cost, double x, double y, double z)
{
    if (!e->plan || cost < 0 || cost >= e->task->def.cost_count || !is_place(&e->task->costs[cost]))
        return engine_refuse("there is no such goal");
    const double place[3] = {x, y, z};
    if (tn_plan_set_goal(e->plan, cost, place, 3, &engine_error) != TN_OK) return false;
    /* the numbers are the task's own */
    memcpy(e->task->numbers + (e->task->costs[cost].goal - e->task->numbers), place, sizeof place);
    return true;
}

/* Controls for the next step. False: no plan could be made. */
bool engine_plan_step(Engine *e)
{
    int knots = e->task->every, repeat;
    TnPlanView view = tn_plan_view(e->plan);
    if (knots > view.horizon) knots = view.horizon;
    repeat = view.repeat;
    if (e->plan_step == knots * repeat) {
        if (tn_plan_shift(e->plan, knots, &engine_error) != TN_OK) return false;
        e->plan_step = 0;
    }
    if (e->plan_step == 0 && tn_plan_solve(e->plan, e->world, &engine_error) != TN_OK) return false;
    view = tn_plan_view(e->plan);
    if (e->plan_step % repeat == 0) {
        const double *ctrl = view.ctrl + (size_t)(e->plan_step / repeat) * (size_t)view.ctrl_count;
        if (tn_world_set_ctrl(e->world, ctrl, &engine_error) != TN_OK) return false;
    }
    e->plan_step++;
    return true;
}
