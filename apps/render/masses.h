/* masses.h: where the mass of a model's bodies is, as boxes of even density. */
#ifndef TENON_RENDER_MASSES_H
#define TENON_RENDER_MASSES_H

#include <tenon/model_info.h>

/* A box with the mass and the inertia of a body; all zero where it has none. */
typedef struct MassBox {
    double mass;        /* kg */
    double com[3];      /* m, centre of mass in the body's axes */
    double edges[3][3]; /* m, half of each edge, along the principal axes, in the body's axes */
} MassBox;

/* One per body, by id from 0 (the world) on; the caller frees it. NULL: no memory. */
MassBox *mass_boxes(const TnModel *model);

#endif
