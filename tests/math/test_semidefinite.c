/* Banded Cholesky, and Cholesky with pivots of matrices that are only semidefinite. */
#include "../check.h"

#include "math/banded.h"
#include "math/cholesky.h"
#include "math/semidefinite.h"

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 23) - 1.0;
}

TEST(a_banded_matrix_solves_like_the_dense_one)
{
    enum { N = 30 };
    unsigned seed = 1;
    for (int width = 0; width < N; width += 7) {
        double A[N * N] = {0}, band[N * N] = {0}, x[N], y[N];
        for (int i = 0; i < N; i++) {
            x[i] = y[i] = random_number(&seed);
            for (int j = i > width ? i - width : 0; j <= i; j++)
                A[i * N + j] = band[i * (width + 1) + width - i + j] =
                    i == j ? width + 2.0 : random_number(&seed);
        }
        REQUIRE(tn_cholesky(A, N) && tn_banded_factor(band, N, width));
        tn_cholesky_solve(A, N, x);
        tn_banded_solve(band, N, width, y);
        for (int i = 0; i < N; i++) CHECK_NEAR(x[i], y[i], 1e-13); /* condition number < 100 */
    }
    double negative[2] = {1.0, -1.0}, wide[4] = {0.0, 1.0, 2.0, 1.0};
    CHECK(!tn_banded_factor(negative, 2, 0));
    CHECK(!tn_banded_factor(wide, 2, 1));
}

/* B Bᵀ with B n × rank. */
static void make(double *A, double *B, int n, int rank, unsigned seed)
{
    for (int i = 0; i < n * rank; i++) B[i] = random_number(&seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0.0;
            for (int k = 0; k < rank; k++) A[i * n + j] += B[i * rank + k] * B[j * rank + k];
        }
}

TEST(pivots_end_where_the_rank_does_and_L_gives_the_matrix_back)
{
    enum { MOST = 100 }; /* several panels */
    static double A[MOST * MOST], B[MOST * MOST], L[MOST * MOST], work[MOST * 40];
    const int cases[][2] = {{1, 1}, {5, 0}, {5, 3}, {40, 32}, {64, 33}, {100, 100}, {100, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int n = cases[c][0], rank = cases[c][1], order[MOST];
        double negative;
        REQUIRE(tn_semidefinite_work(n) <= sizeof work / sizeof *work);
        make(A, B, n, rank, (unsigned)c);
        memcpy(L, A, sizeof(double) * (size_t)(n * n));
        CHECK(tn_semidefinite_factor(L, n, 1e-12, order, &negative, work) == rank);
        CHECK(negative < 1e-11);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0.0;
                for (int k = 0; k < rank && k <= j; k++) sum += L[i * n + k] * L[j * n + k];
                /* rounding of sums of about 30, and the cut */
                CHECK_NEAR(sum, A[order[i] * n + order[j]], 1e-11);
            }
    }
}

TEST(what_is_not_semidefinite_is_told)
{
    double diagonal[4] = {1.0, 0.0, 0.0, -0.5}, beside[4] = {1e-20, 3.0, 3.0, 1e-20},
           hidden[9] = {1.0, 0.0, 0.0, 0.0, 1e-8, 1.0, 0.0, 1.0, 1e-8}, work[200], negative;
    int order[3];
    CHECK(tn_semidefinite_factor(diagonal, 2, 1e-15, order, &negative, work) == 1);
    CHECK_NEAR(negative, 0.5, 0.0);
    CHECK(tn_semidefinite_factor(beside, 2, 1e-30, order, &negative, work) == 0);
    CHECK_NEAR(negative, 3.0, 1e-15);
    CHECK(tn_semidefinite_factor(hidden, 3, 1e-15, order, &negative, work) == 1);
    CHECK_NEAR(negative, 1.0, 1e-7);
}
