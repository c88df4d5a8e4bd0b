/* sparse_tree.c: the elimination tree, and which nodes are eliminated together.
 *
 * Column j of L has an entry in row i exactly if j is on the way, in the elimination tree, from a
 * neighbour k < i of i up to i. Walking these ways row by row gives the parents (the first entry below
 * the diagonal) and the number of entries of every column. Places that follow each other and have the
 * same rows below form a front. Fronts are then merged into their parents where the zeros that this
 * stores are few: a child of w_c nodes whose m_c rows below are part of the parent's w_p and m_p costs
 * w_c (w_p + m_p - m_c) blocks. */
#include "sparse_tree.h"

#include <math.h>

double tn_sparse_count(TnSparseTree *tree, const TnGraph *graph, const int *order, int last_count,
                       double limit)
{
    int n = graph->node_count, last = n - last_count, *ancestor = tree->mark;
    int *parent = tree->parent, *place = tree->place, *count = tree->count;
    for (int k = 0; k < n; k++) place[order[k]] = k;
    for (int k = 0; k < n; k++) {
        parent[k] = ancestor[k] = -1;
        int i = order[k];
        /* the last nodes are all neighbours of the first of them; edge -1 stands for that */
        for (int e = graph->first[i] - 1; e < graph->first[i + 1]; e++) {
            int r = e >= graph->first[i] ? place[graph->neighbour[e]] : k > last ? last : k;
            if (r >= k) continue;
            while (ancestor[r] >= 0 && ancestor[r] != k) { /* ways get shorter as they are walked */
                int up = ancestor[r];
                ancestor[r] = k;
                r = up;
            }
            if (ancestor[r] < 0) ancestor[r] = parent[r] = k;
        }
    }
    int *mark = tree->mark;
    for (int k = 0; k < n; k++) mark[k] = -1, count[k] = 1;
    double entries = n, entry_limit = limit < INFINITY ? sqrt(limit / 27.0 * n) : INFINITY;
    for (int k = 0; k < n; k++) {
        int i = order[k];
        mark[k] = k;
        for (int e = graph->first[i] - 1; e < graph->first[i + 1]; e++) {
            int r = e >= graph->first[i] ? place[graph->neighbour[e]] : k > last ? last : k;
            if (r >= k) continue;
            for (; mark[r] != k; r = parent[r]) mark[r] = k, count[r]++, entries += 1.0;
        }
        /* Σ c² is least where all columns are alike */
        if (entries > entry_limit) return INFINITY;
    }
    double flops = 0.0;
    for (int k = 0; k < n; k++) flops += 27.0 * (double)count[k] * (double)count[k];
    return flops;
}

/* Renumbers places so that every subtree is a range that ends with its root. */
static void postorder(TnSparseTree *tree, int n, int *order, int *scratch)
{
    int *head = tree->head, *next = tree->next, *to = tree->mark, *stack = tree->width;
    for (int k = 0; k <= n; k++) head[k] = -1;
    for (int k = n - 1; k >= 0;
         k--) { /* children in rising order; place n stands above the roots */
        int up = tree->parent[k] < 0 ? n : tree->parent[k];
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
    int *was = tree->head;
    for (int k = 0; k < n; k++) scratch[to[k]] = order[k], was[to[k]] = k;
    for (int k = 0; k < n; k++) order[k] = scratch[k];
    for (int k = 0; k < n; k++) {
        int up = tree->parent[was[k]];
        scratch[k] = up < 0 ? -1 : to[up];
        next[k] = tree->count[was[k]];
    }
    for (int k = 0; k < n; k++) tree->parent[k] = scratch[k], tree->count[k] = next[k];
}

/* Zeros worth storing: narrow fronts cost more than their operations, wide ones do not. */
static bool worth_merging(int width, double zeros, double size)
{
    if (width <= 4) return true;
    double share = zeros / size;
    return share < (width <= 8 ? 0.4 : width <= 16 ? 0.15 : 0.05);
}

void tn_sparse_fronts(TnSparseTree *tree, const TnGraph *graph, int *order, int last_count,
                      int *scratch)
{
    int n = graph->node_count, last = n - last_count, fronts = 0;
    postorder(tree, n, order, scratch);
    int *parent = tree->parent, *count = tree->count, *first = tree->front_first;
    int *front_of = tree->mark;
    for (int k = 0; k < n; k++) {
        bool same = k > 0 && k != last && parent[k - 1] == k && count[k - 1] == count[k] + 1;
        if (!same) first[fronts++] = k;
        front_of[k] = fronts - 1;
    }
    first[fronts] = n;
    int *up = scratch, *head = tree->head, *next = tree->next, *width = tree->width;
    int *below = tree->front_below, *zeros = tree->place, *into = tree->parent;
    for (int s = 0; s < fronts; s++) {
        int end = first[s + 1] - 1;
        up[s] = parent[end] < 0 ? -1 : front_of[parent[end]];
        below[s] = count[end] - 1;
    }
    for (int s = 0; s < fronts; s++) {
        head[s] = -1, zeros[s] = 0, into[s] = s;
        width[s] = first[s + 1] - first[s];
    }
    for (int s = 0; s < fronts; s++) { /* the last child comes to the head */
        for (int c = head[s]; c >= 0 && first[s] != last; c = next[c]) {
            double more = (double)width[c] * (width[s] + below[s] - below[c]);
            double total = width[c] + width[s], all = zeros[c] + zeros[s] + more;
            double size = total * (total + 1.0) / 2.0 + total * below[s];
            if (all > 1e9 || !worth_merging(width[c] + width[s], all, size)) continue;
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
    from = 0;
    for (int s = 0; s < fronts; s++) {
        if (into[s] != s) continue;
        int nodes = width[s], rows = below[s];
        first[kept] = from;
        below[kept++] = rows;
        from += nodes;
    }
    first[kept] = n;
    tree->front_count = kept;
}
