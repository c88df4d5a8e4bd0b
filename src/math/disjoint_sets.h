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

#endif
