/* batch_share.c: which thread steps which world.
 *
 * Each thread has a stretch of the worlds, the same in every call, so that a world stays in the
 * cache of its core and in memory that this core touched first. A thread that is through takes
 * worlds from the stretches of others, one at a time: at the end of a phase no thread waits longer
 * than one world takes. */
#include "../base/base.h"
#include "batch.h"

bool tn_batch_share_init(TnBatch *batch, int thread_count)
{
    batch->turn_count = batch->view.count < thread_count ? batch->view.count : thread_count;
    batch->turns = tn_aligned_alloc(sizeof(TnBatchTurn) * (size_t)batch->turn_count);
    batch->pool = tn_pool_create(thread_count);
    return batch->turns && batch->pool;
}

void tn_batch_share_free(TnBatch *batch)
{
    tn_pool_destroy(batch->pool);
    tn_free(batch->turns);
}

typedef struct Shared {
    TnBatch *batch;
    TnBatchWork work;
    int phase; /* the one that runs; -1: none yet */
} Shared;

static int next_phase(void *context)
{
    Shared *shared = context;
    TnBatch *batch = shared->batch;
    const TnBatchWork *work = &shared->work;
    bool again = shared->phase < 0 || (shared->phase == 0 && work->phases[1] &&
                                       (!work->goes_on || work->goes_on(work->context)));
    if (!again) return 0;
    shared->phase++;
    for (int k = 0; k < batch->turn_count; k++) {
        long count = batch->view.count, turns = batch->turn_count;
        atomic_store_explicit(&batch->turns[k].next, (int)(count * k / turns),
                              memory_order_relaxed);
        batch->turns[k].end = (int)(count * (k + 1) / turns);
    }
    return batch->turn_count;
}

/* From the stretch of this turn on, around. */
static void run_turn(void *context, int turn)
{
    Shared *shared = context;
    TnBatch *batch = shared->batch;
    TnBatchFn fn = shared->work.phases[shared->phase];
    for (int k = 0; k < batch->turn_count; k++) {
        TnBatchTurn *of = &batch->turns[(turn + k) % batch->turn_count];
        int i;
        while (atomic_load_explicit(&of->next, memory_order_relaxed) < of->end &&
               (i = atomic_fetch_add_explicit(&of->next, 1, memory_order_relaxed)) < of->end)
            fn(shared->work.context, i);
    }
}

void tn_batch_share(TnBatch *batch, TnBatchWork work)
{
    Shared shared = {batch, work, -1};
    tn_pool_phases(batch->pool, batch->turn_count, (TnPhases){next_phase, run_turn, &shared});
}
