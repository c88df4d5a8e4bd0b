/* random.h: numbers that look random and are the same everywhere. */
#ifndef TN_TESTS_RANDOM_H
#define TN_TESTS_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline double uniform(Random *r) /* in (-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(r->state >> 11) / (double)(1ull << 52) - 1.0;
}

#endif
