/* collision.h: from link frames to a list of contact points.
 *
 * The list is the same bits for any number of threads. Points with equal geom1 are contiguous, and
 * geom1 is a geom of a moving link; geom2 may belong to the world. Groups follow each other in
 * spatial order, so that neighbours in the list are neighbours in space.
 *
 * Pairs that are near are listed where they are. Those that come from afar in one step, by more
 * than a share of their thickness, are listed only if their paths meet, and as they are then
 * (sweep.c): nothing tunnels, and what passes by an edge is not stopped by it. */
#ifndef TN_COLLISION_COLLISION_H
#define TN_COLLISION_COLLISION_H

#include <stdatomic.h>

#include "../base/arena.h"
#include "../base/pool.h"
#include "../model/frame.h"
#include "../model/model.h"
#include <tenon/ranks.h>

typedef struct TnContactPoint {
    int32_t geom1, geom2; /* indices */
    uint32_t feature;     /* persistent within the pair */
    int16_t dim;          /* 1, 3, 4 or 6 */
    int16_t resolved; /* not 0: hits of it within the step were dealt with (impact/impact.c), what
                         is left open stays open */
    int32_t soft1,
        soft2;        /* of a geom that is a soft body's surface: index in soft_points; else -1 */
    double gap;       /* m, negative: penetration, at the step's start; less the margin */
    double clearance; /* m: as gap, but of a pair that will pass by, whose gap has room for its way:
                         all that there is now */
    double normal[3]; /* unit, from geom1 to geom2 */
    /* up to here it is a line of the cache, and most phases read no more */
    double arm1[3], arm2[3]; /* m: pos from the links' centres of mass; of the world from its
                                origin, of soft points zero */
    double pos[3];           /* m, world, halfway between the surfaces */
    double time; /* s: where two run into each other that were apart, this is when, pos, arms and
                    normal are those of that moment, and gap is what the motion closes until then */
    double friction[3]; /* of the pair */
    double restitution;
    double room[2]; /* so that it is three lines long */
} TnContactPoint;
_Static_assert(sizeof(TnContactPoint) == 192, "three lines of the cache");

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
/* Of the same model with other numbers: meshes do not change, so their triangles are shared. */
TnCollider *tn_collider_create_again(const TnModel *model, const TnCollider *before);
void tn_collider_destroy(TnCollider *collider);
/* What sleeps (nonzero, per subsystem; NULL: none) from now on. Sleepers do not move; what is
 * between them, and between them and the world, is not listed. Where something awake has a contact
 * with one that would be listed, it is not either, but touched[subsystem] becomes 1: wake it and
 * detect again. */
void tn_collider_sleep(TnCollider *collider, const int32_t *asleep, atomic_uchar *touched);
/* Sleepers may be elsewhere than in the last step. */
void tn_collider_forget(TnCollider *collider);

/* Ranks have a scene in parts, each its own bodies and those near them. Their lists are then parts
 * of one list: the order depends on where everything is in space, on all ranks together. */
typedef struct TnPartOfScene {
    const TnRanks *ranks;   /* NULL: all of it is here */
    const uint8_t *foreign; /* per link: pairs of two that are not zero are not listed; the world is
                               not. NULL: none is */
    const uint8_t *counts;  /* per link: of all ranks that have it, this one counts it. NULL: all */
    double cell;            /* tn_collider_cell of a collider of the whole scene */
} TnPartOfScene;
/* From now on. Detecting is collective then. */
void tn_collider_set_part(TnCollider *collider, const TnPartOfScene *part);
/* Gives back the memory for finding contacts: this collider finds none. */
void tn_collider_trim(TnCollider *collider);
double tn_collider_cell(const TnCollider *collider);

/* Links whose joints are far beyond their limits (nonzero, per link; NULL: none) from now on: parts
 * of one robot do not collide across such a joint (overlaps.c). */
void tn_collider_beyond(TnCollider *collider, const uint8_t *beyond);
/* Parts of one robot that overlap in the reference pose, and by how much (overlaps.c). */
int tn_collider_overlap_count(const TnCollider *collider);
double tn_collider_overlap(const TnCollider *collider, int index, int *geom1, int *geom2);
/* m: smallest half of two geoms' extents. */
double tn_collider_thinness(const TnCollider *collider, int geom1, int geom2);
/* Two geoms that are apart by `gap` and move by `way` against each other are listed as they are
 * where their paths meet. */
bool tn_collider_flies(const TnCollider *collider, int geom1, int geom2, double gap, double way);

/* Where everything is, and how it moves over the step. */
typedef struct TnMotionInput {
    const TnLinkFrame *frames; /* per link */
    const double (*twists)[6]; /* per link: linear at the com, angular; world axes */
    const double (*held)[6]; /* per link: the same if contacts bear it. Pairs that meet for falling
                                alone graze (emit_meeting.c). NULL: as twists */
    const double *qpos,
        *qvel;    /* whole-model; read for soft bodies' nodes: their places and velocities */
    double t;     /* s */
    double slack; /* m: pairs are listed so far ahead */
    bool alone; /* either of a pair might stand still: what it closes is then not made up for by the
                   other's going away */
    bool exact; /* all pairs that are apart are listed as they meet, however near they are */
    const uint8_t *only; /* per link: pairs of rigid geoms count where one of the two is not zero.
                            The others must be where the detection before had them, and move by no
                            more than the slack. NULL: all */
    bool moved;          /* those others may be anywhere */
    /* per link: the twists that a list at hand was made for, from the places of
     * the detection before. Pairs may be
     * left out whose points get nowhere farther from where they were expected, one as seen from the
     * other, than `surprise`. NULL: none are */
    const double (*expected)[6];
    double surprise; /* m */
} TnMotionInput;
/* ---- rates.c ---- */
/* A soft body's surface at a contact: its node, or the nodes of its edge or triangle, and how they
 * and the contact's point on it move. */
typedef struct TnSoftFacet {
    int count;
    double place[3][3], v[3][3], point_v[3];
} TnSoftFacet;
/* n' of what is flat there, perpendicular to n; zero at a node, along an edge of an edge. */
void tn_soft_facet_turn(const TnSoftFacet *facet, const double n[3], double turn[3]);
/* Where a listed contact goes in a step of t: its point and normal in the middle and at the end. */
typedef struct TnContactWay {
    double point[2][3], normal[2][3];
} TnContactWay;
/* As its two links move by these twists; soft: read where a side is a soft body's. */
void tn_contact_way(const TnModel *model, const TnLinkFrame *frames, const double *const twist[2],
                    const TnSoftFacet soft[2], const TnContactPoint *c, double t,
                    TnContactWay *out);

/* A point is listed when gap <= t · max(0, approach speed along the normal at the point) +
 * slack, so that nothing that can touch within the step is missed and nothing else is listed.
 * False: no memory. */
bool tn_collision_detect(TnCollider *collider, const TnMotionInput *in, TnArena *arena,
                         TnPool *pool, TnContactList *out);
/* Those of soft bodies alone, with each other, with what is fixed and with moving links that are
 * `near` (not zero, per link): of the others nothing is asked for, they are far. */
bool tn_collision_detect_softs(TnCollider *collider, const TnMotionInput *in, const uint8_t *near,
                               TnArena *arena, TnPool *pool, TnContactList *out);

#endif
