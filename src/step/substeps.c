/* substeps.c: a step in n parts of equal length t = timestep / n.
 *
 * Each part is a step of its own (step.c): smooth motion, contacts, constraints, solution,
 * balances, sleep. What is meant for a step is for all of its parts: controls and applied forces
 * hold, and the report sums up. What a world tells of its last step (contacts, reactions, islands,
 * the problem) is that of the last part. A part that is refused takes the whole step back. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "device.h"
#include "spread.h"
#include "step.h"

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

/* A step, or its parts so far. */
typedef struct Parts {
    TnWorld *world;
    const Way *way;
    TnStepReport report;
    int taken, halved;
    TnCheck halved_by;
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

static bool keep_once(Parts *p)
{
    if (!p->kept) p->kept = p->way->keep_start(p->world);
    return p->kept;
}

static void add(Parts *p, TnStepReport *part)
{
    note_worst(p->world, part, &p->report, p->taken == 0);
    if (p->taken++ == 0)
        p->report = *part;
    else
        add_part(&p->report, part);
    p->world->begun = true;
    p->refused = part->diverged;
}

/* ---- the step ---- */

static void take(Parts *p, int halvings, double whole);

/* What is too long, in two halves. Its own report is not for what was taken, but its times are. */
static void take_halves(Parts *p, int halvings, const TnStepReport *whole)
{
    TnWorld *world = p->world;
    double t = world->t, exceeds = world->halving.exceeds;
    if (p->halved++ == 0) p->halved_by = world->halving.check;
    if (!keep_once(p)) {
        world->trouble = (TnTroubleNote){.kind = TN_TROUBLE_MEMORY, .subsystem = -1, .dof = -1};
        p->refused = true;
        return;
    }
    world->t = 0.5 * t;
    world->parts_left *= 2;
    for (int half = 0; half < 2 && !p->refused; half++) {
        take(p, halvings, exceeds);
        if (half == 0) world->parts_left--;
    }
    world->parts_left = (world->parts_left + 1) / 2;
    world->t = t;
    add_times(&p->report.times, &whole->times);
}

/* The part of the step that begins now, as long as world->t. */
static void take(Parts *p, int halvings, double whole)
{
    TnWorld *world = p->world;
    world->halving = (TnHalving){.left = halvings, .whole = whole};
    TnStepReport part = p->way->once(world);
    if (world->halving.exceeds > 0.0)
        take_halves(p, halvings - 1, &part);
    else
        add(p, &part);
}

/* All of it is taken back. */
static void give_back(Parts *p)
{
    TnStepReport *report = &p->report;
    if (p->kept) p->way->return_to_start(p->world);
    report->diverged = true;
    report->converged = false;
    forget_account(report);
    report->asleep_count = p->world->state.asleep_count;
}

static TnStepReport take_parts(TnWorld *world)
{
    Parts p = {
        .world = world, .way = world->spread ? &in_parts : &here, .report = tn_report_open()};
    double start = world->state.time;
    int halvings = world->spread || world->at_start ? 0 : world->def.halvings;
    world->trouble = (TnTroubleNote){.kind = TN_TROUBLE_MEMORY, .subsystem = -1, .dof = -1};
    world->worst[0] = '\0';
    world->begun = false;
    if (world->substeps > 1 && !keep_once(&p)) return p.report;
    for (int left = world->substeps; left > 0 && !p.refused; left--) {
        world->parts_left = left;
        take(&p, halvings, INFINITY);
    }
    if (p.taken) p.report.mean_penetration /= p.taken;
    p.report.halved = p.halved;
    p.report.halved_by = p.halved_by;
    if (p.refused)
        give_back(&p);
    else if (p.taken > 1)
        world->state.time = start + world->model->option.timestep;
    world->begun = false;
    return p.report;
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
