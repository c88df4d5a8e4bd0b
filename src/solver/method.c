/* method.c: one island by SubADMM. */
#include <math.h>

#include "solve.h"

__attribute__((weak)) TnPlanCache *tn_plan_cache_create(void)
{
    static char none;
    return (TnPlanCache *)&none;
}
__attribute__((weak)) void tn_plan_cache_destroy(TnPlanCache *cache) { (void)cache; }
__attribute__((weak)) void tn_plan_cache_trim(TnPlanCache *cache) { (void)cache; }

bool tn_solve_island(TnProblem *p, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                     TnIslandResult *out)
{
    (void)plans;
    TnSolverDef inner = *def;
    inner.tolerance *= 0.1 * def->velocity_scale;
    TnVelocities v;
    if (!tn_problem_prepare_H(p, &inner, pool) || !tn_velocities_alloc(p, &v)) return false;
    TnSolveResult result = tn_subadmm_solve(p, &inner, pool);
    tn_velocities_implied(p, &v);
    double error = tn_problem_error(p, &v) / def->velocity_scale;
    *out = (TnIslandResult){
        .report = {.method = TN_METHOD_SUBADMM,
                   .why = "there is no other",
                   .converged = error < def->tolerance,
                   .error = error,
                   .subadmm_iterations = result.iterations},
        .worst = p->contact_count ? TN_A_CONTACT : p->row_count ? TN_A_ROW : TN_A_BOND};
    return true;
}
