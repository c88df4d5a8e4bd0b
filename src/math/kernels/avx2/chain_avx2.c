/* chain_avx2.c: the chain kernels, with AVX2 and fused multiply-adds. */
#include "../lanes/chain_lanes.h"

const TnChainKernels *tn_chain_kernels_avx2_table(void);
const TnChainKernels *tn_chain_kernels_avx2_table(void)
{
    static const TnChainKernels kernels = {"avx2",   eliminate_six, invert_six, forward,
                                           backward, gather,        spread,     mix};
    return &kernels;
}
