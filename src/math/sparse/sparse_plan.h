/* sparse_plan.h: what sparse_plan.c makes and sparse_cholesky.c and sparse_solve.c read.
 *
 * Places count nodes in the order of elimination. A front eliminates `width` nodes from place
 * `first` on and has `below` further ones, in rising order, at rows[…]; unknowns are three per
 * node. Fronts are numbered children before parents. U of a front (dense_kernels.h) is added to the
 * parent's panel and U, whose rows contain those of U, in the same order.
 *
 * Us lie on two stacks, by the parity of a front's depth: when a front is worked on, the stack
 * of its children holds nothing above them, and its own stack can take its U without moving
 * anything. Every task and what comes behind the tasks have two stacks of their own; one thread
 * alone uses one pair for all, which stays in a cache. Fronts with TN_SPARSE_LARGE operations and
 * more are in no task but cut into pieces themselves. */
#ifndef TN_MATH_SPARSE_PLAN_H
#define TN_MATH_SPARSE_PLAN_H

#include "../kernels/dense_kernels.h"
#include "sparse_pattern.h"

#define TN_SPARSE_LARGE 2e7

/* A block of A at (row, column) of a panel, in nodes. */
typedef struct TnSparseEntry {
    int block, row, column;
    bool transposed;
} TnSparseEntry;

typedef struct TnSparseFront {
    int first, width, below, ld;
    int at;                       /* the position of its first node in vectors */
    int parent, child, sibling;   /* -1: none; child: the first */
    const int *rows;              /* places */
    const TnSparseEntry *entries; /* blocks of A that belong to its panel, by columns */
    int entry_count;
    const TnDenseMap *map; /* where its U goes in the parent */
    const int *stair;      /* NULL: none */
    size_t panel, update;  /* places in factor and work */
    size_t update_alone;   /* in work, where one thread does everything */
    size_t vector;         /* ld numbers for its part of a right side */
    double flops, subtree_flops;
    int subtree; /* the first front below it; all up to itself are */
    int task;    /* TN_SPARSE_TASKS: none */
} TnSparseFront;

/* Fronts [begin, end), worked on by one thread when the tasks below them are done. */
typedef struct TnSparseTask {
    int begin, end;
    int parent, waits_for; /* -1: none; tasks whose parent it is */
} TnSparseTask;

enum { TN_SPARSE_TASKS = 96 };

struct TnSparse {
    int node_count, last_count, front_count, task_count, leaf_count;
    TnSparseTask tasks[TN_SPARSE_TASKS]; /* in rising order; fronts of none come afterwards */
    int leaves[TN_SPARSE_TASKS]; /* tasks that wait for none, the longest way to a root first */
    TnSparseSizes sizes;
    const TnDenseKernels *kernels;
    TnSparseFront *fronts;
    int *order;        /* the node at each position of vectors */
    int *place, *home; /* of each node: its place, and the front that eliminates it */
    int *position;     /* of each place; -1: eliminated (sparse_touch.c) */
    TnArena *own;      /* NULL: the memory is not its own */
};

/* Fronts that do not belong to the last nodes. */
static inline int tn_sparse_inner(const TnSparse *plan)
{
    return plan->front_count - (plan->last_count > 0 ? 1 : 0);
}

/* The first front at or behind f that is in no task. Fronts are worked on task by task, then these.
 */
static inline int tn_sparse_outside(const TnSparse *plan, int f)
{
    while (f < plan->front_count && plan->fronts[f].task < TN_SPARSE_TASKS)
        f = plan->tasks[plan->fronts[f].task].end;
    return f;
}

/* Where the vectors of all fronts begin behind a vector of all unknowns. */
static inline size_t tn_sparse_vectors(const TnSparse *plan)
{
    return (3 * (size_t)plan->node_count + 7) & ~(size_t)7;
}

/* ---- sparse_plan.c ---- */
/* The plan of an order whose fronts are in the tree; scratch from the same arena. NULL: no memory.
 */
TnSparse *tn_sparse_make(const TnSparsePattern *pattern, const TnSparseTree *tree, const int *order,
                         int last_count, TnArena *arena);
/* Sizes, tasks and places in memory, once all fronts are there. scratch: an int per front. */
void tn_sparse_lay_out(TnSparse *plan, int *scratch);

/* ---- sparse_front.c ---- */
typedef struct TnSparseMaker {
    const TnSparsePattern *pattern;
    TnSparse *plan;
    int *row_of, *begin; /* scratch, an int per place: row in the front, first column of a row */
    TnArena *arena;
} TnSparseMaker;
/* Blocks, stairs and operations of a front whose rows are known, and its children's maps. False: no
 * memory. */
bool tn_sparse_describe(const TnSparseMaker *maker, int front);

/* ---- sparse_touch.c ---- */
/* A plan without last nodes, changed so that these come last. NULL: no memory. */
TnSparse *tn_sparse_touch(const TnSparsePattern *pattern, const TnSparse *base, int last_count,
                          const int *last, TnArena *arena);

/* ---- sparse_tasks.c ---- */
/* The tasks of a plan with all its fronts. scratch: an int per front. */
void tn_sparse_cut(TnSparse *plan, int *scratch);
/* Which leaf is which of the chunks that the pool hands out, so that the longest are begun first.
 */
void tn_sparse_deal(const TnSparse *plan, int threads, int *leaf);

/* ---- sparse_solve.c ---- */
/* Part of tn_sparse_forward: one front, or the last one's right side. z: the fronts' vectors. */
void tn_sparse_forward_front(const TnSparse *plan, const double *factor, const TnSparseFront *front,
                             const double *b, double *y, double *z);
void tn_sparse_forward_last(const TnSparse *plan, const double *b, double *y, double *z);

#endif
