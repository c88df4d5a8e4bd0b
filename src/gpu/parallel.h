/* parallel.h: the verbs that the back end is written with: each, sort, memory.
 *
 * With nvcc they run on the device. With another compiler they are loops on the host, so that
 * everything but the timing can be tested where there is no device. */
#ifndef TN_GPU_PARALLEL_H
#define TN_GPU_PARALLEL_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define TN_DEVICE __device__
#define TN_DEVICE_AND_HOST __device__ __host__
#define TN_UNROLL _Pragma("unroll")
#define TN_UNROLL_TWICE _Pragma("unroll 2")
#define TN_UNROLL_FOUR_TIMES _Pragma("unroll 4")
#else
#define TN_DEVICE
#define TN_DEVICE_AND_HOST
#define TN_UNROLL
#define TN_UNROLL_TWICE
#define TN_UNROLL_FOUR_TIMES
#define __device__
#define __noinline__
#define __forceinline__ inline
struct float4 {
    float x, y, z, w;
};
#endif

#ifndef __CUDACC__
extern int tn_gpu_waits_left; /* tests lose the device; 0: never */
extern int tn_gpu_tile;       /* tests change TN_ENERGY_TILE (balance.h): results stay */
#endif

namespace tn
{

/* One stream of work, its first error, and memory that sort uses. */
struct Queue {
    bool failed = false;
    bool no_memory = false;
    char message[200] = "";
    void *scratch = nullptr;
    size_t scratch_size = 0;
    size_t limit = 0, taken = 0; /* bytes, for tests: more cannot be had; 0: no limit */
    void fail(const char *what, const char *why)
    {
        if (failed) return;
        failed = true;
        snprintf(message, sizeof message, "%s: %s", what, why);
    }
#ifdef __CUDACC__
    cudaStream_t stream = nullptr;
    void check(cudaError_t e, const char *what)
    {
        if (e == cudaSuccess || failed) return;
        no_memory = e == cudaErrorMemoryAllocation;
        fail(what, cudaGetErrorString(e));
    }
#endif
};

/* ---- sort.cu ---- */
/* Memory for up to n numbers: it takes none while a step is recorded. */
void reserve_scratch(Queue &q, int n);
/* By the keys' lower bits. */
void sort(Queue &q, const uint32_t *keys, uint32_t *sorted_keys, const int *values,
          int *sorted_values, int n, int bits = 32);

#ifdef __CUDACC__

template <class F> __device__ inline void run_all(int n, const int *count, const F &f)
{
    int end = count ? (*count < n ? *count : n) : n;
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < end;
         i += (int)(gridDim.x * blockDim.x))
        f(i);
}

template <class F> __global__ void run_each(int n, const int *count, F f) { run_all(n, count, f); }
template <int REGISTERS, class F>
__global__ void __maxnreg__(REGISTERS) run_each_within(int n, const int *count, F f)
{
    run_all(n, count, f);
}

/* f(i) of each i below n, and below *count (on the device) where that is given; `likely`: about so
 * many. REGISTERS: with fewer than f asks for more threads run at a time; 0: as many as it asks
 * for.
 */
template <int REGISTERS = 0, class F>
void each(Queue &q, int n, const int *count, F f, int threads = 128, int likely = 0)
{
    if (n <= 0 || q.failed) return;
    int launched = likely > 0 && likely < n ? likely : n,
        blocks = (launched + threads - 1) / threads;
    if constexpr (REGISTERS > 0)
        run_each_within<REGISTERS><<<blocks, threads, 0, q.stream>>>(n, count, f);
    else
        run_each<<<blocks, threads, 0, q.stream>>>(n, count, f);
    q.check(cudaGetLastError(), "starting a kernel");
}

inline void *device_new(Queue &q, size_t bytes)
{
    void *p = nullptr;
    if (q.failed) return p;
    if (q.limit && q.taken + bytes > q.limit)
        q.check(cudaErrorMemoryAllocation, "taking device memory");
    else
        q.check(cudaMalloc(&p, bytes ? bytes : 1), "taking device memory");
    q.taken += bytes;
    return p;
}
inline void device_delete(void *p) { cudaFree(p); }
/* Host memory that copies reach without waiting. */
inline void *host_new(Queue &q, size_t bytes)
{
    void *p = nullptr;
    if (!q.failed) q.check(cudaMallocHost(&p, bytes), "taking host memory");
    if (p) memset(p, 0, bytes);
    return p;
}
inline void host_delete(void *p)
{
    if (p) cudaFreeHost(p);
}
inline void device_clear(Queue &q, void *p, size_t bytes)
{
    if (!q.failed && bytes)
        q.check(cudaMemsetAsync(p, 0, bytes, q.stream), "clearing device memory");
}
inline void copy_bytes(Queue &q, void *to, const void *from, size_t bytes)
{
    if (!q.failed && bytes)
        q.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, q.stream), "copying");
}
inline void wait(Queue &q)
{
    if (!q.failed) q.check(cudaStreamSynchronize(q.stream), "running on the device");
}

template <class T> __device__ inline T atomic_add(T *p, T x) { return atomicAdd(p, x); }
/* Most calls change nothing, and a look that is out of date only costs the call. */
template <class T> __device__ inline void atomic_max(T *p, T x)
{
    if (x > *p) atomicMax(p, x);
}
__device__ inline void atomic_min(int *p, int x) { atomicMin(p, x); }
/* As atomic_add and atomic_max of whole numbers, by all threads with the same p where their warp is
 * whole: one of them goes to the memory. */
__device__ inline void atomic_add_all(unsigned long long *p, unsigned long long x)
{
    if (__activemask() == 0xffffffffu) {
        for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(0xffffffffu, x, k);
        if (threadIdx.x & 31) return;
    }
    if (x) atomicAdd(p, x);
}
__device__ inline void atomic_max_all(unsigned long long *p, unsigned long long x)
{
    if (__activemask() == 0xffffffffu) {
        for (int k = 16; k > 0; k /= 2) {
            unsigned long long other = __shfl_xor_sync(0xffffffffu, x, k);
            if (other > x) x = other;
        }
        if (threadIdx.x & 31) return;
    }
    atomic_max(p, x);
}
/* sums[at], sums[at + 1], … += N numbers: once for all lanes of a warp that have the same place.
 * Many that add to one place in shared memory wait long for each other. */
template <int N> __device__ inline void add_to_group(long long *sums, int at, const long long *x)
{
    unsigned long long *to = (unsigned long long *)sums;
    unsigned here = __activemask(), same = __match_any_sync(here, at);
    unsigned left = here == 0xffffffffu ? __ballot_sync(here, (same & (same - 1)) != 0) : 0;
    int lane = (int)(threadIdx.x & 31u);
    bool alone = !(left >> lane & 1u);
    while (left) {
        int of = __shfl_sync(0xffffffffu, at, __ffs((int)left) - 1);
        bool own = at == of;
        unsigned long long mine = 0; /* lane i adds the sum of the i-th */
        left &= ~__ballot_sync(0xffffffffu, own);
        for (int i = 0; i < N; i++) {
            unsigned long long sum = own ? (unsigned long long)x[i] : 0;
            for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
            if (lane == i) mine = sum;
        }
        if (mine) atomicAdd(&to[of + lane], mine);
    }
    if (alone)
        for (int i = 0; i < N; i++)
            if (x[i]) atomicAdd(&to[at + i], (unsigned long long)x[i]);
}
__device__ inline uint32_t atomic_swap_if(uint32_t *p, uint32_t expected, uint32_t x)
{
    return atomicCAS(p, expected, x);
}
__device__ inline int bits_of(float x) { return __float_as_int(x); }
__device__ inline float float_of(int x) { return __int_as_float(x); }

#else

template <int = 0, class F> void each(Queue &q, int n, const int *count, F f, int = 128, int = 0)
{
    if (q.failed) return;
    int end = count ? (*count < n ? *count : n) : n;
    for (int i = 0; i < end; i++) f(i);
}
inline void *device_new(Queue &q, size_t bytes)
{
    if (q.failed) return nullptr;
    bool beyond = q.limit && q.taken + bytes > q.limit;
    void *p = beyond ? nullptr : calloc(bytes ? bytes : 1, 1);
    q.taken += bytes;
    if (!p) {
        q.no_memory = true;
        q.fail("taking device memory", "out of memory");
    }
    return p;
}
inline void device_delete(void *p) { free(p); }
inline void *host_new(Queue &q, size_t bytes) { return device_new(q, bytes); }
inline void host_delete(void *p) { free(p); }
inline void device_clear(Queue &q, void *p, size_t bytes)
{
    if (!q.failed && bytes) memset(p, 0, bytes);
}
inline void copy_bytes(Queue &q, void *to, const void *from, size_t bytes)
{
    if (!q.failed && bytes) memcpy(to, from, bytes);
}
inline void wait(Queue &q)
{
    if (tn_gpu_waits_left > 0 && --tn_gpu_waits_left == 0)
        q.fail("running on the device", "it is lost, for a test");
}
template <class T> inline T atomic_add(T *p, T x)
{
    T was = *p;
    *p += x;
    return was;
}
template <class T> inline void atomic_max(T *p, T x)
{
    if (x > *p) *p = x;
}
inline void atomic_add_all(unsigned long long *p, unsigned long long x) { atomic_add(p, x); }
inline void atomic_max_all(unsigned long long *p, unsigned long long x) { atomic_max(p, x); }
inline void atomic_min(int *p, int x)
{
    if (x < *p) *p = x;
}
template <int N> inline void add_to_group(long long *sums, int at, const long long *x)
{
    for (int i = 0; i < N; i++) sums[at + i] += x[i];
}
inline uint32_t atomic_swap_if(uint32_t *p, uint32_t expected, uint32_t x)
{
    uint32_t was = *p;
    if (was == expected) *p = x;
    return was;
}
inline int bits_of(float x)
{
    int i;
    memcpy(&i, &x, 4);
    return i;
}
inline float float_of(int x)
{
    float f;
    memcpy(&f, &x, 4);
    return f;
}

#endif

} // namespace tn
#endif
