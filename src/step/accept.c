/* accept.c: what a step's new state has to hold, in the order in which it is seen to:
 *
 *     nothing is moved into something else     limit.c, along straight ways; verify.c, at the end,
 *                                              where things turn far (a row of again.c)
 *     wheels do not slip, curves do not drift  integrate.c
 *     momentum and energy are as they must be  balance.c; what cannot be paid for is moved by less
 *     all numbers make sense                   integrate.c
 *     the step is not too long for this        check.c (a row of again.c)
 *
 * Only then integrate.c puts it in the place of the old one. */
#include "../base/select.h"
#include "../ranks/near.h"
#include "again.h"

static bool is_cut(const void *context, int index)
{
    const TnStep *step = context;
    return step->way.reach[step->awake[index]] < 1.0;
}

static bool ways_are_cut(const TnStep *step)
{
    return step->way.has_extra || step->loop.repeats[TN_PASS_STRAIN] > 0 ||
           tn_any(step->world->team, step->awake_count, is_cut, step);
}

static bool is_plain(const TnStep *step)
{
    return step->world->instead && step->world->instead->plain;
}

bool tn_step_limit_ways(TnStep *step)
{
    tn_report_contacts(step);
    tn_step_full_ways(step);
    return is_plain(step) || tn_step_limit(step);
}

bool tn_step_put_right(TnStep *step)
{
    if (ways_are_cut(step)) tn_step_find_ways(step);
    if (!tn_step_stop_slip(step) || !tn_step_stop_drift(step)) return false;
    if (is_plain(step)) return tn_step_makes_sense(step);
    return tn_step_balance(step, tn_step_may_repeat(step, TN_PASS_STRAIN), step->report) &&
           (step->balance.beyond > 0.0 || tn_step_makes_sense(step));
}

bool tn_step_put_part_right(TnStep *step)
{
    bool cut;
    tn_report_contacts(step);
    if (!tn_near_limit(step, &cut)) return false;
    bool ok = tn_step_move(step) && (!tn_near_has_movers(step->world) ||
                                     (tn_step_stop_slip(step) && tn_step_stop_drift(step)));
    return tn_near_balance(step, ok, cut) && tn_step_makes_sense(step);
}
