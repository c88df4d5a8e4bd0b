/* block_generic.c: the block kernels for any processor. */
#include "../lanes/block_lanes.h"

const TnBlockKernels *tn_block_kernels_generic(void)
{
    static const TnBlockKernels kernels = BLOCK_TABLE("generic");
    return &kernels;
}
