/* own_method.h: methods that run by themselves, each over the whole problem that it is given: from
 * the problem's λ, leaving its own there. Two are part of the library; others, which measurements
 * compare with, are in bench/baselines and come in by TnSolverDef.own. */
#ifndef TN_SOLVER_OWN_METHOD_H
#define TN_SOLVER_OWN_METHOD_H

#include "../solve.h"

typedef struct TnOwnInput {
    TnProblem *problem;     /* after tn_problem_prepare_A and the method's own `prepare` */
    const TnSolverDef *def; /* def->iterations is how many at most */
    /* NULL for a method that has a `prepare`: bonds are prepared for one or for the other */
    const TnCompliances *D;
    TnPlanCache *plans;
    TnSolverMemory *memory; /* NULL for an island */
    TnPool *pool;           /* may be NULL */
    /* Where there is a tolerance: asked after every iteration or so, with the problem's λ up to
     * date, whether that is enough. watch.enough is NULL for exactly def->iterations. It costs
     * about an iteration: a method that has a cheap error of its own should ask only where that has
     * become smaller. */
    TnWatch watch;
} TnOwnInput;

typedef struct TnOwnResult {
    int iterations, factorizations;
    double residual;  /* m/s: RMS of a change or error of constraint velocities, the method's own */
    const char *form; /* a string constant: which of its forms ran, "matrix-free on velocities" */
    bool own_v; /* the problem's v is the method's own; else v = A⁻¹(b + Jᵀλ) is to be taken */
} TnOwnResult;

/* False: no memory, or no factor. */
typedef bool TnOwnRun(const TnOwnInput *in, TnOwnResult *out);
TnOwnRun tn_pgs;       /* pgs.c */
TnOwnRun tn_full_admm; /* assembled_admm.c */

struct TnOwnMethod {
    const char *name;
    /* What is done once before the iterations, after tn_problem_prepare_A; NULL: nothing. False: no
     * memory, or no factor. */
    bool (*prepare)(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
    TnOwnRun *run;
    /* It takes the whole problem, not islands, and def->tolerance is about its own residual, m/s.
     */
    bool whole;
};

/* NULL: the method is none of them. */
static inline TnOwnRun *tn_own_run(const TnSolverDef *def)
{
    return def->method == TN_METHOD_PGS         ? tn_pgs
           : def->method == TN_METHOD_ASSEMBLED ? tn_full_admm
           : def->method == TN_METHOD_OWN       ? def->own->run
                                                : NULL;
}
static inline bool tn_own_prepares(const TnSolverDef *def)
{
    return def->method == TN_METHOD_OWN && def->own->prepare;
}
static inline bool tn_own_prepare(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    return !tn_own_prepares(def) || def->own->prepare(p, def, pool);
}

#endif
