/* Forces, energy and mass of soft bodies. */
#include "fem_rig.h"

static void deform(Rig *rig, const double M[9], const double shift[3])
{
    for (int n = 0; n < rig->nodes; n++) {
        m3_mul_v(rig->x + 3 * n, M, rig->X + 3 * n);
        for (int i = 0; i < 3; i++) rig->x[3 * n + i] += shift[i];
    }
}

static void shake(Rig *rig, Random *r, double size)
{
    for (int i = 0; i < 3 * rig->nodes; i++) rig->x[i] = rig->X[i] + size * uniform(r);
}

TEST(rigid_motion_makes_no_force)
{
    Random r = {1};
    for (int kind = 0; kind < KINDS; kind++) {
        Rig rig;
        REQUIRE(rig_start(&rig, kind, 0.2));
        for (int k = 0; k < 50; k++) {
            double q[4], R[9], shift[3];
            for (int i = 0; i < 4; i++) q[i] = uniform(&r);
            for (int i = 0; i < 3; i++) shift[i] = uniform(&r);
            quat_normalize(q);
            quat_to_m3(R, q);
            deform(&rig, R, shift);
            double energy = rig_forces(&rig);
            /* against E times the area of a cell's side; positions of 1 m lose 1e-15 of 0.1 m edges
             */
            CHECK_NEAR(largest(rig.f, 3 * rig.nodes) / (2e5 * 0.01), 0.0, 1e-12);
            CHECK_NEAR(energy / (2e5 * 0.03), 0.0, 1e-14);
        }
        rig_end(&rig);
    }
}

TEST(patch_test_affine_motion_leaves_inner_nodes_without_force)
{
    static const double strain[3][9] = {{1.1, 0.02, -0.03, 0.05, 0.93, 0.01, 0.04, 0.0, 1.02},
                                        {0.5, 0.4, -0.3, 0.2, 1.5, 0.1, 0.1, -0.3, 0.8},
                                        {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.6}};
    double shift[3] = {0.3, -0.2, 0.1};
    for (int kind = 0; kind < KINDS; kind++) {
        Rig rig;
        REQUIRE(rig_start(&rig, kind, 0.25));
        for (int s = 0; s < 3; s++) {
            deform(&rig, strain[s], shift);
            rig_forces(&rig);
            double inner = 0.0, whole = largest(rig.f, 3 * rig.nodes);
            for (int i = 1; i < 3; i++)
                for (int j = 1; j < 3; j++)
                    for (int k = 1; k < 3; k++)
                        inner = fmax(inner, largest(rig.f + 3 * rig_node(&rig, i, j, k), 3));
            CHECK(whole > 10.0);                   /* N: the surface does feel it */
            CHECK_NEAR(inner / whole, 0.0, 1e-12); /* rounding of some 20 elements */
        }
        rig_end(&rig);
    }
}

TEST(patch_test_stress_of_uniaxial_stretch_is_youngs_modulus_times_strain)
{
    for (int kind = 0; kind < KINDS; kind++) {
        Rig rig;
        REQUIRE(rig_start(&rig, kind, 0.25));
        double e = 1e-6, nu = 0.4, zero[3] = {0};
        double M[9] = {1.0 + e, 0, 0, 0, 1.0 - nu * e, 0, 0, 0, 1.0 - nu * e};
        deform(&rig, M, zero);
        rig_forces(&rig);
        double pull = 0.0, side = 0.0, area = 9 * 0.13 * 0.09;
        for (int j = 0; j <= 3; j++)
            for (int k = 0; k <= 3; k++) {
                pull -= rig.f[3 * rig_node(&rig, 3, j, k)];
                side = fmax(side, fabs(rig.f[3 * rig_node(&rig, j, 3, k) + 1]));
            }
        CHECK_NEAR(pull / (2e5 * e * area), 1.0,
                   kind == 1 ? 1e-5 : 1e-8); /* strain's second order */
        CHECK_NEAR(side / (2e5 * e * area), 0.0, kind == 1 ? 1e-5 : 1e-8);
        rig_end(&rig);
    }
}

TEST(force_is_the_gradient_of_the_energy_also_for_inverted_elements)
{
    /* 0.12 turns elements of 0.1 inside out */
    static const double sizes[] = {0.005, 0.03, 0.12};
    Random r = {3};
    for (int kind = 0; kind < KINDS; kind++)
        for (int s = 0; s < 3; s++) {
            Rig rig;
            REQUIRE(rig_start(&rig, kind, 0.2));
            shake(&rig, &r, sizes[s]);
            rig_forces(&rig);
            int n = 3 * rig.nodes, inverted = 0;
            double *f = malloc(sizeof(double) * (size_t)n);
            memcpy(f, rig.f, sizeof(double) * (size_t)n);
            for (int e = 0; e < rig.tets; e++)
                inverted += rig.places[e / 8].polar.s[2][e % 8] < 0.0;
            CHECK((s < 2) == (inverted == 0));
            double scale = largest(f, n), h = 1e-6, worst = 0.0;
            for (int i = 0; i < n; i++) {
                double x = rig.x[i];
                rig.x[i] = x + h;
                double up = rig_forces(&rig);
                rig.x[i] = x - h;
                double down = rig_forces(&rig);
                rig.x[i] = x;
                worst = fmax(worst, fabs(f[i] + (up - down) / (2.0 * h)));
            }
            /* energy of 1e3 J to 1e-16 over h: 1e-7 N; h² of the third derivative. Near a needle
             * (s_1 + s_2 = 0) the rotation turns fast */
            CHECK_NEAR(worst / scale, 0.0, s < 2 ? 1e-7 : 1e-5);
            free(f);
            rig_end(&rig);
        }
}

TEST(forces_of_a_free_body_add_up_to_no_push_and_no_twist)
{
    Random r = {4};
    for (int kind = 0; kind < KINDS; kind++) {
        Rig rig;
        REQUIRE(rig_start(&rig, kind, 0.2));
        shake(&rig, &r, 0.1);
        rig_forces(&rig);
        double push[3] = {0}, twist[3] = {0}, arm[3], scale = largest(rig.f, 3 * rig.nodes);
        for (int n = 0; n < rig.nodes; n++) {
            v3_add(push, push, rig.f + 3 * n);
            v3_cross(arm, rig.x + 3 * n, rig.f + 3 * n);
            v3_add(twist, twist, arm);
        }
        CHECK_NEAR(v3_norm(push) / scale, 0.0, 1e-13); /* rounding of 64 nodes */
        CHECK_NEAR(v3_norm(twist) / scale, 0.0, 1e-13);
        rig_end(&rig);
    }
}

TEST(inverted_and_flat_elements_push_back_with_finite_force)
{
    static const double X[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int tet[4] = {0, 1, 2, 3};
    for (int law = 0; law < 2; law++) {
        TnFemMeshDef def = {4, 1, X, tet, NULL, kind_of(law)};
        TnFemMesh *mesh = tn_fem_mesh_create(&def, NULL);
        REQUIRE(mesh);
        for (int k = 0; k <= 40; k++) {
            double x[12], f[12] = {0}, tip = 0.9 - 0.045 * k; /* to -0.9 */
            TnFemPlace place;
            memcpy(x, X, sizeof x);
            x[11] = tip;
            tn_fem_place(mesh, x, &place, NULL);
            double energy = tn_fem_add_forces(mesh, &place, f);
            CHECK(isfinite(energy) && energy > 0.0);
            CHECK(f[11] > 0.0 && f[2] < 0.0); /* the tip goes up, where it came from */
            CHECK(largest(f, 12) < 2e6);
        }
        for (int k = 0; k < 12; k++) { /* a point, a line, a plane */
            double x[12] = {0}, f[12] = {0};
            TnFemPlace place;
            for (int i = 0; i < 3; i++) x[3 * i + 3] = k % 3 == 0 ? 0.0 : i * 0.3;
            if (k % 3 == 2) x[4] = 0.5;
            tn_fem_place(mesh, x, &place, NULL);
            CHECK(isfinite(tn_fem_add_forces(mesh, &place, f)));
            for (int i = 0; i < 12; i++) CHECK(isfinite(f[i]));
        }
        tn_fem_mesh_destroy(mesh);
    }
}

TEST(element_forces_do_not_depend_on_the_batch_they_are_in)
{
    Random r = {5};
    for (int law = 0; law < 2; law++) {
        Rig rig;
        REQUIRE(rig_start(&rig, law, 0.2));
        shake(&rig, &r, 0.05);
        rig_forces(&rig);
        double *f = calloc((size_t)(3 * rig.nodes), sizeof(double)), energy = 0.0;
        for (int e = 0; e < rig.tets; e++) { /* each element as a mesh of its own */
            TnFemMeshDef def = {rig.nodes, 1, rig.X, rig.tet + 4 * e, NULL, kind_of(law)};
            TnFemMesh *one = tn_fem_mesh_create(&def, NULL);
            TnFemPlace place;
            REQUIRE(one);
            tn_fem_place(one, rig.x, &place, NULL);
            energy += tn_fem_add_forces(one, &place, f);
            tn_fem_mesh_destroy(one);
        }
        for (int i = 0; i < 3 * rig.nodes; i++) CHECK(f[i] == rig.f[i]); /* bit for bit */
        CHECK(energy == tn_fem_add_forces(rig.mesh, rig.places, NULL));
        free(f);
        rig_end(&rig);
    }
}

TEST(lumped_mass_is_density_times_volume)
{
    Rig rig;
    REQUIRE(rig_start(&rig, 0, 0.2));
    double *mass = calloc((size_t)rig.nodes, sizeof(double)), sum = 0.0;
    tn_fem_add_lumped_mass(rig.mesh, mass);
    for (int n = 0; n < rig.nodes; n++) {
        CHECK(mass[n] > 0.0);
        sum += mass[n];
    }
    CHECK_NEAR(sum, 1000.0 * 0.3 * 0.39 * 0.27, 1e-12);
    free(mass);
    rig_end(&rig);
}

TEST(bad_meshes_and_materials_are_errors)
{
    static const double X[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
    static const int good[4] = {0, 1, 2, 3}, inverted[4] = {0, 2, 1, 3}, flat[4] = {0, 1, 2, 4};
    static const int outside[4] = {0, 1, 2, 5};
    const int *bad[] = {inverted, flat, outside};
    for (int k = 0; k < 3; k++) {
        TnError err = {0};
        TnFemMeshDef def = {5, 1, X, bad[k], NULL, kind_of(0)};
        CHECK(!tn_fem_mesh_create(&def, &err));
        CHECK(err.code == TN_ERROR_MODEL);
    }
    for (int k = 0; k < 5; k++) {
        TnError err = {0};
        TnFemMeshDef def = {5, 1, X, good, NULL, kind_of(0)};
        if (k == 0) def.material.nu = 0.5;
        if (k == 1) def.material.E = 0.0;
        if (k == 2) def.material.density = NAN;
        if (k == 3) def.material.damp_stiffness = -1.0;
        if (k == 4) def.material = kind_of(1), def.material.mean_dilatation = true;
        CHECK(!tn_fem_mesh_create(&def, &err));
        CHECK(err.code == TN_ERROR_MODEL);
    }
}

TEST(no_memory_is_an_error_that_leaks_nothing)
{
    double h[3] = {0.1, 0.1, 0.1};
    Rig rig;
    rig_shape(&rig, 2, 2, 2, h, 0.0);
    TnFemMeshDef def = {rig.nodes, rig.tets, rig.X, rig.tet, NULL, kind_of(2)};
    int failures = 0;
    for (long after = 0; after < 30; after++) {
        TnError err = {0};
        TnFemPattern pattern = {0};
        PlainMap map = {0};
        tn_malloc_fail_after(after);
        TnFemMesh *mesh = tn_fem_mesh_create(&def, &err);
        bool ok = mesh && tn_fem_pattern_create(mesh, true, &pattern, &err) == TN_OK &&
                  plain_map_create(mesh, pattern.row_start, pattern.column, &map, &err) == TN_OK;
        tn_malloc_fail_after(-1);
        CHECK(ok || err.code == TN_ERROR_MEMORY);
        failures += !ok;
        plain_map_destroy(&map);
        tn_fem_pattern_destroy(&pattern);
        tn_fem_mesh_destroy(mesh);
    }
    CHECK(failures > 8 && failures < 30);
    rig_end(&rig);
}
