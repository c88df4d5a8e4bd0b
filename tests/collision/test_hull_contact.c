/* Contacts of hulls as a model makes them. */
#include "../check.h"
#include "base/base.h"
#include "model/mesh/hull.h"
#include "shapes.h"

/* The shape of these points with its hull; free the hull. */
static TnShape with_hull(const double *points, int count, TnHull *hull)
{
    TnHullTriangles t;
    TnShape shape = {.type = TN_GEOM_MESH};
    if (tn_quickhull(points, count, &t) != TN_HULL_GOOD || !tn_hull_create(points, count, &t, hull))
        test_fail(__FILE__, __LINE__, "no hull");
    tn_free(t.corners);
    shape.mesh_vertices = hull->vertices;
    shape.mesh_vertex_count = hull->vertex_count;
    shape.hull = hull;
    return shape;
}

/* The largest distance between two points. */
static double spread(const TnManifold *m)
{
    double most = 0.0;
    for (int i = 0; i < m->count; i++)
        for (int j = 0; j < i; j++) {
            double d2 = 0.0;
            for (int k = 0; k < 3; k++) d2 += pow(m->points[i].pos[k] - m->points[j].pos[k], 2);
            most = fmax(most, sqrt(d2));
        }
    return most;
}

/* A prism of many sides stands on a table, both turned alike and the prism about its axis. */
TEST(flat_sides_give_their_own_normal_at_every_depth)
{
    enum { SIDES = 37 };
    double table_points[24], prism_points[6 * SIDES];
    box_mesh((double[3]){1.3, 1.1, 0.2}, table_points);
    for (int i = 0; i < 2 * SIDES; i++) {
        double angle = 2 * M_PI * (i / 2) / SIDES;
        prism_points[3 * i] = 0.3 * cos(angle);
        prism_points[3 * i + 1] = 0.3 * sin(angle);
        prism_points[3 * i + 2] = i % 2 ? 0.25 : -0.25;
    }
    TnHull table_hull, prism_hull;
    TnShape table = with_hull(table_points, 8, &table_hull);
    TnShape prism = with_hull(prism_points, 2 * SIDES, &prism_hull);
    Random r = {17};
    const double depths[] = {-1e-3, -1e-6, -1e-9, 0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2};
    for (int round = 0; round < 40; round++)
        for (int d = 0; d < 9; d++) {
            TnTransform t = random_place(&r, 2.0), p = t;
            double angle = uniform(&r, 0, 6),
                   local[3] = {uniform(&r, -0.7, 0.7), uniform(&r, -0.7, 0.7), 0.45 - depths[d]};
            for (int i = 0; i < 3; i++) {
                const double *row = t.rot + 3 * i;
                p.rot[3 * i] = cos(angle) * row[0] + sin(angle) * row[1];
                p.rot[3 * i + 1] = cos(angle) * row[1] - sin(angle) * row[0];
                p.pos[i] = t.pos[i] + dot3(row, local);
            }
            TnManifold m;
            REQUIRE(tn_collide(&table, &t, &prism, &p, 2e-3, &m));
            CHECK(m.count >= 4 && spread(&m) > 0.5); /* across the prism, 0.6 m wide */
            double along = 0.0, gap = INFINITY;
            for (int i = 0; i < 3; i++) along += m.normal[i] * t.rot[3 * i + 2];
            for (int i = 0; i < m.count; i++) gap = fmin(gap, m.points[i].gap);
            double tilt2 = 0.0;
            for (int i = 0; i < 3; i++) tilt2 += pow(m.normal[i] - along * t.rot[3 * i + 2], 2);
            /* a few roundings */
            if (!(along > 0.0 && sqrt(tilt2) < 1e-14))
                test_fail(__FILE__, __LINE__, "depth %g: tilt %g", depths[d], sqrt(tilt2));
            CHECK_NEAR(gap, -depths[d], 1e-14);
            TnShape plane = {.type = TN_GEOM_PLANE};
            TnTransform ground = t;
            for (int i = 0; i < 3; i++) ground.pos[i] += 0.2 * t.rot[3 * i + 2];
            REQUIRE(tn_collide(&plane, &ground, &prism, &p, 2e-3, &m));
            CHECK(m.count >= 4 && spread(&m) > 0.5);
        }
    tn_hull_free(&table_hull);
    tn_hull_free(&prism_hull);
}

/* The same manifold whether the vertices are searched or climbed. */
TEST(hulls_touch_where_their_vertices_do)
{
    Random r = {23};
    for (int round = 0; round < 200; round++) {
        enum { COUNT = 120 };
        double points[2][3 * COUNT];
        TnHull hull[2];
        TnShape shape[2], plain[2];
        for (int s = 0; s < 2; s++) {
            for (int i = 0; i < COUNT; i++) {
                double p[3], n2 = 0.0;
                for (int k = 0; k < 3; k++) p[k] = uniform(&r, -1, 1), n2 += p[k] * p[k];
                for (int k = 0; k < 3; k++) points[s][3 * i + k] = (k + 1) * 0.1 * p[k] / sqrt(n2);
            }
            shape[s] = with_hull(points[s], COUNT, &hull[s]);
            plain[s] = shape[s];
            plain[s].hull = NULL;
        }
        TnTransform a = random_place(&r, 0.2), b = random_place(&r, 0.2);
        TnManifold fast, slow;
        REQUIRE(tn_collide(&shape[0], &a, &shape[1], &b, 0.05, &fast));
        REQUIRE(tn_collide(&plain[0], &a, &plain[1], &b, 0.05, &slow));
        CHECK((fast.count > 0) == (slow.count > 0));
        /* the direction is searched to 1e-6, the gap is then right to its square */
        if (fast.count > 0) CHECK_NEAR(lowest_gap(&fast), lowest_gap(&slow), 1e-10);
        TnShape plane = {.type = TN_GEOM_PLANE};
        TnTransform ground = at(0, 0, -0.1);
        REQUIRE(tn_collide(&plane, &ground, &shape[1], &b, 0.03, &fast));
        REQUIRE(tn_collide(&plane, &ground, &plain[1], &b, 0.03, &slow));
        CHECK(fast.count == slow.count);
        for (int i = 0; i < fast.count; i++) {
            CHECK(fast.points[i].feature == slow.points[i].feature);
            CHECK(fast.points[i].gap == slow.points[i].gap);
        }
        for (int s = 0; s < 2; s++) tn_hull_free(&hull[s]);
    }
}
