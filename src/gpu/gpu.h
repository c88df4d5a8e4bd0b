/* gpu.h: one large scene of free bodies on a device. The host owns the model; the device owns the
 * state while it steps, and hands it back on request. none.c stands for it in builds without CUDA.
 */
#ifndef TN_GPU_GPU_H
#define TN_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TnModel;
struct TnCollider;
struct TnContactPoint;
typedef struct TnGpuScene TnGpuScene;

typedef struct TnGpuDef {
    double t, theta; /* s, as the world's */
    double stabilization;
    const double *radius; /* per link, m: no point of it is farther from its com */
    int iterations;       /* of SubADMM: exactly, or with a tolerance at most */
    double tolerance;     /* of gravity × t; 0: none */
    double weight_scale, over_relaxation;
    double contact_ratio;     /* contacts yield by 1/ratio of their compliance; 0: they are rigid */
    double warm_start;        /* share of the last forces */
    const uint32_t *may_meet; /* of a batch: per moving slot words of 32 slots that it may meet */
    bool float64;             /* forces and velocities of the iteration; the rest always is */
} TnGpuDef;

typedef struct TnGpuReport {
    int pair_count, contact_count;
    int iterations;
    int passes;                               /* solves: more than one where contacts were missed */
    int missed;                               /* contacts that joined the list */
    double error;                             /* of the natural map, shares of gravity × t */
    double rigid_error;                       /* by the laws of rigid contacts */
    double mean_penetration, max_penetration; /* m, at the step's start */
    bool finite;                              /* false: the step was refused */
} TnGpuReport;

typedef struct TnGpuInfo {
    char name[128];
    size_t memory;    /* bytes */
    int major, minor; /* compute capability */
} TnGpuInfo;

/* False: *err says why there is none. */
bool tn_gpu_info(TnGpuInfo *info, TnError *err);
/* NULL: *err says why. The collider is that of the same model; both are only read, now. */
TnGpuScene *tn_gpu_create(const struct TnModel *model, const struct TnCollider *collider,
                          const TnGpuDef *def, TnError *err);
void tn_gpu_destroy(TnGpuScene *scene); /* NULL is allowed */
/* Whole-model arrays. `forget`: the last step's forces, too. */
bool tn_gpu_put(TnGpuScene *scene, const double *qpos, const double *qvel, bool forget,
                TnError *err);
bool tn_gpu_get(TnGpuScene *scene, double *qpos, double *qvel, TnError *err);
/* Per link; NULL: none, from the next step on. */
bool tn_gpu_put_wrench(TnGpuScene *scene, const double (*wrench)[6], TnError *err);
/* Contacts of the last step, as many as it reported, and the forces on geom2, N. */
bool tn_gpu_contacts(TnGpuScene *scene, struct TnContactPoint *points, double (*force)[3],
                     TnError *err);
/* False: the device failed, *err says how; what it holds is lost. A step whose result would not be
 * finite is true with finite = false, and the state is that before it. */
bool tn_gpu_step(TnGpuScene *scene, TnGpuReport *report, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
