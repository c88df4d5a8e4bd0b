/* emit_shapes.c: two shapes of any kind by the narrow phase.
 *
 * Where a pair is apart by more than a share of the thinner one's half (TN_TOUCHING) and moves by
 * more than TN_FAR of that, it is listed as it is where the paths meet (emit_meeting.c). One that
 * will pass by as near as the slack is listed nevertheless, since others may push it, but with room
 * for its way. */
#include "../math/vec3.h"
#include "emit.h"

/* Points as they are at the start; of two that fly, with room for their way. */
static void emit_start(TnEmitter *e, const TnSlotPair *pair, const TnManifold *m, bool flies)
{
    const TnDetection *d = e->detection;
    double allowed = pair->margin + d->slack;
    TnWhen start = {0.0, d->twists};
    for (int k = 0; k < m->count; k++) {
        const TnManifoldPoint *p = &m->points[k];
        double gap = p->gap;
        if (flies || gap > allowed) { /* what is near and goes slowly is listed anyway */
            TnClosing closing = tn_closing_at(d, pair, p->pos, m->normal, start);
            if (!(gap <= allowed + d->t * closing.most)) continue;
            if (flies) gap = tn_larger(gap, d->t * closing.net);
        }
        tn_emit_point(e, pair, p->pos, m->normal, gap, p->gap, start, p->feature);
    }
}

/* Parts of a robot that overlap by more than counts (overlaps.c): by how much is not asked. */
static bool stay_in_each_other(const TnCollider *c, const TnSlotPair *pair)
{
    TnPlaced a = {&c->shape[pair->slot1], &c->place[pair->slot1]},
             b = {&c->shape[pair->slot2], &c->place[pair->slot2]};
    return pair->least > -INFINITY && tn_collide_is_convex(a.shape->type, b.shape->type) &&
           tn_convex_is_deeper(&a, &b, -pair->least);
}

void tn_emit_shapes(TnEmitter *e, const TnSlotPair *pair, double way, double *normal)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    double allowed = pair->margin + d->slack;
    if (c->tri_meshes[j]) {
        tn_emit_triangles(e, pair, way);
        return;
    }
    TnManifold m, met;
    double reach = allowed + way;
    if (stay_in_each_other(c, pair)) return;
    if (!tn_collide(&c->shape[i], &c->place[i], &c->shape[j], &c->place[j], reach, &m)) return;
    double nearest = tn_manifold_nearest(&m);
    if (nearest < pair->least) return;
    bool flies = false;
    double thin = c->thinness[i] < c->thinness[j] ? c->thinness[i] : c->thinness[j];
    double moves = way < pair->together ? way : pair->together;
    bool stays = !(m.count && moves > d->far * thin);
    if (!stays) {
        TnMover a = tn_slot_mover(d, i, d->twists), b = tn_slot_mover(d, j, d->twists);
        TnTransform at[2], start[2] = {c->place[i], c->place[j]};
        flies = nearest > d->touching * thin;
        TnPassing passing = flies ? tn_emit_meeting(e, pair, &m, &met, at) : TN_PASSES_BY;
        bool meets = passing == TN_MEETS;
        if (passing == TN_STAYS_APART && !d->alone) return;
        if (d->t * tn_mover_turning(&a, &b) > TN_ALONGSIDE * thin)
            tn_emit_turned(e, pair, &a, &b, meets ? &met : &m, meets ? at : start);
        if (meets) return;
    }
    if (!flies && tn_grazes(d, pair, &m, &met)) {
        tn_emit_at(e, pair, (TnWhen){d->t, d->held}, &met);
        return;
    }
    if (stays && m.count && normal) v3_copy(normal, m.normal);
    emit_start(e, pair, &m, flies);
}
