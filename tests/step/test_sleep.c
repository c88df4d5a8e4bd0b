/* Sleeping: who falls asleep and when, what wakes them, and that those who are awake never notice. */
#include "../check.h"

#include "scene.h"

#include "base/base.h"

#define HALF 0.05 /* of the boxes, m */
#define TIMESTEP 0.01

static TnWorld *make(const TnModel *model, TnSleep sleep, double tolerance)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.sleep = sleep;
    def.solver.iterations = 60;
    def.solver.tolerance = tolerance;
    def.solver.anderson = 0; /* with a fixed count it is one for all, down to rounding */
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) printf("    %s\n", err.message);
    return world;
}

static TnStepReport steps(TnWorld *world, double seconds)
{
    TnStepReport report = {0};
    int count = (int)(seconds / TIMESTEP + 0.5);
    for (int k = 0; k < count; k++) report = tn_world_step(world);
    return report;
}

/* A stack of boxes; the lowest one's id. */
static TnBodyId stack(Scene *scene, double x, double y, int high)
{
    TnBodyId first = 0;
    for (int k = 0; k < high; k++) {
        TnBodyId id = scene_free(scene, TN_GEOM_BOX, (double[3]){HALF, HALF, HALF}, 1.0,
                                 (double[3]){x, y, HALF + 2 * HALF * k}, 0.6, 0.0);
        if (k == 0) first = id;
    }
    return first;
}

static TnBodyId ball(Scene *scene, double x, double y, double z, double friction)
{
    return scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.04, 0, 0}, 0.5, (double[3]){x, y, z},
                      friction, 0.0);
}

static bool any_asleep(const TnWorld *world, TnBodyId first, int count)
{
    for (int k = 0; k < count; k++)
        if (tn_world_body_asleep(world, first + k)) return true;
    return false;
}

static bool all_asleep(const TnWorld *world, TnBodyId first, int count)
{
    for (int k = 0; k < count; k++)
        if (!tn_world_body_asleep(world, first + k)) return false;
    return true;
}

static double *copy(const double *values, int count)
{
    double *out = malloc(sizeof *out * (size_t)(count + 1));
    memcpy(out, values, sizeof *out * (size_t)count);
    return out;
}

TEST(nobody_sleeps_unless_asked_to)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    TnBodyId first = stack(&scene, 0, 0, 2);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = make(model, TN_SLEEP_OFF, 0.0);
    CHECK(steps(world, 2.0).asleep_count == 0);
    CHECK(!any_asleep(world, first, 2));
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_resting_stack_falls_asleep_after_half_a_second_and_stays_as_it_is)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    TnBodyId first = stack(&scene, 0, 0, 3);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = make(model, TN_SLEEP_PASSIVE, 0.0);
    CHECK(steps(world, 0.48).asleep_count == 0);
    TnStepReport report = steps(world, 0.5);
    CHECK(report.asleep_count == 3);
    CHECK(all_asleep(world, first, 3));
    CHECK(!tn_world_body_asleep(world, TN_BODY_WORLD));
    TnStateView view = tn_world_state(world);
    for (int k = 0; k < view.dof_count; k++) CHECK(view.qvel[k] == 0.0);
    double *before = copy(view.qpos, view.qpos_count), time = view.time;
    report = steps(world, 1.0);
    view = tn_world_state(world);
    CHECK(memcmp(before, view.qpos, sizeof(double) * (size_t)view.qpos_count) == 0);
    CHECK_NEAR(view.time, time + 1.0, 1e-12); /* sums of 0.01 s */
    CHECK(report.converged && !report.diverged && report.contact_count == 0);
    CHECK(tn_world_contact_count(world) == 0);
    free(before);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Positions and velocities of the bodies from `first` on. */
static bool same_bits(const TnWorld *a, const TnWorld *b, TnBodyId first, int count)
{
    for (int k = 0; k < count; k++) {
        double pa[3], qa[4], pb[3], qb[4], va[3], wa[3], vb[3], wb[3];
        tn_world_body_pose(a, first + k, pa, qa);
        tn_world_body_pose(b, first + k, pb, qb);
        tn_world_body_velocity(a, first + k, va, wa);
        tn_world_body_velocity(b, first + k, vb, wb);
        if (memcmp(pa, pb, sizeof pa) || memcmp(qa, qb, sizeof qa) || memcmp(va, vb, sizeof va) ||
            memcmp(wa, wb, sizeof wa))
            return false;
    }
    return true;
}

TEST(those_awake_have_the_same_bits_as_without_sleeping)
{
    for (int pass = 0; pass < 2; pass++) {
        Scene scene = scene_begin();
        scene_plane(&scene, 0.4);
        TnBodyId sleepers = stack(&scene, -0.5, 0.1, 4);
        stack(&scene, -0.5, 0.6, 2);
        TnBodyId rolling = ball(&scene, 0.0, 0.0, 0.04, 0.4);
        for (int k = 1; k < 8; k++) /* a heap that tumbles and is pushed along */
            scene_free(&scene, TN_GEOM_BOX, (double[3]){0.03, 0.04, 0.05}, 0.4,
                       (double[3]){0.3 + 0.03 * (k % 3), 0.02 * k, 0.1 + 0.11 * k}, 0.4, 0.0);
        TnModel *model = scene_compile(&scene);
        double tolerance = pass ? 1e-6 : 0.0;
        TnWorld *on = make(model, TN_SLEEP_PASSIVE, tolerance),
                *off = make(model, TN_SLEEP_OFF, tolerance);
        bool same = true, slept = false;
        const double push[3] = {0.3, 0.02, 0.1}, none[3] = {0};
        for (int k = 0; k < 250; k++) {
            TnWorld *both[2] = {on, off};
            for (int i = 0; i < 2; i++) {
                for (int b = 0; b < 8; b++) tn_world_apply_wrench(both[i], rolling + b, push, none);
                tn_world_step(both[i]);
            }
            same = same && same_bits(on, off, rolling, 8);
            slept = all_asleep(on, sleepers, 6);
            CHECK(!any_asleep(on, rolling, 8));
        }
        CHECK(same);
        CHECK(slept);
        tn_world_destroy(on);
        tn_world_destroy(off);
        tn_model_destroy(model);
    }
}

TEST(a_stack_that_slept_for_ten_seconds_is_where_one_is_that_never_did)
{
    for (int pass = 0; pass < 2; pass++) {
        Scene scene = scene_begin();
        scene_plane(&scene, 0.6);
        TnBodyId first = stack(&scene, 0.2, -0.3, 5);
        TnModel *model = scene_compile(&scene);
        /* 1e-6 leaves gaps of 3e-9 m alone, in which one that is awake wanders about */
        double tolerance = pass ? 1e-7 : 0.0;
        TnWorld *on = make(model, TN_SLEEP_PASSIVE, tolerance),
                *off = make(model, TN_SLEEP_OFF, tolerance);
        steps(on, 1.5);
        CHECK(all_asleep(on, first, 5));
        TnStateView a = tn_world_state(on);
        double *asleep = copy(a.qpos, a.qpos_count);
        steps(on, 10.0);
        steps(off, 11.5);
        tn_world_wake(on, first + 2);
        CHECK(!any_asleep(on, first, 5)); /* all of its island */
        a = tn_world_state(on);
        CHECK(memcmp(asleep, a.qpos, sizeof(double) * (size_t)a.qpos_count) == 0);
        tn_world_step(on);
        tn_world_step(off);
        /* the promise; two runs that end in the same rest differ by far less */
        TnStateView b = tn_world_state(off);
        for (int k = 0; k < a.qpos_count; k++) CHECK_NEAR(a.qpos[k], b.qpos[k], 1e-9);
        /* and it starts from the forces it had: no jolt. A cold start would sag by g t² = 1 mm; here errors of the solver
         * are left */
        for (int k = 0; k < a.dof_count; k++) CHECK_NEAR(a.qvel[k], 0.0, 1e-6);
        steps(on, 1.0);
        a = tn_world_state(on);
        for (int k = 0; k < a.qpos_count; k++) CHECK_NEAR(a.qpos[k], asleep[k], 1e-8);
        free(asleep);
        tn_world_destroy(on);
        tn_world_destroy(off);
        tn_model_destroy(model);
    }
}

TEST(a_touch_wakes_the_whole_stack_in_time_and_nobody_else)
{
    for (int pass = 0; pass < 2; pass++) {
        /* a lower and a higher slot than the boxes', by size: both orders of a pair */
        double radius = pass ? 0.2 : 0.04;
        Scene scene = scene_begin();
        scene_plane(&scene, 0.6);
        TnBodyId first = stack(&scene, 0, 0, 3), other = stack(&scene, 1, 0, 3);
        for (int k = 0; k < 30; k++) stack(&scene, 2 + 0.2 * k, 0, 1); /* enough for a grid */
        TnBodyId falling = scene_free(&scene, TN_GEOM_SPHERE, (double[3]){radius, 0, 0}, 0.5,
                                      (double[3]){0, 0, 0.3 + radius + 5.0}, 0.6, 0.0);
        TnModel *model = scene_compile(&scene);
        TnWorld *on = make(model, TN_SLEEP_PASSIVE, 1e-6), *off = make(model, TN_SLEEP_OFF, 1e-6);
        steps(on, 0.95);
        steps(off, 0.95);
        CHECK(all_asleep(on, first, 3) && all_asleep(on, other, 3));
        bool woke = false;
        for (int k = 0; k < 15; k++) { /* it takes 1.01 s */
            TnStepReport a = tn_world_step(on), b = tn_world_step(off);
            double pa[3], qa[4], pb[3], qb[4];
            if (any_asleep(on, first, 3)) CHECK(all_asleep(on, first, 3));
            if (!any_asleep(on, first, 3)) woke = true;
            /* boxes at rest sink by some nm */
            CHECK_NEAR(a.max_penetration, b.max_penetration, 1e-7);
            for (int body = 0; body < 3; body++) {
                tn_world_body_pose(on, first + body, pa, qa);
                tn_world_body_pose(off, first + body, pb, qb);
                for (int i = 0; i < 3; i++)
                    CHECK_NEAR(pa[i], pb[i], 1e-6); /* µm under a hit of 10 m/s */
            }
            tn_world_body_pose(on, falling, pa, qa);
            tn_world_body_pose(off, falling, pb, qb);
            CHECK_NEAR(pa[2], pb[2], 1e-6);
        }
        CHECK(woke);
        CHECK(all_asleep(on, other, 3));
        tn_world_destroy(on);
        tn_world_destroy(off);
        tn_model_destroy(model);
    }
}

TEST(what_floats_or_falls_or_slides_does_not_sleep)
{
    Scene scene = scene_begin();
    for (int k = 0; k < 3; k++) scene.option.gravity[k] = 0.0;
    stack(&scene, 0, 0, 2); /* two that touch, far from anything fixed */
    ball(&scene, 1, 0, 1, 0.5);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = make(model, TN_SLEEP_ALL, 0.0);
    CHECK(steps(world, 2.0).asleep_count == 0);
    tn_world_destroy(world);
    tn_model_destroy(model);

    /* A slope of 2e-5 without friction: after 4 s it has 8e-5 m/s, less than sleep_speed. */
    scene = scene_begin();
    scene.option.gravity[0] = 2e-5;
    scene_plane(&scene, 0.0);
    TnBodyId box = scene_free(&scene, TN_GEOM_BOX, (double[3]){HALF, HALF, HALF}, 1.0,
                              (double[3]){0, 0, HALF}, 0.0, 0.0);
    model = scene_compile(&scene);
    world = make(model, TN_SLEEP_ALL, 1e-6);
    double v[3], w[3];
    CHECK(steps(world, 4.0).asleep_count == 0);
    tn_world_body_velocity(world, box, v, w);
    CHECK_NEAR(v[0], 8e-5, 1e-6); /* it goes on all the time; 1e-6: what the solver may leave */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A pole on a hinge, upwards or hanging, turned by `angle`. */
static TnModel *pole(double length, double angle, double damping, bool servo, bool track)
{
    Scene scene = scene_begin();
    TnBodyDef body = tn_body_def();
    TnBodyId id = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.damping = damping;
    TnJointId hinge = tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.type = TN_GEOM_CAPSULE;
    geom.pos[2] = 0.5 * length;
    geom.size[0] = 0.01;
    geom.size[1] = 0.5 * fabs(length);
    geom.mass = 1.0;
    tn_builder_add_geom(scene.builder, &geom);
    TnKeyDef key = tn_key_def();
    key.qpos = &angle;
    key.qpos_count = 1;
    tn_builder_add_key(scene.builder, &key);
    if (servo) {
        TnActuatorDef actuator = tn_actuator_def();
        actuator.joint = hinge;
        actuator.gain = 50.0;
        actuator.bias[1] = -50.0;
        actuator.bias[2] = -10.0;
        tn_builder_add_actuator(scene.builder, &actuator);
    }
    if (track) {
        TnTrackDef def = tn_track_def();
        def.row_count = 3;
        def.times = (const double[3]){0.0, 4.0, 5.0};
        def.ctrl = (const double[3]){0.0, 0.0, 0.2};
        tn_builder_set_track(scene.builder, &def);
    }
    return scene_compile(&scene);
}

TEST(a_pole_on_its_tip_falls_however_slowly_it_begins)
{
    /* From 1e-6 rad it is slower than sleep_speed for 0.8 s. */
    TnModel *model = pole(1.0, 1e-6, 0.0, false, false);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_ALL;
    def.key = 1;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    CHECK(steps(world, 4.0).asleep_count == 0);
    CHECK(fabs(tn_world_state(world).qpos[0]) > 0.5);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_pendulum_sleeps_when_it_hangs_and_not_where_it_turns_back)
{
    TnModel *model = pole(-1.0, 0.3, 2.0, false, false);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    def.key = 1;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    int k = 0;
    while (k < 3000 && tn_world_step(world).asleep_count == 0) k++;
    CHECK(k > 100 && k < 3000);
    /* at rest within sleep_speed: 1e-4 m/s at a frequency of 3.8/s and 1 m are 3e-5 rad */
    CHECK(fabs(tn_world_state(world).qpos[0]) < 3e-5);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

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

/* A box that hangs from the world by one point: with five iterations per step it depends on the force of the
 * step before. */
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
    for (int threads = 1; threads <= 8; threads *= 2) {
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

/* ---- cables and soft bodies ---- */

static void add_rod(Scene *scene, double y, int group_size)
{
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 8;
    rod.start[1] = rod.end[1] = y;
    rod.start[2] = rod.end[2] = rod.radius;
    rod.end[0] = 0.4;
    rod.group_size = group_size;
    tn_builder_add_rod(scene->builder, &rod);
}

static void add_soft(Scene *scene, double y, int pieces)
{
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((const double[3]){0.06, 0.06, 0.03}, (const int[3]){3, 3, 2}, 6,
                          &soft.mesh, &err));
    soft.pos[1] = y;
    soft.pos[2] = 0.03;
    soft.pieces = pieces;
    soft.damping_stiffness = 0.02;
    tn_builder_add_soft(scene->builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
}

TEST(cables_and_soft_bodies_sleep_and_wake)
{
    for (int pass = 0; pass < 2; pass++) {
        Scene scene = scene_begin();
        scene_plane(&scene, 0.6);
        add_rod(&scene, 0.0, pass ? 4 : 0);
        add_soft(&scene, 0.5, pass ? 2 : 0);
        TnBodyId falling = ball(&scene, 0.0, 0.5, 0.06 + 0.04 + 18.0, 0.5);
        TnBodyId second = ball(&scene, 0.2, 0.0, 0.02 + 0.04 + 18.5, 0.5);
        TnModel *model = scene_compile(&scene);
        REQUIRE(model);
        TnWorld *on = make(model, TN_SLEEP_PASSIVE, 0.0), *off = make(model, TN_SLEEP_OFF, 0.0);
        CHECK(steps(off, 1.85).asleep_count == 0);
        CHECK(steps(on, 1.85).asleep_count == 2);
        TnStateView a = tn_world_state(on);
        for (int k = 0; k < a.dof_count;
             k++) /* the balls are between the cable and the soft body */
            CHECK(a.qvel[k] == 0.0 || (k >= 48 && k < 60));
        CHECK(same_bits(on, off, falling, 2));
        int woke = 0;
        for (int k = 0; k < 20; k++) { /* the first lands after 1.916 s, the second after 1.942 */
            int count = tn_world_step(on).asleep_count;
            tn_world_step(off);
            if (count == 1) woke |= 1;
            if (count == 0) woke |= 2;
        }
        CHECK(woke == 3);
        double pa[3], pb[3], q[4];
        tn_world_body_pose(on, falling, pa, q);
        tn_world_body_pose(off, falling, pb, q);
        CHECK_NEAR(pa[2], pb[2], 1e-3); /* hit at 19 m/s: 0.2 m per step, and it is chaotic */
        tn_world_body_pose(on, second, pa, q);
        tn_world_body_pose(off, second, pb, q);
        CHECK_NEAR(pa[2], pb[2], 1e-2);
        tn_world_destroy(on);
        tn_world_destroy(off);
        tn_model_destroy(model);
    }
}

/* An arm (with a limit and friction) that carries a cable and a soft body; a free body is welded to the cable's
 * other end. All of it about (x, 0, 1), and nothing touches anything. */
static TnBodyId machine(Scene *scene, double x, int cut)
{
    TnModelBuilder *b = scene->builder;
    TnBodyDef body = tn_body_def();
    body.pos[0] = x;
    body.pos[2] = 1.0;
    TnBodyId arm = tn_builder_add_body(b, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = arm;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.limited = true;
    joint.range[0] = -0.05;
    joint.range[1] = 0.05;
    joint.friction_loss = 0.01;
    tn_builder_add_joint(b, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = arm;
    geom.type = TN_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.05;
    geom.mass = 2.0;
    tn_builder_add_geom(b, &geom);
    TnBodyId load = scene_free(scene, TN_GEOM_BOX, (double[3]){0.02, 0.02, 0.02}, 0.1,
                               (double[3]){x + 0.37, 0, 1.0}, 0.5, 0.0);
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 8;
    rod.start[0] = x + 0.05;
    rod.end[0] = x + 0.37;
    rod.start[2] = rod.end[2] = 1.0;
    rod.contact_type = rod.contact_affinity = 0;
    rod.group_size = cut;
    TnBodyId first = tn_builder_rod_parts(b, tn_builder_add_rod(b, &rod)).body;
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = first;
    weld.body2 = arm;
    tn_builder_add_equality(b, &weld);
    weld.body1 = first + 7;
    weld.body2 = load;
    tn_builder_add_equality(b, &weld);
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((const double[3]){0.03, 0.03, 0.06}, (const int[3]){1, 1, 3}, 6,
                          &soft.mesh, &err));
    TnSoftHoldDef holds[64];
    soft.pos[0] = x;
    soft.pos[2] = 0.89;
    soft.contact_type = soft.contact_affinity = 0;
    soft.holds = holds;
    soft.pieces = cut ? 2 : 0;
    for (int i = 0; i < soft.mesh.node_count; i++)
        if (soft.mesh.nodes[3 * i + 2] > 0.059) holds[soft.hold_count++] = (TnSoftHoldDef){i, arm};
    tn_builder_add_soft(b, &soft);
    tn_tet_mesh_free(&soft.mesh);
    return arm;
}

TEST(machines_asleep_leave_a_copy_of_them_alone)
{
    for (int cut = 0; cut < 3; cut += 2) {
        Scene scene = scene_begin();
        TnBodyId busy = machine(&scene, 0.0, cut), idle = machine(&scene, 2.0, cut);
        TnModel *model = scene_compile(&scene);
        REQUIRE(model);
        TnWorld *worlds[2];
        for (int i = 0; i < 2; i++) {
            TnError err = {0};
            TnWorldDef def = tn_world_def();
            def.sleep = i ? TN_SLEEP_ALL : TN_SLEEP_OFF;
            def.sleep_speed = 1e3; /* whatever it does, it sleeps if nobody pushes it */
            def.sleep_time = 0.1;
            def.solver.tolerance = 0.0;
            def.solver.anderson = 0;
            worlds[i] = tn_world_create(&def, model, &err);
            REQUIRE(worlds[i]);
        }
        const double push[3] = {0.1, 0.2, 0.3}, none[3] = {0};
        int slept = 0;
        for (int k = 0; k < 120; k++) {
            TnStepReport report = {0};
            for (int i = 0; i < 2; i++) {
                tn_world_apply_wrench(worlds[i], busy, push, none);
                report = tn_world_step(worlds[i]);
                CHECK(!report.diverged);
            }
            slept += report.asleep_count == 4; /* arm, load, cable, soft body */
            if (k == 60) tn_world_wake(worlds[1], idle + 3);
            CHECK(same_bits(worlds[0], worlds[1], busy, 10));
        }
        CHECK(slept > 60 && slept < 110);
        CHECK(tn_world_body_asleep(worlds[1], idle) && !tn_world_body_asleep(worlds[1], busy));
        /* nodes of the first soft body */
        const TnStateView a = tn_world_state(worlds[0]), b = tn_world_state(worlds[1]);
        int soft_dofs = a.dof_count - 2 * (1 + 6 + 48);
        CHECK(memcmp(a.qpos + a.qpos_count - soft_dofs, b.qpos + b.qpos_count - soft_dofs,
                     sizeof(double) * (size_t)(soft_dofs / 2)) == 0);
        for (int i = 0; i < 2; i++) tn_world_destroy(worlds[i]);
        tn_model_destroy(model);
    }
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
    /* contacts that cannot be put aside start cold: no more than that */
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

TEST(settings_out_of_range_are_refused)
{
    Scene scene = scene_begin();
    stack(&scene, 0, 0, 1);
    TnModel *model = scene_compile(&scene);
    TnWorldDef def = tn_world_def();
    CHECK(def.sleep == TN_SLEEP_OFF && def.sleep_speed == 1e-4 && def.sleep_time == 0.5);
    TnError err = {0};
    def.sleep_speed = -1.0;
    CHECK(!tn_world_create(&def, model, &err));
    CHECK_STR(err.message, "sleep_speed");
    def = tn_world_def();
    def.sleep_time = NAN;
    CHECK(!tn_world_create(&def, model, &err));
    def = tn_world_def();
    def.sleep = (TnSleep)7;
    CHECK(!tn_world_create(&def, model, &err));
    tn_model_destroy(model);
}
