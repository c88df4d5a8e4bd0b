/* spread_part.c: model and world of a rank's own bodies and those near them; see spread.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

/* ---- the model ---- */

static int by_source(const void *x, const void *y)
{
    const TnBodySource *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

/* Own bodies and ghosts, and where each is defined, ascending. NULL: no memory. */
static TnBodySource *list_bodies(const TnOwned *own, const TnMeeting *met, int *count)
{
    *count = own->count + met->ghost_count;
    TnBodySource *list = tn_malloc(sizeof *list * (size_t)(*count + 1)), *next = list;
    if (!list) return NULL;
    for (int i = 0; i < own->count; i++) *next++ = tn_owned_source(own, (int)own->bodies[i].number);
    for (int i = 0; i < met->ghost_count; i++)
        *next++ = tn_owned_source(own, (int)met->ghosts[i].number);
    if (met->ghost_count) qsort(list, (size_t)*count, sizeof *list, by_source);
    return list;
}

static bool make_model(TnSpread *spread, const TnOwned *own, const TnMeeting *met)
{
    int count;
    TnBodySource *bodies = list_bodies(own, met, &count);
    bool *has = tn_calloc((size_t)tn_spread_mover_count(spread) + 1, sizeof *has);
    bool ok = bodies && has;
    for (int i = 0; ok && i < spread->here_count; i++) has[spread->here[i]] = true;
    ok = ok && tn_part_make(&spread->base, has, &own->from, bodies, count, &spread->part);
    tn_free(bodies);
    tn_free(has);
    if (ok) spread->count = spread->part.model->subsystem_count;
    return ok;
}

static int place_of(const TnSpread *spread, int64_t number)
{
    return tn_part_find(spread->part.subsystem, spread->count, (int)number);
}

/* Which subsystems of the part are what. */
static bool mark_subsystems(TnSpread *spread, const TnOwned *own)
{
    size_t count = (size_t)spread->count + 1;
    int movers = tn_spread_mover_count(spread);
    spread->own_count = own->count;
    spread->mover = tn_malloc(sizeof *spread->mover * count);
    spread->start = tn_malloc(sizeof *spread->start * count);
    spread->room = tn_calloc(count, sizeof *spread->room);
    spread->near.own = tn_calloc(count, sizeof(bool));
    if (movers) spread->near.mover = tn_calloc(count, sizeof(bool));
    if (!spread->mover || !spread->start || !spread->room || !spread->near.own ||
        (movers && !spread->near.mover))
        return false;
    spread->near.start = (const double(*)[3])spread->start;
    spread->near.room = spread->room;
    spread->near.number = spread->part.subsystem;
    for (int k = 0; k < spread->count; k++) spread->mover[k] = -1;
    for (int i = 0; i < movers; i++) spread->place[i] = -1;
    for (int i = 0; i < own->count; i++)
        spread->near.own[place_of(spread, own->bodies[i].number)] = true;
    for (int i = 0; i < spread->here_count; i++) {
        int mover = spread->here[i], k = place_of(spread, spread->base.subsystem[mover]);
        spread->place[mover] = k;
        spread->mover[k] = mover;
        spread->near.own[k] = spread->near.mover[k] = true;
    }
    return true;
}

/* Which rank has which links. Links of no rank touch own bodies alone. */
static bool mark_links(const TnWorld *world)
{
    TnSpread *spread = world->spread;
    const TnModel *m = spread->part.model;
    TnNear *near = &spread->near;
    int rank = tn_spread_rank(world);
    near->foreign = tn_calloc((size_t)m->link_count, 1);
    near->counts = tn_calloc((size_t)m->link_count, 1);
    if (!near->foreign || !near->counts) return false;
    for (int l = 1; l < m->link_count; l++) {
        int s = m->link_subsystem[l];
        near->foreign[l] = s < 0 || !near->own[s];
        near->counts[l] = s < 0 ? rank == 0
                          : spread->mover[s] >= 0
                              ? tn_spread_mover_owner(spread, spread->mover[s]) == rank
                              : near->own[s];
    }
    return true;
}

/* Neighbours, and lists of what goes to and comes from each. */
static bool list_neighbours(TnSpread *spread, const TnMeeting *met)
{
    TnNear *near = &spread->near;
    size_t ranks = (size_t)tn_ranks_count(near->ranks);
    near->rank = tn_malloc(sizeof(int) * (ranks + 1));
    near->send_start = tn_calloc(ranks + 2, sizeof(int));
    near->receive_start = tn_calloc(ranks + 2, sizeof(int));
    near->send = tn_malloc(sizeof(int) * (size_t)(met->send_count + 1));
    near->receive = tn_malloc(sizeof(int) * (size_t)(met->ghost_count + 1));
    if (!near->rank || !near->send_start || !near->receive_start || !near->send || !near->receive)
        return false;
    int sent = 0, received = 0;
    while (sent < met->send_count || received < met->ghost_count) { /* both are by rank */
        int rank = sent < met->send_count ? (int)met->sends[sent].key : INT_MAX;
        if (received < met->ghost_count && met->owner[received] < rank) rank = met->owner[received];
        for (; sent < met->send_count && met->sends[sent].key == (uint64_t)rank; sent++)
            near->send[sent] = place_of(spread, met->sends[sent].s);
        for (; received < met->ghost_count && met->owner[received] == rank; received++)
            near->receive[received] = place_of(spread, met->ghosts[received].number);
        near->rank[near->count++] = rank;
        near->send_start[near->count] = sent;
        near->receive_start[near->count] = received;
    }
    return true;
}

/* ---- the state ---- */

static int put_state(TnSpread *spread, const TnSpreadBody *body)
{
    int k = place_of(spread, body->number);
    tn_spread_unpack(&spread->world->state, spread->part.model, k, body->numbers);
    v3_copy(spread->start[k], body->numbers);
    return k;
}

/* If the part has both sides. */
static void add_contact(TnSpread *spread, const TnSpreadContact *contact)
{
    TnState *state = &spread->world->state;
    TnWarmContact c = contact->contact;
    int geoms = spread->part.model->geom_count;
    c.geom1 = tn_part_find(spread->part.geom, geoms, c.geom1);
    c.geom2 = tn_part_find(spread->part.geom, geoms, c.geom2);
    if (c.geom1 >= 0 && c.geom2 >= 0) state->contacts[state->contact_count++] = c;
}

/* No contact is in two places. True also where there is no memory to look. */
static bool are_grouped(const TnSpread *spread)
{
    const TnState *state = &spread->world->state;
    bool *seen = tn_calloc((size_t)spread->part.model->geom_count + 1, sizeof *seen), ok = seen;
    for (int i = 0; ok && i < state->contact_count; i++) {
        int geom = state->contacts[i].geom1;
        if (i && state->contacts[i - 1].geom1 == geom) continue;
        ok = !seen[geom];
        seen[geom] = true;
    }
    tn_free(seen);
    return ok;
}

static bool put_states(TnSpread *spread, const TnOwned *own, const TnMeeting *met)
{
    TnState *state = &spread->world->state;
    for (int i = 0; i < own->count; i++)
        spread->room[put_state(spread, &own->bodies[i])] = met->room[i];
    for (int i = 0; i < met->ghost_count; i++) put_state(spread, &met->ghosts[i]);
    if (!tn_state_reserve_contacts(state, own->contact_count + own->mover_contact_count))
        return false;
    state->contact_count = 0;
    for (int i = 0; i < own->contact_count; i++) add_contact(spread, &own->contacts[i]);
    for (int i = 0; i < own->mover_contact_count; i++) add_contact(spread, &own->mover_contacts[i]);
    return are_grouped(spread) || tn_spread_group_contacts(state->contacts, state->contact_count);
}

/* ---- the world ---- */

TnWorld *tn_spread_world_of(const TnWorld *world, const TnModel *model, int threads)
{
    TnWorldDef def = world->def;
    TnError err = {0};
    def.spread = false;
    def.measure_accuracy = false;
    def.ranks = NULL;
    def.key = 0;
    def.log = NULL;
    def.thread_count = threads;
    return tn_world_create(&def, model, &err);
}

static bool make_world(TnWorld *world)
{
    TnSpread *spread = world->spread;
    spread->world = tn_spread_world_of(world, spread->part.model, world->def.thread_count);
    if (!spread->world) return false;
    if (spread->arena.base) { /* what the step needs is in the machine's memory already */
        tn_arena_free(&spread->world->arena);
        spread->world->arena = spread->arena;
        spread->arena = (TnArena){0};
    }
    spread->world->near = &spread->near;
    spread->world->bounces = spread->scene.bounces;
    tn_collider_set_part(spread->world->collider, &(TnPartOfScene){.ranks = world->def.ranks,
                                                                   .foreign = spread->near.foreign,
                                                                   .counts = spread->near.counts,
                                                                   .cell = spread->scene.cell});
    return true;
}

static void begin_near(const TnWorld *world)
{
    TnSpread *spread = world->spread;
    const TnModel *base = spread->base.model;
    spread->near.ranks = world->def.ranks;
    spread->near.size = spread->scene.size;
    spread->near.bodies = spread->scene.subsystems;
    spread->near.mean_mass = spread->scene.mean_mass;
    spread->near.extent = spread->scene.extent;
    spread->near.lacked = &spread->lacked;
    spread->near.stopped = &spread->stopped;
    spread->near.has_rods = base->rod_count > 0;
    spread->near.has_softs = base->soft_count > 0;
    spread->near.together = tn_spread_mover_count(spread) && tn_ranks_count(world->def.ranks) > 1;
}

bool tn_spread_make_part(TnWorld *world, TnOwned *own)
{
    TnSpread *spread = world->spread;
    TnMeeting met = {0};
    begin_near(world);
    bool ok = tn_spread_meet(world, own, &met) && tn_spread_swap_definitions(world, own, &met) &&
              make_model(spread, own, &met);
    if (ok && !own->borrowed) tn_part_free(&own->from);
    ok = ok && mark_subsystems(spread, own) && list_neighbours(spread, &met) && mark_links(world) &&
         make_world(world) && put_states(spread, own, &met) && tn_spread_put_movers(world);
    if (ok) {
        spread->world->state.time = spread->common->state.time;
        tn_world_update_frames(spread->world, NULL, 0);
    }
    void *const all[] = {met.ghosts, met.owner, met.sends, met.room};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    ok = ok && tn_spread_connect(spread);
    if (ok && world->def.ranks && world->def.ranks->traffic) world->def.ranks->traffic->divisions++;
    return ok;
}

void tn_spread_release_part(TnSpread *spread, TnPart *part)
{
    TnNear *near = &spread->near;
    if (spread->exchange) near->ranks->close(spread->exchange);
    if (spread->world) {
        tn_arena_free(&spread->arena);
        spread->arena = spread->world->arena;
        spread->world->arena = (TnArena){0};
    }
    tn_world_destroy(spread->world);
    if (part)
        *part = spread->part;
    else
        tn_part_free(&spread->part);
    spread->part = (TnPart){0};
    void *const all[] = {spread->room, spread->mover,    spread->start,       spread->links,
                         spread->sent, spread->received, near->own,           near->mover,
                         near->counts, near->balls,      near->foreign,       near->rank,
                         near->send,   near->send_start, near->receive_start, near->receive};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *near = (TnNear){0};
    spread->world = NULL;
    spread->exchange = NULL;
    spread->links = NULL;
    spread->mover = NULL;
    spread->start = NULL;
    spread->room = spread->sent = spread->received = NULL;
    spread->count = spread->own_count = spread->steps = 0;
    spread->work = 0.0;
}
