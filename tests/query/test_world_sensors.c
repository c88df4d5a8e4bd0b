/* Sensors of rays, distances, volumes, images, limits, energies and contacts. Numbers that are not
 * derived here were read off MuJoCo 4.0.0. */
#include <tenon/tenon.h>

#include "../check.h"
#include "../step/text_scene.h"

static void sense(TextScene *s, double *data)
{
    TnError err = {0};
    if (tn_world_sensors(s->world, data, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
}

TEST(sensors_of_geometry_read_what_mujoco_reads)
{
    TextScene s;
    if (!text_open(&s, 0.01, "0 0 -9.81",
                   "<worldbody><body name='b' pos='0 0 1'>"
                   "<joint name='j' axis='0 1 0' range='-0.5235987755982988 0.5235987755982988'/>"
                   "<geom name='g' type='box' size='.1 .2 .3'/><site name='s' pos='.1 0 0'/>"
                   "</body><geom name='p' type='plane' size='9 9 1'/>"
                   "<camera name='c' pos='0 -3 1' xyaxes='1 0 0 0 0 1' resolution='640 480'/>"
                   "</worldbody><sensor><jointlimitpos joint='j'/><jointlimitvel joint='j'/>"
                   "<e_potential/><e_kinetic/><distance geom1='g' geom2='p'/>"
                   "<normal geom1='g' geom2='p' cutoff='5'/>"
                   "<fromto geom1='g' geom2='p' cutoff='5'/>"
                   "<distance body1='b' body2='world' cutoff='5'/>"
                   "<camprojection camera='c' site='s'/><rangefinder site='s'/><user dim='3'/>"
                   "<clock/></sensor>"))
        return;
    static const double expected[2][23] = {
        {0,           0,  470.88,     0.072,       0, 0, 0,          -1,
         -0.05606941, 0,  0.68878268, -0.05606941, 0, 0, 0.68878268, 336.94937378,
         249.2594851, -1, 0,          0,           0, 0},
        {-0.07640122,  -0.3, 470.88,     0.072,       0, 0, 0,          -1,
         -0.08685918,  0,    0.69593507, -0.08685918, 0, 0, 0.69593507, 335.94029148,
         250.90534014, -1,   0,          0,           0, 0}};
    for (int k = 0; k < 2; k++) {
        double q = k ? 0.6 : 0.5, v = 0.3, data[23];
        CHECK(tn_world_set_state(s.world, &q, &v, NULL) == TN_OK);
        sense(&s, data);
        for (int i = 0; i < 22; i++) {
            /* an edge is nearest to the plane: which of its points is told is free along y */
            if (i == 9 || i == 12) continue;
            CHECK_NEAR(data[i], expected[k][i], 2e-8 * fmax(1.0, fabs(expected[k][i])));
        }
        CHECK(data[9] == data[12] && fabs(data[9]) <= 0.2);
    }
    text_close(&s);
}

TEST(rangefinders_tell_all_fields_and_clamp_every_number)
{
    TextScene s;
    if (!text_open(
            &s, 0.01, "0 0 0",
            "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 2'><freejoint/>"
            "<geom size='.1'/><site name='down' pos='0 0 -.2' euler='3.141592653589793 0 0'/>"
            "<site name='up' pos='0 0 .2'/></body></worldbody><sensor>"
            "<rangefinder site='down' data='dist dir origin point normal depth'/>"
            "<rangefinder site='down' data='dist dir origin' cutoff='.5'/>"
            "<rangefinder site='up' data='dist dir origin point normal depth'/>"
            "<rangefinder site='up' cutoff='.5'/></sensor>"))
        return;
    static const double expected[36] = {1.8, 0,   0,   -1,  0, 0,    1.8, 0, 0,   0,  0,  0,
                                        1,   1.8, 0.5, 0,   0, -0.5, 0,   0, 0.5, -1, 0,  0,
                                        0,   0,   0,   2.2, 0, 0,    0,   0, 0,   0,  -1, -0.5};
    double data[36];
    sense(&s, data);
    for (int i = 0; i < 36; i++) CHECK_NEAR(data[i], expected[i], 1e-12);
    text_close(&s);
}

#define BOX                                                                                        \
    "<worldbody><geom name='f' type='plane' size='9 9 1'/><body name='b' pos='0 0 "                \
    ".1'><freejoint/>"                                                                             \
    "<geom name='g' type='box' size='.1 .1 .1'/><site name='z' type='box' size='.11 .11 .11'/>"    \
    "<site name='low' size='.02' pos='0 0 -.1'/></body></worldbody>"

TEST(touch_and_contact_sensors_feel_the_weight_of_a_box)
{
    TextScene s;
    if (!text_open(&s, 0.002, "0 0 -9.81",
                   BOX "<sensor><touch site='z'/><touch site='low'/><touch site='z' cutoff='10'/>"
                       "<contact geom1='g' num='5' data='found force dist pos normal tangent'/>"
                       "<contact geom2='g' data='found normal'/><contact data='found normal'/>"
                       "<contact body1='b' reduce='netforce' num='3' "
                       "data='found force torque pos normal tangent'/>"
                       "<contact subtree1='b' reduce='mindist' num='2' data='dist'/>"
                       "<contact site='low'/><contact body1='b' reduce='maxforce' data='force'/>"
                       "<contact geom1='f' geom2='g' data='normal linvel angvel'/></sensor>"))
        return;
    double data[121], weight = 8.0 * 9.81;
    CHECK(tn_model_info(s.model).sensor_data_count == 3 + 70 + 4 + 4 + 16 + 2 + 1 + 3 + 9);
    sense(&s, data);
    CHECK(isnan(data[0]) && isnan(data[3])); /* no step yet */
    for (int k = 0; k < 300; k++) tn_world_step(s.world);
    sense(&s, data);
    CHECK_NEAR(data[0], weight, 1e-4);
    CHECK_NEAR(data[1], 0.0, 0.0);
    CHECK_NEAR(data[2], 10.0, 0.0);
    const double *slots = data + 3;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const double *c = slots + 14 * k;
        CHECK(c[0] == 4.0);
        sum += c[1];
        CHECK(c[1] > 0.0 && hypot(c[2], c[3]) <= 1.001 * c[1]); /* corners may press sideways */
        CHECK_NEAR(c[4], 0.0, 1e-6);
        CHECK_NEAR(fabs(c[5]), 0.1, 1e-6);
        CHECK_NEAR(c[10], -1.0, 1e-9); /* from the box to the floor */
        CHECK_NEAR(c[12], -1.0, 1e-9); /* MuJoCo turns the tangent about as well */
    }
    CHECK_NEAR(sum, weight, 1e-4);
    for (int k = 56; k < 70; k++) CHECK(slots[k] == 0.0);
    CHECK(data[73] == 4.0 && data[76] == 1.0); /* to the box */
    CHECK(data[77] == 4.0 && data[80] == 1.0); /* planes come first */
    const double *net = data + 81;
    CHECK(net[0] == 4.0);
    CHECK_NEAR(net[3], -weight, 1e-4);                         /* on the floor, world axes */
    for (int k = 4; k < 9; k++) CHECK_NEAR(net[k], 0.0, 1e-3); /* the centre of the forces */
    CHECK(net[10] == 1.0 && net[14] == 1.0);
    CHECK(data[97] <= data[98]);
    CHECK(data[99] == 0.0);
    CHECK(data[100] >= weight / 4.0 - 1e-4);
    CHECK(data[105] == 1.0);
    for (int k = 106; k < 112; k++) CHECK_NEAR(data[k], 0.0, 1e-6);
    text_close(&s);
}

TEST(limit_sensors_read_the_force_that_holds_an_arm)
{
    TextScene s;
    if (!text_open(&s, 0.01, "0 0 -9.81",
                   "<worldbody><body><joint name='j' axis='0 1 0' range='-1 0.2'/>"
                   "<geom size='.1' pos='1 0 0' mass='2'/></body></worldbody>"
                   "<sensor><jointlimitfrc joint='j'/><jointlimitpos joint='j'/></sensor>"))
        return;
    double data[2];
    for (int k = 0; k < 300; k++) tn_world_step(s.world);
    sense(&s, data);
    /* it hangs down by 0.2 rad, and the limit carries its weight */
    CHECK_NEAR(data[0], 2 * 9.81 * cos(0.2), 1e-3);
    CHECK(data[1] <= 0.0 && data[1] > -1e-4);
    text_close(&s);
}

TEST(principal_axes_have_the_order_and_the_signs_of_mujoco)
{
    static const struct {
        const char *parts;
        double quat[4]; /* MuJoCo's body_iquat, five digits */
    } cases[] = {
        {"<geom type='box' size='.1 .2 .3' euler='10 20 30'/>",
         {0.94371, 0.12768, 0.14488, 0.26854}},
        {"<geom type='box' size='.1 .2 .3' euler='10 20 30'/><geom size='.1' pos='1 0 0'/>",
         {0.53012, 0.50042, 0.44055, 0.52389}},
        {"<geom type='box' size='.1 .2 .3'/><geom type='box' size='.1 .2 .3' pos='.1 .2 .3'/>",
         {0.97322, -0.20564, 0.06593, -0.07874}},
        {"<inertial pos='0 0 0' mass='1' fullinertia='2.68546431 3.74084219 4.01115351 -0.91067505 "
         "0.87762647 1.03949816'/>",
         {-0.02138, 0.72058, 0.46045, 0.51797}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        TnError err = {0};
        char text[1024];
        double data[4];
        TnEval eval = {.sensors = data};
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='b'><freejoint/>%s</body></worldbody><sensor>"
                 "<framequat objtype='body' objname='b'/></sensor></mujoco>",
                 cases[k].parts);
        TnModel *model = load_text(text, &err);
        if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
        const double qpos[7] = {0, 0, 0, 1, 0, 0, 0};
        CHECK(tn_model_eval(model, qpos, NULL, NULL, &eval, NULL) == TN_OK);
        double sign = 0;
        for (int i = 0; i < 4; i++) sign += data[i] * cases[k].quat[i];
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(copysign(1.0, sign) * data[i], cases[k].quat[i], 1e-5);
        tn_model_destroy(model);
    }
}

TEST(a_sensor_that_is_not_supported_keeps_its_place)
{
    TextScene s;
    if (!text_open(
            &s, 0.01, "0 0 0",
            "<worldbody><body name='b'><freejoint/><geom name='g' size='.1'/><geom size='.1' "
            "pos='1 2 3'/><site name='s'/><camera name='c' resolution='4 3'/></body>"
            "</worldbody><sensor><rangefinder camera='c' data='dist normal'/>"
            "<insidesite site='s' objtype='geom' objname='g' enclosed='true'/>"
            "<clock/></sensor>"))
        return;
    CHECK(tn_model_info(s.model).sensor_data_count == 12 * 4 + 1 + 1);
    CHECK(tn_model_sensor_info(s.model, 3).data_start == 49);
    text_close(&s);
}

TEST(wrong_sensors_are_told_with_their_place)
{
    static const char *const wrong[] = {"<contact geom1='g' body1='b'/>",
                                        "<contact data='force found'/>",
                                        "<contact data='nothing'/>",
                                        "<distance geom1='g'/>",
                                        "<rangefinder/>",
                                        "<rangefinder site='nobody'/>",
                                        "<contact num='0'/>",
                                        "<user dim='0'/>"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        TnError err = {0};
        char text[1024];
        snprintf(text, sizeof text, "<mujoco>" BOX "<sensor>\n%s</sensor></mujoco>", wrong[k]);
        TnModel *model = load_text(text, &err);
        if (model) test_fail(__FILE__, __LINE__, "%s loads", wrong[k]);
        CHECK_STR(err.message, ":2:");
        tn_model_destroy(model);
    }
}
