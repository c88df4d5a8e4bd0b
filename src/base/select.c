/* select.c: see select.h. */
#include "select.h"

#include <stdatomic.h>
#include <stdint.h>

#define STRETCH 256 /* numbers that one thread tests at a time */

typedef struct Selection {
    TnTestFn test;
    const void *context;
    int count;
    uint8_t *marks;   /* per number */
    int *first;       /* per stretch: how many are found, then the place of the first */
    int *found;       /* NULL: they are counted */
    atomic_bool some; /* for tn_any */
} Selection;

static int stretch_end(const Selection *s, int stretch)
{
    return (stretch + 1) * STRETCH < s->count ? (stretch + 1) * STRETCH : s->count;
}

static void mark_stretches(void *context, int begin, int end)
{
    const Selection *s = context;
    for (int i = begin; i < end; i++) {
        int found = 0;
        for (int k = i * STRETCH; k < stretch_end(s, i); k++)
            found += s->marks[k] = s->test(s->context, k);
        s->first[i] = found;
    }
}

static void list_stretches(void *context, int begin, int end)
{
    const Selection *s = context;
    for (int i = begin; i < end; i++)
        for (int k = i * STRETCH, place = s->first[i]; k < stretch_end(s, i); k++)
            if (s->marks[k]) s->found[place++] = k;
}

bool tn_select(TnPool *pool, TnArena *arena, int count, TnTestFn test, const void *context,
               int **found, int *found_count)
{
    int stretches = (count + STRETCH - 1) / STRETCH, total = 0;
    Selection s = {.test = test,
                   .context = context,
                   .count = count,
                   .marks = TN_ARENA_NEW(arena, uint8_t, count),
                   .first = TN_ARENA_NEW(arena, int, stretches)};
    if (!s.marks || !s.first) return false;
    tn_pool_run(pool, stretches, 1, mark_stretches, &s);
    for (int i = 0; i < stretches; i++) {
        int here = s.first[i];
        s.first[i] = total;
        total += here;
    }
    *found_count = total;
    *found = s.found = TN_ARENA_NEW(arena, int, total);
    if (!s.found) return false;
    if (total) tn_pool_run(pool, stretches, 1, list_stretches, &s);
    return true;
}

static void look_for_one(void *context, int begin, int end)
{
    Selection *s = context;
    for (int k = begin; k < end; k++) {
        if (k % STRETCH == 0 && atomic_load_explicit(&s->some, memory_order_relaxed)) return;
        if (!s->test(s->context, k)) continue;
        atomic_store_explicit(&s->some, true, memory_order_relaxed);
        return;
    }
}

bool tn_any(TnPool *pool, int count, TnTestFn test, const void *context)
{
    Selection s = {.test = test, .context = context};
    tn_pool_run(pool, count, STRETCH, look_for_one, &s);
    return atomic_load_explicit(&s.some, memory_order_relaxed);
}
