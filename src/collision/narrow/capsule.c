/* capsule.c: two capsules, in closed form.
 *
 * The nearest points of two segments c_a + s u, c_b + t v (|s| <= h_a, |t| <= h_b) solve a 2×2
 * system with its box constraints [Ericson, Real-Time Collision Detection, 5.1.9]. Where the
 * capsules lie side by side, the ends of their overlap are listed too, as long as the shared normal
 * is right there: the part of the offset across n must be small against the radii. */
#include "../../math/vec3.h"
#include "narrow.h"

#define ACROSS                                                                                     \
    0.03 /* of the sum of radii: the gap at an end is then wrong by less than 0.05 % of it */

static double clamp(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }

typedef struct Segment {
    double centre[3], axis[3], half, radius;
} Segment;

static Segment segment_of(const TnPlaced *s)
{
    Segment g = {.half = s->shape->size[1], .radius = s->shape->size[0]};
    v3_copy(g.centre, s->at->pos);
    m3_column(g.axis, s->at->rot, 2);
    return g;
}

static void point_at(const Segment *g, double s, double p[3])
{
    v3_copy(p, g->centre);
    v3_add_scaled(p, g->axis, s);
}

static void nearest(const Segment *a, const Segment *b, double *s, double *t)
{
    double r[3];
    v3_sub(r, a->centre, b->centre);
    double uv = v3_dot(a->axis, b->axis), ur = v3_dot(a->axis, r), vr = v3_dot(b->axis, r),
           det = 1.0 - uv * uv;
    *s = det > 1e-12 ? clamp((uv * vr - ur) / det, a->half) : 0.0;
    *t = uv * *s + vr;
    if (fabs(*t) > b->half) {
        *t = clamp(*t, b->half);
        *s = clamp(uv * *t - ur, a->half);
    }
}

/* Adds the point at parameter s of a, against the nearest point of b. */
static void add_end(const Segment *a, const Segment *b, double s, const double n[3], double margin,
                    uint32_t feature, TnManifold *out)
{
    double p[3], q[3], d[3];
    point_at(a, s, p);
    v3_sub(d, p, b->centre);
    point_at(b, clamp(v3_dot(d, b->axis), b->half), q);
    v3_sub(d, q, p);
    double along = v3_dot(d, n), radii = a->radius + b->radius, gap = along - radii;
    v3_add_scaled(d, n, -along);
    if (v3_norm(d) > ACROSS * radii) return;
    v3_add_scaled(p, n, a->radius + 0.5 * gap);
    tn_manifold_add(out, margin, p, gap, feature);
}

bool tn_collide_capsule_capsule(const TnPlaced *pa, const TnPlaced *pb, double margin,
                                TnManifold *out)
{
    Segment a = segment_of(pa), b = segment_of(pb);
    double s, t, p[3], q[3], n[3];
    nearest(&a, &b, &s, &t);
    point_at(&a, s, p);
    point_at(&b, t, q);
    v3_sub(n, q, p);
    double distance = v3_norm(n), gap = distance - a.radius - b.radius;
    if (!(gap <= margin)) return true;
    if (distance > 1e-9 * (a.radius + b.radius)) {
        v3_scale(n, n, 1.0 / distance);
    } else { /* the cores meet: out across both axes */
        v3_cross(n, a.axis, b.axis);
        if (v3_norm(n) < 1e-6) m3_column(n, pa->at->rot, 0);
        v3_normalize(n);
    }
    v3_copy(out->normal, n);

    /* b's ends on a's axis */
    double d[3], uv = v3_dot(a.axis, b.axis);
    v3_sub(d, b.centre, a.centre);
    double middle = v3_dot(d, a.axis), reach = b.half * fabs(uv);
    double low = fmax(-a.half, middle - reach), high = fmin(a.half, middle + reach);
    if (high - low > 0.05 * fmin(a.half, b.half) && fabs(uv) > 0.9 &&
        fabs(v3_dot(n, a.axis)) < 0.3) {
        /* each half of the id names an end of its capsule: 1 lower, 2 upper */
        uint32_t low_b = uv > 0.0 ? 1u : 2u, high_b = uv > 0.0 ? 2u : 1u;
        add_end(&a, &b, low, n, margin, low > -a.half ? tn_feature(0u, low_b) : tn_feature(1u, 0u),
                out);
        add_end(&a, &b, high, n, margin,
                high < a.half ? tn_feature(0u, high_b) : tn_feature(2u, 0u), out);
    }
    int lower = 0;
    for (int i = 1; i < out->count; i++)
        if (out->points[i].gap < out->points[lower].gap) lower = i;
    double pos[3];
    v3_copy(pos, p);
    v3_add_scaled(pos, n, a.radius + 0.5 * gap);
    if (out->count == 0) {
        tn_manifold_add(out, margin, pos, gap, 0);
    } else if (out->points[lower].gap > gap + 1e-9 * (a.radius + b.radius)) {
        /* the nearest points stand a little beside the overlap's end: they are exact */
        v3_copy(out->points[lower].pos, pos);
        out->points[lower].gap = gap;
    }
    return true;
}
