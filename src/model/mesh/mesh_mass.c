/* mesh_mass.c: mass properties of a mesh of density 1.
 *
 * A solid is the sum of the tetrahedra between a point and each triangle, with signs, so that what
 * lies outside cancels. With corners a, b, c about that point, s = a + b + c and volume V, a
 * tetrahedron has
 *     ∫ x xᵀ = V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ);  a triangle of area V the same with V/12.
 * The inertia is tr(P) 1 - P of the sum P of these.
 *
 * Where the surface has holes, the sums depend on the point. To agree with MuJoCo there as well,
 * the first point is the centroid of the triangles, which gives the centre of mass, and the second
 * is that centre, which gives volume and inertia. MuJoCo's default ("legacy") drops the signs. */
#include "mesh.h"

#include "../../math/vec3.h"

typedef struct Corners {
    const double *a, *b, *c;
} Corners;

static Corners corners_of(const double *vertices, const int32_t *triangle)
{
    return (Corners){vertices + 3 * (size_t)triangle[0], vertices + 3 * (size_t)triangle[1],
                     vertices + 3 * (size_t)triangle[2]};
}

static double area_of(const Corners *t)
{
    double u[3], v[3], n[3];
    v3_sub(u, t->b, t->a);
    v3_sub(v, t->c, t->a);
    v3_cross(n, u, v);
    return 0.5 * v3_norm(n);
}

/* The corners about a point, and the volume between it and the triangle. */
static double tetrahedron(const Corners *t, const double point[3], bool drop_sign, double p[3][3])
{
    double n[3];
    v3_sub(p[0], t->a, point);
    v3_sub(p[1], t->b, point);
    v3_sub(p[2], t->c, point);
    v3_cross(n, p[0], p[1]);
    double volume = v3_dot(n, p[2]) / 6.0;
    return drop_sign ? fabs(volume) : volume;
}

/* P += weight (Σ p pᵀ + s sᵀ) */
static void add_moments(double P[9], double weight, double p[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double s = (p[0][i] + p[1][i] + p[2][i]) * (p[0][j] + p[1][j] + p[2][j]);
            for (int k = 0; k < 3; k++) s += p[k][i] * p[k][j];
            P[3 * i + j] += weight * s;
        }
}

TnMeshMassStatus tn_mesh_mass(TnMeshInertia mode, const double *vertices, const int32_t *triangles,
                              int triangle_count, TnMassProperties *out)
{
    *out = (TnMassProperties){0};
    bool shell = mode == TN_MESH_SHELL, drop_sign = mode == TN_MESH_LEGACY;
    double area = 0.0, middle[3] = {0.0, 0.0, 0.0}, P[9] = {0.0}, p[3][3];
    for (int i = 0; i < triangle_count; i++) {
        Corners t = corners_of(vertices, triangles + 3 * (size_t)i);
        double part = area_of(&t);
        area += part;
        for (int k = 0; k < 3; k++) middle[k] += part * (t.a[k] + t.b[k] + t.c[k]) / 3.0;
    }
    if (!(area > 0.0)) return TN_MESH_MASS_NONE;
    v3_scale(middle, middle, 1.0 / area);

    double volume = 0.0;
    if (shell) v3_copy(out->com, middle);
    for (int i = 0; i < triangle_count && !shell; i++) {
        Corners t = corners_of(vertices, triangles + 3 * (size_t)i);
        double part = tetrahedron(&t, middle, drop_sign, p);
        volume += part;
        for (int k = 0; k < 3; k++) out->com[k] += part * 0.25 * (p[0][k] + p[1][k] + p[2][k]);
    }
    if (!shell) {
        if (volume < 0.0) return TN_MESH_MASS_NEGATIVE;
        if (!(volume > 0.0)) return TN_MESH_MASS_NONE;
        for (int k = 0; k < 3; k++) out->com[k] = middle[k] + out->com[k] / volume;
    }

    for (int i = 0; i < triangle_count; i++) {
        Corners t = corners_of(vertices, triangles + 3 * (size_t)i);
        double part = tetrahedron(&t, out->com, drop_sign, p);
        if (shell) part = area_of(&t);
        out->mass += part;
        add_moments(P, part / (shell ? 12.0 : 20.0), p);
    }
    if (out->mass < 0.0) return TN_MESH_MASS_NEGATIVE;
    if (!(out->mass > 0.0)) return TN_MESH_MASS_NONE;
    double trace = P[0] + P[4] + P[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->inertia[3 * i + j] = (i == j ? trace : 0.0) - 0.5 * (P[3 * i + j] + P[3 * j + i]);
    return TN_MESH_MASS_GOOD;
}
