/* grain_step.h: steps of a world in which only spheres move, by one block, from its row to its row:
 * the records of its contacts, and its motion. The iteration and the judge are those of
 * chip_solve.h. */
#ifndef TN_GPU_GRAIN_STEP_H
#define TN_GPU_GRAIN_STEP_H

#include "chip_step.h"
#include "grain_search.h"

namespace tn
{

/* One side of a contact: its motion at the step's start and at its end without forces, v_free, all
 * at the contact, and how much it yields. */
struct GrainSide {
    double v[3], end[3], free[3];
    float C[2];
};

TN_DEVICE inline GrainSide side_of(const ChipWorld &s, const Grains &c, int body,
                                   const double arm[3], const double n[3])
{
    GrainSide o;
    const float p[3] = {(float)arm[0], (float)arm[1], (float)arm[2]},
                m[3] = {(float)n[0], (float)n[1], (float)n[2]};
    point_velocity(o.v, c.v + 6 * body, arm);
    point_velocity(o.free, c.v_free + 6 * body, arm);
    for (int k = 0; k < 3; k++) o.end[k] = o.v[k] + (o.free[k] - o.v[k]) * s.per_theta;
    compliance<float>(c.inverse + 7 * body, p, m, o.C);
    return o;
}

/* As write_touch. */
TN_DEVICE inline void write_grain(const Worlds &b, ChipWorld &s, const Grains &c, int i,
                                  const TnContactPoint &p)
{
    Two16 slots = c.touching[i];
    const double *n = p.normal;
    double v[3], v_end[3];
    Row row;
    row.ra = c.body[slots.a];
    row.rb = slots.b < b.moving_count ? c.body[slots.b] : -1;
    GrainSide first = side_of(s, c, row.ra, p.arm1, n), second{};
    if (row.rb >= 0) {
        second = side_of(s, c, row.rb, p.arm2, n);
    } else if (slots.b < b.collider->fixed_start) {
        int lb = s.slots[slots.b].link;
        point_velocity(second.v, s.twists[lb], p.arm2);
        v3_copy(second.end, second.v);
        v3_copy(second.free, second.v);
    }
    StepLaw law = {s.t,     b.theta, b.stabilization, s.gravity_size,
                   nullptr, nullptr, nullptr,         nullptr};
    v3_sub(v, second.v, first.v);
    v3_sub(v_end, second.end, first.end);
    shift_at_speed(law, p.gap, n, v, v_end, 0.0, row.e); /* only without gravity a size matters */
    force_before(b, s, &p, row.last);
    weigh_row(b, s.ratio, n, first.C, second.C, first.free, second.free, row);
    row.mu = p.dim == 1 ? 0.0 : p.friction[0];
    write_record(b, s, c, i, &p, row);
}

TN_DEVICE inline void write_grains(const Block &block, const Worlds &b, ChipWorld &s,
                                   const Grains &c)
{
    each_pair(block, b, s, c, c.touching, s.contact_count, [&](int i, bool unlike) {
        TnContactPoint point;
        if (unlike)
            look_at_unlike(b, s, c, c.touching[i], &point, 1);
        else
            look_at_alike(b, s, c, c.touching[i], &point, 1);
        write_grain(b, s, c, i, point);
    });
}

/* As write_velocity. */
TN_DEVICE inline void write_grain_velocity(const Worlds &b, const Grains &c, int r)
{
    float v[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    if (r < b.body_count) {
        int at = 6 * c.order[r];
        for (int k = 0; k < 6; k++) v[k] = (float)(c.v[at + k] - c.v_free[at + k]);
    }
    c.v4[r] = float4{v[0], v[1], v[2], v[3]};
    c.v2[r] = float2{v[4], v[5]};
}

/* Up to the matrices. One that does not fit is stuck: nothing changes. */
TN_DEVICE inline void begin_grains(const Block &block, const Worlds &b, ChipWorld &s,
                                   const Grains &c, int w)
{
    open_world(block, b, s, w);
    block.each(b.body_count, [&](int i) { assemble_grain(b, s, c, i); });
    pair_grains(block, b, s, c);
    if (!s.stuck) list_touching(block, b, s, c);
    if (s.stuck) return;
    write_grains(block, b, s, c);
    rank_bodies(block, b, s, c);
    if (s.stuck) return;
    list_sides(block, b, s, c);
    block.each(b.body_count + 1, [&](int r) { write_grain_velocity(b, c, r); });
    block.each(b.body_count, [&](int r) { factor_rank(b, s, c, r); });
}

/* What the forces change of v̂; over v, which nobody needs any more. */
TN_DEVICE inline void judge_grains(const Block &block, const Worlds &b, ChipWorld &s,
                                   const Grains &c)
{
    clear_errors(block, s);
    block.each(b.body_count, [&](int r) {
        const double none[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        int n = b.body_count, body = c.order[r];
        double F[6], inverse[7];
        for (int k = 0; k < 6; k++) F[k] = s.force[k * n + r];
        for (int k = 0; k < 7; k++) inverse[k] = (double)c.inverse[7 * body + k];
        pushed_velocity(inverse, none, F, c.v + 6 * body);
    });
    block.each(s.contact_count, [&](int i) { judge_touch(b, s, c, i); });
}

/* As advance_body, with what tells the state once more. */
TN_DEVICE inline void advance_grain(const Worlds &b, ChipWorld &s, const Grains &c, int i)
{
    TnLinkFrame frame;
    TnRigidSystem system;
    double vhat[6];
    int l = b.body_link[i];
    read_frame(s, l, &frame);
    tn_rigid_assemble(s.dynamics, l, &frame, &system);
    for (int k = 0; k < 6; k++) vhat[k] = system.v_free[k] + c.v[6 * i + k];
    advance_free(s, l, frame, system, vhat, s.pushed[i]);
}

/* Functions of their own have the registers for themselves. */
TN_DEVICE __noinline__ inline void iterate_grains(const Worlds &b, ChipWorld &s, int iterations,
                                                  bool first)
{
    iterate_records<true>(block_of(s), b, s, grains_of(b, s), iterations, first);
}

TN_DEVICE __noinline__ inline void soften_grains(const Worlds &b, ChipWorld &s)
{
    const Block block = block_of(s);
    const Grains c = grains_of(b, s);
    double before = TN_BATCH_RETREAT * s.ratio;
    block.each(s.contact_count, [&](int i) { soften_touch(b, s, c, i, before); });
    block.each(b.body_count, [&](int r) { factor_rank(b, s, c, r); });
}

/* All steps that a world has to go, or up to one that does not fit. */
TN_DEVICE inline void run_grains(const Block &block, const Worlds &b, ChipWorld &s, int w)
{
    const Grains c = grains_of(b, s);
    while (is_on(b, w)) {
        block.sync(); /* all have seen how many are left */
        begin_grains(block, b, s, c, w);
        if (s.stuck) break;
        int iterations = solve_in_chunks(
            block, b, s, [&](int chunk, bool first) { iterate_grains(b, s, chunk, first); },
            [&] { judge_grains(block, b, s, c); }, [&] { soften_grains(b, s); });
        if (!(b.tolerance > 0.0)) judge_grains(block, b, s, c);
        block.once([&] { s.iterations = iterations; });
        block.each(b.body_count, [&](int i) { advance_grain(b, s, c, i); });
        take_step(block, b, s);
        keep_touches(block, b, s);
    }
    block.sync();
}

} // namespace tn
#endif
