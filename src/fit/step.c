/* step.c: the Gauss-Newton step.
 *
 * The rows of each run, [J_start J_parameters r], become a triangle by reflections. Its upper rows
 * give the start for given parameters; what is below says all that the run tells of parameters,
 * wherever it started. These rows of all runs and those of priors become one more triangle R with
 * the singular values s and directions V. Along direction k the step is -c_k s_k / (s_k² + λ), with
 * λ >= 0 so that it is no longer than the trust radius; it is 0 along what is not shown. */
#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "parts.h"

static size_t fill_rows(const TnFit *fit, TnFitLog *log)
{
    size_t width = (size_t)(log->free_count + fit->np), n = width + 1, rows = 0;
    for (int k = 0; k < log->window; k++)
        for (int c = 0; c < fit->nc; c++) {
            size_t at = (size_t)k * (size_t)fit->nc + (size_t)c;
            double sigma = fit->channels[c].sigma, *row = log->left + rows * n;
            if (isnan(log->measured[at]) || isnan(log->simulated[at])) continue;
            for (size_t j = 0; j < width; j++) row[j] = log->slopes[at * width + j] / sigma;
            row[width] = (log->simulated[at] - log->measured[at]) / sigma;
            rows++;
        }
    for (int k = 0; k < log->free_count; k++) {
        if (!isfinite(log->free_sigma[k])) continue;
        double *row = log->left + rows++ * n;
        memset(row, 0, sizeof(double) * n);
        row[k] = 1.0 / log->free_sigma[k];
        row[width] = log->offset[k] / log->free_sigma[k];
    }
    return rows;
}

/* What the run says about parameters goes to the stack. Returns rows. */
static int reduce_run(const TnFit *fit, TnFitLog *log, double *to)
{
    int nf = log->free_count, n = nf + fit->np + 1, starts = 0;
    double *scratch = fit->workers[0].column;
    int m = (int)fill_rows(fit, log);
    log->rows = tn_fit_triangle(log->left, m, n, log->pivots, scratch);
    for (int j = 0; j < nf; j++) starts += log->pivots[j] >= 0;
    for (int i = starts; i < log->rows; i++)
        memcpy(to + (size_t)(i - starts) * (size_t)(fit->np + 1),
               log->left + (size_t)i * (size_t)n + nf, sizeof(double) * (size_t)(fit->np + 1));
    return log->rows - starts;
}

static int add_priors(const TnFit *fit, double *to)
{
    int rows = 0, n = fit->np + 1;
    for (int i = 0; i < fit->np; i++) {
        const TnFitParameter *p = &fit->parameters[i];
        if (!(p->prior_sigma > 0.0)) continue;
        double *row = to + (size_t)(rows++) * (size_t)n;
        memset(row, 0, sizeof(double) * (size_t)n);
        bool logs = tn_fit_is_log(p);
        row[i] = (logs ? 1.0 : fit->unit[i]) / p->prior_sigma;
        row[fit->np] = (logs ? fit->u[i] - tn_log(p->prior) : fit->u[i] * fit->unit[i] - p->prior) /
                       p->prior_sigma;
    }
    return rows;
}

/* Half the gradient of the sum of squares by a parameter. */
static double gradient(const TnFit *fit, int rows, int i)
{
    double sum = 0.0;
    for (int k = 0; k < rows; k++) {
        const double *row = fit->stack + (size_t)k * (size_t)(fit->np + 1);
        sum += row[i] * row[fit->np];
    }
    return sum;
}

void tn_fit_linearize(TnFit *fit, bool bounded)
{
    int np = fit->np, rows = 0;
    for (int r = 0; r < fit->def.run_count; r++)
        rows += reduce_run(fit, &fit->logs[r], fit->stack + (size_t)rows * (size_t)(np + 1));
    rows += add_priors(fit, fit->stack + (size_t)rows * (size_t)(np + 1));
    rows = tn_fit_triangle(fit->stack, rows, np + 1, fit->stack_pivots, fit->workers[0].column);
    for (int i = 0; i < np; i++) {
        double g = gradient(fit, rows, i);
        bool out =
            (fit->u[i] <= fit->least[i] && g > 0.0) || (fit->u[i] >= fit->most[i] && g < 0.0);
        fit->at_bound[i] = out;
        fit->frozen[i] = out && bounded;
    }
    for (int i = 0; i < np; i++)
        for (int k = 0; k < np + 1; k++)
            fit->R[(size_t)i * (size_t)(np + 1) + (size_t)k] =
                k < rows && !fit->frozen[i] ? fit->stack[(size_t)k * (size_t)(np + 1) + (size_t)i]
                                            : 0.0;
    tn_fit_singular(fit->R, np + 1, np, fit->V, fit->s);
    for (int k = 0; k < np; k++) {
        fit->c[k] = 0.0;
        for (int i = 0; i < rows && fit->s[k] > 0.0; i++)
            fit->c[k] += fit->R[(size_t)k * (size_t)(np + 1) + (size_t)i] / fit->s[k] *
                         fit->stack[(size_t)i * (size_t)(np + 1) + (size_t)np];
    }
}

bool tn_fit_is_shown(const TnFit *fit, int k)
{
    bool known = fit->s[k] * fit->def.known > 1.0 || fit->def.unseen == TN_FIT_REGULARIZE;
    return known && fit->s[k] > TN_ROOM * fit->s[0]; /* above what rounding makes of 0 */
}

static double length_of_step(const TnFit *fit, double lambda)
{
    double sum = 0.0;
    for (int k = 0; k < fit->np; k++) {
        double s = fit->s[k], y = tn_fit_is_shown(fit, k) ? fit->c[k] * s / (s * s + lambda) : 0.0;
        sum += y * y;
    }
    return sqrt(sum);
}

/* λ with which the step is as long as the radius: a bisection of its logarithm. */
static double damp(const TnFit *fit, double radius)
{
    if (!(radius > 0.0) || length_of_step(fit, 0.0) <= radius) return 0.0;
    double high = 1.0, low;
    while (length_of_step(fit, high) > radius) high *= 100.0;
    low = high;
    while (length_of_step(fit, low) <= radius) low *= 0.01;
    for (int k = 0; k < 60; k++) {
        double mid = sqrt(low * high);
        if (length_of_step(fit, mid) > radius)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* Changes of a start that go with a step of parameters; what the sum of squares falls by. */
static double step_start(const TnFit *fit, TnFitLog *log, double share)
{
    int nf = log->free_count, n = nf + fit->np + 1;
    double fall = 0.0;
    memset(log->change, 0, sizeof(double) * (size_t)(nf + 1));
    for (int j = nf - 1; j >= 0; j--) {
        if (log->pivots[j] < 0) continue; /* as others: left where it is */
        const double *row = log->left + (size_t)log->pivots[j] * (size_t)n;
        double left = row[n - 1];
        fall += left * left * (1.0 - (1.0 - share) * (1.0 - share));
        for (int i = 0; i < fit->np; i++) left += row[nf + i] * fit->way[i];
        for (int i = j + 1; i < nf; i++) left += row[i] * log->change[i];
        log->change[j] = -left / row[j];
    }
    for (int j = 0; j < nf; j++) log->trial[j] = log->offset[j] + share * log->change[j];
    return fall;
}

double tn_fit_most_fall(const TnFit *fit)
{
    double fall = 0.0;
    for (int k = 0; k < fit->np; k++)
        if (tn_fit_is_shown(fit, k)) fall += fit->c[k] * fit->c[k];
    for (int r = 0; r < fit->def.run_count; r++) {
        const TnFitLog *log = &fit->logs[r];
        size_t n = (size_t)(log->free_count + fit->np + 1);
        for (int j = 0; j < log->free_count; j++) {
            if (log->pivots[j] < 0) continue;
            double left = log->left[(size_t)log->pivots[j] * n + n - 1];
            fall += left * left;
        }
    }
    return fall;
}

double tn_fit_best_step(TnFit *fit, double radius, double share)
{
    int np = fit->np;
    double lambda = damp(fit, radius), fall = 0.0;
    memset(fit->way, 0, sizeof(double) * (size_t)np);
    for (int k = 0; k < np; k++) {
        if (!tn_fit_is_shown(fit, k)) continue;
        double s = fit->s[k], y = -fit->c[k] * s / (s * s + lambda);
        for (int i = 0; i < np; i++) fit->way[i] += fit->V[(size_t)i * (size_t)np + (size_t)k] * y;
    }
    for (int i = 0; i < np; i++) {
        double to = fit->frozen[i] ? fit->u[i] : fit->u[i] + fit->way[i];
        fit->trial[i] = fmin(fmax(to, fit->least[i]), fit->most[i]);
        fit->way[i] = fit->trial[i] - fit->u[i];
    }
    for (int k = 0; k < np; k++) {
        double y = 0.0, c = fit->c[k];
        for (int i = 0; i < np; i++) y += fit->V[(size_t)i * (size_t)np + (size_t)k] * fit->way[i];
        fall += c * c - (c + fit->s[k] * y) * (c + fit->s[k] * y);
    }
    for (int r = 0; r < fit->def.run_count; r++) fall += step_start(fit, &fit->logs[r], share);
    return fall;
}
