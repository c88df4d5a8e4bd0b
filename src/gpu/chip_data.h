/* chip_data.h: a world whose step stays on the chip, in single precision: where its numbers are.
 *
 * What phases hand on is in shared memory, one use after the other in the same place:
 *
 *     search       bounds, masks of partners        pairs
 *     contacts     records                          pairs, then sides
 *     iteration    matrices of bodies, pushes       sides
 *
 * A push is the force and moment of a contact on one of its bodies. While it iterates, a contact is
 * in the registers of its thread. Bodies are numbered by how many sides they have, most first;
 * sides of 32 bodies lie side by side: threads that sum them up read from different banks, and are
 * done at about the same time. What the engine's routines want to see is in device memory. */
#ifndef TN_GPU_CHIP_DATA_H
#define TN_GPU_CHIP_DATA_H

#include "batch_data.h"

#ifndef __CUDACC__
#include <vector>
struct float2 {
    float x, y;
};
#endif

namespace tn
{

#define TN_CHIP_OWN 3        /* contacts of a thread */
#define TN_CHIP_THREADS 512  /* at most */
#define TN_CHIP_WAVES 4      /* of blocks that a launch steps, where parts of a step are launches */
#define TN_OTHER_THREADS 128 /* that look at pairs of other shapes than spheres */
#define TN_CHIP_MATRIX 7     /* H⁻¹ and A of a body, in fours */

struct Two16 {
    uint16_t a, b;
};

/* Places in shared memory. */
struct Chip {
    float4 *v4; /* per body and for the world: linear velocity and first of the angular one, less */
    float2 *v2; /* v_free; the other two */
    TnBounds *bounds;
    uint32_t *masks;
    int *mask_start;
    /* as in Fast, behind them Bn, Bt and μ; state: (1-α) t + α share λ */
    float4 *arm_a, *arm_b, *normal, *total, *state;
    Two16 *ends, *places; /* bodies, the world as the last one; where it pushes them */
    float4 *matrix;       /* of bodies, planes of body_count */
    float4 *push4;        /* force and first of the moment */
    float2 *push2;
    int *pair1, *pair2, *pair_start;
    uint16_t *sides; /* as Fast.sides, at the places of the pushes */
    int *degree, *fill, *slice;
    uint16_t *rank, *order; /* the number of a body, and back */
    int push_room;
};

/* What is handed from the part that begins a step to the one that iterates, and to the one that
 * ends it, in device memory: as the arrays of Chip. */
struct Carry {
    float4 *v4;
    float2 *v2;
    float4 *arm_a, *arm_b, *normal, *total;
    Two16 *ends, *places;
    int *fill, *slice;
    uint16_t *order;
    int *pair1, *pair2, *pair_start;
};

/* A step of a world, as World. */
struct alignas(16) ChipWorld : WorldBase {
    float4 *matrix;        /* all of a body's, planes of body_count */
    float *inertia;        /* A of bodies, planes, too, but of bodies in their order */
    float *g, *force;      /* planes */
    float4 *lambda, *beta; /* behind λ the depth; beta: of side a, of side b */
    uint64_t *key;         /* as warm_key, */
    int *key_geom;         /* of this geom1 */
    float4 *given;         /* what goes to e of contacts that yield */
    double mixed;          /* α of Chip.state */
    double per_theta;      /* 1/θ */
    Carry carry;
    char *pool; /* the shared memory */
    int *sums;  /* as Block.sums */
};

TN_DEVICE_AND_HOST inline void lay_out_records(const Worlds &b, Chip &c, Cursor &at)
{
    size_t contacts = (size_t)b.chip_contacts;
    at.take(c.arm_a, contacts);
    at.take(c.arm_b, contacts);
    at.take(c.normal, contacts);
    at.take(c.total, contacts);
    at.take(c.ends, contacts);
    at.take(c.places, contacts);
}

/* Matrices and pushes, from `at` to `end` or as far as they need; returns where they end. */
TN_DEVICE_AND_HOST inline size_t lay_out_pushes(const Worlds &b, Chip &c, Cursor at, size_t end)
{
    size_t matrices = TN_CHIP_MATRIX * (size_t)b.body_count, each = sizeof(float4) + sizeof(float2),
           taken = at.used + matrices * sizeof(float4),
           least = taken + (2 * (size_t)b.chip_contacts + 32) * each;
    end = end > least ? end : least;
    size_t pushed = (end - taken) / each - 2;
    at.take(c.matrix, matrices);
    at.take(c.push4, pushed);
    at.take(c.push2, pushed);
    c.push_room = (int)pushed - 1; /* the last is for the world */
    return end;
}

TN_DEVICE_AND_HOST inline void lay_out_sides(const Worlds &b, Chip &c, Cursor &at)
{
    size_t n = (size_t)b.body_count;
    at.take(c.sides, (size_t)c.push_room + 1);
    at.take(c.degree, n);
    at.take(c.fill, n);
    at.take(c.slice, n / 32 + 2);
    at.take(c.rank, n);
    at.take(c.order, n);
}

/* Returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_chip(const Worlds &b, Chip &c, char *pool)
{
    size_t n = (size_t)b.body_count, rows = (size_t)b.moving_count * (size_t)b.segments,
           pairs = (size_t)b.chip_pairs;
    Cursor all = {pool, 0};
    all.take(c.v4, n + 1);
    all.take(c.v2, n + 1);
    Cursor search = all, records = all;
    search.take(c.bounds, (size_t)b.slot_count);
    search.take(c.masks, rows);
    search.take(c.mask_start, rows + 1);
    lay_out_records(b, c, records);
    records.take(c.state, (size_t)b.chip_contacts);
    size_t end = search.used > records.used ? search.used : records.used;
    Cursor lists = {pool, lay_out_pushes(b, c, all, end)}, sides = lists;
    lists.take(c.pair1, pairs);
    lists.take(c.pair2, pairs);
    lists.take(c.pair_start, pairs + 1);
    lay_out_sides(b, c, sides);
    return lists.used > sides.used ? lists.used : sides.used;
}

/* Laid out wherever it is used, so that the compiler knows whose memory it is. */
TN_DEVICE inline Chip chip_of(const Worlds &b, const ChipWorld &s)
{
    Chip c;
#ifdef __CUDA_ARCH__
    lay_out_chip(b, c, fast_memory);
    (void)s;
#else
    lay_out_chip(b, c, s.pool);
#endif
    return c;
}

TN_DEVICE inline Block block_of(const ChipWorld &s)
{
#ifdef __CUDACC__
    return Block{(int)threadIdx.x, (int)blockDim.x, s.sums};
#else
    (void)s;
    return Block{};
#endif
}

/* Of a block, in device memory. */
TN_DEVICE_AND_HOST inline void lay_out_block(const Worlds &b, ChipWorld &s, Cursor &c)
{
    size_t n = (size_t)b.body_count, contacts = (size_t)b.chip_contacts;
    lay_out_base(b, s, c);
    c.take(s.others, (size_t)b.chip_pairs);
    c.take(s.matrix, TN_CHIP_MATRIX * n);
    c.take(s.inertia, 7 * n);
    c.take(s.g, 6 * n);
    c.take(s.force, 6 * n);
    c.take(s.lambda, contacts);
    c.take(s.beta, contacts);
    c.take(s.key, contacts);
    c.take(s.key_geom, contacts);
    c.take(s.given, contacts);
    c.take(s.carry.v4, n + 1);
    c.take(s.carry.v2, n + 1);
    c.take(s.carry.arm_a, contacts);
    c.take(s.carry.arm_b, contacts);
    c.take(s.carry.normal, contacts);
    c.take(s.carry.total, contacts);
    c.take(s.carry.ends, contacts);
    c.take(s.carry.places, contacts);
    c.take(s.carry.fill, n);
    c.take(s.carry.slice, n / 32 + 2);
    c.take(s.carry.order, n);
    c.take(s.carry.pair1, (size_t)b.chip_pairs);
    c.take(s.carry.pair2, (size_t)b.chip_pairs);
    c.take(s.carry.pair_start, (size_t)b.chip_pairs + 1);
}

/* The arrays that are handed on are these. */
TN_DEVICE_AND_HOST inline void use_carry(Chip &c, const Carry &carry)
{
    c.v4 = carry.v4;
    c.v2 = carry.v2;
    c.arm_a = carry.arm_a;
    c.arm_b = carry.arm_b;
    c.normal = carry.normal;
    c.total = carry.total;
    c.ends = carry.ends;
    c.places = carry.places;
    c.fill = carry.fill;
    c.slice = carry.slice;
    c.order = carry.order;
    c.pair1 = carry.pair1;
    c.pair2 = carry.pair2;
    c.pair_start = carry.pair_start;
}

/* Shared memory of the parts that begin, where the records are carried; returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_search(const Worlds &b, Chip &c, char *pool)
{
    size_t rows = (size_t)b.moving_count * (size_t)b.segments, n = (size_t)b.body_count;
    Chip whole;
    lay_out_chip(b, whole, pool);
    c.push_room = whole.push_room;
    Cursor search = {pool, 0}, sides = search;
    search.take(c.bounds, (size_t)b.slot_count);
    search.take(c.masks, rows);
    search.take(c.mask_start, rows + 1);
    sides.take(c.sides, (size_t)c.push_room + 1);
    sides.take(c.degree, n);
    sides.take(c.rank, n);
    return search.used > sides.used ? search.used : sides.used;
}

/* What threads hold from one phase to the next: up to N each, the first of all threads first. On
 * the device f gets some that are beyond the count, too. */
#ifdef __CUDACC__
template <class T, int N> struct Held {
    T own[N];
    template <class F> __device__ void each(const Block &block, int count, F f)
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (k * block.size + (block.rank & ~31) < count) f(own[k], k * block.size + block.rank);
    }
};
#else
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
