/* chip_solve.h: a world on the chip is solved: what threads begin the iterations of chip_iterate.h
 * with and what they leave, the judge, and contacts that yield by more. batch_solve.h has the same
 * for worlds of any size. */
#ifndef TN_GPU_CHIP_SOLVE_H
#define TN_GPU_CHIP_SOLVE_H

#include "../batch/batch_solve.h"
#include "chip_factor.h"
#include "chip_iterate.h"

namespace tn
{

/* ---- before and after ---- */

/* State of the first iteration, or of the next one with another α: behind t it needs λ. */
TN_DEVICE inline float4 mixed_state(const ChipHead &s, const Chip &c, int i, bool first,
                                    float share)
{
    float4 l = c.lambda[i];
    float was = (float)s.mixed, alpha = (float)s.alpha, keep = 1.0f - alpha, take = alpha * share;
    if (first) return float4{share * l.x, share * l.y, share * l.z, 0.0f};
    float4 x = c.state[i];
    if (was == alpha || was == 1.0f) return x;
    float back = 1.0f / (1.0f - was), off = was * share;
    return float4{keep * back * (x.x - off * l.x) + take * l.x,
                  keep * back * (x.y - off * l.y) + take * l.y,
                  keep * back * (x.z - off * l.z) + take * l.z, 0.0f};
}

TN_DEVICE inline void load_touch(const ChipHead &s, const Chip &c, int place, bool first,
                                 float share, float now, Touch &o)
{
    const Task task = c.tasks[place];
    int i = task.record;
    bool turned = task.other & TN_TURNED;
    float sign = turned ? -1.0f : 1.0f;
    float4 first_arm = c.arm_a[i], second_arm = c.arm_b[i], p = turned ? second_arm : first_arm,
           q = turned ? first_arm : second_arm, n = c.normal[i], e = c.total[i],
           state = mixed_state(s, c, task.record, first, share);
    o.bn = now * first_arm.w, o.bt = now * second_arm.w, o.mu = n.w;
    o.px = p.x, o.py = p.y, o.pz = p.z;
    o.ox = q.x, o.oy = q.y, o.oz = q.z;
    o.nx = sign * n.x, o.ny = sign * n.y, o.nz = sign * n.z;
    o.ex = sign * e.x, o.ey = sign * e.y, o.ez = sign * e.z;
    float x = sign * state.x, y = sign * state.y, z = sign * state.z;
    o.sn = x * o.nx + y * o.ny + z * o.nz;
    o.sx = x - o.sn * o.nx, o.sy = y - o.sn * o.ny, o.sz = z - o.sn * o.nz;
    o.ends = 8u * (task.other & ~TN_TURNED) | 8u * c.targets[place] << 16;
}

/* v less v_free, of the body of a thread. */
TN_DEVICE inline void read_rate(const Worlds &b, const ChipHead &s, const Chip &c, int thread,
                                bool first, float v[6])
{
    bool fresh = first && !s.softened;
    int body = c.order[thread];
    TN_UNROLL
    for (int k = 0; k < 6; k++)
        v[k] =
            fresh ? -c.movers.gain[k * b.body_count + body] : c.rate[k * b.chip_threads + thread];
}

/* H⁻¹ and A of the body of a thread, and g: as they are from the contacts that lie in shared memory
 * (`first`), or as the last chunk left them. */
TN_DEVICE inline void find_matrix(const Worlds &b, const ChipHead &s, const Chip &c, char *m,
                                  Hand &h, int thread, bool first)
{
    int threads = b.chip_threads;
    if (first) {
        float v[6];
        read_rate(b, s, c, thread, first, v);
        auto pushes = [&](int k) { return c.pushes[h.list / 8 + 32 * k]; };
        factor_thread(b, c, sides_in(b, m), thread, pushes, v, h.matrix, h.g);
        if (!(b.tolerance > 0.0)) return;
        TN_UNROLL
        for (int k = 0; k < TN_CHIP_MATRIX; k++)
            c.matrix[k * threads + thread] = float4{h.matrix[4 * k], h.matrix[4 * k + 1],
                                                    h.matrix[4 * k + 2], h.matrix[4 * k + 3]};
    } else {
        TN_UNROLL
        for (int k = 0; k < TN_CHIP_MATRIX; k++) {
            float4 x = c.matrix[k * threads + thread];
            h.matrix[4 * k] = x.x, h.matrix[4 * k + 1] = x.y;
            h.matrix[4 * k + 2] = x.z, h.matrix[4 * k + 3] = x.w;
        }
        TN_UNROLL
        for (int k = 0; k < 6; k++) h.g[k] = c.g[k * threads + thread];
    }
}

/* What a thread begins with. */
template <class M, int threads>
TN_DEVICE inline void load_hand(const Worlds &b, const ChipHead &s, const Chip &c, char *m, Hand &h,
                                int thread, bool first, float share)
{
    const Duty duty = c.duties[thread];
    float now = first ? 1.0f : (float)s.alpha, by = -(float)s.alpha;
    h.packed = (uint32_t)(8 * duty.body) << 16 | (uint32_t)duty.pushes << 8 |
               (uint32_t)most_of_warp(duty.tasks);
    float v[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    if (thread < b.body_count) {
        read_rate(b, s, c, thread, first, v);
        M::write_g(m, thread, h.g);
        TN_UNROLL
        for (int k = 21; k < 4 * TN_CHIP_MATRIX; k++) h.matrix[k] *= by; /* A */
        TN_UNROLL
        for (int k = 0; k < TN_CHIP_MATRIX; k++)
            four(m, M::matrix + 16 * (k * threads + thread)) = float4{
                h.matrix[4 * k], h.matrix[4 * k + 1], h.matrix[4 * k + 2], h.matrix[4 * k + 3]};
    }
    if (thread <= b.body_count) {
        four(m, M::v + 16 * thread) = float4{v[0], v[1], v[2], v[3]};
        two(m, M::spin + 8 * thread) = float2{v[4], v[5]};
    }
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_OWN; k++) {
        if (k < duty.tasks)
            load_touch(s, c, k * threads + thread, first, share, now, h.own[k]);
        else
            clear_touch(b.body_count, M::room, h.own[k]);
    }
}

/* What it leaves: λ, and what all forces change of v̂, in double; with a tolerance, where the next
 * iteration begins. */
template <class M, int threads>
TN_DEVICE inline void store_hand(const Worlds &b, const Chip &c, char *m, Hand &h, int thread)
{
    bool goes_on = b.tolerance > 0.0, pushed = false;
    int tasks = c.duties[thread].tasks;
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_OWN; k++) {
        if (k >= tasks) break;
        Task task = c.tasks[k * threads + thread];
        int i = task.record;
        float sign = task.other & TN_TURNED ? -1.0f : 1.0f;
        const Touch &o = h.own[k];
        float4 f = four(m, M::push + 2 * o.target());
        pushed |= f.x != 0.0f || f.y != 0.0f || f.z != 0.0f;
        c.lambda[i] = float4{sign * f.x, sign * f.y, sign * f.z, 0.0f};
        if (goes_on)
            c.state[i] = float4{sign * (o.sx + o.sn * o.nx), sign * (o.sy + o.sn * o.ny),
                                sign * (o.sz + o.sn * o.nz), 0.0f};
    }
    if (thread >= b.body_count) return;
    for (int k = 0, pushes = h.pushes(); k < pushes; k++) {
        float4 f = four(m, M::push + 2 * h.list + 512 * k);
        pushed |= f.x != 0.0f || f.y != 0.0f || f.z != 0.0f;
    }
    const double none[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double F[6], inverse[7], v_end[6];
    int body = c.order[thread], n = b.body_count;
    for (int k = 0; k < 6; k++) F[k] = h.F[k];
    for (int k = 0; k < 7; k++) inverse[k] = c.movers.inverse[k * n + body];
    pushed_velocity(inverse, none, F, v_end);
    for (int k = 0; k < 6; k++) c.v_end[k * n + body] = M::end_of(m, k, thread) = v_end[k];
    c.pushed[body] = pushed;
    if (!goes_on) return;
    float4 v = four(m, M::v + 16 * thread);
    float2 spin = two(m, M::spin + 8 * thread);
    const float rate[6] = {v.x, v.y, v.z, v.w, spin.x, spin.y};
    M::read_g(m, thread, h.g);
    for (int k = 0; k < 6; k++) {
        c.g[k * threads + thread] = h.g[k];
        c.rate[k * threads + thread] = rate[k];
    }
}

/* ---- the judge ---- */

/* A contact's part: as it yields, and as it would be if it did not. `own`: the body of its thread,
 * which `force` pushes back. */
template <class M>
TN_DEVICE inline void judge_touch(const Worlds &b, const ChipHead &s, const Chip &c, char *m,
                                  Task task, int own, float4 force, Errors &errors)
{
    int i = task.record, other = task.other & ~TN_TURNED;
    bool turned = task.other & TN_TURNED;
    float4 p = c.arm_a[i], o = c.arm_b[i], n4 = c.normal[i], e = c.total[i];
    const double arm1[3] = {p.x, p.y, p.z}, arm2[3] = {o.x, o.y, o.z}, n[3] = {n4.x, n4.y, n4.z},
                 sign = turned ? -1.0 : 1.0,
                 l[3] = {sign * force.x, sign * force.y, sign * force.z}, mu = n4.w,
                 yields = s.ratio > 0.0 ? 1.0 / s.ratio : 0.0, all = 1.0 / b.weight_scale + yields,
                 inverse[2] = {p.w * all, o.w * all}, D[2] = {1.0 / inverse[0], 1.0 / inverse[1]};
    double u[3] = {e.x, e.y, e.z};
    auto add_motion = [&](int body, const double arm[3], double by) {
        double twist[6], at[3];
        if (body >= b.body_count) return;
        for (int k = 0; k < 6; k++) twist[k] = M::end_of(m, k, body);
        point_velocity(at, twist, arm);
        v3_add_scaled(u, at, by);
    };
    add_motion(turned ? other : own, arm1, -1.0);
    add_motion(turned ? own : other, arm2, 1.0);
    double rigid, map;
    if (s.ratio > 0.0) {
        float4 g = c.given[i];
        const double rigid_u[3] = {u[0] - g.x, u[1] - g.y, u[2] - g.z};
        double ln = v3_dot(l, n);
        for (int k = 0; k < 3; k++) u[k] += yields * (D[1] * l[k] + (D[0] - D[1]) * ln * n[k]);
        rigid = natural_map(rigid_u, l, n, D, inverse, mu);
        map = natural_map(u, l, n, D, inverse, mu);
    } else {
        rigid = map = natural_map(u, l, n, D, inverse, mu);
    }
    errors.add(map, rigid, e.w);
}

/* Threads add up what they find before they tell the world. Contacts are read again: so the
 * iteration has all registers. */
template <class M, int threads>
TN_DEVICE inline void judge_hand(const Worlds &b, ChipHead &s, const Chip &c, char *m, int thread)
{
    const Duty duty = c.duties[thread];
    Errors errors{};
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_OWN; k++) {
        int place = k * threads + thread;
        if (k >= duty.tasks) break;
        judge_touch<M>(b, s, c, m, c.tasks[place], duty.body,
                       four(m, M::push + 16 * c.targets[place]), errors);
    }
    note_errors(s, errors);
}

template <int threads>
TN_DEVICE inline void iterate_chip(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                   char *pool, int iterations, bool first)
{
    typedef Motion<threads> M;
    char *m = motion_of(pool);
    double w = 1.0 / b.weight_scale; /* as in iterate_world */
    float alpha = settled((float)s.alpha),
          share = s.ratio > 0.0 ? (float)(w / (w + 1.0 / s.ratio)) : 1.0f;
    const Mix mix = {alpha, 1.0f - alpha, alpha * share};
    int n = b.body_count;
    Hands hands;
    hands.each(block, threads, [&](Hand &h, int thread) {
        if (first) leave_sides(b, c, sides_in(b, m), thread);
        h.list = 8 * (thread < n ? c.slice[thread / 32] + thread % 32
                                 : c.targets[b.chip_contacts + thread - n]);
    });
    block.sync();
    hands.each(block, threads, [&](Hand &h, int thread) {
        if (thread < n) find_matrix(b, s, c, m, h, thread, first);
    });
    block.sync(); /* the sides make room */
    hands.each(block, threads, [&](Hand &h, int thread) {
        load_hand<M, threads>(b, s, c, m, h, thread, first, share);
    });
    block.sync();
    auto iterate = [&] {
        hands.each(block, threads,
                   [&](Hand &h, int thread) { update_touches<M, threads>(n, m, h, thread, mix); });
        block.sync();
        hands.each(block, threads, [&](Hand &h, int thread) {
            if (thread < n) update_body<M, threads>(m, h, thread, mix.alpha);
        });
        block.sync();
    };
    if (first) {
        iterate();
        hands.each(block, threads, [&](Hand &h, int) {
            for (Touch &o : h.own) o.bn *= alpha, o.bt *= alpha;
        });
    }
    for (int k = first; k < iterations; k++) iterate();
    clear_errors(block, s);
    hands.each(block, threads,
               [&](Hand &h, int thread) { store_hand<M, threads>(b, c, m, h, thread); });
    block.sync();
    hands.each(block, threads,
               [&](Hand &, int thread) { judge_hand<M, threads>(b, s, c, m, thread); });
    block.once([&] { s.mixed = s.alpha; });
}

/* Contacts yield by more now. */
TN_DEVICE inline void soften_chip(const Block &block, const Worlds &b, ChipHead &s, const Chip &c)
{
    float before = (float)(TN_RETREAT * s.ratio), more = (float)TN_RETREAT,
          own = 1.0f / (float)b.weight_scale,
          B = (own + 1.0f / before) / (own + 1.0f / (float)s.ratio);
    block.each(s.contact_count, [&](int i) {
        float4 give = c.given[i], total = c.total[i];
        total.x += (more - 1.0f) * give.x;
        total.y += (more - 1.0f) * give.y;
        total.z += (more - 1.0f) * give.z;
        c.total[i] = total;
        c.arm_a[i].w *= B;
        c.arm_b[i].w *= B;
        c.given[i] = float4{more * give.x, more * give.y, more * give.z, 0.0f};
    });
    block.once([&] { s.softened = true; });
}

template <int threads>
TN_DEVICE inline void solve_part(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                 char *pool)
{
    int iterations = solve_in_chunks(
        block, b, s,
        [&](int chunk, bool first) { iterate_chip<threads>(block, b, s, c, pool, chunk, first); },
        [] {}, [&] { soften_chip(block, b, s, c); });
    block.once([&] { s.iterations = iterations; });
}

} // namespace tn
#endif
