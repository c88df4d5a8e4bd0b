/* Chains with nodes of any size against dense Cholesky. */
#include "../check.h"

#include <float.h>
#include <stdint.h>

#include "base/base.h"
#include "math/chain.h"
#include "math/chain_condense.h"
#include "math/cholesky.h"
#include "math/kernels/chain_kernels.h"

typedef struct Random {
    uint64_t state;
} Random;

static double uniform(Random *r) /* in (-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(r->state >> 11) / (double)(1ull << 52) - 1.0;
}

static int below(Random *r, int n) { return (int)((double)n * 0.5 * (1.0 + uniform(r))) % n; }

enum { MOST = 24, N = 300 };

typedef struct Shape {
    int node_count, edge_count, dims[MOST], edges[MOST][2];
} Shape;

typedef struct System {
    TnChain chain;
    double D[N * 24], E[N * 24], dense[N * N];
} System;

/* I + Σ XᵀkX with X of six rows over the two nodes of an edge, and over one node where there is no
 * edge, and the same as a full matrix. Eigenvalues lie between 1 and about 100 k. */
static bool fill(System *s, const Shape *shape, uint64_t seed, double stiffness)
{
    Random r = {seed * 7919 + 5};
    if (!tn_chain_plan(&s->chain, shape->node_count, shape->dims, shape->edge_count, shape->edges))
        return false;
    const TnChain *c = &s->chain;
    int n = c->dim, links = c->edge_count + c->node_count;
    if (n > N || c->D_size > N * 24 || c->E_size > N * 24) return false;
    memset(s->dense, 0, sizeof s->dense);
    for (int i = 0; i < n; i++) s->dense[i * n + i] = 1.0;
    for (int link = 0; link < links; link++) {
        int a = link < c->edge_count ? c->edges[link].a : link - c->edge_count, b = a;
        if (link < c->edge_count) b = c->edges[link].b;
        for (int row = 0; row < (a == b ? 1 : 6); row++) {
            double X[N] = {0};
            for (int i = 0; i < n; i++)
                if (c->node_of[i] == a || c->node_of[i] == b) X[i] = uniform(&r);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) s->dense[i * n + j] += stiffness * X[i] * X[j];
        }
    }
    for (int k = 0; k < c->node_count; k++) {
        const TnChainNode *at = &c->nodes[k];
        for (int i = 0; i < at->dim; i++)
            for (int j = 0; j < at->dim; j++)
                s->D[at->D + (size_t)(at->dim * i + j)] =
                    s->dense[(at->start + i) * n + at->start + j];
    }
    for (int e = 0; e < c->edge_count; e++) {
        const TnChainNode *a = &c->nodes[c->edges[e].a], *b = &c->nodes[c->edges[e].b];
        for (int i = 0; i < b->dim; i++)
            for (int j = 0; j < a->dim; j++)
                s->E[c->edges[e].E + (size_t)(a->dim * i + j)] =
                    s->dense[(b->start + i) * n + a->start + j];
    }
    return true;
}

/* ---- shapes ---- */

static void add_node(Shape *s, int dim) { s->dims[s->node_count++] = dim; }

static void add_edge(Shape *s, int i, int j)
{
    s->edges[s->edge_count][0] = i < j ? i : j;
    s->edges[s->edge_count++][1] = i < j ? j : i;
}

static Shape path(int count, const int *dims)
{
    Shape s = {0};
    for (int k = 0; k < count; k++) add_node(&s, dims ? dims[k] : 6);
    for (int k = 0; k + 1 < count; k++) add_edge(&s, k, k + 1);
    return s;
}

/* A cable of `count` segments with nodes of these sizes before and behind it (0: none). */
static Shape held(int before, int count, int behind)
{
    int dims[MOST], n = 0;
    if (before) dims[n++] = before;
    for (int k = 0; k < count; k++) dims[n++] = 6;
    if (behind) dims[n++] = behind;
    return path(n, dims);
}

/* A node with cables of these lengths at it. */
static Shape star(int hub, int arms, const int *lengths)
{
    Shape s = {0};
    add_node(&s, hub);
    for (int a = 0; a < arms; a++)
        for (int k = 0; k < lengths[a]; k++) {
            add_node(&s, 6);
            add_edge(&s, k ? s.node_count - 2 : 0, s.node_count - 1);
        }
    return s;
}

/* Any forest, nodes and edges in any order, two thirds of the nodes of six. */
static Shape forest(uint64_t seed)
{
    Random r = {seed * 31 + 7};
    Shape s = {0};
    int count = 1 + below(&r, MOST), name[MOST], bushy = below(&r, 2);
    for (int k = 0; k < count; k++) {
        add_node(&s, below(&r, 3) ? 6 : 1 + below(&r, 20));
        name[k] = k;
    }
    for (int k = count - 1; k > 0; k--) {
        int other = below(&r, k + 1), keep = name[k];
        name[k] = name[other];
        name[other] = keep;
    }
    for (int k = 1; k < count; k++)
        if (below(&r, 8)) add_edge(&s, name[k], name[bushy ? below(&r, k) : k - 1]);
    for (int e = s.edge_count - 1; e > 0; e--) {
        int other = below(&r, e + 1);
        for (int i = 0; i < 2; i++) {
            int keep = s.edges[e][i];
            s.edges[e][i] = s.edges[other][i];
            s.edges[other][i] = keep;
        }
    }
    return s;
}

/* All shapes one after the other; false after the last. */
static bool shape_number(int i, Shape *out)
{
    enum { PATHS = MOST, HELD = 3 * 12, STARS = 8, FORESTS = 60 };
    if (i < PATHS) return *out = path(i + 1, NULL), true;
    if ((i -= PATHS) < HELD) {
        static const int ends[3][2] = {{10, 7}, {13, 0}, {0, 31}};
        return *out = held(ends[i % 3][0], 1 + i / 3, ends[i % 3][1]), true;
    }
    if ((i -= HELD) < STARS) {
        static const int lengths[4][5] = {
            {5, 5, 0, 0, 0}, {7, 2, 0, 0, 0}, {4, 3, 4, 0, 0}, {4, 4, 4, 4, 5}};
        static const int arms[4] = {2, 2, 3, 5};
        return *out = star(i < 4 ? 11 : 6, arms[i % 4], lengths[i % 4]), true;
    }
    if ((i -= STARS) < FORESTS) return *out = forest((uint64_t)i), true;
    return false;
}

/* ---- claims ---- */

static System s;

TEST(solve_agrees_with_dense_cholesky)
{
    Shape shape;
    for (int k = 0; shape_number(k, &shape); k++) {
        Random r = {(uint64_t)k};
        double x[N], y[N];
        REQUIRE(fill(&s, &shape, (uint64_t)k, 1.0));
        int n = s.chain.dim;
        for (int i = 0; i < n; i++) x[i] = y[i] = uniform(&r);
        REQUIRE(tn_cholesky(s.dense, n));
        REQUIRE(tn_chain_factor(&s.chain, s.D, s.E));
        tn_cholesky_solve(s.dense, n, x);
        tn_chain_solve(&s.chain, s.D, s.E, y);
        /* numbers of order 1, condition numbers up to 100, sums of some tens of terms */
        for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-13);
        tn_chain_free(&s.chain);
    }
}

TEST(multiply_agrees_with_the_full_matrix_and_solve_undoes_it)
{
    Shape shape;
    for (int k = 0; shape_number(k, &shape); k++) {
        Random r = {(uint64_t)k + 50};
        double x[N], y[N];
        REQUIRE(fill(&s, &shape, (uint64_t)k + 50, 1.0));
        int n = s.chain.dim;
        for (int i = 0; i < n; i++) x[i] = uniform(&r);
        tn_chain_multiply(&s.chain, s.D, s.E, x, y);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += s.dense[i * n + j] * x[j];
            CHECK_NEAR(y[i], sum, 1000 * DBL_EPSILON); /* up to 100 products of order 1 to 10 */
        }
        REQUIRE(tn_chain_factor(&s.chain, s.D, s.E));
        tn_chain_solve(&s.chain, s.D, s.E, y);
        for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-12); /* as above, times |A| */
        tn_chain_free(&s.chain);
    }
}

TEST(blocks_of_the_inverse_are_those_of_the_dense_inverse)
{
    static double inverse[N * N], blocks[N * 24];
    Shape shape;
    for (int k = 0; shape_number(k, &shape); k++) {
        REQUIRE(fill(&s, &shape, (uint64_t)k + 100, 1.0));
        int n = s.chain.dim;
        REQUIRE(tn_cholesky(s.dense, n));
        tn_cholesky_inverse(s.dense, n, inverse);
        REQUIRE(tn_chain_factor(&s.chain, s.D, s.E));
        tn_chain_inverse_blocks(&s.chain, s.D, s.E, blocks);
        for (int q = 0; q < s.chain.node_count; q++) {
            const TnChainNode *at = &s.chain.nodes[q];
            const double *Z = blocks + at->D;
            for (int i = 0; i < at->dim; i++)
                for (int j = 0; j < at->dim; j++) {
                    CHECK_NEAR(Z[at->dim * i + j], inverse[(at->start + i) * n + at->start + j],
                               1e-14); /* numbers below 1, conditions up to 100 */
                    CHECK(Z[at->dim * i + j] == Z[at->dim * j + i]);
                }
        }
        tn_chain_free(&s.chain);
    }
}

TEST(a_matrix_that_is_not_positive_definite_is_found_in_every_node)
{
    Shape shape;
    for (int k = 0; shape_number(k, &shape); k++)
        for (int q = 0; q < shape.node_count; q += UNLESS_SANITIZED(1, 11))
            for (int bad = 0; bad < 2; bad++) {
                REQUIRE(fill(&s, &shape, 7, 1.0));
                const TnChainNode *at = &s.chain.nodes[q];
                double *pivot = s.D + at->D + (size_t)((at->dim + 1) * (q % at->dim));
                *pivot = bad ? NAN : *pivot - 200.0;
                CHECK(!tn_chain_factor(&s.chain, s.D, s.E));
                tn_chain_free(&s.chain);
            }
    /* Positive blocks on the diagonal do not make a positive matrix: [1 2; 2 1] six times over. */
    shape = path(2, NULL);
    REQUIRE(fill(&s, &shape, 1, 1.0));
    memset(s.D, 0, sizeof s.D);
    memset(s.E, 0, sizeof s.E);
    for (int i = 0; i < 6; i++) {
        s.D[7 * i] = s.D[36 + 7 * i] = 1.0;
        s.E[7 * i] = 2.0;
    }
    CHECK(!tn_chain_factor(&s.chain, s.D, s.E));
    tn_chain_free(&s.chain);
}

/* A stiff chain, as a cable is: springs of 1e8 between neighbours, one end held. The answer to a
 * unit force at the free end is x_k = (k + 1)/1e8. */
TEST(a_stiff_chain_keeps_its_digits)
{
    enum { LENGTH = 100 };
    static double D[36 * LENGTH], E[36 * LENGTH], x[6 * LENGTH];
    static int dims[LENGTH], edges[LENGTH][2];
    double k = 1e8;
    TnChain chain;
    for (int i = 0; i < LENGTH; i++) {
        dims[i] = 6;
        edges[i][0] = i;
        edges[i][1] = i + 1;
        for (int a = 0; a < 6; a++) {
            D[36 * i + 7 * a] = (i + 1 < LENGTH ? 2.0 : 1.0) * k;
            if (i + 1 < LENGTH) E[36 * i + 7 * a] = -k;
        }
    }
    for (int a = 0; a < 6; a++) x[6 * (LENGTH - 1) + a] = 1.0;
    REQUIRE(tn_chain_plan(&chain, LENGTH, dims, LENGTH - 1, (const int(*)[2])edges));
    REQUIRE(tn_chain_factor(&chain, D, E));
    tn_chain_solve(&chain, D, E, x);
    for (int i = 0; i < LENGTH; i++) /* condition number LENGTH² */
        for (int a = 0; a < 6; a++)
            CHECK_NEAR(k * x[6 * i + a], i + 1.0, 100.0 * LENGTH * LENGTH * DBL_EPSILON);
    tn_chain_free(&chain);
}

/* max |b - A x| */
static double residual(const double *A, int n, const double *b, const double *x)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        long double sum = b[i];
        for (int j = 0; j < n; j++) sum -= (long double)A[i * n + j] * x[j];
        worst = fmax(worst, fabs((double)sum));
    }
    return worst;
}

TEST(stiff_joints_between_light_nodes_leave_hardly_more_residual_than_cholesky)
{
    static double full[N * N];
    double sum = 0.0;
    int count = 0;
    Shape shape;
    for (int k = 0; shape_number(k, &shape); k++) {
        Random r = {(uint64_t)k + 150};
        double b[N], x[N], y[N];
        REQUIRE(fill(&s, &shape, (uint64_t)k + 150, 1e6));
        int n = s.chain.dim;
        for (int i = 0; i < n; i++) x[i] = y[i] = b[i] = uniform(&r);
        memcpy(full, s.dense, sizeof full);
        REQUIRE(tn_cholesky(full, n) && tn_chain_factor(&s.chain, s.D, s.E));
        tn_cholesky_solve(full, n, x);
        tn_chain_solve(&s.chain, s.D, s.E, y);
        double reference = residual(s.dense, n, b, x), own = residual(s.dense, n, b, y);
        sum += log(own / reference);
        count++;
        tn_chain_free(&s.chain);
    }
    /* Both are about an epsilon of |A| |x|, single ones up to fifty times apart either way; an
     * elimination that subtracts C S⁻¹ Cᵀ with an inverse of the pivot would leave a hundred times
     * as much. */
    CHECK(exp(sum / count) < 3.0);
}

/* What makes a cable fast: almost all steps come two at a time. */
TEST(runs_of_six_are_eliminated_from_both_ends_at_once)
{
    static const int two[2] = {9, 9};
    Shape shapes[] = {path(20, NULL), held(10, 18, 10), star(11, 2, two)};
    for (int i = 0; i < 3; i++) {
        REQUIRE(fill(&s, &shapes[i], 1, 1.0));
        int alone = 0;
        for (int o = 0; o < s.chain.plan->op_count; o++)
            if (s.chain.plan->ops[o].run_count == 1) alone += s.chain.plan->ops[o].count;
        /* the ends' nodes, one more on one side than on the other, and two that meet at the root */
        CHECK(alone <= 5);
        tn_chain_free(&s.chain);
    }
}

/* 1e-13: numbers of order one, condition numbers up to 100, sums in another order. */
static void compare_kernels(const TnChainKernels *kernels)
{
    static System t;
    static double Z[2][N * 24];
    Shape shape;
    for (int k = 0; shape_number(k, &shape); k++) {
        Random r = {(uint64_t)k};
        double x[N], y[N];
        REQUIRE(fill(&s, &shape, (uint64_t)k, 1.0) && fill(&t, &shape, (uint64_t)k, 1.0));
        s.chain.plan->kernels = tn_chain_kernels_plain();
        t.chain.plan->kernels = kernels;
        for (int i = 0; i < s.chain.dim; i++) x[i] = y[i] = uniform(&r);
        REQUIRE(tn_chain_factor(&s.chain, s.D, s.E) && tn_chain_factor(&t.chain, t.D, t.E));
        tn_chain_solve(&s.chain, s.D, s.E, x);
        tn_chain_solve(&t.chain, t.D, t.E, y);
        for (int i = 0; i < s.chain.dim; i++) CHECK_NEAR(y[i], x[i], 1e-13);
        tn_chain_inverse_blocks(&s.chain, s.D, s.E, Z[0]);
        tn_chain_inverse_blocks(&t.chain, t.D, t.E, Z[1]);
        for (size_t i = 0; i < s.chain.D_size; i++) CHECK_NEAR(Z[1][i], Z[0][i], 1e-13);
        tn_chain_free(&s.chain);
        tn_chain_free(&t.chain);
    }
}

/* The solver's loops at nodes 0, 2 and 3, which lie elsewhere in x, against plain ones; the second
 * entry is not a node of six. */
static void compare_table_loops(const TnChainKernels *kernels)
{
    enum { ENTRIES = 4, UNKNOWNS = 24 };
    static const int at[ENTRIES] = {0, -1, 12, 18}, place[ENTRIES] = {4, 0, 16, 10};
    Random r = {3};
    double K[36 * ENTRIES], plain[36], wrench[ENTRIES][8], twist[ENTRIES][8], v[UNKNOWNS],
        v_free[UNKNOWNS], b[UNKNOWNS], x[UNKNOWNS], g[UNKNOWNS], F[UNKNOWNS], old[UNKNOWNS];
    for (int i = 0; i < UNKNOWNS; i++)
        v_free[i] = uniform(&r), b[i] = uniform(&r), g[i] = old[i] = uniform(&r), v[i] = F[i] = 9.0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) plain[6 * i + j] = plain[6 * j + i] = uniform(&r);
    for (int k = 0; k < ENTRIES; k++) {
        tn_six_pack(K + 36 * k, plain);
        for (int i = 0; i < 8; i++) wrench[k][i] = uniform(&r), twist[k][i] = 9.0;
    }
    for (int i = 0; i < UNKNOWNS; i++) x[i] = 9.0;
    kernels->gather(ENTRIES, at, place, (const double(*)[8])wrench, b, 1.7, F, g, x);
    for (int k = 0; k < ENTRIES; k++)
        for (int c = 0; c < 6; c++) {
            int i = 6 * k + c;
            double f = wrench[k][c < 3 ? c : c + 1];
            if (at[k] < 0) {
                CHECK(F[i] == 9.0 && g[i] == old[i]);
                continue;
            }
            CHECK(F[i] == f);
            CHECK_NEAR(x[place[k] + c], b[i] + old[i] + 2.0 * f, 1e-14);
            CHECK_NEAR(g[i], -0.7 * old[i] - 1.7 * f, 1e-14);
        }
    CHECK(x[0] == 9.0 && x[3] == 9.0 && x[22] == 9.0);
    memcpy(old, g, sizeof g);
    kernels->spread(ENTRIES, at, place, x, v_free, v, twist, K, 1.5, g);
    for (int k = 0; k < ENTRIES; k++)
        for (int c = 0; c < 6; c++) {
            int i = 6 * k + c;
            double Kv = 0.0;
            if (at[k] < 0) {
                CHECK(twist[k][c] == 9.0 && v[i] == 9.0 && g[i] == old[i]);
                continue;
            }
            CHECK(v[i] == v_free[i] + x[place[k] + c]);
            CHECK(twist[k][c < 3 ? c : c + 1] == v[i]);
            CHECK(twist[k][3] == 0.0 && twist[k][7] == 0.0);
            for (int j = 0; j < 6; j++) Kv += plain[6 * c + j] * v[6 * k + j];
            CHECK_NEAR(g[i], old[i] + 1.5 * Kv, 2e-14); /* sums of six numbers up to 10 */
        }
}

/* The same where the wrench is all there is. */
static void compare_told_loops(const TnChainKernels *kernels)
{
    enum { ENTRIES = 3, UNKNOWNS = 24 };
    static const int at[ENTRIES] = {0, 12, 18}, place[ENTRIES] = {4, 16, 10};
    Random r = {3};
    double wrench[ENTRIES][8], twist[ENTRIES][8], v[UNKNOWNS], v_free[UNKNOWNS], b[UNKNOWNS],
        x[UNKNOWNS];
    for (int i = 0; i < UNKNOWNS; i++)
        v_free[i] = uniform(&r), b[i] = uniform(&r), v[i] = x[i] = 9.0;
    for (int k = 0; k < ENTRIES; k++)
        for (int i = 0; i < 8; i++) wrench[k][i] = uniform(&r);
    kernels->gather_told(ENTRIES, at, place, (const double(*)[8])wrench, b, x);
    kernels->spread_told(ENTRIES, at, place, x, v_free, v, twist);
    for (int k = 0; k < ENTRIES; k++)
        for (int c = 0; c < 6; c++) {
            int i = at[k] + c, in_row = c < 3 ? c : c + 1;
            CHECK(x[place[k] + c] == b[i] + wrench[k][in_row]);
            CHECK(v[i] == v_free[i] + x[place[k] + c]);
            CHECK(twist[k][in_row] == v[i]);
            CHECK(twist[k][3] == 0.0 && twist[k][7] == 0.0);
        }
    CHECK(x[0] == 9.0 && x[3] == 9.0 && x[22] == 9.0 && v[6] == 9.0 && v[11] == 9.0);
}

/* S⁻¹ is A⁻¹ on the kept nodes, so a force on these moves them alike in both. `share` of 8 nodes
 * are kept beside those that must be; *eliminated counts the others. */
static void compare_condensed(const TnChainKernels *kernels, int share, int *eliminated)
{
    static double S_D[N * 24], S_E[N * 24];
    *eliminated = 0;
    Shape shape;
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "condensed", 1 << 16));
    for (int k = 0; shape_number(k, &shape); k++) {
        Random r = {(uint64_t)(k + 300 * share)};
        double x[N] = {0}, y[N];
        bool keep[MOST];
        TnCondensed c;
        REQUIRE(fill(&s, &shape, (uint64_t)k + 200, 1.0));
        for (int q = 0; q < shape.node_count; q++) keep[q] = below(&r, 8) < share;
        int count = tn_condense_mark(&s.chain, keep);
        REQUIRE(tn_condense_plan(&c, &arena, &s.chain, keep, count));
        CHECK(c.chain.node_count == count);
        *eliminated += shape.node_count - count;
        c.chain.plan->kernels = kernels;
        REQUIRE(tn_condense(&c, s.D, s.E, S_D, S_E));
        for (int a = 0; a < count; a++) {
            const TnChainNode *at = &c.chain.nodes[a], *was = &s.chain.nodes[c.kept[a]];
            CHECK(keep[c.kept[a]] && c.place[c.kept[a]] == a && at->dim == was->dim);
            for (int i = 0; i < at->dim; i++) y[at->start + i] = x[was->start + i] = uniform(&r);
        }
        REQUIRE(tn_cholesky(s.dense, s.chain.dim));
        REQUIRE(tn_chain_factor(&c.chain, S_D, S_E));
        tn_cholesky_solve(s.dense, s.chain.dim, x);
        tn_chain_solve(&c.chain, S_D, S_E, y);
        for (int a = 0; a < count; a++) {
            const TnChainNode *at = &c.chain.nodes[a], *was = &s.chain.nodes[c.kept[a]];
            for (int i = 0; i < at->dim; i++) /* as in the first claim */
                CHECK_NEAR(y[at->start + i], x[was->start + i], 1e-13);
        }
        tn_chain_free(&s.chain);
        tn_arena_reset(&arena);
    }
    tn_arena_free(&arena);
}

TEST(a_condensed_chain_answers_forces_on_its_nodes_as_the_whole_does)
{
    int eliminated, again, most = -1;
    for (int share = 8; share >= 0; share -= UNLESS_SANITIZED(1, 4)) {
        compare_condensed(tn_chain_kernels_plain(), share, &eliminated);
        CHECK(eliminated > most);
        if (share == 8) CHECK(eliminated == 0);
        most = eliminated;
        if (!tn_chain_kernels_avx2()) continue;
        compare_condensed(tn_chain_kernels_avx2(), share, &again);
        CHECK(again == eliminated);
    }
}

TEST(condensing_refuses_what_is_not_positive_definite)
{
    Shape shape = held(10, 18, 7);
    static double S_D[N * 24], S_E[N * 24];
    for (int q = 2; q < 18; q++) { /* all but the robots and their neighbours */
        TnArena arena;
        TnCondensed c;
        bool keep[MOST] = {false};
        REQUIRE(tn_arena_init(&arena, "condensed", 1 << 16) && fill(&s, &shape, 3, 1.0));
        keep[9] = q != 9;
        s.D[s.chain.nodes[q].D + 7 * (size_t)(q % 6)] = q % 2 ? -200.0 : NAN;
        int count = tn_condense_mark(&s.chain, keep);
        REQUIRE(tn_condense_plan(&c, &arena, &s.chain, keep, count));
        if (!keep[q]) CHECK(!tn_condense(&c, s.D, s.E, S_D, S_E));
        tn_chain_free(&s.chain);
        tn_arena_free(&arena);
    }
}

TEST(portable_kernels_do_what_plain_loops_do)
{
    const TnChainKernels *both[] = {tn_chain_kernels_plain(), tn_chain_kernels_portable()};
    for (int i = 0; i < 2; i++) {
        compare_table_loops(both[i]);
        compare_told_loops(both[i]);
    }
}

TEST(avx2_kernels_match_the_portable_ones)
{
    if (!tn_chain_kernels_avx2()) {
        test_skip("this processor has no AVX2");
        return;
    }
    compare_kernels(tn_chain_kernels_avx2());
    compare_table_loops(tn_chain_kernels_avx2());
    compare_told_loops(tn_chain_kernels_avx2());
}

TEST(an_edge_is_found_from_both_of_its_nodes_and_no_other)
{
    for (int k = 0; k < 20; k++) {
        Shape shape = forest((uint64_t)k);
        REQUIRE(fill(&s, &shape, 1, 1.0));
        for (int a = 0; a < shape.node_count; a++)
            for (int b = 0; b < shape.node_count; b++) {
                int found = -1;
                for (int e = 0; e < shape.edge_count; e++)
                    if ((shape.edges[e][0] == a && shape.edges[e][1] == b) ||
                        (shape.edges[e][0] == b && shape.edges[e][1] == a))
                        found = e;
                CHECK(tn_chain_edge(&s.chain, a, b) == found);
            }
        tn_chain_free(&s.chain);
    }
}

TEST(a_failed_allocation_leaves_no_plan)
{
    Shape shape = path(5, NULL);
    for (long k = 0; k < 2; k++) {
        TnChain chain;
        tn_malloc_fail_after(k);
        bool planned = tn_chain_plan(&chain, 5, shape.dims, 4, (const int(*)[2])shape.edges);
        tn_malloc_fail_after(-1);
        CHECK(!planned && !chain.memory);
        tn_chain_free(&chain);
    }
}
