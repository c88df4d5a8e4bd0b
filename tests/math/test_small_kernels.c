/* The kernels of small matrices against plain loops, for every instruction set. */
#include "../check.h"

#include "../random.h"
#include "math/kernels/small_kernels.h"

enum { MOST = 96, MOST_LD = MOST + 8 };

typedef struct Data {
    _Alignas(64) double M[MOST * MOST_LD], copy[MOST * MOST_LD];
    _Alignas(64) double x[MOST_LD], q[MOST_LD], y[MOST_LD];
} Data;
static Data d;

/* n × (n + 1), rows of ld */
static int fill(Random *r, int n)
{
    int ld = (n + 8) & ~7;
    memset(&d, 0, sizeof d);
    for (int i = 0; i < n; i++) {
        d.x[i] = uniform(r);
        d.q[i] = uniform(r);
        for (int j = 0; j <= i; j++) d.M[i * ld + j] = d.M[j * ld + i] = uniform(r);
        d.M[i * ld + n] = uniform(r);
    }
    memcpy(d.copy, d.M, sizeof d.M);
    return ld;
}

static int sets(const TnSmallKernels *out[4])
{
    int count = 0;
    const TnSmallKernels *all[] = {tn_small_kernels_plain(), tn_small_kernels_portable(),
                                   tn_small_kernels_avx2(), tn_small_kernels_avx512()};
    for (int i = 0; i < 4; i++)
        if (all[i]) out[count++] = all[i];
    return count;
}

/* Sums of n numbers up to one: n roundings. */
TEST(products_are_those_of_plain_loops)
{
    const TnSmallKernels *set[4];
    Random r = {5};
    for (int s = 0, count = sets(set); s < count; s++)
        for (int n = 1; n <= MOST; n += 1 + n / 8) {
            int ld = fill(&r, n);
            for (int i = 0; i < n; i++) d.M[i * ld + n] = 0.0;
            set[s]->dots(n, ld, d.M, d.x, d.q, d.y);
            for (int i = 0; i < n; i++) {
                double sum = d.q[i];
                for (int j = 0; j < n; j++) sum += d.copy[i * ld + j] * d.x[j];
                CHECK_NEAR(d.y[i], sum, 1e-15 * n);
            }
            double before = d.q[n - 1], sum = before;
            for (int k = 0; k < n; k++) sum += d.x[k] * d.copy[k * ld + n - 1];
            set[s]->add(n, ld, d.M, d.x, d.q);
            CHECK_NEAR(d.q[n - 1], sum, 1e-15 * n);
        }
}

TEST(matrices_are_multiplied)
{
    static Data out;
    const TnSmallKernels *set[4];
    Random r = {8};
    for (int s = 0, count = sets(set); s < count; s++)
        for (int n = 1; n <= MOST; n += 1 + n / 8) {
            int ld = fill(&r, n), depth = 1 + n / 2;
            bool upper = n % 2;
            set[s]->multiply(n, depth, d.M, ld, d.M, ld, out.M, upper);
            for (int i = 0; i < n; i++)
                for (int j = upper ? i : 0; j < n; j++) {
                    double sum = 0.0;
                    for (int k = 0; k < depth; k++) sum += d.M[i * ld + k] * d.M[k * ld + j];
                    CHECK_NEAR(out.M[i * ld + j], sum, 1e-15 * n);
                }
        }
}

/* Random symmetric matrices are indefinite, so rows are exchanged. The residual of elimination with
 * exchanges is rounding; the solution is large where the matrix is nearly singular. */
TEST(systems_are_solved)
{
    const TnSmallKernels *set[4];
    Random r = {6};
    for (int s = 0, count = sets(set); s < count; s++)
        for (int n = 1; n <= MOST; n += 1 + n / 8) {
            int ld = fill(&r, n);
            double size = 1.0;
            CHECK(set[s]->solve(n, ld, d.M, d.y, false));
            for (int i = 0; i < n; i++) size = fmax(size, fabs(d.y[i]));
            for (int i = 0; i < n; i++) {
                double sum = -d.copy[i * ld + n];
                for (int j = 0; j < n; j++) sum += d.copy[i * ld + j] * d.y[j];
                CHECK_NEAR(sum / size, 0.0, 1e-14 * n);
            }
        }
}

/* Of a positive definite matrix half is enough: below its diagonal, and the blocks of eight there,
 * is nothing. */
TEST(half_of_a_symmetric_system_is_enough)
{
    const TnSmallKernels *set[4];
    Random r = {9};
    for (int s = 0, count = sets(set); s < count; s++)
        for (int n = 1; n <= MOST; n += 1 + n / 8) {
            int ld = fill(&r, n);
            for (int i = 0; i < n; i++) {
                d.M[i * ld + i] = d.copy[i * ld + i] += n;
                for (int j = 0; j < (i & ~7); j++) d.M[i * ld + j] = NAN;
            }
            CHECK(set[s]->solve(n, ld, d.M, d.y, true));
            for (int i = 0; i < n; i++) {
                double sum = -d.copy[i * ld + n];
                for (int j = 0; j < n; j++) sum += d.copy[i * ld + j] * d.y[j];
                CHECK_NEAR(sum, 0.0, 1e-14 * n);
            }
            fill(&r, n);
            d.M[(n / 2) * (ld + 1)] = -2.0 * n;
            CHECK(!set[s]->solve(n, ld, d.M, d.y, true));
        }
}

TEST(a_singular_system_is_refused)
{
    const TnSmallKernels *set[4];
    Random r = {7};
    for (int s = 0, count = sets(set); s < count; s++) {
        int n = 9, ld = fill(&r, n);
        for (int i = 0; i < n; i++) d.M[i * ld + 4] = 0.0;
        CHECK(!set[s]->solve(n, ld, d.M, d.y, false));
        fill(&r, n);
        d.M[3 * ld + 2] = NAN;
        CHECK(!set[s]->solve(n, ld, d.M, d.y, false));
    }
}
