/* mix.h: Anderson's method for a fixed point x = f(x) of few unknowns. Internal to articulated/.
 *
 * Of the last points x_j and their residuals r_j = f(x_j) - x_j it takes the affine combination
 * with the smallest residual, and goes on from there: x = Σ a_j f(x_j), Σ a_j = 1. For n unknowns
 * and n + 1 points that is the secant method. */
#ifndef TN_DYNAMICS_MIX_H
#define TN_DYNAMICS_MIX_H

#include "../../base/arena.h"

enum { TN_MIX_DEPTH = 4 };

typedef struct TnMix {
    int n, count;                    /* unknowns; points so far */
    double *image[TN_MIX_DEPTH + 1]; /* f(x_j); a ring */
    double *residual[TN_MIX_DEPTH + 1];
} TnMix;

bool tn_mix_init(TnMix *mix, int n, TnArena *arena); /* false: no memory */
/* From x and its image f(x) to the next point, which replaces x. Squares of unknowns count with
 * `weight[i·stride]`. */
void tn_mix_next(TnMix *mix, const double *weight, int stride, const double *image, double *x);

#endif
