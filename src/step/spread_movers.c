/* spread_movers.c: which ranks have which robots, cables, soft bodies, and whatever equalities,
 * tendons or actuators act on, in a world that ranks step in parts; see spread.h.
 *
 * A rank has each of these movers that own bodies are near to, or that it owns, and all free bodies
 * near it. A contact of a mover is then listed by all ranks that have it, at the same place among
 * its contacts, and the velocity of a free body in it is told in each iteration, as that of any
 * ghost. So these ranks find the same forces on a mover and move it by the same bits; nothing of it
 * is sent within a step. When who is near is found anew, the owner tells all ranks of it.
 *
 * Near a mover is whoever's reach meets a ball about one of its links, or about a node of its
 * surface: no point of a triangle is farther from its next corner than 1/√3 of its longest edge.
 * Movers that are near each other are at the same ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "spread.h"

#define BLOCK 16           /* balls in a box */
#define SHARE_OF_EDGE 0.58 /* 1/√3 */

/* ---- which ---- */

static void mark_link(const TnModel *m, int link, bool *mover)
{
    if (m->links[link].subsystem >= 0) mover[m->links[link].subsystem] = true;
}

static bool reserve_units(TnWorld *world)
{
    TnUnits *units = &world->spread->units;
    size_t n = (size_t)world->model->subsystem_count + 1,
           ranks = (size_t)tn_ranks_count(world->def.ranks);
    if (!units->of) units->of = tn_malloc(sizeof(int) * n);
    if (!units->common) units->common = tn_calloc(n, sizeof(bool));
    if (!units->cluster) units->cluster = tn_calloc(n, sizeof(int));
    if (!units->owner) units->owner = tn_calloc(n, sizeof(int));
    if (!units->there) units->there = tn_calloc(n * ranks, 1);
    return units->of && units->common && units->cluster && units->owner && units->there;
}

static void make_common(const TnModel *m, TnUnits *units, int link)
{
    int s = m->links[link].subsystem;
    if (s >= 0 && units->of[s] >= 0) units->common[units->of[s]] = true;
}

/* What one list of the model is about belongs together (model/movers.h). */
static void find_common(const TnWorld *world, TnUnits *units)
{
    const TnModel *m = world->model;
    for (int i = 0; i < m->path_count; i++)
        for (int k = 0; k < m->paths[i].link_count; k++)
            make_common(m, units, m->paths[i].links[k]);
    for (int i = 0; i < m->wheel_count; i++)
        make_common(m, units, m->bodies[m->wheels[i].body].link);
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].subsystem >= 0) units->common[units->of[m->tendons[i].subsystem]] = true;
    for (int i = 0; i < m->soft_count; i++)
        if (m->tie_count || world->division->piece_tie_count)
            units->common[units->of[m->softs[i].subsystem]] = true;
}

/* False: no memory. */
static bool find_units(TnWorld *world)
{
    const TnModel *m = world->model;
    const TnSpread *spread = world->spread;
    TnUnits *units = &world->spread->units;
    if (!reserve_units(world)) return false;
    units->count = 0;
    for (int s = 0; s < m->subsystem_count; s++) {
        int root = world->groups->of[s]; /* the lowest of its group */
        units->of[s] = !spread->mover[s] ? -1 : root == s ? units->count++ : units->of[root];
    }
    for (int u = 0; u < units->count; u++) units->common[u] = false;
    find_common(world, units);
    return true;
}

int tn_spread_mover_owner(const TnSpread *spread, int subsystem)
{
    return spread->units.owner[spread->units.of[subsystem]];
}

bool tn_spread_find_movers(TnWorld *world)
{
    const TnModel *m = world->model;
    TnSpread *spread = world->spread;
    size_t n = (size_t)m->subsystem_count + 1,
           kept = (size_t)(m->act_count + m->actuator_count) + 13 * (size_t)m->mocap_count;
    if (!spread->mover) spread->mover = tn_calloc(n, sizeof(bool));
    if (!spread->movers) spread->movers = tn_calloc(n, sizeof(int));
    if (!spread->here) spread->here = tn_calloc(n, sizeof(int));
    if (!spread->kept) spread->kept = tn_calloc(kept + 1, sizeof(double));
    if (!spread->mover || !spread->movers || !spread->here || !spread->kept) return false;
    for (int s = 0; s < m->subsystem_count; s++)
        spread->mover[s] =
            m->subsystems[s].kind != TN_SUBSYSTEM_RIGID || world->tied[s] || world->minds[s];
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].subsystem >= 0) spread->mover[m->tendons[i].subsystem] = true;
    for (int i = 0; i < m->actuator_count; i++)
        if (tn_actuator_subsystem(m, i) >= 0) spread->mover[tn_actuator_subsystem(m, i)] = true;
    for (int i = 0; i < m->path_count; i++)
        for (int k = 0; k < m->paths[i].link_count; k++)
            mark_link(m, m->paths[i].links[k], spread->mover);
    for (int i = 0; i < m->equality_count; i++) { /* those that may be switched on, too */
        const TnEquality *e = &m->equalities[i];
        if (e->type >= TN_EQUALITY_JOINT) continue;
        mark_link(m, m->bodies[e->body1].link, spread->mover);
        mark_link(m, m->bodies[e->body2].link, spread->mover);
    }
    spread->mover_count = 0;
    for (int s = 0; s < m->subsystem_count; s++)
        if (spread->mover[s]) spread->movers[spread->mover_count++] = s;
    return find_units(world);
}

/* ---- balls ---- */

static void add_ball(TnWorld *world, int s, int index, const double center[3], double radius,
                     double speed)
{
    TnSpread *spread = world->spread;
    TnBall *ball = &spread->balls[spread->ball_count++];
    double slack = tn_world_solver(world).velocity_scale * world->t;
    *ball = (TnBall){.s = s,
                     .index = index,
                     .unit = spread->units.of[s],
                     .radius = radius + spread->contact_margin};
    v3_copy(ball->center, center);
    ball->room = tn_spread_room(world, speed) + spread->more_room;
    ball->reach = ball->radius + ball->room + 0.5 * slack;
}

static void add_links(TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    const int *geom_start = world->spread->index.geom_start;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const double *twist = world->twists[l];
        double radius = world->groups->radius[l];
        if (geom_start[l] == geom_start[l + 1]) continue;
        add_ball(world, s, l - sub->link_start, world->frames[l].com, radius,
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
    const TnSoft *soft = &world->model->softs[world->model->subsystems[s].kind_index];
    double *longest = tn_malloc(sizeof(double) * (size_t)(soft->node_count + 1));
    if (!longest) return false;
    find_edges(world, soft, longest);
    for (int i = 0; i < soft->surface_node_count; i++) {
        int node = soft->surface_nodes[i];
        add_ball(world, s, node, world->state.qpos + soft->qpos_start + 3L * node,
                 SHARE_OF_EDGE * longest[node] + soft->radius,
                 v3_norm(world->state.qvel + soft->dof_start + 3L * node));
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
    if (n == 1 || !spread->mover_count) return true;
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

/* About movers where the whole's state has them. False: no memory. */
static bool place_balls(TnWorld *world)
{
    const TnModel *m = world->model;
    TnSpread *spread = world->spread;
    size_t most = (size_t)m->link_count + 1;
    spread->ball_count = 0;
    if (!share_lacked(world)) return false;
    spread->more_room =
        spread->lacked > 0.0 ? spread->more_room + 1.5 * spread->lacked : 0.5 * spread->more_room;
    /* one rank has all of them */
    if (tn_ranks_count(world->def.ranks) == 1 || spread->mover_count == m->subsystem_count)
        return true;
    for (int i = 0; i < m->soft_count; i++) most += (size_t)m->softs[i].surface_node_count;
    if (!spread->balls) spread->balls = tn_malloc(sizeof *spread->balls * most);
    bool ok = spread->balls;
    for (int i = 0; ok && i < spread->mover_count; i++) {
        if (m->subsystems[spread->movers[i]].kind == TN_SUBSYSTEM_SOFT)
            ok = add_nodes(world, spread->movers[i]);
        else
            add_links(world, spread->movers[i]);
    }
    return ok;
}

/* ---- who is near them ---- */

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

bool tn_spread_is_mover(const TnWorld *world, int geom)
{
    int s = tn_geom_subsystem(world->model, geom);
    return s >= 0 && world->spread->mover[s];
}

/* Those that a mover touched in the last step are near it. */
static bool meet_touching(TnWorld *world, const TnOwned *own)
{
    TnSpread *spread = world->spread;
    for (int i = 0; i < own->mover_contact_count; i++) {
        const TnWarmContact *c = &own->mover_contacts[i];
        int a = tn_geom_subsystem(world->model, c->geom1),
            b = tn_geom_subsystem(world->model, c->geom2);
        if (a < 0 || b < 0 || spread->mover[a] == spread->mover[b]) continue;
        TnSpreadBody one = {.s = spread->mover[a] ? b : a};
        const TnSpreadBody *body = own->count ? bsearch(&one, own->bodies, (size_t)own->count,
                                                        sizeof one, tn_spread_by_number)
                                              : NULL;
        if (body && !add_near(&spread->units, spread->units.of[spread->mover[a] ? a : b],
                              (int)(body - own->bodies)))
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
static void find_clusters(const TnModel *whole, TnSpread *spread)
{
    TnUnits *units = &spread->units;
    for (int u = 0; u < units->count; u++) units->cluster[u] = u;
    for (int u = 1; u < units->count && spread->mover_count == whole->subsystem_count; u++)
        tn_set_join(units->cluster, 0, u); /* nobody has free bodies: one rank has them */
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

static const double *place_of(const TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    return sub->link_count ? world->frames[sub->link_start].com
                           : world->state.qpos + sub->qpos_start;
}

/* By the place of the first of a cluster. */
static void find_owners(const TnWorld *world)
{
    const TnSpread *spread = world->spread;
    const TnUnits *units = &spread->units;
    int ranks = tn_ranks_count(world->def.ranks);
    for (int i = spread->mover_count - 1; i >= 0; i--) { /* the lowest of a unit is the last */
        int s = spread->movers[i];
        uint64_t key = tn_curve_key(&spread->curve, place_of(world, s));
        units->owner[units->of[s]] = tn_spread_owner(spread, ranks, key);
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
    if (!ok || !spread->mover_count) return ok;
    find_clusters(world->model, spread);
    find_owners(world);
    for (int first = 0; ok && first < spread->ball_count; first += BLOCK)
        ok = meet_balls(spread, first, own, size, most);
    ok = ok && meet_touching(world, own) && share_clusters(world);
    int rank = world->def.ranks ? world->def.ranks->rank : 0;
    for (int i = 0; ok && i < spread->mover_count; i++) {
        int s = spread->movers[i];
        if (has(spread, rank, tn_set_root(units->cluster, units->of[s])))
            spread->here[spread->here_count++] = s;
    }
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
        if (spread->mover_count && has(spread, rank, u) && has(spread, other, u)) return true;
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
    int s = tn_geom_subsystem(spread->model, geom1);
    if (s < 0) s = tn_geom_subsystem(spread->model, geom2);
    int rank = world->def.ranks ? world->def.ranks->rank : 0;
    if (s < 0) return rank == 0;
    if (!spread->near.mover || !spread->near.mover[s]) return spread->near.own[s];
    return tn_spread_mover_owner(spread, spread->subsystem[s]) == rank;
}
