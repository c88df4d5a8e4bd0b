/* fem_lanes_avx512.h: the vocabulary of fem_lanes.h for eight doubles in one register. */
#ifndef TN_FEM_LANES_AVX512_H
#define TN_FEM_LANES_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../../../../math/kernels/lanes/shuffle.h"

typedef double v8 __attribute__((vector_size(64), may_alias));
typedef double v8u __attribute__((vector_size(64), aligned(8), may_alias));
typedef double v4 __attribute__((vector_size(32), may_alias));
typedef long long vi __attribute__((vector_size(64)));

static inline void v_gather3(v8 out[3], const double (*x)[4], const int index[8])
{
    v8 r[4];
    for (int l = 0; l < 4; l++) /* lanes l and l + 4 */
        r[l] = (v8)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(x[index[l]])),
                                      _mm256_load_pd(x[index[l + 4]]), 1);
    v8 a = SHUFFLE(vi, r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    v8 b = SHUFFLE(vi, r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    v8 c = SHUFFLE(vi, r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    v8 d = SHUFFLE(vi, r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = SHUFFLE(vi, a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SHUFFLE(vi, c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2] = SHUFFLE(vi, a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

static inline void add4(double *to, __m256d v)
{
    _mm256_store_pd(to, _mm256_add_pd(_mm256_load_pd(to), v));
}

static inline void v_scatter3(double (*x)[4], const int index[8], const v8 v[3])
{
    const v8 zero = {0};
    v8 a = SHUFFLE(vi, v[0], v[1], 0, 8, 2, 10, 4, 12, 6, 14); /* xy of even lanes */
    v8 b = SHUFFLE(vi, v[0], v[1], 1, 9, 3, 11, 5, 13, 7, 15);
    v8 c = SHUFFLE(vi, v[2], zero, 0, 8, 2, 10, 4, 12, 6, 14);
    v8 d = SHUFFLE(vi, v[2], zero, 1, 9, 3, 11, 5, 13, 7, 15);
    __m512d r[4]; /* lanes 0 4, 1 5, 2 6, 3 7 */
    r[0] = (__m512d)SHUFFLE(vi, a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = (__m512d)SHUFFLE(vi, b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[2] = (__m512d)SHUFFLE(vi, a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    r[3] = (__m512d)SHUFFLE(vi, b, d, 2, 3, 10, 11, 6, 7, 14, 15);
    for (int l = 0; l < 4; l++) add4(x[index[l]], _mm512_castpd512_pd256(r[l]));
    for (int l = 0; l < 4; l++) add4(x[index[l + 4]], _mm512_extractf64x4_pd(r[l], 1));
}

/* 8 × 8 transposition. */
static inline void v_transpose(const v8 M[8], v8 out[8])
{
    v8 p[8], q[8];
    for (int i = 0; i < 8; i += 2) {
        p[i] = SHUFFLE(vi, M[i], M[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        p[i + 1] = SHUFFLE(vi, M[i], M[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int h = 0; h < 8; h += 4)
        for (int i = 0; i < 2; i++) { /* columns i, i + 2, of rows h..h + 3, and those 4 later */
            q[h + i] = SHUFFLE(vi, p[h + i], p[h + 2 + i], 0, 1, 8, 9, 4, 5, 12, 13);
            q[h + 2 + i] = SHUFFLE(vi, p[h + i], p[h + 2 + i], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        out[i] = SHUFFLE(vi, q[i], q[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        out[4 + i] = SHUFFLE(vi, q[i], q[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

static inline void v_add_blocks(double *blocks, const int to[8], const v8 M[9])
{
    v8 rows[8];
    const double *ninth = (const double *)(M + 8);
    v_transpose(M, rows);
    for (int l = 0; l < 8; l++) {
        double *block = blocks + 9 * (size_t)to[l];
        *(v8u *)block += rows[l];
        block[8] += ninth[l];
    }
}

static inline bool v_all_less(const v8 *a, double limit)
{
    return _mm512_cmp_pd_mask((__m512d)*a, _mm512_set1_pd(limit), _CMP_LT_OQ) == 0xff;
}

static inline void v_raise(v8 *a, const v8 *b) { *a = (v8)_mm512_max_pd((__m512d)*a, (__m512d)*b); }

#endif
