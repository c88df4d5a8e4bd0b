/* anderson.h: safeguarded Anderson acceleration of the ADMM loop; anderson.c has the mathematics.
 * Per iteration, between the constraints' and the blocks' stage: take on every piece, combine once,
 * put on every piece. Pieces are a property of the problem alone, and their partial sums are added
 * in order, so that the bits do not depend on which thread does which. */
#ifndef TN_SOLVER_ANDERSON_H
#define TN_SOLVER_ANDERSON_H

#include "../problem.h"
#include "anderson_mix.h"

/* After the weights are known; sets problem->anderson, NULL where the memory is 0. False: no memory
 * in the arena. */
bool tn_anderson_prepare(TnProblem *problem, const TnSolverDef *def);
void tn_anderson_start(TnAnderson *anderson); /* forgets the history */
int tn_anderson_begin(TnAnderson *anderson);  /* once per iteration; how many pieces there are */
/* Reads t and g and what this iteration changed in them. */
void tn_anderson_take(TnAnderson *anderson, int piece);
/* Chooses the combination. False: the iterate stays as it is and nothing has to be put. */
bool tn_anderson_combine(TnAnderson *anderson);
/* Writes the combined t, g and λ = Π(t); spin and roll rows get their t only. */
void tn_anderson_put(TnAnderson *anderson, int piece);

#endif
