/* pool.h: a fixed team of threads that shares work in chunks.
 *
 * A thread takes its own chunks first and then those that are not begun, so that work also goes
 * on when the system has given a core to another program. What is computed must not depend on which
 * thread does it: callers write to disjoint places only, so the same bits come out for any number
 * of threads. Waiting spins briefly and then sleeps (or yields inside a job). Not re-entrant: one
 * call at a time per pool. A NULL pool runs on the calling thread. */
#ifndef TN_BASE_POOL_H
#define TN_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct TnPool TnPool;

/* NULL: no memory; 1 … 64. Where the system starts fewer threads, these do the work. */
TnPool *tn_pool_create(int thread_count);
void tn_pool_destroy(TnPool *pool);
int tn_pool_threads(const TnPool *pool); /* 1 for NULL */
/* It has more threads than there are processors: short jobs take longer on several then. */
bool tn_pool_is_crowded(const TnPool *pool);

/* fn on [0, count), in contiguous pieces never smaller than `grain`. */
typedef void (*TnRangeFn)(void *context, int begin, int end);
void tn_pool_run(TnPool *pool, int count, int grain, TnRangeFn fn, void *context);
/* Bytes set to zero. */
void tn_pool_clear(TnPool *pool, void *memory, size_t bytes);

/* A sequence of phases in one call, for loops that alternate many short ones. next() is called by
 * one thread at a time, before the first phase and when one has ended; it says into how many chunks
 * the coming phase is cut (at most TN_PHASE_CHUNKS; 0: the end). run() does one chunk. */
#define TN_PHASE_CHUNKS 255
typedef struct TnPhases {
    int (*next)(void *context);
    void (*run)(void *context, int chunk);
    void *context;
} TnPhases;
void tn_pool_phases(TnPool *pool, int thread_count, TnPhases phases);
/* Inside of a chunk: waits until the word is no longer zero, and returns it. Only for what a chunk
 * that has begun will write: no other thread may do others' work meanwhile. */
int tn_pool_await(const TnPool *pool, const atomic_int *word);

#endif
