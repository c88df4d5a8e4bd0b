/* chain_state.c: where Anderson acceleration must keep a chain's g.
 *
 * A contact between a node and the fixed world has one side, so that B is its weight and
 *
 *     t = -B (y/β + e) = -(y + B e)
 *
 * tells y. A node that has nothing but such contacts has g = Jᵀy of them: a cable around a post
 * keeps three numbers per contact and no more. Nodes that touch other things, or have rows, keep
 * their g. */
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

static void take_out(TnChainBlock *c, const TnSpan *span)
{
    TnSpan *last = &c->states[c->state_count - 1];
    if (c->state_count && last->start + last->count == span->start)
        last->count += span->count;
    else
        c->states[c->state_count++] = *span;
}

/* The unknowns of the spans but those of nodes that are told. */
static void keep_rest(TnChainBlock *c, const bool *told)
{
    const TnChain *chain = c->chain;
    c->state_count = 0;
    for (int s = 0; s < c->span_count; s++) {
        const TnSpan *span = &c->spans[s];
        int node = chain->node_of[span->start], end = span->start + span->count;
        for (; node < chain->node_count && chain->nodes[node].start < end; node++)
            if (!told[node])
                take_out(c, &(TnSpan){.start = chain->nodes[node].start,
                                      .count = chain->nodes[node].dim});
    }
}

const TnSpan *tn_chain_state(TnProblem *p, int index, int *count)
{
    const TnLargeBlock *d = &p->large[index];
    TnChainBlock *c = tn_chain_block(d);
    const int *node_of = c->chain->node_of;
    int block = p->twist_count + index, first = p->port_row + d->port_start;
    size_t mark = tn_arena_mark(p->arena);
    bool *told = TN_ARENA_ZERO(p->arena, bool, c->chain->node_count);
    *count = c->span_count;
    c->told_count = 0;
    if (!told) return c->spans; /* all of them is right as well */
    for (int k = 0; k < d->port_count; k++)
        if (c->port_at[k] >= 0) told[node_of[c->port_at[k]]] = is_told(p, first + k);
    for (int i = 0; i < c->wide_count; i++)
        told[node_of[p->ports[d->port_start + c->wide[i]].start]] = false;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start; e < side->start + side->count; e++)
            told[node_of[p->index[e]]] = false;
    }
    for (int k = 0; k < d->port_count; k++)
        if (c->port_at[k] >= 0 && told[node_of[c->port_at[k]]]) c->told[c->told_count++] = k;
    keep_rest(c, told);
    tn_arena_release(p->arena, mark);
    *count = c->state_count;
    return c->states;
}

void tn_chain_tell_g(const TnProblem *p, int index)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    int first = p->port_row + d->port_start;
    p->kernels->row_forces(&p->contact_sides, first, first + d->port_count, p->y, p->F);
    for (int i = 0; i < c->told_count; i++) {
        const double *row = p->F[first + c->told[i]];
        double *g = d->g + c->port_at[c->told[i]];
        memcpy(g, row, 3 * sizeof(double));
        memcpy(g + 3, row + 4, 3 * sizeof(double));
    }
}
