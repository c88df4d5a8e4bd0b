/* sparse_tree.h: from an order of elimination to fronts. */
#ifndef TN_MATH_SPARSE_TREE_H
#define TN_MATH_SPARSE_TREE_H

#include "../../base/arena.h"
#include "graph_order.h"

/* Operations, some 10 µs: less is not worth a thread. */
#define TN_SPARSE_GRAIN 5e5

typedef struct TnSparseTree {
    int front_count;
    int *front_first, *front_below;  /* per front and one more: its first place, nodes below */
    int *front_parent;               /* -1: none */
    int *parent, *count;             /* per place: next place of its column in L, entries in it */
    int *place;                      /* of each node */
    int *mark, *head, *next, *width; /* scratch; all have one number per node and one more */
} TnSparseTree;

/* Memory for graphs of n nodes. False: none. */
bool tn_sparse_tree_init(TnSparseTree *tree, int n, TnArena *arena);
/* Operations that an order costs (27 Σ c² with c the entries of a column, without merging); the
 * last_count nodes at its end count as all connected. The order is changed to an equivalent one
 * in which every subtree is a range. */
double tn_sparse_count(TnSparseTree *tree, const TnGraph *graph, int *order, int last_count);
/* Fronts of the order, which is changed so that fronts are ranges of it and children come before
 * parents. Needs what tn_sparse_count left for this order. */
void tn_sparse_fronts(TnSparseTree *tree, int n, int *order, int last_count);

#endif
