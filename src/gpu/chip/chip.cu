/* chip.cu: the parts of a step of worlds that stay on the chip: chip_data.h. */
#define TN_APART /* what the engine's functions are handed stays in registers */
#include "chip.h"

#include "chip_plan.h"
#include "chip_solve.h"
#include "chip_step.h"
#include "chip_touch.h"

namespace tn
{

#define TN_CHIP_MEMORY (4ll << 30) /* bytes, at most, for worlds that are stepped at a time */
#define TN_TOUCH_THREADS 128
#define TN_UNLIKE_THREADS 96
#define TN_FIND_THREADS 256
#define TN_PLAN_THREADS 256

#ifdef __CUDACC__

TN_CHIP_KERNEL(TN_EDGE_THREADS, TN_EDGE_BLOCKS) start_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART((int)blockDim.x)
    start_part(block, b, s, c, w);
    block.once([&] { *c.head = s; });
}

TN_CHIP_KERNEL(TN_FIND_THREADS, 6) find_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON(TN_FIND_THREADS)
    find_part(block, b, s, c, fast_memory);
    block.once([&] {
        c.head->pair_count = s.pair_count;
        c.head->other_count = s.other_count;
        c.head->stuck = s.stuck;
    });
}

TN_CHIP_KERNEL(TN_TOUCH_THREADS, 4) touch_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON(TN_TOUCH_THREADS)
    touch_part(block, b, s, c, fast_memory);
    block.once([&] { c.head->record_count = s.record_count; });
}

/* Spheres and other shapes. */
TN_CHIP_KERNEL(TN_UNLIKE_THREADS, 4) touch_unlike_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON(TN_UNLIKE_THREADS)
    block.each(s.other_count, [&](int i) {
        touch_others<WITH_SPHERE>(b, s, c, near_where_it_lies(b, s, c), c.others[i]);
    });
    block.once([&] { c.head->record_count = s.record_count; });
}

TN_CHIP_KERNEL(TN_PLAN_THREADS, 4) plan_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON(TN_PLAN_THREADS)
    plan_part(block, b, s, c, fast_memory);
    block.once([&] {
        c.head->contact_count = s.contact_count;
        c.head->stuck = s.stuck;
    });
}

template <int threads>
TN_CHIP_KERNEL(threads, TN_CHIP_THREADS / threads)
solve_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON(threads)
    solve_part<threads>(block, b, s, c, fast_memory);
    block.once([&] { *c.head = s; });
}

template <int own> TN_CHIP_KERNEL(TN_EDGE_THREADS, TN_EDGE_BLOCKS) end_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON((int)blockDim.x)
    end_part<own>(block, b, s, c);
}

#endif

/* f(a constant) with as many threads as a world has. */
template <class F> static void with_threads(int threads, F f)
{
    switch (threads) {
    case 64:
        return f(std::integral_constant<int, 64>());
    case 128:
        return f(std::integral_constant<int, 128>());
    case 256:
        return f(std::integral_constant<int, 256>());
    default:
        return f(std::integral_constant<int, TN_CHIP_THREADS>());
    }
}

void Chips::take(Queue &q, Worlds &b)
{
    int n = b.body_count, likely = 0; /* contacts */
    for (int i = 0; i < b.moving_count; i++) likely += b.only_with_spheres ? 3 : 8;
    int least = n + n / 8 + 8, wanted = n / 4 + likely / TN_CHIP_OWN;
    wanted = wanted > least ? wanted : least;
    if (n + n / 16 > TN_CHIP_THREADS) return;
    b.chip_threads = 64;
    while (b.chip_threads < wanted && b.chip_threads < TN_CHIP_THREADS) b.chip_threads *= 2;
    b.chip_contacts = TN_CHIP_OWN * b.chip_threads;
    b.chip_pushes = TN_CHIP_ROWS * b.chip_threads; /* as many rows as the longest of 32 needs */
    b.chip_pairs = 8 * b.moving_count + 64;
    char *anywhere = (char *)&first; /* only how much they take is asked for */
    Search search;
    Near near;
    Plan plan;
    Placing all = {{anywhere, 0}};
    find_size = lay_out_search(b, search, anywhere);
    touch_size = lay_out_near(b, near, anywhere);
    plan_size = lay_out_plan(b, plan, anywhere);
    with_threads(b.chip_threads,
                 [&](auto threads) { solve_size = (size_t)Motion<threads()>::size; });
    each_array(b, first, all);
    b.chip_size = (all.at.used + 127) / 128 * 128;
    if (find_size > TN_SHARED_MAX - 1024 || touch_size > TN_SHARED_MAX - 1024 ||
        plan_size > TN_SHARED_MAX - 1024)
        return;
    edge = started(b) < TN_EDGE_THREADS ? started(b) / 32 * 32 + 32 : TN_EDGE_THREADS;
    long long most = TN_CHIP_MEMORY / (long long)b.chip_size;
    int turns = (int)((b.count + most - 1) / most);
    int worlds = (b.count + turns - 1) / turns;
#ifdef __CUDACC__
    auto allow = [&](const void *kernel, size_t bytes) {
        q.check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
            "using the device");
    };
    allow((const void *)find_chips, find_size);
    allow((const void *)touch_chips, touch_size);
    allow((const void *)plan_chips, plan_size);
    with_threads(b.chip_threads,
                 [&](auto threads) { allow((const void *)solve_chips<threads()>, solve_size); });
#endif
    all.at = {memory.take<char>(q, (size_t)worlds * b.chip_size), 0};
    each_array(b, first, all);
    if (!q.failed) at_once = worlds;
}

#ifdef __CUDACC__
#define TN_RUN(kernel, threads, bytes)                                                             \
    kernel<<<worlds, threads, bytes, q.stream>>>(b, first);                                        \
    q.check(cudaGetLastError(), "starting the worlds");
#else
/* A kernel finds nothing in shared memory. */
struct Pool {
    std::vector<float4> all;
    explicit Pool(size_t bytes) : all(bytes / sizeof(float4) + 1) {}
    char *forget()
    {
        memset((void *)all.data(), 0xff, all.size() * sizeof(float4));
        return (char *)all.data();
    }
};
#endif

void Chips::run_find(Queue &q, const Worlds &b, int worlds) const
{
#ifdef __CUDACC__
    TN_RUN(start_chips, edge, 0)
    TN_RUN(find_chips, TN_FIND_THREADS, find_size)
#else
    Pool pool(find_size);
    each_chip(b, first, worlds, [&](int w, const Chip &c, ChipHead &s) {
        start_part(Block(), b, s, c, w);
        find_part(Block(), b, s, c, pool.forget());
    });
    (void)q;
#endif
}

void Chips::run_touch(Queue &q, const Worlds &b, int worlds) const
{
#ifdef __CUDACC__
    TN_RUN(touch_chips, TN_TOUCH_THREADS, touch_size)
    if (b.only_plain) return;
    if (!b.only_with_spheres) {
        run_others(q, b, worlds);
    } else {
        TN_RUN(touch_unlike_chips, TN_UNLIKE_THREADS, 0)
    }
#else
    Pool pool(touch_size);
    each_chip(b, first, worlds, [&](int, const Chip &c, ChipHead &s) {
        if (!s.stuck) touch_part(Block(), b, s, c, pool.forget());
        for (int i = 0; b.only_with_spheres && !s.stuck && i < s.other_count; i++)
            touch_others<WITH_SPHERE>(b, s, c, near_where_it_lies(b, s, c), c.others[i]);
    });
    if (!b.only_with_spheres) run_others(q, b, worlds);
#endif
}

void Chips::run_plan(Queue &q, const Worlds &b, int worlds) const
{
#ifdef __CUDACC__
    TN_RUN(plan_chips, TN_PLAN_THREADS, plan_size)
#else
    Pool pool(plan_size);
    each_chip(b, first, worlds, [&](int, const Chip &c, ChipHead &s) {
        if (!s.stuck) plan_part(Block(), b, s, c, pool.forget());
    });
    (void)q;
#endif
}

void Chips::run_solve(Queue &q, const Worlds &b, int worlds) const
{
    with_threads(b.chip_threads, [&](auto threads) {
#ifdef __CUDACC__
        TN_RUN(solve_chips<threads()>, threads(), solve_size)
#else
        Pool pool(solve_size);
        each_chip(b, first, worlds, [&](int, const Chip &c, ChipHead &s) {
            if (!s.stuck) solve_part<threads()>(Block(), b, s, c, pool.forget());
        });
        (void)q;
#endif
    });
}

void Chips::run_end(Queue &q, const Worlds &b, int worlds) const
{
#ifdef __CUDACC__
    static_assert(2 * TN_EDGE_THREADS >= TN_CHIP_THREADS, "a thread ends two bodies at most");
    auto end = b.body_count <= edge ? end_chips<1> : end_chips<2>;
    TN_RUN(end, edge, 0)
#else
    each_chip(b, first, worlds, [&](int, const Chip &c, ChipHead &s) {
        if (!s.stuck) end_part<1>(Block(), b, s, c);
    });
    (void)q;
#endif
}

void Chips::run(Queue &q, Worlds b, int steps)
{
    for (int k = 0; k < steps; k++)
        for (b.first = 0; b.first < b.count && !q.failed; b.first += at_once) {
            int left = b.count - b.first, worlds = left < at_once ? left : at_once;
            run_find(q, b, worlds);
            run_touch(q, b, worlds);
            run_plan(q, b, worlds);
            run_solve(q, b, worlds);
            run_end(q, b, worlds);
        }
}

} // namespace tn
