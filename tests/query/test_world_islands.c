/* Worlds whose solver has a tolerance: islands, their reports, threads, memory, accuracy. */
#include "../check.h"

#include "../step/scene.h"

#include "base/base.h"
#include "baselines/baselines.h"

static TnWorldDef careful(double tolerance)
{
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = tolerance;
    return def;
}

static void add_wall(Scene *scene, double x, double y, double half_x, double half_y)
{
    TnGeomDef geom = tn_geom_def();
    geom.body = TN_BODY_WORLD;
    geom.type = TN_GEOM_BOX;
    geom.pos[0] = x, geom.pos[1] = y, geom.pos[2] = 0.2;
    geom.size[0] = half_x, geom.size[1] = half_y, geom.size[2] = 0.2;
    tn_builder_add_geom(scene->builder, &geom);
}

/* n³ balls in a tray. */
static void add_pile(Scene *scene, int n)
{
    double side = 0.0101 * n + 0.001;
    for (int s = -1; s <= 1; s += 2) {
        add_wall(scene, s * (side + 0.01), 0.0, 0.01, side + 0.02);
        add_wall(scene, 0.0, s * (side + 0.01), side + 0.02, 0.01);
    }
    for (int i = 0; i < n * n * n; i++) {
        double pos[3] = {0.0201 * (i % n - 0.5 * (n - 1)) + 0.001 * (i % 7) / 7.0,
                         0.0201 * (i / n % n - 0.5 * (n - 1)),
                         0.011 + 0.0201 * (i / n / n) + 0.0002 * (i % 5)};
        scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.004, pos, 0.5, 0.0);
    }
}

/* Stacks of boxes that lie a little askew, ten centimetres apart, and a ball that flies. */
static void add_stacks(Scene *scene, int stacks, int height)
{
    for (int i = 0; i < stacks; i++)
        for (int k = 0; k < height; k++) {
            double pos[3] = {1.0 + 0.1 * (i % 8) + 0.001 * ((i + 3 * k) % 5 - 2), 0.1 * (i / 8),
                             0.02 + 0.04 * k};
            scene_free(scene, TN_GEOM_BOX, (double[3]){0.02, 0.02, 0.02}, 0.06, pos, 0.6, 0.0);
        }
    scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.1, (double[3]){0, 3, 5}, 0.5, 0.0);
}

static TnModel *yard(int stacks, int height, int pile)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    add_stacks(&scene, stacks, height);
    if (pile) add_pile(&scene, pile);
    return scene_compile(&scene);
}

static TnWorld *world_of(const TnModel *model, TnWorldDef def)
{
    TnError err = {0};
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) printf("    %s\n", err.message);
    return world;
}

TEST(each_stack_is_an_island_and_the_report_adds_up)
{
    TnModel *model = yard(10, 3, 0);
    TnWorld *world = world_of(model, careful(1e-6));
    REQUIRE(world);
    for (int k = 0; k < 30; k++) {
        TnStepReport report = tn_world_step(world);
        int contacts = 0, rows = 0, by_method[TN_METHOD_COUNT] = {0};
        double worst = 0.0;
        CHECK(report.island_count == 10); /* the ball in the air is in none */
        for (int i = 0; i < report.island_count; i++) {
            TnIslandReport island = tn_world_island(world, i);
            CHECK(island.blocks == 3 && island.contacts >= 3 && island.converged && island.why);
            contacts += island.contacts;
            rows += island.rows;
            by_method[island.method]++;
            worst = fmax(worst, island.error);
        }
        CHECK(contacts == report.contact_count && rows == report.row_count);
        CHECK(memcmp(by_method, report.islands_by_method, sizeof by_method) == 0);
        CHECK(report.converged && report.error == worst && report.error < 1e-6);
        CHECK_NEAR(report.residual, report.error * 9.81 * 0.01, 1e-18);
        CHECK(tn_world_island(world, report.worst_island).error == worst);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_stack_at_rest_is_often_recognised_by_its_starting_guess)
{
    TnModel *model = yard(4, 3, 0);
    TnWorld *world = world_of(model, careful(1e-6));
    TnStepReport report = {0};
    int guessed = 0;
    for (int k = 0; k < 300; k++) {
        report = tn_world_step(world);
        if (k >= 200) guessed += report.islands_by_method[TN_METHOD_AUTO];
    }
    CHECK(guessed > 240); /* of 400; errors that were let pass grow until they no longer are */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(the_flying_ball_falls_as_if_alone)
{
    TnModel *model = yard(2, 1, 0);
    TnWorld *world = world_of(model, careful(1e-6));
    for (int k = 0; k < 10; k++) tn_world_step(world);
    double v[3], w[3];
    tn_world_body_velocity(world, 4, v, w);
    CHECK_NEAR(v[2], -9.81 * 10 * 0.01, 1e-14);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* The pile has more work than a thread's share, the stacks are shared out. */
TEST(islands_on_one_to_eight_threads_give_the_same_hash)
{
    TnModel *model = yard(40, 3, UNLESS_SANITIZED(11, 8));
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnWorldDef def = careful(1e-4);
        def.thread_count = threads;
        def.solver.iterations = 20;
        TnWorld *world = world_of(model, def);
        TnStepReport report = {0};
        REQUIRE(world);
        for (int k = 0; k < UNLESS_SANITIZED(5, 3); k++) report = tn_world_step(world);
        CHECK(report.island_count >= 41 && !report.diverged);
        if (threads == 1) first = tn_world_hash(world);
        CHECK(tn_world_hash(world) == first);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}

TEST(a_warm_step_with_islands_allocates_nothing_on_one_and_four_threads)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        TnModel *model = yard(30, 4, 0);
        TnWorldDef def = careful(1e-6);
        def.thread_count = threads;
        def.solver.iterations = 30;
        TnWorld *world = world_of(model, def);
        REQUIRE(world);
        int fallbacks = 0;
        size_t bytes = 0;
        for (int k = 0; k < UNLESS_SANITIZED(160, 80); k++)
            bytes = tn_world_step(world).arena_high_water;
        long before = tn_malloc_count();
        for (int k = 0; k < UNLESS_SANITIZED(50, 15); k++) {
            TnStepReport report = tn_world_step(world);
            fallbacks += report.heap_fallbacks;
            CHECK(report.arena_high_water >= bytes);
        }
        CHECK(tn_malloc_count() == before && fallbacks == 0);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* Balls that fall into a tray, one upon the other: who touches whom changes with most steps. With
 * `lone`, pairs of balls roll about beside it. */
static TnModel *settling(int lone)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    for (int s = -1; s <= 1; s += 2) {
        add_wall(&scene, s * 0.05, 0.0, 0.01, 0.06);
        add_wall(&scene, 0.0, s * 0.05, 0.06, 0.01);
    }
    for (int i = 0; i < 60; i++) {
        double pos[3] = {0.022 * (i % 3 - 1) + 0.002 * (i % 7 - 3),
                         0.022 * (i / 3 % 3 - 1) + 0.002 * (i % 5 - 2), 0.02 + 0.025 * (i / 9)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.004, pos, 0.4, 0.3);
    }
    for (int i = 0; i < 3 * lone; i++) {
        double pos[3] = {1.0 + 0.3 * (i / 3 % 8) + 0.004 * (i % 3), 0.3 * (i / 24),
                         0.02 + 0.025 * (i % 3) + 0.01 * (i % 7)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.004, pos, 0.4, 0.5);
    }
    return scene_compile(&scene);
}

/* Thrown up, each ball as fast as the seed says. */
static void toss(TnWorld *world, unsigned seed)
{
    TnStateView state = tn_world_state(world);
    double *qvel = calloc((size_t)state.dof_count, sizeof(double));
    TnError err = {0};
    for (int i = 0; i < state.dof_count; i += 6) {
        seed = seed * 1664525u + 1013904223u;
        qvel[i] = 0.1 * ((seed >> 24) / 128.0 - 1.0);
        qvel[i + 1] = 0.1 * ((seed >> 16 & 255) / 128.0 - 1.0);
        qvel[i + 2] = 0.6 + 0.4 * (seed >> 8 & 255) / 256.0;
    }
    CHECK(tn_world_set_state(world, state.qpos, qvel, &err) == TN_OK);
    free(qvel);
}

typedef struct Tally {
    int changes, factorizations, fallbacks;
    uint64_t last; /* pairs that touch */
} Tally;

/* Tossed so often, and settling each time. */
static void toss_and_settle(TnWorld *world, int times, Tally *tally)
{
    for (int k = 0; k < 40 * times; k++) {
        if (k % 40 == 0) toss(world, (unsigned)k);
        TnStepReport report = tn_world_step(world);
        uint64_t sum = 0;
        for (int i = 0; i < tn_world_contact_count(world); i++) {
            TnContact c = tn_world_contact(world, i);
            sum = (sum * 31 + (uint64_t)c.geom1) * 31 + (uint64_t)c.geom2;
        }
        tally->changes += sum != tally->last;
        tally->last = sum;
        tally->fallbacks += report.heap_fallbacks;
        for (int i = 0; i < report.island_count; i++)
            tally->factorizations += tn_world_island(world, i).factorizations;
        CHECK(!report.diverged);
    }
}

TEST(a_warm_step_of_a_settling_pile_allocates_nothing_on_threads_though_its_graph_changes)
{
    for (int many = 0; many < 2; many++) {
        TnModel *model = settling(many ? 40 : 0);
        TnWorldDef def = careful(1e-6);
        def.thread_count = many ? 4 : 1;
        TnWorld *world = world_of(model, def);
        REQUIRE(world);
        enum { TOSSES = UNLESS_SANITIZED(2, 1) };
        Tally tally = {0};
        TnError err = {0};
        size_t size = tn_world_save_size(world);
        void *start = malloc(size);
        CHECK(tn_world_save(world, start, size, &err) == TN_OK);
        /* The same steps to the bit, again and again: the first time for what they need, the second
         * because the plans' two arenas take turns. */
        long before = 0;
        for (int round = 0; round < 3; round++) {
            CHECK(tn_world_restore(world, start, size, &err) == TN_OK);
            tally = (Tally){0};
            before = tn_malloc_count();
            toss_and_settle(world, TOSSES, &tally);
        }
        printf("     %ld allocations, graphs changed %d times, %d factorizations\n",
               tn_malloc_count() - before, tally.changes, tally.factorizations);
        CHECK(tn_malloc_count() == before && tally.fallbacks == 0);
        CHECK(tally.changes > 20 * TOSSES && tally.factorizations > 20 * TOSSES);
        free(start);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(a_world_with_a_tolerance_is_restored_bit_for_bit)
{
    TnModel *model = yard(6, 4, 3);
    TnWorld *world = world_of(model, careful(1e-6)), *other = world_of(model, careful(1e-6));
    TnError err = {0};
    REQUIRE(world && other);
    for (int k = 0; k < 20; k++) tn_world_step(world);
    size_t size = tn_world_save_size(world);
    void *buffer = malloc(size);
    REQUIRE(buffer && tn_world_save(world, buffer, size, &err) == TN_OK);
    REQUIRE(tn_world_restore(other, buffer, size, &err) == TN_OK);
    char text[80];
    tn_world_worst_constraint(other, 0, text, sizeof text); /* of no step */
    CHECK(text[0] == '\0');
    for (int k = 0; k < 20; k++) {
        tn_world_step(world);
        tn_world_step(other);
    }
    CHECK(tn_world_hash(world) == tn_world_hash(other));
    free(buffer);
    tn_world_destroy(world);
    tn_world_destroy(other);
    tn_model_destroy(model);
}

TEST(a_step_without_memory_is_refused_and_can_be_made_up_for)
{
    TnModel *model = yard(3, 2, 0);
    bool enough = false;
    for (int n = 0; n < 3000 && !enough; n++) {
        TnWorld *world = world_of(model, careful(1e-6));
        REQUIRE(world);
        uint64_t hash = tn_world_hash(world);
        tn_malloc_fail_after(n);
        TnStepReport report = tn_world_step(world);
        tn_malloc_fail_after(-1);
        enough = !report.diverged;
        if (report.diverged) {
            CHECK(tn_world_hash(world) == hash && !report.converged);
            CHECK(!tn_world_step(world).diverged);
        }
        tn_world_destroy(world);
    }
    CHECK(enough);
    tn_model_destroy(model);
}

/* ---- fixed counts, the paper's form ---- */

TEST(a_fixed_number_of_iterations_knows_no_islands)
{
    TnModel *model = yard(3, 2, 0);
    TnWorldDef def = careful(0.0);
    def.solver.iterations = 17;
    TnWorld *world = world_of(model, def);
    TnStepReport report = tn_world_step(world);
    CHECK(isnan(report.error) && report.island_count == 0 && report.worst_island == -1);
    CHECK(report.iterations == 17 && report.converged);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(the_papers_form_stops_by_its_own_residual)
{
    TnModel *model = yard(3, 1, 0);
    TnWorldDef def = careful(1e-7);
    def.solver.method = TN_METHOD_OWN;
    def.solver.own = &tn_own_paper_form;
    def.solver.iterations = 5000;
    TnWorld *world = world_of(model, def);
    TnStepReport report = tn_world_step(world);
    CHECK(isnan(report.error) && report.island_count == 0);
    CHECK(report.converged && report.residual < 1e-7 && report.iterations > 1);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* ---- accuracy ---- */

TEST(accuracy_is_measured_after_islands_too)
{
    TnModel *model = yard(5, 3, 0);
    TnWorldDef def = careful(1e-8);
    def.measure_accuracy = true;
    TnWorld *world = world_of(model, def);
    for (int k = 0; k < 10; k++) {
        TnStepReport report = tn_world_step(world);
        /* the map's largest number is below 1e-8 · g t = 2e-10; the RMS of other measures of the
         * same constraints is no more than three times that */
        CHECK(report.converged && report.aac > 9.2 && report.aal > 9.2);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* v* of a tolerance of 1e-12 m/s; the tower's slowest motion amplifies an error in constraints by
 * some thousand. */
TEST(digits_of_v_are_told_with_and_without_a_tolerance)
{
    TnModel *model = yard(2, 5, 0);
    double reached;
    TnWorldDef def = careful(0.0), fine = careful(1e-9);
    TnWorld *exact = world_of(model, fine);
    def.solver.iterations = 20;
    TnWorld *rough = world_of(model, def);
    for (int k = 0; k < 5; k++) {
        tn_world_step(exact);
        tn_world_step(rough);
    }
    double digits = tn_last_aav(exact, &fine.solver, 1000, &reached);
    CHECK(digits > 8.0 && reached < 1e-12);
    digits = tn_last_aav(rough, &def.solver, 100, &reached); /* SubADMM alone comes nowhere */
    CHECK(digits > 1.0 && digits < 7.0 && reached < 1e-7);
    CHECK_NEAR(tn_last_aav(rough, &def.solver, 100, &reached), digits,
               1e-9); /* asking changes nothing */
    /* a change of mind between step and question */
    tn_world_step(exact);
    TnError err = {0};
    REQUIRE(tn_world_set_solver(exact, &def.solver, &err) == TN_OK);
    CHECK(tn_last_aav(exact, &def.solver, 1000, &reached) > 8.0);
    tn_world_destroy(exact);
    tn_world_destroy(rough);
    tn_model_destroy(model);
}
