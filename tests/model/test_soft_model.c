/* Soft bodies from definition to model. */
#include "build.h"

/* A block of n³ cells of 0.1 m, 5 elements each, with its mesh freed after it was added. */
static TnSoftId add_block(TnModelBuilder *b, TnSoftDef def, int n)
{
    const double half[3] = {0.05 * n, 0.05 * n, 0.05 * n};
    const int cells[3] = {n, n, n};
    CHECK(tn_tet_mesh_box(half, cells, 5, &def.mesh, NULL));
    TnSoftId id = tn_builder_add_soft(b, &def);
    tn_tet_mesh_free(&def.mesh);
    return id;
}

TEST(a_block_compiles_with_all_its_arrays)
{
    TnModelBuilder *b = tn_builder_create();
    add_link(b, "ball", TN_BODY_WORLD, TN_JOINT_FREE);
    TnSoftDef def = tn_soft_def();
    def.name = "block";
    v3_set(def.pos, 1.0, 2.0, 3.0);
    def.self_contact = true;
    def.pieces = 3;
    TnSoftId id = add_block(b, def, 2);
    TnModel *m = compile(b);
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(id == 1 && info.soft_count == 1 && info.tie_count == 0);
    CHECK(tn_model_find_soft(m, "block") == 1 && tn_model_find_geom(m, "block") == 2);
    CHECK_STR(tn_model_soft_name(m, 1), "block");
    CHECK(info.qpos_count == 7 + 3 * 27 && info.dof_count == 6 + 3 * 27);

    const TnSoft *soft = &m->softs[0];
    CHECK(soft->node_count == 27 && soft->tet_count == 40);
    CHECK(soft->triangle_count == 6 * 4 * 2 && soft->surface_node_count == 26);
    CHECK(soft->qpos_start == 7 && soft->dof_start == 6 && soft->hold_count == 0);
    CHECK(soft->patches && soft->patch_count > 0 && soft->pieces == 3 && soft->self_contact);
    for (int i = 0; i < soft->tet_count; i++)
        CHECK(soft->patches[i] >= 0 && soft->patches[i] < soft->patch_count);
    for (int i = 1; i < soft->surface_node_count; i++)
        CHECK(soft->surface_nodes[i] > soft->surface_nodes[i - 1]);
    for (int i = 0; i < 81; i++) CHECK(m->qpos0[7 + i] == soft->rest[i]);
    CHECK(soft->rest[0] == 0.9 && soft->rest[1] == 1.9 && soft->rest[2] == 2.9);

    const TnSubsystem *sub = &m->subsystems[soft->subsystem];
    CHECK(m->subsystem_count == 2 && soft->subsystem == 1);
    CHECK(sub->kind == TN_SUBSYSTEM_SOFT && sub->kind_index == 0);
    CHECK(sub->link_start == m->link_count && sub->link_count == 0);
    CHECK(sub->qpos_start == 7 && sub->qpos_count == 81);
    CHECK(sub->dof_start == 6 && sub->dof_count == 81);

    const TnGeom *geom = &m->geoms[soft->geom];
    CHECK(geom->type == TN_GEOM_SOFT && geom->link == 0 && geom->contact_dim == 3);

    /* 0.008 m³ of 1000 kg/m³, to rounding of 160 sums */
    CHECK_NEAR(soft->mass, 8.0, 1e-13);
    CHECK_NEAR(info.total_mass, 8.0 + m->links[1].mass, 1e-12);
    tn_model_destroy(m);
}
