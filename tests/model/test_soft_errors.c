/* What soft bodies and ties are refused for, and in which words. */
#include "soft.h"

#include <string.h>

/* A block with one thing wrong. */
#define REFUSED(CHANGE, TEXT)                                                                      \
    do {                                                                                           \
        TnModelBuilder *b = tn_builder_create();                                                   \
        TnSoftDef def = soft_at("block", 0.0, 0.0, 0.0);                                           \
        def.source = (TnSource){"scene.xml", 12, 3};                                               \
        CHANGE;                                                                                    \
        add_block(b, def, 2, 1, 1);                                                                \
        CHECK_REFUSED(b, "scene.xml:12:3: soft body 'block': " TEXT);                              \
    } while (0)

TEST(bad_numbers_are_named_with_their_place)
{
    REFUSED(def.youngs_modulus = 0.0, "youngs_modulus must be positive (0)");
    REFUSED(def.youngs_modulus = NAN, "youngs_modulus is not finite");
    REFUSED(def.poisson_ratio = 0.5, "poisson_ratio must lie in [0, 0.5) (0.5)");
    REFUSED(def.poisson_ratio = -0.1, "poisson_ratio must lie in [0, 0.5) (-0.1)");
    REFUSED(def.poisson_ratio = NAN, "poisson_ratio must lie in [0, 0.5)");
    REFUSED(def.density = 0.0, "density must be positive (0)");
    REFUSED(def.density = 1e-320, "its mass is out of range");
    REFUSED(def.mass = 0.0, "mass must be positive");
    REFUSED(def.mass = INFINITY, "mass is not finite");
    REFUSED(def.damping_mass = -1.0, "damping_mass must not be negative (-1)");
    REFUSED(def.damping_stiffness = -1.0, "damping_stiffness must not be negative (-1)");
    REFUSED(def.radius = -0.01, "radius must not be negative (-0.01)");
    REFUSED(def.pos[1] = NAN, "pos is not finite");
    REFUSED(memset(def.quat, 0, sizeof def.quat), "quat has length 0");
    REFUSED(def.law = (TnSoftLaw)7, "law 7 does not exist");
    REFUSED(def.pieces = -1, "pieces must not be negative (-1)");
}

TEST(bad_contact_parameters_are_told_once)
{
    REFUSED(def.contact_dim = 4, "contact dimension must be 1 (frictionless) or 3");
    REFUSED(def.contact_dim = 6, "contact dimension must be 1 (frictionless) or 3");
    REFUSED(def.contact_dim = 2, "contact dimension must be 1 (frictionless) or 3");
    REFUSED(def.friction[0] = -1.0, "friction (sliding) must not be negative");
    REFUSED(def.restitution = 1.5, "restitution must lie in [0, 1] (1.5)");
    REFUSED(def.margin = -1.0, "margin must not be negative");
    REFUSED(def.rgba[2] = NAN, "rgba is not finite");
}

#define HOLDS(...)                                                                                 \
    const TnSoftHoldDef holds[] = {__VA_ARGS__};                                                   \
    def.holds = holds;                                                                             \
    def.hold_count = (int)(sizeof holds / sizeof holds[0])

TEST(bad_holds_are_named)
{
    REFUSED(HOLDS({0, 1}, {12, 1}), "hold 2: node 12 does not exist; its 12 nodes count from 0");
    REFUSED(HOLDS({-1, 1}), "hold 1: node -1 does not exist");
    REFUSED(HOLDS({0, 5}), "hold 1: body 5 does not exist");
    REFUSED(HOLDS({0, 0}), "hold 1: body is not given");
    REFUSED(HOLDS({3, 1}, {4, 1}, {3, 1}), "hold 3: node 3 is already held by body 1");
}

TEST(trouble_with_the_mesh_is_told_with_the_soft_body_and_its_place)
{
    double nodes[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2};
    int32_t tets[8] = {0, 1, 2, 3, 0, 1, 2, 9};
    struct {
        TnTetMesh mesh;
        const char *text;
    } cases[] = {
        {{0}, "scene.xml:12:3: soft body 'block': mesh: 0 nodes and 0 tetrahedra"},
        {{4, 1, NULL, tets}, "soft body 'block': mesh: 4 nodes and 1 tetrahedra"},
        {{4, 2, nodes, tets}, "soft body 'block': mesh: elements with nodes that do not exist"},
        {{5, 1, nodes, tets}, "soft body 'block': mesh: nodes without elements"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModelBuilder *b = tn_builder_create();
        TnSoftDef def = soft_at("block", 0.0, 0.0, 0.0);
        def.source = (TnSource){"scene.xml", 12, 3};
        def.mesh = cases[i].mesh;
        tn_builder_add_soft(b, &def);
        CHECK_REFUSED(b, cases[i].text);
    }
}

TEST(all_problems_come_at_once_also_beside_a_bad_mesh)
{
    TnModelBuilder *b = tn_builder_create();
    TnSoftDef def = soft_at("bad", 0.0, 0.0, 0.0);
    def.density = -1.0;
    def.holds = &(TnSoftHoldDef){0, 77};
    def.hold_count = 1;
    tn_builder_add_soft(b, &def); /* no mesh */
    TnTieDef tie = tn_tie_def();
    tie.soft1 = 1;
    tie.soft2 = 2;
    tn_builder_add_tie(b, &tie);
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err));
    CHECK(err.count == 4);
    CHECK_STR(err.message, "at least one tetrahedron is needed");
    CHECK_STR(err.message, "density must be positive (-1)");
    CHECK_STR(err.message, "hold 1: body 77 does not exist");
    CHECK_STR(err.message, "tie 1: soft2 2 does not exist");
    tn_builder_destroy(b);
}

TEST(a_surface_without_a_soft_body_is_refused)
{
    TnModelBuilder *b = tn_builder_create();
    add_block(b, soft_at("block", 0.0, 0.0, 0.0), 1, 1, 1);
    TnGeomDef geom = tn_geom_def();
    geom.name = "skin";
    geom.type = TN_GEOM_SOFT;
    tn_builder_add_geom(b, &geom);
    CHECK_REFUSED(b, "geom 'skin': surfaces come with soft bodies: use tn_builder_add_soft");
}

TEST(a_pair_with_a_surface_is_refused)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId ball = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    add_block(b, soft_at("block", 0.0, 0.0, 5.0), 1, 1, 1);
    TnPairDef pair = tn_pair_def();
    pair.geom1 = 1;
    pair.geom2 = 2;
    tn_builder_add_pair(b, &pair);
    CHECK(ball == 2);
    CHECK_REFUSED(b, "pair 1: geom2 is the surface of a soft body");
}

TEST(two_soft_bodies_of_one_name_are_refused)
{
    TnModelBuilder *b = tn_builder_create();
    add_block(b, soft_at("block", 0.0, 0.0, 0.0), 1, 1, 1);
    add_block(b, soft_at("block", 1.0, 0.0, 0.0), 1, 1, 1);
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err));
    CHECK_STR(err.message, "soft body 'block': this name is already taken by soft body 1");
    tn_builder_destroy(b);
}

/* ---- ties ---- */

/* Two blocks that touch; node 0 of the second is held. */
static void try_tie(TnSoftId soft1, int node, TnSoftId soft2, const char *text)
{
    TnModelBuilder *b = tn_builder_create();
    add_block(b, soft_at("one", 0.0, 0.0, 0.0), 1, 1, 1);
    TnSoftDef def = soft_at("two", 0.1, 0.0, 0.0);
    def.holds = &(TnSoftHoldDef){0, TN_BODY_WORLD};
    def.hold_count = 1;
    add_block(b, def, 1, 1, 1);
    TnTieDef tie = tn_tie_def();
    tie.name = "seam";
    tie.soft1 = soft1;
    tie.node = node;
    tie.soft2 = soft2;
    tie.source = (TnSource){"scene.xml", 7, 5};
    tn_builder_add_tie(b, &tie);
    CHECK_REFUSED(b, text);
}

TEST(bad_ties_are_named)
{
    try_tie(0, 0, 1, "scene.xml:7:5: tie 'seam': soft1 is not given");
    try_tie(1, 0, 3, "tie 'seam': soft2 3 does not exist");
    try_tie(1, 0, 1, "tie 'seam': soft1 and soft2 are the same");
    try_tie(1, 8, 2, "tie 'seam': node 8 does not exist; the 8 nodes of soft1 count from 0");
    try_tie(1, -1, 2, "tie 'seam': node -1 does not exist");
    try_tie(2, 0, 1, "tie 'seam': node 0 is held by body 1");
    /* the far side, 0.1 from the other block, whose diagonal is 0.17 */
    try_tie(2, 7, 1, "tie 'seam': node 7 lies 0.1 m outside of soft2");
}

/* ---- keys, option ---- */

TEST(a_key_of_any_other_length_is_told_both)
{
    TnModelBuilder *b = tn_builder_create();
    add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    add_block(b, soft_at("block", 0.0, 0.0, 0.0), 1, 1, 1);
    const double numbers[40] = {0.0};
    TnKeyDef key = tn_key_def();
    key.qvel = numbers;
    key.qvel_count = 29;
    tn_builder_add_key(b, &key);
    CHECK_REFUSED(b, "key 1: qvel has 29 numbers; the model has 30, or 6 without the nodes of soft "
                     "bodies");
}

TEST(a_division_into_fewer_than_no_pieces_is_refused)
{
    TnModelBuilder *b = tn_builder_create();
    TnOption option = tn_option();
    option.division.pieces = -2;
    tn_builder_set_option(b, &option, (TnSource){0});
    CHECK_REFUSED(b, "option: pieces of the division must not be negative (-2)");
}
