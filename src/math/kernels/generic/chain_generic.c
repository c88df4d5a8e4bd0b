/* chain_generic.c: the chain kernels, for any processor. */
#include "../lanes/chain_lanes.h"

const TnChainKernels *tn_chain_kernels_generic(void)
{
    static const TnChainKernels kernels = {"generic", eliminate_six, invert_six, forward,
                                           backward,  gather,        spread,     mix};
    return &kernels;
}
