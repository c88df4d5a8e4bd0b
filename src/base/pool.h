/* pool.h: a fixed team of threads that runs index ranges.
 *
 * tn_pool_run splits [0, count) into as many contiguous chunks as there are threads (never smaller
 * than `grain`) and returns when all are done. Chunk borders must not change results: callers write
 * to disjoint places only, so the same bits come out for any number of threads. Waiting spins
 * briefly and then sleeps, so that a loaded machine is not burned. Not re-entrant: one run at a
 * time per pool. A NULL pool runs on the calling thread. */
#ifndef TN_BASE_POOL_H
#define TN_BASE_POOL_H

#include <stdbool.h>

typedef struct TnPool TnPool;
typedef void (*TnRangeFn)(void *context, int begin, int end, int thread);

TnPool *tn_pool_create(
    int thread_count); /* NULL: no memory or no threads; 1 makes a pool without threads */
void tn_pool_destroy(TnPool *pool);
int tn_pool_threads(const TnPool *pool); /* 1 for NULL */
void tn_pool_run(TnPool *pool, int count, int grain, TnRangeFn fn, void *context);

/* A team inside one call: every thread enters fn once (begin = end = thread index, thread = index)
 * and may meet the others at tn_pool_barrier. For loops that alternate many short phases, where
 * starting each would cost more than it. */
typedef void (*TnTeamFn)(void *context, int thread, int thread_count);
void tn_pool_team(TnPool *pool, int thread_count, TnTeamFn fn, void *context);
void tn_pool_barrier(TnPool *pool); /* only inside a team */

#endif
