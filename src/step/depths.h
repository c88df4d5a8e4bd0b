/* depths.h: how deep two geoms are in each other, as a list of contacts has it.
 *
 * Contacts are found by the lower of their two geoms, so a question costs as many looks as that one
 * has contacts, in a scene of any size. */
#ifndef TN_STEP_DEPTHS_H
#define TN_STEP_DEPTHS_H

#include "../base/pool.h"
#include "../collision/collision.h"

typedef struct TnDepths {
    const TnContactPoint *points;
    int32_t *start, *of; /* of a geom: of[start[geom]] … of[start[geom + 1] - 1] */
} TnDepths;

/* False: no memory. */
bool tn_depths_open(TnPool *pool, TnArena *arena, const TnContactList *list, int geom_count,
                    TnDepths *out);
/* m, 0 where they do not overlap. */
double tn_depths_of(const TnDepths *depths, int geom1, int geom2);

#endif
