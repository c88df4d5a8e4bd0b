/* fit.c: a simple shape in the place of a mesh, with MuJoCo's rules.
 *
 * Both rules start from half lengths h along the mesh's principal axes, the longest last. By
 * inertia these are of the box with the mesh's mass and moments, at its centre of mass; by extent
 * of the box around its vertices. */
#include "builder.h"

#include "../math/cholesky.h"
#include "../math/vec3.h"

/* Triangles of the mesh, or of its hull where it has none; false: no mass properties. */
static bool mass_of(const TnMeshDef *def, TnMassProperties *out)
{
    TnHullTriangles hull = {0};
    bool own = def->triangle_count > 0 && def->inertia != TN_MESH_CONVEX;
    if (!own && tn_quickhull(def->vertices, def->vertex_count, &hull) != TN_HULL_GOOD) return false;
    TnMeshMassStatus status =
        tn_mesh_mass(def->inertia, def->vertices, own ? def->triangles : hull.corners,
                     own ? def->triangle_count : hull.count, out);
    tn_free(hull.corners);
    return status == TN_MESH_MASS_GOOD;
}

/* Largest moment first, and so the longest axis last. */
static void axes_of(const double inertia[9], double moments[3], double R[9])
{
    double w[3], V[9];
    int order[3] = {0, 1, 2};
    tn_eigen3(inertia, w, V);
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && w[order[k]] > w[order[k - 1]]; k--) {
            int swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    double column[3][3];
    for (int k = 0; k < 3; k++) {
        moments[k] = w[order[k]];
        for (int i = 0; i < 3; i++) column[k][i] = V[3 * i + order[k]];
    }
    v3_cross(column[2], column[0], column[1]); /* right-handed whatever the order */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) R[3 * i + k] = column[k][i];
}

static void inertia_box(double mass, const double I[3], double h[3])
{
    for (int k = 0; k < 3; k++)
        h[k] = 0.5 * sqrt(fmax(0.0, 6.0 * (I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]) / mass));
}

/* Half lengths, and the box's centre from `origin` in the axes R. */
static void extent_box(const TnMeshDef *def, const double origin[3], const double R[9], double h[3],
                       double center[3])
{
    double low[3], high[3], d[3], x[3];
    for (int i = 0; i < def->vertex_count; i++) {
        v3_sub(d, def->vertices + 3 * (size_t)i, origin);
        m3_tmul_v(x, R, d);
        for (int k = 0; k < 3; k++) {
            low[k] = i ? fmin(low[k], x[k]) : x[k];
            high[k] = i ? fmax(high[k], x[k]) : x[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        h[k] = 0.5 * (high[k] - low[k]);
        center[k] = 0.5 * (high[k] + low[k]);
    }
}

static bool set_size(TnGeomDef *geom, TnMeshFit fit, const double h[3], double scale)
{
    bool extent = fit == TN_FIT_EXTENT;
    double size[3] = {h[0], h[1], h[2]};
    double radius = extent ? fmax(h[0], h[1]) : 0.5 * (h[0] + h[1]);
    switch (geom->type) {
    case TN_GEOM_SPHERE:
        size[0] = extent ? fmax(h[0], fmax(h[1], h[2])) : (h[0] + h[1] + h[2]) / 3.0;
        size[1] = size[2] = 0.0;
        break;
    case TN_GEOM_CAPSULE:
        v3_set(size, radius, fmax(0.0, h[2] - radius * (extent ? 1.0 : 0.5)), 0.0);
        break;
    case TN_GEOM_CYLINDER:
        v3_set(size, radius, h[2], 0.0);
        break;
    case TN_GEOM_ELLIPSOID:
    case TN_GEOM_BOX:
        break;
    case TN_GEOM_PLANE:
    case TN_GEOM_HEIGHT_FIELD:
    case TN_GEOM_MESH:
    case TN_GEOM_SOFT:
        return false;
    }
    v3_scale(geom->size, size, scale);
    return true;
}

bool tn_builder_fit_geom(const TnModelBuilder *builder, TnGeomDef *geom, TnMeshId mesh,
                         TnMeshFit fit, double scale)
{
    if (!builder || !geom) return false;
    if (mesh < 1 || mesh > builder->mesh_count) return false;
    const TnMeshDef *def = &builder->meshes[mesh - 1];
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++)
        if (def->triangles[i] < 0 || def->triangles[i] >= def->vertex_count) return false;
    TnMassProperties mass;
    double moments[3], R[9], h[3], center[3] = {0.0, 0.0, 0.0}, turn[4], moved[3];
    if (!mass_of(def, &mass)) return false;
    axes_of(mass.inertia, moments, R);
    if (fit == TN_FIT_EXTENT)
        extent_box(def, mass.com, R, h, center);
    else
        inertia_box(mass.mass, moments, h);
    if (!set_size(geom, fit, h, scale)) return false;
    m3_mul_v(moved, R, center);
    v3_add(center, moved, mass.com);
    quat_normalize(geom->quat);
    quat_rotate(moved, geom->quat, center);
    v3_add(geom->pos, geom->pos, moved);
    tn_quat_from_m3(turn, R);
    double own[4];
    quat_copy(own, geom->quat);
    quat_mul(geom->quat, own, turn);
    return true;
}
