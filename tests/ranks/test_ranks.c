/* Worlds that several ranks step together have the bits of one that is alone, and tell each other
 * no more than they have to. Ranks are threads here (thread_ranks.h, pthread). */
#include "../check.h"

#include "../step/scene.h"
#include "thread_ranks.h"

enum { LOOKS = 5 }; /* at the hash of a run */

typedef struct Run {
    const TnModel *model;
    TnWorldDef def;
    int steps;
    uint64_t hashes[MOST_RANKS][LOOKS];
    int iterations; /* of all steps */
} Run;

static void step_world(void *context, const TnRanks *ranks)
{
    Run *run = context;
    TnWorldDef def = run->def;
    TnError err = {0};
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, run->model, &err);
    int iterations = 0;
    for (int look = 0; look < LOOKS; look++) {
        for (int k = 0; k < run->steps / LOOKS; k++) {
            TnStepReport report = tn_world_step(world);
            iterations += report.iterations;
            CHECK(!report.diverged);
        }
        run->hashes[ranks ? ranks->rank : 0][look] = tn_world_hash(world);
    }
    if (!ranks || ranks->rank == 0) run->iterations = iterations;
    tn_world_destroy(world);
}

/* The run on so many ranks, all of which must agree with one alone. */
static void check_ranks(const TnModel *model, const TnWorldDef *def, int steps, int ranks,
                        TnTraffic *traffic)
{
    Run alone = {.model = model, .def = *def, .steps = steps}, together = alone;
    CHECK(model);
    if (!model) return;
    step_world(&alone, NULL);
    run_on_ranks(ranks, step_world, &together, traffic);
    CHECK(alone.hashes[0][0] != alone.hashes[0][LOOKS - 1]); /* it moves */
    for (int r = 0; r < ranks; r++)
        for (int look = 0; look < LOOKS; look++)
            CHECK(together.hashes[r][look] == alone.hashes[0][look]);
    CHECK(together.iterations == alone.iterations);
}

/* A bar through the column that swings: a robot of one joint, which balls of several ranks touch.
 */
static void add_bar(Scene *scene, double height)
{
    TnBodyId bar = scene_body(scene, TN_GEOM_CAPSULE, (double[3]){0.004, 0.06, 0}, 0.02,
                              (double[3]){-0.016, 0.02, height}, 0.3, 0.0);
    TnJointDef joint = tn_joint_def();
    joint.body = bar;
    joint.pos[2] = -height;
    joint.axis[0] = 0.0;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.limited = true;
    joint.range[0] = -0.2;
    joint.range[1] = 0.2;
    tn_builder_add_joint(scene->builder, &joint);
}

/* A tall, crooked column of nine balls per layer that falls apart: balls come into other ranks'
 * hands as they roll. dim 4: they resist spinning, too. bar: one leans on it. */
static TnModel *column_with(int layers, int dim, bool bar)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.3);
    if (bar) add_bar(&scene, 0.08);
    for (int i = 0; i < 9 * layers; i++) {
        TnBodyDef body = tn_body_def();
        TnGeomDef geom = tn_geom_def();
        TnJointDef joint = tn_joint_def();
        body.pos[0] = 0.0205 * (i % 3) + 0.003 * (i / 9 % 3);
        body.pos[1] = 0.0205 * (i / 3 % 3) + 1e-4 * i;
        body.pos[2] = 0.0101 + 0.0205 * (i / 9);
        joint.body = geom.body = tn_builder_add_body(scene.builder, &body);
        joint.type = TN_JOINT_FREE;
        geom.type = TN_GEOM_SPHERE;
        geom.size[0] = 0.01;
        geom.mass = 0.004;
        geom.contact_dim = dim;
        geom.friction[0] = 0.3;
        geom.friction[1] = 0.003;
        tn_builder_add_geom(scene.builder, &geom);
        tn_builder_add_joint(scene.builder, &joint);
    }
    return scene_compile(&scene);
}

static TnModel *column(int layers, int dim) { return column_with(layers, dim, false); }

/* Stacks of boxes apart from each other: an island each. */
static TnModel *stacks(int count, int height)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    for (int i = 0; i < count * height; i++) {
        double pos[3] = {0.3 * (i % count), 0.004 * (i / count), 0.051 + 0.101 * (i / count)};
        scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, 1.0, pos, 0.5, 0.0);
    }
    return scene_compile(&scene);
}

static TnModel *scene_file(const char *path)
{
    TnError err = {0};
    TnModel *model = tn_model_load(path, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

static TnWorldDef fixed_count(int iterations)
{
    TnWorldDef def = tn_world_def();
    def.halvings = 0; /* as many iterations as asked for */
    def.solver.tolerance = 0.0;
    def.solver.iterations = iterations;
    return def;
}

TEST(a_falling_column_has_the_same_bits_on_two_to_eight_ranks)
{
    TnModel *model = column(16, 3);
    TnWorldDef def = fixed_count(20);
    for (int ranks = 2; ranks <= UNLESS_SANITIZED(8, 2); ranks += ranks < 3 ? 1 : 5)
        check_ranks(model, &def, UNLESS_SANITIZED(200, 20), ranks, NULL);
    tn_model_destroy(model);
}

TEST(so_it_has_to_a_tolerance)
{
    TnModel *model = column(UNLESS_SANITIZED(12, 4), 3);
    TnWorldDef def = tn_world_def();
    check_ranks(model, &def, UNLESS_SANITIZED(100, 20), 3, NULL);
    tn_model_destroy(model);
}

TEST(and_by_subadmm_alone)
{
    TnModel *model = column(UNLESS_SANITIZED(16, 4), 3);
    TnWorldDef def = tn_world_def();
    def.solver.method = TN_METHOD_SUBADMM;
    check_ranks(model, &def, UNLESS_SANITIZED(50, 10), 2, NULL);
    tn_model_destroy(model);
}

TEST(spinning_friction_crosses_ranks)
{
    TnModel *model = column(UNLESS_SANITIZED(12, 4), 4);
    TnWorldDef def = fixed_count(20);
    check_ranks(model, &def, UNLESS_SANITIZED(100, 20), 3, NULL);
    tn_model_destroy(model);
}

TEST(ranks_have_threads_of_their_own)
{
    TnModel *model = column(350, 3); /* smaller scenes stay on one thread */
    TnWorldDef def = fixed_count(10);
    def.thread_count = 2;
    check_ranks(model, &def, UNLESS_SANITIZED(20, 5), 2, NULL);
    tn_model_destroy(model);
}

TEST(islands_are_shared)
{
    TnModel *model = stacks(7, 3);
    TnWorldDef def = tn_world_def();
    TnTraffic traffic[MOST_RANKS];
    check_ranks(model, &def, 50, 3, traffic);
    CHECK(traffic[0].exchanges == 0);
    CHECK(traffic[0].shares > 0);
    tn_model_destroy(model);
}

TEST(more_ranks_than_bodies_are_no_harm)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    for (int i = 0; i < 3; i++) /* in the air, then on top of each other */
        scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, 1.0,
                   (double[3]){0.01 * i, 0.0, 0.07 + 0.11 * i}, 0.5, 0.0);
    TnModel *model = scene_compile(&scene);
    TnWorldDef def = fixed_count(20), exact = tn_world_def();
    check_ranks(model, &def, UNLESS_SANITIZED(50, 20), UNLESS_SANITIZED(8, 5), NULL);
    check_ranks(model, &exact, UNLESS_SANITIZED(50, 20), UNLESS_SANITIZED(8, 5), NULL);
    tn_model_destroy(model);
}

TEST(sleepers_are_left_out_on_all_ranks)
{
    TnModel *model = stacks(3, 2);
    for (int fixed = 0; fixed < 2; fixed++) {
        TnWorldDef def = fixed ? fixed_count(60) : tn_world_def();
        def.sleep = TN_SLEEP_PASSIVE;
        def.sleep_time = 0.05;
        def.sleep_speed = 0.01;
        check_ranks(model, &def, 100, 2, NULL);
    }
    tn_model_destroy(model);
}

TEST(a_robot_among_balls_is_in_several_parts)
{
    TnModel *model = column_with(UNLESS_SANITIZED(12, 6), 3, true);
    TnWorldDef def = fixed_count(20), exact = tn_world_def();
    TnTraffic traffic[MOST_RANKS];
    check_ranks(model, &def, UNLESS_SANITIZED(100, 20), 3, traffic);
    CHECK(traffic[0].exchanges > 0);
    check_ranks(model, &exact, UNLESS_SANITIZED(50, 10), 2, NULL);
    exact.solver.method = TN_METHOD_SUBADMM;
    check_ranks(model, &exact, UNLESS_SANITIZED(50, 10), 3, traffic);
    CHECK(traffic[0].exchanges > 0);
    tn_model_destroy(model);
}

TEST(cables_and_soft_bodies_take_part)
{
    static const char *const paths[] = {TENON_SOURCE_DIR "/scenes/cable.xml",
                                        TENON_SOURCE_DIR "/scenes/gripper.xml"};
    for (int i = 0; i < UNLESS_SANITIZED(2, 0); i++) {
        TnModel *model = scene_file(paths[i]);
        TnWorldDef def = fixed_count(10), exact = tn_world_def();
        def.division.kind = TN_DIVISION_PAPER;
        check_ranks(model, &def, 10, 3, NULL);
        check_ranks(model, &exact, 10, 2, NULL);
        tn_model_destroy(model);
    }
}

TEST(an_iteration_sends_48_bytes_per_boundary_body_and_neighbour)
{
    TnModel *model = column(24, 3);
    TnWorldDef def = fixed_count(20);
    TnTraffic traffic[MOST_RANKS];
    check_ranks(model, &def, 20, 2, traffic);
    for (int r = 0; r < 2; r++) { /* with one neighbour each body is sent once */
        CHECK(traffic[r].boundary > 0);
        CHECK(traffic[r].boundary < traffic[r].own / 2);
        CHECK(traffic[r].sent == 48 * traffic[r].boundary);
        CHECK(traffic[r].neighbours == traffic[r].exchanges);
        CHECK(traffic[r].exchanges == 20 * 19); /* the last iteration needs none */
    }
    tn_model_destroy(model);
}

typedef struct Saved {
    const TnModel *model;
    TnWorldDef def;
    void *bytes;
    size_t size;
    uint64_t wanted;
} Saved;

static void go_on(void *context, const TnRanks *ranks)
{
    const Saved *saved = context;
    TnWorldDef def = saved->def;
    TnError err = {0};
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, saved->model, &err);
    CHECK(tn_world_restore(world, saved->bytes, saved->size, &err) == TN_OK);
    for (int k = 0; k < 20; k++) tn_world_step(world);
    CHECK(tn_world_hash(world) == saved->wanted);
    tn_world_destroy(world);
}

TEST(a_saved_state_goes_on_on_another_number_of_ranks)
{
    TnModel *model = column(8, 3);
    Saved saved = {.model = model, .def = fixed_count(20)};
    TnError err = {0};
    TnWorld *world = tn_world_create(&saved.def, model, &err);
    for (int k = 0; k < 20; k++) tn_world_step(world);
    saved.size = tn_world_save_size(world);
    saved.bytes = malloc(saved.size);
    CHECK(tn_world_save(world, saved.bytes, saved.size, &err) == TN_OK);
    for (int k = 0; k < 20; k++) tn_world_step(world);
    saved.wanted = tn_world_hash(world);
    for (int ranks = 2; ranks <= 4; ranks += 2) run_on_ranks(ranks, go_on, &saved, NULL);
    free(saved.bytes);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
