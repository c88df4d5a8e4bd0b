/* compliant.h: contacts that yield, with memory. C = D/R per contact, in the normal and in the
 * tangents, about the force λ_c that the contact had in the step before (0 of a new one):
 *
 *     u' = J v + e + C (λ - λ_c)     in place of u = J v + e in the law
 *
 * In a dense pile Coulomb's law has solutions that iterations are driven away from; with R of some
 * tens they are found (docs/solver.md). Where forces stay the same from step to step λ = λ_c, and
 * the law is the rigid one. */
#ifndef TN_SOLVER_COMPLIANT_H
#define TN_SOLVER_COMPLIANT_H

#include "natural_map.h"

/* R of all contacts, or where stiffness is above 0, R = D_n · stiffness of each (N per m/s).
 * Memory from the problem's arena; may be done again with other numbers. Returns the smallest R
 * there is; 0: no memory. */
double tn_contacts_yield(TnProblem *problem, const TnCompliances *D, double R, double stiffness);
/* u becomes u'. */
void tn_add_give(const TnProblem *problem, const TnPerConstraint *lambda, TnPerConstraint *u);

#endif
