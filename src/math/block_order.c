/* block_order.c: the order of elimination by least degree, on the quotient graph.
 *
 * Eliminating a node joins all its neighbours with each other. Instead of these edges the graph
 * keeps an element, the list of those neighbours, under the number of the node that is gone; a
 * node's neighbours are then those that edges of the graph lead to and all members of its elements.
 * An element within a new one is dropped, so are edges between members of one. Degrees count
 * unknowns and are the upper bound
 *
 *     |L_p \ i| + Σ |L_e \ L_p| over the other elements e of i + edges that are left,
 *
 * exact where i has no more than two elements; all |L_e \ L_p| come from one pass over the members
 * of the new element p, so that a step is linear in what it touches (Amestoy, Davis and Duff 1996).
 * Members that nothing but p leads to go right behind p: they cause no fill of their own. Nodes
 * with very many neighbours would be touched by nearly every step; they come last from the
 * beginning. */
#include "block_plan.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../base/base.h"

enum { NODE, ELEMENT, GONE };

typedef struct Order {
    int node_count, count, *order;
    const int *dims;
    const bool *last;           /* these stay; NULL: none do */
    int *kind;                  /* NODE, ELEMENT, GONE */
    int *at, *elements, *edges; /* of a node: elements, then edges' other ends, in lists[at …] */
    int *begin, *members, *content; /* of an element: members in pool[begin …], their unknowns */
    int *degree, *seen, *outside, *fresh, *lists;
    int *tree, leaves; /* tree[1]: node of least degree; tree[leaves + i]: i or -1 */
    int *pool, pool_used, pool_size;
    int stamp, left; /* left: unknowns of nodes not yet eliminated */
} Order;

/* The lower number wins a tie: it is the left one. */
static int better(const Order *o, int a, int b)
{
    if (a < 0) return b;
    return b < 0 || o->degree[a] <= o->degree[b] ? a : b;
}

static bool stays(const Order *o, int node) { return o->last && o->last[node]; }

static void tree_update(Order *o, int node, bool in)
{
    int t = o->leaves + node;
    o->tree[t] = in ? node : -1;
    for (t /= 2; t >= 1; t /= 2) o->tree[t] = better(o, o->tree[2 * t], o->tree[2 * t + 1]);
}

static void put(Order *o, int node, int kind)
{
    o->order[o->count++] = node;
    o->kind[node] = kind;
    o->left -= o->dims[node];
    tree_update(o, node, false);
}

/* Elements that are gone make room. A new one has fewer members than the elements and edges that it
 * replaces, so that those that are left never have more than the graph has ends of edges. */
static void compact(Order *o)
{
    int used = 0;
    for (int k = 0; k < o->count; k++) { /* in order they lie in the pool */
        int e = o->order[k];
        if (o->kind[e] != ELEMENT) continue;
        memmove(o->pool + used, o->pool + o->begin[e], (size_t)o->members[e] * sizeof *o->pool);
        o->begin[e] = used;
        used += o->members[e];
    }
    o->pool_used = used;
}

static void add_member(Order *o, int p, int node)
{
    if (o->kind[node] != NODE || o->seen[node] == o->stamp) return;
    o->seen[node] = o->stamp;
    o->pool[o->begin[p] + o->members[p]++] = node;
    o->content[p] += o->dims[node];
}

/* Node p becomes an element; those it was in are within it. */
static void make_element(Order *o, int p)
{
    const int *list = o->lists + o->at[p];
    int elements = o->elements[p], edges = o->edges[p], most = edges;
    for (int k = 0; k < elements; k++) most += o->members[list[k]];
    if (most > o->pool_size - o->pool_used) compact(o);
    TN_ASSERT(most <= o->pool_size - o->pool_used);
    o->begin[p] = o->pool_used;
    o->members[p] = o->content[p] = 0;
    o->stamp++;
    put(o, p, ELEMENT);
    for (int k = 0; k < elements; k++) {
        for (int m = 0; m < o->members[list[k]]; m++)
            add_member(o, p, o->pool[o->begin[list[k]] + m]);
        o->kind[list[k]] = GONE;
    }
    for (int k = 0; k < edges; k++) add_member(o, p, list[elements + k]);
}

/* outside[e] = |L_e \ L_p| for all elements e that meet p; fresh[e]: it is of this step. */
static void measure(Order *o, int p)
{
    for (int m = 0; m < o->members[p]; m++) {
        int i = o->pool[o->begin[p] + m];
        for (int k = 0; k < o->elements[i]; k++) {
            int e = o->lists[o->at[i] + k];
            if (o->kind[e] != ELEMENT) continue;
            if (o->fresh[e] != o->stamp) o->outside[e] = o->content[e];
            o->fresh[e] = o->stamp;
            o->outside[e] -= o->dims[i];
        }
    }
}

/* The member's lists without what p covers, and p. Returns the unknowns they lead to outside of p.
 * The lists do not grow: an edge to p, or an element within p, is no longer there. */
static int renew_lists(Order *o, int p, int i, int *kept)
{
    int *list = o->lists + o->at[i], elements = 0, edges = 0, outside = 0;
    for (int k = 0; k < o->elements[i]; k++) {
        int e = list[k];
        if (o->kind[e] == ELEMENT && o->outside[e] == 0) o->kind[e] = GONE;
        if (o->kind[e] != ELEMENT) continue;
        kept[elements++] = e;
        outside += o->outside[e];
    }
    kept[elements++] = p;
    for (int k = 0; k < o->edges[i]; k++) {
        int j = list[o->elements[i] + k];
        if (o->kind[j] != NODE || o->seen[j] == o->stamp) continue;
        kept[elements + edges++] = j;
        outside += o->dims[j];
    }
    memcpy(list, kept, (size_t)(elements + edges) * sizeof *list);
    o->elements[i] = elements;
    o->edges[i] = edges;
    return outside;
}

static void eliminate(Order *o, int p, int *kept, int *outside)
{
    make_element(o, p);
    measure(o, p);
    int *members = o->pool + o->begin[p], count = 0;
    for (int m = 0; m < o->members[p]; m++) {
        int i = members[m];
        outside[count] = renew_lists(o, p, i, kept);
        if (outside[count] == 0 && o->edges[i] == 0 && !stays(o, i)) {
            o->content[p] -= o->dims[i];
            put(o, i, GONE);
        } else {
            members[count++] = i;
        }
    }
    o->members[p] = count;
    o->pool_used = o->begin[p] + count;
    for (int m = 0; m < count; m++) {
        int i = members[m], inside = o->content[p] - o->dims[i], degree = inside + outside[m];
        if (degree > o->degree[i] + inside) degree = o->degree[i] + inside;
        if (degree > o->left - o->dims[i]) degree = o->left - o->dims[i];
        o->degree[i] = degree;
        if (!stays(o, i)) tree_update(o, i, true);
    }
}

static void begin(Order *o, const int *first, const int *neighbour)
{
    int n = o->node_count, many = (int)(10.0 * sqrt((double)n)) + 16, filled = 0;
    for (int i = 0; i < n; i++) {
        o->kind[i] = first[i + 1] - first[i] > many ? GONE : NODE;
        o->seen[i] = o->fresh[i] = o->elements[i] = o->edges[i] = o->degree[i] = 0;
    }
    for (int t = 0; t < 2 * o->leaves; t++) o->tree[t] = -1;
    for (int i = 0; i < n; i++) {
        o->at[i] = filled;
        if (o->kind[i] == GONE) continue;
        for (int k = first[i]; k < first[i + 1]; k++) {
            int j = neighbour[k];
            if (o->kind[j] == GONE) continue;
            o->lists[filled++] = j;
            o->edges[i]++;
            o->degree[i] += o->dims[j];
        }
        o->left += o->dims[i];
        if (!stays(o, i)) o->tree[o->leaves + i] = i;
    }
    for (int t = o->leaves - 1; t >= 1; t--)
        o->tree[t] = better(o, o->tree[2 * t], o->tree[2 * t + 1]);
}

bool tn_block_order(int node_count, const int *dims, const int *first, const int *neighbour,
                    const bool *last, int *order, TnArena *scratch)
{
    if (node_count == 0) return true;
    Order o = {.node_count = node_count, .order = order, .dims = dims, .last = last, .leaves = 1};
    while (o.leaves < node_count) o.leaves *= 2;
    /* a third of the pool for elements, one for the new one, one so that compacting is rare */
    int n = node_count, ends = first[node_count];
    if (ends > INT_MAX / 3) return false;
    int **parts[] = {&o.kind,    &o.at,     &o.elements, &o.edges,   &o.begin, &o.members,
                     &o.content, &o.degree, &o.seen,     &o.outside, &o.fresh};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!(*parts[k] = TN_ARENA_NEW(scratch, int, n))) return false;
    int *kept = TN_ARENA_NEW(scratch, int, n), *outside = TN_ARENA_NEW(scratch, int, n);
    o.lists = TN_ARENA_NEW(scratch, int, ends);
    o.tree = TN_ARENA_NEW(scratch, int, 2 * (size_t)o.leaves);
    o.pool = TN_ARENA_NEW(scratch, int, 3 * (size_t)ends);
    o.pool_size = 3 * ends;
    if (!kept || !outside || !o.lists || !o.tree || !o.pool) return false;
    begin(&o, first, neighbour);
    while (o.tree[1] >= 0) eliminate(&o, o.tree[1], kept, outside);
    if (o.count == n) return true;
    for (int i = 0; i < n; i++) o.seen[i] = 0; /* those that stay, or with very many neighbours */
    for (int k = 0; k < o.count; k++) o.seen[order[k]] = 1;
    for (int i = 0; i < n; i++)
        if (!o.seen[i]) order[o.count++] = i;
    return true;
}
