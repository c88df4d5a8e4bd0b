/* spread_move.c: bodies go from rank to rank; see spread.h.
 *
 * A body whose place on the curve is in another rank's range goes there if that rank is a
 * neighbour, or else one rank towards it. With it go its state and the forces of its contacts. If
 * some rank has much more than its share of the weight, ranges are cut anew, from what ranks tell
 * all others of weights along their ranges, and of how long they took. Ownership depends on the
 * clock so, but nothing that is computed depends on ownership. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "spread.h"

#define BINS 64         /* in which a rank tells of its weights; */
#define TOLD (BINS + 1) /* and of its time, in one more */
#define IMBALANCE 1.04  /* of the heaviest rank and the mean */
/* A rank's weights count at most so much more or less than others'. */
#define MOST_SLOW 2.0
#define FINE 64.0 /* of weights by time */

/* steps */
#define SHORT_WHILE 15
#define LONG_WHILE 50
/* as shares of all bodies */
#define FEW_GHOSTS 0.2
#define MANY_GHOSTS 0.5
#define LEAST_MARGIN 0.5
#define MOST_MARGIN 6.0

typedef struct Bin {
    uint64_t key;   /* of its first body */
    int64_t weight; /* the last one: ns of a step */
} Bin;

/* What goes to one rank, or came from it. */
typedef struct Parcel {
    TnSpreadBody *bodies; /* ascending */
    TnSpreadContact *contacts;
    int64_t count, contact_count, bytes; /* bytes: of definitions */
    char *definitions;
} Parcel;

typedef struct Move {
    TnWorld *world;
    TnSpread *spread;
    const TnRanks *ranks;
    TnPlace *places;       /* own bodies by the curve; subsystems of the part */
    int *to;               /* per subsystem of the part: link that it goes by; -1: it stays */
    int *with, with_count; /* ranks that bodies may go to */
    Parcel *parcels;       /* per link: that came, */
    char *came;            /* in here */
} Move;

/* ---- ranges ---- */

static bool order_own(Move *m)
{
    const TnSpread *spread = m->spread;
    int n = 0;
    m->places = tn_malloc(sizeof *m->places * (size_t)(spread->own_count + 1));
    if (!m->places) return false;
    for (int k = 0; k < spread->count; k++)
        if (tn_spread_owns(spread, k))
            m->places[n++] = (TnPlace){
                tn_curve_key(&spread->curve, spread->world->state.qpos +
                                                 spread->part.model->subsystems[k].qpos_start),
                k};
    return tn_curve_sort(m->places, n);
}

/* Weights of own bodies along the curve. False: no memory. */
static bool fill_bins(const Move *m, Bin *bins)
{
    const TnSpread *spread = m->spread;
    const TnState *state = &spread->world->state;
    int n = spread->own_count;
    int *weight = tn_malloc(sizeof *weight * (size_t)(spread->count + 1));
    if (!weight) return false;
    for (int k = 0; k < spread->count; k++) weight[k] = TN_SPREAD_BODY_WEIGHT;
    for (int i = 0; i < state->contact_count; i++) {
        int a = tn_geom_subsystem(spread->part.model, state->contacts[i].geom1),
            b = tn_geom_subsystem(spread->part.model, state->contacts[i].geom2);
        if (a >= 0) weight[a]++;
        if (b >= 0) weight[b]++;
    }
    for (int i = 0; i < n; i++) {
        Bin *bin = &bins[(long)BINS * i / n];
        if (!bin->weight) bin->key = m->places[i].key;
        bin->weight += weight[m->places[i].s];
    }
    tn_free(weight);
    return true;
}

static double sum_of(const Bin *bins)
{
    double sum = 0.0;
    for (int k = 0; k < BINS; k++) sum += (double)bins[k].weight;
    return sum;
}

/* Weights become the time that they took, if all ranks have it: they differ in speed, and in what
 * they have of others. All find the same. */
static void weigh_by_time(const Move *m, Bin *bins)
{
    double weight = 0.0, time = 0.0;
    for (int r = 0; r < m->ranks->count; r++) {
        const Bin *told = bins + (long)TOLD * r;
        if (!told[BINS].weight || sum_of(told) == 0.0) return;
        weight += sum_of(told);
        time += (double)told[BINS].weight;
    }
    for (int r = 0; r < m->ranks->count; r++) {
        Bin *told = bins + (long)TOLD * r;
        double slow = (double)told[BINS].weight / sum_of(told) * (weight / time);
        slow = fmin(fmax(slow, 1.0 / MOST_SLOW), MOST_SLOW);
        for (int k = 0; k < BINS; k++)
            told[k].weight = llround(FINE * slow * (double)told[k].weight);
    }
}

/* New ranges from all bins, if the old ones are uneven. */
static bool cut_anew(const Move *m, const Bin *bins)
{
    int ranks = m->ranks->count, n = 0;
    double total = 0.0, most = 0.0;
    for (int r = 0; r < ranks; r++) {
        double sum = sum_of(bins + (long)TOLD * r);
        total += sum;
        if (sum > most) most = sum;
    }
    if (most * ranks <= IMBALANCE * total) return true;
    TnPlace *places = tn_malloc(sizeof *places * (size_t)(ranks * BINS));
    int64_t *weight = tn_malloc(sizeof *weight * (size_t)(ranks * BINS));
    bool ok = places && weight;
    for (int k = 0; ok && k < ranks * TOLD; k++)
        if (bins[k].weight && k % TOLD < BINS) places[n++] = (TnPlace){bins[k].key, k};
    ok = ok && tn_curve_sort(places, n);
    for (int i = 0; ok && i < n; i++) weight[i] = bins[places[i].s].weight;
    if (ok) tn_spread_cut(places, weight, n, ranks, m->spread->first_key);
    tn_free(places);
    tn_free(weight);
    return ok;
}

static bool balance(const Move *m)
{
    size_t ranks = (size_t)m->ranks->count, *start = tn_malloc(sizeof *start * (ranks + 1));
    Bin *bins = tn_calloc(ranks * TOLD, sizeof *bins);
    const TnSpread *spread = m->spread;
    bool ok = start && bins && fill_bins(m, bins + (long)TOLD * m->ranks->rank);
    for (size_t r = 0; ok && r <= ranks; r++) start[r] = sizeof *bins * TOLD * r;
    if (ok && spread->steps)
        bins[(long)TOLD * m->ranks->rank + BINS].weight =
            llround(1e9 * spread->work / spread->steps);
    if (ok) {
        tn_ranks_share(m->ranks, bins, start);
        weigh_by_time(m, bins);
    }
    ok = ok && cut_anew(m, bins);
    tn_free(start);
    tn_free(bins);
    return ok;
}

/* ---- how much room bodies have ---- */

/* To find neighbours anew takes about half a step, and ghosts that are as many as a quarter of all
 * bodies take a twelfth: more room if it was too little for some steps, as long as ghosts
 * are few, and less if it was enough for many. Nothing that is computed depends on it. */
static void set_margin(const Move *m)
{
    TnSpread *spread = m->spread;
    double all = spread->scene.subsystems, ghosts = (double)spread->ghosts;
    if (spread->steps < SHORT_WHILE && ghosts < FEW_GHOSTS * all)
        spread->margin = fmin(MOST_MARGIN, 1.5 * spread->margin);
    else if (spread->steps > LONG_WHILE || ghosts > MANY_GHOSTS * all)
        spread->margin = fmax(LEAST_MARGIN, 0.75 * spread->margin);
}

/* ---- destinations ---- */

/* Neighbours, and those before and behind on the curve. */
static bool list_links(Move *m)
{
    const TnNear *near = &m->spread->near;
    int rank = m->ranks->rank, i = 0;
    m->with = tn_malloc(sizeof *m->with * (size_t)(near->count + 3));
    if (!m->with) return false;
    for (int r = 0; r < m->ranks->count; r++) {
        bool is_near = i < near->count && near->rank[i] == r;
        i += is_near;
        if (is_near || r == rank - 1 || r == rank + 1) m->with[m->with_count++] = r;
    }
    return true;
}

/* The link to a rank, or to the next one towards it. */
static int link_to(const Move *m, int rank)
{
    int next = rank > m->ranks->rank ? m->ranks->rank + 1 : m->ranks->rank - 1, towards = -1;
    for (int i = 0; i < m->with_count; i++) {
        if (m->with[i] == rank) return i;
        if (m->with[i] == next) towards = i;
    }
    return towards;
}

static bool choose(Move *m)
{
    const TnSpread *spread = m->spread;
    m->to = tn_malloc(sizeof *m->to * (size_t)(spread->count + 1));
    if (!m->to) return false;
    for (int k = 0; k < spread->count; k++) m->to[k] = -1;
    for (int i = 0; i < spread->own_count; i++) {
        int owner = tn_spread_owner(spread, m->ranks->count, m->places[i].key);
        if (owner != m->ranks->rank) m->to[m->places[i].s] = link_to(m, owner);
    }
    return true;
}

/* ---- packing ---- */

static TnSpreadBody body_of(const Move *m, int k)
{
    const TnSpread *spread = m->spread;
    int number = spread->part.subsystem[k], link = spread->part.model->subsystems[k].link_start;
    TnSpreadBody body = {.number = number,
                         .lever = tn_near_lever(spread->world, link),
                         .pushed =
                             tn_spread_pushed(m->world, number, &spread->part.model->links[link])};
    tn_spread_pack(&spread->world->state, spread->part.model, k, body.numbers);
    return body;
}

TnSpreadContact tn_spread_contact(const TnSpread *spread, int index)
{
    TnSpreadContact c = {.contact = spread->world->state.contacts[index]};
    int32_t *const geoms[2] = {&c.contact.geom1, &c.contact.geom2};
    for (int k = 0; k < 2; k++) {
        int s = tn_geom_subsystem(spread->part.model, *geoms[k]);
        c.side[k] = s < 0 ? -1 : spread->part.subsystem[s];
        *geoms[k] = spread->part.geom[*geoms[k]];
    }
    return c;
}

/* Of the part's contacts: owners tell of those. */
static bool has_mover(const Move *m, int i)
{
    const TnSpread *spread = m->spread;
    const TnWarmContact *c = &spread->world->state.contacts[i];
    int a = tn_geom_subsystem(spread->part.model, c->geom1),
        b = tn_geom_subsystem(spread->part.model, c->geom2);
    return (a >= 0 && spread->mover[a] >= 0) || (b >= 0 && spread->mover[b] >= 0);
}

/* Links that a contact goes by with its bodies; -1: none. */
static void links_of(const Move *m, int i, int out[2])
{
    const TnWarmContact *c = &m->spread->world->state.contacts[i];
    int a = tn_geom_subsystem(m->spread->part.model, c->geom1),
        b = tn_geom_subsystem(m->spread->part.model, c->geom2);
    bool goes = !has_mover(m, i);
    out[0] = goes && a >= 0 ? m->to[a] : -1;
    out[1] = goes && b >= 0 ? m->to[b] : -1;
    if (out[1] == out[0]) out[1] = -1;
}

static size_t add_up(const int64_t count[3])
{
    return sizeof(int64_t[3]) + sizeof(TnSpreadBody) * (size_t)count[0] +
           sizeof(TnSpreadContact) * (size_t)count[1] + (size_t)count[2];
}

/* A parcel is its three counts, its bodies, contacts, and definitions of the bodies. */
static char *pack(const Move *m, int link, size_t *bytes)
{
    const TnSpread *spread = m->spread;
    const TnState *state = &spread->world->state;
    int64_t count[3] = {0, 0, 0};
    int to[2];
    for (int k = 0; k < spread->count; k++) {
        if (m->to[k] != link) continue;
        count[0]++;
        count[2] += (int64_t)tn_body_bytes(&spread->part, k);
    }
    for (int i = 0; i < state->contact_count && count[0]; i++) {
        links_of(m, i, to);
        count[1] += to[0] == link || to[1] == link;
    }
    *bytes = add_up(count);
    char *out = tn_malloc(*bytes);
    if (!out) return NULL;
    memcpy(out, count, sizeof count);
    TnSpreadBody *body = (TnSpreadBody *)(out + sizeof count);
    TnSpreadContact *contact = (TnSpreadContact *)(body + count[0]);
    char *definition = (char *)(contact + count[1]);
    for (int k = 0; k < spread->count; k++) {
        if (m->to[k] != link) continue;
        *body++ = body_of(m, k);
        tn_body_pack(&spread->part, k, definition);
        definition += tn_body_bytes(&spread->part, k);
    }
    for (int i = 0; i < state->contact_count && count[1]; i++) {
        links_of(m, i, to);
        if (to[0] == link || to[1] == link) *contact++ = tn_spread_contact(spread, i);
    }
    return out;
}

static bool send(Move *m)
{
    size_t n = (size_t)m->with_count;
    char **out = tn_calloc(n + 1, sizeof *out);
    size_t *bytes = tn_calloc(n + 1, sizeof *bytes), *start = tn_calloc(n + 1, sizeof *start);
    m->parcels = tn_calloc(n + 1, sizeof *m->parcels);
    bool ok = out && bytes && start && m->parcels;
    for (int i = 0; ok && i < m->with_count; i++) {
        out[i] = pack(m, i, &bytes[i]);
        ok = out[i];
    }
    if (ok)
        m->came = tn_spread_swap(m->ranks, m->with, m->with_count, (const char *const *)out, bytes,
                                 start);
    ok = ok && m->came;
    for (int i = 0; ok && i < m->with_count; i++) {
        int64_t *count = (int64_t *)(m->came + start[i]);
        Parcel *p = &m->parcels[i];
        *p = (Parcel){.bodies = (TnSpreadBody *)(count + 3),
                      .count = count[0],
                      .contact_count = count[1],
                      .bytes = count[2]};
        p->contacts = (TnSpreadContact *)(p->bodies + p->count);
        p->definitions = (char *)(p->contacts + p->contact_count);
    }
    for (int i = 0; out && i < m->with_count; i++) tn_free(out[i]);
    tn_free(out);
    tn_free(bytes);
    tn_free(start);
    return ok;
}

/* ---- unpacking ---- */

static bool came_in(const Parcel *p, int number)
{
    TnSpreadBody one = {.number = number};
    return p->count && bsearch(&one, p->bodies, (size_t)p->count, sizeof one, tn_spread_by_number);
}

/* Movers do. */
static bool stays(const Move *m, int k) { return k >= 0 && m->spread->near.own[k] && m->to[k] < 0; }

/* A contact comes by each of its bodies that comes; it is taken once, and not if it is here. */
static bool is_new(const Move *m, const Parcel *p, const TnSpreadContact *c)
{
    const TnSpread *spread = m->spread;
    for (int k = 0; k < 2; k++)
        if (c->side[k] >= 0 &&
            stays(m, tn_part_find(spread->part.subsystem, spread->count, c->side[k])))
            return false;
    int a = c->side[0];
    if (a >= 0 && came_in(p, a)) return true;
    for (int i = 0; a >= 0 && i < m->with_count; i++)
        if (came_in(&m->parcels[i], a)) return false;
    return true;
}

bool tn_spread_group_contacts(TnWarmContact *contacts, int n)
{
    TnPlace *order = tn_malloc(sizeof *order * (size_t)(n + 1)); /* the geom as key */
    TnWarmContact *grouped = tn_malloc(sizeof *grouped * (size_t)(n + 1));
    bool ok = order && grouped;
    for (int i = 0; ok && i < n; i++) order[i] = (TnPlace){(uint64_t)contacts[i].geom1, i};
    ok = ok && tn_curve_sort(order, n);
    for (int i = 0; ok && i < n; i++) grouped[i] = contacts[order[i].s];
    if (ok && n) memcpy(contacts, grouped, sizeof *contacts * (size_t)n);
    tn_free(order);
    tn_free(grouped);
    return ok;
}

/* Definitions of what came. */
static bool take_definitions(const Parcel *p, TnOwned *own)
{
    if (!p->bytes) return true;
    char *block = tn_malloc((size_t)p->bytes);
    if (!block) return false;
    memcpy(block, p->definitions, (size_t)p->bytes);
    return tn_owned_add_definitions(own, block, (size_t)p->bytes);
}

/* What stays and what came. */
static bool collect(const Move *m, TnOwned *own)
{
    const TnSpread *spread = m->spread;
    const TnState *state = &spread->world->state;
    size_t bodies = (size_t)spread->own_count + 1, contacts = (size_t)state->contact_count + 1;
    for (int i = 0; i < m->with_count; i++) {
        bodies += (size_t)m->parcels[i].count;
        contacts += (size_t)m->parcels[i].contact_count;
    }
    own->bodies = tn_malloc(sizeof *own->bodies * bodies);
    own->contacts = tn_malloc(sizeof *own->contacts * contacts);
    if (!own->bodies || !own->contacts) return false;
    for (int k = 0; k < spread->count; k++)
        if (stays(m, k) && tn_spread_owns(spread, k)) own->bodies[own->count++] = body_of(m, k);
    for (int i = 0; i < state->contact_count; i++)
        if (!has_mover(m, i) &&
            (stays(m, tn_geom_subsystem(spread->part.model, state->contacts[i].geom1)) ||
             stays(m, tn_geom_subsystem(spread->part.model, state->contacts[i].geom2))))
            own->contacts[own->contact_count++] = tn_spread_contact(spread, i);
    int stayed = own->count;
    for (int i = 0; i < m->with_count; i++) {
        const Parcel *p = &m->parcels[i];
        for (int64_t k = 0; k < p->count; k++) own->bodies[own->count++] = p->bodies[k];
        for (int64_t k = 0; k < p->contact_count; k++)
            if (is_new(m, p, &p->contacts[k])) own->contacts[own->contact_count++] = p->contacts[k];
        if (!take_definitions(p, own)) return false;
    }
    if (own->count > stayed)
        qsort(own->bodies, (size_t)own->count, sizeof *own->bodies, tn_spread_by_number);
    return true;
}

bool tn_spread_renew(TnWorld *world)
{
    TnOwned own = {0};
    Move m = {.world = world, .spread = world->spread, .ranks = world->def.ranks};
    bool ok = order_own(&m) && balance(&m) && list_links(&m) && choose(&m) && send(&m) &&
              collect(&m, &own) && tn_spread_get_movers(world) &&
              tn_spread_share_mover_contacts(world, &own) &&
              tn_owned_note_known(world->spread, &own);
    void *const all[] = {m.places, m.to, m.with, m.parcels, m.came};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    set_margin(&m);
    if (ok) tn_spread_release_part(world->spread, &own.from);
    ok = ok && tn_spread_make_part(world, &own);
    tn_owned_free(&own);
    return ok;
}
