/* grain.cu: blocks for worlds in which only spheres move: grain_data.h. */
#define TN_APART /* what the engine's functions are handed stays in registers */
#include "chip.h"

#include "grain_step.h"

namespace tn
{

/* At most. With 384 that have two contacts each, and 80 registers, it was a tenth slower. */
#define TN_GRAIN_THREADS 256

/* The places of a block, and what its worlds share. */
TN_DEVICE inline void open_grains(const Block &block, const Worlds &b, ChipWorld &s, char *scratch)
{
    const Grains c = grains_of(b, s);
    block.once([&] {
        Cursor large = {scratch, 0};
        lay_out_block(b, s, large);
        s.bounds = c.bounds;
        s.v_end = c.v;
        s.per_theta = 1.0 / b.theta;
        s.pair_room = b.chip_pairs;
        s.contact_room = b.chip_contacts;
    });
    copy_shared(block, b, s);
}

#ifdef __CUDACC__

/* Blocks take worlds as they are done with others. */
__global__ void __launch_bounds__(TN_GRAIN_THREADS, 2) step_grains(const __grid_constant__ Worlds b)
{
    __shared__ ChipWorld s;
    __shared__ int sums[TN_GRAIN_THREADS / 32];
    __shared__ int taken;
    const Block block = {(int)threadIdx.x, (int)blockDim.x, sums};
    block.once([&] { s.sums = sums; });
    open_grains(block, b, s, b.chip_scratch + (size_t)blockIdx.x * b.chip_scratch_size);
    for (;;) {
        block.once([&] { taken = atomicAdd(b.next_world, 1); });
        if (taken >= b.count) break;
        run_grains(block, b, s, taken);
    }
}

#endif

void GrainBlocks::take(Queue &q, const Worlds &b, int wanted)
{
    Grains c;
    ChipWorld places;
    if (!b.only_spheres_move || wanted > TN_GRAIN_THREADS) return;
    size = lay_out_grains(b, c, (char *)&places); /* only how much they take is asked for */
    if (size + sizeof places + 1024 > TN_SHARED_MAX) return;
    at_once = 1;
#ifdef __CUDACC__
    int device = 0, each = 0, count = 0;
    q.check(
        cudaFuncSetAttribute(step_grains, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)size),
        "using the device");
    q.check(cudaGetDevice(&device), "using the device");
    q.check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
            "using the device");
    q.check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, step_grains, wanted, size),
            "using the device");
    at_once = q.failed ? 0 : count * each;
#else
    (void)q;
#endif
}

void GrainBlocks::run(Queue &q, const Worlds &b, int blocks, int threads) const
{
#ifdef __CUDACC__
    step_grains<<<blocks, threads, size, q.stream>>>(b);
    q.check(cudaGetLastError(), "starting the worlds");
#else
    (void)q, (void)blocks, (void)threads;
    Block block;
    ChipWorld s;
    std::vector<float4> pool(size / sizeof(float4) + 1);
    memset((void *)&s, 0xff, sizeof s);
    s.pool = (char *)pool.data();
    open_grains(block, b, s, b.chip_scratch);
    for (int w = 0; w < b.count; w++) {
        memset((void *)pool.data(), 0xff, size); /* nobody relies on what was there */
        run_grains(block, b, s, w);
    }
#endif
}

} // namespace tn
