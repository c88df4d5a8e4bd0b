/* chip.h: steps of worlds that stay on the chip, as the batch sees them. */
#ifndef TN_GPU_CHIP_H
#define TN_GPU_CHIP_H

#include "../memory.h"
#include "chip_data.h"

namespace tn
{

#define TN_SHARED_MAX (227 * 1024) /* bytes of a block, compute capability 9.0 */

struct Chips {
    Chip first;      /* the arrays of the first world of those that are stepped at a time, */
    int at_once = 0; /* so many; 0: these worlds are too large */
    int edge = 0;    /* threads where a step begins and ends */
    size_t find_size = 0, touch_size = 0, plan_size = 0,
           solve_size = 0; /* shared memory of a block */
    Memory memory;
    /* Memory of the worlds, and what Worlds says of it. */
    void take(Queue &q, Worlds &b);
    /* All steps that worlds have to go, at most so many, of those that fit. */
    void run(Queue &q, Worlds b, int steps);
    /* Parts of a step, of worlds b.first … */
    void run_find(Queue &q, const Worlds &b, int worlds) const;
    void run_touch(Queue &q, const Worlds &b, int worlds) const;
    void run_others(Queue &q, const Worlds &b, int worlds) const;
    void run_plan(Queue &q, const Worlds &b, int worlds) const;
    void run_solve(Queue &q, const Worlds &b, int worlds) const;
    void run_end(Queue &q, const Worlds &b, int worlds) const;
};

/* The kernel of a part: `run` of its world, a block each. On the device it is
 *     name<<<worlds, threads, bytes>>>(b, first). */
#ifdef __CUDACC__
#define TN_CHIP_PART(threads)                                                                      \
    __shared__ ChipHead s;                                                                         \
    __shared__ int sums[TN_CHIP_THREADS / 32];                                                     \
    const Block block = {(int)threadIdx.x, threads, sums};                                         \
    const int w = b.first + (int)blockIdx.x;                                                       \
    if (!is_on(b, w)) return;                                                                      \
    const Chip c = chip_of(b, first, w);
#define TN_CHIP_PART_GOES_ON(threads)                                                              \
    TN_CHIP_PART(threads)                                                                          \
    block.once([&] { s = *c.head; });                                                              \
    if (s.stuck) return;
#define TN_CHIP_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#define TN_CHIP_ARGUMENTS const __grid_constant__ Worlds b, const __grid_constant__ Chip first
#else
/* f(world, its arrays, its head) of each that has a step to take. */
template <class F> void each_chip(const Worlds &b, const Chip &first, int worlds, F f)
{
    for (int w = b.first; w < b.first + worlds; w++) {
        if (!is_on(b, w)) continue;
        const Chip c = chip_of(b, first, w);
        f(w, c, *c.head);
    }
}
#endif

} // namespace tn
#endif
