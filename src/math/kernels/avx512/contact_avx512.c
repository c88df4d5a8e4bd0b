/* contact_avx512.c: the contact kernels with eight lanes. */
#include "../lanes/lanes_avx512.h"

#include "../lanes/contact_lanes.h"

const TnContactKernels *tn_contact_kernels_avx512_table(void);
const TnContactKernels *tn_contact_kernels_avx512_table(void)
{
    static const TnContactKernels kernels = CONTACT_TABLE("avx512");
    return &kernels;
}
