/* Rods: the bodies, springs and filters that a definition becomes. Expected numbers are worked out
 * by hand. */
#include "build.h"

#define PI 3.14159265358979323846
#define ROUNDING 1e-14 /* of a few products of numbers of size 1 */

static TnRodDef straight_rod(int segments)
{
    TnRodDef def = tn_rod_def();
    def.name = "cable";
    def.segment_count = segments;
    def.end[0] = 0.1 * segments;
    def.radius = 0.02;
    return def;
}

static TnModel *model_of(const TnRodDef *def)
{
    TnModelBuilder *b = tn_builder_create();
    tn_builder_add_rod(b, def);
    return compile(b);
}

TEST(a_rod_is_one_subsystem_of_free_bodies)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId stone = add_link(b, "stone", TN_BODY_WORLD, TN_JOINT_FREE);
    TnRodDef def = straight_rod(4);
    TnRodId rod = tn_builder_add_rod(b, &def);
    TnRodParts parts = tn_builder_rod_parts(b, rod);
    TnBodyId arm = add_link(b, "arm", TN_BODY_WORLD, TN_JOINT_HINGE);
    TnBodyId ball = add_link(b, "ball", TN_BODY_WORLD, TN_JOINT_FREE);
    TnModel *m = compile(b);
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(info.rod_count == 1 && info.free_body_count == 2 && info.tree_count == 1);
    CHECK(info.body_count == 8 && info.qpos_count == 7 + 28 + 1 + 7);
    CHECK(rod == 1 && parts.body == 3 && parts.joint == 2 && parts.geom == 2);
    CHECK(tn_model_find_rod(m, "cable") == 1 && tn_model_find_body(m, "cable_3") == 6);
    CHECK(tn_model_find_geom(m, "cable_0") == parts.geom);
    CHECK(strcmp(tn_model_rod_name(m, 1), "cable") == 0 && !tn_model_rod_name(m, 2)[0]);
    for (TnBodyId id = 3; id <= 6; id++) CHECK(tn_model_body_subsystem(m, id) == 2);
    CHECK(tn_model_body_subsystem(m, stone) == 1 && tn_model_body_subsystem(m, arm) == 3 &&
          tn_model_body_subsystem(m, ball) == 4);
    const TnSubsystem *sub = &m->subsystems[1];
    CHECK(sub->kind == TN_SUBSYSTEM_ROD && sub->kind_index == 0 && sub->link_count == 4);
    CHECK(sub->dof_count == 24 && sub->qpos_count == 28 && sub->qpos_start == 7);
    CHECK(m->rods[0].subsystem == 1 && m->rods[0].link_start == sub->link_start);
    CHECK(m->subsystems[3].kind == TN_SUBSYSTEM_RIGID && m->subsystems[3].kind_index == 1);
    TnRodInfo r = tn_model_rod_info(m, 1);
    CHECK(r.segment_count == 4 && r.body == 3 && r.geom == 2 && r.subsystem == 2);
    CHECK(tn_model_rod_info(m, 0).segment_count == 0);
    tn_model_destroy(m);
}

TEST(a_segment_weighs_what_a_cylinder_does)
{
    TnRodDef def = straight_rod(3);
    def.density = 500.0;
    TnModel *m = model_of(&def);
    REQUIRE(m);
    double mass = 500.0 * PI * 0.02 * 0.02 * 0.1;
    TnBodyInfo body = tn_model_body_info(m, 3);
    CHECK_NEAR(body.mass, mass, ROUNDING);
    CHECK_NEAR(tn_model_info(m).total_mass, 3 * mass, ROUNDING);
    CHECK_NEAR(v3_norm(body.com), 0.0, ROUNDING);
    const double *I = m->links[2].inertia; /* body axes, z along the rod */
    CHECK_NEAR(I[0], mass * (3 * 0.02 * 0.02 + 0.1 * 0.1) / 12, ROUNDING);
    CHECK_NEAR(I[8], mass * 0.02 * 0.02 / 2, ROUNDING);
    TnGeomInfo geom = tn_model_geom_info(m, 2);
    CHECK(geom.type == TN_GEOM_CAPSULE && geom.size[0] == 0.02);
    CHECK_NEAR(geom.size[1], 0.05, ROUNDING);
    tn_model_destroy(m);
}

TEST(springs_have_the_stiffness_of_a_round_bar)
{
    TnRodDef def = tn_rod_def();
    const double points[12] = {0, 0, 0, 0, 0, 0.1, 0, 0, 0.3, 0, 0, 0.7};
    def.segment_count = 3;
    def.points = points;
    def.youngs_modulus = 2e6;
    def.poisson_ratio = 0.25;
    def.radius = 0.01;
    TnModel *m = model_of(&def);
    REQUIRE(m);
    double A = PI * 1e-4, I = PI * 1e-8 / 4, G = 2e6 / 2.5, kappa = 6 * 1.25 / (7 + 6 * 0.25);
    const double lengths[2] = {0.15, 0.3}; /* means of 0.1, 0.2 and of 0.2, 0.4 */
    for (int i = 0; i < 2; i++) {
        const TnRodJoint *j = &m->rods[0].joints[i];
        double l = lengths[i];
        const double k[6] = {kappa * G * A / l, kappa * G * A / l, 2e6 * A / l,
                             2e6 * I / l,       2e6 * I / l,       2 * G * I / l};
        for (int r = 0; r < 6; r++) CHECK_NEAR(j->k[r], k[r], 1e-14 * k[r]); /* rounding */
        for (int r = 0; r < 6; r++) CHECK_NEAR(j->rest[r], r == 2 ? l : 0.0, ROUNDING);
    }
    tn_model_destroy(m);
    def.bend_modulus = 1e5;
    def.twist_modulus = 0.0;
    m = model_of(&def);
    REQUIRE(m);
    const double *k = m->rods[0].joints[0].k;
    CHECK_NEAR(k[3], 1e5 * I / 0.15, 1e-14 * k[3]);
    /* what twists freely has a millionth of its stiffness left; what is limp to bend kinks as its
     * material does */
    CHECK_NEAR(k[5], 1e-6 * 2e6 * 2 * I / 0.15, 1e-14 * k[5]);
    CHECK_NEAR(m->rods[0].joints[0].kink, 20.0, 1e-12);
    CHECK(k[2] > 0.0 && k[0] > 0.0);
    tn_model_destroy(m);
}

/* A corner of 90 degrees, then one out of the plane. */
static const double corner[12] = {0, 0, 0, 0.2, 0, 0, 0.2, 0.2, 0, 0.2, 0.2, 0.4};

TEST(frames_follow_the_centre_line_and_do_not_twist_about_it)
{
    TnRodDef def = straight_rod(3);
    def.points = corner;
    TnModel *m = model_of(&def);
    REQUIRE(m);
    static const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    double transported[3] = {0}; /* the first x axis, turned by each corner */
    for (int i = 0; i < 3; i++) {
        const TnBody *body = &m->bodies[1 + i];
        double along[3], across[3], wanted[3];
        quat_rotate(along, body->quat, z);
        quat_rotate(across, body->quat, x);
        v3_sub(wanted, corner + 3 * (i + 1), corner + 3 * i);
        v3_normalize(wanted);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(along[k], wanted[k], ROUNDING);
            CHECK_NEAR(body->pos[k], 0.5 * (corner[3 * i + k] + corner[3 * i + 3 + k]), ROUNDING);
        }
        if (i == 0) v3_copy(transported, across);
        if (i == 1) { /* quarter turn about z: (a, b, c) becomes (-b, a, c) */
            const double turned[3] = {-transported[1], transported[0], transported[2]};
            v3_copy(transported, turned);
        }
        if (i == 2) { /* quarter turn about x: (a, b, c) becomes (a, -c, b) */
            const double turned[3] = {transported[0], -transported[2], transported[1]};
            v3_copy(transported, turned);
        }
        for (int k = 0; k < 3; k++) CHECK_NEAR(across[k], transported[k], ROUNDING);
    }
    tn_model_destroy(m);
}

TEST(a_bent_rod_is_at_rest_as_built_unless_it_should_be_straight)
{
    TnRodDef def = straight_rod(3);
    def.points = corner;
    TnModel *m = model_of(&def);
    REQUIRE(m);
    const double *rest = m->rods[0].joints[0].rest;
    double c = cos(PI / 4);
    /* The mid frame's z lies between both segments': equal lengths, so d is along it. */
    CHECK_NEAR(rest[2], 0.2 * c, ROUNDING);
    CHECK_NEAR(v3_norm(rest), 0.2 * c, ROUNDING);
    CHECK_NEAR(v3_norm(rest + 3), PI / 2, ROUNDING);
    CHECK_NEAR(rest[5], 0.0, ROUNDING);               /* no twist */
    const double *uneven = m->rods[0].joints[1].rest; /* 0.2 and 0.4 long */
    CHECK_NEAR(uneven[2], 0.3 * c, ROUNDING);
    CHECK_NEAR(v3_norm(uneven), sqrt(0.01 + 0.04), ROUNDING); /* centre to centre */
    tn_model_destroy(m);
    def.straight_rest = true;
    m = model_of(&def);
    REQUIRE(m);
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < 6; r++)
            CHECK_NEAR(m->rods[0].joints[i].rest[r], r == 2 ? 0.2 + 0.1 * i : 0.0, ROUNDING);
    tn_model_destroy(m);
}

TEST(segments_of_a_rod_collide_only_with_self_contact_and_far_along_it)
{
    for (int self = 0; self < 2; self++) {
        TnModelBuilder *b = tn_builder_create();
        TnRodDef def = straight_rod(12); /* of 0.1 m, radius 0.12 m: ceil(1.2 π) + 1 = 5 apart */
        def.radius = 0.12;
        def.self_contact = self;
        tn_builder_add_rod(b, &def);
        def.name = "other";
        tn_builder_add_rod(b, &def);
        TnBodyId stone = add_link(b, "stone", TN_BODY_WORLD, TN_JOINT_FREE);
        TnModel *m = compile(b);
        REQUIRE(m);
        CHECK(m->rods[0].near == 5 && m->rods[1].link_start == 13 && m->exclude_count == 0);
        for (int i = 1; i <= 12; i++)
            for (int j = 1; j <= 12; j++) {
                CHECK(tn_model_bodies_collide(m, i, j) == (self && abs(i - j) >= 5));
                CHECK(tn_model_bodies_collide(m, i, 12 + j));
            }
        CHECK(tn_model_bodies_collide(m, 1, stone - 1) && tn_model_bodies_collide(m, 0, 3));
        tn_model_destroy(m);
    }
    TnRodDef thin = straight_rod(3); /* 0.1 m long, 0.04 m thick: half a turn is 0.63 of it */
    TnModel *m = model_of(&thin);
    REQUIRE(m);
    CHECK(m->rods[0].near == 2);
    tn_model_destroy(m);
}

TEST(segments_near_a_held_one_never_touch_their_holder)
{
    TnModelBuilder *b = tn_builder_create();
    TnRodDef def = straight_rod(12); /* of 0.1 m, radius 0.04 m: ceil(0.4 π) + 1 = 3 */
    def.radius = 0.04;
    tn_builder_add_rod(b, &def);
    TnBodyId stone = add_link(b, "stone", TN_BODY_WORLD, TN_JOINT_FREE);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = stone;
    weld.body2 = 2 + 6; /* segment 6 */
    tn_builder_add_equality(b, &weld);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(m->rods[0].near == 3);
    for (int i = 0; i < 12; i++)
        CHECK(tn_model_bodies_collide(m, 1 + i, stone - 1) == (abs(i - 6) >= 3));
    tn_model_destroy(m);
}

#define ROD_REFUSED(CHANGE, TEXT)                                                                  \
    do {                                                                                           \
        TnModelBuilder *b_ = tn_builder_create();                                                  \
        TnRodDef def = straight_rod(5);                                                            \
        CHANGE;                                                                                    \
        tn_builder_add_rod(b_, &def);                                                              \
        CHECK_REFUSED(b_, TEXT);                                                                   \
    } while (0)

TEST(a_bad_rod_is_refused_with_one_problem)
{
    ROD_REFUSED(def.poisson_ratio = 0.5, "rod 'cable': poisson_ratio must lie in (-1, 0.5) (0.5)");
    ROD_REFUSED(def.poisson_ratio = -1, "poisson_ratio must lie in (-1, 0.5)");
    ROD_REFUSED(def.poisson_ratio = NAN, "poisson_ratio must lie in (-1, 0.5)");
    ROD_REFUSED(def.youngs_modulus = 0, "youngs_modulus must be positive (0)");
    ROD_REFUSED(def.youngs_modulus = INFINITY, "youngs_modulus is not finite");
    ROD_REFUSED(def.radius = 0, "radius must be positive (0)");
    ROD_REFUSED(def.radius = NAN, "radius is not finite");
    ROD_REFUSED(def.density = -1, "density must be positive (-1)");
    ROD_REFUSED(def.damping_time = -1, "damping_time must not be negative (-1)");
    ROD_REFUSED(def.segment_count = 1, "a rod needs at least two segments, not 1");
    ROD_REFUSED(def.segment_count = 0, "a rod needs at least two segments, not 0");
    ROD_REFUSED(def.segment_count = -7, "a rod needs at least two segments, not -7");
    ROD_REFUSED(def.end[0] = 0, "segment 0 has length 0");
    ROD_REFUSED(def.end[1] = NAN, "end is not finite");
    ROD_REFUSED(def.friction[0] = -1, "friction (sliding) must not be negative (-1)");
    ROD_REFUSED(def.contact_dim = 2, "contact dimension must be 1, 3, 4 or 6 (2)");
    ROD_REFUSED(def.bend_modulus = NAN, "bend_modulus is not finite");
    const double doubled[12] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0};
    ROD_REFUSED((def.points = doubled, def.segment_count = 3), "segment 1 has length 0");
    const double folded[9] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0};
    ROD_REFUSED((def.points = folded, def.segment_count = 2),
                "segments 0 and 1 fold back onto each other");
}

TEST(nothing_can_be_built_upon_a_segment)
{
    TnModelBuilder *b = tn_builder_create();
    TnRodDef def = straight_rod(3);
    TnRodParts parts = tn_builder_rod_parts(b, tn_builder_add_rod(b, &def));
    TnBodyId hook = add_body(b, "hook", parts.body + 2, 0, 0, 0);
    add_ball(b, NULL, hook, 0.1);
    CHECK_REFUSED(b,
                  "body 'hook': its parent is a segment of rod 1, which cannot have child bodies");
    b = tn_builder_create();
    parts = tn_builder_rod_parts(b, tn_builder_add_rod(b, &def));
    add_joint(b, "pin", parts.body, TN_JOINT_HINGE);
    TnError err = {0};
    CHECK(!tn_builder_compile(b, &err));
    CHECK_STR(err.message, "joint 'pin': its body is a segment of rod 1");
    tn_builder_destroy(b);
}

TEST(a_builder_with_a_rod_owns_what_it_was_given)
{
    double points[9] = {0, 0, 0, 1, 0, 0, 2, 1, 0};
    char name[] = "rope";
    TnRodDef def = tn_rod_def();
    def.name = name;
    def.points = points;
    def.segment_count = 2;
    const char *const bodies[2] = {"left", "right"}, *const geoms[2] = {"l", "r"};
    def.body_names = bodies;
    def.geom_names = geoms;
    TnModelBuilder *b = tn_builder_create();
    TnRodId id = tn_builder_add_rod(b, &def);
    memset(points, 0, sizeof points);
    memset(name, 'x', sizeof name - 1);
    CHECK(tn_builder_rod_parts(b, id + 1).body == 0 && tn_builder_rod_parts(b, 0).body == 0);
    for (int round = 0; round < 2; round++) {
        TnError err = {0};
        TnModel *m = tn_builder_compile(b, &err);
        REQUIRE(m);
        CHECK(tn_model_find_rod(m, "rope") == id && tn_model_find_body(m, "right") == 3);
        CHECK(tn_model_find_geom(m, "l") == 1 && !tn_model_find_body(m, "rope_0"));
        CHECK_NEAR(tn_model_rod_info(m, 1).lengths[1], sqrt(2), ROUNDING);
        tn_model_destroy(m);
    }
    tn_builder_destroy(b);
}

TEST(a_failing_allocation_while_building_a_rod_leaves_an_error_and_no_leak)
{
    for (long n = 0; n < 200; n++) {
        TnError err = {0};
        tn_malloc_fail_after(n);
        TnModelBuilder *b = tn_builder_create();
        TnRodDef def = straight_rod(40);
        tn_builder_add_rod(b, &def);
        TnModel *m = b ? tn_builder_compile(b, &err) : NULL;
        tn_malloc_fail_after(-1);
        tn_builder_destroy(b);
        if (m) {
            tn_model_destroy(m);
            CHECK(n > 3);
            return;
        }
        CHECK(!b || err.code == TN_ERROR_MEMORY);
    }
    CHECK(false);
}
