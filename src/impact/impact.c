/* impact.c: hits with restitution, one after the other.
 *
 * A contact with restitution ε between free bodies or trees that runs into its partner within the
 * step is a hit at a time s of the step, found from the paths x + s v + ½ s² a of free flight, a =
 * 0 of what rests on something (impact_find.c). Then, and at that place, all contacts that meet at
 * that moment get their impulses together (Moreau, impact_law.c), and as often as something
 * approaches still (Smith et al., "Reflections on Simultaneous Impact", 2012): a ball that hits a
 * row of balls passes its speed through it. Where all of them are after their last hit becomes what
 * the step starts from (impact_start.c), and what comes after this depends little on hits.
 *
 * The paths are looked at in rounds. In a round a body is hit once; then its path is another one,
 * and is looked at again.
 *
 * Contacts without restitution that are in the way of such a hit are hit before it, for good. Of
 * what cables and soft bodies do is not known here: what is behind them is left to the solver.
 *
 * Approach slower than a share of what gravity gives in a step is rest, and left to the solver, as
 * is what is not resolved after MOST_ROUNDS looks at the paths. */
#include "../model/thresholds.h"
#include "../ranks/near.h"
#include "impact_parts.h"

#include <math.h>
#include <string.h>

#define MOST_ROUNDS 64

/* The first of those without restitution that stand in the way of a hit; or the hit. */
static int find_obstacle(const TnImpacts *x, int hit)
{
    const TnHit *h = &x->hits[hit];
    int first = hit;
    for (int i = 0; i < x->count; i++) {
        const TnHit *o = &x->hits[i];
        bool common = false;
        if (!o->passive || !(o->time < x->hits[first].time) || tn_hit_is_fresh(o)) continue;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                common |= o->side[a].body && o->side[a].body == h->side[b].body;
        if (common) first = i;
    }
    return first;
}

/* The hits of a list in their order, of each body one. False: no memory. */
static bool run_through(TnImpacts *x)
{
    tn_hits_find_times(x);
    for (;;) {
        int first = -1;
        for (int i = 0; i < x->count; i++) {
            const TnHit *h = &x->hits[i];
            if (h->time < INFINITY && !h->passive && !tn_hit_is_fresh(h) &&
                (first < 0 || h->time < x->hits[first].time))
                first = i;
        }
        if (first < 0) return true;
        if (!tn_hit_resolve(x, find_obstacle(x, first))) return false;
    }
}

/* What was hit is examined again; false: nothing was. */
static bool note_fresh(TnImpacts *x, uint8_t *links)
{
    const TnModel *model = x->step->model;
    bool any = false;
    memset(links, 0, (size_t)model->link_count);
    for (int i = 0; i < x->step->awake_count; i++) {
        int s = x->step->awake[i];
        const TnSubsystem *sub = &model->subsystems[s];
        if (!x->bodies[s] || !x->bodies[s]->fresh) continue;
        x->bodies[s]->fresh = false;
        memset(links + sub->link_start, 1, (size_t)sub->link_count);
        any = true;
    }
    return any;
}

bool tn_hits_open(TnStep *step, TnImpacts *x, TnHitPaths *paths)
{
    const TnModel *model = step->model;
    TnArena *arena = &step->world->arena;
    *x = (TnImpacts){.step = step,
                     .arena = arena,
                     .bodies = TN_ARENA_ZERO(arena, TnHitBody *, model->subsystem_count),
                     .blocked = TN_ARENA_NEW(arena, double, model->subsystem_count),
                     .carried = TN_ARENA_ZERO(arena, bool, model->subsystem_count),
                     .rest = tn_hits_rest(step)};
    *paths = (TnHitPaths){.frames = TN_ARENA_NEW(arena, TnLinkFrame, model->link_count),
                          .twists =
                              tn_arena_calloc(arena, sizeof(double[6]) * (size_t)model->link_count),
                          .qpos = TN_ARENA_NEW(arena, double, model->qpos_count),
                          .qvel = TN_ARENA_NEW(arena, double, model->dof_count)};
    if (!x->bodies || !x->blocked || !x->carried || !paths->frames || !paths->twists ||
        !paths->qpos || !paths->qvel)
        return false;
    tn_hits_find_carried(x);
    return true;
}

double tn_hits_rest(const TnStep *step) { return TN_MISSED * tn_step_slack(step) / step->t; }

bool tn_impacts_resolve(TnStep *step)
{
    TnWorld *world = step->world;
    TnImpacts x;
    TnHitPaths paths;
    world->impact_count = 0;
    if (!world->bounces) return true;
    if (world->near) return tn_near_impacts(step);
    uint8_t *fresh = TN_ARENA_NEW(&world->arena, uint8_t, step->model->link_count);
    if (!fresh || !tn_hits_open(step, &x, &paths)) return false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!tn_hits_find(&x, &paths, round ? fresh : NULL) || !run_through(&x)) return false;
        if (!note_fresh(&x, fresh)) break;
    }
    return !x.any || tn_hits_take_over(&x, &paths);
}
