/* small_lanes.h: small_kernels.h with vectors `vd` of W numbers; W divides eight. */
#ifndef TN_LANES_SMALL_LANES_H
#define TN_LANES_SMALL_LANES_H

#include <math.h>

#include "../small_kernels.h"

/* Eight columns of the result stay in registers. */
static void apply(int n, int ld, const double *M, const double *x, const double *q, double *y)
{
    for (int k = 0; k < ld; k += 8) {
        vd sum[8 / W];
        const double *m = M + k;
        for (int v = 0; v < 8 / W; v++) sum[v] = *(const vd *)(q + k + v * W);
        for (int j = 0; j < n; j++, m += ld)
            for (int v = 0; v < 8 / W; v++) sum[v] += x[j] * *(const vd *)(m + v * W);
        for (int v = 0; v < 8 / W; v++) *(vd *)(y + k + v * W) = sum[v];
    }
}

static void add(int ld, const double *rows, int count, const double *s, double *y)
{
    const double *a = rows, *b = rows + ld, *c = rows + 2L * ld;
    for (int k = 0; k < ld && count == 3; k += W)
        *(vd *)(y + k) +=
            s[0] * *(const vd *)(a + k) + s[1] * *(const vd *)(b + k) + s[2] * *(const vd *)(c + k);
    for (int i = 0; i < count && count < 3; i++)
        for (int k = 0; k < ld; k += W)
            *(vd *)(y + k) += s[i] * *(const vd *)(rows + (long)i * ld + k);
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
    int end = (n + W) & ~(W - 1);
    for (int i = 0; i < n; i++) row[i] = M + (long)i * ld;
    for (int k = 0; k < n; k++) {
        double pivot = exchange(n, k, row);
        if (!(fabs(pivot) > 0.0) || isinf(pivot)) return false; /* NaN too */
        inverse[k] = 1.0 / pivot;
        const double *from = row[k];
        int begin = (k + 1) & ~(W - 1); /* what is left of column k + 1 is done with */
        for (int i = k + 1; i < n; i++) {
            double *to = row[i], share = to[k] * inverse[k];
            if (share == 0.0) continue;
            for (int j = begin; j < end; j += W) *(vd *)(to + j) -= share * *(const vd *)(from + j);
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
