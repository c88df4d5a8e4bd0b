/* resident.h: the iteration of iterate.h as one kernel that stays on the chip.
 *
 * Each multiprocessor has one block. It keeps the matrices of its bodies in registers, two bodies
 * per thread, and its contacts in shared memory, as many as fit; what does not fit is read each
 * time as in iterate.h. Only velocities and forces go through the memory that all share, and two
 * barriers over all blocks stand between contacts and bodies. The numbers are those of iterate.h.
 */
#ifndef TN_GPU_RESIDENT_H
#define TN_GPU_RESIDENT_H

#include "iterate.h"

namespace tn
{

#ifdef __CUDACC__

#define TN_RESIDENT_THREADS 512
#define TN_RESIDENT_BODIES 2 /* per thread */
#define TN_RESIDENT_WORDS 20 /* of a contact */

struct ResidentRun {
    View<float> s;
    int iterations, room; /* contacts of a block in shared memory */
    float alpha, first_alpha, share;
};

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

/* As UpdateBodies. */
__device__ inline void update_body(const View<float> &s, int r, int begin, int end, float alpha,
                                   ResidentBody *body)
{
    float F[6] = {0}, v[6];
    for (int i = begin; i < end; i += TN_SIDES_AT_ONCE) {
        float4 arm[TN_SIDES_AT_ONCE], l[TN_SIDES_AT_ONCE];
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_AT_ONCE; k++)
            arm[k] = __ldg(&s.side_arm[i + k < end ? i + k : end - 1]);
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_AT_ONCE; k++) l[k] = s.lambda[bits_in(arm[k].w) >> 1];
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_AT_ONCE; k++)
            if (i + k < end) add_wrench<float>(arm[k], l[k], bits_in(arm[k].w) & 1, F);
    }
    next_velocity<float>(body->Hinv, body->A, F, alpha, body->g, v);
    __stcg(&s.v[2 * r], float4{v[0], v[1], v[2], 0});
    __stcg(&s.v[2 * r + 1], float4{v[3], v[4], v[5], 0});
}

/* u of a contact from its e. */
__device__ inline float4 approach(const View<float> &s, float4 u, int a, int b, float4 p, float4 o)
{
    int other = b >= 0 ? b : a;
    float4 v1 = s.v[2 * a], w1 = s.v[2 * a + 1], v2 = s.v[2 * other], w2 = s.v[2 * other + 1];
    float4 va = velocity_at<float>(v1, w1, p);
    u.x -= va.x, u.y -= va.y, u.z -= va.z;
    if (b >= 0) {
        float4 vb = velocity_at<float>(v2, w2, o);
        u.x += vb.x, u.y += vb.y, u.z += vb.z;
    }
    return u;
}

/* A contact in shared memory: planes of `room` words. */
struct ResidentContact {
    float *at;
    int room;
    __device__ float4 vector(int k, float w) const
    {
        return {at[k * room], at[(k + 1) * room], at[(k + 2) * room], w};
    }
    __device__ void put(int k, float4 v) const
    {
        at[k * room] = v.x, at[(k + 1) * room] = v.y, at[(k + 2) * room] = v.z;
    }
    __device__ float &word(int k) const { return at[k * room]; }
};

__device__ inline void load_contact(const View<float> &s, int i, const ResidentContact &c)
{
    float4 p = s.arm_a[i], o = s.arm_b[i], n = s.normal[i], u = s.total[i], t = s.trial[i];
    c.put(0, p);
    c.put(3, o);
    c.put(6, n);
    c.put(9, u);
    c.put(12, t);
    c.word(15) = p.w;
    c.word(16) = o.w;
    c.word(17) = n.w;
    c.word(18) = u.w;
    c.word(19) = t.w;
}

__device__ inline void update_resident(const View<float> &s, int i, const ResidentContact &c,
                                       float alpha, float share)
{
    float4 p = c.vector(0, 0), o = c.vector(3, 0), n = c.vector(6, c.word(17)), u = c.vector(9, 0),
           t = c.vector(12, 0);
    u = approach(s, u, bits_in(c.word(18)), bits_in(c.word(19)), p, o);
    t = next_trial<float>(u, t, n, c.word(15), c.word(16), alpha, share);
    c.put(12, t);
    __stcg(&s.lambda[i], project<float>(t, n));
}

__device__ inline void update_streamed(const View<float> &s, int i, float alpha, float share)
{
    float4 p = __ldcs(&s.arm_a[i]), o = __ldcs(&s.arm_b[i]), n = __ldcs(&s.normal[i]),
           u = __ldcs(&s.total[i]), t = s.trial[i];
    u = approach(s, u, bits_in(u.w), bits_in(t.w), p, o);
    t = next_trial<float>(u, t, n, p.w, o.w, alpha, share);
    s.trial[i] = t;
    __stcg(&s.lambda[i], project<float>(t, n));
}

__global__ void __launch_bounds__(TN_RESIDENT_THREADS, 1) iterate_resident(ResidentRun run)
{
    extern __shared__ float shared[];
    const View<float> &s = run.s;
    int blocks = (int)gridDim.x, block = (int)blockIdx.x, thread = (int)threadIdx.x;
    int contacts = s.outcome->lists.contact_count, target = 0;
    int per_block = (contacts + blocks - 1) / blocks, first = block * per_block;
    int count = first + per_block < contacts ? per_block : contacts - first;
    int body_share = (s.body_count + blocks - 1) / blocks, body = block * body_share + thread;
    int body_end = block * body_share + body_share;
    if (body_end > s.body_count) body_end = s.body_count;
    ResidentBody bodies[TN_RESIDENT_BODIES];
    int begin[TN_RESIDENT_BODIES], end[TN_RESIDENT_BODIES];
    TN_UNROLL
    for (int k = 0; k < TN_RESIDENT_BODIES; k++) {
        int r = body + k * TN_RESIDENT_THREADS;
        begin[k] = end[k] = 0;
        if (r >= body_end) continue;
        load_body(s, r, &bodies[k]);
        begin[k] = s.side_start[r];
        end[k] = s.side_start[r + 1];
    }
    for (int i = thread; i < count && i < run.room; i += TN_RESIDENT_THREADS)
        load_contact(s, first + i, ResidentContact{shared + i, run.room});
    for (int iteration = 0; iteration < run.iterations; iteration++) {
        float alpha = iteration ? run.alpha : run.first_alpha;
        for (int i = thread; i < count; i += TN_RESIDENT_THREADS)
            if (i < run.room)
                update_resident(s, first + i, ResidentContact{shared + i, run.room}, alpha,
                                run.share);
            else
                update_streamed(s, first + i, alpha, run.share);
        meet_all(s.arrived, target += blocks);
        TN_UNROLL
        for (int k = 0; k < TN_RESIDENT_BODIES; k++) {
            int r = body + k * TN_RESIDENT_THREADS;
            if (r < body_end) update_body(s, r, begin[k], end[k], run.alpha, &bodies[k]);
        }
        meet_all(s.arrived, target += blocks);
    }
    /* for those that go on from here */
    for (int i = thread; i < count && i < run.room; i += TN_RESIDENT_THREADS) {
        ResidentContact c = {shared + i, run.room};
        s.trial[first + i] = c.vector(12, c.word(19));
    }
    TN_UNROLL
    for (int k = 0; k < TN_RESIDENT_BODIES; k++) {
        int r = body + k * TN_RESIDENT_THREADS;
        if (r >= body_end) continue;
        TN_UNROLL
        for (int j = 0; j < 6; j++) s.g[j * s.body_count + r] = bodies[k].g[j];
    }
}

/* What the device has room for; no blocks: nothing is resident there. */
struct ResidentRoom {
    int blocks = 0, room = 0;
};

inline ResidentRoom resident_room(Queue &q)
{
    ResidentRoom out;
    int device = 0, blocks = 0, bytes = 0, together = 0, per_block = 0;
    if (q.failed) return out;
    q.check(cudaGetDevice(&device), "using the device");
    cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device);
    out.room = bytes / (int)(TN_RESIDENT_WORDS * sizeof(float));
    bytes = out.room * (int)(TN_RESIDENT_WORDS * sizeof(float));
    if (cudaFuncSetAttribute(iterate_resident, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             bytes) == cudaSuccess)
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_block, iterate_resident,
                                                      TN_RESIDENT_THREADS, (size_t)bytes);
    if (together && per_block > 0) out.blocks = blocks;
    (void)cudaGetLastError();
    return out;
}

/* Whether it pays: all bodies fit, and so do most contacts. */
inline bool fits(const ResidentRoom &room, int bodies, int contacts)
{
    return bodies <= room.blocks * TN_RESIDENT_THREADS * TN_RESIDENT_BODIES &&
           contacts <= 3 * room.blocks * room.room;
}

inline void iterate_on_chip(Queue &q, const ResidentRoom &room, const View<float> &s,
                            int iterations, bool first)
{
    ResidentRun run = {
        s, iterations, room.room, (float)s.alpha, first ? 1.0f : (float)s.alpha, share_of(s)};
    void *arguments[] = {&run};
    device_clear(q, s.arrived, sizeof *s.arrived);
    if (q.failed) return;
    q.check(cudaLaunchCooperativeKernel((const void *)iterate_resident, dim3((unsigned)room.blocks),
                                        dim3(TN_RESIDENT_THREADS), arguments,
                                        (size_t)room.room * TN_RESIDENT_WORDS * sizeof(float),
                                        q.stream),
            "starting a kernel");
}

#else

struct ResidentRoom {
};
inline ResidentRoom resident_room(Queue &) { return {}; }
inline bool fits(const ResidentRoom &, int, int) { return false; }
inline void iterate_on_chip(Queue &, const ResidentRoom &, const View<float> &, int, bool) {}

#endif

/* Those of double precision do not fit. */
inline bool fits(const ResidentRoom &room, const View<float> &s, int contacts)
{
    return fits(room, s.body_count, contacts);
}
inline bool fits(const ResidentRoom &, const View<double> &, int) { return false; }
inline void iterate_on_chip(Queue &, const ResidentRoom &, const View<double> &, int, bool) {}

} // namespace tn
#endif
