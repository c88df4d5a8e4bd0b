/* baselines.h: the four solvers that the paper compares SubADMM with, over the same problem. Each
 * starts from the problem's λ and leaves its own there. */
#ifndef TN_SOLVER_BASELINES_H
#define TN_SOLVER_BASELINES_H

#include "natural_map.h"

typedef struct TnBaselineInput {
    TnProblem *problem; /* after tn_problem_prepare_A */
    const TnSolverDef *def; /* def->iterations is how many at most */
    const TnCompliances *D;
    TnPlanCache *plans;
    TnPool *pool; /* may be NULL */
    /* Where there is a tolerance: asked after every iteration or so, with the problem's λ up to
     * date, whether that is enough. watch.enough is NULL for exactly def->iterations. It costs about
     * an iteration: a method that has a cheap error of its own should ask only where that has become
     * smaller. */
    TnWatch watch;
} TnBaselineInput;

typedef struct TnBaselineResult {
    int iterations, factorizations;
    double residual; /* m/s: RMS of a change or an error of constraint velocities, the method's own */
    const char *form; /* a string constant: which of its forms ran, "matrix-free on velocities" */
    bool own_v; /* the problem's v is the method's own; else v = A⁻¹(b + Jᵀλ) is to be taken */
} TnBaselineResult;

/* False: no memory, or no factor. */
typedef bool TnBaseline(const TnBaselineInput *in, TnBaselineResult *out);
TnBaseline tn_pgs;     /* pgs.c */
TnBaseline tn_pj;      /* pj.c */
TnBaseline tn_fadmm;   /* fadmm.c */
TnBaseline tn_nnewton; /* nnewton.c */
/* NULL: the method is none of them. */
TnBaseline *tn_baseline(TnMethod method);

#endif
