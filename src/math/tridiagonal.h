/* tridiagonal.h: symmetric positive definite block-tridiagonal systems, m nodes of six unknowns:
 *
 *     (A x)_k = E_{k-1} x_{k-1} + D_k x_k + E_kᵀ x_{k+1}
 *
 * D has m blocks and E m-1 (E_k = A_{k+1,k}), each 6×6 row-major; of D_k the lower triangle counts.
 * All of it is linear in m. */
#ifndef TN_MATH_TRIDIAGONAL_H
#define TN_MATH_TRIDIAGONAL_H

#include <stdbool.h>

/* In place; what D and E hold then is for the functions below that say "factor". False where A is
 * not positive definite. */
bool tn_tridiagonal_factor(int m, double *D, double *E);
/* x ← A⁻¹ x with the factor, 6m numbers. */
void tn_tridiagonal_solve(int m, const double *D, const double *E, double *x);
/* The 6×6 blocks on the diagonal of A⁻¹ from the factor, m × 36, symmetric. */
void tn_tridiagonal_inverse_blocks(int m, const double *D, const double *E, double *blocks);
/* y = A x with the matrix itself, whose blocks D_k are full here. */
void tn_tridiagonal_multiply(int m, const double *D, const double *E, const double *x, double *y);

#endif
