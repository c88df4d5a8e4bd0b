/* column_lanes.h: sums over long columns, eight numbers at a time; compiled per instruction set,
 * in as many registers as eight numbers take. n is a multiple of eight. The order of additions is
 * the same everywhere. */
#ifndef TN_LANES_COLUMN_LANES_H
#define TN_LANES_COLUMN_LANES_H

#if defined(__AVX512F__)
#define COLUMN_BYTES 64
#elif defined(__AVX2__)
#define COLUMN_BYTES 32
#else
#define COLUMN_BYTES 16
#endif

/* A register, and how many of them hold eight numbers of how many each. */
typedef double vr __attribute__((vector_size(COLUMN_BYTES), aligned(8), may_alias));
enum { EACH = COLUMN_BYTES / 8, PARTS = 8 / EACH };

static inline vr *part_of(double *x, int h) { return (vr *)(x + EACH * h); }
static inline const vr *read_part(const double *x, int h) { return (const vr *)(x + EACH * h); }

static inline double sum_of(const vr s[PARTS])
{
    const double *x = (const double *)s;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

static void column_dots(long n, const double *column, const double *x, const double *y,
                        double sums[2])
{
    vr with_x[PARTS] = {{0}}, with_y[PARTS] = {{0}};
    for (long k = 0; k < n; k += 8)
        for (int h = 0; h < PARTS; h++) {
            vr c = *read_part(column + k, h);
            with_x[h] += c * *read_part(x + k, h);
            with_y[h] += c * *read_part(y + k, h);
        }
    sums[0] = sum_of(with_x);
    sums[1] = sum_of(with_y);
}

/* `count` columns, at most four: they share what is read of x. */
static inline __attribute__((always_inline)) void
few_dots(long n, int count, const double *columns, long stride, const double *x, double *sums)
{
    vr sum[4][PARTS];
    for (int j = 0; j < count; j++)
        for (int h = 0; h < PARTS; h++) sum[j][h] = (vr){0};
    for (long k = 0; k < n; k += 8)
        for (int h = 0; h < PARTS; h++) {
            vr here = *read_part(x + k, h);
            for (int j = 0; j < count; j++)
                sum[j][h] += *read_part(columns + stride * j + k, h) * here;
        }
    for (int j = 0; j < count; j++) sums[j] = sum_of(sum[j]);
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
    for (long k = 0; k < n; k += 8)
        for (int h = 0; h < PARTS; h++) {
            vr x = *read_part(now + k, h);
            *part_of(difference + k, h) = x - *read_part(last + k, h);
            *part_of(last + k, h) = x;
        }
}

static void column_subtract(long n, const double *from, int count, const double *columns,
                            long stride, const double *factor, double *to)
{
    for (long k = 0; k < n; k += 8) {
        vr x[PARTS];
        for (int h = 0; h < PARTS; h++) x[h] = *read_part(from + k, h);
        for (int j = 0; j < count; j++)
            for (int h = 0; h < PARTS; h++)
                x[h] -= factor[j] * *read_part(columns + stride * j + k, h);
        for (int h = 0; h < PARTS; h++) *part_of(to + k, h) = x[h];
    }
}

#endif
