/* gpu.cu: the interface of gpu.h. */
#include "gpu.h"

#include <new>

#include "any_scene.h"

extern "C" {
#include "../base/base.h"
}

struct TnGpuScene {
    tn::AnyScene *scene;
};

size_t tn_gpu_memory_limit = 0; /* bytes; tests make memory run out */

static bool tell(TnGpuScene *scene, TnError *err)
{
    const tn::Queue &q = scene->scene->q;
    if (!q.failed) return true;
    tn_error_add(err, q.no_memory ? TN_ERROR_MEMORY : TN_ERROR_DEVICE, "device: %s", q.message);
    return false;
}

static bool refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_DEVICE, "device: no CUDA device can be used: %s", why);
    return false;
}

#ifdef __CUDACC__

bool tn_gpu_info(TnGpuInfo *info, TnError *err)
{
    int count = 0;
    cudaDeviceProp p;
    *info = TnGpuInfo{};
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e == cudaErrorInsufficientDriver) {
        int version = 0;
        char why[100] = "there is no NVIDIA driver";
        if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
            snprintf(why, sizeof why, "its driver is one of CUDA %d.%d, and 580 or later is needed",
                     version / 1000, version % 1000 / 10);
        return refuse(err, why);
    }
    if (e == cudaSuccess && count == 0) return refuse(err, "there is none");
    if (e == cudaSuccess) e = cudaGetDeviceProperties(&p, 0);
    if (e != cudaSuccess) return refuse(err, cudaGetErrorString(e));
    if (p.major < 9) return refuse(err, "compute capability 9.0 or higher is needed");
    snprintf(info->name, sizeof info->name, "%s", p.name);
    info->memory = p.totalGlobalMem;
    info->major = p.major;
    info->minor = p.minor;
    return true;
}

#else

int tn_gpu_waits_left = 0;
int tn_gpu_tile = 128;
bool tn_gpu_is_missing = false;

bool tn_gpu_info(TnGpuInfo *info, TnError *err)
{
    *info = TnGpuInfo{};
    if (tn_gpu_is_missing) return refuse(err, "there is none, for a test");
    snprintf(info->name, sizeof info->name, "loops on the host, for tests");
    return true;
}

#endif

TnGpuScene *tn_gpu_create(const struct TnModel *model, const struct TnCollider *collider,
                          const TnGpuDef *def, TnError *err)
{
    TnGpuInfo info;
    if (!tn_gpu_info(&info, err)) return nullptr;
    TnGpuScene *scene = new (std::nothrow) TnGpuScene{};
    try {
        if (scene) scene->scene = tn::make_scene(model, collider, def, tn_gpu_memory_limit);
    } catch (const std::bad_alloc &) {
    }
    if (!scene || !scene->scene)
        tn_error_add(err, TN_ERROR_MEMORY, "device: no memory on the host");
    else if (tell(scene, err))
        return scene;
    tn_gpu_destroy(scene);
    return nullptr;
}

void tn_gpu_destroy(TnGpuScene *scene)
{
    if (!scene) return;
    delete scene->scene;
    delete scene;
}

bool tn_gpu_put(TnGpuScene *scene, const double *qpos, const double *qvel, bool forget,
                TnError *err)
{
    scene->scene->put(qpos, qvel, forget);
    return tell(scene, err);
}

bool tn_gpu_get(TnGpuScene *scene, double *qpos, double *qvel, TnError *err)
{
    scene->scene->get(qpos, qvel);
    return tell(scene, err);
}

bool tn_gpu_put_wrench(TnGpuScene *scene, const double (*wrench)[6], TnError *err)
{
    scene->scene->put_wrench(wrench);
    return tell(scene, err);
}

bool tn_gpu_contacts(TnGpuScene *scene, struct TnContactPoint *points, double (*force)[3],
                     TnError *err)
{
    scene->scene->contacts(points, force[0]);
    return tell(scene, err);
}

bool tn_gpu_step(TnGpuScene *scene, TnGpuReport *report, TnError *err)
{
    *report = TnGpuReport{};
    scene->scene->step(report);
    return tell(scene, err);
}
