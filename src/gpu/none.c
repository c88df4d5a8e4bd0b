/* none.c: stands for the back end in builds without CUDA. */
#include "../base/base.h"
#include "gpu.h"

static bool refuse(TnError *err)
{
    tn_error_add(err, TN_ERROR_USAGE,
                 "device: this build has no CUDA back end; build with -DTENON_CUDA=ON");
    return false;
}

bool tn_gpu_info(TnGpuInfo *info, TnError *err)
{
    *info = (TnGpuInfo){0};
    return refuse(err);
}

TnGpuScene *tn_gpu_create(const struct TnModel *model, const struct TnCollider *collider,
                          const TnGpuDef *def, TnError *err)
{
    (void)model, (void)collider, (void)def;
    refuse(err);
    return NULL;
}

void tn_gpu_destroy(TnGpuScene *scene) { (void)scene; }

bool tn_gpu_put(TnGpuScene *scene, const double *qpos, const double *qvel, bool forget,
                TnError *err)
{
    (void)scene, (void)qpos, (void)qvel, (void)forget;
    return refuse(err);
}

bool tn_gpu_get(TnGpuScene *scene, double *qpos, double *qvel, TnError *err)
{
    (void)scene, (void)qpos, (void)qvel;
    return refuse(err);
}

bool tn_gpu_put_wrench(TnGpuScene *scene, const double (*wrench)[6], TnError *err)
{
    (void)scene, (void)wrench;
    return refuse(err);
}

bool tn_gpu_contacts(TnGpuScene *scene, struct TnContactPoint *points, double (*force)[3],
                     TnError *err)
{
    (void)scene, (void)points, (void)force;
    return refuse(err);
}

bool tn_gpu_step(TnGpuScene *scene, TnGpuReport *report, TnError *err)
{
    (void)scene, (void)report;
    return refuse(err);
}
