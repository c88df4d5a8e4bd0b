/* sweep.c: when two moving shapes first touch within a step, by conservative advancement: as long
 * as they are apart by d along n, nothing can close faster than
 *
 *     c = n · (v_a - v_b) + |ω_a × n| r_a + |ω_b × n| r_b
 *
 * with v of the links' centres of mass and r the farthest that the shapes reach from there, so d /
 * c seconds are safe. Where c <= 0 they never meet. Shapes that pass along each other come as near
 * as to touch and no nearer: whether they meet is seen a little later, where somebody wants to
 * know. */
#include "collider.h"

#include "../math/vec3.h"

/* Shapes meet where they are apart by less than this share of the thinner one's half. */
#define TOUCH 1e-3
/* Of what spins, the bound c can be twenty times what closes the gap, and advances are as short. */
#define MOST_ADVANCES 512
/* So many times that is looked on, to tell a hit from a graze. */
#define LOOK_ON 4.0

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

/* Gap and normal, from a to b. */
static double gap_of(const TnPlaced *a, const TnPlaced *b, double n[3])
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
    tn_convex_witness(a, b, &w);
    v3_copy(n, w.normal);
    return w.gap;
}

/* |ω × n| r */
static double swing(const TnMover *m, const double n[3])
{
    double x[3];
    v3_cross(x, m->twist + 3, n);
    return v3_norm(x) * m->reach;
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
static double gap_at(const TnMover *a, const TnMover *b, double time, TnTransform at[2],
                     double n[3])
{
    tn_mover_at(a, time, &at[0]);
    tn_mover_at(b, time, &at[1]);
    TnPlaced placed_a = {a->shape, &at[0]}, placed_b = {b->shape, &at[1]};
    return gap_of(&placed_a, &placed_b, n);
}

TnPassing tn_sweep(const TnMover *a, const TnMover *b, double t, double near, bool look_on,
                   const TnManifold *start, double *time, TnTransform at[2])
{
    double now = 0.0, touch = TOUCH * fmin(a->thinness, b->thinness), n[3], v[3];
    TnPassing passing = TN_STAYS_APART;
    v3_sub(v, a->twist, b->twist);
    v3_copy(n, start->normal);
    near = fmax(near, touch);
    double fastest = v3_dot(n, v) + swing(a, n) + swing(b, n);
    if (!(fastest * t > apart_along(a, b, start) - near)) return passing;
    for (int k = 0; k < MOST_ADVANCES; k++) {
        double gap = gap_at(a, b, now, at, n), closing = v3_dot(n, v) + swing(a, n) + swing(b, n);
        if (gap <= near) passing = TN_PASSES_BY;
        if (gap <= touch) {
            TnTransform later[2];
            double next = closing > 0.0 ? fmin(t, now + (gap + LOOK_ON * touch) / closing) : t;
            *time = now;
            if (!look_on || gap_at(a, b, next, later, n) <= -touch) return TN_MEETS;
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
