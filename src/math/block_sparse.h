/* block_sparse.h: square matrices made of blocks on a graph: nodes of any size, a block on the
 * diagonal for each and two, (a, b) and (b, a), for each edge. The pattern is symmetric, the values
 * need not be.
 *
 * A plan has the order of elimination, the fill and the list of block operations of a
 * factorization; it is a pure function of the graph, never changes and may be shared by threads.
 * Values lie in one array: the part `lower`, plan->size numbers, and for matrices that are not
 * symmetric a second part of the same layout behind it, `upper`, which holds every block
 * transposed. So
 *
 *     diagonal block of node i       lower[diagonal[i]], dims[i] × dims[i], row-major; no upper
 *     edge e = (a, b)                lower[edge[e]]: block (r, c), dims[r] × dims[c], row-major,
 *                                    with (r, c) = (a, b) where flip[e] else (b, a);
 *                                    upper[edge[e]]: block (c, r) transposed: the same shape
 *
 * and a symmetric matrix has the same numbers in both parts. Fill lies between them and is zero
 * before a factorization. */
#ifndef TN_MATH_BLOCK_SPARSE_H
#define TN_MATH_BLOCK_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"

typedef struct TnBlockGraph {
    int node_count;
    const int *dims;
    int edge_count;
    const int (*edges)[2]; /* a < b, rising, each once */
} TnBlockGraph;

typedef struct TnBlockPlan {
    int node_count, edge_count, dim; /* dim: unknowns in all */
    size_t size;                     /* numbers in one part */
    const int *dims;
    const int *start;       /* per node: its first unknown */
    const size_t *diagonal; /* per node */
    const size_t *edge;     /* per edge of the graph */
    const bool *flip;       /* per edge of the graph */
    double flops;           /* multiplications of a symmetric factorization; half a general one's */
    uint64_t hash;          /* of the graph */
    struct TnBlockProgram *program; /* private to block_sparse*.c */
} TnBlockPlan;

uint64_t tn_block_graph_hash(const TnBlockGraph *graph);
/* The graph is the plan's. */
bool tn_block_plan_fits(const TnBlockPlan *plan, const TnBlockGraph *graph);
/* A plan is made in two steps, so that its size is known before memory for it is taken: order and
 * fill into scratch, then the plan itself, which has copies of all it needs, into memory of the
 * caller's, aligned as malloc does. */
typedef struct TnBlockAnalysis TnBlockAnalysis;
/* NULL: no memory. */
TnBlockAnalysis *tn_block_analyse(const TnBlockGraph *graph, TnArena *scratch);
size_t tn_block_plan_bytes(const TnBlockAnalysis *analysis);
TnBlockPlan *tn_block_plan_write(const TnBlockAnalysis *analysis, void *memory);
/* In place. Symmetric: Cholesky, of which only `lower` is read and written, of diagonal blocks the
 * lower triangle is read; false: not positive definite. General: LU, pivots within diagonal blocks
 * only; `upper` is values + plan->size; false: a diagonal block became singular or not finite. */
bool tn_block_factor_symmetric(const TnBlockPlan *plan, double *values);
bool tn_block_factor_general(const TnBlockPlan *plan, double *values);
/* x ← M⁻¹ x with such a factor. */
void tn_block_solve_symmetric(const TnBlockPlan *plan, const double *values, double *x);
void tn_block_solve_general(const TnBlockPlan *plan, const double *values, double *x);
/* y = M x, M symmetric and not factored, diagonal blocks full; of `lower`. */

#endif
