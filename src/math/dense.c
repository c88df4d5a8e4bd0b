/* dense.c: symmetric positive definite dense matrices by the kernels of the fronts. */
#include "sparse/sparse_cholesky.h"

#include "kernels/dense_kernels.h"

bool tn_dense_factor(int n, double *S, size_t stride)
{
    for (int j = 0; j < n; j++)
        for (int i = n; i & 7; i++) S[(size_t)j * stride + (size_t)i] = 0.0;
    return tn_dense_kernels()->factor(n, n, S, (int)stride, NULL);
}

void tn_dense_solve(int n, const double *L, size_t stride, int count, double *x, size_t x_stride)
{
    const TnDenseKernels *kernels = tn_dense_kernels();
    kernels->forward(n, n, L, (int)stride, NULL, count, x, (long)x_stride);
    kernels->backward(n, n, L, (int)stride, NULL, count, x, (long)x_stride);
}

void tn_dense_inverse(int n, double *L, size_t stride, double *M, size_t m_stride)
{
    tn_dense_kernels()->invert(n, L, (int)stride, M, (int)m_stride);
}

void tn_dense_multiply(int n, const double *M, size_t stride, const double *x, double *y)
{
    tn_dense_kernels()->multiply(n, M, (int)stride, x, y);
}
