/* broad.h: pairs whose swept boxes meet.
 *
 * Geoms of similar size are in one of TN_LEVELS grids, sorted by cell along a Morton curve. A grid
 * has 2^bits cells along each axis, about two for each geom, and goes on from its other end: a
 * table has the first member of each cell. The order along the curve is the order of pairs and
 * contacts and of the bodies in the iteration: neighbours in memory are neighbours in space. */
#ifndef TN_GPU_BROAD_H
#define TN_GPU_BROAD_H

#include "data.h"
#include "in_order.h"

namespace tn
{

TN_DEVICE inline uint32_t spread(int cell, int bits)
{
    uint32_t x = (uint32_t)cell & ((1u << bits) - 1);
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

TN_DEVICE inline int cell_of(float x, float per_cell) { return (int)floorf(x * per_cell); }

/* Cells that are 2^bits apart share a key: a search compares the cell as well. */
TN_DEVICE inline int cell_key(const Base &s, int level, int x, int y, int z)
{
    return (int)((uint32_t)level << 3 * s.cell_bits | spread(x, s.cell_bits) |
                 spread(y, s.cell_bits) << 1 | spread(z, s.cell_bits) << 2);
}

TN_DEVICE inline bool in_cell(const Base &s, const TnBounds &m, int level, int x, int y, int z)
{
    float cell = s.per_cell[level];
    return cell_of(m.c[0], cell) == x && cell_of(m.c[1], cell) == y && cell_of(m.c[2], cell) == z;
}

/* Or the two may be an explicit pair. */
TN_DEVICE inline bool masks_meet(const TnSlot *a, const TnSlot *b)
{
    return ((a->type_mask & b->affinity_mask) | (b->type_mask & a->affinity_mask) |
            (uint32_t)(a->special & b->special & 1)) != 0;
}

TN_DEVICE inline bool is_pair(const TnCollider *c, const TnBounds &box, const TnBounds &m)
{
    if (!tn_bounds_meet(&m, &box)) return false;
    const TnSlot *a = &c->slots[box.slot], *b = &c->slots[m.slot];
    return !tn_never_meet(a, b) && masks_meet(a, b);
}

/* take(slot) for each member of a level's grid that is wanted and meets the box, in one of the
 * lanes' shares of the cells. */
template <class W, class F>
TN_DEVICE inline void each_in_grid(const Base &s, const TnBounds &box, int level, int lane,
                                   W wanted, F take)
{
    const TnCollider *c = s.collider;
    int low[3], count[3];
    float cells = 1.0f;
    for (int k = 0; k < 3; k++) {
        /* a little more, for rounding */
        float reach =
            1.000001f * (box.h[k] + float_of(s.reach[3 * level + k])) + 1e-6f * fabsf(box.c[k]);
        low[k] = cell_of(box.c[k] - reach, s.per_cell[level]);
        count[k] = cell_of(box.c[k] + reach, s.per_cell[level]) - low[k] + 1;
        cells *= (float)count[k];
    }
    if (cells > (float)s.finite_count) { /* then all members are fewer */
        for (int m = lane; m < s.finite_count; m += s.lanes) {
            const Box other = s.members[m];
            if (wanted(other.slot) && s.level[other.slot] == level && is_pair(c, box, other))
                take(other.slot);
        }
        return;
    }
    /* a lane has rows of cells along x */
    for (int row = lane; row < count[1] * count[2]; row += s.lanes) {
        int y = low[1] + row % count[1], z = low[2] + row / count[1];
        uint32_t others = (uint32_t)cell_key(s, level, 0, y, z);
        for (int x = low[0]; x < low[0] + count[0]; x++) {
            const int *cell = s.cell_start + (others | spread(x, s.cell_bits));
            int end = cell[1];
            for (int m = cell[0]; m < end; m++) {
                const Box other = s.members[m];
                if (wanted(other.slot) && is_pair(c, box, other) &&
                    in_cell(s, other, level, x, y, z))
                    take(other.slot);
            }
        }
    }
}

/* take(slot) for each wanted partner of a moving geom, always in the same order. `above`: only
 * those with a higher slot are wanted. */
template <class W, class F>
TN_DEVICE inline void each_partner(const Base &s, const TnBounds &box, int lane, bool above,
                                   W wanted, F take)
{
    const TnCollider *c = s.collider;
    for (int level = 0; level < s.level_count; level++)
        if (!above || s.last_slot[level] > box.slot)
            each_in_grid(s, box, level, lane, wanted, take);
    for (int i = lane; i < s.few_count; i += s.lanes)
        if (wanted(s.few[i]) && is_pair(c, box, c->bounds[s.few[i]])) take(s.few[i]);
    for (int k = s.finite_count + lane; k < s.slot_count; k += s.lanes)
        if (masks_meet(&c->slots[box.slot], &c->slots[k]) &&
            tn_box_meets_plane(s.detection[0], &box, k))
            take(k);
}

/* What a step counts and finds begins empty; one kernel, since each takes its time to start. */
inline void begin_step(Queue &q, const Base &s)
{
    int places = TN_PARTS * s.geom_count, points = s.some_hard ? s.pair_room + 1 : 0, most = points;
    for (int n :
         {s.cell_count, s.all_count + 1, places, TN_ARRIVED_COUNT, (int)sizeof(Outcome) / 4})
        if (n > most) most = n;
    each(q, most, nullptr, [=] TN_DEVICE(int i) {
        if (i < s.cell_count) s.cell_members[i] = 0;
        if (i < points) s.pair_points[i] = 0;
        if (i <= s.all_count) s.side_count[i] = s.side_fill[i] = 0;
        if (i < places) s.new_count[i] = 0;
        if (i < 3 * TN_LEVELS) s.reach[i] = 0;
        if (i < TN_ARRIVED_COUNT) s.arrived[i] = 0;
        if (i < (int)sizeof(Outcome) / 4) ((int *)s.outcome)[i] = 0;
    });
}

/* Takes a slot with these bounds into its cell; one that is in no grid into the last. */
TN_DEVICE inline void enter_cell(const Base &s, int slot, const TnBounds &b)
{
    int level = s.level[slot], key = s.cell_count - 2;
    if (level >= 0) {
        float cell = s.per_cell[level];
        for (int k = 0; k < 3; k++) atomic_max(&s.reach[3 * level + k], bits_of(b.h[k]));
        key =
            cell_key(s, level, cell_of(b.c[0], cell), cell_of(b.c[1], cell), cell_of(b.c[2], cell));
    }
    s.keys[slot] = key;
    s.nth[slot] = atomic_add(&s.cell_members[key], 1);
}

/* Members in their order along the curve, those of a cell by their slots. The bodies of `one_each`
 * did enter when they were placed. */
inline void sort_members(Queue &q, const Base &s)
{
    int n = s.finite_count;
    if (!s.one_each)
        each(q, n, nullptr, [=] TN_DEVICE(int slot) {
            double h[3];
            tn_bounds_place(s.detection[0], slot, h);
            tn_bounds_sweep(s.detection[0], slot, h);
            enter_cell(s, slot, s.collider->bounds[slot]);
        });
    sum_in_order(q, s.order, s.cell_members, s.cell_start, s.cell_count);
    each(q, n, nullptr,
         [=] TN_DEVICE(int slot) { s.slots_in[s.cell_start[s.keys[slot]] + s.nth[slot]] = slot; });
    each(q, n, nullptr, [=] TN_DEVICE(int k) {
        int slot = s.slots_in[k], key = s.keys[slot], i = s.cell_start[key];
        for (int other = i, end = s.cell_start[key + 1]; other < end; other++)
            i += s.slots_in[other] < slot;
        s.sorted_slots[i] = slot;
        (TnBounds &)s.members[i] = s.collider->bounds[slot];
        int body = s.slot_body[slot];
        if (s.one_each) {
            s.rank[body] = i;
            s.body_at[i] = body;
        } else {
            s.is_first[i] = body >= 0 && s.first_slot[body] == slot;
        }
    });
    if (s.one_each) return;
    sum_in_order(q, s.order, s.is_first, s.rank_start, n);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        if (!s.is_first[i]) return;
        int body = s.slot_body[s.sorted_slots[i]];
        s.rank[body] = s.rank_start[i];
        s.body_at[s.rank_start[i]] = body;
    });
}

/* The pairs that lane k % lanes of member k / lanes finds, in this order. */
inline void find_pairs(Queue &q, const Base &s)
{
    struct Found {
        int count;
    };
    int n = s.lanes * s.finite_count;
    sort_members(q, s);
    each_in_order(
        q, n, nullptr, s.order,
        [=] TN_DEVICE(int i) {
            Found found = {0};
            if (i < 0) return found;
            const Box box = s.members[i / s.lanes];
            if (box.slot < s.moving_count)
                each_partner(
                    s, box, i % s.lanes, true, [&](int other) { return other > box.slot; },
                    [&](int other) {
                        if (found.count < TN_PARTNERS) s.partners[found.count * n + i] = other;
                        found.count++;
                    });
            return found;
        },
        [=] TN_DEVICE(int i, Found found, int at) {
            if (!found.count) return;
            int slot = s.members[i / s.lanes].slot;
            auto list = [&](int other) {
                if (at < s.pair_room) s.pair1[at] = slot, s.pair2[at] = other;
                at++;
            };
            if (found.count <= TN_PARTNERS)
                for (int k = 0; k < found.count; k++) list(s.partners[k * n + i]);
            else
                each_partner(
                    s, s.members[i / s.lanes], i % s.lanes, true,
                    [&](int other) { return other > slot; }, list);
        },
        [=] TN_DEVICE(int sum) {
            s.outcome->lists.pairs_needed = sum;
            s.outcome->lists.pair_count = sum > s.pair_room ? 0 : sum;
        });
}

} // namespace tn
#endif
