/* solve.h: a problem solved to a tolerance, island by island, each by the method that suits it. */
#ifndef TN_SOLVER_SOLVE_H
#define TN_SOLVER_SOLVE_H

#include "islands.h"
#include "natural_map.h"
#include "op/assembly.h"

/* True: by this file. Otherwise by fixed.c. */
bool tn_solves_to_tolerance(const TnSolverDef *def);
/* The scale of λ that a solve starts from: all of it. */
static inline double tn_solver_warm_start(const TnSolverDef *def)
{
    if (def->warm_start >= 0.0) return def->warm_start;
    return 1.0;
}

/* What outlives a step: plans, an arena per thread, and one for islands that all threads share. */
typedef struct TnSolverMemory TnSolverMemory;
TnSolverMemory *tn_solver_memory_create(int thread_count); /* NULL: no memory */
void tn_solver_memory_destroy(TnSolverMemory *memory);
/* After a step: trims plans, and makes all arenas as large as the largest had to be. Returns how
 * often the heap had to help since the last call, and the bytes that arenas and plans need. */
int tn_solver_memory_reset(TnSolverMemory *memory, size_t *high_water);
/* The last tn_solve failed for want of memory. */
bool tn_solver_memory_lacked(const TnSolverMemory *memory);
TnPlanCache *tn_solver_memory_plans(TnSolverMemory *memory);

/* ---- fixed.c: everything at once, without a tolerance or with a method's own ---- */
bool tn_fixed_prepare(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
/* False: no memory, or no factor. */
bool tn_fixed_iterate(TnProblem *problem, const TnSolverDef *def, TnSolverMemory *memory,
                      TnPool *pool, TnSolveResult *result);

/* One island (or a problem that is one) with constraints, after tn_problem_prepare_A; v and λ hold
 * the starting guess, or with `was_small` what a small island's method has left. v ends as
 * A⁻¹(b + Jᵀλ) where the tolerance was reached. (choose.c) */
typedef struct TnIslandResult {
    TnIslandReport report;
    const char *form; /* of a method of its own (own_method.h) */
    double keep; /* share of the change in λ that the next solve should start with (steady.h) */
    TnConstraintKind worst;
    int worst_index; /* in the problem that was solved */
} TnIslandResult;
bool tn_solve_island(TnProblem *problem, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                     bool was_small,
                     TnIslandResult *out); /* false: no memory, or A not positive definite */

/* The whole problem. Results are in the problem's arena, one per island, worst_index counted in
 * `problem`. (solve.c) */
typedef struct TnSolution {
    TnIslands islands;
    TnIslandResult *results;
    int refused; /* after a failure: a block (twists, then large ones) of the part that failed; -1:
                    not known */
} TnSolution;
/* The problem need not be prepared, and is not afterwards. False: no memory, or A not positive
 * definite. */
bool tn_solve(TnProblem *problem, const TnSolverDef *def, TnSolverMemory *memory, TnPool *pool,
              TnSolution *out);
typedef struct TnSolutionSummary {
    bool converged;                 /* all islands */
    int iterations;                 /* most of SubADMM in one */
    double error;                   /* largest, in shares of velocity_scale, */
    double rigid_error;             /* and by the laws of rigid contacts */
    double contradiction;           /* largest, m/s */
    int worst_island;               /* of the larger of error and contradiction; -1: none */
    const char *form;               /* of a method of its own that ran in one */
    int by_method[TN_METHOD_COUNT]; /* islands */
} TnSolutionSummary;
TnSolutionSummary tn_solution_summary(const TnSolution *solution, double velocity_scale);

/* ---- the methods on an island's matrix ---- */
typedef struct TnMethodResult {
    int iterations, factorizations;
    double error; /* largest natural map in the method's own iterates, m/s */
} TnMethodResult;
/* From the problem's λ and u = J v_λ + e there (z of bonds); leaves the best λ found in the
 * problem, or what was there. False: no memory. */
typedef bool TnSecondOrder(const TnAssembly *assembly, TnProblem *problem, const TnCompliances *D,
                           const TnPerConstraint *u, double tolerance, int most_steps,
                           TnMethodResult *out);
TnSecondOrder tn_newton;   /* newton.c: quick near a solution */
TnSecondOrder tn_proximal; /* proximal.c: slower and surer */
/* interior.c: for contacts that Newton cannot sort out; with u near the problem's λ, with NULL from
 * a start of its own, which mostly is better. Without contacts or inequalities it does nothing. */
TnSecondOrder tn_interior;

#endif
