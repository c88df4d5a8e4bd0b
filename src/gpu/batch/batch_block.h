/* batch_block.h: a team of threads that steps a world: a block of the device, or a loop on the
 * host. Each verb ends with all of them at the same place. */
#ifndef TN_GPU_BATCH_BLOCK_H
#define TN_GPU_BATCH_BLOCK_H

#include "../parallel.h"

#ifndef __CUDACC__
#include <vector>
#endif

namespace tn
{

#ifndef TN_BLOCK_MAX
#define TN_BLOCK_MAX 256 /* threads */
#endif
#ifndef TN_EDGE_THREADS
#define TN_EDGE_THREADS 256 /* where a step begins and ends */
#define TN_EDGE_BLOCKS 2
#endif
#ifndef TN_BLOCKS_AT_LEAST
#define TN_BLOCKS_AT_LEAST 2 /* at a time on a multiprocessor: bounds registers */
#endif
#ifdef __CUDACC__

struct Block {
    int rank, size;
    int *sums; /* TN_BLOCK_MAX / 32, in shared memory */

    __device__ void sync() const
    {
        if (size > 32)
            __syncthreads();
        else
            __syncwarp();
    }
    template <class F> __device__ void each(int n, F f) const
    {
        for (int i = rank; i < n; i += size) f(i);
        sync();
    }
    template <class F> __device__ void once(F f) const
    {
        if (rank == 0) f();
        sync();
    }
    /* By the last, which has least to do; the others go on meanwhile. */
    template <class F> __device__ void alone(F f) const
    {
        if (rank == size - 1) f();
    }
    /* x[i] becomes x[0] + … + x[i-1], x[n] the sum of all. */
    __device__ void scan(int *x, int n) const
    {
        int part = (n + size - 1) / size, begin = min(rank * part, n), end = min(begin + part, n);
        int own = 0, lane = rank & 31, warp = rank >> 5;
        for (int i = begin; i < end; i++) own += x[i];
        int upto = own;
        for (int d = 1; d < 32; d *= 2) {
            int below = __shfl_up_sync(0xffffffffu, upto, d);
            if (lane >= d) upto += below;
        }
        if (lane == 31) sums[warp] = upto;
        sync();
        int at = upto - own;
        for (int k = 0; k < warp; k++) at += sums[k];
        for (int i = begin; i < end; i++) {
            int count = x[i];
            x[i] = at;
            at += count;
        }
        if (rank == size - 1) x[n] = at;
        sync();
    }
};

/* What threads hold from one phase to the next, up to N each. */
template <class T, int N> struct Held {
    T own[N];
    template <class F> __device__ void each(const Block &block, int count, F f)
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (block.rank + k * block.size < count) f(own[k], block.rank + k * block.size);
    }
};

#else

struct Block {
    template <class F> void each(int n, F f) const
    {
        for (int i = 0; i < n; i++) f(i);
    }
    void sync() const {}
    template <class F> void once(F f) const { f(); }
    template <class F> void alone(F f) const { f(); }
    void scan(int *x, int n) const
    {
        int at = 0;
        for (int i = 0; i < n; i++) {
            int count = x[i];
            x[i] = at;
            at += count;
        }
        x[n] = at;
    }
};

template <class T, int N> struct Held {
    std::vector<T> own;
    template <class F> void each(const Block &, int count, F f)
    {
        own.resize((size_t)count);
        for (int i = 0; i < count; i++) f(own[(size_t)i], i);
    }
};

#endif

} // namespace tn
#endif
