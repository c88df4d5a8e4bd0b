/* column_lanes.h: sums over long columns, eight numbers at a time; compiled per instruction set. n
 * is a multiple of eight. The order of additions is the same everywhere. */
#ifndef TN_LANES_COLUMN_LANES_H
#define TN_LANES_COLUMN_LANES_H

typedef double v8 __attribute__((vector_size(64), aligned(8), may_alias));

static inline double sum_of(const v8 *s)
{
    const double *x = (const double *)s;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

static void column_dots(long n, const double *column, const double *x, const double *y,
                        double sums[2])
{
    v8 with_x = {0}, with_y = {0};
    for (long k = 0; k < n; k += 8) {
        v8 c = *(const v8 *)(column + k);
        with_x += c * *(const v8 *)(x + k);
        with_y += c * *(const v8 *)(y + k);
    }
    sums[0] = sum_of(&with_x);
    sums[1] = sum_of(&with_y);
}

/* `count` columns, at most four: they share what is read of x. */
static inline void few_dots(long n, int count, const double *columns, long stride, const double *x,
                            double *sums)
{
    v8 sum[4] = {{0}, {0}, {0}, {0}};
    for (long k = 0; k < n; k += 8)
        for (int j = 0; j < count; j++)
            sum[j] += *(const v8 *)(columns + stride * j + k) * *(const v8 *)(x + k);
    for (int j = 0; j < count; j++) sums[j] = sum_of(&sum[j]);
}

static void columns_dot(long n, int count, const double *columns, long stride, const double *x,
                        double *sums)
{
    int j = 0;
    for (; j + 4 <= count; j += 4) few_dots(n, 4, columns + stride * j, stride, x, sums + j);
    for (; j < count; j++) few_dots(n, 1, columns + stride * j, stride, x, sums + j);
}

static void column_step(long n, const double *now, double *last, double *difference)
{
    for (long k = 0; k < n; k += 8) {
        v8 x = *(const v8 *)(now + k);
        *(v8 *)(difference + k) = x - *(const v8 *)(last + k);
        *(v8 *)(last + k) = x;
    }
}

static void column_subtract(long n, const double *from, int count, const double *columns,
                            long stride, const double *factor, double *to)
{
    for (long k = 0; k < n; k += 8) {
        v8 x = *(const v8 *)(from + k);
        for (int j = 0; j < count; j++) x -= factor[j] * *(const v8 *)(columns + stride * j + k);
        *(v8 *)(to + k) = x;
    }
}

#endif
