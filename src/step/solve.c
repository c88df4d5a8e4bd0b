/* solve.c: the step's constraints and their solution, lines 4 to 14 of the algorithm. */
#include <math.h>
#include <string.h>

#include "../model/thresholds.h"
#include "../ranks/near.h"
#include "../subsystem/kind.h"

/* What an error of the tolerance's size does to a gap in some steps. */
static double gaps_to_leave(const TnStep *step)
{
    const TnSolverDef def = tn_world_solver(step->world);
    if (!tn_solves_to_tolerance(&def)) return 0.0;
    return TN_ERRORS * def.tolerance * (def.velocity_scale * step->t);
}

double tn_step_slow(const TnStep *step)
{
    /* what moves by v⁺, or nearly so, has forces of the start */
    if (step->world->at_start || step->model->option.theta != 0.5) return -INFINITY;
    return TN_SLOW * tn_world_velocity_scale(step->world);
}

/* From the last solution of this step, where there was one. */
bool tn_step_build(TnStep *step, bool again)
{
    TnWorld *world = step->world;
    TnProblem last = world->set.problem;
    step->constraint = (TnConstraintInput){.model = step->model,
                                           .state = &world->state,
                                           .t = step->t,
                                           .theta = step->model->option.theta,
                                           .warm_start = tn_solver_warm_start(&world->def.solver),
                                           .leave = gaps_to_leave(step),
                                           .slow = tn_step_slow(step),
                                           .frames = world->frames,
                                           .twists = (const double(*)[6])world->twists,
                                           .end_twists = (const double(*)[6])step->free.twists,
                                           .division = world->division,
                                           .systems = step->systems,
                                           .mesh_memory = world->mesh_memory,
                                           .end_qvel = step->free.qvel,
                                           .contacts = &world->contacts,
                                           .inputs = step->dynamics.inputs,
                                           .found = step->about.vhat,
                                           .paths = &step->about.paths,
                                           .since = step->hits.since,
                                           .blend = step->plan.blend,
                                           .arena = &world->arena,
                                           .pool = world->team};
    if (!tn_constraint_build(&step->constraint, &world->set)) return false;
    world->set.problem.ranks = world->def.ranks;
    if (again) tn_step_start_from(step, &last);
    return true;
}

static bool iterate_fixed(TnStep *step, const TnSolverDef *def)
{
    TnWorld *world = step->world;
    TnStepReport *report = step->report;
    TnSolveResult result = {0};
    double rigid = NAN;
    bool ok = world->near ? tn_near_solve(step, def, &result, &rigid)
                          : tn_fixed_prepare(&world->set.problem, def, world->team);
    if (!world->near) tn_step_lap(step, &report->times.factor); /* parts have one time for both */
    ok = ok && (world->near || tn_fixed_iterate(&world->set.problem, def, world->solver_memory,
                                                world->team, &result));
    report->converged = result.converged;
    report->iterations = result.iterations;
    report->residual = result.residual;
    report->form = result.form;
    if (world->near && def->tolerance > 0.0) {
        report->error = result.residual / def->velocity_scale;
        report->rigid_error = rigid / def->velocity_scale;
        report->rough = report->error > 1.0;
    }
    return ok;
}

/* Trees on which no constraint acts: they move as the dynamics found already. */
static bool solve_free(TnStep *step)
{
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    const TnDivision *d = world->division;
    TnProblem *p = &world->set.problem;
    /* what falls asleep is decided by islands */
    if (p->contact_count || p->row_count || p->bond_count || p->twist_count ||
        p->large_count != d->dense_count || world->touched)
        return false;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        memcpy(tn_tree_unknowns(world, p, sub->kind_index),
               step->systems->trees[sub->kind_index].v_free,
               sizeof(double) * (size_t)sub->dof_count);
    }
    world->solution.islands.count = 0;
    return true;
}

static bool iterate_islands(TnStep *step, const TnSolverDef *def)
{
    TnWorld *world = step->world;
    TnStepReport *report = step->report;
    if (solve_free(step)) {
        report->converged = true;
        report->residual = report->error = 0.0;
        report->worst_island = -1;
        return true;
    }
    /* it finds by itself how many threads islands are worth */
    bool ok = tn_step_note_guess(step) && tn_solve(&world->set.problem, def, world->solver_memory,
                                                   world->pool, &world->solution);
    if (!ok) {
        world->solution.islands.count = 0;
        return false;
    }
    TnSolutionSummary sum = tn_solution_summary(&world->solution, def->velocity_scale);
    report->converged = sum.converged;
    report->iterations = sum.iterations;
    report->error = sum.error;
    report->rigid_error = sum.rigid_error;
    report->contradiction = sum.contradiction;
    report->rough = fmax(sum.error, sum.contradiction / def->velocity_scale) > 1.0;
    report->form = sum.form;
    report->residual = sum.error * def->velocity_scale;
    report->worst_island = sum.worst_island;
    report->island_count = world->solution.islands.count;
    memcpy(report->islands_by_method, sum.by_method, sizeof sum.by_method);
    return true;
}

bool tn_step_solve(TnStep *step, bool again)
{
    TnWorld *world = step->world;
    world->solution.refused = -1;
    TnStepReport *report = step->report;
    TnSolverDef def = tn_world_solver(world);
    const TnInstead *instead = world->instead;
    bool ok = !instead || !instead->before || instead->before(instead->context, step);
    ok = ok && tn_step_build(step, again);
    tn_step_lap(step, &report->times.constraint);
    world->by_islands = !world->near && tn_solves_to_tolerance(&def);
    if (tn_step_is_foreseen(step)) return ok && instead->solve(instead->context, step);
    return ok && (world->by_islands ? iterate_islands(step, &def) : iterate_fixed(step, &def));
}

void tn_step_note_error(TnStep *step)
{
    double error = step->report->error, tolerance = step->world->def.solver.tolerance;
    error += step->report->contradiction / tn_world_velocity_scale(step->world);
    step->found.error = isfinite(error) ? fmax(error, tolerance) : TN_FIXED_COUNT_ERROR;
}
