/* cone_error.h: the error of the frictional contact community, sqrt(Σ |λ - P_K(λ - û)|²) / max(|e +
 * J v_free|, |λ|, |u|), over friction constraints with their spins and rolls, as if there were no
 * others. */
#ifndef TN_SOLVER_ALONE_CONE_ERROR_H
#define TN_SOLVER_ALONE_CONE_ERROR_H

#include <tenon/solver.h>

typedef struct TnConeInput {
    const int *number_at; /* per constraint, and behind the last: its first number in λ */
    const double *u, *u_free, *lambda;
    int *first, *next; /* scratch, per constraint: its spins and rolls, from 0; -1 ends the list */
} TnConeInput;

double tn_cone_error(const TnSolver *solver, const TnConeInput *in);

#endif
