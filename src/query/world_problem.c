/* world_problem.c: the last step's problem for the solver alone. */
#include "../base/base.h"
#include "../solver/alone/from_problem.h"
#include "../world/world.h"

TnSolver *tn_world_problem(const TnWorld *world, const TnSolverDef *def, TnError *err)
{
    if (!world || !def) {
        tn_error_add(err, TN_ERROR_USAGE, "world: world and def must be given");
        return NULL;
    }
    if (!world->has_problem) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "world: no problem to return: no step was taken yet, or "
                     "everything is asleep");
        return NULL;
    }
    return tn_solver_from_problem(&world->set.problem, def, NULL, err);
}
