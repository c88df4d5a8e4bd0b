/* What threads share: sorting by keys, selecting, runs, sets. Each is compared with a plain loop,
 * on numbers of threads up to the most there may be. */
#include "../check.h"

#include <math.h>

#include "base/bucket.h"
#include "base/runs.h"
#include "base/select.h"
#include "base/shared.h"
#include "math/disjoint_sets.h"

enum { THINGS = 9000, KEYS = 700, COUNTS = 4 };
static const int thread_counts[COUNTS] = {1, 2, 7, 64};

static unsigned state = 1;
static int random_below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

/* Keys that wander, as those of contacts do; some things have none. */
static void make_keys(int32_t *keys)
{
    for (int i = 0, key = 0; i < THINGS; i++) {
        key = (key + random_below(9) + KEYS - 3) % KEYS;
        keys[i] = random_below(10) ? key : -1;
    }
}

TEST(things_come_out_by_key_and_in_their_order_on_any_number_of_threads)
{
    static int32_t keys[THINGS], start[KEYS + 1], things[THINGS];
    TnArena arena;
    make_keys(keys);
    for (int t = 0; t < COUNTS; t++) {
        TnPool *pool = tn_pool_create(thread_counts[t]);
        REQUIRE(pool && tn_arena_init(&arena, "test", 1 << 16));
        memset(start, -1, sizeof start);
        memset(things, -1, sizeof things);
        size_t used = arena.used;
        REQUIRE(tn_buckets_fill(pool, &arena, keys, THINGS, KEYS, start, things));
        CHECK(arena.used == used);
        int place = 0, wrong = 0;
        for (int key = 0; key < KEYS; key++) {
            wrong += start[key] != place;
            for (int i = 0; i < THINGS; i++)
                if (keys[i] == key) wrong += things[place++] != i;
        }
        CHECK(wrong == 0);
        CHECK(start[KEYS] == place);
        tn_arena_free(&arena);
        tn_pool_destroy(pool);
    }
}

static bool is_odd_one(const void *context, int number)
{
    return ((const int32_t *)context)[number] % 3 == 1;
}

TEST(selected_numbers_rise_and_none_is_left_out)
{
    static int32_t keys[THINGS], none[THINGS];
    TnArena arena;
    make_keys(keys);
    for (int t = 0; t < COUNTS; t++) {
        TnPool *pool = tn_pool_create(thread_counts[t]);
        int *found, count, place = 0, wrong = 0;
        REQUIRE(pool && tn_arena_init(&arena, "test", 1 << 16));
        REQUIRE(tn_select(pool, &arena, THINGS, is_odd_one, keys, &found, &count));
        for (int i = 0; i < THINGS; i++)
            if (is_odd_one(keys, i)) wrong += place >= count || found[place++] != i;
        CHECK(wrong == 0 && place == count);
        CHECK(tn_any(pool, THINGS, is_odd_one, keys) && !tn_any(pool, THINGS, is_odd_one, none));
        none[THINGS - 1] = 1; /* the last one alone */
        CHECK(tn_any(pool, THINGS, is_odd_one, none));
        none[THINGS - 1] = 0;
        tn_arena_free(&arena);
        tn_pool_destroy(pool);
    }
}

typedef struct Thing {
    int32_t key;
    double more;
} Thing;

/* `apart`: one key has two runs, and the first place and the number of both counts. */
static void check_runs(bool apart)
{
    static Thing things[THINGS];
    static int first[KEYS], counts[KEYS];
    for (int i = 0; i < THINGS; i++) things[i].key = i / 13;
    if (apart) things[THINGS - 1].key = things[5].key;
    for (int t = 0; t < COUNTS; t++) {
        TnPool *pool = tn_pool_create(thread_counts[t]);
        REQUIRE(pool);
        tn_runs_find(pool, things, sizeof things[0], THINGS, KEYS, first, counts);
        int wrong = 0;
        for (int key = 0; key < KEYS; key++) {
            int count = 0, place = -1;
            for (int i = THINGS - 1; i >= 0; i--)
                if (things[i].key == key) count++, place = i;
            wrong += counts[key] != count || (count && first[key] != place);
        }
        CHECK(wrong == 0);
        tn_pool_destroy(pool);
    }
}

TEST(runs_are_found_also_where_a_key_has_two) { check_runs(false), check_runs(true); }

typedef struct Joins {
    int *parent;
    double *most;
    const int (*pairs)[2];
} Joins;

static void join_range(void *context, int begin, int end)
{
    const Joins *j = context;
    for (int i = begin; i < end; i++) {
        tn_set_join_shared(j->parent, j->pairs[i][0], j->pairs[i][1]);
        tn_shared_raise(j->most, j->pairs[i][0] + 0.5 * j->pairs[i][1]);
    }
}

TEST(sets_that_threads_join_have_the_roots_that_one_thread_finds)
{
    static int pairs[THINGS][2], expected[THINGS], parent[THINGS];
    double most = 0.0;
    for (int i = 0; i < THINGS; i++) expected[i] = i;
    for (int i = 0; i < THINGS / 2; i++) {
        for (int k = 0; k < 2; k++) pairs[i][k] = random_below(THINGS);
        tn_set_join(expected, pairs[i][0], pairs[i][1]);
        most = fmax(most, pairs[i][0] + 0.5 * pairs[i][1]);
    }
    for (int t = 0; t < COUNTS; t++) {
        TnPool *pool = tn_pool_create(thread_counts[t]);
        double raised = 0.0;
        REQUIRE(pool);
        for (int i = 0; i < THINGS; i++) parent[i] = i;
        tn_pool_run(pool, THINGS / 2, 1, join_range,
                    &(Joins){parent, &raised, (const int(*)[2])pairs});
        int wrong = 0;
        for (int i = 0; i < THINGS; i++)
            wrong += tn_set_root(parent, i) != tn_set_root(expected, i);
        CHECK(wrong == 0);
        CHECK(raised == most);
        tn_pool_destroy(pool);
    }
}
