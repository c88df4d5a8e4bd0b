/* solve.c: stages, the trust region, and the result. */
#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "parts.h"

/* A parameter changes by a factor of e at most at first. */
#define FIRST_RADIUS 1.0
/* Of the sum of squares, which has about 1 per measurement: a step that gains less is not worth
 * it; and what is nothing beside a standard deviation. */
#define GAINS 1e-10
#define NOTHING 1e-14
/* In a stage before the last one, which only leads to the next. */
#define GAINS_BEFORE 1e-3
#define ITERATIONS_BEFORE 10
/* Friction that begins to hold one step earlier or later leaves kinks: slopes over a short distance
 * are those of one piece of many. So slopes are taken over long distances first. */
#define FIRST_LEVEL 1e-2
#define NEXT_LEVEL 1e-2

static void set_windows(TnFit *fit, int stage)
{
    for (int r = 0; r < fit->def.run_count; r++) {
        TnFitLog *log = &fit->logs[r];
        int window = log->samples;
        for (int k = stage; k + 1 < fit->def.stages; k++) window = (window + 1) / 2;
        log->window = window < 2 ? 2 : window;
    }
}

static void swap(double **a, double **b)
{
    double *x = *a;
    *a = *b;
    *b = x;
}

static void accept(TnFit *fit)
{
    swap(&fit->u, &fit->trial);
    for (int r = 0; r < fit->def.run_count; r++) {
        swap(&fit->logs[r].offset, &fit->logs[r].trial);
        swap(&fit->logs[r].simulated, &fit->logs[r].tried);
    }
}

/* Shorter steps until one is worth it. */
static TnFitEnd search(TnFit *fit, double *radius, double gains)
{
    double share = 1.0, least = fmax(TN_ROOM, 0.01 * fit->level);
    if (tn_fit_most_fall(fit) <= gains * fit->cost + NOTHING) return TN_FIT_CONVERGED;
    for (;;) {
        double length = 0.0, fall = tn_fit_best_step(fit, *radius, share),
               cost = fall > 0.0 ? tn_fit_cost(fit, true) : INFINITY,
               ratio = fall > 0.0 ? (fit->cost - cost) / fall : -1.0; /* bounds cut it */
        for (int i = 0; i < fit->np; i++) length += fit->way[i] * fit->way[i];
        length = sqrt(length);
        if (ratio > 0.75) *radius = fmax(*radius, 2.0 * length);
        if (!(ratio > 0.25)) *radius = 0.25 * fmin(length > 0.0 ? length : *radius, *radius);
        if (ratio > 1e-4) {
            accept(fit);
            fit->cost = cost;
            /* what is found is less than a step promises */
            return ratio * fall <= gains * fit->cost && gains == GAINS_BEFORE ? TN_FIT_CONVERGED
                                                                              : TN_FIT_NOT_SOLVED;
        }
        share *= 0.25;
        if (*radius < least || share < 1e-9) return TN_FIT_NO_PROGRESS;
    }
}

/* Steps with slopes over one distance. False: a simulation broke off at once. */
static bool fit_level(TnFit *fit, double level, bool last)
{
    double radius = FIRST_RADIUS;
    fit->level = level;
    fit->end = TN_FIT_NOT_SOLVED;
    for (int k = 0; fit->end == TN_FIT_NOT_SOLVED; k++) {
        if (fit->iterations >= fit->def.max_iterations || (!last && k == ITERATIONS_BEFORE)) {
            fit->end = TN_FIT_MAX_ITERATIONS;
            break;
        }
        if (!tn_fit_slopes(fit, false)) {
            /* a little away a simulation breaks off: no step from here can be planned */
            fit->end = TN_FIT_NO_PROGRESS;
            return k > 0 || !last;
        }
        fit->iterations++;
        tn_fit_linearize(fit, true);
        fit->end = search(fit, &radius, last ? GAINS : GAINS_BEFORE);
    }
    return true;
}

/* False: a simulation broke off. */
static bool fit_stage(TnFit *fit, int stage)
{
    bool whole = stage + 1 == fit->def.stages, implicit = fit->def.method == TN_FIT_IMPLICIT;
    set_windows(fit, stage);
    fit->cost = tn_fit_cost(fit, false);
    if (!isfinite(fit->cost)) return false;
    double first = implicit ? fit->def.step : fmax(FIRST_LEVEL, fit->def.step), before;
    do {
        before = fit->cost;
        for (double level = first;; level = fmax(level * NEXT_LEVEL, fit->def.step)) {
            bool last = whole && level <= fit->def.step;
            if (!fit_level(fit, level, last)) return false;
            if (last || !whole) break;
        }
        /* from another place long distances may lead on */
    } while (whole && fit->end == TN_FIT_NO_PROGRESS && first > fit->def.step &&
             fit->cost < (1.0 - GAINS_BEFORE) * before);
    return true;
}

/* ---- the result ---- */

static void note_covariance(TnFit *fit)
{
    size_t n = (size_t)fit->np;
    memset(fit->covariance, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) {
        double ui = tn_fit_is_log(&fit->parameters[i]) ? fit->values[i] : fit->unit[i],
               hidden = 0.0;
        for (size_t j = 0; j < n; j++) {
            double uj = tn_fit_is_log(&fit->parameters[j]) ? fit->values[j] : fit->unit[j];
            for (size_t k = 0; k < n; k++)
                if (fit->shown[k])
                    fit->covariance[i * n + j] +=
                        ui * uj * fit->V[i * n + k] * fit->V[j * n + k] / (fit->s[k] * fit->s[k]);
        }
        for (size_t k = 0; k < n; k++)
            if (!fit->shown[k]) hidden += fit->V[i * n + k] * fit->V[i * n + k];
        fit->sigma[i] = hidden > 1e-6 ? INFINITY : sqrt(fit->covariance[i * n + i]);
    }
}

static void note_rms(TnFit *fit)
{
    for (int c = 0; c < fit->nc; c++) {
        double sum = 0.0;
        int count = 0;
        for (int r = 0; r < fit->def.run_count; r++) {
            const TnFitLog *log = &fit->logs[r];
            for (int k = 0; k < log->window; k++) {
                size_t at = (size_t)k * (size_t)fit->nc + (size_t)c;
                double off = log->simulated[at] - log->measured[at];
                if (isnan(off)) continue;
                sum += off * off;
                count++;
            }
        }
        fit->rms[c] = count ? sqrt(sum / count) : NAN;
    }
}

static void note_result(TnFit *fit)
{
    size_t n = (size_t)fit->np;
    for (int i = 0; i < fit->np; i++) fit->values[i] = tn_fit_value(fit, i, fit->u[i]);
    fit->shown_count = fit->measurement_count = 0;
    for (size_t k = 0; k < n; k++) {
        fit->shown[k] = tn_fit_is_shown(fit, (int)k);
        fit->shown_count += fit->shown[k];
        for (size_t i = 0; i < n; i++) fit->directions[k * n + i] = fit->V[i * n + k];
    }
    for (int r = 0; r < fit->def.run_count; r++) fit->measurement_count += fit->logs[r].count;
    note_covariance(fit);
    note_rms(fit);
    if (!fit->shown_count) fit->end = TN_FIT_NOTHING_SHOWN;
}

static int unknown_count(const TnFit *fit)
{
    int count = fit->shown_count;
    for (int r = 0; r < fit->def.run_count; r++) count += fit->logs[r].free_count;
    return count;
}

static void sum_steps(TnFit *fit)
{
    fit->steps = 0;
    for (int i = 0; i < fit->def.thread_count; i++) fit->steps += fit->workers[i].steps;
}

static TnStatus broke_off(TnFit *fit, TnError *err)
{
    for (int i = 0; i < fit->def.thread_count; i++)
        if (fit->workers[i].broken) {
            tn_error_add(err, TN_ERROR_MEMORY, "fit: no memory");
            return TN_ERROR_MEMORY;
        }
    for (int r = 0; r < fit->def.run_count; r++)
        if (fit->logs[r].finished < fit->logs[r].window)
            return tn_fit_refuse(err,
                                 "the simulation of run %d breaks off after row %d (a step was "
                                 "rejected) with the values to start with; start elsewhere, or "
                                 "make the timestep shorter",
                                 r, fit->logs[r].finished - 1);
    return tn_fit_refuse(err, "simulations break off near the values to start with");
}

static TnStatus refuse_unseen(TnFit *fit, TnError *err)
{
    TnStatus status = TN_OK;
    for (int k = 0; k < fit->np; k++) {
        if (fit->shown[k]) continue;
        char text[512];
        tn_fit_direction_text(fit, k, text, sizeof text);
        status = tn_fit_refuse(err,
                               "the data do not show %s (standard deviation %.3g); leave it out, "
                               "give a prior, or other data",
                               text, fit->s[k] > 0.0 ? 1.0 / fit->s[k] : INFINITY);
    }
    return status;
}

static void start_afresh(TnFit *fit)
{
    for (int i = 0; i < fit->np; i++) {
        const TnFitParameter *p = &fit->parameters[i];
        fit->u[i] = tn_fit_is_log(p) ? tn_log(p->start) : p->start / fit->unit[i];
    }
    for (int r = 0; r < fit->def.run_count; r++)
        memset(fit->logs[r].offset, 0, sizeof(double) * (size_t)(fit->logs[r].free_count + 1));
    for (int i = 0; i < fit->def.thread_count; i++) fit->workers[i].steps = 0;
    fit->iterations = 0;
    fit->end = TN_FIT_NOT_SOLVED;
}

/* Slopes for the errors: over distances at which the data begin to notice a change. Over shorter
 * ones they are those of single pieces between kinks. */
static bool ask_errors(TnFit *fit)
{
    fit->level = fmax(FIRST_LEVEL, fit->def.step);
    for (int k = 0; k < 2; k++) {
        if (!tn_fit_slopes(fit, k > 0)) return false;
        tn_fit_linearize(fit, false);
    }
    return true;
}

TnStatus tn_fit_solve(TnFit *fit, TnError *err)
{
    if (!fit) return tn_fit_refuse(err, "no fit");
    start_afresh(fit);
    set_windows(fit, fit->def.stages - 1);
    fit->start_cost = tn_fit_cost(fit, false);
    bool ok = true;
    for (int stage = 0; ok && stage < fit->def.stages; stage++) ok = fit_stage(fit, stage);
    if (ok) {
        if (fit->end == TN_FIT_MAX_ITERATIONS) ok = tn_fit_slopes(fit, false);
        tn_fit_linearize(fit, false);
        if (fit->def.method == TN_FIT_DIFFERENCES && ok) ok = ask_errors(fit);
    }
    sum_steps(fit);
    if (!ok) return broke_off(fit, err);
    note_result(fit);
    return fit->def.unseen == TN_FIT_REFUSE ? refuse_unseen(fit, err) : TN_OK;
}

TnFitView tn_fit_view(const TnFit *fit)
{
    if (!fit) return (TnFitView){0};
    int64_t whole = 0;
    for (int r = 0; r < fit->def.run_count; r++)
        whole += (int64_t)(fit->logs[r].samples - 1) * fit->logs[r].every;
    return (TnFitView){.parameter_count = fit->np,
                       .channel_count = fit->nc,
                       .run_count = fit->def.run_count,
                       .end = fit->end,
                       .values = fit->values,
                       .sigma = fit->sigma,
                       .covariance = fit->covariance,
                       .at_bound = fit->at_bound,
                       .singular_values = fit->s,
                       .directions = fit->directions,
                       .shown = fit->shown,
                       .shown_count = fit->shown_count,
                       .rms = fit->rms,
                       .chi2 = fit->cost,
                       .start_chi2 = fit->start_cost,
                       .measurement_count = fit->measurement_count,
                       .unknown_count = unknown_count(fit),
                       .iterations = fit->iterations,
                       .steps = fit->steps,
                       .rollouts = (double)fit->steps / (double)whole};
}

double tn_fit_unit(const TnFit *fit, int parameter)
{
    return fit && parameter >= 0 && parameter < fit->np ? fit->unit[parameter] : 0.0;
}

TnStatus tn_fit_simulated(const TnFit *fit, int run, double *simulated, double *qpos, double *qvel,
                          double *act, TnError *err)
{
    if (!fit || run < 0 || run >= fit->def.run_count) return tn_fit_refuse(err, "no such run");
    const TnFitLog *log = &fit->logs[run];
    const TnModel *model = fit->model;
    double *d = tn_calloc((size_t)fit->nx + 1, sizeof(double));
    if (!d) {
        tn_error_add(err, TN_ERROR_MEMORY, "fit: no memory");
        return TN_ERROR_MEMORY;
    }
    for (int k = 0; k < log->free_count; k++) d[log->free_at[k]] = log->offset[k];
    if (simulated)
        memcpy(simulated, log->simulated, sizeof(double) * (size_t)log->samples * (size_t)fit->nc);
    if (qpos) tn_model_displace(model, log->qpos, d, qpos);
    for (int k = 0; qvel && k < model->dof_count; k++)
        qvel[k] = log->qvel[k] + d[model->dof_count + k];
    for (int k = 0; act && k < model->act_count; k++)
        act[k] = log->act[k] + d[2 * model->dof_count + k];
    tn_free(d);
    return TN_OK;
}

TnStatus tn_fit_apply(const TnFit *fit, TnWorld *world, TnError *err)
{
    if (!fit || !world) return tn_fit_refuse(err, "fit and world must be given");
    if (tn_model_fingerprint(tn_world_model(world)) != tn_model_fingerprint(fit->model) &&
        tn_world_model(world)->body_count != fit->model->body_count)
        return tn_fit_refuse(err, "the world is of another model");
    for (int i = 0; i < fit->np; i++)
        if (tn_parameter_check(tn_world_model(world), &fit->list[i], i, err) != TN_OK)
            return TN_ERROR_USAGE;
    return tn_fit_set(fit, world, fit->u, err);
}
