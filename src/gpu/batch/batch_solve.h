/* batch_solve.h: SubADMM and its judge for one world by one block (docs/solver.md; iterate.h and
 * judge.h have the same for one large scene). Between two syncs contacts update their forces, then
 * bodies their velocities. A body's matrix stays in registers where there is a thread for each. */
#ifndef TN_GPU_BATCH_SOLVE_H
#define TN_GPU_BATCH_SOLVE_H

#include "batch_contacts.h"

namespace tn
{

/* As in scene.h. */
#define TN_BATCH_CHUNK 20 /* iterations between two looks at the error */
#define TN_BATCH_PATIENCE 160

TN_DEVICE inline float one_over_root(float x)
{
#ifdef __CUDA_ARCH__
    return rsqrtf(x);
#else
    return 1.0f / sqrtf(x);
#endif
}
TN_DEVICE inline double one_over_root(double x) { return 1.0 / sqrt(x); }

/* t ← (1-α) t + α (share λ - B (J v + e)),  λ ← Π(t) */
template <class R>
TN_DEVICE inline void update_contact(const Worlds &b, const Fast<R> &s, int i, R alpha, R share)
{
    typedef typename Vec4<R>::type V;
    Ends16 e = s.ends[i];
    V p = s.arm_a[i], n = s.normal[i], u = s.total[i], t = s.trial[i], l = s.lambda[i];
    V o = s.arm_b[i];
    if (b.robots.count) add_levers<R>(s.fast_robot.levers, s.fast_robot.rate, i, u);
    if (e.a < b.free_count) {
        V va = s.v[e.a], wa = s.spin[e.a];
        u.x -= va.x + wa.y * p.z - wa.z * p.y;
        u.y -= va.y + wa.z * p.x - wa.x * p.z;
        u.z -= va.z + wa.x * p.y - wa.y * p.x;
    }
    if (e.b >= 0 && e.b < b.free_count) {
        V vb = s.v[e.b], wb = s.spin[e.b];
        u.x += vb.x + wb.y * o.z - wb.z * o.y;
        u.y += vb.y + wb.z * o.x - wb.x * o.z;
        u.z += vb.z + wb.x * o.y - wb.y * o.x;
    }
    R un = (p.w - o.w) * (u.x * n.x + u.y * n.y + u.z * n.z), keep = 1 - alpha;
    t.x = keep * t.x + alpha * (share * l.x - o.w * u.x - un * n.x);
    t.y = keep * t.y + alpha * (share * l.y - o.w * u.y - un * n.y);
    t.z = keep * t.z + alpha * (share * l.z - o.w * u.z - un * n.z);
    s.trial[i] = t;
    R tn = t.x * n.x + t.y * n.y + t.z * n.z, ln = tn > 0 ? tn : 0, most = n.w * ln;
    R x = t.x - tn * n.x, y = t.y - tn * n.y, z = t.z - tn * n.z, size2 = x * x + y * y + z * z;
    R k = size2 > most * most ? most * one_over_root(size2) : (R)1;
    s.lambda[i] = V{ln * n.x + k * x, ln * n.y + k * y, ln * n.z + k * z, 0};
}

/* F = Jᵀλ,  v ← H⁻¹ (g + 2F),  g ← g + α (F - A v),  v less v_free */
template <class R>
TN_DEVICE inline void update_body(const Fast<R> &s, int r, IterBody<R> &body, R alpha)
{
    typedef typename Vec4<R>::type V;
    R F[6] = {0}, x[6], v[6];
    for (int i = s.side_start[r], end = s.side_start[r + 1]; i < end; i++) {
        int side = s.sides[i], at = side >> 1;
        const V *arms = side & 1 ? s.arm_b : s.arm_a;
        V arm = arms[at], l = s.lambda[at];
        R sign = side & 1 ? (R)1 : (R)-1;
        l.x *= sign, l.y *= sign, l.z *= sign;
        F[0] += l.x, F[1] += l.y, F[2] += l.z;
        F[3] += arm.y * l.z - arm.z * l.y;
        F[4] += arm.z * l.x - arm.x * l.z;
        F[5] += arm.x * l.y - arm.y * l.x;
    }
    for (int k = 0; k < 6; k++) {
        x[k] = body.g[k] + 2 * F[k];
        v[k] = 0;
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < 6; i++)
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int j = i; j < 6; j++) {
            R h = body.Hinv[sym6(i, j)];
            v[i] += h * x[j];
            if (j > i) v[j] += h * x[i];
        }
    s.v[r] = V{v[0], v[1], v[2], 0};
    s.spin[r] = V{v[3], v[4], v[5], 0};
    const R *A = body.A;
    R Av[6] = {A[0] * v[0],
               A[0] * v[1],
               A[0] * v[2],
               A[1] * v[3] + A[2] * v[4] + A[3] * v[5],
               A[2] * v[3] + A[4] * v[4] + A[5] * v[5],
               A[3] * v[3] + A[5] * v[4] + A[6] * v[5]};
    for (int k = 0; k < 6; k++) body.g[k] += alpha * (F[k] - Av[k]);
}

template <class R>
TN_DEVICE void iterate_plainly(const Block &block, const Worlds &b, const World<R> &s,
                               int iterations, R first, R alpha, R share)
{
    for (int k = 0; k < iterations; k++) {
        R now = k == 0 ? first : alpha;
        block.each(s.contact_count, [&](int i) { update_contact<R>(b, s, i, now, share); });
        block.each(b.robots.row_count, [&](int i) { update_row<R>(s.fast_robot, i, now); });
        block.each(b.free_count, [&](int r) { update_body<R>(s, r, s.bodies[r], alpha); });
        if (b.robots.count) update_robots<R>(block, b, s, alpha);
    }
}

#ifdef __CUDACC__

/* A thread for each body, whose matrix stays in its registers. */
template <class R>
TN_DEVICE void iterate_in_shared(const Block &block, const Worlds &b, const World<R> &s,
                                 int iterations, R first, R alpha, R share)
{
    Fast<R> f; /* laid out once more, so that the compiler sees whose memory it is */
    Cursor small = {fast_memory, 0};
    lay_out_fast<R>(b, b.shared_contacts, b.shared_levers, f, small);
    int contacts = s.contact_count;
    bool has = block.rank < b.free_count;
    IterBody<R> own;
    if (has) own = s.bodies[block.rank];
    for (int k = 0; k < iterations; k++) {
        R now = k == 0 ? first : alpha;
        for (int i = block.rank; i < contacts; i += block.size)
            update_contact<R>(b, f, i, now, share);
        for (int i = block.rank; i < b.robots.row_count; i += block.size)
            update_row<R>(f.fast_robot, i, now);
        block.sync();
        if (has) update_body<R>(f, block.rank, own, alpha);
        if (b.robots.count)
            update_robots<R>(block, b, f, alpha);
        else
            block.sync();
    }
    if (has) s.bodies[block.rank] = own;
    block.sync();
}

#endif

/* `first`: the first of these is the solve's first. */
template <class R>
TN_DEVICE void iterate_world(const Block &block, const Worlds &b, const World<R> &s, int iterations,
                             bool first)
{
    double w = 1.0 / b.weight_scale; /* as in iterate */
    R alpha = (R)s.alpha, share = s.ratio > 0.0 ? (R)(w / (w + 1.0 / s.ratio)) : (R)1;
    R begin = first ? (R)1 : alpha;
#ifdef __CUDA_ARCH__
    if (s.is_shared && b.free_count <= block.size) {
        iterate_in_shared<R>(block, b, s, iterations, begin, alpha, share);
        return;
    }
#endif
    iterate_plainly<R>(block, b, s, iterations, begin, alpha, share);
}

/* v_λ = A⁻¹ (b + Jᵀλ), in double. */
template <class R> TN_DEVICE void end_velocity(World<R> &s, int r)
{
    double F[6];
    s.pushed[r] =
        sum_forces(s.sides + s.side_start[r], s.sides + s.side_start[r + 1], s.lambda, s.points, F);
    pushed_velocity(s.inverse + 7 * r, s.systems[r].v_free, F, s.v_end + 6 * r);
}

/* Sums and the worst of contacts; as in WorldHead. */
struct Errors {
    unsigned long long worst, worst_rigid, deepest, depths;
    int deep;
    bool bad;
    /* squared maps; depth: m */
    TN_DEVICE void add(double map, double rigid, double depth)
    {
        bad |= !(map < INFINITY);
        worst = larger(worst, double_bits(map));
        worst_rigid = larger(worst_rigid, double_bits(rigid));
        if (!(depth > 0.0)) return;
        deepest = larger(deepest, double_bits(depth));
        depths += (unsigned long long)(depth / TN_DEPTH_UNIT);
        deep++;
    }
    TN_DEVICE static unsigned long long larger(unsigned long long a, unsigned long long b)
    {
        return a > b ? a : b;
    }
};

/* Those of a thread into those of all; once per warp where it is whole. */
TN_DEVICE inline void note_errors(WorldHead &s, const Errors &e)
{
    if (e.bad) s.bad = true;
    atomic_max_all(&s.worst, e.worst);
    atomic_max_all(&s.worst_rigid, e.worst_rigid);
    atomic_max_all(&s.deepest, e.deepest);
    atomic_add_all(&s.depths, e.depths);
    atomic_add_all(&s.deep, (unsigned long long)e.deep);
}

TN_DEVICE inline void clear_errors(const Block &block, WorldHead &s)
{
    block.once([&] { s.worst = s.worst_rigid = s.deepest = s.depths = 0, s.deep = 0; });
}

template <class R> TN_DEVICE void judge_contact(World<R> &s, int i)
{
    const TnContactPoint *c = &s.points[i];
    Ends16 e = s.ends[i];
    typename Vec4<R>::type lambda = s.lambda[i];
    double ua[3], ub[3] = {0.0, 0.0, 0.0}, u[3], l[3] = {lambda.x, lambda.y, lambda.z};
    const double *n = c->normal, *D = s.yield + 2 * i;
    double mu = c->dim == 1 ? 0.0 : c->friction[0], depth = -fmax(c->gap, c->clearance);
    point_velocity(ua, s.v_end + 6 * e.a, c->arm1);
    if (e.b >= 0) point_velocity(ub, s.v_end + 6 * e.b, c->arm2);
    for (int k = 0; k < 3; k++) u[k] = ub[k] - ua[k] + s.shift[3 * i + k];
    double rigid = natural_map(u, l, n, D, mu), map = rigid;
    if (s.ratio > 0.0) { /* as it yields */
        double ln = v3_dot(l, n);
        for (int k = 0; k < 3; k++)
            u[k] += s.give[3 * i + k] + (D[1] * l[k] + (D[0] - D[1]) * ln * n[k]) / s.ratio;
        map = natural_map(u, l, n, D, mu);
    }
    Errors errors{};
    errors.add(map, rigid, depth);
    note_errors(s, errors);
}

TN_DEVICE inline double double_from(unsigned long long bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

/* Apart, so that the iteration has the registers. */
template <class R>
TN_DEVICE __noinline__ void judge_world(const Block &block, const Worlds &b, World<R> &s)
{
    clear_errors(block, s);
    block.each(b.free_count, [&](int r) { end_velocity(s, r); });
    robots_end_velocity(block, b, s);
    block.each(s.contact_count, [&](int i) { judge_contact(s, i); });
    block.each(b.robots.row_count, [&](int i) { judge_row(b, s, i); });
}

template <class R>
TN_DEVICE __noinline__ void write_world(const Block &block, const Worlds &b, World<R> &s,
                                        bool again)
{
    if (b.robots.count) prepare_robots(block, b, s);
    block.each(s.contact_count, [&](int i) { write_contact(b, s, i, again); });
    block.each(b.robots.row_count, [&](int i) { write_row(b, s, i, again); });
    if (!again) sort_out_sides(block, b, s);
    block.each(b.free_count, [&](int r) { factor_body(s, r); });
    factor_robots(block, b, s);
}

/* Chunks until the tolerance or the limit is reached, with the same help as Scene::solve: iterate
 * so many times, judge, and write the contacts again where they yield more. Returns how many
 * iterations. Without a tolerance there is no check. */
template <class Iterate, class Judge, class Again>
TN_DEVICE int solve_in_chunks(const Block &block, const Worlds &b, WorldHead &s, Iterate iterate,
                              Judge judge, Again again)
{
    bool looks = b.tolerance > 0.0, soft = false;
    int chunk = looks && b.iterations > TN_BATCH_CHUNK ? TN_BATCH_CHUNK : b.iterations;
    int done = 0, total = 0, patience = TN_BATCH_PATIENCE, relaxation = 0;
    const double less[3] = {b.alpha, b.alpha < 1.3 ? b.alpha : 1.3, 1.0};
    double half = INFINITY, unit = s.gravity_size * s.t;
    for (;;) {
        block.once([&] { s.alpha = less[relaxation]; });
        iterate(chunk, done == 0);
        if (!looks) return chunk;
        judge();
        done += chunk;
        total += chunk;
        double error = sqrt(double_from(s.worst)) / unit;
        if (s.bad || error < b.tolerance) return total;
        if (error <= half) {
            half = 0.5 * error;
            patience = done + TN_BATCH_PATIENCE;
        } else if (s.ratio > 0.0 && done >= patience && relaxation < 2) {
            relaxation++;
            patience = done + TN_BATCH_PATIENCE;
        }
        if (done < b.iterations) continue;
        if (soft || !(s.ratio > 0.0)) return total;
        soft = true;
        block.sync(); /* all have read the error */
        block.once([&] { s.ratio /= TN_RETREAT; });
        again();
        done = relaxation = 0;
        patience = TN_BATCH_PATIENCE;
        half = INFINITY;
    }
}

template <class R> TN_DEVICE int solve_world(const Block &block, const Worlds &b, World<R> &s)
{
    return solve_in_chunks(
        block, b, s, [&](int chunk, bool first) { iterate_world<R>(block, b, s, chunk, first); },
        [&] { judge_world(block, b, s); }, [&] { write_world(block, b, s, true); });
}

} // namespace tn
#endif
