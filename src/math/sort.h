/* sort.h: short lists of whole numbers, ascending, in place. */
#ifndef TN_MATH_SORT_H
#define TN_MATH_SORT_H

#include <stddef.h>
#include <stdint.h>

static inline void tn_sort_ints(int *a, int count)
{
    int gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < count; i++) {
            int value = a[i], j = i;
            for (; j >= gap && a[j - gap] > value; j -= gap) a[j] = a[j - gap];
            a[j] = value;
        }
}

/* The same of keys. */
static inline void tn_sort_keys(uint64_t *a, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < count; i++) {
            uint64_t value = a[i];
            size_t j = i;
            for (; j >= gap && a[j - gap] > value; j -= gap) a[j] = a[j - gap];
            a[j] = value;
        }
}

#endif
