/* contact_portable.c: the contact kernels with the same bits everywhere. */
#include "set.h"

#include "../lanes/contact_lanes.h"

const TnContactKernels *TN_PORTABLE(tn_contact_kernels)(void);
const TnContactKernels *TN_PORTABLE(tn_contact_kernels)(void)
{
    static const TnContactKernels kernels = CONTACT_TABLE("portable");
    return &kernels;
}
