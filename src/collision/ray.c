/* ray.c: rays against shapes, in the shape's own axes: roots of linear and quadratic equations. */
#include "ray.h"

#include <math.h>

#include "../math/vec3.h"

/* The lesser root of a s² + 2 b s + c that is not negative; -1: there is none. */
static double first_root(double a, double b, double c)
{
    double root = b * b - a * c;
    if (!(a > 0.0) || root < 0.0) return -1.0;
    root = sqrt(root);
    double near = (-b - root) / a, far = (-b + root) / a;
    return near >= 0.0 ? near : far >= 0.0 ? far : -1.0;
}

static void point_at(double x[3], const double p[3], const double d[3], double s)
{
    for (int k = 0; k < 3; k++) x[k] = p[k] + s * d[k];
}

static double ray_plane(const double size[3], const double p[3], const double d[3],
                        double normal[3])
{
    if (!(d[2] < 0.0) || p[2] < 0.0) return -1.0;
    double s = -p[2] / d[2], x[3];
    point_at(x, p, d, s);
    for (int k = 0; k < 2; k++)
        if (size[k] > 0.0 && fabs(x[k]) > size[k]) return -1.0;
    v3_set(normal, 0.0, 0.0, 1.0);
    return s;
}

/* A sphere is an ellipsoid of equal radii. */
static double ray_ellipsoid(const double r[3], const double p[3], const double d[3],
                            double normal[3])
{
    double a = 0.0, b = 0.0, c = -1.0, x[3];
    for (int k = 0; k < 3; k++) {
        double w = 1.0 / (r[k] * r[k]);
        a += w * d[k] * d[k];
        b += w * d[k] * p[k];
        c += w * p[k] * p[k];
    }
    double s = first_root(a, b, c);
    if (s < 0.0) return s;
    point_at(x, p, d, s);
    for (int k = 0; k < 3; k++) normal[k] = x[k] / (r[k] * r[k]);
    v3_normalize(normal);
    return s;
}

/* Both roots on the wall of an endless cylinder about z; false: it is missed. */
static bool wall_roots(double radius, const double p[3], const double d[3], double roots[2])
{
    double a = d[0] * d[0] + d[1] * d[1], b = d[0] * p[0] + d[1] * p[1],
           c = p[0] * p[0] + p[1] * p[1] - radius * radius, root = b * b - a * c;
    if (!(a > 0.0) || root < 0.0) return false;
    roots[0] = (-b - sqrt(root)) / a;
    roots[1] = (-b + sqrt(root)) / a;
    return true;
}

/* Keeps the nearer of two that are not negative. */
static void keep_nearer(double s, const double n[3], double *best, double normal[3])
{
    if (s < 0.0 || (*best >= 0.0 && s >= *best)) return;
    *best = s;
    v3_copy(normal, n);
}

static void ray_wall(double radius, double half, const double p[3], const double d[3], double *best,
                     double normal[3])
{
    double roots[2], x[3];
    if (!wall_roots(radius, p, d, roots)) return;
    for (int i = 0; i < 2; i++) {
        point_at(x, p, d, roots[i]);
        if (fabs(x[2]) > half) continue;
        double n[3] = {x[0] / radius, x[1] / radius, 0.0};
        keep_nearer(roots[i], n, best, normal);
    }
}

static double ray_cylinder(const double size[3], const double p[3], const double d[3],
                           double normal[3])
{
    double best = -1.0;
    ray_wall(size[0], size[1], p, d, &best, normal);
    for (int end = -1; end <= 1 && d[2] != 0.0; end += 2) {
        double s = (end * size[1] - p[2]) / d[2], x[3], n[3] = {0.0, 0.0, end};
        point_at(x, p, d, s);
        if (x[0] * x[0] + x[1] * x[1] <= size[0] * size[0]) keep_nearer(s, n, &best, normal);
    }
    return best;
}

/* Both roots on each cap: from inside the other half of its ball is no surface. */
static double ray_capsule(const double size[3], const double p[3], const double d[3],
                          double normal[3])
{
    double best = -1.0, a = v3_dot(d, d);
    ray_wall(size[0], size[1], p, d, &best, normal);
    for (int end = -1; end <= 1; end += 2) {
        double q[3] = {p[0], p[1], p[2] - end * size[1]}, b = v3_dot(q, d),
               c = v3_dot(q, q) - size[0] * size[0], root = b * b - a * c;
        if (root < 0.0) continue;
        for (int i = -1; i <= 1; i += 2) {
            double s = (-b + i * sqrt(root)) / a, x[3], n[3];
            point_at(x, q, d, s);
            if (end * x[2] < 0.0) continue;
            v3_scale(n, x, 1.0 / size[0]);
            keep_nearer(s, n, &best, normal);
        }
    }
    return best;
}

static double ray_box(const double h[3], const double p[3], const double d[3], double normal[3])
{
    double best = -1.0;
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        for (int side = -1; side <= 1 && d[k] != 0.0; side += 2) {
            double s = (side * h[k] - p[k]) / d[k], x[3], n[3] = {0.0};
            point_at(x, p, d, s);
            if (fabs(x[a]) > h[a] || fabs(x[b]) > h[b]) continue;
            n[k] = side;
            keep_nearer(s, n, &best, normal);
        }
    }
    return best;
}

double tn_ray_shape(TnGeomType type, const double size[3], const double p[3], const double d[3],
                    double normal[3])
{
    const double round[3] = {size[0], size[0], size[0]};
    switch (type) {
    case TN_GEOM_PLANE:
        return ray_plane(size, p, d, normal);
    case TN_GEOM_SPHERE:
        return ray_ellipsoid(round, p, d, normal);
    case TN_GEOM_ELLIPSOID:
        return ray_ellipsoid(size, p, d, normal);
    case TN_GEOM_CAPSULE:
        return ray_capsule(size, p, d, normal);
    case TN_GEOM_CYLINDER:
        return ray_cylinder(size, p, d, normal);
    case TN_GEOM_BOX:
        return ray_box(size, p, d, normal);
    default:
        return -1.0;
    }
}

/* Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997. */
double tn_ray_triangles(const double *vertices, const int32_t *triangles, int count,
                        const double p[3], const double d[3], double most, double normal[3])
{
    double best = -1.0;
    for (int i = 0; i < count; i++) {
        const double *a = vertices + 3L * triangles[3 * i],
                     *b = vertices + 3L * triangles[3 * i + 1],
                     *c = vertices + 3L * triangles[3 * i + 2];
        double ab[3], ac[3], ap[3], q[3], r[3];
        v3_sub(ab, b, a);
        v3_sub(ac, c, a);
        v3_cross(q, d, ac);
        double det = v3_dot(ab, q);
        if (det == 0.0) continue;
        v3_sub(ap, p, a);
        double u = v3_dot(ap, q) / det;
        if (!(u >= 0.0 && u <= 1.0)) continue;
        v3_cross(r, ap, ab);
        double v = v3_dot(d, r) / det, s = v3_dot(ac, r) / det;
        if (!(v >= 0.0 && u + v <= 1.0 && s >= 0.0) || s >= (best >= 0.0 ? best : most)) continue;
        best = s;
        v3_cross(normal, ab, ac);
    }
    if (best >= 0.0) v3_normalize(normal);
    return best;
}

bool tn_ray_meets_ball(const double center[3], double radius, const double p[3], const double d[3],
                       double most)
{
    double q[3];
    v3_sub(q, p, center);
    double c = v3_dot(q, q) - radius * radius, b = v3_dot(q, d), a = v3_dot(d, d);
    if (c <= 0.0) return true;
    if (b >= 0.0 || b * b < a * c) return false;
    double s = (-b - sqrt(b * b - a * c)) / a;
    return s <= most;
}
