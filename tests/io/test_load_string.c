/* Models from a text in memory, and what a writer makes of mocap bodies and sensors. */
#include <tenon/tenon.h>

#include "../check.h"
#include "mjcf_text.h"

static const char *const scene =
    "<mujoco><worldbody><geom name='f' type='plane' size='3 3 1'/>"
    "<body name='h' mocap='true' pos='1 2 3'><geom name='g' size='.1'/>"
    "<site name='s' type='box' size='.1 .2 .3'/></body>"
    "<body name='b'><freejoint/><geom size='.1'/><geom size='.1' pos='.3 .1 0'/>"
    "<camera name='c' resolution='64 48'/></body></worldbody><sensor>"
    "<contact geom1='g' subtree2='b' site='s' num='3' data='found force normal' reduce='maxforce'/>"
    "<touch site='s'/><rangefinder site='s' data='dist normal'/><camprojection site='s' "
    "camera='c'/>"
    "<insidesite site='s' objtype='body' objname='b'/><distance geom1='g' body2='b' cutoff='9'/>"
    "<framequat objtype='body' objname='b'/><e_kinetic/><user dim='4'/></sensor>"
    "<keyframe><key name='k' mpos='1 1 1' mquat='0 1 0 0'/></keyframe></mujoco>";

TEST(a_text_is_the_same_model_as_a_file)
{
    TnError err = {0};
    TnModel *a = tn_model_load_string(scene, NULL, NULL, &err), *b = load_text(scene, &err);
    CHECK(a && b);
    TnModelInfo x = tn_model_info(a), y = tn_model_info(b);
    CHECK(x.sensor_data_count == y.sensor_data_count && x.geom_count == y.geom_count);
    CHECK(x.mocap_count == 1 && x.sensor_data_count == 21 + 1 + 4 + 2 + 1 + 1 + 4 + 1 + 4);
    tn_model_destroy(a);
    tn_model_destroy(b);
}

TEST(errors_in_a_text_have_its_name_and_place)
{
    TnError err = {0};
    CHECK(!tn_model_load_string("<mujoco>\n<what/></mujoco>", "folder/robot.xml", NULL, &err));
    CHECK_STR(err.message, "folder/robot.xml:2:1:");
    CHECK(!tn_model_load_string("<mujoco>", NULL, NULL, &err));
    CHECK_STR(err.message, "model:1:");
    CHECK(!tn_model_load_string(NULL, NULL, NULL, &err) && err.code == TN_ERROR_USAGE);
    CHECK(!tn_model_load_string("", NULL, NULL, &err));
}

static const char *const with_parts = "<mujoco><compiler meshdir='meshes'/><asset>"
                                      "<mesh name='m' file='../shapes/./four.obj'/></asset>"
                                      "<worldbody><include file='part.xml'/></worldbody></mujoco>";
static const char *const part = "<mujocoinclude><body name='b'><freejoint/>"
                                "<geom type='mesh' mesh='m'/></body></mujocoinclude>";
static const char *const four = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST(files_in_memory_come_before_those_on_disk)
{
    TnError err = {0};
    TnMemoryFile files[] = {{"x/robot.xml", with_parts, strlen(with_parts)},
                            {"x/part.xml", part, strlen(part)},
                            {"x/shapes/four.obj", four, strlen(four)}};
    TnLoadDef def = tn_load_def();
    def.files = files;
    def.file_count = 3;
    TnModelBuilder *builder = tn_builder_load("x/robot.xml", &def, NULL, &err);
    if (!builder) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnModel *model = tn_builder_compile(builder, &err);
    CHECK(tn_model_mesh_info(model, 1).vertex_count == 4 && tn_model_find_body(model, "b") == 2);
    tn_model_destroy(model);
    tn_builder_destroy(builder);

    def.file_count = 2; /* the mesh is nowhere now */
    CHECK(!tn_builder_load("x/robot.xml", &def, NULL, &err) && err.code == TN_ERROR_IO);
    CHECK_STR(err.message, "four.obj': no such file");
    files[1] = (TnMemoryFile){"x/part.xml", "<mujocoinclude><include file='part.xml'/>", 40};
    CHECK(!tn_builder_load("x/robot.xml", &def, NULL, &err));
    files[1] = (TnMemoryFile){"x/part.xml", NULL, 0}; /* an empty file is no part */
    CHECK(!tn_builder_load("x/robot.xml", &def, NULL, &err) && err.code == TN_ERROR_MODEL);
}

TEST(a_part_in_memory_cannot_include_itself)
{
    TnError err = {0};
    const char *loop = "<mujocoinclude><include file='a/../part.xml'/></mujocoinclude>";
    TnMemoryFile file = {"part.xml", loop, strlen(loop)};
    TnLoadDef def = tn_load_def();
    def.text = "<mujoco><worldbody><include file='./part.xml'/></worldbody></mujoco>";
    def.files = &file;
    def.file_count = 1;
    CHECK(!tn_builder_load("robot.xml", &def, NULL, &err));
    CHECK_STR(err.message, "includes itself");
}

typedef struct Taken {
    TnMemoryFile files[4];
    int count;
    int room;
} Taken;

static bool take_copy(void *user, const TnMemoryFile *file)
{
    Taken *taken = user;
    if (taken->count == taken->room) return false;
    void *data = malloc(file->size + 1);
    memcpy(data, file->data, file->size);
    taken->files[taken->count++] = (TnMemoryFile){strdup(file->path), data, file->size};
    return true;
}

static void drop(Taken *taken)
{
    for (int i = 0; i < taken->count; i++) {
        free((void *)taken->files[i].path);
        free((void *)taken->files[i].data);
    }
    taken->count = 0;
}

/* A grid of heights has more vertices than fit into the text: a file beside it. */
TEST(a_model_is_written_to_memory_and_read_from_there)
{
    TnError err = {0};
    double heights[40 * 40];
    for (int i = 0; i < 40 * 40; i++) heights[i] = 0.01 * (i % 7);
    TnHeightFieldDef ground = {
        .name = "hills", .rows = 40, .columns = 40, .heights = heights, .half = {1, 1}, .base = 1};
    TnModelBuilder *builder = tn_builder_create();
    TnGeomDef geom = tn_geom_def();
    geom.type = TN_GEOM_MESH;
    geom.mesh = tn_builder_add_height_field(builder, &ground);
    tn_builder_add_geom(builder, &geom);
    Taken taken = {.room = 4};
    CHECK(tn_builder_write_to(builder, "robot.xml", take_copy, &taken, &err));
    CHECK(taken.count == 2 && strcmp(taken.files[1].path, "robot.xml") == 0);
    TnLoadDef def = tn_load_def();
    def.files = taken.files;
    def.file_count = taken.count;
    TnModelBuilder *again = tn_builder_load("robot.xml", &def, NULL, &err);
    if (!again) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnModel *a = tn_builder_compile(builder, &err), *b = tn_builder_compile(again, &err);
    TnMeshInfo x = tn_model_mesh_info(a, 1), y = tn_model_mesh_info(b, 1);
    CHECK(x.vertex_count > 1600 && x.vertex_count == y.vertex_count);
    for (int i = 0; i < 3 * x.vertex_count; i++) CHECK(x.vertices[i] == y.vertices[i]);
    tn_model_destroy(a);
    tn_model_destroy(b);
    drop(&taken);
    taken.room = 1;
    CHECK(!tn_builder_write_to(builder, "robot.xml", take_copy, &taken, &err));
    CHECK(err.code == TN_ERROR_IO);
    drop(&taken);
    tn_builder_destroy(builder);
    tn_builder_destroy(again);
}

TEST(mocap_bodies_and_sensors_are_written_and_read_again)
{
    TnError err = {0};
    TnLoadDef def = tn_load_def();
    def.text = scene;
    TnModelBuilder *builder = tn_builder_load("scene.xml", &def, NULL, &err);
    if (!builder) test_fail(__FILE__, __LINE__, "%s", err.message);
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/tenon_written_XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    if (!tn_builder_write(builder, path, &err)) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnModel *a = tn_builder_compile(builder, &err), *b = tn_model_load(path, &err);
    if (!b) test_fail(__FILE__, __LINE__, "%s", err.message);
    double data[2][39], qpos[7] = {0.2, 0.1, 0.5, 1, 0, 0, 0},
                        mocap[7] = {0.3, 0.2, 0.6, 0.6, 0.8, 0, 0};
    for (int k = 0; k < 2; k++) {
        TnEval eval = {.mocap = mocap, .sensors = data[k]};
        CHECK(tn_model_info(k ? b : a).sensor_data_count == 39);
        CHECK(tn_model_eval(k ? b : a, qpos, NULL, NULL, &eval, &err) == TN_OK);
    }
    for (int i = 0; i < 39; i++)
        CHECK(data[0][i] == data[1][i] || (isnan(data[0][i]) && isnan(data[1][i])));
    CHECK(tn_model_site_info(b, 1).type == TN_GEOM_BOX);
    CHECK(tn_model_camera_info(b, 1).resolution[0] == 64);
    unlink(path);
    tn_builder_destroy(builder);
    tn_model_destroy(a);
    tn_model_destroy(b);
}
