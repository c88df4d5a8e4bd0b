/* linear.c: see linear.h. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/names.h"
#include "../step/step.h"

/* Rounds end where they do not halve what is left: it contradicts itself, in second order of a
 * column's step, or is rounding. */
#define MOST_ROUNDS 10
#define GAIN 0.5
/* Of what the first round finds to be wrong: laws that are linear leave no more to the last one. */
#define LEFT 0.01
/* Passes about what was found. */
#define MOST_ABOUT 8
/* Smoothed laws: `near` as a share of `slow` (docs/derivatives.md). */
#define NEAR 0.1
/* Of gravity × timestep: forces that are off by more are not a solution whose neighbours are, what
 * slips no faster does not move, and passes end where this share of the first change is left. */
#define SOLVED 1e-7
/* More would take longer than differences: the factor alone n³/1.5 operations. */
#define MOST_FORCES 900

/* ---- memory ---- */

void *tn_linear_room(TnLinear *linear, int which, size_t bytes)
{
    if (linear->memory[which] && bytes <= linear->room[which]) return linear->memory[which];
    tn_free(linear->memory[which]);
    linear->room[which] = bytes + bytes / 2 + 64;
    linear->memory[which] = tn_malloc(linear->room[which]);
    if (!linear->memory[which]) linear->room[which] = 0;
    return linear->memory[which];
}

TnLinear *tn_linear_create(const TnModel *model)
{
    TnLinear *linear = tn_calloc(1, sizeof *linear);
    size_t subsystems = (size_t)model->subsystem_count + 1, dofs = (size_t)model->dof_count + 1;
    if (!linear) return NULL;
    linear->blend = tn_calloc(subsystems + 2 * dofs, sizeof(double));
    linear->assembled = tn_calloc(subsystems, sizeof(bool));
    if (!linear->blend || !linear->assembled) {
        tn_linear_destroy(linear);
        return NULL;
    }
    linear->about = linear->blend + subsystems;
    linear->vhat = linear->about + dofs;
    linear->why = "";
    return linear;
}

void tn_linear_destroy(TnLinear *linear)
{
    if (!linear) return;
    for (int k = 0; k < TN_LINEAR_LISTS; k++) tn_free(linear->memory[k]);
    tn_free(linear->assembled);
    tn_free(linear->blend);
    tn_free(linear);
}

/* ---- names ---- */

static TnLinearKey contact_key(const TnWorld *world, int c)
{
    const TnContactPoint *point = &world->contacts.points[c];
    return (TnLinearKey){0, point->geom1, point->geom2, point->feature};
}

static TnLinearKey row_key(const TnWorld *world, int r)
{
    int slot = world->set.row_slot[r];
    TnLinearKey key = {slot, 0, 0, 0};
    if (slot < 0) {
        key = contact_key(world, world->set.problem.rows[r].contact);
        key.slot = slot;
    }
    return key;
}

static bool same(TnLinearKey a, TnLinearKey b)
{
    return a.slot == b.slot && a.a == b.a && a.b == b.b && a.feature == b.feature;
}

/* Where number i of a list is in another one, which mostly is the same; -1: nowhere. */
static int find(const TnWorld *world, const TnLinearKey *keys, int i, int there,
                TnLinearKey (*key)(const TnWorld *world, int index))
{
    if (i < there && same(key(world, i), keys[i])) return i;
    int nth = 0, seen = 0;
    for (int k = 0; k < i; k++) nth += same(keys[k], keys[i]);
    for (int k = 0; k < there; k++)
        if (same(key(world, k), keys[i]) && seen++ == nth) return k;
    return -1;
}

/* ---- the solution ---- */

/* The step can be taken about its first solution: nothing was done again once that was there. */
static const char *refuse(const TnWorld *world, const TnStepReport *report)
{
    static const char *const reasons[TN_PASS_COUNT] = {
        [TN_PASS_MISSED] = "the step was solved again: contact missed",
        [TN_PASS_SOFTS] = "the step was solved again: soft body elsewhere",
        [TN_PASS_FIXED] = "the step has several passes",
        [TN_PASS_WENT_ON] = "the step was solved again: soft body went on",
        [TN_PASS_DEPTH] = "ways were cut: end too deep",
        [TN_PASS_STRAIN] = "ways were cut: strained too far",
        [TN_PASS_LENGTH] = "the step was taken in halves"};
    if (world->substeps > 1) return "the step has sub-steps";
    if (!world->has_problem) return "nothing moves";
    if (!world->by_islands) return "the solver has a fixed count of iterations";
    for (int k = 0; k < TN_PASS_COUNT; k++)
        if (reasons[k] && report->passes[k].repeated) return reasons[k];
    if (!(report->error <= SOLVED)) return "forces miss the tolerance";
    for (int i = 0; i < report->island_count; i++)
        if (tn_world_island(world, i).contact_ratio > 0.0) return "contacts of an island yield";
    return "";
}
static bool note_keys(TnLinear *linear, const TnWorld *world)
{
    const TnProblem *p = &world->set.problem;
    linear->bond_count = p->bond_count;
    linear->contacts =
        tn_linear_room(linear, 0, sizeof(TnLinearKey) * (size_t)p->contact_count + 1);
    linear->rows = tn_linear_room(linear, 1, sizeof(TnLinearKey) * (size_t)p->row_count + 1);
    if (!linear->contacts || !linear->rows) return false;
    for (int c = 0; c < p->contact_count; c++) linear->contacts[c] = contact_key(world, c);
    for (int r = 0; r < p->row_count; r++) linear->rows[r] = row_key(world, r);
    return true;
}

/* The laws' places in the problem of the solution itself. */
static bool stay(TnTrial *t)
{
    int *place = TN_ARENA_NEW(t->p->arena, int, t->linear->law_count);
    for (int i = 0; place && i < t->linear->law_count; i++) place[i] = t->linear->laws[i].index;
    t->place = place;
    return place;
}

static bool note(TnLinear *linear, TnWorld *world)
{
    TnProblem *p = &world->set.problem;
    TnCompliances D;
    TnTrial t;
    if (!tn_problem_prepare_A(p, NULL) || !tn_compliances(p, &D) ||
        !tn_trial_reserve(&t, p, linear) || !note_keys(linear, world))
        return false;
    tn_lambda_take(p, &t.lambda);
    tn_trial_respond(&t);
    if (!tn_linear_note_switches(linear, world, &D, &t) || !tn_linear_note_laws(linear, &D, &t) ||
        !stay(&t))
        return false;
    if (linear->why[0]) return true;
    if (linear->n > MOST_FORCES) {
        linear->why = "there are more forces than are worth a matrix of them";
        return true;
    }
    if (!tn_linear_note_response(linear, p)) return false;
    if (linear->smooth.slow > 0.0 && linear->n && !tn_linear_find_smoothed(linear, &t))
        return false;
    if (linear->why[0]) return true;
    return tn_linear_note_solution(linear, &t) && tn_linear_note_matrix(linear, &t);
}

bool tn_linear_note(const TnDerivatives *d, TnLinear *linear, TnCopy *copy)
{
    TnWorld *world = copy->world;
    double speed = tn_world_velocity_scale(world);
    speed *= world->model->option.theta; /* laws are of θ v⁺ */
    linear->still = SOLVED * speed;
    linear->smooth = (TnSmoothing){.slow = d->def.smoothing * speed,
                                   .near = NEAR * d->def.smoothing * speed,
                                   .give = d->def.compliance};
    linear->why = refuse(world, &copy->report);
    linear->switch_count = 0;
    linear->error = copy->report.error;
    linear->contradiction = copy->report.contradiction;
    linear->has_assembled = false;
    for (int s = 0; s < world->model->subsystem_count; s++)
        linear->has_assembled |= linear->assembled[s];
    linear->one_pass = linear->has_about && copy->report.passes[TN_PASS_LOOPS].repeated == 1 &&
                       copy->report.passes[TN_PASS_PUSHED].repeated == 0;
    linear->doubtful = linear->has_about || linear->has_assembled ||
                       linear->contradiction > SOLVED * tn_world_velocity_scale(world);
    memcpy(linear->vhat, world->state.vhat, sizeof(double) * (size_t)world->model->dof_count);
    if (!world->has_problem || !world->by_islands) return true;
    size_t mark = tn_arena_mark(world->set.problem.arena);
    bool ok = note(linear, world);
    tn_arena_release(world->set.problem.arena, mark);
    return ok;
}

/* ---- steps about it ---- */

/* Forces of a law that is not there any more are gone with it; of laws that hold that is another
 * step. False: it is. */
static bool place_laws(const TnLinear *linear, const TnWorld *world, int *place)
{
    const TnProblem *p = &world->set.problem;
    if (p->bond_count != linear->bond_count) return false;
    for (int i = 0; i < linear->law_count; i++) {
        const TnLinearLaw *law = &linear->laws[i];
        place[i] = law->index;
        if (law->kind == TN_LAW_CONTACT)
            place[i] = find(world, linear->contacts, law->index, p->contact_count, contact_key);
        else if (law->kind != TN_LAW_BOND)
            place[i] = find(world, linear->rows, law->index, p->row_count, row_key);
        if (place[i] < 0 && law->class != TN_CLASS_SMOOTH) return false;
    }
    return true;
}

static bool solve_linear(void *context, TnStep *step)
{
    TnCopy *copy = context;
    const TnLinear *linear = copy->linear;
    TnProblem *p = &step->world->set.problem;
    TnTrial t;
    int *place = TN_ARENA_NEW(p->arena, int, linear->law_count);
    double *F = TN_ARENA_NEW(p->arena, double, linear->n),
           *scratch = TN_ARENA_NEW(p->arena, double, linear->n);
    if (!place || !F || !scratch || !tn_problem_prepare_A(p, NULL) ||
        !tn_trial_reserve(&t, p, linear) || !place_laws(linear, step->world, place))
        return false;
    t.place = place;
    for (int i = 0; i < linear->law_count; i++)
        if (place[i] >= 0)
            memcpy(tn_trial_force(&t, linear->laws[i].kind, place[i]), linear->laws[i].lambda,
                   sizeof(double) * (size_t)linear->laws[i].count);
    tn_trial_respond(&t);
    double first = 0.0, left = 0.0, before = INFINITY, scale = tn_world_velocity_scale(step->world);
    for (int k = 0; k <= MOST_ROUNDS && linear->n; k++) {
        tn_trial_residual(&t, F);
        left = tn_linear_largest(linear->n, F);
        if (k == 0) first = left;
        if (k == MOST_ROUNDS || !(left > 0.0) || (k > 1 && !(left < GAIN * before))) break;
        before = left;
        tn_linear_solve(linear, F, scratch);
        tn_trial_lessen(&t, F);
        tn_trial_respond(&t);
    }
    if (!(left <= LEFT * first + TN_ROOM * scale)) return false;
    tn_velocities_put(p, &t.v);
    for (int i = 0; linear->smooth.slow > 0.0 && i < linear->law_count; i++)
        if (linear->laws[i].kind == TN_LAW_CONTACT && place[i] >= 0 && !linear->laws[i].bears)
            v3_zero(p->lambda[place[i]]); /* how it moves is as without smoothing */
    TnStepReport *report = step->report;
    report->converged = true;
    report->error = linear->error; /* what is noise depends on it */
    report->contradiction = linear->contradiction;
    report->worst_island = -1;
    step->world->solution.islands.count = 0;
    return true;
}

/* ---- passes ---- */

/* What the solution to come is about. */
static bool watch(void *context, TnStep *step)
{
    TnLinear *linear = context;
    const TnModel *model = step->model;
    memcpy(linear->blend, step->plan.blend, sizeof(double) * (size_t)model->subsystem_count);
    linear->has_about = step->about.vhat;
    if (linear->has_about)
        memcpy(linear->about, step->about.vhat, sizeof(double) * (size_t)model->dof_count);
    return true;
}

void tn_linear_watch(TnLinear *linear, TnCopy *copy)
{
    memset(linear->assembled, 0, sizeof(bool) * (size_t)copy->world->model->subsystem_count);
    copy->instead = (TnInstead){.before = watch, .context = linear, .assembled = linear->assembled};
    copy->world->instead = &copy->instead;
}

void tn_linear_unwatch(TnCopy *copy) { copy->world->instead = NULL; }

/* The same for a step that is linear: passes that led there are not taken again. */
static bool go_about(void *context, TnStep *step)
{
    const TnCopy *copy = context;
    const TnLinear *linear = copy->linear;
    const TnModel *model = step->model;
    if (!linear->has_about && !linear->has_assembled) return true;
    memcpy(step->plan.blend, linear->blend, sizeof(double) * (size_t)model->subsystem_count);
    if (linear->has_about) step->about.vhat = copy->about;
    for (int s = 0; s < model->subsystem_count; s++)
        step->plan.again[s] = linear->assembled[s] && !tn_left_out(&step->dynamics, s);
    return tn_step_reassemble_planned(step);
}

void tn_linear_begin(TnCopy *copy)
{
    copy->instead = (TnInstead){.before = go_about,
                                .solve = solve_linear,
                                .context = copy,
                                .plain = copy->linear->smooth.slow > 0.0};
    copy->world->instead = &copy->instead;
}

void tn_linear_end(TnCopy *copy) { copy->world->instead = NULL; }

/* v̂ of the first solution, which the second was about. */
static bool find_first(const TnDerivatives *d, TnCopy *copy, const TnColumnOf *column, double by,
                       double *out)
{
    const double *vhat = copy->world->state.vhat;
    copy->linear = d->first;
    bool ok = tn_copy_take(d, copy, column, by, out);
    copy->linear = d->linear;
    for (int i = 0; i < d->of->model->dof_count; i++)
        copy->about[i] = d->linear->about[i] + vhat[i] - d->first->vhat[i];
    return ok;
}

/* What a pass was about follows what the one before it finds; of more than one as if they had gone
 * on until both agree. */
bool tn_linear_take(const TnDerivatives *d, TnCopy *copy, const TnColumnOf *column, double by,
                    double *out)
{
    const TnLinear *linear = copy->linear;
    const double *vhat = copy->world->state.vhat;
    int dofs = d->of->model->dof_count;
    double first = 0.0, change = 0.0, rounding = TN_ROOM * tn_world_velocity_scale(copy->world);
    memcpy(copy->about, linear->about, sizeof(double) * (size_t)dofs);
    if (d->has_first)
        return find_first(d, copy, column, by, out) && tn_copy_take(d, copy, column, by, out);
    for (int k = 0; k < MOST_ABOUT; k++) {
        if (!tn_copy_take(d, copy, column, by, out)) return false;
        if (!linear->has_about) return true;
        change = 0.0;
        for (int i = 0; i < dofs; i++) {
            double next = linear->about[i] + vhat[i] - linear->vhat[i];
            change = fmax(change, fabs(next - copy->about[i]));
            copy->about[i] = next;
        }
        if (k == 0) first = change;
        if (change <= SOLVED * first + rounding) return true;
    }
    return change <= LEFT * first + rounding;
}
