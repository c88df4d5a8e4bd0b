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
 * Threads share each phase and meet after it. Every number is computed by one thread in one order,
 * so that the result has the same bits for any number of threads. */
#include "problem.h"

#include <math.h>

#include "block_kind.h"

/* Iterations between two looks at the residual when a tolerance is set. */
#define CHECK_EVERY 5
/* Below this many contacts and rows two threads lose more to moving cache lines than they gain. */
#define CONTACTS_PER_THREAD 1500

typedef struct Loop {
    TnProblem *problem;
    const TnSolverDef *def;
    TnPool *pool;
    TnSolveResult result;
} Loop;

/* One thread's view of the loop. */
typedef struct Worker {
    Loop *loop;
    int thread, threads;
} Worker;

static void share(const Worker *w, int count, int *begin, int *end)
{
    *begin = (int)((long)count * w->thread / w->threads);
    *end = (int)((long)count * (w->thread + 1) / w->threads);
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

static void update_constraints(const Worker *w, double alpha, bool measure)
{
    TnProblem *p = w->loop->problem;
    int begin, end;
    share(w, p->contact_batches, &begin, &end);
    p->kernels->contact_update(p->contact_batch, begin, end, (const double(*)[8])p->twist,
                               p->lambda, alpha, measure ? p->residual : NULL);
    share(w, p->row_count, &begin, &end);
    tn_rows_update(p, begin, end, alpha, measure);
    tn_pool_barrier(w->loop->pool);
    if (p->spins) { /* bounded by this iteration's normal forces */
        if (w->thread == 0) tn_rows_update_spins(p, alpha, measure);
        tn_pool_barrier(w->loop->pool);
    }
}

static void update_blocks(const Worker *w, double alpha)
{
    TnProblem *p = w->loop->problem;
    for (int k = 0; k < TN_BLOCK_KIND_COUNT; k++) {
        int begin, end;
        share(w, tn_block_kinds[k]->unit_count(p), &begin, &end);
        tn_block_kinds[k]->update(p, begin, end, alpha);
    }
    tn_pool_barrier(w->loop->pool);
}

static void iterate(void *context, int thread, int threads)
{
    Loop *loop = context;
    const TnSolverDef *def = loop->def;
    Worker w = {loop, thread, threads};
    bool converged = def->tolerance <= 0.0;
    double change = 0.0;
    int done = 0;
    while (done < def->iterations) {
        double alpha = done == 0 ? 1.0 : def->over_relaxation;
        bool check = def->tolerance > 0.0 && (done + 1) % CHECK_EVERY == 0;
        bool measure = check || done + 1 == def->iterations;
        update_constraints(&w, alpha, measure);
        update_blocks(&w, alpha);
        done++;
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
    if (threads <= 1) loop.pool = NULL;
    tn_pool_team(loop.pool, threads, iterate, &loop);
    return loop.result;
}
