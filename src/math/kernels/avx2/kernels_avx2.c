/* kernels_avx2.c: the lane kernels with four lanes. */
#include "../lanes/lanes_avx2.h"

#include "../lanes/column_lanes.h"
#include "../lanes/kernels_lanes.h"

const TnKernels *tn_kernels_avx2_table(void);
const TnKernels *tn_kernels_avx2_table(void)
{
    static const TnKernels kernels = {"avx2",         contact_update, twist_update, twist_factor,
                                      row_forces,     row_stiffness,  contact_take, contact_put,
                                      contact_tell,   column_step,    columns_dot,  column_dots,
                                      column_subtract};
    return &kernels;
}
