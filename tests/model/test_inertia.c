/* Closed forms against integrals over cross-sections, and the algebra of mass properties. */
#include "build.h"

#include "model/mesh/inertia.h"

/* Half axes of the cross-section at height z; true: an ellipse, false: a rectangle. */
typedef bool (*SectionFn)(const double *size, double z, double *a, double *b);

static bool sphere_section(const double *s, double z, double *a, double *b)
{
    *a = *b = sqrt(fmax(s[0] * s[0] - z * z, 0.0));
    return true;
}
static bool ellipsoid_section(const double *s, double z, double *a, double *b)
{
    double f = sqrt(fmax(1.0 - z * z / (s[2] * s[2]), 0.0));
    *a = s[0] * f;
    *b = s[1] * f;
    return true;
}
static bool cylinder_section(const double *s, double z, double *a, double *b)
{
    (void)z;
    *a = *b = s[0];
    return true;
}
static bool capsule_section(const double *s, double z, double *a, double *b)
{
    double over = fmax(fabs(z) - s[1], 0.0);
    *a = *b = sqrt(fmax(s[0] * s[0] - over * over, 0.0));
    return true;
}
static bool box_section(const double *s, double z, double *a, double *b)
{
    (void)z;
    *a = s[0];
    *b = s[1];
    return false;
}

/* Volume and second moments ∫x², ∫y², ∫z² of the piece between two heights, by Simpson's rule. */
static void integrate_piece(SectionFn section, const double *size, double z0, double z1,
                            double sums[4])
{
    const int n = 200;
    for (int i = 0; i <= n; i++) {
        double z = z0 + (z1 - z0) * i / n, a, b;
        double w = (z1 - z0) / n / 3.0 * (i == 0 || i == n ? 1.0 : i % 2 ? 4.0 : 2.0);
        bool ellipse = section(size, z, &a, &b);
        double area = ellipse ? M_PI * a * b : 4.0 * a * b, spread = ellipse ? 0.25 : 1.0 / 3.0;
        sums[0] += w * area;
        sums[1] += w * area * a * a * spread;
        sums[2] += w * area * b * b * spread;
        sums[3] += w * area * z * z;
    }
}

static void check_shape(TnGeomType type, const double size[3], SectionFn section,
                        const double *heights, int height_count)
{
    double sums[4] = {0}, volume, moments[3];
    for (int i = 0; i + 1 < height_count; i++)
        integrate_piece(section, size, heights[i], heights[i + 1], sums);
    REQUIRE(tn_shape_moments(type, size, &volume, moments));
    double expected[3] = {sums[2] + sums[3], sums[1] + sums[3], sums[1] + sums[2]};
    /* Piecewise polynomials of degree 4: Simpson's error is (1/200)⁴ of the whole, 6e-10; 1e-8
     * leaves room. */
    CHECK_NEAR(volume / sums[0], 1.0, 1e-8);
    for (int k = 0; k < 3; k++) CHECK_NEAR(moments[k] * sums[0] / expected[k], 1.0, 1e-8);
}

TEST(closed_forms_match_integrals_over_cross_sections)
{
    double sphere[3] = {0.3}, ellipsoid[3] = {0.2, 0.5, 0.7}, cylinder[3] = {0.3, 0.8},
           box[3] = {0.1, 0.4, 0.9};
    double capsule[3] = {0.25, 0.6};
    check_shape(TN_GEOM_SPHERE, sphere, sphere_section, (double[]){-0.3, 0.3}, 2);
    check_shape(TN_GEOM_ELLIPSOID, ellipsoid, ellipsoid_section, (double[]){-0.7, 0.7}, 2);
    check_shape(TN_GEOM_CYLINDER, cylinder, cylinder_section, (double[]){-0.8, 0.8}, 2);
    check_shape(TN_GEOM_CAPSULE, capsule, capsule_section, (double[]){-0.85, -0.6, 0.6, 0.85}, 4);
    check_shape(TN_GEOM_BOX, box, box_section, (double[]){-0.9, 0.9}, 2);
}

TEST(planes_and_meshes_have_no_closed_form)
{
    double size[3] = {1.0, 1.0, 1.0}, volume, moments[3];
    CHECK(!tn_shape_moments(TN_GEOM_PLANE, size, &volume, moments));
    CHECK(!tn_shape_moments(TN_GEOM_MESH, size, &volume, moments));
    CHECK(!tn_shape_moments(TN_GEOM_HEIGHT_FIELD, size, &volume, moments));
}

static TnMassProperties box_mass(double mass, double a, double b, double c)
{
    double size[3] = {a, b, c}, volume, moments[3];
    tn_shape_moments(TN_GEOM_BOX, size, &volume, moments);
    TnMassProperties p = {.mass = mass};
    for (int k = 0; k < 3; k++) p.inertia[4 * k] = mass * moments[k];
    return p;
}

TEST(eight_small_boxes_make_the_large_one)
{
    TnMassProperties whole = box_mass(8.0, 0.2, 0.4, 0.6), sum = {0};
    double shift[3] = {100.0, -50.0, 7.0}, identity[4] = {1.0};
    for (int i = 0; i < 8; i++) {
        TnMassProperties part = box_mass(1.0, 0.1, 0.2, 0.3);
        double at[3] = {(i & 1) ? 0.1 : -0.1, (i & 2) ? 0.2 : -0.2, (i & 4) ? 0.3 : -0.3};
        v3_add(at, at, shift);
        tn_mass_transform(&part, at, identity);
        tn_mass_add(&sum, &part);
    }
    CHECK_NEAR(sum.mass, 8.0, 0.0);
    /* Positions near 100 m carry 1.4e-14 each. */
    for (int k = 0; k < 3; k++) CHECK_NEAR(sum.com[k], shift[k], 1e-12);
    for (int k = 0; k < 9; k++) CHECK_NEAR(sum.inertia[k], whole.inertia[k], 1e-12);
}

TEST(transform_turns_and_moves_a_body)
{
    TnMassProperties p = box_mass(2.0, 0.1, 0.2, 0.3), q = p;
    v3_set(p.com, 1.0, 0.0, 0.0);
    double quat[4] = {M_SQRT1_2, 0.0, 0.0, M_SQRT1_2}, pos[3] = {5.0, 6.0, 7.0};
    tn_mass_transform(&p, pos, quat); /* a quarter turn about z: x becomes y */
    double com[3] = {5.0, 7.0, 7.0};
    /* A handful of roundings of numbers up to 7. */
    for (int k = 0; k < 3; k++) CHECK_NEAR(p.com[k], com[k], 1e-14);
    CHECK_NEAR(p.inertia[0], q.inertia[4], 1e-15);
    CHECK_NEAR(p.inertia[4], q.inertia[0], 1e-15);
    CHECK_NEAR(p.inertia[8], q.inertia[8], 1e-15);
    CHECK(p.inertia[1] == p.inertia[3] && p.inertia[2] == p.inertia[6] &&
          p.inertia[5] == p.inertia[7]);
}

TEST(massless_parts_change_nothing)
{
    TnMassProperties p = box_mass(2.0, 0.1, 0.2, 0.3), before = p,
                     nothing = {.com = {9.0, 9.0, 9.0}};
    tn_mass_add(&p, &nothing);
    CHECK(memcmp(&p, &before, sizeof p) == 0);
    TnMassProperties sum = {0};
    tn_mass_add(&sum, &before);
    CHECK(memcmp(&sum, &before, sizeof sum) == 0);
}

TEST(principal_axes_rebuild_the_matrix)
{
    double turns[][4] = {{1, 0, 0, 0},
                         {0.1, 0.9, -0.3, 0.2},
                         {0, 1, 0, 0},
                         {0.02, 0.01, 0.03, 1},
                         {-0.5, 0.5, 0.5, -0.5}};
    double d[3] = {0.3, 0.7, 0.9};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        double R[9], A[9], B[9], w[3], q[4];
        quat_normalize(turns[i]);
        quat_to_m3(R, turns[i]);
        m3_rotate_diag(A, R, d);
        tn_principal_axes(A, w, q);
        quat_to_m3(R, q);
        m3_rotate_diag(B, R, w);
        CHECK(q[0] >= 0.0);
        /* Eigenvectors of a 3×3 matrix of size 1 are good to a few ulps. */
        for (int k = 0; k < 9; k++) CHECK_NEAR(B[k], A[k], 1e-14);
    }
}

TEST(impossible_moments_are_told_apart)
{
    CHECK(tn_moments_possible((double[]){1.0, 1.0, 1.0}));
    CHECK(tn_moments_possible((double[]){1.0, 1.0, 2.0})); /* a flat plate */
    CHECK(tn_moments_possible(
        (double[]){1.0, 1.0, 2.0 + 2e-6})); /* within the tolerance of 1e-6 · 4 */
    CHECK(!tn_moments_possible((double[]){1.0, 1.0, 2.0 + 1e-5}));
    CHECK(!tn_moments_possible((double[]){1.0, 3.0, 1.0}));
    CHECK(!tn_moments_possible((double[]){3.0, 1.0, 1.0}));
}
