/* block_chain.c: nodes of any size whose blocks in A form a forest, as a cable has, with the robots
 * that hold it. Everything is linear in the number of nodes.
 *
 * With C = H - A the update needs no product with A. H v = b + g + 2F has just been solved, so
 * b + F - A v = C v - g - F and
 *
 *     g ← (1-α) g + α (C v - F),
 *
 * which is zero in every node without contacts and rows; only the others are touched. C = JᵀWJ: of
 * contacts it has TᵀKT per port, and a scalar row β c cᵀ fits as well if it stays within one node or
 * along one edge. One that reaches farther does not. Cut into n pieces c = Σ c_i, each within a node,
 * it is bounded by n Σ β c_i c_iᵀ, because (Σ c_iᵀv)² <= n Σ (c_iᵀv)². C takes this bound; H stays
 * above A + JᵀWJ, which adds a proximal term ½|v - v_old|² in the norm C - JᵀWJ to ADMM's step. The
 * solution is the same, the way to it longer. */
#include "block_kind.h"

#include <string.h>

#include "../math/kernels/chain_kernels.h"

static int unit_count(const TnProblem *p) { return p->large_count; }

/* compliance = T A⁻¹ Tᵀ from the node's block of A⁻¹ */
static void port_compliance(const TnLargeBlock *d, TnPort *port)
{
    int n = port->count;
    const double *T = port->T;
    const double *Z = tn_inverse_block(d, d->chain->node_of[port->start]);
    if (!T) {
        memcpy(port->compliance, Z, sizeof port->compliance);
        return;
    }
    for (int r = 0; r < 6; r++) {
        double sums[6] = {0};
        for (int i = 0; i < n; i++) {
            double x = 0.0;
            for (int j = 0; j < n; j++) x += Z[(long)i * n + j] * T[(long)r * n + j];
            for (int s = 0; s < 6; s++) sums[s] += T[(long)s * n + i] * x;
        }
        memcpy(port->compliance + 6 * r, sums, sizeof sums);
    }
}

static void copy_matrix(const TnLargeBlock *d)
{
    memcpy(d->H_D, d->S_D, sizeof(double) * d->solved->D_size);
    memcpy(d->H_E, d->S_E, sizeof(double) * d->solved->E_size);
}

static bool factor_A(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        const TnChain *chain = d->chain;
        if (!chain) continue;
        if (!d->A_factored) {
            memcpy(d->A_D, d->D, sizeof(double) * chain->D_size);
            memcpy(d->A_E, d->E, sizeof(double) * chain->E_size);
            if (!tn_chain_factor(chain, d->A_D, d->A_E)) return false;
            memcpy(d->v_free, d->b, sizeof(double) * (size_t)d->dim);
            tn_chain_solve(chain, d->A_D, d->A_E, d->v_free);
        }
        if (d->place && !tn_condense(&d->condensed, d->D, d->E, d->S_D, d->S_E)) return false;
        if (d->inverse_of_all) {
            tn_chain_inverse_blocks(chain, d->A_D, d->A_E, d->inverse);
        } else { /* A⁻¹ is S⁻¹ there; the factor of S lies where that of H will */
            copy_matrix(d);
            if (!tn_chain_factor(d->solved, d->H_D, d->H_E)) return false;
            tn_chain_inverse_blocks(d->solved, d->H_D, d->H_E, d->inverse);
        }
        for (int k = d->port_start; k < d->port_start + d->port_count; k++)
            port_compliance(d, &p->ports[k]);
    }
    return true;
}

/* ---- C: a block per port, and pieces of rows ---- */

static int node_of(const TnProblem *p, const TnLargeBlock *d, int entry)
{
    return d->chain->node_of[p->index[entry]];
}

/* 1 where the side stays within a node or along an edge, otherwise its runs of entries within one
 * node. */
static int count_pieces(const TnProblem *p, const TnLargeBlock *d, const TnRowSide *side)
{
    int runs = 0, first = -1, second = -1, end = side->start + side->count;
    bool more = false;
    for (int e = side->start; e < end; e++) {
        int node = node_of(p, d, e);
        if (e == side->start || node != node_of(p, d, e - 1)) runs++;
        if (first < 0 || node == first)
            first = node;
        else if (second < 0 || node == second)
            second = node;
        else
            more = true;
    }
    bool fits = second < 0 || (!more && tn_chain_edge(d->chain, first, second) >= 0);
    return fits ? 1 : runs;
}

/* One past the last entry of the piece that begins at `entry`. */
static int piece_end(const TnProblem *p, const TnLargeBlock *d, const TnRowSide *side, int entry)
{
    int end = side->start + side->count, e = entry + 1;
    if (side->pieces == 1) return end;
    while (e < end && node_of(p, d, e) == node_of(p, d, entry)) e++;
    return e;
}

static double *edge_block(const TnLargeBlock *d, int row, int column)
{
    int a = d->place ? d->place[row] : row, b = d->place ? d->place[column] : column;
    return d->H_E + d->solved->edges[tn_chain_edge(d->solved, a, b)].E;
}

static void add_outer(const TnProblem *p, TnLargeBlock *d, int begin, int end, double weight)
{
    const TnChain *chain = d->chain;
    for (int a = begin; a < end; a++)
        for (int b = begin; b < end; b++) {
            int row = node_of(p, d, a), column = node_of(p, d, b);
            if (row < column) continue; /* the transpose of an E */
            const TnChainNode *at = &chain->nodes[row], *of = &chain->nodes[column];
            double *block = d->H_D + tn_solved_node(d, row)->D;
            if (row != column) block = edge_block(d, row, column);
            block[(long)(p->index[a] - at->start) * of->dim + p->index[b] - of->start] +=
                weight * p->coefficient[a] * p->coefficient[b];
        }
}

/* H_D += Tᵀ K T at the port's node; keeps K in C, in fours or as a full matrix. */
static void add_port_stiffness(const TnProblem *p, TnLargeBlock *d, int k)
{
    const TnPort *port = &p->ports[d->port_start + k];
    const double *packed = p->K[p->port_row + d->port_start + k], *T = port->T;
    double *H = d->H_D + tn_solved_node(d, d->chain->node_of[port->start])->D, *C = d->C + 36L * k;
    double K[36];
    int n = port->count;
    for (int r = 0; r < 6; r++)
        for (int s = r; s < 6; s++) K[6 * r + s] = K[6 * s + r] = packed[tn_sym6(r, s)];
    if (d->port_at[k] < 0)
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

static void add_stiffness(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    int block = p->twist_count + index;
    for (int k = 0; k < d->port_count; k++) add_port_stiffness(p, d, k);
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        TnRowSide *side = &p->sides[p->block_sides[i]];
        side->pieces = count_pieces(p, d, side);
        for (int e = side->start, next; e < side->start + side->count; e = next) {
            next = piece_end(p, d, side, e);
            add_outer(p, d, e, next, side->pieces * side->beta);
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

/* v = from + x where there are ports or rows; the ports' twists; g += scale · C v. */
static void spread(const TnProblem *p, int index, const double *from, double *v, double scale,
                   double *g)
{
    const TnLargeBlock *d = &p->large[index];
    int block = p->twist_count + index, first = p->port_row + d->port_start;
    tn_chain_kernels()->spread(d->port_count, d->port_at, d->port_place, d->x, from, v,
                               p->twist + first, d->C, scale, g);
    for (int i = 0; i < d->other_count; i++) {
        const TnSpan *node = &d->others[i];
        for (int k = 0; k < node->count; k++)
            v[node->start + k] = from[node->start + k] + d->x[node->place + k];
    }
    for (int i = 0; i < d->wide_count; i++) {
        int k = d->wide[i];
        spread_wide(&p->ports[d->port_start + k], d->C + 36L * k, scale, v, p->twist[first + k], g);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start, next; e < side->start + side->count; e = next) {
            next = piece_end(p, d, side, e);
            add_projection(p, e, next, scale * side->beta * side->pieces, v, g);
        }
    }
}

void tn_chain_add_slack(const TnProblem *p, int index, const double *x, double *y)
{
    const TnLargeBlock *d = &p->large[index];
    int block = p->twist_count + index;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        int end = side->start + side->count;
        if (side->pieces == 1) continue;
        for (int e = side->start, next; e < end; e = next) {
            next = piece_end(p, d, side, e);
            add_projection(p, e, next, side->beta * side->pieces, x, y);
        }
        add_projection(p, side->start, end, -side->beta, x, y);
    }
}

/* ---- the two steps ---- */

static bool factor_H(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        size_t bytes = sizeof(double) * (size_t)d->dim;
        if (!d->chain) continue;
        tn_large_gather(p, i);
        copy_matrix(d);
        add_stiffness(p, i);
        memset(d->x, 0, sizeof(double) * (size_t)d->solved->dim);
        memset(d->pull, 0, bytes);
        spread(p, i, d->v_free, d->work, -1.0, d->pull);
        for (int k = 0; k < d->dim; k++) d->g[k] = -d->F[k];
        spread(p, i, d->v, d->work, 1.0, d->g);
        if (!tn_chain_factor(d->solved, d->H_D, d->H_E)) return false;
    }
    return true;
}

/* Force f on unknown i, whose place in x is `place`: F, x = pull + g + 2F and g ← (1-α) g - α F are
 * linear in it. */
static inline void push(const TnLargeBlock *d, int i, int place, double f, double alpha)
{
    d->F[i] += f;
    d->x[place] += 2.0 * f;
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

static void push_rows(const TnProblem *p, int index, double alpha)
{
    const TnLargeBlock *d = &p->large[index];
    int block = p->twist_count + index;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double lambda = p->rows[side->row].lambda;
        for (int e = side->start; e < side->start + side->count; e++) {
            int k = p->index[e], node = node_of(p, d, e);
            int place = tn_solved_node(d, node)->start + k - d->chain->nodes[node].start;
            push(d, k, place, p->coefficient[e] * lambda, alpha);
        }
    }
}

static void update_chain(TnProblem *p, int index, double alpha)
{
    TnLargeBlock *d = &p->large[index];
    int first = p->port_row + d->port_start;
    double(*wrench)[8] = p->F + first;
    tn_table_forces(p, first, first + d->port_count);
    if (!d->place)
        memset(d->x, 0, sizeof(double) * (size_t)d->dim); /* some nodes may have no port */
    tn_chain_kernels()->gather(d->port_count, d->port_at, d->port_place, (const double(*)[8])wrench,
                               d->pull, alpha, d->F, d->g, d->x);
    for (int i = 0; i < d->other_count; i++) {
        const TnSpan *node = &d->others[i];
        for (int k = 0; k < node->count; k++) {
            d->F[node->start + k] = 0.0;
            d->x[node->place + k] = d->pull[node->start + k] + d->g[node->start + k];
            d->g[node->start + k] *= 1.0 - alpha;
        }
    }
    for (int i = 0; i < d->wide_count; i++) {
        int k = d->wide[i];
        push_wide(d, &p->ports[d->port_start + k], d->port_place[k], wrench[k], alpha);
    }
    push_rows(p, index, alpha);
    tn_chain_solve(d->solved, d->H_D, d->H_E, d->x);
    spread(p, index, d->v_free, d->v, alpha, d->g);
}

void tn_chain_solve_spans(const TnProblem *p, int index, const double *force)
{
    const TnLargeBlock *d = &p->large[index];
    memset(d->x, 0, sizeof(double) * (size_t)d->solved->dim);
    for (int s = 0; s < d->span_count; s++) {
        int start = d->spans[s].start;
        double *x = d->x + d->spans[s].place;
        for (int k = 0; k < d->spans[s].count; k++) x[k] = d->pull[start + k] + force[start + k];
    }
    tn_chain_solve(d->solved, d->H_D, d->H_E, d->x);
    for (int s = 0; s < d->span_count; s++) {
        int start = d->spans[s].start;
        const double *x = d->x + d->spans[s].place;
        for (int k = 0; k < d->spans[s].count; k++) d->v[start + k] = d->v_free[start + k] + x[k];
    }
}

/* Of all nodes: v = v_free + A⁻¹ f with f = S x on the kept ones. That holds A v = b + f on every node, while
 * the eliminated ones put beside what the iterations left in the others would not quite fit them. */
void tn_chain_finish(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    const double *change = d->x;
    if (d->place) {
        double *f = d->work;
        memset(f, 0, sizeof(double) * (size_t)d->dim);
        tn_chain_multiply(d->solved, d->S_D, d->S_E, d->x, d->Sx);
        for (int s = 0; s < d->span_count; s++) {
            const TnSpan *span = &d->spans[s];
            memcpy(f + span->start, d->Sx + span->place, sizeof(double) * (size_t)span->count);
        }
        if (d->span_count) tn_chain_solve(d->chain, d->A_D, d->A_E, f);
        change = f;
    }
    for (int k = 0; k < d->dim; k++) d->v[k] = d->v_free[k] + change[k];
    if (d->place) tn_ports_spread(p, d, d->v, p->twist);
}

static void update(TnProblem *p, int begin, int end, double alpha)
{
    for (int i = begin; i < end; i++)
        if (p->large[i].chain) update_chain(p, i, alpha);
}

const TnBlockKind tn_block_chain = {.name = "chain",
                                    .grain = 1,
                                    .unit_count = unit_count,
                                    .factor_A = factor_A,
                                    .factor_H = factor_H,
                                    .update = update};
