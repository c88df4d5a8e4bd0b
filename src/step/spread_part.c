/* spread_part.c: model and world of a rank's own bodies and those near them; see spread.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "../model/movers.h"
#include "spread.h"

enum { GHOST, OWN, MOVER };

/* Own bodies, ghosts and movers, ascending. */
static bool list_bodies(TnSpread *spread, const TnOwned *own, const TnMeeting *met)
{
    size_t count = (size_t)own->count + (size_t)met->ghost_count + (size_t)spread->here_count + 1;
    TnPlace *all = tn_malloc(sizeof *all * count); /* the subsystem as key */
    spread->own_count = own->count;
    spread->count = own->count + met->ghost_count + spread->here_count;
    spread->subsystem = tn_malloc(sizeof(int) * count);
    spread->start = tn_malloc(sizeof *spread->start * count);
    spread->room = tn_calloc(count, sizeof *spread->room);
    spread->near.own = tn_calloc(count, sizeof(bool));
    if (spread->mover_count) spread->near.mover = tn_calloc(count, sizeof(bool));
    bool ok = all && spread->subsystem && spread->start && spread->room && spread->near.own &&
              (spread->near.mover || !spread->mover_count);
    TnPlace *next = all;
    for (int i = 0; ok && i < own->count; i++) *next++ = (TnPlace){(uint64_t)own->bodies[i].s, OWN};
    for (int i = 0; ok && i < met->ghost_count; i++)
        *next++ = (TnPlace){(uint64_t)met->ghosts[i].s, GHOST};
    for (int i = 0; ok && i < spread->here_count; i++)
        *next++ = (TnPlace){(uint64_t)spread->here[i], MOVER};
    ok = ok && tn_curve_sort(all, spread->count);
    for (int k = 0; ok && k < spread->count; k++) {
        spread->subsystem[k] = (int)all[k].key;
        spread->local[all[k].key] = k;
        spread->near.own[k] = all[k].s != GHOST;
        if (spread->near.mover) spread->near.mover[k] = all[k].s == MOVER;
    }
    tn_free(all);
    return ok;
}

/* Whose links are whose. What belongs to nobody touches own bodies alone. */
static bool mark_links(TnSpread *spread)
{
    const TnModel *m = spread->model;
    TnNear *near = &spread->near;
    near->foreign = tn_calloc((size_t)m->link_count, 1);
    near->counts = tn_calloc((size_t)m->link_count, 1);
    if (!near->foreign || !near->counts) return false;
    int rank = near->ranks ? near->ranks->rank : 0;
    for (int l = 1; l < m->link_count; l++) {
        int s = m->link_subsystem[l];
        bool moves = s >= 0 && near->mover && near->mover[s];
        near->foreign[l] = s < 0 || !near->own[s];
        near->counts[l] = s < 0   ? rank == 0
                          : moves ? tn_spread_mover_owner(spread, spread->subsystem[s]) == rank
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
            near->send[sent] = spread->local[met->sends[sent].s];
        for (; received < met->ghost_count && met->owner[received] == rank; received++)
            near->receive[received] = spread->local[met->ghosts[received].s];
        near->rank[near->count++] = rank;
        near->send_start[near->count] = sent;
        near->receive_start[near->count] = received;
    }
    return true;
}

static void put_state(TnSpread *spread, const TnSpreadBody *body)
{
    long k = spread->local[body->s];
    const TnSubsystem *sub = &spread->model->subsystems[k];
    tn_spread_unpack(&spread->world->state, sub->qpos_start, sub->dof_start, body->numbers);
    v3_copy(spread->start[k], body->numbers);
}

static void add_contact(TnSpread *spread, const TnWarmContact *contact)
{
    TnWarmContact *c = &spread->world->state.contacts[spread->world->state.contact_count++];
    *c = *contact;
    c->geom1 = spread->local_geom[c->geom1];
    c->geom2 = spread->local_geom[c->geom2];
}

/* A geom of the whole; what belongs to nobody is. */
static bool is_here(const TnWorld *world, int geom)
{
    const TnSpread *spread = world->spread;
    int s = tn_geom_subsystem(world->model, geom), k = s < 0 ? -1 : spread->local[s];
    return s < 0 || (k < spread->count && spread->subsystem[k] == s);
}

static bool put_states(const TnWorld *world, const TnOwned *own, const TnMeeting *met)
{
    TnSpread *spread = world->spread;
    TnState *state = &spread->world->state;
    for (int i = 0; i < own->count; i++) {
        put_state(spread, &own->bodies[i]);
        spread->room[spread->local[own->bodies[i].s]] = met->room[i];
    }
    for (int i = 0; i < met->ghost_count; i++) put_state(spread, &met->ghosts[i]);
    if (!tn_state_reserve_contacts(state, own->contact_count + own->mover_contact_count))
        return false;
    state->contact_count = 0;
    for (int i = 0; i < own->contact_count; i++) add_contact(spread, &own->contacts[i]);
    for (int i = 0; i < own->mover_contact_count; i++)
        if (is_here(world, own->mover_contacts[i].geom1) &&
            is_here(world, own->mover_contacts[i].geom2))
            add_contact(spread, &own->mover_contacts[i]);
    return !own->mover_contact_count ||
           tn_spread_group_contacts(state->contacts, state->contact_count);
}

static bool make_world(TnWorld *whole)
{
    TnSpread *spread = whole->spread;
    TnWorldDef def = whole->def;
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
                         &(TnPartOfScene){.ranks = whole->def.ranks,
                                          .foreign = spread->near.foreign,
                                          .counts = spread->near.counts,
                                          .cell = tn_collider_cell(whole->collider)});
    return true;
}

bool tn_spread_make_part(TnWorld *world, TnOwned *own)
{
    TnSpread *spread = world->spread;
    TnMeeting met = {0};
    spread->near.ranks = world->def.ranks;
    spread->near.size = spread->size;
    spread->near.bodies = world->model->subsystem_count;
    spread->near.lacked = &spread->lacked;
    spread->near.stopped = &spread->stopped;
    spread->near.has_rods = world->model->rod_count > 0;
    spread->near.has_softs = world->model->soft_count > 0;
    spread->near.together = spread->mover_count && tn_ranks_count(world->def.ranks) > 1;
    bool ok = tn_spread_meet(world, own, &met) && list_bodies(spread, own, &met) &&
              list_neighbours(spread, &met);
    if (ok && tn_spread_is_mixed(world))
        spread->model = tn_model_part_with_movers(world->model, spread->subsystem, spread->count,
                                                  &spread->geom);
    else if (ok)
        spread->model = tn_model_part(world->model, &spread->index, spread->subsystem,
                                      spread->count, &spread->geom);
    ok = spread->model && mark_links(spread) && make_world(world);
    for (int g = 0; ok && g < spread->model->geom_count; g++)
        spread->local_geom[spread->geom[g]] = g;
    ok = ok && put_states(world, own, &met) && tn_spread_put_movers(world);
    if (ok) {
        spread->world->state.time = world->state.time;
        tn_world_update_frames(spread->world, NULL, 0);
    }
    void *const all[] = {met.ghosts, met.owner, met.sends, met.room};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    ok = ok && tn_spread_connect(spread);
    if (ok && world->def.ranks && world->def.ranks->traffic) world->def.ranks->traffic->divisions++;
    return ok;
}

void tn_spread_release_part(TnSpread *spread)
{
    TnNear *near = &spread->near;
    if (spread->exchange) near->ranks->close(spread->exchange);
    if (spread->world) {
        tn_arena_free(&spread->arena);
        spread->arena = spread->world->arena;
        spread->world->arena = (TnArena){0};
    }
    tn_world_destroy(spread->world);
    tn_model_destroy(spread->model);
    void *const all[] = {spread->room,  spread->subsystem, spread->geom,     spread->start,
                         spread->links, spread->sent,      spread->received, near->own,
                         near->mover,   near->counts,      near->balls,      near->foreign,
                         near->rank,    near->send_start,  near->send,       near->receive_start,
                         near->receive};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *near = (TnNear){0};
    spread->world = NULL;
    spread->model = NULL;
    spread->exchange = NULL;
    spread->links = NULL;
    spread->subsystem = spread->geom = NULL;
    spread->start = NULL;
    spread->room = spread->sent = spread->received = NULL;
    spread->count = spread->own_count = spread->steps = 0;
    spread->work = 0.0;
}
