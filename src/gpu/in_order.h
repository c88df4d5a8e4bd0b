/* in_order.h: each i makes a number of things, and they get places in the order of i: one kernel in
 * place of one that counts, a running sum and one that writes.
 *
 * Blocks take tiles of i in turns. Each counts, tells the sum of its tile, and adds up the sums of
 * the tiles before, 32 at a time, back to one that has its place already. The places do not depend
 * on which is faster. */
#ifndef TN_GPU_IN_ORDER_H
#define TN_GPU_IN_ORDER_H

#include "parallel.h"

namespace tn
{

#define TN_TILE 128

/* Left as it is for the next. A tile's word is a mark of this run, then 1: the sum of the tile, or
 * 2: of all up to its end; then the sum. */
struct Order {
    int taken, left;
    uint32_t run;
    unsigned long long tiles[1];
};

inline size_t order_bytes(size_t n) { return sizeof(Order) + sizeof(uint64_t) * (n / TN_TILE + 1); }

#ifdef __CUDACC__

#define TN_TILE_WARPS (TN_TILE / 32)
#define TN_TILE_SUM 1u
#define TN_TILE_END 2u

__device__ inline void tell_tile(Order *order, int tile, uint32_t mark, int sum)
{
    *(volatile unsigned long long *)&order->tiles[tile] =
        (unsigned long long)mark << 32 | (unsigned)sum;
}

/* What the tiles before have, by one warp. */
__device__ inline int sum_before(const Order *order, int tile, uint32_t run)
{
    int sum = 0;
    for (int last = tile - 1; last >= 0; last -= 32) {
        int at = last - (int)(threadIdx.x & 31u);
        unsigned long long word = (unsigned long long)(4u * run + TN_TILE_END) << 32;
        do {
            if (at >= 0) word = *(const volatile unsigned long long *)&order->tiles[at];
        } while (__any_sync(0xffffffffu, (uint32_t)(word >> 34) != (run & 0x3fffffffu)));
        unsigned ends = __ballot_sync(0xffffffffu, (word >> 32 & 3u) == TN_TILE_END);
        int nearest = ends ? __ffs((int)ends) - 1 : 31;
        int part = (int)(threadIdx.x & 31u) <= nearest ? (int)(uint32_t)word : 0;
        sum += __reduce_add_sync(0xffffffffu, part);
        if (ends) break;
    }
    return sum;
}

template <class M, class P, class E>
__global__ void __launch_bounds__(TN_TILE)
    run_in_order(int n, const int *count, Order *order, M make, P put, E end)
{
    __shared__ int tile, before, sums[TN_TILE_WARPS];
    int most = count ? (*count < n ? *count : n) : n, tiles = (most + TN_TILE - 1) / TN_TILE;
    int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32;
    uint32_t run = order->run + 1; /* words of none are 0 */
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(&order->taken, 1);
        __syncthreads();
        if (tile >= tiles) break;
        int i = tile * TN_TILE + (int)threadIdx.x;
        auto made = make(i < most ? i : -1);
        int place = made.count, total = 0;
        for (int k = 1; k < 32; k *= 2) {
            int other = __shfl_up_sync(0xffffffffu, place, k);
            if (lane >= k) place += other;
        }
        if (lane == 31) sums[warp] = place;
        place -= made.count;
        __syncthreads();
        for (int k = 0; k < TN_TILE_WARPS; k++) {
            if (k < warp) place += sums[k];
            total += sums[k];
        }
        if (warp == 0) {
            if (tile && lane == 0) tell_tile(order, tile, 4u * run + TN_TILE_SUM, total);
            int sum = sum_before(order, tile, run);
            if (lane == 0) {
                tell_tile(order, tile, 4u * run + TN_TILE_END, sum + total);
                before = sum;
            }
        }
        __syncthreads();
        put(i < most ? i : -1, made, before + place);
        if (tile == tiles - 1 && threadIdx.x == 0) end(before + total);
        __syncthreads();
    }
    if (threadIdx.x == 0 && atomicAdd(&order->left, 1) == (int)gridDim.x - 1) {
        order->taken = order->left = 0;
        order->run = run;
    }
}

/* make(i) of each i below n, and below *count where that is given, tells a .count. put(i, made,
 * place) gets it and its place. i is -1 where a thread has none, so that whole warps come. At last,
 * if there are any: end(sum). `likely` as that of each. */
template <class M, class P, class E>
void each_in_order(Queue &q, int n, const int *count, Order *order, M make, P put, E end,
                   int likely = 0)
{
    if (n <= 0 || q.failed) return;
    int launched = likely > 0 && likely < n ? likely : n;
    run_in_order<<<(launched + TN_TILE - 1) / TN_TILE, TN_TILE, 0, q.stream>>>(n, count, order,
                                                                               make, put, end);
    q.check(cudaGetLastError(), "starting a kernel");
}

#else

template <class M, class P, class E>
void each_in_order(Queue &q, int n, const int *count, Order *, M make, P put, E end, int = 0)
{
    if (q.failed) return;
    int most = count ? (*count < n ? *count : n) : n, place = 0;
    for (int i = 0; i < most; i++) {
        auto made = make(i);
        put(i, made, place);
        place += made.count;
    }
    if (most > 0) end(place);
}

#endif

#define TN_SUM_ITEMS 4 /* of a thread */

/* out[i] = in[0] + … + in[i-1] */
inline void sum_in_order(Queue &q, Order *order, const int *in, int *out, int n)
{
    struct Sums {
        int count, parts[TN_SUM_ITEMS];
    };
    each_in_order(
        q, (n + TN_SUM_ITEMS - 1) / TN_SUM_ITEMS, nullptr, order,
        [=] TN_DEVICE(int i) {
            Sums sums = {0};
            TN_UNROLL
            for (int k = 0; k < TN_SUM_ITEMS; k++) {
                int at = TN_SUM_ITEMS * i + k;
                sums.parts[k] = i >= 0 && at < n ? in[at] : 0;
                sums.count += sums.parts[k];
            }
            return sums;
        },
        [=] TN_DEVICE(int i, const Sums &sums, int sum) {
            TN_UNROLL
            for (int k = 0; k < TN_SUM_ITEMS; k++) {
                int at = TN_SUM_ITEMS * i + k;
                if (i >= 0 && at < n) out[at] = sum;
                sum += sums.parts[k];
            }
        },
        [=] TN_DEVICE(int) {});
}

} // namespace tn
#endif
