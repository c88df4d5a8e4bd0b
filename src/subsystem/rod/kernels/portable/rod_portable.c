/* rod_portable.c: the kernels of rod_kernels.h with the same bits everywhere. */
#include "../../../../math/kernels/portable.h"

#include <stdbool.h>

#include "../rod_lanes.h"

const TnRodKernels *TN_PORTABLE(tn_rod_kernels)(void);
const TnRodKernels *TN_PORTABLE(tn_rod_kernels)(void)
{
    static const TnRodKernels kernels = {"portable", joints};
    return &kernels;
}
