/* chain_plan.h: the order in which a chain is eliminated; what chain_plan.c makes and chain.c
 * reads.
 *
 * Every tree of the forest has a root near its middle, and every other node k a parent, the
 * neighbour towards the root. Nodes are eliminated towards the root. Steps from a node of six to a
 * parent of six that has no other child come in runs of equal strides, two of them side by side
 * where there are two: one run is a chain of dependent products, whose latency two can share. */
#ifndef TN_MATH_CHAIN_PLAN_H
#define TN_MATH_CHAIN_PLAN_H

#include "chain.h"

/* Steps one after the other: the parent of one node is the next node. */
typedef struct TnChainRun {
    ptrdiff_t x, D, E;    /* places of the first node's unknowns, its block, and that of its edge */
    ptrdiff_t dx, dD, dE; /* what takes them to the next */
    bool transposed;      /* E holds the block (node, parent), not (parent, node) */
} TnChainRun;

/* `count` steps of one or two runs, all of the same dimensions; with other than six and six it is
 * one step of one run. */
typedef struct TnChainOp {
    int count, run_count;
    int dim, parent_dim;
    TnChainRun runs[2];
} TnChainOp;

struct TnChainPlan {
    const struct TnChainKernels *kernels; /* of nodes of six */
    int op_count, root_count;
    TnChainOp *ops; /* children before parents */
    int *roots;
    int *parent, *parent_edge;     /* per node; -1: a root */
    int *first, *neighbour, *edge; /* of node k, and the edges to them: [first[k], first[k+1]) */
};

#endif
