/* pull_soft.h: the mouse pulls a soft body at a patch of its nodes. */
#ifndef TENON_VIEW_PULL_SOFT_H
#define TENON_VIEW_PULL_SOFT_H

#include "pull.h"

/* The nodes that are pulled, and with which share of the force. Starts as {0}. */
typedef struct SoftGrip {
    TnSoftId soft;
    int nodes[3]; /* of the triangle that it was made for */
    int *patch;
    double *shares; /* of the patch's nodes; their sum is 1 */
    int count;
    double offset[3]; /* m, world: from the patch's mean to the point that is held */
    double mass;      /* kg, of the soft body */
    double shown;     /* kg, that the patch shows at least */
    double timestep;  /* s */
} SoftGrip;

bool soft_grip_fits(const SoftGrip *grip, const Pull *pull);
/* Replaces what was gripped before; false where there is no memory. */
bool soft_grip_take(SoftGrip *grip, const Pull *pull, const TnWorld *world);
/* Gives the nodes their forces for the next step; `at` is the point that is held. */
void soft_grip_pull(const SoftGrip *grip, const Pull *pull, TnWorld *world, double force[3],
                    double at[3]);
void soft_grip_free(SoftGrip *grip);

#endif
