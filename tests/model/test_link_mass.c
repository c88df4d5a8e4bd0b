/* Mass properties of links: inertials, geoms, and bodies that are fixed to each other. */
#include "build.h"

#include "model/mesh/inertia.h"

TEST(density_and_mass_give_the_same_ball)
{
    for (int by_mass = 0; by_mass < 2; by_mass++) {
        TnModelBuilder *b = tn_builder_create();
        TnBodyId body = add_body(b, NULL, TN_BODY_WORLD, 0, 0, 0);
        add_joint(b, NULL, body, TN_JOINT_FREE);
        TnGeomDef ball = tn_geom_def();
        ball.body = body;
        ball.size[0] = 0.5;
        v3_set(ball.pos, 1.0, 2.0, 3.0);
        double mass = 2000.0 * 4.0 / 3.0 * M_PI * 0.125;
        ball.density = 2000.0;
        if (by_mass) {
            ball.mass = mass;
            ball.density = 7.0; /* not used */
        }
        tn_builder_add_geom(b, &ball);
        TnModel *m = compile(b);
        REQUIRE(m);
        const TnLink *link = &m->links[1];
        /* One multiplication apart: an ulp of 1047. */
        CHECK_NEAR(link->mass, mass, 1e-12);
        CHECK_NEAR(m->total_mass, mass, 1e-12);
        CHECK(link->com[0] == 1.0 && link->com[1] == 2.0 && link->com[2] == 3.0);
        for (int k = 0; k < 3; k++) CHECK_NEAR(link->inertia[4 * k], 0.4 * mass * 0.25, 1e-12);
        tn_model_destroy(m);
    }
}

TEST(fixed_bodies_merge_as_computed_by_hand)
{
    /* A dumb-bell: 1 kg at the origin of the link, 3 kg on a fixed arm of a fixed body, turned by a
     * quarter about z. */
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef def = tn_body_def();
    def.has_inertia = true;
    def.mass = 1.0;
    v3_set(def.inertia, 0.1, 0.2, 0.25);
    TnBodyId base = tn_builder_add_body(b, &def);
    add_joint(b, NULL, base, TN_JOINT_HINGE);
    TnBodyDef arm = tn_body_def();
    arm.parent = base;
    v3_set(arm.pos, 0.0, 2.0, 0.0);
    arm.quat[0] = arm.quat[3] = 1.0; /* normalized by compile */
    TnBodyId arm_id = tn_builder_add_body(b, &arm);
    TnBodyDef tip = def;
    tip.parent = arm_id;
    tip.mass = 3.0;
    v3_set(tip.pos, 2.0, 0.0, 0.0); /* the arm's x is the base's y: at (0, 4, 0) */
    v3_set(tip.inertia_pos, 0.0, 0.0, 1.0);
    tn_builder_add_body(b, &tip);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->link_count == 2 && m->bodies[2].link == 1 && m->bodies[3].link == 1);
    const TnLink *link = &m->links[1];
    double com[3] = {0.0, 3.0, 0.75};
    /* Parallel axes with reduced mass 3/4 and d = (0, 4, 1); the tip's own moments are turned: x
     * and y trade places. */
    double I[9] = {0.1 + 0.2 + 0.75 * 17.0, 0,           0, 0,
                   0.2 + 0.1 + 0.75 * 1.0,  -0.75 * 4.0, 0, -0.75 * 4.0,
                   0.5 + 0.75 * 16.0};
    CHECK(link->mass == 4.0);
    /* A quarter turn costs an ulp of numbers up to 17. */
    for (int k = 0; k < 3; k++) CHECK_NEAR(link->com[k], com[k], 1e-14);
    for (int k = 0; k < 9; k++) CHECK_NEAR(link->inertia[k], I[k], 1e-13);
    double place[3] = {0.0, 4.0, 0.0};
    for (int k = 0; k < 3; k++) CHECK_NEAR(m->bodies[3].link_pos[k], place[k], 1e-14);
    CHECK_NEAR(m->bodies[3].link_quat[0], M_SQRT1_2, 1e-15);
    CHECK_NEAR(m->bodies[3].link_quat[3], M_SQRT1_2, 1e-15);

    double R[9], back[9];
    quat_to_m3(R, link->inertia_axes);
    m3_rotate_diag(back, R, link->inertia_principal);
    for (int k = 0; k < 9; k++) CHECK_NEAR(back[k], link->inertia[k], 1e-13);
    tn_model_destroy(m);
}

TEST(geoms_count_only_where_there_is_no_inertial)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef def = tn_body_def();
    def.has_inertia = true;
    def.mass = 2.0;
    v3_set(def.inertia, 0.1, 0.1, 0.1);
    TnBodyId body = tn_builder_add_body(b, &def);
    add_joint(b, NULL, body, TN_JOINT_HINGE);
    add_ball(b, NULL, body, 1.0);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->links[1].mass == 2.0);
    CHECK(m->links[1].inertia[0] == 0.1 && m->links[1].inertia_principal[2] == 0.1);
    tn_model_destroy(m);
}

TEST(full_inertia_equals_its_principal_form)
{
    double quat[4] = {0.8, 0.1, -0.4, 0.3}, moments[3] = {0.2, 0.3, 0.4}, R[9], I[9];
    quat_normalize(quat);
    quat_to_m3(R, quat);
    m3_rotate_diag(I, R, moments);
    TnModel *m[2];
    for (int full = 0; full < 2; full++) {
        TnModelBuilder *b = tn_builder_create();
        TnBodyDef def = tn_body_def();
        def.has_inertia = true;
        def.mass = 1.0;
        def.use_inertia_full = full != 0;
        v3_copy(def.inertia, moments);
        quat_copy(def.inertia_quat, quat);
        double f[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
        memcpy(def.inertia_full, f, sizeof f);
        add_joint(b, NULL, tn_builder_add_body(b, &def), TN_JOINT_FREE);
        m[full] = compile(b);
        REQUIRE(m[full]);
    }
    /* The quaternion is normalized once more, which may move an ulp. */
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(m[0]->links[1].inertia[k], m[1]->links[1].inertia[k], 1e-15);
    tn_model_destroy(m[0]);
    tn_model_destroy(m[1]);
}

TEST(what_the_world_carries_has_no_mass)
{
    TnModelBuilder *b = tn_builder_create();
    add_ball(b, NULL, TN_BODY_WORLD, 1.0);
    TnBodyId table = add_body(b, "table", TN_BODY_WORLD, 0, 0, 1);
    add_ball(b, NULL, table, 1.0);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->total_mass == 0.0 && m->links[0].mass == 0.0);
    tn_model_destroy(m);
}

TEST(link_without_mass_is_refused)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId arm = add_body(b, "arm", TN_BODY_WORLD, 0, 0, 0);
    add_joint(b, NULL, arm, TN_JOINT_HINGE);
    CHECK_REFUSED(b, "body 'arm': has joints but no mass: give it an inertial or a geom with mass");
}

TEST(geoms_of_zero_mass_give_no_mass)
{
    for (int by_density = 0; by_density < 2; by_density++) {
        TnModelBuilder *b = tn_builder_create();
        TnBodyId arm = add_body(b, "arm", TN_BODY_WORLD, 0, 0, 0);
        add_joint(b, NULL, arm, TN_JOINT_HINGE);
        TnGeomDef ball = tn_geom_def();
        ball.body = arm;
        ball.size[0] = 0.1;
        if (by_density)
            ball.density = 0.0;
        else
            ball.mass = 0.0;
        tn_builder_add_geom(b, &ball);
        CHECK_REFUSED(b, "no mass");
    }
}

TEST(link_that_borrows_mass_from_a_fixed_child_is_fine)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId arm = add_body(b, "arm", TN_BODY_WORLD, 0, 0, 0);
    add_joint(b, NULL, arm, TN_JOINT_HINGE);
    add_ball(b, NULL, add_body(b, "hand", arm, 1, 0, 0), 0.1);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->links[1].com[0] == 1.0);
    tn_model_destroy(m);
}

TEST(point_mass_is_refused_but_two_of_three_on_a_link_are_not)
{
    for (int extra = 0; extra < 3; extra++) {
        TnModelBuilder *b = tn_builder_create();
        TnBodyDef def = tn_body_def();
        def.name = "bob";
        def.has_inertia = true;
        def.mass = 1.0;
        TnBodyId bob = tn_builder_add_body(b, &def);
        add_joint(b, NULL, bob, TN_JOINT_HINGE);
        double place[2][3] = {{1, 0, 0}, {0, 1, 0}};
        for (int i = 0; i < extra; i++) {
            TnBodyDef more = def;
            more.name = NULL;
            more.parent = bob;
            v3_copy(more.pos, place[i]);
            tn_builder_add_body(b, &more);
        }
        /* One point has no inertia, two none about their line, three points span a plane: enough.
         */
        if (extra < 2)
            CHECK_REFUSED(b, "body 'bob': its inertia is not positive definite");
        else {
            TnModel *m = compile(b);
            CHECK(m);
            tn_model_destroy(m);
        }
    }
}

/* A box of triangles, off its own origin, against a box geom at the same place. */
TEST(mesh_of_a_box_has_the_mass_of_a_box)
{
    const double half[3] = {0.1, 0.2, 0.3}, off[3] = {1.0, -2.0, 0.5};
    double points[24];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) points[3 * i + k] = off[k] + (i >> k & 1 ? half[k] : -half[k]);
    const int32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    TnModel *models[5];
    for (int way = 0; way < 5; way++) { /* box, and three kinds of solid mesh, and a given mass */
        TnModelBuilder *b = tn_builder_create();
        TnBodyId body = add_body(b, NULL, TN_BODY_WORLD, 0, 0, 0);
        add_joint(b, NULL, body, TN_JOINT_HINGE);
        TnMeshDef mesh = tn_mesh_def();
        mesh.vertices = points;
        mesh.vertex_count = 8;
        mesh.triangles = triangles;
        mesh.triangle_count = 12;
        mesh.inertia = way == 2 ? TN_MESH_EXACT : way == 3 ? TN_MESH_LEGACY : TN_MESH_CONVEX;
        TnGeomDef geom = tn_geom_def();
        geom.body = body;
        geom.density = 700.0;
        geom.quat[1] = 0.3; /* some turn */
        if (way == 0) {
            double quat[4] = {1.0, 0.3, 0.0, 0.0};
            quat_normalize(quat);
            geom.type = TN_GEOM_BOX;
            v3_copy(geom.size, half);
            quat_rotate(geom.pos, quat, off);
        } else {
            geom.type = TN_GEOM_MESH;
            geom.mesh = tn_builder_add_mesh(b, &mesh);
        }
        if (way == 4) geom.mass = 700.0 * 8 * half[0] * half[1] * half[2];
        tn_builder_add_geom(b, &geom);
        models[way] = compile(b);
        REQUIRE(models[way]);
    }
    const TnLink *box = &models[0]->links[1];
    for (int way = 1; way < 5; way++) {
        const TnLink *link = &models[way]->links[1];
        /* sums of twelve tetrahedra about a point inside: a few roundings each */
        CHECK_NEAR(link->mass, box->mass, 1e-13 * box->mass);
        for (int k = 0; k < 3; k++) CHECK_NEAR(link->com[k], box->com[k], 1e-14 * 4);
        for (int k = 0; k < 9; k++)
            CHECK_NEAR(link->inertia[k], box->inertia[k], 1e-13 * box->inertia[8]);
    }
    for (int way = 0; way < 5; way++) tn_model_destroy(models[way]);
}

TEST(masses_beyond_all_numbers_are_refused)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId body = add_body(b, "giant", TN_BODY_WORLD, 0, 0, 0);
    add_joint(b, NULL, body, TN_JOINT_FREE);
    add_ball(b, NULL, body, 1e200); /* its volume overflows */
    CHECK_REFUSED(b, "body 'giant': its mass or inertia is beyond the range of numbers");
}

/* The model of a lone hinged body, or NULL. */
static TnModel *corrected_body(const double moments[3], double min_mass, double min_inertia,
                               bool balance)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef def = tn_body_def();
    TnError err = {0};
    def.has_inertia = true;
    def.mass = 1.0;
    v3_copy(def.inertia, moments);
    def.min_mass = min_mass;
    def.min_inertia = min_inertia;
    def.balance_inertia = balance;
    add_joint(b, NULL, tn_builder_add_body(b, &def), TN_JOINT_HINGE);
    TnModel *m = tn_builder_compile(b, &err);
    if (!m)
        CHECK_STR(err.message, min_mass < 0.0 ? "min_mass must not be negative" : "are impossible");
    tn_builder_destroy(b);
    return m;
}

TEST(corrections_raise_and_balance_what_a_body_has)
{
    const double impossible[3] = {1.0, 1.0, 4.0}; /* 1 + 1 < 4 */
    CHECK(!corrected_body(impossible, 0.0, 0.0, false));
    CHECK(!corrected_body(impossible, 0.0, 1.5, false)); /* raised, and still impossible */
    CHECK(!corrected_body((double[3]){1.0, 1.0, 1.0}, -2.0, 0.0, false));
    TnModel *raised = corrected_body(impossible, 5.0, 2.0, false);
    TnModel *balanced = corrected_body(impossible, 0.0, 0.0, true);
    REQUIRE(raised && balanced);
    CHECK(raised->links[1].mass == 5.0 && balanced->links[1].mass == 1.0);
    for (int k = 0; k < 3; k++) { /* rounding of the way to principal axes and back */
        CHECK_NEAR(raised->links[1].inertia[4 * k], k < 2 ? 2.0 : 4.0, 1e-14);
        CHECK_NEAR(balanced->links[1].inertia[4 * k], 2.0, 1e-14);
    }
    tn_model_destroy(raised);
    tn_model_destroy(balanced);
}
