/* fem_generic.c: the kernels of fem_kernels.h in plain C. */
#include "../lanes_plain.h"

#include "../fem_lanes.h"
#include "../neo_hookean_lanes.h"

#include "../membrane_lanes.h"

const TnFemKernels *tn_fem_kernels_generic(void)
{
    static const TnFemKernels kernels = {"generic",   turn,    add,    add_neo_hookean,
                                         add_patches, fastest, energy, add_membrane};
    return &kernels;
}
