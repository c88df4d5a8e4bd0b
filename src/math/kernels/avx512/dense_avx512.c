/* dense_avx512.c: the dense kernels with eight lanes. */
#include "../lanes/lanes_avx512.h"

#include "../lanes/dense_lanes.h"

const TnDenseKernels *tn_dense_kernels_avx512_table(void);
const TnDenseKernels *tn_dense_kernels_avx512_table(void)
{
    static const TnDenseKernels kernels = DENSE_TABLE("avx512");
    return &kernels;
}
