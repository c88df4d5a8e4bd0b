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

/* Columns that share what is read of x and y: as many as there are registers for their sums. */
enum { AT_ONCE = COLUMN_BYTES == 64 ? 4 : 2 };

static inline __attribute__((always_inline)) void few_dots(long n, int count, const double *columns,
                                                           long stride, const double *x,
                                                           const double *y, double *sums)
{
    vr with_x[AT_ONCE][PARTS], with_y[AT_ONCE][PARTS];
    for (int j = 0; j < count; j++)
        for (int h = 0; h < PARTS; h++) with_x[j][h] = with_y[j][h] = (vr){0};
    for (long k = 0; k < n; k += 8)
        for (int h = 0; h < PARTS; h++) {
            vr x_here = *read_part(x + k, h), y_here = *read_part(y + k, h);
            for (int j = 0; j < count; j++) {
                vr c = *read_part(columns + stride * j + k, h);
                with_x[j][h] += c * x_here;
                with_y[j][h] += c * y_here;
            }
        }
    for (int j = 0; j < count; j++) {
        sums[2 * j] = sum_of(with_x[j]);
        sums[2 * j + 1] = sum_of(with_y[j]);
    }
}

static void columns_dot(long n, int count, const double *columns, long stride, const double *x,
                        const double *y, double *sums)
{
    int j = 0;
    for (; j + AT_ONCE <= count; j += AT_ONCE)
        few_dots(n, AT_ONCE, columns + stride * j, stride, x, y, sums + 2 * j);
    for (; j < count; j++) few_dots(n, 1, columns + stride * j, stride, x, y, sums + 2 * j);
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
