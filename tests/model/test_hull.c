/* Convex hulls: against brute force, on shapes that are known, and on what is hard for them. */
#include "../check.h"
#include "base/base.h"
#include "math/vec3.h"
#include "model/mesh/hull.h"

typedef struct Random {
    uint64_t state;
} Random;

static double uniform(Random *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(r->state >> 11) / 9007199254740992.0;
}

static void direction(Random *r, double d[3])
{
    double n2;
    do {
        for (int k = 0; k < 3; k++) d[k] = uniform(r, -1, 1);
        n2 = v3_dot(d, d);
    } while (n2 > 1.0 || n2 < 0.01);
    v3_scale(d, d, 1.0 / sqrt(n2));
}

static double extent_of(const double *p, int count)
{
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            low = fmin(low, p[3 * i + k]);
            high = fmax(high, p[3 * i + k]);
        }
        most = fmax(most, high - low);
    }
    return most;
}

/* Closed, outward, convex, and around all points. Returns the number of vertices it uses. */
static int check_hull(const double *p, int count, const TnHullTriangles *t, int line)
{
    /* Points are rounded to 2^-40 of the extent; a triangle's plane tilts over its own length by
     * that much, and with it what lies beyond, so slivers may miss far points by more: they are
     * left out where their height is below a millionth. */
    double extent = extent_of(p, count), tolerance = 1e-11 * extent;
    for (int i = 0; i < t->count; i++) {
        const int32_t *c = t->corners + 3 * i;
        for (int k = 0; k < 3; k++) {
            int32_t other = t->across[3 * i + k];
            bool meets = false;
            for (int e = 0; e < 3; e++)
                meets |= t->across[3 * other + e] == i &&
                         t->corners[3 * other + e] == c[(k + 1) % 3] &&
                         t->corners[3 * other + (e + 1) % 3] == c[k];
            if (!meets) test_fail(__FILE__, line, "triangle %d is open at edge %d", i, k);
        }
        double u[3], v[3], n[3];
        v3_sub(u, p + 3 * c[1], p + 3 * c[0]);
        v3_sub(v, p + 3 * c[2], p + 3 * c[0]);
        v3_cross(n, u, v);
        double longest = fmax(v3_norm(u), v3_norm(v)), area = v3_norm(n);
        if (!(area > 0.0) || area / longest < 1e-6 * extent) continue;
        v3_scale(n, n, 1.0 / area);
        double worst = 0.0;
        for (int j = 0; j < count; j++) {
            double d[3];
            v3_sub(d, p + 3 * j, p + 3 * c[0]);
            worst = fmax(worst, v3_dot(d, n));
        }
        double slack = tolerance * fmax(1.0, extent * longest / area);
        if (!(worst <= slack))
            test_fail(__FILE__, line, "a point is %g outside of triangle %d", worst / extent, i);
    }
    unsigned char *used = calloc((size_t)count, 1);
    int vertices = 0;
    for (int i = 0; i < 3 * t->count; i++) used[t->corners[i]] = 1;
    for (int i = 0; i < count; i++) vertices += used[i];
    free(used);
    if (vertices - 3 * t->count / 2 + t->count != 2)
        test_fail(__FILE__, line, "%d vertices and %d triangles make no sphere", vertices,
                  t->count);
    return vertices;
}

static double volume_of(const double *p, const TnHullTriangles *t)
{
    double sum = 0.0, n[3];
    for (int i = 0; i < t->count; i++) {
        v3_cross(n, p + 3 * t->corners[3 * i], p + 3 * t->corners[3 * i + 1]);
        sum += v3_dot(n, p + 3 * t->corners[3 * i + 2]) / 6.0;
    }
    return sum;
}

/* A triangle of three points is on the hull where all others lie behind it. */
static int brute_force_count(const double *p, int count)
{
    int found = 0;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            for (int c = 0; c < count; c++) {
                if (a == b || a == c || b == c || a > b || a > c) continue;
                double u[3], v[3], n[3];
                v3_sub(u, p + 3 * b, p + 3 * a);
                v3_sub(v, p + 3 * c, p + 3 * a);
                v3_cross(n, u, v);
                bool front = true;
                for (int i = 0; i < count && front; i++) {
                    double d[3];
                    v3_sub(d, p + 3 * i, p + 3 * a);
                    front = i == a || i == b || i == c || v3_dot(d, n) < 0.0;
                }
                found += front;
            }
    return found;
}

TEST(hulls_of_random_points_are_those_of_brute_force)
{
    Random r = {7};
    for (int round = 0; round < 60; round++) {
        double p[3 * 30];
        int count = 4 + round % 27;
        double scale = pow(10.0, uniform(&r, -6, 6));
        for (int i = 0; i < 3 * count; i++) p[i] = scale * uniform(&r, -1, 1) + 3.0 * scale;
        TnHullTriangles t;
        REQUIRE(tn_quickhull(p, count, &t) == TN_HULL_GOOD);
        check_hull(p, count, &t, __LINE__);
        /* general position: each facet is one triangle, so the counts tell all */
        CHECK(t.count == brute_force_count(p, count));
        tn_free(t.corners);
    }
}

TEST(cube_and_icosahedron_have_their_faces_and_volume)
{
    double cube[24], g = 0.5 * (1.0 + sqrt(5.0));
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) cube[3 * i + k] = i >> k & 1 ? 1.5 : -0.5;
    TnHullTriangles t;
    REQUIRE(tn_quickhull(cube, 8, &t) == TN_HULL_GOOD);
    CHECK(t.count == 12 && check_hull(cube, 8, &t, __LINE__) == 8);
    CHECK_NEAR(volume_of(cube, &t), 8.0, 1e-14); /* small whole numbers */
    TnHull hull;
    REQUIRE(tn_hull_create(cube, 8, &t, &hull));
    CHECK(hull.vertex_count == 8 && hull.face_count == 6);
    CHECK(hull.center[0] == 0.5 && hull.half_extent[2] == 1.0);
    CHECK_NEAR(hull.radius, sqrt(3.0), 1e-15);
    for (int v = 0; v < 8; v++) CHECK(hull.face_start[v + 1] - hull.face_start[v] == 3);
    for (int f = 0; f < 6; f++) { /* an axis each */
        const double *n = hull.normals + 3 * f;
        CHECK(fabs(n[0]) + fabs(n[1]) + fabs(n[2]) == 1.0);
    }
    tn_hull_free(&hull);
    tn_free(t.corners);

    double ico[36];
    int at = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < 4; s++) {
            double *p = ico + 3 * at++;
            p[axis] = 0.0;
            p[(axis + 1) % 3] = s & 1 ? 1.0 : -1.0;
            p[(axis + 2) % 3] = s & 2 ? g : -g;
        }
    REQUIRE(tn_quickhull(ico, 12, &t) == TN_HULL_GOOD);
    CHECK(t.count == 20 && check_hull(ico, 12, &t, __LINE__) == 12);
    /* edge 2: volume 5 (3 + √5) 8 / 12; twenty roundings */
    CHECK_NEAR(volume_of(ico, &t), 10.0 / 3.0 * (3.0 + sqrt(5.0)), 1e-13);
    tn_free(t.corners);
}

/* A grid of points on all sides of a box and inside of it, each twice, then turned: many in one
 * plane, on one line, on one spot, and none of it exact after the turn. */
TEST(points_in_planes_on_lines_and_on_top_of_each_other_are_no_trouble)
{
    Random r = {3};
    for (int round = 0; round < 20; round++) {
        enum { SIDE = 9, COUNT = 2 * SIDE * SIDE * SIDE };
        static double p[3 * COUNT];
        double thin = pow(10.0, -uniform(&r, 0, 5)), axis[3], quat[4], offset[3];
        direction(&r, axis);
        double angle = round % 4 == 0 ? 0.0 : uniform(&r, 0, 3);
        quat[0] = cos(0.5 * angle);
        v3_scale(quat + 1, axis, sin(0.5 * angle));
        for (int k = 0; k < 3; k++) offset[k] = round % 3 == 0 ? 0.0 : uniform(&r, -5, 5);
        for (int i = 0; i < COUNT; i++) {
            int j = i / 2;
            double q[3] = {j % SIDE - 4.0, j / SIDE % SIDE - 4.0, thin * (j / SIDE / SIDE - 4.0)};
            quat_rotate(p + 3 * i, quat, q);
            v3_add(p + 3 * i, p + 3 * i, offset);
        }
        TnHullTriangles t, again;
        REQUIRE(tn_quickhull(p, COUNT, &t) == TN_HULL_GOOD);
        check_hull(p, COUNT, &t, __LINE__);
        /* the turned points miss their planes by roundings of numbers up to 10 */
        CHECK_NEAR(volume_of(p, &t), 512.0 * thin, 1e-10);
        REQUIRE(tn_quickhull(p, COUNT, &again) == TN_HULL_GOOD);
        CHECK(t.count == again.count &&
              memcmp(t.corners, again.corners, 6 * (size_t)t.count * sizeof *t.corners) == 0);
        TnHull hull;
        REQUIRE(tn_hull_create(p, COUNT, &t, &hull));
        CHECK(hull.face_count == 6); /* flat to a millionth, however the points were rounded */
        tn_hull_free(&hull);
        tn_free(t.corners);
        tn_free(again.corners);
    }
}

TEST(flat_and_small_sets_have_no_hull)
{
    TnHullTriangles t;
    double line[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    double plane[15] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.3, 0.4, 1};
    double same[12] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    double tilted[3 * 25], almost[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5e-7};
    for (int i = 0; i < 25; i++) /* flat but for the rounding to float, as in an STL file */
        for (int k = 0; k < 3; k++)
            tilted[3 * i + k] = (float)(0.3 * (i % 5) * (k + 1) + 0.7 * (i / 5) * (k - 1) + 2.0);
    CHECK(tn_quickhull(line, 4, &t) == TN_HULL_FLAT);
    CHECK(tn_quickhull(plane, 5, &t) == TN_HULL_FLAT);
    CHECK(tn_quickhull(same, 4, &t) == TN_HULL_FEW);
    CHECK(tn_quickhull(plane, 3, &t) == TN_HULL_FEW);
    CHECK(tn_quickhull(tilted, 25, &t) == TN_HULL_FLAT);
    CHECK(tn_quickhull(almost, 4, &t) == TN_HULL_FLAT);
    CHECK(t.count == 0 && !t.corners);
    almost[11] = 2e-6;
    CHECK(tn_quickhull(almost, 4, &t) == TN_HULL_GOOD && t.count == 4);
    tn_free(t.corners);
}

static void check_support(const double *p, int count, int directions, Random *r)
{
    TnHullTriangles t;
    TnHull hull;
    REQUIRE(tn_quickhull(p, count, &t) == TN_HULL_GOOD);
    REQUIRE(tn_hull_create(p, count, &t, &hull));
    for (int i = 0; i < directions; i++) {
        double d[3], best = -INFINITY;
        if (i < 26) { /* the axes and what is between them: many ties */
            int code = i < 13 ? i : i + 1;
            v3_set(d, code % 3 - 1.0, code / 3 % 3 - 1.0, code / 9 - 1.0);
        } else {
            direction(r, d);
        }
        for (int j = 0; j < count; j++) best = fmax(best, v3_dot(p + 3 * j, d));
        int v = tn_hull_support(&hull, d);
        double found = v3_dot(hull.vertices + 3 * v, d) + v3_dot(hull.center, d);
        /* a few roundings, and those of the hull's points */
        if (!(fabs(found - best) <= 4e-12 * hull.radius))
            test_fail(__FILE__, __LINE__, "support off by %g", found - best);
        const double *n = tn_hull_face_normal(&hull, d);
        CHECK(n && v3_dot(n, d) > 0.0);
        /* what lies near the top, against a search */
        int32_t near[64];
        double band = uniform(r, 0.0, 0.2) * hull.radius;
        int listed = tn_hull_above(&hull, d, band, near, 64), counted = 0;
        double top = v3_dot(hull.vertices + 3 * v, d);
        for (int j = 0; j < hull.vertex_count; j++)
            counted += v3_dot(hull.vertices + 3 * j, d) >= top - band;
        CHECK(counted > 64 ? listed == -1 : listed == counted);
        for (int j = 1; j < listed; j++) CHECK(near[j - 1] < near[j]);
    }
    tn_hull_free(&hull);
    tn_free(t.corners);
}

TEST(climbing_finds_the_farthest_vertex)
{
    Random r = {11};
    for (int round = 0; round < 12; round++) {
        enum { MOST = 3000 };
        static double p[3 * MOST];
        int count = round < 4 ? 20 : MOST;
        for (int i = 0; i < count; i++) {
            direction(&r, p + 3 * i);
            for (int k = 0; k < 3; k++) {
                if (round % 4 == 1) p[3 * i + k] = floor(4.0 * p[3 * i + k]); /* a lattice */
                if (round % 4 == 2) p[3 * i + k] *= k == 2 ? 1e-3 : 1.0;      /* a lens */
                if (round % 4 == 3) p[3 * i + k] = p[3 * i + k] * (k ? 0.1 : 3.0) + 10.0;
            }
        }
        check_support(p, count, 300, &r);
    }
}

TEST(a_hundred_thousand_points_have_a_hull)
{
    enum { COUNT = UNLESS_SANITIZED(100000, 10000) };
    double *p = malloc(3 * COUNT * sizeof *p);
    REQUIRE(p);
    Random r = {5};
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < COUNT; i++) {
            double *q = p + 3 * i;
            direction(&r, q); /* a sphere: all of them are corners */
            if (kind == 1)
                for (int k = 0; k < 3; k++) q[k] = uniform(&r, -1, 1);
            if (kind == 2) /* two parallel plates of grid points, floats as files have them */
                v3_set(q, (float)(0.01 * (i % 250)), (float)(0.01 * (i / 250 % (COUNT / 500))),
                       (float)(0.003 * (i / (COUNT / 2))));
            if (kind == 3) { /* the rims of a cylinder */
                double angle = 2.0 * M_PI * (i / 2) / (COUNT / 2);
                v3_set(q, cos(angle), sin(angle), i % 2);
            }
        }
        TnHullTriangles t;
        REQUIRE(tn_quickhull(p, COUNT, &t) == TN_HULL_GOOD);
        if (kind == 0) {
            CHECK(t.count == 2 * COUNT - 4);
            /* triangles of area 4π/2n lie below the ball by about that area; random ones vary */
            CHECK_NEAR(volume_of(p, &t), 4.0 / 3.0 * M_PI, UNLESS_SANITIZED(1e-3, 1e-2));
        }
        if (kind == 2) /* floats */
            CHECK_NEAR(volume_of(p, &t), 2.49 * (COUNT / 50000.0 - 0.01) * 0.003, 1e-7);
        if (kind == 3) /* a polygon of COUNT / 2 sides */
            CHECK_NEAR(volume_of(p, &t), M_PI, UNLESS_SANITIZED(1e-7, 1e-5));
        TnHull hull;
        REQUIRE(tn_hull_create(p, COUNT, &t, &hull));
        CHECK(hull.vertex_count - 3 * t.count / 2 + t.count == 2);
        tn_hull_free(&hull);
        tn_free(t.corners);
    }
    free(p);
}

TEST(no_memory_is_told_and_nothing_leaks)
{
    double p[3 * 200];
    Random r = {9};
    for (int i = 0; i < 200; i++) direction(&r, p + 3 * i);
    for (long calls = 0;; calls++) {
        TnHullTriangles t = {0};
        TnHull hull = {0};
        tn_malloc_fail_after(calls);
        bool good = tn_quickhull(p, 200, &t) == TN_HULL_GOOD && tn_hull_create(p, 200, &t, &hull);
        tn_malloc_fail_after(-1);
        tn_hull_free(&hull);
        tn_free(t.corners);
        if (good) break;
        REQUIRE(calls < 100);
    }
}
