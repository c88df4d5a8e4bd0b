/* pool.c: threads that follow one atomic word.
 *
 * `phase` holds the number of the current phase, how many threads may join and how many chunks it
 * has; no chunks means that nothing is to be done. Numbers only grow. A chunk belongs to the thread
 * that first writes the phase's number into its claim; whoever finishes the last chunk asks for the
 * next phase and publishes it. The caller returns when the end is published: nobody has to be
 * waited for, and a worker that comes late finds either nothing or the next job's work.
 *
 * `job` is written before the first phase is published and read only by threads that hold a chunk
 * of an unfinished phase, so it never changes under a reader. */
#include "pool.h"
#include "base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define MAX_THREADS 64
#define IDLE_SPINS 2000  /* before a worker without work sleeps */
#define PHASE_SPINS 4000 /* before a thread that waits for the next phase yields */
#define CHUNKS_PER_THREAD 3

typedef unsigned long long Word;

struct TnPool {
    int thread_count;
    int started; /* workers; thread 0 is the caller */
    pthread_t threads[MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    TnPhases job;
    atomic_bool stop;
    _Alignas(64) _Atomic Word phase;
    _Alignas(64) atomic_int unfinished; /* chunks of the current phase */
    _Alignas(64) _Atomic Word
        claims[TN_PHASE_CHUNKS + 1]; /* per chunk: the last phase it was taken in */
};

static Word make_phase(Word number, int threads, int chunks)
{
    return number << 16 | (Word)threads << 8 | (Word)chunks;
}
static Word phase_number(Word phase) { return phase >> 16; }
static int phase_threads(Word phase) { return (int)(phase >> 8 & 255); }
static int phase_chunks(Word phase) { return (int)(phase & 255); }

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* True for the one thread that takes the chunk. A thread that comes late from an older phase gets
 * nothing. */
static bool claim(TnPool *pool, int chunk, Word number)
{
    Word last = atomic_load_explicit(&pool->claims[chunk], memory_order_relaxed);
    return last < number &&
           atomic_compare_exchange_strong_explicit(&pool->claims[chunk], &last, number,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* By whoever ended the phase before, alone. */
static void publish_next(TnPool *pool, Word before, int threads)
{
    int chunks = pool->job.next(pool->job.context);
    atomic_store_explicit(&pool->unfinished, chunks, memory_order_relaxed);
    atomic_store_explicit(&pool->phase, make_phase(phase_number(before) + 1, threads, chunks),
                          memory_order_release);
}

/* Works on phases until there are none. */
static void join_in(TnPool *pool, int index)
{
    for (;;) {
        Word phase = atomic_load_explicit(&pool->phase, memory_order_acquire);
        int chunks = phase_chunks(phase), threads = phase_threads(phase);
        if (chunks == 0 || index >= threads) return;
        int own = chunks * index / threads;
        for (int k = 0; k < chunks; k++) {
            int chunk = own + k < chunks ? own + k : own + k - chunks;
            if (!claim(pool, chunk, phase_number(phase))) continue;
            pool->job.run(pool->job.context, chunk);
            if (atomic_fetch_sub_explicit(&pool->unfinished, 1, memory_order_acq_rel) == 1)
                publish_next(pool, phase, threads);
        }
        int spins = 0;
        while (atomic_load_explicit(&pool->phase, memory_order_relaxed) == phase) {
            if (++spins < PHASE_SPINS)
                relax();
            else
                sched_yield();
        }
    }
}

static bool has_work(TnPool *pool, int index)
{
    Word phase = atomic_load_explicit(&pool->phase, memory_order_acquire);
    return phase_chunks(phase) > 0 && index < phase_threads(phase);
}

static bool stopped(TnPool *pool)
{
    return atomic_load_explicit(&pool->stop, memory_order_acquire);
}

typedef struct Start {
    TnPool *pool;
    int index;
} Start;

static void *worker(void *argument)
{
    Start start = *(Start *)argument;
    tn_free(argument);
    TnPool *pool = start.pool;
    while (!stopped(pool)) {
        int spins = 0;
        while (!has_work(pool, start.index) && !stopped(pool) && spins++ < IDLE_SPINS) relax();
        if (!has_work(pool, start.index)) {
            pthread_mutex_lock(&pool->mutex);
            while (!has_work(pool, start.index) && !stopped(pool))
                pthread_cond_wait(&pool->wake, &pool->mutex);
            pthread_mutex_unlock(&pool->mutex);
        }
        join_in(pool, start.index);
    }
    return NULL;
}

/* After a change that sleepers wait for. Taking the mutex makes sure that a worker either saw the
 * change before it slept or sleeps already and is woken. */
static void wake_all(TnPool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

TnPool *tn_pool_create(int thread_count)
{
    if (thread_count < 1 || thread_count > MAX_THREADS) return NULL;
    TnPool *pool = tn_aligned_alloc(sizeof(TnPool));
    if (!pool) return NULL;
    *pool = (TnPool){.thread_count = thread_count};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int i = 1; i < thread_count; i++) {
        Start *start = tn_malloc(sizeof *start);
        if (start) *start = (Start){pool, i};
        if (!start || pthread_create(&pool->threads[i], NULL, worker, start) != 0) {
            tn_free(start);
            tn_pool_destroy(pool);
            return NULL;
        }
        pool->started = i;
    }
    return pool;
}

void tn_pool_destroy(TnPool *pool)
{
    if (!pool) return;
    atomic_store_explicit(&pool->stop, true, memory_order_release);
    wake_all(pool);
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    tn_free(pool);
}

int tn_pool_threads(const TnPool *pool) { return pool ? pool->thread_count : 1; }

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
    wake_all(pool);
    join_in(pool, 0);
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
    long n = range->count, c = range->chunks;
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
    tn_pool_run(pool, (int)((bytes + CLEAR_BYTES - 1) / CLEAR_BYTES), 8, clear_range, &clearing);
}
