/* lanes_plain.h: the vocabulary of lanes/ for four doubles without instructions of any one
 * processor: compilers cut the vectors into the registers that there are (SSE2, NEON, WebAssembly).
 * Same numbers, same order as lanes_avx2.h. */
#ifndef TN_LANES_PLAIN_H
#define TN_LANES_PLAIN_H

#include <math.h>
#include <stdint.h>

#include "shuffle.h"

#define PLAIN static inline __attribute__((always_inline))

#define W 4
typedef double vd __attribute__((vector_size(32), may_alias));
typedef long long vi __attribute__((vector_size(32)));

PLAIN vd v_sqrt(vd a) { return (vd){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
PLAIN vd v_pick(vi is, vd yes, vd no) { return (vd)((is & (vi)yes) | (~is & (vi)no)); }
PLAIN vd v_max(vd a, vd b) { return v_pick(a > b, a, b); }
PLAIN vd v_min(vd a, vd b) { return v_pick(a < b, a, b); }
PLAIN double v_sum(vd a) { return (a[0] + a[1]) + (a[2] + a[3]); }
PLAIN vd v_if_positive(vd x, vd yes, vd no) { return v_pick(x > (vd){0}, yes, no); }
PLAIN int v_any_positive(vd x)
{
    vi is = x > (vd){0};
    return (is[0] | is[1] | is[2] | is[3]) != 0;
}

/* Numbers that follow each other to the lanes of a mask, zeros to the others. */
PLAIN vd v_expand(unsigned mask, const double *from)
{
    double x[W];
    for (int l = 0; l < W; l++) x[l] = mask >> l & 1 ? *from++ : 0.0;
    return (vd){x[0], x[1], x[2], x[3]};
}

/* The k-th numbers of four rows. */
PLAIN vd v_column(const double *const rows[W], int k)
{
    return (vd){rows[0][k], rows[1][k], rows[2][k], rows[3][k]};
}

/* Columns 0 1 2 4 5 6 of the four rows x[index[0..3]]. */
PLAIN void v_gather_rows(vd out[6], const double (*x)[8], const int32_t *index)
{
    const double *rows[W] = {x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
    for (int k = 0; k < 6; k++) out[k] = v_column(rows, k < 3 ? k : k + 1);
}

/* Columns of the four triples x[index[0..3]]. */
PLAIN void v_gather3(vd out[3], const double (*x)[3], const int32_t *index)
{
    const double *rows[W] = {x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
    for (int k = 0; k < 3; k++) out[k] = v_column(rows, k);
}
PLAIN vi v_integers(const int32_t *x) { return (vi){x[0], x[1], x[2], x[3]}; }

/* Rows (v[0], v[1], v[2], 0, v[3], v[4], v[5], 0) of four bodies. */
PLAIN void v_scatter_rows(double (*x)[8], const vd v[6])
{
    for (int l = 0; l < W; l++) {
        for (int k = 0; k < 6; k++) x[l][k < 3 ? k : k + 1] = v[k][l];
        x[l][3] = x[l][7] = 0.0;
    }
}

/* Four triples that follow each other, to and from three columns. */
PLAIN void v_store3(double *p, const vd v[3])
{
    for (int l = 0; l < W; l++)
        for (int k = 0; k < 3; k++) p[3 * l + k] = v[k][l];
}
PLAIN void v_load3(vd v[3], const double *p)
{
    for (int k = 0; k < 3; k++) v[k] = (vd){p[k], p[3 + k], p[6 + k], p[9 + k]};
}

#endif
