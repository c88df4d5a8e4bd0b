/* vec3.h: 3-vectors, quaternions (w x y z) and 3×3 matrices (row-major) as plain arrays, all
 * inline. */
#ifndef TN_MATH_VEC3_H
#define TN_MATH_VEC3_H

#include <math.h>
#include <string.h>

static inline void v3_set(double r[3], double x, double y, double z)
{
    r[0] = x;
    r[1] = y;
    r[2] = z;
}
static inline void v3_zero(double r[3]) { r[0] = r[1] = r[2] = 0.0; }
static inline void v3_copy(double r[3], const double a[3])
{
    r[0] = a[0];
    r[1] = a[1];
    r[2] = a[2];
}
static inline void v3_add(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++) r[i] = a[i] + b[i];
}
static inline void v3_sub(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++) r[i] = a[i] - b[i];
}
static inline void v3_scale(double r[3], const double a[3], double s)
{
    for (int i = 0; i < 3; i++) r[i] = a[i] * s;
}
static inline void v3_add_scaled(double r[3], const double a[3], double s)
{
    for (int i = 0; i < 3; i++) r[i] += a[i] * s;
}
static inline double v3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double v3_norm(const double a[3]) { return sqrt(v3_dot(a, a)); }
static inline void v3_cross(double r[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
           z = a[0] * b[1] - a[1] * b[0];
    r[0] = x;
    r[1] = y;
    r[2] = z;
}
/* Returns the former length; a zero vector becomes z. */
static inline double v3_normalize(double r[3])
{
    double n = v3_norm(r);
    if (n > 0.0)
        v3_scale(r, r, 1.0 / n);
    else
        v3_set(r, 0.0, 0.0, 1.0);
    return n;
}
/* Two unit vectors that complete the unit vector n to a right-handed frame (n, t1, t2). */
static inline double v3_distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}
static inline void v3_tangents(const double n[3], double t1[3], double t2[3])
{
    double s = n[2] >= 0.0 ? 1.0 : -1.0, a = -1.0 / (s + n[2]), b = n[0] * n[1] * a;
    v3_set(t1, 1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]);
    v3_set(t2, b, s + n[1] * n[1] * a, -n[1]);
}

/* ---- 3×3 matrices, row-major ---- */
static inline void m3_mul_v(double r[3], const double m[9], const double a[3])
{
    double x = v3_dot(m, a), y = v3_dot(m + 3, a), z = v3_dot(m + 6, a);
    r[0] = x;
    r[1] = y;
    r[2] = z;
}
static inline void m3_tmul_v(double r[3], const double m[9], const double a[3])
{
    double x = m[0] * a[0] + m[3] * a[1] + m[6] * a[2], y = m[1] * a[0] + m[4] * a[1] + m[7] * a[2];
    double z = m[2] * a[0] + m[5] * a[1] + m[8] * a[2];
    r[0] = x;
    r[1] = y;
    r[2] = z;
}
static inline void m3_mul(double r[9], const double a[9], const double b[9])
{
    double t[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    memcpy(r, t, sizeof t);
}
static inline void m3_transpose(double r[9], const double a[9])
{
    double t[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
    memcpy(r, t, sizeof t);
}
static inline void m3_column(double r[3], const double m[9], int j)
{
    r[0] = m[j];
    r[1] = m[3 + j];
    r[2] = m[6 + j];
}
/* r = R diag(d) Rᵀ, symmetric. */
static inline void m3_rotate_diag(double r[9], const double R[9], const double d[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double s = 0.0;
            for (int k = 0; k < 3; k++) s += R[3 * i + k] * d[k] * R[3 * j + k];
            r[3 * i + j] = r[3 * j + i] = s;
        }
}

/* ---- quaternions ---- */
static inline void quat_identity(double q[4])
{
    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
}
static inline void quat_copy(double r[4], const double a[4]) { memcpy(r, a, 4 * sizeof(double)); }
static inline void quat_conjugate(double r[4], const double a[4])
{
    r[0] = a[0];
    r[1] = -a[1];
    r[2] = -a[2];
    r[3] = -a[3];
}
static inline void quat_mul(double r[4], const double a[4], const double b[4])
{
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    r[0] = w;
    r[1] = x;
    r[2] = y;
    r[3] = z;
}
/* Returns the former length; zero becomes the identity. */
static inline double quat_normalize(double q[4])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (n > 0.0)
        for (int i = 0; i < 4; i++) q[i] /= n;
    else
        quat_identity(q);
    return n;
}
static inline void quat_to_m3(double R[9], const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z);
    R[1] = 2 * (x * y - w * z);
    R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z);
    R[4] = 1 - 2 * (x * x + z * z);
    R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y);
    R[7] = 2 * (y * z + w * x);
    R[8] = 1 - 2 * (x * x + y * y);
}
static inline void quat_rotate(double r[3], const double q[4], const double a[3])
{
    double t[3], c[3];
    v3_cross(t, q + 1, a);
    v3_scale(t, t, 2.0);
    v3_cross(c, q + 1, t);
    for (int i = 0; i < 3; i++) r[i] = a[i] + q[0] * t[i] + c[i];
}
static inline void quat_from_axis_angle(double q[4], const double axis[3], double angle)
{
    double s = sin(0.5 * angle);
    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++) q[i + 1] = axis[i] * s;
}
/* Rotation vector (axis times angle, angle in [0, π]). */
static inline void quat_to_rotvec(double r[3], const double q[4])
{
    double s = q[0] < 0.0 ? -1.0 : 1.0, n = v3_norm(q + 1);
    double f = n < 1e-12 ? 2.0 : 2.0 * atan2(n, s * q[0]) / n;
    v3_scale(r, q + 1, s * f);
}
/* q ← q ⊗ cay(w), w = t·ω in body axes: the rotation by the Cayley map, which makes the midpoint
 * rule keep the angular momentum exactly (docs/time-stepping.md). quat_cayley_world does the same
 * for ω in world axes. */
static inline void quat_cayley_body(double q[4], const double w[3])
{
    double d[4] = {1.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    quat_mul(q, q, d);
    quat_normalize(q);
}
static inline void quat_cayley_world(double q[4], const double w[3])
{
    double d[4] = {1.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    quat_mul(q, d, q);
    quat_normalize(q);
}

#endif
