/* Cables read from MJCF. Poses of bodies are those that MuJoCo 3.3.2 gives for the same text, the
 * last version family with <composite>; other numbers are worked out by hand. */
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/scene.h>

static TnError err;

#define PI 3.14159265358979323846
#define ROUNDING 1e-14 /* of a few products of numbers of size 1 */
#define GEOM "<geom type='capsule' size='.005' rgba='.8 .2 .1 1' condim='1'/>"
#define PLUGIN                                                                                     \
    "<plugin plugin='mujoco.elasticity.cable'><config key='twist' value='1e7'/>"                   \
    "<config key='bend' value='4e6'/><config key='vmax' value='0.05'/></plugin>"
#define CABLE(ATTRS, PARTS) "<composite type='cable' " ATTRS ">" PARTS "</composite>"
#define WORLD(BODY) "<mujoco><worldbody>" BODY "</worldbody></mujoco>"

static TnModel *load_good(const char *text)
{
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

TEST(the_cable_of_mujocos_example_becomes_a_rod)
{
    TnModel *m =
        load_good("<mujoco><extension><plugin "
                  "plugin='mujoco.elasticity.cable'/></extension><worldbody>" CABLE(
                      "curve='s' count='41 1 1' size='1' offset='-.3 0 .6' initial='none'",
                      PLUGIN "<joint kind='main' damping='.015'/>" GEOM) "</worldbody></mujoco>");
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(info.rod_count == 1 && info.body_count == 41 && info.free_body_count == 0);
    CHECK(info.equality_count == 1 && info.site_count == 2 && info.dof_count == 240);
    CHECK(tn_model_find_body(m, "B_first") == 2 && tn_model_find_body(m, "B_1") == 3 &&
          tn_model_find_body(m, "B_38") == 40 && tn_model_find_body(m, "B_last") == 41);
    CHECK(tn_model_find_geom(m, "G0") == 1 && tn_model_find_geom(m, "G39") == 40);
    const TnRod *rod = &m->rods[0];
    CHECK(rod->segment_count == 40 && rod->radius == 0.005 && rod->self_contact);
    CHECK_NEAR(rod->lengths[7], 0.025, ROUNDING);
    double I = PI * pow(0.005, 4) / 4;
    const double *k = rod->joints[1].k;              /* the first is that of a clamp */
    CHECK_NEAR(k[3], 4e6 * I / 0.025, 1e-13 * k[3]); /* rounding of the length */
    CHECK_NEAR(k[5], 1e7 * 2 * I / 0.025, 1e-13 * k[5]);
    CHECK_NEAR(k[2], 1e7 * PI * 0.005 * 0.005 / 0.025, 1e-13 * k[2]); /* least for stretch */
    CHECK_NEAR(rod->damping_time, 0.015 / k[3], 1e-13 * rod->damping_time);
    CHECK_NEAR(tn_model_info(m).total_mass, 1000 * PI * 0.005 * 0.005, ROUNDING);
    CHECK_NEAR(m->bodies[1].pos[0], -0.3 + 0.0125, ROUNDING);
    CHECK(m->geoms[5].contact_dim == 1 && m->geoms[5].rgba[0] == 0.8);
    tn_model_destroy(m);
}

/* Where MuJoCo's body frame of a segment is: its start, x along it. */
static void mujoco_frame(const TnModel *m, const char *name, double pos[3], double x[3],
                         double y[3])
{
    const TnBody *b = &m->bodies[tn_model_find_body(m, name) - 1];
    const double *q = b->quat;
    double half = m->geoms[tn_model_find_body(m, name) - 2 - m->rods[0].body_start + 1].size[1];
    x[0] = 2 * (q[1] * q[3] + q[0] * q[2]);
    x[1] = 2 * (q[2] * q[3] - q[0] * q[1]);
    x[2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    y[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]);
    y[1] = 2 * (q[1] * q[2] + q[0] * q[3]);
    y[2] = 2 * (q[1] * q[3] - q[0] * q[2]);
    for (int k = 0; k < 3; k++) pos[k] = b->pos[k] - half * x[k];
}

static void check_frame(const TnModel *m, const char *name, const double pos[3], const double x[3],
                        const double y[3])
{
    double p[3], a[3], b[3];
    mujoco_frame(m, name, p, a, b);
    for (int k = 0; k < 3; k++) { /* MuJoCo's numbers were printed with four digits */
        CHECK_NEAR(p[k], pos[k], 6e-5);
        CHECK_NEAR(a[k], x[k], 6e-5);
        CHECK_NEAR(b[k], y[k], 6e-5);
    }
}
#define V(...) ((const double[3]){__VA_ARGS__})

TEST(bodies_stand_where_mujocos_do)
{
    TnModel *m = load_good(
        WORLD(CABLE("prefix='A' vertex='0 0 0 1 0 0 1 1 0 1 1 1' initial='none'", PLUGIN GEOM)));
    REQUIRE(m);
    check_frame(m, "AB_first", V(0, 0, 0), V(1, 0, 0), V(0, 1, 0));
    check_frame(m, "AB_1", V(1, 0, 0), V(0, 1, 0), V(-1, 0, 0));
    check_frame(m, "AB_last", V(1, 1, 0), V(0, 0, 1), V(-1, 0, 0));
    tn_model_destroy(m);
    m = load_good(WORLD(CABLE("prefix='A' vertex='0 0 0 1 1 1 2 3 4 3 4 5'", GEOM)));
    REQUIRE(m);
    check_frame(m, "AB_first", V(0, 0, 0), V(.5774, .5774, .5774), V(-.7071, 0, .7071));
    check_frame(m, "AB_1", V(1, 1, 1), V(.2673, .5345, .8018), V(-.8729, -.2182, .4364));
    tn_model_destroy(m);
    m = load_good(WORLD(CABLE("prefix='A' vertex='0 0 0 1 1 1 2 2 2 3 3 3'", GEOM)));
    REQUIRE(m);
    check_frame(m, "AB_first", V(0, 0, 0), V(.5774, .5774, .5774), V(-.5774, .7887, -.2113));
    tn_model_destroy(m);
    m = load_good(WORLD("<body pos='0 0 1'>" CABLE(
        "prefix='A' curve='s cos(s) sin(s)' count='5 1 1' size='1 0.2 2'", GEOM) "</body>"));
    REQUIRE(m);
    double p[3], x[3], y[3];
    mujoco_frame(m, "AB_2", p, x, y);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], V(.5, -.2, 1)[k], ROUNDING);
    /* third row of the matrix of MuJoCo's quaternion of AB_last, .8751 -.2557 -.3604 .1974 */
    mujoco_frame(m, "AB_last", p, x, y);
    CHECK_NEAR(x[2], 2 * (-.2557 * .1974 + .8751 * .3604), 3e-4);
    CHECK_NEAR(y[2], 2 * (-.3604 * .1974 - .8751 * .2557), 3e-4);
    tn_model_destroy(m);
    m = load_good(WORLD("<frame pos='0 0 1' quat='.70710678 0 .70710678 0'>" CABLE(
        "prefix='A' curve='s' count='4' size='1' initial='free'", GEOM) "</frame>"));
    REQUIRE(m);
    check_frame(m, "AB_1", V(0, 0, .6667), V(0, 0, -1), V(0, 1, 0));
    tn_model_destroy(m);
}

TEST(initial_says_how_the_first_segment_is_held)
{
    TnModel *m = load_good(WORLD(CABLE("curve='s' count='4' size='3' initial='free'", GEOM)));
    REQUIRE(m);
    CHECK(m->equality_count == 0 && m->exclude_count == 0);
    tn_model_destroy(m);
    /* ball is the default; what is welded must not move */
    const char *const kinds[2] = {"", "initial='none'"}, *const joints[2] = {"<joint/>", ""};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 WORLD("<body name='arm' pos='1 2 3' euler='0 0 90'>%s<geom size='.1'/>"
                       "<frame pos='.5 0 0'>" CABLE(
                           "prefix='A' curve='s' count='4' size='3' offset='0 0 1' %s",
                           GEOM) "</frame></body>"),
                 joints[i], kinds[i]);
        m = load_good(text);
        REQUIRE(m);
        CHECK(m->equality_count == 1 && m->exclude_count == 1);
        const TnEquality *e = &m->equalities[0];
        CHECK(e->type == (i == 0 ? TN_EQUALITY_CONNECT : TN_EQUALITY_WELD));
        CHECK(e->body1 == 2 && e->body2 == 1);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(e->anchor1[k], V(0, 0, -.5)[k], ROUNDING);
            CHECK_NEAR(e->anchor2[k], V(.5, 0, 1)[k], ROUNDING);
            CHECK_NEAR(m->bodies[2].pos[k], V(1, 3, 4)[k], ROUNDING); /* half a metre along y */
        }
        CHECK(!tn_model_bodies_collide(m, 1, 2) && tn_model_bodies_collide(m, 1, 3));
        tn_model_destroy(m);
    }
}

TEST(equalities_and_sensors_that_name_a_segment_speak_of_mujocos_frame)
{
    TnModel *m =
        load_good("<mujoco><worldbody><body name='box'><freejoint/><geom size='.1'/></body>"
                  "<body name='post'/>" CABLE(
                      "prefix='A' curve='s' count='4' size='3' offset='0 0 1'",
                      GEOM) "</worldbody><equality>"
                            "<connect body1='AB_last' body2='box' anchor='1 .1 .2'/>"
                            "<weld body1='post' body2='AB_1' relpose='1 0 1 1 0 0 0'/></equality>"
                            "<sensor><framepos objtype='xbody' objname='AB_1'/>"
                            "<framepos objtype='body' objname='AB_1'/>"
                            "<framepos objtype='site' objname='AS_last'/></sensor></mujoco>");
    REQUIRE(m);
    /* the segment's end, then .1 along MuJoCo's y, which is x here, and .2 along its z, y here */
    for (int k = 0; k < 3; k++) CHECK_NEAR(m->equalities[1].anchor1[k], V(.1, .2, .5)[k], ROUNDING);
    for (int k = 0; k < 3; k++) CHECK_NEAR(m->equalities[1].anchor2[k], V(3, .1, 1.2)[k], ROUNDING);
    /* the weld asks for the pose that the segment has */
    const TnEquality *weld = &m->equalities[2];
    const double *q = weld->relquat, *own = m->bodies[weld->body2].quat;
    CHECK_NEAR(fabs(q[0] * own[0] + q[1] * own[1] + q[2] * own[2] + q[3] * own[3]), 1, ROUNDING);
    for (int k = 0; k < 3; k++) CHECK_NEAR(weld->anchor1[k], V(1, 0, 1)[k], ROUNDING);
    for (int k = 0; k < 3; k++) CHECK_NEAR(weld->anchor2[k], V(0, 0, -.5)[k], ROUNDING);
    CHECK(m->sensor_count == 3);
    TnWorldDef def = tn_world_def();
    TnWorld *w = tn_world_create(&def, m, &err);
    REQUIRE(w);
    const double places[3][3] = {{1, 0, 1}, {1.5, 0, 1}, {3, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const TnSite *site = &m->sites[m->sensors[i].object];
        double p[3], quat[4], x[3];
        CHECK(m->sensors[i].type == TN_SENSOR_SITE_POS);
        tn_world_body_pose(w, site->body + 1, p, quat);
        x[0] = p[0] + site->pos[2]; /* z of a segment is the world's x */
        CHECK_NEAR(x[0], places[i][0], ROUNDING);
        CHECK(site->pos[0] == 0 && site->pos[1] == 0);
    }
    tn_world_destroy(w);
    tn_model_destroy(m);
}

TEST(the_tenon_element_gives_a_cable_its_material)
{
    TnModel *m = load_good(
        "<mujoco><worldbody>" CABLE("prefix='hose' curve='s' count='5' size='1'", GEOM)
            CABLE("prefix='wire' curve='s' count='5' size='1' offset='0 1 0'", PLUGIN GEOM)
                CABLE("prefix='chain' curve='s' count='5' size='1' offset='0 2 0'",
                      GEOM) "</worldbody><tenon><rod name='hose' young='2e6' poisson='.25' "
                            "density='500' radius='.01' "
                            "damping='.3' self_contact='false' straight='true' restitution='.5'/>"
                            "<rod name='wire' young='1e9'/></tenon></mujoco>");
    REQUIRE(m);
    const TnRod *hose = &m->rods[tn_model_find_rod(m, "hose") - 1];
    const TnRod *wire = &m->rods[tn_model_find_rod(m, "wire") - 1], *chain = &m->rods[2];
    double I = PI * 1e-8 / 4, A = PI * 1e-4;
    CHECK(hose->radius == 0.01 && hose->damping_time == 0.3 && !hose->self_contact);
    CHECK_NEAR(hose->joints[0].k[2], 2e6 * A / .25, 1e-9); /* rounding of numbers of 1e3 */
    CHECK_NEAR(hose->joints[0].k[3], 2e6 * I / .25, ROUNDING);
    CHECK_NEAR(hose->joints[0].k[5], 2e6 / 2.5 * 2 * I / .25, ROUNDING);
    CHECK_NEAR(m->links[1].mass, 500 * A * .25, ROUNDING);
    CHECK(m->geoms[0].restitution == 0.5 && m->geoms[0].size[0] == 0.01);
    /* the plugin's moduli stay for bending and twist */
    CHECK_NEAR(wire->joints[0].k[2], 1e9 * A / 4 / .25, 1e-6); /* rounding of numbers of 1e5 */
    CHECK_NEAR(wire->joints[0].k[3], 4e6 * I / 16 / .25, ROUNDING);
    /* what bends and twists freely keeps a millionth of the modulus, which its guard against kinks
     * is measured by */
    double stretch = chain->joints[0].k[2], I_to_A = chain->radius * chain->radius / 4;
    CHECK(stretch > 0);
    CHECK_NEAR(chain->joints[0].k[3], 1e-6 * stretch * I_to_A, ROUNDING);
    CHECK_NEAR(chain->joints[0].k[5], 2e-6 * stretch * I_to_A, ROUNDING);
    tn_model_destroy(m);
}

TEST(the_tenon_element_says_how_cables_are_divided)
{
    static const struct {
        const char *said;
        TnDivisionKind kind;
        int size;
    } cases[] = {{"", TN_DIVISION_AUTO, 0},
                 {"division='auto'", TN_DIVISION_AUTO, 0},
                 {"division='whole'", TN_DIVISION_WHOLE, 0},
                 {"division='paper'", TN_DIVISION_PAPER, 0},
                 {"division='12'", TN_DIVISION_GROUPS, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody>%s%s</worldbody><tenon %s><rod name='hose' group='3'/></tenon>"
                 "</mujoco>",
                 CABLE("prefix='hose' curve='s' count='9' size='1'", GEOM),
                 CABLE("prefix='wire' curve='s' count='9' size='1' offset='0 1 0'", GEOM),
                 cases[i].said);
        TnModel *m = load_good(text);
        REQUIRE(m);
        TnDivisionDef division = tn_model_info(m).option.division;
        CHECK(division.kind == cases[i].kind && division.group_size == cases[i].size);
        CHECK(m->rods[0].group_size == 3 && m->rods[1].group_size == 0);
        tn_model_destroy(m);
    }
}

TEST(a_flat_cable_is_at_rest_when_straight)
{
    TnModel *m = load_good(
        WORLD(CABLE("vertex='0 0 0 1 0 0 1 1 0'",
                    GEOM "<plugin plugin='mujoco.elasticity.cable'><config key='bend' value='1e6'/>"
                         "<config key='flat' value='true'/></plugin>")));
    REQUIRE(m);
    const double *rest = m->rods[0].joints[0].rest;
    for (int k = 0; k < 6; k++) CHECK_NEAR(rest[k], k == 2 ? 1 : 0, ROUNDING);
    tn_model_destroy(m);
}

TEST(what_a_cable_cannot_be_is_said_with_its_place)
{
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {CABLE("curve='s' count='2'", GEOM), "2:35", "must be N 1 1 with 3 <= N"},
        {CABLE("curve='s' count='4 2'", GEOM), "2:35", "must be N 1 1 with 3 <= N"},
        {CABLE("count='4'", GEOM), "2:1", "needs a curve, or a vertex list"},
        {CABLE("curve='s tan(s)' count='4'", GEOM), "2:25", "'tan(s)' is another word"},
        {CABLE("curve='s s s s' count='4'", GEOM), "2:25", "one too many"},
        {CABLE("vertex='0 0 0 1 0 0 1 0'", GEOM), "2:25", "three numbers for each point"},
        {CABLE("count='4' vertex='0 0 0 1 0 0 1 1 0'", GEOM), "2:35", "cannot both be given"},
        {CABLE("vertex='0 0 0 1 0 0 1 0 0'", GEOM), "2:1", "segment 1 has length 0"},
        {CABLE("curve='s' count='4'", ""), "2:1", "needs a geom"},
        {CABLE("curve='s' count='4'", "\n<geom type='box' size='1 1 1'/>"), "3:7",
         "must be a capsule or a cylinder"},
        {CABLE("curve='s' count='4'", "\n<geom type='capsule'/>"), "3:1", "positive radius"},
        {CABLE("curve='s' count='4'", GEOM "\n<skin/>"), "3:1", "is not supported yet"},
        {CABLE("curve='s' count='4'", GEOM "\n<joint kind='main' stiffness='1'/>"), "3:20",
         "stiffness=\"1\" is not supported yet"},
        {CABLE("curve='s' count='4'", GEOM "\n<plugin plugin='mujoco.pid'/>"), "3:9",
         "plugin 'mujoco.pid' is not supported"},
        {CABLE("curve='s' count='4'",
               GEOM "<plugin plugin='mujoco.elasticity.cable'>\n<config key='band' value='1'/>"
                    "</plugin>"),
         "3:9", "key must be one of: twist bend flat vmax; it is 'band'"},
        {CABLE("curve='s' count='4'",
               GEOM "<plugin plugin='mujoco.elasticity.cable'>\n<config key='bend' value='-1'/>"
                    "</plugin>"),
         "3:20", "bend needs a number that is not negative"},
        {CABLE("initial='tied' curve='s' count='4'", GEOM), "2:25", "initial must be one of"},
        {"<composite type='grid'/>", "2:12", "type=\"grid\" is not supported yet"},
        {"<body><geom size='1'/><composite type='cable' initial='free' curve='s' count='4'>" GEOM
         "</composite></body>",
         "2:47", "only a cable in the world can be free"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2048];
        snprintf(text, sizeof text, "<mujoco><worldbody>\n%s</worldbody></mujoco>", cases[i].text);
        TnModel *m = load_text(text, &err);
        CHECK(!m);
        if (!has_line(err.message, cases[i].place, cases[i].part) || err.count != 1)
            test_fail(__FILE__, __LINE__, "%s: %s", cases[i].text, err.message);
        tn_model_destroy(m);
    }
    CHECK(
        !load_text("<mujoco><extension>\n<plugin name='mujoco.pid'/></extension></mujoco>", &err));
    CHECK(has_line(err.message, "2:9", "unknown attribute 'name'"));
    CHECK(!load_text("<mujoco><tenon>\n<rod name='rope' young='1'/></tenon></mujoco>", &err));
    CHECK(has_line(err.message, "2:6", "there is no cable named 'rope'"));
    CHECK(!load_text("<mujoco><worldbody>" CABLE(
                         "prefix='a' curve='s' count='4'",
                         GEOM) "</worldbody><tenon>\n<rod name='a' poisson='.5'/></tenon></mujoco>",
                     &err));
    CHECK(has_line(err.message, "2:15", "poisson must lie between -1 and 0.5"));
    CHECK(!load_text("<mujoco><worldbody>" CABLE(
                         "prefix='a' curve='s' count='4'",
                         GEOM) "</worldbody><tenon>\n<rod name='a' group='-1'/></tenon></mujoco>",
                     &err));
    CHECK(has_line(err.message, "2:15", "group must not be negative"));
}

TEST(what_is_approximated_of_a_cable_leaves_remarks)
{
    static TnRemarks remarks;
    const char *text =
        WORLD(CABLE("curve='s' count='4'", "<geom type='cylinder' size='.01'/>"
                                           "<joint kind='main' damping='.1' armature='.01'/>"));
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    REQUIRE(m);
    CHECK(remarks.count == 2);
    CHECK_STR(remarks.message, "segments of a cable collide as capsules");
    CHECK_STR(remarks.message, "a cable's joints are springs in all six directions");
    tn_model_destroy(m);
}

TEST(a_cable_is_drawn_once_as_a_tube_through_the_ends_of_its_segments)
{
    TnModel *m = load_good(
        WORLD("<geom type='plane' size='1 1 1'/>" CABLE("vertex='0 0 0 1 0 0 1 1 0 1 1 1'", GEOM)
                  CABLE("prefix='A' curve='s' count='3' size='4' offset='0 0 2'", GEOM)));
    REQUIRE(m);
    TnScene *scene = tn_scene_create(m, &err);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    TnFrame *frame = scene ? tn_frame_create(scene, &err) : NULL;
    REQUIRE(scene && world && frame);
    CHECK(scene->tube_count == 2 && scene->point_count == 7 && scene->surface_count == 0);
    const TnSceneTube *tube = &scene->tubes[1];
    CHECK(tube->kind == TN_TUBE_CABLE && tube->point_start == 4 && tube->point_count == 3);
    CHECK(tube->radius == 0.005 && tube->rgba[0] == 0.8f && tube->rgba[3] == 1);
    for (int i = 0; i < 7; i++) CHECK(scene->point_subsystems[i] == (i < 4 ? 1 : 2));
    for (int i = 0; i < 6; i++) CHECK(scene->shapes[i].rgba[3] == (i == 0 ? 1 : 0));
    CHECK(tn_frame_capture(frame, world, NULL, false, &err) == TN_OK);
    const float points[21] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 2, 2, 0, 2, 4, 0, 2};
    for (int k = 0; k < 21; k++) CHECK_NEAR(frame->points[k], points[k], 1e-6); /* floats */
    tn_frame_destroy(frame);
    tn_world_destroy(world);
    tn_scene_destroy(scene);
    tn_model_destroy(m);
}
