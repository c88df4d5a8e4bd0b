/* shared.h: the engine's own C sources, compiled for the device. Geometry, the motion of a free
 * body and the law of a contact are written once: the build copies these files and puts __device__
 * before each function (device_sources.py). */
#ifndef TN_GPU_SHARED_H
#define TN_GPU_SHARED_H

#include "parallel.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <tenon/collide.h>
#include <tenon/model.h>

#ifdef __CUDACC__
__device__ static inline void device_move(void *to, const void *from, size_t n)
{
    char *t = (char *)to;
    const char *f = (const char *)from;
    if (t < f)
        for (size_t i = 0; i < n; i++) t[i] = f[i];
    else
        for (size_t i = n; i-- > 0;) t[i] = f[i];
}
__device__ static inline int device_compare(const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i]) return x[i] - y[i];
    return 0;
}
#define memmove device_move
#define memcmp device_compare
#endif

#define _Static_assert static_assert
/* on the device tn_collide has another name: this one is the host's */
#define tn_collide tn_device_collide
#include <all_sources.h>
#undef tn_collide
#undef _Static_assert

/* By the table that the host makes of its own answers (mirror.h); slot1 < slot2. Models with
 * explicit pairs stay on the host. */
__device__ inline int tn_filter_special(const TnCollider *c, int slot1, int slot2, bool masks)
{
    if (!c->slot_of) return masks ? 0 : -1;
    size_t n = (size_t)c->slot_of[c->count], row = (size_t)c->slot_of[slot1];
    return masks && c->excluded[row * n + (size_t)c->slot_of[slot2]] ? 0 : -1;
}
__device__ inline double tn_overlap_limit(const TnCollider *c, int slot1, int slot2)
{
    for (int i = 0; i < c->overlap_count; i++)
        if (c->overlaps[i].slot1 == slot1 && c->overlaps[i].slot2 == slot2)
            return c->overlaps[i].depth;
    return -INFINITY;
}
__device__ inline void tn_collider_forget(TnCollider *) {} /* nobody sleeps there */

#ifdef __CUDACC__
#undef memmove
#undef memcmp
#endif
#endif
