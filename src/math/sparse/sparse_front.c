/* sparse_front.c: what is in a front, once its rows are known. */
#include "sparse_plan.h"

/* Blocks of A, column by column. */
static bool find_entries(const TnSparseMaker *m, TnSparseFront *front, const int *nodes)
{
    const TnGraph *graph = &m->pattern->graph;
    size_t most = (size_t)front->width;
    for (int k = 0; k < front->width; k++)
        most += (size_t)(graph->first[nodes[k] + 1] - graph->first[nodes[k]]);
    TnSparseEntry *entries = TN_ARENA_NEW(m->arena, TnSparseEntry, most);
    if (!entries) return false;
    int used = 0;
    for (int column = 0; column < front->width; column++) {
        int i = nodes[column], k = m->plan->place[i];
        entries[used++] = (TnSparseEntry){i, column, column, false};
        for (int e = graph->first[i]; e < graph->first[i + 1]; e++) {
            int r = m->plan->place[graph->neighbour[e]], link = m->pattern->link[e];
            if (r > k)
                entries[used++] = (TnSparseEntry){graph->node_count + (link >> 1), m->row_of[r],
                                                  column, !(link & 1)};
        }
    }
    front->entries = entries;
    front->entry_count = used;
    return true;
}

/* Where the rows of a front's children are in it. */
static bool find_maps(const TnSparseMaker *m, const TnSparseFront *front)
{
    int eights = (3 * (front->width + front->below) + 7) / 8;
    for (int c = front->child; c >= 0; c = m->plan->fronts[c].sibling) {
        TnSparseFront *child = &m->plan->fronts[c];
        TnDenseMap *map = TN_ARENA_ZERO(m->arena, TnDenseMap, eights);
        if (!map) return false;
        for (int k = 0; k < child->below; k++)
            for (int i = 0; i < 3; i++) {
                int row = 3 * m->row_of[child->rows[k]] + i;
                if (!map[row / 8].mask) map[row / 8].from = 3 * k + i;
                map[row / 8].mask |= 1u << row % 8;
            }
        child->map = map;
    }
    return true;
}

/* Where rows of a front begin: what A and the children have in a row begins there, and elimination
 * puts nothing before. Rows behind a row that begins early count as early, too. */
static bool find_stairs(const TnSparseMaker *m, TnSparseFront *front)
{
    int nodes = front->width + front->below, eights = (3 * nodes + 7) / 8, *begin = m->begin;
    front->stair = NULL;
    for (int r = 0; r < nodes; r++) begin[r] = r < front->width ? r : front->width;
    for (int e = 0; e < front->entry_count; e++) {
        const TnSparseEntry *entry = &front->entries[e];
        if (entry->column < begin[entry->row]) begin[entry->row] = entry->column;
    }
    for (int c = front->child; c >= 0; c = m->plan->fronts[c].sibling) {
        const TnSparseFront *child = &m->plan->fronts[c];
        int first = child->below > 0 ? m->row_of[child->rows[0]] : 0;
        for (int k = 0; k < child->below; k++) {
            int r = m->row_of[child->rows[k]];
            if (first < begin[r]) begin[r] = first;
        }
    }
    bool last = m->plan->last_count > 0 && front == &m->plan->fronts[m->plan->front_count - 1];
    if (last || nodes == 0 || begin[nodes - 1] < 3) return true; /* full, or as good as */
    int *stair = TN_ARENA_NEW(m->arena, int, eights);
    if (!stair) return false;
    int least = 3 * (front->width - 1);
    for (int g = eights - 1, r = nodes - 1; g >= 0; g--) {
        for (; r >= 0 && 3 * r + 2 >= 8 * g; r--)
            if (3 * begin[r] < least) least = 3 * begin[r];
        stair[g] = least & ~7;
        r++; /* it may be in two eights */
    }
    front->stair = stair;
    return true;
}

static void count_flops(TnSparseFront *front)
{
    int width = 3 * front->width, rows = width + 3 * front->below;
    double w = width, m = rows - width;
    front->flops = w * w * w / 3.0 + w * w * m + w * m * m;
    if (!front->stair) return;
    front->flops = 0.0;
    for (int k = 0; k < width; k += 8) { /* half of the strip at a column's end is worked on */
        int columns = width - k < 8 ? width - k : 8;
        int end = tn_dense_end(front->stair, (rows + 7) / 8, k) - TN_DENSE_STRIP / 2;
        double high = (end < k + 8 ? k + 8 : end) - k;
        front->flops += columns * high * high;
    }
}

bool tn_sparse_describe(const TnSparseMaker *m, int f)
{
    TnSparseFront *front = &m->plan->fronts[f];
    const int *nodes = m->plan->order + front->at;
    for (int k = 0; k < front->width; k++) m->row_of[m->plan->place[nodes[k]]] = k;
    for (int k = 0; k < front->below; k++) m->row_of[front->rows[k]] = front->width + k;
    if (!find_entries(m, front, nodes) || !find_maps(m, front) || !find_stairs(m, front))
        return false;
    count_flops(front);
    return true;
}
