/* sparse_tree.h: from an order of elimination to fronts. */
#ifndef TN_MATH_SPARSE_TREE_H
#define TN_MATH_SPARSE_TREE_H

#include "graph_order.h"

typedef struct TnSparseTree {
    int front_count;
    int *front_first, *front_below; /* per front and one more: its first place, nodes below */
    double flops;                   /* rough, of the order without merging */
    int *parent, *count, *mark, *place, *head, *next,
        *width; /* scratch, one per node and one more */
} TnSparseTree;

/* The operations that an order costs, and parent and count of each place; last_count nodes at its end
 * count as all connected. Stops and returns INFINITY above the limit. */
double tn_sparse_count(TnSparseTree *tree, const TnGraph *graph, const int *order, int last_count,
                       double limit);
/* Fronts of the order, which is changed so that fronts are ranges of it and children come before
 * parents; `scratch` takes one int per node. Needs what tn_sparse_count left for this order. */
void tn_sparse_fronts(TnSparseTree *tree, const TnGraph *graph, int *order, int last_count,
                      int *scratch);

#endif
