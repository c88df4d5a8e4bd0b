/* chip_plan.h: which thread updates which contact of a world, and where it leaves what pushes the
 * other body.
 *
 * A thread has a body and up to TN_CHIP_OWN of its contacts: it has the body's velocity, and adds
 * up their forces in registers. So each contact has an owner, one of its bodies. Owners are chosen
 * such that bodies have about the same number of contacts: one that has two more than the other
 * body of a contact hands it over, a few times. A body that still has more than a thread can have
 * gets threads that help; each of these leaves one sum.
 *
 * What a contact does to its other body is left where the thread of that body finds it: in rows,
 * one for what comes first to each body of a warp, one for what comes next. Bodies are ordered by
 * how many contacts they have: threads of a warp are done at about the same time. */
#ifndef TN_GPU_CHIP_PLAN_H
#define TN_GPU_CHIP_PLAN_H

#include "chip_data.h"

namespace tn
{

#define TN_CHIP_ROUNDS 5 /* of handing over */

/* Places in shared memory. */
struct Plan {
    int *start;         /* per pair: its first contact */
    Two16 *ends;        /* per contact: its bodies, the owner first; */
    uint16_t *record;   /* + TN_TURNED: the owner is the record's second body */
    uint16_t *place;    /* row and thread */
    uint16_t *own;      /* contacts of the owners, one body after the other */
    int *own_start;     /* per body */
    int *owns, *fill;   /* per body: contacts that it owns, */
    int *pushed;        /* and others, with the sums of threads that help */
    int *hands, *takes; /* per body: the contact that it hands over, and that it gets */
    int *key;           /* per body: by this they are ordered */
    uint16_t *rank;     /* as their threads are counted */
    int *helpers;       /* per thread of a body: the first that helps, how many before that */
    int *slice;
    int *spare;       /* contacts that push no other body; later: places that are taken */
    uint16_t *pushes; /* as those of Chip, but contacts */
};

/* Returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_plan(const Worlds &b, Plan &p, char *pool)
{
    size_t n = (size_t)b.body_count, contacts = (size_t)b.chip_contacts;
    Cursor c = {pool, 0};
    c.take(p.ends, contacts);
    c.take(p.record, contacts);
    c.take(p.own_start, n + 1);
    c.take(p.owns, n);
    c.take(p.fill, n);
    c.take(p.pushed, n);
    c.take(p.key, n + 3);
    c.take(p.rank, n);
    c.take(p.helpers, n + 1);
    c.take(p.slice, (size_t)b.chip_threads / 32 + 1);
    c.take(p.spare, 1);
    Cursor first = c; /* before owners are known */
    first.take(p.start, (size_t)b.chip_pairs + 1);
    first.take(p.hands, n);
    first.take(p.takes, n);
    c.take(p.place, contacts);
    c.take(p.own, contacts);
    c.take(p.pushes, (size_t)b.chip_pushes);
    return c.used > first.used ? c.used : first.used;
}

/* The contacts in the order of their pairs. */
TN_DEVICE inline void list_contacts(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                    const Plan &p)
{
    block.each(s.pair_count, [&](int i) { p.start[i] = c.touches[i].b; });
    block.scan(p.start, s.pair_count);
    block.once([&] {
        s.contact_count = p.start[s.pair_count];
        if (s.contact_count > b.chip_contacts) s.stuck = true;
        *p.spare = 0;
    });
    if (s.stuck) return;
    block.each(b.body_count, [&](int i) { p.owns[i] = p.pushed[i] = p.fill[i] = 0; });
    block.each(s.pair_count, [&](int i) {
        Two16 slots = c.pairs[i], touch = c.touches[i];
        uint16_t first = b.slot_body[slots.a], second = b.slot_body[slots.b];
        for (int k = 0; k < touch.b; k++) {
            int at = p.start[i] + k;
            bool turned = at & 1 && second < b.body_count; /* half of them, to begin with */
            p.ends[at] = turned ? Two16{second, first} : Two16{first, second};
            p.record[at] = (uint16_t)((touch.a + k) | (turned ? TN_TURNED : 0));
            c.list[at] = (uint16_t)(touch.a + k);
            atomic_add(&p.owns[p.ends[at].a], 1);
            atomic_add(p.ends[at].b < b.body_count ? &p.pushed[p.ends[at].b] : p.spare, 1);
        }
    });
}

/* Of all contacts that a body could hand over, it hands over the first; of all that a body could
 * get, it gets the first. */
TN_DEVICE inline void hand_over(const Block &block, const Worlds &b, const ChipHead &s,
                                const Plan &p)
{
    int n = b.body_count, contacts = s.contact_count;
    block.each(n, [&](int i) { p.hands[i] = p.takes[i] = contacts; });
    block.each(contacts, [&](int i) {
        Two16 e = p.ends[i];
        if (e.b < n && p.owns[e.a] >= p.owns[e.b] + 2) atomic_min(&p.hands[e.a], i);
    });
    block.each(n, [&](int body) {
        int i = p.hands[body];
        if (i < contacts) atomic_min(&p.takes[p.ends[i].b], i);
    });
    block.each(n, [&](int body) {
        int i = p.takes[body];
        if (i >= contacts) return;
        Two16 e = p.ends[i];
        p.ends[i] = Two16{e.b, e.a};
        p.record[i] ^= TN_TURNED;
        atomic_add(&p.owns[e.a], -1);
        atomic_add(&p.owns[e.b], 1);
        atomic_add(&p.pushed[e.a], 1);
        atomic_add(&p.pushed[e.b], -1);
    });
}

/* Threads that help a body. */
TN_DEVICE inline int help_of(int owns) { return owns > TN_CHIP_OWN ? (owns - 1) / TN_CHIP_OWN : 0; }

/* Keys are unequal: of equal bodies the first comes first. */
TN_DEVICE inline void rank_bodies(const Block &block, const Worlds &b, const Chip &c, const Plan &p)
{
    struct alignas(16) Four {
        int a, b, c, d;
    };
    int n = b.body_count, fours = (n + 3) / 4 * 4;
    block.each(n, [&](int i) {
        p.pushed[i] += help_of(p.owns[i]);
        int tasks = p.owns[i] < TN_CHIP_OWN ? p.owns[i] : TN_CHIP_OWN;
        p.key[i] = tasks << 28 | p.pushed[i] << 16 | (TN_CHIP_THREADS - i);
    });
    block.each(fours - n, [&](int i) { p.key[n + i] = 0; });
    block.each(n, [&](int i) {
        int own = p.key[i], before = 0;
        for (int k = 0; k < fours; k += 4) {
            const Four others = *(const Four *)(p.key + k);
            before += (others.a > own) + (others.b > own) + (others.c > own) + (others.d > own);
        }
        p.rank[i] = (uint16_t)before;
        c.order[before] = (uint16_t)i;
        p.helpers[before] = help_of(p.owns[i]);
        p.own_start[before] = p.owns[i];
    });
    block.scan(p.helpers, n);
    block.scan(p.own_start, n); /* bodies are their threads from here on */
}

/* Where the pushes of each warp's bodies are. Stuck where there are too many. */
TN_DEVICE inline void place_pushes(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                   const Plan &p)
{
    int n = b.body_count;
    block.each((n + 31) / 32, [&](int warp) {
        int most = 0;
        for (int r = 32 * warp; r < 32 * warp + 32 && r < n; r++) {
            int pushed = p.pushed[c.order[r]];
            most = pushed > most ? pushed : most;
        }
        p.slice[warp] = 32 * most;
        if (most > 255) s.stuck = true;
    });
    block.scan(p.slice, (n + 31) / 32);
    block.once([&] {
        int rows = p.slice[(n + 31) / 32];
        if (rows + *p.spare > b.chip_pushes || n + p.helpers[n] > b.chip_threads) s.stuck = true;
        *p.spare = rows;
    });
}

/* Numbers that follow each other `apart` from each other, in order. */
TN_DEVICE inline void sort_few(uint16_t *x, int count, int apart)
{
    for (int i = 1; i < count; i++) {
        uint16_t own = x[i * apart];
        int k = i;
        for (; k > 0 && x[(k - 1) * apart] > own; k--) x[k * apart] = x[(k - 1) * apart];
        x[k * apart] = own;
    }
}

/* The threads of a body, and their contacts: in the order of the contacts. */
TN_DEVICE inline void give_tasks(const Worlds &b, const Chip &c, const Plan &p, int r)
{
    int n = b.body_count, begin = p.own_start[r], owns = p.own_start[r + 1] - begin;
    sort_few(p.own + begin, owns, 1);
    for (int k = 0; k < owns; k++) {
        int i = p.own[begin + k],
            thread = k < TN_CHIP_OWN ? r : n + p.helpers[r] + k / TN_CHIP_OWN - 1,
            at = k % TN_CHIP_OWN * b.chip_threads + thread;
        uint16_t other = p.ends[i].b < n ? p.rank[p.ends[i].b] : (uint16_t)n,
                 turned = p.record[i] & TN_TURNED;
        p.place[i] = (uint16_t)at;
        if (other == n) c.targets[at] = (uint16_t)atomic_add(p.spare, 1);
        c.tasks[at] = Task{(uint16_t)(p.record[i] ^ turned), (uint16_t)(other | turned)};
    }
    for (int k = 0; k <= help_of(owns); k++) {
        int left = owns - k * TN_CHIP_OWN;
        c.duties[k ? n + p.helpers[r] + k - 1 : r] =
            Duty{(uint16_t)r, (uint8_t)(left < TN_CHIP_OWN ? left : TN_CHIP_OWN),
                 k ? (uint8_t)0 : (uint8_t)p.pushed[c.order[r]]};
    }
}

/* What pushes a body: contacts in their order, then the sums of threads that help. */
TN_DEVICE inline void list_pushes(const Worlds &b, const Chip &c, const Plan &p, int r)
{
    int own = p.slice[r / 32] + r % 32, help = p.helpers[r + 1] - p.helpers[r],
        contacts = p.pushed[c.order[r]] - help;
    sort_few(p.pushes + own, contacts, 32);
    for (int k = 0; k < contacts + help; k++) {
        int at = own + 32 * k, place = k < contacts ? p.place[p.pushes[at]]
                                                    : b.chip_contacts + p.helpers[r] + k - contacts;
        c.pushes[at] = (uint16_t)place; /* threads that help come behind all contacts */
        c.targets[place] = (uint16_t)at;
    }
}

TN_DEVICE inline void plan_part(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                char *pool)
{
    Plan p;
    int n = b.body_count;
    lay_out_plan(b, p, pool);
    list_contacts(block, b, s, c, p);
    if (s.stuck) return;
    for (int k = 0; k < TN_CHIP_ROUNDS; k++) hand_over(block, b, s, p);
    rank_bodies(block, b, c, p);
    place_pushes(block, b, s, c, p);
    if (s.stuck) return;
    block.each(s.contact_count, [&](int i) {
        Two16 e = p.ends[i];
        int r = p.rank[e.a];
        p.own[p.own_start[r] + atomic_add(&p.fill[r], 1)] = (uint16_t)i;
    });
    block.each(n, [&](int r) { p.fill[r] = 0; });
    block.each(s.contact_count, [&](int i) {
        Two16 e = p.ends[i];
        if (e.b >= n) return;
        int r = p.rank[e.b];
        p.pushes[p.slice[r / 32] + r % 32 + 32 * atomic_add(&p.fill[r], 1)] = (uint16_t)i;
    });
    block.each(b.chip_threads - n - p.helpers[n], [&](int k) {
        c.duties[n + p.helpers[n] + k] = Duty{(uint16_t)n, 0, 0};
        c.targets[b.chip_contacts + p.helpers[n] + k] = (uint16_t)b.chip_pushes; /* unused */
    });
    block.each(n, [&](int r) { give_tasks(b, c, p, r); });
    block.each(n, [&](int r) { list_pushes(b, c, p, r); });
    block.each((n + 31) / 32 + 1, [&](int warp) { c.slice[warp] = p.slice[warp]; });
}

} // namespace tn
#endif
