/* lanes_avx512.h: the vocabulary of lanes/ for eight doubles in one register. */
#ifndef TN_LANES_AVX512_H
#define TN_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "shuffle.h"

#define W 8
typedef double vd __attribute__((vector_size(64), may_alias));
typedef long long vi __attribute__((vector_size(64)));

static inline vd v_sqrt(vd a) { return (vd)_mm512_sqrt_pd((__m512d)a); }
static inline vd v_max(vd a, vd b) { return (vd)_mm512_max_pd((__m512d)a, (__m512d)b); }
static inline vd v_min(vd a, vd b) { return (vd)_mm512_min_pd((__m512d)a, (__m512d)b); }
static inline double v_sum(vd a) { return _mm512_reduce_add_pd((__m512d)a); }
static inline int v_any_positive(vd x)
{
    return _mm512_cmp_pd_mask((__m512d)x, _mm512_setzero_pd(), _CMP_GT_OQ);
}
static inline vd v_if_positive(vd x, vd yes, vd no)
{
    return (vd)_mm512_mask_blend_pd((__mmask8)v_any_positive(x), (__m512d)no, (__m512d)yes);
}

/* Numbers that follow each other to the lanes of a mask, zeros to the others; a whole vector may be
 * read. */
static inline vd v_expand(unsigned mask, const double *from)
{
    return (vd)_mm512_maskz_expand_pd((__mmask8)mask, _mm512_loadu_pd(from));
}

/* The k-th numbers of eight rows. */
static inline vd v_column(const double *const rows[W], int k)
{
    return (vd){rows[0][k], rows[1][k], rows[2][k], rows[3][k],
                rows[4][k], rows[5][k], rows[6][k], rows[7][k]};
}

/* Columns 0 1 2 4 5 6 of the eight rows x[index[0..7]]. */
static inline void v_gather_rows(vd out[6], const double (*x)[8], const int32_t *index)
{
    vd r[8];
    for (int i = 0; i < 8; i++) r[i] = *(const vd *)x[index[i]];
    vd even[4], odd[4];
    for (int i = 0; i < 4; i++) {
        even[i] = SHUFFLE(vi, r[2 * i], r[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        odd[i] = SHUFFLE(vi, r[2 * i], r[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    vd c04[2], c26[2], c15[2];
    for (int i = 0; i < 2; i++) {
        c04[i] = SHUFFLE(vi, even[2 * i], even[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13);
        c26[i] = SHUFFLE(vi, even[2 * i], even[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
        c15[i] = SHUFFLE(vi, odd[2 * i], odd[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13);
    }
    out[0] = SHUFFLE(vi, c04[0], c04[1], 0, 1, 2, 3, 8, 9, 10, 11);
    out[1] = SHUFFLE(vi, c15[0], c15[1], 0, 1, 2, 3, 8, 9, 10, 11);
    out[2] = SHUFFLE(vi, c26[0], c26[1], 0, 1, 2, 3, 8, 9, 10, 11);
    out[3] = SHUFFLE(vi, c04[0], c04[1], 4, 5, 6, 7, 12, 13, 14, 15);
    out[4] = SHUFFLE(vi, c15[0], c15[1], 4, 5, 6, 7, 12, 13, 14, 15);
    out[5] = SHUFFLE(vi, c26[0], c26[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/* Columns of the eight triples x[index[0..7]]; a number behind each is read. */
static inline void v_gather3(vd out[3], const double (*x)[3], const int32_t *index)
{
    vd r[4];
    for (int i = 0; i < 4; i++)
        r[i] = (vd)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(x[index[i]])),
                                      _mm256_loadu_pd(x[index[i + 4]]), 1);
    vd a = SHUFFLE(vi, r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    vd b = SHUFFLE(vi, r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    vd c = SHUFFLE(vi, r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    vd d = SHUFFLE(vi, r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = SHUFFLE(vi, a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SHUFFLE(vi, c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2] = SHUFFLE(vi, a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}
static inline vi v_integers(const int32_t *x)
{
    return (vi)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)x));
}

/* The reverse for eight rows that follow each other: columns 0 1 2 4 5 6 from v, zeros at 3 and 7.
 */
static inline void v_scatter_rows(double (*x)[8], const vd v[6])
{
    const vd zero = {0};
    /* xy and z0 pairs of even and odd lanes, linear part in the lower half of a row, angular in the
     * upper */
    vd low[2][2], high[2][2];
    for (int h = 0; h < 2; h++) {
        const vd *c = v + 3 * h;
        low[h][0] = SHUFFLE(vi, c[0], c[1], 0, 8, 2, 10, 4, 12, 6, 14);
        low[h][1] = SHUFFLE(vi, c[0], c[1], 1, 9, 3, 11, 5, 13, 7, 15);
        high[h][0] = SHUFFLE(vi, c[2], zero, 0, 8, 2, 10, 4, 12, 6, 14);
        high[h][1] = SHUFFLE(vi, c[2], zero, 1, 9, 3, 11, 5, 13, 7, 15);
    }
#define ROW(LANE, A)                                                                               \
    do {                                                                                           \
        vd l_ = SHUFFLE(vi, low[0][(LANE)&1], high[0][(LANE)&1], A, A + 1, A + 8, A + 9, A, A + 1, \
                        A + 8, A + 9);                                                             \
        vd a_ = SHUFFLE(vi, low[1][(LANE)&1], high[1][(LANE)&1], A, A + 1, A + 8, A + 9, A, A + 1, \
                        A + 8, A + 9);                                                             \
        *(vd *)x[LANE] = SHUFFLE(vi, l_, a_, 0, 1, 2, 3, 8, 9, 10, 11);                            \
    } while (0)
    ROW(0, 0);
    ROW(1, 0);
    ROW(2, 2);
    ROW(3, 2);
    ROW(4, 4);
    ROW(5, 4);
    ROW(6, 6);
    ROW(7, 6);
#undef ROW
}

/* Eight triples that follow each other, to and from three columns. */
static inline void v_store3(double *p, const vd v[3])
{
    vd a = SHUFFLE(vi, v[0], v[1], 0, 8, 0, 1, 9, 0, 2, 10);
    vd b = SHUFFLE(vi, v[0], v[1], 0, 3, 11, 0, 4, 12, 0, 5);
    vd c = SHUFFLE(vi, v[0], v[1], 13, 0, 6, 14, 0, 7, 15, 0);
    *(vd *)p = SHUFFLE(vi, a, v[2], 0, 1, 8, 3, 4, 9, 6, 7);
    *(vd *)(p + 8) = SHUFFLE(vi, b, v[2], 10, 1, 2, 11, 4, 5, 12, 7);
    *(vd *)(p + 16) = SHUFFLE(vi, c, v[2], 0, 13, 2, 3, 14, 5, 6, 15);
}
static inline void v_load3(vd v[3], const double *p)
{
    vd a = *(const vd *)p, b = *(const vd *)(p + 8), c = *(const vd *)(p + 16);
    v[0] = SHUFFLE(vi, SHUFFLE(vi, a, b, 0, 3, 6, 9, 12, 15, 0, 0), c, 0, 1, 2, 3, 4, 5, 10, 13);
    v[1] = SHUFFLE(vi, SHUFFLE(vi, a, b, 1, 4, 7, 10, 13, 0, 0, 0), c, 0, 1, 2, 3, 4, 8, 11, 14);
    v[2] = SHUFFLE(vi, SHUFFLE(vi, a, b, 2, 5, 8, 11, 14, 0, 0, 0), c, 0, 1, 2, 3, 4, 9, 12, 15);
}

#endif
