/* spread_divide.c: whose bodies are whose; see spread.h.
 *
 * Bodies stand in the order of a curve that fills space (Hilbert's), and each rank owns a range
 * of it. Ranges have equal weight: a body counts 2, and 1 for each of its
 * contacts. Who is near a rank's bodies is found by boxes about every few of them that follow each
 * other on the curve. All ranks know the whole state here, so they agree without talking. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "../model/part.h"
#include "spread.h"

#define AXIS_BITS 16 /* of a cell's place along an axis */
#define BODY_WEIGHT 2
/* A body has room for so many steps at its speed, for so many times what gravity moves it by in a
 * step, and for a share of its size. */
#define STEPS_AHEAD 4.0
#define FALLS_AHEAD 3.0
#define SIZE_SHARE 0.5
#define DIGIT_BITS 12
/* Others' bodies that are farther, in sizes, from any of a rank's are not near it. */
#define FAR_SIZES 12.0
#define BLOCK 16 /* bodies in a box */

typedef struct Place {
    uint64_t key; /* place on the curve */
    int s;
} Place;

/* Some bodies of one rank. */
typedef struct Block {
    double low[3], high[3];             /* of their places, */
    double reach_low[3], reach_high[3]; /* and with all that they may reach */
    int first, end;                     /* places on the curve */
    double room;                        /* m: so much each of them has, if not more of its own */
} Block;

typedef struct Division {
    TnWorld *world;
    TnSpread *spread;
    const TnRanks *ranks;
    int rank, ranks_count;
    double low[3], edge; /* of the cube that the curve fills, and of its cells */
    Place *places;       /* by key, then by subsystem */
    int *first;          /* per rank and one more: its places */
    double slack;        /* m: contacts are listed so far ahead */
    double *reach;       /* per subsystem, m: no farther from its place it meets anybody */
    Block *blocks;       /* of all ranks */
    int *first_block;    /* per rank and one more */
    uint8_t *here;       /* per subsystem: ABSENT, GHOST or OWN */
    int *owner;          /* per subsystem */
    Place *sends;        /* own bodies and ranks that have them, the rank as key */
    int send_count, send_capacity;
} Division;

enum { ABSENT, GHOST, OWN };

/* ---- the curve ---- */

static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

/* The place on Hilbert's curve of a cell of a cube with 2^AXIS_BITS cells along an edge, by
 * Skilling's method: axes are turned and mirrored from the largest cubes down, then Gray codes are
 * undone. */
static uint64_t hilbert_key(uint32_t x[3])
{
    uint32_t turned = 0;
    for (uint32_t bit = 1u << (AXIS_BITS - 1); bit > 1; bit >>= 1)
        for (int i = 0; i < 3; i++) {
            uint32_t below = bit - 1, swapped = (x[0] ^ x[i]) & below;
            if (x[i] & bit) {
                x[0] ^= below;
            } else {
                x[0] ^= swapped;
                x[i] ^= swapped;
            }
        }
    for (int i = 1; i < 3; i++) x[i] ^= x[i - 1];
    for (uint32_t bit = 1u << (AXIS_BITS - 1); bit > 1; bit >>= 1)
        if (x[2] & bit) turned ^= bit - 1;
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) key |= spread_bits(x[i] ^ turned) << (2 - i);
    return key;
}

static uint64_t key_of(const Division *d, const double x[3])
{
    uint32_t cell[3];
    for (int i = 0; i < 3; i++) {
        double k = (x[i] - d->low[i]) / d->edge, top = (1 << AXIS_BITS) - 1;
        cell[i] = (uint32_t)(k < top ? (k > 0.0 ? k : 0.0) : top);
    }
    return hilbert_key(cell);
}

/* By key, those of one key in their order. False: no memory. */
static bool sort_places(Place *places, int count, uint64_t all_bits)
{
    int *start = tn_malloc(sizeof *start * ((1 << DIGIT_BITS) + 1));
    Place *scratch = tn_malloc(sizeof *scratch * (size_t)(count + 1));
    bool ok = start && scratch;
    for (int shift = 0; ok && shift < 3 * AXIS_BITS; shift += DIGIT_BITS) {
        uint64_t mask = (1 << DIGIT_BITS) - 1;
        if (!(all_bits >> shift & mask)) continue;
        memset(start, 0, sizeof *start * ((1 << DIGIT_BITS) + 1));
        for (int i = 0; i < count; i++) start[(places[i].key >> shift & mask) + 1]++;
        for (int k = 0; k < 1 << DIGIT_BITS; k++) start[k + 1] += start[k];
        for (int i = 0; i < count; i++) scratch[start[places[i].key >> shift & mask]++] = places[i];
        memcpy(places, scratch, sizeof *places * (size_t)count);
    }
    tn_free(start);
    tn_free(scratch);
    return ok;
}

static const double *place_of(const Division *d, int s)
{
    return d->world->state.qpos + d->world->model->subsystems[s].qpos_start;
}

static bool order_bodies(Division *d)
{
    int n = d->world->model->subsystem_count;
    uint64_t bits = 0;
    d->places = tn_malloc(sizeof *d->places * (size_t)(n + 1));
    if (!d->places) return false;
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    v3_set(d->low, INFINITY, INFINITY, INFINITY);
    for (int s = 0; s < n; s++)
        for (int i = 0; i < 3; i++) {
            d->low[i] = fmin(d->low[i], place_of(d, s)[i]);
            high[i] = fmax(high[i], place_of(d, s)[i]);
        }
    d->edge = 1e-9 * d->spread->size;
    for (int i = 0; i < 3; i++)
        d->edge = fmax(d->edge, (high[i] - d->low[i]) * (1.0 + 1e-9) / (1 << AXIS_BITS));
    for (int i = 0; n && i < 3; i++) /* the cube is as large as everything, about its middle */
        d->low[i] = 0.5 * (d->low[i] + high[i] - d->edge * (1 << AXIS_BITS));
    for (int s = 0; s < n; s++) {
        d->places[s] = (Place){key_of(d, place_of(d, s)), s};
        bits |= d->places[s].key;
    }
    return sort_places(d->places, n, bits);
}

/* ---- whose they are ---- */

static bool give_bodies(Division *d)
{
    const TnModel *model = d->world->model;
    const TnState *state = &d->world->state;
    int n = model->subsystem_count, rank = 0;
    int *weight = tn_malloc(sizeof *weight * (size_t)(n + 1));
    d->owner = tn_malloc(sizeof *d->owner * (size_t)(n + 1));
    d->first = tn_calloc((size_t)d->ranks_count + 1, sizeof *d->first);
    bool ok = weight && d->owner && d->first;
    double total = 0.0, sum = 0.0;
    for (int s = 0; ok && s < n; s++) weight[s] = BODY_WEIGHT;
    for (int i = 0; ok && i < state->contact_count; i++) {
        int a = tn_geom_subsystem(model, state->contacts[i].geom1),
            b = tn_geom_subsystem(model, state->contacts[i].geom2);
        if (a >= 0) weight[a]++;
        if (b >= 0) weight[b]++;
    }
    for (int s = 0; ok && s < n; s++) total += weight[s];
    for (int i = 0; ok && i < n; i++) {
        while (rank + 1 < d->ranks_count && sum * d->ranks_count >= total * (rank + 1))
            d->first[++rank] = i;
        d->owner[d->places[i].s] = rank;
        sum += weight[d->places[i].s];
    }
    while (ok && rank < d->ranks_count) d->first[++rank] = n;
    tn_free(weight);
    return ok;
}

/* m: by forces that users set, in a step; space is divided for each that has some. */
static double pushed_by(const TnWorld *world, int link)
{
    const TnLink *l = &world->model->links[link];
    const double *I = l->inertia_principal, *f = world->wrench[link];
    double turns = world->spread->size * v3_norm(f + 3) / fmin(I[0], fmin(I[1], I[2]));
    return world->wrench_set ? 2.0 * world->t * world->t * (v3_norm(f) / l->mass + turns) : 0.0;
}

/* m: so far it may get before space is divided anew, the way of the step to come included. */
static double room_of(const Division *d, int s)
{
    const TnWorld *world = d->world;
    double t = world->t, fall = t * t * v3_norm(world->model->option.gravity);
    const TnSubsystem *sub = &world->model->subsystems[s];
    const double *v = world->state.qvel + sub->dof_start;
    return SIZE_SHARE * d->spread->size + FALLS_AHEAD * fall + pushed_by(world, sub->link_start) +
           STEPS_AHEAD * t * tn_near_speed(world, sub->link_start, v, v + 3);
}

static void fit_block(const Division *d, Block *b)
{
    for (int i = 0; i < 3; i++) {
        b->low[i] = b->reach_low[i] = INFINITY;
        b->high[i] = b->reach_high[i] = -INFINITY;
    }
    for (int k = b->first; k < b->end; k++) {
        int s = d->places[k].s;
        const double *x = place_of(d, s);
        for (int i = 0; i < 3; i++) {
            b->low[i] = fmin(b->low[i], x[i]);
            b->high[i] = fmax(b->high[i], x[i]);
            b->reach_low[i] = fmin(b->reach_low[i], x[i] - d->reach[s]);
            b->reach_high[i] = fmax(b->reach_high[i], x[i] + d->reach[s]);
        }
    }
}

static bool make_blocks(Division *d)
{
    int n = d->world->model->subsystem_count, count = 0;
    d->slack = tn_world_solver(d->world).velocity_scale * d->world->t;
    d->reach = tn_malloc(sizeof *d->reach * (size_t)(n + 1));
    d->blocks = tn_malloc(sizeof *d->blocks * (size_t)(n / BLOCK + d->ranks_count + 1));
    d->first_block = tn_malloc(sizeof *d->first_block * (size_t)(d->ranks_count + 1));
    if (!d->reach || !d->blocks || !d->first_block) return false;
    for (int s = 0; s < n; s++) d->reach[s] = d->spread->size + 0.5 * d->slack + room_of(d, s);
    for (int r = 0; r < d->ranks_count; r++) {
        d->first_block[r] = count;
        for (int k = d->first[r]; k < d->first[r + 1]; k += BLOCK) {
            int end = k + BLOCK < d->first[r + 1] ? k + BLOCK : d->first[r + 1];
            d->blocks[count] = (Block){.first = k, .end = end};
            fit_block(d, &d->blocks[count++]);
        }
    }
    d->first_block[d->ranks_count] = count;
    return true;
}

static bool blocks_meet(const Block *a, const Block *b)
{
    bool meet = true;
    for (int i = 0; i < 3; i++)
        meet &= a->reach_low[i] <= b->reach_high[i] && b->reach_low[i] <= a->reach_high[i];
    return meet;
}

/* The body may meet somebody of the block. */
static bool may_meet(const Division *d, int s, const Block *b)
{
    const double *x = place_of(d, s);
    double reach = d->reach[s];
    bool meet = true;
    for (int i = 0; i < 3; i++)
        meet &= x[i] + reach >= b->reach_low[i] && x[i] - reach <= b->reach_high[i];
    return meet;
}

/* At least, in m; below zero where they overlap. */
static double gap_between(const double low1[3], const double high1[3], const double low2[3],
                          const double high2[3])
{
    double gap = -INFINITY;
    for (int i = 0; i < 3; i++) gap = fmax(gap, fmax(low1[i] - high2[i], low2[i] - high1[i]));
    return gap;
}

/* Far from other ranks' bodies there is more room: half of the way to them, and no more than to
 * what they may reach. */
static void limit_room(const Division *d, Block *own, const Block *other)
{
    double size = d->spread->size + 0.5 * d->slack;
    double half = 0.5 * gap_between(own->low, own->high, other->low, other->high) - size;
    double rest = gap_between(own->low, own->high, other->reach_low, other->reach_high) - size;
    own->room = fmin(own->room, fmin(half, rest));
}

static bool note_send(Division *d, int rank, int s)
{
    if (d->send_count == d->send_capacity) {
        int capacity = 2 * d->send_capacity + 256;
        Place *sends = tn_realloc(d->sends, sizeof *sends * (size_t)capacity);
        if (!sends) return false;
        d->sends = sends;
        d->send_capacity = capacity;
    }
    d->sends[d->send_count++] = (Place){(uint64_t)rank, s};
    return true;
}

/* Own bodies that the other rank has, and its that are here. `told`: per place of this rank. */
static bool choose_with(Division *d, int other, const Block *mine, uint8_t *told)
{
    int own = d->first[d->rank];
    memset(told, 0, (size_t)(d->first[d->rank + 1] - own));
    for (int k = d->first_block[other]; k < d->first_block[other + 1]; k++) {
        const Block *b = &d->blocks[k];
        if (!blocks_meet(b, mine)) continue;
        for (int m = d->first_block[d->rank]; m < d->first_block[d->rank + 1]; m++) {
            Block *a = &d->blocks[m];
            limit_room(d, a, b);
            if (!blocks_meet(a, b)) continue;
            for (int i = b->first; i < b->end; i++)
                if (may_meet(d, d->places[i].s, a)) d->here[d->places[i].s] = GHOST;
            for (int i = a->first; i < a->end; i++) told[i - own] |= may_meet(d, d->places[i].s, b);
        }
    }
    for (int i = own; i < d->first[d->rank + 1]; i++)
        if (told[i - own] && !note_send(d, other, d->places[i].s)) return false;
    return true;
}

/* Marks who is here, and notes whom neighbours have. */
static bool choose(Division *d)
{
    int own = d->first[d->rank], end = d->first[d->rank + 1];
    Block mine = {.first = own, .end = end};
    uint8_t *told = tn_malloc((size_t)(end - own) + 1);
    d->here = tn_calloc((size_t)d->world->model->subsystem_count + 1, 1);
    bool ok = told && d->here;
    fit_block(d, &mine);
    double far = FAR_SIZES * d->spread->size;
    for (int i = 0; i < 3; i++) { /* nobody beyond is looked at */
        mine.reach_low[i] -= far;
        mine.reach_high[i] += far;
    }
    for (int k = d->first_block[d->rank]; k < d->first_block[d->rank + 1]; k++)
        d->blocks[k].room = 0.5 * far - d->spread->size - 0.5 * d->slack;
    for (int i = own; ok && i < end; i++) d->here[d->places[i].s] = OWN;
    for (int r = 0; ok && r < d->ranks_count; r++)
        if (r != d->rank) ok = choose_with(d, r, &mine, told);
    tn_free(told);
    return ok;
}

/* ---- the part ---- */

static int compare_sends(const void *x, const void *y)
{
    const Place *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->s > b->s) - (a->s < b->s);
}

/* Neighbours, and lists of what goes to and comes from each. `local`: per subsystem of the whole.
 */
static bool list_neighbours(Division *d, const int *local)
{
    TnSpread *spread = d->spread;
    TnNear *near = &spread->near;
    size_t ranks = (size_t)d->ranks_count;
    int *received = tn_calloc(ranks + 1, sizeof *received);
    int ghosts = spread->count - spread->own_count;
    near->rank = tn_malloc(sizeof(int) * (ranks + 1));
    near->send_start = tn_calloc(ranks + 2, sizeof(int));
    near->receive_start = tn_calloc(ranks + 2, sizeof(int));
    near->send = tn_malloc(sizeof(int) * (size_t)(d->send_count + 1));
    near->receive = tn_malloc(sizeof(int) * (size_t)(ghosts + 1));
    bool ok = received && near->rank && near->send_start && near->receive_start && near->send &&
              near->receive;
    for (int k = 0; ok && k < spread->count; k++)
        if (!near->own[k]) received[d->owner[spread->subsystem[k]]]++;
    if (ok && d->send_count > 1)
        qsort(d->sends, (size_t)d->send_count, sizeof *d->sends, compare_sends);
    for (int r = 0, sent = 0, at = 0; ok && r < d->ranks_count; r++) {
        int first = sent;
        for (; sent < d->send_count && d->sends[sent].key == (uint64_t)r; sent++)
            near->send[sent] = local[d->sends[sent].s];
        if (sent == first && !received[r]) continue;
        near->rank[near->count++] = r;
        near->send_start[near->count] = sent;
        near->receive_start[near->count] = at + received[r];
        received[r] = at; /* where its next one goes */
        at = near->receive_start[near->count];
    }
    for (int k = 0; ok && k < spread->count; k++)
        if (!near->own[k]) near->receive[received[d->owner[spread->subsystem[k]]]++] = k;
    tn_free(received);
    return ok;
}

static void copy_state(const Division *d, const int *local)
{
    const TnWorld *world = d->world;
    const TnModel *model = world->model;
    TnSpread *spread = d->spread;
    TnState *to = &spread->world->state;
    const TnState *from = &world->state;
    to->time = from->time;
    for (int k = 0; k < spread->count; k++) {
        const TnSubsystem *sub = &model->subsystems[spread->subsystem[k]];
        memcpy(to->qpos + 7L * k, from->qpos + sub->qpos_start, sizeof(double[7]));
        memcpy(to->qvel + 6L * k, from->qvel + sub->dof_start, sizeof(double[6]));
        memcpy(to->vhat + 6L * k, from->vhat + sub->dof_start, sizeof(double[6]));
        v3_copy(spread->start[k], from->qpos + sub->qpos_start);
        spread->room[k] = room_of(d, spread->subsystem[k]);
    }
    for (int b = d->first_block[d->rank]; b < d->first_block[d->rank + 1]; b++)
        for (int i = d->blocks[b].first; i < d->blocks[b].end; i++) {
            double *room = &spread->room[local[d->places[i].s]];
            *room = fmax(*room, d->blocks[b].room);
        }
}

/* Forces of contacts that an own body has. False: no memory. */
static bool copy_contacts(const Division *d, const int *local_geom)
{
    const TnModel *model = d->world->model;
    const TnState *from = &d->world->state;
    TnState *to = &d->spread->world->state;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !tn_state_reserve_contacts(to, count)) return false;
        count = 0;
        for (int i = 0; i < from->contact_count; i++) {
            const TnWarmContact *c = &from->contacts[i];
            int a = tn_geom_subsystem(model, c->geom1), b = tn_geom_subsystem(model, c->geom2);
            if ((a < 0 || d->here[a] != OWN) && (b < 0 || d->here[b] != OWN)) continue;
            if (pass) {
                to->contacts[count] = *c;
                to->contacts[count].geom1 = local_geom[c->geom1];
                to->contacts[count].geom2 = local_geom[c->geom2];
            }
            count++;
        }
    }
    to->contact_count = count;
    return true;
}

static bool make_world(Division *d)
{
    TnSpread *spread = d->spread;
    TnWorldDef def = d->world->def;
    TnError err = {0};
    def.spread = false;
    def.measure_accuracy = false;
    def.ranks = NULL;
    def.key = 0;
    def.log = NULL;
    spread->world = tn_world_create(&def, spread->model, &err);
    if (!spread->world) return false;
    if (spread->arena.base) { /* what the step needs is in the machine's memory already */
        tn_arena_free(&spread->world->arena);
        spread->world->arena = spread->arena;
        spread->arena = (TnArena){0};
    }
    spread->world->near = &spread->near;
    tn_collider_set_part(spread->world->collider,
                         &(TnPartOfScene){.ranks = d->ranks,
                                          .foreign = spread->near.foreign,
                                          .cell = tn_collider_cell(d->world->collider)});
    return true;
}

/* Lists, model and world of what was chosen. */
static bool make_part(Division *d)
{
    TnSpread *spread = d->spread;
    const TnModel *model = d->world->model;
    int n = model->subsystem_count, ghosts = 0;
    for (int s = 0; s < n; s++) {
        spread->own_count += d->here[s] == OWN;
        ghosts += d->here[s] == GHOST;
    }
    spread->count = spread->own_count + ghosts;
    size_t count = (size_t)spread->count + 1;
    int *local = tn_malloc(sizeof *local * (size_t)(n + 1));
    int *local_geom = tn_malloc(sizeof *local_geom * (size_t)(model->geom_count + 1));
    spread->subsystem = tn_malloc(sizeof(int) * count);
    spread->geom = tn_malloc(sizeof(int) * (size_t)(model->geom_count + 1));
    spread->start = tn_malloc(sizeof *spread->start * count);
    spread->room = tn_malloc(sizeof *spread->room * count);
    spread->near.own = tn_calloc(count, sizeof(bool));
    spread->near.foreign = tn_calloc(count, 1);
    bool ok = local && local_geom && spread->subsystem && spread->geom && spread->start &&
              spread->room && spread->near.own && spread->near.foreign;
    for (int s = 0, k = 0; ok && s < n; s++) {
        local[s] = -1;
        if (d->here[s] == ABSENT) continue;
        spread->near.own[k] = d->here[s] == OWN;
        spread->near.foreign[k + 1] = d->here[s] == GHOST;
        local[s] = k;
        spread->subsystem[k++] = s;
    }
    spread->near.ranks = d->ranks;
    spread->near.size = spread->size;
    spread->model =
        ok ? tn_model_part(model, spread->subsystem, spread->count, spread->geom) : NULL;
    ok = spread->model && list_neighbours(d, local) && make_world(d);
    for (int g = 0; ok && g < spread->model->geom_count; g++) local_geom[spread->geom[g]] = g;
    if (ok) copy_state(d, local);
    ok = ok && copy_contacts(d, local_geom);
    if (ok) tn_world_update_frames(spread->world, NULL, 0);
    tn_free(local);
    tn_free(local_geom);
    return ok && tn_spread_connect(spread);
}

void tn_spread_release(TnSpread *spread)
{
    TnNear *near = &spread->near;
    if (spread->exchange) near->ranks->close(spread->exchange);
    tn_arena_free(&spread->arena);
    tn_world_destroy(spread->world);
    tn_model_destroy(spread->model);
    void *const all[] = {spread->room,        spread->subsystem, spread->geom,     spread->start,
                         spread->links,       spread->sent,      spread->received, near->own,
                         near->foreign,       near->rank,        near->send_start, near->send,
                         near->receive_start, near->receive};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *spread = (TnSpread){.size = spread->size, .put = true};
}

bool tn_spread_divide(TnWorld *world)
{
    TnArena arena = {0};
    if (world->spread->world) {
        arena = world->spread->world->arena;
        world->spread->world->arena = (TnArena){0};
    }
    tn_spread_release(world->spread);
    world->spread->arena = arena;
    Division d = {.world = world,
                  .spread = world->spread,
                  .ranks = world->def.ranks,
                  .rank = world->def.ranks ? world->def.ranks->rank : 0,
                  .ranks_count = tn_ranks_count(world->def.ranks)};
    bool ok = order_bodies(&d) && give_bodies(&d) && make_blocks(&d) && choose(&d) && make_part(&d);
    void *const all[] = {d.places,      d.first, d.reach, d.blocks,
                         d.first_block, d.here,  d.owner, d.sends};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    if (ok && d.ranks && d.ranks->traffic) d.ranks->traffic->divisions++;
    world->spread->put = !ok;
    return ok;
}
