/* batch.cu: the interface of batch.h. */
#include "batch.h"

#include <new>

#include "../any_batch.h"

extern "C" {
#include "../../base/base.h"
}

extern size_t tn_gpu_memory_limit; /* gpu.cu */

struct TnGpuBatch {
    tn::AnyBatch *batch;
};

static bool tell(const TnGpuBatch *batch, TnError *err)
{
    const tn::Queue &q = batch->batch->q;
    if (!q.failed) return true;
    tn_error_add(err, q.no_memory ? TN_ERROR_MEMORY : TN_ERROR_DEVICE, "device: %s", q.message);
    return false;
}

TnGpuBatch *tn_gpu_batch_create(const struct TnModel *model, const struct TnCollider *collider,
                                const TnGpuDef *def, int count, TnError *err)
{
    TnGpuInfo info;
    if (!tn_gpu_info(&info, err)) return nullptr;
    TnGpuBatch *batch = new (std::nothrow) TnGpuBatch{};
    try {
        if (batch) batch->batch = tn::make_batch(model, collider, def, count, tn_gpu_memory_limit);
    } catch (const std::bad_alloc &) {
    }
    if (!batch || !batch->batch)
        tn_error_add(err, TN_ERROR_MEMORY, "device: no memory on the host");
    else if (tell(batch, err))
        return batch;
    tn_gpu_batch_destroy(batch);
    return nullptr;
}

void tn_gpu_batch_destroy(TnGpuBatch *batch)
{
    if (!batch) return;
    delete batch->batch;
    delete batch;
}

TnGpuRows tn_gpu_batch_rows(const TnGpuBatch *batch) { return batch->batch->rows(); }

#ifdef __CUDACC__
int tn_gpu_batch_memory(void) { return 2; }
#else
int tn_gpu_batch_memory(void) { return 1; }
#endif

/* Rows of arrays, one on each side. */
static bool copy_rows(TnGpuBatch *batch, int first, int count, const TnGpuRows &to,
                      const TnGpuRows &from, TnError *err)
{
    tn::AnyBatch &b = *batch->batch;
    auto copy = [&](void *there, const void *here, size_t bytes) {
        size_t skip = (size_t)first * bytes;
        if (there && here)
            tn::copy_bytes(b.q, (char *)there + skip, (const char *)here + skip,
                           (size_t)count * bytes);
    };
    copy(to.time, from.time, sizeof(double));
    copy(to.qpos, from.qpos, sizeof(double) * (size_t)b.qpos_count);
    copy(to.qvel, from.qvel, sizeof(double) * (size_t)b.dof_count);
    copy(to.diverged, from.diverged, 1);
    copy(to.mocap, from.mocap, sizeof(double) * 7 * (size_t)b.mocap_count);
    copy(to.ctrl, from.ctrl, sizeof(double) * (size_t)b.actuator_count);
    tn::wait(b.q);
    return tell(batch, err);
}

bool tn_gpu_batch_put(TnGpuBatch *batch, int first, int count, const TnGpuRows *from, TnError *err)
{
    bool ok = copy_rows(batch, first, count, tn_gpu_batch_rows(batch), *from, err);
    if (ok && from->qvel) batch->batch->forget(first, count);
    return ok && tell(batch, err);
}

bool tn_gpu_batch_get(TnGpuBatch *batch, const TnGpuRows *to, TnError *err)
{
    return copy_rows(batch, 0, batch->batch->count, *to, tn_gpu_batch_rows(batch), err);
}

bool tn_gpu_batch_reset(TnGpuBatch *batch, const uint8_t *mask, bool there, const double *qpos,
                        const double *qvel, const double *ctrl, TnError *err)
{
    batch->batch->reset(mask, there, qpos, qvel, ctrl);
    return tell(batch, err);
}

bool tn_gpu_batch_parameters(TnGpuBatch *batch, const TnGpuParameters *parameters, TnError *err)
{
    batch->batch->parameters(*parameters);
    return tell(batch, err);
}

bool tn_gpu_batch_step(TnGpuBatch *batch, int steps, const uint8_t *mask, bool there, TnError *err)
{
    batch->batch->step(steps, mask, there);
    return tell(batch, err);
}

bool tn_gpu_batch_reports(TnGpuBatch *batch, TnGpuReport *reports, TnError *err)
{
    batch->batch->reports(reports);
    return tell(batch, err);
}
