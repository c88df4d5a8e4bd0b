/* emit.c: from candidate pairs to contact points: filter, narrow phase, listing rule.
 *
 *     listed:  gap <= margin + t · max(0, n · (v₁(p) - v₂(p))) + slack
 *
 * Spheres with spheres and with planes are by far the most frequent pairs in large scenes and are
 * done in place. */
#include "../math/vec3.h"
#include "collider.h"

/* A pair that passed the filter. */
typedef struct Pair {
    int slot1, slot2;
    int explicit_pair; /* index in the model, or -1 */
    double margin;
} Pair;

/* fmax without its care for NaN, which costs a call. */
static inline double larger(double a, double b) { return a > b ? a : b; }

/* v(p) of the link that carries a slot. */
static void point_velocity(const TnDetection *d, int slot, const double p[3], double v[3])
{
    const TnCollider *c = d->collider;
    if (slot >= c->moving_count) {
        v3_zero(v);
        return;
    }
    int link = c->slots[slot].link;
    double arm[3];
    v3_sub(arm, p, d->frames[link].com);
    v3_cross(v, d->twists[link] + 3, arm);
    v3_add(v, v, d->twists[link]);
}

static bool passes(const TnCollider *c, int slot1, int slot2, Pair *pair)
{
    const TnSlot *a = &c->slots[slot1], *b = &c->slots[slot2];
    if (a->link == b->link) return false;
    bool masks = ((a->type_mask & b->affinity_mask) | (b->type_mask & a->affinity_mask)) != 0;
    *pair = (Pair){slot1, slot2, -1, larger(a->margin, b->margin)};
    if (!(a->special & b->special)) return masks;
    int verdict = tn_filter_special(c, slot1, slot2, masks);
    if (verdict > 0) {
        pair->explicit_pair = verdict - 1;
        pair->margin = c->model->pairs[pair->explicit_pair].margin;
    }
    return verdict >= 0;
}

/* Neighbouring pairs mostly have the same surfaces, so the last mixture is kept. */
static const TnPairRule *rule_of(TnEmitter *e, const Pair *pair)
{
    const TnCollider *c = e->detection->collider;
    if (pair->explicit_pair >= 0) {
        const TnPair *p = &c->model->pairs[pair->explicit_pair];
        e->surface1 = e->surface2 = -1;
        e->rule = (TnPairRule){
            p->contact_dim, {p->friction[0], p->friction[1], p->friction[2]}, p->restitution};
        return &e->rule;
    }
    int32_t surface1 = c->slots[pair->slot1].surface, surface2 = c->slots[pair->slot2].surface;
    if (surface1 != e->surface1 || surface2 != e->surface2) {
        e->surface1 = surface1;
        e->surface2 = surface2;
        e->rule = tn_filter_mix(&c->surfaces[surface1], &c->surfaces[surface2]);
    }
    return &e->rule;
}

static void append(TnEmitter *e, const Pair *pair, const double pos[3], const double n[3],
                   double gap, uint32_t feature)
{
    const TnCollider *c = e->detection->collider;
    const TnPairRule *rule = rule_of(e, pair);
    if (e->count++ >= e->capacity) return;
    TnContactPoint *p = &e->points[e->count - 1];
    p->geom1 = c->slots[pair->slot1].geom;
    p->geom2 = c->slots[pair->slot2].geom;
    p->feature = feature;
    p->dim = rule->dim;
    v3_copy(p->pos, pos);
    v3_copy(p->normal, n);
    p->gap = gap;
    v3_copy(p->friction, rule->friction);
    p->restitution = rule->restitution;
    p->soft1 = p->soft2 = -1;
}

static void emit_spheres(TnEmitter *e, const Pair *pair)
{
    const TnDetection *d = e->detection;
    const TnSlot *a = &d->collider->slots[pair->slot1], *b = &d->collider->slots[pair->slot2];
    double allowed = pair->margin + d->slack,
           reach = a->radius + b->radius + allowed + d->t * (a->speed + b->speed), n[3], v[3];
    v3_sub(n, b->pos, a->pos);
    double distance2 = v3_dot(n, n);
    if (!(distance2 <= reach * reach)) return;
    double distance = sqrt(distance2), gap = distance - a->radius - b->radius;
    if (distance > 0.0)
        v3_scale(n, n, 1.0 / distance);
    else
        v3_set(n, 0.0, 0.0, 1.0);
    /* the contact lies on the line of centres: spinning adds nothing along n */
    v3_sub(v, a->velocity, b->velocity);
    if (!(gap <= allowed + d->t * larger(0.0, v3_dot(n, v)))) return;
    double pos[3];
    v3_copy(pos, a->pos);
    v3_add_scaled(pos, n, a->radius + 0.5 * gap);
    append(e, pair, pos, n, gap, 0);
}

static void emit_sphere_plane(TnEmitter *e, const Pair *pair)
{
    const TnDetection *d = e->detection;
    const TnSlot *ball = &d->collider->slots[pair->slot1];
    const TnTransform *plane = &d->collider->place[pair->slot2];
    double n[3], offset[3], pos[3];
    m3_column(n, plane->rot, 2);
    v3_scale(n, n, -1.0);
    v3_sub(offset, plane->pos, ball->pos);
    double gap = v3_dot(n, offset) - ball->radius;
    if (!(gap <= pair->margin + d->slack + d->t * larger(0.0, v3_dot(n, ball->velocity)))) return;
    v3_copy(pos, ball->pos);
    v3_add_scaled(pos, n, ball->radius + 0.5 * gap);
    append(e, pair, pos, n, gap, tn_feature(tn_feature_vertex(0), TN_FEATURE_NONE));
}

static void emit_shapes(TnEmitter *e, const Pair *pair)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    double allowed = pair->margin + d->slack;
    TnManifold m;
    double reach = allowed + d->t * (c->slots[i].speed + c->slots[j].speed);
    if (!tn_collide(&c->shape[i], &c->place[i], &c->shape[j], &c->place[j], reach, &m)) return;
    for (int k = 0; k < m.count; k++) {
        const TnManifoldPoint *p = &m.points[k];
        double v1[3], v2[3];
        point_velocity(d, i, p->pos, v1);
        point_velocity(d, j, p->pos, v2);
        v3_sub(v1, v1, v2);
        if (!(p->gap <= allowed + d->t * larger(0.0, v3_dot(m.normal, v1)))) continue;
        append(e, pair, p->pos, m.normal, p->gap, p->feature);
    }
}

static void emit_pair(TnEmitter *e, int slot1, int slot2)
{
    const TnCollider *c = e->detection->collider;
    Pair pair;
    if (!passes(c, slot1, slot2, &pair)) return;
    TnGeomType a = c->slots[slot1].shape_type, b = c->slots[slot2].shape_type;
    if (a == TN_GEOM_SPHERE && b == TN_GEOM_SPHERE)
        emit_spheres(e, &pair);
    else if (a == TN_GEOM_SPHERE && b == TN_GEOM_PLANE)
        emit_sphere_plane(e, &pair);
    else
        emit_shapes(e, &pair);
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
        if (c->sleeping[slot2[k]])
            probe_pair(e, slot1[k], slot2[k]);
        else
            emit_pair(e, slot1[k], slot2[k]);
    }
}
