/* verify.c: where things turn far in a step, the end is looked at.
 *
 * Contacts are laws along straight lines, and so are limits of ways (limit.c); what turns by a
 * tenth of a radian or more leaves them. Then collision is asked about the new state itself, and
 * whoever is deeper in something than before, by more than a share of the thinner one, is moved by
 * half of its way only, until it is not. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "step.h"

#define FAST_TURN 0.1 /* rad */
/* Of what is let pass: who leaves its straight way by less, as it turns, is not looked at. */
#define SEEN_BOW 0.25
#define MOST_HALVINGS 8
/* Of the smaller body's size, and of what contacts are listed ahead. */
#define LET_PASS_SIZE 0.005
#define LET_PASS 0.3

static bool is_fast(const TnStep *step, int link)
{
    double angle = step->t * v3_norm(step->moved[link] + 3), r = step->world->groups->radius[link];
    if (!(angle > FAST_TURN) || step->world->groups->round[link]) return false;
    return 0.5 * angle * angle * r >
           SEEN_BOW * (LET_PASS_SIZE * r + LET_PASS * tn_step_slack(step));
}

static bool any_is_fast(const TnStep *step)
{
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            if (is_fast(step, l)) return true;
    }
    return false;
}

/* Something turns fast that has a contact. What has none within its bounds meets nothing
 * (collision/emit.c). */
static bool find_fast(const TnStep *step)
{
    const TnContactList *lists[2] = {&step->world->contacts, &step->missed};
    const int *link = step->model->geom_link;
    if (!any_is_fast(step)) return false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->count; i++)
            if (is_fast(step, link[lists[k]->points[i].geom1]) ||
                is_fast(step, link[lists[k]->points[i].geom2]))
                return true;
    return false;
}

/* How deep the pair was at the start. */
double tn_step_depth_before(const TnStep *step, const TnContactPoint *c)
{
    const TnContactList *list = &step->world->contacts;
    double depth = 0.0;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        if ((p->geom1 == c->geom1 && p->geom2 == c->geom2) ||
            (p->geom1 == c->geom2 && p->geom2 == c->geom1))
            depth = fmax(depth, -p->gap);
    }
    return depth;
}

static bool is_too_deep(const TnStep *step, const TnContactPoint *c)
{
    double size = fmin(step->model->geoms[c->geom1].bounding_radius,
                       step->model->geoms[c->geom2].bounding_radius);
    double pass = LET_PASS_SIZE * size + LET_PASS * tn_step_slack(step);
    return -c->gap > pass && -c->gap > pass + tn_step_depth_before(step, c);
}

/* Halves the ways of those who are too deep, if somebody is (`any`). False: no memory. */
static bool halve(TnStep *step, const TnContactList *end, bool *any)
{
    const TnModel *model = step->model;
    const int *of = step->world->groups->of;
    bool *deep = TN_ARENA_ZERO(&step->world->arena, bool, model->subsystem_count), ok = deep;
    *any = false;
    for (int i = 0; ok && i < end->count; i++) {
        const TnContactPoint *c = &end->points[i];
        if (c->soft1 >= 0 || c->soft2 >= 0 || !is_too_deep(step, c)) continue;
        const int sides[2] = {tn_geom_subsystem(model, c->geom1),
                              tn_geom_subsystem(model, c->geom2)};
        for (int k = 0; k < 2; k++)
            if (sides[k] >= 0) *any = deep[of[sides[k]]] = true;
        ok = tn_step_keep_apart(step, sides[0], sides[1]);
    }
    for (int i = 0; ok && *any && i < step->awake_count; i++)
        if (deep[of[step->awake[i]]]) step->reach[step->awake[i]] *= 0.5;
    return ok;
}

bool tn_step_verify(TnStep *step)
{
    if (!find_fast(step)) return true;
    for (int k = 0; k < MOST_HALVINGS; k++) {
        TnContactList end = {0};
        bool any;
        if (!tn_step_detect_end(step, step->world->next_frames, &end)) return false;
        if (!halve(step, &end, &any)) return false;
        if (!any) return true;
        if (!tn_step_move(step)) return false;
    }
    return true;
}
