/* mocap.h: bodies whose pose users set, in a step. */
#ifndef TN_WORLD_MOCAP_H
#define TN_WORLD_MOCAP_H

#include "world.h"

/* Frames and velocities of mocap bodies from the state. */
void tn_mocap_place(TnWorld *world);
/* Their velocities of the sub-step that begins, and where it leads them. Wakes all if one
 * moves. */
void tn_mocap_begin(TnWorld *world);
/* The same velocities in another array, per link. */
void tn_mocap_copy_twists(const TnWorld *world, double (*twists)[6]);
/* The sub-step was taken. */
void tn_mocap_finish(TnWorld *world);

#endif
