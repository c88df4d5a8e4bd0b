/* resident.h: the iteration of iterate.h as one kernel that stays on the chip.
 *
 * Each multiprocessor has one block and one piece of the scene (piece.h): the matrices of its
 * bodies in registers, two bodies per thread, its contacts in shared memory, as many as fit. It
 * iterates
 *
 *     contacts within the piece
 *     contacts that cross its border, as soon as the other body's velocity is there
 *     bodies; velocities of those at the border go to the memory that all share, in turns to one
 *         of two places, since others may still read the last ones
 *
 * A velocity has the number of its iteration behind it, in the same 16 bytes, so no thread waits
 * for more than the numbers that it needs. The numbers are those of iterate.h. Where a piece does
 * not fit, as with a body of thousands of contacts, all blocks do what iterate.h does, with
 * barriers over all of them. */
#ifndef TN_GPU_RESIDENT_H
#define TN_GPU_RESIDENT_H

#include "piece.h"

namespace tn
{

/* What the device has room for; no pieces: nothing is resident there. */
struct ResidentRoom {
    int pieces = 0, words = 0;
};

#ifdef __CUDACC__

#define TN_RESIDENT_BODIES 2 /* per thread */
#define TN_SIDES_IN_PIECE 2  /* of a body, at a time */

struct ResidentRun {
    View<float> s;
    int iterations, words; /* of shared memory */
    float alpha, first_alpha, share;
};

/* 16 bytes that others see as a whole; the last four tell of which iteration they are. */
__device__ inline void show(float4 *to, float4 x, int iteration)
{
    unsigned long long low = (unsigned long long)__float_as_uint(x.y) << 32 | __float_as_uint(x.x),
                       high = (unsigned long long)(unsigned)iteration << 32 | __float_as_uint(x.z);
    asm volatile(
        "{ .reg .b128 x; mov.b128 x, {%1, %2}; st.relaxed.gpu.global.b128 [%0], x; }" ::"l"(to),
        "l"(low), "l"(high)
        : "memory");
}

__device__ inline float4 look_at(const float4 *from, int *iteration)
{
    unsigned long long low, high;
    asm volatile("{ .reg .b128 x; ld.relaxed.gpu.global.b128 x, [%2]; mov.b128 {%0, %1}, x; }"
                 : "=l"(low), "=l"(high)
                 : "l"(from)
                 : "memory");
    *iteration = (int)(high >> 32);
    return {__uint_as_float((unsigned)low), __uint_as_float((unsigned)(low >> 32)),
            __uint_as_float((unsigned)high), 0};
}

/* A body's velocity once it is that of an iteration. */
__device__ inline void wait_for(const float4 *from, int iteration, float4 *linear, float4 *angular)
{
    int first, second;
    do {
        *linear = look_at(from, &first);
        *angular = look_at(from + 1, &second);
    } while (first != iteration || second != iteration);
}

/* All blocks are here; `target`: how often blocks have come by then. What other blocks wrote before
 * is seen then by plain loads, too: the acquire empties the cache of the multiprocessor. */
__device__ inline void meet_all(int *arrived, int target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        int seen;
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(arrived) : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(arrived)
                         : "memory");
        } while (seen < target);
    }
    __syncthreads();
}

struct ResidentBody {
    float Hinv[21], A[7], g[6];
};

__device__ inline void load_body(const View<float> &s, int r, ResidentBody *body)
{
    int n = s.body_count;
    TN_UNROLL
    for (int k = 0; k < 21; k++) body->Hinv[k] = s.Hinv[k * n + r];
    TN_UNROLL
    for (int k = 0; k < 7; k++) body->A[k] = s.A[k * n + r];
    TN_UNROLL
    for (int k = 0; k < 6; k++) body->g[k] = s.g[k * n + r];
}

__device__ inline void store_g(const View<float> &s, int r, const ResidentBody &body)
{
    TN_UNROLL
    for (int k = 0; k < 6; k++) s.g[k * s.body_count + r] = body.g[k];
}

/* Its sides, the first one beyond them 16 bits up; its place in the piece, and 16 bits up whether
 * another piece needs its motion. */
struct BodySides {
    uint32_t sides, body;
    __device__ int begin() const { return (int)(sides & 0xffffu); }
    __device__ int end() const { return (int)(sides >> 16); }
    __device__ int place() const { return (int)(body & 0xffffu); }
    __device__ bool is_shown() const { return body >> 16; }
};

__device__ inline BodySides sides_of(const View<float> &s, const Piece &p, int k)
{
    uint32_t body = p.touching(k);
    int r = p.first + (int)body, begin = s.side_start[r] - p.first_side,
        end = s.side_start[r + 1] - p.first_side;
    for (int i = begin; i < end; i++)
        if (p.ref(i) >> 1 >= p.inner) body |= 1u << 16;
    return {(uint32_t)begin | (uint32_t)end << 16, body};
}

/* A side's arm and force. */
__device__ inline void load_side(const View<float> &s, const Piece &p, int i, int ref, float4 *arm,
                                 float4 *l)
{
    int id = ref >> 1;
    if (id >= p.streamed)
        *arm = p.vector(p.fixed_at(id) + (ref & 1 ? 3 : 0));
    else
        *arm = __ldg(&s.side_arm[p.first_side + i]);
    if (id >= p.cold)
        *l = p.vector(p.force_at(id));
    else
        *l = s.lambda[bits_in(arm->w) >> 1];
}

/* The k-th body of a thread, by turns from the front and from the end: a thread that has one with
 * many sides then has one with few, or none. */
__device__ inline int body_of_thread(int k)
{
    int thread = (int)threadIdx.x;
    return k & 1 ? (k + 1) * TN_PIECE_THREADS - 1 - thread : k * TN_PIECE_THREADS + thread;
}

/* F of a body. */
__device__ inline void sum_sides(const View<float> &s, const Piece &p, const BodySides &of,
                                 float F[6])
{
    int end = of.end();
    for (int k = 0; k < 6; k++) F[k] = 0;
    for (int i = of.begin(); i < end; i += TN_SIDES_IN_PIECE) {
        float4 arm[TN_SIDES_IN_PIECE], l[TN_SIDES_IN_PIECE];
        int ref[TN_SIDES_IN_PIECE];
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_IN_PIECE; k++) {
            int at = i + k < end ? i + k : end - 1;
            ref[k] = p.ref(at);
            load_side(s, p, at, ref[k], &arm[k], &l[k]);
        }
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_IN_PIECE; k++)
            if (i + k < end) add_wrench<float>(arm[k], l[k], ref[k] & 1, F);
    }
}

/* A body moves so from now on. */
__device__ inline void set_motion(const Piece &p, const BodySides &of, const float v[6],
                                  float4 *v_out, int iteration)
{
    float4 linear = {v[0], v[1], v[2], 0}, angular = {v[3], v[4], v[5], 0};
    p.set_velocity(of.place(), linear, angular);
    if (!of.is_shown()) return;
    int r = p.first + of.place();
    show(&v_out[2 * r], linear, iteration);
    show(&v_out[2 * r + 1], angular, iteration);
}

/* How the bodies of a contact move: within the piece, or across its border, once the other piece
 * has told. No second body: it does not move. */
template <bool CROSSES>
__device__ inline void motions(const Piece &p, int id, const float4 *v_in, int iteration,
                               float4 *v1, float4 *w1, float4 *v2, float4 *w2)
{
    uint32_t ends = (uint32_t)p.ends_of(id), other = ends >> 16;
    int own = (int)(ends & 0xffffu);
    if (!CROSSES) {
        p.velocity(own, v1, w1);
        *v2 = *w2 = {0, 0, 0, 0};
        if (other != TN_NO_BODY) p.velocity((int)other, v2, w2);
        return;
    }
    const float4 *from = &v_in[2 * p.remote(id)];
    float4 v, w;
    p.velocity(own, v1, w1);
    if (iteration)
        wait_for(from, iteration, v2, w2);
    else
        *v2 = from[0], *w2 = from[1];
    if (!other) return;
    v = *v1, w = *w1; /* its own is the second */
    *v1 = *v2, *w1 = *w2, *v2 = v, *w2 = w;
}

/* As UpdateContacts. */
template <bool CROSSES>
__device__ inline void update_contact(const View<float> &s, const Piece &p, int id, float alpha,
                                      float share, const float4 *v_in, int iteration)
{
    int c = id < p.streamed ? p.contact(id) : 0;
    float4 v1, w1, v2, w2, arm_a, arm_b, n, u, t, l;
    if (id >= p.streamed) {
        int at = p.fixed_at(id);
        arm_a = p.vector(at, p.word(at + 12));
        arm_b = p.vector(at + 3, p.word(at + 13));
        n = p.vector(at + 6, p.word(at + 14));
        u = p.vector(at + 9);
    } else {
        arm_a = __ldcs(&s.arm_a[c]), arm_b = __ldcs(&s.arm_b[c]);
        n = __ldcs(&s.normal[c]), u = __ldcs(&s.total[c]);
    }
    if (id >= p.cold)
        t = p.vector(p.trial_at(id)), l = p.vector(p.force_at(id));
    else
        t = s.trial[c], l = s.lambda[c];
    motions<CROSSES>(p, id, v_in, iteration, &v1, &w1, &v2, &w2);
    v1 = velocity_at<float>(v1, w1, arm_a);
    v2 = velocity_at<float>(v2, w2, arm_b);
    u = {u.x - v1.x + v2.x, u.y - v1.y + v2.y, u.z - v1.z + v2.z, 0};
    t = next_trial<float>(u, t, l, n, arm_a.w, arm_b.w, alpha, share);
    l = project<float>(t, n);
    if (id >= p.cold) {
        p.put(p.trial_at(id), t);
        p.put(p.force_at(id), l);
    } else {
        s.trial[c] = t;
        s.lambda[c] = l;
    }
}

/* What others go on from, and the forces. */
__device__ inline void store_piece(const View<float> &s, const Piece &p)
{
    for (int i = (int)threadIdx.x; i < p.sides; i += TN_PIECE_THREADS) {
        int id = p.ref(i) >> 1;
        if (p.ref(i) & 1 || id < p.cold) continue; /* the first side's piece stores it */
        int c = s.sides[p.first_side + i] >> 1;
        s.trial[c] = p.vector(p.trial_at(id), s.trial[c].w);
        s.lambda[c] = p.vector(p.force_at(id));
    }
    for (int i = (int)threadIdx.x; i < p.bodies; i += TN_PIECE_THREADS) {
        int r = p.first + i;
        float4 linear = {0, 0, 0, 0}, angular = {0, 0, 0, 0}; /* without contacts */
        if (s.side_start[r + 1] > s.side_start[r]) p.velocity(i, &linear, &angular);
        s.v[2 * r] = linear;
        s.v[2 * r + 1] = angular;
    }
}

__device__ inline void iterate_piece(const ResidentRun &run, const Piece &p)
{
    const View<float> &s = run.s;
    int thread = (int)threadIdx.x;
    ResidentBody bodies[TN_RESIDENT_BODIES];
    BodySides sides[TN_RESIDENT_BODIES];
    TN_UNROLL
    for (int k = 0; k < TN_RESIDENT_BODIES; k++) {
        int j = body_of_thread(k);
        if (j >= p.touching_count) continue;
        sides[k] = sides_of(s, p, j);
        load_body(s, p.first + sides[k].place(), &bodies[k]);
    }
    for (int iteration = 0; iteration < run.iterations; iteration++) {
        float alpha = iteration ? run.alpha : run.first_alpha;
        const float4 *v_in = iteration & 1 ? s.v_other : s.v;
        float4 *v_out = iteration & 1 ? s.v : s.v_other;
        int id = thread;
        for (; id < p.inner; id += TN_PIECE_THREADS)
            update_contact<false>(s, p, id, alpha, run.share, v_in, iteration);
        for (; id < p.count; id += TN_PIECE_THREADS)
            update_contact<true>(s, p, id, alpha, run.share, v_in, iteration);
        __syncthreads();
        TN_UNROLL
        for (int k = 0; k < TN_RESIDENT_BODIES; k++) { /* as UpdateBodies */
            if (body_of_thread(k) >= p.touching_count) continue;
            float F[6], v[6];
            sum_sides(s, p, sides[k], F);
            next_velocity<float>(bodies[k].Hinv, bodies[k].A, F, run.alpha, bodies[k].g, v);
            set_motion(p, sides[k], v, v_out, iteration + 1);
        }
        /* others are in memory, and in registers no longer than needed */
        for (int j = thread + TN_RESIDENT_BODIES * TN_PIECE_THREADS; j < p.touching_count;
             j += TN_PIECE_THREADS) {
            ResidentBody body;
            BodySides of = sides_of(s, p, j);
            float F[6], v[6];
            sum_sides(s, p, of, F);
            load_body(s, p.first + of.place(), &body);
            next_velocity<float>(body.Hinv, body.A, F, run.alpha, body.g, v);
            store_g(s, p.first + of.place(), body);
            set_motion(p, of, v, v_out, iteration + 1);
        }
        __syncthreads();
    }
    /* others may read what the last iteration found there */
    if (run.iterations & 1) meet_all(s.arrived, 2 * (int)gridDim.x);
    store_piece(s, p);
    TN_UNROLL
    for (int k = 0; k < TN_RESIDENT_BODIES; k++)
        if (body_of_thread(k) < p.touching_count) store_g(s, p.first + sides[k].place(), bodies[k]);
}

__device__ inline void iterate_together(const ResidentRun &run, int target)
{
    const View<float> &s = run.s;
    int contacts = s.outcome->lists.contact_count, blocks = (int)gridDim.x,
        threads = blocks * TN_PIECE_THREADS,
        thread = (int)(blockIdx.x * TN_PIECE_THREADS + threadIdx.x);
    for (int iteration = 0; iteration < run.iterations; iteration++) {
        UpdateContacts<float> contact = {s, iteration ? run.alpha : run.first_alpha, run.share};
        UpdateBodies<float> body = {s, run.alpha};
        for (int i = thread; i < contacts; i += threads) contact(i);
        meet_all(s.arrived, target += blocks);
        for (int r = thread; r < s.body_count; r += threads) body(r);
        meet_all(s.arrived, target += blocks);
    }
}

__global__ void __launch_bounds__(TN_PIECE_THREADS, 1)
    iterate_resident(const __grid_constant__ ResidentRun run)
{
    __shared__ PieceCounts counts;
    const View<float> &s = run.s;
    int *misfits = s.arrived + TN_MISFITS;
    Piece p;
    bool fits = open_piece(s, &p, &counts, run.words);
    if (!fits && threadIdx.x == 0) atomicAdd(misfits, 1);
    if (fits) fill_piece(s, &p, &counts);
    meet_all(s.arrived, (int)gridDim.x);
    if (*(volatile int *)misfits)
        iterate_together(run, (int)gridDim.x);
    else
        iterate_piece(run, p);
}

/* Of scenes in single precision. */
inline ResidentRoom resident_room(Queue &q, const View<float> &)
{
    ResidentRoom out;
    cudaFuncAttributes of{};
    int device = 0, blocks = 0, bytes = 0, together = 0, per_block = 0;
    if (q.failed) return out;
    q.check(cudaGetDevice(&device), "using the device");
    cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device);
    if (cudaFuncGetAttributes(&of, iterate_resident) == cudaSuccess)
        bytes -= (int)of.sharedSizeBytes;
    out.words = bytes / (int)sizeof(float);
    if (cudaFuncSetAttribute(iterate_resident, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             bytes) == cudaSuccess)
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_block, iterate_resident,
                                                      TN_PIECE_THREADS, (size_t)bytes);
    if (together && per_block > 0) out.pieces = blocks;
    (void)cudaGetLastError();
    return out;
}

/* Whether it pays: nearly all bodies fit into registers, and so do forces in shared memory. The
 * count of contacts is a guess that is rather too large. */
inline bool fits(const ResidentRoom &room, const View<float> &s, int contacts)
{
    return s.body_count <= room.pieces * TN_PIECE_THREADS * TN_RESIDENT_BODIES &&
           contacts <= room.pieces * (room.words / (TN_HOT_WORDS + 1));
}

inline void iterate_on_chip(Queue &q, const ResidentRoom &room, const View<float> &s,
                            int iterations, bool first, bool fresh)
{
    ResidentRun run = {
        s, iterations, room.words, (float)s.alpha, first ? 1.0f : (float)s.alpha, share_of(s)};
    void *arguments[] = {&run};
    if (!fresh) device_clear(q, s.arrived, sizeof(int) * TN_ARRIVED_COUNT);
    if (q.failed) return;
    q.check(cudaLaunchCooperativeKernel((const void *)iterate_resident, dim3((unsigned)room.pieces),
                                        dim3(TN_PIECE_THREADS), arguments,
                                        sizeof(float) * (size_t)room.words, q.stream),
            "starting a kernel");
}

#else

inline ResidentRoom resident_room(Queue &, const View<float> &) { return {}; }
inline bool fits(const ResidentRoom &, const View<float> &, int) { return false; }
inline void iterate_on_chip(Queue &, const ResidentRoom &, const View<float> &, int, bool, bool) {}

#endif

/* Those of double precision do not fit. */
inline ResidentRoom resident_room(Queue &, const View<double> &) { return {}; }
inline bool fits(const ResidentRoom &, const View<double> &, int) { return false; }
inline void iterate_on_chip(Queue &, const ResidentRoom &, const View<double> &, int, bool, bool) {}

} // namespace tn
#endif
