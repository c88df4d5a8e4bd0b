/* rod_generic.c: the kernels of rod_kernels.h. */
#include <stdbool.h>

#include "../rod_lanes.h"

const TnRodKernels *tn_rod_kernels_generic(void)
{
    static const TnRodKernels kernels = {"generic", joints};
    return &kernels;
}
