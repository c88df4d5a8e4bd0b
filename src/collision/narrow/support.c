/* support.c: support mapping of the cores.
 *
 *     s(d) = argmax over the core of d · x
 *
 * In local axes: a box takes the sign of each component, a cylinder the rim point under d's
 * projection on its disc, an ellipsoid with radii r the point r² d / |r d|, a mesh the best
 * vertex (model/mesh/hull.c). */
#include "../../math/vec3.h"
#include "../../model/mesh/hull.h"
#include "narrow.h"

double tn_core_radius(const TnShape *shape)
{
    return shape->type == TN_GEOM_SPHERE || shape->type == TN_GEOM_CAPSULE ? shape->size[0] : 0.0;
}

double tn_shape_extent(const TnShape *shape)
{
    const double *s = shape->size;
    switch (shape->type) {
    case TN_GEOM_SPHERE:
        return s[0];
    case TN_GEOM_CAPSULE:
        return s[0] + s[1];
    case TN_GEOM_ELLIPSOID:
        return fmax(s[0], fmax(s[1], s[2]));
    case TN_GEOM_CYLINDER:
        return sqrt(s[0] * s[0] + s[1] * s[1]);
    case TN_GEOM_BOX:
        return v3_norm(s);
    case TN_GEOM_MESH: {
        if (shape->hull) return shape->hull->radius;
        double best = 0.0;
        for (int i = 0; i < shape->mesh_vertex_count; i++) {
            const double *v = shape->mesh_vertices + 3 * i;
            best = fmax(best, v3_dot(v, v));
        }
        return sqrt(best);
    }
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
        break;
    }
    return INFINITY;
}

static void support_local(const TnShape *shape, const double d[3], double p[3])
{
    const double *s = shape->size;
    v3_zero(p);
    switch (shape->type) {
    case TN_GEOM_CAPSULE:
        p[2] = d[2] >= 0.0 ? s[1] : -s[1];
        break;
    case TN_GEOM_ELLIPSOID: {
        double e[3] = {s[0] * d[0], s[1] * d[1], s[2] * d[2]};
        v3_normalize(e);
        for (int i = 0; i < 3; i++) p[i] = s[i] * e[i];
        break;
    }
    case TN_GEOM_CYLINDER: {
        double radial = sqrt(d[0] * d[0] + d[1] * d[1]);
        p[0] = radial > 0.0 ? s[0] * d[0] / radial : s[0];
        p[1] = radial > 0.0 ? s[0] * d[1] / radial : 0.0;
        p[2] = d[2] >= 0.0 ? s[1] : -s[1];
        break;
    }
    case TN_GEOM_BOX:
        for (int i = 0; i < 3; i++) p[i] = d[i] >= 0.0 ? s[i] : -s[i];
        break;
    case TN_GEOM_MESH: {
        const double *v = shape->mesh_vertices, *best = v;
        if (shape->hull) {
            v3_copy(p, v + 3 * (size_t)tn_hull_support(shape->hull, d));
            break;
        }
        double top = v3_dot(v, d);
        for (int i = 1; i < shape->mesh_vertex_count; i++) {
            double h = v3_dot(v + 3 * i, d);
            if (h > top) {
                top = h;
                best = v + 3 * i;
            }
        }
        v3_copy(p, best);
        break;
    }
    case TN_GEOM_SPHERE:
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
        break;
    }
}

void tn_support_core(const TnPlaced *s, const double d[3], double p[3])
{
    double local_d[3], local_p[3];
    m3_tmul_v(local_d, s->at->rot, d);
    support_local(s->shape, local_d, local_p);
    m3_mul_v(p, s->at->rot, local_p);
    v3_add(p, p, s->at->pos);
}

void tn_minkowski(const TnPlaced *a, const TnPlaced *b, const double d[3], double w[3],
                  double sa[3])
{
    double back[3] = {-d[0], -d[1], -d[2]}, sb[3];
    tn_support_core(a, d, sa);
    tn_support_core(b, back, sb);
    v3_sub(w, sa, sb);
}
