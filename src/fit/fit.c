/* fit.c: a fit from definition to result; stages and the trust region. */
#include <tenon/fit.h>

#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "parts.h"

TnFitParameter tn_fit_parameter(TnParameterKind kind, int32_t id, int index)
{
    return (TnFitParameter){.parameter = {kind, id, index},
                            .start = NAN,
                            .low = -INFINITY,
                            .high = INFINITY,
                            .prior = NAN};
}

TnFitDef tn_fit_def(void)
{
    return (TnFitDef){.world = tn_world_def(),
                      .known = 1.0,
                      .stages = 4,
                      .max_iterations = 100,
                      .step = 1e-6,
                      .thread_count = 1};
}

static TnStatus no_memory(TnError *err)
{
    tn_error_add(err, TN_ERROR_MEMORY, "fit: no memory");
    return TN_ERROR_MEMORY;
}

static double *copy_numbers(const double *from, size_t count)
{
    double *to = tn_calloc(count + 1, sizeof(double));
    if (to && from && count) memcpy(to, from, sizeof(double) * count);
    return to;
}

/* ---- runs ---- */

static bool note_start(TnFit *fit, TnFitLog *log, const TnFitRun *run, const TnStateView *rest)
{
    const TnModel *model = fit->model;
    log->qpos = copy_numbers(run->qpos ? run->qpos : rest->qpos, (size_t)model->qpos_count);
    log->qvel = copy_numbers(run->qvel ? run->qvel : rest->qvel, (size_t)model->dof_count);
    log->act = copy_numbers(run->act ? run->act : rest->act, (size_t)model->act_count);
    log->free_at = tn_calloc((size_t)fit->nx + 1, sizeof(int));
    log->free_sigma = tn_calloc((size_t)fit->nx + 1, sizeof(double));
    if (!log->qpos || !log->qvel || !log->act || !log->free_at || !log->free_sigma) return false;
    for (int k = 0; run->start_sigma && k < fit->nx; k++)
        if (run->start_sigma[k] > 0.0) {
            log->free_at[log->free_count] = k;
            log->free_sigma[log->free_count++] = run->start_sigma[k];
        }
    return true;
}

static bool note_run(TnFit *fit, TnFitLog *log, const TnFitRun *run, int every,
                     const TnStateView *rest)
{
    log->samples = run->sample_count;
    log->every = every;
    size_t count = (size_t)log->samples * (size_t)fit->nc;
    if (!note_start(fit, log, run, rest)) return false;
    size_t width = (size_t)(log->free_count + fit->np), nf = (size_t)log->free_count;
    if (run->ctrl) {
        log->ctrl =
            copy_numbers(run->ctrl, (size_t)log->samples * (size_t)fit->model->actuator_count);
        if (!log->ctrl) return false;
    }
    log->offset = tn_calloc(nf + 1, sizeof(double));
    log->trial = tn_calloc(nf + 1, sizeof(double));
    log->change = tn_calloc(nf + 1, sizeof(double));
    log->measured = copy_numbers(run->measured, count);
    log->simulated = tn_calloc(count, sizeof(double));
    log->tried = tn_calloc(count, sizeof(double));
    log->slopes = tn_calloc(count * width, sizeof(double));
    log->left = tn_calloc((count + nf) * (width + 1), sizeof(double));
    log->pivots = tn_calloc(width + 1, sizeof(int));
    if (log->free_count > fit->most_free) fit->most_free = log->free_count;
    if (log->samples > fit->most_samples) fit->most_samples = log->samples;
    return log->offset && log->trial && log->change && log->measured && log->simulated &&
           log->tried && log->slopes && log->left && log->pivots;
}

static void free_log(TnFitLog *log)
{
    void *all[] = {log->ctrl,       log->qpos,   log->qvel,  log->act,    log->free_at,
                   log->free_sigma, log->offset, log->trial, log->change, log->measured,
                   log->simulated,  log->tried,  log->left,  log->slopes, log->pivots};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tn_free(all[i]);
}

/* ---- workers ---- */

/* Its forces are solved to rounding: differences of simulations are divided by a small step. */
static bool create_worker(TnFit *fit, TnFitWorker *worker, TnError *err)
{
    const TnModel *model = fit->model;
    TnWorldDef def = fit->def.world;
    def.thread_count = 1;
    def.key = 0;
    if (tn_solves_to_tolerance(&def.solver))
        def.solver.tolerance = fmin(def.solver.tolerance, TN_ROUND_OFF);
    worker->copy.world = tn_world_create(&def, model, err);
    if (!worker->copy.world) return false;
    worker->copy.world->untimed = true;
    if (!tn_copy_note_parameters(&worker->copy)) return no_memory(err) == TN_OK;
    return true;
}

static bool reserve_worker(TnFit *fit, TnFitWorker *worker, TnError *err)
{
    const TnModel *model = fit->model;
    size_t width = (size_t)(fit->most_free + fit->np) + 1, nx = (size_t)fit->nx,
           outputs = (size_t)fit->most_samples * (size_t)fit->nc;
    size_t column = 2 * width > (size_t)model->qpos_count ? 2 * width : (size_t)model->qpos_count;
    worker->sensors = tn_calloc((size_t)tn_model_info(model).sensor_data_count + 1, sizeof(double));
    worker->start = tn_calloc((size_t)tn_place_size(model) + 1, sizeof(double));
    worker->tangent = tn_calloc(nx + 1, sizeof(double));
    worker->jacobian = tn_calloc(6 * (size_t)model->dof_count + 1, sizeof(double));
    worker->S = tn_calloc(nx * width + 1, sizeof(double));
    worker->next = tn_calloc(nx * width + 1, sizeof(double));
    worker->column = tn_calloc(column + 1, sizeof(double));
    worker->moved = tn_calloc(width, sizeof(double));
    worker->outputs = tn_calloc(outputs, sizeof(double));
    if (!worker->sensors || !worker->start || !worker->tangent || !worker->jacobian || !worker->S ||
        !worker->next || !worker->column || !worker->moved || !worker->outputs)
        return no_memory(err) == TN_OK;
    if (fit->def.method != TN_FIT_IMPLICIT) return true;
    TnDerivativeDef def = tn_derivative_def();
    def.ctrl = false;
    def.parameters = fit->list;
    def.parameter_count = fit->np;
    def.sides = 1;
    worker->derivatives = tn_derivatives_create(worker->copy.world, &def, err);
    return worker->derivatives != NULL;
}

static void free_worker(TnFitWorker *worker)
{
    tn_derivatives_destroy(worker->derivatives);
    tn_world_destroy(worker->copy.world);
    for (int k = 0; k < TN_OWN_COUNT; k++) tn_free(worker->copy.parts[k]);
    void *all[] = {worker->sensors, worker->start,  worker->tangent, worker->jacobian, worker->S,
                   worker->next,    worker->column, worker->moved,   worker->outputs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tn_free(all[i]);
}

/* ---- made and destroyed ---- */

static void fill_in(TnFit *fit)
{
    for (int i = 0; i < fit->np; i++) {
        TnFitParameter *p = &fit->parameters[i];
        bool logs = tn_fit_is_log(p);
        if (isnan(p->start)) p->start = tn_parameter_get(fit->model, &p->parameter);
        if (isnan(p->prior)) p->prior = p->start;
        if (tn_parameter_is_one_sided(p->parameter.kind)) p->low = fmax(p->low, 0.0);
        if (!(p->prior_sigma > 0.0) && fit->def.unseen == TN_FIT_REGULARIZE) {
            p->prior = p->start;
            p->prior_sigma = fit->def.known;
            if (!logs) p->prior_sigma *= tn_parameter_scale(fit->model, &p->parameter);
        }
        fit->list[i] = p->parameter;
        fit->unit[i] = logs ? 1.0 : tn_parameter_scale(fit->model, &p->parameter);
        fit->u[i] = logs ? tn_log(p->start) : p->start / fit->unit[i];
        fit->least[i] = logs ? (p->low > 0.0 ? tn_log(p->low) : -INFINITY) : p->low / fit->unit[i];
        fit->most[i] = logs ? tn_log(p->high) : p->high / fit->unit[i];
        fit->values[i] = p->start;
    }
}

static bool reserve(TnFit *fit)
{
    size_t n = (size_t)fit->np, runs = (size_t)fit->def.run_count, nc = (size_t)fit->nc;
    fit->parameters = tn_calloc(n, sizeof *fit->parameters);
    fit->channels = tn_calloc(nc, sizeof *fit->channels);
    fit->list = tn_calloc(n, sizeof *fit->list);
    fit->logs = tn_calloc(runs, sizeof *fit->logs);
    fit->workers = tn_calloc((size_t)fit->def.thread_count, sizeof *fit->workers);
    fit->pool = fit->def.thread_count > 1 ? tn_pool_create(fit->def.thread_count) : NULL;
    double **vectors[] = {&fit->unit, &fit->u, &fit->trial, &fit->most,   &fit->least,
                          &fit->s,    &fit->c, &fit->way,   &fit->values, &fit->sigma};
    bool ok = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok = (*vectors[i] = tn_calloc(n, sizeof(double))) && ok;
    fit->stack = tn_calloc((runs * (n + 1) + n) * (n + 1), sizeof(double));
    fit->stack_pivots = tn_calloc(n + 1, sizeof(int));
    fit->R = tn_calloc(n * (n + 1), sizeof(double));
    fit->V = tn_calloc(n * n, sizeof(double));
    fit->covariance = tn_calloc(n * n, sizeof(double));
    fit->directions = tn_calloc(n * n, sizeof(double));
    fit->rms = tn_calloc(nc, sizeof(double));
    fit->reach = tn_calloc(n + 1, sizeof(double));
    fit->frozen = tn_calloc(n, sizeof(bool));
    fit->at_bound = tn_calloc(n, 1);
    fit->shown = tn_calloc(n, 1);
    return ok && fit->parameters && fit->channels && fit->list && fit->logs && fit->workers &&
           (fit->pool || fit->def.thread_count == 1) && fit->stack && fit->stack_pivots && fit->R &&
           fit->V && fit->covariance && fit->directions && fit->rms && fit->reach && fit->frozen &&
           fit->at_bound && fit->shown;
}

static bool create(TnFit *fit, const TnFitDef *def, TnError *err)
{
    if (!reserve(fit)) return no_memory(err) == TN_OK;
    memcpy(fit->parameters, def->parameters, sizeof *def->parameters * (size_t)fit->np);
    memcpy(fit->channels, def->channels, sizeof *def->channels * (size_t)fit->nc);
    fit->def.parameters = fit->parameters;
    fit->def.channels = fit->channels;
    fit->def.runs = NULL;
    for (int i = 0; i < fit->nc; i++)
        fit->reads_sensors = fit->reads_sensors || fit->channels[i].kind == TN_FIT_SENSOR;
    fill_in(fit);
    for (int i = 0; i < def->thread_count; i++)
        if (!create_worker(fit, &fit->workers[i], err)) return false;
    TnStateView rest = tn_world_state(fit->workers[0].copy.world);
    for (int r = 0; r < def->run_count; r++) {
        int every = tn_fit_steps_between(fit->model, &def->runs[r], r, err);
        if (!note_run(fit, &fit->logs[r], &def->runs[r], every, &rest))
            return no_memory(err) == TN_OK;
    }
    for (int i = 0; i < def->thread_count; i++)
        if (!reserve_worker(fit, &fit->workers[i], err)) return false;
    /* what this model does not let be set */
    for (int r = 0; r < def->run_count; r++)
        if (!tn_fit_begin(fit, &fit->workers[0], &fit->logs[r], fit->u, fit->logs[r].offset)) {
            const TnError *why = &fit->workers[0].err;
            if (fit->workers[0].broken) return no_memory(err) == TN_OK;
            return tn_fit_refuse(err, "%s", why->message) == TN_OK;
        }
    return true;
}

TnFit *tn_fit_create(const TnModel *model, const TnFitDef *def, TnError *err)
{
    if (tn_fit_check(model, def, err) != TN_OK) return NULL;
    TnFit *fit = tn_calloc(1, sizeof *fit);
    if (!fit) {
        no_memory(err);
        return NULL;
    }
    fit->model = model;
    fit->def = *def;
    fit->np = def->parameter_count;
    fit->nc = def->channel_count;
    fit->nx = 2 * model->dof_count + model->act_count;
    if (create(fit, def, err)) return fit;
    tn_fit_destroy(fit);
    return NULL;
}

void tn_fit_destroy(TnFit *fit)
{
    if (!fit) return;
    for (int r = 0; fit->logs && r < fit->def.run_count; r++) free_log(&fit->logs[r]);
    for (int i = 0; fit->workers && i < fit->def.thread_count; i++) free_worker(&fit->workers[i]);
    tn_pool_destroy(fit->pool);
    void *all[] = {
        fit->parameters, fit->channels, fit->list,     fit->logs,       fit->workers,
        fit->unit,       fit->u,        fit->trial,    fit->most,       fit->least,
        fit->s,          fit->c,        fit->way,      fit->values,     fit->sigma,
        fit->stack,      fit->R,        fit->V,        fit->covariance, fit->directions,
        fit->rms,        fit->frozen,   fit->at_bound, fit->shown,      fit->stack_pivots,
        fit->reach};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tn_free(all[i]);
    tn_free(fit);
}
