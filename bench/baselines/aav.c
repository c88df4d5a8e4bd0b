/* aav.c: how far the last step of a world is from the exact solution of its problem, √(dᵀ M d / Σm)
 * with d = v̂ - v*; AAv is -log10 of that. */
#include <math.h>
#include <stdlib.h>

#include "baselines.h"
#include "converge.h"

static bool run(const TnOwnInput *in, TnOwnResult *out)
{
    *out = (TnOwnResult){.own_v = true};
    return tn_converge(in->problem, in->def, in->def->iterations, in->memory, in->pool,
                       &out->residual);
}

static const TnOwnMethod exact = {.name = "exact", .run = run, .whole = true};

bool tn_converged_velocity(TnWorld *world, const TnSolverDef *solver, int max_iterations, double *v,
                           double *reached)
{
    TnSolverDef def = *solver;
    def.method = TN_METHOD_OWN;
    def.own = &exact;
    def.iterations = max_iterations;
    return tn_world_solve_again(world, &def, v, reached);
}

const char *tn_own_name(const TnOwnMethod *method) { return method->name; }

double tn_last_aav(TnWorld *world, const TnSolverDef *solver, int max_iterations, double *reached)
{
    size_t count = (size_t)tn_model_info(tn_world_model(world)).dof_count + 1;
    double *v = malloc(sizeof(double) * 2 * count), distance = NAN;
    *reached = NAN;
    if (v && tn_world_last_velocity(world, v) &&
        tn_converged_velocity(world, solver, max_iterations, v + count, reached))
        distance = tn_world_velocity_distance(world, v, v + count);
    free(v);
    return distance < 1e-16 ? 16.0 : -log10(distance); /* NaN stays */
}
