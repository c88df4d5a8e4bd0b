/* division.c: from a model's parts to the solver's blocks; see division.h.
 *
 * Union-find over trees and groups of segments tells what a chain is made of; joining two that are
 * one already would close a cycle. */
#include "soft_division.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../base/base.h"
#include "../../math/disjoint_sets.h"

#define PAPER_GROUP 4

/* Vertices: trees first, then the groups of segments. */
typedef struct Graph {
    const TnModel *model;
    TnDivision *d;
    int *group; /* per link of a rod */
    TnRun *groups;
    int group_count;
    int *root;      /* per vertex, union-find */
    int *whole;     /* the same for trees and rods, whatever the groups are */
    int *soft_root; /* the same for trees and soft bodies */
    bool *taken;    /* trees that are in chains */
} Graph;

static int vertex_of_segment(const Graph *g, int link)
{
    return g->model->tree_count + g->group[link];
}

static bool is_apart(TnDivisionDef def)
{
    return def.kind == TN_DIVISION_PAPER || def.kind == TN_DIVISION_GROUPS;
}

/* What is said for the run comes before what a rod says of itself, that before the model's default.
 */
static int group_size(const TnDivision *d, const TnRod *rod)
{
    if (d->def.kind == TN_DIVISION_PAPER) return PAPER_GROUP;
    if (d->def.kind == TN_DIVISION_GROUPS) return d->def.group_size;
    if (d->def.kind == TN_DIVISION_AUTO && rod->group_size) return rod->group_size;
    return rod->segment_count;
}

static void cut_rods(Graph *g)
{
    const TnModel *model = g->model;
    int *next = model->rod_count ? g->d->cuts[0].joints : NULL;
    for (int r = 0; r < model->rod_count; r++) {
        const TnRod *rod = &model->rods[r];
        TnRodCuts *cuts = &g->d->cuts[r];
        int size = group_size(g->d, rod);
        cuts->joints = next;
        for (int i = 0; i < rod->segment_count; i++) {
            if (i % size == 0) g->groups[g->group_count++] = (TnRun){r, i, 0};
            g->groups[g->group_count - 1].count++;
            g->group[rod->link_start + i] = g->group_count - 1;
            if (i && i % size == 0) cuts->joints[cuts->count++] = i - 1;
        }
        next += cuts->count;
        g->d->bond_count += cuts->count;
    }
}

static bool is_carried(const TnDivision *d, int link) { return d->carrier[link] != link; }

static const TnFollower *follower_at(const TnDivision *d, int segment)
{
    for (int i = 0; i < d->follower_count; i++)
        if (d->followers[i].segment == segment) return &d->followers[i];
    return NULL;
}

/* May the segment follow the tree? A neighbour along the rod that follows it already makes no
 * cycle: the spring between the two lies within the tree. */
static bool may_follow(Graph *g, int tree, int segment)
{
    const TnModel *model = g->model;
    int r = tn_part_of_link(model, segment)->kind_index;
    const TnRod *rod = &model->rods[r];
    for (int side = -1; side <= 1; side += 2) {
        int link = segment + side;
        if (link < rod->link_start || link >= rod->link_start + rod->segment_count) continue;
        const TnFollower *other = follower_at(g->d, link);
        if (other && tn_part_of_link(model, other->holder)->kind_index == tree) return true;
    }
    return tn_set_join(g->whole, tree, model->tree_count + r);
}

static void sort_welds(Graph *g)
{
    const TnModel *model = g->model;
    TnDivision *d = g->d;
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *weld = &model->equalities[i];
        if (!weld->active || !weld->segment) continue;
        const TnSubsystem *holder = tn_part_of_link(model, weld->holder);
        bool free = !model->links[weld->segment].held && !follower_at(d, weld->segment);
        bool follows = free && holder->kind == TN_SUBSYSTEM_TREE &&
                       holder->dof_count <= TN_MAX_CARRIER &&
                       may_follow(g, holder->kind_index, weld->segment);
        bool carried = follows && !is_apart(d->def);
        if (follows)
            d->followers[d->follower_count++] =
                (TnFollower){i, weld->segment, weld->holder, carried};
        if (carried) {
            d->carrier[weld->segment] = weld->holder;
            tn_set_join(g->root, holder->kind_index, vertex_of_segment(g, weld->segment));
        }
        d->iterated[i] = !follows;
        d->bond_count += !carried;
    }
}

/* ---- blocks ---- */

/* Trees that carry soft bodies are no blocks of their own. */
static bool is_in_mesh(const Graph *g, int vertex)
{
    const TnModel *model = g->model;
    if (vertex >= model->tree_count) return false;
    for (int s = 0; s < model->soft_count; s++)
        if (tn_set_root(g->soft_root, model->tree_count + s) == tn_set_root(g->soft_root, vertex))
            return true;
    return false;
}

/* Large block of each vertex: trees alone are dense and come first. */
static bool number_blocks(Graph *g, int *block)
{
    const TnModel *model = g->model;
    TnDivision *d = g->d;
    int vertices = model->tree_count + g->group_count;
    bool *chain = tn_calloc((size_t)vertices + 1, sizeof *chain);
    if (!chain) return false;
    for (int v = model->tree_count; v < vertices; v++) chain[tn_set_root(g->root, v)] = true;
    for (int v = model->tree_count - 1; v >= 0; v--) g->taken[v] = chain[tn_set_root(g->root, v)];
    tn_soft_join(d, model, g->taken, g->soft_root);
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < vertices; v++) {
            int root = tn_set_root(g->root, v);
            if (is_in_mesh(g, v)) block[v] = -1; /* numbered with the meshes */
            if (chain[root] != (pass == 1) || block[v] < 0) continue;
            if (root == v) block[v] = d->dense_count + d->chain_count;
            if (root == v && pass == 0) d->dense_count++;
            if (root == v && pass == 1) d->chain_count++;
            block[v] = block[root]; /* roots have the lowest number */
        }
    tn_free(chain);
    return true;
}

/* Nodes of one chain while it is put together. */
typedef struct Nodes {
    int count, edge_count;
    int *dims;
    int (*edges)[2];
} Nodes;

static void add_edge(Nodes *nodes, int a, int b)
{
    int *edge = nodes->edges[nodes->edge_count];
    if (a == b) return; /* within a tree's node */
    edge[0] = a < b ? a : b;
    edge[1] = a < b ? b : a;
    nodes->edge_count++;
}

/* A group's part of its chain. Nodes of carried segments are their trees'. */
static void add_group(const Graph *g, int block, const TnRun *run, Nodes *nodes)
{
    TnDivision *d = g->d;
    for (int i = 0; i < run->count; i++) {
        int link = g->model->rods[run->rod].link_start + run->first + i;
        d->link_block[link] = block;
        if (is_carried(d, link)) {
            d->link_node[link] = d->link_node[d->carrier[link]];
        } else {
            nodes->dims[nodes->count] = 6;
            d->link_node[link] = nodes->count++;
        }
        if (i) add_edge(nodes, d->link_node[link - 1], d->link_node[link]);
    }
}

/* The groups sorted by chain. */
static void sort_runs(const Graph *g, const int *block_of)
{
    TnDivision *d = g->d;
    int *end = d->run_start + 1; /* of each chain; first as a cursor */
    for (int i = 0; i < g->group_count; i++)
        end[block_of[g->model->tree_count + i] - d->dense_count]++;
    for (int c = 1; c < d->chain_count; c++) end[c] += end[c - 1];
    for (int i = g->group_count; i-- > 0;)
        d->runs[--end[block_of[g->model->tree_count + i] - d->dense_count]] = g->groups[i];
    /* the cursors went back to the starts */
    for (int c = 0; c < d->chain_count; c++) d->run_start[c] = end[c];
    d->run_start[d->chain_count] = g->group_count;
}

static bool plan_chain(const Graph *g, int block, const int *block_of, Nodes *nodes)
{
    const TnModel *model = g->model;
    TnDivision *d = g->d;
    int index = block - d->dense_count, *tree_end = &d->tree_start[index + 1];
    nodes->count = nodes->edge_count = 0;
    *tree_end = d->tree_start[index];
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE || block_of[sub->kind_index] != block) continue;
        d->tree_node[sub->kind_index] = nodes->count;
        d->trees[(*tree_end)++] = sub->kind_index;
        for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++)
            d->link_node[i] = nodes->count;
        nodes->dims[nodes->count++] = sub->dof_count;
    }
    for (int i = d->run_start[index]; i < d->run_start[index + 1]; i++)
        add_group(g, block, &d->runs[i], nodes);
    return tn_chain_plan(&d->chains[index], nodes->count, nodes->dims, nodes->edge_count,
                         (const int(*)[2])nodes->edges);
}

/* Rods with cuts as if they had none. */
static bool plan_whole(const Graph *g, Nodes *nodes)
{
    for (int r = 0; r < g->model->rod_count; r++) {
        TnRodCuts *cuts = &g->d->cuts[r];
        if (!cuts->count) continue;
        nodes->count = g->model->rods[r].segment_count;
        nodes->edge_count = 0;
        for (int i = 0; i < nodes->count; i++) nodes->dims[i] = 6;
        for (int i = 1; i < nodes->count; i++) add_edge(nodes, i - 1, i);
        if (!tn_chain_plan(&cuts->whole, nodes->count, nodes->dims, nodes->edge_count,
                           (const int(*)[2])nodes->edges))
            return false;
    }
    return true;
}

static bool build_blocks(Graph *g)
{
    const TnModel *model = g->model;
    TnDivision *d = g->d;
    int vertices = model->tree_count + g->group_count;
    size_t most = (size_t)(model->link_count + model->tree_count + 1);
    int *block = tn_calloc((size_t)vertices + 1, sizeof *block);
    Nodes nodes = {.dims = tn_calloc(most, sizeof *nodes.dims),
                   .edges = tn_calloc(most, sizeof *nodes.edges)};
    bool ok = block && nodes.dims && nodes.edges && number_blocks(g, block);
    if (ok) {
        d->chains = tn_calloc((size_t)d->chain_count + 1, sizeof *d->chains);
        d->tree_start = tn_calloc((size_t)d->chain_count + 2, sizeof *d->tree_start);
        d->run_start = tn_calloc((size_t)d->chain_count + 2, sizeof *d->run_start);
    }
    ok = ok && d->chains && d->run_start && d->tree_start;
    if (ok) sort_runs(g, block);
    for (int s = 0; ok && s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        d->tree_block[sub->kind_index] = block[sub->kind_index];
        for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++)
            d->link_block[i] = block[sub->kind_index];
    }
    for (int i = 0; ok && i < d->chain_count; i++)
        ok = plan_chain(g, d->dense_count + i, block, &nodes);
    ok = ok && plan_whole(g, &nodes) && tn_soft_divide(d, model, g->soft_root);
    tn_free(block);
    tn_free(nodes.dims);
    tn_free(nodes.edges);
    return ok;
}

/* ---- why ---- */

static void say(TnDivision *d, const char *format, ...) TN_PRINTF(2, 3);
static void say(TnDivision *d, const char *format, ...)
{
    size_t used = strlen(d->reason);
    va_list args;
    va_start(args, format);
    vsnprintf(d->reason + used, sizeof d->reason - used, format, args);
    va_end(args);
}

static void explain_softs(TnDivision *d, const TnModel *model)
{
    int whole = 0, carried = 0, holds = 0;
    for (int s = 0; s < model->soft_count; s++) {
        whole += d->soft_piece_count[s] == 1;
        holds += model->softs[s].hold_count;
    }
    for (int p = 0; p < d->piece_count; p++)
        for (int i = 0; i < d->pieces[p].node_count; i++) carried += d->pieces[p].hold[i] >= 0;
    if (whole)
        say(d, "a soft body is one subsystem: untouched nodes are eliminated once per step, and no "
               "stiff coupling is iterated\n");
    if (whole < model->soft_count)
        say(d,
            "soft bodies in pieces, %s: %d pieces of %d bodies, %d border nodes tied by iterated "
            "constraints\n",
            d->def.pieces > 0                  ? "as requested"
            : d->def.kind == TN_DIVISION_PAPER ? "as in the paper"
                                               : "from their pieces",
            d->piece_count - whole, model->soft_count - whole, d->piece_tie_count);
    if (carried)
        say(d, "nodes held by robots of the same subsystem: %d; exact, not iterated\n", carried);
    if (holds > carried)
        say(d, "nodes held by bodies of other subsystems, iterated: %d\n", holds - carried);
}

static void explain(TnDivision *d, const TnModel *model)
{
    int cuts = 0, carried = 0, apart, others = 0;
    for (int r = 0; r < model->rod_count; r++) cuts += d->cuts[r].count;
    for (int i = 0; i < d->follower_count; i++) carried += d->followers[i].carried;
    for (int i = 0; i < model->equality_count; i++) others += d->iterated[i];
    apart = d->follower_count - carried;
    if (!model->rod_count && !model->soft_count)
        say(d, "each free body and each robot is one subsystem\n");
    if (model->soft_count) explain_softs(d, model);
    if (!model->rod_count) return;
    if (d->def.kind == TN_DIVISION_PAPER)
        say(d, "as in the paper: cables in groups of %d segments, robots separate\n", PAPER_GROUP);
    else if (d->def.kind == TN_DIVISION_GROUPS)
        say(d, "as requested: cables in groups of %d segments, robots separate\n",
            d->def.group_size);
    else if (!cuts)
        say(d, "a cable is one subsystem: its factorization is linear in its length, and no stiff "
               "coupling is iterated\n");
    else
        say(d, "cables in groups of their group_size\n");
    if (carried)
        say(d, "welds of cables to robots of the same subsystem: %d; exact, not iterated\n",
            carried);
    if (cuts) say(d, "springs between groups, iterated: %d\n", cuts);
    if (apart) say(d, "welds of cables to robots of other subsystems, iterated: %d\n", apart);
    if (others)
        say(d, "welds of cables to free bodies, to segments or closing a loop, iterated: %d\n",
            others);
}

/* ---- */

static bool take_memory(TnDivision *d, const TnModel *model)
{
    size_t links = (size_t)model->link_count + 1, trees = (size_t)model->tree_count + 1,
           equalities = (size_t)model->equality_count + 1, rods = (size_t)model->rod_count + 1;
    d->tree_block = tn_calloc(trees, sizeof(int));
    d->tree_node = tn_calloc(trees, sizeof(int));
    d->trees = tn_calloc(trees, sizeof(int));
    d->link_block = tn_calloc(links, sizeof(int));
    d->link_node = tn_calloc(links, sizeof(int));
    d->carrier = tn_calloc(links, sizeof(int));
    d->followers = tn_calloc(equalities, sizeof *d->followers);
    d->iterated = tn_calloc(equalities, sizeof *d->iterated);
    d->cuts = tn_calloc(rods, sizeof *d->cuts);
    d->runs = tn_calloc(links, sizeof *d->runs);
    if (d->cuts) d->cuts[0].joints = tn_calloc(links, sizeof(int)); /* of all rods */
    return d->tree_block && d->tree_node && d->trees && d->link_block && d->link_node &&
           d->carrier && d->followers && d->iterated && d->runs && d->cuts && d->cuts[0].joints;
}

TnDivision *tn_division_create(const TnModel *model, TnDivisionDef def)
{
    TnDivision *d = tn_calloc(1, sizeof *d);
    if (!d) return NULL;
    d->def = def;
    d->rod_count = model->rod_count;
    Graph g = {.model = model, .d = d};
    bool ok = take_memory(d, model);
    g.group = tn_calloc((size_t)model->link_count + 1, sizeof(int));
    g.groups = tn_calloc((size_t)model->link_count + 1, sizeof *g.groups);
    g.root = tn_calloc((size_t)(model->link_count + model->tree_count) + 1, sizeof(int));
    g.whole = tn_calloc((size_t)(model->rod_count + model->tree_count) + 1, sizeof(int));
    g.soft_root = tn_calloc((size_t)(model->soft_count + model->tree_count) + 1, sizeof(int));
    g.taken = tn_calloc((size_t)model->tree_count + 1, sizeof(bool));
    if (ok && g.group && g.groups && g.root && g.whole && g.soft_root && g.taken) {
        for (int i = 0; i < model->link_count; i++) d->carrier[i] = i;
        for (int i = 0; i <= model->link_count + model->tree_count; i++) g.root[i] = i;
        for (int i = 0; i <= model->rod_count + model->tree_count; i++) g.whole[i] = i;
        for (int i = 0; i <= model->soft_count + model->tree_count; i++) g.soft_root[i] = i;
        cut_rods(&g);
        sort_welds(&g);
        ok = build_blocks(&g);
        if (ok) explain(d, model);
    } else {
        ok = false;
    }
    tn_free(g.group);
    tn_free(g.groups);
    tn_free(g.root);
    tn_free(g.whole);
    tn_free(g.soft_root);
    tn_free(g.taken);
    if (ok) return d;
    tn_division_destroy(d);
    return NULL;
}

void tn_division_destroy(TnDivision *d)
{
    if (!d) return;
    for (int r = 0; d->cuts && r < d->rod_count; r++) tn_chain_free(&d->cuts[r].whole);
    for (int i = 0; d->chains && i < d->chain_count; i++) tn_chain_free(&d->chains[i]);
    tn_soft_division_free(d);
    tn_free(d->chains);
    tn_free(d->tree_block);
    tn_free(d->tree_node);
    tn_free(d->link_block);
    tn_free(d->link_node);
    tn_free(d->carrier);
    tn_free(d->followers);
    tn_free(d->iterated);
    tn_free(d->runs);
    tn_free(d->run_start);
    tn_free(d->trees);
    tn_free(d->tree_start);
    if (d->cuts) tn_free(d->cuts[0].joints);
    tn_free(d->cuts);
    tn_free(d);
}
