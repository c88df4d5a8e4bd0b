/* any_batch.h: a batch on the device as batch.cu sees it, whatever numbers the iteration runs in. A
 * call that fails says so in q. */
#ifndef TN_GPU_ANY_BATCH_H
#define TN_GPU_ANY_BATCH_H

#include "batch/batch.h"
#include "parallel.h"

namespace tn
{

struct AnyBatch {
    Queue q;
    int count = 0, qpos_count = 0, dof_count = 0, mocap_count = 0, actuator_count = 0;
    virtual ~AnyBatch() {}
    virtual void step(int steps, const uint8_t *mask, bool there) = 0;
    virtual void parameters(const TnGpuParameters &p) = 0;
    virtual void reset(const uint8_t *mask, bool there, const double *qpos, const double *qvel,
                       const double *ctrl) = 0;
    /* What the last step left of rows that were written. */
    virtual void forget(int first, int many) = 0;
    virtual TnGpuRows rows() const = 0;
    virtual void reports(TnGpuReport *out) = 0;
};

/* `limit`: bytes, as Queue.limit. */
AnyBatch *make_batch(const struct TnModel *model, const struct TnCollider *collider,
                     const TnGpuDef *def, int count, size_t limit);
AnyBatch *make_double_batch(const struct TnModel *model, const struct TnCollider *collider,
                            const TnGpuDef *def, int count, size_t limit);

} // namespace tn
#endif
