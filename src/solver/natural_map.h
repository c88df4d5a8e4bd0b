/* natural_map.h: how far v and λ are from a solution, in velocity units:
 *
 *     contact      D_n (λ_n - t_n⁺), D_t (λ_t - Π(t_t)),   t = λ - D⁻¹u,  Π on the disc of μ t_n⁺
 *     scalar row   D (λ - Π(λ - u/D)),   Π as law/law.h has it
 *     bond         w (λ - Π(λ - W z)),   W, w and Π as law/linear.c has them
 *
 * each times its lever where it is an angular velocity, with u = J v + e and D the local compliance
 * J A⁻¹ Jᵀ. All are zero where, and only where, the laws hold exactly. A tolerance is about the
 * largest of them at v_λ = A⁻¹(b + Jᵀλ), where the dynamics hold exactly. */
#ifndef TN_SOLVER_NATURAL_MAP_H
#define TN_SOLVER_NATURAL_MAP_H

#include "../math/kernels/contact_kernels.h"
#include "op/assembly.h"

typedef enum TnConstraintKind {
    TN_NO_CONSTRAINT,
    TN_A_CONTACT,
    TN_A_ROW,
    TN_A_BOND
} TnConstraintKind;

typedef struct TnNaturalMap {
    double largest; /* m/s */
    double rms;     /* m/s */
    TnConstraintKind worst;
    int worst_index; /* among the problem's contacts, rows or bonds */
} TnNaturalMap;

/* D of all constraints; zero where nothing yields: such directions bear no force and have no
 * error. */
typedef struct TnCompliances {
    TnContactYield *contact; /* per batch */
    double *row;
    double (*squared)[TN_LANES]; /* scratch: per batch, of the map */
} TnCompliances;
static inline double tn_normal_compliance(const TnCompliances *D, int contact)
{
    return D->contact[contact / TN_LANES].D[0][contact % TN_LANES];
}
static inline double tn_tangent_compliance(const TnCompliances *D, int contact)
{
    return D->contact[contact / TN_LANES].D[1][contact % TN_LANES];
}
/* From the problem's arena, after tn_problem_prepare_A; prepares bonds too. False: no memory. */
bool tn_compliances(TnProblem *problem, TnCompliances *out);

/* u = J v + e of contacts and rows, z = J v of bonds. */
void tn_constraint_velocities(const TnProblem *problem, const TnVelocities *at, TnPerConstraint *u);
TnNaturalMap tn_natural_map(const TnProblem *problem, const TnCompliances *D,
                            const TnPerConstraint *u, const TnPerConstraint *lambda);
/* Largest violation, m/s, of what takes no force because nothing yields to it: the map says nothing
 * about such rows and normals. */
double tn_helpless_error(const TnProblem *problem, const TnCompliances *D,
                         const TnPerConstraint *u);
/* What rounding of such forces makes of constraint velocities, m/s: no error below it can be
 * claimed. */
double tn_natural_map_rounding(const TnProblem *problem, const TnCompliances *D,
                               const TnPerConstraint *lambda);

#endif
