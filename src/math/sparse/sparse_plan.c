/* sparse_plan.c: makes the plan of a sparse factorization from an order: fronts with their rows,
 * the tree, and places in memory. */
#include "sparse_plan.h"

#include <limits.h>
#include <string.h>

#include "../sort.h"

/* Rows below a front: what its nodes' neighbours and its children's rows leave behind it. mark: the
 * front that last met a place. */
static bool find_rows(const TnSparseMaker *m, int f, int *mark)
{
    const TnGraph *graph = &m->pattern->graph;
    TnSparse *plan = m->plan;
    TnSparseFront *front = &plan->fronts[f];
    int end = front->first + front->width, count = 0;
    int *rows = TN_ARENA_NEW(m->arena, int, front->below);
    if (!rows) return false;
    for (int c = front->child; c >= 0; c = plan->fronts[c].sibling)
        for (int k = 0; k < plan->fronts[c].below; k++) {
            int r = plan->fronts[c].rows[k];
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
    front->rows = rows;
    return true;
}

/* ---- sizes, tasks and places ---- */

/* Children in falling order: any fixed order will do. */
static void add_up(TnSparse *plan)
{
    TnSparseSizes *sizes = &plan->sizes;
    *sizes = (TnSparseSizes){.layers = sizes->layers};
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        double w = 3.0 * front->width, m = 3.0 * front->below;
        front->subtree_flops = front->flops;
        front->subtree = f;
        for (int c = front->child; c >= 0; c = plan->fronts[c].sibling) {
            front->subtree_flops += plan->fronts[c].subtree_flops;
            if (plan->fronts[c].subtree < front->subtree) front->subtree = plan->fronts[c].subtree;
        }
        sizes->flops += front->flops;
        sizes->nonzeros += w * (w + 1.0) / 2.0 + w * m;
    }
}

/* Numbers behind a column that may be read: another thread may be writing to what comes next. */
#define BEYOND 8

/* Places of updates. Where tasks have stacks of their own, `alone` is false. */
static size_t lay_out_updates(TnSparse *plan, const int *depth, bool alone)
{
    size_t top[TN_SPARSE_TASKS + 1][2] = {{0}}, most[TN_SPARSE_TASKS + 1][2] = {{0}}, all = 0;
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        int own = depth[f] & 1, task = alone ? 0 : front->task;
        size_t *stack = top[task], *room = most[task], base = (size_t)(3 * front->width & ~7);
        *(alone ? &front->update_alone : &front->update) = stack[own];
        stack[own] += ((size_t)front->ld - base) * 3 * (size_t)front->below;
        if (stack[own] > room[own]) room[own] = stack[own];
        /* the children's go; the last one in the list was put on the stack first */
        for (int c = front->child; c >= 0; c = plan->fronts[c].sibling)
            if (alone || plan->fronts[c].task == front->task)
                stack[1 - own] = alone ? plan->fronts[c].update_alone : plan->fronts[c].update;
    }
    for (int t = 0; t <= TN_SPARSE_TASKS; t++)
        for (int parity = 0; parity < 2; parity++) { /* from here on, where the stacks begin */
            top[t][parity] = all;
            all += most[t][parity] > 0 ? most[t][parity] + BEYOND : 0;
        }
    for (int f = 0; f < plan->front_count; f++)
        *(alone ? &plan->fronts[f].update_alone : &plan->fronts[f].update) +=
            top[alone ? 0 : plan->fronts[f].task][depth[f] & 1];
    return all;
}

void tn_sparse_lay_out(TnSparse *plan, int *depth)
{
    TnSparseSizes *sizes = &plan->sizes;
    size_t vectors = 0;
    add_up(plan);
    tn_sparse_cut(plan, depth);
    for (int f = plan->front_count - 1; f >= 0; f--) {
        int up = plan->fronts[f].parent;
        depth[f] = up < 0 ? 0 : depth[up] + 1;
    }
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        int width = 3 * front->width, rows = width + 3 * front->below;
        front->ld = (rows + 7) & ~7;
        if (rows > sizes->widest) sizes->widest = rows;
        front->panel = sizes->factor;
        sizes->factor += (size_t)front->ld * (size_t)width;
        front->vector = vectors;
        vectors += (size_t)front->ld;
    }
    size_t shared = lay_out_updates(plan, depth, false), alone = lay_out_updates(plan, depth, true);
    sizes->factor_work = shared > alone ? shared : alone;
    sizes->solve_work = tn_sparse_vectors(plan) + vectors + 8;
    sizes->front_count = plan->front_count;
}

/* ---- a plan from an order ---- */

static bool take_memory(TnSparse *plan, TnArena *arena)
{
    int n = plan->node_count;
    plan->fronts = TN_ARENA_ZERO(arena, TnSparseFront, plan->front_count);
    plan->order = TN_ARENA_NEW(arena, int, n);
    plan->place = TN_ARENA_NEW(arena, int, n);
    plan->home = TN_ARENA_NEW(arena, int, n);
    plan->position = TN_ARENA_NEW(arena, int, n);
    return plan->fronts && plan->order && plan->place && plan->home && plan->position;
}

TnSparse *tn_sparse_make(const TnSparsePattern *pattern, const TnSparseTree *tree, const int *order,
                         int last_count, TnArena *arena)
{
    int n = pattern->graph.node_count;
    TnSparse *plan = TN_ARENA_ZERO(arena, TnSparse, 1);
    int *mark = TN_ARENA_NEW(arena, int, n + 1);
    TnSparseMaker maker = {pattern, plan, TN_ARENA_NEW(arena, int, n), TN_ARENA_NEW(arena, int, n),
                           arena};
    if (!plan || !mark || !maker.row_of || !maker.begin) return NULL;
    plan->node_count = n;
    plan->last_count = last_count;
    plan->front_count = tree->front_count;
    plan->kernels = tn_dense_kernels();
    if (!take_memory(plan, arena)) return NULL;
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        front->at = front->first = tree->front_first[f];
        front->width = tree->front_first[f + 1] - front->first;
        front->below = tree->front_below[f];
        front->parent = tree->front_parent[f];
        front->child = front->sibling = -1;
        for (int k = 0; k < front->width; k++) plan->home[order[front->first + k]] = f;
    }
    for (int k = 0; k < n; k++) {
        plan->order[k] = order[k];
        plan->place[order[k]] = plan->position[k] = k;
        mark[k] = -1;
    }
    for (int f = 0; f < plan->front_count; f++) {
        TnSparseFront *front = &plan->fronts[f];
        if (!find_rows(&maker, f, mark) || !tn_sparse_describe(&maker, f)) return NULL;
        if (front->parent < 0) continue;
        front->sibling = plan->fronts[front->parent].child;
        plan->fronts[front->parent].child = f;
    }
    tn_sparse_lay_out(plan, mark);
    return plan;
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
    TnArena *arena = tn_malloc(sizeof *arena);
    bool ok = arena && tn_arena_init(arena, "sparse plan", 0);
    if (!ok) tn_free(arena);
    if (pattern && check_last(def, &pattern->arena, err)) {
        if (ok)
            plan = tn_sparse_choose(pattern, def->order, NULL, def->last_count, def->last, arena);
        if (plan)
            plan->own = arena;
        else
            tn_error_add(err, TN_ERROR_MEMORY, "sparse: no memory for the plan of %d nodes",
                         def->node_count);
    }
    if (ok && !plan) {
        tn_arena_free(arena);
        tn_free(arena);
    }
    tn_sparse_pattern_free(pattern);
    return plan;
}

void tn_sparse_free(TnSparse *plan)
{
    TnArena *arena = plan ? plan->own : NULL;
    if (!arena) return;
    tn_arena_free(arena);
    tn_free(arena);
}

TnSparseSizes tn_sparse_sizes(const TnSparse *plan) { return plan->sizes; }
const int *tn_sparse_order(const TnSparse *plan) { return plan->order; }
