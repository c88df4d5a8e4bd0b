#include "forced.h"

#include "dynamics/fem/kernels/fem_kernels.h"
#include "dynamics/rod/kernels/rod_kernels.h"
#include "math/kernels/block_kernels.h"
#include "math/kernels/chain_kernels.h"
#include "math/kernels/contact_kernels.h"
#include "math/kernels/dense_kernels.h"
#include "math/kernels/kernels.h"

const char *const set_names[SET_COUNT] = {"generic", "avx2", "avx512"};

static Set forced;

bool force_set(Set set)
{
    forced = set;
    if (set == SET_GENERIC) return true;
    return (set == SET_AVX2 ? tn_kernels_avx2() : tn_kernels_avx512()) != NULL;
}

/* NAME with kernels for all three sets. */
#define WRAP(TYPE, NAME)                                                                           \
    const TYPE *__wrap_##NAME(void);                                                               \
    const TYPE *__wrap_##NAME(void)                                                                \
    {                                                                                              \
        return forced == SET_GENERIC ? NAME##_generic()                                            \
               : forced == SET_AVX2  ? NAME##_avx2()                                               \
                                     : NAME##_avx512();                                             \
    }
/* NAME whose kernels for AVX-512 are those for AVX2. */
#define WRAP_TWO(TYPE, NAME)                                                                       \
    const TYPE *__wrap_##NAME(void);                                                               \
    const TYPE *__wrap_##NAME(void)                                                                \
    {                                                                                              \
        return forced == SET_GENERIC ? NAME##_generic() : NAME##_avx2();                           \
    }

WRAP(TnKernels, tn_kernels)
WRAP(TnContactKernels, tn_contact_kernels)
WRAP(TnDenseKernels, tn_dense_kernels)
WRAP(TnFemKernels, tn_fem_kernels)
WRAP(TnRodKernels, tn_rod_kernels)
WRAP_TWO(TnChainKernels, tn_chain_kernels)
WRAP_TWO(TnBlockKernels, tn_block_kernels)
