/* Plans whose last nodes change, and the Schur complement on these, against dense matrices. Matrices have
 * eigenvalues between 1 and about 100 and at most 1000 unknowns, so solutions agree to about
 * 100·1000·2⁻⁵³ ≈ 1e-11; so do entries of S, which are below 100. */
#include "../check.h"

#include "base/base.h"
#include "box_graph.h"
#include "math/cholesky.h"

#define CLOSE 1e-11

typedef struct Reduced {
    TnSparse *plan;
    TnSparseSizes sizes;
    double *factor, *work, *solve_work, *S;
    size_t stride;
    bool ok;
} Reduced;

static Reduced reduce(const TnSparsePattern *pattern, int last_count, const int *last,
                      const double (*blocks)[9], TnArena *arena, TnPool *pool)
{
    Reduced r = {.plan = tn_sparse_plan_last(pattern, last_count, last, arena)};
    r.sizes = tn_sparse_sizes(r.plan);
    r.stride = (size_t)(3 * last_count + 7) / 8 * 8 + 8; /* more than need be */
    size_t sizes[4] = {r.sizes.factor, r.sizes.factor_work, r.sizes.solve_work,
                       r.stride * 3 * (size_t)last_count};
    double **arrays[4] = {&r.factor, &r.work, &r.solve_work, &r.S};
    for (int k = 0; k < 4; k++) {
        *arrays[k] = tn_arena_alloc(arena, sizes[k] * sizeof(double));
        for (size_t i = 0; i < sizes[k]; i++) (*arrays[k])[i] = NAN; /* nothing is read unwritten */
    }
    r.ok = tn_sparse_reduce(r.plan, blocks, r.factor, r.work, r.S, r.stride, pool);
    return r;
}

/* By rows; nodes in the order given by `at`. */
static double *dense_matrix(BoxGraph g, double (*blocks)[9], const int *at)
{
    int n = 3 * g.node_count;
    double *A = calloc((size_t)n * (size_t)n, sizeof(double));
    for (int b = 0; b < g.node_count + g.edge_count; b++) {
        int i = at[b < g.node_count ? b : g.edges[b - g.node_count][0]];
        int j = at[b < g.node_count ? b : g.edges[b - g.node_count][1]];
        for (int k = 0; k < 9; k++) {
            A[(3 * i + k / 3) * n + 3 * j + k % 3] = blocks[b][k];
            A[(3 * j + k % 3) * n + 3 * i + k / 3] = blocks[b][k];
        }
    }
    return A;
}

/* S, solves and blocks of the inverse of one set of last nodes. */
static void check_set(BoxGraph g, int last_count, const int *last)
{
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    REQUIRE(pattern != NULL);
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 0));
    double(*blocks)[9] = box_blocks(g, 3);
    int n = 3 * g.node_count, m = 3 * last_count, inner = n - m;
    int *at = malloc(sizeof(int) * (size_t)g.node_count), used = 0;
    for (int i = 0; i < g.node_count; i++) at[i] = -1;
    for (int k = 0; k < last_count; k++) at[last[k]] = g.node_count - last_count + k;
    for (int i = 0; i < g.node_count; i++)
        if (at[i] < 0) at[i] = used++;
    double *L = dense_matrix(g, blocks, at);
    REQUIRE(tn_cholesky(L, n));

    Reduced r = reduce(pattern, last_count, last, (const double(*)[9])blocks, &arena, NULL);
    CHECK(r.ok);
    const int *order = tn_sparse_order(r.plan);
    CHECK(last_count == 0 ||
          memcmp(order + g.node_count - last_count, last, sizeof(int) * (size_t)last_count) == 0);
    double worst = 0.0; /* S = L₂₂L₂₂ᵀ */
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double s = 0.0;
            for (int k = 0; k <= i && k <= j; k++)
                s += L[(inner + i) * n + inner + k] * L[(inner + j) * n + inner + k];
            double difference = fabs(r.S[(size_t)j * r.stride + (size_t)i] - s);
            if (!(difference <= worst)) worst = difference;
        }
    CHECK_NEAR(worst, 0.0, CLOSE);

    uint64_t seed = 5;
    double *x = malloc(sizeof(double) * (size_t)n), *b = malloc(sizeof(double) * (size_t)n);
    double *y = malloc(sizeof(double) * (size_t)n), *both = malloc(sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) b[3 * at[i / 3] + i % 3] = x[i] = both[i] = box_uniform(&seed);
    tn_cholesky_solve(L, n, b);
    CHECK(tn_dense_factor(m, r.S, r.stride));
    tn_sparse_forward(r.plan, r.factor, 1, x, y, r.solve_work);
    tn_dense_solve(m, r.S, r.stride, 1, y + inner, 0);
    tn_sparse_backward(r.plan, r.factor, 1, y, x, r.solve_work);
    for (int i = 0; i < n; i++) CHECK_NEAR(x[i], b[3 * at[i / 3] + i % 3], CLOSE);
    tn_sparse_put_last(r.plan, r.S, r.stride, r.factor);
    tn_sparse_solve(r.plan, r.factor, 1, both, r.solve_work);
    for (int i = 0; i < n; i++) CHECK_NEAR(both[i], b[3 * at[i / 3] + i % 3], CLOSE);
    double *inverse = malloc(sizeof(double) * (size_t)n * (size_t)n);
    double *three = tn_aligned_alloc(3 * sizeof(double) * r.sizes.solve_work);
    tn_cholesky_inverse(L, n, inverse);
    for (int node = 0; node < g.node_count; node += 7) {
        double block[1][9];
        tn_sparse_inverse(r.plan, r.factor, 1, &node, block, three);
        for (int k = 0; k < 9; k++)
            CHECK_NEAR(block[0][k], inverse[(3 * at[node] + k / 3) * n + 3 * at[node] + k % 3],
                       CLOSE);
    }
    free(x), free(b), free(y), free(both), free(at), free(L), free(blocks), free(inverse);
    tn_free(three);
    tn_arena_free(&arena);
    tn_sparse_pattern_free(pattern);
}

TEST(any_set_of_last_nodes_gives_the_dense_schur_complement_and_solution)
{
    static const int boxes[][3] = {{1, 1, 1}, {2, 2, 2},  {3, 3, 20},
                                   {5, 5, 6}, {30, 2, 3}, {7, 7, 1}};
    for (int k = 0; k < 6; k++) {
        BoxGraph g = box_graph(boxes[k][0], boxes[k][1], boxes[k][2], NULL);
        int n = g.node_count, last[200];
        check_set(g, 0, NULL);
        last[0] = n / 2;
        check_set(g, 1, last);
        for (int i = 0; i < n; i++) last[i] = n - 1 - i;
        check_set(g, n, last);                               /* all */
        check_set(g, n / 4, last);                           /* one end */
        for (int i = 0; i < n / 7; i++) last[i] = 7 * i + 3; /* spread */
        check_set(g, n / 7, last);
        for (int i = 0; i < n / 9; i++) last[i] = (i & 1) ? n - 1 - i : i; /* both ends */
        check_set(g, n / 9, last);
        free(g.edges);
    }
}

TEST(separate_parts_with_and_without_last_nodes_are_reduced_too)
{
    BoxGraph g = box_graph(3, 3, 8, NULL);
    int kept = 0, last[72];
    for (int e = 0; e < g.edge_count; e++) /* two boxes of four layers, and a node alone */
        if ((g.edges[e][0] < 36) == (g.edges[e][1] < 36) && g.edges[e][0] != 71 &&
            g.edges[e][1] != 71)
            memcpy(g.edges[kept++], g.edges[e], sizeof g.edges[0]);
    g.edge_count = kept;
    for (int k = 0; k < 72; k++) last[k] = k;
    int cuts[][2] = {{0, 0}, {30, 12}, {0, 72}, {71, 1}, {10, 40}, {3, 5}};
    for (int c = 0; c < 6; c++) check_set(g, cuts[c][1], last + cuts[c][0]);
    free(g.edges);
}
