/* Definitions written as MJCF (tn_builder_write): what is loaded again is the same model, bit for
 * bit. */
#include "base/base.h"
#include "mjcf_text.h"

#include <sys/stat.h>
#include <tenon/definitions.h>
#include <tenon/tet_mesh.h>
#include <tenon/world.h>

static TnError err;
static char folder[512]; /* of this test, with two others in it */

static void make_folders(void)
{
    const char *tmp = getenv("TMPDIR");
    char path[600];
    snprintf(folder, sizeof folder, "%s/tenon_write_XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    REQUIRE(mkdir(path, 0777) == 0);
    snprintf(path, sizeof path, "%s/b", folder);
    REQUIRE(mkdir(path, 0777) == 0);
}

static void remove_folders(void)
{
    char command[600];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    fclose(file);
    return text;
}

/* Some steps under controls that move everything, from the first key if there is one. */
static uint64_t hash_after(const TnModel *m, int steps)
{
    TnWorldDef def = tn_world_def();
    if (tn_model_info(m).key_count) def.key = 1;
    TnWorld *world = tn_world_create(&def, m, &err);
    if (!world) return 0;
    int count = tn_model_info(m).actuator_count;
    double *ctrl = calloc((size_t)count + 1, sizeof *ctrl);
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < count; i++) ctrl[i] = 0.1 * ((7 * i + 3 * k) % 19) - 0.9;
        tn_world_set_ctrl(world, ctrl, NULL);
        tn_world_step(world);
    }
    free(ctrl);
    uint64_t hash = tn_world_hash(world);
    tn_world_destroy(world);
    return hash;
}

#define SAME_NAMES(WHAT, ARRAY)                                                                    \
    do {                                                                                           \
        CHECK(a.WHAT##_count == b.WHAT##_count);                                                   \
        for (int i_ = 0; i_ < a.WHAT##_count && i_ < b.WHAT##_count; i_++)                         \
            if (a.ARRAY[i_].name && a.ARRAY[i_].name[0])                                           \
                CHECK(strcmp(a.ARRAY[i_].name, b.ARRAY[i_].name) == 0);                            \
    } while (0)

static void check_names(TnDefinitions a, TnDefinitions b)
{
    CHECK(strcmp(a.name, b.name) == 0);
    SAME_NAMES(body, bodies);
    SAME_NAMES(joint, joints);
    SAME_NAMES(geom, geoms);
    SAME_NAMES(tendon, tendons);
    SAME_NAMES(actuator, actuators);
    SAME_NAMES(equality, equalities);
    SAME_NAMES(sensor, sensors);
    SAME_NAMES(key, keys);
    SAME_NAMES(mesh, meshes);
    SAME_NAMES(camera, cameras);
    SAME_NAMES(wheel, wheels);
    CHECK(a.pair_count == b.pair_count && a.exclude_count == b.exclude_count);
    CHECK(a.rod_count == b.rod_count && a.soft_count == b.soft_count && a.tie_count == b.tie_count);
    CHECK((a.track != NULL) == (b.track != NULL));
    for (int i = 0; i < a.sensor_count && i < b.sensor_count; i++)
        CHECK(a.sensors[i].type == b.sensors[i].type && a.sensors[i].cutoff == b.sensors[i].cutoff);
    for (int i = 0; i < a.geom_count && i < b.geom_count; i++)
        CHECK(memcmp(a.geoms[i].rgba, b.geoms[i].rgba, sizeof a.geoms[i].rgba) == 0);
    for (int i = 0; i < a.camera_count && i < b.camera_count; i++)
        CHECK(a.cameras[i].fovy == b.cameras[i].fovy);
}

/* Files of the checkout may be read from the test's folder, wherever both lie. */
static TnLoadDef any_file(void)
{
    TnLoadDef load = tn_load_def();
    load.reach = TN_FILES_ANY;
    return load;
}

/* Written, loaded, and written once more: the same text, names and motion. */
static void check_builder(const TnModelBuilder *builder, const TnModel *m, const char *what,
                          int steps)
{
    char first[600], second[600];
    snprintf(first, sizeof first, "%s/a/model.xml", folder);
    snprintf(second, sizeof second, "%s/b/model.xml", folder);
    CHECK(tn_builder_write(builder, first, &err));
    if (err.count) test_fail(__FILE__, __LINE__, "%s: %s", what, err.message);
    TnLoadDef load = any_file();
    TnModelBuilder *again = tn_builder_load(first, &load, NULL, &err);
    if (!again) test_fail(__FILE__, __LINE__, "%s: %s", what, err.message);
    if (!again) return;
    check_names(tn_builder_definitions(builder), tn_builder_definitions(again));
    CHECK(tn_builder_write(again, second, &err));
    char *one = read_text(first), *two = read_text(second);
    if (!one || !two || strcmp(one, two) != 0)
        test_fail(__FILE__, __LINE__, "%s: another text the second time", what);
    TnModel *copy = tn_builder_compile(again, &err);
    if (!copy) test_fail(__FILE__, __LINE__, "%s: %s", what, err.message);
    if (copy && hash_after(m, steps) != hash_after(copy, steps))
        test_fail(__FILE__, __LINE__, "%s: it moves otherwise", what);
    free(one);
    free(two);
    tn_model_destroy(copy);
    tn_builder_destroy(again);
}

static void check_file(const char *path, int steps)
{
    TnLoadDef load = any_file();
    TnModelBuilder *builder = tn_builder_load(path, &load, NULL, &err);
    TnModel *m = builder ? tn_builder_compile(builder, &err) : NULL;
    if (m)
        check_builder(builder, m, path, steps);
    else
        test_fail(__FILE__, __LINE__, "%s", err.message);
    tn_model_destroy(m);
    tn_builder_destroy(builder);
}

TEST(every_scene_loads_again_with_the_same_bits)
{
    static const char *const scenes[] = {"arch",       "beam",  "cable",   "cards",        "cradle",
                                         "doubling",   "drape", "gripper", "heavy",        "knot",
                                         "knife_edge", "pinch", "pyramid", "rolling_disc", "stir",
                                         "press",      "tower", "wall",    "thin_arch"};
    make_folders();
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char path[600];
        snprintf(path, sizeof path, TENON_SOURCE_DIR "/scenes/%s.xml", scenes[i]);
        check_file(path, UNLESS_SANITIZED(20, 0));
    }
    remove_folders();
}

TEST(models_of_tests_load_again_with_the_same_bits)
{
    static const char *const paths[] = {DATA("all_kinds.xml"),
                                        DATA("include_main.xml"),
                                        DATA("track.xml"),
                                        DATA("all_joints.urdf"),
                                        DATA("humanoid.urdf"),
                                        DATA("mobile_base.urdf"),
                                        DATA("packages/arm_description/urdf/arm.urdf")};
    make_folders();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) check_file(paths[i], 20);
    remove_folders();
}

/* What MJCF has beside: media, activations, muscles, mocap bodies, springs by time constants, … */
static const char *const OTHERS =
    "<mujoco><compiler settotalmass='7'/>"
    "<option density='1.2' viscosity='0.01' wind='1 2 3'><flag filterparent='disable'/></option>"
    "<worldbody><body name='hand' mocap='true' pos='5 0 0'><geom size='0.1'/></body>"
    "<body><freejoint align='true'/><geom size='0.1' pos='0.2 0 0'/>"
    "<geom type='box' size='.1 .2 .3' euler='10 20 30' shellinertia='true'/></body>"
    "<site name='here' pos='0 3 1'/><flexcomp name='soft' dim='3' count='4 3 2' dof='quadratic' "
    "cellcount='1 1 1' pos='0 0 5'><elasticity young='1e5'/><pin range='18 26'/></flexcomp>"
    "<flexcomp name='solid' type='gmsh' file='" TENON_SOURCE_DIR
    "/tests/io/data/two_tets.msh'><edge equality='true' damping='3'/></flexcomp>"
    "<flexcomp name='sheet' type='gmsh' dim='2' file='" TENON_SOURCE_DIR
    "/tests/io/data/triangles.msh' pos='0 0 9'><edge equality='true' damping='3'/></flexcomp>"
    "<body pos='3 3 0'><freejoint/><geom type='sdf' mesh='ring'/></body>"
    "<body pos='0 3 0'><site name='there' pos='.3 .1 0'/><joint name='j' range='-90 90' "
    "springdamper='0.1 0.7'/><geom type='ellipsoid' "
    "size='.1 .2 .3' pos='.3 0 0' fluidshape='ellipsoid' fluidcoef='.1 .2 .3 .4 .5'/>"
    "<body pos='1 0 0'><joint name='k' axis='0 1 0' stiffness='1 .2 3' damping='0 .1'/><geom "
    "size='.1' pos='.1 0 0'/></body></body>"
    "</worldbody><actuator>"
    "<muscle name='m' joint='j' lengthrange='-1 1' timeconst='.02 .05' force='3'/>"
    "<cylinder name='c' joint='k' timeconst='0.3' area='2' bias='.1 .2 -.3'/>"
    "<intvelocity name='i' joint='k' kp='2' actrange='-1 1'/>"
    "<damper name='d' joint='j' kv='3' ctrlrange='0 1'/>"
    "<general name='g' joint='k' gaintype='affine' gainprm='1 -2 -.5' dyntype='filterexact' "
    "dynprm='.1' actearly='true'/><motor name='r' joint='k' gear='3' armature='.1' damping='.2 "
    ".3'/>"
    "<muscle name='n' tendon='s'/></actuator><tendon><fixed armature='.3'><joint joint='j' "
    "coef='2'/>"
    "</fixed><spatial name='s' armature='.7'><site site='here'/><site site='there'/></spatial>"
    "</tendon>"
    "<keyframe><key qpos='0 0 1 1 0 0 0 3 3 0 1 0 0 0 .1 .2' act='.1 .2 .3 .4 .5' mpos='5 1 1' "
    "mquat='0 1 0 0'/>"
    "</keyframe><asset><mesh name='ring' builtin='supertorus' params='12 .5 1 1'/><hfield name='h' "
    "nrow='3' ncol='4' size='2 2 1 .1' elevation='0 1 0 1 1 0 1 "
    "0 "
    "0 0 1 1'/></asset><worldbody><geom type='hfield' hfield='h' pos='9 0 0'/></worldbody>"
    "</mujoco>";

static void check_text(const char *text)
{
    make_folders();
    char path[600];
    snprintf(path, sizeof path, "%s/model.xml", folder);
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    fputs(text, file);
    fclose(file);
    check_file(path, 20);
    remove_folders();
}

TEST(media_muscles_and_mocap_bodies_are_kept) { check_text(OTHERS); }

/* Sensors of everything, a controller, adhesion. */
static const char *const SENSORS =
    "<mujoco><asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
    "<camera name='c' pos='0 -3 1' resolution='64 48'/><geom name='floor' type='plane' size='1 1 "
    "1'/>"
    "<body name='a' pos='0 0 .3'><freejoint/><geom name='ball' size='.1'/><geom type='box' "
    "size='.1 .2 .05' pos='.2 0 0'/><site name='s' type='box' size='.2 .3 .1'/>"
    "<geom name='me' type='mesh' mesh='t' pos='0 0 .5'/></body>"
    "<body name='p' pos='2 0 1'><joint name='h' axis='0 1 0' range='-10 10'/>"
    "<geom size='.1' pos='.3 0 0'/></body></worldbody>"
    "<extension><plugin plugin='mujoco.pid'/></extension><actuator>"
    "<plugin name='pd' plugin='mujoco.pid' joint='h' actdim='1'><config key='kp' value='3'/>"
    "<config key='ki' value='1'/></plugin>"
    "<adhesion name='ad' body='a' ctrlrange='0 1' gain='2'/></actuator><sensor>"
    "<touch site='s'/><rangefinder site='s' data='dist point'/><camprojection site='s' camera='c'/>"
    "<insidesite site='s' objtype='geom' objname='ball'/>"
    "<distance geom1='floor' body2='a' cutoff='2'/><normal geom1='floor' geom2='ball' cutoff='1'/>"
    "<fromto body1='p' body2='a' cutoff='5'/><contact geom1='floor' subtree2='a' num='3' "
    "data='found force pos' reduce='maxforce'/><contact site='s' data='found'/><user dim='4'/>"
    "<e_potential/><e_kinetic/><jointlimitpos joint='h'/><jointlimitfrc joint='h'/>"
    "<framequat objtype='body' objname='a'/><framequat objtype='geom' objname='me'/>"
    "<framepos objtype='body' objname='p' reftype='body' refname='a'/></sensor></mujoco>";

TEST(sensors_controllers_and_adhesion_are_kept) { check_text(SENSORS); }

/* ---- C calls ---- */

static TnBodyId add_box(TnModelBuilder *b, TnBodyId parent, const char *name, double x)
{
    TnBodyDef body = tn_body_def();
    body.parent = parent;
    body.name = name;
    body.pos[0] = x;
    body.pos[2] = 0.1;
    TnBodyId id = tn_builder_add_body(b, &body);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.type = TN_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.03;
    geom.rgba[0] = 1.0 / 3.0;
    geom.restitution = 0.25;
    tn_builder_add_geom(b, &geom);
    return id;
}

static TnJointId add_joint(TnModelBuilder *b, TnBodyId body, const char *name, TnJointType type)
{
    TnJointDef joint = tn_joint_def();
    joint.body = body;
    joint.name = name;
    joint.type = type;
    joint.axis[0] = 0.6;
    joint.axis[1] = 0.0;
    joint.axis[2] = 0.8;
    joint.damping = 0.1 / 3.0;
    return tn_builder_add_joint(b, &joint);
}

/* Everything without a name: what others refer to gets one. */
static TnModelBuilder *build_nameless(void)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId arm = add_box(b, TN_BODY_WORLD, NULL, 0.0), hand = add_box(b, arm, NULL, 0.2);
    TnBodyId loose = add_box(b, TN_BODY_WORLD, NULL, 1.0);
    TnJointId hinge = add_joint(b, arm, NULL, TN_JOINT_HINGE);
    TnJointId slide = add_joint(b, hand, NULL, TN_JOINT_SLIDE);
    add_joint(b, loose, NULL, TN_JOINT_FREE);
    TnSiteDef site = tn_site_def();
    site.body = hand;
    site.pos[1] = 0.1;
    TnSiteId tip = tn_builder_add_site(b, &site);
    TnTendonJoint parts[2] = {{hinge, 0.5}, {slide, -1.0 / 3.0}};
    TnTendonDef tendon = tn_tendon_def();
    tendon.joints = parts;
    tendon.joint_count = 2;
    tendon.stiffness = 3;
    tendon.has_spring_length = true;
    tendon.spring_length = 0.1;
    TnTendonId pulley = tn_builder_add_tendon(b, &tendon);
    TnActuatorDef servo = tn_actuator_def();
    servo.joint = hinge;
    servo.gain = 5;
    servo.bias[1] = -5;
    servo.damping_ratio = 0.7;
    tn_builder_add_actuator(b, &servo);
    TnActuatorDef winch = tn_actuator_def();
    winch.tendon = pulley;
    winch.gear = 2;
    winch.force_limited = true;
    winch.force_range[0] = -1;
    winch.force_range[1] = 1;
    TnActuatorId motor = tn_builder_add_actuator(b, &winch);
    TnEqualityDef equality = tn_equality_def();
    equality.type = TN_EQUALITY_JOINT;
    equality.joint1 = hinge;
    equality.joint2 = slide;
    equality.polycoef[1] = 0.7;
    equality.active = false;
    tn_builder_add_equality(b, &equality);
    static const TnSensorType kinds[] = {TN_SENSOR_SITE_POS, TN_SENSOR_GYRO,
                                         TN_SENSOR_ACCELEROMETER};
    for (int i = 0; i < 3; i++) {
        TnSensorDef sensor = tn_sensor_def();
        sensor.type = kinds[i];
        sensor.object = tip;
        sensor.cutoff = i == 1 ? 2.5 : 0.0;
        tn_builder_add_sensor(b, &sensor);
    }
    TnSensorDef force = tn_sensor_def();
    force.type = TN_SENSOR_ACTUATOR_FORCE;
    force.object = motor;
    tn_builder_add_sensor(b, &force);
    TnSensorDef mass = tn_sensor_def();
    mass.type = TN_SENSOR_SUBTREE_POS;
    mass.object = arm;
    tn_builder_add_sensor(b, &mass);
    TnPairDef pair = tn_pair_def();
    pair.geom1 = 1;
    pair.geom2 = 3;
    pair.restitution = 0.25; /* as the geoms have it */
    tn_builder_add_pair(b, &pair);
    tn_builder_add_exclude(b, arm, loose, (TnSource){0});
    TnCameraDef camera = tn_camera_def();
    camera.mode = TN_CAMERA_TARGET;
    camera.target = loose;
    camera.fovy = 1.0;
    tn_builder_add_camera(b, &camera);
    double times[2] = {0, 1}, ctrl[4] = {0, 0.1, 0.2, 1.0 / 3.0};
    TnTrackDef track = {.row_count = 2, .times = times, .ctrl = ctrl, .loop_from = -1};
    tn_builder_set_track(b, &track);
    return b;
}

TEST(what_has_no_name_gets_one_where_others_refer_to_it)
{
    make_folders();
    TnModelBuilder *b = build_nameless();
    TnModel *m = tn_builder_compile(b, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    if (m) check_builder(b, m, "the nameless model", 20);
    tn_model_destroy(m);
    tn_builder_destroy(b);
    remove_folders();
}

/* A cable between bodies, soft bodies that are held and tied, a wheel: all of <tenon>. */
static TnModelBuilder *build_soft(void)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId first = add_box(b, TN_BODY_WORLD, "first & <last>", 0.0);
    add_joint(b, first, "j", TN_JOINT_HINGE);
    TnRodDef rod = tn_rod_def();
    rod.name = "hose";
    rod.segment_count = 5;
    rod.start[0] = 0.3;
    rod.end[0] = 0.8;
    rod.start[2] = rod.end[2] = 0.5;
    rod.restitution = 0.1;
    rod.rgba[1] = 0.2;
    TnRodParts parts = tn_builder_rod_parts(b, tn_builder_add_rod(b, &rod));
    TnSiteDef site = tn_site_def();
    site.name = "nozzle";
    site.body = parts.body + 4;
    tn_builder_add_site(b, &site);
    TnBodyId cart = add_box(b, TN_BODY_WORLD, "cart", 2.0);
    add_joint(b, cart, "drive", TN_JOINT_FREE);
    TnWheelDef wheel = tn_wheel_def();
    wheel.body = cart;
    wheel.radius = 0.1;
    wheel.kind = TN_WHEEL_SKATE;
    tn_builder_add_wheel(b, &wheel);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = parts.body;
    weld.body2 = first;
    tn_builder_add_equality(b, &weld);
    TnTetMesh mesh;
    const double half[3] = {0.1, 0.1, 0.1};
    const int cells[3] = {2, 2, 2};
    if (!tn_tet_mesh_box(half, cells, 5, &mesh, &err)) test_fail(__FILE__, __LINE__, "no mesh");
    const TnSoftHoldDef holds[2] = {{0, TN_BODY_WORLD}, {3, cart}};
    TnSoftId ids[2];
    for (int i = 0; i < 2; i++) {
        TnSoftDef soft = tn_soft_def();
        soft.name = i == 0 ? "lower" : NULL;
        soft.mesh = mesh;
        soft.pos[2] = 1.0 + 0.2 * i;
        soft.pos[0] = 2.0;
        soft.contact_type = soft.contact_affinity = 0;
        soft.holds = i == 0 ? holds : NULL;
        soft.hold_count = i == 0 ? 2 : 0;
        soft.law = i == 0 ? TN_SOFT_COROTATIONAL : TN_SOFT_NEO_HOOKEAN;
        soft.mean_dilatation = i == 0;
        ids[i] = tn_builder_add_soft(b, &soft);
    }
    for (int node = 18; node < 27; node++) {
        TnTieDef tie = {.soft1 = ids[0], .soft2 = ids[1], .node = node};
        tn_builder_add_tie(b, &tie);
    }
    tn_tet_mesh_free(&mesh);
    const double sides[2] = {0.2, 0.3};
    const int squares[2] = {3, 2};
    if (!tn_sheet_mesh_rectangle(sides, squares, &mesh, &err)) test_fail(__FILE__, __LINE__, "no");
    TnSoftDef sheet = tn_soft_def();
    sheet.name = "flag";
    sheet.mesh = mesh;
    sheet.thickness = 0.002;
    sheet.no_bend_force = true;
    sheet.pos[2] = 3.0;
    tn_builder_add_soft(b, &sheet);
    tn_tet_mesh_free(&mesh);
    return b;
}

TEST(cables_soft_bodies_and_wheels_of_c_calls_are_kept)
{
    make_folders();
    TnModelBuilder *b = build_soft();
    TnModel *m = tn_builder_compile(b, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    if (m) check_builder(b, m, "the soft model", 10);
    tn_model_destroy(m);
    tn_builder_destroy(b);
    remove_folders();
}

/* Two trees, added by turns and breadth first: coordinates of the file have another order. */
TEST(keys_follow_the_order_of_the_file)
{
    static const char *const names[5] = {"a", "b", "c", "d", "e"};
    double qpos[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    TnModelBuilder *b = tn_builder_create();
    TnBodyId root = add_box(b, TN_BODY_WORLD, "A", 0), other = add_box(b, TN_BODY_WORLD, "O", 3);
    TnBodyId left = add_box(b, root, "L", 0.2), right = add_box(b, root, "R", -0.2);
    TnBodyId below = add_box(b, left, "B", 0.2);
    const TnBodyId bodies[5] = {root, other, left, right, below};
    for (int i = 0; i < 5; i++) add_joint(b, bodies[i], names[i], TN_JOINT_HINGE);
    TnModel *m = tn_builder_compile(b, &err);
    REQUIRE(m);
    for (int i = 0; i < 5; i++) /* by joint, wherever the model has it */
        qpos[tn_model_joint_info(m, tn_model_find_joint(m, names[i])).qpos_start] = 0.1 * (i + 1);
    tn_model_destroy(m);
    TnKeyDef key = {.name = "start", .qpos = qpos, .qpos_count = 5};
    tn_builder_add_key(b, &key);
    make_folders();
    char path[600];
    snprintf(path, sizeof path, "%s/a/model.xml", folder);
    CHECK(tn_builder_write(b, path, &err));
    m = tn_model_load(path, &err);
    REQUIRE(m);
    TnWorldDef def = tn_world_def();
    def.key = 1;
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    bool moved = false;
    for (int i = 0; i < 5; i++) {
        int at = tn_model_joint_info(m, tn_model_find_joint(m, names[i])).qpos_start;
        CHECK(tn_world_state(world).qpos[at] == 0.1 * (i + 1));
        moved |= tn_world_state(world).qpos[i] != qpos[i];
    }
    CHECK(moved); /* the orders do differ */
    tn_world_destroy(world);
    tn_model_destroy(m);
    tn_builder_destroy(b);
    remove_folders();
}

/* ---- what cannot be written ---- */

static void check_refused(TnModelBuilder *b, const char *part)
{
    char path[600];
    snprintf(path, sizeof path, "%s/a/model.xml", folder);
    CHECK(!tn_builder_write(b, path, &err));
    CHECK(err.code == TN_ERROR_MODEL);
    if (!strstr(err.message, part)) test_fail(__FILE__, __LINE__, "%s", err.message);
    CHECK(access(path, F_OK) != 0); /* nothing is left */
    tn_builder_destroy(b);
}

TEST(what_mjcf_cannot_say_is_an_error_and_leaves_no_file)
{
    make_folders();
    TnModelBuilder *b = tn_builder_create();
    add_box(b, TN_BODY_WORLD, "a", 0);
    add_box(b, TN_BODY_WORLD, "b", 1);
    TnPairDef pair = tn_pair_def();
    pair.geom1 = 1;
    pair.geom2 = 2;
    pair.restitution = 0.9;
    tn_builder_add_pair(b, &pair);
    check_refused(b, "pair 1 cannot be written");

    b = tn_builder_create();
    add_box(b, TN_BODY_WORLD, "a", 0);
    TnBodyDef heavy = tn_body_def();
    heavy.name = "heavy";
    heavy.min_mass = 1;
    tn_builder_add_body(b, &heavy);
    check_refused(b, "body 'heavy' cannot be written");

    b = tn_builder_create();
    TnGeomDef geom = tn_geom_def();
    geom.type = TN_GEOM_HEIGHT_FIELD;
    tn_builder_add_geom(b, &geom);
    check_refused(b, "geom 1 cannot be written");

    b = tn_builder_create();
    TnSensorDef sensor = tn_sensor_def();
    sensor.type = (TnSensorType)9999;
    sensor.name = "sense";
    tn_builder_add_sensor(b, &sensor);
    check_refused(b, "sensor 'sense' cannot be written");
    remove_folders();
}

TEST(a_path_that_cannot_be_written_is_an_error)
{
    TnModelBuilder *b = tn_builder_create();
    CHECK(!tn_builder_write(b, "/nowhere/at/all/model.xml", &err));
    CHECK(err.code == TN_ERROR_IO);
    CHECK(!tn_builder_write(NULL, "model.xml", &err) && err.code == TN_ERROR_USAGE);
    CHECK(!tn_builder_write(b, "", &err) && err.code == TN_ERROR_USAGE);
    tn_builder_destroy(b);
}

TEST(every_failing_allocation_is_an_error)
{
    make_folders();
    char path[600];
    snprintf(path, sizeof path, "%s/a/model.xml", folder);
    TnModelBuilder *b = build_nameless();
    bool good = false;
    long calls = 0;
    for (; !good && calls < 10000; calls++) {
        tn_malloc_fail_after(calls);
        good = tn_builder_write(b, path, &err);
        tn_malloc_fail_after(-1);
        if (!good) CHECK(err.code == TN_ERROR_MEMORY);
    }
    CHECK(good && calls > 10); /* the hook is really in the way */
    tn_builder_destroy(b);
    remove_folders();
}

/* A definition that has grown is written without its new member until someone adds it: to the
 * table of its kind in mjcf_write_*.c, or to what is an error there; then here. */
TEST(no_definition_has_grown_unnoticed)
{
#ifdef __x86_64__
    CHECK(sizeof(TnOption) == 160);
    CHECK(sizeof(TnBodyDef) == 280);
    CHECK(sizeof(TnJointDef) == 240);
    CHECK(sizeof(TnGeomDef) == 288);
    CHECK(sizeof(TnSiteDef) == 128);
    CHECK(sizeof(TnTendonDef) == 192);
    CHECK(sizeof(TnActuatorDef) == 528);
    CHECK(sizeof(TnEqualityDef) == 192);
    CHECK(sizeof(TnPairDef) == 88);
    CHECK(sizeof(TnSensorDef) == 88);
    CHECK(sizeof(TnKeyDef) == 120);
    CHECK(sizeof(TnMeshDef) == 80);
    CHECK(sizeof(TnCameraDef) == 112);
    CHECK(sizeof(TnTextureDef) == 304);
    CHECK(sizeof(TnMaterialDef) == 136);
    CHECK(sizeof(TnLightDef) == 208);
    CHECK(sizeof(TnRodDef) == 296);
    CHECK(sizeof(TnWheelDef) == 128);
    CHECK(sizeof(TnSoftDef) == 320);
    CHECK(sizeof(TnTieDef) == 40);
    CHECK(sizeof(TnTrackDef) == 48);
    CHECK(sizeof(TnView) == 176);
    CHECK(sizeof(TnDefinitions) == 592);
#endif
}
