/* chain_six.h: inverses of 6×6 matrices, row-major.
 *
 * With S = R Rᵀ (Cholesky) and X = R⁻¹ it is S⁻¹ = XᵀX. Products with inverses instead of
 * substitutions: they vectorize. */
#ifndef TN_MATH_CHAIN_SIX_H
#define TN_MATH_CHAIN_SIX_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* C = X Y */
static inline void product(double *restrict C, const double *restrict X, const double *restrict Y)
{
    for (int i = 0; i < 6; i++) {
        double row[6] = {0};
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) row[j] += X[6 * i + k] * Y[6 * k + j];
        for (int j = 0; j < 6; j++) C[6 * i + j] = row[j];
    }
}

static inline void transpose(double *restrict T, const double *restrict M)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) T[6 * i + j] = M[6 * j + i];
}

/* X with XᵀX = S⁻¹ from the lower triangle of S: the inverse of S's Cholesky factor, made by
 * eliminating [S | I] row by row. */
static inline bool invert_root(const double *restrict S, double *restrict X)
{
    double U[36], scale[6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            U[6 * i + j] = j <= i ? S[6 * i + j] : S[6 * j + i];
            X[6 * i + j] = i == j ? 1.0 : 0.0;
        }
    for (int k = 0; k < 6; k++) {
        double pivot = U[7 * k];
        if (!(pivot > 0.0 && pivot < INFINITY)) return false; /* NaN too */
        double d = 1.0 / pivot;
        scale[k] = sqrt(d);
        for (int i = k + 1; i < 6; i++) {
            double f = U[6 * i + k] * d;
            for (int j = 0; j < 6; j++) {
                U[6 * i + j] -= f * U[6 * k + j];
                X[6 * i + j] -= f * X[6 * k + j];
            }
        }
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) X[6 * i + j] *= scale[i];
    return true;
}

/* S ← S⁻¹ = XᵀX */
static inline void square(double *restrict S, const double *restrict X)
{
    double T[36];
    transpose(T, X);
    product(S, T, X);
}

#endif
