/* set.h: the vocabulary of the portable kernels, four doubles at a time on every processor. */
#ifndef TN_PORTABLE_SET_H
#define TN_PORTABLE_SET_H

#include "../portable.h"

#ifdef __AVX2__
#include "../lanes/lanes_avx2.h"
#else
#include "../lanes/lanes_plain.h"
#endif

#endif
