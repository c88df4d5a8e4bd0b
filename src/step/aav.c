/* aav.c: how far the last step's v̂ is from the converged solution v* of the same problem,
 * mass-weighted:
 *     AAv = -log10 √( dᵀ M d / Σm ),   d = v̂ - v*,  m/s. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "world.h"

/* dᵀ M d of a rod's segments; carried ones, which weigh little beside their robots, left out. */
static double rod_distance(const TnWorld *world, const TnSubsystem *sub, const TnVelocities *before)
{
    const TnModel *model = world->model;
    const TnDivision *division = world->division;
    double sum = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        if (division->carrier[l] != l) continue;
        const TnLargeBlock *block = &world->set.problem.large[division->link_block[l]];
        int start = tn_division_start(division, division->link_block[l], division->link_node[l]);
        const TnLink *link = &model->links[l];
        const double *rot = world->frames[l].rot, *v = block->v + start,
                     *u = before->large + block->offset + start;
        double d[3], w[3], local[3], spin[3];
        v3_sub(d, u, v);
        v3_sub(w, u + 3, v + 3);
        m3_tmul_v(local, rot, w);
        m3_mul_v(spin, link->inertia, local);
        sum += link->mass * v3_dot(d, d) + v3_dot(local, spin);
    }
    return sum;
}

/* dᵀ M d of a soft body's nodes with lumped masses, of each node's first copy; carried ones left out as above. */
static double soft_distance(const TnWorld *world, int index, const TnVelocities *before)
{
    const TnSoft *soft = &world->model->softs[index];
    const TnDivision *division = world->division;
    double sum = 0.0, d[3];
    for (int i = 0; i < soft->node_count; i++) {
        const TnSoftPiece *piece = &division->pieces[division->node_piece[index][i]];
        int node = piece->block_node[division->node_place[index][i]];
        const TnLargeBlock *block = &world->set.problem.large[piece->block];
        if (node < 0) continue;
        v3_sub(d, before->large + block->offset + 3L * node, block->v + 3L * node);
        sum += soft->masses[i] * v3_dot(d, d);
    }
    return sum;
}

#define REACH 1e-12 /* m/s */

/* v and λ of the problem to those of v*; tells how far they come. False: no memory. */
static bool converge(TnWorld *world, int max_iterations, double *reached)
{
    TnProblem *p = &world->set.problem;
    TnSolverDef def = tn_world_solver(world);
    TnSolution solution;
    size_t bytes;
    def.form = TN_ADMM_REDUCED;
    def.iterations = max_iterations;
    def.tolerance = REACH;
    if (!world->by_islands) { /* and so prepared for it */
        TnSolveResult result = tn_subadmm_solve(p, &def, world->pool);
        *reached = result.residual;
        /* the relaxed model's v* is its own, and nobody else finds it */
        if (result.converged || def.contact_model == TN_CONTACT_RELAXED) return true;
    }
    /* a tower, say, which it would take forever for */
    def.method = TN_METHOD_AUTO;
    def.tolerance = REACH / def.velocity_scale;
    bool ok = tn_solve(p, &def, world->solver_memory, world->pool, &solution);
    tn_solver_memory_reset(world->solver_memory, &bytes);
    if (!ok) return false;
    *reached = tn_solution_summary(&solution).error * def.velocity_scale;
    return true;
}

double tn_world_last_aav(TnWorld *world, int max_iterations, double *reached)
{
    const TnModel *model = world->model;
    TnProblem *p = &world->set.problem;
    *reached = NAN;
    if (!world->has_problem) return NAN;
    TnVelocities before;
    if (!tn_velocities_alloc(p, &before)) return NAN;
    tn_velocities_copy(p, &before);
    if (!converge(world, max_iterations, reached)) return NAN;

    double sum = 0.0, theta_t = model->option.theta * model->option.timestep;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (world->state.asleep[s]) continue;
        if (sub->kind == TN_SUBSYSTEM_RIGID) {
            int row = world->set.link_row[sub->link_start], l = (row - 1) % TN_LANES;
            const TnTwistBatch *batch = &p->twist_batch[(row - 1) / TN_LANES];
            double d[3], w[3], Sw[3];
            v3_sub(d, before.twist[row], p->twist[row]);
            v3_sub(w, before.twist[row] + 4, p->twist[row] + 4);
            double S[9] = {batch->S[0][l], batch->S[1][l], batch->S[2][l],
                           batch->S[1][l], batch->S[3][l], batch->S[4][l],
                           batch->S[2][l], batch->S[4][l], batch->S[5][l]};
            m3_mul_v(Sw, S, w);
            sum += theta_t * (batch->a[l] * v3_dot(d, d) + v3_dot(w, Sw));
            continue;
        }
        if (sub->kind == TN_SUBSYSTEM_ROD) {
            sum += rod_distance(world, sub, &before);
            continue;
        }
        if (sub->kind == TN_SUBSYSTEM_SOFT) {
            sum += soft_distance(world, sub->kind_index, &before);
            continue;
        }
        int n = sub->dof_count;
        size_t mark = tn_arena_mark(&world->arena);
        double(*S)[6] = tn_arena_alloc(&world->arena, sizeof(double[6]) * (size_t)n);
        double *M = TN_ARENA_NEW(&world->arena, double, n *n),
               *d = TN_ARENA_NEW(&world->arena, double, n);
        if (!S || !M || !d) return NAN;
        const double *origin = world->frames[sub->link_start].com;
        tn_tree_axes(model, sub, world->state.qpos, world->frames, origin, S);
        tn_tree_mass_matrix(model, sub, world->frames, origin, (const double(*)[6])S, &world->arena,
                            M);
        const TnDivision *division = world->division;
        int index = division->tree_block[sub->kind_index];
        int start = tn_division_start(division, index, division->tree_node[sub->kind_index]);
        const TnLargeBlock *block = &p->large[index];
        for (int k = 0; k < n; k++)
            d[k] = before.large[block->offset + start + k] - block->v[start + k];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) sum += d[i] * M[i * n + j] * d[j];
        tn_arena_release(&world->arena, mark);
    }
    world->has_problem = false; /* its v̂ is v* now */
    return -log10(fmax(sqrt(sum / model->total_mass), 1e-16));
}
