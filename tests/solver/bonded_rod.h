/* bonded_rod.h: a curved rod of segments with springs between neighbours, like a cable in a step of
 * 10 ms, cut into groups that bonds join. Every node has a port, node k port k. */
#ifndef TN_TESTS_BONDED_ROD_H
#define TN_TESTS_BONDED_ROD_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "random_problem.h"

typedef struct RodChoice {
    int nodes, group;     /* group = nodes: not cut */
    double stiffness;     /* 1: a soft cable, whose springs are about 40 times its inertia */
    bool twists;          /* groups of one are twist blocks instead of chains */
    bool contacts;        /* every third node lies on the ground, e = 0 */
    double contact_speed; /* e of the contacts along the normal */
} RodChoice;

typedef struct Spring {
    double K[12][12], f[12];
} Spring;

/* Inertia times 2/t in world axes, and the direction of node k. */
static inline void rod_node(int k, double S[9], double *a, double axis[3])
{
    const double length = 0.0075, radius = 0.004, mass = 3.8e-4, step = 0.01;
    double angle = 0.05 * k, turn = 0.3 * sin(0.02 * k);
    axis[0] = cos(angle) * cos(turn);
    axis[1] = sin(angle) * cos(turn);
    axis[2] = sin(turn);
    double along = 0.5 * mass * radius * radius,
           across = mass * (3 * radius * radius + length * length) / 12.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] =
                ((i == j ? across : 0.0) + (along - across) * axis[i] * axis[j]) * 2.0 / step;
    *a = mass * 2.0 / step;
}

/* Between nodes k and k + 1: strain rates in a frame along the rod. */
static inline void rod_spring(Random *r, int k, double stiffness, Spring *spring)
{
    const double length = 0.0075, step = 0.01, stretch = 670.0, shear = 200.0, bend = 2.7e-3,
                 twist = 1.8e-3;
    double S[9], a, axis[2][3], e[3][3], arm[3], G[6][12] = {{0}};
    rod_node(k, S, &a, axis[0]);
    rod_node(k + 1, S, &a, axis[1]);
    for (int i = 0; i < 3; i++) e[0][i] = axis[0][i] + axis[1][i];
    v3_normalize(e[0]);
    const double up[3] = {0.1, 0.2, 1.0};
    v3_cross(e[1], up, e[0]);
    v3_normalize(e[1]);
    v3_cross(e[2], e[0], e[1]);
    for (int i = 0; i < 3; i++) arm[i] = 0.5 * length * e[0][i];
    for (int row = 0; row < 3; row++) {
        double turn[3];
        v3_cross(turn, arm, e[row]); /* e·(ω × arm) = ω·(arm × e) */
        for (int i = 0; i < 3; i++) {
            G[row][i] = -e[row][i];
            G[row][3 + i] = -turn[i];
            G[row][6 + i] = e[row][i];
            G[row][9 + i] = -turn[i];
            G[3 + row][3 + i] = -e[row][i];
            G[3 + row][9 + i] = e[row][i];
        }
    }
    const double k6[6] = {stretch, shear, shear, twist, bend, bend};
    memset(spring, 0, sizeof *spring);
    for (int row = 0; row < 6; row++) {
        double weight = stiffness * k6[row] * step / 2.0,
               pull = 0.2 * uniform(r) * sqrt(k6[row] * (row < 3 ? 1e-4 : 1e-5));
        for (int i = 0; i < 12; i++) {
            spring->f[i] += G[row][i] * pull;
            for (int j = 0; j < 12; j++) spring->K[i][j] += weight * G[row][i] * G[row][j];
        }
    }
}

/* `count` nodes of six in a row; planned once, kept to the program's end. */
static inline const TnChain *line_of(int count)
{
    enum { KEPT = 16 };
    static TnChain chains[KEPT];
    static int dims[1000], edges[1000][2];
    for (int k = 0; k < 1000; k++) {
        dims[k] = 6;
        edges[k][0] = k;
        edges[k][1] = k + 1;
    }
    for (int i = 0; i < KEPT; i++) {
        if (!chains[i].node_count &&
            (count > 1000 ||
             !tn_chain_plan(&chains[i], count, dims, count - 1, (const int(*)[2])edges)))
            return NULL;
        if (chains[i].node_count == count) return &chains[i];
    }
    return NULL;
}

static inline bool set_line(TnProblem *p, int block, int count, int first_port, TnChainMatrix *out)
{
    const TnChain *chain = line_of(count);
    if (!chain) return false;
    TnChainMatrix matrix = {.D = TN_ARENA_ZERO(p->arena, double, chain->D_size),
                            .E = TN_ARENA_ZERO(p->arena, double, chain->E_size),
                            .b = TN_ARENA_ZERO(p->arena, double, chain->dim)};
    if (!matrix.D || !matrix.E || !matrix.b ||
        !tn_problem_set_chain(p, block, chain, matrix, first_port, count))
        return false;
    for (int k = 0; k < count; k++) tn_problem_set_node_port(p, first_port + k, block, k, NULL);
    *out = matrix;
    return true;
}

static inline bool bonded_rod(TnProblem *p, TnArena *arena, uint64_t seed, RodChoice c)
{
    Random r = {seed * 7919 + 5};
    int blocks = (c.nodes + c.group - 1) / c.group, touching = c.contacts ? (c.nodes + 2) / 3 : 0;
    bool twists = c.twists && c.group == 1;
    TnProblemSize size = {.twists = twists ? c.nodes : 0,
                          .larges = twists ? 0 : blocks,
                          .ports = twists ? 0 : c.nodes,
                          .contacts = touching,
                          .bonds = blocks - 1};
    if (!tn_problem_init(p, arena, size)) return false;
    TnChainMatrix *lines = TN_ARENA_NEW(arena, TnChainMatrix, blocks);
    if (!lines) return false;
    int first = twists ? 1 : p->port_row; /* row of node 0 */
    for (int i = 0; !twists && i < blocks; i++) {
        int start = i * c.group, count = c.nodes - start < c.group ? c.nodes - start : c.group;
        if (!set_line(p, i, count, start, &lines[i])) return false;
    }
    for (int k = 0; k < c.nodes; k++) {
        double S[9], a, axis[3], b[6], zero[6] = {0};
        rod_node(k, S, &a, axis);
        for (int i = 0; i < 6; i++)
            b[i] = (i < 3 ? a : S[0]) * (uniform(&r) - (i == 2 ? 0.5 : 0.0));
        if (twists) {
            tn_problem_set_twist(p, k, a, S, b, zero);
            continue;
        }
        const TnChainMatrix *own = &lines[k / c.group];
        int node = k % c.group;
        for (int i = 0; i < 3; i++) {
            own->D[36 * node + 7 * i] = a;
            for (int j = 0; j < 3; j++) own->D[36 * node + 6 * (3 + i) + 3 + j] = S[3 * i + j];
        }
        memcpy(own->b + 6 * node, b, sizeof b);
    }
    for (int k = 0; k + 1 < c.nodes; k++) {
        Spring spring;
        rod_spring(&r, k, c.stiffness, &spring);
        if ((k + 1) % c.group == 0) {
            TnBond *bond = &p->bonds[k / c.group];
            bond->row_a = first + k;
            bond->row_b = first + k + 1;
            memcpy(bond->K, spring.K, sizeof bond->K);
            memcpy(bond->f, spring.f, sizeof bond->f);
            continue;
        }
        const TnChainMatrix *own = &lines[k / c.group];
        int node = k % c.group;
        for (int i = 0; i < 6; i++) {
            own->b[6 * node + i] -= spring.f[i];
            own->b[6 * node + 6 + i] -= spring.f[6 + i];
            for (int j = 0; j < 6; j++) {
                own->D[36 * node + 6 * i + j] += spring.K[i][j];
                own->D[36 * node + 36 + 6 * i + j] += spring.K[6 + i][6 + j];
                own->E[36 * node + 6 * i + j] += spring.K[6 + i][j];
            }
        }
    }
    for (int i = 0; i < touching; i++) {
        const double arm[3] = {0.0, 0.0, -0.004}, zero[3] = {0}, up[3] = {0.0, 0.0, 1.0};
        const double e[3] = {0.0, 0.0, c.contact_speed};
        tn_problem_set_contact(p, i, 0, first + 3 * i, zero, arm, up, e, 0.5, zero);
    }
    return true;
}

/* √(Σ a |v - u|² + …) over the nodes, angular parts by their inertia: a distance in the norm of
 * mass. */
static inline double rod_distance(const TnProblem *p, const TnProblem *q, int nodes)
{
    double sum = 0.0;
    for (int k = 0; k < nodes; k++) {
        const double *v = p->twist[k + (p->twist_count ? 1 : p->port_row)];
        const double zero[8] = {0},
                     *u = q ? q->twist[k + (q->twist_count ? 1 : q->port_row)] : zero;
        double S[9], a, axis[3];
        rod_node(k, S, &a, axis);
        for (int i = 0; i < 3; i++) {
            sum += a * (v[i] - u[i]) * (v[i] - u[i]);
            for (int j = 0; j < 3; j++)
                sum += S[3 * i + j] * (v[4 + i] - u[4 + i]) * (v[4 + j] - u[4 + j]);
        }
    }
    return sqrt(sum);
}

#endif
