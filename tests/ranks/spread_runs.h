/* spread_runs.h: runs of worlds in parts, on any number of ranks, that are to have the same bits.
 */
#ifndef TN_TESTS_STEP_SPREAD_RUNS_H
#define TN_TESTS_STEP_SPREAD_RUNS_H

#include <math.h>
#include <tenon/tenon.h>

#include "thread_ranks.h"

enum { LOOKS = 4 }; /* at the hash of a run */

typedef struct Run {
    const TnModel *model;
    TnWorldDef def;
    int steps;
    void (*drive)(TnWorld *world, int step); /* before each step, by ranks that have the model */
    bool all_have;                           /* which all do, and not rank 0 alone */
    uint64_t hashes[MOST_RANKS][LOOKS];
    int contacts[MOST_RANKS]; /* of all steps */
    int refused[MOST_RANKS];  /* steps */
    double deepest[MOST_RANKS];
} Run;

static inline void step_world(void *context, const TnRanks *ranks)
{
    Run *run = context;
    TnWorldDef def = run->def;
    TnError err = {0};
    int rank = ranks ? ranks->rank : 0;
    def.ranks = ranks;
    bool has = rank == 0 || run->all_have;
    TnWorld *world = tn_world_create(&def, has ? run->model : NULL, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    CHECK(world);
    if (!world) return;
    for (int look = 0; look < LOOKS; look++) {
        for (int k = 0; k < run->steps / LOOKS; k++) {
            if (run->drive && has) run->drive(world, look * (run->steps / LOOKS) + k);
            TnStepReport report = tn_world_step(world);
            run->refused[rank] += report.diverged;
            run->contacts[rank] += report.contact_count;
            run->deepest[rank] = fmax(run->deepest[rank], report.max_penetration);
        }
        run->hashes[rank][look] = tn_world_hash(world);
    }
    tn_world_destroy(world);
}

static inline void check_ranks(const Run *alone, int ranks, TnTraffic *traffic)
{
    Run together = {.model = alone->model,
                    .def = alone->def,
                    .steps = alone->steps,
                    .drive = alone->drive,
                    .all_have = alone->all_have};
    run_on_ranks(ranks, step_world, &together, traffic);
    for (int r = 0; r < ranks; r++) {
        for (int look = 0; look < LOOKS && (r == 0 || alone->all_have); look++)
            CHECK(together.hashes[r][look] == alone->hashes[0][look]);
        CHECK(together.contacts[r] == alone->contacts[0]);
        CHECK(together.refused[r] == alone->refused[0]);
        CHECK(together.deepest[r] == alone->deepest[0]);
    }
}

static inline Run run_driven_to(const TnModel *model, int steps, double tolerance,
                                void (*drive)(TnWorld *world, int step))
{
    Run run = {.model = model, .def = tn_world_def(), .steps = steps, .drive = drive};
    run.def.solver.tolerance = tolerance;
    run.def.solver.iterations = 15;
    run.def.spread = true;
    step_world(&run, NULL);
    CHECK(run.hashes[0][0] != run.hashes[0][LOOKS - 1]); /* it moves */
    CHECK(run.contacts[0] > 0);
    CHECK(run.refused[0] == 0);
    return run;
}

static inline Run run_alone_to(const TnModel *model, int steps, double tolerance)
{
    return run_driven_to(model, steps, tolerance, NULL);
}

static inline Run run_alone(const TnModel *model, int steps)
{
    return run_alone_to(model, steps, 0.0);
}

#endif
