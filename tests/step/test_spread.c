/* Worlds that ranks step in parts have the same bits on any number of ranks. Ranks are threads here
 * (thread_ranks.h, pthread). */
#include "../check.h"

#include "scene.h"
#include "thread_ranks.h"

enum { LOOKS = 4 }; /* at the hash of a run */

typedef struct Run {
    const TnModel *model;
    TnWorldDef def;
    int steps;
    uint64_t hashes[MOST_RANKS][LOOKS];
    int contacts[MOST_RANKS]; /* of all steps */
    double deepest[MOST_RANKS];
} Run;

static void step_world(void *context, const TnRanks *ranks)
{
    Run *run = context;
    TnWorldDef def = run->def;
    TnError err = {0};
    int rank = ranks ? ranks->rank : 0;
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, run->model, &err);
    CHECK(world);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    for (int look = 0; look < LOOKS; look++) {
        for (int k = 0; k < run->steps / LOOKS; k++) {
            TnStepReport report = tn_world_step(world);
            CHECK(!report.diverged);
            run->contacts[rank] += report.contact_count;
            run->deepest[rank] = fmax(run->deepest[rank], report.max_penetration);
        }
        run->hashes[rank][look] = tn_world_hash(world);
    }
    tn_world_destroy(world);
}

static void check_ranks(const Run *alone, int ranks, TnTraffic *traffic)
{
    Run together = {.model = alone->model, .def = alone->def, .steps = alone->steps};
    run_on_ranks(ranks, step_world, &together, traffic);
    for (int r = 0; r < ranks; r++) {
        for (int look = 0; look < LOOKS; look++)
            CHECK(together.hashes[r][look] == alone->hashes[0][look]);
        CHECK(together.contacts[r] == alone->contacts[0]);
        CHECK(together.deepest[r] == alone->deepest[0]);
    }
}

static Run run_alone(const TnModel *model, int steps)
{
    Run run = {.model = model, .def = tn_world_def(), .steps = steps};
    run.def.solver.tolerance = 0.0;
    run.def.solver.iterations = 15;
    run.def.spread = true;
    step_world(&run, NULL);
    CHECK(run.hashes[0][0] != run.hashes[0][LOOKS - 1]); /* it moves */
    CHECK(run.contacts[0] > 0);
    return run;
}

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

TEST(a_heap_in_parts_has_the_same_bits_on_one_to_eight_ranks)
{
    TnModel *model = heap(UNLESS_SANITIZED(300, 100));
    Run alone = run_alone(model, UNLESS_SANITIZED(120, 16));
    for (int ranks = 1; ranks <= UNLESS_SANITIZED(8, 2); ranks += ranks < 3 ? 1 : 5)
        check_ranks(&alone, ranks, NULL);
    tn_model_destroy(model);
}
