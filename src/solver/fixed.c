/* fixed.c: a fixed number of iterations on the whole problem at once, or the paper's form until it
 * moves less than its tolerance. */
#include "baselines.h"
#include "solve.h"

TnBaseline *tn_baseline(TnMethod method)
{
    switch (method) {
    case TN_METHOD_PGS:
        return tn_pgs;
    case TN_METHOD_PJ:
        return tn_pj;
    case TN_METHOD_FADMM:
        return tn_fadmm;
    case TN_METHOD_NNEWTON:
        return tn_nnewton;
    default:
        return NULL;
    }
}

bool tn_fixed_prepare(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    return tn_baseline(def->method) ? tn_problem_prepare_A(p, pool)
                                    : tn_problem_prepare(p, def, pool);
}

static bool baseline(TnProblem *p, const TnSolverDef *def, TnSolverMemory *memory, TnPool *pool,
                     TnSolveResult *result)
{
    TnCompliances D;
    TnVelocities implied;
    TnBaselineResult done;
    TnBaselineInput in = {.problem = p,
                          .def = def,
                          .D = &D,
                          .plans = tn_solver_memory_plans(memory),
                          .pool = pool};
    if (!tn_compliances(p, &D) || !tn_velocities_alloc(p, &implied) ||
        !tn_baseline(def->method)(&in, &done))
        return false;
    if (!done.own_v) {
        tn_velocities_touched(p, &implied);
        tn_velocities_finish(p, &implied);
    }
    *result = (TnSolveResult){done.iterations, true, done.residual, done.form};
    return true;
}

bool tn_fixed_iterate(TnProblem *p, const TnSolverDef *def, TnSolverMemory *memory, TnPool *pool,
                      TnSolveResult *result)
{
    if (tn_baseline(def->method)) return baseline(p, def, memory, pool, result);
    if (def->form == TN_ADMM_PAPER) return tn_subadmm_paper_solve(p, def, result);
    *result = tn_subadmm_solve(p, def, pool);
    return true;
}
