/* select.c: the best kernels this processor runs, as math/kernels/select.c says. */
#include "../../../math/kernels/kernels.h"
#include "fem_kernels.h"

#if defined(__x86_64__)
const TnFemKernels *tn_fem_kernels_avx2_table(void);
const TnFemKernels *tn_fem_kernels_avx512_table(void);

const TnFemKernels *tn_fem_kernels_avx2(void)
{
    return tn_kernels_avx2() ? tn_fem_kernels_avx2_table() : NULL;
}

const TnFemKernels *tn_fem_kernels_avx512(void)
{
    return tn_kernels_avx512() ? tn_fem_kernels_avx512_table() : NULL;
}
#else
const TnFemKernels *tn_fem_kernels_avx2(void) { return NULL; }
const TnFemKernels *tn_fem_kernels_avx512(void) { return NULL; }
#endif

const TnFemKernels *tn_fem_kernels(void)
{
    const TnFemKernels *best = tn_fem_kernels_avx512();
    if (!best) best = tn_fem_kernels_avx2();
    return best ? best : tn_fem_kernels_generic();
}
