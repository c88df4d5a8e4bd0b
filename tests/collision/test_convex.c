/* Gap and normal of every convex pair against the support-function definition: gap = max over n of
 * the separation along n. */
#include "../check.h"
#include "shapes.h"

static const TnGeomType convex_types[] = {TN_GEOM_SPHERE,   TN_GEOM_CAPSULE, TN_GEOM_ELLIPSOID,
                                          TN_GEOM_CYLINDER, TN_GEOM_BOX,     TN_GEOM_MESH};
enum { TYPES = 6 };

/* The reported normal attains the reported gap, and no sampled direction does better. */
static void check_pair(TnGeomType type_a, TnGeomType type_b, double scale, double spread, Random *r)
{
    double va[3 * RANDOM_MESH_VERTICES], vb[3 * RANDOM_MESH_VERTICES];
    TnShape a = random_shape(r, type_a, scale, va), b = random_shape(r, type_b, scale, vb);
    TnTransform ta = random_place(r, spread), tb = random_place(r, spread);
    TnManifold m;
    REQUIRE(tn_collide(&a, &ta, &b, &tb, 100.0 * scale, &m));
    REQUIRE(m.count > 0);
    double gap = lowest_gap(&m), along = separation(&a, &ta, &b, &tb, m.normal);
    /* unit to rounding */
    CHECK_NEAR(dot3(m.normal, m.normal), 1.0, 1e-12);
    /* closed forms and the support functions differ by rounding; iterations end at 1e-10 of the
     * size; a manifold's deepest point may be 1e-6 of the size shallower than the witness */
    CHECK_NEAR(along, gap, 2e-6 * scale);
    /* faces are preferred to edges up to 1 % of the depth */
    double allowed = 1e-8 * scale + (gap < 0.0 ? 0.0102 * -gap : 2e-4 * gap);
    double best = oracle_gap(&a, &ta, &b, &tb, r);
    if (!(best <= along + allowed))
        test_fail(__FILE__, __LINE__, "types %d %d: gap %.12g along the normal, %.12g elsewhere",
                  type_a, type_b, along, best);
    for (int i = 0; i < m.count; i++) {
        const double *p = m.points[i].pos;
        /* halfway between the surfaces, so at most half the gap outside either shape along the
         * normal */
        double outside_a = dot3(p, m.normal) - support_value(&a, &ta, m.normal);
        CHECK(outside_a <= 0.5 * m.points[i].gap + 2e-6 * scale);
    }
}

TEST(every_pair_apart_has_the_largest_separation_as_gap)
{
    Random r = {1};
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < TYPES; j++)
            for (int k = 0; k < 12; k++) check_pair(convex_types[i], convex_types[j], 1.0, 2.0, &r);
}

TEST(every_overlapping_pair_has_the_least_overlap_as_depth)
{
    Random r = {2};
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < TYPES; j++)
            for (int k = 0; k < 12; k++) check_pair(convex_types[i], convex_types[j], 1.0, 0.4, &r);
}

TEST(millimetres_and_hundreds_of_metres_are_as_exact)
{
    Random r = {3};
    const double scales[] = {1e-3, 100.0};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < TYPES; i++)
            for (int j = i; j < TYPES; j++)
                for (int k = 0; k < 4; k++)
                    check_pair(convex_types[i], convex_types[j], scales[s], scales[s], &r);
}

TEST(a_millimetre_shape_on_a_hundred_metre_one_has_the_right_gap)
{
    Random r = {4};
    double vertices[3 * RANDOM_MESH_VERTICES];
    for (int i = 0; i < TYPES; i++) {
        TnShape small = random_shape(&r, convex_types[i], 1e-3, vertices);
        TnShape big = {.type = TN_GEOM_BOX, .size = {100, 100, 1}};
        TnTransform place = random_place(&r, 10.0), ground = at(0, 0, -1.0);
        double down[3] = {0, 0, -1};
        place.pos[2] = 0.0;
        place.pos[2] += support_value(&small, &place, down) - 1e-5; /* lowest point 0.01 mm deep */
        TnManifold m;
        REQUIRE(tn_collide(&small, &place, &big, &ground, 0.0, &m));
        REQUIRE(m.count >= 1);
        CHECK_NEAR(m.normal[2], -1.0, 1e-9); /* the face's own normal */
        CHECK_NEAR(lowest_gap(&m), -1e-5,
                   1e-11); /* rounding of 100 m, 1e-14, through a few operations and GJK's 1e-13 */
    }
}

/* A flat side of the two shapes' difference is cut into triangles, and only one of them has the
 * point that touches. */
TEST(a_small_shape_in_a_large_face_touches_where_it_is)
{
    Random r = {14};
    double vertices[3 * RANDOM_MESH_VERTICES];
    for (int i = 0; i < TYPES; i++)
        for (int k = 0; k < 50; k++) {
            TnShape small = random_shape(&r, convex_types[i], 0.1, vertices);
            TnShape big = {.type = TN_GEOM_BOX, .size = {2, 2, 0.3}};
            TnTransform place = random_place(&r, 1.5), ground = at(0, 0, -0.3);
            double down[3] = {0, 0, -1};
            place.pos[2] = 0.0;
            place.pos[2] += support_value(&small, &place, down) - 1e-3; /* 1 mm deep */
            TnManifold m;
            REQUIRE(tn_collide(&small, &place, &big, &ground, 0.0, &m));
            REQUIRE(m.count >= 1);
            /* no shape of this size reaches farther from its middle than its three sizes together
             */
            for (int p = 0; p < m.count; p++)
                for (int c = 0; c < 2; c++) CHECK_NEAR(m.points[p].pos[c], place.pos[c], 0.3);
        }
}

TEST(swapping_the_shapes_flips_the_normal_and_keeps_the_points)
{
    Random r = {5};
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < TYPES; j++)
            for (int k = 0; k < 10; k++) {
                double va[3 * RANDOM_MESH_VERTICES], vb[3 * RANDOM_MESH_VERTICES];
                TnShape a = random_shape(&r, convex_types[i], 1.0, va),
                        b = random_shape(&r, convex_types[j], 1.0, vb);
                TnTransform ta = random_place(&r, 0.8), tb = random_place(&r, 0.8);
                TnManifold ab, ba;
                REQUIRE(tn_collide(&a, &ta, &b, &tb, 1.0, &ab));
                REQUIRE(tn_collide(&b, &tb, &a, &ta, 1.0, &ba));
                REQUIRE(ab.count == ba.count);
                for (int p = 0; p < ab.count; p++) {
                    CHECK(memcmp(ab.points[p].pos, ba.points[p].pos, sizeof ab.points[p].pos) == 0);
                    CHECK(ab.points[p].gap == ba.points[p].gap);
                    CHECK(ab.points[p].feature ==
                          (ba.points[p].feature << 16 | ba.points[p].feature >> 16));
                }
                for (int c = 0; c < 3; c++) CHECK(ab.normal[c] == -ba.normal[c]);
            }
}

TEST(exact_touching_is_a_gap_of_zero_for_every_pair)
{
    Random r = {6};
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < TYPES; j++)
            for (int k = 0; k < 6; k++) {
                double va[3 * RANDOM_MESH_VERTICES], vb[3 * RANDOM_MESH_VERTICES];
                TnShape a = random_shape(&r, convex_types[i], 1.0, va),
                        b = random_shape(&r, convex_types[j], 1.0, vb);
                TnTransform ta = random_place(&r, 1.0), tb = random_place(&r, 1.0);
                TnManifold m;
                /* apart first; then b moves along the normal by the gap, and they just touch */
                for (int c = 0; c < 3; c++) tb.pos[c] += 2.5;
                REQUIRE(tn_collide(&a, &ta, &b, &tb, 100.0, &m));
                REQUIRE(m.count > 0);
                double gap = separation(&a, &ta, &b, &tb, m.normal);
                REQUIRE(gap > 0.0);
                for (int c = 0; c < 3; c++) tb.pos[c] -= gap * m.normal[c];
                REQUIRE(tn_collide(&a, &ta, &b, &tb, 1e-6, &m));
                REQUIRE(m.count > 0);
                CHECK_NEAR(lowest_gap(&m), 0.0, 1e-8); /* the direction found before is right to
                                                          1e-6 at worst, its square in the gap */
                /* touching at a corner leaves the normal free, but it must separate them */
                CHECK(separation(&a, &ta, &b, &tb, m.normal) >= -1e-8);
            }
}

TEST(planes_and_height_fields_among_themselves_are_refused)
{
    TnShape plane = {.type = TN_GEOM_PLANE}, field = {.type = TN_GEOM_HEIGHT_FIELD},
            ball = {.type = TN_GEOM_SPHERE, .size = {1}};
    TnTransform t = at(0, 0, 0);
    TnManifold m;
    CHECK(!tn_collide(&plane, &t, &plane, &t, 0.0, &m));
    CHECK(!tn_collide(&plane, &t, &field, &t, 0.0, &m));
    CHECK(!tn_collide(&field, &t, &ball, &t, 0.0, &m));
    CHECK(!tn_collide(&ball, &t, &field, &t, 0.0, &m));
    CHECK(m.count == 0);
}
