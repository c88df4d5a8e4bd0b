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
    open_block(block, b, s, c, b.chip_scratch + (size_t)blockIdx.x * b.chip_scratch_size, false);
    for (;;) {
        block.once([&] { taken = atomicAdd(b.next_world, 1); });
        if (taken >= b.count) break;
        run_on_chip(b, s, taken);
    }
}

/* A number of iterations: parts have kernels of their own, with as many registers as each needs.
 * Only one of them calls the routines for other shapes than spheres, which need much memory per
 * thread. */
#define TN_KEPT_CHIP                                                                               \
    TN_CHIP_WORLD                                                                                  \
    int w = b.first + (int)blockIdx.x;                                                             \
    if (!is_on(b, w)) return;                                                                      \
    copy_words(block, &s, kept_chip(b, w), 1);                                                     \
    if (s.stuck) return;

__global__ void __launch_bounds__(TN_EDGE_THREADS, 3) find_chips(const __grid_constant__ Worlds b)
{
    TN_CHIP_WORLD
    int w = b.first + (int)blockIdx.x;
    if (!is_on(b, w)) return;
    find_part(block, b, s, fast_memory, w);
    copy_words(block, kept_chip(b, w), &s, 1);
}

template <PairsOf of>
__global__ void __launch_bounds__(TN_OTHER_THREADS, 4)
    look_at_others_of_chips(const __grid_constant__ Worlds b)
{
    TN_KEPT_CHIP
    look_at_others<of>(block, b, s, carried_chip(b, s, fast_memory));
    block.once([&] {
        kept_chip(b, w)->stuck = s.stuck;
        kept_chip(b, w)->contact_count = s.contact_count;
    });
}

__global__ void __launch_bounds__(TN_EDGE_THREADS, 2) write_chips(const __grid_constant__ Worlds b)
{
    TN_KEPT_CHIP
    write_records(block, b, s, carried_chip(b, s, fast_memory));
    block.once([&] { kept_chip(b, w)->stuck = s.stuck; });
}

__global__ void __launch_bounds__(TN_CHIP_THREADS, 1)
    iterate_chips(const __grid_constant__ Worlds b)
{
    TN_KEPT_CHIP
    block.once([&] { s.alpha = b.alpha; });
    Chip c;
    lay_out_chip(b, c, fast_memory);
    iterate_part(block, b, s, c);
}

__global__ void __launch_bounds__(TN_EDGE_THREADS, 2) end_chips(const __grid_constant__ Worlds b)
{
    TN_KEPT_CHIP
    block.once([&] { s.iterations = b.iterations; });
    end_part(block, b, s);
}

#endif

/* How many blocks the device has at a time. */
int Chips::count_blocks(Queue &q, int wanted)
{
#ifdef __CUDACC__
    int device = 0, each = 0, count = 0;
    auto allow = [&](const void *kernel, size_t bytes) {
        q.check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
            "using the device");
    };
    allow((const void *)run_steps, size);
    allow((const void *)iterate_chips, size);
    allow((const void *)find_chips, search_size);
    allow((const void *)write_chips, search_size);
    q.check(cudaGetDevice(&device), "using the device");
    q.check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
            "using the device");
    q.check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, run_steps, wanted, size),
            "using the device");
    return q.failed ? 0 : count * each;
#else
    (void)q, (void)wanted;
    return 1;
#endif
}

void Chips::take(Queue &q, Worlds &b)
{
    Chip c;
    ChipWorld places;
    int slots = b.moving_count, wanted = slots + slots / 10, most;
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
    grains.take(q, b, wanted);
    if (grains.at_once) {
        most = grains.at_once;
    } else {
        if (wanted > TN_CHIP_THREADS || size + sizeof places + 1024 > TN_SHARED_MAX) return;
        most = count_blocks(q, wanted) * (b.tolerance > 0.0 ? 1 : TN_CHIP_WAVES);
    }
    if (!most) return;
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
        int edge = threads < TN_EDGE_THREADS ? threads : TN_EDGE_THREADS;
        find_chips<<<blocks, edge, search_size, q.stream>>>(b);
        auto others = b.only_with_spheres ? look_at_others_of_chips<WITH_SPHERE>
                                          : look_at_others_of_chips<ANY>;
        others<<<blocks, TN_OTHER_THREADS, 0, q.stream>>>(b);
        write_chips<<<blocks, edge, search_size, q.stream>>>(b);
        iterate_chips<<<blocks, threads, size, q.stream>>>(b);
        end_chips<<<blocks, edge, 0, q.stream>>>(b);
        q.check(cudaGetLastError(), "starting the worlds");
#else
        Block block;
        ChipWorld s;
        Chip c;
        std::vector<float4> pool(size / sizeof(float4) + 1);
        /* a kernel finds nothing in shared memory */
        auto forget = [&] { memset((void *)pool.data(), 0xff, pool.size() * sizeof(float4)); };
        for (int w = b.first; w < b.first + blocks; w++) {
            if (!is_on(b, w)) continue;
            forget();
            find_part(block, b, s, (char *)pool.data(), w);
            forget();
            c = carried_chip(b, s, (char *)pool.data());
            if (!s.stuck) look_at_others<ANY>(block, b, s, c);
            forget();
            if (!s.stuck) write_records(block, b, s, c);
            if (s.stuck) continue;
            s.alpha = b.alpha;
            s.iterations = b.iterations;
            forget();
            lay_out_chip(b, c, (char *)pool.data());
            iterate_part(block, b, s, c);
            forget();
            end_part(block, b, s);
        }
#endif
    }
}

void Chips::run(Queue &q, const Worlds &b, int steps)
{
    if (!grains.at_once && !(b.tolerance > 0.0)) {
        for (int k = 0; k < steps; k++) run_parts(q, b);
        return;
    }
    device_clear(q, b.next_world, sizeof *b.next_world);
    if (q.failed) return;
    if (grains.at_once) {
        grains.run(q, b, blocks, threads);
        return;
    }
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
    open_block(block, b, s, c, b.chip_scratch, false);
    for (int w = 0; w < b.count; w++) run_on_chip(b, s, w);
#endif
}

} // namespace tn
