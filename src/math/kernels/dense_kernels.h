/* dense_kernels.h: the dense part of the sparse Cholesky factorization (../sparse_cholesky.h);
 * another table of these functions is all that a BLAS needs.
 *
 * A front has `rows` unknowns, of which the first `width` are eliminated. Its panel P has a
 * column of `ld` numbers, a multiple of eight, for each of these: rows up to a multiple of
 * eight, these zero, 64-byte aligned. Of the columns' parts above the diagonal nothing is said.
 * The diagonal of L is kept as its reciprocal. U, the rest of the front, has a column for each
 * of the rows - width other unknowns; its columns begin with row ⌊width / 8⌋ 8 of the front, so
 * that panel and U lie alike in memory, and only what is on and below the diagonal counts.
 *
 * Stairs: eight rows may have nothing in the first columns. stair[g], a multiple of eight that
 * never falls from one g to the next, is the first column in which rows 8g … 8g + 7 have something;
 * NULL: all have something from the first on. Of each column the panel holds, zeros where need be,
 * what is above tn_dense_end of it; nothing else is read or written. */
#ifndef TN_MATH_DENSE_KERNELS_H
#define TN_MATH_DENSE_KERNELS_H

#include <stdbool.h>

#define TN_DENSE_BLOCK 64 /* columns that are factorized together */
#define TN_DENSE_STRIP 24 /* rows that are worked on together: from the first one's stair on */

/* Rows of a column of which the panel holds something end here, a multiple of eight at most eights
 * times eight. */
static inline int tn_dense_end(const int *stair, int eights, int column)
{
    if (!stair) return 8 * eights;
    int low = column / 8, high = eights; /* the first eight whose stair is behind the column */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (stair[middle] <= column)
            low = middle + 1;
        else
            high = middle;
    }
    low += TN_DENSE_STRIP / 8 - 1;
    return 8 * (low < eights ? low : eights);
}

/* Where eight rows of a front are in a matrix whose rows are some of the front's, in their order:
 * row i of the eight is there if bit i of the mask is set; the first such row is row `from`. */
typedef struct TnDenseMap {
    int from;
    unsigned mask;
} TnDenseMap;

/* The place there of a row of the front; -1: it is not there. */
static inline int tn_dense_place(const TnDenseMap *map, int row)
{
    unsigned mask = map[row / 8].mask, bit = 1u << row % 8;
    return mask & bit ? map[row / 8].from + __builtin_popcount(mask & (bit - 1)) : -1;
}

typedef struct TnDenseKernels {
    const char *name;
    /* P = (A₁₁; A₂₁) becomes (L₁₁; L₂₁) with A₁₁ = L₁₁L₁₁ᵀ, L₂₁ = A₂₁L₁₁⁻ᵀ. False: not positive
     * definite. */
    bool (*factor)(int rows, int width, double *P, int ld, const int *stair);
    /* U -= L₂₁L₂₁ᵀ */
    void (*update)(int rows, int width, const double *P, int ld, const int *stair, double *U);
    /* The same in parts, for threads: columns [begin, end) of a block, whose `begin` is a
     * multiple of TN_DENSE_BLOCK, first the rows with the diagonal (up to a multiple of eight),
     * then ranges of the rows below (multiples of eight); and columns [begin, end) of U, counted
     * in the front. */
    bool (*factor_diagonal)(int begin, int end, double *P, int ld, const int *stair);
    void (*factor_rows)(int begin, int end, int row_begin, int row_end, double *P, int ld,
                        const int *stair);
    void (*update_columns)(int rows, int width, const double *P, int ld, const int *stair,
                           double *U, int begin, int end);
    /* (z₁, z₂) ← (y, z₂ - L₂₁y) with y = L₁₁⁻¹z₁, for `count` vectors of `rows` numbers, ldz
     * apart, anywhere in memory; and z₁ ← L₁₁⁻ᵀ (z₁ - L₂₁ᵀz₂) */
    void (*forward)(int rows, int width, const double *P, int ld, const int *stair, int count,
                    double *z, long ldz);
    void (*backward)(int rows, int width, const double *P, int ld, const int *stair, int count,
                     double *z, long ldz);
    /* M ← (L Lᵀ)⁻¹, its lower triangle; P holds L and is of no use afterwards. Both as a panel. */
    void (*invert)(int n, double *P, int ld, double *M, int ldm);
    /* Columns [begin, end) of a front take, or have added to them, those of another matrix, zeros
     * where it has none; row and column of `from` and `to` are counted from 0, from the diagonal
     * on. `take` writes rows up to tn_dense_end (with a stair) or 8 eights, and zeros above the
     * diagonal in its eight. `to` is 64-byte aligned, ldt a multiple of eight; up to seven numbers
     * behind a column of `from` are read. A map that is NULL has nothing. */
    void (*take)(int begin, int end, int eights, const int *stair, const TnDenseMap *map,
                 const double *from, long ldf, double *to, long ldt);
    void (*add)(int begin, int end, int eights, const TnDenseMap *map, const double *from, long ldf,
                double *to, long ldt);
    /* to += from in rows 0 … 8 eights of one vector */
    void (*add_vector)(int eights, const TnDenseMap *map, const double *from, double *to);
    /* y ← M x, M symmetric with its lower triangle given */
    void (*multiply)(int n, const double *M, int ldm, const double *x, double *y);
} TnDenseKernels;

const TnDenseKernels *tn_dense_kernels(void);          /* of the instruction set in use */
const TnDenseKernels *tn_dense_kernels_portable(void); /* the same bits everywhere, */
const TnDenseKernels *tn_dense_kernels_plain(void);    /* and as compiled for any processor */
const TnDenseKernels *tn_dense_kernels_avx2(void); /* NULL where not built in or not supported */
const TnDenseKernels *tn_dense_kernels_avx512(void);

#endif
