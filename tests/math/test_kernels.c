/* Every instruction set's kernels against the scalar reference on random data. */
#include "../check.h"

#include "base/base.h"
#include "math/kernels/kernels.h"
#include "scalar/scalar.h"

enum { CONTACTS = 40, BLOCKS = 24, ROWS = BLOCKS + 4 };

static uint64_t seed;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(seed >> 11) / (double)(1ull << 52) - 1.0;
}

typedef struct Data {
    _Alignas(64) double twist[ROWS + 8][8];
    _Alignas(64) double lambda[CONTACTS + 1][3];
    _Alignas(64) double arm[2 * CONTACTS + 1][3];
    _Alignas(64) double normals[CONTACTS][4];
    _Alignas(64) TnContactBatch contacts[CONTACTS / 8];
    _Alignas(64) TnContactGive give[CONTACTS / 8];
    _Alignas(64) TnTwistBatch blocks[BLOCKS / 8];
    _Alignas(64) double extra[ROWS + 8][8];
    _Alignas(64) double forces[ROWS][8];
    _Alignas(64) double root[3 * CONTACTS], now[3 * CONTACTS], x[3 * CONTACTS];
    _Alignas(64) double mixed[CONTACTS + 1][3], z[CONTACTS + 1][3], told[CONTACTS + 1][3];
    double beta[CONTACTS][4];
    double stiffness[ROWS][TN_SYM6];
    double residual[CONTACTS / 8];
    int32_t start[ROWS + 1], mid[ROWS], contact[2 * CONTACTS];
} Data;

static void fill(Data *d)
{
    memset(d, 0, sizeof *d);
    seed = 7;
    for (int r = 1; r < ROWS; r++)
        for (int k = 0; k < 8; k++) {
            d->twist[r][k] = k % 4 == 3 ? 0.0 : uniform();
            d->extra[r][k] = k % 4 == 3 ? 0.0 : uniform();
        }
    for (int c = 0; c < CONTACTS; c++) {
        TnContactBatch *b = &d->contacts[c / 8];
        int l = c % 8;
        double n[3] = {uniform(), uniform(), uniform()};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) {
            b->arm_a[k][l] = uniform();
            b->arm_b[k][l] = uniform();
            b->normal[k][l] = d->normals[c][k] = n[k] / length;
            b->e[k][l] = uniform();
            b->t[k][l] = uniform();
            d->lambda[c][k] = uniform();
        }
        b->Bn[l] = 1.5 + uniform();
        b->Bt[l] = 1.5 + uniform();
        b->mu[l] = 0.5;
        b->row_a[l] = c % ROWS;
        b->row_b[l] = (c * 7 + 3) % ROWS;
        for (int k = 0; k < 4; k++) d->beta[c][k] = 1.5 + uniform();
        for (int k = 0; k < 3; k++) d->give[c / 8].e[k][l] = uniform();
        for (int k = 0; k < 2; k++) d->give[c / 8].share[k][l] = 0.5 + 0.5 * uniform();
    }
    for (int k = 0; k < 3 * CONTACTS; k++) d->x[k] = uniform(), d->root[k] = uniform();
    int count = 0;
    for (int r = 0; r < ROWS; r++) {
        d->start[r] = count;
        for (int pass = 0; pass < 2; pass++) {
            for (int c = 0; c < CONTACTS; c++) {
                const TnContactBatch *b = &d->contacts[c / 8];
                int l = c % 8, row = pass ? b->row_a[l] : b->row_b[l];
                if (row != r || r == 0) continue;
                for (int k = 0; k < 3; k++)
                    d->arm[count][k] = pass ? b->arm_a[k][l] : b->arm_b[k][l];
                d->contact[count++] = c;
            }
            if (!pass) d->mid[r] = count;
        }
    }
    d->start[ROWS] = count;
    for (int i = 0; i < BLOCKS; i++) {
        TnTwistBatch *b = &d->blocks[i / 8];
        int l = i % 8;
        b->a[l] = 2.0 + uniform();
        const double S[6] = {
            3.0 + uniform(), 0.3 * uniform(), 0.3 * uniform(), 3.0, 0.3 * uniform(), 3.0};
        for (int k = 0; k < 6; k++) {
            b->S[k][l] = S[k];
            b->b[k][l] = uniform();
            b->g[k][l] = uniform();
        }
    }
}

static void run(const TnKernels *kernels, Data *d)
{
    const TnSides sides = {d->start, d->mid, d->contact, (const double(*)[3])d->arm};
    kernels->row_stiffness(&sides, 0, ROWS, (const double(*)[4])d->normals,
                           (const double(*)[4])d->beta, d->stiffness);
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; k < TN_SYM6; k++) d->blocks[i / 8].Hinv[k][i % 8] = d->stiffness[i + 1][k];
    kernels->twist_factor(d->blocks, 0, BLOCKS / 8);
    for (int iteration = 0; iteration < 3; iteration++) {
        kernels->contact_update(d->contacts, iteration == 2 ? d->give : NULL, 0, CONTACTS / 8,
                                (const double(*)[8])d->twist, d->lambda, 1.7, d->residual);
        kernels->twist_update(d->blocks, 0, BLOCKS / 8, &sides, NULL, (const double(*)[3])d->lambda,
                              iteration == 1 ? (const double(*)[8])d->extra : NULL, d->twist, 1.7);
    }
    kernels->row_forces(&sides, 0, ROWS, (const double(*)[3])d->lambda, d->forces);
    kernels->contact_take(d->contacts, 0, CONTACTS / 8, d->root, d->now, d->x);
    kernels->contact_put(d->contacts, 0, CONTACTS / 8, d->x, d->mixed, d->z);
    kernels->contact_tell(d->contacts, 0, CONTACTS / 8, (const double(*)[3])d->mixed, d->told);
}

/* 1e-12: numbers of order one, a few hundred operations, sums in another order and fused
 * multiply-adds. */
static void compare(const TnKernels *kernels)
{
    Data *a = tn_aligned_alloc(sizeof *a), *b = tn_aligned_alloc(sizeof *b);
    REQUIRE(a && b);
    fill(a);
    fill(b);
    run(tn_kernels_scalar(), a);
    run(kernels, b);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 8; k++) {
            if (k % 4 == 3) continue; /* padding */
            CHECK_NEAR(b->twist[r][k], a->twist[r][k], 1e-12);
            CHECK_NEAR(b->forces[r][k], a->forces[r][k], 1e-12);
        }
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < TN_SYM6; k++) CHECK_NEAR(b->stiffness[r][k], a->stiffness[r][k], 1e-12);
    for (int c = 0; c < CONTACTS; c++)
        for (int k = 0; k < 3; k++) CHECK_NEAR(b->lambda[c][k], a->lambda[c][k], 1e-12);
    for (int k = 0; k < 3 * CONTACTS; k++) {
        CHECK_NEAR(b->now[k], a->now[k], 1e-12);
        CHECK_NEAR(b->x[k], a->x[k], 1e-12);
        CHECK_NEAR(b->mixed[k / 3][k % 3], a->mixed[k / 3][k % 3], 1e-12);
        CHECK_NEAR(b->z[k / 3][k % 3], a->z[k / 3][k % 3], 1e-12);
        CHECK_NEAR(b->told[k / 3][k % 3], b->z[k / 3][k % 3], 1e-12);
    }
    for (int i = 0; i < CONTACTS / 8; i++) CHECK_NEAR(b->residual[i], a->residual[i], 1e-10);
    for (int i = 0; i < BLOCKS / 8; i++)
        for (int k = 0; k < TN_SYM6; k++)
            for (int l = 0; l < 8; l++)
                CHECK_NEAR(b->blocks[i].Hinv[k][l], a->blocks[i].Hinv[k][l], 1e-12);
    tn_free(a);
    tn_free(b);
}

TEST(portable_kernels_match_the_scalar_ones)
{
    compare(tn_kernels_plain());
    compare(tn_kernels_portable());
}

/* As compiled for any processor and for this one. */
TEST(portable_kernels_have_one_result)
{
    Data *a = tn_aligned_alloc(sizeof *a), *b = tn_aligned_alloc(sizeof *b);
    REQUIRE(a && b);
    memset(a, 0, sizeof *a);
    memset(b, 0, sizeof *b);
    fill(a);
    fill(b);
    run(tn_kernels_plain(), a);
    run(tn_kernels_portable(), b);
    CHECK(memcmp(a, b, sizeof *a) == 0);
    tn_free(a);
    tn_free(b);
}

TEST(avx2_kernels_match_the_scalar_ones)
{
    if (!tn_kernels_avx2()) {
        test_skip("this processor has no AVX2");
        return;
    }
    compare(tn_kernels_avx2());
}

TEST(avx512_kernels_match_the_scalar_ones)
{
    if (!tn_kernels_avx512()) {
        test_skip("this processor has no AVX-512");
        return;
    }
    compare(tn_kernels_avx512());
}

/* Sums over columns have the bits of those over lists: threads take either. */
static void columns_agree(const TnKernels *kernels)
{
    enum { MOST = 2 * CONTACTS };
    static _Alignas(64) double arm[MOST][3][TN_LANES];
    static int32_t start[BLOCKS / 8 + 1], counts[BLOCKS / 8][2][TN_LANES], contact[MOST][TN_LANES];
    const TnSideColumns columns = {start, counts, contact, arm};
    Data *a = tn_aligned_alloc(sizeof *a), *b = tn_aligned_alloc(sizeof *b);
    REQUIRE(a && b);
    fill(a);
    fill(b);
    memset(arm, 0, sizeof arm);
    memset(contact, 0, sizeof contact);
    for (int i = 0; i < BLOCKS / 8; i++) {
        start[i + 1] = start[i];
        for (int l = 0; l < 8; l++) {
            int row = 1 + 8 * i + l, count = a->start[row + 1] - a->start[row];
            if (start[i] + count > start[i + 1]) start[i + 1] = start[i] + count;
            counts[i][0][l] = a->mid[row] - a->start[row];
            counts[i][1][l] = count;
            for (int j = 0; j < count; j++) {
                contact[start[i] + j][l] = a->contact[a->start[row] + j];
                for (int k = 0; k < 3; k++) arm[start[i] + j][k][l] = a->arm[a->start[row] + j][k];
            }
        }
    }
    const TnSides sides = {a->start, a->mid, a->contact, (const double(*)[3])a->arm};
    kernels->twist_update(a->blocks, 0, BLOCKS / 8, &sides, NULL, (const double(*)[3])a->lambda,
                          NULL, a->twist, 1.7);
    kernels->twist_update(b->blocks, 0, BLOCKS / 8, &sides, &columns, (const double(*)[3])b->lambda,
                          NULL, b->twist, 1.7);
    CHECK(memcmp(a->twist, b->twist, sizeof a->twist) == 0);
    CHECK(memcmp(a->blocks, b->blocks, sizeof a->blocks) == 0);
    tn_free(a);
    tn_free(b);
}

TEST(columns_of_sides_have_the_bits_of_lists)
{
    columns_agree(tn_kernels_plain());
    columns_agree(tn_kernels_portable());
    if (tn_kernels_avx2()) columns_agree(tn_kernels_avx2());
    if (tn_kernels_avx512()) columns_agree(tn_kernels_avx512());
}

/* Contacts that yield by nothing have the bits of rigid ones. */
TEST(no_compliance_is_rigid_to_the_bit)
{
    const TnKernels *all[] = {tn_kernels_plain(), tn_kernels_avx2(), tn_kernels_avx512()};
    Data *a = tn_aligned_alloc(sizeof *a), *b = tn_aligned_alloc(sizeof *b);
    REQUIRE(a && b);
    for (int i = 0; i < 3; i++) {
        if (!all[i]) continue;
        fill(a);
        fill(b);
        for (int n = 0; n < CONTACTS / 8; n++)
            for (int l = 0; l < 8; l++) {
                for (int k = 0; k < 3; k++) b->give[n].e[k][l] = 0.0;
                for (int k = 0; k < 2; k++) b->give[n].share[k][l] = 1.0;
            }
        all[i]->contact_update(a->contacts, NULL, 0, CONTACTS / 8, (const double(*)[8])a->twist,
                               a->lambda, 1.7, a->residual);
        all[i]->contact_update(b->contacts, b->give, 0, CONTACTS / 8, (const double(*)[8])b->twist,
                               b->lambda, 1.7, b->residual);
        CHECK(memcmp(a->lambda, b->lambda, sizeof a->lambda) == 0);
        CHECK(memcmp(a->contacts, b->contacts, sizeof a->contacts) == 0);
        CHECK(memcmp(a->residual, b->residual, sizeof a->residual) == 0);
    }
    tn_free(a);
    tn_free(b);
}

/* 1e-13: 64 products of order 1, added in another order and with or without fused operations. */
TEST(columns_match_the_scalar_ones)
{
    enum { N = 64, COLUMNS = 7 }; /* some at once and some alone */
    double columns[COLUMNS * N], x[N], y[N],
        factor[COLUMNS] = {0.5, -2.0, 3.0, 1.0, -0.25, 0.75, 2.0};
    for (int k = 0; k < COLUMNS * N; k++) columns[k] = uniform();
    for (int k = 0; k < N; k++) x[k] = uniform(), y[k] = uniform();
    const TnKernels *all[] = {tn_kernels_plain(), tn_kernels_avx2(), tn_kernels_avx512()};
    for (int i = 0; i < 3; i++) {
        if (!all[i]) continue;
        double sums[2], dots[2 * COLUMNS], expected[2] = {0}, to[N], last[N], step[N];
        memcpy(last, y, sizeof y);
        all[i]->columns_dot(N, COLUMNS, columns, N, x, y, dots);
        all[i]->column_step(N, x, last, step);
        all[i]->column_dots(N, columns, x, y, sums);
        all[i]->column_subtract(N, x, COLUMNS, columns, N, factor, to);
        for (int k = 0; k < N; k++) {
            expected[0] += columns[k] * x[k];
            expected[1] += columns[k] * y[k];
            double difference = x[k];
            for (int j = 0; j < COLUMNS; j++) difference -= factor[j] * columns[j * N + k];
            CHECK_NEAR(to[k], difference, 1e-13);
            CHECK(last[k] == x[k] && step[k] == x[k] - y[k]);
        }
        for (int j = 0; j < COLUMNS; j++) {
            double with_x = 0.0, with_y = 0.0;
            for (int k = 0; k < N; k++) {
                with_x += columns[j * N + k] * x[k];
                with_y += columns[j * N + k] * y[k];
            }
            CHECK_NEAR(dots[2 * j], with_x, 1e-13);
            CHECK_NEAR(dots[2 * j + 1], with_y, 1e-13);
        }
        CHECK_NEAR(sums[0], expected[0], 1e-13);
        CHECK_NEAR(sums[1], expected[1], 1e-13);
    }
}

TEST(portable_inverse_times_matrix_is_the_identity)
{
    Data *d = tn_aligned_alloc(sizeof *d);
    REQUIRE(d);
    fill(d);
    run(tn_kernels_portable(), d);
    const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int n = 0; n < BLOCKS; n++) {
        const TnTwistBatch *b = &d->blocks[n / 8];
        int l = n % 8;
        double H[6][6], X[6][6];
        for (int i = 0; i < 6; i++)
            for (int j = i; j < 6; j++) {
                H[i][j] = H[j][i] = d->stiffness[n + 1][tn_sym6(i, j)];
                X[i][j] = X[j][i] = b->Hinv[tn_sym6(i, j)][l];
            }
        for (int i = 0; i < 3; i++) {
            H[i][i] += b->a[l];
            for (int j = 0; j < 3; j++) H[3 + i][3 + j] += b->S[at[i][j]][l];
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                double s = 0.0;
                for (int k = 0; k < 6; k++) s += H[i][k] * X[k][j];
                CHECK_NEAR(s, i == j ? 1.0 : 0.0, 1e-12); /* condition number below 100 */
            }
    }
    tn_free(d);
}
