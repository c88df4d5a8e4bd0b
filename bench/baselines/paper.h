/* paper.h: SubADMM as the paper has it: its weights, and its iteration as printed. */
#ifndef TN_BASELINES_PAPER_H
#define TN_BASELINES_PAPER_H

#include "solver/method/own_method.h"

/* H with the paper's weights, after tn_problem_prepare_A. False: no memory, or no factor. */
bool tn_paper_prepare(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
/* The printed form after either preparation; def->tolerance is the RMS change of constraint
 * velocities at which to stop, m/s. False: no memory. */
bool tn_subadmm_paper_solve(TnProblem *problem, const TnSolverDef *def, TnSolveResult *result);

#endif
