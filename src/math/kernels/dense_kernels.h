/* dense_kernels.h: the dense part of the sparse Cholesky factorization (../sparse_cholesky.h);
 * another table of these functions is all that a BLAS needs.
 *
 * A front has `rows` unknowns, of which the first `width` are eliminated. Its panel P has a
 * column of `ld` numbers, a multiple of eight, for each of these: rows up to a multiple of
 * eight, these zero, 64-byte aligned. Of the columns' parts above the diagonal nothing is said.
 * The diagonal of L is kept as its reciprocal. U, the rest of the front, has a column for each
 * of the rows - width other unknowns; its columns begin with row ⌊width / 8⌋ 8 of the front, so
 * that panel and U lie alike in memory, and only what is on and below the diagonal counts. */
#ifndef TN_MATH_DENSE_KERNELS_H
#define TN_MATH_DENSE_KERNELS_H

#include <stdbool.h>

#define TN_DENSE_BLOCK 64 /* columns that are factorized together */

typedef struct TnDenseKernels {
    const char *name;
    /* P = (A₁₁; A₂₁) becomes (L₁₁; L₂₁) with A₁₁ = L₁₁L₁₁ᵀ, L₂₁ = A₂₁L₁₁⁻ᵀ. False: not positive
     * definite. */
    bool (*factor)(int rows, int width, double *P, int ld);
    /* U -= L₂₁L₂₁ᵀ */
    void (*update)(int rows, int width, const double *P, int ld, double *U);
    /* The same in parts, for threads: columns [begin, end) of a block, whose `begin` is a
     * multiple of TN_DENSE_BLOCK, first the rows with the diagonal (up to a multiple of eight),
     * then ranges of the rows below (multiples of eight); and columns [begin, end) of U, counted
     * in the front. */
    bool (*factor_diagonal)(int begin, int end, double *P, int ld);
    void (*factor_rows)(int begin, int end, int row_begin, int row_end, double *P, int ld);
    void (*update_columns)(int rows, int width, const double *P, int ld, double *U, int begin,
                           int end);
    /* (z₁, z₂) ← (y, z₂ - L₂₁y) with y = L₁₁⁻¹z₁, for `count` vectors of `rows` numbers, ldz
     * apart, anywhere in memory; and z₁ ← L₁₁⁻ᵀ (z₁ - L₂₁ᵀz₂) */
    void (*forward)(int rows, int width, const double *P, int ld, int count, double *z, long ldz);
    void (*backward)(int rows, int width, const double *P, int ld, int count, double *z, long ldz);
    /* M ← (L Lᵀ)⁻¹, its lower triangle; P holds L and is of no use afterwards. Both as a panel. */
    void (*invert)(int n, double *P, int ld, double *M, int ldm);
    /* to += from, n numbers: columns of fronts that are put together */
    void (*add)(int n, const double *from, double *to);
    /* y ← M x, M symmetric with its lower triangle given */
    void (*multiply)(int n, const double *M, int ldm, const double *x, double *y);
} TnDenseKernels;

const TnDenseKernels *tn_dense_kernels(void); /* of the instruction set in use */
const TnDenseKernels *tn_dense_kernels_generic(void);
const TnDenseKernels *tn_dense_kernels_avx2(void); /* NULL where not built in or not supported */
const TnDenseKernels *tn_dense_kernels_avx512(void);

#endif
