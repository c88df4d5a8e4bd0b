/* quick.h: pairs with a closed form (plain.h) that move far: the engine's own way to follow them to
 * where they meet (sweep.c, emit_meeting.c, emit_turned.c, emit_shapes.c), compiled once more with
 * these closed forms in place of the routines for any shape. Those need much memory per thread. */
#ifndef TN_GPU_QUICK_H
#define TN_GPU_QUICK_H

#include "plain.h"

/* As tn_collide. */
TN_DEVICE inline bool tn_quick_collide(const TnShape *a, const TnTransform *ta, const TnShape *b,
                                       const TnTransform *tb, double margin, TnManifold *out)
{
    v3_set(out->normal, 0.0, 0.0, 1.0);
    tn::collide_plain(TnPlaced{a, ta}, TnPlaced{b, tb}, margin, out);
    return true;
}

/* Gap and normal; nobody asks for the points. */
TN_DEVICE inline void tn_quick_witness(const TnPlaced *a, const TnPlaced *b, TnWitness *out)
{
    TnManifold m;
    tn_quick_collide(a->shape, a->at, b->shape, b->at, INFINITY, &m);
    v3_copy(out->normal, m.normal);
    out->gap = tn_manifold_nearest(&m);
}

/* Those that have no such pairs. */
TN_DEVICE inline bool tn_quick_gap(const TnPlaced *, const TnPlaced *, double *, double *)
{
    return false;
}
TN_DEVICE inline void tn_quick_triangles(TnEmitter *, const TnSlotPair *, double) {}

#define _Static_assert static_assert
#define restrict __restrict__
#define tn_collide tn_quick_collide
#define tn_convex_witness tn_quick_witness
#define tn_gap_capsule_cylinder tn_quick_gap
#define tn_emit_triangles tn_quick_triangles
#include <quick_sources.h>
#undef tn_collide
#undef tn_convex_witness
#undef tn_gap_capsule_cylinder
#undef tn_emit_triangles
#undef restrict
#undef _Static_assert

#endif
