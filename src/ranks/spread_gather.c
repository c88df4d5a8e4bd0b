/* spread_gather.c: states and contacts of all parts, on request; see spread.h. */
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "spread.h"

/* ---- to all ---- */

bool tn_lists_open(const TnRanks *ranks, int count, size_t size, TnLists *out)
{
    int n = tn_ranks_count(ranks), rank = ranks ? ranks->rank : 0;
    size_t *start = tn_calloc((size_t)n + 1, sizeof *start),
           *counts = tn_calloc((size_t)n + 1, sizeof *counts);
    *out = (TnLists){.start = start};
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

void tn_lists_close(TnLists *lists)
{
    tn_free(lists->start);
    tn_free(lists->things);
    *lists = (TnLists){0};
}

/* It has a mover, and this rank tells of that one. */
static bool tells_of_mover(const TnWorld *world, const TnSpreadContact *c)
{
    for (int k = 0; k < 2; k++) {
        int mover = c->side[k] < 0 ? -1 : tn_spread_mover(world->spread, c->side[k]);
        if (mover >= 0) return tn_spread_mover_owner(world->spread, mover) == tn_spread_rank(world);
    }
    return false;
}

bool tn_spread_share_mover_contacts(TnWorld *world, TnOwned *own)
{
    const TnSpread *spread = world->spread;
    const TnRanks *ranks = world->def.ranks;
    int n = tn_ranks_count(ranks), count = 0;
    const TnState *state = &spread->world->state;
    TnLists lists;
    if (!tn_spread_mover_count(spread)) return true;
    for (int i = 0; i < state->contact_count; i++) {
        TnSpreadContact c = tn_spread_contact(spread, i);
        count += tells_of_mover(world, &c);
    }
    bool ok = tn_lists_open(ranks, count, sizeof(TnSpreadContact), &lists);
    if (ok) {
        TnSpreadContact *mine =
            (TnSpreadContact *)(lists.things + lists.start[tn_spread_rank(world)]);
        for (int i = 0; i < state->contact_count; i++) {
            TnSpreadContact c = tn_spread_contact(spread, i);
            if (tells_of_mover(world, &c)) *mine++ = c;
        }
        if (n > 1) tn_ranks_share(ranks, lists.things, lists.start);
        own->mover_contact_count = (int)(lists.start[n] / sizeof(TnSpreadContact));
        own->mover_contacts = (TnSpreadContact *)lists.things;
        lists.things = NULL;
    }
    tn_lists_close(&lists);
    return ok;
}

/* ---- to ranks that have the whole ---- */

/* What a rank tells of a body that it owns. */
typedef struct Told {
    int64_t number;
    double numbers[TN_SPREAD_NUMBERS];
} Told;

static Told *list_bodies(const TnSpread *spread, size_t *bytes)
{
    Told *list = tn_malloc(sizeof *list * (size_t)(spread->own_count + 1)), *to = list;
    for (int k = 0; list && k < spread->count; k++) {
        if (!tn_spread_owns(spread, k)) continue;
        to->number = spread->part.subsystem[k];
        tn_spread_pack(&spread->world->state, spread->part.model, k, to->numbers);
        to++;
    }
    *bytes = list ? sizeof *list * (size_t)(to - list) : 0;
    return list;
}

static TnWarmContact *list_contacts(const TnWorld *world, size_t *bytes)
{
    const TnSpread *spread = world->spread;
    const TnState *state = &spread->world->state;
    TnWarmContact *list = tn_malloc(sizeof *list * (size_t)(state->contact_count + 1)), *to = list;
    for (int i = 0; list && i < state->contact_count; i++)
        if (tn_spread_tells(world, state->contacts[i].geom1, state->contacts[i].geom2))
            *to++ = tn_spread_contact(spread, i).contact;
    *bytes = list ? sizeof *list * (size_t)(to - list) : 0;
    return list;
}

bool tn_spread_tell_of(const TnWorld *world, TnTold *out)
{
    *out = (TnTold){0};
    out->bodies = list_bodies(world->spread, &out->body_bytes);
    out->contacts = out->bodies ? list_contacts(world, &out->contact_bytes) : NULL;
    return out->contacts;
}

void tn_told_free(TnTold *told)
{
    tn_free(told->bodies);
    tn_free(told->contacts);
    *told = (TnTold){0};
}

/* Of one rank, into the whole. False: no memory. */
static bool take(TnWorld *whole, const TnTold *told)
{
    TnState *state = &whole->state;
    const Told *bodies = told->bodies;
    int count = (int)(told->contact_bytes / sizeof(TnWarmContact));
    for (size_t i = 0; i < told->body_bytes / sizeof *bodies; i++)
        tn_spread_unpack(state, whole->model, (int)bodies[i].number, bodies[i].numbers);
    if (!tn_state_reserve_contacts(state, state->contact_count + count)) return false;
    if (count) memcpy(state->contacts + state->contact_count, told->contacts, told->contact_bytes);
    state->contact_count += count;
    return true;
}

static bool send(const TnRanks *ranks, int to, const TnTold *told)
{
    return tn_spread_send(ranks, to, told->bodies, told->body_bytes) &&
           tn_spread_send(ranks, to, told->contacts, told->contact_bytes);
}

static bool receive(TnWorld *whole, int from)
{
    const TnRanks *ranks = whole->def.ranks;
    TnTold told = {0};
    bool ok = tn_spread_receive(ranks, from, &told.bodies, &told.body_bytes) &&
              tn_spread_receive(ranks, from, &told.contacts, &told.contact_bytes) &&
              take(whole, &told);
    tn_told_free(&told);
    return ok;
}

bool tn_spread_collect(TnWorld *world, const TnTold *told)
{
    const TnSpread *spread = world->spread;
    int n = tn_ranks_count(world->def.ranks), rank = tn_spread_rank(world);
    bool ok = true;
    if (spread->has_whole) world->state.contact_count = 0;
    for (int to = 0; ok && to < n; to++) /* contacts come in the order of ranks */
        for (int from = 0; ok && spread->whole_at[to] && from < n; from++) {
            if (to == rank)
                ok = from == rank ? take(world, told) : receive(world, from);
            else if (from == rank)
                ok = send(world->def.ranks, to, told);
        }
    return ok;
}

bool tn_spread_gather(TnWorld *world)
{
    TnTold told;
    bool ok = tn_spread_get_movers(world) && tn_spread_tell_of(world, &told);
    if (!ok) return false;
    if (world->spread->has_whole) tn_spread_movers_to_whole(world);
    ok = tn_spread_collect(world, &told);
    tn_told_free(&told);
    return ok;
}
