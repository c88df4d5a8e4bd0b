/* block_lanes.h: block_kernels.h in plain loops and vectors of four, for every instruction set.
 *
 * Column k with diagonal block D and blocks C_i below is eliminated by
 *
 *     symmetric  D = R Rᵀ,        Y_i = C_i R⁻ᵀ,                      C_ij -= Y_i Y_jᵀ
 *     general    P D = L U,       Y_i = C_i U⁻¹, Z_i = L⁻¹ P B_i,     C_ij -= Y_i Z_j,
 *                                                                     B_jiᵀ -= Z_iᵀ Y_jᵀ
 *
 * with B_i the block right of D, which `upper` holds transposed. Y and Zᵀ take the place of C and
 * Bᵀ. In scratch they lie transposed as well, W = Yᵀ and V = Z: so substitutions and products run
 * along rows of many columns, and all updates of other columns are C -= A B with A a block of the
 * panel and B columns of the scratch.
 *
 * In place of D: for nodes of six inverses, which a solve does not wait for, X = R⁻¹; or U⁻¹, and
 * L⁻¹P in `upper`. Others keep R, or L and U, with reciprocals on the diagonal, and in `upper` the
 * rows' order P. Large nodes are eliminated in strips of TN_BLOCK_STRIP columns. */
#ifndef TN_MATH_BLOCK_LANES_H
#define TN_MATH_BLOCK_LANES_H

#include <string.h>

#include "../block_kernels.h"
#include "block_six.h"

/* ---- products of any size ---- */

/* As wide as registers are. */
#ifdef __AVX__
typedef v4 Lanes;
#else
typedef v2 Lanes;
#endif
enum { LANES = sizeof(Lanes) / sizeof(double) };

/* A tile of C -= A B: `height` rows and `width` vectors, constants where it is inlined. */
BLOCK_INLINE void subtract_tile(double *C, long ldc, const double *A, long down, long right,
                                const double *B, long ldb, int depth, int height, int width)
{
    Lanes c[4][2];
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) c[i][j] = *(const Lanes *)(C + i * ldc + LANES * j);
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < height; i++) {
            double a = A[i * down + k * right];
            for (int j = 0; j < width; j++)
                c[i][j] -= a * *(const Lanes *)(B + k * ldb + LANES * j);
        }
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) *(Lanes *)(C + i * ldc + LANES * j) = c[i][j];
}

BLOCK_INLINE void subtract_columns(double *C, long ldc, const double *A, long down, long right,
                                   const double *B, long ldb, int rows, int depth, int width)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4)
        subtract_tile(C + i * ldc, ldc, A + i * down, down, right, B, ldb, depth, 4, width);
    for (; i < rows; i++)
        subtract_tile(C + i * ldc, ldc, A + i * down, down, right, B, ldb, depth, 1, width);
}

/* C -= A B, A_ik at A[i * down + k * right]. */
static void subtract(double *C, long ldc, const double *A, long down, long right, const double *B,
                     long ldb, int rows, int columns, int depth)
{
    enum { DEEP = 128 }; /* rows of B of which a tile's columns stay in the nearest cache */
    for (int k = 0; k < depth; k += DEEP) {
        int deep = depth - k < DEEP ? depth - k : DEEP, j = 0;
        const double *a = A + k * right, *b = B + k * ldb;
        for (; j + 2 * LANES <= columns; j += 2 * LANES)
            subtract_columns(C + j, ldc, a, down, right, b + j, ldb, rows, deep, 2);
        for (; j + LANES <= columns; j += LANES)
            subtract_columns(C + j, ldc, a, down, right, b + j, ldb, rows, deep, 1);
        for (int i = 0; j < columns && i < rows; i++)
            for (int n = j; n < columns; n++) {
                double sum = C[i * ldc + n];
                for (int l = 0; l < deep; l++) sum -= a[i * down + l * right] * b[l * ldb + n];
                C[i * ldc + n] = sum;
            }
    }
}

/* W ← T⁻¹ W, T lower triangular of size n with T_ik at T[i * down + k * right]. The reciprocals of
 * its diagonal are there, or it is one. */
static void substitute(const double *T, long down, long right, bool one, int n, double *W, long ld,
                       int columns)
{
    for (int begin = 0; begin < n; begin += TN_BLOCK_STRIP) {
        int end = n - begin < TN_BLOCK_STRIP ? n : begin + TN_BLOCK_STRIP;
        for (int i = begin; i < end; i++) {
            double *row = W + i * ld, scale = one ? 1.0 : T[i * (down + right)];
            subtract(row, ld, T + i * down + begin * right, down, right, W + begin * ld, ld, 1,
                     columns, i - begin);
            for (int j = 0; j < columns; j++) row[j] *= scale;
        }
        subtract(W + end * ld, ld, T + end * down + begin * right, down, right, W + begin * ld, ld,
                 n - end, columns, end - begin);
    }
}

static void transpose(double *restrict to, long ld_to, const double *restrict from, long ld_from,
                      int rows, int columns) /* of `to` */
{
    for (int begin = 0; begin < columns; begin += 8) {
        int end = columns - begin < 8 ? columns : begin + 8;
        for (int i = 0; i < rows; i++)
            for (int j = begin; j < end; j++) to[i * ld_to + j] = from[j * ld_from + i];
    }
}

BLOCK_INLINE double dot(const double *x, const double *y, int n)
{
    v4 a = {0}, b = {0};
    double rest = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        a += *(const v4 *)(x + i) * *(const v4 *)(y + i);
        b += *(const v4 *)(x + i + 4) * *(const v4 *)(y + i + 4);
    }
    for (; i < n; i++) rest += x[i] * y[i];
    a += b;
    return (a[0] + a[2]) + (a[1] + a[3]) + rest;
}

BLOCK_INLINE void add_scaled(double *restrict y, const double *restrict x, double s, int n)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

/* y += s M x, and y += s Mᵀ x */
BLOCK_INLINE void apply(double *y, const double *M, const double *x, int rows, int columns,
                        double s)
{
    if (rows == 6 && columns == 6) {
        six_apply(y, M, x, s);
        return;
    }
    for (long i = 0; i < rows; i++) y[i] += s * dot(M + i * columns, x, columns);
}

BLOCK_INLINE void apply_transposed(double *y, const double *M, const double *x, int rows,
                                   int columns, double s)
{
    if (rows == 6 && columns == 6) {
        six_apply_transposed(y, M, x, s);
        return;
    }
    for (long i = 0; i < rows; i++) add_scaled(y, M + i * columns, s * x[i], columns);
}

/* ---- diagonal blocks ---- */

/* Of rows and columns [begin, end) of the lower triangle, which nothing but these is missing
 * from. */
static bool cholesky_strip(double *D, long n, int begin, int end)
{
    for (int j = begin; j < end; j++) {
        double *row = D + j * n;
        double pivot = row[j] - dot(row + begin, row + begin, j - begin);
        if (!(pivot > 0.0 && pivot < INFINITY)) return false; /* NaN too */
        row[j] = 1.0 / sqrt(pivot);
        for (int i = j + 1; i < end; i++)
            D[i * n + j] = (D[i * n + j] - dot(D + i * n + begin, row + begin, j - begin)) * row[j];
    }
    return true;
}

static bool cholesky(double *D, int n, double *scratch)
{
    for (int begin = 0; begin < n; begin += TN_BLOCK_STRIP) {
        int end = n - begin < TN_BLOCK_STRIP ? n : begin + TN_BLOCK_STRIP, rest = n - end;
        if (!cholesky_strip(D, n, begin, end)) return false;
        if (rest == 0) break;
        double *below = D + (long)end * n + begin;
        transpose(scratch, rest, below, n, end - begin, rest);
        substitute(D + (long)begin * n + begin, n, 1, false, end - begin, scratch, rest, rest);
        transpose(below, n, scratch, rest, rest, end - begin);
        for (int i = 0; i < rest; i += TN_BLOCK_STRIP) { /* what is left of the diagonal */
            int rows = rest - i < TN_BLOCK_STRIP ? rest - i : TN_BLOCK_STRIP;
            subtract(D + (long)(end + i) * n + end, n, below + (long)i * n, n, 1, scratch, rest,
                     rows, i + rows, end - begin);
        }
    }
    return true;
}

static void swap_rows(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* D ← L and U, order[i]: which of D's rows has become row i. */
static bool lu(double *D, int n, double *order)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (int begin = 0; begin < n; begin += TN_BLOCK_STRIP) {
        int end = n - begin < TN_BLOCK_STRIP ? n : begin + TN_BLOCK_STRIP;
        for (int k = begin; k < end; k++) {
            int p = k;
            for (int i = k + 1; i < n; i++)
                if (fabs(D[(long)i * n + k]) > fabs(D[(long)p * n + k])) p = i;
            double *row = D + (long)k * n, pivot = fabs(D[(long)p * n + k]);
            if (!(pivot > 0.0 && pivot < INFINITY)) return false; /* NaN too */
            if (p != k) {
                swap_rows(row, D + (long)p * n, n);
                swap_rows(order + k, order + p, 1);
            }
            row[k] = 1.0 / row[k];
            for (int i = k + 1; i < n; i++) {
                double f = D[(long)i * n + k] *= row[k];
                add_scaled(D + (long)i * n + k + 1, row + k + 1, -f, end - k - 1);
            }
        }
        double *right = D + (long)begin * n + end;
        substitute(D + (long)begin * n + begin, n, 1, true, end - begin, right, n, n - end);
        subtract(D + (long)end * n + end, n, D + (long)end * n + begin, n, 1, right, n, n - end,
                 n - end, end - begin);
    }
    return true;
}

/* ---- columns ---- */

/* Of the blocks on and below the diagonal that column k changes: those of `to`, C -= A B with A of
 * k's panel in the same part and B the scratch of the other. */
BLOCK_INLINE void update(const TnBlockProgram *program, const TnBlockColumn *k, double *to,
                         const double *B, bool diagonal)
{
    const double *A = to + k->panel + (long)k->dim * k->dim;
    const TnBlockBelow *below = program->below + k->first;
    long d = k->dim, ld = k->rows;
    for (int j = 0; j < k->count; j++) {
        const TnBlockColumn *column = &program->columns[below[j].column];
        const double *b = B + below[j].row;
        const int *rows = program->rows + below[j].map;
        long dj = below[j].dim;
        double *D = to + column->panel, *C = D + dj * dj;
        if (d == 6 && dj == 6) {
            if (diagonal) six_subtract(D, A + 6 * below[j].row, b, ld);
        } else if (diagonal) {
            subtract(D, dj, A + d * below[j].row, d, 1, b, ld, (int)dj, (int)dj, (int)d);
        }
        for (int i = j + 1; i < k->count; i++) {
            double *c = C + rows[i - j - 1] * dj;
            const double *a = A + d * below[i].row;
            if (d == 6 && dj == 6 && below[i].dim == 6)
                six_subtract(c, a, b, ld);
            else
                subtract(c, dj, a, d, 1, b, ld, below[i].dim, (int)dj, (int)d);
        }
    }
}

static bool eliminate_symmetric(const TnBlockProgram *program, const TnBlockColumn *k,
                                double *values)
{
    double *D = values + k->panel, *Y = D + (long)k->dim * k->dim, *W = values + program->scratch;
    int d = k->dim;
    if (d == 6) {
        double R[36], reciprocal[6];
        if (!six_cholesky(D, R, reciprocal)) return false;
        const TnBlockBelow *below = program->below + k->first;
        for (int i = 0; i < k->count; i++) {
            double *w = W + below[i].row, *y = Y + 6 * below[i].row;
            if (below[i].dim == 6) {
                six_transpose(w, k->rows, y, 6);
                six_substitute(R, 6, 1, reciprocal, w, k->rows);
                six_transpose(y, 6, w, k->rows);
            } else {
                for (int j = 0; j < 6; j++) R[7 * j] = reciprocal[j];
                transpose(w, k->rows, y, 6, 6, below[i].dim);
                substitute(R, 6, 1, false, 6, w, k->rows, below[i].dim);
                transpose(y, 6, w, k->rows, below[i].dim, 6);
            }
        }
        six_invert_lower(R, reciprocal, D);
    } else {
        if (!cholesky(D, d, W)) return false;
        transpose(W, k->rows, Y, d, d, k->rows);
        substitute(D, d, 1, false, d, W, k->rows, k->rows);
        transpose(Y, d, W, k->rows, k->rows, d);
    }
    update(program, k, values, W, true);
    return true;
}

static bool eliminate_general(const TnBlockProgram *program, const TnBlockColumn *k, double *lower,
                              double *upper)
{
    double *D = lower + k->panel, *N = upper + k->panel;
    double *Y = D + (long)k->dim * k->dim, *Z = N + (long)k->dim * k->dim;
    double *W = lower + program->scratch, *V = upper + program->scratch;
    int d = k->dim, m = k->rows;
    if (d == 6) {
        double reciprocal[6], U[36];
        if (!six_lu(D, reciprocal, N)) return false;
        memcpy(U, D, sizeof U);
        const TnBlockBelow *below = program->below + k->first;
        for (int i = 0; i < k->count; i++) {
            double *w = W + below[i].row, *y = Y + 6 * below[i].row;
            double *v = V + below[i].row, *z = Z + 6 * below[i].row;
            if (below[i].dim == 6) {
                six_transpose(w, m, y, 6);
                six_substitute(U, 1, 6, reciprocal, w, m);
                six_transpose(y, 6, w, m);
                six_product(N, z, v, m);
                six_transpose(z, 6, v, m);
            } else {
                for (int j = 0; j < 6; j++) U[7 * j] = reciprocal[j];
                transpose(w, m, y, 6, 6, below[i].dim);
                substitute(U, 1, 6, false, 6, w, m, below[i].dim);
                transpose(y, 6, w, m, below[i].dim, 6);
                for (int j = 0; j < 6; j++) memset(v + (long)j * m, 0, (size_t)below[i].dim * 8);
                for (int j = 0; j < below[i].dim; j++)
                    for (int a = 0; a < 6; a++)
                        for (int b = 0; b < 6; b++)
                            v[(long)a * m + j] += N[6 * a + b] * z[6 * j + b];
                transpose(z, 6, v, m, below[i].dim, 6);
            }
        }
        six_invert_upper(U, reciprocal, D);
    } else {
        if (!lu(D, d, N)) return false;
        transpose(W, m, Y, d, d, m);
        substitute(D, 1, d, false, d, W, m, m);
        transpose(Y, d, W, m, m, d);
        for (int i = 0; i < d; i++) transpose(V + (long)i * m, m, Z + (long)N[i], d, 1, m);
        substitute(D, d, 1, true, d, V, m, m);
        transpose(Z, d, V, m, m, d);
    }
    update(program, k, lower, V, true);
    update(program, k, upper, W, false);
    return true;
}

static bool factor_symmetric(const TnBlockPlan *plan, double *values)
{
    for (int k = 0; k < plan->node_count; k++)
        if (!eliminate_symmetric(plan->program, &plan->program->columns[k], values)) return false;
    return true;
}

static bool factor_general(const TnBlockPlan *plan, double *values)
{
    for (int k = 0; k < plan->node_count; k++)
        if (!eliminate_general(plan->program, &plan->program->columns[k], values,
                               values + plan->size))
            return false;
    return true;
}

/* ---- solving ---- */

/* x_i -= Y_i x_k for all i below */
BLOCK_INLINE void spread(const TnBlockProgram *program, const TnBlockColumn *k, const double *lower,
                         double *x)
{
    const double *Y = lower + k->panel + (long)k->dim * k->dim;
    const TnBlockBelow *below = program->below + k->first;
    for (int i = 0; i < k->count; i++)
        apply(x + below[i].start, Y + (long)k->dim * below[i].row, x + k->start, below[i].dim,
              k->dim, -1.0);
}

/* x_k -= Σ Z_i x_i, Zᵀ in `part` */
BLOCK_INLINE void gather(const TnBlockProgram *program, const TnBlockColumn *k, const double *part,
                         double *x)
{
    const double *Z = part + k->panel + (long)k->dim * k->dim;
    const TnBlockBelow *below = program->below + k->first;
    for (int i = 0; i < k->count; i++)
        apply_transposed(x + k->start, Z + (long)k->dim * below[i].row, x + below[i].start,
                         below[i].dim, k->dim, -1.0);
}

/* x ← R⁻¹ x and x ← R⁻ᵀ x with a triangle by rows, the reciprocals on its diagonal */
BLOCK_INLINE void forward(const double *R, int n, double *x, bool one)
{
    for (long i = 0; i < n; i++)
        x[i] = (x[i] - dot(R + i * n, x, (int)i)) * (one ? 1.0 : R[i * n + i]);
}

static void solve_symmetric(const TnBlockPlan *plan, const double *values, double *x)
{
    const TnBlockProgram *program = plan->program;
    for (int c = 0; c < plan->node_count; c++) {
        const TnBlockColumn *k = &program->columns[c];
        const double *D = values + k->panel;
        double *at = x + k->start;
        if (k->dim == 6) {
            double y[6] = {0};
            six_apply(y, D, at, 1.0);
            memcpy(at, y, sizeof y);
        } else {
            forward(D, k->dim, at, false);
        }
        spread(program, k, values, x);
    }
    for (int c = plan->node_count - 1; c >= 0; c--) {
        const TnBlockColumn *k = &program->columns[c];
        const double *D = values + k->panel;
        double *at = x + k->start;
        gather(program, k, values, x);
        if (k->dim == 6) {
            double y[6] = {0};
            six_apply_transposed(y, D, at, 1.0);
            memcpy(at, y, sizeof y);
        } else {
            for (long n = k->dim, i = n - 1; i >= 0; i--) {
                at[i] *= D[i * n + i];
                add_scaled(at, D + i * n, -at[i], (int)i);
            }
        }
    }
}

/* Row order[i] comes to place i: along the cycles, each from its least place. */
static void permute(const double *order, int n, double *x)
{
    for (int first = 0; first < n; first++) {
        int i = (int)order[first];
        while (i > first) i = (int)order[i];
        if (i < first) continue; /* not the least of its cycle */
        double kept = x[first];
        for (i = first; (int)order[i] != first; i = (int)order[i]) x[i] = x[(int)order[i]];
        x[i] = kept;
    }
}

static void solve_general(const TnBlockPlan *plan, const double *values, double *x)
{
    const TnBlockProgram *program = plan->program;
    const double *upper = values + plan->size;
    for (int c = 0; c < plan->node_count; c++) {
        const TnBlockColumn *k = &program->columns[c];
        double *at = x + k->start;
        if (k->dim == 6) {
            double y[6] = {0};
            six_apply(y, upper + k->panel, at, 1.0);
            memcpy(at, y, sizeof y);
        } else {
            permute(upper + k->panel, k->dim, at);
            forward(values + k->panel, k->dim, at, true);
        }
        spread(program, k, values, x);
    }
    for (int c = plan->node_count - 1; c >= 0; c--) {
        const TnBlockColumn *k = &program->columns[c];
        const double *D = values + k->panel;
        double *at = x + k->start;
        gather(program, k, upper, x);
        if (k->dim == 6) {
            double y[6] = {0};
            six_apply(y, D, at, 1.0);
            memcpy(at, y, sizeof y);
        } else {
            for (long n = k->dim, i = n - 1; i >= 0; i--)
                at[i] =
                    (at[i] - dot(D + i * n + i + 1, at + i + 1, (int)(n - i - 1))) * D[i * n + i];
        }
    }
}

#define BLOCK_TABLE(NAME)                                                                          \
    {                                                                                              \
        NAME, factor_symmetric, factor_general, solve_symmetric, solve_general                     \
    }

#endif
