/* step.c: one step, in the order of the paper's Algorithm 1:
 *
 *     dynamics     A_i, b_i of every subsystem                      (line 3)
 *     collision    frames and motion to contact points
 *     constraint   J_j, e_j of every constraint                     (line 4)
 *     factor       H_i = A_i + J_iᵀ W J_i                           (line 5)
 *     iterate      v̂ and λ by SubADMM                               (lines 6 to 14)
 *     integrate    q and v from v̂                                   (line 15)
 *
 * Lines 3 to 14 may be done again about what they found (relinearize.c).
 *
 * Where the solver has a tolerance, islands are factored and iterated on their own
 * (solver/solve.h). The new state is computed beside the old one and taken over only when it is
 * finite. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "impact.h"
#include "reaction.h"
#include "sleep.h"

/* A scene with fewer contacts (in its last step), parts, or groups of cables and bonds in contacts'
 * cost, than this stays on one thread: waking others costs more. */
#define WORTH_SHARING 3000
#define CONTACTS_PER_GROUP 24
#define CONTACTS_PER_NODE 5
/* Contacts are listed this far (share of g·t²) beyond what the free motion closes: room for pushes
 * by other contacts. */
#define SLACK_SHARE 1.0
#define LEAVE_STEPS 3.0 /* gaps that so many steps' errors make are left uncorrected */
#define REPEATS 2       /* of a step whose contacts were not foreseen, at most */
#define FIXED_COUNT_ERROR 0.01 /* of a step that nobody judged, in shares of gravity × timestep */

static int soft_nodes(const TnModel *model)
{
    int count = 0;
    for (int s = 0; s < model->soft_count; s++) count += model->softs[s].node_count;
    return count;
}

static void list_awake(TnStep *step)
{
    const int32_t *asleep = step->world->state.asleep;
    for (int s = 0; s < step->model->subsystem_count; s++)
        if (!asleep[s]) step->awake[step->awake_count++] = s;
}

/* Everything sleeps. */
static bool is_idle(const TnStep *step)
{
    return step->awake_count == 0 && step->world->state.asleep_count > 0;
}

/* False: no memory. */
static bool follow_track(TnWorld *world)
{
    const TnModel *model = world->model;
    if (world->state.ctrl_by_user || !model->track_count) return true;
    double *ctrl = TN_ARENA_NEW(&world->arena, double, model->actuator_count);
    if (!ctrl) return false;
    memcpy(ctrl, world->state.ctrl, sizeof(double) * (size_t)model->actuator_count);
    tn_model_track(model, world->state.time, ctrl);
    tn_sleep_set_ctrl(world, ctrl);
    return true;
}

static void find_energies(TnWorld *world)
{
    const TnState *state = &world->state;
    for (int s = 0; s < world->model->subsystem_count; s++)
        world->energies[s] =
            tn_world_subsystem_energy(world, s, state->qpos, state->qvel, world->frames,
                                      (const double(*)[6])world->twists);
    world->energies_known = true;
}

static bool begin(TnStep *step, TnWorld *world)
{
    const TnModel *model = world->model;
    const TnOption *option = &model->option;
    TnArena *arena = &world->arena;
    tn_arena_reset(arena);
    *step = (TnStep){.world = world, .model = model, .t = option->timestep, .theta = option->theta};
    step->awake = TN_ARENA_NEW(arena, int, model->subsystem_count);
    if (!step->awake || !follow_track(world)) return false;
    list_awake(step);
    bool large = world->contacts.count >= WORTH_SHARING || step->awake_count >= WORTH_SHARING ||
                 CONTACTS_PER_GROUP * world->division->bond_count >= WORTH_SHARING ||
                 CONTACTS_PER_NODE * soft_nodes(model) >= WORTH_SHARING;
    world->team = large ? world->pool : NULL;
    world->has_problem = false;
    tn_reactions_forget(world->reactions);
    world->solution.islands.count = 0;
    world->contacts = (TnContactList){0};
    if (is_idle(step)) return true;
    if (!world->energies_known) find_energies(world);
    step->dynamics =
        (TnDynamicsInput){.model = model,
                          .t = step->t,
                          .theta = step->theta,
                          .passes = option->relinearize,
                          .qpos = world->state.qpos,
                          .qvel = world->state.qvel,
                          .ctrl = world->state.ctrl,
                          .last = world->state.vhat,
                          .wrench = world->wrench_set ? (const double(*)[6])world->wrench : NULL,
                          .asleep = world->state.asleep_count ? world->state.asleep : NULL};
    step->rigid = TN_ARENA_NEW(arena, TnRigidSystem, model->rigid_count);
    step->trees = TN_ARENA_ZERO(arena, TnTreeSystem, model->tree_count);
    step->rods = TN_ARENA_ZERO(arena, TnRodSystem, model->rod_count);
    step->chains = TN_ARENA_ZERO(arena, TnChainSystem, world->division->chain_count);
    step->chain_free =
        TN_ARENA_ZERO(arena, double *, world->division->dense_count + world->division->chain_count);
    step->followers = TN_ARENA_NEW(arena, TnFollowerMotion, world->division->follower_count);
    step->assembled = (TnAssembledInput){.in = &step->dynamics,
                                         .division = world->division,
                                         .trees = step->trees,
                                         .rods = step->rods,
                                         .followers = step->followers};
    step->softs = TN_ARENA_ZERO(arena, TnSoftSystem, model->soft_count);
    step->softs_hit = TN_ARENA_ZERO(arena, bool, model->soft_count);
    step->meshes = TN_ARENA_ZERO(arena, TnMeshSystem, world->division->mesh_count);
    step->end_twists = tn_arena_calloc(arena, sizeof(double[6]) * (size_t)model->link_count);
    step->end_qvel = TN_ARENA_ZERO(arena, double, model->dof_count);
    step->blend = TN_ARENA_ZERO(arena, double, model->subsystem_count);
    step->replanned = TN_ARENA_ZERO(arena, bool, model->subsystem_count);
    step->reach = TN_ARENA_NEW(arena, double, model->subsystem_count);
    step->strain = TN_ARENA_NEW(arena, double, model->subsystem_count);
    step->dynamics.blend = step->blend;
    world->followers = step->followers;
    world->rods = step->rods;
    world->softs = step->softs;
    world->meshes = step->meshes;
    if (!step->rigid || !step->trees || !step->rods ||
        !step->chains || !step->chain_free || !step->followers || !step->softs ||
        !step->softs_hit || !step->meshes || !step->end_twists || !step->end_qvel || !step->blend ||
        !step->replanned || !step->reach || !step->strain)
        return false;
    tn_plan_begin(step);
    step->soft_input = (TnSoftInput){.in = &step->dynamics,
                                     .division = world->division,
                                     .elements = world->elements,
                                     .last = world->state.vhat,
                                     .forces = world->node_force_set ? world->node_force : NULL,
                                     .trees = step->trees,
                                     .arena = arena,
                                     .pool = world->team};
    for (int r = 0; r < model->rod_count; r++) {
        step->rods[r].cuts = world->division->cuts[r].joints;
        step->rods[r].cut_count = world->division->cuts[r].count;
        step->rods[r].whole = &world->division->cuts[r].whole;
    }
    if (!tn_chains_reserve(world->division, arena, step->chains)) return false;
    for (int c = 0; c < world->division->chain_count; c++)
        step->chain_free[world->division->dense_count + c] = step->chains[c].v_free;
    return true;
}

/* ---- collision and constraints ---- */

double tn_step_slack(const TnStep *step)
{
    return SLACK_SHARE * tn_world_solver(step->world).velocity_scale * step->t;
}

/* Of who was hit, the place at that time and the way from there, as a velocity over the whole step. */
static bool set_paths(TnStep *step, const double (*u)[6], TnLinkFrame **frames, double (**twists)[6])
{
    TnWorld *world = step->world;
    size_t n = (size_t)step->model->link_count;
    *frames = TN_ARENA_NEW(&world->arena, TnLinkFrame, n);
    *twists = tn_arena_alloc(&world->arena, sizeof(double[6]) * n);
    if (!*frames || !*twists) return false;
    memcpy(*frames, world->frames, sizeof **frames * n);
    memcpy(*twists, u, sizeof **twists * n);
    for (size_t l = 0; l < n; l++) {
        if (step->since[l] == 0.0) continue;
        (*frames)[l] = step->hit_frames[l];
        for (int k = 0; k < 6; k++) (*twists)[l][k] -= step->hit_ways[l][k] / step->t;
    }
    return true;
}

/* Gaps from the times of hits back to the step's start. */
static void move_gaps(const TnStep *step, TnContactList *list)
{
    for (int i = 0; i < list->count; i++) {
        TnContactPoint *c = &list->points[i];
        for (int side = 0; side < 2; side++) {
            int link = step->model->geom_link[side ? c->geom2 : c->geom1];
            const double *hit = step->hit_ways[link];
            double way[3];
            if (step->since[link] == 0.0 || (side ? c->soft2 : c->soft1) >= 0) continue;
            v3_cross(way, hit + 3, side ? c->arm2 : c->arm1);
            v3_add(way, way, hit);
            c->gap += (side ? -1.0 : 1.0) * v3_dot(c->normal, way);
        }
    }
}

/* Restitution of these is dealt with. */
static void drop_restitution(const TnWorld *world, TnContactList *list)
{
    for (int i = 0; i < list->count; i++) {
        TnContactPoint *c = &list->points[i];
        if (!(c->restitution > 0.0) || !tn_impact_takes(world, c->geom1, c->geom2)) continue;
        c->restitution = 0.0;
        c->resolved = true;
    }
}

bool tn_step_detect(TnStep *step, const double (*u)[6], const double *u_nodes, bool alone,
                    const uint8_t *only, TnContactList *out)
{
    TnWorld *world = step->world;
    TnMotionInput motion = {.frames = world->frames,
                            .twists = u,
                            .held = u == (const double(*)[6])step->end_twists ? (const double(*)[6])step->held : u,
                            .qpos = world->state.qpos,
                            .qvel = u_nodes,
                            .t = step->t,
                            .slack = tn_step_slack(step),
                            .alone = alone,
                            .only = only};
    if (step->since) {
        TnLinkFrame *frames;
        double(*twists)[6];
        if (!set_paths(step, u, &frames, &twists)) return false;
        motion.frames = frames;
        motion.twists = (const double(*)[6])twists;
        motion.held = NULL;
    }
    if (!tn_collision_detect(world->collider, &motion, &world->arena, world->team, out))
        return false;
    if (step->since) move_gaps(step, out);
    if (world->bounces) drop_restitution(world, out);
    return true;
}

/* Free bodies may be borne: then they go on as they did. */
static bool find_held(TnStep *step)
{
    const TnModel *model = step->model;
    step->held = tn_arena_alloc(&step->world->arena, sizeof(double[6]) * (size_t)model->link_count);
    if (!step->held) return false;
    memcpy(step->held, step->end_twists, sizeof(double[6]) * (size_t)model->link_count);
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        if (sub->kind == TN_SUBSYSTEM_RIGID)
            memcpy(step->held[sub->link_start], step->world->twists[sub->link_start],
                   sizeof(double[6]));
    }
    return true;
}

static bool detect_contacts(TnStep *step)
{
    return find_held(step) &&
           tn_step_detect(step, (const double(*)[6])step->end_twists, step->end_qvel, false, NULL,
                          &step->world->contacts);
}

/* What an error of the tolerance's size does to a gap in some steps. */
static double gaps_to_leave(const TnStep *step)
{
    const TnSolverDef *def = &step->world->def.solver;
    if (!tn_solves_to_tolerance(def)) return 0.0;
    return LEAVE_STEPS * def->tolerance * tn_step_slack(step) / SLACK_SHARE;
}

static bool build_constraints(TnStep *step)
{
    TnWorld *world = step->world;
    step->constraint = (TnConstraintInput){.model = step->model,
                                           .state = &world->state,
                                           .t = step->t,
                                           .theta = step->theta,
                                           .warm_start = tn_solver_warm_start(&world->def.solver),
                                           .leave = gaps_to_leave(step),
                                           .frames = world->frames,
                                           .twists = (const double(*)[6])world->twists,
                                           .end_twists = (const double(*)[6])step->end_twists,
                                           .rigid = step->rigid,
                                           .trees = step->trees,
                                           .rods = step->rods,
                                           .division = world->division,
                                           .chains = step->chains,
                                           .followers = step->followers,
                                           .softs = step->softs,
                                           .meshes = step->meshes,
                                           .mesh_memory = world->mesh_memory,
                                           .end_qvel = step->end_qvel,
                                           .contacts = &world->contacts,
                                           .found = step->found,
                                           .blend = step->blend,
                                           .courses = step->courses,
                                           .arena = &world->arena,
                                           .pool = world->team};
    return tn_constraint_build(&step->constraint, &world->set);
}

/* Seconds since the last call. */
static double lap(double *clock)
{
    double now = tn_clock(), passed = now - *clock;
    *clock = now;
    return passed;
}

static bool solve(TnStep *step, TnStepReport *report, double *clock)
{
    TnWorld *world = step->world;
    TnProblem *problem = &world->set.problem;
    TnSolverDef def = tn_world_solver(world);
    world->by_islands = tn_solves_to_tolerance(&def);
    if (!world->by_islands) {
        TnSolveResult result = {0};
        bool ok = tn_fixed_prepare(problem, &def, world->team);
        report->times.factor += lap(clock);
        ok = ok && tn_fixed_iterate(problem, &def, world->solver_memory, world->team, &result);
        report->converged = result.converged;
        report->iterations = result.iterations;
        report->residual = result.residual;
        report->form = result.form;
        return ok;
    }
    /* it knows by itself how many threads islands are worth */
    bool ok = tn_step_note_guess(step) &&
              tn_solve(problem, &def, world->solver_memory, world->pool, &world->solution);
    if (!ok) {
        world->solution.islands.count = 0;
        return false;
    }
    TnSolutionSummary sum = tn_solution_summary(&world->solution);
    report->converged = sum.converged;
    report->iterations = sum.iterations;
    report->error = sum.error;
    report->rough = sum.error > 1.0;
    report->form = sum.form;
    report->residual = sum.error * def.velocity_scale;
    report->worst_island = sum.worst_island;
    report->island_count = world->solution.islands.count;
    memcpy(report->islands_by_method, sum.by_method, sizeof sum.by_method);
    return true;
}

static void measure_accuracy(TnWorld *world, TnStepReport *report)
{
    TnProblem *problem = &world->set.problem;
    if (world->by_islands && !tn_problem_prepare_A(problem, world->team)) return;
    TnAccuracy accuracy = tn_problem_accuracy(problem);
    report->aac = accuracy.aac;
    report->aal = accuracy.aal;
}

/* How deep things are where the step starts from. Where hits were, the step's own contacts are those of their times, which
 * bodies get to as if only hits stopped them: nobody ever is there. */
static void measure_contacts(const TnStep *step, TnStepReport *report)
{
    const TnWorld *world = step->world;
    const TnContactList *list = step->since ? &step->real : &world->contacts;
    int touching = 0;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *c = &list->points[i];
        double depth = -fmax(c->gap, c->clearance);
        if (depth <= 0.0) continue;
        touching++;
        report->mean_penetration += depth;
        if (depth > report->max_penetration) report->max_penetration = depth;
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

/* Constraints and their solution once more, from the last one. */
static bool solve_again(TnStep *step, TnStepReport *report, double *clock)
{
    TnProblem last = step->world->set.problem;
    bool ok = build_constraints(step);
    if (ok) tn_step_start_from(step, &last);
    report->times.constraint += lap(clock);
    ok = ok && solve(step, report, clock) && tn_step_find(step);
    report->times.iterate += lap(clock);
    return ok;
}

/* Further passes; `changed`: there were some. */
static bool refine_step(TnStep *step, TnStepReport *report, double *clock, bool *changed)
{
    TnWorld *world = step->world;
    /* a fixed count is for everything at once, and one group must not change another's */
    bool refine = !world->def.relinearize && world->by_islands, ok = true, again;
    for (int pass = 1; ok && (refine || pass < world->def.relinearize); pass++) {
        ok = refine ? tn_step_refine(step, pass, &again) : tn_step_relinearize(step, &again);
        report->times.dynamics += lap(clock);
        if (!ok || !again) break;
        *changed = true;
        ok = solve_again(step, report, clock);
    }
    return ok;
}

/* Constraints and their solution, with those contacts that turn out to be missing. `woken`: one of
 * these is with a sleeper, who woke; the step begins anew. */
static bool solve_step(TnStep *step, TnStepReport *report, double *clock, bool *woken)
{
    TnWorld *world = step->world;
    TnStepTimes *times = &report->times;
    bool again = true, replanned, missed = false;
    *woken = false;
    bool ok = tn_plan_contacts(step, &replanned);
    for (int pass = 0; ok && again && !*woken; pass++) {
        ok = tn_step_reassemble_planned(step) && tn_step_assemble_softs(step);
        times->dynamics += lap(clock);
        TnProblem last = world->set.problem;
        ok = ok && build_constraints(step);
        if (ok && pass > 0) tn_step_start_from(step, &last);
        times->constraint += lap(clock);
        ok = ok && solve(step, report, clock);
        times->iterate += lap(clock);
        step->error = isfinite(report->error) ? fmax(report->error, world->def.solver.tolerance)
                                              : FIXED_COUNT_ERROR;
        ok = ok && tn_plan_check(step, &replanned) && tn_step_find(step);
        ok = ok && tn_step_list_missed(step, pass < REPEATS && !replanned, &missed);
        again = pass < REPEATS && (replanned || missed);
        *woken = ok && tn_sleep_wake_touched(world);
        times->collision += lap(clock);
    }
    for (int look = 0; ok && !*woken && (look == 0 || missed); look++) {
        bool changed = false;
        if (look > 0) { /* with contacts that further passes ran into */
            step->courses = NULL;
            ok = tn_step_assemble_softs(step) && solve_again(step, report, clock);
        }
        ok = ok && refine_step(step, report, clock, &changed);
        missed = false;
        if (!ok || !changed || !tn_step_softs_went_on(step)) break;
        ok = tn_step_list_missed(step, look < REPEATS, &missed);
        *woken = ok && tn_sleep_wake_touched(world);
        times->collision += lap(clock);
    }
    return ok;
}

_Static_assert(sizeof(TnEnergyAccount) == TN_ACCOUNT_NUMBERS * sizeof(double), "nothing but doubles");

/* Of a step that was refused. */
static void forget_account(TnStepReport *report)
{
    report->energy = (TnEnergyAccount){0};
    report->created_share = 0.0;
    report->created_body = 0;
    report->created_soft = 0;
}

static void sum_account(const TnWorld *world, const TnEnergyAccount *account)
{
    double numbers[TN_ACCOUNT_NUMBERS];
    memcpy(numbers, account, sizeof numbers);
    for (int k = 0; k < TN_ACCOUNT_NUMBERS; k++) world->state.account[k] += numbers[k];
}

/* They were for this step only. */
static void spend_wrenches(TnWorld *world)
{
    double(*applied)[6] = world->applied;
    world->applied = world->last_applied;
    world->last_applied = applied;
    memset(world->wrench, 0, sizeof(double[6]) * (size_t)world->model->link_count);
    memset(world->applied, 0, sizeof(double[6]) * (size_t)world->model->body_count);
    world->wrench_set = false;
}

TnStepReport tn_world_step(TnWorld *world)
{
    TnStepReport report = {
        .diverged = true, .aac = NAN, .aal = NAN, .error = NAN, .worst_island = -1};
    TnStep step;
    double start = tn_clock(), clock = start;

    bool ok, woken;
    do { /* again where something touches a sleeper */
        ok = begin(&step, world) && (is_idle(&step) || tn_impacts_resolve(&step));
        woken = ok && tn_sleep_wake_touched(world);
        if (woken) {
            tn_impacts_undo(&step);
            continue;
        }
        ok = ok && (is_idle(&step) || tn_step_assemble(&step));
        report.times.dynamics += lap(&clock);
        if (ok && is_idle(&step)) break;
        ok = ok && detect_contacts(&step);
        report.times.collision += lap(&clock);
        woken = ok && tn_sleep_wake_touched(world);
        ok = ok && (woken || solve_step(&step, &report, &clock, &woken));
        if (woken) tn_impacts_undo(&step);
    } while (ok && woken);
    if (ok && is_idle(&step)) {
        const TnSolverDef def = tn_world_solver(world);
        report.converged = true;
        report.error = tn_solves_to_tolerance(&def) ? 0.0 : NAN;
        world->state.time += step.t;
    } else if (ok) {
        measure_contacts(&step, &report);
        ok = tn_step_integrate(&step, &report);
        world->has_problem = ok;
        world->start_qpos = step.since ? step.true_qpos : world->next_qpos;
        world->start_qvel = step.since ? step.true_qvel : world->next_qvel;
    }
    if (!ok) {
        tn_impacts_undo(&step);
        forget_account(&report);
    }
    sum_account(world, &report.energy);
    report.asleep_count = world->state.asleep_count;
    report.times.integrate = lap(&clock);
    report.times.total = clock - start;
    report.diverged = !ok;
    report.converged = ok && report.converged;
    if (ok && world->def.measure_accuracy && world->has_problem) measure_accuracy(world, &report);
    world->was_applied = world->wrench_set;
    if (world->wrench_set) spend_wrenches(world);
    if (world->node_force_set) {
        memset(world->node_force, 0, sizeof(double) * (size_t)world->model->dof_count);
        world->node_force_set = false;
    }
    if (!ok)
        warn(world, "step at %g s refused: it would not be finite, or there was no memory",
             world->state.time);
    size_t island_bytes;
    report.heap_fallbacks =
        world->arena.overflow_count + tn_solver_memory_reset(world->solver_memory, &island_bytes);
    report.arena_high_water = world->arena.high_water + island_bytes;
    if (report.heap_fallbacks)
        warn(world, "step at %g s: the arena was too small, the heap helped %d times",
             world->state.time, report.heap_fallbacks);
    return report;
}
