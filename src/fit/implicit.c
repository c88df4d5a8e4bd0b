/* implicit.c: slopes along one simulation, S ← A S + P, with derivatives of its steps. */
#include <math.h>
#include <string.h>

#include "parts.h"

/* By unknowns of the fit, from those by values. */
static double per_unknown(const TnFit *fit, int i)
{
    return tn_fit_is_log(&fit->parameters[i]) ? tn_fit_value(fit, i, fit->u[i]) : fit->unit[i];
}

static void advance(const TnFit *fit, TnFitWorker *worker, int width, int free_count)
{
    TnDerivativesView d = tn_derivatives_view(worker->derivatives);
    size_t n = (size_t)fit->nx, w = (size_t)width;
    memset(worker->next, 0, sizeof(double) * n * w);
    for (size_t i = 0; i < n; i++) {
        double *row = worker->next + i * w;
        for (size_t k = 0; k < n; k++) {
            double a = d.A[i * n + k];
            const double *from = worker->S + k * w;
            if (a != 0.0)
                for (size_t c = 0; c < w; c++) row[c] += a * from[c];
        }
        for (int p = 0; p < fit->np; p++)
            row[free_count + p] += d.P[i * (size_t)fit->np + (size_t)p] * per_unknown(fit, p);
    }
    memcpy(worker->S, worker->next, sizeof(double) * n * w);
}

/* Of a number of qpos: quaternions are not tangent coordinates. */
static void slope_of_qpos(const TnFit *fit, TnFitWorker *worker, int width, int column,
                          double *moved)
{
    const TnModel *model = fit->model;
    const double *qpos = tn_world_state(worker->copy.world).qpos;
    double most = 0.0;
    for (int k = 0; k < model->dof_count; k++)
        most = fmax(most, fabs(worker->S[k * width + column]));
    double h = most > 0.0 ? 1e-6 / most : 1.0;
    for (int k = 0; k < model->dof_count; k++)
        worker->tangent[k] = h * worker->S[k * width + column];
    tn_model_displace(model, qpos, worker->tangent, moved);
    for (int k = 0; k < model->qpos_count; k++) moved[k] = (moved[k] - qpos[k]) / h;
}

static void slope_of_site(const TnFit *fit, TnFitWorker *worker, const TnFitChannel *channel,
                          int width, double *out)
{
    double pos[3], quat[4];
    int nv = fit->model->dof_count;
    TnWorld *world = worker->copy.world;
    tn_world_site_pose(world, channel->id, pos, quat);
    tn_world_jacobian(world, tn_model_site_info(fit->model, channel->id).body, pos,
                      worker->jacobian, NULL);
    const double *row = worker->jacobian + channel->index * nv;
    for (int c = 0; c < width; c++) {
        out[c] = 0.0;
        for (int k = 0; k < nv; k++) out[c] += row[k] * worker->S[k * width + c];
    }
}

static void sample(const TnFit *fit, TnFitWorker *worker, const TnFitLog *log, int row)
{
    const TnModel *model = fit->model;
    int width = log->free_count + fit->np;
    size_t first = (size_t)row * (size_t)fit->nc;
    for (int c = 0; c < width; c++) {
        double *qpos = worker->column;
        slope_of_qpos(fit, worker, width, c, qpos);
        for (int i = 0; i < fit->nc; i++) {
            const TnFitChannel *channel = &fit->channels[i];
            double *out = log->slopes + (first + (size_t)i) * (size_t)width + c;
            if (channel->kind == TN_FIT_QPOS) *out = qpos[channel->index];
            if (channel->kind == TN_FIT_QVEL)
                *out = worker->S[(model->dof_count + channel->index) * width + c];
        }
    }
    for (int i = 0; i < fit->nc; i++)
        if (fit->channels[i].kind == TN_FIT_SITE)
            slope_of_site(fit, worker, &fit->channels[i], width,
                          log->slopes + (first + (size_t)i) * (size_t)width);
}

/* One derivative is columns of A and P, and of each side a step. */
static bool step(const TnFit *fit, TnFitWorker *worker, int width, int free_count)
{
    TnWorld *world = worker->copy.world;
    if (tn_world_derivatives(world, worker->derivatives, &worker->err) != TN_OK) return false;
    if (tn_derivatives_view(worker->derivatives).none_count) return false;
    advance(fit, worker, width, free_count);
    worker->steps += 2 + fit->nx + fit->np;
    return !tn_world_step(world).diverged;
}

bool tn_fit_slopes_along(const TnFit *fit, TnFitWorker *worker, TnFitLog *log)
{
    TnWorld *world = worker->copy.world;
    size_t nu = (size_t)fit->model->actuator_count;
    int width = log->free_count + fit->np;
    if (!tn_fit_begin(fit, worker, log, fit->u, log->offset)) return false;
    memset(worker->S, 0, sizeof(double) * (size_t)fit->nx * (size_t)width);
    for (int k = 0; k < log->free_count; k++) worker->S[log->free_at[k] * width + k] = 1.0;
    for (int k = 0; k < log->window; k++) {
        sample(fit, worker, log, k);
        if (k + 1 == log->window) break;
        if (log->ctrl && tn_world_set_ctrl(world, log->ctrl + (size_t)k * nu, NULL) != TN_OK)
            return false;
        for (int i = 0; i < log->every; i++)
            if (!step(fit, worker, width, log->free_count)) return false;
    }
    return true;
}
