/* small_kernels.h: full matrices of up to some hundred rows (solver/small/), one table per
 * instruction set; all are made of lanes/small_lanes.h. Matrices are row-major, rows of `ld`
 * numbers, a multiple of eight, 64-byte aligned; so are vectors that go with rows. Numbers behind
 * the last column are zero, or are not read from the result. */
#ifndef TN_MATH_SMALL_KERNELS_H
#define TN_MATH_SMALL_KERNELS_H

#include <stdbool.h>

#define TN_SMALL_SOLVE 160 /* unknowns of `solve`, at most */

typedef struct TnSmallKernels {
    const char *name;
    /* y_i = q_i + row i of Y · z, rows of ld numbers */
    void (*dots)(int rows, int ld, const double *Y, const double *z, const double *q, double *y);
    /* z += s_0 row_0 + … of `count` rows that follow each other */
    void (*add)(int count, int ld, const double *Y, const double *s, double *z);
    /* C = A B, rows × depth and depth × ldb; all ldb columns are written. upper: where C is
     * symmetric, and below its diagonal nothing of use. */
    void (*multiply)(int rows, int depth, const double *A, int lda, const double *B, int ldb,
                     double *C, bool upper);
    /* M x = column n of M, by elimination with row exchanges; M is of no use afterwards. upper: M
     * is symmetric and positive definite, and nothing below its diagonal is read; half the work.
     * False: singular, or not positive definite. */
    bool (*solve)(int n, int ld, double *M, double *x, bool upper);
} TnSmallKernels;

const TnSmallKernels *tn_small_kernels(void);          /* of the instruction set in use */
const TnSmallKernels *tn_small_kernels_portable(void); /* the same bits everywhere, */
const TnSmallKernels *tn_small_kernels_plain(void);    /* and as compiled for any processor */
const TnSmallKernels *tn_small_kernels_avx2(void); /* NULL where not built in or not supported */
const TnSmallKernels *tn_small_kernels_avx512(void);

#endif
