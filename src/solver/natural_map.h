/* natural_map.h: how far v and λ are from a solution, in velocity units, by one number per constraint:
 *
 *     contact      D_n (λ_n - t_n⁺) and D_t (λ_t - Π(t_t)),   t = λ - D⁻¹u, Π on the disc of radius μ t_n⁺
 *     scalar row   D (λ - Π(λ - u/D))
 *     bond         as metrics.c has it
 *
 * with u = J v + e and D the local compliance J A⁻¹ Jᵀ. It is zero where, and only where, the laws hold
 * exactly. Tolerances are about the largest of these at v_λ = A⁻¹(b + Jᵀλ). */
#ifndef TN_SOLVER_NATURAL_MAP_H
#define TN_SOLVER_NATURAL_MAP_H

#include "assembly.h"

typedef enum TnConstraintKind { TN_NO_CONSTRAINT, TN_A_CONTACT, TN_A_ROW, TN_A_BOND } TnConstraintKind;

typedef struct TnNaturalMap {
    double largest; /* m/s */
    double rms;     /* m/s */
    TnConstraintKind worst;
    int worst_index; /* among the problem's contacts, rows or bonds */
} TnNaturalMap;

/* At v̂ as it stands in the problem (twist table and large blocks) and the problem's λ. */
TnNaturalMap tn_natural_map(const TnProblem *problem, const TnVelocities *at);
/* D of all constraints (contacts: normal, tangent), once per solve. */
typedef struct TnCompliances {
    double (*contact)[2];
    double *row;
} TnCompliances;
bool tn_compliances(const TnProblem *problem, TnCompliances *out); /* false: no memory */
/* The same map from u = J x (e' is added here) and λ. */
TnNaturalMap tn_natural_map_of(const TnAssembly *assembly, const TnCompliances *D,
                               const TnPerConstraint *u, const TnPerConstraint *lambda);

#endif
