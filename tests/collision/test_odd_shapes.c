/* Shapes that nobody would build: needles, sheets, dust and mountains, inside one another, in the
 * same place, or just touching. Whatever comes out is finite, a unit normal and gaps within the
 * margin. */
#include "../check.h"
#include "shapes.h"

static double power(Random *r, double low, double high) { return pow(10.0, uniform(r, low, high)); }
static bool chance(Random *r, double p) { return uniform(r, 0, 1) < p; }

#define MOST_VERTICES 24
static TnShape odd_shape(Random *r, TnGeomType type, double scale,
                         double vertices[3 * MOST_VERTICES])
{
    TnShape s = {.type = type};
    for (int k = 0; k < 3; k++) {
        double size = scale * (chance(r, 0.5) ? 1 : power(r, -4, 4));
        s.size[k] = fmin(fmax(size, 1e-7), 1e4);
    }
    if (type == TN_GEOM_CAPSULE && chance(r, 0.3)) s.size[1] = 0;
    if (type != TN_GEOM_MESH) return s;
    s.mesh_vertices = vertices;
    s.mesh_vertex_count = 4 + (int)uniform(r, 0, MOST_VERTICES - 4);
    for (int i = 0; i < 3 * s.mesh_vertex_count; i++) { /* some of them corners of one box */
        double share = uniform(r, -1, 1);
        vertices[i] = s.size[i % 3] * (chance(r, 0.3) ? copysign(1, share) : share);
    }
    return s;
}

/* Anywhere near, or the same place, or end to end along an axis; sometimes far from the origin. */
static void odd_places(Random *r, const TnShape *a, const TnShape *b, TnTransform *ta,
                       TnTransform *tb)
{
    double spread = (chance(r, 0.5) ? a : b)->size[(int)uniform(r, 0, 3)] * uniform(r, 0, 2);
    *ta = random_place(r, 0);
    *tb = random_place(r, spread);
    if (chance(r, 0.3)) *ta = at(0, 0, 0);
    if (chance(r, 0.4)) memcpy(tb->rot, ta->rot, sizeof tb->rot);
    if (chance(r, 0.1)) memcpy(tb->pos, ta->pos, sizeof tb->pos);
    if (chance(r, 0.2)) {
        int k = (int)uniform(r, 0, 3);
        memcpy(tb->pos, ta->pos, sizeof tb->pos);
        tb->pos[k] += a->size[k] + b->size[k];
    }
    double away = chance(r, 0.2) ? power(r, -3, 3) : 0;
    for (int k = 0; k < 3; k++) {
        ta->pos[k] += away;
        tb->pos[k] += away;
    }
}

static bool is_sound(const TnManifold *m, double margin, double scale)
{
    if (m->count < 0 || m->count > TN_MANIFOLD_MAX) return false;
    if (m->count && !(fabs(dot3(m->normal, m->normal) - 1) < 1e-9)) return false;
    for (int i = 0; i < m->count; i++) {
        const TnManifoldPoint *p = &m->points[i];
        if (!isfinite(dot3(p->pos, p->pos)) || !isfinite(p->gap)) return false;
        if (p->gap > margin + 1e-6 * (margin + scale)) return false; /* rounding of large ones */
    }
    return true;
}

TEST(odd_shapes_in_odd_places_give_finite_contacts)
{
    static const TnGeomType types[] = {TN_GEOM_PLANE,     TN_GEOM_SPHERE,   TN_GEOM_CAPSULE,
                                       TN_GEOM_ELLIPSOID, TN_GEOM_CYLINDER, TN_GEOM_BOX,
                                       TN_GEOM_MESH};
    double vertices[2][3 * MOST_VERTICES];
    Random r = {20240607};
    int touching = 0;
    for (int i = 0; i < UNLESS_SANITIZED(300000, 30000); i++) {
        double scale = power(&r, -6, 3), margin = chance(&r, 0.5) ? 0 : power(&r, -6, 1);
        TnShape a = odd_shape(&r, types[(int)uniform(&r, 0, 7)], scale, vertices[0]);
        double other = chance(&r, 0.5) ? scale : power(&r, -6, 3);
        TnShape b = odd_shape(&r, types[(int)uniform(&r, 0, 7)], other, vertices[1]);
        TnTransform ta, tb;
        TnManifold m;
        odd_places(&r, &a, &b, &ta, &tb);
        if (!tn_collide(&a, &ta, &b, &tb, margin, &m)) continue;
        touching += m.count > 0;
        if (is_sound(&m, margin, fmax(scale, other))) continue;
        test_fail(__FILE__, __LINE__, "pair %d: types %d and %d, sizes %g %g %g and %g %g %g", i,
                  (int)a.type, (int)b.type, a.size[0], a.size[1], a.size[2], b.size[0], b.size[1],
                  b.size[2]);
    }
    CHECK(touching > UNLESS_SANITIZED(100000, 10000));
}
