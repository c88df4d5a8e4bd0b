/* collision.h: from link frames to a list of contact points.
 *
 * The list is the same bits for any number of threads. Points with equal geom1 are contiguous, and
 * geom1 is a geom of a moving link; geom2 may belong to the world. Groups follow each other in
 * spatial order, so that neighbours in the list are neighbours in space. */
#ifndef TN_COLLISION_COLLISION_H
#define TN_COLLISION_COLLISION_H

#include <stdatomic.h>

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
    int32_t soft1,
        soft2; /* of a geom that is a soft body's surface: index in soft_points; else -1 */
} TnContactPoint;

/* A point of a soft body's surface: Σ weight · node. */
typedef struct TnSoftPoint {
    int32_t soft;     /* index in the model */
    int32_t triangle; /* of the surface; -1: a node alone */
    int32_t count;    /* 1 … 3 nodes */
    int32_t node[3];
    double weight[3]; /* of sum 1 */
} TnSoftPoint;

typedef struct TnContactList {
    TnContactPoint *points; /* in the arena handed to tn_collision_detect */
    int count;
    TnSoftPoint *soft_points; /* the same */
    int soft_point_count;
} TnContactList;

typedef struct TnCollider
    TnCollider; /* per world: sorted geom lists and broad-phase memory that outlives a step */

TnCollider *tn_collider_create(const TnModel *model); /* NULL: no memory */
void tn_collider_destroy(TnCollider *collider);
/* Who sleeps (nonzero, per subsystem; NULL: nobody) from now on. Sleepers do not move; what is
 * between them, and between them and the world, is not listed. Where something awake has a contact
 * with one that would be listed, it is not either, but touched[subsystem] becomes 1: wake it and
 * detect again. */
void tn_collider_sleep(TnCollider *collider, const int32_t *asleep, atomic_uchar *touched);
/* Sleepers may be elsewhere than in the last step. */
void tn_collider_forget(TnCollider *collider);

/* frames, twists: per link; twist = predicted velocity over the step (linear at the link's com,
 * angular), world axes. qpos, end_qvel: whole-model; read for soft bodies' nodes: where they are
 * and their predicted velocity. A point is listed when gap <= margin + t · max(0, approach speed
 * along the normal at the point) + slack, so that nothing that can touch within the step is missed
 * and nothing else is listed. False: no memory. */
bool tn_collision_detect(TnCollider *collider, const TnLinkFrame *frames, const double (*twists)[6],
                         const double *qpos, const double *end_qvel, double t, double slack,
                         TnArena *arena, TnPool *pool, TnContactList *out);

#endif
