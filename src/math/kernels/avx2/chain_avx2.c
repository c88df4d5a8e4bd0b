/* chain_avx2.c: the chain kernels in registers of four. */
#include "../lanes/chain_lanes.h"

const TnChainKernels *tn_chain_kernels_avx2_table(void);
const TnChainKernels *tn_chain_kernels_avx2_table(void)
{
    static const TnChainKernels kernels = CHAIN_TABLE("avx2");
    return &kernels;
}
