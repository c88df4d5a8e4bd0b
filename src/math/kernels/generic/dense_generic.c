/* dense_generic.c: the dense kernels in plain C, column by column: the reference. */
#include "../dense_kernels.h"

#include <math.h>

static bool factor(int rows, int width, double *P, int ld)
{
    for (int j = 0; j < width; j++) {
        double *column = P + (long)j * ld;
        for (int k = 0; k < j; k++) {
            const double *before = P + (long)k * ld;
            double b = before[j];
            for (int i = j; i < rows; i++) column[i] -= before[i] * b;
        }
        if (!(column[j] > 0.0 && column[j] < INFINITY)) return false; /* NaN too */
        double inverse = 1.0 / sqrt(column[j]);
        column[j] = inverse;
        for (int i = j + 1; i < rows; i++) column[i] *= inverse;
    }
    return true;
}

static void update(int rows, int width, const double *P, int ld, double *U)
{
    int base = width & ~7;
    for (int j = width; j < rows; j++) {
        double *column = U + (long)(j - width) * (ld - base) - base;
        for (int k = 0; k < width; k++) {
            const double *before = P + (long)k * ld;
            double b = before[j];
            for (int i = j; i < rows; i++) column[i] -= before[i] * b;
        }
    }
}

static void forward(int rows, int width, const double *P, int ld, int count, double *z)
{
    for (int r = 0; r < count; r++, z += ld)
        for (int j = 0; j < width; j++) {
            const double *column = P + (long)j * ld;
            double y = z[j] *= column[j];
            for (int i = j + 1; i < rows; i++) z[i] -= column[i] * y;
        }
}

static void backward(int rows, int width, const double *P, int ld, int count, double *z)
{
    for (int r = 0; r < count; r++, z += ld)
        for (int j = width - 1; j >= 0; j--) {
            const double *column = P + (long)j * ld;
            double s = z[j];
            for (int i = j + 1; i < rows; i++) s -= column[i] * z[i];
            z[j] = s * column[j];
        }
}

const TnDenseKernels *tn_dense_kernels_generic(void)
{
    static const TnDenseKernels kernels = {"generic", factor, update, forward, backward};
    return &kernels;
}
