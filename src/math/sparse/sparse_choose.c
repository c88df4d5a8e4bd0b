/* sparse_choose.c: which order a plan follows, once it is known which nodes come last.
 *
 * Usually few do, and a plan without any, for a root near them, needs few changes (sparse_touch.c).
 * Where they make it much more expensive (a body that lies on the ground), the plan is made anew,
 * with fronts that suit them: in the same order, or in layers towards the last nodes or towards a
 * level among them. */
#include <math.h>
#include <string.h>

#include "../sort.h"
#include "sparse_plan.h"

#define MUCH_MORE 1.15 /* times the operations of the plan without last nodes, or with layers */

/* Towards the last nodes. work: 2 ints per node. */
static void order_by_distance(const TnSparsePattern *pattern, int last_count, const int *last,
                              int *order, int *work)
{
    int first = pattern->graph.node_count - last_count;
    for (int k = 0; k < last_count; k++) order[first + k] = last[k];
    tn_graph_towards(&pattern->graph, last_count, order, work);
}

static int middle_level(const TnSparsePattern *pattern, int last_count, const int *last, int *work)
{
    for (int k = 0; k < last_count; k++) work[k] = pattern->level[last[k]];
    tn_sort_ints(work, last_count);
    return work[last_count / 2];
}

/* Towards the level with the middle one of the last nodes, these taken out and put behind. In a
 * slender body levels are smaller than what surrounds the last nodes. */
static void order_by_level(const TnSparsePattern *pattern, const bool *is_last, int last_count,
                           const int *last, int *order, int *work)
{
    int n = pattern->graph.node_count, first = n, used = 0;
    int level = middle_level(pattern, last_count, last, work);
    for (int i = 0; i < n; i++)
        if (pattern->level[i] == level) order[--first] = i;
    tn_graph_towards(&pattern->graph, n - first, order, work);
    for (int k = 0; k < n; k++)
        if (!is_last[order[k]]) order[used++] = order[k];
    for (int k = 0; k < last_count; k++) order[used++] = last[k];
}

int tn_sparse_root(const TnSparsePattern *pattern, int last_count, const int *last, TnArena *arena)
{
    if (!pattern->slender) return 0;
    const TnSlabs *slabs = &pattern->slabs;
    size_t mark = tn_arena_mark(arena);
    int *work = TN_ARENA_NEW(arena, int, last_count + 1);
    int level = slabs->level_count / 2;
    if (work && last_count > 0) level = middle_level(pattern, last_count, last, work);
    tn_arena_release(arena, mark);
    return tn_slabs_root(slabs, level);
}

/* The plan of an order; the tree has what tn_sparse_count left. */
static TnSparse *make(const TnSparsePattern *pattern, TnSparseTree *tree, int *order,
                      int last_count, bool layers, TnArena *arena)
{
    tn_sparse_fronts(tree, pattern->graph.node_count, order, last_count);
    TnSparse *plan = tn_sparse_make(pattern, tree, order, last_count, arena);
    if (plan) plan->sizes.layers = layers;
    return plan;
}

static TnSparse *make_base(const TnSparsePattern *pattern, TnSparseOrder which, int root,
                           TnArena *arena)
{
    int n = pattern->graph.node_count, *order = TN_ARENA_NEW(arena, int, n);
    TnSparseTree tree;
    if (!order || !tn_sparse_tree_init(&tree, n, arena)) return NULL;
    bool layers = which == TN_SPARSE_ORDER_LAYERS ||
                  (which == TN_SPARSE_ORDER_BEST && pattern->layers.flops < pattern->dissect.flops);
    if (which == TN_SPARSE_ORDER_BEST && pattern->slender)
        tn_slabs_order(&pattern->slabs, root, order);
    else
        memcpy(order, layers ? pattern->layers.order : pattern->dissect.order,
               sizeof(int) * (size_t)n);
    tn_sparse_count(&tree, &pattern->graph, order, 0);
    return make(pattern, &tree, order, 0, layers, arena);
}

TnSparse *tn_sparse_base(const TnSparsePattern *pattern, int root, TnArena *arena)
{
    return make_base(pattern, TN_SPARSE_ORDER_BEST, root, arena);
}

/* In the order of a plan without them. */
static void order_behind(const TnSparse *base, const bool *is_last, int last_count, const int *last,
                         int *order)
{
    int used = 0;
    for (int k = 0; k < base->node_count; k++)
        if (!is_last[base->order[k]]) order[used++] = base->order[k];
    for (int k = 0; k < last_count; k++) order[used++] = last[k];
}

/* NULL: no memory. */
static TnSparse *make_anew(const TnSparsePattern *pattern, const TnSparse *base, int last_count,
                           const int *last, double flops, TnArena *arena)
{
    int n = pattern->graph.node_count, *order = TN_ARENA_NEW(arena, int, n);
    int *work = TN_ARENA_NEW(arena, int, 2 * (size_t)n);
    bool *is_last = TN_ARENA_ZERO(arena, bool, n);
    TnSparseTree tree;
    if (!order || !work || !is_last || !tn_sparse_tree_init(&tree, n, arena)) return NULL;
    for (int k = 0; k < last_count; k++) is_last[last[k]] = true;
    order_by_distance(pattern, last_count, last, order, work);
    double distance = tn_sparse_count(&tree, &pattern->graph, order, last_count);
    order_by_level(pattern, is_last, last_count, last, order, work);
    double level = tn_sparse_count(&tree, &pattern->graph, order, last_count);
    bool layers = fmin(distance, level) * MUCH_MORE < flops;
    if (layers && distance <= level)
        order_by_distance(pattern, last_count, last, order, work);
    else if (!layers)
        order_behind(base, is_last, last_count, last, order);
    tn_sparse_count(&tree, &pattern->graph, order, last_count);
    return make(pattern, &tree, order, last_count, layers || base->sizes.layers, arena);
}

TnSparse *tn_sparse_choose(const TnSparsePattern *pattern, TnSparseOrder which,
                           const TnSparse *base, int last_count, const int *last, TnArena *arena)
{
    if (!base) {
        int root = tn_sparse_root(pattern, last_count, last, arena);
        base = make_base(pattern, which, root, arena);
    }
    TnSparse *plan = base ? tn_sparse_touch(pattern, base, last_count, last, arena) : NULL;
    if (!plan || which != TN_SPARSE_ORDER_BEST) return plan;
    if (plan->sizes.flops <= MUCH_MORE * base->sizes.flops) return plan;
    return make_anew(pattern, base, last_count, last, plan->sizes.flops, arena);
}

TnSparse *tn_sparse_plan_last(const TnSparsePattern *pattern, const TnSparse *base, int last_count,
                              const int *last, TnArena *arena)
{
    return tn_sparse_choose(pattern, TN_SPARSE_ORDER_BEST, base, last_count, last, arena);
}
