/* Settings of a whole file: total mass, flags, groups of actuators, springs by time constant,
 * frames of free bodies, and what is accepted without effect. Numbers are those of MuJoCo 4.0.0
 * where no formula is given. */
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/model_info.h>
#include <tenon/world.h>

static TnError err;
static TnRemarks remarks;

static TnModel *load_or_fail(const char *text)
{
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* ---- compiler ---- */

TEST(settotalmass_scales_all_masses_and_inertias_by_one_factor)
{
    TnModel *m = load_or_fail(
        "<mujoco><compiler settotalmass='6'/><worldbody><geom size='1'/>"
        "<body><geom size='.3' mass='1'/></body>" /* fixed, and counts */
        "<body gravcomp='1'><joint/><inertial pos='0 0 0' mass='2' diaginertia='1 2 3'/>"
        "<body pos='0 0 1'><joint/><geom size='.2' mass='9'/></body></body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK_NEAR(m->links[1].mass, 1.0, 1e-15); /* rounding, here and below */
    CHECK_NEAR(m->links[2].mass, 4.5, 1e-15);
    CHECK_NEAR(m->links[1].inertia[8], 1.5, 1e-15);
    CHECK_NEAR(m->links[2].inertia[0], 4.5 * 0.4 * 0.04, 1e-16);
    CHECK_NEAR(m->links[1].lift, 1.0, 1e-15);
    tn_model_destroy(m);
}

#define FREE_BODIES(ALIGN)                                                                         \
    "<mujoco><compiler alignfree='" ALIGN "'/><worldbody>"                                         \
    "<body name='a' pos='1 2 3' euler='10 20 30'><freejoint/>"                                     \
    "<geom type='box' size='.1 .2 .3' pos='.1 .2 .3' euler='30 20 10'/>"                           \
    "<geom type='box' size='.3 .1 .2' pos='.5 .2 .1' euler='60 20 10'/>"                           \
    "<site name='s' pos='.1 .2 .3' euler='1 2 3'/></body>"                                         \
    "<body name='b' pos='0 0 1'><freejoint/>"                                                      \
    "<inertial pos='.1 0 0' mass='1' fullinertia='1 1.1 1.2 .1 .05 -.2'/></body>"                  \
    "<body name='c'><freejoint/><geom size='.1' pos='1 0 0'/>"                                     \
    "<body><geom size='.1' pos='1 1 0'/></body></body></worldbody>"                                \
    "<sensor><framepos objtype='site' objname='s'/><framequat objtype='site' objname='s'/>"        \
    "</sensor></mujoco>"

TEST(alignfree_moves_the_frames_of_free_bodies_to_their_inertia)
{
    TnModel *m = load_or_fail(FREE_BODIES("true"));
    REQUIRE(m);
    const double qpos0[14] = {1.2185740709913548,
                              2.295150849440491,
                              3.1873802325882394,
                              -0.05865000577877752,
                              0.6857287217199497,
                              0.5435656390079164,
                              0.48049213637726806,
                              0.1,
                              0,
                              1,
                              0.07717011149914368,
                              0.6785674578702349,
                              -0.5209366865698054,
                              0.5120702565043322};
    for (int i = 0; i < 14; i++) CHECK_NEAR(m->qpos0[i], qpos0[i], 1e-14); /* rounding */
    CHECK(m->qpos0[14] == 0.0 && m->qpos0[17] == 1.0); /* one with children stays */
    for (int l = 1; l < 3; l++) {
        const TnLink *link = &m->links[l];
        for (int k = 0; k < 3; k++) CHECK_NEAR(link->com[k], 0.0, 1e-15);
        CHECK_NEAR(link->inertia[1], 0.0, 1e-14); /* rounding of moments up to 8 kg m² */
        CHECK_NEAR(link->inertia[2], 0.0, 1e-14);
        CHECK_NEAR(link->inertia[5], 0.0, 1e-14);
        CHECK(link->inertia[0] > link->inertia[4] && link->inertia[4] > link->inertia[8]);
    }
    tn_model_destroy(m);
}

TEST(alignfree_moves_nothing_in_the_world)
{
    double sensors[2][7];
    for (int k = 0; k < 2; k++) {
        TnModel *m = load_or_fail(k ? FREE_BODIES("true") : FREE_BODIES("false"));
        REQUIRE(m);
        double qvel[18] = {0};
        TnEval eval = {.sensors = sensors[k]};
        CHECK(tn_model_eval(m, m->qpos0, qvel, NULL, &eval, &err) == TN_OK);
        tn_model_destroy(m);
    }
    double sign = sensors[0][3] * sensors[1][3] < 0 ? -1 : 1;
    for (int i = 0; i < 7; i++) /* rounding */
        CHECK_NEAR(sensors[1][i] * (i < 3 ? 1 : sign), sensors[0][i], 1e-14);
}

TEST(align_of_a_joint_comes_before_alignfree)
{
    TnModel *m = load_or_fail(
        "<mujoco><compiler alignfree='true'/><worldbody><body><freejoint align='false'/>"
        "<geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(m->qpos0[0] == 0.0);
    tn_model_destroy(m);
    m = load_or_fail("<mujoco><worldbody><body><freejoint align='true'/>"
                     "<geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(m->qpos0[0] == 1.0 && m->geoms[0].pos[0] == 0.0);
    tn_model_destroy(m);
}

TEST(fusestatic_keeps_bodies_with_a_remark)
{
    TnModel *m = load_or_fail("<mujoco><compiler fusestatic='true'/><worldbody><body name='a'>"
                              "<joint/><geom size='.1'/><body name='b'><geom size='.1'/></body>"
                              "</body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(tn_model_find_body(m, "b") == 3);
    CHECK_STR(remarks.message, "fusestatic has no effect");
    tn_model_destroy(m);
}

/* ---- springdamper ---- */

TEST(springdamper_gives_stiffness_and_damping_of_the_inertia_that_moves)
{
    TnModel *m =
        load_or_fail("<mujoco><worldbody><body><joint axis='0 1 0' springdamper='.1 .5'/>"
                     "<inertial pos='.3 0 0' mass='2' diaginertia='.1 .2 .3'/>"
                     "<body pos='1 0 0'><joint type='slide' springdamper='.2 1.5' armature='.3'/>"
                     "<inertial pos='0 .1 0' mass='1' diaginertia='.1 .1 .1'/></body></body>"
                     "<body><joint type='free' springdamper='.1 1'/>"
                     "<inertial pos='1 0 0' mass='3' diaginertia='.1 .2 .25'/></body>"
                     "<body><joint type='slide' springdamper='.5 2' stiffness='1' damping='7'/>"
                     "<geom size='1' mass='3'/></body></worldbody></mujoco>");
    REQUIRE(m);
    /* the first three: MuJoCo's jnt_stiffness and dof_damping; the last: 3 kg / (0.5 s · 2)² and
     * 2 · 3 kg / 0.5 s. 1e-12: rounding */
    const double stiffness[4] = {284.30769230769226, 6.936936936936935, 20.68965517241379, 3},
                 damping[4] = {14.215384615384616, 6.243243243243244, 4.137931034482759, 12};
    for (int j = 0; j < 4; j++) {
        CHECK_NEAR(m->joints[j].stiffness, stiffness[j], 1e-12);
        CHECK_NEAR(m->joints[j].damping, damping[j], 1e-12);
    }
    tn_model_destroy(m);
    CHECK(!load_text("<mujoco><worldbody><body>\n<joint springdamper='1 0'/><geom size='1'/></body>"
                     "</worldbody></mujoco>",
                     &err));
    CHECK(has_line(err.message, "2:8", "two positive numbers"));
}

/* ---- flags ---- */

#define PENDULUM(OPTION)                                                                           \
    "<mujoco>" OPTION "<worldbody><geom name='f' type='plane' size='1 1 1'/>"                      \
    "<body pos='0 0 .5' gravcomp='.5'><joint name='j' axis='0 1 0' range='-10 10' stiffness='2' "  \
    "damping='3' frictionloss='1'/><geom name='g' size='.1' pos='.1 0 0'/>"                        \
    "<body><joint/><geom size='.1'/></body></body></worldbody><equality><joint joint1='j'/>"       \
    "</equality><contact><pair geom1='f' geom2='g'/></contact><actuator>"                          \
    "<motor joint='j' gear='2'/><position joint='j' kp='5' group='2'/></actuator></mujoco>"
#define FLAG(NAME) PENDULUM("<option><flag " NAME "='disable'/></option>")

TEST(constraint_disables_contacts_limits_equalities_and_friction)
{
    TnModel *m = load_or_fail(FLAG("constraint"));
    REQUIRE(m);
    CHECK(!m->joints[0].limited && m->joints[0].friction_loss == 0.0);
    CHECK(m->pair_count == 0 && m->geoms[1].contact_type == 0 && !m->equalities[0].active);
    CHECK(m->joints[0].stiffness == 2.0);
    tn_model_destroy(m);
}

TEST(passive_disables_springs_dampers_and_gravity_compensation)
{
    static const char *const files[] = {FLAG("passive"), FLAG("spring='disable' damper")};
    for (int i = 0; i < 2; i++) {
        TnModel *m = load_or_fail(files[i]);
        REQUIRE(m);
        CHECK(m->joints[0].stiffness == 0.0 && m->joints[0].damping == 0.0);
        CHECK(!m->has_lift && m->joints[0].limited);
        tn_model_destroy(m);
    }
}

static void check_forces(const char *text, double motor, double servo)
{
    TnModel *m = load_or_fail(text);
    REQUIRE(m);
    double q[2] = {0.25, 0}, v[2] = {0, 0}, ctrl[2] = {3, 1}, force[2];
    TnEval eval = {.actuator_force = force};
    CHECK(tn_model_eval(m, q, v, ctrl, &eval, &err) == TN_OK);
    CHECK(force[0] == motor && force[1] == servo);
    tn_model_destroy(m);
}

TEST(actuators_are_switched_off_all_at_once_or_by_group)
{
    check_forces(PENDULUM(""), 3, 3.75);
    check_forces(FLAG("actuation"), 0, 0);
    check_forces(PENDULUM("<option actuatorgroupdisable='2 5'/>"), 3, 0);
    check_forces(PENDULUM("<option actuatorgroupdisable='0'/>"), 0, 3.75);
    CHECK(!load_text("<mujoco>\n<option actuatorgroupdisable='31'/></mujoco>", &err));
    CHECK(has_line(err.message, "2:9", "groups to disable are 0 to 30"));
}

TEST(without_filterparent_a_body_may_touch_its_parent)
{
    TnModel *m = load_or_fail(FLAG("filterparent"));
    REQUIRE(m);
    CHECK(tn_model_bodies_collide(m, 1, 2));
    tn_model_destroy(m);
    m = load_or_fail(PENDULUM(""));
    REQUIRE(m);
    CHECK(!tn_model_bodies_collide(m, 1, 2));
    tn_model_destroy(m);
}

TEST(override_sets_friction_and_margin_of_all_contacts)
{
    TnModel *m = load_or_fail(PENDULUM("<option o_margin='.01' o_friction='.3 .3 .02 .001 .001'>"
                                       "<flag override='enable'/></option>"));
    REQUIRE(m);
    CHECK(m->geoms[1].friction[0] == 0.3 && m->geoms[1].friction[1] == 0.02);
    CHECK(m->geoms[1].friction[2] == 0.001 && m->geoms[1].margin == 0.005);
    CHECK(m->pairs[0].friction[0] == 0.3 && m->pairs[0].margin == 0.01);
    tn_model_destroy(m);
    m = load_or_fail(PENDULUM("<option o_margin='.01' o_friction='.3'/>")); /* not switched on */
    REQUIRE(m);
    CHECK(m->geoms[1].friction[0] == 1.0 && m->geoms[1].margin == 0.0);
    tn_model_destroy(m);
}

/* ---- without effect ---- */

TEST(bodies_outside_of_the_world_are_passed_over)
{
    TnModel *m = load_or_fail("<mujoco><body name='a'><geom size='.1' what='ever'/></body>"
                              "<worldbody><body name='b'/></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(tn_model_find_body(m, "a") == 0 && tn_model_find_body(m, "b") == 2);
    CHECK_STR(remarks.message, "outside of <worldbody>");
    tn_model_destroy(m);
}

TEST(skins_are_read_and_not_drawn)
{
    TnModel *m = load_or_fail(
        "<mujoco><asset><skin name='s' file='s.skn'/></asset><deformable><skin name='t' "
        "vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'><bone body='world' bindpos='0 0 0' "
        "bindquat='1 0 0 0' vertid='0' vertweight='1'/></skin></deformable></mujoco>");
    REQUIRE(m);
    CHECK_STR(remarks.message, "skins are not drawn");
    tn_model_destroy(m);
}

TEST(an_inertial_may_stand_in_a_frame)
{
    /* body_ipos (1, 1, 0) in MuJoCo; a quarter turn about z exchanges x and y */
    static const char *const forms[] = {"diaginertia='1 1.1 1.2'",
                                        "fullinertia='1 1.1 1.2 .1 .2 .3'"};
    const double turned[2][9] = {{1.1, 0, 0, 0, 1, 0, 0, 0, 1.2},
                                 {1.1, -.1, -.3, -.1, 1, .2, -.3, .2, 1.2}};
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><frame pos='1 0 0' euler='0 0 90'>"
                 "<inertial pos='1 0 0' mass='1' %s/></frame><joint/></body></worldbody></mujoco>",
                 forms[i]);
        TnModel *m = load_or_fail(text);
        REQUIRE(m);
        const TnLink *link = &m->links[1];
        CHECK_NEAR(link->com[0], 1.0, 1e-15); /* rounding, here and below */
        CHECK_NEAR(link->com[1], 1.0, 1e-15);
        for (int k = 0; k < 9; k++) CHECK_NEAR(link->inertia[k], turned[i][k], 1e-15);
        tn_model_destroy(m);
    }
}

TEST(pairs_and_equalities_of_fixed_parts_are_left_out_with_a_remark)
{
    TnModel *m = load_or_fail("<mujoco><worldbody><body name='a'><joint/><geom name='a' size='.1'/>"
                              "<body name='b'><geom name='b' size='.1'/></body></body>"
                              "<body name='c'/></worldbody><contact>"
                              "<pair geom1='a' geom2='b'/></contact><equality><weld name='ab' "
                              "body1='a' body2='b'/><weld name='c' body1='c'/><connect name='a' "
                              "body1='b' anchor='0 0 0'/></equality></mujoco>");
    REQUIRE(m);
    CHECK(m->pair_count == 0 && m->equality_count == 1 && tn_model_find_equality(m, "a") == 1);
    CHECK_STR(remarks.message, "parts that are fixed to each other has no effect");
    tn_model_destroy(m);
}

TEST(plugins_may_be_declared_and_are_refused_where_they_shape_the_motion)
{
    TnModel *m = load_or_fail(
        "<mujoco><extension><plugin plugin='mujoco.sensor.touch_grid'><instance name='i'>"
        "<config key='size' value='2 2'/></instance></plugin></extension><worldbody>"
        "<site name='s'/></worldbody><sensor><plugin name='p' plugin='mujoco.sensor.touch_grid' "
        "objtype='site' objname='s'><config key='size' value='7 7'/></plugin></sensor></mujoco>");
    REQUIRE(m);
    CHECK_STR(remarks.message, "this sensor is not supported yet");
    tn_model_destroy(m);
    CHECK(!load_text("<mujoco><extension><plugin plugin='mujoco.sdf.torus'/></extension><worldbody>"
                     "<geom type='sdf'>\n<plugin plugin='mujoco.sdf.torus'/></geom></worldbody>"
                     "</mujoco>",
                     &err));
    CHECK(has_line(err.message, "2:1", "a signed distance shape needs a mesh"));
}

/* Their mesh is cut into convex pieces, unless <tenon> says otherwise; that of other geoms is not.
 */
TEST(geoms_of_type_sdf_are_their_mesh_with_its_hollows)
{
#define SDF(MORE, GEOM)                                                                            \
    "<mujoco><extension><plugin plugin='mujoco.sdf.sdflib'><instance name='sdf'/></plugin>"        \
    "</extension><default><default class='c'><geom type='sdf'/></default></default><asset>"        \
    "<mesh name='ring' builtin='supertorus' params='12 .5 1 1'>" MORE "</mesh></asset>"            \
    "<worldbody><body><freejoint/>" GEOM "</body></worldbody>"
    static const struct {
        const char *text;
        bool cut;
    } cases[] = {
        {SDF("", "<geom type='sdf' mesh='ring'/>") "</mujoco>", true},
        {SDF("<plugin instance='sdf'/>",
             "<geom type='sdf' mesh='ring'><plugin instance='sdf'/></geom>") "</mujoco>",
         true},
        {SDF("", "<geom class='c' mesh='ring'/>") "</mujoco>", true},
        {SDF("", "<geom type='mesh' mesh='ring'/>") "</mujoco>", false},
        {SDF("", "<geom type='sdf' mesh='ring'/>") "<tenon><mesh name='ring' collision='hull'/>"
                                                   "</tenon></mujoco>",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModel *m = load_text(cases[i].text, &err);
        if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
        if (!m) continue;
        CHECK(m->geoms[0].type == TN_GEOM_MESH);
        CHECK((m->meshes[0].piece_count > 1) == cases[i].cut);
        tn_model_destroy(m);
    }
    CHECK(!load_text(SDF("", "<geom type='sdf'/>") "</mujoco>", &err));
    CHECK(strstr(err.message, "attribute 'mesh' is missing"));
}

TEST(delays_of_sensors_are_remarks)
{
    TnModel *m = load_or_fail(
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><sensor>"
        "<jointpos joint='j' delay='.1' nsample='4' interval='.01'/></sensor></mujoco>");
    REQUIRE(m);
    CHECK(tn_model_info(m).sensor_count == 1);
    CHECK_STR(remarks.message, "sensors read the present state");
    tn_model_destroy(m);
}

/* ---- written ---- */

static TnBodyId add_ball(TnModelBuilder *b, double x, TnJointDef *joint, TnGeomId *geom)
{
    TnBodyDef body = tn_body_def();
    TnGeomDef ball = tn_geom_def();
    body.pos[0] = x;
    ball.body = joint->body = tn_builder_add_body(b, &body);
    ball.size[0] = 0.1;
    ball.pos[1] = 0.5;
    tn_builder_add_joint(b, joint);
    *geom = tn_builder_add_geom(b, &ball);
    return ball.body;
}

TEST(what_is_built_with_these_settings_is_written_and_loads_again)
{
    TnModelBuilder *b = tn_builder_create();
    REQUIRE(b);
    TnOption option = tn_option();
    option.total_mass = 7;
    option.parents_collide = true;
    tn_builder_set_option(b, &option, (TnSource){0});
    TnJointDef joint = tn_joint_def();
    TnPairDef pair = tn_pair_def();
    joint.spring_time = 0.2;
    joint.spring_ratio = 0.5;
    add_ball(b, 0, &joint, &pair.geom1);
    joint = tn_joint_def();
    joint.type = TN_JOINT_FREE;
    joint.align = true;
    add_ball(b, 2, &joint, &pair.geom2);
    pair.friction[0] = 0.3;
    pair.friction_across[0] = 0.7;
    tn_builder_add_pair(b, &pair);
    char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tenon_file_XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    CHECK(tn_builder_write(b, path, &err));
    TnModel *m = tn_builder_compile(b, &err), *again = tn_model_load(path, &err);
    unlink(path);
    tn_builder_destroy(b);
    if (!again) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m && again);
    CHECK(again->option.parents_collide);
    CHECK(again->pairs[0].friction[0] == 0.3 && again->pairs[0].across[0] == 0.7);
    CHECK(again->pairs[0].across[1] == 0.0001); /* as in the first direction */
    CHECK(m->joints[0].stiffness > 0.0 && again->joints[0].stiffness == m->joints[0].stiffness);
    CHECK(again->links[1].mass == m->links[1].mass);
    CHECK_NEAR(m->links[1].mass, 3.5, 1e-15); /* rounding */
    CHECK(m->qpos0[2] == 0.5 && again->qpos0[2] == 0.5);
    tn_model_destroy(m);
    tn_model_destroy(again);
}
