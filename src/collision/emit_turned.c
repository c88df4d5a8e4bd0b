/* emit_turned.c: of two shapes that touch or are near, the points that their turning brings
 * together besides. */
#include "../math/vec3.h"
#include "emit.h"

/* In the axes of a shape. */
static void point_in(const TnTransform *at, const double pos[3], double local[3])
{
    double d[3];
    v3_sub(d, pos, at->pos);
    m3_tmul_v(local, at->rot, d);
}

/* Where a point of the start is at the end: it may run along a rim, or stay below a centre. */
static void follow(const TnDetection *d, const TnSlotPair *pair, const TnManifold *m, int point,
                   double out[3])
{
    const TnCollider *c = d->collider;
    const int slots[2] = {pair->slot1, pair->slot2};
    TnContactPoint contact = {.geom1 = c->slots[pair->slot1].geom,
                              .geom2 = c->slots[pair->slot2].geom,
                              .soft1 = -1,
                              .soft2 = -1,
                              .gap = m->points[point].gap};
    TnContactWay way;
    v3_copy(contact.normal, m->normal);
    v3_copy(contact.pos, m->points[point].pos);
    for (int k = 0; k < 2; k++)
        v3_sub(k ? contact.arm2 : contact.arm1, contact.pos,
               d->frames[c->slots[slots[k]].link].com);
    const double *const twist[2] = {d->twists[c->slots[pair->slot1].link],
                                    d->twists[c->slots[pair->slot2].link]};
    tn_contact_way(c->model, d->frames, twist, NULL, &contact, d->t, &way);
    v3_copy(out, way.point[1]);
}

/* A point that shapes have `at` some place is one of those of a manifold that they had where they
 * were. */
static bool has_point(const TnDetection *d, const TnSlotPair *pair, const TnManifold *m,
                      const TnTransform was[2], const TnManifoldPoint *p, const TnTransform at[2],
                      double near)
{
    const TnShape *shape = d->collider->shape;
    bool runs = shape[pair->slot1].type != TN_GEOM_MESH && shape[pair->slot2].type != TN_GEOM_MESH;
    for (int k = 0; k < m->count; k++) {
        if (m->points[k].feature != p->feature) continue;
        if (runs) {
            double end[3];
            follow(d, pair, m, k, end);
            if (v3_distance(end, p->pos) < near) return true;
        }
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

void tn_emit_turned(TnEmitter *e, const TnSlotPair *pair, const TnMover *a, const TnMover *b,
                    const TnManifold *start, const TnTransform was[2])
{
    const TnDetection *d = e->detection;
    TnTransform at[2];
    TnManifold m;
    if (v3_dot(a->twist + 3, a->twist + 3) + v3_dot(b->twist + 3, b->twist + 3) == 0.0) return;
    if (!tn_collide_at_end(d, pair, d->twists, 0.0, &m, at)) return;
    double near = TN_JUMP * fmin(a->thinness, b->thinness);
    for (int k = 0; k < m.count; k++) {
        const TnManifoldPoint *p = &m.points[k];
        double x[3], time, pos[3];
        Point own;
        if (has_point(d, pair, start, was, p, at, near)) continue;
        v3_copy(x, p->pos);
        v3_add_scaled(x, m.normal, -0.5 * p->gap);
        point_in(&at[0], x, own.a);
        v3_add_scaled(x, m.normal, p->gap);
        point_in(&at[1], x, own.b);
        if (!find_turned_time(a, b, &own, m.normal, d->t, &time, pos)) continue;
        double gap = time * tn_closing_at(d, pair, pos, m.normal, (TnWhen){time, d->twists}).net;
        if (gap > 0.0)
            tn_emit_point(e, pair, pos, m.normal, gap, gap, (TnWhen){time, d->twists}, p->feature);
    }
}
