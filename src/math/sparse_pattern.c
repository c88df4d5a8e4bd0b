/* sparse_pattern.c: the graph and two orders of all its nodes, and the choice of an order once
 * it is known which nodes come last.
 *
 * Candidates are layers towards the last nodes or a level among them, and both orders of the
 * pattern, each with the last nodes taken out and put behind. What the latter two cost is bounded
 * without counting anew: column k of L then has entries in rows that it had before, and in rows of
 * last nodes that were eliminated before it and from which it can be reached, all of which are in
 * k's subtree: c_k ≤ c_k of the pattern + last nodes in the subtree of k. */
#include "sparse_pattern.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "sort.h"

/* The graph as lists of neighbours. */
static bool make_graph(TnSparsePattern *pattern, int n, int edge_count, const int (*edges)[2])
{
    int *first = TN_ARENA_ZERO(&pattern->arena, int, n + 2);
    int *neighbour = TN_ARENA_NEW(&pattern->arena, int, 2 * (size_t)edge_count + 1);
    int *link = TN_ARENA_NEW(&pattern->arena, int, 2 * (size_t)edge_count + 1);
    if (!first || !neighbour || !link) return false;
    for (int e = 0; e < edge_count; e++) first[edges[e][0] + 2]++, first[edges[e][1] + 2]++;
    for (int i = 2; i <= n + 1; i++) first[i] += first[i - 1];
    for (int e = 0; e < edge_count; e++) /* first[i + 1] moves to where i's list ends */
        for (int side = 0; side < 2; side++) {
            int at = first[edges[e][side] + 1]++;
            neighbour[at] = edges[e][1 - side];
            link[at] = 2 * e + side;
        }
    pattern->graph = (TnGraph){n, first, neighbour};
    pattern->link = link;
    pattern->edge_count = edge_count;
    return true;
}

static bool make_bases(TnSparsePattern *pattern)
{
    size_t n = (size_t)pattern->graph.node_count;
    TnArena *arena = &pattern->arena;
    TnSparseBase *bases[] = {&pattern->layers, &pattern->dissect};
    pattern->level = TN_ARENA_NEW(arena, int, n);
    if (!pattern->level) return false;
    for (int b = 0; b < 2; b++) {
        bases[b]->order = TN_ARENA_NEW(arena, int, n);
        bases[b]->parent = TN_ARENA_NEW(arena, int, n);
        bases[b]->count = TN_ARENA_NEW(arena, int, n);
        if (!bases[b]->order || !bases[b]->parent || !bases[b]->count) return false;
    }
    size_t mark = tn_arena_mark(arena);
    TnSparseTree tree;
    int *work = TN_ARENA_NEW(arena, int, TN_GRAPH_WORK *n);
    if (!tn_sparse_tree_init(&tree, (int)n, arena) || !work) return false;
    tn_graph_layers(&pattern->graph, bases[0]->order, pattern->level, work);
    tn_graph_dissect(&pattern->graph, bases[1]->order, work);
    for (int b = 0; b < 2; b++) {
        bases[b]->flops = tn_sparse_count(&tree, &pattern->graph, bases[b]->order, 0);
        memcpy(bases[b]->parent, tree.parent, n * sizeof(int));
        memcpy(bases[b]->count, tree.count, n * sizeof(int));
    }
    tn_arena_release(arena, mark);
    return true;
}

TnSparsePattern *tn_sparse_pattern_create(int node_count, int edge_count, const int (*edges)[2],
                                          TnError *err)
{
    int n = node_count;
    if (n < 1 || n > INT_MAX / 64 || edge_count < 0 || edge_count > INT_MAX / 4) {
        tn_error_add(err, TN_ERROR_USAGE, "sparse: %d nodes, %d edges", n, edge_count);
        return NULL;
    }
    for (int e = 0; e < edge_count; e++) {
        int i = edges[e][0], j = edges[e][1];
        if (i < 0 || j < 0 || i >= n || j >= n || i == j) {
            tn_error_add(err, TN_ERROR_USAGE, "sparse: edge %d joins %d and %d", e, i, j);
            return NULL;
        }
    }
    TnSparsePattern *pattern = tn_calloc(1, sizeof *pattern);
    size_t ints = (TN_GRAPH_WORK + 21) * (size_t)n + 4 * (size_t)edge_count;
    if (!pattern || !tn_arena_init(&pattern->arena, "sparse pattern", ints * sizeof(int) + 4096) ||
        !make_graph(pattern, n, edge_count, edges) || !make_bases(pattern)) {
        tn_error_add(err, TN_ERROR_MEMORY, "sparse: no memory for the pattern of %d nodes", n);
        tn_sparse_pattern_free(pattern);
        return NULL;
    }
    return pattern;
}

void tn_sparse_pattern_free(TnSparsePattern *pattern)
{
    if (pattern) tn_arena_free(&pattern->arena);
    tn_free(pattern);
}

/* At most what the base's order costs with the last nodes behind, these excepted; below:
 * scratch. */
static double bound(const TnSparseBase *base, int n, const bool *is_last, int *below)
{
    double flops = 0.0;
    memset(below, 0, sizeof(int) * (size_t)n);
    for (int k = 0; k < n; k++) {
        double count = (double)base->count[k] + below[k];
        bool last = is_last[base->order[k]];
        flops += last ? 0.0 : 27.0 * count * count;
        if (base->parent[k] >= 0) below[base->parent[k]] += below[k] + last;
    }
    return flops;
}

static void take_out(const TnSparseBase *base, int n, const bool *is_last, int last_count,
                     const int *last, int *order)
{
    int used = 0;
    for (int k = 0; k < n; k++)
        if (!is_last[base->order[k]]) order[used++] = base->order[k];
    for (int k = 0; k < last_count; k++) order[used++] = last[k];
}

/* Towards the last nodes. work: 2 ints per node. */
static void order_by_distance(const TnSparsePattern *pattern, int last_count, const int *last,
                              int *order, int *work)
{
    int first = pattern->graph.node_count - last_count;
    for (int k = 0; k < last_count; k++) order[first + k] = last[k];
    tn_graph_towards(&pattern->graph, last_count, order, work);
}

/* Towards the level with the middle one of the last nodes, these taken out and put behind. In a
 * slender body levels are smaller than what surrounds the last nodes. */
static void order_by_level(const TnSparsePattern *pattern, const bool *is_last, int last_count,
                           const int *last, int *order, int *work)
{
    int n = pattern->graph.node_count, first = n, used = 0;
    for (int k = 0; k < last_count; k++) work[k] = pattern->level[last[k]];
    tn_sort_ints(work, last_count);
    int level = work[last_count / 2];
    for (int i = 0; i < n; i++)
        if (pattern->level[i] == level) order[--first] = i;
    tn_graph_towards(&pattern->graph, n - first, order, work);
    for (int k = 0; k < n; k++)
        if (!is_last[order[k]]) order[used++] = order[k];
    for (int k = 0; k < last_count; k++) order[used++] = last[k];
}

bool tn_sparse_choose(const TnSparsePattern *pattern, TnSparseOrder which, int last_count,
                      const int *last, int *order, TnSparseTree *tree, bool *layers, TnArena *arena)
{
    int n = pattern->graph.node_count, *work = TN_ARENA_NEW(arena, int, 2 * (size_t)n);
    bool *is_last = TN_ARENA_ZERO(arena, bool, n);
    if (!work || !is_last) return false;
    for (int k = 0; k < last_count; k++) is_last[last[k]] = true;
    const TnSparseBase *base = &pattern->dissect;
    double flops = INFINITY;
    if (which == TN_SPARSE_ORDER_BEST) {
        double by_layers = bound(&pattern->layers, n, is_last, work);
        flops = bound(&pattern->dissect, n, is_last, work);
        if (by_layers < flops) base = &pattern->layers, flops = by_layers;
        double m = last_count; /* the last columns have m, m - 1, … entries */
        flops += 9.0 * m * (m + 0.5) * (m + 1.0);
    } else if (which == TN_SPARSE_ORDER_LAYERS) {
        base = &pattern->layers;
    }
    bool by_distance = false, by_level = false;
    if (last_count > 0 && which != TN_SPARSE_ORDER_DISSECT) {
        order_by_distance(pattern, last_count, last, order, work);
        double distance = tn_sparse_count(tree, &pattern->graph, order, last_count);
        order_by_level(pattern, is_last, last_count, last, order, work);
        double level = tn_sparse_count(tree, &pattern->graph, order, last_count);
        by_level = level < distance && level <= flops;
        by_distance = !by_level && distance <= flops;
    }
    if (by_distance)
        order_by_distance(pattern, last_count, last, order, work);
    else if (!by_level)
        take_out(base, n, is_last, last_count, last, order);
    if (!by_level) tn_sparse_count(tree, &pattern->graph, order, last_count);
    *layers = by_distance || by_level || base == &pattern->layers;
    tn_sparse_fronts(tree, n, order, last_count);
    return true;
}
