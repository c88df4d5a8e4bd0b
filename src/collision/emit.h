/* emit.h (internal): what the files that emit contact points share. */
#ifndef TN_COLLISION_EMIT_H
#define TN_COLLISION_EMIT_H

#include "collider.h"

/* Share of the thinner one's half up to which points count with those that touch first. A pair that
 * turns by less has no other points at the end. */
#define TN_ALONGSIDE 0.25

/* fmax without its care for NaN, which costs a call. */
static inline double tn_larger(double a, double b) { return a > b ? a : b; }

/* The smallest gap. */
static inline double tn_manifold_nearest(const TnManifold *m)
{
    double gap = INFINITY;
    for (int k = 0; k < m->count; k++) gap = m->points[k].gap < gap ? m->points[k].gap : gap;
    return gap;
}

/* A time of the step, and the motion up to it. */
typedef struct TnWhen {
    double time;
    const double (*twists)[6];
} TnWhen;

/* ---- emit_point.c ---- */
/* How fast the slots' points close along n, together and at most. */
typedef struct TnClosing {
    double net, most;
} TnClosing;
TnClosing tn_closing_at(const TnDetection *d, const TnSlotPair *pair, const double pos[3],
                        const double n[3], TnWhen when);
/* Lists a point as it is then; gap and clearance as in TnContactPoint, but of the shapes: the
 * pair's margin is still to go off. */
void tn_emit_point(TnEmitter *e, const TnSlotPair *pair, const double pos[3], const double n[3],
                   double gap, double clearance, TnWhen when, uint32_t feature);

/* ---- emit_spheres.c ---- */
void tn_emit_spheres(TnEmitter *e, const TnSlotPair *pair);
void tn_emit_sphere_plane(TnEmitter *e, const TnSlotPair *pair);

/* ---- emit_meeting.c ---- */
/* The slot's shape with the motion of its link. */
TnMover tn_slot_mover(const TnDetection *d, int slot, const double (*twists)[6]);
/* Points as they are at a time, with gaps as they are at the start. */
void tn_emit_at(TnEmitter *e, const TnSlotPair *pair, TnWhen when, const TnManifold *m);
/* The pair at the end of a motion; false: they are farther apart than `near`. */
bool tn_collide_at_end(const TnDetection *d, const TnSlotPair *pair, const double (*twists)[6],
                       double near, TnManifold *out, TnTransform at[2]);
/* Where they meet falling. If they meet otherwise when they are held, as that is; if they pass by
 * then, as they are at the end. */
TnPassing tn_emit_meeting(TnEmitter *e, const TnSlotPair *pair, const TnManifold *start,
                          TnManifold *out, TnTransform at[2]);
/* A near pair whose points would be closed, but that passes along each other if it is held. *out:
 * as it is then. */
bool tn_grazes(const TnDetection *d, const TnSlotPair *pair, const TnManifold *m, TnManifold *out);

/* ---- emit_turned.c ---- */
/* Of two that touch or are near, what their turning brings together besides: where they overlap at
 * the end. */
void tn_emit_turned(TnEmitter *e, const TnSlotPair *pair, const TnMover *a, const TnMover *b,
                    const TnManifold *start, const TnTransform was[2]);

/* ---- emit_triangles.c ---- */
/* The second slot is a mesh that collides as its triangles. */
void tn_emit_triangles(TnEmitter *e, const TnSlotPair *pair, double way);

/* ---- emit_shapes.c ---- */
/* `way`: no point of one moves farther against the other, m. `normal`, where there is one: see
 * TnSlotPair. */
void tn_emit_shapes(TnEmitter *e, const TnSlotPair *pair, double way, double *normal);

#endif
