/* sparse_tree.c: the elimination tree, and which nodes are eliminated together.
 *
 * Column j of L has an entry in row i exactly if j is on the way, in the elimination tree, from
 * a neighbour k < i of i up to i. These ways form, for each i, a subtree with root i; the parent
 * of j is the first i > j with j in its subtree. How many entries column j has is counted
 * without walking the ways (Gilbert, Ng and Peyton): with places in postorder, the leaves of i's
 * subtree are those neighbours of i, in rising order, below which no earlier neighbour of i
 * lies. Each leaf adds one to all from itself up to i; what two successive leaves both add, from
 * their least common ancestor on, is taken away again. The sums over subtrees of these ones are
 * the counts.
 *
 * Places that follow each other and have the same rows below form a front. Fronts are then
 * merged into their parents where the zeros that this stores are few: a child of w_c nodes whose
 * m_c rows below are part of the parent's w_p and m_p costs w_c (w_p + m_p - m_c) blocks. */
#include "sparse_tree.h"

#include <string.h>

bool tn_sparse_tree_init(TnSparseTree *tree, int n, TnArena *arena)
{
    int **arrays[] = {&tree->front_first, &tree->front_below, &tree->front_parent, &tree->parent,
                      &tree->count,       &tree->place,       &tree->mark,         &tree->head,
                      &tree->next,        &tree->width};
    bool ok = true;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        ok = (*arrays[k] = TN_ARENA_NEW(arena, int, (size_t)n + 1)) && ok;
    return ok;
}

static void find_parents(TnSparseTree *tree, const TnGraph *graph, const int *order, int last)
{
    int n = graph->node_count, *ancestor = tree->mark, *parent = tree->parent, *place = tree->place;
    for (int k = 0; k < n; k++) place[order[k]] = k;
    for (int k = 0; k < n; k++) {
        parent[k] = ancestor[k] = -1;
        if (k > last) { /* a chain, whatever else is joined to it */
            if (ancestor[k - 1] < 0) ancestor[k - 1] = parent[k - 1] = k;
        }
        int i = order[k];
        for (int e = graph->first[i]; e < graph->first[i + 1]; e++) {
            int r = place[graph->neighbour[e]];
            if (r >= k) continue;
            while (ancestor[r] >= 0 && ancestor[r] != k) { /* ways get shorter as they are walked */
                int up = ancestor[r];
                ancestor[r] = k;
                r = up;
            }
            if (ancestor[r] < 0) ancestor[r] = parent[r] = k;
        }
    }
}

/* Renumbers places so that every subtree is a range that ends with its root. */
static void postorder(TnSparseTree *tree, int n, int *order)
{
    int *head = tree->head, *next = tree->next, *to = tree->mark, *stack = tree->width;
    int *parent = tree->parent;
    for (int k = 0; k <= n; k++) head[k] = -1;
    for (int k = n - 1; k >= 0; k--) { /* children in rising order; place n is above the roots */
        int up = parent[k] < 0 ? n : parent[k];
        next[k] = head[up];
        head[up] = k;
    }
    int depth = 0, done = 0;
    stack[depth++] = n;
    while (depth > 0) {
        int k = stack[depth - 1], child = head[k];
        if (child >= 0) {
            head[k] = next[child];
            stack[depth++] = child;
        } else {
            to[k] = done++;
            depth--;
        }
    }
    int *new_order = tree->head, *new_parent = tree->next;
    for (int k = 0; k < n; k++) {
        new_order[to[k]] = order[k];
        new_parent[to[k]] = parent[k] < 0 ? -1 : to[parent[k]];
    }
    memcpy(order, new_order, sizeof(int) * (size_t)n);
    memcpy(parent, new_parent, sizeof(int) * (size_t)n);
    for (int k = 0; k < n; k++) tree->place[order[k]] = k;
}

double tn_sparse_count(TnSparseTree *tree, const TnGraph *graph, int *order, int last_count)
{
    int n = graph->node_count, last = n - last_count;
    find_parents(tree, graph, order, last);
    postorder(tree, n, order);
    const int *parent = tree->parent, *place = tree->place;
    int *count = tree->count, *begin = tree->head, *ancestor = tree->mark;
    int *newest = tree->next,
        *leaf = tree->width; /* of each row: its newest leaf, and begin of it */
    for (int k = 0; k < n; k++)
        begin[k] = k, count[k] = 1, ancestor[k] = k, newest[k] = leaf[k] = -1;
    for (int k = 0; k < n; k++) {
        if (parent[k] >= 0 && begin[k] < begin[parent[k]]) begin[parent[k]] = begin[k];
        if (begin[k] < k) count[k] = 0; /* no leaf of its own row */
    }
    for (int k = 0; k < last; k++) {
        if (parent[k] >= 0) count[parent[k]]--; /* row k ends here */
        int i = order[k];
        for (int e = graph->first[i]; e < graph->first[i + 1]; e++) {
            int r = place[graph->neighbour[e]];
            if (r <= k || begin[k] <= newest[r]) continue;
            newest[r] = begin[k];
            count[k]++;
            int before = leaf[r];
            leaf[r] = k;
            if (before < 0) continue;
            int top = before;
            while (ancestor[top] != top) top = ancestor[top];
            while (before != top) {
                int up = ancestor[before];
                ancestor[before] = top;
                before = up;
            }
            count[top]--;
        }
        if (parent[k] >= 0) ancestor[k] = parent[k];
    }
    double flops = 0.0;
    for (int k = 0; k < n; k++) {
        if (k >= last)
            count[k] = n - k;
        else if (parent[k] >= 0 && parent[k] < last)
            count[parent[k]] += count[k];
        flops += 27.0 * (double)count[k] * (double)count[k];
    }
    return flops;
}

/* Zeros worth storing, as a share of a front: narrow fronts cost more than their operations, wide
 * ones do not. Those of an only child are before the first numbers of rows: stairs, which take no
 * operations, so that only memory limits their share (of 0.15, 0.25 and 0.4 the middle one took
 * least time for the beam). */
#define MOST_STAIRS 0.25

static bool worth_merging(int width, double zeros, double size, bool only)
{
    if (width <= 4) return true;
    double share = zeros / size;
    if (only) return share < MOST_STAIRS;
    return share < (width <= 8 ? 0.3 : width <= 16 ? 0.08 : 0.04);
}

/* Of a subtree's operations: threads may share what is below the front where it meets another. */
#define HEAVY_PART 0.01

/* Per column, thousands of operations in its subtree, and how many heavy ones meet in it. Returns
 * what is heavy. */
static int find_meetings(const TnSparseTree *tree, int n, int *load, int *meet)
{
    double all = 0.0;
    for (int k = 0; k < n; k++) {
        double own = 0.027 * (double)tree->count[k] * (double)tree->count[k];
        load[k] = own < 1e6 ? (int)own : 1000000, meet[k] = 0;
        all += own;
    }
    double least =
        HEAVY_PART * all > 1e-3 * TN_SPARSE_GRAIN ? HEAVY_PART * all : 1e-3 * TN_SPARSE_GRAIN;
    int heavy = least < 1e9 ? (int)least : 1000000000;
    for (int k = 0; k < n; k++) {
        int up = tree->parent[k];
        if (up < 0) continue;
        load[up] = load[up] < 1000000000 - load[k] ? load[up] + load[k] : 1000000000;
        if (load[k] >= heavy) meet[up]++;
    }
    return heavy;
}

void tn_sparse_fronts(TnSparseTree *tree, int n, int *order, int last_count)
{
    int last = n - last_count, fronts = 0;
    int *parent = tree->parent, *count = tree->count, *first = tree->front_first;
    int *front_of = tree->mark, *load = tree->next, *meet = tree->head;
    int heavy = find_meetings(tree, n, load, meet);
    for (int k = 0; k < n; k++) {
        bool same = k > 0 && k != last && parent[k - 1] == k && count[k - 1] == count[k] + 1;
        if (k > 0 && k < last && meet[k] > 1 && load[k - 1] >= heavy) same = false;
        if (!same) first[fronts++] = k;
        front_of[k] = fronts - 1;
    }
    first[fronts] = n;
    int *up = tree->place, *head = tree->head, *next = tree->next, *width = tree->width;
    int *below = tree->front_below, *zeros = tree->mark, *into = tree->parent, *apart = count;
    for (int s = 0; s < fronts; s++) {
        int end = first[s + 1] - 1;
        up[s] = parent[end] < 0 ? -1 : front_of[parent[end]];
        below[s] = count[end] - 1;
        apart[s] = up[s] >= 0 && load[end] >= heavy && meet[parent[end]] > 1;
    }
    for (int s = 0; s < fronts; s++) {
        head[s] = -1, zeros[s] = 0, into[s] = s;
        width[s] = first[s + 1] - first[s];
    }
    for (int s = 0; s < fronts; s++) { /* the last child comes to the head */
        for (int c = head[s]; c >= 0 && first[s] != last; c = next[c]) {
            if (apart[c]) continue;
            double more = (double)width[c] * (width[s] + below[s] - below[c]);
            double total = width[c] + width[s], all = zeros[c] + zeros[s] + more;
            double size = total * (total + 1.0) / 2.0 + total * below[s];
            if (all > 1e9 ||
                !worth_merging(width[c] + width[s], all, size, head[s] == c && next[c] < 0))
                continue;
            into[c] = s;
            width[s] += width[c];
            zeros[s] = (int)all;
        }
        if (up[s] >= 0) next[s] = head[up[s]], head[up[s]] = s;
    }
    /* A merged front stands where its uppermost part stood: still children before parents. */
    int *at = tree->head, *sorted = tree->count, kept = 0, from = 0;
    for (int s = fronts - 1; s >= 0; s--) into[s] = into[into[s]];
    for (int s = 0; s < fronts; s++) {
        at[s] = from;
        if (into[s] == s) from += width[s];
    }
    for (int s = 0; s < fronts; s++)
        for (int k = first[s]; k < first[s + 1]; k++) sorted[at[into[s]]++] = order[k];
    for (int k = 0; k < n; k++) order[k] = sorted[k];
    int *number = tree->next;
    for (int s = 0; s < fronts; s++)
        if (into[s] == s) number[s] = kept++;
    kept = from = 0;
    for (int s = 0; s < fronts; s++) {
        if (into[s] != s) continue;
        int nodes = width[s], rows = below[s];
        tree->front_parent[kept] = up[s] < 0 ? -1 : number[into[up[s]]];
        first[kept] = from;
        below[kept++] = rows;
        from += nodes;
    }
    first[kept] = n;
    tree->front_count = kept;
}
