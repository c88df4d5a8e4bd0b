/* small_kernels.h: full matrices of up to some hundred rows (solver/small/), one table per
 * instruction set; all are made of lanes/small_lanes.h. Matrices are row-major, rows of `ld`
 * numbers, a multiple of eight, 64-byte aligned; numbers behind the last column are zero, or are
 * not looked at by whoever gets the result. */
#ifndef TN_MATH_SMALL_KERNELS_H
#define TN_MATH_SMALL_KERNELS_H

#include <stdbool.h>

#define TN_SMALL_ROWS 160 /* at most */

typedef struct TnSmallKernels {
    const char *name;
    /* y = q + M x, M symmetric with n rows; ld numbers of y are written */
    void (*apply)(int n, int ld, const double *M, const double *x, const double *q, double *y);
    /* y += s_0 row_0 + … of `count` rows that follow each other, three at most */
    void (*add)(int ld, const double *rows, int count, const double *s, double *y);
    /* M x = column n of M, by elimination with row exchanges; M is of no use afterwards. False:
     * singular. */
    bool (*solve)(int n, int ld, double *M, double *x);
} TnSmallKernels;

const TnSmallKernels *tn_small_kernels(void); /* the best this processor runs */
const TnSmallKernels *tn_small_kernels_generic(void);
const TnSmallKernels *tn_small_kernels_avx2(void); /* NULL where not built in or not supported */
const TnSmallKernels *tn_small_kernels_avx512(void);

#endif
