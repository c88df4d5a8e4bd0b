/* tenon-bench batch SCENE: many worlds of a scene on several threads, by calls of one step and by
 * one call for all steps. Worlds start a few steps apart, so that their steps differ in length. */
#include "../common/app.h"
#include "../common/options.h"
#include "bench.h"
#include "commands.h"
#include "known_scenes.h"
#include "machine.h"
#include "own_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct BatchOptions {
    SimOptions sim;
    const char *scene;
    int worlds, steps, settle, stagger, repeats;
    NumberList threads;
    bool json;
} BatchOptions;

typedef struct BatchRun {
    int threads;
    double by_step, by_rollout; /* s per step of all worlds, shortest of the repeats */
    size_t memory;              /* bytes per world; 0: not known */
    uint64_t hash;              /* of the states at the end */
    bool diverged;
} BatchRun;

/* What the worlds start from in every repeat. */
typedef struct Starts {
    void **states;
    size_t *sizes;
} Starts;

static bool keep_starts(TnBatch *batch, int count, Starts *starts)
{
    starts->states = calloc((size_t)count, sizeof *starts->states);
    starts->sizes = calloc((size_t)count, sizeof *starts->sizes);
    bool ok = starts->states && starts->sizes;
    for (int i = 0; ok && i < count; i++) {
        TnWorld *world = tn_batch_world(batch, i);
        starts->sizes[i] = tn_world_save_size(world);
        starts->states[i] = malloc(starts->sizes[i]);
        ok = starts->states[i] &&
             tn_world_save(world, starts->states[i], starts->sizes[i], NULL) == TN_OK;
    }
    return ok;
}

static void free_starts(int count, Starts *starts)
{
    for (int i = 0; starts->states && i < count; i++) free(starts->states[i]);
    free(starts->states);
    free(starts->sizes);
}

/* World i takes i mod `stagger` steps more. */
static TnStatus settle(TnBatch *batch, const BatchOptions *o, TnError *err)
{
    uint8_t *mask = malloc((size_t)o->worlds);
    TnRollout rollout = tn_rollout();
    TnStatus status = mask ? TN_OK : TN_ERROR_MEMORY;
    rollout.length = o->settle;
    if (o->settle > 0 && status == TN_OK) status = tn_batch_rollout(batch, &rollout, err);
    for (int k = 1; k < o->stagger && status == TN_OK; k++) {
        for (int i = 0; i < o->worlds; i++) mask[i] = i % o->stagger >= k;
        status = tn_batch_step(batch, mask, err);
    }
    free(mask);
    return status;
}

static double time_steps(TnBatch *batch, int steps, bool by_rollout, TnError *err)
{
    TnRollout rollout = tn_rollout();
    rollout.length = steps;
    double start = clock_seconds();
    if (by_rollout)
        tn_batch_rollout(batch, &rollout, err);
    else
        for (int k = 0; k < steps; k++) tn_batch_step(batch, NULL, err);
    return (clock_seconds() - start) / steps;
}

static uint64_t hash_all(TnBatch *batch, int count)
{
    uint64_t all = 0;
    for (int i = 0; i < count; i++)
        all = all * UINT64_C(0x100000001b3) + tn_world_hash(tn_batch_world(batch, i));
    return all;
}

static TnStatus measure_batch(TnBatch *batch, const BatchOptions *o, BatchRun *run, TnError *err)
{
    Starts starts = {0};
    TnStatus status = settle(batch, o, err);
    if (status == TN_OK && !keep_starts(batch, o->worlds, &starts)) status = TN_ERROR_MEMORY;
    run->by_step = run->by_rollout = INFINITY;
    for (int r = 0; r < 2 * o->repeats && status == TN_OK; r++) {
        bool by_rollout = r % 2;
        status =
            tn_batch_restore(batch, NULL, (const void *const *)starts.states, starts.sizes, err);
        double seconds = time_steps(batch, o->steps, by_rollout, err),
               *best = by_rollout ? &run->by_rollout : &run->by_step;
        *best = fmin(*best, seconds);
    }
    TnBatchView view = tn_batch_view(batch);
    run->diverged = memchr(view.diverged, 1, (size_t)view.count) != NULL;
    run->hash = hash_all(batch, o->worlds);
    free_starts(o->worlds, &starts);
    return status;
}

static int run_threads(const BatchOptions *o, const TnModel *model, TnKeyId key, BatchRun *run)
{
    TnError err = {0};
    TnBatchDef def = tn_batch_def();
    def.count = o->worlds;
    def.thread_count = run->threads;
    def.world = sim_world_def(&o->sim);
    def.world.thread_count = 1;
    def.world.key = key;
    size_t before = heap_in_use();
    TnBatch *batch = tn_batch_create(&def, model, &err);
    TnStatus status = batch ? measure_batch(batch, o, run, &err) : err.code;
    size_t now = heap_in_use();
    run->memory = now > before ? (now - before) / (size_t)o->worlds : 0;
    tn_batch_destroy(batch);
    if (status == TN_OK) return EXIT_FINE;
    say("batch", "%s", err.count ? err.message : "no memory");
    return code_of(&err);
}

static void print_table(const BatchOptions *o, const BatchRun *runs, int count)
{
    Grid grid;
    grid_start(&grid, 7);
    const char *const heads[] = {"threads",    "step ms", "steps/s", "speed-up",
                                 "rollout ms", "steps/s", "speed-up"};
    for (int i = 0; i < 7; i++) grid_add(&grid, "%s", heads[i]);
    for (int i = 0; i < count; i++) {
        grid_add(&grid, "%d", runs[i].threads);
        grid_number(&grid, 3, 1e3 * runs[i].by_step);
        grid_number(&grid, 0, o->worlds / runs[i].by_step);
        grid_number(&grid, 2, runs[0].by_step / runs[i].by_step);
        grid_number(&grid, 3, 1e3 * runs[i].by_rollout);
        grid_number(&grid, 0, o->worlds / runs[i].by_rollout);
        grid_number(&grid, 2, runs[0].by_rollout / runs[i].by_rollout);
    }
    printf("%s: %d worlds, %d steps of each\n\n", o->scene, o->worlds, o->steps);
    grid_print(stdout, &grid);
    printf("\n");
    table_line(stdout, "memory per world", "%.0f kB", 1e-3 * (double)runs[0].memory);
}

static void print_json(const BatchOptions *o, const BatchRun *runs, int count)
{
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_machine(&json);
    json_string(&json, "scene", o->scene);
    json_integer(&json, "worlds", o->worlds);
    json_integer(&json, "steps", o->steps);
    json_begin_array(&json, "runs");
    for (int i = 0; i < count; i++) {
        json_begin_object(&json, NULL);
        json_integer(&json, "threads", runs[i].threads);
        json_number(&json, "step_ms", 1e3 * runs[i].by_step);
        json_number(&json, "rollout_ms", 1e3 * runs[i].by_rollout);
        json_number(&json, "steps_per_second", o->worlds / runs[i].by_step);
        json_number(&json, "rollout_steps_per_second", o->worlds / runs[i].by_rollout);
        json_number(&json, "speed_up", runs[0].by_step / runs[i].by_step);
        json_number(&json, "rollout_speed_up", runs[0].by_rollout / runs[i].by_rollout);
        json_integer(&json, "bytes_per_world", (int64_t)runs[i].memory);
        json_hash(&json, "hash", runs[i].hash);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static int bench_batch(const BatchOptions *o, const TnModel *model)
{
    BatchRun runs[BENCH_MAX_RUNS] = {0};
    TnKeyId key;
    bool diverged = false;
    if (!find_key("batch", model, o->sim.key, &key)) return EXIT_USAGE;
    for (int i = 0; i < o->threads.count; i++) {
        runs[i].threads = (int)o->threads.values[i];
        int failed = run_threads(o, model, key, &runs[i]);
        if (failed) return failed;
        diverged |= runs[i].diverged;
        if (runs[i].hash != runs[0].hash)
            say("batch", "%d threads give other bits than %d: please report this", runs[i].threads,
                runs[0].threads);
    }
    (o->json ? print_json : print_table)(o, runs, o->threads.count);
    return diverged ? EXIT_DIVERGED : EXIT_FINE;
}

static int check_and_bench(BatchOptions *o)
{
    char path[PATH_MAX];
    int code = EXIT_USAGE;
    const double both[] = {1, machine_info().cores};
    if (!sim_options_finish("batch", &o->sim)) return EXIT_USAGE;
    if (o->threads.count > BENCH_MAX_RUNS) {
        say("batch", "--threads: at most %d counts", BENCH_MAX_RUNS);
        return EXIT_USAGE;
    }
    if (!number_list_default(&o->threads, both, both[1] > 1 ? 2 : 1) ||
        !find_scene("batch", o->scene, path))
        return EXIT_IO;
    TnModel *model = load_model("batch", path, NULL, &code);
    if (model) code = bench_batch(o, model);
    tn_model_destroy(model);
    return code;
}

static int option_table(Option *table, BatchOptions *o)
{
    int n = 0, all = sim_option_table(table, 0, &o->sim);
    for (int i = 0; i < all; i++) { /* all but the duration */
        if (!strcmp(table[i].name, "--duration")) continue;
        table[n] = table[i];
        if (!strcmp(table[n].name, "--threads"))
            table[n] = option_ints("--threads", &o->threads, "LIST", 1, 64,
                                   "numbers of threads that share the worlds, one row each; "
                                   "default 1 and the number of cores; each 1 ... 64");
        n++;
    }
    table[n++] = option_int("--worlds", &o->worlds, "N", 1, 1000000, "default 256");
    table[n++] = option_int("--steps", &o->steps, "N", 1, 1000000,
                            "measured steps of each world; default 20");
    table[n++] =
        option_int("--settle", &o->settle, "N", 0, 1000000, "steps before them; default 20");
    table[n++] = option_int("--stagger", &o->stagger, "N", 1, 1000,
                            "world i settles i mod N steps longer; default 16");
    table[n++] = option_int("--repeats", &o->repeats, "N", 1, 1000,
                            "timed passes, of which the shortest counts; default 3");
    table[n++] = option_set("--json", &o->json, "print one JSON object");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon-bench batch SCENE [OPTIONS]\n\n"
           "Measures a batch: many worlds of one model that threads share. `step` is a call per\n"
           "step of all worlds, `rollout` one call for all steps. The speed-up is over the first\n"
           "number of threads. Each pass begins at the same states; the bits at its end must be\n"
           "the same for all numbers of threads.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon-bench batch stir --threads 1,2,4\n"
           "  tenon-bench batch my_robot.xml --worlds 4096 --steps 100 --json\n");
}

int cmd_batch(int argc, char **argv)
{
    BatchOptions o = {.sim = bench_sim_options(),
                      .worlds = 256,
                      .steps = 20,
                      .settle = 20,
                      .stagger = 16,
                      .repeats = 3};
    Option table[6 + SIM_OPTION_COUNT];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("batch", table, count, print_help, "SCENE", &o.scene, argc, argv, &code))
        code = check_and_bench(&o);
    number_list_free(&o.threads);
    return code;
}
