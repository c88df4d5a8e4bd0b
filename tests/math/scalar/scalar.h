/* scalar.h: kernels one number after the other, as their definitions read: what the lanes of every
 * instruction set are compared with. */
#ifndef TN_TESTS_SCALAR_H
#define TN_TESTS_SCALAR_H

#include "math/kernels/contact_kernels.h"
#include "math/kernels/kernels.h"

const TnKernels *tn_kernels_scalar(void);
const TnContactKernels *tn_contact_kernels_scalar(void);

#endif
