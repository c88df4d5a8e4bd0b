/* Sheets at rest against the formulas of membranes and thin plates: long implicit steps (θ = 1)
 * until nothing moves any more. */
#include "../../check.h"
#include "soft_scenes.h"

#define YOUNG 1e7
#define THICK 0.002

/* A rectangle lx × ly around the origin, in the plane z = 0. */
static SoftScene sheet_begin(double timestep, double theta, double gravity, double lx, double ly,
                             int nx, int ny)
{
    SoftScene scene = soft_begin(timestep, theta, gravity);
    TnError err = {0};
    if (!tn_sheet_mesh_rectangle((const double[2]){lx / 2, ly / 2}, (const int[2]){nx, ny},
                                 &scene.soft.mesh, &err))
        printf("    %s\n", err.message);
    scene.soft.thickness = THICK;
    scene.soft.youngs_modulus = YOUNG;
    scene.soft.poisson_ratio = 0.3;
    scene.soft.damping_stiffness = 0;
    scene.soft.contact_type = scene.soft.contact_affinity = 0;
    return scene;
}

/* Holds the nodes beyond `at` along an axis, on the side of its sign. */
static void hold_beyond(SoftScene *scene, int axis, double at)
{
    const TnTetMesh *mesh = &scene->soft.mesh;
    if (!scene->holds) scene->holds = malloc(sizeof *scene->holds * (size_t)(mesh->node_count + 1));
    for (int i = 0; i < mesh->node_count; i++) {
        bool held = false;
        for (int k = 0; k < scene->soft.hold_count; k++) held |= scene->holds[k].node == i;
        if (!held && mesh->nodes[3 * i + axis] / at >= 1 - 1e-9)
            scene->holds[scene->soft.hold_count++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
    }
    scene->soft.holds = scene->holds;
}

/* Steps of 1000 s with the same forces, enough for a bent sheet; returns how far the last one went.
 * The balance of energy stops single steps, so the first quiet one does not count. */
static double settle(SoftScene *scene, const double *force)
{
    for (int k = 0; k < 30; k++) {
        for (int n = 0; n < scene->info.node_count; n++)
            tn_world_apply_node_force(scene->world, scene->id, n, force + 3 * n);
        if (tn_world_step(scene->world).diverged) return INFINITY;
    }
    return 1000 * soft_speed(scene);
}

/* ---- bending ---- */

/* A strip of length L and width b, clamped by a column of cells, with 0.1 mN at its end: deflection
 * of the end's mean over FL³/3EI, I = b h³/12. The slope of that column is zero, which is the slope
 * in its middle: there the length begins. */
static double strip(double L, double b, int nx, int ny, double nu)
{
    double cell = L / (nx - 0.5), half = nx * cell / 2, F = 1e-5, I = b * pow(THICK, 3) / 12,
           sag = 0;
    SoftScene scene = sheet_begin(1000, 1, 0, 2 * half, b, nx, ny);
    scene.soft.poisson_ratio = nu;
    hold_beyond(&scene, 0, -half + cell);
    soft_add(&scene);
    if (!soft_finish(&scene, NULL)) return NAN;
    double *force = soft_numbers(&scene, 3);
    for (int j = 0; j <= ny; j++) {
        int node = scene.info.node_count - 1 - j;
        force[3 * node + 2] = -F / ny * (j == 0 || j == ny ? 0.5 : 1);
    }
    CHECK(settle(&scene, force) < 1e-11);
    for (int j = 0; j <= ny; j++) {
        int node = scene.info.node_count - 1 - j;
        sag -= soft_x(&scene)[3 * node + 2] / ny * (j == 0 || j == ny ? 0.5 : 1);
    }
    free(force);
    soft_end(&scene);
    return sag / (F * L * L * L / (3 * YOUNG * I));
}

TEST(strip_bends_as_a_beam_without_poisson)
{
    double coarse = strip(0.4, 0.04, 10, 2, 0), fine = strip(0.4, 0.04, 20, 4, 0);
    printf("     strip, nu 0: %.5f %.5f of FL³/3EI\n", coarse, fine);
    CHECK_NEAR(coarse, 1, 0.004); /* 1/n² of 10 and 20 cells: measured 0.0028, 0.0007 */
    CHECK_NEAR(fine, 1, 0.001);
}

TEST(strip_bends_between_beam_and_plate)
{
    double narrow = strip(0.4, 0.02, 40, 2, 0.3), wide = strip(0.1, 1.0, 20, 100, 0.3);
    printf("     strip, nu 0.3: narrow %.4f (beam 1), wide %.4f (plate 0.91)\n", narrow, wide);
    CHECK_NEAR(narrow, 1, 0.03);
    CHECK_NEAR(wide, 1 - 0.09, 0.03);
}

/* A square a × a, its border clamped by a ring of cells (a ends in their middle) or simply held,
 * under q: deflection of the centre over q a⁴/D. n is even. */
static double plate(double a, int n, bool clamped)
{
    double cell = clamped ? a / (n - 1) : a / n, nu = 0.3, q = 1e-3,
           D = YOUNG * pow(THICK, 3) / (12 * (1 - nu * nu)), at = clamped ? (a - cell) / 2 : a / 2,
           w;
    double side = n * cell;
    SoftScene scene = sheet_begin(1000, 1, 0, side, side, n, n);
    for (int axis = 0; axis < 2; axis++) {
        hold_beyond(&scene, axis, at);
        hold_beyond(&scene, axis, -at);
    }
    soft_add(&scene);
    if (!soft_finish(&scene, NULL)) return NAN;
    double *force = soft_numbers(&scene, 3);
    for (int i = 0; i < scene.info.node_count; i++) force[3 * i + 2] = -q * cell * cell;
    CHECK(settle(&scene, force) < 1e-11);
    w = -soft_x(&scene)[3 * ((n / 2) * (n + 1) + n / 2) + 2];
    free(force);
    soft_end(&scene);
    return w * D / (q * pow(a, 4));
}

/* S. Timoshenko, S. Woinowsky-Krieger, Theory of Plates and Shells: 0.00126 clamped, 0.00406 simply
 * supported. */
TEST(square_plate_sags_as_in_the_tables)
{
    for (int clamped = 0; clamped < 2; clamped++) {
        double exact = clamped ? 0.0012653 : 0.0040624, error[3];
        for (int i = 0, n = 8; i < 3; i++, n *= 2) error[i] = plate(0.4, n, clamped) / exact - 1;
        printf("     plate, %s: %.4f %.4f %.4f off with 8, 16, 32 cells\n",
               clamped ? "clamped" : "held", error[0], error[1], error[2]);
        CHECK(fabs(error[2]) < 0.02);
    }
}

/* ---- stretch ---- */

/* An irregular mesh under the tractions of a uniform stress: its strain is that of Hooke in plane
 * stress, everywhere. */
TEST(membrane_passes_the_patch_test)
{
    double e[2][2] = {{1e-3, 4e-4}, {4e-4, -5e-4}}, nu = 0.3, off = 0;
    SoftScene scene = sheet_begin(1000, 1, 0, 1, 1, 4, 4);
    double *x = scene.soft.mesh.nodes;
    unsigned r = 5;
    for (int i = 0; i < 25; i++)
        for (int k = 0; k < 2; k++) {
            bool inner = i % 5 > 0 && i % 5 < 4 && i / 5 > 0 && i / 5 < 4;
            r = r * 1664525u + 1013904223u;
            if (inner) x[3 * i + k] += 0.15 * ((double)r / 4294967296.0 - 0.5);
        }
    scene.soft.no_bend_force = true;
    soft_add(&scene);
    REQUIRE(soft_finish(&scene, NULL));
    double s = YOUNG * THICK / (1 - nu * nu), sxx = s * (e[0][0] + nu * e[1][1]),
           syy = s * (e[1][1] + nu * e[0][0]), sxy = YOUNG * THICK / (1 + nu) * e[0][1];
    double *force = soft_numbers(&scene, 3);
    for (int i = 0; i < 25; i++)
        for (int side = 0; side < 4; side++) { /* tractions of the uniform stress on the border */
            int at = side < 2 ? i / 5 : i % 5, along = side < 2 ? i % 5 : i / 5;
            double sign = side % 2 ? 1 : -1, share = along == 0 || along == 4 ? 0.125 : 0.25;
            if (at != (side % 2 ? 4 : 0)) continue;
            force[3 * i] += sign * share * (side < 2 ? sxx : sxy);
            force[3 * i + 1] += sign * share * (side < 2 ? sxy : syy);
        }
    settle(&scene, force); /* nothing holds it: rounding may turn it */
    /* up to a rigid motion: compare distances */
    const double *y = soft_x(&scene), *X = scene.info.rest;
    for (int i = 0; i < 25; i++)
        for (int j = 0; j < i; j++) {
            double d[2] = {X[3 * i] - X[3 * j], X[3 * i + 1] - X[3 * j + 1]};
            double u = d[0] + e[0][0] * d[0] + e[0][1] * d[1],
                   v = d[1] + e[1][0] * d[0] + e[1][1] * d[1];
            double z = hypot(y[3 * i] - y[3 * j], y[3 * i + 1] - y[3 * j + 1]);
            off = fmax(off, fabs(z - hypot(u, v)));
        }
    printf("     patch test: %.2g m off\n", off);
    CHECK(off < 1e-9);
    free(force);
    soft_end(&scene);
}

/* F = E h b ε along a strip whose sides are free. */
TEST(strip_stretches_by_hooke)
{
    double L = 0.4, b = 0.1, F = 0.02 * YOUNG * THICK * b;
    SoftScene scene = sheet_begin(1000, 1, 0, L, b, 16, 4);
    scene.soft.poisson_ratio = 0;
    soft_hold(&scene, 0, -L / 2, TN_BODY_WORLD);
    soft_add(&scene);
    REQUIRE(soft_finish(&scene, NULL));
    double *force = soft_numbers(&scene, 3);
    for (int j = 0; j <= 4; j++)
        force[3 * (scene.info.node_count - 1 - j)] = F / 4 * (j == 0 || j == 4 ? 0.5 : 1);
    CHECK(settle(&scene, force) < 1e-11);
    double end = soft_x(&scene)[3 * (scene.info.node_count - 1)];
    CHECK_NEAR((end - L / 2) / L, 0.02, 1e-9);
    CHECK_NEAR(tn_world_energy(scene.world).elastic, 0.5 * F * 0.02 * L, 1e-8 * F * L);
    free(force);
    soft_end(&scene);
}
