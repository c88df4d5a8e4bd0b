/* part_places.h: what the files of cutting models (part_cut.h) share. */
#ifndef TN_MODEL_PART_PLACES_H
#define TN_MODEL_PART_PLACES_H

#include "part_cut.h"

/* Of the whole, which is what is cut: index in the part, or -1. */
typedef struct TnPlaces {
    const TnCut *cut;
    const TnModel *whole;
    int *link, *body, *joint, *dof, *qpos, *subsystem, *geom;
    int *memory;
    TnCutNumbers *of; /* the part */
} TnPlaces;

/* Fills the arrays of a part that has its counts and its memory; `holds`: room for those of soft
 * bodies. */
void tn_cut_copy(const TnPlaces *places, TnSoftHold *holds, TnModel *out);

#endif
