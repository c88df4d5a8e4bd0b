/* shell.c: closed forms for shapes whose mass lies on their surface.
 *
 * An ellipsoid has none. As in MuJoCo, its area is Thomsen's approximation (off by at most 1.06 %),
 * and its moments are those of a layer of the same thickness everywhere: the difference of two
 * solid ellipsoids. */
#include "inertia.h"

#include "../../base/base.h"
#include "../../math/vec3.h"

/* m: thickness of an ellipsoid's layer, as in MuJoCo. */
#define LAYER 1e-6

static void ellipsoid(const double s[3], double *area, double moments[3])
{
    double sum = 0.0, inner, outer, m_inner[3], m_outer[3];
    const double p = 1.6075; /* of Thomsen's formula for the area */
    double more[3] = {s[0] + LAYER, s[1] + LAYER, s[2] + LAYER};
    for (int k = 0; k < 3; k++) sum += pow(s[k] * s[(k + 1) % 3], p);
    *area = 4.0 * TN_PI * pow(sum / 3.0, 1.0 / p);
    tn_shape_moments(TN_GEOM_ELLIPSOID, s, &inner, m_inner);
    tn_shape_moments(TN_GEOM_ELLIPSOID, more, &outer, m_outer);
    for (int k = 0; k < 3; k++)
        moments[k] = (outer * m_outer[k] - inner * m_inner[k]) / (outer - inner);
}

/* Sides in pairs: each is a sheet of its area at ± its half length. */
static void box(const double h[3], double *area, double moments[3])
{
    double square[3] = {0.0, 0.0, 0.0}; /* ∫ x² */
    *area = 0.0;
    for (int side = 0; side < 3; side++) {
        double both = 8.0 * h[(side + 1) % 3] * h[(side + 2) % 3];
        *area += both;
        for (int k = 0; k < 3; k++) square[k] += both * h[k] * h[k] / (k == side ? 1.0 : 3.0);
    }
    for (int k = 0; k < 3; k++) moments[k] = (square[(k + 1) % 3] + square[(k + 2) % 3]) / *area;
}

bool tn_shell_moments(TnGeomType type, const double size[3], double *area, double moments[3])
{
    double r = size[0], h = size[1], side = 4.0 * TN_PI * r * h;
    double side_across = side * (0.5 * r * r + h * h / 3.0), side_along = side * r * r;
    switch (type) {
    case TN_GEOM_SPHERE:
        *area = 4.0 * TN_PI * r * r;
        v3_set(moments, 2.0 / 3.0 * r * r, 2.0 / 3.0 * r * r, 2.0 / 3.0 * r * r);
        return true;
    case TN_GEOM_CYLINDER: {
        double caps = 2.0 * TN_PI * r * r, across = side_across + caps * (0.25 * r * r + h * h);
        *area = side + caps;
        v3_set(moments, across / *area, across / *area, (side_along + caps * 0.5 * r * r) / *area);
        return true;
    }
    case TN_GEOM_CAPSULE: { /* half spheres have their centres of mass r/2 beyond the ends */
        double caps = 4.0 * TN_PI * r * r,
               across = side_across + caps * (2.0 / 3.0 * r * r + h * h + h * r);
        *area = side + caps;
        v3_set(moments, across / *area, across / *area,
               (side_along + caps * 2.0 / 3.0 * r * r) / *area);
        return true;
    }
    case TN_GEOM_BOX:
        box(size, area, moments);
        return true;
    case TN_GEOM_ELLIPSOID:
        ellipsoid(size, area, moments);
        return true;
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
    case TN_GEOM_MESH:
        break;
    }
    return false;
}
