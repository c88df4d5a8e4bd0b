/* parted.h: SubADMM by several ranks, each on its part of a problem (parts.h). */
#ifndef TN_SOLVER_PARTED_H
#define TN_SOLVER_PARTED_H

#include "../problem.h"

/* A fixed number of iterations is done so. */
bool tn_parted_suits(const TnProblem *problem, const TnSolverDef *def);
/* From a problem that is not prepared, and is not afterwards. False: no memory, or no factor. */
bool tn_parted_fixed(TnProblem *problem, const TnSolverDef *def, TnPool *pool,
                     TnSolveResult *result);
/* As tn_subadmm_watched; the problem is prepared. False: ranks do not suit it, nothing is done. */
bool tn_parted_watched(TnProblem *problem, const TnSolverDef *def, TnWatch watch, TnPool *pool,
                       TnSolveResult *result);

#endif
