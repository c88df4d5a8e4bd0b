/* overlaps.c: parts of one robot that overlap in its reference pose.
 *
 * Many robots are built like that: a capsule of a thigh reaches into the pelvis, hulls of meshes
 * into each other. Joints leave such parts no way out, or several that contradict each other, so
 * forces would grow without bound. As long as they are deeper in each other than a tenth, such
 * parts do not collide; once they have come apart, they do. A robot is a tree and the fixed bodies
 * that it is mounted on. Explicit pairs always collide. */
#include "emit.h"

#include "../base/base.h"
#include "../math/vec3.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *x, const void *y)
{
    const TnOverlap *a = x, *b = y;
    if (a->slot1 != b->slot1) return a->slot1 < b->slot1 ? -1 : 1;
    return a->slot2 < b->slot2 ? -1 : a->slot2 > b->slot2;
}

/* Poses of a tree's links in the reference pose. */
static void place_links(const TnModel *m, const TnSubsystem *sub, TnTransform *at)
{
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &m->links[l];
        TnTransform *out = &at[l - sub->link_start];
        if (!link->parent) {
            v3_copy(out->pos, link->ref_pos);
            memcpy(out->rot, link->ref_rot, sizeof out->rot);
            continue;
        }
        const TnTransform *parent = &at[link->parent - sub->link_start];
        m3_mul_v(out->pos, parent->rot, link->ref_pos);
        v3_add(out->pos, out->pos, parent->pos);
        m3_mul(out->rot, parent->rot, link->ref_rot);
    }
}

static void place_slot(const TnCollider *c, const TnSubsystem *sub, const TnTransform *at, int slot,
                       TnTransform *out)
{
    const TnSlot *s = &c->slots[slot];
    *out = c->place[slot];
    if (!s->link) return;
    const TnTransform *link = &at[s->link - sub->link_start];
    m3_mul_v(out->pos, link->rot, c->locals[slot].pos);
    v3_add(out->pos, out->pos, link->pos);
    m3_mul(out->rot, link->rot, c->model->geoms[s->geom].link_rot);
}

static bool add(TnCollider *c, int slot1, int slot2, double depth)
{
    int n = c->overlap_count;
    if ((n & (n - 1)) == 0) {
        TnOverlap *more = tn_realloc(c->overlaps, sizeof *more * (size_t)(n ? 2 * n : 1));
        if (!more) return false;
        c->overlaps = more;
    }
    c->overlaps[c->overlap_count++] = (TnOverlap){slot1, slot2, depth};
    return true;
}

/* False: no memory. */
static bool look(TnCollider *c, int slot1, int slot2, const TnTransform at[2])
{
    TnSlotPair pair;
    TnManifold m;
    double apart[3], reach = c->locals[slot1].bounding_radius + c->locals[slot2].bounding_radius;
    v3_sub(apart, at[0].pos, at[1].pos);
    if (v3_dot(apart, apart) > reach * reach || !tn_filter_pair(c, slot1, slot2, &pair) ||
        pair.explicit_pair >= 0 ||
        !tn_collide(&c->shape[slot1], &at[0], &c->shape[slot2], &at[1], 0.0, &m) || !m.count)
        return true;
    double depth = -tn_manifold_nearest(&m);
    return !(depth > tn_shallow_overlap(c, slot1, slot2)) || add(c, slot1, slot2, depth);
}

/* Slots of each body as a list: -1 ends it. */
typedef struct Robots {
    TnTransform *links;
    int32_t *slots, *first, *next;
} Robots;

static bool begin(const TnCollider *c, Robots *r)
{
    const TnModel *m = c->model;
    r->links = tn_malloc(sizeof *r->links * (size_t)(m->link_count + 1));
    r->slots = tn_malloc(sizeof *r->slots * (size_t)(c->count + 1));
    r->first = tn_malloc(sizeof *r->first * (size_t)(m->body_count + 1));
    r->next = tn_malloc(sizeof *r->next * (size_t)(c->count + 1));
    if (!r->links || !r->slots || !r->first || !r->next) return false;
    for (int b = 0; b < m->body_count; b++) r->first[b] = -1;
    for (int slot = c->count - 1; slot >= 0; slot--) {
        int body = m->geoms[c->slots[slot].geom].body;
        r->next[slot] = r->first[body];
        r->first[body] = slot;
    }
    return true;
}

static void end(Robots *r)
{
    tn_free(r->links);
    tn_free(r->slots);
    tn_free(r->first);
    tn_free(r->next);
}

static int list_body(const Robots *r, int body, int count)
{
    for (int slot = r->first[body]; slot >= 0; slot = r->next[slot]) r->slots[count++] = slot;
    return count;
}

/* Slots of the tree, and of what it is mounted on; their number. Bodies follow their parents. */
static int list_slots(const TnCollider *c, const TnSubsystem *sub, const Robots *r)
{
    const TnModel *m = c->model;
    int root = m->links[sub->link_start].body, last = sub->link_start + sub->link_count, count = 0;
    for (int b = root; b < m->body_count; b++) {
        int link = m->bodies[b].link;
        if (link < sub->link_start || link >= last) break;
        count = list_body(r, b, count);
    }
    for (int b = m->bodies[root].parent; b > 0 && !m->bodies[b].link; b = m->bodies[b].parent)
        count = list_body(r, b, count);
    return count;
}

static bool look_at_tree(TnCollider *c, const TnSubsystem *sub, const Robots *r)
{
    int count = list_slots(c, sub, r);
    place_links(c->model, sub, r->links);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            int s = r->slots[i], t = r->slots[j], a = s < t ? s : t, b = s + t - a;
            TnTransform at[2];
            if (c->slots[a].link == c->slots[b].link) continue;
            place_slot(c, sub, r->links, a, &at[0]);
            place_slot(c, sub, r->links, b, &at[1]);
            if (!look(c, a, b, at)) return false;
        }
    return true;
}

bool tn_overlaps_init(TnCollider *c)
{
    const TnModel *m = c->model;
    Robots robots = {0};
    bool ok = begin(c, &robots);
    for (int s = 0; ok && s < m->subsystem_count; s++)
        if (m->subsystems[s].kind == TN_SUBSYSTEM_TREE)
            ok = look_at_tree(c, &m->subsystems[s], &robots);
    end(&robots);
    if (c->overlap_count > 1)
        qsort(c->overlaps, (size_t)c->overlap_count, sizeof c->overlaps[0], compare);
    for (int i = 0; i < c->overlap_count; i++) {
        c->slots[c->overlaps[i].slot1].special |= TN_SPECIAL_OVERLAPS;
        c->slots[c->overlaps[i].slot2].special |= TN_SPECIAL_OVERLAPS;
    }
    return ok;
}

double tn_overlap_limit(const TnCollider *c, int slot1, int slot2)
{
    TnOverlap wanted = {slot1, slot2, 0.0};
    if (!c->overlap_count ||
        !bsearch(&wanted, c->overlaps, (size_t)c->overlap_count, sizeof wanted, compare))
        return -INFINITY;
    return -tn_shallow_overlap(c, slot1, slot2);
}

void tn_collider_beyond(TnCollider *c, const uint8_t *beyond) { c->beyond = beyond; }

bool tn_is_beyond(const TnCollider *c, int link1, int link2)
{
    const TnLink *links = c->model->links;
    int a = link1, b = link2;
    if (!c->beyond || links[a].subsystem < 0 || links[a].subsystem != links[b].subsystem)
        return false;
    while (a != b) { /* parents come before their children */
        int *lower = a > b ? &a : &b;
        if (c->beyond[*lower]) return true;
        *lower = links[*lower].parent;
    }
    return false;
}

int tn_collider_overlap_count(const TnCollider *c) { return c->overlap_count; }

double tn_collider_overlap(const TnCollider *c, int index, int *geom1, int *geom2)
{
    const TnOverlap *o = &c->overlaps[index];
    *geom1 = c->slots[o->slot1].geom;
    *geom2 = c->slots[o->slot2].geom;
    return o->depth;
}
