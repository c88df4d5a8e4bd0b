/* urdf_inertia.c: <inertial> of links. A full inertia in the inertial's axes becomes one in the
 * body's: I = R I' Rᵀ. */
#include "../../base/base.h"
#include "urdf.h"

#include <math.h>
#include <string.h>

#define SLACK 5e-7 /* half of what the compiler allows */

static void turn_inertia(const double quat[4], const double full[6], double out[6])
{
    const double local[3][3] = {
        {full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}};
    double axes[3][3], turned[3][3] = {{0}}; /* axes[i]: where the local axis i points */
    for (int i = 0; i < 3; i++) {
        double unit[3] = {0, 0, 0};
        unit[i] = 1;
        tn_mjcf_rotate(quat, unit, axes[i]);
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) turned[r][c] += axes[i][r] * local[i][j] * axes[j][c];
    const double values[6] = {turned[0][0], turned[1][1], turned[2][2],
                              turned[0][1], turned[0][2], turned[1][2]};
    memcpy(out, values, sizeof values);
}

/* Eigenvalues of a symmetric matrix (xx yy zz xy xz yz), largest first, from the cubic equation. */
static void principal_moments(const double full[6], double out[3])
{
    double mean = (full[0] + full[1] + full[2]) / 3;
    double a = full[0] - mean, b = full[1] - mean, c = full[2] - mean;
    double d = full[3], e = full[4], f = full[5];
    double p = sqrt((a * a + b * b + c * c + 2 * (d * d + e * e + f * f)) / 6);
    for (int i = 0; i < 3; i++) out[i] = mean;
    if (!(p > 0)) return;
    double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    double half = fmax(-1, fmin(1, det / (2 * p * p * p))), angle = acos(half) / 3;
    out[0] += 2 * p * cos(angle);
    out[2] += 2 * p * cos(angle + 2 * TN_PI / 3);
    out[1] = 3 * mean - out[0] - out[2];
}

/* Many files have moments that no body can have: one larger than the sum of the others, or
 * negative. They are replaced by their mean, as MuJoCo's balanceinertia does. */
static bool balance(double full[6])
{
    double moments[3];
    principal_moments(full, moments);
    double sum = moments[0] + moments[1] + moments[2], mean = sum / 3;
    bool possible = moments[0] <= moments[1] + moments[2] + SLACK * sum;
    if (possible && moments[2] >= -1e-12 * moments[0]) return false;
    for (int i = 0; i < 6; i++) full[i] = i < 3 ? mean : 0;
    return true;
}

void tn_urdf_set_inertia(TnUrdf *u, const TnXmlElement *place, const TnMjcfPose *pose,
                         double full[6], bool moves, TnBodyDef *body)
{
    body->has_inertia = true;
    if (body->mass == 0)
        memset(full, 0, 6 * sizeof *full); /* nothing that could turn, as in MuJoCo */
    memcpy(body->inertia_pos, pose->pos, sizeof body->inertia_pos);
    turn_inertia(pose->quat, full, body->inertia_full);
    if (full[0] + full[1] + full[2] >= 0 && balance(body->inertia_full) && moves &&
        !u->balance_inertia)
        tn_mjcf_remark(u->m, TN_REMARK_URDF_INERTIA, tn_xml_place(place), "inertia");
    body->use_inertia_full =
        body->inertia_full[3] != 0 || body->inertia_full[4] != 0 || body->inertia_full[5] != 0;
    memcpy(body->inertia, body->inertia_full, sizeof body->inertia); /* else these are principal */
}

void tn_urdf_read_inertial(TnUrdf *u, const TnXmlElement *e, bool moves, TnBodyDef *body)
{
    tn_urdf_expect(u, e, "name", "origin mass inertia");
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    TnMjcfPose pose = tn_urdf_origin(u, e);
    const TnXmlElement *mass = tn_urdf_child(e, "mass"), *inertia = tn_urdf_child(e, "inertia");
    double full[6] = {0};
    if (!mass)
        tn_mjcf_error(u->m, e, "an <inertial> needs <mass value=\"…\"/>");
    else
        tn_urdf_need(u, mass, "value", &body->mass, 1);
    if (!inertia) {
        tn_mjcf_error(u->m, e, "an <inertial> needs <inertia ixx=\"…\" …/>");
    } else {
        for (int i = 0; i < 3; i++) tn_urdf_need(u, inertia, names[i], &full[i], 1);
        for (int i = 3; i < 6; i++) tn_urdf_number(u, inertia, names[i], &full[i]);
    }
    tn_urdf_set_inertia(u, inertia ? inertia : e, &pose, full, moves, body);
}
