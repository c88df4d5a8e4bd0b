/* nnewton.h: residuals of all constraints and their derivatives, for nnewton.c alone. */
#ifndef TN_BASELINES_NNEWTON_H
#define TN_BASELINES_NNEWTON_H

#include "solver/method/own_method.h"

TnOwnRun tn_nnewton;

/* dλ = a - G du, where every residual would vanish if it were linear. */
typedef struct TnNewtonLines {
    TnPerConstraint a;
    TnGains G;
} TnNewtonLines;

/* At u and λ; R bounds what a constraint that holds may answer: dλ = -R (u + du)/D. */
void tn_nnewton_lines(const TnProblem *problem, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda, double R, TnNewtonLines *out);
/* RMS of what a full step leaves of the residuals if they are linear: D dλ / R. */
double tn_nnewton_left(const TnProblem *problem, const TnCompliances *D,
                       const TnPerConstraint *dlambda, double R);
/* Forces that no step would change: none where nothing yields, of hard bonds the part that is some
 * Jᵀμ. */
void tn_nnewton_clean(const TnProblem *problem, const TnCompliances *D, TnPerConstraint *lambda);

#endif
