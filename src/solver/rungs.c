/* rungs.c: the rungs of choose.c that solve with the island's matrix, or that were asked for. */
#include "rungs.h"

#include "block/block.h"
#include "method/own_method.h"

/* Newton is considered up to so many blocks, if a factorization takes at most TN_FLOPS_PER_CONTACT
 * per constraint. */
#define FEW_BLOCKS 150
#define COLD_SWEEPS 10 /* of Gauss-Seidel, for Newton to start from */
#define FAR 0.3        /* velocity_scale: then sweeps come before interior points */
#define FIRST_SWEEPS 20

/* Judges what `method` has left. */
bool tn_rung_judge(TnIslandSolve *s, TnMethod method)
{
    double before = s->best.error;
    tn_best_look(&s->best);
    if (s->best.error < before) s->best_method = method;
    s->report.method = method;
    return tn_rung_done(s);
}

void tn_rung_go_back(TnIslandSolve *s)
{
    tn_best_return(&s->best);
    s->report.method = s->best_method;
}

bool tn_has_large_factors(const TnProblem *p)
{
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].kind->eliminates) return true;
    return false;
}

bool tn_has_few_blocks(const TnProblem *p) { return p->twist_count + p->large_count <= FEW_BLOCKS; }

/* Beside SubADMM's iterations, or beside what the blocks' own factors have cost already. */
bool tn_is_cheap(const TnProblem *p, double flops)
{
    double constraints = p->contact_count + p->row_count + 6.0 * p->bond_count, own = 0.0;
    for (int i = 0; i < p->large_count; i++)
        own += p->large[i].kind->eliminates ? p->large[i].flops : pow(p->large[i].dim, 3.0);
    return flops <= fmax(own, TN_FLOPS_PER_CONTACT * constraints);
}

static bool is_cold(const TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (p->lambda[c][k] != 0.0) return false;
    for (int r = 0; r < p->row_count; r++)
        if (p->rows[r].lambda != 0.0) return false;
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++)
            if (p->bonds[i].lambda[k] != 0.0) return false;
    return true;
}

/* The island's matrix, once. False: no memory. */
bool tn_rung_assemble(TnIslandSolve *s)
{
    if (s->is_assembled) return true;
    s->failed = (s->split && !tn_blocks_restore_S(s->problem, s->pool)) ||
                !tn_assembly_build(s->problem, s->plans, &s->assembly);
    return s->is_assembled = !s->failed;
}

/* ---- methods on the island's matrix ---- */

/* All that it leaves is forces, so its memory is free for the next. */
static bool second_order(TnIslandSolve *s, TnMethod name, TnSecondOrder *method,
                         const TnPerConstraint *u, int steps)
{
    TnMethodResult result;
    size_t mark = tn_arena_mark(s->problem->arena);
    bool ok = method(&s->assembly, s->problem, &s->best.D, u, s->best.tolerance, steps, &result);
    tn_arena_release(s->problem->arena, mark);
    if (!ok) return false;
    s->report.newton_steps += result.iterations;
    s->report.factorizations += result.factorizations;
    tn_rung_judge(s, name);
    if (s->best.absurd) tn_rung_go_back(s);
    return true;
}

/* Forces of the last step that are this far off tell nothing, and less than a few sweeps of
 * Gauss-Seidel do. */
static bool is_far(const TnIslandSolve *s)
{
    return s->best.error > FAR * s->def->velocity_scale && !tn_has_large_factors(s->problem);
}

static bool sweep(TnIslandSolve *s, int count)
{
    TnOwnResult result;
    TnSolverDef def = *s->def;
    def.iterations = count;
    TnOwnInput in = {.problem = s->problem, .def = &def, .D = &s->best.D, .pool = s->pool};
    size_t mark = tn_arena_mark(s->problem->arena);
    bool ok = tn_pgs(&in, &result);
    tn_arena_release(s->problem->arena, mark);
    if (!ok) return false;
    s->report.sweeps += result.iterations;
    tn_rung_judge(s, TN_METHOD_PGS);
    return true;
}

bool tn_rung_newton(TnIslandSolve *s, int budget)
{
    return (!is_cold(s->problem) || sweep(s, COLD_SWEEPS)) &&
           second_order(s, TN_METHOD_NEWTON, tn_newton, &s->best.u, budget);
}

bool tn_rung_interior(TnIslandSolve *s, int budget)
{
    if (!is_far(s)) return second_order(s, TN_METHOD_INTERIOR, tn_interior, NULL, budget);
    if (!sweep(s, FIRST_SWEEPS)) return false;
    return tn_rung_done(s) || second_order(s, TN_METHOD_INTERIOR, tn_interior, &s->best.u, budget);
}
bool tn_rung_interior_from_here(TnIslandSolve *s, int budget)
{
    return second_order(s, TN_METHOD_INTERIOR, tn_interior, &s->best.u, budget);
}
bool tn_rung_proximal(TnIslandSolve *s, int budget)
{
    return second_order(s, TN_METHOD_PROXIMAL, tn_proximal, &s->best.u, budget);
}

/* ---- methods that run by themselves ---- */

static bool judge_watched(void *context, const TnSolveResult *so_far)
{
    (void)so_far;
    TnIslandSolve *s = context;
    return tn_rung_judge(s, s->report.method);
}

bool tn_rung_own(TnIslandSolve *s, TnMethod method, int budget)
{
    TnOwnResult result;
    TnSolverDef def = *s->def;
    def.method = method;
    def.iterations = budget;
    TnOwnInput in = {.problem = s->problem,
                     .def = &def,
                     .D = tn_own_prepares(&def) ? NULL : &s->best.D,
                     .plans = s->plans,
                     .pool = s->pool,
                     .watch = {judge_watched, s}};
    s->report.method = method;
    if (!tn_own_prepare(s->problem, &def, s->pool) || !tn_own_run(&def)(&in, &result)) return false;
    s->report.own_iterations += result.iterations;
    s->report.factorizations += result.factorizations;
    s->form = result.form;
    tn_rung_judge(s, method);
    return true;
}
