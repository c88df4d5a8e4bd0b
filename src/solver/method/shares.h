/* shares.h: iterations of SubADMM with one barrier each, for problems of some hundred to some
 * thousand contacts. */
#ifndef TN_SOLVER_SHARES_H
#define TN_SOLVER_SHARES_H

#include "../problem.h"

/* All iterations but the last, whose changes are measured. How many were made: none where the
 * problem does not suit, or without memory. */
int tn_shares_iterate(TnProblem *problem, const TnSolverDef *def, TnPool *pool, int threads);

#endif
