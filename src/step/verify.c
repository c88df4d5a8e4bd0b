/* verify.c: where things turn far in a step, or soft bodies went elsewhere, the end is looked at.
 *
 * Contacts are laws along straight lines, and so are limits of ways (limit.c); what turns by a
 * tenth of a radian or more leaves them. Then collision is asked about the new state itself, and
 * what is deeper in something than before, by more than a share of the thinner one, is moved by
 * half of its way only, until it is not. A step of a soft body is too long then (check.c). */
#include <math.h>
#include <string.h>

#include "../base/select.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "depths.h"
#include "step.h"
#include "thresholds.h"

/* Of the smaller body's size, and of what contacts are listed ahead. */
#define LET_PASS_SIZE 0.002
/* Of a soft body's elements, which show no more of its surface. */
#define LET_PASS_SOFT 0.03
/* Of that: what is as deep already gets deeper by no more in a step. */
#define LET_GROW 0.1

/* m: how far points of a link end from where straight ways lead, which contacts and limits are laws
 * along: by how its centre of mass went, with a tree's joints, and by how it turned about that. */
static double bow_of(const TnStep *step, int link)
{
    const TnWorld *world = step->world;
    const double *u = step->found.moved[link], *from = world->frames[link].com,
                 *to = world->next_frames[link].com;
    int s = step->model->link_subsystem[link];
    double share = s >= 0 ? step->t * step->way.reach[s] : 0.0, off[3] = {0.0};
    if (s >= 0 && step->model->subsystems[s].kind == TN_SUBSYSTEM_TREE) {
        v3_sub(off, to, from);
        v3_add_scaled(off, u, -share);
    }
    double angle = share * v3_norm(u + 3);
    double turned = world->groups->round[link] ? 0.0 : angle * angle * world->groups->radius[link];
    return v3_norm(off) + 0.5 * turned;
}

/* Or it was hit, and its contacts are those of that time. */
static bool is_fast(const TnStep *step, int link, double slack)
{
    double r = step->world->groups->radius[link];
    if (step->hits.since && step->hits.since[link] > 0.0) return true;
    return bow_of(step, link) > TN_SMALL_PART * (LET_PASS_SIZE * r + TN_MISSED * slack);
}

static bool has_fast(const void *context, int index)
{
    const TnStep *step = context;
    const TnSubsystem *sub = &step->model->subsystems[step->awake[index]];
    double slack = tn_step_slack(step);
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        if (is_fast(step, l, slack)) return true;
    return false;
}

/* It ends farther from its straight way than contacts are listed ahead. */
static bool has_bow(const void *context, int index)
{
    const TnStep *step = context;
    const TnSubsystem *sub = &step->model->subsystems[step->awake[index]];
    double slack = tn_step_slack(step);
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        if (bow_of(step, l) > slack) return true;
    return false;
}

typedef struct Touch {
    const TnStep *step;
    const TnContactList *list;
} Touch;

static bool touches_fast(const void *context, int index)
{
    const Touch *touch = context;
    const int *link = touch->step->model->geom_link;
    const TnContactPoint *c = &touch->list->points[index];
    double slack = tn_step_slack(touch->step);
    return is_fast(touch->step, link[c->geom1], slack) ||
           is_fast(touch->step, link[c->geom2], slack);
}

/* Something turns fast that has a contact, or may come to one that is not listed. */
static bool find_fast(const TnStep *step)
{
    TnPool *team = step->world->team;
    const TnContactList *lists[2] = {&step->world->contacts, &step->missed.list};
    if (step->loop.repeats[TN_PASS_SOFTS] > 0) return true; /* soft bodies went elsewhere */
    if (!tn_any(team, step->awake_count, has_fast, step)) return false;
    if (tn_any(team, step->awake_count, has_bow, step)) return true;
    for (int k = 0; k < 2; k++)
        if (tn_any(team, lists[k]->count, touches_fast, &(Touch){step, lists[k]})) return true;
    return false;
}

/* m: what is let pass of it. */
static double pass_of(const TnStep *step, const TnContactPoint *c)
{
    double size = tn_step_contact_size(step, c);
    if (c->soft1 >= 0 || c->soft2 >= 0) return LET_PASS_SOFT * size;
    return LET_PASS_SIZE * size + TN_MISSED * tn_step_slack(step);
}

/* Too deep, if it was not so at the start. */
static bool is_deep(const void *context, int index)
{
    const Touch *end = context;
    const TnContactPoint *c = &end->list->points[index];
    return -c->gap > pass_of(end->step, c);
}

/* Halves the ways of what is too deep. False: no memory. */
static bool halve(TnStep *step, const TnContactList *end, double *off)
{
    const TnModel *model = step->model;
    TnWorld *world = step->world;
    const int *of = world->groups->of;
    bool *deep = TN_ARENA_ZERO(&world->arena, bool, model->subsystem_count);
    int *found, count;
    TnDepths before;
    if (!deep || !tn_select(world->team, &world->arena, end->count, is_deep, &(Touch){step, end},
                            &found, &count))
        return false;
    if (count == 0) return true;
    /* where hits were, the step's own contacts are those of their times */
    const TnContactList *start = step->hits.since ? &step->hits.real : &world->contacts;
    if (!tn_depths_open(world->team, &world->arena, start, model->geom_count, &before))
        return false;
    for (int i = 0; i < count; i++) {
        const TnContactPoint *c = &end->points[found[i]];
        double pass = pass_of(step, c), was = tn_depths_of(&before, c->geom1, c->geom2);
        double most = fmax(pass - was, LET_GROW * pass);
        if (!(-c->gap - was > most)) continue;
        tn_step_exceeds(step, TN_CHECK_DEPTH, (-c->gap - was) / most);
        if (c->soft1 >= 0 || c->soft2 >= 0) continue; /* its nodes have no way that is cut */
        const int sides[2] = {tn_geom_subsystem(model, c->geom1),
                              tn_geom_subsystem(model, c->geom2)};
        for (int k = 0; k < 2; k++)
            if (sides[k] >= 0) deep[of[sides[k]]] = true;
        *off = fmax(*off, (-c->gap - was) / most);
        if (!tn_step_keep_apart(step, sides[0], sides[1])) return false;
    }
    for (int i = 0; *off > 1.0 && i < step->awake_count; i++)
        if (deep[of[step->awake[i]]]) step->way.reach[step->awake[i]] *= 0.5;
    return true;
}

bool tn_step_verify(TnStep *step, double *off)
{
    TnContactList end = {0};
    if (!find_fast(step)) return true;
    return tn_step_detect_end(step, step->world->next_frames, &end) && halve(step, &end, off);
}
