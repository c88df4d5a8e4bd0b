/* Robots in batches on a device, as loops on the host (src/gpu/batch_block.h): steps against the
 * same batch on the CPU, long runs, controls, and what is refused. */
#include "robots.h"

#include <math.h>

#define COUNT 3

static TnBatchDef definition(TnDevice device, double tolerance, int iterations)
{
    TnBatchDef def = tn_batch_def();
    def.count = COUNT;
    def.world.device = device;
    def.world.relinearize = 1;
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

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Steps of both from the same states, which both take as written by hand. */
typedef struct Agreement {
    int steps, agreed, contacts;
} Agreement;

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Steps that both solve. What a step solves for shows in the positions as well as in the
 * velocities, and one of them will do: the CPU takes energy that a step made off the velocities
 * (step/balance.c) and cuts ways that would end inside of something (step/limit.c); a device does
 * neither. */
static void compare_rows(const TnBatchView *a, const TnBatchView *b, const double *qpos,
                         const double *zero, double apart, Agreement *out)
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
        if (a->reports[i].error > 1e-9 || b->reports[i].error > 1e-9) continue;
        out->steps++;
        out->agreed += off < apart * fmax(way, 1e-6) || off_speed < apart * speed;
    }
}

typedef struct Comparison {
    TnDevice device;
    double tolerance, apart;
    int iterations, steps;
    double shake; /* of controls and velocities */
    TnKeyId key;
} Comparison;

static Agreement compare(TnModel *model, Comparison how)
{
    Agreement out = {0};
    TnError err = {0};
    uint64_t seed = 7;
    TnBatchDef def = definition(TN_DEVICE_CPU, how.tolerance, how.iterations);
    def.world.key = how.key;
    TnBatch *here = open_batch(def, model);
    def.world.device = how.device;
    TnBatch *there = open_batch(def, model);
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
        compare_rows(&a, &b, before, zero, how.apart, &out);
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
    Agreement a = compare(open_quadruped(true, ""), (Comparison){EXACT, 40, 0.1, 1});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 9);
}

TEST(a_quadruped_with_motors_and_springs_steps_as_on_the_cpu)
{
    Agreement a = compare(open_quadruped(false, ""), (Comparison){EXACT, 40, 0.1, 1});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 9);
}

TEST(a_gripper_steps_as_on_the_cpu)
{
    Agreement a = compare(open_gripper(), (Comparison){EXACT, 40, 0.05, 1});
    CHECK(a.contacts > 2 * a.steps);
    CHECK(a.agreed * 10 >= a.steps * 8);
}
