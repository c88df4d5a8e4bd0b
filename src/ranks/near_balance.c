/* near_balance.c: energy and momentum of groups in contact, in a world that ranks step in parts.
 *
 * As balance.c: the account of a group of subsystems that contact forces joined in the step is
 *
 *     made = Σ (ΔE - work) + Σ contacts (friction's loss + Δ stored),
 *
 * and what a group made beyond the noise of the solver is taken off by scaling its velocities;
 * where all its contacts last also what it lost, and a little at a time. What is not worth it yet
 * is kept in mind, with the lowest of the group. Groups on which nothing fixed acts get the
 * momentum that they must have first (near_momentum.c), and what is scaled is their motion against
 * that of the whole. Groups with cables or soft bodies, or that a moving mocap body acts on, are
 * left alone; so are bodies that nothing touches. */
#include <math.h>
#include <string.h>

#include "../account/due.h"
#include "../base/ranks.h"
#include "../impact/impact.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "near_groups.h"

/* ---- sets ---- */

/* hit: what that took stays lost. */
static void join(const TnNearGroups *g, int geom1, int geom2, bool hit)
{
    const TnWorld *world = g->step->world;
    const TnModel *m = g->step->model;
    const int geoms[2] = {geom1, geom2},
              s[2] = {tn_geom_subsystem(m, geom1), tn_geom_subsystem(m, geom2)};
    if (s[0] >= 0 && s[1] >= 0) tn_set_join(g->root, s[0], s[1]);
    for (int k = 0; k < 2; k++) {
        if (s[k] < 0) continue;
        g->touched[s[k]] = true;
        g->of[s[k]].pushed |= hit;
        if (s[!k] >= 0) continue;
        bool moves = world->mocap_moves && tn_link_is_mocap(m, m->geom_link[geoms[!k]]);
        *(moves ? &g->of[s[k]].left : &g->of[s[k]].bound) = 1;
    }
}

/* It moves by v⁺, or is a free body that something in its way stopped or put aside. */
static bool is_pushed(const TnStep *step, int s)
{
    static const double none[6] = {0.0};
    const TnSubsystem *sub = &step->model->subsystems[s];
    if (step->plan.blend[s] > 0.0) return true;
    if (sub->kind != TN_SUBSYSTEM_RIGID) return false;
    bool aside =
        step->way.has_extra && memcmp(step->way.extra[sub->link_start], none, sizeof none) != 0;
    return aside || step->way.reach[s] < 1.0;
}

static void join_all(const TnNearGroups *g)
{
    const TnWorld *world = g->step->world;
    const TnModel *m = g->step->model;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        const double *f = world->set.problem.lambda[i];
        if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) continue;
        join(g, c->geom1, c->geom2, !world->set.laws[i].resting);
    }
    for (int i = 0; i < world->impact_count; i++)
        join(g, world->impacts[i].geom1, world->impacts[i].geom2, true);
    for (int s = 0; s < m->subsystem_count; s++) { /* what is joined for good */
        int of = world->groups->of[s];
        if (of != s) tn_set_join(g->root, of, s);
        if (world->groups->pulled[of] || world->node_force_set) g->of[s].bound = 1;
        if (tn_is_elastic(&m->subsystems[s])) g->of[s].left = 1;
        if (is_pushed(g->step, s)) g->of[s].pushed = 1;
    }
}

/* ---- sums ---- */

static void add(const TnNearGroups *g, int s, TnSetAccount *to)
{
    const TnWorld *world = g->step->world;
    const TnSubsystem *sub = &g->step->model->subsystems[s];
    TnSubsystemAccount a = tn_account_of(&g->accounts, s);
    double before = world->energies[s].kinetic, speed = tn_world_velocity_scale(world);
    const double terms[TN_ENERGY_SUMS] = {[TN_SUM_KINETIC] = a.kinetic,
                                          [TN_SUM_KINETIC_BEFORE] = before,
                                          [TN_SUM_CREATED] = a.gained - a.work + a.lost + a.stored,
                                          [TN_SUM_INVOLVED] = a.involved,
                                          [TN_SUM_PUT_OUT] = a.put_out,
                                          [TN_SUM_LOST] = a.lost,
                                          [TN_SUM_OWED] = world->state.owed[s],
                                          [TN_SUM_THERE] = before + fmax(0.0, a.work) +
                                                           fmax(0.0, a.kinetic - before - a.gained),
                                          [TN_SUM_MASS] = a.mass * speed * speed};
    for (int k = 0; k < TN_ENERGY_SUMS; k++) tn_whole_add(&to->sums[k], terms[k], g->unit);
    if (g->near->number[s] >= to->lowest) return;
    to->lowest = g->near->number[s];
    v3_copy(to->at, tn_step_before(g->step).frames[sub->link_start].com);
}

static void add_up(const TnNearGroups *g)
{
    bool ranks = tn_ranks_count(g->near->ranks) > 1;
    int n = g->step->model->subsystem_count;
    for (int s = 0; s < n; s++) { /* roots are lower than all others */
        int root = g->root[s] = tn_set_root(g->root, s);
        if (s != root) {
            g->of[root].bound |= g->of[s].bound;
            g->of[root].left |= g->of[s].left;
            g->of[root].pushed |= g->of[s].pushed;
            g->touched[root] |= g->touched[s];
        }
        g->open[root] |= (ranks && tn_near_is_mover(g, s)) || !g->near->own[s];
    }
    for (int s = 0; s < n; s++)
        if (g->touched[g->root[s]] && tn_near_counts(g, s)) add(g, s, &g->of[g->root[s]]);
}

/* `whole`: J of its motion as a whole, and what putting that right adds. */
static void settle(const TnNearGroups *g, const TnSetAccount *of, const double whole[2],
                   TnOutcome *out)
{
    double sum[TN_ENERGY_SUMS];
    for (int k = 0; k < TN_ENERGY_SUMS; k++) sum[k] = tn_whole_value(&of->sums[k], g->unit);
    out->scale = 1.0;
    out->owed = 0.0;
    out->lowest = of->lowest;
    if (of->left) return;
    double made = sum[TN_SUM_CREATED] + whole[1], involved = sum[TN_SUM_INVOLVED],
           moving = fmax(0.0, sum[TN_SUM_KINETIC] - whole[0]);
    /* a jam that was not solved has forces without sense, and so has their work */
    double excess = fmax(0.0, sum[TN_SUM_LOST] - sum[TN_SUM_THERE]);
    made -= excess;
    involved -= excess;
    double noise = TN_PUSHED_SHARE * involved + TN_ERRORS * sum[TN_SUM_MASS] * g->step->found.error;
    TnDue due = tn_due(&(TnDueInput){.smooth = !of->pushed && g->step->model->option.theta == 0.5,
                                     .made = made,
                                     .put = sum[TN_SUM_PUT_OUT],
                                     .owed = sum[TN_SUM_OWED],
                                     .kinetic = sum[TN_SUM_KINETIC] + whole[1],
                                     .kinetic_before = sum[TN_SUM_KINETIC_BEFORE],
                                     .moving = moving,
                                     .noise = noise});
    out->owed = due.owed;
    if (due.take != 0.0) out->scale = sqrt((moving - due.take) / moving);
}

/* ---- the new state ---- */

static void change(const TnNearGroups *g, int s, const TnOutcome *o)
{
    TnWorld *world = g->step->world;
    const TnModel *m = g->step->model;
    const TnSubsystem *sub = &m->subsystems[s];
    const TnChange c = {o->scale, o->whole ? &o->is : NULL, o->whole ? &o->must : NULL};
    g->accounts.changed[s] = true;
    tn_kind_of(m, s)->change(world, s, &c, world->next_qvel + sub->dof_start);
    tn_kinematics_twists(m, world->next_qpos, world->next_qvel, world->next_frames, sub->link_start,
                         sub->link_count, world->next_twists);
    tn_account_of(&g->accounts, s); /* its energy */
    atomic_store_explicit(&g->step->balance.changed, true, memory_order_relaxed);
}

/* False: no memory. */
static bool apply(TnNearGroups *g, double *owed)
{
    TnArena *arena = &g->step->world->arena;
    int n = g->step->model->subsystem_count;
    TnOutcome *outcomes = TN_ARENA_ZERO(arena, TnOutcome, n + 1);
    double(*energies)[2] = tn_arena_calloc(arena, sizeof *energies * (size_t)(n + 1));
    if (!outcomes || !energies || !tn_near_momentum(g, outcomes, energies)) return false;
    for (int s = 0; s < n; s++)
        if (g->root[s] == s && g->touched[s]) settle(g, &g->of[s], energies[s], &outcomes[s]);
    for (int s = 0; s < n; s++) {
        const TnOutcome *o = &outcomes[g->root[s]];
        if (!g->touched[g->root[s]] || !g->near->own[s]) continue;
        if (o->scale != 1.0 || o->whole) change(g, s, o);
        if (g->near->number[s] == o->lowest) owed[s] = o->owed;
    }
    return true;
}

static bool reserve(TnNearGroups *g)
{
    TnArena *arena = &g->step->world->arena;
    int n = g->step->model->subsystem_count + 1;
    g->root = TN_ARENA_NEW(arena, int, n);
    g->touched = TN_ARENA_ZERO(arena, bool, n);
    g->open = TN_ARENA_ZERO(arena, bool, n);
    g->of = TN_ARENA_ZERO(arena, TnSetAccount, n);
    if (!g->root || !g->touched || !g->open || !g->of) return false;
    for (int s = 0; s < n; s++) {
        g->root[s] = s;
        g->of[s].lowest = INT32_MAX;
    }
    return true;
}

bool tn_near_balance(TnStep *step, bool ok, bool cut)
{
    const TnNear *near = step->world->near;
    double speed = tn_world_velocity_scale(step->world);
    double *owed = TN_ARENA_ZERO(&step->world->arena, double, step->model->subsystem_count + 1);
    TnNearGroups g = {
        .step = step, .near = near, .unit = TN_NEAR_UNIT * near->mean_mass * speed * speed};
    bool refused = !ok;
    if (cut) tn_step_find_ways(step);
    if (cut && !tn_near_tell_ways(step)) return false;
    if (!owed || !reserve(&g) || !tn_accounts_open(step, &g.accounts)) return false;
    join_all(&g);
    add_up(&g);
    if (!tn_near_join_groups(&g, &refused) || refused || !apply(&g, owed)) return false;
    step->balance.after = g.accounts.after;
    step->balance.owed = owed;
    return true;
}
