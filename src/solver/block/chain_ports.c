/* chain_ports.c: the ports and scalar rows of a chain: their forces, and C = JᵀWJ of their weights.
 *
 * Of contacts C has TᵀKT per port, and a scalar row β c cᵀ fits as well if it stays within one node
 * or along one edge. One that reaches farther does not. Cut into n pieces c = Σ c_i, each within a
 * node, it is bounded by n Σ β c_i c_iᵀ, because (Σ c_iᵀv)² <= n Σ (c_iᵀv)². C takes this bound; H
 * stays above A + JᵀWJ, which adds a proximal term ½|v - v_old|² in the norm C - JᵀWJ to ADMM's
 * step. The solution is the same, the way to it longer. */
#include <string.h>

#include "../../math/kernels/chain_kernels.h"
#include "chain.h"

static int node_of(const TnProblem *p, const TnChainBlock *c, int entry)
{
    return c->chain->node_of[p->index[entry]];
}

/* 1 where the side stays within a node or along an edge, otherwise its runs of entries within one
 * node. */
static int count_pieces(const TnProblem *p, const TnChainBlock *c, const TnRowSide *side)
{
    int runs = 0, first = -1, second = -1, end = side->start + side->count;
    bool more = false;
    for (int e = side->start; e < end; e++) {
        int node = node_of(p, c, e);
        if (e == side->start || node != node_of(p, c, e - 1)) runs++;
        if (first < 0 || node == first)
            first = node;
        else if (second < 0 || node == second)
            second = node;
        else
            more = true;
    }
    bool fits = second < 0 || (!more && tn_chain_edge(c->chain, first, second) >= 0);
    return fits ? 1 : runs;
}

/* One past the last entry of the piece that begins at `entry`. */
static int piece_end(const TnProblem *p, const TnChainBlock *c, const TnRowSide *side, int entry)
{
    int end = side->start + side->count, e = entry + 1;
    if (side->pieces == 1) return end;
    while (e < end && node_of(p, c, e) == node_of(p, c, entry)) e++;
    return e;
}

static double *edge_block(const TnChainBlock *c, int row, int column)
{
    int a = c->place ? c->place[row] : row, b = c->place ? c->place[column] : column;
    return c->H_E + c->solved->edges[tn_chain_edge(c->solved, a, b)].E;
}

static void add_outer(const TnProblem *p, const TnChainBlock *c, int begin, int end, double weight)
{
    const TnChain *chain = c->chain;
    for (int a = begin; a < end; a++)
        for (int b = begin; b < end; b++) {
            int row = node_of(p, c, a), column = node_of(p, c, b);
            if (row < column) continue; /* the transpose of an E */
            const TnChainNode *at = &chain->nodes[row], *of = &chain->nodes[column];
            double *block = c->H_D + tn_solved_node(c, row)->D;
            if (row != column) block = edge_block(c, row, column);
            block[(long)(p->index[a] - at->start) * of->dim + p->index[b] - of->start] +=
                weight * p->coefficient[a] * p->coefficient[b];
        }
}

/* H_D += Tᵀ K T at the port's node; keeps K in C, in fours or as a full matrix. */
static void add_port_stiffness(const TnProblem *p, const TnLargeBlock *d, int k)
{
    const TnChainBlock *c = tn_chain_block(d);
    const TnPort *port = &p->ports[d->port_start + k];
    const double *packed = p->K[p->port_row + d->port_start + k], *T = port->T;
    double *H = c->H_D + tn_solved_node(c, c->chain->node_of[port->start])->D, *C = c->C + 36L * k;
    double K[36];
    int n = port->count;
    for (int r = 0; r < 6; r++)
        for (int s = r; s < 6; s++) K[6 * r + s] = K[6 * s + r] = packed[tn_sym6(r, s)];
    if (c->port_at[k] < 0)
        memcpy(C, K, sizeof K);
    else
        tn_six_pack(C, K);
    for (int i = 0; !T && i < 36; i++) H[i] += K[i];
    for (int r = 0; T && r < 6; r++)
        for (int s = 0; s < 6; s++)
            for (int i = 0; i < n; i++) {
                double wi = K[6 * r + s] * T[(long)r * n + i];
                for (int j = 0; j < n; j++) H[(long)i * n + j] += wi * T[(long)s * n + j];
            }
}

void tn_chain_add_stiffness(TnProblem *p, int index)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    int block = p->twist_count + index;
    for (int k = 0; k < d->port_count; k++) add_port_stiffness(p, d, k);
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        TnRowSide *side = &p->sides[p->block_sides[i]];
        side->pieces = count_pieces(p, c, side);
        for (int e = side->start, next; e < side->start + side->count; e = next) {
            next = piece_end(p, c, side, e);
            add_outer(p, c, e, next, side->pieces * side->beta);
        }
    }
}

/* y += scale · c (cᵀ x) over some entries */
static void add_projection(const TnProblem *p, int begin, int end, double scale, const double *x,
                           double *y)
{
    double s = 0.0;
    for (int e = begin; e < end; e++) s += p->coefficient[e] * x[p->index[e]];
    s *= scale;
    for (int e = begin; e < end; e++) y[p->index[e]] += s * p->coefficient[e];
}

/* T of any port */
static const double *matrix_of(const TnPort *port)
{
    static const double identity[36] = {[0] = 1, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1};
    return port->T ? port->T : identity;
}

/* The table's row = T v, g += scale · Tᵀ K T v */
static void spread_wide(const TnPort *port, const double *K, double scale, const double *v,
                        double row[8], double *g)
{
    const double *T = matrix_of(port);
    double twist[6], wrench[6] = {0};
    int n = port->count;
    for (int r = 0; r < 6; r++) {
        twist[r] = 0.0;
        for (int j = 0; j < n; j++) twist[r] += T[(long)r * n + j] * v[port->start + j];
        row[r < 3 ? r : r + 1] = twist[r];
    }
    for (int r = 0; r < 6; r++)
        for (int s = 0; s < 6; s++) wrench[r] += scale * K[6 * r + s] * twist[s];
    for (int r = 0; r < 6; r++)
        for (int j = 0; j < n; j++) g[port->start + j] += wrench[r] * T[(long)r * n + j];
}

void tn_chain_spread(const TnProblem *p, int index, const double *from, double *v, double scale,
                     double *g)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    const TnChainKernels *kernels = tn_chain_kernels();
    int block = p->twist_count + index, first = p->port_row + d->port_start;
    for (int r = 0; r < c->run_count; r++) {
        int begin = c->runs[r].begin, count = c->runs[r].end - begin;
        const int *at = c->port_at + begin, *place = c->port_place + begin;
        double(*twist)[8] = p->twist + first + begin;
        if (p->z && c->runs[r].told)
            kernels->spread_told(count, at, place, c->x, from, v, twist);
        else
            kernels->spread(count, at, place, c->x, from, v, twist, c->C + 36L * begin, scale, g);
    }
    for (int i = 0; i < c->other_count; i++) {
        const TnSpan *node = &c->others[i];
        for (int k = 0; k < node->count; k++)
            v[node->start + k] = from[node->start + k] + c->x[node->place + k];
    }
    for (int i = 0; i < c->wide_count; i++) {
        int k = c->wide[i];
        spread_wide(&p->ports[d->port_start + k], c->C + 36L * k, scale, v, p->twist[first + k], g);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start, next; e < side->start + side->count; e = next) {
            next = piece_end(p, c, side, e);
            add_projection(p, e, next, scale * side->beta * side->pieces, v, g);
        }
    }
}

void tn_chain_add_slack(const TnProblem *p, int index, const double *x, double *y)
{
    const TnChainBlock *c = tn_chain_block(&p->large[index]);
    int block = p->twist_count + index;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        int end = side->start + side->count;
        if (side->pieces == 1) continue;
        for (int e = side->start, next; e < end; e = next) {
            next = piece_end(p, c, side, e);
            add_projection(p, e, next, side->beta * side->pieces, x, y);
        }
        add_projection(p, side->start, end, -side->beta, x, y);
    }
}

/* ---- forces ---- */

/* Force f on unknown i, whose place in x is `place`: F, x = pull + g + 2F and g ← (1-α) g - α F are
 * linear in it. */
static inline void push(const TnLargeBlock *d, int i, int place, double f, double alpha)
{
    d->F[i] += f;
    tn_chain_block(d)->x[place] += 2.0 * f;
    d->g[i] -= alpha * f;
}

static void push_wide(const TnLargeBlock *d, const TnPort *port, int place, const double row[8],
                      double alpha)
{
    const double *T = matrix_of(port);
    int n = port->count;
    for (int j = 0; j < n; j++) {
        double f = 0.0;
        for (int r = 0; r < 6; r++) f += T[(long)r * n + j] * row[r < 3 ? r : r + 1];
        push(d, port->start + j, place + j, f, alpha);
    }
}

void tn_chain_push(const TnProblem *p, int index, double alpha)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    int block = p->twist_count + index;
    for (int i = 0; i < c->wide_count; i++) {
        int k = c->wide[i], port = d->port_start + k;
        push_wide(d, &p->ports[port], c->port_place[k], p->F[p->port_row + port], alpha);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double lambda = p->rows[side->row].lambda;
        for (int e = side->start; e < side->start + side->count; e++) {
            int k = p->index[e], node = node_of(p, c, e);
            int place = tn_solved_node(c, node)->start + k - c->chain->nodes[node].start;
            push(d, k, place, p->coefficient[e] * lambda, alpha);
        }
    }
}
