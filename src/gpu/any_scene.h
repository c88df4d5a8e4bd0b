/* any_scene.h: a scene on the device as gpu.cu sees it, whatever numbers the iteration runs in. A
 * call that fails says so in q. */
#ifndef TN_GPU_ANY_SCENE_H
#define TN_GPU_ANY_SCENE_H

#include "gpu.h"
#include "parallel.h"

namespace tn
{

struct AnyScene {
    Queue q;
    virtual ~AnyScene() {}
    virtual void put(const double *qpos, const double *qvel, bool forget) = 0;
    virtual void get(double *qpos, double *qvel) = 0;
    virtual void put_wrench(const double (*wrench)[6]) = 0;
    virtual void contacts(struct TnContactPoint *points, double *force) = 0;
    virtual void step(TnGpuReport *report) = 0;
};

/* `limit`: bytes, as Queue.limit. */
AnyScene *make_scene(const struct TnModel *model, const struct TnCollider *collider,
                     const TnGpuDef *def, size_t limit);

} // namespace tn
#endif
