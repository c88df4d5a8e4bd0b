/* dense_lanes.h: the dense kernels with vectors of W numbers; W is 4 or 8.
 *
 * Everything is cut into eight columns. `product` subtracts A Bᵀ from a piece of VR vectors by
 * NR columns that stays in registers; around it, pieces of A of DENSE_DEPTH columns stay in the
 * first cache and DENSE_BLOCK columns of the result share what is read of A. Where much is
 * computed, A and B are copied first, so that they lie together. Every number of the result gets
 * the same products subtracted one after the other however things are cut, or zeros times something
 * where a strip of rows begins with another one's stair. */
#ifndef TN_DENSE_LANES_H
#define TN_DENSE_LANES_H

#include <math.h>
#include <string.h>

#include "dense_vector_lanes.h"

enum {
    DENSE_DEPTH = 128,
    DENSE_BLOCK = TN_DENSE_BLOCK,
    DENSE_ROWS = TN_DENSE_STRIP,
    DENSE_PACK = 144, /* rows from which copying pays */
};

/* C -= A Bᵀ; A and B have `depth` columns of lda and ldb numbers, C has `columns` of ldc */
DENSE_INLINE void product(int vectors, int columns, int depth, const double *A, long lda,
                          const double *B, long ldb, double *C, long ldc)
{
    vd sum[8][3];
    DENSE_UNROLL for (int c = 0; c < columns; c++)
    {
        DENSE_UNROLL for (int v = 0; v < vectors; v++) sum[c][v] =
            *(const vd *)(C + c * ldc + v * W);
    }
    for (int k = 0; k < depth; k++, A += lda, B += ldb) {
        vd a[3];
        DENSE_UNROLL for (int v = 0; v < vectors; v++) a[v] = *(const vd *)(A + v * W);
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            DENSE_UNROLL for (int v = 0; v < vectors; v++) sum[c][v] =
                v_sub(sum[c][v], a[v], v_all(B[c]));
        }
    }
    DENSE_UNROLL for (int c = 0; c < columns; c++)
    {
        DENSE_UNROLL for (int v = 0; v < vectors; v++) * (vd *)(C + c * ldc + v * W) = sum[c][v];
    }
}

/* The same for 8 `eights` rows, three at most. With four lanes there are half as many registers,
 * so four columns. */
static void product_rows(int eights, int columns, int depth, const double *A, long lda,
                         const double *B, long ldb, double *C, long ldc)
{
#if W == 8
#define PRODUCT3(N) product(3, N, depth, A, lda, B, ldb, C, ldc)
#define PRODUCT2(N) product(2, N, depth, A, lda, B, ldb, C, ldc)
#define PRODUCT1(N) product(1, N, depth, A, lda, B, ldb, C, ldc)
    if (eights == 3) {
        DENSE_COLUMNS(columns, PRODUCT3)
    } else if (eights == 2) {
        DENSE_COLUMNS(columns, PRODUCT2)
    } else {
        DENSE_COLUMNS(columns, PRODUCT1)
    }
#undef PRODUCT1
#undef PRODUCT2
#undef PRODUCT3
#else
    for (int e = 0; e < eights; e++, A += 8, C += 8) {
        int c = 0;
        for (; c + 4 <= columns; c += 4) product(2, 4, depth, A, lda, B + c, ldb, C + c * ldc, ldc);
        for (; c < columns; c++) product(2, 1, depth, A, lda, B + c, ldb, C + c * ldc, ldc);
    }
#endif
}

/* Where the eight columns with column c end: eights of columns are those of the rows, so that none
 * has two on the diagonal. */
static int columns_from(int c, int end)
{
    int next = (c & ~7) + 8;
    return (next < end ? next : end) - c;
}

/* Columns [begin, end) of a block, rows of [row_begin, row_end) from the eight with the diagonal
 * on. */
static void subtract_block(const double *A, long ld, int first, int depth, const int *stair,
                           double *C, long ldc, int begin, int end, int row_begin, int row_end)
{
    _Alignas(64) double pack_A[DENSE_ROWS * DENSE_DEPTH];
    _Alignas(64) double pack_B[DENSE_BLOCK * DENSE_DEPTH];
    bool pack = row_end - row_begin >= DENSE_PACK && end - begin >= 32 && depth >= 48;
    int base = begin & ~7;
    for (int c = begin, columns; pack && c < end; c += columns) {
        double *to = pack_B + (long)((c & ~7) - base) * depth;
        columns = columns_from(c, end);
        for (int k = 0; k < depth; k++, to += 8) {
            if (columns == 8)
                memcpy(to, A + k * ld + c, 8 * sizeof(double));
            else
                for (int i = 0; i < columns; i++) to[i] = A[k * ld + c + i];
        }
    }
    for (int i = row_begin; i < row_end; i += DENSE_ROWS) {
        int eights = row_end - i < DENSE_ROWS ? (row_end - i) / 8 : DENSE_ROWS / 8;
        int skip = stair && stair[i / 8] > first ? stair[i / 8] - first : 0;
        const double *from = A + i + skip * ld;
        long lda = ld;
        if (skip >= depth) break; /* nor have those behind */
        if (pack) {
            double *to = pack_A;
            for (int k = 0; k < depth - skip; k++, to += 8 * eights)
                for (int v = 0; v < 8 * eights; v += W)
                    *(vd *)(to + v) = *(const vd *)(from + k * ld + v);
            from = pack_A, lda = 8 * eights;
        }
        for (int c = begin, columns; c < end && c < i + 8 * eights; c += columns) {
            int above = (c & ~7) > i ? ((c & ~7) - i) / 8 : 0; /* eights above the diagonal */
            columns = columns_from(c, end);
            const double *B =
                pack ? pack_B + (long)((c & ~7) - base) * depth + 8L * skip : A + c + skip * ld;
            product_rows(eights - above, columns, depth - skip, from + 8 * above, lda, B,
                         pack ? 8 : ld, C + c * ldc + i + 8 * above, ldc);
        }
    }
}

/* C_ic -= Σ_k P_ik P_ck for columns c of [begin, end), k of [first, behind), and rows i of
 * [row_begin, row_end) from the eight with the diagonal on. C points where row 0 and column 0 of
 * the front would be. */
static void subtract(const double *P, long ld, const int *stair, int first, int behind, double *C,
                     long ldc, int begin, int end, int row_begin, int row_end)
{
    if (row_begin >= row_end) return; /* nor has it a stair */
    if (stair && stair[row_begin / 8] > first) first = stair[row_begin / 8];
    for (int k = first; k < behind; k += DENSE_DEPTH) {
        int depth = behind - k < DENSE_DEPTH ? behind - k : DENSE_DEPTH;
        for (int block = begin, block_end; block < end; block = block_end) {
            block_end = (block & ~7) + DENSE_BLOCK < end ? (block & ~7) + DENSE_BLOCK : end;
            int from = (block & ~7) > row_begin ? block & ~7 : row_begin;
            subtract_block(P + (long)k * ld, ld, k, depth, stair, C, ldc, block, block_end, from,
                           row_end);
        }
    }
}

/* Rows of a panel times L⁻ᵀ of the columns' triangle, whose diagonal holds reciprocals; P and
 * the triangle begin with the first column. */
DENSE_INLINE void divide(int columns, int begin, int end, double *P, long ld, const double *T)
{
    _Alignas(64) double L[8][8];
    for (int c = 0; c < columns;
         c++) /* whole eights: compilers make a slow copy of shorter loops */
        for (int d = 0; d < 8; d += W) *(vd *)(L[c] + d) = *(const vd *)(T + c * ld + d);
    for (int i = begin; i < end; i += W) {
        vd x[8];
        DENSE_UNROLL for (int c = 0; c < columns; c++) { x[c] = *(const vd *)(P + c * ld + i); }
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            x[c] *= L[c][c];
            *(vd *)(P + c * ld + i) = x[c];
            DENSE_UNROLL for (int d = c + 1; d < columns; d++) x[d] =
                v_sub(x[d], x[c], v_all(L[c][d]));
        }
    }
}

static void divide_rows(int columns, int begin, int end, double *P, long ld, const double *T)
{
#define DIVIDE(N) divide(N, begin, end, P, ld, T)
    DENSE_COLUMNS(columns, DIVIDE)
#undef DIVIDE
}

/* The triangle of eight columns (or fewer) that no longer depend on others, and the rest of its
 * eight rows. */
static bool factor_triangle(int columns, double *T, long ld)
{
    double L[8][8]; /* by columns */
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < 8; i++) L[c][i] = T[c * ld + i];
    for (int c = 0; c < columns; c++) {
        if (!(L[c][c] > 0.0 && L[c][c] < INFINITY)) return false; /* NaN too */
        double inverse = 1.0 / sqrt(L[c][c]);
        L[c][c] = inverse;
        for (int i = c + 1; i < 8; i++) L[c][i] *= inverse;
        for (int d = c + 1; d < columns; d++)
            for (int i = d; i < 8; i++) L[d][i] = s_sub(L[d][i], L[c][i], L[c][d]);
    }
    for (int c = 0; c < columns; c++)
        for (int i = c; i < 8; i++) T[c * ld + i] = L[c][i];
    return true;
}

static bool dense_factor_diagonal(int begin, int end, double *P, int ld, const int *stair)
{
    int row_end = (end + 7) & ~7;
    subtract(P, ld, stair, 0, begin, P, ld, begin, end, begin, row_end);
    for (int j = begin; j < end; j += 8) {
        int columns = end - j < 8 ? end - j : 8;
        double *panel = P + (long)j * ld;
        subtract(P, ld, stair, begin, j, P, ld, j, j + columns, j, row_end);
        if (!factor_triangle(columns, panel + j, ld)) return false;
        divide_rows(columns, j + 8, tn_dense_end(stair, row_end / 8, j), panel, ld, panel + j);
    }
    return true;
}

static void dense_factor_rows(int begin, int end, int row_begin, int row_end, double *P, int ld,
                              const int *stair)
{
    subtract(P, ld, stair, 0, begin, P, ld, begin, end, row_begin, row_end);
    for (int i = row_begin; i < row_end; i += DENSE_ROWS) { /* these stay in the first cache */
        int i_end = i + DENSE_ROWS < row_end ? i + DENSE_ROWS : row_end;
        int first = stair && stair[i / 8] > begin ? stair[i / 8] : begin;
        for (int j = first; j < end; j += 8) {
            int columns = end - j < 8 ? end - j : 8;
            double *panel = P + (long)j * ld;
            if (j > first)
                product_rows((i_end - i) / 8, columns, j - first, P + (long)first * ld + i, ld,
                             P + (long)first * ld + j, ld, panel + i, ld);
            divide_rows(columns, i, i_end, panel, ld, panel + j);
        }
    }
}

static bool dense_factor(int rows, int width, double *P, int ld, const int *stair)
{
    for (int begin = 0; begin < width; begin += DENSE_BLOCK) {
        int end = begin + DENSE_BLOCK < width ? begin + DENSE_BLOCK : width;
        if (!dense_factor_diagonal(begin, end, P, ld, stair)) return false;
        dense_factor_rows(begin, end, (end + 7) & ~7, (rows + 7) & ~7, P, ld, stair);
    }
    return true;
}

static void dense_update_columns(int rows, int width, const double *P, int ld, const int *stair,
                                 double *U, int begin, int end)
{
    int base = width & ~7;
    long ldu = ld - base;
    subtract(P, ld, stair, 0, width, U - width * ldu - base, ldu, begin, end, begin & ~7,
             (rows + 7) & ~7);
}

static void dense_update(int rows, int width, const double *P, int ld, const int *stair, double *U)
{
    dense_update_columns(rows, width, P, ld, stair, U, width, rows);
}

/* C -= A Bᵀ over columns [i, end) of both for rows of A that begin with column i, eight by
 * eight: what is left of these in memory is not theirs. A and B point to column 0. */
static void product_upper(int eights, int columns, int i, int end, const double *A, const double *B,
                          long ld, double *C, long ldc)
{
    int behind = i + 8 * eights < end ? i + 8 * eights : end;
    for (int e = 0; e < eights; e++)
        product_rows(1, columns, behind - i - 8 * e, A + (i + 8 * e) * ld + 8 * e, ld,
                     B + (i + 8 * e) * ld, ld, C + 8 * e, ldc);
    product_rows(eights, columns, end - behind, A + behind * ld, ld, B + behind * ld, ld, C, ldc);
}

/* X = L⁻ᵀ, upper triangular, takes the place above and on the diagonal's eights: its columns j
 * are those of the identity minus Σ X_k L_jk over the k before, times L_jj⁻ᵀ. Then M = X Xᵀ. */
static void dense_invert(int n, double *P, int ld, double *M, int ldm)
{
    for (int j = 0; j < n; j += 8) {
        int columns = n - j < 8 ? n - j : 8;
        double *panel = P + (long)j * ld, T[8][8];
        for (int c = 0; c < columns; c++)
            for (int v = 0; v < j; v += W) *(vd *)(panel + (long)c * ld + v) = (vd){0};
        for (int i = 0; i < j; i += DENSE_ROWS)
            product_upper(j - i < DENSE_ROWS ? (j - i) / 8 : DENSE_ROWS / 8, columns, i, j, P + i,
                          P + j, ld, panel + i, ld);
        divide_rows(columns, 0, j, panel, ld, panel + j);
        for (int c = 0; c < columns; c++)
            for (int i = 7; i >= 0; i--) {
                double s = i == c ? 1.0 : 0.0;
                for (int k = i; k < c; k++) s = s_sub(s, T[k][i], panel[(long)k * ld + j + c]);
                T[c][i] = i > c ? 0.0 : s * panel[(long)c * ld + j + c];
            }
        for (int c = 0; c < columns; c++)
            for (int i = 0; i < 8; i++) panel[(long)c * ld + j + i] = T[c][i];
    }
    int rows = (n + 7) & ~7;
    for (int c = 0; c < n; c++)
        for (int v = c & ~7; v < rows; v += W) *(vd *)(M + (long)c * ldm + v) = (vd){0};
    for (int i = 0; i < rows; i += DENSE_ROWS) {
        int eights = rows - i < DENSE_ROWS ? (rows - i) / 8 : DENSE_ROWS / 8;
        for (int c = 0; c < n && c < i + 8 * eights; c += 8) {
            int above = c > i ? (c - i) / 8 : 0, row = i + 8 * above;
            product_upper(eights - above, n - c < 8 ? n - c : 8, row, n, P + row, P + c, ld,
                          M + (long)c * ldm + row, ldm);
        }
    }
    for (int c = 0; c < n; c++)
        for (int v = c & ~7; v < rows; v += W)
            *(vd *)(M + (long)c * ldm + v) = -*(const vd *)(M + (long)c * ldm + v);
}

#define DENSE_TABLE(NAME)                                                                          \
    {                                                                                              \
        NAME, dense_factor, dense_update, dense_factor_diagonal, dense_factor_rows,                \
            dense_update_columns, dense_forward, dense_backward, dense_invert, dense_take,         \
            dense_add, dense_add_vector, dense_multiply                                            \
    }

#endif
