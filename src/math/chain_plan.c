/* chain_plan.c: layout of a chain and its order of elimination (chain_plan.h).
 *
 * The root of a tree is the middle of its longest path, where a node counts as what it costs; so
 * the two halves of a cable take equally long. Then nodes are taken as they become free (all
 * children gone): single steps at once, and of the runs the two that are farthest from their root.
 */
#include "chain_plan.h"

#include <string.h>

#include "../base/base.h"
#include "kernels/chain_kernels.h"

typedef struct Planner {
    const TnChain *chain;
    struct TnChainPlan *plan;
    int *order, *far; /* breadth first, and cost of the path up to a node, itself included */
    int *waiting;     /* children that are not gone yet */
    int *children;
    int *free_steps, *free_runs; /* nodes without children left, by what comes next */
    int step_count, run_count;
    bool *seen;
} Planner;

static int cost(const Planner *pl, int k)
{
    int dim = pl->chain->nodes[k].dim;
    return (dim * dim + 35) / 36;
}

/* ---- rooting ---- */

static void list_neighbours(Planner *pl)
{
    const TnChain *c = pl->chain;
    int *first = pl->plan->first, total = 0;
    memset(first, 0, sizeof(int) * (size_t)(c->node_count + 1));
    for (int e = 0; e < c->edge_count; e++) {
        first[c->edges[e].a]++;
        first[c->edges[e].b]++;
    }
    for (int k = 0; k <= c->node_count; k++) {
        total += first[k];
        first[k] = total;
    }
    for (int e = c->edge_count - 1; e >= 0; e--) { /* each place goes from its end to its start */
        const int ends[2] = {c->edges[e].a, c->edges[e].b};
        for (int i = 0; i < 2; i++) {
            int place = --first[ends[i]];
            pl->plan->neighbour[place] = ends[1 - i];
            pl->plan->edge[place] = e;
        }
    }
}

/* Parents, costs and the order of all that hangs together with `root`; returns how many nodes. */
static int spread(Planner *pl, int root)
{
    const struct TnChainPlan *plan = pl->plan;
    int *parent = plan->parent, *parent_edge = plan->parent_edge, count = 0;
    pl->order[count++] = root;
    parent[root] = parent_edge[root] = -1;
    pl->far[root] = cost(pl, root);
    for (int i = 0; i < count; i++) {
        int k = pl->order[i];
        for (int s = plan->first[k]; s < plan->first[k + 1]; s++) {
            int n = plan->neighbour[s];
            if (plan->edge[s] == parent_edge[k]) continue;
            TN_ASSERT(count < pl->chain->node_count); /* a cycle */
            parent[n] = k;
            parent_edge[n] = plan->edge[s];
            pl->far[n] = pl->far[k] + cost(pl, n);
            pl->order[count++] = n;
        }
    }
    return count;
}

static int farthest(const Planner *pl, int count)
{
    int best = pl->order[0];
    for (int i = 1; i < count; i++)
        if (pl->far[pl->order[i]] > pl->far[best]) best = pl->order[i];
    return best;
}

/* Roots the tree that holds `node` in its middle. */
static void root_tree(Planner *pl, int node)
{
    int count = spread(pl, node), end = farthest(pl, count), all = 0;
    for (int i = 0; i < count; i++) all += cost(pl, pl->order[i]);
    if (pl->far[end] < all) { /* more than a path that begins at `node` */
        spread(pl, end);
        end = farthest(pl, count);
    }
    int total = pl->far[end], best = end, least = total;
    for (int k = end; k >= 0; k = pl->plan->parent[k]) {
        int before = pl->far[k] - cost(pl, k), behind = total - pl->far[k];
        int longer = before > behind ? before : behind;
        if (longer >= least) continue;
        least = longer;
        best = k;
    }
    count = spread(pl, best);
    pl->plan->roots[pl->plan->root_count++] = best;
    for (int i = 0; i < count; i++) {
        int k = pl->order[i];
        pl->seen[k] = true;
        if (i) pl->children[pl->plan->parent[k]]++;
    }
}

/* ---- order ---- */

static TnChainRun step_of(const Planner *pl, int k)
{
    const TnChain *c = pl->chain;
    int n = pl->plan->parent[k], e = pl->plan->parent_edge[k];
    return (TnChainRun){.x = c->nodes[k].start,
                        .D = (ptrdiff_t)c->nodes[k].D,
                        .E = (ptrdiff_t)c->edges[e].E,
                        .dx = c->nodes[n].start - c->nodes[k].start,
                        .dD = (ptrdiff_t)c->nodes[n].D - (ptrdiff_t)c->nodes[k].D,
                        .transposed = c->edges[e].b == k};
}

static bool runs_on(const Planner *pl, int k)
{
    int n = pl->plan->parent[k];
    return n >= 0 && pl->chain->nodes[k].dim == 6 && pl->chain->nodes[n].dim == 6 &&
           pl->children[n] == 1;
}

/* The longest run from node k on, which runs_on. */
static int run_from(const Planner *pl, int k, TnChainRun *run)
{
    int count = 1;
    *run = step_of(pl, k);
    TnChainRun last = *run;
    for (k = pl->plan->parent[k]; runs_on(pl, k); k = pl->plan->parent[k], count++) {
        TnChainRun next = step_of(pl, k);
        if (count == 1) run->dE = next.E - last.E;
        if (next.dx != run->dx || next.dD != run->dD || next.E - last.E != run->dE ||
            next.transposed != run->transposed)
            break;
        last = next;
    }
    return count;
}

static void set_free(Planner *pl, int k)
{
    if (pl->plan->parent[k] < 0) return;
    if (runs_on(pl, k))
        pl->free_runs[pl->run_count++] = k;
    else
        pl->free_steps[pl->step_count++] = k;
}

static void emit_step(Planner *pl)
{
    int k = pl->free_steps[--pl->step_count], n = pl->plan->parent[k];
    pl->plan->ops[pl->plan->op_count++] = (TnChainOp){.count = 1,
                                                      .run_count = 1,
                                                      .dim = pl->chain->nodes[k].dim,
                                                      .parent_dim = pl->chain->nodes[n].dim,
                                                      .runs = {step_of(pl, k)}};
    if (--pl->waiting[n] == 0) set_free(pl, n);
}

static int take_farthest_run(Planner *pl)
{
    int best = 0;
    for (int i = 1; i < pl->run_count; i++)
        if (pl->far[pl->free_runs[i]] > pl->far[pl->free_runs[best]]) best = i;
    int k = pl->free_runs[best];
    pl->free_runs[best] = pl->free_runs[--pl->run_count];
    return k;
}

static void emit_runs(Planner *pl)
{
    TnChainOp op = {.run_count = pl->run_count > 1 ? 2 : 1, .dim = 6, .parent_dim = 6};
    int ends[2] = {-1, -1};
    for (int i = 0; i < op.run_count; i++) {
        ends[i] = take_farthest_run(pl);
        int count = run_from(pl, ends[i], &op.runs[i]);
        if (i == 0 || count < op.count) op.count = count;
    }
    pl->plan->ops[pl->plan->op_count++] = op;
    for (int i = 0; i < op.run_count; i++) {
        for (int s = 0; s < op.count; s++) ends[i] = pl->plan->parent[ends[i]];
        set_free(pl, ends[i]);
    }
}

static void make_plan(Planner *pl)
{
    int n = pl->chain->node_count;
    memset(pl->children, 0, sizeof(int) * (size_t)n);
    memset(pl->seen, 0, sizeof(bool) * (size_t)n);
    list_neighbours(pl);
    for (int k = 0; k < n; k++)
        if (!pl->seen[k]) root_tree(pl, k);
    memcpy(pl->waiting, pl->children, sizeof(int) * (size_t)n);
    for (int k = 0; k < n; k++)
        if (pl->waiting[k] == 0) set_free(pl, k);
    while (pl->step_count || pl->run_count)
        if (pl->step_count)
            emit_step(pl);
        else
            emit_runs(pl);
}

/* ---- memory ---- */

/* Cuts pieces from a block; with base NULL it only counts. */
typedef struct Cutter {
    char *base;
    size_t used;
} Cutter;

static void *cut(Cutter *c, size_t bytes)
{
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (bytes + 15) / 16 * 16;
    return p;
}

static size_t cut_chain(char *base, TnChain *chain, size_t op_count, size_t root_count)
{
    Cutter c = {.base = base};
    size_t n = (size_t)chain->node_count, ends = 2 * sizeof(int) * (size_t)chain->edge_count;
    struct TnChainPlan *plan = cut(&c, sizeof *plan);
    chain->nodes = cut(&c, sizeof *chain->nodes * n);
    chain->edges = cut(&c, sizeof *chain->edges * (size_t)chain->edge_count);
    chain->node_of = cut(&c, sizeof(int) * (size_t)chain->dim);
    struct TnChainPlan parts = {.kernels = tn_chain_kernels(),
                                .parent = cut(&c, sizeof(int) * n),
                                .parent_edge = cut(&c, sizeof(int) * n),
                                .first = cut(&c, sizeof(int) * (n + 1)),
                                .neighbour = cut(&c, ends),
                                .edge = cut(&c, ends),
                                .roots = cut(&c, sizeof(int) * root_count),
                                .ops = cut(&c, sizeof(TnChainOp) * op_count)};
    if (base) *plan = parts;
    chain->plan = plan;
    chain->memory = base;
    return c.used;
}

static size_t cut_planner(char *base, Planner *pl)
{
    Cutter c = {.base = base};
    size_t n = (size_t)pl->chain->node_count, ints = sizeof(int) * n;
    pl->order = cut(&c, ints);
    pl->far = cut(&c, ints);
    pl->waiting = cut(&c, ints);
    pl->children = cut(&c, ints);
    pl->free_steps = cut(&c, ints);
    pl->free_runs = cut(&c, ints);
    pl->seen = cut(&c, sizeof(bool) * n);
    return c.used;
}

static void lay_out(TnChain *chain, const int *dims, const int (*edges)[2])
{
    int start = 0;
    for (int k = 0; k < chain->node_count; k++) {
        chain->nodes[k] = (TnChainNode){.dim = dims[k], .start = start, .D = chain->D_size};
        for (int i = 0; i < dims[k]; i++) chain->node_of[start++] = k;
        chain->D_size += (size_t)dims[k] * (size_t)dims[k];
    }
    for (int e = 0; e < chain->edge_count; e++) {
        int a = edges[e][0], b = edges[e][1];
        TN_ASSERT(a >= 0 && a < b && b < chain->node_count);
        chain->edges[e] = (TnChainEdge){.a = a, .b = b, .E = chain->E_size};
        chain->E_size += (size_t)dims[a] * (size_t)dims[b];
    }
}

static TnChain sized(int node_count, const int *dims, int edge_count)
{
    TnChain chain = {.node_count = node_count, .edge_count = edge_count};
    for (int k = 0; k < node_count; k++) chain.dim += dims[k];
    return chain;
}

/* What a chain takes with room for as many operations as there are edges, and what its planner. */
static size_t wide_bytes(const TnChain *chain)
{
    TnChain wide = *chain;
    return cut_chain(NULL, &wide, (size_t)wide.edge_count, (size_t)wide.node_count);
}

static size_t planner_bytes(const TnChain *chain)
{
    return cut_planner(NULL, &(Planner){.chain = chain});
}

static void plan_wide(TnChain *wide, char *memory, char *scratch, const int *dims,
                      const int (*edges)[2])
{
    Planner pl = {.chain = wide};
    cut_chain(memory, wide, (size_t)wide->edge_count, (size_t)wide->node_count);
    cut_planner(scratch, &pl);
    pl.plan = wide->plan;
    lay_out(wide, dims, edges);
    make_plan(&pl);
}

bool tn_chain_plan_in(TnChain *chain, TnArena *arena, int node_count, const int *dims,
                      int edge_count, const int (*edges)[2])
{
    *chain = sized(node_count, dims, edge_count);
    char *memory = tn_arena_alloc(arena, wide_bytes(chain));
    size_t mark = tn_arena_mark(arena);
    char *scratch = tn_arena_alloc(arena, planner_bytes(chain));
    if (!memory || !scratch) return false;
    plan_wide(chain, memory, scratch, dims, edges);
    chain->memory = NULL; /* the arena's */
    tn_arena_release(arena, mark);
    return true;
}

bool tn_chain_plan(TnChain *chain, int node_count, const int *dims, int edge_count,
                   const int (*edges)[2])
{
    TnChain wide = sized(node_count, dims, edge_count);
    size_t bytes = wide_bytes(&wide);
    char *scratch = tn_malloc(bytes + planner_bytes(&wide));
    *chain = (TnChain){0};
    if (!scratch) return false;
    plan_wide(&wide, scratch, scratch + bytes, dims, edges);

    /* of the operations only what is used */
    size_t ops = (size_t)wide.plan->op_count, roots = (size_t)wide.plan->root_count;
    TnChain tight = wide;
    char *memory = tn_malloc(cut_chain(NULL, &tight, ops, roots));
    if (memory) {
        size_t n = (size_t)node_count;
        cut_chain(memory, &tight, ops, roots);
        memcpy(tight.nodes, wide.nodes, sizeof *tight.nodes * n);
        memcpy(tight.edges, wide.edges, sizeof *tight.edges * (size_t)edge_count);
        memcpy(tight.node_of, wide.node_of, sizeof(int) * (size_t)wide.dim);
        memcpy(tight.plan->parent, wide.plan->parent, sizeof(int) * n);
        memcpy(tight.plan->parent_edge, wide.plan->parent_edge, sizeof(int) * n);
        memcpy(tight.plan->first, wide.plan->first, sizeof(int) * (n + 1));
        memcpy(tight.plan->neighbour, wide.plan->neighbour, 2 * sizeof(int) * (size_t)edge_count);
        memcpy(tight.plan->edge, wide.plan->edge, 2 * sizeof(int) * (size_t)edge_count);
        memcpy(tight.plan->roots, wide.plan->roots, sizeof(int) * roots);
        memcpy(tight.plan->ops, wide.plan->ops, sizeof(TnChainOp) * ops);
        tight.plan->op_count = (int)ops;
        tight.plan->root_count = (int)roots;
        *chain = tight;
    }
    tn_free(scratch);
    return memory != NULL;
}

void tn_chain_free(TnChain *chain)
{
    tn_free(chain->memory);
    *chain = (TnChain){0};
}

int tn_chain_edge(const TnChain *chain, int a, int b)
{
    const struct TnChainPlan *plan = chain->plan;
    return plan->parent[a] == b   ? plan->parent_edge[a]
           : plan->parent[b] == a ? plan->parent_edge[b]
                                  : -1;
}
