/* inertia.c: closed forms for solid shapes, parallel axes, principal axes.
 *
 * Two bodies with masses m1, m2, centres c1, c2 and inertias I1, I2 about their own centres make
 *     m = m1 + m2,  c = c1 + (m2/m) d,  I = I1 + I2 + (m1 m2 / m) (|d|² 1 - d dᵀ),  d = c2 - c1,
 * a sum of positive semidefinite terms: nothing cancels, however far the bodies lie from the
 * origin. */
#include "inertia.h"

#include "../../base/base.h"
#include "../../math/cholesky.h"
#include "../../math/vec3.h"

bool tn_shape_moments(TnGeomType type, const double size[3], double *volume, double moments[3])
{
    double r = size[0], h = size[1];
    switch (type) {
    case TN_GEOM_SPHERE:
        *volume = 4.0 / 3.0 * TN_PI * r * r * r;
        v3_set(moments, 0.4 * r * r, 0.4 * r * r, 0.4 * r * r);
        return true;
    case TN_GEOM_ELLIPSOID: {
        double a = size[0], b = size[1], c = size[2];
        *volume = 4.0 / 3.0 * TN_PI * a * b * c;
        v3_set(moments, 0.2 * (b * b + c * c), 0.2 * (a * a + c * c), 0.2 * (a * a + b * b));
        return true;
    }
    case TN_GEOM_CYLINDER: {
        double across = r * r / 4.0 + h * h / 3.0;
        *volume = 2.0 * TN_PI * r * r * h;
        v3_set(moments, across, across, 0.5 * r * r);
        return true;
    }
    case TN_GEOM_CAPSULE: {
        /* A cylinder and two half balls whose centres of mass lie 3r/8 beyond its ends. */
        double middle = 2.0 * h / (2.0 * h + 4.0 / 3.0 * r), ends = 1.0 - middle;
        double across =
            middle * (r * r / 4.0 + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
        *volume = TN_PI * r * r * (2.0 * h + 4.0 / 3.0 * r);
        v3_set(moments, across, across, middle * 0.5 * r * r + ends * 0.4 * r * r);
        return true;
    }
    case TN_GEOM_BOX: {
        double a = size[0], b = size[1], c = size[2];
        *volume = 8.0 * a * b * c;
        v3_set(moments, (b * b + c * c) / 3.0, (a * a + c * c) / 3.0, (a * a + b * b) / 3.0);
        return true;
    }
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
    case TN_GEOM_MESH:
        break;
    }
    return false;
}

void tn_mass_add(TnMassProperties *total, const TnMassProperties *part)
{
    double mass = total->mass + part->mass;
    double d[3], share = 0.0, reduced = 0.0;
    v3_sub(d, part->com, total->com);
    if (mass > 0.0) {
        share = part->mass / mass;
        reduced = total->mass * share;
    }
    double dd = v3_dot(d, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            total->inertia[3 * i + j] +=
                part->inertia[3 * i + j] + reduced * ((i == j ? dd : 0.0) - d[i] * d[j]);
    /* The first part's centre is taken as it is: c1 + 1·(c2 - c1) would round. */
    if (total->mass > 0.0)
        v3_add_scaled(total->com, d, share);
    else if (mass > 0.0)
        v3_copy(total->com, part->com);
    total->mass = mass;
}

void tn_mass_transform(TnMassProperties *body, const double pos[3], const double quat[4])
{
    double R[9], T[9], RI[9], com[3];
    quat_to_m3(R, quat);
    m3_mul_v(com, R, body->com);
    v3_add(body->com, com, pos);
    m3_transpose(T, R);
    m3_mul(RI, R, body->inertia);
    m3_mul(body->inertia, RI, T);
    /* Rounding leaves the two halves apart by an ulp; later code relies on symmetry. */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (body->inertia[3 * i + j] + body->inertia[3 * j + i]);
            body->inertia[3 * i + j] = body->inertia[3 * j + i] = mean;
        }
}

/* From the largest of the four squares 4w², 4x², 4y², 4z², so that nothing small is divided by. */
void tn_quat_from_m3(double q[4], const double R[9])
{
    double square[4] = {1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8],
                        1.0 - R[0] + R[4] - R[8], 1.0 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k]) k = i;
    double products[4][4] = {
        {square[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
        {R[7] - R[5], square[1], R[1] + R[3], R[2] + R[6]},
        {R[2] - R[6], R[1] + R[3], square[2], R[5] + R[7]},
        {R[3] - R[1], R[2] + R[6], R[5] + R[7], square[3]},
    };
    memcpy(q, products[k], 4 * sizeof(double));
    quat_normalize(q);
    if (q[0] < 0.0)
        for (int i = 0; i < 4; i++) q[i] = -q[i];
}

void tn_principal_axes(const double inertia[9], double moments[3], double quat[4])
{
    double V[9];
    tn_eigen3(inertia, moments, V);
    tn_quat_from_m3(quat, V);
}

/* Multiplies quat by a turn about axis k, given by the cosine and sine of half its angle. */
static void turn_about(double quat[4], int k, double c, double s)
{
    double q[4] = {c, 0.0, 0.0, 0.0};
    q[k + 1] = s;
    quat_mul(quat, quat, q);
    quat_normalize(quat);
}

static void rotated(const double inertia[9], const double quat[4], double out[9])
{
    double R[9], T[9], IR[9];
    quat_to_m3(R, quat);
    m3_transpose(T, R);
    m3_mul(IR, inertia, R);
    m3_mul(out, T, IR);
}

/* Jacobi's method, the largest entry off the diagonal first; then quarter turns put the moments in
 * order. */
void tn_sorted_axes(const double inertia[9], double moments[3], double quat[4])
{
    double D[9];
    quat_identity(quat);
    for (int sweep = 0; sweep < 500; sweep++) {
        rotated(inertia, quat, D);
        double scale = fabs(D[0]) + fabs(D[4]) + fabs(D[8]);
        int p = 0, q = 1;
        if (fabs(D[2]) > fabs(D[3 * p + q])) q = 2;
        if (fabs(D[5]) > fabs(D[3 * p + q])) p = 1, q = 2;
        double off = D[3 * p + q];
        if (!(fabs(off) > 1e-16 * scale)) break;
        double tau = (D[4 * q] - D[4 * p]) / (2.0 * off);
        double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
        double c = 1.0 / sqrt(1.0 + t * t);
        double cos_half = sqrt(0.5 + 0.5 * c), sin_half = 0.5 * t * c / cos_half;
        int axis = 3 - p - q;
        turn_about(quat, axis, cos_half, axis == 1 ? sin_half : -sin_half);
    }
    for (int pass = 0; pass < 3; pass++)
        for (int j = 0; j < 2; j++) {
            rotated(inertia, quat, D);
            if (D[4 * j + 4] > D[4 * j] * (1.0 + 1e-14))
                turn_about(quat, (j + 2) % 3, sqrt(0.5), sqrt(0.5));
        }
    rotated(inertia, quat, D);
    for (int k = 0; k < 3; k++) moments[k] = D[4 * k];
}

bool tn_moments_possible(const double moments[3])
{
    double a = moments[0], b = moments[1], c = moments[2];
    double slack = 1e-6 * (fabs(a) + fabs(b) + fabs(c));
    return a + b >= c - slack && b + c >= a - slack && a + c >= b - slack;
}
