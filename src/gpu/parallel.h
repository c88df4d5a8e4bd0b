/* parallel.h: the verbs that the back end is written with: each, scan, sort, memory.
 *
 * With nvcc they run on the device. With another compiler they are loops on the host, so that everything
 * but the timing can be tested where there is no device. */
#ifndef TN_GPU_PARALLEL_H
#define TN_GPU_PARALLEL_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef __CUDACC__
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#define TN_DEVICE __device__
#else
#include <algorithm>
#include <numeric>
#include <vector>
#define TN_DEVICE
#define __device__
#define __noinline__
struct float4 {
    float x, y, z, w;
};
struct double4_32a {
    double x, y, z, w;
};
#endif

namespace tn {

/* One stream of work, the first error, and scratch memory. */
struct Queue {
    bool failed = false;
    char message[200] = "";
    void *scratch = nullptr;
    size_t scratch_size = 0;
#ifdef __CUDACC__
    cudaStream_t stream = nullptr;
    void check(cudaError_t e, const char *what)
    {
        if (e == cudaSuccess || failed) return;
        failed = true;
        snprintf(message, sizeof message, "%s: %s", what, cudaGetErrorString(e));
    }
#endif
};

#ifdef __CUDACC__

template <class F> __global__ void run_each(int n, const int *count, F f)
{
    int end = count ? (*count < n ? *count : n) : n;
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < end; i += (int)(gridDim.x * blockDim.x)) f(i);
}

/* f(i) of each i below n, and below *count (on the device) where that is given; `likely`: about so many. */
template <class F> void each(Queue &q, int n, const int *count, F f, int threads = 128, int likely = 0)
{
    if (n <= 0 || q.failed) return;
    int launched = likely > 0 && likely < n ? likely : n;
    run_each<<<(launched + threads - 1) / threads, threads, 0, q.stream>>>(n, count, f);
    q.check(cudaGetLastError(), "starting a kernel");
}

inline void *device_new(Queue &q, size_t bytes)
{
    void *p = nullptr;
    q.check(cudaMalloc(&p, bytes ? bytes : 1), "taking device memory");
    return p;
}
inline void device_delete(void *p) { cudaFree(p); }
/* Host memory that copies reach without waiting. */
inline void *host_new(Queue &q, size_t bytes)
{
    void *p = nullptr;
    q.check(cudaMallocHost(&p, bytes), "taking host memory");
    if (p) memset(p, 0, bytes);
    return p;
}
inline void host_delete(void *p) { cudaFreeHost(p); }
inline void device_clear(Queue &q, void *p, size_t bytes)
{
    if (!q.failed && bytes) q.check(cudaMemsetAsync(p, 0, bytes, q.stream), "clearing device memory");
}
inline void to_device(Queue &q, void *to, const void *from, size_t bytes)
{
    if (!q.failed && bytes) q.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, q.stream), "copying to the device");
}
inline void to_host(Queue &q, void *to, const void *from, size_t bytes)
{
    if (!q.failed && bytes) q.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, q.stream), "copying from the device");
}
inline void wait(Queue &q) { q.check(cudaStreamSynchronize(q.stream), "running a step on the device"); }

inline void *scratch(Queue &q, size_t bytes)
{
    if (bytes > q.scratch_size) {
        if (q.scratch) device_delete(q.scratch);
        q.scratch = device_new(q, bytes);
        q.scratch_size = bytes;
    }
    return q.scratch;
}

/* out[i] = in[0] + … + in[i-1] */
inline void scan(Queue &q, const int *in, int *out, int n)
{
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, n, q.stream);
    void *memory = scratch(q, bytes);
    if (!q.failed) q.check(cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n, q.stream), "summing");
}

inline void sort(Queue &q, const uint32_t *keys, uint32_t *sorted_keys, const int *values, int *sorted_values, int n)
{
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted_keys, values, sorted_values, n, 0, 32, q.stream);
    void *memory = scratch(q, bytes);
    if (!q.failed)
        q.check(cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sorted_keys, values, sorted_values, n, 0, 32, q.stream), "sorting");
}

template <class T> __device__ inline T atomic_add(T *p, T x) { return atomicAdd(p, x); }
__device__ inline void atomic_max(int *p, int x) { atomicMax(p, x); }
__device__ inline uint32_t atomic_swap_if(uint32_t *p, uint32_t expected, uint32_t x) { return atomicCAS(p, expected, x); }
__device__ inline void atomic_max(unsigned long long *p, unsigned long long x) { atomicMax(p, x); }
__device__ inline int bits_of(float x) { return __float_as_int(x); }
__device__ inline float float_of(int x) { return __int_as_float(x); }

#else

template <class F> void each(Queue &, int n, const int *count, F f, int = 128, int = 0)
{
    int end = count ? (*count < n ? *count : n) : n;
    for (int i = 0; i < end; i++) f(i);
}
inline void *device_new(Queue &, size_t bytes) { return calloc(bytes ? bytes : 1, 1); }
inline void device_delete(void *p) { free(p); }
inline void *host_new(Queue &, size_t bytes) { return calloc(bytes, 1); }
inline void host_delete(void *p) { free(p); }
inline void device_clear(Queue &, void *p, size_t bytes) { memset(p, 0, bytes); }
inline void to_device(Queue &, void *to, const void *from, size_t bytes) { if (bytes) memcpy(to, from, bytes); }
inline void to_host(Queue &, void *to, const void *from, size_t bytes) { if (bytes) memcpy(to, from, bytes); }
inline void wait(Queue &) {}
inline void scan(Queue &, const int *in, int *out, int n) { std::exclusive_scan(in, in + n, out, 0); }
inline void sort(Queue &, const uint32_t *keys, uint32_t *sorted_keys, const int *values, int *sorted_values, int n)
{
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [=](int a, int b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; i++) sorted_keys[i] = keys[order[i]], sorted_values[i] = values[order[i]];
}
template <class T> inline T atomic_add(T *p, T x) { T was = *p; *p += x; return was; }
inline void atomic_max(int *p, int x) { if (x > *p) *p = x; }
inline void atomic_max(unsigned long long *p, unsigned long long x) { if (x > *p) *p = x; }
inline uint32_t atomic_swap_if(uint32_t *p, uint32_t expected, uint32_t x) { uint32_t was = *p; if (was == expected) *p = x; return was; }
inline int bits_of(float x) { int i; memcpy(&i, &x, 4); return i; }
inline float float_of(int x) { float f; memcpy(&f, &x, 4); return f; }

#endif

/* An array on the device. Growing loses what it holds. */
template <class T> struct Array {
    T *p = nullptr;
    size_t room = 0;
    void reserve(Queue &q, size_t n)
    {
        if (n <= room) return;
        if (p) device_delete(p);
        p = (T *)device_new(q, n * sizeof(T));
        room = q.failed ? 0 : n;
    }
    void put(Queue &q, const T *from, size_t n)
    {
        reserve(q, n);
        to_device(q, p, from, n * sizeof(T));
    }
    void release()
    {
        if (p) device_delete(p);
        p = nullptr;
        room = 0;
    }
};

} // namespace tn
#endif
