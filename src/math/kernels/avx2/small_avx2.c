/* small_avx2.c: the kernels of small matrices with four lanes. */
#include "../lanes/lanes_avx2.h"

#include "../lanes/small_lanes.h"

const TnSmallKernels *tn_small_kernels_avx2_table(void);
const TnSmallKernels *tn_small_kernels_avx2_table(void)
{
    static const TnSmallKernels kernels = SMALL_TABLE("avx2");
    return &kernels;
}
