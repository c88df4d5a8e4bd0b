/* soft_detect.c: contacts of soft surfaces, behind the rigid ones in the list.
 *
 *     listed:  gap <= margin + t · max(0, n · (v₁ - v₂)) + slack
 *
 * with v₁ = Σ weight · node velocity, v₂ likewise or of the link at the point. A surface's points
 * stand together: rigid geoms by slot, then other surfaces, then itself. */
#include "../../base/base.h"
#include "../../math/vec3.h"
#include "soft_surface.h"

void tn_soft_place_at(const TnSoftPlace *place, double x[3], double v[3])
{
    v3_zero(x);
    if (v) v3_zero(v);
    for (int i = 0; i < place->count; i++) {
        v3_add_scaled(x, place->s->x[place->node[i]], place->weight[i]);
        if (v) v3_add_scaled(v, place->s->v[place->node[i]], place->weight[i]);
    }
}

static void link_velocity(const TnDetection *d, int slot, const double p[3], double v[3])
{
    int link = d->collider->slots[slot].link;
    v3_zero(v);
    if (link == 0) return;
    double arm[3];
    v3_sub(arm, p, d->frames[link].com);
    v3_cross(v, d->twists[link] + 3, arm);
    v3_add(v, v, d->twists[link]);
}

static TnSoftPoint public_point(const TnSoftPlace *place)
{
    const TnSoftSurface *s = place->s;
    TnSoftPoint p = {.soft = s->index, .triangle = -1, .count = place->count};
    if (place->triangle >= 0) p.triangle = s->triangle_ids[place->triangle];
    for (int i = 0; i < place->count; i++) {
        p.node[i] = s->nodes[place->node[i]];
        p.weight[i] = place->weight[i];
    }
    return p;
}

void tn_soft_emit(TnSoftEmitter *e, const TnSoftPlace *a, const TnSoftPlace *b, const double n[3],
                  double gap, uint32_t feature)
{
    const TnDetection *d = e->detection;
    double pos[3], va[3], vb[3], other[3];
    tn_soft_place_at(a, pos, va);
    v3_add_scaled(pos, n, a->s->radius + 0.5 * gap);
    if (b)
        tn_soft_place_at(b, other, vb);
    else
        link_velocity(d, e->slot, pos, vb);
    v3_sub(va, va, vb);
    double approach = v3_dot(n, va);
    if (!(gap <= e->margin + d->slack + d->t * (approach > 0.0 ? approach : 0.0))) return;
    if (e->count++ >= e->capacity) return;
    TnContactPoint *p = &e->points[e->count - 1];
    *p = (TnContactPoint){.geom1 = e->geom1,
                          .geom2 = e->geom2,
                          .feature = feature,
                          .dim = e->rule.dim >= 3 ? 3 : 1,
                          .gap = gap - e->margin,
                          .clearance = gap - e->margin,
                          .restitution = e->rule.restitution,
                          .soft1 = 0,
                          .soft2 = b ? 0 : -1};
    v3_copy(p->pos, pos);
    int link = b ? 0 : d->collider->slots[e->slot].link;
    if (!b) v3_copy(p->arm2, pos);
    if (link) v3_sub(p->arm2, pos, d->frames[link].com);
    v3_copy(p->normal, n);
    v3_copy(p->friction, e->rule.friction);
    TnSoftPoint *points = &e->soft_points[2 * (size_t)(e->count - 1)];
    points[0] = public_point(a);
    if (b) points[1] = public_point(b);
}

/* ---- which pairs ---- */

/* Explicit pairs are for rigid geoms only, so masks decide. */
static void set_pair(TnSoftEmitter *e, int geom1, int geom2, const TnSurface *a, const TnSurface *b,
                     double margin1, double margin2)
{
    e->geom1 = geom1;
    e->geom2 = geom2;
    e->slot = -1;
    e->rule = tn_filter_mix(a, b);
    e->margin = margin1 + margin2;
}

static bool masks_meet(uint32_t type1, uint32_t affinity1, uint32_t type2, uint32_t affinity2)
{
    return ((type1 & affinity2) | (type2 & affinity1)) != 0;
}

/* The surface belongs to the world's body: an exclude of that holds for it too. */
static bool excluded(const TnModel *model, int body)
{
    for (int i = 0; i < model->exclude_count && model->excludes[i].body1 == 0; i++)
        if (model->excludes[i].body2 == body) return true;
    return false;
}

static bool pair_with_slot(TnSoftEmitter *e, const TnSoftSurface *s, int slot)
{
    const TnCollider *c = e->detection->collider;
    const TnSlot *g = &c->slots[slot];
    if (!masks_meet(s->type_mask, s->affinity_mask, g->type_mask, g->affinity_mask) ||
        excluded(c->model, c->model->geoms[g->geom].body))
        return false;
    set_pair(e, s->geom, g->geom, &s->surface, &c->surfaces[g->surface], s->margin, g->margin);
    e->slot = slot;
    return true;
}

/* Between a sleeper and something awake: only whether they touch. */
static void probe(const TnSoftEmitter *e, TnSoftSurface *s, int found, const TnSoftSurface *other,
                  int sleeper)
{
    const TnCollider *c = e->detection->collider;
    TnSoftEmitter probing = *e;
    if (tn_is_touched(c, sleeper)) return;
    probing.capacity = probing.count = 0;
    if (other)
        tn_soft_emit_pair(&probing, s, other);
    else
        tn_soft_emit_rigid(&probing, s, found);
    if (probing.count) tn_touch(c, sleeper);
}

static void emit_rigid(TnSoftEmitter *e, TnSoftSurface *s, int found)
{
    const TnCollider *c = e->detection->collider;
    if (s->sleeping)
        probe(e, s, found, NULL, s->soft->subsystem);
    else if (tn_slot_sleeps(c, e->slot))
        probe(e, s, found, NULL, c->subsystems[e->slot]);
    else
        tn_soft_emit_rigid(e, s, found);
}

static void detect_rigid(TnSoftEmitter *e, TnSoftSurface *s)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    const TnSoftBox *all = &s->boxes[0];
    for (int slot = 0; slot < c->finite_count; slot++) {
        const TnBounds *b = &c->bounds[slot];
        double low[3], high[3];
        for (int i = 0; i < 3; i++) {
            low[i] = (double)b->c[i] - (double)b->h[i];
            high[i] = (double)b->c[i] + (double)b->h[i];
        }
        if (s->sleeping && (tn_slot_sleeps(c, slot) || slot >= c->moving_count)) continue;
        if (!tn_soft_boxes_meet(low, high, all->low, all->high, all->sweep) ||
            !pair_with_slot(e, s, slot))
            continue;
        int found = tn_soft_tree_near_box(s, low, high);
        if (found) emit_rigid(e, s, found);
    }
    if (s->sleeping) return;
    for (int slot = c->finite_count; slot < c->count; slot++) {
        double n[3];
        m3_column(n, c->place[slot].rot, 2);
        if (!pair_with_slot(e, s, slot)) continue;
        int found = tn_soft_tree_near_plane(
            s, n, v3_dot(n, c->place[slot].pos) + 0.5 * d->slack + c->locals[slot].bound_margin);
        if (found) tn_soft_emit_rigid(e, s, found);
    }
}

static void detect_soft(TnSoftEmitter *e, TnSoftSurface *s)
{
    const TnCollider *c = e->detection->collider;
    for (int i = 0; i < c->model->soft_count; i++) {
        TnSoftSurface *o = &c->softs[i];
        if (o == s || o->triangle_count == 0 || (s->sleeping && o->sleeping)) continue;
        const TnSoftBox *a = &s->boxes[0];
        const TnSoftCone *b = &o->cones[0];
        if (!tn_soft_boxes_meet(a->low, a->high, b->low, b->high, a->sweep + o->boxes[0].sweep))
            continue;
        if (!masks_meet(s->type_mask, s->affinity_mask, o->type_mask, o->affinity_mask)) continue;
        set_pair(e, s->geom, o->geom, &s->surface, &o->surface, s->margin, o->margin);
        if (s->sleeping || o->sleeping)
            probe(e, s, 0, o, s->sleeping ? s->soft->subsystem : o->soft->subsystem);
        else
            tn_soft_emit_pair(e, s, o);
    }
    if (!s->soft->self_contact || s->sleeping) return;
    set_pair(e, s->geom, s->geom, &s->surface, &s->surface, s->margin, s->margin);
    tn_soft_emit_pair(e, s, s);
}

/* ---- a step ---- */

typedef struct Task {
    const TnDetection *d;
    const double *qpos, *end_qvel;
    TnContactPoint *points;
    TnSoftPoint *soft_points;
} Task;

static void update_range(void *context, int begin, int end)
{
    const Task *task = context;
    for (int i = begin; i < end; i++) {
        TnSoftSurface *s = &task->d->collider->softs[i];
        const int32_t *asleep = task->d->collider->asleep;
        s->sleeping = asleep && asleep[s->soft->subsystem];
        if (s->sleeping && s->placed) continue;
        tn_soft_surface_update(s, task->qpos, task->end_qvel, task->d->t, task->d->slack);
        s->placed = s->sleeping;
    }
}

static void detect_range(void *context, int begin, int end)
{
    const Task *task = context;
    const TnCollider *c = task->d->collider;
    for (int i = begin; i < end; i++) {
        TnSoftSurface *s = &c->softs[i];
        TnSoftEmitter e = {.detection = task->d,
                           .points = task->points + s->start,
                           .soft_points = task->soft_points + 2 * s->start,
                           .capacity = s->capacity};
        if (s->triangle_count > 0) {
            detect_rigid(&e, s);
            detect_soft(&e, s);
        }
        s->used = e.count;
    }
}

static size_t lay_out(TnCollider *c)
{
    size_t total = 0;
    for (int i = 0; i < c->model->soft_count; i++) {
        c->softs[i].start = total;
        total += (size_t)c->softs[i].capacity;
    }
    return total;
}

static bool fits(TnCollider *c)
{
    bool all = true;
    for (int i = 0; i < c->model->soft_count; i++) {
        TnSoftSurface *s = &c->softs[i];
        if (s->used <= s->capacity) continue;
        s->capacity = s->used + s->used / 4;
        all = false;
    }
    return all;
}

/* The parts one after the other, points of surfaces without holes. */
static void close_up(const TnCollider *c, const Task *task, TnContactList *out)
{
    for (int i = 0; i < c->model->soft_count; i++) {
        const TnSoftSurface *s = &c->softs[i];
        for (int k = 0; k < s->used; k++) {
            TnContactPoint *p = &out->points[out->count++];
            const TnSoftPoint *pair = &task->soft_points[2 * (s->start + (size_t)k)];
            TnSoftPoint two[2] = {pair[0], pair[1]};
            *p = task->points[s->start + (size_t)k];
            out->soft_points[out->soft_point_count] = two[0];
            p->soft1 = out->soft_point_count++;
            if (p->soft2 < 0) continue;
            out->soft_points[out->soft_point_count] = two[1];
            p->soft2 = out->soft_point_count++;
        }
    }
}

size_t tn_soft_capacity(TnCollider *c) { return lay_out(c); }

bool tn_soft_detect(const TnDetection *d, const double *qpos, const double *end_qvel,
                    TnArena *arena, TnPool *pool, TnContactList *out)
{
    TnCollider *c = d->collider;
    int count = c->model->soft_count;
    Task task = {d, qpos, end_qvel, out->points + out->count, NULL};
    tn_pool_run(pool, count, 1, update_range, &task);
    for (;;) {
        size_t capacity = lay_out(c);
        task.soft_points = TN_ARENA_ZERO(arena, TnSoftPoint, 2 * capacity);
        if (!task.points || !task.soft_points) return false;
        tn_pool_run(pool, count, 1, detect_range, &task);
        if (fits(c)) break;
        /* rare: the list moves to where there is room */
        TnContactPoint *points =
            TN_ARENA_NEW(arena, TnContactPoint, (size_t)out->count + lay_out(c));
        if (!points) return false;
        memcpy(points, out->points, sizeof points[0] * (size_t)out->count);
        out->points = points;
        task.points = points + out->count;
    }
    out->soft_points = task.soft_points;
    close_up(c, &task, out);
    return true;
}

bool tn_collision_detect_softs(TnCollider *c, const TnMotionInput *in, const uint8_t *near,
                               TnArena *arena, TnPool *pool, TnContactList *out)
{
    const float nowhere = 3e38f;
    TnDetection d = {
        .collider = c, .frames = in->frames, .twists = in->twists, .t = in->t, .slack = in->slack};
    for (int slot = 0; slot < c->finite_count; slot++) {
        double h[3];
        if (slot < c->moving_count && !near[c->slots[slot].link]) {
            c->bounds[slot] = (TnBounds){.c = {nowhere, nowhere, nowhere}, .slot = slot};
            continue;
        }
        tn_bounds_place(&d, slot, h);
        tn_bounds_sweep(&d, slot, h);
    }
    *out = (TnContactList){.points = TN_ARENA_NEW(arena, TnContactPoint, tn_soft_capacity(c))};
    return tn_soft_detect(&d, in->qpos, in->qvel, arena, pool, out);
}
