/* adaptive_weights.h: the scale of all weights, balanced while the ADMM loop runs;
 * adaptive_weights.c has the rule. The loop asks every TN_BALANCE_EVERY iterations, between two of
 * them, and starts again from v and λ where the weights changed. */
#ifndef TN_SOLVER_ADAPTIVE_WEIGHTS_H
#define TN_SOLVER_ADAPTIVE_WEIGHTS_H

#include "problem.h"

enum { TN_BALANCE_EVERY = 10 };

/* Before H is factored; sets problem->balance, NULL where it is off. False: no memory in the
 * arena. */
bool tn_balance_prepare(TnProblem *problem, const TnSolverDef *def);
void tn_balance_start(TnProblem *problem); /* forgets what was seen, not the weights */
/* True: the weights should change. */
bool tn_balance_look(TnProblem *problem);
/* New weights, and H and g for them. False: H is not positive definite. */
bool tn_balance_change(TnProblem *problem, TnPool *pool);
/* Of all weights against those that the loop began with. */
double tn_balance_scale(const TnProblem *problem);

#endif
