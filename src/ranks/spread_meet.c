/* spread_meet.c: which bodies of other ranks are near own ones; see spread.h.
 *
 * A body has a reach: the radius about its place within which it can touch something until
 * neighbours are found anew. Two bodies are near if their distance is no more than the sum of their
 * reaches, so both ranks find the same pairs from the same numbers. Boxes save most of the looks.
 * Own bodies in the order of the curve have a box about every 16 of them (a block), and one about
 * every 64th of the blocks; the latter are told to all ranks. Bodies of blocks that may be near a
 * rank's boxes are sent to it, with their states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

/* A body has room for the least that a step asks for: a share of its size, a step at its speed and
 * a fall (farthest in spread.c); and for some more, by the margin. */
#define SHARE 0.3
#define STEPS 3.0
#define BLOCK 16 /* bodies in a block */
#define BOXES 64 /* that a rank tells of */
/* What is farther, in sizes, from a rank's boxes is not sent to it; bodies near the boundary may
 * get half as far. */
#define FAR_SIZES 4.0

/* About some bodies of one rank. */
typedef struct Box {
    double low[3], high[3];             /* of their places, */
    double reach_low[3], reach_high[3]; /* and with all that they may reach */
} Box;

static const Box nothing = {{INFINITY, INFINITY, INFINITY},
                            {-INFINITY, -INFINITY, -INFINITY},
                            {INFINITY, INFINITY, INFINITY},
                            {-INFINITY, -INFINITY, -INFINITY}};

typedef struct Block {
    Box box;
    int first, end; /* bodies */
    double room;    /* m: so much each of them has, if not more of its own */
} Block;

typedef struct Meeting {
    TnWorld *world;
    const TnSpread *spread;
    const TnRanks *ranks;
    int rank, ranks_count;
    double size; /* m: of a body, with how far ahead contacts are listed */
    double far;
    TnSpreadBody *own;
    int own_count;
    int *order; /* own bodies by the curve */
    Block *blocks;
    int block_count, per_box; /* blocks */
    Box *boxes;               /* BOXES of each rank */
    int *with, with_count;    /* ranks that are told of some blocks */
    char *came;               /* their bodies, */
    size_t *start;            /* and where each one's begin, bytes */
    bool *told;               /* per own body: the rank at hand has it, */
    double *most;             /* and m: its room, as far as movers are concerned */
    TnMeeting *out;
    int send_capacity, ghost_capacity;
} Meeting;

/* ---- reach ---- */

double tn_spread_room(const TnWorld *world, double speed)
{
    double t = world->t, fall = t * t * v3_norm(world->model->option.gravity);
    double size = world->spread->scene.size, way = t * speed;
    return SHARE * size + TN_SWEPT * (way + fall) +
           world->spread->margin * (SHARE * size + STEPS * (fall + way));
}

/* m: so far it may get until then, the way of the step to come included. */
static double room_of(const TnWorld *world, const TnSpreadBody *body)
{
    const double *v = body->numbers + 7;
    double more = tn_spread_watches(world) ? world->spread->more_room : 0.0;
    return tn_spread_room(world, v3_norm(v) + v3_norm(v + 3) * body->lever) + body->pushed + more;
}

/* ---- boxes ---- */

static void add_body(Box *box, const TnSpreadBody *body)
{
    for (int i = 0; i < 3; i++) {
        double x = body->numbers[i];
        box->low[i] = fmin(box->low[i], x);
        box->high[i] = fmax(box->high[i], x);
        box->reach_low[i] = fmin(box->reach_low[i], x - body->reach);
        box->reach_high[i] = fmax(box->reach_high[i], x + body->reach);
    }
}

static void add_box(Box *box, const Box *other)
{
    for (int i = 0; i < 3; i++) {
        box->low[i] = fmin(box->low[i], other->low[i]);
        box->high[i] = fmax(box->high[i], other->high[i]);
        box->reach_low[i] = fmin(box->reach_low[i], other->reach_low[i]);
        box->reach_high[i] = fmax(box->reach_high[i], other->reach_high[i]);
    }
}

/* m along some axis; below zero where they overlap along all. */
static double gap_between(const double low1[3], const double high1[3], const double low2[3],
                          const double high2[3])
{
    double gap = -INFINITY;
    for (int i = 0; i < 3; i++) gap = fmax(gap, fmax(low1[i] - high2[i], low2[i] - high1[i]));
    return gap;
}

static double reach_gap(const Box *a, const Box *b)
{
    return gap_between(a->reach_low, a->reach_high, b->reach_low, b->reach_high);
}

/* How far bodies in one box may get for all that those in the other do: half of the way to their
 * places, and no more than to what they reach. */
static double room_between(const Meeting *m, const Box *a, const Box *b)
{
    double half = 0.5 * gap_between(a->low, a->high, b->low, b->high);
    return fmin(half, gap_between(a->low, a->high, b->reach_low, b->reach_high)) - m->size;
}

/* Own bodies in the order of the curve, their blocks and boxes. */
static bool make_blocks(Meeting *m)
{
    int n = m->own_count;
    TnPlace *places = tn_malloc(sizeof *places * (size_t)(n + 1));
    m->order = tn_malloc(sizeof *m->order * (size_t)(n + 1));
    m->blocks = tn_malloc(sizeof *m->blocks * (size_t)(n / BLOCK + 1));
    bool ok = places && m->order && m->blocks;
    for (int i = 0; ok && i < n; i++)
        places[i] = (TnPlace){tn_curve_key(&m->spread->curve, m->own[i].numbers), i};
    ok = ok && tn_curve_sort(places, n);
    for (int i = 0; ok && i < n; i++) m->order[i] = places[i].s;
    tn_free(places);
    m->block_count = (n + BLOCK - 1) / BLOCK;
    m->per_box = (m->block_count + BOXES - 1) / BOXES;
    for (int b = 0; ok && b < m->block_count; b++) {
        Block *block = &m->blocks[b];
        int end = BLOCK * (b + 1) < n ? BLOCK * (b + 1) : n;
        *block = (Block){.box = nothing, .first = BLOCK * b, .end = end, .room = INFINITY};
        for (int k = block->first; k < end; k++) add_body(&block->box, &m->own[m->order[k]]);
    }
    return ok;
}

static Box *boxes_of(const Meeting *m, int rank) { return m->boxes + (long)BOXES * rank; }

static bool tell_boxes(Meeting *m)
{
    size_t *start = tn_malloc(sizeof *start * (size_t)(m->ranks_count + 1));
    m->boxes = tn_malloc(sizeof *m->boxes * BOXES * (size_t)m->ranks_count);
    if (!start || !m->boxes) {
        tn_free(start);
        return false;
    }
    for (int k = 0; k < BOXES; k++) {
        Box *box = &boxes_of(m, m->rank)[k];
        *box = nothing;
        for (int b = k * m->per_box; b < (k + 1) * m->per_box && b < m->block_count; b++)
            add_box(box, &m->blocks[b].box);
    }
    for (int r = 0; r <= m->ranks_count; r++) start[r] = sizeof *m->boxes * BOXES * (size_t)r;
    tn_ranks_share(m->ranks, m->boxes, start);
    tn_free(start);
    return true;
}

/* ---- which ranks are told of which bodies ---- */

/* A body that is not near the rank's boxes is sent to it for a mover. */
static bool is_extra(const Meeting *m, const bool *marked, int k)
{
    return !marked[k / BLOCK] && m->own[m->order[k]].shared;
}

/* Own blocks that may be near a rank's boxes are marked; the others' room ends there. */
static bool mark_blocks(Meeting *m, int rank, bool *marked)
{
    const Box *mine = boxes_of(m, m->rank), *its = boxes_of(m, rank);
    bool any = false;
    memset(marked, 0, (size_t)m->block_count);
    for (int k = 0; k < BOXES; k++)
        for (int j = 0; j < BOXES; j++) {
            int end = (k + 1) * m->per_box < m->block_count ? (k + 1) * m->per_box : m->block_count;
            bool close = reach_gap(&mine[k], &its[j]) < m->far;
            double room = room_between(m, &mine[k], &its[j]);
            any |= close;
            for (int b = k * m->per_box; b < end; b++) {
                Block *block = &m->blocks[b];
                if (!close) {
                    if (room >= block->room) continue;
                    block->room = fmin(block->room, room_between(m, &block->box, &its[j]));
                } else if (reach_gap(&block->box, &its[j]) < m->far) {
                    marked[b] = true;
                    block->room = fmin(block->room, 0.5 * m->far - m->size);
                } else {
                    block->room = fmin(block->room, room_between(m, &block->box, &its[j]));
                }
            }
        }
    return any; /* the other rank finds the same */
}

/* Bodies go to the ranks that may be near them, and come from there. */
static bool send_blocks(Meeting *m)
{
    int n = m->ranks_count;
    bool *marked = tn_malloc((size_t)m->block_count + 1), ok = marked;
    char **out = tn_calloc((size_t)n, sizeof *out);
    size_t *bytes = tn_calloc((size_t)n + 1, sizeof *bytes);
    m->with = tn_malloc(sizeof *m->with * (size_t)n);
    m->start = tn_malloc(sizeof *m->start * (size_t)(n + 1));
    ok = ok && out && bytes && m->with && m->start;
    for (int r = 0; ok && r < n; r++) {
        if (r == m->rank ||
            (!mark_blocks(m, r, marked) && !tn_spread_share_movers(m->spread, m->rank, r)))
            continue;
        int count = 0;
        tn_spread_mark_for(m->spread, r, m->own, m->own_count);
        for (int k = 0; k < m->own_count; k++) count += is_extra(m, marked, k);
        for (int b = 0; b < m->block_count; b++)
            count += marked[b] ? m->blocks[b].end - m->blocks[b].first : 0;
        TnSpreadBody *to = tn_malloc(sizeof *to * (size_t)(count + 1));
        ok = to;
        out[m->with_count] = (char *)to;
        bytes[m->with_count] = sizeof *to * (size_t)count;
        m->with[m->with_count++] = r;
        for (int b = 0; ok && b < m->block_count; b++)
            for (int k = m->blocks[b].first; marked[b] && k < m->blocks[b].end; k++)
                *to++ = m->own[m->order[k]];
        for (int k = 0; ok && k < m->own_count; k++)
            if (is_extra(m, marked, k)) *to++ = m->own[m->order[k]];
    }
    if (ok)
        m->came = tn_spread_swap(m->ranks, m->with, m->with_count, (const char *const *)out, bytes,
                                 m->start);
    for (int i = 0; out && i < m->with_count; i++) tn_free(out[i]);
    tn_free(out);
    tn_free(bytes);
    tn_free(marked);
    return ok && m->came;
}

/* ---- neighbours ---- */

/* The same for both ranks, and never where blocks say no. */
static bool is_near(const TnSpreadBody *a, const TnSpreadBody *b)
{
    double sum = a->reach + b->reach, d[3];
    bool meet = true;
    for (int i = 0; i < 3; i++) {
        double x = a->numbers[i], y = b->numbers[i];
        meet &= x - a->reach <= y + b->reach && y - b->reach <= x + a->reach;
        d[i] = x - y;
    }
    return meet && v3_dot(d, d) <= sum * sum;
}

/* A body's reach meets what some others reach. */
static bool may_be_near(const TnSpreadBody *a, const Box *its)
{
    bool meet = true;
    for (int i = 0; i < 3; i++) {
        double x = a->numbers[i];
        meet &= x - a->reach <= its->reach_high[i] && its->reach_low[i] <= x + a->reach;
    }
    return meet;
}

/* `ghost`: per body of the other's block. */
static void compare(const Meeting *m, const Block *own, const Box *box, const TnSpreadBody *its,
                    int count, bool *ghost)
{
    for (int k = own->first; k < own->end; k++) {
        const TnSpreadBody *a = &m->own[m->order[k]];
        bool *told = &m->told[m->order[k]];
        if (!may_be_near(a, box)) continue;
        for (int j = 0; j < count; j++) {
            if ((*told && ghost[j]) || !is_near(a, &its[j])) continue;
            ghost[j] = true;
            *told = true;
        }
    }
}

static bool add_ghost(Meeting *m, int rank, const TnSpreadBody *body)
{
    TnMeeting *out = m->out;
    if (out->ghost_count == m->ghost_capacity) {
        size_t capacity = 2 * (size_t)m->ghost_capacity + 256;
        TnSpreadBody *ghosts = tn_realloc(out->ghosts, sizeof *ghosts * capacity);
        if (ghosts) out->ghosts = ghosts;
        int *owner = tn_realloc(out->owner, sizeof *owner * capacity);
        if (owner) out->owner = owner;
        if (!ghosts || !owner) return false;
        m->ghost_capacity = (int)capacity;
    }
    out->owner[out->ghost_count] = rank;
    out->ghosts[out->ghost_count++] = *body;
    return true;
}

static bool add_send(Meeting *m, int rank, int own)
{
    TnMeeting *out = m->out;
    if (out->send_count == m->send_capacity) {
        int capacity = 2 * m->send_capacity + 256;
        TnPlace *sends = tn_realloc(out->sends, sizeof *sends * (size_t)capacity);
        if (!sends) return false;
        out->sends = sends;
        m->send_capacity = capacity;
    }
    out->sends[out->send_count++] = (TnPlace){(uint64_t)rank, (int)m->own[own].number};
    return true;
}

/* Some bodies of a rank, most of which follow each other on the curve. */
static bool meet_block(Meeting *m, int rank, const TnSpreadBody *its, int count)
{
    const Box *mine = boxes_of(m, m->rank);
    Box box = nothing;
    bool ghost[BLOCK] = {false}, ok = true;
    for (int j = 0; j < count; j++) {
        add_body(&box, &its[j]);
        ghost[j] = its[j].shared;
    }
    for (int k = 0; k < BOXES; k++) {
        int end = (k + 1) * m->per_box < m->block_count ? (k + 1) * m->per_box : m->block_count;
        if (!(reach_gap(&mine[k], &box) < m->far)) continue;
        for (int b = k * m->per_box; b < end; b++) {
            Block *block = &m->blocks[b];
            block->room = fmin(block->room, room_between(m, &block->box, &box));
            if (reach_gap(&block->box, &box) <= 0.0) compare(m, block, &box, its, count, ghost);
        }
    }
    for (int j = 0; ok && j < count; j++) ok = !ghost[j] || add_ghost(m, rank, &its[j]);
    return ok;
}

static bool meet_rank(Meeting *m, int i)
{
    const TnSpreadBody *its = (const TnSpreadBody *)(m->came + m->start[i]);
    int count = (int)((m->start[i + 1] - m->start[i]) / sizeof *its), rank = m->with[i],
        first = m->out->ghost_count;
    bool ok = true;
    tn_spread_mark_for(m->spread, rank, m->own, m->own_count);
    for (int k = 0; k < m->own_count; k++) m->told[k] = m->own[k].shared;
    for (int k = 0; ok && k < count; k += BLOCK)
        ok = meet_block(m, rank, its + k, k + BLOCK < count ? BLOCK : count - k);
    if (m->out->ghost_count > first)
        qsort(m->out->ghosts + first, (size_t)(m->out->ghost_count - first), sizeof *m->out->ghosts,
              tn_spread_by_number);
    for (int k = 0; ok && k < m->own_count; k++) ok = !m->told[k] || add_send(m, rank, k);
    return ok;
}

/* ---- together ---- */

static bool meet_others(Meeting *m)
{
    m->told = tn_malloc((size_t)m->own_count + 1);
    bool ok = m->told && make_blocks(m) && tell_boxes(m) && send_blocks(m);
    for (int i = 0; ok && i < m->with_count; i++) ok = meet_rank(m, i);
    for (int b = 0; ok && b < m->block_count; b++)
        for (int k = m->blocks[b].first; k < m->blocks[b].end; k++) {
            double *room = &m->out->room[m->order[k]];
            *room = fmax(*room, fmin(m->blocks[b].room, m->most[m->order[k]]));
        }
    return ok;
}

bool tn_spread_meet(TnWorld *world, TnOwned *own, TnMeeting *out)
{
    const TnRanks *ranks = world->def.ranks;
    double slack = tn_world_velocity_scale(world) * world->t;
    Meeting m = {.world = world,
                 .spread = world->spread,
                 .ranks = ranks,
                 .rank = ranks ? ranks->rank : 0,
                 .ranks_count = tn_ranks_count(ranks),
                 .size = world->spread->scene.size + 0.5 * slack,
                 .far = FAR_SIZES * world->spread->scene.size,
                 .own = own->bodies,
                 .own_count = own->count,
                 .out = out};
    *out = (TnMeeting){.room = tn_malloc(sizeof(double) * (size_t)(own->count + 1))};
    m.most = tn_malloc(sizeof(double) * (size_t)(own->count + 1));
    bool ok = out->room && m.most && tn_spread_set_more_room(world);
    for (int i = 0; ok && i < own->count; i++) {
        out->room[i] = room_of(world, &own->bodies[i]);
        own->bodies[i].reach = m.size + out->room[i];
    }
    ok = ok && tn_spread_meet_movers(world, own, m.size, m.most) &&
         (m.ranks_count == 1 || meet_others(&m));
    void *const all[] = {m.order, m.blocks, m.boxes, m.with, m.came, m.start, m.told, m.most};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    return ok;
}
