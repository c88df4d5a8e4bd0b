/* dense_avx2.c: the dense kernels with four lanes. */
#include "../lanes/lanes_avx2.h"

#include "../lanes/dense_lanes.h"

const TnDenseKernels *tn_dense_kernels_avx2_table(void);
const TnDenseKernels *tn_dense_kernels_avx2_table(void)
{
    static const TnDenseKernels kernels = DENSE_TABLE("avx2");
    return &kernels;
}
