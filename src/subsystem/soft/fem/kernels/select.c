/* select.c: the kernels of the instruction set in use. */
#include "../../../../math/kernels/select.h"
#include "fem_kernels.h"

TN_SELECT(TnFemKernels, tn_fem_kernels)
