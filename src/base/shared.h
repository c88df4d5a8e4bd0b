/* shared.h: numbers that several threads write at once, where the order does not matter. */
#ifndef TN_BASE_SHARED_H
#define TN_BASE_SHARED_H

#include <stdbool.h>

/* The largest number that a thread brings. */
static inline void tn_shared_raise(double *x, double to)
{
    double seen;
    __atomic_load(x, &seen, __ATOMIC_RELAXED);
    while (to > seen &&
           !__atomic_compare_exchange(x, &seen, &to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static inline void tn_shared_set(bool *x)
{
    if (!__atomic_load_n(x, __ATOMIC_RELAXED)) __atomic_store_n(x, true, __ATOMIC_RELAXED);
}

#endif
