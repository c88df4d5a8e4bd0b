/* sparse_pattern.h: what a sparse plan needs of the graph, whatever nodes come last. */
#ifndef TN_MATH_SPARSE_PATTERN_H
#define TN_MATH_SPARSE_PATTERN_H

#include "sparse_cholesky.h"
#include "sparse_tree.h"

/* An order of all nodes, subtrees being ranges, and per place the next place and the number of
 * entries of its column in L. */
typedef struct TnSparseBase {
    int *order, *parent, *count;
    double flops;
} TnSparseBase;

struct TnSparsePattern {
    TnArena arena;
    int edge_count;
    TnGraph graph;
    int *link;  /* per neighbour: twice the edge, plus one for the edge's second node */
    int *level; /* per node: its distance from one end */
    TnSparseBase layers, dissect;
};

/* Into `order`, with fronts in the tree: the cheapest order (or the one that is asked for) that
 * ends with the last nodes. False: no memory. */
bool tn_sparse_choose(const TnSparsePattern *pattern, TnSparseOrder which, int last_count,
                      const int *last, int *order, TnSparseTree *tree, bool *layers,
                      TnArena *arena);

#endif
