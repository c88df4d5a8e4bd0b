/* The dense kernels of every instruction set against the plain Cholesky factorization. */
#include "../check.h"

#include <stdint.h>

#include "base/base.h"
#include "math/cholesky.h"
#include "math/kernels/dense_kernels.h"

static double uniform(uint64_t *state) /* in (-1, 1) */
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(*state >> 11) / (double)(1ull << 52) - 1.0;
}

enum { MOST = 320 };

/* I·n + random symmetric in (-1, 1): eigenvalues within a factor of about three, so rounding of each
 * operation is all that tells two orders of summation apart: n·2⁻⁵³·n ≈ 1e-11 at most. */
static void random_matrix(double *A, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = uniform(&seed) + (i == j ? n : 0.0);
}

static void check_front(const TnDenseKernels *kernels, int n, int width, uint64_t seed)
{
    int ld = (n + 7) & ~7, base = width & ~7, ldu = ld - base;
    double *A = tn_calloc((size_t)(n * n), sizeof(double));
    double *P = tn_aligned_alloc(sizeof(double) * (size_t)(ld * ld));
    double *U = tn_aligned_alloc(sizeof(double) * (size_t)(ldu * ld + 8));
    double *z = tn_aligned_alloc(sizeof(double) * (size_t)(2 * ld));
    memset(P, 0, sizeof(double) * (size_t)(ld * ld));
    memset(z, 0, sizeof(double) * (size_t)(2 * ld));
    memset(U, 0, sizeof(double) * (size_t)(ldu * ld + 8));
    random_matrix(A, n, seed);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (j < width)
                P[j * ld + i] = A[i * n + j];
            else
                U[(j - width) * ldu + i - base] = A[i * n + j];
        }
    CHECK(kernels->factor(n, width, P, ld));
    kernels->update(n, width, P, ld, U);
    /* What is left is the Schur complement, whose factor is the rest of the whole one's. */
    double *L = tn_calloc((size_t)(n * n), sizeof(double));
    memcpy(L, A, sizeof(double) * (size_t)(n * n));
    CHECK(tn_cholesky(L, n));
    double worst = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double expected = L[i * n + j], got;
            if (j < width) {
                got = i == j ? 1.0 / P[j * ld + j] : P[j * ld + i];
            } else {
                got = U[(j - width) * ldu + i - base];
                expected = 0.0;
                for (int k = width; k <= j; k++) expected += L[i * n + k] * L[j * n + k];
            }
            worst = fmax(worst, fabs(got - expected));
        }
    CHECK_NEAR(worst, 0.0, 1e-11);
    double x[2][MOST];
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < n; i++) x[r][i] = z[r * ld + i] = uniform(&seed);
    kernels->forward(n, width, P, ld, 2, z, ld);
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < n; i++) {
            double s = x[r][i];
            for (int k = 0; k < i && k < width; k++) s -= L[i * n + k] * x[r][k];
            x[r][i] = i < width ? s / L[i * n + i] : s;
            CHECK_NEAR(z[r * ld + i], x[r][i], 1e-11);
        }
    }
    kernels->backward(n, width, P, ld, 2, z, ld);
    for (int r = 0; r < 2; r++)
        for (int i = width - 1; i >= 0; i--) {
            double s = x[r][i];
            for (int k = i + 1; k < n; k++) s -= L[k * n + i] * x[r][k];
            x[r][i] = s / L[i * n + i];
            CHECK_NEAR(z[r * ld + i], x[r][i], 1e-11);
        }
    tn_free(A), tn_free(P), tn_free(U), tn_free(z), tn_free(L);
}

static int tables(const TnDenseKernels *all[3])
{
    int count = 0;
    all[count++] = tn_dense_kernels_generic();
    if (tn_dense_kernels_avx2()) all[count++] = tn_dense_kernels_avx2();
    if (tn_dense_kernels_avx512()) all[count++] = tn_dense_kernels_avx512();
    return count;
}

TEST(every_instruction_set_eliminates_the_front_like_plain_cholesky)
{
    static const int sizes[][2] = {{3, 3},   {6, 3},    {8, 8},    {9, 6},     {30, 3},
                                   {24, 21}, {75, 75},  {150, 75}, {99, 66},   {129, 63},
                                   {200, 9}, {201, 72}, {300, 15}, {320, 195}, {312, 312}};
    const TnDenseKernels *all[3];
    int count = tables(all);
    for (int t = 0; t < count; t++)
        for (int s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); s++)
            check_front(all[t], sizes[s][0], sizes[s][1], (uint64_t)(s + 1));
}

TEST(a_front_with_a_negative_pivot_or_a_nan_is_refused)
{
    const TnDenseKernels *all[3];
    int count = tables(all);
    for (int t = 0; t < count; t++)
        for (int bad = 0; bad < 21; bad += 5) {
            _Alignas(64) double P[24 * 24] = {0};
            for (int i = 0; i < 21; i++) P[25 * i] = i == bad ? (bad & 1 ? -1.0 : NAN) : 1.0;
            CHECK(!all[t]->factor(21, 21, P, 24));
        }
}
