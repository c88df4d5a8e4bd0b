/* solver_def.c: a solver's settings: defaults, names, ranges. */
#include <math.h>

#include "../../base/base.h"
#include "../method/anderson.h"

TnSolverDef tn_solver_def(void)
{
    return (TnSolverDef){.method = TN_METHOD_AUTO,
                         .iterations = 60,
                         .tolerance = 1e-6,
                         .velocity_scale = 1.0,
                         .weight_scale = 2.5,
                         .over_relaxation = 1.7,
                         .warm_start = -1.0,
                         .anderson = -1,
                         .thread_count = 1};
}

const char *tn_method_name(TnMethod method)
{
    static const char *const names[TN_METHOD_COUNT] = {
        "auto", "subadmm", "assembled", "newton", "pgs", "interior", "proximal", "small", "own"};
    return (unsigned)method < TN_METHOD_COUNT ? names[method] : "";
}

TnStatus tn_solver_def_check(const TnSolverDef *def, TnError *err)
{
    TnError local = {0};
    if (!err) err = &local;
    int before = err->count;
    if (!def) {
        tn_error_add(err, TN_ERROR_USAGE, "solver: no definition was given");
        return TN_ERROR_USAGE;
    }
    bool named = def->method >= TN_METHOD_AUTO && def->method < TN_METHOD_CHOICES;
    if (!named && !(def->method == TN_METHOD_OWN && def->own))
        tn_error_add(err, TN_ERROR_USAGE, "solver: unknown method %d", (int)def->method);
    if (def->iterations < 1 || def->iterations > 1000000)
        tn_error_add(err, TN_ERROR_USAGE, "solver: iterations is %d, must be 1 to 1000000",
                     def->iterations);
    if (!(def->tolerance >= 0.0) || isinf(def->tolerance))
        tn_error_add(err, TN_ERROR_USAGE, "solver: tolerance is %g, must be 0 or more",
                     def->tolerance);
    if (def->method == TN_METHOD_NEWTON && def->tolerance == 0.0)
        tn_error_add(err, TN_ERROR_USAGE,
                     "solver: method newton needs a tolerance above 0; for a fixed number of "
                     "iterations use subadmm");
    if (!(def->velocity_scale > 0.0) || isinf(def->velocity_scale))
        tn_error_add(err, TN_ERROR_USAGE, "solver: velocity_scale is %g, must be more than 0",
                     def->velocity_scale);
    if (!(def->weight_scale > 0.0) || isinf(def->weight_scale))
        tn_error_add(err, TN_ERROR_USAGE, "solver: weight_scale is %g, must be more than 0",
                     def->weight_scale);
    if (!(def->over_relaxation >= 1.0 && def->over_relaxation < 2.0))
        tn_error_add(err, TN_ERROR_USAGE, "solver: over_relaxation is %g, must be in [1, 2)",
                     def->over_relaxation);
    if (!(def->warm_start >= 0.0 && def->warm_start <= 1.0) && def->warm_start != -1.0)
        tn_error_add(err, TN_ERROR_USAGE, "solver: warm_start is %g, must be in [0, 1] or -1",
                     def->warm_start);
    if (def->anderson < -1 || def->anderson > TN_ANDERSON_MAX)
        tn_error_add(err, TN_ERROR_USAGE, "solver: anderson is %d, must be -1 to %d", def->anderson,
                     TN_ANDERSON_MAX);
    if (!(def->contact_ratio >= 0.0) || isinf(def->contact_ratio))
        tn_error_add(err, TN_ERROR_USAGE, "solver: contact_ratio is %g, must be 0 or more",
                     def->contact_ratio);
    if (!(def->contact_stiffness >= 0.0) || isinf(def->contact_stiffness))
        tn_error_add(err, TN_ERROR_USAGE, "solver: contact_stiffness is %g, must be 0 or more",
                     def->contact_stiffness);
    if (def->thread_count < 1 || def->thread_count > 64)
        tn_error_add(err, TN_ERROR_USAGE, "solver: thread_count is %d, must be 1 to 64",
                     def->thread_count);
    return err->count > before ? TN_ERROR_USAGE : TN_OK;
}
