/* block_sparse_plan.c: from a graph to the layout and the operations of block_plan.h.
 *
 * Row i of the factor has a block in column k where k lies on the way, from one of i's earlier
 * neighbours up the elimination tree, to i; and the parent of k is the first i for which that is
 * so. So walks in rising i find tree and fill together and write every column in the order of
 * elimination, one visit per block. */
#include "block_plan.h"

#include <limits.h>
#include <string.h>

uint64_t tn_block_graph_hash(const TnBlockGraph *graph)
{
    uint64_t hash = 0x9e3779b97f4a7c15ull;
#define MIX(VALUE)                                                                                 \
    (hash = (hash ^ (uint64_t)(unsigned)(VALUE)) * 0xff51afd7ed558ccdull, hash ^= hash >> 32)
    MIX(graph->node_count);
    MIX(graph->edge_count);
    for (int i = 0; i < graph->node_count; i++) MIX(graph->dims[i]);
    for (int e = 0; e < graph->edge_count; e++) {
        MIX(graph->edges[e][0]);
        MIX(graph->edges[e][1]);
    }
#undef MIX
    return hash;
}

bool tn_block_plan_fits(const TnBlockPlan *plan, const TnBlockGraph *graph)
{
    size_t n = (size_t)graph->node_count, m = (size_t)graph->edge_count;
    if (plan->node_count != graph->node_count || plan->edge_count != graph->edge_count)
        return false;
    return (n == 0 || !memcmp(plan->dims, graph->dims, n * sizeof *graph->dims)) &&
           (m == 0 || !memcmp(plan->program->edges, graph->edges, m * sizeof *graph->edges));
}

struct TnBlockAnalysis {
    const TnBlockGraph *graph;
    int *first, *neighbour;     /* the graph from both ends */
    int *order, *place;         /* node at a place, place of a node */
    int *parent, *mark, *count; /* by place; count: blocks below the diagonal */
    int *begin, *below;         /* column k: places below[begin[k] … begin[k+1]) */
    size_t block_count, map_count;
};

static void list_neighbours(const TnBlockGraph *graph, TnBlockAnalysis *s)
{
    int n = graph->node_count;
    for (int i = 0; i <= n; i++) s->first[i] = 0;
    for (int e = 0; e < graph->edge_count; e++)
        for (int k = 0; k < 2; k++) s->first[graph->edges[e][k] + 1]++;
    for (int i = 0; i < n; i++) s->first[i + 1] += s->first[i];
    for (int i = 0; i < n; i++) s->mark[i] = s->first[i];
    for (int e = 0; e < graph->edge_count; e++)
        for (int k = 0; k < 2; k++)
            s->neighbour[s->mark[graph->edges[e][k]]++] = graph->edges[e][1 - k];
}

/* Counts the blocks of every column, or where `below` is there lists them. */
static void walk_rows(int n, TnBlockAnalysis *s)
{
    for (int i = 0; i < n; i++) {
        s->mark[i] = s->parent[i] = -1;
        s->count[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        s->mark[i] = i;
        for (int a = s->first[s->order[i]]; a < s->first[s->order[i] + 1]; a++)
            for (int k = s->place[s->neighbour[a]]; k < i && s->mark[k] != i; k = s->parent[k]) {
                s->mark[k] = i;
                if (s->parent[k] < 0) s->parent[k] = i;
                if (s->below) s->below[s->begin[k] + s->count[k]] = i;
                s->count[k]++;
            }
    }
}

/* Where the blocks of column k behind its block t lie in the column of that block: they are a run
 * there, whose begin is returned, or -1. `at`: where the first of them is. */
static int find_run(const TnBlockAnalysis *s, int k, int t, int *at)
{
    int j = s->below[t], from = t + 1, end = s->begin[k + 1];
    if (from == end) return *at = s->begin[j];
    int low = s->begin[j], high = s->begin[j + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->below[middle] < s->below[from])
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    int last = low + end - from - 1;
    return last < s->begin[j + 1] && s->below[last] == s->below[end - 1] ? low : -1;
}

TnBlockAnalysis *tn_block_analyse(const TnBlockGraph *graph, TnArena *scratch)
{
    int n = graph->node_count, at;
    TnBlockAnalysis *s = TN_ARENA_ZERO(scratch, TnBlockAnalysis, 1);
    int *work = TN_ARENA_NEW(scratch, int, 7 * (size_t)n + 2 + 2 * (size_t)graph->edge_count);
    if (!s || !work) return NULL;
    int **parts[] = {&s->order, &s->place, &s->parent, &s->mark, &s->count};
    for (size_t k = 0; k < 5; k++, work += n) *parts[k] = work;
    s->graph = graph;
    s->first = work;
    s->begin = work + n + 1;
    s->neighbour = work + 2 * (n + 1);
    list_neighbours(graph, s);
    if (!tn_block_order(n, graph->dims, s->first, s->neighbour, NULL, s->order, scratch))
        return NULL;
    for (int i = 0; i < n; i++) s->place[s->order[i]] = i;
    walk_rows(n, s);
    for (int k = 0; k < n; k++) s->block_count += (size_t)s->count[k];
    if (s->block_count > INT_MAX) return NULL;
    s->begin[0] = 0;
    for (int k = 0; k < n; k++) s->begin[k + 1] = s->begin[k] + s->count[k];
    s->below = TN_ARENA_NEW(scratch, int, s->block_count);
    if (!s->below) return NULL;
    walk_rows(n, s);
    for (int k = 0; k < n; k++)
        for (int t = s->begin[k]; t < s->begin[k + 1]; t++)
            if (find_run(s, k, t, &at) < 0) s->map_count += (size_t)(s->begin[k + 1] - t - 1);
    return s->block_count + s->map_count <= INT_MAX ? s : NULL;
}

static void lay_out(const TnBlockGraph *graph, const TnBlockAnalysis *s, TnBlockPlan *plan,
                    int *start, size_t *diagonal)
{
    TnBlockProgram *program = plan->program;
    for (int i = 0; i < graph->node_count; i++) {
        start[i] = plan->dim;
        plan->dim += graph->dims[i];
    }
    size_t scratch = 0;
    for (int k = 0; k < graph->node_count; k++) {
        int node = s->order[k], dim = graph->dims[node], rows = 0;
        double d = dim, pairs = 0.0;
        for (int t = s->begin[k]; t < s->begin[k + 1]; t++) {
            int i = s->order[s->below[t]];
            program->below[t] = (TnBlockBelow){graph->dims[i], start[i], rows, s->below[t], 0};
            program->rows[t] = rows;
            rows += graph->dims[i];
            pairs += (double)graph->dims[i] * rows;
        }
        program->columns[k] =
            (TnBlockColumn){plan->size, dim, start[node], rows, s->begin[k], s->count[k]};
        diagonal[node] = plan->size;
        plan->size += (size_t)(dim + rows) * (size_t)dim;
        plan->flops += d * d * d / 6.0 + d * d * rows / 2.0 + d * pairs;
        size_t strip = dim > TN_BLOCK_STRIP ? TN_BLOCK_STRIP : 0;
        size_t need = (size_t)dim * ((size_t)rows > strip ? (size_t)rows : strip);
        if (need > scratch) scratch = need;
    }
    program->scratch = plan->size;
    plan->size += scratch;
}

static void map_rows(int n, const TnBlockAnalysis *s, TnBlockProgram *program)
{
    int filled = (int)s->block_count, at;
    for (int k = 0; k < n; k++)
        for (int t = s->begin[k]; t < s->begin[k + 1]; t++) {
            int run = find_run(s, k, t, &at);
            program->below[t].map = run < 0 ? filled : run;
            for (int from = t + 1; run < 0 && from < s->begin[k + 1]; from++) {
                while (s->below[at] != s->below[from]) at++;
                program->rows[filled++] = program->below[at].row;
            }
        }
}

static void place_edges(const TnBlockGraph *graph, const TnBlockAnalysis *s,
                        const TnBlockPlan *plan, size_t *edge, bool *flip)
{
    const TnBlockProgram *program = plan->program;
    for (int e = 0; e < graph->edge_count; e++) {
        int a = s->place[graph->edges[e][0]], b = s->place[graph->edges[e][1]];
        int k = a < b ? a : b, i = a < b ? b : a, low = s->begin[k], high = s->begin[k + 1] - 1;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (s->below[middle] < i)
                low = middle + 1;
            else
                high = middle;
        }
        const TnBlockColumn *column = &program->columns[k];
        flip[e] = a > b;
        edge[e] =
            column->panel + (size_t)(column->dim + program->below[low].row) * (size_t)column->dim;
    }
}

enum { PARTS = 11 };

/* Where the parts of a plan lie; the bytes of all. */
static size_t place_parts(const TnBlockAnalysis *s, size_t offsets[PARTS])
{
    size_t n = (size_t)s->graph->node_count, m = (size_t)s->graph->edge_count, bytes = 0;
    const size_t sizes[PARTS] = {
        sizeof(TnBlockPlan),                           /* 0 */
        sizeof(TnBlockProgram),                        /* 1 */
        n * sizeof(TnBlockColumn),                     /* 2 */
        s->block_count * sizeof(TnBlockBelow),         /* 3 */
        n * sizeof(size_t),                            /* 4: diagonal */
        m * sizeof(size_t),                            /* 5: edge */
        (s->block_count + s->map_count) * sizeof(int), /* 6: rows */
        n * sizeof(int),                               /* 7: dims */
        n * sizeof(int),                               /* 8: start */
        m * sizeof *s->graph->edges,                   /* 9: edges */
        m * sizeof(bool),                              /* 10: flip */
    };
    for (int k = 0; k < PARTS; k++) {
        offsets[k] = bytes;
        bytes += (sizes[k] + 15) / 16 * 16;
    }
    return bytes;
}

size_t tn_block_plan_bytes(const TnBlockAnalysis *s)
{
    size_t offsets[PARTS];
    return place_parts(s, offsets);
}

TnBlockPlan *tn_block_plan_write(const TnBlockAnalysis *s, void *memory)
{
    const TnBlockGraph *graph = s->graph;
    size_t n = (size_t)graph->node_count, m = (size_t)graph->edge_count, offsets[PARTS];
    char *base = memory;
    memset(base, 0, place_parts(s, offsets));
    TnBlockPlan *plan = memory;
    TnBlockProgram *program = (TnBlockProgram *)(void *)(base + offsets[1]);
    size_t *diagonal = (size_t *)(void *)(base + offsets[4]);
    size_t *edge = (size_t *)(void *)(base + offsets[5]);
    int *dims = (int *)(void *)(base + offsets[7]), *start = (int *)(void *)(base + offsets[8]);
    bool *flip = (bool *)(base + offsets[10]);
    program->columns = (TnBlockColumn *)(void *)(base + offsets[2]);
    program->below = (TnBlockBelow *)(void *)(base + offsets[3]);
    program->rows = (int *)(void *)(base + offsets[6]);
    program->edges = (const int(*)[2])(void *)(base + offsets[9]);
    if (n) memcpy(dims, graph->dims, n * sizeof *dims);
    if (m) memcpy(base + offsets[9], graph->edges, m * sizeof *graph->edges);
    plan->node_count = graph->node_count;
    plan->edge_count = graph->edge_count;
    plan->dims = dims;
    plan->start = start;
    plan->diagonal = diagonal;
    plan->edge = edge;
    plan->flip = flip;
    plan->hash = tn_block_graph_hash(graph);
    plan->program = program;
    lay_out(graph, s, plan, start, diagonal);
    map_rows(graph->node_count, s, program);
    place_edges(graph, s, plan, edge, flip);
    return plan;
}
