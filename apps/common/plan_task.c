/* plan_task.c: task files: lines of words. */
#include "plan_task.h"

#include "platform/files.h"
#include "platform/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, WORDS = 512 };

typedef struct Reader {
    PlanTask *task;
    PlanTaskModel *model;
    void *user;
    TnError *err;
    const char *path; /* what a message is about */
    int line;
    char *words[WORDS];
    int count, at; /* words of this line; the next one */
    char text[LINE];
} Reader;

static bool wrong(const Reader *r, const char *what, const char *word)
{
    *r->err = (TnError){.code = TN_ERROR_MODEL, .count = 1};
    int at = snprintf(r->err->message, sizeof r->err->message, "%s:%d: %s", r->path, r->line, what);
    if (word && at < (int)sizeof r->err->message)
        snprintf(r->err->message + at, sizeof r->err->message - (size_t)at, " '%.200s'", word);
    return false;
}

static const char *next(Reader *r) { return r->at < r->count ? r->words[r->at++] : NULL; }

static bool as_number(const char *word, double *out)
{
    return word && tn_number_is(word, strlen(word), out) && isfinite(*out);
}

static bool take_number(Reader *r, const char *key, double *out)
{
    const char *word = next(r);
    if (as_number(word, out)) return true;
    return wrong(r, "a number must follow", key);
}

static bool take_int(Reader *r, const char *key, int *out)
{
    double x;
    if (!take_number(r, key, &x)) return false;
    if (x != floor(x) || fabs(x) > 1e9) return wrong(r, "a whole number must follow", key);
    *out = (int)x;
    return true;
}

/* As many numbers as follow. */
static bool take_numbers(Reader *r, const char *key, const double **out, int *count)
{
    PlanTask *task = r->task;
    double x;
    *out = task->numbers + task->number_count;
    *count = 0;
    while (r->at < r->count && as_number(r->words[r->at], &x)) {
        if (task->number_count >= TASK_NUMBERS) return wrong(r, "too many numbers", NULL);
        task->numbers[task->number_count++] = x;
        ++*count;
        r->at++;
    }
    return *count > 0 || wrong(r, "numbers must follow", key);
}

/* A site or else a body of this name. */
static bool take_place(Reader *r, TnSiteId *site, TnBodyId *body)
{
    const char *name = next(r);
    if (!name) return wrong(r, "the name of a site or body must follow", NULL);
    *site = tn_model_find_site(r->task->model, name);
    *body = *site ? 0 : tn_model_find_body(r->task->model, name);
    return *site || *body || wrong(r, "the model has no site or body", name);
}

static bool take_object(Reader *r, TnPlanCost *cost)
{
    const TnModel *model = r->task->model;
    if (cost->kind == TN_COST_POINT) return take_place(r, &cost->site, &cost->body);
    if (cost->kind == TN_COST_TAIL) return true;
    const char *name = next(r);
    if (!name) return wrong(r, "a name, or 'all', must follow the kind of the cost", NULL);
    bool all = !strcmp(name, "all");
    if (cost->kind == TN_COST_SENSOR) {
        cost->sensor = tn_model_find_sensor(model, name);
        return cost->sensor || wrong(r, "the model has no sensor", name);
    }
    if (cost->kind == TN_COST_CTRL) {
        cost->actuator = all ? 0 : tn_model_find_actuator(model, name);
        return all || cost->actuator || wrong(r, "the model has no actuator", name);
    }
    cost->joint = all ? 0 : tn_model_find_joint(model, name);
    return all || cost->joint || wrong(r, "the model has no joint", name);
}

static bool take_property(Reader *r, TnPlanCost *cost, int index)
{
    const char *key = next(r);
    if (!strcmp(key, "running")) return take_number(r, key, &cost->running);
    if (!strcmp(key, "terminal")) return take_number(r, key, &cost->terminal);
    if (!strcmp(key, "goal")) return take_numbers(r, key, &cost->goal, &cost->goal_count);
    if (!strcmp(key, "weights")) return take_numbers(r, key, &cost->weights, &cost->weight_count);
    if (!strcmp(key, "to") && cost->kind == TN_COST_POINT)
        return take_place(r, &cost->to_site, &cost->to_body);
    if (!strcmp(key, "within") && cost->kind != TN_COST_CTRL)
        return take_number(r, key, &r->task->within[index]);
    if (!strcmp(key, "name") && r->at < r->count) {
        snprintf(r->task->names[index], TASK_TEXT, "%s", next(r));
        return true;
    }
    return wrong(r, "a cost has no", key);
}

static bool take_cost(Reader *r)
{
    PlanTask *task = r->task;
    int index = task->def.cost_count, kind = 0;
    const char *word = next(r);
    if (!task->model) return wrong(r, "the model must come before the costs", NULL);
    if (index >= TASK_COSTS) return wrong(r, "too many costs", NULL);
    while (kind < TN_COST_KIND_COUNT &&
           (!word || strcmp(word, tn_plan_cost_kind_name((TnPlanCostKind)kind))))
        kind++;
    if (kind == TN_COST_KIND_COUNT)
        return wrong(r, "a cost is of position, velocity, point, sensor, ctrl or tail, not", word);
    TnPlanCost *cost = &task->costs[index];
    *cost = tn_plan_cost((TnPlanCostKind)kind);
    task->within[index] = INFINITY;
    if (!take_object(r, cost)) return false;
    if (cost->kind == TN_COST_TAIL)
        snprintf(task->names[index], TASK_TEXT, "%s", word);
    else
        snprintf(task->names[index], TASK_TEXT, "%s %s", word, r->words[r->at - 1]);
    while (r->at < r->count)
        if (!take_property(r, cost, index)) return false;
    cost->name = task->names[index];
    task->def.cost_count++;
    return true;
}

/* Beside the task file. */
static bool take_model(Reader *r)
{
    const char *name = next(r), *slash = strrchr(r->path, '/');
    char path[2 * LINE];
    if (!name || r->task->model) return wrong(r, "one model must be named", NULL);
    int folder = slash && !tn_path_root(name) ? (int)(slash - r->path) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, r->path, name);
    r->task->model = r->model(r->user, path, r->err);
    return r->task->model != NULL;
}

static bool take_key(Reader *r)
{
    const char *name = next(r);
    if (!r->task->model || !name) return wrong(r, "a keyframe of the model must be named", NULL);
    r->task->key = tn_model_find_key(r->task->model, name);
    return r->task->key || wrong(r, "the model has no keyframe", name);
}

static bool take_line(Reader *r)
{
    static const char *const methods[] = {"ddp", "mppi", "cem"};
    TnPlanDef *def = &r->task->def;
    const char *key = next(r);
    if (!strcmp(key, "cost")) return take_cost(r);
    if (!strcmp(key, "model")) return take_model(r);
    if (!strcmp(key, "horizon")) return take_int(r, key, &def->horizon);
    if (!strcmp(key, "repeat")) return take_int(r, key, &def->repeat);
    if (!strcmp(key, "every"))
        return take_int(r, key, &r->task->every) &&
               (r->task->every >= 1 || wrong(r, "every must be 1 or more knots", NULL));
    if (!strcmp(key, "iterations")) return take_int(r, key, &def->iterations);
    if (!strcmp(key, "derivative_every")) return take_int(r, key, &def->derivative_every);
    if (!strcmp(key, "seeds")) return take_int(r, key, &def->seeds);
    if (!strcmp(key, "tolerance")) return take_number(r, key, &def->tolerance);
    if (!strcmp(key, "samples")) return take_int(r, key, &def->samples);
    if (!strcmp(key, "nodes")) return take_int(r, key, &def->nodes);
    if (!strcmp(key, "noise")) return take_number(r, key, &def->noise);
    if (!strcmp(key, "temperature")) return take_number(r, key, &def->temperature);
    if (!strcmp(key, "smoothing")) return take_number(r, key, &def->smoothing);
    if (!strcmp(key, "compliance")) return take_number(r, key, &def->compliance);
    if (!strcmp(key, "key")) return take_key(r);
    if (!strcmp(key, "method") && r->at < r->count) {
        const char *name = next(r);
        for (int k = 0; k < TN_PLAN_METHOD_COUNT; k++)
            if (!strcmp(name, methods[k])) {
                def->method = (TnPlanMethod)k;
                return true;
            }
        return wrong(r, "a method is ddp, mppi or cem, not", name);
    }
    return wrong(r, "no line of a task begins with", key);
}

static bool read_lines(Reader *r, FILE *file)
{
    while (fgets(r->text, LINE, file)) {
        r->line++;
        if (strlen(r->text) == LINE - 1) return wrong(r, "the line is too long", NULL);
        r->text[strcspn(r->text, "#\r\n")] = 0;
        r->count = r->at = 0;
        for (char *at = r->text; *at && r->count < WORDS;) {
            at += strspn(at, " \t");
            if (*at) r->words[r->count++] = at;
            at += strcspn(at, " \t");
            if (*at) *at++ = 0;
        }
        if (r->count == 0) continue;
        if (!take_line(r)) return false;
        if (r->at < r->count) return wrong(r, "not understood:", r->words[r->at]);
    }
    if (!r->task->model) return wrong(r, "the task has no model", NULL);
    return true;
}

TnStatus plan_task_read(PlanTask *task, const char *path, PlanTaskModel *model, void *user,
                        TnError *err)
{
    *task = (PlanTask){.def = tn_plan_def(), .every = 1};
    *err = (TnError){0};
    FILE *file = tn_stream_open(path, "r");
    Reader *reader = calloc(1, sizeof *reader);
    TnStatus status = TN_ERROR_IO;
    if (!file || !reader) {
        *err = (TnError){.code = TN_ERROR_IO, .count = 1};
        snprintf(err->message, sizeof err->message, "%s: cannot be read: %s", path,
                 strerror(errno));
    } else {
        *reader = (Reader){.task = task, .model = model, .user = user, .err = err, .path = path};
        status = read_lines(reader, file) ? TN_OK : TN_ERROR_MODEL;
    }
    free(reader);
    if (file) fclose(file);
    task->def.costs = task->costs;
    return status;
}
