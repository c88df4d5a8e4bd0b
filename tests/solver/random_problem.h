/* random_problem.h: a random problem with all kinds of blocks and constraints: twist blocks, dense
 * blocks with ports, contacts between all of them and the world, equality, inequality, box and soft
 * rows, spin and rolling friction. random_chain_problem has chains as well. */
#ifndef TN_TESTS_RANDOM_PROBLEM_H
#define TN_TESTS_RANDOM_PROBLEM_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"
#include "math/vec3.h"
#include "solver/problem.h"

/* The defaults with a fixed number of iterations, for what calls SubADMM itself. */
static inline TnSolverDef fixed_count(void)
{
    TnSolverDef def = tn_solver_def();
    def.tolerance = 0.0;
    return def;
}

enum { DENSE = 3, PORTS_EACH = 2, DENSE_DIM = 5 };

/* A = I + XᵀX, n × n. */
static inline void random_spd(Random *r, double *A, int n)
{
    double X[64];
    for (int i = 0; i < n * n; i++) X[i] = uniform(r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = i == j ? 1.0 : 0.0;
            for (int k = 0; k < n; k++) A[i * n + j] += X[k * n + i] * X[k * n + j];
        }
}

static inline int random_row(Random *r, int twists, int port_row)
{
    int ports = DENSE * PORTS_EACH, pick = (int)(fabs(uniform(r)) * (twists + ports + 1));
    return pick <= twists ? pick : port_row + pick - twists - 1;
}

/* Rows between block i and block j (j < 0: one side only). */
static inline void random_side(Random *r, TnProblem *p, int *side, int *entry, int block)
{
    int dim = block < p->twist_count ? 6 : DENSE_DIM;
    p->sides[*side] = (TnRowSide){.block = block, .start = *entry, .count = dim};
    for (int k = 0; k < dim; k++, (*entry)++) {
        p->index[*entry] = k;
        p->coefficient[*entry] = uniform(r);
    }
    p->rows[p->row_count].side_count++;
    (*side)++;
}

static inline bool random_problem(TnProblem *p, TnArena *arena, uint64_t seed, int twists,
                                  int contacts, int rows)
{
    Random r = {seed * 7919 + 17};
    TnProblemSize size = {twists, DENSE,    DENSE * PORTS_EACH, contacts,
                          rows,   2 * rows, 12 * rows,          0};
    if (!tn_problem_init(p, arena, size)) return false;
    for (int i = 0; i < twists; i++) {
        double S[9], b[6], v[6];
        random_spd(&r, S, 3);
        for (int k = 0; k < 6; k++) b[k] = 3.0 * uniform(&r), v[k] = uniform(&r);
        tn_problem_set_twist(p, i, 1.5 + uniform(&r), S, b, v);
    }
    for (int i = 0; i < DENSE; i++) {
        if (!tn_problem_set_dense(p, i, DENSE_DIM, i * PORTS_EACH, PORTS_EACH)) return false;
        random_spd(&r, tn_problem_dense_A(p, i), DENSE_DIM);
        for (int k = 0; k < DENSE_DIM; k++)
            p->large[i].b[k] = 3.0 * uniform(&r), p->large[i].v[k] = uniform(&r);
        for (int k = 0; k < PORTS_EACH; k++) {
            if (!tn_problem_set_port(p, i * PORTS_EACH + k, i)) return false;
            for (int j = 0; j < 6 * DENSE_DIM; j++) p->ports[i * PORTS_EACH + k].T[j] = uniform(&r);
        }
    }
    for (int c = 0; c < contacts; c++) {
        double arm_a[3], arm_b[3], n[3], e[3], lambda[3];
        int a = random_row(&r, twists, p->port_row), b = random_row(&r, twists, p->port_row);
        while (b == a) b = random_row(&r, twists, p->port_row);
        for (int k = 0; k < 3; k++) {
            arm_a[k] = uniform(&r), arm_b[k] = uniform(&r), n[k] = uniform(&r),
            e[k] = 0.3 * uniform(&r), lambda[k] = 0.2 * uniform(&r);
        }
        v3_normalize(n);
        tn_problem_set_contact(p, c, a, b, arm_a, arm_b, n, e, 0.5, lambda);
    }
    int side = 0, entry = 0, blocks = twists + DENSE;
    int one = 0, two = 0;
    static const TnRowSet sets[] = {TN_ROW_EQUALITY,    TN_ROW_INEQUALITY, TN_ROW_SOFT,
                                    TN_ROW_BOX,         TN_ROW_SPIN,       TN_ROW_ROLL,
                                    TN_ROW_ROLL_PARTNER};
    for (p->row_count = 0; p->row_count < rows; p->row_count++) {
        TnRow *row = &p->rows[p->row_count];
        *row = (TnRow){.set = sets[p->row_count % 7],
                       .side_start = side,
                       .contact = contacts ? p->row_count % contacts : 0,
                       .e = 0.3 * uniform(&r),
                       .k = 2.0,
                       .alpha = 0.7,
                       .lower = -0.4,
                       .upper = 0.3,
                       .mu = 0.2};
        if (row->set == TN_ROW_ROLL_PARTNER) row->contact = row[-1].contact;
        if (row->set != TN_ROW_ROLL_PARTNER) {
            one = (int)(fabs(uniform(&r)) * blocks);
            two = (one + 1 + p->row_count) % blocks;
        }
        random_side(&r, p, &side, &entry, one);
        if (two != one) random_side(&r, p, &side, &entry, two);
        row->t = row->lambda = 0.1 * uniform(&r);
    }
    p->side_count = side;
    p->entry_count = entry;
    return true;
}

/* ---- with chains ---- */

enum { CHAINS = 6, MOST_NODES = 9, LARGEST_CHAIN = 64 };
typedef struct ChainShape {
    int node_count, dims[MOST_NODES];
    int edge_count, edges[MOST_NODES - 1][2];
} ChainShape;
static const ChainShape chain_shapes[CHAINS] = {
    {9,
     {6, 6, 6, 6, 6, 6, 6, 6, 6},
     8,
     {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}}},
    {1, {6}, 0, {{0}}},
    {4, {6, 6, 6, 6}, 3, {{0, 1}, {1, 2}, {2, 3}}},
    /* two robots hold a cable */
    {7, {10, 6, 6, 6, 6, 6, 7}, 6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}},
    /* one holds a cable in its middle; the robot comes last */
    {8, {6, 6, 6, 6, 6, 6, 6, 9}, 7, {{0, 1}, {1, 2}, {2, 7}, {3, 7}, {3, 4}, {4, 5}, {5, 6}}},
    /* a hub with three arms, one of them ending in a small node, and a second tree */
    {9, {8, 6, 6, 6, 3, 6, 6, 4, 6}, 7, {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {0, 5}, {5, 6}, {7, 8}}},
};

/* Planned once; they live as long as the program. */
static inline const TnChain *chain_of(int shape)
{
    static TnChain chains[CHAINS];
    const ChainShape *s = &chain_shapes[shape];
    if (!chains[shape].plan &&
        !tn_chain_plan(&chains[shape], s->node_count, s->dims, s->edge_count, s->edges))
        abort();
    return &chains[shape];
}

typedef struct ChainChoice {
    bool full; /* the same problem with the chains' matrices as dense ones */
    int reach; /* rows on a chain touch a node (0), or that and one across an edge (NEAR), or that,
                  the one so many behind it and the one before it (FAR) */
    int twists, contacts, rows;
    int world;        /* every so many contacts are with the fixed world; 0: as chance has it */
    double stiffness; /* of the springs between nodes; masses are about 1 */
} ChainChoice;
enum { NEAR = 1, FAR = 3 };

/* I + Σ XᵀkX with X of six rows over the two nodes of an edge. */
static inline void random_chain(Random *r, const TnChain *chain, double stiffness, double *D,
                                double *E)
{
    memset(D, 0, sizeof(double) * chain->D_size);
    memset(E, 0, sizeof(double) * chain->E_size);
    for (int k = 0; k < chain->node_count; k++)
        for (int i = 0; i < chain->nodes[k].dim; i++)
            D[chain->nodes[k].D + (size_t)(i * (chain->nodes[k].dim + 1))] = 1.0;
    for (int e = 0; e < chain->edge_count; e++) {
        const TnChainNode *a = &chain->nodes[chain->edges[e].a],
                          *b = &chain->nodes[chain->edges[e].b];
        for (int row = 0; row < 6; row++) {
            double X[LARGEST_CHAIN], Y[LARGEST_CHAIN];
            for (int i = 0; i < a->dim; i++) X[i] = uniform(r);
            for (int i = 0; i < b->dim; i++) Y[i] = uniform(r);
            for (int i = 0; i < a->dim; i++)
                for (int j = 0; j < a->dim; j++)
                    D[a->D + (size_t)(i * a->dim + j)] += stiffness * X[i] * X[j];
            for (int i = 0; i < b->dim; i++)
                for (int j = 0; j < b->dim; j++)
                    D[b->D + (size_t)(i * b->dim + j)] += stiffness * Y[i] * Y[j];
            for (int i = 0; i < b->dim; i++)
                for (int j = 0; j < a->dim; j++)
                    E[chain->edges[e].E + (size_t)(i * a->dim + j)] += stiffness * Y[i] * X[j];
        }
    }
}

static inline void fill_full(double *A, const TnChain *chain, const double *D, const double *E)
{
    int n = chain->dim;
    for (int k = 0; k < chain->node_count; k++) {
        const TnChainNode *at = &chain->nodes[k];
        for (int i = 0; i < at->dim; i++)
            for (int j = 0; j < at->dim; j++)
                A[(at->start + i) * n + at->start + j] = D[at->D + (size_t)(i * at->dim + j)];
    }
    for (int e = 0; e < chain->edge_count; e++) {
        const TnChainNode *a = &chain->nodes[chain->edges[e].a],
                          *b = &chain->nodes[chain->edges[e].b];
        for (int i = 0; i < b->dim; i++)
            for (int j = 0; j < a->dim; j++)
                A[(b->start + i) * n + a->start + j] = A[(a->start + j) * n + b->start + i] =
                    E[chain->edges[e].E + (size_t)(i * a->dim + j)];
    }
}

static inline bool random_node_port(Random *r, TnProblem *p, int port, int block, int node,
                                    bool full)
{
    const TnChainNode *at = &chain_of(block - 1)->nodes[node];
    int n = p->large[block].dim, m = at->dim;
    double *T = TN_ARENA_ZERO(p->arena, double, 6 * m);
    if (!T) return false;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < m; j++) T[i * m + j] = m == 6 ? (i == j) : uniform(r);
    if (!full) return tn_problem_set_node_port(p, port, block, node, m == 6 ? NULL : T);
    if (!tn_problem_set_port(p, port, block)) return false;
    for (int i = 0; i < 6; i++)
        memcpy(p->ports[port].T + i * n + at->start, T + i * m, sizeof(double) * (size_t)m);
    return true;
}

/* Large block 0 is dense; the chains follow, with a port at every second node. */
static inline bool random_large_blocks(Random *r, TnProblem *p, ChainChoice choice)
{
    int port = 2;
    if (!tn_problem_set_dense(p, 0, DENSE_DIM, 0, 2)) return false;
    random_spd(r, tn_problem_dense_A(p, 0), DENSE_DIM);
    for (int k = 0; k < 2; k++) {
        if (!tn_problem_set_port(p, k, 0)) return false;
        for (int j = 0; j < 6 * DENSE_DIM; j++) p->ports[k].T[j] = uniform(r);
    }
    for (int i = 1; i <= CHAINS; i++) {
        const TnChain *chain = chain_of(i - 1);
        int m = chain->node_count, count = (m + 1) / 2;
        TnChainMatrix matrix = {.D = TN_ARENA_NEW(p->arena, double, chain->D_size),
                                .E = TN_ARENA_NEW(p->arena, double, chain->E_size),
                                .b = TN_ARENA_NEW(p->arena, double, chain->dim)};
        if (!matrix.D || !matrix.E || !matrix.b) return false;
        random_chain(r, chain, choice.stiffness, matrix.D, matrix.E);
        if (choice.full ? !tn_problem_set_dense(p, i, chain->dim, port, count)
                        : !tn_problem_set_chain(p, i, chain, matrix, port, count))
            return false;
        if (choice.full) fill_full(tn_problem_dense_A(p, i), chain, matrix.D, matrix.E);
        for (int node = 0; node < m; node += 2, port++)
            if (!random_node_port(r, p, port, i, node, choice.full)) return false;
    }
    for (int i = 0; i <= CHAINS; i++)
        for (int k = 0; k < p->large[i].dim; k++)
            p->large[i].b[k] = 3.0 * uniform(r), p->large[i].v[k] = uniform(r);
    return true;
}

static inline void random_node_entries(Random *r, TnProblem *p, int *entry, const TnChainNode *node)
{
    for (int k = 0; k < node->dim; k++, (*entry)++) {
        p->index[*entry] = node->start + k;
        p->coefficient[*entry] = uniform(r);
    }
}

/* A side on one node of a chain, or on more as `reach` says where there are more. */
static inline void random_chain_side(Random *r, TnProblem *p, int *side, int *entry, int shape,
                                     int reach)
{
    const TnChain *chain = chain_of(shape);
    int m = chain->node_count, node = (int)(fabs(uniform(r)) * m), second = node + reach,
        start = *entry;
    if (reach == NEAR && chain->edge_count) {
        int e = (int)(fabs(uniform(r)) * chain->edge_count);
        node = chain->edges[e].b;
        second = chain->edges[e].a;
    }
    random_node_entries(r, p, entry, &chain->nodes[node]);
    if (reach == FAR && node > 0) random_node_entries(r, p, entry, &chain->nodes[node - 1]);
    if (second != node && second < m) random_node_entries(r, p, entry, &chain->nodes[second]);
    p->sides[(*side)++] =
        (TnRowSide){.block = p->twist_count + 1 + shape, .start = start, .count = *entry - start};
    p->rows[p->row_count].side_count++;
}

/* Every row has a side on a chain and most a second one on a twist block or the dense block. */
static inline bool random_chain_problem(TnProblem *p, TnArena *arena, uint64_t seed, ChainChoice c)
{
    Random r = {seed * 104729 + 3};
    int ports = 2, rows = c.rows, contacts = c.contacts;
    for (int i = 0; i < CHAINS; i++) ports += (chain_of(i)->node_count + 1) / 2;
    TnProblemSize size = {c.twists, 1 + CHAINS, ports, contacts, rows, 2 * rows, 36 * rows, 0};
    if (!tn_problem_init(p, arena, size)) return false;
    for (int i = 0; i < c.twists; i++) {
        double S[9], b[6], v[6];
        random_spd(&r, S, 3);
        for (int k = 0; k < 6; k++) b[k] = 3.0 * uniform(&r), v[k] = uniform(&r);
        tn_problem_set_twist(p, i, 1.5 + uniform(&r), S, b, v);
    }
    if (!random_large_blocks(&r, p, c)) return false;
    for (int i = 0; i < contacts; i++) {
        double arm_a[3], arm_b[3], n[3], e[3], lambda[3];
        /* half of all contacts between ports, so some between nodes of one chain */
        int b = p->port_row + (int)(fabs(uniform(&r)) * ports), a = b;
        if (c.world && i % c.world == 0) a = 0;
        while (a == b) {
            int pick = (int)(fabs(uniform(&r)) * 2 * ports);
            a = pick < ports ? p->port_row + pick : (pick - ports) % (c.twists + 1);
        }
        for (int k = 0; k < 3; k++) {
            arm_a[k] = uniform(&r), arm_b[k] = uniform(&r), n[k] = uniform(&r),
            e[k] = 0.3 * uniform(&r), lambda[k] = 0.2 * uniform(&r);
        }
        v3_normalize(n);
        tn_problem_set_contact(p, i, a, b, arm_a, arm_b, n, e, 0.5, lambda);
    }
    int side = 0, entry = 0, chain = 0, other = 0;
    static const TnRowSet sets[] = {TN_ROW_EQUALITY,    TN_ROW_INEQUALITY, TN_ROW_SOFT,
                                    TN_ROW_BOX,         TN_ROW_SPIN,       TN_ROW_ROLL,
                                    TN_ROW_ROLL_PARTNER};
    for (p->row_count = 0; p->row_count < rows; p->row_count++) {
        TnRow *row = &p->rows[p->row_count];
        *row = (TnRow){.set = sets[p->row_count % 7],
                       .side_start = side,
                       .contact = contacts ? p->row_count % contacts : 0,
                       .e = 0.3 * uniform(&r),
                       .k = 2.0,
                       .alpha = 0.7,
                       .lower = -0.4,
                       .upper = 0.3,
                       .mu = 0.2};
        if (row->set == TN_ROW_ROLL_PARTNER) {
            row->contact = row[-1].contact;
        } else {
            chain = p->row_count % CHAINS;
            other = (int)(fabs(uniform(&r)) * (c.twists + 2)); /* the last: no second side */
        }
        random_chain_side(&r, p, &side, &entry, chain, c.reach);
        if (other <= c.twists) random_side(&r, p, &side, &entry, other);
        row->t = row->lambda = 0.1 * uniform(&r);
    }
    p->side_count = side;
    p->entry_count = entry;
    return true;
}

/* Of velocities and forces. */
static inline double largest_difference(const TnProblem *a, const TnProblem *b)
{
    double worst = 0.0;
    for (int r = 0; r < a->table_rows; r++)
        for (int k = 0; k < 8; k++) worst = fmax(worst, fabs(a->twist[r][k] - b->twist[r][k]));
    for (int i = 0; i < a->large_count; i++)
        for (int k = 0; k < a->large[i].dim; k++)
            worst = fmax(worst, fabs(a->large[i].v[k] - b->large[i].v[k]));
    for (int c = 0; c < a->contact_count; c++)
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a->lambda[c][k] - b->lambda[c][k]));
    for (int r = 0; r < a->row_count; r++)
        worst = fmax(worst, fabs(a->rows[r].lambda - b->rows[r].lambda));
    for (int i = 0; i < a->bond_count; i++)
        for (int k = 0; k < 12; k++)
            worst = fmax(worst, fabs(a->bonds[i].lambda[k] - b->bonds[i].lambda[k]));
    return worst;
}

#endif
