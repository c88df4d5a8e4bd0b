/* block.c: what is the same for all kinds of large blocks, and preparation in threads over blocks.
 */
#include "block.h"

#include <stdatomic.h>
#include <string.h>

#include "../method/loop.h"

bool tn_block_set(TnProblem *p, int block, const TnBlockKind *kind, int dim, int port_start,
                  int port_count)
{
    TnLargeBlock *d = &p->large[block];
    *d = (TnLargeBlock){.kind = kind,
                        .dim = dim,
                        .solved = dim,
                        .offset = block ? d[-1].offset + d[-1].dim : 0,
                        .port_start = port_start,
                        .port_count = port_count};
    d->own = tn_arena_calloc(p->arena, kind->size);
    d->v = TN_ARENA_ZERO(p->arena, double, dim);
    d->g = TN_ARENA_ZERO(p->arena, double, dim);
    d->F = TN_ARENA_ZERO(p->arena, double, dim);
    return d->own && d->v && d->g && d->F;
}

bool tn_block_copy(const TnProblem *whole, int from, TnProblem *part, int to)
{
    const TnLargeBlock *a = &whole->large[from];
    TnLargeBlock *b = &part->large[to];
    *b = *a;
    b->own = tn_arena_alloc(part->arena, a->kind->size);
    if (!b->own) return false;
    memcpy(b->own, a->own, a->kind->size);
    b->offset = to ? b[-1].offset + b[-1].dim : 0;
    b->port_start = to ? b[-1].port_start + b[-1].port_count : 0;
    for (int k = 0; k < a->port_count; k++) {
        part->ports[b->port_start + k] = whole->ports[a->port_start + k];
        part->ports[b->port_start + k].block = to;
    }
    memcpy(part->twist[part->port_row + b->port_start],
           whole->twist[whole->port_row + a->port_start],
           sizeof(double[8]) * (size_t)a->port_count);
    return true;
}

/* ---- in threads ---- */

typedef enum Stage { PLAN, FACTOR_A, RESTORE_S, FACTOR_H, TWISTS_A, TWISTS_H, FINISH } Stage;

typedef struct Phase {
    TnProblem *problem;
    Stage stage;
    bool inside; /* blocks with much to eliminate are done already */
    atomic_bool failed;
} Phase;

static bool do_block(const Phase *phase, int block)
{
    TnProblem *p = phase->problem;
    const TnLargeBlock *d = &p->large[block];
    const TnBlockKind *kind = d->kind;
    switch (phase->stage) {
    case PLAN:
        return !kind->plan || kind->plan(p, block);
    case FACTOR_A:
        return (phase->inside && d->flops > 0.0) || kind->factor_A(p, block, NULL);
    case FINISH:
        if (kind->finish && !(phase->inside && d->flops > 0.0)) kind->finish(p, block, NULL);
        return true;
    case RESTORE_S:
        return !kind->H_replaces_S || (phase->inside && d->flops > 0.0) ||
               kind->factor_A(p, block, NULL);
    default:
        return kind->factor_H(p, block);
    }
}

static void phase_range(void *context, int begin, int end)
{
    Phase *phase = context;
    bool ok = true;
    if (phase->stage == TWISTS_A)
        ok = tn_twists_factor_A(phase->problem, begin, end);
    else if (phase->stage == TWISTS_H)
        ok = tn_twists_factor_H(phase->problem, begin, end);
    else
        for (int i = begin; ok && i < end; i++) ok = do_block(phase, i);
    if (!ok) atomic_store_explicit(&phase->failed, true, memory_order_relaxed);
}

static bool run_phase(TnProblem *p, TnPool *pool, Stage stage, bool inside)
{
    Phase phase = {.problem = p, .stage = stage, .inside = inside};
    bool twists = stage == TWISTS_A || stage == TWISTS_H;
    int grain = TN_TWIST_GRAIN;
    for (int i = 0; !twists && i < p->large_count; i++)
        if (p->large[i].kind->grain < grain) grain = p->large[i].kind->grain;
    tn_pool_run(pool, twists ? p->twist_batches : p->large_count, grain, phase_range, &phase);
    return !atomic_load_explicit(&phase.failed, memory_order_relaxed);
}

bool tn_blocks_choose(TnProblem *p, TnPool *pool)
{
    bool any = false;
    for (int i = 0; i < p->large_count; i++) {
        const TnBlockKind *kind = p->large[i].kind;
        if (kind->choose && !kind->choose(p, i)) return false;
        any = any || kind->plan;
    }
    if (any && !run_phase(p, pool, PLAN, false)) return false;
    for (int i = 0; i < p->large_count; i++) {
        const TnBlockKind *kind = p->large[i].kind;
        if (kind->reserve && !kind->reserve(p, i)) return false;
    }
    return true;
}

/* One thread per block, unless most of the eliminations are in fewer than two thirds as many blocks
 * as there are threads (one block and two threads, too): then all threads on one of these blocks
 * after the other. */
static bool shares_blocks(const TnProblem *p, const TnPool *pool)
{
    double all = 0.0, most = 0.0;
    for (int i = 0; i < p->large_count; i++) {
        all += p->large[i].flops;
        if (p->large[i].flops > most) most = p->large[i].flops;
    }
    return 1.5 * all < tn_pool_threads(pool) * most;
}

static bool factor(TnProblem *p, TnPool *pool, Stage stage)
{
    bool inside = shares_blocks(p, pool);
    for (int i = 0; inside && i < p->large_count; i++)
        if (p->large[i].flops > 0.0 && !p->large[i].kind->factor_A(p, i, pool)) return false;
    return run_phase(p, pool, stage, inside);
}

bool tn_blocks_factor_A(TnProblem *p, TnPool *pool)
{
    return factor(p, pool, FACTOR_A) && run_phase(p, pool, TWISTS_A, false);
}

bool tn_blocks_restore_S(TnProblem *p, TnPool *pool) { return factor(p, pool, RESTORE_S); }

bool tn_blocks_factor_H(TnProblem *p, TnPool *pool)
{
    return run_phase(p, pool, TWISTS_H, false) && run_phase(p, pool, FACTOR_H, false);
}

void tn_blocks_update(TnProblem *p, int chunk, int chunks, double alpha)
{
    int begin, end;
    tn_share(p->twist_batches, chunk, chunks, &begin, &end);
    tn_twists_update(p, begin, end, alpha);
    tn_share(p->large_count, chunk, chunks, &begin, &end);
    for (int i = begin; i < end; i++) p->large[i].kind->update(p, i, alpha);
}

void tn_blocks_finish(TnProblem *p, TnPool *pool)
{
    bool inside = shares_blocks(p, pool);
    for (int i = 0; inside && i < p->large_count; i++)
        if (p->large[i].flops > 0.0) p->large[i].kind->finish(p, i, pool);
    run_phase(p, pool, FINISH, inside);
}
