/* filter.c: which pairs collide, and with what parameters.
 *
 * Two geoms collide when their masks meet, (type₁ & affinity₂) | (type₂ & affinity₁), and their
 * bodies may; an explicit pair collides whatever masks and bodies say. Bodies can only forbid what
 * is part of a tree or a rod, holds a rod or is named by an exclude, so the model is asked for
 * nothing else. Parameters: from the geom of higher priority, else the larger of both. */
#include "collider.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

#include "../math/vec3.h"

static int compare_entries(const void *x, const void *y)
{
    const TnPairEntry *a = x, *b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_pairs(TnCollider *collider)
{
    const TnModel *m = collider->model;
    for (int i = 0; i < m->pair_count; i++) {
        int a = m->pairs[i].geom1, b = m->pairs[i].geom2;
        collider->pairs[i] = (TnPairEntry){a < b ? a : b, a < b ? b : a, i};
    }
    collider->pair_count = m->pair_count;
    if (m->pair_count > 1)
        qsort(collider->pairs, (size_t)m->pair_count, sizeof collider->pairs[0], compare_entries);
}

int tn_filter_explicit(const TnCollider *collider, int slot1, int slot2)
{
    int g = collider->slots[slot1].geom, h = collider->slots[slot2].geom, low = g < h ? g : h,
        high = g < h ? h : g;
    int begin = 0, end = collider->pair_count;
    while (begin < end) {
        int middle = (begin + end) / 2;
        const TnPairEntry *e = &collider->pairs[middle];
        if (e->low < low || (e->low == low && e->high < high))
            begin = middle + 1;
        else
            end = middle;
    }
    if (begin == collider->pair_count || collider->pairs[begin].low != low ||
        collider->pairs[begin].high != high)
        return -1;
    return collider->pairs[begin].index;
}

/* The bit of `special` that fixed geoms share with what they may clamp, and with nothing else. */
#define CLAMPS 2
int tn_filter_special(const TnCollider *collider, int slot1, int slot2, bool masks)
{
    const TnModel *m = collider->model;
    int pair = tn_filter_explicit(collider, slot1, slot2);
    if (pair >= 0) return pair + 1;
    if (!masks) return -1;
    int link1 = collider->slots[slot1].link, link2 = collider->slots[slot2].link;
    if (link1 == 0 && tn_is_clamped(collider, slot1, link2)) return -1;
    if (link2 == 0 && tn_is_clamped(collider, slot2, link1)) return -1;
    return tn_model_bodies_collide(m, m->geoms[collider->slots[slot1].geom].body,
                                   m->geoms[collider->slots[slot2].geom].body)
               ? 0
               : -1;
}

int tn_filter_verdict(const TnCollider *collider, int slot1, int slot2, double *least)
{
    TnSlotPair pair;
    bool collide = tn_filter_pair(collider, slot1, slot2, &pair);
    *least = pair.least;
    return collide ? pair.explicit_pair + 2 : 0;
}

/* Of a tree or a rod, or holding a rod's segment. */
static bool link_in_tree(const TnModel *m, int link)
{
    if (m->links[link].subsystem < 0) return m->links[link].holds;
    const TnSubsystem *sub = &m->subsystems[m->links[link].subsystem];
    return sub->link_count > 1 || m->links[link].holds;
}

/* Rods never meet themselves, or find their pairs themselves (rod_pairs.c). Explicit pairs are the
 * exception; they are few, and such a rod none. */
static int lone_rod(const TnModel *m, int link)
{
    if (m->links[link].subsystem < 0 || m->pair_count) return 0;
    const TnSubsystem *sub = &m->subsystems[m->links[link].subsystem];
    return sub->kind == TN_SUBSYSTEM_ROD ? sub->kind_index + 1 : 0;
}

/* A rod's segments that are near each other along it never meet; the same exception. */
static void set_chain(const TnModel *m, TnSlot *slot)
{
    slot->chain = slot->near = 0;
    if (m->links[slot->link].subsystem < 0 || m->pair_count) return;
    const TnSubsystem *sub = &m->subsystems[m->links[slot->link].subsystem];
    if (sub->kind != TN_SUBSYSTEM_ROD) return;
    const TnRod *rod = &m->rods[sub->kind_index];
    slot->chain = sub->kind_index + 1;
    slot->near = rod->self_contact ? rod->near : INT32_MAX;
}

/* Index of an equal surface, or of a new one. Only the first few are searched: models with many
 * kinds gain nothing from sharing. */
static int surface_of(TnCollider *collider, const TnGeom *g)
{
    TnSurface s = {g->contact_dim,
                   g->priority,
                   {g->friction[0], g->friction[1], g->friction[2]},
                   g->restitution};
    for (int i = 0; i < collider->surface_count && i < 64; i++) {
        const TnSurface *o = &collider->surfaces[i];
        if (o->dim == s.dim && o->priority == s.priority && o->friction[0] == s.friction[0] &&
            o->friction[1] == s.friction[1] && o->friction[2] == s.friction[2] &&
            o->restitution == s.restitution)
            return i;
    }
    collider->surfaces[collider->surface_count] = s;
    return collider->surface_count++;
}

/* The slot of a geom that an explicit pair names; of a mesh in pieces all of them. */
static void mark_paired(TnCollider *collider, int geom, double margin)
{
    int mesh = collider->model->geoms[geom].mesh, first = collider->slot_of[geom], last = first;
    if (mesh >= 0 && collider->model->meshes[mesh].piece_count) {
        first = 0;
        last = collider->count - 1;
    }
    for (int slot = first; slot <= last; slot++) {
        if (collider->slots[slot].geom != geom) continue;
        collider->slots[slot].special |= 1;
        if (margin > collider->locals[slot].bound_margin)
            collider->locals[slot].bound_margin = margin;
    }
}

void tn_filter_init(TnCollider *collider)
{
    const TnModel *m = collider->model;
    for (int i = 0; i < m->exclude_count; i++)
        collider->excluded[m->excludes[i].body1] = collider->excluded[m->excludes[i].body2] = 1;
    tn_clamps_init(collider);
    for (int i = 0; i < collider->count; i++) {
        TnSlot *slot = &collider->slots[i];
        const TnGeom *g = &m->geoms[slot->geom];
        slot->type_mask = (uint32_t)g->contact_type;
        slot->affinity_mask = (uint32_t)g->contact_affinity;
        slot->special = link_in_tree(m, g->link) || collider->excluded[g->body];
        if (g->link == 0 || (m->rod_count && collider->clamps[g->link].count))
            slot->special |= CLAMPS;
        slot->rod = lone_rod(m, g->link);
        set_chain(m, slot);
        slot->surface = surface_of(collider, g);
        slot->margin = g->margin;
        collider->locals[i].bound_margin = g->margin;
    }
    collider->one_rod = true;
    for (int i = 0; i < collider->moving_count; i++)
        collider->one_rod &=
            collider->slots[i].rod && collider->slots[i].rod == collider->slots[0].rod;
    sort_pairs(collider);
    for (int i = 0; i < m->pair_count; i++) {
        mark_paired(collider, m->pairs[i].geom1, m->pairs[i].margin);
        mark_paired(collider, m->pairs[i].geom2, m->pairs[i].margin);
    }
}
