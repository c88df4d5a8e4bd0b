/* spread_tell.c: what ranks tell each other of the bodies of a world that is stepped in parts; see
 * spread.h. */
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "spread.h"

/* ---- neighbours ---- */

bool tn_spread_connect(TnSpread *spread)
{
    const TnNear *near = &spread->near;
    int n = near->count;
    if (!n) return true;
    size_t body = sizeof(double[TN_SPREAD_NUMBERS]);
    spread->links = tn_calloc((size_t)n, sizeof *spread->links);
    spread->sent = tn_malloc(body * (size_t)(near->send_start[n] + 1));
    spread->received = tn_malloc(body * (size_t)(near->receive_start[n] + 1));
    if (!spread->links || !spread->sent || !spread->received) return false;
    for (int i = 0; i < n; i++) {
        size_t out = (size_t)near->send_start[i], in = (size_t)near->receive_start[i];
        spread->links[i] =
            (TnRankLink){.rank = near->rank[i],
                         .send = (char *)spread->sent + body * out,
                         .send_bytes = body * ((size_t)near->send_start[i + 1] - out),
                         .receive = (char *)spread->received + body * in,
                         .receive_bytes = body * ((size_t)near->receive_start[i + 1] - in)};
    }
    spread->exchange = near->ranks->open(near->ranks->context, spread->links, n);
    return spread->exchange;
}

int tn_spread_by_number(const void *x, const void *y)
{
    const TnSpreadBody *a = x, *b = y;
    return (a->s > b->s) - (a->s < b->s);
}

void tn_spread_tell_near(TnSpread *spread)
{
    const TnNear *near = &spread->near;
    TnWorld *world = spread->world;
    int n = near->count;
    if (!n) return;
    int sent = near->send_start[n], received = near->receive_start[n];
    double *to = spread->sent;
    const double *from = spread->received;
    const TnSubsystem *subs = spread->model->subsystems;
    for (int k = 0; k < sent; k++, to += TN_SPREAD_NUMBERS)
        tn_spread_pack(&world->state, subs[near->send[k]].qpos_start, subs[near->send[k]].dof_start,
                       to);
    near->ranks->start(spread->exchange);
    tn_ranks_finish(near->ranks, spread->exchange);
    for (int k = 0; k < received; k++, from += TN_SPREAD_NUMBERS) {
        const TnSubsystem *sub = &subs[near->receive[k]];
        tn_spread_unpack(&world->state, sub->qpos_start, sub->dof_start, from);
    }
    tn_world_update_frames(world, near->receive, received);
    TnTraffic *traffic = near->ranks->traffic;
    if (!traffic) return;
    traffic->states += sent;
    traffic->state_bytes += (int64_t)sizeof(double[TN_SPREAD_NUMBERS]) * sent;
}

static void exchange_once(const TnRanks *ranks, const TnRankLink *links, int count, bool *ok)
{
    void *exchange = ranks->open(ranks->context, links, count);
    *ok = exchange;
    if (!exchange) return;
    ranks->start(exchange);
    tn_ranks_finish(ranks, exchange);
    ranks->close(exchange);
}

char *tn_spread_swap(const TnRanks *ranks, const int *with, int count, const char *const *out,
                     const size_t *bytes, size_t *start)
{
    TnRankLink *links = tn_calloc((size_t)count + 1, sizeof *links);
    char *in = NULL;
    bool ok = links;
    for (int i = 0; ok && i < count; i++)
        links[i] = (TnRankLink){.rank = with[i],
                                .send = &bytes[i],
                                .send_bytes = sizeof *bytes,
                                .receive = &start[i + 1],
                                .receive_bytes = sizeof *start};
    start[0] = 0;
    if (ok) exchange_once(ranks, links, count, &ok);
    for (int i = 0; i < count; i++) start[i + 1] += start[i];
    if (ok) in = tn_malloc(start[count] + 1);
    ok = ok && in;
    for (int i = 0; ok && i < count; i++) {
        links[i].send = out[i];
        links[i].send_bytes = bytes[i];
        links[i].receive = in + start[i];
        links[i].receive_bytes = start[i + 1] - start[i];
    }
    if (ok) exchange_once(ranks, links, count, &ok);
    tn_free(links);
    if (ok) return in;
    tn_free(in);
    return NULL;
}

/* ---- all ---- */

/* What a rank tells of a body that it owns, or of a contact. */
typedef struct Told {
    int64_t s; /* subsystem of the whole */
    double numbers[TN_SPREAD_NUMBERS];
} Told;

/* Of all ranks, one after the other: things of `size` bytes, of which this one has `count`. NULL:
 * no memory. */
typedef struct Lists {
    size_t *start; /* bytes, per rank and one more */
    char *things;
} Lists;

static bool open_lists(const TnRanks *ranks, int count, size_t size, Lists *out)
{
    int n = tn_ranks_count(ranks), rank = ranks ? ranks->rank : 0;
    size_t *start = tn_calloc((size_t)n + 1, sizeof *start),
           *counts = tn_calloc((size_t)n + 1, sizeof *counts);
    *out = (Lists){.start = start};
    if (start && counts) {
        counts[rank] = (size_t)count;
        for (int r = 0; r <= n; r++) start[r] = sizeof *counts * (size_t)r;
        if (n > 1) tn_ranks_share(ranks, counts, start);
        start[0] = 0;
        for (int r = 0; r < n; r++) start[r + 1] = start[r] + size * counts[r];
        out->things = tn_malloc(start[n] + 1);
    }
    tn_free(counts);
    return out->things;
}

static void close_lists(Lists *lists)
{
    tn_free(lists->start);
    tn_free(lists->things);
}

static bool gather_bodies(TnWorld *whole, const TnRanks *ranks)
{
    const TnSpread *spread = whole->spread;
    const TnModel *model = whole->model;
    int n = tn_ranks_count(ranks), rank = ranks ? ranks->rank : 0;
    Lists lists;
    bool ok = open_lists(ranks, spread->own_count, sizeof(Told), &lists);
    if (ok) {
        Told *mine = (Told *)(lists.things + lists.start[rank]), *all = (Told *)lists.things;
        for (int k = 0; k < spread->count; k++) {
            const TnSubsystem *sub = &spread->model->subsystems[k];
            if (!tn_spread_owns(spread, k)) continue;
            mine->s = spread->subsystem[k];
            tn_spread_pack(&spread->world->state, sub->qpos_start, sub->dof_start, mine->numbers);
            mine++;
        }
        if (n > 1) tn_ranks_share(ranks, lists.things, lists.start);
        for (const Told *b = all; (const char *)b < lists.things + lists.start[n]; b++) {
            const TnSubsystem *sub = &model->subsystems[b->s];
            tn_spread_unpack(&whole->state, sub->qpos_start, sub->dof_start, b->numbers);
        }
    }
    close_lists(&lists);
    return ok;
}

static bool tells(const TnWorld *whole, const TnWarmContact *c)
{
    return tn_spread_tells(whole, c->geom1, c->geom2);
}

static bool gather_contacts(TnWorld *whole, const TnRanks *ranks)
{
    const TnSpread *spread = whole->spread;
    const TnState *state = &spread->world->state;
    int n = tn_ranks_count(ranks), rank = ranks ? ranks->rank : 0, count = 0;
    Lists lists;
    for (int i = 0; i < state->contact_count; i++) count += tells(whole, &state->contacts[i]);
    bool ok = open_lists(ranks, count, sizeof(TnWarmContact), &lists);
    if (ok) {
        TnWarmContact *mine = (TnWarmContact *)(lists.things + lists.start[rank]);
        for (int i = 0; i < state->contact_count; i++) {
            if (!tells(whole, &state->contacts[i])) continue;
            *mine = state->contacts[i];
            mine->geom1 = spread->geom[mine->geom1];
            mine->geom2 = spread->geom[mine->geom2];
            mine++;
        }
        if (n > 1) tn_ranks_share(ranks, lists.things, lists.start);
        count = (int)(lists.start[n] / sizeof(TnWarmContact));
        ok = tn_state_reserve_contacts(&whole->state, count);
        if (ok && count > 0) memcpy(whole->state.contacts, lists.things, lists.start[n]);
        whole->state.contact_count = ok ? count : 0;
    }
    close_lists(&lists);
    return ok;
}

/* A contact of the part, geoms of the whole. */
static TnWarmContact contact_of(const TnSpread *spread, int i)
{
    TnWarmContact c = spread->world->state.contacts[i];
    c.geom1 = spread->geom[c.geom1];
    c.geom2 = spread->geom[c.geom2];
    return c;
}

/* It has a mover, and this rank tells of that one. */
static bool tells_of_mover(const TnWorld *world, const TnWarmContact *c)
{
    int geom = tn_spread_is_mover(world, c->geom1) ? c->geom1 : c->geom2;
    return tn_spread_is_mover(world, geom) &&
           tn_spread_mover_owner(world->spread, tn_geom_subsystem(world->model, geom)) ==
               (world->def.ranks ? world->def.ranks->rank : 0);
}

bool tn_spread_share_mover_contacts(TnWorld *world, TnOwned *own)
{
    const TnSpread *spread = world->spread;
    const TnRanks *ranks = world->def.ranks;
    int n = tn_ranks_count(ranks), rank = ranks ? ranks->rank : 0, count = 0;
    const TnState *state = &spread->world->state;
    if (!spread->mover_count) return true;
    for (int i = 0; i < state->contact_count; i++) {
        TnWarmContact c = contact_of(spread, i);
        count += tells_of_mover(world, &c);
    }
    Lists lists;
    bool ok = open_lists(ranks, count, sizeof(TnWarmContact), &lists);
    if (ok) {
        TnWarmContact *mine = (TnWarmContact *)(lists.things + lists.start[rank]);
        for (int i = 0; i < state->contact_count; i++) {
            TnWarmContact c = contact_of(spread, i);
            if (tells_of_mover(world, &c)) *mine++ = c;
        }
        if (n > 1) tn_ranks_share(ranks, lists.things, lists.start);
        own->mover_contact_count = (int)(lists.start[n] / sizeof(TnWarmContact));
        own->mover_contacts = (TnWarmContact *)lists.things;
        lists.things = NULL;
    }
    close_lists(&lists);
    return ok;
}

bool tn_spread_gather(TnWorld *whole)
{
    const TnRanks *ranks = whole->def.ranks;
    return tn_spread_get_movers(whole) && gather_bodies(whole, ranks) &&
           gather_contacts(whole, ranks);
}
