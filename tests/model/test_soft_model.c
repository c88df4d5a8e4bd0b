/* Soft bodies from definition to model. */
#include "soft.h"

#include <stdlib.h>
#include <string.h>

TEST(a_block_compiles_with_all_its_arrays)
{
    TnModelBuilder *b = tn_builder_create();
    add_link(b, "ball", TN_BODY_WORLD, TN_JOINT_FREE);
    TnSoftDef def = soft_at("block", 1.0, 2.0, 3.0);
    def.self_contact = true;
    def.pieces = 3;
    TnSoftId id = add_block(b, def, 2, 2, 2);
    TnModel *m = compile(b);
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(id == 1 && info.soft_count == 1 && info.tie_count == 0);
    CHECK(tn_model_find_soft(m, "block") == 1 && tn_model_find_geom(m, "block") == 2);
    CHECK(tn_model_find_soft(m, "ball") == 0);
    CHECK_STR(tn_model_soft_name(m, 1), "block");
    CHECK(info.qpos_count == 7 + 3 * 27 && info.dof_count == 6 + 3 * 27);

    const TnSoft *soft = &m->softs[0];
    CHECK(soft->node_count == 27 && soft->tet_count == 40);
    CHECK(soft->triangle_count == 6 * 4 * 2 && soft->surface_node_count == 26);
    CHECK(soft->qpos_start == 7 && soft->dof_start == 6 && soft->hold_count == 0);
    REQUIRE(soft->patches);
    CHECK(soft->patch_count > 0 && soft->pieces == 3 && soft->self_contact);
    for (int i = 0; i < soft->tet_count; i++)
        CHECK(soft->patches[i] >= 0 && soft->patches[i] < soft->patch_count);
    for (int i = 1; i < soft->surface_node_count; i++)
        CHECK(soft->surface_nodes[i] > soft->surface_nodes[i - 1]);
    for (int i = 0; i < soft->node_count; i++) CHECK(!soft->pinned[i]);
    for (int i = 0; i < 81; i++) CHECK(m->qpos0[7 + i] == soft->rest[i]);
    CHECK(soft->rest[0] == 0.9 && soft->rest[1] == 1.9 && soft->rest[2] == 2.9);
    for (int i = 6; i < 87; i++) CHECK(m->dof_joint[i] == -1 && m->dof_parent[i] == -1);

    const TnGeom *geom = &m->geoms[soft->geom];
    CHECK(geom->type == TN_GEOM_SOFT && geom->link == 0 && geom->contact_dim == 3);
    CHECK(tn_model_body_subsystem(m, TN_BODY_WORLD) == 0 && tn_model_body_subsystem(m, 2) == 1);

    TnSoftInfo about = tn_model_soft_info(m, 1);
    CHECK(about.geom == 2 && about.subsystem == 2 && about.node_count == 27);
    CHECK(about.qpos_start == 7 && about.dof_start == 6 && about.rest == soft->rest);
    CHECK(about.triangle_count == 48 && about.self_contact && about.youngs_modulus == 1e6);
    CHECK(tn_model_soft_info(m, 2).node_count == 0);
    tn_model_destroy(m);
}

TEST(soft_bodies_come_behind_all_joints_and_subsystems_whenever_they_were_added)
{
    TnModelBuilder *b = tn_builder_create();
    add_block(b, soft_at("a", 0.0, 0.0, 0.0), 1, 1, 1);
    TnBodyId arm = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_HINGE);
    add_block(b, soft_at("b", 1.0, 0.0, 0.0), 2, 1, 1);
    add_link(b, NULL, arm, TN_JOINT_BALL);
    add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->subsystem_count == 4 && m->rigid_count == 1 && m->tree_count == 1);
    int qpos = 1 + 4 + 7, dof = 1 + 3 + 6;
    for (int i = 0; i < 2; i++) {
        const TnSoft *soft = &m->softs[i];
        const TnSubsystem *sub = &m->subsystems[soft->subsystem];
        int count = 3 * soft->node_count;
        CHECK(soft->subsystem == 2 + i && sub->kind == TN_SUBSYSTEM_SOFT && sub->kind_index == i);
        CHECK(sub->link_start == m->link_count && sub->link_count == 0);
        CHECK(soft->qpos_start == qpos && sub->qpos_start == qpos && sub->qpos_count == count);
        CHECK(soft->dof_start == dof && sub->dof_start == dof && sub->dof_count == count);
        CHECK(m->geoms[soft->geom].type == TN_GEOM_SOFT);
        qpos += count;
        dof += count;
    }
    CHECK(qpos == m->qpos_count && dof == m->dof_count);
    tn_model_destroy(m);
}

TEST(mass_comes_from_the_density_or_is_given)
{
    TnModelBuilder *b = tn_builder_create();
    TnSoftDef dense = soft_at("dense", 0.0, 0.0, 0.0), given = soft_at("given", 1.0, 0.0, 0.0);
    dense.density = 700.0;
    given.mass = 3.0;
    add_block(b, dense, 2, 3, 1);
    add_block(b, given, 2, 3, 1);
    TnModel *m = compile(b);
    REQUIRE(m);
    /* 6 cells of 0.001 m³; rounding of a hundred sums */
    CHECK_NEAR(m->softs[0].mass, 700.0 * 0.006, 1e-13);
    CHECK_NEAR(m->softs[1].mass, 3.0, 1e-13);
    CHECK_NEAR(m->softs[1].density, 500.0, 1e-10);
    CHECK_NEAR(tn_model_info(m).total_mass, 7.2, 1e-13);
    for (int s = 0; s < 2; s++) {
        double sum = 0.0;
        for (int i = 0; i < m->softs[s].node_count; i++) sum += m->softs[s].masses[i];
        CHECK_NEAR(sum, m->softs[s].mass, 1e-13);
    }
    /* node 0 is a corner of the large element of its cell, h³/3, and of three small ones, h³/6 each
     */
    CHECK_NEAR(m->softs[0].masses[0], 700.0 * 0.001 * 5.0 / 24.0, 1e-14);
    tn_model_destroy(m);
}

TEST(a_turned_body_has_its_nodes_turned)
{
    TnModelBuilder *b = tn_builder_create();
    TnSoftDef def = soft_at("block", 1.0, 2.0, 3.0);
    quat_from_axis_angle(def.quat, (double[3]){0.0, 0.0, 1.0}, 1.5707963267948966);
    for (int k = 0; k < 4; k++) def.quat[k] *= 2.0; /* compile normalizes */
    add_block(b, def, 2, 1, 1);
    TnModel *m = compile(b);
    REQUIRE(m);
    /* the first node is at (-0.1, -0.05, -0.05) of the mesh; x → y, y → -x */
    CHECK_NEAR(m->softs[0].rest[0], 1.05, 1e-15);
    CHECK_NEAR(m->softs[0].rest[1], 1.9, 1e-15);
    CHECK_NEAR(m->softs[0].rest[2], 2.95, 1e-15);
    tn_model_destroy(m);
}

TEST(patches_only_with_mean_dilatation_and_the_corotational_law)
{
    TnModelBuilder *b = tn_builder_create();
    TnSoftDef def = soft_at(NULL, 0.0, 0.0, 0.0);
    def.mean_dilatation = false;
    add_block(b, def, 2, 2, 2);
    def.mean_dilatation = true;
    def.law = TN_SOFT_NEO_HOOKEAN;
    add_block(b, def, 2, 2, 2);
    TnModel *m = compile(b);
    REQUIRE(m);
    for (int i = 0; i < 2; i++) CHECK(!m->softs[i].patches && m->softs[i].patch_count == 0);
    tn_model_destroy(m);
}

TEST(a_mesh_that_is_inverted_as_a_whole_is_put_right)
{
    TnModelBuilder *b = tn_builder_create();
    double nodes[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t tets[4] = {0, 1, 3, 2};
    TnSoftDef def = tn_soft_def();
    def.mesh = (TnTetMesh){4, 1, nodes, tets};
    tn_builder_add_soft(b, &def);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->softs[0].tets[2] == 2 && m->softs[0].tets[3] == 3);
    CHECK(tets[2] == 3); /* the caller's stay as they are */
    tn_model_destroy(m);
}

/* ---- holds ---- */

TEST(nodes_held_by_fixed_bodies_are_pinned_others_keep_their_place_in_the_link)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId shelf = add_body(b, "shelf", TN_BODY_WORLD, 1.0, 0.0, 0.0);
    TnBodyDef turned = tn_body_def();
    quat_from_axis_angle(turned.quat, (double[3]){0.0, 0.0, 1.0}, 1.5707963267948966);
    v3_set(turned.pos, 0.5, 0.0, 0.0);
    TnBodyId arm = tn_builder_add_body(b, &turned);
    add_joint(b, NULL, arm, TN_JOINT_HINGE);
    add_ball(b, NULL, arm, 0.1);
    TnBodyId hand = add_body(b, "hand", arm, 0.3, 0.0, 0.0); /* fixed to the arm */
    TnBodyId ball = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 3;
    v3_set(rod.start, 0.0, 0.0, 2.0);
    v3_set(rod.end, 0.3, 0.0, 2.0);
    TnBodyId segment = tn_builder_rod_parts(b, tn_builder_add_rod(b, &rod)).body;
    TnSoftDef def = soft_at("block", 0.0, 0.0, 0.0);
    /* out of order: the model has them by node */
    const TnSoftHoldDef holds[] = {
        {7, segment}, {3, hand}, {0, TN_BODY_WORLD}, {1, shelf}, {2, ball}};
    def.holds = holds;
    def.hold_count = 5;
    add_block(b, def, 1, 1, 1);
    add_block(b, soft_at("other", 1.0, 0.0, 0.0), 1, 1, 1);
    def = soft_at("third", 2.0, 0.0, 0.0);
    def.holds = holds + 4;
    def.hold_count = 1;
    add_block(b, def, 1, 1, 1);
    TnModel *m = compile(b);
    REQUIRE(m);
    const TnSoft *soft = &m->softs[0];
    REQUIRE(soft->hold_count == 3);
    CHECK(soft->pinned[0] && soft->pinned[1] && !soft->pinned[2] && !soft->pinned[3]);
    CHECK(tn_model_soft_info(m, 1).hold_count == 5);
    CHECK(soft->holds[0].node == 2 && soft->holds[0].link == m->bodies[ball - 1].link);
    CHECK(soft->holds[1].node == 3 && soft->holds[1].link == m->bodies[arm - 1].link);
    CHECK(soft->holds[2].node == 7 && soft->holds[2].link == m->bodies[segment - 1].link);
    /* node 3 in the arm's axes, a quarter turn about z at (0.5, 0, 0): (y, 0.5 - x, z) */
    const double *x = soft->rest + 9, *at = soft->holds[1].pos;
    CHECK_NEAR(at[0], x[1], 1e-15);
    CHECK_NEAR(at[1], 0.5 - x[0], 1e-15);
    CHECK_NEAR(at[2], x[2], 1e-15);
    /* the ball is at (0, 0, 1), not turned */
    CHECK_NEAR(soft->holds[0].pos[2], soft->rest[8] - 1.0, 1e-15);
    /* places of warm starts: one after the other over all soft bodies */
    CHECK(m->softs[0].hold_start == 0 && m->softs[1].hold_start == 3);
    CHECK(m->softs[2].hold_start == 3 && m->hold_count == 4);
    tn_model_destroy(m);
}

/* ---- ties ---- */

static void check_tie_place(const TnModel *m, const TnTie *tie, const double expected[3])
{
    double at[3] = {0.0}, sum = 0.0;
    for (int k = 0; k < 4; k++) {
        v3_add_scaled(at, m->softs[tie->soft2].rest + 3 * tie->node2[k], tie->weight[k]);
        sum += tie->weight[k];
        CHECK(tie->weight[k] >= -1e-9);
    }
    CHECK_NEAR(sum, 1.0, 1e-12);
    for (int k = 0; k < 3; k++) CHECK_NEAR(at[k], expected[k], 1e-12);
}

TEST(a_tie_finds_the_element_that_the_node_lies_in_or_the_nearest_point_of_the_surface)
{
    TnModelBuilder *b = tn_builder_create();
    TnSoftId large = add_block(b, soft_at("large", 0.0, 0.0, 0.0), 4, 4, 4);
    TnSoftId inside = add_block(b, soft_at("inside", 0.013, 0.021, 0.007), 1, 1, 1);
    TnSoftId above = add_block(b, soft_at("above", 0.03, 0.0, 0.26), 1, 1, 1); /* 0.01 between */
    TnSoftId corner = add_block(b, soft_at("corner", 0.26, 0.27, 0.0), 1, 1, 1);
    TnTieDef tie = tn_tie_def();
    tie.soft2 = large;
    for (int i = 0; i < 8; i++) {
        tie.soft1 = inside;
        tie.node = i;
        tn_builder_add_tie(b, &tie);
    }
    tie.soft1 = above;
    tie.node = 0;
    tn_builder_add_tie(b, &tie);
    tie.soft1 = corner;
    tn_builder_add_tie(b, &tie);
    TnModel *m = compile(b);
    REQUIRE(m);
    REQUIRE(m->tie_count == 10);
    for (int i = 0; i < 8; i++) {
        CHECK(m->ties[i].soft1 == inside - 1 && m->ties[i].node1 == i);
        check_tie_place(m, &m->ties[i], m->softs[inside - 1].rest + 3 * i);
    }
    /* node 0 of a block is its lowest corner: here (-0.02, -0.05, 0.21), over the face z = 0.2 */
    check_tie_place(m, &m->ties[8], (double[3]){-0.02, -0.05, 0.2});
    /* (0.21, 0.22, -0.05): beside the edge x = y = 0.2 */
    check_tie_place(m, &m->ties[9], (double[3]){0.2, 0.2, -0.05});
    tn_model_destroy(m);
}

/* ---- keys, filters ---- */

TEST(a_key_may_leave_out_the_nodes)
{
    TnModelBuilder *b = tn_builder_create();
    add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_HINGE);
    add_block(b, soft_at("block", 0.0, 0.0, 0.0), 1, 1, 1);
    double qpos[25] = {0.5}, qvel[25] = {0.25};
    for (int i = 1; i < 25; i++) qpos[i] = i, qvel[i] = -i;
    TnKeyDef key = tn_key_def();
    key.qpos = qpos;
    key.qvel = qvel;
    key.qpos_count = key.qvel_count = 1;
    tn_builder_add_key(b, &key);
    key.qpos_count = key.qvel_count = 25;
    tn_builder_add_key(b, &key);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->keys[0].qpos[0] == 0.5 && m->keys[0].qvel[0] == 0.25);
    for (int i = 1; i < 25; i++) {
        CHECK(m->keys[0].qpos[i] == m->qpos0[i] && m->keys[0].qvel[i] == 0.0);
        CHECK(m->keys[1].qpos[i] == i && m->keys[1].qvel[i] == -i);
    }
    tn_model_destroy(m);
}

TEST(rigid_bodies_collide_as_without_soft_bodies_and_excludes_of_the_world_stand)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId one = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE),
             two = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    add_block(b, soft_at("block", 0.0, 0.0, 5.0), 1, 1, 1);
    tn_builder_add_exclude(b, TN_BODY_WORLD, one, (TnSource){0});
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(tn_model_bodies_collide(m, one - 1, two - 1));
    CHECK(tn_model_bodies_collide(m, 0, two - 1));
    CHECK(!tn_model_bodies_collide(m, 0, one - 1));
    tn_model_destroy(m);
}

/* ---- memory ---- */

TEST(a_failing_allocation_while_building_soft_bodies_leaves_an_error_and_no_leak)
{
    TnTetMesh mesh;
    const double half[3] = {0.1, 0.1, 0.1};
    const int cells[3] = {2, 2, 2};
    REQUIRE(tn_tet_mesh_box(half, cells, 5, &mesh, NULL));
    const TnSoftHoldDef hold = {0, TN_BODY_WORLD};
    for (long n = 0; n < 200; n++) {
        TnError err = {0};
        tn_malloc_fail_after(n);
        TnModelBuilder *b = tn_builder_create();
        TnSoftDef def = soft_at("block", 0.0, 0.0, 0.0);
        def.mesh = mesh;
        def.holds = &hold;
        def.hold_count = 1;
        tn_builder_add_soft(b, &def);
        def.name = "other";
        tn_builder_add_soft(b, &def);
        TnTieDef tie = tn_tie_def();
        tie.soft1 = 1;
        tie.node = 1;
        tie.soft2 = 2;
        tn_builder_add_tie(b, &tie);
        TnModel *m = b ? tn_builder_compile(b, &err) : NULL;
        tn_malloc_fail_after(-1);
        tn_builder_destroy(b);
        if (m) {
            tn_model_destroy(m);
            tn_tet_mesh_free(&mesh);
            CHECK(n > 20);
            return;
        }
        CHECK(!b || err.code == TN_ERROR_MEMORY);
    }
    tn_tet_mesh_free(&mesh);
    CHECK(false);
}
