/* sparse_plan.h: what sparse_plan.c makes and sparse_cholesky.c and sparse_solve.c read.
 *
 * Places count nodes in the order of elimination. A front eliminates the nodes at places [first,
 * first + width) and has `below` further ones, in rising order, at rows[…]; unknowns are three
 * per node. Fronts are numbered children before parents. U of a front (dense_kernels.h) is added
 * to the parent's panel and U in runs of nodes that are neighbours in both.
 *
 * Us lie on two stacks, by the parity of a front's depth: when a front is worked on, the stack
 * of its children holds nothing above them, and its own stack can take its U without moving
 * anything. Every task and what comes behind the tasks have two stacks of their own. Fronts with
 * TN_SPARSE_LARGE operations and more are in no task but cut into pieces themselves. */
#ifndef TN_MATH_SPARSE_PLAN_H
#define TN_MATH_SPARSE_PLAN_H

#include "sparse_cholesky.h"

#define TN_SPARSE_LARGE 2e7

typedef struct TnSparseFront {
    int first, width, below, ld;
    int parent, child, sibling; /* -1: none; child: the first */
    int rows;                   /* where its rows begin */
    int entry_begin, entry_end; /* blocks of A that belong to its panel */
    int run_begin, run_end;
    size_t panel, update; /* places in factor and work */
    double flops, subtree_flops;
    int subtree; /* the first front below it; all up to itself are */
    int task;    /* TN_SPARSE_TASKS: none */
} TnSparseFront;

/* A block of A at (row, column) of a panel, in nodes. */
typedef struct TnSparseEntry {
    int block, row, column;
    bool transposed;
} TnSparseEntry;

/* Fronts [begin, end): whole subtrees, worked on by one thread. */
typedef struct TnSparseTask {
    int begin, end;
} TnSparseTask;

enum { TN_SPARSE_TASKS = 64 };

/* `count` nodes, from node `from` of the rows below to node `to` of the parent's front. */
typedef struct TnSparseRun {
    int from, to, count;
} TnSparseRun;

struct TnSparse {
    int node_count, last_count, front_count, task_count;
    TnSparseTask tasks[TN_SPARSE_TASKS]; /* in rising order; fronts of none come afterwards */
    TnSparseSizes sizes;
    const struct TnDenseKernels *kernels;
    TnSparseFront *fronts;
    int *order, *place; /* node at a place, place of a node */
    int *front_of;      /* per place */
    int *rows;
    TnSparseEntry *entries;
    TnSparseRun *runs;
};

/* The first front at or behind f that is in no task. Fronts are worked on task by task, then these.
 */
static inline int tn_sparse_outside(const TnSparse *plan, int f)
{
    while (f < plan->front_count && plan->fronts[f].task < TN_SPARSE_TASKS)
        f = plan->tasks[plan->fronts[f].task].end;
    return f;
}

/* `count` vectors from the order of nodes to that of elimination. */
void tn_sparse_to_places(const TnSparse *plan, int count, const double *b, double *y);
/* One front of tn_sparse_forward. z: scratch, count times the front's ld. */
void tn_sparse_forward_front(const TnSparse *plan, const double *factor, const TnSparseFront *front,
                             int count, double *y, double *z);

#endif
