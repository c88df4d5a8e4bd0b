/* Sleeping: robots with cables and soft bodies. */
#include "../check.h"

#include "sleep_scene.h"

#include "base/base.h"

static void add_rod(Scene *scene, double y, int group_size)
{
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 8;
    rod.start[1] = rod.end[1] = y;
    rod.start[2] = rod.end[2] = rod.radius;
    rod.end[0] = 0.4;
    rod.group_size = group_size;
    tn_builder_add_rod(scene->builder, &rod);
}

static void add_soft(Scene *scene, double y, int pieces)
{
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((const double[3]){0.06, 0.06, 0.03}, (const int[3]){3, 3, 2}, 6,
                          &soft.mesh, &err));
    soft.pos[1] = y;
    soft.pos[2] = 0.03;
    soft.pieces = pieces;
    soft.damping_stiffness = 0.02;
    tn_builder_add_soft(scene->builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
}

TEST(cables_and_soft_bodies_sleep_and_wake)
{
    for (int pass = 0; pass < 2; pass++) {
        Scene scene = scene_begin();
        scene_plane(&scene, 0.6);
        add_rod(&scene, 0.0, pass ? 4 : 0);
        add_soft(&scene, 0.5, pass ? 2 : 0);
        TnBodyId falling = ball(&scene, 0.0, 0.5, 0.06 + 0.04 + 18.0, 0.5);
        TnBodyId second = ball(&scene, 0.2, 0.0, 0.02 + 0.04 + 18.5, 0.5);
        TnModel *model = scene_compile(&scene);
        REQUIRE(model);
        TnWorld *on = make(model, TN_SLEEP_PASSIVE, 0.0), *off = make(model, TN_SLEEP_OFF, 0.0);
        CHECK(steps(off, 1.85).asleep_count == 0);
        CHECK(steps(on, 1.85).asleep_count == 2);
        TnStateView a = tn_world_state(on);
        for (int k = 0; k < a.dof_count;
             k++) /* the balls are between the cable and the soft body */
            CHECK(a.qvel[k] == 0.0 || (k >= 48 && k < 60));
        CHECK(same_bits(on, off, falling, 2));
        int woke = 0;
        for (int k = 0; k < 20; k++) { /* the first lands after 1.916 s, the second after 1.942 */
            int count = tn_world_step(on).asleep_count;
            tn_world_step(off);
            if (count == 1) woke |= 1;
            if (count == 0) woke |= 2;
        }
        CHECK(woke == 3);
        double pa[3], pb[3], q[4];
        tn_world_body_pose(on, falling, pa, q);
        tn_world_body_pose(off, falling, pb, q);
        CHECK_NEAR(pa[2], pb[2], 1e-3); /* hit at 19 m/s: 0.2 m per step, and it is chaotic */
        tn_world_body_pose(on, second, pa, q);
        tn_world_body_pose(off, second, pb, q);
        CHECK_NEAR(pa[2], pb[2], 1e-2);
        tn_world_destroy(on);
        tn_world_destroy(off);
        tn_model_destroy(model);
    }
}

/* An arm (with a limit and friction) that carries a cable and a soft body; a free body is welded to
 * the cable's other end. All of it about (x, 0, 1), and nothing touches anything. */
static TnBodyId machine(Scene *scene, double x, int cut)
{
    TnModelBuilder *b = scene->builder;
    TnBodyDef body = tn_body_def();
    body.pos[0] = x;
    body.pos[2] = 1.0;
    TnBodyId arm = tn_builder_add_body(b, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = arm;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.limited = true;
    joint.range[0] = -0.5; /* nothing hits it: another pass would solve for both machines */
    joint.range[1] = 0.5;
    joint.friction_loss = 0.01;
    tn_builder_add_joint(b, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = arm;
    geom.type = TN_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.05;
    geom.mass = 2.0;
    tn_builder_add_geom(b, &geom);
    TnBodyId load = scene_free(scene, TN_GEOM_BOX, (double[3]){0.02, 0.02, 0.02}, 0.1,
                               (double[3]){x + 0.37, 0, 1.0}, 0.5, 0.0);
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 8;
    rod.start[0] = x + 0.05;
    rod.end[0] = x + 0.37;
    rod.start[2] = rod.end[2] = 1.0;
    rod.contact_type = rod.contact_affinity = 0;
    rod.group_size = cut;
    TnBodyId first = tn_builder_rod_parts(b, tn_builder_add_rod(b, &rod)).body;
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = first;
    weld.body2 = arm;
    tn_builder_add_equality(b, &weld);
    weld.body1 = first + 7;
    weld.body2 = load;
    tn_builder_add_equality(b, &weld);
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((const double[3]){0.03, 0.03, 0.06}, (const int[3]){1, 1, 3}, 6,
                          &soft.mesh, &err));
    TnSoftHoldDef holds[64];
    soft.pos[0] = x;
    soft.pos[2] = 0.89;
    soft.contact_type = soft.contact_affinity = 0;
    soft.holds = holds;
    soft.pieces = cut ? 2 : 0;
    for (int i = 0; i < soft.mesh.node_count; i++)
        if (soft.mesh.nodes[3 * i + 2] > 0.059) holds[soft.hold_count++] = (TnSoftHoldDef){i, arm};
    tn_builder_add_soft(b, &soft);
    tn_tet_mesh_free(&soft.mesh);
    return arm;
}

TEST(machines_asleep_leave_a_copy_of_them_alone)
{
    for (int cut = 0; cut < 3; cut += 2) {
        Scene scene = scene_begin();
        TnBodyId busy = machine(&scene, 0.0, cut), idle = machine(&scene, 2.0, cut);
        TnModel *model = scene_compile(&scene);
        REQUIRE(model);
        TnWorld *worlds[2];
        for (int i = 0; i < 2; i++) {
            TnError err = {0};
            TnWorldDef def = tn_world_def();
            def.sleep = i ? TN_SLEEP_ALL : TN_SLEEP_OFF;
            def.sleep_speed = 1e3; /* whatever it does, it sleeps if nobody pushes it */
            def.sleep_time = 0.1;
            def.solver.tolerance = 0.0;
            def.solver.anderson = 0;
            worlds[i] = tn_world_create(&def, model, &err);
            REQUIRE(worlds[i]);
        }
        const double push[3] = {0.1, 0.2, 0.3}, none[3] = {0};
        int slept = 0;
        for (int k = 0; k < 120; k++) {
            TnStepReport report = {0};
            for (int i = 0; i < 2; i++) {
                tn_world_apply_wrench(worlds[i], busy, push, none);
                report = tn_world_step(worlds[i]);
                CHECK(!report.diverged);
            }
            slept += report.asleep_count == 4; /* arm, load, cable, soft body */
            if (k == 60) tn_world_wake(worlds[1], idle + 3);
            CHECK(same_bits(worlds[0], worlds[1], busy, 10));
        }
        CHECK(slept > 60 && slept < 110);
        CHECK(tn_world_body_asleep(worlds[1], idle) && !tn_world_body_asleep(worlds[1], busy));
        /* nodes of the first soft body */
        const TnStateView a = tn_world_state(worlds[0]), b = tn_world_state(worlds[1]);
        int soft_dofs = a.dof_count - 2 * (1 + 6 + 48);
        CHECK(memcmp(a.qpos + a.qpos_count - soft_dofs, b.qpos + b.qpos_count - soft_dofs,
                     sizeof(double) * (size_t)(soft_dofs / 2)) == 0);
        for (int i = 0; i < 2; i++) tn_world_destroy(worlds[i]);
        tn_model_destroy(model);
    }
}
