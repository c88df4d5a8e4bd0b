/* aav.c: velocities of the last step's problem in the layout of qvel, its v̂ and its converged
 * solution v*, and the mass-weighted distance of two such,
 *
 *     √( dᵀ M d / Σm ),  m/s;   AAv is -log10 of that for d = v̂ - v*.
 *
 * The solver's unknowns are not qvel: free bodies and segments are twists at their centres of mass
 * in world axes, which are turned by the pose that the step began with; carried segments and nodes
 * move with their robots; of a node that pieces of a soft body share, the first copy counts. So two
 * worlds that step from the same state can be compared whatever their divisions and solvers. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../solver/converge.h"
#include "kind.h"

/* v of the problem; of what sleeps zero. */
static void write_velocity(const TnWorld *world, double *out)
{
    const TnModel *model = world->model;
    memset(out, 0, sizeof(double) * (size_t)model->dof_count);
    for (int s = 0; s < model->subsystem_count; s++)
        if (!world->state.asleep[s]) tn_kind_of(model, s)->velocity(world, s, out);
}

bool tn_world_last_velocity(const TnWorld *world, double *v)
{
    if (!world->has_problem) return false;
    write_velocity(world, v);
    return true;
}

double tn_world_velocity_distance(const TnWorld *world, const double *a, const double *b)
{
    const TnModel *model = world->model;
    double *d = tn_malloc(sizeof(double) * (size_t)(model->dof_count + 1));
    if (!d) return NAN;
    for (int k = 0; k < model->dof_count; k++) d[k] = a[k] - b[k];
    double kinetic = tn_model_energy(model, world->state.qpos, d, world->frames).kinetic;
    tn_free(d);
    return sqrt(2.0 * kinetic / model->total_mass);
}

bool tn_world_converged_velocity(TnWorld *world, int max_iterations, double *v, double *reached)
{
    TnProblem *p = &world->set.problem;
    TnSolverDef def = tn_world_solver(world);
    TnVelocities before;
    TnPerConstraint lambda;
    *reached = NAN;
    if (!world->has_problem) return false;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_velocities_alloc(p, &before) && tn_per_constraint_alloc(p, &lambda);
    if (ok) {
        tn_velocities_copy(p, &before);
        tn_lambda_take(p, &lambda);
        ok = tn_converge(p, &def, max_iterations, world->solver_memory, world->pool, reached);
        if (ok) write_velocity(world, v);
        tn_velocities_put(p, &before);
        tn_lambda_put(p, &lambda);
    }
    tn_arena_release(p->arena, mark);
    return ok;
}

double tn_world_last_aav(TnWorld *world, int max_iterations, double *reached)
{
    size_t count = (size_t)world->model->dof_count + 1;
    double *v = tn_malloc(sizeof(double) * 2 * count), distance = NAN;
    *reached = NAN;
    if (v && tn_world_last_velocity(world, v) &&
        tn_world_converged_velocity(world, max_iterations, v + count, reached))
        distance = tn_world_velocity_distance(world, v, v + count);
    tn_free(v);
    return distance < 1e-16 ? 16.0 : -log10(distance); /* NaN stays */
}
