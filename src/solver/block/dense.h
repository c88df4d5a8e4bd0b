/* dense.h: what a block with a full matrix keeps; unit.c has the same with A = I. */
#ifndef TN_SOLVER_BLOCK_DENSE_H
#define TN_SOLVER_BLOCK_DENSE_H

#include "block.h"

typedef struct TnDenseBlock {
    double *A, *A_factor; /* dim × dim; its Cholesky factor */
    bool A_factored;      /* the factor came with the matrix */
    int stride;
    double *H_inverse; /* (A + JᵀWJ)⁻¹, rows of `stride` numbers */
    double *work;      /* as many */
    double *stiffness; /* JᵀWJ where it is kept for another solve (H_known); else NULL */
} TnDenseBlock;

static inline TnDenseBlock *tn_dense_block(const TnLargeBlock *d) { return d->own; }

/* ---- dense.c: what serves unit blocks, too ---- */
/* All but A and its factor. NULL: no memory. */
TnDenseBlock *tn_dense_set(TnProblem *problem, int block, const TnBlockKind *kind, int dim,
                           int stride, int port_start, int port_count);
/* factor_H, with what differs between dense and unit blocks: C = JᵀWJ, and H_inverse = (A + C)⁻¹,
 * where C may lie. */
typedef void TnDenseStiffness(const TnProblem *problem, int block, double *C);
typedef bool TnDenseInvert(const TnLargeBlock *d, const double *C);
bool tn_dense_factor_H(TnProblem *problem, int block, TnDenseStiffness *set, TnDenseInvert *invert);
bool tn_dense_factor_A(TnProblem *problem, int block, TnPool *pool);
void tn_dense_solve_H(TnProblem *problem, int block, double *rhs);
TnBlockWork tn_dense_work(const TnLargeBlock *d);
void tn_dense_scale(const TnLargeBlock *d, double *x);
double tn_dense_trace(const TnLargeBlock *d);
bool tn_dense_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out);
void tn_dense_write_node(const TnLargeBlock *d, int node, double *S, double *v_free);

#endif
