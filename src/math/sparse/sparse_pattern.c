/* sparse_pattern.c: the graph, orders of all its nodes, and whether it is slender. */
#include "sparse_pattern.h"

#include <limits.h>

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

/* Slabs are for graphs on which layers take fewest operations, and so many that threads help. */
#define WORTH_SLABS 5e7
#define MOST_FOR_SLABS 1.3

static bool find_slabs(TnSparsePattern *pattern, TnSparseTree *tree, int *work)
{
    const TnSparseStart *layers = &pattern->layers;
    if (layers->flops > pattern->dissect.flops || layers->flops < WORTH_SLABS) return true;
    if (!tn_slabs_make(&pattern->graph, pattern->level, layers->order, &pattern->slabs,
                       &pattern->arena))
        return false;
    if (!tn_slabs_are_many(&pattern->slabs)) return true;
    tn_slabs_order(&pattern->slabs, tn_slabs_root(&pattern->slabs, pattern->slabs.level_count / 2),
                   work);
    pattern->slender =
        tn_sparse_count(tree, &pattern->graph, work, 0) < MOST_FOR_SLABS * layers->flops;
    return true;
}

static bool make_starts(TnSparsePattern *pattern)
{
    size_t n = (size_t)pattern->graph.node_count;
    TnArena *arena = &pattern->arena;
    TnSparseStart *starts[] = {&pattern->layers, &pattern->dissect};
    pattern->level = TN_ARENA_NEW(arena, int, n);
    if (!pattern->level) return false;
    for (int b = 0; b < 2; b++) {
        starts[b]->order = TN_ARENA_NEW(arena, int, n);
        if (!starts[b]->order) return false;
    }
    TnSparseTree tree;
    int *work = TN_ARENA_NEW(arena, int, TN_GRAPH_WORK *n);
    if (!tn_sparse_tree_init(&tree, (int)n, arena) || !work) return false;
    tn_graph_layers(&pattern->graph, starts[0]->order, pattern->level, work);
    tn_graph_dissect(&pattern->graph, starts[1]->order, work);
    for (int b = 0; b < 2; b++) {
        starts[b]->flops = tn_sparse_count(&tree, &pattern->graph, starts[b]->order, 0);
    }
    return find_slabs(pattern, &tree, work);
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
        !make_graph(pattern, n, edge_count, edges) || !make_starts(pattern)) {
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
