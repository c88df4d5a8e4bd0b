/* depths.c: see depths.h. */
#include "depths.h"

#include <math.h>

#include "../base/bucket.h"

typedef struct Reading {
    const TnContactPoint *points;
    int32_t *keys;
} Reading;

static int lower(int a, int b) { return a < b ? a : b; }

static void read_keys(void *context, int begin, int end)
{
    const Reading *r = context;
    for (int i = begin; i < end; i++) r->keys[i] = lower(r->points[i].geom1, r->points[i].geom2);
}

bool tn_depths_open(TnPool *pool, TnArena *arena, const TnContactList *list, int geom_count,
                    TnDepths *out)
{
    Reading reading = {list->points, TN_ARENA_NEW(arena, int32_t, list->count)};
    *out = (TnDepths){.points = list->points,
                      .start = TN_ARENA_NEW(arena, int32_t, geom_count + 1),
                      .of = TN_ARENA_NEW(arena, int32_t, list->count)};
    if (!reading.keys || !out->start || !out->of) return false;
    tn_pool_run(pool, list->count, 1024, read_keys, &reading);
    return tn_buckets_fill(pool, arena, reading.keys, list->count, geom_count, out->start, out->of);
}

double tn_depths_of(const TnDepths *depths, int geom1, int geom2)
{
    int low = lower(geom1, geom2), high = low == geom1 ? geom2 : geom1;
    double depth = 0.0;
    for (int k = depths->start[low]; k < depths->start[low + 1]; k++) {
        const TnContactPoint *p = &depths->points[depths->of[k]];
        if (p->geom1 == high || p->geom2 == high) depth = fmax(depth, -p->gap);
    }
    return depth;
}
