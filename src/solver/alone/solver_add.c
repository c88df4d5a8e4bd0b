/* solver_add.c: constraints as a user gives them: copied and checked; and what was added, read
 * again. What is wrong is kept for tn_solver_prepare, so that all of it is told at once. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../../base/base.h"
#include "solver_parts.h"

void *tn_copy(const void *from, size_t bytes)
{
    void *to = tn_malloc(bytes ? bytes : 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

bool tn_grow(void **array, int count, int *capacity, size_t size)
{
    if (count < *capacity) return true;
    int wanted = *capacity ? 2 * *capacity : 16;
    void *bigger = tn_realloc(*array, (size_t)wanted * size);
    if (!bigger) return false;
    *array = bigger;
    *capacity = wanted;
    return true;
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

/* J of one side; `column` NULL: all of the block's. */
typedef struct Side {
    int count;
    int *column;
    double *J;
} Side;

static int column_of(const Side *side, int k) { return side->column ? side->column[k] : k; }

static void free_side(Side *side)
{
    tn_free(side->column);
    tn_free(side->J);
}

/* The sum of two sides on the same block; their columns rise. False: no memory. */
static bool add_sides(const Side *x, const Side *y, int rows, Side *sum)
{
    int most = x->count + y->count;
    *sum = (Side){.column = tn_malloc(sizeof(int) * (size_t)(most + 1)),
                  .J = tn_calloc((size_t)(rows * most + 1), sizeof(double))};
    if (!sum->column || !sum->J) return false;
    for (int i = 0, k = 0; i < x->count || k < y->count;) {
        int a = i < x->count ? column_of(x, i) : INT_MAX;
        int b = k < y->count ? column_of(y, k) : INT_MAX;
        sum->column[sum->count++] = a < b ? a : b;
        i += a <= b;
        k += b <= a;
    }
    for (int r = 0, i = 0, k = 0; r < rows; r++, i = k = 0)
        for (int c = 0; c < sum->count; c++) {
            double *to = &sum->J[(long)r * sum->count + c];
            if (i < x->count && column_of(x, i) == sum->column[c])
                *to += x->J[(long)r * x->count + i++];
            if (k < y->count && column_of(y, k) == sum->column[c])
                *to += y->J[(long)r * y->count + k++];
        }
    return true;
}

/* Into the side that is there for the same block, or behind all. False: no memory. */
static bool put_side(TnSolverConstraint *c, TnBlockId block, int dim, Side *side)
{
    int at = 0;
    while (at < c->side_count && c->def.block[at] != block) at++;
    if (at < c->side_count) {
        TnConstraintDef *def = &c->def;
        Side old = {def->column[at] ? def->column_count[at] : dim, (int *)def->column[at],
                    (double *)def->J[at]};
        Side sum;
        bool ok = add_sides(&old, side, c->rows, &sum);
        free_side(side);
        if (!ok) {
            free_side(&sum);
            return false;
        }
        free_side(&old);
        *side = sum;
    } else {
        c->side_count++;
    }
    c->def.block[at] = block;
    c->def.J[at] = side->J;
    c->def.column[at] = side->column;
    c->def.column_count[at] = side->column ? side->count : 0;
    return true;
}

static bool check_columns(TnError *err, int id, int s, const Side *side, int dim)
{
    for (int k = 0; side->column && k < side->count; k++) {
        int c = side->column[k];
        if (c >= 0 && c < dim && !(k && c == side->column[k - 1])) continue;
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: side %d has column %d; columns must be 0 to %d without "
                     "repetition",
                     id, s + 1, c, dim - 1);
        return false;
    }
    return true;
}

/* Copies side s of the user's; false: no memory. */
static bool add_side(TnSolver *solver, const TnConstraintDef *def, int id, int s,
                     TnSolverConstraint *c)
{
    TnError *err = &solver->problems;
    int dim = solver->blocks[def->block[s] - 1].def.dim;
    Side side = {.count = def->column[s] ? def->column_count[s] : dim};
    if (side.count < 0 || side.count > dim) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: side %d has %d columns, its block has %d unknowns", id, s + 1,
                     side.count, dim);
        return true;
    }
    size_t numbers = (size_t)c->rows * (size_t)side.count;
    side.J = tn_copy(def->J[s], numbers * sizeof(double));
    if (def->column[s]) side.column = tn_copy(def->column[s], (size_t)side.count * sizeof(int));
    if (!side.J || (def->column[s] && !side.column)) {
        free_side(&side);
        return false;
    }
    if (!tn_all_finite(side.J, numbers))
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: J of side %d has a number that is not finite", id, s + 1);
    if (side.column) sort_columns(side.column, side.J, side.count, c->rows);
    if (check_columns(err, id, s, &side, dim)) return put_side(c, def->block[s], dim, &side);
    free_side(&side);
    return true;
}

static void check_law(TnSolver *solver, const TnConstraintDef *def, int id)
{
    TnError *err = &solver->problems;
    bool rubs = def->set == TN_SET_FRICTION || def->set == TN_SET_SPIN || def->set == TN_SET_ROLL;
    if (rubs && !(def->mu >= 0.0 && isfinite(def->mu)))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: mu is %g, must be 0 or more", id,
                     def->mu);
    if (!(def->lever >= 0.0 && isfinite(def->lever)))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: lever is %g, must be 0 or more", id,
                     def->lever);
    if ((def->set == TN_SET_SPIN || def->set == TN_SET_ROLL) &&
        (def->contact < 1 || def->contact > solver->constraint_count ||
         solver->constraints[def->contact - 1].def.set != TN_SET_FRICTION))
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: contact is %d, must be a friction constraint added before", id,
                     (int)def->contact);
    if (def->set == TN_SET_SOFT &&
        !(def->k > 0.0 && def->alpha > 0.0 && isfinite(def->k) && isfinite(def->alpha)))
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: a soft constraint needs k > 0 and alpha "
                     "> 0",
                     id);
    if (def->set == TN_SET_BOX &&
        !(def->lower <= def->upper && def->lower < INFINITY && def->upper > -INFINITY))
        tn_error_add(err, TN_ERROR_USAGE,
                     "constraint %d: lower is above upper, or leaves no finite force", id);
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
    if (!solver || !def) return 0;
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
    for (int s = 0; memory && s < TN_MAX_SIDES && def->block[s]; s++) {
        int block = def->block[s];
        if (block < 1 || block > solver->block_count || !def->J[s]) {
            tn_error_add(err, TN_ERROR_USAGE,
                         "constraint %d: side %d needs a block added before and its J", id, s + 1);
            break;
        }
        memory = add_side(solver, def, id, s, &c);
    }
    if (!def->block[0]) tn_error_add(err, TN_ERROR_USAGE, "constraint %d: has no block", id);
    if (c.def.set == TN_SET_FRICTION && c.side_count > 2)
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: friction acts between at most two blocks",
                     id);
    if (!tn_all_finite(def->e, (size_t)c.rows))
        tn_error_add(err, TN_ERROR_USAGE, "constraint %d: e has a number that is not finite", id);
    check_law(solver, def, id);
    if (!memory || !tn_grow((void **)&solver->constraints, solver->constraint_count,
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

int tn_solver_block_count(const TnSolver *solver) { return solver ? solver->block_count : 0; }
int tn_solver_constraint_count(const TnSolver *solver)
{
    return solver ? solver->constraint_count : 0;
}
int tn_solver_unknown_count(const TnSolver *solver) { return solver ? solver->unknown_count : 0; }
int tn_solver_lambda_count(const TnSolver *solver) { return solver ? solver->lambda_count : 0; }

TnBlockDef tn_solver_block(const TnSolver *solver, TnBlockId id)
{
    if (!solver || id < 1 || id > solver->block_count) return (TnBlockDef){0};
    return solver->blocks[id - 1].def;
}

TnConstraintDef tn_solver_constraint(const TnSolver *solver, TnConstraintId id)
{
    if (!solver || id < 1 || id > solver->constraint_count) return (TnConstraintDef){0};
    return solver->constraints[id - 1].def;
}
