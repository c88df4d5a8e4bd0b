/* <replicate> and <attach>. Names, orders and numbers are those of MuJoCo 4.0.0. */
#include "base/base.h"
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/model_info.h>
#include <tenon/world.h>

static TnError err;

static TnModel *load_or_fail(const char *text)
{
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* ---- replicate ---- */

#define ROW(ATTRS, INNER, REST)                                                                    \
    "<mujoco><worldbody><body name='x'><joint name='jx'/><geom size='.1'/></body>"                 \
    "<replicate " ATTRS ">" INNER "</replicate></worldbody>" REST "</mujoco>"
#define BODY                                                                                       \
    "<body name='b' pos='.5 0 0'><joint name='j'/><geom name='g' size='.1'/>"                      \
    "<site name='s'/></body>"

TEST(copies_are_turned_by_multiples_of_the_angles)
{
    TnModel *m = load_or_fail(ROW("count='4' offset='1 0 0' euler='10 20 30'", BODY, ""));
    REQUIRE(m);
    /* the pose of body b3 in MuJoCo 4.0.0, rounded to 6 digits: it is euler(30, 60, 90), and its
     * place is the sum of offsets in the axes of copies 0, 1 and 2 plus (0.5, 0, 0) in its own */
    double quat[4] = {0.5, 0.5, 0.183013, 0.683013}, pos[3] = {2.19682, 1.467559, -0.210687};
    TnBodyId id = tn_model_find_body(m, "b3");
    REQUIRE(id);
    const TnBody *body = &m->bodies[id - 1];
    double x[3] = {quat[0] * quat[0] + quat[1] * quat[1] - quat[2] * quat[2] - quat[3] * quat[3],
                   2 * (quat[1] * quat[2] + quat[0] * quat[3]),
                   2 * (quat[1] * quat[3] - quat[0] * quat[2])};
    for (int k = 0; k < 4; k++) CHECK_NEAR(body->quat[k], quat[k], 1e-6);
    for (int k = 0; k < 3; k++) CHECK_NEAR(body->pos[k], pos[k] + 0.5 * x[k], 3e-6);
    tn_model_destroy(m);
}

TEST(names_get_numbers_of_equal_width_behind_the_separator)
{
    static const struct {
        const char *text, *first, *last;
    } cases[] = {{ROW("count='1'", BODY, ""), "b0", "b0"},
                 {ROW("count='9' sep='_'", BODY, ""), "b_0", "b_8"},
                 {ROW("count='10' sep='-'", BODY, ""), "b-00", "b-09"},
                 {ROW("count='2'", "<replicate count='3' sep='_'>" BODY "</replicate>", ""), "b_00",
                  "b_21"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModel *m = load_or_fail(cases[i].text);
        REQUIRE(m);
        CHECK(strcmp(tn_model_body_name(m, 3), cases[i].first) == 0);
        CHECK(strcmp(tn_model_body_name(m, tn_model_info(m).body_count), cases[i].last) == 0);
        tn_model_destroy(m);
    }
    TnModel *m = load_or_fail(ROW("count='0'", BODY, ""));
    REQUIRE(m);
    CHECK(tn_model_info(m).body_count == 2);
    tn_model_destroy(m);
}

TEST(what_refers_to_copies_is_copied_and_comes_last)
{
    TnModel *m = load_or_fail(
        ROW("count='2' sep='_'", BODY,
            "<actuator><motor name='a' joint='jx'/><motor name='m' joint='j'/>"
            "<motor name='k' joint='j'/><motor name='z' joint='jx'/></actuator>"
            "<sensor><actuatorfrc name='f' actuator='m'/><jointpos name='p' joint='jx'/>"
            "<framepos name='q' objtype='site' objname='s' reftype='xbody' refname='x'/></sensor>"
            "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
            "<equality><connect name='c' body1='b' anchor='0 0 0'/></equality>"
            "<contact><exclude body1='b' body2='x'/></contact>"));
    REQUIRE(m);
    static const char *const actuators[] = {"a", "z", "m_0", "k_0", "m_1", "k_1"};
    static const char *const sensors[] = {"p", "f_0", "q_0", "f_1", "q_1"};
    TnModelInfo info = tn_model_info(m);
    REQUIRE(info.actuator_count == 6 && info.sensor_count == 5);
    for (int i = 0; i < 6; i++) CHECK(strcmp(tn_model_actuator_name(m, i + 1), actuators[i]) == 0);
    for (int i = 0; i < 5; i++) CHECK(strcmp(tn_model_sensor_name(m, i + 1), sensors[i]) == 0);
    CHECK(tn_model_find_tendon(m, "t_0") && tn_model_find_tendon(m, "t_1"));
    CHECK(tn_model_find_equality(m, "c_0") && tn_model_find_equality(m, "c_1"));
    CHECK(!tn_model_bodies_collide(m, 2, 1) && !tn_model_bodies_collide(m, 3, 1));
    CHECK(tn_model_bodies_collide(m, 2, 3));
    tn_model_destroy(m);
}

TEST(an_equality_between_a_copy_and_another_body_is_left_out_with_a_remark)
{
    const char *text = ROW("count='2'", BODY, "<equality><weld body1='b' body2='x'/></equality>");
    static TnRemarks remarks;
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    REQUIRE(m);
    CHECK(tn_model_info(m).equality_count == 0);
    CHECK_STR(remarks.message, "left out, as in MuJoCo");
    tn_model_destroy(m);
}

TEST(errors_inside_of_copies_keep_their_place)
{
    CHECK(!load_text("<mujoco><worldbody><replicate count='2'>\n<geom size='x'/></replicate>"
                     "</worldbody></mujoco>",
                     &err));
    CHECK(has_line(err.message, "2:7", "is no number"));
    CHECK(!load_text("<mujoco><worldbody>\n<replicate sep='_'/></worldbody></mujoco>", &err));
    CHECK(has_line(err.message, "2:1", "attribute 'count' is missing"));
}

/* ---- attach ---- */

static TnModel *load_attaching(TnRemarks *remarks)
{
    TnModel *m = tn_model_load_with_remarks(DATA("attaching.xml"), remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

TEST(attached_parts_have_prefixed_names_in_mujocos_order)
{
    static TnRemarks remarks;
    TnModel *m = load_attaching(&remarks);
    REQUIRE(m);
    static const char *const bodies[] = {"world", "base",    "p_arm",  "p_hand",
                                         "table", "r_hand0", "r_hand1"};
    TnModelInfo info = tn_model_info(m);
    REQUIRE(info.body_count == 7 && info.actuator_count == 2 && info.sensor_count == 4);
    for (int i = 0; i < 7; i++) CHECK(strcmp(tn_model_body_name(m, i + 1), bodies[i]) == 0);
    CHECK(strcmp(tn_model_actuator_name(m, 1), "drive") == 0);
    CHECK(strcmp(tn_model_actuator_name(m, 2), "p_turn") == 0);
    CHECK(strcmp(tn_model_sensor_name(m, 1), "p_angle") == 0);
    CHECK(tn_model_find_tendon(m, "p_cord") && info.tendon_count == 1);
    CHECK(tn_model_find_equality(m, "p_pin") && info.equality_count == 1);
    CHECK(!tn_model_bodies_collide(m, 2, 3));
    CHECK(info.option.timestep == 0.002); /* an attached model brings no settings */
    CHECK_STR(remarks.message, "an attached model brings no settings");
    tn_model_destroy(m);
}

TEST(attached_parts_follow_their_own_compiler_and_classes)
{
    TnModel *m = load_attaching(NULL);
    REQUIRE(m);
    const TnJoint *lift = &m->joints[0], *shoulder = &m->joints[1], *swing = &m->joints[3];
    CHECK(lift->damping == 9.0 && swing->damping == 9.0);
    CHECK(shoulder->damping == 0.2 && shoulder->axis[0] == 1.0); /* nothing from the main file */
    CHECK(shoulder->range[1] == 1.0);                            /* radians */
    CHECK_NEAR(swing->ref, asin(1.0), 1e-15);                    /* degrees */
    CHECK(m->actuators[1].gain == 7.0);
    /* euler='0.1 0.2 1' with eulerseq zyx: the body_quat of MuJoCo 4.0.0 */
    const double quat[4] = {0.874499171414754, 0.47205546580440816, 0.1113441567762923,
                            -0.004161147782583759};
    const TnBody *arm = &m->bodies[2];
    for (int k = 0; k < 4; k++) CHECK_NEAR(arm->quat[k], quat[k], 1e-15); /* rounding */
    const double pi = 2.0 * asin(1.0);
    CHECK_NEAR(tn_model_body_info(m, 3).mass, 700.0 * 4.0 / 3.0 * pi * 0.027, 1e-12);
    CHECK(m->geoms[1].rgba[1] == 1.0 && m->geoms[1].rgba[0] == 0.0);
    CHECK(tn_model_find_geom(m, "p_ground") == 0 && tn_model_info(m).mesh_count == 2);
    tn_model_destroy(m);
}

/* In MuJoCo, too, what is not attached is in its reference pose. */
TEST(a_key_of_an_attached_model_sets_its_own_joints)
{
    TnModel *m = load_attaching(NULL);
    REQUIRE(m);
    TnKeyId id = tn_model_find_key(m, "p_home");
    REQUIRE(id);
    const TnKey *key = &m->keys[id - 1];
    const double qpos[15] = {20, 0.7, 1, 0, 0, 0, asin(1.0), 1, 0, 0, 0, 1, 0, 0, 0};
    const double qvel[12] = {0, 7, 8, 9, 10, 0};
    REQUIRE(m->qpos_count == 15 && m->dof_count == 12);
    for (int i = 0; i < 15; i++) CHECK_NEAR(key->qpos[i], qpos[i], 1e-15);
    for (int i = 0; i < 12; i++) CHECK(key->qvel[i] == qvel[i]);
    CHECK(key->ctrl[0] == 0.0 && key->ctrl[1] == 4.0 && key->time == 2.0);
    tn_model_destroy(m);
}

TEST(a_model_that_attaches_itself_is_an_error)
{
    TnModel *m = tn_model_load(DATA("bad_attach.xml"), &err);
    CHECK(!m);
    CHECK_STR(err.message, "models are attached more than 20 deep");
}

TEST(every_failing_allocation_is_an_error_without_leaks)
{
    TnModel *m = NULL;
    long calls = 0;
    for (; !m; calls++) {
        tn_malloc_fail_after(calls);
        m = tn_model_load(DATA("attaching.xml"), &err);
        tn_malloc_fail_after(-1);
        if (!m && err.code != TN_ERROR_MEMORY) {
            test_fail(__FILE__, __LINE__, "allocation %ld: %s", calls, err.message);
            return;
        }
    }
    CHECK(calls > 20); /* the hook is really in the way */
    tn_model_destroy(m);
}
