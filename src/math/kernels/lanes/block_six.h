/* block_six.h: nodes of six for block_lanes.h, where all loops have constant bounds. A row of six
 * is a vector of four and one of two. */
#ifndef TN_MATH_BLOCK_SIX_H
#define TN_MATH_BLOCK_SIX_H

#include <math.h>
#include <stdbool.h>

typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double v2 __attribute__((vector_size(16), aligned(8), may_alias));

#define BLOCK_INLINE static inline __attribute__((always_inline))

/* C -= A B; A and C are 6×6, B has rows ldb apart. */
BLOCK_INLINE void six_subtract(double *C, const double *A, const double *B, long ldb)
{
    v4 c[6];
    v2 e[6];
    for (int i = 0; i < 6; i++) {
        c[i] = *(const v4 *)(C + 6 * i);
        e[i] = *(const v2 *)(C + 6 * i + 4);
    }
    for (int k = 0; k < 6; k++) {
        v4 b = *(const v4 *)(B + k * ldb);
        v2 f = *(const v2 *)(B + k * ldb + 4);
        for (int i = 0; i < 6; i++) {
            c[i] -= A[6 * i + k] * b;
            e[i] -= A[6 * i + k] * f;
        }
    }
    for (int i = 0; i < 6; i++) {
        *(v4 *)(C + 6 * i) = c[i];
        *(v2 *)(C + 6 * i + 4) = e[i];
    }
}

BLOCK_INLINE void six_transpose(double *to, long ld_to, const double *from, long ld_from)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) to[i * ld_to + j] = from[j * ld_from + i];
}

/* W ← T⁻¹ W for six columns of W, T lower triangular with T_ik at T[i * down + k * right] and the
 * reciprocals of its diagonal. */
BLOCK_INLINE void six_substitute(const double *T, int down, int right, const double *reciprocal,
                                 double *W, long ld)
{
    v4 c[6];
    v2 e[6];
    for (int i = 0; i < 6; i++) {
        c[i] = *(const v4 *)(W + i * ld);
        e[i] = *(const v2 *)(W + i * ld + 4);
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) {
            c[i] -= T[i * down + k * right] * c[k];
            e[i] -= T[i * down + k * right] * e[k];
        }
        c[i] *= reciprocal[i];
        e[i] *= reciprocal[i];
    }
    for (int i = 0; i < 6; i++) {
        *(v4 *)(W + i * ld) = c[i];
        *(v2 *)(W + i * ld + 4) = e[i];
    }
}

/* W = N B for six columns of W and a 6×6 B that is given transposed. */
BLOCK_INLINE void six_product(const double *N, const double *B_transposed, double *W, long ld)
{
    double B[36];
    six_transpose(B, 6, B_transposed, 6);
    for (int i = 0; i < 6; i++) {
        v4 c = {0};
        v2 e = {0};
        for (int k = 0; k < 6; k++) {
            c += N[6 * i + k] * *(const v4 *)(B + 6 * k);
            e += N[6 * i + k] * *(const v2 *)(B + 6 * k + 4);
        }
        *(v4 *)(W + i * ld) = c;
        *(v2 *)(W + i * ld + 4) = e;
    }
}

BLOCK_INLINE bool six_pivot(double *a, double *reciprocal, int k)
{
    double pivot = a[7 * k], d = 1.0 / pivot;
    reciprocal[k] = d;
    for (int i = k + 1; i < 6; i++) {
        double f = a[6 * i + k] * d;
        for (int j = k + 1; j <= i; j++) a[6 * i + j] -= f * a[6 * j + k];
    }
    return pivot > 0.0 && pivot < INFINITY; /* NaN neither */
}

/* D = R Rᵀ from D's lower triangle: R below the diagonal, the diagonal's reciprocals apart. Roots
 * are taken at the end, off the way that one pivot waits for another. */
BLOCK_INLINE bool six_cholesky(const double *D, double *R, double *reciprocal)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) R[6 * i + j] = D[6 * i + j];
    bool ok = six_pivot(R, reciprocal, 0);
    ok &= six_pivot(R, reciprocal, 1);
    ok &= six_pivot(R, reciprocal, 2);
    ok &= six_pivot(R, reciprocal, 3);
    ok &= six_pivot(R, reciprocal, 4);
    ok &= six_pivot(R, reciprocal, 5);
    for (int k = 0; k < 6; k++) reciprocal[k] = sqrt(reciprocal[k]);
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < i; k++) R[6 * i + k] *= reciprocal[k];
    return ok;
}

/* X = T⁻¹, lower triangular with zeros above. */
BLOCK_INLINE void six_invert_lower(const double *T, const double *reciprocal, double *X)
{
    v4 c[6];
    v2 e[6];
    for (int i = 0; i < 6; i++) {
        c[i] = (v4){i == 0, i == 1, i == 2, i == 3};
        e[i] = (v2){i == 4, i == 5};
        for (int k = 0; k < i; k++) {
            c[i] -= T[6 * i + k] * c[k];
            e[i] -= T[6 * i + k] * e[k];
        }
        c[i] *= reciprocal[i];
        e[i] *= reciprocal[i];
        *(v4 *)(X + 6 * i) = c[i];
        *(v2 *)(X + 6 * i + 4) = e[i];
    }
}

/* D = Pᵀ L U by rows with partial pivoting: D ← U, reciprocals of its diagonal, N = L⁻¹ P. */
BLOCK_INLINE bool six_lu(double *D, double *reciprocal, double *N)
{
    for (int i = 0; i < 36; i++) N[i] = i % 7 == 0;
    for (int k = 0; k < 6; k++) {
        int p = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(D[6 * i + k]) > fabs(D[6 * p + k])) p = i;
        for (int j = 0; p != k && j < 6; j++) {
            double d = D[6 * k + j], n = N[6 * k + j];
            D[6 * k + j] = D[6 * p + j];
            N[6 * k + j] = N[6 * p + j];
            D[6 * p + j] = d;
            N[6 * p + j] = n;
        }
        double pivot = fabs(D[7 * k]);
        if (!(pivot > 0.0 && pivot < INFINITY)) return false; /* NaN too */
        reciprocal[k] = 1.0 / D[7 * k];
        v4 a = *(const v4 *)(D + 6 * k), b = *(const v4 *)(N + 6 * k);
        v2 c = *(const v2 *)(D + 6 * k + 4), d = *(const v2 *)(N + 6 * k + 4);
        for (int i = k + 1; i < 6; i++) {
            double f = D[6 * i + k] * reciprocal[k];
            *(v4 *)(D + 6 * i) -= f * a;
            *(v2 *)(D + 6 * i + 4) -= f * c;
            *(v4 *)(N + 6 * i) -= f * b;
            *(v2 *)(N + 6 * i + 4) -= f * d;
        }
    }
    return true;
}

/* M = U⁻¹, upper triangular with zeros below. */
BLOCK_INLINE void six_invert_upper(const double *U, const double *reciprocal, double *M)
{
    v4 c[6];
    v2 e[6];
    for (int i = 5; i >= 0; i--) {
        c[i] = (v4){i == 0, i == 1, i == 2, i == 3};
        e[i] = (v2){i == 4, i == 5};
        for (int k = i + 1; k < 6; k++) {
            c[i] -= U[6 * i + k] * c[k];
            e[i] -= U[6 * i + k] * e[k];
        }
        c[i] *= reciprocal[i];
        e[i] *= reciprocal[i];
        *(v4 *)(M + 6 * i) = c[i];
        *(v2 *)(M + 6 * i + 4) = e[i];
    }
}

/* y += s M x, and y += s Mᵀ x; y is not x. */
BLOCK_INLINE void six_apply(double *restrict y, const double *restrict M, const double *restrict x,
                            double s)
{
    for (int i = 0; i < 6; i++) {
        double a = M[6 * i] * x[0] + M[6 * i + 2] * x[2] + M[6 * i + 4] * x[4];
        double b = M[6 * i + 1] * x[1] + M[6 * i + 3] * x[3] + M[6 * i + 5] * x[5];
        y[i] += s * (a + b);
    }
}

BLOCK_INLINE void six_apply_transposed(double *restrict y, const double *restrict M,
                                       const double *restrict x, double s)
{
    v4 c = {0}, d = {0};
    v2 e = {0}, f = {0};
    for (int i = 0; i < 6; i += 2) {
        c += x[i] * *(const v4 *)(M + 6 * i);
        d += x[i + 1] * *(const v4 *)(M + 6 * i + 6);
        e += x[i] * *(const v2 *)(M + 6 * i + 4);
        f += x[i + 1] * *(const v2 *)(M + 6 * i + 10);
    }
    *(v4 *)y += s * (c + d);
    *(v2 *)(y + 4) += s * (e + f);
}

#endif
