/* pgs.h: projected Gauss-Seidel with its choices, for tests and measurements; own_method.h has the
 * one that is used. */
#ifndef TN_SOLVER_PGS_H
#define TN_SOLVER_PGS_H

#include "../op/delassus.h"
#include "own_method.h"

typedef struct TnPgsChoice {
    TnDelassusForm form;
    bool accelerated;
} TnPgsChoice;
bool tn_pgs_with(const TnOwnInput *in, TnPgsChoice choice, TnOwnResult *out);

/* pgs_laws.c: every group once, in order. */
void tn_pgs_sweep(TnDelassus *delassus);

#endif
