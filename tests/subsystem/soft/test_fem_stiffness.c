/* Stiffness of soft bodies: what it is the derivative of, symmetric, positive semidefinite; the
 * map. */
#include "fem_rig.h"

static void shake(Rig *rig, Random *r, double size)
{
    for (int i = 0; i < 3 * rig->nodes; i++) rig->x[i] = rig->X[i] + size * uniform(r);
    rig_forces(rig);
}

/* The whole matrix by the map, dense; from the lower half if asked. */
static double *dense_stiffness(Rig *rig, bool lower, bool mass)
{
    TnFemPattern pattern;
    PlainMap map;
    if (tn_fem_pattern_create(rig->mesh, lower, &pattern, NULL) != TN_OK) return NULL;
    if (plain_map_create(rig->mesh, pattern.row_start, pattern.column, &map, NULL) != TN_OK)
        return NULL;
    double *blocks = calloc(9 * (size_t)pattern.block_count, sizeof(double));
    size_t n = 3 * (size_t)rig->nodes;
    double *K = calloc(n * n, sizeof(double));
    if (mass)
        plain_add_mass(rig->mesh, &map, 1.0, blocks);
    else
        plain_add_stiffness(rig->mesh, rig->places, &map, 1.0, rig->scratch, blocks);
    for (int i = 0; i < rig->nodes; i++)
        for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; k++)
            for (int c = 0; c < 9; c++) {
                size_t row = (size_t)(3 * i + c / 3),
                       column = (size_t)(3 * pattern.column[k] + c % 3);
                K[row * n + column] = blocks[9 * k + c];
                if (lower) K[column * n + row] = blocks[9 * k + c];
            }
    free(blocks);
    plain_map_destroy(&map);
    tn_fem_pattern_destroy(&pattern);
    return K;
}

static double worst_difference(const double *a, const double *b, size_t n)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Cholesky of K + shift: whether all pivots are positive. */
static bool positive_with_shift(const double *K, int n, double shift)
{
    double *L = malloc(sizeof(double) * (size_t)n * (size_t)n);
    bool ok = true;
    memcpy(L, K, sizeof(double) * (size_t)n * (size_t)n);
    for (int j = 0; j < n && ok; j++) {
        double d = L[j * n + j] + shift;
        for (int k = 0; k < j; k++) d -= L[j * n + k] * L[j * n + k];
        ok = d > 0.0;
        d = sqrt(d);
        L[j * n + j] = d;
        for (int i = j + 1; i < n && ok; i++) {
            double s = L[i * n + j];
            for (int k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = s / d;
        }
    }
    free(L);
    return ok;
}

TEST(stiffness_is_symmetric_and_positive_semidefinite_even_where_elements_are_inverted)
{
    Random r = {1};
    for (int kind = 0; kind < KINDS; kind++)
        for (int s = 0; s < 3; s++) {
            Rig rig;
            REQUIRE(rig_start(&rig, kind, 0.2));
            shake(&rig, &r, s == 0 ? 0.0 : s == 1 ? 0.03 : 0.12);
            int n = 3 * rig.nodes;
            double *K = dense_stiffness(&rig, false, false), skew = 0.0;
            double *half = dense_stiffness(&rig, true, false);
            REQUIRE(K && half);
            double scale = largest(K, n * n);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < i; j++) skew = fmax(skew, fabs(K[i * n + j] - K[j * n + i]));
            CHECK_NEAR(skew / scale, 0.0,
                       1e-14); /* diagonal blocks: rounding of the turn to world axes */
            CHECK_NEAR(worst_difference(K, half, (size_t)(n * n)) / scale, 0.0, 1e-14);
            CHECK(positive_with_shift(
                K, n, 1e-12 * scale)); /* rounding of the six rigid motions' zeros */
            CHECK(!positive_with_shift(K, n, -1e-9 * scale));
            free(K);
            free(half);
            rig_end(&rig);
        }
}

TEST(product_without_a_matrix_is_the_matrix_times_v)
{
    Random r = {2};
    for (int kind = 0; kind < KINDS; kind++) {
        Rig rig;
        REQUIRE(rig_start(&rig, kind, 0.2));
        shake(&rig, &r, 0.04);
        int n = 3 * rig.nodes;
        double *K = dense_stiffness(&rig, false, false), *v = calloc((size_t)n, sizeof(double));
        double *out = calloc((size_t)n, sizeof(double)), worst = 0.0;
        REQUIRE(K);
        for (int i = 0; i < n; i++) v[i] = uniform(&r);
        plain_add_stiffness_product(rig.mesh, rig.places, 0.5, v, rig.scratch, out);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += K[i * n + j] * v[j];
            worst = fmax(worst, fabs(out[i] - 0.5 * sum));
        }
        CHECK_NEAR(worst / largest(out, n), 0.0, 1e-13); /* sums of 80 products */
        /* damping: -(α M + β K) v */
        double *f = calloc((size_t)n, sizeof(double)), *mass = calloc((size_t)n, sizeof(double));
        rig.mesh->material.damp_mass = 3.0;
        rig.mesh->material.damp_stiffness = 0.5;
        plain_add_damping(rig.mesh, rig.places, v, rig.scratch, f);
        tn_fem_add_lumped_mass(rig.mesh, mass);
        for (int i = 0; i < n; i++) f[i] += 3.0 * mass[i / 3] * v[i];
        for (int i = 0; i < n; i++) CHECK_NEAR(f[i] + out[i], 0.0, 1e-12 * largest(out, n));
        free(f);
        free(mass);
        free(K);
        free(v);
        free(out);
        rig_end(&rig);
    }
}

/* Forces with the rotations left as they are in `places`: f = -R K_0 (Rᵀx - X), element by element.
 */
static void forces_at_fixed_rotation(Rig *rig, const double *x, double *f)
{
    double lambda = rig->mesh->material.lambda, mu = rig->mesh->material.mu;
    memset(f, 0, sizeof(double) * 3 * (size_t)rig->nodes);
    for (int k = 0; k < rig->mesh->batch_count; k++) {
        TnFemCorners corners, g;
        TnFemMatrix F;
        tn_fem_gather(&rig->mesh->batches[k], x, corners);
        tn_fem_gradient(&rig->mesh->batches[k], corners, F);
        plain_shape_gradients(&rig->mesh->batches[k], g);
        for (int l = 0; l < rig->mesh->batches[k].count; l++) {
            double R[9], Rt[9], D[9], S[9], P[9];
            for (int i = 0; i < 9; i++) R[i] = rig->places[k].polar.R[i][l], D[i] = F[i][l];
            m3_transpose(Rt, R);
            m3_mul(D, Rt, D);
            double trace = D[0] + D[4] + D[8] - 3.0;
            for (int i = 0; i < 9; i++)
                S[i] = mu * (D[i] + D[3 * (i % 3) + i / 3] - (i % 4 ? 0.0 : 2.0)) +
                       (i % 4 ? 0.0 : lambda * trace);
            m3_mul(P, R, S);
            for (int a = 0; a < 4; a++) {
                double ga[3] = {g[3 * a][l], g[3 * a + 1][l], g[3 * a + 2][l]}, push[3];
                m3_mul_v(push, P, ga);
                v3_add_scaled(f + 3 * rig->mesh->batches[k].node[a][l], push,
                              -rig->mesh->batches[k].volume[l]);
            }
        }
    }
}

TEST(corotational_stiffness_is_the_gradient_of_the_force_at_fixed_rotation)
{
    Random r = {3};
    for (int s = 0; s < 3; s++) {
        Rig rig;
        REQUIRE(rig_start(&rig, 0, 0.2));
        shake(&rig, &r, s == 0 ? 0.0 : s == 1 ? 0.01 : 0.02); /* none is squeezed */
        int n = 3 * rig.nodes;
        double *K = dense_stiffness(&rig, false, false), *up = calloc((size_t)n, sizeof(double));
        double *down = calloc((size_t)n, sizeof(double)), worst = 0.0;
        REQUIRE(K);
        forces_at_fixed_rotation(&rig, rig.x, up);
        CHECK_NEAR(worst_difference(up, rig.f, (size_t)n) / (2e5 * 0.01), 0.0, 1e-12);
        for (int j = 0; j < n; j += 5) {
            double x = rig.x[j], h = 0.1; /* linear in x: any h will do */
            rig.x[j] = x + h;
            forces_at_fixed_rotation(&rig, rig.x, up);
            rig.x[j] = x - h;
            forces_at_fixed_rotation(&rig, rig.x, down);
            rig.x[j] = x;
            for (int i = 0; i < n; i++)
                worst = fmax(worst, fabs(K[i * n + j] + (up[i] - down[i]) / (2.0 * h)));
        }
        CHECK_NEAR(worst / largest(K, n * n), 0.0, 1e-12);
        free(K);
        free(up);
        free(down);
        rig_end(&rig);
    }
}

/* Largest difference of K and -∂f/∂x over the largest of K. */
static double gradient_error(Rig *rig, double *K)
{
    int n = 3 * rig->nodes;
    double *up = calloc((size_t)n, sizeof(double)), worst = 0.0, h = 1e-6;
    for (int j = 0; j < n; j += 5) {
        double x = rig->x[j];
        rig->x[j] = x + h;
        rig_forces(rig);
        memcpy(up, rig->f, sizeof(double) * (size_t)n);
        rig->x[j] = x - h;
        rig_forces(rig);
        rig->x[j] = x;
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(K[i * n + j] + (up[i] - rig->f[i]) / (2.0 * h)));
    }
    free(up);
    return worst / largest(K, n * n);
}

TEST(stiffness_is_the_gradient_of_the_force_at_rest_and_of_neo_hookean_where_nothing_is_projected)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int stretched = 0; stretched < (kind == 1 ? 2 : 1); stretched++) {
            Rig rig;
            Random r = {4};
            REQUIRE(rig_start(&rig, kind, 0.2));
            /* blown up by a twentieth and stirred a little: all tension, where no eigenvalue is
             * negative for ν = 0.4; turned, so that U and V matter */
            double q[4] = {0.8, 0.3, -0.4, 0.33}, a[3];
            quat_normalize(q);
            for (int m = 0; m < rig.nodes; m++) {
                quat_rotate(a, q, rig.X + 3 * m);
                for (int i = 0; i < 3; i++)
                    rig.x[3 * m + i] = stretched ? 1.05 * a[i] + 0.0005 * uniform(&r) : a[i];
            }
            rig_forces(&rig);
            double *K = dense_stiffness(&rig, false, false);
            REQUIRE(K);
            CHECK_NEAR(gradient_error(&rig, K), 0.0, 1e-8); /* h² and 1e-16 / h */
            free(K);
            rig_end(&rig);
        }
}

TEST(consistent_mass_has_the_mass_and_is_positive_definite)
{
    Rig rig;
    REQUIRE(rig_start(&rig, 0, 0.2));
    int n = 3 * rig.nodes;
    double *M = dense_stiffness(&rig, false, true), sum = 0.0;
    REQUIRE(M);
    for (int i = 0; i < n * n; i++) sum += M[i];
    CHECK_NEAR(sum, 3.0 * 1000.0 * 0.3 * 0.39 * 0.27, 1e-11);
    CHECK(positive_with_shift(M, n, 0.0));
    free(M);
    rig_end(&rig);
}

TEST(map_refuses_a_matrix_without_room_for_a_pair)
{
    Rig rig;
    TnFemPattern pattern;
    PlainMap map;
    TnError err = {0};
    REQUIRE(rig_start(&rig, 2, 0.0));
    REQUIRE(tn_fem_pattern_create(rig.mesh, true, &pattern, NULL) == TN_OK);
    int last = pattern.block_count - 2; /* a neighbour of the last node */
    pattern.column[last] = last ? pattern.column[last - 1] : 0;
    CHECK(plain_map_create(rig.mesh, pattern.row_start, pattern.column, &map, &err) ==
          TN_ERROR_USAGE);
    CHECK_STR(err.message, "lacks a pair");
    tn_fem_pattern_destroy(&pattern);
    rig_end(&rig);
}
