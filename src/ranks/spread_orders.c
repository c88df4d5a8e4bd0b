/* spread_orders.c: what users of a world in parts set for the next step; see spread.h.
 *
 * Only rank 0 has all bodies, so what is set there counts: forces on bodies and nodes, controls and
 * places of mocap bodies, and whether the state is another one. It tells all ranks before each
 * step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

typedef struct Orders {
    int32_t put;          /* divide the state that rank 0 has */
    int32_t wrench_count; /* forces follow, */
    int32_t node_forces;  /* and those on nodes, */
    int32_t drives;       /* and controls and places of mocap bodies */
    int32_t ctrl_by_user;
} Orders;

/* ---- rank 0 ---- */

static bool is_pushed(const double wrench[6])
{
    static const double none[6] = {0.0};
    return memcmp(wrench, none, sizeof none) != 0;
}

/* False: no memory. */
static bool reserve_wrenches(TnSpread *spread, int count)
{
    spread->wrench_count = 0;
    if (count <= spread->wrench_room) return true;
    tn_free(spread->wrenches);
    spread->wrenches = tn_malloc(sizeof *spread->wrenches * (size_t)count);
    spread->wrench_room = spread->wrenches ? count : 0;
    return spread->wrenches;
}

/* The same. */
static bool list_wrenches(TnWorld *world)
{
    const TnModel *m = world->model;
    TnSpread *spread = world->spread;
    int count = 0;
    for (int l = 1; world->wrench_set && l < m->link_count; l++)
        count += m->links[l].subsystem >= 0 && is_pushed(world->wrench[l]);
    if (!reserve_wrenches(spread, count)) return false;
    for (int l = 1; count && l < m->link_count; l++) {
        int s = m->links[l].subsystem;
        if (s < 0 || !is_pushed(world->wrench[l])) continue;
        TnSpreadWrench *to = &spread->wrenches[spread->wrench_count++];
        *to = (TnSpreadWrench){.number = s, .link = l - m->subsystems[s].link_start};
        memcpy(to->wrench, world->wrench[l], sizeof to->wrench);
    }
    return true;
}

/* From the user's world to `common`; true: something changed. */
static bool copy(double *to, const double *from, int count)
{
    size_t bytes = sizeof(double) * (size_t)count;
    if (!count || !memcmp(to, from, bytes)) return false;
    memcpy(to, from, bytes);
    return true;
}

static bool copy_drives(TnWorld *world)
{
    TnState *to = &world->spread->common->state;
    const TnState *from = &world->state;
    const TnModel *m = world->model;
    bool changed = to->ctrl_by_user != from->ctrl_by_user;
    to->ctrl_by_user = from->ctrl_by_user;
    if (from->ctrl_by_user) changed |= copy(to->ctrl, from->ctrl, m->actuator_count);
    changed |= copy(to->mocap_target, from->mocap_target, 7 * m->mocap_count);
    return changed;
}

/* Soft bodies are movers, in one order everywhere. */
static void copy_node_forces(TnWorld *world)
{
    const TnModel *whole = world->model;
    TnWorld *common = world->spread->common;
    common->node_force_set = world->node_force_set;
    for (int i = 0; world->node_force_set && i < whole->soft_count; i++)
        memcpy(common->node_force + common->model->softs[i].dof_start,
               world->node_force + whole->softs[i].dof_start,
               sizeof(double[3]) * (size_t)whole->softs[i].node_count);
}

static bool find_orders(TnWorld *world, Orders *out)
{
    const TnSpread *spread = world->spread;
    if (!list_wrenches(world)) return false;
    copy_node_forces(world);
    *out = (Orders){.put = spread->put,
                    .wrench_count = spread->wrench_count,
                    .node_forces = world->node_force_set,
                    .drives = copy_drives(world),
                    .ctrl_by_user = world->state.ctrl_by_user};
    return true;
}

/* ---- all ---- */

static bool tell_wrenches(const TnRanks *ranks, TnSpread *spread, int count)
{
    if (ranks->rank && !reserve_wrenches(spread, count)) return false;
    spread->wrench_count = count;
    return !count ||
           tn_spread_broadcast(ranks, spread->wrenches, sizeof *spread->wrenches * (size_t)count);
}

static bool tell(TnWorld *world, Orders *orders)
{
    const TnRanks *ranks = world->def.ranks;
    TnSpread *spread = world->spread;
    TnWorld *common = spread->common;
    const TnModel *m = common->model;
    size_t number = sizeof(double);
    if (!tn_spread_broadcast(ranks, orders, sizeof *orders) ||
        !tell_wrenches(ranks, spread, orders->wrench_count))
        return false;
    common->node_force_set = orders->node_forces;
    if (orders->node_forces && m->dof_count &&
        !tn_spread_broadcast(ranks, common->node_force, number * (size_t)m->dof_count))
        return false;
    if (!orders->drives) return true;
    common->state.ctrl_by_user = orders->ctrl_by_user;
    return tn_spread_broadcast(ranks, common->state.ctrl, number * (size_t)m->actuator_count) &&
           tn_spread_broadcast(ranks, common->state.mocap_target,
                               number * 7 * (size_t)m->mocap_count);
}

bool tn_spread_take_orders(TnWorld *world)
{
    TnSpread *spread = world->spread;
    Orders orders = {0};
    if (tn_spread_rank(world) == 0 && !find_orders(world, &orders)) return false;
    if (tn_ranks_count(world->def.ranks) > 1 && !tell(world, &orders)) return false;
    spread->put = orders.put;
    if (orders.wrench_count && tn_ranks_count(world->def.ranks) > 1) spread->far = true;
    return true;
}

/* Numbers ascend. */
static int by_number(const void *x, const void *y)
{
    const TnSpreadWrench *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

double tn_spread_pushed(const TnWorld *world, int number, const TnLink *link)
{
    const TnSpread *spread = world->spread;
    const double *I = link->inertia_principal;
    TnSpreadWrench one = {.number = number};
    const TnSpreadWrench *found =
        spread->wrench_count
            ? bsearch(&one, spread->wrenches, (size_t)spread->wrench_count, sizeof one, by_number)
            : NULL;
    if (!found) return 0.0;
    const double *f = found->wrench;
    double turns = spread->scene.size * v3_norm(f + 3) / fmin(I[0], fmin(I[1], I[2]));
    return 2.0 * world->t * world->t * (v3_norm(f) / link->mass + turns);
}

/* ---- the part ---- */

static void hand_over_wrenches(const TnSpread *spread)
{
    const TnModel *m = spread->part.model;
    TnWorld *part = spread->world;
    part->wrench_set = spread->wrench_count > 0;
    if (!spread->wrench_count) return;
    memset(part->wrench, 0, sizeof *part->wrench * (size_t)m->link_count);
    for (int i = 0; i < spread->wrench_count; i++) {
        const TnSpreadWrench *w = &spread->wrenches[i];
        int k = tn_part_find(spread->part.subsystem, spread->count, w->number);
        if (k >= 0)
            memcpy(part->wrench[m->subsystems[k].link_start + w->link], w->wrench,
                   sizeof w->wrench);
    }
}

static void put(double *to, const double *from, int count)
{
    if (count > 0) memcpy(to, from, sizeof(double) * (size_t)count);
}

void tn_spread_hand_over_orders(TnWorld *world)
{
    const TnSpread *spread = world->spread;
    const TnWorld *common = spread->common;
    const TnModel *m = common->model;
    TnWorld *part = spread->world;
    hand_over_wrenches(spread);
    part->state.ctrl_by_user = common->state.ctrl_by_user;
    if (part->state.ctrl_by_user) put(part->state.ctrl, common->state.ctrl, m->actuator_count);
    put(part->state.mocap_target, common->state.mocap_target, 7 * m->mocap_count);
    part->node_force_set = common->node_force_set;
    for (int i = 0; common->node_force_set && i < m->soft_count; i++) {
        int k = spread->place[m->softs[i].subsystem];
        if (k >= 0)
            put(part->node_force + spread->part.model->subsystems[k].dof_start,
                common->node_force + m->softs[i].dof_start, 3 * m->softs[i].node_count);
    }
    if (tn_spread_mover_count(spread)) part->energies_known = false;
}
