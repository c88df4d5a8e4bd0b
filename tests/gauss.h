/* gauss.h: dense linear systems by Gauss with row pivots, for any regular matrix: the oracle of
 * factorizations and of solvers. */
#ifndef TN_TESTS_GAUSS_H
#define TN_TESTS_GAUSS_H

#include <math.h>
#include <stdbool.h>

static inline void gauss_swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* x ← M⁻¹ x, n × n and row-major; M is lost. False: a pivot is below `least`. */
static inline bool gauss(int n, double *M, double *x, double least)
{
    long width = n;
    for (long k = 0; k < n; k++) {
        long pivot = k;
        for (long i = k + 1; i < n; i++)
            if (fabs(M[i * width + k]) > fabs(M[pivot * width + k])) pivot = i;
        if (!(fabs(M[pivot * width + k]) >= least)) return false;
        for (long j = 0; j < n; j++) gauss_swap(&M[k * width + j], &M[pivot * width + j]);
        gauss_swap(&x[k], &x[pivot]);
        for (long i = k + 1; i < n; i++) {
            double f = M[i * width + k] / M[k * width + k];
            if (f == 0.0) continue;
            for (long j = k; j < n; j++) M[i * width + j] -= f * M[k * width + j];
            x[i] -= f * x[k];
        }
    }
    for (long k = n - 1; k >= 0; k--) {
        for (long j = k + 1; j < n; j++) x[k] -= M[k * width + j] * x[j];
        x[k] /= M[k * width + k];
    }
    return true;
}

#endif
