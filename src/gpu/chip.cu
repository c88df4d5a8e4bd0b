/* chip.cu: blocks for worlds that stay on the chip: chip_data.h. */
#include "chip.h"

#include "chip_step.h"

namespace tn
{

#ifdef __CUDACC__

#define TN_CHIP_WORLD                                                                              \
    __shared__ ChipWorld s;                                                                        \
    __shared__ int sums[TN_CHIP_THREADS / 32];                                                     \
    const Block block = {(int)threadIdx.x, (int)blockDim.x, sums};

/* With a tolerance: blocks take worlds as they are done with others. */
__global__ void __launch_bounds__(TN_CHIP_THREADS, 1) run_steps(const __grid_constant__ Worlds b)
{
    TN_CHIP_WORLD
    __shared__ int taken;
    Chip c;
    lay_out_chip(b, c, fast_memory);
    block.once([&] { s.sums = sums; });
    open_block(block, b, s, c, b.chip_scratch + (size_t)blockIdx.x * b.chip_scratch_size);
    for (;;) {
        block.once([&] { taken = atomicAdd(b.next_world, 1); });
        if (taken >= b.count) break;
        run_on_chip(b, s, taken);
    }
}

/* A number of iterations. The part between the others calls no functions, so that contacts stay in
 * registers. With half the registers and twice the threads at a time, the first took a quarter
 * longer than that of batch_worlds.cu: what functions keep in memory went out of the cache. */
__global__ void __launch_bounds__(TN_CHIP_THREADS, 1) begin_chips(const __grid_constant__ Worlds b)
{
    TN_CHIP_WORLD
    int w = b.first + (int)blockIdx.x;
    if (is_on(b, w)) begin_part(block, b, s, fast_memory, w);
}

__global__ void __launch_bounds__(TN_CHIP_THREADS, 1)
    iterate_chips(const __grid_constant__ Worlds b)
{
    TN_CHIP_WORLD
    int w = b.first + (int)blockIdx.x;
    if (!is_on(b, w)) return;
    block.once([&] {
        s = *kept_chip(b, w);
        s.alpha = b.alpha;
        s.iterations = b.iterations;
    });
    if (s.stuck) return;
    Chip c;
    lay_out_chip(b, c, fast_memory);
    iterate_part(block, b, s, c);
}

__global__ void __launch_bounds__(TN_CHIP_THREADS, 1) end_chips(const __grid_constant__ Worlds b)
{
    TN_CHIP_WORLD
    int w = b.first + (int)blockIdx.x;
    if (!is_on(b, w)) return;
    block.once([&] {
        s = *kept_chip(b, w);
        s.iterations = b.iterations;
    });
    if (!s.stuck) end_part(block, b, s);
}

#endif

void Chips::take(Queue &q, Worlds &b)
{
    Chip c;
    ChipWorld places;
    int slots = b.moving_count, wanted = slots + slots / 10;
    bool in_parts = !(b.tolerance > 0.0);
    wanted = b.body_count > wanted ? b.body_count : wanted;
    wanted = wanted < 32 ? 32 : (wanted + 31) / 32 * 32;
    b.chip_contacts = TN_CHIP_OWN * wanted;
    b.chip_pairs = 8 * b.moving_count + 64;
    char *anywhere = (char *)&places; /* only how much they take is asked for */
    Cursor large = {anywhere, sizeof places};
    size = lay_out_chip(b, c, anywhere);
    search_size = lay_out_search(b, c, anywhere);
    lay_out_block(b, places, large);
    b.chip_scratch_size = (large.used + 127) / 128 * 128;
    if (wanted > TN_CHIP_THREADS || size + sizeof places + 1024 > TN_SHARED_MAX) return;
    int most = 1;
#ifdef __CUDACC__
    int device = 0, each = 0, count = 0;
    auto allow = [&](const void *kernel, size_t bytes) {
        q.check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
            "using the device");
    };
    allow((const void *)run_steps, size);
    allow((const void *)iterate_chips, size);
    allow((const void *)begin_chips, search_size);
    q.check(cudaGetDevice(&device), "using the device");
    q.check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
            "using the device");
    q.check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, run_steps, wanted, size),
            "using the device");
    if (q.failed || each < 1) return;
    most = count * each;
#endif
    if (in_parts) most *= TN_CHIP_WAVES;
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

/* All worlds by one step, in parts. */
void Chips::run_parts(Queue &q, Worlds b)
{
    for (b.first = 0; b.first < b.count && !q.failed; b.first += blocks) {
#ifdef __CUDACC__
        begin_chips<<<blocks, threads, search_size, q.stream>>>(b);
        iterate_chips<<<blocks, threads, size, q.stream>>>(b);
        end_chips<<<blocks, threads, 0, q.stream>>>(b);
        q.check(cudaGetLastError(), "starting the worlds");
#else
        Block block;
        ChipWorld s;
        Chip c;
        std::vector<float4> pool(size / sizeof(float4) + 1);
        for (int w = b.first; w < b.first + blocks; w++) {
            if (!is_on(b, w)) continue;
            begin_part(block, b, s, (char *)pool.data(), w);
            if (s.stuck) continue;
            s.alpha = b.alpha;
            s.iterations = b.iterations;
            lay_out_chip(b, c, (char *)pool.data());
            iterate_part(block, b, s, c);
            end_part(block, b, s);
        }
#endif
    }
}

void Chips::run(Queue &q, const Worlds &b, int steps)
{
    if (!(b.tolerance > 0.0)) {
        for (int k = 0; k < steps; k++) run_parts(q, b);
        return;
    }
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
    Chip c;
    std::vector<float4> pool(size / sizeof(float4) + 1);
    lay_out_chip(b, c, (char *)pool.data());
    s.pool = (char *)pool.data();
    open_block(block, b, s, c, b.chip_scratch);
    for (int w = 0; w < b.count; w++) run_on_chip(b, s, w);
#endif
}

} // namespace tn
