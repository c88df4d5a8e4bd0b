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
#define BARRIER_SPINS 4000

typedef struct Job {
    TnRangeFn range;
    TnTeamFn team;
    void *context;
    int count, chunk_count;
    int team_size;
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
    _Alignas(64) atomic_int barrier_count;
    _Alignas(64) atomic_uint barrier_phase;
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

static void run_share(TnPool *pool, int index)
{
    const Job *job = &pool->job;
    if (job->team) {
        if (index < job->team_size) job->team(job->context, index, job->team_size);
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
        if (++spins < BARRIER_SPINS)
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

void tn_pool_team(TnPool *pool, int thread_count, TnTeamFn fn, void *context)
{
    int size = thread_count < tn_pool_threads(pool) ? thread_count : tn_pool_threads(pool);
    if (size <= 1) {
        if (pool) pool->job = (Job){0}; /* its barriers must not wait for the last team's size */
        fn(context, 0, 1);
        return;
    }
    atomic_store_explicit(&pool->barrier_count, 0, memory_order_relaxed);
    post(pool, (Job){.team = fn, .context = context, .team_size = size});
    run_share(pool, 0);
    wait_for_workers(pool);
}

void tn_pool_barrier(TnPool *pool)
{
    if (!pool || pool->job.team_size <= 1) return;
    unsigned phase = atomic_load_explicit(&pool->barrier_phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&pool->barrier_count, 1, memory_order_acq_rel) ==
        pool->job.team_size - 1) {
        atomic_store_explicit(&pool->barrier_count, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->barrier_phase, phase + 1, memory_order_release);
        return;
    }
    int spins = 0;
    while (atomic_load_explicit(&pool->barrier_phase, memory_order_acquire) == phase) {
        if (++spins < BARRIER_SPINS)
            relax();
        else
            sched_yield();
    }
}
