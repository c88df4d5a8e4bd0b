/* parted.h: SubADMM by several ranks, each on its part of a problem (parts.h). */
#ifndef TN_SOLVER_PARTED_H
#define TN_SOLVER_PARTED_H

#include "../problem.h"

/* Of a problem that has a rank's own twist blocks, all contacts on them, and blocks of its
 * neighbours that these may touch: whose they are. */
typedef struct TnNeighbours {
    int count;                /* ranks */
    const int *ranks;         /* which, ascending */
    const int *send_start;    /* per neighbour and one more: */
    const int *send;          /* own blocks that may be ghosts there, */
    const int *receive_start; /* and */
    const int *receive;       /* its blocks, in the order in which it has them in `send` */
    const bool *own;          /* per twist block */
    bool together;            /* ranks tell each other whether they could prepare theirs */
} TnNeighbours;

/* A fixed number of iterations is done so. */
bool tn_parted_suits(const TnProblem *problem, const TnSolverDef *def);
/* From a problem that is not prepared, and is not afterwards. False: no memory, or no factor. */
bool tn_parted_fixed(TnProblem *problem, const TnSolverDef *def, TnPool *pool,
                     TnSolveResult *result);
/* Of a problem that has one rank's own bodies and those near them; all ranks have theirs. A fixed
 * number of iterations, or with a tolerance until the natural map of all ranks is within it; the
 * residual is then its largest error, and rigid_error that by the laws of rigid contacts, m/s. One
 * rank alone needs no neighbours (parted_near.c). */
bool tn_parted_near(TnProblem *problem, const TnRanks *ranks, const TnNeighbours *neighbours,
                    const TnSolverDef *def, TnPool *pool, TnSolveResult *result,
                    double *rigid_error);
/* As tn_subadmm_watched; the problem is prepared. False: ranks do not suit it, nothing is done. */
bool tn_parted_watched(TnProblem *problem, const TnSolverDef *def, TnWatch watch, TnPool *pool,
                       TnSolveResult *result);

#endif
