/* block.h: the seam between the solver and its kinds of blocks.
 *
 * Twist blocks come eight to a batch and have functions of their own (twist.c). Everything larger
 * is a TnLargeBlock (problem.h) of a kind, and what a kind does is a table of functions. To add
 * one, write its file with such a table and a tn_problem_set_... that calls tn_block_set; nothing
 * outside this folder asks which kind a block is of, or reads what it keeps.
 *
 *   dense  any full matrix A                 unit  A = I, up to thousands of unknowns
 *   chain  blocks of A that form a forest    mesh  3 × 3 blocks on a graph
 *
 * A kind may eliminate what no constraint touches before the first iteration. S is A on the
 * unknowns that are left, its Schur complement; "solved" ones are these, or all. They are grouped
 * in nodes, the pieces of an assembled matrix. */
#ifndef TN_SOLVER_BLOCK_BLOCK_H
#define TN_SOLVER_BLOCK_BLOCK_H

#include "../problem.h"

typedef struct TnSpan {
    int start, count;
    int place; /* of its first unknown among the solved ones */
} TnSpan;

/* Where an unknown is: its node, its place there and its place among the solved unknowns. */
typedef struct TnBlockPlace {
    int node, at, solved;
} TnBlockPlace;

/* What a block costs, in contacts: once per solve, and in an iteration. */
typedef struct TnBlockWork {
    double once, iteration;
} TnBlockWork;
/* Numbers of a full matrix that an iteration reads in the time of a contact. */
#define TN_NUMBERS_PER_CONTACT 56
/* Multiplications of a factorization that are worth a contact: what 60 iterations of SubADMM cost.
 */
#define TN_FLOPS_PER_CONTACT 1000.0

/* A as a full matrix, or, where that is NULL, as a sparse one. */
typedef struct TnBlockMatrix {
    const double *full;
    TnSparseMatrix sparse;
} TnBlockMatrix;

/* `block` counts large blocks from 0. Functions that may be NULL say what that stands for. */
struct TnBlockKind {
    const char *name;
    size_t size; /* of what a block of this kind keeps, TnLargeBlock.own */
    int grain;   /* blocks that are worth a thread of their own */
    /* It eliminates what nothing touches, so that factors cost much and iterations little, and
     * iterates on v - A⁻¹b: b is no part of its right-hand sides. */
    bool eliminates;
    bool full;         /* `matrix` has a full one, at no cost */
    bool H_replaces_S; /* factor_H overwrites S; write_node asks for factor_A again then */

    /* ---- preparation ---- */
    /* Decides what is solved for, and takes memory for it from the arena: one block after the
     * other. */
    bool (*choose)(TnProblem *problem, int block);  /* NULL: all unknowns, no memory */
    bool (*plan)(TnProblem *problem, int block);    /* between the two, in threads; NULL: nothing */
    bool (*reserve)(TnProblem *problem, int block); /* NULL: nothing */
    /* Factors of A and compliances of ports. The pool is not NULL where its threads are to share
     * the inside of this block. False: not positive definite. */
    bool (*factor_A)(TnProblem *problem, int block, TnPool *pool);
    /* In place of factor_A, for methods that solve on the solved unknowns elsewhere: S, full, and b
     * there, the others being eliminated; `complete` may follow. NULL: the kind eliminates nothing
     */
    bool (*reduce)(TnProblem *problem, int block, double *S, double *b);
    /* After weights: H = A + JᵀWJ factored; g = (H - A) v⁰ - Jᵀλ⁰ for the starting guess. */
    bool (*factor_H)(TnProblem *problem, int block);

    /* ---- iterations ---- */
    /* v ← H⁻¹(b + g + 2F), g ← g + α(b + F - A v), F = Jᵀλ, where constraints reach; and the ports'
     * twists. */
    void (*update)(TnProblem *problem, int block, double alpha);
    /* All of v, at the end; NULL: it is there. The pool's threads may share one block's work. */
    void (*finish)(TnProblem *problem, int block, TnPool *pool);
    /* Where g is needed to know the iterate, besides t; NULL: its first d->solved numbers */
    const TnSpan *(*state)(const TnLargeBlock *d, int *count);
    /* Whether Anderson acceleration pays by default; NULL: no. */
    bool (*accelerates)(const TnProblem *problem, const TnLargeBlock *d);
    TnBlockWork (*work)(const TnLargeBlock *d);

    /* ---- A and its inverse ---- */
    void (*solve_A)(const TnLargeBlock *d, double *x); /* x ← A⁻¹ x, all unknowns */
    /* y ← L⁻¹ y with A = L Lᵀ; NULL: the kind is better asked for J A⁻¹ Jᵀ */
    void (*forward)(const TnLargeBlock *d, double *y);
    /* x = S⁻¹ f on the solved unknowns; f has value[k·stride] at place[k], k < count; factor_S goes
     * before. NULL: by solve_A */
    void (*solve_S)(const TnLargeBlock *d, const int *place, const double *value, int count,
                    int stride, double *x);
    bool (*factor_S)(const TnLargeBlock *d); /* NULL: there is a factor. False: not definite */
    /* A⁻¹(b + Jᵀλ) where constraints reach, port forces taken from problem->F; NULL: by solve_A */
    void (*implied)(const TnProblem *problem, int block, double *v);
    /* The block's v from what it is where constraints reach; NULL: a copy */
    void (*complete)(TnProblem *problem, int block, const double *v);
    double (*side_compliance)(const TnProblem *problem, const TnLargeBlock *d,
                              const TnRowSide *side); /* J A⁻¹ Jᵀ of a row's side */
    bool (*matrix)(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out); /* A */

    /* ---- nodes ---- */
    const TnChain *(*nodes)(const TnLargeBlock *d); /* of the solved unknowns; NULL: one of all */
    TnBlockPlace (*locate)(const TnLargeBlock *d, int unknown); /* NULL: all are solved */
    /* S of a node, full, where zeros are, and A⁻¹ b there */
    void (*write_node)(const TnLargeBlock *d, int node, double *S, double *v_free);
    const double *(*edge_block)(const TnLargeBlock *d, int edge); /* S (b, a) */

    /* ---- only for methods outside of the library (bench/baselines) ---- */
    /* H = 2A and g so that an update with α = 0 is v = A⁻¹(b + F). */
    bool (*double_A)(TnLargeBlock *d);
    /* v ← H⁻¹ rhs there, and the ports' twists; rhs = b + force (without b: `eliminates`) is
     * overwritten. */
    void (*solve_H)(TnProblem *problem, int block, double *rhs);
    /* f = JᵀWJ x and y = S⁻¹ f on the solved unknowns; NULL: on all of them, by solve_A */
    void (*respond)(TnProblem *problem, int block, const double *x, double *f, double *y);
    void (*scale)(const TnLargeBlock *d, double *x); /* x ← x / √diag A, about; as `respond` */
    double (*trace)(const TnLargeBlock *d);          /* tr A */
};

extern const TnBlockKind tn_block_dense, tn_block_unit, tn_block_chain, tn_block_mesh;

/* ---- block.c ---- */
/* What all kinds have, and zeros for what this one keeps. False: no memory. */
bool tn_block_set(TnProblem *problem, int block, const TnBlockKind *kind, int dim, int port_start,
                  int port_count);
/* Block `from` of the whole as block `to` of the part, behind those before it: v, b and matrices
 * are the same, what the kind writes of its own is not. False: no memory. */
bool tn_block_copy(const TnProblem *whole, int from, TnProblem *part, int to);
/* Of all blocks, twists too. False: no memory, or not positive definite. */
bool tn_blocks_choose(TnProblem *problem, TnPool *pool);
bool tn_blocks_factor_A(TnProblem *problem, TnPool *pool);
bool tn_blocks_factor_H(TnProblem *problem, TnPool *pool);
bool tn_blocks_restore_S(TnProblem *problem, TnPool *pool); /* where factor_H replaced it */
void tn_blocks_update(TnProblem *problem, int chunk, int chunks, double alpha);
void tn_blocks_finish(TnProblem *problem, TnPool *pool);
/* to[place[k]] += value[k·stride] */
static inline void tn_scatter(const int *place, const double *value, int count, int stride,
                              double *to)
{
    for (int k = 0; k < count; k++) to[place[k]] += value[(long)k * stride];
}

/* What NULL in `locate` stands for, too. */
static inline TnBlockPlace tn_block_locate(const TnLargeBlock *d, int unknown)
{
    if (d->kind->locate) return d->kind->locate(d, unknown);
    return (TnBlockPlace){0, unknown, unknown};
}

/* ---- twist.c: batches of twist blocks ---- */
#define TN_TWIST_GRAIN 8 /* batches that are worth a thread */
void tn_twist_matrix(const TnProblem *problem, int block, double A[36]); /* A, where zeros are */
bool tn_twists_factor_A(TnProblem *problem, int begin, int end);         /* inverses */
bool tn_twists_factor_H(TnProblem *problem, int begin, int end);
void tn_twists_update(TnProblem *problem, int begin, int end, double alpha);

#endif
