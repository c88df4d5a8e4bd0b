/* sparse_rows.h: a sparse matrix written row by row out of blocks. */
#ifndef TN_SOLVER_BLOCK_SPARSE_ROWS_H
#define TN_SOLVER_BLOCK_SPARSE_ROWS_H

#include "block.h"

/* row_start[row + 1] is where the next number goes. */
typedef struct TnSparseRows {
    int *row_start, *column;
    double *value;
} TnSparseRows;

/* A block of a row of nodes. */
typedef struct TnRowLink {
    int other;
    bool transposed;
    const double *block;
} TnRowLink;

static inline bool tn_sparse_rows_open(TnArena *arena, int dim, size_t numbers, TnSparseRows *out)
{
    *out = (TnSparseRows){TN_ARENA_ZERO(arena, int, dim + 1), TN_ARENA_NEW(arena, int, numbers),
                          TN_ARENA_NEW(arena, double, numbers)};
    return out->row_start && out->column && out->value;
}

static inline void tn_sparse_rows_put(TnSparseRows *s, int row, int column, double x)
{
    int at = s->row_start[row + 1]++;
    s->column[at] = column;
    s->value[at] = x;
}

static inline TnBlockMatrix tn_sparse_rows_matrix(const TnSparseRows *s)
{
    return (TnBlockMatrix){.sparse = {s->row_start, s->column, s->value}};
}

/* For qsort: from left to right. */
static inline int tn_row_link_order(const void *a, const void *b)
{
    return ((const TnRowLink *)a)->other - ((const TnRowLink *)b)->other;
}

#endif
