/* Islands that are too large for Newton's method: their contacts yield, with memory
 * (solver/compliant.h). */
#include "../account/account_sum.h"
#include "../check.h"
#include "../random.h"
#include "scene.h"

#define RADIUS 0.01
#define MASS 0.004

/* A plane with its normal turned from z to ±x or ±y. */
static void add_wall(Scene *scene, double x, double y, const double quat[4])
{
    TnGeomDef plane = tn_geom_def();
    plane.body = TN_BODY_WORLD;
    plane.type = TN_GEOM_PLANE;
    plane.pos[0] = x, plane.pos[1] = y;
    memcpy(plane.quat, quat, sizeof plane.quat);
    plane.friction[0] = 0.5;
    tn_builder_add_geom(scene->builder, &plane);
}

/* 216 balls on a grid, with a little disorder. `boxed`: they fall into an open box, else they fly
 * freely towards each other. */
static TnModel *balls(bool boxed, double restitution, double theta)
{
    enum { WIDTH = 6 };
    const double h = sqrt(0.5), spacing = 2.05 * RADIUS, half = 0.5 * WIDTH * spacing;
    Scene scene = scene_begin();
    Random random = {3};
    scene.option.theta = theta;
    if (!boxed) scene.option.gravity[2] = 0.0;
    if (boxed) {
        scene_plane(&scene, 0.5);
        add_wall(&scene, -half, 0, (double[]){h, 0, h, 0});
        add_wall(&scene, half, 0, (double[]){h, 0, -h, 0});
        add_wall(&scene, 0, -half, (double[]){h, -h, 0, 0});
        add_wall(&scene, 0, half, (double[]){h, h, 0, 0});
    }
    for (int i = 0; i < WIDTH * WIDTH * WIDTH; i++) {
        const int cell[3] = {i % WIDTH, i / WIDTH % WIDTH, i / WIDTH / WIDTH};
        double pos[3];
        for (int k = 0; k < 3; k++)
            pos[k] =
                spacing * (cell[k] + 0.5 - (k < 2 ? 0.5 * WIDTH : 0.0)) + 2e-4 * uniform(&random);
        scene_free(&scene, TN_GEOM_SPHERE, (double[]){RADIUS, 0, 0}, MASS, pos, 0.5, restitution);
    }
    return scene_compile(&scene);
}

static TnWorld *world_of(const TnModel *model, double ratio, int threads)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.contact_ratio = ratio;
    def.thread_count = threads;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) printf("    %s\n", err.message);
    return world;
}

/* A force of half of the weight that turns twice in a second. */
static void shake(TnWorld *world)
{
    int bodies = tn_model_info(tn_world_model(world)).body_count;
    double angle = 4.0 * 3.14159265358979 * tn_world_state(world).time;
    const double force[3] = {0.5 * 9.81 * MASS * cos(angle), 0.5 * 9.81 * MASS * sin(angle), 0};
    for (TnBodyId b = 1; b < bodies; b++) tn_world_apply_wrench(world, b, force, (double[3]){0});
}

typedef struct Shaken {
    int missed, large;  /* steps with an error above 1e-4, steps with contacts that yield */
    double rigid_error; /* largest */
} Shaken;

static Shaken shaken(const TnModel *model, double ratio)
{
    Shaken out = {0};
    TnWorld *world = world_of(model, ratio, 1);
    for (int k = 0; world && k < UNLESS_SANITIZED(100, 20); k++) {
        shake(world);
        TnStepReport report = tn_world_step(world);
        bool large = false;
        for (int i = 0; i < report.island_count; i++) {
            TnIslandReport island = tn_world_island(world, i);
            large = large || island.contact_ratio > 0.0;
            if (island.contact_ratio == 0.0) CHECK(island.rigid_error == island.error);
        }
        out.large += large;
        out.missed += report.error > 1e-4;
        out.rigid_error = fmax(out.rigid_error, report.rigid_error);
    }
    tn_world_destroy(world);
    return out;
}

TEST(a_shaken_pile_that_rigid_contacts_miss_is_solved_and_reports_both_errors)
{
    TnModel *model = balls(true, 0.0, 0.5);
    REQUIRE(model);
    int steps = UNLESS_SANITIZED(100, 20);
    Shaken rigid = shaken(model, 0.0),
           yielding = shaken(model, tn_world_def().solver.contact_ratio);
    CHECK(rigid.large == 0 && rigid.missed > steps / 2);
    CHECK(yielding.large > steps / 2 && yielding.missed <= steps / 100);
    CHECK(yielding.rigid_error > 1e-2); /* of the order of 1 / contact_ratio, and not hidden */
    tn_model_destroy(model);
}

/* A board on a slope of 8°, and on it 160 blocks: one island of 161 bodies. Friction 0.5 holds them
 * up to 27°. */
TEST(a_large_island_does_not_creep_on_a_slope)
{
    const double angle = 8.0 * 3.14159265358979 / 180.0;
    Scene scene = scene_begin();
    scene.option.gravity[0] = 9.81 * sin(angle);
    scene.option.gravity[2] = -9.81 * cos(angle);
    scene_plane(&scene, 0.5);
    scene_free(&scene, TN_GEOM_BOX, (double[]){0.5, 0.5, 0.02}, 5.0, (double[]){0, 0, 0.02}, 0.5,
               0.0);
    for (int i = 0; i < 160; i++)
        scene_free(&scene, TN_GEOM_BOX, (double[]){0.02, 0.02, 0.02}, 0.05,
                   (double[]){0.06 * (i % 13 - 6), 0.06 * (i / 13 - 6), 0.06}, 0.5, 0.0);
    TnModel *model = scene_compile(&scene);
    REQUIRE(model);
    TnWorld *world = world_of(model, tn_world_def().solver.contact_ratio, 1);
    REQUIRE(world);
    double most = 0.0, downhill = 0.0;
    int large = 0;
    enum { BEFORE = 100, STEPS = 300 };
    for (int k = 0; k < BEFORE; k++) tn_world_step(world);
    TnStateView state = tn_world_state(world);
    double *q = malloc(sizeof(double) * (size_t)state.qpos_count);
    REQUIRE(q);
    memcpy(q, state.qpos, sizeof(double) * (size_t)state.qpos_count);
    for (int k = 0; k < STEPS; k++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.error < 1e-4 && report.heap_fallbacks == 0);
        large += report.island_count == 1 && tn_world_island(world, 0).blocks == 161;
    }
    CHECK(large == STEPS);
    for (int i = 0; i < 161; i++) {
        const double *now = tn_world_state(world).qpos + 7 * i, *then = q + 7 * i;
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(now[k] - then[k]));
        downhill += (now[0] - then[0]) / 161;
    }
    /* What a tolerance of 1e-4 lets pass, 1e-5 m/s, goes to and fro; without memory they slide. */
    CHECK(downhill / (STEPS * 0.01) < 1e-7);
    CHECK(most / (STEPS * 0.01) < 1e-6);
    free(q);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static double total_energy(const TnWorld *world)
{
    TnEnergy energy = tn_world_energy(world);
    return energy.kinetic + energy.potential;
}

/* What contacts store comes from motion and goes back to it: nothing grows. `made`: share of the
 * energy of the fall that may come from nowhere. */
static void falls(double restitution, double theta, double made)
{
    TnModel *model = balls(true, restitution, theta);
    REQUIRE(model);
    TnWorld *world = world_of(model, tn_world_def().solver.contact_ratio, 1);
    REQUIRE(world);
    double start = total_energy(world), created = 0.0, scale = start;
    int large = 0;
    for (int k = 0; k < UNLESS_SANITIZED(150, 20); k++) {
        double before = total_energy(world);
        TnStepReport report = tn_world_step(world);
        CHECK_NEAR(change_of(&report.energy), total_energy(world) - before, 1e-12 * scale);
        CHECK(total_energy(world) <= start * (1.0 + made));
        created += report.energy.created;
        for (int i = 0; i < report.island_count; i++)
            large += tn_world_island(world, i).contact_ratio > 0.0;
    }
    CHECK(large > 0);
    CHECK(created <= made * start);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* 0.5 %: a hundredth of what the fall turns into heat (half of the potential energy of a pile with
 * a little air). */
TEST(a_falling_pile_makes_no_energy) { falls(0.0, 0.5, 0.005); }
TEST(a_falling_pile_makes_no_energy_with_implicit_euler) { falls(0.0, 1.0, 0.005); }
TEST(a_bouncing_pile_makes_no_energy) { falls(0.8, 0.5, 0.005); }

TEST(momentum_of_a_cluster_stays)
{
    TnModel *model = balls(false, 0.0, 0.5);
    REQUIRE(model);
    TnWorld *world = world_of(model, tn_world_def().solver.contact_ratio, 1);
    REQUIRE(world);
    TnStateView state = tn_world_state(world);
    double *v = calloc((size_t)state.dof_count, sizeof(double)), before[3] = {0}, scale = 0.0;
    REQUIRE(v);
    int bodies = tn_model_info(model).body_count, large = 0;
    for (int i = 0; i + 1 < bodies; i++) /* towards the middle, and on */
        for (int k = 0; k < 3; k++) {
            v[6 * i + k] = -2.0 * (state.qpos[7 * i + k] - (k == 2 ? 0.06 : 0.0)) + (k == 0);
            before[k] += MASS * v[6 * i + k];
            scale += MASS * fabs(v[6 * i + k]);
        }
    REQUIRE(tn_world_set_state(world, NULL, v, NULL) == TN_OK);
    for (int step = 0; step < UNLESS_SANITIZED(60, 10); step++) {
        TnStepReport report = tn_world_step(world);
        double now[3] = {0};
        for (int i = 0; i + 1 < bodies; i++)
            for (int k = 0; k < 3; k++) now[k] += MASS * tn_world_state(world).qvel[6 * i + k];
        for (int k = 0; k < 3; k++) CHECK_NEAR(now[k], before[k], 1e-10 * scale);
        for (int i = 0; i < report.island_count; i++)
            large += tn_world_island(world, i).contact_ratio > 0.0;
    }
    CHECK(large > 0);
    free(v);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static uint64_t hash_after(TnWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        shake(world);
        tn_world_step(world);
    }
    return tn_world_hash(world);
}

TEST(a_pile_is_the_same_for_any_number_of_threads_and_after_a_restore)
{
    enum { BEFORE = 30, AFTER = 10 };
    TnModel *model = balls(true, 0.0, 0.5);
    REQUIRE(model);
    TnWorld *world = world_of(model, tn_world_def().solver.contact_ratio, 1);
    REQUIRE(world);
    hash_after(world, BEFORE);
    size_t size = tn_world_save_size(world);
    void *saved = malloc(size);
    REQUIRE(saved && tn_world_save(world, saved, size, NULL) == TN_OK);
    uint64_t hash = hash_after(world, AFTER);
    CHECK(tn_world_restore(world, saved, size, NULL) == TN_OK);
    CHECK(hash_after(world, AFTER) == hash);
    tn_world_destroy(world);
    for (int threads = MORE_THREADS(1); threads <= 8; threads = MORE_THREADS(threads)) {
        TnWorld *other = world_of(model, tn_world_def().solver.contact_ratio, threads);
        REQUIRE(other);
        CHECK(tn_world_restore(other, saved, size, NULL) == TN_OK);
        CHECK(hash_after(other, AFTER) == hash);
        tn_world_destroy(other);
    }
    free(saved);
    tn_model_destroy(model);
}

/* A stiffness in N/m is 1/(C t) of every contact, whatever its bodies weigh. */
TEST(a_models_contact_stiffness_is_used)
{
    Scene scene = scene_begin();
    scene.option.contact_stiffness = 800.0;
    scene_plane(&scene, 0.5);
    scene_free(&scene, TN_GEOM_BOX, (double[]){0.5, 0.5, 0.02}, 5.0, (double[]){0, 0, 0.02}, 0.5,
               0.0);
    for (int i = 0; i < 160; i++)
        scene_free(&scene, TN_GEOM_SPHERE, (double[]){RADIUS, 0, 0}, MASS,
                   (double[]){0.06 * (i % 13 - 6), 0.06 * (i / 13 - 6), 0.04 + RADIUS}, 0.5, 0.0);
    TnModel *model = scene_compile(&scene);
    REQUIRE(model);
    TnWorld *world = world_of(model, 60.0, 1);
    REQUIRE(world);
    tn_world_step(world);
    TnIslandReport island = tn_world_island(world, 0);
    CHECK(island.blocks == 161 && island.converged);
    /* D_n of the board's corner on the ground is the smallest: θ t (1/m + lever²/I) with θ = 1/2,
     * I = m (0.25 + 0.0004)/3 about x and y */
    double t = scene.option.timestep, I = 5.0 * (0.25 + 0.0004) / 3.0;
    double D = 0.5 * t * (1.0 / 5.0 + 2.0 * 0.25 / I);
    CHECK_NEAR(island.contact_ratio, 800.0 * t * D, 1e-9);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
