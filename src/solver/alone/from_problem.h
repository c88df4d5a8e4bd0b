/* from_problem.h: a step's problem handed to the public solver (tenon/solver.h). */
#ifndef TN_SOLVER_FROM_PROBLEM_H
#define TN_SOLVER_FROM_PROBLEM_H

#include "../problem.h"

/* Blocks keep their order, twist blocks first; contacts come before rows, rows before bonds. The
 * solver is prepared, and its solution is the problem's v and λ. left_out: contacts and rows that
 * move no block; may be NULL. NULL: see err. */
TnSolver *tn_solver_from_problem(const TnProblem *problem, const TnSolverDef *def, int *left_out,
                                 TnError *err);

/* from_blocks.c: one of its blocks, counted as sides of rows count them, with this b; scratch from
 * the arena. False: no memory. */
bool tn_solver_add_problem_block(TnSolver *solver, const TnProblem *problem, int block,
                                 const double *b, TnArena *arena);

#endif
