/* The table of the hard scenes, and the same as JSON. */
#include "hard_report.h"
#include "../common/json.h"
#include "../common/table.h"

#include <math.h>
#include <string.h>

/* Islands solved by Newton's steps, interior points or the augmented Lagrangian. */
static int64_t second_order(const HardRun *run)
{
    return run->islands[TN_METHOD_NEWTON] + run->islands[TN_METHOD_INTERIOR] +
           run->islands[TN_METHOD_PROXIMAL];
}

static double newton_mean(const HardRun *run)
{
    int64_t islands = second_order(run);
    return islands ? (double)run->newton_total / (double)islands : NAN;
}

static void add_small(Grid *grid, double value)
{
    if (isnan(value))
        grid_add(grid, "-");
    else
        grid_add(grid, "%.1e", value);
}

/* Whether a fixed number of iterations ran, on everything together. */
static bool is_fixed(const HardOptions *options) { return options->def.solver.tolerance <= 0; }

static void add_row(Grid *grid, const HardRun *run, bool fixed)
{
    grid_add(grid, "%s", run->scene->name);
    grid_number(grid, 0, run->bodies);
    grid_number(grid, 0, run->contacts_mean);
    grid_number(grid, 1, run->step_us);
    add_small(grid, run->error_max);
    add_small(grid, run->error_median);
    if (fixed)
        grid_add(grid, "-");
    else
        grid_add(grid, "%lld", (long long)run->not_converged);
    add_small(grid, run->force_error);
    add_small(grid, run->sink);
    add_small(grid, run->move);
    add_small(grid, run->tilt);
    add_small(grid, run->creep);
    if (fixed)
        grid_add(grid, "-");
    else
        grid_add(grid, "%lld/%lld/%lld/%lld", (long long)run->islands[0],
                 (long long)run->islands[1], (long long)run->islands[2],
                 (long long)second_order(run));
    grid_number(grid, 1, newton_mean(run));
    grid_add(grid, "%s", run->verdict);
}

void hard_print_table(const HardRun *rows, int count, const HardOptions *options)
{
    static const char *const headings[] = {"scene",
                                           "bodies",
                                           "contacts",
                                           "step us",
                                           "error max",
                                           "median",
                                           "not conv.",
                                           "force error",
                                           "sink m",
                                           "move m",
                                           "tilt rad",
                                           "creep m/s",
                                           "warm/sub/asm/newton",
                                           "steps",
                                           "verdict"};
    enum { COLUMNS = sizeof headings / sizeof headings[0] };
    const TnSolverDef *solver = &options->def.solver;
    Grid grid;
    grid_start(&grid, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) grid_add(&grid, "%s", headings[i]);
    for (int i = 0; i < count; i++) add_row(&grid, &rows[i], is_fixed(options));
    if (is_fixed(options))
        printf("hard scenes, %d iterations", solver->iterations);
    else
        printf("hard scenes, tolerance %g", solver->tolerance);
    if (options->noise > 0) printf(", force noise %g of weight", options->noise);
    printf(", threads %d\n", options->def.thread_count);
    grid_print(stdout, &grid);
}

static void write_run(Json *json, const HardRun *run)
{
    static const char *const island_keys[] = {"islands_warm", "islands_subadmm",
                                              "islands_assembled", "islands_newton"};
    json_begin_object(json, NULL);
    json_string(json, "scene", run->scene->name);
    if (run->seed)
        json_integer(json, "seed", (int64_t)run->seed);
    else
        json_integer(json, "seeds", run->seed_count);
    json_integer(json, "bodies", run->bodies);
    json_integer(json, "steps", run->steps);
    json_number(json, "contacts_mean", run->contacts_mean);
    json_number(json, "start_penetration_m", run->start_penetration);
    json_number(json, "step_us", run->step_us);
    json_number(json, "error_max", run->error_max);
    json_number(json, "error_median", run->error_median);
    json_integer(json, "not_converged", run->not_converged);
    json_number(json, "force_error", run->force_error);
    json_number(json, "sink_m", run->sink);
    json_number(json, "move_m", run->move);
    json_number(json, "tilt_rad", run->tilt);
    json_number(json, "creep_m_per_s", run->creep);
    for (int i = 0; i < 3; i++) json_integer(json, island_keys[i], run->islands[i]);
    json_integer(json, island_keys[3], second_order(run));
    json_number(json, "newton_steps_mean", newton_mean(run));
    json_integer(json, "asleep", run->asleep);
    json_numbers(json, "weights_N", run->weights, run->weight_count);
    if (!strcmp(run->scene->family, "cradle")) json_numbers(json, "speeds", run->speeds, 5);
    json_number(json, "fell_at_s", run->fell_at);
    json_bool(json, "must_fall", run->scene->falls);
    json_integer(json, "fallen", run->fallen_count);
    json_bool(json, "diverged", run->diverged);
    json_string(json, "verdict", run->verdict);
    json_end(json);
}

void hard_print_json(const HardRun *rows, int row_count, const HardRun *runs, int run_count,
                     const HardOptions *options)
{
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "scene", "hard");
    json_integer(&json, "iterations", options->def.solver.iterations);
    json_number(&json, "tolerance", options->def.solver.tolerance);
    json_integer(&json, "threads", options->def.thread_count);
    json_number(&json, "noise", options->noise);
    json_begin_array(&json, "rows");
    for (int i = 0; i < row_count; i++) write_run(&json, &rows[i]);
    json_end(&json);
    json_begin_array(&json, "runs");
    for (int i = 0; i < run_count; i++) write_run(&json, &runs[i]);
    json_end(&json);
    json_end(&json);
}
