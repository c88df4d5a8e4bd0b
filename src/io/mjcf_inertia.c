/* mjcf_inertia.c: the compiler settings inertiafromgeom, boundmass, boundinertia and
 * balanceinertia.
 *
 * Mass and inertia of a body normally go to the builder as they stand in the file, or are left to
 * it to find from geoms. Only where a bound is set must they be known here. Then the geoms'
 * inertias are summed about their common centre,
 *     I = Σ R_i I_i R_iᵀ + m_i (|d_i|² 1 - d_i d_iᵀ),
 * brought to principal axes by Jacobi rotations, and bounded from below. */
#include "mjcf.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Volume and principal moments per unit of mass, in the geom's axes. */
static double shape_moments(const TnGeomDef *g, double moments[3])
{
    double a = g->size[0], b = g->size[1], c = g->size[2];
    switch (g->type) {
    case TN_GEOM_SPHERE:
        moments[0] = moments[1] = moments[2] = 0.4 * a * a;
        return 4.0 / 3 * PI * a * a * a;
    case TN_GEOM_ELLIPSOID:
        moments[0] = (b * b + c * c) / 5;
        moments[1] = (a * a + c * c) / 5;
        moments[2] = (a * a + b * b) / 5;
        return 4.0 / 3 * PI * a * b * c;
    case TN_GEOM_BOX:
        moments[0] = (b * b + c * c) / 3;
        moments[1] = (a * a + c * c) / 3;
        moments[2] = (a * a + b * b) / 3;
        return 8 * a * b * c;
    case TN_GEOM_CYLINDER:
        moments[0] = moments[1] = a * a / 4 + b * b / 3;
        moments[2] = a * a / 2;
        return 2 * PI * a * a * b;
    case TN_GEOM_CAPSULE: {
        double tube = 2 * PI * a * a * b, caps = 4.0 / 3 * PI * a * a * a, all = tube + caps;
        moments[0] = moments[1] =
            (tube * (a * a / 4 + b * b / 3) + caps * (0.4 * a * a + b * b + 0.75 * a * b)) / all;
        moments[2] = (tube * a * a / 2 + caps * 0.4 * a * a) / all;
        return all;
    }
    default:
        memset(moments, 0, 3 * sizeof *moments);
        return 0;
    }
}

static double geom_mass(const TnGeomDef *g, double moments[3])
{
    double volume = shape_moments(g, moments);
    if (volume == 0) return 0;
    return g->mass >= 0 ? g->mass : g->density * volume;
}

static void add_geom_inertia(const TnGeomDef *g, double mass, const double moments[3],
                             const double com[3], double I[3][3])
{
    const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double d[3], dd = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = g->pos[i] - com[i];
        dd += d[i] * d[i];
    }
    for (int k = 0; k < 3; k++) {
        double axis[3];
        tn_mjcf_rotate(g->quat, unit[k], axis);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) I[i][j] += mass * moments[k] * axis[i] * axis[j];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) I[i][j] += mass * ((i == j ? dd : 0) - d[i] * d[j]);
}

static void inertia_from_geoms(const TnGeomDef *geoms, int count, TnBodyDef *body)
{
    double mass = 0, com[3] = {0}, I[3][3] = {{0}}, moments[3];
    for (int g = 0; g < count; g++) {
        double each = geom_mass(&geoms[g], moments);
        mass += each;
        for (int i = 0; i < 3; i++) com[i] += each * geoms[g].pos[i];
    }
    for (int i = 0; i < 3 && mass > 0; i++) com[i] /= mass;
    for (int g = 0; g < count; g++) {
        double each = geom_mass(&geoms[g], moments);
        add_geom_inertia(&geoms[g], each, moments, com, I);
    }
    body->has_inertia = true;
    body->use_inertia_full = true;
    body->mass = mass;
    memcpy(body->inertia_pos, com, sizeof com);
    const double full[6] = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
    memcpy(body->inertia_full, full, sizeof full);
}

/* inertia_full into inertia and inertia_quat: A ← Gᵀ A G by rotations in the (p, q) plane that zero
 * A_pq, until none is left; the quaternion gathers the rotations. */
static void to_principal_axes(TnBodyDef *body)
{
    const double *f = body->inertia_full;
    double A[3][3] = {{f[0], f[3], f[4]}, {f[3], f[1], f[5]}, {f[4], f[5], f[2]}};
    TnMjcfPose axes = tn_mjcf_identity();
    double size = fabs(f[0]) + fabs(f[1]) + fabs(f[2]);
    for (int sweep = 0; sweep < 60; sweep++) {
        int p = 0, q = 1;
        if (fabs(A[0][2]) > fabs(A[p][q])) p = 0, q = 2;
        if (fabs(A[1][2]) > fabs(A[p][q])) p = 1, q = 2;
        if (fabs(A[p][q]) <= 1e-16 * size) break;
        double angle = 0.5 * atan2(2 * A[p][q], A[p][p] - A[q][q]);
        double c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) { /* columns */
            double x = A[k][p], y = A[k][q];
            A[k][p] = c * x + s * y;
            A[k][q] = c * y - s * x;
        }
        for (int k = 0; k < 3; k++) { /* rows */
            double x = A[p][k], y = A[q][k];
            A[p][k] = c * x + s * y;
            A[q][k] = c * y - s * x;
        }
        /* the turn from e_p towards e_q is about +z for (x, y) and +x for (y, z), but about -y for
         * (x, z) */
        TnMjcfPose turn = tn_mjcf_identity();
        int axis = 3 - p - q;
        turn.quat[0] = cos(angle / 2);
        turn.quat[1 + axis] = (axis == 1 ? -1 : 1) * sin(angle / 2);
        axes = tn_mjcf_compose(&axes, &turn);
    }
    tn_mjcf_normalize_quat(axes.quat);
    for (int i = 0; i < 3; i++) body->inertia[i] = A[i][i];
    memcpy(body->inertia_quat, axes.quat, sizeof axes.quat);
    body->use_inertia_full = false;
}

void tn_mjcf_bound_inertia(const TnMjcfSettings *s, TnBodyDef *body, const TnGeomDef *geoms,
                           int geom_count)
{
    if (s->inertia_from_geom == TN_TRI_TRUE && geom_count > 0) {
        body->has_inertia = false;
        body->use_inertia_full = false;
    }
    bool bounded = s->bound_mass > 0 || s->bound_inertia > 0;
    if (!bounded && !(s->balance_inertia && body->has_inertia)) return;
    if (!body->has_inertia) inertia_from_geoms(geoms, geom_count, body);
    if (body->use_inertia_full) to_principal_axes(body);
    double *I = body->inertia;
    body->mass = fmax(body->mass, s->bound_mass);
    for (int i = 0; i < 3; i++) I[i] = fmax(I[i], s->bound_inertia);
    bool physical = I[0] + I[1] >= I[2] && I[1] + I[2] >= I[0] && I[2] + I[0] >= I[1];
    if (s->balance_inertia && !physical) I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3;
}
