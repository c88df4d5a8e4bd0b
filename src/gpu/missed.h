/* missed.h: contacts that the prediction missed (step/missed.c says why).
 *
 * Once the motion is found, geoms of bodies that get elsewhere than expected look once more, with
 * boxes over that motion. Boxes keep their centres, so the cells of the broad phase stay. */
#ifndef TN_GPU_MISSED_H
#define TN_GPU_MISSED_H

#include "broad.h"

namespace tn
{

/* Seen in the way in which fewer are surprised. */
TN_DEVICE inline bool is_marked(const Base &s, int slot)
{
    if (slot >= s.moving_count) return false;
    const int *count = s.outcome->judged.surprised;
    int seen = count[0] < count[1] ? 0 : 1;
    return s.marks[s.collider->slots[slot].link] >> seen & 1;
}

/* How many pairs a lane of a member looks at; with at >= 0 they are listed from there on. */
TN_DEVICE inline int look_around(const Base &s, int i, int at)
{
    const Box box = s.members[i / s.lanes];
    int count = 0;
    if (!is_marked(s, box.slot)) return 0;
    each_partner(
        s, box, i % s.lanes, false,
        [&](int other) { return other > box.slot || (other != box.slot && !is_marked(s, other)); },
        [&](int other) {
            if (at >= 0 && at + count < s.look_room) {
                s.raw1[at + count] = other > box.slot ? box.slot : other;
                s.raw2[at + count] = other > box.slot ? other : box.slot;
            }
            count++;
        });
    return count;
}

inline void find_missed(Queue &q, const Base &s)
{
    int n = s.finite_count;
    device_clear(q, &s.outcome->look, sizeof(Look));
    device_clear(q, s.reach, sizeof(int) * 3 * TN_LEVELS);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        int slot = s.sorted_slots[i], level = s.level[slot];
        if (slot < s.moving_count) {
            double h[3];
            tn_bounds_place(s.found[0], slot, h);
            tn_bounds_sweep(s.found[0], slot, h);
        }
        const TnBounds b = s.collider->bounds[slot];
        (TnBounds &)s.members[i] = b;
        for (int k = 0; k < 3 && level >= 0; k++)
            atomic_max(&s.reach[3 * level + k], bits_of(b.h[k]));
    });
    struct Found {
        int count;
    };
    each_in_order(
        q, s.lanes * n, nullptr, s.order,
        [=] TN_DEVICE(int i) { return Found{i >= 0 ? look_around(s, i, -1) : 0}; },
        [=] TN_DEVICE(int i, Found found, int at) {
            if (found.count) look_around(s, i, at);
        },
        [=] TN_DEVICE(int sum) {
            s.outcome->look.pairs_needed = sum;
            s.outcome->look.pair_count = sum > s.look_room ? 0 : sum;
        });
    /* contacts of one geom follow each other */
    const int *count = &s.outcome->look.pair_count;
    each(q, s.look_room, nullptr, [=] TN_DEVICE(int i) {
        s.raw_order[i] = i;
        s.raw_keys[i] = i < *count ? (uint32_t)s.raw1[i] : TN_EMPTY;
    });
    sort(q, s.raw_keys, s.look_keys, s.raw_order, s.look_order, s.look_room);
    each(q, s.look_room, count, [=] TN_DEVICE(int i) {
        s.look1[i] = s.raw1[s.look_order[i]];
        s.look2[i] = s.raw2[s.look_order[i]];
    });
    find_missed_points(q, s);
}

inline void add_missed(Queue &q, const Base &s)
{
    each(q, 1, nullptr, [=] TN_DEVICE(int) {
        Lists *lists = &s.outcome->lists;
        lists->solved = lists->contact_count;
        lists->contact_count += s.outcome->look.missed;
        if (lists->passes++ == 0) lists->second_start = lists->contact_count;
    });
}

} // namespace tn
#endif
