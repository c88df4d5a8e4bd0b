/* Robots in batches on a device, as loops on the host (src/gpu/batch/batch_block.h): steps against
 * the same batch on the CPU, long runs, controls, and what is refused. */
#include "robots.h"
#include "world/world.h"

#include <math.h>

#define COUNT 3

static TnBatchDef definition(TnDevice device, double tolerance, int iterations)
{
    TnBatchDef def = tn_batch_def();
    def.count = COUNT;
    def.world.device = device;
    def.world.passes = 1;
    def.world.solver.contact_ratio = 0.0;
    def.world.solver.tolerance = tolerance;
    def.world.solver.iterations = iterations;
    def.world.solver.method = TN_METHOD_SUBADMM;
    return def;
}

static TnBatch *open_batch(TnBatchDef def, const TnModel *model)
{
    TnError err = {0};
    TnBatch *batch = tn_batch_create(&def, model, &err);
    if (!batch) test_fail(__FILE__, __LINE__, "%s", err.message);
    return batch;
}

/* On the CPU, with contacts as a device writes them. */
static TnBatch *open_reference(TnBatchDef def, const TnModel *model)
{
    TnBatch *batch = open_batch(def, model);
    for (int i = 0; i < def.count; i++) tn_batch_world(batch, i)->at_start = true;
    return batch;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Steps of both from the same states, which both take as written by hand. */
typedef struct Agreement {
    int steps, agreed, contacts;
} Agreement;

/* Each world has its own mass of the trunk, damping and dry friction of a knee, gain of a servo. */
static void set_parameters(TnBatch *batch)
{
    TnError err = {0};
    const double mass[COUNT] = {4.0, 6.0, 9.0}, gain[COUNT] = {60.0, 90.0, 40.0},
                 bias[COUNT * 3] = {0.0, -60.0, -1.0, 0.0, -90.0, -2.0, 0.0, -40.0, 0.0},
                 gravity[COUNT * 3] = {0.0, 0.0, -9.81, 1.0, 0.0, -9.0, 0.0, 0.5, -4.0};
    TnJointForces forces[COUNT];
    for (int i = 0; i < COUNT; i++)
        forces[i] = (TnJointForces){.damping = 0.2 * i, .armature = 0.02, .friction_loss = 0.1 * i};
    CHECK(tn_batch_set_gravity(batch, NULL, gravity, &err) == TN_OK);
    CHECK(tn_batch_set_body_mass(batch, NULL, 2, mass, NULL, NULL, &err) == TN_OK);
    CHECK(tn_batch_set_actuator(batch, NULL, 3, gain, bias, &err) == TN_OK);
    CHECK(tn_batch_set_joint_forces(batch, NULL, 4, forces, &err) == TN_OK);
    if (err.count) test_fail(__FILE__, __LINE__, "%s", err.message);
}

typedef struct Comparison {
    TnDevice device;
    double tolerance, apart;
    int iterations, steps;
    double shake; /* of controls and velocities */
    TnKeyId key;
    bool own; /* parameters of each world */
} Comparison;

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Steps that both solve. What a step solves for shows in the positions as well as in the
 * velocities, and one of them will do: the CPU takes energy that a step made off the velocities
 * (account/balance.c) and cuts ways that would end inside of something (step/limit.c); a device
 * does neither. */
static void compare_rows(const TnBatchView *a, const TnBatchView *b, const double *qpos,
                         const double *zero, const Comparison *how, Agreement *out)
{
    for (int i = 0; i < COUNT; i++) {
        int q = i * a->qpos_count, v = i * a->dof_count;
        double way = largest_difference(a->qpos + q, qpos + q, a->qpos_count),
               speed = largest_difference(a->qvel + v, zero, a->dof_count),
               off = largest_difference(a->qpos + q, b->qpos + q, a->qpos_count),
               off_speed = largest_difference(a->qvel + v, b->qvel + v, a->dof_count);
        CHECK(!b->diverged[i]);
        out->contacts += b->reports[i].contact_count;
        if (getenv("SHOW"))
            printf("%d: way %.2g off %.2g speed %.2g off %.2g contacts %d %d error %.1g %.1g\n", i,
                   way, off, speed, off_speed, a->reports[i].contact_count,
                   b->reports[i].contact_count, a->reports[i].error, b->reports[i].error);
        bool solved = a->reports[i].error < 1e-9 && b->reports[i].error < 1e-9;
        if (!solved && how->tolerance > 0.0) continue;
        out->steps++;
        out->agreed += off < how->apart * fmax(way, 1e-6) || off_speed < how->apart * speed;
    }
}

static Agreement compare(TnModel *model, Comparison how)
{
    Agreement out = {0};
    TnError err = {0};
    uint64_t seed = 7;
    TnBatchDef def = definition(TN_DEVICE_CPU, how.tolerance, how.iterations);
    def.world.key = how.key;
    TnBatch *here = open_reference(def, model);
    def.world.device = how.device;
    TnBatch *there = open_batch(def, model);
    if (how.own) {
        set_parameters(here);
        set_parameters(there);
    }
    TnBatchView a = tn_batch_view(here), b = tn_batch_view(there);
    size_t q = (size_t)(COUNT * a.qpos_count), v = (size_t)(COUNT * a.dof_count);
    double *before = calloc(q, sizeof(double)), *zero = calloc(v, sizeof(double)),
           *ctrl = calloc((size_t)(COUNT * a.ctrl_count + 1), sizeof(double));
    memcpy(ctrl, a.ctrl, sizeof(double) * (size_t)(COUNT * a.ctrl_count));
    for (int k = 0; k < how.steps; k++) {
        for (size_t d = 0; d < v; d++) a.qvel[d] += how.shake * uniform(&seed);
        for (int i = 0; i < COUNT * a.ctrl_count; i++)
            b.ctrl[i] = a.ctrl[i] = ctrl[i] + how.shake * uniform(&seed);
        memcpy(b.qpos, a.qpos, sizeof(double) * q);
        memcpy(b.qvel, a.qvel, sizeof(double) * v);
        memcpy(before, a.qpos, sizeof(double) * q);
        CHECK(tn_batch_step(here, NULL, &err) == TN_OK);
        CHECK(tn_batch_step(there, NULL, &err) == TN_OK);
        compare_rows(&a, &b, before, zero, &how, &out);
    }
    free(before);
    free(ctrl);
    free(zero);
    tn_batch_destroy(here);
    tn_batch_destroy(there);
    tn_model_destroy(model);
    if (getenv("SHOW"))
        printf("agreed %d of %d, contacts %d\n", out.agreed, out.steps, out.contacts);
    return out;
}

/* Solved to 1e-10 of gravity × timestep by both. */
#define EXACT TN_DEVICE_CUDA64, 1e-10, 1e-8, 5000

TEST(a_quadruped_with_servos_steps_as_on_the_cpu)
{
    Agreement a = compare(open_quadruped(true, ""), (Comparison){EXACT, 40, 0.1, 1, false});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 9);
}

TEST(a_quadruped_with_motors_and_springs_steps_as_on_the_cpu)
{
    Agreement a = compare(open_quadruped(false, ""), (Comparison){EXACT, 40, 0.1, 1, false});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 9);
}

TEST(each_world_has_its_own_parameters)
{
    Agreement a = compare(open_quadruped(true, ""), (Comparison){EXACT, 30, 0.1, 1, true});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 9);
}

TEST(a_gripper_steps_as_on_the_cpu)
{
    Agreement a = compare(open_gripper(), (Comparison){EXACT, 40, 0.05, 1, false});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 8);
}

/* Limits of balls in the middle of their motion, and a tree on the world. */
TEST(ball_joints_step_as_on_the_cpu)
{
    TnError err = {0};
    TnModel *model =
        load_text("<mujoco><option timestep='.005'/><default><joint damping='.02'/></default>"
                  "<worldbody><geom type='plane' size='9 9 1' pos='0 0 -.5'/><body pos='0 0 .2'>"
                  "<joint type='ball' range='0 50' limited='true'/>"
                  "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='1'/>"
                  "<body pos='.33 0 0'><joint type='ball'/>"
                  "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='1'/>"
                  "<body pos='.33 0 0'><joint type='hinge' axis='0 0 1' frictionloss='.05'/>"
                  "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='1'/></body></body>"
                  "</body></worldbody></mujoco>",
                  &err);
    Agreement a = compare(model, (Comparison){EXACT, 60, 0.3, 0, false});
    CHECK(a.agreed * 10 >= a.steps * 9);
}

/* Two pendulums that nothing touches, one of them fast, at a large step; a slide that has reached
 * its end; no actuator. */
TEST(robots_without_contacts_step_as_on_the_cpu)
{
    TnError err = {0};
    TnModel *model = load_text(
        "<mujoco><option timestep='.02'/><worldbody>"
        "<body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' "
        "contype='0' conaffinity='0'/><body pos='.3 0 0'><joint axis='0 1 0' stiffness='500' "
        "damping='3'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' contype='0' "
        "conaffinity='0'/></body></body>"
        "<body pos='1 0 0'><joint type='slide' axis='0 0 1' range='-.001 1' limited='true' "
        "frictionloss='.1'/><geom size='.05' contype='0' conaffinity='0'/>"
        "<body pos='0 .1 0'><joint axis='1 0 0'/><geom size='.05' pos='0 0 .2' contype='0' "
        "conaffinity='0'/></body></body></worldbody></mujoco>",
        &err);
    Agreement a = compare(model, (Comparison){EXACT, 60, 0.5, 0, false});
    CHECK(a.contacts == 0 && a.agreed * 10 >= a.steps * 9);
}

/* A robot that flies to pieces stops alone. */
TEST(a_robot_that_diverges_keeps_its_last_good_state)
{
    TnModel *model = open_quadruped(true, "");
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 10);
    def.world.key = 1;
    TnBatch *batch = open_batch(def, model);
    TnBatchView v = tn_batch_view(batch);
    double x = v.qpos[v.qpos_count + 2];
    v.qvel[v.dof_count + 8] = 1e200;
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    CHECK(!v.diverged[0] && v.diverged[1] && !v.diverged[2]);
    CHECK(v.qpos[v.qpos_count + 2] == x && v.time[1] == 0.0 && v.time[2] > 0.0);
    memset(v.qvel + v.dof_count, 0, sizeof(double) * (size_t)v.dof_count);
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    CHECK(!v.diverged[1] && v.time[1] > 0.0);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

/* As far as 60 iterations get: the difference is rounding. */
TEST(single_precision_is_near)
{
    Agreement a = compare(open_quadruped(true, ""),
                          (Comparison){TN_DEVICE_CUDA, 0.0, 1e-4, 60, 20, 0.1, 1, false});
    CHECK(a.steps > 50);
    CHECK(a.agreed * 10 >= a.steps * 8);
}

/* The last forces and velocities of robots are kept: without a hand that writes states, worlds go
 * on as on the CPU, until what the CPU corrects adds up. */
TEST(steps_go_on_from_their_own_states)
{
    TnModel *model = open_quadruped(true, "");
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CPU, 1e-10, 5000);
    def.world.key = 1;
    TnBatch *here = open_reference(def, model);
    def.world.device = TN_DEVICE_CUDA64;
    TnBatch *there = open_batch(def, model);
    TnBatchView a = tn_batch_view(here), b = tn_batch_view(there);
    for (int k = 0; k < 10; k++) {
        CHECK(tn_batch_step(here, NULL, &err) == TN_OK);
        CHECK(tn_batch_step(there, NULL, &err) == TN_OK);
        /* the second step, of robots that are pushed from its start, is the same; then v⁺ of the
         * CPU is less by what its account of energy takes, and that adds up */
        CHECK(largest_difference(a.qpos, b.qpos, COUNT * a.qpos_count) < (k < 2 ? 1e-12 : 1e-3));
    }
    tn_batch_destroy(here);
    tn_batch_destroy(there);
    tn_model_destroy(model);
}

/* By the default options, in single precision: the legs carry the trunk, and nothing drifts. */
TEST(a_quadruped_stands)
{
    TnModel *model = open_quadruped(true, "");
    TnError err = {0};
    TnBatchDef def = tn_batch_def();
    def.count = 2;
    def.world.device = TN_DEVICE_CUDA;
    def.world.key = 1;
    TnBatch *batch = open_batch(def, model);
    TnBatchView v = tn_batch_view(batch);
    double before[19];
    CHECK(tn_batch_device_step(batch, 600, NULL, &err) == TN_OK);
    CHECK(tn_batch_fetch(batch, &err) == TN_OK);
    memcpy(before, v.qpos, sizeof before);
    CHECK(tn_batch_device_step(batch, 400, NULL, &err) == TN_OK);
    CHECK(tn_batch_fetch(batch, &err) == TN_OK);
    CHECK(v.qpos[2] > 0.33 && v.qpos[2] < 0.355);         /* m: 0.355 with the legs of the key */
    CHECK(largest_difference(v.qpos, before, 19) < 1e-4); /* in 2 s */
    CHECK(v.reports[0].contact_count == 4);
    CHECK(v.reports[0].converged && v.reports[0].max_penetration < 1e-4);
    CHECK(memcmp(v.qpos, v.qpos + v.qpos_count, sizeof before) == 0);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

/* Falling, and with no one who drives it: what there was of energy is never more. */
TEST(a_quadruped_that_falls_gains_no_energy)
{
    TnModel *model = open_quadruped(false, "");
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CUDA64, 1e-8, 2000);
    def.world.key = 1;
    TnBatch *batch = open_batch(def, model);
    TnBatchView v = tn_batch_view(batch);
    TnWorldDef plain = tn_world_def();
    TnWorld *world = tn_world_create(&plain, model, &err);
    uint64_t seed = 3;
    for (int i = 0; i < COUNT * v.dof_count; i++) v.qvel[i] = uniform(&seed);
    for (int i = 0; i < COUNT; i++) v.qpos[i * v.qpos_count + 2] += 0.3;
    double last[COUNT], most = 0.0, first = 0.0;
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < COUNT; i++) {
            CHECK(tn_world_set_state(world, v.qpos + i * v.qpos_count, v.qvel + i * v.dof_count,
                                     &err) == TN_OK);
            TnEnergy e = tn_world_energy(world);
            double now = e.kinetic + e.potential;
            if (k == 0) first = fmax(first, fabs(now));
            if (k > 0) most = fmax(most, now - last[i]);
            last[i] = now;
        }
        CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    }
    for (int i = 0; i < COUNT; i++) CHECK(!v.diverged[i]);
    CHECK(most < 2e-4 * first); /* J; what a step makes: there is no account that takes it off */
    tn_world_destroy(world);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

/* A spring holds a joint at its limit while the arm swings. The limit gives no energy, and takes
 * none on the CPU. */
TEST(a_limit_that_holds_gives_no_energy)
{
    TnError err = {0};
    TnModel *model =
        load_text("<mujoco><option timestep='.005'/><default><geom contype='0' conaffinity='0'/>"
                  "</default><worldbody><body pos='0 0 2'><joint axis='0 1 0'/>"
                  "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/><body pos='.3 0 0'>"
                  "<joint axis='0 1 0' limited='true' range='0 90' stiffness='5' springref='-120'/>"
                  "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02'/></body></body>"
                  "</worldbody></mujoco>",
                  &err);
    for (int k = 0; k < 2; k++) {
        TnBatchDef def = definition(k ? TN_DEVICE_CUDA64 : TN_DEVICE_CPU, 1e-8, 2000);
        TnBatch *batch = open_batch(def, model);
        TnBatchView v = tn_batch_view(batch);
        TnWorldDef plain = tn_world_def();
        TnWorld *world = tn_world_create(&plain, model, &err);
        TnEnergy start = tn_world_energy(world);
        for (int i = 0; i < 1000; i++) CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
        CHECK(tn_world_set_state(world, v.qpos, v.qvel, &err) == TN_OK);
        TnEnergy end = tn_world_energy(world);
        double gained = end.kinetic + end.potential + end.elastic -
                        (start.kinetic + start.potential + start.elastic);
        CHECK_NEAR(v.qpos[1], 0.0, 1e-3);
        CHECK(gained < 1e-3 && gained > (k ? -0.5 : -0.01)); /* J; 1.6 go to and fro */
        tn_world_destroy(world);
        tn_batch_destroy(batch);
    }
    tn_model_destroy(model);
}

/* The fingers carry the box while the arm swings it; controls are written where the rows are. */
TEST(an_arm_holds_a_box)
{
    TnModel *model = open_gripper();
    TnError err = {0};
    TnBatchDef def = tn_batch_def();
    def.count = 2;
    def.world.device = TN_DEVICE_CUDA;
    def.world.key = 1;
    TnBatch *batch = open_batch(def, model);
    TnBatchView v = tn_batch_view(batch);
    TnBatchDeviceView there = tn_batch_device_view(batch);
    CHECK(there.ctrl[3] == 10.0);
    for (int k = 0; k < 200; k++) {
        there.ctrl[0] = 0.3 * sin(0.03 * k); /* of the first world */
        there.ctrl[1] = 0.05 * sin(0.05 * k);
        CHECK(tn_batch_device_step(batch, 2, NULL, &err) == TN_OK);
    }
    CHECK(tn_batch_fetch(batch, &err) == TN_OK);
    CHECK(v.ctrl[0] == there.ctrl[0]);
    CHECK(v.qpos[2] > 0.05 && v.qpos[v.qpos_count + 2] > 0.1); /* m above the ground */
    CHECK(fabs(v.qpos[v.qpos_count]) < 0.01 && fabs(v.qpos[1]) > 1e-3);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(controls_are_rows)
{
    TnModel *model = open_quadruped(true, "");
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 20);
    def.world.key = 1;
    TnBatch *batch = open_batch(def, model), *other = open_batch(def, model);
    TnBatchView v = tn_batch_view(batch), o = tn_batch_view(other);
    double ctrl[COUNT * 2 * 12];
    for (int i = 0; i < COUNT * 2 * 12; i++) ctrl[i] = v.ctrl[i % 12] + 0.01 * i / 12;
    TnRollout rollout = tn_rollout();
    rollout.length = 2;
    rollout.repeat = 3;
    rollout.ctrl = ctrl;
    CHECK(tn_batch_rollout(batch, &rollout, &err) == TN_OK);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < COUNT; i++)
            memcpy(o.ctrl + 12 * i, ctrl + 12 * (2 * i + k), sizeof(double[12]));
        for (int j = 0; j < 3; j++) CHECK(tn_batch_step(other, NULL, &err) == TN_OK);
    }
    CHECK(memcmp(v.qpos, o.qpos, sizeof(double) * (size_t)(COUNT * v.qpos_count)) == 0);
    CHECK(v.qvel[7] != v.qvel[v.dof_count + 7]);
    v.ctrl[12] = NAN;
    CHECK(tn_batch_step(batch, NULL, &err) == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "world 1") != NULL && v.ctrl[12] == ctrl[12 * 3]);
    tn_batch_reset(batch, NULL, 1);
    CHECK(v.ctrl[12] == v.ctrl[0] && v.time[1] == 0.0);
    tn_batch_destroy(batch);
    tn_batch_destroy(other);
    tn_model_destroy(model);
}

static void check_refused(const char *text, const char *what)
{
    TnError err = {0};
    TnModel *model = load_text(text, &err);
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 10);
    TnBatch *batch = tn_batch_create(&def, model, &err);
    CHECK(batch == NULL);
    if (!strstr(err.message, what))
        test_fail(__FILE__, __LINE__, "expected '%s', got: %s", what, err.message);
    CHECK(strstr(err.message, "use device cpu") != NULL);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

#define ARM                                                                                        \
    "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/><body pos='0 0 .3'><joint "        \
    "name='k'/><geom size='.1'/></body></body></worldbody>"

TEST(what_robots_cannot_have_there_is_named)
{
    check_refused(ARM "<equality><joint joint1='j' joint2='k'/></equality></mujoco>",
                  "an equality");
    check_refused(ARM
                  "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' coef='1'/>"
                  "</fixed></tendon></mujoco>",
                  "a tendon");
    check_refused(ARM "<actuator><general name='slow' joint='j' dyntype='filter' dynprm='1'/>"
                      "</actuator></mujoco>",
                  "an actuator with an activation ('slow')");
}
