/* forced.h: worlds that run with the kernels of a given instruction set. The library picks the
 * best that the processor has, in functions which this program is linked to replace (--wrap). */
#ifndef TN_TESTS_HASHES_FORCED_H
#define TN_TESTS_HASHES_FORCED_H

#include <stdbool.h>

typedef enum Set { SET_GENERIC, SET_AVX2, SET_AVX512, SET_COUNT } Set;

extern const char *const set_names[SET_COUNT];

/* False: this processor does not have it. */
bool force_set(Set set);

#endif
