/* sparse_cholesky.h: A x = b for symmetric positive definite matrices with a 3×3 block per node
 * and per edge of a graph (a mesh), by multifrontal Cholesky factorization A = L Lᵀ.
 *
 * The plan depends on the graph only and is made once: the order of elimination, the fronts
 * (groups of nodes that are eliminated together as a dense matrix, dense_kernels.h) and where
 * every number goes. Factorizing and solving allocate nothing; the caller brings memory whose
 * sizes are in the plan.
 *
 * Nodes may be asked to come last (those in contact). They form one dense front, S = L_l L_lᵀ
 * with S the Schur complement of all others, so that systems in them alone are cheap:
 *     y = tn_sparse_forward(b)      the others eliminated; y's last part is the right side of S
 *     tn_sparse_solve_last(y_l)     y_l ← S⁻¹ y_l, as often as forces on these nodes change
 *     x = tn_sparse_backward(y)     the others from the last
 * Vectors y are in the order of elimination, b and x in that of the nodes.
 *
 * Threads: a front depends on its children in the tree of fronts only, and adds their
 * contributions in a fixed order. The plan cuts the tree into tasks (sparse_tasks.c), each with
 * update matrices in memory of its own; the thread that ends the last task
 * below another goes on with that one.
 * Large fronts come afterwards, cut into pieces. Every number gets the same operations in the same
 * order for every number of threads. */
#ifndef TN_MATH_SPARSE_CHOLESKY_H
#define TN_MATH_SPARSE_CHOLESKY_H

#include <stddef.h>

#include "../../base/arena.h"
#include "../../base/base.h"
#include "../../base/pool.h"

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
    size_t factor_work;      /* numbers of scratch for it, 64-byte aligned */
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

/* ---- last nodes that change ----
 * A pattern is what does not: the graph and orders for it. It is immutable, and threads may
 * share it. A plan for a set of last nodes is a function of the pattern and the set alone. */
typedef struct TnSparsePattern TnSparsePattern;
TnSparsePattern *tn_sparse_pattern_create(int node_count, int edge_count, const int (*edges)[2],
                                          TnError *err);
void tn_sparse_pattern_free(TnSparsePattern *pattern);
/* A plan without last nodes, with its root near these; that of another set with the same root is
 * the same. And the plan for a set, made from one with its root (NULL: it makes one), which it
 * needs as long as it lives; the last nodes differ from each other. Both in an arena, which keeps
 * them and their scratch (tn_sparse_free is not for these). NULL: no memory. */
int tn_sparse_root(const TnSparsePattern *pattern, int last_count, const int *last, TnArena *arena);
TnSparse *tn_sparse_base(const TnSparsePattern *pattern, int root, TnArena *arena);
TnSparse *tn_sparse_plan_last(const TnSparsePattern *pattern, const TnSparse *base, int last_count,
                              const int *last, TnArena *arena);
/* As tn_sparse_factor, but the last nodes are not eliminated: S, the Schur complement on them,
 * is written to `S`, symmetric, 3·last_count square, column-major with `stride` numbers per
 * column (a multiple of 8, 64-byte aligned). The pool's threads share the work; NULL: one
 * thread. The same bits for any number. Where y is given (solve_work numbers), b is eliminated
 * along: y becomes what tn_sparse_forward makes of b. */
bool tn_sparse_reduce(const TnSparse *plan, const double (*blocks)[9], const double *b,
                      double *factor, double *work, double *S, size_t stride, double *y,
                      TnPool *pool);
/* With such a factor tn_sparse_forward and tn_sparse_backward work at once: what is solved for
 * the last nodes goes into the last part of y between them. tn_sparse_solve and solve_last
 * need a factor of S (or of S and what was added to it), as tn_dense_factor makes it,
 * put in its place first: */
void tn_sparse_put_last(const TnSparse *plan, const double *L, size_t stride, double *factor);
/* Dense symmetric positive definite matrices laid out as S, with columns of at least n numbers
 * rounded up to eight. Lower triangle ← L, the diagonal as its reciprocals; what is above it is
 * of no use then. False: not positive definite. x ← (L Lᵀ)⁻¹ x for `count` vectors, `x_stride`
 * apart. */
bool tn_dense_factor(int n, double *S, size_t stride);
void tn_dense_solve(int n, const double *L, size_t stride, int count, double *x, size_t x_stride);
/* M ← (L Lᵀ)⁻¹, laid out as S, its lower triangle; L is of no use afterwards. y ← M x of a
 * symmetric matrix of which the lower triangle is given. */
void tn_dense_inverse(int n, double *L, size_t stride, double *M, size_t m_stride);
void tn_dense_multiply(int n, const double *M, size_t stride, const double *x, double *y);

/* blocks: those of the nodes' diagonal, then A_ij of each edge (i, j), row-major; of the former the
 * lower triangle is read. False: not positive definite, and the factor is of no use. */
bool tn_sparse_factor(const TnSparse *plan, const double (*blocks)[9], double *factor,
                      double *work);

/* x ← A⁻¹x for `count` vectors of 3·node_count numbers, one behind the other. work: count times
 * solve_work. */
void tn_sparse_solve(const TnSparse *plan, const double *factor, int count, double *x,
                     double *work);
/* The parts of it. y: count vectors of 3·node_count numbers; the last 3·last_count of each
 * belong to the last nodes. y_l: such parts alone, `stride` numbers apart. */
void tn_sparse_forward(const TnSparse *plan, const double *factor, int count, const double *b,
                       double *y, double *work);
void tn_sparse_solve_last(const TnSparse *plan, const double *factor, int count, double *y_l,
                          size_t stride, double *work);
void tn_sparse_backward(const TnSparse *plan, const double *factor, int count, double *y, double *x,
                        double *work, TnPool *pool);

#endif
