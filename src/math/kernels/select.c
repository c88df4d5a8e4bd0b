/* select.c: the best kernels this processor runs. */
#include "block_kernels.h"
#include "chain_kernels.h"
#include "contact_kernels.h"
#include "dense_kernels.h"
#include "kernels.h"
#include "small_kernels.h"

#include <stddef.h>

#if defined(__x86_64__)
const TnKernels *tn_kernels_avx2_table(void);
const TnKernels *tn_kernels_avx512_table(void);
const TnChainKernels *tn_chain_kernels_avx2_table(void);
const TnBlockKernels *tn_block_kernels_avx2_table(void);
const TnContactKernels *tn_contact_kernels_avx2_table(void);
const TnContactKernels *tn_contact_kernels_avx512_table(void);
const TnDenseKernels *tn_dense_kernels_avx2_table(void);
const TnDenseKernels *tn_dense_kernels_avx512_table(void);
const TnSmallKernels *tn_small_kernels_avx2_table(void);
const TnSmallKernels *tn_small_kernels_avx512_table(void);

const TnKernels *tn_kernels_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? tn_kernels_avx2_table()
                                                                           : NULL;
}

const TnKernels *tn_kernels_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? tn_kernels_avx512_table()
               : NULL;
}

const TnChainKernels *tn_chain_kernels_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? tn_chain_kernels_avx2_table()
               : NULL;
}

const TnBlockKernels *tn_block_kernels_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? tn_block_kernels_avx2_table()
               : NULL;
}

const TnDenseKernels *tn_dense_kernels_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? tn_dense_kernels_avx2_table()
               : NULL;
}

const TnContactKernels *tn_contact_kernels_avx2(void)
{
    return tn_kernels_avx2() ? tn_contact_kernels_avx2_table() : NULL;
}

const TnContactKernels *tn_contact_kernels_avx512(void)
{
    return tn_kernels_avx512() ? tn_contact_kernels_avx512_table() : NULL;
}

const TnDenseKernels *tn_dense_kernels_avx512(void)
{
    return tn_kernels_avx512() ? tn_dense_kernels_avx512_table() : NULL;
}

const TnSmallKernels *tn_small_kernels_avx2(void)
{
    return tn_kernels_avx2() ? tn_small_kernels_avx2_table() : NULL;
}

const TnSmallKernels *tn_small_kernels_avx512(void)
{
    return tn_kernels_avx512() ? tn_small_kernels_avx512_table() : NULL;
}
#else
const TnKernels *tn_kernels_avx2(void) { return NULL; }
const TnKernels *tn_kernels_avx512(void) { return NULL; }
const TnChainKernels *tn_chain_kernels_avx2(void) { return NULL; }
const TnBlockKernels *tn_block_kernels_avx2(void) { return NULL; }
const TnContactKernels *tn_contact_kernels_avx2(void) { return NULL; }
const TnContactKernels *tn_contact_kernels_avx512(void) { return NULL; }
const TnDenseKernels *tn_dense_kernels_avx2(void) { return NULL; }
const TnDenseKernels *tn_dense_kernels_avx512(void) { return NULL; }
const TnSmallKernels *tn_small_kernels_avx2(void) { return NULL; }
const TnSmallKernels *tn_small_kernels_avx512(void) { return NULL; }
#endif

const TnKernels *tn_kernels(void)
{
    const TnKernels *best = tn_kernels_avx512();
    if (!best) best = tn_kernels_avx2();
    return best ? best : tn_kernels_generic();
}

const TnChainKernels *tn_chain_kernels(void)
{
    const TnChainKernels *best = tn_chain_kernels_avx2();
    return best ? best : tn_chain_kernels_generic();
}

const TnBlockKernels *tn_block_kernels(void)
{
    const TnBlockKernels *best = tn_block_kernels_avx2();
    return best ? best : tn_block_kernels_generic();
}

const TnContactKernels *tn_contact_kernels(void)
{
    const TnContactKernels *best = tn_contact_kernels_avx512();
    if (!best) best = tn_contact_kernels_avx2();
    return best ? best : tn_contact_kernels_generic();
}

const TnDenseKernels *tn_dense_kernels(void)
{
    const TnDenseKernels *best = tn_dense_kernels_avx512();
    if (!best) best = tn_dense_kernels_avx2();
    return best ? best : tn_dense_kernels_generic();
}

const TnSmallKernels *tn_small_kernels(void)
{
    const TnSmallKernels *best = tn_small_kernels_avx512();
    if (!best) best = tn_small_kernels_avx2();
    return best ? best : tn_small_kernels_generic();
}
