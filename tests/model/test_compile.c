/* Order of links, joints and coordinates; subsystems; poses; what becomes of the other definitions.
 */
#include "build.h"

TEST(empty_model_has_the_world_only)
{
    TnModel *m = compile(tn_builder_create());
    REQUIRE(m);
    CHECK(m->body_count == 1 && m->link_count == 1 && m->subsystem_count == 0);
    CHECK(m->qpos_count == 0 && m->dof_count == 0 && m->bodies[0].parent == -1 &&
          m->links[0].subsystem == -1);
    CHECK(tn_model_find_body(m, "world") == TN_BODY_WORLD);
    tn_model_destroy(m);
}

TEST(depth_first_adding_keeps_all_orders)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId base = add_body(b, "base", TN_BODY_WORLD, 1, 2, 3);
    add_ball(b, NULL, base, 0.1);
    add_joint(b, "float", base, TN_JOINT_FREE);
    TnBodyId hip = add_link(b, "hip", base, TN_JOINT_BALL);
    TnBodyId knee = add_link(b, "knee", hip, TN_JOINT_HINGE);
    TnBodyId slider = add_link(b, "slider", base, TN_JOINT_SLIDE);
    add_joint(b, "second", slider, TN_JOINT_HINGE);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->qpos_count == 7 + 4 + 1 + 2 && m->dof_count == 6 + 3 + 1 + 2);
    CHECK(m->link_count == 5 && m->subsystem_count == 1 && m->tree_count == 1 &&
          m->rigid_count == 0);
    int qpos[5] = {0, 7, 11, 12, 13}, dof[5] = {0, 6, 9, 10, 11};
    for (int j = 0; j < 5; j++) {
        CHECK(m->joints[j].qpos_start == qpos[j] && m->joints[j].dof_start == dof[j]);
        TnJointInfo info = tn_model_joint_info(m, j + 1);
        CHECK(info.qpos_start == qpos[j] && info.dof_start == dof[j] &&
              info.body == m->joints[j].body + 1);
    }
    int parent[12] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 10};
    int joint[12] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4};
    for (int d = 0; d < 12; d++)
        CHECK(m->dof_parent[d] == parent[d] && m->dof_joint[d] == joint[d]);
    CHECK(m->links[m->bodies[knee - 1].link].parent == m->bodies[hip - 1].link);
    CHECK(m->links[m->bodies[slider - 1].link].parent == m->bodies[base - 1].link);
    CHECK(m->links[4].joint_start == 3 && m->links[4].joint_count == 2 &&
          m->links[4].dof_count == 2);
    tn_model_destroy(m);
}

TEST(interleaved_trees_come_apart)
{
    /* Two arms whose bodies alternate, and joints added last and backwards. */
    TnModelBuilder *b = tn_builder_create();
    TnBodyId a1 = add_body(b, "a1", TN_BODY_WORLD, 0, 0, 0),
             b1 = add_body(b, "b1", TN_BODY_WORLD, 0, 0, 0);
    TnBodyId a2 = add_body(b, "a2", a1, 0, 0, 0), b2 = add_body(b, "b2", b1, 0, 0, 0);
    TnBodyId bodies[4] = {a1, b1, a2, b2};
    for (int i = 0; i < 4; i++) add_ball(b, NULL, bodies[i], 0.1);
    TnJointId jb2 = add_joint(b, "jb2", b2, TN_JOINT_BALL),
              ja2 = add_joint(b, "ja2", a2, TN_JOINT_HINGE);
    TnJointId jb1 = add_joint(b, "jb1", b1, TN_JOINT_SLIDE),
              ja1 = add_joint(b, "ja1", a1, TN_JOINT_HINGE);
    TnJointId ja2x = add_joint(b, "ja2x", a2, TN_JOINT_SLIDE);
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = jb1;
    tn_builder_add_actuator(b, &motor);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->subsystem_count == 2);
    CHECK(m->subsystems[0].link_start == 1 && m->subsystems[0].link_count == 2);
    CHECK(m->subsystems[1].link_start == 3 && m->subsystems[1].link_count == 2);
    CHECK(m->subsystems[0].dof_start == 0 && m->subsystems[0].dof_count == 3 &&
          m->subsystems[0].qpos_count == 3);
    CHECK(m->subsystems[1].dof_start == 3 && m->subsystems[1].dof_count == 4 &&
          m->subsystems[1].qpos_count == 5);
    int link_body[5] = {0, a1 - 1, a2 - 1, b1 - 1, b2 - 1};
    for (int l = 0; l < 5; l++) CHECK(m->links[l].body == link_body[l]);
    /* Ids and names are the caller's; only the places in qpos follow the trees. */
    TnJointId ids[5] = {ja1, ja2, ja2x, jb1, jb2};
    const char *names[5] = {"ja1", "ja2", "ja2x", "jb1", "jb2"};
    int dof[5] = {0, 1, 2, 3, 4};
    for (int j = 0; j < 5; j++) {
        CHECK(tn_model_find_joint(m, names[j]) == ids[j]);
        CHECK(strcmp(tn_model_joint_name(m, ids[j]), names[j]) == 0 &&
              strcmp(m->joint_names[j], names[j]) == 0);
        CHECK(tn_model_joint_info(m, ids[j]).dof_start == dof[j]);
    }
    CHECK(m->actuators[0].moments[0].dof == m->joints[3].dof_start);
    int parent[7] = {-1, 0, 1, -1, 3, 4, 5};
    for (int d = 0; d < 7; d++) CHECK(m->dof_parent[d] == parent[d]);
    tn_model_destroy(m);
}

TEST(only_a_lone_plain_free_body_is_rigid)
{
    TnModelBuilder *b = tn_builder_create();
    add_link(b, "stone", TN_BODY_WORLD, TN_JOINT_FREE);
    add_link(b, "swing", TN_BODY_WORLD, TN_JOINT_BALL);
    TnBodyId table = add_body(b, "table", TN_BODY_WORLD, 0, 0, 0);
    add_link(b, "lamp", table, TN_JOINT_HINGE);
    add_link(b, "drawer", table, TN_JOINT_SLIDE); /* on the same fixed body, yet on its own */
    TnBodyId drone = add_link(b, "drone", TN_BODY_WORLD, TN_JOINT_FREE);
    add_body(b, "camera", drone, 0, 0, 0); /* fixed: the drone stays rigid */
    TnBodyId robot = add_link(b, "robot", TN_BODY_WORLD, TN_JOINT_FREE);
    add_link(b, "arm", robot, TN_JOINT_HINGE);
    for (int i = 0; i < 3; i++) {
        TnBodyId body = add_body(b, NULL, TN_BODY_WORLD, 0, 0, 0);
        add_ball(b, NULL, body, 0.1);
        TnJointDef free = tn_joint_def();
        free.body = body;
        free.type = TN_JOINT_FREE;
        *(i == 0 ? &free.damping : i == 1 ? &free.armature : &free.stiffness) = 0.1;
        tn_builder_add_joint(b, &free);
    }
    TnModel *m = compile(b);
    REQUIRE(m);
    TnSubsystemKind R = TN_SUBSYSTEM_RIGID, T = TN_SUBSYSTEM_TREE,
                    kind[9] = {R, T, T, T, R, T, T, T, T};
    int index[9] = {0, 0, 1, 2, 1, 3, 4, 5, 6};
    REQUIRE(m->subsystem_count == 9);
    for (int s = 0; s < 9; s++) {
        CHECK(m->subsystems[s].kind == kind[s] && m->subsystems[s].kind_index == index[s]);
        for (int l = m->subsystems[s].link_start;
             l < m->subsystems[s].link_start + m->subsystems[s].link_count; l++)
            CHECK(m->links[l].subsystem == s);
    }
    CHECK(m->rigid_count == 2 && m->tree_count == 7);
    TnModelInfo info = tn_model_info(m);
    CHECK(info.free_body_count == 2 && info.tree_count == 7);
    tn_model_destroy(m);
}

TEST(reference_pose_is_the_definitions_own)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef def = tn_body_def();
    v3_set(def.pos, 1, 2, 3);
    def.quat[0] = 3.0;
    def.quat[1] = 4.0;
    TnBodyId body = tn_builder_add_body(b, &def);
    add_ball(b, NULL, body, 0.1);
    TnJointDef joint = tn_joint_def();
    joint.body = body;
    joint.type = TN_JOINT_FREE;
    v3_set(joint.pos, 9, 9, 9); /* a free joint acts at the origin */
    tn_builder_add_joint(b, &joint);
    TnBodyId child = add_link(b, NULL, body, TN_JOINT_BALL);
    TnJointDef hinge = tn_joint_def();
    hinge.body = child;
    hinge.ref = 0.7;
    v3_set(hinge.axis, 0, -3, 4);
    tn_builder_add_joint(b, &hinge);
    TnModel *m = compile(b);
    REQUIRE(m);
    double q0[12] = {1, 2, 3, 0.6, 0.8, 0, 0, 1, 0, 0, 0, 0.7};
    /* Divisions by 5 and by 1. */
    for (int k = 0; k < 12; k++) CHECK_NEAR(m->qpos0[k], q0[k], 1e-16);
    CHECK(m->joints[0].pos[0] == 0.0);
    CHECK_NEAR(m->joints[2].axis[1], -0.6, 1e-15);
    CHECK_NEAR(m->joints[2].axis[2], 0.8, 1e-15);
    CHECK(m->bodies[child - 1].link_quat[0] == 1.0 && m->bodies[child - 1].link_pos[2] == 0.0);
    tn_model_destroy(m);
}

TEST(geoms_know_their_place_on_the_link_and_their_bounds)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId link = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_HINGE);
    TnBodyDef fixed = tn_body_def();
    fixed.parent = link;
    v3_set(fixed.pos, 1, 0, 0);
    fixed.quat[0] = fixed.quat[3] = M_SQRT1_2; /* quarter turn about z */
    TnBodyId body = tn_builder_add_body(b, &fixed);
    const double mesh[15] = {0, 0, 0, 1, 0, 0, 0, -2, 0, 0, 0, 3, 0.5, 0.5, 0.5};
    TnGeomType types[6] = {TN_GEOM_CAPSULE, TN_GEOM_ELLIPSOID, TN_GEOM_CYLINDER,
                           TN_GEOM_BOX,     TN_GEOM_MESH,      TN_GEOM_PLANE};
    /* the mesh's are about the middle of its box, (0.5, -0.75, 1.5) */
    double radius[6] = {0.3,     0.3, sqrt(0.05), sqrt(0.14), sqrt(0.25 + 1.25 * 1.25 + 2.25),
                        INFINITY};
    double extent[6][3] = {{0.1, 0.1, 0.3}, {0.1, 0.2, 0.3},  {0.1, 0.1, 0.2},
                           {0.1, 0.2, 0.3}, {0.5, 1.25, 1.5}, {INFINITY, INFINITY, INFINITY}};
    TnMeshId id = add_points(b, NULL, mesh, 5);
    for (int i = 0; i < 6; i++) {
        TnGeomDef def = tn_geom_def();
        def.type = types[i];
        def.body = types[i] == TN_GEOM_PLANE ? TN_BODY_WORLD : body;
        v3_set(def.pos, 1, 0, 0);
        v3_set(def.size, 0.1, 0.2, 0.3);
        def.mass = 0.0;
        def.mesh = id;
        tn_builder_add_geom(b, &def);
    }
    TnModel *m = compile(b);
    REQUIRE(m);
    for (int i = 0; i < 6; i++) {
        const TnGeom *g = &m->geoms[i + 1];
        CHECK(g->type == types[i]);
        if (isinf(radius[i]))
            CHECK(isinf(g->bounding_radius) && isinf(g->half_extent[0]));
        else {
            CHECK_NEAR(g->bounding_radius, radius[i], 1e-15);
            for (int k = 0; k < 3; k++) CHECK_NEAR(g->half_extent[k], extent[i][k], 1e-15);
        }
        if (types[i] == TN_GEOM_PLANE) {
            CHECK(g->link == 0 && g->link_pos[0] == 1.0 && g->mesh == -1);
            continue;
        }
        CHECK(g->link == 1 && g->body == body - 1);
        double place[3] = {1, 1, 0}, x[3];
        m3_column(x, g->link_rot, 0);
        /* One rotation by a quarter turn. */
        for (int k = 0; k < 3; k++) CHECK_NEAR(g->link_pos[k], place[k], 1e-15);
        CHECK_NEAR(x[1], 1.0, 1e-15);
    }
    CHECK(m->geoms[5].mesh == 0 && memcmp(m->meshes[0].vertices, mesh, sizeof mesh) == 0);
    /* all five points are corners of the hull */
    CHECK(m->meshes[0].hull.vertex_count == 5 && m->meshes[0].hull.center[1] == -0.75);
    tn_model_destroy(m);
}

/* ---- equalities ---- */

static void world_point(double out[3], const double pos[3], const double quat[4], const double p[3])
{
    quat_rotate(out, quat, p);
    v3_add(out, out, pos);
}

TEST(anchors_of_connect_and_weld_coincide_in_the_reference_pose)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef one = tn_body_def(), two = tn_body_def();
    v3_set(one.pos, 0.1, 0.2, 0.3);
    v3_set(two.pos, 1.0, -2.0, 0.5);
    memcpy(one.quat, (double[4]){0.9, 0.1, 0.3, -0.2}, sizeof one.quat);
    memcpy(two.quat, (double[4]){-0.2, 0.7, 0.1, 0.5}, sizeof two.quat);
    TnBodyId b1 = tn_builder_add_body(b, &one), b2 = tn_builder_add_body(b, &two);
    add_joint(b, NULL, b1, TN_JOINT_FREE);
    add_joint(b, NULL, b2, TN_JOINT_FREE);
    add_ball(b, NULL, b1, 0.1);
    add_ball(b, NULL, b2, 0.1);
    TnEqualityDef def = tn_equality_def();
    def.body1 = b1;
    def.body2 = b2;
    v3_set(def.anchor, 0.3, 0.1, -0.2);
    tn_builder_add_equality(b, &def);
    def.type = TN_EQUALITY_WELD;
    def.active = false;
    tn_builder_add_equality(b, &def);
    def.body2 = 0; /* the world */
    tn_builder_add_equality(b, &def);
    TnModel *m = compile(b);
    REQUIRE(m);
    quat_normalize(one.quat);
    quat_normalize(two.quat);
    const double zero[3] = {0}, identity[4] = {1.0};
    for (int i = 0; i < 3; i++) {
        const TnEquality *e = &m->equalities[i];
        double p1[3], p2[3], turned[4];
        const double *pos2 = i == 2 ? zero : two.pos, *quat2 = i == 2 ? identity : two.quat;
        world_point(p1, one.pos, one.quat, e->anchor1);
        world_point(p2, pos2, quat2, e->anchor2);
        /* Two rotations of points within 2 m of the origin. */
        for (int k = 0; k < 3; k++) CHECK_NEAR(p1[k], p2[k], 1e-14);
        const double *given = i == 0 ? e->anchor1 : e->anchor2;
        CHECK(memcmp(given, def.anchor, sizeof def.anchor) == 0);
        if (i == 0) continue;
        quat_mul(turned, one.quat, e->relquat);
        for (int k = 0; k < 4; k++) CHECK_NEAR(turned[k], quat2[k], 1e-15);
    }
    CHECK(m->equalities[0].active && !m->equalities[1].active && m->equalities[2].body2 == 0);
    tn_model_destroy(m);
}

TEST(weld_with_a_given_pose_uses_it)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId b1 = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE),
             b2 = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    TnEqualityDef def = tn_equality_def();
    def.type = TN_EQUALITY_WELD;
    def.body1 = b1;
    def.body2 = b2;
    def.has_relpose = true;
    v3_set(def.anchor, 0.3, 0.1, -0.2);
    v3_set(def.relpos, 0.5, 0.6, 0.7);
    memcpy(def.relquat, (double[4]){3, 4, 0, 0}, sizeof def.relquat);
    tn_builder_add_equality(b, &def);
    TnModel *m = compile(b);
    REQUIRE(m);
    const TnEquality *e = &m->equalities[0];
    CHECK(memcmp(e->anchor1, def.relpos, sizeof def.relpos) == 0);
    CHECK(memcmp(e->anchor2, def.anchor, sizeof def.anchor) == 0);
    CHECK(e->relquat[0] == 0.6 && e->relquat[1] == 0.8);
    tn_model_destroy(m);
}

TEST(joint_equality_keeps_its_polynomial)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId arm = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_HINGE);
    add_link(b, NULL, arm, TN_JOINT_SLIDE);
    TnEqualityDef def = tn_equality_def();
    def.type = TN_EQUALITY_JOINT;
    def.joint1 = 2;
    def.joint2 = 1;
    def.polycoef[2] = 0.5;
    tn_builder_add_equality(b, &def);
    def.joint2 = 0;
    tn_builder_add_equality(b, &def);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->equalities[0].joint1 == 1 && m->equalities[0].joint2 == 0 &&
          m->equalities[1].joint2 == -1);
    CHECK(m->equalities[0].polycoef[1] == 1.0 && m->equalities[0].polycoef[2] == 0.5);
    tn_model_destroy(m);
}

/* ---- sensors, keys ---- */

TEST(sensor_data_lie_in_a_row)
{
    TnModelBuilder *b = tn_builder_create();
    add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_HINGE);
    TnSiteDef site = tn_site_def();
    site.body = 2;
    TnSiteId site_id = tn_builder_add_site(b, &site);
    for (int t = TN_SENSOR_JOINT_POS; t <= TN_SENSOR_SITE_QUAT; t++) {
        TnSensorDef def = tn_sensor_def();
        def.type = (TnSensorType)t;
        def.object = t <= TN_SENSOR_JOINT_VEL ? 1 : t <= TN_SENSOR_BODY_QUAT ? 2 : site_id;
        tn_builder_add_sensor(b, &def);
    }
    TnModel *m = compile(b);
    REQUIRE(m);
    int start[6] = {0, 1, 2, 5, 9, 12}, count[6] = {1, 1, 3, 4, 3, 4},
        object[6] = {0, 0, 1, 1, 0, 0};
    for (int i = 0; i < 6; i++)
        CHECK(m->sensors[i].data_start == start[i] && m->sensors[i].data_count == count[i] &&
              m->sensors[i].object == object[i]);
    CHECK(m->sensor_data_count == 16 && tn_model_info(m).sensor_data_count == 16);
    tn_model_destroy(m);
}

TEST(keys_are_filled_and_normalized)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId base = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    TnBodyId arm = add_link(b, NULL, base, TN_JOINT_HINGE);
    add_link(b, NULL, arm, TN_JOINT_BALL);
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = 2;
    tn_builder_add_actuator(b, &motor);
    double qpos[12] = {1, 2, 3, 0, 0, 3, 4, 0.5, 2, 0, 0, 0},
           qvel[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, ctrl = 0.25;
    TnKeyDef key = tn_key_def();
    key.name = "full";
    key.time = 1.5;
    key.qpos = qpos, key.qpos_count = 12;
    key.qvel = qvel, key.qvel_count = 10;
    key.ctrl = &ctrl, key.ctrl_count = 1;
    tn_builder_add_key(b, &key);
    key = tn_key_def();
    key.name = "empty";
    tn_builder_add_key(b, &key);
    memset(qpos, 0, sizeof qpos); /* the builder has its own copy */
    TnModel *m = compile(b);
    REQUIRE(m);
    double expected[12] = {1, 2, 3, 0, 0, 0.6, 0.8, 0.5, 1, 0, 0, 0};
    for (int k = 0; k < 12; k++) CHECK_NEAR(m->keys[0].qpos[k], expected[k], 1e-16);
    CHECK(memcmp(m->keys[0].qvel, qvel, sizeof qvel) == 0 && m->keys[0].ctrl[0] == 0.25 &&
          m->keys[0].time == 1.5);
    CHECK(memcmp(m->keys[1].qpos, m->qpos0, 12 * sizeof(double)) == 0);
    for (int k = 0; k < 10; k++) CHECK(m->keys[1].qvel[k] == 0.0);
    CHECK(m->keys[1].ctrl[0] == 0.0 && tn_model_find_key(m, "empty") == 2);
    tn_model_destroy(m);
}

TEST(same_definitions_compile_to_the_same_model_twice)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId base = add_link(b, "base", TN_BODY_WORLD, TN_JOINT_FREE);
    add_link(b, "arm", base, TN_JOINT_HINGE);
    TnError err = {0};
    TnModel *one = tn_builder_compile(b, &err), *two = tn_builder_compile(b, &err);
    tn_builder_destroy(b);
    REQUIRE(one && two);
    CHECK(one != two && strcmp(tn_model_body_name(one, 3), "arm") == 0);
    CHECK(one->qpos_count == two->qpos_count && one->link_count == two->link_count);
    CHECK(memcmp(one->qpos0, two->qpos0, (size_t)one->qpos_count * sizeof(double)) == 0);
    for (int l = 0; l < one->link_count; l++) {
        CHECK(memcmp(one->links[l].inertia, two->links[l].inertia, sizeof one->links[l].inertia) ==
              0);
        CHECK(one->links[l].mass == two->links[l].mass &&
              one->links[l].dof_start == two->links[l].dof_start);
    }
    tn_model_destroy(one);
    CHECK(strcmp(tn_model_body_name(two, 3), "arm") == 0);
    tn_model_destroy(two);
}
