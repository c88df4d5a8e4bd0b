/* MuJoCo's soft solids read from MJCF. Numbers of nodes and elements, places, pins and masses are
 * those that MuJoCo 4.0 gives for the same text. */
#include "mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <tenon/world.h>

#define WORLD(TEXT) "<mujoco><worldbody>\n" TEXT "\n</worldbody></mujoco>"
#define STIFF "<elasticity young='1e5' poisson='0.3' damping='0.01'/>"
#define CUBE(ATTRS, PARTS)                                                                         \
    "<flexcomp name='f' dim='3' count='2 2 2' " ATTRS ">\n" PARTS "</flexcomp>"

static TnModel *load_good(const char *text, TnRemarks *remarks)
{
    TnError err = {0};
    TnModel *m = load_bytes(text, strlen(text), remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* What tells one numbering from another: Σ (i + 1) (x + 2 y + 3 z) over nodes, and Σ (e + 1) Σ
 * corner² over elements. */
typedef struct Facts {
    const char *text;
    int nodes, tets;
    double places;
    int64_t corners;
    double volume, mass;
    int pins[10], pin_count;
} Facts;

static void check_facts(const Facts *f)
{
    TnModel *m = load_good(f->text, NULL);
    if (!m) return;
    TnSoftInfo s = tn_model_soft_info(m, 1);
    CHECK(s.node_count == f->nodes && s.tet_count == f->tets);
    double places = 0, volume = 0;
    int64_t corners = 0;
    for (int i = 0; i < s.node_count; i++)
        places += (i + 1) * (s.rest[3 * i] + 2 * s.rest[3 * i + 1] + 3 * s.rest[3 * i + 2]);
    for (int e = 0; e < s.tet_count; e++) {
        TnTetMesh one = {4, 1, (double *)(uintptr_t)s.rest, (int32_t *)(uintptr_t)s.tets + 4 * e};
        CHECK(tn_tet_mesh_volume(&one) > 0);
        volume += tn_tet_mesh_volume(&one);
        for (int k = 0; k < 4; k++)
            corners += (e + 1) * (int64_t)s.tets[4 * e + k] * s.tets[4 * e + k];
    }
    /* sums of at most 12000 numbers of size 1e3, each rounded */
    CHECK_NEAR(places, f->places, 1e-9);
    CHECK_NEAR(volume, f->volume, 1e-13);
    CHECK(corners == f->corners);
    CHECK_NEAR(s.mass, f->mass, 1e-12 * f->mass);
    int pins = 0;
    for (int i = 0; i < s.node_count; i++) {
        if (!m->softs[0].pinned[i]) continue;
        CHECK(pins < f->pin_count && f->pins[pins] == i);
        pins++;
    }
    CHECK(pins == f->pin_count);
    tn_model_destroy(m);
}

TEST(shapes_of_flexcomps_are_mujocos)
{
    static const Facts facts[] = {
        {WORLD("<body name='b' pos='1 2 3' quat='1 0 1 0'><flexcomp name='f' dim='3' count='3 4 5' "
               "spacing='.1 .2 .3' pos='.5 0 0' euler='0 0 90'><pin id='1 7' range='10 12' "
               "grid='2 3 4' gridrange='0 0 1 0 3 1'/>" STIFF "</flexcomp></body>"),
         60,
         144,
         23296,
         60326352,
         0.144,
         1,
         {1, 6, 7, 10, 11, 12, 16, 59},
         8},
        {WORLD("<flexcomp name='f' dim='3' mass='3'>" STIFF "</flexcomp>"),
         1000,
         4374,
         20295,
         17943134463117,
         0.005832,
         3,
         {0},
         0},
        {WORLD("<flexcomp name='f' type='box' dim='3' count='3 4 5' spacing='.1 .2 .3' mass='2'>"
               "<pin id='1'/>" STIFF "</flexcomp>"),
         55,
         104,
         355,
         22233442,
         0.144,
         2,
         {1},
         1},
        {WORLD("<flexcomp name='f' type='cylinder' dim='3' count='3 4 5' spacing='.1 .2 .3'>" STIFF
               "<pin id='1'/></flexcomp>"),
         55,
         104,
         340.835007585221,
         22233442,
         0.104711067121428,
         1,
         {1},
         1},
        {WORLD("<flexcomp name='f' type='ellipsoid' dim='3' count='3 4 5' spacing='.1 .2 .3'>" STIFF
               "<pin id='1'/></flexcomp>"),
         55,
         104,
         252.687829363458,
         22233442,
         0.0644644559212374,
         1,
         {1},
         1},
        /* point 4 has no element: it is left out, and pins speak of numbers before that */
        {WORLD(
             "<flexcomp name='f' type='direct' dim='3' point='0 0 0 1 0 0 0 1 0 0 0 1 9 9 9 1 1 1' "
             "element='0 1 2 3 1 2 3 5' scale='1 2 3' pos='0 0 1'><pin id='5'/>" STIFF
             "</flexcomp>"),
         5,
         2,
         165,
         74,
         3,
         1,
         {4},
         1},
        {WORLD("<flexcomp name='f' type='gmsh' file='" DATA("two_tets.msh") "'><pin id='4'/>" STIFF
                                                                            "</flexcomp>"),
         5,
         2,
         50,
         74,
         0.5,
         1,
         {4},
         1},
        {WORLD("<flexcomp name='f' type='mesh' dim='3' file='" DATA(
             "corner.obj") "' "
                           "origin='.2 .2 .2' scale='1 1 2'><pin id='1'/>" STIFF "</flexcomp>"),
         5,
         4,
         42.8,
         247,
         1.0 / 3,
         1,
         {1},
         1},
        {WORLD("<frame pos='0 0 10'>" CUBE("spacing='.1 .1 .1'", STIFF "<pin id='0'/>") "</frame>"),
         8,
         6,
         1082.2,
         1565,
         0.001,
         1,
         {0},
         1},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) check_facts(&facts[i]);
}

TEST(parameters_of_flexcomps_are_read_with_mujocos_defaults)
{
    TnModel *m = load_good(WORLD(CUBE("", STIFF)), NULL);
    REQUIRE(m);
    TnSoftInfo s = tn_model_soft_info(m, 1);
    CHECK(strcmp(s.name, "f") == 0 && tn_model_find_soft(m, "f") == 1);
    CHECK(s.youngs_modulus == 1e5 && s.poisson_ratio == 0.3 && s.law == TN_SOFT_COROTATIONAL);
    CHECK(m->softs[0].damping_stiffness == 0.01 && m->softs[0].damping_mass == 0);
    CHECK(s.radius == 0.005 && s.self_contact && s.group == 0 && s.rgba[0] == 0.5);
    CHECK(m->geoms[0].contact_type == 1 && m->geoms[0].contact_dim == 3);
    CHECK(m->geoms[0].friction[0] == 1.0);
    tn_model_destroy(m);

    TnRemarks remarks;
    m = load_good("<mujoco><asset><material name='red' rgba='1 0 0 1'/></asset><worldbody>" CUBE(
                      "radius='0.001' material='red' group='2' inertiabox='1'",
                      "<elasticity young='2e5' thickness='1'/>"
                      "<contact contype='2' conaffinity='4' condim='6' priority='3' friction='0.5' "
                      "margin='0.002' selfcollide='none' internal='true' activelayers='2' "
                      "solref='1 1'/><edge equality='false' damping='0'/>") "</worldbody></mujoco>",
                  &remarks);
    REQUIRE(m);
    s = tn_model_soft_info(m, 1);
    CHECK(s.radius == 0.001 && s.rgba[0] == 1 && s.rgba[1] == 0 && s.group == 2);
    CHECK(s.poisson_ratio == 0 && m->softs[0].damping_stiffness == 0 && !s.self_contact);
    const TnGeom *g = &m->geoms[0];
    CHECK(g->contact_type == 2 && g->contact_affinity == 4 && g->contact_dim == 3);
    CHECK(g->priority == 3 && g->friction[0] == 0.5 && g->margin == 0.002);
    CHECK(remarks.count == 3);
    CHECK(strstr(remarks.message, "condim 4 and 6 are taken as 3"));
    CHECK(strstr(remarks.message, "way to find contacts"));
    CHECK(strstr(remarks.message, "solref"));
    tn_model_destroy(m);
}

TEST(a_moving_body_holds_the_pinned_nodes_of_its_flexcomp)
{
    TnModel *m =
        load_good(WORLD("<body name='arm' pos='0 0 1'><joint axis='0 1 0'/><geom size='.1'/>" CUBE(
                      "pos='1 0 0'", STIFF "<pin id='0 1'/>") "</body>"),
                  NULL);
    REQUIRE(m);
    const TnSoft *s = &m->softs[0];
    CHECK(s->hold_count == 2 && s->holds[0].node == 0 && s->holds[1].node == 1);
    CHECK(!s->pinned[0] && s->holds[0].link == m->bodies[1].link);
    CHECK_NEAR(s->rest[0], 1 - 0.01, 1e-15);
    CHECK_NEAR(s->rest[2], 1 - 0.01, 1e-15);
    CHECK_NEAR(s->holds[0].pos[2], -0.01, 1e-15);
    tn_model_destroy(m);
}

/* What MuJoCo itself writes for the flexcomp of two nodes pinned to a body, shortened to one
 * element. */
#define VERTEX(NAME, POS)                                                                          \
    "<body name='" NAME "' pos='" POS "'><inertial pos='0 0 0' mass='0.25' diaginertia='1 1 1'/>"  \
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide'/>"    \
    "</body>"
#define FLEX(VERTICES, ATTRS, PARTS)                                                               \
    "<mujoco><worldbody><body name='p' pos='0 0 1'>" VERTICES "</body></worldbody><deformable>\n"  \
    "<flex name='f' dim='3' " ATTRS ">" PARTS "</flex></deformable></mujoco>"
#define THREE VERTEX("f_1", "1 0 0") VERTEX("f_2", "0 1 0") VERTEX("f_3", "0 0 1")

TEST(free_vertices_of_a_flex_are_nodes_and_no_bodies)
{
    TnModel *m = load_good(FLEX(THREE,
                                "body='p f_1 f_2 f_3' vertex='0.5 0 0 0 0 0 0 0 0 0 0 0.25' "
                                "element='0 2 1 3'",
                                STIFF),
                           NULL);
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(info.body_count == 2 && info.joint_count == 0 && info.soft_count == 1);
    CHECK(info.qpos_count == 12);
    TnSoftInfo s = tn_model_soft_info(m, 1);
    const double wanted[12] = {0.5, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 2.25};
    for (int i = 0; i < 12; i++) CHECK_NEAR(s.rest[i], wanted[i], 1e-15);
    CHECK(m->softs[0].pinned[0] && !m->softs[0].pinned[1]);
    CHECK_NEAR(s.mass, 1, 1e-15); /* four vertices as heavy as the free ones */
    tn_model_destroy(m);
}

TEST(qpos_of_keys_may_leave_out_soft_bodies)
{
#define KEYS(KEY)                                                                                  \
    "<mujoco><worldbody><body><joint/><geom size='1'/></body>" CUBE(                               \
        "", STIFF) "</worldbody><keyframe>\n" KEY "</keyframe></mujoco>"
    TnRemarks remarks;
    TnModel *m = load_good(KEYS("<key qpos='0.5'/>"), &remarks);
    REQUIRE(m);
    CHECK(m->qpos_count == 25 && remarks.count == 0);
    tn_model_destroy(m);
    m = load_good(KEYS("<key qpos='0 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6 7 7 7 8 8 8'/>"),
                  &remarks);
    REQUIRE(m);
    CHECK(remarks.count == 1);
    CHECK(strstr(remarks.message, "MuJoCo has displacements"));
    tn_model_destroy(m);
    TnError err = {0};
    CHECK(!load_text(KEYS("<key qpos='0.5 1'/>"), &err));
    CHECK(has_line(err.message, "3:6", "needs 25, or 1 without the nodes of soft bodies"));
}

typedef struct Case {
    const char *text, *place, *part;
} Case;

static void check_cases(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TnError err = {0};
        TnModel *m = load_text(cases[i].text, &err);
        if (m || err.count != 1 || !has_line(err.message, cases[i].place, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %zu: %s\n  expected %s …%s…\n  got %s", i,
                      cases[i].text, cases[i].place, cases[i].part, m ? "no error" : err.message);
        tn_model_destroy(m);
    }
}
#define CHECK_CASES(CASES) check_cases(CASES, sizeof CASES / sizeof CASES[0])

/* Which of 5 x 3 x 3 vertices are held, as a sum of 2^(2 x) over x for those of the plane z = 0. */
static int held_of(const char *attrs, const char *pin)
{
    char text[1024];
    TnRemarks remarks;
    snprintf(
        text, sizeof text,
        WORLD("<flexcomp name='f' dim='3' count='5 3 3' radius='.001' %s>" STIFF "%s</flexcomp>"),
        attrs, pin);
    TnModel *m = load_good(text, &remarks);
    if (!m) return -1;
    int sum = 0;
    CHECK(m->softs[0].node_count == 45 && remarks.count == 1);
    CHECK(strstr(remarks.message, "MuJoCo interpolates"));
    for (int x = 0; x < 5; x++)
        for (int y = 0; y < 3; y++) sum += m->softs[0].pinned[9 * x + 3 * y] ? 1 << 2 * x : 0;
    tn_model_destroy(m);
    return sum;
}

/* Numbers of the cage's nodes are those of mj_loadXML's bodies in MuJoCo 4.0.0. */
TEST(pins_of_an_interpolated_flex_hold_what_follows_them_alone)
{
    const char *one = "dof='trilinear'", *two = "dof='trilinear' cellcount='2 1 1'",
               *square = "dof='quadratic'";
    CHECK(held_of(one, "") == 0);
    CHECK(held_of(one, "<pin id='4 5 6 7'/>") == 3 << 8);
    CHECK(held_of(one, "<pin range='4 7'/>") == 3 << 8);
    CHECK(held_of(one, "<pin id='0 2'/>") == 3);          /* the edge at x = z = 0 */
    CHECK(held_of(one, "<pin grid='1 0 0'/>") == 1 << 8); /* a corner */
    CHECK(held_of(two, "<pin id='4 5 6 7'/>") == 3 << 4);
    CHECK(held_of(two, "<pin gridrange='0 0 0 1 1 1'/>") == 3 + (3 << 2) + (3 << 4));
    CHECK(held_of(square, "<pin gridrange='0 0 0 1 2 2'/>") == 3 + (3 << 4)); /* 1 follows 4, too */
    CHECK(held_of(square, "<pin range='18 26'/>") == 3 << 8);
}

/* Nodes by their numbers, or the vertices that follow nodes of a cage. */
TEST(bodies_hold_the_nodes_that_equalities_connect_with_them)
{
#define HANDS(ATTRS, CONNECTS)                                                                     \
    "<mujoco><worldbody><body name='left'><joint/><geom size='.1'/></body><body name='right'>"     \
    "<joint/><geom size='.1'/></body><flexcomp name='f' dim='3' count='3 2 2' " ATTRS ">" STIFF    \
    "</flexcomp></worldbody><equality>" CONNECTS "</equality></mujoco>"
#define CONNECT(NODE, BODY) "<connect name='" NODE "' body1='f_" NODE "' " BODY " anchor='0 0 0'/>"
#define LEFT "body2='left'"
#define RIGHT "body2='right'"
    static const struct {
        const char *text;
        int holders[12]; /* 0 none, 1 left, 2 right, 3 the world */
    } cases[] = {
        {HANDS("", CONNECT("0", LEFT) CONNECT("11", RIGHT) CONNECT("3", "") CONNECT("1", LEFT)),
         {1, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2}},
        {HANDS("dof='trilinear'",
               CONNECT("0_0_0", LEFT) CONNECT("0_0_1", LEFT) CONNECT("0_1_0", LEFT)
                   CONNECT("1_0_0", RIGHT) CONNECT("1_0_1", LEFT) CONNECT("1_1_1", "")),
         {1, 1, 1, 0, 0, 1, 0, 0, 2, 1, 0, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModel *m = load_good(cases[i].text, NULL);
        if (!m) continue;
        CHECK(m->equality_count == 0 && m->softs[0].node_count == 12);
        for (int k = 0; k < 12; k++) {
            int found = m->softs[0].pinned[k] ? 3 : 0;
            for (int h = 0; h < m->softs[0].hold_count; h++)
                if (m->softs[0].holds[h].node == k)
                    found = m->softs[0].holds[h].link == m->bodies[1].link ? 1 : 2;
            if (found != cases[i].holders[k])
                test_fail(__FILE__, __LINE__, "case %zu: node %d: %d", i, k, found);
        }
        tn_model_destroy(m);
    }
}

/* Edges that keep their lengths: a strain of 1e-3 under the weight. */
TEST(a_solid_with_kept_edges_is_stiff)
{
    static const char *const texts[] = {
        WORLD(CUBE("spacing='.1 .1 .1' mass='2'", "<edge equality='true'/>")),
        "<mujoco><worldbody>" CUBE("spacing='.1 .1 .1' mass='2'", "") "</worldbody><equality>"
                                                                      "<flex flex='f'/></equality>"
                                                                      "</mujoco>",
        WORLD(CUBE("spacing='.1 .1 .1' mass='2' dof='trilinear'", "<edge equality='strain'/>"))};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        TnModel *m = load_good(texts[i], NULL);
        if (!m) continue;
        double force = m->softs[0].youngs_modulus * 0.01 * 1e-3;
        CHECK_NEAR(force, 2 * 9.81, 1e-11);
        tn_model_destroy(m);
    }
}

/* W: power that a body loses as it grows by the rate 1 in all directions, from the velocities after
 * a step so short that no force but that of dampers counts. */
static double power_of_growth(const char *text)
{
    const double t = 1e-7;
    TnError err = {0};
    TnModel *m = load_good(text, NULL);
    if (!m) return NAN;
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    if (!world) return NAN;
    const TnSoft *soft = &m->softs[0];
    double *qvel = calloc((size_t)m->dof_count, sizeof *qvel),
           *qpos = calloc((size_t)m->qpos_count, sizeof *qpos), power = 0;
    memcpy(qpos, tn_world_state(world).qpos, (size_t)m->qpos_count * sizeof *qpos);
    memcpy(qvel, qpos, (size_t)m->qpos_count * sizeof *qpos);
    CHECK(tn_world_set_timestep(world, t, &err) == TN_OK);
    CHECK(tn_world_set_state(world, qpos, qvel, &err) == TN_OK);
    CHECK(!tn_world_step(world).diverged);
    for (int i = 0; i < m->dof_count; i++)
        power -= soft->masses[i / 3] * qvel[i] * (tn_world_state(world).qvel[i] - qvel[i]) / t;
    tn_world_destroy(world);
    tn_model_destroy(m);
    free(qvel);
    free(qpos);
    return power;
}

#define GROWING(DIM, COUNT, PARTS)                                                                 \
    "<mujoco><option gravity='0 0 0'/><worldbody><flexcomp name='f' dim='" DIM "' count='" COUNT   \
    "' spacing='.1 .2 .3'>" PARTS "</flexcomp></worldbody></mujoco>"

/* What the growth itself decays by in the step: 1e-7 s times 1 kg of damped mass per ~1e3 N s/m. */
#define DECAY 1e-3

/* c Σ l², with the edges that MuJoCo 4.0.0 has; its qfrc_passive has this power, too. */
TEST(damping_along_edges_takes_its_power_from_growth)
{
    double solid = 0, sheet = 0;
    const double s[3] = {.1, .2, .3};
    for (int axis = 0; axis < 3; axis++) solid += 4 * s[axis] * s[axis];
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 3; b++) solid += 2 * (s[a] * s[a] + s[b] * s[b]);
    solid += .01 + .04 + .09; /* six elements share one diagonal of the cell */
    sheet = 2 * (.01 + .04) + (.01 + .04);
    double got = power_of_growth(
        GROWING("3", "2 2 2", "<elasticity young='1e5' poisson='.2'/><edge damping='2'/>"));
    CHECK_NEAR(got, 2 * solid, DECAY * solid);
    got = power_of_growth(
        GROWING("2", "2 2 1",
                "<elasticity young='1e5' poisson='.2' thickness='.01' elastic2d='both'/>"
                "<edge damping='2'/>"));
    CHECK_NEAR(got, 2 * sheet, DECAY * sheet);
    got = power_of_growth(GROWING(
        "3", "2 2 2", "<elasticity young='1e5' poisson='.2' damping='1e-4'/><edge damping='2'/>"));
    double own = 1e-4 * 3 * 1e5 / (1 - 2 * .2) * .006;
    CHECK_NEAR(got, 2 * solid + own, DECAY * (solid + own));
    got = power_of_growth(GROWING("3", "2 2 2", "<elasticity young='1e5'/><edge damping='0'/>"));
    CHECK_NEAR(got, 0.0, DECAY * solid);
}

#define FLEXCOMP(ATTRS) WORLD("<flexcomp name='f' " ATTRS ">" STIFF "</flexcomp>")
#define PART(TEXT) WORLD(CUBE("", TEXT))

TEST(bad_flexcomps_are_reported_at_their_place)
{
    static const Case cases[] = {
        {FLEXCOMP("dim='4'"), "2:20", "2 (a sheet) or 3"},
        {FLEXCOMP("dim='1' type='box'"), "2:28", "grid, circle or direct"},
        {FLEXCOMP("type='disc' dim='3'"), "2:20", "no solid"},
        {FLEXCOMP("type='blob' dim='3'"), "2:20", "grid box cylinder"},
        {FLEXCOMP("type='mesh' dim='3' file='" DATA("corner.obj") "'"), "2:1", "needs origin"},
        {FLEXCOMP("type='mesh' dim='3' origin='0 0 0' file='none.obj'"), "2:55", "none.obj"},
        {FLEXCOMP("type='gmsh' file='none.msh'"), "2:32", "none.msh"},
        {FLEXCOMP("type='gmsh'"), "2:1", "'file' is missing"},
        {FLEXCOMP("type='gmsh' file='" DATA("corner.obj") "'"), "2:32", "format is not known"},
        {WORLD("<flexcomp name='f' type='gmsh' file='" DATA(
             "loose_node.msh") "'>" STIFF "\n<pin id='4'/></flexcomp>"),
         "3:1", "1 node without elements"},
        {FLEXCOMP("dim='3' count='1 2 2'"), "2:28", "2 or more in each"},
        {FLEXCOMP("dim='3' count='2 2'"), "2:28", "3 numbers"},
        {FLEXCOMP("dim='3' count='3000 3000 3000'"), "2:28", "more than"},
        {FLEXCOMP("dim='3' spacing='1 0 1'"), "2:28", "above 0"},
        {FLEXCOMP("dim='3' mass='0'"), "2:28", "mass"},
        {FLEXCOMP("dim='3' scale='1 1 1'"), "2:28", "no meaning for this type"},
        {FLEXCOMP("dim='3' rigid='true'"), "2:28", "geom of type mesh"},
        {FLEXCOMP("dim='3' dof='radial'"), "2:28", "full trilinear quadratic"},
        {FLEXCOMP("dim='3' cellcount='1 1 1'"), "2:28", "cellcount is for"},
        {FLEXCOMP("dim='3' dof='trilinear' cellcount='1 0 1'"), "2:44", "1 or more"},
        {FLEXCOMP("dim='3' dof='trilinear' cellcount='3000 3000 3000'"), "2:44", "too many"},
        {FLEXCOMP("dim='2' count='3 3 1' dof='trilinear'"), "2:42", "a solid (dim 3)"},
        {FLEXCOMP("dim='1' count='3 1 1' dof='trilinear'"), "2:42", "no cage"},
        {FLEXCOMP("dim='3' spaceing='1 1 1'"), "2:28", "did you mean 'spacing'"},
        {FLEXCOMP("dim='3' quat='0 0 0 0'"), "2:28", "quat"},
        {FLEXCOMP("dim='3' type='direct' point='0 0 0' element='0 1 2 3'"), "2:42", "point needs"},
        {FLEXCOMP("dim='3' type='direct' point='0 0 0 1 0 0 0 1 0 0 0 1' element='0 1 2'"), "2:74",
         "element needs four"},
        {FLEXCOMP("dim='3' type='direct' point='0 0 0 1 0 0 0 1 0 0 0 1' element='0 1 2 4'"),
         "2:74", "points are 0 to 3"},
        {FLEXCOMP("dim='3' type='direct' point='0 0 0 1 0 0 0 1 0 1 1 0' element='0 1 2 3'"), "2:1",
         "elements without volume"},
        {FLEXCOMP("dim='3' type='direct' point='0 0 0 1 0 0 0 1 0 0 0 1' element='0 1 2 3' "
                  "scale='1 0 1'"),
         "2:92", "scale"},
        {WORLD("<flexcomp dim='3'>" STIFF "</flexcomp>"), "2:1", "'name' is missing"},
        {PART(""), "2:1", "needs a stiffness"},
        {PART("<elasticity young='-1'/>"), "3:13", "young"},
        {PART("<elasticity young='1' poisson='0.5'/>"), "3:23", "below 0.5"},
        {PART("<elasticity young='1' elastic2d='both'/>"), "3:23", "for sheets"},
        {PART("<elasticity young='1' yield='1'/>"), "3:23", "yield is not supported"},
        {PART("<edge stiffness='1'/>" STIFF), "3:7", "<elasticity young"},
        {PART("<edge damping='-1'/>" STIFF), "3:7", "damping"},
        {PART("<edge equality='strain'/>" STIFF), "3:7", "is for dof"},
        {PART("<edge equality='vert'/>" STIFF), "3:7", "false true strain"},
        {PART("<plugin plugin='mujoco.elasticity.solid'/>" STIFF), "3:1", "<elasticity>"},
        {PART("<contact selfcollide='yes'/>" STIFF), "3:10", "none narrow"},
        {PART("<contact friction='-1'/>" STIFF), "3:10", "friction"},
        {PART("<skin/>" STIFF), "3:1", "unknown element <skin>"},
        {PART("<pin id='8'/>" STIFF), "3:6", "not between 0 and 7"},
        {PART("<pin range='1 8'/>" STIFF), "3:6", "not between 0 and 7"},
        {PART("<pin range='1 2 3'/>" STIFF), "3:6", "groups of 2"},
        {PART("<pin grid='0 0 2'/>" STIFF), "3:6", "not between 0 and 1"},
        {PART("<pin gridrange='0 0 0'/>" STIFF), "3:6", "groups of 6"},
        {PART("<pin range='0 7'/>" STIFF), "2:1", "no part of it is soft"},
        {WORLD("<flexcomp name='f' type='box' dim='3' count='2 2 2'>\n<pin grid='0 0 0'/>" STIFF
               "</flexcomp>"),
         "3:6", "for flexcomps of type grid"},
        {WORLD(CUBE("", STIFF) CUBE("", STIFF)), "3:76", "already a soft body named 'f'"},
        {"<mujoco><option><flag spring='disable'/></option><worldbody>\n" CUBE(
             "", STIFF) "</worldbody></mujoco>",
         "2:1", "disables springs"},
    };
    CHECK_CASES(cases);
}

#define SECTION(TEXT) "<mujoco><worldbody>" CUBE("", STIFF) "</worldbody>" TEXT "</mujoco>"

TEST(parts_of_soft_bodies_cannot_be_referred_to_as_bodies)
{
    static const Case cases[] = {
        {SECTION("<equality>\n<flexvert flex='f'/></equality>"), "3:1", "remove it"},
        {SECTION("<equality>\n<connect body1='f_3' anchor='0 0 .1'/></equality>"), "3:10",
         "part of a soft body"},
        {SECTION("<equality>\n<connect body1='f_8' anchor='0 0 0'/></equality>"), "3:10",
         "part of a soft body"},
        {SECTION("<equality>\n<connect body1='f_3' body2='f_4' anchor='0 0 0'/></equality>"),
         "3:10", "part of a soft body"},
        {SECTION("<equality>\n<connect body1='f_3' anchor='0 0 0' active='false'/></equality>"),
         "3:10", "part of a soft body"},
        {"<mujoco><worldbody><body name='b'><joint/><geom size='.1'/></body>" CUBE(
             "", STIFF "<pin id='3'/>") "</worldbody><equality>\n<connect body1='f_3' body2='b' "
                                        "anchor='0 0 0'/></equality></mujoco>",
         "3:10", "already held by another body"},
        {SECTION("<contact>\n<exclude body1='f' body2='world'/></contact>"), "3:10",
         "contype and conaffinity"},
        {SECTION("<contact>\n<pair geom1='f' geom2='f'/></contact>"), "3:7", "part of a soft body"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        CHECK(!load_text(cases[i].text, &err));
        if (!has_line(err.message, cases[i].place, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %zu: %s", i, err.message);
    }
}

TEST(bad_flexes_are_reported_at_their_place)
{
    static const Case cases[] = {
        {FLEX(THREE, "element='0 1 2 3'", STIFF), "2:1", "'body' is missing"},
        {FLEX(THREE, "body='p f_1 f_2 f_3'", STIFF), "2:1", "'element' is missing"},
        {FLEX(THREE, "body='p f_1 f_2 f_4' element='0 1 2 3'", STIFF), "2:24", "'f_4'"},
        {FLEX(THREE, "body='p f_1 f_2 f_2' element='0 1 2 3'", STIFF), "2:24", "already"},
        {FLEX(THREE, "body='p f_1 f_2 f_3' element='0 1 2 4'", STIFF), "2:45", "they are 0 to 3"},
        {FLEX(THREE, "body='p f_1 f_2 f_3' element='0 1 2'", STIFF), "2:45", "element needs four"},
        {FLEX(THREE, "body='p f_1 f_2 f_3' vertex='0 0 0' element='0 1 2 3'", STIFF), "2:24",
         "one for each"},
        {FLEX(THREE, "body='p f_1 f_2 f_3' node='p' element='0 1 2 3'", STIFF), "2:45",
         "node is not supported"},
        {FLEX(THREE, "body='p f_1 f_2 f_3' element='0 1 2 3'", "<pin id='0'/>" STIFF), "2:63",
         "unknown element <pin>"},
        {FLEX("", "body='p' vertex='0 0 0 1 0 0 0 1 0 0 0 1' element='0 1 2 3'", STIFF), "2:1",
         "no part of it is soft"},
    };
    CHECK_CASES(cases);
}
