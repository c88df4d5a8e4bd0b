/* bucket.c: see bucket.h. */
#include "bucket.h"

#define STRETCH 512       /* things whose least and largest key are known */
#define LEAST_KEYS 32     /* of a range, */
#define LEAST_THINGS 2048 /* and in it */
#define RANGES_OF_ONE 2   /* per thread: late ones hold up little */

typedef struct Sort {
    const int32_t *keys;
    int count, key_count, ranges;
    int32_t *low, *high; /* per stretch; NULL: one range has all keys */
    int32_t *total;      /* per range, then its first place */
    int32_t *start, *things;
} Sort;

static void find_stretches(void *context, int begin, int end)
{
    const Sort *s = context;
    for (int i = begin; i < end; i++) {
        int last = (i + 1) * STRETCH < s->count ? (i + 1) * STRETCH : s->count;
        int32_t low = INT32_MAX, high = -1;
        for (int k = i * STRETCH; k < last; k++) {
            int32_t key = s->keys[k];
            low = key >= 0 && key < low ? key : low;
            high = key > high ? key : high;
        }
        s->low[i] = low;
        s->high[i] = high;
    }
}

static int range_start(const Sort *s, int range)
{
    return (int)((long)s->key_count * range / s->ranges);
}

/* The next stretch from `i` on with keys in [first, end), or as many as there are. */
static int next_stretch(const Sort *s, int i, int32_t first, int32_t end)
{
    int all = (s->count + STRETCH - 1) / STRETCH;
    while (s->low && i < all && (s->high[i] < first || s->low[i] >= end)) i++;
    return i;
}

#define FOR_THINGS(s, first, end, k)                                                               \
    for (int stretch = next_stretch(s, 0, first, end); stretch * STRETCH < (s)->count;             \
         stretch = next_stretch(s, stretch + 1, first, end))                                       \
        for (int k = stretch * STRETCH; k < (s)->count && k < (stretch + 1) * STRETCH; k++)        \
            if ((s)->keys[k] >= first && (s)->keys[k] < end)

static void count_range(void *context, int begin, int end_range)
{
    const Sort *s = context;
    for (int r = begin; r < end_range; r++) {
        int32_t first = range_start(s, r), end = range_start(s, r + 1), total = 0;
        for (int32_t key = first; key < end; key++) s->start[key] = 0;
        FOR_THINGS(s, first, end, k) s->start[s->keys[k]]++;
        for (int32_t key = first; key < end; key++) total += s->start[key];
        s->total[r] = total;
    }
}

/* start[key] walks through the key's places and ends at the next one's first. */
static void fill_range(void *context, int begin, int end_range)
{
    const Sort *s = context;
    for (int r = begin; r < end_range; r++) {
        int32_t first = range_start(s, r), end = range_start(s, r + 1), place = s->total[r];
        for (int32_t key = first; key < end; key++) {
            int32_t here = s->start[key];
            s->start[key] = place;
            place += here;
        }
        FOR_THINGS(s, first, end, k) s->things[s->start[s->keys[k]]++] = k;
        for (int32_t key = end - 1; key > first; key--) s->start[key] = s->start[key - 1];
        if (first < end) s->start[first] = s->total[r];
    }
}

bool tn_buckets_fill(TnPool *pool, TnArena *scratch, const int32_t *keys, int count, int key_count,
                     int32_t *start, int32_t *things)
{
    int stretches = (count + STRETCH - 1) / STRETCH, ranges = RANGES_OF_ONE * tn_pool_threads(pool);
    size_t mark = tn_arena_mark(scratch);
    if (ranges > key_count / LEAST_KEYS) ranges = key_count / LEAST_KEYS;
    if (ranges > count / LEAST_THINGS) ranges = count / LEAST_THINGS;
    if (tn_pool_threads(pool) == 1 || ranges < 1) ranges = 1;
    Sort s = {.keys = keys,
              .count = count,
              .key_count = key_count,
              .ranges = ranges,
              .total = TN_ARENA_NEW(scratch, int32_t, ranges),
              .start = start,
              .things = things};
    if (ranges > 1) {
        s.low = TN_ARENA_NEW(scratch, int32_t, 2 * stretches);
        s.high = s.low + stretches;
    }
    if (!s.total || (ranges > 1 && !s.low)) return false;
    if (s.low) tn_pool_run(pool, stretches, 4, find_stretches, &s);
    tn_pool_run(pool, ranges, 1, count_range, &s);
    int32_t place = 0;
    for (int r = 0; r < ranges; r++) {
        int32_t total = s.total[r];
        s.total[r] = place;
        place += total;
    }
    start[key_count] = place;
    tn_pool_run(pool, ranges, 1, fill_range, &s);
    tn_arena_release(scratch, mark);
    return true;
}
