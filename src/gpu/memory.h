/* memory.h: memory on the device. */
#ifndef TN_GPU_MEMORY_H
#define TN_GPU_MEMORY_H

#include <vector>

#include "parallel.h"

namespace tn
{

/* Memory that is given back together. */
struct Memory {
    std::vector<void *> blocks;
    template <class T> T *take(Queue &q, size_t n)
    {
        T *p = (T *)device_new(q, (n ? n : 1) * sizeof(T));
        if (p) blocks.push_back(p);
        device_clear(q, p, n * sizeof(T));
        return p;
    }
    template <class T> T *copy(Queue &q, const T *from, size_t n)
    {
        T *p = take<T>(q, n);
        copy_bytes(q, p, from, n * sizeof(T));
        wait(q); /* the host's copy may be temporary */
        return p;
    }
    void release()
    {
        for (void *p : blocks) device_delete(p);
        blocks.clear();
    }
    ~Memory() { release(); }
};

} // namespace tn
#endif
