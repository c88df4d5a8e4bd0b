/* Every public function that takes an id or an index, with ones that do not exist: -1, the first
 * beyond the last, 9999, the ends of int. Nothing crashes, nothing changes, and who returns a
 * status says TN_ERROR_USAGE. The last test reads the headers: a function that is missing here
 * fails it. */
#include "../check.h"

#include <dirent.h>
#include <limits.h>
#include <tenon/batch.h>
#include <tenon/problem_file.h>
#include <tenon/record.h>
#include <tenon/tenon.h>
#include <unistd.h>

/* One of each. */
static const char scene[] =
    "<mujoco><asset><mesh name='t' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset><worldbody>"
    "<geom type='plane' size='1 1 1'/><camera name='c'/>"
    "<body name='b' pos='0 0 .1'><freejoint/><geom name='g' size='.1'/><site name='s'/></body>"
    "<body name='arm' pos='1 0 1'><joint name='j'/><geom size='.1' pos='.2 0 0'/><site name='e'/>"
    "</body><body name='hand' mocap='true' pos='3 0 1'><geom size='.1'/></body>"
    "<composite type='cable' prefix='k' curve='s' count='3 1 1' size='.3' offset='0 3 1' "
    "initial='free'><geom type='capsule' size='.02'/></composite></worldbody>"
    "<tendon><spatial name='w'><site site='s'/><site site='e'/></spatial></tendon>"
    "<actuator><motor name='m' joint='j'/></actuator>"
    "<equality><joint joint1='j' active='false'/><connect body1='b' body2='hand' anchor='0 0 0' "
    "active='false'/></equality><sensor><jointpos joint='j'/></sensor>"
    "<keyframe><key name='k'/></keyframe><tenon><wheel name='r' body='b' radius='.1'/>"
    "<soft name='f' box='.1 .1 .1' cells='1 1 1' pos='-3 0 1'/></tenon></mujoco>";

typedef struct All {
    TnModel *m;
    TnModelInfo info;
    TnWorld *w;
    TnBatch *batch;
    TnSolver *solver;
    TnRecording *recording;
    TnFrame *frame;
    TnModelBuilder *builder;
    int wrong; /* statuses that were not TN_ERROR_USAGE */
} All;

static double a[64], b[64]; /* inputs and outputs that are never read */
static double many[2048];   /* Jacobians of two worlds */
static const double upright[] = {1, 0, 0, 0, 1, 0, 0, 0}; /* of two worlds */

static TnStatus ik_of_body(const TnModel *model, int id, double *qpos)
{
    TnIkDef def = {.targets = &(TnIkTarget){.body = id}, .target_count = 1};
    return tn_model_ik(model, &def, qpos, &(TnIkResult){0}, NULL);
}

/* A name, how many there are of what it asks about, and the call. STATUS: the call has to be
 * refused. Ids count from 1, indices from 0; neither has the number `count + 1`. */
#define STATUS(CALL) x->wrong += (CALL) != TN_ERROR_USAGE
#define CALLS(X)                                                                                   \
    X(tn_world_reset, key_count, tn_world_reset(x->w, id))                                         \
    X(tn_world_island, body_count, tn_world_island(x->w, id))                                      \
    X(tn_world_worst_constraint, body_count, tn_world_worst_constraint(x->w, id, (char *)a, 8))    \
    X(tn_world_body_asleep, body_count, tn_world_body_asleep(x->w, id))                            \
    X(tn_world_body_loss, body_count, x->wrong += tn_world_body_loss(x->w, id) != 0.0)             \
    X(tn_world_soft_loss, soft_count, x->wrong += tn_world_soft_loss(x->w, id) != 0.0)             \
    X(tn_world_wake, body_count, tn_world_wake(x->w, id))                                          \
    X(tn_world_subsystem_info, body_count, tn_world_subsystem_info(x->w, id))                      \
    X(tn_world_body_subsystem, body_count, tn_world_body_subsystem(x->w, id))                      \
    X(tn_world_soft_subsystems, soft_count, tn_world_soft_subsystems(x->w, id, (int32_t *)a))      \
    X(tn_world_apply_wrench, body_count, tn_world_apply_wrench(x->w, id, b, b))                    \
    X(tn_world_set_mocap, body_count, STATUS(tn_world_set_mocap(x->w, id, b, b, NULL)))            \
    X(tn_world_place_mocap, body_count, STATUS(tn_world_place_mocap(x->w, id, b, b, NULL)))        \
    X(tn_world_mocap, body_count, x->wrong += tn_world_mocap(x->w, id, a, a))                      \
    X(tn_world_apply_node_force, soft_count, tn_world_apply_node_force(x->w, id, 0, b);            \
      tn_world_apply_node_force(x->w, 1, id > 0 && id < 1000 ? id + 8 : id, b))                    \
    X(tn_world_soft_stress, soft_count, STATUS(tn_world_soft_stress(x->w, id, a, a, NULL)))        \
    X(tn_world_body_pose, body_count, tn_world_body_pose(x->w, id, a, a))                          \
    X(tn_world_tendon_way, tendon_count, tn_world_tendon_way(x->w, id, a))                         \
    X(tn_world_body_velocity, body_count, tn_world_body_velocity(x->w, id, a, a))                  \
    X(tn_world_site_pose, site_count, tn_world_site_pose(x->w, id, a, a))                          \
    X(tn_world_site_velocity, site_count, tn_world_site_velocity(x->w, id, a, a))                  \
    X(tn_world_geom_pose, geom_count, tn_world_geom_pose(x->w, id, a, a))                          \
    X(tn_world_geom_velocity, geom_count, tn_world_geom_velocity(x->w, id, a, a))                  \
    X(tn_world_contact, geom_count, tn_world_contact(x->w, id == 0 ? -1 : id))                     \
    X(tn_world_body_reaction, body_count, x->wrong += tn_world_body_reaction(x->w, id).known)      \
    X(tn_world_joint_reaction, joint_count, x->wrong += tn_world_joint_reaction(x->w, id).known)   \
    X(tn_world_equality_reaction, equality_count,                                                  \
      x->wrong += tn_world_equality_reaction(x->w, id).known)                                      \
    X(tn_world_self_overlap, geom_count, tn_world_self_overlap(x->w, id))                          \
    X(tn_world_set_equality, equality_count, STATUS(tn_world_set_equality(x->w, id, true, NULL)))  \
    X(tn_world_attach, equality_count, STATUS(tn_world_attach(x->w, id, NULL)))                    \
    X(tn_world_equality_active, equality_count, x->wrong += tn_world_equality_active(x->w, id))    \
    X(tn_world_set_geom_friction, geom_count,                                                      \
      STATUS(tn_world_set_geom_friction(x->w, id, b, NULL)))                                       \
    X(tn_world_set_geom_local_pose, geom_count,                                                    \
      STATUS(tn_world_set_geom_local_pose(x->w, id, b, upright, NULL)))                            \
    X(tn_world_set_site_local_pose, site_count,                                                    \
      STATUS(tn_world_set_site_local_pose(x->w, id, b, upright, NULL)))                            \
    X(tn_batch_set_geom_local_pose, geom_count,                                                    \
      STATUS(tn_batch_set_geom_local_pose(x->batch, NULL, id, b, upright, NULL)))                  \
    X(tn_batch_set_site_local_pose, site_count,                                                    \
      STATUS(tn_batch_set_site_local_pose(x->batch, NULL, id, b, upright, NULL)))                  \
    X(tn_batch_jacobian, body_count, STATUS(tn_batch_jacobian(x->batch, id, NULL, many, NULL)))    \
    X(tn_batch_site_jacobian, site_count,                                                          \
      STATUS(tn_batch_site_jacobian(x->batch, id, many, NULL)))                                    \
    X(tn_world_set_geom_size, geom_count, STATUS(tn_world_set_geom_size(x->w, id, b, NULL)))       \
    X(tn_world_set_actuator, actuator_count, STATUS(tn_world_set_actuator(x->w, id, 1, b, NULL)))  \
    X(tn_world_joint_forces, joint_count, tn_world_joint_forces(x->w, id))                         \
    X(tn_world_set_joint_forces, joint_count,                                                      \
      STATUS(tn_world_set_joint_forces(x->w, id, &(TnJointForces){0}, NULL)))                      \
    X(tn_world_set_body_mass, body_count,                                                          \
      STATUS(tn_world_set_body_mass(x->w, id, 1, NULL, NULL, NULL)))                               \
    X(tn_world_geom_distance, geom_count,                                                          \
      x->wrong += tn_world_geom_distance(x->w, id, 1, 9).known;                                    \
      x->wrong += tn_world_geom_distance(x->w, 1, id, 9).known)                                    \
    X(tn_world_jacobian, body_count, STATUS(tn_world_jacobian(x->w, id, b, NULL, NULL)))           \
    X(tn_model_jacobian, body_count, STATUS(tn_model_jacobian(x->m, b, id, b, NULL, NULL)))        \
    X(tn_model_ik, site_count,                                                                     \
      STATUS(tn_model_ik(x->m,                                                                     \
                         &(TnIkDef){.targets = &(TnIkTarget){.site = id}, .target_count = 1}, a,   \
                         &(TnIkResult){0}, NULL)))                                                 \
    X(ik_of_body, body_count, STATUS(ik_of_body(x->m, id, a)))                                     \
    X(tn_model_body_name, body_count, x->wrong += tn_model_body_name(x->m, id)[0])                 \
    X(tn_model_joint_name, joint_count, x->wrong += tn_model_joint_name(x->m, id)[0])              \
    X(tn_model_geom_name, geom_count, x->wrong += tn_model_geom_name(x->m, id)[0])                 \
    X(tn_model_site_name, site_count, x->wrong += tn_model_site_name(x->m, id)[0])                 \
    X(tn_model_tendon_name, tendon_count, x->wrong += tn_model_tendon_name(x->m, id)[0])           \
    X(tn_model_actuator_name, actuator_count, x->wrong += tn_model_actuator_name(x->m, id)[0])     \
    X(tn_model_actuator_acts, actuator_count,                                                      \
      x->wrong += tn_model_actuator_acts(x->m, id, (int *)a);                                      \
      tn_model_actuator_acts(x->m, id, NULL))                                                      \
    X(tn_model_equality_name, equality_count, x->wrong += tn_model_equality_name(x->m, id)[0])     \
    X(tn_model_sensor_name, sensor_count, x->wrong += tn_model_sensor_name(x->m, id)[0])           \
    X(tn_model_key_name, key_count, x->wrong += tn_model_key_name(x->m, id)[0])                    \
    X(tn_model_rod_name, rod_count, x->wrong += tn_model_rod_name(x->m, id)[0])                    \
    X(tn_model_wheel_name, wheel_count, x->wrong += tn_model_wheel_name(x->m, id)[0])              \
    X(tn_model_soft_name, soft_count, x->wrong += tn_model_soft_name(x->m, id)[0])                 \
    X(tn_model_body_subsystem, body_count, x->wrong += tn_model_body_subsystem(x->m, id))          \
    X(tn_model_body_info, body_count, x->wrong += tn_model_body_info(x->m, id).carrier)            \
    X(tn_model_joint_info, joint_count, x->wrong += tn_model_joint_info(x->m, id).body)            \
    X(tn_model_actuator_info, actuator_count, tn_model_actuator_info(x->m, id))                    \
    X(tn_model_geom_info, geom_count, x->wrong += tn_model_geom_info(x->m, id).body)               \
    X(tn_model_site_info, site_count, x->wrong += tn_model_site_info(x->m, id).body)               \
    X(tn_model_mesh_info, mesh_count, x->wrong += tn_model_mesh_info(x->m, id).vertex_count)       \
    X(tn_model_camera_info, camera_count, x->wrong += tn_model_camera_info(x->m, id).body)         \
    X(tn_model_texture_info, texture_count, x->wrong += tn_model_texture_info(x->m, id).width)     \
    X(tn_model_material_info, material_count,                                                      \
      x->wrong += tn_model_material_info(x->m, id).texture)                                        \
    X(tn_model_light_info, light_count, x->wrong += tn_model_light_info(x->m, id).body)            \
    X(tn_model_rod_info, rod_count, x->wrong += tn_model_rod_info(x->m, id).body)                  \
    X(tn_model_soft_info, soft_count, x->wrong += tn_model_soft_info(x->m, id).geom)               \
    X(tn_model_wheel_info, wheel_count, x->wrong += tn_model_wheel_info(x->m, id).body)            \
    X(tn_model_tendon_info, tendon_count, x->wrong += tn_model_tendon_info(x->m, id).body)         \
    X(tn_model_tendon_points, tendon_count, x->wrong += tn_model_tendon_points(x->m, id, 0);       \
      x->wrong += tn_model_tendon_points(x->m, 1, id == 0 ? -1 : id))                              \
    X(tn_model_equality_info, equality_count, x->wrong += tn_model_equality_info(x->m, id).body1)  \
    X(tn_model_sensor_info, sensor_count, x->wrong += tn_model_sensor_info(x->m, id).data_count)   \
    X(tn_batch_step_world, key_count, STATUS(tn_batch_step_world(x->batch, beyond(id), NULL)))     \
    X(tn_batch_step_bare, key_count, tn_batch_step_bare(x->batch, beyond(id)))                     \
    X(tn_batch_reset, key_count, if (id) tn_batch_reset(x->batch, NULL, id))                       \
    X(tn_batch_set_geom_friction, geom_count,                                                      \
      STATUS(tn_batch_set_geom_friction(x->batch, NULL, id, b, NULL)))                             \
    X(tn_batch_set_geom_size, geom_count,                                                          \
      STATUS(tn_batch_set_geom_size(x->batch, NULL, id, b, NULL)))                                 \
    X(tn_batch_set_actuator, actuator_count,                                                       \
      STATUS(tn_batch_set_actuator(x->batch, NULL, id, b, b, NULL)))                               \
    X(tn_batch_set_joint_forces, joint_count,                                                      \
      STATUS(tn_batch_set_joint_forces(x->batch, NULL, id, (TnJointForces[2]){{0}}, NULL)))        \
    X(tn_batch_set_mocap, body_count, STATUS(tn_batch_set_mocap(x->batch, NULL, id, b, b, NULL)))  \
    X(tn_batch_device_reset, key_count, STATUS(tn_batch_device_reset(x->batch, NULL, id, NULL)))   \
    X(tn_batch_set_body_mass, body_count,                                                          \
      STATUS(tn_batch_set_body_mass(x->batch, NULL, id, b, NULL, NULL, NULL)))                     \
    X(tn_batch_world, key_count, x->wrong += tn_batch_world(x->batch, beyond(id)) != NULL)         \
    X(tn_batch_push, key_count, STATUS(tn_batch_push(x->batch, beyond(id), NULL)))                 \
    X(tn_batch_pull, key_count, tn_batch_pull(x->batch, beyond(id)))                               \
    X(tn_recording_time, key_count, tn_recording_time(x->recording, beyond(id)))                   \
    X(tn_recording_frame, key_count,                                                               \
      STATUS(tn_recording_frame(x->recording, beyond(id), x->frame, NULL)))                        \
    X(tn_solver_block, key_count, x->wrong += tn_solver_block(x->solver, id).dim)                  \
    X(tn_solver_constraint, key_count, x->wrong += tn_solver_constraint(x->solver, id).block[0])   \
    X(tn_builder_rod_parts, rod_count, x->wrong += tn_builder_rod_parts(x->builder, id).body)      \
    X(tn_builder_fit_geom, mesh_count,                                                             \
      x->wrong += tn_builder_fit_geom(x->builder, &(TnGeomDef){0}, id, TN_FIT_INERTIA, 1))         \
    X(tn_status_name, key_count, x->wrong += !tn_status_name((TnStatus)beyond(id)))                \
    X(tn_method_name, key_count, x->wrong += !tn_method_name((TnMethod)beyond(id)))                \
    X(tn_signal_kind_name, key_count, x->wrong += !tn_signal_kind_name((TnSignalKind)beyond(id)))  \
    X(tn_geom_size_count, key_count, tn_geom_size_count((TnGeomType)beyond(id)))                   \
    X(tn_device_info, key_count,                                                                   \
      x->wrong += tn_device_info((TnDevice)beyond(id), &(TnDeviceInfo){.memory = 0}, NULL))

/* 0 is a good index and a good enum: of two of something, 2 is not. */
static int beyond(int id) { return id >= 0 && id < 20 ? 20 : id; }

#define DEFINE(NAME, COUNT, CALL)                                                                  \
    static void call_##NAME(All *x, int id)                                                        \
    {                                                                                              \
        CALL;                                                                                      \
        (void)x, (void)id;                                                                         \
    }
CALLS(DEFINE)

typedef struct Row {
    const char *name;
    size_t count; /* offset of its count in TnModelInfo */
    void (*call)(All *x, int id);
} Row;
#define ROW(NAME, COUNT, CALL) {#NAME, offsetof(TnModelInfo, COUNT), call_##NAME},
static const Row rows[] = {CALLS(ROW)};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static TnRecording *record(const TnWorld *world, TnFrame **frame)
{
    TnError err = {0};
    char path[] = "/tmp/tenon_ids_XXXXXX";
    TnRecorderDef def = tn_recorder_def();
    TnScene *set = tn_scene_create_of(world, &err);
    *frame = tn_frame_create(set, &err);
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
    TnRecorder *recorder = tn_recorder_create(&def, path, set, &err);
    tn_frame_capture(*frame, world, NULL, false, &err);
    tn_recorder_write(recorder, *frame, &err);
    tn_recorder_close(recorder, &err);
    TnRecording *recording = tn_recording_open(path, &err);
    unlink(path);
    tn_scene_destroy(set);
    return recording;
}

static All make_all(void)
{
    TnError err = {0};
    All x = {.m = tn_model_load_string(scene, NULL, NULL, &err), .builder = tn_builder_create()};
    TnWorldDef def = tn_world_def();
    TnBatchDef batch = tn_batch_def();
    TnSolverDef solver = tn_solver_def();
    batch.count = 2;
    x.info = tn_model_info(x.m);
    x.w = tn_world_create(&def, x.m, &err);
    x.batch = tn_batch_create(&batch, x.m, &err);
    x.solver = tn_solver_create(&solver, &err);
    tn_world_step(x.w);
    x.recording = record(x.w, &x.frame);
    if (!x.m || !x.w || !x.batch || !x.solver || !x.recording || !x.frame)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    return x;
}

static void free_all(All *x)
{
    tn_recording_close(x->recording);
    tn_frame_destroy(x->frame);
    tn_solver_destroy(x->solver);
    tn_batch_destroy(x->batch);
    tn_world_destroy(x->w);
    tn_builder_destroy(x->builder);
    tn_model_destroy(x->m);
}

static void call_with_wrong_ids(All *x, const Row *row)
{
    int count;
    memcpy(&count, (const char *)&x->info + row->count, sizeof count);
    const int ids[] = {-1, count + 1, 9999, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        x->wrong = 0;
        row->call(x, ids[i]);
        if (x->wrong) test_fail(__FILE__, __LINE__, "%s took %d", row->name, ids[i]);
    }
}

TEST(ids_that_do_not_exist_are_refused_and_change_nothing)
{
    All x = make_all();
    uint64_t before = tn_world_hash(x.w);
    for (int i = 0; i < ROW_COUNT; i++) call_with_wrong_ids(&x, &rows[i]);
    CHECK(tn_world_hash(x.w) == before);
    CHECK(!tn_world_step(x.w).diverged);
    free_all(&x);
}

TEST(functions_without_an_object_refuse_every_id)
{
    All none = {0};
    for (int i = 0; i < ROW_COUNT; i++) call_with_wrong_ids(&none, &rows[i]);
    for (int i = 0; i < ROW_COUNT; i++) {
        none.wrong = 0;
        rows[i].call(&none, 1);
        if (none.wrong) test_fail(__FILE__, __LINE__, "%s without an object", rows[i].name);
    }
}

/* ---- the headers ---- */

/* These are tried elsewhere: what they take is in a definition, and compile refuses it; or the id
 * is an output. */
static bool is_left_out(const char *name)
{
    return !strcmp(name, "tn_builder_add_exclude") || !strcmp(name, "tn_world_overlaps") ||
           !strcmp(name, "tn_fit_parameter");
}

static bool takes_an_id(const char *arguments)
{
    static const char *const words[] = {"Id ", "int index", "int island", "int node", "int branch"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(arguments, words[i])) return true;
    return false;
}

static bool is_called(const char *name)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) return true;
    return is_left_out(name);
}

static int check_header(char *text)
{
    int found = 0;
    for (char *at = text; (at = strstr(at, "TN_API ")) != NULL;) {
        char *end = strchr(at, ';'), *open = strchr(at, '('), name[128];
        if (!end || !open || open > end) break;
        *end = '\0';
        char *start = open;
        while (start > at && strchr("_abcdefghijklmnopqrstuvwxyz0123456789", start[-1])) start--;
        snprintf(name, sizeof name, "%.*s", (int)(open - start), start);
        if (takes_an_id(open)) {
            found++;
            if (!is_called(name)) test_fail(__FILE__, __LINE__, "%s is not called here", name);
        }
        at = end + 1;
    }
    return found;
}

TEST(every_public_function_with_an_id_is_in_the_list)
{
    const char *folder = TENON_SOURCE_DIR "/include/tenon";
    DIR *headers = opendir(folder);
    REQUIRE(headers);
    int found = 0;
    for (struct dirent *entry; (entry = readdir(headers)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        char *text = calloc(1, 1 << 18);
        if (file && text && fread(text, 1, (1 << 18) - 1, file) > 0) found += check_header(text);
        free(text);
        if (file) fclose(file);
    }
    closedir(headers);
    CHECK(found > 60);
}
