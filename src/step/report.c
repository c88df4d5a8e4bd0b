/* report.c: what a step tells of itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step.h"

TnStepReport tn_report_open(void)
{
    return (TnStepReport){.diverged = true,
                          .aac = NAN,
                          .aal = NAN,
                          .time_error = NAN,
                          .error = NAN,
                          .rigid_error = NAN,
                          .worst_island = -1};
}

void tn_report_idle(const TnStep *step)
{
    const TnSolverDef def = tn_world_solver(step->world);
    step->report->converged = true;
    step->report->error = step->report->rigid_error = tn_solves_to_tolerance(&def) ? 0.0 : NAN;
}

static void measure_accuracy(TnWorld *world, TnStepReport *report)
{
    TnProblem *problem = &world->set.problem;
    /* ranks prepare no more than parts of it */
    if ((world->by_islands || world->def.ranks) && !tn_problem_prepare_A(problem, world->team))
        return;
    TnAccuracy accuracy = tn_problem_accuracy(problem);
    report->aac = accuracy.aac;
    report->aal = accuracy.aal;
}

/* Sums over stretches of contacts of a fixed length, so that they are the same on any number of
 * threads. */
#define STRETCH 512

typedef struct Depth {
    int touching;
    double sum, most;
} Depth;

typedef struct Depths {
    const TnContactList *list;
    Depth *of; /* per stretch */
} Depths;

static void find_depths(void *context, int begin, int end)
{
    const Depths *d = context;
    for (int k = begin; k < end; k++) {
        Depth x = {0};
        for (int i = k * STRETCH; i < d->list->count && i < (k + 1) * STRETCH; i++) {
            const TnContactPoint *c = &d->list->points[i];
            double depth = -fmax(c->gap, c->clearance);
            if (depth <= 0.0) continue;
            x.touching++;
            x.sum += depth;
            if (depth > x.most) x.most = depth;
        }
        d->of[k] = x;
    }
}

/* How deep things are where the step starts from. Where hits were, the step's own contacts are
 * those of their times, which bodies would get to if only hits stopped them: none ever is there. */
void tn_report_contacts(const TnStep *step)
{
    TnStepReport *report = step->report;
    const TnWorld *world = step->world;
    const TnContactList *list = step->hits.since ? &step->hits.real : &world->contacts;
    int touching = 0, stretches = (list->count + STRETCH - 1) / STRETCH;
    Depths depths = {list, TN_ARENA_NEW(&step->world->arena, Depth, stretches)};
    if (depths.of) tn_pool_run(world->team, stretches, 1, find_depths, &depths);
    for (int k = 0; depths.of && k < stretches; k++) {
        touching += depths.of[k].touching;
        report->mean_penetration += depths.of[k].sum;
        if (depths.of[k].most > report->max_penetration)
            report->max_penetration = depths.of[k].most;
    }
    if (touching) report->mean_penetration /= touching;
    report->contact_count = world->contacts.count;
    report->row_count = world->set.problem.row_count + 6 * world->set.problem.bond_count;
}

static void warn(const TnWorld *world, const char *format, ...) TN_PRINTF(2, 3);
static void warn(const TnWorld *world, const char *format, ...)
{
    char line[256];
    va_list args;
    if (!world->def.log) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    world->def.log(world->def.log_user, TN_LOG_WARNING, line);
}

_Static_assert(sizeof(TnEnergyAccount) == TN_ACCOUNT_NUMBERS * sizeof(double),
               "nothing but doubles");

/* Of a step that was refused. */
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

static void sum_account(const TnWorld *world, const TnEnergyAccount *account)
{
    double numbers[TN_ACCOUNT_NUMBERS];
    memcpy(numbers, account, sizeof numbers);
    for (int k = 0; k < TN_ACCOUNT_NUMBERS; k++) world->state.account[k] += numbers[k];
}

static void report_memory(TnWorld *world, TnStepReport *report)
{
    size_t island_bytes;
    report->heap_fallbacks =
        world->arena.overflow_count + tn_solver_memory_reset(world->solver_memory, &island_bytes);
    report->arena_high_water = world->arena.high_water + island_bytes;
    if (report->heap_fallbacks)
        warn(world, "step at %g s: the arena was too small, the heap helped %d times",
             world->state.time, report->heap_fallbacks);
}

void tn_report_close(const TnStep *step, bool ok)
{
    TnWorld *world = step->world;
    TnStepReport *report = step->report;
    report->diverged = !ok;
    report->converged = ok && report->converged;
    report->asleep_count = world->state.asleep_count;
    if (!ok) forget_account(report);
    sum_account(world, &report->energy);
    if (ok && world->def.measure_accuracy && world->has_problem) measure_accuracy(world, report);
    if (!ok && !step->check.too_long)
        warn(world, "step at %g s refused: it would not be finite, or there was no memory",
             world->state.time);
    report_memory(world, report);
}
