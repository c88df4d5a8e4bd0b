/* What a world promises beside physics: no allocation when warm, the same bits for any number of
 * threads, exact restore, refusal of non-finite states. */
#include "../check.h"

#include "../step/scene.h"

#include "base/base.h"
#include "baselines/baselines.h"

/* A pile of n³ balls over a tray, and a two-link pendulum that stirs it. */
static TnModel *pile(int n)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    const double wall[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double side = 0.0201 * n * 0.5 + 0.001;
    for (int i = 0; i < 4; i++) {
        TnGeomDef geom = tn_geom_def();
        geom.body = TN_BODY_WORLD;
        geom.type = TN_GEOM_BOX;
        geom.pos[0] = wall[i][0] * (side + 0.01);
        geom.pos[1] = wall[i][1] * (side + 0.01);
        geom.size[0] = wall[i][0] != 0.0 ? 0.01 : side + 0.02;
        geom.size[1] = wall[i][1] != 0.0 ? 0.01 : side + 0.02;
        geom.size[2] = 0.5;
        tn_builder_add_geom(scene.builder, &geom);
    }
    for (int i = 0; i < n * n * n; i++) {
        double pos[3] = {0.0201 * (i % n - 0.5 * (n - 1)) + 0.001 * (i % 7) / 7.0,
                         0.0201 * (i / n % n - 0.5 * (n - 1)),
                         0.011 + 0.0201 * (i / n / n) + 0.0002 * (i % 5)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.004, pos, 0.5, 0.0);
    }
    TnBodyId parent = TN_BODY_WORLD;
    for (int i = 0; i < 2; i++) {
        TnBodyDef body = tn_body_def();
        body.parent = parent;
        body.pos[2] = i ? -0.1 : 0.25;
        parent = tn_builder_add_body(scene.builder, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = parent;
        joint.axis[0] = i ? 0.0 : 1.0;
        joint.axis[1] = i ? 1.0 : 0.0;
        joint.axis[2] = 0.0;
        joint.limited = true;
        joint.range[0] = -0.4;
        joint.range[1] = 0.4;
        joint.friction_loss = 0.001;
        tn_builder_add_joint(scene.builder, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = parent;
        geom.type = TN_GEOM_CAPSULE;
        geom.pos[2] = -0.05;
        geom.size[0] = 0.008;
        geom.size[1] = 0.05;
        tn_builder_add_geom(scene.builder, &geom);
    }
    return scene_compile(&scene);
}

TEST(a_warm_step_allocates_nothing)
{
    TnModel *model = pile(6);
    TnWorld *world = scene_world(model, 30);
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

/* Large enough that all stages share their work among eight threads, or four; and the most there
 * may be. */
TEST(one_to_sixty_four_threads_give_the_same_hash)
{
    TnModel *model = pile(UNLESS_SANITIZED(16, 12));
    uint64_t first = 0;
    for (int threads = 1; threads <= 64;
         threads = threads < 8 ? MORE_THREADS(threads) : UNLESS_SANITIZED(56, 64) + threads) {
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        def.solver.iterations = 10;
        def.solver.tolerance = 0;
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        for (int k = 0; k < UNLESS_SANITIZED(15, 4); k++) tn_world_step(world);
        CHECK(tn_world_contact_count(world) > UNLESS_SANITIZED(8000, 3000));
        if (threads == 1) first = tn_world_hash(world);
        CHECK(tn_world_hash(world) == first);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}

TEST(a_restored_world_continues_bit_for_bit)
{
    enum { STEPS = UNLESS_SANITIZED(60, 15) };
    TnModel *model = pile(4);
    TnWorld *world = scene_world(model, 20), *other = scene_world(model, 20);
    TnError err = {0};
    for (int k = 0; k < STEPS; k++) tn_world_step(world);
    size_t size = tn_world_save_size(world);
    void *buffer = malloc(size);
    REQUIRE(tn_world_save(world, buffer, size, &err) == TN_OK);
    for (int k = 0; k < STEPS; k++) tn_world_step(world);
    uint64_t hash = tn_world_hash(world);
    REQUIRE(tn_world_restore(world, buffer, size, &err) == TN_OK);
    REQUIRE(tn_world_restore(other, buffer, size, &err) == TN_OK);
    for (int k = 0; k < STEPS; k++) {
        tn_world_step(world);
        tn_world_step(other);
    }
    CHECK(tn_world_hash(world) == hash);
    CHECK(tn_world_hash(other) == hash);
    free(buffer);
    tn_world_destroy(world);
    tn_world_destroy(other);
    tn_model_destroy(model);
}

TEST(a_step_that_would_not_be_finite_is_refused)
{
    TnModel *model = pile(2);
    TnWorld *world = scene_world(model, 20);
    for (int k = 0; k < 5; k++) tn_world_step(world);
    uint64_t hash = tn_world_hash(world);
    const double huge[3] = {1e308, 1e308, 1e308}, zero[3] = {0};
    for (int i = 0; i < 10; i++) tn_world_apply_wrench(world, 2, huge, zero);
    TnStepReport report = tn_world_step(world);
    CHECK(report.diverged);
    CHECK(!report.converged);
    CHECK(tn_world_hash(world) == hash);
    report = tn_world_step(world); /* the wrench was for one step: the next one is fine */
    CHECK(!report.diverged);
    CHECK(tn_world_hash(world) != hash);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(bad_definitions_and_states_say_what_is_wrong)
{
    TnModel *model = pile(2);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.thread_count = 0;
    def.key = 3;
    def.solver.iterations = -1;
    CHECK(!tn_world_create(&def, model, &err));
    CHECK(err.code == TN_ERROR_USAGE && err.count == 3);
    CHECK_STR(err.message, "thread_count is 0");
    CHECK_STR(err.message, "keyframe 3");

    err = (TnError){.code = TN_ERROR_MODEL, .count = 1, .message = "from the loader"};
    def = tn_world_def();
    CHECK(!tn_world_create(&def, NULL, &err)); /* a NULL model hands its error on */
    CHECK(err.code == TN_ERROR_MODEL && err.count == 1);

    err = (TnError){0};
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    uint64_t hash = tn_world_hash(world);
    double qpos[64];
    memcpy(qpos, tn_world_state(world).qpos,
           sizeof(double) * (size_t)tn_world_state(world).qpos_count);
    qpos[2] = NAN;
    CHECK(tn_world_set_state(world, qpos, NULL, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "qpos[2]");
    qpos[2] = 0.0;
    for (int k = 3; k < 7; k++) qpos[k] = 0.0;
    CHECK(tn_world_set_state(world, qpos, NULL, &err) == TN_ERROR_USAGE);
    CHECK(tn_world_hash(world) == hash);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(two_worlds_share_a_model_and_do_not_meet)
{
    TnModel *model = pile(3);
    TnWorld *a = scene_world(model, 20), *b = scene_world(model, 20);
    for (int k = 0; k < 30; k++) tn_world_step(a);
    for (int k = 0; k < 30; k++) tn_world_step(b);
    CHECK(tn_world_hash(a) == tn_world_hash(b));
    tn_world_destroy(a);
    tn_world_destroy(b);
    tn_model_destroy(model);
}

TEST(every_failed_allocation_leaves_nothing_half_made)
{
    TnModel *model = pile(2);
    TnWorldDef def = tn_world_def();
    int created = 0;
    for (long calls = 0; calls < 80; calls++) {
        TnError err = {0};
        tn_malloc_fail_after(calls);
        TnWorld *world = tn_world_create(&def, model, &err);
        if (world) {
            created++;
            tn_world_step(world); /* may fail for want of memory; must not crash */
            tn_world_body_reaction(world, 2);
        } else {
            CHECK(err.code == TN_ERROR_MEMORY);
        }
        tn_malloc_fail_after(-1);
        if (world) CHECK(!tn_world_step(world).diverged);
        if (world) CHECK(tn_world_body_reaction(world, 2).known);
        tn_world_destroy(world);
    }
    CHECK(created > 0);
    tn_model_destroy(model);
}

TEST(the_solver_can_be_changed_between_steps)
{
    TnModel *model = pile(3);
    TnWorld *world = scene_world_of(model, 20, 0.0);
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    def.tolerance = 0.0;
    def.iterations = 7;
    def.method = TN_METHOD_OWN;
    def.own = &tn_own_paper_form;
    CHECK(tn_world_step(world).iterations == 20);
    CHECK(tn_world_set_solver(world, &def, &err) == TN_OK);
    CHECK(tn_world_step(world).iterations == 7);
    def.over_relaxation = 3.0;
    def.iterations = 9;
    CHECK(tn_world_set_solver(world, &def, &err) == TN_ERROR_USAGE);
    CHECK(tn_world_step(world).iterations == 7); /* a refused one changes nothing */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static void count_line(void *user, TnLogLevel level, const char *message)
{
    if (level == TN_LOG_WARNING && strstr(message, "refused")) ++*(int *)user;
}

TEST(a_refused_step_is_logged)
{
    TnModel *model = pile(2);
    TnError err = {0};
    int lines = 0;
    TnWorldDef def = tn_world_def();
    def.log = count_line;
    def.log_user = &lines;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    tn_world_step(world);
    CHECK(lines == 0);
    tn_world_apply_wrench(world, 2, (double[3]){1e308, 1e308, 1e308}, (double[3]){0});
    tn_world_apply_wrench(world, 2, (double[3]){1e308, 1e308, 1e308}, (double[3]){0});
    CHECK(tn_world_step(world).diverged);
    CHECK(lines == 1);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
