/* solver_blocks.c: A of the public solver's blocks. */
#include "solver_blocks.h"

#include <string.h>

#include "../base/base.h"
#include "../math/cholesky.h"
#include "solver_parts.h"

void tn_solver_block_free(TnSolverBlock *block)
{
    tn_free((void *)block->def.A);
    tn_free((void *)block->def.b);
    tn_free(block->factor);
}

bool tn_solver_factor_blocks(TnSolver *solver, TnError *err)
{
    for (int i = 0; i < solver->block_count; i++) {
        TnSolverBlock *block = &solver->blocks[i];
        if (block->factor) continue; /* from an earlier prepare: blocks do not change */
        size_t bytes = sizeof(double) * (size_t)block->def.dim * (size_t)block->def.dim;
        double *factor = tn_malloc(bytes);
        if (!factor) {
            tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory");
            return false;
        }
        memcpy(factor, block->def.A, bytes);
        if (!tn_cholesky(factor, block->def.dim)) {
            tn_free(factor);
            tn_error_add(err, TN_ERROR_USAGE, "block %d: A is not positive definite", i + 1);
            return false;
        }
        block->factor = factor;
    }
    return true;
}

bool tn_solver_multiply(const TnSolver *solver, int block, const double *x, double *y)
{
    const TnBlockDef *def = &solver->blocks[block].def;
    for (int i = 0; i < def->dim; i++) {
        double sum = 0.0;
        for (int j = 0; j < def->dim; j++) sum += def->A[(long)i * def->dim + j] * x[j];
        y[i] = sum;
    }
    return true;
}

void tn_solver_solve_A(const TnSolver *solver, int block, double *x, int count)
{
    const TnSolverBlock *b = &solver->blocks[block];
    for (int k = 0; k < count; k++)
        tn_cholesky_solve(b->factor, b->def.dim, x + (long)k * b->def.dim);
}
