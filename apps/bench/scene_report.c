/* Table and JSON of `tenon-bench scene`; see scene_report.h. */
#include "scene_report.h"

#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "../common/totals.h"
#include "own_solvers.h"

#include <math.h>

bool is_divisible(const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    return info.rod_count + info.soft_count > 0;
}

static void print_row(Grid *grid, const BenchReport *report, const Measure *m)
{
    char division[DIVISION_NAME_SIZE];
    bool divisible = is_divisible(report->model);
    if (divisible) {
        grid_add(grid, "%s", division_name(report->model, m->def.division, division));
        grid_add(grid, "%d", m->bonds);
    }
    if (has_tolerance(m))
        grid_add(grid, "%s", solver_name(&m->def.solver));
    else
        grid_add(grid, "%s", weights_name(&m->def.solver));
    grid_add(grid, "%d", m->def.solver.iterations);
    grid_number(grid, 1, m->contacts_mean);
    grid_number(grid, 4, 1e3 * m->times.total);
    if (divisible) {
        grid_number(grid, 4, 1e3 * m->times.dynamics);
        grid_number(grid, 4, 1e3 * m->times.collision);
    }
    grid_number(grid, 4, solver_ms(m));
    if (has_tolerance(m)) {
        grid_add(grid, "%.1e", m->error);
        grid_add(grid, "%lld", (long long)m->unconverged);
    } else {
        grid_number(grid, 3, us_per_iteration(m));
        grid_number(grid, 2, ns_per_contact_iteration(m));
    }
    grid_number(grid, 3, m->aac);
    grid_number(grid, 3, m->aal);
    grid_number(grid, 3, m->aav);
    grid_add(grid, "%s", m->diverged ? "yes" : "no");
}

/* All rows of a table have a tolerance, or none has. */
static void print_headings(Grid *grid, bool divisible, bool tolerance)
{
    const char *const headings[] = {"division",
                                    "bonds",
                                    tolerance ? "method" : "weights",
                                    tolerance ? "at most" : "iterations",
                                    "contacts",
                                    "step ms",
                                    "dynamics",
                                    "collision",
                                    "solver ms",
                                    tolerance ? "error" : "\u00b5s/iter",
                                    tolerance ? "missed" : "ns/c/i",
                                    "AAc",
                                    "AA\u03bb",
                                    "AAv",
                                    "diverged"};
    static const bool of_divisible[] = {true, true, false, false, false, false, true, true};
    grid_start(grid, divisible ? 15 : 11);
    for (int i = 0; i < 15; i++)
        if (divisible || i > 7 || !of_divisible[i]) grid_add(grid, "%s", headings[i]);
}

static void print_paper(const KnownScene *known)
{
    const double *ms = known->paper_ms[PAPER_SUBADMM], *index = known->paper_index[PAPER_SUBADMM];
    printf("  the paper, on four cores, at");
    for (int i = 0; i < 3; i++) printf("%s %d", i ? "," : "", paper_iterations(PAPER_SUBADMM, i));
    printf(" iterations:");
    for (int i = 0; i < 3; i++) printf("%s %.2f", i ? "," : "", ms[i]);
    printf(" ms, accuracy index");
    for (int i = 0; i < 3; i++) printf("%s %.2f", i ? "," : "", index[i]);
    printf("\n");
}

static void print_what_ran(const BenchReport *report)
{
    char text[WHAT_RAN_SIZE];
    printf("  tolerance %g of gravity x timestep; error: the largest, missed: steps above it\n",
           report->runs[0].def.solver.tolerance);
    for (int i = 0; i < report->run_count; i++) {
        const Measure *m = &report->runs[i];
        if (report->run_count > 1) printf("  row %d:", i + 1);
        printf("  %.1f islands per step: %s\n", m->islands_mean,
               what_ran(m->islands_by_method, text));
    }
}

void bench_print_table(const BenchReport *report)
{
    const Measure *runs = report->runs;
    Grid grid;
    TnModelInfo info = tn_model_info(report->model);
    printf("%s: %d degrees of freedom, ", report->path, info.dof_count);
    if (!is_divisible(report->model)) printf("%d subsystems, ", runs[0].subsystems);
    printf("%lld of %lld steps of %g s", (long long)runs[0].measured, (long long)runs[0].steps,
           info.option.timestep);
    if (runs[0].least_contacts) printf(" (those with %d contacts)", runs[0].least_contacts);
    printf(", threads %d\n", runs[0].def.thread_count);
    print_headings(&grid, is_divisible(report->model), has_tolerance(&runs[0]));
    for (int i = 0; i < report->run_count; i++) print_row(&grid, report, &runs[i]);
    grid_print(stdout, &grid);
    if (has_tolerance(&runs[0])) print_what_ran(report);
    if (report->paper) print_paper(report->paper);
    double residual = 0;
    for (int i = 0; i < report->run_count; i++) residual = fmax(residual, runs[i].aav_residual);
    if (runs[0].aav_count)
        printf("  AAv: %d steps, taken for converged at a residual of at most %.1e m/s\n",
               runs[0].aav_count, residual);
}

static void print_run(Json *json, const BenchReport *report, const Measure *m)
{
    char division[DIVISION_NAME_SIZE];
    const TnSolverDef *solver = &m->def.solver;
    json_string(json, "solver", solver_name(solver));
    json_string(json, "method", solver_name(solver));
    json_number(json, "tolerance", solver->tolerance);
    json_string(json, "admm_form", form_name(solver));
    json_string(json, "weights", weights_name(solver));
    json_number(json, "over_relaxation", solver->over_relaxation);
    json_integer(json, "anderson", solver->anderson);
    json_integer(json, "iterations", solver->iterations);
    json_number(json, "iterations_mean", m->iterations_mean);
    json_integer(json, "threads", m->def.thread_count);
    json_string(json, "division", division_name(report->model, m->def.division, division));
    json_integer(json, "subsystems", m->subsystems);
    json_integer(json, "bonds", m->bonds);
    json_integer(json, "steps", m->measured);
    json_number(json, "contacts_mean", m->contacts_mean);
    json_number(json, "rows_mean", m->rows_mean);
    json_times(json, m);
    json_number(json, "us_per_iteration", us_per_iteration(m));
    json_number(json, "ns_per_contact_iteration", ns_per_contact_iteration(m));
    json_number(json, "aac", m->aac);
    json_number(json, "aal", m->aal);
    json_number(json, "aav", m->aav);
    json_number(json, "aav_residual", m->aav_residual);
    json_number(json, "penetration_mean_m", m->mean_penetration);
    json_number(json, "penetration_max_m", m->max_penetration);
    json_number(json, "error_max", m->error);
    json_integer(json, "unconverged_steps", m->unconverged);
    json_islands(json, has_tolerance(m) ? m->islands_mean : NAN, m->islands_by_method,
                 m->asleep_mean);
    json_bool(json, "diverged", m->diverged);
    json_bool(json, "deterministic", m->deterministic);
}

void bench_print_json(const BenchReport *report)
{
    TnModelInfo info = tn_model_info(report->model);
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "scene", report->scene);
    json_string(&json, "model", report->path);
    json_integer(&json, "dof", info.dof_count);
    json_number(&json, "timestep", info.option.timestep);
    int asked = report->runs[0].def.substeps, own = info.option.substeps;
    json_integer(&json, "substeps", asked ? asked : own > 1 ? own : 1);
    json_integer(&json, "repeats", report->runs[0].repeats);
    json_integer(&json, "least_contacts", report->runs[0].least_contacts);
    print_run(&json, report, &report->runs[report->main_run]);
    if (report->paper) {
        double iterations[3];
        for (int i = 0; i < 3; i++) iterations[i] = paper_iterations(PAPER_SUBADMM, i);
        json_begin_object(&json, "paper");
        json_numbers(&json, "iterations", iterations, 3);
        json_numbers(&json, "step_ms", report->paper->paper_ms[PAPER_SUBADMM], 3);
        json_numbers(&json, "index", report->paper->paper_index[PAPER_SUBADMM], 3);
        json_end(&json);
    }
    json_begin_array(&json, "runs");
    for (int i = 0; i < report->run_count; i++) {
        json_begin_object(&json, NULL);
        print_run(&json, report, &report->runs[i]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}
