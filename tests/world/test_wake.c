/* Sleeping: what wakes whom, with which forces, and that threads and restoring change no bit. */
#include "../check.h"

#include "sleep_scene.h"

#include "base/base.h"

TEST(robots_sleep_only_where_asked_to_and_wake_when_their_controls_change)
{
    TnModel *model = pole(-0.5, 0.0, 0.0, true, false);
    TnWorld *world = make(model, TN_SLEEP_PASSIVE, 0.0);
    CHECK(steps(world, 2.0).asleep_count == 0);
    tn_world_destroy(world);
    world = make(model, TN_SLEEP_ALL, 0.0);
    CHECK(steps(world, 2.0).asleep_count == 1);
    double ctrl = 0.0;
    CHECK(tn_world_set_ctrl(world, &ctrl, NULL) == TN_OK); /* what it is already */
    CHECK(tn_world_step(world).asleep_count == 1);
    ctrl = 0.1;
    CHECK(tn_world_set_ctrl(world, &ctrl, NULL) == TN_OK);
    CHECK(tn_world_step(world).asleep_count == 0);
    CHECK(steps(world, 6.0).asleep_count == 1);
    CHECK(tn_world_state(world).qpos[0] > 0.05);
    tn_world_destroy(world);
    tn_model_destroy(model);

    model = pole(-0.5, 0.0, 0.0, true, true); /* its track begins to move after 4 s */
    world = make(model, TN_SLEEP_ALL, 0.0);
    CHECK(steps(world, 3.9).asleep_count == 1);
    CHECK(steps(world, 0.2).asleep_count == 0);
    CHECK(steps(world, 0.9).asleep_count == 0);
    CHECK(tn_world_state(world).qpos[0] > 0.05);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(calls_that_change_something_wake_what_they_change)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    TnBodyId first = stack(&scene, 0, 0, 2), other = stack(&scene, 1, 0, 2);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = make(model, TN_SLEEP_PASSIVE, 0.0);
    const double none[3] = {0}, push[3] = {1.0, 0, 0};
    CHECK(steps(world, 1.0).asleep_count == 4);
    tn_world_apply_wrench(world, first, none, none);
    CHECK(tn_world_step(world).asleep_count == 4);
    tn_world_apply_wrench(world, first + 1, push, none);
    CHECK(!any_asleep(world, first, 2) && all_asleep(world, other, 2));
    tn_world_step(world);
    CHECK(!any_asleep(world, first, 2));
    /* a force in every step keeps awake, however slow it is */
    for (int k = 0; k < 200; k++) {
        tn_world_apply_wrench(world, first + 1, push, none);
        tn_world_step(world);
    }
    CHECK(!any_asleep(world, first, 2) && all_asleep(world, other, 2));
    CHECK(steps(world, 1.0).asleep_count == 4);
    tn_world_wake(world, TN_BODY_WORLD); /* does not sleep */
    CHECK(tn_world_step(world).asleep_count == 4);
    tn_world_wake(world, 0);
    CHECK(tn_world_step(world).asleep_count == 0);
    CHECK(steps(world, 1.0).asleep_count == 4);
    TnStateView view = tn_world_state(world);
    double *qpos = copy(view.qpos, view.qpos_count);
    CHECK(tn_world_set_state(world, qpos, NULL, NULL) == TN_OK);
    CHECK(tn_world_step(world).asleep_count == 0);
    CHECK(steps(world, 1.0).asleep_count == 4);
    tn_world_reset(world, 0);
    CHECK(tn_world_step(world).asleep_count == 0);
    free(qpos);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(equalities_make_one_island)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    TnBodyId first = stack(&scene, 0, 0, 1);
    TnBodyId second = stack(&scene, 0.5, 0, 1);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = first;
    weld.body2 = second;
    tn_builder_add_equality(scene.builder, &weld);
    TnBodyId third = stack(&scene, 1.0, 0, 1);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = make(model, TN_SLEEP_PASSIVE, 0.0);
    CHECK(steps(world, 1.0).asleep_count == 3);
    tn_world_wake(world, second);
    CHECK(!tn_world_body_asleep(world, first) && tn_world_body_asleep(world, third));
    CHECK(steps(world, 1.0).asleep_count == 3);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A box that hangs from the world by one point: with five iterations per step it depends on the
 * force of the step before. */
TEST(rows_wake_with_the_forces_they_had)
{
    Scene scene = scene_begin();
    TnBodyId box = scene_free(&scene, TN_GEOM_BOX, (double[3]){HALF, HALF, HALF}, 1.0,
                              (double[3]){0, 0, 1.0}, 0.5, 0.0);
    TnEqualityDef connect = tn_equality_def();
    connect.type = TN_EQUALITY_CONNECT;
    connect.body1 = box;
    tn_builder_add_equality(scene.builder, &connect);
    stack(&scene, 1, 0, 1); /* falls for ever: somebody is awake in all steps */
    TnModel *model = scene_compile(&scene);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    def.solver.tolerance = 0.0;
    def.solver.iterations = 5;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    CHECK(steps(world, 6.0).asleep_count == 1);
    tn_world_wake(world, box);
    double most = 0.0;
    for (int k = 0; k < 10; k++) {
        double v[3], w[3];
        tn_world_step(world);
        tn_world_body_velocity(world, box, v, w);
        most = fmax(most, fabs(v[2]));
    }
    CHECK(most < 1e-5); /* a cold start moves with 0.02 m/s */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Sleeping stacks, and a ball that is to roll into the first of them. */
static TnModel *alley(int stacks, int high)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    for (int i = 0; i < stacks; i++) stack(&scene, 0.3 * (i % 20), 0.3 * (i / 20), high);
    ball(&scene, -1.0, 0.0, 0.04, 0.5);
    return scene_compile(&scene);
}

static void throw_ball(TnWorld *world)
{
    TnStateView view = tn_world_state(world);
    double *qvel = copy(view.qvel, view.dof_count);
    qvel[view.dof_count - 6] = 0.7; /* it is the last body */
    qvel[view.dof_count - 2] = 0.7 / 0.04;
    CHECK(tn_world_set_state(world, NULL, qvel, NULL) == TN_OK);
    free(qvel);
}

TEST(one_to_eight_threads_fall_asleep_and_wake_with_the_same_hash)
{
    TnModel *model = alley(UNLESS_SANITIZED(260, 40), 4);
    uint64_t first = 0;
    int asleep = 0, awake = 0;
    for (int threads = 1; threads <= 8; threads *= UNLESS_SANITIZED(2, 4)) {
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        def.solver.iterations = 20;
        def.solver.tolerance = 0.0;
        def.sleep = TN_SLEEP_PASSIVE;
        def.sleep_time = 0.1; /* sooner than usual, for the test's sake */
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        throw_ball(world);
        for (int k = 0; k < 160; k++) {
            TnStepReport report = tn_world_step(world);
            if (report.asleep_count > asleep) asleep = report.asleep_count;
            if (k == 159) awake = asleep - report.asleep_count;
        }
        uint64_t hash = tn_world_hash(world);
        if (threads == 1) first = hash;
        CHECK(hash == first);
        tn_world_destroy(world);
    }
    CHECK(asleep > 100 && awake >= 4); /* the ball was there */
    tn_model_destroy(model);
}

TEST(a_world_saved_asleep_continues_bit_for_bit)
{
    for (int pass = 0; pass < 2; pass++) {
        TnModel *model = alley(6, 3);
        TnError err = {0};
        TnWorld *world = make(model, TN_SLEEP_PASSIVE, pass ? 1e-6 : 0.0),
                *other = make(model, TN_SLEEP_PASSIVE, pass ? 1e-6 : 0.0);
        throw_ball(world);
        CHECK(steps(world, 1.1).asleep_count == 18);
        size_t size = tn_world_save_size(world);
        void *buffer = malloc(size);
        REQUIRE(tn_world_save(world, buffer, size, &err) == TN_OK);
        /* the other one's stacks sleep elsewhere */
        TnStateView view = tn_world_state(other);
        double *qpos = copy(view.qpos, view.qpos_count);
        for (int i = 0; i < 18; i++) qpos[7 * i] += 0.1;
        CHECK(tn_world_set_state(other, qpos, NULL, &err) == TN_OK);
        free(qpos);
        int count = 0;
        for (int k = 0; k < 150; k++) { /* while the ball is awake */
            tn_world_apply_wrench(other, 20, (const double[3]){1e-3, 0, 0}, (const double[3]){0});
            count = tn_world_step(other).asleep_count;
        }
        CHECK(count == 18);
        REQUIRE(tn_world_restore(other, buffer, size, &err) == TN_OK);
        int least = 18;
        for (int k = 0; k < 80; k++) { /* the ball comes */
            TnStepReport a = tn_world_step(world), b = tn_world_step(other);
            CHECK(a.asleep_count == b.asleep_count);
            if (a.asleep_count < least) least = a.asleep_count;
        }
        CHECK(least < 18);
        CHECK(tn_world_hash(world) == tn_world_hash(other));
        /* a world in which nobody sleeps takes it too */
        TnWorld *off = make(model, TN_SLEEP_OFF, 0.0);
        REQUIRE(tn_world_restore(off, buffer, size, &err) == TN_OK);
        CHECK(tn_world_step(off).asleep_count == 0);
        free(buffer);
        tn_world_destroy(world);
        tn_world_destroy(other);
        tn_world_destroy(off);
        tn_model_destroy(model);
    }
}

TEST(a_warm_step_allocates_nothing_with_sleepers)
{
    TnModel *model = alley(10, 3);
    TnWorld *world = make(model, TN_SLEEP_PASSIVE, 0.0);
    throw_ball(world);
    CHECK(steps(world, 1.1).asleep_count == 30);
    long before = tn_malloc_count();
    int fallbacks = 0, awake = 0;
    for (int k = 0; k < 100; k++) { /* the ball wakes some of them */
        TnStepReport report = tn_world_step(world);
        fallbacks += report.heap_fallbacks;
        if (report.asleep_count < 30) awake++;
    }
    CHECK(awake > 0);
    CHECK(tn_malloc_count() == before);
    CHECK(fallbacks == 0);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(without_memory_a_world_with_sleep_is_refused_or_goes_on)
{
    TnModel *model = alley(2, 2);
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    def.sleep_time = 0.02;
    def.solver.tolerance = 0.0;
    bool made = false;
    for (long calls = 0; !made && calls < 1000; calls++) {
        TnError err = {0};
        tn_malloc_fail_after(calls);
        TnWorld *world = tn_world_create(&def, model, &err);
        tn_malloc_fail_after(-1);
        made = world != NULL;
        if (!made) CHECK(err.code == TN_ERROR_MEMORY);
        tn_world_destroy(world);
    }
    CHECK(made);
    /* contacts that cannot be put aside: the step is refused */
    for (long calls = 0; calls < 12; calls++) {
        TnWorld *world = tn_world_create(&def, model, NULL);
        REQUIRE(world);
        tn_world_step(world);
        tn_malloc_fail_after(calls);
        for (int k = 0; k < 4; k++) tn_world_step(world);
        tn_world_wake(world, 0);
        tn_malloc_fail_after(-1);
        CHECK(!tn_world_step(world).diverged);
        CHECK(steps(world, 1.0).asleep_count == 5);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}
