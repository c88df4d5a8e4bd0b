/* spread.c: see spread.h. */
#include "spread.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"

/* Boxes of bodies grow by the way of the step to come, and a little for rounding. */
#define SWEEP 1.01

/* ---- what cannot be spread ---- */

static bool has_kind(const TnModel *m, TnSubsystemKind kind)
{
    for (int i = 0; i < m->subsystem_count; i++)
        if (m->subsystems[i].kind == kind) return true;
    return false;
}

static bool check(const TnWorld *world, TnError *err)
{
    const TnModel *m = world->model;
    const TnWorldDef *def = &world->def;
    const TnSolverDef *solver = &def->solver;
    const struct {
        bool there;
        const char *what;
    } parts[] = {{has_kind(m, TN_SUBSYSTEM_TREE), "a robot (bodies with joints)"},
                 {has_kind(m, TN_SUBSYSTEM_ROD), "a cable"},
                 {has_kind(m, TN_SUBSYSTEM_SOFT), "a soft body"},
                 {m->equality_count > 0, "an equality"},
                 {m->tendon_count > 0, "a tendon"},
                 {m->actuator_count > 0, "an actuator"},
                 {m->wheel_count > 0, "a wheel"},
                 {m->mocap_count > 0, "a mocap body"},
                 {m->pair_count > 0, "an explicit contact pair"},
                 {m->exclude_count > 0, "an exclude"},
                 {m->drags != NULL, "a medium"},
                 {m->has_lift, "gravity compensation"},
                 {m->has_spin, "torsional or rolling friction"},
                 {world->bounces, "restitution"},
                 {def->device != TN_DEVICE_CPU, "a device"},
                 {def->sleep != TN_SLEEP_OFF, "sleeping"},
                 {def->relinearize > 1, "a number of passes"},
                 {world->substeps > 1, "sub-steps"},
                 {solver->anderson > 0, "Anderson acceleration"},
                 {solver->method != TN_METHOD_AUTO && solver->method != TN_METHOD_SUBADMM,
                  "a solver other than auto and subadmm"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i].there) continue;
        tn_error_add(err, TN_ERROR_USAGE,
                     "spread: a world in parts cannot have %s; without --spread it can",
                     parts[i].what);
        ok = false;
    }
    return ok;
}

static double size_of_bodies(const TnWorld *world)
{
    const TnModel *m = world->model;
    double size = 0.0, margin = 0.0;
    for (int l = 1; l < m->link_count; l++)
        size = fmax(size, world->groups->radius[l] + v3_norm(m->links[l].com));
    for (int g = 0; g < m->geom_count; g++)
        if (m->geom_link[g]) margin = fmax(margin, m->geoms[g].margin);
    return size + margin;
}

bool tn_spread_create(TnWorld *world, TnError *err)
{
    if (!world->def.spread) return true;
    if (!check(world, err)) return false;
    const TnModel *model = world->model;
    TnSpread *spread = world->spread = tn_calloc(1, sizeof *spread);
    if (spread) {
        spread->first_key =
            tn_calloc((size_t)tn_ranks_count(world->def.ranks), sizeof *spread->first_key);
        spread->local = tn_calloc((size_t)model->subsystem_count + 1, sizeof(int));
        spread->local_geom = tn_malloc(sizeof(int) * (size_t)(model->geom_count + 1));
    }
    if (!spread || !spread->first_key || !spread->local || !spread->local_geom ||
        !tn_model_index(model, &spread->index)) {
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return false;
    }
    world->spread->size = size_of_bodies(world);
    world->spread->margin = 1.0;
    world->spread->put = true;
    return true;
}

void tn_spread_destroy(TnWorld *world)
{
    TnSpread *spread = world->spread;
    if (!spread) return;
    tn_spread_release_part(spread);
    tn_arena_free(&spread->arena);
    tn_model_index_free(&spread->index);
    tn_free(spread->first_key);
    tn_free(spread->local);
    tn_free(spread->local_geom);
    tn_free(spread);
}

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
    tn_world_update_frames(world, NULL, 0);
}

/* ---- a step ---- */

/* What ranks tell each other of a step. */
typedef struct Sum {
    double gone, residual, depth, deepest;
    int64_t diverged, contacts, touching, heap, ghosts;
} Sum;

/* How far somebody may have come behind the next step, in shares of its room. */
static double farthest(const TnWorld *whole)
{
    const TnSpread *spread = whole->spread;
    const TnWorld *world = spread->world;
    double t = world->t, g = v3_norm(world->model->option.gravity), most = 0.0;
    for (int s = 0; s < spread->count; s++) {
        const double *x = world->state.qpos + 7L * s, *v = world->state.qvel + 6L * s;
        double way[3];
        if (!spread->near.own[s]) continue;
        v3_sub(way, x, spread->start[s]);
        double speed = tn_near_speed(world, s + 1, v, v + 3) + g * t;
        double next = SWEEP * t * speed + tn_near_surprise(&spread->near);
        most = fmax(most, (v3_norm(way) + next) / spread->room[s]);
    }
    return most;
}

/* Contacts whose first body is the rank's own. */
static void add_contacts(const TnSpread *spread, Sum *sum)
{
    const TnContactList *list = &spread->world->contacts;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *c = &list->points[i];
        double depth = -fmax(c->gap, c->clearance);
        if (!spread->near.own[tn_geom_subsystem(spread->model, c->geom1)]) continue;
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
static void take_back(TnWorld *part)
{
    const TnModel *model = part->model;
    memcpy(part->state.qpos, part->next_qpos, sizeof(double) * (size_t)model->qpos_count);
    memcpy(part->state.qvel, part->next_qvel, sizeof(double) * (size_t)model->dof_count);
    part->state.time -= part->t;
    tn_world_update_frames(part, NULL, 0);
}

static void hand_over_wrenches(TnWorld *whole)
{
    const TnSpread *spread = whole->spread;
    TnWorld *part = spread->world;
    part->wrench_set = whole->wrench_set;
    for (int s = 0; whole->wrench_set && s < spread->count; s++)
        memcpy(part->wrench[s + 1],
               whole->wrench[whole->model->subsystems[spread->subsystem[s]].link_start],
               sizeof(double[6]));
}

static void fill_report(const Sum *sum, TnStepReport *report)
{
    report->residual = sum->residual;
    report->contact_count = (int)sum->contacts;
    report->row_count = 0;
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

TnStepReport tn_spread_step(TnWorld *world)
{
    TnSpread *spread = world->spread;
    TnStepReport report = tn_report_open();
    double start = world->untimed ? 0.0 : tn_clock();
    if (world->wrench_set && tn_ranks_count(world->def.ranks) > 1) spread->far = true;
    if (spread->put ? !tn_spread_divide(world) : spread->far && !tn_spread_renew(world))
        return report;
    hand_over_wrenches(world);
    spread->world->untimed = world->untimed;
    report = tn_step_once(spread->world);
    bool refused = report.diverged;
    Sum sum = {.diverged = refused,
               .residual = report.residual,
               .heap = report.heap_fallbacks,
               .ghosts = spread->count - spread->own_count};
    if (!refused) {
        add_contacts(spread, &sum);
        sum.gone = farthest(world);
    }
    bool ok = sum_up(world->def.ranks, &sum);
    fill_report(&sum, &report);
    if (!ok || sum.diverged) {
        if (!refused) take_back(spread->world);
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
