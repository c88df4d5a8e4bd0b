/* simulate.c: runs with given unknowns, and how far they are from the measurements. */
#include <math.h>
#include <string.h>

#include "parts.h"

double tn_fit_value(const TnFit *fit, int i, double u)
{
    const TnFitParameter *p = &fit->parameters[i];
    double x = tn_fit_is_log(p) ? tn_exp(u) : u * fit->unit[i];
    return fmin(fmax(x, p->low), p->high); /* exp and log round */
}

TnStatus tn_fit_set(const TnFit *fit, TnWorld *world, const double *u, TnError *err)
{
    /* inertia follows a mass that is set: masses come first */
    for (int masses = 1; masses >= 0; masses--)
        for (int i = 0; i < fit->np; i++) {
            const TnParameter *p = &fit->list[i];
            if ((p->kind == TN_PARAMETER_MASS) != masses) continue;
            TnStatus status = tn_parameter_set(world, p, tn_fit_value(fit, i, u[i]), err);
            if (status != TN_OK) return status;
        }
    return TN_OK;
}

/* What a worker's parameters were is set back first: bits do not depend on what it did before. */
static bool set_afresh(const TnFit *fit, TnFitWorker *worker, const double *u)
{
    const TnParameter *widest = &fit->list[0];
    for (int i = 0; i < fit->np; i++)
        if (fit->list[i].kind == TN_PARAMETER_SIZE || fit->list[i].kind == TN_PARAMETER_FRICTION)
            widest = &fit->list[i];
    if (!tn_copy_reset_parameters(&worker->copy, widest)) {
        worker->broken = true;
        return false;
    }
    worker->err = (TnError){0};
    return tn_fit_set(fit, worker->copy.world, u, &worker->err) == TN_OK;
}

bool tn_fit_begin(const TnFit *fit, TnFitWorker *worker, const TnFitLog *log, const double *u,
                  const double *offset)
{
    const TnModel *model = fit->model;
    TnWorld *world = worker->copy.world;
    int nv = model->dof_count;
    if (!set_afresh(fit, worker, u)) return false;
    tn_world_reset(world, 0);
    double *qpos = worker->start, *qvel = qpos + model->qpos_count, *act = qvel + nv,
           *d = worker->tangent;
    memset(d, 0, sizeof(double) * (size_t)fit->nx);
    for (int k = 0; k < log->free_count; k++) d[log->free_at[k]] = offset[k];
    tn_model_displace(model, log->qpos, d, qpos);
    for (int k = 0; k < nv; k++) qvel[k] = log->qvel[k] + d[nv + k];
    for (int k = 0; k < model->act_count; k++) act[k] = log->act[k] + d[2 * nv + k];
    TnError *err = &worker->err;
    return tn_world_set_state(world, qpos, qvel, err) == TN_OK &&
           (!model->act_count || tn_world_set_act(world, act, err) == TN_OK);
}

bool tn_fit_sample(const TnFit *fit, TnFitWorker *worker, double *out)
{
    TnWorld *world = worker->copy.world;
    TnStateView state = tn_world_state(world);
    if (fit->reads_sensors && tn_world_sensors(world, worker->sensors, NULL) != TN_OK) return false;
    for (int c = 0; c < fit->nc; c++) {
        const TnFitChannel *channel = &fit->channels[c];
        double pos[3], quat[4];
        if (channel->kind == TN_FIT_QPOS) out[c] = state.qpos[channel->index];
        if (channel->kind == TN_FIT_QVEL) out[c] = state.qvel[channel->index];
        if (channel->kind == TN_FIT_SENSOR) out[c] = worker->sensors[channel->index];
        if (channel->kind == TN_FIT_SITE) {
            tn_world_site_pose(world, channel->id, pos, quat);
            out[c] = pos[channel->index];
        }
    }
    return true;
}

bool tn_fit_simulate(const TnFit *fit, TnFitWorker *worker, const TnFitLog *log, const double *u,
                     const double *offset, double *outputs, int *finished)
{
    TnWorld *world = worker->copy.world;
    size_t nc = (size_t)fit->nc, nu = (size_t)fit->model->actuator_count;
    if (finished) *finished = 0;
    if (!tn_fit_begin(fit, worker, log, u, offset)) return false;
    for (int k = 0; k < log->window; k++) {
        if (!tn_fit_sample(fit, worker, outputs + (size_t)k * nc)) return false;
        if (finished) *finished = k + 1;
        if (k + 1 == log->window) break;
        if (log->ctrl && tn_world_set_ctrl(world, log->ctrl + (size_t)k * nu, NULL) != TN_OK)
            return false;
        for (int step = 0; step < log->every; step++) {
            worker->steps++;
            if (tn_world_step(world).diverged) return false;
        }
    }
    return true;
}

typedef struct Simulations {
    TnFit *fit;
    bool trial;
} Simulations;

/* Each worker takes its share of the runs. */
static void simulate_runs(void *context, int begin, int end)
{
    const Simulations *all = context;
    TnFit *fit = all->fit;
    for (int i = begin; i < end; i++)
        for (int r = i; r < fit->def.run_count; r += fit->def.thread_count) {
            TnFitLog *log = &fit->logs[r];
            int finished;
            if (!tn_fit_simulate(fit, &fit->workers[i], log, all->trial ? fit->trial : fit->u,
                                 all->trial ? log->trial : log->offset,
                                 all->trial ? log->tried : log->simulated, &finished))
                finished = finished < log->window ? finished : log->window - 1;
            log->finished = finished;
        }
}

/* Measurements that a simulation has no number for (sensors of forces before the first step) do not
 * count. */
static double square(const TnFit *fit, TnFitLog *log, const double *outputs)
{
    double sum = 0.0;
    log->count = 0;
    for (int k = 0; k < log->window; k++)
        for (int c = 0; c < fit->nc; c++) {
            size_t at = (size_t)k * (size_t)fit->nc + (size_t)c;
            if (isnan(log->measured[at]) || isnan(outputs[at])) continue;
            double r = (outputs[at] - log->measured[at]) / fit->channels[c].sigma;
            sum += r * r;
            log->count++;
        }
    return sum;
}

double tn_fit_cost(TnFit *fit, bool trial)
{
    Simulations all = {fit, trial};
    const double *u = trial ? fit->trial : fit->u;
    tn_pool_run(fit->pool, fit->def.thread_count, 1, simulate_runs, &all);
    double sum = 0.0;
    for (int r = 0; r < fit->def.run_count; r++) {
        TnFitLog *log = &fit->logs[r];
        const double *offset = trial ? log->trial : log->offset;
        if (log->finished < log->window) return INFINITY;
        sum += square(fit, log, trial ? log->tried : log->simulated);
        for (int k = 0; k < log->free_count; k++)
            if (isfinite(log->free_sigma[k]))
                sum += offset[k] * offset[k] / (log->free_sigma[k] * log->free_sigma[k]);
    }
    for (int i = 0; i < fit->np; i++) {
        const TnFitParameter *p = &fit->parameters[i];
        if (!(p->prior_sigma > 0.0)) continue;
        double off = tn_fit_is_log(p) ? u[i] - tn_log(p->prior) : u[i] * fit->unit[i] - p->prior;
        sum += off * off / (p->prior_sigma * p->prior_sigma);
    }
    return isfinite(sum) ? sum : INFINITY;
}
