/* chip_step.h: a step of a world on the chip, from its row to its row. */
#ifndef TN_GPU_CHIP_STEP_H
#define TN_GPU_CHIP_STEP_H

#include "batch_step.h"
#include "chip_solve.h"

namespace tn
{

#if defined(TN_GPU_LAPS) && defined(__CUDACC__)
#define TN_CHIP_LAPS 12
static __device__ unsigned long long chip_laps[TN_CHIP_LAPS];
#define LAP_ON_CHIP(k)                                                                             \
    if (block.rank == 0) {                                                                         \
        long long now = clock64();                                                                 \
        atomicAdd(&chip_laps[k], (unsigned long long)(now - lap_start));                           \
        lap_start = now;                                                                           \
    }
#define LAPS_START long long lap_start = clock64();
#else
#define LAP_ON_CHIP(k)
#define LAPS_START
#endif

/* The places of a block, and what its worlds share. */
TN_DEVICE inline void open_block(const Block &block, const Worlds &b, ChipWorld &s, Chip &c,
                                 char *scratch, bool in_parts)
{
    block.once([&] {
        Cursor large = {scratch, 0};
        lay_out_block(b, s, large);
    });
    if (in_parts) use_carry(c, s.carry);
    block.once([&] {
        s.bounds = c.bounds;
        s.masks = c.masks;
        s.mask_start = c.mask_start;
        s.pair1 = c.pair1;
        s.pair2 = c.pair2;
        s.pair_start = c.pair_start;
        s.pair_room = b.chip_pairs;
        s.contact_room = b.chip_contacts;
    });
    copy_shared(block, b, s);
}

/* Bodies and pairs. One that does not fit is stuck here or below: nothing changes. */
TN_DEVICE inline void find_pairs(const Block &block, const Worlds &b, ChipWorld &s, int w)
{
    LAPS_START
    open_world(block, b, s, w);
    LAP_ON_CHIP(0)
    block.each(b.body_count, [&](int i) {
        double A[7];
        assemble_system(b, s, i);
        pack_inertia(&s.systems[i], A);
        for (int k = 0; k < 7; k++) s.inertia[k * b.body_count + i] = (float)A[k];
    });
    LAP_ON_CHIP(1)
    list_pairs(block, b, s);
    LAP_ON_CHIP(2)
    if (!s.stuck) count_plain(block, s);
    LAP_ON_CHIP(3)
}

/* All that needs the engine's routines for shapes other than spheres. */
template <PairsOf of>
TN_DEVICE inline void look_at_others(const Block &block, const Worlds &b, ChipWorld &s,
                                     const Chip &c)
{
    count_others<of>(block, b, s);
    if (!s.stuck) write_others<of>(block, b, s, c);
}

TN_DEVICE inline void write_records(const Block &block, const Worlds &b, ChipWorld &s,
                                    const Chip &c)
{
    LAPS_START
    write_plain(block, b, s, c);
    LAP_ON_CHIP(4)
    rank_bodies(block, b, s, c);
    if (s.stuck) return;
    list_sides(block, b, s, c);
    block.each(b.body_count + 1, [&](int r) { write_velocity(b, s, c, r); });
    LAP_ON_CHIP(5)
    block.each(b.body_count, [&](int r) { factor_rank(b, s, c, r); });
    LAP_ON_CHIP(6)
}

/* The forces of a step that was taken. */
TN_DEVICE inline void keep_touches(const Block &block, const Worlds &b, const ChipWorld &s)
{
    if (s.bad) return;
    forget_forces(block, b, s);
    block.each(s.contact_count, [&](int i) {
        keep_force(b, s, i, s.key[i], s.key_geom[i], i == 0 || s.key_geom[i - 1] != s.key_geom[i],
                   s.lambda[i]);
    });
}

TN_DEVICE inline void end_records(const Block &block, const Worlds &b, ChipWorld &s)
{
    LAPS_START
    block.each(6 * b.body_count, [&](int k) { s.v_end[k] += s.systems[k / 6].v_free[k % 6]; });
    advance_world(block, b, s);
    LAP_ON_CHIP(9)
    keep_touches(block, b, s);
    LAP_ON_CHIP(10)
}

/* ---- all of a step by one block, until a tolerance is reached ---- */

TN_DEVICE __noinline__ inline void begin_on_chip(const Worlds &b, ChipWorld &s, int w)
{
    const Block block = block_of(s);
    const Chip c = chip_of(b, s);
    find_pairs(block, b, s, w);
    if (!s.stuck) look_at_others<ANY>(block, b, s, c);
    if (!s.stuck) write_records(block, b, s, c);
}

TN_DEVICE __noinline__ inline void end_on_chip(const Worlds &b, ChipWorld &s)
{
    end_records(block_of(s), b, s);
}

/* All steps that a world has to go, or up to one that does not fit. */
TN_DEVICE inline void run_on_chip(const Worlds &b, ChipWorld &s, int w)
{
    const Block block = block_of(s);
    while (is_on(b, w)) {
        block.sync(); /* all have seen how many are left */
        begin_on_chip(b, s, w);
        if (s.stuck) break;
        LAPS_START
        solve_on_chip(b, s);
        LAP_ON_CHIP(7)
        end_on_chip(b, s);
    }
    block.sync();
}

/* ---- a number of iterations: parts that hand on what is carried ---- */

/* Where a world is kept between the parts. */
TN_DEVICE inline ChipWorld *kept_chip(const Worlds &b, int w)
{
    return (ChipWorld *)(b.chip_scratch + (size_t)(w - b.first) * b.chip_scratch_size);
}

TN_DEVICE inline void find_part(const Block &block, const Worlds &b, ChipWorld &s, char *pool,
                                int w)
{
    Chip c;
    lay_out_search(b, c, pool);
    open_block(block, b, s, c, (char *)(kept_chip(b, w) + 1), true);
    find_pairs(block, b, s, w);
}

/* Where parts that begin find what the ones before left. */
TN_DEVICE inline Chip carried_chip(const Worlds &b, const ChipWorld &s, char *pool)
{
    Chip c;
    lay_out_search(b, c, pool);
    use_carry(c, s.carry);
    return c;
}

/* From device memory to shared memory and registers, and back. */
TN_DEVICE inline void iterate_part(const Block &block, const Worlds &b, ChipWorld &s, const Chip &c)
{
    int n = b.body_count, contacts = s.contact_count;
    const Carry from = s.carry;
    block.each(n + 1, [&](int i) {
        c.v4[i] = from.v4[i];
        c.v2[i] = from.v2[i];
    });
    block.each(n, [&](int i) {
        c.fill[i] = from.fill[i];
        c.order[i] = from.order[i];
    });
    block.each(n / 32 + 1, [&](int i) { c.slice[i] = from.slice[i]; });
    block.each(contacts, [&](int i) {
        c.arm_a[i] = from.arm_a[i];
        c.arm_b[i] = from.arm_b[i];
        c.normal[i] = from.normal[i];
        c.total[i] = from.total[i];
        c.ends[i] = from.ends[i];
        c.places[i] = from.places[i];
    });
    iterate_records<false>(block, b, s, c, b.iterations, true);
}

TN_DEVICE inline void end_part(const Block &block, const Worlds &b, ChipWorld &s)
{
    Chip c{};
    use_carry(c, s.carry);
    judge_records(block, b, s, c);
    end_records(block, b, s);
}

} // namespace tn
#endif
