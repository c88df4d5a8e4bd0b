/* Small dense factors and the 3×3 eigenproblem, checked by multiplying back. */
#include "../check.h"

#include <float.h>
#include <stdint.h>

#include "math/cholesky.h"
#include "math/vec3.h"

typedef struct Random {
    uint64_t state;
} Random;

static double uniform(Random *r) /* in (-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(r->state >> 11) / (double)(1ull << 52) - 1.0;
}

enum { MOST = 40 };

/* XᵀX + shift I. */
static void random_spd(Random *r, double *A, int n, double shift)
{
    static double X[MOST * MOST];
    for (int i = 0; i < n * n; i++) X[i] = uniform(r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = i == j ? shift : 0.0;
            for (int k = 0; k < n; k++) A[i * n + j] += X[k * n + i] * X[k * n + j];
        }
}

TEST(the_factor_multiplies_back_to_the_matrix)
{
    static double A[MOST * MOST], L[MOST * MOST];
    for (int n = 1; n <= MOST; n++) {
        Random r = {(uint64_t)n};
        random_spd(&r, A, n, 0.1);
        memcpy(L, A, sizeof(double) * (size_t)(n * n));
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) L[i * n + j] = NAN; /* the upper triangle is not read */
        REQUIRE(tn_cholesky(L, n));
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double s = 0.0;
                for (int k = 0; k <= j; k++) s += L[i * n + k] * L[j * n + k];
                /* rounding of n products, each bounded by the diagonal (backward stability) */
                CHECK_NEAR(s, A[i * n + j],
                           (n + 2) * DBL_EPSILON * sqrt(A[i * (n + 1)] * A[j * (n + 1)]));
            }
    }
}

TEST(solve_is_forward_then_backward_and_inverts_the_matrix)
{
    static double A[MOST * MOST], L[MOST * MOST], inverse[MOST * MOST];
    for (int n = 1; n <= MOST; n += 3) {
        Random r = {(uint64_t)n + 100};
        random_spd(&r, A, n, 1.0);
        memcpy(L, A, sizeof(double) * (size_t)(n * n));
        REQUIRE(tn_cholesky(L, n));
        double x[MOST], b[MOST] = {0}, y[MOST];
        for (int i = 0; i < n; i++) x[i] = uniform(&r);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) b[i] += A[i * n + j] * x[j];
        memcpy(y, b, sizeof b);
        tn_cholesky_solve(L, n, b);
        tn_cholesky_forward(L, n, y);
        tn_cholesky_backward(L, n, y);
        tn_cholesky_inverse(L, n, inverse);
        for (int i = 0; i < n; i++) {
            /* condition number below 4n (eigenvalues between 1 and about 1 + 4n/3), times rounding
             */
            CHECK_NEAR(b[i], x[i], 4.0 * n * n * DBL_EPSILON * 4.0);
            CHECK(y[i] == b[i]);
            for (int j = 0; j < n; j++) {
                CHECK(inverse[i * n + j] == inverse[j * n + i]);
                double s = 0.0;
                for (int k = 0; k < n; k++) s += A[i * n + k] * inverse[k * n + j];
                CHECK_NEAR(s, i == j ? 1.0 : 0.0, 4.0 * n * n * DBL_EPSILON * 4.0);
            }
        }
    }
}

TEST(a_nearly_singular_matrix_is_solved_with_a_small_residual)
{
    /* Gram matrix of two almost parallel vectors: condition 4e12. Backward stable: the residual
     * stays small although x is uncertain. */
    double A[4] = {1.0, 1.0 - 5e-13, 1.0 - 5e-13, 1.0}, L[4], x[2] = {1.0, -0.5};
    memcpy(L, A, sizeof A);
    REQUIRE(tn_cholesky(L, 2));
    tn_cholesky_solve(L, 2, x);
    double size = fabs(x[0]) + fabs(x[1]);
    CHECK_NEAR(A[0] * x[0] + A[1] * x[1], 1.0, 8.0 * DBL_EPSILON * size);
    CHECK_NEAR(A[2] * x[0] + A[3] * x[1], -0.5, 8.0 * DBL_EPSILON * size);
}

TEST(scales_far_apart_do_not_hurt)
{
    /* diagonal scaling does not change Cholesky's accuracy: 1e-12 kg·m² beside 1e6 kg */
    double d[3] = {1e-12, 1.0, 1e6}, A[9], L[9];
    double C[9] = {1.0, 0.5, 0.2, 0.5, 1.0, -0.3, 0.2, -0.3, 1.0};
    for (int i = 0; i < 9; i++) A[i] = L[i] = C[i] * sqrt(d[i / 3] * d[i % 3]);
    REQUIRE(tn_cholesky(L, 3));
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = A[3 * i] / sqrt(d[0]) + A[3 * i + 1] / sqrt(d[1]) + A[3 * i + 2] / sqrt(d[2]);
    tn_cholesky_solve(L, 3, x);
    for (int i = 0; i < 3; i++) CHECK_NEAR(x[i] * sqrt(d[i]), 1.0, 1e-14);
}

TEST(matrices_that_are_not_positive_definite_are_refused)
{
    double zero[1] = {0.0}, negative[1] = {-1.0}, indefinite[4] = {1.0, 2.0, 2.0, 1.0};
    double singular[4] = {1.0, 1.0, 1.0, 1.0};
    CHECK(!tn_cholesky(zero, 1));
    CHECK(!tn_cholesky(negative, 1));
    CHECK(!tn_cholesky(indefinite, 2));
    CHECK(!tn_cholesky(singular, 2));
    for (int place = 0; place < 9; place++) {
        if (place % 3 > place / 3) continue; /* the upper triangle is not read */
        double A[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
        A[place] = NAN;
        CHECK(!tn_cholesky(A, 3));
        double B[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
        B[place] = -INFINITY;
        CHECK(!tn_cholesky(B, 3));
    }
}

TEST(an_infinite_diagonal_is_refused)
{
    for (int i = 0; i < 3; i++) {
        double A[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
        A[4 * i] = INFINITY;
        CHECK(!tn_cholesky(A, 3));
    }
}

/* A V = V diag(w), VᵀV = I, det V = 1. */
static void check_eigen(const double A[9])
{
    double w[3], V[9], size = 0.0;
    tn_eigen3(A, w, V);
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(A[i]));
    double columns[3][3], image[3], cross[3];
    for (int j = 0; j < 3; j++) m3_column(columns[j], V, j);
    for (int j = 0; j < 3; j++) {
        m3_mul_v(image, A, columns[j]);
        /* Jacobi rotations are backward stable: some tens of roundings of the largest entry */
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(image[i], w[j] * columns[j][i], 50 * DBL_EPSILON * size);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(v3_dot(columns[i], columns[j]), i == j ? 1.0 : 0.0, 50 * DBL_EPSILON);
    }
    v3_cross(cross, columns[0], columns[1]);
    CHECK_NEAR(v3_dot(cross, columns[2]), 1.0, 50 * DBL_EPSILON);
}

TEST(eigenvectors_diagonalize_and_are_right_handed)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Random r = {seed};
        double A[9], scale = pow(10.0, 6.0 * uniform(&r));
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) A[3 * i + j] = A[3 * j + i] = scale * uniform(&r);
        check_eigen(A);
    }
}

TEST(eigenvalues_known_beforehand_come_out)
{
    /* R diag(d) Rᵀ, with equal and almost equal and very different moments */
    const double moments[6][3] = {{1, 2, 3},         {2, 2, 2},    {2, 2, 5},
                                  {1, 1 + 1e-12, 3}, {1e-9, 1, 1}, {1e-6, 1e3, 1e3}};
    for (int m = 0; m < 6; m++) {
        Random r = {(uint64_t)m + 7};
        double q[4], R[9], A[9], w[3], V[9];
        for (int k = 0; k < 4; k++) q[k] = uniform(&r);
        quat_normalize(q);
        quat_to_m3(R, q);
        m3_rotate_diag(A, R, moments[m]);
        check_eigen(A);
        tn_eigen3(A, w, V);
        for (int pass = 0; pass < 2; pass++) /* ascending */
            for (int i = 0; i < 2; i++)
                if (w[i] > w[i + 1]) {
                    double x = w[i];
                    w[i] = w[i + 1];
                    w[i + 1] = x;
                }
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(w[i], moments[m][i], 50 * DBL_EPSILON * moments[m][2]);
    }
}

TEST(diagonal_and_zero_matrices_are_their_own_eigensystem)
{
    double D[9] = {3, 0, 0, 0, -1, 0, 0, 0, 2}, Z[9] = {0}, w[3], V[9];
    tn_eigen3(D, w, V);
    CHECK(w[0] == 3.0 && w[1] == -1.0 && w[2] == 2.0);
    check_eigen(D);
    tn_eigen3(Z, w, V);
    CHECK(w[0] == 0.0 && w[1] == 0.0 && w[2] == 0.0);
    CHECK(V[0] == 1.0 && V[4] == 1.0 && V[8] == 1.0);
    double pure[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0}; /* no diagonal at all: ±1, 0 */
    check_eigen(pure);
    tn_eigen3(pure, w, V);
    CHECK_NEAR(fabs(w[0]) + fabs(w[1]) + fabs(w[2]), 2.0, 50 * DBL_EPSILON);
}

TEST(eigen_of_nan_ends)
{
    double A[9] = {1, NAN, 0, NAN, 1, 0, 0, 0, 1}, w[3], V[9];
    tn_eigen3(A, w, V); /* must come back; callers check what they feed */
    CHECK(!(w[0] == w[0] && w[1] == w[1] && w[2] == w[2]) || w[2] == 1.0);
}
