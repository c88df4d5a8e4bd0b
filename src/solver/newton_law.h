/* newton_law.h: every constraint's law, linearized where it stands: λ⁺ = a - G u⁺. */
#ifndef TN_SOLVER_NEWTON_LAW_H
#define TN_SOLVER_NEWTON_LAW_H

#include "natural_map.h"

typedef enum TnClass {
    TN_CLASS_FREE,  /* no force, or a given one: open, at a bound */
    TN_CLASS_HELD,  /* u = 0 */
    TN_CLASS_SLIPS  /* a contact held in its normal only */
} TnClass;

typedef struct TnLaws {
    TnPerConstraint a;
    TnGains G;
    unsigned char *contact_class, *row_class; /* TnClass; of a row at its upper bound TN_CLASS_SLIPS */
    bool any_slip; /* or force that hangs on another: a cannot be taken over from λ */
} TnLaws;

bool tn_laws_alloc(const TnProblem *problem, TnLaws *out); /* false: no memory */
/* Classes at u and λ. True: as they were. */
bool tn_laws_classify(const TnProblem *problem, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda, TnLaws *laws);
/* a and G for the classes; `share` of λ is where held constraints start from. */
void tn_laws_linearize(const TnProblem *problem, const TnCompliances *D, const TnPerConstraint *u,
                       const TnPerConstraint *lambda, double share, double R, TnLaws *laws);
/* a = λ of held constraints, for the classes and G that there are. */
void tn_laws_restart(const TnProblem *problem, const TnPerConstraint *lambda, double R,
                     TnLaws *laws);
/* out = a - G at */
void tn_laws_force(const TnProblem *problem, const TnLaws *laws, const TnPerConstraint *a,
                   const TnPerConstraint *at, TnPerConstraint *out);

#endif
