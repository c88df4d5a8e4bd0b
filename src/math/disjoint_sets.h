/* disjoint_sets.h: union-find over the numbers 0 … n-1. `parent` has one number for each, at first
 * itself; the root of a set is its lowest member. */
#ifndef TN_MATH_DISJOINT_SETS_H
#define TN_MATH_DISJOINT_SETS_H

#include <stdbool.h>

static inline int tn_set_root(int *parent, int x)
{
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

/* False: they were one already. */
static inline bool tn_set_join(int *parent, int a, int b)
{
    a = tn_set_root(parent, a);
    b = tn_set_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
    return a != b;
}

/* The same while several threads join at once. A root only ever gets a lower parent, so the sets
 * and their roots are in the end what they would be in any order. */
static inline int tn_set_root_shared(int *parent, int x)
{
    for (;;) {
        int up = __atomic_load_n(&parent[x], __ATOMIC_RELAXED);
        if (up == x) return x;
        int above = __atomic_load_n(&parent[up], __ATOMIC_RELAXED);
        /* another thread that changes it in between shortens the way, too */
        if (above != up)
            __atomic_compare_exchange_n(&parent[x], &up, above, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
        x = up;
    }
}

static inline void tn_set_join_shared(int *parent, int a, int b)
{
    for (;;) {
        a = tn_set_root_shared(parent, a);
        b = tn_set_root_shared(parent, b);
        if (a == b) return;
        int high = a < b ? b : a, low = a < b ? a : b, expected = high;
        if (__atomic_compare_exchange_n(&parent[high], &expected, low, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    }
}

#endif
