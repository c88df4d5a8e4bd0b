/* small_portable.c: the kernels of small matrices with the same bits everywhere. */
#include "set.h"

#include "../lanes/small_lanes.h"

const TnSmallKernels *TN_PORTABLE(tn_small_kernels)(void);
const TnSmallKernels *TN_PORTABLE(tn_small_kernels)(void)
{
    static const TnSmallKernels kernels = SMALL_TABLE("portable");
    return &kernels;
}
