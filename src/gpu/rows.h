/* rows.h: rows of arrays that the threads of a warp read and write together.
 *
 * A thread that copies a structure on its own moves 16 bytes at a time, each in another sector of
 * the cache than its neighbours': every sector travels twice or more. Here the lanes of a warp copy
 * one row after the other, by way of shared memory, and a sector travels once. Rows that are read
 * are on their way all at a time, and none is waited for before the next is requested. */
#ifndef TN_GPU_ROWS_H
#define TN_GPU_ROWS_H

#include <type_traits>

#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

#include "parallel.h"

namespace tn
{

#define TN_ROW_BYTES 192   /* of the largest row */
#define TN_ROW_THREADS 128 /* of a block, at most */

/* Numbers that are a row; Numbers8: where rows begin at any number. */
template <int N> struct alignas(16) Numbers {
    double x[N];
};
template <int N> struct Numbers8 {
    double x[N];
};

/* Of thread i among n: all lanes of its warp are there, too. */
TN_DEVICE inline bool is_warp_whole(int i, int n) { return (i | 31) < n; }

#ifdef __CUDACC__

template <class T> struct RowUnit {
    typedef typename std::conditional<alignof(T) % 16 == 0, uint4, uint2>::type type;
    static const int count = sizeof(T) / sizeof(type);
    static const int stride = count | 1; /* lanes meet different banks */
};

/* A warp's part of a block's room, BYTES for each thread. */
template <int BYTES = TN_ROW_BYTES + 16, int THREADS = TN_ROW_THREADS>
__device__ inline char *row_room()
{
    __shared__ alignas(16) char room[THREADS * BYTES];
    return room + (threadIdx.x & ~31u) * BYTES;
}

/* What others of the warp read before is not overwritten before this. */
__device__ inline void all_of_warp(bool whole)
{
    if (whole) __syncwarp();
}

/* Bytes of room that a row of T takes for each lane. */
template <class T> TN_DEVICE_AND_HOST constexpr int row_bytes()
{
    return RowUnit<T>::stride * (int)sizeof(typename RowUnit<T>::type);
}

/* Rows on their way; they stay in the warp's room. */
struct RowLoads {
    char *room;
    bool whole; /* all lanes of the warp are there, and all of them come to each call */
    __device__ RowLoads(char *of_warp, bool is_whole) : room(of_warp), whole(is_whole) {}
    /* Where *from of this lane will be. */
    template <class T> __device__ const T *fetch(const T *from)
    {
        typedef typename RowUnit<T>::type Unit;
        const int count = RowUnit<T>::count, stride = RowUnit<T>::stride;
        static_assert(sizeof(T) % sizeof(Unit) == 0, "a row");
        if (!whole) return from;
        Unit *to = (Unit *)room;
        int lane = (int)(threadIdx.x & 31u);
        TN_UNROLL_TWICE
        for (int k = 0; k < count; k++) {
            int at = 32 * k + lane, row = at / count, part = at % count;
            const Unit *p =
                (const Unit *)__shfl_sync(0xffffffffu, (unsigned long long)(const void *)from, row);
            __pipeline_memcpy_async(to + row * stride + part, p + part, sizeof(Unit));
        }
        room += 32 * row_bytes<T>();
        return (const T *)(to + lane * stride);
    }
    __device__ void wait() const
    {
        if (!whole) return;
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
    }
};

/* A lane's place for a row until it is stored. */
template <class T> __device__ inline T *own_row(char *room = row_room())
{
    return (T *)(room + (int)(threadIdx.x & 31u) * row_bytes<T>());
}

/* *to = what is in the lane's place; nullptr: nothing. All lanes of the warp come here. */
template <class T> __device__ inline void store_own_row(T *to, char *of_warp = row_room())
{
    typedef typename RowUnit<T>::type Unit;
    const int count = RowUnit<T>::count, stride = RowUnit<T>::stride;
    static_assert(sizeof(T) <= TN_ROW_BYTES && sizeof(T) % sizeof(Unit) == 0, "a row");
    const Unit *room = (const Unit *)of_warp;
    int lane = (int)(threadIdx.x & 31u);
    __syncwarp();
    TN_UNROLL_TWICE
    for (int k = 0; k < count; k++) {
        int at = 32 * k + lane, of = at / count, part = at % count;
        Unit *p = (Unit *)__shfl_sync(0xffffffffu, (unsigned long long)(void *)to, of);
        if (p) p[part] = room[of * stride + part];
    }
    __syncwarp();
}

/* *to = row, likewise. */
template <class T> __device__ inline void store_row(T *to, const T &row, bool whole, char *room)
{
    if (whole) {
        *own_row<T>(room) = row;
        store_own_row(to, room);
    } else if (to) {
        *to = row;
    }
}

#else

template <int BYTES = 0, int THREADS = 0> inline char *row_room() { return nullptr; }
template <class T> constexpr int row_bytes() { return (int)sizeof(T); }
inline void all_of_warp(bool) {}
struct RowLoads {
    char *room;
    RowLoads(char *of_warp, bool) : room(of_warp) {}
    template <class T> const T *fetch(const T *from) { return from; }
    void wait() const {}
};
template <class T> inline T *own_row()
{
    static thread_local T row;
    return &row;
}
template <class T> inline void store_own_row(T *to)
{
    if (to) *to = *own_row<T>();
}
template <class T> inline void store_row(T *to, const T &row, bool, char *)
{
    if (to) *to = row;
}

#endif

} // namespace tn
#endif
