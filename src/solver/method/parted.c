/* parted.c: SubADMM by several ranks. Per iteration, on the rank's part:
 *
 *     contacts without ghosts                while velocities of ghosts are on their way
 *     they arrive; contacts with ghosts, rows, bonds
 *     blocks that other ranks need           then their velocities are sent
 *     all other blocks
 *
 * These are the sums of subadmm.c over the same lists in the same order, so the bits are, too. */
#include "parted.h"

#include "../block/block.h"
#include "../parts.h"
#include "loop.h"
#include "own_method.h"

typedef struct Loop {
    TnParts *parts;
    TnProblem *problem; /* the part */
    TnPool *pool;
    double alpha;
    bool measure;
    const TnRun *runs; /* that threads share */
} Loop;

static void contact_runs(void *context, int begin, int end)
{
    const Loop *loop = context;
    TnProblem *p = loop->problem;
    for (const TnRun *run = loop->runs + begin; run < loop->runs + end; run++) {
        p->kernels->contact_update(p->contact_batch, p->give, run->begin, run->end,
                                   (const double(*)[8])p->twist, p->lambda, loop->alpha,
                                   loop->measure ? p->residual : NULL);
        if (p->z)
            p->kernels->contact_tell(p->contact_batch, run->begin, run->end,
                                     (const double(*)[3])p->lambda, p->z);
    }
}

static void update_contacts(Loop *loop, const TnRun *runs, int count)
{
    loop->runs = runs;
    tn_pool_run(loop->pool, count, 1, contact_runs, loop);
}

static void twist_runs(void *context, int begin, int end)
{
    const Loop *loop = context;
    for (const TnRun *run = loop->runs + begin; run < loop->runs + end; run++)
        tn_twists_update(loop->problem, run->begin, run->end, loop->alpha);
}

static void update_twists(Loop *loop, const TnRun *runs, int count)
{
    loop->runs = runs;
    tn_pool_run(loop->pool, count, 1, twist_runs, loop);
}

static void large_range(void *context, int begin, int end)
{
    const Loop *loop = context;
    for (int i = begin; i < end; i++)
        loop->problem->large[i].kind->update(loop->problem, i, loop->alpha);
}

/* `sent`: velocities of ghosts are on their way. */
static void iterate(Loop *loop, double first, double alpha, bool *sent, bool last)
{
    TnParts *parts = loop->parts;
    TnProblem *p = loop->problem;
    loop->alpha = first;
    update_contacts(loop, parts->inside, parts->inside_count);
    if (*sent) tn_parts_receive(parts);
    update_contacts(loop, parts->border, parts->border_count);
    tn_rows_update(p, 0, p->row_count, first, loop->measure);
    tn_bonds_update(p, 0, p->bond_count, first, loop->measure);
    if (p->spins) tn_rows_update_spins(p, first, loop->measure);
    loop->alpha = alpha;
    update_twists(loop, parts->needed, parts->needed_count);
    *sent = !last;
    if (*sent) tn_parts_send(parts);
    update_twists(loop, parts->other, parts->other_count);
    tn_pool_run(loop->pool, p->large_count, 1, large_range, loop);
}

TnSolveResult tn_parted_run(TnParts *parts, const TnSolverDef *def, TnWatch watch, TnPool *pool)
{
    TnSolveResult result = {0};
    Loop loop = {.parts = parts, .problem = &parts->part, .pool = pool};
    bool sent = false, go = true;
    parts->part.z = parts->part.z_memory;
    while (go && result.iterations < def->iterations) {
        int number = result.iterations + 1;
        loop.measure = number == def->iterations ||
                       (watch.enough && (number % TN_CHECK_EVERY == 0 || number == TN_FIRST_LOOK));
        iterate(&loop, number == 1 ? 1.0 : def->over_relaxation, def->over_relaxation, &sent,
                number == def->iterations);
        result.iterations = number;
        if (!loop.measure) continue;
        if (!parts->near) tn_parts_tell_changes(parts);
        result.residual = tn_subadmm_residual(parts->near ? &parts->part : parts->whole);
        result.converged = true;
        if (parts->near && watch.enough && sent) { /* a look may exchange, too */
            tn_parts_receive(parts);
            sent = false;
        }
        go = !(watch.enough && watch.enough(watch.context, &result));
    }
    if (sent) tn_parts_receive(parts);
    parts->part.z = NULL;
    return result;
}

bool tn_parted_suits(const TnProblem *p, const TnSolverDef *def)
{
    return !tn_own_run(def) && def->tolerance <= 0.0 && tn_parts_suit(p, def);
}

bool tn_parted_fixed(TnProblem *p, const TnSolverDef *def, TnPool *pool, TnSolveResult *result)
{
    TnParts parts;
    if (!tn_parts_open(p, false, &parts)) return false;
    bool ok = tn_problem_prepare(&parts.part, def, pool);
    if (ok) {
        *result = tn_parted_run(&parts, def, (TnWatch){0}, pool);
        tn_subadmm_finish(&parts.part, pool);
        tn_parts_tell(&parts);
    }
    tn_parts_close(&parts);
    return ok;
}

/* What a block that eliminates keeps of its preparation holds for the whole. */
static bool may_copy(const TnProblem *p)
{
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].kind->eliminates) return false;
    return true;
}

bool tn_parted_watched(TnProblem *p, const TnSolverDef *def, TnWatch watch, TnPool *pool,
                       TnSolveResult *result)
{
    TnParts parts;
    if (p->anderson || def->tolerance > 0.0 || !may_copy(p) || !tn_parts_suit(p, def)) return false;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_parts_open(p, true, &parts);
    if (ok) {
        p->parts = &parts;
        *result = tn_parted_run(&parts, def, watch, pool);
        p->parts = NULL;
        tn_parts_tell(&parts);
        tn_parts_close(&parts);
    }
    tn_arena_release(p->arena, mark);
    return ok;
}
