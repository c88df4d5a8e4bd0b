/* lanes_plain.h: the vocabulary of fem_lanes.h lane by lane, for sets whose registers hold fewer
 * than eight. */
#ifndef TN_FEM_LANES_PLAIN_H
#define TN_FEM_LANES_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

typedef double v8 __attribute__((vector_size(64), may_alias));
typedef double v8u __attribute__((vector_size(64), aligned(8), may_alias));

static inline void v_gather3(v8 out[3], const double (*x)[4], const int index[8])
{
    double *to = (double *)out;
    for (int l = 0; l < 8; l++)
        for (int i = 0; i < 3; i++) to[8 * i + l] = x[index[l]][i];
}

static inline void v_scatter3(double (*x)[4], const int index[8], const v8 v[3])
{
    const double *from = (const double *)v;
    for (int l = 0; l < 8; l++)
        for (int i = 0; i < 3; i++) x[index[l]][i] += from[8 * i + l];
}

static inline void v_add_blocks(double *blocks, const int to[8], const v8 M[9])
{
    const double *from = (const double *)M;
    for (int l = 0; l < 8; l++) {
        double *block = blocks + 9 * (size_t)to[l];
        for (int i = 0; i < 9; i++) block[i] += from[8 * i + l];
    }
}

static inline bool v_all_less(const v8 *a, double limit)
{
    const double *x = (const double *)a;
    bool all = true;
    for (int l = 0; l < 8; l++) all = all && x[l] < limit;
    return all;
}

static inline void v_raise(v8 *a, const v8 *b)
{
    double *to = (double *)a;
    const double *x = (const double *)b;
    for (int l = 0; l < 8; l++) to[l] = x[l] > to[l] ? x[l] : to[l];
}

#endif
