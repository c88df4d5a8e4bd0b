/* movers.h: what of a model is no free body, as a model of its own. */
#ifndef TN_MODEL_MOVERS_H
#define TN_MODEL_MOVERS_H

#include "model.h"

/* A model with the robots, cables and mocap bodies of the whole, their joints, actuators, direct
 * tendons and equalities, in their order, and with all fixed bodies. It has no free bodies, geoms,
 * sites, sensors, cameras, keyframes and soft bodies. It borrows names and the arrays of rods.
 * Nothing of what it has may refer to what it lacks. `links` (whole->link_count places) and
 * `subsystems` (whole->subsystem_count) get the index in the whole of each that it has. NULL: no
 * memory. */
TnModel *tn_model_movers(const TnModel *whole, int *links, int *subsystems);

/* As tn_model_part (part.h), of a model that has such: the part has all of them, whatever refers to
 * them, and these free bodies (`subsystems`, ascending, has both). No sensors, cameras and
 * keyframes. */
TnModel *tn_model_part_with_movers(const TnModel *whole, const int *subsystems, int count,
                                   int **geoms);

#endif
