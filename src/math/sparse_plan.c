/* sparse_plan.c: makes the plan of a sparse factorization: chooses an order, and lays out
 * fronts, rows, runs and entries (sparse_plan.h) in one block of memory. */
#include "sparse_plan.h"

#include <limits.h>
#include <string.h>

#include "kernels/dense_kernels.h"
#include "sort.h"
#include "sparse_pattern.h"

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Rows below a front: what its nodes' neighbours and its children's rows leave behind it. row_of
 * tells afterwards which row of the front they are; mark: the front that last met a place. */
static void find_rows(TnSparse *plan, const TnGraph *graph, int f, int *mark, int *row_of)
{
    TnSparseFront *front = &plan->fronts[f];
    int end = front->first + front->width, *rows = plan->rows + front->rows, count = 0;
    for (int c = front->child; c >= 0; c = plan->fronts[c].sibling)
        for (int k = 0; k < plan->fronts[c].below; k++) {
            int r = plan->rows[plan->fronts[c].rows + k];
            if (r >= end && mark[r] != f) mark[r] = f, rows[count++] = r;
        }
    for (int k = front->first; k < end; k++) {
        int i = plan->order[k];
        for (int e = graph->first[i]; e < graph->first[i + 1]; e++) {
            int r = plan->place[graph->neighbour[e]];
            if (r >= end && mark[r] != f) mark[r] = f, rows[count++] = r;
        }
    }
    TN_ASSERT(count == front->below);
    tn_sort_ints(rows, count);
    for (int k = 0; k < count; k++) row_of[rows[k]] = front->width + k;
    for (int k = front->first; k < end; k++) row_of[k] = k - front->first;
    front->parent = count > 0 ? plan->front_of[rows[0]] : -1;
    if (front->parent >= 0) { /* children in falling order: any fixed order will do */
        front->sibling = plan->fronts[front->parent].child;
        plan->fronts[front->parent].child = f;
    }
}

/* Blocks of A, column by column. */
static int find_entries(TnSparse *plan, const TnSparsePattern *pattern, int f, const int *row_of,
                        int used)
{
    TnSparseFront *front = &plan->fronts[f];
    const TnGraph *graph = &pattern->graph;
    front->entry_begin = used;
    for (int column = 0; column < front->width; column++) {
        int k = front->first + column, i = plan->order[k];
        plan->entries[used++] = (TnSparseEntry){i, column, column, false};
        for (int e = graph->first[i]; e < graph->first[i + 1]; e++) {
            int r = plan->place[graph->neighbour[e]], link = pattern->link[e];
            if (r > k)
                plan->entries[used++] = (TnSparseEntry){graph->node_count + (link >> 1), row_of[r],
                                                        column, !(link & 1)};
        }
    }
    front->entry_end = used;
    return used;
}

/* Where the rows of a front's children are in it. */
static int find_runs(TnSparse *plan, int f, const int *row_of, int used)
{
    for (int c = plan->fronts[f].child; c >= 0; c = plan->fronts[c].sibling) {
        TnSparseFront *child = &plan->fronts[c];
        child->run_begin = used;
        for (int k = 0; k < child->below; k++) {
            int to = row_of[plan->rows[child->rows + k]];
            TnSparseRun *run = used > child->run_begin ? &plan->runs[used - 1] : NULL;
            if (run && run->to + run->count == to)
                run->count++;
            else
                plan->runs[used++] = (TnSparseRun){k, to, 1};
        }
        child->run_end = used;
    }
    return used;
}

/* Operations of every front and of what is below it. */
static void count_flops(TnSparse *plan)
{
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        double w = 3.0 * front->width, m = 3.0 * front->below;
        front->flops = w * w * w / 3.0 + w * w * m + w * m * m;
        front->subtree_flops = front->flops;
        front->subtree = f;
        for (int c = front->child; c >= 0; c = plan->fronts[c].sibling) {
            front->subtree_flops += plan->fronts[c].subtree_flops;
            if (plan->fronts[c].subtree < front->subtree) front->subtree = plan->fronts[c].subtree;
        }
        plan->sizes.flops += front->flops;
        plan->sizes.nonzeros += w * (w + 1.0) / 2.0 + w * m;
    }
}

/* Where cutting the subtree of `root` lets threads share its work: the uppermost front with two
 * heavy subtrees below. -1: nowhere, or so far below that the fronts above it, one after the
 * other, would take longer than is gained. */
static int find_cut(const TnSparse *plan, int root)
{
    double above = 0.0;
    for (int f = root; f >= 0;) {
        const TnSparseFront *front = &plan->fronts[f];
        int heavy = -1;
        double most = 0.0, second = 0.0;
        for (int c = front->child; c >= 0; c = plan->fronts[c].sibling) {
            double flops = plan->fronts[c].subtree_flops;
            if (heavy < 0 || flops > most)
                second = most, most = flops, heavy = c;
            else if (flops > second)
                second = flops;
        }
        bool large = front->flops >= TN_SPARSE_LARGE;
        above += large ? 0.5 * front->flops : front->flops; /* threads share the large ones */
        if (large && f == root) return f;
        if (second > 0.1 * front->subtree_flops) return above < 0.5 * second ? f : -1;
        f = heavy;
    }
    return -1;
}

/* Subtrees for threads. waiting: scratch, one int per front. */
static void cut_into_tasks(TnSparse *plan, int *waiting)
{
    int inner = plan->front_count - (plan->last_count > 0 ? 1 : 0), count = 0;
    double grain = plan->sizes.flops / 24.0 > 2e5 ? plan->sizes.flops / 24.0 : 2e5;
    for (int f = 0; f < plan->front_count; f++) {
        plan->fronts[f].task = TN_SPARSE_TASKS;
        int up = plan->fronts[f].parent;
        if (f < inner && (up < 0 || up >= inner)) waiting[count++] = f;
    }
    while (count > 0) {
        int f = waiting[--count];
        int cut = plan->fronts[f].subtree_flops > grain ? find_cut(plan, f) : -1;
        if (cut < 0) plan->fronts[f].task = 0; /* some task's root */
        for (int k = f; cut >= 0 && k >= 0;) { /* from f down to the cut: in no task */
            int next = -1;
            for (int c = plan->fronts[k].child; c >= 0; c = plan->fronts[c].sibling)
                if (k != cut && plan->fronts[c].subtree <= cut && cut <= c)
                    next = c;
                else
                    waiting[count++] = c;
            k = next;
        }
    }
    double flops = 0.0; /* of the newest task; small neighbours make one */
    for (int f = 0; f < inner; f++) {
        TnSparseFront *front = &plan->fronts[f];
        if (front->task == TN_SPARSE_TASKS) continue;
        front->task = TN_SPARSE_TASKS;
        TnSparseTask *newest = plan->task_count > 0 ? &plan->tasks[plan->task_count - 1] : NULL;
        bool joins =
            newest && newest->end == front->subtree && flops + front->subtree_flops <= grain;
        if (!joins && plan->task_count == TN_SPARSE_TASKS) continue; /* by one thread afterwards */
        if (!joins) {
            newest = &plan->tasks[plan->task_count++];
            newest->begin = front->subtree;
            flops = 0.0;
        }
        newest->end = f + 1;
        flops += front->subtree_flops;
        for (int k = front->subtree; k <= f; k++) plan->fronts[k].task = plan->task_count - 1;
    }
}

/* Places in memory of panels and updates. */
static void lay_out(TnSparse *plan, int *depth)
{
    TnSparseSizes *sizes = &plan->sizes;
    size_t top[TN_SPARSE_TASKS + 1][2] = {{0}}, most[TN_SPARSE_TASKS + 1][2] = {{0}};
    int most_ld = 0;
    for (int f = plan->front_count - 1; f >= 0; f--) {
        int up = plan->fronts[f].parent;
        depth[f] = up < 0 ? 0 : depth[up] + 1;
    }
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        int width = 3 * front->width, rows = width + 3 * front->below, own = depth[f] & 1;
        size_t *stack = top[front->task], *room = most[front->task];
        front->ld = (rows + 7) & ~7;
        if (front->ld > most_ld) most_ld = front->ld;
        if (rows > sizes->widest) sizes->widest = rows;
        front->panel = sizes->factor;
        sizes->factor += (size_t)front->ld * (size_t)width;
        front->update = stack[own];
        stack[own] += (size_t)(front->ld - (width & ~7)) * 3 * (size_t)front->below;
        if (stack[own] > room[own]) room[own] = stack[own];
        /* the children's go; the last one in the list was put on the stack first */
        for (int c = front->child; c >= 0; c = plan->fronts[c].sibling)
            if (plan->fronts[c].task == front->task) stack[1 - own] = plan->fronts[c].update;
    }
    for (int t = 0; t <= TN_SPARSE_TASKS; t++)
        for (int parity = 0; parity < 2; parity++) { /* from here on, where the stacks begin */
            top[t][parity] = sizes->factor_work;
            sizes->factor_work += most[t][parity];
        }
    for (int f = 0; f < plan->front_count; f++)
        plan->fronts[f].update += top[plan->fronts[f].task][depth[f] & 1];
    sizes->solve_work = ((3 * (size_t)plan->node_count + 7) & ~(size_t)7) + (size_t)most_ld;
    sizes->front_count = plan->front_count;
}

/* One block of memory for everything that the tree needs; from the heap where there is no arena. */
static TnSparse *allocate(const TnSparsePattern *pattern, const TnSparseTree *tree, TnArena *arena)
{
    size_t n = (size_t)pattern->graph.node_count, fronts = (size_t)tree->front_count, rows = 0;
    for (size_t f = 0; f < fronts; f++) rows += (size_t)tree->front_below[f];
    if (rows > INT_MAX) return NULL;
    size_t sizes[8] = {sizeof(TnSparse),
                       fronts * sizeof(TnSparseFront),
                       n * sizeof(int),
                       n * sizeof(int),
                       n * sizeof(int),
                       rows * sizeof(int),
                       (n + (size_t)pattern->edge_count) * sizeof(TnSparseEntry),
                       rows * sizeof(TnSparseRun)};
    size_t at[9] = {0};
    for (int k = 0; k < 8; k++) at[k + 1] = at[k] + round_up(sizes[k]);
    char *memory = arena ? tn_arena_alloc(arena, at[8]) : tn_malloc(at[8]);
    if (!memory) return NULL;
    memset(memory, 0, at[2]); /* plan and fronts; the rest is written whole */
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

/* The plan in `keep` (NULL: the heap), scratch in `arena`. NULL: no memory. */
static TnSparse *make_plan(const TnSparsePattern *pattern, TnSparseOrder which, int last_count,
                           const int *last, TnArena *keep, TnArena *arena)
{
    int n = pattern->graph.node_count, *order = TN_ARENA_NEW(arena, int, n);
    TnSparseTree tree;
    bool layers = false;
    if (!order || !tn_sparse_tree_init(&tree, n, arena) ||
        !tn_sparse_choose(pattern, which, last_count, last, order, &tree, &layers, arena))
        return NULL;
    TnSparse *plan = allocate(pattern, &tree, keep);
    if (!plan) return NULL;
    plan->node_count = n;
    plan->last_count = last_count;
    plan->front_count = tree.front_count;
    plan->kernels = tn_dense_kernels();
    plan->sizes.layers = layers;
    int rows = 0, entries = 0, runs = 0, *mark = tree.mark, *row_of = tree.parent;
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        front->first = tree.front_first[f];
        front->width = tree.front_first[f + 1] - front->first;
        front->below = tree.front_below[f];
        front->child = front->sibling = -1;
        front->rows = rows;
        rows += front->below;
        for (int k = 0; k < front->width; k++) plan->front_of[front->first + k] = f;
    }
    for (int k = 0; k < n; k++) {
        plan->order[k] = order[k];
        plan->place[order[k]] = k;
        mark[k] = -1;
    }
    for (int f = 0; f < plan->front_count; f++) {
        find_rows(plan, &pattern->graph, f, mark, row_of);
        entries = find_entries(plan, pattern, f, row_of, entries);
        runs = find_runs(plan, f, row_of, runs);
    }
    count_flops(plan);
    cut_into_tasks(plan, mark);
    lay_out(plan, mark);
    return plan;
}

TnSparse *tn_sparse_plan_last(const TnSparsePattern *pattern, int last_count, const int *last,
                              TnArena *arena)
{
    return make_plan(pattern, TN_SPARSE_ORDER_BEST, last_count, last, arena, arena);
}

static bool check_last(const TnSparseDef *def, TnArena *arena, TnError *err)
{
    int n = def->node_count;
    bool *seen = TN_ARENA_ZERO(arena, bool, n);
    if (def->last_count < 0 || def->last_count > n) {
        tn_error_add(err, TN_ERROR_USAGE, "sparse: %d last nodes of %d", def->last_count, n);
        return false;
    }
    for (int k = 0; seen && k < def->last_count; k++) {
        int i = def->last[k];
        if (i < 0 || i >= n || seen[i]) {
            tn_error_add(err, TN_ERROR_USAGE, "sparse: last node %d is %s", i,
                         i < 0 || i >= n ? "none" : "there twice");
            return false;
        }
        seen[i] = true;
    }
    if (!seen) tn_error_add(err, TN_ERROR_MEMORY, "sparse: no memory for %d nodes", n);
    return seen;
}

TnSparse *tn_sparse_plan(const TnSparseDef *def, TnError *err)
{
    TnSparsePattern *pattern =
        tn_sparse_pattern_create(def->node_count, def->edge_count, def->edges, err);
    TnSparse *plan = NULL;
    if (pattern && check_last(def, &pattern->arena, err)) {
        plan = make_plan(pattern, def->order, def->last_count, def->last, NULL, &pattern->arena);
        if (!plan)
            tn_error_add(err, TN_ERROR_MEMORY, "sparse: no memory for the plan of %d nodes",
                         def->node_count);
    }
    tn_sparse_pattern_free(pattern);
    return plan;
}

void tn_sparse_free(TnSparse *plan) { tn_free(plan); }
TnSparseSizes tn_sparse_sizes(const TnSparse *plan) { return plan->sizes; }
const int *tn_sparse_order(const TnSparse *plan) { return plan->order; }
