/* refine.c: a step solved again about what it found.
 *
 * A step is linear about a guess: trees and cables about a predicted middle, equalities about where
 * the prediction leads, contacts about the step's start. Once it is solved, v̂ and with it the
 * displacement t u, u = (1-w) v̂ + w v⁺, are known, and the same equations can be had about them:
 *
 *     trees, rods        M, bias forces and strains in the middle of v̂ (smooth.c)
 *     equalities, wheels C and J where u leads (constraint/motion.c)
 *     contacts           J in the middle of v̂, and v⁺ in the shift (constraint/over_step.c)
 *
 * What has settled so obeys the nonlinear step: equalities and gaps hold at its end. Rigid bodies'
 * inertia stays that of the start (their angular momentum is balanced exactly at the end anyway);
 * so do soft bodies, spin and rolling friction, and the ports of trees, whose error the curve of
 * contacts takes up.
 *
 * Passes go on as long as they are needed, or as often as the user says (tn_step_refine_all);
 * again.c has the rows. */
#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../subsystem/kind.h"
#include "thresholds.h"

/* rad: equalities that end up farther from where they were linear about are written again. What is
 * left is of second order in this. Where C of joints or tendons is curved J is that of the middle:
 * what is left is of first order, passes converge by a factor, and they go on to TN_SAME. */
#define SURPRISE 1e-4
/* At most, counted with the one that is left; of others, and of those that are curved. */
#define PASSES 5
#define CURVED_PASSES 12

/* What the first pass was linear about, of a dof. */
static double predicted(const TnStep *step, int subsystem, int dof)
{
    const TnSubsystem *sub = &step->model->subsystems[subsystem];
    const double *v = tn_kind_of(step->model, subsystem)->start_velocity(step->world, subsystem);
    double about;
    tn_predict_velocity(1, v + (dof - sub->dof_start), step->world->state.vhat + dof, &about);
    return about;
}

/* A cable that contacts press stays about what was predicted. Where it is tied a contact may ask
 * for the same as an equality, and passes change the two by what they then contradict each other
 * by: large forces that turn segments. */
static bool stays_about(const TnStep *step, int subsystem)
{
    return step->plan.pressed[subsystem] > 0.0 && !step->world->def.passes &&
           step->model->subsystems[subsystem].kind == TN_SUBSYSTEM_ROD;
}

/* The next pass is linear about what was found. */
static bool take_found(TnStep *step)
{
    double *found = TN_ARENA_NEW(&step->world->arena, double, step->model->dof_count);
    if (!found) return false;
    memcpy(found, step->found.vhat, sizeof(double) * (size_t)step->model->dof_count);
    for (int r = 0; r < step->model->rod_count; r++) {
        int s = step->model->rods[r].subsystem;
        const TnSubsystem *rod = &step->model->subsystems[s];
        for (int d = 0; stays_about(step, s) && d < rod->dof_count; d++)
            found[rod->dof_start + d] = predicted(step, s, rod->dof_start + d);
    }
    step->about.before = step->about.vhat;
    step->about.vhat = found;
    return true;
}

/* To where it was found to lead, if that makes sense. */
static bool go_there(TnStep *step)
{
    bool sense = tn_step_move_freely(step);
    if (!sense) atomic_store_explicit(&step->fault.failed, false, memory_order_relaxed);
    return sense; /* where not, the last pass will say so */
}

/* Those are assembled again. */
static void mark(TnStep *step, const bool *among)
{
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        if (!among || among[s]) step->plan.again[s] = true;
    }
}

bool tn_step_refine_all(TnStep *step, bool *go)
{
    *go = go_there(step);
    if (*go && !take_found(step)) return false;
    if (*go) mark(step, NULL);
    return true;
}

/* ---- equalities ---- */

/* How far v̂ leads a part from where the step was linear about, in radians or lengths of its lever.
 */
static double surprise_of(const TnStep *step, int subsystem)
{
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[subsystem];
    double most = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &model->links[l];
        for (int d = link->dof_start; d < link->dof_start + link->dof_count; d++) {
            double about = step->about.vhat ? step->about.vhat[d] : predicted(step, subsystem, d);
            double part = fabs(step->found.vhat[d] - about);
            most = fmax(most, tn_dof_turns(model, d) ? part : part / link->lever);
        }
    }
    return step->t * most;
}

/* rad: how far something ends from where the step was linear about, most. */
static double most_surprise(const TnStep *step, const bool *among)
{
    double most = 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        if ((!among || among[s]) && !stays_about(step, s)) most = fmax(most, surprise_of(step, s));
    }
    return most;
}

/* The next pass is linear about what the one before the last was about. False: no memory. */
static bool go_back(TnStep *step)
{
    const TnModel *model = step->model;
    double *about = TN_ARENA_NEW(&step->world->arena, double, model->dof_count);
    if (!about) return false;
    const double *from = step->about.before ? step->about.before : step->found.vhat;
    memcpy(about, from, sizeof(double) * (size_t)model->dof_count);
    for (int i = 0; i < step->awake_count && !step->about.before; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        for (int d = sub->dof_start; sub->link_count && d < sub->dof_start + sub->dof_count; d++)
            about[d] = predicted(step, step->awake[i], d);
    }
    step->about.vhat = about;
    return true;
}

static bool has_curved(const TnModel *model)
{
    for (int i = 0; i < model->equality_count; i++)
        if (model->equalities[i].active && model->equalities[i].curved) return true;
    return false;
}

bool tn_step_compare(TnStep *step)
{
    step->about.last = step->about.surprise;
    step->about.surprise = most_surprise(step, step->world->loops);
    return true;
}

/* Passes of a loop that cannot be closed, one that is pulled straight, wander, and may end
 * anywhere: they go on as long as each is nearer than the one before, and one that is farther off
 * is taken back. */
bool tn_step_refine_loops(TnStep *step, bool *may, double *off)
{
    TnStepAbout *about = &step->about;
    bool curved = has_curved(step->model), repeated = step->loop.repeats[TN_PASS_LOOPS] > 0;
    int left = (curved ? CURVED_PASSES : PASSES) - step->loop.repeats[TN_PASS_LOOPS];
    *off = about->surprise / (curved ? TN_SAME : SURPRISE);
    *may = !about->settled && *off > 1.0 && left > 0;
    if (!*may) return true;
    bool back = repeated && about->surprise > about->last;
    about->settled = repeated && about->surprise > TN_NO_HELP * about->last;
    *may = back || (!about->settled && left > 1);
    if (!*may) return true;
    if (!(back ? go_back(step) : take_found(step))) return false;
    mark(step, step->world->loops);
    return true;
}

bool tn_step_expect_softs(TnStep *step, double *off)
{
    const TnModel *model = step->model;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        if (tn_left_out(&step->dynamics, soft->subsystem)) continue;
        double by = tn_soft_expect(&step->soft_input, s, step->found.vhat + soft->dof_start);
        *off = fmax(*off, by);
    }
    return true;
}
