/* chain.h: symmetric positive definite systems whose blocks form a forest: nodes of any size, an
 * edge where two of them meet in the matrix, no cycles. A cable is a chain of nodes with six
 * unknowns each; robots that hold it are larger nodes at its ends or along it.
 *
 *     D   the nodes' diagonal blocks one after the other, dim × dim, row-major, full
 *     E   the edges' blocks one after the other: (b, a), dim_b × dim_a, row-major, for a < b
 *
 * Everything is linear in the number of nodes. Runs of nodes of six are what is fast. */
#ifndef TN_MATH_CHAIN_H
#define TN_MATH_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/arena.h"

typedef struct TnChainNode {
    int dim;
    int start; /* of its unknowns; set by tn_chain_plan, as D */
    size_t D;  /* place of its block in D */
} TnChainNode;

typedef struct TnChainEdge {
    int a, b; /* nodes, a < b */
    size_t E; /* place of its block in E; set by tn_chain_plan */
} TnChainEdge;

typedef struct TnChain {
    int node_count, edge_count, dim;
    size_t D_size, E_size; /* numbers */
    TnChainNode *nodes;
    TnChainEdge *edges; /* in the order given */
    int *node_of;       /* unknown -> node */
    /* the order of elimination; private to chain.c */
    struct TnChainPlan *plan;
    void *memory;
} TnChain;

/* Lays out nodes (dims given) and edges (a, b given) and plans the elimination. One allocation.
 * False: no memory. The edges must form a forest. */
bool tn_chain_plan(TnChain *chain, int node_count, const int *dims, int edge_count,
                   const int (*edges)[2]);
/* The same in an arena, which keeps it: not to be freed. */
bool tn_chain_plan_in(TnChain *chain, TnArena *arena, int node_count, const int *dims,
                      int edge_count, const int (*edges)[2]);
void tn_chain_free(TnChain *chain);
int tn_chain_edge(const TnChain *chain, int a, int b); /* the edge between two nodes; -1: none */

/* In place; what D and E hold then is for the functions below that say "factor". False where A is
 * not positive definite. */
bool tn_chain_factor(const TnChain *chain, double *D, double *E);
/* x ← A⁻¹ x with the factor. */
void tn_chain_solve(const TnChain *chain, const double *D, const double *E, double *x);
/* The nodes' diagonal blocks of A⁻¹ from the factor, laid out like D; symmetric. */
void tn_chain_inverse_blocks(const TnChain *chain, const double *D, const double *E,
                             double *blocks);
/* y = A x with the matrix itself. */
void tn_chain_multiply(const TnChain *chain, const double *D, const double *E, const double *x,
                       double *y);

#endif
