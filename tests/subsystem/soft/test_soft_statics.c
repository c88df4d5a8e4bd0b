/* Soft bodies at rest against the formulas of beams and of linear elasticity, as a user of the
 * library sees them: long implicit steps (θ = 1) until nothing moves any more. */
#include "../../check.h"
#include "soft_scenes.h"

/* ---- a cantilever ---- */

#define SIDE 0.05
#define LENGTH 0.5
#define YOUNG 1e7

/* FL³/3EI and shear FL/κGA with Cowper's κ, for 1 N. */
static double timoshenko(double nu)
{
    double EI = YOUNG * pow(SIDE, 4) / 12, G = YOUNG / (2 * (1 + nu));
    double kappa = 10 * (1 + nu) / (12 + 11 * nu);
    return pow(LENGTH, 3) / (3 * EI) + LENGTH / (kappa * G * SIDE * SIDE);
}

/* The beam with its left end pinned and a force of 1 mN spread over the right one: share by which
 * it is too stiff. The end's deflection is the mean that the force works on. */
static double too_stiff(int nx, int ny, int nz, double nu, bool dilatation)
{
    SoftScene scene = soft_begin(1000, 1, 0);
    soft_box(&scene, LENGTH, SIDE, SIDE, nx, ny, nz, 5);
    scene.soft.youngs_modulus = YOUNG;
    scene.soft.poisson_ratio = nu;
    scene.soft.mean_dilatation = dilatation;
    scene.soft.damping_stiffness = 0;
    scene.soft.contact_type = scene.soft.contact_affinity = 0;
    soft_hold(&scene, 0, -LENGTH / 2, TN_BODY_WORLD);
    soft_add(&scene);
    if (!soft_finish(&scene, NULL)) return NAN;
    double *area = soft_numbers(&scene, 1), *force = soft_numbers(&scene, 3), sag = 0;
    double all = soft_areas(&scene, 0, LENGTH / 2, area);
    for (int i = 0; i < scene.info.node_count; i++) force[3 * i + 2] = -1e-3 * area[i] / all;
    CHECK(soft_settle(&scene, 10, 1e-11, force)); /* 1e-6 of the deflection, 8 µm */
    for (int i = 0; i < scene.info.node_count; i++)
        sag -= area[i] / all * (soft_x(&scene)[3 * i + 2] - scene.info.rest[3 * i + 2]);
    free(area);
    free(force);
    soft_end(&scene);
    return timoshenko(nu) / (sag / 1e-3) - 1;
}

/* ν = 0: the clamp holds nothing back that the formula lets go. */
TEST(cantilever_converges_to_timoshenko_with_second_order)
{
    double error[3];
    CHECK_NEAR(timoshenko(0.45), 8.07e-3, 0.005e-3);
    if (UNLESS_SANITIZED(false, true)) {
        test_skip("12,800 elements take half a minute under sanitizers");
        return;
    }
    for (int i = 0, n = 2; i < 3; i++, n *= 2) error[i] = too_stiff(10 * n, n, n, 0, true);
    printf("     ν = 0: too stiff by %.4f %.4f %.4f with 2, 4, 8 cells over the thickness\n",
           error[0], error[1], error[2]);
    for (int i = 0; i < 2; i++) CHECK(log2(error[i] / error[i + 1]) > 1.9);
    CHECK_NEAR(error[2] - (error[1] - error[2]) / 3, 0, 2e-3); /* extrapolated; next order (⅛)³ */
}

/* ν = 0.3: the clamp hinders the sections next to it from changing their shape and adds 0.8 %, as
 * extrapolation shows: with bending alone, EI/(1-ν²) over a third of the thickness. */
TEST(cantilever_is_within_two_per_cent_of_timoshenko_on_a_fine_mesh)
{
    if (UNLESS_SANITIZED(false, true)) {
        test_skip("24,000 elements take a minute under sanitizers");
        return;
    }
    double coarse = too_stiff(40, 4, 4, 0.3, true), fine = too_stiff(80, 8, 8, 0.3, true);
    double coarsest = too_stiff(20, 2, 2, 0.3, true), limit = fine - (coarse - fine) / 3;
    double finest = too_stiff(120, 6, 12, 0.3, true);
    printf("     ν = 0.3: too stiff by %.4f %.4f %.4f, 12 cells %.4f, extrapolated %.4f\n",
           coarsest, coarse, fine, finest, limit);
    CHECK(log2((coarsest - limit) / (coarse - limit)) > 1.8);
    CHECK(fabs(1 / (1 + finest) - 1) < 0.02); /* of the deflection */
    CHECK(limit > 0 && limit < 0.01);
}

/* Four cells over the thickness, 3200 elements. Without locking the error would not depend on ν. */
TEST(mean_dilatation_keeps_a_cantilever_from_locking)
{
    const double nus[4] = {0.3, 0.45, 0.49, 0.499};
    double with[4], without[4];
    for (int i = 0; i < 4; i++) {
        with[i] = too_stiff(40, 4, 4, nus[i], true);
        without[i] = too_stiff(40, 4, 4, nus[i], false);
        printf("     ν = %.3f: too stiff by %.3f, without the remedy %.3f\n", nus[i], with[i],
               without[i]);
        CHECK(with[i] < without[i]);
        CHECK(with[i] < 0.14); /* 0.112 at ν = 0.3: that of bending alone */
    }
    CHECK(with[3] / with[0] < 1.25);
    CHECK(without[1] > 1.25 * with[1] && without[1] < 0.2);
    CHECK(without[3] > 0.2); /* and it grows on towards ν = ½ */
}

/* ---- on a scale ---- */

static void add_ground(SoftScene *scene, double friction)
{
    TnGeomDef plane = tn_geom_def();
    plane.body = TN_BODY_WORLD;
    plane.type = TN_GEOM_PLANE;
    plane.friction[0] = friction;
    tn_builder_add_geom(scene->builder, &plane);
}

/* Upward force of all contacts that `geom` (0: any) takes part in, on it if it is second. */
static double contact_force(const SoftScene *scene, TnGeomId geom)
{
    double sum = 0;
    for (int i = 0; i < tn_world_contact_count(scene->world); i++) {
        TnContact c = tn_world_contact(scene->world, i);
        if (!geom || c.geom1 == geom || c.geom2 == geom) sum += fabs(c.force[2]);
    }
    return sum;
}

TEST(a_soft_body_weighs_what_it_weighs)
{
    for (int k = 0; k < 4; k++) {
        SoftScene scene = soft_begin(0.01, 0.5, 9.81);
        TnError err = {0};
        if (k & 1)
            CHECK(tn_tet_mesh_ball(0.05, 3, &scene.soft.mesh, &err));
        else
            soft_box(&scene, 0.1, 0.08, 0.1, 3, 3, 3, 5);
        scene.soft.pos[2] = 0.0501;
        scene.soft.youngs_modulus = 1e5;
        scene.soft.damping_stiffness = 0.01;
        scene.soft.damping_mass = k & 1 ? 5 : 0; /* a ball rolls for long */
        scene.soft.consistent_mass = k & 2;
        add_ground(&scene, 0.5);
        soft_add(&scene);
        REQUIRE(soft_finish(&scene, NULL));
        for (int step = 0; step < 600; step++) CHECK(!tn_world_step(scene.world).diverged);
        double weight = 9.81 * scene.info.mass, force = contact_force(&scene, 0);
        printf("     weighs %.7f of its weight, moves at %.0e m/s\n", force / weight,
               soft_speed(&scene));
        CHECK_NEAR(force / weight, 1, 1e-6);
        soft_end(&scene);
    }
}

/* A heavy plate on a block between frictionless faces: uniform pressure W/A, so strain W/EA along
 * it and ν times that across; the block's own weight adds ½ ρ g L/E. */
TEST(a_weight_presses_a_block_by_WL_over_EA)
{
    const double L = 0.1, E = 1e5, nu = 0.3, weight = 10.0 * 9.81;
    SoftScene scene = soft_begin(0.01, 0.5, 9.81);
    soft_box(&scene, L, L, L, 4, 4, 4, 5);
    scene.soft.pos[2] = 0.5 * L;
    scene.soft.youngs_modulus = E;
    scene.soft.poisson_ratio = nu;
    scene.soft.density = 100;
    scene.soft.damping_stiffness = 0.01;
    scene.soft.damping_mass = 5; /* nothing else stops it from sliding and turning */
    scene.soft.contact_dim = 1;
    scene.soft.priority = 1;
    add_ground(&scene, 0);
    TnBodyDef body = tn_body_def();
    body.pos[2] = L + 0.02;
    TnBodyId plate = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = plate;
    joint.type = TN_JOINT_SLIDE; /* free, it would not stay up there for ever */
    tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = plate;
    geom.type = TN_GEOM_BOX;
    geom.size[0] = geom.size[1] = 0.1, geom.size[2] = 0.02;
    geom.mass = 10;
    TnGeomId top = tn_builder_add_geom(scene.builder, &geom);
    soft_add(&scene);
    TnSolverDef solver =
        tn_solver_def(); /* converged: the plate is a hundred times as heavy as the block */
    solver.iterations = 3000;
    solver.tolerance = 1e-9;
    REQUIRE(soft_finish(&scene, &solver));
    for (int step = 0; step < 400; step++) CHECK(!tn_world_step(scene.world).diverged);
    double low = 1, high = 0, own = scene.info.mass * 9.81, width = 0;
    int left = 0, right = 0; /* middles of two sides */
    for (int i = 0; i < scene.info.node_count; i++) {
        const double *x = soft_x(&scene) + 3 * i, *X = scene.info.rest + 3 * i;
        low = fmin(low, x[2]), high = fmax(high, x[2]);
        if (fabs(X[2] - 0.5 * L) + fabs(X[1]) > 1e-9) continue;
        if (X[0] < -0.499 * L) left = i;
        if (X[0] > 0.499 * L) right = i;
    }
    for (int k = 0; k < 3; k++)
        width += pow(soft_x(&scene)[3 * right + k] - soft_x(&scene)[3 * left + k], 2);
    width = sqrt(width);
    double strain = (weight + 0.5 * own) / (E * L * L);
    printf("     shorter by %.6f (W/EA %.6f), wider by %.6f (%.6f), force %.8f, speed %.0e\n",
           1 - (high - low) / L, strain, width / L - 1, nu * strain,
           contact_force(&scene, top) / weight, soft_speed(&scene));
    CHECK_NEAR(contact_force(&scene, top), weight, 1e-6 * weight);
    CHECK_NEAR(1 - (high - low) / L, strain, 1e-3 * strain); /* gaps that contact leaves, 1e-5 m */
    CHECK_NEAR(width / L - 1, nu * strain, 1e-3 * strain);
    soft_end(&scene);
}

/* ---- hanging ---- */

/* A bar of 0.04 × 0.04 × 0.2 m hangs from its pinned top and holds a body of 0.5 kg. ν = 0, so that
 * its ends hinder nothing: longer by (W + half its own weight) L/EA. */
TEST(a_bar_with_a_weight_is_longer_by_WL_over_EA)
{
    const double L = 0.2, A = 0.04 * 0.04, E = 1e5, M = 0.5;
    for (int kind = 0; kind < 2; kind++) {
        SoftScene scene = soft_begin(10, 1, 9.81);
        soft_box(&scene, 0.04, 0.04, L, 2, 2, 6, 5);
        scene.soft.youngs_modulus = E;
        scene.soft.poisson_ratio = 0;
        scene.soft.consistent_mass = kind;
        scene.soft.damping_stiffness = 0;
        scene.soft.contact_type = scene.soft.contact_affinity = 0;
        TnBodyDef body = tn_body_def();
        body.pos[2] = -L / 2 - 0.02;
        TnBodyId id = tn_builder_add_body(scene.builder, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = id;
        joint.type = TN_JOINT_SLIDE;
        tn_builder_add_joint(scene.builder, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = id;
        geom.size[0] = 0.02;
        geom.mass = M;
        tn_builder_add_geom(scene.builder, &geom);
        soft_hold(&scene, 2, L / 2, TN_BODY_WORLD);
        soft_hold(&scene, 2, -L / 2, id);
        soft_add(&scene);
        REQUIRE(soft_finish(&scene, NULL));
        CHECK(soft_settle(&scene, 50, 1e-12, NULL));
        double longer = (M + 0.5 * scene.info.mass) * 9.81 * L / (E * A);
        /* nodes of one height do not have equal shares of the weight: sections are a little uneven
         */
        CHECK_NEAR(-tn_world_state(scene.world).qpos[0], longer, 1e-6 * longer);
        soft_end(&scene);
    }
}

/* The same bar as one mesh and as two, one tied to the other. Converged, ties leave what the
 * tolerance allows. */
TEST(two_tied_bars_hang_as_one)
{
    const double L = 0.2;
    double lowest[2] = {0};
    for (int two = 0; two < 2; two++) {
        SoftScene scene = soft_begin(0.02, 1, 9.81);
        TnSolverDef solver = tn_solver_def();
        solver.iterations = 5000;
        solver.tolerance = 1e-11;
        int count = 0, nodes[64];
        TnSoftId first = 0;
        for (int part = 0; part <= two; part++) {
            double length = L / (1 + two);
            scene.soft = tn_soft_def();
            soft_box(&scene, 0.04, 0.04, length, 2, 2, 8 / (1 + two), 5);
            scene.soft.youngs_modulus = 1e5;
            scene.soft.poisson_ratio = 0.3;
            scene.soft.mean_dilatation = false; /* its patches would end where the meshes do */
            scene.soft.damping_stiffness = 0.02;
            scene.soft.contact_type = scene.soft.contact_affinity = 0;
            scene.soft.pos[2] = L / 2 - length * (part + 0.5);
            if (part == 0) soft_hold(&scene, 2, length / 2, TN_BODY_WORLD);
            for (int i = 0; i < scene.soft.mesh.node_count; i++)
                if (part == 1 && scene.soft.mesh.nodes[3 * i + 2] > 0.499 * length)
                    nodes[count++] = i;
            soft_add(&scene);
            if (part == 0) first = scene.id;
        }
        for (int i = 0; i < count; i++) {
            TnTieDef tie = tn_tie_def();
            tie.soft1 = scene.id;
            tie.node = nodes[i];
            tie.soft2 = first;
            tn_builder_add_tie(scene.builder, &tie);
        }
        REQUIRE(soft_finish(&scene, &solver));
        CHECK(soft_settle(&scene, 400, 1e-10, NULL));
        for (int i = 0; i < scene.info.node_count; i++)
            lowest[two] = fmin(lowest[two], soft_x(&scene)[3 * i + 2]);
        soft_end(&scene);
    }
    printf("     end at %.9f, tied %.9f\n", lowest[0], lowest[1]);
    CHECK_NEAR(lowest[0], lowest[1],
               1e-8); /* steps that move less than 1e-10 m, damped within some */
}

/* ---- Hertz ---- */

/* A smooth rigid ball presses on the middle of a cube's top, whose bottom is pinned: how deep, for
 * some weights. */
static void indent(int cells, double E, double nu, double R, double block, const double *weights,
                   int count, double *depth)
{
    SoftScene scene = soft_begin(0.02, 1, 0);
    soft_box(&scene, block, block, block, cells, cells, cells, 5);
    for (int i = 0; i < scene.soft.mesh.node_count; i++) { /* finer towards the middle of the top */
        double *x = scene.soft.mesh.nodes + 3 * i;
        for (int k = 0; k < 2; k++) {
            double u = 2 * x[k] / block;
            x[k] = 0.5 * block * (0.2 * u + 0.8 * u * fabs(u) * fabs(u));
        }
        double u = 0.5 - x[2] / block;
        x[2] = block * (0.5 - (0.2 * u + 0.8 * u * u * u));
    }
    scene.soft.pos[2] = -0.5 * block;
    scene.soft.youngs_modulus = E;
    scene.soft.poisson_ratio = nu;
    scene.soft.damping_stiffness = 0.05;
    scene.soft.contact_dim = 1;
    scene.soft.priority = 1;
    soft_hold(&scene, 2, -0.5 * block, TN_BODY_WORLD);
    TnBodyDef body = tn_body_def();
    body.pos[2] = R;
    TnBodyId ball = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = ball;
    joint.type = TN_JOINT_SLIDE;
    tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = ball;
    geom.size[0] = R;
    geom.mass = 0.1;
    tn_builder_add_geom(scene.builder, &geom);
    soft_add(&scene);
    if (!soft_finish(&scene, NULL)) return;
    for (int w = 0; w < count; w++) {
        for (int step = 0; step < 25; step++) {
            tn_world_apply_wrench(scene.world, ball, (const double[3]){0, 0, -weights[w]},
                                  (const double[3]){0});
            CHECK(!tn_world_step(scene.world).diverged);
        }
        depth[w] = -tn_world_state(scene.world).qpos[0];
    }
    soft_end(&scene);
}

/* F = 4/3 E* √R d^1.5 on a half space. A cube of 0.2 m is not one: with √(R d) of 0.022 to 0.045 m,
 * its pinned bottom makes it stiffer by some 10 to 20 %, and cells of 6 mm under the ball by as
 * much again. */
TEST(a_ball_pressed_into_a_block_goes_deeper_about_as_hertz_says)
{
    const double E = 1e5, nu = 0.3, R = 0.2, star = E / (1 - nu * nu);
    double weights[2], depth[2] = {0}, ratio[2];
    for (int i = 0; i < 2; i++)
        weights[i] = 4.0 / 3 * star * sqrt(R) * pow(R / 80 * (1 << (2 * i)), 1.5);
    indent(8, E, nu, R, 0.2, weights, 2, depth);
    for (int i = 0; i < 2; i++)
        ratio[i] = weights[i] / (4.0 / 3 * star * sqrt(R) * pow(depth[i], 1.5));
    double exponent = log(weights[1] / weights[0]) / log(depth[1] / depth[0]);
    printf("     force %.3f and %.3f of Hertz's, exponent %.3f\n", ratio[0], ratio[1], exponent);
    CHECK_NEAR(exponent, 1.5, 0.1);
    CHECK(ratio[0] > 1 && ratio[0] < 1.4 && ratio[1] > 1 && ratio[1] < 1.3);
}
