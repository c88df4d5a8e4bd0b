/* emit.c: from candidate pairs to contact points: filter, narrow phase, listing rule.
 *
 *     listed:  gap <= margin + t · max(0, n · (v₁(p) - v₂(p))) + slack
 *
 * Where a pair is apart by more than a share of the thinner one's half (TN_TOUCHING) and moves by
 * more than TN_FAR of that, it is listed as it is where the paths meet (sweep.c). One that will
 * pass by as near as the slack is listed nevertheless, since others may push it, but with room for
 * its way. What meets only because it falls freely for the step, and would pass if something bore
 * it (`held`), grazes: it is listed as it is at the end. So a box that slides from one floor onto
 * the next does not run into the edge between them. Spheres with spheres and with planes are by far
 * the most frequent pairs in large scenes and are done in place. */
#include <stdlib.h>

#include "../math/vec3.h"
#include "collider.h"

/* Near ones that turn by more than this share of it are looked at as they are at the end, too. */
#define TURNS 0.25
/* Share of the thinner one's half up to which points count with those that touch first. */
#define ALONGSIDE 0.25
/* Of the slack: what ends no deeper has passed along, and who moves by less does not. */
#define GRAZE 0.02
/* Cosine: normals that agree so are the same. */
#define SAME_NORMAL 0.9999999

static const double nowhere[6] = {0.0};

/* fmax without its care for NaN, which costs a call. */
static inline double larger(double a, double b) { return a > b ? a : b; }

/* Segments of one rod, which it finds itself. */
static inline bool is_left_to_rod(const TnEmitter *e, const TnSlot *a, const TnSlot *b)
{
    return !e->own && a->chain && a->chain == b->chain && tn_rods_apart(e->detection->collider);
}

/* Neighbouring pairs mostly have the same surfaces, so the last mixture is kept. */
static const TnPairRule *rule_of(TnEmitter *e, const TnSlotPair *pair)
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

/* A time of the step, and the motion up to it. */
typedef struct When {
    double time;
    const double (*twists)[6];
} When;

/* From the centre of mass of the link that carries the slot to a point then. */
static void arm_to(const TnDetection *d, int slot, const double pos[3], When when, double arm[3])
{
    const TnCollider *c = d->collider;
    v3_copy(arm, pos);
    if (slot >= c->moving_count) return;
    int link = c->slots[slot].link;
    v3_sub(arm, arm, d->frames[link].com);
    if (when.time > 0.0) v3_add_scaled(arm, when.twists[link], -when.time);
}

static void append(TnEmitter *e, const TnSlotPair *pair, const double pos[3], const double n[3],
                   double gap, double clearance, When when, uint32_t feature)
{
    const TnCollider *c = e->detection->collider;
    const TnPairRule *rule = rule_of(e, pair);
    if (e->count++ >= e->capacity) return;
    TnContactPoint *p = &e->points[e->count - 1];
    p->geom1 = c->slots[pair->slot1].geom;
    p->geom2 = c->slots[pair->slot2].geom;
    p->feature = feature;
    p->dim = (int16_t)rule->dim;
    v3_copy(p->pos, pos);
    arm_to(e->detection, pair->slot1, pos, when, p->arm1);
    arm_to(e->detection, pair->slot2, pos, when, p->arm2);
    v3_copy(p->normal, n);
    p->gap = gap;
    p->clearance = clearance;
    p->time = when.time;
    v3_copy(p->friction, rule->friction);
    p->restitution = rule->restitution;
    p->resolved = false;
    p->soft1 = p->soft2 = -1;
}

/* Two spheres a way `n` (from a to b) and v (of a against b) apart: |n - v s| = distance. False:
 * not within t. */
static bool spheres_meet(const double n[3], const double v[3], double distance, double t, double *s)
{
    double along = v3_dot(n, v), v2 = v3_dot(v, v),
           root = along * along - v2 * (v3_dot(n, n) - distance * distance);
    if (!(along > 0.0) || root < 0.0) return false;
    *s = (along - sqrt(root)) / v2;
    return *s <= t;
}

/* Where their paths meet. */
static bool emit_flying_spheres(TnEmitter *e, const TnSlotPair *pair, const double way[3],
                                const double v[3])
{
    const TnDetection *d = e->detection;
    const TnSlot *a = &d->collider->slots[pair->slot1], *b = &d->collider->slots[pair->slot2];
    double s, n[3], pos[3];
    if (!spheres_meet(way, v, a->radius + b->radius, d->t, &s)) return false;
    v3_copy(n, way);
    v3_add_scaled(n, v, -s);
    v3_normalize(n);
    v3_copy(pos, a->pos);
    v3_add_scaled(pos, a->velocity, s);
    v3_add_scaled(pos, n, a->radius);
    double gap = s * v3_dot(n, v);
    append(e, pair, pos, n, gap, gap, (When){s, d->twists}, 0);
    return true;
}

static void emit_spheres(TnEmitter *e, const TnSlotPair *pair)
{
    const TnDetection *d = e->detection;
    const TnSlot *a = &d->collider->slots[pair->slot1], *b = &d->collider->slots[pair->slot2];
    double allowed = pair->margin + d->slack,
           reach = a->radius + b->radius + allowed + d->t * (a->speed + b->speed), n[3], v[3];
    v3_sub(n, b->pos, a->pos);
    double distance2 = v3_dot(n, n);
    if (!(distance2 <= reach * reach)) return;
    double distance = sqrt(distance2), gap = distance - a->radius - b->radius;
    /* the contact lies on the line of centres: spinning adds nothing along n */
    v3_sub(v, a->velocity, b->velocity);
    double thin = a->radius < b->radius ? a->radius : b->radius, far = d->far * thin;
    bool flies = gap > d->touching * thin && d->t * d->t * v3_dot(v, v) > far * far;
    if (flies) {
        if (emit_flying_spheres(e, pair, n, v)) return;
        double near = a->radius + b->radius + allowed, s;
        if (gap > allowed && !d->alone && !spheres_meet(n, v, near, d->t, &s)) return;
    }
    if (distance > 0.0)
        v3_scale(n, n, 1.0 / distance);
    else
        v3_set(n, 0.0, 0.0, 1.0);
    double way = d->t * larger(0.0, v3_dot(n, v)), most = way;
    if (d->alone)
        most = d->t * (larger(0.0, v3_dot(n, a->velocity)) + larger(0.0, -v3_dot(n, b->velocity)));
    if (!(gap <= allowed + most)) return;
    double pos[3];
    v3_copy(pos, a->pos);
    v3_add_scaled(pos, n, a->radius + 0.5 * gap);
    append(e, pair, pos, n, flies ? larger(gap, way) : gap, gap, (When){0.0, NULL}, 0);
}

static void emit_sphere_plane(TnEmitter *e, const TnSlotPair *pair)
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
    append(e, pair, pos, n, gap, gap, (When){0.0, NULL},
           tn_feature(tn_feature_vertex(0), TN_FEATURE_NONE));
}

static TnMover mover_of(const TnDetection *d, int slot, const double (*twists)[6])
{
    const TnCollider *c = d->collider;
    TnMover m = {.shape = &c->shape[slot],
                 .start = &c->place[slot],
                 .com = nowhere,
                 .twist = nowhere,
                 .thinness = c->thinness[slot]};
    if (slot < c->moving_count) {
        double arm[3];
        m.com = d->frames[c->slots[slot].link].com;
        m.twist = twists[c->slots[slot].link];
        v3_sub(arm, m.start->pos, m.com);
        m.reach = v3_norm(arm); /* a sphere does not notice its own turning */
        if (m.shape->type != TN_GEOM_SPHERE) m.reach += c->locals[slot].bounding_radius;
    }
    return m;
}

/* How fast the slots' points close along n, together and at most. */
typedef struct Closing {
    double net, most;
} Closing;

static Closing closing_at(const TnDetection *d, const TnSlotPair *pair, const double pos[3],
                          const double n[3], When when)
{
    const int slots[2] = {pair->slot1, pair->slot2};
    Closing out = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        double arm[3], v[3];
        if (slots[k] >= d->collider->moving_count) continue;
        const double *twist = when.twists[d->collider->slots[slots[k]].link];
        arm_to(d, slots[k], pos, when, arm);
        v3_cross(v, twist + 3, arm);
        v3_add(v, v, twist);
        double own = (k ? -1.0 : 1.0) * v3_dot(n, v);
        out.net += own;
        out.most += larger(0.0, own);
    }
    out.net = larger(0.0, out.net);
    if (!d->alone) out.most = out.net;
    return out;
}

/* Points as they are at a time, with gaps as they are at the start. */
static void emit_at(TnEmitter *e, const TnSlotPair *pair, When when, const TnManifold *m)
{
    for (int k = 0; k < m->count; k++) {
        const TnManifoldPoint *p = &m->points[k];
        double gap =
            p->gap + when.time * closing_at(e->detection, pair, p->pos, m->normal, when).net;
        append(e, pair, p->pos, m->normal, gap, gap, when, p->feature);
    }
}

/* Where the paths of two shapes meet that are apart, and when. */
static TnPassing find_flying(const TnDetection *d, const TnSlotPair *pair, bool look_on, When *when,
                             const TnManifold *start, TnManifold *out, TnTransform at[2])
{
    TnMover a = mover_of(d, pair->slot1, when->twists), b = mover_of(d, pair->slot2, when->twists);
    double near = ALONGSIDE * fmin(a.thinness, b.thinness);
    TnPassing passing =
        tn_sweep(&a, &b, d->t, pair->margin + d->slack, look_on, start, &when->time, at);
    if (passing != TN_MEETS) return passing;
    if (!tn_collide(a.shape, &at[0], b.shape, &at[1], near, out)) return TN_PASSES_BY;
    return out->count > 0 ? TN_MEETS : TN_PASSES_BY;
}

/* The pair at the end of a motion; false: they are farther apart than `near`. */
static bool collide_at_end(const TnDetection *d, const TnSlotPair *pair, const double (*twists)[6],
                           double near, TnManifold *out, TnTransform at[2])
{
    TnMover a = mover_of(d, pair->slot1, twists), b = mover_of(d, pair->slot2, twists);
    tn_mover_at(&a, d->t, &at[0]);
    tn_mover_at(&b, d->t, &at[1]);
    return tn_collide(a.shape, &at[0], b.shape, &at[1], near, out) && out->count > 0;
}

/* One of the two stands for good, and something may bear the other. Of two that move nobody knows
 * who will be stopped. A plane has no edges. */
static bool may_be_held(const TnDetection *d, const TnSlotPair *pair)
{
    const TnCollider *c = d->collider;
    return d->held && pair->slot2 >= c->moving_count &&
           c->slots[pair->slot2].shape_type != TN_GEOM_PLANE;
}

static double nearest_of(const TnManifold *m)
{
    double gap = INFINITY;
    for (int k = 0; k < m->count; k++) gap = m->points[k].gap < gap ? m->points[k].gap : gap;
    return gap;
}

/* Whose normals are not the same. */
static bool differ(const TnManifold *a, const TnManifold *b)
{
    return v3_dot(a->normal, b->normal) < SAME_NORMAL;
}

/* Where they meet falling. If they meet otherwise when they are held, as that is; if they pass by
 * then, as they are at the end. */
static TnPassing emit_meeting(TnEmitter *e, const TnSlotPair *pair, const TnManifold *start,
                              TnManifold *out, TnTransform at[2])
{
    const TnDetection *d = e->detection;
    When falls = {0.0, d->twists}, held = {0.0, d->held};
    TnManifold other;
    TnTransform there[2];
    TnPassing passing = find_flying(d, pair, false, &falls, start, out, at);
    if (passing != TN_MEETS) return passing;
    if (may_be_held(d, pair)) {
        bool meets = find_flying(d, pair, true, &held, start, &other, there) == TN_MEETS;
        if (!meets) held = (When){d->t, d->twists};
        bool grazes = !meets && collide_at_end(d, pair, d->twists, 0.0, &other, there) &&
                      nearest_of(&other) > -2.0 * d->slack; /* it falls by half of that */
        if ((meets || grazes) && differ(out, &other)) {
            falls = held;
            *out = other;
            memcpy(at, there, sizeof there);
        }
    }
    emit_at(e, pair, falls, out);
    return TN_MEETS;
}

/* A near pair whose points would be closed, but that passes along each other if it is held. *out:
 * as it is then. */
static bool grazes(const TnDetection *d, const TnSlotPair *pair, const TnManifold *m,
                   TnManifold *out)
{
    bool closes = false;
    if (!may_be_held(d, pair) || !(nearest_of(m) > -GRAZE * d->slack)) return false;
    for (int k = 0; k < m->count && !closes; k++) {
        const TnManifoldPoint *p = &m->points[k];
        double way = d->t * closing_at(d, pair, p->pos, m->normal, (When){0.0, d->held}).net;
        closes = way > p->gap && way > GRAZE * d->slack;
    }
    if (!closes) return false;
    TnMover a = mover_of(d, pair->slot1, d->held), b = mover_of(d, pair->slot2, d->held);
    TnTransform at[2];
    double time;
    if (tn_sweep(&a, &b, d->t, 0.0, true, m, &time, at) == TN_MEETS && time < d->t) return false;
    return collide_at_end(d, pair, d->held, d->slack, out, at) && differ(m, out) &&
           nearest_of(out) > -GRAZE * d->slack;
}

/* Of the thinner one's half: points of the same features are one contact where they are as near on
 * the shapes. Nearest points of shapes without faces to clip all have the same. */
#define SAME_PLACE 0.5

/* In the axes of a shape. */
static void point_in(const TnTransform *at, const double pos[3], double local[3])
{
    double d[3];
    v3_sub(d, pos, at->pos);
    m3_tmul_v(local, at->rot, d);
}

/* A point that shapes have `at` some place is one of those of a manifold that they had where they
 * were. */
static bool has_point(const TnManifold *m, const TnTransform was[2], const TnManifoldPoint *p,
                      const TnTransform at[2], double near)
{
    for (int k = 0; k < m->count; k++) {
        if (m->points[k].feature != p->feature) continue;
        bool same = true;
        for (int side = 0; side < 2; side++) {
            double before[3], now[3];
            point_in(&was[side], m->points[k].pos, before);
            point_in(&at[side], p->pos, now);
            v3_sub(now, now, before);
            same &= v3_norm(now) < near;
        }
        if (same) return true;
    }
    return false;
}

/* A point of each shape, in the shape's own axes. */
typedef struct Point {
    double a[3], b[3];
} Point;

/* Where the points are at some time, and their gap along n. */
static double gap_of_points(const TnMover *a, const TnMover *b, const Point *p, const double n[3],
                            double time, double pos[3])
{
    TnTransform at[2];
    double x[3], y[3];
    tn_mover_at(a, time, &at[0]);
    tn_mover_at(b, time, &at[1]);
    m3_mul_v(x, at[0].rot, p->a);
    v3_add(x, x, at[0].pos);
    m3_mul_v(y, at[1].rot, p->b);
    v3_add(y, y, at[1].pos);
    for (int k = 0; k < 3; k++) pos[k] = 0.5 * (x[k] + y[k]);
    v3_sub(y, y, x);
    return v3_dot(y, n);
}

#define BISECTIONS 24

/* When the points of an overlap at the end came together. False: they were together at the start.
 */
static bool find_turned_time(const TnMover *a, const TnMover *b, const Point *p, const double n[3],
                             double t, double *time, double pos[3])
{
    double low = 0.0, high = t;
    if (!(gap_of_points(a, b, p, n, 0.0, pos) > 0.0)) return false;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        *(gap_of_points(a, b, p, n, middle, pos) > 0.0 ? &low : &high) = middle;
    }
    *time = low;
    gap_of_points(a, b, p, n, low, pos);
    return true;
}

/* Of two that touch or are near, what their turning brings together besides: where they overlap at
 * the end. */
static void emit_turned(TnEmitter *e, const TnSlotPair *pair, const TnMover *a, const TnMover *b,
                        const TnManifold *start, const TnTransform was[2])
{
    const TnDetection *d = e->detection;
    TnTransform at[2];
    TnManifold m;
    if (v3_dot(a->twist + 3, a->twist + 3) + v3_dot(b->twist + 3, b->twist + 3) == 0.0) return;
    if (!collide_at_end(d, pair, d->twists, 0.0, &m, at)) return;
    double near = SAME_PLACE * fmin(a->thinness, b->thinness);
    for (int k = 0; k < m.count; k++) {
        const TnManifoldPoint *p = &m.points[k];
        double x[3], time, pos[3];
        Point own;
        if (has_point(start, was, p, at, near)) continue;
        v3_copy(x, p->pos);
        v3_add_scaled(x, m.normal, -0.5 * p->gap);
        point_in(&at[0], x, own.a);
        v3_add_scaled(x, m.normal, p->gap);
        point_in(&at[1], x, own.b);
        if (!find_turned_time(a, b, &own, m.normal, d->t, &time, pos)) continue;
        double gap = time * closing_at(d, pair, pos, m.normal, (When){time, d->twists}).net;
        if (gap > 0.0)
            append(e, pair, pos, m.normal, gap, gap, (When){time, d->twists}, p->feature);
    }
}

/* rad: what turns by less in a step goes straight on but for half of this share of its way. */
#define STRAIGHT 0.1

static inline bool goes_straight(const TnDetection *d, int slot)
{
    if (slot >= d->collider->moving_count) return true;
    const double *omega = d->twists[d->collider->slots[slot].link] + 3;
    return d->t * d->t * v3_dot(omega, omega) < STRAIGHT * STRAIGHT;
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
    return v3_norm(v) + turning + 0.5 * STRAIGHT * both;
}

/* A small share of what is compared: room for rounding. */
#define ROUNDING 1e-9

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
    return v3_dot(n, n) > (1.0 + ROUNDING) * reach * reach;
}

/* `normal`, where there is one: see TnSlotPair. */
static void emit_shapes(TnEmitter *e, const TnSlotPair *pair, double way, double *normal)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    double allowed = pair->margin + d->slack;
    TnManifold m, met;
    double reach = allowed + way;
    if (!tn_collide(&c->shape[i], &c->place[i], &c->shape[j], &c->place[j], reach, &m)) return;
    double nearest = nearest_of(&m);
    bool flies = false;
    double thin = c->thinness[i] < c->thinness[j] ? c->thinness[i] : c->thinness[j];
    bool stays = !(m.count && way > d->far * thin);
    if (!stays) {
        TnMover a = mover_of(d, i, d->twists), b = mover_of(d, j, d->twists);
        TnTransform at[2], start[2] = {c->place[i], c->place[j]};
        flies = nearest > d->touching * thin;
        TnPassing passing = flies ? emit_meeting(e, pair, &m, &met, at) : TN_PASSES_BY;
        bool meets = passing == TN_MEETS;
        if (passing == TN_STAYS_APART && !d->alone) return;
        if (d->t * tn_mover_turning(&a, &b) > TURNS * thin)
            emit_turned(e, pair, &a, &b, meets ? &met : &m, meets ? at : start);
        if (meets) return;
    }
    if (!flies && grazes(d, pair, &m, &met)) {
        emit_at(e, pair, (When){d->t, d->held}, &met);
        return;
    }
    if (stays && m.count && normal) v3_copy(normal, m.normal);
    When start = {0.0, d->twists};
    for (int k = 0; k < m.count; k++) {
        const TnManifoldPoint *p = &m.points[k];
        double gap = p->gap;
        if (flies || gap > allowed) { /* what is near and goes slowly is listed anyway */
            Closing closing = closing_at(d, pair, p->pos, m.normal, start);
            if (!(gap <= allowed + d->t * closing.most)) continue;
            if (flies) gap = larger(gap, d->t * closing.net);
        }
        append(e, pair, p->pos, m.normal, gap, p->gap, start, p->feature);
    }
}

static inline bool is_simple(const TnSlot *a, const TnSlot *b)
{
    return a->shape_type == TN_GEOM_SPHERE &&
           (b->shape_type == TN_GEOM_SPHERE || b->shape_type == TN_GEOM_PLANE);
}

static void emit_simple(TnEmitter *e, const TnSlotPair *pair)
{
    if (e->detection->collider->slots[pair->slot2].shape_type == TN_GEOM_SPHERE)
        emit_spheres(e, pair);
    else
        emit_sphere_plane(e, pair);
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
    if (simple)
        emit_simple(e, &pair);
    else
        emit_shapes(e, &pair, way, NULL);
}

/* Whether two shapes are seen to be apart by more than is listed, from where they last were. Only
 * asked of pairs of which nothing is listed then. */
static bool are_apart(const TnDetection *d, TnSlotPair *pair, double way)
{
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    const TnPlaced a = {&c->shape[i], &c->place[i]}, b = {&c->shape[j], &c->place[j]};
    if (!tn_collide_is_convex(a.shape->type, b.shape->type)) return false;
    double v[3], room = ROUNDING * (c->locals[i].bounding_radius + c->locals[j].bounding_radius);
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
    const TnSlot *slots = d->collider->slots;
    if (is_simple(&slots[pair->slot1], &slots[pair->slot2])) {
        emit_simple(e, pair);
        return;
    }
    double way = d->t * fastest(d, pair->slot1, pair->slot2);
    if (are_far(d, pair->slot1, pair->slot2, way) || are_apart(d, pair, way)) return;
    emit_shapes(e, pair, way, pair->normal);
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
