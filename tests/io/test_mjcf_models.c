/* Real robots: each file either loads, or every line of the error has its place. */
#include "mjcf_text.h"

#include <dirent.h>
#include <tenon/world.h>

static TnError err;
static TnRemarks remarks;

/* `FILE:LINE:COLUMN: ` at the start of each line. */
static bool lines_have_places(const char *message)
{
    for (const char *line = message; line && *line;) {
        const char *end = strchr(line, '\n');
        const char *stop = end ? end : line + strlen(line);
        bool found = false;
        for (const char *c = line; c < stop && !found; c++) {
            int row = 0, column = 0, used = 0;
            if (*c == ':' && sscanf(c, ":%d:%d: %n", &row, &column, &used) == 2 && used > 0)
                found = c > line && row > 0 && column > 0;
        }
        if (!found) return false;
        line = end ? end + 1 : NULL;
    }
    return true;
}

static const char *models_folder(void)
{
    const char *folder = getenv("TENON_MODELS");
    return folder && folder[0] ? folder : TENON_SOURCE_DIR "/../shared/models";
}

static int check_folder(const char *folder, int *loaded)
{
    DIR *dir = opendir(folder);
    int files = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".xml") != 0) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        TnModel *m = tn_model_load_with_remarks(path, &remarks, &err);
        files++;
        *loaded += m != NULL;
        if (m && err.count)
            test_fail(__FILE__, __LINE__, "%s loads with errors: %s", path, err.message);
        if (!m && (err.count == 0 || !lines_have_places(err.message)))
            test_fail(__FILE__, __LINE__, "%s: %s", path, err.message);
        if (!lines_have_places(remarks.message))
            test_fail(__FILE__, __LINE__, "%s: %s", path, remarks.message);
        tn_model_destroy(m);
    }
    if (dir) closedir(dir);
    return files;
}

TEST(robot_files_load_or_explain_themselves)
{
    DIR *dir = opendir(models_folder());
    if (!dir) {
        test_skip("no folder of models (set TENON_MODELS)");
        return;
    }
    int files = 0, loaded = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        char path[768];
        snprintf(path, sizeof path, "%s/%s", models_folder(), entry->d_name);
        files += check_folder(path, &loaded);
    }
    closedir(dir);
    printf("    %d of %d model files load\n", loaded, files);
    CHECK(files > 0);
}

static TnModel *load_robot(const char *file)
{
    char path[768];
    snprintf(path, sizeof path, "%s/%s", models_folder(), file);
    if (access(path, R_OK) != 0) {
        test_skip("no folder of models (set TENON_MODELS)");
        return NULL;
    }
    TnModel *m = tn_model_load(path, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* Counts and masses as MuJoCo reports them for the same files. */
TEST(ur5e_has_mujocos_sizes_and_mass)
{
    TnModel *m = load_robot("universal_robots_ur5e/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    CHECK(info.body_count == 8 && info.qpos_count == 6 && info.dof_count == 6 &&
          info.actuator_count == 6);
    CHECK(info.geom_count == 10 && info.key_count == 1);
    CHECK_NEAR(info.total_mass, 3.7 + 8.393 + 2.275 + 1.219 + 1.219 + 0.1889,
               1e-12); /* rounding of 17; the base is fixed */
    tn_model_destroy(m);
}

TEST(go2_has_mujocos_sizes)
{
    TnModel *m = load_robot("unitree_go2/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    CHECK(info.body_count == 14 && info.qpos_count == 19 && info.dof_count == 18 &&
          info.actuator_count == 12);
    tn_model_destroy(m);
}

TEST(twelve_robots_load)
{
    static const char *const robots[12] = {"franka_emika_panda",
                                           "kuka_iiwa_14",
                                           "robot_soccer_kit",
                                           "shadow_hand",
                                           "trossen_vx300s",
                                           "unitree_go2",
                                           "unitree_h1",
                                           "universal_robots_ur5e",
                                           "agility_cassie",
                                           "robotiq_2f85",
                                           "tetheria_aero_hand_open",
                                           "skydio_x2"};
    for (int i = 0; i < 12; i++) {
        char path[768];
        snprintf(path, sizeof path, "%s/%s/physics.xml", models_folder(), robots[i]);
        if (access(path, R_OK) != 0) {
            test_skip("no folder of models (set TENON_MODELS)");
            return;
        }
        TnModel *m = tn_model_load(path, &err);
        if (!m) test_fail(__FILE__, __LINE__, "%s: %s", path, err.message);
        tn_model_destroy(m);
    }
}

/* An arm of nine meshes against MuJoCo 4.0 at one state. MuJoCo's place of a mesh's own axes is
 * geom_xpos and geom_xmat with mesh_pos and mesh_quat taken off. */
TEST(trossen_with_meshes_has_mujocos_mass_matrix_bias_and_geom_places)
{
    static const double qpos[8] = {0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.03, -0.04};
    static const double qvel[8] = {0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4};
    static const double diagonal[8] = {
        0.100160307424487,   0.234545107986889,    0.173556099544081, 0.0620117553038722,
        0.00572580548271051, 0.000755104940788212, 0.285796,          0.285796};
    static const double row[8] = {-0.00047013748687943, 0.0858231348554858, 0.173556099544081,
                                  0.00245131446659998,  0.0164532659698055, -0.00037019859649276,
                                  0.0124675178409474,   0.0124675178409474};
    static const double bias[8] = {0.369535579382746,   -3.49884379691397,  -3.2978803752497,
                                   -0.0184208864690663, -0.425082990841017, 0.000191225833684167,
                                   -0.249077364687782,  -0.223232640935909};
    /* origins of the meshes of geoms 2 … 10 */
    static const double origins[9][3] = {
        {0, 0, 0},
        {0, 0, 0.076},
        {0, 0, 0.12705},
        {-0.0012316505113577625, -0.0001235772501809642, 0.43290073200121854},
        {0.19677500727276678, 0.01974335582932516, 0.41293404867185285},
        {0.29577833616482896, 0.029676822369078305, 0.40295070700717006},
        {0.33774288899329885, 0.024553631975578524, 0.3767363071075246},
        {0.33759525718353284, 0.024571655422001494, 0.3768285296867794},
        {0.33774288899329863, 0.024553631975578544, 0.3767363071075247}};
    TnModel *m = load_robot("trossen_vx300s/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    REQUIRE(info.qpos_count == 8 && info.dof_count == 8 && info.geom_count == 28);
    REQUIRE(info.mesh_count == 9 && info.body_count == 11);
    CHECK_NEAR(info.total_mass, 2.772905, 1e-12);
    double M[64], b[8], poses[11 * 7];
    TnEval eval = {.mass_matrix = M, .bias = b, .body_poses = poses};
    REQUIRE(tn_model_eval(m, qpos, qvel, NULL, &eval, &err) == TN_OK);
    for (int i = 0; i < 8; i++) { /* numbers above have 15 digits */
        CHECK_NEAR(M[9 * i], diagonal[i], 1e-14);
        CHECK_NEAR(M[16 + i], row[i], 1e-14);
        CHECK_NEAR(b[i], bias[i], 1e-13);
    }
    for (int i = 0; i < 9; i++) {
        TnGeomInfo geom = tn_model_geom_info(m, i + 2);
        CHECK(geom.type == TN_GEOM_MESH && geom.mesh > 0);
        const double *pose = poses + 7 * (geom.body - 1), *q = pose + 3;
        /* pos + 2 (w u + u × (u ×)) pos, written out by components of the cross products */
        double t[3], turned[3];
        for (int k = 0; k < 3; k++)
            t[k] = 2 * (q[1 + (k + 1) % 3] * geom.pos[(k + 2) % 3] -
                        q[1 + (k + 2) % 3] * geom.pos[(k + 1) % 3]);
        for (int k = 0; k < 3; k++)
            turned[k] = geom.pos[k] + q[0] * t[k] + q[1 + (k + 1) % 3] * t[(k + 2) % 3] -
                        q[1 + (k + 2) % 3] * t[(k + 1) % 3];
        for (int k = 0; k < 3; k++) CHECK_NEAR(pose[k] + turned[k], origins[i][k], 1e-14);
    }
    tn_model_destroy(m);
}

static TnWorld *start_world(const TnModel *model, const char *key)
{
    TnWorldDef def = tn_world_def();
    def.key = key ? tn_model_find_key(model, key) : 0;
    return tn_world_create(&def, model, &err);
}

/* The numbers of MuJoCo 4.0 after the same two seconds, which are the servos' rest under gravity.
 */
TEST(panda_holds_its_home_pose_with_its_fingers_open)
{
    static const double rest[9] = {0,        0.006582,  -2e-6, -1.577103, -0.000334,
                                   1.569649, -0.785300, 0.04,  0.04};
    TnModel *m = load_robot("franka_emika_panda/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    CHECK(info.tendon_count == 1 && info.actuator_count == 8 && info.dof_count == 9);
    CHECK(tn_model_find_tendon(m, "split") == 1);
    CHECK(strcmp(tn_model_tendon_name(m, 1), "split") == 0);
    TnWorld *world = start_world(m, "home");
    REQUIRE(world);
    bool diverged = false;
    for (int k = 0; k < 1000; k++) diverged |= tn_world_step(world).diverged;
    CHECK(!diverged);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(tn_world_state(world).qpos[i], rest[i], 2e-6); /* MuJoCo's digits as given */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(panda_closes_its_fingers_through_their_tendon)
{
    TnModel *m = load_robot("franka_emika_panda/physics.xml");
    if (!m) return;
    TnWorld *world = start_world(m, "home");
    REQUIRE(world);
    double ctrl[8];
    memcpy(ctrl, tn_world_state(world).ctrl, sizeof ctrl);
    ctrl[7] = 127.5; /* half open */
    CHECK(tn_world_set_ctrl(world, ctrl, &err) == TN_OK);
    for (int k = 0; k < 1000; k++) tn_world_step(world);
    for (int i = 7; i < 9; i++) /* gain 0.0157 · 127.5 = 100 q; kv/kp = 0.1 s leaves e^-20 */
        CHECK_NEAR(tn_world_state(world).qpos[i], 0.02, 1e-5);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* Actuator forces of MuJoCo 4.0 at one state; those of lh_A_FFJ0 … act on tendons. */
TEST(shadow_hand_has_mujocos_actuator_forces)
{
    TnModel *m = load_robot("shadow_hand/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    REQUIRE(info.tendon_count == 4 && info.actuator_count == 20 && info.qpos_count == 31);
    double qpos[31], qvel[30], ctrl[20], force[20];
    for (int i = 0; i < 31; i++) qpos[i] = 0.01 * (i + 1);
    for (int i = 0; i < 30; i++) qvel[i] = 0.02 * (i + 1);
    for (int i = 0; i < 20; i++) ctrl[i] = 0.05 * i - 0.3;
    TnEval out = {.actuator_force = force};
    REQUIRE(tn_model_eval(m, qpos, qvel, ctrl, &out, &err) == TN_OK);
    static const double expected[20] = {-3.1, -2.16, -0.16, -0.21,    -0.16, -0.42, -0.24,
                                        0.02, 0.06,  0.02,  0.13,     0.17,  0.055, 0.239066,
                                        0.28, 0.09,  0.35,  0.189066, 0.43,  0.14};
    for (int i = 0; i < 20; i++) CHECK_NEAR(force[i], expected[i], 1e-12); /* rounding */
    tn_model_destroy(m);
}

/* The kicker's damping ratio of 1: kv as MuJoCo 4.0 compiles it. */
TEST(soccer_kit_has_mujocos_damping_from_its_ratio)
{
    TnModel *m = load_robot("robot_soccer_kit/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    REQUIRE(info.actuator_count == 4 && info.qpos_count == 71 && info.dof_count == 70);
    double qpos[71] = {0}, qvel[70] = {0}, force[4];
    qpos[3] = 1.0;
    qvel[69] = 1.0; /* the kicker */
    TnEval out = {.actuator_force = force};
    REQUIRE(tn_model_eval(m, qpos, qvel, NULL, &out, &err) == TN_OK);
    CHECK_NEAR(force[3], -5.328645726749087, 1e-13); /* rounding of a solve with 70 unknowns */
    tn_model_destroy(m);
}
