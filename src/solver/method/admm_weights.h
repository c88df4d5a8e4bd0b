/* admm_weights.h: the weights W of assembled_admm.c, a symmetric matrix per constraint: s/D, of
 * contacts along the normal and across it, zero in directions that yield nothing; of soft rows and
 * bonds their own gain; of hard bonds s Jᵀ(J C Jᵀ)⁺J of the pair (J, C: law/linear_weights.c). */
#ifndef TN_SOLVER_ADMM_WEIGHTS_H
#define TN_SOLVER_ADMM_WEIGHTS_H

#include "../natural_map.h"

typedef struct TnAdmmWeights {
    const TnProblem *problem;
    TnGains W;
    double (*along)[2], (*across)[2]; /* of contacts: W and W^-½ along the normal and across it */
    double (*bond_pull)[12];          /* of hard bonds: s Jᵀ(J C Jᵀ)⁺ e */
    TnPerConstraint root;             /* W^-½ of rows and bonds, zero of soft ones */
} TnAdmmWeights;

bool tn_admm_weights_alloc(const TnProblem *problem, TnAdmmWeights *out); /* false: no memory */
/* s = scale, times `equality` for equalities and hard bonds. */
void tn_admm_weights_set(TnAdmmWeights *weights, const TnCompliances *D, double scale,
                         double equality);
/* y = (across (I - nnᵀ) + along nnᵀ) x */
void tn_admm_split(const double n[3], double along, double across, const double x[3], double y[3]);
static inline void tn_admm_weigh_contact(const TnAdmmWeights *w, int c, const double x[3],
                                         double y[3])
{
    tn_admm_split(w->problem->normals[c], w->along[c][0], w->across[c][0], x, y);
}
void tn_admm_weigh_bond(const TnAdmmWeights *weights, int bond, const double x[12], double y[12]);
/* out = W x */
void tn_admm_weigh(const TnAdmmWeights *weights, const TnPerConstraint *x, TnPerConstraint *out);
/* x ← W^-½ x */
void tn_admm_unweigh_root(const TnAdmmWeights *weights, TnPerConstraint *x);
/* ‖W^-½ (x - y)‖² and ‖W^½ (x - y)‖² of contacts and all rows that are not soft. */
double tn_admm_force_norm(const TnAdmmWeights *weights, const TnPerConstraint *x,
                          const TnPerConstraint *y);
double tn_admm_velocity_norm(const TnAdmmWeights *weights, const TnPerConstraint *x,
                             const TnPerConstraint *y);

#endif
