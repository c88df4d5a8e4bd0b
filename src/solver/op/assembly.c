/* assembly.c: nodes, edges and the matrix A of a problem as one linear system.
 *
 * Node k < twist_count is twist block k; the nodes of the large blocks follow, block by block. */
#include <string.h>

#include "../../math/sort.h"
#include "../block/block.h"
#include "assembly_maps.h"

/* An edge while they are being collected: (a << 32) | b. */
typedef uint64_t Key;

typedef struct Builder {
    const TnProblem *p;
    TnAssembly *out;
    TnAssemblyMaps *maps;
    TnBlockGraph graph;
    int *dims, (*edges)[2];
    Key *keys;
    size_t key_count;
} Builder;

/* ---- nodes ---- */

/* NULL: the solved unknowns are one node, or none. */
static const TnChain *nodes_of(const TnLargeBlock *d)
{
    return d->kind->nodes ? d->kind->nodes(d) : NULL;
}

static int node_count_of(const TnLargeBlock *d)
{
    const TnChain *chain = nodes_of(d);
    return chain ? chain->node_count : d->solved > 0;
}

static bool set_nodes(Builder *b)
{
    const TnProblem *p = b->p;
    int count = p->twist_count;
    int *start = b->maps->node_start = TN_ARENA_NEW(p->arena, int, p->large_count);
    if (!start) return false;
    for (int i = 0; i < p->large_count; i++) {
        start[i] = count;
        count += node_count_of(&p->large[i]);
    }
    b->dims = TN_ARENA_NEW(p->arena, int, count);
    if (!b->dims) return false;
    for (int k = 0; k < p->twist_count; k++) b->dims[k] = 6;
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        const TnChain *chain = nodes_of(d);
        for (int k = 0; k < node_count_of(d); k++)
            b->dims[start[i] + k] = chain ? chain->nodes[k].dim : d->solved;
    }
    b->graph.node_count = count;
    b->graph.dims = b->dims;
    return true;
}

/* The unknown `index` of a large block: its node, and its place there. */
static int locate(const Builder *b, int block, int index, int *at)
{
    const TnLargeBlock *d = &b->p->large[block];
    TnBlockPlace place = tn_block_locate(d, index);
    *at = place.at;
    return b->maps->node_start[block] + place.node;
}

/* ---- rows of the twist table ---- */

static int count_segments(const TnProblem *p)
{
    int count = p->twist_count;
    for (int k = 0; k < p->port_count; k++)
        count += p->ports[k].count ? p->ports[k].count / 2 + 1 : p->ports[k].node_count;
    return count;
}

static bool column_is_zero(const TnSegment *s, int column)
{
    for (int k = 0; k < s->rows; k++)
        if (s->T[(long)k * s->stride + column] != 0.0) return false;
    return true;
}

/* One segment for each run of columns of `whole` that are not zero: joints of other limbs move
 * nothing here. */
static int split_segment(const TnSegment *whole, TnSegment *out)
{
    int count = 0;
    if (!whole->T) {
        *out = *whole;
        return 1;
    }
    for (int k = 0; k < whole->count;) {
        int first = k;
        while (k < whole->count && !column_is_zero(whole, k)) k++;
        if (k == first) {
            k++;
            continue;
        }
        out[count] = *whole;
        out[count].at += first;
        out[count].count = k - first;
        out[count++].T += first;
    }
    return count;
}

static int set_port(Builder *b, int k, TnSegment *out)
{
    const TnProblem *p = b->p;
    const TnPort *port = &p->ports[k];
    int *node = &b->out->row_node[p->port_row + k];
    if (port->count) {
        TnSegment whole = {.count = port->count,
                           .rows = port->linear ? 3 : 6,
                           .stride = port->count,
                           .T = port->T};
        *node = locate(b, port->block, port->start, &whole.at);
        return split_segment(&whole, out);
    }
    for (int i = 0; i < port->node_count; i++) {
        out[i] = (TnSegment){.count = 3, .rows = 3, .stride = 3, .T = port->M[i]};
        *node = locate(b, port->block, 3 * port->nodes[i], &out[i].at);
    }
    return port->node_count;
}

static bool set_segments(Builder *b)
{
    const TnProblem *p = b->p;
    TnAssemblyMaps *maps = b->maps;
    int count = 0, longest = 6;
    b->out->row_node = TN_ARENA_NEW(p->arena, int, p->table_rows);
    maps->segment_start = TN_ARENA_NEW(p->arena, int, p->table_rows + 1);
    maps->segments = TN_ARENA_NEW(p->arena, TnSegment, count_segments(p));
    if (!b->out->row_node || !maps->segment_start || !maps->segments) return false;
    for (int row = 0; row < p->table_rows; row++) {
        maps->segment_start[row] = count;
        b->out->row_node[row] = -1;
        if (row >= p->port_row) {
            count += set_port(b, row - p->port_row, maps->segments + count);
        } else if (row >= 1 && row <= p->twist_count) {
            b->out->row_node[row] = row - 1;
            maps->segments[count++] = (TnSegment){.count = 6, .rows = 6};
        }
    }
    maps->segment_start[p->table_rows] = count;
    for (int k = 0; k < count; k++)
        if (maps->segments[k].count > longest) longest = maps->segments[k].count;
    maps->product = TN_ARENA_NEW(p->arena, double, 6 * longest);
    maps->force = tn_arena_calloc(p->arena, sizeof(double[8]) * (size_t)p->table_rows);
    b->out->table = tn_arena_calloc(p->arena, sizeof(double[8]) * (size_t)p->table_rows);
    return maps->product && maps->force && b->out->table;
}

/* ---- pairs ---- */

static bool set_pairs(Builder *b)
{
    const TnProblem *p = b->p;
    struct TnPair *pairs = tn_arena_alloc(p->arena, sizeof(struct TnPair) *
                                                        (size_t)(p->contact_count + p->bond_count));
    int count = 0;
    if (!pairs) return false;
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int row_a = batch->row_a[c % TN_LANES], row_b = batch->row_b[c % TN_LANES];
        if (count && pairs[count - 1].row_a == row_a && pairs[count - 1].row_b == row_b)
            pairs[count - 1].end = c + 1;
        else
            pairs[count++] =
                (struct TnPair){.row_a = row_a, .row_b = row_b, .begin = c, .end = c + 1};
    }
    for (int i = 0; i < p->bond_count; i++)
        pairs[count++] =
            (struct TnPair){.row_a = p->bonds[i].row_a, .row_b = p->bonds[i].row_b, .bond = i};
    b->out->pairs = pairs;
    b->out->pair_count = count;
    return true;
}

/* ---- scalar rows ---- */

static void set_runs(Builder *b, const TnRow *row, int *count)
{
    const TnProblem *p = b->p;
    TnAssemblyMaps *maps = b->maps;
    int first = *count;
    for (int s = row->side_start; s < row->side_start + row->side_count; s++) {
        const TnRowSide *side = &p->sides[s];
        for (int e = side->start; e < side->start + side->count; e++) {
            int node = side->block;
            maps->entry_at[e] = p->index[e];
            if (side->block >= p->twist_count)
                node = locate(b, side->block - p->twist_count, p->index[e], &maps->entry_at[e]);
            TnRun *last = &maps->runs[*count - 1];
            if (*count > first && last->node == node && last->end == e) {
                last->end = e + 1;
                last->straight &= maps->entry_at[e] == maps->entry_at[e - 1] + 1;
            } else {
                maps->runs[(*count)++] = (TnRun){node, e, e + 1, true};
            }
        }
    }
}

static bool set_rows(Builder *b)
{
    const TnProblem *p = b->p;
    TnAssemblyMaps *maps = b->maps;
    int count = 0, edges = 0;
    maps->entry_at = TN_ARENA_NEW(p->arena, int, p->entry_count);
    maps->entry_x = TN_ARENA_NEW(p->arena, int, p->entry_count);
    maps->runs = TN_ARENA_NEW(p->arena, TnRun, p->entry_count);
    maps->run_start = TN_ARENA_NEW(p->arena, int, p->row_count + 1);
    maps->run_edge_start = TN_ARENA_NEW(p->arena, int, p->row_count + 1);
    if (!maps->entry_at || !maps->entry_x || !maps->runs || !maps->run_start ||
        !maps->run_edge_start)
        return false;
    for (int r = 0; r < p->row_count; r++) {
        maps->run_start[r] = count;
        maps->run_edge_start[r] = edges;
        set_runs(b, &p->rows[r], &count);
        int runs = count - maps->run_start[r];
        edges += runs * (runs - 1) / 2;
    }
    maps->run_start[p->row_count] = count;
    maps->run_edge_start[p->row_count] = edges;
    maps->run_edges = TN_ARENA_NEW(p->arena, int, edges);
    return maps->run_edges;
}

/* ---- edges ---- */

static void add_key(Builder *b, int node, int other)
{
    if (node < 0 || other < 0 || node == other) return;
    int low = node < other ? node : other, high = node < other ? other : node;
    Key key = (Key)low << 32 | (Key)high;
    if (!b->key_count || b->keys[b->key_count - 1] != key) b->keys[b->key_count++] = key;
}

static bool set_edges(Builder *b)
{
    const TnProblem *p = b->p;
    const TnAssemblyMaps *maps = b->maps;
    const int *row_node = b->out->row_node;
    size_t most = (size_t)(b->out->pair_count + maps->run_edge_start[p->row_count]);
    for (int i = 0; i < p->large_count; i++)
        if (nodes_of(&p->large[i])) most += (size_t)nodes_of(&p->large[i])->edge_count;
    b->keys = TN_ARENA_NEW(p->arena, Key, most);
    b->edges = tn_arena_alloc(p->arena, sizeof(int[2]) * most);
    if (!b->keys || !b->edges) return false;
    for (int i = 0; i < b->out->pair_count; i++)
        add_key(b, row_node[b->out->pairs[i].row_a], row_node[b->out->pairs[i].row_b]);
    for (int r = 0; r < p->row_count; r++)
        for (int i = maps->run_start[r]; i < maps->run_start[r + 1]; i++)
            for (int j = maps->run_start[r]; j < i; j++)
                add_key(b, maps->runs[i].node, maps->runs[j].node);
    for (int i = 0; i < p->large_count; i++) {
        const TnChain *chain = nodes_of(&p->large[i]);
        for (int e = 0; chain && e < chain->edge_count; e++)
            add_key(b, maps->node_start[i] + chain->edges[e].a,
                    maps->node_start[i] + chain->edges[e].b);
    }
    tn_sort_keys(b->keys, b->key_count);
    int count = 0;
    for (size_t k = 0; k < b->key_count; k++) {
        if (k && b->keys[k] == b->keys[k - 1]) continue;
        b->edges[count][0] = (int)(b->keys[k] >> 32);
        b->edges[count++][1] = (int)(b->keys[k] & 0xffffffffu);
    }
    b->graph.edge_count = count;
    b->graph.edges = (const int(*)[2])b->edges;
    return true;
}

static int find_edge(const Builder *b, int node, int other)
{
    if (node < 0 || other < 0 || node == other) return -1;
    int low = node < other ? node : other, high = node < other ? other : node;
    int begin = 0, end = b->graph.edge_count - 1;
    while (begin < end) {
        int middle = (begin + end) / 2;
        const int *edge = b->edges[middle];
        if (edge[0] < low || (edge[0] == low && edge[1] < high))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void find_edges(Builder *b)
{
    const TnAssemblyMaps *maps = b->maps;
    const int *row_node = b->out->row_node;
    for (int i = 0; i < b->out->pair_count; i++) {
        struct TnPair *pair = &b->out->pairs[i];
        pair->edge = find_edge(b, row_node[pair->row_a], row_node[pair->row_b]);
    }
    int count = 0;
    for (int r = 0; r < b->p->row_count; r++)
        for (int i = maps->run_start[r]; i < maps->run_start[r + 1]; i++) {
            const TnRun *run = &maps->runs[i];
            for (int e = run->begin; e < run->end; e++)
                maps->entry_x[e] = b->out->plan->start[run->node] + maps->entry_at[e];
            for (int j = maps->run_start[r]; j < i; j++)
                maps->run_edges[count++] = find_edge(b, maps->runs[j].node, run->node);
        }
}

/* ---- A and v_free ---- */

static void set_twist(const TnProblem *p, int k, double *A, double *v)
{
    const TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
    int l = k % TN_LANES;
    double b[6], row[8];
    for (int i = 0; i < 6; i++) b[i] = batch->b[i][l];
    tn_twist_matrix(p, k, A);
    tn_twist_solve(p, k, b, row);
    memcpy(v, row, 3 * sizeof(double));
    memcpy(v + 3, row + 4, 3 * sizeof(double));
}

static void set_large(const Builder *b, int block)
{
    const TnLargeBlock *d = &b->p->large[block];
    const TnBlockPlan *plan = b->out->plan;
    const TnChain *chain = nodes_of(d);
    int first = b->maps->node_start[block];
    for (int k = 0; k < node_count_of(d); k++)
        d->kind->write_node(d, k, b->out->A + plan->diagonal[first + k],
                            b->out->free + plan->start[first + k]);
    for (int e = 0; chain && e < chain->edge_count; e++) {
        const TnChainEdge *edge = &chain->edges[e];
        int at = find_edge(b, first + edge->a, first + edge->b);
        int n = chain->nodes[edge->a].dim, m = chain->nodes[edge->b].dim;
        const double *E = d->kind->edge_block(d, e); /* (b, a) */
        double *to = b->out->A + plan->edge[at];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) to[plan->flip[at] ? j * m + i : i * n + j] = E[i * n + j];
    }
}

static void set_matrix(const Builder *b)
{
    const TnProblem *p = b->p;
    const TnBlockPlan *plan = b->out->plan;
    for (int k = 0; k < p->twist_count; k++)
        set_twist(p, k, b->out->A + plan->diagonal[k], b->out->free + plan->start[k]);
    for (int i = 0; i < p->large_count; i++) set_large(b, i);
}

static void set_free_velocities(TnAssembly *out)
{
    const TnProblem *p = out->problem;
    tn_assembly_apply(out, out->free, &out->e);
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            out->e.contact[c][k] += p->contact_batch[c / TN_LANES].e[k][c % TN_LANES];
    for (int r = 0; r < p->row_count; r++) out->e.row[r] += p->rows[r].e;
}

bool tn_assembly_build(const TnProblem *p, TnPlanCache *cache, TnAssembly *out)
{
    *out = (TnAssembly){.problem = p, .maps = TN_ARENA_ZERO(p->arena, TnAssemblyMaps, 1)};
    Builder b = {.p = p, .out = out, .maps = out->maps};
    if (!out->maps || !set_nodes(&b) || !set_segments(&b) || !set_pairs(&b) || !set_rows(&b) ||
        !set_edges(&b))
        return false;
    out->plan = tn_plan_cache_get(cache, &b.graph, p->arena);
    if (!out->plan) return false;
    out->dim = out->plan->dim;
    out->A = TN_ARENA_ZERO(p->arena, double, out->plan->size);
    out->free = TN_ARENA_ZERO(p->arena, double, out->dim);
    if (!out->A || !out->free || !tn_per_constraint_alloc(p, &out->e)) return false;
    find_edges(&b);
    set_matrix(&b);
    set_free_velocities(out);
    return true;
}
