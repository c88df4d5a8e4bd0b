/* fem_portable.c: the kernels of fem_kernels.h with the same bits everywhere. */
#include "../../../../../math/kernels/portable.h"

#include "../lanes_plain.h"

#include "../fem_lanes.h"
#include "../neo_hookean_lanes.h"

#include "../membrane_lanes.h"

const TnFemKernels *TN_PORTABLE(tn_fem_kernels)(void);
const TnFemKernels *TN_PORTABLE(tn_fem_kernels)(void)
{
    static const TnFemKernels kernels = {"portable",  turn,    add,    add_neo_hookean,
                                         add_patches, fastest, energy, add_membrane};
    return &kernels;
}
