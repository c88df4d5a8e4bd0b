/* solver_blocks.h: rows of sets, and A of the public solver's blocks, whichever way it was given.
 * Blocks are counted from 0. */
#ifndef TN_SOLVER_SOLVER_BLOCKS_H
#define TN_SOLVER_SOLVER_BLOCKS_H

#include "../problem.h"

/* Numbers of λ. */
static inline int tn_set_rows(TnSet set)
{
    return set == TN_SET_FRICTION ? 3 : set == TN_SET_ROLL ? 2 : 1;
}
/* solver_layout.c: the law of a constraint that is not a contact, row r of it; no sides and no e.
 */
TnRow tn_solver_row(const TnConstraintDef *def, int r);
/* y = A x. False: only A⁻¹ is known. */
bool tn_solver_multiply(const TnSolver *solver, int block, const double *x, double *y);
/* x ← A⁻¹ x for `count` vectors one after the other; needs tn_solver_prepare. */
void tn_solver_solve_A(const TnSolver *solver, int block, double *x, int count);

#endif
