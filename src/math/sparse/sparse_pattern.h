/* sparse_pattern.h: what a sparse plan needs of the graph, whatever nodes come last. */
#ifndef TN_MATH_SPARSE_PATTERN_H
#define TN_MATH_SPARSE_PATTERN_H

#include "graph_slabs.h"
#include "sparse_cholesky.h"
#include "sparse_tree.h"

/* An order of all nodes, subtrees being ranges. */
typedef struct TnSparseStart {
    int *order;
    double flops;
} TnSparseStart;

struct TnSparsePattern {
    TnArena arena;
    int edge_count;
    TnGraph graph;
    int *link;  /* per neighbour: twice the edge, plus one for the edge's second node */
    int *level; /* per node: its distance from one end */
    TnSparseStart layers, dissect;
    bool slender; /* slabs are worth it */
    TnSlabs slabs;
};

/* sparse_choose.c: the cheapest plan (or that of the order that is asked for) that ends with the
 * last nodes. base: as of tn_sparse_base for these; NULL: made in the same arena. NULL: no memory.
 */
TnSparse *tn_sparse_choose(const TnSparsePattern *pattern, TnSparseOrder which,
                           const TnSparse *base, int last_count, const int *last, TnArena *arena);

#endif
