/* turn.h: turning vectors by quaternions. */
#ifndef RENDER_TURN_H
#define RENDER_TURN_H

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Columns are the turned axes. */
static inline void matrix_of(double m[9], const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1 - 2 * (y * y + z * z), m[1] = 2 * (x * y - w * z), m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z), m[4] = 1 - 2 * (x * x + z * z), m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y), m[7] = 2 * (y * z + w * x), m[8] = 1 - 2 * (x * x + y * y);
}

static inline void turn(double out[3], const double m[9], const double v[3])
{
    double x = dot(m, v), y = dot(m + 3, v);
    out[2] = dot(m + 6, v);
    out[0] = x;
    out[1] = y;
}

#endif
