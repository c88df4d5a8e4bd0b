/* fem_portable_avx2.c: the same bits in registers of four (math/kernels/portable.h). */
#include "../portable/fem_portable.c"
