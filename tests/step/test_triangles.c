/* Contacts with triangles: meshes that collide as such, and height fields. */
#include "base/base.h"
#include "text_scene.h"

/* A floor at height 0 of uneven triangles, 4 m × 2 m, as a mesh. */
static void add_floor_mesh(Text *x)
{
    enum { ROWS = 7, COLUMNS = 13 };
    text_add(x, "<asset><mesh name='floor' vertex='");
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            bool inner = r > 0 && r < ROWS - 1 && c > 0 && c < COLUMNS - 1;
            double shift = inner ? 0.09 * sin(7.0 * r + 3.0 * c) : 0.0;
            text_add(x, "%.17g %.17g 0 ", -2.0 + 4.0 * c / (COLUMNS - 1) + shift,
                     -1.0 + 2.0 * r / (ROWS - 1) - shift);
        }
    text_add(x, "' face='");
    for (int r = 0; r + 1 < ROWS; r++)
        for (int c = 0; c + 1 < COLUMNS; c++) {
            int a = r * COLUMNS + c, b = a + COLUMNS;
            if ((r + c) % 2)
                text_add(x, "%d %d %d %d %d %d ", a, a + 1, b + 1, a, b + 1, b);
            else
                text_add(x, "%d %d %d %d %d %d ", a, a + 1, b, a + 1, b + 1, b);
        }
    text_add(x, "'/></asset><tenon><mesh name='floor' collision='triangles'/></tenon>"
                "<worldbody><geom type='mesh' mesh='floor' friction='0'/>");
}

/* The same as a height field whose level part is at height 0. */
static void add_floor_field(Text *x)
{
    text_add(x, "<asset><hfield name='floor' nrow='9' ncol='17' size='2.5 1.5 1 .1'/></asset>"
                "<worldbody><geom type='hfield' hfield='floor' friction='0'/>");
}

static const struct {
    const char *geom;
    double height;
} things[] = {
    {"type='box' size='.1 .07 .05'", 0.05},
    {"size='.1'", 0.1},
    {"type='capsule' size='.04 .1' euler='0 1.57079632679489662 .3'", 0.04},
    {"type='cylinder' size='.08 .03'", 0.03},
    {"type='ellipsoid' size='.1 .08 .05'", 0.05},
};
enum { THINGS = sizeof things / sizeof *things };

/* A thing that slides without friction keeps its velocity and its height. */
static void check_sliding(bool field, int which, double t, double speed)
{
    Text x = {.length = 0};
    TextScene s;
    double vx = speed * cos(0.2), vy = speed * sin(0.2), height = things[which].height;
    (field ? add_floor_field : add_floor_mesh)(&x);
    text_add(&x,
             "<body pos='-1.5 -.3 %.17g'><freejoint/><geom friction='0' %s/></body></worldbody>"
             "<keyframe><key name='start' qpos='-1.5 -.3 %.17g 1 0 0 0' "
             "qvel='%.17g %.17g 0 0 0 0'/></keyframe>",
             height, things[which].geom, height, vx, vy);
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 1e-9; /* of gravity · step: the solver shall not be what is seen */
    if (!text_open_of(&s, t, "0 0 -9.81", x.text, def)) return;
    double worst_height = 0, worst_speed = 0, worst_spin = 0;
    for (int k = 0; k * t < 2.5 / speed; k++) {
        tn_world_step(s.world);
        TnStateView state = tn_world_state(s.world);
        worst_height = fmax(worst_height, fabs(state.qpos[2] - height));
        worst_speed = fmax(worst_speed, fabs(state.qvel[0] - vx) + fabs(state.qvel[1] - vy) +
                                            fabs(state.qvel[2]));
        for (int i = 3; i < 6; i++) worst_spin = fmax(worst_spin, fabs(state.qvel[i]));
    }
    /* what the arithmetic of a step leaves; a speed of 1e-9 g t at 3 cm is a spin of 3e-9 rad/s */
    if (!(worst_height < 1e-9 && worst_speed < 1e-9 && worst_spin < 1e-8))
        test_fail(__FILE__, __LINE__, "%s %s at %g m/s, %g s: height %g, speed %g, spin %g",
                  field ? "field" : "mesh", things[which].geom, speed, t, worst_height, worst_speed,
                  worst_spin);
    text_close(&s);
}

TEST(nothing_bumps_on_a_floor_of_triangles)
{
    const double steps[] = {0.002, 0.01}, speeds[] = {0.5, 4.0};
    for (int which = 0; which < THINGS; which++)
        for (int field = 0; field < 2; field++)
            for (int k = UNLESS_SANITIZED(0, 3); k < 4; k++)
                check_sliding(field, which, steps[k / 2], speeds[k % 2]);
}

/* With friction against rolling everything comes to rest on a floor of triangles, with its weight
 * carried and nothing sunk in. */
static void check_rest(const char *floor, double lowest)
{
    Text x = {.length = 0};
    TextScene s;
    text_add(&x, "%s", floor);
    for (int i = 0; i < THINGS; i++)
        text_add(&x,
                 "<body pos='%g %g .6' euler='.3 .5 %d'><freejoint/><geom condim='6' "
                 "friction='1 .02 .01' %s/></body>",
                 0.3 * (i - 2), 0.1 * (i % 3), i, things[i].geom);
    text_add(&x, "</worldbody>");
    if (!text_open(&s, 0.005, "0 0 -9.81", x.text)) return;
    double deepest = 0, weight = 0, carried = 0;
    int missed = 0; /* steps of an impact may: how many depends on rounding */
    for (int k = 0; k < 1200; k++) {
        TnStepReport report = tn_world_step(s.world);
        missed += !report.converged;
        CHECK(!report.diverged);
        CHECK(report.error < 1e-2); /* then, too, forces balance to a hundredth of gravity */
        deepest = fmax(deepest, report.max_penetration);
    }
    CHECK(missed <= 24); /* 5 and 17 of 1200 were seen */
    for (int i = 0; i < tn_world_contact_count(s.world); i++) {
        TnContact c = tn_world_contact(s.world, i);
        if (c.geom2 == 1) carried -= c.force[2];
    }
    TnStateView state = tn_world_state(s.world);
    for (int i = 0; i < THINGS; i++) {
        weight += 9.81 * tn_model_body_info(s.model, i + 2).mass;
        CHECK(state.qpos[7 * i + 2] > lowest);
        for (int k = 0; k < 6; k++) CHECK_NEAR(state.qvel[6 * i + k], 0, 1e-3);
    }
    CHECK_NEAR(carried, weight, 2e-3 * weight);
    CHECK(deepest < 2e-3); /* of steps of 5 ms at 3 m/s */
    text_close(&s);
}

#define VALLEY                                                                                     \
    "<asset><hfield name='valley' nrow='7' ncol='9' size='1.6 1.2 .5 .1' elevation='"              \
    "9 9 9 9 9 9 9 9 9  9 5 4 5 3 4 4 5 9  9 5 1 2 1 0 1 4 9  9 4 2 1 0 1 0 5 9 "                  \
    "9 5 1 0 1 2 1 5 9  9 4 4 5 3 4 5 4 9  9 9 9 9 9 9 9 9 9'/></asset>"                           \
    "<worldbody><geom type='hfield' hfield='valley'/>"

TEST(things_come_to_rest_in_a_valley) { check_rest(VALLEY, 0.0); }

TEST(things_come_to_rest_on_a_floor_of_triangles)
{
    Text x = {.length = 0};
    add_floor_mesh(&x);
    char *zero = strstr(x.text, " friction='0'");
    REQUIRE(zero);
    memset(zero, ' ', strlen(" friction='0'"));
    check_rest(x.text, 0.02);
}

/* A step of 0.2 m, for a ball of 1 cm. */
TEST(a_fast_ball_does_not_pass_a_sheet)
{
    const double speeds[] = {5, 20, 100};
    for (int k = 0; k < 3; k++) {
        Text x = {.length = 0};
        TextScene s;
        add_floor_mesh(&x);
        text_add(&x,
                 "<body><freejoint/><geom size='.01'/></body></worldbody><keyframe><key "
                 "name='start' qpos='.013 .021 .5 1 0 0 0' qvel='1 0 %g 0 0 0'/></keyframe>",
                 -speeds[k]);
        if (!text_open(&s, 0.002, "0 0 -9.81", x.text)) return;
        double low = 1;
        for (int step = 0; step < 100; step++) {
            tn_world_step(s.world);
            low = fmin(low, tn_world_state(s.world).qpos[2]);
        }
        CHECK(low > 0.0099);
        text_close(&s);
    }
}

/* Against a plane: nobody can tell the difference. */
TEST(a_box_falls_on_triangles_as_on_a_plane)
{
    double end[2][7];
    for (int k = 0; k < 2; k++) {
        Text x = {.length = 0};
        TextScene s;
        add_floor_mesh(&x);
        if (k) x.length = 0;
        if (k) text_add(&x, "<worldbody><geom type='plane' size='1 1 1' friction='0'/>");
        text_add(&x, "<body pos='.1 .2 .3' euler='.2 .1 0'><freejoint/><geom type='box' "
                     "size='.1 .07 .05' friction='0'/></body></worldbody>");
        if (!text_open(&s, 0.002, "0 0 -9.81", x.text)) return;
        for (int step = 0; step < 150; step++) tn_world_step(s.world);
        memcpy(end[k], tn_world_state(s.world).qpos, sizeof end[k]);
        text_close(&s);
    }
    /* what is listed ahead of time differs */
    for (int i = 0; i < 7; i++) CHECK_NEAR(end[0][i], end[1][i], 2e-3);
}

/* A ring of a mesh in pieces hangs on a peg; as its hull it would lie on top. */
TEST(a_ring_in_pieces_hangs_on_a_peg)
{
    for (int pieces = 0; pieces < 2; pieces++) {
        Text x = {.length = 0};
        TextScene s;
        text_add(&x,
                 "<asset><mesh name='ring' builtin='supertorus' params='24 .25 1 1' "
                 "scale='.2 .2 .2'/></asset>%s<worldbody>"
                 "<geom type='capsule' size='.03' fromto='0 -1 0 0 1 0'/>"
                 "<body pos='0 0 -.1' euler='1.57079632679489662 0 0'><freejoint/>"
                 "<geom type='mesh' mesh='ring'/></body></worldbody>",
                 pieces ? "<tenon><mesh name='ring' collision='decompose'/></tenon>" : "");
        if (!text_open(&s, 0.005, "0 0 -9.81", x.text)) return;
        double depth = 0.0;
        for (int step = 0; step < 600; step++) depth = tn_world_step(s.world).max_penetration;
        double height = tn_world_state(s.world).qpos[2];
        /* The inner radius less the peg's, and less what pieces fill of the inner round: a
         * hundredth of the ring's size, and two hundredths of a metre in the corners between their
         * flat sides. */
        if (pieces) {
            CHECK_NEAR(height, -(0.2 * 0.75 - 0.03), 0.025);
            CHECK(depth < 1e-3); /* overlaps are gone after 3 s, within a hundredth of its size */
        } else
            CHECK(height < -0.2); /* pushed out: the peg was within the hull */
        text_close(&s);
    }
}

TEST(the_same_bits_on_any_number_of_threads)
{
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        Text x = {.length = 0};
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.thread_count = 1 << k;
        text_add(&x, "%s", VALLEY);
        for (int i = 0; i < THINGS; i++)
            text_add(&x, "<body pos='%g 0 .6'><freejoint/><geom %s/></body>", 0.3 * (i - 2),
                     things[i].geom);
        text_add(&x, "</worldbody>");
        if (!text_open_of(&s, 0.01, "0 0 -9.81", x.text, def)) return;
        for (int step = 0; step < 100; step++) tn_world_step(s.world);
        hash[k] = tn_world_hash(s.world);
        text_close(&s);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

TEST(what_cannot_be_is_told)
{
    static const struct {
        const char *parts, *message;
    } cases[] = {
        {"<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody><body>"
         "<freejoint/><geom size='.1'/><geom type='hfield' hfield='h'/></body></worldbody>",
         "must be fixed to the world"},
        {"<asset><hfield name='h' nrow='2' ncol='1' size='1 1 1 1'/></asset>", "at least 2"},
        {"<asset><hfield name='h' nrow='2' ncol='2' size='1 1 0 1'/></asset>",
         "four positive numbers"},
        {"<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'/></asset>",
         "= 4 numbers, not 3"},
        {"<worldbody><geom type='hfield'/></worldbody>", "attribute 'hfield' is missing"},
        {"<worldbody><geom type='hfield' hfield='x'/></worldbody>", "no height field named 'x'"},
        {"<tenon><mesh name='x' collision='triangles'/></tenon>", "no mesh named 'x'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        char text[512];
        snprintf(text, sizeof text, "<mujoco>%s</mujoco>", cases[i].parts);
        CHECK(!load_text(text, &err));
        CHECK_STR(err.message, cases[i].message);
    }
}

/* Nodes of soft bodies rest on triangles as on a plane. */
TEST(a_soft_block_rests_on_triangles)
{
    double low[2];
    for (int k = 0; k < 2; k++) {
        Text x = {.length = 0};
        TextScene s;
        text_add(&x, k ? "<worldbody><geom type='plane' size='1 1 1'/></worldbody>"
                       : "<asset><hfield name='f' nrow='9' ncol='17' size='.7 .6 1 .1'/></asset>"
                         "<worldbody><geom type='hfield' hfield='f'/></worldbody>");
        text_add(&x, "<tenon><soft name='block' box='.1 .1 .1' cells='3 3 3' pos='.03 .02 .15' "
                     "young='1e5' density='1000' damping='.01'/></tenon>");
        if (!text_open(&s, 0.005, "0 0 -9.81", x.text)) return;
        for (int step = 0; step < 300; step++) tn_world_step(s.world);
        TnStateView state = tn_world_state(s.world);
        low[k] = 1;
        for (int i = 2; i < state.qpos_count; i += 3) low[k] = fmin(low[k], state.qpos[i]);
        text_close(&s);
    }
    CHECK_NEAR(low[0], 0, 1e-4); /* what steps leave of the fall */
    CHECK_NEAR(low[0], low[1], 1e-4);
}

/* Pieces, triangles and height fields without memory: an error, and nothing is left behind. */
TEST(every_failing_allocation_is_an_error)
{
    const char *text =
        "<mujoco><asset><mesh name='ring' builtin='supertorus' params='4 .3 1 1'/>"
        "<mesh name='cone' builtin='sphere' params='0'/><hfield name='f' nrow='2' ncol='3' "
        "size='1 1 1 1'/></asset><tenon><mesh name='ring' collision='decompose'/>"
        "<mesh name='cone' collision='triangles'/></tenon><worldbody>"
        "<geom type='hfield' hfield='f'/><geom type='mesh' mesh='cone'/><geom type='mesh' "
        "mesh='cone'/><body><freejoint/><geom type='mesh' mesh='ring'/><geom type='box' "
        "mesh='ring'/></body></worldbody></mujoco>";
    TnError err = {0};
    long calls = 0;
    for (;; calls++) {
        tn_malloc_fail_after(calls);
        TnModel *model = load_text(text, &err);
        tn_malloc_fail_after(-1);
        if (model) {
            tn_model_destroy(model);
            break;
        }
        if (err.code != TN_ERROR_MEMORY) {
            test_fail(__FILE__, __LINE__, "after %ld calls: %s", calls, err.message);
            break;
        }
    }
    CHECK(calls > 100);
    TnModel *model = load_text(text, &err);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    for (calls = 0;; calls++) {
        tn_malloc_fail_after(calls);
        TnWorld *world = tn_world_create(&def, model, &err);
        tn_malloc_fail_after(-1);
        tn_world_destroy(world);
        if (world) break;
        CHECK(err.code == TN_ERROR_MEMORY);
    }
    CHECK(calls > 10);
    tn_model_destroy(model);
}
