/* Defaults, copies, want of memory, and size. */
#include "scene.h"

TEST(defaults_are_those_of_the_header)
{
    TnOption o = tn_option();
    CHECK(o.timestep == 0.01 && o.gravity[2] == -9.81 && o.theta == 0.5 && o.tree_passes == 20 &&
          o.stabilization == 0.2);
    TnGeomDef g = tn_geom_def();
    CHECK(g.type == TN_GEOM_SPHERE && g.density == 1000.0 && g.mass < 0.0 && g.contact_dim == 3 &&
          g.quat[0] == 1.0);
    CHECK(g.friction[0] == 1.0 && g.friction[1] == 0.005 && g.friction[2] == 0.0001 &&
          g.contact_type == 1);
    CHECK(tn_body_def().parent == TN_BODY_WORLD && tn_body_def().quat[0] == 1.0);
    CHECK(tn_joint_def().type == TN_JOINT_HINGE && tn_joint_def().axis[2] == 1.0);
    CHECK(tn_actuator_def().gear == 1.0 && tn_actuator_def().gain == 1.0);
    CHECK(tn_equality_def().active && tn_equality_def().polycoef[1] == 1.0 &&
          tn_track_def().loop_from == -1);
    CHECK(tn_pair_def().contact_dim == 3 && tn_pair_def().friction[0] == 1.0);
}

TEST(ids_count_from_one_in_adding_order)
{
    TnModelBuilder *b = tn_builder_create();
    for (int i = 2; i < 40; i++) CHECK(add_body(b, NULL, TN_BODY_WORLD, 0, 0, 0) == i);
    for (int i = 1; i < 40; i++) CHECK(add_ball(b, NULL, i, 0.1) == i);
    tn_builder_destroy(b);
}

TEST(builder_keeps_copies_of_what_it_was_given)
{
    char name[] = "ball";
    double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t triangle[3] = {0, 1, 2};
    TnModelBuilder *b = tn_builder_create();
    TnGeomDef def = tn_geom_def();
    def.name = name;
    def.type = TN_GEOM_MESH;
    def.mesh = 1;
    tn_builder_add_geom(b, &def);
    TnMeshDef mesh = tn_mesh_def();
    mesh.name = name;
    mesh.vertices = vertices;
    mesh.vertex_count = 4;
    mesh.triangles = triangle;
    mesh.triangle_count = 1;
    tn_builder_add_mesh(b, &mesh);
    memset(name, 'x', 4);
    vertices[3] = 77.0;
    triangle[1] = 99;
    TnModel *m = compile(b);
    REQUIRE(m);
    TnMeshInfo info = tn_model_mesh_info(m, 1);
    CHECK(tn_model_find_geom(m, "ball") == 1 && strcmp(info.name, "ball") == 0);
    CHECK(info.vertex_count == 4 && info.vertices[3] == 1.0);
    CHECK(info.triangle_count == 1 && info.triangles[1] == 1);
    tn_model_destroy(m);
}

TEST(large_meshes_and_long_names_do_not_disturb_each_other)
{
    /* Larger than a block of the builder's store, so that each gets one of its own. */
    enum { COUNT = 20000 };
    double *vertices = malloc(3 * COUNT * sizeof *vertices);
    REQUIRE(vertices);
    for (int i = 0; i < 3 * COUNT; i++) vertices[i] = i % 7 + i % 11 * (i % 3);
    TnModelBuilder *b = tn_builder_create();
    char name[32];
    for (int i = 0; i < 3; i++) {
        TnGeomDef def = tn_geom_def();
        snprintf(name, sizeof name, "shell %d", i);
        def.name = name;
        def.type = TN_GEOM_MESH;
        def.mesh = add_points(b, name, vertices, COUNT - i);
        tn_builder_add_geom(b, &def);
        snprintf(name, sizeof name, "ball %d", i);
        add_ball(b, name, TN_BODY_WORLD, 0.1);
    }
    TnModel *m = compile(b);
    REQUIRE(m);
    for (int i = 0; i < 3; i++) {
        TnMeshInfo info = tn_model_mesh_info(m, tn_model_geom_info(m, 2 * i + 1).mesh);
        CHECK(info.vertex_count == COUNT - i);
        CHECK(memcmp(info.vertices, vertices, 3 * (size_t)(COUNT - i) * sizeof *vertices) == 0);
    }
    CHECK(tn_model_find_geom(m, "ball 2") == 6);
    tn_model_destroy(m);
    free(vertices);
}

TEST(null_builder_is_taken_for_want_of_memory)
{
    TnError err = {0};
    CHECK(add_body(NULL, "x", 1, 0, 0, 0) == 0 && add_ball(NULL, "x", 1, 0.1) == 0);
    tn_builder_set_name(NULL, "x");
    CHECK(!tn_builder_compile(NULL, &err) && err.code == TN_ERROR_MEMORY);
    tn_builder_destroy(NULL);
}

/* The whole of building and compiling, as one call that may run out of memory anywhere. */
static TnModel *build_scene(TnError *err)
{
    Scene s;
    scene_init(&s);
    TnModelBuilder *b = scene_build(&s);
    TnModel *m = tn_builder_compile(b, err);
    tn_builder_destroy(b);
    return m;
}

TEST(every_failing_allocation_is_an_error_and_leaks_nothing)
{
    TnError err = {0};
    long before = tn_malloc_count();
    TnModel *m = build_scene(&err);
    long calls = tn_malloc_count() - before;
    REQUIRE(m);
    tn_model_destroy(m);
    CHECK(calls > 10);
    for (long k = 0; k < calls; k++) {
        err = (TnError){0};
        tn_malloc_fail_after(k);
        m = build_scene(&err);
        tn_malloc_fail_after(-1);
        CHECK(!m && err.code == TN_ERROR_MEMORY && err.count == 1);
        CHECK_STR(err.message, "no memory");
        tn_model_destroy(m);
    }
}

TEST(builder_that_ran_out_of_memory_never_compiles)
{
    TnModelBuilder *b = tn_builder_create();
    tn_malloc_fail_after(0);
    CHECK(add_ball(b, "lost", TN_BODY_WORLD, 0.1) == 0);
    tn_malloc_fail_after(-1);
    add_ball(b, "kept", TN_BODY_WORLD, 0.1);
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err) && err.code == TN_ERROR_MEMORY);
    tn_builder_destroy(b);
}

TEST(hundred_thousand_bodies_compile)
{
    enum { COUNT = 100000 };
    TnModelBuilder *b = tn_builder_create();
    char name[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "body_%d", i);
        TnBodyId body = add_body(b, name, TN_BODY_WORLD, i, 0, 0);
        snprintf(name, sizeof name, "joint_%d", i);
        add_joint(b, name, body, TN_JOINT_FREE);
        snprintf(name, sizeof name, "geom_%d", i);
        add_ball(b, name, body, 0.1);
        if (i) tn_builder_add_exclude(b, body, body - 1, (TnSource){0});
    }
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->rigid_count == COUNT && m->qpos_count == 7 * COUNT && m->dof_count == 6 * COUNT);
    for (int i = 0; i < COUNT; i += 997) {
        snprintf(name, sizeof name, "body_%d", i);
        CHECK(tn_model_find_body(m, name) == i + 2);
        snprintf(name, sizeof name, "geom_%d", i);
        CHECK(tn_model_find_geom(m, name) == i + 1);
        CHECK(m->qpos0[7 * i] == i);
        if (i)
            CHECK(!tn_model_bodies_collide(m, i + 1, i) &&
                  tn_model_bodies_collide(m, i + 1, i - 1));
    }
    tn_model_destroy(m);
}

TEST(long_chain_is_one_tree)
{
    enum { COUNT = 20000 };
    TnModelBuilder *b = tn_builder_create();
    TnBodyId body = TN_BODY_WORLD;
    for (int i = 0; i < COUNT; i++) body = add_link(b, NULL, body, TN_JOINT_HINGE);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->subsystem_count == 1 && m->subsystems[0].link_count == COUNT &&
          m->dof_parent[COUNT - 1] == COUNT - 2);
    tn_model_destroy(m);
}
