/* tenon-bench piles: what contacts that yield do to the motion of piles, and what they cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "commands.h"
#include "known_scenes.h"
#include "piles.h"

/* The first is what the others are compared with. */
static const PileScheme stirred[] = {{10, 100, 0}, {1, 0, 60},  {2, 0, 60}, {1, 30, 0},
                                     {1, 60, 0},   {1, 100, 0}, {2, 30, 0}, {2, 60, 0},
                                     {2, 100, 0},  {4, 30, 0},  {4, 60, 0}};
static const PileScheme heaped[] = {{1, 0, 60}, {1, 0, 0}, {1, 60, 0}, {2, 60, 0}};
enum {
    STIRRED = sizeof stirred / sizeof stirred[0],
    HEAPED = sizeof heaped / sizeof heaped[0],
    MAX_SEEDS = 20
};
static const char *const subjects[] = {"both", "stir", "heaps", NULL};
enum { BOTH, STIR, HEAPS };

typedef struct PilesCommand {
    double duration;
    int seeds, repeats, of;
    bool json, quiet;
} PilesCommand;

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench piles [OPTIONS]\n\n"
        "Scene stir, stepped in several ways, against itself in ten parts per frame of 10 ms;\n"
        "then heaps that fall, are shaken, settle and rest. A part is a step of its own, as a\n"
        "sub-step is. R is the contact ratio (docs/solver.md); without one contacts are rigid.\n");
    options_help(table, count);
    printf(
        "\nColumns of stir, means over frames from one second on and over seeds:\n"
        "  missed %%     parts with an error above 1e-4 of gravity x part, by their own law\n"
        "  rigid error  largest by the law of rigid contacts\n"
        "  force N      on the tool, mean over a frame: its mean, the mean's standard error over\n"
        "               seeds, and its median\n"
        "  kinetic mJ   of the grains\n"
        "  depth mm     mean and largest\n"
        "  height mm    of the grains' centres\n"
        "  created mJ   energy from nowhere in a run\n"
        "Columns of heaps: iterations and ms per frame while it is shaken and while it rests.\n"
        "\nExamples:\n"
        "  tenon-bench piles --seeds 10 --of stir\n"
        "  tenon-bench piles --of heaps --json\n");
}

/* ---- stir ---- */

typedef struct StirRow {
    char name[PILE_NAME];
    bool fixed;
    StirRun mean;
    double force_error; /* N, standard error */
} StirRow;

static void average(const StirRun *runs, int count, StirRow *row)
{
    StirRun *m = &row->mean;
    double squares = 0;
    for (int i = 0; i < count; i++) {
        const StirRun *r = &runs[i];
        m->steps += r->steps, m->missed += r->missed;
        m->iterations += r->iterations / count, m->ms += r->ms / count;
        m->force += r->force / count, m->median += r->median / count;
        m->kinetic += r->kinetic / count, m->depth += r->depth / count;
        m->height += r->height / count, m->created += r->created / count;
        m->worst_depth = fmax(m->worst_depth, r->worst_depth);
        m->error = fmax(m->error, r->error);
        m->rigid_error = fmax(m->rigid_error, r->rigid_error);
        m->diverged = m->diverged || r->diverged;
    }
    for (int i = 0; i < count; i++) squares += pow(runs[i].force - m->force, 2);
    row->force_error = count > 1 ? sqrt(squares / (count - 1) / count) : NAN;
}

/* Each seed `repeats` times, with the shortest time. */
static TnStatus run_row(const PilesCommand *c, const char *path, const PileScheme *scheme,
                        StirRow *row, TnError *err)
{
    StirRun runs[MAX_SEEDS], again;
    *row = (StirRow){.fixed = scheme->fixed > 0};
    pile_scheme_name(scheme, row->name);
    for (int seed = 0; seed < c->seeds; seed++)
        for (int k = 0; k < c->repeats; k++) {
            if (stir_run(path, scheme, seed, c->duration, &again, err) != TN_OK) return err->code;
            if (k > 0) again.ms = fmin(again.ms, runs[seed].ms);
            runs[seed] = again;
        }
    average(runs, c->seeds, row);
    return TN_OK;
}

static void add_stir(Grid *grid, const StirRow *row)
{
    const StirRun *m = &row->mean;
    grid_add(grid, "%s", row->name);
    grid_number(grid, 0, m->iterations);
    grid_number(grid, 2, m->ms);
    grid_number(grid, 2, row->fixed ? NAN : 100.0 * m->missed / m->steps);
    grid_number(grid, 1, row->fixed ? NAN : m->rigid_error);
    grid_number(grid, 2, m->force);
    grid_number(grid, 2, row->force_error);
    grid_number(grid, 2, m->median);
    grid_number(grid, 2, 1e3 * m->kinetic);
    grid_number(grid, 4, 1e3 * m->depth);
    grid_number(grid, 3, 1e3 * m->worst_depth);
    grid_number(grid, 2, 1e3 * m->height);
    grid_number(grid, 2, 1e3 * m->created);
}

static void print_stir(const StirRow *rows)
{
    static const char *const headings[] = {
        "stir",   "iterations", "ms",       "missed %", "rigid error", "force N",   "+-",
        "median", "kinetic mJ", "depth mm", "worst",    "height mm",   "created mJ"};
    enum { COLUMNS = sizeof headings / sizeof headings[0] };
    Grid grid;
    grid_start(&grid, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) grid_add(&grid, "%s", headings[i]);
    for (int i = 0; i < STIRRED; i++) add_stir(&grid, &rows[i]);
    grid_print(stdout, &grid);
}

static void json_stir(Json *json, const StirRow *rows)
{
    json_begin_array(json, "stir");
    for (int i = 0; i < STIRRED; i++) {
        const StirRun *m = &rows[i].mean;
        json_begin_object(json, NULL);
        json_string(json, "name", rows[i].name);
        json_number(json, "iterations_mean", m->iterations);
        json_number(json, "frame_ms", m->ms);
        json_integer(json, "steps", m->steps);
        json_integer(json, "missed", rows[i].fixed ? 0 : m->missed);
        json_number(json, "error_max", rows[i].fixed ? NAN : m->error);
        json_number(json, "rigid_error_max", rows[i].fixed ? NAN : m->rigid_error);
        json_number(json, "force_N", m->force);
        json_number(json, "force_error_N", rows[i].force_error);
        json_number(json, "force_median_N", m->median);
        json_number(json, "kinetic_J", m->kinetic);
        json_number(json, "depth_mean_m", m->depth);
        json_number(json, "depth_max_m", m->worst_depth);
        json_number(json, "height_m", m->height);
        json_number(json, "created_J", m->created);
        json_end(json);
    }
    json_end(json);
}

static int run_stir(const PilesCommand *c, StirRow *rows)
{
    char path[PATH_MAX];
    if (!find_scene("piles", "stir", path)) return EXIT_MODEL;
    for (int i = 0; i < STIRRED; i++) {
        TnError err = {0};
        if (run_row(c, path, &stirred[i], &rows[i], &err) != TN_OK) {
            say("piles", "%s", err.message);
            return code_of(&err);
        }
        if (!c->quiet) fprintf(stderr, "stir, %s: done\n", rows[i].name);
    }
    return EXIT_FINE;
}

/* ---- heaps ---- */

enum { MOST_HEAPS = 8 };

static void add_heap(Grid *grid, const char *heap, const PileScheme *scheme, const HeapRun *r)
{
    char name[PILE_NAME];
    pile_scheme_name(scheme, name);
    grid_add(grid, "%s", heap);
    grid_add(grid, "%s", name);
    grid_number(grid, 0, r->contacts);
    grid_number(grid, 2, scheme->fixed ? NAN : 100.0 * r->missed / r->steps);
    grid_number(grid, 0, r->iterations[HEAP_SHAKEN]);
    grid_number(grid, 0, r->iterations[HEAP_RESTS]);
    grid_number(grid, 2, r->ms[HEAP_SHAKEN]);
    grid_number(grid, 2, r->ms[HEAP_RESTS]);
    grid_number(grid, 2, r->ms[HEAP_RESTS] / r->ms[HEAP_SHAKEN]);
    grid_number(grid, 2, 1e3 * r->worst_depth);
    grid_number(grid, 2, 1e3 * r->created);
}

static void print_heaps(HeapRun (*runs)[HEAPED])
{
    static const char *const headings[] = {"heap",   "stepped",        "contacts",  "missed %",
                                           "shaken", "rests",          "ms shaken", "ms rests",
                                           "ratio",  "worst depth mm", "created mJ"};
    enum { COLUMNS = sizeof headings / sizeof headings[0] };
    Grid grid;
    grid_start(&grid, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) grid_add(&grid, "%s", headings[i]);
    for (int k = 0; k < heap_kind_count; k++)
        for (int i = 0; i < HEAPED; i++)
            add_heap(&grid, heap_kinds[k].name, &heaped[i], &runs[k][i]);
    grid_print(stdout, &grid);
}

static void json_heaps(Json *json, HeapRun (*runs)[HEAPED])
{
    json_begin_array(json, "heaps");
    for (int n = 0; n < heap_kind_count * HEAPED; n++) {
        const HeapRun *r = &runs[n / HEAPED][n % HEAPED];
        char name[PILE_NAME];
        pile_scheme_name(&heaped[n % HEAPED], name);
        json_begin_object(json, NULL);
        json_string(json, "heap", heap_kinds[n / HEAPED].name);
        json_string(json, "name", name);
        json_integer(json, "steps", r->steps);
        json_integer(json, "missed", heaped[n % HEAPED].fixed ? 0 : r->missed);
        json_numbers(json, "iterations_mean", r->iterations, HEAP_PHASES);
        json_numbers(json, "frame_ms", r->ms, HEAP_PHASES);
        json_number(json, "error_max", r->error);
        json_number(json, "rigid_error_max", r->rigid_error);
        json_number(json, "depth_max_m", r->worst_depth);
        json_number(json, "created_J", r->created);
        json_end(json);
    }
    json_end(json);
}

static int run_heaps(const PilesCommand *c, HeapRun (*runs)[HEAPED])
{
    for (int k = 0; k < heap_kind_count; k++)
        for (int i = 0; i < HEAPED; i++) {
            TnError err = {0};
            if (heap_run(&heap_kinds[k], &heaped[i], 0, &runs[k][i], &err) != TN_OK) {
                say("piles", "%s", err.message);
                return code_of(&err);
            }
            if (!c->quiet) fprintf(stderr, "%s: done\n", heap_kinds[k].name);
        }
    return EXIT_FINE;
}

/* ---- the command ---- */

int cmd_piles(int argc, char **argv)
{
    PilesCommand c = {.duration = 5, .seeds = 3, .repeats = 1};
    StirRow rows[STIRRED];
    HeapRun heaps[MOST_HEAPS][HEAPED];
    Option table[8];
    int count = 0, code = EXIT_USAGE;
    table[count++] =
        option_choice("--of", &c.of, "WHAT", subjects, "stir, heaps or both (default)");
    table[count++] = option_real("--duration", &c.duration, "S", 1, 100, ENDS_LOWER_OPEN,
                                 "seconds of stir, more than 1; default 5");
    table[count++] = option_int("--seeds", &c.seeds, "N", 1, MAX_SEEDS,
                                "runs of stir with shifted grains, 1 ... 20; default 3");
    table[count++] = option_int("--repeats", &c.repeats, "N", 1, 100,
                                "timed passes of each run of stir, 1 ... 100; default 1");
    table[count++] = option_set("--json", &c.json, "print one JSON object");
    table[count++] = option_set("--quiet", &c.quiet, "do not tell what is done");
    if (!options_parse("piles", table, count, print_help, NULL, NULL, argc, argv, &code))
        return code;
    code = c.of == HEAPS ? EXIT_FINE : run_stir(&c, rows);
    if (code == EXIT_FINE && c.of != STIR) code = run_heaps(&c, heaps);
    if (code != EXIT_FINE) return code;
    if (!c.json) {
        if (c.of != HEAPS) print_stir(rows);
        if (c.of != STIR) print_heaps(heaps);
        return code;
    }
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_integer(&json, "seeds", c.seeds);
    json_number(&json, "duration_s", c.duration);
    if (c.of != HEAPS) json_stir(&json, rows);
    if (c.of != STIR) json_heaps(&json, heaps);
    json_end(&json);
    return code;
}
