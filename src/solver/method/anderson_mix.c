/* anderson_mix.c: see anderson_mix.h. */
#include "anderson_mix.h"

#include "../../base/rounding.h"
#include "../thresholds.h"

#include <math.h>
#include <string.h>

/* The history is forgotten where coefficients add up to more, or the residual grows (TN_GROWTH). */
#define HUGE_COEFFICIENT 1e5
/* Where so many iterations in a row gain little (TN_LITTLE_GAIN) over the least residual, history
 * is no good: sets of contacts that open and close can send it round in circles. Plain iterations
 * follow, twice as many each time. */
#define PATIENCE 20
#define FIRST_REST 10

bool tn_mix_alloc(TnMix *m, TnArena *arena, int memory, long n, long residuals)
{
    *m = (TnMix){.memory = memory, .kernels = tn_kernels(), .n = n, .m = residuals};
    m->G = TN_ARENA_ZERO(arena, double, n);
    m->r = TN_ARENA_ZERO(arena, double, residuals);
    m->dG = TN_ARENA_NEW(arena, double, n *memory);
    m->dr = TN_ARENA_NEW(arena, double, residuals *memory);
    tn_mix_start(m);
    return m->G && m->r && m->dG && m->dr;
}

void tn_mix_start(TnMix *m)
{
    m->calls = m->columns = m->newest = 0;
    m->since = m->resting = 0;
    m->next_rest = FIRST_REST;
}

void tn_mix_begin(TnMix *m)
{
    if (m->calls == 0) return;
    m->newest = m->columns ? (m->newest + 1) % m->memory : 0;
    if (m->columns < m->memory) m->columns++;
}

void tn_mix_take(TnMix *m, long at, long count, const double *G, long weighed, const double *r,
                 double sums[TN_MIX_SUMS])
{
    double *restrict dG = m->dG + m->n * m->newest + at, *restrict last = m->G + at;
    double *restrict dr = m->dr + m->m * m->newest + at, *restrict last_r = m->r + at, norm[2];
    m->kernels->column_step(count, G, last, dG);
    memset(sums, 0, TN_MIX_SUMS * sizeof(double));
    if (!weighed) return;
    m->kernels->column_step(weighed, r, last_r, dr);
    m->kernels->column_dots(weighed, r, r, r, norm);
    sums[0] = norm[0];
    m->kernels->columns_dot(weighed, m->columns, m->dr + at, m->m, dr, r, sums + 1);
}

void tn_mix_put(const TnMix *m, long at, long count, double *x)
{
    m->kernels->column_subtract(count, m->G + at, m->columns, m->dG + at, m->n, m->gamma, x);
}

/* γ from the normal equations; the sum of |γ|. */
static double solve(TnMix *m, const double rhs[])
{
    double L[TN_ANDERSON_MAX][TN_ANDERSON_MAX], y[TN_ANDERSON_MAX];
    int order[TN_ANDERSON_MAX], rank = 0;
    for (int j = 0; j < m->columns; j++) m->gamma[j] = 0.0;
    for (int age = 0; age < m->columns; age++) {
        int j = (m->newest - age + m->memory) % m->memory;
        double *row = L[rank], pivot = m->gram[j][j];
        for (int k = 0; k < rank; k++) {
            double sum = m->gram[j][order[k]];
            for (int i = 0; i < k; i++) sum -= row[i] * L[k][i];
            row[k] = sum / L[k][k];
            pivot -= row[k] * row[k];
        }
        if (!(pivot > TN_ROUND_OFF * m->gram[j][j])) continue;
        row[rank] = sqrt(pivot);
        y[rank] = rhs[j];
        for (int k = 0; k < rank; k++) y[rank] -= row[k] * y[k];
        y[rank] /= row[rank];
        order[rank++] = j;
    }
    double total = 0.0;
    for (int k = rank - 1; k >= 0; k--) {
        for (int i = k + 1; i < rank; i++) y[k] -= L[i][k] * y[i];
        y[k] /= L[k][k];
        m->gamma[order[k]] = y[k];
        total += fabs(y[k]);
    }
    return total;
}

static void forget(TnMix *m, double norm)
{
    m->columns = 0;
    m->newest = 0;
    m->best = norm;
}

/* True: this iteration stays plain. */
static bool rest(TnMix *m, double norm)
{
    if (norm < TN_LITTLE_GAIN * m->least) {
        m->least = norm;
        m->since = 0;
    } else if (++m->since > PATIENCE && m->resting == 0) {
        m->resting = m->next_rest;
        m->next_rest *= 2;
    }
    if (m->resting == 0) return false;
    if (--m->resting == 0) m->since = 0;
    return true;
}

bool tn_mix_combine(TnMix *m, const double sums[TN_MIX_SUMS])
{
    double norm = sqrt(sums[0]), rhs[TN_ANDERSON_MAX];
    if (m->calls++ == 0) {
        m->best = m->least = norm;
        return false;
    }
    for (int j = 0; j < m->columns; j++) {
        m->gram[j][m->newest] = m->gram[m->newest][j] = sums[1 + 2 * j];
        rhs[j] = sums[2 + 2 * j];
    }
    bool mixed = false;
    if (!rest(m, norm) && norm <= TN_GROWTH * m->best) { /* not where it is NaN */
        m->best = fmin(m->best, norm);
        mixed = solve(m, rhs) <= HUGE_COEFFICIENT;
    }
    if (!mixed) forget(m, norm);
    return mixed;
}
