/* block_kernels.h: the numeric phase of block_sparse.h, one table per instruction set. All are made
 * of lanes/block_lanes.h. */
#ifndef TN_MATH_BLOCK_KERNELS_H
#define TN_MATH_BLOCK_KERNELS_H

#include "../block_plan.h"

typedef struct TnBlockKernels {
    const char *name;
    bool (*factor_symmetric)(const TnBlockPlan *plan, double *values);
    bool (*factor_general)(const TnBlockPlan *plan, double *values);
    void (*solve_symmetric)(const TnBlockPlan *plan, const double *values, double *x);
    void (*solve_general)(const TnBlockPlan *plan, const double *values, double *x);
} TnBlockKernels;

const TnBlockKernels *tn_block_kernels(void);          /* of the instruction set in use */
const TnBlockKernels *tn_block_kernels_portable(void); /* the same bits everywhere, */
const TnBlockKernels *tn_block_kernels_plain(void);    /* and as compiled for any processor */
const TnBlockKernels *tn_block_kernels_avx2(void); /* NULL where not built in or not supported */

#endif
