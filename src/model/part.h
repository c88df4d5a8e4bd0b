/* part.h: some of a model's free bodies as a model of their own. */
#ifndef TN_MODEL_PART_H
#define TN_MODEL_PART_H

#include "model.h"

/* A model with all that is fixed to the world, and of all that moves these free bodies (subsystems,
 * ascending). Everything keeps its order and its numbers, so that what is computed of a body has
 * the same bits in both. There are no sites, sensors, cameras and keyframes. It borrows the whole's
 * meshes and names. `geoms` gets the index in the whole of each of its geoms, and must have room
 * for all. NULL: no memory. */
TnModel *tn_model_part(const TnModel *whole, const int *subsystems, int count, int *geoms);

#endif
