/* pj.h: what projected Jacobi prepares; private to pj*.c. */
#ifndef TN_BASELINES_PJ_H
#define TN_BASELINES_PJ_H

#include "solver/law/law.h"
#include "solver/method/own_method.h"

TnOwnRun tn_pj;

typedef struct TnPjBond {
    TnBondRows rows;
    double mu[12], before[12], last[12]; /* of the rows; those of the last two iterations */
    double inverse[144];                 /* (M + slack)⁻¹ */
} TnPjBond;

/* Steps B = M⁻¹ of all contacts and rows (batch->Bn, Bt and row->B), and blocks whose update
 * becomes v = A⁻¹(b + F). `sharing` multiplies every M. False: no memory, or no factor. */
bool tn_pj_prepare(TnProblem *problem, const TnCompliances *D, TnPjBond *bonds, double sharing,
                   TnPool *pool);

#endif
