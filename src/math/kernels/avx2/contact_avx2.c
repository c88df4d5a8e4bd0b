/* contact_avx2.c: the contact kernels with four lanes. */
#include "../lanes/lanes_avx2.h"

#include "../lanes/contact_lanes.h"

const TnContactKernels *tn_contact_kernels_avx2_table(void);
const TnContactKernels *tn_contact_kernels_avx2_table(void)
{
    static const TnContactKernels kernels = CONTACT_TABLE("avx2");
    return &kernels;
}
