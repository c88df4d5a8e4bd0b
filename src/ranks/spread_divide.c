/* spread_divide.c: rank 0 hands the bodies of its state out; see spread.h.
 *
 * Each rank owns a range of the curve. Ranges have equal weight: a body counts 2, and 1 for each of
 * its contacts. Bodies go out with their definitions, some thousands at a time, so that rank 0
 * needs no room for a second copy of the model. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "../world/own.h"
#include "spread.h"

/* Bodies that go out at a time. */
#define PARCEL 4096

typedef struct Division {
    TnWorld *world;
    TnSpread *spread;
    int ranks;
    TnPlace *places; /* free bodies in the curve's order; numbers */
    int count;
    int *owner; /* per subsystem: rank; -1: a mover */
} Division;

/* ---- ownership ---- */

static const double *place_of(const TnWorld *world, int s)
{
    return world->state.qpos + world->model->subsystems[s].qpos_start;
}

/* Of all free bodies, or where there are none of movers. */
static TnCurve curve_of(const Division *d)
{
    const TnSpread *spread = d->spread;
    double low[3] = {0.0}, high[3] = {0.0};
    int n = d->count ? d->count : tn_spread_mover_count(spread);
    for (int i = 0; i < n; i++) {
        const double *x = d->count ? place_of(d->world, d->places[i].s)
                                   : tn_spread_mover_place(spread->common, i);
        for (int k = 0; k < 3; k++) {
            low[k] = i ? fmin(low[k], x[k]) : x[k];
            high[k] = i ? fmax(high[k], x[k]) : x[k];
        }
    }
    return tn_curve_through(low, high, fmax(1e-9 * spread->scene.size, DBL_MIN));
}

/* False: no memory. */
static bool order_bodies(Division *d)
{
    const TnModel *m = d->world->model;
    TnSpread *spread = d->spread;
    d->places = tn_malloc(sizeof *d->places * (size_t)(m->subsystem_count + 1));
    d->owner = tn_malloc(sizeof *d->owner * (size_t)(m->subsystem_count + 1));
    if (!d->places || !d->owner) return false;
    for (int s = 0, mover = 0; s < m->subsystem_count; s++) {
        if (mover < tn_spread_mover_count(spread) && spread->base.subsystem[mover] == s)
            mover++;
        else
            d->places[d->count++].s = s;
        d->owner[s] = -1;
    }
    spread->curve = curve_of(d);
    for (int i = 0; i < d->count; i++)
        d->places[i].key = tn_curve_key(&spread->curve, place_of(d->world, d->places[i].s));
    return tn_curve_sort(d->places, d->count);
}

int tn_spread_owner(const TnSpread *spread, int ranks, uint64_t key)
{
    int low = 0;
    while (ranks > 1) { /* the last range that begins at or before it */
        int half = ranks / 2;
        if (spread->first_key[low + half] <= key) low += half;
        ranks -= half;
    }
    return low;
}

void tn_spread_cut(const TnPlace *places, const int64_t *weight, int count, int ranks,
                   uint64_t *first_key)
{
    double total = 0.0, sum = 0.0;
    int rank = 0;
    for (int i = 0; i < count; i++) total += (double)weight[i];
    first_key[0] = 0;
    for (int i = 0; i < count; i++) {
        while (rank + 1 < ranks && sum * ranks >= total * (rank + 1))
            first_key[++rank] = places[i].key;
        sum += (double)weight[i];
    }
    while (rank + 1 < ranks) first_key[++rank] = UINT64_MAX;
}

static bool cut(const Division *d)
{
    const TnModel *m = d->world->model;
    const TnState *state = &d->world->state;
    TnSpread *spread = d->spread;
    int64_t *of = tn_calloc((size_t)m->subsystem_count + 1, sizeof *of),
            *weight = tn_malloc(sizeof *weight * (size_t)(m->subsystem_count + 1));
    bool ok = of && weight;
    for (int i = 0; ok && i < state->contact_count; i++) {
        int a = tn_geom_subsystem(m, state->contacts[i].geom1),
            b = tn_geom_subsystem(m, state->contacts[i].geom2);
        if (a >= 0) of[a]++;
        if (b >= 0) of[b]++;
    }
    for (int i = 0; ok && i < d->count; i++) weight[i] = TN_SPREAD_BODY_WEIGHT + of[d->places[i].s];
    if (ok) tn_spread_cut(d->places, weight, d->count, d->ranks, spread->first_key);
    for (int i = 0; ok && i < d->count; i++)
        d->owner[d->places[i].s] = tn_spread_owner(spread, d->ranks, d->places[i].key);
    tn_free(of);
    tn_free(weight);
    return ok;
}

/* ---- what a rank gets ---- */

static TnSpreadBody body_of(const TnWorld *world, int s)
{
    const TnLink *link = &world->model->links[world->model->subsystems[s].link_start];
    TnSpreadBody body = {.number = s,
                         .lever = tn_near_lever(world, world->model->subsystems[s].link_start),
                         .pushed = tn_spread_pushed(world, s, link)};
    tn_spread_pack(&world->state, world->model, s, body.numbers);
    return body;
}

/* Those of a rank from `first` on, ascending; `next`: behind the last. */
static int take_bodies(const Division *d, int rank, int first, int most, TnSpreadBody *out,
                       int *next)
{
    int count = 0, s = first;
    for (; s < d->world->model->subsystem_count && count < most; s++)
        if (d->owner[s] == rank) out[count++] = body_of(d->world, s);
    *next = s;
    return count;
}

static int count_of(const Division *d, int rank)
{
    int count = 0;
    for (int s = 0; s < d->world->model->subsystem_count; s++) count += d->owner[s] == rank;
    return count;
}

/* Of a rank's bodies, or of movers (-1). NULL: no memory. */
static TnSpreadContact *take_contacts(const Division *d, int rank, int *count)
{
    const TnModel *m = d->world->model;
    const TnState *state = &d->world->state;
    TnSpreadContact *out = NULL;
    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        for (int i = 0; i < state->contact_count; i++) {
            TnSpreadContact c = {.contact = state->contacts[i]};
            bool moves = false, wanted = false;
            for (int k = 0; k < 2; k++) {
                int s = tn_geom_subsystem(m, k ? c.contact.geom2 : c.contact.geom1);
                c.side[k] = s;
                moves |= s >= 0 && d->owner[s] < 0;
                wanted |= s >= 0 && d->owner[s] == rank;
            }
            if (rank < 0 ? !moves : moves || !wanted) continue;
            if (pass) out[*count] = c;
            ++*count;
        }
        if (!pass && !(out = tn_malloc(sizeof *out * (size_t)(*count + 1)))) return NULL;
    }
    return out;
}

/* ---- between ranks ---- */

static bool send_definitions(const Division *d, int rank, const TnSpreadBody *bodies, int count)
{
    const TnPart *all = &d->spread->all;
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += tn_body_bytes(all, (int)bodies[i].number);
    char *packed = tn_malloc(bytes + 1), *to = packed;
    if (!packed) return false;
    for (int i = 0; i < count; i++) {
        tn_body_pack(all, (int)bodies[i].number, to);
        to += tn_body_bytes(all, (int)bodies[i].number);
    }
    bool ok = tn_spread_send(d->world->def.ranks, rank, packed, bytes);
    tn_free(packed);
    return ok;
}

static bool send_part(const Division *d, int rank)
{
    const TnRanks *ranks = d->world->def.ranks;
    int left = count_of(d, rank), next = 0, contact_count;
    TnSpreadBody *bodies = tn_malloc(sizeof *bodies * PARCEL);
    bool ok = bodies && tn_spread_send(ranks, rank, &left, sizeof left);
    while (ok && left > 0) {
        int count = take_bodies(d, rank, next, PARCEL, bodies, &next);
        ok = tn_spread_send(ranks, rank, bodies, sizeof *bodies * (size_t)count) &&
             send_definitions(d, rank, bodies, count);
        left -= count;
    }
    tn_free(bodies);
    TnSpreadContact *contacts = ok ? take_contacts(d, rank, &contact_count) : NULL;
    ok =
        contacts && tn_spread_send(ranks, rank, contacts, sizeof *contacts * (size_t)contact_count);
    tn_free(contacts);
    return ok;
}

/* Some bytes of rank 0's; NULL: no memory, or not `size` times something. */
static void *receive(const TnRanks *ranks, size_t size, int *count)
{
    void *bytes = NULL;
    size_t got = 0;
    if (!tn_spread_receive(ranks, 0, &bytes, &got)) return NULL;
    *count = (int)(got / size);
    return bytes;
}

static bool receive_part(const TnWorld *world, TnOwned *own)
{
    const TnRanks *ranks = world->def.ranks;
    int one, *count = receive(ranks, sizeof *count, &one);
    own->bodies = count ? tn_malloc(sizeof *own->bodies * (size_t)(*count + 1)) : NULL;
    bool ok = own->bodies;
    while (ok && own->count < *count) {
        int got;
        size_t bytes;
        void *block;
        TnSpreadBody *bodies = receive(ranks, sizeof *bodies, &got);
        ok = bodies;
        if (ok) memcpy(own->bodies + own->count, bodies, sizeof *bodies * (size_t)got);
        own->count += ok ? got : 0;
        tn_free(bodies);
        ok = ok && tn_spread_receive(ranks, 0, &block, &bytes) &&
             tn_owned_add_definitions(own, block, bytes);
    }
    tn_free(count);
    own->contacts = ok ? receive(ranks, sizeof *own->contacts, &own->contact_count) : NULL;
    return own->contacts;
}

/* ---- what all get ---- */

/* Movers as the whole has them. */
static bool share_common(TnWorld *world)
{
    const TnRanks *ranks = world->def.ranks;
    TnWorld *common = world->spread->common;
    TnError err = {0};
    bool first = tn_spread_rank(world) == 0;
    if (first) tn_spread_movers_from_whole(world);
    if (tn_ranks_count(ranks) > 1) {
        size_t bytes = tn_state_save_size(&common->state, common->model);
        void *saved = tn_malloc(bytes);
        bool ok = saved;
        if (ok && first) tn_state_save(&common->state, common->model, saved);
        ok = ok && tn_spread_broadcast(ranks, saved, bytes);
        ok = ok && (first ||
                    tn_state_restore(&common->state, common->model, saved, bytes, &err) == TN_OK);
        tn_free(saved);
        if (!ok) return false;
    }
    if (!tn_world_follow_equalities(common)) return false;
    common->team = common->pool;
    tn_world_update_frames(common, NULL, 0);
    world->state.time = common->state.time;
    return true;
}

static bool share_ranges(TnWorld *world)
{
    const TnRanks *ranks = world->def.ranks;
    TnSpread *spread = world->spread;
    return tn_ranks_count(ranks) == 1 ||
           (tn_spread_broadcast(ranks, &spread->curve, sizeof spread->curve) &&
            tn_spread_broadcast(ranks, spread->first_key,
                                sizeof *spread->first_key * (size_t)ranks->count));
}

static bool share_mover_contacts(const Division *d, TnOwned *own)
{
    const TnRanks *ranks = d->world->def.ranks;
    if (tn_spread_rank(d->world) == 0) {
        own->mover_contacts = take_contacts(d, -1, &own->mover_contact_count);
        if (!own->mover_contacts) return false;
    }
    if (tn_ranks_count(ranks) == 1) return true;
    int count = own->mover_contact_count;
    if (!tn_spread_broadcast(ranks, &count, sizeof count)) return false;
    own->mover_contact_count = count;
    if (!own->mover_contacts)
        own->mover_contacts = tn_malloc(sizeof *own->mover_contacts * (size_t)(count + 1));
    return own->mover_contacts && tn_spread_broadcast(ranks, own->mover_contacts,
                                                      sizeof *own->mover_contacts * (size_t)count);
}

/* ---- together ---- */

static bool hand_out(Division *d, TnOwned *own)
{
    int next, own_count = count_of(d, 0);
    own->bodies = tn_malloc(sizeof *own->bodies * (size_t)(own_count + 1));
    bool ok = own->bodies;
    if (ok) own->count = take_bodies(d, 0, 0, own_count, own->bodies, &next);
    own->contacts = ok ? take_contacts(d, 0, &own->contact_count) : NULL;
    ok = own->contacts;
    for (int r = 1; ok && r < d->ranks; r++) ok = send_part(d, r);
    own->from = d->spread->all; /* which stays there */
    own->from.own = NULL;
    own->borrowed = true;
    return ok;
}

bool tn_spread_divide(TnWorld *world)
{
    TnSpread *spread = world->spread;
    TnOwned own = {0};
    Division d = {.world = world, .spread = spread, .ranks = tn_ranks_count(world->def.ranks)};
    bool first = tn_spread_rank(world) == 0;
    tn_spread_release_part(spread, NULL);
    bool ok = !spread->has_whole || !world->changed || tn_spread_renew_base(world);
    ok = ok && share_common(world);
    if (first) ok = ok && order_bodies(&d) && cut(&d);
    ok = ok && share_ranges(world) && share_mover_contacts(&d, &own) &&
         (first ? hand_out(&d, &own) : receive_part(world, &own));
    tn_free(d.places);
    tn_free(d.owner);
    ok = ok && tn_spread_make_part(world, &own);
    tn_owned_free(&own);
    spread->put = !ok;
    spread->ahead = false;
    return ok;
}
