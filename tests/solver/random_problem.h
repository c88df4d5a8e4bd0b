/* random_problem.h: a random problem with all kinds of blocks and constraints: twist blocks, dense
 * blocks with ports, contacts between all of them and the world, equality, inequality, box and soft
 * rows, spin and rolling friction. */
#ifndef TN_TESTS_RANDOM_PROBLEM_H
#define TN_TESTS_RANDOM_PROBLEM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/vec3.h"
#include "solver/problem.h"

typedef struct Random {
    uint64_t state;
} Random;

static inline double uniform(Random *r) /* in (-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(r->state >> 11) / (double)(1ull << 52) - 1.0;
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
    TnProblemSize size = {twists, DENSE, DENSE * PORTS_EACH, contacts, rows, 2 * rows, 12 * rows};
    if (!tn_problem_init(p, arena, size)) return false;
    for (int i = 0; i < twists; i++) {
        double S[9], b[6], v[6];
        random_spd(&r, S, 3);
        for (int k = 0; k < 6; k++) b[k] = 3.0 * uniform(&r), v[k] = uniform(&r);
        tn_problem_set_twist(p, i, 1.5 + uniform(&r), S, b, v);
    }
    for (int i = 0; i < DENSE; i++) {
        if (!tn_problem_set_dense(p, i, DENSE_DIM, i * PORTS_EACH, PORTS_EACH)) return false;
        random_spd(&r, p->dense[i].A, DENSE_DIM);
        for (int k = 0; k < DENSE_DIM; k++)
            p->dense[i].b[k] = 3.0 * uniform(&r), p->dense[i].v[k] = uniform(&r);
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

#endif
