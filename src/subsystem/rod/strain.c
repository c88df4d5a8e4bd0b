/* strain.c: strain of one joint, its derivative and what follows from it. rod.h has the letters.
 *
 * With the unit quaternion (w, s n) of R_aᵀ R_b, w >= 0: |θ|/2 = η with sin η = s, cos η = w, and R
 * is the frame of q_a + q_b normalized. R_b = R exp(η n) and R_a = R exp(-η n) give, in the axes of
 * R, ω_b = ω + dexp(η n) θ̇/2,   ω_a = ω - dexp(-η n) θ̇/2. The difference has the symmetric part of
 * dexp only, sin η/η across n and 1 along n; its inverse is T. The sum has the antisymmetric part
 * and gives ω its last term, ½ tan(η/2) n × (ω_b - ω_a). All of it is finite up to |θ| = π and
 * needs trigonometry only for large angles.
 *
 * Bend is G(η) n with G = 2η up to η₀ = ½ and 2η₀ + 2c tan((η - η₀)/c) beyond, c such that it grows
 * without bound towards η = π/2; value, slope and curvature fit. T becomes G/(2 sin η) across and
 * G'/2 along n. What is limp to bend is not limp to kink: there the part beyond 2η has the
 * stiffness of the material, `kink` times that of bending, and G becomes √((2η)² + kink (G - 2η)²).
 */
#include "rod.h"

#include "../../base/base.h"
#include "../../math/vec3.h"
#include "arcsin.h"

#define ROOM (1.0 - 2.0 * TN_ROD_FAITHFUL / TN_PI) /* c */
#define STEEPEST 30.0 /* of the tangent: reached a hair's breadth before π, and finite there */

/* G/2 and its slope beyond η₀. */
static void guarded_angle(double eta, double kink, double *half, double *slope)
{
    double steep = fmin(tan(fmin((eta - TN_ROD_FAITHFUL) / ROOM, 0.5 * TN_PI)), STEEPEST);
    *half = TN_ROD_FAITHFUL + ROOM * steep;
    *slope = 1.0 + steep * steep;
    if (kink == 1.0) return;
    double beyond = *half - eta, both = sqrt(eta * eta + kink * beyond * beyond);
    *slope = (eta + kink * beyond * (*slope - 1.0)) / both;
    *half = both;
}

/* T's two numbers from s² = sin² η and w = cos η. */
static void turn_factors(double s2, double w, double kink, double *across, double *along)
{
    if (s2 < 0.01) {
        double c = TN_ARCSIN_SERIES(s2);
        *across = 1.0 + s2 * c;
        *along = -c;
    } else {
        double s = sqrt(s2), half = atan2(s, w), slope = 1.0;
        if (half > TN_ROD_FAITHFUL) guarded_angle(half, kink, &half, &slope);
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

void tn_rod_arm(const double quat[4], double along, double arm[3])
{
    const double offset[3] = {0.0, 0.0, along};
    quat_rotate(arm, quat, offset);
}

void tn_rod_twist_at(const double arm[3], const double twist[6], double out[6])
{
    v3_cross(out, twist + 3, arm);
    v3_add(out, out, twist);
    v3_copy(out + 3, twist + 3);
}

void tn_rod_wrench_from(const double arm[3], double wrench[6])
{
    double moment[3];
    v3_cross(moment, arm, wrench);
    v3_add(wrench + 3, wrench + 3, moment);
}

void tn_rod_strain_place(const double x_a[3], const double quat_a[4], const double x_b[3],
                         const double quat_b[4], double kink, TnRodStrain *out)
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
    turn_factors(v3_dot(out->axis, out->axis), w, kink, &out->across, &out->along);
    v3_sub(out->d, x_b, x_a);
}

/* The rest's bend as strain measures it. */
static double rest_factor(const double turn[3], double kink)
{
    double angle2 = v3_dot(turn, turn), half, slope;
    if (angle2 <= 4.0 * TN_ROD_FAITHFUL * TN_ROD_FAITHFUL) return 1.0;
    guarded_angle(0.5 * sqrt(angle2), kink, &half, &slope);
    return 2.0 * half / sqrt(angle2);
}

/* With d as it is. */
static void pull_along(TnRodStrain *strain, double length)
{
    strain->inverse = length > 0.0 ? 1.0 / length : 0.0;
    v3_scale(strain->pull, strain->d, strain->inverse);
}

void tn_rod_strain_measure(const TnRodJoint *joint, double length, TnRodStrain *strain)
{
    const double *rest = joint->rest;
    double factor = rest_factor(rest + 3, joint->kink), *g = strain->g;
    for (int k = 0; k < 3; k++) {
        g[k] = v3_dot(strain->axes[k], strain->d) - rest[k];
        g[3 + k] =
            2.0 * strain->across * v3_dot(strain->axes[k], strain->axis) - factor * rest[3 + k];
    }
    double now = v3_norm(strain->d);
    bool stretched = now >= length;
    pull_along(strain, stretched ? now : 0.0);
    strain->pushes = !stretched || g[2] < 0.0;
    if (!strain->pushes) g[2] = 0.0;
    g[6] = stretched ? now - length : 0.0;
    g[7] = 0.0;
}

void tn_rod_strain_follow(const TnRodStrain *other, TnRodStrain *strain)
{
    strain->pushes = other->pushes;
    pull_along(strain, other->inverse > 0.0 ? v3_norm(strain->d) : 0.0);
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

/* Two numbers at once, anywhere in memory: compilers do not find them in blocks of six by
 * themselves. A row of six is three of them, and is made of numbers in registers: reading a pair
 * that was written one by one takes longer than what is done with it. */
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct Row {
    Two two[3];
} Row;

static inline Row row_of(double a, double b, double c, double d, double e, double f)
{
    return (Row){{{a, b}, {c, d}, {e, f}}};
}

/* Row i of Σ x_r y_rᵀ. */
static inline Row product_row(const Row *x, const Row *y, int i, int rows)
{
    Row sum;
    double s[3];
    for (int r = 0; r < rows; r++) s[r] = ((const double *)&x[r])[i];
    for (int j = 0; j < 3; j++) sum.two[j] = s[0] * y[0].two[j] + s[1] * y[1].two[j];
    for (int j = 0; rows > 2 && j < 3; j++) sum.two[j] += s[2] * y[2].two[j];
    return sum;
}

/* block += Σ x_r x_rᵀ + common */
static inline void add_square(double *restrict block, const Row *x, const Row *common, int rows)
{
    for (int i = 0; i < 6; i++) {
        Row sum = product_row(x, x, i, rows);
        Two *to = (Two *)(block + 6 * i);
        for (int j = 0; j < 3; j++) to[j] += sum.two[j] + common[i].two[j];
    }
}

/* The symmetric part that both ends share, [taut (1 - pull pullᵀ) + root² pull pullᵀ, 0; 0, bend].
 */
static inline void shared_part(const TnRodStrain *strain, const double root[TN_ROD_ROWS],
                               double taut, Row common[6])
{
    const double *p = strain->pull;
    double t[3][3], more = root[6] * root[6] - taut;
    for (int row = 0; row < 3; row++) {
        v3_scale(t[row], strain->axes[row], root[3 + row]);
        turn(strain, t[row]);
    }
    double xx = more * (p[0] * p[0]) + taut, yy = more * (p[1] * p[1]) + taut,
           zz = more * (p[2] * p[2]) + taut, xy = more * (p[0] * p[1]), xz = more * (p[0] * p[2]),
           yz = more * (p[1] * p[2]);
    common[0] = row_of(xx, xy, xz, 0.0, 0.0, 0.0);
    common[1] = row_of(xy, yy, yz, 0.0, 0.0, 0.0);
    common[2] = row_of(xz, yz, zz, 0.0, 0.0, 0.0);
    xx = t[0][0] * t[0][0] + t[1][0] * t[1][0] + t[2][0] * t[2][0];
    xy = t[0][0] * t[0][1] + t[1][0] * t[1][1] + t[2][0] * t[2][1];
    xz = t[0][0] * t[0][2] + t[1][0] * t[1][2] + t[2][0] * t[2][2];
    yy = t[0][1] * t[0][1] + t[1][1] * t[1][1] + t[2][1] * t[2][1];
    yz = t[0][1] * t[0][2] + t[1][1] * t[1][2] + t[2][1] * t[2][2];
    zz = t[0][2] * t[0][2] + t[1][2] * t[1][2] + t[2][2] * t[2][2];
    common[3] = row_of(0.0, 0.0, 0.0, xx, xy, xz);
    common[4] = row_of(0.0, 0.0, 0.0, xy, yy, yz);
    common[5] = row_of(0.0, 0.0, 0.0, xz, yz, zz);
}

/* Row k of the frame (axis r, c = r × d) is (-r, ½c + c × half) for a and (r, ½c - c × half) for b;
 * a row of the turn is -T r and T r of the angular velocities. */
void tn_rod_strain_stiffness(const TnRodStrain *strain, const double root[TN_ROD_ROWS], double taut,
                             double *restrict D_a, double *restrict D_b, double *restrict E)
{
    int rows = strain->pushes ? 3 : 2;
    Row a[3], b[3], common[6];
    for (int row = 0; row < rows; row++) {
        double r[3], c[3], e[3];
        v3_scale(r, strain->axes[row], root[row]);
        v3_cross(c, r, strain->d);
        v3_cross(e, c, strain->half);
        v3_scale(c, c, 0.5);
        a[row] = row_of(-r[0], -r[1], -r[2], c[0] + e[0], c[1] + e[1], c[2] + e[2]);
        b[row] = row_of(r[0], r[1], r[2], c[0] - e[0], c[1] - e[1], c[2] - e[2]);
    }
    shared_part(strain, root, taut, common);
    for (int i = 0; i < 6; i++) {
        Row sum = product_row(b, a, i, rows);
        Two *to = (Two *)(E + 6 * i);
        for (int j = 0; j < 3; j++) to[j] = sum.two[j] - common[i].two[j];
    }
    add_square(D_a, a, common, rows);
    add_square(D_b, b, common, rows);
}
