/* select.h: NAME() is the table of kernels of the instruction set in use, NAME_avx2() that of a
 * set, NULL where the processor does not have it. */
#ifndef TN_MATH_KERNELS_SELECT_H
#define TN_MATH_KERNELS_SELECT_H

#include "../../base/platform/cpu.h"

#include <stddef.h>
#include <tenon/base.h>

/* The portable kernels are compiled twice, for any processor (_plain) and for AVX2, with the same
 * bits. */
#if defined(__x86_64__)
#define TN_SET_TABLE(TYPE, NAME, SET, FEATURES)                                                    \
    const TYPE *NAME##_##SET##_table(void);                                                        \
    const TYPE *NAME##_##SET(void) { return FEATURES ? NAME##_##SET##_table() : NULL; }
#define TN_PORTABLE_TABLE(TYPE, NAME)                                                              \
    const TYPE *NAME##_portable_avx2_table(void);                                                  \
    const TYPE *NAME##_portable(void)                                                              \
    {                                                                                              \
        return TN_HAS_AVX2 ? NAME##_portable_avx2_table() : NAME##_plain();                        \
    }
#else
#define TN_SET_TABLE(TYPE, NAME, SET, FEATURES)                                                    \
    const TYPE *NAME##_##SET(void) { return NULL; }
#define TN_PORTABLE_TABLE(TYPE, NAME)                                                              \
    const TYPE *NAME##_portable(void) { return NAME##_plain(); }
#endif
#define TN_HAS_AVX2 tn_cpu_has_avx2()
#define TN_HAS_AVX512 tn_cpu_has_avx512()

/* Kernels for all sets. */
#define TN_SELECT(TYPE, NAME)                                                                      \
    TN_PORTABLE_TABLE(TYPE, NAME)                                                                  \
    TN_SET_TABLE(TYPE, NAME, avx2, TN_HAS_AVX2)                                                    \
    TN_SET_TABLE(TYPE, NAME, avx512, TN_HAS_AVX512)                                                \
    const TYPE *NAME(void)                                                                         \
    {                                                                                              \
        TnInstructionSet set = tn_instruction_set();                                               \
        return set == TN_SET_AVX512 ? NAME##_avx512()                                              \
               : set == TN_SET_AVX2 ? NAME##_avx2()                                                \
                                    : NAME##_portable();                                           \
    }

/* Kernels whose vectors have 32 bytes on AVX-512, too. */
#define TN_SELECT_NARROW(TYPE, NAME)                                                               \
    TN_PORTABLE_TABLE(TYPE, NAME)                                                                  \
    TN_SET_TABLE(TYPE, NAME, avx2, TN_HAS_AVX2)                                                    \
    const TYPE *NAME(void)                                                                         \
    {                                                                                              \
        return tn_instruction_set() >= TN_SET_AVX2 ? NAME##_avx2() : NAME##_portable();            \
    }

#endif
