/* rows.h: rows of arrays that the threads of a warp read and write together.
 *
 * A thread that copies a structure on its own moves 16 bytes at a time, each in another sector of
 * the cache than its neighbours': every sector travels twice or more. Here the lanes of a warp copy
 * one row after the other, by way of shared memory, and a sector travels once. */
#ifndef TN_GPU_ROWS_H
#define TN_GPU_ROWS_H

#include <type_traits>

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

__device__ inline char *row_room()
{
    __shared__ alignas(16) char room[TN_ROW_THREADS * (TN_ROW_BYTES + 16)];
    return room + (threadIdx.x & ~31u) * (TN_ROW_BYTES + 16);
}

/* *from of each lane; nullptr: it has none. All lanes come here where the warp is whole. */
template <class T> __device__ inline T load_row(const T *from, bool whole)
{
    typedef typename RowUnit<T>::type Unit;
    const int count = RowUnit<T>::count, stride = RowUnit<T>::stride;
    static_assert(sizeof(T) <= TN_ROW_BYTES && sizeof(T) % sizeof(Unit) == 0, "a row");
    T out;
    if (!whole) {
        if (from) out = *from;
        return out;
    }
    Unit *room = (Unit *)row_room(), own[count];
    int lane = (int)(threadIdx.x & 31u);
    TN_UNROLL_TWICE
    for (int k = 0; k < count; k++) {
        int at = 32 * k + lane, row = at / count, part = at % count;
        const Unit *p =
            (const Unit *)__shfl_sync(0xffffffffu, (unsigned long long)(const void *)from, row);
        if (p) room[row * stride + part] = p[part];
    }
    __syncwarp();
    TN_UNROLL
    for (int k = 0; k < count; k++) own[k] = room[lane * stride + k];
    memcpy(&out, own, sizeof out);
    __syncwarp();
    return out;
}

/* A lane's place for a row until it is stored. */
template <class T> __device__ inline T *own_row()
{
    typedef typename RowUnit<T>::type Unit;
    static_assert(sizeof(T) <= TN_ROW_BYTES && sizeof(T) % sizeof(Unit) == 0, "a row");
    return (T *)((Unit *)row_room() + (threadIdx.x & 31u) * RowUnit<T>::stride);
}

/* *to = what is in the lane's place; nullptr: nothing. All lanes of the warp come here. */
template <class T> __device__ inline void store_own_row(T *to)
{
    typedef typename RowUnit<T>::type Unit;
    const int count = RowUnit<T>::count, stride = RowUnit<T>::stride;
    const Unit *room = (const Unit *)row_room();
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
template <class T> __device__ inline void store_row(T *to, const T &row, bool whole)
{
    if (whole) {
        *own_row<T>() = row;
        store_own_row(to);
    } else if (to) {
        *to = row;
    }
}

#else

template <class T> inline T load_row(const T *from, bool)
{
    T out{};
    if (from) out = *from;
    return out;
}
template <class T> inline T *own_row()
{
    static thread_local T row;
    return &row;
}
template <class T> inline void store_own_row(T *to)
{
    if (to) *to = *own_row<T>();
}
template <class T> inline void store_row(T *to, const T &row, bool)
{
    if (to) *to = row;
}

#endif

} // namespace tn
#endif
