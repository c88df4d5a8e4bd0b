/* A step in n sub-steps of t/n (substeps.c): n steps of t/n to the last bit, in everything that a
 * world has, where contacts are looked for in each of them; physics and balances where they are
 * not; and what any step promises. */
#include "../account/account_sum.h"
#include "scene.h"
#include "text_scene.h"

#include "base/base.h"
#include "world/world.h"

/* ---- scenes ---- */

#define GROUND "<geom type='plane' size='5 5 1'/>"

static const char flight[] =
    "<worldbody><body name='a'><freejoint/><geom type='box' size='.1 .2 .3'/></body></worldbody>"
    "<keyframe><key name='start' qpos='0 0 5 1 0 0 0' qvel='1 0 3 4 5 .1'/></keyframe>";

static const char pendulum[] =
    "<worldbody><body name='a'><joint axis='0 1 0' damping='.1'/><geom type='capsule' size='.02' "
    "fromto='0 0 0 .5 0 0'/><body pos='.5 0 0'><joint axis='0 1 0' stiffness='2'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .5 0 0'/></body></body></worldbody>";

/* A robot that pushes a box. */
static const char robot[] =
    "<worldbody>" GROUND "<body pos='0 0 .3'><joint name='j1' axis='0 0 1' range='-2 2' "
    "limited='true' frictionloss='.01'/><geom type='capsule' size='.03' fromto='0 0 0 .4 0 0'/>"
    "<body pos='.4 0 0'><joint name='j2' axis='0 1 0'/><geom type='capsule' size='.03' fromto="
    "'0 0 0 .3 0 -.2'/></body></body><body name='a' pos='.6 .2 .1'><freejoint/><geom type='box' "
    "size='.1 .1 "
    ".1'/></body></worldbody><actuator><position joint='j1' kp='50' kv='5'/><position joint='j2' "
    "kp='50' kv='5'/></actuator><keyframe><key name='start' qpos='0 0 .6 .2 .1 1 0 0 0' "
    "ctrl='1 .2'/></keyframe>";

static const char stack[] =
    "<worldbody>" GROUND "<body name='a' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 "
    ".1'/></body><body pos='.03 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body><body "
    "pos='.02 .02 .45'><freejoint/><geom size='.05'/></body><body pos='.5 0 .05'><freejoint/><geom "
    "size='.05'/></body></worldbody><keyframe><key name='start' qvel='.5 0 0 0 0 0  0 0 0 0 0 0  0 "
    "0 0 0 0 0  1 0 0 0 0 0'/></keyframe>";

#define BALL(X, NAME)                                                                              \
    "<body pos='" X " 0 .1'><joint axis='0 -1 0' pos='0 0 .3'/><geom name='" NAME                  \
    "' size='.02' mass='.25' condim='1'/></body>"
static const char cradle[] =
    "<worldbody><body name='a' pos='-.2 0 .1'><joint type='slide' axis='1 0 0'/><geom name='b0' "
    "size='.02' mass='.25' condim='1'/></body>" BALL("0", "b1") BALL("0.0401", "b2")
        BALL("0.0802", "b3") "</worldbody><tenon><geom name='b0' restitution='1'/><geom name='b1' "
                             "restitution='1'/><geom name='b2' restitution='1'/><geom name='b3' "
                             "restitution='1'/></tenon><keyframe><key name='start' qvel='1 0 0 0'/>"
                             "</keyframe>";

static const char cable[] =
    "<worldbody>" GROUND "<body name='a' pos='0 0 .4'><joint type='slide' axis='0 0 1' "
    "damping='20'/><geom size='.03'/></body><composite type='cable' prefix='k' curve='s' count='11 "
    "1 1' size='.8' offset='0 0 .4' initial='free'><geom type='capsule' size='.01'/></composite>"
    "</worldbody><equality><weld body1='a' body2='kB_first'/></equality>";

static const char soft[] =
    "<worldbody>" GROUND "<body name='a' pos='0 0 .3'><freejoint/><geom type='box' size='.03 .03 "
    ".03' mass='.1'/></body></worldbody><tenon><soft name='s' box='.1 .1 .05' cells='3 3 2' pos='0 "
    "0 .0601' young='1e5' poisson='.4' density='500'/></tenon>";

static const struct {
    const char *name, *parts;
} scenes[] = {{"flight", flight}, {"pendulum", pendulum}, {"robot", robot}, {"stack", stack},
              {"cradle", cradle}, {"cable", cable},       {"soft", soft}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static bool open_scene(TextScene *s, double t, int substeps, const char *parts)
{
    TnWorldDef def = tn_world_def();
    def.substeps = substeps;
    return text_open_of(s, t, "0 0 -9.81", parts, def);
}

static void check_same_state(const TextScene *a, const TextScene *b, const char *name)
{
    TnStateView x = tn_world_state(a->world), y = tn_world_state(b->world);
    bool same = memcmp(x.qpos, y.qpos, sizeof(double) * (size_t)x.qpos_count) == 0 &&
                memcmp(x.qvel, y.qvel, sizeof(double) * (size_t)x.dof_count) == 0;
    if (!same) test_fail(__FILE__, __LINE__, "%s: other bits at %g s", name, x.time);
}

/* ---- the same as short steps ---- */

static void push(const TextScene *s, int k)
{
    const double force[3] = {0.1 * (k % 3), 0.2, 0.5}, torque[3] = {0.0, 0.01, 0.02};
    tn_world_apply_wrench(s->world, tn_model_find_body(s->model, "a"), force, torque);
}

/* Forces hold for the whole step, and the report tells of all of it. */
TEST(n_substeps_are_n_short_steps_to_the_last_bit)
{
    for (int i = 0; i < SCENES; i++)
        for (int n = 2; n <= 8; n *= 2) {
            TextScene one, many;
            REQUIRE(open_scene(&one, 0.01, n, scenes[i].parts));
            REQUIRE(open_scene(&many, 0.01 / n, 1, scenes[i].parts));
            CHECK(tn_world_substeps(one.world) == n && tn_world_substeps(many.world) == 1);
            for (int k = 0; k < UNLESS_SANITIZED(40, 5); k++) {
                push(&one, k);
                TnStepReport sum = tn_world_step(one.world), part = {0};
                double depth = 0.0, mean = 0.0, error = 0.0, friction = 0.0;
                int iterations = 0;
                bool converged = true;
                for (int j = 0; j < n; j++) {
                    push(&many, k);
                    part = tn_world_step(many.world);
                    depth = fmax(depth, part.max_penetration);
                    mean += part.mean_penetration;
                    error = fmax(error, part.error);
                    friction += part.energy.friction;
                    iterations += part.iterations;
                    converged = converged && part.converged;
                }
                CHECK(sum.iterations == iterations && sum.converged == converged);
                CHECK(sum.max_penetration == depth && sum.error == error);
                CHECK_NEAR(sum.mean_penetration, mean / n, 1e-15); /* m, rounding */
                CHECK_NEAR(sum.energy.friction, friction, 1e-14 * (1.0 + friction));
                CHECK(sum.contact_count == part.contact_count && !sum.diverged);
                CHECK(sum.times.total > 0.0 && sum.times.total >= sum.times.iterate);
                check_same_state(&one, &many, scenes[i].name);
            }
            CHECK_NEAR(tn_world_state(one.world).time, tn_world_state(many.world).time, 1e-13);
            text_close(&one);
            text_close(&many);
        }
}

TEST(time_is_that_of_whole_steps)
{
    TextScene one, whole;
    REQUIRE(open_scene(&one, 0.01, 3, pendulum));
    REQUIRE(open_scene(&whole, 0.01, 1, pendulum));
    for (int k = 0; k < 100; k++) {
        tn_world_step(one.world);
        tn_world_step(whole.world);
        CHECK(tn_world_state(one.world).time == tn_world_state(whole.world).time);
    }
    text_close(&one);
    text_close(&whole);
}

/* Islands fall asleep, wake because somebody asks, and because a ball falls on them, as they do in
 * short steps. */
TEST(sleepers_are_those_of_short_steps)
{
    static const char parts[] =
        "<worldbody>" GROUND "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/>"
        "</body><body pos='.02 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body><body "
        "pos='.01 0 8'><freejoint/><geom size='.05'/></body></worldbody>";
    TextScene one, many;
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    def.sleep_speed = 1e-3;
    def.sleep_time = 0.2;
    REQUIRE(text_open_of(&many, 0.0025, "0 0 -9.81", parts, def));
    def.substeps = 4;
    REQUIRE(text_open_of(&one, 0.01, "0 0 -9.81", parts, def));
    int slept = 0, woke = 0, last = 0;
    for (int k = 0; k < 135; k++) {
        if (k == 60) {
            tn_world_wake(one.world, 0);
            tn_world_wake(many.world, 0);
        }
        TnStepReport report = tn_world_step(one.world);
        for (int j = 0; j < 4; j++) tn_world_step(many.world);
        check_same_state(&one, &many, "boxes");
        CHECK(report.asleep_count == many.world->state.asleep_count);
        slept += report.asleep_count > last;
        woke += report.asleep_count < last;
        last = report.asleep_count;
    }
    CHECK(slept == 2 && woke == 2);
    text_close(&one);
    text_close(&many);
}

/* ---- accuracy ---- */

/* rad: how far the second link is from `truth` after a second. */
static double pendulum_at(int substeps)
{
    TextScene s;
    if (!open_scene(&s, 0.02, substeps, pendulum)) return NAN;
    for (int k = 0; k < 50; k++) tn_world_step(s.world);
    double q = tn_world_state(s.world).qpos[1];
    text_close(&s);
    return q;
}

/* The midpoint rule is of second order: half the sub-step, a quarter of the error. */
TEST(errors_of_a_pendulum_fall_with_the_square_of_substeps)
{
    double truth = pendulum_at(64), last = fabs(pendulum_at(2) - truth);
    CHECK(last > 1e-6); /* far above rounding */
    for (int n = 4; n <= 16; n *= 2) {
        double error = fabs(pendulum_at(n) - truth), order = log2(last / error);
        /* the reference's own error is (n/64)² of it, at most 1/16: 0.1 in the order */
        CHECK_NEAR(order, 2.0, 0.2);
        last = error;
    }
}

/* On a slope, as gravity that leans by 30°: a ball rolls at 5/7 g sin, a box slides at g (sin -
 * µ cos). v⁺ of each sub-step is exact, so velocities are to rounding and the solver's tolerance
 * (1e-11 of g t, over all sub-steps). */
TEST(balls_roll_and_boxes_slide_down_a_slope_as_they_must)
{
    static const char parts[] =
        "<worldbody><geom type='plane' size='5 5 1' friction='.3 0 0'/><body pos='0 0 .1'>"
        "<freejoint/><geom size='.1' friction='.3 0 0'/></body><body pos='0 1 "
        ".1'><freejoint/><geom "
        "type='box' size='.1 .1 .1' friction='.3 0 0'/></body></worldbody>";
    const double g = 9.81, lean = 3.14159265358979323846 / 6.0;
    for (int n = 1; n <= 8; n *= 2) {
        TextScene s;
        char gravity[64];
        TnWorldDef def = tn_world_def();
        def.solver.tolerance = 1e-11;
        def.substeps = n;
        snprintf(gravity, sizeof gravity, "%.17g 0 %.17g", g * sin(lean), -g * cos(lean));
        REQUIRE(text_open_of(&s, 0.01, gravity, parts, def));
        for (int k = 0; k < 50; k++) CHECK(tn_world_step(s.world).converged);
        const double *v = tn_world_state(s.world).qvel;
        CHECK_NEAR(v[0], 0.5 * 5.0 / 7.0 * g * sin(lean), 1e-9);
        CHECK_NEAR(v[6], 0.5 * g * (sin(lean) - 0.3 * cos(lean)), 1e-9);
        text_close(&s);
    }
}

/* A ball that rolls on while contacts ride with it keeps its speed: a lever that lagged by a share
 * of its way would brake it. */
TEST(a_slow_ball_and_a_slow_cylinder_roll_on)
{
    static const char parts[] =
        "<worldbody>" GROUND "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body><body "
        "pos='0 1 .1'><freejoint/><geom type='cylinder' size='.1 .1' zaxis='0 1 0'/></body><body "
        "pos='0 2 .1'><freejoint/><geom type='capsule' size='.1 .1' zaxis='0 1 0'/></body>"
        "</worldbody><keyframe><key name='start' qvel='.01 0 0 0 .1 0  .01 0 0 0 .1 0  .01 0 0 0 "
        ".1 "
        "0'/></keyframe>";
    for (int n = 1; n <= 8; n *= 2) {
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.solver.tolerance = 1e-11;
        def.substeps = n;
        REQUIRE(text_open_of(&s, 0.01, "0 0 -9.81", parts, def));
        for (int k = 0; k < 100; k++) tn_world_step(s.world);
        const double *v = tn_world_state(s.world).qvel;
        for (int i = 0; i < 3; i++) CHECK_NEAR(v[6 * i], 0.01, 1e-9); /* 1e-11 g t in each of 800 */
        text_close(&s);
    }
}

/* ---- balances ---- */

TEST(accounts_explain_the_energy_of_every_step)
{
    for (int i = 0; i < SCENES; i++) {
        TextScene s;
        REQUIRE(open_scene(&s, 0.01, 4, scenes[i].parts));
        double scale = fabs(text_energy(&s)) + 1.0, sum = 0.0;
        for (int k = 0; k < UNLESS_SANITIZED(100, 10); k++) {
            double before = text_energy(&s);
            push(&s, k);
            TnStepReport report = tn_world_step(s.world);
            CHECK(!report.diverged);
            /* differences of numbers of this size, four times */
            CHECK_NEAR(change_of(&report.energy), text_energy(&s) - before, 1e-12 * scale);
            sum += change_of(&report.energy);
        }
        TnEnergyAccount all = tn_world_energy_account(s.world);
        CHECK_NEAR(change_of(&all), sum, 1e-10 * scale); /* rounding of hundreds of them */
        text_close(&s);
    }
}

/* Without gravity and ground; push included. */
TEST(momentum_is_what_it_was)
{
    static const char *parts[] = {
        "<worldbody><body name='a' pos='-.3 .05 0'><freejoint/><geom type='box' size='.1 .1 "
        ".1'/></body><body pos='0 0 0'><freejoint/><geom size='.1'/></body></worldbody><keyframe>"
        "<key name='start' qvel='2 0 0 1 2 0  0 0 0 0 0 0'/></keyframe>",
        "<worldbody><body name='a' pos='.3 0 .05'><freejoint/><geom size='.03'/></body><composite "
        "type='cable' prefix='k' curve='s' count='9 1 1' size='.8' offset='0 0 0' initial='free'>"
        "<geom type='capsule' size='.01'/></composite></worldbody><keyframe><key name='start' "
        "qvel='0 0 -2 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0  0 0 "
        "0 "
        "0 0 0  0 0 0 0 0 0  0 0 0 0 0 0'/></keyframe>"};
    for (int i = 0; i < 2; i++) {
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.substeps = 4;
        REQUIRE(text_open_of(&s, 0.01, "0 0 0", parts[i], def));
        TextWhole start = text_whole(&s);
        int touched = 0;
        for (int k = 0; k < 60; k++) {
            tn_world_step(s.world);
            touched += text_touches(&s);
            TextWhole now = text_whole(&s);
            for (int a = 0; a < 3; a++) { /* as test_momentum.c: 1e-10 of what there is, about 10 */
                CHECK_NEAR(now.P[a], start.P[a], 1e-9);
                CHECK_NEAR(now.L[a], start.L[a], 1e-9);
            }
        }
        CHECK(touched > 0);
        text_close(&s);
    }
}

/* ---- what any step promises ---- */

static size_t save(const TnWorld *world, void **bytes)
{
    TnError err = {0};
    size_t size = tn_world_save_size(world);
    *bytes = malloc(size);
    CHECK(*bytes && tn_world_save(world, *bytes, size, &err) == TN_OK);
    return size;
}

TEST(a_restored_world_goes_on_bit_for_bit)
{
    for (int i = 0; i < SCENES; i++) {
        TextScene a, b;
        TnError err = {0};
        void *bytes;
        REQUIRE(open_scene(&a, 0.01, 4, scenes[i].parts) &&
                open_scene(&b, 0.01, 4, scenes[i].parts));
        for (int k = 0; k < UNLESS_SANITIZED(30, 4); k++) tn_world_step(a.world);
        size_t size = save(a.world, &bytes);
        REQUIRE(tn_world_restore(b.world, bytes, size, &err) == TN_OK);
        for (int k = 0; k < UNLESS_SANITIZED(30, 4); k++) {
            tn_world_step(a.world);
            tn_world_step(b.world);
            check_same_state(&a, &b, scenes[i].name);
        }
        free(bytes);
        text_close(&a);
        text_close(&b);
    }
}

/* The force moves the body at 7e9 m/s after one sub-step, which makes sense yet, and at more than
 * 1e10 after the next. */
TEST(a_refused_substep_takes_the_whole_step_back)
{
    for (int i = 0; i < SCENES; i++) {
        TextScene s, other;
        void *before, *after;
        REQUIRE(open_scene(&s, 0.01, 4, scenes[i].parts) &&
                open_scene(&other, 0.01, 4, scenes[i].parts));
        for (int k = 0; k < 5; k++) {
            tn_world_step(s.world);
            tn_world_step(other.world);
        }
        TnBodyId body = tn_model_find_body(s.model, "a");
        double mass = tn_model_body_info(s.model, body).mass;
        const double force = 7e9 * mass / 0.0025, huge[3] = {force, force, force}, none[3] = {0};
        size_t size = save(s.world, &before);
        tn_world_apply_wrench(s.world, body, huge, none);
        TnStepReport report = tn_world_step(s.world);
        CHECK(report.diverged && !report.converged);
        CHECK(report.energy.applied == 0.0 && report.energy.created == 0.0);
        CHECK(save(s.world, &after) == size && memcmp(before, after, size) == 0);
        for (int k = 0; k < 5; k++) {
            CHECK(!tn_world_step(s.world).diverged);
            tn_world_step(other.world);
            check_same_state(&s, &other, scenes[i].name);
        }
        free(before);
        free(after);
        text_close(&s);
        text_close(&other);
    }
}

/* n³ balls in a tray of four walls. */
static TnModel *pile(int n)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    const double wall[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double side = 0.0201 * n * 0.5 + 0.001;
    for (int i = 0; i < 4; i++) {
        TnGeomDef geom = tn_geom_def();
        geom.type = TN_GEOM_BOX;
        geom.size[2] = 0.5;
        for (int k = 0; k < 2; k++) {
            geom.pos[k] = wall[i][k] * (side + 0.01);
            geom.size[k] = wall[i][k] != 0.0 ? 0.01 : side + 0.02;
        }
        tn_builder_add_geom(scene.builder, &geom);
    }
    for (int i = 0; i < n * n * n; i++) {
        double pos[3] = {0.0201 * (i % n - 0.5 * (n - 1)) + 0.001 * (i % 7) / 7.0,
                         0.0201 * (i / n % n - 0.5 * (n - 1)),
                         0.011 + 0.0201 * (i / n / n) + 0.0002 * (i % 5)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.004, pos, 0.5, 0.0);
    }
    return scene_compile(&scene);
}

TEST(one_to_eight_threads_give_the_same_hash)
{
    TnModel *model = pile(13);
    uint64_t first = 0;
    REQUIRE(model);
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        def.substeps = 3;
        def.solver.iterations = 10;
        def.solver.tolerance = 0;
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        for (int k = 0; k < UNLESS_SANITIZED(8, 5); k++) tn_world_step(world);
        CHECK(tn_world_contact_count(world) > 2500);
        if (threads == 1) first = tn_world_hash(world);
        CHECK(tn_world_hash(world) == first);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}

TEST(a_warm_step_allocates_nothing)
{
    TnModel *model = pile(5);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.substeps = 4;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    int fallbacks = 0;
    for (int k = 0; k < UNLESS_SANITIZED(100, 40); k++) tn_world_step(world);
    long before = tn_malloc_count();
    for (int k = 0; k < UNLESS_SANITIZED(100, 10); k++)
        fallbacks += tn_world_step(world).heap_fallbacks;
    CHECK(tn_malloc_count() == before);
    CHECK(fallbacks == 0);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(without_memory_a_world_is_refused_or_its_steps_are)
{
    TnError err = {0};
    char text[4096];
    snprintf(text, sizeof text, "<mujoco><option timestep='.01'/>%s</mujoco>", stack);
    TnModel *model = load_text(text, &err);
    TnWorldDef def = tn_world_def();
    def.substeps = 2;
    bool done = false;
    for (long calls = 0; !done && calls < 2000; calls++) {
        tn_malloc_fail_after(calls);
        TnWorld *world = tn_world_create(&def, model, &err);
        TnStepReport report = {.diverged = true};
        uint64_t hash = world ? tn_world_hash(world) : 0;
        if (world) report = tn_world_step(world);
        tn_malloc_fail_after(-1);
        if (world && report.diverged) CHECK(tn_world_hash(world) == hash);
        done = world && !report.diverged;
        tn_world_destroy(world);
    }
    CHECK(done);
    tn_model_destroy(model);
}

/* ---- settings ---- */

TEST(the_model_says_how_many_unless_the_world_does)
{
    TextScene s;
    TnWorldDef def = tn_world_def();
    char parts[4096];
    snprintf(parts, sizeof parts, "%s<tenon substeps='3'/>", pendulum);
    CHECK(def.substeps == 0 && tn_option().substeps == 1);
    for (int asked = 0; asked <= 5; asked++) {
        def.substeps = asked;
        REQUIRE(text_open_of(&s, 0.01, "0 0 -9.81", parts, def));
        CHECK(tn_world_substeps(s.world) == (asked ? asked : 3));
        CHECK(tn_model_info(s.model).option.substeps == 3);
        text_close(&s);
    }
    REQUIRE(text_open(&s, 0.01, "0 0 -9.81", pendulum));
    CHECK(tn_world_substeps(s.world) == 1);
    for (int wrong = -1; wrong <= 101; wrong += 102) {
        TnError err = {0};
        def.substeps = wrong;
        CHECK(!tn_world_create(&def, s.model, &err));
        CHECK_STR(err.message, "substeps");
    }
    text_close(&s);
}

TEST(controls_hold_for_the_whole_step)
{
    TextScene one, many;
    REQUIRE(open_scene(&one, 0.01, 4, robot) && open_scene(&many, 0.0025, 1, robot));
    TnError err = {0};
    for (int k = 0; k < 30; k++) {
        const double ctrl[2] = {0.1 * k, -0.05 * k};
        CHECK(tn_world_set_ctrl(one.world, ctrl, &err) == TN_OK);
        CHECK(tn_world_set_ctrl(many.world, ctrl, &err) == TN_OK);
        tn_world_step(one.world);
        for (int j = 0; j < 4; j++) tn_world_step(many.world);
        check_same_state(&one, &many, "robot");
    }
    text_close(&one);
    text_close(&many);
}

/* What holds in a step is what the track has at its start. */
TEST(a_control_track_is_followed_step_by_step)
{
    TnError err = {0};
    TnModel *model = tn_model_load(DATA("track.xml"), &err);
    TnWorldDef def = tn_world_def();
    TnWorld *whole = tn_world_create(&def, model, &err);
    def.substeps = 4;
    TnWorld *parts = tn_world_create(&def, model, &err);
    REQUIRE(whole && parts);
    int changed = 0;
    for (int k = 0; k < 100; k++) {
        double before = tn_world_state(parts).ctrl[0];
        tn_world_step(whole);
        tn_world_step(parts);
        TnStateView a = tn_world_state(whole), b = tn_world_state(parts);
        CHECK(memcmp(a.ctrl, b.ctrl, sizeof(double) * (size_t)a.ctrl_count) == 0);
        changed += b.ctrl[0] != before;
    }
    CHECK(changed > 10);
    tn_world_destroy(whole);
    tn_world_destroy(parts);
    tn_model_destroy(model);
}

/* The constraint that is named is that of the largest error, in whichever sub-step. */
TEST(the_worst_constraint_of_all_substeps_is_named)
{
    TnModel *model = pile(5);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.substeps = 4;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    int earlier = 0;
    for (int k = 0; k < 30; k++) {
        char text[256];
        TnStepReport report = tn_world_step(world);
        earlier += report.worst_island == TN_WORST_EARLIER;
        tn_world_worst_constraint(world, report.worst_island, text, sizeof text);
        if (report.error > 0.0) CHECK_STR(text, "contact of geom");
        if (report.worst_island >= 0)
            CHECK(tn_world_island(world, report.worst_island).error == report.error);
    }
    CHECK(earlier > 0 && earlier < 30);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
