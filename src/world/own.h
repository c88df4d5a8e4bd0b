/* own.h: what a world changes of its model.
 *
 * A model is immutable and shared. A world works with a copy of its head, `own`, whose arrays are
 * the model's until one is changed: then the world gets its own copy of that array. So a step reads
 * one model, whatever was changed. Changes of parameters last until they are changed again, also
 * over reset and restore. Which equalities are active, and with what pose, is state. */
#ifndef TN_WORLD_OWN_H
#define TN_WORLD_OWN_H

#include "world.h"

/* The array is the world's own from now on. False: no memory. */
bool tn_world_own(TnWorld *world, TnOwnPart part);
/* What depends on parameters is found again: groups, and what depends on how it moves; `shapes`:
 * the collider, too. Forgets the last step. False: no memory, and nothing has changed. */
bool tn_world_renew(TnWorld *world, bool shapes);

/* ---- world_equality.c ---- */
/* As in the shared model. */
void tn_world_original_equalities(TnWorld *world);
/* As the state has them. False: no memory. */
bool tn_world_follow_equalities(TnWorld *world);

#endif
