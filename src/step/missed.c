/* missed.c: contacts that were not foreseen.
 *
 * Contacts are listed for the motion that is expected. Pushed or let go, things move otherwise, and
 * would run into what was not listed: a grain that a tool hits goes as fast as the tool, and a
 * dented soft body comes back with a share of the speed of sound. So once v̂ is known, where
 * something gets farther than expected by more than contacts are listed ahead, collision is asked
 * once more, for the motion that was found and for what is surprised. Contacts that it closes by
 * more than TN_MISSED of that and that were not listed join the list, and the step is solved again
 * where that is cheap. Elsewhere it is enough to keep things apart (limit.c), and the next step
 * sees the contacts. */
#include <math.h>
#include <string.h>

#include "../base/runs.h"
#include "../base/select.h"
#include "../base/shared.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "../ranks/near.h"

/* A step with more contacts is not solved again, unless there are soft bodies. */
#define FEW_CONTACTS 100
/* Of the way ahead that contacts are listed for: two that are off by no more than this each, the
 * one this way, the other that way, meet nothing that is not listed, but for a tenth. */
#define SURPRISE 0.55

/* ---- what is surprised ---- */

/* How far a link gets from where it was expected, in two ways: out[1] as seen from between what
 * falls as expected and what rests instead. They are off by the same then, and neither is a
 * surprise. */
static void link_surprise(const TnStep *step, int link, double out[2])
{
    double linear[3], angular[3];
    v3_sub(linear, step->found.moved[link], step->free.twists[link]);
    v3_sub(angular, step->found.moved[link] + 3, step->free.twists[link] + 3);
    double turned = v3_norm(angular) * step->world->groups->radius[link];
    out[0] = step->t * (v3_norm(linear) + turned);
    v3_add_scaled(linear, step->model->option.gravity, 0.5 * step->t);
    out[1] = step->t * (v3_norm(linear) + turned);
}

/* How far it gets at all. */
static double link_way(const TnStep *step, int link)
{
    const double *u = step->found.moved[link];
    return step->t * (v3_norm(u) + v3_norm(u + 3) * step->world->groups->radius[link]);
}

/* A node gets elsewhere than `expected` has it. */
static bool soft_is_surprised(const TnStep *step, int index, const double *end_qvel,
                              const double *expected, double slack)
{
    const TnSoft *soft = &step->model->softs[index];
    for (int i = 0; i < soft->surface_node_count; i++) {
        size_t k = (size_t)soft->dof_start + 3 * (size_t)soft->surface_nodes[i];
        double d[3];
        v3_sub(d, end_qvel + k, expected + k);
        if (step->t * v3_norm(d) > slack) return true;
    }
    return false;
}

/* Marks links that get farther than expected by more than `slack`, seen in the way that has fewer
 * of them; true where there are some, and something moves at all: whatever is as near as `slack` is
 * listed. */
typedef struct Surprise {
    const TnStep *step;
    double slack;
    uint8_t *surprised; /* per link: a bit per way */
    atomic_int count[2];
    atomic_bool softs, moves;
    int seen; /* the way that counts */
} Surprise;

static void surprise_range(void *context, int begin, int end)
{
    Surprise *x = context;
    const TnStep *step = x->step;
    const TnModel *model = step->model;
    double slack = x->slack;
    int count[2] = {0, 0};
    bool softs = false, moves = false;
    for (int i = begin; i < end; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            double off[2];
            link_surprise(step, l, off);
            x->surprised[l] = 0;
            for (int k = 0; k < 2; k++)
                if (off[k] > SURPRISE * slack) {
                    x->surprised[l] |= (uint8_t)(1 << k);
                    count[k]++;
                }
            moves = moves || link_way(step, l) > SURPRISE * slack;
        }
        if (sub->kind == TN_SUBSYSTEM_SOFT)
            softs |= soft_is_surprised(step, sub->kind_index, step->found.moved_qvel,
                                       step->free.qvel, slack);
    }
    for (int k = 0; k < 2; k++)
        atomic_fetch_add_explicit(&x->count[k], count[k], memory_order_relaxed);
    if (softs) atomic_store_explicit(&x->softs, true, memory_order_relaxed);
    if (moves) atomic_store_explicit(&x->moves, true, memory_order_relaxed);
}

static void choose_way(void *context, int begin, int end)
{
    const Surprise *x = context;
    for (int l = begin; l < end; l++) x->surprised[l] = x->surprised[l] >> x->seen & 1;
}

/* Ranks do not count together: something is, whichever way it is seen. */
static bool surprised_either_way(const TnStep *step, const uint8_t *surprised)
{
    for (int l = 1; l < step->model->link_count; l++)
        if (surprised[l] == 3) return true;
    return false;
}

static bool find_surprised(const TnStep *step, double slack, uint8_t *surprised)
{
    Surprise x = {.step = step, .slack = slack, .surprised = surprised};
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, surprise_range, &x);
    if (step->world->near) return x.softs || surprised_either_way(step, surprised);
    x.seen = x.count[0] < x.count[1] ? 0 : 1;
    tn_pool_run(step->world->team, step->model->link_count, 4096, choose_way, &x);
    return x.softs || (x.moves && x.count[x.seen] > 0);
}

static void moving_range(void *context, int begin, int end)
{
    const Surprise *x = context;
    for (int i = begin; i < end; i++) {
        const TnSubsystem *sub = &x->step->model->subsystems[x->step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            x->surprised[l] = link_way(x->step, l) > x->slack;
    }
}

/* Marks links that get farther than contacts are listed ahead. */
static void find_moving(const TnStep *step, double slack, uint8_t *moving)
{
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, moving_range,
                &(Surprise){.step = step, .slack = slack, .surprised = moving});
}

/* ---- what is new ---- */

/* Where the list has the contacts of a geom as geom1. */
typedef struct Places {
    int *first, *count; /* per geom */
} Places;

static bool find_places(TnStep *step, Places *out)
{
    const TnContactList *list = &step->world->contacts;
    TnArena *arena = &step->world->arena;
    out->first = TN_ARENA_NEW(arena, int, step->model->geom_count);
    out->count = TN_ARENA_NEW(arena, int, step->model->geom_count);
    if (!out->first || !out->count) return false;
    tn_runs_find(step->world->team, list->points, sizeof list->points[0], list->count,
                 step->model->geom_count, out->first, out->count);
    return true;
}

/* Two points of one pair that are one contact; `swapped`: the pair's order changed. */
static bool is_same(const TnContactPoint *p, const TnContactPoint *c, bool swapped, double near)
{
    double d[3], along = v3_dot(p->normal, c->normal);
    if (c->soft1 >= 0) return p->feature == c->feature;
    v3_sub(d, p->arm1, swapped ? c->arm2 : c->arm1);
    return (swapped ? -along : along) > TN_SAME_NORMAL && v3_dot(d, d) < near * near;
}

static bool is_listed(const TnStep *step, const Places *places, const TnContactPoint *c,
                      double near)
{
    const TnContactPoint *points = step->world->contacts.points;
    for (int swapped = 0; swapped < 2; swapped++) {
        int geom1 = swapped ? c->geom2 : c->geom1, geom2 = swapped ? c->geom1 : c->geom2;
        int first = places->count[geom1] ? places->first[geom1] : 0;
        for (int i = first; i < first + places->count[geom1]; i++)
            if (points[i].geom2 == geom2 && is_same(&points[i], c, swapped, near)) return true;
    }
    return false;
}

static void append(TnContactList *to, const TnContactList *from, int index)
{
    TnContactPoint *p = &to->points[to->count++];
    *p = from->points[index];
    for (int side = 0; side < 2; side++) {
        int32_t *soft = side ? &p->soft2 : &p->soft1;
        if (*soft < 0) continue;
        to->soft_points[to->soft_point_count] = from->soft_points[*soft];
        *soft = to->soft_point_count++;
    }
}

/* One list of both, in which points with equal geom1 stand together as before: of each geom first
 * the old ones. */
typedef struct Merge {
    TnStep *step;
    const TnContactList *found;
    bool *fresh;  /* per point found: it is not listed */
    bool *missed; /* per point found: nor is it left open */
    int *from;    /* per point of the new list: index in the old one, or -1 */
    TnContactList both;
} Merge;

static void append_missed(Merge *m, int geom)
{
    for (int i = 0; i < m->found->count; i++) {
        const TnContactPoint *c = &m->found->points[i];
        if (!m->missed[i] || c->geom1 != geom) continue;
        m->from[m->both.count] = -1;
        append(&m->both, m->found, i);
        m->missed[i] = false;
        if (c->soft1 >= 0) m->step->plan.softs_hit[m->found->soft_points[c->soft1].soft] = true;
        if (c->soft2 >= 0) m->step->plan.softs_hit[m->found->soft_points[c->soft2].soft] = true;
    }
}

static void merge(Merge *m, bool soft)
{
    const TnContactList *old = &m->step->world->contacts;
    for (int i = 0; i < old->count; i++) {
        if ((old->points[i].soft1 >= 0) != soft) continue;
        m->from[m->both.count] = i;
        append(&m->both, old, i);
        if (i + 1 == old->count || old->points[i + 1].geom1 != old->points[i].geom1)
            append_missed(m, old->points[i].geom1);
    }
    for (int i = 0; i < m->found->count; i++)
        if (m->missed[i] && (m->found->points[i].soft1 >= 0) == soft)
            append_missed(m, m->found->points[i].geom1);
}

typedef struct Marking {
    const Merge *m;
    const Places *places;
    double slack;
    atomic_int count;
    double worst; /* in units of what is let pass */
} Marking;

static void mark_range(void *context, int begin, int end)
{
    Marking *marking = context;
    const Merge *m = marking->m;
    const TnStep *step = m->step;
    const TnContactList *found = m->found;
    int count = 0;
    double worst = 0.0;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &found->points[i];
        bool soft = c->soft1 >= 0 || c->soft2 >= 0;
        double size = tn_step_contact_size(step, c);
        m->missed[i] = false;
        m->fresh[i] = !is_listed(step, marking->places, c, TN_SAME_PLACE * size);
        if (!m->fresh[i]) continue;
        double apart = soft ? tn_step_separation(step, found, c, step->found.moved_qvel)
                            : tn_step_moved_apart(step, c);
        double ends = c->gap + step->t * apart,
               most = TN_MISSED * marking->slack + TN_MISSED_SIZE * size;
        m->missed[i] = ends < -most;
        count += m->missed[i];
        if (m->missed[i]) worst = fmax(worst, -ends / most);
    }
    tn_shared_raise(&marking->worst, worst);
    atomic_fetch_add_explicit(&marking->count, count, memory_order_relaxed);
}

/* Those of `found` that are not listed, and of these that the motion closes. */
static int mark_missed(Merge *m, const Places *places, double slack)
{
    Marking marking = {.m = m, .places = places, .slack = slack};
    tn_pool_run(m->step->world->team, m->found->count, 128, mark_range, &marking);
    m->step->missed.worst = marking.worst;
    return atomic_load_explicit(&marking.count, memory_order_relaxed);
}

/* False: no memory. */
static bool add_missed(TnStep *step, Merge *m)
{
    TnContactList *old = &step->world->contacts;
    TnArena *arena = &step->world->arena;
    int most = old->count + m->found->count;
    m->both.points = TN_ARENA_NEW(arena, TnContactPoint, most);
    m->both.soft_points =
        TN_ARENA_NEW(arena, TnSoftPoint, old->soft_point_count + m->found->soft_point_count);
    m->from = TN_ARENA_NEW(arena, int, most);
    if (!m->both.points || !m->both.soft_points || !m->from) return false;
    merge(m, false);
    merge(m, true);
    *old = m->both;
    step->start.contact_from = m->from;
    return true;
}

static bool is_fresh(const void *context, int index)
{
    return ((const Merge *)context)->fresh[index];
}

typedef struct Noting {
    const TnContactPoint *from;
    const int *which;
    TnContactPoint *to;
} Noting;

static void note_range(void *context, int begin, int end)
{
    const Noting *n = context;
    for (int i = begin; i < end; i++) n->to[i] = n->from[n->which[i]];
}

/* All that is not listed and that might be closed goes to limit.c. */
static bool note_missed(TnStep *step, const Merge *m)
{
    TnWorld *world = step->world;
    Noting noting = {.from = m->found->points};
    int *which, count;
    if (!tn_select(world->team, &world->arena, m->found->count, is_fresh, m, &which, &count))
        return false;
    noting.which = which;
    noting.to = TN_ARENA_NEW(&world->arena, TnContactPoint, count);
    if (!noting.to) return false;
    tn_pool_run(world->team, count, 128, note_range, &noting);
    step->missed.list = (TnContactList){.points = noting.to,
                                        .count = count,
                                        .soft_points = m->found->soft_points,
                                        .soft_point_count = m->found->soft_point_count};
    return true;
}

/* Looks at the motion that was found, for links that are marked. `all`: and for either of a pair
 * standing still. Otherwise whatever a pair closes in which neither is surprised by the other
 * beyond the slack is listed, but for what is let pass. */
static bool look(TnStep *step, const uint8_t *marks, bool all, Merge *m, int *count)
{
    TnArena *arena = &step->world->arena;
    TnContactList *found = TN_ARENA_ZERO(arena, TnContactList, 1);
    Places places;
    double slack = tn_step_slack(step), surprise = all ? 0.0 : (1.0 + TN_MISSED) * slack;
    double(*u)[6] = step->world->near ? tn_near_ways(step) : step->found.moved;
    const double *u_nodes = step->world->near ? tn_near_node_ways(step) : step->found.moved_qvel;
    if (!found || !u || !u_nodes ||
        !tn_step_detect(step, (const double(*)[6])u, u_nodes, all, surprise, marks, found))
        return false;
    *m = (Merge){.step = step,
                 .found = found,
                 .fresh = TN_ARENA_NEW(arena, bool, found->count),
                 .missed = TN_ARENA_NEW(arena, bool, found->count)};
    if (!m->fresh || !m->missed) return false;
    *count = 0;
    if (found->count == 0) return true;
    if (!find_places(step, &places)) return false;
    *count = mark_missed(m, &places, slack);
    return true;
}

bool tn_step_softs_went_on(const TnStep *step)
{
    for (int s = 0; s < step->model->soft_count; s++)
        if (!tn_left_out(&step->dynamics, step->model->softs[s].subsystem) &&
            soft_is_surprised(step, s, step->found.moved_qvel, step->missed.looked_qvel,
                              SURPRISE * tn_step_slack(step)))
            return true;
    return false;
}

bool tn_step_list_missed(TnStep *step, bool may_join)
{
    TnWorld *world = step->world;
    double slack = tn_step_slack(step);
    int count;
    Merge m;
    step->missed.joined = step->missed.all = false;
    step->missed.worst = 0.0;
    if (step->model->soft_count) {
        size_t bytes = sizeof(double) * (size_t)step->model->dof_count;
        if (!step->missed.looked_qvel)
            step->missed.looked_qvel = tn_arena_alloc(&world->arena, bytes);
        if (!step->missed.looked_qvel) return false;
        memcpy(step->missed.looked_qvel, step->found.moved_qvel, bytes);
    }
    step->missed.list = (TnContactList){0};
    uint8_t *marks = TN_ARENA_ZERO(&world->arena, uint8_t, step->model->link_count);
    if (!marks) return false;
    step->missed.links = marks;
    bool surprised = find_surprised(step, slack, marks);
    if (world->near && !tn_near_any(step, surprised, &surprised)) return false;
    if (!surprised) return true;
    bool few = !world->near && (step->model->soft_count || world->contacts.count <= FEW_CONTACTS);
    /* where nothing is solved again, one look that serves limit.c */
    step->missed.all = !few;
    if (!few) find_moving(step, slack, marks);
    if (!look(step, marks, !few, &m, &count)) return false;
    step->missed.joined = count && may_join && few;
    return step->missed.joined ? add_missed(step, &m) : note_missed(step, &m);
}

bool tn_step_look_again(TnStep *step, const uint8_t *links)
{
    Merge m;
    int count;
    if (step->missed.all) return true;
    uint8_t *marks = TN_ARENA_ZERO(&step->world->arena, uint8_t, step->model->link_count);
    if (!marks) return false;
    if (!links) find_moving(step, tn_step_slack(step), marks);
    for (int l = 0; links && l < step->model->link_count; l++)
        marks[l] = links[l] || (step->missed.links && step->missed.links[l]);
    step->missed.list = (TnContactList){0};
    return look(step, marks, true, &m, &count) && note_missed(step, &m);
}
