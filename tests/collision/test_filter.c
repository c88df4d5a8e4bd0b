/* Which pairs collide, and with what parameters. */
#include "scene.h"

static int count_pair(const TnContactList *list, TnGeomId a, TnGeomId b)
{
    int n = 0;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        n += (p->geom1 == a - 1 && p->geom2 == b - 1) || (p->geom1 == b - 1 && p->geom2 == a - 1);
    }
    return n;
}

/* All geoms are unit spheres at the origin unless put elsewhere, so all pairs overlap. */
static TnGeomId ball(Scene *s, TnBodyId body, int type, int affinity)
{
    TnGeomDef g = geom_def(body, TN_GEOM_SPHERE, 1, 0, 0);
    g.contact_type = type;
    g.contact_affinity = affinity;
    return tn_builder_add_geom(s->builder, &g);
}

TEST(a_pair_collides_when_the_masks_meet_in_either_order)
{
    Scene s;
    scene_begin(&s);
    TnGeomId a = ball(&s, add_free_body(&s), 1, 2), b = ball(&s, add_free_body(&s), 2, 4),
             c = ball(&s, add_free_body(&s), 4, 8);
    TnGeomId none = ball(&s, add_free_body(&s), 0, 0),
             high = ball(&s, add_free_body(&s), 1 << 30, 1 << 30);
    REQUIRE(scene_end(&s));
    TnContactList list = detect(&s, 0.01, 0.0, NULL);
    CHECK(count_pair(&list, a, b) == 1); /* b's type 2 & a's affinity 2 */
    CHECK(count_pair(&list, b, c) == 1);
    CHECK(count_pair(&list, a, c) == 0);
    CHECK(count_pair(&list, a, none) == 0);
    CHECK(count_pair(&list, a, high) == 0);
    CHECK(list.count == 2);
    scene_free(&s);
}

TEST(a_link_does_not_hit_its_parent_but_its_grandparent_and_the_world)
{
    Scene s;
    scene_begin(&s);
    TnGeomId ground = ball(&s, TN_BODY_WORLD, 1, 1);
    TnBodyId b1 = add_hinged_body(&s, TN_BODY_WORLD), b2 = add_hinged_body(&s, b1),
             b3 = add_hinged_body(&s, b2);
    TnGeomId g1 = ball(&s, b1, 1, 1), g1b = ball(&s, b1, 1, 1), g2 = ball(&s, b2, 1, 1);
    TnGeomDef beside = geom_def(b3, TN_GEOM_SPHERE, 1, 0, 0);
    beside.pos[0] = 1.95; /* deeper ones are built like that: step/test_self_overlap.c */
    TnGeomId g3 = tn_builder_add_geom(s.builder, &beside);
    REQUIRE(scene_end(&s));
    TnContactList list = detect(&s, 0.01, 0.0, NULL);
    CHECK(count_pair(&list, g1, g2) == 0);
    CHECK(count_pair(&list, g2, g3) == 0);
    CHECK(count_pair(&list, g1, g1b) == 0);
    CHECK(count_pair(&list, g1, g3) == 1);
    CHECK(count_pair(&list, ground, g1) == 1);
    CHECK(count_pair(&list, ground, g2) == 1);
    scene_free(&s);
}

TEST(excluded_bodies_do_not_collide_and_others_do)
{
    Scene s;
    scene_begin(&s);
    TnBodyId b1 = add_free_body(&s), b2 = add_free_body(&s), b3 = add_free_body(&s);
    TnGeomId g1 = ball(&s, b1, 1, 1), g2 = ball(&s, b2, 1, 1), g3 = ball(&s, b3, 1, 1),
             ground = ball(&s, TN_BODY_WORLD, 1, 1);
    tn_builder_add_exclude(s.builder, b2, b1, (TnSource){0});
    tn_builder_add_exclude(s.builder, TN_BODY_WORLD, b3, (TnSource){0});
    REQUIRE(scene_end(&s));
    TnContactList list = detect(&s, 0.01, 0.0, NULL);
    CHECK(count_pair(&list, g1, g2) == 0);
    CHECK(count_pair(&list, g1, g3) == 1);
    CHECK(count_pair(&list, g2, g3) == 1);
    CHECK(count_pair(&list, g3, ground) == 0);
    CHECK(count_pair(&list, g1, ground) == 1);
    scene_free(&s);
}

TEST(an_explicit_pair_collides_whatever_masks_and_parents_say_with_its_own_parameters)
{
    Scene s;
    scene_begin(&s);
    TnBodyId b1 = add_hinged_body(&s, TN_BODY_WORLD), b2 = add_hinged_body(&s, b1);
    TnGeomId g1 = ball(&s, b1, 0, 0), g2 = ball(&s, b2, 0, 0),
             g3 = ball(&s, add_free_body(&s), 1, 1);
    TnPairDef pair = tn_pair_def();
    pair.geom1 = g2;
    pair.geom2 = g1;
    pair.contact_dim = 4;
    pair.friction[0] = 0.3;
    pair.friction[1] = 0.02;
    pair.friction[2] = 0.001;
    pair.restitution = 0.7;
    pair.margin = 0.5;
    tn_builder_add_pair(s.builder, &pair);
    REQUIRE(scene_end(&s));
    put(&s, g2, 2.4, 0, 0); /* a gap of 0.4, within the pair's margin alone */
    put(&s, g3, 1.0, 0, 0);
    TnContactList list = detect(&s, 0.01, 0.0, NULL);
    CHECK(count_pair(&list, g1, g3) == 0);
    REQUIRE(count_pair(&list, g1, g2) == 1 && list.count == 1);
    const TnContactPoint *p = &list.points[0];
    CHECK(p->dim == 4);
    CHECK(p->friction[0] == 0.3 && p->friction[1] == 0.02 && p->friction[2] == 0.001);
    CHECK(p->restitution == 0.7);
    CHECK_NEAR(p->gap, 0.4 - 0.5, 1e-15); /* rounding */
    put(&s, g2, 2.6, 0, 0);
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 0);
    scene_free(&s);
}

TEST(parameters_come_from_the_higher_priority_else_the_larger)
{
    Scene s;
    scene_begin(&s);
    TnGeomDef g[3];
    TnGeomId id[3];
    const double friction[3] = {0.9, 0.5, 0.1};
    const int dims[3] = {3, 6, 1}, priorities[3] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        g[i] = geom_def(add_free_body(&s), TN_GEOM_SPHERE, 1, 0, 0);
        g[i].contact_dim = dims[i];
        g[i].friction[0] = friction[i];
        g[i].friction[1] = 0.01 * (i + 1);
        g[i].restitution = 0.2 * i;
        g[i].margin = 0.1 * i;
        g[i].priority = priorities[i];
        id[i] = tn_builder_add_geom(s.builder, &g[i]);
    }
    REQUIRE(scene_end(&s));
    TnContactList list = detect(&s, 0.01, 0.0, NULL);
    REQUIRE(list.count == 3);
    for (int i = 0; i < list.count; i++) {
        const TnContactPoint *p = &list.points[i];
        bool with_third = p->geom1 == id[2] - 1 || p->geom2 == id[2] - 1;
        CHECK(p->dim == (with_third ? 1 : 6));
        CHECK(p->friction[0] == (with_third ? 0.1 : 0.9));
        CHECK(p->friction[1] == (with_third ? 0.01 * 3 : 0.01 * 2));
        CHECK(p->restitution == (with_third ? 0.4 : 0.2));
    }
    /* margins add up: 0.1 + 0.2 for the last two */
    put(&s, id[0], 50, 0, 0);
    put(&s, id[2], -2.29, 0, 0);
    list = detect(&s, 0.01, 0.0, NULL);
    REQUIRE(list.count == 1);
    CHECK_NEAR(list.points[0].gap, 0.29 - 0.3, 1e-12); /* rounding */
    put(&s, id[2], -2.31, 0, 0);
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 0);
    scene_free(&s);
}

TEST(a_pair_is_listed_when_it_approaches_fast_enough_to_touch)
{
    Scene s;
    scene_begin(&s);
    TnGeomId a = ball(&s, add_free_body(&s), 1, 1), b = ball(&s, add_free_body(&s), 1, 1);
    REQUIRE(scene_end(&s));
    put(&s, b, 2.05, 0, 0); /* gap 0.05 */
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 0);
    CHECK(detect(&s, 0.01, 0.051, NULL).count == 1);
    s.twists[link_of(&s, b)][0] = -5.1; /* closes 0.051 in a step */
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 1);
    s.twists[link_of(&s, b)][0] = -4.9;
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 0);
    s.twists[link_of(&s, a)][0] = 0.3; /* together 5.2 */
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 1);
    s.twists[link_of(&s, b)][0] = 5.1; /* leaving */
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 0);
    scene_free(&s);
}

TEST(turning_brings_a_far_end_into_contact)
{
    Scene s;
    scene_begin(&s);
    add_geom(&s, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    TnGeomId rod = add_geom(&s, add_free_body(&s), TN_GEOM_CAPSULE, 0.1, 1.0, 0);
    REQUIRE(scene_end(&s));
    TnLinkFrame *f = &s.frames[link_of(&s, rod)];
    TnTransform lying =
        turned(0, 0, 0.15, (double[3]){0, 1, 0}, 1.5707963267948966); /* along x, gap 0.05 */
    memcpy(f->rot, lying.rot, sizeof lying.rot);
    put(&s, rod, 0, 0, 0.15);
    CHECK(detect(&s, 0.01, 0.0, NULL).count == 0);
    s.twists[link_of(&s, rod)][4] = 6.0; /* about y: the end at +x goes down at 6 m/s */
    TnContactList list = detect(&s, 0.01, 0.0, NULL);
    REQUIRE(list.count == 1);
    /* as they meet: turned by asin 0.05, to within the share of the radius that counts as touching
     */
    double angle = asin(0.05), arm = cos(angle);
    CHECK_NEAR(list.points[0].pos[0], arm, 1e-4);
    CHECK_NEAR(list.points[0].gap, angle * arm, 1e-4);
    CHECK_NEAR(list.points[0].time, angle / 6.0, 1e-4 / 6.0);
    scene_free(&s);
}
