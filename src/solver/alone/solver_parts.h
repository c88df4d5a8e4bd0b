/* solver_parts.h: what the public solver (tenon/solver.h) keeps between calls.
 *
 *     solver_def.c        settings
 *     solver_add.c        constraints as a user adds them; and all of it read again
 *     solver_add_block.c  blocks as a user adds them
 *     solver_blocks.c     A of a block in each of its forms: factor, solve, multiply
 *     condense.c          a block as the constraints that touch it see it
 *     solver_layout.c     all of it as a TnProblem
 *     solver.c            prepare, solve, warm start */
#ifndef TN_SOLVER_SOLVER_PARTS_H
#define TN_SOLVER_SOLVER_PARTS_H

#include "../../math/finite.h"
#include "../solve.h"
#include "solver_blocks.h"

/* Of one form; made once. */
typedef struct TnBlockFactor {
    bool ready;
    double *values;   /* dense: Cholesky; banded: as banded.h; sparse: as sparse_cholesky.h */
    TnSparse *sparse; /* its nodes are groups of up to three unknowns */
    int node_count;
    int *place;   /* sparse: unknown -> its place among three per node */
    double *work; /* sparse: TN_SOLVE_BATCH right sides by node, then scratch; inverse: a vector */
} TnBlockFactor;
enum { TN_SOLVE_BATCH = 16 };

/* Rows of a condensed block that act on each other: one dense block with A = I and J = L. */
typedef struct TnCondensedPart {
    int large; /* in the problem */
    int row_count, rank;
    int *rows;     /* rows of the block, rising */
    int *pivots;   /* rank of them, counted here: those rows of L are a triangle */
    int *length;   /* numbers in each row of L */
    double *L;     /* row_count × rank */
    double filled; /* share of G that is not zero */
} TnCondensedPart;

/* A block as its rows see it; condense.c. */
typedef struct TnCondensedBlock {
    int row_count;
    int *lambda;         /* per row: its number in λ */
    int *start, *column; /* J of the rows, row by row; start has one more */
    double *value;
    int *part, *place; /* per row: its part, and where there */
    int part_count;
    TnCondensedPart *parts;
    double *v_free; /* A⁻¹ b of this solve */
} TnCondensedBlock;

typedef struct TnSolverBlock {
    TnBlockDef def; /* its pointers are the solver's own copies */
    int offset;     /* of its unknowns in v and b */
    TnBlockFactor factor;
    TnCondensedBlock *condensed; /* NULL: a dense block laid out as it is */
    int large;                   /* in the problem, where it is not condensed */
} TnSolverBlock;

typedef struct TnSolverConstraint {
    TnConstraintDef
        def; /* its pointers are the solver's own copies; each block once, columns rising */
    int rows, side_count;
    int offset;            /* of its first number in λ */
    int place;             /* contact or first row in the problem */
    int row[TN_MAX_SIDES]; /* first row of a condensed block */
} TnSolverConstraint;

struct TnSolver {
    TnSolverDef def;
    uint32_t alive; /* TN_ALIVE */
    TnPool *pool;
    TnSolverMemory *memory;
    TnError problems; /* what was added wrongly, reported by prepare */
    TnSolverBlock *blocks;
    TnSolverConstraint *constraints;
    int block_count, block_capacity, constraint_count, constraint_capacity;
    int unknown_count, lambda_count;
    int solved_unknowns, solved_lambdas; /* of v and λ below */
    bool prepared;
    double *v, *lambda; /* the last solution, or where to start */
    double *shift;      /* per λ: J v_free of condensed blocks */
    /* condensed blocks; the problem as it stands between solves, A factored; what one solve needs
     */
    TnArena condensed, arena, scratch;
    TnProblem problem;
};

/* Column k of a side's J is this unknown of its block. */
static inline int tn_side_columns(const TnSolver *s, const TnConstraintDef *c, int side)
{
    return c->column[side] ? c->column_count[side] : s->blocks[c->block[side] - 1].def.dim;
}
static inline int tn_side_column(const TnConstraintDef *c, int side, int k)
{
    return c->column[side] ? c->column[side][k] : k;
}

/* ---- solver_add.c, solver_add_block.c ---- */
void tn_solver_free_parts(TnSolver *solver);
void tn_solver_block_free(TnSolverBlock *block);
/* False: no memory. */
bool tn_grow(void **array, int count, int *capacity, size_t size);
void *tn_copy(const void *from, size_t bytes); /* NULL: no memory */

/* ---- solver_blocks.c ---- */
/* Once per prepare; what is wrong goes to err. */
bool tn_solver_factor_blocks(TnSolver *solver, TnError *err);
void tn_block_factor_free(TnBlockFactor *factor);

/* ---- condense.c ---- */
bool tn_solver_condense(TnSolver *solver, TnError *err);
/* v_free and its part in solver->shift; then the starting guess of the parts from that of v. */
void tn_condensed_start(TnSolver *solver, int block, const double *b);
/* v of the block from what was solved for. */
void tn_condensed_finish(TnSolver *solver, int block);

/* ---- solver_layout.c ---- */
/* Everything but b and the starting guess, and A factored. */
bool tn_solver_layout(TnSolver *solver, TnError *err);
/* b, v and λ into the problem, and back. */
void tn_solver_fill(TnSolver *solver, const double *b);
void tn_solver_take(TnSolver *solver);

#endif
