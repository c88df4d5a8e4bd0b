/* siconos_shift.c: how much a W misses being positive semidefinite.
 *
 * Files with seven digits have redundant contacts whose W has eigenvalues a little below zero, and
 * no solver here takes such a matrix. The shift s is the smallest of some powers with W + sI
 * positive definite, found by Cholesky: none where 1e-10 of the largest diagonal is enough, since
 * that is below every error asked for. Beyond 1e-3 it is no rounding, and W stays as it is. */
#include "problem_file.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, int count)
{
    double sum[4] = {0};
    int k = 0;
    for (; k + 4 <= count; k += 4)
        for (int lane = 0; lane < 4; lane++) sum[lane] += a[k + lane] * b[k + lane];
    for (; k < count; k++) sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The lower triangle of W + shift · I into L; false: it is not positive definite. */
static bool factor(const double *W, int dim, double shift, double *L)
{
    for (int i = 0; i < dim; i++) {
        double *row = L + (size_t)i * (size_t)dim;
        memcpy(row, W + (size_t)i * (size_t)dim, sizeof(double) * (size_t)(i + 1));
        for (int j = 0; j < i; j++) {
            const double *above = L + (size_t)j * (size_t)dim;
            row[j] = (row[j] - dot(row, above, j)) / above[j];
        }
        double pivot = row[i] + shift - dot(row, row, i);
        if (!(pivot > 0.0)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

bool tn_siconos_shift(TnProblemFile *file)
{
    int widest = 0;
    double largest = 0.0, factor_of = 1e-10;
    for (int g = 0; g < file->block_count; g++) {
        const TnBlockDef *block = &file->blocks[g];
        widest = block->dim > widest ? block->dim : widest;
        for (int i = 0; i < block->dim; i++)
            largest = fmax(largest, block->A_inverse[(size_t)i * (size_t)(block->dim + 1)]);
    }
    double *L = tn_malloc(sizeof(double) * ((size_t)widest * (size_t)widest + 1));
    if (!L) return false;
    for (int g = 0; g < file->block_count && factor_of < 1e-3; g++)
        while (factor_of < 1e-3 &&
               !factor(file->blocks[g].A_inverse, file->blocks[g].dim, factor_of * largest, L))
            factor_of *= 4.0;
    file->shift = factor_of > 1e-10 && factor_of < 1e-3 ? 2.0 * factor_of * largest : 0.0;
    tn_free(L);
    return true;
}
