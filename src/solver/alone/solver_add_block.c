/* solver_add_block.c: a block as a user gives it, in one of five forms: copied and checked. */
#include <math.h>

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "solver_parts.h"

/* ---- checks: one report per block and kind of mistake is enough ---- */

static void not_symmetric(TnError *err, int id, const char *name, int i, int j)
{
    tn_error_add(err, TN_ERROR_USAGE,
                 "block %d: %s is not symmetric at (%d, %d); fill both triangles", id, name, i, j);
}

static void check_finite(TnError *err, int id, const char *name, const double *x, size_t count)
{
    if (!tn_all_finite(x, count))
        tn_error_add(err, TN_ERROR_USAGE, "block %d: %s has a number that is not finite", id, name);
}

static void check_square(TnError *err, int id, const char *name, const double *A, int n)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) largest = fmax(largest, fabs(A[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(A[(long)i * n + j] - A[(long)j * n + i]) > TN_ROOM * largest) {
                not_symmetric(err, id, name, i, j);
                return;
            }
}

/* Where (i, j) is; -1: nowhere. */
static int find_entry(const TnSparseMatrix *A, int i, int j)
{
    int low = A->row_start[i], high = A->row_start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->row_start[i + 1] && A->column[low] == j ? low : -1;
}

/* False: its columns are no use, and it cannot be looked at further. */
static bool check_pattern(TnError *err, int id, const TnSparseMatrix *A, int n)
{
    if (A->row_start[0] != 0) {
        tn_error_add(err, TN_ERROR_USAGE, "block %d: A_sparse.row_start begins with %d, must be 0",
                     id, A->row_start[0]);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (A->row_start[i + 1] < A->row_start[i]) {
            tn_error_add(err, TN_ERROR_USAGE, "block %d: A_sparse.row_start decreases after row %d",
                         id, i);
            return false;
        }
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            if (A->column[k] < 0 || A->column[k] >= n ||
                (k > A->row_start[i] && A->column[k] <= A->column[k - 1])) {
                tn_error_add(err, TN_ERROR_USAGE,
                             "block %d: A_sparse has column %d in row %d; columns must increase "
                             "within a row and be 0 to %d",
                             id, A->column[k], i, n - 1);
                return false;
            }
    }
    return true;
}

static void check_sparse(TnError *err, int id, const TnSparseMatrix *A, int n)
{
    double largest = 0.0;
    size_t entries = (size_t)A->row_start[n];
    check_finite(err, id, "A_sparse", A->value, entries);
    for (size_t k = 0; k < entries; k++) largest = fmax(largest, fabs(A->value[k]));
    for (int i = 0; i < n; i++) {
        if (find_entry(A, i, i) < 0) {
            tn_error_add(err, TN_ERROR_USAGE, "block %d: A_sparse has no diagonal in row %d", id,
                         i);
            return;
        }
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int other = find_entry(A, A->column[k], i);
            double mirror = other < 0 ? 0.0 : A->value[other];
            if (fabs(A->value[k] - mirror) > TN_ROOM * largest) {
                not_symmetric(err, id, "A_sparse", i, A->column[k]);
                return;
            }
        }
    }
}

/* ---- copies; false: no memory ---- */

static bool copy_numbers(const double **to, const double *from, size_t count)
{
    *to = tn_copy(from, count * sizeof(double));
    return *to;
}

static bool copy_sparse(TnBlockDef *to, const TnSparseMatrix *from, int n)
{
    TnSparseMatrix *A = tn_calloc(1, sizeof *A);
    if (!A) return false;
    size_t entries = (size_t)from->row_start[n];
    to->A_sparse = A;
    A->row_start = tn_copy(from->row_start, sizeof(int) * (size_t)(n + 1));
    A->column = tn_copy(from->column, sizeof(int) * entries);
    A->value = tn_copy(from->value, sizeof(double) * entries);
    return A->row_start && A->column && A->value;
}

static bool copy_block(TnBlockDef *to, const TnBlockDef *from)
{
    size_t n = (size_t)from->dim, square = n * n;
    bool ok = true;
    to->dim = from->dim;
    if (from->A) ok = copy_numbers(&to->A, from->A, square);
    if (from->A_banded) {
        to->bandwidth = from->bandwidth;
        ok = copy_numbers(&to->A_banded, from->A_banded, n * (size_t)(from->bandwidth + 1));
    }
    if (from->A_sparse) ok = copy_sparse(to, from->A_sparse, from->dim);
    if (from->A_inverse) ok = copy_numbers(&to->A_inverse, from->A_inverse, square);
    if (from->functions) ok = (to->functions = tn_copy(from->functions, sizeof(TnBlockFunctions)));
    if (ok && from->b) ok = copy_numbers(&to->b, from->b, n);
    return ok;
}

void tn_solver_block_free(TnSolverBlock *block)
{
    TnBlockDef *def = &block->def;
    if (def->A_sparse) {
        tn_free((void *)def->A_sparse->row_start);
        tn_free((void *)def->A_sparse->column);
        tn_free((void *)def->A_sparse->value);
    }
    tn_free((void *)def->A);
    tn_free((void *)def->A_banded);
    tn_free((void *)def->A_sparse);
    tn_free((void *)def->A_inverse);
    tn_free((void *)def->functions);
    tn_free((void *)def->b);
    tn_block_factor_free(&block->factor);
}

/* False: not to be copied. */
static bool check_form(TnError *err, int id, const TnBlockDef *def)
{
    int n = def->dim;
    int forms = (def->A != NULL) + (def->A_banded != NULL) + (def->A_sparse != NULL) +
                (def->A_inverse != NULL) + (def->functions != NULL);
    if (n < 1 || forms != 1) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "block %d: dim is %d and A is given in %d forms; dim must be positive and A "
                     "given in exactly one form: A, A_banded, A_sparse, A_inverse or functions",
                     id, n, forms);
        return false;
    }
    if (def->A_banded && (def->bandwidth < 0 || def->bandwidth >= n)) {
        tn_error_add(err, TN_ERROR_USAGE, "block %d: bandwidth is %d, must be 0 to %d", id,
                     def->bandwidth, n - 1);
        return false;
    }
    if (def->functions && !def->functions->solve) {
        tn_error_add(err, TN_ERROR_USAGE, "block %d: functions must include solve", id);
        return false;
    }
    const TnSparseMatrix *A = def->A_sparse;
    if (A && (!A->row_start || !A->column || !A->value)) {
        tn_error_add(err, TN_ERROR_USAGE, "block %d: A_sparse needs row_start, column and value",
                     id);
        return false;
    }
    return !A || check_pattern(err, id, A, n);
}

TnBlockId tn_solver_add_block(TnSolver *solver, const TnBlockDef *def)
{
    if (!solver || !def) return 0;
    TnError *err = &solver->problems;
    int id = solver->block_count + 1, n = def->dim;
    solver->prepared = false;
    if (!check_form(err, id, def)) return 0;
    TnSolverBlock block = {.offset = solver->unknown_count};
    if (!tn_grow((void **)&solver->blocks, solver->block_count, &solver->block_capacity,
                 sizeof block) ||
        !copy_block(&block.def, def)) {
        tn_solver_block_free(&block);
        tn_error_add(err, TN_ERROR_MEMORY, "block %d: no memory", id);
        return 0;
    }
    size_t square = (size_t)n * (size_t)n;
    if (def->A) {
        check_finite(err, id, "A", def->A, square);
        check_square(err, id, "A", def->A, n);
    }
    if (def->A_inverse) {
        check_finite(err, id, "A_inverse", def->A_inverse, square);
        check_square(err, id, "A_inverse", def->A_inverse, n);
    }
    for (int k = 0; def->A_banded && k <= def->bandwidth; k++)
        check_finite(err, id, "A_banded", def->A_banded + (long)k * n, (size_t)(n - k));
    if (def->A_sparse) check_sparse(err, id, def->A_sparse, n);
    if (def->b) check_finite(err, id, "b", def->b, (size_t)n);
    solver->blocks[solver->block_count++] = block;
    solver->unknown_count += n;
    return id;
}
