/* part_bodies.h: free bodies as a list for a part. */
#ifndef TN_MODEL_PART_BODIES_H
#define TN_MODEL_PART_BODIES_H

#include "part.h"
#include "part_cut.h"

/* It refers to what the sources have. False: no memory. */
bool tn_free_list(const TnPart *from, const TnBodySource *sources, int count, TnFreeList *out);
void tn_free_list_free(TnFreeList *list);

#endif
