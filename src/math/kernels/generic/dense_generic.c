/* dense_generic.c: the dense kernels in plain C, column by column: the reference. */
#include "../dense_kernels.h"

#include <math.h>
#include <stddef.h>

/* Of these rows those that a column holds end here. */
static int end_of(const int *stair, int rows, int column)
{
    int end = tn_dense_end(stair, (rows + 7) / 8, column);
    return end < rows ? end : rows;
}

static void factor_rows(int begin, int end, int row_begin, int row_end, double *P, int ld,
                        const int *stair)
{
    for (int j = begin; j < end; j++) {
        double *column = P + (long)j * ld;
        for (int k = 0; k < j; k++) {
            const double *before = P + (long)k * ld;
            int k_end = end_of(stair, row_end, k);
            if (k_end <= row_begin) continue;
            double b = before[j];
            for (int i = row_begin; i < k_end; i++) column[i] -= before[i] * b;
        }
        int j_end = end_of(stair, row_end, j);
        for (int i = row_begin; i < j_end; i++) column[i] *= column[j];
    }
}

static bool factor_diagonal(int begin, int end, double *P, int ld, const int *stair)
{
    int row_end = (end + 7) & ~7;
    for (int j = begin; j < end; j++) {
        double *column = P + (long)j * ld;
        for (int k = 0; k < j; k++) {
            const double *before = P + (long)k * ld;
            int k_end = end_of(stair, row_end, k);
            for (int i = j; i < k_end; i++) column[i] -= before[i] * before[j];
        }
        if (!(column[j] > 0.0 && column[j] < INFINITY)) return false; /* NaN too */
        double inverse = 1.0 / sqrt(column[j]);
        column[j] = inverse;
        int j_end = end_of(stair, row_end, j);
        for (int i = j + 1; i < j_end; i++) column[i] *= inverse;
    }
    return true;
}

static bool factor(int rows, int width, double *P, int ld, const int *stair)
{
    for (int begin = 0; begin < width; begin += TN_DENSE_BLOCK) {
        int end = begin + TN_DENSE_BLOCK < width ? begin + TN_DENSE_BLOCK : width;
        if (!factor_diagonal(begin, end, P, ld, stair)) return false;
        factor_rows(begin, end, (end + 7) & ~7, rows, P, ld, stair);
    }
    return true;
}

static void update_columns(int rows, int width, const double *P, int ld, const int *stair,
                           double *U, int begin, int end)
{
    int base = width & ~7;
    for (int j = begin; j < end; j++) {
        double *column = U + (long)(j - width) * (ld - base) - base;
        for (int k = 0; k < width; k++) {
            const double *before = P + (long)k * ld;
            int k_end = end_of(stair, rows, k);
            for (int i = j; i < k_end; i++) column[i] -= before[i] * before[j];
        }
    }
}

static void update(int rows, int width, const double *P, int ld, const int *stair, double *U)
{
    update_columns(rows, width, P, ld, stair, U, width, rows);
}

static void forward(int rows, int width, const double *P, int ld, const int *stair, int count,
                    double *z, long ldz)
{
    for (int r = 0; r < count; r++, z += ldz)
        for (int j = 0; j < width; j++) {
            const double *column = P + (long)j * ld;
            int end = end_of(stair, rows, j);
            double y = z[j] *= column[j];
            for (int i = j + 1; i < end; i++) z[i] -= column[i] * y;
        }
}

static void backward(int rows, int width, const double *P, int ld, const int *stair, int count,
                     double *z, long ldz)
{
    for (int r = 0; r < count; r++, z += ldz)
        for (int j = width - 1; j >= 0; j--) {
            const double *column = P + (long)j * ld;
            double s = z[j];
            int end = end_of(stair, rows, j);
            for (int i = j + 1; i < end; i++) s -= column[i] * z[i];
            z[j] = s * column[j];
        }
}

static void invert(int n, double *P, int ld, double *M, int ldm)
{
    for (int j = 0; j < n; j++) { /* solve for the columns of the identity, from the diagonal on */
        double *x = M + (long)j * ldm;
        for (int i = j; i < n; i++) x[i] = i == j;
        forward(n - j, n - j, P + (long)j * ld + j, ld, NULL, 1, x + j, 0);
        backward(n - j, n - j, P + (long)j * ld + j, ld, NULL, 1, x + j, 0);
    }
}

static void take(int begin, int end, int eights, const int *stair, const TnDenseMap *map,
                 const double *from, long ldf, double *to, long ldt)
{
    for (int k = begin; k < end; k++) {
        int column = map ? tn_dense_place(map, k) : -1, rows = tn_dense_end(stair, eights, k);
        for (int i = k & ~7; i < rows; i++) {
            int place = column >= 0 && i >= k ? tn_dense_place(map, i) : -1;
            to[k * ldt + i] = place < 0 ? 0.0 : from[column * ldf + place];
        }
    }
}

static void add(int begin, int end, int eights, const TnDenseMap *map, const double *from, long ldf,
                double *to, long ldt)
{
    for (int k = begin; k < end; k++) {
        int column = tn_dense_place(map, k);
        for (int i = k; column >= 0 && i < 8 * eights; i++) {
            int place = tn_dense_place(map, i);
            if (place >= 0) to[k * ldt + i] += from[column * ldf + place];
        }
    }
}

static void add_vector(int eights, const TnDenseMap *map, const double *from, double *to)
{
    for (int i = 0; i < 8 * eights; i++) {
        int place = tn_dense_place(map, i);
        if (place >= 0) to[i] += from[place];
    }
}

static void multiply(int n, const double *M, int ldm, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0.0;
    for (int j = 0; j < n; j++) {
        const double *column = M + (long)j * ldm;
        double s = column[j] * x[j];
        for (int i = j + 1; i < n; i++) {
            y[i] += column[i] * x[j];
            s += column[i] * x[i];
        }
        y[j] += s;
    }
}

const TnDenseKernels *tn_dense_kernels_generic(void)
{
    static const TnDenseKernels kernels = {
        "generic", factor, update, factor_diagonal, factor_rows, update_columns, forward, backward,
        invert,    take,   add,    add_vector,      multiply};
    return &kernels;
}
