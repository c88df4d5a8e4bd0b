/* step.c: one step, or one of its sub-steps (substeps.c): one loop over the phases.
 *
 *     prepare    inputs, the plan, hits with restitution      prepare.c, plan.c, impact.c
 *     assemble   A_i, b_i of bodies, trees and rods; with     smooth.c      (line 3)
 *                them the predicted motion
 *     collide    contacts of the predicted motion             detect.c
 *     plan       how soft bodies will move, now that their    smooth.c
 *     softs      contacts are known; and their A_i, b_i       smooth.c      (line 3)
 *     solve      J_j, e_j, and v̂, λ by SubADMM or Newton       solve.c       (lines 4 to 14)
 *     look       what the motion that was found runs into     missed.c
 *     compare    how far it is from what was solved about     refine.c
 *     limit      nothing is moved into something else         accept.c      (line 15)
 *     move       q⁺, v⁺, beside the old state                 accept.c
 *     balance    momentum and energy of the new state         accept.c
 *     accept     it replaces the old one                      accept.c
 *
 * Lines are those of the paper's Algorithm 1. Where nothing unforeseen happens each phase runs
 * once. A step is solved about a prediction, so behind each phase it is checked whether the
 * solution leaves the range in which that holds. The checks are rows of one table (again.c), and
 * what a row asks for is a set of phases: these run again, in the same order and by the same
 * functions. */
#include "../base/base.h"
#include "../impact/impact.h"
#include "../ranks/near.h"
#include "../world/mocap.h"
#include "../world/sleep.h"
#include "again.h"
#include "time_control.h"

void tn_step_lap(TnStep *step, double *phase)
{
    if (step->world->untimed) return;
    double now = tn_clock();
    *phase += now - step->clock;
    step->clock = now;
}

static bool prepare(TnStep *step)
{
    unsigned todo = step->loop.todo; /* all else of the step begins anew */
    if (!tn_step_prepare(step)) return false;
    if (tn_step_is_idle(step)) return true;
    step->loop.todo = todo;
    return tn_impacts_resolve(step);
}

/* All at first, then what was marked. */
static bool assemble(TnStep *step)
{
    bool ok = tn_step_has_run(step, TN_PHASE_ASSEMBLE) ? tn_step_reassemble_planned(step)
                                                       : tn_step_assemble(step);
    return ok && (!tn_step_will_run(step, TN_PHASE_COLLIDE) ||
                  tn_soft_predict(&step->soft_input, step->free.qvel));
}

/* v̂ and λ, and where they lead. The share of v⁺ in that is planned until it was looked at; what
 * other ranks found of theirs counts in the next pass, too. */
static bool solve(TnStep *step)
{
    bool changed, first = tn_step_will_run(step, TN_PHASE_LOOK) || tn_step_is_foreseen(step);
    if (!tn_step_solve(step, tn_step_has_run(step, TN_PHASE_SOLVE))) return false;
    if (!first) return tn_step_find(step);
    tn_step_note_error(step);
    if (!tn_plan_check(step, &changed) || !tn_near_tell_replanned(step, &changed)) return false;
    step->plan.pushed = changed;
    return tn_step_find(step) && (!step->world->near || tn_near_tell_ways(step));
}

static bool look(TnStep *step)
{
    return tn_step_list_missed(step, tn_step_may_repeat(step, TN_PASS_MISSED));
}

/* All ranks go on, or none. */
static bool go_on_together(TnStep *step, bool ok)
{
    return tn_step_has_run(step, TN_PHASE_COLLIDE) ? ok : tn_near_may_go_on(step, ok);
}

typedef struct Phase {
    bool (*run)(TnStep *step);            /* false: the step cannot be taken */
    bool (*agree)(TnStep *step, bool ok); /* of ranks, once nothing of it is done again */
    size_t time;                          /* where it counts among TnStepTimes */
} Phase;

#define TIME(name) offsetof(TnStepTimes, name)

/* Of a world of its own; and of one rank's part of a scene, which differs in how it is limited and
 * balanced. */
#define UP_TO_LIMIT(agree_to_assembly)                                                             \
    [TN_PHASE_PREPARE] = {prepare, NULL, TIME(dynamics)},                                          \
    [TN_PHASE_ASSEMBLE] = {assemble, agree_to_assembly, TIME(dynamics)},                           \
    [TN_PHASE_COLLIDE] = {tn_step_detect_contacts, NULL, TIME(collision)},                         \
    [TN_PHASE_PLAN] = {tn_step_plan_softs, NULL, TIME(dynamics)},                                  \
    [TN_PHASE_SOFTS] = {tn_step_assemble_softs, NULL, TIME(dynamics)},                             \
    [TN_PHASE_SOLVE] = {solve, NULL, TIME(iterate)},                                               \
    [TN_PHASE_LOOK] = {look, NULL, TIME(collision)},                                               \
    [TN_PHASE_COMPARE] = {tn_step_compare, NULL, TIME(dynamics)}

static const Phase here[TN_PHASE_COUNT] = {
    UP_TO_LIMIT(NULL), [TN_PHASE_LIMIT] = {tn_step_limit_ways, NULL, TIME(integrate)},
    [TN_PHASE_MOVE] = {tn_step_move, NULL, TIME(integrate)},
    [TN_PHASE_BALANCE] = {tn_step_put_right, NULL, TIME(integrate)},
    [TN_PHASE_ACCEPT] = {tn_step_accept, NULL, TIME(integrate)}};
static const Phase in_parts[TN_PHASE_COUNT] = {
    UP_TO_LIMIT(go_on_together),
    [TN_PHASE_BALANCE] = {tn_step_put_part_right, NULL, TIME(integrate)},
    [TN_PHASE_ACCEPT] = {tn_step_accept, NULL, TIME(integrate)}};

/* Clocks are read where the time begins to count as something else: a read costs as much as a
 * phase of a small scene. The solver reads them inside. What is left at the end of a step counts as
 * that of `integrate`, as its last phases do. */
static bool is_lap(const TnStep *step, const Phase *table, const Phase *phase)
{
    unsigned todo = step->loop.todo;
    if (!todo) return phase->time != TIME(integrate);
    int next = __builtin_ctz(todo);
    return next == TN_PHASE_SOLVE || table[next].time != phase->time;
}

/* Those that have nothing to do. */
static unsigned idle_phases(const TnStep *step)
{
    bool softs = step->world->model->soft_count > 0 || step->world->near;
    return softs ? 0 : TN_PHASE(TN_PHASE_PLAN) | TN_PHASE(TN_PHASE_SOFTS);
}

bool tn_step_go(TnStep *step, unsigned phases)
{
    const Phase *table = step->world->near ? in_parts : here;
    bool ok = true;
    step->loop.todo = phases;
    for (int p = 0; ok && step->loop.todo; p++) {
        if (!tn_step_will_run(step, (TnPhase)p)) continue;
        const Phase *phase = &table[p];
        unsigned again = 0;
        step->loop.todo &= ~TN_PHASE(p);
        ok = !phase->run || phase->run(step);
        step->loop.done |= TN_PHASE(p);
        ok = ok && tn_step_check(step, (TnPhase)p, &again);
        if (phase->agree && !(ok && again)) ok = phase->agree(step, ok);
        step->loop.todo = (step->loop.todo | again) & ~idle_phases(step);
        if (!ok || is_lap(step, table, phase))
            tn_step_lap(step, (double *)((char *)&step->report->times + phase->time));
        if (again) p = -1; /* back to the first of them */
    }
    return ok;
}

/* Nothing moves. */
static void rest(TnStep *step)
{
    tn_report_idle(step);
    tn_mocap_finish(step->world);
    step->world->state.time += step->t;
}

TnStepReport tn_step_once(TnWorld *world)
{
    TnStepReport report = tn_report_open();
    TnStep step = {.world = world, .report = &report, .clock = world->untimed ? 0.0 : tn_clock()};
    double start = step.clock;
    tn_undo_begin(&world->undo, &world->state);
    tn_sleep_forget_touches(world);
    bool ok = tn_step_go(&step, tn_step_is_foreseen(&step) ? TN_FORESEEN_PHASES : TN_ALL_PHASES);
    if (ok && tn_step_is_idle(&step)) rest(&step);
    if (ok) tn_time_control_note_step(&step);
    if (ok && world->instead && world->instead->taken)
        world->instead->taken(world->instead->taken_context, &step);
    if (!ok) {
        if (!step.check.too_long) tn_trouble_note_rejected(&step);
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
