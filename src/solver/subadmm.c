/* subadmm.c: subsystem-based ADMM in its smallest form (docs/solver.md).
 *
 * The paper's z and u need not be kept: after one iteration u = -λ on every side. What is left,
 * over-relaxed by α:
 *
 *     t ← (1-α) t + α (λ - B (J v + e)),   λ = Π(t)                 per constraint, in parallel
 *     F = Jᵀλ,  v = H⁻¹ (b + g + 2F),  g ← g + α (b + F - A v)     per block, in parallel
 *
 * H = A + JᵀWJ, B = 1 / Σ 1/β, g⁰ = Jᵀ(W J v⁰ - λ⁰); the first iteration has α = 1. With α = 1
 * throughout these are the paper's iterates.
 *
 * Threads share the work on each chunk (sweep.h; small problems are one chunk) and meet after it.
 * Every number is computed by one thread in one order, so that the result has the same bits for any
 * number of threads. */
#include "problem.h"

#include <math.h>

#include "block_kind.h"
#include "sweep.h"

/* Iterations between two looks at the residual when a tolerance is set. */
#define CHECK_EVERY 5
/* Below this many contacts and rows two threads lose more to moving cache lines than they gain. */
#define CONTACTS_PER_THREAD 1500
/* Contacts per chunk of a large problem and thread: about 1 MB. */
#define CONTACTS_PER_CHUNK 2048

typedef struct Loop {
    TnProblem *problem;
    const TnSolverDef *def;
    TnPool *pool;
    TnSweep sweep;
    TnSolveResult result;
} Loop;

/* One thread's view of the loop. */
typedef struct Worker {
    Loop *loop;
    int thread, threads;
} Worker;

static void share(const Worker *w, int first, int last, int *begin, int *end)
{
    long count = last - first;
    *begin = first + (int)(count * w->thread / w->threads);
    *end = first + (int)(count * (w->thread + 1) / w->threads);
}

/* Every thread sums in the same order and so comes to the same decision. */
static double residual(const TnProblem *p)
{
    double sum = 0.0;
    int count = 3 * p->contact_count + p->row_count;
    for (int i = 0; i < p->contact_batches; i++) sum += p->residual[i];
    for (int r = 0; r < p->row_count; r++) sum += p->rows[r].change * p->rows[r].change;
    return count ? sqrt(sum / count) : 0.0;
}

static void update_constraints(const Worker *w, int chunk, double alpha, bool measure)
{
    TnProblem *p = w->loop->problem;
    const TnSweep *sweep = &w->loop->sweep;
    int begin, end;
    share(w, tn_sweep_begin(p->contact_batches, sweep->chunk_count, chunk),
          tn_sweep_begin(p->contact_batches, sweep->chunk_count, chunk + 1), &begin, &end);
    p->kernels->contact_update(p->contact_batch, begin, end, (const double(*)[8])p->twist,
                               p->lambda, alpha, measure ? p->residual : NULL);
    if (chunk == sweep->dense_chunk) {
        share(w, 0, p->row_count, &begin, &end);
        tn_rows_update(p, begin, end, alpha, measure);
    }
    tn_pool_barrier(w->loop->pool);
    if (p->spins) {
        if (w->thread == 0) tn_rows_update_spins(p, alpha, measure);
        tn_pool_barrier(w->loop->pool);
    }
}

static void update_blocks(const Worker *w, int chunk, double alpha)
{
    TnProblem *p = w->loop->problem;
    const TnSweep *sweep = &w->loop->sweep;
    for (int k = 0; k < TN_BLOCK_KIND_COUNT; k++) {
        const TnBlockKind *kind = tn_block_kinds[k];
        int begin, end, units = kind->unit_count(p);
        if (kind->in_chunks)
            share(w, tn_sweep_begin(units, sweep->chunk_count, chunk),
                  tn_sweep_begin(units, sweep->chunk_count, chunk + 1), &begin, &end);
        else if (chunk == sweep->dense_chunk)
            share(w, 0, units, &begin, &end);
        else
            continue;
        kind->update(p, begin, end, alpha);
    }
    tn_pool_barrier(w->loop->pool);
}

/* Iterations [first, last), each following the one before it chunk by chunk. The last is measured
 * where asked for. */
static void sweep_once(const Worker *w, int first, int last, bool measure)
{
    const TnSweep *sweep = &w->loop->sweep;
    int chunks = sweep->chunk_count, contacts[TN_SWEEP_DEPTH] = {0}, blocks[TN_SWEEP_DEPTH] = {0};
    while (blocks[last - first - 1] < chunks)
        for (int i = 0; i < last - first; i++) {
            double alpha = first + i == 0 ? 1.0 : w->loop->def->over_relaxation;
            if (contacts[i] < chunks &&
                (i == 0 || blocks[i - 1] >= sweep->need_blocks[contacts[i]]))
                update_constraints(w, contacts[i]++, alpha, measure && first + i == last - 1);
            if (blocks[i] < chunks && contacts[i] >= sweep->need_contacts[blocks[i]])
                update_blocks(w, blocks[i]++, alpha);
        }
}

static void iterate(void *context, int thread, int threads)
{
    Loop *loop = context;
    const TnSolverDef *def = loop->def;
    Worker w = {loop, thread, threads};
    bool converged = def->tolerance <= 0.0;
    double change = 0.0;
    int depth = loop->sweep.chunk_count > 1 ? TN_SWEEP_DEPTH : 1, done = 0;
    while (done < def->iterations) {
        int next = done + depth < def->iterations ? done + depth : def->iterations;
        bool check = def->tolerance > 0.0 && next % CHECK_EVERY == 0;
        bool measure = check || next == def->iterations;
        sweep_once(&w, done, next, measure);
        done = next;
        if (!measure) continue;
        change = residual(loop->problem);
        tn_pool_barrier(loop->pool);
        if (def->tolerance > 0.0 && change < def->tolerance) {
            converged = true;
            break;
        }
    }
    if (thread == 0) loop->result = (TnSolveResult){done, converged, change};
}

TnSolveResult tn_subadmm_solve(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    Loop loop = {.problem = p, .def = def, .pool = pool};
    int threads = (p->contact_count + p->row_count) / CONTACTS_PER_THREAD;
    if (threads > tn_pool_threads(pool)) threads = tn_pool_threads(pool);
    if (threads <= 1) loop.pool = NULL;
    if (!tn_sweep_plan(p, CONTACTS_PER_CHUNK * (threads > 1 ? threads : 1), &loop.sweep))
        return (TnSolveResult){0};
    tn_pool_team(loop.pool, threads, iterate, &loop);
    return loop.result;
}
