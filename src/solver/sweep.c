/* sweep.c: see sweep.h. */
#include "sweep.h"

/* Problems below this many contacts stay in the caches as they are. */
#define WORTH_CUTTING 16384

/* The chunk that holds batch `batch`: the inverse of tn_sweep_begin. */
static int chunk_of(int batches, int chunks, int batch)
{
    int i = (int)(((long)batch * chunks + chunks - 1) / batches);
    while (i > 0 && tn_sweep_begin(batches, chunks, i) > batch) i--;
    while (i < chunks - 1 && tn_sweep_begin(batches, chunks, i + 1) <= batch) i++;
    return i;
}

static void raise(int *value, int least)
{
    if (*value < least) *value = least;
}

/* Block chunk of a table row; the world's row needs nothing: -1. */
static int block_chunk(const TnProblem *p, const TnSweep *sweep, int row)
{
    if (row == 0) return -1;
    if (row >= p->port_row) return sweep->dense_chunk;
    return chunk_of(p->twist_batches, sweep->chunk_count, (row - 1) / TN_LANES);
}

bool tn_sweep_plan(const TnProblem *p, int chunk_contacts, TnSweep *sweep)
{
    int chunks = p->contact_count / chunk_contacts;
    if (chunks > p->twist_batches) chunks = p->twist_batches;
    /* Scalar rows between free bodies may reach anywhere: such problems are visited whole. */
    if (p->contact_count < WORTH_CUTTING || p->rows_on_twists || p->spins || chunks < 2) chunks = 1;
    *sweep = (TnSweep){.chunk_count = chunks};
    sweep->need_blocks = TN_ARENA_ZERO(p->arena, int, chunks);
    sweep->need_contacts = TN_ARENA_ZERO(p->arena, int, chunks);
    if (!sweep->need_blocks || !sweep->need_contacts) return false;
    if (chunks == 1) {
        sweep->need_blocks[0] = sweep->need_contacts[0] = 1;
        return true;
    }
    /* Dense blocks run with the block chunk that stands where the last of their contacts does. */
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        if (batch->row_a[l] >= p->port_row || batch->row_b[l] >= p->port_row)
            raise(&sweep->dense_chunk, chunk_of(p->contact_batches, chunks, c / TN_LANES));
    }
    raise(&sweep->need_blocks[sweep->dense_chunk], sweep->dense_chunk + 1);
    raise(&sweep->need_contacts[sweep->dense_chunk], sweep->dense_chunk + 1);
    for (int chunk = 0; chunk < chunks; chunk++) {
        int begin = tn_sweep_begin(p->contact_batches, chunks, chunk) * TN_LANES;
        int end = tn_sweep_begin(p->contact_batches, chunks, chunk + 1) * TN_LANES;
        for (int c = begin; c < end && c < p->contact_count; c++) {
            const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
            const int rows[2] = {batch->row_a[c % TN_LANES], batch->row_b[c % TN_LANES]};
            for (int k = 0; k < 2; k++) {
                int block = block_chunk(p, sweep, rows[k]);
                if (block < 0) continue;
                raise(&sweep->need_blocks[chunk], block + 1);
                raise(&sweep->need_contacts[block], chunk + 1);
            }
        }
    }
    /* Chunks run in order: a chunk needs at least what those before it need. */
    for (int i = 1; i < chunks; i++) {
        raise(&sweep->need_blocks[i], sweep->need_blocks[i - 1]);
        raise(&sweep->need_contacts[i], sweep->need_contacts[i - 1]);
    }
    return true;
}
