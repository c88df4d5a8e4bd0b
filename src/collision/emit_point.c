/* emit_point.c: a contact point into the list of its chunk, with what its pair's surfaces say. */
#include "../math/vec3.h"
#include "emit.h"

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

/* From the centre of mass of the link that carries the slot to a point then. */
static void arm_to(const TnDetection *d, int slot, const double pos[3], TnWhen when, double arm[3])
{
    const TnCollider *c = d->collider;
    v3_copy(arm, pos);
    if (slot >= c->fixed_start) return;
    int link = c->slots[slot].link;
    v3_sub(arm, arm, d->frames[link].com);
    if (when.time > 0.0) v3_add_scaled(arm, when.twists[link], -when.time);
}

void tn_emit_point(TnEmitter *e, const TnSlotPair *pair, const double pos[3], const double n[3],
                   double gap, double clearance, TnWhen when, uint32_t feature)
{
    const TnCollider *c = e->detection->collider;
    const TnPairRule *rule = rule_of(e, pair);
    if (e->count++ >= e->capacity) return;
    TnContactPoint *p = &e->points[e->count - 1];
    p->geom1 = c->slots[pair->slot1].geom;
    p->geom2 = c->slots[pair->slot2].geom;
    p->feature = feature ^ (uint32_t)c->slots[pair->slot1].piece * 0x9e3779b1u ^
                 (uint32_t)c->slots[pair->slot2].piece * 0x85ebca6bu;
    p->dim = (int16_t)rule->dim;
    v3_copy(p->pos, pos);
    arm_to(e->detection, pair->slot1, pos, when, p->arm1);
    arm_to(e->detection, pair->slot2, pos, when, p->arm2);
    v3_copy(p->normal, n);
    p->gap = gap - pair->margin;
    p->clearance = clearance - pair->margin;
    p->time = when.time;
    v3_copy(p->friction, rule->friction);
    p->restitution = rule->restitution;
    p->resolved = false;
    p->soft1 = p->soft2 = -1;
    p->room[0] = p->room[1] = 0.0;
}

TnClosing tn_closing_at(const TnDetection *d, const TnSlotPair *pair, const double pos[3],
                        const double n[3], TnWhen when)
{
    const int slots[2] = {pair->slot1, pair->slot2};
    TnClosing out = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        double arm[3], v[3];
        if (slots[k] >= d->collider->fixed_start) continue;
        const double *twist = when.twists[d->collider->slots[slots[k]].link];
        arm_to(d, slots[k], pos, when, arm);
        v3_cross(v, twist + 3, arm);
        v3_add(v, v, twist);
        double own = (k ? -1.0 : 1.0) * v3_dot(n, v);
        out.net += own;
        out.most += tn_larger(0.0, own);
    }
    out.net = tn_larger(0.0, out.net);
    if (!d->alone) out.most = out.net;
    return out;
}
