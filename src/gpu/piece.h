/* piece.h: what one multiprocessor keeps of a scene while it iterates (resident.h).
 *
 * Bodies are in order along the curve, and a piece is a range of them with about as many sides and
 * bodies as any other. It has all contacts of its bodies: those between two pieces are in both, and
 * both compute the same for them. So only velocities go from piece to piece. Contacts within the
 * piece come first, those that cross its border behind them.
 *
 * In shared memory, n contacts, words:
 *
 *     v         6 per body
 *     trial     t of each contact; the first `cold` ones have it and λ in the scene's arrays
 *     force     λ
 *     fixed     arms, normal, e, Bn, Bt, μ; the first `streamed` contacts have these there
 *     contact   of the latter: which one it is
 *     ends      of all: bodies of the piece. Behind a crossing one's body: 1, it is the second
 *     remote    of those that cross: the other body
 *     ref       of each side: contact · 2 + (1: as the second), 16 bits
 *     touching  bodies with contacts, 16 bits; those with most of them first */
#ifndef TN_GPU_PIECE_H
#define TN_GPU_PIECE_H

#include "iterate.h"

namespace tn
{

#ifdef __CUDACC__

#define TN_PIECE_THREADS 512
#define TN_PIECE_WARPS (TN_PIECE_THREADS / 32)
#define TN_HOT_WORDS 6
#define TN_FIXED_WORDS 15
#define TN_NO_BODY 0xffff
#define TN_PIECE_CONTACTS 0x7fff /* that a reference can tell */
#define TN_PIECE_SIDES 0xffff    /* that fit into half a word */

extern __shared__ float2 piece_memory[];

/* Places in the memory are in words; of ref and touching in halves of these. */
struct Piece {
    int first, bodies, first_side, sides, touching_count;
    int inner, count; /* contacts within the piece, and all */
    int cold, streamed;
    int trial, force, fixed, contacts, remotes, ends, refs, touchings;

    __device__ float &word(int at) const { return ((float *)piece_memory)[at]; }
    __device__ int &number(int at) const { return ((int *)piece_memory)[at]; }
    __device__ uint16_t &ref(int i) const { return ((uint16_t *)piece_memory)[refs + i]; }
    __device__ uint16_t &touching(int i) const { return ((uint16_t *)piece_memory)[touchings + i]; }
    __device__ int &contact(int id) const { return number(contacts + id); }
    __device__ int &remote(int id) const { return number(remotes + id - inner); }
    __device__ int &ends_of(int id) const { return number(ends + id); }

    /* Each contact has an odd number of words in a row, so that neighbours meet other banks. */
    __device__ int trial_at(int id) const { return trial + 3 * (id - cold); }
    __device__ int force_at(int id) const { return force + 3 * (id - cold); }
    __device__ int fixed_at(int id) const { return fixed + TN_FIXED_WORDS * (id - streamed); }
    __device__ float4 vector(int at, float w = 0) const
    {
        return {word(at), word(at + 1), word(at + 2), w};
    }
    __device__ void put(int at, float4 x) const
    {
        word(at) = x.x, word(at + 1) = x.y, word(at + 2) = x.z;
    }
    __device__ void velocity(int body, float4 *linear, float4 *angular) const
    {
        const float2 *v = piece_memory + 3 * body;
        float2 x = v[0], y = v[1], z = v[2];
        *linear = {x.x, x.y, y.x, 0};
        *angular = {y.y, z.x, z.y, 0};
    }
    __device__ void set_velocity(int body, float4 linear, float4 angular) const
    {
        float2 *v = piece_memory + 3 * body;
        v[0] = {linear.x, linear.y};
        v[1] = {linear.z, angular.x};
        v[2] = {angular.y, angular.z};
    }
};

/* What a block shares besides. */
struct PieceCounts {
    int warp_sums[TN_PIECE_WARPS];
    int inner, crossing;
    int bodies_with[32]; /* so many sides, or more: of the last */
};

/* put(i, kind, place): place counts those of its kind (1 or 2) before i. All threads of a block.
 * How many there are of the first. */
template <class K, class P>
__device__ inline int number_in_order(int n, int *warp_sums, K kind_of, P put)
{
    int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5, before = 0;
    for (int base = 0; base < n; base += TN_PIECE_THREADS) {
        int i = base + (int)threadIdx.x, kind = i < n ? kind_of(i) : 0;
        unsigned first = __ballot_sync(0xffffffffu, kind == 1),
                 second = __ballot_sync(0xffffffffu, kind == 2), lower = (1u << lane) - 1;
        if (lane == 0) warp_sums[warp] = __popc(first) | __popc(second) << 16;
        __syncthreads();
        int mine = before;
        for (int k = 0; k < TN_PIECE_WARPS; k++) {
            if (k < warp) mine += warp_sums[k];
            before += warp_sums[k];
        }
        if (kind == 1) put(i, kind, (mine & 0xffff) + __popc(first & lower));
        if (kind == 2) put(i, kind, (mine >> 16) + __popc(second & lower));
        __syncthreads();
    }
    return before & 0xffff;
}

/* 1: the side that a contact within the piece is listed by, 2: one that crosses, 0: neither. */
__device__ inline int kind_of_side(const Piece &p, int side, Ends e)
{
    int other = side & 1 ? e.a : e.b;
    if (other < 0) return 1;
    if (other < p.first || other >= p.first + p.bodies) return 2;
    return side & 1 ? 0 : 1;
}

/* The piece's share of shared memory. False: it is too small. */
__device__ inline bool lay_out(Piece *p, int crossing, int words)
{
    int need = 6 * p->bodies + (p->bodies + 1) / 2 + (p->sides + 1) / 2 + 2 * p->count + crossing;
    int left = words - need;
    if (left < TN_HOT_WORDS * crossing || p->count > TN_PIECE_CONTACTS || p->bodies >= TN_NO_BODY ||
        p->sides > TN_PIECE_SIDES)
        return false;
    int hot = left / TN_HOT_WORDS < p->count ? left / TN_HOT_WORDS : p->count;
    left -= TN_HOT_WORDS * hot;
    /* what is kept need not be found: one word less */
    int kept = left / (TN_FIXED_WORDS - 1);
    if (hot < p->count) kept = 0;
    if (kept > p->count) kept = p->count;
    p->cold = p->count - hot;
    p->streamed = p->count - kept;
    p->trial = 6 * p->bodies;
    p->force = p->trial + 3 * hot;
    p->fixed = p->force + 3 * hot;
    p->contacts = p->fixed + TN_FIXED_WORDS * kept;
    p->ends = p->contacts + p->streamed;
    p->remotes = p->ends + p->count;
    p->refs = 2 * (p->remotes + crossing);
    p->touchings = p->refs + p->sides;
    return true;
}

/* Counts what a piece has and gives it its memory. False: it does not fit. */
__device__ inline bool open_piece(const View<float> &s, Piece *p, PieceCounts *counts, int words)
{
    int thread = (int)threadIdx.x, inner = 0, crossing = 0;
    if (thread == 0) counts->inner = counts->crossing = 0;
    __syncthreads();
    p->first = s.piece_start[blockIdx.x];
    p->bodies = s.piece_start[blockIdx.x + 1] - p->first;
    p->first_side = s.side_start[p->first];
    p->sides = s.side_start[p->first + p->bodies] - p->first_side;
    TN_UNROLL_FOUR_TIMES
    for (int i = thread; i < p->sides; i += TN_PIECE_THREADS) {
        int side = s.sides[p->first_side + i], kind = kind_of_side(*p, side, s.ends[side >> 1]);
        inner += kind == 1;
        crossing += kind == 2;
    }
    inner = __reduce_add_sync(0xffffffffu, inner);
    crossing = __reduce_add_sync(0xffffffffu, crossing);
    if ((thread & 31) == 0) {
        atomicAdd(&counts->inner, inner);
        atomicAdd(&counts->crossing, crossing);
    }
    __syncthreads();
    p->inner = counts->inner;
    p->count = counts->inner + counts->crossing;
    return lay_out(p, counts->crossing, words);
}

/* A contact of the piece, found by the side i that lists it. */
__device__ inline void load_contact(const View<float> &s, const Piece &p, int i)
{
    int side = s.sides[p.first_side + i], c = side >> 1, id = p.ref(i) >> 1;
    float4 a = s.arm_a[c], b = s.arm_b[c], n = s.normal[c], u = s.total[c], t = s.trial[c];
    Ends e = s.ends[c];
    if (id < p.inner) {
        p.ends_of(id) = (e.a - p.first) | (e.b < 0 ? TN_NO_BODY : e.b - p.first) << 16;
        s.place_in_piece[c] = id;
    } else {
        p.ends_of(id) = ((side & 1 ? e.b : e.a) - p.first) | (side & 1) << 16;
        p.remote(id) = side & 1 ? e.a : e.b;
    }
    if (id >= p.cold) {
        p.put(p.trial_at(id), t);
        p.put(p.force_at(id), project<float>(t, n));
    }
    if (id < p.streamed) {
        p.contact(id) = c;
        if (id < p.cold) s.lambda[c] = project<float>(t, n);
        return;
    }
    int at = p.fixed_at(id);
    p.put(at, a);
    p.put(at + 3, b);
    p.put(at + 6, n);
    p.put(at + 9, u);
    p.put(at + 12, float4{a.w, b.w, n.w, 0});
}

/* Bodies with contacts, those with most sides first, so that the lanes of a warp have about as much
 * to do. Among those with as many the order differs from run to run, and the results do not. */
__device__ inline void list_touching(const View<float> &s, Piece *p, int *bodies_with)
{
    int thread = (int)threadIdx.x;
    auto sides_of_body = [&](int i) {
        int count = s.side_start[p->first + i + 1] - s.side_start[p->first + i];
        return count < 31 ? count : 31;
    };
    if (thread < 32) bodies_with[thread] = 0;
    __syncthreads();
    for (int i = thread; i < p->bodies; i += TN_PIECE_THREADS)
        atomicAdd(&bodies_with[sides_of_body(i)], 1);
    __syncthreads();
    if (thread < 32) { /* where they begin */
        int own = bodies_with[31 - thread], sum = own;
        for (int k = 1; k < 32; k *= 2) {
            int before = __shfl_up_sync(0xffffffffu, sum, (unsigned)k);
            if (thread >= k) sum += before;
        }
        bodies_with[31 - thread] = sum - own;
    }
    __syncthreads();
    p->touching_count = bodies_with[0];
    __syncthreads();
    for (int i = thread; i < p->bodies; i += TN_PIECE_THREADS)
        if (int count = sides_of_body(i))
            p->touching(atomicAdd(&bodies_with[count], 1)) = (uint16_t)i;
    __syncthreads();
}

/* References of all sides, contacts, velocities. */
__device__ inline void fill_piece(const View<float> &s, Piece *p, PieceCounts *counts)
{
    int thread = (int)threadIdx.x;
    TN_UNROLL_FOUR_TIMES
    for (int i = thread; i < p->sides; i += TN_PIECE_THREADS) {
        int side = s.sides[p->first_side + i];
        p->ref(i) = (uint16_t)kind_of_side(*p, side, s.ends[side >> 1]);
    }
    for (int i = thread; i < p->bodies; i += TN_PIECE_THREADS) {
        int r = p->first + i;
        p->set_velocity(i, s.v[2 * r], s.v[2 * r + 1]);
        s.v_other[2 * r].w = s.v_other[2 * r + 1].w = float_of(0); /* of no iteration yet */
    }
    __syncthreads();
    number_in_order(
        p->sides, counts->warp_sums, [&](int i) { return (int)p->ref(i); },
        [&](int i, int kind, int place) {
            p->ref(i) = (uint16_t)(2 * (kind == 1 ? place : p->inner + place) + 1);
        });
    /* odd: it lists its contact, for now */
    TN_UNROLL_TWICE
    for (int i = thread; i < p->sides; i += TN_PIECE_THREADS)
        if (p->ref(i)) load_contact(s, *p, i);
    __syncthreads();
    TN_UNROLL_FOUR_TIMES
    for (int i = thread; i < p->sides; i += TN_PIECE_THREADS) {
        int side = s.sides[p->first_side + i], listed = p->ref(i);
        int id = listed ? listed >> 1 : s.place_in_piece[side >> 1];
        p->ref(i) = (uint16_t)(2 * id + (side & 1));
    }
    list_touching(s, p, counts->bodies_with);
}

#endif

} // namespace tn
#endif
