/* spread_divide.c: whose bodies are whose; see spread.h.
 *
 * Cells are cubes, as long as two bodies are apart at most that may meet before space is divided
 * anew. In the order of their Morton codes, cells go to ranks by weight: a body counts 2, and 1 for
 * each of its contacts. All ranks know the whole state here, so they agree without talking. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "../model/part.h"
#include "spread.h"

#define AXIS_BITS 20 /* of a cell's place along an axis; farther out cells share the last one */
#define BODY_WEIGHT 2
/* Space is divided for so many steps at the speed that the fastest has, and for a share of its
 * size. */
#define STEPS_AHEAD 8.0
#define SIZE_SHARE 0.25
#define DIGIT_BITS 12

typedef struct Place {
    uint64_t key; /* Morton code of its cell */
    int s;
} Place;

typedef struct Cell {
    uint64_t key;
    int first; /* in the list of places */
    int owner;
} Cell;

typedef struct Division {
    TnWorld *world;
    TnSpread *spread;
    const TnRanks *ranks;
    int rank, ranks_count;
    double low[3], edge;
    Place *places; /* by key, then by subsystem */
    Cell *cells;   /* and one more that ends the list */
    int cell_count;
    uint8_t *here; /* per subsystem of the whole: 0, or 1 + how it is */
    int *owner;    /* per subsystem */
    Place *sends;  /* own bodies and ranks that have them, the rank as key */
    int send_count, send_capacity;
} Division;

enum { ABSENT, GHOST, OWN };

/* ---- cells ---- */

static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t gather_bits(uint64_t x)
{
    x &= 0x1249249249249249u;
    x = (x | x >> 2) & 0x10c30c30c30c30c3u;
    x = (x | x >> 4) & 0x100f00f00f00f00fu;
    x = (x | x >> 8) & 0x1f0000ff0000ffu;
    x = (x | x >> 16) & 0x1f00000000ffffu;
    return (x | x >> 32) & 0x1fffffu;
}

static uint64_t key_of(const Division *d, const double x[3])
{
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) {
        double k = floor((x[i] - d->low[i]) / d->edge), top = (1 << AXIS_BITS) - 1;
        key |= spread_bits((uint64_t)(k < top ? (k > 0.0 ? k : 0.0) : top)) << i;
    }
    return key;
}

/* By key, those of one key in their order. */
static void sort_places(Place *places, Place *scratch, int count, uint64_t all_bits)
{
    int *start = tn_malloc(sizeof *start * ((1 << DIGIT_BITS) + 1));
    for (int shift = 0; start && shift < 3 * AXIS_BITS; shift += DIGIT_BITS) {
        uint64_t mask = (1 << DIGIT_BITS) - 1;
        if (!(all_bits >> shift & mask)) continue;
        memset(start, 0, sizeof *start * ((1 << DIGIT_BITS) + 1));
        for (int i = 0; i < count; i++) start[(places[i].key >> shift & mask) + 1]++;
        for (int k = 0; k < 1 << DIGIT_BITS; k++) start[k + 1] += start[k];
        for (int i = 0; i < count; i++) scratch[start[places[i].key >> shift & mask]++] = places[i];
        memcpy(places, scratch, sizeof *places * (size_t)count);
    }
    tn_free(start);
}

static const double *place_of(const TnWorld *world, int s)
{
    return world->state.qpos + world->model->subsystems[s].qpos_start;
}

static bool make_cells(Division *d)
{
    int n = d->world->model->subsystem_count;
    uint64_t bits = 0;
    Place *scratch = tn_malloc(sizeof *scratch * (size_t)(n + 1));
    d->places = tn_malloc(sizeof *d->places * (size_t)(n + 1));
    d->cells = tn_malloc(sizeof *d->cells * (size_t)(n + 1));
    if (!scratch || !d->places || !d->cells) {
        tn_free(scratch);
        return false;
    }
    v3_set(d->low, INFINITY, INFINITY, INFINITY);
    for (int s = 0; s < n; s++)
        for (int i = 0; i < 3; i++) d->low[i] = fmin(d->low[i], place_of(d->world, s)[i]);
    for (int s = 0; s < n; s++) {
        d->places[s] = (Place){key_of(d, place_of(d->world, s)), s};
        bits |= d->places[s].key;
    }
    sort_places(d->places, scratch, n, bits);
    tn_free(scratch);
    for (int i = 0; i < n; i++)
        if (i == 0 || d->places[i].key != d->places[i - 1].key)
            d->cells[d->cell_count++] = (Cell){.key = d->places[i].key, .first = i};
    d->cells[d->cell_count] = (Cell){.first = n};
    return true;
}

/* -1: there is nobody. */
static int find_cell(const Division *d, uint64_t key)
{
    int low = 0, high = d->cell_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (d->cells[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->cell_count && d->cells[low].key == key ? low : -1;
}

/* Cells next to it in which somebody is; 26 at most. */
static int neighbours_of(const Division *d, int cell, int *out)
{
    uint64_t key = d->cells[cell].key;
    int64_t at[3], count = 0, most = (1 << AXIS_BITS) - 1;
    for (int i = 0; i < 3; i++) at[i] = (int64_t)gather_bits(key >> i);
    for (int k = 0; k < 27; k++) {
        int64_t to[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
        if (k == 13 || to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] > most || to[1] > most ||
            to[2] > most)
            continue;
        int other = find_cell(d, spread_bits((uint64_t)to[0]) | spread_bits((uint64_t)to[1]) << 1 |
                                     spread_bits((uint64_t)to[2]) << 2);
        if (other >= 0) out[count++] = other;
    }
    return (int)count;
}

/* ---- whose they are ---- */

static bool give_cells(Division *d)
{
    const TnModel *model = d->world->model;
    const TnState *state = &d->world->state;
    int n = model->subsystem_count;
    int *weight = tn_malloc(sizeof *weight * (size_t)(n + 1));
    d->owner = tn_malloc(sizeof *d->owner * (size_t)(n + 1));
    if (!weight || !d->owner) {
        tn_free(weight);
        return false;
    }
    double total = 0.0, sum = 0.0;
    for (int s = 0; s < n; s++) weight[s] = BODY_WEIGHT;
    for (int i = 0; i < state->contact_count; i++) {
        int a = tn_geom_subsystem(model, state->contacts[i].geom1),
            b = tn_geom_subsystem(model, state->contacts[i].geom2);
        if (a >= 0) weight[a]++;
        if (b >= 0) weight[b]++;
    }
    for (int s = 0; s < n; s++) total += weight[s];
    for (int k = 0; k < d->cell_count; k++) {
        double cell = 0.0;
        for (int i = d->cells[k].first; i < d->cells[k + 1].first; i++)
            cell += weight[d->places[i].s];
        int owner = (int)((sum + 0.5 * cell) * d->ranks_count / total);
        d->cells[k].owner = owner < d->ranks_count ? owner : d->ranks_count - 1;
        for (int i = d->cells[k].first; i < d->cells[k + 1].first; i++)
            d->owner[d->places[i].s] = d->cells[k].owner;
        sum += cell;
    }
    tn_free(weight);
    return true;
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

/* Marks who is here, and notes whom neighbours have. */
static bool choose(Division *d)
{
    int near[26];
    d->here = tn_calloc((size_t)d->world->model->subsystem_count + 1, 1);
    if (!d->here) return false;
    for (int k = 0; k < d->cell_count; k++) {
        const Cell *cell = &d->cells[k];
        if (cell->owner != d->rank) continue;
        for (int i = cell->first; i < cell[1].first; i++) d->here[d->places[i].s] = OWN;
        for (int n = neighbours_of(d, k, near) - 1; n >= 0; n--) {
            const Cell *other = &d->cells[near[n]];
            bool told = other->owner == d->rank;
            for (int m = n - 1; m >= 0; m--) told |= d->cells[near[m]].owner == other->owner;
            for (int i = cell->first; !told && i < cell[1].first; i++)
                if (!note_send(d, other->owner, d->places[i].s)) return false;
            for (int i = other->first; other->owner != d->rank && i < other[1].first; i++)
                d->here[d->places[i].s] = GHOST;
        }
    }
    return true;
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

static void copy_state(const Division *d)
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
    spread->near.own = tn_calloc(count, sizeof(bool));
    spread->near.foreign = tn_calloc(count, 1);
    bool ok = local && local_geom && spread->subsystem && spread->geom && spread->start &&
              spread->near.own && spread->near.foreign;
    for (int s = 0, k = 0; ok && s < n; s++) {
        local[s] = -1;
        if (d->here[s] == ABSENT) continue;
        spread->near.own[k] = d->here[s] == OWN;
        spread->near.foreign[k + 1] = d->here[s] == GHOST;
        local[s] = k;
        spread->subsystem[k++] = s;
    }
    spread->near.ranks = d->ranks;
    spread->model =
        ok ? tn_model_part(model, spread->subsystem, spread->count, spread->geom) : NULL;
    ok = spread->model && list_neighbours(d, local) && make_world(d);
    for (int g = 0; ok && g < spread->model->geom_count; g++) local_geom[spread->geom[g]] = g;
    if (ok) copy_state(d);
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
    tn_world_destroy(spread->world);
    tn_model_destroy(spread->model);
    void *const all[] = {spread->subsystem, spread->geom,     spread->start, spread->links,
                         spread->sent,      spread->received, near->own,     near->foreign,
                         near->rank,        near->send_start, near->send,    near->receive_start,
                         near->receive};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *spread = (TnSpread){.size = spread->size, .put = true};
}

/* How far apart two may be that meet before space is divided anew. */
static void measure(Division *d)
{
    const TnModel *model = d->world->model;
    const TnState *state = &d->world->state;
    TnSpread *spread = d->spread;
    double t = d->world->t, fastest = 0.0, slack = tn_world_solver(d->world).velocity_scale * t;
    for (int s = 0; s < model->subsystem_count; s++) {
        const double *v = state->qvel + model->subsystems[s].dof_start;
        fastest = fmax(fastest, v3_norm(v) + v3_norm(v + 3) * spread->size);
    }
    spread->room = SIZE_SHARE * spread->size +
                   STEPS_AHEAD * t * (fastest + STEPS_AHEAD * v3_norm(model->option.gravity) * t);
    d->edge = 2.0 * (spread->size + spread->room) + slack;
}

bool tn_spread_divide(TnWorld *world)
{
    double size = world->spread->size;
    tn_spread_release(world->spread);
    world->spread->size = size;
    Division d = {.world = world,
                  .spread = world->spread,
                  .ranks = world->def.ranks,
                  .rank = world->def.ranks ? world->def.ranks->rank : 0,
                  .ranks_count = tn_ranks_count(world->def.ranks)};
    measure(&d);
    bool ok = make_cells(&d) && give_cells(&d) && choose(&d) && make_part(&d);
    tn_free(d.places);
    tn_free(d.cells);
    tn_free(d.owner);
    tn_free(d.here);
    tn_free(d.sends);
    world->spread->put = !ok;
    return ok;
}
