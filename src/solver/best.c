/* best.c: see best.h. */
#include "best.h"

#include "compliant.h"
#include "parts.h"

bool tn_best_start(TnProblem *p, double tolerance, TnBest *out)
{
    *out =
        (TnBest){.problem = p, .tolerance = tolerance, .map.largest = INFINITY, .error = INFINITY};
    return tn_compliances(p, &out->D) && tn_velocities_alloc(p, &out->implied) &&
           tn_per_constraint_alloc(p, &out->u) && tn_per_constraint_alloc(p, &out->lambda) &&
           tn_per_constraint_alloc(p, &out->best_lambda);
}

/* Constraints that contradict each other drive forces up until rounding hides the contradiction.
 * Such forces are never the best, whatever their map. */
bool tn_best_look(TnBest *best)
{
    TnProblem *p = best->problem;
    if (p->parts) tn_parts_tell_forces(p->parts);
    tn_velocities_touched(p, &best->implied);
    tn_constraint_velocities(p, &best->implied, &best->u);
    tn_lambda_take(p, &best->lambda);
    if (p->give) tn_add_give(p, &best->lambda, &best->u);
    best->map = tn_natural_map(p, &best->D, &best->u, &best->lambda);
    best->absurd = false;
    if (!(best->map.largest < best->error)) return tn_best_done(best);
    double rounding = tn_natural_map_rounding(p, &best->D, &best->lambda);
    best->absurd = !(rounding < best->tolerance);
    if (best->absurd) {
        best->map.largest = fmax(best->map.largest, rounding);
    } else {
        best->error = best->map.largest;
        tn_per_constraint_copy(&best->best_lambda, &best->lambda);
    }
    return tn_best_done(best);
}

bool tn_best_again(TnBest *best, double tolerance)
{
    best->tolerance = tolerance;
    best->error = INFINITY;
    return tn_best_look(best);
}

double tn_best_rigid_error(TnBest *best)
{
    const TnProblem *p = best->problem;
    if (!p->give) return best->map.largest;
    tn_constraint_velocities(p, &best->implied, &best->u);
    return tn_natural_map(p, &best->D, &best->u, &best->lambda).largest;
}

void tn_best_return(TnBest *best)
{
    tn_lambda_put(best->problem, &best->best_lambda);
    tn_best_look(best);
}
