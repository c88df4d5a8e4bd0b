/* Batches on a device, as loops on the host (src/gpu/batch/batch_block.h): rows against the same
 * batch on the CPU, parameters and masks per world, worlds that diverge, what is refused, memory
 * that grows and memory that runs out. */
#include "../step/text_scene.h"
#include "world/world.h"

#include <math.h>

extern size_t tn_gpu_memory_limit;

#define COUNT 3

/* Bodies in layers in a tray: spheres and capsules, and a box that slides; or spheres alone. */
static TnModel *open_tray_of(int bodies, bool spheres)
{
    TnError err = {0};
    static Text text;
    text.length = 0;
    text_add(&text,
             "<mujoco><option timestep='.005'/><default><geom friction='.1'/></default><worldbody>"
             "<geom type='plane' size='5 5 1'/>"
             "<geom type='box' contype='2' conaffinity='1' pos='.25 0 .1' size='.02 .3 .1'/>"
             "<geom type='box' contype='2' conaffinity='1' pos='-.25 0 .1' size='.02 .3 .1'/>"
             "<body mocap='true' pos='.02 -.45 .08'><geom type='capsule' size='.03 .1'/></body>");
    if (!spheres)
        text_add(&text, "<body pos='0 .5 .051'><freejoint/><geom type='box' contype='4' "
                        "conaffinity='1' size='.06 .05 .05'/></body>");
    for (int i = 0; i < bodies; i++) {
        int x = i % 3, y = i / 3 % 3, z = i / 9;
        text_add(&text, "<body pos='%g %g %g' euler='%d %d %d'><freejoint/>%s</body>",
                 0.13 * (x - 1) + 0.01 * (z % 3), 0.13 * (y - 1) - 0.007 * (z % 2), 0.07 + 0.12 * z,
                 31 * i % 90, 17 * i % 90, 7 * i % 90,
                 i % 4 == 3 && !spheres ? "<geom type='capsule' size='.03 .03'/>"
                                        : "<geom size='.05'/>");
    }
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

static TnModel *open_tray(int bodies) { return open_tray_of(bodies, false); }

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

/* Each world has its own gravity, friction, mass and timestep. */
static void set_parameters(TnBatch *batch)
{
    TnError err = {0};
    const double gravity[COUNT * 3] = {1.5, 0.0, -9.81, 0.0, 1.0, -5.0, -1.0, 1.0, -9.0};
    const double friction[COUNT * 3] = {0.3, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double mass[COUNT] = {1.0, 3.0, 0.5}, timestep[COUNT] = {0.005, 0.004, 0.005};
    const uint8_t mask[COUNT] = {1, 0, 1};
    CHECK(tn_batch_set_gravity(batch, NULL, gravity, &err) == TN_OK);
    CHECK(tn_batch_set_geom_friction(batch, NULL, 1, friction, &err) == TN_OK);
    CHECK(tn_batch_set_body_mass(batch, mask, 5, mass, NULL, NULL, &err) == TN_OK);
    CHECK(tn_batch_set_timestep(batch, NULL, timestep, &err) == TN_OK);
}

/* The paddle goes through the tray, in each world at its own speed, and turns. */
static void move_paddle(TnBatch *batch, int step)
{
    TnError err = {0};
    double pos[COUNT * 3], quat[COUNT * 4];
    for (int i = 0; i < COUNT; i++) {
        double x = 0.001 * (i + 1) * (step + 1);
        memcpy(pos + 3 * i, (const double[3]){0.02, x - 0.45, 0.08}, sizeof(double[3]));
        memcpy(quat + 4 * i, (const double[4]){cos(x), sin(x), 0.0, 0.0}, sizeof(double[4]));
    }
    CHECK(tn_batch_set_mocap(batch, NULL, 2, pos, quat, &err) == TN_OK);
}

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* The same steps from the same states. A device lists contacts of whatever may be stopped, and does
 * not look for those that the motion closes unforeseen; steps in which that matters are few. */
typedef struct Agreement {
    int steps, agreed, contacts;
} Agreement;

static void compare_rows(const TnBatchView *a, const TnBatchView *b, double apart, Agreement *out)
{
    for (int i = 0; i < COUNT; i++) {
        const double *v = a->qvel + i * a->dof_count;
        double speed = 0.0;
        for (int d = 0; d < a->dof_count; d++) speed = fmax(speed, fabs(v[d]));
        CHECK_NEAR(a->time[i], b->time[i], 1e-12);
        CHECK(speed > 0.01);
        out->steps++;
        out->contacts += a->reports[i].contact_count;
        out->agreed +=
            largest_difference(v, b->qvel + i * a->dof_count, a->dof_count) < apart * speed;
    }
}

static Agreement compare(TnModel *model, TnDevice known, TnDevice device, double tolerance,
                         int iterations, double apart)
{
    Agreement out = {0};
    TnError err = {0};
    TnBatchDef def = definition(known, tolerance, iterations);
    def.world.solver.warm_start = 0.0;
    TnBatch *here = known == TN_DEVICE_CPU ? open_reference(def, model) : open_batch(def, model);
    def.world.device = device;
    TnBatch *there = open_batch(def, model);
    TnBatchView a = tn_batch_view(here), b = tn_batch_view(there);
    TnWorldDef plain = tn_world_def();
    TnWorld *settled = tn_world_create(&plain, model, &err);
    for (int k = 0; k < 200; k++) (void)tn_world_step(settled);
    TnStateView state = tn_world_state(settled);
    for (int i = 0; i < COUNT; i++) {
        memcpy(a.qpos + i * a.qpos_count, state.qpos, sizeof(double) * (size_t)a.qpos_count);
        memcpy(a.qvel + i * a.dof_count, state.qvel, sizeof(double) * (size_t)a.dof_count);
    }
    set_parameters(here);
    set_parameters(there);
    for (int k = 0; k < 12; k++) {
        move_paddle(here, k);
        move_paddle(there, k);
        memcpy(b.qpos, a.qpos, sizeof(double) * (size_t)(COUNT * a.qpos_count));
        memcpy(b.qvel, a.qvel, sizeof(double) * (size_t)(COUNT * a.dof_count));
        CHECK(tn_batch_step(here, NULL, &err) == TN_OK);
        CHECK(tn_batch_step(there, NULL, &err) == TN_OK);
        compare_rows(&a, &b, apart, &out);
    }
    tn_world_destroy(settled);
    tn_batch_destroy(here);
    tn_batch_destroy(there);
    tn_model_destroy(model);
    return out;
}

TEST(rows_agree_with_the_cpu_in_double)
{
    /* solved to 1e-10 of gravity × timestep; some worlds only get to 1e-8 in 3000 iterations */
    Agreement a = compare(open_tray(27), TN_DEVICE_CPU, TN_DEVICE_CUDA64, 1e-10, 3000, 1e-8);
    CHECK(a.contacts > 40 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 7);
}

TEST(rows_agree_with_the_cpu_in_single)
{
    /* as far as so many iterations get: the difference is rounding */
    Agreement a = compare(open_tray(27), TN_DEVICE_CPU, TN_DEVICE_CUDA, 0.0, 60, 1e-5);
    CHECK(a.agreed * 10 >= a.steps * 8);
}

TEST(spheres_agree_with_the_cpu)
{
    Agreement a = compare(open_tray_of(27, true), TN_DEVICE_CPU, TN_DEVICE_CUDA, 0.0, 60, 1e-5);
    CHECK(a.contacts > 30 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 8);
}

/* Plates of 16 spheres, upon each other and among spheres, some of which are fixed or led: bodies
 * with more contacts than a thread has, so others help it (src/gpu/chip/chip_plan.h). */
static TnModel *open_plates(void)
{
    TnError err = {0};
    static Text text;
    text.length = 0;
    text_add(&text,
             "<mujoco><option timestep='.005'/><default><geom friction='.1'/></default>"
             "<worldbody><geom type='plane' size='5 5 1'/>"
             "<geom pos='-.154 -.02 .05' size='.04'/><geom pos='.403 .04 .05' size='.04'/>"
             "<body mocap='true' pos='.02 -.45 .08'><geom type='capsule' size='.03 .1'/></body>"
             "<body mocap='true' pos='.08 .16 .06'><geom size='.045'/></body>");
    for (int i = 0; i < 6; i++) {
        text_add(&text, "<body pos='%g %g %g'><freejoint/>", 0.25 * (i % 2), 0.013 * i,
                 0.05 + 0.075 * (i / 2));
        for (int k = 0; k < 16; k++)
            text_add(&text, "<geom size='.04' pos='%g %g 0'/>", 0.05 * (k % 4) - 0.075,
                     0.05 * (k / 4) - 0.075);
        text_add(&text, "</body>");
    }
    for (int i = 0; i < 12; i++)
        text_add(&text, "<body pos='%g %g %g'><freejoint/><geom size='.03'/></body>",
                 0.08 * (i % 4) - 0.08, 0.08 * (i / 4) - 0.1, 0.32);
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

/* The general way, in double, is another iteration over the same contacts; of plates the CPU takes
 * off what a step makes of energy. */
TEST(bodies_with_many_contacts_agree_with_the_general_way)
{
    Agreement a = compare(open_plates(), TN_DEVICE_CUDA64, TN_DEVICE_CUDA, 0.0, 60, 1e-6);
    CHECK(a.contacts > 150 * a.steps);
    CHECK(a.agreed == a.steps);
}

/* Two that are apart, of two spheres on one body and of an odd inertia, fly into others: a step of
 * a world of spheres, and of the same one with a capsule far away, whose contacts are found by the
 * routines for all shapes. */
TEST(worlds_of_spheres_step_as_others_do)
{
    static const char *const more[] = {
        "", "<body pos='9 9 9'><freejoint/><geom type='capsule' size='.1 .1'/></body>"};
    const double tolerances[] = {0.0, 1e-6};
    for (int t = 0; t < 2; t++) {
        TnBatch *batches[2];
        TnModel *models[2];
        int agreed = 0;
        TnError err = {0};
        for (int k = 0; k < 2; k++) {
            static Text text;
            text.length = 0;
            text_add(
                &text,
                "<mujoco><option timestep='.004'/><default><geom friction='.4'/></default>"
                "<worldbody><geom type='plane' size='5 5 1' margin='.002'/>"
                "<geom type='cylinder' pos='.3 0 .05' size='.05 .05'/>"
                "<geom type='box' pos='-.3 0 .05' size='.05 .05 .05'/>"
                "<geom type='capsule' pos='0 .3 .02' size='.05 .01'/>"
                "<body mocap='true' pos='0 -.3 .03'><geom type='capsule' size='.05 .01'/></body>");
            for (int i = 0; i < 12; i++)
                text_add(&text,
                         "<body pos='%g %g %g' euler='%d 20 %d'><freejoint/><geom size='.03' "
                         "pos='.02 .01 0'/>%s</body>",
                         0.1 * (i % 4 - 1.5), 0.1 * (i / 4 % 3 - 1), 0.06 + 0.02 * (i % 3), 31 * i,
                         17 * i, i % 2 ? "<geom size='.025' pos='-.02 0 .01' margin='.001'/>" : "");
            text_add(&text, "%s</worldbody></mujoco>", more[k]);
            models[k] = load_text(text.text, &err);
            batches[k] =
                open_batch(definition(TN_DEVICE_CUDA, tolerances[t], t ? 2000 : 40), models[k]);
        }
        TnBatchView a = tn_batch_view(batches[0]), b = tn_batch_view(batches[1]);
        for (int k = 0; k < 60; k++) {
            for (int i = 0; i < COUNT; i++) { /* from the same state, shaken */
                double *v = a.qvel + i * a.dof_count;
                for (int d = 0; k % 20 == 0 && d < a.dof_count; d++)
                    v[d] += (d % 6 < 3 ? 1.0 : 20.0) * sin(1.7 * d + i + k);
                memcpy(b.qpos + i * b.qpos_count, a.qpos + i * a.qpos_count,
                       sizeof(double) * (size_t)a.qpos_count);
                memcpy(b.qvel + i * b.dof_count, v, sizeof(double) * (size_t)a.dof_count);
            }
            CHECK(tn_batch_step(batches[0], NULL, &err) == TN_OK);
            CHECK(tn_batch_step(batches[1], NULL, &err) == TN_OK);
            for (int i = 0; i < COUNT; i++) {
                /* rounding to single precision, of speeds of up to 20; one step has two solutions:
                 * both are found to 3e-6 of gravity × timestep, and are 0.07 apart */
                double apart = largest_difference(a.qvel + i * a.dof_count,
                                                  b.qvel + i * b.dof_count, a.dof_count);
                CHECK(a.reports[i].contact_count == b.reports[i].contact_count);
                CHECK_NEAR(a.reports[i].max_penetration, b.reports[i].max_penetration, 1e-7);
                agreed += apart < 2e-4;
            }
        }
        CHECK(agreed >= 60 * COUNT - 2);
        for (int k = 0; k < 2; k++) {
            tn_batch_destroy(batches[k]);
            tn_model_destroy(models[k]);
        }
    }
}

/* Boxes upon boxes, and a cylinder that balls lie against, at rest: a step of each from the same
 * state, and what the CPU finds, to 1e-6 of gravity × timestep. */
TEST(boxes_and_cylinders_agree_with_the_cpu)
{
    TnError err = {0};
    TnModel *model = load_text(
        "<mujoco><option timestep='.005'/><default><geom friction='.4'/></default><worldbody>"
        "<geom type='plane' contype='3' conaffinity='3' size='5 5 1'/>"
        "<body pos='0 0 .05'><freejoint/><geom type='box' size='.06 .05 .05'/></body>"
        "<body pos='.01 .01 .15'><freejoint/><geom type='box' size='.06 .05 .05'/></body>"
        "<body pos='.05 0 .25' euler='0 0 20'><freejoint/><geom type='box' size='.03 .05 "
        ".05'/></body>"
        "<body pos='1 0 .1'><freejoint/><geom type='cylinder' contype='2' conaffinity='2' "
        "size='.05 .1'/></body>"
        "<body pos='1.1 0 .05'><freejoint/><geom contype='3' conaffinity='3' size='.05'/></body>"
        "<body pos='.92 0 .03' euler='90 0 0'><freejoint/><geom type='capsule' size='.03 "
        ".05'/></body>"
        "</worldbody></mujoco>",
        &err);
    TnBatchDef def = definition(TN_DEVICE_CPU, 1e-10, 20000);
    TnBatch *here = open_batch(def, model);
    def.world.device = TN_DEVICE_CUDA64;
    TnBatch *there = open_batch(def, model);
    TnBatchView a = tn_batch_view(here), b = tn_batch_view(there);
    int agreed = 0;
    for (int k = 0; k < 60; k++) {
        memcpy(b.qpos, a.qpos, sizeof(double) * (size_t)(COUNT * a.qpos_count));
        memcpy(b.qvel, a.qvel, sizeof(double) * (size_t)(COUNT * a.dof_count));
        CHECK(tn_batch_step(here, NULL, &err) == TN_OK);
        CHECK(tn_batch_step(there, NULL, &err) == TN_OK);
        CHECK(b.reports[0].contact_count >= 12);
        agreed += largest_difference(a.qvel, b.qvel, a.dof_count) < 1e-6 * 9.81 * 0.005;
    }
    /* the rest are steps of an impact: contacts are listed as they are at a step's start */
    CHECK(agreed >= 54);
    CHECK_NEAR(b.qpos[2], 0.05, 1e-4);
    CHECK_NEAR(b.qpos[9], 0.15, 2e-4);
    CHECK_NEAR(b.qpos[16], 0.25, 3e-4);
    tn_batch_destroy(here);
    tn_batch_destroy(there);
    tn_model_destroy(model);
}

/* A ball is pushed along by a hand that nothing pushes. */
TEST(mocap_bodies_push)
{
    TnError err = {0};
    TnModel *model = load_text("<mujoco><option timestep='.01'/><worldbody>"
                               "<geom type='plane' size='5 5 1' friction='0'/>"
                               "<body mocap='true' pos='-.11 0 .05'><geom size='.05'/></body>"
                               "<body pos='0 0 .05'><freejoint/><geom size='.05' friction='0'/>"
                               "</body></worldbody></mujoco>",
                               &err);
    TnBatch *batch = open_batch(definition(TN_DEVICE_CUDA64, 1e-10, 500), model);
    TnBatchView v = tn_batch_view(batch);
    double pos[COUNT * 3] = {0.0};
    for (int k = 1; k <= 20; k++) {
        for (int i = 0; i < COUNT; i++) {
            pos[3 * i] = -0.11 + 0.01 * i * k;
            pos[3 * i + 2] = 0.05;
        }
        CHECK(tn_batch_set_mocap(batch, NULL, 2, pos, NULL, &err) == TN_OK);
        CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    }
    /* 0, 1 and 2 m/s; the ball does not go ahead, and is as far away as both radii */
    for (int i = 0; i < COUNT; i++) CHECK_NEAR(v.qvel[i * v.dof_count], 1.0 * i, 1e-3);
    CHECK_NEAR(v.qpos[2 * v.qpos_count] - pos[6], 0.1, 1e-4);
    CHECK(v.qpos[0] == 0.0);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(a_world_without_bodies_passes_time)
{
    TnError err = {0};
    TnModel *model = load_text(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/></worldbody></mujoco>", &err);
    const double tolerances[] = {0.0, 1e-6};
    for (int k = 0; k < 2; k++) {
        TnBatch *batch = open_batch(definition(TN_DEVICE_CUDA, tolerances[k], 20), model);
        CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
        CHECK(tn_batch_view(batch).time[COUNT - 1] > 0.0);
        CHECK(tn_batch_view(batch).reports[0].contact_count == 0);
        tn_batch_destroy(batch);
    }
    tn_model_destroy(model);
}

/* By the default options contacts yield, and the error is 100 × tolerance. */
TEST(default_options_converge)
{
    TnModel *model = open_tray(27);
    TnBatchDef def = tn_batch_def();
    TnError err = {0};
    def.count = 2;
    def.world.device = TN_DEVICE_CUDA;
    TnBatch *batch = open_batch(def, model);
    int converged = 0;
    for (int k = 0; k < 60; k++) {
        CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
        converged += tn_batch_view(batch).reports[1].converged;
    }
    CHECK(converged >= 57);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(steps_in_one_call_and_in_many_have_the_same_bits)
{
    TnModel *model = open_tray(18);
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 20);
    TnBatch *one = open_batch(def, model), *many = open_batch(def, model);
    TnBatchView a = tn_batch_view(one), b = tn_batch_view(many);
    set_parameters(one);
    set_parameters(many);
    CHECK(tn_batch_device_view(one).memory == 1);
    CHECK(tn_batch_device_step(one, 40, NULL, &err) == TN_OK);
    CHECK(a.time[0] == 0.0); /* the copy is not renewed yet */
    CHECK(tn_batch_fetch(one, &err) == TN_OK);
    for (int k = 0; k < 40; k++) CHECK(tn_batch_step(many, NULL, &err) == TN_OK);
    CHECK(memcmp(a.qpos, b.qpos, sizeof(double) * (size_t)(COUNT * a.qpos_count)) == 0);
    CHECK(memcmp(a.qvel, b.qvel, sizeof(double) * (size_t)(COUNT * a.dof_count)) == 0);
    CHECK(memcmp(a.time, b.time, sizeof(double) * COUNT) == 0);
    CHECK(a.time[0] > 0.19);
    tn_batch_destroy(one);
    tn_batch_destroy(many);
    tn_model_destroy(model);
}

TEST(masks_rows_and_resets)
{
    TnModel *model = open_tray(9);
    TnError err = {0};
    TnBatch *batch = open_batch(definition(TN_DEVICE_CUDA, 0.0, 10), model);
    TnBatchView v = tn_batch_view(batch);
    TnBatchDeviceView there = tn_batch_device_view(batch);
    const uint8_t mask[COUNT] = {1, 0, 1};
    CHECK(tn_batch_device_step(batch, 5, mask, &err) == TN_OK);
    CHECK(there.time[0] > 0.0 && there.time[1] == 0.0);
    /* a row that is written here, while the device is ahead with the others */
    double x = there.qpos[2 * v.qpos_count + 2];
    v.qpos[2] = 7.0;
    CHECK(tn_batch_push(batch, 0, &err) == TN_OK);
    CHECK(there.qpos[2] == 7.0 && there.qpos[2 * v.qpos_count + 2] == x);
    v.qvel[v.dof_count] = NAN;
    CHECK(tn_batch_step(batch, NULL, &err) == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "world 1") != NULL);
    CHECK(v.qvel[v.dof_count] == 0.0);
    CHECK(tn_batch_device_reset(batch, mask, 0, &err) == TN_OK);
    CHECK(tn_batch_fetch(batch, &err) == TN_OK);
    CHECK(v.time[0] == 0.0 && v.qpos[2] < 1.0);
    CHECK(tn_batch_world(batch, 0) == NULL);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(a_world_that_diverges_keeps_its_last_good_state)
{
    TnModel *model = open_tray(9);
    TnError err = {0};
    TnBatch *batch = open_batch(definition(TN_DEVICE_CUDA, 0.0, 10), model);
    TnBatchView v = tn_batch_view(batch);
    v.qvel[v.dof_count] = 1e200;
    double x = v.qpos[v.qpos_count];
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    CHECK(!v.diverged[0] && v.diverged[1] && !v.diverged[2]);
    CHECK(v.qpos[v.qpos_count] == x && v.time[1] == 0.0 && v.time[2] > 0.0);
    CHECK(v.reports[1].diverged && !v.reports[1].converged);
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    CHECK(v.diverged[1] && v.time[1] == 0.0);
    v.qvel[v.dof_count] = 0.0; /* it goes on once it is written */
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    CHECK(!v.diverged[1] && v.time[1] > 0.0);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(rollouts_write_what_steps_would)
{
    TnModel *model = open_tray(9);
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 10);
    TnBatch *batch = open_batch(def, model), *other = open_batch(def, model);
    TnBatchView v = tn_batch_view(batch), o = tn_batch_view(other);
    double *qpos = calloc((size_t)(COUNT * 4 * v.qpos_count), sizeof(double)), time[COUNT * 4];
    TnRollout rollout = tn_rollout();
    rollout.length = 4;
    rollout.repeat = 2;
    rollout.qpos = qpos;
    rollout.time = time;
    CHECK(tn_batch_rollout(batch, &rollout, &err) == TN_OK);
    for (int k = 0; k < 8; k++) CHECK(tn_batch_step(other, NULL, &err) == TN_OK);
    CHECK(memcmp(qpos + 7 * v.qpos_count, o.qpos + v.qpos_count,
                 sizeof(double) * (size_t)v.qpos_count) == 0);
    CHECK(time[7] == o.time[1] && time[4] > 0.0);
    free(qpos);
    tn_batch_destroy(batch);
    tn_batch_destroy(other);
    tn_model_destroy(model);
}

/* Two rafts of spheres, one above the other: each sphere will have many contacts. */
static TnModel *open_rafts(double apart)
{
    Text text = {.length = 0};
    TnError err = {0};
    text_add(&text, "<mujoco><option timestep='.005'/><worldbody>"
                    "<geom type='plane' size='5 5 1'/>");
    for (int b = 0; b < 2; b++) {
        text_add(&text, "<body pos='0 0 %g'><freejoint/>", 0.03 + apart * b);
        for (int i = 0; i < 49; i++)
            text_add(&text, "<geom size='.1' pos='%g %g .1'/>", 0.02 * (i % 7), 0.02 * (i / 7));
        text_add(&text, "</body>");
    }
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

/* Steps of a world that fits on the chip and of one that does not any more (chip_data.h), for
 * different numbers of steps per call. */
TEST(worlds_that_outgrow_the_chip_go_on_with_the_same_bits)
{
    TnModel *model = open_rafts(0.6);
    TnError err = {0};
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 20);
    TnBatch *one = open_batch(def, model), *many = open_batch(def, model);
    TnBatchView a = tn_batch_view(one), b = tn_batch_view(many);
    int least = 10000, most = 0;
    a.qvel[8] = b.qvel[8] = -20.0; /* the upper one falls, and reaches many others in a step */
    CHECK(tn_batch_push(one, 0, &err) == TN_OK);
    CHECK(tn_batch_device_step(one, 30, NULL, &err) == TN_OK);
    CHECK(tn_batch_fetch(one, &err) == TN_OK);
    for (int k = 0; k < 30; k++) {
        CHECK(tn_batch_step(many, NULL, &err) == TN_OK);
        int count = b.reports[0].contact_count;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    /* 4 contacts of each of 128 threads fit */
    CHECK(least < 512 && most > 512);
    CHECK_NEAR(a.time[0], 0.15, 1e-12);
    CHECK(memcmp(a.qpos, b.qpos, sizeof(double) * (size_t)(COUNT * a.qpos_count)) == 0);
    CHECK(memcmp(a.qvel, b.qvel, sizeof(double) * (size_t)(COUNT * a.dof_count)) == 0);
    tn_batch_destroy(one);
    tn_batch_destroy(many);
    tn_model_destroy(model);
}

TEST(memory_for_contacts_grows_and_runs_out)
{
    TnError err = {0};
    TnModel *model = open_rafts(0.05);
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 10);
    TnBatch *batch = open_batch(def, model);
    CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    TnBatchView v = tn_batch_view(batch);
    /* more than the 4 per geom and 64 that there is memory for at first */
    CHECK(v.reports[0].contact_count > 4 * 98 + 64);
    CHECK(v.reports[0].contact_count == v.reports[2].contact_count);
    CHECK(v.time[0] > 0.0 && v.time[2] > 0.0);
    tn_batch_destroy(batch);
    tn_gpu_memory_limit = 100000;
    CHECK(tn_batch_create(&def, model, &err) == NULL);
    CHECK(err.code == TN_ERROR_MEMORY && strstr(err.message, "device") != NULL);
    tn_gpu_memory_limit = 0;
    tn_model_destroy(model);
}

static void check_refused(const char *text, TnBatchDef def, const char *what)
{
    TnError err = {0};
    TnModel *model = load_text(text, &err);
    TnBatch *batch = tn_batch_create(&def, model, &err);
    CHECK(batch == NULL);
    if (!strstr(err.message, what))
        test_fail(__FILE__, __LINE__, "expected '%s', got: %s", what, err.message);
    CHECK(strstr(err.message, "use device cpu") != NULL);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(without_a_device_these_say_so)
{
    TnError err = {0};
    TnModel *model = open_tray(1);
    TnBatch *batch = open_batch(definition(TN_DEVICE_CPU, 0.0, 10), model);
    CHECK(tn_batch_device_view(batch).memory == 0 && tn_batch_device_view(NULL).memory == 0);
    CHECK(tn_batch_device_step(batch, 1, NULL, &err) == TN_ERROR_USAGE);
    CHECK(tn_batch_device_reset(NULL, NULL, 0, &err) == TN_ERROR_USAGE);
    CHECK(tn_batch_fetch(batch, &err) == TN_OK && tn_batch_fetch(NULL, &err) == TN_ERROR_USAGE);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(what_cannot_run_there_is_named)
{
    TnBatchDef def = definition(TN_DEVICE_CUDA, 0.0, 10);
    check_refused("<mujoco><worldbody><body><freejoint/><geom name='egg' type='ellipsoid' size='.1 "
                  ".1 .2'/></body></worldbody></mujoco>",
                  def, "a shape of another kind ('egg')");
    check_refused("<mujoco><worldbody><geom type='box' size='1 1 1'/><body><freejoint/><geom "
                  "name='tin' type='cylinder' size='.1 .1'/></body></worldbody></mujoco>",
                  def, "a cylinder that may touch another one or a box ('tin')");
    def.world.substeps = 2;
    check_refused("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                  "</mujoco>",
                  def, "sub-steps");
}
