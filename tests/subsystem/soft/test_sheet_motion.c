/* Sheets in motion and in contact: momenta, energy, weight, draping, folding. */
#include "../../check.h"
#include "soft_scenes.h"

/* A rectangle lx × ly around the origin, in the plane z = 0. */
static SoftScene cloth(double timestep, double gravity, double lx, double ly, int nx, int ny)
{
    SoftScene scene = soft_begin(timestep, 0.5, gravity);
    TnError err = {0};
    if (!tn_sheet_mesh_rectangle((const double[2]){lx / 2, ly / 2}, (const int[2]){nx, ny},
                                 &scene.soft.mesh, &err))
        printf("    %s\n", err.message);
    scene.soft.thickness = 0.001;
    scene.soft.youngs_modulus = 3e5;
    scene.soft.poisson_ratio = 0.3;
    scene.soft.density = 250;
    scene.soft.damping_stiffness = 0.002;
    return scene;
}

/* A wave over the sheet on top of a spin. */
static void throw(const SoftScene *scene, double spin)
{
    int count = tn_world_state(scene->world).dof_count;
    double *v = calloc((size_t)count, sizeof *v);
    for (int i = 0; i < scene->info.node_count; i++) {
        const double *x = scene->info.rest + 3 * i;
        v[3 * i] = 0.3 - spin * x[1];
        v[3 * i + 1] = spin * x[0] - 0.2 * spin * x[2];
        v[3 * i + 2] = 0.5 * sin(20 * x[0]) * cos(12 * x[1]) + 0.2 * spin * x[1];
    }
    TnError err = {0};
    CHECK(tn_world_set_state(scene->world, NULL, v, &err) == TN_OK);
    free(v);
}

static void momenta(const SoftScene *scene, double linear[3], double angular[3])
{
    const double *x = soft_x(scene), *v = soft_v(scene);
    memset(linear, 0, sizeof(double[3]));
    memset(angular, 0, sizeof(double[3]));
    for (int i = 0; i < scene->info.node_count; i++, x += 3, v += 3)
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            linear[k] += scene->info.node_masses[i] * v[k];
            angular[k] += scene->info.node_masses[i] * (x[a] * v[b] - x[b] * v[a]);
        }
}

TEST(free_flight_keeps_momenta_and_gains_no_energy)
{
    for (int stiff = 0; stiff < 2; stiff++) {
        SoftScene scene = cloth(0.01, 0, 0.6, 0.4, 12, 8);
        if (stiff) scene.soft.youngs_modulus = 1e8;
        scene.soft.damping_stiffness = stiff ? 0 : 0.002;
        soft_add(&scene);
        REQUIRE(soft_finish(&scene, NULL));
        throw(&scene, 3);
        double p[3], L[3], p_end[3], L_end[3], size_p = 0, size_L = 0;
        momenta(&scene, p, L);
        for (int k = 0; k < 3; k++) size_p += p[k] * p[k], size_L += L[k] * L[k];
        double energy = tn_world_energy(scene.world).kinetic, start = energy;
        for (int k = 0; k < 100; k++) {
            TnStepReport report = tn_world_step(scene.world);
            TnEnergy now = tn_world_energy(scene.world);
            CHECK(!report.diverged);
            CHECK(report.created_share < 1e-6); /* single steps may regain what was lost before */
            energy = now.kinetic + now.potential;
            CHECK(energy < start);
        }
        momenta(&scene, p_end, L_end);
        double off_p = 0, off_L = 0;
        for (int k = 0; k < 3; k++) {
            off_p = fmax(off_p, fabs(p_end[k] - p[k]) / sqrt(size_p));
            off_L = fmax(off_L, fabs(L_end[k] - L[k]) / sqrt(size_L));
        }
        printf("     E %g: momenta off by %.1e, %.1e; energy %.3f of the start's\n",
               scene.info.youngs_modulus, off_p, off_L, energy / start);
        CHECK(off_p < 1e-12);
        CHECK(off_L < 1e-10);
        soft_end(&scene);
    }
}

/* Hung by two corners from a body on a spring: the spring carries all of it. */
TEST(hanging_cloth_weighs_what_it_weighs)
{
    SoftScene scene = cloth(0.01, 9.81, 0.4, 0.4, 10, 10);
    double k = 400, mass = 0.25 * 0.16;
    TnBodyDef body = tn_body_def();
    body.name = "bar";
    body.pos[2] = 0.0;
    TnBodyId bar = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.type = TN_JOINT_SLIDE;
    joint.body = bar;
    joint.axis[0] = joint.axis[1] = 0;
    joint.axis[2] = 1;
    joint.stiffness = k;
    joint.damping = 4;
    tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = bar;
    geom.type = TN_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.02;
    geom.mass = 0.1;
    geom.contact_type = geom.contact_affinity = 0;
    tn_builder_add_geom(scene.builder, &geom);
    scene.holds = malloc(sizeof *scene.holds * 2);
    scene.holds[0] = (TnSoftHoldDef){0, bar};
    scene.holds[1] = (TnSoftHoldDef){10, bar};
    scene.soft.holds = scene.holds;
    scene.soft.hold_count = 2;
    scene.soft.damping_mass = 3; /* of the air, to come to rest */
    soft_add(&scene);
    REQUIRE(soft_finish(&scene, NULL));
    CHECK_NEAR(scene.info.mass, mass, 1e-12);
    for (int i = 0; i < 600; i++) CHECK(!tn_world_step(scene.world).diverged);
    double carried = -k * tn_world_state(scene.world).qpos[0] / 9.81;
    printf("     spring carries %.6f kg of %.6f, speed %.1e\n", carried, mass + 0.1,
           soft_speed(&scene));
    CHECK_NEAR(carried, mass + 0.1, 1e-3 * mass);
    soft_end(&scene);
}

static void add_ball(SoftScene *scene, double radius, double z)
{
    TnGeomDef ball = tn_geom_def();
    ball.name = "ball";
    ball.body = TN_BODY_WORLD;
    ball.type = TN_GEOM_SPHERE;
    ball.size[0] = radius;
    ball.pos[2] = z;
    tn_builder_add_geom(scene->builder, &ball);
}

/* A cloth falls on a ball and stays on it: the ball carries it, and the cloth's middle surface
 * never enters the ball. */
TEST(cloth_drapes_over_a_ball_and_stays)
{
    double R = 0.2, radius = 0.01;
    SoftScene scene = cloth(0.01, 9.81, 0.6, 0.6, 12, 12);
    scene.soft.radius = radius;
    scene.soft.self_contact = true;
    scene.soft.damping_mass = 1;
    scene.soft.pos[2] = R + 0.03;
    add_ball(&scene, R, 0);
    soft_add(&scene);
    TnSolverDef solver = tn_world_def().solver;
    REQUIRE(soft_finish(&scene, &solver));
    double deepest = INFINITY, created = 0, carried = 0, middle = 0;
    int missed = 0, steps = UNLESS_SANITIZED(200, 40);
    for (int k = 0; k < steps; k++) {
        TnStepReport report = tn_world_step(scene.world);
        CHECK(!report.diverged);
        missed += !report.converged;
        created = fmax(created, report.created_share);
        for (int i = 0; i < scene.info.node_count; i++) {
            const double *x = soft_x(&scene) + 3 * i;
            deepest = fmin(deepest, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - R);
        }
        if (k < steps - 20) continue;
        for (int i = 0; i < tn_world_contact_count(scene.world); i++) {
            TnContact c = tn_world_contact(scene.world, i);
            bool self = c.geom1 == c.geom2, on_cloth = c.geom2 == scene.info.geom;
            if (!self) carried += (on_cloth ? c.force[2] : -c.force[2]) / 20;
        }
    }
    for (int i = 0; i < scene.info.node_count; i++)
        for (int k = 0; k < 2; k++)
            middle = fmax(middle, fabs(soft_x(&scene)[3 * (scene.info.node_count / 2) + k]));
    printf("     nearest node %.1f mm outside the ball, %d steps missed, created %.1e, carried "
           "%.4f, speed %.1e, centre %.1f mm off\n",
           1e3 * deepest, missed, created, carried / (9.81 * scene.info.mass), soft_speed(&scene),
           1e3 * middle);
    CHECK(deepest > 0.5 * radius); /* what faces may sag between nodes is 5 % of an edge, 3 mm */
    CHECK(missed <= steps / 50);
    if (UNLESS_SANITIZED(true, false)) {
        CHECK_NEAR(carried / (9.81 * scene.info.mass), 1, 0.02); /* it still swings a little */
        CHECK(middle < 0.02);
    }
    soft_end(&scene);
}

/* Held along its middle, both halves swing down and meet: they never change sides. */
TEST(cloth_folds_without_passing_through_itself)
{
    double radius = 0.005, least = INFINITY;
    int nx = 20, ny = 3, touched = 0;
    SoftScene scene = cloth(0.01, 9.81, 0.8, 0.12, nx, ny);
    scene.soft.radius = radius;
    scene.soft.self_contact = true;
    soft_hold(&scene, 0, 0, TN_BODY_WORLD);
    soft_add(&scene);
    TnSolverDef solver = tn_world_def().solver;
    REQUIRE(soft_finish(&scene, &solver));
    for (int k = 0; k < UNLESS_SANITIZED(150, 45); k++) {
        CHECK(!tn_world_step(scene.world).diverged);
        touched += tn_world_contact_count(scene.world) > 0;
        for (int i = 0; i <= nx / 2 - 3; i++) /* away from the fold */
            for (int j = 0; j <= ny; j++) {
                const double *x = soft_x(&scene);
                int left = i * (ny + 1) + j, right = (nx - i) * (ny + 1) + j;
                least = fmin(least, x[3 * right] - x[3 * left]);
            }
    }
    printf("     the halves came as near as %.2f mm (thickness %.1f), %d steps with contacts\n",
           1e3 * least, 2e3 * radius, touched);
    CHECK(touched > 5);
    CHECK(least > 0); /* nearest in the steps in which they meet, at 3 m/s */
    soft_end(&scene);
}

/* The same bits on any number of threads, and no memory taken once warm. */
TEST(sheets_agree_for_any_number_of_threads_and_take_no_memory)
{
    uint64_t first = 0;
    for (int threads = 1; threads <= 4; threads += 3) {
        SoftScene scene = cloth(0.01, 9.81, 0.5, 0.5, 10, 10);
        scene.soft.radius = 0.01;
        scene.soft.self_contact = true;
        scene.soft.pos[2] = 0.23;
        add_ball(&scene, 0.2, 0);
        soft_add(&scene);
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        scene.model = tn_builder_compile(scene.builder, &err);
        tn_builder_destroy(scene.builder);
        scene.world = tn_world_create(&def, scene.model, &err);
        REQUIRE(scene.world);
        int fallbacks = 0;
        for (int k = 0; k < 30; k++) {
            int now = tn_world_step(scene.world).heap_fallbacks;
            if (k >= 28) fallbacks += now;
        }
        uint64_t hash = tn_world_hash(scene.world);
        if (threads == 1) first = hash;
        CHECK(hash == first);
        CHECK(fallbacks == 0 || threads > 1);
        soft_end(&scene);
    }
}
