/* substeps.c: a step in n parts of equal length t = timestep / n, and each of these in halves, and
 * halves of halves, where it is too long: because it fails its checks (check.c), or because it is
 * not as accurate as was asked for (time_control.c).
 *
 * Each part is a step of its own (step.c): smooth motion, contacts, constraints, solution,
 * balances, sleep. What is meant for a step is for all of its parts: controls and applied forces
 * hold, and the report sums up. What a world tells of its last step (contacts, reactions, islands,
 * the problem) is that of the last part. A part that is refused takes the whole step back. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../device/device.h"
#include "../ranks/spread.h"
#include "step.h"
#include "time_control.h"

/* ---- the state that a step began with ---- */

/* False: no memory. */
static bool keep_start(TnWorld *world)
{
    size_t need = tn_state_save_size(&world->state, world->model);
    if (need > world->start_capacity) {
        size_t capacity = need + need / 2; /* contacts come and go */
        void *start = tn_malloc(capacity);
        if (!start) return false;
        tn_free(world->start);
        world->start = start;
        world->start_capacity = capacity;
    }
    tn_state_copy_out(&world->state, world->model, world->start);
    return true;
}

static void return_to_start(TnWorld *world)
{
    tn_state_copy_in(&world->state, world->model, world->start);
    tn_world_forget_step(world);
}

/* ---- the report ---- */

static void add_times(TnStepTimes *sum, const TnStepTimes *part)
{
    sum->dynamics += part->dynamics;
    sum->collision += part->collision;
    sum->constraint += part->constraint;
    sum->factor += part->factor;
    sum->iterate += part->iterate;
    sum->integrate += part->integrate;
    sum->total += part->total;
}

static void add_account(TnEnergyAccount *sum, const TnEnergyAccount *part)
{
    sum->actuators += part->actuators;
    sum->applied += part->applied;
    sum->friction += part->friction;
    sum->damping += part->damping;
    sum->impacts += part->impacts;
    sum->step += part->step;
    sum->created += part->created;
    sum->push_out += part->push_out;
    sum->unsolved += part->unsolved;
}

static void add_passes(TnPassReport *sum, const TnPassReport *part)
{
    for (int k = 0; k < TN_PASS_COUNT; k++) {
        sum[k].asked += part[k].asked;
        sum[k].repeated += part[k].repeated;
        sum[k].worst = fmax(sum[k].worst, part[k].worst);
    }
}

/* `out` is that of the parts so far and becomes that of one more. Counts of contacts, rows, islands
 * and sleepers are the last part's, where they can be looked up. */
static void add_part(TnStepReport *out, const TnStepReport *part)
{
    TnStepReport sum = *part;
    sum.converged = out->converged && part->converged;
    sum.rough = out->rough || part->rough;
    sum.iterations += out->iterations;
    sum.residual = fmax(out->residual, part->residual);
    sum.error = fmax(out->error, part->error); /* the other where one is NaN */
    sum.contradiction = fmax(out->contradiction, part->contradiction);
    sum.rigid_error = fmax(out->rigid_error, part->rigid_error);
    sum.aac = fmin(out->aac, part->aac);
    sum.aal = fmin(out->aal, part->aal);
    sum.mean_penetration += out->mean_penetration; /* divided at the end */
    sum.max_penetration = fmax(out->max_penetration, part->max_penetration);
    sum.heap_fallbacks += out->heap_fallbacks;
    if (out->arena_high_water > sum.arena_high_water) sum.arena_high_water = out->arena_high_water;
    if (out->created_share > part->created_share) {
        sum.created_share = out->created_share;
        sum.created_body = out->created_body;
        sum.created_soft = out->created_soft;
    }
    if (out->step_loss > part->step_loss) {
        sum.step_loss = out->step_loss;
        sum.step_loss_body = out->step_loss_body;
        sum.step_loss_soft = out->step_loss_soft;
    }
    sum.corrected_energy += out->corrected_energy;
    for (int k = 0; k < 3; k++) sum.corrected_momentum[k] += out->corrected_momentum[k];
    add_account(&sum.energy, &out->energy);
    add_times(&sum.times, &out->times);
    add_passes(sum.passes, out->passes);
    *out = sum;
}

static void forget_account(TnStepReport *report)
{
    report->energy = (TnEnergyAccount){0};
    report->created_share = 0.0;
    report->created_body = 0;
    report->created_soft = 0;
    report->step_loss = 0.0;
    report->step_loss_body = 0;
    report->step_loss_soft = 0;
    report->corrected_energy = 0.0;
    memset(report->corrected_momentum, 0, sizeof report->corrected_momentum);
}

/* How a part is taken, and how all of them are taken back. */
typedef struct Way {
    bool (*keep_start)(TnWorld *world); /* false: no memory */
    TnStepReport (*once)(TnWorld *world);
    void (*return_to_start)(TnWorld *world);
} Way;

static const Way here = {keep_start, tn_step_once, return_to_start},
                 in_parts = {tn_spread_keep_start, tn_spread_once, tn_spread_return_to_start};

/* What was taken of a step so far. */
typedef struct Taken {
    TnStepReport report; /* of these parts */
    int parts;
    char worst[TN_WORST_SIZE]; /* of these parts, as the world's */
} Taken;

/* A step, part by part. The part that begins now is the index-th of 2^level of a sub-step. */
typedef struct Parts {
    TnWorld *world;
    const Way *way;
    double t;     /* s: of a sub-step */
    int left;     /* sub-steps, with this one */
    int halvings; /* of what fails its checks */
    int level, index;
    double exceeds[TN_CHECK_LEVELS + 2]; /* per level: a part that this one is of failed its checks
                                      by so many times; infinite where it did not */
    Taken taken;
    TnStepReport spent; /* times and passes of what was tried and not taken */
    int tries, halved;
    TnCheck halved_by;
    TnTimeControl control;
    bool kept;    /* the state at the start of the step is */
    bool refused; /* a part was; there was no memory to take it back; or the step is done with */
} Parts;

/* The worst constraint is known by its island as long as there is no part behind it. */
static void note_worst(TnWorld *world, TnStepReport *part, const TnStepReport *sum, bool first)
{
    bool last = world->parts_left == 1;
    bool worse = first || part->error > sum->error;
    if (!worse && sum->error > part->error) part->worst_island = TN_WORST_EARLIER;
    if (worse && !last && part->worst_island >= 0)
        tn_world_worst_constraint(world, part->worst_island, world->worst, sizeof world->worst);
}

static void refuse_for_memory(Parts *p)
{
    p->world->trouble = (TnTroubleNote){.kind = TN_TROUBLE_MEMORY, .subsystem = -1, .dof = -1};
    p->refused = true;
}

static bool keep_once(Parts *p)
{
    if (!p->kept) p->kept = p->way->keep_start(p->world);
    if (!p->kept) refuse_for_memory(p);
    return p->kept;
}

/* ---- one part ---- */

static TnStepReport try_part(Parts *p, int level, int index)
{
    TnWorld *world = p->world;
    int left = p->halvings - level;
    world->t = ldexp(p->t, -level);
    world->parts_left = (p->left << level) - index;
    world->begun = p->taken.parts > 0;
    p->tries++;
    world->halving = (TnHalving){.left = left > 0 ? left : 0,
                                 .whole = level > 1 ? p->exceeds[level - 2] : INFINITY};
    return p->way->once(world);
}

static void take(Parts *p, TnStepReport *part)
{
    Taken *taken = &p->taken;
    note_worst(p->world, part, &taken->report, taken->parts == 0);
    double shortest = taken->parts ? fmin(taken->report.shortest, p->world->t) : p->world->t;
    if (taken->parts++ == 0)
        taken->report = *part;
    else
        add_part(&taken->report, part);
    taken->report.shortest = shortest;
    p->refused = part->diverged;
}

/* It is not taken; its own report is not for what was taken, but its times and passes are. */
static void spend(Parts *p, const TnStepReport *part)
{
    add_times(&p->spent.times, &part->times);
    add_passes(p->spent.passes, part->passes);
}

/* It failed its checks: the state is as before. */
static bool is_too_long(Parts *p, int level)
{
    const TnHalving *halving = &p->world->halving;
    p->exceeds[level] = halving->exceeds > 0.0 ? halving->exceeds : INFINITY;
    if (!(halving->exceeds > 0.0)) return false;
    if (p->halved++ == 0) p->halved_by = halving->check;
    return true;
}

static void go_down(Parts *p, int levels)
{
    for (int k = 1; k < levels; k++) p->exceeds[p->level + k] = INFINITY;
    p->level += levels;
    p->index <<= levels;
}

/* Behind a part comes the longest that may begin there, of `level` at least. */
static void go_on(Parts *p, int level)
{
    p->index++;
    while (p->level > level && p->index % 2 == 0) {
        p->level--;
        p->index /= 2;
    }
}

/* ---- reasons for parts: checks, and the error that was asked for ---- */

static void take_checked(Parts *p)
{
    TnStepReport part = try_part(p, p->level, p->index);
    if (!is_too_long(p, p->level)) {
        take(p, &part);
        go_on(p, 0);
    } else if (keep_once(p)) {
        spend(p, &part);
        go_down(p, 1);
    }
}

/* The part that was tried cannot be taken. Shorter ones may be, if it was not for memory. */
static bool has_failed(Parts *p, int level, const TnStepReport *part)
{
    if (is_too_long(p, level)) return true;
    if (part->diverged) p->refused = p->world->trouble.kind == TN_TROUBLE_MEMORY;
    return part->diverged;
}

/* As a whole. False: it cannot be. */
static bool try_whole(Parts *p)
{
    if (p->taken.parts) tn_time_control_begin_whole(&p->control);
    TnStepReport whole = try_part(p, p->level, p->index);
    spend(p, &whole);
    if (has_failed(p, p->level, &whole)) return false;
    if (tn_time_control_end_whole(&p->control)) return true;
    refuse_for_memory(p);
    return false;
}

static bool try_half(Parts *p, int half, TnStepReport *part)
{
    *part = try_part(p, p->level + 1, 2 * p->index + half);
    if (has_failed(p, p->level + 1, part)) return false;
    take(p, part);
    return true;
}

/* Two halves, once they end near enough to where the whole ends. */
static void take_measured(Parts *p)
{
    const Taken before = p->taken;
    TnStepReport halves[2];
    for (int down = 1; !p->refused; go_down(p, down)) {
        int tried = 0, good = 0;
        if (try_whole(p))
            for (; tried < 2 && good == tried; tried++) good += try_half(p, tried, &halves[tried]);
        down = 1;
        if (good == 2) down = tn_time_control_judge(&p->control, p->level, ldexp(p->t, -p->level));
        if (down == 0) break;
        for (int half = 0; half < tried; half++) spend(p, &halves[half]);
        p->taken = before;
        memcpy(p->world->worst, before.worst, sizeof before.worst);
        tn_time_control_return(&p->control);
        p->refused |= p->level == TN_TIME_LEVELS; /* what cannot be taken and not be shorter */
    }
    if (p->refused) return;
    int level = p->level;
    memcpy(p->taken.worst, p->world->worst, sizeof p->taken.worst);
    if (!tn_time_control_go_on(&p->control, p->index + 1, &level)) refuse_for_memory(p);
    go_on(p, level);
}

/* ---- the step ---- */

/* All of it is taken back. */
static void give_back(Parts *p)
{
    TnStepReport *report = &p->taken.report;
    if (p->kept) p->way->return_to_start(p->world);
    report->diverged = true;
    report->converged = false;
    forget_account(report);
    report->asleep_count = p->world->state.asleep_count;
}

static TnStepReport take_parts(TnWorld *world)
{
    Parts p = {.world = world,
               .way = world->spread ? &in_parts : &here,
               .t = world->t,
               .taken.report = tn_report_open(),
               .halvings = world->spread || world->at_start ? 0 : world->def.halvings};
    TnStepReport *report = &p.taken.report;
    bool measured = tn_world_accuracy(world) > 0.0;
    if (measured && p.halvings > TN_TIME_LEVELS) p.halvings = TN_TIME_LEVELS;
    double start = world->state.time, step = world->model->option.timestep;
    world->trouble = (TnTroubleNote){.kind = TN_TROUBLE_MEMORY, .subsystem = -1, .dof = -1};
    world->worst[0] = '\0';
    if ((world->substeps > 1 || measured) && !keep_once(&p)) return *report;
    if (measured && !tn_time_control_begin(&p.control, world)) refuse_for_memory(&p);
    for (p.left = world->substeps; p.left > 0 && !p.refused; p.left--) {
        p.level = p.index = 0;
        while (p.index < 1 << p.level && !p.refused)
            measured ? take_measured(&p) : take_checked(&p);
    }
    if (p.taken.parts) report->mean_penetration /= p.taken.parts;
    add_times(&report->times, &p.spent.times);
    add_passes(report->passes, p.spent.passes);
    report->parts = p.taken.parts;
    report->tries = p.tries;
    report->halved = p.halved;
    report->halved_by = p.halved_by;
    if (measured && !p.refused) tn_time_control_report(&p.control, report);
    if (p.refused)
        give_back(&p);
    else if (p.taken.parts > 1)
        world->state.time = start + step;
    world->t = p.t;
    world->begun = false;
    return *report;
}

TnStepReport tn_world_step(TnWorld *world)
{
    TN_ASSERT_ALIVE(world);
    if (!world || world->stepping) return (TnStepReport){0};
    TN_ASSERT_ALIVE(world->shared); /* the model has to outlive its worlds */
    world->stepping = true;
    if (world->before) world->before(world->callback_user, world);
    if (world->spread) tn_spread_begin(world);
    TnStepReport report = world->device ? tn_device_step(world) : take_parts(world);
    tn_step_spend_inputs(world);
    tn_trouble_note_report(world, &report);
    if (world->after) world->after(world->callback_user, world);
    world->stepping = false;
    return report;
}

void tn_world_set_callbacks(TnWorld *world, TnStepFn before, TnStepFn after, void *user)
{
    if (!world) return;
    world->before = before;
    world->after = after;
    world->callback_user = user;
}
