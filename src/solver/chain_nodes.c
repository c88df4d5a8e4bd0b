/* chain_nodes.c: which nodes of a chain the iterations solve for. Constraints touch few nodes of a long
 * cable; what they do not touch only carries A, and is eliminated before the first iteration:
 *
 *     (S + C) x = g + 2F - C v_free,   x = v - v_free on the nodes that are kept,
 *
 * with S the Schur complement of A on them (math/chain_condense.h), C = JᵀWJ as ever, and v_free = A⁻¹b,
 * so that S v_free is what b comes to. Where most nodes are touched all are kept, S = A. */
#include <string.h>

#include "problem.h"

/* Nodes that must be saved to be worth a plan, and their least share. */
#define LEAST_SAVED 4
#define SHARE 4
/* Diagonal blocks of A⁻¹ come from a factor of S where that has at most so many of ten nodes; otherwise
 * A's own, which is there, gives them for less. */
#define FEW 4

/* In a chain with all nodes kept, a gap of so many unknowns is cheaper to compute, as zeros, than to leave
 * out. */
#define GAP 24

static void mark_touched(const TnProblem *p, int index, bool *touched)
{
    const TnLargeBlock *d = &p->large[index];
    const int *node_of = d->chain->node_of;
    int block = p->twist_count + index;
    for (int k = d->port_start; k < d->port_start + d->port_count; k++)
        touched[node_of[p->ports[k].start]] = true;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start; e < side->start + side->count; e++)
            touched[node_of[p->index[e]]] = true;
    }
}

/* The marked nodes' unknowns. Of a condensed chain these are all that there are, one after the other. */
static void find_spans(TnLargeBlock *d, const bool *marked)
{
    int place = 0, gap = d->place ? 0 : GAP;
    d->span_count = 0;
    for (int k = 0; k < d->chain->node_count; k++) {
        const TnChainNode *node = &d->chain->nodes[k];
        if (!marked[k]) continue;
        TnSpan *next = &d->spans[d->span_count];
        if (d->span_count && next[-1].start + next[-1].count + gap >= node->start) {
            next[-1].count = node->start + node->dim - next[-1].start;
        } else {
            *next = (TnSpan){node->start, node->dim, d->place ? place : node->start};
            d->span_count++;
        }
        place += node->dim;
    }
}

/* Ports that are nodes, ports with T, and the other marked nodes; takes the first ones' marks away. */
static void sort_ports(const TnProblem *p, TnLargeBlock *d, bool *marked)
{
    const TnChain *chain = d->chain;
    d->wide_count = d->other_count = 0;
    for (int k = 0; k < d->port_count; k++) {
        const TnPort *port = &p->ports[d->port_start + k];
        int node = chain->node_of[port->start];
        bool plain = !port->T && marked[node];
        d->port_at[k] = plain ? port->start : -1;
        d->port_place[k] = tn_solved_node(d, node)->start;
        if (plain)
            marked[node] = false;
        else
            d->wide[d->wide_count++] = k;
    }
    for (int k = 0; k < chain->node_count; k++)
        if (marked[k])
            d->others[d->other_count++] =
                (TnSpan){chain->nodes[k].start, chain->nodes[k].dim, tn_solved_node(d, k)->start};
}

static bool reserve(TnProblem *p, TnLargeBlock *d)
{
    size_t D = d->solved->D_size, E = d->solved->E_size;
    d->S_D = d->place ? TN_ARENA_NEW(p->arena, double, D) : d->D;
    d->S_E = d->place ? TN_ARENA_NEW(p->arena, double, E) : d->E;
    d->H_D = TN_ARENA_NEW(p->arena, double, D);
    d->H_E = TN_ARENA_NEW(p->arena, double, E);
    d->inverse_of_all = 10 * d->solved->node_count > FEW * d->chain->node_count;
    d->inverse = TN_ARENA_NEW(p->arena, double, d->inverse_of_all ? d->chain->D_size : D);
    d->x = TN_ARENA_NEW(p->arena, double, d->solved->dim);
    d->Sx = TN_ARENA_NEW(p->arena, double, d->solved->dim);
    return d->S_D && d->S_E && d->H_D && d->H_E && d->inverse && d->x && d->Sx;
}

static bool choose(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    const TnChain *chain = d->chain;
    int n = chain->node_count;
    bool *marked = tn_arena_calloc(p->arena, sizeof(bool) * (size_t)n);
    bool *kept = tn_arena_alloc(p->arena, sizeof(bool) * (size_t)n);
    if (!marked || !kept) return false;
    mark_touched(p, index, marked);
    memcpy(kept, marked, sizeof(bool) * (size_t)n);
    int count = tn_condense_mark(chain, kept), saved = n - count;
    bool worth = saved >= LEAST_SAVED && SHARE * saved >= n;
    d->solved = chain;
    d->place = NULL;
    if (worth) {
        if (!tn_condense_plan(&d->condensed, p->arena, chain, kept, count)) return false;
        d->solved = &d->condensed.chain;
        d->place = d->condensed.place;
    }
    find_spans(d, worth ? kept : marked);
    sort_ports(p, d, worth ? kept : marked);
    return reserve(p, d);
}

bool tn_chains_choose(TnProblem *p)
{
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].chain && !choose(p, i)) return false;
    return true;
}
