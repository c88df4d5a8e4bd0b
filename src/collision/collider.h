/* collider.h (internal): per-world memory of the collision phase, all of it allocated by
 * tn_collider_create.
 *
 * Geoms that can collide at all get a slot. Slots are sorted once: moving, then those of mocap
 * bodies, then fixed; small before large, planes (always fixed) last. The geom with the lower slot
 * is a contact's geom1, so geom1 always moves, and the order of a pair never changes.
 *
 * A step:  bounds.c  places and swept boxes of all slots
 *          grid.c    slots of similar size into one grid each, a few larger ones into a list
 *          detect.c  for each moving slot the neighbours with a higher slot
 *          pairs.c   of few geoms instead of grids and neighbours: a list of all pairs
 *          emit*.c   for each such pair: filter, narrow phase, points
 *
 * Work is cut into chunks of as many slots whatever the number of threads, each with its own part
 * of the point list. */
#ifndef TN_COLLISION_COLLIDER_H
#define TN_COLLISION_COLLIDER_H

#include "collision.h"
#include "narrow/narrow.h"

#include <math.h>

/* Slots per chunk at most and at least: chunks are so many at least where slots suffice. */
#define TN_CHUNK 64
#define TN_LEAST_CHUNK 12
#define TN_LEAST_CHUNKS 24
#define TN_ROD_CHUNK 1024 /* where rods look for themselves */
#define TN_LEVEL_MAX 64   /* sizes are sorted by powers of two */
#define TN_CANDIDATES 256 /* pairs handed from the broad to the narrow phase at a time */
#define TN_CELLS_PER_MEMBER 4
#define TN_CELLS_MORE 64
/* cells of all grids together: tables are no larger than their members need */
#define TN_GRID_CELLS(n)                                                                           \
    (TN_CELLS_PER_MEMBER * (size_t)(n) + (TN_CELLS_MORE + 1) * (size_t)TN_LEVEL_MAX)
#define TN_FEW 24 /* so many are quicker to list than to put into a grid */

/* All that a pair of spheres and the filter need of a slot, in two cache lines. */
typedef struct TnSlot {
    /* per step */
    double pos[3];      /* of the shape's centre, world */
    double radius;      /* constant: size[0] */
    double velocity[3]; /* of the shape's centre */
    double speed;       /* no point of the shape moves faster */
    /* constant */
    uint32_t type_mask, affinity_mask;
    int32_t link;
    int32_t special; /* bits: 1 part of a tree, an exclude or an explicit pair, 2 may clamp a rod
                        (filter.c), 4 overlaps with another part of its robot (overlaps.c); two that
                        share one need a look at the model */
    int32_t geom;    /* index in the model */
    int32_t surface; /* index in TnCollider.surfaces */
    TnGeomType shape_type;
    int32_t rod; /* of a rod whose segments need not look for each other in grids: its index + 1;
                    else 0 */
    double margin;
    int32_t chain, near; /* of a rod: its index + 1, and links that are less than this apart do not
                            meet; else 0 */
    int32_t aligned;     /* its axes are the link's, as a rod's segments have them */
    int32_t piece;       /* of a mesh in pieces: its number; else 0 */
    int32_t pad[2];
} TnSlot;

/* What the update of a slot's bounds needs, in one cache line. */
typedef struct TnSlotLocal {
    double pos[3]; /* in the link's axes */
    double bounding_radius;
    double half_extent[3];
    double bound_margin; /* largest margin in which it may take part, m */
} TnSlotLocal;

/* What a contact takes from its geoms; equal ones are stored once. */
typedef struct TnSurface {
    int32_t dim, priority;
    double friction[3];
    double restitution;
} TnSurface;

/* A swept box and ball about its centre, rounded outwards to float: two fit a cache line. */
typedef struct TnBounds {
    float c[3];
    int32_t slot;
    float h[3]; /* half box */
    float r;    /* of the ball */
} TnBounds;

/* A uniform grid over the centres of boxes of similar size, members sorted by cell, x fastest:
 * neighbours along x are one run. A grid that would be much larger than its members wraps around;
 * the box test sorts out strangers in the same cell. */
typedef struct TnGrid {
    int begin, count;           /* members in TnCollider.members */
    int total;                  /* with those of other ranks */
    int first[3];               /* cell that the table begins with */
    int true_dims[3];           /* cells along each axis */
    int dims[3];                /* of the table, <= true_dims */
    double origin[3], per_cell; /* cells per metre */
    float reach[3];             /* largest half box of a member */
    bool round;  /* all members are spheres: their balls are tighter than their boxes */
    int32_t rod; /* all members have this as TnSlot.rod, which is not 0: they need not ask here */
    int32_t *start; /* per cell of the table and one more: first member */
} TnGrid;

/* Segments of a rod whose segments may meet, in their order along it (rod_pairs.c). */
typedef struct TnRodRun {
    int begin, count; /* in TnCollider.order and along; no segments: it never meets itself */
    int near;         /* those that are less than this apart do not meet */
} TnRodRun;

/* Fixed geoms that a segment of a rod comes out of (clamps.c), as slots. */
#define TN_CLAMPS_LISTED 3
typedef struct TnClamp {
    int32_t count; /* more than are listed: asked each time */
    int32_t fixed[TN_CLAMPS_LISTED];
} TnClamp;

/* Two parts of one robot that overlap in the reference pose (overlaps.c). */
#define TN_SPECIAL_OVERLAPS 4
typedef struct TnOverlap {
    int32_t slot1, slot2; /* slot1 < slot2 */
    double depth;         /* m */
} TnOverlap;

typedef struct TnPairEntry {
    int32_t low, high, index;
} TnPairEntry; /* geoms of an explicit pair, sorted */

struct TnCollider {
    const TnModel *model;
    int count;        /* slots */
    int moving_count; /* those on moving links come first, */
    int fixed_start;  /* then those of mocap bodies, */
    int finite_count; /* then fixed ones, the planes last */
    bool one_rod;     /* all that move are segments of one rod */
    double cell;      /* m: cell of level 0, a little above the usual box */
    bool in_parts;    /* ranks have the scene in parts: */
    TnPartOfScene part;
    /* constant, per slot */
    TnSlot *slots; /* half constant, half per step */
    TnSlotLocal *locals;
    TnShape *shape;
    double *thinness;              /* m: smallest half of the shapes' extents */
    struct TnTriMesh **tri_meshes; /* those that collide as triangles (tri_mesh.h); else NULL */
    TnSurface *surfaces;
    int surface_count;
    TnPairEntry *pairs;
    int pair_count;
    TnOverlap *overlaps; /* sorted, on the heap */
    int overlap_count;
    int32_t *slot_of;  /* geom -> slot, -1 for one that never collides */
    TnClamp *clamps;   /* per link; none without rods */
    uint8_t *excluded; /* body -> named by an exclude */
    /* Only of a device's copy (gpu/mirror.h), in place of the model's own answers: the rows of
     * special slots, one more place for how many there are, and a table over two of them. */
    const int32_t *verdict_row, *verdicts;
    /* per step, per slot (fixed ones are placed at create) */
    TnTransform *place;
    TnBounds *bounds;
    int8_t *level;
    const uint8_t *beyond; /* per link; NULL: none (tn_collider_beyond) */
    /* sleep */
    const int32_t *asleep; /* per subsystem; NULL: none */
    atomic_uchar *touched;
    int32_t *subsystems; /* per slot, of those that move */
    uint8_t *sleeping;   /* per slot, in this step */
    uint8_t *placed;     /* per slot: sleeps or is fixed, and its bounds are those of `slack` */
    double slack;
    bool any_sleeping, awake; /* some slot sleeps; some moving one does not */
    bool any_asleep;          /* some slot sleeps and is not only left out */
    bool stale;               /* some bounds change in this step */
    /* grids */
    TnGrid grids[TN_LEVEL_MAX];
    int grid_count;
    TnBounds *members;    /* of all grids, sorted by cell */
    int32_t *cell_of;     /* scratch: cell of a slot, -1: not in this grid */
    int32_t *slot_order;  /* scratch: a grid's slots by cell */
    int32_t *cells;       /* tables of all grids */
    TnBounds few[TN_FEW]; /* those in no grid */
    int few_count;
    const TnBounds *
        *items; /* boxes of the moving slots in spatial order: the order of the contact list */
    int item_count;
    /* rods that may meet themselves */
    TnRodRun *runs; /* per rod */
    int32_t *order; /* slots; constant */
    int along_count;
    TnBounds *along, *groups, *blocks; /* boxes of segments, of eight in a row, of 64 */
    struct TnPairList *list;           /* of few geoms: all pairs (pairs.c). NULL: grids */
    struct TnSoftSurface *softs;       /* per soft body (soft_surface.h) */
    /* chunks */
    int chunk; /* items in one */
    int chunk_count;
    int *chunk_capacity, *chunk_used; /* points */
    size_t *chunk_start;              /* first point of a chunk's part */
    void *memory;                     /* the one block that holds all of the above */
};

/* Asks for a slot's two cache lines ahead of time. */
static inline void tn_slot_fetch(const TnSlot *slot)
{
#ifdef __GNUC__
    __builtin_prefetch(slot);
    __builtin_prefetch((const char *)slot + 64);
#else
    (void)slot;
#endif
}

/* One step's input, shared by all threads. */
typedef struct TnDetection {
    TnCollider *collider;
    const TnLinkFrame *frames;
    const double (*twists)[6];
    const double (*held)[6]; /* as in TnMotionInput */
    double t, slack;
    bool alone;                  /* likewise */
    const uint8_t *only;         /* likewise */
    bool moved;                  /* likewise */
    const double (*expected)[6]; /* likewise */
    double surprise;             /* likewise */
    double far, touching;        /* shares of the thinner shape's half, see emit_shapes.c */
    TnContactPoint *points;      /* all chunks' parts, one after the other */
} TnDetection;

/* Parameters of a pair. */
typedef struct TnPairRule {
    int32_t dim;
    double friction[3], restitution;
} TnPairRule;

/* ---- emit.c ---- */
/* Shares of the thinner shape's half: what is apart by more and moves by more is looked at where it
 * meets, which is where it is apart by less than the first. */
#define TN_TOUCHING 1e-3
#define TN_FAR 0.02
/* Of the same half: a point of a pair that goes farther in a step is another one. */
#define TN_JUMP 0.5

/* ---- sweep.c ---- */
/* So many times TN_TOUCHING is looked on, to tell a hit from a graze. */
#define TN_SWEEP_LOOK_ON 4.0

/* A pair that passed the filter. */
typedef struct TnSlotPair {
    int slot1, slot2;
    int explicit_pair; /* index in the model, or -1 */
    double margin;
    double least;     /* m: with a smaller gap they do not collide (overlaps.c) */
    double together;  /* m: they move by no more against each other; infinite: not known */
    double apart[3];  /* of a listed pair: the way from shape 2 to shape 1, in the axes of shape 1,
                         as it was when they were last apart. It says where to look first */
    double normal[3]; /* likewise, from shape 1 to 2: when it was last looked at, all of its points
                         had this and were as they are at the start. Or zero */
    int seen;         /* then: in which look that was, see pairs.c */
} TnSlotPair;

/* A chunk's part of the point list; `count` goes on past the capacity, so that a second try has the
 * right size. */
typedef struct TnEmitter {
    const TnDetection *detection;
    TnContactPoint *points;
    int capacity, count;
    bool own; /* these are pairs of segments of one rod, as it found them itself */
    int32_t surface1, surface2; /* of the pair that `rule` was mixed for last */
    TnPairRule rule;
} TnEmitter;
/* Filter and narrow phase of `count` pairs; context is a TnEmitter. */
void tn_emit_pairs(void *context, const int32_t *slot1, const int32_t *slot2, int count);
/* Narrow phase of a pair of the list. */
void tn_emit_listed(TnEmitter *emitter, TnSlotPair *pair);

/* ---- sweep.c ---- */
/* A shape that moves with its link. */
typedef struct TnMover {
    const TnShape *shape;
    const TnTransform *start;
    const double *com, *twist; /* of the link, as in tn_collision_detect; of the world zeros */
    double reach;              /* no point of the shape that turning moves is farther from com */
    double thinness;
} TnMover;
/* Where it is after so many seconds. */
void tn_mover_at(const TnMover *mover, double time, TnTransform *out);
/* Smallest half of a shape's extents. */
double tn_shape_thinness(const TnShape *shape, const double half_extent[3]);
/* m/s: turning moves no point of one faster against the other. */
double tn_mover_turning(const TnMover *a, const TnMover *b);
typedef enum TnPassing { TN_STAYS_APART, TN_PASSES_BY, TN_MEETS } TnPassing;
/* Of two shapes that are apart: whether they touch within [0, t], or at least come as near as
 * `near`. TN_MEETS: *time is when, and `at` where they are then. `look_on`: not so where they only
 * pass along each other. `start`: how they are now. */
TnPassing tn_sweep(const TnMover *a, const TnMover *b, double t, double near, bool look_on,
                   const TnManifold *start, double *time, TnTransform at[2]);

/* ---- clamps.c ---- */
void tn_clamps_init(TnCollider *collider);
/* Whether the rod comes out of the fixed slot at this link. */
bool tn_is_clamped(const TnCollider *collider, int fixed, int link);

/* ---- overlaps.c ---- */
/* Places and filters are known. False: no memory. */
bool tn_overlaps_init(TnCollider *collider);
/* Whether a joint between two links of one robot is far beyond its limits. */
bool tn_is_beyond(const TnCollider *collider, int link1, int link2);
/* TnSlotPair.least of two slots; slot1 < slot2. */
double tn_overlap_limit(const TnCollider *collider, int slot1, int slot2);

/* ---- filter.c ---- */
/* Fills masks, surfaces, margins and the sorted pairs; slots are known. */
void tn_filter_init(TnCollider *collider);
/* The explicit pair (index in the model) of two slots, or -1. */
int tn_filter_explicit(const TnCollider *collider, int slot1, int slot2);
/* For two special slots whose masks say `masks`: -1 no contact, else 0 or 1 + the explicit pair. */
int tn_filter_special(const TnCollider *collider, int slot1, int slot2, bool masks);
/* One link, or segments of a rod that are near each other along it. */
static inline bool tn_never_meet(const TnSlot *a, const TnSlot *b)
{
    int apart = a->link - b->link;
    return apart == 0 ||
           (a->chain && a->chain == b->chain && (apart < 0 ? -apart : apart) < a->near);
}
/* Whether two slots may collide, and how. */
bool tn_filter_pair(const TnCollider *collider, int slot1, int slot2, TnSlotPair *pair);
TnPairRule tn_filter_mix(const TnSurface *a, const TnSurface *b);

/* TnCollider.sleeping is set for slots that a detection leaves out, too. */
static inline bool tn_slot_sleeps(const TnCollider *collider, int slot)
{
    return slot < collider->moving_count && collider->asleep &&
           collider->asleep[collider->subsystems[slot]];
}

/* A contact of something awake with a sleeper would be listed. */
static inline void tn_touch(const TnCollider *collider, int subsystem)
{
    atomic_store_explicit(&collider->touched[subsystem], 1, memory_order_relaxed);
}
static inline bool tn_is_touched(const TnCollider *collider, int subsystem)
{
    return atomic_load_explicit(&collider->touched[subsystem], memory_order_relaxed) != 0;
}

/* ---- bounds.c ---- */
/* What sleeps in this step, and whether bounds change at all. */
void tn_bounds_sleep(TnDetection *d, TnPool *pool);
/* Places, motion and swept boxes of slots [begin, end). */
void tn_bounds_update(const TnDetection *d, int begin, int end);

/* The same of one slot: where it is, with half its box, */
void tn_bounds_place(const TnDetection *d, int slot, double half[3]);
/* then how it moves, and what it sweeps. */
void tn_bounds_sweep(const TnDetection *d, int slot, const double half[3]);

/* ---- pairs.c ---- */
/* Lists the pairs of a collider of few geoms; of others its list is NULL. False: no memory. */
bool tn_pairs_create(TnCollider *collider);
void tn_pairs_destroy(struct TnPairList *list);
void tn_pairs_detect(const TnDetection *d, TnEmitter *emitter);

/* ---- grid.c ---- */
bool tn_grid_build(TnCollider *collider, TnArena *arena, TnPool *pool); /* false: no memory */
/* Pairs whose boxes meet, handed on whenever the buffer is full. */
typedef struct TnCandidates {
    int count;
    int32_t slot1[TN_CANDIDATES], slot2[TN_CANDIDATES];
    void (*flush)(void *context, const int32_t *slot1, const int32_t *slot2, int count);
    void *context;
} TnCandidates;

static inline void tn_candidates_flush(TnCandidates *c)
{
    if (c->count > 0) c->flush(c->context, c->slot1, c->slot2, c->count);
    c->count = 0;
}

static inline void tn_candidates_add(TnCandidates *c, int slot1, int slot2)
{
    c->slot1[c->count] = slot1;
    c->slot2[c->count] = slot2;
    if (++c->count == TN_CANDIDATES) tn_candidates_flush(c);
}

/* Adds the grid's members whose boxes meet `box` and whose slot is above its own, or sleeps. */
void tn_grid_query(const TnCollider *collider, const TnGrid *grid, const TnBounds *box,
                   TnCandidates *out);

/* ---- grid_parts.c ---- */
/* What all ranks have of a level. */
typedef struct TnLevelTotal {
    float low[3], high[3], reach[3]; /* centres, and the largest half box */
    int32_t count;                   /* each once */
    int32_t round;                   /* all are spheres */
} TnLevelTotal;
/* Of all levels. False: no memory. */
bool tn_grid_total(const TnCollider *collider, TnArena *arena, TnLevelTotal *out);
/* The same of two levels together. */
void tn_level_join(TnLevelTotal *level, const TnLevelTotal *other);
/* Cells of all ranks' members, of which the table has those between the centres `low` and `high`
 * that are here. Its place comes from the arena. Returns their number; negative: no memory. */
int tn_grid_size_part(TnGrid *grid, const TnLevelTotal *all, const float low[3],
                      const float high[3], double cell, TnArena *arena);
/* Cells along an axis from the grid's origin. */
static inline int tn_cell_along(const TnGrid *g, int axis, double x)
{
    double k = (x - g->origin[axis]) * g->per_cell, top = g->true_dims[axis] - 1;
    return (int)(k < top ? (k > 0.0 ? k : 0.0) : top);
}
/* Two of other ranks', or one and the world. */
static inline bool tn_pair_is_foreign(const TnCollider *collider, int slot1, int slot2)
{
    const uint8_t *foreign = collider->part.foreign;
    int a = collider->slots[slot1].link, b = collider->slots[slot2].link;
    return foreign && (!a || foreign[a]) && (!b || foreign[b]);
}

/* ---- rod_pairs.c ---- */
int tn_rods_room(const TnModel *model); /* places in TnCollider.along, a multiple of 64 */
void tn_rods_init(TnCollider *collider);
void tn_rods_place(TnCollider *collider);
/* Adds the pairs within each rod whose boxes meet; one of so many shares of the segments. */
void tn_rods_query(const TnCollider *collider, int share, int shares, TnCandidates *out);
/* Rods find their own pairs. */
static inline bool tn_rods_apart(const TnCollider *collider) { return !collider->any_asleep; }

/* ---- soft_detect.c ---- */
/* Points that the soft surfaces needed at most so far. */
size_t tn_soft_capacity(TnCollider *collider);
/* Appends contacts of soft surfaces to the list, which has room for tn_soft_capacity points. False:
 * no memory. */
bool tn_soft_detect(const TnDetection *d, const double *qpos, const double *end_qvel,
                    TnArena *arena, TnPool *pool, TnContactList *out);

/* Both without a branch: no predictor can guess which of the boxes looked at meet. */
static inline int tn_balls_meet(const TnBounds *a, const TnBounds *b)
{
    float x = a->c[0] - b->c[0], y = a->c[1] - b->c[1], z = a->c[2] - b->c[2], r = a->r + b->r;
    return x * x + y * y + z * z <= r * r;
}

static inline int tn_bounds_meet(const TnBounds *a, const TnBounds *b)
{
    float x = a->c[0] - b->c[0], y = a->c[1] - b->c[1], z = a->c[2] - b->c[2];
    return (fabsf(x) <= a->h[0] + b->h[0]) & (fabsf(y) <= a->h[1] + b->h[1]) &
           (fabsf(z) <= a->h[2] + b->h[2]) & tn_balls_meet(a, b);
}

/* Planes (all fixed) are tested by height: against the box's reach along the plane's normal. */
static inline bool tn_box_meets_plane(const TnDetection *d, const TnBounds *box, int plane)
{
    const TnCollider *c = d->collider;
    const TnSlot *slot = &c->slots[box->slot];
    const TnTransform *place = &c->place[plane];
    bool round = slot->shape_type == TN_GEOM_SPHERE;
    double reach = 0.5 * d->slack + c->locals[plane].bound_margin, height = 0.0;
    for (int i = 0; i < 3; i++) {
        double n = place->rot[3 * i + 2];
        height += n * (slot->pos[i] - place->pos[i]);
        if (!round) reach += fabs(n) * (double)box->h[i];
    }
    if (round) reach += (double)box->r;
    return height <= reach;
}

#endif
