/* emit_spheres.c: spheres with spheres and with planes: by far the most frequent pairs in large
 * scenes, so they are done in place. Two that fly are listed where their paths meet. */
#include "../math/vec3.h"
#include "emit.h"

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
    tn_emit_point(e, pair, pos, n, gap, gap, (TnWhen){s, d->twists}, 0);
    return true;
}

void tn_emit_spheres(TnEmitter *e, const TnSlotPair *pair)
{
    const TnDetection *d = e->detection;
    const TnSlot *a = &d->collider->slots[pair->slot1], *b = &d->collider->slots[pair->slot2];
    double allowed = pair->margin + d->slack,
           reach = a->radius + b->radius + allowed + d->t * (a->speed + b->speed), n[3], v[3];
    v3_sub(n, b->pos, a->pos);
    double distance2 = v3_dot(n, n);
    if (!(distance2 <= reach * reach)) return;
    double distance = sqrt(distance2), gap = distance - a->radius - b->radius;
    if (gap < pair->least) return;
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
    double way = d->t * tn_larger(0.0, v3_dot(n, v)), most = way;
    if (d->alone)
        most = d->t *
               (tn_larger(0.0, v3_dot(n, a->velocity)) + tn_larger(0.0, -v3_dot(n, b->velocity)));
    if (!(gap <= allowed + most)) return;
    double pos[3];
    v3_copy(pos, a->pos);
    v3_add_scaled(pos, n, a->radius + 0.5 * gap);
    tn_emit_point(e, pair, pos, n, flies ? tn_larger(gap, way) : gap, gap, (TnWhen){0.0, NULL}, 0);
}

void tn_emit_sphere_plane(TnEmitter *e, const TnSlotPair *pair)
{
    const TnDetection *d = e->detection;
    const TnSlot *ball = &d->collider->slots[pair->slot1];
    const TnTransform *plane = &d->collider->place[pair->slot2];
    double n[3], offset[3], pos[3];
    m3_column(n, plane->rot, 2);
    v3_scale(n, n, -1.0);
    v3_sub(offset, plane->pos, ball->pos);
    double gap = v3_dot(n, offset) - ball->radius;
    if (!(gap <= pair->margin + d->slack + d->t * tn_larger(0.0, v3_dot(n, ball->velocity))))
        return;
    v3_copy(pos, ball->pos);
    v3_add_scaled(pos, n, ball->radius + 0.5 * gap);
    tn_emit_point(e, pair, pos, n, gap, gap, (TnWhen){0.0, NULL},
                  tn_feature(tn_feature_vertex(0), TN_FEATURE_NONE));
}
