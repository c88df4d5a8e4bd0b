/* tenon-bench threads: the same steps of one scene on more and more threads, phase by phase.
 *
 * A scene settles once. From that state each number of threads makes the same steps, several times;
 * passes of all numbers take turns, so that what else runs on the machine meets all of them. A step
 * counts with its shortest time. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "../common/totals.h"
#include "../trials/hard.h"
#include "bench.h"
#include "built_scenes.h"
#include "commands.h"
#include "known_scenes.h"
#include "machine.h"
#include "pile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNTS = 16, MOST_STEPS = 1000 };

typedef struct Scene {
    const char *name;
    int spheres;      /* in a pile; 0: another scene */
    int settle;       /* steps before those that count */
    bool by_islands;  /* solved to its tolerance; otherwise a fixed number of iterations */
    bool on_request;  /* not unless it is named */
    const char *what; /* in words */
} Scene;

static const Scene scenes[] = {
    {"spheres1000", 1000, 100, .what = "a pile of 1,000 spheres"},
    {"spheres4000", 4000, 100, .what = "4,000"},
    {"spheres8000", 8000, 100, .what = "8,000"},
    {"spheres50000", 50000, 60, .what = "50,000"},
    {"spheres200000", 200000, 60, .on_request = true, .what = "200,000; only where it is named"},
    {"falling50000", 50000, 20, .on_request = true, .what = "50,000 that come down; the same"},
    {"stacks", 0, 20, .by_islands = true, .what = "10,000 boxes in stacks of ten, awake"},
    {"stir", 0, 150, .what = "scenes/stir.xml"},
    {"cable", 0, 800, .what = "scenes/cable.xml, wound"},
    {"beam", 0, 300, .what = "scenes/beam.xml, in the gap"},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

typedef struct Threads {
    NumberList counts, spheres;
    const char *only;
    int layers, settle; /* of --spheres */
    int iterations, steps, repeats;
    bool json, quiet;
    bool chosen[MOST_BUILT_SCENES];
} Threads;

typedef struct Run {
    const Scene *scene;
    int contacts;
    bool same; /* all numbers of threads end in the same state */
    TnStepTimes times[MOST_COUNTS];
} Run;

static int option_table(Option *table, Threads *o)
{
    int n = 0;
    table[n++] = option_text("--only", &o->only, "NAME,...", "scenes; default: all");
    table[n++] = option_ints("--spheres", &o->spheres, "LIST", 1, 10000000,
                             "in place of scenes, piles of so many spheres each");
    table[n++] = option_int("--layers", &o->layers, "N", 0, 1000,
                            "of these, in a box as wide as they need; default 0, a cube");
    table[n++] = option_int("--settle", &o->settle, "N", 0, 1000000,
                            "steps of these before those that count; default 60");
    table[n++] = option_ints("--threads", &o->counts, "LIST", 1, 64,
                             "numbers of threads; default 1,2,4,8,16");
    table[n++] = option_int("--iterations", &o->iterations, "N", 1, 1000000,
                            "iterations per step but of stacks; default 60");
    table[n++] =
        option_int("--steps", &o->steps, "N", 1, MOST_STEPS, "steps that are measured; default 10");
    table[n++] = option_int("--repeats", &o->repeats, "N", 1, 1000, "timed passes; default 5");
    table[n++] = option_set("--json", &o->json, "print one JSON object");
    table[n++] = option_set("--quiet", &o->quiet, "no progress on stderr");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon-bench threads [OPTIONS]\n\n"
           "Milliseconds per step and phase of one scene on several numbers of threads. A step\n"
           "counts with its shortest time of all passes; a ratio is the first number's time over\n"
           "this one's.\n\nScenes:\n");
    for (int i = 0; i < SCENES; i++) printf("  %-14s %s\n", scenes[i].name, scenes[i].what);
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon-bench threads\n"
           "  tenon-bench threads --only stir,beam --threads 1,2,4 --repeats 20\n"
           "  tenon-bench threads --spheres 1000,100000 --layers 10 --threads 1,4\n");
}

static TnModel *load(const Threads *o, const Scene *scene, TnError *err)
{
    char path[PATH_MAX];
    if (scene->spheres) return bed_model(scene->spheres, o->layers, err);
    for (int i = 0; i < hard_scene_count; i++)
        if (!strcmp(hard_scenes[i].name, scene->name)) {
            HardModel m;
            if (hard_build(&m, &hard_scenes[i], 1, err) != TN_OK) return NULL;
            TnModel *model = m.model;
            m.model = NULL;
            hard_free(&m);
            return model;
        }
    if (find_scene("threads", scene->name, path)) return tn_model_load(path, err);
    err->code = TN_ERROR_IO;
    return NULL;
}

static TnWorld *create(const Threads *o, const Scene *scene, const TnModel *model, int threads,
                       TnError *err)
{
    TnWorldDef def = tn_world_def();
    def.thread_count = threads;
    if (!scene->by_islands) {
        def.solver.iterations = o->iterations;
        def.solver.tolerance = 0;
    }
    return tn_world_create(&def, model, err);
}

/* The state that all start from. NULL and an error: no memory. */
static void *settle(const Threads *o, const Scene *scene, const TnModel *model, size_t *size,
                    TnError *err)
{
    int most = 1;
    for (int i = 0; i < o->counts.count; i++) most = (int)fmax(most, o->counts.values[i]);
    TnWorld *world = create(o, scene, model, most, err);
    void *start = NULL;
    for (int k = 0; world && k < scene->settle; k++) tn_world_step(world);
    if (world) {
        *size = tn_world_save_size(world);
        start = malloc(*size);
        if (start) tn_world_save(world, start, *size, err);
    }
    tn_world_destroy(world);
    return start;
}

/* One pass; `least` has a time per step. */
static bool pass(const Threads *o, const Scene *scene, const TnModel *model, int threads,
                 const void *start, size_t size, bool first, TnStepTimes *least, int *contacts,
                 uint64_t *hash, TnError *err)
{
    TnWorld *world = create(o, scene, model, threads, err);
    if (!world) return false;
    bool ok = tn_world_restore(world, start, size, err) == TN_OK;
    if (ok) tn_world_step(world); /* memory is taken, caches are filled */
    for (int k = 0; ok && k < o->steps; k++) {
        TnStepReport report = tn_world_step(world);
        *contacts = report.contact_count;
        if (first)
            least[k] = report.times;
        else
            times_least(&least[k], &report.times);
    }
    *hash = tn_world_hash(world);
    tn_world_destroy(world);
    return ok;
}

static int measure_scene(const Threads *o, Run *run, TnError *err)
{
    static TnStepTimes least[MOST_COUNTS][MOST_STEPS];
    size_t size;
    TnModel *model = load(o, run->scene, err);
    void *start = model ? settle(o, run->scene, model, &size, err) : NULL;
    bool ok = start;
    uint64_t first = 0, hash = 0;
    run->same = true;
    for (int k = 0; ok && k < o->repeats; k++)
        for (int i = 0; ok && i < o->counts.count; i++) {
            if (!o->quiet)
                fprintf(stderr, "\r%s: pass %d, %.0f threads \033[K", run->scene->name, k + 1,
                        o->counts.values[i]);
            ok = pass(o, run->scene, model, (int)o->counts.values[i], start, size, k == 0, least[i],
                      &run->contacts, &hash, err);
            if (k == 0 && i == 0) first = hash;
            run->same = run->same && hash == first;
        }
    if (!o->quiet) fprintf(stderr, "\r\033[K");
    for (int i = 0; ok && i < o->counts.count; i++)
        for (int k = 0; k < o->steps; k++) times_add(&run->times[i], &least[i][k], 1.0 / o->steps);
    free(start);
    tn_model_destroy(model);
    if (ok && !run->same)
        say("threads", "%s: the state depends on the number of threads: please report this",
            run->scene->name);
    if (ok) return EXIT_FINE;
    if (err->message[0]) say("threads", "%s", err->message);
    return code_of(err);
}

static void print_run(const Threads *o, const Run *run)
{
    Grid grid;
    grid_start(&grid, 9);
    grid_add(&grid, "threads");
    grid_add(&grid, "step ms");
    grid_add(&grid, "ratio");
    grid_add(&grid, "dynamics");
    grid_add(&grid, "collision");
    grid_add(&grid, "constraint");
    grid_add(&grid, "factor");
    grid_add(&grid, "iterate");
    grid_add(&grid, "integrate");
    for (int i = 0; i < o->counts.count; i++) {
        const TnStepTimes *t = &run->times[i];
        grid_number(&grid, 0, o->counts.values[i]);
        grid_number(&grid, 3, 1e3 * t->total);
        grid_number(&grid, 2, run->times[0].total / t->total);
        const double phases[] = {t->dynamics, t->collision, t->constraint,
                                 t->factor,   t->iterate,   t->integrate};
        for (int k = 0; k < 6; k++) grid_number(&grid, 3, 1e3 * phases[k]);
    }
    printf("%s: %d contacts\n", run->scene->name, run->contacts);
    grid_print(stdout, &grid);
    fflush(stdout);
}

static void json_run(Json *json, const Threads *o, const Run *run)
{
    json_begin_object(json, NULL);
    json_string(json, "scene", run->scene->name);
    json_integer(json, "contacts", run->contacts);
    json_bool(json, "same_state", run->same);
    json_begin_array(json, "threads");
    for (int i = 0; i < o->counts.count; i++) {
        Measure m = {.times = run->times[i]};
        json_begin_object(json, NULL);
        json_integer(json, "threads", (int)o->counts.values[i]);
        json_number(json, "ratio", run->times[0].total / run->times[i].total);
        json_times(json, &m);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static int measure_all(const Threads *o)
{
    TnError err = {0};
    Json json = json_to(stdout);
    bool same = true;
    int code = EXIT_FINE;
    if (o->json) {
        json_begin_object(&json, NULL);
        json_machine(&json);
        json_integer(&json, "iterations", o->iterations);
        json_begin_array(&json, "scenes");
    }
    int count = o->spheres.given ? o->spheres.count : SCENES;
    for (int i = 0; i < count && code == EXIT_FINE; i++) {
        if (!o->spheres.given && !o->chosen[i]) continue;
        char name[32];
        Scene pile = {.name = name, .settle = o->settle};
        if (o->spheres.given) {
            pile.spheres = (int)o->spheres.values[i];
            snprintf(name, sizeof name, "spheres%d", pile.spheres);
        }
        Run run = {.scene = o->spheres.given ? &pile : &scenes[i]};
        code = measure_scene(o, &run, &err);
        same = same && run.same;
        if (code != EXIT_FINE) break;
        if (o->json)
            json_run(&json, o, &run);
        else
            print_run(o, &run);
    }
    if (o->json) {
        json_end(&json);
        json_end(&json);
    }
    return code == EXIT_FINE && !same ? EXIT_DIVERGED : code;
}

static bool choose(Threads *o)
{
    BuiltScene built[SCENES];
    for (int i = 0; i < SCENES; i++) built[i] = (BuiltScene){.name = scenes[i].name};
    if (o->spheres.given && o->only) {
        say("threads", "--only and --spheres exclude each other");
        return false;
    }
    if (!o->spheres.given && (o->layers || o->settle >= 0)) {
        say("threads", "--layers and --settle need --spheres");
        return false;
    }
    if (o->settle < 0) o->settle = 60;
    if (!choose_built_scenes("threads", o->only, built, SCENES, o->chosen)) return false;
    for (int i = 0; !o->only && i < SCENES; i++) o->chosen[i] = !scenes[i].on_request;
    if (o->counts.count <= MOST_COUNTS) return true;
    say("threads", "--threads: at most %d numbers", MOST_COUNTS);
    return false;
}

int cmd_threads(int argc, char **argv)
{
    static const double counts[] = {1, 2, 4, 8, 16};
    Threads o = {.settle = -1, .iterations = 60, .steps = 10, .repeats = 5};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("threads", table, count, print_help, NULL, NULL, argc, argv, &code)) {
        code = EXIT_USAGE;
        if (o.counts.given || number_list_default(&o.counts, counts, 5))
            code = choose(&o) ? measure_all(&o) : EXIT_USAGE;
    }
    number_list_free(&o.counts);
    number_list_free(&o.spheres);
    return code;
}
