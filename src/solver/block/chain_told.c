/* chain_told.c: nodes of a chain that touch the fixed world alone.
 *
 * A contact between a node and the fixed world has one side, so that B is its weight and
 *
 *     t = -B (y/β + e) = -(y + B e)
 *
 * tells y. A node that has nothing but such contacts has g = Jᵀy of them, and g + 2F = Jᵀz with
 * z = y + 2λ: the iteration needs neither g nor C v there, and Anderson acceleration three numbers
 * per contact. Most of a cable around a post is like that. Nodes that touch other things, or have
 * rows, keep their g. */
#include <string.h>

#include "chain.h"

/* Whether all contacts of a row of the table are with the fixed world, and it has no bonds. */
static bool is_told(const TnProblem *p, int row)
{
    const TnSides *sides = &p->contact_sides;
    if (p->bond_count && p->bond_side_start[row] < p->bond_side_start[row + 1]) return false;
    for (int s = sides->start[row]; s < sides->start[row + 1]; s++) {
        const TnContactBatch *batch = &p->contact_batch[sides->contact[s] / TN_LANES];
        int l = sides->contact[s] % TN_LANES;
        if (batch->row_a[l] && batch->row_b[l]) return false;
    }
    return true;
}

/* Per node. */
static void mark_told(const TnProblem *p, int index, bool *told)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    const int *node_of = c->chain->node_of;
    int block = p->twist_count + index, first = p->port_row + d->port_start;
    for (int k = 0; k < d->port_count; k++)
        if (c->port_at[k] >= 0) told[node_of[c->port_at[k]]] = is_told(p, first + k);
    for (int i = 0; i < c->wide_count; i++)
        told[node_of[p->ports[d->port_start + c->wide[i]].start]] = false;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start; e < side->start + side->count; e++)
            told[node_of[p->index[e]]] = false;
    }
}

/* The unknowns of the spans but those of nodes that are told. */
static void keep_rest(TnChainBlock *c, const bool *told)
{
    const TnChain *chain = c->chain;
    c->state_count = 0;
    for (int s = 0; s < c->span_count; s++) {
        int node = chain->node_of[c->spans[s].start], end = c->spans[s].start + c->spans[s].count;
        for (; node < chain->node_count && chain->nodes[node].start < end; node++) {
            const TnChainNode *at = &chain->nodes[node];
            TnSpan *last = &c->states[c->state_count - 1];
            if (told[node]) continue;
            if (c->state_count && last->start + last->count == at->start)
                last->count += at->dim;
            else
                c->states[c->state_count++] = (TnSpan){.start = at->start, .count = at->dim};
        }
    }
}

/* True: some are told. */
static bool find_runs(const TnLargeBlock *d, const bool *told)
{
    TnChainBlock *c = tn_chain_block(d);
    bool any = false;
    c->run_count = 0;
    for (int k = 0; k < d->port_count; k++) {
        bool here = c->port_at[k] >= 0 && told[c->chain->node_of[c->port_at[k]]];
        if (!c->run_count || c->runs[c->run_count - 1].told != here)
            c->runs[c->run_count++] = (TnPortRun){k, k, here};
        c->runs[c->run_count - 1].end++;
        any |= here;
    }
    return any;
}

bool tn_chain_find_told(TnProblem *p, int index)
{
    const TnLargeBlock *d = &p->large[index];
    TnChainBlock *c = tn_chain_block(d);
    bool *told = TN_ARENA_ZERO(p->arena, bool, c->chain->node_count);
    if (!told) return false;
    mark_told(p, index, told);
    keep_rest(c, told);
    if (!find_runs(d, told) || p->z_memory) return true;
    /* one more: four numbers are read at a time */
    size_t room = (size_t)TN_LANES * (size_t)p->contact_batches + 1;
    p->z_memory = tn_arena_calloc(p->arena, sizeof *p->z_memory * room);
    return p->z_memory;
}

const TnSpan *tn_chain_state(const TnLargeBlock *d, int *count)
{
    *count = tn_chain_block(d)->state_count;
    return tn_chain_block(d)->states;
}
