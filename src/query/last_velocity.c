/* last_velocity.c: velocities of the last step's problem in the layout of qvel, its own and those
 * of another solver, and the mass-weighted distance of two such, √( dᵀ M d / Σm ), m/s.
 *
 * The solver's unknowns are not qvel: free bodies and segments are twists at their centres of mass
 * in world axes, which are turned by the pose that the step began with; carried segments and nodes
 * move with their robots; of a node that pieces of a soft body share, the first copy counts. So two
 * worlds that step from the same state can be compared whatever their divisions and solvers. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../device/device.h"
#include "../solver/solve.h"
#include "../subsystem/kind.h"

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
    if (!world || !v || !world->has_problem) return false;
    write_velocity(world, v);
    return true;
}

double tn_world_velocity_distance(const TnWorld *world, const double *a, const double *b)
{
    if (!world || !a || !b) return NAN;
    const TnModel *model = world->model;
    double *d = tn_malloc(sizeof(double) * (size_t)(model->dof_count + 1));
    if (!d) return NAN;
    for (int k = 0; k < model->dof_count; k++) d[k] = a[k] - b[k];
    tn_world_fetch(world);
    double kinetic = tn_model_energy(model, world->state.qpos, d, world->frames).kinetic;
    tn_free(d);
    return sqrt(2.0 * kinetic / model->total_mass);
}

/* The problem's own v and λ change. */
static bool solve_again(TnWorld *world, const TnSolverDef *def, double *residual)
{
    TnProblem *p = &world->set.problem;
    TnSolverMemory *memory = world->solver_memory;
    TnSolveResult result;
    TnSolution solution;
    size_t bytes;
    bool by_islands = tn_solves_to_tolerance(def);
    bool ok = by_islands ? tn_solve(p, def, memory, world->pool, &solution)
                         : tn_fixed_prepare(p, def, world->pool) &&
                               tn_fixed_iterate(p, def, memory, world->pool, &result);
    tn_solver_memory_reset(memory, &bytes);
    if (!ok) return false;
    *residual =
        by_islands ? tn_solution_summary(&solution, def->velocity_scale).error * def->velocity_scale
                   : result.residual;
    return true;
}

bool tn_world_solve_again(TnWorld *world, const TnSolverDef *solver, double *v, double *residual)
{
    if (residual) *residual = NAN;
    if (!world || !solver || !v || !residual) return false;
    TnProblem *p = &world->set.problem;
    TnSolverDef def = *solver;
    TnVelocities before;
    TnPerConstraint lambda;
    if (!world->has_problem || tn_solver_def_check(&def, NULL) != TN_OK) return false;
    def.velocity_scale = tn_world_velocity_scale(world);
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_velocities_alloc(p, &before) && tn_per_constraint_alloc(p, &lambda);
    if (ok) {
        tn_velocities_copy(p, &before);
        tn_lambda_take(p, &lambda);
        ok = solve_again(world, &def, residual);
        if (ok) write_velocity(world, v);
        tn_velocities_put(p, &before);
        tn_lambda_put(p, &lambda);
    }
    tn_arena_release(p->arena, mark);
    return ok;
}
