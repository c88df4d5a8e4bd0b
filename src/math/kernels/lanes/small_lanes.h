/* small_lanes.h: small_kernels.h with vectors `vd` of W numbers; W divides eight. */
#ifndef TN_LANES_SMALL_LANES_H
#define TN_LANES_SMALL_LANES_H

#include <math.h>

#include "../small_kernels.h"

static double sum_of(vd x)
{
    double sum = 0.0;
    for (int i = 0; i < W; i++) sum += x[i];
    return sum;
}

static void dots(int rows, int ld, const double *Y, const double *z, const double *q, double *y)
{
    for (int i = 0; i < rows; i++, Y += ld) {
        vd even = {0}, odd = {0};
        int k = 0;
        for (; k + 2 * W <= ld; k += 2 * W) {
            even += *(const vd *)(Y + k) * *(const vd *)(z + k);
            odd += *(const vd *)(Y + k + W) * *(const vd *)(z + k + W);
        }
        if (k < ld) even += *(const vd *)(Y + k) * *(const vd *)(z + k);
        y[i] = q[i] + sum_of(even + odd);
    }
}

static void add(int count, int ld, const double *Y, const double *s, double *z)
{
    for (int k = 0; k < ld; k += W) {
        vd sum = *(const vd *)(z + k);
        for (int i = 0; i < count; i++) sum += s[i] * *(const vd *)(Y + (long)i * ld + k);
        *(vd *)(z + k) = sum;
    }
}

/* A tile of `height` rows and eight columns, which stays in registers. */
static inline __attribute__((always_inline)) void tile(int height, int depth, const double *A,
                                                       int lda, const double *B, int ldb, double *C)
{
    vd sum[4][8 / W];
    for (int r = 0; r < height; r++)
        for (int v = 0; v < 8 / W; v++) sum[r][v] = (vd){0};
    for (int k = 0; k < depth; k++, B += ldb)
        for (int r = 0; r < height; r++)
            for (int v = 0; v < 8 / W; v++)
                sum[r][v] += A[(long)r * lda + k] * *(const vd *)(B + v * W);
    for (int r = 0; r < height; r++)
        for (int v = 0; v < 8 / W; v++) *(vd *)(C + (long)r * ldb + v * W) = sum[r][v];
}

static void multiply(int rows, int depth, const double *A, int lda, const double *B, int ldb,
                     double *C)
{
    for (int j = 0; j < ldb; j += 8) {
        int i = 0;
        for (; i + 4 <= rows; i += 4)
            tile(4, depth, A + (long)i * lda, lda, B + j, ldb, C + (long)i * ldb + j);
        for (; i < rows; i++)
            tile(1, depth, A + (long)i * lda, lda, B + j, ldb, C + (long)i * ldb + j);
    }
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
    double *row[TN_SMALL_SOLVE], inverse[TN_SMALL_SOLVE];
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
        NAME, dots, add, multiply, solve                                                           \
    }

#endif
