/* spread_open.c: a world that ranks step in parts begins and ends; see spread.h.
 *
 * Ranks tell each other whether they have a model. Those without one are sent the base by rank 0,
 * all that is no free body, and make a world of that. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

/* ---- what cannot be spread ---- */

static bool check(const TnWorld *world, TnError *err)
{
    const TnWorldDef *def = &world->def;
    const TnSolverDef *solver = &def->solver;
    const struct {
        bool there;
        const char *what;
    } parts[] = {{def->device != TN_DEVICE_CPU, "a device"},
                 {def->sleep != TN_SLEEP_OFF, "sleeping"},
                 {def->passes > 1, "a number of passes"},
                 {solver->anderson > 0, "Anderson acceleration"},
                 {solver->method != TN_METHOD_AUTO && solver->method != TN_METHOD_SUBADMM,
                  "a solver other than auto and subadmm"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i].there) continue;
        tn_error_add(err, TN_ERROR_USAGE,
                     "spread: a world in parts cannot have %s; a world that is whole can",
                     parts[i].what);
        ok = false;
    }
    return ok;
}

/* ---- which subsystems are movers ---- */

static void mark_link(const TnModel *m, int link, bool *mover)
{
    if (m->links[link].subsystem >= 0) mover[m->links[link].subsystem] = true;
}

/* Per subsystem of the whole. NULL: no memory. */
static bool *find_movers(const TnWorld *world)
{
    const TnModel *m = world->model;
    bool *mover = tn_calloc((size_t)m->subsystem_count + 1, sizeof *mover);
    if (!mover) return NULL;
    for (int s = 0; s < m->subsystem_count; s++)
        mover[s] = m->subsystems[s].kind != TN_SUBSYSTEM_RIGID || world->tied[s] || world->minds[s];
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].subsystem >= 0) mover[m->tendons[i].subsystem] = true;
    for (int i = 0; i < m->actuator_count; i++)
        if (tn_actuator_subsystem(m, i) >= 0) mover[tn_actuator_subsystem(m, i)] = true;
    for (int i = 0; i < m->path_count; i++)
        for (int k = 0; k < m->paths[i].link_count; k++) mark_link(m, m->paths[i].links[k], mover);
    for (int i = 0; i < m->equality_count; i++) { /* those that may be switched on, too */
        const TnEquality *e = &m->equalities[i];
        if (e->type >= TN_EQUALITY_JOINT) continue;
        mark_link(m, m->bodies[e->body1].link, mover);
        mark_link(m, m->bodies[e->body2].link, mover);
    }
    return mover;
}

static TnSpreadScene scene_of(const TnWorld *world, const bool *mover)
{
    const TnModel *m = world->model;
    TnSpreadScene scene = {.cell = tn_collider_cell(world->collider),
                           .subsystems = m->subsystem_count,
                           .bounces = world->bounces};
    for (int s = 0; s < m->subsystem_count; s++) {
        int l = m->subsystems[s].link_start;
        if (m->subsystems[s].kind != TN_SUBSYSTEM_RIGID) continue;
        scene.size = fmax(scene.size, world->groups->radius[l] + v3_norm(m->links[l].com));
        scene.free += !mover[s];
    }
    for (int l = 1; l < m->link_count; l++)
        if (m->links[l].subsystem >= 0) scene.extent = fmax(scene.extent, world->groups->radius[l]);
    if (m->subsystem_count) scene.mean_mass = m->total_mass / m->subsystem_count;
    for (int g = 0; g < m->geom_count; g++)
        if (m->geom_link[g] || m->geoms[g].type == TN_GEOM_SOFT)
            scene.contact_margin = fmax(scene.contact_margin, m->geoms[g].margin);
    for (int i = 0; i < m->pair_count; i++)
        scene.contact_margin = fmax(scene.contact_margin, m->pairs[i].margin);
    scene.size += scene.contact_margin;
    return scene;
}

/* ---- what all ranks have ---- */

static bool create_common(TnWorld *world)
{
    TnSpread *spread = world->spread;
    spread->common = tn_spread_world_of(world, spread->base.model, 1);
    return spread->common && tn_spread_find_units(world);
}

static void release_base(TnSpread *spread)
{
    TnUnits *units = &spread->units;
    void *const all[] = {units->of,   units->common, units->cluster, units->owner,  units->there,
                         units->near, spread->balls, spread->kept,   spread->place, spread->here};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *units = (TnUnits){0};
    spread->balls = NULL;
    spread->kept = NULL;
    spread->place = spread->here = NULL;
    tn_world_destroy(spread->common);
    spread->common = NULL;
    tn_part_free(&spread->all);
    tn_base_free(&spread->base);
}

/* Lists by mover. */
static bool reserve(TnSpread *spread)
{
    const TnModel *m = spread->base.model;
    size_t n = (size_t)m->subsystem_count + 1,
           kept = (size_t)(m->act_count + m->actuator_count) + 13 * (size_t)m->mocap_count;
    spread->place = tn_calloc(n, sizeof(int));
    spread->here = tn_calloc(n, sizeof(int));
    spread->kept = tn_calloc(kept + 1, sizeof(double));
    return spread->place && spread->here && spread->kept;
}

bool tn_spread_renew_base(TnWorld *world)
{
    TnSpread *spread = world->spread;
    release_base(spread);
    bool *mover = find_movers(world);
    bool ok = mover && tn_base_create(world->model, mover, &spread->base);
    if (ok) spread->scene = scene_of(world, mover);
    tn_free(mover);
    if (ok && tn_spread_rank(world) == 0) ok = tn_part_of_whole(world->model, &spread->all);
    return ok && reserve(spread) && create_common(world);
}

bool tn_spread_is_fixed(const TnWorld *world)
{
    const TnSpread *spread = world->spread;
    for (int r = 0; spread && r < tn_ranks_count(world->def.ranks); r++)
        if (!spread->whole_at[r]) return true;
    return false;
}

/* ---- worlds ---- */

bool tn_spread_create(TnWorld *world, TnSpreadStart *start, TnError *err)
{
    if (!world->def.spread) return true;
    bool has_whole = !start || start->whole_at[tn_spread_rank(world)];
    if (has_whole && !check(world, err)) return false;
    size_t ranks = (size_t)tn_ranks_count(world->def.ranks);
    TnSpread *spread = world->spread = tn_calloc(1, sizeof *spread);
    bool ok = spread;
    if (ok) {
        spread->has_whole = has_whole;
        spread->first_key = tn_calloc(ranks, sizeof *spread->first_key);
        spread->whole_at = tn_calloc(ranks, sizeof *spread->whole_at);
        spread->margin = 1.0;
        spread->put = true;
        ok = spread->first_key && spread->whole_at;
    }
    if (ok) memset(spread->whole_at, 1, ranks);
    if (ok && start) memcpy(spread->whole_at, start->whole_at, ranks);
    if (ok && has_whole) {
        ok = tn_spread_renew_base(world);
    } else if (ok) {
        spread->base = start->base;
        start->base = (TnBase){0};
        spread->scene = start->scene;
        ok = reserve(spread) && create_common(world);
    }
    if (!ok) tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
    if (ok) tn_collider_trim(world->collider); /* parts have their own */
    return ok;
}

void tn_spread_destroy(TnWorld *world)
{
    TnSpread *spread = world->spread;
    if (!spread) return;
    tn_spread_release_part(spread, NULL);
    tn_arena_free(&spread->arena);
    release_base(spread);
    tn_spread_forget_start(spread);
    tn_free(spread->first_key);
    tn_free(spread->whole_at);
    tn_free(spread->wrenches);
    tn_free(spread);
}

/* ---- ranks without a model ---- */

/* Which ranks have one. NULL: no memory. */
static bool *ask_who_has(const TnRanks *ranks, bool here)
{
    size_t n = (size_t)ranks->count, *start = tn_malloc(sizeof *start * (n + 1));
    bool *has = tn_calloc(n, sizeof *has);
    if (start && has) {
        for (size_t r = 0; r <= n; r++) start[r] = r;
        has[ranks->rank] = here;
        tn_ranks_share(ranks, has, start);
    }
    tn_free(start);
    return has;
}

typedef struct Sent {
    TnSpreadScene scene;
    uint64_t bytes; /* of the base that follows; 0: rank 0 has no world */
} Sent;

/* By rank 0. */
static bool send_base(const TnRanks *ranks, const TnWorld *world)
{
    Sent sent = {0};
    size_t bytes = 0;
    void *base = world ? tn_base_pack(&world->spread->base, &bytes) : NULL;
    if (base) sent = (Sent){world->spread->scene, bytes};
    bool ok = tn_spread_broadcast(ranks, &sent, sizeof sent) &&
              (!base || tn_spread_broadcast(ranks, base, bytes));
    tn_free(base);
    return ok && base;
}

/* By the others. Its bytes; NULL: there are none. */
static void *receive_base(const TnRanks *ranks, TnSpreadScene *scene)
{
    Sent sent = {0};
    if (!tn_spread_broadcast(ranks, &sent, sizeof sent) || !sent.bytes) return NULL;
    void *base = tn_aligned_alloc(sent.bytes);
    *scene = sent.scene;
    if (base && tn_spread_broadcast(ranks, base, sent.bytes)) return base;
    tn_free(base);
    return NULL;
}

static TnWorld *create_without(const TnWorldDef *asked, TnSpreadStart *start, TnError *err)
{
    TnWorldDef def = *asked;
    void *base = receive_base(def.ranks, &start->scene);
    def.key = 0; /* rank 0 has it */
    TnWorld *world = NULL;
    if (!base)
        tn_error_add(err, TN_ERROR_USAGE, "world: rank 0 has none that others could be a part of");
    else if (tn_base_unpack(base, &start->base))
        world = tn_world_create_here(&def, start->base.model, start, err);
    else
        tn_free(base);
    return world;
}

TnWorld *tn_spread_create_world(const TnWorldDef *def, const TnModel *model, TnError *err)
{
    const TnRanks *ranks = def->ranks;
    TnSpreadStart start = {.whole_at = ask_who_has(ranks, model)};
    TnWorld *world = NULL;
    bool all = true;
    for (int r = 0; start.whole_at && r < ranks->count; r++) all = all && start.whole_at[r];
    if (!start.whole_at) {
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
    } else if (!start.whole_at[0]) {
        tn_error_add(err, TN_ERROR_USAGE, "world: no model");
    } else if (!model) {
        world = create_without(def, &start, err);
    } else {
        world = tn_world_create_here(def, model, &start, err);
        TnSpreadScene scene;
        if (!all && ranks->rank) tn_free(receive_base(ranks, &scene));
        if (!all && !ranks->rank && !send_base(ranks, world)) {
            tn_world_destroy(world);
            world = NULL;
        }
    }
    tn_base_free(&start.base);
    tn_free(start.whole_at);
    return world;
}
