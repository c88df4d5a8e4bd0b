/* newton_step.h: what newton.c and proximal.c share: a step of Newton's method on an island as one
 * system (assembly.h).
 *
 * With the laws replaced by lines where they stand, λ ≈ a - G u (newton_law.c), one factorization
 * gives
 *
 *     (A + JᵀGJ) x⁺ = Jᵀ (a - G e'),   u⁺ = J x⁺ + e',   λ⁺ = a - G u⁺
 *
 * where the dynamics A x⁺ = Jᵀλ⁺ hold exactly. They are linear, so they hold for every mixture of
 * two iterates as well: u and λ are all that is kept, and x is never needed. */
#ifndef TN_SOLVER_NEWTON_STEP_H
#define TN_SOLVER_NEWTON_STEP_H

#include "../solve.h"
#include "newton_law.h"

typedef struct TnNewtonStep {
    const TnAssembly *assembly;
    TnLaws laws;
    TnPerConstraint u, lambda;           /* fit each other: A x = Jᵀλ */
    TnPerConstraint next_u, next_lambda; /* the same of the step */
    TnPerConstraint scratch;
    double *values, *x;
    bool factored;
    double factor_R;
} TnNewtonStep;

/* From the problem's λ and u = J v_λ + e. False: no memory. */
bool tn_newton_start(TnNewtonStep *n, const TnAssembly *assembly, const TnProblem *problem,
                     const TnCompliances *D, const TnPerConstraint *u);
/* Lines at u, about 1 - fade of the centre's forces, then u⁺ and λ⁺. The last factor serves where R
 * is the same and nothing changed between open, stick and slip. False: no factor. */
bool tn_newton_step(TnNewtonStep *n, double fade, TnMethodResult *count);
/* u⁺ and λ⁺ again, for lines that were changed. */
bool tn_newton_step_again(TnNewtonStep *n, TnMethodResult *count);

#endif
