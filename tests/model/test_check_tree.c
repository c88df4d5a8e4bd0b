/* Every way in which a body, joint, geom or site can be wrong is refused, by name and for that
 * reason alone. */
#include "scene.h"

TEST(the_unspoiled_scene_compiles) { ACCEPTED((void)0); }

TEST(wrong_bodies_are_refused)
{
    REFUSED(s.body.pos[1] = NAN, "body 'thing': pos is not finite");
    REFUSED(s.body.pos[2] = INFINITY, "pos is not finite");
    REFUSED(s.body.quat[0] = NAN, "quat is not finite");
    REFUSED(s.body.quat[0] = 0.0, "body 'thing': quat has length 0: it gives no orientation");
    REFUSED(s.body.parent = 0, "parent body is not given");
    REFUSED(s.body.parent = 77, "parent body 77 does not exist");
    REFUSED(s.body.parent = -1, "parent body -1 does not exist");
    REFUSED(s.body.parent = SCENE_BODY, "parent body 6 must be added before it");
    ACCEPTED(s.body.quat[3] = 100.0);
}

TEST(wrong_inertials_are_refused)
{
    REFUSED(s.body.mass = -1.0, "body 'thing': mass must not be negative (-1)");
    REFUSED(s.body.mass = NAN, "mass is not finite");
    REFUSED(s.body.mass = 0.0, "has joints but no mass");
    REFUSED(s.body.inertia_pos[0] = INFINITY, "inertia pos is not finite");
    REFUSED(s.body.inertia_quat[0] = 0.0, "inertia quat has length 0");
    REFUSED(s.body.inertia[1] = NAN, "inertia is not finite");
    REFUSED(s.body.inertia[1] = -0.1, "its inertia is not positive definite");
    REFUSED(s.body.inertia[1] = 0.0, "its inertia is not positive definite");
    REFUSED(s.body.inertia[1] = 0.21,
            "are impossible: the sum of any two must be at least the third");
    ACCEPTED(s.body.inertia[1] = 0.2);
    ACCEPTED(s.body.inertia[1] = 0.2 + 1e-8); /* within the relative tolerance of 1e-6 */
}

TEST(wrong_full_inertias_are_refused)
{
#define FULL(XX, YY, ZZ, XY)                                                                       \
    (s.body.use_inertia_full = true, s.body.inertia_full[0] = XX, s.body.inertia_full[1] = YY,     \
     s.body.inertia_full[2] = ZZ, s.body.inertia_full[3] = XY)
    ACCEPTED(FULL(0.1, 0.1, 0.1, 0.01));
    ACCEPTED((FULL(0.1, 0.1, 0.1, 0.01), s.body.inertia_quat[0] = 0.0)); /* not read then */
    REFUSED(FULL(0.1, 0.1, 0.1, 0.2), "its inertia is not positive definite");
    REFUSED(FULL(0.1, 0.1, 0.3, 0.0), "are impossible");
    REFUSED(FULL(0.1, 0.1, NAN, 0.0), "full inertia is not finite");
    /* Singular: about the line x = y there is no inertia. */
    REFUSED(FULL(0.1, 0.1, 0.2, 0.1), "its inertia is not positive definite");
}

TEST(wrong_joints_are_refused)
{
    REFUSED(s.joint.pos[0] = NAN, "joint 'pin': pos is not finite");
    REFUSED(s.joint.axis[2] = NAN, "axis is not finite");
    REFUSED(s.joint.axis[2] = 0.0, "joint 'pin': axis has length 0: it gives no direction");
    REFUSED(s.joint.ref = NAN, "ref is not finite");
    REFUSED(s.joint.spring_ref = INFINITY, "spring ref is not finite");
    REFUSED(s.joint.stiffness = -1.0, "stiffness must not be negative");
    REFUSED(s.joint.damping = -1.0, "damping must not be negative");
    REFUSED(s.joint.armature = -1.0, "armature must not be negative");
    REFUSED(s.joint.friction_loss = -1.0, "friction loss must not be negative");
    REFUSED(s.joint.damping = NAN, "damping is not finite");
    REFUSED(s.joint.limited = true, "range must increase (0, 0)");
    REFUSED((s.joint.limited = true, s.joint.range[0] = 2.0, s.joint.range[1] = 1.0),
            "range must increase (2, 1)");
    REFUSED((s.joint.limited = true, s.joint.range[1] = NAN), "range is not finite");
    ACCEPTED((s.joint.limited = true, s.joint.range[0] = -2.0));
    REFUSED(s.joint.type = (TnJointType)9, "type 9 does not exist");
}

TEST(joints_in_the_wrong_place_are_refused)
{
    REFUSED(s.joint.body = TN_BODY_WORLD, "joint 'pin': the world cannot have joints");
    REFUSED(s.joint.body = 99, "joint 'pin': body 99 does not exist");
    REFUSED(s.joint.body = 0, "body is not given");
    REFUSED((s.body.parent = 2, s.joint.type = TN_JOINT_FREE, s.key.qpos_count = 0,
             s.key.qvel_count = 0),
            "joint 'pin': a free joint needs a body whose parent is the world");
    REFUSED((s.joint.type = TN_JOINT_FREE, s.extra_joint.body = SCENE_BODY, s.key.qpos_count = 0,
             s.key.qvel_count = 0),
            "body 'thing': a free joint must be its only joint");
    REFUSED((s.extra_joint.body = 5, s.joint.body = 5,
             s.joint.type = s.extra_joint.type = TN_JOINT_BALL, s.key.qpos_count = 0,
             s.key.qvel_count = 0),
            "body 'swing': its joints have 9 degrees of freedom; the maximum is 6");
    ACCEPTED((s.extra_joint.body = 5, s.key.qpos_count = 0,
              s.key.qvel_count = 0)); /* a hinge beside the ball */
}

TEST(free_and_ball_joints_refuse_what_has_no_meaning_for_them)
{
#define TYPE(T) (s.joint.type = T, s.key.qpos_count = 0, s.key.qvel_count = 0)
    ACCEPTED(TYPE(TN_JOINT_FREE));
    ACCEPTED((TYPE(TN_JOINT_FREE), s.joint.damping = 0.1));
    REFUSED((TYPE(TN_JOINT_FREE), s.joint.limited = true, s.joint.range[1] = 1.0),
            "a free joint cannot have limits");
    REFUSED((TYPE(TN_JOINT_FREE), s.joint.friction_loss = 0.1),
            "friction loss is for hinges and slides only");
    REFUSED((TYPE(TN_JOINT_BALL), s.joint.friction_loss = 0.1),
            "friction loss is for hinges and slides only");
    ACCEPTED((TYPE(TN_JOINT_BALL), s.joint.axis[2] = 0.0)); /* no axis needed */
    ACCEPTED((TYPE(TN_JOINT_BALL), s.joint.limited = true, s.joint.range[1] = 1.0));
    REFUSED((TYPE(TN_JOINT_BALL), s.joint.limited = true, s.joint.range[0] = -1.0),
            "range of a ball joint must start at 0");
}

TEST(wrong_geoms_are_refused)
{
    REFUSED(s.geom.body = 0, "geom 'box': body is not given");
    REFUSED(s.geom.body = 99, "geom 'box': body 99 does not exist");
    REFUSED(s.geom.pos[0] = NAN, "pos is not finite");
    REFUSED(s.geom.quat[0] = 0.0, "geom 'box': quat has length 0");
    REFUSED(s.geom.size[0] = NAN, "size is not finite");
    REFUSED(s.geom.size[2] = 0.0, "geom 'box': size 3 must be positive (0)");
    REFUSED((s.geom.type = TN_GEOM_SPHERE, s.geom.size[0] = -1.0), "size 1 must be positive");
    REFUSED((s.geom.type = TN_GEOM_CAPSULE, s.geom.size[1] = 0.0), "size 2 must be positive");
    REFUSED((s.geom.type = TN_GEOM_CYLINDER, s.geom.size[1] = 0.0), "size 2 must be positive");
    REFUSED((s.geom.type = TN_GEOM_ELLIPSOID, s.geom.size[2] = 0.0), "size 3 must be positive");
    ACCEPTED((s.geom.type = TN_GEOM_CAPSULE, s.geom.size[2] = 0.0));
    REFUSED(s.geom.mass = NAN, "mass is not finite");
    REFUSED(s.geom.density = -1.0, "density must not be negative");
    ACCEPTED((s.geom.density = -1.0, s.geom.mass = 1.0)); /* not used */
    REFUSED(s.geom.rgba[3] = NAN, "rgba is not finite");
    REFUSED(s.geom.type = (TnGeomType)42, "type 42 does not exist");
    REFUSED((s.geom.type = TN_GEOM_HEIGHT_FIELD, s.geom.body = TN_BODY_WORLD),
            "height fields are meshes");
    REFUSED(s.geom.type = TN_GEOM_PLANE, "geom 'box': a plane must be fixed to the world");
}

TEST(wrong_meshes_are_refused)
{
#define MESH (s.geom.type = TN_GEOM_MESH)
    ACCEPTED(MESH);
    ACCEPTED((MESH, s.mesh.triangle_count = 0));
    REFUSED((MESH, s.geom.mesh = 0), "geom 'box': mesh is not given");
    REFUSED((MESH, s.geom.mesh = 2), "geom 'box': mesh 2 does not exist");
    REFUSED((MESH, s.mesh.vertex_count = 3), "mesh 'tetra': a mesh needs at least 4 vertices (3)");
    REFUSED((MESH, s.mesh.vertices = NULL), "mesh 'tetra': a mesh needs at least 4 vertices (0)");
    REFUSED((MESH, s.vertices[5] = NAN), "mesh 'tetra': vertex 1 is not finite");
    REFUSED((MESH, s.vertices[11] = 1e-7, s.mesh.file = "a.obj"),
            "mesh 'tetra': its points lie in one plane to a millionth of its size: a mesh that "
            "collides needs a thickness ('a.obj')");
    REFUSED((MESH, memset(s.vertices, 0, sizeof s.vertices)), "its points lie in one plane");
    REFUSED((MESH, s.triangles[7] = 4), "mesh 'tetra': triangle 2 names vertex 4 of 4");
    REFUSED((MESH, s.triangles[0] = -1), "mesh 'tetra': triangle 0 names vertex -1 of 4");
    REFUSED((MESH, s.mesh.inertia = (TnMeshInertia)4), "mesh 'tetra': inertia 4 does not exist");
#define EXACT (MESH, s.mesh.inertia = TN_MESH_EXACT)
    ACCEPTED(EXACT);
    /* all four triangles inside out, then one */
    REFUSED((EXACT, scene_turn(&s, 0), scene_turn(&s, 1), scene_turn(&s, 2), scene_turn(&s, 3)),
            "mesh 'tetra': its volume is negative");
    REFUSED((EXACT, scene_turn(&s, 1)), "mesh 'tetra': its triangles disagree");
    /* no geom asks for the mass, so nothing is wrong */
    ACCEPTED((EXACT, scene_turn(&s, 1), s.geom.mass = 0.0));
}

TEST(wrong_contact_parameters_are_refused)
{
    REFUSED(s.geom.friction[0] = -0.1, "friction (sliding) must not be negative");
    REFUSED(s.geom.friction[1] = -0.1, "friction (torsional) must not be negative");
    REFUSED(s.geom.friction[2] = NAN, "friction (rolling) is not finite");
    REFUSED(s.geom.restitution = 1.01, "restitution must lie in [0, 1] (1.01)");
    REFUSED(s.geom.restitution = -0.1, "restitution must lie in [0, 1]");
    REFUSED(s.geom.restitution = NAN, "restitution must lie in [0, 1]");
    REFUSED(s.geom.margin = -1e-3, "margin must not be negative");
    for (int dim = -1; dim <= 7; dim++) {
        if (dim == 1 || dim == 3 || dim == 4 || dim == 6)
            ACCEPTED(s.geom.contact_dim = dim);
        else
            REFUSED(s.geom.contact_dim = dim, "contact dimension must be 1, 3, 4 or 6");
    }
}

TEST(wrong_sites_are_refused)
{
    REFUSED(s.site.body = 99, "site 'spot': body 99 does not exist");
    REFUSED(s.site.pos[2] = NAN, "site 'spot': pos is not finite");
    REFUSED(s.site.quat[0] = 0.0, "site 'spot': quat has length 0");
}

TEST(all_problems_come_in_one_error)
{
    Scene s;
    scene_init(&s);
    s.option.timestep = 0.0;
    s.body.mass = -1.0;
    s.joint.axis[2] = 0.0;
    s.geom.size[0] = 0.0;
    s.actuator.gain = NAN;
    TnModelBuilder *b = scene_build(&s);
    TnBodyId empty = add_body(b, "empty", TN_BODY_WORLD, 0, 0, 0);
    add_joint(
        b, "turn", empty,
        TN_JOINT_HINGE); /* a second joint of that name, a key that is too short, and no mass */
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err));
    CHECK(!tn_builder_compile(b, NULL));
    CHECK(err.code == TN_ERROR_MODEL && err.count == 9);
    CHECK_STR(err.message, "option: timestep must be positive (0)");
    CHECK_STR(err.message, "body 'thing': mass must not be negative (-1)");
    CHECK_STR(err.message, "joint 'pin': axis has length 0");
    CHECK_STR(err.message, "geom 'box': size 1 must be positive (0)");
    CHECK_STR(err.message, "actuator 'motor': gain is not finite");
    CHECK_STR(err.message, "joint 'turn': this name is already taken by joint 1");
    CHECK_STR(err.message, "key 'home': qpos has 14 numbers; the model has 15");
    CHECK_STR(err.message, "key 'home': qvel has 12 numbers; the model has 13");
    CHECK_STR(err.message, "body 'empty': has joints but no mass");
    tn_builder_destroy(b);
}

TEST(value_problems_do_not_hide_a_missing_mass)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId heavy = add_link(b, "heavy", TN_BODY_WORLD, TN_JOINT_HINGE);
    TnGeomDef bad = tn_geom_def();
    bad.body = heavy;
    bad.size[0] = -1.0;
    tn_builder_add_geom(b, &bad);
    add_joint(b, NULL, add_body(b, "empty", TN_BODY_WORLD, 0, 0, 0), TN_JOINT_HINGE);
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err));
    CHECK(err.count == 2);
    CHECK_STR(err.message, "geom 2: size 1 must be positive (-1)");
    CHECK_STR(err.message, "body 'empty': has joints but no mass");
    tn_builder_destroy(b);
}

TEST(problems_name_their_place_in_a_file)
{
    char file[] = "robot.xml";
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef def = tn_body_def();
    def.name = "arm";
    def.pos[0] = NAN;
    def.source = (TnSource){file, 12, 5};
    tn_builder_add_body(b, &def);
    def.pos[0] = 0.0;
    def.source = (TnSource){file, 20, 7};
    tn_builder_add_body(b, &def);
    memset(file, '?', sizeof file - 1); /* the builder keeps its own copy */
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err));
    CHECK_STR(err.message, "robot.xml:12:5: body 'arm': pos is not finite");
    CHECK_STR(
        err.message,
        "robot.xml:20:7: body 'arm': this name is already taken by the body at robot.xml:12:5");
    CHECK(err.count == 2);
    tn_builder_destroy(b);
}

TEST(names_may_repeat_across_kinds_only)
{
    ACCEPTED(
        (s.body.name = "same", s.joint.name = "same", s.geom.name = "same", s.site.name = "same"));
    REFUSED(s.body.name = "world", "body 'world': this name is already taken by body 1");
    REFUSED(s.body.name = "arm", "already taken by body 3");
    ACCEPTED(s.body.name = "");
}
