/* Block-tridiagonal systems against dense Cholesky. */
#include "../check.h"

#include <float.h>
#include <stdint.h>

#include "math/cholesky.h"
#include "math/tridiagonal.h"

typedef struct Random {
    uint64_t state;
} Random;

static double uniform(Random *r) /* in (-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(r->state >> 11) / (double)(1ull << 52) - 1.0;
}

enum { MOST = 17, N = 6 * MOST };

typedef struct Chain {
    int m;
    double D[36 * MOST], E[36 * MOST], dense[N * N];
} Chain;

/* I + Σ Xᵀ k X with X of six rows over two neighbours (over one, for m = 1), and the same as a full
 * matrix. Eigenvalues lie between 1 and about 50 k. */
static void stiff_chain(Chain *chain, int m, uint64_t seed, double stiffness)
{
    Random r = {seed * 7919 + 5};
    int n = 6 * m;
    *chain = (Chain){.m = m};
    for (int i = 0; i < n; i++) chain->dense[i * n + i] = 1.0;
    for (int link = 0; link < m; link++) {
        int width = link + 1 < m ? 12 : 6;
        for (int row = 0; row < 6; row++) {
            double X[12];
            for (int i = 0; i < width; i++) X[i] = uniform(&r);
            for (int i = 0; i < width; i++)
                for (int j = 0; j < width; j++)
                    chain->dense[(6 * link + i) * n + 6 * link + j] += stiffness * X[i] * X[j];
        }
    }
    for (int k = 0; k < m; k++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                chain->D[36 * k + 6 * i + j] = chain->dense[(6 * k + i) * n + 6 * k + j];
                if (k + 1 < m)
                    chain->E[36 * k + 6 * i + j] = chain->dense[(6 * k + 6 + i) * n + 6 * k + j];
            }
}

static void random_chain(Chain *chain, int m, uint64_t seed) { stiff_chain(chain, m, seed, 1.0); }

TEST(solve_agrees_with_dense_cholesky)
{
    static Chain chain;
    for (int m = 1; m <= MOST; m++) {
        Random r = {(uint64_t)m};
        double x[N], y[N];
        int n = 6 * m;
        random_chain(&chain, m, (uint64_t)m);
        for (int i = 0; i < n; i++) x[i] = y[i] = uniform(&r);
        for (int k = 0; k < m; k++) /* the upper triangles are not read */
            for (int i = 0; i < 6; i++)
                for (int j = i + 1; j < 6; j++) chain.D[36 * k + 6 * i + j] = NAN;
        REQUIRE(tn_cholesky(chain.dense, n));
        REQUIRE(tn_tridiagonal_factor(m, chain.D, chain.E));
        tn_cholesky_solve(chain.dense, n, x);
        tn_tridiagonal_solve(m, chain.D, chain.E, y);
        /* numbers of order 1, condition numbers up to 50, sums of some tens of terms */
        for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-13);
    }
}

TEST(multiply_agrees_with_the_full_matrix_and_solve_undoes_it)
{
    static Chain chain;
    for (int m = 1; m <= MOST; m++) {
        Random r = {(uint64_t)m + 50};
        double x[N], y[N];
        int n = 6 * m;
        random_chain(&chain, m, (uint64_t)m + 50);
        for (int i = 0; i < n; i++) x[i] = uniform(&r);
        tn_tridiagonal_multiply(m, chain.D, chain.E, x, y);
        for (int i = 0; i < n; i++) {
            double s = 0.0;
            for (int j = 0; j < n; j++) s += chain.dense[i * n + j] * x[j];
            CHECK_NEAR(y[i], s, 100 * DBL_EPSILON); /* 18 products of order 1 to 10 */
        }
        REQUIRE(tn_tridiagonal_factor(m, chain.D, chain.E));
        tn_tridiagonal_solve(m, chain.D, chain.E, y);
        for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-13); /* as above */
    }
}

TEST(blocks_of_the_inverse_are_those_of_the_dense_inverse)
{
    static Chain chain;
    static double inverse[N * N], blocks[36 * MOST];
    for (int m = 1; m <= MOST; m++) {
        int n = 6 * m;
        random_chain(&chain, m, (uint64_t)m + 100);
        REQUIRE(tn_cholesky(chain.dense, n));
        tn_cholesky_inverse(chain.dense, n, inverse);
        REQUIRE(tn_tridiagonal_factor(m, chain.D, chain.E));
        tn_tridiagonal_inverse_blocks(m, chain.D, chain.E, blocks);
        for (int k = 0; k < m; k++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) {
                    CHECK_NEAR(blocks[36 * k + 6 * i + j], inverse[(6 * k + i) * n + 6 * k + j],
                               1e-14); /* numbers below 1, conditions up to 50 */
                    CHECK(blocks[36 * k + 6 * i + j] == blocks[36 * k + 6 * j + i]);
                }
    }
}

TEST(a_matrix_that_is_not_positive_definite_is_found_in_every_node)
{
    static Chain chain;
    for (int m = 1; m <= MOST; m++)
        for (int k = 0; k < m; k++) {
            random_chain(&chain, m, 7);
            chain.D[36 * k + 7 * (k % 6)] -= 60.0;
            CHECK(!tn_tridiagonal_factor(m, chain.D, chain.E));
            random_chain(&chain, m, 7);
            chain.D[36 * k + 7 * (k % 6)] = NAN;
            CHECK(!tn_tridiagonal_factor(m, chain.D, chain.E));
        }
    /* Positive blocks on the diagonal do not make a positive matrix: [1 2; 2 1] six times over. */
    random_chain(&chain, 2, 1);
    memset(chain.D, 0, sizeof chain.D);
    memset(chain.E, 0, sizeof chain.E);
    for (int i = 0; i < 6; i++) {
        chain.D[7 * i] = chain.D[36 + 7 * i] = 1.0;
        chain.E[7 * i] = 2.0;
    }
    CHECK(!tn_tridiagonal_factor(2, chain.D, chain.E));
}

/* A stiff chain, as a cable is: springs of 1e8 between neighbours, one end held. The answer to a unit
 * force at the free end is x_k = (k + 1)/1e8. */
TEST(a_stiff_chain_keeps_its_digits)
{
    static double D[36 * 100], E[36 * 100], x[600];
    int m = 100;
    double k = 1e8;
    for (int i = 0; i < m; i++)
        for (int a = 0; a < 6; a++) {
            D[36 * i + 7 * a] = (i + 1 < m ? 2.0 : 1.0) * k;
            if (i + 1 < m) E[36 * i + 7 * a] = -k;
        }
    for (int a = 0; a < 6; a++) x[6 * (m - 1) + a] = 1.0;
    REQUIRE(tn_tridiagonal_factor(m, D, E));
    tn_tridiagonal_solve(m, D, E, x);
    for (int i = 0; i < m; i++) /* condition number m² */
        for (int a = 0; a < 6; a++)
            CHECK_NEAR(k * x[6 * i + a], i + 1.0, 100.0 * m * m * DBL_EPSILON);
}

TEST(stiff_joints_between_light_nodes_leave_no_more_residual_than_cholesky)
{
    static Chain chain;
    for (int m = 1; m <= MOST; m++) {
        Random r = {(uint64_t)m + 150};
        double b[N], x[N], largest = 0.0;
        int n = 6 * m;
        stiff_chain(&chain, m, (uint64_t)m + 150, 1e6);
        for (int i = 0; i < n; i++) x[i] = b[i] = uniform(&r);
        REQUIRE(tn_tridiagonal_factor(m, chain.D, chain.E));
        tn_tridiagonal_solve(m, chain.D, chain.E, x);
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
        /* Cholesky's is about an epsilon of |A| |x| with |A| about 1e7; an elimination by inverses
         * of the pivots would leave a hundred times as much. */
        for (int i = 0; i < n; i++) {
            long double s = b[i];
            for (int j = 0; j < n; j++) s -= (long double)chain.dense[i * n + j] * x[j];
            CHECK_NEAR((double)s, 0.0, 10.0 * DBL_EPSILON * 1e7 * largest);
        }
    }
}
