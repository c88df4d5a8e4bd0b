/* chain_lanes.h: chain_kernels.h in vectors of four. What a run hands from node to node stays in
 * registers; of the two runs of an operation one computes while the other waits for its last
 * product. */
#ifndef TN_LANES_CHAIN_LANES_H
#define TN_LANES_CHAIN_LANES_H

#include <string.h>

#include "../../chain_six.h"
#include "../chain_kernels.h"
#include "shuffle.h"

typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double v2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long i4 __attribute__((vector_size(32)));

/* Six numbers: 0 1 2 3, and 4 5 4 5. */
typedef struct Six {
    v4 a, b;
} Six;

static inline void load(Six *x, const double *p)
{
    v4 end = *(const v4 *)(p + 2);
    x->a = *(const v4 *)p;
    x->b = SHUFFLE(i4, end, end, 2, 3, 2, 3);
}

static inline void store(double *p, const Six *x)
{
    *(v4 *)p = x->a;
    *(v2 *)(p + 4) = (v2){x->b[0], x->b[1]};
}

/* y = M x for a block M in fours; t0 = 0 1 0 1, t1 = 2 3 2 3 of x */
static inline void product_of(Six *y, const double *M, const v4 *t0, const v4 *t1, const Six *x)
{
    const v4 *m = (const v4 *)M;
    v4 p = m[0] * *t0 + m[1] * *t1 + m[2] * x->b; /* rows 0 0 2 2 */
    v4 q = m[3] * *t0 + m[4] * *t1 + m[5] * x->b; /* rows 1 1 3 3 */
    v4 r = m[6] * *t0 + m[7] * *t1 + m[8] * x->b; /* rows 4 4 5 5 */
    y->a = SHUFFLE(i4, p, q, 0, 4, 2, 6) + SHUFFLE(i4, p, q, 1, 5, 3, 7);
    r += SHUFFLE(i4, r, r, 1, 0, 3, 2);
    y->b = SHUFFLE(i4, r, r, 0, 2, 0, 2);
}

/* x_k is in `at`, and x_n there afterwards; S⁻¹ x_k is written. */
static inline void forward_step(Six *at, const double *S, const double *L, double *x,
                                const double *next)
{
    v4 t0 = SHUFFLE(i4, at->a, at->a, 0, 1, 0, 1), t1 = SHUFFLE(i4, at->a, at->a, 2, 3, 2, 3);
    Six moved, solved, parent;
    load(&parent, next);
    product_of(&moved, L, &t0, &t1, at);
    product_of(&solved, S, &t0, &t1, at);
    store(x, &solved);
    at->a = parent.a - moved.a;
    at->b = parent.b - moved.b;
}

/* x_n is in `at`, and x_k there and at x afterwards. */
static inline void backward_step(Six *at, const double *L, double *x)
{
    const v4 *m = (const v4 *)L;
    v4 u0 = SHUFFLE(i4, at->a, at->a, 0, 0, 2, 2), u1 = SHUFFLE(i4, at->a, at->a, 1, 1, 3, 3),
       u2 = SHUFFLE(i4, at->b, at->b, 0, 0, 3, 3);
    v4 p = m[0] * u0 + m[3] * u1 + m[6] * u2; /* columns 0 1 0 1 */
    v4 q = m[1] * u0 + m[4] * u1 + m[7] * u2; /* columns 2 3 2 3 */
    v4 r = m[2] * u0 + m[5] * u1 + m[8] * u2; /* columns 4 5 4 5 */
    Six old;
    load(&old, x);
    at->a = old.a - (SHUFFLE(i4, p, q, 0, 1, 4, 5) + SHUFFLE(i4, p, q, 2, 3, 6, 7));
    at->b = old.b - (r + SHUFFLE(i4, r, r, 2, 3, 0, 1));
    store(x, at);
}

static void forward(const TnChainOp *op, const double *D, const double *E, double *x)
{
    TnChainRun a = op->runs[0], b = op->runs[1];
    Six at_a, at_b;
    load(&at_a, x + a.x);
    if (op->run_count == 1) {
        for (int i = 0; i < op->count; i++, a.x += a.dx, a.D += a.dD, a.E += a.dE)
            forward_step(&at_a, D + a.D, E + a.E, x + a.x, x + a.x + a.dx);
        store(x + a.x, &at_a);
        return;
    }
    load(&at_b, x + b.x);
    for (int i = 0; i < op->count; i++) {
        forward_step(&at_a, D + a.D, E + a.E, x + a.x, x + a.x + a.dx);
        forward_step(&at_b, D + b.D, E + b.E, x + b.x, x + b.x + b.dx);
        a.x += a.dx, a.D += a.dD, a.E += a.dE;
        b.x += b.dx, b.D += b.dD, b.E += b.dE;
    }
    store(x + a.x, &at_a);
    store(x + b.x, &at_b);
}

static void backward(const TnChainOp *op, const double *E, double *x)
{
    TnChainRun a = op->runs[0], b = op->runs[1];
    int n = op->count;
    Six at_a, at_b;
    a.x += n * a.dx, a.E += n * a.dE;
    load(&at_a, x + a.x);
    if (op->run_count == 1) {
        for (int i = 0; i < n; i++) {
            a.x -= a.dx, a.E -= a.dE;
            backward_step(&at_a, E + a.E, x + a.x);
        }
        return;
    }
    b.x += n * b.dx, b.E += n * b.dE;
    load(&at_b, x + b.x);
    for (int i = 0; i < n; i++) {
        a.x -= a.dx, a.E -= a.dE;
        b.x -= b.dx, b.E -= b.dE;
        backward_step(&at_a, E + a.E, x + a.x);
        backward_step(&at_b, E + b.E, x + b.x);
    }
}

/* ---- nodes in a solver's table of twists ---- */

static void gather(int count, const int *at, const double (*wrench)[8], double *F)
{
    for (int k = 0; k < count; k++) {
        if (at[k] < 0) continue;
        const v4 *w = (const v4 *)wrench[k];
        double *f = F + at[k];
        *(v4 *)f += SHUFFLE(i4, w[0], w[1], 0, 1, 2, 4);
        *(v2 *)(f + 4) += *(const v2 *)(wrench[k] + 5);
    }
}

static void spread(int count, const int *at, const double *v, double (*twist)[8], const double *K,
                   double scale, double *g)
{
    const v4 zero = {0};
    for (int k = 0; k < count; k++) {
        if (at[k] < 0) continue;
        Six x, y, old;
        load(&x, v + at[k]);
        v4 t0 = SHUFFLE(i4, x.a, x.a, 0, 1, 0, 1), t1 = SHUFFLE(i4, x.a, x.a, 2, 3, 2, 3);
        v4 end = SHUFFLE(i4, x.a, x.b, 3, 4, 5, 3);
        *(v4 *)twist[k] = SHUFFLE(i4, x.a, zero, 0, 1, 2, 4);
        *(v4 *)(twist[k] + 4) = SHUFFLE(i4, end, zero, 0, 1, 2, 4);
        product_of(&y, K + 36L * k, &t0, &t1, &x);
        load(&old, g + at[k]);
        old.a += scale * y.a;
        old.b += scale * y.b;
        store(g + at[k], &old);
    }
}

static void mix(int n, const double *restrict b, const double *restrict F, double alpha,
                double *restrict g, double *restrict v)
{
    for (int k = 0; k < n; k++) {
        double old = g[k], f = F[k];
        v[k] = b[k] + old + 2.0 * f;
        g[k] = (1.0 - alpha) * old - alpha * f;
    }
}

static bool eliminate_six(double *S, double *next, double *E, bool transposed)
{
    double inverse[36], L[36];
    memcpy(inverse, S, sizeof inverse);
    memcpy(L, E, sizeof L);
    if (!eliminate(inverse, next, L, transposed)) return false;
    tn_six_pack(S, inverse);
    tn_six_pack(E, L);
    return true;
}

#endif
