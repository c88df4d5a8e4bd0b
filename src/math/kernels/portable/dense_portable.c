/* dense_portable.c: the dense kernels with the same bits everywhere. */
#include "set.h"

#include "../lanes/dense_lanes.h"

const TnDenseKernels *TN_PORTABLE(tn_dense_kernels)(void);
const TnDenseKernels *TN_PORTABLE(tn_dense_kernels)(void)
{
    static const TnDenseKernels kernels = DENSE_TABLE("portable");
    return &kernels;
}
