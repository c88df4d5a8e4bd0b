/* emit.c: from candidate pairs to contact points: filter, narrow phase, listing rule.
 *
 *     listed:  gap <= margin + t · max(0, n · (v₁(p) - v₂(p))) + slack
 *
 * Spheres with spheres and with planes are by far the most frequent pairs in large scenes and are done in place. */
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
    int link = c->filter[slot].link;
    double arm[3];
    v3_sub(arm, p, d->frames[link].com);
    v3_cross(v, d->twists[link] + 3, arm);
    v3_add(v, v, d->twists[link]);
}

static bool passes(const TnCollider *c, int slot1, int slot2, Pair *pair)
{
    const TnSlotFilter *a = &c->filter[slot1], *b = &c->filter[slot2];
    if (a->link == b->link) return false;
    bool masks = ((a->type & b->affinity) | (b->type & a->affinity)) != 0;
    *pair = (Pair){slot1, slot2, -1, larger(c->surface[slot1].margin, c->surface[slot2].margin)};
    if (!(a->special & b->special)) return masks;
    int verdict = tn_filter_special(c, slot1, slot2, masks);
    if (verdict > 0) {
        pair->explicit_pair = verdict - 1;
        pair->margin = c->model->pairs[pair->explicit_pair].margin;
    }
    return verdict >= 0;
}

static TnPairRule rule_of(const TnCollider *c, const Pair *pair)
{
    if (pair->explicit_pair < 0) return tn_filter_mix(&c->surface[pair->slot1], &c->surface[pair->slot2]);
    const TnPair *p = &c->model->pairs[pair->explicit_pair];
    return (TnPairRule){p->contact_dim, {p->friction[0], p->friction[1], p->friction[2]}, p->restitution};
}

static void append(TnEmitter *e, const Pair *pair, const TnPairRule *rule, const double pos[3], const double n[3], double gap,
                   uint32_t feature)
{
    const TnCollider *c = e->detection->collider;
    if (e->count++ >= e->capacity) return;
    TnContactPoint *p = &e->points[e->count - 1];
    p->geom1 = c->geom[pair->slot1];
    p->geom2 = c->geom[pair->slot2];
    p->feature = feature;
    p->dim = rule->dim;
    v3_copy(p->pos, pos);
    v3_copy(p->normal, n);
    p->gap = gap;
    v3_copy(p->friction, rule->friction);
    p->restitution = rule->restitution;
}

static void emit_spheres(TnEmitter *e, const Pair *pair)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    const TnSlotMotion *m1 = &c->motion[pair->slot1], *m2 = &c->motion[pair->slot2];
    double r1 = c->shape[pair->slot1].size[0], r2 = c->shape[pair->slot2].size[0], n[3], v[3];
    double allowed = pair->margin + d->slack, reach = r1 + r2 + allowed + d->t * (m1->speed + m2->speed);
    v3_sub(n, c->place[pair->slot2].pos, c->place[pair->slot1].pos);
    double distance2 = v3_dot(n, n);
    if (!(distance2 <= reach * reach)) return;
    double distance = sqrt(distance2), gap = distance - r1 - r2;
    if (distance > 0.0) v3_scale(n, n, 1.0 / distance);
    else v3_set(n, 0.0, 0.0, 1.0);
    /* the contact lies on the line of centres: spinning adds nothing along n */
    v3_sub(v, m1->velocity, m2->velocity);
    if (!(gap <= allowed + d->t * larger(0.0, v3_dot(n, v)))) return;
    TnPairRule rule = rule_of(c, pair);
    double pos[3];
    v3_copy(pos, c->place[pair->slot1].pos);
    v3_add_scaled(pos, n, r1 + 0.5 * gap);
    append(e, pair, &rule, pos, n, gap, 0);
}

static void emit_sphere_plane(TnEmitter *e, const Pair *pair)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    const TnTransform *plane = &c->place[pair->slot2];
    double r = c->shape[pair->slot1].size[0], n[3], v[3], offset[3], pos[3];
    m3_column(n, plane->rot, 2);
    v3_scale(n, n, -1.0);
    v3_sub(offset, plane->pos, c->place[pair->slot1].pos);
    double gap = v3_dot(n, offset) - r;
    v3_copy(pos, c->place[pair->slot1].pos);
    v3_add_scaled(pos, n, r + 0.5 * gap);
    point_velocity(d, pair->slot2, pos, v);
    v3_sub(v, c->motion[pair->slot1].velocity, v);
    if (!(gap <= pair->margin + d->slack + d->t * larger(0.0, v3_dot(n, v)))) return;
    TnPairRule rule = rule_of(c, pair);
    append(e, pair, &rule, pos, n, gap, tn_feature(tn_feature_vertex(0), TN_FEATURE_NONE));
}

/* A plane moves as fast as its link does where the other shape is. */
static double fastest(const TnDetection *d, int slot, int other)
{
    const TnCollider *c = d->collider;
    if (slot >= c->moving_count) return 0.0;
    if (c->shape[slot].type != TN_GEOM_PLANE) return c->motion[slot].speed;
    double v[3];
    point_velocity(d, slot, c->place[other].pos, v);
    return v3_norm(v) + v3_norm(d->twists[c->filter[slot].link] + 3) * c->model->geoms[c->geom[other]].bounding_radius;
}

static void emit_shapes(TnEmitter *e, const Pair *pair)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    double allowed = pair->margin + d->slack;
    TnManifold m;
    if (!tn_collide(&c->shape[i], &c->place[i], &c->shape[j], &c->place[j], allowed + d->t * (fastest(d, i, j) + fastest(d, j, i)), &m))
        return;
    TnPairRule rule = {0};
    for (int k = 0; k < m.count; k++) {
        const TnManifoldPoint *p = &m.points[k];
        double v1[3], v2[3];
        point_velocity(d, i, p->pos, v1);
        point_velocity(d, j, p->pos, v2);
        v3_sub(v1, v1, v2);
        if (!(p->gap <= allowed + d->t * larger(0.0, v3_dot(m.normal, v1)))) continue;
        if (rule.dim == 0) rule = rule_of(c, pair);
        append(e, pair, &rule, p->pos, m.normal, p->gap, p->feature);
    }
}

void tn_emit_pairs(void *context, const int32_t *slot1, const int32_t *slot2, int count)
{
    TnEmitter *e = context;
    const TnCollider *c = e->detection->collider;
    for (int k = 0; k < count; k++) {
        Pair pair;
        if (!passes(c, slot1[k], slot2[k], &pair)) continue;
        TnGeomType a = c->shape[slot1[k]].type, b = c->shape[slot2[k]].type;
        if (a == TN_GEOM_SPHERE && b == TN_GEOM_SPHERE) emit_spheres(e, &pair);
        else if (a == TN_GEOM_SPHERE && b == TN_GEOM_PLANE) emit_sphere_plane(e, &pair);
        else emit_shapes(e, &pair);
    }
}
