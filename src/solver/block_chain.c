/* block_chain.c: a chain of nodes with six unknowns each, A block-tridiagonal, as a cable has.
 * Everything is linear in the number of nodes.
 *
 * With C = H - A the update needs no product with A. H v = b + g + 2F has just been solved, so
 * b + F - A v = C v - g - F and
 *
 *     g ← (1-α) g + α (C v - F),
 *
 * which is zero in every node without contacts and rows. C = JᵀWJ: of contacts it has a 6×6 block
 * per port, and a scalar row β c cᵀ fits as well if it stays within one node or two neighbours. One
 * that reaches farther does not. Cut into n pieces c = Σ c_i, each within a node, it is bounded by
 * n Σ β c_i c_iᵀ, because (Σ c_iᵀv)² <= n Σ (c_iᵀv)². C takes this bound; H stays above A + JᵀWJ,
 * which adds a proximal term ½|v - v_old|² in the norm C - JᵀWJ to ADMM's step. The solution is the
 * same, the way to it longer. */
#include "block_kind.h"

#include <string.h>

#include "../math/tridiagonal.h"

static int unit_count(const TnProblem *p) { return p->large_count; }

static bool factor_A(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        int m = d->node_count;
        if (!m) continue;
        memcpy(d->A_D, d->D, sizeof(double[36]) * (size_t)m);
        memcpy(d->A_E, d->E, sizeof(double[36]) * (size_t)(m - 1));
        if (!tn_tridiagonal_factor(m, d->A_D, d->A_E)) return false;
        tn_tridiagonal_inverse_blocks(m, d->A_D, d->A_E, d->inverse);
        for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
            TnPort *port = &p->ports[k];
            memcpy(port->compliance, d->inverse + 6L * port->start, sizeof port->compliance);
        }
    }
    return true;
}

/* ---- C: a block per port, and pieces of rows ---- */

static int node_of(const TnProblem *p, int entry) { return p->index[entry] / 6; }

/* 1 where the side stays within two neighbours, otherwise its runs of entries within one node. */
static int count_pieces(const TnProblem *p, const TnRowSide *side)
{
    int runs = 0, low = 0, high = 0, end = side->start + side->count;
    for (int e = side->start; e < end; e++) {
        int node = node_of(p, e);
        if (e == side->start) low = high = node;
        if (e == side->start || node != node_of(p, e - 1)) runs++;
        low = node < low ? node : low;
        high = node > high ? node : high;
    }
    return high - low <= 1 ? 1 : runs;
}

/* One past the last entry of the piece that begins at `entry`. */
static int piece_end(const TnProblem *p, const TnRowSide *side, int entry)
{
    int end = side->start + side->count, e = entry + 1;
    if (side->pieces == 1) return end;
    while (e < end && node_of(p, e) == node_of(p, entry)) e++;
    return e;
}

static void add_outer(const TnProblem *p, TnLargeBlock *d, int begin, int end, double weight)
{
    for (int a = begin; a < end; a++)
        for (int b = begin; b < end; b++) {
            int row = node_of(p, a), column = node_of(p, b);
            if (row < column) continue; /* the transpose of an E */
            double *block = row == column ? d->H_D + 36L * row : d->H_E + 36L * column;
            block[6 * (p->index[a] % 6) + p->index[b] % 6] +=
                weight * p->coefficient[a] * p->coefficient[b];
        }
}

/* H_D, H_E += C; keeps the ports' part of C as full matrices, whose products vectorize. */
static void add_stiffness(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    int block = p->twist_count + index;
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const double *K = p->K[p->port_row + k];
        double *H = d->H_D + 6L * p->ports[k].start, *C = d->C + 36L * (k - d->port_start);
        for (int r = 0; r < 6; r++)
            for (int s = 0; s < 6; s++) {
                C[6 * r + s] = K[r <= s ? tn_sym6(r, s) : tn_sym6(s, r)];
                H[6 * r + s] += C[6 * r + s];
            }
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        TnRowSide *side = &p->sides[p->block_sides[i]];
        side->pieces = count_pieces(p, side);
        for (int e = side->start, next; e < side->start + side->count; e = next) {
            next = piece_end(p, side, e);
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

/* y += scale · K x, K symmetric */
static inline void add_port_product(const double *restrict K, double scale,
                                    const double *restrict x, double *restrict y)
{
    double s[6] = {0};
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) s[i] += K[6 * j + i] * x[j];
    for (int i = 0; i < 6; i++) y[i] += scale * s[i];
}

/* y += scale · C x */
static void add_C_product(const TnProblem *p, int index, double scale, const double *x, double *y)
{
    const TnLargeBlock *d = &p->large[index];
    const TnPort *ports = p->ports + d->port_start;
    int block = p->twist_count + index;
    for (int k = 0; k < d->port_count; k++)
        add_port_product(d->C + 36L * k, scale, x + ports[k].start, y + ports[k].start);
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start, next; e < side->start + side->count; e = next) {
            next = piece_end(p, side, e);
            add_projection(p, e, next, scale * side->beta * side->pieces, x, y);
        }
    }
}

void tn_chain_add_slack(const TnProblem *p, int index, const double *x, double *y)
{
    int block = p->twist_count + index;
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        int end = side->start + side->count;
        if (side->pieces == 1) continue;
        for (int e = side->start, next; e < end; e = next) {
            next = piece_end(p, side, e);
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
        int m = d->node_count;
        if (!m) continue;
        tn_ports_spread(p, d, d->v, p->twist);
        tn_large_gather(p, i);
        memcpy(d->H_D, d->D, sizeof(double[36]) * (size_t)m);
        memcpy(d->H_E, d->E, sizeof(double[36]) * (size_t)(m - 1));
        add_stiffness(p, i);
        for (int k = 0; k < d->dim; k++) d->g[k] = -d->F[k];
        add_C_product(p, i, 1.0, d->v, d->g);
        if (!tn_tridiagonal_factor(m, d->H_D, d->H_E)) return false;
    }
    return true;
}

/* x = b + g + 2F */
static void right_side(int n, double *restrict x, const double *restrict b,
                       const double *restrict g, const double *restrict F)
{
    for (int k = 0; k < n; k++) x[k] = b[k] + g[k] + 2.0 * F[k];
}

/* g ← (1-α) g - α F */
static void relax(int n, double *restrict g, const double *restrict F, double alpha)
{
    for (int k = 0; k < n; k++) g[k] = (1.0 - alpha) * g[k] - alpha * F[k];
}

static void update(TnProblem *p, int begin, int end, double alpha)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        int first = p->port_row + d->port_start;
        if (!d->node_count) continue;
        tn_table_forces(p, first, first + d->port_count);
        tn_large_gather(p, i);
        right_side(d->dim, d->v, d->b, d->g, d->F);
        tn_tridiagonal_solve(d->node_count, d->H_D, d->H_E, d->v);
        tn_ports_spread(p, d, d->v, p->twist);
        relax(d->dim, d->g, d->F, alpha);
        add_C_product(p, i, alpha, d->v, d->g);
    }
}

const TnBlockKind tn_block_chain = {.name = "chain",
                                    .grain = 1,
                                    .unit_count = unit_count,
                                    .factor_A = factor_A,
                                    .factor_H = factor_H,
                                    .update = update};
