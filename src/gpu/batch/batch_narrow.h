/* batch_narrow.h: pairs and points of a world.
 *
 * Slots are few, so all pairs of boxes are tested: a thread takes 32 slots against one. The order
 * of pairs is that of their first slots. Spheres are the engine's own (collision/emit_spheres.c);
 * other pairs are listed as they are at the step's start, with the room that their speeds ask
 * for. */
#ifndef TN_GPU_BATCH_NARROW_H
#define TN_GPU_BATCH_NARROW_H

#include "batch_data.h"

namespace tn
{

/* Which of the 32 slots from `first` on may meet this one. */
TN_DEVICE inline uint32_t partners(const Worlds &b, const WorldBase &s, int slot, int first)
{
    uint32_t mask = 0, may = b.may_meet[slot * b.segments + first / 32];
    int end = first + 32 < b.slot_count ? first + 32 : b.slot_count,
        boxes = end < b.finite_count ? end : b.finite_count;
    if (!may) return 0;
    const TnBounds box = s.bounds[slot];
    int k = first > slot ? first : slot + 1;
    for (; k < boxes; k++)
        if (tn_bounds_meet(&s.bounds[k], &box)) mask |= 1u << (k - first);
    for (; k < end; k++)
        if (tn_box_meets_plane(s.detection, &box, k)) mask |= 1u << (k - first);
    return mask & may;
}

TN_DEVICE inline int bit_count(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return __popc(x);
#else
    return __builtin_popcount(x);
#endif
}

/* Boxes over the free motion and the pairs of those that meet. */
TN_DEVICE inline void list_pairs(const Block &block, const Worlds &b, WorldBase &s)
{
    block.each(b.finite_count, [&](int slot) {
        double h[3];
        tn_bounds_place(s.detection, slot, h);
        tn_bounds_sweep(s.detection, slot, h);
    });
    int rows = b.moving_count * b.segments;
    block.each(rows, [&](int i) { /* neighbours in a warp look at the same 32 */
                                  int slot = i % b.moving_count, segment = i / b.moving_count,
                                      at = slot * b.segments + segment;
                                  s.masks[at] = partners(b, s, slot, 32 * segment);
                                  s.mask_start[at] = bit_count(s.masks[at]);
    });
    block.scan(s.mask_start, rows);
    block.once([&] {
        s.pair_count = s.mask_start[rows];
        if (s.pair_count > s.pair_room) {
            atomic_max(&b.summary->pairs_needed, s.pair_count);
            s.stuck = true;
        }
    });
    if (s.stuck) return;
    block.each(rows, [&](int i) {
        int slot = i / b.segments, first = 32 * (i % b.segments), at = s.mask_start[i];
        for (uint32_t left = s.masks[i]; left; left &= left - 1) {
            s.pair1[at] = slot;
            s.pair2[at++] = first + bit_count((left & (0u - left)) - 1u);
        }
    });
}

/* Pairs: of spheres with spheres and planes, of spheres with anything, of anything. Only the last
 * need much memory per thread. */
enum PairsOf { SPHERES, WITH_SPHERE, ANY };

/* Types in order: plane, sphere, capsule, cylinder, box. Two of the last two are never handed over,
 * but for two boxes. */
template <PairsOf of>
TN_DEVICE inline bool collide_few(const TnPlaced *a, const TnPlaced *b, double reach,
                                  TnManifold *out)
{
    TnGeomType first = a->shape->type, second = b->shape->type;
    if (first == TN_GEOM_SPHERE)
        return second == TN_GEOM_CAPSULE    ? tn_collide_sphere_capsule(a, b, reach, out)
               : second == TN_GEOM_CYLINDER ? tn_collide_sphere_cylinder(a, b, reach, out)
                                            : tn_collide_sphere_box(a, b, reach, out);
    if (of == WITH_SPHERE) return false;
    if (first == TN_GEOM_PLANE) return tn_collide_plane(a, b, reach, out);
    if (first == TN_GEOM_CAPSULE)
        return second == TN_GEOM_CAPSULE    ? tn_collide_capsule_capsule(a, b, reach, out)
               : second == TN_GEOM_CYLINDER ? tn_collide_capsule_cylinder(a, b, reach, out)
                                            : tn_collide_capsule_box(a, b, reach, out);
    return first == TN_GEOM_BOX && tn_collide_box_box(a, b, reach, out);
}

template <PairsOf of> TN_DEVICE inline void emit_shapes(TnEmitter *e, const TnSlotPair *pair)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    bool swap = c->shape[i].type > c->shape[j].type;
    TnPlaced first = {&c->shape[swap ? j : i], &c->place[swap ? j : i]},
             second = {&c->shape[swap ? i : j], &c->place[swap ? i : j]};
    TnManifold m;
    double allowed = pair->margin + d->slack,
           reach = allowed + d->t * (c->slots[i].speed + c->slots[j].speed);
    m.count = 0;
    if (!collide_few<of>(&first, &second, reach, &m)) return;
    /* a sphere has one point, and is no part of a robot */
    int count = of == WITH_SPHERE ? m.count > 0 : m.count;
    if (of != WITH_SPHERE && count && tn_manifold_nearest(&m) < pair->least) return;
    if (swap) v3_scale(m.normal, m.normal, -1.0);
    TnWhen start = {0.0, d->twists};
    for (int k = 0; k < count; k++) {
        const TnManifoldPoint *p = &m.points[k];
        if (p->gap > allowed &&
            !(p->gap <= allowed + d->t * tn_closing_at(d, pair, p->pos, m.normal, start).most))
            continue;
        tn_emit_point(e, pair, p->pos, m.normal, p->gap, p->gap, start, p->feature);
    }
}

/* Spheres with spheres and planes: most of all pairs, and quick. */
TN_DEVICE inline bool is_plain(const WorldBase &s, int pair)
{
    TnGeomType a = s.slots[s.pair1[pair]].shape_type, b = s.slots[s.pair2[pair]].shape_type;
    return a == TN_GEOM_SPHERE && (b == TN_GEOM_SPHERE || b == TN_GEOM_PLANE);
}

/* Writes the points of a pair, as many as there is room for; returns how many there are. */
template <PairsOf of>
TN_DEVICE inline int look_at(const WorldBase &s, int i, TnContactPoint *points, int room)
{
    TnSlotPair pair;
    TnEmitter e{};
    e.detection = s.detection;
    e.surface1 = e.surface2 = -1;
    e.points = points;
    e.capacity = room;
    if (!tn_filter_pair(s.collider, s.pair1[i], s.pair2[i], &pair)) return 0;
    if (of != SPHERES)
        emit_shapes<of>(&e, &pair);
    else if (s.slots[pair.slot2].shape_type == TN_GEOM_SPHERE)
        tn_emit_spheres(&e, &pair);
    else
        tn_emit_sphere_plane(&e, &pair);
    return e.count;
}

/* The points of a pair at their place. */
template <PairsOf of> TN_DEVICE inline void write_points(const WorldBase &s, int i)
{
    int first = s.pair_start[i], count = s.pair_start[i + 1] - first;
    if (count) look_at<of>(s, i, s.points + first, count);
}

/* How many points each pair of spheres has. Other pairs come after them, so that those of spheres
 * do not wait for them. */
TN_DEVICE inline void count_plain(const Block &block, WorldBase &s)
{
    block.once([&] { s.other_count = 0; });
    block.each(s.pair_count, [&](int i) {
        if (is_plain(s, i))
            s.pair_start[i] = look_at<SPHERES>(s, i, nullptr, 0);
        else
            s.others[atomic_add(&s.other_count, 1)] = i;
    });
}

/* How many the others have, and where all points go. */
template <PairsOf of>
TN_DEVICE inline void count_others(const Block &block, const Worlds &b, WorldBase &s)
{
    block.each(s.other_count,
               [&](int k) { s.pair_start[s.others[k]] = look_at<of>(s, s.others[k], nullptr, 0); });
    block.scan(s.pair_start, s.pair_count);
    block.once([&] {
        s.contact_count = s.pair_start[s.pair_count];
        if (s.contact_count > s.contact_room) {
            atomic_max(&b.summary->contacts_needed, s.contact_count);
            s.stuck = true;
        }
    });
}

/* Each pair is looked at twice: for how many points it has, and for these. */
TN_DEVICE inline void list_points(const Block &block, const Worlds &b, WorldBase &s)
{
    count_plain(block, s);
    count_others<ANY>(block, b, s);
    if (s.stuck) return;
    block.each(s.pair_count, [&](int i) {
        if (is_plain(s, i)) write_points<SPHERES>(s, i);
    });
    block.each(s.other_count, [&](int k) { write_points<ANY>(s, s.others[k]); });
}

} // namespace tn
#endif
