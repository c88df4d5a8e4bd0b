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

TEST(explore)
{
    for (int kind = 0; kind < 3; kind++) {
        TnModel *model = kind < 2 ? open_quadruped(kind, "") : open_gripper();
        TnError err = {0};
        TnBatchDef def = definition(TN_DEVICE_CPU, 1e-10, 5000);
        def.world.key = kind < 2;
        TnBatch *here = open_batch(def, model);
        def.world.device = TN_DEVICE_CUDA64;
        TnBatch *there = open_batch(def, model);
        TnBatchView a = tn_batch_view(here), b = tn_batch_view(there);
        uint64_t seed = 5;
        for (int i = 0; i < COUNT; i++)
            for (int d = 0; d < a.dof_count; d++) a.qvel[i * a.dof_count + d] = 0.3 * uniform(&seed);
        for (int k = 0; k < 40; k++) {
            for (int i = 0; i < COUNT * a.ctrl_count; i++)
                b.ctrl[i] = a.ctrl[i] = a.ctrl[i] + 0.1 * uniform(&seed);
            for (int i = 0; i < COUNT; i++) a.qvel[i * a.dof_count + 7 % a.dof_count] *= 1.0 + 1e-3 * uniform(&seed);
            memcpy(b.qpos, a.qpos, sizeof(double) * (size_t)(COUNT * a.qpos_count));
            memcpy(b.qvel, a.qvel, sizeof(double) * (size_t)(COUNT * a.dof_count));
            CHECK(tn_batch_step(here, NULL, &err) == TN_OK);
            CHECK(tn_batch_step(there, NULL, &err) == TN_OK);
            for (int i = 0; i < COUNT; i++) {
                double v = 0, dv = 0, dq = 0;
                for (int d = 0; d < a.dof_count; d++) {
                    v = fmax(v, fabs(a.qvel[i * a.dof_count + d]));
                    dv = fmax(dv, fabs(a.qvel[i * a.dof_count + d] - b.qvel[i * a.dof_count + d]));
                }
                for (int d = 0; d < a.qpos_count; d++)
                    dq = fmax(dq, fabs(a.qpos[i * a.qpos_count + d] - b.qpos[i * a.qpos_count + d]));
                printf("%d %d %d v %.3g dv %.2g dq %.2g  contacts %d %d it %d %d err %.1g %.1g div %d\n",
                       kind, k, i, v, dv / v, dq, a.reports[i].contact_count,
                       b.reports[i].contact_count, a.reports[i].iterations, b.reports[i].iterations,
                       a.reports[i].error, b.reports[i].error, b.diverged[i]);
            }
        }
        tn_batch_destroy(here);
        tn_batch_destroy(there);
        tn_model_destroy(model);
    }
}
