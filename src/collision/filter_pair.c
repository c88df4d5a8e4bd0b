/* filter_pair.c: whether two geoms collide, and with what parameters (filter.c says why). */
#include "collider.h"

bool tn_filter_pair(const TnCollider *c, int slot1, int slot2, TnSlotPair *pair)
{
    const TnSlot *a = &c->slots[slot1], *b = &c->slots[slot2];
    bool masks = ((a->type_mask & b->affinity_mask) | (b->type_mask & a->affinity_mask)) != 0;
    *pair = (TnSlotPair){.slot1 = slot1,
                         .slot2 = slot2,
                         .explicit_pair = -1,
                         .margin = a->margin + b->margin,
                         .least = -INFINITY,
                         .together = INFINITY};
    if (tn_never_meet(a, b)) return false;
    if (!(a->special & b->special)) return masks;
    int verdict = tn_filter_special(c, slot1, slot2, masks);
    if (verdict > 0) {
        pair->explicit_pair = verdict - 1;
        pair->margin = c->model->pairs[pair->explicit_pair].margin;
    } else if (verdict == 0 && (a->special & b->special & TN_SPECIAL_OVERLAPS))
        pair->least = tn_overlap_limit(c, slot1, slot2);
    return verdict >= 0;
}

TnPairRule tn_filter_mix(const TnSurface *a, const TnSurface *b)
{
    TnPairRule rule = {.restitution =
                           a->restitution > b->restitution ? a->restitution : b->restitution};
    if (a->priority != b->priority) {
        const TnSurface *s = a->priority > b->priority ? a : b;
        rule.dim = s->dim;
        for (int i = 0; i < 3; i++) rule.friction[i] = s->friction[i];
        return rule;
    }
    rule.dim = a->dim > b->dim ? a->dim : b->dim;
    for (int i = 0; i < 3; i++)
        rule.friction[i] = a->friction[i] > b->friction[i] ? a->friction[i] : b->friction[i];
    return rule;
}
