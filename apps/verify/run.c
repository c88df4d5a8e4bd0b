/* Runs rows on threads; see run.h. */
#include "run.h"

#include "../common/app.h"
#include "platform/threads.h"

#include <stdlib.h>

typedef struct Pool {
    VerifyRun *run;
    void (*told)(const VerifyRow *, const Finding *);
    TnMutex lock;
    int next, told_count;
    bool *done;
} Pool;

static int take(Pool *pool)
{
    tn_mutex_lock(&pool->lock);
    int index = pool->next < pool->run->count ? pool->next++ : -1;
    tn_mutex_unlock(&pool->lock);
    return index;
}

static void finish(Pool *pool, int index)
{
    VerifyRun *run = pool->run;
    tn_mutex_lock(&pool->lock);
    pool->done[index] = true;
    for (; pool->told_count < run->count && pool->done[pool->told_count]; pool->told_count++)
        if (pool->told) pool->told(run->rows[pool->told_count], &run->findings[pool->told_count]);
    tn_mutex_unlock(&pool->lock);
}

static void work(void *user)
{
    Pool *pool = user;
    for (int i = take(pool); i >= 0; i = take(pool)) {
        Finding *finding = &pool->run->findings[i];
        double start = clock_seconds();
        pool->run->rows[i]->run(finding, pool->run->rows[i]);
        finding->seconds = clock_seconds() - start;
        finish(pool, i);
    }
}

bool verify_run(VerifyRun *run, int threads, void (*told)(const VerifyRow *, const Finding *))
{
    enum { MOST_THREADS = 64 };
    TnThread others[MOST_THREADS];
    Pool pool = {.run = run, .told = told};
    double start = clock_seconds();
    int started = 0;
    run->findings = calloc((size_t)run->count, sizeof *run->findings);
    pool.done = calloc((size_t)run->count, sizeof *pool.done);
    if (run->findings && pool.done) {
        tn_mutex_init(&pool.lock);
        for (; started + 1 < threads && started < MOST_THREADS; started++)
            if (!tn_thread_start(&others[started], work, &pool)) break; /* fewer will do */
        work(&pool);
        for (int i = 0; i < started; i++) tn_thread_join(&others[i]);
        tn_mutex_destroy(&pool.lock);
    }
    free(pool.done);
    run->seconds = clock_seconds() - start;
    return run->findings && pool.done;
}

void verify_free(VerifyRun *run)
{
    for (int i = 0; run->findings && i < run->count; i++) finding_free(&run->findings[i]);
    free(run->findings);
    free(run->rows);
    *run = (VerifyRun){0};
}
