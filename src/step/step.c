/* step.c: one step, or one of its sub-steps (substeps.c), in the order of the paper's Algorithm 1:
 *
 *     dynamics     A_i, b_i of every subsystem                      (line 3)    smooth.c
 *     collision    frames and motion to contact points                          detect.c
 *     constraint   J_j, e_j of every constraint                     (line 4)    solve.c
 *     factor       H_i = A_i + J_iᵀ W J_i                           (line 5)    solve.c
 *     iterate      v̂ and λ by SubADMM                               (lines 6 to 14)
 *     integrate    q and v from v̂                                   (line 15)   integrate.c
 *
 * Where nothing unforeseen happens each is done once. What is done again, and why:
 *
 *     all of it    a sleeper is touched and wakes: the step begins anew with it (try_step).
 *     dynamics     springs, cables and soft bodies must know before they are solved how they will
 *                  move. Contacts tell that, so who is pushed is assembled again behind collision,
 *                  and soft bodies there for the first time; and again where the solution says
 *                  otherwise (tn_step_reassemble_planned).
 *     collision    the motion that was found may run into what the free one does not: those
 *                  contacts join the list and the step is solved with them (missed.c). Hits with
 *                  restitution have their own paths (impact.c), and contacts are followed to where
 *                  they end, or looked for there (verify.c).
 *     all but      the step is linear about a prediction. Where it ends far from that, trees,
 *                  cables, soft bodies and
 *     collision    contacts are written about what was found and solved again (refine.c).
 *
 * Each repetition calls the same function as the first time. Where the solver has a tolerance,
 * islands are factored and iterated on their own (solver/solve.h). The new state is computed beside
 * the old one and taken over only when it is finite and holds its checks (check.c); otherwise the
 * step is taken in two halves (substeps.c). */
#include "../base/base.h"
#include "impact.h"
#include "mocap.h"
#include "near.h"
#include "sleep.h"

#define REPEATS 2 /* of a step whose contacts were not foreseen, at most */

void tn_step_lap(TnStep *step, double *phase)
{
    if (step->world->untimed) return;
    double now = tn_clock();
    *phase += now - step->clock;
    step->clock = now;
}

/* The step begins anew if somebody woke. */
static bool wakes_somebody(TnStep *step)
{
    if (!tn_sleep_wake_touched(step->world)) return false;
    tn_impacts_undo(step);
    return true;
}

/* Contacts that turn out to be missing; `woken`: one of these is with a sleeper. */
static bool look_for_missed(TnStep *step, bool may_repeat, bool *missed, bool *woken)
{
    bool ok = (!step->world->near || tn_near_tell_ways(step)) &&
              tn_step_list_missed(step, may_repeat, missed);
    *woken = ok && wakes_somebody(step);
    tn_step_lap(step, &step->report->times.collision);
    return ok;
}

/* Assembled for the listed contacts, and solved with all that the motion closes. */
static bool solve_contacts(TnStep *step, bool *woken)
{
    bool again = true, replanned, missed = false;
    bool ok = tn_plan_contacts(step, &replanned);
    for (int pass = 0; ok && again && !*woken; pass++) {
        ok = tn_step_reassemble_planned(step) && tn_step_assemble_softs(step);
        /* a clock is read where there was something to do */
        if (replanned || step->model->soft_count) tn_step_lap(step, &step->report->times.dynamics);
        ok = ok && tn_step_solve(step, pass > 0);
        tn_step_note_error(step);
        ok = ok && tn_plan_check(step, &replanned) && tn_near_tell_replanned(step, &replanned) &&
             tn_step_find(step) &&
             look_for_missed(step, pass < REPEATS && !replanned, &missed, woken);
        again = pass < REPEATS && (replanned || missed);
    }
    return ok;
}

static bool solve_again(TnStep *step) { return tn_step_solve(step, true) && tn_step_find(step); }

/* Passes about what was found; `changed`: there were some. */
static bool refine(TnStep *step, bool *changed)
{
    const TnWorld *world = step->world;
    /* a fixed count is for everything at once, and one group must not change another's */
    bool as_needed = !world->def.relinearize && world->by_islands, ok = true, again;
    for (int pass = 1; ok && (as_needed || pass < world->def.relinearize); pass++) {
        ok = as_needed ? tn_step_refine(step, pass, &again) : tn_step_refine_all(step, &again);
        if (!ok || !again) break;
        tn_step_lap(step, &step->report->times.dynamics);
        *changed = true;
        ok = solve_again(step);
    }
    return ok;
}

/* Further passes, and with those contacts that they run into. */
static bool solve_nonlinear(TnStep *step, bool *woken)
{
    bool ok = true, missed = false;
    for (int look = 0; ok && !*woken && (look == 0 || missed); look++) {
        bool changed = false;
        if (look > 0) ok = tn_step_assemble_softs(step) && solve_again(step);
        ok = ok && refine(step, &changed);
        missed = false;
        if (!ok || !changed || !tn_step_softs_went_on(step)) break;
        ok = look_for_missed(step, look < REPEATS, &missed, woken);
    }
    return ok;
}

/* Up to v̂ and λ. `woken`: somebody was touched who slept. */
static bool try_step(TnStep *step, bool *woken)
{
    TnStepTimes *times = &step->report->times;
    bool ok = tn_step_prepare(step) && (tn_step_is_idle(step) || tn_impacts_resolve(step));
    *woken = ok && wakes_somebody(step);
    if (!ok || *woken) return ok;
    ok = tn_step_is_idle(step) || tn_step_assemble(step);
    if (step->world->near) ok = tn_near_may_go_on(step, ok);
    tn_step_lap(step, &times->dynamics);
    if (!ok || tn_step_is_idle(step)) return ok;
    ok = tn_step_detect_contacts(step);
    tn_step_lap(step, &times->collision);
    *woken = ok && wakes_somebody(step);
    return ok && (*woken || (solve_contacts(step, woken) && solve_nonlinear(step, woken)));
}

/* From there to the new state. */
static bool finish(TnStep *step)
{
    TnWorld *world = step->world;
    if (tn_step_is_idle(step)) {
        tn_report_idle(step);
        tn_mocap_finish(world);
        world->state.time += step->t;
        return true;
    }
    tn_report_contacts(step);
    world->has_problem = tn_step_integrate(step);
    world->start_qpos = step->since ? step->true_qpos : world->next_qpos;
    world->start_qvel = step->since ? step->true_qvel : world->next_qvel;
    return world->has_problem;
}

TnStepReport tn_step_once(TnWorld *world)
{
    TnStepReport report = tn_report_open();
    TnStep step = {.world = world, .report = &report, .clock = world->untimed ? 0.0 : tn_clock()};
    double start = step.clock;
    bool woken, ok;
    tn_undo_begin(&world->undo, &world->state);
    tn_sleep_forget_touches(world);
    do ok = try_step(&step, &woken);
    while (ok && woken);
    ok = ok && finish(&step);
    if (!ok) {
        if (!step.too_long) tn_trouble_note_rejected(&step);
        tn_impacts_undo(&step);
        world->contacts.count = world->impact_count = 0; /* they have no forces */
        tn_undo_take_back(&world->undo, world->model, &world->state);
    }
    world->undo.open = false;
    tn_step_lap(&step, &report.times.integrate);
    report.times.total = step.clock - start;
    tn_report_close(&step, ok);
    return report;
}
