/* sort.cu: sorting, on the device by CUB. */
#include "parallel.h"

#ifdef __CUDACC__
#include <cub/cub.cuh>
#else
#include <algorithm>
#include <numeric>
#include <vector>
#endif

namespace tn
{

#ifdef __CUDACC__

static size_t sort_bytes(int n)
{
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, (const uint32_t *)nullptr, (uint32_t *)nullptr,
                                    (const int *)nullptr, (int *)nullptr, n);
    return bytes;
}

void reserve_scratch(Queue &q, int n)
{
    size_t bytes = sort_bytes(n);
    if (bytes <= q.scratch_size) return;
    if (q.scratch) device_delete(q.scratch);
    q.scratch = device_new(q, bytes);
    q.scratch_size = q.failed ? 0 : bytes;
}

void sort(Queue &q, const uint32_t *keys, uint32_t *sorted_keys, const int *values,
          int *sorted_values, int n, int bits)
{
    size_t bytes = q.scratch_size;
    if (q.failed) return;
    q.check(cub::DeviceRadixSort::SortPairs(q.scratch, bytes, keys, sorted_keys, values,
                                            sorted_values, n, 0, bits, q.stream),
            "sorting");
}

#else

void reserve_scratch(Queue &, int) {}

void sort(Queue &q, const uint32_t *keys, uint32_t *sorted_keys, const int *values,
          int *sorted_values, int n, int bits)
{
    if (q.failed) return;
    std::vector<int> order((size_t)n);
    uint32_t mask = bits < 32 ? (1u << bits) - 1 : ~0u;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [=](int a, int b) { return (keys[a] & mask) < (keys[b] & mask); });
    for (int i = 0; i < n; i++) {
        sorted_keys[i] = keys[order[(size_t)i]];
        sorted_values[i] = values[order[(size_t)i]];
    }
}

#endif

} // namespace tn
