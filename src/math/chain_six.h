/* chain_six.h: elimination of a node of six with a parent of six in plain loops, row-major.
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

/* One node: with C = A_nk for its neighbour n towards the middle (E, or Eᵀ on the right side) and
 * Y = C Xᵀ: S_n -= Y Yᵀ, E ← Y X = C S⁻¹, S ← S⁻¹. By Y, because C S⁻¹ Cᵀ with an inverse of S
 * would lose twice the digits. */
static inline bool eliminate(double *restrict S, double *restrict next, double *restrict E,
                             bool right)
{
    double X[36], T[36], Y[36], loss[36];
    if (!invert_root(S, X)) return false;
    square(S, X);
    transpose(T, X);
    if (right) {
        double C[36];
        transpose(C, E);
        product(Y, C, T);
    } else {
        product(Y, E, T);
    }
    product(E, Y, X);
    transpose(T, Y);
    product(loss, Y, T);
    for (int i = 0; i < 36; i++) next[i] -= loss[i];
    return true;
}

/* next -= Cᵀ S⁻¹ C, far -= Gᵀ S⁻¹ G, G_next = -Cᵀ S⁻¹ G with C = A_kn, G = A_kq. */
static inline bool condense(const double *restrict S, const double *restrict C,
                            const double *restrict G, double *restrict next, double *restrict far,
                            double *restrict G_next)
{
    double X[36], Y[36], Z[36], T[36], loss[36];
    if (!invert_root(S, X)) return false;
    product(Y, X, C);
    product(Z, X, G);
    transpose(T, Y);
    product(loss, T, Y);
    product(G_next, T, Z);
    for (int i = 0; i < 36; i++) {
        next[i] -= loss[i];
        G_next[i] = -G_next[i];
    }
    transpose(T, Z);
    product(loss, T, Z);
    for (int i = 0; i < 36; i++) far[i] -= loss[i];
    return true;
}

/* (A⁻¹)_kk = S_k⁻¹ + L_kᵀ (A⁻¹)_nn L_k with n the parent. */
static inline void inverse_block(double *restrict Z, const double *restrict S,
                                 const double *restrict L, const double *restrict next)
{
    double T[36], X[36], Y[36];
    transpose(T, L);
    product(X, T, next);
    product(Y, X, L);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            Z[6 * i + j] = Z[6 * j + i] = S[6 * i + j] + 0.5 * (Y[6 * i + j] + Y[6 * j + i]);
}

#endif
