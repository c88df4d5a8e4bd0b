/* Mass properties of meshes against formulas, and against MuJoCo's numbers where a mesh is not
 * closed or not convex. */
#include "build.h"
#include "model/mesh/mesh.h"

static void check_matrix(const double *found, const double *wanted, double tolerance, int line)
{
    for (int k = 0; k < 9; k++)
        if (!(fabs(found[k] - wanted[k]) <= tolerance))
            test_fail(__FILE__, line, "[%d] is %.17g, expected %.17g", k, found[k], wanted[k]);
}

TEST(tetrahedron_has_the_moments_of_its_formula)
{
    /* The corner of a cube with edges a, b, c: V = abc/6, centre (a, b, c)/4; the integral of x² is
     * V a²/10 and that of xy V ab/20, taken about the corner. */
    const double a = 0.5, b = 0.7, c = 1.1;
    const double vertices[12] = {0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c};
    const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    double V = a * b * c / 6.0, e[3] = {a, b, c}, P[9], I[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            P[3 * i + j] = V * e[i] * e[j] * (i == j ? 0.1 : 0.05) - V * e[i] * e[j] / 16.0;
    for (int k = 0; k < 9; k++) I[k] = (k % 4 == 0 ? P[0] + P[4] + P[8] : 0.0) - P[k];
    static const TnMeshInertia modes[3] = {TN_MESH_CONVEX, TN_MESH_EXACT, TN_MESH_LEGACY};
    for (int m = 0; m < 3; m++) {
        TnMassProperties mass;
        CHECK(tn_mesh_mass(modes[m], vertices, triangles, 4, &mass) == TN_MESH_MASS_GOOD);
        CHECK_NEAR(mass.mass, V, 1e-16); /* roundings of sums of four numbers */
        for (int k = 0; k < 3; k++) CHECK_NEAR(mass.com[k], 0.25 * e[k], 1e-15);
        check_matrix(mass.inertia, I, 1e-16, __LINE__);
    }
}

/* A regular polygon of n corners in a circle of radius r has the area ½ n r² sin(2π/n), and the
 * mean of x² + y² over it is r²/6 (2 + cos(2π/n)). */
TEST(prism_has_the_moments_of_its_formula_and_nears_a_cylinder)
{
    enum { SIDES = 400 };
    static double vertices[3 * (2 * SIDES + 2)];
    static int32_t triangles[12 * SIDES];
    const double r = 0.3, h = 0.8; /* half height */
    for (int i = 0; i < SIDES; i++)
        for (int top = 0; top < 2; top++)
            v3_set(vertices + 3 * (2 * i + top), r * cos(2 * M_PI * i / SIDES) + 5.0,
                   r * sin(2 * M_PI * i / SIDES), top ? h : -h);
    for (int top = 0; top < 2; top++) v3_set(vertices + 3 * (2 * SIDES + top), 5, 0, top ? h : -h);
    for (int i = 0; i < SIDES; i++) {
        int32_t a = 2 * i, b = 2 * ((i + 1) % SIDES), low = 2 * SIDES;
        const int32_t part[12] = {a, b, b + 1, a, b + 1, a + 1, b, a, low, a + 1, b + 1, low + 1};
        memcpy(triangles + 12 * i, part, sizeof part);
    }
    double step = 2 * M_PI / SIDES, V = 0.5 * SIDES * r * r * sin(step) * 2 * h;
    double square = r * r / 6.0 * (2.0 + cos(step)); /* mean of x² + y² */
    double across = V * (0.5 * square + h * h / 3.0);
    TnMassProperties mass;
    CHECK(tn_mesh_mass(TN_MESH_EXACT, vertices, triangles, 4 * SIDES, &mass) == TN_MESH_MASS_GOOD);
    /* sums of 1600 numbers */
    CHECK_NEAR(mass.mass, V, 1e-13);
    CHECK_NEAR(mass.com[0], 5.0, 1e-13);
    const double wanted[9] = {across, 0, 0, 0, across, 0, 0, 0, V * square};
    check_matrix(mass.inertia, wanted, 1e-13, __LINE__);
    double volume, moments[3], size[3] = {r, h, 0};
    CHECK(tn_shape_moments(TN_GEOM_CYLINDER, size, &volume, moments));
    /* the polygon lacks (2π/n)²/6 = 4e-5 of the circle's area, and twice that of its moments */
    CHECK_NEAR(mass.mass, volume, 1e-4 * volume);
    CHECK_NEAR(mass.inertia[8], volume * moments[2], 1e-4 * volume * moments[2]);

    /* as a sheet: 2 rims of polygon area and the sides */
    CHECK(tn_mesh_mass(TN_MESH_SHELL, vertices, triangles, 4 * SIDES, &mass) == TN_MESH_MASS_GOOD);
    double lid = 0.5 * SIDES * r * r * sin(step), wall = SIDES * 2 * r * sin(0.5 * step) * 2 * h;
    /* of a wall: mean of x² + y² along a chord is r² (1 - 2/3 sin²(π/n)) */
    double chord = r * r * (1.0 - 2.0 / 3.0 * pow(sin(0.5 * step), 2));
    CHECK_NEAR(mass.mass, 2 * lid + wall, 1e-12);
    CHECK_NEAR(mass.inertia[8], 2 * lid * square + wall * chord, 1e-12);
}

/* A prism over a U: concave, and not even seen whole from one point within. MuJoCo 4.0 gives these
 * numbers for the same vertices and faces. */
TEST(hollow_mesh_has_mujocos_mass_in_every_mode)
{
    static const double outline[8][2] = {{0, 0}, {3, 0}, {3, 3}, {2, 3},
                                         {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    static const int lids[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 3},
                                   {1, 3, 4}, {0, 5, 6}, {0, 6, 7}};
    double vertices[48];
    int32_t triangles[84];
    int count = 0;
    for (int i = 0; i < 8; i++)
        for (int top = 0; top < 2; top++)
            v3_set(vertices + 3 * (i + 8 * top), outline[i][0], outline[i][1], top);
    for (int i = 0; i < 6; i++) {
        const int *t = lids[i];
        const int32_t both[6] = {t[0], t[2], t[1], t[0] + 8, t[1] + 8, t[2] + 8};
        memcpy(triangles + 3 * count, both, sizeof both);
        count += 2;
    }
    for (int i = 0; i < 8; i++) {
        int32_t j = (i + 1) % 8;
        const int32_t both[6] = {i, j, j + 8, i, j + 8, i + 8};
        memcpy(triangles + 3 * count, both, sizeof both);
        count += 2;
    }
    TnMassProperties mass;
    CHECK(tn_mesh_mass(TN_MESH_EXACT, vertices, triangles, count, &mass) == TN_MESH_MASS_GOOD);
    CHECK_NEAR(mass.mass, 7.0, 1e-14);
    CHECK_NEAR(mass.com[1], 1.35714286, 1e-8); /* as printed */
    CHECK_NEAR(mass.inertia[0], 6.023809524, 1e-9);
    CHECK(tn_mesh_mass(TN_MESH_LEGACY, vertices, triangles, count, &mass) == TN_MESH_MASS_GOOD);
    CHECK_NEAR(mass.mass, 8.617540091638033, 1e-12);
    CHECK_NEAR(mass.com[1], 1.42631014, 1e-8);
    CHECK_NEAR(mass.inertia[0], 6.699129129, 1e-9);
    CHECK_NEAR(mass.inertia[4], 7.461754009, 1e-9);
    CHECK_NEAR(mass.inertia[8], 12.832462462, 1e-9);
    CHECK(tn_mesh_mass(TN_MESH_SHELL, vertices, triangles, count, &mass) == TN_MESH_MASS_GOOD);
    CHECK_NEAR(mass.mass, 30.0, 1e-13);
    CHECK_NEAR(mass.com[1], 1.43333333, 1e-8);
    CHECK_NEAR(mass.inertia[8], 61.533333333, 1e-8); /* rounded like the others */
}

TEST(inside_out_and_empty_surfaces_are_told)
{
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t inward[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0}, line[3] = {0, 1, 1};
    TnMassProperties mass;
    CHECK(tn_mesh_mass(TN_MESH_EXACT, vertices, inward, 4, &mass) == TN_MESH_MASS_NEGATIVE);
    CHECK(tn_mesh_mass(TN_MESH_LEGACY, vertices, inward, 4, &mass) == TN_MESH_MASS_GOOD);
    CHECK(tn_mesh_mass(TN_MESH_SHELL, vertices, line, 1, &mass) == TN_MESH_MASS_NONE);
    CHECK(tn_mesh_mass(TN_MESH_EXACT, vertices, inward, 1, &mass) == TN_MESH_MASS_NONE); /* flat */
    CHECK(tn_mesh_mass(TN_MESH_EXACT, vertices, inward, 0, &mass) == TN_MESH_MASS_NONE);
}
