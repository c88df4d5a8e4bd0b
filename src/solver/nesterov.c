/* nesterov.c: Nesterov's momentum for the ADMM loop, restarted.
 *
 * With G_k what iteration k makes of the state x_k (anderson.c) and r_k = G_k - x_k,
 *
 *     x_{k+1} = G_k + θ_k (G_k - G_{k-1}),    θ_k = (a_k - 1) / a_{k+1},
 *     a_{k+1} = (1 + √(1 + 4 a_k²)) / 2,      a_1 = 1,
 *
 * so that θ grows towards 1. ADMM's map has no function whose descent could be watched, and where
 * momentum overshoots |r| grows: then a begins at 1 again and the plain iterate is kept. (Going back
 * to the one before, or a restart by the sign of r_k·(G_k - G_{k-1}), which suits gradient methods,
 * does worse here; the latter diverges.) Over-relaxation is momentum, too: 1 … 1.3 suits this best. */
#include "nesterov.h"

#include <math.h>

/* A residual must fall at least so far for momentum to stay. */
#define FALL 0.999

void tn_nesterov_start(TnNesterov *n) { *n = (TnNesterov){.a = 1.0}; }

double tn_nesterov_momentum(TnNesterov *n, double squared)
{
    bool falls = n->calls++ > 0 && squared < FALL * n->last; /* not where it is NaN */
    double a = n->a, next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * a * a));
    n->last = squared;
    n->a = falls ? next : 1.0;
    return falls ? (a - 1.0) / next : 0.0;
}
