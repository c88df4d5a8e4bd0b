/* small_lanes.h: small_kernels.h, eight numbers at a time; compiled per instruction set. */
#ifndef TN_LANES_SMALL_LANES_H
#define TN_LANES_SMALL_LANES_H

#include <math.h>

#include "../small_kernels.h"

typedef double v8 __attribute__((vector_size(64), aligned(64), may_alias));

static void apply(int n, int ld, const double *M, const double *x, const double *q, double *y)
{
    for (int k = 0; k < ld; k += 8) {
        v8 a = *(const v8 *)(q + k), b = {0};
        const double *m = M + k;
        int j = 0;
        for (; j + 2 <= n; j += 2, m += 2L * ld) {
            a += x[j] * *(const v8 *)m;
            b += x[j + 1] * *(const v8 *)(m + ld);
        }
        if (j < n) a += x[j] * *(const v8 *)m;
        *(v8 *)(y + k) = a + b;
    }
}

static void add(int ld, const double *rows, int count, const double *s, double *y)
{
    if (count == 3)
        for (int k = 0; k < ld; k += 8)
            *(v8 *)(y + k) += s[0] * *(const v8 *)(rows + k) + s[1] * *(const v8 *)(rows + ld + k) +
                              s[2] * *(const v8 *)(rows + 2L * ld + k);
    else
        for (int i = 0; i < count; i++)
            for (int k = 0; k < ld; k += 8)
                *(v8 *)(y + k) += s[i] * *(const v8 *)(rows + (long)i * ld + k);
}

/* The row with the largest number in a column takes place k. */
static double exchange(int n, int k, double **row)
{
    int best = k;
    double most = fabs(row[k][k]);
    for (int i = k + 1; i < n; i++) {
        double size = fabs(row[i][k]);
        if (size > most) most = size, best = i;
    }
    double *swap = row[k];
    row[k] = row[best];
    row[best] = swap;
    return row[k][k];
}

static bool solve(int n, int ld, double *M, double *x)
{
    double *row[TN_SMALL_ROWS], inverse[TN_SMALL_ROWS];
    int end = (n + 8) & ~7;
    for (int i = 0; i < n; i++) row[i] = M + (long)i * ld;
    for (int k = 0; k < n; k++) {
        double pivot = exchange(n, k, row);
        if (!(fabs(pivot) > 0.0) || isinf(pivot)) return false; /* NaN too */
        inverse[k] = 1.0 / pivot;
        const double *from = row[k];
        int begin = (k + 1) & ~7; /* what is left of column k + 1 is done with */
        for (int i = k + 1; i < n; i++) {
            double *to = row[i], share = to[k] * inverse[k];
            if (share == 0.0) continue;
            for (int j = begin; j < end; j += 8) *(v8 *)(to + j) -= share * *(const v8 *)(from + j);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = row[k][n];
        for (int j = k + 1; j < n; j++) sum -= row[k][j] * x[j];
        x[k] = sum * inverse[k];
        if (!isfinite(x[k])) return false;
    }
    return true;
}

#define SMALL_TABLE(NAME)                                                                          \
    {                                                                                              \
        NAME, apply, add, solve                                                                    \
    }

#endif
