/* anderson_mix.c: see anderson_mix.h. */
#include "anderson_mix.h"

#include <math.h>
#include <string.h>

/* A difference that newer ones explain up to this share of its square is left out. */
#define DEPENDENT 1e-12
/* The history is forgotten where coefficients add up to more, or the residual grows by more. */
#define HUGE_COEFFICIENT 1e5
#define GROWTH 2.0
/* Where so many iterations in a row bring the residual less than this below the least one, history
 * is no good: sets of contacts that open and close can send it round in circles. Plain iterations
 * follow, twice as many each time. */
#define PATIENCE 20
#define PROGRESS 0.9
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
    double *restrict dr = m->dr + m->m * m->newest + at, *restrict last_r = m->r + at;
    m->kernels->column_step(count, G, last, dG);
    memset(sums, 0, TN_MIX_SUMS * sizeof(double));
    if (!weighed) return;
    m->kernels->column_step(weighed, r, last_r, dr);
    m->kernels->column_dots(weighed, r, r, dr, sums);
    m->kernels->columns_dot(weighed, m->columns, m->dr + at, m->m, dr, sums + 2);
}

void tn_mix_put(const TnMix *m, long at, long count, double *x)
{
    m->kernels->column_subtract(count, m->G + at, m->columns, m->dG + at, m->n, m->gamma, x);
}

/* γ from the normal equations, by elimination from the newest difference to the oldest; the sum of
 * |γ|. */
static double solve(TnMix *m)
{
    enum { WIDTH = TN_ANDERSON_MAX + 2 };
    double M[TN_ANDERSON_MAX][WIDTH], inverse[TN_ANDERSON_MAX], total = 0.0;
    int n = m->columns, at[TN_ANDERSON_MAX];
    for (int age = 0; age < n; age++) at[age] = (m->newest - age + m->memory) % m->memory;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) M[i][j] = m->gram[at[i]][at[j]];
        M[i][n] = m->rhs[at[i]];
    }
    for (int k = 0; k < n; k++) {
        bool independent = M[k][k] > DEPENDENT * m->gram[at[k]][at[k]];
        inverse[k] = independent ? 1.0 / M[k][k] : 0.0;
        for (int i = k + 1; independent && i < n; i++) {
            double f = M[k][i] * inverse[k];
            for (int j = i; j <= n; j++) M[i][j] -= f * M[k][j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = M[k][n];
        for (int i = k + 1; i < n; i++) sum -= M[k][i] * m->gamma[at[i]];
        m->gamma[at[k]] = sum * inverse[k];
        total += fabs(m->gamma[at[k]]);
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
    if (norm < PROGRESS * m->least) {
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
    double norm = sqrt(sums[0]);
    if (m->calls++ == 0) {
        m->best = m->least = norm;
        return false;
    }
    for (int j = 0; j < m->columns; j++) {
        m->gram[j][m->newest] = m->gram[m->newest][j] = sums[2 + j];
        m->rhs[j] += sums[2 + j]; /* r is the last one and the newest difference */
    }
    m->rhs[m->newest] = sums[1];
    bool mixed = false;
    if (!rest(m, norm) && norm <= GROWTH * m->best) { /* not where it is NaN */
        m->best = fmin(m->best, norm);
        mixed = solve(m) <= HUGE_COEFFICIENT;
    }
    if (!mixed) forget(m, norm);
    return mixed;
}
