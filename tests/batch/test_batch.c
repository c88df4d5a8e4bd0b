/* Batches: each world against one of its own, bit for bit. */
#include <tenon/batch.h>

#include "../../src/base/base.h"
#include "../check.h"
#include "../step/text_scene.h"

enum { COUNT = 7, STEPS = 40 };

static const char *const scene =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0.25 0 0.1'><freejoint/><geom size='0.1'/></body>"
    "<body name='box' pos='0.3 0.02 0.35'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
    "<body name='arm' pos='0 0 0.1'><joint name='j' damping='0.1'/>"
    "<geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.03'/></body>"
    "<body name='other' pos='0 2 1'><joint name='k' axis='0 1 0'/><geom size='0.1' pos='0.2 0 0'/>"
    "</body></worldbody>"
    "<actuator><motor joint='j'/><general joint='k' dyntype='filter' dynprm='0.05'/></actuator>"
    "<sensor><jointpos joint='j'/><jointvel joint='k'/><framepos objtype='body' objname='ball'/>"
    "</sensor><keyframe><key name='k' qvel='0 0 1 0 0 0 0 0 0 0 0 0 0 0'/></keyframe></mujoco>";

/* The control of a motor in a step: something else for each world. */
static double control(int world, int step, int motor)
{
    return 0.4 * sin(0.3 * step + 1.7 * world + motor) + 0.1 * motor;
}

static TnBatch *make_batch(const TnModel *model, int count, int threads)
{
    TnError err = {0};
    TnBatchDef def = tn_batch_def();
    def.count = count;
    def.thread_count = threads;
    TnBatch *batch = tn_batch_create(&def, model, &err);
    if (!batch) test_fail(__FILE__, __LINE__, "%s", err.message);
    return batch;
}

/* Hashes of lone worlds that get the same inputs; world 2 is moved before step 11. */
static void run_alone(const TnModel *model, uint64_t hashes[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        TnWorld *world = tn_world_create(&def, model, &err);
        for (int k = 0; k < STEPS; k++) {
            double ctrl[2] = {control(i, k, 0), control(i, k, 1)}, qpos[16];
            if (i == 2 && k == 11) {
                memcpy(qpos, tn_world_state(world).qpos, sizeof qpos);
                qpos[0] += 0.05;
                CHECK(tn_world_set_state(world, qpos, NULL, &err) == TN_OK);
            }
            tn_world_set_ctrl(world, ctrl, &err);
            CHECK(!tn_world_step(world).diverged);
        }
        hashes[i] = tn_world_hash(world);
        tn_world_destroy(world);
    }
}

TEST(worlds_have_the_bits_of_lone_ones_for_any_number_of_threads)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    uint64_t alone[COUNT];
    run_alone(model, alone);
    for (int i = 1; i < COUNT; i++) CHECK(alone[i] != alone[0]);
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnBatch *batch = make_batch(model, COUNT, threads);
        TnBatchView view = tn_batch_view(batch);
        CHECK(view.qpos_count == 16 && view.ctrl_count == 2 && view.act_count == 1);
        for (int k = 0; k < STEPS; k++) {
            for (int i = 0; i < COUNT; i++)
                for (int m = 0; m < 2; m++) view.ctrl[2 * i + m] = control(i, k, m);
            if (k == 11) view.qpos[2 * 16] += 0.05;
            CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK(tn_world_hash(tn_batch_world(batch, i)) == alone[i]);
            TnStateView state = tn_world_state(tn_batch_world(batch, i));
            CHECK(memcmp(state.qpos, view.qpos + 16L * i, 16 * sizeof(double)) == 0);
            CHECK(view.time[i] == state.time);
        }
        tn_batch_destroy(batch);
    }
    tn_model_destroy(model);
}

TEST(rollouts_equal_steps_on_any_number_of_threads)
{
    enum { LENGTH = 12, NS = 5 };
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    static double ctrl[COUNT][LENGTH][2], qpos[COUNT][LENGTH][16], time[COUNT][LENGTH];
    static double sensors[COUNT][LENGTH][NS], now[COUNT][NS];
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < LENGTH; k++)
            for (int m = 0; m < 2; m++) ctrl[i][k][m] = control(i, k, m);
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnBatch *one = make_batch(model, COUNT, 1), *many = make_batch(model, COUNT, threads);
        TnRollout rollout = tn_rollout();
        rollout.length = LENGTH;
        rollout.repeat = 2;
        rollout.ctrl = &ctrl[0][0][0];
        rollout.qpos = &qpos[0][0][0];
        rollout.sensors = &sensors[0][0][0];
        rollout.time = &time[0][0];
        rollout.end = 5; /* in two calls */
        CHECK(tn_batch_rollout(many, &rollout, &err) == TN_OK);
        rollout.begin = 5;
        rollout.end = LENGTH;
        CHECK(tn_batch_rollout(many, &rollout, &err) == TN_OK);
        TnBatchView view = tn_batch_view(one);
        for (int k = 0; k < LENGTH; k++) {
            for (int i = 0; i < COUNT; i++)
                memcpy(view.ctrl + 2L * i, ctrl[i][k], sizeof ctrl[i][k]);
            for (int s = 0; s < 2; s++) CHECK(tn_batch_step(one, NULL, &err) == TN_OK);
            CHECK(tn_batch_sensors(one, &now[0][0], &err) == TN_OK);
            for (int i = 0; i < COUNT; i++) {
                CHECK(memcmp(view.qpos + 16L * i, qpos[i][k], sizeof qpos[i][k]) == 0);
                CHECK(memcmp(now[i], sensors[i][k], sizeof now[i]) == 0);
                CHECK(time[i][k] == view.time[i]);
            }
        }
        tn_batch_destroy(one);
        tn_batch_destroy(many);
    }
    tn_model_destroy(model);
}

TEST(a_world_that_diverges_keeps_its_state_and_the_others_go_on)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 3, 2), *calm = make_batch(model, 3, 1);
    TnBatchView view = tn_batch_view(batch), expected = tn_batch_view(calm);
    for (int k = 0; k < 5; k++) {
        tn_batch_step(batch, NULL, &err);
        tn_batch_step(calm, NULL, &err);
    }
    view.ctrl[2] = 1e200; /* world 1 */
    for (int k = 0; k < 5; k++) {
        CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
        CHECK(!view.diverged[0] && view.diverged[1] && !view.diverged[2]);
    }
    CHECK(memcmp(view.qpos + 16, expected.qpos + 16, 16 * sizeof(double)) == 0);
    CHECK(view.time[1] == expected.time[1]);
    for (int k = 0; k < 5; k++) tn_batch_step(calm, NULL, &err);
    CHECK(memcmp(view.qpos, expected.qpos, 16 * sizeof(double)) == 0);
    CHECK(memcmp(view.qpos + 32, expected.qpos + 32, 16 * sizeof(double)) == 0);
    CHECK(view.reports[1].diverged && !view.reports[0].diverged);
    view.ctrl[2] = 0.0;
    view.diverged[1] = 0; /* once more */
    tn_batch_step(batch, NULL, &err);
    CHECK(!view.diverged[1] && view.time[1] > 5.5 * 0.005);
    uint8_t second[3] = {0, 1, 0};
    tn_batch_reset(batch, second, 1);
    CHECK(view.time[1] == 0.0 && view.time[0] > 0.0 && view.qvel[14 + 2] == 1.0);
    tn_batch_destroy(batch);
    tn_batch_destroy(calm);
    tn_model_destroy(model);
}

TEST(a_rollout_of_a_world_that_diverges_repeats_its_last_state)
{
    enum { LENGTH = 6 };
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 2, 1);
    double ctrl[2][LENGTH][2] = {0}, qpos[2][LENGTH][16], time[2][LENGTH];
    uint8_t diverged[2][LENGTH];
    ctrl[1][3][0] = 1e200;
    TnRollout rollout = tn_rollout();
    rollout.length = LENGTH;
    rollout.ctrl = &ctrl[0][0][0];
    rollout.qpos = &qpos[0][0][0];
    rollout.time = &time[0][0];
    rollout.diverged = &diverged[0][0];
    CHECK(tn_batch_rollout(batch, &rollout, &err) == TN_OK);
    TnBatchView view = tn_batch_view(batch);
    CHECK(!view.diverged[0] && view.diverged[1]);
    for (int k = 0; k < LENGTH; k++) {
        CHECK(!diverged[0][k] && diverged[1][k] == (k >= 3));
        const double *same = qpos[0][k < 3 ? k : 2]; /* before, both worlds do the same */
        CHECK(memcmp(qpos[1][k], same, sizeof qpos[1][k]) == 0);
    }
    CHECK(time[1][5] == time[1][2] && time[0][5] > time[0][2]);
    ctrl[0][4][1] = NAN;
    err = (TnError){0};
    CHECK(tn_batch_rollout(batch, &rollout, &err) == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "ctrl[0, 4, 1] is not finite") != NULL);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(worlds_that_the_mask_leaves_out_rest)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 3, 2);
    TnBatchView view = tn_batch_view(batch);
    uint8_t mask[3] = {1, 0, 1};
    tn_batch_step(batch, mask, &err);
    CHECK(view.time[0] > 0.0 && view.time[1] == 0.0 && view.time[2] > 0.0);
    tn_batch_step_world(batch, 1, &err);
    CHECK(memcmp(view.qpos, view.qpos + 16, 16 * sizeof(double)) == 0);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(a_row_that_is_refused_stops_the_step_of_all)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 3, 2);
    TnBatchView view = tn_batch_view(batch);
    double before = view.qpos[2 * 16 + 1];
    view.qpos[2 * 16 + 1] = NAN;
    view.ctrl[0] = 0.5;
    CHECK(tn_batch_step(batch, NULL, &err) == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "world 2: ") && strstr(err.message, "qpos[1] is not finite"));
    CHECK(view.time[0] == 0.0 && view.qpos[2 * 16 + 1] == before && view.ctrl[0] == 0.5);
    err = (TnError){0};
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    CHECK(view.time[0] > 0.0);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(a_bare_step_is_a_step_whose_row_comes_later)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatchDef def = tn_batch_def();
    TnBatch *a = tn_batch_create(&def, model, &err), *b = tn_batch_create(&def, model, &err);
    CHECK(a && b);
    double before = tn_batch_view(b).qpos[2];
    for (int k = 0; k < 5; k++) {
        CHECK(tn_batch_step_world(a, 0, &err) == TN_OK);
        tn_batch_step_bare(b, 0);
    }
    CHECK(tn_batch_view(b).qpos[2] == before && tn_batch_view(a).qpos[2] != before);
    CHECK(tn_batch_view(b).time[0] == tn_batch_view(a).time[0]);
    CHECK(tn_batch_view(b).reports[0].contact_count == tn_batch_view(a).reports[0].contact_count);
    tn_batch_pull(b, 0);
    CHECK(tn_batch_view(b).qpos[2] == tn_batch_view(a).qpos[2]);
    CHECK(tn_world_hash(tn_batch_world(a, 0)) == tn_world_hash(tn_batch_world(b, 0)));
    tn_batch_step_bare(b, 7);
    tn_batch_step_bare(NULL, 0);
    tn_batch_destroy(a);
    tn_batch_destroy(b);
    tn_model_destroy(model);
}

/* Every parameter of world i, for a lone world or a row of arrays. */
typedef struct Parameters {
    double gravity[3], timestep, friction[3], size[3], gain, bias[3], mass, com[3], inertia[6];
    TnJointForces forces;
} Parameters;

static Parameters parameters_of(int i)
{
    double x = 1.0 + 0.1 * i;
    return (Parameters){.gravity = {0.2 * i, 0.0, -9.0 - 0.3 * i},
                        .timestep = 0.004 + 0.0005 * i,
                        .friction = {0.1 * x, 0.001, 0.0},
                        .size = {0.1 * x, 0.1, 0.1},
                        .gain = x,
                        .bias = {0.01 * i, -0.1 * i, -0.02},
                        .mass = 3.0 * x,
                        .com = {0.01 * i, 0.0, 0.0},
                        .inertia = {0.02 * x, 0.02 * x, 0.03 * x, 0.0, 0.0, 0.0},
                        .forces = {2.0 * i, 0.1, 0.1 * x, 0.01 * i, 0.0}};
}

enum { FLOOR = 1, BALL_GEOM = 2, BOX_GEOM = 3, JOINT_J = 3, MOTOR_J = 1 };

static void set_alone(TnWorld *world, const TnModel *model, int i)
{
    TnError err = {0};
    Parameters p = parameters_of(i);
    TnBodyId box = tn_model_find_body(model, "box"), ball = tn_model_find_body(model, "ball");
    CHECK(tn_world_set_gravity(world, p.gravity, &err) == TN_OK);
    CHECK(tn_world_set_timestep(world, p.timestep, &err) == TN_OK);
    CHECK(tn_world_set_geom_friction(world, FLOOR, p.friction, &err) == TN_OK);
    CHECK(tn_world_set_geom_size(world, BALL_GEOM, p.size, &err) == TN_OK);
    CHECK(tn_world_set_actuator(world, MOTOR_J, p.gain, p.bias, &err) == TN_OK);
    CHECK(tn_world_set_joint_forces(world, JOINT_J, &p.forces, &err) == TN_OK);
    CHECK(tn_world_set_body_mass(world, box, p.mass, p.com, p.inertia, &err) == TN_OK);
    CHECK(tn_world_set_body_mass(world, ball, p.mass, NULL, NULL, &err) == TN_OK);
}

static void set_all(TnBatch *batch, const TnModel *model, const uint8_t *mask)
{
    TnError err = {0};
    static double gravity[COUNT][3], timestep[COUNT], friction[COUNT][3], size[COUNT][3];
    static double gain[COUNT], bias[COUNT][3], mass[COUNT], com[COUNT][3], inertia[COUNT][6];
    static TnJointForces forces[COUNT];
    TnBodyId box = tn_model_find_body(model, "box"), ball = tn_model_find_body(model, "ball");
    for (int i = 0; i < COUNT; i++) {
        Parameters p = parameters_of(i);
        memcpy(gravity[i], p.gravity, sizeof p.gravity);
        memcpy(friction[i], p.friction, sizeof p.friction);
        memcpy(size[i], p.size, sizeof p.size);
        memcpy(bias[i], p.bias, sizeof p.bias);
        memcpy(com[i], p.com, sizeof p.com);
        memcpy(inertia[i], p.inertia, sizeof p.inertia);
        timestep[i] = p.timestep;
        gain[i] = p.gain;
        mass[i] = p.mass;
        forces[i] = p.forces;
    }
    CHECK(tn_batch_set_gravity(batch, mask, gravity[0], &err) == TN_OK);
    CHECK(tn_batch_set_timestep(batch, mask, timestep, &err) == TN_OK);
    CHECK(tn_batch_set_geom_friction(batch, mask, FLOOR, friction[0], &err) == TN_OK);
    CHECK(tn_batch_set_geom_size(batch, mask, BALL_GEOM, size[0], &err) == TN_OK);
    CHECK(tn_batch_set_actuator(batch, mask, MOTOR_J, gain, bias[0], &err) == TN_OK);
    CHECK(tn_batch_set_joint_forces(batch, mask, JOINT_J, forces, &err) == TN_OK);
    CHECK(tn_batch_set_body_mass(batch, mask, box, mass, com[0], inertia[0], &err) == TN_OK);
    CHECK(tn_batch_set_body_mass(batch, mask, ball, mass, NULL, NULL, &err) == TN_OK);
}

TEST(worlds_with_their_own_parameters_have_the_bits_of_lone_ones)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnWorldDef def = tn_world_def();
    uint8_t mask[COUNT] = {1, 1, 1, 0, 1, 1, 1};
    uint64_t alone[COUNT];
    for (int i = 0; i < COUNT; i++) {
        TnWorld *world = tn_world_create(&def, model, &err);
        if (mask[i]) set_alone(world, model, i);
        for (int k = 0; k < STEPS; k++) tn_world_step(world);
        alone[i] = tn_world_hash(world);
        tn_world_destroy(world);
        for (int j = 0; j < i; j++) CHECK(alone[i] != alone[j]);
    }
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnBatch *batch = make_batch(model, COUNT, threads);
        set_all(batch, model, mask);
        for (int k = 0; k < STEPS; k++) CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
        for (int i = 0; i < COUNT; i++) CHECK(tn_world_hash(tn_batch_world(batch, i)) == alone[i]);
        tn_batch_destroy(batch);
    }
    tn_model_destroy(model);
}

TEST(a_world_that_refuses_a_parameter_is_named_and_the_others_have_theirs)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 3, 2);
    TnBodyId box = tn_model_find_body(model, "box");
    double mass[3] = {1.0, -1.0, NAN};
    CHECK(tn_batch_set_body_mass(batch, NULL, box, mass, NULL, NULL, &err) == TN_ERROR_USAGE);
    CHECK(err.count == 2 && strstr(err.message, "world 1: ") && strstr(err.message, "world 2: "));
    CHECK(strstr(err.message, "mass must be positive") != NULL);
    double before = tn_model_body_info(model, box).mass;
    CHECK(tn_model_body_info(tn_world_model(tn_batch_world(batch, 0)), box).mass == 1.0);
    CHECK(tn_model_body_info(tn_world_model(tn_batch_world(batch, 1)), box).mass == before);
    uint8_t first[3] = {1, 0, 0};
    CHECK(tn_batch_set_body_mass(batch, first, box, mass, NULL, NULL, NULL) == TN_OK);
    CHECK(tn_batch_set_body_mass(batch, NULL, 99, mass, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_gravity(batch, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_timestep(NULL, NULL, mass, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_geom_friction(batch, NULL, 1, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_geom_size(batch, NULL, 1, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_actuator(batch, NULL, 1, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_joint_forces(batch, NULL, 1, NULL, NULL) == TN_ERROR_USAGE);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(one_saved_state_goes_to_the_worlds_of_the_mask)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 3, 2);
    TnBatchView view = tn_batch_view(batch);
    for (int k = 0; k < 20; k++) tn_batch_step(batch, NULL, &err);
    static unsigned char saved[1 << 16];
    size_t size = tn_world_save_size(tn_batch_world(batch, 0)), sizes[3] = {size, size, 5};
    CHECK(size <= sizeof saved);
    CHECK(tn_world_save(tn_batch_world(batch, 0), saved, size, &err) == TN_OK);
    view.ctrl[2] = 1e200; /* world 1 diverges */
    for (int k = 0; k < 5; k++) tn_batch_step(batch, NULL, &err);
    CHECK(view.diverged[1]);
    uint64_t second = tn_world_hash(tn_batch_world(batch, 2));
    const void *states[3] = {saved, saved, saved};
    uint8_t mask[3] = {1, 1, 0};
    CHECK(tn_batch_restore(batch, mask, states, sizes, &err) == TN_OK);
    CHECK(!view.diverged[1] && view.time[0] == view.time[1] && view.time[2] > view.time[0]);
    CHECK(memcmp(view.qpos, view.qpos + 16, 16 * sizeof(double)) == 0);
    CHECK(tn_world_hash(tn_batch_world(batch, 2)) == second);
    for (int k = 0; k < 5; k++) tn_batch_step(batch, NULL, &err);
    CHECK(tn_world_hash(tn_batch_world(batch, 0)) == tn_world_hash(tn_batch_world(batch, 1)));
    err = (TnError){0};
    CHECK(tn_batch_restore(batch, NULL, states, sizes, &err) == TN_ERROR_USAGE);
    CHECK(err.count == 1 && strstr(err.message, "world 2: "));
    CHECK(tn_batch_restore(batch, NULL, NULL, sizes, NULL) == TN_ERROR_USAGE);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(warm_steps_of_a_batch_allocate_nothing)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 4, 2);
    TnBatchView view = tn_batch_view(batch);
    double ctrl[4][3][2] = {0}, qpos[4][3][16], sensors[4][3][5];
    uint8_t diverged[4][3];
    TnRollout rollout = tn_rollout();
    rollout.length = 3;
    rollout.ctrl = &ctrl[0][0][0];
    rollout.qpos = &qpos[0][0][0];
    rollout.sensors = &sensors[0][0][0];
    rollout.diverged = &diverged[0][0];
    for (int k = 0; k < 80; k++) tn_batch_step(batch, NULL, &err);
    tn_batch_rollout(batch, &rollout, &err); /* sensors warm up, too */
    long before = tn_malloc_count();
    for (int k = 0; k < 10; k++) {
        view.ctrl[3] = 0.01 * k;
        tn_batch_step(batch, NULL, &err);
    }
    CHECK(tn_batch_rollout(batch, &rollout, &err) == TN_OK);
    CHECK(tn_malloc_count() == before);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(no_memory_gives_an_error_and_leaves_nothing)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatchDef def = tn_batch_def();
    def.count = 2;
    bool made = false;
    for (long calls = 0; !made && calls < 2000; calls++) {
        err = (TnError){0};
        tn_malloc_fail_after(calls);
        TnBatch *batch = tn_batch_create(&def, model, &err);
        tn_malloc_fail_after(-1);
        made = batch != NULL;
        if (!made) CHECK(err.code == TN_ERROR_MEMORY);
        tn_batch_destroy(batch);
    }
    CHECK(made);
    tn_model_destroy(model);
}

TEST(wrong_arguments_are_errors)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatchDef def = tn_batch_def();
    def.count = 0;
    def.thread_count = 100;
    CHECK(tn_batch_create(&def, model, &err) == NULL && err.count == 2);
    def = tn_batch_def();
    def.thread_count = def.world.thread_count = 2;
    CHECK(tn_batch_create(&def, model, NULL) == NULL);
    CHECK(tn_batch_create(&def, NULL, NULL) == NULL);
    CHECK(tn_batch_create(NULL, model, NULL) == NULL);
    TnBatch *batch = make_batch(model, 2, 1);
    CHECK(tn_batch_world(batch, 2) == NULL && tn_batch_world(batch, -1) == NULL);
    CHECK(tn_batch_step_world(batch, 2, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_push(batch, -1, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_step(NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_sensors(batch, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_rollout(batch, NULL, NULL) == TN_ERROR_USAGE);
    TnRollout rollout = tn_rollout();
    CHECK(tn_batch_rollout(batch, &rollout, NULL) == TN_ERROR_USAGE);
    rollout.length = 3;
    rollout.end = 4;
    CHECK(tn_batch_rollout(batch, &rollout, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_view(NULL).count == 0 && tn_batch_world(NULL, 0) == NULL);
    tn_batch_pull(NULL, 0);
    tn_batch_pull(batch, 7);
    tn_batch_reset(batch, NULL, 99);
    tn_batch_destroy(batch);
    tn_batch_destroy(NULL);
    tn_model_destroy(model);
}
