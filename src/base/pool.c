/* pool.c: threads that follow one atomic word.
 *
 * `phase` holds the number of the current phase, how many threads may join and how many chunks it
 * has; no chunks means that nothing is to be done. Numbers only grow. Each thread has a queue of
 * its own chunks, one word with the number of the phase and how many of them are taken. Its owner
 * takes them first; a thread that is done waits a little and then takes what others have not begun:
 * on a quiet machine no thread touches another's queue. The thread that finishes the last chunk
 * asks for the next phase and publishes it. The caller returns when the end is published: no thread
 * has to be waited for, and a worker that comes late finds either nothing or the next job's work.
 *
 * `job` is written before the first phase is published and read only by threads that hold a chunk
 * of an unfinished phase, so it never changes under a reader.
 *
 * Workers without work spin for a while, as jobs of one step follow each other closely, and sleep
 * then. Where there are more threads than processors no thread spins for long. */
#include "pool.h"
#include "base.h"
#include "platform/threads.h"

#include <stdint.h>
#include <string.h>

#define MAX_THREADS 64
#define CHUNKS_PER_THREAD 3
#define IDLE_SECONDS 300e-6 /* before a worker without work sleeps; a look at the clock … */
#define LOOK_EVERY 64       /* … comes after so many spins */
#define STEAL_SPINS 64   /* before a thread looks at others' chunks: their data would move, too */
#define PHASE_SPINS 4000 /* before a thread that waits for the next phase yields */
#define FEW_SPINS 32     /* the same where threads share processors */

typedef unsigned long long Word;

typedef struct Queue {
    _Alignas(64) _Atomic Word taken; /* number of a phase << 8 | own chunks taken in it */
} Queue;

typedef struct Worker {
    TnThread thread;
    TnPool *pool;
    int index;
} Worker;

struct TnPool {
    int thread_count;
    int started;  /* workers; thread 0 is the caller */
    bool crowded; /* there are more threads than processors */
    Worker workers[MAX_THREADS];
    TnMutex mutex; /* of `asleep` */
    TnCondition wake[MAX_THREADS];
    bool asleep[MAX_THREADS];
    TnPhases job;
    atomic_bool stop;
    _Alignas(64) _Atomic Word phase;
    _Alignas(64) atomic_int unfinished; /* chunks of the current phase */
    _Alignas(64) atomic_int sleepers;   /* workers that wait to be woken */
    Queue queues[MAX_THREADS];
};

static Word make_phase(Word number, int threads, int chunks)
{
    return number << 16 | (Word)threads << 8 | (Word)chunks;
}
static Word phase_number(Word phase) { return phase >> 16; }
static int phase_threads(Word phase) { return (int)(phase >> 8 & 255); }
static int phase_chunks(Word phase) { return (int)(phase & 255); }

/* A chunk of the thread's queue that is not taken in this phase; -1: there is none. A thread
 * that comes late from an older phase gets none. */
static int claim(TnPool *pool, int owner, Word phase)
{
    int chunks = phase_chunks(phase), threads = phase_threads(phase);
    int first = chunks * owner / threads, count = chunks * (owner + 1) / threads - first;
    Word number = phase_number(phase);
    _Atomic Word *queue = &pool->queues[owner].taken;
    Word seen = atomic_load_explicit(queue, memory_order_relaxed);
    for (;;) {
        int taken = seen >> 8 == number ? (int)(seen & 255) : 0;
        if (seen >> 8 > number || taken >= count) return -1;
        if (atomic_compare_exchange_weak_explicit(queue, &seen, number << 8 | (Word)(taken + 1),
                                                  memory_order_relaxed, memory_order_relaxed))
            return first + taken;
    }
}

/* By the thread that ended the phase before, alone. */
static void publish_next(TnPool *pool, Word before, int threads)
{
    int chunks = pool->job.next(pool->job.context);
    atomic_store_explicit(&pool->unfinished, chunks, memory_order_relaxed);
    atomic_store_explicit(&pool->phase, make_phase(phase_number(before) + 1, threads, chunks),
                          memory_order_seq_cst); /* against `sleepers` */
}

/* All that is left of a thread's queue. True: it was the last of the phase. */
static bool work_on(TnPool *pool, int owner, Word phase)
{
    int done = 0, chunk;
    for (; (chunk = claim(pool, owner, phase)) >= 0; done++)
        pool->job.run(pool->job.context, chunk);
    if (!done || atomic_fetch_sub_explicit(&pool->unfinished, done, memory_order_acq_rel) != done)
        return false;
    publish_next(pool, phase, phase_threads(phase));
    return true;
}

/* True: the next phase has come. */
static bool wait_briefly(TnPool *pool, Word phase)
{
    for (int k = 0; k < STEAL_SPINS; k++) {
        if (atomic_load_explicit(&pool->phase, memory_order_relaxed) != phase) return true;
        tn_thread_relax();
    }
    return false;
}

static void wait_long(TnPool *pool, Word phase)
{
    int spins = pool->crowded ? FEW_SPINS : PHASE_SPINS;
    for (int k = 0; atomic_load_explicit(&pool->phase, memory_order_relaxed) == phase; k++) {
        if (k < spins)
            tn_thread_relax();
        else
            tn_thread_yield();
    }
}

/* Works on phases until there are none. */
static void join_in(TnPool *pool, int index)
{
    for (;;) {
        Word phase = atomic_load_explicit(&pool->phase, memory_order_acquire);
        int chunks = phase_chunks(phase), threads = phase_threads(phase);
        if (chunks == 0 || index >= threads) return;
        bool ended = work_on(pool, index, phase) || wait_briefly(pool, phase);
        for (int k = 1; k < threads && !ended; k++)
            ended = work_on(pool, (index + k) % threads, phase);
        if (!ended) wait_long(pool, phase);
    }
}

static bool has_work(TnPool *pool, int index)
{
    Word phase = atomic_load_explicit(&pool->phase, memory_order_seq_cst);
    return phase_chunks(phase) > 0 && index < phase_threads(phase);
}

static bool stopped(TnPool *pool)
{
    return atomic_load_explicit(&pool->stop, memory_order_acquire);
}

/* True: there is work, or an end to it. */
static bool spin_for_work(TnPool *pool, int index)
{
    double start = tn_clock();
    do {
        for (int k = 0; k < LOOK_EVERY; k++) {
            if (has_work(pool, index) || stopped(pool)) return true;
            tn_thread_relax();
        }
    } while (!pool->crowded && tn_clock() - start < IDLE_SECONDS);
    return false;
}

static void sleep_for_work(TnPool *pool, int index)
{
    tn_mutex_lock(&pool->mutex);
    pool->asleep[index] = true;
    atomic_fetch_add_explicit(&pool->sleepers, 1, memory_order_seq_cst);
    while (!has_work(pool, index) && !stopped(pool))
        tn_condition_wait(&pool->wake[index], &pool->mutex);
    pool->asleep[index] = false;
    atomic_fetch_sub_explicit(&pool->sleepers, 1, memory_order_relaxed);
    tn_mutex_unlock(&pool->mutex);
}

static void work(void *context)
{
    Worker *self = context;
    TnPool *pool = self->pool;
    while (!stopped(pool)) {
        if (!spin_for_work(pool, self->index)) sleep_for_work(pool, self->index);
        join_in(pool, self->index);
    }
}

/* After a change that sleepers wait for: a worker either saw it before it slept or is counted
 * already. Taking the mutex makes sure that it waits then. */
static void wake(TnPool *pool, int threads)
{
    if (atomic_load_explicit(&pool->sleepers, memory_order_seq_cst) == 0) return;
    tn_mutex_lock(&pool->mutex);
    for (int i = 1; i < threads; i++)
        if (pool->asleep[i]) tn_condition_wake(&pool->wake[i]);
    tn_mutex_unlock(&pool->mutex);
}

TnPool *tn_pool_create(int thread_count)
{
    if (thread_count < 1 || thread_count > MAX_THREADS) return NULL;
    TnPool *pool = tn_aligned_alloc(sizeof(TnPool));
    if (!pool) return NULL;
    int processors = tn_thread_processors();
    *pool = (TnPool){.thread_count = thread_count};
    pool->crowded = thread_count > 1 && processors > 0 && thread_count > processors;
    tn_mutex_init(&pool->mutex);
    for (int i = 0; i < MAX_THREADS; i++) tn_condition_init(&pool->wake[i]);
    for (int i = 1; i < thread_count; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].index = i;
        /* those that there are do the work: the results have the same bits */
        if (!tn_thread_start(&pool->workers[i].thread, work, &pool->workers[i])) break;
        pool->started = i;
    }
    pool->thread_count = pool->started + 1;
    return pool;
}

void tn_pool_destroy(TnPool *pool)
{
    if (!pool) return;
    atomic_store_explicit(&pool->stop, true, memory_order_seq_cst);
    wake(pool, pool->thread_count);
    for (int i = 1; i <= pool->started; i++) tn_thread_join(&pool->workers[i].thread);
    for (int i = 0; i < MAX_THREADS; i++) tn_condition_destroy(&pool->wake[i]);
    tn_mutex_destroy(&pool->mutex);
    tn_free(pool);
}

int tn_pool_threads(const TnPool *pool) { return pool ? pool->thread_count : 1; }
bool tn_pool_is_crowded(const TnPool *pool) { return pool && pool->crowded; }

void tn_pool_phases(TnPool *pool, int thread_count, TnPhases phases)
{
    int threads = tn_pool_threads(pool);
    if (thread_count < threads) threads = thread_count;
    if (threads <= 1) {
        for (int chunks; (chunks = phases.next(phases.context)) > 0;)
            for (int i = 0; i < chunks; i++) phases.run(phases.context, i);
        return;
    }
    pool->job = phases;
    publish_next(pool, atomic_load_explicit(&pool->phase, memory_order_relaxed), threads);
    wake(pool, threads);
    join_in(pool, 0);
}

int tn_pool_await(const TnPool *pool, const atomic_int *word)
{
    int value, spins = tn_pool_is_crowded(pool) ? FEW_SPINS : PHASE_SPINS;
    for (int k = 0; (value = atomic_load_explicit(word, memory_order_acquire)) == 0; k++) {
        if (k < spins)
            tn_thread_relax();
        else
            tn_thread_yield();
    }
    return value;
}

/* ---- one phase over a range ---- */

typedef struct Range {
    TnRangeFn fn;
    void *context;
    int count, chunks;
    bool begun;
} Range;

static int next_range(void *context)
{
    Range *range = context;
    if (range->begun) return 0;
    range->begun = true;
    return range->chunks;
}

static void run_range(void *context, int chunk)
{
    const Range *range = context;
    int64_t n = range->count, c = range->chunks;
    range->fn(range->context, (int)(n * chunk / c), (int)(n * (chunk + 1) / c));
}

void tn_pool_run(TnPool *pool, int count, int grain, TnRangeFn fn, void *context)
{
    if (count <= 0) return;
    int threads = tn_pool_threads(pool), chunks = count / (grain > 1 ? grain : 1);
    if (chunks > CHUNKS_PER_THREAD * threads) chunks = CHUNKS_PER_THREAD * threads;
    if (chunks <= 1 || threads <= 1) {
        fn(context, 0, count);
        return;
    }
    Range range = {fn, context, count, chunks, false};
    tn_pool_phases(pool, chunks < threads ? chunks : threads,
                   (TnPhases){next_range, run_range, &range});
}

/* ---- clearing ---- */

#define CLEAR_BYTES 4096 /* in one go */

typedef struct Clearing {
    char *memory;
    size_t bytes;
} Clearing;

static void clear_range(void *context, int begin, int end)
{
    const Clearing *c = context;
    size_t first = (size_t)begin * CLEAR_BYTES, last = (size_t)end * CLEAR_BYTES;
    memset(c->memory + first, 0, (last < c->bytes ? last : c->bytes) - first);
}

void tn_pool_clear(TnPool *pool, void *memory, size_t bytes)
{
    Clearing clearing = {memory, bytes};
    if (bytes <= CLEAR_BYTES) {
        memset(memory, 0, bytes);
        return;
    }
    tn_pool_run(pool, (int)((bytes + CLEAR_BYTES - 1) / CLEAR_BYTES), 8, clear_range, &clearing);
}
