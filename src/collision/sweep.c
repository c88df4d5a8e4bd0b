/* sweep.c: when two moving shapes first touch within a step, by conservative advancement: as long
 * as they are apart by d along n, nothing can close faster than
 *
 *     c = n · (v_a - v_b) + s_a + s_b,
 *     s = min(|ω × n| r, max over x of (n × ω) · x + |ω| τ |ω × n| r)
 *
 * with v of the links' centres of mass, x from there to the shape's points, r the farthest of them
 * and τ the time that is left, in which the shape turns by |ω| τ. So d / c seconds are safe. Where
 * c <= 0 they never meet. Shapes that pass along each other come as near as to touch and no nearer:
 * whether they meet is seen a little later, where that is asked for. */
#include "collider.h"

#include "../math/vec3.h"

/* Of that, what a gap may be larger than it is taken for: advances are safe, and as good as long.
 */
#define CARELESS 0.1
/* Of what spins, the bound c can be twenty times what closes the gap, and advances are as short. */
#define MOST_ADVANCES 512

double tn_shape_thinness(const TnShape *shape, const double half_extent[3])
{
    const double *s = shape->size;
    switch (shape->type) {
    case TN_GEOM_SPHERE:
    case TN_GEOM_CAPSULE:
        return s[0];
    case TN_GEOM_CYLINDER:
        return fmin(s[0], s[1]);
    case TN_GEOM_PLANE:
    case TN_GEOM_HEIGHT_FIELD: /* a surface */
        return INFINITY;
    default:
        return fmin(half_extent[0], fmin(half_extent[1], half_extent[2]));
    }
}

void tn_mover_at(const TnMover *m, double time, TnTransform *out)
{
    double turn[3], quat[4], R[9], arm[3], moved[3];
    v3_scale(turn, m->twist + 3, time);
    double angle = v3_norm(turn);
    if (angle > 0.0) {
        v3_scale(turn, turn, 1.0 / angle);
        quat_from_axis_angle(quat, turn, angle);
        quat_to_m3(R, quat);
        m3_mul(out->rot, R, m->start->rot);
        v3_sub(arm, m->start->pos, m->com);
        m3_mul_v(moved, R, arm);
    } else {
        memcpy(out->rot, m->start->rot, sizeof out->rot);
        v3_sub(moved, m->start->pos, m->com);
    }
    v3_add(out->pos, m->com, moved);
    v3_add_scaled(out->pos, m->twist, time);
}

/* Whose manifold has the nearest points. */
static bool is_capsule(const TnShape *shape) { return shape->type == TN_GEOM_CAPSULE; }

static double nearest_of_capsules(const TnPlaced *a, const TnPlaced *b, double n[3])
{
    TnManifold m = {0};
    double gap = INFINITY;
    tn_collide_capsule_capsule(a, b, INFINITY, &m);
    for (int k = 0; k < m.count; k++) gap = fmin(gap, m.points[k].gap);
    v3_copy(n, m.normal);
    return gap;
}

/* Gap, or less by up to `off`, and normal, from a to b. */
static double gap_of(const TnPlaced *a, const TnPlaced *b, double off, double n[3])
{
    TnWitness w;
    for (int k = 0; k < 2; k++) {
        const TnPlaced *plane = k ? b : a, *other = k ? a : b;
        if (plane->shape->type != TN_GEOM_PLANE) continue;
        double up[3], down[3], p[3];
        m3_column(up, plane->at->rot, 2);
        v3_scale(down, up, -1.0);
        tn_support_core(other, down, p);
        v3_sub(p, p, plane->at->pos);
        v3_copy(n, k ? down : up);
        return v3_dot(up, p) - tn_core_radius(other->shape);
    }
    if (a->shape->type == TN_GEOM_SPHERE && b->shape->type == TN_GEOM_SPHERE) {
        v3_sub(n, b->at->pos, a->at->pos);
        return v3_normalize(n) - a->shape->size[0] - b->shape->size[0];
    }
    if (is_capsule(a->shape) && is_capsule(b->shape)) return nearest_of_capsules(a, b, n);
    for (int k = 0; k < 2; k++) {
        const TnPlaced *capsule = k ? b : a, *other = k ? a : b;
        double gap;
        if (!is_capsule(capsule->shape) || other->shape->type != TN_GEOM_CYLINDER ||
            !tn_gap_capsule_cylinder(capsule, other, &gap, n))
            continue;
        if (k) v3_scale(n, n, -1.0);
        return gap;
    }
    tn_convex_witness(a, b, off, &w);
    v3_copy(n, w.normal);
    return w.gap;
}

/* s of the bound, from `now` for `left` seconds. */
static double swing(const TnMover *m, const double n[3], const TnTransform *at, double now,
                    double left)
{
    double d[3], p[3];
    v3_cross(d, n, m->twist + 3);
    double size = v3_norm(d), most = size * m->reach;
    if (!(most > 0.0) || m->shape->type == TN_GEOM_PLANE || m->shape->type == TN_GEOM_HEIGHT_FIELD)
        return most;
    TnPlaced placed = {m->shape, at};
    tn_support_core(&placed, d, p);
    v3_sub(p, p, m->com);
    v3_add_scaled(p, m->twist, -now);
    double round = m->shape->type == TN_GEOM_SPHERE ? 0.0 : tn_core_radius(m->shape);
    return fmin(most, v3_dot(d, p) + round * size + left * v3_norm(m->twist + 3) * most);
}

/* c of the bound, the shapes being `at` these places. */
static double closing_along(const TnMover *a, const TnMover *b, const double n[3],
                            const TnTransform *at_a, const TnTransform *at_b, double now,
                            double left)
{
    double v[3], back[3];
    v3_sub(v, a->twist, b->twist);
    v3_scale(back, n, -1.0);
    return v3_dot(n, v) + swing(a, n, at_a, now, left) + swing(b, back, at_b, now, left);
}

double tn_mover_turning(const TnMover *a, const TnMover *b)
{
    return v3_norm(a->twist + 3) * a->reach + v3_norm(b->twist + 3) * b->reach;
}

/* How far two shapes are apart along the normal of their manifold. Of capsules its points are the
 * nearest; what boxes have nearer may be beside theirs. */
static double apart_along(const TnMover *a, const TnMover *b, const TnManifold *m)
{
    TnPlaced placed_a = {a->shape, a->start}, placed_b = {b->shape, b->start};
    double p[3], q[3], back[3], gap = INFINITY;
    const double *n = m->normal;
    if (a->shape->type == TN_GEOM_PLANE || b->shape->type == TN_GEOM_PLANE) return -INFINITY;
    for (int k = 0; k < m->count; k++) gap = fmin(gap, m->points[k].gap);
    if (is_capsule(a->shape) && is_capsule(b->shape)) return gap;
    v3_scale(back, n, -1.0);
    tn_support_core(&placed_a, n, p);
    tn_support_core(&placed_b, back, q);
    v3_sub(q, q, p);
    return v3_dot(q, n) - tn_core_radius(a->shape) - tn_core_radius(b->shape);
}

/* Gap and normal at a time. */
static double gap_at(const TnMover *a, const TnMover *b, double time, double off, TnTransform at[2],
                     double n[3])
{
    tn_mover_at(a, time, &at[0]);
    tn_mover_at(b, time, &at[1]);
    TnPlaced placed_a = {a->shape, &at[0]}, placed_b = {b->shape, &at[1]};
    return gap_of(&placed_a, &placed_b, off, n);
}

TnPassing tn_sweep(const TnMover *a, const TnMover *b, double t, double near, bool look_on,
                   const TnManifold *start, double *time, TnTransform at[2])
{
    double now = 0.0, touch = TN_TOUCHING * fmin(a->thinness, b->thinness), off = CARELESS * touch,
           n[3];
    TnPassing passing = TN_STAYS_APART;
    v3_copy(n, start->normal);
    near = fmax(near, touch);
    double fastest = closing_along(a, b, n, a->start, b->start, 0.0, t);
    if (!(fastest * t > apart_along(a, b, start) - near)) return passing;
    for (int k = 0; k < MOST_ADVANCES; k++) {
        double gap = gap_at(a, b, now, off, at, n),
               closing = closing_along(a, b, n, &at[0], &at[1], now, t - now);
        if (gap <= near) passing = TN_PASSES_BY;
        if (gap <= touch) {
            TnTransform later[2];
            double next =
                closing > 0.0 ? fmin(t, now + (gap + TN_SWEEP_LOOK_ON * touch) / closing) : t;
            *time = now;
            if (!look_on || gap_at(a, b, next, off, later, n) <= -touch) return TN_MEETS;
            now = next;
            if (now < t) continue;
            memcpy(at, later, sizeof later); /* it touches then, or has passed along */
            *time = t;
            return closing > 0.0 ? TN_MEETS : TN_PASSES_BY;
        }
        double wanted = passing == TN_PASSES_BY ? touch : near;
        if (!(closing * (t - now) > gap - wanted)) return passing;
        now += fmax(gap - wanted + 0.5 * touch, 0.0) / closing;
    }
    *time = now; /* nearly: what is left of the gap is small beside the way */
    return TN_MEETS;
}
