/* step.c: one step, in the order of the paper's Algorithm 1:
 *
 *     dynamics     A_i, b_i of every subsystem                      (line 3)
 *     collision    frames and motion to contact points
 *     constraint   J_j, e_j of every constraint                     (line 4)
 *     factor       H_i = A_i + J_iᵀ W J_i                           (line 5)
 *     iterate      v̂ and λ by SubADMM                               (lines 6 to 14)
 *     integrate    q and v from v̂                                   (line 15)
 *
 * The new state is computed beside the old one and taken over only when it is finite. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../base/base.h"
#include "world.h"

/* A scene with fewer contacts (in its last step) and subsystems than this stays on one thread:
 * waking others costs more. */
#define WORTH_SHARING 3000
/* Subsystems per chunk of parallel work. */
#define SUBSYSTEM_GRAIN 256
/* Contacts are listed this far (share of g·t²) beyond what the free motion closes: room for pushes
 * by other contacts. */
#define SLACK_SHARE 1.0

/* What the stages hand to each other. Arrays live in the world's arena. */
typedef struct Step {
    TnWorld *world;
    const TnModel *model;
    double t, theta;
    TnDynamicsInput dynamics;
    TnRigidSystem *rigid;
    double **tree_A, **tree_b, **tree_free;
    TnRodSystem *rods;
    TnChainSystem *chains; /* of the division */
    double **chain_free;   /* per large block: v_free, of chains only */
    atomic_bool failed;    /* some chain is not positive definite */
    TnAssembledInput assembled;
    double (*end_twists)[6]; /* per link: v⁺ of the free motion */
    double *end_qvel;        /* v⁺ of the free motion, dofs of trees only */
    double *blend;           /* per subsystem */
    TnConstraintInput constraint;
} Step;

static bool begin(Step *step, TnWorld *world)
{
    const TnModel *model = world->model;
    const TnOption *option = &model->option;
    TnArena *arena = &world->arena;
    bool large = world->contacts.count >= WORTH_SHARING || model->subsystem_count >= WORTH_SHARING;
    world->team = large ? world->pool : NULL;
    tn_arena_reset(arena);
    world->has_problem = false;
    world->contacts = (TnContactList){0};
    if (!world->state.ctrl_by_user) tn_model_track(model, world->state.time, world->state.ctrl);
    *step = (Step){.world = world, .model = model, .t = option->timestep, .theta = option->theta};
    step->dynamics =
        (TnDynamicsInput){.model = model,
                          .t = step->t,
                          .theta = step->theta,
                          .passes = option->relinearize,
                          .qpos = world->state.qpos,
                          .qvel = world->state.qvel,
                          .ctrl = world->state.ctrl,
                          .wrench = world->wrench_set ? (const double(*)[6])world->wrench : NULL};
    step->rigid = TN_ARENA_NEW(arena, TnRigidSystem, model->rigid_count);
    step->tree_A = TN_ARENA_NEW(arena, double *, model->tree_count);
    step->tree_b = TN_ARENA_NEW(arena, double *, model->tree_count);
    step->tree_free = TN_ARENA_NEW(arena, double *, model->tree_count);
    step->rods = TN_ARENA_ZERO(arena, TnRodSystem, model->rod_count);
    step->chains = TN_ARENA_ZERO(arena, TnChainSystem, world->division->chain_count);
    step->chain_free =
        TN_ARENA_ZERO(arena, double *, world->division->dense_count + world->division->chain_count);
    double **T = TN_ARENA_ZERO(arena, double *, world->division->carried_count);
    step->assembled = (TnAssembledInput){.in = &step->dynamics,
                                         .division = world->division,
                                         .tree_A = (const double *const *)step->tree_A,
                                         .tree_b = (const double *const *)step->tree_b,
                                         .rods = step->rods,
                                         .T = T};
    step->end_twists = tn_arena_calloc(arena, sizeof(double[6]) * (size_t)model->link_count);
    step->end_qvel = TN_ARENA_ZERO(arena, double, model->dof_count);
    step->blend = TN_ARENA_ZERO(arena, double, model->subsystem_count);
    if (!step->rigid || !step->tree_A || !step->tree_b || !step->tree_free || !step->rods ||
        !step->chains || !step->chain_free || !T || !step->end_twists || !step->end_qvel ||
        !step->blend)
        return false;
    for (int r = 0; r < model->rod_count; r++) {
        step->rods[r].cuts = world->division->cuts[r].joints;
        step->rods[r].cut_count = world->division->cuts[r].count;
    }
    if (!tn_chains_reserve(world->division, arena, step->chains)) return false;
    for (int c = 0; c < world->division->chain_count; c++)
        step->chain_free[world->division->dense_count + c] = step->chains[c].v_free;
    return true;
}

/* ---- dynamics ---- */

static void rigid_range(void *context, int begin_index, int end_index)
{
    Step *step = context;
    for (int s = begin_index; s < end_index; s++) {
        const TnSubsystem *sub = &step->model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_RIGID) continue;
        TnRigidSystem *system = &step->rigid[sub->kind_index];
        int link = sub->link_start;
        tn_rigid_assemble(&step->dynamics, link, &step->world->frames[link], system);
        for (int k = 0; k < 6; k++)
            step->end_twists[link][k] =
                system->v[k] + (system->v_free[k] - system->v[k]) / step->theta;
    }
}

/* v̂ of a tree on wheels, which hold it in every step; NULL in *out for others. False: no memory. */
static bool expect_velocity(Step *step, const TnSubsystem *sub, const double **out)
{
    const TnModel *model = step->model;
    const TnState *state = &step->world->state;
    bool wheeled = false;
    for (int i = 0; i < model->wheel_count && !wheeled; i++)
        wheeled = &model->subsystems[model->links[model->bodies[model->wheels[i].body].link]
                                         .subsystem] == sub;
    *out = NULL;
    if (!wheeled) return true;
    double *v = TN_ARENA_NEW(&step->world->arena, double, model->dof_count);
    if (v)
        tn_predict_velocity(sub->dof_count, state->qvel + sub->dof_start,
                            state->vhat + sub->dof_start, v + sub->dof_start);
    *out = v;
    return v != NULL;
}

static bool assemble_tree(Step *step, const TnSubsystem *sub)
{
    TnWorld *world = step->world;
    int n = sub->dof_count, i = sub->kind_index;
    step->tree_A[i] = TN_ARENA_NEW(&world->arena, double, n *n);
    step->tree_b[i] = TN_ARENA_NEW(&world->arena, double, n);
    step->tree_free[i] = TN_ARENA_NEW(&world->arena, double, n);
    if (!step->tree_A[i] || !step->tree_b[i] || !step->tree_free[i]) return false;
    TnDynamicsInput dynamics = step->dynamics;
    if (!expect_velocity(step, sub, &dynamics.expected)) return false;
    if (!tn_tree_assemble(&dynamics, sub, world->frames, &world->arena, step->tree_A[i],
                          step->tree_b[i], step->tree_free[i]))
        return false;
    return true;
}

/* v⁺ of the free motion of a tree and its links, once tree_free is there. */
static void end_tree(Step *step, const TnSubsystem *sub)
{
    const TnWorld *world = step->world;
    for (int k = 0; k < sub->dof_count; k++) {
        double v = world->state.qvel[sub->dof_start + k];
        step->end_qvel[sub->dof_start + k] =
            v + (step->tree_free[sub->kind_index][k] - v) / step->theta;
    }
    tn_kinematics_twists(step->model, world->state.qpos, step->end_qvel, world->frames,
                         sub->link_start, sub->link_count, step->end_twists);
}

static bool assemble_rod(Step *step, int index, double w)
{
    TnWorld *world = step->world;
    TnRodSystem *rod = &step->rods[index];
    const TnSubsystem *sub = &step->model->subsystems[step->model->rods[index].subsystem];
    return tn_rod_assemble(&step->dynamics, sub, world->frames, w, &world->arena, rod) &&
           (!rod->cut_count || tn_rod_free_motion(rod, &world->arena, rod->v_free));
}

static void mark_rod(const TnModel *model, int link, bool *pushed)
{
    int s = model->links[link].subsystem;
    if (s >= 0 && model->subsystems[s].kind == TN_SUBSYSTEM_ROD)
        pushed[model->subsystems[s].kind_index] = true;
}

/* Rods that touched something in the last step, or are joined to something, will be pushed. */
static bool assemble_rods(Step *step)
{
    const TnModel *model = step->model;
    const TnState *state = &step->world->state;
    bool *pushed = TN_ARENA_ZERO(&step->world->arena, bool, model->rod_count);
    if (!pushed) return false;
    for (int i = 0; model->rod_count && i < state->contact_count; i++) {
        mark_rod(model, model->geoms[state->contacts[i].geom1].link, pushed);
        mark_rod(model, model->geoms[state->contacts[i].geom2].link, pushed);
    }
    for (int i = 0; model->rod_count && i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        bool tied = e->active && e->type != TN_EQUALITY_JOINT &&
                    (!e->segment || step->world->division->iterated[i]);
        if (!tied) continue;
        mark_rod(model, model->bodies[e->body1].link, pushed);
        mark_rod(model, model->bodies[e->body2].link, pushed);
    }
    for (int r = 0; r < model->rod_count; r++)
        if (!assemble_rod(step, r, pushed[r] ? 1.0 : 0.0)) return false;
    return true;
}

/* ---- chains: rods, and the trees that hold them ---- */

static void chain_range(void *context, int begin_index, int end_index)
{
    Step *step = context;
    if (!tn_chains_assemble(&step->assembled, begin_index, end_index, step->chains))
        atomic_store_explicit(&step->failed, true, memory_order_relaxed);
}

/* v⁺ of the free motion for all that is in chains. */
static void end_chains(Step *step)
{
    const TnModel *model = step->model;
    const TnDivision *d = step->world->division;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        int block = sub->kind == TN_SUBSYSTEM_TREE ? d->tree_block[sub->kind_index] : -1;
        if (block >= d->dense_count) {
            int chain = block - d->dense_count, node = d->tree_node[sub->kind_index];
            memcpy(step->tree_free[sub->kind_index],
                   step->chains[chain].v_free + d->chains[chain].nodes[node].start,
                   sizeof(double) * (size_t)sub->dof_count);
            end_tree(step, sub);
        }
    }
    for (int r = 0; r < model->rod_count; r++) {
        TnRodSystem *rod = &step->rods[r];
        if (!rod->cut_count)
            tn_chains_rod_velocity(&step->assembled, r, step->chain_free, rod->v_free);
        for (int i = 0; i < rod->count; i++)
            for (int k = 0; k < 6; k++) {
                double v = rod->segments[i].v[k];
                step->end_twists[model->rods[r].link_start + i][k] =
                    v + (rod->v_free[6 * i + k] - v) / step->theta;
            }
    }
}

static bool assemble_chains(Step *step)
{
    const TnDivision *d = step->world->division;
    tn_pool_run(step->world->team, d->chain_count, 8, chain_range, step);
    if (atomic_load_explicit(&step->failed, memory_order_relaxed)) return false;
    end_chains(step);
    return true;
}

/* Rods that come to touch something in this step are assembled again. */
static bool reassemble_rods(Step *step)
{
    const TnModel *model = step->model;
    const TnContactList *contacts = &step->world->contacts;
    bool *pushed = TN_ARENA_ZERO(&step->world->arena, bool, model->rod_count);
    if (!pushed) return false;
    for (int i = 0; model->rod_count && i < contacts->count; i++) {
        mark_rod(model, model->geoms[contacts->points[i].geom1].link, pushed);
        mark_rod(model, model->geoms[contacts->points[i].geom2].link, pushed);
    }
    bool again = false;
    for (int r = 0; r < model->rod_count; r++) {
        if (!pushed[r] || step->rods[r].w == 1.0) continue;
        if (!assemble_rod(step, r, 1.0)) return false;
        again = true;
    }
    return !again || assemble_chains(step);
}

static bool assemble_dynamics(Step *step)
{
    tn_pool_run(step->world->team, step->model->subsystem_count, SUBSYSTEM_GRAIN, rigid_range,
                step);
    for (int s = 0; s < step->model->subsystem_count; s++) {
        const TnSubsystem *sub = &step->model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        if (!assemble_tree(step, sub)) return false;
        if (step->world->division->tree_block[sub->kind_index] < step->world->division->dense_count)
            end_tree(step, sub);
    }
    return assemble_rods(step) &&
           tn_carried_jacobians(&step->dynamics, step->world->division, &step->world->arena,
                                step->assembled.T) &&
           assemble_chains(step);
}

/* ---- collision and constraints ---- */

static bool detect_contacts(Step *step)
{
    TnWorld *world = step->world;
    const double *g = step->model->option.gravity;
    double slack = SLACK_SHARE * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * step->t * step->t;
    return tn_collision_detect(world->collider, world->frames, (const double(*)[6])step->end_twists,
                               step->t, slack, &world->arena, world->team, &world->contacts);
}

static bool build_constraints(Step *step)
{
    TnWorld *world = step->world;
    step->constraint = (TnConstraintInput){.model = step->model,
                                           .state = &world->state,
                                           .t = step->t,
                                           .theta = step->theta,
                                           .warm_start = world->def.solver.warm_start,
                                           .frames = world->frames,
                                           .twists = (const double(*)[6])world->twists,
                                           .end_twists = (const double(*)[6])step->end_twists,
                                           .rigid = step->rigid,
                                           .tree_A = (const double *const *)step->tree_A,
                                           .tree_b = (const double *const *)step->tree_b,
                                           .tree_free = (const double *const *)step->tree_free,
                                           .rods = step->rods,
                                           .division = world->division,
                                           .chains = step->chains,
                                           .contacts = &world->contacts,
                                           .arena = &world->arena,
                                           .pool = world->team};
    return tn_constraint_build(&step->constraint, &world->set);
}

static bool solve(Step *step, TnSolveResult *result)
{
    TnWorld *world = step->world;
    if (world->def.solver.form == TN_ADMM_PAPER)
        return tn_subadmm_paper_solve(&world->set.problem, &world->def.solver, result);
    *result = tn_subadmm_solve(&world->set.problem, &world->def.solver, world->team);
    return true;
}

/* ---- integration ---- */

static void integrate_range(void *context, int begin_index, int end_index)
{
    Step *step = context;
    TnWorld *world = step->world;
    for (int s = begin_index; s < end_index; s++) {
        const TnSubsystem *sub = &step->model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID) {
            double vhat[6];
            tn_problem_twist(&world->set.problem, world->set.link_row[sub->link_start] - 1, vhat);
            tn_rigid_advance(&step->dynamics, sub->link_start, &world->frames[sub->link_start],
                             &step->rigid[sub->kind_index], vhat, step->blend[s], world->next_qpos,
                             world->next_qvel);
        } else if (sub->kind == TN_SUBSYSTEM_ROD) {
            tn_rod_advance(&step->dynamics, sub, world->frames, &step->rods[sub->kind_index],
                           world->set.rod_vhat[sub->kind_index], world->next_qpos,
                           world->next_qvel);
        } else {
            const TnDivision *d = world->division;
            int block = d->tree_block[sub->kind_index];
            tn_tree_advance(&step->dynamics, sub,
                            world->set.problem.large[block].v +
                                tn_division_start(d, block, d->tree_node[sub->kind_index]),
                            step->blend[s], world->next_qpos, world->next_qvel);
        }
    }
}

/* v̂ of the rods' segments from that of the blocks. */
static bool gather_rods(Step *step)
{
    TnWorld *world = step->world;
    int blocks = world->division->dense_count + world->division->chain_count;
    double **v = TN_ARENA_NEW(&world->arena, double *, blocks);
    world->set.rod_vhat = TN_ARENA_NEW(&world->arena, double *, step->model->rod_count);
    if (!v || !world->set.rod_vhat) return false;
    for (int i = 0; i < blocks; i++) v[i] = world->set.problem.large[i].v;
    for (int r = 0; r < step->model->rod_count; r++) {
        double *vhat = TN_ARENA_NEW(&world->arena, double, 6 * step->rods[r].count);
        if (!vhat) return false;
        tn_chains_rod_velocity(&step->assembled, r, v, vhat);
        world->set.rod_vhat[r] = vhat;
    }
    return true;
}

static bool all_finite(const double *x, int count)
{
    double sum = 0.0; /* one NaN or infinity makes 0·x NaN, and the sum with it */
    for (int i = 0; i < count; i++) sum += 0.0 * x[i];
    return sum == 0.0;
}

/* False: the new state would not be finite; the old one stays. */
static bool integrate(Step *step)
{
    TnWorld *world = step->world;
    if (!gather_rods(step)) return false;
    tn_constraint_blend(&step->constraint, &world->set, step->blend);
    tn_pool_run(world->team, step->model->subsystem_count, SUBSYSTEM_GRAIN, integrate_range, step);
    if (!all_finite(world->next_qpos, step->model->qpos_count) ||
        !all_finite(world->next_qvel, step->model->dof_count))
        return false;
    memcpy(world->state.qpos, world->next_qpos, sizeof(double) * (size_t)step->model->qpos_count);
    memcpy(world->state.qvel, world->next_qvel, sizeof(double) * (size_t)step->model->dof_count);
    tn_constraint_keep(&step->constraint, &world->set, &world->state);
    world->state.time += step->t;
    bool ok = tn_wheels_stop_slip(step->model, world->state.qpos, world->state.qvel, world->frames,
                                  &world->arena);
    tn_world_update_frames(world);
    return ok;
}

static void measure_contacts(const TnWorld *world, TnStepReport *report)
{
    int touching = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        double depth = -world->contacts.points[i].gap;
        if (depth <= 0.0) continue;
        touching++;
        report->mean_penetration += depth;
        if (depth > report->max_penetration) report->max_penetration = depth;
    }
    if (touching) report->mean_penetration /= touching;
    report->contact_count = world->contacts.count;
    report->row_count = world->set.problem.row_count + 6 * world->set.problem.bond_count;
}

/* Seconds since the last call. */
static double lap(double *clock)
{
    double now = tn_clock(), passed = now - *clock;
    *clock = now;
    return passed;
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

TnStepReport tn_world_step(TnWorld *world)
{
    TnStepReport report = {.diverged = true, .aac = NAN, .aal = NAN};
    TnSolveResult result = {0};
    Step step;
    double start = tn_clock(), clock = start;

    bool ok = begin(&step, world) && assemble_dynamics(&step);
    report.times.dynamics = lap(&clock);
    ok = ok && detect_contacts(&step) && reassemble_rods(&step);
    report.times.collision = lap(&clock);
    ok = ok && build_constraints(&step);
    report.times.constraint = lap(&clock);
    ok = ok && tn_problem_prepare(&world->set.problem, &world->def.solver, world->team);
    report.times.factor = lap(&clock);
    ok = ok && solve(&step, &result);
    report.times.iterate = lap(&clock);
    if (ok) {
        measure_contacts(world, &report);
        world->has_problem = true;
        ok = integrate(&step);
    }
    report.times.integrate = lap(&clock);
    report.times.total = clock - start;
    report.diverged = !ok;
    report.converged = ok && result.converged;
    report.iterations = result.iterations;
    report.residual = result.residual;
    if (ok && world->def.measure_accuracy) {
        TnAccuracy accuracy = tn_problem_accuracy(&world->set.problem);
        report.aac = accuracy.aac;
        report.aal = accuracy.aal;
    }
    if (world->wrench_set) {
        memset(world->wrench, 0, sizeof(double[6]) * (size_t)world->model->link_count);
        world->wrench_set = false;
    }
    if (!ok)
        warn(world, "step at %g s refused: it would not be finite, or there was no memory",
             world->state.time);
    if (world->arena.overflow_count)
        warn(world, "step at %g s: the arena was too small, the heap helped %d times",
             world->state.time, world->arena.overflow_count);
    report.heap_fallbacks = world->arena.overflow_count;
    report.arena_high_water = world->arena.high_water;
    return report;
}
