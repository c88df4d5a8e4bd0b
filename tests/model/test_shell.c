/* Shells of simple shapes against sums over their surface. */
#include "build.h"

#include "model/mesh/inertia.h"

/* A surface of revolution or a box, as sums over small parts. */
typedef struct Sum {
    double area, square[3];
} Sum;

static void add(Sum *s, double area, double x, double y, double z)
{
    s->area += area;
    s->square[0] += area * x * x;
    s->square[1] += area * y * y;
    s->square[2] += area * z * z;
}

static void check(TnGeomType type, const double size[3], const Sum *s, double tolerance)
{
    double area, moments[3];
    REQUIRE(tn_shell_moments(type, size, &area, moments));
    CHECK_NEAR(area, s->area, tolerance * area);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(moments[k] * area, s->square[(k + 1) % 3] + s->square[(k + 2) % 3],
                   tolerance * moments[k] * area);
}

/* A ring of a surface of revolution: ∫ x² = ∫ y² = ½ r². */
static void add_ring(Sum *s, double radius, double z, double width)
{
    const double pi = 3.14159265358979323846;
    add(s, 2 * pi * radius * width, radius * sqrt(0.5), radius * sqrt(0.5), z);
}

enum { PARTS = 2000 }; /* the midpoint rule is right to about 1 / PARTS² */
#define MIDPOINT 1e-6

static void add_half_sphere(Sum *s, double r, double z, double sign)
{
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < PARTS; k++) {
        double angle = 0.5 * pi * (k + 0.5) / PARTS;
        add_ring(s, r * cos(angle), z + sign * r * sin(angle), r * 0.5 * pi / PARTS);
    }
}

static void add_side(Sum *s, double r, double h)
{
    for (int k = 0; k < PARTS; k++) add_ring(s, r, h * (2 * (k + 0.5) / PARTS - 1), 2 * h / PARTS);
}

TEST(shells_of_round_shapes_are_sums_of_rings)
{
    const double size[3] = {0.2, 0.5, 0};
    Sum sphere = {0}, cylinder = {0}, capsule = {0};
    add_half_sphere(&sphere, 0.2, 0, 1);
    add_half_sphere(&sphere, 0.2, 0, -1);
    check(TN_GEOM_SPHERE, size, &sphere, MIDPOINT);
    add_side(&cylinder, 0.2, 0.5);
    for (int k = 0; k < PARTS; k++)
        for (int end = -1; end <= 1; end += 2)
            add_ring(&cylinder, 0.2 * (k + 0.5) / PARTS, 0.5 * end, 0.2 / PARTS);
    check(TN_GEOM_CYLINDER, size, &cylinder, MIDPOINT);
    add_side(&capsule, 0.2, 0.5);
    add_half_sphere(&capsule, 0.2, 0.5, 1);
    add_half_sphere(&capsule, 0.2, -0.5, -1);
    check(TN_GEOM_CAPSULE, size, &capsule, MIDPOINT);
}

TEST(a_boxs_shell_is_a_sum_of_squares)
{
    enum { N = 400 };
    const double h[3] = {0.1, 0.2, 0.4};
    Sum s = {0};
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int u = (axis + 1) % 3, v = (axis + 2) % 3;
                double p[3];
                p[axis] = h[axis];
                p[u] = h[u] * (2 * (i + 0.5) / N - 1);
                p[v] = h[v] * (2 * (j + 0.5) / N - 1);
                add(&s, 2 * 4 * h[u] * h[v] / N / N, p[0], p[1], p[2]);
            }
    check(TN_GEOM_BOX, h, &s, 1e-5); /* the midpoint rule with 400 parts */
}

/* All three radii equal: Thomsen's area is exact, and the layer is even. */
TEST(an_even_ellipsoids_shell_is_a_spheres)
{
    const double size[3] = {0.3, 0.3, 0.3};
    double area, other, moments[3], expected[3];
    REQUIRE(tn_shell_moments(TN_GEOM_ELLIPSOID, size, &area, moments));
    REQUIRE(tn_shell_moments(TN_GEOM_SPHERE, size, &other, expected));
    CHECK_NEAR(area, other, 1e-12 * area);
    /* the layer has a thickness of 1e-6 m */
    for (int k = 0; k < 3; k++) CHECK_NEAR(moments[k], expected[k], 1e-5 * expected[k]);
}

TEST(planes_and_meshes_have_no_shell)
{
    const double size[3] = {1, 1, 1};
    double area, moments[3];
    CHECK(!tn_shell_moments(TN_GEOM_PLANE, size, &area, moments));
    CHECK(!tn_shell_moments(TN_GEOM_MESH, size, &area, moments));
}
