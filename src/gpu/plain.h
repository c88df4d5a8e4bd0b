/* plain.h: pairs with a closed form, that stay about where they are: capsules with each other, with
 * spheres and with planes, boxes with spheres and with planes. Those that move far are left to
 * quick.h. */
#ifndef TN_GPU_PLAIN_H
#define TN_GPU_PLAIN_H

#include "data.h"

namespace tn
{

TN_DEVICE inline bool is_plain(TnGeomType a, TnGeomType b)
{
    bool round_b = b == TN_GEOM_SPHERE || b == TN_GEOM_CAPSULE;
    if (a == TN_GEOM_CAPSULE) return round_b || b == TN_GEOM_PLANE;
    if (a == TN_GEOM_BOX) return b == TN_GEOM_SPHERE || b == TN_GEOM_PLANE;
    return a == TN_GEOM_SPHERE && (b == TN_GEOM_CAPSULE || b == TN_GEOM_BOX);
}

/* As tn_collide. */
TN_DEVICE inline void collide_plain(const TnPlaced &a, const TnPlaced &b, double reach,
                                    TnManifold *out)
{
    bool keep = in_order_of_collide(a.shape, a.at, b.shape, b.at);
    const TnPlaced first = keep ? a : b, second = keep ? b : a;
    out->count = 0;
    if (first.shape->type == TN_GEOM_PLANE) {
        PlaneFrame_of_plane plane;
        m3_column(plane.normal, first.at->rot, 2);
        v3_copy(plane.origin, first.at->pos);
        v3_copy(out->normal, plane.normal);
        if (second.shape->type == TN_GEOM_BOX)
            plane_box_of_plane(&plane, &second, reach, out);
        else
            plane_capsule_of_plane(&plane, &second, reach, out);
    } else if (first.shape->type == TN_GEOM_CAPSULE) {
        tn_collide_capsule_capsule(&first, &second, reach, out);
    } else if (second.shape->type == TN_GEOM_CAPSULE) {
        tn_collide_sphere_capsule(&first, &second, reach, out);
    } else {
        tn_collide_sphere_box(&first, &second, reach, out);
    }
    if (!keep) swap_sides_of_collide(out);
}

/* Points of a pair that passed the filter; `way` as in emit_shapes.c. False: this is not the way.
 */
TN_DEVICE inline bool look_at_plain(TnEmitter *e, const TnSlotPair &pair, double way)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair.slot1, j = pair.slot2;
    double thin = c->thinness[i] < c->thinness[j] ? c->thinness[i] : c->thinness[j];
    bool is_plane = c->slots[j].shape_type == TN_GEOM_PLANE;
    if (j >= c->fixed_start && !is_plane) return false; /* it may be grazed */
    if (pair.least > -INFINITY) return false;           /* they overlap by design */
    TnManifold m;
    collide_plain(TnPlaced{&c->shape[i], &c->place[i]}, TnPlaced{&c->shape[j], &c->place[j]},
                  pair.margin + d->slack + way, &m);
    if (m.count && (way < pair.together ? way : pair.together) > d->far * thin) return false;
    emit_start_of_emit_shapes(e, &pair, &m, false);
    return true;
}

} // namespace tn
#endif
