/* chain_portable.c: the chain kernels with the same bits everywhere. */
#include "../portable.h"

#include "../lanes/chain_lanes.h"

const TnChainKernels *TN_PORTABLE(tn_chain_kernels)(void);
const TnChainKernels *TN_PORTABLE(tn_chain_kernels)(void)
{
    static const TnChainKernels kernels = CHAIN_TABLE("portable");
    return &kernels;
}
