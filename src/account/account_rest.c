/* account_rest.c: what is left of a group's account (account.c) once work and losses are known,
 * what it is called, and whose it is.
 *
 *     left = gained - work + friction + damping + Δ stored
 *
 * comes from push-out as far as that worked so much; from losses that were counted and were not
 * there, in a group whose forces make no sense; and else it is created. Below zero it is lost: to
 * impacts as far as these took so much, and the rest to the step.
 *
 * A step that moves a subsystem by t((1-w) v̂ + w v⁺) takes ((1-w)(θ - ½) + w/2) Δv·M Δv from it,
 * Δv = v⁺ - v: by that a group's loss is shared among its members. */
#include "account.h"

#include <math.h>

#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "../subsystem/kind.h"

/* ---- its name ---- */

/* Noise: motion at the speed that gravity gives in a step. */
static double noise_of(const TnStep *step, double mass)
{
    double speed = tn_world_velocity_scale(step->world);
    return mass * speed * speed;
}

/* The forces on its members are a solution. */
static bool is_solved(const TnStep *step, const TnJoined *joined, int root)
{
    const TnWorld *world = step->world;
    if (!world->by_islands)
        return step->report->residual <= TN_FIXED_COUNT_ERROR * tn_world_velocity_scale(world);
    if (step->report->converged) return true;
    for (int s = joined->first[root]; s >= 0; s = joined->next[s])
        if (!tn_kind_of(step->model, s)->is_solved(world, s)) return false;
    return true;
}

/* What friction and dampers of the group are said to have lost, of which so much was not there. */
static void leave_out(TnAccounts *a, const TnGroupRest *rest, double excess)
{
    /* with less beyond what was there losses still make sense */
    double share = excess > TN_PUSHED_SHARE * rest->lost ? 1.0 : excess / rest->lost;
    a->friction -= share * rest->rubbed;
    a->damping -= share * (rest->lost - rest->rubbed);
    a->unsolved += share * rest->lost - excess;
    a->unsolved += fmin(0.0, a->friction); /* what rounding leaves of a group's own */
    a->friction = fmax(0.0, a->friction);
}

/* What was made in earlier steps and is taken off now: it was `created`, or else push-out. */
static void take_back(TnAccounts *a, double off)
{
    TnEnergyAccount sums = tn_world_energy_account(a->step->world);
    double created = fmin(off, fmax(0.0, sums.created + a->created));
    a->created -= created;
    a->push_out -= off - created;
}

/* What of it is created; *lost: the opposite. */
static double name_rest(TnAccounts *a, const TnJoined *joined, int root, const TnGroupRest *rest,
                        double *lost)
{
    double left = rest->created + rest->excess, excess = rest->excess, put;
    /* a jam pushes apart what cannot move with forces of any size, and friction takes it all */
    if (excess > 0.0 && is_solved(a->step, joined, root)) {
        put = fmax(0.0, fmin(rest->put_out, left));
        excess = fmax(0.0, fmin(excess, left - put));
    } else {
        put = fmax(0.0, fmin(rest->put_out, left - excess));
    }
    a->push_out += put;
    if (excess > 0.0) leave_out(a, rest, excess);
    double made = left - put - excess;
    if (made <= 0.0) {
        double off = fmin(-made, fmax(0.0, rest->owed));
        if (off > 0.0) take_back(a, off);
        *lost = -made - off;
        return 0.0;
    }
    double back = fmin(made, fmax(0.0, -rest->owed));
    *lost = -back;
    return made - back;
}

/* ---- whose it is ---- */

/* Twice the kinetic energy of what changed of its velocities. */
static double changed_by(const TnAccounts *a, int s)
{
    const TnStep *step = a->step;
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[s];
    const TnInstant start = tn_step_before(step);
    double sum = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        double change[6];
        for (int k = 0; k < 6; k++) change[k] = world->next_twists[l][k] - start.twists[l][k];
        sum += 2.0 * tn_link_kinetic(&model->links[l], &world->next_frames[l], change);
    }
    if (sub->kind != TN_SUBSYSTEM_SOFT) return sum;
    const TnSoft *soft = &model->softs[sub->kind_index];
    for (int i = 0; i < sub->dof_count; i++) {
        double change = world->next_qvel[sub->dof_start + i] - start.qvel[sub->dof_start + i];
        sum += soft->masses[i / 3] * change * change;
    }
    return sum;
}

static double share_of(const TnAccounts *a, int s)
{
    double w = a->step->plan.blend[s], theta = a->step->model->option.theta;
    /* members that lose nothing by the rule have a share, too */
    return ((1.0 - w) * (theta - 0.5) + 0.5 * w + TN_ROOM) * changed_by(a, s);
}

static void share_loss(TnAccounts *a, const TnJoined *joined, int root, double loss)
{
    double sum = 0.0;
    int first = joined->first[root];
    if (joined->next[first] < 0) {
        a->losses[first] += loss;
        return;
    }
    if (loss == 0.0) return;
    for (int s = first; s >= 0; s = joined->next[s]) sum += a->shares[s] = share_of(a, s);
    if (!(sum > 0.0)) { /* nothing changed its motion */
        a->losses[first] += loss;
        return;
    }
    for (int s = first; s >= 0; s = joined->next[s]) a->losses[s] += loss * (a->shares[s] / sum);
}

void tn_accounts_add(TnAccounts *a, const TnJoined *joined, int root, const TnGroupRest *rest)
{
    double lost, made = name_rest(a, joined, root, rest, &lost),
                 hits = fmax(0.0, fmin(rest->hits, lost));
    a->impacts += hits;
    a->taken += lost - hits;
    a->created += made;
    share_loss(a, joined, root, lost - hits + rest->stored);
    double share = (made - noise_of(a->step, rest->mass)) / rest->involved;
    if (!(made > 0.0) || !(share > a->share)) return;
    a->share = share;
    a->worst_of = joined;
    a->worst_root = root;
}

/* ---- the step's ---- */

/* Of a group, whose energy grew most. */
static int most_gained(const TnAccounts *a, const TnJoined *joined, int root)
{
    int found = root;
    double most = -INFINITY;
    for (int s = joined->first[root]; s >= 0; s = joined->next[s]) {
        double gained = tn_account_of(a, s).gained;
        if (!(gained > most)) continue;
        most = gained;
        found = s;
    }
    return found;
}

/* Of a subsystem's links, whose kinetic energy grew most. */
static int most_hurried(const TnStep *step, const TnSubsystem *sub)
{
    const TnWorld *world = step->world;
    const TnInstant start = tn_step_before(step);
    int found = sub->link_start;
    double most = -INFINITY;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &step->model->links[l];
        double gained = tn_link_kinetic(link, &world->next_frames[l], world->next_twists[l]) -
                        tn_link_kinetic(link, &start.frames[l], start.twists[l]);
        if (!(gained > most)) continue;
        most = gained;
        found = l;
    }
    return found;
}

static void name_worst(const TnAccounts *a, TnStepReport *out)
{
    const TnModel *model = a->step->model;
    if (!a->worst_of) return;
    const TnSubsystem *sub = &model->subsystems[most_gained(a, a->worst_of, a->worst_root)];
    out->created_share = a->share;
    if (sub->kind == TN_SUBSYSTEM_SOFT)
        out->created_soft = sub->kind_index + 1;
    else
        out->created_body = model->links[most_hurried(a->step, sub)].body + 1;
}

/* The one that lost most. */
static void name_loss(const TnAccounts *a, TnStepReport *out)
{
    const TnStep *step = a->step;
    int most = -1;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        if (a->losses[s] > (most < 0 ? 0.0 : a->losses[most])) most = s;
    }
    if (most < 0) return;
    out->step_loss = a->losses[most];
    tn_subsystem_name(step->model, most, &out->step_loss_body, &out->step_loss_soft);
}

void tn_accounts_close(const TnAccounts *a, TnStepReport *out)
{
    out->energy = (TnEnergyAccount){.actuators = a->actuators,
                                    .applied = a->applied,
                                    .friction = a->friction,
                                    .damping = a->damping,
                                    .impacts = a->impacts,
                                    .step = a->taken + a->contacts,
                                    .created = a->created,
                                    .push_out = a->push_out,
                                    .unsolved = a->unsolved};
    name_worst(a, out);
    name_loss(a, out);
}
