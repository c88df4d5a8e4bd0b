/* aav.c: velocities of the last step's problem in the layout of qvel, its v̂ and its converged
 * solution v*, and the mass-weighted distance of two such,
 *
 *     √( dᵀ M d / Σm ),  m/s;   AAv is -log10 of that for d = v̂ - v*.
 *
 * The solver's unknowns are not qvel: free bodies and segments are twists at their centres of mass
 * in world axes, which are turned by the pose that the step began with; carried segments and nodes
 * move with their robots; of a node that pieces of a soft body share, the first copy counts. So two
 * worlds that step from the same state can be compared whatever their divisions and solvers. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "../solver/converge.h"
#include "energy.h"
#include "world.h"

/* A twist at the centre of mass in world axes as a free joint's qvel. */
static void write_free(const TnWorld *world, int index, const double twist[6], double *out)
{
    const TnLink *link = &world->model->links[index];
    const double *quat = world->next_qpos + world->model->joints[link->joint_start].qpos_start + 3;
    double arm[3], turn[3], back[4], *v = out + link->dof_start;
    quat_rotate(arm, quat, link->com);
    v3_cross(turn, twist + 3, arm);
    v3_sub(v, twist, turn);
    quat_conjugate(back, quat);
    quat_rotate(v + 3, back, twist + 3);
}

/* y = T x, T with `rows` rows of `count`. */
static void multiply(int rows, int count, const double *T, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        y[r] = 0.0;
        for (int k = 0; k < count; k++) y[r] += T[r * count + k] * x[k];
    }
}

static const double *tree_velocity(const TnWorld *world, int tree)
{
    const TnDivision *d = world->division;
    int block = d->tree_block[tree];
    return world->set.problem.large[block].v + tn_division_start(d, block, d->tree_node[tree]);
}

static void write_rod(const TnWorld *world, const TnSubsystem *sub, double *out)
{
    const TnDivision *d = world->division;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        double twist[6];
        const double *x = world->set.problem.large[d->link_block[l]].v +
                          tn_division_start(d, d->link_block[l], d->link_node[l]);
        if (d->carrier[l] == l) memcpy(twist, x, sizeof twist);
        for (int i = 0; d->carrier[l] != l && i < d->follower_count; i++)
            if (d->followers[i].segment == l)
                multiply(6, tn_part_of_link(world->model, d->followers[i].holder)->dof_count,
                         world->systems.followers[i].T, x, twist);
        write_free(world, l, twist, out);
    }
}

static void write_soft(const TnWorld *world, int index, double *out)
{
    const TnModel *model = world->model;
    const TnSoft *soft = &model->softs[index];
    const TnDivision *d = world->division;
    for (int i = 0; i < soft->node_count; i++) {
        const TnSoftPiece *piece = &d->pieces[d->node_piece[index][i]];
        int at = d->node_place[index][i], node = piece->block_node[at], hold = piece->hold[at];
        double *v = out + soft->dof_start + 3L * i;
        v3_zero(v);
        if (node >= 0) {
            v3_copy(v, world->set.problem.large[piece->block].v + 3L * node);
        } else if (hold >= 0) {
            const TnSubsystem *tree = tn_part_of_link(model, soft->holds[hold].link);
            multiply(3, tree->dof_count, world->systems.softs[index].holds[hold].T,
                     tree_velocity(world, tree->kind_index), v);
        }
    }
}

/* v of the problem; of what sleeps zero. */
static void write_velocity(const TnWorld *world, double *out)
{
    const TnModel *model = world->model;
    memset(out, 0, sizeof(double) * (size_t)model->dof_count);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        double twist[6];
        if (world->state.asleep[s]) continue;
        switch (sub->kind) {
        case TN_SUBSYSTEM_RIGID:
            tn_problem_twist(&world->set.problem, world->set.link_row[sub->link_start] - 1, twist);
            write_free(world, sub->link_start, twist, out);
            break;
        case TN_SUBSYSTEM_ROD:
            write_rod(world, sub, out);
            break;
        case TN_SUBSYSTEM_SOFT:
            write_soft(world, sub->kind_index, out);
            break;
        case TN_SUBSYSTEM_TREE:
            memcpy(out + sub->dof_start, tree_velocity(world, sub->kind_index),
                   sizeof(double) * (size_t)sub->dof_count);
            break;
        }
    }
}

bool tn_world_last_velocity(const TnWorld *world, double *v)
{
    if (!world->has_problem) return false;
    write_velocity(world, v);
    return true;
}

double tn_world_velocity_distance(const TnWorld *world, const double *a, const double *b)
{
    const TnModel *model = world->model;
    double *d = tn_malloc(sizeof(double) * (size_t)(model->dof_count + 1));
    if (!d) return NAN;
    for (int k = 0; k < model->dof_count; k++) d[k] = a[k] - b[k];
    double kinetic = tn_model_energy(model, world->state.qpos, d, world->frames).kinetic;
    tn_free(d);
    return sqrt(2.0 * kinetic / model->total_mass);
}

bool tn_world_converged_velocity(TnWorld *world, int max_iterations, double *v, double *reached)
{
    TnProblem *p = &world->set.problem;
    TnSolverDef def = tn_world_solver(world);
    TnVelocities before;
    TnPerConstraint lambda;
    *reached = NAN;
    if (!world->has_problem) return false;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_velocities_alloc(p, &before) && tn_per_constraint_alloc(p, &lambda);
    if (ok) {
        tn_velocities_copy(p, &before);
        tn_lambda_take(p, &lambda);
        ok = tn_converge(p, &def, max_iterations, world->solver_memory, world->pool, reached);
        if (ok) write_velocity(world, v);
        tn_velocities_put(p, &before);
        tn_lambda_put(p, &lambda);
    }
    tn_arena_release(p->arena, mark);
    return ok;
}

double tn_world_last_aav(TnWorld *world, int max_iterations, double *reached)
{
    size_t count = (size_t)world->model->dof_count + 1;
    double *v = tn_malloc(sizeof(double) * 2 * count), distance = NAN;
    *reached = NAN;
    if (v && tn_world_last_velocity(world, v) &&
        tn_world_converged_velocity(world, max_iterations, v + count, reached))
        distance = tn_world_velocity_distance(world, v, v + count);
    tn_free(v);
    return distance < 1e-16 ? 16.0 : -log10(distance); /* NaN stays */
}
