/* problem_file_write.c: writes what was added to a solver in tenon's own format, which
 * problem_file_tenon.c has. Numbers take as few digits as read back to the same bits. */
#include "problem_file.h"

#include "../../base/platform/files.h"
#include "../../base/platform/numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_number(FILE *out, double x)
{
    char text[TN_NUMBER_TEXT + 1] = " ";
    int length = 1 + tn_number_write_exactly(text + 1, x);
    fwrite(text, 1, (size_t)length, out);
}

/* Lines of `per_line` numbers. */
static void write_numbers(FILE *out, const double *numbers, size_t count, size_t per_line)
{
    for (size_t i = 0; i < count; i++) {
        write_number(out, numbers[i]);
        if ((i + 1) % per_line == 0 && i + 1 < count) fputc('\n', out);
    }
    fputc('\n', out);
}

static void write_block(FILE *out, const TnBlockDef *block)
{
    size_t n = (size_t)block->dim;
    if (block->A) {
        fprintf(out, "block dense %d\nA\n", block->dim);
        write_numbers(out, block->A, n * n, n);
    } else if (block->A_banded) {
        fprintf(out, "block banded %d %d\nA\n", block->dim, block->bandwidth);
        write_numbers(out, block->A_banded, n * ((size_t)block->bandwidth + 1), n);
    } else if (block->A_inverse) {
        fprintf(out, "block inverse %d\nA\n", block->dim);
        write_numbers(out, block->A_inverse, n * n, n);
    } else {
        const TnSparseMatrix *A = block->A_sparse;
        fprintf(out, "block sparse %d %d\nA\n", block->dim, A->row_start[n]);
        for (size_t i = 0; i < n; i++) {
            fprintf(out, " %d", A->row_start[i + 1] - A->row_start[i]);
            for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
                fprintf(out, "  %d", A->column[k]);
                write_number(out, A->value[k]);
            }
            fputc('\n', out);
        }
    }
    fputc('b', out);
    for (size_t i = 0; i < n; i++) write_number(out, block->b ? block->b[i] : 0.0);
    fputc('\n', out);
}

static void write_constraint(FILE *out, const TnSolver *solver, const TnConstraintDef *c)
{
    size_t rows = (size_t)tn_problem_rows(c->set);
    int sides = 0;
    while (sides < TN_MAX_SIDES && c->block[sides]) sides++;
    fprintf(out, "constraint %s sides %d", tn_problem_set_names[c->set], sides);
    if (c->set == TN_SET_SOFT) {
        fputs(" k", out);
        write_number(out, c->k);
        fputs(" alpha", out);
        write_number(out, c->alpha);
    } else if (c->set == TN_SET_BOX) {
        fputs(" lower", out);
        write_number(out, c->lower);
        fputs(" upper", out);
        write_number(out, c->upper);
    } else if (c->set == TN_SET_FRICTION || c->set == TN_SET_SPIN || c->set == TN_SET_ROLL) {
        fputs(" mu", out);
        write_number(out, c->mu);
        if (c->set != TN_SET_FRICTION) fprintf(out, " contact %d", c->contact);
    }
    if (c->lever > 0.0) {
        fputs(" lever", out);
        write_number(out, c->lever);
    }
    fputs(" e", out);
    write_numbers(out, c->e, rows, rows);
    for (int s = 0; s < sides; s++) {
        size_t columns = c->column[s] ? (size_t)c->column_count[s]
                                      : (size_t)tn_solver_block(solver, c->block[s]).dim;
        if (c->column[s]) {
            fprintf(out, "side %d %zu ", c->block[s], columns);
            for (size_t i = 0; i < columns; i++) fprintf(out, " %d", c->column[s][i]);
        } else {
            fprintf(out, "side %d all", c->block[s]);
        }
        fputs("\nJ", out);
        write_numbers(out, c->J[s], rows * columns, columns);
    }
}

static bool write_start(FILE *out, const TnSolver *solver)
{
    size_t n = (size_t)tn_solver_unknown_count(solver), m = (size_t)tn_solver_lambda_count(solver);
    double *v = tn_calloc(n + m + 1, sizeof *v);
    if (!v) return false;
    tn_solver_solution(solver, v, v + n);
    fputs("start\nv", out);
    write_numbers(out, v, n, 8);
    fputs("lambda", out);
    write_numbers(out, v + n, m, 8);
    fputs("end\n", out);
    tn_free(v);
    return true;
}

static bool write_all(FILE *out, const TnSolver *solver)
{
    int blocks = tn_solver_block_count(solver), constraints = tn_solver_constraint_count(solver);
    fprintf(out, "tenon-problem 1\n\nblocks %d\n", blocks);
    for (int i = 1; i <= blocks; i++) {
        TnBlockDef block = tn_solver_block(solver, i);
        fprintf(out, "# %d\n", i);
        write_block(out, &block);
    }
    fprintf(out, "\nconstraints %d\n", constraints);
    for (int i = 1; i <= constraints; i++) {
        TnConstraintDef c = tn_solver_constraint(solver, i);
        fprintf(out, "# %d\n", i);
        write_constraint(out, solver, &c);
    }
    fputc('\n', out);
    return write_start(out, solver);
}

TnStatus tn_problem_write(const TnSolver *solver, const char *path, TnError *err)
{
    if (!solver || !path) {
        tn_error_add(err, TN_ERROR_USAGE, "solver and path must be given");
        return TN_ERROR_USAGE;
    }
    TnError local = {0};
    if (!err) err = &local;
    for (int i = 1; i <= tn_solver_block_count(solver); i++)
        if (tn_solver_block(solver, i).functions) {
            tn_error_add(
                err, TN_ERROR_USAGE,
                "%.500s: block %d is given by functions and cannot be written; give its matrix "
                "instead",
                path, i);
            return err->code;
        }
    FILE *out = tn_stream_open(path, "w");
    bool memory = true, good = out;
    errno = out ? 0 : errno;
    if (out) {
        memory = write_all(out, solver);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    if (!good)
        tn_error_add(err, TN_ERROR_IO, "%.500s: cannot be written: %s", path,
                     strerror(errno ? errno : EIO));
    else if (!memory)
        tn_error_add(err, TN_ERROR_MEMORY, "%.500s: no memory", path);
    return good && memory ? TN_OK : err->code;
}
