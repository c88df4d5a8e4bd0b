/* vec.h: the little geometry that drawing needs. Quaternions are (w, x, y, z). */
#ifndef TENON_RENDER_VEC_H
#define TENON_RENDER_VEC_H

#include <math.h>

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(double out[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

static inline double length3(const double a[3]) { return sqrt(dot3(a, a)); }

/* Returns the length; a vector without length stays as it is. */
static inline double normalize3(double a[3])
{
    double length = length3(a);
    if (length > 0)
        for (int k = 0; k < 3; k++) a[k] /= length;
    return length;
}

/* Some unit vector at right angles to a unit vector. */
static inline void perpendicular3(double out[3], const double a[3])
{
    double axis[3] = {0, 0, 0};
    int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
    if (fabs(a[2]) < fabs(a[least])) least = 2;
    axis[least] = 1;
    cross3(out, a, axis);
    normalize3(out);
}

static inline void quat_mul(double out[4], const double a[4], const double b[4])
{
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
}

static inline void quat_rotate(double out[3], const double q[4], const double v[3])
{
    double t[3], u[3];
    cross3(t, q + 1, v);
    for (int k = 0; k < 3; k++) t[k] *= 2;
    cross3(u, q + 1, t);
    for (int k = 0; k < 3; k++) out[k] = v[k] + q[0] * t[k] + u[k];
}

/* The rotation that takes z to a unit vector by the shortest way. */
static inline void quat_from_z(double out[4], const double z[3])
{
    if (z[2] < -0.999999) {
        out[0] = out[2] = out[3] = 0;
        out[1] = 1;
        return;
    }
    double scale = 1 / sqrt(2 * (1 + z[2]));
    out[0] = (1 + z[2]) * scale;
    out[1] = -z[1] * scale;
    out[2] = z[0] * scale;
    out[3] = 0;
}

#endif
