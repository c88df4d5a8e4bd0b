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
 * Threads share the units of each phase and meet twice per iteration. Every number is computed by
 * one thread in one order, so that the result has the same bits for any number of threads. */
#include "problem.h"

#include <math.h>

#include "block_kind.h"

/* Iterations between two looks at the residual when a tolerance is set. */
#define CHECK_EVERY 5
/* Below this many contacts and rows two threads lose more to moving cache lines than they gain. */
#define CONTACTS_PER_THREAD 1500

static const TnBlockKind *const block_kinds[] = {&tn_block_twist, &tn_block_dense};
enum { KIND_COUNT = sizeof block_kinds / sizeof block_kinds[0] };

typedef struct Loop {
    TnProblem *problem;
    const TnSolverDef *def;
    TnPool *pool;
    TnSolveResult result;
} Loop;

static void share(int count, int thread, int threads, int *begin, int *end)
{
    *begin = (int)((long)count * thread / threads);
    *end = (int)((long)count * (thread + 1) / threads);
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

static void iterate(void *context, int thread, int threads)
{
    Loop *loop = context;
    TnProblem *p = loop->problem;
    const TnSolverDef *def = loop->def;
    int begin, end, row_begin, row_end, last = def->iterations;
    double change = 0.0;
    bool converged = def->tolerance <= 0.0;
    share(p->contact_batches, thread, threads, &begin, &end);
    share(p->row_count, thread, threads, &row_begin, &row_end);

    for (int i = 0; i < last; i++) {
        double alpha = i == 0 ? 1.0 : def->over_relaxation;
        bool check = def->tolerance > 0.0 && (i + 1) % CHECK_EVERY == 0;
        bool measure = check || i == last - 1;
        p->kernels->contact_update(p->contact_batch, begin, end, (const double(*)[8])p->twist,
                                   p->lambda, alpha, measure ? p->residual : NULL);
        tn_rows_update(p, row_begin, row_end, alpha, measure);
        tn_pool_barrier(loop->pool);
        if (p->spins) {
            if (thread == 0) tn_rows_update_spins(p, alpha, measure);
            tn_pool_barrier(loop->pool);
        }
        for (int k = 0; k < KIND_COUNT; k++) {
            int unit_begin, unit_end;
            share(block_kinds[k]->unit_count(p), thread, threads, &unit_begin, &unit_end);
            block_kinds[k]->update(p, unit_begin, unit_end, alpha);
        }
        if (measure) change = residual(p);
        tn_pool_barrier(loop->pool);
        if (check && change < def->tolerance) {
            converged = true;
            last = i + 1;
        }
    }
    if (thread == 0)
        loop->result = (TnSolveResult){last, converged || change < def->tolerance, change};
}

TnSolveResult tn_subadmm_solve(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    Loop loop = {.problem = p, .def = def, .pool = pool};
    int threads = (p->contact_count + p->row_count) / CONTACTS_PER_THREAD;
    if (threads <= 1) loop.pool = NULL;
    tn_pool_team(loop.pool, threads, iterate, &loop);
    return loop.result;
}
