/* problem_file.c: problem files of either format (tenon/problem_file.h): which one it is, and its
 * blocks and constraints as a solver. */
#include "problem_file.h"
#include "../io_file.h"

#include <string.h>

/* The format is told by the first word. */
static bool read_text(TnProblemText *t, TnProblemFile *file)
{
    TnProblemText ahead = *t;
    size_t length;
    char shown[TN_PROBLEM_SHOWN];
    const char *word = tn_problem_word(&ahead, &length);
    t->line = ahead.line;
    if (!word) return tn_problem_fault(t, "the file is empty");
    if (length == 13 && !memcmp(word, "tenon-problem", 13)) return tn_problem_read_tenon(t, file);
    if (strspn(word, "0123456789+-") >= length) return tn_problem_read_siconos(t, file);
    return tn_problem_fault(
        t,
        "no problem file: one starts with 'tenon-problem', or as Siconos has it "
        "with the dimension of a contact (2, 3 or 5), not with '%s'",
        tn_problem_show(word, length, shown));
}

TnProblemFile *tn_problem_read(const char *path, TnError *err)
{
    TnIoFile text;
    TnError local = {0};
    if (!err) err = &local;
    if (!tn_io_read_file(NULL, path, (TnSource){0}, NULL, &text, err)) return NULL;
    TnProblemFile *file = tn_calloc(1, sizeof *file);
    TnProblemText t = {.path = path, .err = err, .text = text.text, .size = text.size, .line = 1};
    bool good = file && tn_arena_init(&file->memory, "problem file", 1 << 14);
    if (!good) {
        tn_problem_no_memory(&t);
    } else {
        t.memory = &file->memory;
        good = read_text(&t, file);
    }
    tn_free(text.text);
    if (good) return file;
    tn_problem_file_destroy(file);
    return NULL;
}

void tn_problem_file_destroy(TnProblemFile *file)
{
    if (!file) return;
    tn_arena_free(&file->memory);
    tn_free(file);
}

TnProblemFileInfo tn_problem_file_info(const TnProblemFile *file)
{
    return file ? file->info : (TnProblemFileInfo){0};
}

TnSolver *tn_problem_solver(const TnProblemFile *file, const TnSolverDef *def, TnError *err)
{
    if (!file) {
        tn_error_add(err, TN_ERROR_USAGE, "no problem was given");
        return NULL;
    }
    TnSolver *solver = tn_solver_create(def, err);
    if (!solver) return NULL;
    for (int i = 0; i < file->block_count; i++) tn_solver_add_block(solver, &file->blocks[i]);
    for (int i = 0; i < file->constraint_count; i++)
        tn_solver_add_constraint(solver, &file->constraints[i]);
    return solver;
}

double tn_problem_shift(const TnProblemFile *file) { return file ? file->shift : 0.0; }

static bool add_shifted_block(const TnProblemFile *file, const TnBlockDef *block, TnSolver *solver)
{
    size_t dim = (size_t)block->dim;
    double *A = tn_malloc(sizeof(double) * dim * dim);
    if (!A) return false;
    memcpy(A, block->A_inverse, sizeof(double) * dim * dim);
    for (size_t i = 0; i < dim; i++) A[i * (dim + 1)] += file->shift;
    TnBlockDef shifted = *block;
    shifted.A_inverse = A;
    tn_solver_add_block(solver, &shifted);
    tn_free(A);
    return true;
}

TnSolver *tn_problem_solver_near(const TnProblemFile *file, const TnSolverDef *def,
                                 const double *lambda, TnError *err)
{
    if (!file || file->shift == 0.0) return tn_problem_solver(file, def, err);
    TnSolver *solver = tn_solver_create(def, err);
    for (int i = 0; solver && i < file->block_count; i++)
        if (!add_shifted_block(file, &file->blocks[i], solver)) {
            tn_error_add(err, TN_ERROR_MEMORY, "no memory for the problem");
            tn_solver_destroy(solver);
            solver = NULL;
        }
    for (int i = 0; solver && i < file->constraint_count; i++) {
        TnConstraintDef c = file->constraints[i];
        int rows = tn_problem_rows(c.set), moving = c.column_count[0] < rows ? 2 : rows;
        for (int k = 0; lambda && k < moving; k++) c.e[k] -= file->shift * lambda[k];
        if (lambda) lambda += rows;
        tn_solver_add_constraint(solver, &c);
    }
    return solver;
}

void tn_problem_start(const TnProblemFile *file, TnSolver *solver)
{
    if (file) tn_solver_start(solver, file->v, file->lambda);
}
