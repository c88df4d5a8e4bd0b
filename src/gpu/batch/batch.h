/* batch.h: many small worlds of one model on a device, a block of threads for each. The host owns
 * the model; the device owns the rows of the states, of which the host takes copies. none_batch.c
 * stands for it in builds without CUDA. */
#ifndef TN_GPU_BATCH_H
#define TN_GPU_BATCH_H

#include <stdint.h>

#include "../gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct TnLink;
struct TnJoint;
struct TnActuator;
struct TnSurface;
typedef struct TnGpuBatch TnGpuBatch;

/* On the device, one row per world. */
typedef struct TnGpuRows {
    double *time, *qpos, *qvel;
    uint8_t *diverged;
    double *mocap; /* 7 per mocap body: where it will be at the end of the next step */
    double *ctrl;
} TnGpuRows;

/* NULL: *err says why. All worlds have the model's gravity and parameters, and no state yet. Models
 * are those that the caller has checked: free bodies of spheres, capsules, cylinders
 * and boxes. */
TnGpuBatch *tn_gpu_batch_create(const struct TnModel *model, const struct TnCollider *collider,
                                const TnGpuDef *def, int count, TnError *err);
void tn_gpu_batch_destroy(TnGpuBatch *batch); /* NULL is allowed */
TnGpuRows tn_gpu_batch_rows(const TnGpuBatch *batch);
int tn_gpu_batch_memory(void); /* as TnBatchDeviceView.memory */
/* Between arrays of the host and the device; NULL: not this one. Rows first … first + count - 1; or
 * all. */
bool tn_gpu_batch_put(TnGpuBatch *batch, int first, int count, const TnGpuRows *from, TnError *err);
bool tn_gpu_batch_get(TnGpuBatch *batch, const TnGpuRows *to, TnError *err);
/* All worlds of the mask (NULL: all) to this row, without the last forces; `there`: the mask is on
 * the device. */
bool tn_gpu_batch_reset(TnGpuBatch *batch, const uint8_t *mask, bool there, const double *qpos,
                        const double *qvel, const double *ctrl, TnError *err);
/* Per world: gravity (3), timestep; links, joints and actuators (of the model's count) and surfaces
 * (per geom), NULL: the model's for all. */
typedef struct TnGpuParameters {
    const double *gravity, *timestep;
    const struct TnLink *links;
    const struct TnSurface *surfaces;
    const struct TnJoint *joints;
    const struct TnActuator *actuators;
} TnGpuParameters;
bool tn_gpu_batch_parameters(TnGpuBatch *batch, const TnGpuParameters *parameters, TnError *err);
/* So many steps of each world of the mask that has not diverged. One that diverges keeps its last
 * good state. False: the device failed; *err says how. */
bool tn_gpu_batch_step(TnGpuBatch *batch, int steps, const uint8_t *mask, bool there, TnError *err);
/* Of the last step of each. */
bool tn_gpu_batch_reports(TnGpuBatch *batch, TnGpuReport *reports, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
