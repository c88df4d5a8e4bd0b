/* spread_divide.c: whose bodies are whose, from a state that all ranks know; see spread.h.
 *
 * Each rank owns a range of the curve. Ranges have equal weight: a body counts 2, and 1 for each of
 * its contacts. All ranks know the same, so they agree without talking. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

static const double *place_of(const TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    if (world->spread->mover[s] && sub->link_count) return world->frames[sub->link_start].com;
    return world->state.qpos + sub->qpos_start;
}

/* Free bodies, or where there are none movers, in the order of the curve. NULL: no memory. */
static TnPlace *order_bodies(TnWorld *world, int *count)
{
    TnSpread *spread = world->spread;
    int n = 0;
    TnPlace *places = tn_malloc(sizeof *places * (size_t)(world->model->subsystem_count + 1));
    double low[3] = {0.0}, high[3] = {0.0};
    for (int s = 0; places && s < world->model->subsystem_count; s++) {
        if (spread->mover[s] && spread->mover_count < world->model->subsystem_count) continue;
        for (int i = 0; i < 3; i++) {
            low[i] = n ? fmin(low[i], place_of(world, s)[i]) : place_of(world, s)[i];
            high[i] = n ? fmax(high[i], place_of(world, s)[i]) : place_of(world, s)[i];
        }
        places[n++].s = s;
    }
    spread->curve = tn_curve_through(low, high, fmax(1e-9 * spread->size, DBL_MIN));
    for (int i = 0; places && i < n; i++)
        places[i].key = tn_curve_key(&spread->curve, place_of(world, places[i].s));
    *count = n;
    if (places && tn_curve_sort(places, n)) return places;
    tn_free(places);
    return NULL;
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

static bool cut(TnWorld *world, const TnPlace *places, int count)
{
    const TnModel *model = world->model;
    const TnState *state = &world->state;
    TnSpread *spread = world->spread;
    int n = model->subsystem_count;
    int64_t *of = tn_calloc((size_t)n + 1, sizeof *of),
            *weight = tn_malloc(sizeof *weight * (size_t)(n + 1));
    bool ok = of && weight;
    for (int i = 0; ok && i < state->contact_count; i++) {
        int a = tn_geom_subsystem(model, state->contacts[i].geom1),
            b = tn_geom_subsystem(model, state->contacts[i].geom2);
        if (a >= 0) of[a]++;
        if (b >= 0) of[b]++;
    }
    for (int i = 0; ok && i < count; i++) weight[i] = TN_SPREAD_BODY_WEIGHT + of[places[i].s];
    if (ok)
        tn_spread_cut(places, weight, count, tn_ranks_count(world->def.ranks), spread->first_key);
    tn_free(of);
    tn_free(weight);
    return ok;
}

/* Copies what the rank owns, and contacts of movers. */
static bool take(const TnWorld *world, const TnPlace *places, int count, TnOwned *own)
{
    const TnModel *model = world->model;
    const TnState *state = &world->state;
    const TnSpread *spread = world->spread;
    int n = model->subsystem_count, ranks = tn_ranks_count(world->def.ranks),
        rank = world->def.ranks ? world->def.ranks->rank : 0;
    uint64_t first = spread->first_key[rank],
             end = rank + 1 < ranks ? spread->first_key[rank + 1] : UINT64_MAX;
    bool *mine = tn_calloc((size_t)n + 1, sizeof *mine);
    if (!mine) return false;
    for (int i = 0; i < count; i++)
        if (places[i].key >= first && places[i].key < end && !spread->mover[places[i].s]) {
            mine[places[i].s] = true;
            own->count++;
        }
    own->bodies = tn_malloc(sizeof *own->bodies * (size_t)(own->count + 1));
    own->contacts = tn_malloc(sizeof *own->contacts * (size_t)(state->contact_count + 1));
    own->mover_contacts = tn_malloc(sizeof *own->contacts * (size_t)(state->contact_count + 1));
    bool ok = own->bodies && own->contacts && own->mover_contacts;
    TnSpreadBody *to = own->bodies;
    for (int s = 0; ok && s < n; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (!mine[s]) continue;
        to->s = s;
        tn_spread_pack(state, sub->qpos_start, sub->dof_start, to->numbers);
        to++;
    }
    for (int i = 0; ok && i < state->contact_count; i++) {
        const TnWarmContact *c = &state->contacts[i];
        int a = tn_geom_subsystem(model, c->geom1), b = tn_geom_subsystem(model, c->geom2);
        if ((a >= 0 && spread->mover[a]) || (b >= 0 && spread->mover[b]))
            own->mover_contacts[own->mover_contact_count++] = *c;
        else if ((a >= 0 && mine[a]) || (b >= 0 && mine[b]))
            own->contacts[own->contact_count++] = *c;
    }
    tn_free(mine);
    return ok;
}

bool tn_spread_divide(TnWorld *world)
{
    TnSpread *spread = world->spread;
    TnOwned own = {0};
    int count = 0;
    TnPlace *places = tn_spread_find_movers(world) ? order_bodies(world, &count) : NULL;
    tn_spread_release_part(spread);
    bool ok = places && cut(world, places, count) && take(world, places, count, &own);
    tn_free(places);
    ok = ok && tn_spread_make_part(world, &own);
    tn_free(own.bodies);
    tn_free(own.contacts);
    tn_free(own.mover_contacts);
    spread->put = !ok;
    return ok;
}
