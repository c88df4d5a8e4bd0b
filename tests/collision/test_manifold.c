/* Contact points of resting shapes: how many, where, how deep, and under which ids from step to
 * step. */
#include "../check.h"
#include "shapes.h"

static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};
#define QUARTER 1.5707963267948966 /* rad */

static TnShape box(double x, double y, double z)
{
    return (TnShape){.type = TN_GEOM_BOX, .size = {x, y, z}};
}
static TnShape cylinder(double r, double h)
{
    return (TnShape){.type = TN_GEOM_CYLINDER, .size = {r, h}};
}
static TnShape capsule(double r, double h)
{
    return (TnShape){.type = TN_GEOM_CAPSULE, .size = {r, h}};
}
static TnShape sphere(double r) { return (TnShape){.type = TN_GEOM_SPHERE, .size = {r}}; }
static const TnShape plane = {.type = TN_GEOM_PLANE};

/* All gaps equal, the normal along z with the given sign, and the centre within the points' hull
 * along x and y. */
static void check_flat(const TnManifold *m, int at_least, double gap, double up, double cx,
                       double cy)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    CHECK(m->count >= at_least);
    CHECK_NEAR(m->normal[2], up, 1e-12); /* rounding: face normals are exact */
    for (int i = 0; i < m->count; i++) {
        CHECK_NEAR(m->points[i].gap, gap, 1e-12); /* rounding of metres */
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], m->points[i].pos[k]);
            high[k] = fmax(high[k], m->points[i].pos[k]);
        }
        for (int j = 0; j < i; j++) CHECK(m->points[i].feature != m->points[j].feature);
    }
    CHECK(low[0] < cx && cx < high[0] && low[1] < cy && cy < high[1]);
}

TEST(a_box_on_a_plane_has_four_corners_with_the_right_gaps)
{
    TnTransform ground = at(0, 0, 0), t = at(3, 4, 0.29);
    TnShape b = box(0.1, 0.2, 0.3);
    TnManifold m;
    REQUIRE(tn_collide(&plane, &ground, &b, &t, 0.0, &m));
    CHECK(m.count == 4);
    check_flat(&m, 4, -0.01, 1.0, 3.0, 4.0);
    for (int i = 0; i < m.count; i++) {
        CHECK_NEAR(fabs(m.points[i].pos[0] - 3.0), 0.1, 1e-15);
        CHECK_NEAR(fabs(m.points[i].pos[1] - 4.0), 0.2, 1e-14);
        CHECK_NEAR(m.points[i].pos[2], -0.005, 1e-15); /* halfway between the surfaces */
    }
    /* just above the margin: none */
    t.pos[2] = 0.301;
    REQUIRE(tn_collide(&plane, &ground, &b, &t, 0.0005, &m));
    CHECK(m.count == 0);
}

TEST(a_tilted_box_on_a_plane_touches_with_its_lowest_corners)
{
    TnTransform ground = at(0, 0, 0);
    TnShape b = box(0.5, 0.5, 0.5);
    TnTransform t = turned(0, 0, 0, X, 0.5 * QUARTER);
    t.pos[2] = 0.5 * sqrt(2.0); /* on an edge */
    TnManifold m;
    REQUIRE(tn_collide(&plane, &ground, &b, &t, 1e-9, &m));
    CHECK(m.count == 2);
    for (int i = 0; i < m.count; i++) CHECK_NEAR(m.points[i].gap, 0.0, 1e-15); /* rounding */
}

TEST(other_shapes_on_a_plane_touch_where_geometry_says)
{
    TnTransform ground = at(0, 0, 0), up = at(0, 0, 0.5), lying = turned(0, 0, 0.1, Y, QUARTER);
    TnShape c = capsule(0.1, 0.4), y = cylinder(0.1, 0.5),
            e = {.type = TN_GEOM_ELLIPSOID, .size = {0.3, 0.2, 0.5}}, s = sphere(0.5);
    TnManifold m;
    REQUIRE(tn_collide(&plane, &ground, &s, &up, 0.0, &m));
    CHECK(m.count == 1 && m.points[0].gap == 0.0);
    REQUIRE(tn_collide(&plane, &ground, &c, &up, 0.0, &m));
    CHECK(m.count == 1); /* upright: the lower end */
    CHECK_NEAR(m.points[0].gap, 0.0, 1e-15);
    REQUIRE(tn_collide(&plane, &ground, &c, &lying, 1e-12, &m));
    CHECK(m.count == 2);
    for (int i = 0; i < m.count; i++) CHECK_NEAR(fabs(m.points[i].pos[0]), 0.4, 1e-15);
    REQUIRE(tn_collide(&plane, &ground, &y, &up, 0.0, &m));
    CHECK(m.count == 4);
    check_flat(&m, 4, 0.0, 1.0, 0.0, 0.0);
    REQUIRE(tn_collide(&plane, &ground, &y, &lying, 1e-12, &m));
    CHECK(m.count == 2);
    for (int i = 0; i < m.count; i++) CHECK_NEAR(fabs(m.points[i].pos[0]), 0.5, 1e-15);
    /* ellipsoid at 30°: lowest height is -sqrt(Σ (r_i n_i)²) */
    TnTransform tilted = turned(0, 0, 0.45, X, QUARTER / 3.0);
    double expected = 0.45 - sqrt(pow(0.2 * 0.5, 2) + pow(0.5 * sqrt(0.75), 2));
    REQUIRE(tn_collide(&plane, &ground, &e, &tilted, 1.0, &m));
    CHECK(m.count == 1);
    CHECK_NEAR(m.points[0].gap, expected, 1e-15); /* rounding */
    /* a box as a mesh */
    double vertices[24];
    TnShape mesh = box_mesh((double[3]){0.2, 0.3, 0.5}, vertices);
    REQUIRE(tn_collide(&plane, &ground, &mesh, &up, 0.0, &m));
    CHECK(m.count == 4);
    check_flat(&m, 4, 0.0, 1.0, 0.0, 0.0);
}

/* A heavy body stands on a wide box at some height; each kind gives a manifold that cannot tip. */
TEST(flat_faces_on_a_box_give_at_least_three_points_at_every_depth)
{
    double vertices[24], table_vertices[24];
    TnShape shapes[] = {box(0.2, 0.2, 0.2), cylinder(0.2, 0.2),
                        box_mesh((double[3]){0.2, 0.2, 0.2}, vertices)};
    TnShape tables[] = {box(1, 1, 0.1), cylinder(1, 0.1),
                        box_mesh((double[3]){1, 1, 0.1}, table_vertices)};
    TnTransform ground = at(0, 0, -0.1);
    const double depths[] = {-1e-3, -1e-9, 0.0, 1e-12, 1e-9, 1e-6, 1e-3, 2e-2};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int d = 0; d < 8; d++) {
                TnTransform t = turned(0.3, 0.2, 0.2 - depths[d], Z, 0.3);
                TnManifold m;
                REQUIRE(tn_collide(&shapes[i], &t, &tables[j], &ground, 2e-3, &m));
                check_flat(&m, 3, -depths[d], -1.0, 0.3, 0.2);
            }
}

TEST(a_cylinder_lying_on_a_box_has_two_points_at_its_ends)
{
    TnShape c = cylinder(0.1, 0.3), table = box(1, 1, 0.1);
    TnTransform ground = at(0, 0, -0.1), t = turned(0, 0, 0.099, Y, QUARTER);
    TnManifold m;
    REQUIRE(tn_collide(&c, &t, &table, &ground, 0.0, &m));
    REQUIRE(m.count == 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(fabs(m.points[i].pos[0]), 0.3,
                   1e-9); /* the direction is exact after snapping to the face */
        CHECK_NEAR(m.points[i].gap, -0.001, 1e-9);
    }
    CHECK_NEAR(m.normal[2], -1.0, 1e-12);
}

TEST(boxes_face_to_face_overlap_in_the_intersection_of_their_faces)
{
    TnShape a = box(0.5, 0.5, 0.5), b = box(0.5, 0.5, 0.5);
    TnTransform ta = at(0, 0, 0), tb = at(0.25, -0.5, 0.99);
    TnManifold m;
    REQUIRE(tn_collide(&a, &ta, &b, &tb, 0.0, &m));
    CHECK(m.count == 4);
    check_flat(&m, 4, -0.01, 1.0, 0.125, -0.25);
    for (int i = 0; i < m.count; i++) {
        CHECK_NEAR(fabs(m.points[i].pos[0] - 0.125), 0.375, 1e-12); /* [-0.25, 0.5] × [-0.5, 0] */
        CHECK_NEAR(fabs(m.points[i].pos[1] + 0.25), 0.25, 1e-12);
    }
    /* turned by 45°: eight corners of an octagon */
    TnTransform turned_b = turned(0, 0, 0.99, Z, 0.5 * QUARTER);
    REQUIRE(tn_collide(&a, &ta, &b, &turned_b, 0.0, &m));
    CHECK(m.count == 8);
    check_flat(&m, 8, -0.01, 1.0, 0.0, 0.0);
}

TEST(boxes_edge_to_edge_touch_in_one_point)
{
    TnShape a = box(0.5, 0.5, 0.5), b = box(0.5, 0.5, 0.5);
    double top = 0.5 * sqrt(2.0);
    TnTransform ta = turned(0, 0, 0, X, 0.5 * QUARTER),
                tb = turned(0.1, 0.2, 2.0 * top - 0.01, Y, 0.5 * QUARTER);
    TnManifold m;
    REQUIRE(tn_collide(&a, &ta, &b, &tb, 0.0, &m));
    REQUIRE(m.count == 1);
    CHECK_NEAR(m.normal[2], 1.0, 1e-12);
    CHECK_NEAR(m.points[0].gap, -0.01, 1e-12);
    CHECK_NEAR(m.points[0].pos[0], 0.1,
               1e-12); /* b's edge runs along y at x = 0.1, a's along x at y = 0 */
    CHECK_NEAR(m.points[0].pos[1], 0.0, 1e-12);
    CHECK_NEAR(m.points[0].pos[2], top - 0.005, 1e-12);
}

TEST(parallel_capsules_have_two_points_and_crossed_ones_one)
{
    TnShape a = capsule(0.1, 0.5), b = capsule(0.2, 0.5);
    TnTransform ta = at(0, 0, 0), tb = at(0.29, 0, 0.25), crossed = turned(0.29, 0, 0, X, QUARTER),
                end_on = at(0, 0, 1.29);
    TnManifold m;
    REQUIRE(tn_collide(&a, &ta, &b, &tb, 0.0, &m));
    REQUIRE(m.count == 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(m.points[i].gap, -0.01, 1e-15);
        CHECK_NEAR(fabs(m.points[i].pos[2] - 0.125), 0.375, 1e-15); /* overlap from -0.25 to 0.5 */
        CHECK_NEAR(m.points[i].pos[0], 0.095, 1e-15);
    }
    REQUIRE(tn_collide(&a, &ta, &b, &crossed, 0.0, &m));
    CHECK(m.count == 1);
    CHECK_NEAR(m.points[0].gap, -0.01, 1e-15);
    REQUIRE(tn_collide(&a, &ta, &b, &end_on, 0.0, &m));
    CHECK(m.count == 1);
    CHECK_NEAR(m.points[0].gap, -0.01, 1e-12);
    CHECK_NEAR(m.normal[2], 1.0, 1e-15);
    /* the same axis: pushed out sideways, finite */
    REQUIRE(tn_collide(&a, &ta, &b, &ta, 0.0, &m));
    REQUIRE(m.count > 0);
    CHECK_NEAR(lowest_gap(&m), -0.3, 1e-15);
    CHECK_NEAR(dot3(m.normal, m.normal), 1.0, 1e-14);
}

TEST(a_capsule_lying_on_a_box_has_two_points_clipped_to_its_face)
{
    TnShape c = capsule(0.1, 0.5), b = box(0.3, 1, 0.1);
    TnTransform ground = at(0, 0, -0.1), t = turned(0, 0, 0.09, Y, QUARTER);
    TnManifold m;
    REQUIRE(tn_collide(&c, &t, &b, &ground, 0.0, &m));
    REQUIRE(m.count == 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(m.points[i].gap, -0.01, 1e-12);
        CHECK_NEAR(fabs(m.points[i].pos[0]), 0.3, 1e-12); /* the box ends before the capsule */
    }
    CHECK_NEAR(m.normal[2], -1.0, 1e-12);
    /* with its core inside the box it is still pushed out through the nearest face */
    t.pos[2] = -0.02;
    REQUIRE(tn_collide(&c, &t, &b, &ground, 0.0, &m));
    CHECK(m.count == 2);
    CHECK_NEAR(m.normal[2], -1.0, 1e-12);
    CHECK_NEAR(lowest_gap(&m), -0.12, 1e-12);
}

TEST(spheres_against_solids_match_geometry_inside_and_out)
{
    TnShape s = sphere(0.1), b = box(1, 2, 3), c = cylinder(1, 2);
    TnTransform origin = at(0, 0, 0);
    TnManifold m;
    TnTransform by_edge = at(1.06, 2.08, 0), inside = at(0.9, 0, 0), rim = at(1.06, 0, 2.08),
                in_cylinder = at(0, 0.2, 1.95);
    REQUIRE(tn_collide(&s, &by_edge, &b, &origin, 1.0, &m));
    CHECK_NEAR(m.points[0].gap, 0.0, 1e-15); /* 3-4-5 triangle: distance 0.1 */
    CHECK_NEAR(m.normal[0], -0.6, 1e-14);
    REQUIRE(tn_collide(&s, &inside, &b, &origin, 1.0, &m));
    CHECK_NEAR(m.points[0].gap, -0.2, 1e-15);
    CHECK_NEAR(m.normal[0], -1.0, 0.0);
    REQUIRE(tn_collide(&s, &rim, &c, &origin, 1.0, &m));
    CHECK_NEAR(m.points[0].gap, 0.0, 1e-15);
    CHECK_NEAR(m.normal[2], -0.8, 1e-14);
    REQUIRE(tn_collide(&s, &in_cylinder, &c, &origin, 1.0, &m));
    CHECK_NEAR(m.points[0].gap, -0.15, 1e-15);
    CHECK_NEAR(m.normal[2], -1.0, 0.0);
    /* a centre exactly on the surface, and two centres in one place */
    TnTransform on_face = at(1.0, 0.5, 0.5);
    REQUIRE(tn_collide(&s, &on_face, &b, &origin, 1.0, &m));
    CHECK_NEAR(m.points[0].gap, -0.1, 1e-15);
    CHECK_NEAR(m.normal[0], -1.0, 0.0);
    REQUIRE(tn_collide(&s, &origin, &s, &origin, 1.0, &m));
    CHECK_NEAR(m.points[0].gap, -0.2, 1e-15);
    CHECK_NEAR(dot3(m.normal, m.normal), 1.0, 0.0);
}

static bool same_features(const TnManifold *a, const TnManifold *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        bool found = false;
        for (int j = 0; j < b->count; j++) {
            double d = 0.0;
            for (int k = 0; k < 3; k++)
                d = fmax(d, fabs(a->points[i].pos[k] - b->points[j].pos[k]));
            found |= a->points[i].feature == b->points[j].feature &&
                     d < 2e-3; /* the same id is the same place */
        }
        if (!found) return false;
    }
    return true;
}

TEST(feature_ids_persist_while_a_resting_body_trembles)
{
    double v1[24], v2[24];
    TnShape tables[] = {plane, box(1, 1, 0.1), cylinder(1, 0.1),
                        box_mesh((double[3]){1, 1, 0.1}, v1)};
    TnShape shapes[] = {box(0.2, 0.3, 0.2), cylinder(0.2, 0.2),
                        box_mesh((double[3]){0.2, 0.25, 0.2}, v2)};
    Random r = {21};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            TnTransform ground = at(0, 0, j == 0 ? 0.0 : -0.1);
            TnManifold first = {0}, m;
            for (int step = 0; step < 50; step++) {
                double axis[3] = {uniform(&r, -1, 1), uniform(&r, -1, 1), uniform(&r, -1, 1)};
                /* micrometres and microradians, as a solver leaves them */
                TnTransform t =
                    turned(0.1 + uniform(&r, -1e-6, 1e-6), 0.2 + uniform(&r, -1e-6, 1e-6),
                           0.2 - 1e-4 + uniform(&r, -1e-6, 1e-6), axis, 1e-6);
                REQUIRE(tn_collide(&shapes[i], &t, &tables[j], &ground, 1e-3, &m));
                CHECK(m.count >= 3);
                if (step == 0) first = m;
                if (!same_features(&first, &m))
                    test_fail(__FILE__, __LINE__, "shape %d on table %d changed its ids in step %d",
                              i, j, step);
            }
        }
}

TEST(feature_ids_do_not_depend_on_which_equal_box_is_left_of_the_other)
{
    TnShape a = box(0.5, 0.5, 0.5);
    TnTransform ta = at(0, 0, 0), left = turned(-1e-7, 0.01, 0.999, Z, 0.2),
                right = turned(1e-7, 0.01, 0.999, Z, 0.2);
    TnManifold ml, mr;
    REQUIRE(tn_collide(&a, &ta, &a, &left, 0.0, &ml));
    REQUIRE(tn_collide(&a, &ta, &a, &right, 0.0, &mr));
    CHECK(ml.count >= 4);
    CHECK(same_features(&ml, &mr));
}

TEST(a_stack_of_equal_boxes_keeps_four_points_when_aligned)
{
    TnShape a = box(0.5, 0.5, 0.5);
    Random r = {22};
    for (int k = 0; k < 100; k++) {
        TnTransform ta = at(0, 0, 0),
                    tb = turned(uniform(&r, -1e-6, 1e-6), uniform(&r, -1e-6, 1e-6), 0.9999, Z,
                                uniform(&r, -1e-6, 1e-6));
        TnManifold m;
        REQUIRE(tn_collide(&a, &ta, &a, &tb, 0.0, &m));
        CHECK(m.count == 4);
        check_flat(&m, 4, -1e-4, 1.0, 0.0, 0.0);
    }
}
