/* small_steps.h: the solution of a small island on its way. */
#ifndef TN_SOLVER_SMALL_STEPS_H
#define TN_SOLVER_SMALL_STEPS_H

#include "small.h"

#define TN_SMALL_CAREFUL 300.0   /* what a step moves is known to 1/300: after one that lost */
#define TN_SMALL_RUN_AWAY 1e4    /* velocity_scale: D λ that only contradictions ask for */
#define TN_SMALL_MOST_FACTORS 60 /* of a solve */

typedef struct TnSmallSolve {
    TnSmall small;
    double tolerance, scale; /* m/s; scale: velocity_scale */
    double wanted;           /* the tolerance, or less where less is to be had */
    bool rests;              /* then less is wanted from the start */
    TnNaturalMap map;        /* of small.lambda */
    double best, *best_lambda;
    double R;   /* of the next step */
    bool bold;  /* no step has lost so far */
    bool gains; /* the last one */
    TnIslandReport *report;
} TnSmallSolve;

static inline bool tn_small_done(const TnSmallSolve *s) { return s->best < s->tolerance; }
/* At small.lambda anew, by laws that have changed. */
void tn_small_look_again(TnSmallSolve *solve);
/* No forces. */
void tn_small_clear(TnSmallSolve *solve);
/* The best forces. */
void tn_small_go_back(TnSmallSolve *solve);
/* Up to so many steps, the first with R; goes on with the R of the last ones where R is 0. True: to
 * the tolerance. */
bool tn_small_arrive(TnSmallSolve *solve, double R, int steps);

#endif
