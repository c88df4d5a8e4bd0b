/* soft_distance.c: signed distance from the surface of a rigid geom to a point, and which way it
 * grows.
 *
 * A point of a thin surface that has got deep into a geom may be nearest to the side on which its
 * body is not. It is sent back the way it came: against the surface's outward normal n there. Among
 * a box's faces f the nearest counts of those with f · n < TN_SOFT_AGAINST; other shapes are left
 * along -n. */
#include "../../math/vec3.h"
#include "soft_surface.h"

static double core_distance(const double p[3], const double core[3], double radius,
                            const double fallback[3], double out[3])
{
    v3_sub(out, p, core);
    double distance = v3_norm(out);
    if (distance > 1e-12 * radius)
        v3_scale(out, out, 1.0 / distance);
    else
        v3_copy(out, fallback);
    return distance - radius;
}

static double capsule_distance(const TnPlaced *g, const double p[3], double out[3])
{
    double axis[3], side[3], d[3], q[3], half = g->shape->size[1];
    m3_column(axis, g->at->rot, 2);
    m3_column(side, g->at->rot, 0);
    v3_sub(d, p, g->at->pos);
    double t = v3_dot(d, axis);
    t = t < -half ? -half : t > half ? half : t;
    v3_copy(q, g->at->pos);
    v3_add_scaled(q, axis, t);
    return core_distance(p, q, g->shape->size[0], side, out);
}

/* `excess`: of each coordinate over the half length, in the shape's own axes, where at least one is
 * positive. */
static double outside(const double rot[9], const double excess[3], const double c[3], double out[3])
{
    double local[3];
    for (int i = 0; i < 3; i++)
        local[i] = excess[i] > 0.0 ? (c[i] < 0.0 ? -excess[i] : excess[i]) : 0.0;
    double distance = v3_norm(local);
    v3_scale(local, local, 1.0 / distance);
    m3_mul_v(out, rot, local);
    return distance;
}

static double box_distance(const TnPlaced *g, const double p[3], double out[3])
{
    const double *h = g->shape->size;
    double d[3], c[3], excess[3];
    v3_sub(d, p, g->at->pos);
    m3_tmul_v(c, g->at->rot, d);
    int nearest = 0;
    for (int i = 0; i < 3; i++) {
        excess[i] = fabs(c[i]) - h[i];
        if (excess[i] > excess[nearest]) nearest = i;
    }
    /* on the surface within rounding the difference has no direction left: the face does */
    if (excess[nearest] > 1e-9 * h[nearest]) return outside(g->at->rot, excess, c, out);
    m3_column(out, g->at->rot, nearest);
    if (c[nearest] < 0.0) v3_scale(out, out, -1.0);
    return excess[nearest];
}

static double cylinder_distance(const TnPlaced *g, const double p[3], double out[3])
{
    double r = g->shape->size[0], h = g->shape->size[1], d[3], c[3], axis[3];
    v3_sub(d, p, g->at->pos);
    m3_tmul_v(c, g->at->rot, d);
    m3_column(axis, g->at->rot, 2);
    double rho = sqrt(c[0] * c[0] + c[1] * c[1]);
    double u[3] = {rho > 0.0 ? c[0] / rho : 1.0, rho > 0.0 ? c[1] / rho : 0.0, 0.0}, radial[3];
    double side = rho - r, cap = fabs(c[2]) - h, sign = c[2] < 0.0 ? -1.0 : 1.0;
    m3_mul_v(radial, g->at->rot, u);
    if (side > 1e-9 * r && cap > 1e-9 * h) {
        double distance = sqrt(side * side + cap * cap);
        v3_scale(out, radial, side / distance);
        v3_add_scaled(out, axis, sign * cap / distance);
        return distance;
    }
    if (side > cap)
        v3_copy(out, radial);
    else
        v3_scale(out, axis, sign);
    return side > cap ? side : cap;
}

double tn_soft_distance(const TnPlaced *g, const double p[3], double out[3])
{
    switch (g->shape->type) {
    case TN_GEOM_PLANE: {
        double d[3];
        m3_column(out, g->at->rot, 2);
        v3_sub(d, p, g->at->pos);
        return v3_dot(out, d);
    }
    case TN_GEOM_SPHERE:
        return core_distance(p, g->at->pos, g->shape->size[0], (const double[3]){0.0, 0.0, 1.0},
                             out);
    case TN_GEOM_CAPSULE:
        return capsule_distance(g, p, out);
    case TN_GEOM_BOX:
        return box_distance(g, p, out);
    case TN_GEOM_CYLINDER:
        return cylinder_distance(g, p, out);
    default: {
        TnShape shape = {.type = TN_GEOM_SPHERE};
        TnTransform at = {{p[0], p[1], p[2]}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        TnPlaced point = {&shape, &at};
        TnWitness w;
        tn_convex_witness(&point, g, 0.0, &w);
        v3_scale(out, w.normal, -1.0);
        return w.gap;
    }
    }
}

double tn_soft_way_out(const TnPlaced *g, const double p[3], const double n[3], double out[3])
{
    if (g->shape->type == TN_GEOM_BOX) {
        const double *h = g->shape->size;
        double d[3], c[3], best = -INFINITY;
        v3_sub(d, p, g->at->pos);
        m3_tmul_v(c, g->at->rot, d);
        for (int i = 0; i < 6; i++) {
            double face[3], sign = i % 2 ? -1.0 : 1.0, distance = sign * c[i / 2] - h[i / 2];
            m3_column(face, g->at->rot, i / 2);
            v3_scale(face, face, sign);
            if (distance <= best || v3_dot(face, n) > TN_SOFT_AGAINST) continue;
            best = distance;
            v3_copy(out, face);
        }
        return best;
    }
    double top[3];
    v3_scale(out, n, -1.0);
    tn_support_core(g, out, top);
    v3_sub(top, p, top);
    return v3_dot(out, top) - tn_core_radius(g->shape);
}
