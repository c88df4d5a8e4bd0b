/* best.h: judges forces by the natural map and keeps the best of them. */
#ifndef TN_SOLVER_BEST_H
#define TN_SOLVER_BEST_H

#include <math.h>

#include "natural_map.h"

typedef struct TnBest {
    TnProblem *problem;
    TnCompliances D;
    double tolerance; /* m/s */
    /* of the forces looked at last: */
    TnNaturalMap map;
    TnVelocities implied;   /* v_λ = A⁻¹(b + Jᵀλ) where constraints reach */
    TnPerConstraint u;      /* J v_λ + e; of compliant contacts u' (compliant.h) */
    TnPerConstraint lambda; /* the forces themselves */
    bool absurd;            /* they are so large that rounding exceeds the tolerance */
    /* of the best forces so far: */
    TnPerConstraint best_lambda;
    double error; /* largest map, m/s; infinite: nothing was looked at */
} TnBest;

/* After tn_problem_prepare_A; memory from the problem's arena. False: no memory. */
bool tn_best_start(TnProblem *problem, double tolerance, TnBest *out);
/* Looks at the problem's λ. True: its map is below the tolerance. */
bool tn_best_look(TnBest *best);
/* Begins again at the problem's λ, by other laws or to another tolerance. */
bool tn_best_again(TnBest *best, double tolerance);
/* Largest map of the forces looked at last by the laws of rigid contacts, m/s; u becomes theirs. */
double tn_best_rigid_error(TnBest *best);
/* Puts the best λ back into the problem and looks at it. */
void tn_best_return(TnBest *best);
static inline bool tn_best_done(const TnBest *best) { return best->map.largest < best->tolerance; }
/* The forces looked at last are the best. */
static inline bool tn_best_is_here(const TnBest *best)
{
    return best->map.largest <= best->error && best->error < INFINITY;
}

#endif
