/* dense.c: symmetric positive definite dense matrices by the kernels of the fronts. */
#include "sparse_cholesky.h"

#include "kernels/dense_kernels.h"

bool tn_dense_factor(int n, double *S, size_t stride)
{
    for (int j = 0; j < n; j++)
        for (size_t i = (size_t)n; i < stride; i++) S[(size_t)j * stride + i] = 0.0;
    return n == 0 || tn_dense_kernels()->factor(n, n, S, (int)stride);
}

void tn_dense_solve(int n, const double *L, size_t stride, int count, double *x, size_t x_stride)
{
    for (int r = 0; r < count; r++, x += x_stride) {
        for (int j = 0; j < n; j++) {
            const double *column = L + (size_t)j * stride;
            double y = x[j] *= column[j];
            for (int i = j + 1; i < n; i++) x[i] -= column[i] * y;
        }
        for (int j = n - 1; j >= 0; j--) {
            const double *column = L + (size_t)j * stride;
            double s = x[j];
            for (int i = j + 1; i < n; i++) s -= column[i] * x[i];
            x[j] = s * column[j];
        }
    }
}

void tn_dense_inverse(int n, double *L, size_t stride, double *M, size_t m_stride)
{
    for (int j = 0; j < n; j++) {
        double *column = M + (size_t)j * m_stride;
        for (int i = 0; i < n; i++) column[i] = i == j;
        tn_dense_solve(n, L, stride, 1, column, 0);
    }
}

void tn_dense_multiply(int n, const double *M, size_t stride, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0.0;
    for (int j = 0; j < n; j++) {
        const double *column = M + (size_t)j * stride;
        double s = column[j] * x[j];
        for (int i = j + 1; i < n; i++) {
            y[i] += column[i] * x[j];
            s += column[i] * x[i];
        }
        y[j] += s;
    }
}
