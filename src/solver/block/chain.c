/* chain.c: nodes of any size whose blocks in A form a forest, as a cable has, with the robots
 * that hold it. Everything is linear in the number of nodes.
 *
 * With C = H - A the update needs no product with A. H v = b + g + 2F has just been solved, so
 * b + F - A v = C v - g - F and
 *
 *     g ← (1-α) g + α (C v - F),
 *
 * which is zero in every node without contacts and rows; only the others are touched. chain_ports.c
 * has C. */
#include "chain.h"

#include <math.h>
#include <string.h>

#include "../../base/base.h"
#include "../../math/kernels/chain_kernels.h"

bool tn_problem_set_chain(TnProblem *p, int block, const TnChain *chain, TnChainMatrix matrix,
                          int port_start, int port_count)
{
    TnLargeBlock *d = &p->large[block];
    if (!tn_block_set(p, block, &tn_block_chain, chain->dim, port_start, port_count)) return false;
    TnChainBlock *c = tn_chain_block(d);
    bool known = matrix.factor_D;
    d->b = matrix.b;
    d->v_free = known ? matrix.v_free : NULL;
    c->chain = chain;
    c->D = matrix.D;
    c->E = matrix.E;
    c->A_factored = known;
    c->A_D = known ? matrix.factor_D : TN_ARENA_NEW(p->arena, double, chain->D_size);
    c->A_E = known ? matrix.factor_E : TN_ARENA_NEW(p->arena, double, chain->E_size);
    c->v_free = known ? matrix.v_free : TN_ARENA_NEW(p->arena, double, chain->dim);
    c->C = TN_ARENA_NEW(p->arena, double, 36 * (size_t)port_count);
    c->port_at = TN_ARENA_NEW(p->arena, int, port_count);
    c->port_place = TN_ARENA_NEW(p->arena, int, port_count);
    c->wide = TN_ARENA_NEW(p->arena, int, port_count);
    c->spans = TN_ARENA_NEW(p->arena, TnSpan, chain->node_count);
    c->others = TN_ARENA_NEW(p->arena, TnSpan, chain->node_count);
    c->states = TN_ARENA_NEW(p->arena, TnSpan, chain->node_count);
    c->runs = TN_ARENA_NEW(p->arena, TnPortRun, port_count);
    c->work = TN_ARENA_NEW(p->arena, double, chain->dim);
    c->pull = TN_ARENA_NEW(p->arena, double, chain->dim);
    return c->A_D && c->A_E && c->v_free && c->C && c->port_at && c->port_place && c->wide &&
           c->spans && c->others && c->states && c->runs && c->work && c->pull;
}

bool tn_problem_set_node_port(TnProblem *p, int port, int block, int node, const double *T)
{
    TN_ASSERT(p->large[block].kind == &tn_block_chain);
    const TnChain *chain = tn_chain_block(&p->large[block])->chain;
    TN_ASSERT(node >= 0 && node < chain->node_count);
    const TnChainNode *at = &chain->nodes[node];
    p->ports[port] = (TnPort){
        .block = block, .scale = 1.0, .start = at->start, .count = at->dim, .T = (double *)T};
    return T || at->dim == 6;
}

/* ---- A ---- */

/* The node's block of A⁻¹. */
static const double *inverse_block(const TnChainBlock *c, int node)
{
    return c->inverse + (c->inverse_of_all ? c->chain->nodes[node].D : tn_solved_node(c, node)->D);
}

/* compliance = T A⁻¹ Tᵀ from the node's block of A⁻¹ */
static void port_compliance(const TnChainBlock *c, TnPort *port)
{
    int n = port->count;
    const double *T = port->T;
    const double *Z = inverse_block(c, c->chain->node_of[port->start]);
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

static void copy_matrix(const TnChainBlock *c)
{
    memcpy(c->H_D, c->S_D, sizeof(double) * c->solved->D_size);
    memcpy(c->H_E, c->S_E, sizeof(double) * c->solved->E_size);
}

/* Into where that of H will lie. */
static bool factor_S(const TnChainBlock *c)
{
    copy_matrix(c);
    return tn_chain_factor(c->solved, c->H_D, c->H_E);
}

static bool factor_A(TnProblem *p, int block, TnPool *pool)
{
    const TnLargeBlock *d = &p->large[block];
    const TnChainBlock *c = tn_chain_block(d);
    const TnChain *chain = c->chain;
    (void)pool;
    if (!c->A_factored) {
        memcpy(c->A_D, c->D, sizeof(double) * chain->D_size);
        memcpy(c->A_E, c->E, sizeof(double) * chain->E_size);
        if (!tn_chain_factor(chain, c->A_D, c->A_E)) return false;
        memcpy(c->v_free, d->b, sizeof(double) * (size_t)d->dim);
        tn_chain_solve(chain, c->A_D, c->A_E, c->v_free);
    }
    if (c->place && !tn_condense(&c->condensed, c->D, c->E, c->S_D, c->S_E)) return false;
    if (c->inverse_of_all) {
        tn_chain_inverse_blocks(chain, c->A_D, c->A_E, c->inverse);
    } else { /* A⁻¹ is S⁻¹ there */
        if (!factor_S(c)) return false;
        tn_chain_inverse_blocks(c->solved, c->H_D, c->H_E, c->inverse);
    }
    for (int k = d->port_start; k < d->port_start + d->port_count; k++)
        port_compliance(c, &p->ports[k]);
    return true;
}

static void solve_A(const TnLargeBlock *d, double *x)
{
    const TnChainBlock *c = tn_chain_block(d);
    tn_chain_solve(c->chain, c->A_D, c->A_E, x);
}

/* Where only A of all nodes has a factor, that of S is made. */
static bool factor_missing_S(const TnLargeBlock *d)
{
    const TnChainBlock *c = tn_chain_block(d);
    return c->solved == c->chain || !c->inverse_of_all || factor_S(c);
}

static void solve_S(const TnLargeBlock *d, const int *place, const double *value, int count,
                    int stride, double *x)
{
    const TnChainBlock *c = tn_chain_block(d);
    memset(x, 0, sizeof(double) * (size_t)c->solved->dim);
    tn_scatter(place, value, count, stride, x);
    if (c->solved == c->chain)
        solve_A(d, x);
    else
        tn_chain_solve(c->solved, c->H_D, c->H_E, x);
}

/* From a diagonal block of A⁻¹ where the side touches one node only, which spin and rolling
 * friction do; by a solve otherwise. */
static double side_compliance(const TnProblem *p, const TnLargeBlock *d, const TnRowSide *side)
{
    const TnChainBlock *c = tn_chain_block(d);
    double sum = 0.0, *x = c->work;
    int begin = side->start, end = begin + side->count;
    if (begin == end) return 0.0;
    const TnChainNode *node = &c->chain->nodes[c->chain->node_of[p->index[begin]]];
    bool one = true;
    for (int e = begin; e < end; e++)
        one = one && p->index[e] >= node->start && p->index[e] < node->start + node->dim;
    if (one) {
        const double *Z = inverse_block(c, c->chain->node_of[p->index[begin]]);
        for (int a = begin; a < end; a++) {
            const double *row = Z + (long)(p->index[a] - node->start) * node->dim;
            for (int b = begin; b < end; b++)
                sum += p->coefficient[a] * row[p->index[b] - node->start] * p->coefficient[b];
        }
        return sum;
    }
    memset(x, 0, sizeof(double) * (size_t)d->dim);
    for (int e = begin; e < end; e++) x[p->index[e]] += p->coefficient[e];
    solve_A(d, x);
    for (int e = begin; e < end; e++) sum += p->coefficient[e] * x[p->index[e]];
    return sum;
}

static double diagonal(const TnChainBlock *c, int k)
{
    const TnChainNode *node = &c->chain->nodes[c->chain->node_of[k]];
    return c->D[node->D + (size_t)(k - node->start) * (size_t)(node->dim + 1)];
}

static double trace(const TnLargeBlock *d)
{
    double sum = 0.0;
    for (int k = 0; k < d->dim; k++) sum += diagonal(tn_chain_block(d), k);
    return sum;
}

static void scale(const TnLargeBlock *d, double *x)
{
    for (int k = 0; k < d->dim; k++) x[k] /= sqrt(diagonal(tn_chain_block(d), k));
}

/* ---- the two steps ---- */

static bool factor_H(TnProblem *p, int index)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    tn_large_gather(p, index);
    copy_matrix(c);
    tn_chain_add_stiffness(p, index);
    memset(c->x, 0, sizeof(double) * (size_t)c->solved->dim);
    memset(c->pull, 0, sizeof(double) * (size_t)d->dim);
    tn_chain_spread(p, index, c->v_free, c->work, -1.0, c->pull);
    for (int k = 0; k < d->dim; k++) d->g[k] = -d->F[k];
    tn_chain_spread(p, index, d->v, c->work, 1.0, d->g);
    return tn_chain_factor(c->solved, c->H_D, c->H_E);
}

static void copy_twice(size_t n, const double *from, double *to)
{
    for (size_t i = 0; i < n; i++) to[i] = 2.0 * from[i];
}

static bool double_A(TnLargeBlock *d)
{
    const TnChainBlock *c = tn_chain_block(d);
    copy_twice(c->solved->D_size, c->S_D, c->H_D);
    copy_twice(c->solved->E_size, c->S_E, c->H_E);
    memset(c->pull, 0, sizeof(double) * (size_t)d->dim);
    memset(d->g, 0, sizeof(double) * (size_t)d->dim);
    memset(c->C, 0, sizeof(double) * 36 * (size_t)d->port_count);
    return tn_chain_factor(c->solved, c->H_D, c->H_E);
}

static void update(TnProblem *p, int index, double alpha)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    const TnChainKernels *kernels = tn_chain_kernels();
    int first = p->port_row + d->port_start;
    double(*wrench)[8] = p->F + first;
    if (!c->place)
        memset(c->x, 0, sizeof(double) * (size_t)d->dim); /* some nodes may have no port */
    for (int r = 0; r < c->run_count; r++) {
        int begin = c->runs[r].begin, end = c->runs[r].end;
        const int *at = c->port_at + begin, *place = c->port_place + begin;
        const double(*forces)[8] = (const double(*)[8])(wrench + begin);
        if (p->z && c->runs[r].told) {
            p->kernels->row_forces(&p->contact_sides, first + begin, first + end,
                                   (const double(*)[3])p->z, p->F);
            kernels->gather_told(end - begin, at, place, forces, c->pull, c->x);
        } else {
            tn_table_forces(p, first + begin, first + end);
            kernels->gather(end - begin, at, place, forces, c->pull, alpha, d->F, d->g, c->x);
        }
    }
    for (int i = 0; i < c->other_count; i++) {
        const TnSpan *node = &c->others[i];
        for (int k = 0; k < node->count; k++) {
            d->F[node->start + k] = 0.0;
            c->x[node->place + k] = c->pull[node->start + k] + d->g[node->start + k];
            d->g[node->start + k] *= 1.0 - alpha;
        }
    }
    tn_chain_push(p, index, alpha);
    tn_chain_solve(c->solved, c->H_D, c->H_E, c->x);
    tn_chain_spread(p, index, c->v_free, d->v, alpha, d->g);
}

static void solve_H(TnProblem *p, int index, double *force)
{
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    tn_chain_add_slack(p, index, d->v, force);
    memset(c->x, 0, sizeof(double) * (size_t)c->solved->dim);
    for (int s = 0; s < c->span_count; s++) {
        int start = c->spans[s].start;
        double *x = c->x + c->spans[s].place;
        for (int k = 0; k < c->spans[s].count; k++) x[k] = c->pull[start + k] + force[start + k];
    }
    tn_chain_solve(c->solved, c->H_D, c->H_E, c->x);
    for (int s = 0; s < c->span_count; s++) {
        int start = c->spans[s].start;
        const double *x = c->x + c->spans[s].place;
        for (int k = 0; k < c->spans[s].count; k++) d->v[start + k] = c->v_free[start + k] + x[k];
    }
    tn_ports_spread(p, d, d->v, p->twist);
}

/* Of all nodes: v = v_free + A⁻¹ f with f = S x on the kept ones. That holds A v = b + f on every
 * node, while the eliminated ones put beside what the iterations left in the others would not quite
 * fit them. */
static void finish(TnProblem *p, int index, TnPool *pool)
{
    (void)pool;
    const TnLargeBlock *d = &p->large[index];
    const TnChainBlock *c = tn_chain_block(d);
    const double *change = c->x;
    if (c->place) {
        double *f = c->work;
        memset(f, 0, sizeof(double) * (size_t)d->dim);
        tn_chain_multiply(c->solved, c->S_D, c->S_E, c->x, c->Sx);
        for (int s = 0; s < c->span_count; s++) {
            const TnSpan *span = &c->spans[s];
            memcpy(f + span->start, c->Sx + span->place, sizeof(double) * (size_t)span->count);
        }
        if (c->span_count) tn_chain_solve(c->chain, c->A_D, c->A_E, f);
        change = f;
    }
    for (int k = 0; k < d->dim; k++) d->v[k] = c->v_free[k] + change[k];
    if (c->place) tn_ports_spread(p, d, d->v, p->twist);
}

/* Of cables in pieces too many modes are slow. */
static bool accelerates(const TnProblem *p, const TnLargeBlock *d)
{
    (void)d;
    return !p->bond_count;
}

/* What six unknowns and the chain itself cost, in contacts. */
#define CONTACTS_PER_NODE 2
#define CONTACTS_PER_CHAIN 12

static TnBlockWork work(const TnLargeBlock *d)
{
    return (TnBlockWork){.iteration = CONTACTS_PER_CHAIN + CONTACTS_PER_NODE * d->solved / 6};
}

const TnBlockKind tn_block_chain = {.name = "chain",
                                    .size = sizeof(TnChainBlock),
                                    .grain = 1,
                                    .eliminates = true,
                                    .choose = tn_chain_choose,
                                    .reserve = tn_chain_reserve,
                                    .factor_A = factor_A,
                                    .factor_H = factor_H,
                                    .double_A = double_A,
                                    .update = update,
                                    .solve_H = solve_H,
                                    .finish = finish,
                                    .state = tn_chain_state,
                                    .accelerates = accelerates,
                                    .work = work,
                                    .solve_A = solve_A,
                                    .solve_S = solve_S,
                                    .factor_S = factor_missing_S,
                                    .side_compliance = side_compliance,
                                    .scale = scale,
                                    .trace = trace,
                                    .matrix = tn_chain_matrix,
                                    .nodes = tn_chain_nodes,
                                    .locate = tn_chain_locate,
                                    .write_node = tn_chain_write_node,
                                    .edge_block = tn_chain_edge_block};
