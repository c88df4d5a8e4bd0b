/* chip_iterate.h: an iteration of SubADMM for a world on the chip (docs/solver.md), by a block with
 * a thread for each body (chip_plan.h).
 *
 * Contacts stay in the registers of their threads, velocities and what pushes the bodies in shared
 * memory. Between two syncs threads update the contacts that they have, then the velocities of
 * their bodies. With t the trial force of a contact, λ its force and u the velocity there,
 *
 *     t = state - α B u,   λ = Π(t),   state ← (1-α) t + α share λ.
 *
 * State and t are apart as their parts along n and across: each has its own B and its own law. */
#ifndef TN_GPU_CHIP_ITERATE_H
#define TN_GPU_CHIP_ITERATE_H

#include "chip_data.h"

#ifndef __CUDACC__
#include <vector>
#endif

namespace tn
{

/* A contact in the hands of a thread whose body is its first. */
struct Touch {
    float px, py, pz, ox, oy, oz; /* arms of the first and of the other body */
    float nx, ny, nz, ex, ey, ez; /* normal; e and what v_free adds to it */
    float bn, bt, mu;
    float sn, sx, sy, sz; /* state along n, and across */
    uint32_t ends;        /* where the other's velocity is, in Motion.spin; where it is pushed */
    TN_DEVICE int other() const { return (int)(ends & 0xffff); }
    TN_DEVICE int target() const { return (int)(ends >> 16); } /* in Motion.twist */
};

/* A thread. */
struct Hand {
    Touch own[TN_CHIP_OWN];
    float F[6];
    float matrix[4 * TN_CHIP_MATRIX], g[6]; /* before they go to shared memory */
    int list;        /* where it finds what pushes it, or leaves what it adds up: in Motion.twist */
    uint32_t packed; /* its body, how many pushes, how many tasks its warp has */
    TN_DEVICE int spin() const { return (int)(packed >> 16); } /* as Touch.other() */
    TN_DEVICE int pushes() const { return (int)(packed >> 8 & 255); }
    TN_DEVICE int tasks() const { return (int)(packed & 255); }
};

/* Weights of an iteration. */
struct Mix {
    float alpha, keep, take; /* 1 - α, α share */
};

/* Shared memory, in bytes from its start: constant numbers are part of the instructions that read
 * it. v is less v_free. */
template <int threads> struct Motion {
    static constexpr int room = TN_CHIP_ROWS * threads, v = 0, /* linear and first of the angular */
        spin = v + 16 * (threads + 1),   /* one, the other two; and of what is fixed */
        push = spin + 8 * (threads + 2), /* force and first of the moment, */
        twist = push + 16 * (room + 1),  /* the other two; and room for unused entries */
        matrix = twist + 8 * (room + 2), g = matrix + 16 * TN_CHIP_MATRIX * threads,
                         size = g + 24 * threads;
    TN_DEVICE static void read_g(char *m, int thread, float out[6])
    {
        float4 a = *(float4 *)(m + g + 16 * thread);
        float2 b = *(float2 *)(m + g + 16 * threads + 8 * thread);
        out[0] = a.x, out[1] = a.y, out[2] = a.z, out[3] = a.w, out[4] = b.x, out[5] = b.y;
    }
    TN_DEVICE static void write_g(char *m, int thread, const float x[6])
    {
        *(float4 *)(m + g + 16 * thread) = float4{x[0], x[1], x[2], x[3]};
        *(float2 *)(m + g + 16 * threads + 8 * thread) = float2{x[4], x[5]};
    }
    /* once they are solved, in place of the matrices: what the forces change of v̂ */
    TN_DEVICE static double &end_of(char *m, int k, int thread)
    {
        return *(double *)(m + matrix + 8 * (k * threads + thread));
    }
    static_assert(size >= 4 * 16 * TN_CHIP_OWN * threads, "Sides fit before the iteration");
};

#ifdef __CUDACC__
TN_DEVICE inline char *motion_of(char *) { return fast_memory; }
#else
inline char *motion_of(char *pool) { return pool; }
#endif
TN_DEVICE inline float4 &four(char *m, int at) { return *(float4 *)(m + at); }
TN_DEVICE inline float2 &two(char *m, int at) { return *(float2 *)(m + at); }

/* What threads hold from one phase to the next. */
#ifdef __CUDACC__
/* Warps w, w + 4, … share a scheduler, and the first warps have most to do: so every other four are
 * taken in reverse, and no scheduler has much more than the others. */
__device__ inline int hand_of(int rank) { return rank & 128 ? rank ^ 96 : rank; }
struct Hands {
    Hand own;
    template <class F> __device__ void each(const Block &block, int, F f)
    {
        f(own, hand_of(block.rank));
    }
};
__device__ inline int most_of_warp(int x) { return __reduce_max_sync(0xffffffffu, x); }
#else
struct Hands {
    std::vector<Hand> own;
    template <class F> void each(const Block &, int threads, F f)
    {
        own.resize((size_t)threads);
        for (int i = 0; i < threads; i++) f(own[(size_t)i], i);
    }
};
inline int most_of_warp(int x) { return x; }
#endif

TN_DEVICE inline float quick_root(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1.0f / sqrtf(x);
#endif
}

/* A number that stays in its register: the compiler would find it again each time. */
TN_DEVICE inline float settled(float x)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+f"(x));
#endif
    return x;
}

/* ---- contacts ---- */

/* One without effect. */
TN_DEVICE inline void clear_touch(int world, int none, Touch &o)
{
    o.px = o.py = o.pz = o.ox = o.oy = o.oz = o.nx = o.ny = o.nz = o.ex = o.ey = o.ez = 0.0f;
    o.bn = o.bt = o.mu = o.sn = o.sx = o.sy = o.sz = 0.0f;
    o.ends = 8u * (uint32_t)world | 8u * (uint32_t)none << 16;
}

/* λ of a contact: added up for the thread's body, and left for the other one at this place. */
template <class M>
TN_DEVICE inline void update_touch(char *m, Touch &o, float4 va, float2 wa, Mix mix, float F[6])
{
    float4 vb = four(m, M::v + 2 * o.other());
    float2 wb = two(m, M::spin + o.other());
    float ux = o.ex + vb.x - va.x, uy = o.ey + vb.y - va.y, uz = o.ez + vb.z - va.z;
    ux += wb.x * o.oz, uy += wb.y * o.ox, uz += vb.w * o.oy;
    ux -= wb.y * o.oy, uy -= vb.w * o.oz, uz -= wb.x * o.ox;
    ux -= wa.x * o.pz, uy -= wa.y * o.px, uz -= va.w * o.py;
    ux += wa.y * o.py, uy += va.w * o.pz, uz += wa.x * o.px;
    float un = ux * o.nx + uy * o.ny + uz * o.nz;
    ux -= un * o.nx, uy -= un * o.ny, uz -= un * o.nz;
    float tn = o.sn - o.bn * un, x = o.sx - o.bt * ux, y = o.sy - o.bt * uy, z = o.sz - o.bt * uz;
    float ln = fmaxf(tn, 0.0f), size2 = x * x + y * y + z * z,
          k = fminf(1.0f, o.mu * ln * quick_root(fmaxf(size2, 1e-30f))),
          across = mix.keep + mix.take * k;
    o.sn = mix.keep * tn + mix.take * ln;
    o.sx = across * x, o.sy = across * y, o.sz = across * z;
    float lx = ln * o.nx + k * x, ly = ln * o.ny + k * y, lz = ln * o.nz + k * z;
    F[0] -= lx, F[1] -= ly, F[2] -= lz;
    F[3] -= o.py * lz, F[4] -= o.pz * lx, F[5] -= o.px * ly;
    F[3] += o.pz * ly, F[4] += o.px * lz, F[5] += o.py * lx;
    four(m, M::push + 2 * o.target()) = float4{lx, ly, lz, o.oy * lz - o.oz * ly};
    two(m, M::twist + o.target()) = float2{o.oz * lx - o.ox * lz, o.ox * ly - o.oy * lx};
}

template <class M, int threads>
TN_DEVICE inline void update_touches(int bodies, char *m, Hand &h, int thread, Mix mix)
{
    float4 va = four(m, M::v + 2 * h.spin());
    float2 wa = two(m, M::spin + h.spin());
    TN_UNROLL
    for (int k = 0; k < 6; k++) h.F[k] = 0.0f;
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_OWN; k++)
        if (k < h.tasks()) update_touch<M>(m, h.own[k], va, wa, mix, h.F);
    if (thread >= bodies) {
        four(m, M::push + 2 * h.list) = float4{h.F[0], h.F[1], h.F[2], h.F[3]};
        two(m, M::twist + h.list) = float2{h.F[4], h.F[5]};
    }
}

/* ---- bodies ---- */

/* F: all that pushes a body. v ← H⁻¹ (g + 2F),  g ← g + α (F - A v) */
template <class M, int threads>
TN_DEVICE inline void update_body(char *m, Hand &h, int thread, float alpha)
{
    float x[6], v[6], g[6], H[4 * TN_CHIP_MATRIX];
    int pushes = h.pushes();
    TN_UNROLL_TWICE
    for (int k = 0; k < pushes; k++) {
        float4 f = four(m, M::push + 2 * h.list + 512 * k);
        float2 t = two(m, M::twist + h.list + 256 * k);
        h.F[0] += f.x, h.F[1] += f.y, h.F[2] += f.z, h.F[3] += f.w, h.F[4] += t.x, h.F[5] += t.y;
    }
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_MATRIX; k++) {
        float4 part = four(m, M::matrix + 16 * (k * threads + thread));
        H[4 * k] = part.x, H[4 * k + 1] = part.y, H[4 * k + 2] = part.z, H[4 * k + 3] = part.w;
    }
    M::read_g(m, thread, g);
    TN_UNROLL
    for (int k = 0; k < 6; k++) {
        x[k] = g[k] + 2.0f * h.F[k];
        g[k] += alpha * h.F[k];
    }
    TN_UNROLL
    for (int i = 0; i < 6; i++) {
        v[i] = H[sym6(0, i)] * x[0];
        TN_UNROLL
        for (int j = 1; j < 6; j++) v[i] += H[i <= j ? sym6(i, j) : sym6(j, i)] * x[j];
    }
    four(m, M::v + 16 * thread) = float4{v[0], v[1], v[2], v[3]};
    two(m, M::spin + 8 * thread) = float2{v[4], v[5]};
    const float *A = H + 21; /* times -α */
    TN_UNROLL
    for (int k = 0; k < 3; k++) g[k] += A[0] * v[k];
    g[3] += A[1] * v[3], g[4] += A[2] * v[3], g[5] += A[3] * v[3];
    g[3] += A[2] * v[4], g[4] += A[4] * v[4], g[5] += A[5] * v[4];
    g[3] += A[3] * v[5], g[4] += A[5] * v[5], g[5] += A[6] * v[5];
    M::write_g(m, thread, g);
}

} // namespace tn
#endif
