/* fem_avx512.c: the kernels of fem_kernels.h, eight lanes in a register. */
#include "fem_lanes_avx512.h"

#include "../fem_lanes.h"
#include "../neo_hookean_lanes.h"

#include "../membrane_lanes.h"

const TnFemKernels *tn_fem_kernels_avx512_table(void);
const TnFemKernels *tn_fem_kernels_avx512_table(void)
{
    static const TnFemKernels kernels = {"avx512",    turn,    add,    add_neo_hookean,
                                         add_patches, fastest, energy, add_membrane};
    return &kernels;
}
