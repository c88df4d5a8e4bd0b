/* sparse_rows.h: a symmetric matrix that is given by blocks of nodes, as rows of numbers. */
#ifndef TN_SOLVER_BLOCK_SPARSE_ROWS_H
#define TN_SOLVER_BLOCK_SPARSE_ROWS_H

#include "block.h"

/* Of a node's own block (row == column) the lower triangle counts. */
typedef struct TnMatrixBlock {
    TnSpan row, column; /* unknowns */
    const double *block;
    bool transposed; /* `block` is that of (column, row) */
} TnMatrixBlock;

/* All `count` blocks of the matrix, of both triangles; sorts them. False: no memory. */
bool tn_sparse_rows(TnMatrixBlock *blocks, size_t count, int dim, TnArena *arena,
                    TnBlockMatrix *out);

#endif
