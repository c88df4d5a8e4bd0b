/* Faces and edges of soft surfaces against rigid geoms: what nodes do not see. */
#include "soft_scene.h"

static const double HALF[3] = {0.1, 0.06, 0.03};
static const int ONE[3] = {1, 1, 1};

/* One large soft box with its top at z = 0 and a geom on a body of its own. */
static TnGeomId begin(SoftScene *s, double radius, TnGeomType type, double x, double y, double z)
{
    soft_scene_begin(s);
    TnGeomId geom = add_geom(&s->rigid, add_free_body(&s->rigid), type, x, y, z);
    TnSoftDef def = soft_box_def(HALF, ONE, 0, 0, -0.03);
    def.radius = radius;
    add_soft(s, &def);
    CHECK(soft_scene_end(s));
    return geom;
}

static void turn(SoftScene *s, TnGeomId geom, const double axis[3], double angle)
{
    TnTransform t = turned(0, 0, 0, axis, angle);
    memcpy(s->rigid.frames[link_of(&s->rigid, geom)].rot, t.rot, sizeof t.rot);
}

static void check_up(const TnContactPoint *p, double gap, double z)
{
    CHECK_NEAR(p->gap, gap, 1e-12);
    CHECK_NEAR(p->normal[2], 1.0, 1e-12);
    CHECK_NEAR(p->pos[2], z, 1e-12);
}

TEST(a_corner_of_a_box_touches_the_inside_of_a_triangle)
{
    for (int k = 0; k < 2; k++) {
        SoftScene s;
        double radius = 0.001, gap = k ? -0.002 : 0.0005, x[3];
        TnGeomId box = begin(&s, radius, TN_GEOM_BOX, 0.01, 0.01, 0.01);
        /* on its corner: the diagonal upright */
        turn(&s, box, (const double[3]){1, -1, 0}, acos(1 / sqrt(3.0)));
        put(&s.rigid, box, 0.02, 0.01, radius + gap + 0.01 * sqrt(3.0));
        TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
        CHECK(list.count == 1);
        if (list.count == 1) {
            check_up(&list.points[0], gap, radius + 0.5 * gap);
            soft_point_at(&s, &list, list.points[0].soft1, x);
            CHECK_NEAR(x[0], 0.02, 1e-12);
            CHECK_NEAR(x[1], 0.01, 1e-12);
            CHECK(list.soft_points[0].count == 3 && list.soft_points[0].triangle >= 0);
        }
        soft_scene_free(&s);
    }
}

TEST(a_box_lies_on_a_triangle_with_four_corners)
{
    SoftScene s;
    TnGeomId box = begin(&s, 0.0, TN_GEOM_BOX, 0.01, 0.01, 0.01);
    put(&s.rigid, box, 0.003, 0.002, 0.0095); /* across the diagonal between two triangles */
    TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
    int corners = 0;
    for (int i = 0; i < list.count; i++) {
        check_up(&list.points[i], -0.0005, -0.00025);
        corners += list.points[i].feature >> 30 == 1;
    }
    CHECK(corners == 4);
    soft_scene_free(&s);
}

TEST(a_small_sphere_keeps_its_contact_as_it_rolls_from_triangle_to_triangle)
{
    SoftScene s;
    TnGeomId ball = begin(&s, 0.0, TN_GEOM_SPHERE, 0.005, 0, 0);
    for (int i = -20; i <= 20; i++) {
        put(&s.rigid, ball, 0.001 * i + 0.0003, 0.004, 0.0049);
        TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
        CHECK(list.count == 1);
        check_up(&list.points[0], -0.0001, -0.00005);
        CHECK(list.points[0].feature == 1u << 30);
    }
    soft_scene_free(&s);
}

TEST(a_capsule_lies_across_a_triangle_with_both_ends)
{
    SoftScene s;
    TnGeomId rod = begin(&s, 0.0, TN_GEOM_CAPSULE, 0.002, 0.01, 0);
    turn(&s, rod, (const double[3]){0, 1, 0}, 0.5 * M_PI);
    put(&s.rigid, rod, 0.04, 0.01, 0.0019);
    TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
    int ends = 0;
    for (int i = 0; i < list.count; i++) {
        check_up(&list.points[i], -0.0001, -0.00005);
        ends += fabs(fabs(list.points[i].pos[0] - 0.04) - 0.01) < 1e-9;
    }
    CHECK(ends == 2);
    soft_scene_free(&s);
}

TEST(an_edge_touches_across_an_edge)
{
    const double gaps[3] = {0.0005, 0.0, -0.002};
    for (int k = 0; k < 3; k++) {
        SoftScene s;
        TnGeomId box = begin(&s, 0.001, TN_GEOM_BOX, 0.02, 0.01, 0.01);
        /* the soft edge runs along y at x = 0.1, z = 0; the box's crosses it, diagonals along n */
        const double r = sqrt(0.5), n[3] = {r, 0, r}, along[3] = {r, 0, -r};
        double *rot = s.rigid.frames[link_of(&s.rigid, box)].rot, x[3];
        double columns[3][3] = {
            {along[0], along[1], along[2]}, {n[0] * r, r, n[2] * r}, {n[0] * r, -r, n[2] * r}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) rot[3 * i + j] = columns[j][i];
        double away = 0.001 + gaps[k] + 0.01 * sqrt(2.0);
        put(&s.rigid, box, 0.1 + away * n[0], 0.013, away * n[2]);
        TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
        CHECK(list.count == 1);
        if (list.count == 1) {
            const TnContactPoint *p = &list.points[0];
            CHECK_NEAR(p->gap, gaps[k], 1e-12);
            CHECK(dot3(p->normal, n) > 1.0 - 1e-12);
            soft_point_at(&s, &list, p->soft1, x);
            CHECK_NEAR(x[1], 0.013, 1e-12);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(p->pos[i], x[i] + n[i] * (0.001 + 0.5 * gaps[k]), 1e-12);
            CHECK(list.soft_points[0].count == 2 && p->feature >> 30 == 2);
        }
        soft_scene_free(&s);
    }
}

/* Sheet of 4 mm between plates of 4 mm, both pressed 3 mm in: beyond their middle, where the other
 * side is nearer. */
TEST(a_thin_sheet_between_thin_plates_is_pushed_out_at_the_right_sides)
{
    const TnGeomType types[] = {TN_GEOM_BOX, TN_GEOM_CYLINDER};
    for (int k = 0; k < 2; k++) {
        SoftScene s;
        soft_scene_begin(&s);
        double x = k ? 0.3 : 0.2, y = k ? 0.002 : 0.2;
        TnGeomId plates[2];
        for (int i = 0; i < 2; i++)
            plates[i] = add_geom(&s.rigid, add_free_body(&s.rigid), types[k], x, y, 0.002);
        add_soft_box(&s, (const double[3]){0.1, 0.1, 0.002}, (const int[3]){8, 8, 1}, 0, 0, 0);
        REQUIRE(soft_scene_end(&s));
        put(&s.rigid, plates[0], 0, 0, 0.001);
        put(&s.rigid, plates[1], 0, 0, -0.001);
        TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
        int sides[2] = {0, 0};
        for (int i = 0; i < list.count; i++) {
            const TnContactPoint *p = &list.points[i];
            if (p->soft1 < 0) continue;
            double at[3];
            soft_point_at(&s, &list, p->soft1, at);
            /* inner nodes of a side: those at the rim also look sideways */
            if (fabs(at[0]) > 0.09 || fabs(at[1]) > 0.09) continue;
            bool upper = p->geom2 == (int)plates[0] - 1;
            /* each side against the plate that it has run into, not the one behind the sheet */
            if (upper != (at[2] > 0.0)) continue;
            sides[upper]++;
            CHECK_NEAR(p->normal[2], upper ? 1.0 : -1.0, 1e-12);
            CHECK_NEAR(p->gap, -0.003, 1e-12);
        }
        CHECK(sides[0] == 49 && sides[1] == 49);
        soft_scene_free(&s);
    }
}

TEST(a_fast_sphere_is_listed_where_it_can_arrive_within_the_step)
{
    SoftScene s;
    TnGeomId ball = begin(&s, 0.0, TN_GEOM_SPHERE, 0.005, 0, 0);
    put(&s.rigid, ball, 0.02, 0.01, 0.5);
    int link = link_of(&s.rigid, ball);
    s.rigid.twists[link][2] = -50.0;
    CHECK(soft_detect(&s, 0.01, 0.0, NULL).count == 1); /* 0.495 m in 10 ms */
    s.rigid.twists[link][2] = -49.0;
    CHECK(soft_detect(&s, 0.01, 0.0, NULL).count == 0);
    for (int i = 0; i < s.rigid.model->softs[0].node_count; i++)
        soft_node_velocity(&s, 0, i)[2] = 0.6; /* towards it */
    CHECK(soft_detect(&s, 0.01, 0.0, NULL).count == 1);
    s.rigid.twists[link][2] = 49.0;
    CHECK(soft_detect(&s, 0.01, 0.0, NULL).count == 0);
    soft_scene_free(&s);
}

/* On a fine mesh a large sphere's contacts are the nodes', and the face under it adds less than
 * SHARE. */
TEST(a_large_sphere_on_a_fine_mesh_is_carried_by_nodes)
{
    SoftScene s;
    soft_scene_begin(&s);
    TnGeomId ball = add_geom(&s.rigid, add_free_body(&s.rigid), TN_GEOM_SPHERE, 0.2, 0, 0);
    add_soft_box(&s, HALF, (const int[3]){20, 12, 6}, 0, 0, -0.03);
    REQUIRE(soft_scene_end(&s));
    put(&s.rigid, ball, 0.0021, 0.0013, 0.199);
    TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
    CHECK(list.count >= 9);
    for (int i = 0; i < list.count; i++) CHECK(list.soft_points[list.points[i].soft1].count == 1);
    soft_scene_free(&s);
}

/* Its lower corners are 5 mm below the top, and a micrometre inside of the side: they came in
 * there. */
TEST(a_box_that_grazes_a_side_is_not_below_the_top)
{
    SoftScene s;
    TnGeomId box = begin(&s, 0.0, TN_GEOM_BOX, 0.02, 0.02, 0.02);
    put(&s.rigid, box, 0.013, 0.08 - 1e-6, 0.015);
    TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
    for (int i = 0; i < list.count; i++) CHECK(list.points[i].gap > -2e-6);
    soft_scene_free(&s);
}

/* Spheres of falling radius that touch the nodes beside an edge of 10 mm sink in between them, by
 * up to 1.3 mm. The edge's contact comes in open, where a threshold alone would have it at once by
 * 5 % of its length. */
TEST(facets_join_in_without_a_jump)
{
    double last = 0.0;
    for (double radius = 0.2; radius > 0.01; radius *= 0.98) {
        SoftScene s;
        double deepest = 0.0;
        soft_scene_begin(&s);
        TnGeomId ball = add_geom(&s.rigid, add_free_body(&s.rigid), TN_GEOM_SPHERE, radius, 0, 0);
        add_soft_box(&s, HALF, (const int[3]){20, 12, 6}, 0, 0, -0.03);
        if (!soft_scene_end(&s)) break;
        put(&s.rigid, ball, 0.005, 0, sqrt(radius * radius - 0.005 * 0.005));
        TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
        for (int i = 0; i < list.count; i++) deepest = fmin(deepest, list.points[i].gap);
        CHECK_NEAR(deepest, last, 1e-4); /* a fifth of the threshold; 2 % of the radius at a time */
        last = deepest;
        soft_scene_free(&s);
    }
    CHECK(last < -1e-3); /* all of it counts in the end */
}
