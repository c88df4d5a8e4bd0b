/* batch.h (internal): many worlds; batch.c steps them, batch_share.c gives them to threads,
 * batch_rollout.c, batch_change.c and batch_arrays.c do what their names say. Worlds on a device
 * are in batch_device.c. */
#ifndef TN_BATCH_BATCH_H
#define TN_BATCH_BATCH_H

#include <stdatomic.h>
#include <tenon/batch.h>

#include "../base/pool.h"

/* The worlds that a thread begins with. Each has a cache line for itself. */
typedef struct TnBatchTurn {
    _Alignas(64) atomic_int next; /* world */
    int end;
} TnBatchTurn;

struct TnBatch {
    TnWorld **worlds;
    uint32_t alive; /* TN_ALIVE */
    TnPool *pool;
    TnBatchTurn *turns;
    int turn_count; /* threads that have something to do */
    TnBatchView view;
    double *time;
    TnStepReport *reports;
    uint8_t *refused;             /* per world: its row or its change, in the call that runs */
    struct TnBatchDevice *device; /* the worlds are there (batch_device.h); NULL: here */
};

/* Phases over all worlds, in one go of the threads. A phase returns nothing; it writes to what
 * belongs to its world alone. `goes_on` is asked between two phases; NULL: it always does. */
typedef void (*TnBatchFn)(void *context, int world);
typedef struct TnBatchWork {
    TnBatchFn phases[2]; /* the second may be NULL */
    bool (*goes_on)(void *context);
    void *context;
} TnBatchWork;
void tn_batch_share(TnBatch *batch, TnBatchWork work);
bool tn_batch_share_init(TnBatch *batch, int thread_count); /* false: no memory */
void tn_batch_share_free(TnBatch *batch);

static inline bool tn_batch_has(const TnBatch *batch, int index)
{
    return batch && index >= 0 && index < batch->view.count;
}
TnStatus tn_batch_refuse(TnError *err, const char *why);

/* Rows to worlds: for phases of tn_batch_share. */
void tn_batch_push_row(TnBatch *batch, int index);
bool tn_batch_rows_fit(const TnBatch *batch); /* no row was refused */
/* Rows that were refused get back the numbers of their worlds; the error names them. */
TnStatus tn_batch_rows_error(TnBatch *batch, TnError *err);
void tn_batch_step_row(TnBatch *batch, int index);

#endif
