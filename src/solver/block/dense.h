/* dense.h: what a block with a full H keeps, for the two kinds that have one: dense.c and unit.c. */
#ifndef TN_SOLVER_BLOCK_DENSE_H
#define TN_SOLVER_BLOCK_DENSE_H

#include "block.h"

/* The first of what either kind keeps. */
typedef struct TnDenseCore {
    int stride;
    double *H_inverse; /* (A + JᵀWJ)⁻¹, rows of `stride` numbers */
    double *work;      /* as many */
    TnSpan state;      /* all unknowns */
    TnChainNode node;  /* the same for an assembled matrix */
} TnDenseCore;

typedef struct TnDenseBlock {
    TnDenseCore core;
    double *A, *A_factor; /* dim × dim; its Cholesky factor */
    bool A_factored;      /* the factor came with the matrix */
    double *stiffness;    /* JᵀWJ where it is kept for another solve (H_known); else NULL */
} TnDenseBlock;

static inline TnDenseBlock *tn_dense_block(const TnLargeBlock *d) { return d->own; }

/* ---- dense.c, for both ---- */
bool tn_dense_core(TnProblem *problem, int block, int stride); /* and b; false: no memory */
/* The ports' twists at v⁰, and g = C v⁰ - Jᵀλ⁰. */
void tn_dense_start(TnProblem *problem, int block, const double *C);
void tn_dense_solve_H(TnProblem *problem, int block, double *rhs);
const TnSpan *tn_dense_state(const TnLargeBlock *d, int *count);
TnBlockWork tn_dense_work(const TnLargeBlock *d);
TnBlockNodes tn_dense_nodes(const TnLargeBlock *d);
TnBlockPlace tn_dense_locate(const TnLargeBlock *d, int unknown);

#endif
