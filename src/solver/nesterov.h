/* nesterov.h: how much momentum the ADMM loop gets; nesterov.c has the rule. anderson.c keeps the
 * vectors: momentum is a combination of the last two iterates, too. */
#ifndef TN_SOLVER_NESTEROV_H
#define TN_SOLVER_NESTEROV_H

#include <stdbool.h>

typedef struct TnNesterov {
    int calls;
    double a, last; /* the sequence; squared residual of the last iteration */
} TnNesterov;

void tn_nesterov_start(TnNesterov *nesterov);
/* θ of x = G_k + θ (G_k - G_{k-1}) for the squared residual of this iteration; 0: none. */
double tn_nesterov_momentum(TnNesterov *nesterov, double squared);

#endif
