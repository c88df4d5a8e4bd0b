/* Distances of shapes that are apart against a search over directions, and distances to meshes of
 * triangles against all triangles one by one.
 *
 * 3000 pairs each; the environment variable TENON_PAIRS sets another number. */
#include <stdlib.h>

#include "../check.h"
#include "collision/narrow/tri_mesh.h"
#include "shapes.h"

#define ACCURACY 1e-6 /* of the size, as promised */

static int pair_count(int otherwise)
{
    const char *text = getenv("TENON_PAIRS");
    int count = text ? atoi(text) : 0;
    return count > 0 ? count : otherwise;
}

/* ---- convex shapes ---- */

static const TnGeomType types[] = {TN_GEOM_SPHERE,   TN_GEOM_CAPSULE, TN_GEOM_ELLIPSOID,
                                   TN_GEOM_CYLINDER, TN_GEOM_BOX,     TN_GEOM_MESH};
enum { TYPES = sizeof types / sizeof *types };

/* The farthest point along d, from the definitions. */
static void support_point(const TnShape *s, const TnTransform *t, const double d[3], double p[3])
{
    const double *z = s->size;
    double l[3], q[3] = {0, 0, 0}, length;
    for (int i = 0; i < 3; i++)
        l[i] = t->rot[i] * d[0] + t->rot[3 + i] * d[1] + t->rot[6 + i] * d[2];
    switch (s->type) {
    case TN_GEOM_SPHERE:
    case TN_GEOM_CAPSULE:
        length = sqrt(dot3(l, l));
        for (int i = 0; i < 3; i++) q[i] = z[0] * l[i] / length;
        if (s->type == TN_GEOM_CAPSULE) q[2] += copysign(z[1], l[2]);
        break;
    case TN_GEOM_ELLIPSOID:
        length = sqrt(pow(z[0] * l[0], 2) + pow(z[1] * l[1], 2) + pow(z[2] * l[2], 2));
        for (int i = 0; i < 3; i++) q[i] = z[i] * z[i] * l[i] / length;
        break;
    case TN_GEOM_CYLINDER:
        length = sqrt(l[0] * l[0] + l[1] * l[1]);
        for (int i = 0; i < 2 && length > 0; i++) q[i] = z[0] * l[i] / length;
        q[2] = copysign(z[1], l[2]);
        break;
    case TN_GEOM_BOX:
        for (int i = 0; i < 3; i++) q[i] = copysign(z[i], l[i]);
        break;
    default: {
        int best = 0;
        for (int i = 1; i < s->mesh_vertex_count; i++)
            if (dot3(s->mesh_vertices + 3 * i, l) > dot3(s->mesh_vertices + 3 * best, l)) best = i;
        memcpy(q, s->mesh_vertices + 3 * best, sizeof q);
    }
    }
    for (int i = 0; i < 3; i++) p[i] = t->pos[i] + dot3(t->rot + 3 * i, q);
}

/* A convex polygon of directions: n = middle + u x + v y. */
typedef struct Polygon {
    int count;
    double p[256][2];
} Polygon;

/* Keeps the side where c[0] + c[1] u + c[2] v >= 0. */
static void cut(Polygon *g, const double c[3])
{
    Polygon old = *g;
    g->count = 0;
    for (int i = 0; i < old.count; i++) {
        const double *p = old.p[i], *q = old.p[(i + 1) % old.count];
        double dp = c[0] + c[1] * p[0] + c[2] * p[1], dq = c[0] + c[1] * q[0] + c[2] * q[1];
        if (dp >= 0) memcpy(g->p[g->count++], p, sizeof g->p[0]);
        if ((dp >= 0) == (dq >= 0)) continue;
        for (int k = 0; k < 2; k++) g->p[g->count][k] = p[k] + dp / (dp - dq) * (q[k] - p[k]);
        g->count++;
    }
}

static bool centroid(const Polygon *g, double out[2])
{
    double area = 0, sum[2] = {0, 0};
    for (int i = 1; i + 1 < g->count; i++) {
        const double *a = g->p[0], *b = g->p[i], *c = g->p[i + 1];
        double part = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        area += part;
        for (int k = 0; k < 2; k++) sum[k] += part * (a[k] + b[k] + c[k]) / 3;
    }
    if (!(fabs(area) > 1e-26)) return false;
    for (int k = 0; k < 2; k++) out[k] = sum[k] / area;
    return true;
}

/* The largest separation over all directions n. With w from one support point to the other along n,
 * no direction n' has more than n'·w / |n'|. So all n' with n'·(w - best n) < 0 are no better, and
 * are cut off; what is left shrinks by a third each time. */
static double largest_separation(const TnShape *a, const TnTransform *ta, const TnShape *b,
                                 const TnTransform *tb)
{
    enum { CUTS = 120 };
    Polygon g = {4, {{-1e3, -1e3}, {1e3, -1e3}, {1e3, 1e3}, {-1e3, 1e3}}};
    double middle[3], axes[2][3] = {{0}}, uv[2], best = 0;
    for (int k = 0; k < 3; k++) middle[k] = tb->pos[k] - ta->pos[k];
    double length = sqrt(dot3(middle, middle));
    int least = 0;
    for (int k = 0; k < 3; k++) middle[k] /= length;
    for (int k = 1; k < 3; k++)
        if (fabs(middle[k]) < fabs(middle[least])) least = k;
    axes[0][least] = 1;
    double along = middle[least];
    for (int k = 0; k < 3; k++) axes[0][k] -= along * middle[k];
    length = sqrt(dot3(axes[0], axes[0]));
    for (int k = 0; k < 3; k++) axes[0][k] /= length;
    for (int k = 0; k < 3; k++)
        axes[1][k] =
            middle[(k + 1) % 3] * axes[0][(k + 2) % 3] - middle[(k + 2) % 3] * axes[0][(k + 1) % 3];
    for (int i = 0; i < CUTS && centroid(&g, uv); i++) {
        double n[3], back[3], p[3], q[3], w[3];
        for (int k = 0; k < 3; k++) n[k] = middle[k] + uv[0] * axes[0][k] + uv[1] * axes[1][k];
        length = sqrt(dot3(n, n));
        for (int k = 0; k < 3; k++) n[k] /= length, back[k] = -n[k];
        support_point(a, ta, n, p);
        support_point(b, tb, back, q);
        for (int k = 0; k < 3; k++) w[k] = q[k] - p[k];
        best = fmax(best, dot3(n, w));
        for (int k = 0; k < 3; k++) w[k] -= best * n[k];
        cut(&g, (double[3]){dot3(middle, w), dot3(axes[0], w), dot3(axes[1], w)});
    }
    return best;
}

TEST(distances_of_convex_shapes_agree_with_a_search_over_directions)
{
    Random r = {5};
    int count = pair_count(UNLESS_SANITIZED(3000, 300)), apart = 0;
    double worst = 0;
    for (int k = 0; apart < count; k++) {
        double va[3 * RANDOM_MESH_VERTICES], vb[3 * RANDOM_MESH_VERTICES];
        TnShape a = random_shape(&r, types[k % TYPES], 1, va),
                b = random_shape(&r, types[k / TYPES % TYPES], 1, vb);
        TnTransform ta = random_place(&r, 1.5), tb = random_place(&r, 1.5);
        TnManifold m;
        REQUIRE(tn_collide(&a, &ta, &b, &tb, 100, &m) && m.count > 0);
        double gap = lowest_gap(&m);
        if (!(gap > 1e-3)) continue;
        apart++;
        double error = fabs(gap - largest_separation(&a, &ta, &b, &tb));
        worst = fmax(worst, error);
        if (!(error < ACCURACY))
            test_fail(__FILE__, __LINE__, "pair %d, types %d %d: off by %g of %g", k, a.type,
                      b.type, error, gap);
    }
    printf("    %d pairs: off by at most %.1e of their size\n", apart, worst);
}

/* ---- meshes ---- */

enum { RING = 12, AROUND = 18 };

/* A bumpy torus: ridges, valleys and a hole. */
static TnMesh bumpy_torus(double vertices[3 * RING * AROUND], int32_t triangles[6 * RING * AROUND])
{
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < RING; j++) {
            double theta = 2 * M_PI * i / AROUND, phi = 2 * M_PI * j / RING;
            double thick = 0.32 + 0.08 * ((i + j) % 2), out = 1 + thick * cos(phi);
            double *v = vertices + 3 * (i * RING + j);
            v[0] = out * cos(theta), v[1] = out * sin(theta), v[2] = thick * sin(phi);
            int next_i = (i + 1) % AROUND * RING, next_j = (j + 1) % RING;
            int32_t a = i * RING + j, b = next_i + j, c = next_i + next_j, d = i * RING + next_j;
            int32_t *t = triangles + 6 * (i * RING + j);
            t[0] = a, t[1] = b, t[2] = c, t[3] = a, t[4] = c, t[5] = d;
        }
    return (TnMesh){.vertex_count = RING * AROUND,
                    .vertices = vertices,
                    .triangle_count = 2 * RING * AROUND,
                    .triangles = triangles};
}

/* Seen from within there is no distance: a ray from there leaves once more than it enters. */
static bool is_within(const TnTransform *place, const TnMesh *mesh, const TnTransform *at_mesh)
{
    double d[3], o[3];
    int crossed = 0;
    for (int k = 0; k < 3; k++) d[k] = place->pos[k] - at_mesh->pos[k];
    for (int i = 0; i < 3; i++)
        o[i] = at_mesh->rot[i] * d[0] + at_mesh->rot[3 + i] * d[1] + at_mesh->rot[6 + i] * d[2];
    for (int i = 0; i < mesh->triangle_count; i++) {
        double x[3][2], side[3], height = 0, sum = 0;
        for (int k = 0; k < 3; k++) /* the ray runs along z */
            for (int j = 0; j < 2; j++)
                x[k][j] = mesh->vertices[3 * mesh->triangles[3 * i + k] + j] - o[j];
        for (int k = 0; k < 3; k++) {
            const double *a = x[(k + 1) % 3], *b = x[(k + 2) % 3];
            side[k] = a[0] * b[1] - a[1] * b[0];
            sum += side[k];
            height += side[k] * (mesh->vertices[3 * mesh->triangles[3 * i + k] + 2] - o[2]);
        }
        bool hit = (side[0] > 0) == (side[1] > 0) && (side[1] > 0) == (side[2] > 0);
        crossed += hit && height / sum > 0;
    }
    return crossed % 2 == 1;
}

static double nearest_triangle(const TnShape *shape, const TnTransform *place, const TnMesh *mesh,
                               const TnTransform *at_mesh)
{
    double low = INFINITY;
    for (int i = 0; i < mesh->triangle_count; i++) {
        double corners[9];
        TnShape triangle = {.type = TN_GEOM_MESH, .mesh_vertices = corners, .mesh_vertex_count = 3};
        TnManifold m;
        for (int k = 0; k < 9; k++)
            corners[k] = mesh->vertices[3 * mesh->triangles[3 * i + k / 3] + k % 3];
        if (tn_collide(shape, place, &triangle, at_mesh, 100, &m) && m.count)
            low = fmin(low, lowest_gap(&m));
    }
    return low;
}

TEST(distances_to_triangles_agree_with_all_of_them_one_by_one)
{
    double vertices[3 * RING * AROUND];
    int32_t triangles[6 * RING * AROUND];
    TnMesh mesh = bumpy_torus(vertices, triangles);
    TnTriMesh *tree = tn_tri_mesh_create(&mesh);
    REQUIRE(tree);
    Random r = {9};
    int count = pair_count(UNLESS_SANITIZED(1000, 100)), apart = 0;
    double worst = 0;
    for (int k = 0; apart < count; k++) {
        double own[3 * RANDOM_MESH_VERTICES];
        TnShape shape = random_shape(&r, types[k % TYPES], uniform(&r, 0.1, 0.6), own);
        TnTransform place = random_place(&r, 1.5), there = random_place(&r, 0.5);
        double expected = nearest_triangle(&shape, &place, &mesh, &there), found = INFINITY;
        if (!(expected > 1e-6) || is_within(&place, &mesh, &there)) continue;
        apart++;
        TnPlaced placed = {&shape, &place};
        TnTriContacts contacts;
        tn_tri_collide(&placed, tree, &there, expected + 0.02, 0, &contacts);
        for (int i = 0; i < contacts.count; i++) found = fmin(found, contacts.points[i].at.gap);
        double error = fabs(found - expected);
        worst = fmax(worst, error);
        if (!(error < ACCURACY))
            test_fail(__FILE__, __LINE__, "pair %d, type %d: %g instead of %g", k, shape.type,
                      found, expected);
    }
    printf("    %d pairs: off by at most %.1e\n", apart, worst);
    tn_tri_mesh_destroy(tree);
}
