/* dense_portable_avx2.c: the same bits in registers of four (portable/set.h). */
#include "../portable/dense_portable.c"
