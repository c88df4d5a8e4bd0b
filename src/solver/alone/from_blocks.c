/* from_blocks.c: blocks of a step's problem for the public solver: twist blocks diag(a I, S) and
 * large ones as their kind has A, full or sparse. */
#include "../block/block.h"
#include "from_problem.h"

bool tn_solver_add_problem_block(TnSolver *solver, const TnProblem *p, int block, const double *b,
                                 TnArena *arena)
{
    double twist[36] = {0};
    TnBlockMatrix A;
    TnBlockDef def = {.dim = 6, .A = twist, .b = b};
    if (block < p->twist_count) {
        tn_twist_matrix(p, block, twist);
    } else {
        const TnLargeBlock *d = &p->large[block - p->twist_count];
        if (!d->kind->matrix(d, arena, &A)) return false;
        def = (TnBlockDef){.dim = d->dim, .A = A.full, .b = b};
        if (!A.full) def.A_sparse = &A.sparse;
    }
    tn_solver_add_block(solver, &def); /* what is wrong with it prepare says */
    return true;
}
