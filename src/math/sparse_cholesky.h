/* sparse_cholesky.h: A x = b for symmetric positive definite matrices with a 3×3 block per node and per
 * edge of a graph (a mesh), by multifrontal Cholesky factorization A = L Lᵀ.
 *
 * The plan depends on the graph only and is made once: the order of elimination, the fronts (groups of
 * nodes that are eliminated together as a dense matrix, dense_kernels.h) and where every number goes.
 * Factorizing and solving allocate nothing; the caller brings memory whose sizes the plan knows.
 *
 * Nodes may be asked to come last (those in contact). They form one dense front, S = L_l L_lᵀ with S the
 * Schur complement of all others, so that systems in them alone are cheap:
 *     y = tn_sparse_forward(b)      the others eliminated; y's last part is the right side of S
 *     tn_sparse_solve_last(y_l)     y_l ← S⁻¹ y_l, as often as forces on these nodes change
 *     x = tn_sparse_backward(y)     the others from the last
 * Vectors y are in the order of elimination, b and x in that of the nodes.
 *
 * Threads: a front depends on its children in the tree of fronts only, and adds their contributions in
 * a fixed order. Subtrees that the plan chooses by their work may be factorized by different threads,
 * each with update matrices in memory of its own, and the fronts above them by one thread afterwards:
 * the same operations in the same order for every number of threads. */
#ifndef TN_MATH_SPARSE_CHOLESKY_H
#define TN_MATH_SPARSE_CHOLESKY_H

#include <stddef.h>

#include "../base/base.h"

typedef enum TnSparseOrder {
    TN_SPARSE_ORDER_BEST, /* of those below the one with fewer operations */
    TN_SPARSE_ORDER_LAYERS,
    TN_SPARSE_ORDER_DISSECT,
} TnSparseOrder;

typedef struct TnSparseDef {
    int node_count, edge_count;
    const int (*edges)[2]; /* two different nodes each; blocks of a pair given twice add */
    int last_count;
    const int *last; /* nodes to be eliminated last, in this order */
    TnSparseOrder order;
} TnSparseDef;

typedef struct TnSparseSizes {
    size_t factor;           /* numbers in a factor, 64-byte aligned */
    size_t factor_work;      /* numbers of scratch for tn_sparse_factor, 64-byte aligned */
    size_t solve_work;       /* the same for a solve, per right side */
    double nonzeros;         /* of L, zeros that fronts store included */
    double flops;            /* additions and multiplications of a factorization */
    int front_count, widest; /* most unknowns in a front */
    bool layers;             /* the order chosen */
} TnSparseSizes;

typedef struct TnSparse TnSparse;

/* NULL with an error for bad definitions or no memory. The definition may go afterwards. */
TnSparse *tn_sparse_plan(const TnSparseDef *def, TnError *err);
void tn_sparse_free(TnSparse *plan);
TnSparseSizes tn_sparse_sizes(const TnSparse *plan);
const int *tn_sparse_order(const TnSparse *plan); /* the node at each place of the order */

/* blocks: those of the nodes' diagonal, then A_ij of each edge (i, j), row-major; of the former the
 * lower triangle is read. False: not positive definite, and the factor is of no use. */
bool tn_sparse_factor(const TnSparse *plan, const double (*blocks)[9], double *factor,
                      double *work);

/* x ← A⁻¹x for `count` vectors of 3·node_count numbers, one behind the other. work: count times
 * solve_work. */
void tn_sparse_solve(const TnSparse *plan, const double *factor, int count, double *x,
                     double *work);
/* The parts of it. y: count vectors of 3·node_count numbers; the last 3·last_count of each belong to
 * the last nodes. y_l: such parts alone, `stride` numbers apart. */
void tn_sparse_forward(const TnSparse *plan, const double *factor, int count, const double *b,
                       double *y, double *work);
void tn_sparse_solve_last(const TnSparse *plan, const double *factor, int count, double *y_l,
                          size_t stride, double *work);
void tn_sparse_backward(const TnSparse *plan, const double *factor, int count, double *y, double *x,
                        double *work);
/* (A⁻¹)_kk = (L⁻¹E_k)ᵀ(L⁻¹E_k) for each of the nodes, row-major; walks from the node's front to the
 * root. work: three times solve_work. */
void tn_sparse_inverse(const TnSparse *plan, const double *factor, int count, const int *nodes,
                       double (*blocks)[9], double *work);

#endif
