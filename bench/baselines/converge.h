/* converge.h: the solution of a problem as exactly as it can be had, whatever that takes. */
#ifndef TN_BASELINES_CONVERGE_H
#define TN_BASELINES_CONVERGE_H

#include "solver/method/own_method.h"

#define TN_CONVERGED 1e-12 /* m/s: the natural map at which to stop */

/* From the problem's v and λ; leaves the best λ that was found and v = A⁻¹(b + Jᵀλ), and in
 * *reached the largest natural map there, m/s. Needs no preparation and leaves none. False: no
 * memory, or A not positive definite. */
bool tn_converge(TnProblem *problem, const TnSolverDef *def, int iterations, TnSolverMemory *memory,
                 TnPool *pool, double *reached);

#endif
