/* pool.c: a team of threads with one job at a time.
 *
 * Workers wait for a new generation number: they spin for a short while (a step starts many short
 * jobs), then sleep on a condition variable. Barriers inside a team spin the same way and then
 * yield, so that the team also ends when the machine has fewer free cores than threads. */
#include "pool.h"
#include "base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define MAX_THREADS 64
#define SPIN_ROUNDS 2000
#define WAIT_SPINS 4000

typedef struct Job {
    TnRangeFn range;
    TnPhases phases; /* where range is NULL */
    void *context;
    int count, chunk_count;
    int thread_count;
} Job;

struct TnPool {
    int thread_count;
    int started;
    pthread_t threads[MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    Job job;
    bool stop;
    _Alignas(64) atomic_uint generation; /* changes when a job is posted */
    _Alignas(64) atomic_int working;     /* workers still busy with the job */
    /* phases: the number of the current one times 256, plus its chunks */
    _Alignas(64) atomic_ullong phase;
    _Alignas(64) atomic_int unfinished; /* chunks of the current phase */
    _Alignas(64)
        atomic_ullong claims[TN_PHASE_CHUNKS + 1]; /* per chunk: the last phase it was taken in */
};

typedef struct Start {
    TnPool *pool;
    int index;
} Start;

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Takes a chunk in a phase: true for the one thread that does. Phases only grow, so a thread that
 * comes late from an older one gets nothing. */
static bool claim(TnPool *pool, int chunk, unsigned long long number)
{
    unsigned long long last = atomic_load_explicit(&pool->claims[chunk], memory_order_relaxed);
    return last < number &&
           atomic_compare_exchange_strong_explicit(&pool->claims[chunk], &last, number,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* Called by whoever ends a phase, alone: the others wait for the number to change. */
static void begin_next_phase(TnPool *pool, unsigned long long number)
{
    int chunks = pool->job.phases.next(pool->job.phases.context);
    atomic_store_explicit(&pool->unfinished, chunks, memory_order_relaxed);
    atomic_store_explicit(&pool->phase, (number + 1) * 256 + (unsigned long long)chunks,
                          memory_order_release);
}

static void run_phases(TnPool *pool, int index)
{
    const Job *job = &pool->job;
    for (;;) {
        unsigned long long phase = atomic_load_explicit(&pool->phase, memory_order_acquire),
                           number = phase / 256;
        int chunks = (int)(phase % 256), own = chunks * index / job->thread_count;
        if (chunks == 0) return;
        for (int k = 0; k < chunks; k++) {
            int chunk = own + k < chunks ? own + k : own + k - chunks;
            if (!claim(pool, chunk, number)) continue;
            job->phases.run(job->phases.context, chunk);
            if (atomic_fetch_sub_explicit(&pool->unfinished, 1, memory_order_acq_rel) == 1)
                begin_next_phase(pool, number);
        }
        for (int spins = 0; atomic_load_explicit(&pool->phase, memory_order_relaxed) == phase;
             spins++) {
            if (spins < WAIT_SPINS)
                relax();
            else
                sched_yield();
        }
    }
}

static void run_share(TnPool *pool, int index)
{
    const Job *job = &pool->job;
    if (!job->range) {
        if (index < job->thread_count) run_phases(pool, index);
        return;
    }
    if (index >= job->chunk_count) return;
    long n = job->count, c = job->chunk_count;
    int begin = (int)(n * index / c), end = (int)(n * (index + 1) / c);
    if (begin < end) job->range(job->context, begin, end, index);
}

static void *worker(void *argument)
{
    Start start = *(Start *)argument;
    tn_free(argument);
    TnPool *pool = start.pool;
    unsigned seen = 0;
    for (;;) {
        int spins = 0;
        while (atomic_load_explicit(&pool->generation, memory_order_acquire) == seen &&
               spins < SPIN_ROUNDS) {
            relax();
            spins++;
        }
        if (atomic_load_explicit(&pool->generation, memory_order_acquire) == seen) {
            pthread_mutex_lock(&pool->mutex);
            while (atomic_load_explicit(&pool->generation, memory_order_acquire) == seen)
                pthread_cond_wait(&pool->wake, &pool->mutex);
            pthread_mutex_unlock(&pool->mutex);
        }
        seen = atomic_load_explicit(&pool->generation, memory_order_acquire);
        if (pool->stop) return NULL;
        run_share(pool, start.index);
        atomic_fetch_sub_explicit(&pool->working, 1, memory_order_release);
    }
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

static void post(TnPool *pool, Job job)
{
    pool->job = job;
    atomic_store_explicit(&pool->working, pool->started, memory_order_relaxed);
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add_explicit(&pool->generation, 1, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void wait_for_workers(TnPool *pool)
{
    int spins = 0;
    while (atomic_load_explicit(&pool->working, memory_order_acquire) > 0) {
        if (++spins < WAIT_SPINS)
            relax();
        else
            sched_yield();
    }
}

void tn_pool_destroy(TnPool *pool)
{
    if (!pool) return;
    pool->stop = true;
    post(pool, (Job){0});
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    tn_free(pool);
}

int tn_pool_threads(const TnPool *pool) { return pool ? pool->thread_count : 1; }

void tn_pool_run(TnPool *pool, int count, int grain, TnRangeFn fn, void *context)
{
    if (count <= 0) return;
    int chunks = grain > 0 ? count / grain : count;
    if (chunks > tn_pool_threads(pool)) chunks = tn_pool_threads(pool);
    if (chunks <= 1) {
        fn(context, 0, count, 0);
        return;
    }
    post(pool, (Job){.range = fn, .context = context, .count = count, .chunk_count = chunks});
    run_share(pool, 0);
    wait_for_workers(pool);
}

void tn_pool_phases(TnPool *pool, int thread_count, TnPhases phases)
{
    int size = thread_count < tn_pool_threads(pool) ? thread_count : tn_pool_threads(pool);
    if (size <= 1) {
        for (int chunks; (chunks = phases.next(phases.context)) > 0;)
            for (int i = 0; i < chunks; i++) phases.run(phases.context, i);
        return;
    }
    /* Numbers go on from the last call's, so that no claim of then can be mistaken for one of now.
     */
    unsigned long long last = atomic_load_explicit(&pool->phase, memory_order_relaxed) / 256;
    pool->job = (Job){.phases = phases, .thread_count = size};
    begin_next_phase(pool, last);
    post(pool, pool->job);
    run_share(pool, 0);
    wait_for_workers(pool);
}
