/* strain.c: strain of one joint, its derivative and what follows from it. rod.h has the letters.
 *
 * With the unit quaternion (w, s n) of R_aᵀ R_b, w >= 0: |θ|/2 = η with sin η = s, cos η = w, and R is
 * the frame of q_a + q_b normalized. R_b = R exp(η n) and R_a = R exp(-η n) give, in the axes of R,
 *     ω_b = ω + dexp(η n) θ̇/2,   ω_a = ω - dexp(-η n) θ̇/2.
 * The difference has the symmetric part of dexp only, sin η/η across n and 1 along n; its inverse is
 * T. The sum has the antisymmetric part and gives ω its last term, ½ tan(η/2) n × (ω_b - ω_a). All
 * of it is finite up to |θ| = π and needs trigonometry only for large angles. */
#include "rod.h"

#include "../../math/vec3.h"

/* arcsin(s)/s from s² and w = cos, and (1 - arcsin(s)/s)/s². */
static void turn_factors(double s2, double w, double *across, double *along)
{
    if (s2 < 0.01) { /* the series' first missing term is below 1e-18 */
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
        double s = sqrt(s2);
        *across = atan2(s, w) / s;
        *along = (1.0 - *across) / s2;
    }
}

void tn_rod_strain(const TnRodJoint *joint, const double x_a[3], const double quat_a[4],
                   const double x_b[3], const double quat_b[4], TnRodStrain *out)
{
    const double *p = quat_a, *q = quat_b;
    double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3], sign = w < 0.0 ? -1.0 : 1.0;
    double mid[4], cross[3], place[3];
    for (int k = 0; k < 4; k++) mid[k] = p[k] + sign * q[k];
    quat_normalize(mid);
    quat_to_m3(out->R, mid);
    /* vector part of q_b q_a*, the relative rotation in world axes */
    v3_cross(cross, q + 1, p + 1);
    for (int k = 0; k < 3; k++)
        out->axis[k] = sign * (p[0] * q[k + 1] - q[0] * p[k + 1] - cross[k]);
    w = fabs(w);
    v3_scale(out->half, out->axis, 0.5 / (1.0 + w));
    turn_factors(v3_dot(out->axis, out->axis), w, &out->across, &out->along);

    v3_sub(out->d, x_b, x_a);
    m3_tmul_v(out->g, out->R, out->d);
    m3_tmul_v(place, out->R, out->axis);
    for (int k = 0; k < 3; k++) {
        out->g[k] -= joint->rest[k];
        out->g[3 + k] = 2.0 * out->across * place[k] - joint->rest[3 + k];
    }
}

/* x ← T x */
static void turn(const TnRodStrain *strain, double x[3])
{
    double along = strain->along * v3_dot(strain->axis, x);
    for (int k = 0; k < 3; k++) x[k] = strain->across * x[k] + along * strain->axis[k];
}

void tn_rod_strain_rate(const TnRodStrain *strain, const double twist_a[6], const double twist_b[6],
                        double rate[6])
{
    double part[3], bend[3], omega[3], x[3];
    v3_sub(part, twist_b, twist_a);
    v3_sub(bend, twist_b + 3, twist_a + 3);
    v3_cross(x, strain->half, bend);
    for (int k = 0; k < 3; k++) omega[k] = 0.5 * (twist_a[3 + k] + twist_b[3 + k]) - x[k];
    v3_cross(x, strain->d, omega);
    v3_add(part, part, x);
    turn(strain, bend);
    m3_tmul_v(rate, strain->R, part);
    m3_tmul_v(rate + 3, strain->R, bend);
}

void tn_rod_strain_pull(const TnRodStrain *strain, const double force[6], double wrench_a[6],
                        double wrench_b[6])
{
    double f[3], moment[3], torque[3], x[3];
    m3_mul_v(f, strain->R, force);
    m3_mul_v(moment, strain->R, force + 3);
    turn(strain, moment);
    v3_cross(torque, f, strain->d);
    v3_cross(x, torque, strain->half);
    for (int k = 0; k < 3; k++) {
        double couple = moment[k] - x[k], share = 0.5 * torque[k];
        wrench_a[k] += f[k];
        wrench_b[k] -= f[k];
        wrench_a[3 + k] += couple - share;
        wrench_b[3 + k] -= couple + share;
    }
}

/* r = aᵀ b */
static inline void product_t(double r[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

/* The same where the result is symmetric. */
static inline void product_symmetric(double r[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            r[3 * i + j] = r[3 * j + i] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

/* S = T B T for symmetric B, T = across · 1 + along · axis axisᵀ. */
static inline void turn_both_sides(const TnRodStrain *strain, const double B[9], double S[9])
{
    const double *a = strain->axis;
    double w[3], x = strain->across * strain->across, y = strain->across * strain->along;
    m3_mul_v(w, B, a);
    double z = strain->along * strain->along * v3_dot(a, w);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            S[3 * i + j] = S[3 * j + i] =
                x * B[3 * i + j] + y * (w[i] * a[j] + a[i] * w[j]) + z * a[i] * a[j];
}

/* block += [C, X; Xᵀ, Y], C and Y symmetric. */
static inline void add_symmetric(double *restrict block, const double C[9], const double X[9],
                                 const double Y[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            block[6 * i + j] += C[3 * i + j];
            block[6 * i + 3 + j] += X[3 * i + j];
            block[6 * (3 + i) + j] += X[3 * j + i];
            block[6 * (3 + i) + 3 + j] += Y[3 * i + j];
        }
}

/* The rates in world axes are v_b - v_a + P ω_a + Q ω_b and T(ω_b - ω_a), with
 *     P, Q = ½[d] ± [d][half],   [d][h] = h dᵀ - (d·h) 1. */
void tn_rod_strain_stiffness(const TnRodStrain *strain, const double k[6], double *restrict D_a,
                             double *restrict D_b, double *restrict E)
{
    const double *d = strain->d, *h = strain->half;
    double C[9], B[9], P[9], Q[9], CP[9], CQ[9], PP[9], QQ[9], QP[9], S[9];
    double dh = v3_dot(d, h);
    double cross[9] = {0.0, -d[2], d[1], d[2], 0.0, -d[0], -d[1], d[0], 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double even = 0.5 * cross[3 * i + j], odd = h[i] * d[j] - (i == j ? dh : 0.0);
            P[3 * i + j] = -even - odd; /* -P: what the blocks of a need */
            Q[3 * i + j] = even - odd;
        }
    m3_rotate_diag(C, strain->R, k);
    m3_rotate_diag(B, strain->R, k + 3);
    turn_both_sides(strain, B, S);
    product_t(CP, C, P); /* C is symmetric */
    product_t(CQ, C, Q);
    product_symmetric(PP, P, CP);
    product_symmetric(QQ, Q, CQ);
    product_t(QP, Q, CP);
    for (int i = 0; i < 9; i++) {
        PP[i] += S[i];
        QQ[i] += S[i];
    }
    add_symmetric(D_a, C, CP, PP);
    add_symmetric(D_b, C, CQ, QQ);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            E[6 * i + j] = -C[3 * i + j];
            E[6 * i + 3 + j] = -CP[3 * i + j];
            E[6 * (3 + i) + j] = -CQ[3 * j + i];
            E[6 * (3 + i) + 3 + j] = -QP[3 * i + j] - S[3 * i + j];
        }
}
