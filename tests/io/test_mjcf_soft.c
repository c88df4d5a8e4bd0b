/* Soft bodies and ties of the <tenon> element: their attributes, which nodes are held, and errors
 * with their places. */
#include "base/base.h"
#include "mjcf_text.h"
#include "model/model.h"

#define WORLD                                                                                      \
    "<mujoco><asset><material name='red' rgba='1 0 0 1'/></asset><worldbody>"                      \
    "<body name='hand' pos='0 0 1' euler='0 0 90'><joint/><geom name='pad' type='box' "            \
    "size='.1 .2 .02'/><site name='tip' pos='0 0 1'/></body>"                                      \
    "<geom name='floor' type='plane' size='1 1 1'/>"                                               \
    "<flexcomp name='cube' dim='3' count='3 3 3' spacing='.1 .1 .1' pos='3 0 0'><pin id='0'/>"     \
    "<elasticity young='1e5'/></flexcomp></worldbody>"
#define SCENE(TEXT) WORLD "<tenon>\n" TEXT "</tenon></mujoco>"
#define BAR "<soft name='bar' box='.1 .1 .5' cells='2 2 10' pos='0 0 .5' young='1e6'"

static TnModel *load_good(const char *text)
{
    TnError err = {0};
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

TEST(soft_bodies_are_read_with_their_defaults)
{
    TnModel *m = load_good(SCENE(BAR "/>"));
    REQUIRE(m);
    TnSoftDef def = tn_soft_def();
    TnSoftId id = tn_model_find_soft(m, "bar");
    REQUIRE(id == 2);
    TnSoftInfo s = tn_model_soft_info(m, id);
    const TnSoft *soft = &m->softs[id - 1];
    CHECK(s.node_count == 3 * 3 * 11 && s.tet_count == 6 * 40 && s.hold_count == 0);
    CHECK(s.youngs_modulus == 1e6 && s.poisson_ratio == def.poisson_ratio);
    CHECK(s.law == TN_SOFT_COROTATIONAL && soft->patch_count > 0 && !soft->consistent_mass);
    CHECK(soft->damping_stiffness == def.damping_stiffness && soft->damping_mass == 0);
    CHECK(s.radius == 0 && !s.self_contact && soft->pieces == 0);
    CHECK_NEAR(s.mass, 1000 * 0.2 * 0.2 * 1.0, 1e-10);
    CHECK_NEAR(s.rest[2], 0, 1e-15); /* of 1 m from 0 up */
    tn_model_destroy(m);
}

TEST(all_attributes_of_soft_bodies_are_read)
{
    TnModel *m = load_good(
        SCENE("<soft name='ball' ball='.1' cells='3' pos='0 2 0' quat='1 0 0 1' young='2e6' "
              "poisson='.4' mass='2' law='neohookean' damping='.02' mass_damping='3' "
              "mass_matrix='consistent' pieces='4' self_contact='true' radius='.001' contype='2' "
              "conaffinity='4' condim='1' priority='5' friction='.3' restitution='.5' "
              "margin='.01' material='red' group='3'/>"
              "<soft name='can' cylinder='.1 .2' cells='2 3' pos='2 0 0' young='1e6' "
              "density='500' mean_dilatation='false' rgba='0 1 0 1'/>"));
    REQUIRE(m);
    TnSoftInfo s = tn_model_soft_info(m, 2), can = tn_model_soft_info(m, 3);
    const TnSoft *soft = &m->softs[1];
    const TnGeom *g = &m->geoms[s.geom - 1];
    CHECK(s.tet_count == 20 * 27 && s.law == TN_SOFT_NEO_HOOKEAN && s.poisson_ratio == 0.4);
    CHECK_NEAR(s.mass, 2, 1e-14);
    CHECK(soft->damping_stiffness == 0.02 && soft->damping_mass == 3 && soft->consistent_mass);
    CHECK(soft->pieces == 4 && s.self_contact && s.radius == 0.001 && s.group == 3);
    CHECK(g->contact_type == 2 && g->contact_affinity == 4 && g->contact_dim == 1);
    CHECK(g->priority == 5 && g->friction[0] == 0.3 && g->restitution == 0.5 && g->margin == 0.01);
    CHECK(s.rgba[0] == 1 && s.rgba[1] == 0 && can.rgba[1] == 1);
    CHECK(can.tet_count == 18 * 4 * 3 && m->softs[2].patch_count == 0);
    tn_model_destroy(m);
}

TEST(meshes_of_soft_bodies_come_from_files)
{
    TnModel *m = load_good(SCENE(
        "<soft name='a' file='" DATA("two_tets.msh") "' scale='1 2 3' pos='0 0 5' young='1e6'/>"));
    REQUIRE(m);
    TnSoftInfo s = tn_model_soft_info(m, 2);
    CHECK(s.node_count == 5 && s.tet_count == 2);
    CHECK(s.rest[12] == 1 && s.rest[13] == 2 && s.rest[14] == 8);
    tn_model_destroy(m);
}

/* Nodes of the bar: 3 × 3 × 11, heights 0, 0.1, … 1; the one of the index that lies at a corner. */
static int held_by(const TnModel *m, double low, double high)
{
    const TnSoft *s = &m->softs[1];
    int count = 0;
    for (int i = 0; i < s->hold_count; i++) {
        double z = s->rest[3 * s->holds[i].node + 2];
        CHECK(z > low && z < high && s->holds[i].link == m->bodies[1].link);
        count++;
    }
    return count;
}

static int pinned(const TnModel *m)
{
    int count = 0;
    for (int i = 0; i < m->softs[1].node_count; i++) count += m->softs[1].pinned[i];
    return count;
}

TEST(nodes_are_held_by_number_and_by_place)
{
    static const struct {
        const char *part;
        int held, pinned;
        double low, high;
    } cases[] = {
        {"<hold body='hand' nodes='0 5 5'/>", 2, 0, -1, 2},
        {"<hold body='hand' range='0 3 10 11'/>", 6, 0, -1, 2},
        {"<hold body='hand' box='0 0 1 .1 .1 0'/>", 9, 0, 0.95, 2},
        {"<hold body='hand' box='.1 .1 1 0 0 .11'/>", 2, 0, 0.85, 2},
        {"<hold site='tip' ball='0 0 .5 .1'/>", 7, 0, 0.35, 0.65},
        {"<hold within='pad'/>", 9, 0, 0.95, 2},
        {"<hold body='world' within='pad'/>", 0, 9, 0, 0},
        {"<hold within='pad'/><hold within='pad'/><pin box='0 0 0 1 1 .01'/>", 9, 9, 0.95, 2},
        {"<pin nodes='1' ball='.1 .1 1 .01'/>", 0, 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text, SCENE("%s>%s</soft>"), BAR, cases[i].part);
        TnModel *m = load_good(text);
        if (!m) continue;
        int held = held_by(m, cases[i].low, cases[i].high), pins = pinned(m);
        if (held != cases[i].held || pins != cases[i].pinned)
            test_fail(__FILE__, __LINE__, "case %zu: %d held, %d pinned", i, held, pins);
        tn_model_destroy(m);
    }
}

TEST(every_shape_of_geom_chooses_what_lies_in_it)
{
    /* of the bar's nodes 0.1 apart, about the one at (0, 0, 0.5); each shape's border is half way
     * to the next nodes, so that no rounding decides */
    static const struct {
        const char *geom;
        int held;
    } cases[] = {
        {"type='sphere' size='.12'", 7},       {"type='capsule' size='.05 .1'", 3},
        {"type='cylinder' size='.12 .05'", 5}, {"type='ellipsoid' size='.12 .05 .25'", 11},
        {"type='box' size='.05 .05 .25'", 5},  {"type='box' size='.25 .05 .05' euler='0 90 0'", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(
            text, sizeof text,
            "<mujoco><worldbody><body pos='0 0 .25'><joint/><geom size='.01'/><body pos='0 0 "
            ".125'><geom name='g' pos='0 0 .125' %s/></body></body></worldbody><tenon>%s><hold "
            "within='g'/></soft></tenon></mujoco>",
            cases[i].geom, BAR);
        TnModel *m = load_good(text);
        if (!m) continue;
        if (m->softs[0].hold_count != cases[i].held)
            test_fail(__FILE__, __LINE__, "case %zu: %d held", i, m->softs[0].hold_count);
        tn_model_destroy(m);
    }
}

TEST(a_soft_body_without_shape_speaks_for_a_flexcomp)
{
    TnModel *m = load_good(SCENE("<soft name='cube' young='3e5' law='neohookean' pieces='2' "
                                 "density='100' radius='0' self_contact='false' restitution='.5'>"
                                 "<hold body='hand' nodes='26'/></soft>"));
    REQUIRE(m);
    TnSoftInfo s = tn_model_soft_info(m, 1);
    CHECK(tn_model_info(m).soft_count == 1 && s.youngs_modulus == 3e5);
    CHECK(s.law == TN_SOFT_NEO_HOOKEAN && m->softs[0].pieces == 2 && s.radius == 0);
    CHECK(!s.self_contact && m->geoms[s.geom - 1].restitution == 0.5);
    CHECK_NEAR(s.mass, 100 * 0.2 * 0.2 * 0.2, 1e-13);
    CHECK(m->softs[0].pinned[0] && m->softs[0].hold_count == 1);
    CHECK(m->softs[0].holds[0].node == 26);
    tn_model_destroy(m);
}

TEST(ties_join_the_chosen_nodes_to_another_soft_body)
{
    TnModel *m = load_good(SCENE(BAR "/><soft name='top' box='.1 .1 .1' cells='2 2 2' "
                                     "pos='0 0 1.1' young='1e5'/>"
                                     "<tie soft1='top' soft2='bar' box='0 0 1 .1 .1 0'/>"));
    REQUIRE(m);
    CHECK(m->tie_count == 9);
    for (int i = 0; i < m->tie_count; i++) {
        const TnTie *tie = &m->ties[i];
        CHECK(tie->soft1 == 2 && tie->soft2 == 1);
        CHECK_NEAR(m->softs[2].rest[3 * tie->node1 + 2], 1, 1e-12);
    }
    tn_model_destroy(m);
}

TEST(pieces_of_the_division_are_read)
{
    TnModel *m = load_good(WORLD "<tenon division='paper' pieces='7'/></mujoco>");
    REQUIRE(m);
    CHECK(m->option.division.kind == TN_DIVISION_PAPER && m->option.division.pieces == 7);
    tn_model_destroy(m);
    TnError err = {0};
    CHECK(!load_text(WORLD "\n<tenon pieces='0'/></mujoco>", &err));
    CHECK(has_line(err.message, "2:8", "pieces must be from 1 to 1000000"));
}

#define HOLD(TEXT) SCENE(BAR ">\n" TEXT "</soft>")
#define SOFT(TEXT) SCENE("<soft name='a' " TEXT "/>")
#define TIE(TEXT) SCENE(BAR "/>\n<tie " TEXT "/>")

TEST(bad_soft_bodies_are_reported_at_their_place)
{
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {SCENE("<soft ball='1' cells='2' young='1'/>"), "2:1", "'name' is missing"},
        {SOFT("young='1'"), "2:7", "needs file, box, cylinder or ball"},
        {SOFT("box='1 1 1' cells='2 2 2' ball='1' young='1'"), "2:42", "cannot both"},
        {SOFT("box='1 1 -1' cells='2 2 2'"), "2:16", "must be positive"},
        {SOFT("box='1 1' cells='2 2 2'"), "2:16", "3 numbers"},
        {SOFT("box='1 1 1' cells='2 2'"), "2:28", "three numbers above 0"},
        {SOFT("box='1 1 1'"), "2:1", "three numbers above 0"},
        {SOFT("box='1 1 1' cells='2 0 2'"), "2:28", "three numbers above 0"},
        {SOFT("box='1 1 1' cells='2000 2000 2000'"), "2:28", "more than"},
        {SOFT("box='1 1 1' cells='2 2 2' tets_per_cell='4'"), "2:42", "5 6"},
        {SOFT("box='1 1 1' cells='2 2 2' scale='1 1 1'"), "2:42", "give the size instead"},
        {SOFT("cylinder='1 1' cells='2'"), "2:31", "two numbers above 0"},
        {SOFT("ball='1' cells='2 2'"), "2:25", "one number above 0"},
        {SOFT("ball='1' cells='2' tets_per_cell='5'"), "2:35", "for boxes"},
        {SOFT("file='none.msh'"), "2:16", "none.msh"},
        {SOFT("file='" DATA("two_tets.msh") "' cells='1'"), "2:", "remove cells"},
        {SOFT("file='" DATA("corner.obj") "'"), "2:16", "format is not known"},
        {SOFT("ball='1' cells='2' young='0'"), "2:35", "must be positive"},
        {SOFT("ball='1' cells='2' poisson='.5'"), "2:35", "below 0.5"},
        {SOFT("ball='1' cells='2' density='0'"), "2:35", "must be positive"},
        {SOFT("ball='1' cells='2' density='1' mass='1'"), "2:47", "cannot both"},
        {SOFT("ball='1' cells='2' law='linear'"), "2:35", "corotational neohookean"},
        {SOFT("ball='1' cells='2' law='neohookean' mean_dilatation='true'"), "2:52",
         "needs the corotational law"},
        {SOFT("ball='1' cells='2' pieces='-1'"), "2:35", "must not be negative"},
        {SOFT("ball='1' cells='2' condim='4'"), "2:35", "1 3"},
        {SOFT("ball='1' cells='2' restitution='2'"), "2:35", "between 0 and 1"},
        {SOFT("ball='1' cells='2' material='blue'"), "2:35", "no material named 'blue'"},
        {SOFT("ball='1' cells='2' yong='1'"), "2:35", "did you mean 'young'"},
        {SOFT("ball='1' cells='2' quat='0 0 0 0'"), "2:35", "quat"},
        {SCENE("<soft name='cube' pos='0 0 1'/>"), "2:19", "remove this"},
        {SCENE(BAR "/>\n" BAR "/>"), "3:7", "already a soft body named 'bar'"},
        {HOLD("<hold body='hand'/>"), "3:1", "ball or within is missing"},
        {HOLD("<hold nodes='1'/>"), "3:1", "held by what?"},
        {HOLD("<hold body='hnad' nodes='1'/>"), "3:7", "did you mean 'hand'"},
        {HOLD("<hold site='tap' nodes='1'/>"), "3:7", "no site named 'tap'"},
        {HOLD("<hold body='hand' site='tip' nodes='1'/>"), "3:19", "cannot both"},
        {HOLD("<hold body='hand' nodes='99'/>"), "3:19", "they are 0 to 98"},
        {HOLD("<hold body='hand' nodes=''/>"), "3:19", "at least one"},
        {HOLD("<hold body='hand' nodes='1.5'/>"), "3:19", "whole"},
        {HOLD("<hold body='hand' range='1 2 3'/>"), "3:19", "from and to"},
        {HOLD("<hold body='hand' range='3 1'/>"), "3:19", "smaller first"},
        {HOLD("<hold body='hand' box='9 9 9 1 1 1'/>"), "3:19", "no node of the soft body lies in"},
        {HOLD("<hold body='hand' box='0 0 0 1 1'/>"), "3:19", "6 numbers"},
        {HOLD("<hold body='hand' ball='0 0 0 -1'/>"), "3:19", "must not be negative"},
        {HOLD("<hold within='pod'/>"), "3:7", "no geom named 'pod'"},
        {HOLD("<hold within='floor'/>"), "3:7", "boxes"},
        {HOLD("<hold body='hand' nodes='1'/>\n<pin nodes='1'/>"), "4:1", "already held"},
        {HOLD("<pin body='hand' nodes='1'/>"), "3:6", "unknown attribute 'body'"},
        {HOLD("<pin range='0 98'/>"), "2:1", "no part of it is soft"},
        {HOLD("<glue/>"), "3:1", "unknown element <glue>"},
        {SCENE("<soft name='cube'>\n<hold body='hand' nodes='0'/></soft>"), "3:1", "already held"},
        {TIE("soft1='bar' soft2='bra' nodes='1'"), "3:18", "no soft body named 'bra'"},
        {TIE("soft1='bar' soft2='bar' nodes='1'"), "3:18", "two different soft bodies"},
        {TIE("soft1='bar' soft2='cube'"), "3:1", "ball or within is missing"},
        {TIE("soft1='bar' nodes='1'"), "3:1", "'soft2' is missing"},
        {TIE("soft1='bar' soft2='cube' nodes='99'"), "3:31", "they are 0 to 98"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        TnModel *m = load_text(cases[i].text, &err);
        char place[32];
        snprintf(place, sizeof place, "%s", cases[i].place);
        bool found = place[2] ? has_line(err.message, place, cases[i].part)
                              : strstr(err.message, cases[i].part) != NULL; /* far to the right */
        if (m || err.count != 1 || !found)
            test_fail(__FILE__, __LINE__, "case %zu: expected %s …%s…\n  got %s", i, cases[i].place,
                      cases[i].part, m ? "no error" : err.message);
        tn_model_destroy(m);
    }
}

TEST(soft_bodies_without_memory_are_an_error_and_leak_nothing)
{
    static const char text[] = SCENE(
        BAR "><hold within='pad'/></soft>"
            "<soft name='a' file='" DATA(
                "two_tets.msh") "' pos='0 0 5' young='1e6'/>"
                                "<soft name='cube' pieces='2'><hold body='hand' nodes='26'/></soft>"
                                "<tie soft1='bar' soft2='b' ball='0 0 0 .01'/>"
                                "<soft name='b' ball='.1' cells='2' young='1e5'/>");
    TnModel *m = NULL;
    for (long calls = 0; !m && calls < 2000; calls++) {
        TnError err = {0};
        tn_malloc_fail_after(calls);
        m = load_text(text, &err);
        tn_malloc_fail_after(-1);
        if (!m && err.code != TN_ERROR_MEMORY)
            test_fail(__FILE__, __LINE__, "call %ld: %s", calls, err.message);
    }
    CHECK(m);
    tn_model_destroy(m);
}
