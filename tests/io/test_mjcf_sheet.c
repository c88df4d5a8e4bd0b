/* MuJoCo's flexes of dimension 2 read from MJCF. Numbers of nodes, places, elements and pins are
 * those that MuJoCo 4.0.0 gives for the same text. */
#include "mjcf_text.h"
#include "model/model.h"

#define WORLD(TEXT) "<mujoco><worldbody>\n" TEXT "\n</worldbody></mujoco>"
#define BOTH "<elasticity young='1e5' poisson='0.3' thickness='0.01' elastic2d='both'/>"
#define SHEET(ATTRS, PARTS) WORLD("<flexcomp name='f' dim='2' " ATTRS ">\n" PARTS "</flexcomp>")

static TnModel *load_good(const char *text)
{
    TnError err = {0};
    TnModel *m = load_bytes(text, strlen(text), NULL, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* Σ (i + 1) (x + 2 y + 3 z) over nodes; Σ Π (corner + 1) over elements, whatever their order. */
typedef struct Facts {
    const char *text;
    int nodes, triangles;
    double places;
    int64_t corners;
    int pins[5], pin_count;
} Facts;

TEST(shapes_of_sheets_are_mujocos)
{
    static const Facts facts[] = {
        {SHEET("count='5 4 1' spacing='.1 .2 .3' pos='1 0 0'",
               "<pin grid='0 1 4 3' gridrange='1 0 2 0' id='7'/>" BOTH),
         20,
         24,
         236,
         41832,
         {1, 4, 7, 8, 19},
         5},
        {SHEET("type='square' count='5 4 1' spacing='.1 .2 .3'", BOTH), 20, 24, 26, 41832, {0}, 0},
        {SHEET("type='disc' count='5 4 1' spacing='.1 .2 .3'", BOTH),
         20,
         24,
         5.4551203630299945,
         42400,
         {0},
         0},
        {SHEET("type='disc' count='6 6 1' spacing='.3 .2 .3'", BOTH),
         36,
         50,
         145.5013094211892,
         513516,
         {0},
         0},
        {SHEET("type='box' count='3 4 5' spacing='.1 .2 .3'", BOTH),
         52,
         92,
         604.4,
         2588555,
         {0},
         0},
        {SHEET("type='cylinder' count='3 4 5' spacing='.1 .2 .3'", BOTH),
         52,
         92,
         583.3723020692568,
         2588555,
         {0},
         0},
        {SHEET("type='ellipsoid' count='4 3 3' spacing='.1 .2 .3'", BOTH),
         32,
         52,
         112.88359607406228,
         303839,
         {0},
         0},
        {SHEET("type='direct' point='0 0 0 1 0 0 0 1 0 1 1 .2' element='0 1 2 1 3 2'",
               "<pin id='3'/>" BOTH),
         4,
         2,
         22.4,
         30,
         {3},
         1},
        {SHEET("type='gmsh' scale='1 2 1' file='" DATA("triangles.msh") "'", "<pin id='3'/>" BOTH),
         5,
         4,
         53,
         120,
         {3},
         1},
    };
    for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++) {
        const Facts *f = &facts[k];
        TnModel *m = load_good(f->text);
        if (!m) continue;
        TnSoftInfo s = tn_model_soft_info(m, 1);
        double places = 0;
        int64_t corners = 0;
        int pins = 0;
        CHECK(s.node_count == f->nodes && s.triangle_count == f->triangles && s.tet_count == 0);
        for (int i = 0; i < s.node_count; i++) {
            places += (i + 1) * (s.rest[3 * i] + 2 * s.rest[3 * i + 1] + 3 * s.rest[3 * i + 2]);
            if (!m->softs[0].pinned[i]) continue;
            CHECK(pins < f->pin_count && f->pins[pins] == i);
            pins++;
        }
        for (int e = 0; e < s.triangle_count; e++) {
            const int32_t *t = s.triangles + 3 * e;
            corners += (int64_t)(t[0] + 1) * (t[1] + 1) * (t[2] + 1);
        }
        CHECK_NEAR(places, f->places, 1e-10); /* sums of 52 numbers of size 10 */
        CHECK(corners == f->corners);
        CHECK(pins == f->pin_count);
        CHECK_NEAR(s.mass, 1, 1e-12);
        tn_model_destroy(m);
    }
}

TEST(elastic2d_says_what_a_sheet_resists)
{
    static const struct {
        const char *text;
        bool stretches, bends;
    } cases[] = {
        {SHEET("count='3 3 1'", BOTH), true, true},
        {SHEET("count='3 3 1'", "<elasticity young='1' thickness='.1' elastic2d='stretch'/>"), true,
         false},
        {SHEET("count='3 3 1'",
               "<elasticity young='1' thickness='.1' elastic2d='bend'/><edge equality='true'/>"),
         true, true},
        {SHEET("count='3 3 1'", "<edge equality='true'/>"), true, false},
        {"<mujoco><worldbody><flexcomp name='f' count='3 3 1'/></worldbody>"
         "<equality><flex flex='f'/></equality></mujoco>",
         true, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        TnModel *m = load_good(cases[k].text);
        if (!m) continue;
        CHECK(m->softs[0].stretches == cases[k].stretches && m->softs[0].bends == cases[k].bends);
        if (k >= 2) { /* 1 kg, 0.04 m wide: a strain of 1e-3 under its weight */
            double force = m->softs[0].stretch_modulus * m->softs[0].thickness * 0.04 * 1e-3;
            CHECK_NEAR(force, 9.81, 1e-9);
        }
        tn_model_destroy(m);
    }
}

TEST(a_flex_of_triangles_is_a_sheet)
{
#define NODE(NAME, POS)                                                                            \
    "<body name='" NAME "' pos='" POS "'><joint type='slide' axis='1 0 0'/><joint type='slide' "   \
    "axis='0 1 0'/><joint type='slide' axis='0 0 1'/><inertial mass='.1' pos='0 0 0' "             \
    "diaginertia='1e-4 1e-4 1e-4'/></body>"
    TnModel *m = load_good("<mujoco><worldbody>" NODE("a", "0 0 1") NODE("b", "1 0 1")
                               NODE("c", "0 1 1") "</worldbody><deformable><flex name='f' dim='2' "
                                                  "body='a b c' element='0 1 2'>" BOTH
                                                  "</flex></deformable></mujoco>");
    REQUIRE(m);
    TnSoftInfo s = tn_model_soft_info(m, 1);
    CHECK(s.node_count == 3 && s.triangle_count == 1 && s.thickness == 0.01);
    CHECK_NEAR(s.mass, 0.3, 1e-12);
    tn_model_destroy(m);
}

TEST(bad_sheets_are_reported_at_their_place)
{
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {SHEET("", ""), "2:1", "nothing holds this sheet together"},
        {SHEET("type='circle'", BOTH), "2:28", "dim=\"1\""},
        {SHEET("type='gmsh' file='" DATA("two_tets.msh") "'", BOTH), "2:40", "no triangles"},
        {SHEET("type='gmsh' file='" DATA("corner.obj") "'", BOTH), "2:40", "type=\"mesh\""},
        {SHEET("type='mesh'", BOTH), "2:1", "'file' is missing"},
        {SHEET("count='3 3 2'", BOTH), "2:28", "third count must be 1"},
        {SHEET("count='3 1 1'", BOTH), "2:28", "2 or more in either"},
        {SHEET("count='3 3 1'", "<elasticity young='1' elastic2d='both'/>"), "3:1", "thickness"},
        {SHEET("count='3 3 1'", "<elasticity thickness='1' elastic2d='both'/>"), "3:1", "young"},
        {SHEET("count='3 3 1'", "<edge stiffness='1'/>" BOTH), "3:7", "dim 1"},
        {SHEET("count='3 3 1'", "<edge equality='strain'/>" BOTH), "3:7", "\"true\" keeps"},
        {SHEET("count='3 3 1'", "<pin grid='0 0 3'/>" BOTH), "3:6", "groups of 2"},
        {SHEET("type='direct' point='0 0 0 1 0 0 0 1 0' element='0 1'", BOTH), "2:68",
         "three points for each triangle"},
        {SHEET("type='direct' point='0 0 0 1 0 0 2 0 0' element='0 1 2'", BOTH), "2:1",
         "without area"},
        {SHEET("type='direct' point='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1' element='0 1 2 0 1 3 0 1 4'",
               BOTH),
         "2:1", "more than two triangles"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        CHECK(!load_text(cases[i].text, &err));
        if (!strstr(err.message, cases[i].place) || !strstr(err.message, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %zu: %s", i, err.message);
    }
}

/* ---- dim 1 ---- */

TEST(a_rope_is_a_rod)
{
    /* MuJoCo 4.0.0: five points 0.1 m apart; EI/l and GJ/l of a section of radius 0.01 */
    TnModel *m =
        load_good(WORLD("<flexcomp name='f' dim='1' count='5 1 1' spacing='.1 .1 .1' "
                        "mass='2' radius='.01' pos='1 0 2'>\n<elasticity young='1e5' "
                        "poisson='.3'/><edge equality='true'/><pin id='0 4'/></flexcomp>"));
    REQUIRE(m);
    TnRodInfo rod = tn_model_rod_info(m, 1);
    CHECK(rod.segment_count == 4 && m->equality_count == 2);
    CHECK_NEAR(m->total_mass, 2, 1e-12);
    for (int i = 0; i < 4; i++) CHECK_NEAR(rod.lengths[i], 0.1, 1e-12);
    CHECK_NEAR(m->qpos0[0], 0.85, 1e-12);
    CHECK_NEAR(m->qpos0[2], 2, 1e-12);
    tn_model_destroy(m);
    m = load_good(WORLD("<flexcomp name='f' dim='1' type='circle' count='6 1 1' spacing='.1 .1 .1' "
                        "radius='.01'>\n<edge stiffness='100' damping='1'/></flexcomp>"));
    REQUIRE(m);
    CHECK(tn_model_rod_info(m, 1).segment_count == 5 && m->equality_count == 1);
    CHECK_NEAR(tn_model_rod_info(m, 1).damping_time, 0.01, 1e-12);
    CHECK_NEAR(m->qpos0[0], 0.5 * (0.0850650808352040 + 0.0262865556059567), 1e-12);
    tn_model_destroy(m);
}

TEST(bad_ropes_are_reported_at_their_place)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {WORLD("<flexcomp name='f' dim='1' count='5 1 1'/>"), "nothing holds this rope"},
        {WORLD("<flexcomp name='f' dim='1' count='5 2 1'/>"), "then 1 and 1"},
        {WORLD("<flexcomp name='f' dim='1' type='direct' point='0 0 0 1 0 0 2 0 0' "
               "element='0 1 0 2'/>"),
         "a rope is one line"},
        {WORLD("<flexcomp name='f' dim='1' count='5 1 1'><pin id='5'/></flexcomp>"), "0 to 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        CHECK(!load_text(cases[i].text, &err));
        if (!strstr(err.message, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %zu: %s", i, err.message);
    }
}
