/* URDF files. Numbers that come from MuJoCo 4.0.0 are of the same file; where it has meshes, of a
 * copy with spheres in their place, since MuJoCo reads neither package:// nor COLLADA. */
#include "base/base.h"
#include "base/platform/paths.h"
#include "mjcf_text.h"
#include "model/model.h"

#include <sys/stat.h>
#include <tenon/definitions.h>
#include <tenon/world.h>

#define ARM DATA("packages/arm_description/urdf/arm.urdf")

static TnError err;
static TnRemarks remarks;

static TnModel *load_with(const char *path, TnLoadDef def)
{
    TnModelBuilder *builder = tn_builder_load(path, &def, &remarks, &err);
    TnModel *m = builder ? tn_builder_compile(builder, &err) : NULL;
    tn_builder_destroy(builder);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

static TnModel *load(const char *path) { return load_with(path, tn_load_def()); }

/* qpos and qvel of the reference values. */
static void fill_state(double *qpos, int nq, double *qvel, int nv)
{
    for (int i = 0; i < nq; i++) qpos[i] = 0.1 * ((7 * i) % 11) - 0.45;
    for (int i = 0; i < nv; i++) qvel[i] = 0.2 * ((5 * i) % 9) - 0.7;
}

/* Sums of the rows of the mass matrix, its diagonal, and bias forces. */
static void check_dynamics(const TnModel *m, const double *qpos, const double *qvel, int nv,
                           const double *sums, const double *diagonal, const double *bias)
{
    double matrix[12 * 12], forces[12];
    TnEval out = {.mass_matrix = matrix, .bias = forces};
    REQUIRE(nv <= 12 && tn_model_info(m).dof_count == nv);
    REQUIRE(tn_model_eval(m, qpos, qvel, NULL, &out, &err) == TN_OK);
    for (int i = 0; i < nv; i++) {
        double sum = 0.0;
        for (int k = 0; k < nv; k++) sum += matrix[i * nv + k];
        /* rounding of numbers up to 80 */
        CHECK_NEAR(sum, sums[i], 1e-13);
        CHECK_NEAR(matrix[i * nv + i], diagonal[i], 1e-13);
        CHECK_NEAR(forces[i], bias[i], 1e-12);
    }
}

TEST(mass_matrix_and_bias_of_an_arm_are_mujocos)
{
    static const double sums[4] = {0.22089531115470618, 0.12180717250492118, 0.032309342196140033,
                                   0.067690657803859966};
    static const double diagonal[4] = {0.15763313864978507, 0.058545000000000048,
                                       0.050000000000000003, 0.050000000000000003};
    static const double bias[4] = {-0.77167365737851867, -1.3702146886329118, 0.22531142430660148,
                                   -0.23021089870397299};
    double qpos[4], qvel[4];
    TnModel *m = load(ARM);
    REQUIRE(m);
    fill_state(qpos, 4, qvel, 4);
    check_dynamics(m, qpos, qvel, 4, sums, diagonal, bias);
    tn_model_destroy(m);
}

TEST(all_types_of_joints_are_mujocos)
{
    static const double sums[12] = {
        3.3859558251802118,   1.709747420422308,    1.685137157307218,
        0.061089346682483059, 0.027340737999287025, 9,
        8.4000000000000004,   9.4000000000000004,   1.8458552604748359,
        3.0347404699506568,   -1.2438385162459413,  0.13000000000000003};
    static const double diagonal[12] = {2.3999999999999995,
                                        1.1999999999999997,
                                        1.2,
                                        0.029833333333333486,
                                        0.017333333333333423,
                                        8,
                                        8,
                                        8,
                                        0.60121667160568271,
                                        0.57985174177460808,
                                        0.2389315866197102,
                                        0.065000000000000016};
    static const double bias[12] = {3.1369058845428164,
                                    -7.2414783705972434,
                                    -4.7813548702932591,
                                    -0.10081374063016124,
                                    0,
                                    -0.32599999999999979,
                                    0.95999999999999974,
                                    77.962000000000003,
                                    -0.13613951295184618,
                                    17.620732406977606,
                                    -3.8762297589251524,
                                    0.007004436142945495};
    static const double turn[4] = {0.5, 0.5, -0.5, 0.5};
    static const char *const names[7] = {"rail", "table_TX", "table_TY", "table_RZ",
                                         "spin", "fly",      "swing"};
    static const TnJointType types[7] = {TN_JOINT_SLIDE, TN_JOINT_SLIDE, TN_JOINT_SLIDE,
                                         TN_JOINT_HINGE, TN_JOINT_HINGE, TN_JOINT_FREE,
                                         TN_JOINT_HINGE};
    double qpos[13], qvel[12];
    TnModel *m = load(DATA("all_joints.urdf"));
    REQUIRE(m);
    for (int i = 0; i < 7; i++) {
        CHECK(strcmp(tn_model_joint_name(m, i + 1), names[i]) == 0);
        CHECK(tn_model_joint_info(m, i + 1).type == types[i]);
    }
    CHECK(tn_model_info(m).option.timestep == 0.004);
    CHECK(tn_model_info(m).option.gravity[0] == 0.1);
    fill_state(qpos, 13, qvel, 12);
    memcpy(qpos + 8, turn, sizeof turn);
    check_dynamics(m, qpos, qvel, 12, sums, diagonal, bias);
    tn_model_destroy(m);
}

/* The free joint hangs on what is fixed: its start is where the chain of fixed joints puts it. */
TEST(fixed_and_massless_links_are_bodies_with_their_names)
{
    TnModel *m = load(ARM);
    REQUIRE(m);
    TnBodyId flange = tn_model_find_body(m, "flange"), hand = tn_model_find_body(m, "hand");
    CHECK(flange && hand);
    CHECK(tn_model_body_info(m, flange).carrier == tn_model_find_body(m, "fore"));
    CHECK(tn_model_info(m).body_count == 8); /* the world, and every link */
    tn_model_destroy(m);
}

TEST(limits_efforts_and_dynamics_are_read)
{
    TnLoadDef def = tn_load_def();
    TnModelBuilder *builder = tn_builder_load(ARM, &def, &remarks, &err);
    REQUIRE(builder);
    TnDefinitions d = tn_builder_definitions(builder);
    REQUIRE(d.joint_count == 4);
    CHECK(!d.joints[0].limited && d.joints[0].actuator_limited);
    CHECK(d.joints[0].actuator_range[0] == -40 && d.joints[0].actuator_range[1] == 40);
    CHECK(d.joints[0].damping == 0.3 && d.joints[0].friction_loss == 0.1);
    CHECK(d.joints[1].limited && d.joints[1].range[0] == -1.5 && d.joints[1].range[1] == 2.5);
    CHECK(strstr(remarks.message, "velocity") && strstr(remarks.message, "safety_controller"));
    CHECK(strstr(remarks.message, "gazebo") && strstr(remarks.message, "transmission"));
    tn_builder_destroy(builder);
    builder = tn_builder_load(DATA("all_joints.urdf"), &def, &remarks, &err);
    REQUIRE(builder);
    d = tn_builder_definitions(builder);
    CHECK(!d.joints[6].limited); /* lower and upper are equal */
    CHECK(d.joints[6].actuator_limited && !d.joints[0].actuator_limited); /* efforts 5 and 0 */
    tn_builder_destroy(builder);
}

TEST(a_mimicking_finger_follows)
{
    TnModel *m = load(ARM);
    REQUIRE(m);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    /* starts where the equality holds */
    const double start[4] = {0.3, 0.5, 0.02, 0.019};
    REQUIRE(tn_world_set_state(world, start, NULL, &err) == TN_OK);
    for (int k = 0; k < 200; k++) tn_world_step(world);
    const double *qpos = tn_world_state(world).qpos;
    CHECK(fabs(qpos[2] - 0.02) > 1e-3);        /* it does move */
    CHECK(tn_world_contact_count(world) == 0); /* neighbours overlap, and do not touch */
    /* a linear equality is kept to the tolerance of each step, 1e-6 · g · dt, over 200 steps */
    CHECK_NEAR(qpos[3], 0.9 * qpos[2] + 0.001, 200 * 1e-6 * 9.81 * 0.002 * 0.002 + 1e-12);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* 6 × 4 × 2 cm by 3 2 1, turned by 90 degrees about z and moved up by 4 cm in y, which is up. */
TEST(a_collada_mesh_is_in_metres_with_z_up)
{
    TnModel *m = load(ARM);
    REQUIRE(m);
    double low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
    bool found = false;
    for (TnGeomId g = 1; g <= tn_model_info(m).geom_count; g++) {
        TnGeomInfo geom = tn_model_geom_info(m, g);
        if (geom.type != TN_GEOM_MESH || geom.group != 1) continue;
        TnMeshInfo mesh = tn_model_mesh_info(m, geom.mesh);
        found = true;
        CHECK(mesh.vertex_count == 8 && mesh.triangle_count == 12);
        CHECK_NEAR(geom.rgba[0], 0.9, 0);
        CHECK_NEAR(geom.rgba[2], 0.1, 0);
        double volume = 0.0; /* of tetrahedra from the origin: all triangles face outwards */
        for (int i = 0; i < mesh.triangle_count; i++) {
            const double *a = mesh.vertices + 3 * mesh.triangles[3 * i];
            const double *b = mesh.vertices + 3 * mesh.triangles[3 * i + 1];
            const double *c = mesh.vertices + 3 * mesh.triangles[3 * i + 2];
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0])) /
                      6;
        }
        CHECK_NEAR(volume, 0.06 * 0.04 * 0.02, 1e-18); /* rounding */
        for (int i = 0; i < 24; i++) {
            low[i % 3] = fmin(low[i % 3], mesh.vertices[i]);
            high[i % 3] = fmax(high[i % 3], mesh.vertices[i]);
        }
    }
    CHECK(found);
    const double wanted_low[3] = {-0.02, -0.01, 0.01}, wanted_high[3] = {0.02, 0.01, 0.07};
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(low[k], wanted_low[k], 1e-16); /* rounding */
        CHECK_NEAR(high[k], wanted_high[k], 1e-16);
    }
    tn_model_destroy(m);
}

TEST(visuals_neither_collide_nor_weigh_and_scales_apply)
{
    TnLoadDef def = tn_load_def();
    TnModelBuilder *builder = tn_builder_load(ARM, &def, NULL, &err);
    REQUIRE(builder);
    TnDefinitions d = tn_builder_definitions(builder);
    int visuals = 0, meshes = 0;
    for (int i = 0; i < d.geom_count; i++) {
        const TnGeomDef *geom = &d.geoms[i];
        if (geom->group == 1) {
            visuals++;
            CHECK(geom->contact_type == 0 && geom->contact_affinity == 0 && geom->mass == 0);
        } else {
            CHECK(geom->contact_type == 1 && geom->contact_affinity == 1);
        }
        if (strcmp(geom->name, "look") == 0) CHECK(geom->rgba[2] == 0.8);
        if (geom->type != TN_GEOM_MESH || geom->group == 1) continue;
        const TnMeshDef *mesh = &d.meshes[geom->mesh - 1];
        meshes++;
        for (int k = 0; k < mesh->vertex_count;
             k++) { /* a box of 60 × 50 × 120 mm, twice as long */
            CHECK_NEAR(fabs(mesh->vertices[3 * k]), 0.03, 1e-17);
            CHECK_NEAR(fabs(mesh->vertices[3 * k + 2]), 0.12, 1e-16);
        }
    }
    CHECK(visuals == 2 && meshes == 1);
    tn_builder_destroy(builder);
}

TEST(a_free_base_is_given_where_asked_for)
{
    TnLoadDef def = tn_load_def();
    TnModel *m = load(DATA("humanoid.urdf"));
    REQUIRE(m);
    CHECK(tn_model_info(m).dof_count == 2);
    tn_model_destroy(m);
    def.free_base = true;
    m = load_with(DATA("humanoid.urdf"), def);
    REQUIRE(m);
    CHECK(tn_model_info(m).dof_count == 8);
    CHECK(tn_model_joint_info(m, tn_model_find_joint(m, "root")).type == TN_JOINT_FREE);
    CHECK_NEAR(tn_model_info(m).total_mass, 16, 1e-14);
    tn_model_destroy(m);
    m = load_with(DATA("mobile_base.urdf"), def); /* its root has no mass; the chassis has */
    REQUIRE(m);
    /* and the caster, a sphere of 3 cm of 1000 kg/m³ */
    CHECK_NEAR(tn_model_info(m).total_mass, 6.8 + 1000 * 4 * acos(-1) / 3 * 27e-6, 1e-14);
    tn_model_destroy(m);
}

#define LINK(NAME)                                                                                 \
    "<link name='" NAME "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"          \
    "</inertial></link>\n"
#define JOINT(NAME, TYPE, PARENT, CHILD, MORE)                                                     \
    "<joint name='" NAME "' type='" TYPE "'><parent link='" PARENT "'/><child link='" CHILD        \
    "'/>" MORE "</joint>\n"

/* A floating joint below what moves has six joints of its own. */
TEST(a_floating_joint_may_hang_on_a_moving_link)
{
    TnModel *m = load_text(
        "<robot name='r'>" LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "")
            JOINT("f", "floating", "b", "c", "<origin xyz='1 0 0'/>") "</robot>",
        &err);
    REQUIRE(m);
    CHECK(tn_model_info(m).dof_count == 7 && tn_model_info(m).qpos_count == 8);
    CHECK(tn_model_joint_info(m, tn_model_find_joint(m, "f_TZ")).type == TN_JOINT_SLIDE);
    CHECK(tn_model_joint_info(m, tn_model_find_joint(m, "f_R")).type == TN_JOINT_BALL);
    tn_model_destroy(m);
}

/* A hip of three axes, whose links between have no mass, against one whose links hardly have any.
 */
#define HIP(BETWEEN)                                                                               \
    "<robot name='r'>" LINK(                                                                       \
        "a") "<link name='v'>" BETWEEN "</link><link name='w'>" BETWEEN                            \
             "</link><link name='leg'><inertial><origin xyz='.1 .2 -.5'/><mass "                   \
             "value='2'/><inertia "                                                                \
             "ixx='.3' iyy='.2' izz='.1' ixy='.01' ixz='0' iyz='0'/></inertial></link>" JOINT(     \
                 "z", "revolute", "a", "v",                                                        \
                 "<origin xyz='.1 0 .2' rpy='.1 .2 .3'/><axis xyz='0 0 1'/>")                      \
                 JOINT("x", "continuous", "v", "w", "<origin xyz='0 .3 0' rpy='.5 0 0'/>")         \
                     JOINT("y", "prismatic", "w", "leg",                                           \
                           "<origin xyz='.2 0 -.1'/><axis xyz='0 1 .5'/>") "</robot>"

TEST(joints_of_links_without_mass_move_the_next_link)
{
    static const char *const texts[2] = {
        HIP(""), HIP("<inertial><mass value='1e-13'/><inertia ixx='1e-13' iyy='1e-13' "
                     "izz='1e-13'/></inertial>")};
    const double qpos[3] = {0.3, -0.7, 0.2}, qvel[3] = {1, -2, 0.5};
    double matrices[2][9], bias[2][3], poses[2][6 * 7];
    for (int i = 0; i < 2; i++) {
        TnModel *m = load_bytes(texts[i], strlen(texts[i]), &remarks, &err);
        if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
        REQUIRE(m);
        CHECK(tn_model_info(m).body_count == (i == 0 ? 3 : 5));
        CHECK((strstr(remarks.message, "2 × a link without mass") != NULL) == (i == 0));
        double all[6 * 7];
        TnEval out = {.mass_matrix = matrices[i], .bias = bias[i], .body_poses = all};
        REQUIRE(tn_model_eval(m, qpos, qvel, NULL, &out, &err) == TN_OK);
        memcpy(poses[i], all + 7 * (tn_model_find_body(m, "leg") - 1), 7 * sizeof *all);
        tn_model_destroy(m);
    }
    for (int k = 0; k < 9; k++) CHECK_NEAR(matrices[0][k], matrices[1][k], 1e-12); /* the 1e-13 */
    for (int k = 0; k < 3; k++) CHECK_NEAR(bias[0][k], bias[1][k], 1e-11);
    for (int k = 0; k < 7; k++) CHECK_NEAR(poses[0][k], poses[1][k], 1e-15); /* rounding */
}

TEST(a_root_called_world_is_the_world)
{
    TnModel *m = load_text("<robot name='r'><link name='world'/>" LINK("a")
                               JOINT("j", "revolute", "world", "a", "") "</robot>",
                           &err);
    REQUIRE(m);
    CHECK(tn_model_info(m).body_count == 2);
    tn_model_destroy(m);
}

/* Of 1, 1, 5 the last is larger than the sum of the others: the mean is 7/3. */
TEST(impossible_moments_become_their_mean_with_a_remark)
{
    const char *text = "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
                       "<inertia ixx='1' iyy='1' izz='5' ixy='0' ixz='0' iyz='0'/></inertial>"
                       "</link>" JOINT("j", "continuous", "a", "b", "") "</robot>";
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    REQUIRE(m);
    CHECK(strstr(remarks.message, "all three become their mean"));
    CHECK_NEAR(tn_model_body_info(m, tn_model_find_body(m, "b")).inertia[0], 7.0 / 3.0, 1e-15);
    tn_model_destroy(m);
}

TEST(errors_name_their_place)
{
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {"<robot name='r'>\n</robot>", "1:1", "the robot has no link"},
        {"<robot name='r'>\n<link/></robot>", "2:1", "'name' is missing"},
        {"<robot name='r'>\n" LINK("a") LINK("b") "</robot>", "3:1", "both have no parent"},
        {"<robot name='r'>\n" LINK("a") LINK("a") "</robot>", "3:7", "already a link named 'a'"},
        {"<robot name='r'>\n" LINK("a") LINK("b") JOINT("j", "screw", "a", "b", "") "</robot>",
         "4:17", "one of: fixed revolute"},
        {"<robot name='r'>\n" LINK("a") LINK("leg") JOINT("j", "fixed", "a", "lag", "") "</robot>",
         "4:55", "did you mean 'leg'?"},
        {"<robot name='r'>\n" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "")
             JOINT("k", "fixed", "a", "b", "") "</robot>",
         "5:1", "two parents"},
        {"<robot name='r'>\n" LINK("z") LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "")
             JOINT("k", "fixed", "b", "a", "") "</robot>",
         "3:1", "form a circle"},
        {"<robot name='r'>\n" LINK("a") LINK("b")
             JOINT("j", "revolute", "a", "b", "<axis xyz='0 0'/>") "</robot>",
         "4:74", "xyz needs 3 finite numbers"},
        {"<robot name='r'>\n" LINK("a") LINK("b")
             JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>") "</robot>",
         "4:74", "length zero"},
        {"<robot name='r'>\n" LINK("a") LINK("b")
             JOINT("j", "revolute", "a", "b", "<mimic joint='h'/>") "</robot>",
         "4:75", "there is no joint named 'h'"},
        {"<robot name='r'><link name='a'>\n<collision><geometry><mesh "
         "filename='package://nowhere/a.stl'/></geometry></collision></link></robot>",
         "2:28", "package 'nowhere' with --package-path"},
        {"<robot name='r'><link name='a'>\n<collision><geometry><cone/></geometry></collision>"
         "</link></robot>",
         "2:22", "box, sphere, cylinder, capsule and mesh"},
        {"<robot xmlns:xacro='x' name='r'>\n<xacro:property name='w' value='1'/></robot>", "2:1",
         "run xacro first"},
        {"<robot name='r'>\n<link name='a${i}'/></robot>", "2:1", "run xacro first"},
        {"<robot name='r'><link name='a'>\n<inertial><mass value='x'/></inertial></link></robot>",
         "2:17", "value needs 1 finite number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModel *m = load_text(cases[i].text, &err);
        CHECK(m == NULL);
        if (!has_line(err.message, cases[i].place, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %d: %s", (int)i, err.message);
        tn_model_destroy(m);
    }
}

TEST(other_formats_are_named)
{
    static const struct {
        const char *path, *part;
    } cases[] = {{"robot.usda", "USD is read by the Python package"},
                 {"robot.USDZ", "USD is read by the Python package"},
                 {"robot.urdf.xacro", "run xacro first"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(tn_model_load(cases[i].path, &err) == NULL);
        CHECK(strstr(err.message, cases[i].part));
    }
}

/* package:// by folders that are given, by the environment, and by a package.xml above. */
TEST(packages_are_found)
{
    const char *text = "<robot name='r'><link name='a'><collision><geometry><mesh "
                       "filename='package://arm_description/meshes/block.stl'/></geometry>"
                       "</collision></link></robot>";
    char path[] = "/tmp/tenon_urdf_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    TnLoadDef def = tn_load_def();
    unsetenv("ROS_PACKAGE_PATH");
    CHECK(tn_builder_load(path, &def, NULL, &err) == NULL);
    static const char *const lists[] = {"/nowhere" TN_PATH_LIST DATA("packages"),
                                        DATA("packages/arm_description/")};
    for (int i = 0; i < 2; i++) {
        def.package_path = lists[i];
        tn_model_destroy(load_with(path, def));
    }
    def.package_path = NULL;
    setenv("ROS_PACKAGE_PATH", lists[0], 1);
    tn_model_destroy(load_with(path, def));
    unsetenv("ROS_PACKAGE_PATH");
    unlink(path);
    /* from another folder, by a name that is only in package.xml: ARM is loaded by its own */
    tn_model_destroy(load_with(ARM, def));
}

#define SCENE(NODES)                                                                               \
    "<library_visual_scenes><visual_scene id='s'>" NODES "</visual_scene></library_visual_scenes>"
#define GEOMETRY(PRIMITIVE)                                                                        \
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0 1 0 0 0 1 0 0 "  \
    "0 "                                                                                           \
    "1</float_array></source><vertices id='v'><input semantic='POSITION' "                         \
    "source='#p'/></vertices>" PRIMITIVE "</mesh></geometry></library_geometries>"
#define INPUT "<input semantic='VERTEX' source='#v' offset='0'/>"
#define SHOWN SCENE("<node><instance_geometry url='#g'/></node>")

/* What is wrong with it is told at the collision that names the file. */
TEST(broken_collada_files_are_errors)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"<COLLADA>", "the file ends before"},
        {"<dae/>", "its root is <dae>"},
        {"<COLLADA></COLLADA>", "it has no visual scene"},
        {"<COLLADA>" SCENE("") "</COLLADA>", "it has no triangles"},
        {"<COLLADA>" GEOMETRY("<triangles>" INPUT "<p>0 1 4</p></triangles>") SHOWN "</COLLADA>",
         "a corner is vertex 4; there are 4"},
        {"<COLLADA>" GEOMETRY("<triangles>" INPUT "<p>0 1</p></triangles>") SHOWN "</COLLADA>",
         "three corners"},
        {"<COLLADA>" GEOMETRY("<triangles>" INPUT "<p>0 a 1</p></triangles>") SHOWN "</COLLADA>",
         "no number"},
        {"<COLLADA>" GEOMETRY("<triangles><p>0 1 2</p></triangles>") SHOWN "</COLLADA>",
         "no input is a VERTEX"},
        {"<COLLADA>" GEOMETRY("<polylist>" INPUT "<vcount>5</vcount><p>0 1 2</p></polylist>") SHOWN
         "</COLLADA>",
         "more corners than p has"},
        {"<COLLADA>" SCENE("<node id='n'><instance_node url='#n'/></node>") "</COLLADA>",
         "within each other"},
        {"<COLLADA>" SCENE("<node><matrix>1 0 0</matrix></node>") "</COLLADA>", "16 numbers"},
    };
    const char *urdf = "<robot name='r'><link name='a'><collision><geometry>"
                       "<mesh filename='m.dae'/></geometry></collision></link></robot>";
    char folder[] = "/tmp/tenon_urdf_XXXXXX", model[64], mesh[64];
    REQUIRE(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/r.urdf", folder);
    snprintf(mesh, sizeof mesh, "%s/m.dae", folder);
    FILE *file = fopen(model, "w");
    REQUIRE(file);
    fputs(urdf, file);
    fclose(file);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        file = fopen(mesh, "w");
        REQUIRE(file);
        fputs(cases[i].text, file);
        fclose(file);
        CHECK(tn_model_load(model, &err) == NULL);
        if (!has_line(err.message, "1:59", cases[i].part))
            test_fail(__FILE__, __LINE__, "case %d: %s", (int)i, err.message);
    }
    unlink(mesh);
    unlink(model);
    CHECK(rmdir(folder) == 0);
}

TEST(a_missing_visual_is_a_remark)
{
    const char *text = "<robot name='r'><link name='a'><visual><geometry><mesh "
                       "filename='gone.stl'/></geometry></visual></link></robot>";
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    REQUIRE(m);
    CHECK(tn_model_info(m).geom_count == 0);
    CHECK(strstr(remarks.message, "gone.stl: the mesh of a visual is not found"));
    tn_model_destroy(m);
}

/* Every allocation fails in turn: an error and no model, never a crash, and (under ASan) no leak.
 */
TEST(every_failing_allocation_is_an_error)
{
    TnModel *m = NULL;
    long calls = 0;
    for (; !m && calls < 100000; calls++) {
        tn_malloc_fail_after(calls);
        m = tn_model_load(ARM, &err);
        tn_malloc_fail_after(-1);
        if (!m && err.code != TN_ERROR_MEMORY) {
            test_fail(__FILE__, __LINE__, "allocation %ld: %s", calls, err.message);
            return;
        }
    }
    CHECK(m != NULL);
    CHECK(calls > 20); /* the hook is really in the way */
    tn_model_destroy(m);
}
