/* block_sparse.c: the numeric phase, by the kernels that this processor runs. */
#include "kernels/block_kernels.h"

bool tn_block_factor_symmetric(const TnBlockPlan *plan, double *values)
{
    return tn_block_kernels()->factor_symmetric(plan, values);
}

bool tn_block_factor_general(const TnBlockPlan *plan, double *values)
{
    return tn_block_kernels()->factor_general(plan, values);
}

void tn_block_solve_symmetric(const TnBlockPlan *plan, const double *values, double *x)
{
    tn_block_kernels()->solve_symmetric(plan, values, x);
}

void tn_block_solve_general(const TnBlockPlan *plan, const double *values, double *x)
{
    tn_block_kernels()->solve_general(plan, values, x);
}
