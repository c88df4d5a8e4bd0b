/* chip.cu: blocks for worlds that stay on the chip: chip_data.h. */
#include "chip.h"

#include "chip_step.h"

namespace tn
{

#ifdef __CUDACC__

/* Blocks take worlds as they are done with others. */
__global__ void __launch_bounds__(TN_CHIP_THREADS, 1) run_steps(const __grid_constant__ Worlds b)
{
    __shared__ ChipWorld s;
    __shared__ int sums[TN_CHIP_THREADS / 32], taken;
    if (threadIdx.x == 0) s.sums = sums;
    __syncthreads();
    const Block block = block_of(s);
    open_block(block, b, s, fast_memory,
               b.chip_scratch + (size_t)blockIdx.x * b.chip_scratch_size);
    for (;;) {
        block.once([&] { taken = atomicAdd(b.next_world, 1); });
        if (taken >= b.count) break;
        run_on_chip(b, s, taken);
    }
}

#endif

void Chips::take(Queue &q, Worlds &b)
{
    Chip c;
    ChipWorld places;
    int slots = b.moving_count, wanted = slots + slots / 10;
    wanted = b.body_count > wanted ? b.body_count : wanted;
    wanted = wanted < 32 ? 32 : (wanted + 31) / 32 * 32;
    b.chip_contacts = TN_CHIP_OWN * wanted;
    b.chip_pairs = 8 * b.moving_count + 64;
    char *anywhere = (char *)&places; /* only how much they take is asked for */
    Cursor large = {anywhere, 0};
    size = lay_out_chip(b, c, anywhere);
    lay_out_block(b, places, large);
    b.chip_scratch_size = (large.used + 127) / 128 * 128;
    if (wanted > TN_CHIP_THREADS || size + sizeof places + 1024 > TN_SHARED_MAX) return;
    int most = 1;
#ifdef __CUDACC__
    int device = 0, each = 0, count = 0;
    q.check(cudaFuncSetAttribute(run_steps, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)size),
            "using the device");
    q.check(cudaGetDevice(&device), "using the device");
    q.check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
            "using the device");
    q.check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, run_steps, wanted, size),
            "using the device");
    if (q.failed || each < 1) return;
    most = count * each;
#endif
    threads = wanted;
    blocks = most < b.count ? most : b.count;
    b.chip_scratch = memory.take<char>(q, (size_t)blocks * b.chip_scratch_size);
    b.next_world = memory.take<int>(q, 1);
}

#if defined(TN_GPU_LAPS) && defined(__CUDACC__) /* for who looks where the time goes */
static void print_laps(Queue &q)
{
    static int count;
    unsigned long long laps[TN_CHIP_LAPS];
    if (++count % 50) return;
    wait(q);
    q.check(cudaMemcpyFromSymbol(laps, chip_laps, sizeof laps), "copying");
    fprintf(stderr, "thousand cycles, all worlds and launches:");
    for (unsigned long long x : laps) fprintf(stderr, " %llu", x / 1000);
    fprintf(stderr, "\n");
}
#endif

void Chips::run(Queue &q, const Worlds &b)
{
    device_clear(q, b.next_world, sizeof *b.next_world);
    if (q.failed) return;
#ifdef __CUDACC__
    run_steps<<<blocks, threads, size, q.stream>>>(b);
    q.check(cudaGetLastError(), "starting the worlds");
#ifdef TN_GPU_LAPS
    print_laps(q);
#endif
#else
    Block block;
    ChipWorld s;
    std::vector<float4> pool(size / sizeof(float4) + 1);
    open_block(block, b, s, (char *)pool.data(), b.chip_scratch);
    for (int w = 0; w < b.count; w++) run_on_chip(b, s, w);
#endif
}

} // namespace tn
