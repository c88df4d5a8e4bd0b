/* emit_meeting.c: shapes as they are where their paths meet, or at the end of the step.
 *
 * What meets only because it falls freely for the step, and would pass if something bore it
 * (`held`), grazes: it is listed as it is at the end. So a box that slides from one floor onto the
 * next does not run into the edge between them. */
#include <string.h>

#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "emit.h"

static const double nowhere[6] = {0.0};

TnMover tn_slot_mover(const TnDetection *d, int slot, const double (*twists)[6])
{
    const TnCollider *c = d->collider;
    TnMover m = {.shape = &c->shape[slot],
                 .start = &c->place[slot],
                 .com = nowhere,
                 .twist = nowhere,
                 .thinness = c->thinness[slot]};
    if (slot < c->fixed_start) {
        double arm[3];
        m.com = d->frames[c->slots[slot].link].com;
        m.twist = twists[c->slots[slot].link];
        v3_sub(arm, m.start->pos, m.com);
        m.reach = v3_norm(arm); /* a sphere does not notice its own turning */
        if (m.shape->type != TN_GEOM_SPHERE) m.reach += c->locals[slot].bounding_radius;
    }
    return m;
}

void tn_emit_at(TnEmitter *e, const TnSlotPair *pair, TnWhen when, const TnManifold *m)
{
    for (int k = 0; k < m->count; k++) {
        const TnManifoldPoint *p = &m->points[k];
        double gap =
            p->gap + when.time * tn_closing_at(e->detection, pair, p->pos, m->normal, when).net;
        tn_emit_point(e, pair, p->pos, m->normal, gap, gap, when, p->feature);
    }
}

/* Where the paths of two shapes meet that are apart, and when. */
static TnPassing find_flying(const TnDetection *d, const TnSlotPair *pair, bool look_on,
                             TnWhen *when, const TnManifold *start, TnManifold *out,
                             TnTransform at[2])
{
    TnMover a = tn_slot_mover(d, pair->slot1, when->twists),
            b = tn_slot_mover(d, pair->slot2, when->twists);
    double near = TN_ALONGSIDE * fmin(a.thinness, b.thinness);
    TnPassing passing =
        tn_sweep(&a, &b, d->t, pair->margin + d->slack, look_on, start, &when->time, at);
    if (passing != TN_MEETS) return passing;
    if (!tn_collide(a.shape, &at[0], b.shape, &at[1], near, out)) return TN_PASSES_BY;
    return out->count > 0 ? TN_MEETS : TN_PASSES_BY;
}

bool tn_collide_at_end(const TnDetection *d, const TnSlotPair *pair, const double (*twists)[6],
                       double near, TnManifold *out, TnTransform at[2])
{
    TnMover a = tn_slot_mover(d, pair->slot1, twists), b = tn_slot_mover(d, pair->slot2, twists);
    tn_mover_at(&a, d->t, &at[0]);
    tn_mover_at(&b, d->t, &at[1]);
    return tn_collide(a.shape, &at[0], b.shape, &at[1], near, out) && out->count > 0;
}

/* One of the two stands for good, and something may bear the other. Of two that move it is not
 * known which will be stopped. A plane has no edges. */
static bool may_be_held(const TnDetection *d, const TnSlotPair *pair)
{
    const TnCollider *c = d->collider;
    return d->held && pair->slot2 >= c->fixed_start &&
           c->slots[pair->slot2].shape_type != TN_GEOM_PLANE;
}

/* Whose normals are not the same. */
static bool differ(const TnManifold *a, const TnManifold *b)
{
    return v3_dot(a->normal, b->normal) < TN_ONE_NORMAL;
}

TnPassing tn_emit_meeting(TnEmitter *e, const TnSlotPair *pair, const TnManifold *start,
                          TnManifold *out, TnTransform at[2])
{
    const TnDetection *d = e->detection;
    TnWhen falls = {0.0, d->twists}, held = {0.0, d->held};
    TnManifold other;
    TnTransform there[2];
    TnPassing passing = find_flying(d, pair, false, &falls, start, out, at);
    if (passing != TN_MEETS) return passing;
    if (may_be_held(d, pair)) {
        bool meets = find_flying(d, pair, true, &held, start, &other, there) == TN_MEETS;
        if (!meets) held = (TnWhen){d->t, d->twists};
        bool grazes = !meets && tn_collide_at_end(d, pair, d->twists, 0.0, &other, there) &&
                      tn_manifold_nearest(&other) > -2.0 * d->slack; /* it falls by half of that */
        if ((meets || grazes) && differ(out, &other)) {
            falls = held;
            *out = other;
            memcpy(at, there, sizeof there);
        }
    }
    tn_emit_at(e, pair, falls, out);
    return TN_MEETS;
}

bool tn_grazes(const TnDetection *d, const TnSlotPair *pair, const TnManifold *m, TnManifold *out)
{
    bool closes = false;
    if (!may_be_held(d, pair) || !(tn_manifold_nearest(m) > -TN_LEAVE * d->slack)) return false;
    for (int k = 0; k < m->count && !closes; k++) {
        const TnManifoldPoint *p = &m->points[k];
        double way = d->t * tn_closing_at(d, pair, p->pos, m->normal, (TnWhen){0.0, d->held}).net;
        closes = way > p->gap && way > TN_LEAVE * d->slack;
    }
    if (!closes) return false;
    TnMover a = tn_slot_mover(d, pair->slot1, d->held), b = tn_slot_mover(d, pair->slot2, d->held);
    TnTransform at[2];
    double time;
    if (tn_sweep(&a, &b, d->t, 0.0, true, m, &time, at) == TN_MEETS && time < d->t) return false;
    return tn_collide_at_end(d, pair, d->held, d->slack, out, at) && differ(m, out) &&
           tn_manifold_nearest(out) > -TN_LEAVE * d->slack;
}
