/* graph_order.c: breadth-first layers and nested dissection.
 *
 * Breadth-first search from a node at one end (found by going to the far end a few times) gives
 * levels; edges join only nodes of the same or the next level, so any level separates what is
 * before it from what is behind. Dissection takes a small level near the middle, or a smoother
 * surface, improves it as Fiduccia and Mattheyses do, and goes on with both sides. An
 * improvement moves a node of the separator to one side and takes that node's neighbours on the
 * other side into the separator, also where this makes it larger for a while; the best that was
 * seen is kept, and each node moves once in a pass.
 *
 * A part of the graph is a range of `order`, and `part` says for each node which range it is in. */
#include "graph_order.h"

#include "../sort.h"

enum {
    LEAF = 24,     /* nodes; smaller parts are not cut */
    PASSES = 6,    /* of improvement */
    PATIENCE = 40, /* moves without improvement */
    ROUNDS = 16,   /* of taking means */
};

enum { SIDE_A, SIDE_B, SEPARATOR };

typedef struct Order {
    const TnGraph *graph;
    int *order;
    int *part, *level, *queue, *side, *moved; /* per node; moved: pass of its last move */
    int *list;                                /* 2 per node: separator during a pass */
    int *log;                                 /* 4 per node: (node, side before) of a pass */
    int *stack;                               /* 2 per node: ranges to be cut */
    int part_count, stamp;
} Order;

static Order begin_order(const TnGraph *graph, int *order, int *work)
{
    int n = graph->node_count;
    Order o = {.graph = graph, .order = order, .part = work, .level = work + n};
    o.queue = work + 2 * (long)n, o.side = work + 3 * (long)n, o.moved = work + 4 * (long)n;
    o.list = work + 5 * (long)n, o.log = work + 7 * (long)n, o.stack = work + 11 * (long)n;
    o.part_count = 1;
    for (int i = 0; i < n; i++) {
        o.part[i] = o.moved[i] = 0;
        o.level[i] = -1;
        order[i] = i;
    }
    return o;
}

/* Levels of start's part into level, its nodes by distance into queue; returns their number. */
static int search(Order *o, int start)
{
    const TnGraph *g = o->graph;
    int count = 0, part = o->part[start];
    o->queue[count++] = start;
    o->level[start] = 0;
    for (int k = 0; k < count; k++) {
        int i = o->queue[k];
        for (int e = g->first[i]; e < g->first[i + 1]; e++) {
            int j = g->neighbour[e];
            if (o->part[j] != part || o->level[j] >= 0) continue;
            o->level[j] = o->level[i] + 1;
            o->queue[count++] = j;
        }
    }
    return count;
}

static void forget(Order *o, int count)
{
    for (int k = 0; k < count; k++) o->level[o->queue[k]] = -1;
}

/* The same from a node at one end of start's part. */
static int search_from_end(Order *o, int start)
{
    const TnGraph *g = o->graph;
    int depth = -1, count;
    for (int tries = 0;; tries++) {
        count = search(o, start);
        int far = o->queue[count - 1], now = o->level[far];
        if (now <= depth || tries == 4) return count;
        depth = now;
        /* the node with fewest neighbours among the farthest is most at an end */
        for (int k = count - 1; k >= 0 && o->level[o->queue[k]] == now; k--) {
            int i = o->queue[k];
            if (g->first[i + 1] - g->first[i] < g->first[far + 1] - g->first[far]) far = i;
        }
        forget(o, count);
        start = far;
    }
}

/* Breadth first from what is in the queue already; returns the end of the queue. */
static int spread(const TnGraph *g, bool *seen, int *queue, int end)
{
    for (int k = 0; k < end; k++) {
        int i = queue[k];
        for (int e = g->first[i]; e < g->first[i + 1]; e++) {
            int j = g->neighbour[e];
            if (!seen[j]) seen[j] = true, queue[end++] = j;
        }
    }
    return end;
}

void tn_graph_towards(const TnGraph *graph, int count, int *order, int *work)
{
    int n = graph->node_count, *queue = work, end = count;
    bool *seen = (bool *)(work + n);
    for (int i = 0; i < n; i++) seen[i] = false;
    for (int k = 0; k < count; k++) seen[queue[k] = order[n - 1 - k]] = true;
    end = spread(graph, seen, queue, end);
    for (int i = 0; i < n && end < n; i++) { /* parts that were not reached */
        if (seen[i]) continue;
        seen[i] = true;
        queue[end] = i;
        end += spread(graph, seen, queue + end, 1);
    }
    /* Backwards: nodes with a common neighbour before them then come late (reverse Cuthill-McKee),
     * which never makes more fill. */
    for (int k = 0; k < n; k++) order[k] = queue[n - 1 - k];
}

void tn_graph_layers(const TnGraph *graph, int *order, int *level, int *work)
{
    int n = graph->node_count, middle = n;
    Order o = begin_order(graph, order, work);
    for (int i = 0; i < n; i++) { /* the middle level of each connected part */
        if (o.part[i] < 0) continue;
        int found = search_from_end(&o, i), half = o.level[o.queue[found / 2]];
        for (int k = 0; k < found; k++) {
            int j = o.queue[k];
            o.part[j] = -1;
            level[j] = o.level[j];
            if (level[j] == half) order[--middle] = j;
        }
    }
    tn_graph_towards(graph, n - middle, order, work);
}

/* Chooses the level that separates: small, and with neither side below a third where possible. */
static bool cut_at_level(Order *o, int count, int sizes[3])
{
    int depth = o->level[o->queue[count - 1]];
    if (depth < 2) return false;
    int chosen = -1;
    double best = 0.0;
    for (int k = 0, next; k < count; k = next) {
        int level = o->level[o->queue[k]];
        for (next = k; next < count && o->level[o->queue[next]] == level;) next++;
        if (level == 0 || level == depth) continue;
        int before = k, behind = count - next;
        int smaller = before < behind ? before : behind;
        double lack = smaller * 3 < count ? 1.0 - 3.0 * smaller / count : 0.0;
        double score = next - k + lack * count;
        if (chosen < 0 || score < best) chosen = level, best = score;
    }
    sizes[0] = sizes[1] = sizes[2] = 0;
    for (int k = 0; k < count; k++) {
        int i = o->queue[k], level = o->level[i];
        o->side[i] = level < chosen ? SIDE_A : level > chosen ? SIDE_B : SEPARATOR;
        sizes[o->side[i]]++;
    }
    return true;
}

static int middle_value(int *a, int count)
{
    tn_sort_ints(a, count);
    return a[count / 2];
}

/* A flatter cut where there is one: the surface half-way between both ends, after each node has
 * taken the mean of its neighbours a few times. Whole numbers, so the same everywhere. */
static void cut_half_way(Order *o, int count, int sizes[3])
{
    const TnGraph *g = o->graph;
    int n = g->node_count, *value = o->log, *mean = o->log + n, *sorted = o->log + 2 * (long)n;
    for (int k = 0; k < count; k++) value[o->queue[k]] = o->level[o->queue[k]];
    int far = o->queue[count - 1], part = o->part[far];
    forget(o, count);
    search(o, far);
    for (int k = 0; k < count; k++) {
        int i = o->queue[k];
        value[i] = 256 * (value[i] - o->level[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < count; k++) {
            int i = o->queue[k], terms = 1;
            long long sum = value[i];
            for (int e = g->first[i]; e < g->first[i + 1]; e++)
                if (o->part[g->neighbour[e]] == part) sum += value[g->neighbour[e]], terms++;
            mean[i] = (int)(sum / terms);
        }
        int *swap = value;
        value = mean;
        mean = swap;
    }
    for (int k = 0; k < count; k++) sorted[k] = value[o->queue[k]];
    int middle = middle_value(sorted, count);
    int edge[2] = {0, 0}, high = 0; /* nodes of either side that have neighbours on the other */
    for (int k = 0; k < count; k++) {
        int i = o->queue[k], side = value[i] >= middle, touches = 0;
        for (int e = g->first[i]; e < g->first[i + 1] && !touches; e++) {
            int j = g->neighbour[e];
            touches = o->part[j] == part && (value[j] >= middle) != side;
        }
        mean[i] = touches ? 2 + side : side;
        edge[side] += touches;
        high += side;
    }
    int taken = edge[1] < edge[0], now[3] = {count - high, high, edge[taken]};
    now[taken] -= edge[taken];
    int smaller = now[0] < now[1] ? now[0] : now[1];
    if (now[SEPARATOR] >= sizes[SEPARATOR] || 4 * smaller < count - now[SEPARATOR]) return;
    for (int k = 0; k < count; k++) {
        int i = o->queue[k];
        o->side[i] = mean[i] == 2 + taken ? SEPARATOR : mean[i] & 1;
    }
    for (int s = 0; s < 3; s++) sizes[s] = now[s];
}

static int pulled(const Order *o, int node, int side)
{
    const TnGraph *g = o->graph;
    int count = 0, part = o->part[node];
    for (int e = g->first[node]; e < g->first[node + 1]; e++) {
        int j = g->neighbour[e];
        count += o->part[j] == part && o->side[j] == side;
    }
    return count;
}

static int imbalance(const int sizes[3])
{
    return sizes[SIDE_A] > sizes[SIDE_B] ? sizes[SIDE_A] - sizes[SIDE_B]
                                         : sizes[SIDE_B] - sizes[SIDE_A];
}

/* One pass; true where the separator became smaller. */
static bool improve(Order *o, int begin, int end, int sizes[3])
{
    const TnGraph *g = o->graph;
    int total = end - begin, listed = 0, logged = 0, kept = 0, stamp = ++o->stamp;
    for (int k = begin; k < end; k++)
        if (o->side[o->order[k]] == SEPARATOR) o->list[listed++] = o->order[k];
    int best[3] = {sizes[0], sizes[1], sizes[2]};
    for (int patience = PATIENCE; patience > 0; patience--) {
        int chosen = -1, to = 0, gain = 0;
        for (int k = 0; k < listed; k++) {
            int i = o->list[k];
            if (o->side[i] != SEPARATOR || o->moved[i] == stamp) continue;
            for (int side = SIDE_A; side <= SIDE_B; side++) {
                if (5 * (sizes[side] + 1) > 3 * total) continue; /* at most 60 per cent */
                int now = 1 - pulled(o, i, 1 - side);
                bool lighter = sizes[side] < sizes[1 - side];
                if (chosen < 0 || now > gain || (now == gain && lighter && to != side))
                    chosen = i, to = side, gain = now;
            }
        }
        if (chosen < 0) break;
        int degree = g->first[chosen + 1] - g->first[chosen]; /* the room may end */
        if (logged + 1 + degree > 2 * g->node_count || listed + degree > 2 * g->node_count) break;
        o->log[2 * logged] = chosen, o->log[2 * logged++ + 1] = SEPARATOR;
        o->side[chosen] = to, o->moved[chosen] = stamp;
        sizes[SEPARATOR]--, sizes[to]++;
        for (int e = g->first[chosen]; e < g->first[chosen + 1]; e++) {
            int j = g->neighbour[e];
            if (o->part[j] != o->part[chosen] || o->side[j] != 1 - to) continue;
            o->log[2 * logged] = j, o->log[2 * logged++ + 1] = 1 - to;
            o->side[j] = SEPARATOR;
            sizes[1 - to]--, sizes[SEPARATOR]++;
            if (o->moved[j] != stamp) o->list[listed++] = j;
        }
        if (sizes[SEPARATOR] < best[SEPARATOR] ||
            (sizes[SEPARATOR] == best[SEPARATOR] && imbalance(sizes) < imbalance(best))) {
            if (sizes[SEPARATOR] < best[SEPARATOR]) patience = PATIENCE;
            for (int s = 0; s < 3; s++) best[s] = sizes[s];
            kept = logged;
        }
    }
    while (logged > kept) {
        logged--;
        o->side[o->log[2 * logged]] = o->log[2 * logged + 1];
    }
    for (int s = 0; s < 3; s++) sizes[s] = best[s];
    return kept > 0;
}

/* Puts side A first, then B, then the separator; queue is free by now. */
static void arrange(Order *o, int begin, int end, const int sizes[3])
{
    int at[3] = {0, sizes[0], sizes[0] + sizes[1]};
    for (int k = begin; k < end; k++) {
        int i = o->order[k];
        o->queue[at[o->side[i]]++] = i;
    }
    for (int k = begin; k < end; k++) o->order[k] = o->queue[k - begin];
    for (int k = begin; k < end; k++)
        o->part[o->order[k]] = k < begin + sizes[0]              ? o->part_count
                               : k < begin + sizes[0] + sizes[1] ? o->part_count + 1
                                                                 : -1;
    o->part_count += 2;
}

void tn_graph_dissect(const TnGraph *graph, int *order, int *work)
{
    int waiting = 0;
    Order o = begin_order(graph, order, work);
    if (graph->node_count > 0) o.stack[waiting++] = 0, o.stack[waiting++] = graph->node_count;
    while (waiting > 0) {
        int end = o.stack[--waiting], begin = o.stack[--waiting], sizes[3];
        int found = search_from_end(&o, order[begin]);
        bool cut = false;
        if (found < end - begin) { /* not connected: nothing need separate */
            for (int k = begin; k < end; k++) o.side[order[k]] = SIDE_B;
            for (int k = 0; k < found; k++) o.side[o.queue[k]] = SIDE_A;
            sizes[0] = found, sizes[1] = end - begin - found, sizes[2] = 0;
            cut = true;
        } else if (found > LEAF && cut_at_level(&o, found, sizes)) {
            cut_half_way(&o, found, sizes);
            for (int pass = 0; pass < PASSES && improve(&o, begin, end, sizes); pass++) continue;
            cut = true;
        }
        if (!cut) /* backwards as in layers */
            for (int k = begin; k < end; k++) order[k] = o.queue[end - 1 - k];
        forget(&o, found);
        if (!cut) continue;
        arrange(&o, begin, end, sizes);
        int middle = begin + sizes[0];
        if (sizes[0] > 0) o.stack[waiting++] = begin, o.stack[waiting++] = middle;
        if (sizes[1] > 0) o.stack[waiting++] = middle, o.stack[waiting++] = middle + sizes[1];
    }
}
