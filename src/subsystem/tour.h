/* tour.h: a tree along its predicted motion q ⊕ h u, for what it carries. Internal to subsystem/.
 */
#ifndef TN_DYNAMICS_TOUR_H
#define TN_DYNAMICS_TOUR_H

#include "../math/vec3.h"
#include "dynamics.h"

typedef struct TnTour {
    const TnDynamicsInput *in;
    const TnSubsystem *sub;
    double *u, *qpos; /* whole-model; only the tree's entries count */
    TnLinkFrame *frames;
    double (*twists)[6]; /* of its links, at the velocity u */
} TnTour;

/* False: no memory. */
bool tn_tour_begin(const TnDynamicsInput *in, TnArena *arena, TnTour *tour);
/* Turns to a tree; u from its velocity and the last v̂ (whole-model). */
void tn_tour_choose(TnTour *tour, const TnSubsystem *sub, const double *last);
/* Goes to q ⊕ h u. */
void tn_tour_go(TnTour *tour, double h);

/* Of a link's point. */
static inline void tn_velocity_at(const TnLinkFrame *link, const double twist[6],
                                  const double point[3], double velocity[3])
{
    double arm[3];
    v3_sub(arm, point, link->com);
    v3_cross(velocity, twist + 3, arm);
    v3_add(velocity, velocity, twist);
}

#endif
