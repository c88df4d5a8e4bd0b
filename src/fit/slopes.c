/* slopes.c: what the simulated measurements change by per unknown, by differences of simulations:
 * one of all runs per parameter, one of its run per number of a free start. */
#include <math.h>
#include <string.h>

#include "parts.h"

#define MOST_REACH 1e-2
#define NOTICED 3.0 /* sigmas of all measurements together */

/* One column of one run. */
static bool differ(const TnFit *fit, TnFitWorker *worker, TnFitLog *log, int column)
{
    size_t nc = (size_t)fit->nc, width = (size_t)(log->free_count + fit->np),
           count = (size_t)log->window * nc;
    double *u = worker->moved, *offset = u + fit->np, h = fit->reach[fit->np], *moved;
    bool two_sides = false;
    memcpy(u, fit->u, sizeof(double) * (size_t)fit->np);
    if (log->free_count) memcpy(offset, log->offset, sizeof(double) * (size_t)log->free_count);
    if (column < log->free_count) {
        moved = &offset[column];
        *moved += h;
        h = *moved - log->offset[column];
    } else {
        int i = column - log->free_count;
        h = fit->reach[i];
        moved = &u[i];
        two_sides = h > fit->def.step && u[i] + h <= fit->most[i] && u[i] - h >= fit->least[i];
        if (u[i] + h > fit->most[i]) h = -h; /* not over its bound */
        *moved += h;
        h = *moved - fit->u[i];
    }
    double *slope = log->slopes + column;
    if (!tn_fit_simulate(fit, worker, log, u, offset, worker->outputs, NULL)) return false;
    for (size_t i = 0; i < count; i++)
        slope[i * width] = (worker->outputs[i] - log->simulated[i]) / h;
    if (!two_sides) return true;
    *moved -= 2.0 * h;
    if (!tn_fit_simulate(fit, worker, log, u, offset, worker->outputs, NULL)) return false;
    for (size_t i = 0; i < count; i++)
        slope[i * width] = 0.5 * (slope[i * width] - (worker->outputs[i] - log->simulated[i]) / h);
    return true;
}

static void take_share(void *context, int begin, int end)
{
    TnFit *fit = context;
    for (int i = begin; i < end; i++) {
        TnFitWorker *worker = &fit->workers[i];
        int task = 0;
        for (int r = 0; r < fit->def.run_count; r++) {
            TnFitLog *log = &fit->logs[r];
            int columns = fit->def.method == TN_FIT_IMPLICIT ? 1 : log->free_count + fit->np;
            for (int c = 0; c < columns; c++)
                if (task++ % fit->def.thread_count == i) {
                    bool ok = fit->def.method == TN_FIT_IMPLICIT
                                  ? tn_fit_slopes_along(fit, worker, log)
                                  : differ(fit, worker, log, c);
                    if (!ok) worker->failed = true;
                    if (!ok) return;
                }
        }
    }
}

/* A change that all measurements together would tell from none: */
static double noticed(const TnFit *fit, int parameter)
{
    double sum = 0.0;
    for (int k = 0; k < fit->np; k++) {
        double x = fit->s[k] * fit->V[(size_t)parameter * (size_t)fit->np + (size_t)k];
        sum += x * x;
    }
    return fmin(fmax(NOTICED / sqrt(sum), fit->def.step), MOST_REACH);
}

bool tn_fit_slopes(TnFit *fit, bool noticeable)
{
    fit->reach[fit->np] = fit->def.step;
    for (int i = 0; i < fit->np; i++) fit->reach[i] = noticeable ? noticed(fit, i) : fit->level;
    for (int i = 0; i < fit->def.thread_count; i++) fit->workers[i].failed = false;
    tn_pool_run(fit->pool, fit->def.thread_count, 1, take_share, fit);
    for (int i = 0; i < fit->def.thread_count; i++)
        if (fit->workers[i].failed) return false;
    return true;
}
