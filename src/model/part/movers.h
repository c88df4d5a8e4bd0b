/* movers.h: what of a model is no free body, as a model of its own. */
#ifndef TN_MODEL_MOVERS_H
#define TN_MODEL_MOVERS_H

#include "../model.h"

/* A model with the robots, cables, soft bodies and mocap bodies of the whole, their joints,
 * actuators, direct tendons and equalities, in their order, and with all fixed bodies. It has no
 * free bodies, sites, sensors, cameras and keyframes, and of the geoms only the surfaces of soft
 * bodies. It borrows names and the arrays of rods and soft bodies.
 * Nothing of what it has may refer to what it lacks. `links` (whole->link_count places) and
 * `subsystems` (whole->subsystem_count) get the index in the whole of each that it has. NULL: no
 * memory. */
TnModel *tn_model_movers(const TnModel *whole, int *links, int *subsystems);

#endif
