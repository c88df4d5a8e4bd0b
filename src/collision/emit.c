/* emit.c: from candidate pairs to contact points: filter, what is far, which routine finds the
 * points.
 *
 *     listed:  gap <= margin + t · max(0, n · (v₁(p) - v₂(p))) + slack
 *
 * Spheres are left to emit_spheres.c, all others to emit_shapes.c. */
#include "emit.h"
#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"

/* Segments of one rod, which it finds itself. */
static inline bool is_left_to_rod(const TnEmitter *e, const TnSlot *a, const TnSlot *b)
{
    return !e->own && a->chain && a->chain == b->chain && tn_rods_apart(e->detection->collider);
}

static inline bool goes_straight(const TnDetection *d, int slot)
{
    if (slot >= d->collider->fixed_start) return true;
    const double *omega = d->twists[d->collider->slots[slot].link] + 3;
    return d->t * d->t * v3_dot(omega, omega) < TN_STRAIGHT * TN_STRAIGHT;
}

/* m/s: no point of one moves faster against the other; where either might stand still, than both
 * together. */
static double fastest(const TnDetection *d, int slot1, int slot2)
{
    const TnSlot *a = &d->collider->slots[slot1], *b = &d->collider->slots[slot2];
    double v[3], both = a->speed + b->speed;
    if (d->alone || !goes_straight(d, slot1) || !goes_straight(d, slot2)) return both;
    v3_sub(v, a->velocity, b->velocity);
    double turning = both - v3_norm(a->velocity) - v3_norm(b->velocity);
    return v3_norm(v) + turning + 0.5 * TN_STRAIGHT * both;
}

/* The balls around two shapes are farther apart than anything that is listed: boxes grow by how
 * fast each moves, and of two that go the same way there are many. */
static bool are_far(const TnDetection *d, int slot1, int slot2, double way)
{
    const TnCollider *c = d->collider;
    const TnSlotLocal *a = &c->locals[slot1], *b = &c->locals[slot2];
    double n[3], reach = a->bounding_radius + b->bounding_radius + a->bound_margin +
                         b->bound_margin + d->slack + way;
    if (c->slots[slot2].shape_type == TN_GEOM_PLANE) return false;
    v3_sub(n, c->slots[slot2].pos, c->slots[slot1].pos);
    return v3_dot(n, n) > (1.0 + TN_ROOM) * reach * reach;
}

static inline bool is_simple(const TnSlot *a, const TnSlot *b)
{
    return a->shape_type == TN_GEOM_SPHERE &&
           (b->shape_type == TN_GEOM_SPHERE || b->shape_type == TN_GEOM_PLANE);
}

static void emit_simple(TnEmitter *e, const TnSlotPair *pair)
{
    if (e->detection->collider->slots[pair->slot2].shape_type == TN_GEOM_SPHERE)
        tn_emit_spheres(e, pair);
    else
        tn_emit_sphere_plane(e, pair);
}

static void emit_pair(TnEmitter *e, int slot1, int slot2)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    const TnSlot *a = &c->slots[slot1], *b = &c->slots[slot2];
    bool simple = is_simple(a, b);
    TnSlotPair pair;
    if (tn_never_meet(a, b) || is_left_to_rod(e, a, b)) return;
    double way = simple ? 0.0 : d->t * fastest(d, slot1, slot2);
    if (!simple && are_far(d, slot1, slot2, way)) return;
    if (!tn_filter_pair(c, slot1, slot2, &pair)) return;
    if (c->beyond && tn_is_beyond(c, a->link, b->link)) return;
    if (simple)
        emit_simple(e, &pair);
    else
        tn_emit_shapes(e, &pair, way, NULL);
}

/* Whether two shapes are seen to be apart by more than is listed, from where they last were. Only
 * asked of pairs of which nothing is listed then. */
static bool are_apart(const TnDetection *d, TnSlotPair *pair, double way)
{
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    const TnPlaced a = {&c->shape[i], &c->place[i]}, b = {&c->shape[j], &c->place[j]};
    if (!tn_collide_is_convex(a.shape->type, b.shape->type)) return false;
    double v[3], room = TN_ROOM * (c->locals[i].bounding_radius + c->locals[j].bounding_radius);
    m3_mul_v(v, a.at->rot, pair->apart);
    if (v3_dot(v, v) == 0.0) v3_sub(v, a.at->pos, b.at->pos);
    bool apart = tn_gjk_apart(&a, &b,
                              tn_core_radius(a.shape) + tn_core_radius(b.shape) + pair->margin +
                                  d->slack + way + room,
                              v);
    m3_tmul_v(pair->apart, a.at->rot, v);
    return apart;
}

static void emit_listed(TnEmitter *e, TnSlotPair *pair)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    const TnSlot *slots = c->slots;
    if (c->beyond && tn_is_beyond(c, slots[pair->slot1].link, slots[pair->slot2].link)) return;
    if (is_simple(&slots[pair->slot1], &slots[pair->slot2])) {
        emit_simple(e, pair);
        return;
    }
    double way = d->t * fastest(d, pair->slot1, pair->slot2);
    if (are_far(d, pair->slot1, pair->slot2, way) || are_apart(d, pair, way)) return;
    tn_emit_shapes(e, pair, way, pair->normal);
}

/* Something awake and a sleeper: only whether they touch. */
static void probe_pair(const TnEmitter *e, int slot, int sleeper)
{
    const TnCollider *c = e->detection->collider;
    int subsystem = c->subsystems[sleeper];
    TnEmitter probe = {.detection = e->detection, .surface1 = -1, .surface2 = -1};
    if (tn_is_touched(c, subsystem)) return;
    emit_pair(&probe, slot < sleeper ? slot : sleeper, slot < sleeper ? sleeper : slot);
    if (probe.count) tn_touch(c, subsystem);
}

void tn_emit_pairs(void *context, const int32_t *slot1, const int32_t *slot2, int count)
{
    TnEmitter *e = context;
    const TnCollider *c = e->detection->collider;
    for (int k = 0; k < count; k++) {
        if (k + 8 < count) tn_slot_fetch(&c->slots[slot2[k + 8]]);
        if (tn_pair_is_foreign(c, slot1[k], slot2[k])) continue;
        bool low = slot1[k] < slot2[k]; /* not where the second one is left out, or sleeps */
        if (c->sleeping[slot2[k]] && tn_slot_sleeps(c, slot2[k]))
            probe_pair(e, slot1[k], slot2[k]);
        else
            emit_pair(e, low ? slot1[k] : slot2[k], low ? slot2[k] : slot1[k]);
    }
}

void tn_emit_listed(TnEmitter *e, TnSlotPair *pair)
{
    const TnCollider *c = e->detection->collider;
    if (tn_slot_sleeps(c, pair->slot1))
        probe_pair(e, pair->slot2, pair->slot1);
    else if (tn_slot_sleeps(c, pair->slot2))
        probe_pair(e, pair->slot1, pair->slot2);
    else
        emit_listed(e, pair);
}
