/* fem_avx2.c: the kernels of fem_kernels.h, two registers to a vector of eight. */
#include "../lanes_plain.h"

#include "../fem_lanes.h"
#include "../neo_hookean_lanes.h"

#include "../membrane_lanes.h"

const TnFemKernels *tn_fem_kernels_avx2_table(void);
const TnFemKernels *tn_fem_kernels_avx2_table(void)
{
    static const TnFemKernels kernels = {"avx2",      turn,    add,    add_neo_hookean,
                                         add_patches, fastest, energy, add_membrane};
    return &kernels;
}
