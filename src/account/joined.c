/* joined.c: which subsystems exchanged forces in a step: what is joined for good (groups.c),
 * contacts, impacts, and those that were kept out of each other (limit.c, verify.c), as by forces.
 */
#include "joined.h"

#include <math.h>
#include <string.h>

#include "../base/select.h"
#include "../base/shared.h"
#include "../impact/impact.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "../step/depths.h"

/* Two subsystems, or one and the world (-1); on several threads at once. hit: what that took stays
 * lost. */
static void join(const TnJoined *j, int s1, int s2, bool hit)
{
    const int sides[2] = {s1, s2};
    if (s1 >= 0 && s2 >= 0) tn_set_join_shared(j->root, s1, s2);
    for (int k = 0; k < 2; k++) {
        if (sides[k] < 0) continue;
        tn_shared_set(&j->groups[sides[k]].touched);
        if (hit) tn_shared_set(&j->groups[sides[k]].pushed);
        if (s1 < 0 || s2 < 0) tn_shared_set(&j->groups[sides[k]].bound);
    }
}

static void join_geoms(const TnJoined *j, const TnModel *model, int geom1, int geom2, bool hit)
{
    join(j, tn_geom_subsystem(model, geom1), tn_geom_subsystem(model, geom2), hit);
}

/* What mocap bodies that move push or pull. */
static void mark_driven(const TnStep *step, TnJoined *j)
{
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        const int geoms[2] = {c->geom1, c->geom2};
        for (int k = 0; k < 2; k++) {
            int s = tn_any_geom_subsystem(model, geoms[!k]);
            if (s >= 0 && tn_link_is_mocap(model, model->geom_link[geoms[k]]))
                j->groups[s].driven = true;
        }
    }
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        const int bodies[2] = {e->body1, e->body2};
        for (int k = 0; e->active && e->type != TN_EQUALITY_JOINT && k < 2; k++) {
            int s = tn_part_of_body(model, bodies[!k]);
            if (s >= 0 && tn_link_is_mocap(model, model->bodies[bodies[k]].link))
                j->groups[s].driven = true;
        }
    }
}

/* A free body that something in its way stopped, or put aside. */
static bool is_held_up(const TnStep *step, int s)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    if (sub->kind != TN_SUBSYSTEM_RIGID) return false;
    bool aside = false;
    for (int k = 0; k < 6 && step->way.has_extra; k++)
        aside |= step->way.extra[sub->link_start][k] != 0.0;
    return aside || step->way.reach[s] < 1.0;
}

static TnJoinedGroup kind_of(const TnStep *step, const TnJoined *j, int s)
{
    const TnWorld *world = step->world;
    const TnSubsystem *sub = &step->model->subsystems[s];
    TnJoinedGroup g = j->groups[s];
    g.bound |= world->groups->pulled[world->groups->of[s]] || world->node_force_set;
    g.pushed |= step->plan.blend[s] > 0.0 || is_held_up(step, s);
    g.tied = world->tied[s];
    g.stiff = tn_is_elastic(sub);
    /* off θ = ½ what an equality makes and takes is left: to take off the one alone would brake */
    bool held = world->loops[s] && step->model->option.theta == 0.5;
    g.alone = sub->kind == TN_SUBSYSTEM_RIGID && !g.touched && !g.pushed && !held;
    return g;
}

typedef struct Joining {
    TnStep *step;
    TnJoined *joined;
    TnJoinedGroup *own; /* per subsystem */
} Joining;

static void join_contacts(void *context, int begin, int end)
{
    const Joining *x = context;
    const TnWorld *world = x->step->world;
    const TnContactPoint *last = NULL; /* of a pair's points that rest one is enough */
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        const double *f = world->set.problem.lambda[i];
        bool hit = !world->set.laws[i].resting;
        if (!hit && last && last->geom1 == c->geom1 && last->geom2 == c->geom2) continue;
        if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) continue;
        join_geoms(x->joined, x->step->model, c->geom1, c->geom2, hit);
        last = c;
    }
}

/* What is known of each that is awake, and its root. */
static void find_roots(void *context, int begin, int end)
{
    const Joining *x = context;
    for (int i = begin; i < end; i++) {
        int s = x->step->awake[i], root = tn_set_root_shared(x->joined->root, s);
        x->own[s] = kind_of(x->step, x->joined, s);
        __atomic_store_n(&x->joined->root[s], root, __ATOMIC_RELAXED);
    }
}

static void begin_range(void *context, int begin, int end)
{
    const Joining *x = context;
    for (int s = begin; s < end; s++) {
        x->joined->root[s] = x->step->world->groups->of[s];
        x->joined->first[s] = -1;
    }
}

/* Joins what the group is known to be. */
static void add_to_groups(void *context, int begin, int end)
{
    const Joining *x = context;
    for (int i = begin; i < end; i++) {
        int s = x->step->awake[i];
        const TnJoinedGroup own = x->own[s];
        TnJoinedGroup *g = &x->joined->groups[x->joined->root[s]];
        if (own.bound) tn_shared_set(&g->bound);
        if (own.touched) tn_shared_set(&g->touched);
        if (own.pushed) tn_shared_set(&g->pushed);
        if (own.tied) tn_shared_set(&g->tied);
        if (own.stiff) tn_shared_set(&g->stiff);
        if (own.driven) tn_shared_set(&g->driven);
    }
}

/* Members in ascending order. */
static void list_members(const Joining *x)
{
    TnJoined *j = x->joined;
    for (int i = x->step->awake_count - 1; i >= 0; i--) {
        int s = x->step->awake[i], root = j->root[s];
        j->groups[root].alone = x->own[s].alone && j->first[root] < 0;
        j->next[s] = j->first[root];
        j->first[root] = s;
    }
}

bool tn_joined_find(TnStep *step, TnJoined *j)
{
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    TnArena *arena = &step->world->arena;
    int n = model->subsystem_count;
    *j = (TnJoined){.root = TN_ARENA_NEW(arena, int, n),
                    .next = TN_ARENA_NEW(arena, int, n),
                    .first = TN_ARENA_NEW(arena, int, n),
                    .groups = TN_ARENA_ZERO(arena, TnJoinedGroup, n)};
    Joining x = {step, j, TN_ARENA_NEW(arena, TnJoinedGroup, n)};
    if (!j->root || !j->next || !j->first || !j->groups || !x.own) return false;
    tn_pool_run(world->team, n, 1024, begin_range, &x);
    tn_pool_run(world->team, world->contacts.count, 128, join_contacts, &x);
    if (world->mocap_moves) mark_driven(step, j);
    for (int i = 0; i < world->impact_count; i++)
        join_geoms(j, model, world->impacts[i].geom1, world->impacts[i].geom2, true);
    for (int s = 0; step->way.kept && s < n; s++) {
        if (!step->way.kept_by[s]) continue;
        join(j, s, step->way.kept[s], true);
        j->groups[s].bound |= (step->way.kept_by[s] & TN_KEPT_BY_WORLD) != 0;
    }
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, find_roots, &x);
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, add_to_groups, &x);
    list_members(&x);
    return true;
}

/* m: how deep a shift may go. */
static double pass_of(const TnStep *step, const TnContactPoint *c)
{
    double size = tn_step_contact_size(step, c);
    return TN_LEAVE * tn_step_slack(step) + (size < INFINITY ? TN_LEAVE_SIZE * size : 0.0);
}

/* The shift closes the contact beyond what it may. */
static bool is_in_the_way(const TnStep *step, const TnContactList *list, const TnContactPoint *c,
                          const double shift[3])
{
    double closes = -v3_dot(c->normal, shift), pass = pass_of(step, c);
    if (closes <= pass) return false;
    bool soft = c->soft1 >= 0 || c->soft2 >= 0;
    double apart = soft ? tn_step_separation(step, list, c, step->found.moved_qvel)
                        : tn_step_moved_apart(step, c);
    double gap = fmax(c->gap, c->clearance);
    return gap + step->t * apart - closes < fmin(gap, 0.0) - pass;
}

typedef struct Shifting {
    const TnStep *step;
    const TnJoined *joined;
    const TnContactList *list;
    const double (*shift)[3];
} Shifting;

static bool stands_in_the_way(const void *context, int index)
{
    const Shifting *x = context;
    const TnContactPoint *c = &x->list->points[index];
    int s1 = tn_geom_subsystem(x->step->model, c->geom1),
        s2 = tn_geom_subsystem(x->step->model, c->geom2);
    int root1 = s1 < 0 ? -1 : x->joined->root[s1], root2 = s2 < 0 ? -1 : x->joined->root[s2];
    double d[3] = {0.0};
    if (root1 == root2) return false;
    if (root1 >= 0) v3_sub(d, d, x->shift[root1]);
    if (root2 >= 0) v3_add(d, d, x->shift[root2]);
    return is_in_the_way(x->step, x->list, c, d);
}

static bool extend(TnStep *step, const TnJoined *j, const TnContactList *list,
                   const double (*shift)[3], bool *again)
{
    int *found, count;
    if (!tn_select(step->world->team, &step->world->arena, list->count, stands_in_the_way,
                   &(Shifting){step, j, list, shift}, &found, &count))
        return false;
    for (int i = 0; i < count; i++) {
        const TnContactPoint *c = &list->points[found[i]];
        if (!tn_step_keep_apart(step, tn_geom_subsystem(step->model, c->geom1),
                                tn_geom_subsystem(step->model, c->geom2)))
            return false;
        *again = true;
    }
    return true;
}

static bool is_asleep(const TnStep *step, int s)
{
    return step->world->state.asleep_count && step->world->state.asleep[s];
}

/* A group is shifted by more than contacts are listed ahead. */
static bool is_far(const TnStep *step, const TnJoined *j, const double (*shift)[3])
{
    double slack = tn_step_slack(step);
    for (int i = 0; i < step->awake_count; i++)
        if (v3_norm(shift[j->root[step->awake[i]]]) > slack) return true;
    return false;
}

/* Frames of the new state, with the groups shifted. NULL: no memory. */
static TnLinkFrame *shifted_frames(TnStep *step, const TnJoined *j, const double (*shift)[3])
{
    const TnModel *model = step->model;
    size_t n = (size_t)model->link_count;
    TnLinkFrame *frames = TN_ARENA_NEW(&step->world->arena, TnLinkFrame, n);
    if (!frames) return NULL;
    memcpy(frames, step->world->next_frames, sizeof *frames * n);
    frames[0] = step->world->frames[0]; /* mocap bodies are where the step leads them */
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            if (is_asleep(step, s)) {
                frames[l] = step->world->frames[l];
                continue;
            }
            v3_add(frames[l].pos, frames[l].pos, shift[j->root[s]]);
            v3_add(frames[l].com, frames[l].com, shift[j->root[s]]);
        }
    }
    return frames;
}

/* Of two groups, and deeper than is let pass, if it was not so at the start. */
static bool meets_deeply(const void *context, int index)
{
    const Shifting *x = context;
    const TnContactPoint *c = &x->list->points[index];
    int s1 = tn_geom_subsystem(x->step->model, c->geom1),
        s2 = tn_geom_subsystem(x->step->model, c->geom2);
    if ((s1 < 0 ? -1 : x->joined->root[s1]) == (s2 < 0 ? -1 : x->joined->root[s2])) return false;
    return -c->gap > pass_of(x->step, c);
}

/* Far shifts lead to where no list looked: collision is asked. */
static bool extend_far(TnStep *step, const TnJoined *j, const double (*shift)[3], bool *again)
{
    if (!is_far(step, j, shift)) return true;
    TnLinkFrame *frames = shifted_frames(step, j, shift);
    if (!frames) return false;
    TnContactList end = {0};
    TnDepths before;
    TnWorld *world = step->world;
    int *found, count;
    if (!tn_step_detect_end(step, frames, &end)) return false;
    if (!tn_select(world->team, &world->arena, end.count, meets_deeply,
                   &(Shifting){.step = step, .joined = j, .list = &end}, &found, &count))
        return false;
    if (count == 0) return true;
    if (!tn_depths_open(world->team, &world->arena, &world->contacts, step->model->geom_count,
                        &before))
        return false;
    for (int i = 0; i < count; i++) {
        const TnContactPoint *c = &end.points[found[i]];
        if (-c->gap <= pass_of(step, c) + tn_depths_of(&before, c->geom1, c->geom2)) continue;
        if (!tn_step_keep_apart(step, tn_geom_subsystem(step->model, c->geom1),
                                tn_geom_subsystem(step->model, c->geom2)))
            return false;
        *again = true;
    }
    return true;
}

bool tn_joined_extend(TnStep *step, const TnJoined *j, const double (*shift)[3], bool *again)
{
    *again = false;
    return extend(step, j, &step->world->contacts, shift, again) &&
           extend(step, j, &step->missed.list, shift, again) && extend_far(step, j, shift, again);
}
