/* chain_lanes.h: chain_kernels.h in vectors of four. What a run hands from node to node stays in
 * registers; of the two runs of an operation one computes while the other waits for its last
 * product. */
#ifndef TN_LANES_CHAIN_LANES_H
#define TN_LANES_CHAIN_LANES_H

#include <math.h>

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

/* 0 1 0 1 and 2 3 2 3 */
static inline void tile(v4 t[2], const Six *x)
{
    t[0] = SHUFFLE(i4, x->a, x->a, 0, 1, 0, 1);
    t[1] = SHUFFLE(i4, x->a, x->a, 2, 3, 2, 3);
}

/* From rows 0 0 2 2, 1 1 3 3 and 4 4 5 5 of a sum in two halves each. */
static inline void fold(Six *y, v4 p, v4 q, v4 r)
{
    y->a = SHUFFLE(i4, p, q, 0, 4, 2, 6) + SHUFFLE(i4, p, q, 1, 5, 3, 7);
    r += SHUFFLE(i4, r, r, 1, 0, 3, 2);
    y->b = SHUFFLE(i4, r, r, 0, 2, 0, 2);
}

/* y = M x for a block M in fours and x in tiles */
static inline void product_of(Six *y, const double *M, const v4 t[2], const Six *x)
{
    const v4 *m = (const v4 *)M;
    fold(y, m[0] * t[0] + m[1] * t[1] + m[2] * x->b, m[3] * t[0] + m[4] * t[1] + m[5] * x->b,
         m[6] * t[0] + m[7] * t[1] + m[8] * x->b);
}

/* x_k is in `at`, and x_n there afterwards; S⁻¹ x_k is written. The sums begin with x_n: what comes
 * last is what the next step waits for. */
static inline void forward_step(Six *at, const double *S, const double *L, double *x,
                                const double *next)
{
    const v4 *m = (const v4 *)L, zero = {0};
    v4 n = *(const v4 *)next, end = *(const v4 *)(next + 2), t[2];
    Six solved;
    tile(t, at);
    product_of(&solved, S, t, at);
    store(x, &solved);
    v4 p = SHUFFLE(i4, n, zero, 0, 5, 2, 7), q = SHUFFLE(i4, n, zero, 1, 5, 3, 7),
       r = SHUFFLE(i4, end, zero, 2, 5, 3, 7);
    fold(at, p - m[0] * t[0] - m[1] * t[1] - m[2] * at->b,
         q - m[3] * t[0] - m[4] * t[1] - m[5] * at->b,
         r - m[6] * t[0] - m[7] * t[1] - m[8] * at->b);
}

/* x_n is in `at`, and x_k there and at x afterwards. */
static inline void backward_step(Six *at, const double *L, double *x)
{
    const v4 *m = (const v4 *)L, zero = {0};
    v4 u0 = SHUFFLE(i4, at->a, at->a, 0, 0, 2, 2), u1 = SHUFFLE(i4, at->a, at->a, 1, 1, 3, 3),
       u2 = SHUFFLE(i4, at->b, at->b, 0, 0, 3, 3);
    v4 old = *(const v4 *)x, end = *(const v4 *)(x + 2);
    v4 p = SHUFFLE(i4, old, zero, 0, 1, 4, 4), q = SHUFFLE(i4, old, zero, 2, 3, 4, 4),
       r = SHUFFLE(i4, end, zero, 2, 3, 4, 4);
    p = p - m[0] * u0 - m[3] * u1 - m[6] * u2; /* columns 0 1 0 1 */
    q = q - m[1] * u0 - m[4] * u1 - m[7] * u2; /* columns 2 3 2 3 */
    r = r - m[2] * u0 - m[5] * u1 - m[8] * u2; /* columns 4 5 4 5 */
    at->a = SHUFFLE(i4, p, q, 0, 1, 4, 5) + SHUFFLE(i4, p, q, 2, 3, 6, 7);
    at->b = r + SHUFFLE(i4, r, r, 2, 3, 0, 1);
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

static inline void write_twist(const Six *x, double twist[8])
{
    const v4 zero = {0};
    v4 end = SHUFFLE(i4, x->a, x->b, 3, 4, 5, 3);
    *(v4 *)twist = SHUFFLE(i4, x->a, zero, 0, 1, 2, 4);
    *(v4 *)(twist + 4) = SHUFFLE(i4, end, zero, 0, 1, 2, 4);
}

/* twist = x, g += scale K x */
static inline void spread_node(const Six *x, double twist[8], const double *K, double scale,
                               double *g)
{
    Six y, old;
    v4 t[2];
    write_twist(x, twist);
    tile(t, x);
    product_of(&y, K, t, x);
    load(&old, g);
    old.a += scale * y.a;
    old.b += scale * y.b;
    store(g, &old);
}

static void spread(int count, const int *at, const int *place, const double *x,
                   const double *v_free, double *v, double (*twist)[8], const double *K,
                   double scale, double *g)
{
    for (int k = 0; k < count; k++) {
        if (at[k] < 0) continue;
        Six sum, free;
        load(&sum, x + place[k]);
        load(&free, v_free + at[k]);
        sum.a += free.a;
        sum.b += free.b;
        store(v + at[k], &sum);
        spread_node(&sum, twist[k], K + 36L * k, scale, g + at[k]);
    }
}

static void spread_told(int count, const int *at, const int *place, const double *x,
                        const double *v_free, double *v, double (*twist)[8])
{
    for (int k = 0; k < count; k++) {
        Six sum, free;
        load(&sum, x + place[k]);
        load(&free, v_free + at[k]);
        sum.a += free.a;
        sum.b += free.b;
        store(v + at[k], &sum);
        write_twist(&sum, twist[k]);
    }
}

static void gather_told(int count, const int *at, const int *place, const double (*wrench)[8],
                        const double *b, double *x)
{
    for (int k = 0; k < count; k++) {
        const v4 *w = (const v4 *)wrench[k];
        const double *b_k = b + at[k];
        double *x_k = x + place[k];
        *(v4 *)x_k = *(const v4 *)b_k + SHUFFLE(i4, w[0], w[1], 0, 1, 2, 4);
        *(v2 *)(x_k + 4) = *(const v2 *)(b_k + 4) + *(const v2 *)(wrench[k] + 5);
    }
}

static void gather(int count, const int *at, const int *place, const double (*wrench)[8],
                   const double *b, double alpha, double *F, double *g, double *x)
{
    for (int k = 0; k < count; k++) {
        if (at[k] < 0) continue;
        const v4 *w = (const v4 *)wrench[k];
        v4 f = SHUFFLE(i4, w[0], w[1], 0, 1, 2, 4);
        v2 f_end = *(const v2 *)(wrench[k] + 5);
        const double *b_k = b + at[k];
        double *F_k = F + at[k], *g_k = g + at[k], *x_k = x + place[k];
        v4 old = *(v4 *)g_k;
        v2 old_end = *(v2 *)(g_k + 4);
        *(v4 *)F_k = f;
        *(v2 *)(F_k + 4) = f_end;
        *(v4 *)x_k = *(const v4 *)b_k + old + 2.0 * f;
        *(v2 *)(x_k + 4) = *(const v2 *)(b_k + 4) + old_end + 2.0 * f_end;
        *(v4 *)g_k = (1.0 - alpha) * old - alpha * f;
        *(v2 *)(g_k + 4) = (1.0 - alpha) * old_end - alpha * f_end;
    }
}

/* ---- factorization ---- */

/* Column k of [S; C; I], or [S; C; G] where I is wanted for nothing, whose elimination by columns
 * of S gives [S̃; Y; X] with S = S̃ diag(d) S̃ᵀ, C S⁻¹ = Y diag(d) Xᵀ, S⁻¹ = X diag(d) Xᵀ, C S⁻¹ Cᵀ =
 * Y diag(d) Yᵀ and d the inverse pivots. */
typedef struct Column {
    v4 s0, s1;  /* S: 0 1 2 3, 4 5 - - */
    v4 c, i, m; /* C: 0 1 2 3, I or G: 0 1 2 3, then 4 5 of C and 4 5 of the other */
} Column;

static inline void load_columns(Column *columns, const double *S, const double *C_transposed)
{
    for (int k = 0; k < 6; k++) {
        const double *s = S + 6 * k, *c = C_transposed + 6 * k;
        v4 s_end = *(const v4 *)(s + 2);
        columns[k].s0 = *(const v4 *)s;
        columns[k].s1 = SHUFFLE(i4, s_end, s_end, 2, 3, 2, 3);
        columns[k].c = *(const v4 *)c;
        columns[k].i = (v4){k == 0, k == 1, k == 2, k == 3};
        columns[k].m = (v4){c[4], c[5], k == 4, k == 5};
    }
}

static inline double entry(const Column *column, int i)
{
    return i < 4 ? column->s0[i & 3] : column->s1[i & 1];
}

static inline void transpose(double *restrict T, const double *restrict M)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) T[6 * i + j] = M[6 * j + i];
}

/* False where the pivot is not positive. */
static inline bool eliminate_column(Column *columns, double *d, int k)
{
    double pivot = entry(&columns[k], k);
    if (!(pivot > 0.0 && pivot < INFINITY)) return false; /* NaN too */
    d[k] = 1.0 / pivot;
    for (int j = k + 1; j < 6; j++) {
        double f = entry(&columns[k], j) * d[k];
        if (j < 4) columns[j].s0 -= f * columns[k].s0;
        columns[j].s1 -= f * columns[k].s1;
        columns[j].c -= f * columns[k].c;
        columns[j].i -= f * columns[k].i;
        columns[j].m -= f * columns[k].m;
    }
    return true;
}

static bool eliminate_six(double *S, double *next, double *E, bool transposed)
{
    _Alignas(32) Column columns[6];
    _Alignas(32) double d[6], y[36], x[36]; /* d_k Y_jk and d_k X_jk, by k */
    _Alignas(32) double C_transposed[36];
    if (!transposed) transpose(C_transposed, E);
    load_columns(columns, S, transposed ? E : C_transposed);
    if (!eliminate_column(columns, d, 0) || !eliminate_column(columns, d, 1) ||
        !eliminate_column(columns, d, 2) || !eliminate_column(columns, d, 3) ||
        !eliminate_column(columns, d, 4) || !eliminate_column(columns, d, 5))
        return false;
    for (int k = 0; k < 6; k++) {
        v4 end = d[k] * columns[k].m;
        *(v4 *)(y + 6 * k) = d[k] * columns[k].c;
        *(v4 *)(x + 6 * k) = d[k] * columns[k].i;
        *(v2 *)(y + 6 * k + 4) = (v2){end[0], end[1]};
        *(v2 *)(x + 6 * k + 4) = (v2){end[2], end[3]};
    }
    for (int j = 0; j < 6; j++) {
        double *row = next + 6 * j;
        v4 a = *(v4 *)row, b = (v4){row[4], row[5], 0.0, 0.0};
        for (int k = 0; k < 6; k++) {
            a -= y[6 * k + j] * columns[k].c;
            b -= y[6 * k + j] * columns[k].m;
        }
        *(v4 *)row = a;
        *(v2 *)(row + 4) = (v2){b[0], b[1]};
    }
    for (int j = 0; j < 6; j += 2) {
        v4 c[2], i[2], m[2]; /* columns j and j + 1 of L and S⁻¹ */
        for (int h = 0; h < 2; h++) {
            c[h] = i[h] = m[h] = (v4){0};
            for (int k = j + h; k < 6; k++) {
                double f = x[6 * k + j + h];
                c[h] += f * columns[k].c;
                i[h] += f * columns[k].i;
                m[h] += f * columns[k].m;
            }
        }
        v4 low = SHUFFLE(i4, m[0], m[1], 0, 4, 2, 6), high = SHUFFLE(i4, m[0], m[1], 1, 5, 3, 7);
        v4 *L = (v4 *)(E + 2 * j), *inverse = (v4 *)(S + 2 * j);
        L[0] = SHUFFLE(i4, c[0], c[1], 0, 4, 2, 6);
        L[3] = SHUFFLE(i4, c[0], c[1], 1, 5, 3, 7);
        L[6] = SHUFFLE(i4, low, high, 0, 1, 4, 5);
        inverse[0] = SHUFFLE(i4, i[0], i[1], 0, 4, 2, 6);
        inverse[3] = SHUFFLE(i4, i[0], i[1], 1, 5, 3, 7);
        inverse[6] = SHUFFLE(i4, low, high, 2, 3, 6, 7);
    }
    return true;
}

static bool condense_six(const double *S, const double *C, const double *G, const double *D_next,
                         double *next, double *far, double *G_next)
{
    _Alignas(32) Column columns[6];
    _Alignas(32) double d[6], y[36], z[36]; /* d_k Y_jk and d_k Z_jk, by k */
    load_columns(columns, S, C);
    for (int k = 0; k < 6; k++) {
        const double *g = G + 6 * k;
        columns[k].i = *(const v4 *)g;
        columns[k].m = (v4){C[6 * k + 4], C[6 * k + 5], g[4], g[5]};
    }
    if (!eliminate_column(columns, d, 0) || !eliminate_column(columns, d, 1) ||
        !eliminate_column(columns, d, 2) || !eliminate_column(columns, d, 3) ||
        !eliminate_column(columns, d, 4) || !eliminate_column(columns, d, 5))
        return false;
    for (int k = 0; k < 6; k++) {
        v4 end = d[k] * columns[k].m;
        *(v4 *)(y + 6 * k) = d[k] * columns[k].c;
        *(v4 *)(z + 6 * k) = d[k] * columns[k].i;
        *(v2 *)(y + 6 * k + 4) = (v2){end[0], end[1]};
        *(v2 *)(z + 6 * k + 4) = (v2){end[2], end[3]};
    }
    for (int j = 0; j < 6; j++) {
        const double *from = D_next + 6 * j;
        double *to_next = next + 6 * j, *to_far = far + 6 * j;
        v4 a = *(const v4 *)from, b = (v4){from[4], from[5], 0.0, 0.0}, c = {0}, f = *(v4 *)to_far,
           g = (v4){0.0, 0.0, to_far[4], to_far[5]};
        for (int k = 0; k < 6; k++) {
            a -= y[6 * k + j] * columns[k].c;
            b -= y[6 * k + j] * columns[k].m; /* 4 5 of C's, 4 5 of G's */
            c -= y[6 * k + j] * columns[k].i;
            f -= z[6 * k + j] * columns[k].i;
            g -= z[6 * k + j] * columns[k].m;
        }
        *(v4 *)to_next = a;
        *(v2 *)(to_next + 4) = (v2){b[0], b[1]};
        *(v4 *)(G_next + 6 * j) = c;
        *(v2 *)(G_next + 6 * j + 4) = (v2){b[2], b[3]};
        *(v4 *)to_far = f;
        *(v2 *)(to_far + 4) = (v2){g[2], g[3]};
    }
    return true;
}

static void invert_six(double *Z, const double *S, const double *L, const double *next)
{
    _Alignas(32) double M[36], inverse[36], product[36];
    _Alignas(32) v4 low[6], high[6]; /* rows of Z_n L: 0 1 2 3, 2 3 4 5 */
    tn_six_unpack(M, L);
    tn_six_unpack(inverse, S);
    for (int i = 0; i < 6; i++) {
        low[i] = high[i] = (v4){0};
        for (int k = 0; k < 6; k++) {
            low[i] += next[6 * i + k] * *(const v4 *)(M + 6 * k);
            high[i] += next[6 * i + k] * *(const v4 *)(M + 6 * k + 2);
        }
    }
    for (int i = 0; i < 6; i++) {
        v4 a = {0}, b = {0};
        for (int k = 0; k < 6; k++) {
            a += M[6 * k + i] * low[k];
            b += M[6 * k + i] * high[k];
        }
        *(v4 *)(product + 6 * i) = a;
        *(v4 *)(product + 6 * i + 2) = b;
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            Z[6 * i + j] = Z[6 * j + i] =
                inverse[6 * i + j] + 0.5 * (product[6 * i + j] + product[6 * j + i]);
}

#define CHAIN_TABLE(NAME)                                                                          \
    {                                                                                              \
        NAME, eliminate_six, condense_six, invert_six, forward, backward, gather, spread,          \
            gather_told, spread_told                                                               \
    }

#endif
