/* any_problem.h: problems with every kind of block and constraint, and what the assembled methods
 * need to solve them. */
#ifndef TN_TESTS_ANY_PROBLEM_H
#define TN_TESTS_ANY_PROBLEM_H

#include "bonded_rod.h"
#include "mesh_problem.h"
#include "solver/method/assembled_admm.h"

typedef struct Rig {
    TnArena arena;
    TnProblem problem;
    MeshRig meshes[MESHES];
    TnPlanCache *plans;
    TnAssembly assembly;
    TnCompliances D;
} Rig;

/* Twists and dense blocks with all rows, few of them, contacts alone; chains, and rows that reach
 * far over them; meshes; a rod of bonded twists, and one of bonded chains. */
enum { PROBLEMS = 8 };
static inline bool make_seeded(Rig *rig, int which, uint64_t seed)
{
    TnProblem *p = &rig->problem;
    TnArena *arena = &rig->arena;
    ChainChoice chains = {.twists = 5, .contacts = 12, .rows = 14, .stiffness = 3.0};
    MeshChoice mesh = {.touch = FEW, .stiffness = 1.0, .shift = 1};
    RodChoice rod = {.nodes = 12, .group = 1, .stiffness = 1.0, .twists = true, .contacts = true};
    switch (which) {
    case 0:
        return random_problem(p, arena, seed, 10, 12, 14);
    case 1:
        return random_problem(p, arena, seed, 6, 0, 4);
    case 2:
        return random_problem(p, arena, seed, 12, 16, 0);
    case 3:
        return random_chain_problem(p, arena, seed, chains);
    case 4:
        chains.reach = FAR;
        return random_chain_problem(p, arena, seed, chains);
    case 5:
        return random_mesh_problem(p, arena, seed, rig->meshes, mesh);
    case 6:
        return bonded_rod(p, arena, seed, rod);
    default:
        rod.nodes = 24;
        rod.group = 8;
        rod.twists = false;
        return bonded_rod(p, arena, seed, rod);
    }
}

static inline bool make_problem(Rig *rig, int which)
{
    static const uint64_t seeds[PROBLEMS] = {1, 2, 5, 3, 4, 6, 9, 10};
    return make_seeded(rig, which, seeds[which]);
}

static inline bool rig_create(Rig *rig)
{
    *rig = (Rig){.plans = tn_plan_cache_create()};
    return rig->plans && tn_arena_init(&rig->arena, "problem", 1 << 22) &&
           mesh_rigs_create(rig->meshes, true);
}

static inline bool assemble(Rig *rig)
{
    return tn_problem_prepare_A(&rig->problem, NULL) && tn_compliances(&rig->problem, &rig->D) &&
           tn_assembly_build(&rig->problem, rig->plans, &rig->assembly);
}

/* By a method that is sure of all kinds of blocks and laws, from the problem's forces: ADMM with
 * the matrix of the whole. */
static inline bool solve_assembled(Rig *rig, double tolerance, int iterations,
                                   TnMethodResult *result)
{
    const TnAdmmChoice choice = {.scale = 20.0,
                                 .equality = 1.0,
                                 .relaxation = 1.3,
                                 .memory = 10,
                                 .tolerance = tolerance,
                                 .iterations = iterations};
    return tn_admm_run(&rig->assembly, &rig->problem, &rig->D, &choice, NULL, result);
}

static inline void rig_destroy(Rig *rig)
{
    mesh_rigs_destroy(rig->meshes);
    tn_plan_cache_destroy(rig->plans);
    tn_arena_free(&rig->arena);
}

/* u and λ of the problem's own forces at v_λ, computed block by block. False: no memory. */
static inline bool state_of(Rig *rig, TnPerConstraint *u, TnPerConstraint *lambda)
{
    TnProblem *p = &rig->problem;
    TnVelocities v;
    if (!tn_per_constraint_alloc(p, u) || !tn_per_constraint_alloc(p, lambda) ||
        !tn_velocities_alloc(p, &v))
        return false;
    tn_velocities_implied(p, &v);
    tn_constraint_velocities(p, &v, u);
    tn_lambda_take(p, lambda);
    return true;
}

/* The natural map there, m/s. */
static inline double error_of(Rig *rig)
{
    TnPerConstraint u, lambda;
    if (!state_of(rig, &u, &lambda)) return NAN;
    return tn_natural_map(&rig->problem, &rig->D, &u, &lambda).largest;
}

/* The largest difference of twists at v_λ in shares of the largest twist. */
static inline double apart(Rig *one, Rig *other)
{
    TnVelocities v, w;
    if (!tn_velocities_alloc(&one->problem, &v) || !tn_velocities_alloc(&other->problem, &w))
        return NAN;
    tn_velocities_implied(&one->problem, &v);
    tn_velocities_implied(&other->problem, &w);
    double worst = 0.0, size = 0.0;
    for (int r = 1; r < one->problem.table_rows; r++)
        for (int k = 0; k < 8; k++) {
            worst = fmax(worst, fabs(v.twist[r][k] - w.twist[r][k]));
            size = fmax(size, fabs(w.twist[r][k]));
        }
    return worst / size;
}

static const double g_t = 9.81 * 0.01; /* of the stacks, m/s */

/* The tolerance in shares of g·t. */
static inline bool solve_island(Rig *rig, TnMethod method, double tolerance, TnIslandResult *out)
{
    TnSolverDef def = tn_solver_def();
    def.method = method;
    def.tolerance = tolerance;
    def.velocity_scale = g_t;
    return tn_solve_island(&rig->problem, &def, rig->plans, NULL, false, out);
}

static inline bool is_finite(const TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(p->lambda[c][k])) return false;
    for (int r = 0; r < p->row_count; r++)
        if (!isfinite(p->rows[r].lambda)) return false;
    for (int r = 0; r < p->table_rows; r++)
        for (int k = 0; k < 8; k++)
            if (!isfinite(p->twist[r][k])) return false;
    return true;
}

/* A slider along x that is pushed against a wall across its axis, with a force to start from:
 * nothing yields along the normal. Rows are left to the caller. */
static inline bool pushed_slider(Rig *rig, int rows)
{
    TnProblem *p = &rig->problem;
    const double zero[3] = {0}, y[3] = {0, 1, 0}, e[3] = {0, -0.1, 0}, start[3] = {1, 2, 3};
    TnProblemSize size = {
        .larges = 1, .ports = 1, .contacts = 1, .rows = rows, .sides = rows, .entries = rows};
    if (!tn_problem_init(p, &rig->arena, size) || !tn_problem_set_dense(p, 0, 1, 0, 1) ||
        !tn_problem_set_port(p, 0, 0))
        return false;
    tn_problem_dense_A(p, 0)[0] = 2.0;
    p->large[0].b[0] = 1.0;
    p->ports[0].T[0] = 1.0; /* linear x */
    tn_problem_set_contact(p, 0, 0, p->port_row, zero, zero, y, e, 0.5, start);
    return true;
}
/* The same with an equality and a spring that reach nothing. */
static inline bool pushed_slider_with_rows(Rig *rig)
{
    TnProblem *p = &rig->problem;
    if (!pushed_slider(rig, 2)) return false;
    for (int r = 0; r < 2; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .start = r, .count = 1};
        p->index[r] = 0;
        p->coefficient[r] = 0.0;
        p->rows[r] = (TnRow){.set = r ? TN_ROW_SOFT : TN_ROW_EQUALITY,
                             .side_start = r,
                             .side_count = 1,
                             .e = 0.1,
                             .k = 3.0,
                             .alpha = 0.5,
                             .lambda = 7.0};
    }
    return true;
}

#endif
