/* box_box.c: two boxes by the separating axis test.
 *
 * With C = Aᵀ B, the centres' offset d and half sizes h, the gap along a face normal a_i is
 *
 *     |a_i·d| - h_i - Σ_j h_j |C_ij|
 *
 * and along an edge product a_i × b_j, with i' and i'' the other two axes,
 *
 *     ( |C_i'j a_i''·d - C_i''j a_i'·d| - h_i' |C_i''j| - h_i'' |C_i'j|
 *       - h_j' |C_ij''| - h_j'' |C_ij'| ) / √(C_i'j² + C_i''j²).
 *
 * The best of 6 face normals and 9 edge products is the direction of least overlap. For boxes that
 * are apart it is a lower bound of the distance, exact unless the nearest features are a corner
 * with an edge or a corner; then GJK gives direction and distance. */
#include "../../math/vec3.h"
#include "narrow.h"

typedef struct Axis {
    double gap;
    double n[3];        /* world, from a to b */
    int edge_a, edge_b; /* -1, -1 for a face */
} Axis;

typedef struct Pair {
    double ha[3], hb[3];
    double a[3][3], b[3][3];    /* axes, world */
    double d[3];                /* from a's centre to b's */
    double C[3][3], size[3][3]; /* a_i·b_j and its absolute value */
    double da[3], db[3];        /* d in both boxes' axes */
} Pair;

static void set_pair(const TnPlaced *a, const TnPlaced *b, Pair *p)
{
    v3_copy(p->ha, a->shape->size);
    v3_copy(p->hb, b->shape->size);
    v3_sub(p->d, b->at->pos, a->at->pos);
    for (int i = 0; i < 3; i++) {
        m3_column(p->a[i], a->at->rot, i);
        m3_column(p->b[i], b->at->rot, i);
        p->da[i] = v3_dot(p->a[i], p->d);
        p->db[i] = v3_dot(p->b[i], p->d);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p->C[i][j] = v3_dot(p->a[i], p->b[j]);
            p->size[i][j] = fabs(p->C[i][j]);
        }
}

static void set_axis(Axis *best, double gap, const double l[3], double along, int edge_a,
                     int edge_b)
{
    best->gap = gap;
    v3_scale(best->n, l, along >= 0.0 ? 1.0 : -1.0);
    best->edge_a = edge_a;
    best->edge_b = edge_b;
}

static void try_faces(const Pair *p, Axis *best)
{
    for (int i = 0; i < 3; i++) {
        double gap = fabs(p->da[i]) - p->ha[i] - v3_dot(p->hb, p->size[i]);
        if (!(gap <= best->gap)) set_axis(best, gap, p->a[i], p->da[i], -1, -1);
    }
    for (int j = 0; j < 3; j++) {
        double reach =
            p->ha[0] * p->size[0][j] + p->ha[1] * p->size[1][j] + p->ha[2] * p->size[2][j];
        double gap = fabs(p->db[j]) - p->hb[j] - reach;
        if (!(gap <= best->gap)) set_axis(best, gap, p->b[j], p->db[j], -1, -1);
    }
}

/* Edges win only when clearly better: the same face stays the reference from step to step. */
static void try_edges(const Pair *p, int i, int j, Axis *best)
{
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double length2 = p->C[i1][j] * p->C[i1][j] + p->C[i2][j] * p->C[i2][j];
    if (length2 < 1e-8) return; /* parallel: the faces speak for them */
    double along = p->da[i2] * p->C[i1][j] - p->da[i1] * p->C[i2][j];
    double reach = p->ha[i1] * p->size[i2][j] + p->ha[i2] * p->size[i1][j] +
                   p->hb[j1] * p->size[i][j2] + p->hb[j2] * p->size[i][j1];
    double gap = (fabs(along) - reach) / sqrt(length2);
    double biased = gap > 0.0 ? gap * 0.9999 : gap * 1.01;
    if (biased <= best->gap) return;
    double l[3];
    v3_cross(l, p->a[i], p->b[j]);
    v3_normalize(l);
    set_axis(best, gap, l, along, i, j);
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
    Pair pair;
    Axis best = {.gap = -INFINITY, .edge_a = -1, .edge_b = -1};
    set_pair(a, b, &pair);
    try_faces(&pair, &best);
    for (int i = 0; i < 3 && best.gap <= margin; i++)
        for (int j = 0; j < 3; j++) try_edges(&pair, i, j, &best);
    if (best.gap > margin) return true;
    TnWitness w;
    axis_witness(a, b, &best, &w);
    if (best.gap > 0.0) { /* where their cores touch, the axes have said all */
        TnWitness exact;
        double ea = tn_shape_extent(a->shape), eb = tn_shape_extent(b->shape);
        if (tn_gjk(a, b, ea + eb, &exact)) {
            exact.gap = tn_separation(a, b, exact.normal);
            if (exact.gap > best.gap * (1.0 + 1e-6) + 1e-9 * fmin(ea, eb)) w = exact;
        }
    }
    tn_manifold_build(a, b, &w, margin, out);
    return true;
}
