/* Rods in a world: held ends, contact, and what every world promises. */
#include "../../check.h"

#include <math.h>
#include <stdlib.h>
#include <tenon/tenon.h>

#define PI 3.14159265358979323846

static TnModelBuilder *begin(double timestep, double gravity)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.timestep = timestep;
    option.gravity[2] = -gravity;
    tn_builder_set_option(builder, &option, (TnSource){0});
    return builder;
}

static TnRodDef rod_along_x(int segments, double height)
{
    TnRodDef rod = tn_rod_def();
    rod.name = "rod";
    rod.segment_count = segments;
    rod.end[0] = 1;
    rod.start[2] = rod.end[2] = height;
    return rod;
}

static void weld_to_world(TnModelBuilder *builder, TnBodyId body)
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = body;
    tn_builder_add_equality(builder, &weld);
}

static TnWorld *finish(TnModelBuilder *builder, int threads, TnModel **model)
{
    TnError err = {0};
    *model = tn_builder_compile(builder, &err);
    tn_builder_destroy(builder);
    TnWorldDef def = tn_world_def();
    def.thread_count = threads;
    TnWorld *world = tn_world_create(&def, *model, &err);
    if (!world) printf("%s\n", err.message);
    return world;
}

static void destroy(TnWorld *world, TnModel *model)
{
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Share of F L³ / 3 E I by which the tip of a cantilever of so many segments goes down. L is the
 * length from the start of the first segment, which is held, to the centre of the last, which is
 * pulled. */
static double tip_share(int segments)
{
    const double E = 1e8, radius = 0.01, sag = 1e-3;
    TnModelBuilder *builder = begin(0.01, 0);
    TnRodDef rod = rod_along_x(segments, 1);
    rod.radius = radius;
    rod.youngs_modulus = E;
    rod.damping_time = 0.05;
    tn_builder_add_rod(builder, &rod);
    weld_to_world(builder, 2);
    TnModel *model;
    TnWorld *world = finish(builder, 1, &model);
    if (!world) return NAN;
    double L = (segments - 0.5) / segments, I = PI * pow(radius, 4) / 4;
    double force[3] = {0, 0, -3 * E * I * sag / (L * L * L)}, none[3] = {0}, pos[3], quat[4];
    for (int k = 0; k < 2000; k++) {
        tn_world_apply_wrench(world, 1 + segments, force, none);
        tn_world_step(world);
    }
    tn_world_body_pose(world, 1 + segments, pos, quat);
    destroy(world, model);
    return (1 - pos[2]) / sag;
}

TEST(held_cantilever_bends_as_beams_do_and_better_with_more_segments)
{
    double coarse = fabs(tip_share(8) - 1), fine = fabs(tip_share(32) - 1);
    /* Springs at the joints instead of bending all along leave an error of 1/(2 n²) here; shear
     * adds 3 E I / (κ G A L²) = 2e-4 of the tip's way. */
    CHECK(fine < 2e-3);
    CHECK(coarse < 1.5e-2);
    CHECK(coarse > 4 * fine);
}

TEST(held_segment_stays_where_it_is_to_rounding)
{
    TnModelBuilder *builder = begin(0.01, 9.81);
    TnRodDef rod = rod_along_x(20, 2);
    tn_builder_add_rod(builder, &rod);
    weld_to_world(builder, 2);
    TnModel *model;
    TnWorld *world = finish(builder, 1, &model);
    REQUIRE(world);
    double before[3], after[3], quat[4];
    tn_world_body_pose(world, 2, before, quat);
    for (int k = 0; k < 300; k++) CHECK(!tn_world_step(world).diverged);
    tn_world_body_pose(world, 2, after, quat);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-13);
    destroy(world, model);
}

TEST(rod_on_the_ground_presses_with_its_weight)
{
    TnModelBuilder *builder = begin(0.01, 9.81);
    TnGeomDef plane = tn_geom_def();
    plane.type = TN_GEOM_PLANE;
    tn_builder_add_geom(builder, &plane);
    TnRodDef rod = rod_along_x(24, 0.011);
    rod.radius = 0.01;
    tn_builder_add_rod(builder, &rod);
    TnModel *model;
    TnWorld *world = finish(builder, 1, &model);
    REQUIRE(world);
    for (int k = 0; k < 500; k++) tn_world_step(world);
    double force = 0;
    for (int i = 0; i < tn_world_contact_count(world); i++)
        force += fabs(tn_world_contact(world, i).force[2]);
    double weight = 9.81 * tn_model_info(model).total_mass;
    CHECK_NEAR(tn_model_info(model).total_mass, 1000 * PI * 1e-4 * 1, 1e-12); /* a full cylinder */
    CHECK_NEAR(force / weight, 1, 1e-4); /* at rest up to what 60 iterations leave */
    destroy(world, model);
}

TEST(ball_rests_on_a_held_segment)
{
    TnModelBuilder *builder = begin(0.01, 9.81);
    TnRodDef rod = rod_along_x(2, 0);
    rod.radius = 0.05;
    tn_builder_add_rod(builder, &rod);
    weld_to_world(builder, 2);
    weld_to_world(builder, 3);
    TnBodyDef ball = tn_body_def();
    ball.pos[0] = 0.25;
    ball.pos[2] = 0.151;
    TnBodyId id = tn_builder_add_body(builder, &ball);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.size[0] = 0.1;
    tn_builder_add_geom(builder, &geom);
    TnModel *model;
    TnWorld *world = finish(builder, 1, &model);
    REQUIRE(world);
    double pos[3], quat[4];
    for (int k = 0; k < 200; k++) tn_world_step(world);
    tn_world_body_pose(world, id, pos, quat);
    CHECK_NEAR(pos[2], 0.15, 1e-6); /* touching, with the penetration that rest leaves */
    destroy(world, model);
}

/* Three rods that fall on each other and on the ground, one of them held. */
static TnWorld *heap(int threads, TnModel **model)
{
    TnModelBuilder *builder = begin(0.005, 9.81);
    TnGeomDef plane = tn_geom_def();
    plane.type = TN_GEOM_PLANE;
    tn_builder_add_geom(builder, &plane);
    for (int i = 0; i < 3; i++) {
        TnRodDef rod = rod_along_x(30, 0.05 + 0.05 * i);
        rod.name = NULL;
        rod.radius = 0.01;
        rod.youngs_modulus = 1e6;
        rod.end[0] = i == 1 ? 0.3 : 1;
        rod.end[1] = i == 1 ? 0.7 : 0.1;
        rod.self_contact = true;
        tn_builder_add_rod(builder, &rod);
    }
    weld_to_world(builder, 2);
    return finish(builder, threads, model);
}

TEST(same_bits_on_any_number_of_threads)
{
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        TnModel *model;
        TnWorld *world = heap(1 + i, &model);
        REQUIRE(world);
        for (int k = 0; k < UNLESS_SANITIZED(200, 40); k++) tn_world_step(world);
        hash[i] = tn_world_hash(world);
        destroy(world, model);
    }
    CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
}

TEST(restored_world_continues_bit_for_bit)
{
    TnModel *model;
    TnError err = {0};
    TnWorld *world = heap(1, &model);
    REQUIRE(world);
    for (int k = 0; k < UNLESS_SANITIZED(100, 40); k++) tn_world_step(world);
    size_t size = tn_world_save_size(world);
    void *state = malloc(size);
    REQUIRE(state && tn_world_save(world, state, size, &err) == TN_OK);
    for (int k = 0; k < 50; k++) tn_world_step(world);
    uint64_t hash = tn_world_hash(world);
    CHECK(tn_world_restore(world, state, size, &err) == TN_OK);
    for (int k = 0; k < 50; k++) tn_world_step(world);
    CHECK(tn_world_hash(world) == hash);
    free(state);
    destroy(world, model);
}

TEST(warm_step_takes_nothing_from_the_heap)
{
    TnModel *model;
    TnWorld *world = heap(1, &model);
    REQUIRE(world);
    for (int k = 0; k < UNLESS_SANITIZED(300, 100); k++) tn_world_step(world);
    int fallbacks = 0;
    for (int k = 0; k < 50; k++) fallbacks += tn_world_step(world).heap_fallbacks;
    CHECK(fallbacks == 0);
    destroy(world, model);
}
