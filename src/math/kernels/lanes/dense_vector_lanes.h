/* dense_vector_lanes.h: the dense kernels that work on vectors: solves, the symmetric product,
 * sums of columns. Each number of a panel is read once; eight columns at a time share what is
 * read and written of the vector. Vectors may be anywhere in memory, and their last eight
 * numbers need not be whole. */
#ifndef TN_DENSE_VECTOR_LANES_H
#define TN_DENSE_VECTOR_LANES_H

#include "../dense_kernels.h"
#include "products.h"

#ifdef __clang__
#define DENSE_UNROLL _Pragma("unroll")
#else
#define DENSE_UNROLL _Pragma("GCC unroll 8")
#endif
#define DENSE_INLINE static inline __attribute__((always_inline))

/* A row of vectors and the eight columns (or fewer) whose number the compiler has. */
#define DENSE_COLUMNS(count, CALL)                                                                 \
    switch (count) {                                                                               \
    case 1:                                                                                        \
        CALL(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        CALL(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        CALL(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        CALL(4);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        CALL(5);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        CALL(6);                                                                                   \
        break;                                                                                     \
    case 7:                                                                                        \
        CALL(7);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        CALL(8);                                                                                   \
        break;                                                                                     \
    }

typedef double vu __attribute__((vector_size(8 * W), may_alias, aligned(8)));

static int vector_end(const int *stair, int rows, int column)
{
    int end = tn_dense_end(stair, (rows + 7) / 8, column);
    return end < rows ? end : rows;
}

/* z -= Σ_c P_c y_c */
DENSE_INLINE vd forward_sum(int columns, const double *P, long ld, const double *y, vd s)
{
    vd t = s - s;
    DENSE_UNROLL for (int c = 0; c < columns; c++)
    {
        if (c & 1)
            t = v_add(t, *(const vd *)(P + c * ld), v_all(y[c]));
        else
            s = v_sub(s, *(const vd *)(P + c * ld), v_all(y[c]));
    }
    return s - t;
}

DENSE_INLINE void forward_rows(int columns, int begin, int rows, const double *P, long ld,
                               const double *y, double *z)
{
    int i = begin;
    for (; i + W <= rows; i += W)
        *(vu *)(z + i) = forward_sum(columns, P + i, ld, y, *(const vu *)(z + i));
    if (i >= rows) return;
    vd rest = {0};
    for (int k = 0; i + k < rows; k++) rest[k] = z[i + k];
    rest = forward_sum(columns, P + i, ld, y, rest);
    for (int k = 0; i + k < rows; k++) z[i + k] = rest[k];
}

static void dense_forward(int rows, int width, const double *P, int ld, const int *stair, int count,
                          double *z, long ldz)
{
    for (int j = 0; j < width; j += 8, P += 8L * ld) {
        int columns = width - j < 8 ? width - j : 8, more = rows - j < 8 ? rows - j : 8;
        int end = vector_end(stair, rows, j);
        for (int r = 0; r < count; r++) {
            double *x = z + r * ldz, y[8];
            for (int c = 0; c < more; c++) y[c] = x[j + c];
            for (int c = more; c < 8; c++) y[c] = 0.0;
            for (int c = 0; c < columns; c++) {
                y[c] *= P[(long)c * ld + j + c];
                for (int i = c + 1; i < 8; i++) y[i] = s_sub(y[i], P[(long)c * ld + j + i], y[c]);
            }
            for (int c = 0; c < more; c++) x[j + c] = y[c];
#define FORWARD(N) forward_rows(N, j + 8, end, P, ld, y, x)
            DENSE_COLUMNS(columns, FORWARD)
#undef FORWARD
        }
    }
}

DENSE_INLINE void backward_rows(int columns, int begin, int rows, const double *P, long ld,
                                const double *z, double *sums)
{
    vd sum[8];
    int i = begin;
    DENSE_UNROLL for (int c = 0; c < columns; c++) sum[c] = (vd){0};
    for (; i + W <= rows; i += W) {
        vd x = *(const vu *)(z + i);
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            __builtin_prefetch(P + (c - 8) * ld + i); /* the eight columns that come next */
            sum[c] = v_add(sum[c], *(const vd *)(P + c * ld + i), x);
        }
    }
    if (i < rows) {
        vd x = {0};
        for (int k = 0; i + k < rows; k++) x[k] = z[i + k];
        DENSE_UNROLL for (int c = 0; c < columns; c++) sum[c] =
            v_add(sum[c], *(const vd *)(P + c * ld + i), x);
    }
    DENSE_UNROLL for (int c = 0; c < columns; c++) sums[c] = v_sum(sum[c]);
}

static void dense_backward(int rows, int width, const double *P, int ld, const int *stair,
                           int count, double *z, long ldz)
{
    for (int j = (width - 1) & ~7; j >= 0; j -= 8) {
        int columns = width - j < 8 ? width - j : 8, more = rows - j < 8 ? rows - j : 8;
        const double *panel = P + (long)j * ld;
        int end = vector_end(stair, rows, j);
        for (int r = 0; r < count; r++) {
            double *x = z + r * ldz, sums[8], y[8] = {0};
#define BACKWARD(N) backward_rows(N, j + 8, end, panel, ld, x, sums)
            DENSE_COLUMNS(columns, BACKWARD)
#undef BACKWARD
            for (int c = 0; c < more; c++) y[c] = x[j + c];
            for (int c = columns - 1; c >= 0; c--) {
                const double *column = panel + (long)c * ld + j;
                double s = y[c] - sums[c];
                for (int i = c + 1; i < 8; i++) s = s_sub(s, column[i], y[i]);
                y[c] = s * column[c];
            }
            for (int c = 0; c < columns; c++) x[j + c] = y[c];
        }
    }
}

/* Columns and, being symmetric, rows at once: y_i += Σ_c M_ic x_c and y_c += Σ_i M_ic x_i. */
DENSE_INLINE void multiply_columns(int columns, int begin, int n, const double *M, long ldm,
                                   const double *x, const double *xc, double *y, double *sums)
{
    vd sum[8];
    int i = begin;
    DENSE_UNROLL for (int c = 0; c < columns; c++) sum[c] = (vd){0};
    for (; i + W <= n; i += W) {
        vd xi = *(const vu *)(x + i), s = *(const vu *)(y + i), t = s - s;
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            vd m = *(const vd *)(M + c * ldm + i);
            sum[c] = v_add(sum[c], m, xi);
            if (c & 1)
                t = v_add(t, m, v_all(xc[c]));
            else
                s = v_add(s, m, v_all(xc[c]));
        }
        *(vu *)(y + i) = s + t;
    }
    if (i < n) {
        vd xi = {0}, s = {0};
        for (int k = 0; i + k < n; k++) xi[k] = x[i + k];
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            vd m = *(const vd *)(M + c * ldm + i);
            sum[c] = v_add(sum[c], m, xi);
            s = v_add(s, m, v_all(xc[c]));
        }
        for (int k = 0; i + k < n; k++) y[i + k] += s[k];
    }
    DENSE_UNROLL for (int c = 0; c < columns; c++) sums[c] = v_sum(sum[c]);
}

static void dense_multiply(int n, const double *M, int ldm, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0.0;
    for (int j = 0; j < n; j += 8, M += 8L * ldm) {
        int columns = n - j < 8 ? n - j : 8;
        double sums[8];
#define MULTIPLY(N) multiply_columns(N, j + 8, n, M, ldm, x, x + j, y, sums)
        DENSE_COLUMNS(columns, MULTIPLY)
#undef MULTIPLY
        for (int c = 0; c < columns; c++) {
            const double *column = M + (long)c * ldm + j;
            double s = s_add(sums[c], column[c], x[j + c]);
            for (int i = c + 1; i < columns; i++) {
                s = s_add(s, column[i], x[j + i]);
                y[j + i] = s_add(y[j + i], column[i], x[j + c]);
            }
            y[j + c] += s;
        }
    }
}

/* ---- columns of fronts that are put together ---- */

/* What `from` has in eight rows. */
DENSE_INLINE void expand(unsigned mask, const double *from, vd out[8 / W])
{
    out[0] = v_expand(mask, from);
    if (W == 4) out[8 / W - 1] = v_expand(mask >> 4, from + __builtin_popcount(mask & 15));
}

/* The eight with the diagonal: rows from it on. */
DENSE_INLINE void expand_diagonal(const TnDenseMap *map, int column, const double *from,
                                  vd out[8 / W])
{
    unsigned mask = map[column / 8].mask, above = (1u << column % 8) - 1;
    expand(mask & ~above, from + map[column / 8].from + __builtin_popcount(mask & above), out);
}

static void dense_take(int begin, int end, int eights, const int *stair, const TnDenseMap *map,
                       const double *from, long ldf, double *to, long ldt)
{
    int rows = 0;
    to += begin * ldt;
    for (int k = begin; k < end; k++, to += ldt) {
        int column = map ? tn_dense_place(map, k) : -1, g = k / 8;
        if (k == begin || k % 8 == 0) rows = tn_dense_end(stair, eights, k) / 8;
        vd x[8 / W] = {{0}};
        if (column >= 0) {
            const double *source = from + column * ldf;
            expand_diagonal(map, k, source, x);
            for (int v = 0; v < 8; v += W) *(vd *)(to + 8 * g + v) = x[v / W];
            for (g++; g < rows; g++) {
                expand(map[g].mask, source + map[g].from, x);
                for (int v = 0; v < 8; v += W) *(vd *)(to + 8 * g + v) = x[v / W];
            }
        } else {
            for (; g < rows; g++)
                for (int v = 0; v < 8; v += W) *(vd *)(to + 8 * g + v) = x[0];
        }
    }
}

static void dense_add(int begin, int end, int eights, const TnDenseMap *map, const double *from,
                      long ldf, double *to, long ldt)
{
    to += begin * ldt;
    for (int k = begin; k < end; k++, to += ldt) {
        int column = tn_dense_place(map, k), g = k / 8;
        if (column < 0) continue;
        const double *source = from + column * ldf;
        vd x[8 / W];
        expand_diagonal(map, k, source, x);
        for (int v = 0; v < 8; v += W) *(vd *)(to + 8 * g + v) += x[v / W];
        for (g++; g < eights; g++) {
            if (!map[g].mask) continue;
            expand(map[g].mask, source + map[g].from, x);
            for (int v = 0; v < 8; v += W) *(vd *)(to + 8 * g + v) += x[v / W];
        }
    }
}

static void dense_add_vector(int eights, const TnDenseMap *map, const double *from, double *to)
{
    for (int g = 0; g < eights; g++) {
        vd x[8 / W];
        expand(map[g].mask, from + map[g].from, x);
        for (int v = 0; v < 8; v += W) *(vu *)(to + 8 * g + v) += x[v / W];
    }
}

#endif
