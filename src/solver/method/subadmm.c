/* subadmm.c: subsystem-based ADMM in its smallest form (docs/solver.md).
 *
 * The paper's z and u need not be kept: after one iteration u = -λ on every side. What is left,
 * over-relaxed by α:
 *
 *     t ← (1-α) t + α (λ - B (J v + e)),   λ = Π(t)                 per constraint, in parallel
 *     F = Jᵀλ,  v = H⁻¹ (b + g + 2F),  g ← g + α (b + F - A v)     per block, in parallel
 *
 * H = A + JᵀWJ, B = 1 / Σ 1/β, g⁰ = Jᵀ(W J v⁰ - λ⁰); the first t has α = 1. With α = 1 throughout
 * these are the paper's iterates.
 * Bonds have matrices for weights and t ← … λ - W z (bonds.c).
 *
 * Each line is a phase that threads share in chunks. Every number is computed by one thread in one
 * order, so that the result has the same bits for any number of threads. */
#include "../problem.h"

#include <math.h>

#include "../block/block.h"
#include "anderson.h"
#include "loop.h"
#include "parted.h"
#include "shares.h"

#define CONTACTS_PER_BOND 6 /* what one costs */

/* TAKE and PUT are Anderson's, and spins are bounded again after it. */
typedef enum Stage { BEFORE, CONSTRAINTS, SPINS, TAKE, PUT, SPINS_AGAIN, BLOCKS } Stage;

typedef struct Loop {
    TnProblem *problem;
    const TnSolverDef *def;
    TnWatch watch;
    int chunks;
    /* of the phase under way; changed by next_stage only */
    Stage stage;
    double alpha;
    bool measure;
    int pieces;           /* of the state that is accelerated */
    TnSolveResult result; /* iterations: those finished */
} Loop;

double tn_subadmm_residual(const TnProblem *p)
{
    double sum = 0.0;
    int count = 3 * p->contact_count + p->row_count;
    for (int i = 0; i < p->contact_batches; i++) sum += p->residual[i];
    for (int r = 0; r < p->row_count; r++)
        sum += pow(tn_row_lever(&p->rows[r]) * p->rows[r].change, 2.0);
    sum += tn_bonds_residual(p, &count);
    return count ? sqrt(sum / count) : 0.0;
}

static int begin_iteration(Loop *loop)
{
    const TnSolverDef *def = loop->def;
    int number = loop->result.iterations + 1;
    loop->alpha = number == 1 ? 1.0 : def->over_relaxation;
    loop->measure =
        number == def->iterations || (def->tolerance > 0.0 && number % TN_CHECK_EVERY == 0) ||
        (loop->watch.enough && (number % TN_CHECK_EVERY == 0 || number == TN_FIRST_LOOK));
    loop->stage = CONSTRAINTS;
    return loop->chunks;
}

/* False: no more iterations. */
static bool end_iteration(Loop *loop)
{
    const TnSolverDef *def = loop->def;
    loop->result.iterations++;
    if (loop->measure) {
        loop->result.residual = tn_subadmm_residual(loop->problem);
        loop->result.converged = def->tolerance <= 0.0 || loop->result.residual < def->tolerance;
        if (def->tolerance > 0.0 && loop->result.converged) return false;
        if (loop->watch.enough && loop->watch.enough(loop->watch.context, &loop->result))
            return false;
    }
    return loop->result.iterations < def->iterations;
}

static int begin_blocks(Loop *loop)
{
    /* The first t is that of the start's y and not relaxed; g is that of the next y, as the second
     * t. Both must be relaxed alike: what g has too much or too little fades by 1-α only. */
    loop->alpha = loop->def->over_relaxation;
    loop->stage = BLOCKS;
    return loop->chunks;
}

static int next_stage(void *context)
{
    Loop *loop = context;
    TnAnderson *anderson = loop->problem->anderson;
    switch (loop->stage) {
    case BEFORE:
        return begin_iteration(loop);
    case CONSTRAINTS:
        if (loop->problem->spins) { /* bounded by this iteration's normal forces */
            loop->stage = SPINS;
            return 1;
        } /* fall through */
    case SPINS:
        if (anderson) {
            loop->pieces = tn_anderson_begin(anderson);
            loop->stage = TAKE;
            return loop->chunks;
        }
        return begin_blocks(loop);
    case TAKE:
        if (!tn_anderson_combine(anderson)) return begin_blocks(loop);
        loop->stage = PUT;
        return loop->chunks;
    case PUT:
        if (loop->problem->spins) {
            loop->stage = SPINS_AGAIN;
            return 1;
        } /* fall through */
    case SPINS_AGAIN:
        return begin_blocks(loop);
    case BLOCKS:
        break;
    }
    return end_iteration(loop) ? begin_iteration(loop) : 0;
}

static void update_constraints(const Loop *loop, int chunk)
{
    TnProblem *p = loop->problem;
    int begin, end;
    tn_share(p->contact_batches, chunk, loop->chunks, &begin, &end);
    p->kernels->contact_update(p->contact_batch, p->give, begin, end, (const double(*)[8])p->twist,
                               p->lambda, loop->alpha, loop->measure ? p->residual : NULL);
    if (p->z)
        p->kernels->contact_tell(p->contact_batch, begin, end, (const double(*)[3])p->lambda, p->z);
    tn_share(p->row_count, chunk, loop->chunks, &begin, &end);
    tn_rows_update(p, begin, end, loop->alpha, loop->measure);
    tn_share(p->bond_count, chunk, loop->chunks, &begin, &end);
    tn_bonds_update(p, begin, end, loop->alpha, loop->measure);
}

static void accelerate(const Loop *loop, int chunk)
{
    int begin, end;
    tn_share(loop->pieces, chunk, loop->chunks, &begin, &end);
    for (int piece = begin; piece < end; piece++)
        (loop->stage == TAKE ? tn_anderson_take : tn_anderson_put)(loop->problem->anderson, piece);
}

static void run_chunk(void *context, int chunk)
{
    const Loop *loop = context;
    switch (loop->stage) {
    case CONSTRAINTS:
        update_constraints(loop, chunk);
        break;
    case SPINS:
        tn_rows_update_spins(loop->problem, loop->alpha, loop->measure);
        break;
    case TAKE:
    case PUT:
        accelerate(loop, chunk);
        break;
    case SPINS_AGAIN:
        tn_rows_update_spins(loop->problem, 0.0, false); /* t as it is */
        break;
    default:
        tn_blocks_update(loop->problem, chunk, loop->chunks, loop->alpha);
    }
}

/* How many threads the work is worth, and into how many chunks they cut it. A large block belongs
 * to one thread, so the longest is the least that a share can be. */
static int worth_threads(const TnProblem *p, const TnPool *pool, int *chunks)
{
    double work = p->contact_count + p->row_count + CONTACTS_PER_BOND * p->bond_count,
           least =
               tn_pool_is_crowded(pool) ? TN_CONTACTS_PER_CROWDED_THREAD : TN_CONTACTS_PER_THREAD;
    for (int i = 0; i < p->large_count; i++) {
        double block = p->large[i].kind->work(&p->large[i]).iteration;
        work += block;
        if (block > least) least = block;
    }
    int threads = tn_pool_threads(pool);
    if (work / least < threads) threads = (int)(work / least);
    if (threads <= 1 || work - work / threads < TN_CONTACTS_OF_SHARING) return *chunks = 1;
    *chunks = threads;
    if (work > TN_CONTACTS_PER_CHUNK * TN_CHUNKS_PER_THREAD * threads)
        *chunks *= TN_CHUNKS_PER_THREAD;
    return threads;
}

TnSolveResult tn_subadmm_solve(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    TnSolveResult result = tn_subadmm_watched(p, def, (TnWatch){0}, pool);
    tn_subadmm_finish(p, pool);
    return result;
}

void tn_subadmm_finish(TnProblem *p, TnPool *pool) { tn_blocks_finish(p, pool); }

TnSolveResult tn_subadmm_watched(TnProblem *p, const TnSolverDef *def, TnWatch watch, TnPool *pool)
{
    TnSolveResult together;
    if (tn_parted_watched(p, def, watch, pool, &together)) return together;
    Loop loop = {.problem = p, .def = def, .watch = watch};
    int threads = worth_threads(p, pool, &loop.chunks);
    if (!watch.enough) loop.result.iterations = tn_shares_iterate(p, def, pool, threads);
    TnSideColumns columns;
    if (threads == 1 && tn_copies_pay(p, def) && tn_columns_reserve(p, &columns)) {
        tn_columns_fill(p, 0, p->twist_batches, &columns);
        p->columns = &columns;
    }
    p->z = p->z_memory;
    if (p->anderson) tn_anderson_start(p->anderson);
    tn_pool_phases(pool, threads, (TnPhases){next_stage, run_chunk, &loop});
    p->z = NULL;
    p->columns = NULL;
    return loop.result;
}
