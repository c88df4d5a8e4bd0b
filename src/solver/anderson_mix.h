/* anderson_mix.h: the small half of Anderson acceleration: which differences are kept, their Gram
 * matrix, the coefficients and when to forget. Who uses it (anderson.c, assembled_admm.c) keeps
 * the vectors and makes the sums. anderson.c has the mathematics. */
#ifndef TN_SOLVER_ANDERSON_MIX_H
#define TN_SOLVER_ANDERSON_MIX_H

#include <stdbool.h>

#define TN_ANDERSON_MAX 16 /* largest memory */

enum { TN_MIX_SUMS = 1 + 2 * TN_ANDERSON_MAX };

typedef struct TnMix {
    int memory;
    int calls;           /* of combine */
    int columns, newest; /* differences kept, in places 0 … columns-1; the newest's place */
    double gamma[TN_ANDERSON_MAX];
    /* private */
    double best, least; /* residuals: least since the history began, of all */
    int since, resting, next_rest;
    double gram[TN_ANDERSON_MAX][TN_ANDERSON_MAX];
} TnMix;

void tn_mix_start(TnMix *mix, int memory);
/* Before an iteration's differences are written: moves `newest` to their place. */
void tn_mix_begin(TnMix *mix);
/* sums: |r|², then Δr_newest·Δr_j and r·Δr_j for each j < columns. True: the next iterate is
 * G - Σ gamma_j ΔG_j, false: G. */
bool tn_mix_combine(TnMix *mix, const double sums[TN_MIX_SUMS]);

#endif
