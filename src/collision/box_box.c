/* box_box.c: two boxes by the separating axis test.
 *
 * With A's axes as rows of R = Aᵀ B and centre offset d, the gap along an axis l is |l·d| minus
 * both boxes' reach along l. The best of 6 face normals and 9 edge products is the direction of
 * least overlap. For boxes that are apart it is a lower bound of the distance, exact unless the
 * nearest features are a corner with an edge or a corner; then GJK gives direction and distance. */
#include "../math/vec3.h"
#include "narrow.h"

typedef struct Axis {
    double gap;
    double n[3];        /* world, from a to b */
    int edge_a, edge_b; /* -1, -1 for a face */
} Axis;

static double reach(const double h[3], const double columns[9], const double l[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double c[3];
        m3_column(c, columns, i);
        sum += h[i] * fabs(v3_dot(c, l));
    }
    return sum;
}

/* Edges win only when clearly better: the same face stays the reference from step to step. */
static void try_axis(const TnPlaced *a, const TnPlaced *b, const double d[3], const double l[3],
                     int edge_a, int edge_b, Axis *best)
{
    double along = v3_dot(d, l);
    double gap =
        fabs(along) - reach(a->shape->size, a->at->rot, l) - reach(b->shape->size, b->at->rot, l);
    double biased = edge_a < 0 ? gap : gap > 0.0 ? gap * 0.9999 : gap * 1.01;
    if (biased <= best->gap) return;
    best->gap = gap;
    v3_scale(best->n, l, along >= 0.0 ? 1.0 : -1.0);
    best->edge_a = edge_a;
    best->edge_b = edge_b;
}

/* Middle of the edge along local axis `axis` that looks along n. */
static void edge_towards(const TnPlaced *s, const double n[3], int axis, double p[3], double u[3])
{
    double local[3], m[3];
    m3_tmul_v(local, s->at->rot, n);
    for (int i = 0; i < 3; i++)
        m[i] = i == axis ? 0.0 : local[i] >= 0.0 ? s->shape->size[i] : -s->shape->size[i];
    m3_mul_v(p, s->at->rot, m);
    v3_add(p, p, s->at->pos);
    m3_column(u, s->at->rot, axis);
}

static double clamp(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }

static void axis_witness(const TnPlaced *a, const TnPlaced *b, const Axis *axis, TnWitness *w)
{
    double back[3];
    v3_copy(w->normal, axis->n);
    w->gap = axis->gap;
    v3_scale(back, axis->n, -1.0);
    if (axis->edge_a < 0) {
        tn_support_core(b, back, w->b);
        v3_copy(w->a, w->b);
        v3_add_scaled(w->a, axis->n, -axis->gap);
        return;
    }
    double p[3], u[3], q[3], v[3], s, t;
    edge_towards(a, axis->n, axis->edge_a, p, u);
    edge_towards(b, back, axis->edge_b, q, v);
    tn_lines_nearest(p, u, q, v, &s, &t);
    v3_copy(w->a, p);
    v3_add_scaled(w->a, u, clamp(s, a->shape->size[axis->edge_a]));
    v3_copy(w->b, q);
    v3_add_scaled(w->b, v, clamp(t, b->shape->size[axis->edge_b]));
}

bool tn_collide_box_box(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    double d[3];
    Axis best = {.gap = -INFINITY, .edge_a = -1, .edge_b = -1};
    v3_sub(d, b->at->pos, a->at->pos);
    for (int k = 0; k < 6; k++) {
        double l[3];
        m3_column(l, k < 3 ? a->at->rot : b->at->rot, k % 3);
        try_axis(a, b, d, l, -1, -1, &best);
        if (best.gap > margin) return true;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double u[3], v[3], l[3];
            m3_column(u, a->at->rot, i);
            m3_column(v, b->at->rot, j);
            v3_cross(l, u, v);
            if (v3_norm(l) < 1e-4) continue; /* parallel: the faces speak for them */
            v3_normalize(l);
            try_axis(a, b, d, l, i, j, &best);
            if (best.gap > margin) return true;
        }
    }
    TnWitness w;
    axis_witness(a, b, &best, &w);
    if (best.gap > 0.0) {
        TnWitness exact;
        double extent = fmin(tn_shape_extent(a->shape), tn_shape_extent(b->shape));
        tn_convex_witness(a, b, &exact);
        if (exact.gap > best.gap * (1.0 + 1e-6) + 1e-9 * extent) w = exact;
    }
    tn_manifold_build(a, b, &w, margin, out);
    return true;
}
