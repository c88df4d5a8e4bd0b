/* Worlds that ranks step in parts have the same bits on any number of ranks. Ranks are threads here
 * (thread_ranks.h, pthread). */
#include "../check.h"

#include "../step/scene.h"
#include "spread_runs.h"

/* A loose heap of balls and boxes that falls, spreads and rolls: bodies change hands. */
static TnModel *heap(int count)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.3);
    for (int i = 0; i < count; i++) {
        double pos[3] = {0.023 * (i % 5) + 0.003 * (i / 25 % 3), 0.022 * (i / 5 % 5) + 1e-4 * i,
                         0.012 + 0.023 * (i / 25)};
        double size[3] = {0.008 + 0.0005 * (i % 4), 0.008, 0.009};
        scene_free(&scene, i % 3 ? TN_GEOM_SPHERE : TN_GEOM_BOX, size, 0.004, pos, 0.3, 0.0);
    }
    return scene_compile(&scene);
}

TEST(a_heap_in_parts_has_the_same_bits_on_two_to_eight_ranks)
{
    TnModel *model = heap(UNLESS_SANITIZED(300, 100));
    Run alone = run_alone(model, UNLESS_SANITIZED(80, 16));
    for (int ranks = 2; ranks <= UNLESS_SANITIZED(8, 2); ranks += ranks < 3 ? 1 : 5)
        check_ranks(&alone, ranks, NULL);
    tn_model_destroy(model);
}

TEST(parts_are_solved_to_a_tolerance_with_the_same_bits_on_any_number_of_ranks)
{
    TnModel *model = heap(UNLESS_SANITIZED(200, 160)); /* so many that contacts yield */
    Run alone = run_alone_to(model, UNLESS_SANITIZED(40, 4), 1e-6);
    for (int ranks = 1; ranks <= UNLESS_SANITIZED(5, 2); ranks += 2 - ranks % 2)
        check_ranks(&alone, ranks, NULL);
    tn_model_destroy(model);
}

enum { STACKS = 12, SLIDES = 20 };

static void slide(void *context, const TnRanks *ranks)
{
    const TnModel *model = context;
    TnWorldDef def = tn_world_def(); /* and its tolerance */
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, model, &err);
    TnStateView at = tn_world_state(world);
    double qvel[6 * 2 * STACKS] = {0};
    for (int b = 0; b < 2 * STACKS; b++) qvel[6 * b] = 1.0;
    CHECK(tn_world_set_state(world, at.qpos, qvel, &err) == TN_OK);
    for (int k = 0; k < SLIDES; k++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.converged && report.error <= def.solver.tolerance);
    }
    at = tn_world_state(world);
    /* v = 1 - μ g t; each step may be wrong by the tolerance, 1e-7 m/s */
    double wanted = 1.0 - 0.2 * 9.81 * 0.01 * SLIDES;
    for (int b = 0; b < 2 * STACKS; b++) CHECK(fabs(at.qvel[6 * b] - wanted) < 1e-5);
    tn_world_destroy(world);
}

TEST(stacks_in_parts_slide_as_coulomb_says)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.2);
    for (int i = 0; i < STACKS; i++)
        for (int k = 0; k < 2; k++) { /* the upper one is held by friction of 0.8 */
            double pos[3] = {0.2 * (i % 4), 0.2 * (i / 4), 0.01 + 0.02 * k};
            scene_free(&scene, TN_GEOM_BOX, (double[3]){0.04, 0.04, 0.01}, 0.3, pos, k ? 0.8 : 0.2,
                       0.0);
        }
    TnModel *model = scene_compile(&scene);
    slide(model, NULL);
    run_on_ranks(3, slide, model, NULL);
    tn_model_destroy(model);
}

TEST(ranks_that_all_have_the_model_have_the_same_bits_and_all_know_the_state)
{
    TnModel *model = heap(100);
    Run alone = run_alone(model, 16);
    alone.all_have = true;
    check_ranks(&alone, 3, NULL);
    tn_model_destroy(model);
}

TEST(ranks_may_have_no_bodies)
{
    TnModel *model = heap(3);
    Run alone = run_alone(model, 16);
    check_ranks(&alone, 5, NULL);
    tn_model_destroy(model);
}

TEST(ranks_have_parts_and_tell_no_more_than_they_must)
{
    enum { RANKS = 4 };
    TnTraffic traffic[RANKS];
    TnModel *model = heap(UNLESS_SANITIZED(300, 100));
    Run alone = run_alone(model, 8);
    check_ranks(&alone, RANKS, traffic);
    int64_t all = 0;
    for (int r = 0; r < RANKS; r++) {
        const TnTraffic *t = &traffic[r];
        CHECK(t->steps == 8 && t->divisions >= 1);
        CHECK(t->own > 0);
        all += t->own;
        /* six numbers of a body and iteration, for each rank that has it; a state per step */
        CHECK(t->sent >= 48 * t->boundary && t->sent <= 48 * t->boundary * (RANKS - 1));
        /* and whether they are pressed, and how they move within the step */
        CHECK(t->state_bytes >= (160 + 8 + 56) * t->states);
        CHECK(t->contacts < alone.contacts[0]);
    }
    CHECK(all == traffic[0].exchanges * UNLESS_SANITIZED(300, 100)); /* each body is one rank's */
    tn_model_destroy(model);
}

typedef struct Pushed {
    const TnModel *model;
    TnWorldDef def;
    void *bytes;
    size_t size;
    uint64_t wanted;
} Pushed;

static void push(TnWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        tn_world_apply_wrench(world, 2 + k % 7, (double[3]){0.05, 0.02, 0.1},
                              (double[3]){1e-4, 0.0, 0.0});
        tn_world_step(world);
    }
}

static void go_on(void *context, const TnRanks *ranks)
{
    const Pushed *p = context;
    TnWorldDef def = p->def;
    TnError err = {0};
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, p->model, &err);
    CHECK(tn_world_restore(world, p->bytes, p->size, &err) == TN_OK);
    push(world, 10);
    CHECK(tn_world_hash(world) == p->wanted);
    tn_world_destroy(world);
}

TEST(a_saved_state_goes_on_in_other_parts_and_forces_reach_them)
{
    TnModel *model = heap(100);
    Run alone = run_alone(model, 4);
    Pushed p = {.model = model, .def = alone.def};
    TnError err = {0};
    TnWorld *world = tn_world_create(&p.def, model, &err);
    push(world, 30);
    p.size = tn_world_save_size(world);
    p.bytes = malloc(p.size);
    CHECK(tn_world_save(world, p.bytes, p.size, &err) == TN_OK);
    uint64_t before = tn_world_hash(world);
    push(world, 10);
    p.wanted = tn_world_hash(world);
    CHECK(p.wanted != before);
    for (int ranks = 1; ranks <= 3; ranks++) run_on_ranks(ranks, go_on, &p, NULL);
    free(p.bytes);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static void diverge(void *context, const TnRanks *ranks)
{
    const Pushed *p = context;
    TnWorldDef def = p->def;
    TnError err = {0};
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, p->model, &err);
    CHECK(!tn_world_step(world).diverged);
    uint64_t good = tn_world_hash(world);
    tn_world_apply_wrench(world, 2, (double[3]){1e300, 0.0, 0.0}, NULL);
    CHECK(tn_world_step(world).diverged); /* on all ranks, whoever has the body */
    CHECK(tn_world_hash(world) == good);
    tn_world_destroy(world);
}

TEST(a_step_that_one_rank_refuses_is_refused_by_all)
{
    TnModel *model = heap(100);
    Pushed p = {.model = model, .def = run_alone(model, 4).def};
    diverge(&p, NULL);
    run_on_ranks(3, diverge, &p, NULL);
    tn_model_destroy(model);
}

TEST(what_cannot_be_in_parts_is_named)
{
    TnModel *model = heap(2);
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.sleep = TN_SLEEP_ALL;
    def.passes = 3;
    CHECK(!tn_world_create(&def, model, &err));
    CHECK(err.code == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "sleeping"));
    CHECK(strstr(err.message, "a number of passes"));
    tn_model_destroy(model);
}
