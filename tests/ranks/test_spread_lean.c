/* Ranks that have no model get their parts of rank 0's, and no more. Ranks are threads here
 * (thread_ranks.h, pthread). */
#include "../check.h"

#include "../../src/ranks/spread.h"
#include "../step/scene.h"
#include "spread_runs.h"

/* A flat bed, which balls roll over. */
static TnModel *bed(int count)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.3);
    int row = (int)ceil(sqrt(count));
    for (int i = 0; i < count; i++) {
        double pos[3] = {0.021 * (i % row) + 0.0004 * (i % 7), 0.021 * (i / row), 0.0101},
               size[3] = {0.01, 0.009, 0.01};
        scene_free(&scene, i % 5 ? TN_GEOM_SPHERE : TN_GEOM_BOX, size, 0.004, pos, 0.3, 0.0);
    }
    return scene_compile(&scene);
}

static TnWorld *create(const TnModel *model, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    def.solver.tolerance = 0.0;
    def.solver.iterations = 10;
    TnWorld *world = tn_world_create(&def, ranks && ranks->rank ? NULL : model, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return world;
}

/* ---- what a rank holds ---- */

enum { RANKS = 8 };

typedef struct Held {
    const TnModel *model;
    size_t bytes[RANKS]; /* of models, states and what worlds have per body or geom */
    int bodies[RANKS];
} Held;

static size_t bytes_of_model(const TnModel *m)
{
    return sizeof(TnBody) * (size_t)m->body_count + sizeof(TnLink) * (size_t)m->link_count +
           sizeof(TnJoint) * (size_t)m->joint_count + sizeof(TnGeom) * (size_t)m->geom_count;
}

static size_t bytes_of_world(const TnWorld *world)
{
    const TnModel *m = world->model;
    return bytes_of_model(m) + sizeof(double) * (size_t)(m->qpos_count + 2 * m->dof_count) +
           2 * (sizeof(TnLinkFrame) + sizeof(double[6])) * (size_t)m->link_count +
           sizeof(TnWarmContact) * (size_t)world->state.contact_capacity;
}

static void measure(void *context, const TnRanks *ranks)
{
    Held *held = context;
    TnWorld *world = create(held->model, ranks);
    for (int k = 0; k < 3; k++) CHECK(!tn_world_step(world).diverged);
    const TnSpread *spread = world->spread;
    held->bytes[ranks->rank] =
        bytes_of_world(world) + bytes_of_world(spread->common) + bytes_of_world(spread->world);
    held->bodies[ranks->rank] = spread->count;
    tn_world_destroy(world);
}

TEST(the_memory_of_a_rank_without_a_model_goes_with_its_part)
{
    size_t most[2] = {0, 0};
    for (int large = 0; large < 2; large++) { /* as many bodies per rank on 2 and on 8 ranks */
        int ranks = large ? RANKS : 2, each = UNLESS_SANITIZED(400, 100);
        Held held = {.model = bed(each * ranks)};
        run_on_ranks(ranks, measure, &held, NULL);
        for (int r = 1; r < ranks; r++) {
            CHECK(held.bodies[r] < each * ranks);
            if (held.bytes[r] > most[large]) most[large] = held.bytes[r];
        }
        CHECK(held.bytes[0] > bytes_of_model(held.model)); /* who has the whole */
        tn_model_destroy((TnModel *)held.model);
    }
    /* a part in the middle has neighbours all around, one of two halves has one */
    CHECK((double)most[1] < 2.0 * (double)most[0]);
}

/* ---- what can be done with it ---- */

static void ask_in_vain(void *context, const TnRanks *ranks)
{
    TnWorld *world = create(context, ranks);
    TnError err = {0};
    tn_world_step(world);
    TnStateView at = tn_world_state(world);
    if (ranks->rank) { /* no free body is known here */
        CHECK(at.qpos_count == 0 && at.dof_count == 0);
        CHECK(tn_model_info(tn_world_model(world)).body_count == 1);
        CHECK(tn_world_time(world) > 0.0);
    }
    CHECK(tn_world_set_gravity(world, (double[3]){0, 0, -5.0}, &err) == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "rank"));
    tn_world_destroy(world);
}

TEST(what_a_rank_without_a_model_knows_is_what_all_have)
{
    TnModel *model = bed(20);
    run_on_ranks(2, ask_in_vain, model, NULL);
    tn_model_destroy(model);
}

static void come_without(void *context, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    (void)context;
    def.spread = true;
    def.ranks = ranks;
    CHECK(!tn_world_create(&def, NULL, &err));
    CHECK(strstr(err.message, "no model"));
}

static void come_with_what_is_refused(void *context, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    def.sleep = TN_SLEEP_ALL;
    CHECK(
        !tn_world_create(&def, ranks->rank ? NULL : context, &err)); /* and nobody waits for ever */
    CHECK(err.count > 0);
}

TEST(a_world_that_rank_0_cannot_create_nobody_has)
{
    TnModel *model = bed(4);
    run_on_ranks(3, come_without, NULL, NULL);
    run_on_ranks(3, come_with_what_is_refused, model, NULL);
    tn_model_destroy(model);
}

/* ---- rank 0 drives ---- */

typedef struct Driven {
    const TnModel *model;
    void *saved;
    size_t size;
    uint64_t wanted;
} Driven;

static uint64_t push_and_step(TnWorld *world, int steps, bool knows)
{
    for (int k = 0; k < steps; k++) {
        if (knows) tn_world_apply_wrench(world, 2 + 5 * k % 60, (double[3]){0.04, 0.05, 0.2}, NULL);
        tn_world_step(world);
    }
    return tn_world_hash(world);
}

static void drive(void *context, const TnRanks *ranks)
{
    const Driven *d = context;
    TnError err = {0};
    bool knows = !ranks || ranks->rank == 0;
    TnWorld *world = create(d->model, ranks);
    CHECK(tn_world_restore(world, knows ? d->saved : NULL, knows ? d->size : 0, &err) == TN_OK);
    uint64_t hash = push_and_step(world, 12, knows);
    if (knows) CHECK(hash == d->wanted);
    if (knows) { /* the same again, from a state that was set between steps */
        CHECK(tn_world_restore(world, d->saved, d->size, &err) == TN_OK);
    } else {
        CHECK(tn_world_restore(world, NULL, 0, &err) == TN_OK);
    }
    hash = push_and_step(world, 12, knows);
    if (knows) CHECK(hash == d->wanted);
    tn_world_destroy(world);
}

TEST(states_and_forces_that_rank_0_sets_reach_ranks_without_a_model)
{
    TnModel *model = bed(64);
    Driven d = {.model = model};
    TnError err = {0};
    TnWorld *world = create(model, NULL);
    push_and_step(world, 9, true);
    d.size = tn_world_save_size(world);
    d.saved = malloc(d.size);
    CHECK(tn_world_save(world, d.saved, d.size, &err) == TN_OK);
    d.wanted = push_and_step(world, 12, true);
    tn_world_destroy(world);
    for (int ranks = 2; ranks <= UNLESS_SANITIZED(8, 3); ranks += ranks < 4 ? 1 : 4)
        run_on_ranks(ranks, drive, &d, NULL);
    free(d.saved);
    tn_model_destroy(model);
}

static void refuse_a_part_of_a_step(void *context, const TnRanks *ranks)
{
    const Driven *d = context;
    bool knows = !ranks || ranks->rank == 0;
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    def.substeps = 3;
    TnWorld *world = tn_world_create(&def, knows ? d->model : NULL, &err);
    for (int k = 0; k < 4; k++) CHECK(!tn_world_step(world).diverged);
    uint64_t good = tn_world_hash(world);
    double time = tn_world_time(world);
    /* upwards, where nobody is, by 5.8e9 m/s in a sub-step: the second one leads beyond 1e10 */
    if (knows) tn_world_apply_wrench(world, 2, (double[3]){0.0, 0.0, 7e9}, NULL);
    CHECK(tn_world_step(world).diverged);
    CHECK(tn_world_time(world) == time);
    uint64_t back = tn_world_hash(world);
    if (knows) CHECK(back == good);
    CHECK(!tn_world_step(world).diverged); /* and goes on from there */
    tn_world_destroy(world);
}

TEST(a_sub_step_that_is_refused_takes_the_whole_step_back_on_all_ranks)
{
    Driven d = {.model = bed(30)};
    refuse_a_part_of_a_step(&d, NULL);
    run_on_ranks(3, refuse_a_part_of_a_step, &d, NULL);
    tn_model_destroy((TnModel *)d.model);
}
