/* Plans whose last nodes change, and the Schur complement on these, against dense matrices.
 * Matrices have eigenvalues between 1 and about 100 and at most 1000 unknowns, so solutions
 * agree to about 100·1000·2⁻⁵³ ≈ 1e-11; so do entries of S, which are below 100. */
#include "../check.h"

#include "base/base.h"
#include "box_graph.h"
#include "math/cholesky.h"
#include "math/sparse_pattern.h"
#include "math/sparse_plan.h"

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
    r.ok = tn_sparse_reduce(r.plan, blocks, NULL, r.factor, r.work, r.S, r.stride, NULL, pool);
    return r;
}

/* S without what fills up its columns. */
static bool same_S(const Reduced *a, const Reduced *b, int last_count)
{
    for (int j = 0; j < 3 * last_count; j++)
        if (memcmp(a->S + (size_t)j * a->stride, b->S + (size_t)j * b->stride,
                   sizeof(double) * 3 * (size_t)last_count) != 0)
            return false;
    return true;
}

/* Every number of L on and below the diagonal; the last front is not in it where there is S. */
static bool same_factor(const Reduced *a, const Reduced *b)
{
    for (int f = 0; f < a->plan->front_count - (a->plan->last_count > 0 ? 1 : 0); f++) {
        const TnSparseFront *front = &a->plan->fronts[f];
        for (int j = 0; j < 3 * front->width; j++) {
            size_t at = front->panel + (size_t)j * (size_t)front->ld + (size_t)j;
            size_t count = 3 * (size_t)(front->width + front->below) - (size_t)j;
            if (memcmp(a->factor + at, b->factor + at, sizeof(double) * count) != 0) return false;
        }
    }
    return true;
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
    free(x), free(b), free(y), free(both), free(at), free(L), free(blocks);
    tn_arena_free(&arena);
    tn_sparse_pattern_free(pattern);
}

TEST(any_set_of_last_nodes_gives_the_dense_schur_complement_and_solution)
{
    static const int boxes[][3] = {{1, 1, 1}, {2, 2, 2},  {3, 3, 13},
                                   {5, 5, 4}, {20, 2, 3}, {7, 7, 1}};
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

/* A body thick enough that fronts near the root are cut into pieces, too. */
TEST(any_number_of_threads_gives_the_same_bits)
{
    static const int boxes[][3] = {{5, 5, 40}, {12, 12, 12}, {6, 6, 6}};
    for (int b = 0; b < 3; b++) {
        BoxGraph g = box_graph(boxes[b][0], boxes[b][1], boxes[b][2], NULL);
        TnSparsePattern *pattern =
            tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
        double(*blocks)[9] = box_blocks(g, 11);
        int last[40];
        for (int i = 0; i < 40; i++) last[i] = g.node_count / 2 + (i & 1 ? i : -i);
        for (int last_count = 0; last_count <= 40; last_count += 40) {
            TnArena arena;
            REQUIRE(tn_arena_init(&arena, "test", 0));
            Reduced one =
                reduce(pattern, last_count, last, (const double(*)[9])blocks, &arena, NULL);
            CHECK(one.ok);
            for (int threads = 2; threads <= 8; threads = MORE_THREADS(threads)) {
                TnPool *pool = tn_pool_create(threads);
                REQUIRE(pool != NULL);
                Reduced r =
                    reduce(pattern, last_count, last, (const double(*)[9])blocks, &arena, pool);
                CHECK(r.ok);
                CHECK(same_S(&r, &one, last_count));
                CHECK(same_factor(&r, &one));
                tn_pool_destroy(pool);
            }
            tn_arena_free(&arena);
        }
        free(blocks), free(g.edges);
        tn_sparse_pattern_free(pattern);
    }
}

TEST(a_plan_is_the_same_whatever_the_arena_held)
{
    BoxGraph g = box_graph(5, 5, 20, NULL);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    int last[] = {250, 17, 301, 303, 40};
    TnArena arenas[2];
    TnSparse *plans[2];
    for (int k = 0; k < 2; k++) {
        REQUIRE(tn_arena_init(&arenas[k], "test", 1 << 20));
        void *all = tn_arena_alloc(&arenas[k], arenas[k].capacity);
        memset(all, k ? 0xff : 0, arenas[k].capacity);
        tn_arena_reset(&arenas[k]);
        long before = tn_malloc_count();
        plans[k] = tn_sparse_plan_last(pattern, 5, last, &arenas[k]);
        REQUIRE(plans[k] != NULL);
        CHECK(tn_malloc_count() == before); /* nor does it need the heap */
    }
    const TnSparse *a = plans[0], *b = plans[1];
    CHECK(memcmp(&a->sizes, &b->sizes, sizeof a->sizes) == 0);
    CHECK(a->task_count == b->task_count && memcmp(a->tasks, b->tasks, sizeof a->tasks) == 0);
    CHECK(a->front_count == b->front_count);
    CHECK(memcmp(a->fronts, b->fronts, sizeof *a->fronts * (size_t)a->front_count) == 0);
    CHECK(memcmp(a->order, b->order, sizeof(int) * (size_t)a->node_count) == 0);
    for (int f = 0; f < a->front_count; f++) {
        const TnSparseFront *front = &a->fronts[f];
        CHECK(memcmp(a->rows + front->rows, b->rows + front->rows,
                     sizeof(int) * (size_t)front->below) == 0);
        for (int e = front->entry_begin; e < front->entry_end; e++)
            CHECK(a->entries[e].block == b->entries[e].block &&
                  a->entries[e].row == b->entries[e].row &&
                  a->entries[e].column == b->entries[e].column &&
                  a->entries[e].transposed == b->entries[e].transposed);
        for (int r = front->run_begin; r < front->run_end; r++)
            CHECK(memcmp(&a->runs[r], &b->runs[r], sizeof a->runs[r]) == 0);
    }
    for (int k = 0; k < 2; k++) tn_arena_free(&arenas[k]);
    free(g.edges);
    tn_sparse_pattern_free(pattern);
}

TEST(threads_tell_a_matrix_that_is_not_positive_definite_by_reduce_or_by_the_factor_of_S)
{
    BoxGraph g = box_graph(12, 12, 12, NULL);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    double(*blocks)[9] = box_blocks(g, 3);
    int last[10];
    for (int k = 0; k < 10; k++) last[k] = 100 * k + 7;
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 0));
    TnPool *pool = tn_pool_create(3);
    Reduced r = reduce(pattern, 10, last, (const double(*)[9])blocks, &arena, pool);
    CHECK(r.ok);
    const int *order = tn_sparse_order(r.plan);
    for (int place = 0; place < g.node_count; place += 137) { /* in tasks and above them */
        double *B = blocks[order[place]], kept = B[8];
        B[8] = place & 1 ? NAN : -1.0;
        for (int threads = 0; threads < 2; threads++) {
            bool ok = tn_sparse_reduce(r.plan, (const double(*)[9])blocks, NULL, r.factor, r.work,
                                       r.S, r.stride, NULL, threads ? pool : NULL);
            CHECK(ok == (place >= g.node_count - 10));
        }
        B[8] = kept;
    }
    double kept = blocks[last[9]][4];
    blocks[last[9]][4] = -1.0;
    CHECK(tn_sparse_reduce(r.plan, (const double(*)[9])blocks, NULL, r.factor, r.work, r.S,
                           r.stride, NULL, pool));
    CHECK(!tn_dense_factor(30, r.S, r.stride));
    blocks[last[9]][4] = kept;
    CHECK(tn_sparse_reduce(r.plan, (const double(*)[9])blocks, NULL, r.factor, r.work, r.S,
                           r.stride, NULL, pool));
    CHECK(tn_dense_factor(30, r.S, r.stride)); /* and nothing is left behind */
    tn_pool_destroy(pool);
    tn_arena_free(&arena);
    free(blocks), free(g.edges);
    tn_sparse_pattern_free(pattern);
}

TEST(a_right_side_eliminated_along_on_threads_has_the_bits_of_one_eliminated_afterwards)
{
    BoxGraph g = box_graph(14, 12, 12, NULL); /* tasks, small fronts above them and large ones */
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    double(*blocks)[9] = box_blocks(g, 3);
    int last[10];
    for (int k = 0; k < 10; k++) last[k] = 100 * k + 7;
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 0));
    TnPool *pool = tn_pool_create(3);
    Reduced r = reduce(pattern, 10, last, (const double(*)[9])blocks, &arena, pool);
    REQUIRE(r.ok);
    CHECK(r.plan->task_count > 1);
    size_t n = 3 * (size_t)g.node_count;
    double *b = tn_arena_alloc(&arena, n * sizeof(double));
    double *afterwards = tn_arena_alloc(&arena, n * sizeof(double));
    double *y = tn_arena_alloc(&arena, r.sizes.solve_work * sizeof(double));
    for (size_t i = 0; i < n; i++) b[i] = sin((double)i);
    tn_sparse_forward(r.plan, r.factor, 1, b, afterwards, r.solve_work);
    for (int threads = 0; threads < 2; threads++) {
        memset(y, 0xff, n * sizeof(double));
        CHECK(tn_sparse_reduce(r.plan, (const double(*)[9])blocks, b, r.factor, r.work, r.S,
                               r.stride, y, threads ? pool : NULL));
        CHECK(memcmp(y, afterwards, n * sizeof(double)) == 0);
    }
    tn_pool_destroy(pool);
    tn_arena_free(&arena);
    free(blocks), free(g.edges);
    tn_sparse_pattern_free(pattern);
}

static double flops_of(const TnSparsePattern *pattern, int last_count, const int *last)
{
    TnArena arena;
    tn_arena_init(&arena, "test", 0);
    double flops = tn_sparse_sizes(tn_sparse_plan_last(pattern, last_count, last, &arena)).flops;
    tn_arena_free(&arena);
    return flops;
}

TEST(a_slender_body_touched_in_one_place_costs_no_more_than_untouched_and_is_halved_for_threads)
{
    BoxGraph g = box_graph(5, 5, 64, NULL);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    int last[40];
    double none = flops_of(pattern, 0, NULL);
    for (int at = 0; at <= 1560; at += 390) {
        for (int i = 0; i < 40; i++) last[i] = at + i;
        /* eliminated towards them: the same layers, up to where the two halves meet */
        CHECK(flops_of(pattern, 40, last) < 1.1 * none);
    }
    for (int i = 0; i < 40; i++) last[i] = 780 + i;
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 0));
    const TnSparse *plan = tn_sparse_plan_last(pattern, 40, last, &arena);
    CHECK(plan->task_count == 2);
    for (int t = 0; t < plan->task_count; t++) {
        double flops = 0.0;
        for (int f = plan->tasks[t].begin; f < plan->tasks[t].end; f++)
            flops += plan->fronts[f].flops;
        CHECK(flops < 0.55 * plan->sizes.flops);
    }
    tn_arena_free(&arena);
    free(g.edges);
    tn_sparse_pattern_free(pattern);
}

TEST(a_slender_body_held_between_two_jaws_costs_hardly_more_than_untouched)
{
    BoxGraph g = box_graph(5, 5, 64, NULL);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    int last[20];
    double none = flops_of(pattern, 0, NULL);
    for (int layer = 8; layer < 56; layer += 8) {
        for (int i = 0; i < 20; i++) /* two rows of five on either side */
            last[i] = 25 * (layer + i / 10) + (i / 5 % 2 ? 20 : 0) + i % 5;
        /* the layers stay those of the body; by distance from the jaws it would be 1.07 */
        CHECK(flops_of(pattern, 20, last) < 1.05 * none);
    }
    free(g.edges);
    tn_sparse_pattern_free(pattern);
}

/* Against counting what elimination fills in, node by node. */
TEST(entries_are_counted_as_elimination_makes_them)
{
    BoxGraph g = box_graph(4, 5, 6, NULL);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 0));
    TnSparseTree tree;
    REQUIRE(tn_sparse_tree_init(&tree, 120, &arena));
    for (int last_count = 0; last_count <= 20; last_count += 10)
        for (uint64_t seed = 1; seed < 6; seed++) {
            int order[120];
            uint64_t state = seed;
            for (int i = 0; i < 120; i++) order[i] = i;
            for (int i = 119; i > 0; i--) {
                int j = (int)(0.5 * (1.0 + box_uniform(&state)) * (i + 1)) % (i + 1), t = order[i];
                order[i] = order[j], order[j] = t;
            }
            double flops = tn_sparse_count(&tree, &pattern->graph, order, last_count), all = 0.0;
            static bool filled[120][120]; /* by places */
            memset(filled, 0, sizeof filled);
            for (int e = 0; e < g.edge_count; e++) {
                int i = tree.place[g.edges[e][0]], j = tree.place[g.edges[e][1]];
                filled[i][j] = filled[j][i] = true;
            }
            for (int i = 120 - last_count; i < 120; i++)
                for (int j = 120 - last_count; j < 120; j++) filled[i][j] = true;
            for (int k = 0; k < 120; k++) {
                int count = 1;
                for (int i = k + 1; i < 120; i++) {
                    count += filled[i][k];
                    for (int j = k + 1; filled[i][k] && j < 120; j++)
                        if (filled[j][k]) filled[i][j] = true;
                }
                CHECK(tree.count[k] == count);
                all += 27.0 * count * count;
            }
            CHECK_NEAR(flops, all, 0.0); /* whole numbers */
        }
    tn_arena_free(&arena);
    free(g.edges);
    tn_sparse_pattern_free(pattern);
}

TEST(patterns_refuse_bad_graphs_and_missing_memory)
{
    int loop[][2] = {{0, 1}, {1, 1}}, far[][2] = {{0, 4}}, fine[][2] = {{0, 1}, {1, 2}, {2, 3}};
    TnError err = {0};
    CHECK(!tn_sparse_pattern_create(0, 0, NULL, &err) && err.code == TN_ERROR_USAGE);
    err = (TnError){0};
    CHECK(!tn_sparse_pattern_create(4, 2, (const int(*)[2])loop, &err));
    CHECK(err.code == TN_ERROR_USAGE);
    err = (TnError){0};
    CHECK(!tn_sparse_pattern_create(4, 1, (const int(*)[2])far, &err));
    CHECK(err.code == TN_ERROR_USAGE);
    TnSparsePattern *pattern = NULL;
    for (int k = 0; k < 100 && !pattern; k++) {
        err = (TnError){0};
        tn_malloc_fail_after(k);
        pattern = tn_sparse_pattern_create(4, 3, (const int(*)[2])fine, &err);
        tn_malloc_fail_after(-1);
        CHECK(pattern ? k > 0 : err.code == TN_ERROR_MEMORY);
    }
    REQUIRE(pattern != NULL);
    TnSparse *plan = NULL;
    for (int k = 0; k < 100 && !plan; k++) { /* every request goes to the heap */
        TnArena arena;
        REQUIRE(tn_arena_init(&arena, "test", 0));
        tn_malloc_fail_after(k);
        plan = tn_sparse_plan_last(pattern, 1, fine[0], &arena);
        tn_malloc_fail_after(-1);
        CHECK(!plan || k > 0);
        tn_arena_free(&arena);
    }
    CHECK(plan != NULL);
    tn_sparse_pattern_free(pattern);
}
