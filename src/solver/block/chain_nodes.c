/* chain_nodes.c: which nodes of a chain the iterations solve for. Constraints touch few nodes of a
 * long cable; what they do not touch only carries A, and is eliminated before the first iteration:
 *
 *     (S + C) x = g + 2F - C v_free,   x = v - v_free on the nodes that are kept,
 *
 * with S the Schur complement of A on them (math/chain_condense.h), C = JᵀWJ as ever, and v_free =
 * A⁻¹b, so that S v_free is what b comes to. Where most nodes are touched all are kept, S = A. */
#include <string.h>

#include "chain.h"
#include "sparse_rows.h"

/* Nodes that must be saved to be worth a plan, and their least share. */
#define LEAST_SAVED 4
#define LEAST_SHARE 4
/* Diagonal blocks of A⁻¹ come from a factor of S where that has at most so many of ten nodes;
 * otherwise A's own, which is there, gives them for less. */
#define FEW 4

/* In a chain with all nodes kept, a gap of so many unknowns is cheaper to compute, as zeros, than
 * to leave out. */
#define GAP 24

static void mark_touched(const TnProblem *p, int index, bool *touched)
{
    const TnLargeBlock *d = &p->large[index];
    const int *node_of = tn_chain_block(d)->chain->node_of;
    int block = p->twist_count + index;
    for (int k = d->port_start; k < d->port_start + d->port_count; k++)
        touched[node_of[p->ports[k].start]] = true;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start; e < side->start + side->count; e++)
            touched[node_of[p->index[e]]] = true;
    }
}

/* The marked nodes' unknowns. Of a condensed chain these are all that there are, one after the
 * other. */
static void find_spans(TnChainBlock *c, const bool *marked)
{
    int place = 0, gap = c->place ? 0 : GAP;
    c->span_count = 0;
    for (int k = 0; k < c->chain->node_count; k++) {
        const TnChainNode *node = &c->chain->nodes[k];
        if (!marked[k]) continue;
        TnSpan *next = &c->spans[c->span_count];
        if (c->span_count && next[-1].start + next[-1].count + gap >= node->start) {
            next[-1].count = node->start + node->dim - next[-1].start;
        } else {
            *next = (TnSpan){node->start, node->dim, c->place ? place : node->start};
            c->span_count++;
        }
        place += node->dim;
    }
}

/* Ports that are nodes, ports with T, and the other marked nodes; takes the first ones' marks away.
 */
static void sort_ports(const TnProblem *p, const TnLargeBlock *d, bool *marked)
{
    TnChainBlock *c = tn_chain_block(d);
    const TnChain *chain = c->chain;
    c->wide_count = c->other_count = 0;
    for (int k = 0; k < d->port_count; k++) {
        const TnPort *port = &p->ports[d->port_start + k];
        int node = chain->node_of[port->start];
        bool plain = !port->T && marked[node];
        c->port_at[k] = plain ? port->start : -1;
        c->port_place[k] = tn_solved_node(c, node)->start;
        if (plain)
            marked[node] = false;
        else
            c->wide[c->wide_count++] = k;
    }
    for (int k = 0; k < chain->node_count; k++)
        if (marked[k])
            c->others[c->other_count++] =
                (TnSpan){chain->nodes[k].start, chain->nodes[k].dim, tn_solved_node(c, k)->start};
}

bool tn_chain_reserve(TnProblem *p, int index)
{
    TnChainBlock *c = tn_chain_block(&p->large[index]);
    size_t D = c->solved->D_size, E = c->solved->E_size;
    c->S_D = c->place ? TN_ARENA_NEW(p->arena, double, D) : c->D;
    c->S_E = c->place ? TN_ARENA_NEW(p->arena, double, E) : c->E;
    c->H_D = TN_ARENA_NEW(p->arena, double, D);
    c->H_E = TN_ARENA_NEW(p->arena, double, E);
    c->inverse_of_all = 10 * c->solved->node_count > FEW * c->chain->node_count;
    c->inverse = TN_ARENA_NEW(p->arena, double, c->inverse_of_all ? c->chain->D_size : D);
    c->x = TN_ARENA_NEW(p->arena, double, c->solved->dim);
    c->Sx = TN_ARENA_NEW(p->arena, double, c->solved->dim);
    return c->S_D && c->S_E && c->H_D && c->H_E && c->inverse && c->x && c->Sx;
}

bool tn_chain_choose(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    TnChainBlock *c = tn_chain_block(d);
    const TnChain *chain = c->chain;
    int n = chain->node_count;
    bool *marked = tn_arena_calloc(p->arena, sizeof(bool) * (size_t)n);
    bool *kept = tn_arena_alloc(p->arena, sizeof(bool) * (size_t)n);
    if (!marked || !kept) return false;
    mark_touched(p, index, marked);
    memcpy(kept, marked, sizeof(bool) * (size_t)n);
    int count = tn_condense_mark(chain, kept), saved = n - count;
    bool worth = saved >= LEAST_SAVED && LEAST_SHARE * saved >= n;
    c->solved = chain;
    c->place = NULL;
    if (worth) {
        if (!tn_condense_plan(&c->condensed, p->arena, chain, kept, count)) return false;
        c->solved = &c->condensed.chain;
        c->place = c->condensed.place;
    }
    d->solved = c->solved->dim;
    find_spans(c, worth ? kept : marked);
    sort_ports(p, d, worth ? kept : marked);
    return tn_chain_find_told(p, index);
}

/* ---- the nodes for others ---- */

const TnChain *tn_chain_nodes(const TnLargeBlock *d) { return tn_chain_block(d)->solved; }

TnBlockPlace tn_chain_locate(const TnLargeBlock *d, int unknown)
{
    const TnChainBlock *c = tn_chain_block(d);
    int node = c->chain->node_of[unknown], at = unknown - c->chain->nodes[node].start;
    return (TnBlockPlace){c->place ? c->place[node] : node, at,
                          tn_solved_node(c, node)->start + at};
}

void tn_chain_write_node(const TnLargeBlock *d, int node, double *S, double *v_free)
{
    const TnChainBlock *c = tn_chain_block(d);
    const TnChainNode *at = &c->solved->nodes[node];
    int of = c->place ? c->condensed.kept[node] : node;
    memcpy(S, c->S_D + at->D, sizeof(double) * (size_t)(at->dim * at->dim));
    memcpy(v_free, c->v_free + c->chain->nodes[of].start, sizeof(double) * (size_t)at->dim);
}

const double *tn_chain_edge_block(const TnLargeBlock *d, int edge)
{
    const TnChainBlock *c = tn_chain_block(d);
    return c->S_E + c->solved->edges[edge].E;
}

static TnSpan unknowns(const TnChainNode *node)
{
    return (TnSpan){.start = node->start, .count = node->dim};
}

bool tn_chain_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out)
{
    const TnChainBlock *c = tn_chain_block(d);
    const TnChain *chain = c->chain;
    size_t count = 0, most = (size_t)chain->node_count + 2 * (size_t)chain->edge_count;
    TnMatrixBlock *blocks = TN_ARENA_NEW(arena, TnMatrixBlock, most);
    if (!blocks) return false;
    for (int k = 0; k < chain->node_count; k++) {
        TnSpan own = unknowns(&chain->nodes[k]);
        blocks[count++] = (TnMatrixBlock){own, own, c->D + chain->nodes[k].D, false};
    }
    for (int e = 0; e < chain->edge_count; e++) {
        const TnChainEdge *edge = &chain->edges[e];
        TnSpan a = unknowns(&chain->nodes[edge->a]), b = unknowns(&chain->nodes[edge->b]);
        blocks[count++] = (TnMatrixBlock){b, a, c->E + edge->E, false};
        blocks[count++] = (TnMatrixBlock){a, b, c->E + edge->E, true};
    }
    return tn_sparse_rows(blocks, count, d->dim, arena, out);
}
