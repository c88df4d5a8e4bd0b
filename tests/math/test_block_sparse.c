/* Factors of block matrices against the matrices themselves, dense, on graphs of many kinds. */
#include "../check.h"

#include "../gauss.h"
#include "base/base.h"
#include "math/kernels/block_kernels.h"

static uint64_t seed = 1;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(seed >> 11) / (double)(1ull << 52) - 1.0;
}
static int below(int n) { return (int)((uniform() * 0.5 + 0.5) * n) % n; }

/* On the heap; NULL: no memory. */
static TnBlockPlan *make_plan(const TnBlockGraph *graph)
{
    TnArena scratch;
    tn_arena_init(&scratch, "scratch", 0);
    TnBlockAnalysis *analysis = tn_block_analyse(graph, &scratch);
    TnBlockPlan *plan = NULL;
    if (analysis) plan = tn_block_plan_write(analysis, malloc(tn_block_plan_bytes(analysis)));
    tn_arena_free(&scratch);
    return plan;
}

/* ---- graphs ---- */

enum { MOST_NODES = 400, MOST_EDGES = 20000 };
typedef enum Shape { PATH, TREE, GRID, CUBE, CLIQUE, STAR, PARTS, ISOLATED, RANDOM, SHAPES } Shape;
typedef enum Sizes { SIXES, MIXED, ONE_LARGE, SIZES } Sizes;

typedef struct Case {
    TnBlockGraph graph;
    int dims[MOST_NODES], edges[MOST_EDGES][2];
} Case;

static int compare_edges(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void join(Case *c, int a, int b)
{
    if (a == b) return;
    c->edges[c->graph.edge_count][0] = a < b ? a : b;
    c->edges[c->graph.edge_count++][1] = a < b ? b : a;
}

/* Edges rising, each once, as the header asks for. */
static void settle(Case *c)
{
    int count = 0;
    qsort(c->edges, (size_t)c->graph.edge_count, sizeof *c->edges, compare_edges);
    for (int e = 0; e < c->graph.edge_count; e++)
        if (e == 0 || compare_edges(c->edges[e], c->edges[e - 1]) != 0)
            memmove(c->edges[count++], c->edges[e], sizeof *c->edges);
    c->graph.edge_count = count;
    c->graph.dims = c->dims;
    c->graph.edges = (const int(*)[2])c->edges;
}

static Case *make_case(Shape shape, Sizes sizes, int n)
{
    Case *c = calloc(1, sizeof *c);
    int side = shape == CUBE ? (int)cbrt(n + 0.5) : (int)sqrt(n + 0.5);
    if (shape == GRID) n = side * side;
    if (shape == CUBE) n = side * side * side;
    for (int i = 0; i < n; i++) switch (shape) {
        case PATH:
            join(c, i, i ? i - 1 : 0);
            break;
        case TREE:
            join(c, i, i ? below(i) : 0);
            break;
        case GRID:
            if (i % side) join(c, i, i - 1);
            if (i >= side) join(c, i, i - side);
            break;
        case CUBE:
            if (i % side) join(c, i, i - 1);
            if (i / side % side) join(c, i, i - side);
            if (i >= side * side) join(c, i, i - side * side);
            break;
        case CLIQUE:
            for (int j = 0; j < i; j++) join(c, i, j);
            break;
        case STAR:
            join(c, i, n / 2);
            break;
        case PARTS: /* three pieces, nodes numbered across them */
            if (i >= 3) join(c, i, i - 3);
            if (i >= 9) join(c, i, i - 9);
            break;
        case RANDOM:
            for (int k = 0; k < 2; k++) join(c, i, below(n));
            break;
        default:
            break;
        }
    c->graph.node_count = n;
    for (int i = 0; i < n; i++) {
        c->dims[i] = 6;
        if (sizes != SIXES && below(3) == 0) c->dims[i] = 1 + below(40);
    }
    if (sizes == ONE_LARGE) c->dims[n / 3] = 200;
    settle(c);
    return c;
}

/* ---- matrices ---- */

typedef struct System {
    int n;
    double *M, *b; /* dense, row-major */
} System;

static void add_block(System *s, const TnBlockPlan *plan, int r, int c, int i, int j, double value)
{
    s->M[(size_t)(plan->start[r] + i) * (size_t)s->n + (size_t)(plan->start[c] + j)] += value;
}

/* Σ (p e)(q e)ᵀ over nodes and edges, with e the unknowns of both ends: what constraints between
 * bodies do. Symmetric and positive definite where p = q and every node has a part of its own;
 * `stiffness` is that of the edges. Where not symmetric, q differs from p by less than makes the
 * symmetric part indefinite. */
static System make_system(const TnBlockGraph *graph, const TnBlockPlan *plan, bool symmetric,
                          double stiffness)
{
    System s = {plan->dim, NULL, NULL};
    s.M = calloc((size_t)s.n * (size_t)s.n + 1, sizeof(double));
    s.b = calloc((size_t)s.n + 1, sizeof(double));
    for (int i = 0; i < graph->node_count; i++)
        for (int a = 0; a < graph->dims[i]; a++) {
            add_block(&s, plan, i, i, a, a, 1.0 + 0.5 * uniform());
            for (int c = 0; c < a; c++) {
                double v = 0.3 * uniform() / graph->dims[i];
                add_block(&s, plan, i, i, a, c, v);
                add_block(&s, plan, i, i, c, a, symmetric ? v : -0.7 * v);
            }
        }
    double p[2][256], q[2][256];
    for (int e = 0; e < graph->edge_count; e++)
        for (int row = 0; row < 3; row++) {
            const int *ends = graph->edges[e];
            for (int k = 0; k < 2; k++)
                for (int a = 0; a < graph->dims[ends[k]]; a++) {
                    p[k][a] = uniform();
                    q[k][a] = symmetric ? p[k][a] : p[k][a] + 0.1 * uniform() / stiffness;
                }
            for (int k = 0; k < 2; k++)
                for (int l = 0; l < 2; l++)
                    for (int a = 0; a < graph->dims[ends[k]]; a++)
                        for (int c = 0; c < graph->dims[ends[l]]; c++)
                            add_block(&s, plan, ends[k], ends[l], a, c,
                                      stiffness * p[k][a] * q[l][c]);
        }
    for (int i = 0; i < s.n; i++) s.b[i] = uniform();
    return s;
}

static void free_system(System *s)
{
    free(s->M);
    free(s->b);
}

/* The values as block_sparse.h lays them out; a symmetric one without `upper`. */
static double *lay_out(const TnBlockPlan *plan, const TnBlockGraph *graph, const System *s,
                       bool symmetric)
{
    double *values = calloc((symmetric ? 1 : 2) * plan->size + 1, sizeof(double));
    size_t n = (size_t)s->n;
    for (int i = 0; i < graph->node_count; i++)
        for (int a = 0; a < graph->dims[i]; a++)
            for (int c = 0; c < graph->dims[i]; c++)
                values[plan->diagonal[i] + (size_t)(a * graph->dims[i] + c)] =
                    s->M[(size_t)(plan->start[i] + a) * n + (size_t)(plan->start[i] + c)];
    for (int e = 0; e < graph->edge_count; e++) {
        int a = graph->edges[e][0], b = graph->edges[e][1];
        int r = plan->flip[e] ? a : b, c = plan->flip[e] ? b : a;
        for (int i = 0; i < graph->dims[r]; i++)
            for (int j = 0; j < graph->dims[c]; j++) {
                size_t at = plan->edge[e] + (size_t)(i * graph->dims[c] + j);
                size_t y = (size_t)(plan->start[r] + i), x = (size_t)(plan->start[c] + j);
                values[at] = s->M[y * n + x];
                if (!symmetric) values[plan->size + at] = s->M[x * n + y];
            }
    }
    return values;
}

/* |M x - b| over |M| |x| + |b|, largest entries: what a solver without errors but in its input's
 * last digits leaves. */
static double backward_error(const System *s, const double *x)
{
    double worst = 0.0, size = 0.0, largest_x = 0.0, largest_b = 0.0;
    for (int i = 0; i < s->n; i++) {
        double r = -s->b[i], row = 0.0;
        for (int j = 0; j < s->n; j++) {
            double m = s->M[(size_t)i * (size_t)s->n + (size_t)j];
            r += m * x[j];
            row += fabs(m);
        }
        worst = fmax(worst, isnan(r) ? INFINITY : fabs(r));
        size = fmax(size, row);
        largest_x = fmax(largest_x, fabs(x[i]));
        largest_b = fmax(largest_b, fabs(s->b[i]));
    }
    return worst / (size * largest_x + largest_b + 1e-300);
}

/* x ← M⁻¹ b by elimination with partial pivoting, without any sparsity. */
static void dense_solve(const System *s, double *x)
{
    size_t n = (size_t)s->n;
    double *M = malloc((n * n + 1) * sizeof(double));
    memcpy(M, s->M, n * n * sizeof(double));
    memcpy(x, s->b, n * sizeof(double));
    CHECK(gauss(s->n, M, x, 1e-300));
    free(M);
}

static const TnBlockKernels *kernels_at(int k)
{
    return k == 0 ? tn_block_kernels_plain() : tn_block_kernels_avx2();
}

static void check_case(const Case *c, bool symmetric, double stiffness, bool dense)
{
    TnBlockPlan *plan = make_plan(&c->graph);
    REQUIRE(plan);
    System s = make_system(&c->graph, plan, symmetric, stiffness);
    size_t n = (size_t)s.n;
    double *x = malloc((n + 1) * sizeof(double)), *expected = malloc((n + 1) * sizeof(double));
    if (dense) dense_solve(&s, expected);
    for (int k = 0; k < 2; k++) {
        const TnBlockKernels *kernels = kernels_at(k);
        if (!kernels) continue;
        double *values = lay_out(plan, &c->graph, &s, symmetric);
        memcpy(x, s.b, n * sizeof *x);
        if (symmetric) {
            CHECK(kernels->factor_symmetric(plan, values));
            kernels->solve_symmetric(plan, values, x);
        } else {
            CHECK(kernels->factor_general(plan, values));
            kernels->solve_general(plan, values, x);
        }
        /* sums of up to 1500 products, each rounded to 1e-16, whose errors add like a random walk's
         * steps; stable elimination keeps that independent of the stiffness */
        CHECK_NEAR(backward_error(&s, x), 0.0, 4e-15);
        double error = 0.0, largest = 0.0;
        for (size_t i = 0; dense && i < n; i++) {
            error = fmax(error, fabs(x[i] - expected[i]));
            largest = fmax(largest, fabs(expected[i]));
        }
        /* that, times a condition of about a thousand for stiffness 1 */
        if (dense) CHECK_NEAR(error, 0.0, 1e-10 * largest);
        free(values);
    }
    free(x);
    free(expected);
    free_system(&s);
    free(plan);
}

static void check_all(Sizes sizes, int nodes, bool symmetric)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        int n = shape == CLIQUE ? nodes / 2 : nodes;
        Case *c = make_case((Shape)shape, sizes, n);
        check_case(c, symmetric, 1.0, sizes == SIXES);
        free(c);
    }
}

TEST(symmetric_systems_of_sixes_are_solved_on_any_graph) { check_all(SIXES, 30, true); }
TEST(general_systems_of_sixes_are_solved_on_any_graph) { check_all(SIXES, 30, false); }
TEST(symmetric_systems_of_nodes_of_any_size_are_solved) { check_all(MIXED, 24, true); }
TEST(general_systems_of_nodes_of_any_size_are_solved) { check_all(MIXED, 24, false); }
TEST(a_large_node_is_eliminated_in_strips)
{
    check_all(ONE_LARGE, 12, true);
    check_all(ONE_LARGE, 12, false);
    for (int symmetric = 0; symmetric < 2; symmetric++) { /* first in the order, much below it */
        Case *c = make_case(CLIQUE, SIXES, 9);
        c->dims[0] = 77, c->dims[1] = 65, c->dims[2] = 33, c->dims[3] = 32;
        check_case(c, symmetric, 1.0, false);
        free(c);
    }
}

TEST(constraints_a_million_times_as_stiff_as_the_bodies_cost_no_digits_of_the_residual)
{
    for (int sizes = 0; sizes < SIZES; sizes++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int symmetric = 0; symmetric < 2; symmetric++) {
                Case *c = make_case((Shape)shape, (Sizes)sizes, 12);
                check_case(c, symmetric, 1e6, false);
                free(c);
            }
}

TEST(pivots_are_exchanged_within_diagonal_blocks)
{
    /* [0 1; 1 0] blocks have no LU without; node 1 of six, node 0 of two, coupled weakly */
    Case *c = make_case(PATH, SIXES, 3);
    c->dims[0] = 2, c->dims[2] = 4;
    TnBlockPlan *plan = make_plan(&c->graph);
    REQUIRE(plan);
    System s = make_system(&c->graph, plan, true, 1e-3);
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j < s.n; j++) {
            double *m = &s.M[i * s.n + j];
            *m = (i ^ 1) == j ? 1.0 : i == j ? 0.0 : 1e-2 * *m;
        }
    for (int k = 0; k < 2; k++) {
        if (!kernels_at(k)) continue;
        double *values = lay_out(plan, &c->graph, &s, false), x[12];
        memcpy(x, s.b, sizeof x);
        CHECK(kernels_at(k)->factor_general(plan, values));
        kernels_at(k)->solve_general(plan, values, x);
        CHECK_NEAR(backward_error(&s, x), 0.0, 1e-15); /* twelve unknowns: a few last digits */
        free(values);
    }
    free_system(&s);
    free(plan);
    free(c);
}

TEST(matrices_without_a_factor_are_reported)
{
    for (int sizes = 0; sizes < SIZES; sizes++)
        for (int node = 0; node < 9; node++) {
            Case *c = make_case(GRID, (Sizes)sizes, 9);
            TnBlockPlan *plan = make_plan(&c->graph);
            REQUIRE(plan);
            System s = make_system(&c->graph, plan, true, 1.0);
            const double bad[] = {-1e3, NAN, INFINITY};
            for (int b = 0; b < 3; b++)
                for (int k = 0; k < 2; k++) {
                    if (!kernels_at(k)) continue;
                    double *values = lay_out(plan, &c->graph, &s, true);
                    values[plan->diagonal[node] + (size_t)(plan->dims[node] * plan->dims[node]) -
                           1] = bad[b];
                    CHECK(!kernels_at(k)->factor_symmetric(plan, values));
                    free(values);
                    values = lay_out(plan, &c->graph, &s, false);
                    values[plan->diagonal[node]] = b == 0 ? 1e3 : bad[b]; /* the first is fine */
                    CHECK(kernels_at(k)->factor_general(plan, values) == (b == 0));
                    free(values);
                    /* a row of zeros: singular */
                    values = lay_out(plan, &c->graph, &s, false);
                    for (int e = 0; e < plan->edge_count; e++) {
                        int r = c->edges[e][plan->flip[e] ? 0 : 1];
                        int l = c->edges[e][plan->flip[e] ? 1 : 0];
                        size_t count = (size_t)(plan->dims[r] * plan->dims[l]) * sizeof *values;
                        if (r == node) memset(values + plan->edge[e], 0, count);
                        if (l == node) memset(values + plan->size + plan->edge[e], 0, count);
                    }
                    memset(values + plan->diagonal[node], 0,
                           (size_t)(plan->dims[node] * plan->dims[node]) * sizeof *values);
                    CHECK(!kernels_at(k)->factor_general(plan, values));
                    free(values);
                }
            free_system(&s);
            free(plan);
            free(c);
        }
}

/* ---- plans ---- */

static bool same_plans(const TnBlockPlan *a, const TnBlockPlan *b)
{
    size_t n = (size_t)a->node_count, m = (size_t)a->edge_count;
    return a->size == b->size && a->hash == b->hash && a->flops == b->flops &&
           !memcmp(a->diagonal, b->diagonal, n * sizeof *a->diagonal) &&
           !memcmp(a->edge, b->edge, m * sizeof *a->edge) && !memcmp(a->flip, b->flip, m) &&
           !memcmp(a->program->columns, b->program->columns, n * sizeof(TnBlockColumn));
}

TEST(a_plan_is_a_function_of_the_graph_and_fits_no_other)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        Case *c = make_case((Shape)shape, MIXED, 27);
        TnBlockPlan *a = make_plan(&c->graph), *b = make_plan(&c->graph);
        REQUIRE(a && b);
        CHECK(same_plans(a, b));
        CHECK(a->hash == tn_block_graph_hash(&c->graph));
        CHECK(tn_block_plan_fits(a, &c->graph));
        c->dims[5]++;
        CHECK(!tn_block_plan_fits(a, &c->graph) && a->hash != tn_block_graph_hash(&c->graph));
        c->dims[5]--;
        if (c->graph.edge_count > 0) {
            int last = c->graph.edge_count - 1, *end = &c->edges[last][1], old = *end;
            c->graph.edge_count--;
            CHECK(!tn_block_plan_fits(a, &c->graph) && a->hash != tn_block_graph_hash(&c->graph));
            c->graph.edge_count++;
            *end = old == 0 ? 1 : old - 1;
            CHECK(!tn_block_plan_fits(a, &c->graph) && a->hash != tn_block_graph_hash(&c->graph));
            *end = old;
        }
        CHECK(tn_block_plan_fits(b, &c->graph));
        free(a);
        free(b);
        free(c);
    }
}

TEST(forests_have_no_fill)
{
    const Shape forests[] = {PATH, TREE, STAR, ISOLATED};
    for (int k = 0; k < 4; k++) {
        Case *c = make_case(forests[k], SIXES, 300);
        TnBlockPlan *plan = make_plan(&c->graph);
        REQUIRE(plan);
        int blocks = 0;
        for (int i = 0; i < 300; i++) blocks += plan->program->columns[i].count;
        CHECK(blocks == c->graph.edge_count);
        free(plan);
        free(c);
    }
}

TEST(a_grid_has_less_than_half_the_fill_of_elimination_row_by_row)
{
    Case *c = make_case(GRID, SIXES, 400);
    TnBlockPlan *plan = make_plan(&c->graph);
    REQUIRE(plan);
    double blocks = 0.0;
    for (int i = 0; i < 400; i++) blocks += plan->program->columns[i].count;
    /* row by row every node has the 20 nodes of the front below it */
    CHECK(blocks < 0.5 * 400 * 20);
    free(plan);
    free(c);
}

/* Without fill, and in moments: quadratic work would take minutes. */
TEST(a_path_and_a_star_of_a_hundred_thousand_nodes_are_planned)
{
    enum { N = 100000 };
    int *dims = malloc(N * sizeof *dims), (*edges)[2] = malloc(N * sizeof *edges);
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < N; i++) dims[i] = 6;
        for (int e = 0; e < N - 1; e++) {
            edges[e][0] = kind == 0 ? e : 0;
            edges[e][1] = e + 1;
        }
        TnBlockGraph graph = {N, dims, N - 1, (const int(*)[2])edges};
        TnBlockPlan *plan = make_plan(&graph);
        REQUIRE(plan);
        CHECK(plan->size == 36u * (2 * N - 1) + 36u);
        free(plan);
    }
    free(dims);
    free(edges);
}

TEST(nothing_has_a_plan_and_a_factor)
{
    TnBlockGraph graph = {0};
    TnBlockPlan *plan = make_plan(&graph);
    REQUIRE(plan);
    double values[1] = {7.0}, x[1] = {7.0};
    CHECK(plan->dim == 0 && plan->size == 0 && plan->flops == 0.0);
    CHECK(tn_block_plan_fits(plan, &graph));
    CHECK(tn_block_factor_symmetric(plan, values) && tn_block_factor_general(plan, values));
    tn_block_solve_symmetric(plan, values, x);
    tn_block_solve_general(plan, values, x);
    CHECK(values[0] == 7.0 && x[0] == 7.0);
    free(plan);
}

/* Fill is so large that elements have to make room for each other. */
TEST(graphs_with_much_fill_are_planned_as_well)
{
    enum { N = 4000, DEGREE = 3 };
    static int dims[N], edges[N * DEGREE][2];
    int count = 0;
    for (int i = 0; i < N; i++) {
        dims[i] = 1 + i % 3;
        for (int k = 0; k < DEGREE; k++) {
            int j = below(N);
            if (i == j) continue;
            edges[count][0] = i < j ? i : j;
            edges[count++][1] = i < j ? j : i;
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    int kept = 0;
    for (int e = 0; e < count; e++)
        if (e == 0 || compare_edges(edges[e], edges[e - 1]) != 0)
            memmove(edges[kept++], edges[e], sizeof *edges);
    TnBlockGraph graph = {N, dims, kept, (const int(*)[2])edges};
    TnBlockPlan *plan = make_plan(&graph);
    REQUIRE(plan);
    static bool seen[N * 3];
    int blocks = 0, starts = 0;
    for (int k = 0; k < N; k++) {
        const TnBlockColumn *column = &plan->program->columns[k];
        blocks += column->count;
        starts += !seen[column->start];
        seen[column->start] = true;
    }
    CHECK(blocks > 6 * kept); /* more than the pool of block_order.c can take at once */
    CHECK(starts == N);       /* each node is a column */
    free(plan);
}

TEST(without_memory_there_is_no_analysis_and_no_leak)
{
    Case *c = make_case(CUBE, MIXED, 64);
    TnBlockPlan *plan = NULL;
    int failures = 0;
    for (long calls = 0; !plan && calls < 100; calls++) {
        tn_malloc_fail_after(calls);
        plan = make_plan(&c->graph);
        tn_malloc_fail_after(-1);
        failures += !plan;
    }
    CHECK(plan && failures >= 5); /* work, order, its lists, below */
    if (plan) check_case(c, true, 1.0, false);
    free(plan);
    free(c);
}

TEST(a_plan_is_made_without_the_heap)
{
    Case *c = make_case(CUBE, MIXED, 64);
    TnArena scratch;
    REQUIRE(tn_arena_init(&scratch, "scratch", 1 << 20));
    long before = tn_malloc_count();
    TnBlockAnalysis *analysis = tn_block_analyse(&c->graph, &scratch);
    REQUIRE(analysis);
    size_t bytes = tn_block_plan_bytes(analysis);
    TnBlockPlan *plan = tn_block_plan_write(analysis, tn_arena_alloc(&scratch, bytes));
    CHECK(tn_block_plan_fits(plan, &c->graph));
    CHECK(tn_malloc_count() == before);
    tn_arena_free(&scratch);
    free(c);
}

TEST(a_factor_allocates_nothing)
{
    Case *c = make_case(CUBE, ONE_LARGE, 27);
    TnBlockPlan *plan = make_plan(&c->graph);
    REQUIRE(plan);
    System s = make_system(&c->graph, plan, true, 1.0);
    double *values = lay_out(plan, &c->graph, &s, false);
    long before = tn_malloc_count();
    CHECK(tn_block_factor_general(plan, values));
    tn_block_solve_general(plan, values, s.b);
    CHECK(tn_malloc_count() == before);
    free(values);
    free_system(&s);
    free(plan);
    free(c);
}
