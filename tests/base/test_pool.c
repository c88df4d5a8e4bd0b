/* The team of threads: every index once, barriers that hold, and an end with more threads than
 * cores. */
#include "../check.h"

#include <stdatomic.h>

#include "base/base.h"
#include "base/pool.h"

enum { MOST = 1000 };

typedef struct Visits {
    atomic_int seen[MOST];
    atomic_int chunks, smallest, thread_errors;
    int threads;
} Visits;

static void visit(void *context, int begin, int end, int thread)
{
    Visits *v = context;
    for (int i = begin; i < end; i++) atomic_fetch_add(&v->seen[i], 1);
    atomic_fetch_add(&v->chunks, 1);
    int size = end - begin, smallest = atomic_load(&v->smallest);
    while (size < smallest && !atomic_compare_exchange_weak(&v->smallest, &smallest, size))
        ;
    if (thread < 0 || thread >= v->threads) atomic_fetch_add(&v->thread_errors, 1);
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
    CHECK(atomic_load(&v.thread_errors) == 0);
    CHECK(atomic_load(&v.chunks) <= v.threads);
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
        CHECK(tn_pool_threads(pool) == (threads ? threads : 1));
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

/* Each thread writes its phase's number, meets the others, and reads theirs: a barrier that lets
 * one through early shows a stale number. */
typedef struct Phases {
    TnPool *pool;
    atomic_int at[64], stale, entered, sizes;
    int rounds;
} Phases;

static void in_step(void *context, int thread, int count)
{
    Phases *p = context;
    atomic_fetch_add(&p->entered, 1);
    atomic_fetch_add(&p->sizes, count);
    for (int round = 1; round <= p->rounds; round++) {
        atomic_store_explicit(&p->at[thread], round, memory_order_relaxed);
        tn_pool_barrier(p->pool);
        for (int i = 0; i < count; i++)
            if (atomic_load_explicit(&p->at[i], memory_order_relaxed) != round)
                atomic_fetch_add(&p->stale, 1);
        tn_pool_barrier(p->pool);
    }
}

static void check_team(TnPool *pool, int asked, int rounds)
{
    static Phases p;
    memset(&p, 0, sizeof p);
    p.pool = pool;
    p.rounds = rounds;
    tn_pool_team(pool, asked, in_step, &p);
    int size = asked < tn_pool_threads(pool) ? asked : tn_pool_threads(pool);
    if (size < 1) size = 1;
    CHECK(atomic_load(&p.entered) == size);
    CHECK(atomic_load(&p.sizes) == size * size); /* everyone was told the same size */
    CHECK(atomic_load(&p.stale) == 0);
    for (int i = 0; i < size; i++) CHECK(atomic_load(&p.at[i]) == rounds);
}

TEST(barriers_hold_back_every_thread)
{
    for (int threads = 1; threads <= 16; threads++) {
        TnPool *pool = tn_pool_create(threads);
        REQUIRE(pool);
        check_team(pool, threads, 40);
        tn_pool_destroy(pool);
    }
    check_team(NULL, 4, 10);
}

TEST(teams_of_all_sizes_follow_each_other)
{
    TnPool *pool = tn_pool_create(6);
    REQUIRE(pool);
    for (int i = 0; i < 60; i++) {
        check_team(pool, 6 - i % 8, 3); /* 6 … -1: a team has at least the caller */
        check_cover(pool, 10 * (i % 7), 1);
    }
    tn_pool_destroy(pool);
}

static void square(void *context, int begin, int end, int thread)
{
    (void)thread;
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

TEST(pools_of_impossible_sizes_and_without_memory_are_refused)
{
    CHECK(!tn_pool_create(0));
    CHECK(!tn_pool_create(-3));
    CHECK(!tn_pool_create(65));
    for (long calls = 0; calls < 4; calls++) { /* the pool itself, then each thread's start */
        tn_malloc_fail_after(calls);
        CHECK(!tn_pool_create(4));
    }
    tn_malloc_fail_after(-1);
    TnPool *pool = tn_pool_create(4);
    CHECK(pool != NULL);
    tn_pool_destroy(pool);
    tn_pool_destroy(NULL);
}
