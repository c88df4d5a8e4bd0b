/* semidefinite.h: symmetric positive semidefinite matrices, Pᵀ A P = L Lᵀ by Cholesky factorization
 * with complete pivoting: the next to be eliminated is what has most left on the diagonal, until
 * nothing has more than `cut`. L then has as many columns as A has rank, and what it leaves out of
 * A is nowhere larger than the cut. */
#ifndef TN_MATH_SEMIDEFINITE_H
#define TN_MATH_SEMIDEFINITE_H

#include <stddef.h>

/* Numbers of scratch for tn_semidefinite_factor. */
size_t tn_semidefinite_work(int n);
/* A, n × n row-major, of which the lower triangle is read: row i becomes that of L of row order[i]
 * of A: its first min(i + 1, rank) numbers; the rest is of no use. Returns the rank. *negative: how
 * far below zero an eigenvalue is at least, by what is left: 0 or rounding for a semidefinite A. */
int tn_semidefinite_factor(double *A, int n, double cut, int *order, double *negative,
                           double *work);

#endif
