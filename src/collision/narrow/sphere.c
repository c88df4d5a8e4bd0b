/* sphere.c: a sphere with another sphere, a capsule, a cylinder or a box, in closed form.
 *
 * Outside, the nearest point q of the other shape's core gives n = (q - c)/|q - c|. With the centre
 * inside, n points against the nearest face. One point with one id: as a sphere rolls from a face
 * over an edge it stays the same contact. */
#include "../../math/vec3.h"
#include "narrow.h"

/* Centre c, nearest core point q, radii of both; `fallback`: the normal where c is on the core. */
static bool point_contact(const double c[3], double radius, const double q[3], double other_radius,
                          const double fallback[3], double margin, TnManifold *out)
{
    double d[3], pos[3];
    v3_sub(d, q, c);
    double distance = v3_norm(d), gap = distance - radius - other_radius;
    if (!(gap <= margin)) return true;
    if (distance > 0.0)
        v3_scale(out->normal, d, 1.0 / distance);
    else
        v3_copy(out->normal, fallback);
    v3_copy(pos, c);
    v3_add_scaled(pos, out->normal, radius + 0.5 * gap);
    tn_manifold_add(out, margin, pos, gap, 0);
    return true;
}

bool tn_collide_sphere_sphere(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    const double up[3] = {0.0, 0.0, 1.0};
    return point_contact(a->at->pos, a->shape->size[0], b->at->pos, b->shape->size[0], up, margin,
                         out);
}

bool tn_collide_sphere_capsule(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    double axis[3], d[3], q[3], half = b->shape->size[1], side[3];
    m3_column(axis, b->at->rot, 2);
    m3_column(side, b->at->rot, 0);
    v3_sub(d, a->at->pos, b->at->pos);
    double t = v3_dot(d, axis);
    t = t < -half ? -half : t > half ? half : t;
    v3_copy(q, b->at->pos);
    v3_add_scaled(q, axis, t);
    return point_contact(a->at->pos, a->shape->size[0], q, b->shape->size[0], side, margin, out);
}

/* A centre inside a solid: n against the outward face normal (local axes), depth measured to that
 * face. */
static bool inside_contact(const TnPlaced *a, const TnPlaced *b, const double face[3], double depth,
                           double margin, TnManifold *out)
{
    double gap = -depth - a->shape->size[0], pos[3];
    m3_mul_v(out->normal, b->at->rot, face);
    v3_scale(out->normal, out->normal, -1.0);
    v3_copy(pos, a->at->pos);
    v3_add_scaled(pos, out->normal, a->shape->size[0] + 0.5 * gap);
    tn_manifold_add(out, margin, pos, gap, 0);
    return true;
}

static bool outside_contact(const TnPlaced *a, const TnPlaced *b, const double local_q[3],
                            const double face[3], double margin, TnManifold *out)
{
    double q[3], n[3];
    m3_mul_v(q, b->at->rot, local_q);
    v3_add(q, q, b->at->pos);
    m3_mul_v(n, b->at->rot, face);
    v3_scale(n, n, -1.0);
    return point_contact(a->at->pos, a->shape->size[0], q, 0.0, n, margin, out);
}

bool tn_collide_sphere_box(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    const double *h = b->shape->size;
    double c[3], d[3], q[3], outside2 = 0.0, depth = INFINITY, face[3] = {0.0, 0.0, 0.0};
    int axis = 0;
    v3_sub(d, a->at->pos, b->at->pos);
    m3_tmul_v(c, b->at->rot, d);
    for (int i = 0; i < 3; i++) {
        q[i] = c[i] < -h[i] ? -h[i] : c[i] > h[i] ? h[i] : c[i];
        outside2 += (c[i] - q[i]) * (c[i] - q[i]);
        if (h[i] - fabs(c[i]) < depth) {
            depth = h[i] - fabs(c[i]);
            axis = i;
        }
    }
    face[axis] = c[axis] < 0.0 ? -1.0 : 1.0;
    /* on the surface within rounding the difference has no direction left: the face does */
    double tiny = 1e-9 * h[axis];
    if (outside2 <= tiny * tiny) return inside_contact(a, b, face, depth, margin, out);
    return outside_contact(a, b, q, face, margin, out);
}

bool tn_collide_sphere_cylinder(const TnPlaced *a, const TnPlaced *b, double margin,
                                TnManifold *out)
{
    double r = b->shape->size[0], h = b->shape->size[1], c[3], d[3];
    v3_sub(d, a->at->pos, b->at->pos);
    m3_tmul_v(c, b->at->rot, d);
    double rho = sqrt(c[0] * c[0] + c[1] * c[1]), end = c[2] < 0.0 ? -1.0 : 1.0;
    double u[2] = {rho > 0.0 ? c[0] / rho : 1.0, rho > 0.0 ? c[1] / rho : 0.0};
    double to_side = r - rho, to_cap = h - fabs(c[2]);
    double face[3] = {0.0, 0.0, end};
    if (to_side < to_cap) v3_set(face, u[0], u[1], 0.0);
    if (fmin(to_side, to_cap) >= -1e-9 * fmin(r, h))
        return inside_contact(a, b, face, fmin(to_side, to_cap), margin, out);
    double q[3] = {to_side < 0.0 ? r * u[0] : c[0], to_side < 0.0 ? r * u[1] : c[1],
                   to_cap < 0.0 ? end * h : c[2]};
    return outside_contact(a, b, q, face, margin, out);
}
