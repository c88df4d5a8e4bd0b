/* Plans whose last nodes change, and the Schur complement on these, against dense matrices.
 * Matrices have eigenvalues between 1 and about 100 and at most 1000 unknowns, so solutions
 * agree to about 100·1000·2⁻⁵³ ≈ 1e-11; so do entries of S, which are below 100. */
#include "../check.h"

#include "base/base.h"
#include "box_graph.h"
#include "math/cholesky.h"
#include "math/kernels/dense_kernels.h"
#include "math/sparse/sparse_pattern.h"
#include "math/sparse/sparse_plan.h"

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
    Reduced r = {.plan = tn_sparse_plan_last(pattern, NULL, last_count, last, arena)};
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
            size_t end = (size_t)tn_dense_end(front->stair, front->ld / 8, j);
            size_t rows = 3 * (size_t)(front->width + front->below);
            size_t count = (end < rows ? end : rows) - (size_t)j;
            if (memcmp(a->factor + at, b->factor + at, sizeof(double) * count) != 0) return false;
        }
    }
    return true;
}

/* A box in which all nodes of a cell are joined, as mean dilatation joins them. */
static BoxGraph coupled_box(int nx, int ny, int nz)
{
    BoxGraph g = {.node_count = nx * ny * nz};
    g.edges = malloc(sizeof *g.edges * 13 * (size_t)g.node_count);
    for (int i = 0; i < g.node_count; i++)
        for (int d = 14; d < 27; d++) { /* the half of the 26 neighbours that has higher numbers */
            int x = i % nx + d % 3 - 1, y = i / nx % ny + d / 3 % 3 - 1,
                z = i / (nx * ny) + d / 9 - 1;
            if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) continue;
            g.edges[g.edge_count][0] = i;
            g.edges[g.edge_count++][1] = x + nx * (y + ny * z);
        }
    return g;
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
    tn_sparse_backward(r.plan, r.factor, 1, y, x, r.solve_work, NULL);
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
/* Both halves of a solve: b is eliminated along, and the rest follows from the last nodes. */
static bool same_solution(const Reduced *one, const double (*blocks)[9], TnArena *arena,
                          TnPool *pool)
{
    int n = 3 * one->plan->node_count;
    double *b = TN_ARENA_NEW(arena, double, n), *x[2], *y[2];
    uint64_t seed = 5;
    for (int i = 0; i < n; i++) b[i] = box_uniform(&seed);
    for (int k = 0; k < 2; k++) {
        x[k] = TN_ARENA_NEW(arena, double, n);
        y[k] = TN_ARENA_NEW(arena, double, one->sizes.solve_work);
        for (size_t i = 0; i < one->sizes.solve_work; i++) y[k][i] = NAN;
        CHECK(tn_sparse_reduce(one->plan, blocks, b, one->factor, one->work, one->S, one->stride,
                               y[k], k ? pool : NULL));
        tn_sparse_backward(one->plan, one->factor, 1, y[k], x[k], one->solve_work, k ? pool : NULL);
    }
    for (int i = 0; i < n; i++) CHECK(isfinite(x[0][i]));
    return memcmp(x[0], x[1], sizeof(double) * (size_t)n) == 0 &&
           memcmp(y[0], y[1], sizeof(double) * (size_t)n) == 0;
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const int boxes[][3] = {{5, 5, 40}, {12, 12, 12}, {6, 6, 6}, {6, 6, 44}};
    for (int b = 0; b < 4; b++) {
        BoxGraph g = b == 3 ? coupled_box(6, 6, 44) /* slabs */
                            : box_graph(boxes[b][0], boxes[b][1], boxes[b][2], NULL);
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
                CHECK(same_solution(&r, (const double(*)[9])blocks, &arena, pool));
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
        plans[k] = tn_sparse_plan_last(pattern, NULL, 5, last, &arenas[k]);
        REQUIRE(plans[k] != NULL);
        CHECK(tn_malloc_count() == before); /* nor does it need the heap */
    }
    const TnSparse *a = plans[0], *b = plans[1];
    CHECK(memcmp(&a->sizes, &b->sizes, sizeof a->sizes) == 0);
    CHECK(a->task_count == b->task_count && memcmp(a->tasks, b->tasks, sizeof a->tasks) == 0);
    CHECK(a->front_count == b->front_count);
    CHECK(memcmp(a->order, b->order, sizeof(int) * (size_t)a->node_count) == 0);
    CHECK(memcmp(a->place, b->place, sizeof(int) * (size_t)a->node_count) == 0);
    for (int f = 0; f < a->front_count; f++) {
        const TnSparseFront *x = &a->fronts[f], *y = &b->fronts[f];
        CHECK(x->first == y->first && x->at == y->at && x->width == y->width &&
              x->below == y->below && x->ld == y->ld && x->parent == y->parent &&
              x->child == y->child && x->sibling == y->sibling && x->panel == y->panel &&
              x->update == y->update && x->update_alone == y->update_alone &&
              x->vector == y->vector && x->entry_count == y->entry_count && x->task == y->task);
        CHECK(memcmp(x->rows, y->rows, sizeof(int) * (size_t)x->below) == 0);
        for (int e = 0; e < x->entry_count; e++)
            CHECK(x->entries[e].block == y->entries[e].block &&
                  x->entries[e].row == y->entries[e].row &&
                  x->entries[e].column == y->entries[e].column &&
                  x->entries[e].transposed == y->entries[e].transposed);
        if (x->parent >= 0)
            CHECK(memcmp(x->map, y->map, sizeof *x->map * (size_t)(a->fronts[x->parent].ld / 8)) ==
                  0);
        CHECK(!x->stair == !y->stair);
        if (x->stair) CHECK(memcmp(x->stair, y->stair, sizeof(int) * (size_t)(x->ld / 8)) == 0);
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
    double flops =
        tn_sparse_sizes(tn_sparse_plan_last(pattern, NULL, last_count, last, &arena)).flops;
    tn_arena_free(&arena);
    return flops;
}

/* Operations that come one after the other, however many threads there are. */
static double longest_way(const TnSparse *plan)
{
    double way[TN_SPARSE_TASKS], longest = 0.0;
    for (int t = plan->task_count - 1; t >= 0; t--) {
        const TnSparseTask *task = &plan->tasks[t];
        way[t] = task->parent < 0 ? 0.0 : way[task->parent];
        for (int f = task->begin; f < task->end; f++) way[t] += plan->fronts[f].flops;
        longest = fmax(longest, way[t]);
    }
    return longest;
}

static double layers_of(const BoxGraph *g)
{
    TnSparseDef def = {g->node_count, g->edge_count,         (const int(*)[2])g->edges, 0,
                       NULL,          TN_SPARSE_ORDER_LAYERS};
    TnSparse *plan = tn_sparse_plan(&def, NULL);
    double flops = tn_sparse_sizes(plan).flops;
    tn_sparse_free(plan);
    return flops;
}

/* Wherever it is touched; at an end, separators come one after the other along all of it. */
TEST(a_slender_body_costs_little_more_than_in_layers_and_threads_share_most_of_it)
{
    BoxGraph g = coupled_box(6, 6, 44);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    int last[30];
    double none = flops_of(pattern, 0, NULL), layers = layers_of(&g);
    CHECK(none < 1.3 * layers);
    for (int level = 0; level < 43; level += 3) {
        for (int i = 0; i < 30; i++) last[i] = 36 * level + 2 * i;
        TnArena arena;
        REQUIRE(tn_arena_init(&arena, "test", 0));
        const TnSparse *plan = tn_sparse_plan_last(pattern, NULL, 30, last, &arena);
        CHECK(plan->sizes.flops < 1.45 * layers);
        CHECK(longest_way(plan) < 0.45 * plan->sizes.flops);
        if (level > 12 && level < 30) CHECK(longest_way(plan) < 0.35 * plan->sizes.flops);
        tn_arena_free(&arena);
    }
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
        CHECK(flops_of(pattern, 20, last) < 1.15 * none);
    }
    free(g.edges);
    tn_sparse_pattern_free(pattern);
}

/* Plans of sets with the same root are made from one plan, those of other sets from another. */
TEST(a_plan_from_a_plan_that_was_made_before_is_the_same)
{
    BoxGraph g = coupled_box(6, 6, 44);
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(g.node_count, g.edge_count, (const int(*)[2])g.edges, NULL);
    for (int at = 0; at < g.node_count - 30; at += 197) {
        int last[30];
        for (int i = 0; i < 30; i++) last[i] = at + i;
        TnArena arena;
        REQUIRE(tn_arena_init(&arena, "test", 0));
        const TnSparse *base =
            tn_sparse_base(pattern, tn_sparse_root(pattern, 30, last, &arena), &arena);
        const TnSparse *a = tn_sparse_plan_last(pattern, base, 30, last, &arena);
        const TnSparse *b = tn_sparse_plan_last(pattern, NULL, 30, last, &arena);
        CHECK(memcmp(&a->sizes, &b->sizes, sizeof a->sizes) == 0);
        CHECK(memcmp(a->order, b->order, sizeof(int) * (size_t)a->node_count) == 0);
        tn_arena_free(&arena);
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
        plan = tn_sparse_plan_last(pattern, NULL, 1, fine[0], &arena);
        tn_malloc_fail_after(-1);
        CHECK(!plan || k > 0);
        tn_arena_free(&arena);
    }
    CHECK(plan != NULL);
    tn_sparse_pattern_free(pattern);
}
