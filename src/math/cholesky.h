/* cholesky.h: small dense symmetric positive definite systems, row-major n×n, lower triangle. */
#ifndef TN_MATH_CHOLESKY_H
#define TN_MATH_CHOLESKY_H

#include <stdbool.h>

/* A = L Lᵀ in place (lower triangle read and written). False where A is not positive definite. */
bool tn_cholesky(double *A, int n);
/* x ← A⁻¹ x with the factor from tn_cholesky. */
void tn_cholesky_solve(const double *L, int n, double *x);
/* x ← L⁻¹ x, and x ← L⁻ᵀ x. */
void tn_cholesky_forward(const double *L, int n, double *x);
void tn_cholesky_backward(const double *L, int n, double *x);
/* inverse (full, symmetric) from the factor. */
void tn_cholesky_inverse(const double *L, int n, double *inverse);

/* Eigenvalues w and eigenvectors (columns of V, right-handed) of a symmetric 3×3 matrix by Jacobi
 * rotations. */
void tn_eigen3(const double A[9], double w[3], double V[9]);

#endif
