/* Sensors of frames, subtrees, magnetic field and accelerations, read from MJCF, against MuJoCo
 * 4.0.0 at one state; cutoff; and sensors that tenon leaves out. */
#include "mjcf_text.h"

#include <tenon/world.h>

static TnError err;
static TnRemarks remarks;

/* A body on a hinge, with another fixed to it and one on a ball joint; a free body. Accelerations
 * come last. */
static const char *const SCENE =
    "<mujoco><option magnetic='.1 .2 -.5' timestep='1e-5'/><worldbody><camera name='eye' pos='1 2 "
    "3' euler='20 30 0'/><site name='fix' pos='.1 .2 .3' euler='40 10 0'/>"
    "<body name='b' pos='0 0 1'><joint name='j' axis='0 1 0' damping='.5'/><geom size='.1' pos='.3 "
    "0 0' mass='2'/><site name='s' pos='.5 0 0' euler='0 30 10'/>"
    "<body name='fixed' pos='0 .1 .2' euler='0 0 30'><geom name='box' type='box' size='.1 .2 .3' "
    "pos='.1 0 0' mass='.5'/></body>"
    "<body name='c' pos='.6 0 0' euler='10 0 0'><joint type='ball' name='q' damping='.1'/><geom "
    "name='g' type='capsule' size='.05 .2' mass='1' pos='.1 .2 0' euler='30 20 0'/>"
    "<camera name='cam' pos='.1 .2 .3' euler='10 20 30'/></body></body>"
    "<body name='f' pos='2 0 1'><freejoint/><inertial pos='.1 0 0' mass='1.5' diaginertia='.1 .2 "
    ".25' euler='10 20 30'/></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='j' coef='.7'/></fixed></tendon>"
    "<actuator><motor name='m' tendon='t' gear='2'/><motor tendon='t'/></actuator>"
    "<sensor>"
    "<framepos objtype='geom' objname='box'/><framequat objtype='geom' objname='g'/><framexaxis "
    "objtype='site' objname='s'/><frameyaxis objtype='camera' objname='cam'/><framezaxis "
    "objtype='body' objname='f'/>"
    "<framepos objtype='body' objname='c' reftype='site' refname='s'/><framequat objtype='body' "
    "objname='f' reftype='camera' refname='cam'/><framezaxis objtype='xbody' objname='c' "
    "reftype='geom' refname='box'/>"
    "<framelinvel objtype='body' objname='fixed'/><framelinvel objtype='site' objname='s' "
    "reftype='xbody' refname='c'/><frameangvel objtype='body' objname='f' reftype='site' "
    "refname='s'/>"
    "<frameangvel objtype='geom' objname='g'/><framelinvel objtype='body' objname='f' "
    "reftype='body' refname='f' cutoff='1'/><framelinvel objtype='xbody' objname='f' "
    "reftype='site' refname='fix'/>"
    "<magnetometer site='s'/><magnetometer site='s' cutoff='.15'/><gyro site='s' "
    "cutoff='1'/><velocimeter site='s'/>"
    "<subtreecom body='b'/><subtreelinvel body='b'/><subtreeangmom body='b'/><subtreecom "
    "body='fixed'/><subtreeangmom body='fixed'/><subtreelinvel body='c'/><subtreecom "
    "body='world'/><subtreeangmom body='world'/>"
    "<ballquat joint='q'/><ballangvel joint='q' cutoff='.4'/><tendonactuatorfrc "
    "tendon='t'/><jointactuatorfrc joint='j'/><clock/><jointpos joint='j' cutoff='.2'/>"
    "<framelinacc objtype='site' objname='s'/><frameangacc objtype='xbody' "
    "objname='c'/><accelerometer site='s'/><framelinacc objtype='body' objname='f' "
    "cutoff='9'/><framelinacc objtype='site' objname='fix'/>"
    "<accelerometer site='s' cutoff='1'/><framelinacc objtype='body' objname='fixed'/>"
    "</sensor></mujoco>";
#define COUNT 112 /* numbers, */
#define STATIC 91 /* of them not accelerations */

static const double QPOS[12] = {0.29999999999999999, 0.80000000000000004,  0.40000000000000002,
                                0.40000000000000002, 0.20000000000000001,  2.1000000000000001,
                                0.20000000000000001, 0.90000000000000002,  0.59999999999999998,
                                0.59999999999999998, -0.40000000000000002, 0.34641016151377552};
static const double QVEL[10] = {0.5,
                                -0.40000000000000002,
                                0.69999999999999996,
                                0.20000000000000001,
                                0.29999999999999999,
                                -0.20000000000000001,
                                0.10000000000000001,
                                0.59999999999999998,
                                -0.5,
                                0.90000000000000002};
static const double CTRL[2] = {.7, -.2};
/* sensordata of mj_forward at this state, time 0 */
static const double MUJOCO[COUNT] = {0.141838608206769,
                                     0.14999999999999999,
                                     1.1654744971950863,
                                     0.44616287289131884,
                                     0.64617002924152744,
                                     0.6023624248037347,
                                     0.14339628080230443,
                                     0.66926113365522844,
                                     0.17364817766693036,
                                     -0.72245127543071919,
                                     0.26708129785865736,
                                     -0.13387546611977041,
                                     0.95432957614513292,
                                     0.23713274295145015,
                                     -0.95128050309367462,
                                     0.1970620883228599,
                                     0.094503285087377126,
                                     0.14758789923416343,
                                     0.20319188248387382,
                                     0.57639859479237032,
                                     -0.49512126647347715,
                                     -0.15189535589938549,
                                     0.63209761292325717,
                                     0.42520979032457368,
                                     -0.86351503928212936,
                                     0.27117966580426833,
                                     0.082737248597543167,
                                     0,
                                     -0.070919304103384498,
                                     0.056000000000000015,
                                     0.044000000000000011,
                                     -0.041999999999999996,
                                     -0.017427125442687402,
                                     -1.475388274493908,
                                     0.67001920478796262,
                                     0.16687181268387558,
                                     0.42388082880727951,
                                     0.81016027421031389,
                                     0,
                                     -0,
                                     0,
                                     0.25981632433792368,
                                     -0.088930127655141744,
                                     0.25413954828552587,
                                     0.46288138661426848,
                                     0.12146684504930738,
                                     -0.26643315762085562,
                                     0.14999999999999999,
                                     0.12146684504930738,
                                     -0.14999999999999999,
                                     0.086824088833465179,
                                     0.49240387650610407,
                                     6.9388939039072284e-18,
                                     0.12310096912652593,
                                     -0.021706022208366281,
                                     -0.2165063509461097,
                                     0.37619455740103636,
                                     0.067644580187300032,
                                     0.95607947106695967,
                                     -0.061972533978127423,
                                     0.017364959576014652,
                                     -0.17822426156015594,
                                     -0.00036537935854295302,
                                     0.088006186864288405,
                                     0.034552597944043674,
                                     0.141838608206769,
                                     0.14999999999999999,
                                     1.1654744971950863,
                                     0.0010341820859312645,
                                     0.0089583333333333303,
                                     -0.00031991000787543426,
                                     -0.16961643122381573,
                                     0.060777358516051289,
                                     -0.30172431667117183,
                                     0.9065361901807254,
                                     0.10542197194560594,
                                     0.9661263955613677,
                                     0.19513724742271424,
                                     -0.73393610532019271,
                                     -0.42765546246221303,
                                     0.80000000000000004,
                                     0.40000000000000002,
                                     0.40000000000000002,
                                     0.20000000000000001,
                                     -0.40000000000000002,
                                     0.40000000000000002,
                                     0.20000000000000001,
                                     0.49999999999999994,
                                     0.83999999999999986,
                                     0,
                                     0.20000000000000001,
                                     -3.6250033821709007,
                                     0,
                                     -1.4856675345621624,
                                     9.3199116683179533,
                                     -3.1350249406100943,
                                     -16.485174466090768,
                                     -1.3527514678452881,
                                     0.23852658197410376,
                                     -3.6689271020199703,
                                     -1.1102230246251565e-16,
                                     -6.9388939039072284e-18,
                                     1.9428902930940239e-16,
                                     -0,
                                     -0,
                                     9.8100000000000005,
                                     -1,
                                     0.23852658197410376,
                                     -1,
                                     3.8903980102719609,
                                     0,
                                     6.4035316396048474};

TEST(sensors_at_a_state_are_mujocos)
{
    TnModel *m = load_text(SCENE, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m && tn_model_info(m).sensor_data_count == COUNT);
    double data[COUNT];
    TnEval out = {.sensors = data};
    REQUIRE(tn_model_eval(m, QPOS, QVEL, CTRL, &out, &err) == TN_OK);
    for (int i = 0; i < STATIC; i++) CHECK_NEAR(data[i], MUJOCO[i], 1e-14); /* rounding */
    for (int i = STATIC; i < COUNT; i++) CHECK(isnan(data[i])); /* a state does not tell them */
    tn_model_destroy(m);
}

/* The mean over a step is the acceleration half way: from MuJoCo's at the start it differs by about
 * its rate, 1e2 m/s³ here, times half a step of 1e-5 s. */
TEST(accelerations_of_a_short_step_are_mujocos)
{
    TnModel *m = load_text(SCENE, &err);
    REQUIRE(m);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    REQUIRE(tn_world_set_state(world, QPOS, QVEL, &err) == TN_OK);
    REQUIRE(tn_world_set_ctrl(world, CTRL, &err) == TN_OK);
    double data[COUNT];
    REQUIRE(tn_world_sensors(world, data, &err) == TN_OK);
    for (int i = STATIC; i < COUNT; i++) CHECK(isnan(data[i])); /* before the first step */
    tn_world_step(world);
    REQUIRE(tn_world_sensors(world, data, &err) == TN_OK);
    for (int i = STATIC; i < COUNT; i++) CHECK_NEAR(data[i], MUJOCO[i], 2e-3);
    CHECK(data[89] == 1e-5);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* The velocity that accelerometers tell, summed over steps, is exact: they are means. */
TEST(a_ball_at_rest_feels_gravity_and_a_falling_one_nothing)
{
    TnModel *m = load_text(
        "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 .1'><freejoint/><geom size='.1'/><site name='down' euler='180 0 0'/></body>"
        "<body pos='3 0 9'><freejoint/><geom size='.1'/><site name='falls'/></body></worldbody>"
        "<sensor><accelerometer site='down'/><accelerometer site='falls'/></sensor></mujoco>",
        &err);
    REQUIRE(m);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    double data[6];
    for (int k = 0; k < 20; k++) tn_world_step(world);
    REQUIRE(tn_world_sensors(world, data, &err) == TN_OK);
    CHECK_NEAR(data[2], -9.81, 1e-4); /* the tolerance of a step is 1e-6 g */
    for (int k = 3; k < 6; k++) CHECK_NEAR(data[k], 0.0, 1e-11); /* rounding of v/t */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

#define SMALL(SENSORS)                                                                             \
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='.1'/>"                \
    "<site name='s'/></body></worldbody><sensor>\n" SENSORS "</sensor></mujoco>"

TEST(a_sensor_that_is_not_supported_keeps_its_room_or_is_left_out_with_a_remark_for_its_kind)
{
    const char *text = SMALL("<tactile geom='g' mesh='m'/><jointpos name='p' joint='j'/>\n"
                             "<plugin plugin='x'/><tactile name='t' geom='g' mesh='m'/>"
                             "<insidesite site='s' objtype='geom' objname='g' enclosed='true'/>"
                             "<clock name='c'/>");
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(tn_model_info(m).sensor_count == 3 && tn_model_find_sensor(m, "p") == 1);
    CHECK(remarks.count == 3);
    CHECK(has_line(remarks.message, "2:1", "tactile: 2 × this sensor is not supported yet"));
    CHECK(has_line(remarks.message, "3:1", "plugin: this sensor is not supported yet"));
    CHECK_STR(remarks.message, "insidesite: this sensor"); /* a zero */
    CHECK(tn_model_sensor_info(m, tn_model_find_sensor(m, "c")).data_start == 2);
    tn_model_destroy(m);
}

TEST(wrong_sensors_are_told_at_their_place)
{
    static const Refused cases[] = {
        {SMALL("<framequat objtype='site' objname='s' cutoff='1'/>"), "2:39", "cutoff is not for"},
        {SMALL("<framepos objtype='site' objname='s' reftype='site'/>"), "2:1", "come together"},
        {SMALL("<framepos objtype='site' objname='s' reftype='geom' refname='h'/>"), "2:53",
         "no geom named 'h'"},
        {SMALL("<ballquat joint='j'/>"), "2:11", "ballquat is for ball joints"},
        {SMALL("<jointpos joint='j' cutoff='-1'/>"), "2:21", "must not be negative"},
        {SMALL("<clok/>"), "2:1", "did you mean 'clock'?"},
    };
    CHECK_REFUSED(cases);
}
