/* refine.c: a step solved again about what it found.
 *
 * A step is linear about a guess: trees and cables about a predicted middle, equalities about where
 * the prediction leads, contacts about the step's start. Once it is solved, v̂ and with it the
 * displacement t u, u = (1-w) v̂ + w v⁺, are known, and the same equations can be had about them:
 *
 *     trees, rods        M, bias forces and strains in the middle of v̂ (tn_step_reassemble)
 *     equalities, wheels C and J where u leads (constraint/motion.c)
 *     contacts           J in the middle of v̂, and v⁺ in the shift (constraint/over_step.c)
 *
 * What has settled so obeys the nonlinear step: equalities and gaps hold at its end. Rigid bodies'
 * inertia stays that of the start (their angular momentum is balanced exactly at the end anyway);
 * so do soft bodies, spin and rolling friction, and the ports of trees, whose error the curve of
 * contacts takes up.
 *
 * Passes go on as long as they are needed (tn_step_refine), or as often as the user says
 * (tn_step_refine_all). */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "kind.h"

/* rad: equalities that end up farther from where they were linear about are written again. What is
 * left is of second order in this. */
#define SURPRISE 1e-4
/* The same where C of joints or tendons is curved: J is that of the middle, so that what is left is
 * of first order in this, and passes converge by a factor. */
#define CURVED_SURPRISE 1e-6
/* Passes go on as long as this gets smaller by such a factor. */
#define NEARER 0.7
/* At most, soft bodies apart. */
#define PASSES 5
#define CURVED_PASSES 12
#define SOFT_PASSES 12

/* The next pass is linear about what was found. */
static bool take_found(TnStep *step)
{
    double *found = TN_ARENA_NEW(&step->world->arena, double, step->model->dof_count);
    if (!found) return false;
    memcpy(found, step->vhat, sizeof(double) * (size_t)step->model->dof_count);
    step->about = step->found;
    step->found = found;
    return true;
}

/* To where it was found to lead, if that makes sense. */
static bool go_there(TnStep *step)
{
    bool sense = tn_step_advance(step, false);
    if (!sense) atomic_store_explicit(&step->failed, false, memory_order_relaxed);
    return sense; /* where not, the last pass will say so */
}

bool tn_step_refine_all(TnStep *step, bool *go)
{
    *go = go_there(step);
    return !*go || (take_found(step) && tn_step_reassemble(step, false));
}

/* ---- equalities ---- */

/* What the first pass was linear about, of a dof. */
static double predicted(const TnStep *step, int subsystem, int dof)
{
    const TnSubsystem *sub = &step->model->subsystems[subsystem];
    const double *v = tn_kind_of(step->model, subsystem)->start_velocity(step->world, subsystem);
    double about;
    tn_predict_velocity(1, v + (dof - sub->dof_start), step->world->state.vhat + dof, &about);
    return about;
}

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
            double about = step->found ? step->found[d] : predicted(step, subsystem, d);
            double part = fabs(step->vhat[d] - about);
            most = fmax(most, tn_dof_turns(model, d) ? part : part / link->lever);
        }
    }
    return step->t * most;
}

/* rad: how far somebody ends from where the step was linear about, most. */
static double most_surprise(const TnStep *step, const bool *among)
{
    double most = 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        if (!among || among[s]) most = fmax(most, surprise_of(step, s));
    }
    return most;
}

/* The next pass is linear about what the one before the last was about. False: no memory. */
static bool go_back(TnStep *step)
{
    const TnModel *model = step->model;
    double *about = TN_ARENA_NEW(&step->world->arena, double, model->dof_count);
    if (!about) return false;
    const double *from = step->about ? step->about : step->vhat;
    memcpy(about, from, sizeof(double) * (size_t)model->dof_count);
    for (int i = 0; i < step->awake_count && !step->about; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        for (int d = sub->dof_start; sub->link_count && d < sub->dof_start + sub->dof_count; d++)
            about[d] = predicted(step, step->awake[i], d);
    }
    step->found = about;
    return true;
}

static bool has_curved(const TnModel *model)
{
    for (int i = 0; i < model->equality_count; i++)
        if (model->equalities[i].active && model->equalities[i].curved) return true;
    return false;
}

/* Whether loops are written again about what was found. Passes of a loop that cannot be closed, one
 * that is pulled straight, wander, and may end anywhere: they go on as long as each is nearer than
 * the one before, and one that is farther off is taken back. */
static bool loops_go_on(TnStep *step, int pass, bool *back)
{
    bool curved = has_curved(step->model);
    double surprise = most_surprise(step, step->world->loops), last = step->surprise;
    step->surprise = surprise;
    *back = false;
    if (step->settled || surprise <= (curved ? CURVED_SURPRISE : SURPRISE)) return false;
    *back = pass > 1 && surprise > last;
    step->settled = pass > 1 && surprise > NEARER * last;
    return *back || (!step->settled && pass < (curved ? CURVED_PASSES : PASSES));
}

/* Soft bodies that end elsewhere than their elements were taken at. */
static bool expect_softs(TnStep *step, bool *any)
{
    const TnModel *model = step->model;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        if (tn_left_out(&step->dynamics, soft->subsystem)) continue;
        if (tn_soft_expect(&step->soft_input, s, step->vhat + soft->dof_start)) *any = true;
    }
    return !*any || tn_step_assemble_softs(step);
}

bool tn_step_refine(TnStep *step, int pass, bool *go)
{
    bool softs = false, loops = false, back = false;
    if (pass < SOFT_PASSES && !expect_softs(step, &softs)) return false;
    if (pass <= PASSES || has_curved(step->model)) loops = loops_go_on(step, pass, &back);
    *go = loops || softs;
    return !loops || ((back ? go_back(step) : take_found(step)) && tn_step_reassemble(step, true));
}
