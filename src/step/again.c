/* again.c: why a step, or some phases of it, are done again.
 *
 * A step is solved about a prediction: of what takes part, of how everything moves, of what
 * touches. Each row of the table below checks one part of that: how far off the solution is in
 * units of what the step may be off, which phases run again then, and how often at most: its share
 * of the step's budget of repetitions. A second table says behind which phases. A row marks those
 * that it concerns, and phases that run again do so for these alone, where they can: trees and rods
 * (step->plan.again), soft bodies that go elsewhere (fem expectation), contacts that join the list,
 * ways that are cut.
 *
 * What is checked is decided by the numbers of the scene alone, so that a step is the same on any
 * number of threads. */
#include "again.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../impact/impact.h"
#include "../ranks/near.h"
#include "../subsystem/kind.h"
#include "../world/sleep.h"

/* Where a rod's joint ends up against where it was expected, in lengths of a segment and in
 * radians. What is linear about the wrong place gains energy and loses momentum; smooth motion is
 * off by 1e-3 at most. */
#define ROD_SURPRISE 0.02

/* ---- the checks ---- */

/* How far off it is. `may`: it may ask for another pass, and marks those that this concerns; a
 * check that does not want to clears it. False: no memory. */
typedef bool (*Check)(TnStep *step, bool *may, double *off);

static bool check_sleepers(TnStep *step, bool *may, double *off)
{
    (void)may;
    if (!tn_sleep_wake_touched(step->world)) return true;
    tn_impacts_undo(step);
    *off = 1.0;
    return true;
}

/* A rod in free flight. Of a rod that is held or pushed the free motion says too little. */
static bool check_rods(TnStep *step, bool *may, double *off)
{
    const TnModel *model = step->model;
    if (tn_step_has_run(step, TN_PHASE_COLLIDE)) return true;
    for (int r = 0; r < model->rod_count; r++) {
        TnRodSystem *rod = &step->systems->rods[r];
        int s = model->rods[r].subsystem;
        if (tn_left_out(&step->dynamics, s) || !rod->alone || step->world->loops[s]) continue;
        double by = tn_rod_surprise(&step->dynamics, &model->subsystems[s], rod, rod->v_free);
        *off = fmax(*off, by / ROD_SURPRISE);
        if (by < ROD_SURPRISE || !*may) continue;
        double *expected = TN_ARENA_NEW(&step->world->arena, double, 6 * rod->count);
        if (!expected) return false;
        memcpy(expected, rod->v_free, sizeof(double) * 6 * (size_t)rod->count);
        rod->expected = expected;
        step->plan.again[s] = true;
    }
    return true;
}

/* What moves too fast for the step takes more of v⁺, and so must all that is joined with it. */
static bool check_shares(TnStep *step, bool *may, double *off)
{
    bool changed;
    (void)may;
    if (!tn_plan_share(step, &changed)) return false;
    if (changed) *off = step->plan.raised;
    return true;
}

static bool check_rod_shares(TnStep *step, bool *may, double *off)
{
    return tn_step_has_run(step, TN_PHASE_COLLIDE) || !tn_near_has_kind(step, TN_SUBSYSTEM_ROD) ||
           check_shares(step, may, off);
}

static bool check_soft_shares(TnStep *step, bool *may, double *off)
{
    return !tn_near_has_kind(step, TN_SUBSYSTEM_SOFT) || check_shares(step, may, off);
}

static bool check_contacts(TnStep *step, bool *may, double *off)
{
    bool changed;
    (void)may;
    if (!tn_plan_contacts(step, &changed)) return false;
    if (changed) *off = step->plan.raised;
    return true;
}

static bool check_pushed(TnStep *step, bool *may, double *off)
{
    (void)may;
    if (step->plan.pushed) *off = fmax(step->plan.raised, DBL_MIN); /* 0: it is another rank's */
    step->plan.pushed = false;
    return true;
}

static bool check_missed(TnStep *step, bool *may, double *off)
{
    *off = step->missed.worst;
    *may = step->missed.joined;
    return true;
}

static bool refines(const TnStep *step)
{
    /* a fixed count is for everything at once, and one group must not change another's */
    return !step->world->def.passes && step->world->by_islands;
}

static bool check_softs(TnStep *step, bool *may, double *off)
{
    return !refines(step) || !*may || tn_step_expect_softs(step, off);
}

static bool check_loops(TnStep *step, bool *may, double *off)
{
    return !refines(step) || !*may || tn_step_refine_loops(step, may, off);
}

static bool check_fixed(TnStep *step, bool *may, double *off)
{
    if (!(step->loop.repeats[TN_PASS_FIXED] + 1 < step->world->def.passes)) return true;
    *off = 1.0;
    return tn_step_refine_all(step, may);
}

static bool check_went_on(TnStep *step, bool *may, double *off)
{
    (void)may;
    if (!step->world->near) *off = tn_step_softs_went_on(step);
    return true;
}

static bool check_depth(TnStep *step, bool *may, double *off)
{
    return step->world->near || !*may || tn_step_verify(step, off);
}

/* The new state is refused, and substeps.c takes the step in halves. */
static bool check_length(TnStep *step, bool *may, double *off)
{
    *off = step->check.exceeds;
    *may = step->check.too_long = tn_step_is_too_long(step);
    return true;
}

static bool check_strain(TnStep *step, bool *may, double *off)
{
    (void)may;
    *off = step->balance.beyond;
    return true;
}

/* ---- the table ---- */

#define RUN(phase) TN_PHASE(TN_PHASE_##phase)
#define ALL_OF_IT TN_ALL_PHASES
#define SOLVED_AGAIN (RUN(SOLVE) | RUN(COMPARE))
#define SOFTS_AGAIN (RUN(PLAN) | RUN(SOFTS))
#define MOVED_AGAIN (RUN(MOVE) | RUN(BALANCE))
#define ENDLESS INT_MAX
#define IN_HALVES TN_PHASE(TN_PHASE_COUNT)

typedef struct Row {
    const char *name; /* in reports */
    Check check;
    double limit; /* off by more than this, it asks; in units of `unit` */
    const char *unit;
    unsigned again; /* phases that run again */
    int share;      /* of the budget: so often in a step at most */
    bool if_first;  /* only if no row above asks for anything */
} Row;

static const Row rows[TN_PASS_COUNT] = {
    /* What sleeps is not assembled. Each time some wake, so it ends. */
    [TN_PASS_SLEEPERS] = {"sleeper touched", check_sleepers, 0.0, "", ALL_OF_IT, ENDLESS, false},
    /* Newton passes of free flight; each leaves the square of what it found. */
    [TN_PASS_RODS] = {"cable elsewhere", check_rods, 1.0, "of 0.02 rad", RUN(ASSEMBLE), 3, false},
    [TN_PASS_ROD_SHARES] = {"cable too fast", check_rod_shares, 0.0, "of its way", RUN(ASSEMBLE), 1,
                            true},
    [TN_PASS_CONTACTS] = {"contact will push", check_contacts, 0.0, "of its way", RUN(ASSEMBLE), 1,
                          true},
    /* Shares only grow, and are 1 at most for all that are joined: it ends. */
    [TN_PASS_SOFT_SHARES] = {"soft body too fast", check_soft_shares, 0.0, "of its way",
                             RUN(ASSEMBLE) | RUN(PLAN), ENDLESS, false},
    /* Pushed or let go otherwise than planned; more passes rarely agree on more. */
    [TN_PASS_PUSHED] = {"pushed unforeseen", check_pushed, 0.0, "of its way",
                        RUN(ASSEMBLE) | SOFTS_AGAIN | SOLVED_AGAIN, 2, false},
    [TN_PASS_MISSED] = {"contact missed", check_missed, 1.0, "of what is let pass",
                        RUN(ASSEMBLE) | SOFTS_AGAIN | SOLVED_AGAIN | RUN(LOOK), 2, true},
    /* Newton passes with a line search. */
    [TN_PASS_SOFTS] = {"soft body elsewhere", check_softs, 1.0, "of what is let go",
                       SOFTS_AGAIN | SOLVED_AGAIN, 11, false},
    /* Of first order where they are curved: refine.c takes less for others. */
    [TN_PASS_LOOPS] = {"loop elsewhere", check_loops, 1.0, "of 1e-4 rad",
                       RUN(ASSEMBLE) | SOLVED_AGAIN, 12, false},
    [TN_PASS_FIXED] = {"fixed passes", check_fixed, 0.0, "", RUN(ASSEMBLE) | SOLVED_AGAIN, ENDLESS,
                       false},
    /* Passes led a soft body elsewhere than what was looked at. */
    [TN_PASS_WENT_ON] = {"soft body went on", check_went_on, 0.0, "", RUN(LOOK) | RUN(COMPARE), 3,
                         true},
    /* Ways of those concerned are halved: 1/256 is no way any more. */
    [TN_PASS_DEPTH] = {"end too deep", check_depth, 1.0, "of what is let pass", RUN(MOVE), 8,
                       false},
    /* Ways are cut to 0.4: to 1e-4. */
    [TN_PASS_STRAIN] = {"strained too far", check_strain, 1.0, "of noise", MOVED_AGAIN, 10, false},
    /* Third order in the step's length, of all that no row above could cure (check.c). */
    [TN_PASS_LENGTH] = {"step too long", check_length, 1.0, "of its limit", IN_HALVES, ENDLESS,
                        true},
};

/* What is checked behind which phase: sets of rows. */
#define ROW(name) (1U << TN_PASS_##name)
static const unsigned rows_behind[TN_PHASE_COUNT] = {
    [TN_PHASE_PREPARE] = ROW(SLEEPERS),
    [TN_PHASE_ASSEMBLE] = ROW(RODS) | ROW(ROD_SHARES),
    [TN_PHASE_COLLIDE] = ROW(SLEEPERS) | ROW(CONTACTS),
    [TN_PHASE_PLAN] = ROW(SOFT_SHARES),
    [TN_PHASE_SOLVE] = ROW(PUSHED),
    [TN_PHASE_LOOK] = ROW(SLEEPERS) | ROW(MISSED),
    [TN_PHASE_COMPARE] = ROW(SOFTS) | ROW(LOOPS) | ROW(FIXED) | ROW(WENT_ON),
    [TN_PHASE_MOVE] = ROW(DEPTH),
    [TN_PHASE_BALANCE] = ROW(STRAIN) | ROW(LENGTH),
};

const char *tn_pass_name(TnPass pass)
{
    return pass >= 0 && pass < TN_PASS_COUNT ? rows[pass].name : "";
}

const char *tn_pass_unit(TnPass pass)
{
    return pass >= 0 && pass < TN_PASS_COUNT ? rows[pass].unit : "";
}

bool tn_step_may_repeat(const TnStep *step, TnPass pass)
{
    return step->loop.repeats[pass] < rows[pass].share;
}

bool tn_step_check(TnStep *step, TnPhase phase, unsigned *again)
{
    if (tn_step_is_foreseen(step) && phase >= TN_PHASE_SOLVE) return true;
    for (unsigned left = rows_behind[phase]; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        const Row *row = &rows[k];
        if (row->if_first && *again) continue;
        TnPassReport *report = &step->report->passes[k];
        bool may = tn_step_may_repeat(step, (TnPass)k);
        double off = 0.0;
        if (!row->check(step, &may, &off)) return false;
        if (!(off > row->limit)) continue;
        report->asked++;
        report->worst = fmax(report->worst, off);
        if (!may) continue;
        report->repeated++;
        step->loop.repeats[k]++;
        *again |= row->again;
    }
    return !(*again & IN_HALVES);
}
