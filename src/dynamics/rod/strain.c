/* strain.c: strain of one joint, its derivative and what follows from it. rod.h has the letters.
 *
 * With the unit quaternion (w, s n) of R_aᵀ R_b, w >= 0: |θ|/2 = η with sin η = s, cos η = w, and R is
 * the frame of q_a + q_b normalized. R_b = R exp(η n) and R_a = R exp(-η n) give, in the axes of R,
 *     ω_b = ω + dexp(η n) θ̇/2,   ω_a = ω - dexp(-η n) θ̇/2.
 * The difference has the symmetric part of dexp only, sin η/η across n and 1 along n; its inverse is
 * T. The sum has the antisymmetric part and gives ω its last term, ½ tan(η/2) n × (ω_b - ω_a). All
 * of it is finite up to |θ| = π and needs trigonometry only for large angles.
 *
 * Bend is G(η) n with G = 2η up to η₀ = ½ and 2η₀ + 2c tan((η - η₀)/c) beyond, c such that it grows
 * without bound towards η = π/2; value, slope and curvature fit. T becomes G/(2 sin η) across and
 * G'/2 along n. */
#include "rod.h"

#include "../../math/vec3.h"

#define PI 3.14159265358979323846
#define FAITHFUL 0.5                     /* η₀ */
#define ROOM (1.0 - 2.0 * FAITHFUL / PI) /* c */
#define STEEPEST 30.0 /* of the tangent: reached a hair's breadth before π, and finite there */

/* G/2 and its slope beyond η₀. */
static void guarded_angle(double eta, double *half, double *slope)
{
    double steep = fmin(tan(fmin((eta - FAITHFUL) / ROOM, 0.5 * PI)), STEEPEST);
    *half = FAITHFUL + ROOM * steep;
    *slope = 1.0 + steep * steep;
}

/* T's two numbers from s² = sin² η and w = cos η. */
static void turn_factors(double s2, double w, double *across, double *along)
{
    if (s2 < 0.01) { /* arcsin(s)/s; the series' first missing term is below 1e-18 */
        double c =
            1.0 / 6.0 +
            s2 * (3.0 / 40.0 +
                  s2 * (5.0 / 112.0 +
                        s2 * (35.0 / 1152.0 +
                              s2 * (63.0 / 2816.0 +
                                    s2 * (231.0 / 13312.0 +
                                          s2 * (143.0 / 10240.0 + s2 * (6435.0 / 557056.0)))))));
        *across = 1.0 + s2 * c;
        *along = -c;
    } else {
        double s = sqrt(s2), half = atan2(s, w), slope = 1.0;
        if (half > FAITHFUL) guarded_angle(half, &half, &slope);
        *across = half / s;
        *along = (slope - *across) / s2;
    }
}

/* The axes of a quaternion whose squared length is 2/scale. */
static void quat_axes(double axes[3][3], const double q[4], double scale)
{
    double x = scale * q[1], y = scale * q[2], z = scale * q[3];
    double wx = q[0] * x, wy = q[0] * y, wz = q[0] * z;
    double xx = q[1] * x, xy = q[1] * y, xz = q[1] * z, yy = q[2] * y, yz = q[2] * z, zz = q[3] * z;
    v3_set(axes[0], 1.0 - (yy + zz), xy + wz, xz - wy);
    v3_set(axes[1], xy - wz, 1.0 - (xx + zz), yz + wx);
    v3_set(axes[2], xz + wy, yz - wx, 1.0 - (xx + yy));
}

void tn_rod_strain_place(const double x_a[3], const double quat_a[4], const double x_b[3],
                         const double quat_b[4], TnRodStrain *out)
{
    const double *p = quat_a, *q = quat_b;
    double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3], sign = w < 0.0 ? -1.0 : 1.0;
    double mid[4], cross[3];
    w = fabs(w);
    double scale = 1.0 / (1.0 + w); /* |q_a + q_b|² = 2 + 2w */
    for (int k = 0; k < 4; k++) mid[k] = p[k] + sign * q[k];
    quat_axes(out->axes, mid, scale);
    /* vector part of q_b q_a*, the relative rotation in world axes */
    v3_cross(cross, q + 1, p + 1);
    for (int k = 0; k < 3; k++) {
        out->axis[k] = sign * (p[0] * q[k + 1] - q[0] * p[k + 1] - cross[k]);
        out->half[k] = 0.5 * scale * out->axis[k];
    }
    turn_factors(v3_dot(out->axis, out->axis), w, &out->across, &out->along);
    v3_sub(out->d, x_b, x_a);
}

/* The rest's bend as strain measures it. */
static double rest_factor(const double turn[3])
{
    double angle2 = v3_dot(turn, turn), half, slope;
    if (angle2 <= 4.0 * FAITHFUL * FAITHFUL) return 1.0;
    guarded_angle(0.5 * sqrt(angle2), &half, &slope);
    return 2.0 * half / sqrt(angle2);
}

void tn_rod_strain_measure(const TnRodJoint *joint, TnRodStrain *strain)
{
    const double *rest = joint->rest;
    double factor = rest_factor(rest + 3), *g = strain->g;
    for (int k = 0; k < 3; k++) {
        g[k] = v3_dot(strain->axes[k], strain->d) - rest[k];
        g[3 + k] =
            2.0 * strain->across * v3_dot(strain->axes[k], strain->axis) - factor * rest[3 + k];
    }
    double length = v3_norm(strain->d), longer = length - v3_norm(rest);
    bool stretched = longer >= 0.0 && length > 0.0;
    v3_scale(strain->pull, strain->d, stretched ? 1.0 / length : 0.0);
    strain->pushes = !stretched || g[2] < 0.0;
    if (!strain->pushes) g[2] = 0.0;
    g[6] = stretched ? longer : 0.0;
    g[7] = 0.0;
}

void tn_rod_strain_follow(const TnRodStrain *other, TnRodStrain *strain)
{
    bool stretched = v3_dot(other->pull, other->pull) > 0.0;
    double length = v3_norm(strain->d);
    strain->pushes = other->pushes;
    v3_scale(strain->pull, strain->d, stretched && length > 0.0 ? 1.0 / length : 0.0);
}

/* x ← T x */
static void turn(const TnRodStrain *strain, double x[3])
{
    double along = strain->along * v3_dot(strain->axis, x);
    for (int k = 0; k < 3; k++) x[k] = strain->across * x[k] + along * strain->axis[k];
}

void tn_rod_strain_rate(const TnRodStrain *strain, const double twist_a[6], const double twist_b[6],
                        double rate[TN_ROD_ROWS])
{
    double part[3], bend[3], omega[3], x[3];
    v3_sub(part, twist_b, twist_a);
    v3_sub(bend, twist_b + 3, twist_a + 3);
    v3_cross(x, strain->half, bend);
    for (int k = 0; k < 3; k++) omega[k] = 0.5 * (twist_a[3 + k] + twist_b[3 + k]) - x[k];
    rate[6] = v3_dot(strain->pull, part);
    rate[7] = 0.0;
    v3_cross(x, strain->d, omega);
    v3_add(part, part, x);
    turn(strain, bend);
    for (int k = 0; k < 3; k++) {
        rate[k] = v3_dot(strain->axes[k], part);
        rate[3 + k] = v3_dot(strain->axes[k], bend);
    }
    if (!strain->pushes) rate[2] = 0.0;
}

void tn_rod_strain_pull(const TnRodStrain *strain, const double force[TN_ROD_ROWS],
                        double wrench_a[6], double wrench_b[6])
{
    const double(*axes)[3] = strain->axes;
    double f[3], moment[3], torque[3], x[3], push = strain->pushes ? force[2] : 0.0;
    for (int k = 0; k < 3; k++) {
        f[k] = force[0] * axes[0][k] + force[1] * axes[1][k] + push * axes[2][k];
        moment[k] = force[3] * axes[0][k] + force[4] * axes[1][k] + force[5] * axes[2][k];
    }
    turn(strain, moment);
    v3_cross(torque, f, strain->d);
    v3_cross(x, torque, strain->half);
    v3_add_scaled(f, strain->pull, force[6]);
    for (int k = 0; k < 3; k++) {
        double couple = moment[k] - x[k], share = 0.5 * torque[k];
        wrench_a[k] += f[k];
        wrench_b[k] -= f[k];
        wrench_a[3 + k] += couple - share;
        wrench_b[3 + k] -= couple + share;
    }
}

/* S += k x xᵀ, lower triangle xx yx yy zx zy zz; and M += x yᵀ. */
static inline void add_square(double S[6], double k, const double x[3])
{
    double kx[3] = {k * x[0], k * x[1], k * x[2]};
    S[0] += kx[0] * x[0];
    S[1] += kx[1] * x[0];
    S[2] += kx[1] * x[1];
    S[3] += kx[2] * x[0];
    S[4] += kx[2] * x[1];
    S[5] += kx[2] * x[2];
}
static inline void add_outer(double M[9], const double x[3], const double y[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M[3 * i + j] += x[i] * y[j];
}

/* Lower triangle of [C, .; X, Y] */
static inline void add_lower(double *restrict block, const double C[6], const double X[9],
                             const double Y[6])
{
    for (int i = 0, n = 0; i < 3; i++)
        for (int j = 0; j <= i; j++, n++) {
            block[6 * i + j] += C[n];
            block[6 * (3 + i) + 3 + j] += Y[n];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) block[6 * (3 + i) + j] += X[3 * i + j];
}

/* Row k of the frame (axis r, c = r × d) is (-r, ½c + c × half) for a and (r, ½c - c × half) for b; a
 * row of the turn is -T r and T r of the angular velocities. */
void tn_rod_strain_stiffness(const TnRodStrain *strain, const double k[TN_ROD_ROWS], double taut,
                             double *restrict D_a, double *restrict D_b, double *restrict E)
{
    static const int lower[9] = {0, 1, 3, 1, 2, 4, 3, 4, 5};
    double C[6] = {taut, 0.0, taut, 0.0, 0.0, taut}, S[6] = {0.0};
    double A[6] = {0.0}, B[6] = {0.0}, AC[9] = {0.0}, BC[9] = {0.0}, BA[9] = {0.0};
    for (int row = 0; row < (strain->pushes ? 3 : 2); row++) {
        const double *r = strain->axes[row];
        double c[3], e[3], a[3], b[3], kr[3], ka[3];
        v3_cross(c, r, strain->d);
        v3_cross(e, c, strain->half);
        for (int i = 0; i < 3; i++) {
            a[i] = 0.5 * c[i] + e[i];
            b[i] = 0.5 * c[i] - e[i];
            kr[i] = k[row] * r[i];
            ka[i] = k[row] * a[i];
        }
        add_square(C, k[row], r);
        add_square(A, k[row], a);
        add_square(B, k[row], b);
        add_outer(AC, a, kr);
        add_outer(BC, b, kr);
        add_outer(BA, b, ka);
    }
    add_square(C, k[6] - taut, strain->pull);
    for (int row = 0; row < 3; row++) {
        double r[3];
        v3_copy(r, strain->axes[row]);
        turn(strain, r);
        add_square(S, k[3 + row], r);
    }
    for (int i = 0; i < 6; i++) {
        A[i] += S[i];
        B[i] += S[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int n = lower[3 * i + j];
            E[6 * i + j] = -C[n];
            E[6 * i + 3 + j] = AC[3 * j + i];
            E[6 * (3 + i) + j] = -BC[3 * i + j];
            E[6 * (3 + i) + 3 + j] = BA[3 * i + j] - S[n];
        }
    for (int i = 0; i < 9; i++) AC[i] = -AC[i];
    add_lower(D_a, C, AC, A);
    add_lower(D_b, C, BC, B);
}
