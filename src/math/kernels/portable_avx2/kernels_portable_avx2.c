/* kernels_portable_avx2.c: the same bits in registers of four (portable/set.h). */
#include "../portable/kernels_portable.c"
