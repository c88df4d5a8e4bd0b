/* spread_movers.c: which ranks have which robots, cables, soft bodies, and whatever equalities,
 * tendons or actuators act on, in a world that ranks step in parts; see spread.h.
 *
 * A rank has each of these movers that own bodies are near to, or that it owns, and all free bodies
 * near it. A contact of a mover is then listed by all ranks that have it, at the same place among
 * its contacts, and the velocity of a free body in it is told in each iteration, as that of any
 * ghost. So these ranks find the same forces on a mover and move it by the same bits; nothing of it
 * is sent within a step. When neighbours are found anew, the owner tells all ranks of it.
 *
 * Near a mover are bodies whose reach meets a ball about one of its links, or about a node of its
 * surface: no point of a triangle is farther from its next corner than 1/√3 of its longest edge.
 * Movers that are near each other are at the same ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../base/rounding.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "spread.h"

#define BLOCK 16 /* balls in a box */

/* ---- units ---- */

static bool reserve_units(TnWorld *world)
{
    TnUnits *units = &world->spread->units;
    size_t n = (size_t)tn_spread_mover_count(world->spread) + 1,
           ranks = (size_t)tn_ranks_count(world->def.ranks);
    units->of = tn_malloc(sizeof(int) * n);
    units->common = tn_calloc(n, sizeof(bool));
    units->cluster = tn_calloc(n, sizeof(int));
    units->owner = tn_calloc(n, sizeof(int));
    units->there = tn_calloc(n * ranks, 1);
    return units->of && units->common && units->cluster && units->owner && units->there;
}

static void make_common(const TnModel *m, TnUnits *units, int link)
{
    if (m->links[link].subsystem >= 0) units->common[units->of[m->links[link].subsystem]] = true;
}

/* What one list of the model is about belongs together (model/part/part.h). */
static void find_common(const TnWorld *common, TnUnits *units)
{
    const TnModel *m = common->model;
    for (int i = 0; i < m->path_count; i++)
        for (int k = 0; k < m->paths[i].link_count; k++)
            make_common(m, units, m->paths[i].links[k]);
    for (int i = 0; i < m->wheel_count; i++)
        make_common(m, units, m->bodies[m->wheels[i].body].link);
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].subsystem >= 0) units->common[units->of[m->tendons[i].subsystem]] = true;
    for (int i = 0; i < m->soft_count; i++)
        if (m->tie_count || common->division->piece_tie_count)
            units->common[units->of[m->softs[i].subsystem]] = true;
}

bool tn_spread_find_units(TnWorld *world)
{
    const TnWorld *common = world->spread->common;
    TnUnits *units = &world->spread->units;
    if (!reserve_units(world)) return false;
    for (int i = 0; i < common->model->subsystem_count; i++) {
        int root = common->groups->of[i]; /* the lowest of its group */
        units->of[i] = root == i ? units->count++ : units->of[root];
    }
    find_common(common, units);
    return true;
}

/* ---- balls ---- */

static void add_ball(TnWorld *world, int s, int index, const double center[3], double radius,
                     double speed)
{
    TnSpread *spread = world->spread;
    TnBall *ball = &spread->balls[spread->ball_count++];
    double slack = tn_world_velocity_scale(world) * world->t;
    *ball = (TnBall){.s = s,
                     .index = index,
                     .unit = spread->units.of[s],
                     .radius = radius + spread->scene.contact_margin};
    v3_copy(ball->center, center);
    ball->room = tn_spread_room(world, speed) + spread->more_room;
    ball->reach = ball->radius + ball->room + 0.5 * slack;
}

static void add_links(TnWorld *world, int s, const bool *has_geoms)
{
    const TnWorld *common = world->spread->common;
    const TnSubsystem *sub = &common->model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const double *twist = common->twists[l];
        double radius = common->groups->radius[l];
        if (has_geoms[l])
            add_ball(world, s, l - sub->link_start, common->frames[l].com, radius,
                     v3_norm(twist) + v3_norm(twist + 3) * radius);
    }
}

/* Of each node of a surface, the longest edge. */
static void find_edges(const TnWorld *world, const TnSoft *soft, double *longest)
{
    const double *x = world->state.qpos + soft->qpos_start;
    for (int i = 0; i < soft->node_count; i++) longest[i] = 0.0;
    for (int t = 0; t < soft->triangle_count; t++) {
        const int32_t *corner = soft->triangles + 3L * t;
        double most = 0.0, d[3];
        for (int k = 0; k < 3; k++) {
            v3_sub(d, x + 3L * corner[k], x + 3L * corner[(k + 1) % 3]);
            most = fmax(most, v3_norm(d));
        }
        for (int k = 0; k < 3; k++) longest[corner[k]] = fmax(longest[corner[k]], most);
    }
}

static bool add_nodes(TnWorld *world, int s)
{
    const TnWorld *common = world->spread->common;
    const TnSoft *soft = &common->model->softs[common->model->subsystems[s].kind_index];
    double *longest = tn_malloc(sizeof(double) * (size_t)(soft->node_count + 1));
    if (!longest) return false;
    find_edges(common, soft, longest);
    for (int i = 0; i < soft->surface_node_count; i++) {
        int node = soft->surface_nodes[i];
        add_ball(world, s, node, common->state.qpos + soft->qpos_start + 3L * node,
                 (1.0 + TN_ROOM) / sqrt(3.0) * longest[node] + soft->radius,
                 v3_norm(common->state.qvel + soft->dof_start + 3L * node));
    }
    tn_free(longest);
    return true;
}

/* The most of all ranks. False: no memory. */
static bool share_lacked(TnWorld *world)
{
    const TnRanks *ranks = world->def.ranks;
    TnSpread *spread = world->spread;
    int n = tn_ranks_count(ranks);
    if (n == 1 || !(tn_spread_mover_count(spread) || tn_spread_watches(world))) return true;
    double *all = tn_calloc((size_t)n, sizeof *all);
    size_t *start = tn_malloc(sizeof *start * (size_t)(n + 1));
    bool ok = all && start;
    if (ok) {
        for (int r = 0; r <= n; r++) start[r] = sizeof *all * (size_t)r;
        all[ranks->rank] = spread->lacked;
        tn_ranks_share(ranks, all, start);
        for (int r = 0; r < n; r++) spread->lacked = fmax(spread->lacked, all[r]);
    }
    tn_free(all);
    tn_free(start);
    return ok;
}

bool tn_spread_set_more_room(TnWorld *world)
{
    TnSpread *spread = world->spread;
    if (!share_lacked(world)) return false;
    spread->more_room =
        spread->lacked > 0.0 ? spread->more_room + 1.5 * spread->lacked : 0.5 * spread->more_room;
    return true;
}

static bool *links_with_geoms(const TnModel *m)
{
    bool *has = tn_calloc((size_t)m->link_count, sizeof *has);
    for (int g = 0; has && g < m->geom_count; g++) has[m->geom_link[g]] = true;
    return has;
}

/* There are free bodies. */
static bool is_mixed(const TnSpread *spread) { return spread->scene.free > 0; }

/* About movers where their owners last told. False: no memory. */
static bool place_balls(TnWorld *world)
{
    TnSpread *spread = world->spread;
    const TnModel *m = spread->common->model;
    size_t most = (size_t)m->link_count + 1;
    spread->ball_count = 0;
    /* one rank has all of them */
    if (tn_ranks_count(world->def.ranks) == 1 || !is_mixed(spread)) return true;
    for (int i = 0; i < m->soft_count; i++) most += (size_t)m->softs[i].surface_node_count;
    if (!spread->balls) spread->balls = tn_malloc(sizeof *spread->balls * most);
    bool *has_geoms = links_with_geoms(m), ok = spread->balls && has_geoms;
    for (int i = 0; ok && i < m->subsystem_count; i++) {
        if (m->subsystems[i].kind == TN_SUBSYSTEM_SOFT)
            ok = add_nodes(world, i);
        else
            add_links(world, i, has_geoms);
    }
    tn_free(has_geoms);
    return ok;
}

/* ---- what is near them ---- */

typedef struct Box {
    double low[3], high[3]; /* of what some balls reach */
} Box;

static Box box_of(const TnSpread *spread, int first)
{
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = first; k < first + BLOCK && k < spread->ball_count; k++)
        for (int i = 0; i < 3; i++) {
            const TnBall *ball = &spread->balls[k];
            box.low[i] = fmin(box.low[i], ball->center[i] - ball->reach);
            box.high[i] = fmax(box.high[i], ball->center[i] + ball->reach);
        }
    return box;
}

/* m: no ball of the box reaches nearer. */
static double gap_to(const Box *box, const double x[3])
{
    double gap = -INFINITY;
    for (int i = 0; i < 3; i++) gap = fmax(gap, fmax(box->low[i] - x[i], x[i] - box->high[i]));
    return gap;
}

/* False: no memory. */
static bool add_near(TnUnits *units, int unit, int body)
{
    if (units->near_count == units->near_capacity) {
        int capacity = 2 * units->near_capacity + 256;
        TnPlace *near = tn_realloc(units->near, sizeof *near * (size_t)capacity);
        if (!near) return false;
        units->near = near;
        units->near_capacity = capacity;
    }
    units->near[units->near_count++] = (TnPlace){(uint64_t)tn_set_root(units->cluster, unit), body};
    return true;
}

/* Some balls; `most` as in tn_spread_meet_movers. */
static bool meet_balls(TnSpread *spread, int first, const TnOwned *own, double size, double *most)
{
    Box box = box_of(spread, first);
    for (int i = 0; i < own->count; i++) {
        const TnSpreadBody *body = &own->bodies[i];
        double gap = gap_to(&box, body->numbers);
        int last = -1;
        if (gap > body->reach) {
            most[i] = fmin(most[i], gap - size);
            continue;
        }
        for (int k = first; k < first + BLOCK && k < spread->ball_count; k++) {
            const TnBall *ball = &spread->balls[k];
            double d[3], apart;
            v3_sub(d, body->numbers, ball->center);
            apart = v3_norm(d) - ball->reach;
            most[i] = fmin(most[i], apart - size);
            if (apart > body->reach || ball->unit == last) continue;
            last = ball->unit;
            if (!add_near(&spread->units, last, i)) return false;
        }
    }
    return true;
}

/* Those that a mover touched in the last step are near it. */
static bool meet_touching(TnSpread *spread, const TnOwned *own)
{
    for (int i = 0; i < own->mover_contact_count; i++) {
        const int32_t *side = own->mover_contacts[i].side;
        if (side[0] < 0 || side[1] < 0) continue;
        int a = tn_spread_mover(spread, side[0]), b = tn_spread_mover(spread, side[1]);
        if ((a < 0) == (b < 0)) continue;
        TnSpreadBody one = {.number = a < 0 ? side[0] : side[1]};
        const TnSpreadBody *body = own->count ? bsearch(&one, own->bodies, (size_t)own->count,
                                                        sizeof one, tn_spread_by_number)
                                              : NULL;
        if (body &&
            !add_near(&spread->units, spread->units.of[a < 0 ? b : a], (int)(body - own->bodies)))
            return false;
    }
    return true;
}

/* ---- clusters ---- */

static int by_low_end(const void *x, const void *y)
{
    const TnBall *a = x, *b = y;
    double low_a = a->center[0] - a->reach, low_b = b->center[0] - b->reach;
    if (low_a != low_b) return low_a < low_b ? -1 : 1;
    if (a->s != b->s) return a->s < b->s ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Joins units whose balls meet; balls are then in the order of their low ends. */
static void find_clusters(TnSpread *spread)
{
    TnUnits *units = &spread->units;
    for (int u = 0; u < units->count; u++) units->cluster[u] = u;
    for (int u = 1; u < units->count && !is_mixed(spread); u++)
        tn_set_join(units->cluster, 0, u); /* no rank has free bodies: one gets them */
    if (units->count < 2 || !spread->ball_count) return;
    qsort(spread->balls, (size_t)spread->ball_count, sizeof *spread->balls, by_low_end);
    for (int i = 0; i < spread->ball_count; i++) {
        const TnBall *a = &spread->balls[i];
        for (int k = i + 1; k < spread->ball_count; k++) {
            const TnBall *b = &spread->balls[k];
            double d[3], sum = a->reach + b->reach;
            if (b->center[0] - b->reach > a->center[0] + a->reach) break;
            if (a->unit == b->unit) continue;
            v3_sub(d, a->center, b->center);
            if (v3_dot(d, d) <= sum * sum) tn_set_join(units->cluster, a->unit, b->unit);
        }
    }
}

const double *tn_spread_mover_place(const TnWorld *common, int mover)
{
    const TnSubsystem *sub = &common->model->subsystems[mover];
    return sub->link_count ? common->frames[sub->link_start].com
                           : common->state.qpos + sub->qpos_start;
}

/* By the place of the first of a cluster. */
static void find_owners(const TnWorld *world)
{
    const TnSpread *spread = world->spread;
    const TnUnits *units = &spread->units;
    int ranks = tn_ranks_count(world->def.ranks);
    for (int i = tn_spread_mover_count(spread) - 1; i >= 0; i--) { /* the lowest is the last */
        uint64_t key = tn_curve_key(&spread->curve, tn_spread_mover_place(spread->common, i));
        units->owner[units->of[i]] = tn_spread_owner(spread, ranks, key);
    }
    for (int u = 0; u < units->count; u++)
        units->owner[u] = units->owner[tn_set_root(units->cluster, u)];
}

/* False: no memory. */
static bool share_clusters(TnWorld *world)
{
    const TnRanks *ranks = world->def.ranks;
    TnUnits *units = &world->spread->units;
    int n = tn_ranks_count(ranks), rank = ranks ? ranks->rank : 0;
    uint8_t *mine = units->there + (size_t)rank * (size_t)units->count;
    size_t *start = tn_malloc(sizeof *start * (size_t)(n + 1));
    if (!start) return false;
    memset(mine, 0, (size_t)units->count);
    for (int u = 0; u < units->count; u++)
        if (units->common[u] || units->owner[u] == rank) mine[tn_set_root(units->cluster, u)] = 1;
    for (int i = 0; i < units->near_count; i++) mine[units->near[i].key] = 1;
    for (int r = 0; r <= n; r++) start[r] = (size_t)r * (size_t)units->count;
    if (n > 1) tn_ranks_share(ranks, units->there, start);
    tn_free(start);
    return true;
}

static bool has(const TnSpread *spread, int rank, int cluster)
{
    return spread->units.there[(size_t)rank * (size_t)spread->units.count + (size_t)cluster];
}

bool tn_spread_meet_movers(TnWorld *world, const TnOwned *own, double size, double *most)
{
    TnSpread *spread = world->spread;
    TnUnits *units = &spread->units;
    bool ok = place_balls(world);
    for (int i = 0; i < own->count; i++) most[i] = INFINITY;
    spread->here_count = units->near_count = 0;
    if (!ok || !tn_spread_mover_count(spread)) return ok;
    find_clusters(spread);
    find_owners(world);
    for (int first = 0; ok && first < spread->ball_count; first += BLOCK)
        ok = meet_balls(spread, first, own, size, most);
    ok = ok && meet_touching(spread, own) && share_clusters(world);
    int rank = tn_spread_rank(world);
    for (int i = 0; ok && i < tn_spread_mover_count(spread); i++)
        if (has(spread, rank, tn_set_root(units->cluster, units->of[i])))
            spread->here[spread->here_count++] = i;
    return ok;
}

void tn_spread_mark_for(const TnSpread *spread, int rank, TnSpreadBody *own, int count)
{
    const TnUnits *units = &spread->units;
    for (int i = 0; i < count; i++) own[i].shared = 0;
    for (int i = 0; i < units->near_count; i++)
        if (has(spread, rank, (int)units->near[i].key)) own[units->near[i].s].shared = 1;
}

bool tn_spread_share_movers(const TnSpread *spread, int rank, int other)
{
    for (int u = 0; u < spread->units.count; u++)
        if (has(spread, rank, u) && has(spread, other, u)) return true;
    return false;
}

double tn_spread_movers_gone(const TnSpread *spread)
{
    double most = 0.0;
    for (int i = 0; i < spread->near.ball_count; i++) {
        const TnNearBall *ball = &spread->near.balls[i];
        most = fmax(most, tn_near_ball_way(spread->world, ball) / ball->room);
    }
    return most;
}

/* ---- contacts ---- */

bool tn_spread_tells(const TnWorld *world, int geom1, int geom2)
{
    const TnSpread *spread = world->spread;
    int s = tn_geom_subsystem(spread->part.model, geom1), rank = tn_spread_rank(world);
    if (s < 0) s = tn_geom_subsystem(spread->part.model, geom2);
    if (s < 0) return rank == 0;
    if (spread->mover[s] < 0) return spread->near.own[s];
    return tn_spread_mover_owner(spread, spread->mover[s]) == rank;
}
