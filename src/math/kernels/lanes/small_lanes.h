/* small_lanes.h: small_kernels.h with vectors `vd` of W numbers; W divides eight. */
#ifndef TN_LANES_SMALL_LANES_H
#define TN_LANES_SMALL_LANES_H

#include <math.h>
#include <string.h>

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

#define TILE (W == 8 ? 8 : 4) /* rows: as many sums as registers for them */

/* A tile of `height` rows and eight columns, which stays in registers. */
static inline __attribute__((always_inline)) void tile(int height, int depth, const double *A,
                                                       int lda, const double *B, int ldb, double *C)
{
    vd sum[TILE][8 / W];
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
                     double *C, bool upper)
{
    for (int j = 0; j < ldb; j += 8) {
        int i = 0, end = upper && j + 8 < rows ? j + 8 : rows;
        for (; i + TILE <= end; i += TILE)
            tile(TILE, depth, A + (long)i * lda, lda, B + j, ldb, C + (long)i * ldb + j);
        for (; i + 2 <= end; i += 2)
            tile(2, depth, A + (long)i * lda, lda, B + j, ldb, C + (long)i * ldb + j);
        for (; i < end; i++)
            tile(1, depth, A + (long)i * lda, lda, B + j, ldb, C + (long)i * ldb + j);
    }
}

/* Elimination takes eight columns at a time: a panel is one to four vectors of each row, and the
 * columns behind it are read and written once for all eight. */
enum { PANEL = 8, PARTS = PANEL / W };

typedef struct Elimination {
    int n, end;
    double *row[TN_SMALL_SOLVE];         /* in the order of pivots */
    double share[TN_SMALL_SOLVE][PANEL]; /* of the panel's rows in each row below */
    double inverse[TN_SMALL_SOLVE];
} Elimination;

/* The row with the largest number in a column takes place k. */
static void exchange(Elimination *e, int k, int from, int best)
{
    if (best == k) return;
    double *swap = e->row[k];
    e->row[k] = e->row[best];
    e->row[best] = swap;
    for (int j = from; j < k; j++) {
        double share = e->share[k][j - from];
        e->share[k][j - from] = e->share[best][j - from];
        e->share[best][j - from] = share;
    }
}

static bool eliminate_panel(Elimination *e, int p)
{
    int n = e->n, best = p;
    double most = fabs(e->row[p][p]);
    for (int i = p + 1; i < n; i++) {
        double size = fabs(e->row[i][p]);
        if (size > most) most = size, best = i;
    }
    for (int k = p; k < n && k < p + PANEL; k++) {
        exchange(e, k, p, best);
        const double *pivots = e->row[k];
        double pivot = pivots[k], next = pivots[k + 1];
        if (!(fabs(pivot) > 0.0) || isinf(pivot)) return false; /* NaN too */
        double inverse = e->inverse[k] = 1.0 / pivot;
        vd from[PARTS];
        for (int v = 0; v < PARTS; v++) from[v] = *(const vd *)(pivots + p + v * W);
        most = -1.0;
        best = k + 1;
        for (int i = k + 1; i < n; i++) {
            double *to = e->row[i], share = to[k] * inverse, size = fabs(to[k + 1] - share * next);
            for (int v = 0; v < PARTS; v++) *(vd *)(to + p + v * W) -= share * from[v];
            e->share[i][k - p] = share;
            if (size > most) most = size, best = i;
        }
    }
    return true;
}

/* Columns j … of `height` rows, less the panel's rows `top` by their shares. */
static inline __attribute__((always_inline)) void reduce(int height, int j, Elimination *e, int i,
                                                         const vd *top)
{
    vd left[4];
    for (int r = 0; r < height; r++) left[r] = *(const vd *)(e->row[i + r] + j);
    for (int k = 0; k < PANEL; k++)
        for (int r = 0; r < height; r++) left[r] -= e->share[i + r][k] * top[k];
    for (int r = 0; r < height; r++) *(vd *)(e->row[i + r] + j) = left[r];
}

/* Columns j … of the panel's rows, less those above them. */
static inline __attribute__((always_inline)) void reduce_panel(Elimination *e, int p, int j,
                                                               vd *top)
{
    for (int k = 0; k < PANEL; k++) {
        top[k] = *(const vd *)(e->row[p + k] + j);
        for (int i = 0; i < k; i++) top[k] -= e->share[p + k][i] * top[i];
        *(vd *)(e->row[p + k] + j) = top[k];
    }
}

static void eliminate_behind(Elimination *e, int p)
{
    for (int j = p + PANEL; j < e->end; j += W) {
        vd top[PANEL];
        reduce_panel(e, p, j, top);
        int i = p + PANEL;
        for (; i + 4 <= e->n; i += 4) reduce(4, j, e, i, top);
        for (; i < e->n; i++) reduce(1, j, e, i, top);
    }
}

/* The panel of a symmetric matrix without exchanges: a row's shares in the rows below stand in the
 * row itself. */
static bool eliminate_upper_panel(Elimination *e, int p)
{
    int end = p + PANEL < e->n ? p + PANEL : e->n;
    for (int k = p; k < end; k++) {
        const double *pivots = e->row[k];
        double pivot = pivots[k];
        if (!(pivot > 0.0) || isinf(pivot)) return false; /* NaN too */
        e->inverse[k] = 1.0 / pivot;
        for (int i = k + 1; i < end; i++) {
            double *to = e->row[i], share = e->share[i][k - p] = pivots[i] * e->inverse[k];
            for (int j = i; j < p + PANEL; j++) to[j] -= share * pivots[j];
        }
    }
    return true;
}

static void eliminate_behind_upper(Elimination *e, int p)
{
    for (int j = p + PANEL; j < e->end; j += W) {
        vd top[PANEL];
        reduce_panel(e, p, j, top);
        for (int c = j; c < j + W && c < e->n; c++)
            for (int k = 0; k < PANEL; k++) e->share[c][k] = top[k][c - j] * e->inverse[p + k];
        int i = p + PANEL, end = j + W < e->n ? j + W : e->n;
        for (; i + 4 <= end; i += 4) reduce(4, j, e, i, top);
        for (; i < end; i++) reduce(1, j, e, i, top);
    }
}

/* x from what elimination has left of column n. */
static bool substitute(const Elimination *e, double *x)
{
    _Alignas(64) double known[TN_SMALL_SOLVE + PANEL];
    memset(known, 0, sizeof(double) * (size_t)e->end);
    for (int k = e->n - 1; k >= 0; k--) {
        vd sum = {0};
        for (int j = (k + 1) & ~(W - 1); j < e->end; j += W)
            sum += *(const vd *)(e->row[k] + j) * *(const vd *)(known + j);
        known[k] = x[k] = (e->row[k][e->n] - sum_of(sum)) * e->inverse[k];
        if (!isfinite(x[k])) return false;
    }
    return true;
}

static bool solve(int n, int ld, double *M, double *x, bool upper)
{
    Elimination e;
    e.n = n;
    e.end = (n + PANEL) & ~(PANEL - 1);
    for (int i = 0; i < n; i++) e.row[i] = M + (long)i * ld;
    for (int p = 0; p < n; p += PANEL) {
        if (!(upper ? eliminate_upper_panel(&e, p) : eliminate_panel(&e, p))) return false;
        (upper ? eliminate_behind_upper : eliminate_behind)(&e, p);
    }
    return substitute(&e, x);
}

#define SMALL_TABLE(NAME)                                                                          \
    {                                                                                              \
        NAME, dots, add, multiply, solve                                                           \
    }

#endif
