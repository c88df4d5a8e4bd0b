/* chip_solve.h: SubADMM and its judge for a world on the chip (docs/solver.md; batch_solve.h has
 * the same for worlds of any size). Between two syncs contacts update their forces and push their
 * bodies, then bodies sum up the pushes and update their velocities. */
#ifndef TN_GPU_CHIP_SOLVE_H
#define TN_GPU_CHIP_SOLVE_H

#include "batch_solve.h"
#include "chip_contacts.h"

namespace tn
{

/* A contact in the hands of a thread. */
struct Touch {
    float4 p, o, n;   /* as arm_a, arm_b and normal of Chip, but p.w: Bn - Bt */
    float ex, ey, ez; /* as total */
    float x, y, z;    /* as state */
    Two16 ends, places;
};

/* A body. */
struct Hand {
    float g[6];
    int begin, end; /* rows of its pushes */
};

/* Weights of an iteration: t = state - now B u, state ← keep t + take Π(t). */
struct Mix {
    float now, keep, take;
};

TN_DEVICE inline void load_touch(const ChipWorld &s, const Chip &c, int world, Touch &o, int i)
{
    if (i < s.contact_count) {
        float4 state = c.state[i], e = c.total[i];
        o.p = c.arm_a[i], o.o = c.arm_b[i], o.n = c.normal[i];
        o.ex = e.x, o.ey = e.y, o.ez = e.z;
        o.p.w -= o.o.w;
        o.x = state.x, o.y = state.y, o.z = state.z;
        o.ends = c.ends[i];
        o.places = c.places[i];
    } else { /* one that does nothing to nobody */
        o.p = o.o = o.n = float4{0.0f, 0.0f, 0.0f, 0.0f};
        o.x = o.y = o.z = o.ex = o.ey = o.ez = 0.0f;
        o.ends.a = o.ends.b = (uint16_t)world;
        o.places.a = o.places.b = (uint16_t)c.push_room;
    }
}

TN_DEVICE inline void store_touch(const Chip &c, const Touch &o, int i)
{
    c.arm_a[i] = float4{o.p.x, o.p.y, o.p.z, o.p.w + o.o.w};
    c.arm_b[i] = o.o;
    c.normal[i] = o.n;
    c.total[i] = float4{o.ex, o.ey, o.ez, 0.0f};
    c.state[i] = float4{o.x, o.y, o.z, 0.0f};
    c.ends[i] = o.ends;
    c.places[i] = o.places;
}

TN_DEVICE inline void push(const Chip &c, int place, float sign, float4 arm, float x, float y,
                           float z)
{
    x *= sign, y *= sign, z *= sign;
    c.push4[place] = float4{x, y, z, arm.y * z - arm.z * y};
    c.push2[place] = float2{arm.z * x - arm.x * z, arm.x * y - arm.y * x};
}

TN_DEVICE inline void update_touch(const Chip &c, Touch &o, Mix mix)
{
    float4 p = o.p, q = o.o, n = o.n, va = c.v4[o.ends.a], vb = c.v4[o.ends.b];
    float2 wa = c.v2[o.ends.a], wb = c.v2[o.ends.b];
    float ux = o.ex + (vb.x + wb.x * q.z - wb.y * q.y) - (va.x + wa.x * p.z - wa.y * p.y),
          uy = o.ey + (vb.y + wb.y * q.x - vb.w * q.z) - (va.y + wa.y * p.x - va.w * p.z),
          uz = o.ez + (vb.z + vb.w * q.y - wb.x * q.x) - (va.z + va.w * p.y - wa.x * p.x);
    float bt = mix.now * q.w, un = mix.now * p.w * (ux * n.x + uy * n.y + uz * n.z);
    float x = o.x - bt * ux - un * n.x, y = o.y - bt * uy - un * n.y, z = o.z - bt * uz - un * n.z;
    float tn = x * n.x + y * n.y + z * n.z, ln = tn > 0.0f ? tn : 0.0f, most = n.w * ln;
    float sx = x - tn * n.x, sy = y - tn * n.y, sz = z - tn * n.z,
          size2 = sx * sx + sy * sy + sz * sz;
    float k = size2 > most * most ? most * one_over_root(size2) : 1.0f;
    float lx = ln * n.x + k * sx, ly = ln * n.y + k * sy, lz = ln * n.z + k * sz;
    o.x = mix.keep * x + mix.take * lx;
    o.y = mix.keep * y + mix.take * ly;
    o.z = mix.keep * z + mix.take * lz;
    push(c, o.places.a, -1.0f, p, lx, ly, lz);
    if (o.places.b < c.push_room) push(c, o.places.b, 1.0f, q, lx, ly, lz);
}

TN_DEVICE inline void sum_pushes(const Chip &c, const Hand &h, int r, float F[6])
{
    int at = turned(0, r);
    TN_UNROLL
    for (int k = 0; k < 6; k++) F[k] = 0.0f;
    TN_UNROLL_TWICE /* more would take the registers of the contacts */
        for (int row = h.begin; row < h.end; row += 32, at = turned(1, at))
    {
        float4 f = c.push4[row + at];
        float2 m = c.push2[row + at];
        F[0] += f.x, F[1] += f.y, F[2] += f.z, F[3] += f.w, F[4] += m.x, F[5] += m.y;
    }
}

/* As update_body. */
TN_DEVICE inline void update_hand(const Chip &c, Hand &h, int r, int n, float alpha)
{
    float F[6], x[6], v[6], all[4 * TN_CHIP_MATRIX];
    sum_pushes(c, h, r, F);
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_MATRIX; k++) {
        float4 m = c.matrix[k * n + r];
        all[4 * k] = m.x, all[4 * k + 1] = m.y, all[4 * k + 2] = m.z, all[4 * k + 3] = m.w;
    }
    TN_UNROLL
    for (int k = 0; k < 6; k++) {
        x[k] = h.g[k] + 2.0f * F[k];
        v[k] = 0.0f;
    }
    TN_UNROLL
    for (int i = 0; i < 6; i++) TN_UNROLL
    for (int j = i; j < 6; j++) {
        float m = all[sym6(i, j)];
        v[i] += m * x[j];
        if (j > i) v[j] += m * x[i];
    }
    c.v4[r] = float4{v[0], v[1], v[2], v[3]};
    c.v2[r] = float2{v[4], v[5]};
    const float *A = all + 21;
    float Av[6] = {A[0] * v[0],
                   A[0] * v[1],
                   A[0] * v[2],
                   A[1] * v[3] + A[2] * v[4] + A[3] * v[5],
                   A[2] * v[3] + A[4] * v[4] + A[5] * v[5],
                   A[3] * v[3] + A[5] * v[4] + A[6] * v[5]};
    TN_UNROLL
    for (int k = 0; k < 6; k++) h.g[k] += alpha * (F[k] - Av[k]);
}

/* What the forces change of a body's v̂, in double. */
TN_DEVICE inline void end_velocity_of(const ChipWorld &s, const Chip &c, int n, int r)
{
    const double free[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double F[6];
    int body = c.order[r];
    for (int k = 0; k < 6; k++) F[k] = s.force[k * n + r];
    pushed_velocity(s.inverse + 7 * body, free, F, s.v_end + 6 * body);
}

/* State of the first iteration, or of the next one with another α: behind t it needs λ. */
TN_DEVICE inline void mix_state(const ChipWorld &s, const Chip &c, int i, bool first, float share,
                                float alpha)
{
    float4 l = s.lambda[i], x = c.state[i];
    float was = (float)s.mixed, keep = 1.0f - alpha, take = alpha * share;
    if (first) {
        c.state[i] = float4{share * l.x, share * l.y, share * l.z, 0.0f};
    } else if (was != alpha && was != 1.0f) {
        float back = 1.0f / (1.0f - was), off = was * share;
        c.state[i] = float4{keep * back * (x.x - off * l.x) + take * l.x,
                            keep * back * (x.y - off * l.y) + take * l.y,
                            keep * back * (x.z - off * l.z) + take * l.z, 0.0f};
    }
}

/* λ and what it does to the bodies are left in memory; `again`: records, too. */
template <bool again>
TN_DEVICE inline void iterate_records(const Block &block, const Worlds &b, ChipWorld &s,
                                      const Chip &c, int iterations, bool first)
{
    double w = 1.0 / b.weight_scale; /* as in iterate_world */
    float alpha = (float)s.alpha, share = s.ratio > 0.0 ? (float)(w / (w + 1.0 / s.ratio)) : 1.0f;
    Mix mix = {first ? 1.0f : alpha, 1.0f - alpha, alpha * share};
    int contacts = s.contact_count, n = b.body_count;
    Held<Touch, TN_CHIP_OWN> touches;
    Held<Hand, 1> hands;
    block.each(contacts, [&](int i) { mix_state(s, c, i, first, share, alpha); });
    block.once([&] { s.mixed = s.alpha; });
    touches.each(block, contacts, [&](Touch &o, int i) { load_touch(s, c, n, o, i); });
    hands.each(block, n, [&](Hand &h, int r) {
        if (r >= n) return;
        TN_UNROLL
        for (int k = 0; k < 6; k++) h.g[k] = s.g[k * n + r];
        h.begin = c.slice[r >> 5];
        h.end = h.begin + 32 * c.fill[r];
    });
    block.sync(); /* now matrices and pushes come over the records */
    block.each(TN_CHIP_MATRIX * n, [&](int i) { c.matrix[i] = s.matrix[i]; });
    for (int k = 0; k < iterations; k++) {
        touches.each(block, contacts, [=](Touch &o, int) { update_touch(c, o, mix); });
        block.sync();
        hands.each(block, n, [=](Hand &h, int r) {
            if (r < n) update_hand(c, h, r, n, alpha);
        });
        block.sync();
        mix.now = alpha;
    }
    hands.each(block, n, [&](Hand &h, int r) {
        float F[6];
        if (r >= n) return;
        sum_pushes(c, h, r, F);
        TN_UNROLL
        for (int k = 0; k < 6; k++) s.force[k * n + r] = F[k];
        int pushed = 0;
        for (int row = h.begin, at = turned(0, r); row < h.end; row += 32, at = turned(1, at)) {
            float4 f = c.push4[row + at];
            pushed |= f.x != 0.0f || f.y != 0.0f || f.z != 0.0f;
        }
        s.pushed[c.order[r]] = pushed;
        TN_UNROLL
        for (int k = 0; k < 6; k++) s.g[k * n + r] = h.g[k];
    });
    touches.each(block, contacts, [&](Touch &o, int i) {
        if (i >= contacts) return;
        float4 f = c.push4[o.places.a];
        s.lambda[i] = float4{-f.x, -f.y, -f.z, s.lambda[i].w};
    });
    block.sync();
    if (again) {
        touches.each(block, contacts, [&](Touch &o, int i) {
            if (i < contacts) store_touch(c, o, i);
        });
        block.sync();
    }
}

/* This and the other parts of a step are functions of their own: each has the registers for
 * itself. */
TN_DEVICE __noinline__ inline void iterate_on_chip(const Worlds &b, ChipWorld &s, int iterations,
                                                   bool first)
{
    iterate_records<true>(block_of(s), b, s, chip_of(b, s), iterations, first);
}

TN_DEVICE inline void judge_touch(const Worlds &b, ChipWorld &s, const Chip &c, int i)
{
    float4 p = c.arm_a[i], o = c.arm_b[i], n4 = c.normal[i], e = c.total[i], f = s.lambda[i];
    Two16 ends = c.ends[i];
    double arm1[3] = {p.x, p.y, p.z}, arm2[3] = {o.x, o.y, o.z}, n[3] = {n4.x, n4.y, n4.z},
           l[3] = {f.x, f.y, f.z}, ua[3], ub[3] = {0.0, 0.0, 0.0}, u[3], mu = n4.w;
    double yields = s.ratio > 0.0 ? 1.0 / s.ratio : 0.0, all = 1.0 / b.weight_scale + yields;
    const double inverse[2] = {p.w * all, o.w * all}, D[2] = {1.0 / inverse[0], 1.0 / inverse[1]};
    point_velocity(ua, s.v_end + 6 * c.order[ends.a], arm1);
    if (ends.b < b.body_count) point_velocity(ub, s.v_end + 6 * c.order[ends.b], arm2);
    const double total[3] = {e.x, e.y, e.z};
    for (int k = 0; k < 3; k++) u[k] = ub[k] - ua[k] + total[k];
    double rigid, map;
    if (s.ratio > 0.0) {
        float4 g = s.given[i];
        const double rigid_u[3] = {u[0] - g.x, u[1] - g.y, u[2] - g.z};
        double ln = v3_dot(l, n);
        for (int k = 0; k < 3; k++) u[k] += yields * (D[1] * l[k] + (D[0] - D[1]) * ln * n[k]);
        rigid = natural_map(rigid_u, l, n, D, inverse, mu);
        map = natural_map(u, l, n, D, inverse, mu);
    } else {
        rigid = map = natural_map(u, l, n, D, inverse, mu);
    }
    note_error(s, map, rigid, f.w);
}

TN_DEVICE inline void judge_records(const Block &block, const Worlds &b, ChipWorld &s,
                                    const Chip &c)
{
    clear_errors(block, s);
    block.each(b.body_count, [&](int r) { end_velocity_of(s, c, b.body_count, r); });
    block.each(s.contact_count, [&](int i) { judge_touch(b, s, c, i); });
}

TN_DEVICE __noinline__ inline void judge_on_chip(const Worlds &b, ChipWorld &s)
{
    judge_records(block_of(s), b, s, chip_of(b, s));
}

TN_DEVICE __noinline__ inline void soften_on_chip(const Worlds &b, ChipWorld &s)
{
    const Block block = block_of(s);
    const Chip c = chip_of(b, s);
    double before = TN_BATCH_RETREAT * s.ratio;
    block.each(s.contact_count, [&](int i) { soften_touch(b, s, c, i, before); });
    block.each(b.body_count, [&](int r) { factor_rank(b, s, c, r); });
}

TN_DEVICE inline void solve_on_chip(const Worlds &b, ChipWorld &s)
{
    const Block block = block_of(s);
    int iterations = solve_in_chunks(
        block, b, s, [&](int chunk, bool first) { iterate_on_chip(b, s, chunk, first); },
        [&] { judge_on_chip(b, s); }, [&] { soften_on_chip(b, s); });
    block.once([&] { s.iterations = iterations; });
}

} // namespace tn
#endif
