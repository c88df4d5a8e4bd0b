/* banded.h: A x = b for symmetric positive definite matrices whose entries lie within `width` of
 * the diagonal, by Cholesky factorization A = L Lᵀ, which stays in the band: n · width² / 2
 * multiplications, and 2 · n · width per solve.
 *
 * Layout: the lower triangle by rows of width + 1 numbers, row i from column i - width to the
 * diagonal; what would be left of the matrix is not read. */
#ifndef TN_MATH_BANDED_H
#define TN_MATH_BANDED_H

#include <stdbool.h>

/* In place. False: not positive definite. */
bool tn_banded_factor(double *A, int n, int width);
/* x ← A⁻¹ x with that factor. */
void tn_banded_solve(const double *L, int n, int width, double *x);

#endif
