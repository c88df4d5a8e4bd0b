/* round.h: spheres with spheres and planes, which have one point at most. */
#ifndef TN_GPU_ROUND_H
#define TN_GPU_ROUND_H

#include "data.h"

namespace tn
{

TN_DEVICE inline bool is_round(const TnSlot *a, const TnSlot *b)
{
    return a->shape_type == TN_GEOM_SPHERE &&
           (b->shape_type == TN_GEOM_SPHERE || b->shape_type == TN_GEOM_PLANE);
}

TN_DEVICE inline void look_at_round(TnEmitter *e, const TnDetection *d, int slot1, int slot2)
{
    TnSlotPair pair;
    e->detection = d;
    e->surface1 = e->surface2 = -1;
    if (!tn_filter_pair(d->collider, slot1, slot2, &pair)) return;
    if (d->collider->slots[slot2].shape_type == TN_GEOM_SPHERE)
        tn_emit_spheres(e, &pair);
    else
        tn_emit_sphere_plane(e, &pair);
}

} // namespace tn
#endif
