/* batch_device.h: a batch whose worlds are rows on a device (gpu/batch/batch.h).
 *
 * There is one world here, of which the batch takes definitions, checks and reference states; it
 * takes no steps. The arrays of TnBatchView are copies. Rows that differ from what was copied last
 * are handed over before a step, and only these: the device may be ahead of the others. */
#ifndef TN_BATCH_BATCH_DEVICE_H
#define TN_BATCH_BATCH_DEVICE_H

#include "../gpu/batch/batch.h"
#include "../world/world.h"
#include "batch.h"

struct TnSurface;

typedef struct TnBatchDevice {
    TnGpuBatch *gpu;
    TnWorld *world;                    /* the one here */
    double *qpos, *qvel, *ctrl, *time; /* as they were copied last */
    uint8_t *diverged;
    TnGpuReport *reports;
    /* parameters per world, and whether the device has them */
    double *gravity, *timestep;
    double *mocap;              /* 7 per mocap body: room for those that are set */
    TnLink *links;              /* link_count each; NULL: the model's */
    struct TnSurface *surfaces; /* geom_count each; NULL: the model's */
    TnJoint *joints;            /* joint_count each; NULL: the model's */
    TnActuator *actuators;      /* actuator_count each; NULL: the model's */
    bool changed;
} TnBatchDevice;

bool tn_batch_device_create(TnBatch *batch, const TnWorldDef *def, const TnModel *model,
                            TnError *err);
void tn_batch_device_destroy(TnBatch *batch);
/* Rows to the device, so many steps, and rows back; mask: here. */
TnStatus tn_batch_device_advance(TnBatch *batch, int steps, const uint8_t *mask, TnError *err);
void tn_batch_device_restart(TnBatch *batch, const uint8_t *mask, TnKeyId key);
TnStatus tn_batch_device_push(TnBatch *batch, TnError *err);
TnStatus tn_batch_device_rollout(TnBatch *batch, const TnRollout *rollout, TnError *err);

/* ---- batch_device_change.c: as tn_batch_set_… ---- */
typedef enum TnBatchParameter {
    TN_BATCH_NOT_THERE,
    TN_BATCH_GRAVITY,
    TN_BATCH_TIMESTEP,
    TN_BATCH_FRICTION,
    TN_BATCH_MASS,
    TN_BATCH_ACTUATOR,
    TN_BATCH_JOINT,
    TN_BATCH_MOCAP,
    TN_BATCH_STATE
} TnBatchParameter;
typedef struct TnBatchChange {
    TnBatchParameter what;
    int id;
    const double *numbers[3]; /* with one row per world */
    const TnJointForces *forces;
    const void *const *states;
    const size_t *sizes;
} TnBatchChange;
TnStatus tn_batch_device_change(TnBatch *batch, const uint8_t *mask, const TnBatchChange *change,
                                TnError *err);

#endif
