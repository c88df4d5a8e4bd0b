/* rod_avx512.c: the kernels of rod_kernels.h. */
#include <stdbool.h>

#include "../rod_lanes.h"

const TnRodKernels *tn_rod_kernels_avx512_table(void);
const TnRodKernels *tn_rod_kernels_avx512_table(void)
{
    static const TnRodKernels kernels = {"avx512", joints};
    return &kernels;
}
