/* select.c: the kernels of the instruction set in use. */
#include "../../../math/kernels/select.h"
#include "rod_kernels.h"

TN_SELECT(TnRodKernels, tn_rod_kernels)
