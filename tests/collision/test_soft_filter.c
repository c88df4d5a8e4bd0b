/* Which soft surfaces meet what, with what parameters; memory. */
#include "soft_scene.h"

static const double HALF[3] = {0.05, 0.05, 0.05};
static const int CELLS[3] = {2, 2, 2};

/* A soft box in the middle of a rigid one's top face, both overlapping by 1 mm: nine nodes touch.
 */
typedef struct Setup {
    TnSoftDef soft;
    TnGeomDef block;
} Setup;

static Setup setup(void)
{
    Setup u = {soft_box_def(HALF, CELLS, 0, 0, 0.049),
               geom_def(TN_BODY_WORLD, TN_GEOM_BOX, 1, 1, 1)};
    u.block.pos[2] = -1.0;
    return u;
}

static TnGeomId build(SoftScene *s, Setup *u)
{
    soft_scene_begin(s);
    TnGeomId block = tn_builder_add_geom(s->rigid.builder, &u->block);
    add_soft(s, &u->soft);
    return block;
}

TEST(masks_decide_who_meets)
{
    const int masks[][4] = {{1, 0, 0, 1}, {0, 1, 1, 0}, {1, 1, 2, 2}, {1, 2, 2, 0}, {0, 0, 0, 0}};
    const int expected[] = {9, 9, 0, 9, 0};
    for (int k = 0; k < 5; k++) {
        SoftScene s;
        Setup u = setup();
        u.soft.contact_type = masks[k][0], u.soft.contact_affinity = masks[k][1];
        u.block.contact_type = masks[k][2], u.block.contact_affinity = masks[k][3];
        build(&s, &u);
        REQUIRE(soft_scene_end(&s));
        CHECK(soft_detect(&s, 0.01, 0.0, NULL).count == expected[k]);
        soft_scene_free(&s);
    }
}

TEST(friction_and_margin_are_mixed_as_for_rigid_geoms)
{
    for (int k = 0; k < 3; k++) { /* equal priority, the soft body's higher, the block's higher */
        SoftScene s;
        Setup u = setup();
        u.soft.friction[0] = 0.2;
        u.block.friction[0] = 0.6;
        u.soft.contact_dim = 1;
        u.block.contact_dim = 6; /* torsion is not for soft surfaces */
        u.soft.restitution = 0.1;
        u.block.restitution = 0.3;
        u.soft.priority = k == 1;
        u.block.priority = k == 2;
        u.block.margin = 0.06; /* reaches the layer at 0.049 */
        build(&s, &u);
        REQUIRE(soft_scene_end(&s));
        TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
        CHECK(list.count == 17); /* and eight around the middle */
        for (int i = 0; i < list.count; i++) {
            CHECK(list.points[i].friction[0] == (k == 1 ? 0.2 : 0.6));
            CHECK(list.points[i].dim == (k == 1 ? 1 : 3));
            CHECK(list.points[i].restitution == 0.3);
        }
        soft_scene_free(&s);
    }
}

TEST(an_exclude_of_the_world_holds_for_soft_bodies)
{
    SoftScene s;
    Setup u = setup();
    soft_scene_begin(&s);
    u.block.body = add_free_body(&s.rigid);
    u.block.pos[2] = 0.0;
    TnGeomId block = tn_builder_add_geom(s.rigid.builder, &u.block);
    add_soft(&s, &u.soft);
    tn_builder_add_exclude(s.rigid.builder, TN_BODY_WORLD, u.block.body, (TnSource){0});
    REQUIRE(soft_scene_end(&s));
    put(&s.rigid, block, 0, 0, -1);
    CHECK(soft_detect(&s, 0.01, 0.0, NULL).count == 0);
    soft_scene_free(&s);
}

TEST(tied_nodes_do_not_touch_what_they_are_tied_to)
{
    for (int k = 0; k < 2; k++) {
        SoftScene s;
        soft_scene_begin(&s);
        TnTieDef tie = tn_tie_def();
        TnSoftDef small = soft_box_def((const double[3]){0.01, 0.01, 0.01}, (const int[3]){1, 1, 1},
                                       0.011, 0.007, 0.01);
        int nodes[4], count = 0;
        for (int i = 0; i < small.mesh.node_count; i++)
            if (small.mesh.nodes[3 * i + 2] < 0.0) nodes[count++] = i;
        CHECK(count == 4);
        tie.soft1 = add_soft(&s, &small);
        tie.soft2 = add_soft_box(&s, HALF, (const int[3]){1, 1, 1}, 0, 0, -0.05);
        for (int i = 0; i < 4 && k; i++) {
            tie.node = nodes[i];
            tn_builder_add_tie(s.rigid.builder, &tie);
        }
        REQUIRE(soft_scene_end(&s));
        CHECK(soft_detect(&s, 0.01, 1e-4, NULL).count == (k ? 0 : 4));
        soft_scene_free(&s);
    }
}

TEST(a_box_given_as_a_mesh_is_touched_as_the_box_is)
{
    Random r = {5};
    SoftScene s[2];
    double vertices[24];
    const double half[3] = {0.02, 0.03, 0.025};
    TnGeomId geom = 0;
    for (int k = 0; k < 2; k++) {
        soft_scene_begin(&s[k]);
        TnGeomDef g = geom_def(add_free_body(&s[k].rigid), k ? TN_GEOM_MESH : TN_GEOM_BOX, half[0],
                               half[1], half[2]);
        if (k) {
            TnMeshDef mesh = tn_mesh_def();
            TnShape shape = box_mesh(half, vertices);
            mesh.vertices = shape.mesh_vertices;
            mesh.vertex_count = shape.mesh_vertex_count;
            g.mesh = tn_builder_add_mesh(s[k].rigid.builder, &mesh);
        }
        geom = tn_builder_add_geom(s[k].rigid.builder, &g);
        add_soft_box(&s[k], HALF, (const int[3]){3, 3, 3}, 0, 0, 0);
        REQUIRE(soft_scene_end(&s[k]));
    }
    int seen = 0;
    for (int trial = 0; trial < 60; trial++) {
        Random again = r;
        TnContactList list[2];
        for (int k = 0; k < 2; k++) {
            r = again;
            put_random(&s[k].rigid, link_of(&s[k].rigid, geom), 0.07, 0.0, &r);
            list[k] = soft_detect(&s[k], 0.01, 0.01, NULL);
        }
        /* nodes outside are the same; inside, a box chooses among its faces by the surface's
         * normal, and faces and edges are looked at with the corners in another order */
        int outside[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < list[k].count; i++)
                outside[k] += list[k].soft_points[i].count == 1 && list[k].points[i].gap > 1e-9;
        CHECK(outside[0] == outside[1]);
        seen += outside[0];
    }
    CHECK(seen > 10);
    for (int k = 0; k < 2; k++) soft_scene_free(&s[k]);
}

TEST(running_out_of_memory_is_reported_and_leaks_nothing)
{
    SoftScene s;
    Setup u = setup();
    u.soft.self_contact = true;
    build(&s, &u);
    REQUIRE(soft_scene_end(&s));
    int failures = 0;
    for (long k = 0;; k++) {
        tn_malloc_fail_after(k);
        TnCollider *c = tn_collider_create(s.rigid.model);
        tn_malloc_fail_after(-1);
        tn_collider_destroy(c);
        if (c) break;
        failures++;
    }
    CHECK(failures >= 5);
    TnArena tiny;
    CHECK(tn_arena_init(&tiny, "tiny", 64));
    for (long k = 0; k < 2; k++) {
        TnContactList list;
        tn_malloc_fail_after(k);
        TnMotionInput motion = soft_motion(&s, 0.01, 0.0);
        bool ok = tn_collision_detect(s.rigid.collider, &motion, &tiny, NULL, &list);
        tn_malloc_fail_after(-1);
        CHECK(!ok && list.count == 0);
    }
    tn_arena_free(&tiny);
    soft_scene_free(&s);
}

/* More points than the list has room for at first: found in a second pass, and none after that. */
TEST(a_warm_detection_asks_for_no_memory)
{
    SoftScene s;
    soft_scene_begin(&s);
    add_geom(&s.rigid, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    add_soft_box(&s, (const double[3]){0.2, 0.2, 0.001}, (const int[3]){20, 20, 1}, 0, 0, 0);
    REQUIRE(soft_scene_end(&s));
    CHECK(soft_detect(&s, 0.01, 0.01, NULL).count == 882);
    CHECK(soft_detect(&s, 0.01, 0.01, NULL).count == 882);
    long calls = tn_malloc_count();
    CHECK(soft_detect(&s, 0.01, 0.01, NULL).count == 882);
    CHECK(tn_malloc_count() == calls);
    soft_scene_free(&s);
}
