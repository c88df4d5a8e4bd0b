/* tenon-bench ranks: the work of each rank that steps a part of a scene.
 *
 * Ranks are threads of this process, each of which does the work of one process of tenon-mpi.
 * Measured are the clock, and for each rank the processor time outside of its waits: on a machine
 * with fewer cores than ranks, or with other work to do, that still tells what each rank has to do.
 * It does not tell what messages take between machines. With --apart each rank has a pile of its
 * own without messages: what the machine loses when all of its cores are busy. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "bench.h"
#include "commands.h"
#include "machine.h"
#include "pile.h"
#include "rank_threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_COUNTS = 16 };

typedef struct Ranks {
    NumberList counts;
    int bodies, layers, iterations, steps, settle;
    bool strong, apart, json, quiet;
} Ranks;

/* What one rank did in the steps that count. */
typedef struct Share {
    double clock, work; /* s: per step, and of a processor, without waits */
    TnStepTimes times;  /* s, of all steps; waits are in them */
    RankWaits waits;
    TnTraffic traffic;
    uint64_t hash;
} Share;

typedef struct Run {
    const Ranks *options;
    const TnModel *model;
    int ranks, bodies, contacts;
    double alone; /* s: what a step would take if nothing were lost, by the first of the series */
    Share shares[MOST_RANKS];
} Run;

static int option_table(Option *table, Ranks *o)
{
    int n = 0;
    table[n++] = option_ints("--ranks", &o->counts, "LIST", 1, MOST_RANKS,
                             "numbers of ranks; default 1,2,4,8");
    table[n++] = option_int("--bodies", &o->bodies, "N", 1, 10000000,
                            "spheres in the pile, per rank; default 5000");
    table[n++] = option_int("--layers", &o->layers, "N", 0, 1000,
                            "of spheres, in a box as wide as they need; default 0, a cube");
    table[n++] = option_set("--strong", &o->strong, "so many spheres in all");
    table[n++] = option_set("--apart", &o->apart, "a pile for each rank, without messages");
    table[n++] = option_int("--iterations", &o->iterations, "N", 1, 1000000,
                            "iterations per step; default 60");
    table[n++] =
        option_int("--steps", &o->steps, "N", 1, 100000, "steps that are measured; default 10");
    table[n++] =
        option_int("--settle", &o->settle, "N", 0, 100000, "steps before these; default 30");
    table[n++] = option_set("--json", &o->json, "print one JSON object");
    table[n++] = option_set("--quiet", &o->quiet, "no progress on stderr");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench ranks [OPTIONS]\n\n"
        "What each rank does that steps a part of a pile of spheres, as 'tenon-mpi run "
        "--decompose'\n"
        "does. Ranks are threads. 'ms' is the clock's time of a step, 'ratio' that of the first\n"
        "number of ranks over it (with --strong, over it and the number of ranks). 'work' is\n"
        "processor time of the busiest rank and the mean of all, without waits; it can be\n"
        "compared on a machine with fewer cores than ranks, too. The second table has the\n"
        "clock's time of each phase, the mean of all ranks: 'parts' is dividing and telling\n"
        "states, and 'waits' are in the phases.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon-bench ranks --bodies 20000 --ranks 1,2,4\n"
           "  tenon-bench ranks --strong --bodies 50000 --ranks 1,2,4,8\n");
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add_times(TnStepTimes *sum, const TnStepTimes *t)
{
    sum->dynamics += t->dynamics;
    sum->collision += t->collision;
    sum->constraint += t->constraint;
    sum->factor += t->factor;
    sum->iterate += t->iterate;
    sum->integrate += t->integrate;
    sum->total += t->total;
}

static void step_part(void *context, const TnRanks *ranks)
{
    Run *run = context;
    const Ranks *o = run->options;
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.iterations = o->iterations;
    def.solver.tolerance = 0;
    def.spread = true;
    def.ranks = o->apart ? NULL : ranks;
    TnWorld *world = tn_world_create(&def, run->model, &err);
    if (!world) abort(); /* others would wait for it */
    for (int k = 0; k < o->settle; k++) tn_world_step(world);
    Share *share = &run->shares[ranks->rank];
    *ranks->traffic = (TnTraffic){0};
    RankWaits before = rank_threads_waits(ranks);
    double start = processor_seconds(), clock = clock_seconds();
    int contacts = 0;
    for (int k = 0; k < o->steps; k++) {
        TnStepReport report = tn_world_step(world);
        add_times(&share->times, &report.times);
        contacts = report.contact_count;
    }
    share->waits = rank_threads_waits(ranks);
    share->waits.exchange -= before.exchange;
    share->waits.share -= before.share;
    share->waits.processor -= before.processor;
    share->clock = (clock_seconds() - clock) / o->steps;
    share->work = (processor_seconds() - start - share->waits.processor) / o->steps;
    share->traffic = *ranks->traffic;
    share->hash = tn_world_hash(world);
    if (ranks->rank == 0) run->contacts = contacts * (o->apart ? run->ranks : 1);
    tn_world_destroy(world);
}

/* ---- what is printed ---- */

static const Share *busiest(const Run *run)
{
    const Share *most = run->shares;
    for (int r = 1; r < run->ranks; r++)
        if (run->shares[r].work > most->work) most = &run->shares[r];
    return most;
}

static double clock_of(const Run *run)
{
    double most = 0;
    for (int r = 0; r < run->ranks; r++) most = fmax(most, run->shares[r].clock);
    return most;
}

static double mean_work(const Run *run)
{
    double sum = 0;
    for (int r = 0; r < run->ranks; r++) sum += run->shares[r].work;
    return sum / run->ranks;
}

static double per(int64_t sum, int64_t count) { return count ? (double)sum / (double)count : 0.0; }

static double ratio_of(const Run *run) { return run->alone / clock_of(run); }

static void print_runs(const Run *runs, int count)
{
    Grid grid;
    grid_start(&grid, 12);
    grid_add(&grid, "ranks");
    grid_add(&grid, "bodies");
    grid_add(&grid, "contacts");
    grid_add(&grid, "ms");
    grid_add(&grid, "ratio");
    grid_add(&grid, "busiest: work ms");
    grid_add(&grid, "mean");
    grid_add(&grid, "bodies here");
    grid_add(&grid, "contacts");
    grid_add(&grid, "bytes/iteration");
    grid_add(&grid, "exchanges/step");
    grid_add(&grid, "divisions");
    for (int i = 0; i < count; i++) {
        const Share *s = busiest(&runs[i]);
        const TnTraffic *t = &s->traffic;
        grid_number(&grid, 0, runs[i].ranks);
        grid_number(&grid, 0, runs[i].bodies);
        grid_number(&grid, 0, runs[i].contacts);
        grid_number(&grid, 2, 1e3 * clock_of(&runs[i]));
        grid_number(&grid, 3, ratio_of(&runs[i]));
        grid_number(&grid, 2, 1e3 * s->work);
        grid_number(&grid, 2, 1e3 * mean_work(&runs[i]));
        grid_number(&grid, 0, per(t->bodies, t->steps));
        grid_number(&grid, 0, per(t->contacts, t->steps));
        grid_number(&grid, 0, per(t->sent, t->exchanges));
        grid_number(&grid, 1, per(t->exchanges, t->steps));
        grid_number(&grid, 0, (double)t->divisions);
    }
    grid_print(stdout, &grid);
}

enum { DYNAMICS, COLLISION, CONSTRAINT, FACTOR, ITERATE, INTEGRATE, PARTS, EXCHANGE, ALL, PHASES };
static const char *const phase_names[PHASES] = {"dynamics", "collision",      "constraint",
                                                "factor",   "iterate",        "integrate",
                                                "parts",    "waits exchange", "waits all"};

/* ms per step */
static void phases_of(const Share *share, int steps, double out[PHASES])
{
    const TnStepTimes *t = &share->times;
    const double seconds[PARTS] = {t->dynamics, t->collision, t->constraint,
                                   t->factor,   t->iterate,   t->integrate};
    double rest = t->total;
    for (int k = 0; k < PARTS; k++) {
        out[k] = 1e3 * seconds[k] / steps;
        rest -= seconds[k];
    }
    out[PARTS] = 1e3 * rest / steps;
    out[EXCHANGE] = 1e3 * share->waits.exchange / steps;
    out[ALL] = 1e3 * share->waits.share / steps;
}

static void print_phases(const Run *runs, int count)
{
    Grid grid;
    grid_start(&grid, 1 + PHASES);
    grid_add(&grid, "ranks");
    for (int k = 0; k < PHASES; k++) grid_add(&grid, "%s", phase_names[k]);
    for (int i = 0; i < count; i++) {
        double sum[PHASES] = {0};
        for (int r = 0; r < runs[i].ranks; r++) {
            double one[PHASES];
            phases_of(&runs[i].shares[r], runs[i].options->steps, one);
            for (int k = 0; k < PHASES; k++) sum[k] += one[k] / runs[i].ranks;
        }
        grid_number(&grid, 0, runs[i].ranks);
        for (int k = 0; k < PHASES; k++) grid_number(&grid, 2, sum[k]);
    }
    grid_print(stdout, &grid);
}

static void json_share(Json *json, const Share *s, int steps)
{
    const TnTraffic *t = &s->traffic;
    double phases[PHASES];
    phases_of(s, steps, phases);
    json_begin_object(json, NULL);
    json_number(json, "clock_ms", 1e3 * s->clock);
    json_number(json, "processor_ms", 1e3 * s->work);
    json_begin_object(json, "phases_ms");
    for (int k = 0; k < PHASES; k++) json_number(json, phase_names[k], phases[k]);
    json_end(json);
    json_number(json, "own_bodies", per(t->own, t->exchanges));
    json_number(json, "bodies", per(t->bodies, t->steps));
    json_number(json, "contacts", per(t->contacts, t->steps));
    json_number(json, "boundary_bodies", per(t->boundary, t->exchanges));
    json_number(json, "bytes_per_iteration", per(t->sent, t->exchanges));
    json_number(json, "state_bytes_per_step", per(t->state_bytes, t->steps));
    json_number(json, "shared_bytes_per_step", per(t->shared, t->steps));
    json_integer(json, "divisions", (int)t->divisions);
    json_end(json);
}

static void json_runs(const Ranks *o, const Run *runs, int count)
{
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_machine(&json);
    json_integer(&json, "iterations", o->iterations);
    json_bool(&json, "strong", o->strong);
    json_begin_array(&json, "runs");
    for (int i = 0; i < count; i++) {
        json_begin_object(&json, NULL);
        json_integer(&json, "ranks", runs[i].ranks);
        json_integer(&json, "bodies", runs[i].bodies);
        json_integer(&json, "contacts", runs[i].contacts);
        json_number(&json, "ratio", ratio_of(&runs[i]));
        json_begin_array(&json, "shares");
        for (int r = 0; r < runs[i].ranks; r++) json_share(&json, &runs[i].shares[r], o->steps);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

/* All ranks must end in the same state. */
static bool agree(const Run *run)
{
    for (int r = 1; r < run->ranks; r++)
        if (run->shares[r].hash != run->shares[0].hash) return false;
    return true;
}

static int measure_all(const Ranks *o)
{
    Run *runs = calloc(MOST_COUNTS, sizeof *runs);
    TnError err = {0};
    int code = EXIT_FINE, count = o->counts.count;
    if (!runs) return EXIT_IO;
    for (int i = 0; i < count && code == EXIT_FINE; i++) {
        int ranks = (int)o->counts.values[i], bodies = o->strong ? o->bodies : o->bodies * ranks;
        TnModel *model = bed_model(o->apart ? o->bodies : bodies, o->layers, &err);
        runs[i] = (Run){.options = o, .model = model, .ranks = ranks, .bodies = bodies};
        if (!o->quiet) fprintf(stderr, "\r%d ranks, %d bodies \033[K", ranks, bodies);
        if (!model || !rank_threads_run(ranks, step_part, &runs[i])) {
            say("ranks", "%s", model ? "no memory" : err.message);
            code = EXIT_IO;
        } else if (!agree(&runs[i]) ||
                   (o->strong && runs[i].shares[0].hash != runs[0].shares[0].hash)) {
            say("ranks", "the state depends on the rank: please report this");
            code = EXIT_DIVERGED;
        } else {
            runs[i].alone = clock_of(&runs[0]) / (o->strong ? ranks / o->counts.values[0] : 1);
        }
        tn_model_destroy(model);
    }
    if (!o->quiet) fprintf(stderr, "\r\033[K");
    if (code == EXIT_FINE && o->json)
        json_runs(o, runs, count);
    else if (code == EXIT_FINE) {
        print_runs(runs, count);
        print_phases(runs, count);
    }
    free(runs);
    return code;
}

int cmd_ranks(int argc, char **argv)
{
    static const double counts[] = {1, 2, 4, 8};
    Ranks o = {.bodies = 5000, .iterations = 60, .steps = 10, .settle = 30};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("ranks", table, count, print_help, NULL, NULL, argc, argv, &code)) {
        code = EXIT_USAGE;
        bool given = o.counts.given || number_list_default(&o.counts, counts, 4);
        if (given && o.counts.count > MOST_COUNTS)
            say("ranks", "--ranks: at most %d numbers", MOST_COUNTS);
        else if (given)
            code = measure_all(&o);
    }
    number_list_free(&o.counts);
    return code;
}
