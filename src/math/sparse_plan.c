/* sparse_plan.c: makes the plan of a sparse factorization: chooses an order, and lays out fronts, rows,
 * runs and entries (sparse_plan.h) in one block of memory. */
#include "sparse_plan.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../base/arena.h"
#include "kernels/dense_kernels.h"
#include "sparse_tree.h"

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static bool check(const TnSparseDef *def, TnError *err)
{
    int n = def->node_count;
    if (n < 1 || n > INT_MAX / 64 || def->edge_count < 0 || def->edge_count > INT_MAX / 4 ||
        def->last_count < 0 || def->last_count > n) {
        tn_error_add(err, TN_ERROR_USAGE, "sparse: %d nodes, %d edges, %d last nodes", n,
                     def->edge_count, def->last_count);
        return false;
    }
    for (int e = 0; e < def->edge_count; e++) {
        int i = def->edges[e][0], j = def->edges[e][1];
        if (i < 0 || j < 0 || i >= n || j >= n || i == j) {
            tn_error_add(err, TN_ERROR_USAGE, "sparse: edge %d joins %d and %d", e, i, j);
            return false;
        }
    }
    for (int k = 0; k < def->last_count; k++)
        if (def->last[k] < 0 || def->last[k] >= n) {
            tn_error_add(err, TN_ERROR_USAGE, "sparse: last node %d of %d", def->last[k], n);
            return false;
        }
    return true;
}

/* The graph as lists of neighbours. */
static bool make_graph(const TnSparseDef *def, TnArena *arena, TnGraph *graph)
{
    int n = def->node_count;
    int *first = TN_ARENA_ZERO(arena, int, n + 2);
    int *neighbour = TN_ARENA_NEW(arena, int, 2 * (size_t)def->edge_count + 1);
    if (!first || !neighbour) return false;
    for (int e = 0; e < def->edge_count; e++)
        first[def->edges[e][0] + 2]++, first[def->edges[e][1] + 2]++;
    for (int i = 2; i <= n + 1; i++) first[i] += first[i - 1];
    for (int e = 0; e < def->edge_count; e++) { /* first[i + 1] moves to where i's list ends */
        int i = def->edges[e][0], j = def->edges[e][1];
        neighbour[first[i + 1]++] = j;
        neighbour[first[j + 1]++] = i;
    }
    *graph = (TnGraph){n, first, neighbour};
    return true;
}

/* The cheaper order into `order`; its tree stays in `tree`. False: no memory. */
static bool choose_order(const TnSparseDef *def, const TnGraph *graph, TnArena *arena,
                         TnSparseTree *tree, int *order, bool *left_out, bool *layers)
{
    int n = def->node_count, last = n - def->last_count;
    int *work = TN_ARENA_NEW(arena, int, TN_GRAPH_WORK *(size_t)n);
    int *other = TN_ARENA_NEW(arena, int, n);
    if (!work || !other) return false;
    for (int k = 0; k < def->last_count; k++) order[last + k] = other[last + k] = def->last[k];
    *layers = def->order == TN_SPARSE_ORDER_LAYERS;
    if (*layers) {
        tn_graph_layers(graph, left_out, order, work);
    } else {
        tn_graph_dissect(graph, left_out, order, work);
    }
    tree->flops = tn_sparse_count(tree, graph, order, def->last_count, INFINITY);
    if (def->order != TN_SPARSE_ORDER_BEST) return true;
    tn_graph_layers(graph, left_out, other, work);
    double flops = tn_sparse_count(tree, graph, other, def->last_count, tree->flops);
    if (flops < tree->flops) {
        *layers = true;
        tree->flops = flops;
        memcpy(order, other, sizeof(int) * (size_t)n);
    } else {
        tn_sparse_count(tree, graph, order, def->last_count, INFINITY);
    }
    return true;
}

static void sort_ints(int *a, int count)
{
    int gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < count; i++) {
            int value = a[i], j = i;
            for (; j >= gap && a[j - gap] > value; j -= gap) a[j] = a[j - gap];
            a[j] = value;
        }
}

/* Rows below each front: what its nodes' neighbours and its children's rows leave behind it. */
static void find_rows(TnSparse *plan, const TnGraph *graph, int *mark)
{
    int used = 0;
    for (int k = 0; k < plan->node_count; k++) mark[k] = -1;
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        int end = front->first + front->width, *rows = plan->rows + used, count = 0;
        for (int k = front->first; k < end; k++) {
            int i = plan->order[k];
            for (int e = graph->first[i]; e < graph->first[i + 1]; e++) {
                int r = plan->place[graph->neighbour[e]];
                if (r >= end && mark[r] != f) mark[r] = f, rows[count++] = r;
            }
        }
        for (int c = front->child; c >= 0; c = plan->fronts[c].sibling)
            for (int k = 0; k < plan->fronts[c].below; k++) {
                int r = plan->rows[plan->fronts[c].rows + k];
                if (r >= end && mark[r] != f) mark[r] = f, rows[count++] = r;
            }
        TN_ASSERT(count == front->below);
        sort_ints(rows, count);
        front->rows = used;
        used += count;
        front->parent = count > 0 ? plan->front_of[rows[0]] : -1;
        if (front->parent >= 0) { /* children in falling order: any fixed order will do */
            front->sibling = plan->fronts[front->parent].child;
            plan->fronts[front->parent].child = f;
        }
    }
}

/* Where a place is in a front, in nodes. */
static int find_row(const TnSparse *plan, const TnSparseFront *front, int place)
{
    if (place < front->first + front->width) return place - front->first;
    const int *rows = plan->rows + front->rows;
    int low = 0, high = front->below - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rows[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return front->width + low;
}

static void find_runs(TnSparse *plan)
{
    int used = 0;
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        front->run_begin = used;
        for (int k = 0; k < front->below; k++) {
            int to = find_row(plan, &plan->fronts[front->parent], plan->rows[front->rows + k]);
            TnSparseRun *run = used > front->run_begin ? &plan->runs[used - 1] : NULL;
            if (run && run->to + run->count == to)
                run->count++;
            else
                plan->runs[used++] = (TnSparseRun){k, to, 1};
        }
        front->run_end = used;
    }
}

static void find_entries(TnSparse *plan, const TnSparseDef *def)
{
    int n = plan->node_count, blocks = n + def->edge_count, used = 0;
    for (int pass = 0; pass < 2; pass++) { /* counts, then places them */
        for (int b = 0; b < blocks; b++) {
            int i = plan->place[b < n ? b : def->edges[b - n][0]];
            int j = plan->place[b < n ? b : def->edges[b - n][1]];
            int row = i > j ? i : j, column = i > j ? j : i;
            TnSparseFront *front = &plan->fronts[plan->front_of[column]];
            if (pass > 0)
                plan->entries[front->entry_end] =
                    (TnSparseEntry){b, find_row(plan, front, row), column - front->first, i < j};
            front->entry_end++;
        }
        for (int f = 0; pass == 0 && f < plan->front_count; f++) {
            TnSparseFront *front = &plan->fronts[f];
            front->entry_begin = used;
            used += front->entry_end;
            front->entry_end = front->entry_begin;
        }
    }
}

/* Sizes, and places in memory of panels and updates. */
static void lay_out(TnSparse *plan, int *depth)
{
    TnSparseSizes *sizes = &plan->sizes;
    size_t top[2] = {0, 0}, most[2] = {0, 0};
    int most_ld = 0;
    for (int f = plan->front_count - 1; f >= 0; f--) {
        int up = plan->fronts[f].parent;
        depth[f] = up < 0 ? 0 : depth[up] + 1;
    }
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        int width = 3 * front->width, rows = width + 3 * front->below, own = depth[f] & 1;
        front->ld = (rows + 7) & ~7;
        if (front->ld > most_ld) most_ld = front->ld;
        if (rows > sizes->widest) sizes->widest = rows;
        front->panel = sizes->factor;
        sizes->factor += (size_t)front->ld * (size_t)width;
        front->update = top[own];
        top[own] += (size_t)(front->ld - (width & ~7)) * 3 * (size_t)front->below;
        if (top[own] > most[own]) most[own] = top[own];
        if (front->child >= 0) { /* the first child in the list is the last one put on the stack */
            int c = front->child;
            while (plan->fronts[c].sibling >= 0) c = plan->fronts[c].sibling;
            top[1 - own] = plan->fronts[c].update;
        }
        double w = width, m = 3.0 * front->below;
        sizes->nonzeros += w * (w + 1.0) / 2.0 + w * m;
        sizes->flops += w * w * w / 3.0 + w * w * m + w * m * m;
    }
    for (int f = 0; f < plan->front_count; f++)
        if (depth[f] & 1) plan->fronts[f].update += most[0];
    sizes->factor_work = most[0] + most[1];
    sizes->solve_work = ((3 * (size_t)plan->node_count + 7) & ~(size_t)7) + (size_t)most_ld;
    sizes->front_count = plan->front_count;
}

/* One block of memory for everything that the tree needs. */
static TnSparse *allocate(const TnSparseDef *def, const TnSparseTree *tree)
{
    size_t n = (size_t)def->node_count, fronts = (size_t)tree->front_count, rows = 0;
    for (size_t f = 0; f < fronts; f++) rows += (size_t)tree->front_below[f];
    if (rows > INT_MAX) return NULL;
    size_t sizes[8] = {sizeof(TnSparse),
                       fronts * sizeof(TnSparseFront),
                       n * sizeof(int),
                       n * sizeof(int),
                       n * sizeof(int),
                       rows * sizeof(int),
                       (n + (size_t)def->edge_count) * sizeof(TnSparseEntry),
                       rows * sizeof(TnSparseRun)};
    size_t at[9] = {0};
    for (int k = 0; k < 8; k++) at[k + 1] = at[k] + round_up(sizes[k]);
    char *memory = tn_calloc(at[8], 1);
    if (!memory) return NULL;
    TnSparse *plan = (TnSparse *)memory;
    plan->fronts = (TnSparseFront *)(memory + at[1]);
    plan->order = (int *)(memory + at[2]);
    plan->place = (int *)(memory + at[3]);
    plan->front_of = (int *)(memory + at[4]);
    plan->rows = (int *)(memory + at[5]);
    plan->entries = (TnSparseEntry *)(memory + at[6]);
    plan->runs = (TnSparseRun *)(memory + at[7]);
    return plan;
}

static TnSparse *make_plan(const TnSparseDef *def, TnArena *arena, TnError *err)
{
    size_t n = (size_t)def->node_count;
    TnGraph graph;
    TnSparseTree tree = {0};
    int **arrays[] = {&tree.front_first, &tree.front_below, &tree.parent, &tree.count, &tree.mark,
                      &tree.place,       &tree.head,        &tree.next,   &tree.width};
    bool ok = make_graph(def, arena, &graph);
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        ok = (*arrays[k] = TN_ARENA_NEW(arena, int, n + 1)) && ok;
    int *order = TN_ARENA_NEW(arena, int, n), *scratch = TN_ARENA_NEW(arena, int, n);
    bool *left_out = TN_ARENA_ZERO(arena, bool, n), layers = false;
    ok = ok && order && scratch && left_out;
    for (int k = 0; ok && k < def->last_count; k++) {
        if (left_out[def->last[k]]) {
            tn_error_add(err, TN_ERROR_USAGE, "sparse: last node %d twice", def->last[k]);
            return NULL;
        }
        left_out[def->last[k]] = true;
    }
    ok = ok && choose_order(def, &graph, arena, &tree, order, left_out, &layers);
    if (ok) tn_sparse_fronts(&tree, &graph, order, def->last_count, scratch);
    TnSparse *plan = ok ? allocate(def, &tree) : NULL;
    if (!plan) {
        tn_error_add(err, TN_ERROR_MEMORY, "sparse: no memory for the plan of %d nodes",
                     def->node_count);
        return NULL;
    }
    plan->node_count = def->node_count;
    plan->last_count = def->last_count;
    plan->front_count = tree.front_count;
    plan->kernels = tn_dense_kernels();
    plan->sizes.layers = layers;
    memcpy(plan->order, order, n * sizeof(int));
    for (int k = 0; k < plan->node_count; k++) plan->place[order[k]] = k;
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        front->first = tree.front_first[f];
        front->width = tree.front_first[f + 1] - front->first;
        front->below = tree.front_below[f];
        front->child = front->sibling = -1;
        for (int k = 0; k < front->width; k++) plan->front_of[front->first + k] = f;
    }
    find_rows(plan, &graph, scratch);
    find_runs(plan);
    find_entries(plan, def);
    lay_out(plan, scratch);
    return plan;
}

TnSparse *tn_sparse_plan(const TnSparseDef *def, TnError *err)
{
    if (!check(def, err)) return NULL;
    TnArena arena;
    size_t ints = 32 * (size_t)def->node_count + 2 * (size_t)def->edge_count;
    if (!tn_arena_init(&arena, "sparse plan", ints * sizeof(int) + 4096)) {
        tn_error_add(err, TN_ERROR_MEMORY, "sparse: no memory for the plan of %d nodes",
                     def->node_count);
        return NULL;
    }
    TnSparse *plan = make_plan(def, &arena, err);
    tn_arena_free(&arena);
    return plan;
}

void tn_sparse_free(TnSparse *plan) { tn_free(plan); }
TnSparseSizes tn_sparse_sizes(const TnSparse *plan) { return plan->sizes; }
const int *tn_sparse_order(const TnSparse *plan) { return plan->order; }
