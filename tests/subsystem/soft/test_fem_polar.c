/* Rotations of deformation gradients, against a two-sided Jacobi reference in extended precision.
 */
#include "../../check.h"

#include "math/vec3.h"
#include "subsystem/soft/fem/polar.h"

typedef struct Random {
    unsigned long long state;
} Random;

static double uniform(Random *r) /* in [-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(r->state >> 11) / 4503599627370496.0 - 1.0;
}

static void random_rotation(Random *r, double R[9])
{
    double q[4];
    for (int i = 0; i < 4; i++) q[i] = uniform(r);
    quat_normalize(q);
    quat_to_m3(R, q);
}

/* F = U diag(s) Vᵀ and the R = U Vᵀ that belongs to it, unique for s_0 >= s_1 > |s_2|. */
static void compose(Random *r, const double s[3], double F[9], double R[9])
{
    double U[9], V[9], Vt[9], scaled[9];
    random_rotation(r, U);
    random_rotation(r, V);
    m3_transpose(Vt, V);
    for (int i = 0; i < 9; i++) scaled[i] = U[i] * s[i % 3];
    m3_mul(F, scaled, Vt);
    m3_mul(R, U, Vt);
}

static double worst_difference(const double *a, const double *b, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static double determinant(const double m[9])
{
    double c[3];
    v3_cross(c, m + 3, m + 6);
    return v3_dot(m, c);
}

static double not_a_rotation(const double R[9])
{
    double Rt[9], P[9], one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    m3_transpose(Rt, R);
    m3_mul(P, R, Rt);
    return fmax(worst_difference(P, one, 9), fabs(determinant(R) - 1.0));
}

/* The reference: eigenvectors of FᵀF by two-sided Jacobi in long double, R = F (FᵀF)^-½ with the
 * smallest root's sign that of det F. */
static void reference_rotation(const double F[9], double R[9])
{
    long double S[3][3], V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            S[i][j] = 0.0L;
            for (int k = 0; k < 3; k++) S[i][j] += (long double)F[3 * k + i] * F[3 * k + j];
        }
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (S[p][q] == 0.0L) continue;
                long double z = (S[q][q] - S[p][p]) / (2.0L * S[p][q]);
                long double t = (z < 0.0L ? -1.0L : 1.0L) / (fabsl(z) + sqrtl(1.0L + z * z));
                long double c = 1.0L / sqrtl(1.0L + t * t), s = c * t;
                for (int k = 0; k < 3; k++) {
                    long double a = S[k][p], b = S[k][q], v = V[k][p], w = V[k][q];
                    S[k][p] = c * a - s * b;
                    S[k][q] = s * a + c * b;
                    V[k][p] = c * v - s * w;
                    V[k][q] = s * v + c * w;
                }
                for (int k = 0; k < 3; k++) {
                    long double a = S[p][k], b = S[q][k];
                    S[p][k] = c * a - s * b;
                    S[q][k] = s * a + c * b;
                }
            }
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (S[k][k] < S[least][least]) least = k;
    double sign = determinant(F) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            long double sum = 0.0L;
            for (int k = 0; k < 3; k++) {
                long double FV = 0.0L;
                for (int m = 0; m < 3; m++) FV += F[3 * i + m] * V[m][k];
                sum += FV / sqrtl(S[k][k]) * (k == least ? sign : 1.0) * V[j][k];
            }
            R[3 * i + j] = (double)sum;
        }
}

TEST(regular_matrices_give_the_polar_factor_to_rounding)
{
    Random r = {1};
    double worst = 0.0, skew = 0.0;
    for (int k = 0; k < 20000; k++) {
        double s[3], F[9], expected[9], reference[9], R[9];
        for (int i = 0; i < 3; i++) s[i] = 1.25 + 0.75 * uniform(&r);
        compose(&r, s, F, expected);
        reference_rotation(F, reference);
        tn_polar_one(F, R, NULL, NULL, NULL);
        worst = fmax(worst, worst_difference(R, reference, 9));
        skew = fmax(skew, not_a_rotation(R));
    }
    CHECK_NEAR(worst, 0.0, 1e-14); /* some ten rotations of rounding 2e-16 each */
    CHECK_NEAR(skew, 0.0, 1e-14);
}

TEST(random_matrices_inverted_or_not_agree_with_the_reference)
{
    Random r = {2};
    int inverted = 0;
    for (int k = 0; k < 20000; k++) {
        double F[9], reference[9], R[9], U[9], s[3], V[9];
        for (int i = 0; i < 9; i++) F[i] = uniform(&r);
        reference_rotation(F, reference);
        tn_polar_one(F, R, U, s, V);
        inverted += determinant(F) < 0.0;
        CHECK(s[0] >= s[1] && s[1] >= fabs(s[2]) - 1e-15);
        CHECK((s[2] < 0.0) == (determinant(F) < 0.0) || fabs(determinant(F)) < 1e-14);
        /* R turns by the rounding of F over s_1 + s_2; the reference squares the condition in long
         * double, 1e-19 (s_0 / s_2)² */
        double gap = (s[1] + s[2]) / s[0], flat = s[2] / s[0];
        CHECK_NEAR(worst_difference(R, reference, 9), 0.0, 3e-15 / gap + 1e-18 / (flat * flat));
        CHECK_NEAR(not_a_rotation(R), 0.0, 1e-14);
        double scaled[9], Vt[9], again[9];
        for (int i = 0; i < 9; i++) scaled[i] = U[i] * s[i % 3];
        m3_transpose(Vt, V);
        m3_mul(again, scaled, Vt);
        CHECK_NEAR(worst_difference(again, F, 9), 0.0, 1e-14);
    }
    CHECK(inverted > 8000 && inverted < 12000);
}

TEST(flat_elements_keep_the_rotation_of_their_plane)
{
    Random r = {3};
    for (int k = 0; k < 5000; k++) {
        double F[9], expected[9], R[9],
            thin = k % 2 ? 0.0 : pow(10.0, -17.0 + 15.0 * (k % 32) / 32.0);
        double s[3] = {1.5, 1.0, k % 4 ? thin : -thin};
        compose(&r, s, F, expected);
        tn_polar_one(F, R, NULL, NULL, NULL);
        CHECK_NEAR(worst_difference(R, expected, 9), 0.0, 1e-14); /* gap of 1: rounding */
    }
}

TEST(rotation_is_continuous_where_an_element_turns_inside_out)
{
    Random r = {4};
    double U[9], V[9], last[9] = {0};
    random_rotation(&r, U);
    random_rotation(&r, V);
    for (int k = 0; k <= 200; k++) {
        double s[3] = {1.3, 0.9, 0.5 - 0.005 * k}, F[9], scaled[9], R[9];
        for (int i = 0; i < 9; i++) scaled[i] = U[i] * s[i % 3];
        m3_mul(F, scaled, V);
        tn_polar_one(F, R, NULL, NULL, NULL);
        if (k) CHECK_NEAR(worst_difference(R, last, 9), 0.0, 1e-14); /* the same R all along */
        memcpy(last, R, sizeof R);
    }
}

TEST(needles_points_and_reflections_give_proper_rotations)
{
    static const double shapes[][3] = {
        {1, 0, 0},      {1, 1e-17, 0},  {1, 1e-16, -1e-16},       {1, 1, 1},
        {1, 1, -1},     {1, 0.5, -0.5}, {1e-200, 1e-200, 1e-200}, {1e150, 1e140, -1e130},
        {1e-310, 0, 0}, {1, 1e-8, 1e-8}};
    Random r = {5};
    for (int k = 0; k < 4000; k++) {
        double F[9], R[9], expected[9];
        compose(&r, shapes[k % 10], F, expected);
        tn_polar_one(F, R, NULL, NULL, NULL);
        CHECK_NEAR(not_a_rotation(R), 0.0, 1e-14);
    }
    double zero[9] = {0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[9];
    tn_polar_one(zero, R, NULL, NULL, NULL);
    CHECK(worst_difference(R, one, 9) == 0.0);
    tn_polar_one(one, R, NULL, NULL, NULL);
    CHECK(worst_difference(R, one, 9) == 0.0);
}

TEST(a_lane_does_not_depend_on_its_neighbours)
{
    Random r = {6};
    for (int k = 0; k < 1000; k++) {
        TnFemMatrix lanes;
        TnPolar all;
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < TN_FEM_LANES; l++)
                lanes[i][l] = l == 3 ? 0.0 : (i % 4 ? 0.0 : 1.0) + l * 0.2 * uniform(&r);
        tn_polar(lanes, &all);
        for (int l = 0; l < TN_FEM_LANES; l++) {
            double F[9], R[9], U[9], s[3], V[9];
            for (int i = 0; i < 9; i++) F[i] = lanes[i][l];
            tn_polar_one(F, R, U, s, V);
            for (int i = 0; i < 9; i++)
                CHECK(R[i] == all.R[i][l] && U[i] == all.U[i][l] && V[i] == all.V[i][l]);
            for (int i = 0; i < 3; i++) CHECK(s[i] == all.s[i][l]);
        }
    }
}
