/* Cameras and the starting view of MJCF files. */
#include "mjcf_text.h"
#include <tenon/model_info.h>

#define DEGREE (3.14159265358979323846 / 180)
/* a few roundings of numbers of size 1 */
#define ROUNDING 1e-14

static TnError err;
static TnRemarks remarks;

static TnModel *load(const char *text)
{
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

static void refused(const char *text, const char *place, const char *part, int line)
{
    TnModel *m = load_text(text, &err);
    if (m || err.count != 1 || !has_line(err.message, place, part))
        test_fail(__FILE__, line, "%s", m ? "it loads" : err.message);
    tn_model_destroy(m);
}
#define REFUSED(TEXT, PLACE, PART) refused(TEXT, PLACE, PART, __LINE__)

TEST(cameras_have_their_place_field_of_view_and_mode)
{
    TnModel *m = load(
        "<mujoco><compiler angle='radian'/>"
        "<default><camera fovy='30'/><default class='wide'><camera fovy='90' mode='track'/>"
        "</default></default><worldbody>"
        "<camera name='still' pos='1 2 3' xyaxes='0 1 0 0 0 1'/>"
        "<camera name='eye' class='wide' fovy='60' mode='targetbody' target='late'/>"
        "<camera/>"
        "<body name='early' childclass='wide'><geom size='1'/><joint/>"
        "  <frame pos='0 0 5' euler='0 0 1.5707963267948966'>"
        "    <camera name='carried' pos='1 0 0' quat='2 0 0 0'/></frame>"
        "  <body name='late'><geom size='1'/><joint/><camera name='inner' mode='fixed'/></body>"
        "</body></worldbody></mujoco>");
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    REQUIRE(info.camera_count == 5);
    TnBodyId early = tn_model_find_body(m, "early"), late = tn_model_find_body(m, "late");
    TnCameraInfo c = tn_model_camera_info(m, tn_model_find_camera(m, "still"));
    CHECK(strcmp(c.name, "still") == 0 && c.body == TN_BODY_WORLD && c.mode == TN_CAMERA_FIXED);
    CHECK(c.pos[0] == 1 && c.pos[1] == 2 && c.pos[2] == 3 && c.target == 0);
    CHECK_NEAR(c.fovy, 30 * DEGREE, ROUNDING); /* degrees, whatever the compiler's angle */
    /* x to y, y to z: a third of a turn about (1, 1, 1) */
    for (int k = 0; k < 4; k++) CHECK_NEAR(c.quat[k], 0.5, ROUNDING);
    c = tn_model_camera_info(m, 2);
    CHECK(strcmp(c.name, "eye") == 0 && c.mode == TN_CAMERA_TARGET && c.target == late);
    CHECK_NEAR(c.fovy, 60 * DEGREE, ROUNDING);
    c = tn_model_camera_info(m, 3);
    CHECK(c.name[0] == 0 && c.body == TN_BODY_WORLD && c.quat[0] == 1);
    c = tn_model_camera_info(m, tn_model_find_camera(m, "carried"));
    CHECK(c.body == early && c.mode == TN_CAMERA_TRACK);
    CHECK_NEAR(c.fovy, 90 * DEGREE, ROUNDING);
    CHECK_NEAR(c.pos[0], 0, ROUNDING); /* the frame's quarter turn takes x to y */
    CHECK_NEAR(c.pos[1], 1, ROUNDING);
    CHECK_NEAR(c.pos[2], 5, ROUNDING);
    CHECK_NEAR(c.quat[3], sqrt(0.5), ROUNDING);
    c = tn_model_camera_info(m, tn_model_find_camera(m, "inner"));
    CHECK(c.body == late && c.mode == TN_CAMERA_FIXED);
    CHECK(tn_model_find_camera(m, "none") == 0 && tn_model_camera_info(m, 6).name[0] == 0);
    CHECK(remarks.count == 0);
    tn_model_destroy(m);
}

TEST(tracking_camera_of_a_turned_body_keeps_the_direction_of_the_reference_pose)
{
    /* the body's quarter turn about z takes the camera's x to y */
    TnModel *m =
        load("<mujoco><worldbody><body name='b' pos='5 0 0' euler='0 0 90'><geom size='1'/>"
             "<joint/><camera name='c' pos='2 0 1' mode='track'/></body></worldbody></mujoco>");
    REQUIRE(m);
    TnCameraInfo c = tn_model_camera_info(m, 1);
    CHECK(c.mode == TN_CAMERA_TRACK && c.body == tn_model_find_body(m, "b"));
    CHECK_NEAR(c.pos[0], 0, ROUNDING);
    CHECK_NEAR(c.pos[1], 2, ROUNDING);
    CHECK_NEAR(c.pos[2], 1, ROUNDING);
    CHECK_NEAR(c.quat[0], sqrt(0.5), ROUNDING);
    CHECK_NEAR(c.quat[3], sqrt(0.5), ROUNDING);
    tn_model_destroy(m);
}

TEST(cameras_that_follow_a_centre_of_mass_follow_the_origin_with_a_remark)
{
    TnModel *m = load("<mujoco><worldbody><body name='b'><geom size='1'/><joint/>\n"
                      "<camera mode='trackcom'/>\n<camera mode='targetbodycom' target='b'/>"
                      "</body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(tn_model_camera_info(m, 1).mode == TN_CAMERA_TRACK);
    CHECK(tn_model_camera_info(m, 2).mode == TN_CAMERA_TARGET);
    CHECK(remarks.count == 1 && has_line(remarks.message, "2:9", "follow the origin of a body"));
    tn_model_destroy(m);
}

TEST(lenses_and_looks_leave_a_remark_each)
{
    TnModel *m = load("<mujoco>\n<visual><map znear='0.1'/></visual><worldbody>\n"
                      "<camera resolution='640 480'/><camera ipd='0.07'/>\n"
                      "<camera projection='orthographic' fovy='2'/></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(remarks.count == 2);
    CHECK(has_line(remarks.message, "2:14", "this kind of visual setting"));
    CHECK(has_line(remarks.message, "3:9", "a field of view (fovy) and nothing else"));
    /* 2 m of height are no angle */
    CHECK_NEAR(tn_model_camera_info(m, 3).fovy, 45 * DEGREE, ROUNDING);
    tn_model_destroy(m);
}

TEST(wrong_cameras_are_refused)
{
#define WORLD(TEXT) "<mujoco><worldbody>\n" TEXT "</worldbody></mujoco>"
    REFUSED(WORLD("<camera fovy='180'/>"), "2:9", "between 0 and 180 degrees (180)");
    REFUSED(WORLD("<camera fovy='0'/>"), "2:9", "between 0 and 180 degrees (0)");
    REFUSED(WORLD("<camera fovy='wide'/>"), "2:9", "is no number");
    REFUSED(WORLD("<camera target='nobody'/>"), "2:9", "there is no body named 'nobody'");
    REFUSED(WORLD("<camera mode='follow'/>"), "2:9", "mode must be one of");
    REFUSED(WORLD("<camera name='a'/><camera name='a'/>"), "2:27", "already a camera named 'a'");
    REFUSED(WORLD("<camera fovi='3'/>"), "2:9", "did you mean 'fovy'?");
    REFUSED("<mujoco>\n<visual><global fovy='200'/></visual></mujoco>", "2:17", "180 degrees");
    REFUSED("<mujoco>\n<statistic extent='0'/></mujoco>", "2:12", "must be positive");
    REFUSED("<mujoco>\n<statistic center='0 1'/></mujoco>", "2:12", "needs 3 numbers");
}

TEST(the_starting_view_is_what_the_file_gives)
{
    TnModel *m = load("<mujoco><statistic center='1 2 3' extent='4'/>"
                      "<visual><global azimuth='30' elevation='-20' fovy='50'/></visual></mujoco>");
    REQUIRE(m);
    TnView view = tn_model_info(m).view;
    CHECK(view.has_center && view.has_extent && view.has_angles);
    CHECK(view.center[0] == 1 && view.center[2] == 3 && view.extent == 4);
    CHECK_NEAR(view.azimuth, 30 * DEGREE, ROUNDING);
    CHECK_NEAR(view.elevation, -20 * DEGREE, ROUNDING);
    CHECK_NEAR(view.fovy, 50 * DEGREE, ROUNDING);
    CHECK(remarks.count == 0);
    tn_model_destroy(m);
}

TEST(what_the_file_leaves_open_is_not_given)
{
    TnModel *m = load("<mujoco/>");
    REQUIRE(m);
    TnView view = tn_model_info(m).view;
    CHECK(!view.has_center && !view.has_extent && !view.has_angles && view.fovy == 0);
    tn_model_destroy(m);
    /* one angle alone: the other is MuJoCo's */
    m = load("<mujoco><visual><global azimuth='-120'/></visual></mujoco>");
    REQUIRE(m);
    view = tn_model_info(m).view;
    CHECK(view.has_angles && !view.has_center);
    CHECK_NEAR(view.azimuth, -120 * DEGREE, ROUNDING);
    CHECK_NEAR(view.elevation, -45 * DEGREE, ROUNDING);
    tn_model_destroy(m);
}

TEST(planes_keep_the_size_that_is_drawn)
{
    TnModel *m = load("<mujoco><worldbody><geom type='plane' size='2 3 0.1'/>"
                      "<geom type='plane' size='0 0 0.01'/></worldbody></mujoco>");
    REQUIRE(m);
    TnGeomInfo small = tn_model_geom_info(m, 1), endless = tn_model_geom_info(m, 2);
    CHECK(small.size[0] == 2 && small.size[1] == 3);
    CHECK(endless.size[0] == 0 && endless.size[1] == 0);
    tn_model_destroy(m);
}
