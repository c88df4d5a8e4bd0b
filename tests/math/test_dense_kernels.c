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

/* I·n + random symmetric in (-1, 1): eigenvalues within a factor of about three, so rounding of
 * each operation is all that tells two orders of summation apart: n·2⁻⁵³·n ≈ 1e-11 at most. */
static void random_matrix(double *A, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = uniform(&seed) + (i == j ? n : 0.0);
}

/* Rows of eight begin further and further to the right, at most at the last column that is
 * eliminated. */
static void make_stairs(int n, int width, int *stair)
{
    for (int g = 0; g < (n + 7) / 8; g++) {
        int first = 8 * g - 40 > 0 ? (8 * g - 40) / 2 & ~7 : 0;
        stair[g] = first < width ? first : (width - 1) & ~7;
    }
}

static void check_front(const TnDenseKernels *kernels, int n, int width, bool stairs, uint64_t seed)
{
    int *stair_of = tn_malloc(sizeof(int) * (size_t)((n + 7) / 8)), /* no more than may be read */
        *stair = stairs ? stair_of : NULL;
    make_stairs(n, width, stair_of);
    int ld = (n + 7) & ~7, base = width & ~7, ldu = ld - base;
    double *A = tn_calloc((size_t)(n * n), sizeof(double));
    double *P = tn_aligned_alloc(sizeof(double) * (size_t)(ld * ld));
    double *U = tn_aligned_alloc(sizeof(double) * (size_t)(ldu * ld + 8));
    double *z = tn_aligned_alloc(sizeof(double) * (size_t)(2 * ld));
    memset(P, 0, sizeof(double) * (size_t)(ld * ld));
    memset(z, 0, sizeof(double) * (size_t)(2 * ld));
    memset(U, 0, sizeof(double) * (size_t)(ldu * ld + 8));
    random_matrix(A, n, seed);
    for (int i = 0; stairs && i < n; i++)
        for (int j = 0; j < stair[i / 8]; j++) A[i * n + j] = A[j * n + i] = 0.0;
    for (int j = 0; j < n; j++) /* what no kernel may read */
        for (int i = tn_dense_end(stair, ld / 8, j); j < width && i < ld; i++) P[j * ld + i] = NAN;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (j < width && i >= tn_dense_end(stair, ld / 8, j))
                continue;
            else if (j < width)
                P[j * ld + i] = A[i * n + j];
            else
                U[(j - width) * ldu + i - base] = A[i * n + j];
        }
    CHECK(kernels->factor(n, width, P, ld, stair));
    kernels->update(n, width, P, ld, stair, U);
    /* What is left is the Schur complement, whose factor is the rest of the whole one's. */
    double *L = tn_calloc((size_t)(n * n), sizeof(double));
    memcpy(L, A, sizeof(double) * (size_t)(n * n));
    CHECK(tn_cholesky(L, n));
    double worst = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double expected = L[i * n + j], got;
            if (j < width && i >= tn_dense_end(stair, ld / 8, j)) {
                CHECK(isnan(P[j * ld + i])); /* nor written */
                got = 0.0;
            } else if (j < width) {
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
    kernels->forward(n, width, P, ld, stair, 2, z, ld);
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < n; i++) {
            double s = x[r][i];
            for (int k = 0; k < i && k < width; k++) s -= L[i * n + k] * x[r][k];
            x[r][i] = i < width ? s / L[i * n + i] : s;
            CHECK_NEAR(z[r * ld + i], x[r][i], 1e-11);
        }
    }
    kernels->backward(n, width, P, ld, stair, 2, z, ld);
    for (int r = 0; r < 2; r++)
        for (int i = width - 1; i >= 0; i--) {
            double s = x[r][i];
            for (int k = i + 1; k < n; k++) s -= L[k * n + i] * x[r][k];
            x[r][i] = s / L[i * n + i];
            CHECK_NEAR(z[r * ld + i], x[r][i], 1e-11);
        }
    tn_free(A), tn_free(P), tn_free(U), tn_free(z), tn_free(L), tn_free(stair_of);
}

static int tables(const TnDenseKernels *all[4])
{
    int count = 0;
    all[count++] = tn_dense_kernels_plain();
    all[count++] = tn_dense_kernels_portable();
    if (tn_dense_kernels_avx2()) all[count++] = tn_dense_kernels_avx2();
    if (tn_dense_kernels_avx512()) all[count++] = tn_dense_kernels_avx512();
    return count;
}

TEST(every_instruction_set_eliminates_the_front_like_plain_cholesky)
{
    static const int sizes[][2] = {{3, 3},   {6, 3},    {8, 8},    {9, 6},     {30, 3},
                                   {24, 21}, {75, 75},  {150, 75}, {99, 66},   {129, 63},
                                   {200, 9}, {201, 72}, {300, 15}, {320, 195}, {312, 312}};
    const TnDenseKernels *all[4];
    int count = tables(all);
    for (int t = 0; t < count; t++)
        for (int s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); s++)
            for (int stairs = 0; stairs < 2; stairs++)
                check_front(all[t], sizes[s][0], sizes[s][1], stairs, (uint64_t)(s + 1));
}

/* As above, the front cut into blocks of columns, and these into rows. */
TEST(a_front_in_parts_has_the_same_bits)
{
    enum { N = 301, WIDTH = 195, LD = 304, LDU = LD - WIDTH / 8 * 8 };
    const TnDenseKernels *all[4];
    int count = tables(all), stair_of[LD / 8];
    make_stairs(N, WIDTH, stair_of);
    for (int t = 0; t < 2 * count; t++) {
        const TnDenseKernels *kernels = all[t / 2];
        const int *stair = t & 1 ? stair_of : NULL;
        double *A = tn_malloc(sizeof(double) * N * N), *P[2], *U[2];
        random_matrix(A, N, 3);
        for (int k = 0; k < 2; k++) {
            P[k] = tn_aligned_alloc(sizeof(double) * LD * WIDTH);
            U[k] = tn_aligned_alloc(sizeof(double) * LDU * (N - WIDTH));
            memset(P[k], 0, sizeof(double) * LD * WIDTH);
            memset(U[k], 0, sizeof(double) * LDU * (N - WIDTH));
            for (int j = 0; j < WIDTH; j++)
                for (int i = j; i < N; i++)
                    P[k][j * LD + i] = stair && j < stair[i / 8] ? 0.0 : A[i * N + j];
        }
        CHECK(kernels->factor(N, WIDTH, P[0], LD, stair));
        kernels->update(N, WIDTH, P[0], LD, stair, U[0]);
        for (int begin = 0; begin < WIDTH; begin += TN_DENSE_BLOCK) {
            int end = begin + TN_DENSE_BLOCK < WIDTH ? begin + TN_DENSE_BLOCK : WIDTH;
            CHECK(kernels->factor_diagonal(begin, end, P[1], LD, stair));
            for (int row = (end + 7) & ~7, step = 8; row < LD; row += step, step += 16)
                kernels->factor_rows(begin, end, row, row + step < LD ? row + step : LD, P[1], LD,
                                     stair);
        }
        for (int c = WIDTH, step = 8; c < N; c += step, step += 8)
            kernels->update_columns(N, WIDTH, P[1], LD, stair, U[1], c,
                                    c + step < N ? c + step : N);
        for (int j = 0; j < WIDTH; j++)
            CHECK(memcmp(P[0] + j * LD + j, P[1] + j * LD + j, sizeof(double) * (size_t)(N - j)) ==
                  0);
        for (int j = WIDTH; j < N; j++) {
            long at = (long)(j - WIDTH) * LDU + j - WIDTH / 8 * 8;
            CHECK(memcmp(U[0] + at, U[1] + at, sizeof(double) * (size_t)(N - j)) == 0);
        }
        tn_free(A);
        for (int k = 0; k < 2; k++) tn_free(P[k]), tn_free(U[k]);
    }
}

TEST(inverse_and_product_undo_the_matrix_and_no_number_beyond_a_vector_is_touched)
{
    static const int sizes[] = {1, 3, 7, 8, 9, 24, 33, 60, 100, 150, 203};
    const TnDenseKernels *all[4];
    int count = tables(all);
    for (int t = 0; t < count; t++)
        for (int s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); s++) {
            int n = sizes[s], ld = ((n + 7) & ~7) + 8 * (s & 1);
            size_t bytes = sizeof(double) * (size_t)ld * (size_t)n;
            double *A = tn_malloc(sizeof(double) * (size_t)(n * n));
            double *P = tn_aligned_alloc(bytes), *M = tn_aligned_alloc(bytes);
            random_matrix(A, n, (uint64_t)s + 1);
            for (int i = 0; i < ld * n; i++) P[i] = M[i] = NAN;
            for (int j = 0; j < n; j++)
                for (int i = j; i < ((n + 7) & ~7); i++) P[j * ld + i] = i < n ? A[i * n + j] : 0.0;
            double x[MOST], b[MOST], y[MOST];
            uint64_t seed = 9;
            for (int i = 0; i < MOST; i++) x[i] = uniform(&seed), y[i] = 7.0;
            for (int i = 0; i < n; i++) {
                b[i + 1] = 0.0;
                for (int j = 0; j < n; j++) b[i + 1] += A[i * n + j] * x[j];
            }
            b[0] = b[n + 1] = 7.0;
            CHECK(all[t]->factor(n, n, P, ld, NULL));
            double z[MOST];
            memcpy(z, b, sizeof z);
            all[t]->forward(n, n, P, ld, NULL, 1, z + 1, 0);
            all[t]->backward(n, n, P, ld, NULL, 1, z + 1, 0);
            all[t]->invert(n, P, ld, M, ld);
            all[t]->multiply(n, M, ld, b + 1, y + 1);
            /* x is near one, and eigenvalues are within a factor of three: roundings only */
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(y[i + 1], x[i], 1e-13);
                CHECK_NEAR(z[i + 1], x[i], 1e-13);
            }
            CHECK(z[0] == 7.0 && z[n + 1] == 7.0 && y[0] == 7.0 && y[n + 1] == 7.0);
            tn_free(A), tn_free(P), tn_free(M);
        }
}

/* Every pattern of eight rows. */
TEST(columns_are_put_together_where_their_maps_say)
{
    enum { EIGHTS = 256, ROWS = 8 * EIGHTS, COLUMNS = 56, LDF = ROWS / 2 + 8 };
    const TnDenseKernels *all[4];
    int count = tables(all), used = 0;
    static TnDenseMap map[EIGHTS];
    static int stair_of[EIGHTS];
    static double from[COLUMNS * LDF + 8];
    double *taken = tn_aligned_alloc(sizeof(double) * ROWS * COLUMNS),
           *added = tn_aligned_alloc(sizeof(double) * ROWS * COLUMNS),
           *vector = tn_aligned_alloc(sizeof(double) * ROWS);
    for (int g = 0; g < EIGHTS; g++) {
        unsigned mask = (unsigned)(g * 37 + 5) & 255; /* each once */
        map[g] = (TnDenseMap){used, mask};
        used += __builtin_popcount(mask);
        stair_of[g] = g < 100 ? 0 : 8 * (g / 50);
    }
    for (int i = 0; i < COLUMNS * LDF + 8; i++) from[i] = i % LDF < used ? i + 1.0 : NAN;
    for (int t = 0; t < 4 * count; t++) {
        const TnDenseKernels *kernels = all[t / 4];
        const int *stair = t & 1 ? stair_of : NULL;
        int begin = t & 2 ? 11 : 0, bad = 0;
        for (int i = 0; i < ROWS * COLUMNS; i++) taken[i] = added[i] = -1.0;
        kernels->take(begin, COLUMNS, EIGHTS, stair, map, from, LDF, taken, ROWS);
        kernels->add(begin, COLUMNS, EIGHTS, map, from, LDF, added, ROWS);
        for (int k = 0, column = 0; k < COLUMNS; k++) {
            bool has = map[k / 8].mask >> k % 8 & 1;
            for (int i = 0, row = 0; i < ROWS; i++) {
                bool there = map[i / 8].mask >> i % 8 & 1,
                     counts = has && there && i >= k && k >= begin;
                double number = from[column * LDF + row];
                bool written = k >= begin && i >= (k & ~7) && i < tn_dense_end(stair, EIGHTS, k);
                bad += tn_dense_place(map, i) != (there ? row : -1);
                bad += taken[k * ROWS + i] != (!written ? -1.0 : counts ? number : 0.0);
                bad += added[k * ROWS + i] != (counts ? number - 1.0 : -1.0);
                row += there;
            }
            column += has;
        }
        CHECK(bad == 0);
        kernels->take(begin, COLUMNS, EIGHTS, NULL, NULL, NULL, 0, taken, ROWS);
        for (int k = begin; k < COLUMNS; k++)
            for (int i = k & ~7; i < ROWS; i++) bad += taken[k * ROWS + i] != 0.0;
        for (int i = 0; i < ROWS; i++) vector[i] = 2.0;
        kernels->add_vector(EIGHTS, map, from, vector);
        for (int i = 0; i < ROWS; i++) {
            int place = tn_dense_place(map, i);
            bad += vector[i] != (place < 0 ? 2.0 : 2.0 + from[place]);
        }
        CHECK(bad == 0);
    }
    tn_free(taken), tn_free(added), tn_free(vector);
}

TEST(a_front_with_a_negative_pivot_or_a_nan_is_refused)
{
    const TnDenseKernels *all[4];
    int count = tables(all);
    for (int t = 0; t < count; t++)
        for (int bad = 0; bad < 21; bad += 5) {
            _Alignas(64) double P[24 * 24] = {0};
            for (int i = 0; i < 21; i++) P[25 * i] = i == bad ? (bad & 1 ? -1.0 : NAN) : 1.0;
            CHECK(!all[t]->factor(21, 21, P, 24, NULL));
        }
}
