/* none_batch.c: stands for batch.h in builds without CUDA; tn_gpu_info has said why before any of
 * these is called. */
#include "batch/batch.h"

TnGpuBatch *tn_gpu_batch_create(const struct TnModel *model, const struct TnCollider *collider,
                                const TnGpuDef *def, int count, TnError *err)
{
    (void)model, (void)collider, (void)def, (void)count, (void)err;
    return NULL;
}

void tn_gpu_batch_destroy(TnGpuBatch *batch) { (void)batch; }

TnGpuRows tn_gpu_batch_rows(const TnGpuBatch *batch)
{
    (void)batch;
    return (TnGpuRows){0};
}

int tn_gpu_batch_memory(void) { return 0; }

bool tn_gpu_batch_put(TnGpuBatch *batch, int first, int count, const TnGpuRows *from, TnError *err)
{
    (void)batch, (void)first, (void)count, (void)from, (void)err;
    return false;
}

bool tn_gpu_batch_get(TnGpuBatch *batch, const TnGpuRows *to, TnError *err)
{
    (void)batch, (void)to, (void)err;
    return false;
}

bool tn_gpu_batch_reset(TnGpuBatch *batch, const uint8_t *mask, bool there, const double *qpos,
                        const double *qvel, const double *ctrl, TnError *err)
{
    (void)batch, (void)mask, (void)there, (void)qpos, (void)qvel, (void)ctrl, (void)err;
    return false;
}

bool tn_gpu_batch_parameters(TnGpuBatch *batch, const TnGpuParameters *parameters, TnError *err)
{
    (void)batch, (void)parameters, (void)err;
    return false;
}

bool tn_gpu_batch_step(TnGpuBatch *batch, int steps, const uint8_t *mask, bool there, TnError *err)
{
    (void)batch, (void)steps, (void)mask, (void)there, (void)err;
    return false;
}

bool tn_gpu_batch_reports(TnGpuBatch *batch, TnGpuReport *reports, TnError *err)
{
    (void)batch, (void)reports, (void)err;
    return false;
}
