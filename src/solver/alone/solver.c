/* solver.c: the public solver (tenon/solver.h): from what was added to a solution, once or again
 * and again with another b. What does not depend on b is done by prepare: factors of A, the layout,
 * and without a tolerance H; see solver_parts.h. */
#include <math.h>
#include <string.h>

#include "../../base/base.h"
#include "solver_parts.h"

TnSolver *tn_solver_create(const TnSolverDef *def, TnError *err)
{
    if (tn_solver_def_check(def, err) != TN_OK) return NULL;
    TnSolver *solver = tn_calloc(1, sizeof *solver);
    if (solver) {
        solver->def = *def;
        solver->alive = TN_ALIVE;
        solver->pool = tn_pool_create(def->thread_count);
        solver->memory = tn_solver_memory_create(def->thread_count);
        if (!solver->pool || !solver->memory || !tn_arena_init(&solver->arena, "solver", 1 << 16) ||
            !tn_arena_init(&solver->scratch, "solve", 1 << 16) ||
            !tn_arena_init(&solver->condensed, "condensed", 0)) {
            tn_solver_destroy(solver);
            solver = NULL;
        }
    }
    if (!solver) tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory");
    return solver;
}

void tn_solver_destroy(TnSolver *solver)
{
    TN_ASSERT_ALIVE(solver);
    if (!solver) return;
    tn_solver_free_parts(solver);
    tn_free(solver->v);
    tn_free(solver->lambda);
    tn_free(solver->shift);
    tn_arena_free(&solver->arena);
    tn_arena_free(&solver->scratch);
    tn_arena_free(&solver->condensed);
    tn_solver_memory_destroy(solver->memory);
    tn_pool_destroy(solver->pool);
    tn_free(solver);
}

/* As long as wanted, zero behind what was there; false: no memory, and nothing changed. */
static bool lengthen(double **numbers, int had, int wanted)
{
    double *longer = tn_realloc(*numbers, sizeof(double) * (size_t)(wanted + 1));
    if (!longer) return false;
    memset(longer + had, 0, sizeof(double) * (size_t)(wanted - had));
    *numbers = longer;
    return true;
}

/* What was solved before is where a new solve starts, if there is one. */
static bool make_room(TnSolver *solver, TnError *err)
{
    if (lengthen(&solver->v, solver->solved_unknowns, solver->unknown_count) &&
        lengthen(&solver->lambda, solver->solved_lambdas, solver->lambda_count) &&
        lengthen(&solver->shift, 0, solver->lambda_count)) {
        solver->solved_unknowns = solver->unknown_count;
        solver->solved_lambdas = solver->lambda_count;
        return true;
    }
    tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory");
    return false;
}

TnStatus tn_solver_prepare(TnSolver *solver, TnError *err)
{
    TN_ASSERT_ALIVE(solver);
    if (!solver) {
        tn_error_add(err, TN_ERROR_USAGE, "no solver was given");
        return TN_ERROR_USAGE;
    }
    TnError local = {0};
    if (!err) err = &local;
    if (solver->problems.count) {
        *err = solver->problems;
        return err->code;
    }
    solver->prepared = make_room(solver, err) && tn_solver_factor_blocks(solver, err) &&
                       tn_solver_condense(solver, err) && tn_solver_layout(solver, err);
    return solver->prepared ? TN_OK : err->code;
}

TnStatus tn_solver_set(TnSolver *solver, const TnSolverDef *def, TnError *err)
{
    if (!solver) {
        tn_error_add(err, TN_ERROR_USAGE, "no solver was given");
        return TN_ERROR_USAGE;
    }
    TnError local = {0};
    if (!err) err = &local;
    if (tn_solver_def_check(def, err) != TN_OK) return TN_ERROR_USAGE;
    /* condense.c */
    bool same_blocks = (def->method == TN_METHOD_OWN) == (solver->def.method == TN_METHOD_OWN);
    int threads = solver->def.thread_count;
    solver->def = *def;
    solver->def.thread_count = threads;
    if (!solver->prepared) return TN_OK;
    solver->prepared =
        (same_blocks || tn_solver_condense(solver, err)) && tn_solver_layout(solver, err);
    return solver->prepared ? TN_OK : err->code;
}

static void copy_or_clear(double *to, const double *from, int count)
{
    if (from)
        memcpy(to, from, sizeof(double) * (size_t)count);
    else
        memset(to, 0, sizeof(double) * (size_t)count);
}

void tn_solver_start(TnSolver *solver, const double *v, const double *lambda)
{
    if (!solver || !solver->prepared) return;
    copy_or_clear(solver->v, v, solver->unknown_count);
    copy_or_clear(solver->lambda, lambda, solver->lambda_count);
}

void tn_solver_solution(const TnSolver *solver, double *v, double *lambda)
{
    if (!solver || !solver->prepared) return;
    if (v) memcpy(v, solver->v, sizeof(double) * (size_t)solver->unknown_count);
    if (lambda) memcpy(lambda, solver->lambda, sizeof(double) * (size_t)solver->lambda_count);
}

/* The largest error of what no force can help, at the problem's v. False: no memory. */
static bool helpless_error(TnProblem *p, double *error)
{
    TnCompliances D;
    TnVelocities v;
    TnPerConstraint u;
    if (!tn_compliances(p, &D) || !tn_velocities_alloc(p, &v) || !tn_per_constraint_alloc(p, &u))
        return false;
    tn_velocities_copy(p, &v);
    tn_constraint_velocities(p, &v, &u);
    *error = tn_helpless_error(p, &D, &u);
    return true;
}

/* v and λ of the problem; false: no memory. */
static bool solve(TnSolver *solver, TnProblem *p, TnSolveReport *report)
{
    const TnSolverDef *def = &solver->def;
    TnSolveResult result;
    TnSolution solution;
    size_t bytes;
    if (tn_solves_to_tolerance(def)) {
        bool ok = tn_solve(p, def, solver->memory, solver->pool, &solution);
        tn_solver_memory_reset(solver->memory, &bytes);
        double helpless;
        if (!ok || !tn_problem_prepare_A(p, solver->pool) || /* for the accuracy */
            !helpless_error(p, &helpless))
            return false;
        TnSolutionSummary sum = tn_solution_summary(&solution, def->velocity_scale);
        sum.converged = sum.converged && helpless < def->tolerance * def->velocity_scale;
        sum.error = fmax(sum.error, helpless / def->velocity_scale);
        report->error = sum.error;
        report->island_count = solution.islands.count;
        memcpy(report->islands_by_method, sum.by_method, sizeof sum.by_method);
        result = (TnSolveResult){sum.iterations, sum.converged, sum.error * def->velocity_scale,
                                 sum.form};
    } else {
        bool ok = tn_fixed_prepare(p, def, solver->pool) &&
                  tn_fixed_iterate(p, def, solver->memory, solver->pool, &result);
        tn_solver_memory_reset(solver->memory, &bytes);
        if (!ok) return false;
        p->H_known = true;
    }
    report->converged = result.converged;
    report->iterations = result.iterations;
    report->residual = result.residual;
    report->form = result.form;
    TnAccuracy accuracy = tn_problem_accuracy(p);
    report->aac = accuracy.aac;
    report->aal = accuracy.aal;
    return true;
}

TnSolveReport tn_solver_solve(TnSolver *solver, const double *b, double *v, double *lambda)
{
    TnSolveReport report = {.status = TN_ERROR_USAGE, .aac = NAN, .aal = NAN, .error = NAN};
    TN_ASSERT_ALIVE(solver);
    if (!solver || !solver->prepared) return report;
    if (b && !tn_all_finite(b, (size_t)solver->unknown_count)) return report;
    tn_arena_reset(&solver->scratch);
    tn_solver_fill(solver, b);
    report.status = TN_ERROR_MEMORY;
    if (!solve(solver, &solver->problem, &report)) return report;
    report.status = TN_OK;
    tn_solver_take(solver);
    if (!tn_all_finite(solver->v, (size_t)solver->unknown_count) ||
        !tn_all_finite(solver->lambda, (size_t)solver->lambda_count)) {
        tn_solver_start(solver, NULL, NULL);
        report.converged = false;
        report.error = INFINITY;
    }
    tn_solver_solution(solver, v, lambda);
    return report;
}
