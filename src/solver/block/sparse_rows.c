#include "sparse_rows.h"

#include <stdlib.h>

static int in_reading_order(const void *a, const void *b)
{
    const TnMatrixBlock *x = a, *y = b;
    return x->row.start != y->row.start ? x->row.start - y->row.start
                                        : x->column.start - y->column.start;
}

static double number(const TnMatrixBlock *b, int r, int c)
{
    bool flip = b->transposed || (b->row.start == b->column.start && c > r);
    return b->block[flip ? c * b->row.count + r : r * b->column.count + c];
}

bool tn_sparse_rows(TnMatrixBlock *blocks, size_t count, int dim, TnArena *arena,
                    TnBlockMatrix *out)
{
    size_t numbers = 0;
    for (size_t k = 0; k < count; k++)
        numbers += (size_t)blocks[k].row.count * (size_t)blocks[k].column.count;
    int *row_start = TN_ARENA_ZERO(arena, int, dim + 1);
    int *column = TN_ARENA_NEW(arena, int, numbers);
    double *value = TN_ARENA_NEW(arena, double, numbers);
    if (!row_start || !column || !value) return false;
    qsort(blocks, count, sizeof *blocks, in_reading_order);
    int at = 0;
    for (size_t first = 0, end; first < count; first = end) {
        const TnSpan *row = &blocks[first].row;
        for (end = first; end < count && blocks[end].row.start == row->start;) end++;
        for (int r = 0; r < row->count; r++) {
            for (size_t k = first; k < end; k++)
                for (int c = 0; c < blocks[k].column.count; c++) {
                    column[at] = blocks[k].column.start + c;
                    value[at++] = number(&blocks[k], r, c);
                }
            row_start[row->start + r + 1] = at;
        }
    }
    *out = (TnBlockMatrix){.sparse = {row_start, column, value}};
    return true;
}
