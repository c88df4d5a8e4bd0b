/* assembled_admm.h: the loop of tn_full_admm (own_method.h). */
#ifndef TN_SOLVER_ASSEMBLED_ADMM_H
#define TN_SOLVER_ASSEMBLED_ADMM_H

#include "../solve.h"

typedef struct TnAdmmChoice {
    double scale;      /* of the weights against compliances */
    double equality;   /* the weights of equalities against those of others */
    double relaxation; /* 0 … 2 */
    int memory;        /* differences that Anderson acceleration keeps; 0: none */
    bool adaptive;     /* the scale is moved where the residuals are out of balance */
    bool by_rms;       /* the best iterate is the one whose RMS map is least, not the largest */
    double tolerance;  /* of the largest natural map, m/s; 0: none */
    int iterations;    /* at most */
    TnWatch watch;     /* asked whenever the error has halved; enough may be NULL */
} TnAdmmChoice;

/* Leaves the best λ_d in the problem. law: NULL, or the λ_c that belongs to it. False: no memory,
 * or no factor. */
bool tn_admm_run(const TnAssembly *assembly, TnProblem *problem, const TnCompliances *D,
                 const TnAdmmChoice *choice, TnPerConstraint *law, TnMethodResult *out);

#endif
