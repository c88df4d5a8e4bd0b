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

/* Functions that other files call are compiled once for each file of the back end, but where it
 * says that they are to be part of their callers. */
#ifndef TN_APART
#define TN_APART __noinline__
#endif
#define _Static_assert static_assert
/* on the device tn_collide has another name: this one is the host's */
#define tn_collide tn_device_collide
#define restrict __restrict__
/* of math/own_math.h, which devices do not have */
__device__ inline void tn_sine_cosine(double x, double *s, double *c) { sincos(x, s, c); }
#include <all_sources.h>
#undef restrict
#undef tn_collide
#undef _Static_assert

/* By the table that the host makes of its own answers (mirror.h); slot1 < slot2. A batch has none:
 * it lists only pairs that may collide (Worlds.may_meet). */
__device__ inline int tn_filter_special(const TnCollider *c, int slot1, int slot2, bool masks)
{
    if (!c->verdicts) return masks ? 0 : -1;
    size_t n = (size_t)c->verdict_row[c->count], row = (size_t)c->verdict_row[slot1];
    return c->verdicts[row * n + (size_t)c->verdict_row[slot2]] - 1;
}
__device__ inline double tn_overlap_limit(const TnCollider *c, int slot1, int slot2)
{
    for (int i = 0; i < c->overlap_count; i++)
        if (c->overlaps[i].slot1 == slot1 && c->overlaps[i].slot2 == slot2)
            return c->overlaps[i].depth;
    return -INFINITY;
}
__device__ inline void tn_collider_forget(TnCollider *) {} /* nothing sleeps there */

/* An arena there has what it was given. */
__device__ inline void *tn_arena_overflow(TnArena *arena, size_t)
{
    arena->lacked = true;
    return NULL;
}
__device__ inline void tn_arena_open(void *, size_t) {}
__device__ inline size_t tn_arena_mark(const TnArena *arena) { return arena->used; }
__device__ inline void tn_arena_release(TnArena *arena, size_t mark) { arena->used = mark; }

/* Robots with muscles, with gravity compensation or in a medium stay on the host, and their
 * work is not needed. */
__device__ inline double tn_actuator_length(const TnModel *, int, const TnDriven *) { return 0.0; }
__device__ inline double tn_actuator_velocity(const TnModel *, int, const TnDriven *)
{
    return 0.0;
}
__device__ inline void tn_muscle_active(const TnMuscles *, double, double, double *out)
{
    out[0] = out[1] = out[2] = 0.0;
}
__device__ inline void tn_muscle_passive(const TnMuscles *, double, double *out)
{
    out[0] = out[1] = 0.0;
}
__device__ inline bool tn_drag_forces_init(TnDragForces *, const TnTree *, TnArena *)
{
    return true;
}
__device__ inline void tn_drag_forces_find(TnDragForces *, const TnDynamicsInput *, const TnTree *,
                                           const double *, bool)
{
}
__device__ inline void tn_drag_forces_add(const TnDragForces *, int, double *, double *) {}
__device__ inline void tn_drag_forces_record(const TnDragForces *, const TnTree *, TnTreeSystem *)
{
}
__device__ inline void tn_tree_lift(const TnModel *, const TnSubsystem *, const TnLinkFrame *,
                                    const double *, const double (*)[6], double *)
{
}
__device__ inline TnJointWork tn_tree_work(const TnDynamicsInput *, const TnSubsystem *,
                                           const TnTreeSystem *, const double *, double, double)
{
    return {0.0, 0.0};
}

#ifdef __CUDACC__
#undef memmove
#undef memcmp
#endif
#endif
