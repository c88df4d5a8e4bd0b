/* The team of threads: every index once, phases in order, and an end with more threads than
 * cores. */
#include "../check.h"

#include <stdatomic.h>

#include "base/base.h"
#include "base/pool.h"

enum { MOST = 1000 };
#ifdef __wasi__
#define HAS_THREADS false
#else
#define HAS_THREADS true
#endif

typedef struct Visits {
    atomic_int seen[MOST];
    atomic_int chunks, smallest;
    int threads;
} Visits;

static void visit(void *context, int begin, int end)
{
    Visits *v = context;
    for (int i = begin; i < end; i++) atomic_fetch_add(&v->seen[i], 1);
    atomic_fetch_add(&v->chunks, 1);
    int size = end - begin, smallest = atomic_load(&v->smallest);
    while (size < smallest && !atomic_compare_exchange_weak(&v->smallest, &smallest, size))
        ;
}

static void check_cover(TnPool *pool, int count, int grain)
{
    static Visits v;
    memset(&v, 0, sizeof v);
    v.threads = tn_pool_threads(pool);
    atomic_store(&v.smallest, MOST);
    tn_pool_run(pool, count, grain, visit, &v);
    int wrong = 0;
    for (int i = 0; i < MOST; i++) wrong += atomic_load(&v.seen[i]) != (i < count ? 1 : 0);
    CHECK(wrong == 0);
    CHECK(atomic_load(&v.chunks) <= 3 * v.threads); /* some more than one each, for idle threads */
    if (count > 0)
        CHECK(atomic_load(&v.smallest) >= (count < grain ? count : grain));
    else
        CHECK(atomic_load(&v.chunks) == 0);
}

TEST(ranges_cover_every_index_once)
{
    const int counts[] = {0, 1, 2, 3, 7, 15, 16, 17, 64, 255, 1000}, grains[] = {0, 1, 3, 16, 500};
    for (int threads = 0; threads <= 16; threads++) {
        TnPool *pool = threads ? tn_pool_create(threads) : NULL; /* 0: no pool at all */
        REQUIRE(pool || !threads);
        CHECK(tn_pool_threads(pool) == (threads && HAS_THREADS ? threads : 1));
        for (int c = 0; c < 11; c++)
            for (int g = 0; g < 5; g++) check_cover(pool, counts[c], grains[g]);
        tn_pool_destroy(pool);
    }
}

TEST(a_pool_runs_thousands_of_short_jobs)
{
    TnPool *pool = tn_pool_create(4);
    REQUIRE(pool);
    for (int i = 0; i < 3000; i++) check_cover(pool, 8 + i % 5, 1);
    tn_pool_destroy(pool);
}

/* Every chunk of a phase writes the phase's number and finds that of the phase before in all
 * others: a phase that begins early, a chunk done twice or left out shows. */
typedef struct Rounds {
    int round, last, chunks, wrong; /* written by next alone */
    int at[TN_PHASE_CHUNKS];        /* no atomics: the phases order them */
    atomic_int runs;
} Rounds;

static int next_round(void *context)
{
    Rounds *r = context;
    for (int i = 0; r->round > 0 && i < r->chunks; i++) r->wrong += r->at[i] != r->round;
    if (r->round == r->last) return 0;
    r->chunks = 1 + (7 * r->round) % TN_PHASE_CHUNKS; /* a new number of chunks each time */
    r->round++;
    return r->chunks;
}

static void run_round(void *context, int chunk)
{
    Rounds *r = context;
    atomic_fetch_add_explicit(&r->runs, 1, memory_order_relaxed);
    if (r->at[chunk] >= r->round) atomic_fetch_add(&r->runs, 1000000); /* done twice */
    r->at[chunk] = r->round;
}

static void check_phases(TnPool *pool, int threads, int rounds)
{
    static Rounds r;
    memset(&r, 0, sizeof r);
    r.last = rounds;
    tn_pool_phases(pool, threads, (TnPhases){next_round, run_round, &r});
    int expected = 0;
    for (int i = 0; i < rounds; i++) expected += 1 + (7 * i) % TN_PHASE_CHUNKS;
    CHECK(r.round == rounds);
    CHECK(r.wrong == 0);
    CHECK(atomic_load(&r.runs) == expected);
}

TEST(phases_follow_each_other_and_every_chunk_runs_once)
{
    for (int threads = 1; threads <= 16; threads++) {
        TnPool *pool = tn_pool_create(threads);
        REQUIRE(pool);
        check_phases(pool, threads, 200);
        tn_pool_destroy(pool);
    }
    check_phases(NULL, 4, 10);
}

TEST(phases_of_all_sizes_and_runs_follow_each_other)
{
    TnPool *pool = tn_pool_create(6);
    REQUIRE(pool);
    for (int i = 0; i < 60; i++) {
        check_phases(pool, 6 - i % 8,
                     i % 5); /* 6 … -1 threads: at least the caller; no phase at all too */
        check_cover(pool, 10 * (i % 7), 1);
    }
    tn_pool_destroy(pool);
}

static void square(void *context, int begin, int end)
{
    int *plain = context; /* no atomics: the end of the run is what makes them visible */
    for (int i = begin; i < end; i++) plain[i] = i * i;
}

TEST(what_a_run_wrote_is_seen_after_it)
{
    TnPool *pool = tn_pool_create(3);
    REQUIRE(pool);
    static int plain[MOST];
    for (int round = 0; round < 300; round++) {
        memset(plain, 0, sizeof plain);
        tn_pool_run(pool, MOST, 1, square, plain);
        int wrong = 0;
        for (int i = 0; i < MOST; i++) wrong += plain[i] != i * i;
        CHECK(wrong == 0);
    }
    tn_pool_destroy(pool);
}

TEST(a_pool_has_the_threads_that_can_be_started)
{
    TnPool *pool = tn_pool_create(4);
    REQUIRE(pool);
    CHECK(tn_pool_threads(pool) == (HAS_THREADS ? 4 : 1));
    tn_pool_destroy(pool);
}

TEST(pools_of_impossible_sizes_and_without_memory_are_refused)
{
    CHECK(!tn_pool_create(0));
    CHECK(!tn_pool_create(-3));
    CHECK(!tn_pool_create(65));
    tn_malloc_fail_after(0);
    CHECK(!tn_pool_create(4));
    tn_malloc_fail_after(-1);
    TnPool *pool = tn_pool_create(4);
    CHECK(pool != NULL);
    tn_pool_destroy(pool);
    tn_pool_destroy(NULL);
}
