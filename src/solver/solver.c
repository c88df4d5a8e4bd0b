/* solver.c: the public solver (tenon/solver.h): collects a user's blocks and constraints and hands
 * them to subadmm.c or, with a tolerance, to solve.c as a problem of dense blocks. A friction
 * constraint's Jacobian on a block becomes a port whose linear rows are that Jacobian. */
#include "anderson.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "solve.h"

TnSolverDef tn_solver_def(void)
{
    return (TnSolverDef){.method = TN_METHOD_AUTO,
                         .form = TN_ADMM_REDUCED,
                         .weights = TN_WEIGHTS_COMPLIANCE,
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
    static const char *const names[TN_METHOD_COUNT] = {"auto", "subadmm", "assembled", "newton",
                                                       "pgs",  "pj",      "fadmm",     "nnewton"};
    return names[method];
}

TnStatus tn_solver_def_check(const TnSolverDef *def, TnError *err)
{
    TnError local = {0};
    if (!err) err = &local;
    int before = err->count;
    if (def->method < TN_METHOD_AUTO || def->method >= TN_METHOD_COUNT)
        tn_error_add(err, TN_ERROR_USAGE, "solver: unknown method %d", (int)def->method);
    if (def->contact_model != TN_CONTACT_EXACT && def->contact_model != TN_CONTACT_RELAXED)
        tn_error_add(err, TN_ERROR_USAGE, "solver: unknown contact model %d",
                     (int)def->contact_model);
    if (def->contact_model == TN_CONTACT_RELAXED &&
        (def->tolerance != 0.0 || def->method > TN_METHOD_SUBADMM))
        tn_error_add(err, TN_ERROR_USAGE,
                     "solver: the relaxed contact model is one of SubADMM with a fixed number of "
                     "iterations only: tolerance 0, method auto or subadmm");
    if (def->form != TN_ADMM_REDUCED && def->form != TN_ADMM_PAPER)
        tn_error_add(err, TN_ERROR_USAGE, "solver: unknown form %d", (int)def->form);
    if (def->weights != TN_WEIGHTS_COMPLIANCE && def->weights != TN_WEIGHTS_PAPER)
        tn_error_add(err, TN_ERROR_USAGE, "solver: unknown weights %d", (int)def->weights);
    if (def->iterations < 1 || def->iterations > 1000000)
        tn_error_add(err, TN_ERROR_USAGE, "solver: iterations is %d, must be 1 to 1000000",
                     def->iterations);
    if (!(def->tolerance >= 0.0) || isinf(def->tolerance))
        tn_error_add(err, TN_ERROR_USAGE, "solver: tolerance is %g, must be 0 or more",
                     def->tolerance);
    bool assembled = def->method == TN_METHOD_ASSEMBLED || def->method == TN_METHOD_NEWTON;
    if (assembled && def->tolerance == 0.0)
        tn_error_add(err, TN_ERROR_USAGE,
                     "solver: method assembled or newton needs a tolerance above 0; a fixed number "
                     "of iterations is method subadmm");
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
    if (assembled && def->form == TN_ADMM_PAPER)
        tn_error_add(err, TN_ERROR_USAGE, "solver: the paper's form is one of SubADMM only");
    if (def->anderson < -1 || def->anderson > TN_ANDERSON_MAX)
        tn_error_add(err, TN_ERROR_USAGE, "solver: anderson is %d, must be -1 to %d", def->anderson,
                     TN_ANDERSON_MAX);
    if (def->nesterov && def->anderson > 0)
        tn_error_add(err, TN_ERROR_USAGE,
                     "solver: nesterov and anderson accelerate the same loop: set one of them");
    if (def->nesterov && def->form == TN_ADMM_PAPER)
        tn_error_add(err, TN_ERROR_USAGE, "solver: the paper's form has no nesterov");
    if (def->adaptive_weights && def->form == TN_ADMM_PAPER)
        tn_error_add(err, TN_ERROR_USAGE, "solver: the paper's form has no adaptive weights");
    if (def->thread_count < 1 || def->thread_count > 64)
        tn_error_add(err, TN_ERROR_USAGE, "solver: thread_count is %d, must be 1 to 64",
                     def->thread_count);
    return err->count > before ? TN_ERROR_USAGE : TN_OK;
}

typedef struct Block {
    int dim, offset;
    double *A;
} Block;

typedef struct Constraint {
    TnSet set;
    int side_count, rows, offset; /* offset of its first number in λ */
    int block[TN_MAX_SIDES];      /* from 0 */
    double *J[TN_MAX_SIDES];
    double e[3], mu, k, alpha, lower, upper;
} Constraint;

struct TnSolver {
    TnSolverDef def;
    TnPool *pool;
    TnArena arena;
    TnSolverMemory *memory;
    TnError problems; /* what was added wrongly, reported by prepare */
    Block *blocks;
    Constraint *constraints;
    int block_count, block_capacity, constraint_count, constraint_capacity;
    int unknown_count, lambda_count;
    bool prepared;
    double *v, *lambda; /* the last solution */
};

TnSolver *tn_solver_create(const TnSolverDef *def, TnError *err)
{
    if (tn_solver_def_check(def, err) != TN_OK) return NULL;
    TnSolver *solver = tn_calloc(1, sizeof *solver);
    if (solver) {
        solver->def = *def;
        solver->pool = tn_pool_create(def->thread_count);
        solver->memory = tn_solver_memory_create(def->thread_count);
        if (!solver->pool || !solver->memory || !tn_arena_init(&solver->arena, "solver", 1 << 16)) {
            tn_solver_destroy(solver);
            solver = NULL;
        }
    }
    if (!solver) tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory or no threads");
    return solver;
}

void tn_solver_destroy(TnSolver *solver)
{
    if (!solver) return;
    for (int i = 0; i < solver->block_count; i++) tn_free(solver->blocks[i].A);
    for (int i = 0; i < solver->constraint_count; i++)
        for (int s = 0; s < TN_MAX_SIDES; s++) tn_free(solver->constraints[i].J[s]);
    tn_free(solver->blocks);
    tn_free(solver->constraints);
    tn_free(solver->v);
    tn_free(solver->lambda);
    tn_arena_free(&solver->arena);
    tn_solver_memory_destroy(solver->memory);
    tn_pool_destroy(solver->pool);
    tn_free(solver);
}

static double *copy_numbers(const double *numbers, size_t count, bool *finite)
{
    double *copy = tn_malloc(count * sizeof(double));
    if (!copy) return NULL;
    memcpy(copy, numbers, count * sizeof(double));
    for (size_t i = 0; i < count; i++)
        if (!isfinite(copy[i])) *finite = false;
    return copy;
}

/* Room for one more; false: no memory. */
static bool grow(void **array, int count, int *capacity, size_t size)
{
    if (count < *capacity) return true;
    int wanted = *capacity ? 2 * *capacity : 16;
    void *bigger = tn_realloc(*array, (size_t)wanted * size);
    if (!bigger) return false;
    *array = bigger;
    *capacity = wanted;
    return true;
}

TnBlockId tn_solver_add_block(TnSolver *solver, const TnBlockDef *def)
{
    TnError *err = &solver->problems;
    int id = solver->block_count + 1;
    solver->prepared = false;
    if (def->dim < 1 || !def->A) {
        tn_error_add(err, TN_ERROR_USAGE, "block %d: needs dim > 0 and a matrix A", id);
        return 0;
    }
    bool finite = true;
    size_t square = (size_t)def->dim * (size_t)def->dim;
    double *A = copy_numbers(def->A, square, &finite);
    if (!A || !grow((void **)&solver->blocks, solver->block_count, &solver->block_capacity,
                    sizeof(Block))) {
        tn_free(A);
        tn_error_add(err, TN_ERROR_MEMORY, "block %d: no memory", id);
        return 0;
    }
    if (!finite)
        tn_error_add(err, TN_ERROR_USAGE, "block %d: A has a number that is not finite", id);
    double largest = 0.0;
    for (size_t i = 0; i < square; i++) largest = fmax(largest, fabs(A[i]));
    for (int i = 0; i < def->dim; i++)
        for (int j = 0; j < i; j++)
            if (fabs(A[i * def->dim + j] - A[j * def->dim + i]) > 1e-9 * largest) {
                tn_error_add(err, TN_ERROR_USAGE, "block %d: A is not symmetric at (%d, %d)", id, i,
                             j);
                i = def->dim; /* one report is enough */
                break;
            }
    solver->blocks[solver->block_count++] = (Block){def->dim, solver->unknown_count, A};
    solver->unknown_count += def->dim;
    return id;
}

TnConstraintId tn_solver_add_constraint(TnSolver *solver, const TnConstraintDef *def)
{
    TnError *err = &solver->problems;
    int id = solver->constraint_count + 1, before = err->count;
    solver->prepared = false;
    Constraint c = {.set = def->set,
                    .rows = def->set == TN_SET_FRICTION ? 3 : 1,
                    .offset = solver->lambda_count,
                    .mu = def->mu,
                    .k = def->k,
                    .alpha = def->alpha,
                    .lower = def->lower,
                    .upper = def->upper};
    memcpy(c.e, def->e, sizeof c.e);
    bool finite = true, memory = true;
    for (int i = 0; i < c.rows; i++) finite = finite && isfinite(c.e[i]);
    while (c.side_count < TN_MAX_SIDES && def->block[c.side_count]) {
        int s = c.side_count, block = def->block[s] - 1;
        if (block < 0 || block >= solver->block_count || !def->J[s]) {
            tn_error_add(err, TN_ERROR_USAGE,
                         "constraint %d: side %d needs a block added before and its J", id, s + 1);
            break;
        }
        c.block[s] = block;
        c.J[s] =
            copy_numbers(def->J[s], (size_t)c.rows * (size_t)solver->blocks[block].dim, &finite);
        memory = memory && c.J[s];
        c.side_count++;
    }
    if (c.side_count == 0 && err->count == before)
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: touches no block", id);
    if (c.set == TN_SET_FRICTION && c.side_count > 2)
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: friction acts between at most two blocks",
                     id);
    if (!finite)
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: J or e has a number that is not finite",
                     id);
    if (c.set == TN_SET_FRICTION && !(c.mu >= 0.0 && isfinite(c.mu)))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: mu is %g, must be 0 or more", id, c.mu);
    if (c.set == TN_SET_SOFT && !(c.k > 0.0 && c.alpha > 0.0 && isfinite(c.k) && isfinite(c.alpha)))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: a soft one needs k > 0 and alpha > 0",
                     id);
    if (c.set == TN_SET_BOX && !(c.lower <= c.upper))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: lower is above upper", id);
    if (!memory || !grow((void **)&solver->constraints, solver->constraint_count,
                         &solver->constraint_capacity, sizeof c)) {
        tn_error_add(err, TN_ERROR_MEMORY, "constraint %d: no memory", id);
        memory = false;
    }
    if (!memory || err->count > before) {
        for (int s = 0; s < TN_MAX_SIDES; s++) tn_free(c.J[s]);
        return 0;
    }
    solver->constraints[solver->constraint_count++] = c;
    solver->lambda_count += c.rows;
    return id;
}

/* Lays the problem out in the arena. Ports of one block must follow each other: they are counted
 * first. */
static bool build(TnSolver *solver, TnProblem *p)
{
    TnProblemSize size = {.larges = solver->block_count};
    for (int i = 0; i < solver->constraint_count; i++) {
        const Constraint *c = &solver->constraints[i];
        if (c->set == TN_SET_FRICTION) {
            size.contacts++;
            size.ports += c->side_count;
        } else {
            size.rows++;
            size.sides += c->side_count;
            for (int s = 0; s < c->side_count; s++) size.entries += solver->blocks[c->block[s]].dim;
        }
    }
    tn_arena_reset(&solver->arena);
    if (!tn_problem_init(p, &solver->arena, size)) return false;
    int *next_port = TN_ARENA_ZERO(&solver->arena, int, solver->block_count + 1);
    if (!next_port) return false;
    for (int i = 0; i < solver->constraint_count; i++)
        if (solver->constraints[i].set == TN_SET_FRICTION)
            for (int s = 0; s < solver->constraints[i].side_count; s++)
                next_port[solver->constraints[i].block[s] + 1]++;
    for (int i = 0; i < solver->block_count; i++) {
        const Block *block = &solver->blocks[i];
        int count = next_port[i + 1];
        next_port[i + 1] += next_port[i];
        if (!tn_problem_set_dense(p, i, block->dim, next_port[i], count)) return false;
        memcpy(p->large[i].A, block->A, sizeof(double) * (size_t)block->dim * (size_t)block->dim);
        memcpy(p->large[i].v, solver->v + block->offset, sizeof(double) * (size_t)block->dim);
    }
    const double zero[3] = {0}, axis[3] = {1.0, 0.0, 0.0};
    double warm = tn_solver_warm_start(&solver->def);
    int contact = 0, row = 0, side = 0, entry = 0;
    for (int i = 0; i < solver->constraint_count; i++) {
        const Constraint *c = &solver->constraints[i];
        const double *lambda = solver->lambda + c->offset;
        if (c->set == TN_SET_FRICTION) {
            /* λ acts with +J on row b; a second block enters with its own sign, so its port carries
             * -J as side a */
            int rows[2] = {0, 0};
            for (int s = 0; s < c->side_count; s++) {
                int port = next_port[c->block[s]]++, dim = solver->blocks[c->block[s]].dim;
                if (!tn_problem_set_port(p, port, c->block[s])) return false;
                for (int k = 0; k < 3 * dim; k++)
                    p->ports[port].T[k] = s ? -c->J[s][k] : c->J[s][k];
                rows[s] = p->port_row + port;
            }
            double start[3];
            for (int k = 0; k < 3; k++) start[k] = warm * lambda[k];
            tn_problem_set_contact(p, contact++, rows[1], rows[0], zero, zero, axis, c->e, c->mu,
                                   start);
            continue;
        }
        static const TnRowSet sets[] = {[TN_SET_EQUALITY] = TN_ROW_EQUALITY,
                                        [TN_SET_INEQUALITY] = TN_ROW_INEQUALITY,
                                        [TN_SET_SOFT] = TN_ROW_SOFT,
                                        [TN_SET_BOX] = TN_ROW_BOX};
        double start = warm * lambda[0];
        p->rows[row++] = (TnRow){.set = sets[c->set],
                                 .side_start = side,
                                 .side_count = c->side_count,
                                 .e = c->e[0],
                                 .k = c->k,
                                 .alpha = c->alpha,
                                 .lower = c->lower,
                                 .upper = c->upper,
                                 .t = start,
                                 .lambda = start};
        for (int s = 0; s < c->side_count; s++) {
            int dim = solver->blocks[c->block[s]].dim;
            p->sides[side++] = (TnRowSide){.block = c->block[s], .start = entry, .count = dim};
            for (int k = 0; k < dim; k++, entry++) {
                p->index[entry] = k;
                p->coefficient[entry] = c->J[s][k];
            }
        }
    }
    return true;
}

TnStatus tn_solver_prepare(TnSolver *solver, TnError *err)
{
    TnError *problems = &solver->problems;
    if (problems->count == 0) {
        tn_free(solver->v);
        tn_free(solver->lambda);
        solver->v = tn_calloc((size_t)solver->unknown_count, sizeof(double));
        solver->lambda = tn_calloc((size_t)solver->lambda_count, sizeof(double));
        TnProblem p;
        if (!solver->v || !solver->lambda || !build(solver, &p))
            tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory");
        else if (!tn_problem_prepare(&p, &solver->def, solver->pool))
            tn_error_add(err, TN_ERROR_USAGE, "solver: a block's A is not positive definite");
        else {
            solver->prepared = true;
            return TN_OK;
        }
        return err ? err->code : TN_ERROR_USAGE;
    }
    if (err) *err = *problems;
    return problems->code;
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
        if (!ok || !tn_problem_prepare_A(p, solver->pool)) return false; /* for the accuracy */
        TnSolutionSummary sum = tn_solution_summary(&solution);
        report->error = sum.error;
        report->island_count = solution.islands.count;
        memcpy(report->islands_by_method, sum.by_method, sizeof sum.by_method);
        result = (TnSolveResult){sum.iterations, sum.converged, sum.error * def->velocity_scale,
                                 sum.form};
    } else {
        if (!tn_fixed_prepare(p, def, solver->pool) ||
            !tn_fixed_iterate(p, def, solver->memory, solver->pool, &result))
            return false;
        tn_solver_memory_reset(solver->memory, &bytes);
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
    if (!solver->prepared) return report;
    TnProblem p;
    report.status = TN_ERROR_MEMORY;
    if (!build(solver, &p)) return report;
    for (int i = 0; i < solver->block_count; i++)
        memcpy(p.large[i].b, b + solver->blocks[i].offset, sizeof(double) * (size_t)p.large[i].dim);
    if (!solve(solver, &p, &report)) return report;
    report.status = TN_OK;
    for (int i = 0; i < solver->block_count; i++)
        memcpy(solver->v + solver->blocks[i].offset, p.large[i].v,
               sizeof(double) * (size_t)p.large[i].dim);
    for (int i = 0, contact = 0, row = 0; i < solver->constraint_count; i++) {
        const Constraint *c = &solver->constraints[i];
        if (c->set == TN_SET_FRICTION)
            tn_problem_contact_lambda(&p, contact++, solver->lambda + c->offset);
        else
            solver->lambda[c->offset] = p.rows[row++].lambda;
    }
    memcpy(v, solver->v, sizeof(double) * (size_t)solver->unknown_count);
    if (lambda) memcpy(lambda, solver->lambda, sizeof(double) * (size_t)solver->lambda_count);
    return report;
}
