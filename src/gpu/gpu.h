/* gpu.h: one large scene of free bodies on a device. The host owns the model; the device owns the state
 * while it steps, and hands it back on request. */
#ifndef TN_GPU_GPU_H
#define TN_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnModel TnModel;
typedef struct TnCollider TnCollider;
typedef struct TnGpuScene TnGpuScene;

typedef struct TnGpuDef {
    double t, theta;          /* s, as the world's */
    int iterations;           /* of SubADMM */
    double weight_scale, over_relaxation;
    double contact_ratio;     /* of compliant contacts; 0: rigid */
    double warm_start;        /* share of the last forces */
    bool float64;
} TnGpuDef;

typedef struct TnGpuReport {
    int pair_count, contact_count;
    double error;             /* of the natural map, shares of gravity × timestep */
    double max_penetration;   /* m */
    bool finite;
} TnGpuReport;

/* Why a model cannot run there; NULL: it can. */
const char *tn_gpu_refusal(const TnModel *model);
/* NULL: *err says why. The collider is that of the same model, and only read. */
TnGpuScene *tn_gpu_create(const TnModel *model, const TnCollider *collider, const TnGpuDef *def, TnError *err);
void tn_gpu_destroy(TnGpuScene *scene);
/* Whole-model arrays. */
bool tn_gpu_put(TnGpuScene *scene, const double *qpos, const double *qvel, TnError *err);
bool tn_gpu_get(TnGpuScene *scene, double *qpos, double *qvel, TnError *err);
/* False: the state is that before the step. */
bool tn_gpu_step(TnGpuScene *scene, TnGpuReport *report, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
