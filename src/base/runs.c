/* runs.c: see runs.h. A run belongs to the thread in whose stretch it begins. A key with several
 * runs, of which the first has all places then, is found out and all is done again on one. */
#include "runs.h"

#include <stdatomic.h>

#define WORTH_SHARING 4096
#define STRETCH 1024

typedef struct Runs {
    const char *things;
    size_t stride;
    int count;
    int *first, *counts;
    atomic_bool several;
} Runs;

static int key_of(const Runs *r, int i)
{
    return *(const int *)(const void *)(r->things + r->stride * (size_t)i);
}

static void find_runs(void *context, int begin, int end)
{
    Runs *r = context;
    for (int i = begin; i < end; i++) {
        int key = key_of(r, i), last = i + 1, none = 0;
        if (i > 0 && key_of(r, i - 1) == key) continue;
        while (last < r->count && key_of(r, last) == key) last++;
        if (__atomic_compare_exchange_n(&r->counts[key], &none, last - i, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            r->first[key] = i;
        else
            atomic_store_explicit(&r->several, true, memory_order_relaxed);
    }
}

void tn_runs_find(TnPool *pool, const void *things, size_t stride, int count, int key_count,
                  int *first, int *counts)
{
    Runs r = {.things = things, .stride = stride, .count = count, .first = first, .counts = counts};
    tn_pool_clear(pool, counts, sizeof(int) * (size_t)key_count);
    if (tn_pool_threads(pool) > 1 && count >= WORTH_SHARING) {
        tn_pool_run(pool, count, STRETCH, find_runs, &r);
        if (!atomic_load_explicit(&r.several, memory_order_relaxed)) return;
        tn_pool_clear(pool, counts, sizeof(int) * (size_t)key_count);
    }
    for (int i = 0; i < count; i++)
        if (counts[key_of(&r, i)]++ == 0) first[key_of(&r, i)] = i;
}
