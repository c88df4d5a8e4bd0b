/* block_avx2.c: the block kernels in registers of four. */
#include "../lanes/block_lanes.h"

const TnBlockKernels *tn_block_kernels_avx2_table(void);
const TnBlockKernels *tn_block_kernels_avx2_table(void)
{
    static const TnBlockKernels kernels = BLOCK_TABLE("avx2");
    return &kernels;
}
