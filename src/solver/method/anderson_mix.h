/* anderson_mix.h: Anderson acceleration of a fixed-point map over flat vectors; anderson.c has the
 * mathematics. An iteration made G out of x and left the residual r, G - x in some norm, of which
 * the first numbers of G may have none. Per iteration: begin, take on every piece of the vectors,
 * combine once, put on every piece. Pieces may be taken by several threads; a thread with more than
 * one adds up their sums in order. */
#ifndef TN_SOLVER_ANDERSON_MIX_H
#define TN_SOLVER_ANDERSON_MIX_H

#include "../../base/arena.h"
#include "../../math/kernels/kernels.h"

#define TN_ANDERSON_MAX 16 /* largest memory */

enum { TN_MIX_SUMS = 1 + 2 * TN_ANDERSON_MAX };

typedef struct TnMix {
    int memory;
    int calls;           /* of combine */
    int columns, newest; /* differences kept, in places 0 … columns-1; the newest's place */
    double gamma[TN_ANDERSON_MAX];
    /* private */
    const TnKernels *kernels;
    long n, m;          /* numbers of G and of r */
    double *G, *r;      /* of the last iteration that was taken */
    double *dG, *dr;    /* differences, `memory` columns each */
    double best, least; /* residuals: least since the history began, of all */
    int since, resting, next_rest;
    double gram[TN_ANDERSON_MAX][TN_ANDERSON_MAX];
} TnMix;

/* False: no memory. */
bool tn_mix_alloc(TnMix *mix, TnArena *arena, int memory, long n, long m);
void tn_mix_start(TnMix *mix); /* forgets the history */
void tn_mix_begin(TnMix *mix);
/* Numbers `at` … of G, and as many as `weighed` of r. sums: |r|², then Δr_newest·Δr_j and r·Δr_j
 * for each j < columns, of these. */
void tn_mix_take(TnMix *mix, long at, long count, const double *G, long weighed, const double *r,
                 double sums[TN_MIX_SUMS]);
/* By the sums over all pieces. True: the next iterate is what tn_mix_put writes, false: G. */
bool tn_mix_combine(TnMix *mix, const double sums[TN_MIX_SUMS]);
/* x = G - Σ gamma_j ΔG_j */
void tn_mix_put(const TnMix *mix, long at, long count, double *x);

#endif
