/* solver_parts.h: what the public solver (tenon/solver.h) keeps between calls.
 *
 *     solver_def.c     settings
 *     solver_add.c     what a user adds: copied and checked; and read again
 *     solver_blocks.c  A of a block in each of its forms: factor, solve, multiply
 *     condense.c       a block seen through the constraints that touch it
 *     solver_layout.c  all of it as a TnProblem
 *     solver.c         prepare, solve, warm start */
#ifndef TN_SOLVER_SOLVER_PARTS_H
#define TN_SOLVER_SOLVER_PARTS_H

#include "solve.h"
#include "solver_blocks.h"

typedef struct TnSolverBlock {
    TnBlockDef def; /* its pointers are the solver's own copies */
    int offset;     /* of its unknowns in v and b */
    double *factor; /* of a dense A; NULL before prepare */
} TnSolverBlock;

typedef struct TnSolverConstraint {
    TnConstraintDef def; /* its pointers are the solver's own copies, columns rising */
    int rows, side_count;
    int offset; /* of its first number in λ */
    int place;  /* contact or first row in the problem */
} TnSolverConstraint;

struct TnSolver {
    TnSolverDef def;
    TnPool *pool;
    TnSolverMemory *memory;
    TnError problems; /* what was added wrongly, reported by prepare */
    TnSolverBlock *blocks;
    TnSolverConstraint *constraints;
    int block_count, block_capacity, constraint_count, constraint_capacity;
    int unknown_count, lambda_count;
    bool prepared;
    double *v, *lambda; /* the last solution, or where to start */
    /* The problem as it stands between solves, A factored; scratch is emptied by each. */
    TnArena arena, scratch;
    TnProblem problem;
};

static inline int tn_set_rows(TnSet set)
{
    return set == TN_SET_FRICTION ? 3 : set == TN_SET_ROLL ? 2 : 1;
}
/* Column k of a side's J is this unknown of its block. */
static inline int tn_side_columns(const TnSolver *s, const TnConstraintDef *c, int side)
{
    return c->column[side] ? c->column_count[side] : s->blocks[c->block[side] - 1].def.dim;
}
static inline int tn_side_column(const TnConstraintDef *c, int side, int k)
{
    return c->column[side] ? c->column[side][k] : k;
}

/* ---- solver_add.c ---- */
void tn_solver_free_parts(TnSolver *solver);

/* ---- solver_blocks.c ---- */
/* Once per prepare; what is wrong goes to err. */
bool tn_solver_factor_blocks(TnSolver *solver, TnError *err);
void tn_solver_block_free(TnSolverBlock *block);

/* ---- solver_layout.c ---- */
/* Everything but b and the starting guess, and A factored. */
bool tn_solver_layout(TnSolver *solver, TnError *err);
/* b, v and λ into the problem, and back. */
void tn_solver_fill(TnSolver *solver, const double *b);
void tn_solver_take(TnSolver *solver);

#endif
