/* problem_file_matrix.c: sparse matrices of problem files: from entries in any order to rows, two
 * counting sorts (by column, then by row) that keep the order within equal keys. */
#include "problem_file.h"

#include <math.h>
#include <string.h>

/* from → to by row, or by column; counts has one number more than there are keys, all zero. */
static void sort_entries(const TnFileEntry *from, TnFileEntry *to, int64_t count, bool by_row,
                         int64_t *counts, int keys)
{
    for (int64_t i = 0; i < count; i++) counts[(by_row ? from[i].row : from[i].column) + 1]++;
    for (int k = 0; k < keys; k++) counts[k + 1] += counts[k];
    for (int64_t i = 0; i < count; i++)
        to[counts[by_row ? from[i].row : from[i].column]++] = from[i];
}

/* Adds up what is at the same place, leaves zeros out. Sorted; returns the new count. */
static int64_t merge(TnFileEntry *entries, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count;) {
        TnFileEntry sum = entries[i++];
        for (; i < count && entries[i].row == sum.row && entries[i].column == sum.column; i++)
            sum.value += entries[i].value;
        if (sum.value != 0.0) entries[kept++] = sum;
    }
    return kept;
}

bool tn_file_matrix_build(TnArena *memory, int rows, int columns, const TnFileEntry *entries,
                          int64_t count, TnFileMatrix *out)
{
    size_t bytes = sizeof(TnFileEntry) * (size_t)(count ? count : 1);
    TnFileEntry *one = tn_malloc(bytes), *two = tn_malloc(bytes);
    int64_t *counts = tn_calloc((size_t)(rows > columns ? rows : columns) + 1, sizeof *counts);
    bool good = one && two && counts;
    if (good) {
        sort_entries(entries, one, count, false, counts, columns);
        memset(counts, 0, sizeof *counts * ((size_t)rows + 1));
        sort_entries(one, two, count, true, counts, rows);
        count = merge(two, count);
        *out = (TnFileMatrix){rows, columns, TN_ARENA_ZERO(memory, int, rows + 1),
                              TN_ARENA_NEW(memory, int, count + 1),
                              TN_ARENA_NEW(memory, double, count + 1)};
        good = out->start && out->column && out->value;
    }
    if (good) {
        for (int64_t i = 0; i < count; i++) {
            out->start[two[i].row + 1]++;
            out->column[i] = two[i].column;
            out->value[i] = two[i].value;
        }
        for (int i = 0; i < rows; i++) out->start[i + 1] += out->start[i];
    }
    tn_free(one);
    tn_free(two);
    tn_free(counts);
    return good;
}

bool tn_file_matrix_transpose(TnArena *memory, const TnFileMatrix *matrix, TnFileMatrix *out)
{
    int count = matrix->start[matrix->rows];
    TnFileEntry *entries = tn_malloc(sizeof *entries * ((size_t)count + 1));
    if (!entries) return false;
    for (int i = 0; i < matrix->rows; i++)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            entries[k] = (TnFileEntry){matrix->column[k], i, matrix->value[k]};
    bool good = tn_file_matrix_build(memory, matrix->columns, matrix->rows, entries, count, out);
    tn_free(entries);
    return good;
}

void tn_file_matrix_multiply(const TnFileMatrix *matrix, double scale, const double *x, double *y)
{
    for (int i = 0; i < matrix->rows; i++) {
        double sum = 0.0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            sum += matrix->value[k] * x[matrix->column[k]];
        y[i] += scale * sum;
    }
}

double tn_file_matrix_asymmetry(const TnFileMatrix *matrix, const TnFileMatrix *transposed)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < matrix->rows; i++) {
        int a = matrix->start[i], a_end = matrix->start[i + 1];
        int b = transposed->start[i], b_end = transposed->start[i + 1];
        while (a < a_end || b < b_end) {
            int column = a == a_end                                  ? transposed->column[b]
                         : b == b_end                                ? matrix->column[a]
                         : matrix->column[a] < transposed->column[b] ? matrix->column[a]
                                                                     : transposed->column[b];
            double here = a < a_end && matrix->column[a] == column ? matrix->value[a++] : 0.0;
            double there =
                b < b_end && transposed->column[b] == column ? transposed->value[b++] : 0.0;
            largest = fmax(largest, fabs(here));
            difference = fmax(difference, fabs(here - there));
        }
    }
    return largest > 0.0 ? difference / largest : 0.0;
}
