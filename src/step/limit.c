/* limit.c: nothing is moved into something else.
 *
 * The solver's error, and contacts that were not listed (missed.c), would let bodies end up inside
 * of others. Velocities stay what they are, and the next step, which sees the contacts, stops what
 * still approaches; but ways are changed so that, to first order, every contact keeps
 *
 *     d + n·(w_b - w_a) >= min(d, 0),      w the ways of its two points, t u at first,
 *
 * in two stages, contact by contact, as long as one is short of room:
 *
 *   give way  free bodies are moved on by as much as a contact is short of, as an impulse would
 * move them. Whatever is joined to something or driven is taken to be heavy and does not give way.
 *   hold      what is short still, jammed between things that do not give way, is held back: those
 * that approach are moved by a share r of their way only. At r = 0 everything stands still and no
 * gap gets smaller, so such shares exist; they are lowered by as much as a contact is short of,
 * which ends, since they only fall. Subsystems that are joined for good have one share.
 *
 * A contact is looked at again when one of its sides was changed by another (base/turns.h). */
#include <math.h>
#include <string.h>

#include "../base/bucket.h"
#include "../base/select.h"
#include "../base/turns.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "step.h"
#include "thresholds.h"

/* Times that a contact is looked at in a stage, on average and at most. */
#define GIVE_LOOKS 6
#define HOLD_LOOKS 24
/* Contacts per body that gave way: with more, only those of these bodies are gone through. */
#define FEW_GIVEN 64

/* One side of a contact. */
typedef struct Side {
    int group;  /* the subsystem that stands for its group; -1: the world */
    int body;   /* link of a free body that gives way, else 0 */
    double way; /* m along the normal, from the first side to the second */
} Side;

typedef struct Approach {
    Side side[2];
    const TnContactPoint *c;
    double most;       /* m: it may be short of so much; 0: not found yet */
    double room;       /* m: by how much the gap may get smaller, */
    double short_room; /* and where a side does not go all of its way */
    double deep;       /* how much deeper than what is let pass it may get before a side is held */
    bool looked_at;    /* moments are known, */
    bool weighed;      /* and all that an impulse does */
    bool acted;        /* a way was changed for it */
} Approach;

/* What an impulse along the normal does to a contact's free bodies. */
typedef struct Weights {
    double normal[3], moment[2][3];     /* and arm × n, once they are needed */
    double turn[2][3], mass_inverse[2]; /* once a side gives way */
    double sum;
} Weights;

typedef struct Limits {
    TnStep *step;
    Approach *list;
    Weights *weights; /* per contact */
    int count;
    double slack, leave; /* m: so much at least is let pass of all of them */
    double *share;       /* per group */
    /* groups of each contact; of those that give way; and contacts of a group: of[start[g]] / 2 …
     * of[start[g + 1] - 1] / 2
     */
    int32_t (*groups)[2], (*givers)[2], *start, *of;
    int *acted; /* those for which a way was changed, each once, in any order */
    atomic_int acted_count;
    int *given; /* bodies that gave way, in any order */
    atomic_int given_count;
    bool *gave; /* per link */
} Limits;

/* ---- contacts ---- */

static double soft_way(const TnStep *step, const TnSoftPoint *point, const double normal[3])
{
    const double *u = step->found.moved_qvel + step->model->softs[point->soft].dof_start;
    double v[3] = {0.0};
    for (int k = 0; k < point->count; k++)
        v3_add_scaled(v, u + 3L * point->node[k], point->weight[k]);
    return step->t * v3_dot(v, normal);
}

/* Of a contact that the step was solved with, by its J: that of the middle where it lasts or what
 * it belongs to turns. On a curved way it goes below the tangent of the start. */
static double solved_way(const TnStep *step, int contact, int side)
{
    const TnConstraintSet *set = &step->world->set;
    double v[3];
    tn_contact_moved(&step->constraint, set, contact, side, (const double(*)[6])step->found.moved,
                     step->found.moved_qvel, v);
    return step->t * v3_dot(v, set->problem.normals[contact]);
}

static inline double way_of(const TnStep *step, const TnContactList *list, const TnContactPoint *c,
                            int side)
{
    const TnContactList *solved = &step->world->contacts;
    if (list == solved) return solved_way(step, (int)(c - solved->points), side);
    int soft = side ? c->soft2 : c->soft1;
    if (soft >= 0) return soft_way(step, &list->soft_points[soft], c->normal);
    const double *twist = step->found.moved[step->model->geom_link[side ? c->geom2 : c->geom1]];
    double v[3];
    v3_cross(v, twist + 3, side ? c->arm2 : c->arm1);
    v3_add(v, v, twist);
    return step->t * v3_dot(v, c->normal);
}

static inline void set_side(const TnStep *step, const TnContactList *list, const TnContactPoint *c,
                            int side, Side *out)
{
    const TnModel *model = step->model;
    int geom = side ? c->geom2 : c->geom1, s = tn_geom_subsystem(model, geom);
    bool gives = s >= 0 && model->subsystems[s].kind == TN_SUBSYSTEM_RIGID && !step->world->tied[s];
    out->group = s < 0 ? -1 : step->world->groups->of[s];
    out->body = gives ? model->geom_link[geom] : 0;
    out->way = way_of(step, list, c, side);
}

/* What is let pass of a contact. */
static double find_most(const Limits *l, const Approach *x)
{
    double size = tn_step_contact_size(l->step, x->c);
    return l->leave + (size < INFINITY ? TN_LEAVE_SIZE * size : 0.0);
}

/* More than is let pass of it, where that is more than is let pass of all. */
static inline bool is_too_much(const Limits *l, const Approach *x, double short_of)
{
    return short_of > l->leave && short_of > (x->most > 0.0 ? x->most : find_most(l, x));
}

/* The next look needs nothing of the model. */
static inline bool is_too_much_now(const Limits *l, Approach *x, double short_of)
{
    if (!(short_of > l->leave)) return false;
    if (!(x->most > 0.0)) x->most = find_most(l, x);
    return short_of > x->most;
}

typedef struct Adding {
    Limits *l;
    const TnContactList *list;
    atomic_bool any; /* contact is short of room */
} Adding;

static void add_range(void *context, int begin, int end)
{
    Adding *adding = context;
    const Limits *l = adding->l;
    const TnContactList *list = adding->list;
    double deep = (list == &l->step->missed.list ? TN_MISSED : TN_DEEP) * l->slack;
    bool any = false;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &list->points[i];
        Approach *x = &l->list[l->count + i];
        for (int side = 0; side < 2; side++) set_side(l->step, list, c, side, &x->side[side]);
        x->c = c;
        x->most = 0.0;
        x->looked_at = x->weighed = x->acted = false;
        if (x->side[0].group == x->side[1].group) { /* nothing is asked of it */
            x->side[0] = x->side[1] = (Side){.group = -1};
            x->room = x->short_room = INFINITY;
            x->deep = 0.0;
            continue;
        }
        /* a gap below zero that was none when the sides were hit last is to be made up for */
        bool overlaps = c->gap < 0.0 && c->clearance <= c->gap;
        x->room = overlaps ? 0.0 : c->gap;
        x->short_room = c->clearance < c->gap ? fmax(c->clearance, 0.0) : x->room;
        x->deep = deep + (overlaps ? c->gap : 0.0);
        if (x->deep < 0.0) x->deep = 0.0;
        any = any || is_too_much(l, x, x->side[0].way - x->side[1].way - x->room);
    }
    if (any) atomic_store_explicit(&adding->any, true, memory_order_relaxed);
}

/* True: some contact is short of room. */
static bool add_contacts(Limits *l, const TnContactList *list)
{
    Adding adding = {.l = l, .list = list};
    tn_pool_run(l->step->world->team, list->count, 128, add_range, &adding);
    l->count += list->count;
    return atomic_load_explicit(&adding.any, memory_order_relaxed);
}

/* ---- turns ---- */

static void read_groups(void *context, int begin, int end)
{
    const Limits *l = context;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 2; k++) {
            const Side *side = &l->list[i].side[k];
            l->groups[i][k] = side->group;
            l->givers[i][k] = side->body ? side->group : -1;
        }
}

/* False: no memory. */
static bool connect(Limits *l)
{
    TnArena *arena = &l->step->world->arena;
    int n = l->step->model->subsystem_count;
    l->groups = tn_arena_alloc(arena, sizeof *l->groups * (size_t)l->count);
    l->givers = tn_arena_alloc(arena, sizeof *l->givers * (size_t)l->count);
    l->start = TN_ARENA_NEW(arena, int32_t, n + 1);
    l->of = TN_ARENA_NEW(arena, int32_t, 2 * l->count);
    if (!l->groups || !l->givers || !l->start || !l->of) return false;
    tn_pool_run(l->step->world->team, l->count, 1024, read_groups, l);
    return tn_buckets_fill(l->step->world->team, arena, l->groups[0], 2 * l->count, n, l->start,
                           l->of);
}

static bool is_short(const void *context, int index)
{
    const Limits *l = context;
    const Approach *x = &l->list[index];
    return is_too_much(l, x, x->side[0].way - x->side[1].way - x->room);
}

static void note_acted(Limits *l, Approach *x)
{
    if (!x->acted)
        l->acted[atomic_fetch_add_explicit(&l->acted_count, 1, memory_order_relaxed)] =
            (int)(x - l->list);
    x->acted = true;
}

static void fetch(const void *context, int index)
{
    const Limits *l = context;
    const char *parts[2] = {(const char *)&l->list[index], (const char *)&l->weights[index]};
    for (int k = 0; k < 2; k++) {
        __builtin_prefetch(parts[k]);
        __builtin_prefetch(parts[k] + 64);
    }
}

/* Looks at contacts until all have room, or for so long; at first at those that are short of it,
 * the others wait until a neighbour moves them. False: no memory. */
static bool settle(Limits *l, int32_t (*keys)[2], unsigned (*look)(void *, int), int looks)
{
    TnPool *team = l->step->world->team;
    TnArena *arena = &l->step->world->arena;
    TnTurns turns = {.count = l->count,
                     .keys = (const int32_t(*)[2])keys,
                     .start = l->start,
                     .of = l->of,
                     .look = look,
                     .ahead = fetch,
                     .context = l};
    int *found, count;
    return tn_select(team, arena, l->count, is_short, l, &found, &count) &&
           tn_turns_take(team, arena, &turns, found, count, (long)looks * l->count) >= 0;
}

/* ---- giving way ---- */

/* Moments, of a contact that is examined: not all are. */
static void look_at(Approach *x, Weights *w)
{
    x->looked_at = true;
    v3_copy(w->normal, x->c->normal);
    for (int k = 0; k < 2; k++)
        if (x->side[k].body) v3_cross(w->moment[k], k ? x->c->arm2 : x->c->arm1, w->normal);
}

/* What its free bodies weigh, of a contact that is short of room: few are. */
static void weigh(const Limits *l, Approach *x, Weights *w)
{
    const TnStep *step = l->step;
    x->weighed = true;
    w->sum = 0.0;
    for (int k = 0; k < 2; k++) {
        int body = x->side[k].body;
        if (!body) continue;
        const TnLink *link = &step->model->links[body];
        w->mass_inverse[k] = 1.0 / link->mass;
        tn_rigid_divide_by_inertia(link, step->world->frames[body].quat, w->moment[k], w->turn[k]);
        w->sum += w->mass_inverse[k] + v3_dot(w->moment[k], w->turn[k]);
    }
}

/* How far its body's extra way moves a side along the normal. */
static inline double extra_of(const Limits *l, const Approach *x, const Weights *w, int k)
{
    int body = x->side[k].body;
    const double *extra = l->step->way.extra[body];
    return body ? v3_dot(w->normal, extra) + v3_dot(w->moment[k], extra + 3) : 0.0;
}

/* Moves the free bodies of a contact that is short of room. */
static unsigned give_way(void *context, int index)
{
    Limits *l = context;
    Approach *x = &l->list[index];
    Weights *w = &l->weights[index];
    unsigned changed = 0;
    if (!x->looked_at) look_at(x, w);
    double short_of =
        x->side[0].way + extra_of(l, x, w, 0) - x->side[1].way - extra_of(l, x, w, 1) - x->room;
    if (!is_too_much_now(l, x, short_of)) return 0;
    if (!x->weighed) weigh(l, x, w);
    if (w->sum == 0.0) return 0;
    note_acted(l, x);
    for (int k = 0; k < 2; k++) {
        int body = x->side[k].body;
        double impulse = (k ? short_of : -short_of) / w->sum, *extra = l->step->way.extra[body];
        if (!body) continue;
        v3_add_scaled(extra, w->normal, impulse * w->mass_inverse[k]);
        v3_add_scaled(extra + 3, w->turn[k], impulse);
        if (!l->gave[body])
            l->given[atomic_fetch_add_explicit(&l->given_count, 1, memory_order_relaxed)] = body;
        l->gave[body] = true;
        changed |= 1U << k;
    }
    return changed;
}

static double length_of_extra(const TnStep *step, int body)
{
    const double *extra = step->way.extra[body];
    return v3_norm(extra) + v3_norm(extra + 3) * step->world->groups->radius[body];
}

/* No free body is moved on by more than contacts are listed ahead. */
static void bound_extra(const Limits *l, double most)
{
    for (int i = 0; i < l->given_count; i++) {
        double way = length_of_extra(l->step, l->given[i]),
               *extra = l->step->way.extra[l->given[i]];
        for (int k = 0; k < 6 && way > most; k++) extra[k] *= most / way;
    }
}

static void add_extra_way(const Limits *l, int i, int k)
{
    Approach *x = &l->list[i];
    Weights *w = &l->weights[i];
    if (!x->looked_at) look_at(x, w);
    x->side[k].way += extra_of(l, x, w, k);
}

static void add_extra_range(void *context, int begin, int end)
{
    const Limits *l = context;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 2; k++)
            if (l->gave[l->list[i].side[k].body]) add_extra_way(l, i, k);
}

/* Ways of those that gave way are what they are moved by now. */
static void add_extra_ways(Limits *l)
{
    const TnStep *step = l->step;
    bool few = l->given_count < l->count / FEW_GIVEN;
    if (!few) tn_pool_run(step->world->team, l->count, 256, add_extra_range, l);
    for (int i = 0; few && i < l->given_count; i++) {
        int body = l->given[i], g = step->world->groups->of[step->model->links[body].subsystem];
        for (int j = l->start[g]; j < l->start[g + 1]; j++) {
            const Approach *x = &l->list[l->of[j] / 2];
            int k = x->side[1].body == body;
            if (x->side[k].body == body) add_extra_way(l, l->of[j] / 2, k);
        }
    }
}

/* ---- holding back ---- */

static double share_of(const Limits *l, const Side *s)
{
    return s->group >= 0 ? l->share[s->group] : 1.0;
}

static unsigned hold(void *context, int index)
{
    Limits *l = context;
    Approach *x = &l->list[index];
    unsigned changed = 0;
    double share[2] = {share_of(l, &x->side[0]), share_of(l, &x->side[1])};
    double a = share[0] * x->side[0].way, b = share[1] * x->side[1].way, closing = 0.0;
    double room = share[0] < 1.0 || share[1] < 1.0 ? x->short_room : x->room;
    double short_of = a - b - room - x->deep;
    bool holds[2] = {x->side[0].group >= 0 && a > 0.0, x->side[1].group >= 0 && b < 0.0};
    if (!is_too_much_now(l, x, short_of)) return 0;
    if (holds[0]) closing += a;
    if (holds[1]) closing -= b;
    if (!(closing > 0.0)) return 0;
    note_acted(l, x);
    double keep = short_of < closing ? 1.0 - short_of / closing : 0.0;
    for (int k = 0; k < 2; k++)
        if (holds[k]) {
            l->share[x->side[k].group] = keep * share[k];
            changed |= 1U << k;
        }
    return changed;
}

typedef struct Slow {
    const TnStep *step;
    double most; /* m/s */
    bool *out;
} Slow;

static void slow_range(void *context, int begin, int end)
{
    const Slow *slow = context;
    const TnStep *step = slow->step;
    bool *out = slow->out;
    double most = slow->most;
    for (int i = begin; i < end; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        for (int k = sub->link_start; k < sub->link_start + sub->link_count; k++) {
            const double *u = step->found.moved[k];
            out[k] = fabs(u[0]) + fabs(u[1]) + fabs(u[2]) +
                         (fabs(u[3]) + fabs(u[4]) + fabs(u[5])) * step->world->groups->radius[k] <
                     most;
        }
    }
}

/* Per link: it is slow. NULL: no memory. */
static const bool *find_slow(const Limits *l)
{
    const TnStep *step = l->step;
    bool *out = TN_ARENA_ZERO(&step->world->arena, bool, step->model->link_count);
    if (!out) return NULL;
    out[0] = true;
    for (int k = 1; k <= step->model->mocap_count; k++) out[k] = !step->world->mocap_moves;
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, slow_range,
                &(Slow){step, TN_SMALL_PART * l->leave / step->t, out});
    return out;
}

typedef struct Doubt {
    const Limits *l;
    const TnContactList *list;
    const bool *slow;
} Doubt;

static bool is_in_doubt(const void *context, int index)
{
    const Doubt *d = context;
    const TnStep *step = d->l->step;
    const int *link = step->model->geom_link;
    const TnContactPoint *c = &d->list->points[index];
    bool soft = c->soft1 >= 0 || c->soft2 >= 0;
    if (!soft && d->slow[link[c->geom1]] && d->slow[link[c->geom2]]) return false;
    double apart = way_of(step, d->list, c, 1) - way_of(step, d->list, c, 0);
    bool overlaps = c->gap < 0.0 && c->clearance <= c->gap;
    return (overlaps ? 0.0 : c->gap) + apart < -d->l->leave;
}

/* Some contact may be short of room; tells at a fraction of the price that none is. */
static bool may_be_short(const Limits *l, const TnContactList *list, const bool *slow)
{
    return tn_any(l->step->world->team, list->count, is_in_doubt, &(Doubt){l, list, slow});
}

/* Those of the step and those that it missed; *any: one is short of room. False: no memory. */
static bool list_contacts(Limits *l, bool *any)
{
    const TnContactList *own = &l->step->world->contacts, *missed = &l->step->missed.list;
    *any = false;
    l->count = 0;
    l->acted_count = 0;
    if (own->count + missed->count == 0) return true;
    l->list = TN_ARENA_NEW(&l->step->world->arena, Approach, own->count + missed->count);
    l->weights = TN_ARENA_NEW(&l->step->world->arena, Weights, own->count + missed->count);
    l->acted = TN_ARENA_NEW(&l->step->world->arena, int, own->count + missed->count);
    if (!l->list || !l->weights || !l->acted) return false;
    *any = add_contacts(l, own);
    *any |= add_contacts(l, missed);
    return true;
}

static bool jams(const void *context, int index)
{
    const Limits *l = context;
    const Approach *x = &l->list[index];
    return is_too_much(l, x, x->side[0].way - x->side[1].way - x->room - x->deep);
}

/* Something is to be held back. */
static bool is_jammed(const Limits *l) { return tn_any(l->step->world->team, l->count, jams, l); }

/* Lets free bodies give way. */
static bool move_on(Limits *l)
{
    TnStep *step = l->step;
    TnArena *arena = &step->world->arena;
    size_t links = (size_t)step->model->link_count;
    step->way.extra = tn_arena_alloc(arena, sizeof(double[6]) * links);
    if (step->way.extra)
        tn_pool_clear(step->world->team, step->way.extra, sizeof(double[6]) * links);
    l->given = TN_ARENA_NEW(arena, int, links);
    l->gave = TN_ARENA_ZERO(arena, bool, links);
    if (!step->way.extra || !l->given || !l->gave || !connect(l)) return false;
    step->way.has_extra = true;
    if (!settle(l, l->givers, give_way, GIVE_LOOKS)) return false;
    bound_extra(l, TN_MOST_WAY * l->slack);
    add_extra_ways(l);
    return tn_step_keep_pairs(step, (const int32_t(*)[2])l->groups, l->acted, l->acted_count);
}

/* Links that gave way by more than contacts may be deep that no list has; NULL: none, or no memory.
 */
static const uint8_t *find_given(const Limits *l)
{
    const TnStep *step = l->step;
    uint8_t *links = TN_ARENA_ZERO(&step->world->arena, uint8_t, step->model->link_count);
    bool any = false;
    for (int i = 0; links && i < l->given_count; i++)
        any |= links[l->given[i]] = length_of_extra(step, l->given[i]) > TN_MISSED * l->slack;
    return any ? links : NULL;
}

/* Contacts once more, with what a body that gave way, or moves at all, may run into. False: no
 * memory.
 */
static bool list_again(Limits *l, const uint8_t *given)
{
    bool any;
    if (l->step->missed.all) return true; /* nothing is to be found that is not listed */
    if (!tn_step_look_again(l->step, given) || !list_contacts(l, &any) || !connect(l)) return false;
    add_extra_ways(l);
    return true;
}

static bool hold_back(Limits *l)
{
    TnStep *step = l->step;
    int n = step->model->subsystem_count;
    l->share = TN_ARENA_NEW(&step->world->arena, double, n);
    if (!l->share) return false;
    for (int s = 0; s < n; s++) l->share[s] = 1.0;
    if (!settle(l, l->groups, hold, HOLD_LOOKS)) return false;
    for (int i = 0; i < step->awake_count; i++)
        step->way.reach[step->awake[i]] = l->share[step->world->groups->of[step->awake[i]]];
    return tn_step_keep_pairs(step, (const int32_t(*)[2])l->groups, l->acted, l->acted_count);
}

bool tn_step_limit(TnStep *step)
{
    const TnSolverDef solver = tn_world_solver(step->world);
    Limits l = {.step = step,
                .slack = tn_step_slack(step),
                .leave = TN_LEAVE * tn_step_slack(step) +
                         TN_ERRORS * solver.tolerance * solver.velocity_scale * step->t};
    bool any;
    const bool *slow = find_slow(&l);
    if (!slow) return false;
    if (!may_be_short(&l, &step->world->contacts, slow) &&
        !may_be_short(&l, &step->missed.list, slow))
        return true;
    if (!list_contacts(&l, &any)) return false;
    if (!any) return true;
    if (!move_on(&l)) return false;
    /* what gave way may run into others, and what follows one that is held back runs into it
     */
    bool jammed = is_jammed(&l);
    const uint8_t *given = jammed ? NULL : find_given(&l);
    if (!jammed && !given) return true;
    return list_again(&l, given) && hold_back(&l);
}
