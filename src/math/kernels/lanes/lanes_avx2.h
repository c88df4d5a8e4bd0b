/* lanes_avx2.h: the vocabulary of lanes/ for four doubles in one register. */
#ifndef TN_LANES_AVX2_H
#define TN_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#include "shuffle.h"

#define W 4
typedef double vd __attribute__((vector_size(32), may_alias));
typedef long long vi __attribute__((vector_size(32)));

static inline vd v_sqrt(vd a) { return (vd)_mm256_sqrt_pd((__m256d)a); }
static inline vd v_max(vd a, vd b) { return (vd)_mm256_max_pd((__m256d)a, (__m256d)b); }
static inline vd v_min(vd a, vd b) { return (vd)_mm256_min_pd((__m256d)a, (__m256d)b); }
static inline double v_sum(vd a) { return (a[0] + a[1]) + (a[2] + a[3]); }
static inline vd v_if_positive(vd x, vd yes, vd no)
{
    __m256d is = _mm256_cmp_pd((__m256d)x, _mm256_setzero_pd(), _CMP_GT_OQ);
    return (vd)_mm256_blendv_pd((__m256d)no, (__m256d)yes, is);
}
static inline int v_any_positive(vd x)
{
    return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)x, _mm256_setzero_pd(), _CMP_GT_OQ));
}

/* Numbers that follow each other to the lanes of a mask, zeros to the others; a whole vector may be
 * read. Lane l of the mask takes number (mask's bits below l). */
static inline vd v_expand(unsigned mask, const double *from)
{
    const __m256i lane = _mm256_set_epi64x(8, 4, 2, 1);
    unsigned m = mask & 15, one = m & 1, two = one + (m >> 1 & 1), three = two + (m >> 2 & 1);
    __m256i all = _mm256_set1_epi64x((long long)m);
    __m256i place = _mm256_set_epi32((int)(2 * three + 1), (int)(2 * three), (int)(2 * two + 1),
                                     (int)(2 * two), (int)(2 * one + 1), (int)(2 * one), 1, 0);
    __m256i is = _mm256_cmpeq_epi64(_mm256_and_si256(all, lane), lane);
    __m256i x = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)from), place);
    return (vd)_mm256_and_si256(x, is);
}

/* The k-th numbers of four rows. */
static inline vd v_column(const double *const rows[W], int k)
{
    return (vd){rows[0][k], rows[1][k], rows[2][k], rows[3][k]};
}

/* 4×4 transposition of rows into three columns. */
static inline void v_columns3(vd out[3], vd r0, vd r1, vd r2, vd r3)
{
    vd a = SHUFFLE(vi, r0, r1, 0, 4, 2, 6), b = SHUFFLE(vi, r2, r3, 0, 4, 2, 6);
    vd c = SHUFFLE(vi, r0, r1, 1, 5, 3, 7), d = SHUFFLE(vi, r2, r3, 1, 5, 3, 7);
    out[0] = SHUFFLE(vi, a, b, 0, 1, 4, 5);
    out[1] = SHUFFLE(vi, c, d, 0, 1, 4, 5);
    out[2] = SHUFFLE(vi, a, b, 2, 3, 6, 7);
}

/* Columns 0 1 2 4 5 6 of the four rows x[index[0..3]]. */
static inline void v_gather_rows(vd out[6], const double (*x)[8], const int32_t *index)
{
    for (int h = 0; h < 2; h++)
        v_columns3(out + 3 * h, *(const vd *)(x[index[0]] + 4 * h),
                   *(const vd *)(x[index[1]] + 4 * h), *(const vd *)(x[index[2]] + 4 * h),
                   *(const vd *)(x[index[3]] + 4 * h));
}

/* Columns of the four triples x[index[0..3]]; a number behind each is read. */
static inline void v_gather3(vd out[3], const double (*x)[3], const int32_t *index)
{
    v_columns3(out, (vd)_mm256_loadu_pd(x[index[0]]), (vd)_mm256_loadu_pd(x[index[1]]),
               (vd)_mm256_loadu_pd(x[index[2]]), (vd)_mm256_loadu_pd(x[index[3]]));
}
static inline vi v_integers(const int32_t *x)
{
    return (vi)_mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)x));
}

/* Rows (v[0], v[1], v[2], 0) of four numbers each, stride doubles apart. */
static inline void v_rows3(double *x, int stride, const vd v[3])
{
    const vd zero = {0};
    vd a = SHUFFLE(vi, v[0], v[1], 0, 4, 2, 6), b = SHUFFLE(vi, v[2], zero, 0, 4, 2, 6);
    vd c = SHUFFLE(vi, v[0], v[1], 1, 5, 3, 7), d = SHUFFLE(vi, v[2], zero, 1, 5, 3, 7);
    *(vd *)x = SHUFFLE(vi, a, b, 0, 1, 4, 5);
    *(vd *)(x + stride) = SHUFFLE(vi, c, d, 0, 1, 4, 5);
    *(vd *)(x + 2 * stride) = SHUFFLE(vi, a, b, 2, 3, 6, 7);
    *(vd *)(x + 3 * stride) = SHUFFLE(vi, c, d, 2, 3, 6, 7);
}
static inline void v_scatter_rows(double (*x)[8], const vd v[6])
{
    v_rows3(x[0], 8, v);
    v_rows3(x[0] + 4, 8, v + 3);
}

/* Four triples that follow each other, to and from three columns. */
static inline void v_store3(double *p, const vd v[3])
{
    vd a = SHUFFLE(vi, v[0], v[1], 0, 4, 0, 1), b = SHUFFLE(vi, v[0], v[1], 5, 0, 2, 6);
    vd c = SHUFFLE(vi, v[0], v[1], 0, 3, 7, 0);
    *(vd *)p = SHUFFLE(vi, a, v[2], 0, 1, 4, 3);
    *(vd *)(p + 4) = SHUFFLE(vi, b, v[2], 0, 5, 2, 3);
    *(vd *)(p + 8) = SHUFFLE(vi, c, v[2], 6, 1, 2, 7);
}
static inline void v_load3(vd v[3], const double *p)
{
    vd a = *(const vd *)p, b = *(const vd *)(p + 4), c = *(const vd *)(p + 8);
    v[0] = SHUFFLE(vi, SHUFFLE(vi, a, b, 0, 3, 6, 0), c, 0, 1, 2, 5);
    v[1] = SHUFFLE(vi, SHUFFLE(vi, a, b, 1, 4, 7, 0), c, 0, 1, 2, 6);
    v[2] = SHUFFLE(vi, SHUFFLE(vi, a, b, 2, 5, 0, 0), c, 0, 1, 4, 7);
}

#endif
