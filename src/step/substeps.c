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

/* The worst constraint is known by its island as long as there is no sub-step behind it. */
static void note_worst(TnWorld *world, TnStepReport *part, const TnStepReport *sum)
{
    bool last = world->substep + 1 == world->substeps;
    bool worse = world->substep == 0 || part->error > sum->error;
    if (!worse && sum->error > part->error) part->worst_island = TN_WORST_EARLIER;
    if (worse && !last && part->worst_island >= 0)
        tn_world_worst_constraint(world, part->worst_island, world->worst, sizeof world->worst);
}

/* ---- the step ---- */

static TnStepReport take_parts(TnWorld *world)
{
    const Way *way = world->spread ? &in_parts : &here;
    double start = world->state.time;
    TnStepReport report = tn_report_open();
    world->trouble = (TnTroubleNote){.kind = TN_TROUBLE_MEMORY, .subsystem = -1, .dof = -1};
    if (!way->keep_start(world)) return report;
    int taken = 0;
    world->listed.known = false;
    world->worst[0] = '\0';
    for (world->substep = 0; world->substep < world->substeps; world->substep++) {
        TnStepReport part = way->once(world);
        note_worst(world, &part, &report);
        if (taken++ == 0)
            report = part;
        else
            add_part(&report, &part);
        if (part.diverged) break;
    }
    world->substep = 0;
    report.mean_penetration /= taken;
    if (report.diverged) {
        way->return_to_start(world);
        forget_account(&report);
        report.asleep_count = world->state.asleep_count;
    } else {
        world->state.time = start + world->model->option.timestep;
    }
    return report;
}

TnStepReport tn_world_step(TnWorld *world)
{
    TN_ASSERT_ALIVE(world);
    if (!world || world->stepping) return (TnStepReport){0};
    TN_ASSERT_ALIVE(world->shared); /* the model has to outlive its worlds */
    world->stepping = true;
    if (world->before) world->before(world->callback_user, world);
    if (world->spread) tn_spread_begin(world);
    TnStepReport report = world->device         ? tn_device_step(world)
                          : world->substeps > 1 ? take_parts(world)
                          : world->spread       ? tn_spread_once(world)
                                                : tn_step_once(world);
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
