/* impact.h: hits with restitution within a step. */
#ifndef TN_IMPACT_IMPACT_H
#define TN_IMPACT_IMPACT_H

#include "../step/step.h"

/* One hit, for queries about contacts. */
typedef struct TnImpact {
    int geom1, geom2;
    double pos[3], normal[3];
    double arm1[3], arm2[3]; /* m: there from the links' centres of mass, at that moment */
    double impulse[3];       /* N s, on geom2 */
} TnImpact;

/* What subsystems rods, soft bodies and equalities leave to the solver's own law of restitution. */
bool tn_impact_takes(const TnWorld *world, int geom1, int geom2);
/* Resolves the hits of the step that begins. Their subsystems' state becomes the one from which
 * free flight leads to where they are after their last hit; tn_impacts_undo takes that back. False:
 * no memory. */
bool tn_impacts_resolve(TnStep *step);
void tn_impacts_undo(TnStep *step);

#endif
