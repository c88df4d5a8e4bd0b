/* rod_avx2.c: the kernels of rod_kernels.h. */
#include <stdbool.h>

#include "../rod_lanes.h"

const TnRodKernels *tn_rod_kernels_avx2_table(void);
const TnRodKernels *tn_rod_kernels_avx2_table(void)
{
    static const TnRodKernels kernels = {"avx2", joints};
    return &kernels;
}
