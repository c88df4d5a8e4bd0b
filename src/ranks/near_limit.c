/* near_limit.c: nothing is moved into something else, in a world that ranks step in parts.
 *
 * As limit.c, but all contacts are looked at in rounds, from what ways were before the round, so
 * that the order of contacts matters only to the body whose way changes: it adds up
 * what its own contacts ask for. Between rounds ranks tell each other how their bodies were moved.
 * Robots, cables, soft bodies and what is joined to them do not give way, and have one share of
 * their way, which all ranks find. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "near.h"

/* Of what a contact is short of: a body may have several on one side. */
#define RELAX 0.6
#define GIVE_ROUNDS 10
/* A body that is held back holds back those behind it, so this takes as many rounds as there are in
 * a row; every so many rounds ranks ask whether a body is still to be held. */
#define MOST_HOLD_ROUNDS 400
#define ROUNDS_PER_LOOK 4

typedef struct Approach {
    const TnContactPoint *c;
    int s[2];      /* subsystems that stand for their groups; -1: the world */
    int body[2];   /* link of a free body that gives way, else 0 */
    double way[2]; /* m along the normal */
    double room, short_room, deep, leave;
} Approach;

typedef struct Limits {
    TnStep *step;
    const bool *own;
    Approach *list;
    int count;
    double slack;
    /* of giving way, per link of a free body: */
    double (*change)[6]; /* in a round */
    uint8_t *moves;      /* Moves */
    int *active, active_count;
    bool *was_short; /* per contact: in the last round that looked at it */
    double *share;   /* per subsystem, */
    bool *changed;   /* and whether it did in the last round */
} Limits;

/* Of a point of a soft body. */
static void node_moved(const TnStep *step, const TnSoftPoint *point, double v[3])
{
    const double *u = step->found.moved_qvel + step->model->softs[point->soft].dof_start;
    v3_zero(v);
    for (int k = 0; k < point->count; k++)
        v3_add_scaled(v, u + 3L * point->node[k], point->weight[k]);
}

/* As in limit.c, of contacts that last along their normal in the middle of the step. */
static double way_of(const TnStep *step, const TnContactList *list, const TnContactPoint *c,
                     int side)
{
    const TnConstraintSet *set = &step->world->set;
    int soft = side ? c->soft2 : c->soft1, i = (int)(c - list->points);
    double v[3];
    if (list == &step->world->contacts && set->laws[i].resting) {
        tn_contact_moved(&step->constraint, set, i, side, (const double(*)[6])step->found.moved,
                         step->found.moved_qvel, v);
        return step->t * v3_dot(v, set->problem.normals[i]);
    }
    if (soft >= 0)
        node_moved(step, &list->soft_points[soft], v);
    else
        tn_step_point_moved(step, c, side, v);
    return step->t * v3_dot(v, c->normal);
}

static void set_side(const TnStep *step, Approach *x, int k)
{
    const TnNear *near = step->world->near;
    int s = tn_geom_subsystem(step->model, k ? x->c->geom2 : x->c->geom1);
    x->s[k] = s < 0 ? -1 : step->world->groups->of[s];
    x->body[k] =
        s < 0 || (near->mover && near->mover[s]) ? 0 : step->model->subsystems[s].link_start;
}

static void add_contacts(Limits *l, const TnContactList *list, double deep)
{
    const TnStep *step = l->step;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *c = &list->points[i];
        Approach *x = &l->list[l->count++];
        bool overlaps = c->gap < 0.0 && c->clearance <= c->gap;
        double size = tn_step_contact_size(step, c);
        *x = (Approach){.c = c,
                        .way = {way_of(step, list, c, 0), way_of(step, list, c, 1)},
                        .room = overlaps ? 0.0 : c->gap,
                        .deep = fmax(0.0, deep + (overlaps ? c->gap : 0.0)),
                        .leave =
                            TN_LEAVE * l->slack + (size < INFINITY ? TN_LEAVE_SIZE * size : 0.0)};
        x->short_room = c->clearance < c->gap ? fmax(c->clearance, 0.0) : x->room;
        for (int k = 0; k < 2; k++) set_side(step, x, k);
        if (x->s[0] == x->s[1]) l->count--; /* of one robot or cable: nothing is asked of it */
    }
}

/* ---- giving way ----
 * Few bodies give way, so a round looks at contacts that were short or have a body that moved in
 * the last one: others are as they were. */

/* Of a body: it moved in the last round; in some round; it is to be moved in this one. */
typedef enum Moves { NOW = 1, EVER = 2, ACTIVE = 4 } Moves;

/* How far its body's extra way moves a side along the normal. */
static double extra_of(const Limits *l, const Approach *x, int k)
{
    double v[3];
    if (!x->body[k]) return 0.0;
    const double *extra = l->step->way.extra[x->body[k]];
    v3_cross(v, extra + 3, k ? x->c->arm2 : x->c->arm1);
    v3_add(v, v, extra);
    return v3_dot(v, x->c->normal);
}

static double short_of(const Limits *l, const Approach *x)
{
    return x->way[0] + extra_of(l, x, 0) - x->way[1] - extra_of(l, x, 1) - x->room;
}

static void make_active(Limits *l, int link)
{
    if (l->moves[link] & ACTIVE) return;
    l->moves[link] |= ACTIVE;
    l->active[l->active_count++] = link;
}

/* As an impulse would move them. */
static void push_apart(Limits *l, const Approach *x, double by)
{
    const TnStep *step = l->step;
    double turn[2][3], sum = 0.0;
    for (int k = 0; k < 2; k++) {
        double moment[3];
        int link = x->body[k];
        if (!link) continue;
        v3_cross(moment, k ? x->c->arm2 : x->c->arm1, x->c->normal);
        tn_rigid_divide_by_inertia(&step->model->links[link], step->world->frames[link].quat,
                                   moment, turn[k]);
        sum += 1.0 / step->model->links[link].mass + v3_dot(moment, turn[k]);
    }
    for (int k = 0; k < 2; k++) {
        if (!x->body[k] || !l->own[x->s[k]]) continue;
        double impulse = (k ? by : -by) / sum, *change = l->change[x->body[k]];
        v3_add_scaled(change, x->c->normal, impulse / step->model->links[x->body[k]].mass);
        v3_add_scaled(change + 3, turn[k], impulse);
        make_active(l, x->body[k]);
    }
}

/* No body is moved on by more than contacts are listed ahead. What is held by that is active in the
 * next round, too. */
static void take_changes(Limits *l)
{
    const TnStep *step = l->step;
    int count = l->active_count;
    l->active_count = 0;
    for (int i = 0; i < count; i++) {
        int link = l->active[i];
        double *extra = step->way.extra[link], *change = l->change[link];
        for (int k = 0; k < 6; k++) extra[k] += change[k];
        double way = v3_norm(extra) + v3_norm(extra + 3) * step->world->groups->radius[link],
               most = TN_MOST_WAY * l->slack;
        for (int k = 0; k < 6 && way > most; k++) extra[k] *= most / way;
        memset(change, 0, sizeof l->change[link]);
        l->moves[link] = NOW | EVER;
        if (way > most) make_active(l, link);
    }
}

static void look_at_contacts(Limits *l, bool all)
{
    for (int i = 0; i < l->count; i++) {
        const Approach *x = &l->list[i];
        int moved = (l->moves[x->body[0]] | l->moves[x->body[1]]) & NOW;
        if (!all && !moved && !l->was_short[i]) continue;
        double by = short_of(l, x);
        l->was_short[i] = (x->body[0] || x->body[1]) && by > x->leave;
        if (l->was_short[i]) push_apart(l, x, RELAX * by);
    }
}

/* `told`: what was known of others' bodies before; they are compared with it. */
static void mark_ghosts(Limits *l, double (*told)[6])
{
    const TnNear *near = l->step->world->near;
    int ghosts = near->count ? near->receive_start[near->count] : 0;
    for (int k = 0; k < ghosts; k++) {
        int link = l->step->model->subsystems[near->receive[k]].link_start;
        const double *extra = l->step->way.extra[link];
        if (!memcmp(told[k], extra, sizeof told[k])) continue;
        memcpy(told[k], extra, sizeof told[k]);
        l->moves[link] = NOW | EVER;
    }
}

static bool reserve(Limits *l, double (**told)[6])
{
    TnStep *step = l->step;
    TnArena *arena = &step->world->arena;
    const TnNear *near = step->world->near;
    size_t n = (size_t)step->model->link_count;
    int ghosts = near->count ? near->receive_start[near->count] : 0;
    step->way.extra = tn_arena_calloc(arena, sizeof *step->way.extra * n);
    l->change = tn_arena_calloc(arena, sizeof *l->change * n);
    l->moves = tn_arena_calloc(arena, n);
    l->active = TN_ARENA_NEW(arena, int, n);
    l->was_short = TN_ARENA_NEW(arena, bool, l->count + 1);
    *told = tn_arena_calloc(arena, sizeof(double[6]) * (size_t)(ghosts + 1));
    return step->way.extra && l->change && l->moves && l->active && l->was_short && *told;
}

static bool give_way(Limits *l)
{
    TnStep *step = l->step;
    TnNearExchange told;
    double(*before)[6];
    if (!reserve(l, &before) || !tn_near_open(step, 6, &told)) return false;
    step->way.has_extra = true;
    for (int round = 0; round < GIVE_ROUNDS; round++) {
        look_at_contacts(l, round == 0);
        for (int link = 0; link < step->model->link_count; link++) l->moves[link] &= (uint8_t)~NOW;
        take_changes(l);
        tn_near_tell_links(&told, (double *)step->way.extra);
        mark_ghosts(l, before);
    }
    tn_near_close(&told);
    for (int i = 0; i < l->count; i++) {
        Approach *x = &l->list[i];
        for (int k = 0; k < 2; k++)
            if (l->moves[x->body[k]] & EVER) x->way[k] += extra_of(l, x, k);
    }
    return true;
}

/* ---- holding back ---- */

static double share_of(const Limits *l, int s) { return s >= 0 ? l->share[s] : 1.0; }

/* The shares that a contact leaves to its sides. */
static void hold(const Limits *l, const Approach *x, double *next)
{
    double share[2] = {share_of(l, x->s[0]), share_of(l, x->s[1])};
    double a = share[0] * x->way[0], b = share[1] * x->way[1], closing = 0.0;
    double room = share[0] < 1.0 || share[1] < 1.0 ? x->short_room : x->room;
    double by = a - b - room - x->deep;
    bool holds[2] = {x->s[0] >= 0 && a > 0.0, x->s[1] >= 0 && b < 0.0};
    if (!(by > x->leave)) return;
    if (holds[0]) closing += a;
    if (holds[1]) closing -= b;
    if (!(closing > 0.0)) return;
    double keep = by < closing ? 1.0 - by / closing : 0.0;
    for (int k = 0; k < 2; k++)
        if (holds[k]) next[x->s[k]] = fmin(next[x->s[k]], keep * share[k]);
}

/* One round; true: the share of a body fell. */
static bool hold_once(const Limits *l, TnNearExchange *told, double *next)
{
    int n = l->step->model->subsystem_count;
    bool any = false;
    memcpy(next, l->share, sizeof *next * (size_t)n);
    for (int i = 0; i < l->count; i++) {
        const Approach *x = &l->list[i];
        if ((x->s[0] >= 0 && l->changed[x->s[0]]) || (x->s[1] >= 0 && l->changed[x->s[1]]))
            hold(l, x, next);
    }
    tn_near_tell(told, next);
    for (int s = 0; s < n; s++) {
        any |= l->changed[s] = next[s] != l->share[s];
        l->share[s] = next[s];
    }
    return any;
}

static bool hold_back(Limits *l)
{
    TnStep *step = l->step;
    TnNearExchange told;
    int n = step->model->subsystem_count;
    double *next = TN_ARENA_NEW(&step->world->arena, double, n + 1);
    l->share = TN_ARENA_NEW(&step->world->arena, double, n + 1);
    l->changed = TN_ARENA_NEW(&step->world->arena, bool, n + 1);
    if (!next || !l->share || !l->changed || !tn_near_open(step, 1, &told)) return false;
    for (int s = 0; s < n; s++) {
        l->share[s] = 1.0;
        l->changed[s] = true;
    }
    bool ok = true, any = true;
    for (int round = 1; ok && any && round <= MOST_HOLD_ROUNDS; round++) {
        bool here = hold_once(l, &told, next);
        if (round % ROUNDS_PER_LOOK == 0) ok = tn_near_any(step, here, &any);
    }
    tn_near_close(&told);
    for (int s = 0; s < n; s++) step->way.reach[s] = l->share[step->world->groups->of[s]];
    return ok;
}

/* ---- both ---- */

static bool is_short(const Limits *l, bool deep)
{
    for (int i = 0; i < l->count; i++) {
        const Approach *x = &l->list[i];
        double by = x->way[0] - x->way[1] - x->room - (deep ? x->deep : 0.0);
        if (by > x->leave) return true;
    }
    return false;
}

bool tn_near_limit(TnStep *step, bool *cut)
{
    const TnContactList *listed = &step->world->contacts, *missed = &step->missed.list;
    Limits l = {.step = step, .own = step->world->near->own, .slack = tn_step_slack(step)};
    l.list = TN_ARENA_NEW(&step->world->arena, Approach, listed->count + missed->count);
    if (!l.list) return false;
    tn_step_full_ways(step);
    add_contacts(&l, listed, TN_DEEP * l.slack);
    add_contacts(&l, missed, TN_MISSED * l.slack);
    bool held;
    if (!tn_near_any(step, is_short(&l, false), cut)) return false;
    if (!*cut) return true;
    return give_way(&l) && tn_near_any(step, is_short(&l, true), &held) && (!held || hold_back(&l));
}
