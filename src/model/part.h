/* part.h: some of a model's free bodies as a model of their own. */
#ifndef TN_MODEL_PART_H
#define TN_MODEL_PART_H

#include "model.h"

/* Which bodies and geoms each link has, so that a part costs no more than what it has. */
typedef struct TnModelIndex {
    int *body_start, *bodies; /* per link and one more, ascending */
    int *geom_start, *geoms;
    int *link, *body; /* room for numbers of links and bodies in a part */
} TnModelIndex;

bool tn_model_index(const TnModel *model, TnModelIndex *out); /* false: no memory */
void tn_model_index_free(TnModelIndex *index);

/* A model with all that is fixed to the world, and of all that moves these free bodies (subsystems,
 * ascending). Everything keeps its order and its numbers, so that what is computed of a body has
 * the same bits in both. There are no sites, sensors, cameras and keyframes. It borrows the whole's
 * meshes and names. `geoms` gets the index in the whole of each of its geoms, ascending; to be
 * freed. NULL: no memory. */
TnModel *tn_model_part(const TnModel *whole, const TnModelIndex *index, const int *subsystems,
                       int count, int **geoms);

#endif
