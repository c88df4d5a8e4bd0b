/* select.c: the best kernels this processor runs, as math/kernels/select.c says. */
#include "../../../math/kernels/kernels.h"
#include "rod_kernels.h"

#include <stddef.h>

#if defined(__x86_64__)
const TnRodKernels *tn_rod_kernels_avx2_table(void);
const TnRodKernels *tn_rod_kernels_avx512_table(void);

const TnRodKernels *tn_rod_kernels_avx2(void)
{
    return tn_kernels_avx2() ? tn_rod_kernels_avx2_table() : NULL;
}

const TnRodKernels *tn_rod_kernels_avx512(void)
{
    return tn_kernels_avx512() ? tn_rod_kernels_avx512_table() : NULL;
}
#else
const TnRodKernels *tn_rod_kernels_avx2(void) { return NULL; }
const TnRodKernels *tn_rod_kernels_avx512(void) { return NULL; }
#endif

const TnRodKernels *tn_rod_kernels(void)
{
    const TnRodKernels *best = tn_rod_kernels_avx512();
    if (!best) best = tn_rod_kernels_avx2();
    return best ? best : tn_rod_kernels_generic();
}
