/* broad.h: pairs whose swept boxes meet.
 *
 * Geoms of similar size are in one of TN_LEVELS grids, sorted by cell along a Morton curve; a hash
 * table finds a cell's first member. The order along the curve is the order of pairs and contacts
 * and of the bodies in the iteration: neighbours in memory are neighbours in space. */
#ifndef TN_GPU_BROAD_H
#define TN_GPU_BROAD_H

#include "data.h"

namespace tn
{

TN_DEVICE inline uint32_t spread(uint32_t x)
{
    x &= TN_CELLS - 1;
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

TN_DEVICE inline int cell_of(float x, float per_cell) { return (int)floorf(x * per_cell); }

/* Cells beyond TN_CELLS share keys: whoever looks compares the cell as well. */
TN_DEVICE inline uint32_t cell_key(int level, int x, int y, int z)
{
    return (uint32_t)level << 3 * TN_CELL_BITS | spread((uint32_t)x) | spread((uint32_t)y) << 1 |
           spread((uint32_t)z) << 2;
}

TN_DEVICE inline uint32_t hash_key(uint32_t key)
{
    key ^= key >> 15;
    key *= 0x2c1b3c6du;
    return key ^ key >> 12;
}

TN_DEVICE inline bool in_cell(const Base &s, const TnBounds &m, int level, int x, int y, int z)
{
    float cell = s.per_cell[level];
    return cell_of(m.c[0], cell) == x && cell_of(m.c[1], cell) == y && cell_of(m.c[2], cell) == z;
}

TN_DEVICE inline bool masks_meet(const TnSlot *a, const TnSlot *b)
{
    return ((a->type_mask & b->affinity_mask) | (b->type_mask & a->affinity_mask)) != 0;
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
    uint32_t mask = (uint32_t)s.table_size - 1;
    int all = count[0] * count[1] * count[2];
    for (int cell = lane; cell < all; cell += s.lanes) {
        int x = low[0] + cell % count[0], y = low[1] + cell / count[0] % count[1],
            z = low[2] + cell / count[0] / count[1];
        uint32_t key = cell_key(level, x, y, z), at = hash_key(key) & mask;
        Cell found = s.table[at];
        while (found.key != key && found.key != TN_EMPTY) found = s.table[at = (at + 1) & mask];
        if (found.key == TN_EMPTY) continue;
        for (int m = found.start; m < found.start + found.count; m++) {
            const Box other = s.members[m];
            if (wanted(other.slot) && is_pair(c, box, other) && in_cell(s, other, level, x, y, z))
                take(other.slot);
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
    int places = TN_PARTS * s.geom_count, most = s.pair_room + 1;
    for (int n : {s.table_size, s.all_count + 1, places, (int)sizeof(Outcome) / 4})
        if (n > most) most = n;
    each(q, most, nullptr, [=] TN_DEVICE(int i) {
        if (i < s.table_size) s.table[i].key = TN_EMPTY;
        if (i <= s.pair_room) s.pair_points[i] = 0;
        if (i <= s.all_count) s.side_count[i] = s.side_fill[i] = 0;
        if (i < places) s.new_count[i] = 0;
        if (i < 3 * TN_LEVELS) s.reach[i] = 0;
        if (i < (int)sizeof(Outcome) / 4) ((int *)s.outcome)[i] = 0;
    });
}

/* Boxes over the free motion, and members in their order along the curve. */
inline void sort_members(Queue &q, const Base &s)
{
    int n = s.finite_count;
    each(q, n, nullptr, [=] TN_DEVICE(int slot) {
        double h[3];
        tn_bounds_place(s.detection[0], slot, h);
        tn_bounds_sweep(s.detection[0], slot, h);
        const TnBounds b = s.collider->bounds[slot];
        int level = s.level[slot];
        s.slots_in[slot] = slot;
        s.keys[slot] = TN_EMPTY;
        if (level < 0) return;
        for (int k = 0; k < 3; k++) atomic_max(&s.reach[3 * level + k], bits_of(b.h[k]));
        float cell = s.per_cell[level];
        s.keys[slot] =
            cell_key(level, cell_of(b.c[0], cell), cell_of(b.c[1], cell), cell_of(b.c[2], cell));
    });
    /* where there is one grid and nothing else */
    bool plain = s.level_count == 1 && s.few_count == 0;
    sort(q, s.keys, s.sorted_keys, s.slots_in, s.sorted_slots, n, plain ? 3 * TN_CELL_BITS : 32);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        int slot = s.sorted_slots[i];
        (TnBounds &)s.members[i] = s.collider->bounds[slot];
        int body = s.link_body[s.collider->slots[slot].link];
        if (s.one_each)
            s.rank[body] = i;
        else
            s.is_first[i] = body >= 0 && s.first_slot[body] == slot;
        uint32_t key = s.sorted_keys[i];
        if (key == TN_EMPTY || (i > 0 && s.sorted_keys[i - 1] == key)) return;
        uint32_t mask = (uint32_t)s.table_size - 1, at = hash_key(key) & mask;
        while (atomic_swap_if(&s.table[at].key, TN_EMPTY, key) != TN_EMPTY) at = (at + 1) & mask;
        int end = i + 1;
        while (end < n && s.sorted_keys[end] == key) end++;
        s.table[at].start = i;
        s.table[at].count = end - i;
    });
    if (s.one_each) return;
    scan(q, s.is_first, s.rank_start, n);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        if (s.is_first[i])
            s.rank[s.link_body[s.collider->slots[s.sorted_slots[i]].link]] = s.rank_start[i];
    });
}

/* The pairs that lane k % lanes of member k / lanes finds, in this order. */
inline void find_pairs(Queue &q, const Base &s)
{
    int n = s.lanes * s.finite_count;
    sort_members(q, s);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        const Box box = s.members[i / s.lanes];
        int count = 0;
        if (box.slot < s.moving_count)
            each_partner(
                s, box, i % s.lanes, true, [&](int other) { return other > box.slot; },
                [&](int other) {
                    if (count < TN_PARTNERS) s.partners[count * n + i] = other;
                    count++;
                });
        s.item_pairs[i] = count;
    });
    scan(q, s.item_pairs, s.item_start, n);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        int slot = s.members[i / s.lanes].slot, at = s.item_start[i], count = s.item_pairs[i];
        auto list = [&](int other) {
            if (at < s.pair_room) s.pair1[at] = slot, s.pair2[at] = other;
            at++;
        };
        if (count <= TN_PARTNERS)
            for (int k = 0; k < count; k++) list(s.partners[k * n + i]);
        else
            each_partner(
                s, s.members[i / s.lanes], i % s.lanes, true,
                [&](int other) { return other > slot; }, list);
        if (i == n - 1) {
            s.outcome->lists.pairs_needed = at;
            s.outcome->lists.pair_count = at > s.pair_room ? 0 : at;
        }
    });
}

} // namespace tn
#endif
