/* Sleeping: who falls asleep and when, and that those who are awake never notice. */
#include "../check.h"

#include "sleep_scene.h"

#include "base/base.h"

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
        /* the gaps that are left alone */
        TnStateView b = tn_world_state(off);
        for (int k = 0; k < a.qpos_count; k++) CHECK_NEAR(a.qpos[k], b.qpos[k], 3e-9);
        /* and it starts from the forces it had: no jolt. A cold start would sag by g t² = 1 mm;
         * here errors of the solver are left */
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
