/* quick.h: capsules and boxes that move far: the engine's own way to list them where they meet
 * (emit_meeting.c, emit_turned.c, emit_shapes.c), compiled once more with closed forms (plain.h)
 * and quick_sweep.h in place of the routines for any shape. Those need much memory per thread. */
#ifndef TN_GPU_QUICK_H
#define TN_GPU_QUICK_H

#include "plain.h"
#include "quick_sweep.h"

/* As tn_collide. */
TN_DEVICE inline bool tn_quick_collide(const TnShape *a, const TnTransform *ta, const TnShape *b,
                                       const TnTransform *tb, double margin, TnManifold *out)
{
    if (!tn::is_plain(a->type, b->type)) return tn_device_collide(a, ta, b, tb, margin, out);
    v3_set(out->normal, 0.0, 0.0, 1.0);
    tn::collide_plain(TnPlaced{a, ta}, TnPlaced{b, tb}, margin, out);
    return true;
}

/* There are none. */
TN_DEVICE inline void tn_quick_triangles(TnEmitter *, const TnSlotPair *, double) {}

#define _Static_assert static_assert
#define restrict __restrict__
#define tn_collide tn_quick_collide
#define tn_sweep tn_quick_sweep
#define tn_emit_triangles tn_quick_triangles
#include <quick_sources.h>
#undef tn_collide
#undef tn_sweep
#undef tn_emit_triangles
#undef restrict
#undef _Static_assert

#endif
