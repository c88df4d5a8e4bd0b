/* small_generic.c: the kernels of small matrices for any processor. */
#define W 2
typedef double vd __attribute__((vector_size(16), may_alias));

#include "../lanes/small_lanes.h"

const TnSmallKernels *tn_small_kernels_generic(void)
{
    static const TnSmallKernels kernels = SMALL_TABLE("generic");
    return &kernels;
}
