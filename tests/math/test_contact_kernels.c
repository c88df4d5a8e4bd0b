/* Every instruction set's contact kernels against the scalar reference on random data in which
 * contacts are open, held and slipping, some without friction and some dead in a direction. */
#include "../check.h"

#include "base/base.h"
#include "math/kernels/contact_kernels.h"
#include "math/vec3.h"
#include "scalar/scalar.h"

enum { CONTACTS = 128, BATCHES = CONTACTS / TN_LANES, ROWS = 20, BEGIN = 3, END = 16 };

static uint64_t seed;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(seed >> 11) / (double)(1ull << 52) - 1.0;
}

typedef struct Lines {
    _Alignas(64) double a[CONTACTS][3], force[CONTACTS][3];
    _Alignas(64) double G[BATCHES][9][TN_LANES];
    _Alignas(64) double bound[BATCHES][TN_LANES], state[BATCHES][TN_LANES];
} Lines;

static TnContactLines pointers(Lines *l)
{
    return (TnContactLines){l->a, l->force, l->G, l->bound, l->state};
}

typedef struct Data {
    _Alignas(64) TnContactBatch batch[BATCHES];
    _Alignas(64) TnContactYield yield[BATCHES];
    _Alignas(64) double twist[ROWS][8], inverse[ROWS][8];
    _Alignas(64) double lambda[CONTACTS][3];
    _Alignas(64) double given[CONTACTS][3];
    /* results */
    _Alignas(64) TnContactYield found[BATCHES];
    _Alignas(64) double u[2][CONTACTS][3];
    _Alignas(64) double squared[BATCHES][TN_LANES];
    _Alignas(64) Lines line, sticking;
    _Alignas(64) double own[CONTACTS][3], bounded[CONTACTS][3], linear[CONTACTS][3];
    double blocks[4][36], alone[2][36], one[3][36];
    int flags[3];
} Data;

static void fill(Data *d)
{
    memset(d, 0, sizeof *d);
    seed = 11;
    for (int r = 1; r < ROWS; r++)
        for (int k = 0; k < 8; k++) d->twist[r][k] = k % 4 == 3 ? 0.0 : uniform();
    for (int r = 0; r < ROWS; r++) {
        const double X[3][3] = {
            {2.0, uniform(), uniform()}, {0.0, 2.0, uniform()}, {0.0, 0.0, 2.0}};
        d->inverse[r][0] = 2.0 + uniform();
        for (int i = 0, at = 1; i < 3; i++)
            for (int j = i; j < 3; j++) d->inverse[r][at++] = v3_dot(X[i], X[j]);
    }
    for (int k = 0; k < 8; k++) d->inverse[5][k] *= 1e-14; /* next to nothing */
    for (int c = 0; c < CONTACTS; c++) {
        TnContactBatch *b = &d->batch[c / TN_LANES];
        TnContactYield *y = &d->yield[c / TN_LANES];
        int l = c % TN_LANES;
        double n[3] = {uniform(), uniform(), uniform()};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) {
            b->arm_a[k][l] = uniform();
            b->arm_b[k][l] = uniform();
            b->normal[k][l] = n[k] / length;
            b->e[k][l] = uniform();
            d->lambda[c][k] = b->normal[k][l] * (1.0 + uniform()) + 0.5 * uniform();
            d->given[c][k] = 0.3 * uniform();
        }
        b->mu[l] = c % 7 ? 0.6 : 0.0;
        b->row_a[l] = c % ROWS;
        b->row_b[l] = (c * 7 + 3) % ROWS;
        for (int k = 0; k < 2; k++) {
            y->D[k][l] = c % 11 == k ? 0.0 : 1.5 + uniform();
            y->inverse[k][l] = y->D[k][l] > 0.0 ? 1.0 / y->D[k][l] : 0.0;
        }
    }
}

static void run(const TnContactKernels *kernels, Data *d)
{
    const double(*twist)[8] = (const double(*)[8])d->twist;
    const double(*given)[3] = (const double(*)[3])d->given;
    const double(*G)[9][TN_LANES] = (const double(*)[9][TN_LANES])d->line.G;
    TnContactLines lines = pointers(&d->line);
    TnSoftening soft = {.R = 2.5, .reach = 0.8, .centre = (const double(*)[3])d->lambda};
    kernels->yields(d->batch, BEGIN, END, ROWS - 5, (const double(*)[8])d->inverse, 0.2, 1e-12,
                    d->found);
    kernels->velocities(d->batch, BEGIN, END, twist, false, d->u[0]);
    kernels->velocities(d->batch, BEGIN, END, twist, true, d->u[1]);
    kernels->natural_map(d->batch, d->yield, BEGIN, END, given, soft.centre, d->squared);
    d->flags[0] = kernels->lines(d->batch, d->yield, BEGIN, END, &soft, given, &lines);
    d->flags[1] = kernels->lines(d->batch, d->yield, BEGIN, END, &soft, given, &lines);
    kernels->forces(d->batch, d->yield, BEGIN, END, &soft, given, NULL, d->own);
    soft.reach = 1.7;
    kernels->forces(d->batch, d->yield, BEGIN, END, &soft, given,
                    (const double(*)[TN_LANES])d->line.bound, d->bounded);
    kernels->linear(BEGIN, END, (const double(*)[3])d->line.a, G, given, d->linear);
    double *all[2][2] = {{d->blocks[0], d->blocks[1]}, {d->blocks[2], d->blocks[3]}};
    kernels->pair_blocks(d->batch, G, 29, 46, all);
    double *on_a[2][2] = {{d->alone[0], NULL}, {NULL, NULL}};
    double *on_b[2][2] = {{NULL, NULL}, {NULL, d->alone[1]}};
    kernels->pair_blocks(d->batch, G, 50, 54, on_a);
    kernels->pair_blocks(d->batch, G, 50, 54, on_b);
    double *lower[2][2] = {{d->one[0], d->one[1]}, {NULL, d->one[2]}};
    double *upper[2][2] = {{d->one[0], NULL}, {d->one[1], d->one[2]}};
    kernels->pair_blocks(d->batch, G, 60, 62, lower);
    kernels->pair_blocks(d->batch, G, 62, 65, upper);
    /* without anything that slips, the second time is like the first */
    for (int i = 0; i < BATCHES; i++)
        for (int l = 0; l < TN_LANES; l++) d->batch[i].mu[l] = 1e9;
    lines = pointers(&d->sticking);
    kernels->lines(d->batch, d->yield, BEGIN, END, &soft, given, &lines);
    d->flags[2] = kernels->lines(d->batch, d->yield, BEGIN, END, &soft, given, &lines);
}

/* 1e-11: numbers up to about ten, sums of a few dozen in another order and with fused
 * multiply-adds. */
static void near(const double *x, const double *y, size_t count)
{
    double worst = 0.0;
    for (size_t k = 0; k < count; k++) worst = fmax(worst, fabs(x[k] - y[k]));
    CHECK_NEAR(worst, 0.0, 1e-11);
}

static void compare(const TnContactKernels *kernels)
{
    Data *a = tn_aligned_alloc(sizeof *a), *b = tn_aligned_alloc(sizeof *b);
    REQUIRE(a && b);
    fill(a);
    fill(b);
    run(tn_contact_kernels_scalar(), a);
    run(kernels, b);
    int count[3] = {0};
    for (int c = BEGIN * TN_LANES; c < END * TN_LANES; c++)
        count[(int)a->line.state[c / TN_LANES][c % TN_LANES]]++;
    for (int k = 0; k < 3; k++) CHECK(count[k] > 10); /* all kinds of them are there */
    CHECK(a->flags[0] == (TN_LINES_MOVED | TN_LINES_TURN) && a->flags[1] == a->flags[0]);
    CHECK(a->flags[2] == 0);
    for (int k = 0; k < 3; k++) CHECK(a->flags[k] == b->flags[k]);
    CHECK(!memcmp(a->line.state, b->line.state, sizeof a->line.state));
#define NEAR(FIELD) near((const double *)b->FIELD, (const double *)a->FIELD, sizeof a->FIELD / 8)
    near(b->found[0].D[0], a->found[0].D[0], sizeof a->found / 8);
    int dead = 0, live = 0;
    for (int c = BEGIN * TN_LANES; c < END * TN_LANES; c++)
        for (int k = 0; k < 2; k++)
            a->found[c / TN_LANES].D[k][c % TN_LANES] > 0.0 ? live++ : dead++;
    CHECK(dead > 5 && live > 100);
    NEAR(u);
    NEAR(squared);
    NEAR(line.a);
    NEAR(line.force);
    NEAR(own);
    NEAR(bounded);
    NEAR(line.G);
    NEAR(line.bound);
    NEAR(linear);
    NEAR(blocks);
    NEAR(alone);
    NEAR(one);
#undef NEAR
    tn_free(a);
    tn_free(b);
}

TEST(portable_contact_kernels_match_the_scalar_ones)
{
    compare(tn_contact_kernels_plain());
    compare(tn_contact_kernels_portable());
}

/* As compiled for any processor and for this one. */
TEST(portable_contact_kernels_have_one_result)
{
    Data *a = tn_aligned_alloc(sizeof *a), *b = tn_aligned_alloc(sizeof *b);
    REQUIRE(a && b);
    memset(a, 0, sizeof *a);
    memset(b, 0, sizeof *b);
    fill(a);
    fill(b);
    run(tn_contact_kernels_plain(), a);
    run(tn_contact_kernels_portable(), b);
    CHECK(memcmp(a, b, sizeof *a) == 0);
    tn_free(a);
    tn_free(b);
}

TEST(avx2_contact_kernels_match_the_scalar_ones)
{
    if (tn_contact_kernels_avx2())
        compare(tn_contact_kernels_avx2());
    else
        test_skip("this processor has no AVX2");
}

TEST(avx512_contact_kernels_match_the_scalar_ones)
{
    if (tn_contact_kernels_avx512())
        compare(tn_contact_kernels_avx512());
    else
        test_skip("this processor has no AVX-512");
}

/* The line touches the law: a - G u = λ(u) where both are taken for the same R, and G is its
 * slope. */
TEST(contact_lines_touch_the_law_they_stand_for)
{
    const TnContactKernels *kernels = tn_contact_kernels_portable();
    Data *d = tn_aligned_alloc(sizeof *d);
    REQUIRE(d);
    fill(d);
    TnContactLines lines = pointers(&d->line);
    TnSoftening soft = {.R = 2.5, .reach = 2.5, .centre = (const double(*)[3])d->lambda};
    const double(*given)[3] = (const double(*)[3])d->given;
    kernels->lines(d->batch, d->yield, 0, BATCHES, &soft, given, &lines);
    kernels->forces(d->batch, d->yield, 0, BATCHES, &soft, given, NULL, d->own);
    near(d->own[0], d->line.force[0], 3 * CONTACTS);
    /* small steps along an axis: forces follow the line up to a square of the step times the law's
     * curvature, of order ten */
    const double step = 1e-6;
    for (int axis = 0; axis < 3; axis++) {
        for (int c = 0; c < CONTACTS; c++) d->given[c][axis] += step;
        kernels->forces(d->batch, d->yield, 0, BATCHES, &soft, given, NULL, d->bounded);
        for (int c = 0; c < CONTACTS; c++)
            for (int k = 0; k < 3; k++)
                CHECK_NEAR((d->bounded[c][k] - d->own[c][k]) / step,
                           -d->line.G[c / TN_LANES][3 * k + axis][c % TN_LANES], 1e-3);
        for (int c = 0; c < CONTACTS; c++) d->given[c][axis] -= step;
    }
    kernels->linear(0, BATCHES, (const double(*)[3])d->line.a,
                    (const double(*)[9][TN_LANES])d->line.G, given, d->linear);
    near(d->linear[0], d->line.force[0], 3 * CONTACTS);
    tn_free(d);
}

/* With a reach of 1 and λ_c = λ the line is that of the natural map: friction that slips, with κ =
 * μ t_n/|t_t|, turns by (1 - κ + 1/R) D λ⁺ + κ u⁺ = 0 across t_t. 1e-9: of numbers of order one,
 * each a difference of some that are R times as large. */
TEST(slipping_friction_turns_as_the_natural_map_does)
{
    const TnContactKernels *kernels = tn_contact_kernels_portable();
    Data *d = tn_aligned_alloc(sizeof *d);
    REQUIRE(d);
    fill(d);
    int slips = 0;
    TnContactLines lines = pointers(&d->line);
    TnSoftening soft = {.R = 1e6, .reach = 1.0, .centre = (const double(*)[3])d->lambda};
    kernels->lines(d->batch, d->yield, 0, BATCHES, &soft, (const double(*)[3])d->given, &lines);
    for (int c = 0; c < CONTACTS; c++) {
        const TnContactBatch *b = &d->batch[c / TN_LANES];
        int l = c % TN_LANES;
        double n[3], t[3], across[3], next[3], D = d->yield[c / TN_LANES].D[1][l];
        if (d->line.state[c / TN_LANES][l] != 2.0 || !(b->mu[l] > 0.0) || !(D > 0.0)) continue;
        for (int k = 0; k < 3; k++) n[k] = b->normal[k][l];
        for (int k = 0; k < 3; k++) t[k] = d->lambda[c][k] - d->given[c][k] / D;
        v3_add_scaled(t, n, -v3_dot(n, t));
        double kappa = d->line.bound[c / TN_LANES][l] / v3_norm(t);
        v3_cross(across, n, t);
        v3_scale(across, across, 1.0 / v3_norm(across));
        for (int k = 0; k < 3; k++) next[k] = uniform();
        v3_add_scaled(next, n, -v3_dot(n, next)); /* along n it is stiff */
        double force[3];
        for (int k = 0; k < 3; k++) {
            force[k] = d->line.a[c][k];
            for (int j = 0; j < 3; j++) force[k] -= d->line.G[c / TN_LANES][3 * k + j][l] * next[j];
        }
        double turn =
            (1.0 - kappa + 1.0 / soft.R) * D * v3_dot(across, force) + kappa * v3_dot(across, next);
        CHECK_NEAR(turn, 0.0, 1e-9);
        slips++;
    }
    CHECK(slips > CONTACTS / 10);
    tn_free(d);
}

/* Gauss-Seidel on batches in which contacts are open, stick and slip, with lanes that have no
 * block: 1e-12, as sums are added up in another order and five sweeps pass differences on. */
TEST(sweeps_agree)
{
    enum { COUNT = 4, BODIES = 2 * TN_LANES };
    const TnContactKernels *sets[] = {tn_contact_kernels_scalar(), tn_contact_kernels_avx2(),
                                      tn_contact_kernels_avx512()};
    _Alignas(64) static TnSweepBatch batches[COUNT];
    _Alignas(64) static double force[3][3 * TN_LANES * COUNT + 8], x[3][BODIES + 1][8];
    int open = 0, sticks = 0, slips = 0;
    seed = 5;
    memset(batches, 0, sizeof batches);
    for (int i = 0; i < COUNT; i++)
        for (int l = 0; l < TN_LANES; l++) {
            TnSweepBatch *b = &batches[i];
            double W[9] = {0};
            b->row[0][l] = (l + i) % TN_LANES;
            b->row[1][l] = l == 7 ? BODIES : TN_LANES + l; /* one on the world */
            for (int side = 0; side < (l == 7 ? 1 : 2); side++)
                for (int k = 0; k < 3; k++)
                    for (int j = 0; j < 6; j++) b->Y[side][k][j][l] = uniform();
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    for (int k = 0; k < 12; k++)
                        W[3 * r + c] += b->Y[k / 6][r][k % 6][l] * b->Y[k / 6][c][k % 6][l];
            const double c0 = W[4] * W[8] - W[5] * W[5], c1 = W[2] * W[5] - W[1] * W[8],
                         c2 = W[1] * W[5] - W[2] * W[4], det = W[0] * c0 + W[1] * c1 + W[2] * c2;
            const double own[6] = {W[0], W[1], W[2], W[4], W[5], W[8]};
            const double inverse[6] = {c0,
                                       c1,
                                       c2,
                                       W[0] * W[8] - W[2] * W[2],
                                       W[1] * W[2] - W[0] * W[5],
                                       W[0] * W[4] - W[1] * W[1]};
            for (int k = 0; k < 6; k++) {
                b->own[k][l] = own[k];
                b->inverse[k][l] = l == 3 ? 0.0 : inverse[k] / det;
            }
            b->step[0][l] = 1.0 / W[0];
            b->step[1][l] = 1.0 / fmax(W[4], W[8]);
            b->mu[l] = l == 5 ? 0.0 : 0.9;
            for (int k = 0; k < 3; k++) b->q[k][l] = uniform() - (k ? 0.0 : 0.5);
        }
    for (int s = 0; s < 3; s++)
        for (int sweeps = 0; sets[s] && sweeps < 5; sweeps++)
            sets[s]->sweep(batches, COUNT, force[s], x[s]);
    for (int s = 1; s < 3; s++) {
        if (!sets[s]) continue;
        for (int i = 0; i < 3 * TN_LANES * COUNT; i++) CHECK_NEAR(force[s][i], force[0][i], 1e-12);
        for (int i = 0; i < 8 * (BODIES + 1); i++)
            CHECK_NEAR(x[s][i / 8][i % 8], x[0][i / 8][i % 8], 1e-12);
    }
    for (int i = 0; i < TN_LANES * COUNT; i++) {
        const double *f = force[0] + 3 * i;
        double bound = 0.9 * f[0], friction = hypot(f[1], f[2]);
        if (f[0] == 0.0)
            open++;
        else if (friction < 0.999 * bound)
            sticks++;
        else
            slips++;
    }
    CHECK(open > 2 && sticks > 2 && slips > 2);
    for (int k = 0; k < 8; k++) CHECK_NEAR(x[0][BODIES][k], 0.0, 0.0);
}
