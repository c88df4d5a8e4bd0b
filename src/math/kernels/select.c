/* select.c: the kernels of the instruction set in use. */
#include "select.h"

#include "block_kernels.h"
#include "chain_kernels.h"
#include "contact_kernels.h"
#include "dense_kernels.h"
#include "kernels.h"
#include "small_kernels.h"

TN_SELECT(TnKernels, tn_kernels)
TN_SELECT(TnContactKernels, tn_contact_kernels)
TN_SELECT(TnDenseKernels, tn_dense_kernels)
TN_SELECT(TnSmallKernels, tn_small_kernels)
TN_SELECT_NARROW(TnChainKernels, tn_chain_kernels)
TN_SELECT_NARROW(TnBlockKernels, tn_block_kernels)
