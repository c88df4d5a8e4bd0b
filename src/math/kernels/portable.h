/* portable.h: names of the portable kernels' tables. They are compiled for any processor (_plain)
 * and a second time, in folders portable_avx2/, for one with registers of four doubles. Products
 * are not fused and sums have one order, so both have the same bits (docs/determinism.md). */
#ifndef TN_MATH_PORTABLE_H
#define TN_MATH_PORTABLE_H

#ifdef __AVX2__
#define TN_PORTABLE(NAME) NAME##_portable_avx2_table
#else
#define TN_PORTABLE(NAME) NAME##_plain
#endif

#endif
