/* dense_lanes.h: the dense kernels with vectors of W numbers; W is 4 or 8.
 *
 * Everything is cut into eight columns. `product` subtracts A Bᵀ from a piece of VR vectors by NR
 * columns that stays in registers; around it, pieces of A of DENSE_DEPTH columns stay in the first
 * cache and DENSE_BLOCK columns of the result share what is read of A. How things are cut depends on
 * the front's size only. */
#ifndef TN_DENSE_LANES_H
#define TN_DENSE_LANES_H

#include <math.h>

#include "../dense_kernels.h"

enum { DENSE_DEPTH = 128, DENSE_BLOCK = 64 };

#ifdef __clang__
#define DENSE_UNROLL _Pragma("unroll")
#else
#define DENSE_UNROLL _Pragma("GCC unroll 8")
#endif
#define DENSE_INLINE static inline __attribute__((always_inline))

/* A row of vectors and the eight columns (or fewer) that the compiler knows the number of. */
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

/* C -= A Bᵀ; A and B have `depth` columns of ld numbers, C has `columns` of ldc */
DENSE_INLINE void product(int vectors, int columns, int depth, const double *A, const double *B,
                          long ld, double *C, long ldc)
{
    vd sum[8][3];
    DENSE_UNROLL for (int c = 0; c < columns; c++)
    {
        DENSE_UNROLL for (int v = 0; v < vectors; v++) sum[c][v] =
            *(const vd *)(C + c * ldc + v * W);
    }
    for (int k = 0; k < depth; k++, A += ld, B += ld) {
        vd a[3];
        DENSE_UNROLL for (int v = 0; v < vectors; v++) a[v] = *(const vd *)(A + v * W);
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            DENSE_UNROLL for (int v = 0; v < vectors; v++) sum[c][v] -= a[v] * B[c];
        }
    }
    DENSE_UNROLL for (int c = 0; c < columns; c++)
    {
        DENSE_UNROLL for (int v = 0; v < vectors; v++) * (vd *)(C + c * ldc + v * W) = sum[c][v];
    }
}

/* The same for 8 `eights` rows. With four lanes there are half as many registers, so four columns. */
static void product_rows(int eights, int columns, int depth, const double *A, const double *B,
                         long ld, double *C, long ldc)
{
#if W == 8
    if (eights == 3) {
#define PRODUCT(N) product(3, N, depth, A, B, ld, C, ldc)
        DENSE_COLUMNS(columns, PRODUCT)
#undef PRODUCT
        return;
    }
    for (int e = 0; e < eights; e++, A += 8, C += 8) {
#define PRODUCT(N) product(1, N, depth, A, B, ld, C, ldc)
        DENSE_COLUMNS(columns, PRODUCT)
#undef PRODUCT
    }
#else
    for (int e = 0; e < eights; e++, A += 8, C += 8) {
        int c = 0;
        for (; c + 4 <= columns; c += 4) product(2, 4, depth, A, B + c, ld, C + c * ldc, ldc);
        for (; c < columns; c++) product(2, 1, depth, A, B + c, ld, C + c * ldc, ldc);
    }
#endif
}

/* C_ic -= Σ_k P_ik P_ck for columns c of [begin, end), k of [first, behind), and i from the eight
 * rows with the diagonal on. C points where row 0 and column 0 of the front would be. */
static void subtract(const double *P, int ld, int first, int behind, double *C, long ldc, int begin,
                     int end)
{
    for (int k = first; k < behind; k += DENSE_DEPTH) {
        int depth = behind - k < DENSE_DEPTH ? behind - k : DENSE_DEPTH;
        const double *A = P + (long)k * ld;
        for (int block = begin; block < end; block += DENSE_BLOCK) {
            int block_end = block + DENSE_BLOCK < end ? block + DENSE_BLOCK : end;
            for (int i = block & ~7; i < ld; i += 24) {
                int eights = ld - i < 24 ? (ld - i) / 8 : 3;
                for (int c = block; c < block_end && c < i + 8 * eights; c += 8)
                    product_rows(eights, block_end - c < 8 ? block_end - c : 8, depth, A + i, A + c,
                                 ld, C + c * ldc + i, ldc);
            }
        }
    }
}

/* Rows of a panel times L⁻ᵀ of the columns' triangle, whose diagonal holds reciprocals. */
DENSE_INLINE void divide_rows(int columns, int begin, int end, double *P, long ld,
                              const double (*L)[8])
{
    for (int i = begin; i < end; i += W) {
        vd x[8];
        DENSE_UNROLL for (int c = 0; c < columns; c++) { x[c] = *(const vd *)(P + c * ld + i); }
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            x[c] *= L[c][c];
            *(vd *)(P + c * ld + i) = x[c];
            DENSE_UNROLL for (int d = c + 1; d < columns; d++) x[d] -= x[c] * L[c][d];
        }
    }
}

/* Eight columns (or fewer) that no longer depend on others; P is the panel's column j. */
static bool factor_columns(int columns, int j, double *P, int ld)
{
    double L[8][8]; /* by columns */
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < 8; i++) L[c][i] = P[(long)c * ld + j + i];
    for (int c = 0; c < columns; c++) {
        if (!(L[c][c] > 0.0 && L[c][c] < INFINITY)) return false; /* NaN too */
        double inverse = 1.0 / sqrt(L[c][c]);
        L[c][c] = inverse;
        for (int i = c + 1; i < 8; i++) L[c][i] *= inverse;
        for (int d = c + 1; d < columns; d++)
            for (int i = d; i < 8; i++) L[d][i] -= L[c][i] * L[c][d];
    }
    for (int c = 0; c < columns; c++)
        for (int i = c; i < 8; i++) P[(long)c * ld + j + i] = L[c][i];
#define DIVIDE(N) divide_rows(N, j + 8, ld, P, ld, (const double(*)[8])L)
    DENSE_COLUMNS(columns, DIVIDE)
#undef DIVIDE
    return true;
}

static bool dense_factor(int rows, int width, double *P, int ld)
{
    (void)rows;
    for (int block = 0; block < width; block += DENSE_BLOCK) {
        int end = block + DENSE_BLOCK < width ? block + DENSE_BLOCK : width;
        subtract(P, ld, 0, block, P, ld, block, end);
        for (int j = block; j < end; j += 8) {
            int columns = end - j < 8 ? end - j : 8;
            subtract(P, ld, block, j, P, ld, j, j + columns);
            if (!factor_columns(columns, j, P + (long)j * ld, ld)) return false;
        }
    }
    return true;
}

static void dense_update(int rows, int width, const double *P, int ld, double *U)
{
    int base = width & ~7;
    long ldu = ld - base;
    subtract(P, ld, 0, width, U - width * ldu - base, ldu, width, rows);
}

DENSE_INLINE void forward_rows(int columns, int begin, int end, const double *P, long ld,
                               const double *y, double *z)
{
    for (int i = begin; i < end; i += W) {
        vd s = *(const vd *)(z + i), t = s - s;
        DENSE_UNROLL for (int c = 0; c < columns; c++)
        {
            if (c & 1)
                t += *(const vd *)(P + c * ld + i) * y[c];
            else
                s -= *(const vd *)(P + c * ld + i) * y[c];
        }
        *(vd *)(z + i) = s - t;
    }
}

static void dense_forward(int rows, int width, const double *P, int ld, int count, double *z)
{
    int end = (rows + 7) & ~7;
    for (int j = 0; j < width; j += 8, P += 8L * ld) {
        int columns = width - j < 8 ? width - j : 8;
        for (int r = 0; r < count; r++) {
            double *x = z + (long)r * ld, y[8];
            for (int c = 0; c < columns; c++) {
                y[c] = x[j + c] *= P[(long)c * ld + j + c];
                for (int i = c + 1; i < 8; i++) x[j + i] -= P[(long)c * ld + j + i] * y[c];
            }
#define FORWARD(N) forward_rows(N, j + 8, end, P, ld, y, x)
            DENSE_COLUMNS(columns, FORWARD)
#undef FORWARD
        }
    }
}

DENSE_INLINE void backward_rows(int columns, int begin, int end, const double *P, long ld,
                                const double *z, double *sums)
{
    vd sum[8];
    DENSE_UNROLL for (int c = 0; c < columns; c++) sum[c] = (vd){0};
    for (int i = begin; i < end; i += W) {
        vd x = *(const vd *)(z + i);
        DENSE_UNROLL for (int c = 0; c < columns; c++) sum[c] += *(const vd *)(P + c * ld + i) * x;
    }
    DENSE_UNROLL for (int c = 0; c < columns; c++) sums[c] = v_sum(sum[c]);
}

static void dense_backward(int rows, int width, const double *P, int ld, int count, double *z)
{
    (void)rows;
    for (int j = (width - 1) & ~7; j >= 0; j -= 8) {
        int columns = width - j < 8 ? width - j : 8;
        const double *panel = P + (long)j * ld;
        for (int r = 0; r < count; r++) {
            double *x = z + (long)r * ld, sums[8];
#define BACKWARD(N) backward_rows(N, j + 8, ld, panel, ld, x, sums)
            DENSE_COLUMNS(columns, BACKWARD)
#undef BACKWARD
            for (int c = columns - 1; c >= 0; c--) {
                const double *column = panel + (long)c * ld + j;
                double s = x[j + c] - sums[c];
                for (int i = c + 1; i < 8; i++) s -= column[i] * x[j + i];
                x[j + c] = s * column[c];
            }
        }
    }
}

#endif
