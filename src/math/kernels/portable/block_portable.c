/* block_portable.c: the block kernels with the same bits everywhere. */
#include "../portable.h"

#include "../lanes/block_lanes.h"

const TnBlockKernels *TN_PORTABLE(tn_block_kernels)(void);
const TnBlockKernels *TN_PORTABLE(tn_block_kernels)(void)
{
    static const TnBlockKernels kernels = BLOCK_TABLE("portable");
    return &kernels;
}
