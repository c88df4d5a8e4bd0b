/* The viewer's simulation thread, its kept states and its clock, without a window. */
#include "../../apps/view/follow.c"
#include "../../apps/view/history.c"
#include "../../apps/view/keyframe.c"
#include "../../apps/view/pace.c"
#include "../../apps/view/physics.c"
#include "../../apps/view/pull.c"
#include "../../apps/view/pull_soft.c"
#include "../../apps/view/simulation.c"

#include "stage.h"

/* The next notice; the limit only ends a test that would hang. */
static Notice wait_notice(Simulation *sim)
{
    Notice notice = {0};
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int tries = 0; tries < 120000; tries++) {
        if (simulation_notice(sim, &notice)) return notice;
        nanosleep(&pause, NULL);
    }
    bool notice_came = false;
    CHECK(notice_came);
    return notice;
}

static uint64_t hash_after(TnModel *model, int steps)
{
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, NULL);
    for (int i = 0; i < steps; i++) tn_world_step(world);
    uint64_t hash = tn_world_hash(world);
    tn_world_destroy(world);
    return hash;
}

TEST(watching_changes_no_bit_of_the_simulation)
{
    Stage stage = make_stage(make_boxes(5, 1, true, 0.01));
    SimulationDef def = simulation_def();
    def.step_limit = 150;
    def.speed = 1000;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    const TnFrame *frame;
    SimulationStatus status;
    Notice notice;
    while (!simulation_notice(sim, &notice)) simulation_take(sim, &frame, &status);
    CHECK(notice.kind == NOTICE_FINISHED);
    CHECK(notice.step == 150);
    CHECK(notice.hash == hash_after(stage.model, 150));
    simulation_stop(sim);
    CHECK(tn_world_hash(stage.world) == notice.hash);
    free_stage(&stage);
}

TEST(a_window_that_watches_shows_the_frames_it_is_given_and_commands_nothing)
{
    Stage stage = make_stage(make_boxes(3, 1, true, 0.01));
    SimulationDef def = simulation_def();
    TnFrame *given = tn_frame_create(stage.scene, NULL);
    def.follow = follow_create(stage.scene, NULL);
    REQUIRE(given && def.follow);
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    for (int i = 0; i < 20; i++) {
        simulation_command(sim, i % 2 ? COMMAND_STEP : COMMAND_RESET, 0); /* without effect */
        TnStepReport report = tn_world_step(stage.world);
        CHECK(tn_frame_capture(given, stage.world, &report, false, NULL) == TN_OK);
        CHECK(follow_give(def.follow, given, NULL) == TN_OK);
        const TnFrame *frame;
        SimulationStatus status;
        const struct timespec pause = {.tv_nsec = 1000000};
        for (int tries = 0; tries < 120000 && !simulation_take(sim, &frame, &status); tries++)
            nanosleep(&pause, NULL); /* the limit only ends a test that would hang */
        CHECK(frame->time == given->time && frame->contact_count == given->contact_count);
        CHECK(!memcmp(frame->poses, given->poses,
                      7 * (size_t)frame->body_count * sizeof *frame->poses));
    }
    Notice notice;
    CHECK(!simulation_notice(sim, &notice));
    simulation_stop(sim);
    CHECK(tn_world_hash(stage.world) == hash_after(stage.model, 20));
    follow_set(def.follow, FOLLOW_CLOSED);
    follow_set(def.follow, FOLLOW_OPEN);
    CHECK(follow_state(def.follow) == FOLLOW_CLOSED); /* closed stays closed */
    follow_destroy(def.follow);
    tn_frame_destroy(given);
    free_stage(&stage);
}

TEST(back_and_forward_again_gives_the_same_bits_and_contacts)
{
    Stage stage = make_stage(make_boxes(3, 1, true, 0.01));
    SimulationDef def = simulation_def();
    def.paused = true;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    enum { STEPS = 30 };
    uint64_t hashes[STEPS];
    int contacts[STEPS];
    const TnFrame *frame;
    SimulationStatus status;
    for (int i = 0; i < STEPS; i++) {
        simulation_command(sim, COMMAND_STEP, 0);
        Notice notice = wait_notice(sim);
        CHECK(notice.kind == NOTICE_STEP && notice.step == i + 1);
        hashes[i] = notice.hash;
        while (!simulation_take(sim, &frame, &status) || status.step != i + 1) {}
        contacts[i] = frame->contact_count;
    }
    CHECK(contacts[STEPS - 1] > 0);
    CHECK(status.states == STEPS);
    for (int i = STEPS - 2; i >= 15; i--) {
        simulation_command(sim, COMMAND_BACK, 0);
        Notice notice = wait_notice(sim);
        CHECK(notice.kind == NOTICE_BACK && notice.step == i + 1);
        CHECK(notice.hash == hashes[i]);
        while (!simulation_take(sim, &frame, &status) || status.step != i + 1) {}
        CHECK(frame->contact_count == contacts[i]);
    }
    /* forward and back once more: a state that was restored is kept with its contacts, too */
    simulation_command(sim, COMMAND_STEP, 0);
    wait_notice(sim);
    simulation_command(sim, COMMAND_BACK, 0);
    CHECK(wait_notice(sim).hash == hashes[15]);
    while (!simulation_take(sim, &frame, &status) || status.step != 16) {}
    CHECK(frame->contact_count == contacts[15] && contacts[15] > 0);
    for (int i = 16; i < STEPS; i++) {
        simulation_command(sim, COMMAND_STEP, 0);
        CHECK(wait_notice(sim).hash == hashes[i]);
    }
    simulation_stop(sim);
    free_stage(&stage);
}

TEST(no_state_before_the_first_is_said)
{
    Stage stage = make_stage(make_boxes(1, 1, true, 0.01));
    SimulationDef def = simulation_def();
    def.paused = true;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    simulation_command(sim, COMMAND_BACK, 0);
    CHECK(wait_notice(sim).kind == NOTICE_NO_BACK);
    simulation_command(sim, COMMAND_STEP, 0);
    CHECK(wait_notice(sim).kind == NOTICE_STEP);
    simulation_command(sim, COMMAND_RESET, 0);
    Notice notice = wait_notice(sim);
    CHECK(notice.kind == NOTICE_RESET && notice.step == 0 && notice.time == 0);
    CHECK(notice.hash == hash_after(stage.model, 0));
    simulation_command(sim, COMMAND_BACK, 0);
    CHECK(wait_notice(sim).kind == NOTICE_NO_BACK);
    simulation_stop(sim);
    free_stage(&stage);
}

TEST(kept_states_stay_within_their_number_and_bytes)
{
    Stage stage = make_stage(make_boxes(2, 1, false, 0.01));
    TnStepReport report = {0};
    History history;
    REQUIRE(history_create(&history, 4, 1 << 20));
    for (int i = 0; i < 10; i++) {
        CHECK(history_push(&history, stage.world, &report, NULL, 0));
        report = tn_world_step(stage.world);
    }
    CHECK(history.count == 4);
    size_t each = history.bytes / 4;
    TnContact *contacts = NULL;
    int count = 0, room = 0;
    for (int i = 9; i >= 6; i--) {
        CHECK(history_pop(&history, stage.world, &report, &contacts, &count, &room));
        CHECK_NEAR(tn_world_state(stage.world).time, 0.01 * i, 1e-12); /* sums of 0.01 */
    }
    CHECK(!history_pop(&history, stage.world, &report, &contacts, &count, &room));
    history_free(&history);
    REQUIRE(history_create(&history, 100, 2 * each + 1));
    for (int i = 0; i < 5; i++) CHECK(history_push(&history, stage.world, &report, NULL, 0));
    CHECK(history.count == 2 && history.bytes <= 2 * each + 1);
    history_free(&history);
    REQUIRE(history_create(&history, 100, each - 1));
    CHECK(!history_push(&history, stage.world, &report, NULL, 0));
    CHECK(history.count == 0 && history.bytes == 0);
    history_free(&history);
    free(contacts);
    free_stage(&stage);
}

/* All bodies move at 1 m/s along x: a frame whose places do not belong to its time was torn. */
TEST(frames_are_whole_while_commands_rain)
{
    enum { BODIES = 20 };
    Stage stage = make_stage(make_boxes(BODIES, 1, false, 0.001));
    double qvel[6 * BODIES] = {0};
    for (int i = 0; i < BODIES; i++) qvel[6 * i] = 1;
    REQUIRE(tn_world_set_state(stage.world, NULL, qvel, NULL) == TN_OK);
    SimulationDef def = simulation_def();
    def.speed = 1024; /* always behind: steps without a rest */
    def.max_states = 50;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    Pull none = {.kind = PULL_NONE};
    int torn = 0, taken = 0;
    const double end = tn_clock_now() + 60; /* how long a moment is depends on the system */
    for (int i = 0; taken < 300 && tn_clock_now() < end; i++) {
        const struct timespec moment = {.tv_nsec = 20000};
        const TnFrame *frame;
        SimulationStatus status;
        Notice notice;
        if (i % 7 == 0) simulation_command(sim, COMMAND_PAUSE, i % 2);
        if (i % 11 == 0) simulation_command(sim, COMMAND_STEP, 0);
        if (i % 13 == 0) simulation_command(sim, COMMAND_BACK, 0);
        if (i % 3 == 0) simulation_pull(sim, &none);
        while (simulation_notice(sim, &notice)) {}
        nanosleep(&moment, NULL);
        if (!simulation_take(sim, &frame, &status)) continue;
        taken++;
        for (int b = 0; b < BODIES; b++) {
            double x = frame->poses[7 * (b + 1)];
            /* thousands of sums of 0.001, each off by 1e-16 of metres */
            if (!(fabs(x - 0.3 * b - frame->time) < 1e-9)) torn++;
        }
    }
    CHECK(taken == 300);
    CHECK(torn == 0);
    simulation_stop(sim);
    free_stage(&stage);
}

TEST(a_speed_out_of_reach_is_told_and_commands_are_still_obeyed)
{
    /* ten million steps per second: no machine does */
    Stage stage = make_stage(make_boxes(2, 1, false, 1e-6));
    SimulationDef def = simulation_def();
    def.speed = 10;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    const TnFrame *frame;
    SimulationStatus status = {0};
    for (int i = 0; i < 100000 && !(status.late && status.real_time_factor > 0); i++) {
        const struct timespec pause = {.tv_nsec = 1000000};
        simulation_take(sim, &frame, &status);
        nanosleep(&pause, NULL);
    }
    CHECK(status.late);
    CHECK(status.real_time_factor > 0 && status.real_time_factor < 10);
    simulation_command(sim, COMMAND_PAUSE, 1);
    CHECK(wait_notice(sim).kind == NOTICE_PAUSED);
    simulation_stop(sim);
    free_stage(&stage);
}

/* ---- the clock ---- */

/* Steps that each take `cost` seconds by the wall; the simulated time after `seconds`. */
static double run_pace(Pace *pace, double *wall, double *time, double cost, double seconds)
{
    double end = *wall + seconds, start = *time;
    while (*wall < end) {
        double ahead = pace_ahead(pace, *wall, *time);
        if (ahead > 0) {
            *wall += fmax(ahead, 1e-6); /* a clock goes on by itself */
            continue;
        }
        *wall += cost;
        *time += pace->timestep;
        pace_measure(pace, *wall, *time);
    }
    return *time - start;
}

TEST(steps_keep_time_with_the_clock_at_any_speed)
{
    const double speeds[] = {0.125, 1, 8};
    for (int i = 0; i < 3; i++) {
        Pace pace = {.timestep = 0.01, .speed = speeds[i]};
        double wall = 100, time = 3;
        pace_restart(&pace, wall, time);
        double simulated = run_pace(&pace, &wall, &time, 0.0005, 10);
        CHECK_NEAR(simulated, 10 * speeds[i], 0.011); /* one step */
        CHECK(!pace.late);
        /* a period of half a second or eight steps may be off by one step at either end */
        CHECK_NEAR(pace.real_time_factor, speeds[i], 0.15 * speeds[i]);
    }
}

TEST(time_that_cannot_be_caught_up_is_forgotten)
{
    Pace pace = {.timestep = 0.01, .speed = 1};
    double wall = 0, time = 0;
    pace_restart(&pace, wall, time);
    double simulated = run_pace(&pace, &wall, &time, 0.05, 20); /* five times too slow */
    CHECK(pace.late);
    CHECK_NEAR(simulated, 4, 0.02); /* as fast as it can: one step of 0.01 s each 0.05 s */
    CHECK_NEAR(pace.real_time_factor, 0.2, 0.01);
    simulated = run_pace(&pace, &wall, &time, 0.001, 5);
    /* fast again: real time, and of 16 s of delay no more than the debt of 0.1 s is made up for */
    CHECK_NEAR(simulated, 5, 0.12);
    CHECK(!pace.late);
}

TEST(frames_have_stress_only_while_it_is_asked_for)
{
    Stage stage = make_stage(make_soft(1e5, 0.01));
    SimulationDef def = simulation_def();
    def.paused = true;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim != NULL);
    const TnFrame *frame;
    SimulationStatus status;
    for (int on = 0; on < 3; on++) {
        REQUIRE(simulation_command(sim, COMMAND_STRESS, on == 1));
        REQUIRE(simulation_command(sim, COMMAND_STEP, 0));
        while (wait_notice(sim).kind != NOTICE_STEP) {}
        simulation_take(sim, &frame, &status);
        CHECK((frame->stress != NULL) == (on == 1));
    }
    simulation_stop(sim);
    free_stage(&stage);
}

/* A slide with a motor, and without gravity. */
static TnModel *make_slide(void)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.gravity[2] = 0;
    tn_builder_set_option(builder, &option, (TnSource){0});
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(builder, &body);
    joint.type = TN_JOINT_SLIDE;
    joint.limited = true;
    joint.range[0] = -2;
    joint.range[1] = 3;
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = tn_builder_add_joint(builder, &joint);
    motor.ctrl_limited = true;
    motor.ctrl_range[0] = -5;
    motor.ctrl_range[1] = 7;
    tn_builder_add_actuator(builder, &motor);
    TnGeomDef box = tn_geom_def();
    box.body = joint.body;
    box.type = TN_GEOM_BOX;
    box.size[0] = box.size[1] = box.size[2] = 0.1;
    box.mass = 1;
    tn_builder_add_geom(builder, &box);
    TnModel *model = tn_builder_compile(builder, NULL);
    tn_builder_destroy(builder);
    return model;
}

TEST(controls_and_joints_are_set_and_the_state_is_told_as_a_keyframe)
{
    Stage stage = make_stage(make_slide());
    REQUIRE(stage.world && stage.scene->signal_count == 4);
    SimulationDef def = simulation_def();
    def.paused = true;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim != NULL);
    const TnFrame *frame;
    SimulationStatus status;
    CHECK(simulation_keyframe(sim) == NULL);
    CHECK(simulation_set(sim, COMMAND_CTRL, 0, 2.5) && simulation_set(sim, COMMAND_JOINT, 1, 0.75));
    CHECK(simulation_set(sim, COMMAND_CTRL, 9, 1) && simulation_set(sim, COMMAND_JOINT, 9, 1));
    REQUIRE(simulation_command(sim, COMMAND_KEYFRAME, 0));
    CHECK(wait_notice(sim).kind == NOTICE_SET);
    CHECK(wait_notice(sim).kind == NOTICE_KEYFRAME);
    simulation_take(sim, &frame, &status);
    REQUIRE(frame->signal_count == 4);
    CHECK(frame->signals[0] == 0.75 && frame->signals[1] == 0);  /* position and velocity */
    CHECK(frame->signals[2] == 2.5 && frame->signals[3] == 2.5); /* control and force */
    char *text = simulation_keyframe(sim);
    CHECK(text && !strcmp(text, "<key name=\"at_0_s\" time=\"0\" qpos=\"0.75\" qvel=\"0\" "
                                "ctrl=\"2.5\"/>"));
    free(text);
    CHECK(simulation_keyframe(sim) == NULL);
    /* while it runs, a joint is not moved by hand */
    REQUIRE(simulation_command(sim, COMMAND_PAUSE, 0));
    CHECK(wait_notice(sim).kind == NOTICE_RUNNING);
    REQUIRE(simulation_set(sim, COMMAND_JOINT, 1, -1) && simulation_command(sim, COMMAND_PAUSE, 1));
    CHECK(wait_notice(sim).kind == NOTICE_PAUSED);
    simulation_take(sim, &frame, &status);
    CHECK(frame->signals[0] >= 0.75);
    simulation_stop(sim);
    free_stage(&stage);
}

TEST(ranges_of_joints_and_controls_are_those_of_the_model)
{
    TnModel *model = make_slide();
    REQUIRE(model);
    TnJointInfo joint = tn_model_joint_info(model, 1);
    TnActuatorInfo motor = tn_model_actuator_info(model, 1);
    CHECK(joint.limited && joint.range[0] == -2 && joint.range[1] == 3);
    CHECK(motor.ctrl_limited && motor.ctrl_range[0] == -5 && motor.ctrl_range[1] == 7);
    CHECK(!tn_model_actuator_info(model, 2).ctrl_limited);
    tn_model_destroy(model);
}

static TnModel *make_gripper(void)
{
    TnModelBuilder *builder = tn_builder_create();
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    TnActuatorDef motor = tn_actuator_def();
    TnEqualityDef tie = tn_equality_def();
    TnJointId joints[2];
    for (int i = 0; i < 2; i++) {
        body.pos[0] = i;
        joint.body = geom.body = tn_builder_add_body(builder, &body);
        joint.type = TN_JOINT_SLIDE;
        geom.type = TN_GEOM_SPHERE;
        geom.size[0] = 0.1;
        geom.mass = 2;
        joints[i] = tn_builder_add_joint(builder, &joint);
        tn_builder_add_geom(builder, &geom);
    }
    motor.joint = joints[0];
    tn_builder_add_actuator(builder, &motor);
    tie.type = TN_EQUALITY_JOINT;
    tie.joint1 = joints[1];
    tie.joint2 = joints[0];
    tn_builder_add_equality(builder, &tie);
    TnModel *model = tn_builder_compile(builder, NULL);
    tn_builder_destroy(builder);
    return model;
}

/* The status after one command and one step, paused. */
static SimulationStatus change_and_step(Simulation *sim, SimulationCommandKind kind, int index,
                                        double value, NoticeKind expected)
{
    const TnFrame *frame;
    SimulationStatus status;
    simulation_set(sim, kind, index, value);
    CHECK(wait_notice(sim).kind == expected);
    simulation_command(sim, COMMAND_STEP, 0);
    Notice notice = wait_notice(sim);
    CHECK(notice.kind == NOTICE_STEP);
    while (!simulation_take(sim, &frame, &status) || status.step != notice.step) {}
    return status;
}

TEST(physics_changes_while_it_runs)
{
    Stage stage = make_stage(make_gripper());
    REQUIRE(stage.world);
    TnSolverDef solver = tn_solver_def();
    SimulationDef def = simulation_def();
    def.paused = true;
    def.solver = &solver;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    const double h = 0.01, g = 9.81;
    double speed[2] = {0, 0}, expected = -h * g;
    SimulationStatus status;
    /* both slides fall along z: v = -h g; with gravity gone the speed stays, and so on */
    status = change_and_step(sim, COMMAND_PHYSICS, PHYSICS_TOLERANCE, 1e-9, NOTICE_PHYSICS);
    CHECK(status.physics.values[PHYSICS_TOLERANCE] == 1e-9);
    CHECK(status.physics.values[PHYSICS_GRAVITY_Z] == -g);
    CHECK(status.physics.equalities[0] == 1 && (status.physics.actuators[0] & 1));
    status = change_and_step(sim, COMMAND_PHYSICS, PHYSICS_GRAVITY_Z, 0, NOTICE_PHYSICS);
    CHECK(status.physics.values[PHYSICS_GRAVITY_Z] == 0);
    /* a force of 4 N on one of two tied masses of 2 kg: 1 m/s² each */
    simulation_set(sim, COMMAND_CTRL, 0, 4);
    status = change_and_step(sim, COMMAND_PHYSICS, PHYSICS_TIMESTEP, 0.02, NOTICE_PHYSICS);
    expected += 0.02;
    /* off: no force; and untied, on again: 2 m/s² for the one, none for the other */
    status = change_and_step(sim, COMMAND_ACTUATOR, 1, 0, NOTICE_PHYSICS);
    CHECK(!(status.physics.actuators[0] & 1));
    status = change_and_step(sim, COMMAND_EQUALITY, 1, 0, NOTICE_PHYSICS);
    CHECK(status.physics.equalities[0] == 0);
    status = change_and_step(sim, COMMAND_ACTUATOR, 1, 1, NOTICE_PHYSICS);
    CHECK(status.physics.actuators[0] & 1);
    /* what cannot be is refused, and the value stays */
    status = change_and_step(sim, COMMAND_PHYSICS, PHYSICS_TIMESTEP, -1, NOTICE_REFUSED);
    CHECK(status.physics.values[PHYSICS_TIMESTEP] == 0.02);
    status = change_and_step(sim, COMMAND_EQUALITY, 7, 1, NOTICE_REFUSED);
    simulation_stop(sim);
    memcpy(speed, tn_world_state(stage.world).qvel, sizeof speed);
    /* three steps of 2 m/s² since the tie was cut; to the solver's tolerance of 1e-9 h g, and
     * rounding */
    CHECK_NEAR(speed[0], expected + 3 * 0.02 * 2, 1e-10);
    CHECK_NEAR(speed[1], expected, 1e-10);
    free_stage(&stage);
}

TEST(a_pull_is_limited_by_the_new_timestep)
{
    Stage stage = make_stage(make_boxes(1, 2, false, 0.01));
    SimulationDef def = simulation_def();
    def.paused = true;
    Simulation *sim = simulation_start(&def, stage.world, stage.scene, NULL);
    REQUIRE(sim);
    /* by its centre, at rest, too stiff: the limit m / 2h² times 1 m */
    Pull pull = {.kind = PULL_MOVE, .body = 2, .stiffness = 1e9, .target = {1, 0, 0.12}};
    const double steps[2] = {0.01, 0.02};
    simulation_pull(sim, &pull);
    for (int i = 0; i < 2; i++) {
        simulation_set(sim, COMMAND_PHYSICS, PHYSICS_TIMESTEP, steps[i]);
        CHECK(wait_notice(sim).kind == NOTICE_PHYSICS);
        simulation_command(sim, COMMAND_RESET, -1);
        CHECK(wait_notice(sim).kind == NOTICE_RESET);
        simulation_command(sim, COMMAND_STEP, 0);
        Notice notice = wait_notice(sim);
        CHECK_NEAR(notice.pull_force[0], 2 / (2 * steps[i] * steps[i]),
                   1e-8); /* of 1e4: rounding */
    }
    simulation_stop(sim);
    free_stage(&stage);
}

TEST(friction_is_scaled_from_what_the_model_has)
{
    Stage stage = make_stage(make_boxes(1, 1, true, 0.01));
    Physics physics;
    TnError err = {0};
    REQUIRE(physics_create(&physics, stage.world, NULL));
    double before = tn_model_geom_info(stage.model, 2).friction[0];
    CHECK(before > 0);
    for (int i = 0; i < 3; i++) /* twice the model's, not two to the third */
        CHECK(physics_set(&physics, stage.world, PHYSICS_FRICTION, 2, &err) == TN_OK);
    CHECK_NEAR(tn_model_geom_info(tn_world_model(stage.world), 2).friction[0], 2 * before, 1e-15);
    CHECK(physics_set(&physics, stage.world, PHYSICS_FRICTION, -1, &err) != TN_OK);
    CHECK(physics_set(&physics, stage.world, PHYSICS_ITERATIONS, 10, &err) != TN_OK); /* unknown */
    CHECK(physics_set(&physics, stage.world, PHYSICS_FRICTION, 1, &err) == TN_OK);
    CHECK_NEAR(tn_model_geom_info(tn_world_model(stage.world), 2).friction[0], before, 1e-15);
    physics_free(&physics);
    free_stage(&stage);
}
