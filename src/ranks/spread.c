/* spread.c: see spread.h. */
#include "spread.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "near.h"

/* Of a step whose movers need more room than they have. */
#define MOST_TRIES 4

void tn_spread_note_state(TnWorld *world)
{
    if (!world->spread) return;
    world->spread->put = true;
    world->spread->ahead = false;
}

void tn_spread_fetch(TnWorld *world)
{
    TnSpread *spread = world->spread;
    if (!spread->ahead || !tn_spread_gather(world)) return;
    spread->ahead = false;
    world->team = world->pool;
    world->energies_known = false;
    if (spread->has_whole) tn_world_update_frames(world, NULL, 0);
}

/* ---- a step ---- */

/* What ranks tell each other of a step. */
typedef struct Sum {
    double gone, residual, depth, deepest;
    int64_t diverged, contacts, touching, heap, ghosts;
} Sum;

/* How far a body may have come after the next step, in shares of its room. */
static double farthest(const TnWorld *whole)
{
    const TnSpread *spread = whole->spread;
    const TnWorld *world = spread->world;
    double t = world->t, g = v3_norm(world->model->option.gravity);
    double most = tn_spread_movers_gone(spread);
    for (int s = 0; s < spread->count; s++) {
        const TnSubsystem *sub = &spread->part.model->subsystems[s];
        const double *x = world->state.qpos + sub->qpos_start,
                     *v = world->state.qvel + sub->dof_start;
        double way[3];
        if (!tn_spread_owns(spread, s)) continue;
        v3_sub(way, x, spread->start[s]);
        double speed = tn_near_speed(world, sub->link_start, v, v + 3) + g * t;
        double next = TN_SWEPT * t * speed + tn_near_surprise(&spread->near);
        most = fmax(most, (v3_norm(way) + next) / spread->room[s]);
    }
    return most;
}

/* Contacts that this rank tells of. */
static void add_contacts(const TnWorld *whole, Sum *sum)
{
    const TnContactList *list = &whole->spread->world->contacts;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *c = &list->points[i];
        double depth = -fmax(c->gap, c->clearance);
        if (!tn_spread_tells(whole, c->geom1, c->geom2)) continue;
        sum->contacts++;
        if (depth <= 0.0) continue;
        sum->touching++;
        sum->depth += depth;
        sum->deepest = fmax(sum->deepest, depth);
    }
}

static void add_sum(Sum *to, const Sum *from)
{
    to->gone = fmax(to->gone, from->gone);
    to->residual = fmax(to->residual, from->residual);
    to->depth += from->depth;
    to->deepest = fmax(to->deepest, from->deepest);
    to->diverged |= from->diverged;
    to->contacts += from->contacts;
    to->touching += from->touching;
    to->heap += from->heap;
    to->ghosts += from->ghosts;
}

/* Of all ranks, in their order. False: no memory. */
static bool sum_up(const TnRanks *ranks, Sum *sum)
{
    int n = tn_ranks_count(ranks);
    if (n == 1) return true;
    Sum *all = tn_calloc((size_t)n, sizeof *all);
    size_t *start = tn_malloc(sizeof *start * (size_t)(n + 1));
    bool ok = all && start;
    if (ok) {
        all[ranks->rank] = *sum;
        for (int r = 0; r <= n; r++) start[r] = sizeof *all * (size_t)r;
        tn_ranks_share(ranks, all, start);
        *sum = all[0];
        for (int r = 1; r < n; r++) add_sum(sum, &all[r]);
    }
    tn_free(all);
    tn_free(start);
    return ok;
}

/* Another rank refused the step that this one has taken. */
static void take_back(TnSpread *spread)
{
    TnWorld *part = spread->world;
    const TnModel *model = part->model;
    memcpy(part->state.qpos, part->start_qpos, sizeof(double) * (size_t)model->qpos_count);
    memcpy(part->state.qvel, part->start_qvel, sizeof(double) * (size_t)model->dof_count);
    part->state.time -= part->t;
    tn_spread_take_back_movers(spread);
    tn_world_update_frames(part, NULL, 0);
}

static void fill_report(const Sum *sum, TnStepReport *report)
{
    report->row_count = 0; /* not counted, as passes are not, which are each rank's own */
    memset(report->passes, 0, sizeof report->passes);
    report->residual = sum->residual;
    report->contact_count = (int)sum->contacts;
    report->mean_penetration = sum->touching ? sum->depth / (double)sum->touching : 0.0;
    report->max_penetration = sum->deepest;
    report->heap_fallbacks = (int)sum->heap;
    report->diverged = sum->diverged;
    report->converged = report->converged && !sum->diverged;
}

static void count_work(const TnWorld *world)
{
    TnTraffic *traffic = world->def.ranks ? world->def.ranks->traffic : NULL;
    if (!traffic) return;
    traffic->steps++;
    traffic->bodies += world->spread->count;
    traffic->contacts += world->spread->world->contacts.count;
}

/* s of the processor, so far and without waits. */
static double worked(const TnWorld *world)
{
    const TnTraffic *traffic = world->def.ranks ? world->def.ranks->traffic : NULL;
    return world->untimed || !traffic ? 0.0 : tn_processor_clock() - traffic->waited_processor;
}

static TnStepReport step_part(TnWorld *world)
{
    TnSpread *spread = world->spread;
    double begun = worked(world);
    tn_spread_hand_over_orders(world);
    tn_spread_keep_movers(spread);
    spread->world->untimed = world->untimed;
    spread->world->parts_left = world->parts_left;
    spread->world->begun = world->begun;
    spread->lacked = 0.0;
    spread->stopped = false;
    TnStepReport report = tn_step_once(spread->world);
    spread->work += worked(world) - begun;
    return report;
}

void tn_spread_begin(TnWorld *world)
{
    TnSpread *spread = world->spread;
    if (spread->world) spread->world->state.time = world->state.time;
    spread->ordered = tn_spread_take_orders(world);
}

TnStepReport tn_spread_once(TnWorld *world)
{
    TnSpread *spread = world->spread;
    TnStepReport report = tn_report_open();
    double start = world->untimed ? 0.0 : tn_clock();
    if (!spread->ordered) return report;
    if (spread->put ? !tn_spread_divide(world) : spread->far && !tn_spread_renew(world))
        return report;
    report = step_part(world);
    for (int k = 0; k < MOST_TRIES && spread->stopped; k++) {
        if (!tn_spread_renew(world)) return report;
        if (spread->lacked > 0.0) report = step_part(world); /* of some rank */
    }
    bool refused = report.diverged;
    /* pairs of one cable are listed behind all others, and ranks that divide group contacts */
    TnState *state = &spread->world->state;
    bool grouped = refused || !spread->base.model->rod_count ||
                   tn_spread_group_contacts(state->contacts, state->contact_count);
    Sum sum = {.diverged = refused || !grouped,
               .residual = report.residual,
               .heap = report.heap_fallbacks,
               .ghosts = spread->count - spread->own_count};
    if (!refused) {
        add_contacts(world, &sum);
        sum.gone = farthest(world);
    }
    bool ok = sum_up(world->def.ranks, &sum);
    fill_report(&sum, &report);
    if (!ok || sum.diverged) {
        if (!refused) take_back(spread);
        report.diverged = true;
        return report;
    }
    tn_spread_tell_near(spread);
    count_work(world);
    spread->ahead = true;
    spread->steps++;
    spread->ghosts = sum.ghosts;
    spread->far = tn_ranks_count(world->def.ranks) > 1 && sum.gone > 1.0;
    world->state.time += world->t;
    world->has_problem = false;
    world->contacts = (TnContactList){0};
    if (!world->untimed) report.times.total = tn_clock() - start;
    return report;
}
