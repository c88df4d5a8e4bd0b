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
