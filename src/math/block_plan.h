/* block_plan.h: what a plan of block_sparse.h has besides what others see: the straight run of
 * block operations that its numeric phase (kernels/lanes/block_lanes.h) follows.
 *
 * Columns are in the order of elimination. A column's panel in `lower`, and the same in `upper`, is
 * its diagonal block and right behind it the blocks below, by place in the order: one row-major
 * matrix of dim + rows rows and dim columns. Behind the last panel lies scratch for one transposed
 * panel. */
#ifndef TN_MATH_BLOCK_PLAN_H
#define TN_MATH_BLOCK_PLAN_H

#include "block_sparse.h"

#define TN_BLOCK_STRIP 32 /* columns of a large node that are eliminated together */

typedef struct TnBlockColumn {
    size_t panel;
    int dim, start;   /* of the node: its size and first unknown */
    int rows;         /* below the diagonal block */
    int first, count; /* blocks below */
} TnBlockColumn;

/* Block (i, k) below the diagonal of column k. */
typedef struct TnBlockBelow {
    int dim, start; /* of node i */
    int row;        /* its first among the rows below k's diagonal block */
    int column;     /* the place of i */
    /* Eliminating k changes blocks (h, i) for each h that comes behind i in column k; the first of
     * h's rows below the diagonal block of column i is rows[map], rows[map + 1] and so on. */
    int map;
} TnBlockBelow;

typedef struct TnBlockProgram {
    TnBlockColumn *columns; /* as many as nodes */
    TnBlockBelow *below;
    int *rows; /* below[].row again, then those of maps that are no part of it */
    size_t scratch;
    const int (*edges)[2]; /* the graph's */
} TnBlockProgram;

/* An order in which to eliminate nodes with little fill: approximately least degree, counted in
 * unknowns, ties by number. Neighbours of i: neighbour[first[i] … first[i+1]). Nodes in `last`
 * (NULL: none) come behind all others, in the order of their numbers. False: no memory. */
bool tn_block_order(int node_count, const int *dims, const int *first, const int *neighbour,
                    const bool *last, int *order, TnArena *scratch);

#endif
