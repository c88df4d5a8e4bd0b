/* shapes.h: shapes at random places and an independent oracle for the gap of a convex pair, shared
 * by the collision tests. */
#ifndef TN_TESTS_COLLISION_SHAPES_H
#define TN_TESTS_COLLISION_SHAPES_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <tenon/collide.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline double uniform(Random *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(r->state >> 11) / 9007199254740992.0;
}

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void rotation_from_quat(const double q[4], double R[9])
{
    double s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double m[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                   s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                   s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

static inline TnTransform at(double x, double y, double z)
{
    return (TnTransform){{x, y, z}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/* Turned about the axis by the angle. */
static inline TnTransform turned(double x, double y, double z, const double axis[3], double angle)
{
    TnTransform t = at(x, y, z);
    double length = sqrt(dot3(axis, axis)), s = sin(0.5 * angle) / length;
    rotation_from_quat((double[4]){cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]}, t.rot);
    return t;
}

static inline TnTransform random_place(Random *r, double spread)
{
    TnTransform t =
        at(uniform(r, -spread, spread), uniform(r, -spread, spread), uniform(r, -spread, spread));
    double q[4], n2 = 0.0;
    do {
        n2 = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = uniform(r, -1, 1);
            n2 += q[i] * q[i];
        }
    } while (n2 > 1.0 || n2 < 1e-3);
    rotation_from_quat(q, t.rot);
    return t;
}

#define RANDOM_MESH_VERTICES 24
/* Any convex type but a plane; sizes around `scale`. `vertices` holds a mesh's. */
static inline TnShape random_shape(Random *r, TnGeomType type, double scale,
                                   double vertices[3 * RANDOM_MESH_VERTICES])
{
    TnShape s = {.type = type};
    for (int i = 0; i < 3; i++) s.size[i] = scale * uniform(r, 0.3, 1.0);
    if (type == TN_GEOM_MESH) {
        for (int i = 0; i < 3 * RANDOM_MESH_VERTICES; i++)
            vertices[i] = s.size[i % 3] * uniform(r, -1, 1);
        s.mesh_vertices = vertices;
        s.mesh_vertex_count = RANDOM_MESH_VERTICES;
    }
    return s;
}

static inline TnShape box_mesh(const double h[3], double vertices[24])
{
    for (int c = 0; c < 8; c++)
        for (int i = 0; i < 3; i++) vertices[3 * c + i] = c >> i & 1 ? h[i] : -h[i];
    return (TnShape){.type = TN_GEOM_MESH, .mesh_vertices = vertices, .mesh_vertex_count = 8};
}

/* Largest d·x over the shape, world axes: written from the definitions, apart from the library's.
 */
static inline double support_value(const TnShape *s, const TnTransform *t, const double d[3])
{
    const double *z = s->size;
    double l[3], value = 0.0;
    for (int i = 0; i < 3; i++)
        l[i] = t->rot[i] * d[0] + t->rot[3 + i] * d[1] + t->rot[6 + i] * d[2];
    switch (s->type) {
    case TN_GEOM_SPHERE:
        value = z[0] * sqrt(dot3(l, l));
        break;
    case TN_GEOM_CAPSULE:
        value = z[0] * sqrt(dot3(l, l)) + z[1] * fabs(l[2]);
        break;
    case TN_GEOM_ELLIPSOID:
        value = sqrt(pow(z[0] * l[0], 2) + pow(z[1] * l[1], 2) + pow(z[2] * l[2], 2));
        break;
    case TN_GEOM_CYLINDER:
        value = z[0] * sqrt(l[0] * l[0] + l[1] * l[1]) + z[1] * fabs(l[2]);
        break;
    case TN_GEOM_BOX:
        value = z[0] * fabs(l[0]) + z[1] * fabs(l[1]) + z[2] * fabs(l[2]);
        break;
    default:
        value = -INFINITY;
        for (int i = 0; i < s->mesh_vertex_count; i++)
            value = fmax(value, dot3(s->mesh_vertices + 3 * i, l));
    }
    return value + dot3(t->pos, d);
}

/* How far b lies beyond a along the unit vector n. */
static inline double separation(const TnShape *a, const TnTransform *ta, const TnShape *b,
                                const TnTransform *tb, const double n[3])
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return -support_value(b, tb, back) - support_value(a, ta, n);
}

/* Largest separation over many directions, each refined by shrinking random steps: a lower bound of
 * the pair's gap. */
static inline double oracle_gap(const TnShape *a, const TnTransform *ta, const TnShape *b,
                                const TnTransform *tb, Random *r)
{
    double best = -INFINITY, n[3] = {0, 0, 1};
    for (int k = 0; k < 3000; k++) {
        double step = k < 600 ? 2.0 : pow(10.0, -1.0 - (k - 600) / 350.0), d[3];
        for (int i = 0; i < 3; i++) d[i] = (k < 600 ? 0.0 : n[i]) + step * uniform(r, -1, 1);
        double length = sqrt(dot3(d, d));
        if (length < 1e-3) continue;
        for (int i = 0; i < 3; i++) d[i] /= length;
        double gap = separation(a, ta, b, tb, d);
        if (gap > best) {
            best = gap;
            memcpy(n, d, sizeof n);
        }
    }
    return best;
}

static inline double lowest_gap(const TnManifold *m)
{
    double low = INFINITY;
    for (int i = 0; i < m->count; i++) low = fmin(low, m->points[i].gap);
    return low;
}

#endif
