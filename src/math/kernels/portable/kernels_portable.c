/* kernels_portable.c: the lane kernels with the same bits everywhere. */
#include "set.h"

#include "../lanes/column_lanes.h"
#include "../lanes/kernels_lanes.h"

const TnKernels *TN_PORTABLE(tn_kernels)(void);
const TnKernels *TN_PORTABLE(tn_kernels)(void)
{
    static const TnKernels kernels = {"portable",     contact_update, twist_update, twist_factor,
                                      row_forces,     row_stiffness,  contact_take, contact_put,
                                      contact_tell,   column_step,    columns_dot,  column_dots,
                                      column_subtract};
    return &kernels;
}
