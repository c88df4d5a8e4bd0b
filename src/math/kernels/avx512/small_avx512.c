/* small_avx512.c: the kernels of small matrices with eight lanes. */
#include "../lanes/lanes_avx512.h"

#include "../lanes/small_lanes.h"

const TnSmallKernels *tn_small_kernels_avx512_table(void);
const TnSmallKernels *tn_small_kernels_avx512_table(void)
{
    static const TnSmallKernels kernels = SMALL_TABLE("avx512");
    return &kernels;
}
