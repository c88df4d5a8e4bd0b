/* solver_add.c: blocks and constraints as a user gives them: copied, checked, and read again. What
 * is wrong is kept for tn_solver_prepare, so that all of it is told at once. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "solver_parts.h"

static void *copy(const void *from, size_t bytes)
{
    void *to = tn_malloc(bytes ? bytes : 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

static bool all_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
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

/* ---- blocks ---- */

static void check_symmetric(TnError *err, int id, const double *A, int n)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) largest = fmax(largest, fabs(A[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(A[(long)i * n + j] - A[(long)j * n + i]) > 1e-9 * largest) {
                tn_error_add(err, TN_ERROR_USAGE, "block %d: A is not symmetric at (%d, %d)", id, i,
                             j);
                return; /* one report is enough */
            }
}

TnBlockId tn_solver_add_block(TnSolver *solver, const TnBlockDef *def)
{
    TnError *err = &solver->problems;
    int id = solver->block_count + 1, n = def->dim;
    solver->prepared = false;
    if (n < 1 || !def->A) {
        tn_error_add(err, TN_ERROR_USAGE, "block %d: needs dim > 0 and a matrix A", id);
        return 0;
    }
    size_t square = (size_t)n * (size_t)n;
    TnSolverBlock block = {.def = {.dim = n}, .offset = solver->unknown_count};
    bool memory = grow((void **)&solver->blocks, solver->block_count, &solver->block_capacity,
                       sizeof(TnSolverBlock));
    memory = memory && (block.def.A = copy(def->A, square * sizeof(double)));
    if (memory && def->b) memory = (block.def.b = copy(def->b, (size_t)n * sizeof(double)));
    if (!memory) {
        tn_solver_block_free(&block);
        tn_error_add(err, TN_ERROR_MEMORY, "block %d: no memory", id);
        return 0;
    }
    if (!all_finite(def->A, square))
        tn_error_add(err, TN_ERROR_USAGE, "block %d: A has a number that is not finite", id);
    if (def->b && !all_finite(def->b, (size_t)n))
        tn_error_add(err, TN_ERROR_USAGE, "block %d: b has a number that is not finite", id);
    check_symmetric(err, id, def->A, n);
    solver->blocks[solver->block_count++] = block;
    solver->unknown_count += n;
    return id;
}

/* ---- constraints ---- */

/* Columns rising, those of J along with them: few and mostly in order already. */
static void sort_columns(int *column, double *J, int count, int rows)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && column[k - 1] > column[k]; k--) {
            int c = column[k];
            column[k] = column[k - 1];
            column[k - 1] = c;
            for (int r = 0; r < rows; r++) {
                double *x = J + (long)r * count + k, t = x[0];
                x[0] = x[-1];
                x[-1] = t;
            }
        }
}

/* Copies side s; false: no memory. */
static bool add_side(TnSolver *solver, const TnConstraintDef *def, int id, int s,
                     TnSolverConstraint *c)
{
    TnError *err = &solver->problems;
    int dim = solver->blocks[def->block[s] - 1].def.dim;
    int count = def->column[s] ? def->column_count[s] : dim;
    if (count < 0 || count > dim) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: side %d has %d columns, its block has %d unknowns", id, s + 1,
                     count, dim);
        return true;
    }
    size_t numbers = (size_t)c->rows * (size_t)count;
    c->def.block[s] = def->block[s];
    double *J = copy(def->J[s], numbers * sizeof(double));
    c->def.J[s] = J;
    if (!J) return false;
    if (!all_finite(J, numbers))
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: J of side %d has a number that is not finite", id, s + 1);
    if (!def->column[s]) return true;
    int *column = copy(def->column[s], (size_t)count * sizeof(int));
    c->def.column[s] = column;
    c->def.column_count[s] = count;
    if (!column) return false;
    sort_columns(column, J, count, c->rows);
    for (int k = 0; k < count; k++)
        if (column[k] < 0 || column[k] >= dim || (k && column[k] == column[k - 1])) {
            tn_error_add(err, TN_ERROR_USAGE,
                         "constraint %d: side %d has column %d, must be 0 to %d and each once", id,
                         s + 1, column[k], dim - 1);
            break;
        }
    return true;
}

static void check_law(TnSolver *solver, const TnConstraintDef *def, int id)
{
    TnError *err = &solver->problems;
    bool rubs = def->set == TN_SET_FRICTION || def->set == TN_SET_SPIN || def->set == TN_SET_ROLL;
    if (rubs && !(def->mu >= 0.0 && isfinite(def->mu)))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: mu is %g, must be 0 or more", id,
                     def->mu);
    if ((def->set == TN_SET_SPIN || def->set == TN_SET_ROLL) &&
        (def->contact < 1 || def->contact > solver->constraint_count ||
         solver->constraints[def->contact - 1].def.set != TN_SET_FRICTION))
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: contact is %d, must be a friction constraint added before", id,
                     (int)def->contact);
    if (def->set == TN_SET_SOFT &&
        !(def->k > 0.0 && def->alpha > 0.0 && isfinite(def->k) && isfinite(def->alpha)))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: a soft one needs k > 0 and alpha > 0",
                     id);
    if (def->set == TN_SET_BOX && !(def->lower <= def->upper))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: lower is above upper", id);
}

static void free_sides(TnSolverConstraint *c)
{
    for (int s = 0; s < TN_MAX_SIDES; s++) {
        tn_free((void *)c->def.J[s]);
        tn_free((void *)c->def.column[s]);
    }
}

TnConstraintId tn_solver_add_constraint(TnSolver *solver, const TnConstraintDef *def)
{
    TnError *err = &solver->problems;
    int id = solver->constraint_count + 1, before = err->count;
    solver->prepared = false;
    if (def->set < TN_SET_EQUALITY || def->set > TN_SET_ROLL) {
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: unknown set %d", id, (int)def->set);
        return 0;
    }
    TnSolverConstraint c = {
        .def = *def, .rows = tn_set_rows(def->set), .offset = solver->lambda_count};
    memset(c.def.block, 0, sizeof c.def.block);
    memset(c.def.J, 0, sizeof c.def.J);
    memset(c.def.column, 0, sizeof c.def.column);
    memset(c.def.column_count, 0, sizeof c.def.column_count);
    bool memory = true;
    while (memory && c.side_count < TN_MAX_SIDES && def->block[c.side_count]) {
        int s = c.side_count, block = def->block[s];
        if (block < 1 || block > solver->block_count || !def->J[s]) {
            tn_error_add(err, TN_ERROR_USAGE,
                         "constraint %d: side %d needs a block added before and its J", id, s + 1);
            break;
        }
        memory = add_side(solver, def, id, s, &c);
        c.side_count++;
    }
    if (c.side_count == 0 && err->count == before)
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: touches no block", id);
    if (c.def.set == TN_SET_FRICTION && c.side_count > 2)
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: friction acts between at most two blocks",
                     id);
    if (!all_finite(def->e, (size_t)c.rows))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: e has a number that is not finite", id);
    check_law(solver, def, id);
    if (!memory || !grow((void **)&solver->constraints, solver->constraint_count,
                         &solver->constraint_capacity, sizeof c)) {
        tn_error_add(err, TN_ERROR_MEMORY, "constraint %d: no memory", id);
        memory = false;
    }
    if (!memory || err->count > before) {
        free_sides(&c);
        return 0;
    }
    solver->constraints[solver->constraint_count++] = c;
    solver->lambda_count += c.rows;
    return id;
}

void tn_solver_free_parts(TnSolver *solver)
{
    for (int i = 0; i < solver->block_count; i++) tn_solver_block_free(&solver->blocks[i]);
    for (int i = 0; i < solver->constraint_count; i++) free_sides(&solver->constraints[i]);
    tn_free(solver->blocks);
    tn_free(solver->constraints);
}

/* ---- read again ---- */

int tn_solver_block_count(const TnSolver *solver) { return solver->block_count; }
int tn_solver_constraint_count(const TnSolver *solver) { return solver->constraint_count; }
int tn_solver_unknown_count(const TnSolver *solver) { return solver->unknown_count; }
int tn_solver_lambda_count(const TnSolver *solver) { return solver->lambda_count; }

TnBlockDef tn_solver_block(const TnSolver *solver, TnBlockId id)
{
    TN_ASSERT(id >= 1 && id <= solver->block_count);
    return solver->blocks[id - 1].def;
}

TnConstraintDef tn_solver_constraint(const TnSolver *solver, TnConstraintId id)
{
    TN_ASSERT(id >= 1 && id <= solver->constraint_count);
    return solver->constraints[id - 1].def;
}
