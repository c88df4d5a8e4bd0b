/* fixed.c: a fixed number of iterations on the whole problem at once, or a method that takes all of
 * it and stops by itself. */
#include "own_method.h"
#include "parted.h"

bool tn_solves_to_tolerance(const TnSolverDef *def)
{
    return def->tolerance > 0.0 && !(def->method == TN_METHOD_OWN && def->own->whole);
}

bool tn_fixed_prepare(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    if (tn_parted_suits(p, def)) return true; /* each rank prepares its part */
    return tn_own_run(def) ? tn_problem_prepare_A(p, pool) && tn_own_prepare(p, def, pool)
                           : tn_problem_prepare(p, def, pool);
}

bool tn_fixed_iterate(TnProblem *p, const TnSolverDef *def, TnSolverMemory *memory, TnPool *pool,
                      TnSolveResult *result)
{
    TnCompliances D;
    TnVelocities implied;
    TnOwnResult done;
    TnOwnInput in = {.problem = p,
                     .def = def,
                     .D = tn_own_prepares(def) ? NULL : &D,
                     .plans = tn_solver_memory_plans(memory),
                     .memory = memory,
                     .pool = pool};
    if (tn_parted_suits(p, def)) return tn_parted_fixed(p, def, pool, result);
    if (!tn_own_run(def)) {
        *result = tn_subadmm_solve(p, def, pool);
        return true;
    }
    if ((in.D && !tn_compliances(p, &D)) || !tn_velocities_alloc(p, &implied) ||
        !tn_own_run(def)(&in, &done))
        return false;
    if (!done.own_v) {
        tn_velocities_touched(p, &implied);
        tn_velocities_finish(p, &implied);
    }
    bool converged = def->tolerance <= 0.0 || done.residual < def->tolerance;
    *result = (TnSolveResult){done.iterations, converged, done.residual, done.form};
    return true;
}
