/* collision.h: from link frames to a list of contact points.
 *
 * The list is the same bits for any number of threads. Points with equal geom1 are contiguous, and
 * geom1 is a geom of a moving link; geom2 may belong to the world. Groups follow each other in
 * spatial order, so that neighbours in the list are neighbours in space. */
#ifndef TN_COLLISION_COLLISION_H
#define TN_COLLISION_COLLISION_H

#include "../base/arena.h"
#include "../base/pool.h"
#include "../model/frame.h"
#include "../model/model.h"

typedef struct TnContactPoint {
    int32_t geom1, geom2; /* indices */
    uint32_t feature;     /* persistent within the pair */
    int32_t dim;          /* 1, 3, 4 or 6 */
    double pos[3];        /* m, world, halfway between the surfaces */
    double normal[3];     /* unit, from geom1 to geom2 */
    double gap;           /* m, negative: penetration */
    double friction[3];   /* of the pair */
    double restitution;
} TnContactPoint;

typedef struct TnContactList {
    TnContactPoint *points; /* in the arena handed to tn_collision_detect */
    int count;
} TnContactList;

typedef struct TnCollider
    TnCollider; /* per world: sorted geom lists and broad-phase memory that outlives a step */

TnCollider *tn_collider_create(const TnModel *model); /* NULL: no memory */
void tn_collider_destroy(TnCollider *collider);

/* frames, twists: per link; twist = predicted velocity over the step (linear at the link's com,
 * angular), world axes. A point is listed when gap <= margin + t · max(0, approach speed along the
 * normal at the point) + slack, so that nothing that can touch within the step is missed and
 * nothing else is listed. False: no memory. */
bool tn_collision_detect(TnCollider *collider, const TnLinkFrame *frames, const double (*twists)[6],
                         double t, double slack, TnArena *arena, TnPool *pool, TnContactList *out);

#endif
