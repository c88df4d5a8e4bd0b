/* Mocap bodies: their pose is set, they move there with a finite velocity, and what they push,
 * carry or hold notices. */
#include <tenon/tenon.h>

#include "../account/account_sum.h"
#include "../check.h"
#include "../step/text_scene.h"

#define T 0.01
#define DOWN "0 0 -9.81"

static void go_to(TextScene *s, const char *name, double x, double y, double z)
{
    TnError err = {0};
    const double pos[3] = {x, y, z};
    TnStatus status =
        tn_world_set_mocap(s->world, tn_model_find_body(s->model, name), pos, NULL, &err);
    if (status != TN_OK) test_fail(__FILE__, __LINE__, "%s", err.message);
}

static void velocity(const TextScene *s, const char *name, double v[6])
{
    tn_world_body_velocity(s->world, tn_model_find_body(s->model, name), v, v + 3);
}

/* ΔE less what the account says of it. */
static double open_account(const TextScene *s, double energy_before)
{
    TnEnergyAccount a = tn_world_energy_account(s->world);
    return text_energy(s) - energy_before - change_of(&a);
}

TEST(a_paddle_pushes_a_box_over_the_floor_at_its_own_speed)
{
    TextScene s;
    if (!text_open(&s, T, DOWN,
                   "<worldbody><geom type='plane' size='9 9 1'/>"
                   "<body name='paddle' mocap='true' pos='-0.2 0 0.1'>"
                   "<geom type='box' size='0.05 0.2 0.09'/></body>"
                   "<body name='box' pos='0 0 0.1'><freejoint/>"
                   "<geom type='box' size='0.1 0.1 0.1' mass='1' friction='1'/></body>"
                   "</worldbody>"))
        return;
    double start = text_energy(&s), v[6], pos[3], quat[4];
    for (int k = 1; k <= 60; k++) {
        go_to(&s, "paddle", -0.2 + 0.01 * k, 0, 0.1);
        TnStepReport r = tn_world_step(s.world);
        CHECK(r.converged);
        if (k < 8) continue; /* 5 cm between them */
        velocity(&s, "box", v);
        CHECK_NEAR(v[0], 1.0, 2e-6); /* the solver's tolerance is 1e-6 g t = 1e-7 m/s */
    }
    tn_world_body_pose(s.world, 3, pos, quat);
    CHECK_NEAR(pos[0], -0.2 + 0.6 + 0.15, 1e-4); /* gaps are closed a fifth per step */
    /* The paddle's work is friction and twice the kinetic energy, as an inelastic hit loses half of
     * it. Friction is below μ m g s: the paddle carries some of the weight. In the step of the hit
     * the box slides less far than the paddle moves: 0.0125 J. */
    TnEnergyAccount a = tn_world_energy_account(s.world);
    CHECK_NEAR(a.applied - a.friction, 1.0, 0.02);
    CHECK(a.friction > 0.9 * 9.81 * pos[0] && a.friction < 9.81 * pos[0]);
    CHECK(fabs(a.created) < 1e-6);
    CHECK_NEAR(open_account(&s, start), 0.0, 1e-9);
    /* it stays where it was sent */
    tn_world_step(s.world);
    tn_world_body_pose(s.world, 2, pos, quat);
    CHECK_NEAR(pos[0], 0.4, 1e-15);
    velocity(&s, "paddle", v);
    CHECK(v[0] == 0.0);
    text_close(&s);
}

TEST(a_tray_carries_a_box_by_friction_and_lifts_it)
{
    TextScene s;
    if (!text_open(&s, T, DOWN,
                   "<worldbody><body name='tray' mocap='true'>"
                   "<body><geom type='box' size='1 1 0.05' pos='0 0 -0.05'/></body></body>"
                   "<body name='box' pos='0 0 0.1'><freejoint/>"
                   "<geom type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody>"))
        return;
    double start = text_energy(&s), v[6], pos[3], quat[4], x = 0, z = 0;
    for (int k = 1; k <= 100; k++) {
        double speed = fmin(1.0, 0.05 * k); /* 5 m/s², below μ g */
        x += T * speed;
        z += T * 0.2 * speed;
        go_to(&s, "tray", x, 0, z);
        CHECK(tn_world_step(s.world).converged);
        velocity(&s, "box", v);
        CHECK_NEAR(v[0], speed, 1e-5);
        CHECK_NEAR(v[2], 0.2 * speed, 1e-5);
    }
    tn_world_body_pose(s.world, tn_model_find_body(s.model, "box"), pos, quat);
    CHECK_NEAR(pos[0], x, 1e-3);
    CHECK_NEAR(pos[2], z + 0.1, 1e-4);
    CHECK_NEAR(open_account(&s, start), 0.0, 1e-9);
    CHECK_NEAR(tn_world_energy_account(s.world).applied, 0.5 * 2 * 1.04 + 2 * 9.81 * z, 0.1);
    text_close(&s);
}

/* The path of a hand that turns about z while it goes round. */
static void hand_pose(int k, double pos[3], double quat[4])
{
    double a = 0.02 * k;
    pos[0] = cos(a) - 1.0;
    pos[1] = sin(a);
    pos[2] = 1.0 + 0.1 * sin(2 * a);
    quat[0] = cos(0.5 * a);
    quat[1] = quat[2] = 0.0;
    quat[3] = sin(0.5 * a);
}

TEST(a_body_that_is_welded_to_a_mocap_body_goes_where_that_goes)
{
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.substeps = substeps;
        if (!text_open_of(&s, T, DOWN,
                          "<worldbody><body name='hand' mocap='true' pos='0 0 1'/>"
                          "<body name='tool' pos='0.3 0 1'><freejoint/>"
                          "<geom type='box' size='0.1 0.05 0.02' mass='1'/></body></worldbody>"
                          "<equality><weld body1='hand' body2='tool'/></equality>",
                          def))
            return;
        double start = text_energy(&s), pos[3], quat[4], at[3], turn[4], worst = 0, worst_turn = 0;
        for (int k = 1; k <= 200; k++) {
            bool started = k > 60; /* the jerk at the start is forgotten by a fifth per step */
            TnError err = {0};
            hand_pose(k, pos, quat);
            CHECK(tn_world_set_mocap(s.world, 2, pos, quat, &err) == TN_OK);
            CHECK(tn_world_step(s.world).converged);
            tn_world_body_pose(s.world, 2, at, turn);
            for (int i = 0; i < 3; i++) CHECK_NEAR(at[i], pos[i], 1e-15);
            tn_world_body_pose(s.world, 3, at, turn);
            double a = 0.02 * k;
            pos[0] += 0.3 * cos(a);
            pos[1] += 0.3 * sin(a);
            for (int i = 0; started && i < 3; i++) worst = fmax(worst, fabs(at[i] - pos[i]));
            for (int i = 0; started && i < 4; i++)
                worst_turn = fmax(worst_turn, fabs(turn[i] - quat[i]));
        }
        /* the row is linear about a prediction; what that leaves is taken off a fifth per step */
        CHECK(worst < 4e-5);
        CHECK(worst_turn < 2e-5);
        CHECK_NEAR(open_account(&s, start), 0.0, 1e-9);
        CHECK(fabs(tn_world_energy_account(s.world).created) < 1e-3);
        text_close(&s);
    }
}

static const char *const pile =
    "<worldbody><geom type='plane' size='9 9 1'/><body name='hand' mocap='true' pos='-0.5 0 0.1'>"
    "<geom type='box' size='0.1 0.4 0.09'/></body>"
    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
    "<body pos='0 0 0.31'><freejoint/><geom type='sphere' size='0.1'/></body>"
    "<body pos='0.25 0 0.1'><freejoint/><geom type='capsule' size='0.1 0.1'/></body></worldbody>";

static void sweep(TextScene *s, int from, int to)
{
    for (int k = from; k < to; k++) {
        go_to(s, "hand", -0.5 + 0.008 * k, 0.002 * k, 0.1);
        tn_world_step(s->world);
    }
}

TEST(a_step_with_mocap_bodies_has_the_same_bits_on_any_threads_and_after_a_restore)
{
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        if (!text_open_of(&s, T, DOWN, pile, def)) return;
        sweep(&s, 0, 40);
        go_to(&s, "hand", 0, 0, 0.1); /* a target is part of the state */
        size_t size = tn_world_save_size(s.world);
        void *saved = malloc(size);
        CHECK(tn_world_save(s.world, saved, size, NULL) == TN_OK);
        tn_world_step(s.world);
        sweep(&s, 41, 80);
        uint64_t hash = tn_world_hash(s.world);
        CHECK(tn_world_restore(s.world, saved, size, NULL) == TN_OK);
        tn_world_step(s.world);
        sweep(&s, 41, 80);
        CHECK(tn_world_hash(s.world) == hash);
        if (threads == 1) first = hash;
        CHECK(hash == first);
        free(saved);
        text_close(&s);
    }
}

TEST(a_warm_step_with_a_mocap_body_takes_no_memory)
{
    TextScene s;
    if (!text_open(&s, T, DOWN, pile)) return;
    sweep(&s, 0, 60);
    for (int k = 60; k < 80; k++) {
        go_to(&s, "hand", -0.5 + 0.008 * k, 0.002 * k, 0.1);
        CHECK(tn_world_step(s.world).heap_fallbacks == 0);
    }
    text_close(&s);
}

TEST(what_sleeps_wakes_when_a_mocap_body_moves_and_rests_on_one_that_does_not)
{
    TextScene s;
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    if (!text_open_of(&s, T, DOWN,
                      "<worldbody><body name='tray' mocap='true'>"
                      "<geom type='box' size='1 1 0.05' pos='0 0 -0.05'/></body>"
                      "<body name='box' pos='0 0 0.1'><freejoint/>"
                      "<geom type='box' size='0.1 0.1 0.1'/></body></worldbody>",
                      def))
        return;
    TnBodyId box = tn_model_find_body(s.model, "box");
    for (int k = 0; k < 200; k++) tn_world_step(s.world);
    CHECK(tn_world_body_asleep(s.world, box));
    double pos[3], quat[4];
    for (int k = 1; k <= 10; k++) {
        go_to(&s, "tray", 0, 0, 0.001 * k);
        tn_world_step(s.world);
        CHECK(!tn_world_body_asleep(s.world, box));
    }
    tn_world_body_pose(s.world, box, pos, quat);
    CHECK_NEAR(pos[2], 0.11, 1e-4);
    text_close(&s);
}

TEST(keyframes_place_mocap_bodies_and_reset_brings_them_back)
{
    TextScene s;
    if (!text_open(&s, T, "0 0 0",
                   "<worldbody><body name='a' mocap='true' pos='1 2 3'/>"
                   "<body name='b' mocap='true' pos='4 5 6'/></worldbody><keyframe>"
                   "<key name='k' mpos='1 1 1 2 2 2' mquat='2 0 0 0 0 0 0 3'/></keyframe>"))
        return;
    double pos[3], quat[4];
    CHECK(tn_model_info(s.model).mocap_count == 2 && tn_model_body_info(s.model, 3).mocap == 2);
    tn_world_reset(s.world, 1);
    tn_world_body_pose(s.world, 3, pos, quat);
    CHECK(pos[1] == 2 && quat[3] == 1);
    go_to(&s, "a", 7, 7, 7);
    CHECK(tn_world_mocap(s.world, 2, pos, quat) && pos[0] == 7);
    tn_world_body_pose(s.world, 2, pos, quat);
    CHECK(pos[0] == 1);
    tn_world_step(s.world);
    tn_world_body_pose(s.world, 2, pos, quat);
    CHECK(pos[0] == 7);
    const double there[3] = {9, 9, 9};
    CHECK(tn_world_place_mocap(s.world, 2, there, NULL, NULL) == TN_OK);
    tn_world_body_pose(s.world, 2, pos, quat);
    CHECK(pos[0] == 9);
    tn_world_reset(s.world, 0);
    tn_world_body_pose(s.world, 2, pos, quat);
    CHECK(pos[0] == 1 && pos[2] == 3);
    CHECK(!tn_world_mocap(s.world, 1, pos, quat));
    CHECK(tn_world_set_mocap(s.world, 1, there, NULL, NULL) == TN_ERROR_USAGE);
    const double bad[4] = {0}, not [3] = {NAN};
    CHECK(tn_world_set_mocap(s.world, 2, NULL, bad, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_mocap(s.world, 2, not, NULL, NULL) == TN_ERROR_USAGE);
    text_close(&s);
}

TEST(a_mocap_body_with_joints_on_it_or_a_plane_is_refused_with_a_way_round)
{
    static const char *const wrong[] = {
        "<body mocap='true'><joint/><geom size='1'/></body>",
        "<body mocap='true'><body><joint/><geom size='1'/></body></body>",
        "<body><body mocap='true'/></body>",
        "<body mocap='true'><geom type='plane' size='1 1 1'/></body>"};
    static const char *const said[] = {"must be a child of the world", "weld it",
                                       "must be a child of the world",
                                       "plane must be fixed to the world"};
    for (int k = 0; k < 4; k++) {
        TnError err = {0};
        char text[512];
        snprintf(text, sizeof text, "<mujoco><worldbody>%s</worldbody></mujoco>", wrong[k]);
        TnModel *model = load_text(text, &err);
        CHECK(model == NULL);
        CHECK_STR(err.message, said[k]);
        tn_model_destroy(model);
    }
}

TEST(sensors_see_a_mocap_body_where_it_is)
{
    TextScene s;
    if (!text_open(&s, T, "0 0 0",
                   "<worldbody><body name='a' mocap='true'><site name='s' pos='0 0 1'/></body>"
                   "</worldbody><sensor><framepos objtype='site' objname='s'/>"
                   "<framelinvel objtype='site' objname='s'/></sensor>"))
        return;
    double data[6];
    go_to(&s, "a", 0.1, 0, 0);
    tn_world_step(s.world);
    CHECK(tn_world_sensors(s.world, data, NULL) == TN_OK);
    CHECK_NEAR(data[0], 0.1, 1e-15);
    CHECK_NEAR(data[2], 1.0, 1e-15);
    text_close(&s);
}
